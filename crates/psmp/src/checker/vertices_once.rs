//! Checking edges without asking about a vertex twice.
//!
//! The edges of a path share their ends, and the edges of a vertex all begin there. A checker that
//! takes every edge by itself asks about these configurations again and again. This one remembers
//! them: an edge between known free vertices costs only what lies between them, and an edge to a
//! vertex known to be in collision costs nothing.

use super::bisection::{BisectionError, can_grow, motion, prober_for};
use super::prober::{Prober, World};
use super::{Checker, Finding, Part, Sightings, Verdict};
use crate::motion::Resolution;
use crate::roadmap::{EdgeId, Growth, Roadmap, RoadmapError, VertexId};
use crate::space::Space;
use crate::stop::Limit;

/// Checks whole edges as a [`BisectionChecker`](super::BisectionChecker) does, but asks about each
/// vertex once.
#[derive(Debug, Clone)]
pub struct VerticesOnce<W> {
    roadmap: Roadmap,
    resolution: Resolution,
    prober: Prober<W>,
    known: Vec<Option<bool>>,
}

impl<W: World> VerticesOnce<W> {
    /// A checker for the edges of `roadmap` in `world`. The vertices in `free` are known to be so.
    ///
    /// # Errors
    /// If the roadmap has no configurations or the resolution makes no sense.
    pub fn new(
        roadmap: &Roadmap,
        resolution: Resolution,
        world: W,
        free: &[VertexId],
    ) -> Result<Self, BisectionError> {
        let mut known = vec![None; roadmap.vertex_count()];
        for vertex in free {
            known[vertex.index()] = Some(true);
        }
        Ok(Self {
            roadmap: roadmap.clone(),
            resolution,
            prober: prober_for(roadmap, resolution, world)?,
            known,
        })
    }

    fn ends(&self, edge: EdgeId) -> [VertexId; 2] {
        let e = self.roadmap.edge(edge);
        [e.from, e.to]
    }

    fn check_whole(
        &mut self,
        edge: EdgeId,
        sightings: &mut Sightings,
    ) -> Result<Verdict, W::Error> {
        let ends = self.ends(edge);
        let mut verdict = Verdict {
            free: !ends.iter().any(|v| self.known[v.index()] == Some(false)),
            configurations: 0,
        };
        let motion = motion(&self.roadmap, edge, self.resolution);
        let count = motion.configurations();
        // The ends come first in the order.
        for places in [0..1, 1..2.min(count), 2.min(count)..count] {
            let end = ends.get(places.start).filter(|_| places.len() == 1);
            let end = end.map(|v| v.index());
            if !verdict.free || end.is_some_and(|end| self.known[end].is_some()) {
                continue;
            }
            let probed = self.prober.probe(&motion, places, &Limit::NONE);
            self.prober.tell(&probed, sightings);
            verdict.configurations += probed.configurations as u64;
            verdict.free = !probed.collided;
            if let Some(failure) = probed.failure {
                return Err(failure);
            }
            if let Some(end) = end {
                self.known[end] = Some(verdict.free);
            }
        }
        Ok(verdict)
    }
}

impl<W: World> Checker for VerticesOnce<W> {
    type Error = W::Error;

    fn cost_if_free(&self, edge: EdgeId) -> u64 {
        let known = self.ends(edge).map(|v| self.known[v.index()]);
        let free = known.iter().filter(|k| **k == Some(true)).count();
        let all = motion(&self.roadmap, edge, self.resolution).configurations();
        all.saturating_sub(free) as u64
    }

    fn check(&mut self, part: Part<'_>, sightings: &mut Sightings) -> Result<Finding, W::Error> {
        let edge = part.edge;
        part.whole(self.cost_if_free(edge), || {
            self.check_whole(edge, sightings)
        })
    }

    fn grow(&mut self, growth: &Growth) -> Result<(), RoadmapError> {
        can_grow(&self.roadmap, self.resolution, growth)?;
        let dimension = self.roadmap.space().map_or(1, Space::dimension);
        let new = growth.coordinates.len() / dimension;
        self.known.resize(self.roadmap.vertex_count() + new, None);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::{BisectionChecker, WorldFn};
    use std::cell::RefCell;
    use std::collections::BTreeMap;

    #[test]
    fn verdicts_are_the_same_and_no_vertex_is_asked_twice() {
        let roadmap = Roadmap::random_geometric(Space::unit(2), 150, 0.2, 3).unwrap();
        let free = |q: &[f64]| (q[0] - 0.5).hypot(q[1] - 0.5) > 0.2;
        let asked = RefCell::new(BTreeMap::<[u64; 2], usize>::new());
        let counted = WorldFn(|q: &[f64]| {
            let bits = [q[0].to_bits(), q[1].to_bits()];
            *asked.borrow_mut().entry(bits).or_default() += 1;
            free(q)
        });
        let known = VertexId(0);
        let is_known = free(roadmap.configuration(known).unwrap());
        let given = if is_known { vec![known] } else { Vec::new() };
        let resolution = Resolution::largest_axis(0.02).unwrap();
        let mut once = VerticesOnce::new(&roadmap, resolution, counted, &given).unwrap();
        let mut plain = BisectionChecker::new(&roadmap, resolution, WorldFn(free)).unwrap();
        let (mut spent, mut usual, mut blocked) = (0, 0, 0);
        for edge in roadmap.edge_ids() {
            let mut sightings = Sightings::new(2);
            let price = once.cost_if_free(edge);
            let Ok(verdict) = once.check(Part::whole_of(edge), &mut sightings);
            assert_eq!(verdict.configurations, sightings.len() as u64);
            assert!(verdict.configurations <= price);
            assert!(verdict.free == Some(false) || verdict.configurations == price);
            let Ok(expected) = plain.check(Part::whole_of(edge), &mut Sightings::new(2));
            assert_eq!(verdict.free, expected.free);
            spent += verdict.configurations;
            usual += expected.configurations;
            blocked += u64::from(verdict.free == Some(false));
        }
        assert!(blocked > 50 && spent < usual, "{blocked} {spent} {usual}");
        for vertex in roadmap.vertices() {
            let q = roadmap.configuration(vertex).unwrap();
            let bits = [q[0].to_bits(), q[1].to_bits()];
            let times = asked.borrow().get(&bits).copied().unwrap_or(0);
            assert!(times <= 1, "vertex {} was asked {times} times", vertex.0);
            assert!(vertex != known || !is_known || times == 0);
        }
    }
}
