//! Path shortcutting: straightening a free path by trial.
//!
//! Two random places on the path are joined by a straight motion; where that is free it replaces the
//! way between them. It ends when many attempts in a row have come to nothing. Any path can be
//! straightened, a tree's or a roadmap's.
//!
//! Straightening leads a path close around things, where a robot is likeliest to hit something between
//! two configurations. So a shortcut is taken only if it is [proved](MotionChecker::prove) free all
//! along, as the path was before it was given out.

use crate::checker::MotionChecker;
use crate::checker::World;
use crate::waypoints::Waypoints;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

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

/// A shortcut that saves less than this share of the path is not worth its checks. Without a least
/// gain the corners of a path could be rounded for ever.
const LEAST_GAIN: f64 = 1e-3;

/// How often places are drawn again that lie in one motion, before the attempt counts as in vain.
const REDRAWS: u32 = 8;

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
}

/// A path in the course of being straightened.
#[derive(Debug)]
pub(crate) struct Shortcutting {
    path: Waypoints,
    /// The length of the path up to each of its configurations.
    lengths: Vec<f64>,
    options: ShortcutOptions,
    in_vain: u32,
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

    /// Two places along the path, in order, and the motions that they lie in.
    fn draw(&self, whole: f64, random: &mut Pcg64) -> ([f64; 2], [usize; 2]) {
        let [a, b] = [(); 2].map(|()| random.random::<f64>() * whole);
        let along = [a.min(b), a.max(b)];
        let motions = along.map(|way| {
            let next = self.lengths.partition_point(|&length| length <= way);
            next.clamp(1, self.lengths.len() - 1)
        });
        (along, motions)
    }

    /// One attempt, at most one motion checked.
    pub fn attempt<W: World>(
        &mut self,
        checker: &mut MotionChecker<W>,
        random: &mut Pcg64,
    ) -> Result<Attempt, W::Error> {
        let whole = self.lengths.last().copied().unwrap_or(0.0);
        let (mut along, mut motions) = self.draw(whole, random);
        // Within one motion there is nothing to gain.
        for _ in 0..REDRAWS {
            if motions[0] != motions[1] {
                break;
            }
            (along, motions) = self.draw(whole, random);
        }
        let mut between = 0.0;
        for ((q, motion), way) in self.ends.iter_mut().zip(motions).zip(along) {
            let (from, to) = (self.path.at(motion - 1), self.path.at(motion));
            let length = self.lengths[motion] - self.lengths[motion - 1];
            let share = if length > 0.0 {
                // A configuration that was checked: then what is left of the motion has been.
                let steps = checker.motion(from, to).steps() as f64;
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
        match checker.is_proved_free(from, to)? {
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
/// checker had counted by then, and its length. It is never longer than it was.
///
/// # Errors
/// Whatever keeps the world from an answer.
pub fn shortcut<W: World>(
    path: Waypoints,
    checker: &mut MotionChecker<W>,
    options: ShortcutOptions,
    seed: u64,
    mut watch: impl FnMut(u64, f64),
) -> Result<Waypoints, W::Error> {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut straight = Shortcutting::new(checker.space(), path, options);
    while !straight.is_done() && !checker.is_stopped() {
        if let Attempt::Shorter = straight.attempt(checker, &mut random)? {
            watch(checker.configurations(), straight.path.length());
        }
    }
    Ok(straight.path)
}
