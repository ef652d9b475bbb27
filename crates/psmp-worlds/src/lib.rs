//! What is checked, and the formats it comes in.
#![deny(missing_docs)]

mod error;

pub use error::{FileError, Place};
