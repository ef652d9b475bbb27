//! Finding near configurations among ever more of them: a k-d tree that grows.
//!
//! Leaves hold their points side by side in memory and are split where they are full, at the middle
//! of their widest side. Every node keeps the bounding box of its points, and the distance from a
//! query to a box is exact on wrapping axes too. Points that are equal never split, so that any
//! number of them can be kept.

use psmp::Space;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

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
    count: usize,
    /// Nodes still to be looked at, with the squared distance to their boxes.
    stack: Vec<(u32, f64)>,
}

impl Near {
    pub fn new(space: &Space) -> Self {
        let mut near = Self {
            space: space.clone(),
            nodes: Vec::new(),
            boxes: Vec::new(),
            count: 0,
            stack: Vec::new(),
        };
        near.clear();
        near
    }

    pub fn clear(&mut self) {
        self.nodes.clear();
        self.boxes.clear();
        self.count = 0;
        self.add_leaf(Vec::new(), Vec::new());
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
            if best.is_none_or(|b| found < b) {
                best = Some(found);
            }
            best.map_or(f64::INFINITY, |b| b.distance)
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

    /// Shows `see` all points that may matter, near boxes first. It answers how far away one may be
    /// that still does.
    fn visit(&mut self, q: &[f64], mut see: impl FnMut(Found) -> f64) {
        if self.count == 0 {
            return;
        }
        let d = self.space.dimension();
        let mut stack = std::mem::take(&mut self.stack);
        stack.clear();
        stack.push((0, 0.0));
        let mut limit = f64::INFINITY;
        while let Some((node, gap)) = stack.pop() {
            // The distance to a box is a sum in another order than the distance itself.
            if gap > limit {
                continue;
            }
            match &self.nodes[node as usize] {
                Node::Leaf { ids, points } => {
                    for (&id, point) in ids.iter().zip(points.chunks_exact(d)) {
                        let distance = self.space.distance(q, point);
                        let most = see(Found { distance, id });
                        limit = most * most * (1.0 + 1e-9);
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
        self.stack = stack;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp::{Axis, roadmap};

    #[test]
    fn it_finds_what_a_scan_finds() {
        let space = Space::new(vec![
            Axis::angle(),
            Axis::new(-1.0, 3.0).unwrap().weighted(0.5).unwrap(),
            Axis::new(0.0, 1.0).unwrap().wrapping(),
        ])
        .unwrap();
        // The same places in numbers from other turns round too.
        let turned = |mut points: Vec<f64>| {
            for (i, q) in points.chunks_exact_mut(3).enumerate() {
                q[0] += std::f64::consts::TAU * [0.0, 1.0, 0.0, -1.0, 3.0][i % 5];
                q[2] += [0.0, 0.0, -2.0, 1.0][i % 4];
            }
            points
        };
        let points = turned(roadmap::uniform(&space, 700, 3));
        let queries = turned(roadmap::uniform(&space, 60, 4));
        let mut near = Near::new(&space);
        assert_eq!(near.nearest(&queries[..3]), None);
        for (i, point) in points.chunks_exact(3).enumerate() {
            near.insert(i as u32, point);
            // Lines and repeated points, as trees that keep intermediate states have.
            if i % 7 == 0 {
                near.insert(1000 + i as u32, point);
            }
        }
        let mut found = Vec::new();
        for q in queries.chunks_exact(3) {
            let mut all = Vec::new();
            for (i, point) in points.chunks_exact(3).enumerate() {
                let distance = space.distance(q, point);
                let id = i as u32;
                all.push(Found { distance, id });
                if i % 7 == 0 {
                    let id = 1000 + id;
                    all.push(Found { distance, id });
                }
            }
            all.sort_unstable();
            assert_eq!(near.nearest(q), Some(all[0]));
            for k in [1, 2, 30, 5000] {
                near.k_nearest(q, k, &mut found);
                assert_eq!(found, all[..k.min(all.len())]);
            }
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
