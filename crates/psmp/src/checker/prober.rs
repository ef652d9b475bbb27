//! Asking a world about the configurations of motions: the one place where that is done.
//!
//! A world may be asked about all configurations of a motion at once, and a slow one then takes as long
//! as the whole motion does. So where a run can be stopped in the midst of a step, the configurations are
//! handed over in portions that take a few milliseconds each: as many as the world likes to take at
//! once, and more as long as that is quick. Where it takes one at a time it is asked on until it is time to ask the limit
//! again. What is found does not depend on how they are divided, and what was found before a world fails is told with the
//! failure.

use super::Sightings;
use super::prover::{Proof, Stretches};
use crate::motion::{BisectionOrder, Motion};
use crate::stop::Limit;
use std::convert::Infallible;
use std::time::{Duration, Instant};

/// Something that says of a configuration whether it is free.
pub trait World {
    /// How asking can fail; [`Infallible`] if it cannot.
    type Error: Send;

    /// Whether the robot collides with nothing in this configuration.
    ///
    /// # Errors
    /// Whatever keeps the world from an answer.
    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, Self::Error>;

    /// The place of the first configuration in collision among those given one after the other,
    /// or `None` if all are free. It is asked only of worlds that take many [at once](World::at_once) or
    /// on several [cores](World::cores).
    ///
    /// # Errors
    /// Whatever keeps the world from an answer. Nothing is then known of any of these configurations.
    fn first_collision(
        &mut self,
        configurations: &[f64],
        dimension: usize,
    ) -> Result<Option<usize>, Self::Error> {
        for (place, q) in configurations.chunks_exact(dimension).enumerate() {
            if !self.is_free(q)? {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// How many configurations take about as long as one, where many are checked at once. A check of
    /// a part of an edge is at least of so many.
    fn at_once(&self) -> u64 {
        1
    }

    /// How many configurations are asked about [side by side](super::SideBySide): it is best given so many.
    fn cores(&self) -> usize {
        1
    }

    /// How many configurations it would like to be [told](World::foresee) of that are likely to be asked about next:
    /// none, unless it has cores that could ask meanwhile.
    fn foresight(&self) -> usize {
        0
    }

    /// These configurations, given one after the other, are likely to be asked about after what is asked next, and all
    /// that was likely before is so no more. Whatever comes of it, answers stay the same.
    fn foresee(&mut self, _configurations: &[f64], _dimension: usize) {}

    /// What a configuration took lately, where that cannot be told from how long an answer takes, because it may have been
    /// asked about ahead or beside others.
    fn took(&self) -> Option<Duration> {
        None
    }

    /// Whether asking about a configuration takes no longer than looking at a hundred edges does: a few
    /// microseconds. Then a planner that would think long asks instead.
    fn is_quick(&self) -> bool {
        false
    }

    /// Whether this world can [prove](World::prove) more than that configurations are free.
    fn can_prove(&self) -> bool {
        false
    }

    /// What is known of it before anything is asked, if anything is: the [features](crate::Features) by which
    /// experience of other worlds tells which of them this one resembles.
    fn features(&self) -> Option<Vec<f64>> {
        None
    }

    /// Answers for stretches of a motion, whether they are free all along.
    ///
    /// A world must not leave stretches [open](Proof::Open) however short they are: where the robot
    /// moves less than anyone cares for, the middle decides.
    ///
    /// # Errors
    /// Whatever keeps the world from an answer. Nothing is then known of any of these stretches.
    ///
    /// # Panics
    /// Whoever asks may, if there is not one answer for each.
    fn prove(&mut self, stretches: &mut Stretches<'_>) -> Result<(), Self::Error> {
        stretches.answer_each(|middle, _| {
            let free = self.is_free(middle)?;
            Ok(if free { Proof::Free } else { Proof::Blocked })
        })
    }
}

/// A world given by a closure that says whether a configuration is free.
#[derive(Debug, Clone)]
pub struct WorldFn<F>(pub F);

impl<F: FnMut(&[f64]) -> bool> World for WorldFn<F> {
    type Error = Infallible;
    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, Infallible> {
        Ok((self.0)(configuration))
    }
}

/// A portion that took longer is followed by a smaller one.
const LONG: Duration = Duration::from_millis(20);
/// A portion that took less is followed by a larger one.
const SHORT: Duration = Duration::from_millis(5);
/// More at once gains nothing.
const MOST: usize = 1 << 12;

/// What came of asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Probed<E> {
    /// How many configurations the world has answered for, up to the first in collision.
    pub configurations: usize,
    /// Whether the last of them is in collision. If not, and there were more, the limit was met or the
    /// world has failed.
    pub collided: bool,
    /// Why the world has not answered for the next one.
    pub failure: Option<E>,
}

/// When it is time to ask a limit again, for who asks a world about one configuration after the other: always, but for worlds
/// that are so quick that to look at a clock takes as long as to ask them.
#[derive(Debug, Clone)]
struct Pace {
    /// How many more configurations the clock is not looked at for.
    unlooked: u32,
    looked_at: Instant,
}

impl Pace {
    /// Where two looks at the clock were no farther apart than this, there is no other for so many configurations.
    const QUICK: (Duration, u32) = (Duration::from_millis(1), 64);

    fn new() -> Self {
        Self {
            unlooked: 0,
            looked_at: Instant::now(),
        }
    }

    fn is_time_to_ask(&mut self) -> bool {
        if self.unlooked > 0 {
            self.unlooked -= 1;
            return false;
        }
        let now = Instant::now();
        let (time, count) = Self::QUICK;
        if now.duration_since(self.looked_at) < time {
            self.unlooked = count;
        }
        self.looked_at = now;
        true
    }
}

/// Asks a world about motions.
#[derive(Debug, Clone)]
pub struct Prober<W> {
    world: W,
    order: BisectionOrder,
    batch: Vec<f64>,
    /// What is likely to be asked about next.
    likely: Vec<f64>,
    dimension: usize,
    /// How many configurations are handed over at once, learned from how long they take.
    portion: usize,
    /// When the limit is asked, where they are handed over one by one.
    pace: Pace,
}

impl<W: World> Prober<W> {
    /// Asks this world about configurations of so many values, with room for motions of up to `most`
    /// of them.
    pub fn new(world: W, dimension: usize, most: usize) -> Self {
        Self {
            world,
            order: BisectionOrder::with_room_for(most),
            batch: Vec::with_capacity(most * dimension),
            likely: Vec::new(),
            dimension,
            portion: 0,
            pace: Pace::new(),
        }
    }

    /// Asks about the configurations of a motion at these places in the order of asking, up to the
    /// first that is in collision, to the last, or to where the limit interrupts. How many they may be
    /// is the caller's to see to.
    pub fn probe(
        &mut self,
        motion: &Motion<'_>,
        places: impl Iterator<Item = usize>,
        limit: &Limit,
    ) -> Probed<W::Error> {
        let at_once = usize::try_from(self.world.at_once()).unwrap_or(MOST);
        let cores = self.world.cores().max(1);
        let dimension = self.dimension;
        let Self {
            world,
            order,
            batch,
            portion,
            pace,
            ..
        } = self;
        let mut probed = Probed {
            configurations: 0,
            collided: false,
            failure: None,
        };
        // What is left of the last motion is written over.
        batch.clear();
        let mut write = |place: usize, batch: &mut Vec<f64>| {
            let begin = batch.len();
            batch.resize(begin + dimension, 0.0);
            motion.write(
                order.at(place, motion.configurations()),
                &mut batch[begin..],
            );
        };
        let mut places = places.peekable();
        while places.peek().is_some() && !limit.interrupts() {
            if at_once > 1 || cores > 1 {
                let most = match limit.can_interrupt() {
                    true => (*portion).max(at_once).max(cores),
                    false => usize::MAX,
                };
                let from = batch.len();
                for place in places.by_ref().take(most) {
                    write(place, batch);
                }
                let these = &batch[from..];
                let count = these.len() / dimension;
                let began = limit.can_interrupt().then(Instant::now);
                match world.first_collision(these, dimension) {
                    Ok(collision) => {
                        probed.collided = collision.is_some();
                        probed.configurations += collision.map_or(count, |place| place + 1);
                    }
                    Err(failure) => probed.failure = Some(failure),
                }
                let is_over = probed.collided || probed.failure.is_some();
                if let Some(began) = began.filter(|_| !is_over) {
                    let took = began.elapsed();
                    if took > LONG {
                        *portion = count / 2;
                    } else if took < SHORT {
                        *portion = (*portion).max((2 * count).min(MOST));
                    }
                }
            } else {
                // Most motions that are blocked are found so by the first few: the others are not written.
                for place in places.by_ref() {
                    let begin = batch.len();
                    write(place, batch);
                    match world.is_free(&batch[begin..]) {
                        Ok(free) => {
                            probed.configurations += 1;
                            probed.collided = !free;
                        }
                        Err(failure) => probed.failure = Some(failure),
                    }
                    let is_over = probed.collided || probed.failure.is_some();
                    if is_over || limit.can_interrupt() && pace.is_time_to_ask() {
                        break;
                    }
                }
            }
            if probed.collided || probed.failure.is_some() {
                break;
            }
        }
        probed
    }

    /// Tells of the configurations that the last motion was asked about.
    pub fn tell(&self, probed: &Probed<W::Error>, sightings: &mut Sightings) {
        // There is room for the longest motion from the first on.
        sightings.reserve(self.batch.capacity() / self.dimension);
        let asked = self.batch.chunks_exact(self.dimension);
        for (place, q) in asked.take(probed.configurations).enumerate() {
            sightings.push(q, !(probed.collided && place + 1 == probed.configurations));
        }
    }

    /// The configuration in collision that the last motion was asked up to, if there was one.
    pub(crate) fn collision(&self, probed: &Probed<W::Error>) -> Option<&[f64]> {
        let last = probed.collided.then(|| probed.configurations - 1)?;
        self.batch.chunks_exact(self.dimension).nth(last)
    }

    /// Tells the world of configurations of a motion, at these places in the order of asking, that are likely to be
    /// asked about: adds them to those that it is told of next.
    pub(super) fn foresee(&mut self, motion: &Motion<'_>, places: impl Iterator<Item = usize>) {
        for place in places {
            let begin = self.likely.len();
            self.likely.resize(begin + self.dimension, 0.0);
            let place = self.order.at(place, motion.configurations());
            motion.write(place, &mut self.likely[begin..]);
        }
    }

    /// The same of one configuration.
    pub(super) fn foresee_one(&mut self, configuration: &[f64]) {
        self.likely.extend_from_slice(configuration);
    }

    /// These were all.
    pub(super) fn foreseen(&mut self) {
        self.world.foresee(&self.likely, self.dimension);
        self.likely.clear();
    }

    /// The world that is asked.
    pub fn world(&self) -> &W {
        &self.world
    }

    /// The world that is asked.
    pub fn world_mut(&mut self) -> &mut W {
        &mut self.world
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::motion::Resolution;
    use crate::space::Space;
    use crate::stop::Stop;
    use std::cell::Cell;

    /// Asks about a motion of 1000 configurations, in order of bisection.
    fn ask<W: World>(world: W, limit: &Limit) -> Probed<W::Error> {
        let space = Space::unit(1);
        let resolution = Resolution::distance(1.0 / 999.0).unwrap();
        let motion = Motion::new(&space, &[0.0], &[1.0], resolution);
        let count = motion.configurations();
        Prober::new(world, 1, count).probe(&motion, 0..count, limit)
    }

    #[test]
    fn a_slow_world_hears_of_a_stop_between_two_configurations() {
        let slow = WorldFn(|_: &[f64]| {
            std::thread::sleep(Duration::from_millis(30));
            true
        });
        let probed = ask(slow, &Limit::new(&Stop::after(Duration::from_millis(50))));
        assert!((1..=3).contains(&probed.configurations), "{probed:?}");
        assert!(!probed.collided);
    }

    /// A world that takes so many at once, finds a wall at the `wall`-th question and fails at another.
    struct Counting<'a> {
        at_once: u64,
        wall: usize,
        failure: usize,
        asked: &'a Cell<usize>,
    }

    impl World for Counting<'_> {
        type Error = ();
        fn is_free(&mut self, _: &[f64]) -> Result<bool, ()> {
            let asked = self.asked.get();
            if asked == self.failure {
                return Err(());
            }
            self.asked.set(asked + 1);
            Ok(asked != self.wall)
        }
        fn at_once(&self) -> u64 {
            self.at_once
        }
    }

    #[test]
    fn however_divided_the_same_is_found_and_a_failure_loses_nothing() {
        for (wall, failure) in [(0, 5), (1, 2000), (31, 900), (999, 2000), (40, 40), (9, 7)] {
            for stop in [Stop::never(), Stop::after(Duration::from_secs(3600))] {
                for at_once in [1, 16] {
                    let asked = &Cell::new(0);
                    let world = Counting {
                        at_once,
                        wall,
                        failure,
                        asked,
                    };
                    let probed = ask(world, &Limit::new(&stop));
                    let collides = wall < failure;
                    assert_eq!(probed.collided, collides);
                    assert_eq!(probed.failure.is_some(), !collides);
                    if collides {
                        assert_eq!(probed.configurations, wall + 1);
                    } else if at_once == 1 {
                        assert_eq!(probed.configurations, failure);
                    }
                }
            }
        }
    }
}
