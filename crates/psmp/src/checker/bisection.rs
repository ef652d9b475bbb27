//! Checking an edge configuration by configuration, in bisection order, up to the first collision.
//!
//! How many configurations an edge has follows from where its ends are, and not from the length that
//! was stated for it: that is only what is minimised, and may be a time or a cost.

use super::prober::{Probed, Prober, World};
use super::prover::Prover;
use super::{Checker, Finding, Foreseen, Part, Sightings};
use crate::motion::{LongestMotions, Motion, Resolution, ResolutionError};
use crate::roadmap::{EdgeId, Growth, Roadmap, RoadmapError, VertexId};
use crate::stop::Limit;
use std::sync::atomic::{AtomicU32, Ordering};
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
    /// Nothing if edges are not to be proved, or cannot be.
    prover: Option<Prover>,
    /// What was asked for a proof before the world failed, and has not been told.
    untold: u64,
    counts: Counts,
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
        Ok(Self {
            roadmap: roadmap.clone(),
            resolution,
            prober: prober_for(roadmap, resolution, world)?,
            prover: None,
            untold: 0,
            counts: Counts::of_edges(roadmap),
        })
    }

    /// The same checker, which proves edges free all along if its world [can](World::can_prove). If this
    /// is never called edges are free that are free at the resolution.
    #[must_use]
    pub fn proving(mut self) -> Self {
        self.prover = self.prober.world().can_prove().then(Prover::default);
        self
    }

    /// The world that is checked in.
    pub fn world_mut(&mut self) -> &mut W {
        self.prober.world_mut()
    }

    pub(super) fn roadmap(&self) -> &Roadmap {
        &self.roadmap
    }

    /// How many configurations an edge has.
    pub(super) fn count(&self, edge: EdgeId) -> usize {
        (self.counts).of(&self.roadmap, edge, self.resolution) as usize
    }

    /// Asks about so many of the configurations of an edge that are `left`, by their places in the order of asking, as the
    /// part says.
    pub(super) fn probe(
        &mut self,
        left: impl Iterator<Item = usize> + Clone,
        part: Part<'_>,
        sightings: &mut Sightings,
    ) -> ProbedEdge<W::Error> {
        let motion = motion(&self.roadmap, part.edge, self.resolution);
        let most = part.most.max(self.prober.world().at_once());
        let most = most.min(part.limit.configurations());
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let probed = (self.prober).probe(&motion, left.clone().take(most), part.limit);
        self.prober.tell(&probed, sightings);
        ProbedEdge {
            left: left.count(),
            probed,
        }
    }

    /// Tells the world of what is likely to be checked, where an edge has these configurations `left`, by their places in
    /// the order of asking.
    pub(super) fn foresee_of<I: Iterator<Item = usize>>(
        &mut self,
        likely: &[Foreseen],
        mut left: impl FnMut(&Self, &Foreseen) -> I,
    ) {
        for part in likely {
            let places = left(self, part);
            let places = (places.skip(part.after as usize)).take(part.count as usize);
            let motion = motion(&self.roadmap, part.edge, self.resolution);
            self.prober.foresee(&motion, places);
        }
        self.prober.foreseen();
    }
}

/// What came of asking about an edge.
pub(super) struct ProbedEdge<E> {
    pub(super) probed: Probed<E>,
    /// How many of its configurations there were to ask about.
    left: usize,
}

impl<E> ProbedEdge<E> {
    pub(super) fn finding(self) -> Result<Finding, E> {
        let Probed {
            configurations,
            collided,
            failure,
        } = self.probed;
        match failure {
            Some(failure) => Err(failure),
            None => Ok(Finding {
                free: match collided {
                    true => Some(false),
                    false => (configurations == self.left).then_some(true),
                },
                configurations: configurations as u64,
            }),
        }
    }
}

/// What asks a world about the edges of a roadmap, with room for the longest, so that no check allocates.
pub(super) fn prober_for<W: World>(
    roadmap: &Roadmap,
    resolution: Resolution,
    world: W,
) -> Result<Prober<W>, BisectionError> {
    let (Some(space), Some(longest)) = (roadmap.space(), roadmap.longest_motions()) else {
        return Err(BisectionError::NoConfigurations);
    };
    let most = resolution.most_of(longest)?;
    Ok(Prober::new(world, space.dimension(), most))
}

/// Whether the edges that a roadmap is about to grow by can be checked at a resolution.
pub(super) fn can_grow(
    roadmap: &Roadmap,
    resolution: Resolution,
    growth: &Growth,
) -> Result<(), RoadmapError> {
    let Some(space) = roadmap.space() else {
        return Ok(());
    };
    let old = roadmap.vertex_count();
    let configuration = |v: VertexId| match v.index().checked_sub(old) {
        None => roadmap.configuration(v),
        Some(new) => growth.coordinates.chunks_exact(space.dimension()).nth(new),
    };
    let motions = growth.edges.iter().filter_map(|new| {
        let (from, to) = (configuration(new.edge.from)?, configuration(new.edge.to)?);
        Some(LongestMotions::of(space, from, to))
    });
    let longest = motions.fold(LongestMotions::default(), LongestMotions::max);
    let most = resolution.most_of(longest);
    most.map(|_| ())
        .map_err(|error| RoadmapError::Parameter(error.to_string()))
}

/// The motion along an edge of a roadmap that is known to have configurations.
pub(super) fn motion(roadmap: &Roadmap, edge: EdgeId, resolution: Resolution) -> Motion<'_> {
    let Some(motion) = roadmap.motion(edge, resolution) else {
        unreachable!("roadmaps without configurations are refused");
    };
    motion
}

/// How many configurations each edge has. Planners ask for that again and again, and measuring an edge takes longer than
/// all else that they ask of it; it is found out when it is first asked for. Edges that a roadmap has grown by are
/// measured each time.
#[derive(Debug)]
pub(super) struct Counts(Vec<AtomicU32>);

impl Counts {
    pub(super) fn of_edges(roadmap: &Roadmap) -> Self {
        let unknown = std::iter::repeat_with(AtomicU32::default);
        Self(unknown.take(roadmap.edge_count()).collect())
    }

    #[inline]
    pub(super) fn of(&self, roadmap: &Roadmap, edge: EdgeId, resolution: Resolution) -> u64 {
        let kept = self.0.get(edge.index());
        let known = kept.map_or(0, |kept| kept.load(Ordering::Relaxed));
        if known > 0 {
            return u64::from(known);
        }
        let count = motion(roadmap, edge, resolution).configurations();
        // One that is too large to be kept is measured each time.
        if let (Some(kept), Ok(count)) = (kept, u32::try_from(count)) {
            kept.store(count, Ordering::Relaxed);
        }
        count as u64
    }
}

impl Clone for Counts {
    fn clone(&self) -> Self {
        let each = self.0.iter().map(|kept| kept.load(Ordering::Relaxed));
        Self(each.map(AtomicU32::new).collect())
    }
}

impl<W: World> Checker for BisectionChecker<W> {
    type Error = W::Error;

    fn cost_if_free(&self, edge: EdgeId) -> u64 {
        (self.counts).of(&self.roadmap, edge, self.resolution)
    }

    fn check(&mut self, part: Part<'_>, sightings: &mut Sightings) -> Result<Finding, W::Error> {
        let left = part.seen as usize..self.count(part.edge);
        self.probe(left, part, sightings).finding()
    }

    fn foresight(&self) -> usize {
        self.prober.world().foresight()
    }

    fn foresee(&mut self, likely: &[Foreseen]) {
        self.foresee_of(likely, |checker, part| {
            part.seen as usize..checker.count(part.edge)
        });
    }

    fn prove(&mut self, edge: EdgeId, limit: &Limit) -> Result<Finding, W::Error> {
        let Some(prover) = &mut self.prover else {
            return Ok(Finding::UNQUESTIONED);
        };
        let motion = motion(&self.roadmap, edge, self.resolution);
        let most = limit.configurations();
        let world = self.prober.world_mut();
        let proved = prover.prove(world, motion.space(), motion.ends(), most, limit);
        if let Some(failure) = proved.failure {
            self.untold += proved.configurations;
            return Err(failure);
        }
        Ok(Finding {
            free: proved.free,
            configurations: proved.configurations + std::mem::take(&mut self.untold),
        })
    }

    fn grow(&mut self, growth: &Growth) -> Result<(), RoadmapError> {
        can_grow(&self.roadmap, self.resolution, growth)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::WorldFn;
    use crate::roadmap::{Direction, Edge};
    use crate::space::Space;
    use std::convert::Infallible;

    fn at(step: f64) -> Resolution {
        Resolution::distance(step).unwrap()
    }

    /// One edge from 0 to 1, said to be so long.
    fn line(length: f64) -> Roadmap {
        Roadmap::from_edges(2, Direction::Undirected, vec![Edge::new(0, 1, length)])
            .unwrap()
            .with_configurations(Space::unit(1), vec![0.0, 1.0])
            .unwrap()
    }

    #[test]
    fn partial_checks_together_are_the_whole() {
        let roadmap = Roadmap::random_geometric(Space::unit(2), 60, 0.3, 5).unwrap();
        let world = || WorldFn(|q: &[f64]| (q[0] - 0.5).hypot(q[1] - 0.5) > 0.15);
        let mut checker = BisectionChecker::new(&roadmap, at(0.01), world()).unwrap();
        let mut blocked = 0;
        for edge in roadmap.edge_ids() {
            let (mut whole, mut parts) = (Sightings::new(2), Sightings::new(2));
            let verdict = checker.check(Part::whole_of(edge), &mut whole).unwrap();
            let mut seen = 0;
            let free = loop {
                // Parts of every size, and in the middle of a level of the bisection too.
                let asked = Part {
                    edge,
                    seen,
                    most: 1 + seen % 5,
                    limit: &Limit::NONE,
                };
                let part = checker.check(asked, &mut parts).unwrap();
                seen += part.configurations;
                if part.free.is_some() {
                    break part.free;
                }
                assert_eq!(part.configurations, asked.most);
            };
            assert_eq!((free, seen), (verdict.free, verdict.configurations));
            assert!(whole.iter().eq(parts.iter()));
            blocked += usize::from(free == Some(false));
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
        let mut checker = BisectionChecker::new(&line(1.0), at(0.05), Batches(Vec::new())).unwrap();
        let mut seen = 0;
        while seen < 21 {
            let asked = Part {
                edge: EdgeId(0),
                seen,
                most: 3,
                limit: &Limit::NONE,
            };
            let Ok(part) = checker.check(asked, &mut Sightings::new(1));
            seen += part.configurations;
        }
        assert_eq!(checker.world_mut().0, [8, 8, 5]);
    }

    /// A length may be a time or a cost: a motion is as long as it is.
    #[test]
    fn a_stated_length_lets_no_wall_be_passed_over() {
        // 11 configurations; the wall is met at 0.5, the third.
        let world = || WorldFn(|q: &[f64]| !(0.45..0.55).contains(&q[0]));
        for length in [1.0, 0.001, 0.0, 70.0] {
            let mut checker = BisectionChecker::new(&line(length), at(0.1), world()).unwrap();
            assert_eq!(checker.cost_if_free(EdgeId(0)), 11);
            let mut sightings = Sightings::new(1);
            let Ok(finding) = checker.check(Part::whole_of(EdgeId(0)), &mut sightings);
            assert_eq!((finding.free, finding.configurations), (Some(false), 3));
            let seen: Vec<bool> = sightings.iter().map(|(_, free)| free).collect();
            assert_eq!(seen, [true, true, false]);
        }
        assert!(BisectionChecker::new(&line(1.0), at(1e-7), world()).is_err());
    }
}
