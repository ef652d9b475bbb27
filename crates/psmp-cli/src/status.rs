//! A line that says how a run stands while it goes on: the time, what has been spent and found, and what it is
//! doing.
//!
//! It is drawn on standard error by a thread of its own, so that it is there at once however long a step takes;
//! only where that is a terminal, and never beside JSON. A terminal has one such line, so that all who say
//! something find it here and write [`aside`] of it.

use crate::stopwatch::Stopwatch;
use indicatif::{ProgressBar, ProgressStyle};
use psmp::checker::World;
use psmp::{Progress, Session, Yardstick};
use psmp_lab::counted;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// How often the line is drawn.
const OFTEN: Duration = Duration::from_millis(100);

static LINE: OnceLock<ProgressBar> = OnceLock::new();

/// Shows the line from now on, where there is a terminal to show it on.
pub fn begin() {
    let line = LINE.get_or_init(ProgressBar::new_spinner);
    if let Ok(style) = ProgressStyle::with_template("{elapsed:>4}  {wide_msg}") {
        line.set_style(style);
    }
    line.set_message("reading");
    line.enable_steady_tick(OFTEN);
}

/// Says what is done now.
pub fn doing(what: impl Into<String>) {
    if let Some(line) = LINE.get() {
        line.set_message(what.into());
    }
}

/// Does something that writes lines of its own, without the line in between.
pub fn aside<T>(write: impl FnOnce() -> T) -> T {
    match LINE.get() {
        Some(line) => line.suspend(write),
        None => write(),
    }
}

/// The line is gone.
pub fn end() {
    if let Some(line) = LINE.get() {
        line.finish_and_clear();
    }
}

/// What a session is doing, in a word.
pub fn doing_now<'s, W: World + Clone + Send + 's>(session: &Session<'s, W>) -> &'static str {
    match (session.is_straightening(), session.is_prepared()) {
        (true, _) => "straightening",
        (_, false) => "joining start and goal",
        _ => "planning",
    }
}

/// Tells of a run in progress.
pub struct Telling<'a> {
    checks: &'a Stopwatch,
    began: Instant,
    said: Option<Instant>,
}

impl<'a> Telling<'a> {
    /// The run begins, and its checks are timed.
    pub fn new(checks: &'a Stopwatch) -> Self {
        Self {
            checks,
            began: Instant::now(),
            said: None,
        }
    }

    /// Hears where the run stands and what it is doing; says so if it is time to.
    pub fn hear(&mut self, progress: Progress, doing: &str) {
        let is_seen = LINE.get().is_some_and(|line| !line.is_hidden());
        if !is_seen || self.said.is_some_and(|said| said.elapsed() < OFTEN) {
            return;
        }
        self.said = Some(Instant::now());
        let all = self.began.elapsed().as_secs_f64().max(1e-9);
        let checking = (self.checks.time().as_secs_f64() / all).min(1.0);
        self::doing(in_words(progress, doing, 1.0 - checking));
    }
}

fn in_words(progress: Progress, doing: &str, thinking: f64) -> String {
    let spent = counted(progress.configurations, "checks");
    let best = match progress.best_length {
        Some(length) => format!("best {length:.4}"),
        None => "no path yet".to_owned(),
    };
    let bound = match (progress.lower_bound, progress.yardstick) {
        (bound, _) if !bound.is_finite() => String::new(),
        (bound, Yardstick::ShortestOnRoadmap) => format!(", on the roadmap at least {bound:.4}"),
        (bound, Yardstick::StraightLine) => format!(", at least {bound:.4}"),
    };
    format!(
        "{doing}: {spent}, {best}{bound}; {:.0}% thinking",
        thinking * 100.0
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_says_what_was_spent_and_found_and_is_done() {
        let progress = Progress {
            configurations: 1200,
            best_length: Some(1.5),
            lower_bound: 1.25,
            ..Progress::BEGINNING
        };
        let words = in_words(progress, "planning", 0.257);
        for part in [
            "planning",
            "1200",
            "best 1.5000",
            "at least 1.2500",
            "26% thinking",
        ] {
            assert!(words.contains(part), "{part} in {words}");
        }
        let nothing = in_words(Progress::BEGINNING, "joining", 1.0);
        assert!(nothing.contains("no path yet"), "{nothing}");
    }
}
