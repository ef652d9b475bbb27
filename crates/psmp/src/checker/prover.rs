//! Proving that a motion is free all along, and not only at the configurations that it was asked about.
//!
//! A robot that is far from everything can move some way before it can hit anything. So a world that
//! knows how far away things are can answer for a whole stretch of a motion at once
//! ([`World::prove`]). The motion is cut into equal stretches; those that the world cannot answer for are
//! halved, again and again, until each is proved free or one is blocked. How far that goes is the world's
//! to say: where a stretch has become so short that the robot hardly moves on it, its middle decides.
//!
//! A proof takes more asking than a check of configurations. So it is the last stage: only motions that
//! have passed that check, and are about to be part of a path that is given out, are proved.

use super::prober::World;
use crate::space::Space;
use crate::stop::Limit;

/// What a world knows of a stretch of a motion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proof {
    /// All of it is free.
    Free,
    /// That cannot be told of a stretch so long: it is to be halved.
    Open,
    /// There is a collision on it.
    Blocked,
}

/// Stretches of one straight motion, all of one length, that a world is asked about.
#[derive(Debug)]
pub struct Stretches<'a> {
    middles: &'a [f64],
    half: &'a [f64],
    proofs: &'a mut Vec<Proof>,
}

impl<'a> Stretches<'a> {
    /// The configurations in the middle of each, one after the other.
    #[must_use]
    pub fn middles(&self) -> &'a [f64] {
        self.middles
    }

    /// How far each axis moves from the middle of any of them to its end; the other way round it is as
    /// far to its beginning.
    #[must_use]
    pub fn half(&self) -> &'a [f64] {
        self.half
    }

    /// Answers for the next one.
    pub fn answer(&mut self, proof: Proof) {
        self.proofs.push(proof);
    }

    /// Answers for each by its middle and the half.
    ///
    /// # Errors
    /// The first error of the proofs.
    pub fn answer_each<E>(
        &mut self,
        mut prove: impl FnMut(&[f64], &[f64]) -> Result<Proof, E>,
    ) -> Result<(), E> {
        for middle in self.middles.chunks_exact(self.half.len()) {
            self.proofs.push(prove(middle, self.half)?);
        }
        Ok(())
    }
}

/// A stretch is halved no more often than this: a world that has not decided by then never will.
const MOST_HALVINGS: u32 = 30;

/// What came of proving.
#[derive(Debug)]
pub(super) struct Proved<E> {
    /// Whether the motion is free; nothing while that is not known, because the limit was met or the
    /// world has failed.
    pub free: Option<bool>,
    /// How many stretches the world has answered for.
    pub configurations: u64,
    /// Why the world has not answered for the next ones.
    pub failure: Option<E>,
}

/// Proves motions, one after the other. What was broken off is gone on with if the same motion comes
/// next.
#[derive(Debug, Clone, Default)]
pub(super) struct Prover {
    from: Vec<f64>,
    to: Vec<f64>,
    /// Whether that motion is still to be decided.
    is_underway: bool,
    /// How often the motion has been halved.
    halvings: u32,
    /// The numbers of stretches of this length that are to be asked about, and how many have been.
    open: Vec<u32>,
    asked: usize,
    /// Halves of those that could not be proved.
    halves: Vec<u32>,
    middles: Vec<f64>,
    half: Vec<f64>,
    proofs: Vec<Proof>,
}

impl Prover {
    /// Finds out whether the straight motion is free all along, asking about at most `most` stretches.
    pub fn prove<W: World>(
        &mut self,
        world: &mut W,
        space: &Space,
        [from, to]: [&[f64]; 2],
        most: u64,
        limit: &Limit,
    ) -> Proved<W::Error> {
        // As many at first as take no longer than one.
        let at_once = world.at_once().clamp(1, 64).ilog2();
        if !(self.is_underway && self.from == from && self.to == to) {
            self.begin(from, to, at_once);
        }
        let mut proved = Proved {
            free: None,
            configurations: 0,
            failure: None,
        };
        while self.is_underway {
            if self.asked == self.open.len() {
                self.halve();
                continue;
            }
            let left = most - proved.configurations;
            if left == 0 || limit.interrupts() {
                return proved;
            }
            let these = (self.open.len() - self.asked).min(1 << at_once);
            let these = usize::try_from(left).map_or(these, |left| these.min(left));
            if let Err(failure) = self.ask(world, space, these) {
                proved.failure = Some(failure);
                return proved;
            }
            proved.configurations += these as u64;
            if self.proofs.contains(&Proof::Blocked) {
                self.is_underway = false;
                proved.free = Some(false);
                return proved;
            }
            for (stretch, proof) in self.open[self.asked..].iter().zip(&self.proofs) {
                if *proof == Proof::Open {
                    self.halves.extend([2 * stretch, 2 * stretch + 1]);
                }
            }
            self.asked += these;
            if self.halvings == MOST_HALVINGS && !self.halves.is_empty() {
                self.is_underway = false;
                proved.free = Some(false);
                return proved;
            }
        }
        proved.free = Some(true);
        proved
    }

    fn begin(&mut self, from: &[f64], to: &[f64], halvings: u32) {
        for (mine, given) in [(&mut self.from, from), (&mut self.to, to)] {
            mine.clear();
            mine.extend_from_slice(given);
        }
        self.halvings = halvings;
        self.open.clear();
        self.open.extend(0..1 << halvings);
        self.halves.clear();
        self.asked = 0;
        self.is_underway = true;
    }

    /// Goes on with the halves of what could not be proved; without any, all is proved.
    fn halve(&mut self) {
        std::mem::swap(&mut self.open, &mut self.halves);
        self.halves.clear();
        self.asked = 0;
        self.halvings += 1;
        self.is_underway = !self.open.is_empty();
    }

    /// Asks about the next stretches.
    fn ask<W: World>(
        &mut self,
        world: &mut W,
        space: &Space,
        count: usize,
    ) -> Result<(), W::Error> {
        let dimension = space.dimension();
        // The length of a stretch is the motion's over this; half of it, over twice this.
        let halves = (2u64 << self.halvings) as f64;
        self.half.clear();
        let ends = self.from.iter().zip(&self.to);
        let axes = space.axes().iter().zip(ends);
        let change = axes.map(|(axis, (&a, &b))| axis.difference(a, b) / halves);
        self.half.extend(change);
        self.middles.resize(count * dimension, 0.0);
        let places = self.open[self.asked..].iter();
        for (&stretch, q) in places.zip(self.middles.chunks_exact_mut(dimension)) {
            let share = (2 * u64::from(stretch) + 1) as f64 / halves;
            space.interpolate(&self.from, &self.to, share, q);
        }
        self.proofs.clear();
        world.prove(&mut Stretches {
            middles: &self.middles,
            half: &self.half,
            proofs: &mut self.proofs,
        })?;
        assert_eq!(self.proofs.len(), count, "a proof for each stretch");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Axis;
    use crate::stop::Stop;
    use std::convert::Infallible;

    /// Walls at places of a line, and one along it, where the robot is a point.
    #[derive(Clone)]
    struct Walls {
        places: Vec<f64>,
        beside: f64,
        at_once: u64,
        asked: u64,
    }

    impl World for Walls {
        type Error = Infallible;
        fn is_free(&mut self, q: &[f64]) -> Result<bool, Infallible> {
            Ok(self.places.iter().all(|wall| *wall != q[0]))
        }
        fn at_once(&self) -> u64 {
            self.at_once
        }
        fn can_prove(&self) -> bool {
            true
        }
        fn prove(&mut self, stretches: &mut Stretches<'_>) -> Result<(), Infallible> {
            stretches.answer_each(|middle, half| {
                self.asked += 1;
                let walls = self.places.iter().map(|wall| (wall - middle[0]).abs());
                let clearance = walls.fold(self.beside, f64::min);
                Ok(if clearance > half[0].abs() {
                    Proof::Free
                } else if half[0].abs() < 1e-6 {
                    Proof::Blocked
                } else {
                    Proof::Open
                })
            })
        }
    }

    fn prove(walls: &[f64], beside: f64, at_once: u64, ends: [f64; 2]) -> (Option<bool>, u64) {
        let [from, to] = ends;
        let mut world = Walls {
            places: walls.to_vec(),
            beside,
            at_once,
            asked: 0,
        };
        let space = Space::unit(1);
        let mut prover = Prover::default();
        let none = &Limit::NONE;
        let whole = prover.prove(&mut world, &space, [&[from], &[to]], u64::MAX, none);
        assert_eq!(whole.configurations, world.asked);
        // However it is broken off, the same is found at the same price.
        let (mut prover, mut parts) = (Prover::default(), 0);
        let free = loop {
            let ends = [&[from][..], &[to][..]];
            let part = prover.prove(&mut world, &space, ends, 3, none);
            assert!(part.configurations <= 3);
            parts += part.configurations;
            if part.free.is_some() {
                break part.free;
            }
        };
        assert_eq!(free, whole.free);
        if free == Some(true) {
            assert_eq!(parts, whole.configurations);
        }
        (whole.free, whole.configurations)
    }

    #[test]
    fn walls_between_configurations_are_found_and_room_is_proved() {
        for (at_once, in_all) in [(1, 127), (8, 120)] {
            let asked = |walls: &[f64], beside, ends| prove(walls, beside, at_once, ends);
            assert_eq!(asked(&[], 9.0, [0.0, 1.0]), (Some(true), at_once));
            // Half a stretch is shorter than a hundredth when there are 64.
            assert_eq!(asked(&[], 0.01, [0.0, 1.0]), (Some(true), in_all));
            assert_eq!(asked(&[0.123_456_7], 9.0, [0.0, 1.0]).0, Some(false));
            assert_eq!(asked(&[0.123_456_7], 9.0, [1.0, 0.0]).0, Some(false));
            assert_eq!(asked(&[0.123_456_7], 9.0, [0.123_5, 1.0]).0, Some(true));
            assert_eq!(asked(&[0.5], 9.0, [0.2, 0.2]), (Some(true), at_once));
        }
    }

    #[test]
    fn proofs_go_round_where_an_axis_wraps_and_limits_are_kept() {
        let space = Space::new(vec![Axis::angle()]).unwrap();
        let mut world = Walls {
            places: vec![0.0],
            beside: 9.0,
            at_once: 1,
            asked: 0,
        };
        let mut prover = Prover::default();
        let round = [&[3.0][..], &[-3.0][..]];
        let proved = prover.prove(&mut world, &space, round, 9, &Limit::NONE);
        assert_eq!((proved.free, proved.configurations), (Some(true), 1));
        let stopped = Limit::new(&Stop::when(|| true));
        let proved = prover.prove(&mut world, &space, round, 9, &stopped);
        assert_eq!((proved.free, proved.configurations), (None, 0));
        // Another motion begins anew.
        let through = [&[1.0][..], &[-1.0][..]];
        let proved = prover.prove(&mut world, &space, through, 99, &Limit::NONE);
        assert_eq!(proved.free, Some(false));
    }
}
