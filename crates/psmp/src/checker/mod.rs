//! Checking edges: the only thing that costs.
//!
//! A [`Checker`] says of an edge, or of a part of it, whether it is free, and what finding out has
//! cost. [`BisectionChecker`] walks the configurations of an edge through any [`World`],
//! [`TableChecker`] looks the answer up, and [`check_with`] takes a closure. Planners that make their
//! own way ask a [`MotionChecker`] instead.
//!
//! A checker may fail (a sensor, a remote service): the planner hands the error on, keeps everything it
//! has learned, and asks again when it is driven on. What a check has seen before it failed is counted
//! and believed like anything else.

mod ahead;
mod bisection;
mod closure;
mod memory;
mod motion_checker;
mod prober;
mod prover;
mod side_by_side;
mod table;
mod vertices_once;

pub use ahead::Foreseen;
pub use bisection::{BisectionChecker, BisectionError};
pub use closure::{ClosureChecker, check_with};
pub use memory::EdgeMemory;
pub use motion_checker::MotionChecker;
pub use prober::{Probed, Prober, World, WorldFn};
pub use prover::{Proof, Stretches};
pub use side_by_side::SideBySide;
pub use table::{EdgeCosts, TableChecker, TableError, check_all};
pub use vertices_once::VerticesOnce;

use crate::roadmap::{EdgeId, Growth, RoadmapError};
use crate::stop::Limit;

/// What the check of a whole edge has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the whole edge is free.
    pub free: bool,
    /// How many configurations were checked to find out: the cost.
    pub configurations: u64,
}

/// What the check of an edge takes somebody, in configurations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bill {
    /// Those that are the edge's own.
    pub own: u64,
    /// Whether the vertex at each end is one more, and is known for all its edges from then on.
    pub ends: [bool; 2],
}

impl Bill {
    /// So many, and none that other edges share.
    #[must_use]
    pub const fn of_the_edge(configurations: u64) -> Self {
        Self {
            own: configurations,
            ends: [false; 2],
        }
    }
}

/// What a check of an edge, whole or in part, has found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finding {
    /// Whether the whole edge is free; `None` while that is inconclusive: no collision was found, but
    /// the end was not reached.
    pub free: Option<bool>,
    /// How many configurations were checked this time.
    pub configurations: u64,
}

impl Finding {
    /// Nothing was checked, because a limit did not allow it.
    pub const NOTHING: Finding = Finding::inconclusive(0);

    /// Free without asking.
    pub const UNQUESTIONED: Finding = Finding {
        free: Some(true),
        configurations: 0,
    };

    /// So many more configurations are free, and there are others.
    #[must_use]
    pub const fn inconclusive(configurations: u64) -> Self {
        Self {
            free: None,
            configurations,
        }
    }
}

impl From<Verdict> for Finding {
    fn from(verdict: Verdict) -> Self {
        Finding {
            free: Some(verdict.free),
            configurations: verdict.configurations,
        }
    }
}

/// The part of an edge that is to be checked.
#[derive(Debug, Clone, Copy)]
pub struct Part<'a> {
    /// The edge.
    pub edge: EdgeId,
    /// How many of its configurations have been found free before.
    pub seen: u64,
    /// About how many more to check.
    pub most: u64,
    /// Where to leave off in any case.
    pub limit: &'a Limit,
}

impl Part<'_> {
    /// All of an edge.
    #[must_use]
    pub const fn whole_of(edge: EdgeId) -> Part<'static> {
        Part {
            edge,
            seen: 0,
            most: u64::MAX,
            limit: &Limit::NONE,
        }
    }

    /// For checkers of whole edges, which cannot leave a check and take it up again: makes the check
    /// if the limit allows what it costs.
    ///
    /// # Errors
    /// Whatever keeps the check from an answer.
    pub fn whole<E>(
        self,
        cost: u64,
        check: impl FnOnce() -> Result<Verdict, E>,
    ) -> Result<Finding, E> {
        if cost > self.limit.configurations() {
            return Ok(Finding::NOTHING);
        }
        check().map(Finding::from)
    }
}

/// Something that can check an edge.
pub trait Checker {
    /// How a check can fail; [`std::convert::Infallible`] if it cannot.
    type Error;

    /// Checks an edge: goes on where the first `seen` configurations have been found free, and stops
    /// at a collision, at the end, after about `most` more, or where the limit says so. All checks of
    /// an edge together find the same, and cost the same, however they are divided; and each checks one
    /// configuration at least that the limit allows, or a run would never end. A checker that cannot be
    /// left and taken up again checks the whole edge ([`Part::whole`]) and is then never asked about
    /// it again.
    ///
    /// Configurations go into `sightings` as they are checked, for beliefs that can use them, and so may one in collision that
    /// blocks the edge without having been asked about again; a checker that only knows edges leaves it empty. After an error, what `sightings` holds counts as checked
    /// and seen.
    ///
    /// # Errors
    /// Whatever keeps the checker from an answer. The planner stays usable.
    fn check(&mut self, part: Part<'_>, sightings: &mut Sightings) -> Result<Finding, Self::Error>;

    /// How many configurations the check of an edge takes if the edge is free: what confirming
    /// costs, known beforehand. Refuting may cost less, and must not cost more.
    ///
    /// Proposers weigh paths by it, and what an [insured](crate::Planner::insured) planner promises
    /// is counted in it. One that says less than is true weakens that promise by what one check
    /// costs more than it says; so the default is safe.
    fn cost_if_free(&self, _edge: EdgeId) -> u64 {
        1
    }

    /// What the whole check of an edge, which has ended with this verdict or is taken to find it free, takes somebody who
    /// has not looked at it and may know its ends: as much as it took, or [`cost_if_free`](Self::cost_if_free), unless
    /// vertices are asked about once for all their edges. Where that cannot be told it says less. What an
    /// [insured](crate::Planner::insured) planner promises is counted in it.
    fn bill(&self, edge: EdgeId, verdict: Option<Verdict>, _knows_ends: [bool; 2]) -> Bill {
        Bill::of_the_edge(verdict.map_or_else(|| self.cost_if_free(edge), |v| v.configurations))
    }

    /// How many configurations of an edge to check where so many are wanted: as many, unless it knows of some without
    /// asking, or has some that are to come first.
    fn portion(&self, _edge: EdgeId, wanted: u64) -> u64 {
        wanted
    }

    /// How many configurations it would like to be [told](Self::foresee) of that are likely to be asked about next: none,
    /// unless it has cores that could do so meanwhile.
    fn foresight(&self) -> usize {
        0
    }

    /// These are likely to be checked after the part that is checked next, in this order, and all that was likely
    /// before is so no more. What it does about it changes no finding and no cost.
    fn foresee(&mut self, _likely: &[Foreseen]) {}

    /// Proves that an edge is free all along, after a check has found it free: the last stage before a
    /// path with this edge is given out. Inconclusive where the limit was met before it was decided;
    /// then it is gone on with if the same edge is asked about again.
    ///
    /// A checker that can find out no more than it has lets every edge pass.
    ///
    /// # Errors
    /// Whatever keeps the checker from an answer. The planner stays usable.
    fn prove(&mut self, _edge: EdgeId, _limit: &Limit) -> Result<Finding, Self::Error> {
        Ok(Finding::UNQUESTIONED)
    }

    /// The roadmap is about to [grow](crate::Planner::grow) by this: makes room, and refuses if the new
    /// edges could not be checked. A checker that holds a clone of the roadmap will find them there.
    ///
    /// # Errors
    /// If it cannot check edges beside those that it was made for, as by default.
    fn grow(&mut self, _growth: &Growth) -> Result<(), RoadmapError> {
        Err(RoadmapError::CannotGrow("what checks the edges"))
    }
}

/// A pointer to a checker is one.
macro_rules! pointer {
    ($pointer:ty) => {
        impl<C: Checker + ?Sized> Checker for $pointer {
            type Error = C::Error;
            fn check(
                &mut self,
                part: Part<'_>,
                sightings: &mut Sightings,
            ) -> Result<Finding, Self::Error> {
                (**self).check(part, sightings)
            }
            fn cost_if_free(&self, edge: EdgeId) -> u64 {
                (**self).cost_if_free(edge)
            }
            fn bill(&self, edge: EdgeId, verdict: Option<Verdict>, knows: [bool; 2]) -> Bill {
                (**self).bill(edge, verdict, knows)
            }
            fn portion(&self, edge: EdgeId, wanted: u64) -> u64 {
                (**self).portion(edge, wanted)
            }
            fn foresight(&self) -> usize {
                (**self).foresight()
            }
            fn foresee(&mut self, likely: &[Foreseen]) {
                (**self).foresee(likely);
            }
            fn prove(&mut self, edge: EdgeId, limit: &Limit) -> Result<Finding, Self::Error> {
                (**self).prove(edge, limit)
            }
            fn grow(&mut self, growth: &Growth) -> Result<(), RoadmapError> {
                (**self).grow(growth)
            }
        }
    };
}
pointer!(&mut C);
pointer!(Box<C>);

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

    /// Records one configuration; on a roadmap without any, an empty one that only counts.
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
