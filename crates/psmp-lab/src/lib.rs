//! Experiments: planners by name, runs in recorded and generated worlds, scores and statistics.
#![deny(missing_docs)]

mod arena;
pub mod calibration;
pub mod clutter;
mod counted;
mod event_hash;
pub mod families;
mod planner_name;
mod planner_spec;
mod problems;
mod recorded;
mod resolution;
mod row;
pub mod score;
mod shelf;
pub mod statistics;
mod summary;
pub mod sweep;
pub mod trial;

pub use arena::{Arena, checker_for, scale};
pub use counted::counted;
pub use event_hash::EventHash;
pub use planner_name::{NoSuchPlanner, PlannerName};
pub use planner_spec::{
    AnyPlanner, BeliefName, PlannerSpec, ProposerName, Setting, SpecError, ValidatorName,
};
pub use problems::{Origin, Problems};
pub use recorded::RecordedChecker;
pub use resolution::{ResolutionError, resolution_for};
pub use row::Row;
pub use summary::{Summary, summarise};
