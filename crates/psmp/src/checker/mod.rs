//! Checking edges: the only thing that costs.
//!
//! A [`Checker`] says of an edge whether it is free, and what finding out has cost. Three kinds
//! are here: [`BisectionChecker`] walks the configurations of an edge through any [`World`],
//! [`TableChecker`] looks the answer up, and [`check_with`] takes a closure. A checker may fail (a
//! sensor, a remote service): the planner hands the error on, keeps everything it has learned, and
//! asks again when it is driven on.

mod bisection;
mod closure;
mod portions;
mod table;

pub use bisection::{BisectionChecker, BisectionError, BisectionOrder, World, WorldFn};
pub use closure::{ClosureChecker, check_with};
pub use portions::Portions;
pub use table::{EdgePrices, TableChecker};

use crate::roadmap::EdgeId;
use crate::stop::Limit;

/// What the check of an edge has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the whole edge is free.
    pub free: bool,
    /// How many configurations were checked to find out: the cost.
    pub configurations: u64,
}

/// What a [look](Checker::look) at an edge has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Whether the whole edge is free; `None` if no collision was found but the end was not reached.
    pub free: Option<bool>,
    /// How many configurations were checked in this look.
    pub configurations: u64,
}

impl Look {
    /// Nothing was seen, because a limit did not allow it.
    pub const NOTHING: Look = Look {
        free: None,
        configurations: 0,
    };

    /// The verdict of a look that nothing kept from going to a collision or to the end.
    #[must_use]
    pub fn of_the_whole(self) -> Verdict {
        Verdict {
            free: self.free == Some(true),
            configurations: self.configurations,
        }
    }
}

impl From<Verdict> for Look {
    fn from(verdict: Verdict) -> Self {
        Look {
            free: Some(verdict.free),
            configurations: verdict.configurations,
        }
    }
}

/// Something that can check an edge.
pub trait Checker {
    /// How a check can fail; [`std::convert::Infallible`] if it cannot.
    type Error;

    /// Checks one edge. Configurations whose state was found out on the way go into `sightings`,
    /// for beliefs that can use them; a checker that only knows edges leaves it empty. After an
    /// error, what `sightings` holds still counts as seen.
    ///
    /// # Errors
    /// Whatever keeps the checker from an answer. The planner stays usable.
    fn check(&mut self, edge: EdgeId, sightings: &mut Sightings) -> Result<Verdict, Self::Error>;

    /// Looks at a part of an edge: goes on with a check that has found the first `seen` configurations
    /// free, and stops at a collision, at the end, after about `most` more, or where `limit` says so.
    ///
    /// Implement it where a check can be left and taken up again. All looks at an edge together must
    /// find what [`Checker::check`] finds and cost what it costs, and each must see one configuration at
    /// least that the limit allows, or a run would never end. A look that the limit allows nothing sees
    /// nothing, and the run pauses there. A checker that does not implement it
    /// checks the whole edge, if the limit allows its price, and is then never asked about the edge again.
    ///
    /// # Errors
    /// As for [`Checker::check`].
    fn look(
        &mut self,
        edge: EdgeId,
        _seen: u64,
        _most: u64,
        limit: &Limit,
        sightings: &mut Sightings,
    ) -> Result<Look, Self::Error> {
        if self.price_if_free(edge) > limit.configurations() {
            return Ok(Look::NOTHING);
        }
        self.check(edge, sightings).map(Look::from)
    }

    /// How many configurations the check of an edge takes if the edge is free: what confirming
    /// costs, known beforehand. Refuting may cost less, and must not cost more.
    ///
    /// Proposers weigh paths by it, and what an [insured](crate::Planner::insured) planner promises
    /// is counted in it. One that says less than is true weakens that promise by what one check
    /// costs more than it says; so the default is safe.
    fn price_if_free(&self, _edge: EdgeId) -> u64 {
        1
    }
}

impl<C: Checker + ?Sized> Checker for &mut C {
    type Error = C::Error;
    fn check(&mut self, edge: EdgeId, sightings: &mut Sightings) -> Result<Verdict, Self::Error> {
        (**self).check(edge, sightings)
    }
    fn look(
        &mut self,
        edge: EdgeId,
        seen: u64,
        most: u64,
        limit: &Limit,
        sightings: &mut Sightings,
    ) -> Result<Look, Self::Error> {
        (**self).look(edge, seen, most, limit, sightings)
    }
    fn price_if_free(&self, edge: EdgeId) -> u64 {
        (**self).price_if_free(edge)
    }
}

impl<C: Checker + ?Sized> Checker for Box<C> {
    type Error = C::Error;
    fn check(&mut self, edge: EdgeId, sightings: &mut Sightings) -> Result<Verdict, Self::Error> {
        (**self).check(edge, sightings)
    }
    fn look(
        &mut self,
        edge: EdgeId,
        seen: u64,
        most: u64,
        limit: &Limit,
        sightings: &mut Sightings,
    ) -> Result<Look, Self::Error> {
        (**self).look(edge, seen, most, limit, sightings)
    }
    fn price_if_free(&self, edge: EdgeId) -> u64 {
        (**self).price_if_free(edge)
    }
}

/// Configurations seen during one check, and whether each was free.
#[derive(Debug, Clone, Default)]
pub struct Sightings {
    dimension: usize,
    coordinates: Vec<f64>,
    free: Vec<bool>,
}

impl Sightings {
    /// None yet, of configurations with `dimension` values.
    #[must_use]
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension,
            ..Self::default()
        }
    }

    /// Makes room for so many.
    pub fn reserve(&mut self, count: usize) {
        self.coordinates.reserve(count * self.dimension);
        self.free.reserve(count);
    }

    /// Forgets all, keeping the memory for the next check.
    pub fn clear(&mut self) {
        self.coordinates.clear();
        self.free.clear();
    }

    /// Records one configuration.
    ///
    /// # Panics
    /// If it has the wrong number of values.
    pub fn push(&mut self, configuration: &[f64], free: bool) {
        assert_eq!(
            configuration.len(),
            self.dimension,
            "a sighting must have as many values as the roadmap's space has axes"
        );
        self.coordinates.extend_from_slice(configuration);
        self.free.push(free);
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.free.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.free.is_empty()
    }

    /// Each configuration and whether it was free, in the order of checking.
    pub fn iter(&self) -> impl Iterator<Item = (&[f64], bool)> {
        self.coordinates
            .chunks_exact(self.dimension.max(1))
            .zip(self.free.iter().copied())
    }
}
