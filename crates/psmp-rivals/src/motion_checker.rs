//! Checking motions: straight ways between any two configurations, counted as edges are.
//!
//! A motion has the configurations that an edge of a roadmap would have, at a fixed resolution, and
//! they are taken in the same order, the end first, then the middle, the quarters and so on, up to the
//! first collision. Its beginning is not asked about: a planner moves from where it knows that it can
//! be. Every configuration that the world is asked about counts, and none else.
//!
//! Straightening a path leads it close around things, where an arm is likeliest to hit something
//! between two configurations. So an arm's shortcuts are checked more finely than its other motions.

use psmp::checker::{BisectionOrder, Portions, World};
use psmp::{Limit, Space};
use thiserror::Error;

/// What a step from one configuration of a motion to the next is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Its length.
    Length,
    /// The axis that moves farthest, whatever its weight.
    LargestAxis,
}

/// A resolution that no one can mean.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error(
    "a resolution of {0:?} cannot be used: it must be positive, finite, and not tiny beside the space"
)]
pub struct ResolutionError(pub f64);

/// How many configurations a motion through the whole space may have: there is room for all of them,
/// and a resolution that makes more is a mistake that would take hours and gigabytes to show.
const MOST_CONFIGURATIONS: f64 = (1 << 20) as f64;

/// The most that a joint moves from one configuration of an arm's shortcut to the next, in radians.
pub const SHORTCUT_STEP: f64 = 0.01;

/// Says whether configurations and motions between them are free in a [`World`], and counts.
#[derive(Debug, Clone)]
pub struct MotionChecker<W> {
    space: Space,
    resolution: f64,
    /// The same for shortcuts; no larger.
    shortcut_resolution: f64,
    step: Step,
    world: W,
    order: BisectionOrder,
    batch: Vec<f64>,
    portions: Portions,
    limit: Limit,
    /// How many configurations the limit leaves.
    left: u64,
    configurations: u64,
    motions: u64,
}

impl<W: World> MotionChecker<W> {
    /// A checker whose configurations are at most `resolution` apart.
    ///
    /// # Errors
    /// If the resolution makes no sense in this space.
    pub fn new(space: Space, resolution: f64, world: W) -> Result<Self, ResolutionError> {
        Self::stepping(space, [resolution; 2], Step::Length, world)
    }

    /// A checker whose steps are measured by the axis that moves farthest, as is usual for arms: no
    /// joint moves more than `resolution` from one configuration to the next.
    ///
    /// # Errors
    /// If the resolution makes no sense in this space.
    pub fn by_largest_step(
        space: Space,
        resolution: f64,
        world: W,
    ) -> Result<Self, ResolutionError> {
        Self::stepping(space, [resolution; 2], Step::LargestAxis, world)
    }

    /// A checker for an arm whose paths are to be moved along: as [`MotionChecker::by_largest_step`],
    /// but shortcuts are checked at [`SHORTCUT_STEP`] where `resolution` is larger.
    ///
    /// # Errors
    /// If the resolution makes no sense in this space.
    pub fn for_arms(space: Space, resolution: f64, world: W) -> Result<Self, ResolutionError> {
        let both = [resolution, resolution.min(SHORTCUT_STEP)];
        Self::stepping(space, both, Step::LargestAxis, world)
    }

    fn stepping(
        space: Space,
        [resolution, shortcut_resolution]: [f64; 2],
        step: Step,
        world: W,
    ) -> Result<Self, ResolutionError> {
        let sides = space.axes().iter().map(|axis| match step {
            Step::Length => axis.extent() * axis.weight(),
            Step::LargestAxis => axis.extent(),
        });
        let across = sides.map(|side| side * side).sum::<f64>().sqrt();
        for resolution in [resolution, shortcut_resolution] {
            if !(resolution > 0.0
                && resolution.is_finite()
                && across / resolution < MOST_CONFIGURATIONS)
            {
                return Err(ResolutionError(resolution));
            }
        }
        let most = (across / shortcut_resolution).ceil() as usize + 1;
        Ok(Self {
            batch: Vec::with_capacity(most * space.dimension()),
            space,
            resolution,
            shortcut_resolution,
            step,
            world,
            order: BisectionOrder::default(),
            portions: Portions::default(),
            limit: Limit::none(),
            left: u64::MAX,
            configurations: 0,
            motions: 0,
        })
    }

    /// From now on this limit is kept.
    pub fn obey(&mut self, limit: &Limit) {
        self.limit.clone_from(limit);
        self.left = limit.configurations();
    }

    /// Whether the limit is met.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.left == 0 || self.limit.interrupts()
    }

    /// Whether this configuration is free.
    ///
    /// # Errors
    /// Whatever keeps the world from an answer.
    pub fn is_free(&mut self, configuration: &[f64]) -> Result<bool, W::Error> {
        let free = self.world.is_free(configuration)?;
        self.configurations += 1;
        self.left = self.left.saturating_sub(1);
        Ok(free)
    }

    /// Whether the straight motion is free; nothing if the limit was met before that was known. Its
    /// beginning is taken to be free.
    ///
    /// # Errors
    /// Whatever keeps the world from an answer.
    pub fn is_motion_free(&mut self, from: &[f64], to: &[f64]) -> Result<Option<bool>, W::Error> {
        let segments = self.segments(from, to);
        self.are_free(from, to, segments)
    }

    /// The same at the resolution of shortcuts.
    pub(crate) fn is_shortcut_free(
        &mut self,
        from: &[f64],
        to: &[f64],
    ) -> Result<Option<bool>, W::Error> {
        let segments = self.shortcut_segments(from, to);
        self.are_free(from, to, segments)
    }

    /// Whether shortcuts are checked more finely than other motions.
    pub(crate) fn is_finer_for_shortcuts(&self) -> bool {
        self.shortcut_resolution < self.resolution
    }

    fn are_free(
        &mut self,
        from: &[f64],
        to: &[f64],
        segments: usize,
    ) -> Result<Option<bool>, W::Error> {
        let dimension = self.space.dimension();
        // The order is of both ends and all between; the first is the beginning.
        let order = self.order.of(segments + 1);
        let asked = order.get(1..).unwrap_or_default();
        self.batch.resize(asked.len() * dimension, 0.0);
        for (&i, q) in asked.iter().zip(self.batch.chunks_exact_mut(dimension)) {
            let share = f64::from(i) / segments as f64;
            self.space.interpolate(from, to, share, q);
        }
        let count = asked.len();
        let may_ask = usize::try_from(self.left).map_or(count, |left| left.min(count));
        let asked = self.portions.ask(
            &mut self.world,
            &self.batch[..may_ask * dimension],
            dimension,
            &self.limit,
        )?;
        self.configurations += asked.configurations as u64;
        self.left -= asked.configurations as u64;
        if !asked.collided && asked.configurations < count {
            return Ok(None);
        }
        self.motions += 1;
        Ok(Some(!asked.collided))
    }

    /// In how many steps the motion is checked, at least one.
    #[must_use]
    pub fn segments(&self, from: &[f64], to: &[f64]) -> usize {
        self.steps(from, to, self.resolution)
    }

    /// The same at the resolution of shortcuts.
    pub(crate) fn shortcut_segments(&self, from: &[f64], to: &[f64]) -> usize {
        self.steps(from, to, self.shortcut_resolution)
    }

    fn steps(&self, from: &[f64], to: &[f64], resolution: f64) -> usize {
        let way = match self.step {
            Step::Length => self.space.distance(from, to),
            Step::LargestAxis => {
                let axes = self.space.axes().iter().zip(from.iter().zip(to));
                axes.map(|(axis, (&a, &b))| axis.difference(a, b).abs())
                    .fold(0.0, f64::max)
            }
        };
        ((way / resolution).ceil() as usize).max(1)
    }

    /// The space that motions are in.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Configurations that the world was asked about.
    #[must_use]
    pub fn configurations(&self) -> u64 {
        self.configurations
    }

    /// Motions checked.
    #[must_use]
    pub fn motions(&self) -> u64 {
        self.motions
    }

    /// The world that is checked in.
    pub fn world_mut(&mut self) -> &mut W {
        &mut self.world
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp::checker::WorldFn;
    use psmp::{Axis, Stop};

    #[test]
    fn a_motion_costs_what_an_edge_does_less_its_beginning() {
        // 11 configurations from 0 to 1; the wall is met at 0.5, after the end.
        let wall = WorldFn(|q: &[f64]| !(0.45..0.55).contains(&q[0]));
        let mut checker = MotionChecker::new(Space::unit(1), 0.1, wall).unwrap();
        assert_eq!(checker.is_motion_free(&[0.0], &[1.0]), Ok(Some(false)));
        assert_eq!(checker.configurations(), 2);
        assert_eq!(checker.is_motion_free(&[0.0], &[0.4]), Ok(Some(true)));
        assert_eq!(checker.configurations(), 2 + 4);
        assert!(!checker.is_free(&[0.5]).unwrap());
        assert_eq!((checker.configurations(), checker.motions()), (7, 2));
    }

    #[test]
    fn a_limit_is_kept_to_the_configuration() {
        let wall = WorldFn(|q: &[f64]| !(0.45..0.55).contains(&q[0]));
        let mut checker = MotionChecker::new(Space::unit(1), 0.1, wall).unwrap();
        checker.obey(&Limit::new(&Stop::configurations(1)));
        assert_eq!(checker.is_motion_free(&[0.0], &[1.0]), Ok(None));
        assert_eq!((checker.configurations(), checker.motions()), (1, 0));
        assert!(checker.is_stopped());
        checker.obey(&Limit::new(&Stop::configurations(2)));
        assert_eq!(checker.is_motion_free(&[0.0], &[1.0]), Ok(Some(false)));
        checker.obey(&Limit::new(&Stop::when(|| true)));
        assert_eq!(checker.is_motion_free(&[0.0], &[1.0]), Ok(None));
        assert_eq!((checker.configurations(), checker.motions()), (3, 1));
    }

    #[test]
    fn the_largest_step_counts_where_it_is_asked_for() {
        let free = || WorldFn(|_: &[f64]| true);
        let by_length = MotionChecker::new(Space::unit(2), 0.1, free()).unwrap();
        assert_eq!(by_length.segments(&[0.0, 0.0], &[0.3, 0.4]), 5);
        let by_step = MotionChecker::by_largest_step(Space::unit(2), 0.1, free()).unwrap();
        assert_eq!(by_step.segments(&[0.0, 0.0], &[0.3, 0.4]), 4);
    }

    #[test]
    fn a_motion_goes_round_where_its_axis_wraps() {
        let space = Space::new(vec![Axis::angle()]).unwrap();
        let front = WorldFn(|q: &[f64]| q[0].abs() > 2.0);
        let mut checker = MotionChecker::new(space, 0.01, front).unwrap();
        assert_eq!(checker.is_motion_free(&[3.0], &[-3.0]), Ok(Some(true)));
        assert_eq!(checker.is_motion_free(&[3.0], &[0.0]), Ok(Some(false)));
    }

    #[test]
    fn useless_resolutions_are_refused() {
        for useless in [0.0, -0.1, f64::NAN, f64::INFINITY, 1e-9] {
            let made = MotionChecker::new(Space::unit(2), useless, WorldFn(|_: &[f64]| true));
            assert!(made.is_err(), "{useless}");
        }
    }
}
