//! What is checked, and the formats it comes in.
//!
//! *Worlds* say of a configuration whether it is free: an [`OccupancyGrid`] from an image or a ROS
//! map ([`MapFile`] reads either), a [`DiscRobot`] of some radius in one, [`Shapes`] in any dimension. *Formats* bring roadmaps
//! and experience in and out: [`Dataset`] folders, [`graphml`] roadmaps and MAT-files ([`mat5`]).
#![deny(missing_docs)]

mod clearance;
mod dataset;
mod embedding;
pub mod graphml;
mod map_file;
pub mod mat5;
mod occupancy;
mod raster;
mod ros_map;
mod shapes;
mod world;

pub use clearance::{DiscRobot, RadiusError};
pub use dataset::{BitMatrix, Dataset, DatasetParts, Pairing, Prefer, ReadOptions};
pub use map_file::MapFile;
pub use occupancy::{Frame, GridError, ImageOptions, OccupancyGrid};
pub use ros_map::UnknownCells;
pub use shapes::{ShapeError, Shapes};
