//! What is checked, and the formats it comes in.
#![deny(missing_docs)]

mod clearance;
mod error;
mod occupancy;
mod raster;
mod ros_map;
mod save;
mod shapes;
mod world;

pub use clearance::{DiscRobot, RadiusError};
pub use error::{FileError, Place};
pub use occupancy::{Frame, GridError, ImageOptions, OccupancyGrid};
pub use ros_map::UnknownCells;
pub use save::save;
pub use shapes::{ShapeError, Shapes};
