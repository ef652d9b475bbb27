//! A memory of edges: what is known of them from before is not checked again.

use crate::ledger::Ledger;
use crate::roadmap::EdgeId;

/// What is known of edges, from plan to plan. A planner that is given it
/// ([`knowing`](crate::Planner::knowing)) begins with it.
#[derive(Debug, Clone, Default)]
pub struct EdgeMemory {
    known: Vec<Option<bool>>,
}

impl EdgeMemory {
    /// Whether an edge is known to be free, or blocked.
    #[must_use]
    pub fn status(&self, edge: EdgeId) -> Option<bool> {
        self.known.get(edge.index()).copied().flatten()
    }

    /// The edges of which something is known, and what.
    pub fn known(&self) -> impl Iterator<Item = (EdgeId, bool)> + '_ {
        let known = self.known.iter().enumerate();
        known.filter_map(|(edge, status)| status.map(|free| (EdgeId(edge as u32), free)))
    }

    /// What a check of an edge has found.
    pub fn remember(&mut self, edge: EdgeId, free: bool) {
        if self.known.len() <= edge.index() {
            self.known.resize(edge.index() + 1, None);
        }
        self.known[edge.index()] = Some(free);
    }

    /// What the checks of a run have found.
    pub fn remember_all(&mut self, ledger: &Ledger) {
        for entry in ledger.entries() {
            self.remember(entry.edge, entry.verdict.free);
        }
    }

    /// Forgets what is known of the edges for which this holds, told each and whether it is free.
    pub fn forget_if(&mut self, mut is_uncertain: impl FnMut(EdgeId, bool) -> bool) {
        for (edge, known) in self.known.iter_mut().enumerate() {
            if known.is_some_and(|free| is_uncertain(EdgeId(edge as u32), free)) {
                *known = None;
            }
        }
    }
}
