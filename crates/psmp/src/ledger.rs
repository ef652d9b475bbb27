//! The ledger: what has been found out about edges, and what it has cost.
//!
//! It is the history that the method conditions on. Whoever wants to know an edge's state asks the
//! ledger first and the belief only about edges that are not in it, so that even a bad belief
//! stays consistent with the evidence.

use crate::belief::Likelihood;
use crate::checker::{Finding, Verdict};
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

/// Partial checks are told apart by how often they have halved the distance between configurations.
const HALVINGS: usize = 32;

/// All checks so far.
#[derive(Debug, Clone)]
pub struct Ledger {
    status: Vec<EdgeStatus>,
    entries: Vec<Entry>,
    /// How many configurations of each unchecked edge have been found free.
    seen: Vec<u32>,
    /// How likely each of them would have shown nothing so far if it were blocked. Of those that nobody has looked at it
    /// means nothing: memory that is 0 costs nothing until it is touched.
    hidden_so_far: Vec<f64>,
    /// How many blocked edges had shown nothing in 2, 3, 5, 9 and so on configurations.
    hidden: [u32; HALVINGS],
    blocked: u32,
    configurations: u64,
    /// Whether each edge has been proved free all along.
    proved: Vec<bool>,
}

impl Ledger {
    pub(crate) fn new(edges: usize) -> Self {
        Self {
            status: vec![EdgeStatus::Unchecked; edges],
            entries: Vec::with_capacity(edges),
            seen: vec![0; edges],
            hidden_so_far: vec![0.0; edges],
            hidden: [0; HALVINGS],
            blocked: 0,
            configurations: 0,
            proved: vec![false; edges],
        }
    }

    /// Follows a roadmap that has grown to so many edges.
    pub(crate) fn grow(&mut self, edges: usize) {
        self.status.resize(edges, EdgeStatus::Unchecked);
        self.seen.resize(edges, 0);
        self.hidden_so_far.resize(edges, 0.0);
        self.proved.resize(edges, false);
        let entries = self.entries.len();
        self.entries.reserve(edges - entries);
    }

    /// Whether an edge is free and has been [proved](crate::checker::Checker::prove) so all along.
    #[inline]
    #[must_use]
    pub fn is_proved(&self, edge: EdgeId) -> bool {
        self.proved[edge.index()]
    }

    /// Takes down that an edge is proved free all along.
    pub(crate) fn prove(&mut self, edge: EdgeId) {
        self.proved[edge.index()] = true;
    }

    /// What is known of an edge.
    #[inline]
    #[must_use]
    pub fn status(&self, edge: EdgeId) -> EdgeStatus {
        self.status[edge.index()]
    }

    /// How many edges there are.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.status.len()
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

    /// How many configurations of an edge that is still unchecked have been found free.
    #[inline]
    #[must_use]
    pub fn seen(&self, edge: EdgeId) -> u64 {
        u64::from(self.seen[edge.index()])
    }

    /// How likely a blocked edge shows nothing in its first `seen` configurations: the share of
    /// blocked edges so far that did not, and before there are any, one in `seen`.
    #[must_use]
    pub fn hidden(&self, seen: u64) -> f64 {
        if seen < 2 {
            return 1.0;
        }
        let halvings = (seen - 1).ilog2() as usize;
        let hidden = f64::from(self.hidden[halvings.min(HALVINGS - 1)]);
        (hidden + 1.0 / seen as f64) / (f64::from(self.blocked) + 1.0)
    }

    /// How likely all is that has been seen of an edge.
    #[must_use]
    pub fn likelihood(&self, edge: EdgeId) -> Likelihood {
        match self.status(edge) {
            EdgeStatus::Free => Likelihood::of(true),
            EdgeStatus::Blocked => Likelihood::of(false),
            EdgeStatus::Unchecked => Likelihood::inconclusive(self.hidden_so_far(edge)),
        }
    }

    fn hidden_so_far(&self, edge: EdgeId) -> f64 {
        match self.seen(edge) {
            0 => 1.0,
            _ => self.hidden_so_far[edge.index()],
        }
    }

    /// Takes down what was asked beside checks.
    pub(crate) fn spend(&mut self, configurations: u64) {
        self.configurations += configurations;
    }

    /// Takes down that an edge is blocked which a check has found free, because it could not be proved so.
    pub(crate) fn overrule(&mut self, edge: EdgeId) {
        self.status[edge.index()] = EdgeStatus::Blocked;
        self.blocked += 1;
        for entry in self.entries.iter_mut().filter(|e| e.edge == edge) {
            entry.verdict.free = false;
            // Nothing of it had shown by then.
            let seen = entry.verdict.configurations.max(2);
            let halvings = (seen - 1).ilog2() as usize;
            for hidden in self.hidden.iter_mut().take(halvings + 1) {
                *hidden += 1;
            }
        }
    }

    /// Takes down what a check has found; the verdict on the edge, if there is one now.
    pub(crate) fn record(&mut self, edge: EdgeId, finding: Finding) -> Option<Verdict> {
        self.configurations += finding.configurations;
        let before = self.seen(edge);
        let configurations = before + finding.configurations;
        let Some(free) = finding.free else {
            // Never 0: only a whole check makes certain.
            let hidden = self.hidden(configurations) / self.hidden(before);
            self.hidden_so_far[edge.index()] = (self.hidden_so_far(edge) * hidden).max(1e-6);
            self.seen[edge.index()] = configurations as u32;
            return None;
        };
        self.status[edge.index()] = if free {
            EdgeStatus::Free
        } else {
            self.blocked += 1;
            if configurations > 2 {
                let halvings = (configurations - 2).ilog2() as usize;
                for hidden in self.hidden.iter_mut().take(halvings + 1) {
                    *hidden += 1;
                }
            }
            EdgeStatus::Blocked
        };
        let verdict = Verdict {
            free,
            configurations,
        };
        self.entries.push(Entry { edge, verdict });
        Some(verdict)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stays_hidden_is_learned_from_what_was_found() {
        let mut ledger = Ledger::new(100);
        assert_eq!(ledger.hidden(0), 1.0);
        assert_eq!(ledger.hidden(1), 1.0);
        assert!((ledger.hidden(9) - 1.0 / 9.0).abs() < 1e-12);
        // Half of the blocked edges collide in the second configuration, half in the sixth.
        for edge in 0..98 {
            let configurations = if edge % 2 == 0 { 2 } else { 6 };
            let free = Some(false);
            ledger.record(
                EdgeId(edge),
                Finding {
                    free,
                    configurations,
                },
            );
        }
        for (seen, share) in [(2, 0.5), (3, 0.5), (5, 0.5), (9, 0.0), (17, 0.0)] {
            let hidden = ledger.hidden(seen);
            assert!((hidden - share).abs() < 0.01, "{seen}: {hidden}");
            assert!(hidden > 0.0);
        }
        // What was seen of an edge counts in its verdict.
        let part = Finding {
            free: None,
            configurations: 3,
        };
        assert_eq!(ledger.record(EdgeId(99), part), None);
        assert_eq!(
            (ledger.seen(EdgeId(99)), ledger.status(EdgeId(99))),
            (3, EdgeStatus::Unchecked)
        );
        let rest = Finding {
            free: Some(true),
            configurations: 4,
        };
        let verdict = ledger.record(EdgeId(99), rest).unwrap();
        assert_eq!((verdict.free, verdict.configurations), (true, 7));
        assert_eq!(ledger.configurations(), 49 * (2 + 6) + 7);
    }
}
