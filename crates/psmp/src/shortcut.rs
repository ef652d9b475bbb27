//! Path shortcutting: straightening a free path by trial.
//!
//! Two random places on the path are joined by a straight motion; where that is free it replaces the
//! way between them. It ends when many attempts in a row have come to nothing. Any path can be
//! straightened, a tree's or a roadmap's.
//!
//! An arm's shortcuts are checked more finely than the path that they straighten was
//! ([`MotionChecker::with_shortcut_step`]). What is left of that path is part of the result, so it is checked as
//! finely before anything else: a path that does not stand that is not straightened at all.

use crate::checker::MotionChecker;
use crate::checker::World;
use crate::waypoints::Waypoints;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use thiserror::Error;

/// What there is to choose about shortcutting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShortcutOptions {
    /// After how many attempts in vain, one after the other, a path counts as straight.
    pub attempts_in_vain: u32,
}

impl Default for ShortcutOptions {
    /// Fifty: a shortcut that one attempt in twenty finds is missed with probability 0.08.
    fn default() -> Self {
        Self {
            attempts_in_vain: 50,
        }
    }
}

/// Why a path was not straightened.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ShortcutError<E> {
    /// A motion of the path is blocked, seen as finely as its shortcuts.
    #[error(
        "motion {motion} of the path, from {from:?} to {to:?}, hits something between the \
         configurations that were asked about"
    )]
    Blocked {
        /// Which one, counted from 1.
        motion: usize,
        /// Its beginning.
        from: Vec<f64>,
        /// Its end.
        to: Vec<f64>,
    },
    /// A motion could not be checked.
    #[error("a motion could not be checked: {0}")]
    Check(E),
}

/// A shortcut that saves less than this share of the path is not worth its checks. Without a least
/// gain the corners of a path could be rounded for ever.
const LEAST_GAIN: f64 = 1e-3;

/// What an attempt has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attempt {
    /// The path is shorter now.
    Shorter,
    /// The straight motion is blocked.
    Blocked,
    /// There was nothing to gain, so nothing was checked.
    Pointless,
    /// The checker's limit was met.
    BrokenOff,
    /// A motion of the path itself is free, seen as finely as its shortcuts are.
    Verified,
    /// This one is not, counted from 1: the path cannot be straightened.
    HitBetween(usize),
}

/// A path in the course of being straightened.
#[derive(Debug)]
pub(crate) struct Shortcutting {
    path: Waypoints,
    /// The length of the path up to each of its configurations.
    lengths: Vec<f64>,
    options: ShortcutOptions,
    in_vain: u32,
    /// Up to which configuration the path has been seen as finely as its shortcuts are.
    verified: usize,
    ends: [Vec<f64>; 2],
}

impl Shortcutting {
    pub fn new(space: &crate::Space, path: Waypoints, options: ShortcutOptions) -> Self {
        let dimension = space.dimension();
        let mut shortcutting = Self {
            path,
            lengths: Vec::new(),
            options,
            in_vain: 0,
            verified: 1,
            ends: [vec![0.0; dimension], vec![0.0; dimension]],
        };
        shortcutting.measure(space);
        shortcutting
    }

    fn measure(&mut self, space: &crate::Space) {
        self.lengths.clear();
        self.lengths.push(0.0);
        let mut sum = 0.0;
        for place in 1..self.path.count() {
            sum += space.distance(self.path.at(place - 1), self.path.at(place));
            self.lengths.push(sum);
        }
    }

    pub fn path(&self) -> &Waypoints {
        &self.path
    }

    /// Whether nothing more is to be gained, as far as can be told.
    pub fn is_done(&self) -> bool {
        self.path.count() < 3 || self.in_vain >= self.options.attempts_in_vain
    }

    /// One attempt, at most one motion checked; at first the path's own, where shortcuts are checked more
    /// finely than other motions.
    pub fn attempt<W: World>(
        &mut self,
        checker: &mut MotionChecker<W>,
        random: &mut Pcg64,
    ) -> Result<Attempt, W::Error> {
        // What is left of the path is part of the result, so it is checked as finely.
        if checker.is_finer_for_shortcuts() && self.verified < self.path.count() {
            let (from, to) = (self.path.at(self.verified - 1), self.path.at(self.verified));
            return Ok(match checker.is_shortcut_free(from, to)? {
                None => Attempt::BrokenOff,
                Some(false) => Attempt::HitBetween(self.verified),
                Some(true) => {
                    self.verified += 1;
                    Attempt::Verified
                }
            });
        }
        self.verified = usize::MAX;
        let whole = self.lengths.last().copied().unwrap_or(0.0);
        let [a, b] = [(); 2].map(|()| random.random::<f64>() * whole);
        let along = [a.min(b), a.max(b)];
        // The motion that each place lies in.
        let motions = along.map(|way| {
            let next = self.lengths.partition_point(|&length| length <= way);
            next.clamp(1, self.lengths.len() - 1)
        });
        let mut between = 0.0;
        for ((q, motion), way) in self.ends.iter_mut().zip(motions).zip(along) {
            let (from, to) = (self.path.at(motion - 1), self.path.at(motion));
            let length = self.lengths[motion] - self.lengths[motion - 1];
            let share = if length > 0.0 {
                // A configuration that was checked: then what is left of the motion has been.
                let steps = checker.shortcut(from, to).steps() as f64;
                let step = (way - self.lengths[motion - 1]) / length * steps;
                step.round() / steps
            } else {
                0.0
            };
            checker.space().interpolate(from, to, share, q);
            between = self.lengths[motion - 1] + share * length - between;
        }
        let [from, to] = &self.ends;
        let gain = between - checker.space().distance(from, to);
        if motions[0] == motions[1] || gain < LEAST_GAIN * whole {
            self.in_vain += 1;
            return Ok(Attempt::Pointless);
        }
        match checker.is_shortcut_free(from, to)? {
            Some(true) => {}
            Some(false) => {
                self.in_vain += 1;
                return Ok(Attempt::Blocked);
            }
            None => return Ok(Attempt::BrokenOff),
        }
        let mut coordinates = Vec::with_capacity(self.path.coordinates().len());
        let all = || self.path.iter();
        all().take(motions[0]).for_each(|q| coordinates.extend(q));
        coordinates.extend(from);
        coordinates.extend(to);
        all().skip(motions[1]).for_each(|q| coordinates.extend(q));
        self.path = Waypoints::new(checker.space(), coordinates);
        self.measure(checker.space());
        self.in_vain = 0;
        Ok(Attempt::Shorter)
    }
}

/// A free path, straightened until nothing more is to be gained or the checker's
/// [limit](MotionChecker::obey) is met, telling `watch` of each shorter path: how many configurations the
/// checker had counted by then, and its length. It is never longer than it was, and where it was
/// straightened all of it is free at the resolution of the checker's shortcuts.
///
/// # Errors
/// If the path is not free at that resolution, or whatever keeps the world from an answer.
pub fn shortcut<W: World>(
    path: Waypoints,
    checker: &mut MotionChecker<W>,
    options: ShortcutOptions,
    seed: u64,
    mut watch: impl FnMut(u64, f64),
) -> Result<Waypoints, ShortcutError<W::Error>> {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut straight = Shortcutting::new(checker.space(), path, options);
    while !straight.is_done() && !checker.is_stopped() {
        let attempt = straight.attempt(checker, &mut random);
        match attempt.map_err(ShortcutError::Check)? {
            Attempt::Shorter => watch(checker.configurations(), straight.path.length()),
            Attempt::HitBetween(motion) => {
                return Err(ShortcutError::Blocked {
                    motion,
                    from: straight.path.at(motion - 1).to_vec(),
                    to: straight.path.at(motion).to_vec(),
                });
            }
            _ => {}
        }
    }
    Ok(straight.path)
}
