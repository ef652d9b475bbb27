//! Checking edges without asking about a vertex twice.
//!
//! The edges of a path share their ends, and the edges of a vertex all begin there. A checker that
//! takes every edge by itself asks about these configurations again and again. This one remembers
//! them: an edge between known free vertices costs only what lies between them, and an edge to a
//! vertex known to be in collision costs nothing. Where edges are checked in parts the vertices of all edges of a
//! path come first, then their middles, then the rest: a vertex tells of two edges of the path at once.

use super::bisection::BisectionChecker;
use super::prober::{Probed, World};
use super::{Bill, Checker, Finding, Foreseen, Part, Sightings, Verdict};
use crate::roadmap::{EdgeId, Growth, RoadmapError, VertexId};
use crate::space::Space;
use crate::stop::Limit;
use std::ops::Range;

/// What is known of a vertex.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Known {
    Nothing,
    /// That it is free, without having been asked about.
    Given,
    Free,
    InCollision,
}

/// Checks edges as a [`BisectionChecker`] does, but asks about each vertex once.
#[derive(Debug, Clone)]
pub struct VerticesOnce<W> {
    edges: BisectionChecker<W>,
    vertices: Vec<Known>,
    /// How many of its ends were asked about when an edge was checked, for each edge.
    asked: Vec<u8>,
}

impl<W: World> VerticesOnce<W> {
    /// The same checker, asking about each vertex once. The vertices in `free` are known to be so.
    #[must_use]
    pub fn new(edges: BisectionChecker<W>, free: impl IntoIterator<Item = VertexId>) -> Self {
        let roadmap = edges.roadmap();
        let mut vertices = vec![Known::Nothing; roadmap.vertex_count()];
        for vertex in free {
            vertices[vertex.index()] = Known::Given;
        }
        Self {
            vertices,
            asked: vec![0; roadmap.edge_count()],
            edges,
        }
    }

    /// The world that is checked in.
    pub fn world_mut(&mut self) -> &mut W {
        self.edges.world_mut()
    }

    /// Forgets that an end of an edge was found in collision, where the edge is known to be free all the same: a record of
    /// a world and its picture may differ.
    pub fn forget_collisions(&mut self, edge: EdgeId) {
        for end in self.ends(edge) {
            let known = &mut self.vertices[end.index()];
            if *known == Known::InCollision {
                *known = Known::Nothing;
            }
        }
    }

    fn ends(&self, edge: EdgeId) -> [VertexId; 2] {
        let e = self.edges.roadmap().edge(edge);
        [e.from, e.to]
    }

    /// What is known of the ends of an edge.
    fn known(&self, edge: EdgeId) -> [Known; 2] {
        self.ends(edge).map(|end| self.vertices[end.index()])
    }
}

impl Known {
    fn is_free(self) -> bool {
        matches!(self, Known::Given | Known::Free)
    }
}

/// How many of the ends of an edge are known to be free.
fn free(known: [Known; 2]) -> u64 {
    known.into_iter().filter(|known| known.is_free()).count() as u64
}

/// The places, in the order of asking, of the configurations of an edge that are left to ask about: its ends first, and
/// then what is between them, of which as many have been seen as were not asked at its ends.
fn left(
    known: [Known; 2],
    asked: u8,
    seen: u64,
    count: usize,
) -> (impl Iterator<Item = usize> + Clone, Range<usize>) {
    let unknown = (0..known.len().min(count)).filter(move |&end| known[end] == Known::Nothing);
    (unknown, 2 + (seen - u64::from(asked)) as usize..count)
}

impl<W: World> Checker for VerticesOnce<W> {
    type Error = W::Error;

    fn cost_if_free(&self, edge: EdgeId) -> u64 {
        let all = self.edges.cost_if_free(edge);
        // An end that was asked about may have been in collision.
        let asked = u64::from(self.asked[edge.index()]);
        let for_nothing = free(self.known(edge)).saturating_sub(asked);
        all.saturating_sub(for_nothing)
    }

    fn bill(&self, edge: EdgeId, verdict: Option<Verdict>, knows: [bool; 2]) -> Bill {
        let all = self.edges.cost_if_free(edge);
        let mut bill = Bill::default();
        let known = self.known(edge);
        // Whoever knows an end to be in collision asks no more.
        let is_known_blocked = |place: usize| knows[place] && known[place] == Known::InCollision;
        if verdict.is_some() && (is_known_blocked(0) || is_known_blocked(1)) {
            return bill;
        }
        for place in 0..known.len().min(all as usize) {
            bill.ends[place] = !knows[place] && known[place] != Known::Given;
            // What comes behind an end that nobody has asked about cannot be told.
            if verdict.is_some() && !known[place].is_free() {
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
        let known = self.known(edge);
        if wanted == u64::MAX || known.contains(&Known::InCollision) {
            return wanted;
        }
        let unknown = 2 - free(known);
        if unknown > 0 {
            return unknown;
        }
        let for_nothing = 2 - u64::from(self.asked[edge.index()]);
        wanted.saturating_sub(for_nothing).max(1)
    }

    fn check(&mut self, part: Part<'_>, sightings: &mut Sightings) -> Result<Finding, W::Error> {
        let edge = part.edge;
        let known = self.known(edge);
        let ends = self.ends(edge);
        let in_collision = (ends.iter().zip(known)).find(|(_, known)| *known == Known::InCollision);
        if let Some((end, _)) = in_collision {
            // Nothing is asked, but where the edge is blocked is known.
            if let Some(q) = self.edges.roadmap().configuration(*end) {
                sightings.push(q, false);
            }
            return Ok(Finding {
                free: Some(false),
                configurations: 0,
            });
        }
        let count = self.edges.count(edge);
        let asked = self.asked[edge.index()];
        let (unknown, between) = left(known, asked, part.seen, count);
        let places = unknown.clone().chain(between);
        let found = self.edges.probe(places, part, sightings);
        let Probed {
            configurations,
            collided,
            ..
        } = found.probed;
        for (nth, place) in unknown.enumerate().take(configurations) {
            self.vertices[ends[place].index()] = match collided && nth + 1 == configurations {
                true => Known::InCollision,
                false => Known::Free,
            };
            self.asked[edge.index()] += 1;
        }
        found.finding()
    }

    fn foresight(&self) -> usize {
        self.edges.foresight()
    }

    fn foresee(&mut self, likely: &[Foreseen]) {
        let (vertices, asked) = (&self.vertices, &self.asked);
        self.edges.foresee_of(likely, |edges, part| {
            let e = edges.roadmap().edge(part.edge);
            let known = [e.from, e.to].map(|end| vertices[end.index()]);
            let count = match known.contains(&Known::InCollision) {
                true => 0,
                false => edges.count(part.edge),
            };
            let (ends, between) = left(known, asked[part.edge.index()], part.seen, count);
            ends.chain(between)
        });
    }

    fn prove(&mut self, edge: EdgeId, limit: &Limit) -> Result<Finding, W::Error> {
        self.edges.prove(edge, limit)
    }

    fn grow(&mut self, growth: &Growth) -> Result<(), RoadmapError> {
        self.edges.grow(growth)?;
        let roadmap = self.edges.roadmap();
        let dimension = roadmap.space().map_or(1, Space::dimension);
        let new = growth.coordinates.len() / dimension;
        let edges = roadmap.edge_count() + growth.edges.len();
        (self.vertices).resize(roadmap.vertex_count() + new, Known::Nothing);
        self.asked.resize(edges, 0);
        for new in growth.edges.iter().filter(|new| new.free == Some(true)) {
            for end in [new.edge.from, new.edge.to] {
                let known = &mut self.vertices[end.index()];
                if *known == Known::Nothing {
                    *known = Known::Given;
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::WorldFn;
    use crate::motion::Resolution;
    use crate::roadmap::{Direction, Edge, Roadmap};
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
        let mut once = VerticesOnce::new(
            BisectionChecker::new(&roadmap, resolution, world).unwrap(),
            [start],
        );
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
        let plain = |world| BisectionChecker::new(&roadmap, resolution, world).unwrap();
        let make = || VerticesOnce::new(plain(WorldFn(free)), given);
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

    /// An edge whose end collides is blocked where that is known, and whoever has to know where is told; unless the edge is
    /// known to be free all the same.
    #[test]
    fn an_end_in_collision_blocks_its_edges_for_nothing() {
        let edges = vec![Edge::new(0, 1, 0.5), Edge::new(1, 2, 0.5)];
        let roadmap = Roadmap::from_edges(3, Direction::Undirected, edges)
            .and_then(|graph| graph.with_configurations(Space::unit(1), vec![0.0, 0.5, 1.0]))
            .unwrap();
        let resolution = Resolution::distance(0.125).unwrap();
        let world = WorldFn(|q: &[f64]| q[0] != 0.5);
        let plain = BisectionChecker::new(&roadmap, resolution, world).unwrap();
        let mut once = VerticesOnce::new(plain, []);
        let check = |once: &mut VerticesOnce<_>, edge| {
            let mut sightings = Sightings::new(1);
            let Ok(found) = once.check(Part::whole_of(EdgeId(edge)), &mut sightings);
            let last = sightings.iter().last().map(|(q, free)| (q[0], free));
            (found.free, found.configurations, last)
        };
        let here = Some((0.5, false));
        assert_eq!(check(&mut once, 0), (Some(false), 2, here));
        assert_eq!(once.cost_if_free(EdgeId(0)), 5);
        assert_eq!(check(&mut once, 1), (Some(false), 0, here));
        once.forget_collisions(EdgeId(1));
        assert_eq!(once.cost_if_free(EdgeId(1)), 5);
        assert_eq!(check(&mut once, 1), (Some(false), 1, here));
    }

    /// A world that takes many at once is asked about the ends and what lies between them together.
    #[test]
    fn many_at_once_are_asked_about_together() {
        struct Batches(Vec<usize>);
        impl World for Batches {
            type Error = std::convert::Infallible;
            fn is_free(&mut self, _: &[f64]) -> Result<bool, Self::Error> {
                Ok(true)
            }
            fn first_collision(
                &mut self,
                q: &[f64],
                n: usize,
            ) -> Result<Option<usize>, Self::Error> {
                self.0.push(q.len() / n);
                Ok(None)
            }
            fn at_once(&self) -> u64 {
                8
            }
        }
        let edges = (0..2).map(|v| Edge::new(v, v + 1, 0.5)).collect();
        let roadmap = Roadmap::from_edges(3, Direction::Undirected, edges)
            .and_then(|graph| graph.with_configurations(Space::unit(1), vec![0.0, 0.5, 1.0]))
            .unwrap();
        let resolution = Resolution::distance(0.03125).unwrap();
        let plain = BisectionChecker::new(&roadmap, resolution, Batches(Vec::new())).unwrap();
        let mut once = VerticesOnce::new(plain, [VertexId(0)]);
        for edge in [0, 1].map(EdgeId) {
            let price = once.cost_if_free(edge);
            let mut seen = 0;
            let free = loop {
                let part = Part {
                    edge,
                    seen,
                    most: once.portion(edge, 3),
                    limit: &Limit::NONE,
                };
                let Ok(found) = once.check(part, &mut Sightings::new(1));
                seen += found.configurations;
                if found.free.is_some() {
                    break found.free;
                }
            };
            assert_eq!((free, seen), (Some(true), price));
        }
        // Of 17 configurations of each edge one end is known.
        assert_eq!(once.world_mut().0, [8, 8, 8, 8]);
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
        let mut once = VerticesOnce::new(
            BisectionChecker::new(&roadmap, resolution, counted).unwrap(),
            given.clone(),
        );
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
                let is_told = found.free == Some(false) && found.configurations == 0;
                assert_eq!(seen + u64::from(is_told), sightings.len() as u64);
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
