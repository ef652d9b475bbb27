//! What is checked, and the formats it comes in.
#![deny(missing_docs)]

mod error;
mod occupancy;
mod raster;
mod save;
mod world;

pub use error::{FileError, Place};
pub use occupancy::{Frame, GridError, ImageOptions, OccupancyGrid};
pub use save::save;
