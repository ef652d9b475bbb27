//! Curves against cost: how good the best path was, and how many runs had one.
//!
//! Every run counts at every cost, those without a path too: a mean over the runs that have found
//! something by then would be a mean over other problems at each cost.

use crate::report::{Point, Series};
use psmp_lab::Row;
use psmp_lab::score::{BEFORE_FIRST, Improvement, excess};
use psmp_lab::statistics::curve_over_worlds;

/// How far curves go, in limits, and in how many steps.
const LIMITS: f64 = 6.0;
const STEPS: usize = 90;

/// The runs of one planner with one kind of experience in worlds that have a path.
pub(super) struct Group<'a> {
    pub planner: &'a str,
    pub experience: &'a str,
    pub rows: Vec<&'a Row>,
}

/// Rows of one dataset by planner and experience, in the order in which they first appear.
pub(super) fn groups<'a>(rows: &[&'a Row]) -> Vec<Group<'a>> {
    let mut groups: Vec<Group<'a>> = Vec::new();
    for row in rows.iter().filter(|row| row.shortest_on_roadmap.is_some()) {
        let same = |g: &&mut Group| g.planner == row.planner && g.experience == row.experience;
        match groups.iter_mut().find(same) {
            Some(group) => group.rows.push(row),
            None => groups.push(Group {
                planner: &row.planner,
                experience: &row.experience,
                rows: vec![row],
            }),
        }
    }
    groups
}

/// The mean cost of checking only the shortest path.
pub(super) fn mean_limit(rows: &[&Row]) -> f64 {
    let limits: Vec<f64> = rows
        .iter()
        .filter_map(|r| r.limit)
        .map(|l| l as f64)
        .collect();
    limits.iter().sum::<f64>() / limits.len().max(1) as f64
}

/// Costs up to a few limits, evenly spaced.
pub(super) fn even_costs(limit: f64) -> Vec<f64> {
    let cost = |step| LIMITS * limit * step as f64 / STEPS as f64;
    (0..=STEPS).map(cost).collect()
}

/// Costs from `least` to `most`, evenly spaced in the logarithm.
pub(super) fn logarithmic_costs(least: f64, most: f64) -> Vec<f64> {
    let cost = |step| least * (most / least).powf(step as f64 / STEPS as f64);
    (0..=STEPS).map(cost).collect()
}

/// Best length over shortest length at these costs.
pub(super) fn anytime(group: &Group<'_>, costs: &[f64]) -> Series {
    series(group, costs, |best, shortest| {
        best.map_or(BEFORE_FIRST, |best| excess(best.length, shortest))
    })
}

/// Whether there is a path at these costs.
pub(super) fn solved(group: &Group<'_>, costs: &[f64]) -> Series {
    series(group, costs, |best, _| f64::from(u8::from(best.is_some())))
}

fn series(
    group: &Group<'_>,
    costs: &[f64],
    height: impl Fn(Option<&Improvement>, f64) -> f64,
) -> Series {
    let worlds = by_world(&group.rows, costs.len(), |row, sums| {
        let improvements = row.improvements().unwrap_or_default();
        let shortest = row.shortest_on_roadmap.unwrap_or(0.0);
        for (sum, cost) in sums.iter_mut().zip(costs) {
            let found = improvements.partition_point(|i| i.configurations as f64 <= *cost);
            let best = found.checked_sub(1).map(|last| &improvements[last]);
            *sum += height(best, shortest);
        }
    });
    let points = costs.iter().zip(curve_over_worlds(&worlds));
    Series {
        planner: group.planner.to_owned(),
        experience: group.experience.to_owned(),
        points: points
            .map(|(&x, interval)| Point {
                x,
                mean: interval.mean,
                low: interval.low,
                high: interval.high,
            })
            .collect(),
    }
}

/// The mean curve of each world over its seeds, where `add` adds a run's curve.
pub(super) fn by_world(
    rows: &[&Row],
    places: usize,
    add: impl Fn(&Row, &mut [f64]),
) -> Vec<Vec<f64>> {
    let mut sorted = rows.to_vec();
    sorted.sort_by_key(|row| row.world);
    sorted
        .chunk_by(|a, b| a.world == b.world)
        .map(|runs| {
            let mut sums = vec![0.0; places];
            for run in runs {
                add(run, &mut sums);
            }
            sums.iter().map(|sum| sum / runs.len() as f64).collect()
        })
        .collect()
}
