//! Exact distances to the goal, or to the nearest of several, over all edges not known to be blocked.
//!
//! They are computed once and then repaired. Edges only ever become blocked, so distances only
//! grow, and only for vertices whose shortest way used the blocked edge: the part of the
//! shortest-path tree behind it. Those are cut off, joined again to the rest by their best
//! remaining edge, and settled in order of distance. The result is the same, to the last bit, as
//! computing everything anew, because a distance is always the same sum: from the goal backwards.
//!
//! Where the roadmap grows they can only fall, and only behind the new edges: these are looked at, and
//! what they make shorter is settled from there.

use super::frontier::Frontier;
use crate::path::Path;
use crate::roadmap::{Direction, Edge, EdgeId, Roadmap, Slot, VertexId};
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
    /// How many edges have been looked at to compute and repair them.
    looked_at: u64,
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
        let goals = goals.iter().map(|&goal| roadmap.slot(goal));
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
            looked_at: 0,
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
        copy.looked_at = self.looked_at;
        copy
    }

    /// How many edges have been looked at, counting each as often as it was: the work done, the same on every
    /// machine.
    pub(crate) fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// The distance from a vertex to the goal: infinite if every way is known to be blocked.
    #[must_use]
    pub fn to_goal(&self, vertex: VertexId) -> f64 {
        self.slot_to_goal(self.roadmap.slot(vertex))
    }

    #[inline]
    pub(crate) fn slot_to_goal(&self, slot: Slot) -> f64 {
        self.distance[slot.index()]
    }

    /// Follows the roadmap where it has grown: the new edges are there and not blocked.
    pub fn grow(&mut self) {
        let roadmap = self.roadmap.clone();
        let known = self.blocked.len();
        let vertices = roadmap.vertex_count();
        self.distance.resize(vertices, f64::INFINITY);
        self.step.resize(vertices, NOWHERE);
        self.blocked.resize(roadmap.edge_count(), false);
        self.frontier.grow(vertices);
        self.severed.clear();
        self.severed.reserve(vertices);
        for id in known..roadmap.edge_count() {
            let edge = EdgeId(id as u32);
            let Edge { from, to, length } = roadmap.edge(edge);
            let [from, to] = [from, to].map(|v| roadmap.slot(v));
            self.relax(from, Step { edge, to }, length);
            if roadmap.direction() == Direction::Undirected {
                self.relax(to, Step { edge, to: from }, length);
            }
        }
        self.settle(&Limit::NONE);
    }

    /// Takes a step from a slot if that is shorter than what is known.
    fn relax(&mut self, slot: Slot, step: Step, length: f64) {
        let distance = length + self.distance[step.to.index()];
        if distance < self.distance[slot.index()] {
            self.distance[slot.index()] = distance;
            self.step[slot.index()] = step;
            self.frontier.push(slot, distance, 0.0);
        }
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
            .map(|vertex| roadmap.slot(vertex))
            .find(|v| self.step[v.index()].edge == edge)
        else {
            return;
        };
        self.sever(root);
        for i in 0..self.severed.len() {
            let slot = self.severed[i];
            let (mut best, mut step) = (f64::INFINITY, NOWHERE);
            for run in roadmap.halves_out_of(slot) {
                self.looked_at += run.len() as u64;
                for half in run {
                    let distance = half.length + self.distance[half.target.index()];
                    if distance < best && !self.blocked[half.edge.index()] {
                        best = distance;
                        step = Step {
                            edge: half.edge,
                            to: half.target,
                        };
                    }
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
            for run in roadmap.halves_into(slot) {
                self.looked_at += run.len() as u64;
                for half in run {
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
            for run in roadmap.halves_into(slot) {
                self.looked_at += run.len() as u64;
                for half in run {
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
    }

    /// Writes the shortest path over edges not known to be blocked into `path`; its length is
    /// exactly [`to_goal`](Self::to_goal)`(start)`. False if there is none.
    pub(crate) fn path(&self, start: VertexId, path: &mut Path) -> bool {
        let roadmap = &self.roadmap;
        let mut slot = roadmap.slot(start);
        if !self.slot_to_goal(slot).is_finite() {
            return false;
        }
        path.begin_from_start(start);
        // From a goal no step leads on: nothing is nearer than nothing.
        while self.step[slot.index()] != NOWHERE {
            let Step { edge, to } = self.step[slot.index()];
            path.append(roadmap.vertex(to), edge);
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
    use crate::roadmap::{Growth, NewEdge};
    use crate::space::Space;

    fn from_scratch(roadmap: &Roadmap, goals: &[VertexId], blocked: &[bool]) -> Vec<f64> {
        let mut fresh = OptimisticDistances::begun(roadmap, goals);
        fresh.blocked.copy_from_slice(blocked);
        fresh.settle(&Limit::NONE);
        fresh.distance
    }

    /// A vertex or none, and a few edges between any, of which some are short and make much shorter.
    fn growth(roadmap: &Roadmap, random: Draw, step: u64) -> Growth {
        let has_vertex = roadmap.space().is_some() && step.is_multiple_of(2);
        let vertices = roadmap.vertex_count() as u64 + u64::from(has_vertex);
        let edge = |i: u64| {
            let number = |salt: u64| 2_000_000 + 100 * step + 3 * i + salt;
            let [from, to] = [0, 1].map(|salt| random.below(vertices, number(salt)) as u32);
            NewEdge {
                edge: Edge::new(from, to, random.unit(number(2)).powi(3)),
                free: None,
                proved: false,
            }
        };
        Growth {
            coordinates: vec![0.5; if has_vertex { 2 } else { 0 }],
            edges: (0..5).map(edge).collect(),
        }
    }

    /// Whether each vertex is as far from the goal as its step says.
    fn steps_make_distances(distances: &OptimisticDistances) -> bool {
        let each = distances.step.iter().zip(&distances.distance);
        each.enumerate().all(|(slot, (step, distance))| {
            if *step == NOWHERE {
                let is_goal = distances.goals.contains(&Slot(slot as u32));
                return *distance == if is_goal { 0.0 } else { f64::INFINITY };
            }
            let length = distances.roadmap.edge(step.edge).length;
            !distances.blocked[step.edge.index()]
                && *distance == length + distances.distance[step.to.index()]
        })
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
                .map(|e| {
                    if e.from.0 % 2 == 0 {
                        e
                    } else {
                        Edge {
                            from: e.to,
                            to: e.from,
                            ..e
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
            let roadmap = &roadmap.branch();
            let mut distances = OptimisticDistances::to_any_of(roadmap, &goals);
            for step in 0..roadmap.edge_count() as u64 {
                let edge = random.below(roadmap.edge_count() as u64, step + 1) as u32;
                distances.block(EdgeId(edge));
                if trial % 4 < 2 && step % 5 == 0 {
                    roadmap.grow(&growth(roadmap, random, step)).unwrap();
                    distances.grow();
                }
                let fresh = from_scratch(roadmap, &goals, &distances.blocked);
                assert_eq!(distances.distance, fresh);
                assert!(steps_make_distances(&distances));
            }
        }
    }
}
