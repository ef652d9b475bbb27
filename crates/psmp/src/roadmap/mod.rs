//! The roadmap: a graph whose vertices are configurations and whose edges are motions.
//!
//! An edge has one [`EdgeId`] however many ways it can be travelled: an undirected roadmap gives
//! both half-edges the same id, because they are one motion with one collision status. Adjacency
//! is stored in compressed rows, outgoing and (for directed roadmaps) incoming, so that a search
//! can run either way. Within, vertices stand in an order of their own in which neighbours are near
//! each other in memory, whatever the order in which they were given; the ids that a user sees are
//! those the user gave. Coordinates are optional: many published roadmaps carry only lengths.
//!
//! A roadmap can grow: vertices and edges are appended behind those that are there, whose ids stay. All
//! clones of a roadmap are one and grow together; a [branch](Roadmap::branch) grows apart.

mod adjacency;
mod build;
mod facts;
mod tail;

pub(crate) use adjacency::Slot;
use adjacency::{Adjacency, HalfEdge};
pub(crate) use tail::Runs;
use tail::Tail;

pub use build::{Connection, halton, prm_star_radius, uniform, unit_ball_volume};
pub use facts::{Components, DegreeFacts};

use crate::motion::{LongestMotions, Motion, Resolution};
use crate::near::Near;
use crate::path::Path;
use crate::search::{Search, Weights};
use crate::space::Space;
use crate::stop::Limit;
use std::borrow::Cow;
use std::ops::Range;
use std::sync::{Arc as Shared, OnceLock};
use thiserror::Error;

/// A vertex of a [`Roadmap`], counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct VertexId(pub u32);

/// An edge of a [`Roadmap`], counted from 0 in the order in which the edges were given.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct EdgeId(pub u32);

impl VertexId {
    /// The id as an index into per-vertex arrays.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl EdgeId {
    /// The id as an index into per-edge arrays.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An edge as it is given to [`Roadmap::from_edges`]: the two ends and the length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Edge {
    /// Where a directed edge begins; either end of an undirected one.
    pub from: VertexId,
    /// Where a directed edge ends; the other end of an undirected one.
    pub to: VertexId,
    /// The length: finite, not negative.
    pub length: f64,
}

impl Edge {
    /// An edge between two vertices.
    #[must_use]
    pub fn new(from: u32, to: u32, length: f64) -> Self {
        Self {
            from: VertexId(from),
            to: VertexId(to),
            length,
        }
    }
}

/// Whether edges can be travelled both ways.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// Every edge can be travelled both ways and has one status for both.
    Undirected,
    /// Every edge goes from its first vertex to its second.
    Directed,
}

/// One way to leave (or enter) a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arc {
    /// The vertex at the other end.
    pub target: VertexId,
    /// The edge travelled.
    pub edge: EdgeId,
    /// The edge's length.
    pub length: f64,
}

/// Why a roadmap cannot be built from what was given.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum RoadmapError {
    /// An edge names a vertex that is not there.
    #[error("edge {edge} names vertex {vertex}, but there are only {vertices} vertices")]
    VertexOutOfRange {
        /// The edge's index.
        edge: usize,
        /// The vertex it names.
        vertex: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// An edge's length is negative, infinite or not a number.
    #[error("edge {edge} has length {length}: lengths must be finite and not negative")]
    Length {
        /// The edge's index.
        edge: usize,
        /// Its length.
        length: f64,
    },
    /// More vertices or edges than a 32-bit id can name.
    #[error("{count} {what} are too many: ids have 32 bits")]
    TooLarge {
        /// "vertices" or "edges".
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// The coordinates do not fit the number of vertices and axes.
    #[error(
        "{values} coordinate values do not make {vertices} configurations of {dimension} values"
    )]
    Coordinates {
        /// How many numbers were given.
        values: usize,
        /// How many vertices there are.
        vertices: usize,
        /// How many axes the space has.
        dimension: usize,
    },
    /// A configuration is outside the space's bounds or not finite.
    #[error("vertex {vertex} has coordinates {configuration:?} outside the space's bounds")]
    OutOfBounds {
        /// The vertex.
        vertex: usize,
        /// Its coordinates.
        configuration: Vec<f64>,
    },
    /// A parameter of a builder makes no sense.
    #[error("{0}")]
    Parameter(String),
    /// Something that plans on the roadmap knows only the edges that it was made for.
    #[error("{0} cannot grow: keep the roadmap as it is")]
    CannotGrow(&'static str),
}

/// What a roadmap is to grow by.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Growth {
    /// The configurations of the new vertices, one after the other; their ids follow those that are there.
    /// A roadmap without configurations grows by edges alone.
    pub coordinates: Vec<f64>,
    /// The new edges, between any vertices, old and new; their ids follow those that are there.
    pub edges: Vec<NewEdge>,
}

/// An edge that a roadmap is to grow by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewEdge {
    /// The edge.
    pub edge: Edge,
    /// Whether it is known to be free, or blocked; nothing if it has not been checked.
    pub free: Option<bool>,
    /// Whether it has been proved free all along.
    pub proved: bool,
}

/// Configurations of the vertices and the space they live in.
#[derive(Debug, Clone)]
struct Configurations {
    space: Space,
    coordinates: Vec<f64>,
}

/// A graph of configurations and the motions between them.
///
/// ```
/// use psmp::{Direction, Edge, Roadmap, VertexId};
/// let roadmap = Roadmap::from_edges(
///     3,
///     Direction::Undirected,
///     vec![Edge::new(0, 1, 1.0), Edge::new(1, 2, 2.0)],
/// )?;
/// assert_eq!(roadmap.outgoing(VertexId(1)).count(), 2);
/// # Ok::<(), psmp::RoadmapError>(())
/// ```
///
/// The clones of a roadmap are one and the same: planners, beliefs and checkers each hold it, and see it
/// [grow](Self::grow).
#[derive(Debug, Clone)]
pub struct Roadmap {
    base: Shared<Base>,
    tail: Shared<Tail>,
}

/// The roadmap as it was built.
#[derive(Debug, Clone)]
struct Base {
    direction: Direction,
    edges: Vec<Edge>,
    adjacency: Adjacency,
    configurations: Option<Configurations>,
    /// Whether the lengths of its edges are distances, once somebody has asked.
    is_of_distances: OnceLock<bool>,
    /// The longest of its motions by each measure, and the places of its vertices, likewise.
    longest_motions: OnceLock<LongestMotions>,
    near: OnceLock<Shared<Near>>,
}

/// Whether edges from this id on can be part of a roadmap of so many vertices.
fn check_edges<'e>(
    edges: impl Iterator<Item = &'e Edge>,
    first: usize,
    vertices: usize,
) -> Result<(), RoadmapError> {
    for (place, e) in edges.enumerate() {
        let edge = first + place;
        for vertex in [e.from, e.to] {
            if vertex.index() >= vertices {
                return Err(RoadmapError::VertexOutOfRange {
                    edge,
                    vertex: vertex.0,
                    vertices,
                });
            }
        }
        if !(e.length.is_finite() && e.length >= 0.0) {
            return Err(RoadmapError::Length {
                edge,
                length: e.length,
            });
        }
    }
    Ok(())
}

/// Whether ids can name so many.
fn check_counts(vertices: usize, edges: usize) -> Result<(), RoadmapError> {
    for (what, count, most) in [
        ("vertices", vertices, u32::MAX as usize - 1),
        ("edges", edges, u32::MAX as usize / 2 - 1),
    ] {
        if count > most {
            return Err(RoadmapError::TooLarge { what, count });
        }
    }
    Ok(())
}

impl Roadmap {
    /// A roadmap from a list of edges; the id of an edge is its place in the list. Parallel edges
    /// and loops are allowed.
    ///
    /// # Errors
    /// If an edge names a vertex that is not there or has an impossible length.
    pub fn from_edges(
        vertices: usize,
        direction: Direction,
        edges: Vec<Edge>,
    ) -> Result<Self, RoadmapError> {
        check_counts(vertices, edges.len())?;
        check_edges(edges.iter(), 0, vertices)?;
        let adjacency = Adjacency::new(vertices, direction, &edges);
        Ok(Self {
            base: Shared::new(Base {
                direction,
                edges,
                adjacency,
                configurations: None,
                is_of_distances: OnceLock::new(),
                longest_motions: OnceLock::new(),
                near: OnceLock::new(),
            }),
            tail: Shared::new(Tail::new(direction)),
        })
    }

    /// The same roadmap with a configuration for each vertex: `coordinates` holds them one after
    /// the other. They are kept in [canonical form](Space::make_canonical).
    ///
    /// # Errors
    /// If the number of coordinates does not fit, or one is out of bounds.
    pub fn with_configurations(
        self,
        space: Space,
        mut coordinates: Vec<f64>,
    ) -> Result<Self, RoadmapError> {
        let dimension = space.dimension();
        if coordinates.len() != self.vertex_count() * dimension {
            return Err(RoadmapError::Coordinates {
                values: coordinates.len(),
                vertices: self.vertex_count(),
                dimension,
            });
        }
        for (vertex, q) in coordinates.chunks_exact_mut(dimension).enumerate() {
            if !space.contains(q) {
                return Err(RoadmapError::OutOfBounds {
                    vertex,
                    configuration: q.to_vec(),
                });
            }
            space.make_canonical(q);
        }
        let mut roadmap = if self.has_grown() {
            Self::from_edges(
                self.vertex_count(),
                self.direction(),
                self.edges().collect(),
            )?
        } else {
            self.branch()
        };
        drop(self);
        let base = Shared::make_mut(&mut roadmap.base);
        base.configurations = Some(Configurations { space, coordinates });
        base.is_of_distances = OnceLock::new();
        base.longest_motions = OnceLock::new();
        base.near = OnceLock::new();
        Ok(roadmap)
    }

    /// The same roadmap as one of this space, bounds, metric and embedding included, if all its configurations lie in it; else
    /// as it is. Roadmaps that come from files know nothing of a space but where their vertices are, and what grows
    /// beyond these would be outside.
    #[must_use]
    pub fn in_space(mut self, space: &Space) -> Self {
        let Some(own) = self.space() else {
            return self;
        };
        if own == space {
            if let (None, Some(embedding)) = (own.embedding(), space.embedding()) {
                let embedded = own.clone().embedded(embedding.clone());
                let base = Shared::make_mut(&mut self.base);
                if let Some(configurations) = &mut base.configurations {
                    configurations.space = embedded;
                }
            }
            return self;
        }
        let vertices = (0..self.vertex_count() as u32).map(VertexId);
        let all = vertices.filter_map(|v| self.configuration(v));
        if !all.clone().all(|q| space.contains(q)) {
            return self;
        }
        let coordinates = all.flatten().copied().collect();
        let embedding = space.embedding().or(own.embedding()).cloned();
        let space = match embedding {
            Some(embedding) => space.clone().embedded(embedding),
            None => space.clone(),
        };
        match self.with_configurations(space, coordinates) {
            Ok(roadmap) => roadmap,
            Err(error) => unreachable!("all configurations lie in the space: {error}"),
        }
    }

    /// Appends vertices and edges, which all clones see from now on. What is there stays as it is and
    /// keeps its ids, and the cost is that of what is added.
    ///
    /// Whoever holds a clone and keeps something for each vertex or edge has to follow. A
    /// [planner](crate::Planner::grow) makes its roadmap grow itself, and cannot go on if another has: what
    /// others plan on is left alone, and a [branch](Self::branch) grows instead.
    ///
    /// # Errors
    /// If the growth does not fit the roadmap: see [`from_edges`](Self::from_edges) and
    /// [`with_configurations`](Self::with_configurations). Nothing has been added then.
    pub fn grow(&self, growth: &Growth) -> Result<(), RoadmapError> {
        let _held = self.tail.hold();
        self.accepts(growth)?;
        let base = self.base.adjacency.vertex_count();
        if let Some(space) = self.space() {
            for q in growth.coordinates.chunks_exact(space.dimension()) {
                self.tail.add_vertex(space.canonical(q).into());
            }
        }
        for &NewEdge { edge, .. } in &growth.edges {
            let id = EdgeId(self.edge_count() as u32);
            let [from, to] = [edge.from, edge.to].map(|v| self.slot(v));
            let half = |target| HalfEdge {
                target,
                edge: id,
                length: edge.length,
            };
            let halves = [(from, half(to)), (to, half(from))];
            self.tail.add_edge(edge, halves, base);
        }
        Ok(())
    }

    /// Whether it can grow by this.
    ///
    /// # Errors
    /// As [`grow`](Self::grow).
    pub(crate) fn accepts(&self, growth: &Growth) -> Result<(), RoadmapError> {
        let values = growth.coordinates.len();
        let dimension = self.space().map_or(0, Space::dimension);
        let vertices = values.checked_div(dimension).unwrap_or(0);
        if vertices * dimension != values {
            return Err(RoadmapError::Coordinates {
                values,
                vertices,
                dimension,
            });
        }
        if let Some(space) = self.space() {
            let new = growth.coordinates.chunks_exact(dimension);
            if let Some((place, q)) = new.enumerate().find(|(_, q)| !space.contains(q)) {
                return Err(RoadmapError::OutOfBounds {
                    vertex: self.vertex_count() + place,
                    configuration: q.to_vec(),
                });
            }
        }
        let vertices = self.vertex_count() + vertices;
        check_counts(vertices, self.edge_count() + growth.edges.len())?;
        let edges = growth.edges.iter().map(|new| &new.edge);
        check_edges(edges, self.edge_count(), vertices)
    }

    /// The same roadmap, which from here on grows apart from this one. It costs no more than what this one
    /// has grown by.
    #[must_use]
    pub fn branch(&self) -> Self {
        Self {
            base: self.base.clone(),
            tail: Shared::new(match self.has_grown() {
                true => self.tail.copy(),
                false => Tail::new(self.direction()),
            }),
        }
    }

    fn has_grown(&self) -> bool {
        self.tail.vertex_count() + self.tail.edge_count() > 0
    }

    /// The place of a vertex in memory.
    #[inline]
    pub(crate) fn slot(&self, vertex: VertexId) -> Slot {
        self.base.adjacency.slot(vertex).unwrap_or(Slot(vertex.0))
    }

    /// The vertex in a place.
    #[inline]
    pub(crate) fn vertex(&self, slot: Slot) -> VertexId {
        self.base.adjacency.vertex(slot).unwrap_or(VertexId(slot.0))
    }

    /// The half-edges out of a vertex.
    #[inline]
    pub(crate) fn halves_out_of(&self, slot: Slot) -> Runs<'_> {
        self.tail.outgoing(self.base.adjacency.outgoing(slot), slot)
    }

    /// The half-edges into a vertex; their targets are where they come from.
    #[inline]
    pub(crate) fn halves_into(&self, slot: Slot) -> Runs<'_> {
        self.tail.incoming(self.base.adjacency.incoming(slot), slot)
    }

    /// Whether both are one and the same, and not only alike.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Shared::ptr_eq(&self.tail, &other.tail)
    }

    /// The straight motion along an edge, if the roadmap has configurations.
    #[must_use]
    pub fn motion(&self, edge: EdgeId, resolution: Resolution) -> Option<Motion<'_>> {
        let Edge { from, to, .. } = self.edge(edge);
        let (space, from, to) = (
            self.space()?,
            self.configuration(from)?,
            self.configuration(to)?,
        );
        Some(Motion::new(space, from, to, resolution))
    }

    /// How many vertices there are.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.base.adjacency.vertex_count() + self.tail.vertex_count()
    }

    /// How many edges there are; an undirected edge counts once.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.base.edges.len() + self.tail.edge_count()
    }

    /// Whether edges can be travelled both ways.
    #[must_use]
    pub fn direction(&self) -> Direction {
        self.base.direction
    }

    /// All edges in the order of their ids.
    pub fn edges(&self) -> impl ExactSizeIterator<Item = Edge> + Clone + '_ {
        (0..self.edge_count()).map(|edge| self.edge(EdgeId(edge as u32)))
    }

    /// One edge.
    #[inline]
    #[must_use]
    pub fn edge(&self, edge: EdgeId) -> Edge {
        match self.base.edges.get(edge.index()) {
            Some(edge) => *edge,
            None => self.tail.edge(edge.index() - self.base.edges.len()),
        }
    }

    /// The ways out of a vertex.
    pub fn outgoing(&self, v: VertexId) -> impl Iterator<Item = Arc> + '_ {
        self.arcs(self.halves_out_of(self.slot(v)))
    }

    /// The ways into a vertex; `target` is where each comes from.
    pub fn incoming(&self, v: VertexId) -> impl Iterator<Item = Arc> + '_ {
        self.arcs(self.halves_into(self.slot(v)))
    }

    fn arcs<'r>(&'r self, runs: Runs<'r>) -> impl Iterator<Item = Arc> + 'r {
        runs.flatten().map(|half| Arc {
            target: self.vertex(half.target),
            edge: half.edge,
            length: half.length,
        })
    }

    /// The space of the configurations, if the roadmap has any.
    #[must_use]
    pub fn space(&self) -> Option<&Space> {
        self.base.configurations.as_ref().map(|c| &c.space)
    }

    /// Whether the lengths of its edges are the distances of their ends, up to rounding, and no times or
    /// other costs.
    #[must_use]
    pub fn is_of_distances(&self) -> bool {
        let Some(space) = self.space() else {
            return false;
        };
        let is_distance = |edge: Edge| {
            let ends = [edge.from, edge.to].map(|v| self.configuration(v));
            let [Some(from), Some(to)] = ends else {
                return false;
            };
            let distance = space.distance(from, to);
            // Files state lengths and places with few digits.
            let rounding = 1e-3 * distance.max(edge.length) + 3e-5 * space.longest_side();
            (edge.length - distance).abs() <= rounding
        };
        let base = &self.base;
        let of_base = || base.edges.iter().all(|&edge| is_distance(edge));
        *base.is_of_distances.get_or_init(of_base)
            && (base.edges.len()..self.edge_count())
                .all(|edge| is_distance(self.edge(EdgeId(edge as u32))))
    }

    /// How long its longest motions are; none if it has no configurations.
    pub(crate) fn longest_motions(&self) -> Option<LongestMotions> {
        let space = self.space()?;
        let longest = |edges: Range<usize>| {
            let ends = edges.filter_map(|edge| {
                let Edge { from, to, .. } = self.edge(EdgeId(edge as u32));
                Some((self.configuration(from)?, self.configuration(to)?))
            });
            ends.fold(LongestMotions::default(), |longest, (from, to)| {
                longest.max(LongestMotions::of(space, from, to))
            })
        };
        let base = self.base.edges.len();
        let of_base = self.base.longest_motions.get_or_init(|| longest(0..base));
        Some(of_base.max(longest(base..self.edge_count())))
    }

    /// Its vertices by where they are, as they are now; none if it has no configurations.
    pub(crate) fn near(&self) -> Option<Near> {
        let Configurations { space, coordinates } = self.base.configurations.as_ref()?;
        let of_base = || Shared::new(Near::of(space, coordinates));
        let mut near = Near::in_front_of(self.base.near.get_or_init(of_base).clone());
        for vertex in self.base.adjacency.vertex_count()..self.vertex_count() {
            let vertex = VertexId(vertex as u32);
            near.insert(vertex.0, self.configuration(vertex)?);
        }
        Some(near)
    }

    /// The configuration of a vertex, if the roadmap has any.
    #[must_use]
    pub fn configuration(&self, v: VertexId) -> Option<&[f64]> {
        let Configurations { space, coordinates } = self.base.configurations.as_ref()?;
        let (dimension, place) = (space.dimension(), v.index());
        let of_base = coordinates.get(place * dimension..(place + 1) * dimension);
        let new = || {
            let base = self.base.adjacency.vertex_count();
            self.tail.configuration(place - base)
        };
        Some(of_base.unwrap_or_else(new))
    }

    /// The configurations of all vertices one after the other, if the roadmap has any. They are copied if
    /// it has grown.
    #[must_use]
    pub fn configurations(&self) -> Option<Cow<'_, [f64]>> {
        let Configurations { coordinates, .. } = self.base.configurations.as_ref()?;
        let new = self.tail.vertex_count();
        if new == 0 {
            return Some(Cow::Borrowed(coordinates));
        }
        let mut all = coordinates.clone();
        for place in 0..new {
            all.extend_from_slice(self.tail.configuration(place));
        }
        Some(Cow::Owned(all))
    }

    /// The shortest path over the edges for which `is_open` holds: what a planner would find that
    /// knew them all.
    #[must_use]
    pub fn shortest_path(&self, query: Query, is_open: impl Fn(EdgeId) -> bool) -> Option<Path> {
        let mut path = Path::default();
        let found = Search::new(self).shortest_path(
            self,
            query,
            f64::INFINITY,
            &Limit::NONE,
            &mut OpenEdges(is_open),
            &mut path,
        );
        found.then_some(path)
    }

    /// The vertex ids in order.
    pub fn vertices(&self) -> impl Iterator<Item = VertexId> + use<> {
        (0..self.vertex_count() as u32).map(VertexId)
    }

    /// The edge ids in order.
    pub fn edge_ids(&self) -> impl Iterator<Item = EdgeId> + use<> {
        (0..self.edge_count() as u32).map(EdgeId)
    }
}

/// Lengths as they are, over open edges only.
struct OpenEdges<F>(F);

impl<F: Fn(EdgeId) -> bool> Weights for OpenEdges<F> {
    fn cost(&mut self, _: EdgeId, length: f64) -> f64 {
        length
    }
    fn is_open(&mut self, edge: EdgeId) -> bool {
        (self.0)(edge)
    }
}

/// From where to where to plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Query {
    /// Where the path begins.
    pub start: VertexId,
    /// Where the path ends.
    pub goal: VertexId,
}
