//! Means and medians with honest intervals.
//!
//! Runs with different seeds in the same world are not independent, so the unit of resampling is
//! the world: its seeds are averaged first, and intervals come from resampling worlds with
//! replacement (percentile bootstrap). The resampling is seeded, so that a report is the same every
//! time it is made.

use psmp::Draw;
use std::collections::BTreeMap;

const RESAMPLES: u64 = 2000;
const SEED: u64 = 0x00B0_0757_8A95;

/// A mean and its 95% interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// The mean.
    pub mean: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval.
    pub high: f64,
}

impl Interval {
    /// Half the width of the interval.
    #[must_use]
    pub fn half_width(&self) -> f64 {
        (self.high - self.low) / 2.0
    }
}

/// The mean over worlds of the mean over a world's runs, with its 95% bootstrap interval. `None`
/// if there are no values.
#[must_use]
pub fn mean_over_worlds(values: impl IntoIterator<Item = (u32, f64)>) -> Option<Interval> {
    let mut values: Vec<(u32, f64)> = values.into_iter().collect();
    values.sort_by_key(|(world, _)| *world);
    let worlds: Vec<f64> = values
        .chunk_by(|a, b| a.0 == b.0)
        .map(|runs| runs.iter().map(|(_, value)| value).sum::<f64>() / runs.len() as f64)
        .collect();
    let single: Vec<[f64; 1]> = worlds.into_iter().map(|value| [value]).collect();
    curve_over_worlds(&single).pop()
}

/// The mean over worlds at each place of a curve, with its 95% bootstrap interval. All worlds have
/// a value at every place. Empty if there are no worlds.
#[must_use]
pub fn curve_over_worlds(worlds: &[impl AsRef<[f64]>]) -> Vec<Interval> {
    let Some(first) = worlds.first() else {
        return Vec::new();
    };
    let places = first.as_ref().len();
    let mean = mean_curve(worlds, 0..worlds.len());
    let resampled: Vec<Vec<f64>> = resamples(worlds.len())
        .map(|chosen| mean_curve(worlds, chosen))
        .collect();
    (0..places)
        .map(|place| {
            let mut means: Vec<f64> = resampled.iter().map(|curve| curve[place]).collect();
            let (low, high) = percentiles(&mut means);
            Interval {
                mean: mean[place],
                low,
                high,
            }
        })
        .collect()
}

/// A number computed from the mean curve over worlds, with its 95% bootstrap interval. `None` if
/// there are no worlds or the number cannot be computed from them.
#[must_use]
pub fn of_mean_curve(
    worlds: &[impl AsRef<[f64]>],
    number: impl Fn(&[f64]) -> Option<f64>,
) -> Option<Interval> {
    let mean = number(&mean_curve(worlds, 0..worlds.len()))?;
    let mut resampled: Vec<f64> = resamples(worlds.len())
        .filter_map(|chosen| number(&mean_curve(worlds, chosen)))
        .collect();
    if resampled.is_empty() {
        return None;
    }
    let (low, high) = percentiles(&mut resampled);
    Some(Interval { mean, low, high })
}

/// The mean of `a - b` over worlds with its 95% bootstrap interval, where both sides are numbers by
/// world and seed. `None` unless both have the very same worlds and seeds: a mean over whatever both
/// happen to have would compare two planners on the problems that suit one of them.
#[must_use]
pub fn paired_difference(
    a: impl IntoIterator<Item = ((u32, u64), f64)>,
    b: impl IntoIterator<Item = ((u32, u64), f64)>,
) -> Option<Interval> {
    let (a, b): (BTreeMap<_, _>, BTreeMap<_, _>) =
        (a.into_iter().collect(), b.into_iter().collect());
    if !a.keys().eq(b.keys()) {
        return None;
    }
    let differences = a.iter().zip(b.values());
    mean_over_worlds(differences.map(|(((world, _), a), b)| (*world, a - b)))
}

/// Worlds drawn with replacement, as many as there are, again and again.
fn resamples(count: usize) -> impl Iterator<Item = impl Iterator<Item = usize>> {
    (0..RESAMPLES).map(move |resample| {
        let random = Draw::new(SEED, resample);
        (0..count as u64).map(move |i| random.below(count as u64, i) as usize)
    })
}

fn mean_curve(worlds: &[impl AsRef<[f64]>], chosen: impl IntoIterator<Item = usize>) -> Vec<f64> {
    let mut sum = vec![0.0; worlds.first().map_or(0, |w| w.as_ref().len())];
    let mut count = 0.0;
    for world in chosen {
        for (sum, value) in sum.iter_mut().zip(worlds[world].as_ref()) {
            *sum += value;
        }
        count += 1.0;
    }
    for value in &mut sum {
        *value /= count;
    }
    sum
}

/// Where the middle 95% of the values begin and end.
fn percentiles(values: &mut [f64]) -> (f64, f64) {
    values.sort_by(f64::total_cmp);
    (quantile(values, 0.025), quantile(values, 0.975))
}

/// The median, counting `None` (never reached) as infinite: `None` if that is the median.
#[must_use]
pub fn median(values: impl IntoIterator<Item = Option<f64>>) -> Option<f64> {
    let mut sorted: Vec<f64> = values
        .into_iter()
        .map(|v| v.unwrap_or(f64::INFINITY))
        .collect();
    if sorted.is_empty() {
        return None;
    }
    sorted.sort_by(f64::total_cmp);
    let middle = quantile(&sorted, 0.5);
    middle.is_finite().then_some(middle)
}

/// The median over worlds of the median over a world's runs, counting `None` (never reached) as
/// infinite, with its 95% bootstrap interval over worlds. `None` if there are no values.
#[must_use]
pub fn median_over_worlds(
    values: impl IntoIterator<Item = (u32, Option<f64>)>,
) -> Option<Interval> {
    let mut values: Vec<(u32, Option<f64>)> = values.into_iter().collect();
    values.sort_by_key(|(world, _)| *world);
    let middle = |values: Vec<Option<f64>>| median(values).unwrap_or(f64::INFINITY);
    let worlds: Vec<f64> = values
        .chunk_by(|a, b| a.0 == b.0)
        .map(|runs| middle(runs.iter().map(|(_, value)| *value).collect()))
        .collect();
    if worlds.is_empty() {
        return None;
    }
    let finite = |w: usize| Some(worlds[w]).filter(|v| v.is_finite());
    let mut medians: Vec<f64> = resamples(worlds.len())
        .map(|chosen| middle(chosen.map(finite).collect()))
        .collect();
    medians.sort_by(f64::total_cmp);
    // No interpolation between neighbours: one of them may be infinite.
    let at = |share: f64| medians[((medians.len() - 1) as f64 * share).round() as usize];
    Some(Interval {
        mean: middle((0..worlds.len()).map(finite).collect()),
        low: at(0.025),
        high: at(0.975),
    })
}

/// A quantile of sorted values, between neighbours by linear interpolation.
#[must_use]
pub fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share * (sorted.len() - 1) as f64;
    let (below, above) = (place.floor() as usize, place.ceil() as usize);
    if below == above {
        return sorted[below];
    }
    sorted[below] + (sorted[above] - sorted[below]) * (place - below as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_cover_the_truth_about_as_often_as_they_say() {
        let mut covered = 0;
        for trial in 0..200 {
            let random = Draw::new(8, trial);
            let values = (0..60u32).map(|w| (w, random.unit(u64::from(w))));
            let interval = mean_over_worlds(values).unwrap();
            covered += usize::from(interval.low <= 0.5 && 0.5 <= interval.high);
        }
        assert!((180..=198).contains(&covered), "{covered} of 200");
    }

    #[test]
    fn seeds_of_a_world_are_averaged_first() {
        let interval = mean_over_worlds([(1, 0.0), (1, 2.0), (2, 4.0)]).unwrap();
        assert_eq!(interval.mean, 2.5);
        assert_eq!(mean_over_worlds([]), None);
    }

    #[test]
    fn a_curve_has_the_intervals_of_its_places() {
        let worlds: Vec<[f64; 2]> = (0..30).map(|w| [f64::from(w), 1.0]).collect();
        let curve = curve_over_worlds(&worlds);
        let alone = mean_over_worlds(worlds.iter().enumerate().map(|(w, v)| (w as u32, v[0])));
        assert_eq!(curve[0], alone.unwrap());
        assert_eq!((curve[1].low, curve[1].high), (1.0, 1.0));
        let sum = of_mean_curve(&worlds, |curve| Some(curve[0] + curve[1])).unwrap();
        assert!((sum.low - (curve[0].low + 1.0)).abs() < 1e-9);
    }

    #[test]
    fn differences_are_of_the_same_worlds_and_seeds_or_not_at_all() {
        let a = [((1, 0), 5.0), ((1, 1), 7.0), ((2, 0), 4.0), ((2, 1), 4.0)];
        let b = [((2, 1), 3.0), ((2, 0), 3.0), ((1, 0), 4.0), ((1, 1), 6.0)];
        let difference = paired_difference(a, b).unwrap();
        assert_eq!(
            (difference.mean, difference.low, difference.high),
            (1.0, 1.0, 1.0)
        );
        assert_eq!(paired_difference(a, b.into_iter().take(3)), None);
    }

    #[test]
    fn medians_have_intervals_that_may_end_nowhere() {
        let values = (0..41u32).map(|w| (w, Some(f64::from(w))));
        let interval = median_over_worlds(values).unwrap();
        assert_eq!(interval.mean, 20.0);
        assert!((10.0..20.0).contains(&interval.low) && (20.0..31.0).contains(&interval.high));
        let half = (0..9u32).map(|w| (w, (w < 5).then_some(1.0)));
        let interval = median_over_worlds(half).unwrap();
        assert_eq!((interval.mean, interval.low), (1.0, 1.0));
        assert_eq!(interval.high, f64::INFINITY);
        assert_eq!(median_over_worlds([]), None);
    }

    #[test]
    fn a_median_may_be_never() {
        assert_eq!(median([Some(1.0), Some(3.0), None]), Some(3.0));
        assert_eq!(median([Some(1.0), None, None]), None);
        assert_eq!(median([Some(1.0), Some(2.0)]), Some(1.5));
        assert_eq!(median([]), None);
    }
}
