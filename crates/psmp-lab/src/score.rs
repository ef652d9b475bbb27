//! The score of a run: how good its best path was, for how little checking.
//!
//! The *limit* is what checking costs one who knows the shortest path and checks only its edges.
//! The *curve* is the best length over the shortest length against the cost so far, and counts as
//! 3 before the first path. The **normalised anytime regret** is the mean of the curve over four
//! limits, less 1.5, the score of the one who knows: 0 is perfect, 1.5 is nothing found.

/// What the curve counts as before there is a path.
pub const BEFORE_FIRST: f64 = 3.0;
/// How many limits the mean is taken over.
pub const HORIZON: f64 = 4.0;
/// The mean of one who knows: 3 up to the limit, then 1.
const PERFECT: f64 = (BEFORE_FIRST + (HORIZON - 1.0)) / HORIZON;

/// A path found: what had been spent by then, and its length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Improvement {
    /// Configurations checked until then.
    pub configurations: u64,
    /// Paths asked of the proposer until then.
    pub proposals: u64,
    /// The length of the path.
    pub length: f64,
}

/// The normalised anytime regret of a run that found these paths, in order.
///
/// ```
/// use psmp_lab::score::{Improvement, regret};
/// let path = |configurations, length| Improvement { configurations, proposals: 1, length };
/// assert_eq!(regret(&[path(100, 2.0)], 2.0, 100), 0.0);
/// assert_eq!(regret(&[], 2.0, 100), 1.5);
/// ```
#[must_use]
pub fn regret(improvements: &[Improvement], shortest: f64, limit: u64) -> f64 {
    let end = HORIZON * limit as f64;
    let (mut area, mut since, mut height) = (0.0, 0.0, BEFORE_FIRST);
    for improvement in improvements {
        let at = (improvement.configurations as f64).min(end);
        area += (at - since) * height;
        since = at;
        height = excess(improvement.length, shortest);
    }
    area += (end - since) * height;
    area / end - PERFECT
}

/// The height of the curve for a path of this length. Before the first path it is 3 by convention,
/// so a longer path counts no worse.
#[must_use]
pub fn excess(length: f64, shortest: f64) -> f64 {
    if shortest > 0.0 {
        (length / shortest).min(BEFORE_FIRST)
    } else {
        1.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_curve_is_a_step_function() {
        let path = |configurations, length| Improvement {
            configurations,
            proposals: 1,
            length,
        };
        // 3 until 50, 2 until 100, 1 from there: (150 + 100 + 300) / 400 - 1.5.
        let score = regret(&[path(50, 2.0), path(100, 1.0)], 1.0, 100);
        assert!((score - (-0.125)).abs() < 1e-12);
        // What happens after the horizon does not count.
        assert_eq!(regret(&[path(401, 1.0)], 1.0, 100), 1.5);
    }
}
