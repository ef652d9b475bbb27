//! When `psmp plan` ends before it is done: its budgets, its time, Ctrl-C and SIGTERM.
//!
//! Time counts from the beginning of the command. While the problem is read and the roadmap is made
//! there is nothing yet that a stop could save, so the process just ends; from then on the planner is
//! asked to leave off, and the best path so far is written.

use crate::failure::Outcome;
use crate::{numbers, say, status};
use anyhow::Result;
use clap::Args;
use psmp::{Limit, Stop};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// When to end, as it is told.
#[derive(Debug, Args)]
#[command(next_help_heading = "Stopping")]
pub struct StopArgs {
    /// Stop after this many configurations.
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    configurations: Option<u64>,

    /// Stop after this many edges.
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    edges: Option<u64>,

    /// Stop after this many proposed paths.
    #[arg(long, value_name = "COUNT", allow_negative_numbers = true)]
    proposals: Option<u64>,

    /// Stop after this many seconds, counted from the beginning of the command.
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, allow_negative_numbers = true)]
    time: Option<Duration>,

    /// Stop once the path is certainly at most this share longer than the shortest on the roadmap;
    /// without a roadmap, than the straight line.
    #[arg(long, value_name = "SHARE", value_parser = numbers::not_negative, allow_negative_numbers = true)]
    gap: Option<f64>,
}

impl StopArgs {
    /// Whether any condition was given.
    pub fn are_given(&self) -> bool {
        self.are_met() || self.gap.is_some()
    }

    /// Whether any condition was given that will be met in the end, come what may.
    pub fn are_met(&self) -> bool {
        let counts = [self.configurations, self.edges, self.proposals];
        self.time.is_some() || counts.iter().any(Option::is_some)
    }
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|s| Duration::try_from_secs_f64(s).ok())
        .ok_or_else(|| "expected a number of seconds".to_owned())
}

/// What stops a run of `psmp plan`.
pub struct Stopping<'a> {
    args: &'a StopArgs,
    began: Instant,
    interrupted: Arc<AtomicBool>,
    is_preparing: Arc<AtomicBool>,
    /// When the problem was ready.
    prepared: OnceLock<Instant>,
}

impl<'a> Stopping<'a> {
    /// The command begins.
    pub fn begin(args: &'a StopArgs) -> Result<Self> {
        let stopping = Self {
            args,
            began: Instant::now(),
            interrupted: Arc::new(AtomicBool::new(false)),
            is_preparing: Arc::new(AtomicBool::new(true)),
            prepared: OnceLock::new(),
        };
        let (interrupted, is_preparing) =
            (stopping.interrupted.clone(), stopping.is_preparing.clone());
        ctrlc::set_handler(move || {
            interrupted.store(true, Ordering::Relaxed);
            end_preparation(&is_preparing, "interrupted before planning began");
        })?;
        if let Some(time) = args.time {
            let is_preparing = stopping.is_preparing.clone();
            std::thread::spawn(move || {
                std::thread::sleep(time);
                let stopped = format!(
                    "stopped after {} s, before planning began",
                    time.as_secs_f64()
                );
                end_preparation(&is_preparing, &stopped);
            });
        }
        Ok(stopping)
    }

    /// The problem is ready: from now on it is the planner that stops.
    pub fn planning_begins(&self) {
        self.is_preparing.store(false, Ordering::Relaxed);
        self.prepared.get_or_init(Instant::now);
    }

    /// How long it took until the problem was ready, or has taken so far.
    pub fn preparation(&self) -> Duration {
        let now = Instant::now();
        *self.prepared.get().unwrap_or(&now) - self.began
    }

    /// No one hears of better paths any more: ends the run as if interrupted.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    /// Whether the run is to end, and not for a budget.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// The conditions given, any of which stops a session; and those of them that stop what comes after planning.
    pub fn limits(&self) -> [Limit; 2] {
        self.limits_since(self.began, &Stop::never())
    }

    /// The same for a session that begins now, and is stopped by another condition too.
    pub fn limits_from_now(&self, other: &Stop) -> [Limit; 2] {
        self.limits_since(Instant::now(), other)
    }

    fn limits_since(&self, began: Instant, other: &Stop) -> [Limit; 2] {
        let args = self.args;
        let given = [
            args.edges.map(Stop::edges),
            args.proposals.map(Stop::proposals),
            args.gap.map(Stop::gap),
        ];
        let given = given.into_iter().flatten();
        let given = given.fold(other.clone(), |any, next| any | next);
        [given, other.clone()].map(|others| self.limited(began, others))
    }

    fn limited(&self, began: Instant, others: Stop) -> Limit {
        let configurations = self.args.configurations.map(Stop::configurations);
        let time = self.args.time.map(Stop::after);
        let given = [configurations, time].into_iter().flatten();
        let flag = Stop::flag(self.interrupted.clone());
        let stop = given.fold(flag | others, |any, next| any | next);
        Limit::since(began, &stop)
    }
}

/// Ends the process, if it is still preparing: nothing was found yet, and nothing is half written that
/// the next run would believe.
fn end_preparation(is_preparing: &AtomicBool, why: &str) {
    if is_preparing.swap(false, Ordering::Relaxed) {
        status::end();
        say!("{why}");
        say!("hint: allow more `--time`, or ask for less: fewer `--vertices`, fewer `--spheres`");
        std::process::exit(Outcome::NoPathYet.code().into());
    }
}
