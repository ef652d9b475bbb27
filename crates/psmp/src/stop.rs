//! When to stop: conditions on the progress of a run, joined by `&` and `|`.
//!
//! Between two steps of a planner a [`Stop`] is asked with where the run stands. Within a step, which may
//! think or check for long, only time, flags and configurations change: a [`Limit`] is the same stop as
//! it looks from inside. Whoever works asks it on the way, and leaves off where it is met; and no one asks
//! a world about more configurations than it leaves.

use crate::event::Progress;
use std::fmt;
use std::ops::{BitAnd, BitOr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// A condition under which a run pauses.
///
/// ```
/// use psmp::Stop;
/// use std::time::Duration;
/// // At most 1% over the shortest on the roadmap, or 5000 configurations, but not before half a second has passed.
/// let stop = (Stop::gap(0.01) | Stop::configurations(5000)) & Stop::after(Duration::from_millis(500));
/// # let _ = stop;
/// ```
#[derive(Clone)]
pub struct Stop(
    /// None is never met, and costs nothing.
    Option<Arc<Condition>>,
);

enum Condition {
    Configurations(u64),
    Edges(u64),
    Proposals(u64),
    Gap(f64),
    After(Duration),
    Flag(Arc<AtomicBool>),
    When(Box<dyn Fn() -> bool + Send + Sync>),
    Any(Stop, Stop),
    All(Stop, Stop),
}

impl Stop {
    /// Only when the run is over by itself.
    #[must_use]
    pub fn never() -> Self {
        Self(None)
    }

    /// Once this many configurations have been checked: never more, if the checker says truly what an
    /// edge [costs](crate::checker::Checker::cost_if_free). A checker of whole edges stops before an edge
    /// that might cost more than is left.
    #[must_use]
    pub fn configurations(count: u64) -> Self {
        Condition::Configurations(count).into()
    }

    /// Once at least this many edges have been checked.
    #[must_use]
    pub fn edges(count: u64) -> Self {
        Condition::Edges(count).into()
    }

    /// Once at least this many paths have been asked of the proposer.
    #[must_use]
    pub fn proposals(count: u64) -> Self {
        Condition::Proposals(count).into()
    }

    /// Once the best path is certainly at most this share longer than the shortest on the roadmap;
    /// without a roadmap, than the straight line.
    #[must_use]
    pub fn gap(gap: f64) -> Self {
        Condition::Gap(gap).into()
    }

    /// Once this much time has passed since the run was started or gone on with.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        Condition::After(time).into()
    }

    /// Once the caller, from any thread, sets the flag.
    #[must_use]
    pub fn flag(flag: Arc<AtomicBool>) -> Self {
        Condition::Flag(flag).into()
    }

    /// Once the function says so. It is asked often, in the midst of a step too: let it be quick.
    #[must_use]
    pub fn when(says_so: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Condition::When(Box::new(says_so)).into()
    }

    /// Whether to stop now.
    #[must_use]
    pub fn is_met(&self, progress: &Progress, elapsed: Duration) -> bool {
        self.0.as_ref().is_some_and(|c| c.is_met(progress, elapsed))
    }

    /// Whether time matters, so that the clock is read only where it does.
    fn needs_clock(&self) -> bool {
        self.0.as_ref().is_some_and(|c| c.needs_clock())
    }

    /// Whether it can come to be met in the midst of a step.
    fn interrupts(&self) -> bool {
        self.0.as_ref().is_some_and(|c| c.interrupts())
    }

    /// After how many more configurations this is met, if by nothing else before.
    fn configurations_left(&self, progress: &Progress) -> u64 {
        let left = self.0.as_ref().map(|c| c.configurations_left(progress));
        left.unwrap_or(u64::MAX)
    }
}

impl From<Condition> for Stop {
    fn from(condition: Condition) -> Self {
        Self(Some(Arc::new(condition)))
    }
}

impl Condition {
    fn is_met(&self, progress: &Progress, elapsed: Duration) -> bool {
        match self {
            Condition::Configurations(count) => progress.configurations >= *count,
            Condition::Edges(count) => progress.edges >= *count,
            Condition::Proposals(count) => progress.proposals >= *count,
            Condition::Gap(gap) => progress.gap().is_some_and(|now| now <= *gap),
            Condition::After(time) => elapsed >= *time,
            Condition::Flag(flag) => flag.load(Ordering::Relaxed),
            Condition::When(says_so) => says_so(),
            Condition::Any(a, b) => a.is_met(progress, elapsed) || b.is_met(progress, elapsed),
            Condition::All(a, b) => a.is_met(progress, elapsed) && b.is_met(progress, elapsed),
        }
    }

    fn needs_clock(&self) -> bool {
        match self {
            Condition::After(_) => true,
            Condition::Any(a, b) | Condition::All(a, b) => a.needs_clock() || b.needs_clock(),
            _ => false,
        }
    }

    fn interrupts(&self) -> bool {
        match self {
            Condition::After(_) | Condition::Flag(_) | Condition::When(_) => true,
            Condition::Any(a, b) | Condition::All(a, b) => a.interrupts() || b.interrupts(),
            _ => false,
        }
    }

    fn configurations_left(&self, progress: &Progress) -> u64 {
        match self {
            Condition::Configurations(count) => count.saturating_sub(progress.configurations),
            Condition::Any(a, b) => {
                let [a, b] = [a, b].map(|stop| stop.configurations_left(progress));
                a.min(b)
            }
            Condition::All(a, b) => {
                let [a, b] = [a, b].map(|stop| stop.configurations_left(progress));
                a.max(b)
            }
            _ => u64::MAX,
        }
    }
}

impl fmt::Debug for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Some(condition) => condition.fmt(f),
            None => f.write_str("never"),
        }
    }
}

impl fmt::Debug for Condition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Condition::Configurations(count) => write!(f, "configurations({count})"),
            Condition::Edges(count) => write!(f, "edges({count})"),
            Condition::Proposals(count) => write!(f, "proposals({count})"),
            Condition::Gap(gap) => write!(f, "gap({gap})"),
            Condition::After(time) => write!(f, "after({time:?})"),
            Condition::Flag(_) => f.write_str("flag"),
            Condition::When(_) => f.write_str("when"),
            Condition::Any(a, b) => write!(f, "({a:?} | {b:?})"),
            Condition::All(a, b) => write!(f, "({a:?} & {b:?})"),
        }
    }
}

/// A [`Stop`] from within a step: what is asked on the way through long work.
#[derive(Debug, Clone)]
pub struct Limit {
    stop: Stop,
    /// What time counts from; none if it does not matter.
    since: Option<Instant>,
    /// Where the run stood when the step began.
    progress: Progress,
    interrupts: bool,
    configurations: u64,
}

impl Limit {
    /// No limit.
    pub const NONE: Limit = Limit {
        stop: Stop(None),
        since: None,
        progress: Progress::BEGINNING,
        interrupts: false,
        configurations: u64::MAX,
    };

    /// That stop for work that begins now.
    #[must_use]
    pub fn new(stop: &Stop) -> Self {
        Self::since(Instant::now(), stop)
    }

    /// That stop for work that began then.
    #[must_use]
    pub fn since(began: Instant, stop: &Stop) -> Self {
        let mut limit = Self {
            stop: stop.clone(),
            since: stop.needs_clock().then_some(began),
            progress: Progress::default(),
            interrupts: stop.interrupts(),
            configurations: 0,
        };
        limit.stand_at(Progress::default());
        limit
    }

    /// A step begins, and this is where the run stands.
    pub fn stand_at(&mut self, progress: Progress) {
        self.progress = progress;
        self.configurations = self.stop.configurations_left(&progress);
    }

    /// Becomes this limit; that of the step before is mostly the same stop.
    pub(crate) fn keep_to(&mut self, limit: &Limit) {
        let is_same = match (&self.stop.0, &limit.stop.0) {
            (Some(own), Some(other)) => Arc::ptr_eq(own, other) && self.since == limit.since,
            _ => false,
        };
        if is_same {
            self.progress = limit.progress;
            self.configurations = limit.configurations;
        } else {
            self.clone_from(limit);
        }
    }

    /// Whether to leave off now.
    #[must_use]
    pub fn is_met(&self) -> bool {
        let elapsed = self.since.map_or(Duration::ZERO, |began| began.elapsed());
        self.stop.is_met(&self.progress, elapsed)
    }

    /// The same, asked in the midst of a step, where only time and flags can have changed.
    #[inline]
    #[must_use]
    pub fn interrupts(&self) -> bool {
        self.interrupts && self.is_met()
    }

    /// Whether it can come to be met in the midst of a step.
    #[inline]
    #[must_use]
    pub fn can_interrupt(&self) -> bool {
        self.interrupts
    }

    /// How many configurations may be asked about in the step that begins, at most.
    #[must_use]
    pub fn configurations(&self) -> u64 {
        self.configurations
    }

    /// Asked once for each of many small pieces of work, it looks at the clock and at flags for a few
    /// of them only.
    #[inline]
    pub(crate) fn interrupts_at(&self, piece: usize) -> bool {
        /// Small enough that what lies between two looks takes a few milliseconds.
        const OFTEN: usize = 64;
        piece.is_multiple_of(OFTEN) && self.interrupts()
    }
}

impl BitOr for Stop {
    type Output = Stop;
    fn bitor(self, other: Stop) -> Stop {
        Condition::Any(self, other).into()
    }
}

impl BitAnd for Stop {
    type Output = Stop;
    fn bitand(self, other: Stop) -> Stop {
        Condition::All(self, other).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_compose() {
        let progress = Progress {
            configurations: 100,
            edges: 10,
            proposals: 5,
            best_length: Some(1.05),
            lower_bound: 1.0,
            yardstick: crate::Yardstick::ShortestOnRoadmap,
        };
        let met = |stop: Stop| stop.is_met(&progress, Duration::from_secs(1));
        assert!(met(Stop::configurations(100)) && !met(Stop::configurations(101)));
        assert!(met(Stop::edges(1) & Stop::proposals(5)));
        assert!(!met(Stop::edges(11) & Stop::proposals(5)));
        assert!(met(Stop::edges(11) | Stop::gap(0.06)));
        assert!(!met(Stop::gap(0.04) | Stop::never()));
        assert!(met(Stop::after(Duration::from_secs(1))));
        let flag = Arc::new(AtomicBool::new(false));
        let stop = Stop::flag(flag.clone());
        assert!(!stop.is_met(&progress, Duration::ZERO));
        flag.store(true, Ordering::Relaxed);
        assert!(stop.is_met(&progress, Duration::ZERO));
    }
}
