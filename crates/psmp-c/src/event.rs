//! Events and progress, as C sees them.

use psmp::Yardstick;

/// What has happened.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventKind {
    /// Nothing: the run was stopped, or is over.
    None = 0,
    /// A path was proposed, of this length, and will now be checked.
    Proposed = 1,
    /// There was nothing to propose that is shorter than the best path.
    NoImprovement = 2,
    /// A part of an edge was checked, and shows no collision.
    PartlyChecked = 3,
    /// An edge was checked.
    Checked = 4,
    /// An edge that was found free was proved free all along, or refuted.
    Proved = 5,
    /// Configurations that are no edge of the roadmap were checked.
    Probed = 6,
    /// The roadmap has grown.
    Grown = 7,
    /// A way that is no path on the roadmap was tried to make the best path shorter.
    Tried = 8,
    /// What a check and a thought cost was said anew.
    Priced = 9,
    /// There is a better path, of this length.
    Improved = 10,
    /// The best path is the shortest on the roadmap. The run is over.
    ShortestOnRoadmap = 11,
    /// The roadmap has no path. The run is over.
    NoPathOnRoadmap = 12,
    /// The best path is the straight line, and nothing is shorter. The run is over.
    StraightLine = 13,
    /// For very long no path was found, or the planner has nothing left. The run is over.
    GaveUp = 14,
    /// For long nothing has made the best path shorter. The run is over.
    Settled = 15,
    /// Something else, which this interface has no name for.
    Other = 16,
}

/// Where a run stands.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Progress {
    /// Configurations checked so far.
    pub configurations: u64,
    /// Edges and other motions checked so far.
    pub edges: u64,
    /// Paths proposed so far.
    pub proposals: u64,
    /// The length of the best path; infinite while there is none.
    pub best_length: f64,
    /// No path on the roadmap is shorter than this, nor any path at all if it is the straight line.
    pub lower_bound: f64,
    /// Whether the lower bound is one of the roadmap; else it is the straight line.
    pub is_of_roadmap: bool,
}

/// One step of a run.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Event {
    /// What has happened.
    pub kind: EventKind,
    /// The edge that it happened to; UINT32_MAX if there is none.
    pub edge: u32,
    /// Whether what was checked, proved or tried is free.
    pub free: bool,
    /// The length of the path that it is about; 0 if there is none.
    pub length: f64,
    /// How many configurations that took.
    pub configurations: u64,
    /// Where the run stands after it.
    pub progress: Progress,
}

impl From<psmp::Progress> for Progress {
    fn from(progress: psmp::Progress) -> Self {
        Self {
            configurations: progress.configurations,
            edges: progress.edges,
            proposals: progress.proposals,
            best_length: progress.best_length.unwrap_or(f64::INFINITY),
            lower_bound: progress.lower_bound,
            is_of_roadmap: progress.yardstick == Yardstick::ShortestOnRoadmap,
        }
    }
}

impl EventKind {
    pub fn of(kind: psmp::EventKind) -> Self {
        match kind {
            psmp::EventKind::Proposed { .. } => Self::Proposed,
            psmp::EventKind::NoImprovement => Self::NoImprovement,
            psmp::EventKind::PartlyChecked { .. } => Self::PartlyChecked,
            psmp::EventKind::Checked { .. } => Self::Checked,
            psmp::EventKind::Proved { .. } => Self::Proved,
            psmp::EventKind::Probed { .. } => Self::Probed,
            psmp::EventKind::Grown { .. } => Self::Grown,
            psmp::EventKind::Tried { .. } => Self::Tried,
            psmp::EventKind::Priced(_) => Self::Priced,
            psmp::EventKind::Improved { .. } => Self::Improved,
            psmp::EventKind::ShortestOnRoadmap => Self::ShortestOnRoadmap,
            psmp::EventKind::NoPathOnRoadmap => Self::NoPathOnRoadmap,
            psmp::EventKind::StraightLine => Self::StraightLine,
            psmp::EventKind::GaveUp => Self::GaveUp,
            psmp::EventKind::Settled => Self::Settled,
            _ => Self::Other,
        }
    }
}

impl Event {
    /// What is told where nothing has happened.
    pub fn nothing(progress: psmp::Progress) -> Self {
        Self {
            kind: EventKind::None,
            edge: u32::MAX,
            free: false,
            length: 0.0,
            configurations: 0,
            progress: progress.into(),
        }
    }
}

impl From<psmp::Event> for Event {
    fn from(event: psmp::Event) -> Self {
        let mut told = Self::nothing(event.progress);
        told.kind = EventKind::of(event.kind);
        match event.kind {
            psmp::EventKind::Proposed { length, .. } | psmp::EventKind::Improved { length } => {
                told.length = length;
            }
            psmp::EventKind::PartlyChecked {
                edge,
                configurations,
            } => {
                told.edge = edge.0;
                told.configurations = configurations;
            }
            psmp::EventKind::Checked {
                edge,
                free,
                configurations,
            }
            | psmp::EventKind::Proved {
                edge,
                free,
                configurations,
            } => {
                told.edge = edge.0;
                told.free = free;
                told.configurations = configurations;
            }
            psmp::EventKind::Probed {
                free,
                configurations,
            }
            | psmp::EventKind::Tried {
                free,
                configurations,
                ..
            } => {
                told.free = free;
                told.configurations = configurations;
            }
            _ => {}
        }
        told
    }
}
