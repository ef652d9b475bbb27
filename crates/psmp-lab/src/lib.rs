//! Experiments: planners by name, runs in recorded and generated worlds, scores and statistics.
#![deny(missing_docs)]

pub mod families;
pub mod picture;
mod planner_spec;
mod recorded;
pub mod report;
mod resolution;
pub mod rows;
pub mod score;
pub mod statistics;
mod summary;
pub mod sweep;
pub mod trial;

pub use planner_spec::{
    AnyPlanner, BeliefName, PlannerSpec, ProposerName, Setting, SpecError, ValidatorName,
};
pub use recorded::RecordedChecker;
pub use resolution::{ResolutionError, resolution_for};
pub use summary::{Summary, summarise};
