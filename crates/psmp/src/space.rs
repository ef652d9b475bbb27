//! The space that configurations live in.
//!
//! A configuration is a slice of numbers, one for each axis. An [`Axis`] has bounds, a weight
//! that scales its part of every distance (radians and metres do not compare by themselves), and
//! may wrap around, as the angle of a continuous joint does. Distances and straight motions follow
//! from that: across a wrapping axis the way goes round whichever side is shorter.
//!
//! How far apart two configurations are along its axes says how long a motion is. It need not say how
//! alike they are: a radian at the shoulder of an arm sweeps a metre, one at the wrist a hand's breadth, and
//! obstacles stand where the arm is, not where its joints are. So a space may have an [`Embedding`], by
//! which beliefs measure what is near.

use std::fmt;
use std::sync::Arc;
use thiserror::Error;

/// One coordinate of a configuration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Axis {
    lower: f64,
    upper: f64,
    weight: f64,
    wraps: bool,
}

/// Why an [`Axis`] or [`Space`] cannot be.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum SpaceError {
    /// The bounds are not finite, or the lower is not below the upper.
    #[error(
        "axis bounds [{lower}, {upper}] are not an interval: both must be finite, the lower below the upper"
    )]
    Bounds {
        /// The lower bound given.
        lower: f64,
        /// The upper bound given.
        upper: f64,
    },
    /// The weight is not a positive finite number.
    #[error("axis weight {0} is not a positive finite number")]
    Weight(f64),
    /// A space needs at least one axis.
    #[error("a space needs at least one axis")]
    NoAxes,
}

impl Axis {
    /// An axis over `[lower, upper]` of weight 1 that does not wrap around.
    ///
    /// # Errors
    /// If the bounds are not finite or not in order.
    pub fn new(lower: f64, upper: f64) -> Result<Self, SpaceError> {
        if !(lower.is_finite() && upper.is_finite() && lower < upper && (upper - lower).is_finite())
        {
            return Err(SpaceError::Bounds { lower, upper });
        }
        Ok(Self {
            lower,
            upper,
            weight: 1.0,
            wraps: false,
        })
    }

    /// An angle in radians over `[-pi, pi]` that wraps around.
    #[must_use]
    pub fn angle() -> Self {
        Self {
            lower: -std::f64::consts::PI,
            upper: std::f64::consts::PI,
            weight: 1.0,
            wraps: true,
        }
    }

    /// The same axis with its part in every distance multiplied by `weight`.
    ///
    /// # Errors
    /// If the weight is not positive and finite.
    pub fn weighted(self, weight: f64) -> Result<Self, SpaceError> {
        if !(weight > 0.0 && weight.is_finite()) {
            return Err(SpaceError::Weight(weight));
        }
        Ok(Self { weight, ..self })
    }

    /// The same axis with its two ends joined.
    #[must_use]
    pub fn wrapping(self) -> Self {
        Self {
            wraps: true,
            ..self
        }
    }

    /// The lower bound.
    #[must_use]
    pub fn lower(&self) -> f64 {
        self.lower
    }

    /// The upper bound.
    #[must_use]
    pub fn upper(&self) -> f64 {
        self.upper
    }

    /// How much a unit along this axis counts in a distance.
    #[must_use]
    pub fn weight(&self) -> f64 {
        self.weight
    }

    /// Whether the two ends of the axis are the same place.
    #[must_use]
    pub fn wraps(&self) -> bool {
        self.wraps
    }

    /// `upper - lower`.
    #[must_use]
    pub fn extent(&self) -> f64 {
        self.upper - self.lower
    }

    /// The signed way from `a` to `b`, the shorter way round where the axis wraps.
    #[inline]
    #[must_use]
    pub fn difference(&self, a: f64, b: f64) -> f64 {
        let straight = b - a;
        if self.wraps {
            let period = self.extent();
            straight - period * (straight / period).round()
        } else {
            straight
        }
    }
}

impl Axis {
    /// What is a share `t` of the way from `a` to `b`, in canonical form.
    #[inline]
    pub(crate) fn between(&self, a: f64, b: f64, t: f64) -> f64 {
        let value = if t >= 1.0 {
            b
        } else {
            a + self.difference(a, b) * t
        };
        self.canonical(value)
    }

    /// The number that stands for a place, whatever number was given for it.
    #[inline]
    fn canonical(&self, value: f64) -> f64 {
        if !self.wraps || !value.is_finite() || (self.lower..self.upper).contains(&value) {
            return value;
        }
        let beyond = (value - self.lower).rem_euclid(self.extent());
        // A remainder just below the extent may be rounded up to it.
        if self.lower + beyond < self.upper {
            self.lower + beyond
        } else {
            self.lower
        }
    }
}

/// Where configurations lie in another space, in which what collides with the same things is near each other,
/// by the plain Euclidean distance.
///
/// Motions should be short beside how they bend there: along an edge of a roadmap a place is told from those of the
/// edge's ends and its middle.
pub trait Embedding: fmt::Debug + Send + Sync {
    /// How many numbers a place has.
    fn dimension(&self) -> usize;

    /// The longest side of what surrounds all places: what distances are measured by where no one says.
    fn longest_side(&self) -> f64;

    /// Writes the place of a configuration.
    fn embed(&self, configuration: &[f64], place: &mut [f64]);
}

/// The axes of a configuration space, with the metric and the straight motions they give. Spaces with the same
/// axes are the same, however they are embedded.
#[derive(Debug, Clone)]
pub struct Space {
    axes: Vec<Axis>,
    /// Whether all axes have weight 1 and none wraps around: then none need be looked at to measure a distance.
    is_plain: bool,
    embedding: Option<Arc<dyn Embedding>>,
}

impl PartialEq for Space {
    fn eq(&self, other: &Self) -> bool {
        self.axes == other.axes
    }
}

impl Space {
    /// The space with these axes.
    ///
    /// # Errors
    /// If there are none.
    pub fn new(axes: Vec<Axis>) -> Result<Self, SpaceError> {
        if axes.is_empty() {
            return Err(SpaceError::NoAxes);
        }
        Ok(Self {
            is_plain: axes.iter().all(|axis| axis.weight == 1.0 && !axis.wraps),
            axes,
            embedding: None,
        })
    }

    /// The same space, in which beliefs measure by this embedding what is near.
    #[must_use]
    pub fn embedded(self, embedding: Arc<dyn Embedding>) -> Self {
        Self {
            embedding: Some(embedding),
            ..self
        }
    }

    /// What beliefs measure by, if it is not the distance of the space itself.
    #[must_use]
    pub fn embedding(&self) -> Option<&Arc<dyn Embedding>> {
        self.embedding.as_ref()
    }

    /// The unit cube `[0, 1]^dimension`.
    ///
    /// # Panics
    /// If `dimension` is 0.
    #[must_use]
    pub fn unit(dimension: usize) -> Self {
        assert!(dimension > 0, "a space needs at least one axis");
        let axis = Axis {
            lower: 0.0,
            upper: 1.0,
            weight: 1.0,
            wraps: false,
        };
        Self {
            axes: vec![axis; dimension],
            is_plain: true,
            embedding: None,
        }
    }

    /// How many numbers a configuration has.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.axes.len()
    }

    /// The axes in order.
    #[must_use]
    pub fn axes(&self) -> &[Axis] {
        &self.axes
    }

    /// The weighted Euclidean distance, the shorter way round on wrapping axes.
    #[inline]
    #[must_use]
    pub fn distance(&self, a: &[f64], b: &[f64]) -> f64 {
        self.squared_distance(a, b).sqrt()
    }

    /// Its square, which is enough to tell what is nearer.
    #[inline]
    #[must_use]
    pub fn squared_distance(&self, a: &[f64], b: &[f64]) -> f64 {
        let mut sum = 0.0;
        if self.is_plain {
            for (&a, &b) in a.iter().zip(b) {
                sum += (b - a) * (b - a);
            }
            return sum;
        }
        for ((axis, &a), &b) in self.axes.iter().zip(a).zip(b) {
            let part = axis.weight * axis.difference(a, b);
            sum += part * part;
        }
        sum
    }

    /// Whether two configurations are less than this far apart. Where they are not, a few axes often tell.
    #[inline]
    #[must_use]
    pub fn is_within(&self, a: &[f64], b: &[f64], distance: f64) -> bool {
        let most = distance * distance;
        let mut sum = 0.0;
        for ((axis, &a), &b) in self.axes.iter().zip(a).zip(b) {
            let part = axis.weight * axis.difference(a, b);
            sum += part * part;
            if sum >= most {
                return false;
            }
        }
        true
    }

    /// The square of the weighted distance from `q` to the nearest place in a box, given by its lower
    /// and upper bounds. On wrapping axes a place is the same whatever number stands for it: `q` may be
    /// turns away from the box, and a box that reaches once round leaves nothing out.
    #[must_use]
    pub fn squared_distance_to_box(&self, q: &[f64], lower: &[f64], upper: &[f64]) -> f64 {
        let mut sum = 0.0;
        let bounds = lower.iter().zip(upper);
        for ((axis, &value), (&low, &high)) in self.axes.iter().zip(q).zip(bounds) {
            let gap = if axis.wraps {
                // How far beyond the lower bound the place is met first.
                let beyond = (value - low).rem_euclid(axis.extent());
                (beyond - (high - low)).max(0.0).min(axis.extent() - beyond)
            } else {
                (low - value).max(value - high).max(0.0)
            };
            sum += (axis.weight * gap).powi(2);
        }
        sum
    }

    /// Writes the point a share `t` of the way along the straight motion from `a` to `b` into
    /// `out`. The result is in canonical form.
    #[inline]
    pub fn interpolate(&self, a: &[f64], b: &[f64], t: f64, out: &mut [f64]) {
        if self.is_plain && t < 1.0 {
            for ((&a, &b), out) in a.iter().zip(b).zip(out) {
                *out = a + (b - a) * t;
            }
            return;
        }
        for (((axis, &a), &b), out) in self.axes.iter().zip(a).zip(b).zip(out) {
            *out = axis.between(a, b, t);
        }
    }

    /// Brings a configuration into its canonical form: on a wrapping axis one place has one number,
    /// the one between the bounds, the lower one included. All configurations of roadmaps and trees
    /// are in this form.
    pub fn make_canonical(&self, q: &mut [f64]) {
        for (axis, value) in self.axes.iter().zip(q) {
            *value = axis.canonical(*value);
        }
    }

    /// The same for a copy.
    #[must_use]
    pub fn canonical(&self, q: &[f64]) -> Vec<f64> {
        let mut q = q.to_vec();
        self.make_canonical(&mut q);
        q
    }

    /// The longest side, in the space's metric: what lengths are measured by where no one says.
    #[must_use]
    pub fn longest_side(&self) -> f64 {
        let sides = self.axes.iter().map(|axis| axis.extent() * axis.weight);
        sides.fold(0.0, f64::max)
    }

    /// Whether `q` has the right number of values, all finite and within the bounds (a wrapping
    /// axis takes any finite value).
    #[must_use]
    pub fn contains(&self, q: &[f64]) -> bool {
        q.len() == self.axes.len()
            && self.axes.iter().zip(q).all(|(axis, &value)| {
                value.is_finite() && (axis.wraps || (axis.lower..=axis.upper).contains(&value))
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wrapping_axis_goes_the_shorter_way() {
        let space = Space::new(vec![Axis::angle(), Axis::new(0.0, 1.0).unwrap()]).unwrap();
        let (a, b) = ([3.0, 0.0], [-3.0, 0.0]);
        let expected = 2.0 * std::f64::consts::PI - 6.0;
        assert!((space.distance(&a, &b) - expected).abs() < 1e-12);
        let mut middle = [0.0; 2];
        space.interpolate(&a, &b, 0.5, &mut middle);
        assert!((middle[0].abs() - std::f64::consts::PI).abs() < 1e-12);
        space.interpolate(&a, &b, 0.75, &mut middle);
        assert!(space.contains(&middle) && middle[0] < 0.0);
    }

    /// Where all axes are plain it is the same as if they were not looked past.
    #[test]
    fn plain_axes_are_measured_as_all_others() {
        let plain = Space::unit(3);
        let looked_at = Space {
            is_plain: false,
            ..plain.clone()
        };
        let (a, b) = ([0.1, 0.7, 0.3], [0.9, 0.2, 0.3]);
        assert_eq!(plain.distance(&a, &b), looked_at.distance(&a, &b));
        for t in [0.0, 0.3, 1.0] {
            let (mut one, mut other) = ([0.0; 3], [0.0; 3]);
            plain.interpolate(&a, &b, t, &mut one);
            looked_at.interpolate(&a, &b, t, &mut other);
            assert_eq!(one, other);
        }
        let wraps = Space::new(vec![Axis::angle()]).unwrap();
        let weighted = Axis::new(0.0, 1.0).unwrap().weighted(2.0).unwrap();
        assert!(!wraps.is_plain && !Space::new(vec![weighted]).unwrap().is_plain);
    }

    #[test]
    fn weights_scale_distances() {
        let axis = Axis::new(0.0, 10.0).unwrap().weighted(3.0).unwrap();
        let space = Space::new(vec![axis]).unwrap();
        assert_eq!(space.distance(&[1.0], &[3.0]), 6.0);
    }

    #[test]
    fn nonsense_is_refused() {
        assert!(Axis::new(1.0, 1.0).is_err());
        assert!(Axis::new(f64::NAN, 1.0).is_err());
        assert!(Axis::new(0.0, 1.0).unwrap().weighted(0.0).is_err());
        assert!(Space::new(vec![]).is_err());
    }
}
