//! Edges that have been checked in part, and edges that a belief knows nothing of: around any belief.
//!
//! An edge that shows no collision in a partial check is likelier free than before, by Bayes' rule: a
//! free one always looks so, a blocked one only as often as collisions stay hidden. It then stands alone:
//! what the belief says of it together with others, or draws for it, no longer holds, and its own
//! probability takes the place of that. Edges that the belief does not know, where there is nothing to
//! tell them from ([`Beyond`](super::Beyond) needs configurations), have probability 1/2 and are free in
//! every drawn world, so that no draw fails for them.

use super::{Belief, Evidence, Likelihood, Local};
use crate::checker::Sightings;
use crate::random::Draw;
use crate::roadmap::EdgeId;

/// A belief that knows what partial checks have shown.
#[derive(Debug, Clone)]
pub struct PartlyChecked<B> {
    belief: B,
    /// How likely each edge would have shown nothing so far if it were blocked; 1 where the belief
    /// knows all that has been seen.
    hidden: Vec<f64>,
    draw: Draw,
    /// Edges of a path that do not stand alone.
    together: Vec<EdgeId>,
}

impl<B: Belief> PartlyChecked<B> {
    /// The belief over a roadmap of `edges` edges, none of which has been checked.
    #[must_use]
    pub fn new(belief: B, edges: usize) -> Self {
        Self {
            belief,
            hidden: vec![1.0; edges],
            draw: Draw::new(0, 0),
            together: Vec::with_capacity(edges),
        }
    }

    /// The belief that knows whole checks only.
    pub fn inner(&self) -> &B {
        &self.belief
    }

    #[inline]
    fn stands_alone(&self, edge: EdgeId) -> bool {
        self.hidden[edge.index()] < 1.0 || !self.belief.knows(edge)
    }
}

impl<B: Belief> Belief for PartlyChecked<B> {
    #[inline]
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        let p = match self.belief.knows(edge) {
            true => self.belief.probability_free(edge),
            false => 0.5,
        };
        let hidden = self.hidden[edge.index()];
        if hidden == 1.0 {
            return p;
        }
        Likelihood::inconclusive(hidden).posterior(p)
    }

    fn probability_all_free(&mut self, edges: &[EdgeId]) -> f64 {
        if !edges.iter().any(|&e| self.stands_alone(e)) {
            return self.belief.probability_all_free(edges);
        }
        let mut together = std::mem::take(&mut self.together);
        together.clear();
        let mut alone = 1.0;
        for &edge in edges {
            if self.stands_alone(edge) {
                alone *= self.probability_free(edge);
            } else {
                together.push(edge);
            }
        }
        if !together.is_empty() {
            alone *= self.belief.probability_all_free(&together);
        }
        self.together = together;
        alone
    }

    fn draw(&mut self, draw: Draw) -> bool {
        self.draw = draw;
        self.belief.draw(draw)
    }

    #[inline]
    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        if self.hidden[edge.index()] < 1.0 {
            return self.draw.unit(u64::from(edge.0)) < self.probability_free(edge);
        }
        !self.belief.knows(edge) || self.belief.is_free_in_draw(edge)
    }

    fn draws_from_experience(&self) -> bool {
        self.belief.draws_from_experience()
    }

    fn has_experience(&self) -> bool {
        self.belief.has_experience()
    }

    fn observe(&mut self, evidence: Evidence<'_>) {
        if !self.belief.learns_from(evidence.edge, evidence.sightings) {
            // Once it is certain the ledger answers for the edge.
            self.hidden[evidence.edge.index()] = match evidence.verdict() {
                Some(_) => 1.0,
                None => evidence.now.if_blocked / evidence.now.if_free,
            };
        }
        if self.belief.knows(evidence.edge) {
            self.belief.observe(evidence);
        }
    }

    fn learns_from(&self, _: EdgeId, _: &Sightings) -> bool {
        true
    }

    fn grow(&mut self, edges: usize) {
        self.hidden.resize(edges, 1.0);
        self.belief.grow(edges);
    }

    fn sight(&mut self, sightings: &Sightings) {
        self.belief.sight(sightings);
    }

    fn local(&mut self) -> Option<&mut Local> {
        self.belief.local()
    }
}
