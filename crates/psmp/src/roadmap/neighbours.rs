//! Finding near configurations: a k-d tree over the metric of a [`Space`].
//!
//! The public k-d trees fix the dimension at compile time and know no wrapping axes; a roadmap
//! needs the dimension at run time and angles that wrap. Every node keeps the bounding box of its
//! points, and the distance from a query to a box is exact on wrapping axes too, so no image
//! points are needed.

use crate::space::Space;

/// Points in a leaf are compared one by one; below this many that is faster than descending.
const LEAF: usize = 12;

struct Node {
    /// The points of this subtree are `order[begin..end]`.
    begin: u32,
    end: u32,
    /// The right child; the left child is the next node. 0 marks a leaf.
    right: u32,
}

/// A static tree over configurations given one after the other.
pub(super) struct Neighbours<'a> {
    space: &'a Space,
    coordinates: &'a [f64],
    order: Vec<u32>,
    nodes: Vec<Node>,
    /// Lower bounds, then upper bounds, of each node.
    boxes: Vec<f64>,
}

impl<'a> Neighbours<'a> {
    pub(super) fn new(space: &'a Space, coordinates: &'a [f64]) -> Self {
        let count = coordinates.len() / space.dimension();
        let mut tree = Self {
            space,
            coordinates,
            order: (0..count as u32).collect(),
            nodes: Vec::new(),
            boxes: Vec::new(),
        };
        if count > 0 {
            tree.split(0, count);
        }
        tree
    }

    fn point(&self, id: u32) -> &'a [f64] {
        let d = self.space.dimension();
        &self.coordinates[id as usize * d..(id as usize + 1) * d]
    }

    fn split(&mut self, begin: usize, end: usize) -> u32 {
        let d = self.space.dimension();
        let node = self.nodes.len();
        self.nodes.push(Node {
            begin: begin as u32,
            end: end as u32,
            right: 0,
        });
        let start = self.boxes.len();
        self.boxes.resize(start + d, f64::INFINITY);
        self.boxes.resize(start + 2 * d, f64::NEG_INFINITY);
        for i in begin..end {
            let point = self.point(self.order[i]);
            for (axis, &value) in point.iter().enumerate() {
                let low = &mut self.boxes[start + axis];
                *low = low.min(value);
                let high = &mut self.boxes[start + d + axis];
                *high = high.max(value);
            }
        }
        if end - begin > LEAF {
            let spread = |axis: usize| {
                self.space.axes()[axis].weight()
                    * (self.boxes[start + d + axis] - self.boxes[start + axis])
            };
            let widest = (0..d)
                .max_by(|&a, &b| spread(a).total_cmp(&spread(b)))
                .unwrap_or(0);
            let middle = (begin + end) / 2;
            let coordinates = self.coordinates;
            let key = |id: &u32| coordinates[*id as usize * d + widest];
            self.order[begin..end].select_nth_unstable_by(middle - begin, |a, b| {
                key(a).total_cmp(&key(b)).then(a.cmp(b))
            });
            self.split(begin, middle);
            self.nodes[node].right = self.split(middle, end);
        }
        node as u32
    }

    /// The squared distance from `q` to the nearest place in a node's box.
    fn squared_distance_to_box(&self, node: u32, q: &[f64]) -> f64 {
        let d = self.space.dimension();
        let bounds = &self.boxes[node as usize * 2 * d..(node as usize + 1) * 2 * d];
        let (lower, upper) = bounds.split_at(d);
        self.space.squared_distance_to_box(q, lower, upper)
    }

    /// Calls `found` with every point within `radius` of `q`, in no particular order.
    pub(super) fn within(&self, q: &[f64], radius: f64, mut found: impl FnMut(u32, f64)) {
        // The box distance is a sum in another order than the distance itself: leave it room.
        let bound = radius * radius * (1.0 + 1e-9);
        let mut stack = vec![0u32];
        if self.nodes.is_empty() {
            return;
        }
        while let Some(node) = stack.pop() {
            if self.squared_distance_to_box(node, q) > bound {
                continue;
            }
            let Node { begin, end, right } = self.nodes[node as usize];
            if right != 0 {
                stack.extend([right, node + 1]);
                continue;
            }
            for &id in &self.order[begin as usize..end as usize] {
                let distance = self.space.distance(q, self.point(id));
                if distance <= radius {
                    found(id, distance);
                }
            }
        }
    }

    /// The `k` nearest points to `q` (fewer if there are fewer), nearest first, ties by id.
    pub(super) fn nearest(&self, q: &[f64], k: usize) -> Vec<(u32, f64)> {
        let mut best: Vec<(u32, f64)> = Vec::with_capacity(k + 1);
        if self.nodes.is_empty() || k == 0 {
            return best;
        }
        let mut stack = vec![(0u32, 0.0)];
        while let Some((node, bound)) = stack.pop() {
            let worst = match best.last() {
                Some(&(_, distance)) if best.len() == k => distance * distance * (1.0 + 1e-9),
                _ => f64::INFINITY,
            };
            if bound > worst {
                continue;
            }
            let Node { begin, end, right } = self.nodes[node as usize];
            if right != 0 {
                let mut children =
                    [right, node + 1].map(|child| (child, self.squared_distance_to_box(child, q)));
                // The nearer child is popped first, so that it can rule the farther one out.
                if children[0].1 < children[1].1 {
                    children.swap(0, 1);
                }
                stack.extend(children);
                continue;
            }
            for &id in &self.order[begin as usize..end as usize] {
                let distance = self.space.distance(q, self.point(id));
                let place =
                    best.partition_point(|&(i, d)| d.total_cmp(&distance).then(i.cmp(&id)).is_lt());
                if place < k {
                    best.insert(place, (id, distance));
                    best.truncate(k);
                }
            }
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roadmap::uniform;
    use crate::space::Axis;

    #[test]
    fn agrees_with_brute_force_across_a_wrapping_axis() {
        let space = Space::new(vec![
            Axis::angle(),
            Axis::new(0.0, 2.0).unwrap().weighted(1.7).unwrap(),
            Axis::new(-1.0, 1.0).unwrap().wrapping(),
        ])
        .unwrap();
        // The same places in numbers from other turns round too.
        let turned = |mut points: Vec<f64>| {
            for (i, q) in points.chunks_exact_mut(3).enumerate() {
                q[0] += std::f64::consts::TAU * [0.0, 1.0, 0.0, -1.0, 3.0][i % 5];
                q[2] += 2.0 * [0.0, 0.0, -2.0, 1.0][i % 4];
            }
            points
        };
        let points = turned(uniform(&space, 700, 3));
        let tree = Neighbours::new(&space, &points);
        for q in turned(uniform(&space, 60, 4)).chunks_exact(3) {
            let mut all: Vec<(u32, f64)> = points
                .chunks_exact(3)
                .enumerate()
                .map(|(i, p)| (i as u32, space.distance(q, p)))
                .collect();
            all.sort_by(|a, b| a.1.total_cmp(&b.1));
            assert_eq!(tree.nearest(q, 9), all[..9]);
            let mut found = Vec::new();
            tree.within(q, 0.8, |id, _| found.push(id));
            found.sort_unstable();
            let mut expected: Vec<u32> = all
                .iter()
                .filter(|(_, d)| *d <= 0.8)
                .map(|(i, _)| *i)
                .collect();
            expected.sort_unstable();
            assert_eq!(found, expected);
        }
    }

    #[test]
    fn repeated_points_are_no_trouble() {
        let space = Space::unit(2);
        let points = vec![0.5; 200];
        let tree = Neighbours::new(&space, &points);
        assert_eq!(tree.nearest(&[0.5, 0.5], 3).len(), 3);
    }
}
