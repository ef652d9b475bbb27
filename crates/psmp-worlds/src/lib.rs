//! What is checked, and the formats it comes in.
#![deny(missing_docs)]

mod dataset;
mod embedding;
mod error;
mod files;
pub mod mat5;

pub use dataset::{BitMatrix, Dataset, DatasetParts, Pairing, Prefer, ReadOptions};
pub use error::{FileError, Place};
