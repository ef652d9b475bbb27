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
//! | [`Ensemble`] | other beliefs, each trusted as far as it predicts worlds that it does not know |
//! | [`Beyond`] | for edges that another belief's table does not know: known edges and checks near them |
//!
//! A belief is told how likely a check is, should the edge be free and should it be blocked
//! ([`Likelihood`]), and need know nothing of how edges are checked: [`PartlyChecked`], which a planner
//! puts around any belief, sees to edges that were checked in part. [`Beyond`], around beliefs that were
//! learned from a table, sees to edges that no table knows. `examples/own_belief.rs` is a belief in a
//! few lines.

mod beyond;
mod certain;
mod ensemble;
mod finite_set;
pub mod held_out;
mod independent;
mod latent;
mod local;
mod measure;
mod nearest_neighbour;
mod partly_checked;
mod places;
mod soft_set;
mod surroundings;

pub use beyond::{Beyond, FirstWeights};
pub use certain::Certain;
pub use ensemble::Ensemble;
pub use finite_set::FiniteSet;
pub use independent::{IndependentEdges, ProbabilityError};
pub use latent::{Latent, LatentModel};
pub use local::Local;
pub use nearest_neighbour::{NearestNeighbour, NearestNeighbourError};
pub use partly_checked::PartlyChecked;
pub use soft_set::{SoftSet, SoftSetModel};

use crate::checker::Sightings;
use crate::random::Draw;
use crate::roadmap::EdgeId;

/// How likely all that has been seen of an edge is if the edge is free and if it is blocked, up to a
/// common factor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Likelihood {
    /// If it is free.
    pub if_free: f64,
    /// If it is blocked.
    pub if_blocked: f64,
}

impl Likelihood {
    /// Nothing has been seen.
    pub const NOTHING_SEEN: Likelihood = Likelihood::inconclusive(1.0);

    /// No collision has been seen, and of blocked edges this share would have shown none so far.
    #[must_use]
    pub const fn inconclusive(hidden: f64) -> Self {
        Self {
            if_free: 1.0,
            if_blocked: hidden,
        }
    }

    /// The edge has been seen to its end or to a collision.
    #[must_use]
    pub const fn of(free: bool) -> Self {
        match free {
            true => Self::inconclusive(0.0),
            false => Self {
                if_free: 0.0,
                if_blocked: 1.0,
            },
        }
    }

    /// Whether the edge is free, if that is certain.
    #[must_use]
    pub fn verdict(self) -> Option<bool> {
        match (self.if_free > 0.0, self.if_blocked > 0.0) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }

    /// How likely what has been seen is, if the edge is free with probability `p`.
    #[inline]
    #[must_use]
    pub fn mean(self, p: f64) -> f64 {
        p * self.if_free + (1.0 - p) * self.if_blocked
    }

    /// The probability that the edge is free, if before anything was seen it was `p`: Bayes' rule.
    #[inline]
    #[must_use]
    pub fn posterior(self, p: f64) -> f64 {
        p * self.if_free / self.mean(p).max(f64::MIN_POSITIVE)
    }
}

/// What a check has shown.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    /// The edge that was checked.
    pub edge: EdgeId,
    /// How likely all was that had been seen of it before.
    pub before: Likelihood,
    /// The same with what has been seen now.
    pub now: Likelihood,
    /// The configurations seen this time, if the checker tells of them.
    pub sightings: &'a Sightings,
}

impl<'a> Evidence<'a> {
    /// The check of a whole edge of which nothing had been seen before.
    #[must_use]
    pub fn of(edge: EdgeId, free: bool, sightings: &'a Sightings) -> Self {
        Self {
            edge,
            before: Likelihood::NOTHING_SEEN,
            now: Likelihood::of(free),
            sightings,
        }
    }

    /// Whether the edge is free, if that is known now.
    #[must_use]
    pub fn verdict(&self) -> Option<bool> {
        self.now.verdict()
    }
}

/// A posterior over worlds, which holds one world drawn from it at a time.
///
/// The planner asks only about edges that have no verdict yet, through [`PartlyChecked`].
pub trait Belief {
    /// The probability that the edge is free, in `[0, 1]`, by all that other edges have shown.
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

    /// Whether how edges hang together in the world drawn last was learned from known worlds. Where it
    /// was not, they are independent or hang together by assumption, and the shortest path of such a
    /// world is one that a trade-off between length and probability finds as well, without a draw.
    fn draws_from_experience(&self) -> bool {
        true
    }

    /// Whether any world can be drawn [from experience](Self::draws_from_experience), whichever was drawn last.
    fn has_experience(&self) -> bool {
        self.draws_from_experience()
    }

    /// Takes new evidence in.
    fn observe(&mut self, evidence: Evidence<'_>);

    /// Whether it has anything to say of an edge. Of others, such as the connections of a new start or
    /// goal to a roadmap that experience is about, it is not asked or told anything.
    fn knows(&self, _edge: EdgeId) -> bool {
        true
    }

    /// Whether what a check of part of this edge has shown is in its probabilities by these sightings:
    /// so it is for beliefs that know configurations. For all others Bayes' rule is applied to what
    /// they say of the edge.
    fn learns_from(&self, _edge: EdgeId, _sightings: &Sightings) -> bool {
        false
    }

    /// The roadmap has grown to so many edges. A belief that has something to say of the new ones makes
    /// room for them; one that does not [know](Self::knows) them has nothing to do.
    fn grow(&mut self, _edges: usize) {}

    /// Takes configurations in that were seen elsewhere than on the edges of the roadmap.
    fn sight(&mut self, _sightings: &Sightings) {}

    /// The local belief that it has among its parts, if it has one: [`Beyond`] needs no second.
    fn local(&mut self) -> Option<&mut Local> {
        None
    }
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
    fn draws_from_experience(&self) -> bool {
        (**self).draws_from_experience()
    }
    fn has_experience(&self) -> bool {
        (**self).has_experience()
    }
    fn observe(&mut self, evidence: Evidence<'_>) {
        (**self).observe(evidence);
    }
    fn knows(&self, edge: EdgeId) -> bool {
        (**self).knows(edge)
    }
    fn learns_from(&self, edge: EdgeId, sightings: &Sightings) -> bool {
        (**self).learns_from(edge, sightings)
    }
    fn local(&mut self) -> Option<&mut Local> {
        (**self).local()
    }
    fn grow(&mut self, edges: usize) {
        (**self).grow(edges);
    }
    fn sight(&mut self, sightings: &Sightings) {
        (**self).sight(sightings);
    }
}
