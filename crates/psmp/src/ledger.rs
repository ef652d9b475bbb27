//! The ledger: what has been found out about edges, and what it has cost.
//!
//! It is the history that the method conditions on. Whoever wants to know an edge's state asks the
//! ledger first and the belief only about edges that are not in it, so that even a bad belief
//! stays consistent with the evidence.

use crate::checker::Verdict;
use crate::roadmap::EdgeId;

/// What is known of an edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum EdgeStatus {
    /// It has not been checked.
    Unchecked,
    /// It was checked and is free.
    Free,
    /// It was checked and is blocked.
    Blocked,
}

/// One line of the ledger.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// The edge that was checked.
    pub edge: EdgeId,
    /// What was found.
    pub verdict: Verdict,
}

/// All checks so far.
#[derive(Debug, Clone)]
pub struct Ledger {
    status: Vec<EdgeStatus>,
    entries: Vec<Entry>,
    configurations: u64,
}

impl Ledger {
    pub(crate) fn new(edges: usize) -> Self {
        Self {
            status: vec![EdgeStatus::Unchecked; edges],
            entries: Vec::with_capacity(edges),
            configurations: 0,
        }
    }

    /// What is known of an edge.
    #[inline]
    #[must_use]
    pub fn status(&self, edge: EdgeId) -> EdgeStatus {
        self.status[edge.index()]
    }

    /// All checks in the order in which they were made.
    #[must_use]
    pub fn entries(&self) -> &[Entry] {
        &self.entries
    }

    /// How many configurations have been checked, those of failed checks included.
    #[must_use]
    pub fn configurations(&self) -> u64 {
        self.configurations
    }

    pub(crate) fn record(&mut self, edge: EdgeId, verdict: Verdict) {
        self.status[edge.index()] = if verdict.free {
            EdgeStatus::Free
        } else {
            EdgeStatus::Blocked
        };
        self.entries.push(Entry { edge, verdict });
        self.configurations += verdict.configurations;
    }

    /// Counts configurations of a check that failed before it had a verdict.
    pub(crate) fn record_unfinished(&mut self, configurations: u64) {
        self.configurations += configurations;
    }
}
