//! One run as a row of a table: what was run, all that is needed to run it again, and what came of
//! it.

use crate::score::{Improvement, regret};
use crate::trial::Trial;
use psmp::Yardstick;
use serde::{Deserialize, Serialize};

/// One run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "parquet", derive(parquet_derive::ParquetRecordWriter))]
pub struct Row {
    /// The dataset's or the family's name.
    pub dataset: String,
    /// The planner's name.
    pub planner: String,
    /// `seen`, `unseen`, or `none` where the planner does not learn from known worlds; or the belief
    /// file that it planned with.
    pub experience: String,
    /// The world's id, counted from 1 as in the dataset's files.
    pub world: u32,
    /// The seed.
    pub seed: u64,
    /// What costs are counted in: `configurations`, or `edges` where there are no images.
    pub unit: String,
    /// The length of the shortest path on the roadmap; missing if there is none.
    #[serde(alias = "shortest_length")]
    pub shortest_on_roadmap: Option<f64>,
    /// What checking only that path costs.
    pub limit: Option<u64>,
    /// What had been spent at the first path.
    pub cost_to_first: Option<u64>,
    /// The length of the first path.
    pub first_length: Option<f64>,
    /// What had been spent when the shortest path on the roadmap, or a shorter one, was found.
    pub cost_to_shortest: Option<u64>,
    /// What had been spent at the end.
    pub cost_total: u64,
    /// Edges checked in all.
    pub edges: u64,
    /// Paths asked of the proposer, draws without improvement included.
    pub proposals: u64,
    /// The length of the best path.
    pub best_length: Option<f64>,
    /// The lower bound at the end, which no path on the roadmap is below; missing if the roadmap has
    /// no path, and for planners without a roadmap.
    #[serde(alias = "lower_bound")]
    pub lower_bound_on_roadmap: Option<f64>,
    /// The length of the straight line from start to goal, for planners without a roadmap.
    #[serde(default)]
    pub straight_line: Option<f64>,
    /// `shortest-on-roadmap`, `no-path-on-roadmap`, `straight-line`, `end-in-collision`, `gave-up` or
    /// `stopped`.
    pub ending: String,
    /// Normalised anytime regret; missing if there is no path.
    pub regret: Option<f64>,
    /// Every better path as `cost:proposals:length`, separated by blanks.
    pub curve: String,
    /// A hash of all events of the run.
    pub events: String,
    /// The folder of the dataset; missing for worlds made from a family.
    pub folder: Option<String>,
    /// The robot that `psmp bench` planned for, a file or a shipped model; missing where it planned for none.
    #[serde(default)]
    pub robot: Option<String>,
    /// The file that says what its groups are; missing if there is none.
    #[serde(default)]
    pub srdf: Option<String>,
    /// How many worlds were made from the family.
    pub made_worlds: Option<u64>,
    /// How many of those are to plan in and not to learn from.
    pub made_test: Option<u64>,
    /// The seed that they were made with.
    pub made_seed: Option<u64>,
    /// The distance between the configurations of an edge; missing where edges are counted.
    pub resolution: Option<f64>,
    /// The nearest-neighbour belief's rate, in units of the space's longest side.
    pub eta: f64,
    /// Draws without improvement in a row before the optimistic path is proposed, or `never`.
    pub fallback: String,
    /// Configurations after which the run was stopped.
    pub budget: Option<u64>,
    /// What a configuration and a thought were said to cost, such as `100us/30ns`. Then costs are times, counted in
    /// configurations that take as long: checks and thinking. Missing where only checks counted.
    #[serde(default)]
    pub price: Option<String>,
    /// The version of psmp that made the row.
    pub version: String,
    /// When each better path was found, in seconds since the run began, separated by blanks; empty in older rows.
    #[serde(default)]
    pub curve_seconds: String,
    /// Time spent planning, the checks' look-ups included. A rerun changes this column and the one before,
    /// and no other.
    pub seconds: f64,
}

impl Row {
    /// What came of a run; what was run is for the caller to say. `limit` is what checking only
    /// the shortest path costs.
    #[must_use]
    pub fn of_trial(trial: &Trial, shortest: Option<f64>, limit: Option<u64>) -> Self {
        let first = trial.improvements.first();
        let at_shortest = trial.improvements.iter().find(|better| {
            shortest.is_some_and(|shortest| better.length <= shortest * (1.0 + 1e-12))
        });
        let bound = |yardstick| {
            let progress = trial.progress;
            (progress.yardstick == yardstick).then_some(progress.lower_bound)
        };
        Self {
            shortest_on_roadmap: shortest,
            limit,
            cost_to_first: first.map(|i| i.configurations),
            first_length: first.map(|i| i.length),
            cost_to_shortest: at_shortest.map(|i| i.configurations),
            cost_total: trial.progress.configurations,
            edges: trial.progress.edges,
            proposals: trial.progress.proposals,
            best_length: trial.progress.best_length,
            lower_bound_on_roadmap: bound(Yardstick::ShortestOnRoadmap).filter(|b| b.is_finite()),
            straight_line: bound(Yardstick::StraightLine),
            ending: trial.ending.name().to_owned(),
            regret: shortest
                .zip(limit)
                .map(|(shortest, limit)| regret(&trial.improvements, shortest, limit)),
            curve: Self::curve_of(&trial.improvements),
            curve_seconds: {
                let times = trial.times.iter();
                let text = times.map(|time| format!("{:.6}", time.as_secs_f64()));
                text.collect::<Vec<_>>().join(" ")
            },
            version: env!("CARGO_PKG_VERSION").to_owned(),
            seconds: trial.duration.as_secs_f64(),
            ..Self::default()
        }
    }

    /// The run's better paths, in order. `None` if the column is malformed.
    #[must_use]
    pub fn improvements(&self) -> Option<Vec<Improvement>> {
        let improvement = |text: &str| {
            let mut parts = text.split(':');
            let improvement = Improvement {
                configurations: parts.next()?.parse().ok()?,
                proposals: parts.next()?.parse().ok()?,
                length: parts.next()?.parse().ok()?,
            };
            parts.next().is_none().then_some(improvement)
        };
        self.curve.split_whitespace().map(improvement).collect()
    }

    /// When each better path was found, in seconds. `None` if the row does not say, or the column is malformed.
    #[must_use]
    pub fn times(&self) -> Option<Vec<f64>> {
        let times: Option<Vec<f64>> = self
            .curve_seconds
            .split_whitespace()
            .map(|text| text.parse().ok().filter(|time: &f64| time.is_finite()))
            .collect();
        times.filter(|times| times.len() == self.curve.split_whitespace().count())
    }

    /// Whether this is the same run: all but its times, and which version of psmp made it.
    #[must_use]
    pub fn is_same_run(&self, other: &Self) -> bool {
        let timeless = |row: &Self| Self {
            seconds: 0.0,
            curve_seconds: String::new(),
            version: String::new(),
            ..row.clone()
        };
        timeless(self) == timeless(other)
    }

    /// What had been spent when the best path was found; all that was, if there is none.
    #[must_use]
    pub fn cost_of_best(&self) -> u64 {
        let improvements = self.improvements().unwrap_or_default();
        improvements
            .last()
            .map_or(self.cost_total, |best| best.configurations)
    }

    /// The text of the column `curve`.
    pub(crate) fn curve_of(improvements: &[Improvement]) -> String {
        let text = |i: &Improvement| format!("{}:{}:{}", i.configurations, i.proposals, i.length);
        improvements.iter().map(text).collect::<Vec<_>>().join(" ")
    }
}
