//! The ledger: what has been found out about edges, and what it has cost.
//!
//! It is the history that the method conditions on. Whoever wants to know an edge's state asks the
//! ledger first and the belief only about edges that are not in it, so that even a bad belief
//! stays consistent with the evidence.

use crate::checker::{Look, Verdict};
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

const LEVELS: usize = 24;
const PRESUMED: f64 = 0.0625;

fn level(seen: u64) -> usize {
    ((u64::BITS - seen.leading_zeros()) as usize).min(LEVELS - 1)
}

/// All checks so far.
#[derive(Debug, Clone)]
pub struct Ledger {
    status: Vec<EdgeStatus>,
    entries: Vec<Entry>,
    /// How many configurations of each unchecked edge have been found free.
    seen: Vec<u32>,
    presumed: Vec<bool>,
    /// How many blocked edges have shown nothing in so many configurations: in one, two, four and
    /// so on.
    survived: [u32; LEVELS],
    blocked: u32,
    configurations: u64,
}

impl Ledger {
    pub(crate) fn new(edges: usize) -> Self {
        Self {
            status: vec![EdgeStatus::Unchecked; edges],
            entries: Vec::with_capacity(edges),
            seen: vec![0; edges],
            presumed: vec![false; edges],
            survived: [0; LEVELS],
            blocked: 0,
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

    /// How many configurations of an unchecked edge have been found free.
    #[inline]
    #[must_use]
    pub fn seen(&self, edge: EdgeId) -> u64 {
        u64::from(self.seen[edge.index()])
    }

    /// How likely a blocked edge shows nothing in its first `seen` configurations.
    pub fn missed(&self, seen: u64) -> f64 {
        if seen == 0 {
            return 1.0;
        }
        let survived = f64::from(self.survived[level(seen)]);
        (survived + 1.0 / seen as f64) / (f64::from(self.blocked) + 1.0)
    }

    /// The probability that an unchecked edge is free.
    pub fn after_looks(&self, edge: EdgeId, p: f64) -> f64 {
        let missed = self.missed(self.seen(edge));
        p / (p + (1.0 - p) * missed)
    }

    /// Whether an unchecked edge is taken for free.
    pub fn is_presumed(&self, edge: EdgeId) -> bool {
        self.presumed[edge.index()]
    }

    pub(crate) fn presume(&mut self, edge: EdgeId) -> bool {
        let now = self.missed(self.seen(edge)) <= PRESUMED;
        let new = now && !self.presumed[edge.index()];
        self.presumed[edge.index()] |= now;
        new
    }

    /// Takes down a look at an edge, and the verdict if there is one now.
    pub(crate) fn record(&mut self, edge: EdgeId, look: Look) -> Option<Verdict> {
        self.configurations += look.configurations;
        let configurations = self.seen(edge) + look.configurations;
        let Some(free) = look.free else {
            self.seen[edge.index()] = configurations as u32;
            return None;
        };
        let verdict = Verdict {
            free,
            configurations,
        };
        self.status[edge.index()] = if free {
            EdgeStatus::Free
        } else {
            for survived in &mut self.survived[..level(configurations - 1) + 1] {
                *survived += 1;
            }
            self.blocked += 1;
            EdgeStatus::Blocked
        };
        self.entries.push(Entry { edge, verdict });
        Some(verdict)
    }

    /// Counts configurations of a check that failed before it had a verdict.
    pub(crate) fn record_unfinished(&mut self, configurations: u64) {
        self.configurations += configurations;
    }
}
