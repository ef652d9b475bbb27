//! A memory of edges: what is known of them from before is not checked again.

use crate::ledger::Ledger;
use crate::roadmap::EdgeId;

/// What is known of edges, from plan to plan. A planner that is given it
/// ([`knowing`](crate::Planner::knowing)) begins with it.
#[derive(Debug, Clone, Default)]
pub struct EdgeMemory {
    known: Vec<Option<bool>>,
    /// Whether each edge has been proved free all along.
    proved: Vec<bool>,
}

impl EdgeMemory {
    /// Whether an edge is known to be free, or blocked.
    #[must_use]
    pub fn status(&self, edge: EdgeId) -> Option<bool> {
        self.known.get(edge.index()).copied().flatten()
    }

    /// Whether an edge is known to be free and has been proved so all along: it need not be proved again.
    #[must_use]
    pub fn is_proved(&self, edge: EdgeId) -> bool {
        self.proved.get(edge.index()).copied().unwrap_or(false)
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
            self.proved.resize(edge.index() + 1, false);
        }
        self.known[edge.index()] = Some(free);
        self.proved[edge.index()] &= free;
    }

    /// An edge has been proved free all along.
    pub fn remember_proved(&mut self, edge: EdgeId) {
        self.remember(edge, true);
        self.proved[edge.index()] = true;
    }

    /// What the checks and the proofs of a run have found.
    pub fn remember_all(&mut self, ledger: &Ledger) {
        for entry in ledger.entries() {
            match ledger.is_proved(entry.edge) {
                true => self.remember_proved(entry.edge),
                false => self.remember(entry.edge, entry.verdict.free),
            }
        }
    }

    /// Forgets what is known of the edges for which this holds, told each and whether it is free.
    pub fn forget_if(&mut self, mut is_uncertain: impl FnMut(EdgeId, bool) -> bool) {
        let edges = self.known.iter_mut().zip(&mut self.proved);
        for (edge, (known, proved)) in edges.enumerate() {
            if known.is_some_and(|free| is_uncertain(EdgeId(edge as u32), free)) {
                (*known, *proved) = (None, false);
            }
        }
    }
}
