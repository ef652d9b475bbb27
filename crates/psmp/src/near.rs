//! Finding near configurations among ever more of them: a k-d tree that grows.
//!
//! Leaves hold their points side by side in memory and are split where they are full, at the middle
//! of their widest side. Every node keeps the bounding box of its points, and the distance from a
//! query to a box is exact on wrapping axes too. Points that are equal never split, so that any
//! number of them can be kept. A tree can stand in front of another that many share: what is added goes into
//! its own, what is looked for is looked for in both.

use crate::space::Space;
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// A leaf that holds more points than this is split, if it can be.
const LEAF: usize = 24;

/// A point found, by its id and distance. Nearer ones are less, ties go by id.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Found {
    pub distance: f64,
    pub id: u32,
}

impl Eq for Found {}

impl Ord for Found {
    fn cmp(&self, other: &Self) -> Ordering {
        self.distance
            .total_cmp(&other.distance)
            .then(self.id.cmp(&other.id))
    }
}

impl PartialOrd for Found {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[derive(Debug, Clone)]
enum Node {
    Leaf {
        ids: Vec<u32>,
        /// One point after the other.
        points: Vec<f64>,
    },
    Split {
        axis: usize,
        /// Points below go left, all others right.
        value: f64,
        left: u32,
        right: u32,
    },
}

/// A set of points with ids of the caller's choice.
#[derive(Debug, Clone)]
pub(crate) struct Near {
    space: Space,
    nodes: Vec<Node>,
    /// Lower bounds, then upper bounds, of each node.
    boxes: Vec<f64>,
    /// The distance to a box is a sum in another order than the distance itself, and turns round an axis
    /// are taken off in another place: what lies this much farther away may be as near.
    slack: f64,
    count: usize,
    /// The tree behind this one, if there is one.
    behind: Option<Arc<Near>>,
    /// Nodes still to be looked at, with the squared distance to their boxes.
    stack: Vec<(u32, f64)>,
}

impl Near {
    pub fn new(space: &Space) -> Self {
        let mut near = Self {
            space: space.clone(),
            nodes: Vec::new(),
            boxes: Vec::new(),
            slack: 1e-9 * space.longest_side(),
            count: 0,
            behind: None,
            stack: Vec::new(),
        };
        near.clear();
        near
    }

    /// A tree in front of another, which has nothing behind it.
    pub fn in_front_of(behind: Arc<Near>) -> Self {
        let mut near = Self::new(&behind.space);
        near.count = behind.count;
        near.behind = Some(behind);
        near
    }

    /// The tree of configurations given one after the other, by their places.
    pub fn of(space: &Space, configurations: &[f64]) -> Self {
        let mut near = Self::new(space);
        for (id, q) in configurations.chunks_exact(space.dimension()).enumerate() {
            near.insert(id as u32, q);
        }
        near
    }

    /// Forgets all, what is behind it too.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.boxes.clear();
        self.behind = None;
        self.count = 0;
        self.add_leaf(Vec::new(), Vec::new());
    }

    pub fn space(&self) -> &Space {
        &self.space
    }

    pub fn count(&self) -> usize {
        self.count
    }

    pub fn insert(&mut self, id: u32, point: &[f64]) {
        self.count += 1;
        let mut node = 0;
        loop {
            self.grow_box(node, point);
            match &mut self.nodes[node as usize] {
                Node::Split {
                    axis,
                    value,
                    left,
                    right,
                } => {
                    node = if point[*axis] < *value { *left } else { *right };
                }
                Node::Leaf { ids, points } => {
                    ids.push(id);
                    points.extend_from_slice(point);
                    if ids.len() > LEAF {
                        self.split(node);
                    }
                    return;
                }
            }
        }
    }

    fn grow_box(&mut self, node: u32, point: &[f64]) {
        let d = self.space.dimension();
        let bounds = &mut self.boxes[node as usize * 2 * d..(node as usize + 1) * 2 * d];
        let (low, high) = bounds.split_at_mut(d);
        for ((low, high), &x) in low.iter_mut().zip(high).zip(point) {
            *low = low.min(x);
            *high = high.max(x);
        }
    }

    fn add_leaf(&mut self, ids: Vec<u32>, points: Vec<f64>) -> u32 {
        let d = self.space.dimension();
        let node = self.nodes.len() as u32;
        self.boxes.extend(std::iter::repeat_n(f64::INFINITY, d));
        self.boxes.extend(std::iter::repeat_n(f64::NEG_INFINITY, d));
        for point in points.chunks_exact(d) {
            self.grow_box(node, point);
        }
        self.nodes.push(Node::Leaf { ids, points });
        node
    }

    fn split(&mut self, node: u32) {
        let d = self.space.dimension();
        let bounds = &self.boxes[node as usize * 2 * d..(node as usize + 1) * 2 * d];
        let spread =
            |axis: usize| self.space.axes()[axis].weight() * (bounds[d + axis] - bounds[axis]);
        let widest = (0..d)
            .max_by(|&a, &b| spread(a).total_cmp(&spread(b)))
            .unwrap_or(0);
        if spread(widest) <= 0.0 {
            return;
        }
        let Node::Leaf { ids, points } = &self.nodes[node as usize] else {
            return;
        };
        let mut values: Vec<f64> = points.iter().skip(widest).step_by(d).copied().collect();
        values.sort_unstable_by(f64::total_cmp);
        // The value nearest the middle that has something below it; not all are equal.
        let middle = values.len() / 2;
        let value = match values[..=middle].iter().rposition(|v| *v > values[0]) {
            Some(place) => values[place],
            None => match values[middle..].iter().find(|v| **v > values[0]) {
                Some(above) => *above,
                None => return,
            },
        };
        let (mut halves, mut parts) = ([Vec::new(), Vec::new()], [Vec::new(), Vec::new()]);
        for (&id, point) in ids.iter().zip(points.chunks_exact(d)) {
            let side = usize::from(point[widest] >= value);
            halves[side].push(id);
            parts[side].extend_from_slice(point);
        }
        let ([below, above], [points_below, points_above]) = (halves, parts);
        let left = self.add_leaf(below, points_below);
        let right = self.add_leaf(above, points_above);
        self.nodes[node as usize] = Node::Split {
            axis: widest,
            value,
            left,
            right,
        };
    }

    /// The squared distance from `q` to the nearest place in a node's box.
    fn squared_distance_to_box(&self, node: u32, q: &[f64]) -> f64 {
        let d = self.space.dimension();
        let bounds = &self.boxes[node as usize * 2 * d..(node as usize + 1) * 2 * d];
        let (lower, upper) = bounds.split_at(d);
        self.space.squared_distance_to_box(q, lower, upper)
    }

    /// The point nearest to `q`, if there is any.
    pub fn nearest(&mut self, q: &[f64]) -> Option<Found> {
        let mut best: Option<Found> = None;
        self.visit(q, |found| {
            let nearest = best.map_or(found, |best| best.min(found));
            best = Some(nearest);
            nearest.distance
        });
        best
    }

    /// Writes the `k` points nearest to `q` into `nearest`, nearest first; fewer if there are fewer.
    pub fn k_nearest(&mut self, q: &[f64], k: usize, nearest: &mut Vec<Found>) {
        nearest.clear();
        if k == 0 {
            return;
        }
        // The farthest of those kept is on top; the memory is the caller's.
        let mut kept = BinaryHeap::from(std::mem::take(nearest));
        self.visit(q, |found| {
            if kept.len() < k {
                kept.push(found);
            } else if let Some(mut farthest) = kept.peek_mut()
                && found < *farthest
            {
                *farthest = found;
            }
            if kept.len() < k {
                f64::INFINITY
            } else {
                kept.peek().map_or(f64::INFINITY, |f| f.distance)
            }
        });
        *nearest = kept.into_sorted_vec();
    }

    /// Writes all points at most `radius` from `q` into `found`, in no particular order.
    pub fn within(&mut self, q: &[f64], radius: f64, within: &mut Vec<Found>) {
        within.clear();
        self.visit(q, |found| {
            if found.distance <= radius {
                within.push(found);
            }
            radius
        });
    }

    /// Shows `see` all points that may matter, near boxes first. It answers how far away one may be
    /// that still does.
    fn visit(&mut self, q: &[f64], mut see: impl FnMut(Found) -> f64) {
        let mut stack = std::mem::take(&mut self.stack);
        let mut limit = f64::INFINITY;
        if let Some(behind) = &self.behind {
            behind.visit_own(q, &mut stack, &mut limit, &mut see);
        }
        self.visit_own(q, &mut stack, &mut limit, &mut see);
        self.stack = stack;
    }

    /// The same for the points of this tree, as far as the limit allows, the square of a distance.
    fn visit_own(
        &self,
        q: &[f64],
        stack: &mut Vec<(u32, f64)>,
        limit: &mut f64,
        see: &mut impl FnMut(Found) -> f64,
    ) {
        let d = self.space.dimension();
        stack.clear();
        stack.push((0, 0.0));
        while let Some((node, gap)) = stack.pop() {
            if gap > *limit {
                continue;
            }
            match &self.nodes[node as usize] {
                Node::Leaf { ids, points } => {
                    for (&id, point) in ids.iter().zip(points.chunks_exact(d)) {
                        let squared = self.space.squared_distance(q, point);
                        // Most points are too far away, which the square tells.
                        if squared > *limit {
                            continue;
                        }
                        let distance = squared.sqrt();
                        *limit = (see(Found { distance, id }) + self.slack).powi(2);
                    }
                }
                Node::Split { left, right, .. } => {
                    let gaps = [*left, *right].map(|n| (n, self.squared_distance_to_box(n, q)));
                    // The nearer one is looked at first, so it goes on top.
                    let [a, b] = gaps;
                    let (far, near) = if a.1 < b.1 { (b, a) } else { (a, b) };
                    stack.extend([far, near]);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Axis;
    use proptest::prelude::*;

    /// A space of 1 to 10 axes, each plain or wrapping, with points in it whose angles are given in
    /// any turn, and a query of the same kind.
    fn points() -> impl Strategy<Value = (Space, Vec<Vec<f64>>, Vec<f64>)> {
        let axis = (-5.0..5.0f64, 0.1..9.0f64, 0.2..5.0f64, any::<bool>());
        prop::collection::vec(axis, 1..=10).prop_flat_map(|axes| {
            let made = axes.iter().map(|&(lower, extent, weight, wraps)| {
                let axis = Axis::new(lower, lower + extent).unwrap();
                let axis = axis.weighted(weight).unwrap();
                if wraps { axis.wrapping() } else { axis }
            });
            let space = Space::new(made.collect()).unwrap();
            let values: Vec<_> = axes
                .iter()
                .map(|&(lower, extent, _, wraps)| {
                    // Few places, so that some are equal; and other turns round.
                    let turns = if wraps { -3..4 } else { 0..1 };
                    (0..64u32, turns).prop_map(move |(place, turn)| {
                        lower + extent * (f64::from(place) / 64.0 + f64::from(turn))
                    })
                })
                .collect();
            let all = prop::collection::vec(values.clone(), 0..200);
            (Just(space), all, values)
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]
        #[test]
        fn it_finds_what_a_scan_finds((space, points, q) in points(), k in 0..40usize, radius in 0.0..10.0f64) {
            // Some of them behind the others, or none.
            let mut near = Near::new(&space);
            let behind = points.len().checked_div(k % 3).unwrap_or(0);
            let mut all = Vec::new();
            for (id, point) in (0..).zip(&points) {
                if id as usize == behind && behind > 0 {
                    near = Near::in_front_of(Arc::new(near));
                }
                near.insert(id, point);
                all.push(Found { distance: space.distance(&q, point), id });
            }
            all.sort_unstable();
            prop_assert_eq!(near.count(), points.len());
            prop_assert_eq!(near.nearest(&q), all.first().copied());
            let mut found = Vec::new();
            near.k_nearest(&q, k, &mut found);
            prop_assert_eq!(&found[..], &all[..k.min(all.len())]);
            near.within(&q, radius, &mut found);
            found.sort_unstable();
            all.retain(|f| f.distance <= radius);
            prop_assert_eq!(&found, &all);
            // Whatever number a place is given by, the same is found.
            let canonical = space.canonical(&q);
            prop_assert!(space.contains(&canonical) && space.distance(&canonical, &q) < 1e-9);
            near.k_nearest(&canonical, k, &mut found);
            let farther = found.iter().zip(&all);
            prop_assert!(farther.into_iter().all(|(a, b)| (a.distance - b.distance).abs() < 1e-9));
        }
    }

    #[test]
    fn equal_points_and_lines_are_kept() {
        let mut near = Near::new(&Space::unit(2));
        for i in 0..500 {
            near.insert(i, &[0.5, 0.5]);
        }
        for i in 500..2500 {
            near.insert(i, &[0.5, f64::from(i) / 2500.0]);
        }
        assert_eq!(near.count(), 2500);
        assert_eq!(near.nearest(&[0.0, 0.5]).unwrap().id, 0);
        assert_eq!(near.nearest(&[0.9, 1.0]).unwrap().id, 2499);
    }
}
