//! Trajectories: a path with times, under limits of velocity and acceleration.
//!
//! A path is a chain of straight motions in joint space, and those were checked, so the trajectory
//! keeps to them: each motion speeds up and slows down along its straight line as fast as the
//! slowest joint allows, and the arm rests for an instant at every vertex. The time along each
//! line is Ruckig's time-optimal profile between two rests. Cutting corners would be faster, but
//! would leave what was checked.

use crate::arm::Arm;
use psmp::Space;
use rsruckig::prelude::*;
use thiserror::Error;

/// The greatest velocity, in radians or metres a second, of a joint whose URDF gives none.
pub const DEFAULT_VELOCITY: f64 = 1.0;
/// The greatest acceleration of a joint unless told; a URDF gives none.
pub const DEFAULT_ACCELERATION: f64 = 1.0;

/// Why a path gets no times.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum TrajectoryError {
    /// A limit is not positive and finite.
    #[error("the {what} limit {value} of joint `{joint}` is not a positive number")]
    Limit {
        /// Velocity or acceleration.
        what: &'static str,
        /// The joint.
        joint: String,
        /// The limit.
        value: f64,
    },
    /// The profile of a motion cannot be computed.
    #[error("motion {motion} of the path gets no times: {reason}")]
    Motion {
        /// The motion, counted from 1.
        motion: usize,
        /// Why.
        reason: String,
    },
}

/// How fast the joints of an arm may move.
#[derive(Debug, Clone, PartialEq)]
pub struct MotionLimits {
    /// The greatest velocity of each joint.
    pub velocity: Vec<f64>,
    /// The greatest acceleration of each joint.
    pub acceleration: Vec<f64>,
}

impl MotionLimits {
    /// The velocities that the URDF gives, and one acceleration for all joints.
    #[must_use]
    pub fn of(arm: &Arm, acceleration: f64) -> Self {
        Self {
            velocity: arm
                .velocity_limits()
                .map(|v| v.unwrap_or(DEFAULT_VELOCITY))
                .collect(),
            acceleration: vec![acceleration; arm.dimension()],
        }
    }
}

/// An instant of a trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct Instant {
    /// Seconds from the start.
    pub time: f64,
    /// Where the joints are.
    pub positions: Vec<f64>,
    /// How fast they move.
    pub velocities: Vec<f64>,
    /// How fast that changes.
    pub accelerations: Vec<f64>,
}

/// A path with times.
pub struct Trajectory {
    space: Space,
    motions: Vec<Motion>,
}

/// A straight motion from rest to rest.
struct Motion {
    from: Vec<f64>,
    to: Vec<f64>,
    /// When it begins, and how long it takes.
    begins: f64,
    lasts: f64,
    /// The share of the motion by time.
    share: rsruckig::trajectory::Trajectory<1>,
}

impl Trajectory {
    /// The fastest trajectory along a path that keeps to its straight motions, rests at its
    /// vertices, and exceeds no limit. Configurations that repeat are passed over.
    ///
    /// # Errors
    /// If a limit is not positive and finite.
    pub fn along(
        arm: &Arm,
        path: &[&[f64]],
        limits: &MotionLimits,
    ) -> Result<Self, TrajectoryError> {
        for (what, values) in [
            ("velocity", &limits.velocity),
            ("acceleration", &limits.acceleration),
        ] {
            let named = arm.names().zip(values);
            if let Some((joint, &value)) = { named }.find(|(_, v)| !(**v > 0.0 && v.is_finite())) {
                let joint = joint.to_owned();
                return Err(TrajectoryError::Limit { what, joint, value });
            }
        }
        let space = arm.space();
        let mut motions = Vec::with_capacity(path.len());
        let mut begins = 0.0;
        for (index, pair) in path.windows(2).enumerate() {
            let ways: Vec<f64> = space
                .axes()
                .iter()
                .zip(pair[0].iter().zip(pair[1]))
                .map(|(axis, (&a, &b))| axis.difference(a, b).abs())
                .collect();
            // How many such motions a second the slowest joint allows.
            let slowest = |limits: &[f64]| {
                let each = limits.iter().zip(&ways).filter(|(_, way)| **way > 0.0);
                each.map(|(limit, way)| limit / way)
                    .fold(f64::INFINITY, f64::min)
            };
            let (velocity, acceleration) =
                (slowest(&limits.velocity), slowest(&limits.acceleration));
            if velocity.is_infinite() {
                continue;
            }
            let share =
                profile(velocity, acceleration).map_err(|reason| TrajectoryError::Motion {
                    motion: index + 1,
                    reason,
                })?;
            let lasts = share.get_duration();
            motions.push(Motion {
                from: pair[0].to_vec(),
                to: pair[1].to_vec(),
                begins,
                lasts,
                share,
            });
            begins += lasts;
        }
        Ok(Self {
            space: space.clone(),
            motions,
        })
    }

    /// How many seconds it takes.
    #[must_use]
    pub fn duration(&self) -> f64 {
        self.motions.last().map_or(0.0, |m| m.begins + m.lasts)
    }

    /// The trajectory at a time; before its start or after its end, at rest there. `None` if the
    /// path has no motion.
    #[must_use]
    pub fn at(&self, time: f64) -> Option<Instant> {
        let time = time.clamp(0.0, self.duration());
        let after = self.motions.partition_point(|m| m.begins <= time);
        let motion = self.motions.get(after.saturating_sub(1))?;
        let (share, speed, change) = motion.state(time);
        let mut positions = vec![0.0; motion.from.len()];
        self.space
            .interpolate(&motion.from, &motion.to, share, &mut positions);
        let ways = || {
            let ends = motion.from.iter().zip(&motion.to);
            let axes = self.space.axes().iter().zip(ends);
            axes.map(|(axis, (&a, &b))| axis.difference(a, b))
        };
        Some(Instant {
            time,
            positions,
            velocities: ways().map(|way| way * speed).collect(),
            accelerations: ways().map(|way| way * change).collect(),
        })
    }

    /// Instants every `period` seconds, both ends and every vertex of the path included.
    pub fn instants(&self, period: f64) -> impl Iterator<Item = Instant> + '_ {
        let period = period.max(1e-6);
        let within = self.motions.iter().flat_map(move |motion| {
            let count = (motion.lasts / period).ceil().max(1.0) as usize;
            (0..count).map(move |i| motion.begins + motion.lasts * i as f64 / count as f64)
        });
        let end = (!self.motions.is_empty()).then(|| self.duration());
        within.chain(end).filter_map(|time| self.at(time))
    }
}

impl Motion {
    /// The share of the motion, its speed and its acceleration at a time.
    fn state(&self, time: f64) -> (f64, f64, f64) {
        // Exactly at the end, where rounding would leave it a hair before: also that of `time - begins`.
        if time >= self.begins + self.lasts {
            return (1.0, 0.0, 0.0);
        }
        let zero = || DataArrayOrVec::<f64, 1>::new(None, 0.0);
        let (mut share, mut speed, mut change) = (zero(), zero(), zero());
        self.share.at_time(
            (time - self.begins).max(0.0),
            &mut Some(&mut share),
            &mut Some(&mut speed),
            &mut Some(&mut change),
            &mut None,
            &mut None,
        );
        (share[0].clamp(0.0, 1.0), speed[0], change[0])
    }
}

/// Ruckig's profile from 0 to 1 between two rests.
fn profile(
    velocity: f64,
    acceleration: f64,
) -> Result<rsruckig::trajectory::Trajectory<1>, String> {
    let mut ruckig = Ruckig::<1, ThrowErrorHandler>::new(None, 0.01);
    let mut input = InputParameter::<1>::new(None);
    input.target_position[0] = 1.0;
    input.max_velocity[0] = velocity;
    input.max_acceleration[0] = acceleration;
    let mut trajectory = rsruckig::trajectory::Trajectory::<1>::new(None);
    match ruckig.calculate(&input, &mut trajectory) {
        Ok(RuckigResult::Working | RuckigResult::Finished) => Ok(trajectory),
        Ok(other) => Err(format!("{other:?}")),
        Err(e) => Err(e.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models;

    fn arm() -> Arm {
        let (robot, semantics) = models::panda_like();
        Arm::new(robot, &semantics, "arm").unwrap()
    }

    #[test]
    fn limits_are_kept_and_nearly_reached_on_the_straight_motions() {
        let arm = arm();
        let a = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
        let b = [2.0, 0.5, 0.0, -1.0, 0.3, 1.0, 0.785];
        let c = [2.0, 0.52, 0.0, -1.0, 0.3, 1.0, 0.785];
        let limits = MotionLimits::of(&arm, 3.0);
        let trajectory = Trajectory::along(&arm, &[&a, &b, &b, &c], &limits).unwrap();
        let instants: Vec<Instant> = trajectory.instants(0.004).collect();
        assert_eq!(instants[0].positions, a);
        let last = instants.last().unwrap();
        assert_eq!(last.positions, c);
        assert!(last.velocities.iter().all(|v| v.abs() < 1e-6));
        assert!(instants.iter().any(|i| i.positions == b));
        let (mut fastest, mut hardest) = (0.0_f64, 0.0_f64);
        for pair in instants.windows(2) {
            let step = pair[1].time - pair[0].time;
            assert!(step > 0.0 && step <= 0.004 + 1e-9);
            for joint in 0..7 {
                let velocity = pair[0].velocities[joint];
                let moved = (pair[1].positions[joint] - pair[0].positions[joint]) / step;
                let (most, push) = (limits.velocity[joint], limits.acceleration[joint]);
                // What is said of the velocity is what the positions do.
                assert!((moved - velocity).abs() <= push * step + 1e-6);
                assert!(velocity.abs() <= most + 1e-6);
                assert!(pair[0].accelerations[joint].abs() <= push + 1e-6);
                fastest = fastest.max(velocity.abs() / most);
                hardest = hardest.max(pair[0].accelerations[joint].abs() / push);
            }
        }
        // As fast as the limits allow: one of them is reached.
        assert!(fastest > 0.99 && hardest > 0.99, "{fastest} {hardest}");
        // On the first motion all joints go the same share of their way.
        for instant in instants
            .iter()
            .filter(|i| i.time < trajectory.motions[0].lasts)
        {
            let share = instant.positions[0] / 2.0;
            for joint in 0..7 {
                let expected = a[joint] + share * (b[joint] - a[joint]);
                assert!((instant.positions[joint] - expected).abs() < 1e-9);
            }
        }
        // By hand: the first joint goes 2 rad, at most 2.175 rad/s and 3 rad/s^2.
        let by_hand = 2.0 / 2.175 + 2.175 / 3.0;
        assert!((trajectory.motions[0].lasts - by_hand).abs() < 1e-6);
    }

    #[test]
    fn it_ends_where_the_path_ends_to_the_last_bit() {
        let arm = arm();
        let limits = MotionLimits::of(&arm, 2.0);
        let configurations = psmp::roadmap::uniform(arm.space(), 400, 3);
        let each: Vec<&[f64]> = configurations.chunks_exact(arm.dimension()).collect();
        for path in each.chunks(8) {
            let trajectory = Trajectory::along(&arm, path, &limits).unwrap();
            let last = trajectory.instants(0.1).last().unwrap();
            assert_eq!(last.positions, path[7]);
            assert!(last.velocities.iter().all(|&v| v == 0.0));
        }
    }

    #[test]
    fn nonsense_is_refused_and_no_motion_takes_no_time() {
        let arm = arm();
        let a = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
        let limits = MotionLimits::of(&arm, 0.0);
        let error = Trajectory::along(&arm, &[&a, &a], &limits).err().unwrap();
        assert!(error.to_string().contains("acceleration"), "{error}");
        let limits = MotionLimits::of(&arm, 1.0);
        let still = Trajectory::along(&arm, &[&a, &a], &limits).unwrap();
        assert_eq!(still.duration(), 0.0);
        assert_eq!(still.instants(0.1).count(), 0);
    }
}
