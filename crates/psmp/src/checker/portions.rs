//! Asking a world about many configurations in portions, so that a stop is heard between two of them.
//!
//! A world may be asked about all configurations of an edge at once, and a slow one then takes as long
//! as the whole edge does. So where a run can be stopped in the midst of a step, the configurations are
//! handed over in portions that take a few milliseconds each: as many as the world likes to take at
//! once, and more as long as that is quick. What is found does not depend on how they are divided.

use super::World;
use crate::stop::Limit;
use std::time::{Duration, Instant};

/// A portion that took longer is followed by a smaller one.
const LONG: Duration = Duration::from_millis(20);
/// A portion that took less is followed by a larger one.
const SHORT: Duration = Duration::from_millis(5);
/// More at once gains nothing.
const MOST: usize = 1 << 12;

/// What came of asking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Asked {
    /// How many configurations the world was asked about, up to the first in collision.
    pub configurations: usize,
    /// Whether the last of them is in collision. If not, and there were more, the limit was met.
    pub collided: bool,
}

/// How many configurations are handed over at once, learned from how long they take.
#[derive(Debug, Clone, Default)]
pub struct Portions {
    size: usize,
}

impl Portions {
    /// Asks a world about configurations given one after the other, up to the first that is in
    /// collision, to the last, or to where the limit interrupts. How many they may be is the caller's to
    /// see to.
    ///
    /// # Errors
    /// Whatever keeps the world from an answer.
    pub fn ask<W: World + ?Sized>(
        &mut self,
        world: &mut W,
        configurations: &[f64],
        dimension: usize,
        limit: &Limit,
    ) -> Result<Asked, W::Error> {
        let count = configurations.len() / dimension;
        let mut asked = Asked {
            configurations: 0,
            collided: false,
        };
        while asked.configurations < count && !limit.interrupts() {
            let left = count - asked.configurations;
            let portion = if limit.can_interrupt() {
                let at_once = usize::try_from(world.at_once()).unwrap_or(MOST);
                left.min(self.size.max(at_once).max(1))
            } else {
                left
            };
            let began = limit.can_interrupt().then(Instant::now);
            let from = asked.configurations * dimension;
            let these = &configurations[from..from + portion * dimension];
            let collision = world.first_collision(these, dimension)?;
            if let Some(began) = began {
                self.learn(portion, began.elapsed());
            }
            asked.configurations += collision.map_or(portion, |place| place + 1);
            if collision.is_some() {
                asked.collided = true;
                break;
            }
        }
        Ok(asked)
    }

    fn learn(&mut self, portion: usize, took: Duration) {
        if took > LONG {
            self.size = portion / 2;
        } else if took < SHORT {
            self.size = self.size.max((2 * portion).min(MOST));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::WorldFn;
    use crate::stop::Stop;
    use std::cell::Cell;

    #[test]
    fn a_slow_world_hears_of_a_stop_between_two_configurations() {
        let slow = |_: &[f64]| {
            std::thread::sleep(Duration::from_millis(30));
            true
        };
        let limit = Limit::new(&Stop::after(Duration::from_millis(50)));
        let asked = Portions::default()
            .ask(&mut WorldFn(slow), &[0.5; 100], 1, &limit)
            .unwrap();
        assert!((1..=3).contains(&asked.configurations), "{asked:?}");
        assert!(!asked.collided);
    }

    #[test]
    fn however_divided_the_same_is_found() {
        let configurations: Vec<f64> = (0..1000).map(f64::from).collect();
        for wall in [0.0, 1.0, 31.0, 500.0, 999.0, 2000.0] {
            for stop in [Stop::never(), Stop::after(Duration::from_secs(3600))] {
                let asked = Cell::new(0);
                let mut world = WorldFn(|q: &[f64]| {
                    asked.set(asked.get() + 1);
                    q[0] != wall
                });
                let found = Portions::default()
                    .ask(&mut world, &configurations, 1, &Limit::new(&stop))
                    .unwrap();
                let expected = (wall as usize + 1).min(1000);
                assert_eq!(found.configurations, expected);
                assert_eq!(asked.get(), expected);
                assert_eq!(found.collided, wall < 1000.0);
            }
        }
    }
}
