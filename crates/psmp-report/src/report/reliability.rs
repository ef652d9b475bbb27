//! The reliability diagram: a panel for each number of checks, a line for each belief.

use super::data::Point;
use super::plot::{Axis, Plot};
use super::style::{DASHES, Line, REFERENCE};
use crate::drawing::{Anchor, Canvas, write_as_named};
use psmp_files::FileError;
use psmp_lab::calibration::Calibration;
use std::path::Path;

/// The colours of Okabe and Ito, told apart by everyone.
const COLOURS: [&str; 7] = [
    "#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#111111",
];
/// A share of fewer edges than this is mostly chance, and is not drawn.
const FEWEST: u64 = 30;
const HEADER: f64 = 58.0;
const MARGIN: f64 = 12.0;

/// Draws the reliability diagrams of some rows, all of one dataset, as an SVG document.
#[must_use]
pub fn reliability_diagram(rows: &[Calibration]) -> String {
    let mut beliefs: Vec<String> = Vec::new();
    let mut checks: Vec<usize> = Vec::new();
    for row in rows {
        if !beliefs.contains(&row.label()) {
            beliefs.push(row.label());
        }
        if !checks.contains(&row.checks) {
            checks.push(row.checks);
        }
    }
    checks.sort_unstable();
    let letters = beliefs.iter().map(|b| b.chars().count());
    let letters = letters.max().unwrap_or(0).max("as it says".len());
    let panels: Vec<(String, [f64; 2])> = checks
        .iter()
        .map(|&checks| panel(rows, &beliefs, checks, letters))
        .collect();

    let [width, height] = panels.first().map_or([400.0, 0.0], |(_, size)| *size);
    let columns = panels.len().clamp(1, 2);
    let lines = panels.len().div_ceil(columns);
    let mut canvas = Canvas::new(
        columns as f64 * width + 2.0 * MARGIN,
        HEADER + lines as f64 * height + MARGIN,
    );
    let title = rows.first().map_or_else(
        || "Nothing to show".to_owned(),
        |row| format!("Are beliefs right as often as they say? {}", row.dataset),
    );
    let at = [2.0 * MARGIN, 28.0];
    canvas.bold(at, 18.0, "#111111", Anchor::Start, &title);
    let subtitle = rows.first().map_or_else(String::new, |row| {
        let chosen = match row.order.as_str() {
            "random" => "checked at random".to_owned(),
            planner => format!("checked as {planner} does"),
        };
        format!(
            "edges not checked, in {} worlds that no belief has learned from; edges {chosen}",
            row.worlds
        )
    });
    let at = [2.0 * MARGIN, 48.0];
    canvas.text(at, 13.0, "#555555", Anchor::Start, &subtitle);
    for (place, (panel, _)) in panels.iter().enumerate() {
        let x = MARGIN + (place % columns) as f64 * width;
        let y = HEADER + (place / columns) as f64 * height;
        canvas.element(format_args!(
            "<g transform=\"translate({x:.1},{y:.1})\">{panel}</g>"
        ));
    }
    canvas.finish()
}

/// One panel and its size.
fn panel(
    rows: &[Calibration],
    beliefs: &[String],
    checks: usize,
    letters: usize,
) -> (String, [f64; 2]) {
    let title = match checks {
        0 => "Before any check".to_owned(),
        1 => "After 1 check".to_owned(),
        many => format!("After {many} checks"),
    };
    let x = Axis::linear("probability free, as believed", [0.0, 1.0]);
    let y = Axis::linear("share free, in truth", [0.0, 1.0]);
    let mut plot = Plot::new(&title, x, y, letters);
    let point = |x: f64, y: f64| Point {
        x,
        mean: y,
        low: y,
        high: y,
    };
    plot.line(&[point(0.0, 0.0), point(1.0, 1.0)], REFERENCE, "as it says");
    for (place, belief) in beliefs.iter().enumerate() {
        let wanted = |row: &&Calibration| row.label() == *belief && row.checks == checks;
        let Some(row) = rows.iter().find(wanted) else {
            continue;
        };
        let bins = row.reliability.iter().filter(|bin| bin.count >= FEWEST);
        let points: Vec<Point> = bins.map(|bin| point(bin.predicted, bin.free)).collect();
        let line = Line {
            colour: COLOURS[place % COLOURS.len()],
            dash: DASHES[place % DASHES.len()],
        };
        plot.line(&points, line, belief);
        plot.dots(&points, line.colour);
    }
    let size = plot.size();
    (plot.finish(), size)
}

/// Writes the diagram as SVG or PNG, by the extension of `path`.
///
/// # Errors
/// If the extension is another one or the file cannot be written.
pub fn write_reliability_diagram(path: &Path, rows: &[Calibration]) -> Result<(), FileError> {
    write_as_named(&reliability_diagram(rows), path)
}
