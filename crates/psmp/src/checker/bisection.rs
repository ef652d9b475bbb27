//! Checking an edge configuration by configuration, in bisection order.
//!
//! The configurations of an edge lie at a fixed resolution. They are taken ends first, then the
//! middle, then the quarters and so on, because an obstacle is wider than the resolution: halving
//! finds it after a few configurations, walking from one end after half of them. The check stops
//! at the first collision.

use super::{Checker, Look, Portions, Sightings, Verdict};
use crate::roadmap::{EdgeId, Roadmap};
use crate::stop::Limit;
use std::convert::Infallible;
use thiserror::Error;

/// Something that says of a configuration whether it is free.
pub trait World {
    /// How asking can fail; [`Infallible`] if it cannot.
    type Error;

    /// Whether the robot collides with nothing in this configuration.
    ///
    /// # Errors
    /// Whatever keeps the world from an answer.
    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, Self::Error>;

    /// The place of the first configuration in collision among those given one after the other,
    /// or `None` if all are free. Implement it where many at once are cheaper than one by one.
    ///
    /// # Errors
    /// Whatever keeps the world from an answer.
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

    /// How many configurations take about as long as one, where many are checked at once. A look at
    /// a part of an edge is at least at so many.
    fn at_once(&self) -> u64 {
        1
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

/// The order in which the configurations of an edge are checked, as a reusable generator.
///
/// ```
/// let mut order = psmp::checker::BisectionOrder::default();
/// assert_eq!(order.of(5), [0, 4, 2, 1, 3]);
/// ```
#[derive(Debug, Clone, Default)]
pub struct BisectionOrder {
    order: Vec<u32>,
    intervals: Vec<(u32, u32)>,
}

impl BisectionOrder {
    /// The indices `0..count`, ends first, then midpoints breadth first.
    pub fn of(&mut self, count: usize) -> &[u32] {
        if self.order.len() == count {
            return &self.order;
        }
        self.order.clear();
        self.intervals.clear();
        if count > 0 {
            self.order.push(0);
        }
        if count > 1 {
            let last = count as u32 - 1;
            self.order.push(last);
            self.intervals.push((0, last));
        }
        let mut next = 0;
        while let Some(&(low, high)) = self.intervals.get(next) {
            next += 1;
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

/// Why a [`BisectionChecker`] cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum BisectionError {
    /// The roadmap has no configurations to check.
    #[error(
        "the roadmap carries no configurations, so its edges cannot be checked in a world; check them by table"
    )]
    NoConfigurations,
    /// The resolution is not a positive finite number, or an edge would have over a million
    /// configurations.
    #[error(
        "a resolution of {0:?} cannot be used: it must be positive, finite, and not tiny beside the longest edge"
    )]
    Resolution(f64),
}

/// How many configurations an edge may have: there is room for all of one edge, and a resolution
/// that makes more of them is a mistake that would take hours and gigabytes to show.
const MOST_CONFIGURATIONS: f64 = (1 << 20) as f64;

/// What a step from one configuration of an edge to the next is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Its length.
    Length,
    /// The axis that moves farthest, whatever its weight.
    LargestAxis,
}

/// Checks the configurations of an edge at a fixed resolution in a [`World`].
///
/// An edge of length `w` has `ceil(w / resolution) + 1` configurations, both ends included.
#[derive(Debug, Clone)]
pub struct BisectionChecker<'a, W> {
    roadmap: &'a Roadmap,
    resolution: f64,
    step: Step,
    world: W,
    order: BisectionOrder,
    batch: Vec<f64>,
    portions: Portions,
}

impl<'a, W: World> BisectionChecker<'a, W> {
    /// A checker for the edges of `roadmap` in `world`.
    ///
    /// # Errors
    /// If the roadmap has no configurations or the resolution makes no sense.
    pub fn new(roadmap: &'a Roadmap, resolution: f64, world: W) -> Result<Self, BisectionError> {
        Self::stepping(roadmap, resolution, Step::Length, world)
    }

    /// A checker whose steps are measured by the axis that moves farthest, as is usual for arms:
    /// no joint moves more than `resolution` from one configuration to the next.
    ///
    /// # Errors
    /// As for [`BisectionChecker::new`].
    pub fn by_largest_step(
        roadmap: &'a Roadmap,
        resolution: f64,
        world: W,
    ) -> Result<Self, BisectionError> {
        Self::stepping(roadmap, resolution, Step::LargestAxis, world)
    }

    fn stepping(
        roadmap: &'a Roadmap,
        resolution: f64,
        step: Step,
        world: W,
    ) -> Result<Self, BisectionError> {
        if !(resolution > 0.0 && resolution.is_finite()) {
            return Err(BisectionError::Resolution(resolution));
        }
        let Some(space) = roadmap.space() else {
            return Err(BisectionError::NoConfigurations);
        };
        let mut checker = Self {
            roadmap,
            resolution,
            step,
            world,
            order: BisectionOrder::default(),
            batch: Vec::new(),
            portions: Portions::default(),
        };
        let longest = roadmap
            .edge_ids()
            .fold(0.0, |m: f64, e| m.max(checker.way(e)));
        if longest / resolution >= MOST_CONFIGURATIONS {
            return Err(BisectionError::Resolution(resolution));
        }
        // Room for the longest edge, so that no check allocates.
        let most = (longest / resolution).ceil() as usize + 1;
        checker.order.of(most);
        checker.batch.reserve_exact(most * space.dimension());
        Ok(checker)
    }

    /// How far an edge goes, as its steps are measured.
    fn way(&self, edge: EdgeId) -> f64 {
        let e = self.roadmap.edge(edge);
        let ends = (
            self.roadmap.space(),
            self.roadmap.configuration(e.from),
            self.roadmap.configuration(e.to),
        );
        match (self.step, ends) {
            (Step::LargestAxis, (Some(space), Some(a), Some(b))) => {
                let axes = space.axes().iter().zip(a.iter().zip(b));
                axes.map(|(axis, (&x, &y))| axis.difference(x, y).abs())
                    .fold(0.0, f64::max)
            }
            _ => e.length,
        }
    }

    /// How many configurations a free edge has.
    #[must_use]
    pub fn configurations_of(&self, edge: EdgeId) -> u64 {
        (self.way(edge) / self.resolution).ceil() as u64 + 1
    }

    /// The world that is checked in.
    pub fn world_mut(&mut self) -> &mut W {
        &mut self.world
    }
}

impl<W: World> Checker for BisectionChecker<'_, W> {
    type Error = W::Error;

    fn price_if_free(&self, edge: EdgeId) -> u64 {
        self.configurations_of(edge)
    }

    fn check(&mut self, edge: EdgeId, sightings: &mut Sightings) -> Result<Verdict, W::Error> {
        let look = self.look(edge, 0, u64::MAX, &Limit::none(), sightings)?;
        Ok(look.of_the_whole())
    }

    fn look(
        &mut self,
        edge: EdgeId,
        seen: u64,
        most: u64,
        limit: &Limit,
        sightings: &mut Sightings,
    ) -> Result<Look, W::Error> {
        let count = self.configurations_of(edge) as usize;
        let e = self.roadmap.edge(edge);
        let (Some(space), Some(a), Some(b)) = (
            self.roadmap.space(),
            self.roadmap.configuration(e.from),
            self.roadmap.configuration(e.to),
        ) else {
            unreachable!("`new` refuses roadmaps without configurations");
        };
        let dimension = space.dimension();
        let most = most.max(self.world.at_once()).min(limit.configurations());
        let end = (count as u64).min(seen.saturating_add(most)) as usize;
        let order = &self.order.of(count)[seen as usize..end];
        self.batch.resize(order.len() * dimension, 0.0);
        for (&i, q) in order.iter().zip(self.batch.chunks_exact_mut(dimension)) {
            space.interpolate(a, b, f64::from(i) / (count - 1).max(1) as f64, q);
        }
        let asked = self
            .portions
            .ask(&mut self.world, &self.batch, dimension, limit)?;
        let looked_at = asked.configurations;
        let batch = self.batch.chunks_exact(dimension);
        for (place, q) in batch.take(looked_at).enumerate() {
            sightings.push(q, !(asked.collided && place + 1 == looked_at));
        }
        Ok(Look {
            free: if asked.collided {
                Some(false)
            } else {
                (seen as usize + looked_at == count).then_some(true)
            },
            configurations: looked_at as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roadmap::{Direction, Edge};
    use crate::space::Space;

    #[test]
    fn the_order_visits_each_once_and_halves() {
        let mut order = BisectionOrder::default();
        for count in [0, 1, 2, 3, 8, 9, 301] {
            let mut seen = order.of(count).to_vec();
            seen.sort_unstable();
            assert!(seen.iter().copied().eq(0..count as u32));
        }
        assert_eq!(order.of(9), [0, 8, 4, 2, 6, 1, 3, 5, 7]);
    }

    #[test]
    fn the_largest_step_counts_where_it_is_asked_for() {
        let roadmap = Roadmap::from_edges(2, Direction::Undirected, vec![Edge::new(0, 1, 0.5)])
            .unwrap()
            .with_configurations(Space::unit(2), vec![0.0, 0.0, 0.3, 0.4])
            .unwrap();
        let world = || WorldFn(|_: &[f64]| true);
        let by_length = BisectionChecker::new(&roadmap, 0.1, world()).unwrap();
        assert_eq!(by_length.configurations_of(EdgeId(0)), 6);
        let by_step = BisectionChecker::by_largest_step(&roadmap, 0.1, world()).unwrap();
        assert_eq!(by_step.configurations_of(EdgeId(0)), 5);
    }

    #[test]
    fn looks_together_are_the_check() {
        let roadmap = Roadmap::random_geometric(Space::unit(2), 60, 0.3, 5).unwrap();
        let world = || WorldFn(|q: &[f64]| (q[0] - 0.5).hypot(q[1] - 0.5) > 0.15);
        let mut checker = BisectionChecker::new(&roadmap, 0.01, world()).unwrap();
        let mut blocked = 0;
        for edge in roadmap.edge_ids() {
            let (mut whole, mut parts) = (Sightings::new(2), Sightings::new(2));
            let verdict = checker.check(edge, &mut whole).unwrap();
            let mut seen = 0;
            let free = loop {
                // Parts of every size, and in the middle of a level of the bisection too.
                let look = checker
                    .look(edge, seen, 1 + seen % 5, &Limit::none(), &mut parts)
                    .unwrap();
                seen += look.configurations;
                if let Some(free) = look.free {
                    break free;
                }
                assert!(look.configurations == 1 + (seen - look.configurations) % 5);
            };
            assert_eq!((free, seen), (verdict.free, verdict.configurations));
            assert!(whole.iter().eq(parts.iter()));
            blocked += usize::from(!free);
        }
        assert!(blocked > 10 && blocked < roadmap.edge_count() - 10);
    }

    #[test]
    fn a_world_that_checks_many_at_once_is_asked_about_many() {
        struct Batches(Vec<usize>);
        impl World for Batches {
            type Error = Infallible;
            fn is_free(&mut self, _: &[f64]) -> Result<bool, Infallible> {
                Ok(true)
            }
            fn first_collision(
                &mut self,
                q: &[f64],
                n: usize,
            ) -> Result<Option<usize>, Infallible> {
                self.0.push(q.len() / n);
                Ok(None)
            }
            fn at_once(&self) -> u64 {
                8
            }
        }
        let roadmap = Roadmap::from_edges(2, Direction::Undirected, vec![Edge::new(0, 1, 1.0)])
            .unwrap()
            .with_configurations(Space::unit(1), vec![0.0, 1.0])
            .unwrap();
        let mut checker = BisectionChecker::new(&roadmap, 0.05, Batches(Vec::new())).unwrap();
        let mut seen = 0;
        while seen < 21 {
            let look = checker.look(EdgeId(0), seen, 3, &Limit::none(), &mut Sightings::new(1));
            seen += look.unwrap().configurations;
        }
        assert_eq!(checker.world_mut().0, [8, 8, 5]);
    }

    #[test]
    fn a_collision_ends_the_check_and_is_counted() {
        let roadmap = Roadmap::from_edges(2, Direction::Undirected, vec![Edge::new(0, 1, 1.0)])
            .unwrap()
            .with_configurations(Space::unit(1), vec![0.0, 1.0])
            .unwrap();
        // 11 configurations; the wall is met at 0.5, the third.
        let world = WorldFn(|q: &[f64]| !(0.45..0.55).contains(&q[0]));
        let mut checker = BisectionChecker::new(&roadmap, 0.1, world).unwrap();
        let mut sightings = Sightings::new(1);
        let verdict = checker.check(EdgeId(0), &mut sightings).unwrap();
        assert_eq!(
            verdict,
            Verdict {
                free: false,
                configurations: 3
            }
        );
        let seen: Vec<bool> = sightings.iter().map(|(_, free)| free).collect();
        assert_eq!(seen, [true, true, false]);
        for useless in [0.0, -0.1, f64::NAN, f64::INFINITY, 1e-7, 1e-300] {
            let made = BisectionChecker::new(&roadmap, useless, WorldFn(|_: &[f64]| true));
            assert!(made.is_err(), "{useless}");
        }
    }
}
