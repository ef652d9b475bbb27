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

use std::path::{Path, PathBuf};

/// The folder of real data: `PSMP_DATA`, else `../shared/data` beside the workspace. Where there
/// is none it says so, and the test that asked has nothing to try.
fn real_data() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = match std::env::var_os("PSMP_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => workspace.join("../shared/data"),
    };
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!(
        "SKIPPED: there is no real data at `{}`; set PSMP_DATA to the folder that has it",
        folder.display()
    );
    None
}
