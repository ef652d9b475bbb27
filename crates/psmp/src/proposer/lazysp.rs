//! Lazy Shortest Path: optimism in the face of uncertainty.
//!
//! Every unchecked edge is taken as free. The first path that turns out to be free is the shortest
//! there is, found with the fewest checks by which that can be known; before it there is nothing.

use super::{Proposal, Proposer, View};
use crate::belief::Belief;

/// The optimistic shortest path.
#[derive(Debug, Clone, Copy, Default)]
pub struct LazySp;

impl<B: Belief> Proposer<B> for LazySp {
    fn propose(&mut self, view: &mut View<'_, B>) -> Proposal {
        if view.optimistic_path() {
            Proposal::Path
        } else {
            Proposal::Done
        }
    }
}
