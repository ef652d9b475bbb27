//! A path through a roadmap.
//!
//! The length of a path is always summed from the goal backwards. Floating-point sums depend on
//! their order; with one order for all, the length of a path and the lower bound from
//! [`OptimisticDistances`](crate::search::OptimisticDistances) compare exactly, and "nothing
//! shorter can exist" needs no tolerance.

use crate::roadmap::{EdgeId, Roadmap, VertexId};

/// A sequence of vertices joined by edges, and its length.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Path {
    vertices: Vec<VertexId>,
    edges: Vec<EdgeId>,
    length: f64,
}

impl Path {
    /// The path from a vertex along these edges; `None` where one of them does not go on from the one
    /// before.
    #[must_use]
    pub fn along(roadmap: &Roadmap, start: VertexId, edges: &[EdgeId]) -> Option<Self> {
        let mut path = Self::default();
        path.begin_from_start(start);
        let mut at = start;
        for &edge in edges {
            let arc = roadmap.outgoing(at).find(|arc| arc.edge == edge)?;
            path.append(arc.target, edge);
            at = arc.target;
        }
        path.measure(roadmap);
        Some(path)
    }

    /// An empty path with room for any simple path through `roadmap`.
    pub(crate) fn with_room_for(roadmap: &Roadmap) -> Self {
        Self::with_room_for_edges(roadmap.vertex_count())
    }

    /// Makes room for any simple path through a roadmap that has grown.
    pub(crate) fn grow(&mut self, roadmap: &Roadmap) {
        let most = roadmap.vertex_count();
        self.edges.reserve(most.saturating_sub(self.edges.len()));
        let vertices = self.vertices.len();
        self.vertices.reserve((most + 1).saturating_sub(vertices));
    }

    /// An empty path with room for this many edges.
    pub(crate) fn with_room_for_edges(edges: usize) -> Self {
        Self {
            vertices: Vec::with_capacity(edges + 1),
            edges: Vec::with_capacity(edges),
            length: 0.0,
        }
    }

    /// The vertices from start to goal.
    #[must_use]
    pub fn vertices(&self) -> &[VertexId] {
        &self.vertices
    }

    /// The edges from start to goal, one fewer than the vertices.
    #[must_use]
    pub fn edges(&self) -> &[EdgeId] {
        &self.edges
    }

    /// The sum of the edges' lengths.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.length
    }

    pub(crate) fn copy_from(&mut self, other: &Path) {
        self.vertices.clone_from(&other.vertices);
        self.edges.clone_from(&other.edges);
        self.length = other.length;
    }

    /// Begins a path that will be given from its goal backwards by [`prepend`](Self::prepend).
    pub(crate) fn begin_from_goal(&mut self, goal: VertexId) {
        self.begin_from_start(goal);
        self.length = 0.0;
    }

    /// Adds the vertex before all that are there. [`finish`](Self::finish) puts them in order.
    pub(crate) fn prepend(&mut self, roadmap: &Roadmap, vertex: VertexId, edge: EdgeId) {
        self.append(vertex, edge);
        self.length += roadmap.edge(edge).length;
    }

    /// Ends a path begun from its goal.
    pub(crate) fn finish(&mut self) {
        self.vertices.reverse();
        self.edges.reverse();
    }

    /// Begins a path that will be given forwards by [`append`](Self::append).
    pub(crate) fn begin_from_start(&mut self, start: VertexId) {
        self.vertices.clear();
        self.edges.clear();
        self.vertices.push(start);
    }

    /// Adds the vertex after all that are there. [`measure`](Self::measure) ends the path.
    pub(crate) fn append(&mut self, vertex: VertexId, edge: EdgeId) {
        self.vertices.push(vertex);
        self.edges.push(edge);
    }

    /// Sums the length of a path begun from its start.
    pub(crate) fn measure(&mut self, roadmap: &Roadmap) {
        self.length = self
            .edges
            .iter()
            .rev()
            .fold(0.0, |sum, &edge| roadmap.edge(edge).length + sum);
    }
}
