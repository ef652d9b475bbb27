//! Checking edges without asking about a vertex twice.
//!
//! The edges of a path share their ends, and the edges of a vertex all begin there. A checker that
//! takes every edge by itself asks about these configurations again and again. This one remembers
//! them: an edge between known free vertices costs only what lies between them, and an edge to a
//! vertex known to be in collision costs nothing.

use psmp::checker::{BisectionChecker, BisectionError, BisectionOrder, Checker, Sightings};
use psmp::checker::{Verdict, World};
use psmp::{EdgeId, Roadmap, VertexId};

/// Checks edges as [`BisectionChecker::by_largest_step`] does, but asks about each vertex once.
#[derive(Debug, Clone)]
pub struct VerticesOnce<'a, W> {
    roadmap: &'a Roadmap,
    edges: BisectionChecker<'a, W>,
    known: Vec<Option<bool>>,
    order: BisectionOrder,
    batch: Vec<f64>,
}

impl<'a, W: World> VerticesOnce<'a, W> {
    /// A checker for the edges of `roadmap` in `world`; no joint moves more than `resolution` from
    /// one configuration to the next. The vertices in `free` are known to be so.
    ///
    /// # Errors
    /// If the roadmap has no configurations or the resolution makes no sense.
    pub fn new(
        roadmap: &'a Roadmap,
        resolution: f64,
        world: W,
        free: &[VertexId],
    ) -> Result<Self, BisectionError> {
        let mut known = vec![None; roadmap.vertex_count()];
        for vertex in free {
            known[vertex.index()] = Some(true);
        }
        Ok(Self {
            roadmap,
            edges: BisectionChecker::by_largest_step(roadmap, resolution, world)?,
            known,
            order: BisectionOrder::default(),
            batch: Vec::new(),
        })
    }

    fn ends(&self, edge: EdgeId) -> [VertexId; 2] {
        let e = self.roadmap.edge(edge);
        [e.from, e.to]
    }
}

impl<W: World> Checker for VerticesOnce<'_, W> {
    type Error = W::Error;

    fn price_if_free(&self, edge: EdgeId) -> u64 {
        let known = self.ends(edge).map(|v| self.known[v.index()]);
        let free = known.iter().filter(|k| **k == Some(true)).count();
        self.edges
            .configurations_of(edge)
            .saturating_sub(free as u64)
    }

    fn check(&mut self, edge: EdgeId, sightings: &mut Sightings) -> Result<Verdict, W::Error> {
        let ends = self.ends(edge);
        if ends.iter().any(|v| self.known[v.index()] == Some(false)) {
            return Ok(Verdict {
                free: false,
                configurations: 0,
            });
        }
        let [a, b] = ends.map(|v| self.roadmap.configuration(v));
        let (Some(space), Some(a), Some(b)) = (self.roadmap.space(), a, b) else {
            unreachable!("`new` refuses roadmaps without configurations");
        };
        let dimension = space.dimension();
        let count = self.edges.configurations_of(edge) as usize;
        self.batch.clear();
        let mut asked = [None; 2];
        for (place, &i) in self.order.of(count).iter().enumerate() {
            // The ends come first in the order.
            if place < 2 {
                if self.known[ends[place].index()].is_some() {
                    continue;
                }
                asked[self.batch.len() / dimension] = Some(ends[place]);
            }
            let at = self.batch.len();
            self.batch.resize(at + dimension, 0.0);
            let share = f64::from(i) / (count - 1).max(1) as f64;
            space.interpolate(a, b, share, &mut self.batch[at..]);
        }
        let collision = self
            .edges
            .world_mut()
            .first_collision(&self.batch, dimension)?;
        let seen = collision.map_or(self.batch.len() / dimension, |place| place + 1);
        for (place, q) in self.batch.chunks_exact(dimension).take(seen).enumerate() {
            let free = collision != Some(place);
            sightings.push(q, free);
            if let Some(vertex) = asked.get(place).copied().flatten() {
                self.known[vertex.index()] = Some(free);
            }
        }
        Ok(Verdict {
            free: collision.is_none(),
            configurations: seen as u64,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp::Space;
    use psmp::checker::WorldFn;
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
        let mut once = VerticesOnce::new(&roadmap, 0.02, counted, &given).unwrap();
        let mut plain = BisectionChecker::by_largest_step(&roadmap, 0.02, WorldFn(free)).unwrap();
        let (mut spent, mut usual, mut blocked) = (0, 0, 0);
        for edge in roadmap.edge_ids() {
            let mut sightings = Sightings::new(2);
            let price = once.price_if_free(edge);
            let verdict = once.check(edge, &mut sightings).unwrap();
            assert_eq!(verdict.configurations, sightings.len() as u64);
            assert!(verdict.configurations <= price);
            assert!(!verdict.free || verdict.configurations == price);
            let expected = plain.check(edge, &mut Sightings::new(2)).unwrap();
            assert_eq!(verdict.free, expected.free);
            spent += verdict.configurations;
            usual += expected.configurations;
            blocked += u64::from(!verdict.free);
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
