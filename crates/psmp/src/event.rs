//! Events: what a planner has just done, and where it stands.

use crate::price::Prices;
use crate::roadmap::EdgeId;
use std::fmt;

/// Where a run stands; by default, at its beginning.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Progress {
    /// Configurations checked so far.
    pub configurations: u64,
    /// Edges checked so far; without a roadmap, motions.
    pub edges: u64,
    /// Paths asked of the proposer so far, draws without improvement included; without a roadmap, random
    /// configurations drawn.
    pub proposals: u64,
    /// The length of the best path found, if there is one.
    pub best_length: Option<f64>,
    /// No path on the roadmap can be shorter than this; infinite if the roadmap has none. Without a
    /// roadmap, the straight line from start to goal.
    pub lower_bound: f64,
    /// Which of the two it is.
    pub yardstick: Yardstick,
}

/// What a path's length is held against. It reads as words, such as "the straight line".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Yardstick {
    /// The shortest path on the roadmap that is planned on. Beside the roadmap there may be shorter
    /// ones, and nothing is known of them.
    #[default]
    ShortestOnRoadmap,
    /// The straight line from start to goal, whether or not it is free.
    StraightLine,
}

impl fmt::Display for Yardstick {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Yardstick::ShortestOnRoadmap => "the shortest on this roadmap",
            Yardstick::StraightLine => "the straight line",
        })
    }
}

impl Default for Progress {
    fn default() -> Self {
        Self::BEGINNING
    }
}

impl Progress {
    /// Nothing has been done yet.
    pub const BEGINNING: Progress = Progress {
        configurations: 0,
        edges: 0,
        proposals: 0,
        best_length: None,
        lower_bound: 0.0,
        yardstick: Yardstick::ShortestOnRoadmap,
    };

    /// Where a run stands that had spent `self` before a planner began, and whose planner stands at
    /// `now`.
    #[must_use]
    pub fn and(self, now: Progress) -> Progress {
        Progress {
            configurations: self.configurations + now.configurations,
            edges: self.edges + now.edges,
            proposals: self.proposals + now.proposals,
            ..now
        }
    }

    /// How much longer the best path may be than the yardstick, as a share of the lower bound: with a
    /// roadmap, 0 means that it is certainly the shortest on that roadmap; without one, that it is the
    /// straight line. `None` before the first path.
    #[must_use]
    pub fn gap(&self) -> Option<f64> {
        self.best_length.map(|best| {
            if best <= self.lower_bound {
                0.0
            } else {
                (best - self.lower_bound) / self.lower_bound
            }
        })
    }
}

/// Who has proposed a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// The proposer.
    Proposer,
    /// The fallback: the optimistic shortest path after the proposer ran dry.
    Fallback,
    /// The insurance: LazySP's path, checked where the belief's spending is not covered. The path
    /// interrupted for it is said to be proposed again when its checks go on.
    Insurance,
}

/// A way to make a path shorter that is no path on a roadmap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Move {
    /// A straight motion between two places on the best path.
    Shortcut,
    /// A way between two places on the best path through a new configuration beside it.
    Rewiring,
}

impl Move {
    /// In one word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Move::Shortcut => "shortcut",
            Move::Rewiring => "rewiring",
        }
    }
}

/// What has happened.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub enum EventKind {
    /// A path was proposed and will now be checked.
    Proposed {
        /// Its length.
        length: f64,
        /// Who proposed it.
        source: Source,
    },
    /// The proposer was asked and had nothing shorter than the best path.
    NoImprovement,
    /// A part of an edge of the proposed path was checked, and shows no collision.
    PartlyChecked {
        /// The edge.
        edge: EdgeId,
        /// How many configurations that took.
        configurations: u64,
    },
    /// An edge of the proposed path was checked, to its end or to a collision.
    Checked {
        /// The edge.
        edge: EdgeId,
        /// Whether it is free. A blocked edge refutes the path.
        free: bool,
        /// How many configurations that took, besides those of partial checks before.
        configurations: u64,
    },
    /// All edges of the proposed path have been found free, and this one was now proved free all along,
    /// or found blocked between the configurations that were asked about before, which refutes the path.
    Proved {
        /// The edge.
        edge: EdgeId,
        /// Whether it is free.
        free: bool,
        /// How many stretches of it were asked about; each counts as a configuration.
        configurations: u64,
    },
    /// Configurations that are no edge of a roadmap were checked, by a planner that makes its own way:
    /// a motion between two of them, or a single one.
    Probed {
        /// Whether all of them are free.
        free: bool,
        /// How many that took.
        configurations: u64,
    },
    /// The roadmap has grown by so many vertices and edges. Those that were there stay as they are, and
    /// so does all that is known of them.
    Grown {
        /// How many vertices are new.
        vertices: u64,
        /// How many edges are new.
        edges: u64,
    },
    /// A way that is no path on the roadmap was tried to make the best path shorter.
    Tried {
        /// What it was.
        what: Move,
        /// Whether it is free.
        free: bool,
        /// How many configurations that took.
        configurations: u64,
    },
    /// From now on a configuration and a thought are taken to cost this. A session that is
    /// [given](crate::SessionOptions::pricing) all prices which another one has said goes the same way.
    Priced(Prices),
    /// The proposed path is free and shorter than all before.
    Improved {
        /// Its length.
        length: f64,
    },
    /// The best path is the shortest on the roadmap, which says nothing of shorter ways beside it.
    /// The run is over.
    ShortestOnRoadmap,
    /// The roadmap has no path, which says nothing of ways beside it. The run is over.
    NoPathOnRoadmap,
    /// The best path is the straight line from start to goal, and nothing is shorter. A planner that
    /// makes its own way is over only then.
    StraightLine,
    /// The proposer has ended by design, or has nothing left while the fallback is off. The run is
    /// over without a certificate.
    GaveUp,
    /// For long nothing has made the best path shorter, though there is always more to try. The run is
    /// over without a certificate.
    Settled,
}

impl EventKind {
    /// Whether this event ends a run.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(
            self,
            EventKind::ShortestOnRoadmap
                | EventKind::NoPathOnRoadmap
                | EventKind::StraightLine
                | EventKind::GaveUp
                | EventKind::Settled
        )
    }
}

/// One step of a run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Event {
    /// What has happened.
    pub kind: EventKind,
    /// Where the run stands after it.
    pub progress: Progress,
}
