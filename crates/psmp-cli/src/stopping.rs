//! When `psmp plan` ends before it is done: its budgets, its time, Ctrl-C and SIGTERM.
//!
//! Time counts from the beginning of the command. While the problem is read and the roadmap is made
//! there is nothing yet that a stop could save, so the process just ends; from then on the planner is
//! asked to leave off, and the best path so far is written.

use crate::failure::Outcome;
use crate::plan::PlanArgs;
use crate::say;
use anyhow::Result;
use psmp::{Limit, Stop};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What stops a run of `psmp plan`.
pub struct Stopping<'a> {
    args: &'a PlanArgs,
    began: Instant,
    interrupted: Arc<AtomicBool>,
    is_preparing: Arc<AtomicBool>,
}

impl<'a> Stopping<'a> {
    /// The command begins.
    pub fn begin(args: &'a PlanArgs) -> Result<Self> {
        let stopping = Self {
            args,
            began: Instant::now(),
            interrupted: Arc::new(AtomicBool::new(false)),
            is_preparing: Arc::new(AtomicBool::new(true)),
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
    }

    /// No one hears of better paths any more: ends the run as if interrupted.
    pub fn interrupt(&self) {
        self.interrupted.store(true, Ordering::Relaxed);
    }

    /// The conditions given, any of which stops a session.
    pub fn limit(&self) -> Limit {
        let args = self.args;
        let given = [
            args.edges.map(Stop::edges),
            args.proposals.map(Stop::proposals),
            args.gap.map(Stop::gap),
        ];
        let given = given.into_iter().flatten();
        self.limited(given.fold(Stop::never(), |any, next| any | next))
    }

    /// Those of them that stop what comes after planning.
    pub fn limit_afterwards(&self) -> Limit {
        self.limited(Stop::never())
    }

    fn limited(&self, others: Stop) -> Limit {
        let configurations = self.args.configurations.map(Stop::configurations);
        let time = self.args.time.map(Stop::after);
        let given = [configurations, time].into_iter().flatten();
        let flag = Stop::flag(self.interrupted.clone());
        let stop = given.fold(flag | others, |any, next| any | next);
        Limit::since(self.began, &stop)
    }
}

/// Ends the process, if it is still preparing: nothing was found yet, and nothing is half written that
/// the next run would believe.
fn end_preparation(is_preparing: &AtomicBool, why: &str) {
    if is_preparing.swap(false, Ordering::Relaxed) {
        say!("{why}");
        say!("hint: allow more `--time`, or ask for less: fewer `--vertices`, fewer `--spheres`");
        std::process::exit(Outcome::NoPathYet.code().into());
    }
}
