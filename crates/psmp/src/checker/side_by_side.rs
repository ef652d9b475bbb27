//! Asking about several configurations at once, each on a core of its own.
//!
//! [`SideBySide`] makes one world of several clones. The configurations of a motion are handed out one after the
//! other, in the order of asking, to whoever is idle; what comes behind a collision is not handed out any more, nor
//! waited for. Who is idle even so asks [ahead](super::ahead) about what is likely to come next, and is at one such
//! question at most when another comes in earnest. What is found is what one world alone would have found, and it counts
//! the same: a run is the same run, event by event, on however many cores. It only takes less time, where a
//! configuration takes longer than waking another core does.

use super::ahead::{Ahead, Key, Known, key};
use super::prober::World;
use super::prover::Stretches;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Others are woken for what is expected to take longer than this: that is what waking them takes.
const WORTH_WAKING: Duration = Duration::from_micros(30);
/// What is likely to come is found out, and asked about, where a configuration takes longer than this.
const WORTH_FORESEEING: Duration = Duration::from_micros(100);
/// So many likely configurations are enough for each core.
const FORESIGHT: usize = 4;

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
    /// What a configuration took lately, in nanoseconds.
    each: AtomicU64,
}

/// Nobody has asked anything yet.
const UNKNOWN: u64 = u64::MAX;

/// The configurations that are being asked about.
#[derive(Debug)]
struct Job<E> {
    /// Those that nobody has asked about ahead, and the place of each among all.
    configurations: Vec<f64>,
    places: Vec<usize>,
    dimension: usize,
    /// How many are handed out at once, and which is the next.
    portion: usize,
    next: usize,
    /// The first place that is known to be in collision or to have failed; nothing behind it matters.
    end: usize,
    failure: Option<E>,
    /// The first places of the portions that are being asked about.
    underway: Vec<usize>,
    /// Which job it is: an answer that comes when nobody waits for it any more is of an earlier one.
    number: u64,
    ahead: Ahead,
    /// What somebody is asking about ahead and is wanted now, and its places.
    awaited: Vec<(Key, usize)>,
    /// A world has panicked on another core, which nobody may wait for.
    has_panicked: bool,
    is_over: bool,
}

impl<E> Job<E> {
    /// Begins another one. What was asked ahead need not be asked again.
    fn begin(&mut self, configurations: &[f64], dimension: usize, portion: usize) {
        self.configurations.clear();
        self.places.clear();
        (self.dimension, self.portion, self.next) = (dimension, portion, 0);
        self.end = configurations.len() / dimension;
        self.failure = None;
        self.underway.clear();
        self.awaited.clear();
        self.number += 1;
        for (place, q) in configurations.chunks_exact(dimension).enumerate() {
            match self.ahead.ask(q) {
                Some(Known::Found(true)) => {}
                Some(Known::Found(false)) => {
                    self.end = place;
                    break;
                }
                Some(Known::Underway) => self.awaited.push((key(q), place)),
                Some(Known::Failed) | None => {
                    self.configurations.extend_from_slice(q);
                    self.places.push(place);
                }
            }
        }
    }

    /// The place of the next to be handed out, if there is one.
    fn next(&self) -> Option<usize> {
        let next = self.places.get(self.next).copied();
        next.filter(|&place| place < self.end)
    }

    /// Whether no answer that is still to come can matter.
    fn is_settled(&self) -> bool {
        let underway = self.underway.iter().copied();
        let mut underway = underway.chain(self.awaited.iter().map(|(_, place)| *place));
        self.has_panicked || self.next().is_none() && !underway.any(|place| place < self.end)
    }

    /// There is a collision at this place, or the world has failed.
    fn end_at(&mut self, place: usize, failure: Option<E>) {
        if place < self.end {
            (self.end, self.failure) = (place, failure);
        }
    }
}

impl<E> Shared<E> {
    fn lock(&self) -> MutexGuard<'_, Job<E>> {
        self.job.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What a configuration took lately, if anybody has asked about one.
    fn each(&self) -> Option<Duration> {
        let each = self.each.load(Ordering::Relaxed);
        (each != UNKNOWN).then(|| Duration::from_nanos(each))
    }

    /// Asks a world, and notes how long it takes.
    fn ask<W: World<Error = E>>(
        &self,
        world: &mut W,
        configurations: &[f64],
        dimension: usize,
    ) -> Result<Option<usize>, E> {
        let began = Instant::now();
        let answer = world.first_collision(configurations, dimension)?;
        let asked = answer.map_or(configurations.len() / dimension, |place| place + 1);
        let each = began.elapsed() / asked.max(1) as u32;
        (self.each).store(each.as_nanos() as u64, Ordering::Relaxed);
        Ok(answer)
    }

    /// Asks a world about portions until none is left.
    fn work<'s, W: World<Error = E>>(
        &'s self,
        mut job: MutexGuard<'s, Job<E>>,
        world: &mut W,
        mine: &mut Vec<f64>,
    ) -> MutexGuard<'s, Job<E>> {
        while let Some(place) = job.next() {
            let dimension = job.dimension;
            let first = job.next;
            let after = job.places.len().min(first + job.portion);
            mine.clear();
            mine.extend_from_slice(&job.configurations[first * dimension..after * dimension]);
            job.next = after;
            job.underway.push(place);
            let number = job.number;
            drop(job);
            let answer = self.ask(world, mine, dimension);
            job = self.lock();
            if job.number != number {
                continue;
            }
            job.underway.retain(|&other| other != place);
            match answer {
                Ok(None) => {}
                Ok(Some(collision)) => {
                    let place = job.places[first + collision];
                    job.end_at(place, None);
                }
                Err(failure) => job.end_at(place, Some(failure)),
            }
            if job.is_settled() {
                self.is_done.notify_all();
            }
        }
        job
    }

    /// Asks a world about something that is likely to be asked. A panic ends that core's work, and is one elsewhere
    /// only where somebody has come to wait for the answer; false then.
    fn guess<'s, W: World<Error = E>>(
        &'s self,
        mut job: MutexGuard<'s, Job<E>>,
        key: Key,
        world: &mut W,
        mine: &mut Vec<f64>,
    ) -> (MutexGuard<'s, Job<E>>, bool) {
        drop(job);
        mine.clear();
        mine.extend(key.iter().map(|&bits| f64::from_bits(bits)));
        let answer = catch_unwind(AssertUnwindSafe(|| self.ask(world, mine, mine.len())));
        job = self.lock();
        let has_panicked = answer.is_err();
        let first = job.awaited.iter().find(|(other, _)| *other == key);
        match (first.map(|(_, place)| *place), answer) {
            (None, Ok(Ok(collision))) => {
                let found = Known::Found(collision.is_none());
                job.ahead.put_down(key, found);
            }
            (None, Ok(Err(_)) | Err(_)) => job.ahead.put_down(key, Known::Failed),
            (Some(place), answer) => {
                job.ahead.forget(&key);
                job.awaited.retain(|(other, _)| *other != key);
                match answer {
                    Ok(Ok(None)) => {}
                    Ok(Ok(Some(_))) => job.end_at(place, None),
                    Ok(Err(failure)) => job.end_at(place, Some(failure)),
                    Err(_) => job.has_panicked = true,
                }
                if job.is_settled() {
                    self.is_done.notify_all();
                }
            }
        }
        (job, !has_panicked)
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
                places: Vec::new(),
                dimension: 1,
                portion: 1,
                next: 0,
                end: 0,
                failure: None,
                underway: Vec::with_capacity(cores),
                number: 0,
                ahead: Ahead::default(),
                awaited: Vec::new(),
                has_panicked: false,
                is_over: false,
            }),
            has_work: Condvar::new(),
            is_done: Condvar::new(),
            each: AtomicU64::new(UNKNOWN),
        });
        let help = |_| {
            let (shared, mut world) = (Arc::clone(&shared), world.clone());
            std::thread::spawn(move || {
                let mut mine = Vec::new();
                let working = catch_unwind(AssertUnwindSafe(|| {
                    let mut job = shared.lock();
                    while !job.is_over {
                        job = shared.work(job, &mut world, &mut mine);
                        if job.is_over {
                            break;
                        }
                        let Some(key) = job.ahead.take_up() else {
                            let woken = shared.has_work.wait(job);
                            job = woken.unwrap_or_else(PoisonError::into_inner);
                            continue;
                        };
                        let goes_on;
                        (job, goes_on) = shared.guess(job, key, &mut world, &mut mine);
                        if !goes_on {
                            break;
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
        let shared = &team.shared;
        let count = configurations.len() / dimension;
        let portion = self.world.at_once().max(1) as usize;
        let expected =
            (shared.each()).map_or(Duration::MAX, |each| each.saturating_mul(count as u32));
        let is_alone = count <= portion && self.foresight() == 0;
        if is_alone || expected <= WORTH_WAKING {
            return shared.ask(&mut self.world, configurations, dimension);
        }
        let turn = shared.turn.lock();
        let _turn = turn.unwrap_or_else(PoisonError::into_inner);
        let mut job = shared.lock();
        job.begin(configurations, dimension, portion);
        if job.places.len() > portion || job.ahead.has_next() {
            shared.has_work.notify_all();
        }
        let mut mine = Vec::with_capacity(portion * dimension);
        job = shared.work(job, &mut self.world, &mut mine);
        while !job.is_settled() {
            let woken = shared.is_done.wait(job);
            job = woken.unwrap_or_else(PoisonError::into_inner);
        }
        assert!(!job.has_panicked, "the world has panicked on another core");
        job.awaited.clear();
        match job.failure.take() {
            Some(failure) => Err(failure),
            None => Ok((job.end < count).then_some(job.end)),
        }
    }

    fn foresight(&self) -> usize {
        match &self.team {
            Some(team) if self.world.at_once() <= 1 => {
                let is_worth_it = team.shared.each() > Some(WORTH_FORESEEING);
                usize::from(is_worth_it) * FORESIGHT * self.cores()
            }
            _ => 0,
        }
    }

    fn foresee(&mut self, configurations: &[f64], dimension: usize) {
        if let Some(team) = &self.team {
            // Nobody is woken before the next question in earnest is handed out.
            team.shared.lock().ahead.expect(configurations, dimension);
        }
    }

    fn took(&self) -> Option<Duration> {
        self.team.as_ref()?.shared.each()
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
