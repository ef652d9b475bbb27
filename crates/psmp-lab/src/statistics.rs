//! Means and medians with honest intervals.
//!
//! Runs with different seeds in the same world are not independent, so the unit of resampling is
//! the world: its seeds are averaged first, and intervals come from resampling worlds with
//! replacement (percentile bootstrap). The resampling is seeded, so that a report is the same every
//! time it is made.

use psmp::Draw;

const RESAMPLES: u64 = 2000;

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
    let count = worlds.len();
    if count == 0 {
        return None;
    }
    let mean = worlds.iter().sum::<f64>() / count as f64;
    let mut means: Vec<f64> = (0..RESAMPLES)
        .map(|resample| {
            let random = Draw::new(0x00B0_0757_8A95, resample);
            let sum: f64 = (0..count as u64)
                .map(|i| worlds[random.below(count as u64, i) as usize])
                .sum();
            sum / count as f64
        })
        .collect();
    means.sort_by(f64::total_cmp);
    Some(Interval {
        mean,
        low: quantile(&means, 0.025),
        high: quantile(&means, 0.975),
    })
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

/// A quantile of sorted values, between neighbours by linear interpolation.
fn quantile(sorted: &[f64], share: f64) -> f64 {
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
    fn a_median_may_be_never() {
        assert_eq!(median([Some(1.0), Some(3.0), None]), Some(3.0));
        assert_eq!(median([Some(1.0), None, None]), None);
        assert_eq!(median([Some(1.0), Some(2.0)]), Some(1.5));
        assert_eq!(median([]), None);
    }
}
