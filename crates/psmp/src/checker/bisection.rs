//! Checking an edge configuration by configuration, in bisection order, up to the first collision.
//!
//! How many configurations an edge has follows from where its ends are, and not from the length that
//! was stated for it: that is only what is minimised, and may be a time or a cost.

use super::prober::{Prober, World};
use super::{Checker, Extent, Finding, Sightings};
use crate::motion::{Motion, Resolution, ResolutionError};
use crate::roadmap::{EdgeId, Roadmap};
use thiserror::Error;

/// Why edges cannot be checked in a world.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum BisectionError {
    /// The roadmap has no configurations to check.
    #[error(
        "the roadmap carries no configurations, so its edges cannot be checked in a world; check them by table"
    )]
    NoConfigurations,
    /// The resolution is tiny beside the longest edge.
    #[error(transparent)]
    Resolution(#[from] ResolutionError),
}

/// Checks the configurations of an edge at a fixed resolution in a [`World`].
#[derive(Debug, Clone)]
pub struct BisectionChecker<W> {
    roadmap: Roadmap,
    resolution: Resolution,
    prober: Prober<W>,
}

impl<W: World> BisectionChecker<W> {
    /// A checker for the edges of `roadmap` in `world`.
    ///
    /// # Errors
    /// If the roadmap has no configurations or the resolution makes no sense for it.
    pub fn new(
        roadmap: &Roadmap,
        resolution: Resolution,
        world: W,
    ) -> Result<Self, BisectionError> {
        let Some(space) = roadmap.space() else {
            return Err(BisectionError::NoConfigurations);
        };
        let motions = roadmap.edge_ids();
        let motions = motions.filter_map(|edge| roadmap.motion(edge, resolution));
        // Room for the longest edge, so that no check allocates.
        let most = resolution.most_of(motions)?;
        Ok(Self {
            roadmap: roadmap.clone(),
            resolution,
            prober: Prober::new(world, space.dimension(), most),
        })
    }

    /// The world that is checked in.
    pub fn world_mut(&mut self) -> &mut W {
        self.prober.world_mut()
    }
}

/// The motion along an edge of a roadmap that is known to have configurations.
pub(super) fn motion(roadmap: &Roadmap, edge: EdgeId, resolution: Resolution) -> Motion<'_> {
    let Some(motion) = roadmap.motion(edge, resolution) else {
        unreachable!("roadmaps without configurations are refused");
    };
    motion
}

impl<W: World> Checker for BisectionChecker<W> {
    type Error = W::Error;

    fn cost_if_free(&self, edge: EdgeId) -> u64 {
        motion(&self.roadmap, edge, self.resolution).configurations() as u64
    }

    fn check(
        &mut self,
        edge: EdgeId,
        extent: Extent<'_>,
        sightings: &mut Sightings,
    ) -> Result<Finding, W::Error> {
        let motion = motion(&self.roadmap, edge, self.resolution);
        let count = motion.configurations() as u64;
        let most = extent.most.max(self.prober.world().at_once());
        let most = most.min(extent.limit.configurations());
        let end = count.min(extent.seen.saturating_add(most));
        let probed = self
            .prober
            .probe(&motion, extent.seen as usize..end as usize, extent.limit);
        self.prober.tell(&probed, sightings);
        if let Some(failure) = probed.failure {
            return Err(failure);
        }
        let configurations = probed.configurations as u64;
        Ok(Finding {
            free: match probed.collided {
                true => Some(false),
                false => (extent.seen + configurations == count).then_some(true),
            },
            configurations,
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
                    .look(edge, seen, 1 + seen % 5, &Limit::NONE, &mut parts)
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
            let look = checker.look(EdgeId(0), seen, 3, &Limit::NONE, &mut Sightings::new(1));
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
