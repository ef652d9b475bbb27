//! Every reader of psmp under damaged and hostile files.
//!
//! Whatever a file holds, reading it must end: in what it says or in an error that tells what to do,
//! within seconds, without a panic, and in memory that is in proportion to the file. [`TARGETS`] is
//! the list of all readers, each with a few sound files that are written here and a way to read one
//! and use it a little. [`mutant`] damages sound files, the same way for the same seed. [`measure`]
//! reads a file and tells how long that took and how much memory.
//!
//! The list is used twice: `tests/mutants.rs` reads a few thousand mutants with each reader, and the
//! folder `fuzz` beside the crates has a target of `cargo fuzz` for each.
#![deny(missing_docs)]
#![allow(
    clippy::unwrap_used,
    reason = "what is unwrapped are the sound files written here, which no user can change"
)]

mod dense;
pub mod measure;
mod mutate;
mod packed;
mod seeds;
mod targets;

pub use mutate::mutant;
pub use targets::{NOT_READ, TARGETS, Target, target};
