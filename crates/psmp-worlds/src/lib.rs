//! What is checked, and the formats it comes in.
#![deny(missing_docs)]

mod clearance;
mod dataset;
mod embedding;
mod error;
mod files;
pub mod mat5;
mod occupancy;
mod raster;
mod ros_map;
mod shapes;
mod world;

pub use clearance::{DiscRobot, RadiusError};
pub use dataset::{BitMatrix, Dataset, DatasetParts, Pairing, Prefer, ReadOptions};
pub use error::{FileError, Place};
pub use files::save;
pub use occupancy::{Frame, GridError, ImageOptions, OccupancyGrid};
pub use ros_map::UnknownCells;
pub use shapes::{ShapeError, Shapes};
