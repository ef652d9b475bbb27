//! Posterior Sampling for Motion Planning.
//!
//! Draw a world from the belief and propose its shortest path. A path is so proposed exactly as
//! often as it is believed to be the shortest one: likely paths first, but every plausible
//! improvement in time. Expected regret is O(tau sqrt(S A T log(S A T))).

use super::{Proposal, Proposer, View};
use crate::belief::Belief;

/// Thompson sampling over worlds.
#[derive(Debug, Clone, Copy, Default)]
pub struct Psmp;

impl<B: Belief> Proposer<B> for Psmp {
    fn propose(&mut self, view: &mut View<'_, B>) -> Proposal {
        let draw = view.randomness();
        if !view.belief().draw(draw) {
            return Proposal::Exhausted;
        }
        if view.shortest_path_in_draw() {
            Proposal::Path
        } else {
            Proposal::NoImprovement
        }
    }
}
