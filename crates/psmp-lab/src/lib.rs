//! Experiments: runs in recorded and generated worlds, sweeps over them, scores and statistics.
#![deny(missing_docs)]

mod arena;
pub mod arm_scenes;
pub mod calibration;
mod counted;
mod entrant;
mod event_hash;
pub mod families;
mod free_edges;
pub mod grown;
mod maps;
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

pub use arena::{Arena, InImage, checker_for, fallback_name};
pub use counted::counted;
pub use entrant::{Entrant, EntrantError, EntrantName, SHORTCUT};
pub use event_hash::EventHash;
pub use maps::{MapSet, MapsError, map_record, robot_in_map, usual_map_resolution};
pub use problems::{Origin, Problems};
pub use recorded::{Looks, RecordedChecker};
pub use resolution::{ResolutionError, resolution_for, resolution_in};
pub use row::Row;
pub use shortest_way::shortest_way;
pub use summary::{Summary, summarise};
