//! One run, watched: which paths it found, what each had cost, and how it ended.

use crate::event_hash::EventHash;
use crate::score::Improvement;
use psmp::checker::World;
use psmp::{Anytime, Event, EventKind, Limit, Prices, Progress, Session, SessionError, Stop};
use std::time::{Duration, Instant};

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// With a certificate that the best path is the shortest on the roadmap.
    ShortestOnRoadmap,
    /// With a certificate that the roadmap has no path.
    NoPathOnRoadmap,
    /// With the straight line from start to goal.
    StraightLine,
    /// Before it began, because the start or the goal is in collision.
    EndInCollision,
    /// The proposer had nothing left to propose, or no path was found for very long.
    GaveUp,
    /// Nothing had made the path shorter for long.
    Settled,
    /// A budget was spent.
    Stopped,
}

impl Ending {
    /// The word for it in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Ending::ShortestOnRoadmap => "shortest-on-roadmap",
            Ending::NoPathOnRoadmap => "no-path-on-roadmap",
            Ending::StraightLine => "straight-line",
            Ending::EndInCollision => "end-in-collision",
            Ending::GaveUp => "gave-up",
            Ending::Settled => "settled",
            Ending::Stopped => "stopped",
        }
    }
}

/// What came of a run.
#[derive(Debug, Clone)]
pub struct Trial {
    /// Every path found, each shorter than the one before.
    pub improvements: Vec<Improvement>,
    /// When each of them was found, since the run began.
    pub times: Vec<Duration>,
    /// How it ended.
    pub ending: Ending,
    /// Where it stood at the end.
    pub progress: Progress,
    /// How long it took, checks included.
    pub duration: Duration,
}

impl Trial {
    /// A path made better after the run was over, when so many configurations had been checked in
    /// all, and so much time had passed.
    pub fn improve(&mut self, configurations: u64, length: f64, time: Duration) {
        self.progress.configurations = configurations;
        if self.progress.best_length.is_none_or(|best| length < best) {
            self.progress.best_length = Some(length);
            self.times.push(time);
            self.improvements.push(Improvement {
                configurations,
                proposals: self.progress.proposals,
                length,
            });
        }
    }

    /// Counts thinking as the configurations that take as long: so many thoughts had been had at each better path,
    /// and in the end.
    pub fn count_thinking(&mut self, at_paths: &[u64], in_all: u64, prices: Prices) {
        let taken_by = |thoughts: u64| (thoughts as f64 / prices.thoughts()).round() as u64;
        for (improvement, thoughts) in self.improvements.iter_mut().zip(at_paths) {
            improvement.configurations += taken_by(*thoughts);
        }
        self.progress.configurations += taken_by(in_all);
    }

    /// Counts configurations that were checked before the run began.
    pub fn count_before(&mut self, configurations: u64) {
        for improvement in &mut self.improvements {
            improvement.configurations += configurations;
        }
        self.progress.configurations += configurations;
    }

    /// A run that ended before it began, when so many configurations had been checked.
    #[must_use]
    pub fn over_at_once(ending: Ending, configurations: u64) -> Self {
        Self {
            improvements: Vec::new(),
            times: Vec::new(),
            ending,
            progress: Progress {
                configurations,
                lower_bound: f64::INFINITY,
                ..Progress::BEGINNING
            },
            duration: Duration::ZERO,
        }
    }
}

/// Drives a planner until it is over or `stop` is met, telling `watch` of each event.
///
/// # Errors
/// The first error of the checker.
pub fn run<E>(
    planner: &mut (impl Anytime<Error = E> + ?Sized),
    stop: &Stop,
    mut watch: impl FnMut(&Event),
) -> Result<Trial, E> {
    run_within(planner, Limit::new(stop), |_, event| watch(event))
}

/// The same until `limit` is met, which may have begun before; `watch` sees the planner too, as it is
/// after the event.
///
/// # Errors
/// The first error of the checker.
pub fn run_within<P: Anytime + ?Sized>(
    planner: &mut P,
    mut limit: Limit,
    mut watch: impl FnMut(&mut P, &Event),
) -> Result<Trial, P::Error> {
    let started = Instant::now();
    let (mut improvements, mut times) = (Vec::new(), Vec::new());
    let mut ending = Ending::Stopped;
    loop {
        limit.stand_at(planner.progress());
        let step = match limit.is_met() && !planner.has_news() {
            true => None,
            false => planner.step(&limit).transpose()?,
        };
        let Some(event) = step else {
            break;
        };
        watch(planner, &event);
        match event.kind {
            EventKind::Improved { length } => {
                times.push(started.elapsed());
                improvements.push(Improvement {
                    configurations: event.progress.configurations,
                    proposals: event.progress.proposals,
                    length,
                });
            }
            EventKind::ShortestOnRoadmap => ending = Ending::ShortestOnRoadmap,
            EventKind::NoPathOnRoadmap => ending = Ending::NoPathOnRoadmap,
            EventKind::StraightLine => ending = Ending::StraightLine,
            EventKind::GaveUp => ending = Ending::GaveUp,
            EventKind::Settled => ending = Ending::Settled,
            _ => {}
        }
    }
    Ok(Trial {
        improvements,
        times,
        ending,
        progress: planner.progress(),
        duration: started.elapsed(),
    })
}

/// Drives a session until it is over or `stop` is met, and hashes its events. Start or goal in collision, or cut off
/// from the roadmap, are outcomes like others.
///
/// # Errors
/// Whatever else keeps the session from going on.
pub fn run_session<'s, W: World + Clone + Send + 's>(
    session: &mut Session<'s, W>,
    stop: &Stop,
    mut watch: impl FnMut(&mut Session<'s, W>, &Event),
) -> Result<(Trial, String), SessionError<W::Error>> {
    let mut hash = EventHash::default();
    let started = Instant::now();
    let trial = run_within(session, Limit::new(stop), |session, event| {
        hash.add(event);
        watch(session, event);
    });
    let over = |ending| Trial {
        duration: started.elapsed(),
        ..Trial::over_at_once(ending, session.progress().configurations)
    };
    let trial = match trial {
        Err(SessionError::InCollision(_)) => over(Ending::EndInCollision),
        Err(SessionError::CutOff { .. }) => over(Ending::NoPathOnRoadmap),
        trial => trial?,
    };
    Ok((trial, hash.digits()))
}
