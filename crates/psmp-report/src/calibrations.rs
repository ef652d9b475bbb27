//! Calibrations in files: CSV for spreadsheets, JSON for scripts.

use psmp_files::{FileError, check_writable, save};
use psmp_lab::calibration::{Bin, Calibration};
use serde::Serialize;
use std::path::Path;

/// Whether rows can be written to this file, before they have been worked for.
///
/// # Errors
/// If the ending names no format that they are written in, or the file cannot be written.
pub fn check_file(path: &Path) -> Result<(), FileError> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("csv" | "json") => check_writable(path),
        _ => Err(no_format(path)),
    }
}

fn no_format(path: &Path) -> FileError {
    FileError::new(path, "ends in no format that a calibration is written in")
        .hint("end the name in `.csv` or `.json`")
}

/// A row of a CSV file, where a diagram is one column.
#[derive(Serialize)]
struct Line<'a> {
    dataset: &'a str,
    belief: &'a str,
    order: &'a str,
    edges: &'a str,
    checks: usize,
    worlds: usize,
    predictions: u64,
    brier: f64,
    log_loss: f64,
    log_loss_low: f64,
    log_loss_high: f64,
    calibration_error: f64,
    /// Each bin as `count:predicted:free`, separated by blanks.
    reliability: String,
    distances: &'a str,
}

/// Writes rows in the format that the file's ending names: `.csv` or `.json`. The file is there
/// whole or not at all.
///
/// # Errors
/// If the ending is another, or the file cannot be written.
pub fn write(path: &Path, rows: &[Calibration]) -> Result<(), FileError> {
    let trouble = |e: &dyn std::fmt::Display| FileError::new(path, format!("cannot write it: {e}"));
    let bytes = match path.extension().and_then(|e| e.to_str()) {
        Some("csv") => {
            let mut writer = csv::Writer::from_writer(Vec::new());
            for row in rows {
                let bin = |b: &Bin| format!("{}:{}:{}", b.count, b.predicted, b.free);
                let line = Line {
                    dataset: &row.dataset,
                    belief: &row.belief,
                    order: &row.order,
                    edges: row.edges,
                    checks: row.checks,
                    worlds: row.worlds,
                    predictions: row.predictions,
                    brier: row.brier,
                    log_loss: row.log_loss,
                    log_loss_low: row.log_loss_interval.0,
                    log_loss_high: row.log_loss_interval.1,
                    calibration_error: row.calibration_error,
                    reliability: row
                        .reliability
                        .iter()
                        .map(bin)
                        .collect::<Vec<_>>()
                        .join(" "),
                    distances: row.distances,
                };
                writer.serialize(line).map_err(|e| trouble(&e))?;
            }
            writer.into_inner().map_err(|e| trouble(&e))?
        }
        Some("json") => serde_json::to_vec_pretty(rows).map_err(|e| trouble(&e))?,
        _ => return Err(no_format(path)),
    };
    save(path, &bytes)
}
