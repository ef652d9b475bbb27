//! What is told of experiments: rows in files, the published experiments done again, pictures, and
//! the report.
//!
//! [`reproduce`] runs whole experiments with what [`psmp_lab`] has and keeps every piece
//! ([`keep`], [`KeptRows`]); [`rows`] and [`calibrations`] write tables of what came of them.
//! [`picture`] draws single runs, [`report`] figures and a page;
//! [`mod@bench`] has what benchmarks run in, and films of their runs.
#![deny(missing_docs)]

pub mod bench;
#[cfg(feature = "rows")]
pub mod calibrations;
mod drawing;
pub mod keep;
mod kept_rows;
mod older_rows;
pub mod picture;
pub mod report;
pub mod reproduce;
#[cfg(feature = "rows")]
pub mod rows;

pub use kept_rows::{Kept, KeptRows};
