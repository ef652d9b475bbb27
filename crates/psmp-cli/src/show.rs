//! What commands show alike: tables, numbers, progress bars, pictures.

use comfy_table::{CellAlignment, Table};
use indicatif::{ProgressBar, ProgressStyle};
use psmp::{AnytimePlanner, EdgeStatus, Query, Roadmap, VertexId};
use psmp_lab::picture::{EdgeMark, RunPicture};
use psmp_lab::trial::Trial;
use psmp_worlds::{FileError, OccupancyGrid};
use std::path::Path;

/// A table whose first `text` columns are words and whose others are numbers.
pub fn table(header: &[&str], text: usize) -> Table {
    let mut table = Table::new();
    table.load_preset("     ──            ").set_header(header);
    for (place, column) in table.column_iter_mut().enumerate() {
        if place >= text {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// A number with so many digits, or a dash.
pub fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |v| format!("{v:.digits$}"))
}

/// A share as per cent.
pub fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

/// A progress bar on standard error with the time left; nothing where no one is looking.
pub fn progress(count: u64, what: &str) -> ProgressBar {
    let bar = ProgressBar::new(count);
    let template = "{msg} [{bar:30}] {pos}/{len}, {eta} left";
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style.progress_chars("=> "));
    }
    bar.set_message(what.to_owned());
    bar
}

/// Draws a run into a file.
pub fn draw<E>(
    file: &Path,
    title: &str,
    roadmap: &Roadmap,
    query: Query,
    obstacles: Option<&OccupancyGrid>,
    planner: &mut (dyn AnytimePlanner<Error = E> + '_),
    trial: &Trial,
    shortest: Option<f64>,
) -> Result<(), FileError> {
    let edges: Vec<EdgeMark> = roadmap
        .edge_ids()
        .map(|edge| match planner.ledger().status(edge) {
            EdgeStatus::Free => EdgeMark::Free,
            EdgeStatus::Blocked => EdgeMark::Blocked,
            EdgeStatus::Unchecked => EdgeMark::Unknown {
                p_free: planner.probability_free(edge),
            },
        })
        .collect();
    let path: Option<Vec<VertexId>> = planner.best_path().map(|p| p.vertices().to_vec());
    let curve: Vec<(u64, f64)> = trial
        .improvements
        .iter()
        .map(|i| (i.configurations, i.length))
        .collect();
    let progress = trial.progress;
    let subtitle = match (progress.best_length, progress.gap()) {
        (Some(length), Some(gap)) => format!(
            "length {length:.3}, at most {:.1}% above the shortest, after {} configurations in {} edges",
            gap * 100.0,
            progress.configurations,
            progress.edges
        ),
        _ => format!("no path after {} configurations", progress.configurations),
    };
    RunPicture {
        title,
        subtitle: &subtitle,
        roadmap,
        query,
        obstacles,
        edges: &edges,
        path: path.as_deref(),
        curve: &curve,
        shortest,
    }
    .write(file)
}
