//! What is checked, and the formats it comes in.
#![deny(missing_docs)]

mod dataset;
mod embedding;
mod error;
mod files;
pub mod graphml;
pub mod mat5;
mod table_file;

pub use dataset::{BitMatrix, Dataset, DatasetParts, Pairing, Prefer, ReadOptions};
pub use error::{FileError, Place};
pub use table_file::{MappedTable, write_table};
