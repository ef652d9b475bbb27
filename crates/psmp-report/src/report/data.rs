//! Everything that a report shows, computed and ready to be drawn.
//!
//! Experiments end here and drawing begins here: the one side fills these structures from runs, the
//! other turns them into figures and a page, and neither knows how the other works.

use psmp::{Edge, EdgeId, Progress, Query, Roadmap, VertexId};
use psmp_arm::{Object, Placed, Pose};
use psmp_lab::Summary;
use psmp_worlds::OccupancyGrid;

/// A whole report.
pub struct Report {
    /// One part for each family of worlds or dataset.
    pub families: Vec<Family>,
    /// The paper's claims, each with what was measured.
    pub claims: Vec<Claim>,
    /// How the experiment was set up, as name and value, for the reader and for rerunning it.
    pub settings: Vec<(String, String)>,
}

/// What was found on one family of worlds.
pub struct Family {
    /// Its name, such as `one-wall`; unique in a report, fit for file names.
    pub name: String,
    /// A sentence on what its worlds look like.
    pub about: String,
    /// What costs are counted in: `configurations` or `edges`.
    pub unit: String,
    /// Images of a few worlds; empty if there are none.
    pub examples: Vec<OccupancyGrid>,
    /// Mean best length over the roadmap's shortest against cost, counting as 3 before the first path.
    pub anytime: Vec<Series>,
    /// Share of runs that have found a path against cost.
    pub solved: Vec<Series>,
    /// The mean cost of checking only the roadmap's shortest path, to be marked on the cost axis.
    pub limit: f64,
    /// One line for each planner and kind of experience.
    pub summaries: Vec<Summary>,
    /// Cumulative regret of PSMP over proposals.
    pub growth: Option<RegretGrowth>,
    /// Runs to be played back, several planners in each of a few worlds.
    pub films: Vec<Film>,
    /// An arm's motions in a few worlds, if the worlds are an arm's.
    pub stage: Option<Stage>,
    /// Whether costs are so different that their axis is one of powers.
    pub logarithmic: bool,
}

/// A curve with its interval.
pub struct Series {
    /// The planner, by its name in experiments, such as `psmp:fs`.
    pub planner: String,
    /// `seen`, `unseen`, or `none` where the planner uses no experience.
    pub experience: String,
    /// The points in the order of `x`.
    pub points: Vec<Point>,
}

/// A point of a curve with a 95% interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Where.
    pub x: f64,
    /// The mean.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

/// How cumulative regret grows with proposals, and the power law fitted to it.
pub struct RegretGrowth {
    /// Cumulative regret against proposals.
    pub points: Vec<Point>,
    /// The fitted exponent; the theorem's rate is one half, up to logarithms.
    pub exponent: f64,
    /// Its 95% interval.
    pub interval: (f64, f64),
}

/// A claim of the paper.
pub struct Claim {
    /// The claim in a sentence of our own.
    pub claim: String,
    /// What was measured, with numbers and intervals.
    pub measured: String,
    /// Whether it holds.
    pub verdict: Verdict,
}

/// What the numbers say of a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// They agree.
    Holds,
    /// They contradict it.
    DoesNotHold,
    /// The experiment does not touch it.
    NotTested,
}

/// One run, event by event.
pub struct Film {
    /// The planner.
    pub planner: String,
    /// `seen`, `unseen` or `none`.
    pub experience: String,
    /// The world, counted from 1.
    pub world: u32,
    /// The seed.
    pub seed: u64,
    /// The world's image, if it has one; the same for all films in a world.
    pub image: Option<OccupancyGrid>,
    /// The same with its obstacles grown by the robot's radius, if it is not a point.
    pub grown_image: Option<OccupancyGrid>,
    /// The roadmap, as it was before it grew; the same for all films of a family.
    pub roadmap: Roadmap,
    /// Whether it may grow.
    pub grows: bool,
    /// Start and goal.
    pub query: Query,
    /// The length of the shortest path on the roadmap, if known.
    pub shortest: Option<f64>,
    /// What happened, in order.
    pub frames: Vec<Frame>,
}

/// An arm that moves among things.
pub struct Stage {
    /// What each link is made of, in its own frame.
    pub links: Vec<Vec<Placed>>,
    /// The worlds, counted from 1, and what stands in each.
    pub worlds: Vec<(u32, Vec<Object>)>,
    /// Motions in these worlds.
    pub motions: Vec<Motion>,
    /// A picture of the first of them, an SVG document, for paper and for where nothing can be
    /// drawn in three dimensions.
    pub still: String,
}

/// A path that a planner found, as the arm follows it.
pub struct Motion {
    /// The planner.
    pub planner: String,
    /// `seen`, `unseen` or `none`.
    pub experience: String,
    /// The world.
    pub world: u32,
    /// What it had cost to find.
    pub cost: u64,
    /// Its length.
    pub length: f64,
    /// The length of the shortest path of the roadmap, if there is any.
    pub shortest: Option<f64>,
    /// The pose of every link, at even steps from the start to the goal.
    pub frames: Vec<Vec<Pose>>,
    /// Where along the way the path bends, as shares of it; start and goal included.
    pub bends: Vec<f64>,
    /// How many seconds the arm takes, if the steps are of time and not of way.
    pub seconds: Option<f64>,
}

/// One event of a run.
#[derive(Clone)]
pub struct Frame {
    /// What happened.
    pub kind: FrameKind,
    /// Cost so far.
    pub configurations: u64,
    /// Length of the best path so far.
    pub best_length: Option<f64>,
    /// The lower bound so far, of paths on the roadmap; infinite if it has none.
    pub lower_bound: f64,
    /// Edges whose probability of being free has changed since the last frame, in 256ths. The first
    /// frame has all edges.
    pub belief: Vec<(EdgeId, u8)>,
    /// What the roadmap has grown by since the last frame.
    pub grown: Grown,
    /// Edges that were checked since the last frame, beside the frame's own, and whether each is free.
    pub checked: Vec<(EdgeId, bool)>,
    /// How many events since the last frame have no frame.
    pub skipped: u64,
}

impl Frame {
    /// A frame in which nothing has changed but where the run stands.
    #[must_use]
    pub fn new(kind: FrameKind, progress: &Progress) -> Self {
        Self {
            kind,
            configurations: progress.configurations,
            best_length: progress.best_length,
            lower_bound: progress.lower_bound,
            belief: Vec::new(),
            grown: Grown::default(),
            checked: Vec::new(),
            skipped: 0,
        }
    }

    /// Whether a film without it would not be the same story.
    pub(super) fn matters(&self) -> bool {
        matches!(
            self.kind,
            FrameKind::Improved { .. } | FrameKind::Shortened { .. } | FrameKind::Ended(_)
        )
    }

    /// Takes in the frame before, which is no more.
    pub(super) fn take_in(&mut self, before: Self) {
        let mut checked = before.checked;
        if let FrameKind::Checked { edge, free } = before.kind {
            checked.push((edge, free));
        }
        checked.append(&mut self.checked);
        self.checked = checked;
        // What was believed last counts, and comes last.
        let mut belief = before.belief;
        belief.append(&mut self.belief);
        self.belief = belief;
        let mut grown = before.grown;
        grown.vertices.append(&mut self.grown.vertices);
        grown.edges.append(&mut self.grown.edges);
        grown.count = [0, 1].map(|i| grown.count[i] + self.grown.count[i]);
        self.grown = grown;
        self.skipped += 1 + before.skipped;
    }
}

/// Vertices and edges that are new behind those that were there.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Grown {
    /// Where the vertices are.
    pub vertices: Vec<[f64; 2]>,
    /// The edges.
    pub edges: Vec<Edge>,
    /// How many of each there are, with those that are not shown.
    pub count: [usize; 2],
}

/// What an event shows.
#[derive(Clone)]
pub enum FrameKind {
    /// A path was proposed.
    Proposed {
        /// Its edges.
        path: Vec<EdgeId>,
        /// The edges that are blocked in the sampled world, where the proposer samples one.
        sampled_blocked: Option<Vec<EdgeId>>,
    },
    /// The proposer had nothing shorter.
    NoImprovement,
    /// An edge was checked.
    Checked {
        /// The edge.
        edge: EdgeId,
        /// Whether it is free.
        free: bool,
    },
    /// A better path was found.
    Improved {
        /// Its vertices.
        path: Vec<VertexId>,
    },
    /// The roadmap has grown.
    Grown,
    /// A way beside the roadmap was tried to make the best path shorter.
    Tried {
        /// What it was, in a word.
        what: &'static str,
        /// The places that it leads through.
        places: Vec<[f64; 2]>,
        /// Whether it is free.
        free: bool,
    },
    /// A better path was found, which need not lie on the roadmap.
    Shortened {
        /// The places that it leads through.
        places: Vec<[f64; 2]>,
    },
    /// The run ended: `shortest-on-roadmap`, `no-path-on-roadmap`, `straight-line`, `gave-up`, `settled` or
    /// `stopped`.
    Ended(&'static str),
}
