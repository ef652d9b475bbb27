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
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Others are woken for what is expected to take longer than this: that is what waking them takes.
const WORTH_WAKING: Duration = Duration::from_micros(30);
/// What is likely to come is found out, and asked about, where a configuration takes longer than this.
const WORTH_FORESEEING: Duration = Duration::from_micros(150);
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
    /// The first places of the portions that are being asked about, if they are of more than one.
    underway: Vec<usize>,
    /// Which job it is: an answer that comes when nobody waits for it any more is of an earlier one.
    number: u64,
    ahead: Ahead,
    /// When whoever asks has begun to ask itself, while it does.
    asking_since: Option<Instant>,
    /// What else is being asked about and is wanted now, and its places.
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

    /// Whether the planner will ask the next question sooner than in half the time that one takes.
    fn is_planner_near(&self, job: &Job<E>) -> bool {
        let half = self.each().unwrap_or(Duration::MAX) / 2;
        job.asking_since.is_none_or(|began| began.elapsed() > half)
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
            if let [_] = job.places[first..after] {
                let key = key(mine);
                job.awaited.push((key.clone(), place));
                job.ahead.put_down(key.clone(), Known::Underway);
                drop(job);
                let answer = catch_unwind(AssertUnwindSafe(|| self.ask(world, mine, dimension)));
                job = self.lock();
                match answer {
                    Ok(answer) => self.take(&mut job, key, answer),
                    // Whoever asks for it again is not to wait for this core.
                    Err(panic) => {
                        job.ahead.put_down(key, Known::Failed);
                        drop(job);
                        resume_unwind(panic);
                    }
                }
                continue;
            }
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

    /// Takes the answer to a configuration, whether somebody waits for it or not. What is behind a collision counts for
    /// nothing, but need not be asked again.
    fn take(&self, job: &mut Job<E>, key: Key, answer: Result<Option<usize>, E>) {
        let known = match &answer {
            Ok(collision) => Known::Found(collision.is_none()),
            Err(_) => Known::Failed,
        };
        let mut wanted = job.awaited.iter().filter(|(other, _)| *other == key);
        if let Some(place) = wanted.next().map(|(_, place)| *place) {
            job.awaited.retain(|(other, _)| *other != key);
            match answer {
                Ok(None) => {}
                Ok(Some(_)) => job.end_at(place, None),
                Err(failure) => job.end_at(place, Some(failure)),
            }
            if job.is_settled() {
                self.is_done.notify_all();
            }
        }
        job.ahead.put_down(key, known);
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
        match answer {
            Ok(answer) => self.take(&mut job, key, answer),
            Err(_) if job.awaited.iter().any(|(other, _)| *other == key) => {
                job.has_panicked = true;
                self.is_done.notify_all();
            }
            Err(_) => job.ahead.put_down(key, Known::Failed),
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
                asking_since: None,
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
                        let is_near = shared.is_planner_near(&job);
                        let Some(key) = job.ahead.take_up(is_near) else {
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
        if self.foresight() == 0 {
            return self.world.is_free(configuration);
        }
        let collision = self.first_collision(configuration, configuration.len())?;
        Ok(collision.is_none())
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
        job.asking_since = Some(Instant::now());
        job = shared.work(job, &mut self.world, &mut mine);
        job.asking_since = None;
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

    /// A world that notes what it is asked. There is a collision below 0, a failure above 1, a panic above 10; above 0.9 it
    /// takes long.
    #[derive(Clone, Default)]
    struct Diary(Arc<Mutex<Vec<f64>>>);

    const TAKES: Duration = Duration::from_millis(2);
    const LONG: Duration = Duration::from_secs(2);

    impl World for Diary {
        type Error = usize;
        fn is_free(&mut self, q: &[f64]) -> Result<bool, usize> {
            self.0.lock().unwrap().push(q[0]);
            std::thread::sleep(TAKES);
            match q[0] {
                q if q < 0.0 => Ok(false),
                q if q > 10.0 => panic!("it has panicked"),
                q if q > 1.0 => Err(q as usize),
                q if q > 0.9 => {
                    std::thread::sleep(LONG);
                    Ok(true)
                }
                _ => Ok(true),
            }
        }
    }

    impl Diary {
        fn asked(&self, q: f64) -> usize {
            self.0.lock().unwrap().iter().filter(|&&x| x == q).count()
        }

        /// Waits until this was asked, which nobody has done in earnest.
        fn await_guess(&self, q: f64) {
            let began = Instant::now();
            while self.asked(q) == 0 {
                assert!(began.elapsed() < LONG, "nobody asks about {q}");
                std::thread::sleep(TAKES / 8);
            }
        }

        /// A team on two cores that knows how long a question takes.
        fn team(&self) -> SideBySide<Self> {
            let mut team = SideBySide::new(self.clone(), 2);
            assert_eq!(team.foresight(), 0, "it cannot know that yet");
            assert_eq!(team.first_collision(&[0.5], 1), Ok(None));
            assert_eq!(team.foresight(), 2 * FORESIGHT);
            team
        }
    }

    #[test]
    fn what_was_foreseen_is_asked_once_by_who_is_idle() {
        let world = Diary::default();
        let mut team = world.team();
        team.foresee(&[0.1, -0.2, 0.3, -0.2, 0.4], 1);
        assert_eq!(world.0.lock().unwrap().len(), 1, "nobody was woken");
        assert_eq!(team.first_collision(&[0.6], 1), Ok(None));
        for q in [0.1, -0.2, 0.3, 0.4] {
            world.await_guess(q);
        }
        // As it may be underway, and as it is known.
        assert_eq!(
            team.first_collision(&[0.7, 0.4, 0.1, -0.2, 0.8], 1),
            Ok(Some(3))
        );
        assert_eq!(team.first_collision(&[0.3, 0.9], 1), Ok(None));
        // What another core was at behind a collision is not lost.
        assert_eq!(team.first_collision(&[-0.5, 0.75], 1), Ok(Some(0)));
        assert_eq!(team.first_collision(&[0.75, 0.75], 1), Ok(None));
        for q in [0.1, -0.2, 0.3, 0.4, 0.6, 0.7] {
            assert_eq!(world.asked(q), 1, "{q}");
        }
    }

    #[test]
    fn who_asks_waits_for_no_guess() {
        let world = Diary::default();
        let mut team = world.team();
        team.foresee(&[0.95], 1);
        assert_eq!(team.first_collision(&[0.6], 1), Ok(None));
        world.await_guess(0.95);
        let began = Instant::now();
        assert_eq!(team.first_collision(&[0.1, 0.2, -0.3, 0.4], 1), Ok(Some(2)));
        assert!(began.elapsed() < LONG / 2, "{:?}", began.elapsed());
        // But for the very one that is wanted.
        assert_eq!(team.first_collision(&[0.95, 0.95], 1), Ok(None));
        assert_eq!(world.asked(0.95), 1);
    }

    #[test]
    fn a_failure_is_one_only_where_it_was_asked_for() {
        let world = Diary::default();
        let mut team = world.team();
        for times in 1..=2 {
            team.foresee(&[7.0], 1);
            assert_eq!(team.first_collision(&[0.6], 1), Ok(None));
            world.await_guess(7.0);
            assert_eq!(team.first_collision(&[0.1, 0.2, 0.3], 1), Ok(None));
            // What the world has failed at is not guessed again, and in earnest asked anew.
            assert_eq!(team.first_collision(&[0.1, 7.0, -1.0], 1), Err(7));
            assert_eq!(world.asked(7.0), 1 + times);
        }
    }

    #[test]
    fn a_panic_that_nobody_has_asked_for_is_none() {
        let world = Diary::default();
        let mut team = world.team();
        team.foresee(&[99.0, 0.1], 1);
        assert_eq!(team.first_collision(&[0.6], 1), Ok(None));
        world.await_guess(99.0);
        // Whoever is left goes on alone.
        assert_eq!(team.first_collision(&[0.2, 0.3, -1.0, 0.4], 1), Ok(Some(2)));
        assert_eq!(team.clone().first_collision(&[0.1, 0.3], 1), Ok(None));
        for _ in 0..2 {
            let asked = catch_unwind(AssertUnwindSafe(|| team.first_collision(&[99.0], 1)));
            assert!(asked.is_err(), "it was asked for now");
        }
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
