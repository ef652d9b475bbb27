//! The file formats, tried as a user would: whole files and folders, good ones and broken ones.
#![allow(clippy::unwrap_used)] // In a test an unwrap is an assertion.

/// How much memory a reader asks for.
mod allocations;
/// Damaged files of every format, thousands of them. A reader may refuse them or make sense of
/// them, but it must not panic, take long, or allocate memory that the file gives no reason for.
mod broken;
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
