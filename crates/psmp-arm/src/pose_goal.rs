//! Where a link is to be: a region of poses.
//!
//! A point of the link is to lie in one of some volumes, its orientation within tolerances of a wanted
//! one, or both. Tolerances of nothing make one pose of the region. [`Inverse`](crate::Inverse) finds
//! configurations for it.

use crate::pose::{Pose, cross, norm};
use serde::{Deserialize, Serialize};
use std::f64::consts::PI;

/// Where a link is to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PoseGoal {
    /// The link; the [tip](crate::Arm::tip) of the arm if none is named.
    pub link: Option<String>,
    /// Where a point of it is to be; anywhere if not given.
    pub position: Option<PositionGoal>,
    /// How it is to be turned; in any way if not given.
    pub orientation: Option<OrientationGoal>,
}

/// Where a point of a link is to be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PositionGoal {
    /// The point, in the frame of the link.
    pub point: [f64; 3],
    /// The link in whose frame the volumes are; the root if none is named.
    pub frame: Option<String>,
    /// Volumes and where their centres are. The point is to be in any one of them.
    pub volumes: Vec<(Pose, Volume)>,
}

/// A part of space around its own origin.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub enum Volume {
    /// A box by half its sides.
    Box([f64; 3]),
    /// A sphere by its radius.
    Sphere(f64),
}

/// How a link is to be turned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OrientationGoal {
    /// The link in whose frame the orientation is; the root if none is named.
    pub frame: Option<String>,
    /// The orientation wanted, a rotation matrix by rows.
    pub rotation: [[f64; 3]; 3],
    /// How far each of the angles from there may be from 0.
    pub tolerance: [f64; 3],
    /// Which angles these are.
    pub angles: Angles,
}

/// Three angles that a rotation is measured by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Angles {
    /// About x, then about the y and the z that have turned along.
    #[default]
    Euler,
    /// The axis of the rotation times its angle.
    RotationVector,
}

impl PoseGoal {
    /// Exactly this pose of a link, or of the arm's tool, in the frame of the root.
    #[must_use]
    pub fn exact(link: Option<&str>, pose: &Pose) -> Self {
        Self {
            orientation: Some(OrientationGoal {
                frame: None,
                rotation: pose.rotation,
                tolerance: [0.0; 3],
                angles: Angles::RotationVector,
            }),
            ..Self::at(link, pose.translation)
        }
    }

    /// The origin of a link, or of the arm's tool, at this place in the frame of the root, turned in
    /// any way.
    #[must_use]
    pub fn at(link: Option<&str>, position: [f64; 3]) -> Self {
        Self {
            link: link.map(str::to_owned),
            position: Some(PositionGoal {
                point: [0.0; 3],
                frame: None,
                volumes: vec![(Pose::at(position), Volume::Sphere(0.0))],
            }),
            orientation: None,
        }
    }

    /// The same goal, to be met within a distance, and an angle about any axis, of all that it allows.
    #[must_use]
    pub fn within(mut self, distance: f64, angle: f64) -> Self {
        for (_, volume) in self.position.iter_mut().flat_map(|p| &mut p.volumes) {
            match volume {
                Volume::Box(half) => *half = half.map(|h| h + distance),
                Volume::Sphere(radius) => *radius += distance,
            }
        }
        if let Some(orientation) = &mut self.orientation {
            orientation.tolerance = orientation.tolerance.map(|t| t + angle);
        }
        self
    }
}

/// How far a pose is from a goal.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Miss {
    /// How far the point is from the nearest volume, in metres.
    pub distance: f64,
    /// By how much the angles exceed their tolerances, in radians.
    pub angle: f64,
}

impl Miss {
    /// What is nearer than this, in metres and radians, is there: as near as arithmetic gets where an
    /// arm is stretched out.
    pub const PRECISION: f64 = 1e-6;

    /// Whether the goal is met.
    #[must_use]
    pub fn is_hit(&self) -> bool {
        self.distance <= Self::PRECISION && self.angle <= Self::PRECISION
    }
}

impl Volume {
    /// How far a point is outside of a share of the volume, along each axis of its frame, and which of
    /// these numbers change when the point moves.
    pub(crate) fn excess(&self, point: [f64; 3], share: f64) -> ([f64; 3], [bool; 3]) {
        match *self {
            Self::Box(half) => {
                let excess = beyond(point, half.map(|h| h * share));
                (excess, excess.map(|e| e != 0.0))
            }
            Self::Sphere(radius) => {
                let distance = norm(point);
                let outside = distance - radius * share;
                // What is not a number is nowhere.
                match outside <= 0.0 {
                    true => ([0.0; 3], [false; 3]),
                    false => (point.map(|v| v * (outside / distance)), [true; 3]),
                }
            }
        }
    }
}

/// How far each number is beyond its tolerance on either side of 0.
pub(crate) fn beyond(values: [f64; 3], tolerance: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| values[i] - values[i].max(-tolerance[i]).min(tolerance[i]))
}

impl Angles {
    /// The angles of a rotation.
    pub(crate) fn of(self, rotation: &[[f64; 3]; 3]) -> [f64; 3] {
        match self {
            Self::Euler => {
                let [[a, b, c], [_, _, f], [_, _, i]] = *rotation;
                [(-f).atan2(i), c.clamp(-1.0, 1.0).asin(), (-b).atan2(a)]
            }
            Self::RotationVector => rotation_vector(rotation),
        }
    }

    /// How fast the angles change, by rows, as what has them turns about the axes of the frame that
    /// they are measured in.
    pub(crate) fn rates(self, angles: [f64; 3]) -> [[f64; 3]; 3] {
        match self {
            Self::Euler => {
                let ((sa, ca), (sb, cb)) = (angles[0].sin_cos(), angles[1].sin_cos());
                // Where the first and the last axis are one, a turn about them is of neither alone.
                let cb = cb.max(0.1);
                [
                    [1.0, sb * sa / cb, -sb * ca / cb],
                    [0.0, ca, sa],
                    [0.0, -sa / cb, ca / cb],
                ]
            }
            Self::RotationVector => {
                let angle = norm(angles);
                let unit = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
                let curve = match angle < 1e-3 {
                    true => 1.0 / 12.0,
                    false => (1.0 - 0.5 * angle / (0.5 * angle).tan()) / (angle * angle),
                };
                // The identity, less half the cross product with the angles, and that applied twice.
                let column = |axis: usize| {
                    let once = cross(angles, unit[axis]);
                    let twice = cross(angles, once);
                    std::array::from_fn(|i| unit[axis][i] - 0.5 * once[i] + curve * twice[i])
                };
                let columns: [[f64; 3]; 3] = [column(0), column(1), column(2)];
                [0, 1, 2].map(|i| [columns[0][i], columns[1][i], columns[2][i]])
            }
        }
    }
}

/// The axis of a rotation times its angle, from 0 to pi.
fn rotation_vector(r: &[[f64; 3]; 3]) -> [f64; 3] {
    let twice_sine = [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]];
    let sine = 0.5 * norm(twice_sine);
    let cosine = 0.5 * (r[0][0] + r[1][1] + r[2][2] - 1.0);
    let angle = sine.atan2(cosine);
    if sine > 1e-6 {
        return twice_sine.map(|v| 0.5 * v * angle / sine);
    }
    if cosine > 0.0 {
        return twice_sine.map(|v| 0.5 * v);
    }
    // Half a turn: the rotation is twice the axis' product with itself, less the identity.
    let longest = (0..3)
        .max_by(|&a, &b| r[a][a].total_cmp(&r[b][b]))
        .unwrap_or(0);
    let mut axis = [r[0][longest], r[1][longest], r[2][longest]];
    axis[longest] += 1.0;
    let length = norm(axis);
    axis.map(|v| v * PI / length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn product(a: &[[f64; 3]; 3], b: &[[f64; 3]; 3]) -> [[f64; 3]; 3] {
        let pose = |rotation: &[[f64; 3]; 3]| Pose {
            rotation: *rotation,
            translation: [0.0; 3],
        };
        pose(a).then(&pose(b)).rotation
    }

    fn about(axis: usize, angle: f64) -> [[f64; 3]; 3] {
        let mut rpy = [0.0; 3];
        rpy[axis] = angle;
        Pose::from_xyz_rpy([0.0; 3], rpy).rotation
    }

    #[test]
    fn angles_are_those_that_a_rotation_was_made_of() {
        let made = product(&product(&about(0, 0.3), &about(1, -0.4)), &about(2, 2.9));
        for (angle, expected) in Angles::Euler.of(&made).into_iter().zip([0.3, -0.4, 2.9]) {
            assert!((angle - expected).abs() < 1e-12);
        }
        for angle in [0.0, 1e-9, 1.0, PI - 1e-9, PI] {
            for axis in 0..3 {
                let vector = Angles::RotationVector.of(&about(axis, angle));
                for (i, v) in vector.into_iter().enumerate() {
                    let expected = if i == axis { angle } else { 0.0 };
                    assert!((v.abs() - expected).abs() < 1e-8, "{vector:?}");
                }
            }
        }
    }

    #[test]
    fn rates_are_what_small_turns_do() {
        let start = product(&product(&about(0, 0.5), &about(1, -0.7)), &about(2, 1.2));
        for angles in [Angles::Euler, Angles::RotationVector] {
            let rates = angles.rates(angles.of(&start));
            for (i, rates) in rates.iter().enumerate() {
                for (axis, rate) in rates.iter().enumerate() {
                    let small = 1e-6;
                    let turned = product(&about(axis, small), &start);
                    let change = (angles.of(&turned)[i] - angles.of(&start)[i]) / small;
                    assert!((change - rate).abs() < 1e-5, "{angles:?} {i} {axis}");
                }
            }
        }
    }
}
