//! A* over a roadmap, with reusable memory.
//!
//! One [`Search`] serves all searches of a run: labels are stamped with the number of the search
//! that wrote them, so that nothing is cleared and only vertices that are touched cost anything.
//! What an edge costs comes from an [`EdgeCost`], compiled into the loop.

use super::frontier::Frontier;
use crate::path::Path;
use crate::roadmap::{Arc, EdgeId, Query, Roadmap, VertexId};

/// What edges cost in a search.
pub trait EdgeCost {
    /// The cost of travelling an arc, if it can be travelled: not negative; infinite to rule it
    /// out.
    fn cost(&mut self, arc: &Arc) -> f64;

    /// Whether the edge is there at all. Asked only when the edge would improve a label, so the
    /// place for what is dearer to find out than a cost.
    fn is_open(&mut self, edge: EdgeId) -> bool;
}

#[derive(Debug, Clone, Copy)]
struct Label {
    cost: f64,
    search: u32,
    /// The vertex this one was reached from.
    from: VertexId,
    /// The edge it was reached by.
    by: EdgeId,
}

/// The memory of shortest-path searches on one roadmap.
#[derive(Debug, Clone)]
pub struct Search {
    labels: Vec<Label>,
    frontier: Frontier,
    search: u32,
}

impl Search {
    /// Memory for searches on `roadmap`.
    #[must_use]
    pub fn new(roadmap: &Roadmap) -> Self {
        let label = Label {
            cost: f64::INFINITY,
            search: 0,
            from: VertexId(0),
            by: EdgeId(0),
        };
        Self {
            labels: vec![label; roadmap.vertex_count()],
            frontier: Frontier::new(roadmap.vertex_count()),
            search: 0,
        }
    }

    /// Finds a path of least cost from start to goal, if there is one of at most `limit`, and
    /// writes it into `path`.
    ///
    /// `heuristic` must never exceed the cost from a vertex to the goal; infinite says that the
    /// goal cannot be reached from there.
    pub fn shortest_path(
        &mut self,
        roadmap: &Roadmap,
        query: Query,
        heuristic: impl Fn(VertexId) -> f64,
        limit: f64,
        edges: &mut impl EdgeCost,
        path: &mut Path,
    ) -> bool {
        self.begin();
        let from_start = heuristic(query.start);
        if !(from_start <= limit && from_start.is_finite()) {
            return false;
        }
        self.labels[query.start.index()] = Label {
            cost: 0.0,
            search: self.search,
            from: query.start,
            by: EdgeId(0),
        };
        self.frontier.push(query.start, from_start, 0.0);
        while let Some(vertex) = self.frontier.pop() {
            if vertex == query.goal {
                self.trace(roadmap, query, path);
                return true;
            }
            let so_far = self.labels[vertex.index()].cost;
            for arc in roadmap.outgoing(vertex) {
                let cost = so_far + edges.cost(arc);
                let label = &mut self.labels[arc.target.index()];
                if label.search == self.search && label.cost <= cost {
                    continue;
                }
                let total = cost + heuristic(arc.target);
                // Written so that what is infinite or not a number falls out as well.
                if !(total <= limit && total.is_finite() && edges.is_open(arc.edge)) {
                    continue;
                }
                *label = Label {
                    cost,
                    search: self.search,
                    from: vertex,
                    by: arc.edge,
                };
                self.frontier.push(arc.target, total, cost);
            }
        }
        false
    }

    fn begin(&mut self) {
        self.frontier.clear();
        // After 2^32 searches the stamps come round again: forget all of them once.
        self.search = self.search.checked_add(1).unwrap_or_else(|| {
            for label in &mut self.labels {
                label.search = 0;
            }
            1
        });
    }

    fn trace(&self, roadmap: &Roadmap, query: Query, path: &mut Path) {
        path.begin_from_goal(query.goal);
        let mut vertex = query.goal;
        while vertex != query.start {
            let Label { from, by, .. } = self.labels[vertex.index()];
            path.prepend(roadmap, from, by);
            vertex = from;
        }
        path.finish();
    }
}
