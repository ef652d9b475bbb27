//! Looks: edges that have been looked at but not seen to their end.
//!
//! An edge that shows no collision in a look is likelier free than before, by Bayes' rule: a free one
//! always looks so, a blocked one only as often as collisions stay hidden. Beliefs that know edges and
//! not configurations keep for each edge how likely a blocked one would have hidden so far.

use super::Finding;
use crate::roadmap::EdgeId;

/// An edge counts as free where no more than this share of blocked ones would still hide.
const ALL_BUT_SURE: f64 = 0.02;

/// For each edge, how likely it would have shown nothing so far if it were blocked.
#[derive(Debug, Clone)]
pub(super) struct Looks {
    hidden: Vec<f32>,
}

impl Looks {
    /// No edge has been looked at.
    pub(super) fn new(edges: usize) -> Self {
        Self {
            hidden: vec![1.0; edges],
        }
    }

    /// How likely the edge would have shown nothing so far if it were blocked. Of edges beyond those
    /// that are known nothing is remembered.
    #[inline]
    pub(super) fn hidden(&self, edge: EdgeId) -> f64 {
        self.hidden
            .get(edge.index())
            .copied()
            .map_or(1.0, f64::from)
    }

    /// Takes a finding in. True if the edge has become all but sure to be free by it.
    pub(super) fn take(&mut self, edge: EdgeId, finding: Finding) -> bool {
        let Finding::NothingYet { hidden } = finding else {
            return false;
        };
        let was_sure = self.all_but_sure(edge);
        let Some(so_far) = self.hidden.get_mut(edge.index()) else {
            return false;
        };
        // Never 0: only a whole check makes certain.
        *so_far = (*so_far * hidden as f32).max(1e-6);
        self.all_but_sure(edge) && !was_sure
    }

    /// Whether a blocked edge would have shown so almost certainly that this one counts as free until
    /// it turns out otherwise.
    pub(super) fn all_but_sure(&self, edge: EdgeId) -> bool {
        self.hidden(edge) <= ALL_BUT_SURE
    }

    /// The probability that an edge is free, if before any look it was `p`.
    #[inline]
    pub(super) fn after(&self, edge: EdgeId, p: f64) -> f64 {
        p / (p + (1.0 - p) * self.hidden(edge)).max(f64::MIN_POSITIVE)
    }

    /// Whether an edge has been looked at.
    #[inline]
    pub(super) fn any(&self, edge: EdgeId) -> bool {
        self.hidden(edge) < 1.0
    }
}
