//! POMP: the Pareto-optimal motion planner.
//!
//! It minimises `alpha * length - (1 - alpha) * log P(free)`. Alpha starts at 0, the most likely
//! path, and takes a step with every path that turns out free, until at 1 only length counts: the
//! optimist's path, whose success ends the search.

use super::{Proposal, Proposer, Tradeoff, View};
use crate::belief::Belief;

/// In how many steps alpha goes from 0 to 1; ten in the original paper.
const STEPS: u32 = 10;

/// The trade-off between length and probability.
#[derive(Debug, Clone, Copy, Default)]
pub struct Pomp {
    /// Alpha in tenths, so that ten steps of a tenth make exactly 1.
    step: u32,
}

impl Pomp {
    /// The weight of length against probability now.
    #[must_use]
    pub fn alpha(&self) -> f64 {
        f64::from(self.step) / f64::from(STEPS)
    }
}

impl<B: Belief> Proposer<B> for Pomp {
    fn propose(&mut self, view: &mut View<'_, B>) -> Proposal {
        while self.step < STEPS {
            let found = match self.step {
                0 => view.most_likely_path(),
                _ => view.tradeoff_path(Tradeoff::new(self.alpha(), 1.0 - self.alpha())),
            };
            if found {
                return Proposal::Path;
            }
            if view.is_interrupted() {
                return Proposal::NoImprovement;
            }
            // The belief rules every path out: only at alpha = 1 it has no say.
            self.step = STEPS;
        }
        if view.optimistic_path() {
            Proposal::Path
        } else {
            Proposal::Done
        }
    }

    fn path_was_free(&mut self) {
        self.step = (self.step + 1).min(STEPS);
    }
}
