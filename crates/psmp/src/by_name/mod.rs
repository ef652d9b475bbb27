//! Planners by name: `ei:ensemble`, `psmp:fs`, `lazysp:fs:bisect`, `rrtconnect`.
//!
//! The name of a planner on a roadmap is the proposer, then the belief, then the validator, joined by
//! colons; what is left out takes its default. The last part may be `insured` or `uninsured`: with
//! insurance a planner never checks more than twice what LazySP would plus one path that was proposed,
//! whatever its belief. Our own proposer is insured unless told otherwise; those of the literature are
//! plain. Planners that grow trees have names of one part.
//!
//! Each part is a row in a table ([`Descriptor`]) in a file of its own, and that table is all there is:
//! parsing, help, completions, the names that Python knows and the colours of reports come from it.
//! What beliefs learn from known worlds is kept in a [`ModelCache`] that the caller holds.
//!
//! ```
//! use psmp::by_name::{ModelCache, PlannerSpec, Setting};
//! use psmp::checker::{BisectionChecker, WorldFn};
//! use psmp::{Query, Resolution, Roadmap, Space, VertexId};
//!
//! let roadmap = Roadmap::random_geometric(Space::unit(2), 300, 0.15, 1)?;
//! let query = Query { start: VertexId(0), goal: VertexId(1) };
//! let world = WorldFn(|q: &[f64]| (q[0] - 0.5).hypot(q[1] - 0.5) > 0.2);
//! let checker = BisectionChecker::new(&roadmap, Resolution::distance(0.001)?, world)?;
//!
//! let spec: PlannerSpec = "ei:ensemble".parse()?;
//! let mut planner = spec.build(&Setting::new(&roadmap, query), Box::new(checker))?;
//! while let Some(event) = planner.step(&psmp::Limit::NONE) {
//!     println!("{:?}", event?.kind);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod belief;
mod model_cache;
mod planner;
mod proposer;
mod trees;
mod validator;

pub use belief::{BeliefName, MemberWeights};
pub use model_cache::ModelCache;
pub use planner::{AnyPlanner, PlannerSpec, Setting};
pub use proposer::ProposerName;
pub use trees::{AnyTreePlanner, TreeName};
pub use validator::ValidatorName;

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A row in a table of names.
#[derive(Debug, Clone, Copy)]
pub struct Descriptor<T> {
    /// The name.
    pub name: &'static str,
    /// What it is, in a few words.
    pub summary: &'static str,
    /// What has that name.
    pub what: T,
    /// The colours of its lines in reports, the first and that of further ones; those of Okabe and
    /// Ito, which everyone can tell apart. Empty where lines are not told apart by it.
    pub colours: &'static [&'static str],
}

/// Why a name is no planner, or a planner cannot be made here.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum SpecError {
    /// Nothing has that name.
    #[error("`{name}` is no {part}: choose one of {choices}")]
    Unknown {
        /// What was to be named, such as "proposer".
        part: &'static str,
        /// What was given.
        name: String,
        /// What could have been.
        choices: String,
    },
    /// The name has more parts than there are.
    #[error(
        "`{0}` has too many parts: a planner is PROPOSER[:BELIEF[:VALIDATOR]][:insured|:uninsured]"
    )]
    TooManyParts(String),
    /// Only LazySP can do without a belief.
    #[error("`{0}` needs a belief, as in `{0}:fs` or `{0}:nn`")]
    NoBelief(String),
    /// The belief needs known worlds and there are none.
    #[error("belief `{0}` needs known worlds, and there are none here")]
    NoExperience(String),
    /// The belief cannot be made for this roadmap.
    #[error("belief `{name}`: {why}")]
    Belief {
        /// Its name.
        name: String,
        /// Why not.
        why: String,
    },
}

/// The names of a table, to choose from.
fn quoted<T>(table: &[Descriptor<T>]) -> String {
    let names: Vec<String> = table.iter().map(|row| format!("`{}`", row.name)).collect();
    names.join(", ")
}

/// What has a name in a table.
///
/// # Errors
/// If nothing has it: then what could have been meant is told, `more` behind the rest.
pub fn look_up<T: Copy>(
    part: &'static str,
    name: &str,
    table: &[Descriptor<T>],
    more: &str,
) -> Result<T, SpecError> {
    let known = table.iter().find(|row| row.name == name);
    known.map(|row| row.what).ok_or_else(|| SpecError::Unknown {
        part,
        name: name.to_owned(),
        choices: quoted(table) + more,
    })
}

/// The name that something has in a table.
pub fn name_of<T: PartialEq>(what: &T, table: &[Descriptor<T>]) -> &'static str {
    let known = table.iter().find(|row| row.what == *what);
    known.map_or("?", |row| row.name)
}

/// Gives an enumeration its table: a line for each name, what has it, what that is, and colours. One
/// that has nothing but names is made with it, and is parsed and written by it.
#[macro_export]
macro_rules! table_of_names {
    ($(#[$meta:meta])* pub enum $kind:ident, $part:literal:
     $($(#[$own:meta])* $name:literal $what:ident, $summary:literal $([$($colour:literal)+])?;)+) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        pub enum $kind {
            $(#[doc = $summary] $(#[$own])* $what,)+
        }
        $crate::table_of_names! {
            $kind: $($name Self::$what, $summary $([$($colour)+])?;)+
        }
        $crate::by_table!($kind, $part);
    };
    ($kind:ty: $($name:literal $what:expr, $summary:literal $([$($colour:literal)+])?;)+) => {
        impl $kind {
            /// All that have a name.
            pub const TABLE: &'static [$crate::by_name::Descriptor<Self>] = &[$(
                $crate::by_name::Descriptor {
                    name: $name,
                    summary: $summary,
                    what: $what,
                    colours: &[$($($colour),+)?],
                }
            ),+];
        }
    };
}

/// Lets names that have a table be parsed and written by it.
#[macro_export]
macro_rules! by_table {
    ($kind:ty, $part:literal) => {
        impl std::str::FromStr for $kind {
            type Err = $crate::by_name::SpecError;
            fn from_str(name: &str) -> Result<Self, Self::Err> {
                $crate::by_name::look_up($part, name, Self::TABLE, "")
            }
        }
        impl std::fmt::Display for $kind {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str($crate::by_name::name_of(self, Self::TABLE))
            }
        }
    };
}

/// Behind the name of a planner on a roadmap: one that grows.
pub const GROWING: &str = "+grow";

/// A planner of either kind, by name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PlannerName {
    /// On a roadmap, such as `psmp:fs`.
    OnRoadmap(PlannerSpec),
    /// On a roadmap that grows, whatever its proposer, such as `lazysp+grow`.
    Growing(PlannerSpec),
    /// One that grows trees and knows no roadmap, such as `rrtconnect`.
    Tree(TreeName),
}

impl PlannerName {
    /// The planner that plans best where nothing is known of the problem.
    pub const DEFAULT: &'static str = "ei:ensemble";

    /// Whether it lets its roadmap grow where that may: our own planners do, and those of the literature
    /// if their name says so.
    #[must_use]
    pub fn grows(&self) -> bool {
        match self {
            Self::OnRoadmap(spec) => spec.proposer.is_ours(),
            Self::Growing(_) => true,
            Self::Tree(_) => false,
        }
    }

    /// Whether it checks edges of a roadmap in parts, as our own planners do; those of the literature check whole edges, and in
    /// their experiments each edge counts its ends again.
    #[must_use]
    pub fn checks_in_parts(&self) -> bool {
        match self {
            Self::OnRoadmap(spec) | Self::Growing(spec) => {
                spec.validator == ValidatorName::CoarseToFine
            }
            Self::Tree(_) => false,
        }
    }

    /// The colours of the lines in reports of a planner with this name; none if it is none.
    #[must_use]
    pub fn colours(name: &str) -> Option<&'static [&'static str]> {
        let name = name.strip_suffix(GROWING).unwrap_or(name);
        let first = name.split(':').next()?;
        let proposers = ProposerName::TABLE
            .iter()
            .map(|row| (row.name, row.colours));
        let trees = TreeName::TABLE.iter().map(|row| (row.name, row.colours));
        let mut all = proposers.chain(trees);
        all.find(|(known, _)| *known == first)
            .map(|(_, colours)| colours)
    }
}

impl Default for PlannerName {
    fn default() -> Self {
        Self::OnRoadmap(PlannerSpec::default())
    }
}

/// No planner of either kind has that name.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{error}; without a roadmap plan {}", quoted(TreeName::TABLE))]
pub struct NoSuchPlanner {
    #[source]
    error: SpecError,
}

impl FromStr for PlannerName {
    type Err = NoSuchPlanner;

    fn from_str(name: &str) -> Result<Self, NoSuchPlanner> {
        if let Ok(tree) = name.parse() {
            return Ok(PlannerName::Tree(tree));
        }
        let (kind, spec): (fn(PlannerSpec) -> Self, &str) = match name.strip_suffix(GROWING) {
            Some(spec) => (PlannerName::Growing, spec),
            None => (PlannerName::OnRoadmap, name),
        };
        spec.parse()
            .map(kind)
            .map_err(|error| NoSuchPlanner { error })
    }
}

impl fmt::Display for PlannerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlannerName::OnRoadmap(planner) => planner.fmt(f),
            PlannerName::Growing(planner) => write!(f, "{planner}{GROWING}"),
            PlannerName::Tree(tree) => tree.fmt(f),
        }
    }
}
