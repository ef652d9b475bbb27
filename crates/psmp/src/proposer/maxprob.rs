//! MaxProb: the path most likely to be free.
//!
//! It proposes the fewest paths until one is free, if edges are independent, and at most four times
//! as many otherwise. With the first free path it has reached what it is for; it can be told to go
//! on to the shortest path like an optimist.

use super::{Proposal, Proposer, View};
use crate::belief::Belief;

/// The path of greatest probability.
#[derive(Debug, Clone, Copy, Default)]
pub struct MaxProb {
    goes_on: bool,
}

impl MaxProb {
    /// A MaxProb that after its first path goes on to the shortest, optimistically.
    #[must_use]
    pub fn to_the_optimum() -> Self {
        Self { goes_on: true }
    }
}

impl<B: Belief> Proposer<B> for MaxProb {
    fn propose(&mut self, view: &mut View<'_, B>) -> Proposal {
        let found = if view.best_length().is_finite() {
            if !self.goes_on {
                return Proposal::Done;
            }
            view.optimistic_path()
        } else {
            view.most_likely_path()
        };
        if found {
            Proposal::Path
        } else {
            Proposal::Exhausted
        }
    }
}
