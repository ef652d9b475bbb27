//! Checking motions: straight ways between any two configurations, counted as edges are.
//!
//! A motion has the configurations that an edge of a roadmap would have, in the same order, up to the
//! first collision. Its beginning is not asked about: a planner moves from where it knows that it can
//! be. Every configuration that the world is asked about counts, and none else.
//!
//! What is free at the configurations along it may still hit something between them. So what is about to
//! be given out is [proved](MotionChecker::prove) free all along, where the world can.

use super::Sightings;
use super::prober::{Prober, World};
use super::prover::Prover;
use crate::motion::{Motion, Resolution, ResolutionError};
use crate::space::Space;
use crate::stop::Limit;
use std::ops::Range;

/// Of so many configurations a coarse look asks about one.
const COARSE: usize = 4;

/// The place, in the order of asking, of the first configuration that a coarse look at a motion of so many steps leaves out.
fn coarse(steps: usize) -> usize {
    1 + steps.div_ceil(COARSE)
}

/// Says whether configurations and motions between them are free in a [`World`], and counts.
#[derive(Debug, Clone)]
pub struct MotionChecker<W> {
    space: Space,
    resolution: Resolution,
    prober: Prober<W>,
    /// Nothing if motions are not to be proved, or cannot be.
    prover: Option<Prover>,
    limit: Limit,
    /// How many configurations the limit leaves.
    left: u64,
    configurations: u64,
    motions: u64,
    /// Where the last motion that was found blocked is so.
    collision: Vec<f64>,
    /// The ends of the motion that was broken off, and how many of its configurations are known to be
    /// free: it is gone on with if it comes next.
    broken_off: Vec<f64>,
    known: usize,
    /// What motions have shown, if anyone wants to know.
    sightings: Option<Sightings>,
}

impl<W: World> MotionChecker<W> {
    /// A checker of motions at this resolution.
    ///
    /// # Errors
    /// If the resolution makes no sense in this space.
    pub fn new(space: &Space, resolution: Resolution, world: W) -> Result<Self, ResolutionError> {
        resolution.most_in(space)?;
        Ok(Self {
            // Hardly any motion is as long as the longest there could be.
            prober: Prober::new(world, space.dimension(), 0),
            space: space.clone(),
            resolution,
            prover: None,
            limit: Limit::NONE,
            left: u64::MAX,
            configurations: 0,
            motions: 0,
            collision: Vec::with_capacity(space.dimension()),
            broken_off: Vec::with_capacity(2 * space.dimension()),
            known: 0,
            sightings: None,
        })
    }

    /// The same checker, which proves motions free all along if its world [can](World::can_prove). If
    /// this is never called motions are free that are free at the resolution.
    #[must_use]
    pub fn proving(mut self) -> Self {
        self.prover = self.prober.world().can_prove().then(Prover::default);
        self
    }

    /// From now on this limit is kept.
    pub fn obey(&mut self, limit: &Limit) {
        self.limit.keep_to(limit);
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
        let free = self.prober.world_mut().is_free(configuration)?;
        self.configurations += 1;
        self.left = self.left.saturating_sub(1);
        Ok(free)
    }

    /// Whether the straight motion is free; nothing if the limit was met before that was known, and then
    /// it is gone on with if the same motion comes next. Its beginning is taken to be free.
    ///
    /// # Errors
    /// Whatever keeps the world from an answer.
    pub fn is_motion_free(&mut self, from: &[f64], to: &[f64]) -> Result<Option<bool>, W::Error> {
        self.is_free_at(|_| 1..usize::MAX, from, to)
    }

    /// The same, asking only about a few configurations far apart, the end among them: nearly everything
    /// that is in the way is met by these. The others are [the rest](Self::is_rest_free).
    pub(crate) fn is_coarsely_free(
        &mut self,
        from: &[f64],
        to: &[f64],
    ) -> Result<Option<bool>, W::Error> {
        self.is_free_at(|steps| 1..coarse(steps), from, to)
    }

    /// Whether a motion is free that was found coarsely free.
    pub(crate) fn is_rest_free(
        &mut self,
        from: &[f64],
        to: &[f64],
    ) -> Result<Option<bool>, W::Error> {
        self.is_free_at(|steps| coarse(steps)..usize::MAX, from, to)
    }

    /// The same, where both ends are known to be free and are not asked about.
    ///
    /// # Errors
    /// Whatever keeps the world from an answer.
    pub(crate) fn is_free_between(
        &mut self,
        from: &[f64],
        to: &[f64],
    ) -> Result<Option<bool>, W::Error> {
        self.is_free_at(|_| 2..usize::MAX, from, to)
    }

    /// Whether a motion of so many steps is free at these places in the order of asking. The first is the beginning, the
    /// second is the end.
    fn is_free_at(
        &mut self,
        places: impl FnOnce(usize) -> Range<usize>,
        from: &[f64],
        to: &[f64],
    ) -> Result<Option<bool>, W::Error> {
        let motion = Motion::new(&self.space, from, to, self.resolution);
        let places = places(motion.steps());
        let is_same = self.broken_off.iter().eq(from.iter().chain(to));
        let first = if is_same { self.known } else { places.start };
        let first = first.min(motion.configurations());
        let open = motion
            .configurations()
            .min(places.end)
            .saturating_sub(first);
        let may_ask = usize::try_from(self.left).map_or(open, |left| left.min(open));
        let probed = self
            .prober
            .probe(&motion, first..first + may_ask, &self.limit);
        self.configurations += probed.configurations as u64;
        self.left -= probed.configurations as u64;
        if let Some(sightings) = &mut self.sightings {
            self.prober.tell(&probed, sightings);
        }
        if let Some(q) = self.prober.collision(&probed) {
            self.collision.clear();
            self.collision.extend_from_slice(q);
        }
        self.broken_off.clear();
        let is_decided = probed.collided || probed.configurations == open;
        if is_decided && probed.failure.is_none() {
            self.motions += 1;
            return Ok(Some(!probed.collided));
        }
        self.broken_off.extend(from.iter().chain(to));
        self.known = first + probed.configurations;
        probed.failure.map_or(Ok(None), Err)
    }

    /// How many configurations the world would like to be told of that are likely to be asked about next.
    pub(crate) fn foresight(&self) -> usize {
        self.prober.world().foresight()
    }

    /// This one is likely to be asked about soon.
    pub(crate) fn foresee(&mut self, configuration: &[f64]) {
        self.prober.foresee_one(configuration);
    }

    /// The first configuration of this motion after its beginning is likely to be asked about soon.
    pub(crate) fn foresee_motion(&mut self, from: &[f64], to: &[f64]) {
        let motion = Motion::new(&self.space, from, to, self.resolution);
        let places = (1..motion.configurations()).take(1);
        self.prober.foresee(&motion, places);
    }

    /// [The rest](Self::is_rest_free) of this motion is likely to be asked about soon, or so many configurations of it. How
    /// many that are.
    pub(crate) fn foresee_rest(&mut self, from: &[f64], to: &[f64], most: usize) -> usize {
        let motion = Motion::new(&self.space, from, to, self.resolution);
        let places = coarse(motion.steps())..motion.configurations();
        let count = places.len().min(most);
        self.prober.foresee(&motion, places.take(count));
        count
    }

    /// What is likely to be asked about has been told.
    pub(crate) fn foreseen(&mut self) {
        self.prober.foreseen();
    }

    /// From now on what motions show is [kept](Self::sightings).
    pub(crate) fn watch(&mut self) {
        self.sightings = Some(Sightings::new(self.space.dimension()));
    }

    /// What motions have shown that nobody has cleared, if it is kept.
    pub(crate) fn sightings(&mut self) -> Option<&mut Sightings> {
        self.sightings.as_mut().filter(|seen| !seen.is_empty())
    }

    /// The configuration in collision that the last motion found blocked has shown; empty before the
    /// first.
    pub(crate) fn collision(&self) -> &[f64] {
        &self.collision
    }

    /// Whether a motion that was found free is so all along; nothing if the limit was met before that was
    /// known, and then it is gone on with if the same motion comes next. Where nothing is to be
    /// [proved](MotionChecker::proving), it is free without asking.
    ///
    /// # Errors
    /// Whatever keeps the world from an answer.
    pub fn prove(&mut self, from: &[f64], to: &[f64]) -> Result<Option<bool>, W::Error> {
        let Some(prover) = &mut self.prover else {
            return Ok(Some(true));
        };
        let world = self.prober.world_mut();
        let proved = prover.prove(world, &self.space, [from, to], self.left, &self.limit);
        self.configurations += proved.configurations;
        self.left -= proved.configurations;
        match proved.failure {
            Some(failure) => Err(failure),
            None => Ok(proved.free),
        }
    }

    /// Whether the straight motion is free, first at the configurations along it, then all along.
    ///
    /// # Errors
    /// Whatever keeps the world from an answer.
    pub fn is_proved_free(&mut self, from: &[f64], to: &[f64]) -> Result<Option<bool>, W::Error> {
        match self.is_motion_free(from, to)? {
            Some(true) => self.prove(from, to),
            otherwise => Ok(otherwise),
        }
    }

    /// The motion, as it is checked.
    #[must_use]
    pub fn motion<'a>(&'a self, from: &'a [f64], to: &'a [f64]) -> Motion<'a> {
        Motion::new(&self.space, from, to, self.resolution)
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

    /// How finely motions are asked about.
    pub(crate) fn resolution(&self) -> Resolution {
        self.resolution
    }

    /// The world that is checked in.
    pub(crate) fn world(&self) -> &W {
        self.prober.world()
    }

    /// The world that is checked in.
    pub fn world_mut(&mut self) -> &mut W {
        self.prober.world_mut()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::WorldFn;
    use crate::space::Axis;
    use crate::stop::Stop;

    fn checker<F: FnMut(&[f64]) -> bool>(
        space: &Space,
        step: f64,
        world: WorldFn<F>,
    ) -> MotionChecker<WorldFn<F>> {
        MotionChecker::new(space, Resolution::distance(step).unwrap(), world).unwrap()
    }

    #[test]
    fn a_motion_costs_what_an_edge_does_less_its_beginning() {
        // 11 configurations from 0 to 1; the wall is met at 0.5, after the end.
        let wall = WorldFn(|q: &[f64]| !(0.45..0.55).contains(&q[0]));
        let mut checker = checker(&Space::unit(1), 0.1, wall);
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
        let mut checker = checker(&Space::unit(1), 0.1, wall);
        checker.obey(&Limit::new(&Stop::configurations(1)));
        assert_eq!(checker.is_motion_free(&[0.0], &[1.0]), Ok(None));
        assert_eq!((checker.configurations(), checker.motions()), (1, 0));
        assert!(checker.is_stopped());
        // It goes on where it was broken off.
        checker.obey(&Limit::new(&Stop::configurations(2)));
        assert_eq!(checker.is_motion_free(&[0.0], &[1.0]), Ok(Some(false)));
        checker.obey(&Limit::new(&Stop::when(|| true)));
        assert_eq!(checker.is_motion_free(&[0.0], &[1.0]), Ok(None));
        assert_eq!((checker.configurations(), checker.motions()), (2, 1));
    }

    #[test]
    fn a_motion_goes_round_where_its_axis_wraps() {
        let space = Space::new(vec![Axis::angle()]).unwrap();
        let front = WorldFn(|q: &[f64]| q[0].abs() > 2.0);
        let mut checker = checker(&space, 0.01, front);
        assert_eq!(checker.is_motion_free(&[3.0], &[-3.0]), Ok(Some(true)));
        assert_eq!(checker.is_motion_free(&[3.0], &[0.0]), Ok(Some(false)));
    }
}
