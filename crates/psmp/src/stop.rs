//! When to stop: conditions on the progress of a run, joined by `&` and `|`.

use crate::event::Progress;
use std::ops::{BitAnd, BitOr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// A condition under which a run pauses.
///
/// ```
/// use psmp::Stop;
/// use std::time::Duration;
/// // At most 1% over the shortest on the roadmap, or 5000 configurations, but not before half a second has passed.
/// let stop = (Stop::gap(0.01) | Stop::configurations(5000)) & Stop::after(Duration::from_millis(500));
/// # let _ = stop;
/// ```
#[derive(Debug, Clone)]
pub struct Stop(Condition);

#[derive(Debug, Clone)]
enum Condition {
    Never,
    Configurations(u64),
    Edges(u64),
    Proposals(u64),
    Gap(f64),
    After(Duration),
    Flag(Arc<AtomicBool>),
    Any(Box<Condition>, Box<Condition>),
    All(Box<Condition>, Box<Condition>),
}

impl Stop {
    /// Only when the run is over by itself.
    #[must_use]
    pub fn never() -> Self {
        Self(Condition::Never)
    }

    /// Once at least this many configurations have been checked.
    #[must_use]
    pub fn configurations(count: u64) -> Self {
        Self(Condition::Configurations(count))
    }

    /// Once at least this many edges have been checked.
    #[must_use]
    pub fn edges(count: u64) -> Self {
        Self(Condition::Edges(count))
    }

    /// Once at least this many paths have been asked of the proposer.
    #[must_use]
    pub fn proposals(count: u64) -> Self {
        Self(Condition::Proposals(count))
    }

    /// Once the best path is certainly at most this share longer than the shortest on the roadmap;
    /// without a roadmap, than the straight line.
    #[must_use]
    pub fn gap(gap: f64) -> Self {
        Self(Condition::Gap(gap))
    }

    /// Once this much time has passed since the run was started or gone on with.
    #[must_use]
    pub fn after(time: Duration) -> Self {
        Self(Condition::After(time))
    }

    /// Once the caller, from any thread, sets the flag.
    #[must_use]
    pub fn flag(flag: Arc<AtomicBool>) -> Self {
        Self(Condition::Flag(flag))
    }

    /// Whether to stop now.
    #[must_use]
    pub fn is_met(&self, progress: &Progress, elapsed: Duration) -> bool {
        self.0.is_met(progress, elapsed)
    }

    /// Whether time matters, so that the clock is read only where it does.
    pub(crate) fn needs_clock(&self) -> bool {
        self.0.needs_clock()
    }
}

impl Condition {
    fn is_met(&self, progress: &Progress, elapsed: Duration) -> bool {
        match self {
            Condition::Never => false,
            Condition::Configurations(count) => progress.configurations >= *count,
            Condition::Edges(count) => progress.edges >= *count,
            Condition::Proposals(count) => progress.proposals >= *count,
            Condition::Gap(gap) => progress.gap().is_some_and(|now| now <= *gap),
            Condition::After(time) => elapsed >= *time,
            Condition::Flag(flag) => flag.load(Ordering::Relaxed),
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
}

impl BitOr for Stop {
    type Output = Stop;
    fn bitor(self, other: Stop) -> Stop {
        Stop(Condition::Any(Box::new(self.0), Box::new(other.0)))
    }
}

impl BitAnd for Stop {
    type Output = Stop;
    fn bitand(self, other: Stop) -> Stop {
        Stop(Condition::All(Box::new(self.0), Box::new(other.0)))
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
