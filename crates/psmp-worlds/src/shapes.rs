//! Boxes and balls in a space of any dimension.
//!
//! The plainest obstacles there are: boxes along the axes, and balls. The robot is a ball as well,
//! of radius 0 unless said otherwise; it collides with what it touches.

use crate::world::world_by_looking;
use psmp::checker::Proof;
use thiserror::Error;

/// Why a shape cannot be added to [`Shapes`].
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A corner or centre with the wrong number of coordinates.
    #[error("a point of {found} coordinates was given where {expected} are expected")]
    Dimension {
        /// The dimension of the space.
        expected: usize,
        /// The number of coordinates given.
        found: usize,
    },
    /// A box whose sides are not intervals.
    #[error(
        "a box from {lower} to {upper} along axis {axis} cannot be: both must be finite, the lower \
         not above the upper"
    )]
    Box {
        /// The axis, counted from 0.
        axis: usize,
        /// The lower end given.
        lower: f64,
        /// The upper end given.
        upper: f64,
    },
    /// A centre that is not a point.
    #[error("a ball cannot be centred at {0:?}: all coordinates must be finite")]
    Centre(Vec<f64>),
    /// A radius that is not one.
    #[error("a radius of {0} cannot be: it must be finite and not negative")]
    Radius(f64),
}

/// How short a stretch is, beside where it is, that is decided by its middle.
const TINY: f64 = 1e-7;

/// Boxes and balls that a robot must not touch.
///
/// A configuration is checked by as many of its first numbers as the shapes have dimensions.
///
/// ```
/// use psmp_worlds::Shapes;
/// let world = Shapes::new(2)
///     .with_box(&[0.4, 0.0], &[0.6, 0.7])?
///     .with_ball(&[0.2, 0.2], 0.1)?
///     .with_robot_radius(0.05)?;
/// assert!(world.free_at(&[0.5, 0.8]));
/// assert!(!world.free_at(&[0.5, 0.74]));
/// # Ok::<(), psmp_worlds::ShapeError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Shapes {
    dimension: usize,
    robot: f64,
    /// Each box: its lower corner, then its upper.
    boxes: Vec<f64>,
    /// Each ball: its centre, then its radius.
    balls: Vec<f64>,
}

impl Shapes {
    /// An empty space and a point robot.
    #[must_use]
    pub fn new(dimension: usize) -> Self {
        Self {
            dimension,
            robot: 0.0,
            boxes: Vec::new(),
            balls: Vec::new(),
        }
    }

    /// The same world with one more box; a flat one is allowed.
    ///
    /// # Errors
    /// If a corner has the wrong dimension, is not finite, or lower and upper are not in order.
    pub fn with_box(mut self, lower: &[f64], upper: &[f64]) -> Result<Self, ShapeError> {
        self.check_dimension(lower)?;
        self.check_dimension(upper)?;
        for (axis, (&lower, &upper)) in lower.iter().zip(upper).enumerate() {
            if !(lower.is_finite() && upper.is_finite() && lower <= upper) {
                return Err(ShapeError::Box { axis, lower, upper });
            }
        }
        self.boxes.extend(lower);
        self.boxes.extend(upper);
        Ok(self)
    }

    /// The same world with one more ball.
    ///
    /// # Errors
    /// If the centre has the wrong dimension or is not finite, or the radius is negative or not
    /// finite.
    pub fn with_ball(mut self, centre: &[f64], radius: f64) -> Result<Self, ShapeError> {
        self.check_dimension(centre)?;
        if !centre.iter().all(|value| value.is_finite()) {
            return Err(ShapeError::Centre(centre.to_vec()));
        }
        self.balls.extend(centre);
        self.balls.push(checked_radius(radius)?);
        Ok(self)
    }

    /// The same world for a robot of this radius.
    ///
    /// # Errors
    /// If the radius is negative or not finite.
    pub fn with_robot_radius(self, radius: f64) -> Result<Self, ShapeError> {
        Ok(Self {
            robot: checked_radius(radius)?,
            ..self
        })
    }

    /// How many coordinates the shapes have.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The lower and upper corners of the boxes.
    pub fn boxes(&self) -> impl Iterator<Item = (&[f64], &[f64])> {
        self.boxes
            .chunks_exact((2 * self.dimension).max(1))
            .map(|corners| corners.split_at(self.dimension))
    }

    /// The centres and radii of the balls.
    pub fn balls(&self) -> impl Iterator<Item = (&[f64], f64)> {
        self.balls
            .chunks_exact(self.dimension + 1)
            .map(|ball| (&ball[..self.dimension], ball[self.dimension]))
    }

    /// Whether the robot touches nothing with its centre at the configuration's first numbers.
    #[must_use]
    pub fn free_at(&self, configuration: &[f64]) -> bool {
        self.keeps_away(configuration, 0.0)
    }

    /// Whether the robot is farther than this from all shapes.
    fn keeps_away(&self, configuration: &[f64], margin: f64) -> bool {
        let Some(centre) = configuration.get(..self.dimension) else {
            return false;
        };
        let robot = self.robot + margin;
        self.boxes().all(|(lower, upper)| {
            let sides = lower.iter().zip(upper).zip(centre);
            let squared: f64 = sides
                .map(|((&lower, &upper), &value)| {
                    let outside = value - value.clamp(lower, upper);
                    outside * outside
                })
                .sum();
            squared > robot * robot
        }) && self.balls().all(|(middle, radius)| {
            let squared: f64 = middle
                .iter()
                .zip(centre)
                .map(|(m, value)| (m - value) * (m - value))
                .sum();
            squared > (radius + robot) * (radius + robot)
        })
    }

    /// Whether the robot is free all along a stretch: it is where nothing is as near to its middle as
    /// its end. A stretch that is tiny beside where it is is decided by its middle.
    fn proof_along(&self, middle: &[f64], half: &[f64]) -> Proof {
        let size = |q: &[f64]| q.iter().take(self.dimension).map(|x| x * x).sum::<f64>();
        let moved = size(half).sqrt();
        if moved <= TINY * (1.0 + size(middle).sqrt()) {
            return match self.free_at(middle) {
                true => Proof::Free,
                false => Proof::Blocked,
            };
        }
        match self.keeps_away(middle, moved) {
            true => Proof::Free,
            false if self.free_at(middle) => Proof::Open,
            false => Proof::Blocked,
        }
    }

    fn check_dimension(&self, point: &[f64]) -> Result<(), ShapeError> {
        if point.len() == self.dimension {
            return Ok(());
        }
        Err(ShapeError::Dimension {
            expected: self.dimension,
            found: point.len(),
        })
    }
}

fn checked_radius(radius: f64) -> Result<f64, ShapeError> {
    if radius.is_finite() && radius >= 0.0 {
        Ok(radius)
    } else {
        Err(ShapeError::Radius(radius))
    }
}

world_by_looking!(Shapes, &Shapes);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn nonsense_is_refused() {
        let shapes = || Shapes::new(3);
        assert!(shapes().with_box(&[0.0; 2], &[1.0; 3]).is_err());
        assert!(shapes().with_box(&[0.0; 3], &[1.0, f64::NAN, 1.0]).is_err());
        assert!(shapes().with_box(&[0.0; 3], &[1.0, -1.0, 1.0]).is_err());
        assert!(shapes().with_ball(&[0.0; 2], 1.0).is_err());
        assert!(shapes().with_ball(&[f64::INFINITY; 3], 1.0).is_err());
        assert!(shapes().with_ball(&[0.0; 3], -1.0).is_err());
        assert!(shapes().with_robot_radius(f64::NAN).is_err());
    }

    #[test]
    fn what_is_touched_is_hit_and_too_short_a_configuration_is_not_free() {
        let world = Shapes::new(2)
            .with_box(&[0.0, 0.0], &[1.0, 1.0])
            .unwrap()
            .with_robot_radius(0.5)
            .unwrap();
        assert!(!world.free_at(&[1.5, 0.5]));
        assert!(world.free_at(&[1.5 + 1e-9, 0.5, 9.0]));
        assert!(!world.free_at(&[7.0]));
        assert!(!world.free_at(&[f64::NAN, 9.0]));
    }

    type Obstacle = ([f64; 3], [f64; 3], bool);

    fn obstacles() -> impl Strategy<Value = Vec<Obstacle>> {
        let coordinate = -1.0..1.0f64;
        let point = [coordinate.clone(), coordinate.clone(), coordinate];
        let size = [0.0..0.6f64, 0.0..0.6, 0.0..0.6];
        prop::collection::vec((point, size, any::<bool>()), 0..6)
    }

    proptest! {
        /// Points sampled in each obstacle are closer than the robot's radius only if the robot
        /// is said to collide, and the nearest point of each obstacle decides.
        #[test]
        fn the_nearest_points_decide(
            obstacles in obstacles(),
            robot in 0.0..0.5f64,
            q in [-1.5..1.5f64, -1.5..1.5, -1.5..1.5],
        ) {
            let mut world = Shapes::new(3).with_robot_radius(robot).unwrap();
            let mut nearest = f64::INFINITY;
            for (at, size, round) in &obstacles {
                let upper: [f64; 3] = std::array::from_fn(|i| at[i] + size[i]);
                let point: [f64; 3] = if *round {
                    world = world.with_ball(at, size[0]).unwrap();
                    let away: [f64; 3] = std::array::from_fn(|i| q[i] - at[i]);
                    let length = away.iter().map(|v| v * v).sum::<f64>().sqrt();
                    let share = if length > size[0] { size[0] / length } else { 1.0 };
                    std::array::from_fn(|i| at[i] + share * away[i])
                } else {
                    world = world.with_box(at, &upper).unwrap();
                    std::array::from_fn(|i| q[i].clamp(at[i], upper[i]))
                };
                let distance: f64 = (0..3).map(|i| (q[i] - point[i]).powi(2)).sum::<f64>().sqrt();
                nearest = nearest.min(distance);
            }
            prop_assume!((nearest - robot).abs() > 1e-9);
            prop_assert_eq!(world.free_at(&q), nearest > robot);
        }
    }
}
