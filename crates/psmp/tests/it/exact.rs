//! Worlds whose shortest way is known: convex polygons in the plane, by a visibility graph, and a wall with a
//! window in any dimension, by convex optimisation. The robot is a point, and may touch what it must not enter.
//! Both worlds prove stretches exactly, so that no path that is given out can be shorter than the shortest.

use petgraph::algo::dijkstra;
use petgraph::graph::UnGraph;
use psmp::Draw;
use psmp::checker::{Proof, Stretches, World};
use std::convert::Infallible;

/// What is no farther inside is on the border.
const HAIR: f64 = 1e-9;

type Place = [f64; 2];

/// Convex polygons in the unit square, their corners anticlockwise.
#[derive(Debug, Clone)]
pub struct Polygons(pub Vec<Vec<Place>>);

impl Polygons {
    /// An upright rectangle.
    pub fn rectangle(x: [f64; 2], y: [f64; 2]) -> Vec<Place> {
        vec![[x[0], y[0]], [x[1], y[0]], [x[1], y[1]], [x[0], y[1]]]
    }

    /// So many triangles, quadrilaterals and pentagons anywhere, with their corners on circles.
    pub fn random(count: u64, seed: u64) -> Self {
        let polygon = |number| {
            let random = Draw::new(seed, number);
            let (middle, radius) = (
                [random.unit(0), random.unit(1)],
                0.06 + 0.12 * random.unit(2),
            );
            let corners = 3 + random.below(3, 3);
            let corner = |i: u64| {
                let turn = (i as f64 + 0.7 * random.unit(4 + i)) / corners as f64;
                let (sin, cos) = (std::f64::consts::TAU * turn).sin_cos();
                [middle[0] + radius * cos, middle[1] + radius * sin]
            };
            (0..corners).map(corner).collect()
        };
        Self((0..count).map(polygon).collect())
    }

    /// The same with each corner so much farther from the middle of its polygon.
    pub fn fatter(&self, by: f64) -> Self {
        let fatter = |corners: &Vec<Place>| {
            let middle = [0, 1]
                .map(|axis| corners.iter().map(|c| c[axis]).sum::<f64>() / corners.len() as f64);
            let farther = |corner: &Place| {
                let share = 1.0 + by / distance(middle, *corner);
                [0, 1].map(|axis| middle[axis] + share * (corner[axis] - middle[axis]))
            };
            corners.iter().map(farther).collect()
        };
        Self(self.0.iter().map(fatter).collect())
    }

    /// Whether the straight way between two places enters no polygon.
    pub fn is_free(&self, from: Place, to: Place) -> bool {
        !self.0.iter().any(|polygon| enters(polygon, from, to))
    }

    /// The length of the shortest way within the unit square: it bends at corners only, so it is that in the
    /// graph of all corners which see each other (Lozano-Perez and Wesley, 1979).
    pub fn shortest(&self, start: Place, goal: Place) -> Option<f64> {
        let inside = |c: &Place| c.iter().all(|value| (0.0..=1.0).contains(value));
        let corners = self.0.iter().flatten().copied().filter(inside);
        let places: Vec<Place> = [start, goal].into_iter().chain(corners).collect();
        let mut graph = UnGraph::<(), f64>::default();
        let nodes: Vec<_> = places.iter().map(|_| graph.add_node(())).collect();
        for (i, &one) in places.iter().enumerate() {
            for (j, &other) in places.iter().enumerate().take(i) {
                if self.is_free(one, other) {
                    graph.add_edge(nodes[i], nodes[j], distance(one, other));
                }
            }
        }
        let lengths = dijkstra(&graph, nodes[0], Some(nodes[1]), |edge| *edge.weight());
        lengths.get(&nodes[1]).copied()
    }
}

fn distance(a: Place, b: Place) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

/// Whether a straight way comes to the inside of a convex polygon: the shares of the way at which it is
/// inside of each side are intervals, and so is what they have in common.
fn enters(polygon: &[Place], from: Place, to: Place) -> bool {
    let (mut first, mut last) = (0.0, 1.0);
    for (i, a) in polygon.iter().enumerate() {
        let b = polygon[(i + 1) % polygon.len()];
        let length = distance(*a, b);
        let depth = |q: Place| {
            ((b[0] - a[0]) * (q[1] - a[1]) - (b[1] - a[1]) * (q[0] - a[0])) / length - HAIR
        };
        let (begins, ends) = (depth(from), depth(to));
        if begins <= 0.0 && ends <= 0.0 {
            return false;
        }
        let crossed = begins / (begins - ends);
        if begins <= 0.0 {
            first = crossed.max(first);
        } else if ends <= 0.0 {
            last = crossed.min(last);
        }
    }
    first < last || (from == to && first == 0.0)
}

impl World for Polygons {
    type Error = Infallible;
    fn is_free(&mut self, q: &[f64]) -> Result<bool, Infallible> {
        let q = [q[0], q[1]];
        Ok(Polygons::is_free(self, q, q))
    }
    fn can_prove(&self) -> bool {
        true
    }
    fn prove(&mut self, stretches: &mut Stretches<'_>) -> Result<(), Infallible> {
        stretches.answer_each(|middle, half| {
            let end = |way: f64| [0, 1].map(|axis| middle[axis] + way * half[axis]);
            Ok(proof(Polygons::is_free(self, end(-1.0), end(1.0))))
        })
    }
}

fn proof(is_free: bool) -> Proof {
    match is_free {
        true => Proof::Free,
        false => Proof::Blocked,
    }
}

/// The wall: what lies between these places on the first axis.
pub const WALL: [f64; 2] = [0.45, 0.55];

/// A wall across the unit cube with a box-shaped window, which has an interval for each axis but the first.
#[derive(Debug, Clone)]
pub struct Window(pub Vec<[f64; 2]>);

impl Window {
    fn holds(&self, q: &[f64]) -> bool {
        let inside =
            |([low, high], value): (&[f64; 2], &f64)| (low - HAIR..=high + HAIR).contains(value);
        self.0.iter().zip(&q[1..]).all(inside)
    }

    /// Whether the straight way between two places is free: the wall's part of it is in the window if its
    /// ends are.
    pub fn is_free(&self, from: &[f64], to: &[f64]) -> bool {
        let way = to[0] - from[0];
        let share = |at: f64| ((at - from[0]) / way).clamp(0.0, 1.0);
        let within = |q: &[f64]| WALL[0] + HAIR < q[0] && q[0] < WALL[1] - HAIR;
        if way == 0.0 {
            return !within(from) || (self.holds(from) && self.holds(to));
        }
        let shares = WALL.map(share);
        let at = |share: f64| -> Vec<f64> {
            let ends = from.iter().zip(to);
            ends.map(|(a, b)| a + share * (b - a)).collect()
        };
        shares[0] == shares[1] || shares.iter().all(|&share| self.holds(&at(share)))
    }

    /// The length of the shortest way from before the wall to behind it, to within `error` and not below: of
    /// all ways that enter the window at one place and leave it at another, each length a convex function of
    /// these two. Gradients are followed until by convexity no other two places can be better by more.
    pub fn shortest(&self, start: &[f64], goal: &[f64], error: f64) -> f64 {
        // How fast the gradient changes at most: each length by one over the least that it can be.
        let thick = WALL[1] - WALL[0];
        let steepest = 1.0 / (WALL[0] - start[0]).min(goal[0] - WALL[1]) + 2.0 / thick;
        let beside = |q: &[f64], other: &[f64], depth: f64| {
            let squares = q.iter().zip(other).map(|(a, b)| (a - b).powi(2));
            (depth * depth + squares.sum::<f64>()).sqrt()
        };
        let nearest = |end: &[f64]| -> Vec<f64> {
            let sides = self.0.iter().zip(&end[1..]);
            sides.map(|([low, high], q)| q.clamp(*low, *high)).collect()
        };
        let (mut enters, mut leaves) = (nearest(start), nearest(goal));
        loop {
            let lengths = [
                beside(&start[1..], &enters, WALL[0] - start[0]),
                beside(&enters, &leaves, thick),
                beside(&leaves, &goal[1..], goal[0] - WALL[1]),
            ];
            let mut gap = 0.0;
            for (axis, [low, high]) in self.0.iter().enumerate() {
                let (p, q) = (enters[axis], leaves[axis]);
                let between = (p - q) / lengths[1];
                let slopes = [
                    (p - start[axis + 1]) / lengths[0] + between,
                    (q - goal[axis + 1]) / lengths[2] - between,
                ];
                for (at, slope) in [&mut enters[axis], &mut leaves[axis]]
                    .into_iter()
                    .zip(slopes)
                {
                    gap += (slope * (*at - low)).max(slope * (*at - high));
                    *at = (*at - slope / steepest).clamp(*low, *high);
                }
            }
            if gap <= error {
                return lengths.iter().sum();
            }
        }
    }
}

impl World for Window {
    type Error = Infallible;
    fn is_free(&mut self, q: &[f64]) -> Result<bool, Infallible> {
        Ok(Window::is_free(self, q, q))
    }
    fn can_prove(&self) -> bool {
        true
    }
    fn prove(&mut self, stretches: &mut Stretches<'_>) -> Result<(), Infallible> {
        stretches.answer_each(|middle, half| {
            let end = |way: f64| -> Vec<f64> {
                let axes = middle.iter().zip(half);
                axes.map(|(middle, half)| middle + way * half).collect()
            };
            Ok(proof(Window::is_free(self, &end(-1.0), &end(1.0))))
        })
    }
}

#[test]
fn the_visibility_graph_finds_what_can_be_found_by_hand() {
    let shortest =
        |polygons: Vec<Vec<Place>>, start, goal| Polygons(polygons).shortest(start, goal);
    let close = |found: Option<f64>, expected: f64| {
        assert!((found.unwrap() - expected).abs() < 1e-12, "{found:?}");
    };
    let [left, right] = [[0.1, 0.5], [0.9, 0.5]];
    close(shortest(vec![], left, right), 0.8);
    // Around a square, over it as well as below.
    let square = Polygons::rectangle([0.4, 0.6], [0.4, 0.6]);
    close(
        shortest(vec![square.clone()], left, right),
        2.0 * 0.3f64.hypot(0.1) + 0.2,
    );
    // Below it is not as far where it lies higher, and touching it is allowed.
    let higher = Polygons::rectangle([0.4, 0.6], [0.45, 0.9]);
    close(
        shortest(vec![higher], left, right),
        2.0 * 0.3f64.hypot(0.05) + 0.2,
    );
    let touched = Polygons::rectangle([0.4, 0.6], [0.5, 0.9]);
    close(shortest(vec![touched], left, right), 0.8);
    // A triangle's tip.
    let tip = vec![[0.3, 0.0], [0.7, 0.0], [0.5, 0.8]];
    close(shortest(vec![tip], left, right), 2.0 * 0.4f64.hypot(0.3));
    // Two overlapping walls from below and from above that leave an S.
    let walls = vec![
        Polygons::rectangle([0.3, 0.4], [-0.1, 0.7]),
        Polygons::rectangle([0.6, 0.7], [0.3, 1.1]),
    ];
    close(
        shortest(walls, left, right),
        2.0 * 0.2f64.hypot(0.2) + 0.2 + 0.2f64.hypot(0.4),
    );
    // Corners within another polygon are no places to be.
    let cross = vec![
        Polygons::rectangle([0.45, 0.55], [0.3, 0.7]),
        Polygons::rectangle([0.4, 0.6], [0.35, 0.75]),
        Polygons::rectangle([0.35, 0.5], [0.4, 0.45]),
    ];
    close(
        shortest(cross, left, right),
        0.35f64.hypot(0.2) + 0.1 + 0.35f64.hypot(0.2),
    );
    // Nothing leads through a wall from side to side.
    let wall = Polygons::rectangle([0.4, 0.6], [-0.1, 1.1]);
    assert_eq!(shortest(vec![wall], left, right), None);
}

#[test]
fn the_way_through_a_window_is_what_can_be_found_by_hand() {
    let error = 1e-10;
    for dimension in 2..=7 {
        let window = Window(vec![[0.7, 0.9]; dimension - 1]);
        // Straight through it.
        let (start, goal) = (vec![0.1, 0.8], vec![0.9, 0.75]);
        let at = |end: &[f64]| -> Vec<f64> {
            let others = std::iter::repeat_n(end[1], dimension - 1);
            std::iter::once(end[0]).chain(others).collect()
        };
        let beside = ((dimension - 1) as f64).sqrt();
        let found = window.shortest(&at(&start), &at(&goal), error);
        assert!((found - 0.8f64.hypot(0.05 * beside)).abs() < 2.0 * error);
        // The ends opposite each other: to the nearest edge, through, and back.
        let low = [at(&[0.1, 0.3]), at(&[0.9, 0.3])];
        let expected = 2.0 * 0.35f64.hypot(0.4 * beside) + 0.1;
        let found = window.shortest(&low[0], &low[1], error);
        assert!(
            (found - expected).abs() < 2.0 * error,
            "{found} for {expected}"
        );
    }
    // In the plane, as the visibility graph has it.
    for seed in 0..50 {
        let random = Draw::new(seed, 0);
        let low = 0.9 * random.unit(0);
        let window = [low, low + 0.1 * random.unit(1)];
        let polygons = Polygons(vec![
            Polygons::rectangle(WALL, [-0.1, window[0]]),
            Polygons::rectangle(WALL, [window[1], 1.1]),
        ]);
        let ends = [
            [0.4 * random.unit(2), random.unit(3)],
            [0.6 + 0.4 * random.unit(4), random.unit(5)],
        ];
        let expected = polygons.shortest(ends[0], ends[1]).unwrap();
        let found = Window(vec![window]).shortest(&ends[0], &ends[1], error);
        assert!((found - expected).abs() < 1e-8, "{found} for {expected}");
        // And both know the same ways to be free.
        for way in 0..20 {
            let unit = |i: u64| random.unit(10 + 4 * way + i);
            let (from, to) = ([unit(0), unit(1)], [unit(2), unit(3)]);
            assert_eq!(
                polygons.is_free(from, to),
                Window(vec![window]).is_free(&from, &to),
                "{from:?} to {to:?}"
            );
        }
    }
}
