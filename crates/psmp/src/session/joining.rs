//! Joining a start and a goal, or several goals, to a roadmap.
//!
//! A roadmap is made once for a robot; the start and the goal of a query come later and are joined
//! to it on demand. Each gets edges to its nearest vertices, which stay to be checked by the
//! planner like any other. To be sure that planning is not in vain, motions to the nearest vertices
//! are checked until one is free, farther and farther vertices if need be. An end in a tight spot,
//! from which no straight motion to the roadmap is free, grows a small tree of free motions around
//! itself until one of its leaves has such a motion; the branch to that leaf becomes part of the
//! roadmap. What was checked on the way is remembered and counted.

use super::{End, SessionError};
use crate::checker::{BisectionError, EdgeMemory, Prober, World};
use crate::motion::{Motion, Resolution};
use crate::near::{Found, Near};
use crate::random::Draw;
use crate::roadmap::{
    Connection, Edge, EdgeId, Growth, NewEdge, Query, Roadmap, RoadmapError, VertexId,
};
use crate::space::{Axis, Space};
use crate::stop::Limit;

/// How many of the nearest vertices an end is joined to.
const JOINED: usize = 50;
/// How many of the nearest vertices are tried before a tree is grown.
const FARTHEST: usize = 100;
/// How many of the nearest vertices a leaf of a tree tries.
const FROM_LEAF: usize = 5;
/// How many times a tree is extended before the end is given up.
const MOST_GROWTH: u64 = 5000;
/// How far a branch goes at most, as a share of the longest axis.
const BRANCH: f64 = 0.1;

/// A roadmap with a start and a goal. Vertices and edges that were there keep their ids, so that
/// tables and beliefs of the roadmap still fit.
#[derive(Debug, Clone)]
pub struct Joined {
    /// The roadmap with the query's vertices and edges behind its own.
    pub roadmap: Roadmap,
    /// From where to where.
    pub query: Query,
    /// Vertices that will do as well as the goal of the query.
    pub other_goals: Vec<VertexId>,
    /// What joining has found out about edges.
    pub known: EdgeMemory,
    /// How many configurations that took.
    pub configurations: u64,
}

impl Joined {
    /// A start and a goal that are vertices of a roadmap already.
    #[must_use]
    pub fn already(roadmap: &Roadmap, query: Query) -> Self {
        Self {
            roadmap: roadmap.clone(),
            query,
            other_goals: Vec::new(),
            known: EdgeMemory::default(),
            configurations: 0,
        }
    }

    /// A start and goals that are joined to their nearest vertices as they are, without checks: for
    /// roadmaps whose edges are not straight motions.
    pub(super) fn unchecked(
        roadmap: &Roadmap,
        start: &[f64],
        goals: &[Vec<f64>],
        connection: Connection,
    ) -> Result<Self, RoadmapError> {
        let mut joined: Option<Self> = None;
        for goal in goals {
            let before = joined.as_ref().map_or(roadmap, |joined| &joined.roadmap);
            let (roadmap, query) = before.with_query(start, goal, connection)?;
            joined = Some(match joined {
                None => Self::already(&roadmap, query),
                Some(mut joined) => {
                    joined.roadmap = roadmap;
                    joined.other_goals.push(query.goal);
                    joined
                }
            });
        }
        joined.ok_or_else(|| RoadmapError::Parameter("there is no goal".to_owned()))
    }

    /// Vertices that are known to be free: the query's, and the ends of motions that were found free.
    pub(super) fn free_vertices(&self) -> Vec<VertexId> {
        let free = self.known.known().filter(|(_, free)| *free);
        let ends = free.flat_map(|(edge, _)| {
            let edge = self.roadmap.edge(edge);
            [edge.from, edge.to]
        });
        let query = [self.query.start, self.query.goal].into_iter();
        query
            .chain(self.other_goals.iter().copied())
            .chain(ends)
            .collect()
    }

    /// Joins a start and a goal to a roadmap, as a [`Session`](crate::Session) does where it does not
    /// try the straight motion first.
    ///
    /// # Errors
    /// If an end is in collision, or no way from it to the roadmap is found; or a check fails.
    pub fn new<W: World>(
        roadmap: &Roadmap,
        ends: [&[f64]; 2],
        resolution: Resolution,
        world: W,
    ) -> Result<Self, SessionError<W::Error>> {
        let Some(space) = roadmap.space() else {
            return Err(BisectionError::NoConfigurations.into());
        };
        let mut joining = Joining::new(roadmap, space, resolution, world, &Limit::NONE);
        for (end, q) in [End::Start, End::Goal].into_iter().zip(ends) {
            if !joining.is_free(q, q)? {
                return Err(SessionError::InCollision(end));
            }
        }
        let [start, goal] = ends;
        let Some(joined) = joining.join(start, &[goal.to_vec()], None)? else {
            unreachable!("nothing limits it");
        };
        Ok(joined)
    }
}

/// An edge that joining adds, and what it knows of it.
fn new_edge(from: u32, to: u32, length: f64, free: Option<bool>) -> NewEdge {
    NewEdge {
        edge: Edge::new(from, to, length),
        free,
        proved: false,
    }
}

/// The work of joining.
pub(super) struct Joining<'a, W> {
    space: &'a Space,
    roadmap: &'a Roadmap,
    near: Near,
    resolution: Resolution,
    prober: Prober<W>,
    limit: &'a Limit,
    /// Whether the limit was met; then nothing more is free.
    pub is_stopped: bool,
    /// How many configurations were checked.
    pub configurations: u64,
    /// New vertices: the start and the goal where the roadmap has none there, and branches of trees.
    vertices: Vec<f64>,
    edges: Vec<NewEdge>,
}

impl<'a, W: World> Joining<'a, W> {
    pub fn new(
        roadmap: &'a Roadmap,
        space: &'a Space,
        resolution: Resolution,
        world: W,
        limit: &'a Limit,
    ) -> Self {
        Self {
            near: roadmap.near().unwrap_or_else(|| Near::new(space)),
            space,
            roadmap,
            resolution,
            prober: Prober::new(world, space.dimension(), 0),
            limit,
            is_stopped: false,
            configurations: 0,
            vertices: Vec::new(),
            edges: Vec::new(),
        }
    }

    /// Joins a start and goals that are free. The straight motion to the first goal is blocked or not
    /// known to be so. That no straight way leads from a goal to the roadmap is no matter if one leads
    /// from another: only where none does, goals grow trees until one has found a way. Nothing if the
    /// limit was met before all were joined.
    pub fn join(
        &mut self,
        start: &[f64],
        goals: &[Vec<f64>],
        straight: Option<bool>,
    ) -> Result<Option<Joined>, SessionError<W::Error>> {
        let mut ends = Vec::with_capacity(goals.len() + 1);
        for q in std::iter::once(start).chain(goals.iter().map(Vec::as_slice)) {
            let vertex = self.vertex(q, &ends);
            ends.push(vertex);
        }
        let from = ends[0];
        if !self.join_end(from, start)? && !self.grow(from, start)? {
            return self.cut_off(End::Start);
        }
        let ends = || ends[1..].iter().copied().zip(goals);
        let mut is_joined = false;
        for (to, goal) in ends() {
            is_joined |= self.join_end(to, goal)?;
        }
        for (to, goal) in ends() {
            is_joined = is_joined || self.grow(to, goal)?;
        }
        if self.is_stopped || !is_joined {
            return self.cut_off(End::Goal);
        }
        for (place, (to, goal)) in ends().enumerate() {
            let straight = straight.filter(|_| place == 0);
            let length = self.space.distance(start, goal);
            self.join_directly(new_edge(from, to, length, straight));
        }
        let mut goals = ends().map(|(to, _)| VertexId(to));
        let Some(goal) = goals.next() else {
            unreachable!("there is a goal");
        };
        let query = Query {
            start: VertexId(from),
            goal,
        };
        Ok(Some(self.finish(query, goals.collect())?))
    }

    /// What joining comes to where no way leads from an end to the roadmap, unless it was stopped.
    fn cut_off(&self, end: End) -> Result<Option<Joined>, SessionError<W::Error>> {
        match self.is_stopped {
            true => Ok(None),
            false => Err(SessionError::CutOff {
                end,
                configurations: self.configurations,
            }),
        }
    }

    /// Adds the edge between two ends, unless there is one already.
    fn join_directly(&mut self, direct: NewEdge) {
        let (from, to) = (direct.edge.from, direct.edge.to);
        let is_direct = |e: &Edge| {
            let ends = (e.from, e.to);
            ends == (from, to) || ends == (to, from)
        };
        let is_old = !self.is_new(from.0) && !self.is_new(to.0);
        if let Some(new) = self.edges.iter_mut().find(|new| is_direct(&new.edge)) {
            new.free = new.free.or(direct.free);
        } else if !(is_old && self.roadmap.outgoing(from).any(|arc| arc.target == to)) {
            self.edges.push(direct);
        }
    }

    fn is_new(&self, vertex: u32) -> bool {
        vertex as usize >= self.roadmap.vertex_count()
    }

    /// The vertex of an end. One that is a vertex already stays that one: another in its place would be
    /// passed twice.
    fn vertex(&mut self, q: &[f64], taken: &[u32]) -> u32 {
        let nearest = self.near.nearest(q).map(|found| found.id);
        let there = |v: &u32| self.roadmap.configuration(VertexId(*v)) == Some(q);
        let old = nearest.filter(there).filter(|v| !taken.contains(v));
        old.unwrap_or_else(|| {
            self.vertices.extend_from_slice(q);
            (self.roadmap.vertex_count() + self.vertices.len() / q.len()) as u32 - 1
        })
    }

    fn nearest(&mut self, q: &[f64], count: usize) -> Vec<Found> {
        let mut found = Vec::new();
        self.near.k_nearest(q, count, &mut found);
        found
    }

    /// Joins a vertex to the roadmap, if it is new; whether a free way is known.
    fn join_end(&mut self, vertex: u32, q: &[f64]) -> Result<bool, SessionError<W::Error>> {
        if !self.is_new(vertex) {
            return Ok(true);
        }
        let near = self.nearest(q, FARTHEST);
        let found = self.first_free(q, &near)?;
        // Besides what was tried, the usual number of neighbours.
        let tried = found.map_or(near.len(), |place| place + 1);
        for (place, other) in near.iter().enumerate() {
            let free = (place < tried).then_some(Some(place) == found);
            // Far ones that are blocked are of no use.
            if place < JOINED || free == Some(true) {
                let edge = new_edge(vertex, other.id, other.distance, free);
                self.edges.push(edge);
            }
        }
        Ok(found.is_some())
    }

    /// Grows a tree of free motions from a vertex until a leaf has a free motion to the roadmap.
    fn grow(&mut self, vertex: u32, root: &[f64]) -> Result<bool, SessionError<W::Error>> {
        let branch = BRANCH * self.space.longest_side();
        let mut tree = Near::of(self.space, root);
        let mut nodes = vec![(root.to_vec(), 0)];
        let (mut aim, mut leaf) = (root.to_vec(), root.to_vec());
        for step in 0..MOST_GROWTH {
            if self.is_stopped {
                break;
            }
            // First near the root, then farther and farther out.
            let reach = (step + 1) as f64 / MOST_GROWTH as f64;
            let draw = Draw::new(u64::from(vertex), step);
            around(self.space, root, reach.sqrt(), draw, &mut aim);
            let Some(Found {
                distance,
                id: parent,
            }) = tree.nearest(&aim)
            else {
                unreachable!("the tree has its root");
            };
            let from = nodes[parent as usize].0.clone();
            let share = (branch / distance.max(f64::MIN_POSITIVE)).min(1.0);
            self.space.interpolate(&from, &aim, share, &mut leaf);
            if !self.is_free(&from, &leaf)? {
                continue;
            }
            tree.insert(nodes.len() as u32, &leaf);
            nodes.push((leaf.clone(), parent as usize));
            let near = self.nearest(&leaf, JOINED);
            let tried = near.len().min(FROM_LEAF);
            if let Some(found) = self.first_free(&leaf, &near[..tried])? {
                self.add_branch(vertex, &nodes, &near, found);
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The branch to the last leaf of a tree becomes vertices and edges, and the leaf is joined.
    fn add_branch(&mut self, root: u32, nodes: &[(Vec<f64>, usize)], near: &[Found], found: usize) {
        let mut branch = vec![nodes.len() - 1];
        while let Some(&node) = branch.last().filter(|node| **node != 0) {
            branch.push(nodes[node].1);
        }
        let mut before = root;
        for pair in branch.windows(2).rev() {
            let [to, from] = [pair[0], pair[1]].map(|node| &nodes[node].0);
            let length = self.space.distance(from, to);
            self.vertices.extend_from_slice(to);
            let own = self.roadmap.vertex_count() + self.vertices.len() / to.len() - 1;
            self.edges
                .push(new_edge(before, own as u32, length, Some(true)));
            before = own as u32;
        }
        self.edges
            .extend(near.iter().enumerate().map(|(place, other)| {
                let free = (place <= found).then_some(place == found);
                new_edge(before, other.id, other.distance, free)
            }));
    }

    /// The place of the first vertex to which the straight motion is free.
    fn first_free(
        &mut self,
        q: &[f64],
        near: &[Found],
    ) -> Result<Option<usize>, SessionError<W::Error>> {
        let roadmap = self.roadmap;
        for (place, other) in near.iter().enumerate() {
            let other = roadmap
                .configuration(VertexId(other.id))
                .unwrap_or_default();
            if self.is_free(q, other)? {
                return Ok(Some(place));
            }
        }
        Ok(None)
    }

    /// Whether a straight motion is free, as far as the limit lets it be known.
    fn is_free(&mut self, a: &[f64], b: &[f64]) -> Result<bool, SessionError<W::Error>> {
        if self.is_stopped {
            return Ok(false);
        }
        let motion = Motion::new(self.space, a, b, self.resolution);
        let count = motion.configurations();
        let left = self.limit.configurations() - self.configurations;
        let may_ask = usize::try_from(left).map_or(count, |left| left.min(count));
        let probed = self.prober.probe(&motion, 0..may_ask, self.limit);
        self.configurations += probed.configurations as u64;
        if let Some(failure) = probed.failure {
            return Err(SessionError::World(failure));
        }
        self.is_stopped = !probed.collided && probed.configurations < count;
        Ok(!probed.collided && !self.is_stopped)
    }

    /// The roadmap that was given stays as it is; a branch of it grows by what joins the ends.
    fn finish(&mut self, query: Query, other_goals: Vec<VertexId>) -> Result<Joined, RoadmapError> {
        let roadmap = self.roadmap.branch();
        let mut known = EdgeMemory::default();
        for (place, new) in self.edges.iter().enumerate() {
            if let Some(free) = new.free {
                known.remember(EdgeId((roadmap.edge_count() + place) as u32), free);
            }
        }
        roadmap.grow(&Growth {
            coordinates: std::mem::take(&mut self.vertices),
            edges: std::mem::take(&mut self.edges),
        })?;
        Ok(Joined {
            roadmap,
            query,
            other_goals,
            known,
            configurations: self.configurations,
        })
    }
}

/// Writes a configuration around `middle`, at most `reach` of each axis' extent away: the one that the
/// draw picks.
fn around(space: &Space, middle: &[f64], reach: f64, draw: Draw, out: &mut [f64]) {
    let place = |(i, axis): (usize, &Axis)| {
        let value = middle[i] + (2.0 * draw.unit(i as u64) - 1.0) * reach * axis.extent();
        match axis.wraps() {
            true => value,
            false => value.clamp(axis.lower(), axis.upper()),
        }
    };
    for (out, value) in out
        .iter_mut()
        .zip(space.axes().iter().enumerate().map(place))
    {
        *out = value;
    }
    space.make_canonical(out);
}
