//! The file formats, tried as a user would: whole files and folders. Damaged ones are
//! tried in `psmp-fuzz`.
#![allow(clippy::unwrap_used)] // In a test an unwrap is an assertion.

/// What a dataset has, lacks, or has wrong.
mod datasets;
/// Roadmaps in GraphML.
mod graphml;
/// The six published datasets, where they are on this machine.
mod published;
/// Random datasets and roadmaps, written and read again.
mod round_trips;
/// A dataset to try things with.
mod sample;
