//! The belief that edges know nothing of each other.
//!
//! Each edge is free with a probability of its own, the same for all or its share of the known
//! worlds, and no check tells anything about any other edge.

use super::{Belief, Evidence};
use crate::random::Draw;
use crate::roadmap::EdgeId;
use crate::table::{Experience, bit};
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
    draw: Draw,
}

impl IndependentEdges {
    fn new(probability: Probability) -> Self {
        Self {
            probability,
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
    pub fn frequencies(experience: &Experience) -> Self {
        let (table, worlds) = (experience.table(), experience.worlds());
        let share = |edge| {
            let row = table.worlds_where_free(EdgeId(edge));
            let free = worlds.iter().filter(|w| bit(row, w.index())).count();
            let known = match table.worlds_where_known(EdgeId(edge)) {
                Some(row) => worlds.iter().filter(|w| bit(row, w.index())).count(),
                None => worlds.len(),
            };
            (free as f64 + 1.0) / (known as f64 + 2.0)
        };
        Self::new(Probability::Each(
            (0..table.edge_count() as u32).map(share).collect(),
        ))
    }
}

impl Belief for IndependentEdges {
    #[inline]
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        match &self.probability {
            Probability::Same(p) => *p,
            Probability::Each(p) => p.get(edge.index()).copied().unwrap_or(0.5),
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

    fn draws_from_experience(&self) -> bool {
        false
    }

    fn observe(&mut self, _: Evidence<'_>) {}

    fn knows(&self, edge: EdgeId) -> bool {
        match &self.probability {
            Probability::Same(_) => true,
            Probability::Each(each) => edge.index() < each.len(),
        }
    }
}
