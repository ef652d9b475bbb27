//! How cumulative regret grows with proposals.
//!
//! The theorem bounds the Bayesian regret of PSMP after T proposed paths by about the square root
//! of T. Here the regret of one proposal is how much longer the best path then is than the
//! shortest, as a share of the shortest; before there is a path it counts as three times as long,
//! a regret of 2. Cumulative regret is summed over proposals, draws without improvement included, and averaged
//! over runs. A power law is fitted by least squares to its logarithm against that of T, up to the
//! T by which 95% of the runs have found their best path; from there on the curve is flat, and would
//! make the exponent as small as one likes.

use super::curves::{Group, by_world};
use crate::report::{Point, RegretGrowth};
use psmp_lab::Row;
use psmp_lab::score::{BEFORE_FIRST, excess};
use psmp_lab::statistics::{curve_over_worlds, of_mean_curve, quantile};

/// At most this many places of the curve, evenly spaced in the logarithm.
const PLACES: usize = 40;

/// `None` if nearly all runs find their best path within two proposals, which shows no growth.
pub(super) fn growth(group: &Group<'_>) -> Option<RegretGrowth> {
    let horizon = horizon(&group.rows)?;
    let grid = places(horizon);
    let worlds = by_world(&group.rows, grid.len(), |row, sums| {
        for (sum, regret) in sums.iter_mut().zip(cumulative(row, &grid)) {
            *sum += regret;
        }
    });
    let fitted = of_mean_curve(&worlds, |curve| exponent(&grid, curve))?;
    let points = grid.iter().zip(curve_over_worlds(&worlds));
    Some(RegretGrowth {
        points: points
            .map(|(&t, interval)| Point {
                x: t as f64,
                mean: interval.mean,
                low: interval.low,
                high: interval.high,
            })
            .collect(),
        exponent: fitted.mean,
        interval: (fitted.low, fitted.high),
    })
}

/// The number of proposals by which 95% of the runs have found their best path.
fn horizon(rows: &[&Row]) -> Option<u64> {
    let mut last: Vec<f64> = rows
        .iter()
        .map(|row| {
            let improvements = row.improvements().unwrap_or_default();
            improvements.last().map_or(row.proposals, |i| i.proposals) as f64
        })
        .collect();
    last.sort_by(f64::total_cmp);
    let horizon = (!last.is_empty()).then(|| quantile(&last, 0.95) as u64)?;
    (horizon > 2).then_some(horizon)
}

fn places(horizon: u64) -> Vec<u64> {
    let step = (horizon as f64).ln() / (PLACES - 1) as f64;
    let mut places: Vec<u64> = (0..PLACES)
        .map(|place| (place as f64 * step).exp().round() as u64)
        .collect();
    places.dedup();
    places
}

/// A run's cumulative regret after each of these numbers of proposals.
fn cumulative(row: &Row, grid: &[u64]) -> Vec<f64> {
    let improvements = row.improvements().unwrap_or_default();
    let shortest = row.shortest_on_roadmap.unwrap_or(0.0);
    grid.iter()
        .map(|&t| {
            // An improvement counts from the very proposal that brought it.
            let (mut sum, mut since, mut regret) = (0.0, 1, BEFORE_FIRST - 1.0);
            for i in improvements.iter().take_while(|i| i.proposals <= t) {
                sum += (i.proposals - since) as f64 * regret;
                since = i.proposals;
                regret = excess(i.length, shortest) - 1.0;
            }
            sum + (t + 1 - since) as f64 * regret
        })
        .collect()
}

/// The slope of log regret against log proposals.
fn exponent(grid: &[u64], curve: &[f64]) -> Option<f64> {
    let points: Vec<(f64, f64)> = grid
        .iter()
        .zip(curve)
        .filter(|(_, regret)| **regret > 0.0)
        .map(|(&t, regret)| ((t as f64).ln(), regret.ln()))
        .collect();
    let count = points.len() as f64;
    let mean = |pick: fn(&(f64, f64)) -> f64| points.iter().map(pick).sum::<f64>() / count;
    let (x, y) = (mean(|p| p.0), mean(|p| p.1));
    let spread: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
    let together: f64 = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum();
    (spread > 0.0).then(|| together / spread)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_power_law_gives_its_exponent() {
        let grid = places(1000);
        assert_eq!((grid[0], grid[grid.len() - 1]), (1, 1000));
        let curve: Vec<f64> = grid.iter().map(|&t| 3.0 * (t as f64).sqrt()).collect();
        assert!((exponent(&grid, &curve).unwrap() - 0.5).abs() < 1e-9);
    }
}
