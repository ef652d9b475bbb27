//! The nearest-neighbour belief against its formula, by brute force.

use psmp::belief::Evidence;
use psmp::belief::{Belief, NearestNeighbour};
use psmp::checker::{BisectionChecker, Checker, Part, Sightings, WorldFn};
use psmp::{Axis, EdgeId, Resolution, Roadmap, Space};

#[test]
fn probabilities_follow_the_formula() {
    let wrapping = Space::new(vec![Axis::angle(), Axis::new(0.0, 2.0).unwrap()]).unwrap();
    for (space, eta) in [
        (Space::unit(2), 30.0),
        (Space::unit(2), 1000.0),
        (wrapping, 3.0),
    ] {
        let roadmap = Roadmap::random_geometric(space.clone(), 40, 0.45, 3).unwrap();
        let world = WorldFn(|q: &[f64]| (q[0] - 0.5).hypot(q[1] - 0.4) > 0.2);
        let mut checker =
            BisectionChecker::new(&roadmap, Resolution::distance(0.01).unwrap(), world).unwrap();
        let mut belief = NearestNeighbour::new(&roadmap, eta).unwrap();
        let mut seen: Vec<(Vec<f64>, bool)> = Vec::new();
        for checked in 0..12 {
            for edge in roadmap.edge_ids().skip(checked % 3).step_by(3) {
                let p = belief.probability_free(edge);
                let per_length = eta / space.longest_side();
                let expected = by_brute_force(&roadmap, &space, per_length, &seen, edge);
                // Places are of single precision: a ten-millionth of the longest side, times eta.
                let off = (p - expected).abs();
                assert!(off < 2e-7 * eta.max(1.0), "{p} against {expected}");
            }
            let edge = EdgeId((checked * 17 % roadmap.edge_count()) as u32);
            let mut sightings = Sightings::new(2);
            let Ok(finding) = checker.check(Part::whole_of(edge), &mut sightings);
            seen.extend(sightings.iter().map(|(q, free)| (q.to_vec(), free)));
            let free = finding.free == Some(true);
            belief.observe(Evidence::of(edge, free, &sightings));
        }
    }
}

fn by_brute_force(
    roadmap: &Roadmap,
    space: &Space,
    eta: f64,
    seen: &[(Vec<f64>, bool)],
    edge: EdgeId,
) -> f64 {
    let ends = roadmap.edge(edge);
    let (a, b) = (
        roadmap.configuration(ends.from).unwrap(),
        roadmap.configuration(ends.to).unwrap(),
    );
    let mut least = f64::INFINITY;
    for i in 0..5 {
        let mut q = [0.0; 2];
        space.interpolate(a, b, f64::from(i) / 4.0, &mut q);
        let nearest = seen
            .iter()
            .map(|(s, free)| (space.distance(&q, s), *free))
            .min_by(|x, y| x.0.total_cmp(&y.0));
        let p = nearest.map_or(0.5, |(distance, free)| {
            let k = (-eta * distance).exp();
            (k * f64::from(u8::from(free)) + 1.0) / (k + 2.0)
        });
        least = least.min(p);
    }
    least
}

#[test]
fn without_sightings_the_edge_itself_is_the_evidence() {
    let roadmap = Roadmap::random_geometric(Space::unit(2), 20, 0.6, 3).unwrap();
    let mut belief = NearestNeighbour::new(&roadmap, 10.0).unwrap();
    for (edge, free) in [(EdgeId(0), true), (EdgeId(9), false)] {
        let before = belief.probability_free(edge);
        belief.observe(Evidence::of(edge, free, &Sightings::new(2)));
        assert_eq!(belief.probability_free(edge) > before, free);
    }
}
