//! Joining a start and a goal to a roadmap.
//!
//! A roadmap is made once for an arm; the start and the goal of a query come later and are joined
//! to it on demand. Each gets edges to its nearest vertices, which stay to be checked by the
//! planner like any other. To be sure that planning is not in vain, motions to the nearest vertices
//! are checked until one is free, farther and farther vertices if need be. An end in a tight spot,
//! from which no straight motion to the roadmap is free, grows a small tree of free motions around
//! itself until one of its leaves has such a motion; the branch to that leaf becomes part of the
//! roadmap. What was checked on the way is remembered and counted.

use crate::problem::End;
use crate::scene_change::EdgeMemory;
use psmp::checker::{BisectionOrder, Portions, World};
use psmp::{
    Axis, Direction, Draw, Edge, EdgeId, Limit, Query, Roadmap, RoadmapError, Space, VertexId,
};
use std::convert::Infallible;
use thiserror::Error;

/// How many of the nearest vertices an end is joined to.
const JOINED: usize = 50;
/// How many of the nearest vertices are tried before a tree is grown.
const FARTHEST: usize = 100;
/// How many of the nearest vertices a leaf of a tree tries.
const FROM_LEAF: usize = 5;
/// How many times a tree is extended before the end is given up.
const MOST_GROWTH: u64 = 5000;
/// How many configurations are added around each end where the roadmap is made finer.
const FINER: u64 = 250;
/// How many of the nearest vertices each of them is joined to.
const JOINED_FINER: usize = 15;
/// How far a branch goes at most, as a share of the longest axis.
const BRANCH: f64 = 0.1;

/// Why a query cannot be joined to a roadmap.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum JoinError {
    /// An end is in collision.
    #[error("the {0} is in collision")]
    InCollision(End),
    /// An end is outside the roadmap's space.
    #[error("the {0} is outside the roadmap's space")]
    Outside(End),
    /// No motion from an end to the roadmap is free.
    #[error("no way was found from the {end} to the roadmap in {configurations} configurations")]
    CutOff {
        /// The end.
        end: End,
        /// How many configurations were checked.
        configurations: u64,
    },
    /// The limit was met before both ends were joined.
    #[error("stopped after {0} configurations, before start and goal were joined to the roadmap")]
    Stopped(u64),
    /// The roadmap has no configurations, or no vertices.
    #[error("the roadmap has no configurations to join a query to")]
    NoConfigurations,
    /// The edges of the roadmap can be travelled one way only.
    #[error("the roadmap is directed, but an arm moves both ways")]
    Directed,
    /// The roadmap has no room for more vertices or edges.
    #[error(transparent)]
    Roadmap(#[from] RoadmapError),
    /// The resolution is not positive and finite.
    #[error("a resolution of {0} cannot be used: it must be positive and finite")]
    Resolution(f64),
}

impl JoinError {
    /// What the user can do about it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::InCollision(_) => "move the end, or what it touches",
            Self::Outside(_) => "give a configuration within the joints' limits",
            Self::CutOff { .. } => {
                "give a roadmap of more vertices, or an end with more room around it"
            }
            Self::Stopped(_) => "allow more configurations or more time",
            Self::NoConfigurations | Self::Directed | Self::Roadmap(_) => {
                "give a roadmap that was made for the arm"
            }
            Self::Resolution(_) => "give a positive number of radians, such as 0.03",
        }
    }
}

/// A roadmap with a start and a goal. Vertices and edges that were there keep their ids, so that
/// tables and beliefs of the roadmap still fit.
#[derive(Debug, Clone)]
pub struct JoinedQuery {
    /// The roadmap with the query's vertices and edges behind its own.
    pub roadmap: Roadmap,
    /// From where to where.
    pub query: Query,
    /// What joining has found out about edges. A [`crate::RememberingChecker`] does not check them
    /// again.
    pub known: EdgeMemory,
    /// How many configurations joining has checked.
    pub configurations: u64,
}

impl JoinedQuery {
    /// Makes the roadmap finer around start and goal, for when it has no path: the ends may lie in
    /// pockets that the roadmap has no way out of. Each time it is called, `round` counting from 0,
    /// configurations around both ends are added, farther and farther out, and joined to their
    /// nearest. What is known stays known, so planning goes on where it was.
    ///
    /// # Errors
    /// If the roadmap has no room for more.
    pub fn make_finer(&mut self, round: u32) -> Result<(), RoadmapError> {
        let (Some(space), Some(coordinates)) =
            (self.roadmap.space(), self.roadmap.configurations())
        else {
            return Ok(());
        };
        let space = space.clone();
        let mut coordinates = coordinates.to_vec();
        let mut edges = self.roadmap.edges().to_vec();
        let dimension = space.dimension();
        for end in [self.query.start, self.query.goal] {
            let middle = coordinates[end.index() * dimension..][..dimension].to_vec();
            for sample in 0..FINER {
                let draw = Draw::new(u64::from(end.0) << 32 | u64::from(round), sample);
                // Half of the axes' extent at most, most of them nearer.
                let reach = 0.5 * draw.unit(dimension as u64);
                let mut q = middle.clone();
                for (i, (value, axis)) in q.iter_mut().zip(space.axes()).enumerate() {
                    *value = around(axis, *value, reach, draw.unit(i as u64));
                }
                let own = (coordinates.len() / dimension) as u32;
                let near = nearest(&space, &coordinates, &q, JOINED_FINER);
                edges.extend(near.iter().map(|&(other, d)| Edge::new(own, other, d)));
                coordinates.extend_from_slice(&q);
            }
        }
        let vertices = coordinates.len() / dimension;
        self.known.reach(edges.len());
        self.roadmap = Roadmap::from_edges(vertices, Direction::Undirected, edges)?
            .with_configurations(space, coordinates)?;
        Ok(())
    }

    /// Joins a start and a goal to a roadmap, in a world, within a limit. `resolution` is the largest
    /// joint step from one configuration of a motion to the next.
    ///
    /// # Errors
    /// If an end is in collision, or no way from it to the roadmap is found, or not before the limit is
    /// met.
    pub fn new<W: World<Error = Infallible>>(
        roadmap: &Roadmap,
        start: &[f64],
        goal: &[f64],
        resolution: f64,
        world: &mut W,
        limit: &Limit,
    ) -> Result<Self, JoinError> {
        if !(resolution > 0.0 && resolution.is_finite()) {
            return Err(JoinError::Resolution(resolution));
        }
        let (Some(space), Some(coordinates)) = (roadmap.space(), roadmap.configurations()) else {
            return Err(JoinError::NoConfigurations);
        };
        if coordinates.is_empty() {
            return Err(JoinError::NoConfigurations);
        }
        if roadmap.direction() == Direction::Directed {
            return Err(JoinError::Directed);
        }
        let first = roadmap.vertex_count() as u32;
        let dimension = space.dimension();
        // An end that is a vertex already stays that one: another in its place would be passed twice.
        let vertex_at = |q: &[f64]| {
            let mut vertices = coordinates.chunks_exact(dimension);
            vertices.position(|v| v == q).map(|v| v as u32)
        };
        let mut vertices = Vec::new();
        let mut vertex = |q: &[f64], old: Option<u32>| {
            old.unwrap_or_else(|| {
                vertices.extend_from_slice(q);
                first + (vertices.len() / dimension) as u32 - 1
            })
        };
        let from = vertex(start, vertex_at(start));
        let to = vertex(goal, vertex_at(goal).filter(|old| *old != from));
        let mut joining = Joining {
            space,
            coordinates,
            resolution,
            world,
            limit,
            portions: Portions::default(),
            is_stopped: false,
            order: BisectionOrder::default(),
            batch: Vec::new(),
            configurations: 0,
            vertices,
            edges: Vec::new(),
        };
        for (end, vertex, q) in [(End::Start, from, start), (End::Goal, to, goal)] {
            if !space.contains(q) {
                return Err(JoinError::Outside(end));
            }
            let is_free = joining.is_free(q, q);
            if !is_free && !joining.is_stopped {
                return Err(JoinError::InCollision(end));
            }
            let is_joined = is_free && (vertex < first || joining.join(vertex, q));
            if joining.is_stopped {
                return Err(JoinError::Stopped(joining.configurations));
            }
            if !is_joined {
                return Err(JoinError::CutOff {
                    end,
                    configurations: joining.configurations,
                });
            }
        }
        let query = Query {
            start: VertexId(from),
            goal: VertexId(to),
        };
        let mut old = roadmap.edges().iter();
        let mut new = joining.edges.iter().map(|new| &new.edge);
        let joined = |e: &Edge| {
            let ends = (e.from, e.to);
            ends == (query.start, query.goal) || ends == (query.goal, query.start)
        };
        if !old.any(joined) && !new.any(joined) {
            let length = space.distance(start, goal);
            joining.edges.push(NewEdge::unknown(from, to, length));
        }
        Ok(joining.finish(roadmap, query)?)
    }
}

/// An edge that joining adds, and what it knows of it.
struct NewEdge {
    edge: Edge,
    free: Option<bool>,
}

impl NewEdge {
    fn unknown(from: u32, to: u32, length: f64) -> Self {
        Self {
            edge: Edge::new(from, to, length),
            free: None,
        }
    }
}

struct Joining<'a, W> {
    space: &'a Space,
    coordinates: &'a [f64],
    resolution: f64,
    world: &'a mut W,
    limit: &'a Limit,
    portions: Portions,
    /// Whether the limit was met; then nothing more is free.
    is_stopped: bool,
    order: BisectionOrder,
    batch: Vec<f64>,
    configurations: u64,
    /// New vertices: the start and the goal where the roadmap has none there, and branches of trees.
    vertices: Vec<f64>,
    edges: Vec<NewEdge>,
}

impl<W: World<Error = Infallible>> Joining<'_, W> {
    /// Joins a new vertex to the roadmap; whether a free way is known.
    fn join(&mut self, vertex: u32, q: &[f64]) -> bool {
        let near = nearest(self.space, self.coordinates, q, FARTHEST);
        let found = self.first_free(q, &near);
        // Besides what was tried, the usual number of neighbours.
        let tried = found.map_or(near.len(), |place| place + 1);
        for (place, &(other, length)) in near.iter().enumerate() {
            let mut edge = NewEdge::unknown(vertex, other, length);
            edge.free = (place < tried).then_some(Some(place) == found);
            // Far ones that are blocked are of no use.
            if place < JOINED || edge.free == Some(true) {
                self.edges.push(edge);
            }
        }
        found.is_some() || self.grow(vertex, q)
    }

    /// Grows a tree of free motions from a vertex until a leaf has a free motion to the roadmap.
    fn grow(&mut self, vertex: u32, root: &[f64]) -> bool {
        let dimension = self.space.dimension();
        let longest = self.space.axes().iter().map(|a| a.extent() * a.weight());
        let branch = BRANCH * longest.fold(0.0, f64::max);
        let mut tree = root.to_vec();
        let mut parents = vec![0];
        let (mut aim, mut leaf) = (vec![0.0; dimension], vec![0.0; dimension]);
        for step in 0..MOST_GROWTH {
            if self.is_stopped {
                break;
            }
            // First near the root, then farther and farther out.
            let reach = (step + 1) as f64 / MOST_GROWTH as f64;
            let draw = Draw::new(u64::from(vertex), step);
            for (axis, (value, (from, shape))) in aim
                .iter_mut()
                .zip(root.iter().zip(self.space.axes()))
                .enumerate()
            {
                *value = around(shape, *from, reach.sqrt(), draw.unit(axis as u64));
            }
            let (parent, distance) = nearest_of(self.space, &tree, &aim);
            let from = tree[parent * dimension..(parent + 1) * dimension].to_vec();
            let share = (branch / distance.max(f64::MIN_POSITIVE)).min(1.0);
            self.space.interpolate(&from, &aim, share, &mut leaf);
            if !self.is_free(&from, &leaf) {
                continue;
            }
            tree.extend_from_slice(&leaf);
            parents.push(parent);
            let near = nearest(self.space, self.coordinates, &leaf, JOINED);
            if let Some(found) = self.first_free(&leaf, &near[..near.len().min(FROM_LEAF)]) {
                self.add_branch(vertex, &tree, &parents, &near, found);
                return true;
            }
        }
        false
    }

    /// The branch to the last leaf of a tree becomes vertices and edges, and the leaf is joined.
    fn add_branch(
        &mut self,
        root: u32,
        tree: &[f64],
        parents: &[usize],
        near: &[(u32, f64)],
        found: usize,
    ) {
        let dimension = self.space.dimension();
        let at = |node: usize| &tree[node * dimension..(node + 1) * dimension];
        let mut branch = vec![parents.len() - 1];
        while let Some(&node) = branch.last().filter(|node| **node != 0) {
            branch.push(parents[node]);
        }
        branch.pop();
        let mut before = (root, at(0));
        for &node in branch.iter().rev() {
            let own = (self.coordinates.len() + self.vertices.len()) / dimension;
            self.vertices.extend_from_slice(at(node));
            let length = self.space.distance(before.1, at(node));
            let mut edge = NewEdge::unknown(before.0, own as u32, length);
            edge.free = Some(true);
            self.edges.push(edge);
            before = (own as u32, at(node));
        }
        for (place, &(other, length)) in near.iter().enumerate() {
            let mut edge = NewEdge::unknown(before.0, other, length);
            edge.free = (place <= found).then_some(place == found);
            self.edges.push(edge);
        }
    }

    /// The place of the first vertex to which the straight motion is free.
    fn first_free(&mut self, q: &[f64], near: &[(u32, f64)]) -> Option<usize> {
        let dimension = self.space.dimension();
        let coordinates = self.coordinates;
        near.iter().position(|&(other, _)| {
            let other = other as usize;
            self.is_free(q, &coordinates[other * dimension..(other + 1) * dimension])
        })
    }

    /// Whether a straight motion is free, in bisection order at the resolution, as far as the limit
    /// lets it be known.
    fn is_free(&mut self, a: &[f64], b: &[f64]) -> bool {
        if self.is_stopped {
            return false;
        }
        let axes = self.space.axes().iter().zip(a.iter().zip(b));
        let way = axes
            .map(|(axis, (&x, &y))| axis.difference(x, y).abs())
            .fold(0.0, f64::max);
        let count = (way / self.resolution).ceil() as usize + 1;
        let dimension = self.space.dimension();
        self.batch.resize(count * dimension, 0.0);
        let order = self.order.of(count);
        for (&i, q) in order.iter().zip(self.batch.chunks_exact_mut(dimension)) {
            let share = f64::from(i) / (count - 1).max(1) as f64;
            self.space.interpolate(a, b, share, q);
        }
        let left = self.limit.configurations() - self.configurations;
        let may_ask = usize::try_from(left).map_or(count, |left| left.min(count));
        let batch = &self.batch[..may_ask * dimension];
        let Ok(asked) = self
            .portions
            .ask(&mut *self.world, batch, dimension, self.limit);
        self.configurations += asked.configurations as u64;
        self.is_stopped = !asked.collided && asked.configurations < count;
        !asked.collided && !self.is_stopped
    }

    fn finish(self, roadmap: &Roadmap, query: Query) -> Result<JoinedQuery, RoadmapError> {
        let mut known = EdgeMemory::new(roadmap.edge_count() + self.edges.len());
        let mut edges = roadmap.edges().to_vec();
        for new in &self.edges {
            if let Some(free) = new.free {
                known.remember(EdgeId(edges.len() as u32), free);
            }
            edges.push(new.edge);
        }
        let coordinates = [self.coordinates, &self.vertices].concat();
        let count = coordinates.len() / self.space.dimension();
        Ok(JoinedQuery {
            roadmap: Roadmap::from_edges(count, Direction::Undirected, edges)?
                .with_configurations(self.space.clone(), coordinates)?,
            query,
            known,
            configurations: self.configurations,
        })
    }
}

/// The nearest of the configurations given one after the other, and how far it is.
fn nearest_of(space: &Space, configurations: &[f64], q: &[f64]) -> (usize, f64) {
    let each = configurations.chunks_exact(space.dimension());
    let distances = each.map(|other| space.distance(q, other)).enumerate();
    distances
        .min_by(|a, b| a.1.total_cmp(&b.1))
        .unwrap_or((0, f64::INFINITY))
}

/// The nearest of the configurations given one after the other, nearest first.
fn nearest(space: &Space, configurations: &[f64], q: &[f64], count: usize) -> Vec<(u32, f64)> {
    let each = configurations.chunks_exact(space.dimension());
    let mut all: Vec<(u32, f64)> = (0..)
        .zip(each.map(|other| space.distance(q, other)))
        .collect();
    let by_distance = |a: &(u32, f64), b: &(u32, f64)| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0));
    if count < all.len() {
        all.select_nth_unstable_by(count, by_distance);
        all.truncate(count);
    }
    all.sort_unstable_by(by_distance);
    all
}

/// A value around `middle`, at most `reach` of the axis' extent away: the one that `unit`, in
/// [0, 1), picks.
fn around(axis: &Axis, middle: f64, reach: f64, unit: f64) -> f64 {
    let value = middle + (2.0 * unit - 1.0) * reach * axis.extent();
    match axis.wraps() {
        true => axis.lower() + (value - axis.lower()).rem_euclid(axis.extent()),
        false => value.clamp(axis.lower(), axis.upper()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene_change::RememberingChecker;
    use psmp::belief::IndependentEdges;
    use psmp::checker::{BisectionChecker, WorldFn};
    use psmp::proposer::LazySp;
    use psmp::validator::Forward;
    use psmp::{Connection, Planner, roadmap};

    const RESOLUTION: f64 = 0.01;

    fn prm(count: usize) -> Roadmap {
        let space = Space::unit(2);
        let points = roadmap::halton(&space, count);
        Roadmap::from_configurations(space, points, Connection::Nearest(6)).unwrap()
    }

    /// The length of the shortest path, and the configurations that finding it has cost.
    fn shortest(
        joined: &mut JoinedQuery,
        world: impl World<Error = Infallible>,
    ) -> (Option<f64>, u64) {
        let checker = BisectionChecker::by_largest_step(&joined.roadmap, RESOLUTION, world);
        let checker = RememberingChecker::new(checker.unwrap(), &mut joined.known);
        let belief = IndependentEdges::constant(0.5).unwrap();
        let (roadmap, query) = (&joined.roadmap, joined.query);
        let mut planner = Planner::new(roadmap, query, LazySp, belief, Forward, checker);
        while planner.next().is_some() {}
        let length = planner.best_path().map(psmp::Path::length);
        (length, planner.progress().configurations)
    }

    #[test]
    fn a_limit_is_kept_while_joining() {
        let base = prm(200);
        let asked = std::cell::Cell::new(0);
        let mut world = WorldFn(|_: &[f64]| {
            asked.set(asked.get() + 1);
            true
        });
        for most in [0, 1, 2, 7] {
            asked.set(0);
            let limit = Limit::new(&psmp::Stop::configurations(most));
            let ends = [[0.11, 0.12], [0.87, 0.9]];
            let joined = JoinedQuery::new(&base, &ends[0], &ends[1], 0.001, &mut world, &limit);
            assert_eq!(joined.err(), Some(JoinError::Stopped(most)));
            assert_eq!(asked.get(), most);
        }
    }

    #[test]
    fn old_ids_stay_and_what_was_checked_is_not_checked_again() {
        let base = prm(100);
        let mut world = WorldFn(|q: &[f64]| (q[0] - 0.5).abs() > 0.05 || q[1] > 0.5);
        let (start, goal) = ([0.1, 0.1], [0.9, 0.1]);
        let mut joined =
            JoinedQuery::new(&base, &start, &goal, RESOLUTION, &mut world, &Limit::none()).unwrap();
        for edge in base.edge_ids() {
            assert_eq!(base.edge(edge), joined.roadmap.edge(edge));
        }
        let q = |v| joined.roadmap.configuration(v).unwrap();
        assert_eq!(
            (q(joined.query.start), q(joined.query.goal)),
            (&start[..], &goal[..])
        );
        // What is known is so.
        assert!(joined.configurations > 0);
        let known: Vec<EdgeId> = joined.roadmap.edge_ids().collect();
        let known = known
            .into_iter()
            .filter(|e| joined.known.status(*e).is_some());
        assert!(known.count() >= 2);
        let (length, cost) = shortest(&mut joined, WorldFn(|q: &[f64]| (world.0)(q)));
        let (again, nothing) = shortest(&mut joined, WorldFn(|q: &[f64]| (world.0)(q)));
        assert!(length.unwrap() > 0.8 && cost > 0);
        assert_eq!((again, nothing), (length, 0));
    }

    /// A vertex in the place of another would be passed twice in a row.
    #[test]
    fn an_end_that_is_a_vertex_stays_that_one() {
        let base = prm(100);
        let q = |v: u32| base.configuration(VertexId(v)).unwrap().to_vec();
        let ends = [(q(3), q(4)), (q(3), vec![0.9, 0.1]), (vec![0.9, 0.1], q(3))];
        for ((start, goal), expected) in ends.iter().zip([(3, 4), (3, 100), (100, 3)]) {
            let mut world = WorldFn(|_: &[f64]| true);
            let joined =
                JoinedQuery::new(&base, start, goal, RESOLUTION, &mut world, &Limit::none());
            let mut joined = joined.unwrap();
            let Query { start, goal } = joined.query;
            assert_eq!((start.0, goal.0), expected);
            let straight = joined
                .roadmap
                .edges()
                .iter()
                .filter(|e| [e.from, e.to] == [start, goal] || [e.from, e.to] == [goal, start]);
            assert_eq!(straight.count(), 1);
            let free = WorldFn(|_: &[f64]| true);
            assert!(shortest(&mut joined, free).0.is_some());
        }
    }

    /// A start at the end of a bent corridor that is narrower than the roadmap is fine: no straight
    /// motion from it to a vertex is free.
    #[test]
    fn a_tight_spot_grows_a_way_out() {
        // All vertices are in the room that the corridor leads to.
        let space = Space::unit(2);
        let points: Vec<f64> = roadmap::halton(&space, 120)
            .chunks_exact(2)
            .filter(|q| q[0] > 0.55)
            .flatten()
            .copied()
            .collect();
        let base = Roadmap::from_configurations(space, points, Connection::Nearest(6)).unwrap();
        let corridor = |q: &[f64]| {
            let along = (q[1] - 0.35).abs() < 0.012 && (0.0..0.5).contains(&q[0]);
            let up = (q[0] - 0.012).abs() < 0.012 && (0.1..0.36).contains(&q[1]);
            along || up || q[0] > 0.5
        };
        let start = [0.012, 0.12];
        let mut world = WorldFn(corridor);
        let joined = JoinedQuery::new(
            &base,
            &start,
            &[0.9, 0.9],
            RESOLUTION,
            &mut world,
            &Limit::none(),
        );
        let mut joined = joined.unwrap();
        // The branch that leads out has vertices of its own.
        assert!(joined.roadmap.vertex_count() > base.vertex_count() + 2);
        let (length, _) = shortest(&mut joined, WorldFn(corridor));
        assert!(length.unwrap() > 1.0);
    }

    #[test]
    fn a_finer_roadmap_finds_a_door() {
        // Two rooms and a door near the start that no edge of the coarse roadmap leads through.
        let rooms = |q: &[f64]| (q[0] - 0.3).abs() > 0.06 || (q[1] - 0.31).abs() < 0.008;
        let base = prm(40);
        let mut world = WorldFn(rooms);
        let (start, goal) = ([0.15, 0.2], [0.9, 0.9]);
        let mut joined =
            JoinedQuery::new(&base, &start, &goal, RESOLUTION, &mut world, &Limit::none()).unwrap();
        assert_eq!(shortest(&mut joined, WorldFn(rooms)).0, None);
        let found = (0..10).find_map(|round| {
            joined.make_finer(round).unwrap();
            shortest(&mut joined, WorldFn(rooms)).0
        });
        assert!(found.unwrap() > 1.0);
    }

    #[test]
    fn what_cannot_be_joined_is_told() {
        let base = prm(50);
        let mut wall = WorldFn(|q: &[f64]| q[0] < 0.9);
        let mut join = |start: [f64; 2], goal: [f64; 2], resolution| {
            JoinedQuery::new(&base, &start, &goal, resolution, &mut wall, &Limit::none()).err()
        };
        let (inside, beyond) = ([0.1, 0.1], [0.95, 0.1]);
        assert_eq!(
            join(inside, beyond, 0.1),
            Some(JoinError::InCollision(End::Goal))
        );
        assert_eq!(
            join(beyond, inside, 0.1),
            Some(JoinError::InCollision(End::Start))
        );
        assert_eq!(
            join([2.0, 0.0], inside, 0.1),
            Some(JoinError::Outside(End::Start))
        );
        assert_eq!(join(inside, inside, 0.0), Some(JoinError::Resolution(0.0)));
        let mut cell = WorldFn(|q: &[f64]| (q[0] - 0.5).hypot(q[1] - 0.5) < 0.001 || q[0] < 0.1);
        let cut = JoinedQuery::new(&base, &[0.5, 0.5], &inside, 0.01, &mut cell, &Limit::none())
            .unwrap_err();
        assert!(
            matches!(
                cut,
                JoinError::CutOff {
                    end: End::Start,
                    ..
                }
            ),
            "{cut}"
        );
    }
}
