//! The table that a sweep ends with: one line for each dataset, planner and kind of experience.

use crate::row::Row;
use crate::statistics::{Interval, mean_over_worlds, median};
use crate::trial::Ending;
use serde::Serialize;

/// A line of the table.
#[derive(Debug, Clone, Serialize)]
pub struct Summary {
    /// The dataset.
    pub dataset: String,
    /// The planner.
    pub planner: String,
    /// `seen` or `unseen`.
    pub experience: String,
    /// What costs are counted in.
    pub unit: String,
    /// Runs in worlds where the roadmap has a path.
    pub runs: usize,
    /// Runs in worlds where the roadmap has none, and how many of those ended knowing that.
    pub no_path_on_roadmap: (usize, usize),
    /// Median cost to the first path, counting runs without one as infinite.
    pub to_first: Option<f64>,
    /// Median cost to the shortest path on the roadmap, likewise.
    pub to_shortest: Option<f64>,
    /// Median length of the first path over the shortest, over all runs, likewise.
    pub first_over_shortest: Option<f64>,
    /// Share of runs that found a path.
    pub solved: f64,
    /// Share of runs that found the shortest path on the roadmap.
    pub reached_shortest: f64,
    /// Mean normalised anytime regret.
    pub regret: Option<f64>,
    /// Its 95% bootstrap interval over worlds.
    pub regret_interval: Option<(f64, f64)>,
    /// Mean planning time per run in milliseconds.
    pub milliseconds: f64,
}

/// Summarises rows, in the order in which datasets, planners and experience first appear.
#[must_use]
pub fn summarise(rows: &[Row]) -> Vec<Summary> {
    let key = |row: &Row| {
        (
            row.dataset.clone(),
            row.planner.clone(),
            row.experience.clone(),
        )
    };
    let mut keys: Vec<_> = Vec::new();
    for row in rows {
        if !keys.contains(&key(row)) {
            keys.push(key(row));
        }
    }
    keys.into_iter()
        .map(|wanted| {
            let all: Vec<&Row> = rows.iter().filter(|row| key(row) == wanted).collect();
            summarise_group(&all)
        })
        .collect()
}

fn summarise_group(all: &[&Row]) -> Summary {
    let (solvable, hopeless): (Vec<&Row>, Vec<&Row>) = all
        .iter()
        .partition(|row| row.shortest_on_roadmap.is_some());
    let share = |count: usize| count as f64 / solvable.len().max(1) as f64;
    let cost = |pick: fn(&Row) -> Option<u64>| {
        median(solvable.iter().map(|row| pick(row).map(|c| c as f64)))
    };
    let regret: Option<Interval> = mean_over_worlds(
        solvable
            .iter()
            .filter_map(|row| Some((row.world, row.regret?))),
    );
    let first = all.first();
    let text = |pick: fn(&Row) -> &String| first.map(|row| pick(row).clone()).unwrap_or_default();
    Summary {
        dataset: text(|row| &row.dataset),
        planner: text(|row| &row.planner),
        experience: text(|row| &row.experience),
        unit: text(|row| &row.unit),
        runs: solvable.len(),
        no_path_on_roadmap: (
            hopeless.len(),
            hopeless
                .iter()
                .filter(|row| row.ending == Ending::NoPathOnRoadmap.name())
                .count(),
        ),
        to_first: cost(|row| row.cost_to_first),
        to_shortest: cost(|row| row.cost_to_shortest),
        first_over_shortest: median(solvable.iter().map(|row| {
            let shortest = row.shortest_on_roadmap.filter(|s| *s > 0.0)?;
            Some(row.first_length? / shortest)
        })),
        solved: share(
            solvable
                .iter()
                .filter(|r| r.cost_to_first.is_some())
                .count(),
        ),
        reached_shortest: share(
            solvable
                .iter()
                .filter(|r| r.cost_to_shortest.is_some())
                .count(),
        ),
        regret: regret.map(|i| i.mean),
        regret_interval: regret.map(|i| (i.low, i.high)),
        milliseconds: all.iter().map(|r| r.seconds).sum::<f64>() * 1e3 / all.len().max(1) as f64,
    }
}
