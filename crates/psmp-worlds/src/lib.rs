//! What is checked, and the formats it comes in.
#![deny(missing_docs)]

mod error;
mod files;
pub mod mat5;

pub use error::{FileError, Place};
