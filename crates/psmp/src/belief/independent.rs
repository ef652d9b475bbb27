//! The belief that edges know nothing of each other.
//!
//! Each edge is free with a probability of its own, the same for all or its share of the known
//! worlds, and no check tells anything about any other edge.

use super::looks::Looks;
use super::{Belief, Evidence};
use crate::random::Draw;
use crate::roadmap::EdgeId;
use crate::table::{Experience, WorldId, bit};
use thiserror::Error;

/// Not a probability.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("{0} is not a probability: it must be between 0 and 1")]
pub struct ProbabilityError(pub f64);

#[derive(Debug, Clone)]
enum Probability {
    Same(f64),
    Each(Vec<f64>),
}

/// Independent edges, each with its own probability of being free.
#[derive(Debug, Clone)]
pub struct IndependentEdges {
    probability: Probability,
    /// Of edges with a probability of their own.
    looks: Looks,
    draw: Draw,
}

impl IndependentEdges {
    fn new(probability: Probability) -> Self {
        let own = match &probability {
            Probability::Same(_) => 0,
            Probability::Each(each) => each.len(),
        };
        Self {
            probability,
            looks: Looks::new(own),
            draw: Draw::new(0, 0),
        }
    }

    /// Every edge is free with this probability.
    ///
    /// # Errors
    /// If it is not between 0 and 1.
    pub fn constant(probability: f64) -> Result<Self, ProbabilityError> {
        if !(0.0..=1.0).contains(&probability) {
            return Err(ProbabilityError(probability));
        }
        Ok(Self::new(Probability::Same(probability)))
    }

    /// Edge `i` is free with probability `probabilities[i]`; edges beyond the list with 1/2.
    ///
    /// # Errors
    /// If one is not between 0 and 1.
    pub fn each(probabilities: Vec<f64>) -> Result<Self, ProbabilityError> {
        match probabilities.iter().find(|p| !(0.0..=1.0).contains(*p)) {
            Some(&bad) => Err(ProbabilityError(bad)),
            None => Ok(Self::new(Probability::Each(probabilities))),
        }
    }

    /// Every edge is free with its share of the known worlds, counted with one world more where it
    /// is free and one where it is blocked, so that no edge is certain.
    #[must_use]
    pub fn frequencies(experience: &impl Experience) -> Self {
        let all: Vec<WorldId> = (0..experience.world_count() as u32).map(WorldId).collect();
        Self::frequencies_in(experience, &all)
    }

    /// The same from some of the known worlds.
    #[must_use]
    pub fn frequencies_in(experience: &impl Experience, worlds: &[WorldId]) -> Self {
        let share = |edge| {
            let row = experience.worlds_where_free(EdgeId(edge));
            let free = worlds.iter().filter(|w| bit(row, w.index())).count();
            let known = match experience.worlds_where_known(EdgeId(edge)) {
                Some(row) => worlds.iter().filter(|w| bit(row, w.index())).count(),
                None => worlds.len(),
            };
            (free as f64 + 1.0) / (known as f64 + 2.0)
        };
        Self::new(Probability::Each(
            (0..experience.edge_count() as u32).map(share).collect(),
        ))
    }
}

impl Belief for IndependentEdges {
    #[inline]
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        match &self.probability {
            Probability::Same(p) => *p,
            Probability::Each(p) => match p.get(edge.index()) {
                Some(p) => self.looks.after(edge, *p),
                None => 0.5,
            },
        }
    }

    fn draw(&mut self, draw: Draw) -> bool {
        self.draw = draw;
        true
    }

    #[inline]
    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        self.draw.unit(u64::from(edge.0)) < self.probability_free(edge)
    }

    fn draw_tells_more(&self) -> bool {
        false
    }

    fn observe(&mut self, evidence: Evidence<'_>) {
        self.looks.take(evidence.edge, evidence.finding);
    }
}
