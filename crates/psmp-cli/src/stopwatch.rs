//! How long checks take: worlds and checkers that are timed while they answer.
//!
//! All else that a run does is thinking. What the clock itself takes is left out, for a look into a map takes no
//! longer than that.

use psmp::checker::{Bill, Checker, Finding, Foreseen, Part, Sightings, Stretches, Verdict, World};
use psmp::{EdgeId, Growth, Limit, RoadmapError};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// Counts time, wherever its clones are.
#[derive(Debug, Clone)]
pub struct Stopwatch {
    nanoseconds: Arc<AtomicU64>,
    /// What two looks at the clock take.
    of_clock: Duration,
}

impl Default for Stopwatch {
    fn default() -> Self {
        let looks = (0..100).map(|_| Instant::now().elapsed());
        Self {
            nanoseconds: Arc::default(),
            of_clock: looks.min().unwrap_or_default(),
        }
    }
}

impl Stopwatch {
    /// What was counted so far.
    pub fn time(&self) -> Duration {
        Duration::from_nanos(self.nanoseconds.load(Ordering::Relaxed))
    }

    /// Counts from nothing again.
    pub fn restart(&self) {
        self.nanoseconds.store(0, Ordering::Relaxed);
    }

    /// Something that is timed from now on.
    pub fn on<T>(&self, what: T) -> Timed<T> {
        Timed {
            what,
            by: self.clone(),
        }
    }
}

/// A world or a checker that is timed.
#[derive(Debug, Clone)]
pub struct Timed<T> {
    what: T,
    by: Stopwatch,
}

impl<T> Timed<T> {
    fn time<A>(&mut self, ask: impl FnOnce(&mut T) -> A) -> A {
        let began = Instant::now();
        let answer = ask(&mut self.what);
        let time = began.elapsed().saturating_sub(self.by.of_clock);
        let counter = &self.by.nanoseconds;
        counter.fetch_add(time.as_nanos() as u64, Ordering::Relaxed);
        answer
    }
}

impl<W: World> World for Timed<W> {
    type Error = W::Error;

    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, W::Error> {
        self.time(|world| world.is_free(configuration))
    }

    fn first_collision(
        &mut self,
        configurations: &[f64],
        dimension: usize,
    ) -> Result<Option<usize>, W::Error> {
        self.time(|world| world.first_collision(configurations, dimension))
    }

    fn features(&self) -> Option<Vec<f64>> {
        self.what.features()
    }

    fn at_once(&self) -> u64 {
        self.what.at_once()
    }

    fn cores(&self) -> usize {
        self.what.cores()
    }

    fn foresight(&self) -> usize {
        self.what.foresight()
    }

    fn foresee(&mut self, configurations: &[f64], dimension: usize) {
        self.what.foresee(configurations, dimension);
    }

    fn took(&self) -> Option<Duration> {
        self.what.took()
    }

    fn is_quick(&self) -> bool {
        self.what.is_quick()
    }

    fn can_prove(&self) -> bool {
        self.what.can_prove()
    }

    fn prove(&mut self, stretches: &mut Stretches<'_>) -> Result<(), W::Error> {
        self.time(|world| world.prove(stretches))
    }
}

impl<C: Checker> Checker for Timed<C> {
    type Error = C::Error;

    fn check(&mut self, part: Part<'_>, sightings: &mut Sightings) -> Result<Finding, C::Error> {
        self.time(|checker| checker.check(part, sightings))
    }

    fn cost_if_free(&self, edge: EdgeId) -> u64 {
        self.what.cost_if_free(edge)
    }

    fn portion(&self, edge: EdgeId, wanted: u64) -> u64 {
        self.what.portion(edge, wanted)
    }

    fn bill(&self, edge: EdgeId, verdict: Option<Verdict>, knows: [bool; 2]) -> Bill {
        self.what.bill(edge, verdict, knows)
    }

    fn foresight(&self) -> usize {
        self.what.foresight()
    }

    fn foresee(&mut self, likely: &[Foreseen]) {
        self.what.foresee(likely);
    }

    fn prove(&mut self, edge: EdgeId, limit: &Limit) -> Result<Finding, C::Error> {
        self.time(|checker| checker.prove(edge, limit))
    }

    fn grow(&mut self, growth: &Growth) -> Result<(), RoadmapError> {
        self.what.grow(growth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp::checker::WorldFn;

    #[test]
    fn what_answers_slowly_is_counted_and_what_answers_at_once_is_not() {
        let watch = Stopwatch::default();
        let mut quick = watch.on(WorldFn(|_: &[f64]| true));
        assert_eq!(quick.is_free(&[0.0]), Ok(true));
        assert!(watch.time() < Duration::from_millis(5));
        let long = Duration::from_millis(20);
        let mut slow = watch.clone().on(WorldFn(|_: &[f64]| {
            std::thread::sleep(long);
            false
        }));
        assert_eq!(slow.is_free(&[0.0]), Ok(false));
        assert!(watch.time() + Duration::from_millis(1) > long);
    }
}
