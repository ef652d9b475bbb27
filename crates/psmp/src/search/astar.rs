//! A* over a roadmap, with reusable memory.
//!
//! One [`Search`] serves all searches of a run: labels are stamped with the number of the search
//! that wrote them, so that nothing is cleared and only vertices that are touched cost anything.
//! What an edge costs and what cannot lead to the goal comes from [`Weights`], compiled into the loop.

use super::frontier::Frontier;
use crate::path::Path;
use crate::roadmap::{EdgeId, Query, Roadmap, Slot, VertexId};
use crate::stop::Limit;

/// What edges cost in a search, and what can be left out of it.
pub(crate) trait Weights {
    /// The cost of travelling an edge of this length, if it can be travelled: not negative;
    /// infinite to rule it out.
    fn cost(&mut self, edge: EdgeId, length: f64) -> f64;

    /// No more than the cost of an edge of this length, known without asking about the edge.
    #[inline]
    fn cost_at_least(&self, _length: f64) -> f64 {
        0.0
    }

    /// Whether the edge is there at all. Asked only when the edge would improve a label, so the
    /// place for what is dearer to find out than a cost.
    fn is_open(&mut self, edge: EdgeId) -> bool;

    /// No more than the cost from a vertex to the goal; infinite says that the goal cannot be
    /// reached from there.
    fn to_goal(&self, _: Slot) -> f64 {
        0.0
    }

    /// Whether a way of this length to a vertex is too long already, whatever it costs.
    fn is_too_long(&self, _length: f64, _: Slot) -> bool {
        false
    }
}

#[derive(Debug, Clone, Copy)]
struct Label {
    cost: f64,
    /// How long the way is, whatever it costs.
    length: f64,
    search: u32,
    /// The vertex this one was reached from.
    from: Slot,
    /// The edge it was reached by.
    by: EdgeId,
}

const UNTOUCHED: Label = Label {
    cost: f64::INFINITY,
    length: 0.0,
    search: 0,
    from: Slot(0),
    by: EdgeId(0),
};

/// So many edges of a vertex are asked at once whether they may lead to anything.
const AT_ONCE: usize = 32;

/// The memory of shortest-path searches on one roadmap.
#[derive(Debug, Clone)]
pub(crate) struct Search {
    labels: Vec<Label>,
    frontier: Frontier,
    search: u32,
    /// How many edges all searches together have looked at.
    looked_at: u64,
    /// A search that has looked at so many edges is given up.
    most: u64,
    /// Whether a limit broke a search off since this was last forgotten.
    interrupted: bool,
    /// Vertices that will do as well as the goal of a query.
    other_goals: Vec<Slot>,
}

impl Search {
    /// Memory for searches on `roadmap`.
    pub(crate) fn new(roadmap: &Roadmap) -> Self {
        Self {
            labels: vec![UNTOUCHED; roadmap.vertex_count()],
            frontier: Frontier::new(roadmap.vertex_count()),
            search: 0,
            looked_at: 0,
            most: u64::MAX,
            interrupted: false,
            other_goals: Vec::new(),
        }
    }

    /// Follows the roadmap where it has grown.
    pub(crate) fn grow(&mut self, roadmap: &Roadmap) {
        let vertices = roadmap.vertex_count();
        self.labels.resize(vertices, UNTOUCHED);
        self.frontier.grow(vertices);
    }

    /// The same, for searches that may end at any of these vertices as well as at the goal.
    pub(crate) fn or_to_any_of(mut self, roadmap: &Roadmap, others: &[VertexId]) -> Self {
        let slots = others.iter().map(|&v| roadmap.slot(v));
        self.other_goals = slots.collect();
        self
    }

    /// Whether a limit broke a search off, so that what was or was not found since so many edges had been
    /// looked at means nothing. That is forgotten when it is asked, and so are the edges: all of it is done again.
    pub(crate) fn was_interrupted_since(&mut self, looked_at: u64) -> bool {
        if self.interrupted {
            self.looked_at = looked_at;
        }
        std::mem::take(&mut self.interrupted)
    }

    /// Whether the limit is met now, or was in a search before.
    pub(crate) fn is_interrupted(&mut self, limit: &Limit) -> bool {
        self.interrupted |= limit.interrupts();
        self.interrupted
    }

    /// How many edges all searches together have looked at, counting each as often as it was: the
    /// work done, the same on every machine.
    pub(crate) fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// Searches are given up, and find nothing, when they have looked at about so many edges.
    pub(crate) fn give_up_after(&mut self, most: u64) {
        self.most = most;
    }

    /// Counts edges that were looked at without a search.
    pub(crate) fn count(&mut self, edges: usize) {
        self.looked_at += edges as u64;
    }

    /// Finds a path of least cost from start to goal, if there is one of at most `most`, and
    /// writes it into `path`. Where some ways are too long, the path is the best of those found by
    /// going on from the cheapest way to each vertex that is not.
    ///
    /// A search that `limit` breaks off finds nothing, and neither do those after it until that is
    /// [asked about](Self::was_interrupted_since).
    pub(crate) fn shortest_path(
        &mut self,
        roadmap: &Roadmap,
        query: Query,
        most: f64,
        limit: &Limit,
        weights: &mut impl Weights,
        path: &mut Path,
    ) -> bool {
        self.begin();
        let start = roadmap.slot(query.start);
        let goal = roadmap.slot(query.goal);
        let from_start = weights.to_goal(start);
        if self.interrupted || !(from_start <= most && from_start.is_finite()) {
            return false;
        }
        self.labels[start.index()] = Label {
            cost: 0.0,
            length: 0.0,
            search: self.search,
            from: start,
            by: EdgeId(0),
        };
        self.frontier.push(start, from_start, 0.0);
        let give_up_at = self.looked_at.saturating_add(self.most);
        let mut settled = 0;
        while let Some(slot) = self.frontier.pop() {
            if slot == goal || self.other_goals.contains(&slot) {
                self.trace(roadmap, start, slot, path);
                return true;
            }
            if self.looked_at >= give_up_at {
                return false;
            }
            settled += 1;
            if limit.interrupts_at(settled) {
                self.interrupted = true;
                return false;
            }
            let Label {
                cost: so_far,
                length: long,
                ..
            } = self.labels[slot.index()];
            for run in roadmap.halves_out_of(slot) {
                self.looked_at += run.len() as u64;
                for some in run.chunks(AT_ONCE) {
                    // Most edges lead back to where a cheaper way was found already, and tell so by their length. Which do
                    // cannot be guessed, so those that do not are picked out first, without a branch.
                    let (mut open, mut count) = ([0u8; AT_ONCE], 0);
                    for (place, half) in some.iter().enumerate() {
                        let label = &self.labels[half.target.index()];
                        let at_least = so_far + weights.cost_at_least(half.length);
                        let is_known = (label.search == self.search) & (label.cost <= at_least);
                        let is_too_long = weights.is_too_long(long + half.length, half.target);
                        open[count] = place as u8;
                        count += usize::from(!(is_known | is_too_long));
                    }
                    for &place in &open[..count] {
                        let half = &some[usize::from(place)];
                        // Another edge to the same vertex may have been among them.
                        let known = self.cost_to(half.target);
                        let cost = so_far + weights.cost(half.edge, half.length);
                        if known <= cost {
                            continue;
                        }
                        let total = cost + weights.to_goal(half.target);
                        // Written so that what is infinite or not a number falls out as well.
                        if !(total <= most && total.is_finite() && weights.is_open(half.edge)) {
                            continue;
                        }
                        self.labels[half.target.index()] = Label {
                            cost,
                            length: long + half.length,
                            search: self.search,
                            from: slot,
                            by: half.edge,
                        };
                        self.frontier.push(half.target, total, cost);
                    }
                }
            }
        }
        false
    }

    /// What the cheapest way to a slot costs that this search has found.
    #[inline]
    fn cost_to(&self, slot: Slot) -> f64 {
        let label = &self.labels[slot.index()];
        match label.search == self.search {
            true => label.cost,
            false => f64::INFINITY,
        }
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

    fn trace(&self, roadmap: &Roadmap, start: Slot, goal: Slot, path: &mut Path) {
        path.begin_from_goal(roadmap.vertex(goal));
        let mut slot = goal;
        while slot != start {
            let Label { from, by, .. } = self.labels[slot.index()];
            path.prepend(roadmap, roadmap.vertex(from), by);
            slot = from;
        }
        path.finish();
    }
}
