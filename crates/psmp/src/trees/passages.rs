//! Narrow passages, for a search that takes long.
//!
//! Two things make a tree find a door. *Bridges* (Hsu, Jiang, Reif and Sun, 2003): a free configuration midway
//! between two that are in collision is likely in a passage, so it is worth exploring towards. And the *reach* of a
//! node (Yershova, Jaillet, Siméon and LaValle, 2005; Jaillet and others, 2005): where motions from a node are blocked
//! it need not be tried from there what lies far behind the wall. Such draws are thrown away, which costs no check.

use crate::Space;
use rand::RngExt;
use rand_pcg::Pcg64;

/// How many configurations in collision are remembered: one end of each bridge is among them.
const REMEMBERED: usize = 256;
/// How many halvings shorter than a motion a bridge is at most.
const HALVINGS: f64 = 4.0;
/// A node's reach, once a motion from there was blocked, as a share of the longest motion: at first, and at least.
const FIRST_REACH: f64 = 1.0;
const LEAST_REACH: f64 = 0.02;
/// What it is multiplied by when a motion is blocked, and when one is free.
const SHRINKS: f64 = 0.9;
const GROWS: f64 = 1.1;

/// What two trees have met that tells of passages.
#[derive(Debug)]
pub(super) struct Passages {
    /// How long a motion is at most.
    range: f64,
    /// The configurations in collision that were met last, one after the other, and where the next one goes.
    collisions: Vec<f64>,
    next: usize,
    /// Where the bridge begins that was drawn last.
    pier: Vec<f64>,
    /// The reach of each node of both trees; infinite where there is none.
    reaches: [Vec<f64>; 2],
}

impl Passages {
    pub fn new(space: &Space, range: f64) -> Self {
        Self {
            range,
            collisions: Vec::new(),
            next: 0,
            pier: vec![0.0; space.dimension()],
            reaches: Default::default(),
        }
    }

    /// This configuration is in collision; where a proof has found none it is empty.
    pub fn remember(&mut self, q: &[f64]) {
        if q.is_empty() {
            return;
        }
        if self.collisions.len() < REMEMBERED * q.len() {
            self.collisions.extend_from_slice(q);
        } else {
            self.collisions[self.next..self.next + q.len()].copy_from_slice(q);
            self.next = (self.next + q.len()) % self.collisions.len();
        }
    }

    /// How far from a node of a tree something may be that it explores towards.
    pub fn reach(&self, tree: usize, node: u32) -> f64 {
        let reach = self.reaches[tree].get(node as usize);
        reach.copied().unwrap_or(f64::INFINITY)
    }

    /// A tree has explored from a node.
    pub fn explored(&mut self, tree: usize, node: u32, free: bool) {
        let reaches = &mut self.reaches[tree];
        if reaches.len() <= node as usize {
            reaches.resize(node as usize + 1, f64::INFINITY);
        }
        let reach = &mut reaches[node as usize];
        *reach = match free {
            true => *reach * GROWS,
            false if reach.is_finite() => f64::max(*reach * SHRINKS, self.range * LEAST_REACH),
            false => self.range * FIRST_REACH,
        };
    }

    /// Draws where a bridge may end that begins at a configuration in collision. False if none is known.
    pub fn draw_end(&mut self, space: &Space, random: &mut Pcg64, end: &mut [f64]) -> bool {
        let dimension = space.dimension();
        if self.collisions.is_empty() {
            return false;
        }
        let place = random.random_range(0..self.collisions.len() / dimension) * dimension;
        let pier = &self.collisions[place..place + dimension];
        self.pier.copy_from_slice(pier);
        let mut squares = 0.0;
        for x in end.iter_mut() {
            *x = (0..3).map(|_| 2.0 * random.random::<f64>() - 1.0).sum();
            squares += *x * *x;
        }
        let length = self.range * (-HALVINGS * random.random::<f64>()).exp2();
        let scale = length / squares.sqrt().max(f64::MIN_POSITIVE);
        for ((x, pier), axis) in end.iter_mut().zip(&self.pier).zip(space.axes()) {
            *x = pier + scale * *x / axis.weight();
            if !axis.wraps() {
                *x = x.clamp(axis.lower(), axis.upper());
            }
        }
        space.make_canonical(end);
        true
    }

    /// The middle of the bridge that was drawn last, which ends here.
    pub fn middle(&self, space: &Space, end: &[f64], middle: &mut [f64]) {
        space.interpolate(&self.pier, end, 0.5, middle);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn bridges_begin_in_collision_and_are_no_longer_than_a_motion() {
        let space = Space::unit(3);
        let mut passages = Passages::new(&space, 0.1);
        let mut random = Pcg64::seed_from_u64(1);
        let (mut end, mut middle) = ([0.0; 3], [0.0; 3]);
        assert!(!passages.draw_end(&space, &mut random, &mut end));
        for i in 0..2 * REMEMBERED {
            passages.remember(&[
                0.25 + 0.5 * (i as f64 / REMEMBERED as f64).fract(),
                0.5,
                0.0,
            ]);
        }
        assert_eq!(passages.collisions.len(), 3 * REMEMBERED);
        let mut longest = 0.0f64;
        for _ in 0..1000 {
            assert!(passages.draw_end(&space, &mut random, &mut end));
            assert!(space.contains(&end) && passages.pier[1] == 0.5);
            let length = space.distance(&passages.pier, &end);
            longest = longest.max(length);
            passages.middle(&space, &end, &mut middle);
            assert!((space.distance(&middle, &end) - 0.5 * length).abs() < 1e-12);
        }
        assert!(longest <= 0.1 + 1e-12 && longest > 0.08, "{longest}");
    }

    #[test]
    fn a_node_that_is_blocked_reaches_less_far_and_one_that_is_not_farther() {
        let mut passages = Passages::new(&Space::unit(2), 0.1);
        assert_eq!(passages.reach(1, 7), f64::INFINITY);
        passages.explored(1, 7, true);
        assert_eq!(passages.reach(1, 7), f64::INFINITY);
        passages.explored(1, 7, false);
        assert_eq!(passages.reach(1, 7), 0.1);
        assert_eq!(passages.reach(0, 7), f64::INFINITY, "the other tree's");
        passages.explored(1, 7, false);
        let reach = passages.reach(1, 7);
        assert!(reach < 0.1);
        passages.explored(1, 7, true);
        assert!(passages.reach(1, 7) > reach);
        (0..1000).for_each(|_| passages.explored(1, 7, false));
        assert_eq!(passages.reach(1, 7), 0.1 * LEAST_REACH);
    }
}
