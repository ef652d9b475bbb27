//! Experiments: runs in recorded and generated worlds, sweeps over them, scores and statistics.
#![deny(missing_docs)]

mod arena;
pub mod calibration;
pub mod clutter;
mod counted;
mod event_hash;
pub mod families;
pub mod grown;
mod problems;
mod recorded;
mod resolution;
mod row;
pub mod score;
mod shortest_way;
pub mod statistics;
mod summary;
pub mod sweep;
pub mod trial;

pub use arena::{Arena, checker_for, fallback_name};
pub use counted::counted;
pub use event_hash::EventHash;
pub use problems::{Origin, Problems};
pub use recorded::RecordedChecker;
pub use resolution::{ResolutionError, resolution_for, resolution_in};
pub use row::Row;
pub use shortest_way::shortest_way;
pub use summary::{Summary, summarise};
