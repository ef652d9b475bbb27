//! What commands show alike: tables, numbers, progress bars, pictures.

use comfy_table::{CellAlignment, Table};
use indicatif::{ProgressBar, ProgressStyle};
use psmp::{CollisionTable, Event, EventKind, Progress, Yardstick};
use psmp_lab::counted;
use psmp_lab::trial::{Ending, Trial};
use serde::Serialize;
use serde_json::{Value, json};
use std::io::Write;
use std::time::{Duration, Instant};

/// Says a line on standard error. Where no one listens any more, that is no reason to fail.
#[macro_export]
macro_rules! say {
    ($($words:tt)*) => {{
        use std::io::Write as _;
        let _ = $crate::status::aside(|| writeln!(std::io::stderr(), $($words)*));
    }};
}

/// A table whose first `text` columns are words and whose others are numbers. It is Markdown, so
/// that it can be pasted where results are kept.
pub fn table(header: &str, text: usize) -> Table {
    let mut table = Table::new();
    table
        .load_style(comfy_table::presets::ASCII_MARKDOWN)
        .set_header(header.split(" | "));
    for (place, column) in table.column_iter_mut().enumerate() {
        if place >= text {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Writes a value to standard output as JSON.
pub fn json(value: &impl Serialize) -> anyhow::Result<()> {
    let mut out = std::io::stdout().lock();
    serde_json::to_writer_pretty(&mut out, value)?;
    writeln!(out)?;
    Ok(())
}

/// A number with so many digits, or a dash.
pub fn number(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |v| format!("{v:.digits$}"))
}

/// A share as per cent.
pub fn percent(share: f64) -> String {
    format!("{:.0}%", share * 100.0)
}

/// The share of a table's entries that are free.
pub fn share_free(table: &CollisionTable) -> f64 {
    let [_, by_world] = table.free_words();
    let free: u64 = by_world.iter().map(|w| u64::from(w.count_ones())).sum();
    free as f64 / (table.world_count() * table.edge_count()).max(1) as f64
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

/// A sign of life on standard error for work whose end no one knows.
pub fn spinner(what: &str) -> ProgressBar {
    let spinner = ProgressBar::new_spinner();
    spinner.set_message(what.to_owned());
    spinner
}

/// One line for each better path, or for the end of a run; other events say nothing.
pub struct Line<'a> {
    pub planner: &'a str,
    pub event: &'a Event,
    /// Whether the path was made better by straightening it.
    pub is_straightened: bool,
    /// Whether paths are straightened in the end, so that the last one is no longer the planner's.
    pub will_be_straightened: bool,
    /// Whether the roadmap grows, so that there is always more to try.
    pub grows: bool,
}

impl Line<'_> {
    pub fn write(&self, out: &mut impl Write, json: bool) -> std::io::Result<()> {
        let (kind, progress) = (self.event.kind, self.event.progress);
        let what = match kind {
            EventKind::Improved { .. } if self.is_straightened => "straightened",
            EventKind::Improved { .. } => "improved",
            EventKind::ShortestOnRoadmap => "shortest-on-roadmap",
            EventKind::NoPathOnRoadmap => "no-path-on-roadmap",
            EventKind::StraightLine => "straight-line",
            EventKind::GaveUp => "gave-up",
            EventKind::Settled => "settled",
            EventKind::Priced(prices) if json => {
                let line = json!({
                    "event": "priced",
                    "planner": self.planner,
                    "configurations": progress.configurations,
                    "price": prices.to_string(),
                });
                return writeln!(out, "{line}");
            }
            _ => return Ok(()),
        };
        if json {
            let line = json!({
                "event": what,
                "planner": self.planner,
                "configurations": progress.configurations,
                "edges": progress.edges,
                "proposals": progress.proposals,
                "length": progress.best_length,
            });
            return writeln!(out, "{}", with_bound(line, progress));
        }
        let spent = format!("{:>7} configurations", progress.configurations);
        let said = match (kind, progress.best_length, progress.gap()) {
            (EventKind::Improved { .. }, Some(length), _) if self.is_straightened => {
                format!("length {length:.4}  straightened")
            }
            (EventKind::Improved { .. }, Some(length), Some(gap)) => {
                format!("length {length:.4}  {}", at_most(gap, progress))
            }
            (EventKind::ShortestOnRoadmap, ..) if self.will_be_straightened => {
                "the path that was straightened was the shortest on this roadmap".to_owned()
            }
            (EventKind::ShortestOnRoadmap, ..) => {
                "that is the shortest path on this roadmap".to_owned()
            }
            (EventKind::NoPathOnRoadmap, ..) => "this roadmap has no path".to_owned(),
            (EventKind::StraightLine, ..) => {
                "that is the straight line, and nothing is shorter".to_owned()
            }
            (EventKind::Settled, ..) => "nothing has made the path shorter for long".to_owned(),
            (EventKind::GaveUp, None, _) if self.grows => {
                "for very long no path was found".to_owned()
            }
            _ => "nothing more is proposed".to_owned(),
        };
        writeln!(out, "{spent}  {said}")
    }
}

/// How a roadmap grows, said now and then: batches come by the hundred.
#[derive(Default)]
pub struct Growth {
    vertices: u64,
    edges: u64,
    said: Option<Instant>,
}

impl Growth {
    /// As long as this nothing more is said.
    const QUIET: Duration = Duration::from_secs(5);

    /// Hears of an event; says how far the roadmap has grown, if it was quiet for long.
    pub fn hear(&mut self, event: &Event) {
        let EventKind::Grown { vertices, edges } = event.kind else {
            return;
        };
        self.vertices += vertices;
        self.edges += edges;
        let since = self.said.get_or_insert_with(Instant::now);
        if since.elapsed() > Self::QUIET {
            *since = Instant::now();
            self.say();
        }
    }

    /// Says how far the roadmap has grown, if it has.
    pub fn say(&self) {
        if self.vertices + self.edges > 0 {
            let vertices = counted(self.vertices, "vertices");
            let edges = counted(self.edges, "edges");
            say!("the roadmap has grown by {vertices} and {edges} while it was planned on");
        }
    }
}

/// How far a path may be from what it is held against.
fn at_most(gap: f64, progress: Progress) -> String {
    let yardstick = progress.yardstick;
    // A path that was straightened no longer lies on the roadmap.
    let is_below = |length: f64| length < progress.lower_bound * (1.0 - 1e-9);
    match gap {
        0.0 if progress.best_length.is_some_and(is_below) => format!("less than {yardstick}"),
        0.0 => yardstick.to_string(),
        _ => format!("at most {:.1}% over {yardstick}", gap * 100.0),
    }
}

/// A JSON object with the lower bound and the gap added, under names that say what they are about.
pub fn with_bound(mut object: Value, progress: Progress) -> Value {
    let [bound, gap] = match progress.yardstick {
        Yardstick::ShortestOnRoadmap => ["lower_bound_on_roadmap", "gap_on_roadmap"],
        Yardstick::StraightLine => ["straight_line", "gap_over_straight_line"],
    };
    object[bound] = json!(Some(progress.lower_bound).filter(|b| b.is_finite()));
    object[gap] = json!(progress.gap());
    object
}

/// How long the best path was after so many configurations.
pub fn curve(trial: &Trial) -> Vec<(u64, f64)> {
    let found = trial.improvements.iter();
    let end = trial
        .progress
        .best_length
        .map(|length| (trial.progress.configurations, length));
    found
        .map(|i| (i.configurations, i.length))
        .chain(end)
        .collect()
}

/// What came of a run, in a line below a picture's title.
pub fn subtitle(trial: &Trial, steps: &str) -> String {
    let progress = trial.progress;
    let spent = counted(progress.configurations, "configurations");
    match (progress.best_length, progress.gap(), trial.ending) {
        (Some(length), Some(gap), _) => format!(
            "length {length:.3}, {}, after {spent} in {}",
            at_most(gap, progress),
            counted(progress.edges, steps)
        ),
        (.., Ending::NoPathOnRoadmap) => format!("no path on this roadmap, after {spent}"),
        _ => format!("no path after {spent}"),
    }
}
