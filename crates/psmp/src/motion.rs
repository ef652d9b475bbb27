//! Motions: straight ways between two configurations, and the configurations that stand for them.
//!
//! A motion is asked about at a [`Resolution`]: how many configurations that takes follows from where
//! its ends are and from nothing else. They are taken ends first, then the middle, then the quarters
//! and so on, because an obstacle is wider than the resolution: halving finds it after a few
//! configurations, walking from one end after half of them.

use crate::space::Space;
use thiserror::Error;

/// How many configurations a motion may have: there is room for all of them, and a resolution that
/// makes more is a mistake that would take hours and gigabytes to show.
const MOST_CONFIGURATIONS: f64 = (1 << 20) as f64;

/// How far apart the configurations of a motion may lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Resolution {
    step: f64,
    measure: Measure,
}

/// What a step from one configuration to the next is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Distance,
    LargestAxis,
}

/// A resolution that no one can mean.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error(
    "a resolution of {0:?} cannot be used: it must be positive, finite, and not tiny beside the motions"
)]
pub struct ResolutionError(pub f64);

impl Resolution {
    /// Steps of at most this distance.
    ///
    /// # Errors
    /// If it is not positive and finite.
    pub fn distance(step: f64) -> Result<Self, ResolutionError> {
        Self::new(step, Measure::Distance)
    }

    /// Steps in which no axis moves farther than this, whatever its weight: as is usual for arms.
    ///
    /// # Errors
    /// If it is not positive and finite.
    pub fn largest_axis(step: f64) -> Result<Self, ResolutionError> {
        Self::new(step, Measure::LargestAxis)
    }

    fn new(step: f64, measure: Measure) -> Result<Self, ResolutionError> {
        if step > 0.0 && step.is_finite() {
            Ok(Self { step, measure })
        } else {
            Err(ResolutionError(step))
        }
    }

    /// The largest step.
    #[must_use]
    pub fn step(self) -> f64 {
        self.step
    }

    /// How many configurations the longest of some motions has.
    ///
    /// # Errors
    /// If they are more than anyone can mean.
    pub(crate) fn most_of(self, motions: LongestMotions) -> Result<usize, ResolutionError> {
        self.configurations_along(match self.measure {
            Measure::Distance => motions.distance,
            Measure::LargestAxis => motions.axis,
        })
    }

    /// How many configurations a motion through all of a space has at most.
    ///
    /// # Errors
    /// If they are more than anyone can mean.
    pub(crate) fn most_in(self, space: &Space) -> Result<usize, ResolutionError> {
        let sides = space.axes().iter().map(|axis| match self.measure {
            Measure::Distance => axis.extent() * axis.weight(),
            Measure::LargestAxis => axis.extent(),
        });
        let across = sides.map(|side| side * side).sum::<f64>().sqrt();
        self.configurations_along(across)
    }

    fn configurations_along(self, way: f64) -> Result<usize, ResolutionError> {
        if way / self.step < MOST_CONFIGURATIONS {
            Ok((way / self.step).ceil() as usize + 1)
        } else {
            Err(ResolutionError(self.step))
        }
    }

    fn way(self, space: &Space, from: &[f64], to: &[f64]) -> f64 {
        match self.measure {
            Measure::Distance => space.distance(from, to),
            Measure::LargestAxis => largest_axis(space, from, to),
        }
    }
}

/// How far the axis moves that moves the farthest.
fn largest_axis(space: &Space, from: &[f64], to: &[f64]) -> f64 {
    let axes = space.axes().iter().zip(from.iter().zip(to));
    axes.map(|(axis, (&a, &b))| axis.difference(a, b).abs())
        .fold(0.0, f64::max)
}

/// How long the longest of some motions is by each measure.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LongestMotions {
    distance: f64,
    axis: f64,
}

impl LongestMotions {
    /// Of one alone.
    pub fn of(space: &Space, from: &[f64], to: &[f64]) -> Self {
        Self {
            distance: space.distance(from, to),
            axis: largest_axis(space, from, to),
        }
    }

    /// Of all of these and those.
    pub fn max(self, other: Self) -> Self {
        Self {
            distance: self.distance.max(other.distance),
            axis: self.axis.max(other.axis),
        }
    }
}

/// A straight motion, and where its configurations are.
#[derive(Debug, Clone, Copy)]
pub struct Motion<'a> {
    space: &'a Space,
    from: &'a [f64],
    to: &'a [f64],
    steps: usize,
}

impl<'a> Motion<'a> {
    /// The motion from one configuration straight to another, which takes no steps if they are the
    /// same.
    #[must_use]
    pub fn new(space: &'a Space, from: &'a [f64], to: &'a [f64], resolution: Resolution) -> Self {
        let way = resolution.way(space, from, to);
        Self {
            space,
            from,
            to,
            steps: (way / resolution.step).ceil() as usize,
        }
    }

    /// In how many steps it is asked about.
    #[must_use]
    pub fn steps(&self) -> usize {
        self.steps
    }

    /// How many configurations it has, both ends included.
    #[must_use]
    pub fn configurations(&self) -> usize {
        self.steps + 1
    }

    /// Writes the configuration after so many steps into `out`.
    #[inline]
    pub fn write(&self, step: usize, out: &mut [f64]) {
        let share = step as f64 / self.steps.max(1) as f64;
        self.space.interpolate(self.from, self.to, share, out);
    }

    /// Where it begins and where it ends.
    #[must_use]
    pub fn ends(&self) -> [&'a [f64]; 2] {
        [self.from, self.to]
    }

    /// The space that it is in.
    #[must_use]
    pub fn space(&self) -> &'a Space {
        self.space
    }
}

/// The order in which the configurations of a motion are asked about, as a reusable generator.
///
/// ```
/// let mut order = psmp::BisectionOrder::default();
/// assert_eq!(order.of(5), [0, 4, 2, 1, 3]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct BisectionOrder {
    /// How many configurations there are, and as much of their order as has been asked for.
    count: usize,
    order: Vec<u32>,
    intervals: Vec<(u32, u32)>,
    /// The first interval that has not been halved.
    next: usize,
}

impl BisectionOrder {
    /// An order with room for so many configurations.
    pub(crate) fn with_room_for(most: usize) -> Self {
        Self {
            order: Vec::with_capacity(most),
            intervals: Vec::with_capacity(2 * most),
            ..Self::default()
        }
    }

    /// The indices `0..count`, ends first, then midpoints breadth first.
    pub fn of(&mut self, count: usize) -> &[u32] {
        self.up_to(count, count)
    }

    /// Which of them is at this place. Who leaves off at a collision has no need of those behind it, and they are not found out.
    #[inline]
    pub(crate) fn at(&mut self, place: usize, count: usize) -> usize {
        match self.order.get(place) {
            Some(&index) if self.count == count => index as usize,
            _ => self.up_to(place + 1, count)[place] as usize,
        }
    }

    /// The first `end` of them at least.
    fn up_to(&mut self, end: usize, count: usize) -> &[u32] {
        if self.count != count {
            self.count = count;
            self.order.clear();
            self.intervals.clear();
            self.next = 0;
            if count > 0 {
                self.order.push(0);
            }
            if count > 1 {
                let last = count as u32 - 1;
                self.order.push(last);
                self.intervals.push((0, last));
            }
        }
        while self.order.len() < end
            && let Some(&(low, high)) = self.intervals.get(self.next)
        {
            self.next += 1;
            if high - low < 2 {
                continue;
            }
            let middle = low.midpoint(high);
            self.order.push(middle);
            self.intervals.extend([(low, middle), (middle, high)]);
        }
        &self.order
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::space::Axis;

    #[test]
    fn the_order_visits_each_once_and_halves() {
        let mut order = BisectionOrder::default();
        for count in [0, 1, 2, 3, 8, 9, 301] {
            let singly: Vec<usize> = (0..count).map(|place| order.at(place, count)).collect();
            let mut seen = order.of(count).to_vec();
            assert!(seen.iter().map(|&index| index as usize).eq(singly));
            seen.sort_unstable();
            assert!(seen.iter().copied().eq(0..count as u32));
        }
        assert_eq!(order.of(9), [0, 8, 4, 2, 6, 1, 3, 5, 7]);
    }

    #[test]
    fn steps_are_measured_as_is_asked_for_and_go_round_where_an_axis_wraps() {
        let space = Space::unit(2);
        let by_distance = Resolution::distance(0.1).unwrap();
        let by_axis = Resolution::largest_axis(0.1).unwrap();
        let steps = |resolution| Motion::new(&space, &[0.0, 0.0], &[0.3, 0.4], resolution).steps();
        assert_eq!((steps(by_distance), steps(by_axis)), (5, 4));
        let round = Space::new(vec![Axis::angle()]).unwrap();
        let motion = Motion::new(&round, &[3.0], &[-3.0], by_distance);
        assert_eq!(motion.configurations(), 4);
        let mut middle = [0.0];
        motion.write(1, &mut middle);
        assert!(middle[0] > 3.0);
        let nowhere = Motion::new(&round, &[3.0], &[3.0], by_distance);
        assert_eq!(nowhere.configurations(), 1);
    }

    #[test]
    fn useless_resolutions_are_refused() {
        for useless in [0.0, -0.1, f64::NAN, f64::INFINITY] {
            assert!(Resolution::distance(useless).is_err(), "{useless}");
        }
        for tiny in [1e-7, 1e-300] {
            let tiny = Resolution::distance(tiny).unwrap();
            assert!(tiny.most_in(&Space::unit(2)).is_err());
        }
    }
}
