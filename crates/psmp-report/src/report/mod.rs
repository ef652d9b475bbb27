//! The report: what a reproduction found, as figures and a page.
//!
//! [`write()`] makes a folder with `index.html`, one file that opens anywhere without a network,
//! `figures/`, the same figures as SVG for papers and PNG for slides, and `summary.md`, the tables
//! and the claims as text.

pub mod comparison;
mod data;
mod figures;
pub mod film;
mod labels;
pub mod live;
mod markdown;
mod moment;
mod motion;
mod page;
mod playback;
mod plot;
mod recorder;
mod reliability;
pub mod run_page;
mod slimming;
mod style;
mod tables;

pub use data::{
    Claim, Family, Film, Frame, FrameKind, Grown, Motion, Point, RegretGrowth, Report, Series,
    Stage, Verdict,
};

pub use reliability::{reliability_diagram, write_reliability_diagram};

use crate::drawing::write_as_named;
use psmp_files::{FileError, save};
use std::fs;
use std::path::Path;

/// Writes a report into a folder, which is made if it is not there.
///
/// # Errors
/// If the folder cannot be made or written to.
pub fn write(report: &Report, folder: &Path) -> Result<(), FileError> {
    let styles = style::Styles::of(report);
    let figures: Vec<Vec<figures::Figure>> = report
        .families
        .iter()
        .map(|family| figures::figures(family, &styles))
        .collect();
    let drawn = folder.join("figures");
    fs::create_dir_all(&drawn).map_err(|e| FileError::io(&drawn, "create", e))?;
    for panel in figures.iter().flatten().flat_map(|figure| &figure.panels) {
        for extension in ["svg", "png"] {
            let path = drawn.join(format!("{}.{extension}", panel.name));
            write_as_named(&panel.svg, &path)?;
        }
    }
    let summary = markdown::summary(report);
    save(folder.join("summary.md"), summary.as_bytes())?;
    // The page comes last: where it is, all is.
    let page = page::html(report, &figures);
    save(folder.join("index.html"), page.as_bytes())
}

#[cfg(test)]
mod tests;
