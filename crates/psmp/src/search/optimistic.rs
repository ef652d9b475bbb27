//! Exact distances to the goal, or to the nearest of several, over all edges not known to be blocked.
//!
//! They are computed once and then repaired. Edges only ever become blocked, so distances only
//! grow, and only for vertices whose shortest way used the blocked edge: the part of the
//! shortest-path tree behind it. Those are cut off, joined again to the rest by their best
//! remaining edge, and settled in order of distance. The result is the same, to the last bit, as
//! computing everything anew, because a distance is always the same sum: from the goal backwards.

use super::frontier::Frontier;
use crate::path::Path;
use crate::roadmap::{EdgeId, Roadmap, Slot, VertexId};
use crate::stop::Limit;

/// The next step from a vertex on its shortest way to the goal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    edge: EdgeId,
    to: Slot,
}

const NOWHERE: Step = Step {
    edge: EdgeId(u32::MAX),
    to: Slot(u32::MAX),
};

/// For every vertex, the distance to the goal if every edge not known blocked were free.
#[derive(Debug, Clone)]
pub struct OptimisticDistances {
    roadmap: Roadmap,
    goals: Vec<Slot>,
    distance: Vec<f64>,
    step: Vec<Step>,
    blocked: Vec<bool>,
    frontier: Frontier,
    /// The vertices cut off by the edge that is being blocked.
    severed: Vec<Slot>,
}

impl OptimisticDistances {
    /// Distances to `goal` with no edge blocked.
    #[must_use]
    pub fn new(roadmap: &Roadmap, goal: VertexId) -> Self {
        Self::to_any_of(roadmap, &[goal])
    }

    /// Distances to the nearest of `goals` with no edge blocked.
    #[must_use]
    pub fn to_any_of(roadmap: &Roadmap, goals: &[VertexId]) -> Self {
        let mut distances = Self::begun(roadmap, goals);
        distances.settle(&Limit::NONE);
        distances
    }

    /// The same before anything is computed: all but the goals seems out of reach until it is
    /// [settled](Self::settle).
    pub(crate) fn begun(roadmap: &Roadmap, goals: &[VertexId]) -> Self {
        let goals = goals.iter().map(|&goal| roadmap.adjacency().slot(goal));
        Self::begun_at(roadmap, goals.collect())
    }

    fn begun_at(roadmap: &Roadmap, goals: Vec<Slot>) -> Self {
        let vertices = roadmap.vertex_count();
        let mut distances = Self {
            roadmap: roadmap.clone(),
            goals,
            distance: vec![f64::INFINITY; vertices],
            step: vec![NOWHERE; vertices],
            blocked: vec![false; roadmap.edge_count()],
            frontier: Frontier::new(vertices),
            severed: Vec::with_capacity(vertices),
        };
        for goal in &distances.goals {
            distances.distance[goal.index()] = 0.0;
            distances.frontier.push(*goal, 0.0, 0.0);
        }
        distances
    }

    /// A copy that has room for all that is to come, as a clone has not.
    pub(crate) fn copy(&self) -> Self {
        let mut copy = Self::begun_at(&self.roadmap, self.goals.clone());
        copy.frontier.clear();
        copy.distance.copy_from_slice(&self.distance);
        copy.step.copy_from_slice(&self.step);
        copy.blocked.copy_from_slice(&self.blocked);
        copy
    }

    /// The distance from a vertex to the goal: infinite if every way is known to be blocked.
    #[must_use]
    pub fn to_goal(&self, vertex: VertexId) -> f64 {
        self.slot_to_goal(self.roadmap.adjacency().slot(vertex))
    }

    #[inline]
    pub(crate) fn slot_to_goal(&self, slot: Slot) -> f64 {
        self.distance[slot.index()]
    }

    /// Takes an edge out of the graph and repairs the distances it carried.
    pub fn block(&mut self, edge: EdgeId) {
        let roadmap = self.roadmap.clone();
        if std::mem::replace(&mut self.blocked[edge.index()], true) {
            return;
        }
        let ends = roadmap.edge(edge);
        let Some(root) = [ends.from, ends.to]
            .into_iter()
            .map(|vertex| roadmap.adjacency().slot(vertex))
            .find(|v| self.step[v.index()].edge == edge)
        else {
            return;
        };
        self.sever(root);
        for i in 0..self.severed.len() {
            let slot = self.severed[i];
            let (mut best, mut step) = (f64::INFINITY, NOWHERE);
            for half in roadmap.adjacency().outgoing(slot) {
                let distance = half.length + self.distance[half.target.index()];
                if distance < best && !self.blocked[half.edge.index()] {
                    best = distance;
                    step = Step {
                        edge: half.edge,
                        to: half.target,
                    };
                }
            }
            // Kept aside until all are done: a severed neighbour must not be built upon yet.
            if best.is_finite() {
                self.step[slot.index()] = step;
                self.frontier.push(slot, best, 0.0);
            }
        }
        for &slot in &self.severed {
            let Step { edge, to: next } = self.step[slot.index()];
            if edge != NOWHERE.edge {
                self.distance[slot.index()] =
                    roadmap.edge(edge).length + self.distance[next.index()];
            }
        }
        self.settle(&Limit::NONE);
    }

    /// Collects `root` and all vertices whose shortest way leads through it, and forgets their
    /// distances.
    fn sever(&mut self, root: Slot) {
        let roadmap = self.roadmap.clone();
        self.severed.clear();
        self.severed.push(root);
        self.distance[root.index()] = f64::INFINITY;
        self.step[root.index()] = NOWHERE;
        let mut next = 0;
        while let Some(&slot) = self.severed.get(next) {
            next += 1;
            for half in roadmap.adjacency().incoming(slot) {
                let through = Step {
                    edge: half.edge,
                    to: slot,
                };
                let behind = half.target.index();
                if self.step[behind] == through {
                    self.step[behind] = NOWHERE;
                    self.distance[behind] = f64::INFINITY;
                    self.severed.push(half.target);
                }
            }
        }
    }

    /// Dijkstra's algorithm from whatever is in the frontier. False if the limit broke it off; called
    /// again it goes on.
    pub(crate) fn settle(&mut self, limit: &Limit) -> bool {
        let roadmap = self.roadmap.clone();
        let mut settled = 0;
        loop {
            if limit.interrupts_at(settled) {
                return false;
            }
            settled += 1;
            let Some(slot) = self.frontier.pop() else {
                return true;
            };
            let here = self.distance[slot.index()];
            for half in roadmap.adjacency().incoming(slot) {
                let behind = half.target.index();
                let distance = half.length + here;
                if distance < self.distance[behind] && !self.blocked[half.edge.index()] {
                    self.distance[behind] = distance;
                    self.step[behind] = Step {
                        edge: half.edge,
                        to: slot,
                    };
                    self.frontier.push(half.target, distance, 0.0);
                }
            }
        }
    }

    /// Writes the shortest path over edges not known to be blocked into `path`; its length is
    /// exactly [`to_goal`](Self::to_goal)`(start)`. False if there is none.
    pub(crate) fn path(&self, start: VertexId, path: &mut Path) -> bool {
        let roadmap = &self.roadmap;
        let mut slot = roadmap.adjacency().slot(start);
        if !self.slot_to_goal(slot).is_finite() {
            return false;
        }
        path.begin_from_start(start);
        // From a goal no step leads on: nothing is nearer than nothing.
        while self.step[slot.index()] != NOWHERE {
            let Step { edge, to } = self.step[slot.index()];
            path.append(roadmap.adjacency().vertex(to), edge);
            slot = to;
        }
        path.measure(roadmap);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Draw;
    use crate::roadmap::{Direction, Edge};
    use crate::space::Space;

    fn from_scratch(roadmap: &Roadmap, goals: &[VertexId], blocked: &[bool]) -> Vec<f64> {
        let mut fresh = OptimisticDistances::begun(roadmap, goals);
        fresh.blocked.copy_from_slice(blocked);
        fresh.settle(&Limit::NONE);
        fresh.distance
    }

    #[test]
    fn repair_equals_recomputation_to_the_last_bit() {
        let undirected = Roadmap::random_geometric(Space::unit(2), 120, 0.2, 5).unwrap();
        // The same edges one way only, so that many vertices cannot reach the goal.
        let directed = Roadmap::from_edges(
            120,
            Direction::Directed,
            undirected
                .edges()
                .iter()
                .map(|e| {
                    if e.from.0 % 2 == 0 {
                        *e
                    } else {
                        Edge {
                            from: e.to,
                            to: e.from,
                            ..*e
                        }
                    }
                })
                .collect(),
        )
        .unwrap();
        for (trial, roadmap) in [undirected, directed].iter().cycle().take(40).enumerate() {
            let random = Draw::new(trial as u64, 0);
            let goals: Vec<VertexId> = (0..1 + trial as u64 % 3)
                .map(|i| VertexId(random.below(120, 1_000_000 + i) as u32))
                .collect();
            let mut distances = OptimisticDistances::to_any_of(roadmap, &goals);
            for step in 0..roadmap.edge_count() as u64 {
                let edge = random.below(roadmap.edge_count() as u64, step + 1) as u32;
                distances.block(EdgeId(edge));
                let fresh = from_scratch(roadmap, &goals, &distances.blocked);
                assert_eq!(distances.distance, fresh);
            }
        }
    }
}
