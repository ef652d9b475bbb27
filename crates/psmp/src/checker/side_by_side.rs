//! Asking about several configurations at once, each on a core of its own.
//!
//! [`SideBySide`] makes one world of several clones. The configurations of a motion are handed out one after the
//! other, in the order of asking, to whoever is idle; what comes behind a collision is not handed out any more, nor
//! waited for. What is found is what one world alone would have found, and it counts the same: a run is the same run, event by
//! event, on however many cores. It only takes less time, where a configuration takes longer than waking another
//! core does.

use super::prober::World;
use super::prover::Stretches;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Others are woken for what is expected to take longer than this: that is what waking them takes.
const WORTH_WAKING: Duration = Duration::from_micros(30);

/// A world whose clones are asked side by side, on so many cores.
///
/// ```
/// use psmp::checker::{SideBySide, World, WorldFn};
///
/// let slow = WorldFn(|q: &[f64]| {
///     std::thread::sleep(std::time::Duration::from_millis(2));
///     q[0] < 0.5
/// });
/// let mut world = SideBySide::new(slow, 2);
/// assert_eq!(world.first_collision(&[0.1, 0.2, 0.3, 0.6, 0.4, 0.9], 1), Ok(Some(3)));
/// ```
#[derive(Debug)]
pub struct SideBySide<W: World> {
    world: W,
    /// Nothing if there is one core.
    team: Option<Arc<Team<W::Error>>>,
    /// What a configuration took lately.
    each: Duration,
}

/// What the clones share.
#[derive(Debug)]
struct Team<E> {
    shared: Arc<Shared<E>>,
    threads: Vec<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared<E> {
    /// Held by whoever asks: the team has one job at a time.
    turn: Mutex<()>,
    job: Mutex<Job<E>>,
    has_work: Condvar,
    is_done: Condvar,
}

/// The configurations that are being asked about.
#[derive(Debug)]
struct Job<E> {
    configurations: Vec<f64>,
    dimension: usize,
    /// How many are handed out at once, and the place of the next.
    portion: usize,
    next: usize,
    /// The first place that is known to be in collision or to have failed; nothing behind it matters.
    end: usize,
    failure: Option<E>,
    /// The first places of the portions that are being asked about.
    underway: Vec<usize>,
    /// Which job it is: an answer that comes when nobody waits for it any more is of an earlier one.
    number: u64,
    /// A world has panicked on another core, which nobody may wait for.
    has_panicked: bool,
    is_over: bool,
}

impl<E> Job<E> {
    /// The next place to be handed out, if there is one.
    fn next(&self) -> Option<usize> {
        (self.next < self.end).then_some(self.next)
    }

    /// Whether no answer that is still to come can matter.
    fn is_settled(&self) -> bool {
        let is_awaited = |&place: &usize| place < self.end;
        self.has_panicked || self.next().is_none() && !self.underway.iter().any(is_awaited)
    }
}

impl<E> Shared<E> {
    fn lock(&self) -> MutexGuard<'_, Job<E>> {
        self.job.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Asks a world about portions until none is left.
    fn work<'s, W: World<Error = E>>(
        &'s self,
        mut job: MutexGuard<'s, Job<E>>,
        world: &mut W,
        mine: &mut Vec<f64>,
    ) -> MutexGuard<'s, Job<E>> {
        while let Some(place) = job.next() {
            let (dimension, count) = (job.dimension, job.configurations.len() / job.dimension);
            let after = count.min(place + job.portion);
            mine.clear();
            mine.extend_from_slice(&job.configurations[place * dimension..after * dimension]);
            job.next = after;
            job.underway.push(place);
            let number = job.number;
            drop(job);
            let answer = world.first_collision(mine, dimension);
            job = self.lock();
            if job.number != number {
                continue;
            }
            job.underway.retain(|&other| other != place);
            let (end, failure) = match answer {
                Ok(None) => (usize::MAX, None),
                Ok(Some(collision)) => (place + collision, None),
                Err(failure) => (place, Some(failure)),
            };
            if end < job.end {
                (job.end, job.failure) = (end, failure);
            }
            if job.is_settled() {
                self.is_done.notify_all();
            }
        }
        job
    }
}

impl<E> Drop for Team<E> {
    fn drop(&mut self) {
        self.shared.lock().is_over = true;
        self.shared.has_work.notify_all();
        for thread in self.threads.drain(..) {
            drop(thread.join());
        }
    }
}

impl<W: World + Clone + Send + 'static> SideBySide<W>
where
    W::Error: 'static,
{
    /// Clones of this world on so many cores, this thread's among them. On one it is the world itself.
    pub fn new(world: W, cores: usize) -> Self {
        let shared = Arc::new(Shared {
            turn: Mutex::new(()),
            job: Mutex::new(Job {
                configurations: Vec::new(),
                dimension: 1,
                portion: 1,
                next: 0,
                end: 0,
                failure: None,
                underway: Vec::with_capacity(cores),
                number: 0,
                has_panicked: false,
                is_over: false,
            }),
            has_work: Condvar::new(),
            is_done: Condvar::new(),
        });
        let help = |_| {
            let (shared, mut world) = (Arc::clone(&shared), world.clone());
            std::thread::spawn(move || {
                let mut mine = Vec::new();
                let working = catch_unwind(AssertUnwindSafe(|| {
                    let mut job = shared.lock();
                    while !job.is_over {
                        job = shared.work(job, &mut world, &mut mine);
                        if !job.is_over && job.next().is_none() {
                            let woken = shared.has_work.wait(job);
                            job = woken.unwrap_or_else(PoisonError::into_inner);
                        }
                    }
                }));
                if working.is_err() {
                    shared.lock().has_panicked = true;
                    shared.is_done.notify_all();
                }
            })
        };
        let threads: Vec<_> = (1..cores).map(help).collect();
        Self {
            world,
            team: (cores > 1).then(|| Arc::new(Team { shared, threads })),
            each: Duration::MAX,
        }
    }
}

impl<W: World> SideBySide<W> {
    /// The world itself.
    pub fn world(&self) -> &W {
        &self.world
    }
}

impl<W: World + Clone> Clone for SideBySide<W> {
    /// A clone asks the same team; those who ask at the same time take turns.
    fn clone(&self) -> Self {
        Self {
            world: self.world.clone(),
            team: self.team.clone(),
            each: self.each,
        }
    }
}

impl<W: World> World for SideBySide<W> {
    type Error = W::Error;

    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, W::Error> {
        self.world.is_free(configuration)
    }

    fn first_collision(
        &mut self,
        configurations: &[f64],
        dimension: usize,
    ) -> Result<Option<usize>, W::Error> {
        let Some(team) = &self.team else {
            return self.world.first_collision(configurations, dimension);
        };
        let count = configurations.len() / dimension;
        let portion = self.world.at_once().max(1) as usize;
        let expected = self.each.saturating_mul(count as u32);
        if count <= portion || expected <= WORTH_WAKING {
            let began = Instant::now();
            let answer = self.world.first_collision(configurations, dimension)?;
            let asked = answer.map_or(count, |place| place + 1).max(1);
            self.each = began.elapsed() / asked as u32;
            return Ok(answer);
        }
        let turn = team.shared.turn.lock();
        let _turn = turn.unwrap_or_else(PoisonError::into_inner);
        let mut job = team.shared.lock();
        job.configurations.clear();
        job.configurations.extend_from_slice(configurations);
        (job.dimension, job.portion) = (dimension, portion);
        (job.next, job.end) = (0, count);
        job.underway.clear();
        job.number += 1;
        team.shared.has_work.notify_all();
        let mut mine = Vec::with_capacity(portion * dimension);
        let began = Instant::now();
        job = team.shared.work(job, &mut self.world, &mut mine);
        while !job.is_settled() {
            let woken = team.shared.is_done.wait(job);
            job = woken.unwrap_or_else(PoisonError::into_inner);
        }
        assert!(!job.has_panicked, "the world has panicked on another core");
        let end = job.end;
        // What others took beside it is not known, but they were at least as many.
        self.each = began.elapsed() / (end.min(count) as u32 + 1);
        match job.failure.take() {
            Some(failure) => Err(failure),
            None => Ok((end < count).then_some(end)),
        }
    }

    fn features(&self) -> Option<Vec<f64>> {
        self.world.features()
    }

    fn at_once(&self) -> u64 {
        self.world.at_once()
    }

    fn cores(&self) -> usize {
        self.team.as_ref().map_or(1, |team| 1 + team.threads.len())
    }

    fn is_quick(&self) -> bool {
        self.world.is_quick()
    }

    fn can_prove(&self) -> bool {
        self.world.can_prove()
    }

    fn prove(&mut self, stretches: &mut Stretches<'_>) -> Result<(), W::Error> {
        self.world.prove(stretches)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::WorldFn;
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// A world on the line where what is written at a place is found there: below 0 a collision, above 1 a failure.
    #[derive(Clone)]
    struct Written {
        at_once: u64,
        takes: Duration,
        most_at_a_time: Arc<AtomicUsize>,
        at_a_time: Arc<AtomicUsize>,
    }

    impl World for Written {
        type Error = usize;
        fn is_free(&mut self, q: &[f64]) -> Result<bool, usize> {
            let others = self.at_a_time.fetch_add(1, Ordering::SeqCst);
            self.most_at_a_time.fetch_max(others + 1, Ordering::SeqCst);
            std::thread::sleep(self.takes);
            self.at_a_time.fetch_sub(1, Ordering::SeqCst);
            match q[0] {
                q if q < 0.0 => Ok(false),
                q if q > 1.0 => Err(q as usize),
                _ => Ok(true),
            }
        }
        fn at_once(&self) -> u64 {
            self.at_once
        }
    }

    #[test]
    fn what_is_found_is_what_one_alone_would_find() {
        let most = Arc::new(AtomicUsize::new(0));
        for (cores, at_once, micros) in [(1, 1, 0), (2, 1, 200), (3, 4, 100), (4, 1, 0)] {
            let world = Written {
                at_once,
                takes: Duration::from_micros(micros),
                most_at_a_time: Arc::clone(&most),
                at_a_time: Arc::new(AtomicUsize::new(0)),
            };
            let mut alone = world.clone();
            let team = SideBySide::new(world, cores);
            for (collision, failure) in [(0, 9), (3, 99), (7, 5), (20, 4), (99, 99), (11, 12)] {
                let mut line = vec![0.5; 20];
                if let Some(q) = line.get_mut(failure) {
                    *q = 7.0;
                }
                if let Some(q) = line.get_mut(collision) {
                    *q = -1.0;
                }
                let expected = alone.first_collision(&line, 1);
                // Clones have one team between them, and it can be asked again after a failure.
                for mut clone in [team.clone(), team.clone()] {
                    assert_eq!(clone.first_collision(&line, 1), expected);
                    assert_eq!(clone.first_collision(&line, 1), expected);
                }
            }
        }
        assert!(
            most.load(Ordering::SeqCst) > 1,
            "nothing was asked side by side"
        );
    }

    /// Whichever core it is that panics, nobody waits for it.
    #[test]
    #[should_panic(expected = "panicked")]
    fn a_panic_on_another_core_is_one_here() {
        let world = WorldFn(|q: &[f64]| {
            std::thread::sleep(Duration::from_millis(5));
            assert!(q[0] < 1.0, "it has panicked");
            true
        });
        let mut team = SideBySide::new(world, 2);
        assert_eq!(team.first_collision(&[0.5], 1), Ok(None));
        assert_eq!(team.first_collision(&[0.5, 1.5, 0.5, 0.5], 1), Ok(None));
    }
}
