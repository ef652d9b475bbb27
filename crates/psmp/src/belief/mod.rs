//! Beliefs: what is likely of edges that have not been checked.
//!
//! A belief is a posterior over worlds given the checks so far. It answers three questions: how
//! likely is this edge free, what would a world drawn from you look like at this edge, and what do
//! you make of this new evidence. Drawn worlds are decided edge by edge as a search asks, so that a
//! draw costs nothing in proportion to the roadmap.
//!
//! | belief | what it knows |
//! |---|---|
//! | [`FiniteSet`] | a set of known worlds, uniform over those that agree with every check |
//! | [`NearestNeighbour`] | nothing but the configurations checked so far |
//! | [`IndependentEdges`] | a probability for each edge, which no other edge's outcome moves |
//! | [`Certain`] | the truth; for tests |
//! | [`Local`] | nothing beforehand; a rate and a size of obstacles, learned from the checks |
//! | [`Latent`] | hidden causes, learned from a set of known worlds |
//! | [`SoftSet`] | a set of known worlds, each trusted less with every check it disagrees with |
//! | [`Ensemble`] | other beliefs, each trusted as far as it has predicted well |

mod certain;
mod ensemble;
mod finite_set;
pub mod held_out;
mod independent;
mod latent;
mod local;
mod looks;
mod nearest_neighbour;
mod soft_set;
mod surroundings;

pub use certain::Certain;
pub use ensemble::Ensemble;
pub use finite_set::FiniteSet;
pub use independent::{IndependentEdges, ProbabilityError};
pub use latent::{Latent, LatentModel};
pub use local::Local;
pub use nearest_neighbour::{NearestNeighbour, NearestNeighbourError};
pub use soft_set::{SoftSet, SoftSetModel};

use crate::checker::Sightings;
use crate::random::Draw;
use crate::roadmap::EdgeId;

/// What a look at an edge has found.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Finding {
    /// The whole edge is free.
    Free,
    /// It is blocked.
    Blocked,
    /// No collision so far, but the edge was not seen to its end. A blocked edge that had shown
    /// nothing before would have shown nothing now with the probability `hidden`: 1 if nothing new
    /// was seen, near 0 if the edge is all but sure to be free.
    NothingYet {
        /// That probability.
        hidden: f64,
    },
}

impl Finding {
    /// What a whole check has found.
    #[must_use]
    pub fn of(free: bool) -> Self {
        if free {
            Finding::Free
        } else {
            Finding::Blocked
        }
    }

    /// Whether the edge is free, if that is known.
    #[must_use]
    pub fn free(self) -> Option<bool> {
        match self {
            Finding::Free => Some(true),
            Finding::Blocked => Some(false),
            Finding::NothingYet { .. } => None,
        }
    }
}

/// What a check has shown.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The edge that was checked.
    pub edge: EdgeId,
    /// What is known of it now.
    pub finding: Finding,
    /// The configurations seen on the way, if the checker tells of them.
    pub sightings: &'a Sightings,
}

/// A posterior over worlds, which holds one world drawn from it at a time.
///
/// The planner asks only about edges that have not been checked.
pub trait Belief {
    /// The probability that the edge is free, in `[0, 1]`.
    fn probability_free(&mut self, edge: EdgeId) -> f64;

    /// The probability that all of these edges are free at once. A belief that knows how edges hang
    /// together does better than this product of their own probabilities.
    fn probability_all_free(&mut self, edges: &[EdgeId]) -> f64 {
        edges.iter().map(|&e| self.probability_free(e)).product()
    }

    /// Draws a world from the posterior and holds it until the next draw. False if no world agrees
    /// with what has been seen.
    fn draw(&mut self, draw: Draw) -> bool;

    /// Whether the edge is free in the world drawn last.
    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool;

    /// Whether edges hang together in the world drawn last in ways that their own probabilities do
    /// not tell. Where they do not, its shortest path is one that a trade-off between length and
    /// those probabilities finds as well, without a draw.
    fn draw_tells_more(&self) -> bool {
        true
    }

    /// Takes new evidence in.
    fn observe(&mut self, evidence: Evidence<'_>);
}

impl<B: Belief + ?Sized> Belief for Box<B> {
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        (**self).probability_free(edge)
    }
    fn probability_all_free(&mut self, edges: &[EdgeId]) -> f64 {
        (**self).probability_all_free(edges)
    }
    fn draw(&mut self, draw: Draw) -> bool {
        (**self).draw(draw)
    }
    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        (**self).is_free_in_draw(edge)
    }
    fn draw_tells_more(&self) -> bool {
        (**self).draw_tells_more()
    }
    fn observe(&mut self, evidence: Evidence<'_>) {
        (**self).observe(evidence);
    }
}
