//! The roadmap: a graph whose vertices are configurations and whose edges are motions.
//!
//! An edge has one [`EdgeId`] however many ways it can be travelled: an undirected roadmap gives
//! both half-edges the same id, because they are one motion with one collision status. Adjacency
//! is stored in compressed rows, outgoing and (for directed roadmaps) incoming, so that a search
//! can run either way. Within, vertices stand in an order of their own in which neighbours are near
//! each other in memory, whatever the order in which they were given; the ids that a user sees are
//! those the user gave. Coordinates are optional: many published roadmaps carry only lengths.

mod adjacency;
mod build;
mod facts;

use adjacency::Adjacency;
pub(crate) use adjacency::Slot;

pub use build::{Connection, halton, prm_star_radius, uniform, unit_ball_volume};
pub use facts::{Components, DegreeFacts};

use crate::motion::{Motion, Resolution};
use crate::path::Path;
use crate::search::{Search, Weights};
use crate::space::Space;
use crate::stop::Limit;
use std::sync::Arc as Shared;
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
}

/// Configurations of the vertices and the space they live in.
#[derive(Debug, Clone)]
struct Embedding {
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
/// assert_eq!(roadmap.outgoing(VertexId(1)).len(), 2);
/// # Ok::<(), psmp::RoadmapError>(())
/// ```
///
/// A roadmap does not change, and its clones are the same one: planners, beliefs and checkers each
/// hold it.
#[derive(Debug, Clone)]
pub struct Roadmap(Shared<Graph>);

#[derive(Debug, Clone)]
struct Graph {
    direction: Direction,
    edges: Vec<Edge>,
    adjacency: Adjacency,
    embedding: Option<Embedding>,
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
        for (what, count, most) in [
            ("vertices", vertices, u32::MAX as usize - 1),
            ("edges", edges.len(), u32::MAX as usize / 2 - 1),
        ] {
            if count > most {
                return Err(RoadmapError::TooLarge { what, count });
            }
        }
        for (edge, e) in edges.iter().enumerate() {
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
        let adjacency = Adjacency::new(vertices, direction, &edges);
        Ok(Self(Shared::new(Graph {
            direction,
            edges,
            adjacency,
            embedding: None,
        })))
    }

    /// The same roadmap with a configuration for each vertex: `coordinates` holds them one after
    /// the other. They are kept in [canonical form](Space::make_canonical).
    ///
    /// # Errors
    /// If the number of coordinates does not fit, or one is out of bounds.
    pub fn with_configurations(
        mut self,
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
        Shared::make_mut(&mut self.0).embedding = Some(Embedding { space, coordinates });
        Ok(self)
    }

    #[inline]
    pub(crate) fn adjacency(&self) -> &Adjacency {
        &self.0.adjacency
    }

    /// Whether both are one and the same, and not only alike.
    #[must_use]
    pub fn is(&self, other: &Self) -> bool {
        Shared::ptr_eq(&self.0, &other.0)
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
        self.0.adjacency.vertex_count()
    }

    /// How many edges there are; an undirected edge counts once.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.0.edges.len()
    }

    /// Whether edges can be travelled both ways.
    #[must_use]
    pub fn direction(&self) -> Direction {
        self.0.direction
    }

    /// All edges; the index is the id.
    #[must_use]
    pub fn edges(&self) -> &[Edge] {
        &self.0.edges
    }

    /// One edge.
    #[inline]
    #[must_use]
    pub fn edge(&self, edge: EdgeId) -> Edge {
        self.0.edges[edge.index()]
    }

    /// The ways out of a vertex.
    pub fn outgoing(&self, v: VertexId) -> impl ExactSizeIterator<Item = Arc> + '_ {
        self.0.adjacency.arcs_out_of(v)
    }

    /// The ways into a vertex; `target` is where each comes from.
    pub fn incoming(&self, v: VertexId) -> impl ExactSizeIterator<Item = Arc> + '_ {
        self.0.adjacency.arcs_into(v)
    }

    /// The space of the configurations, if the roadmap has any.
    #[must_use]
    pub fn space(&self) -> Option<&Space> {
        self.0.embedding.as_ref().map(|e| &e.space)
    }

    /// Whether the lengths of its edges are the distances of their ends, up to rounding, and no times or
    /// other costs.
    #[must_use]
    pub fn is_of_distances(&self) -> bool {
        let Some(space) = self.space() else {
            return false;
        };
        self.edges().iter().all(|edge| {
            let ends = [edge.from, edge.to].map(|v| self.configuration(v));
            let [Some(from), Some(to)] = ends else {
                return false;
            };
            let distance = space.distance(from, to);
            // Files state lengths with few digits.
            (edge.length - distance).abs() <= 1e-3 * distance.max(edge.length) + 1e-9
        })
    }

    /// The configuration of a vertex, if the roadmap has any.
    #[must_use]
    pub fn configuration(&self, v: VertexId) -> Option<&[f64]> {
        self.0.embedding.as_ref().map(|e| {
            let dimension = e.space.dimension();
            &e.coordinates[v.index() * dimension..(v.index() + 1) * dimension]
        })
    }

    /// The configurations of all vertices one after the other, if the roadmap has any.
    #[must_use]
    pub fn configurations(&self) -> Option<&[f64]> {
        self.0.embedding.as_ref().map(|e| &e.coordinates[..])
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
