//! The roadmap of a growing session, and the planner on it.
//!
//! Start and goals are joined to their nearest vertices by edges that nobody has checked. From there on the
//! roadmap grows in two ways. What was found free elsewhere, by trees and by moves on the best path, comes as
//! vertices and edges that are known to be free. And *batches* of new vertices come where a path shorter than
//! the best could lead: each is joined to its nearest, the more of them the more there are, so that the
//! shortest path on the roadmap tends to the shortest there is.
//!
//! ```text
//! c*   the infimum of the lengths of all paths that keep some distance from whatever collides
//! d    the number of axes
//! n    how many vertices have been drawn in batches
//! k(n) = (ln n)^(3/2), rounded up: how many of its nearest, among start, goals and those drawn before it, the
//!      n-th is joined to
//! ```
//!
//! **Theorem.** *Whatever the belief, the proposer and the validator: the length of the best path of a session
//! that goes on for ever tends to c\* or less, with probability 1.*
//!
//! *Proof.* Suppose the best path stays longer than `c* + e`, for some `e > 0`. The set `I` of configurations
//! that a path of `c* + e` could lead through is part of what each batch is drawn from, and has a share of its
//! volume that is bounded from below. So infinitely many vertices come to lie in `I`, and those that do are
//! independent and uniform there: which were drawn before says nothing of where in `I` the next one is.
//!
//! Take a path of length at most `c* + e/3` that keeps a distance from whatever collides, and consider the moment
//! when `n` vertices lie in `I`, of which those after the first `n/2` are called *late*. Let
//! `q = (C ln n / n)^(1/d)`, and take places on the path that are `l q` apart, for a constant `l` so large that
//! `(c* + e/3)(1 + 2/l) < c* + 2e/3`. Around each place there is a ball of radius `q`, part of `I` when `n` is
//! large. A ball has a share of at least `v q^d` of `I`, for some `v > 0`, so that it has no late vertex with
//! probability at most `(1 - v q^d)^(n/2) <= n^(-v C / 2)`. With `C = 6 / v` that is `n^(-3)`, and there are at
//! most `n` balls: by Borel and Cantelli, from some `n` on every ball has a late vertex.
//!
//! Two vertices in successive balls are at most `(l + 2) q` apart. So near any of them lie, in the mean, at
//! most a constant times `ln n` vertices, start and goals among them; by Chernoff's bound, and Borel and
//! Cantelli once more, from some `n` on nowhere more than twice as many. But `k` of a late vertex, counted among
//! all that were drawn, is at least `k(n/2)`, and `k(n) / ln n` grows beyond any constant. So from some `n` on the
//! later of two such vertices was joined to the earlier one, and the first and the last of them to start and
//! goal. For large `n` the motions between them keep to what the path is free of. They are a path on the roadmap
//! whose length is at most `(c* + e/3)(1 + 2/l) + 2q < c* + e`.
//!
//! No edge is left out that such a path could lead over. There are infinitely many batches, because the
//! roadmap gets its share of all that is spent; and infinitely many of them come when the planner has ended with a
//! [certificate](crate::insurance), which it does whatever it is put together from, so that its path is then as
//! short as any on the roadmap. That contradicts the assumption. ∎
//!
//! *What is assumed.* What a check and a proof find free is free. The planner is insured, or one that ends by
//! itself with a certificate. Places drawn are uniform, up to the random numbers' quality.

use super::{SessionError, SessionOptions};
use crate::by_name::{AnyPlanner, PlannerSpec, Setting};
use crate::checker::{BisectionChecker, MotionChecker, VerticesOnce, World};
use crate::event::EventKind;
use crate::ledger::Ledger;
use crate::near::{Found, Near};
use crate::roadmap::{
    self, Connection, Edge, EdgeId, Growth, NewEdge, Query, Roadmap, RoadmapError, VertexId,
};
use crate::space::Space;
use crate::trees::Informed;
use crate::waypoints::Waypoints;
use rand_pcg::Pcg64;

/// How many of the nearest vertices start and goals are joined to.
const JOINED: usize = 50;
/// How many of the nearest vertices any other new one is joined to, wherever they come from.
const JOINED_TO_OTHERS: usize = 5;
/// How many vertices a batch has.
pub(super) const BATCH: usize = 100;
/// How often it is tried to draw a vertex that can matter.
const ATTEMPTS: u32 = 1000;
/// How many vertices a roadmap made on the spot has at most, and how many neighbours each: it grows.
const MOST_VERTICES: usize = 1000;
const NEIGHBOURS: usize = 15;

/// A planner on a roadmap that grows.
pub(super) struct OnRoadmap<'a, E> {
    pub planner: AnyPlanner<'a, E>,
    pub roadmap: Roadmap,
    pub query: Query,
    space: Space,
    /// All vertices.
    near: Near,
    /// Start, goals, and the vertices that were drawn in batches.
    drawn: Near,
    informed: Informed,
}

impl<'a, E: Send + 'a> OnRoadmap<'a, E> {
    /// Joins a start and goals, the nearest first, to a branch of the roadmap that was given, or to one
    /// made on the spot, and makes the planner. The straight motion to the first goal is blocked.
    pub fn new<W: World<Error = E> + Clone + Send + 'a>(
        spec: PlannerSpec,
        motions: &MotionChecker<W>,
        start: &[f64],
        goals: &[Vec<f64>],
        options: &SessionOptions,
    ) -> Result<Self, SessionError<E>> {
        let space = motions.space().clone();
        let roadmap = match &options.roadmap {
            Some(roadmap) => roadmap.branch(),
            None => made_on_the_spot(&space)?,
        };
        let mut near = roadmap.near().unwrap_or_else(|| Near::new(&space));
        let informed = Informed::new(&space, start, goals);
        let mut additions = Additions::new(&roadmap, &mut near);
        let from = additions.vertex(start, JOINED);
        let to: Vec<u32> = goals.iter().map(|q| additions.vertex(q, JOINED)).collect();
        let mut known = options.known.clone();
        for (place, (&to, goal)) in to.iter().zip(goals).enumerate() {
            if place == 0 {
                let straight = roadmap.edge_count() + additions.growth.edges.len();
                known.remember(EdgeId(straight as u32), false);
            }
            additions.join(from, to, space.distance(start, goal));
        }
        let growth = additions.growth;
        roadmap.grow(&growth)?;
        let mut drawn = Near::new(&space);
        drawn.insert(from, start);
        for (&to, goal) in to.iter().zip(goals) {
            drawn.insert(to, goal);
        }
        let mut goals = to.into_iter().map(VertexId);
        let query = Query {
            start: VertexId(from),
            goal: goals.next().unwrap_or(VertexId(from)),
        };
        let world = motions.world().clone();
        let checker = BisectionChecker::new(&roadmap, motions.resolution(), world)?;
        // The ends were asked about before anything else.
        let ends = [query.start, query.goal].into_iter().chain(goals.clone());
        let checker = VerticesOnce::new(checker.proving(), ends);
        let setting = Setting {
            experience: options.experience.clone(),
            models: options.models.clone(),
            known,
            eta: options.eta,
            fallback: options.fallback,
            seed: options.seed,
            other_goals: goals.collect(),
            ..Setting::new(&roadmap, query)
        };
        Ok(Self {
            planner: spec.build(&setting, Box::new(checker))?,
            roadmap,
            query,
            space,
            near,
            drawn,
            informed,
        })
    }

    /// Adds a path that is known to be free. The planner's best path is then this one, or one that is put
    /// together from it and others.
    pub fn add_path(&mut self, path: &Waypoints) -> Result<EventKind, RoadmapError> {
        let joined = Joined::new(&self.roadmap, self.planner.ledger());
        let mut additions = Additions::new(&self.roadmap, &mut self.near);
        let mut before = None;
        for q in path.iter() {
            let own = additions.vertex(q, JOINED_TO_OTHERS);
            if let Some((other, before)) = before.replace((q, own)) {
                if joined.are([before, own]) {
                    continue;
                }
                let length = self.space.distance(other, q);
                let new = additions.join(before, own, length);
                new.free = Some(true);
                new.proved = true;
            }
        }
        let growth = additions.growth;
        self.grow(&growth)
    }

    /// Adds motions, each by its ends and whether it is known to be free, as far as a path shorter than this
    /// could lead there.
    pub fn add_motions<'m>(
        &mut self,
        motions: impl Iterator<Item = ([&'m [f64]; 2], bool)>,
        longest: f64,
    ) -> Result<EventKind, RoadmapError> {
        let joined = Joined::new(&self.roadmap, self.planner.ledger());
        let mut additions = Additions::new(&self.roadmap, &mut self.near);
        for (ends, proved) in motions {
            let can_matter = |q: &&[f64]| self.informed.shortest_through(&self.space, q) < longest;
            if ends.iter().all(can_matter) {
                let [from, to] = ends.map(|q| additions.vertex(q, JOINED_TO_OTHERS));
                if joined.are([from, to]) {
                    continue;
                }
                let length = self.space.distance(ends[0], ends[1]);
                let new = additions.join(from, to, length);
                new.free = proved.then_some(true);
                new.proved = proved;
            }
        }
        let growth = additions.growth;
        self.grow(&growth)
    }

    /// Adds new vertices where a path shorter than this could lead.
    pub fn add_batch(
        &mut self,
        longest: f64,
        random: &mut Pcg64,
    ) -> Result<EventKind, RoadmapError> {
        let (space, roadmap, informed) = (&self.space, &self.roadmap, &self.informed);
        let dimension = space.dimension();
        let mut q = vec![0.0; dimension];
        let mut found = Vec::new();
        let mut additions = Additions::new(roadmap, &mut self.near);
        for _ in 0..BATCH {
            if !informed.draw(space, random, longest, ATTEMPTS, &mut q) {
                break;
            }
            let own = additions.vertex(&q, JOINED_TO_OTHERS);
            let count = neighbours(self.drawn.count());
            self.drawn.k_nearest(&q, count, &mut found);
            let earlier = additions.found.iter().map(|other| other.id);
            let earlier: Vec<u32> = earlier.collect();
            for other in found.iter().filter(|other| !earlier.contains(&other.id)) {
                additions.join(own, other.id, other.distance);
            }
            self.drawn.insert(own, &q);
        }
        let mut growth = additions.growth;
        // An edge that no shorter path can lead over only takes room.
        let first = roadmap.vertex_count();
        let coordinates = &growth.coordinates;
        let at = |vertex: VertexId| match vertex.index().checked_sub(first) {
            Some(new) => &coordinates[new * dimension..(new + 1) * dimension],
            None => roadmap.configuration(vertex).unwrap_or_default(),
        };
        growth.edges.retain(|new| {
            let Edge { from, to, length } = new.edge;
            informed.shortest_over(space, at(from), at(to), length) < longest
        });
        self.grow(&growth)
    }

    fn grow(&mut self, growth: &Growth) -> Result<EventKind, RoadmapError> {
        let vertices = growth.coordinates.len() / self.space.dimension();
        self.planner.grow(growth)?;
        Ok(EventKind::Grown {
            vertices: vertices as u64,
            edges: growth.edges.len() as u64,
        })
    }

    pub fn best_path(&self) -> Option<Waypoints> {
        Waypoints::of_roadmap(&self.roadmap, self.planner.best_path()?)
    }
}

/// Which vertices are joined already by an edge that is proved free: another would only take room.
struct Joined<'s> {
    roadmap: &'s Roadmap,
    ledger: &'s Ledger,
}

impl<'s> Joined<'s> {
    fn new(roadmap: &'s Roadmap, ledger: &'s Ledger) -> Self {
        Self { roadmap, ledger }
    }

    fn are(&self, [from, to]: [u32; 2]) -> bool {
        let [from, to] = [from, to].map(VertexId);
        let is_old = |vertex: VertexId| vertex.index() < self.roadmap.vertex_count();
        let mut arcs = is_old(from)
            .then(|| self.roadmap.outgoing(from))
            .into_iter()
            .flatten();
        is_old(to) && arcs.any(|arc| arc.target == to && self.ledger.is_proved(arc.edge))
    }
}

/// What a roadmap is to grow by, as it is put together.
struct Additions<'s> {
    /// All vertices, new ones too.
    near: &'s mut Near,
    first: u32,
    growth: Growth,
    found: Vec<Found>,
}

impl<'s> Additions<'s> {
    fn new(roadmap: &Roadmap, near: &'s mut Near) -> Self {
        Self {
            near,
            first: roadmap.vertex_count() as u32,
            growth: Growth::default(),
            found: Vec::new(),
        }
    }

    /// The vertex in this place. A new one is joined to so many of its nearest.
    fn vertex(&mut self, q: &[f64], neighbours: usize) -> u32 {
        self.near.k_nearest(q, neighbours, &mut self.found);
        if let Some(there) = self.found.first().filter(|found| found.distance == 0.0) {
            return there.id;
        }
        let own = self.first + (self.growth.coordinates.len() / q.len()) as u32;
        self.growth.coordinates.extend_from_slice(q);
        self.near.insert(own, q);
        let edges = self.found.iter().map(|other| NewEdge {
            edge: Edge::new(own, other.id, other.distance),
            free: None,
            proved: false,
        });
        self.growth.edges.extend(edges);
        own
    }

    /// Joins two vertices.
    fn join(&mut self, from: u32, to: u32, length: f64) -> &mut NewEdge {
        let edge = Edge::new(from, to, length);
        self.growth.edges.push(NewEdge {
            edge,
            free: None,
            proved: false,
        });
        let Some(new) = self.growth.edges.last_mut() else {
            unreachable!("it was just added");
        };
        new
    }
}

/// A roadmap of evenly spread configurations, the more of them the more axes there are.
fn made_on_the_spot(space: &Space) -> Result<Roadmap, RoadmapError> {
    let vertices = 250usize.saturating_mul(1 << space.dimension().min(10));
    let points = roadmap::halton(space, vertices.min(MOST_VERTICES));
    Roadmap::from_configurations(space.clone(), points, Connection::Nearest(NEIGHBOURS))
}

/// How many of its nearest among those drawn before a vertex is joined to, if it is the n-th. About as many as
/// PRM* would for some thousands of vertices; and it grows a little faster, so that the theorem needs no constant.
fn neighbours(n: usize) -> usize {
    (n.max(2) as f64).ln().powf(1.5).ceil() as usize
}
