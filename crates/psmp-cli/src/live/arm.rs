//! An arm in a scene, whose joints at start and goal can be set and whose objects can be dragged.

use super::{Move, Problem, Refused};
use psmp::checker::World;
use psmp::{End, Space};
use psmp_arm::{ArmError, ArmProblem, CheckedArm, Checking, SphereModel};
use psmp_report::report::live;
use psmp_report::report::run_page::ArmScene;
use psmp_worlds::OccupancyGrid;
use serde_json::{Value, json};
use std::sync::Arc;

/// No object is dragged farther at a time, in metres.
const FARTHEST: f64 = 10.0;
/// Nor farther from the robot.
const FAR_AWAY: f64 = 100.0;

/// A problem of an arm, and how it is checked.
#[derive(Clone)]
pub struct ArmInScene {
    pub problem: ArmProblem,
    pub spheres: Arc<SphereModel>,
    pub checking: Checking,
    /// The greatest acceleration of every joint.
    pub acceleration: f64,
}

impl ArmInScene {
    /// Sees that these are joints of the arm within their limits.
    fn check(&self, joints: &[f64]) -> Result<(), Refused> {
        let arm = &self.problem.arm;
        let axes = arm.space().axes();
        if joints.len() != axes.len() {
            return Err(Refused::Nonsense(format!(
                "the arm has {} joints, and here are {} values",
                axes.len(),
                joints.len()
            )));
        }
        for ((name, axis), value) in arm.names().zip(axes).zip(joints) {
            let within = axis.lower()..=axis.upper();
            if !(value.is_finite() && (axis.wraps() || within.contains(value))) {
                return Err(Refused::Nonsense(format!(
                    "joint `{name}` is not at {value}: it goes from {} to {}",
                    axis.lower(),
                    axis.upper()
                )));
            }
        }
        Ok(())
    }

    /// Sees that there is something to plan: start and a goal are free.
    fn must_be_free(&self, kept: &str) -> Result<(), Refused> {
        let wrong = |e: ArmError| Refused::NotFree(e.to_string());
        let touches = self.problem.touches().map_err(wrong)?;
        if let Some(touch) = touches.first() {
            return Err(Refused::NotFree(format!(
                "The {} would be in collision: `{}` touches `{}`. {kept}",
                touch.end, touch.body, touch.other
            )));
        }
        if !self.checking.is_careful() {
            return Ok(());
        }
        let mut world = self.checked().map_err(wrong)?;
        let mut is_free = |q: &[f64]| {
            let Ok(free) = world.is_free(q);
            free
        };
        let goals = &self.problem.goals;
        let end = match is_free(&self.problem.start) {
            false => End::Start,
            true if goals.iter().any(|goal| is_free(goal)) => return Ok(()),
            true => End::Goal,
        };
        Err(Refused::NotFree(format!(
            "The {end} would be free, but the spheres that cover the arm touch something. {kept}"
        )))
    }

    /// The arm as it is checked in this scene.
    pub fn checked(&self) -> Result<CheckedArm, ArmError> {
        self.problem.checked(self.checking, &self.spheres)
    }
}

impl Problem for ArmInScene {
    fn moved(&self, by: Move) -> Result<Self, Refused> {
        let mut moved = self.clone();
        let problem = &mut moved.problem;
        match by {
            Move::Start { to } => {
                self.check(&to)?;
                problem.start = to;
                moved.must_be_free("The arm begins where it did.")?;
            }
            Move::Goal { to } => {
                self.check(&to)?;
                problem.goals = vec![to];
                moved.must_be_free("The arm ends where it did.")?;
            }
            Move::Object { object, by } => {
                let count = problem.scene.objects.len();
                let Some(object) = problem.scene.objects.get_mut(object) else {
                    return Err(Refused::Nonsense(format!(
                        "there is no object {object}: the scene has {count}, counted from 0"
                    )));
                };
                if by.iter().any(|d| d.abs() > FARTHEST) {
                    return Err(Refused::Nonsense(format!(
                        "an object is moved by at most {FARTHEST} m at a time"
                    )));
                }
                for placed in &mut object.shapes {
                    for (at, by) in placed.pose.translation.iter_mut().zip(by) {
                        *at += by;
                        if at.abs() > FAR_AWAY {
                            return Err(Refused::Nonsense(format!(
                                "`{}` would be more than {FAR_AWAY} m away",
                                object.name
                            )));
                        }
                    }
                }
                let kept = format!("`{}` stays where it was.", object.name);
                moved.must_be_free(&kept)?;
            }
        }
        Ok(moved)
    }

    fn pose(&self, joints: &[f64]) -> Result<Value, Refused> {
        self.check(joints)?;
        Ok(json!(live::pose(&self.problem.arm, joints)))
    }

    fn space(&self) -> &Space {
        self.problem.arm.space()
    }

    fn ends(&self) -> [&[f64]; 2] {
        [&self.problem.start, &self.problem.goals[0]]
    }

    fn obstacles(&self) -> [Option<&OccupancyGrid>; 2] {
        [None, None]
    }

    fn arm(&self) -> Option<ArmScene<'_>> {
        Some(ArmScene {
            arm: &self.problem.arm,
            scene: &self.problem.scene,
            acceleration: self.acceleration,
        })
    }
}
