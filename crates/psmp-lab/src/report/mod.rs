//! The report: what a reproduction found, as figures and a page.

mod data;
pub mod film;
mod markdown;

pub use data::{
    Claim, Family, Film, Frame, FrameKind, Point, RegretGrowth, Report, Series, Verdict,
};

use psmp_worlds::{FileError, save};
use std::path::Path;

/// Writes a report into a folder, which is made if it is not there: `summary.md`, the tables and
/// the claims as text.
///
/// # Errors
/// If a file cannot be written.
pub fn write(report: &Report, folder: &Path) -> Result<(), FileError> {
    std::fs::create_dir_all(folder).map_err(|e| FileError::io(folder, "create", e))?;
    save(
        folder.join("summary.md"),
        markdown::summary(report).as_bytes(),
    )
}
