//! The nearest-neighbour belief: what is near a free configuration is likely free.
//!
//! It needs no experience. Every configuration has a Beta(1, 1) prior, and the nearest checked
//! configuration counts as a partial observation of weight `k = exp(-eta * distance)`: the
//! probability of being free is `(k * [nearest is free] + 1) / (k + 2)`. An edge is as likely free
//! as the least likely of five evenly spaced points on it, ends included. Drawn worlds decide each
//! edge on its own.

use super::surroundings::{Remembered, Surroundings};
use super::{Belief, Evidence};
use crate::checker::Sightings;
use crate::random::Draw;
use crate::roadmap::{EdgeId, Roadmap};
use thiserror::Error;

/// How many points of an edge are looked at, both ends included.
const POINTS: usize = 5;

/// What is farther away than so many times `1 / eta` counts less than a rounding error beside the prior.
const NOTHING_BEYOND: f64 = 38.0;

/// Why a nearest-neighbour belief cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum NearestNeighbourError {
    /// The roadmap has no configurations.
    #[error("the roadmap carries no configurations, which this belief needs")]
    NoConfigurations,
    /// `eta` is not a positive finite number.
    #[error("eta = {0} is not a positive finite number")]
    Eta(f64),
}

/// Beta-Bernoulli on the nearest checked configuration.
#[derive(Debug, Clone)]
pub struct NearestNeighbour {
    /// Per longest side.
    eta: f64,
    surroundings: Surroundings<POINTS>,
    draw: Draw,
}

impl NearestNeighbour {
    /// A belief over the edges of `roadmap` in which the influence of a checked configuration falls
    /// by a factor e over a distance of `1 / eta` times the longest side of the space, or of what that is
    /// [embedded](crate::Embedding) in.
    ///
    /// # Errors
    /// If the roadmap has no configurations or `eta` makes no sense.
    pub fn new(roadmap: &Roadmap, eta: f64) -> Result<Self, NearestNeighbourError> {
        if !(eta > 0.0 && eta.is_finite()) {
            return Err(NearestNeighbourError::Eta(eta));
        }
        if roadmap.space().is_none() {
            return Err(NearestNeighbourError::NoConfigurations);
        }
        let mut surroundings = Surroundings::new(roadmap, Remembered::All, f64::INFINITY);
        surroundings.set_earshot(NOTHING_BEYOND / eta);
        Ok(Self {
            eta,
            surroundings,
            draw: Draw::new(0, 0),
        })
    }
}

impl Belief for NearestNeighbour {
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        let mut least = f64::INFINITY;
        let slot = self.surroundings.slot(edge);
        self.surroundings.look_along(slot);
        let around = self.surroundings.around(slot);
        for (point, squared) in around.squared.as_array()[..POINTS].iter().enumerate() {
            let weight = (-self.eta * f64::from(*squared).sqrt()).exp();
            let free = f64::from(u8::from(around.is_free(point)));
            least = least.min((weight * free + 1.0) / (weight + 2.0));
        }
        least
    }

    fn draw(&mut self, draw: Draw) -> bool {
        self.draw = draw;
        true
    }

    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        self.draw.unit(u64::from(edge.0)) < self.probability_free(edge)
    }

    fn draws_from_experience(&self) -> bool {
        false
    }

    fn observe(&mut self, evidence: Evidence<'_>) {
        self.surroundings.observe(evidence);
    }

    fn learns_from(&self, _: EdgeId, sightings: &Sightings) -> bool {
        !sightings.is_empty()
    }

    fn grow(&mut self, _: usize) {
        self.surroundings.grow();
    }

    fn sight(&mut self, sightings: &Sightings) {
        self.surroundings.sight(sightings);
    }
}
