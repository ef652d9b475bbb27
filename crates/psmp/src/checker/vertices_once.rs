//! Checking edges without asking about a vertex twice.
//!
//! The edges of a path share their ends, and the edges of a vertex all begin there. A checker that
//! takes every edge by itself asks about these configurations again and again. This one remembers
//! them: an edge between known free vertices costs only what lies between them, and an edge to a
//! vertex known to be in collision costs nothing. Where edges are checked in parts the vertices of all edges of a
//! path come first, then their middles, then the rest: a vertex tells of two edges of the path at once.

use super::bisection::{BisectionError, Counts, can_grow, motion, prober_for};
use super::prober::{Prober, World};
use super::{Bill, Checker, Finding, Part, Sightings, Verdict};
use crate::motion::Resolution;
use crate::roadmap::{EdgeId, Growth, Roadmap, RoadmapError, VertexId};
use crate::space::Space;
use crate::stop::Limit;
use std::ops::Range;

/// Checks edges as a [`BisectionChecker`](super::BisectionChecker) does, but asks about each vertex once.
#[derive(Debug, Clone)]
pub struct VerticesOnce<W> {
    roadmap: Roadmap,
    resolution: Resolution,
    prober: Prober<W>,
    known: Vec<Option<bool>>,
    /// Those that were known to be free from the beginning.
    given: Vec<VertexId>,
    /// How many of its ends were asked about when an edge was checked, for each edge.
    asked: Vec<u8>,
    counts: Counts,
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
            given: free.to_vec(),
            asked: vec![0; roadmap.edge_count()],
            counts: Counts::of_edges(roadmap),
        })
    }

    fn ends(&self, edge: EdgeId) -> [VertexId; 2] {
        let e = self.roadmap.edge(edge);
        [e.from, e.to]
    }

    /// How many ends of an edge are known to be free, and whether one is known not to be.
    fn known_ends(&self, edge: EdgeId) -> (usize, bool) {
        let known = self.ends(edge).map(|v| self.known[v.index()]);
        let count = |free| known.iter().filter(|known| **known == Some(free)).count();
        (count(true), count(false) > 0)
    }

    /// Asks about these configurations of an edge, in the order of asking. Whether they are free, if that is known now.
    fn ask(
        &mut self,
        edge: EdgeId,
        places: Range<usize>,
        limit: &Limit,
        found: &mut Finding,
        sightings: &mut Sightings,
    ) -> Result<Option<bool>, W::Error> {
        let motion = motion(&self.roadmap, edge, self.resolution);
        let wanted = places.len();
        let probed = self.prober.probe(&motion, places, limit);
        self.prober.tell(&probed, sightings);
        found.configurations += probed.configurations as u64;
        match probed.failure {
            Some(failure) => Err(failure),
            None if probed.collided => Ok(Some(false)),
            None => Ok((probed.configurations == wanted).then_some(true)),
        }
    }
}

impl<W: World> Checker for VerticesOnce<W> {
    type Error = W::Error;

    fn cost_if_free(&self, edge: EdgeId) -> u64 {
        let all = (self.counts).of(&self.roadmap, edge, self.resolution);
        let for_nothing = self.known_ends(edge).0 - usize::from(self.asked[edge.index()]);
        all.saturating_sub(for_nothing as u64)
    }

    fn bill(&self, edge: EdgeId, verdict: Option<Verdict>, knows: [bool; 2]) -> Bill {
        let all = (self.counts).of(&self.roadmap, edge, self.resolution);
        let mut bill = Bill::default();
        let ends = self.ends(edge);
        let known = ends.map(|end| self.known[end.index()]);
        // Whoever knows an end to be in collision asks no more.
        let is_known_blocked = |place: usize| knows[place] && known[place] == Some(false);
        if verdict.is_some() && (is_known_blocked(0) || is_known_blocked(1)) {
            return bill;
        }
        for place in 0..ends.len().min(all as usize) {
            bill.ends[place] = !knows[place] && !self.given.contains(&ends[place]);
            // What comes behind an end that nobody has asked about cannot be told.
            if verdict.is_some() && known[place] != Some(true) {
                return bill;
            }
        }
        bill.own = match verdict {
            None => all.saturating_sub(2),
            Some(verdict) => {
                let asked = u64::from(self.asked[edge.index()]);
                verdict.configurations.saturating_sub(asked)
            }
        };
        bill
    }

    /// Its ends first; then as many as there would be if nothing had been known of these.
    fn portion(&self, edge: EdgeId, wanted: u64) -> u64 {
        let (known, is_blocked) = self.known_ends(edge);
        let unknown = 2 - known as u64;
        if wanted == u64::MAX || is_blocked {
            return wanted;
        }
        if unknown > 0 {
            return unknown;
        }
        let for_nothing = 2 - u64::from(self.asked[edge.index()]);
        wanted.saturating_sub(for_nothing).max(1)
    }

    fn check(&mut self, part: Part<'_>, sightings: &mut Sightings) -> Result<Finding, W::Error> {
        let Part {
            edge, seen, limit, ..
        } = part;
        let mut found = Finding::NOTHING;
        if self.known_ends(edge).1 {
            found.free = Some(false);
            return Ok(found);
        }
        let count = motion(&self.roadmap, edge, self.resolution).configurations();
        let most = part.most.min(limit.configurations());
        // The ends come first in the order.
        for (place, end) in self.ends(edge).into_iter().enumerate().take(count) {
            if self.known[end.index()].is_some() {
                continue;
            }
            if found.configurations == most {
                return Ok(found);
            }
            let free = self.ask(edge, place..place + 1, limit, &mut found, sightings)?;
            self.known[end.index()] = free;
            self.asked[edge.index()] += u8::from(free.is_some());
            if free != Some(true) {
                found.free = free;
                return Ok(found);
            }
        }
        let between = seen + found.configurations - u64::from(self.asked[edge.index()]);
        let begin = count.min(2 + between as usize);
        let left = most - found.configurations;
        let end = (count as u64).min((begin as u64).saturating_add(left)) as usize;
        let free = self.ask(edge, begin..end, limit, &mut found, sightings)?;
        found.free = free.filter(|free| !free || end == count);
        Ok(found)
    }

    fn grow(&mut self, growth: &Growth) -> Result<(), RoadmapError> {
        can_grow(&self.roadmap, self.resolution, growth)?;
        let dimension = self.roadmap.space().map_or(1, Space::dimension);
        let new = growth.coordinates.len() / dimension;
        self.known.resize(self.roadmap.vertex_count() + new, None);
        let edges = self.roadmap.edge_count() + growth.edges.len();
        self.asked.resize(edges, 0);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::{BisectionChecker, WorldFn};
    use crate::roadmap::{Direction, Edge};
    use std::cell::RefCell;
    use std::collections::BTreeMap;

    /// The vertices of a path are asked about before anything between them.
    #[test]
    fn ends_come_first_and_then_the_middle() {
        let edges = (0..3).map(|v| Edge::new(v, v + 1, 0.25)).collect();
        let roadmap = Roadmap::from_edges(4, Direction::Undirected, edges)
            .and_then(|graph| graph.with_configurations(Space::unit(1), vec![0.0, 0.25, 0.5, 0.75]))
            .unwrap();
        let resolution = Resolution::distance(0.03125).unwrap();
        let world = WorldFn(|_: &[f64]| true);
        let start = VertexId(0);
        let mut once = VerticesOnce::new(&roadmap, resolution, world, &[start]).unwrap();
        let mut seen = [0; 3];
        let mut order = Vec::new();
        for edge in [0, 1, 2, 0, 1, 2].map(EdgeId) {
            let mut sightings = Sightings::new(1);
            let part = Part {
                edge,
                seen: seen[edge.index()],
                most: once.portion(edge, 3),
                limit: &Limit::NONE,
            };
            let Ok(found) = once.check(part, &mut sightings);
            seen[edge.index()] += found.configurations;
            order.extend(sightings.iter().map(|(q, _)| q[0]));
        }
        assert_eq!(order[..3], [0.25, 0.5, 0.75]);
        assert_eq!(order[3], 0.125);
        assert!(order[4..].contains(&0.375) && order[4..].contains(&0.625));
    }

    /// What somebody pays who has asked about nothing before is told from verdicts that others have paid a part of.
    #[test]
    fn a_bill_is_what_one_pays_alone() {
        let roadmap = Roadmap::random_geometric(Space::unit(2), 150, 0.2, 3).unwrap();
        let free = |q: &[f64]| (q[0] - 0.5).hypot(q[1] - 0.5) > 0.2;
        let resolution = Resolution::largest_axis(0.02).unwrap();
        let given = [VertexId(0)];
        let make = || VerticesOnce::new(&roadmap, resolution, WorldFn(free), &given).unwrap();
        let check = |checker: &mut VerticesOnce<_>, edge| {
            let Ok(found) = checker.check(Part::whole_of(edge), &mut Sightings::new(2));
            Verdict {
                free: found.free.unwrap(),
                configurations: found.configurations,
            }
        };
        let mut shared = make();
        let verdicts: Vec<_> = roadmap.edge_ids().map(|e| check(&mut shared, e)).collect();
        let mut alone = make();
        let mut paid = vec![false; roadmap.vertex_count()];
        let (mut too_little, mut of_others) = (0, 0);
        // In an order of their own.
        for place in 0..verdicts.len() {
            let edge = EdgeId((place * 7 % verdicts.len()) as u32);
            let price = make().bill(edge, None, [false; 2]);
            let ends = price.ends.iter().filter(|is_asked| **is_asked).count() as u64;
            assert_eq!(price.own + ends, make().cost_if_free(edge));
            let verdict = verdicts[edge.index()];
            let ends = shared.ends(edge).map(VertexId::index);
            let bill = shared.bill(edge, Some(verdict), ends.map(|end| paid[end]));
            let mut pays = bill.own;
            for (end, is_asked) in ends.into_iter().zip(bill.ends) {
                paid[end] |= is_asked;
                pays += u64::from(is_asked);
            }
            let expected = check(&mut alone, edge);
            assert_eq!(expected.free, verdict.free);
            assert!(pays <= expected.configurations);
            too_little += expected.configurations - pays;
            of_others += u64::from(pays > verdict.configurations);
        }
        assert_ne!(verdicts.len() % 7, 0);
        assert!(of_others > 50, "{of_others}");
        // Only where the first end of an edge is unknown to whoever found the second in collision.
        assert!(too_little <= 5, "{too_little}");
    }

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
        let mut sightings = Sightings::new(2);
        for edge in roadmap.edge_ids() {
            sightings.clear();
            let price = once.cost_if_free(edge);
            let mut seen = 0;
            // Some whole, others in parts.
            let found = loop {
                let wanted = if edge.0 % 3 == 0 { u64::MAX } else { 3 };
                let most = once.portion(edge, wanted);
                let part = Part {
                    edge,
                    seen,
                    most,
                    limit: &Limit::NONE,
                };
                let Ok(found) = once.check(part, &mut sightings);
                seen += found.configurations;
                assert_eq!(seen, sightings.len() as u64);
                assert!(found.configurations <= most);
                if found.free.is_some() {
                    break found;
                }
                assert_eq!(
                    (found.configurations, once.cost_if_free(edge)),
                    (most, price)
                );
            };
            assert!(found.free == Some(false) || seen == price);
            assert!(seen <= price);
            let Ok(expected) = plain.check(Part::whole_of(edge), &mut Sightings::new(2));
            assert_eq!(found.free, expected.free);
            spent += seen;
            usual += expected.configurations;
            blocked += u64::from(found.free == Some(false));
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
