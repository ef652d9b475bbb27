//! A session that grows comes to the shortest path of the space, whatever it believes: after a stated number of
//! configurations within a hundredth of what is [known exactly](super::exact).

use super::exact::{Polygons, Window};
use psmp::checker::World;
use psmp::{CollisionTable, Connection, Event, EventKind, Experience, Roadmap, Session};
use psmp::{Resolution, SessionOptions, Space, Stop, Until, WorldId, roadmap};
use std::convert::Infallible;

/// The distance between configurations: a path through the space has about a hundred.
const STEP: f64 = 0.01;
/// How near to the shortest a path must come.
const NEAR: f64 = 1.01;
/// In so many dimensions there are windows.
const DIMENSIONS: std::ops::RangeInclusive<usize> = 3..=7;

/// A problem whose shortest path is so long.
struct Known<W> {
    world: W,
    start: Vec<f64>,
    goal: Vec<f64>,
    shortest: f64,
}

impl<W: World<Error = Infallible> + Clone + Send> Known<W> {
    /// After how many configurations there is a first path, and one that is near the shortest; nothing if
    /// that takes more than `most`.
    fn configurations(&self, options: SessionOptions, near: f64, most: u64) -> [Option<u64>; 2] {
        let space = Space::unit(self.start.len());
        let options = SessionOptions {
            settles: false,
            // What lies between is proved.
            resolution: Some(Resolution::distance(STEP).unwrap()),
            ..options
        };
        let goal = &self.goal[..];
        let session = Session::in_space(&space, self.world.clone(), &self.start, goal, options);
        let mut found = [None; 2];
        for event in Until::new(&mut session.unwrap(), &Stop::configurations(most)) {
            let Event { kind, progress } = event.unwrap();
            if let EventKind::Improved { length } = kind {
                let so_far = Some(progress.configurations);
                assert!(length >= self.shortest * (1.0 - 1e-6), "{length} cannot be");
                found[0] = found[0].or(so_far);
                if length <= near * self.shortest {
                    found[1] = so_far;
                    break;
                }
            }
        }
        found
    }

    /// Sees to it that with these seeds a path near the shortest is found in time.
    fn comes(&self, near: f64, seeds: u64, options: &SessionOptions, most: u64, what: &str) {
        for seed in 0..seeds {
            let options = SessionOptions {
                seed,
                ..options.clone()
            };
            let [first, came_near] = self.configurations(options, near, most);
            assert!(
                came_near.is_some(),
                "{what}, seed {seed}: not near after {most} configurations; the first path after {first:?}"
            );
        }
    }
}

/// Ten worlds of twenty polygons in which the shortest way is no squeeze: around obstacles that are a little
/// fatter it is hardly longer.
fn among_polygons() -> Vec<Known<Polygons>> {
    let (start, goal) = ([0.03, 0.04], [0.97, 0.95]);
    let known = (0..).filter_map(|seed| {
        let world = Polygons::random(20, seed);
        let shortest = world.shortest(start, goal)?;
        let straight = 0.94f64.hypot(0.91);
        let squeezed = world.fatter(0.01).shortest(start, goal)?;
        let is_fair = squeezed < 1.02 * shortest && shortest > 1.01 * straight;
        is_fair.then(|| Known {
            world,
            start: start.to_vec(),
            goal: goal.to_vec(),
            shortest,
        })
    });
    known.take(10).collect()
}

/// A window of this width that lies above the straight line, between ends that are not opposite each other. Along
/// the other axes it is half as wide as the wall, and the straight line would pass.
fn through_a_window(dimension: usize, width: f64) -> Known<Window> {
    let mut world = Window(vec![[0.1, 0.6]; dimension - 1]);
    world.0[0] = [0.95 - width, 0.95];
    let others = |value: f64| (1..dimension).map(move |axis| value + 0.02 * axis as f64);
    let start: Vec<f64> = std::iter::once(0.1).chain(others(0.2)).collect();
    let goal: Vec<f64> = std::iter::once(0.9).chain(others(0.4)).collect();
    Known {
        shortest: world.shortest(&start, &goal, 1e-9),
        world,
        start,
        goal,
    }
}

/// A roadmap, and worlds on it in which just those edges are free that are not.
fn misled(dimension: usize, is_free: impl Fn(&[f64], &[f64]) -> bool) -> SessionOptions {
    let space = Space::unit(dimension);
    let points = roadmap::halton(&space, 400);
    let roadmap = Roadmap::from_configurations(space, points, Connection::Nearest(10)).unwrap();
    let mut table = CollisionTable::all_blocked(20, roadmap.edge_count());
    for id in roadmap.edge_ids() {
        let edge = roadmap.edge(id);
        let [from, to] = [edge.from, edge.to].map(|v| roadmap.configuration(v).unwrap().to_vec());
        for world in 0..20 {
            table.set(WorldId(world), id, !is_free(&from, &to));
        }
    }
    SessionOptions {
        roadmap: Some(roadmap),
        experience: Some(Experience::from(table)),
        ..SessionOptions::default()
    }
}

#[test]
fn among_polygons_the_shortest_way_is_come_near() {
    for (number, known) in among_polygons().iter().enumerate() {
        let what = format!("polygons {number}");
        known.comes(NEAR, 5, &SessionOptions::default(), 100_000, &what);
    }
}

#[test]
fn through_windows_in_three_to_seven_dimensions_the_shortest_way_is_come_near() {
    for dimension in DIMENSIONS {
        let known = through_a_window(dimension, 0.4);
        let what = format!("a window in {dimension} dimensions");
        known.comes(NEAR, 5, &SessionOptions::default(), 200_000, &what);
    }
}

#[test]
fn a_misleading_belief_does_not_prevent_it() {
    for (number, known) in among_polygons().iter().enumerate().take(7) {
        let place = |q: &[f64]| [q[0], q[1]];
        let options = misled(2, |a, b| {
            Polygons::is_free(&known.world, place(a), place(b))
        });
        let what = format!("misled among polygons {number}");
        known.comes(NEAR, 1, &options, 100_000, &what);
    }
    for dimension in DIMENSIONS {
        let known = through_a_window(dimension, 0.4);
        let options = misled(dimension, |a, b| Window::is_free(&known.world, a, b));
        let what = format!("misled before a window in {dimension} dimensions");
        known.comes(NEAR, 1, &options, 100_000, &what);
    }
}

#[test]
fn lazysp_that_grows_comes_near_too() {
    let options = SessionOptions {
        planner: "lazysp+grow".parse().unwrap(),
        ..SessionOptions::default()
    };
    for (number, known) in among_polygons().iter().enumerate().take(3) {
        let what = format!("lazysp+grow among polygons {number}");
        known.comes(NEAR, 1, &options, 50_000, &what);
    }
}

#[test]
fn a_narrow_window_is_found() {
    for dimension in [2, 3] {
        let known = through_a_window(dimension, 0.02);
        let what = format!("a narrow window in {dimension} dimensions");
        known.comes(NEAR, 3, &SessionOptions::default(), 100_000, &what);
    }
}
