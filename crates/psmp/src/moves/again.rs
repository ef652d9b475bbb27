//! Beginning again: another search with other random numbers, because no move on a path can lead it round
//! the other side of an obstacle.
//!
//! A round is RRTConnect among the configurations that can still matter, and moves on the path that it
//! finds, until that is the best path or is not likely to become it. How much another round is worth is
//! told by those before. Of `n + 1` paths found alike the last is the shortest with probability `1 / (n + 1)`,
//! and what it is shorter by then is about what the best of them is shorter by than the second best.

use super::{Attempt, Chances, OnPath, Prospect};
use crate::checker::World;
use crate::trees::{RrtConnectOptions, Run, Step, TwoTrees};
use crate::waypoints::Waypoints;
use rand_pcg::Pcg64;

/// After so many attempts in vain, one after the other, a path that is not the best is given up.
const IN_VAIN: u32 = 12;
/// A search that takes so many times what a round costs in the mean is given up.
const TOO_LONG: f64 = 4.0;
/// Before there are two paths, the next one takes so much of what the best has over the straight line.
const FIRST_GAIN: f64 = 0.25;

/// What a step of a round has come to.
#[derive(Debug)]
pub(crate) enum Round {
    /// A motion was checked, free or not.
    Probed(bool),
    /// The round has ended, with this path if it is a better one.
    Ended(Option<Waypoints>),
}

#[derive(Debug)]
enum Phase {
    Idle,
    Searching(Box<TwoTrees>),
    Shortening(Box<OnPath>),
}

/// Searches begun again.
#[derive(Debug)]
pub(crate) struct Again {
    options: RrtConnectOptions,
    phase: Phase,
    /// The lengths of the paths that rounds have ended with, the two shortest.
    shortest: [f64; 2],
    /// How many rounds there were, the first search among them; how many of them have found a path, and what
    /// those have cost.
    rounds: f64,
    found: f64,
    spent: f64,
    /// What the round in progress has cost so far.
    spent_now: u64,
}

impl Again {
    /// Before the first search has ended.
    pub fn new(options: RrtConnectOptions) -> Self {
        Self {
            options,
            phase: Phase::Idle,
            shortest: [f64::INFINITY; 2],
            rounds: 1.0,
            found: 1.0,
            spent: 0.0,
            spent_now: 0,
        }
    }

    /// The expected improvement for each configuration of another round.
    pub fn rate(&self, best: f64, lower_bound: f64) -> f64 {
        let second = self.shortest.into_iter().find(|&length| length > best);
        let gain = match second {
            Some(second) if second.is_finite() => second - best,
            _ => FIRST_GAIN * (best - lower_bound),
        };
        // A round that takes long may take as long again.
        let price = self.price().max(self.spent_now as f64);
        let prospect = Prospect {
            probability: 1.0 / (self.rounds + 1.0),
            improvement: gain.min(best - lower_bound),
            price,
            refuting: price,
        };
        prospect.rate()
    }

    /// What a round costs in the mean that finds a path.
    fn price(&self) -> f64 {
        (self.spent / self.found).max(1.0)
    }

    /// What the first search has cost.
    pub fn count_first(&mut self, configurations: u64) {
        self.spent += configurations as f64;
    }

    /// What moves on the best path have cost: before the second search they are part of the first round.
    pub fn count_moves(&mut self, configurations: u64) {
        if self.rounds < 2.0 {
            self.spent += configurations as f64;
        }
    }

    /// A step of the round in progress, or of a new one. Nothing if the limit was met before there was
    /// anything to say.
    pub fn step<W: World>(
        &mut self,
        run: &mut Run<W>,
        chances: &mut Chances,
        random: &mut Pcg64,
    ) -> Result<Option<Round>, W::Error> {
        if let Phase::Idle = self.phase {
            let trees = TwoTrees::new(run, self.options).within(run.best_length());
            self.phase = Phase::Searching(Box::new(trees));
        }
        let is_searching = matches!(self.phase, Phase::Searching(_));
        if is_searching && self.spent_now as f64 > TOO_LONG * self.price() {
            self.end(f64::INFINITY);
            return Ok(Some(Round::Ended(None)));
        }
        let before = run.checker.configurations();
        let step = match &mut self.phase {
            Phase::Idle => unreachable!("a round was just begun"),
            Phase::Searching(trees) => match trees.step(run)? {
                None => None,
                Some(Step::Probed(free)) => Some(Round::Probed(free)),
                Some(Step::Joined(path)) => {
                    let on_path = OnPath::new(run.checker.space(), path);
                    self.phase = Phase::Shortening(Box::new(on_path));
                    Some(Round::Probed(true))
                }
            },
            Phase::Shortening(on_path) => {
                let length = on_path.path().length();
                let is_hopeless = on_path.in_vain >= IN_VAIN
                    || on_path.propose(&run.checker, chances, random) <= 0.0;
                if length < run.best_length() || is_hopeless {
                    let path = on_path.path().clone();
                    self.end(path.length());
                    let better = path.length() < run.best_length();
                    return Ok(Some(Round::Ended(better.then_some(path))));
                }
                match on_path.attempt(&mut run.checker, chances)? {
                    Attempt::BrokenOff => None,
                    Attempt::Shorter => Some(Round::Probed(true)),
                    Attempt::Blocked => Some(Round::Probed(false)),
                }
            }
        };
        self.spent_now += run.checker.configurations() - before;
        Ok(step)
    }

    fn end(&mut self, length: f64) {
        self.phase = Phase::Idle;
        self.rounds += 1.0;
        let spent = std::mem::take(&mut self.spent_now) as f64;
        if length.is_finite() {
            self.found += 1.0;
            self.spent += spent;
        }
        let [first, second] = self.shortest;
        self.shortest = if length < first {
            [length, first]
        } else {
            [first, second.min(length)]
        };
    }
}
