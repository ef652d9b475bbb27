//! What is checked, and the formats it comes in.
//!
//! *Worlds* say of a configuration whether it is free: an [`OccupancyGrid`] from an image or a ROS
//! map, a [`DiscRobot`] of some radius in one, [`Shapes`] in any dimension. *Formats* bring roadmaps
//! and experience in and out: [`Dataset`] folders, [`graphml`] roadmaps, collision tables
//! ([`TableFile`]), and all that was learned from worlds ([`BeliefFile`]). Whatever is wrong with a
//! file becomes a [`FileError`] that names the file, the place in it, and the remedy.
#![deny(missing_docs)]

mod belief_file;
mod clearance;
mod dataset;
mod embedding;
mod error;
mod files;
pub mod graphml;
pub mod mat5;
mod occupancy;
mod raster;
mod regular_file;
mod ros_map;
mod shapes;
mod table_file;
mod world;

pub use belief_file::{
    BeliefFile, BeliefParts, Fingerprint, MemberWeights, begin_belief, write_belief,
};
pub use clearance::{DiscRobot, RadiusError};
pub use dataset::{BitMatrix, Dataset, DatasetParts, Pairing, Prefer, ReadOptions};
pub use error::{FileError, Place};
pub use files::{check_writable, save, save_piece};
pub use occupancy::{Frame, GridError, ImageOptions, OccupancyGrid};
pub use regular_file::{read_regular, read_regular_text};
pub use ros_map::UnknownCells;
pub use shapes::{ShapeError, Shapes};
pub use table_file::{MOST_UNBORNE, TableFile, write_table};
