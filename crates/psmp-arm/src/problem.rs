//! A problem for an arm: where it stands, what is around it, from where to where.

use crate::arm::{Arm, ArmError};
use crate::checking::{CheckedArm, Checking};
use crate::exact::ExactWorld;
use crate::inverse::Search;
use crate::scene::{MotionRequest, Scene};
use crate::sphere_cover::SphereModel;
use crate::spheres::SphereWorld;
use psmp::End;

/// What touches what at an end of a query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touch {
    /// The end.
    pub end: End,
    /// A link, or a thing that a link holds.
    pub body: String,
    /// What it touches: an object of the scene, or another link.
    pub other: String,
}

/// An arm in a scene, with a start and goals.
#[derive(Debug, Clone)]
pub struct ArmProblem {
    /// The arm, with the joints outside its group where scene and request have them.
    pub arm: Arm,
    /// What stands around it.
    pub scene: Scene,
    /// The configuration to begin in.
    pub start: Vec<f64>,
    /// Configurations of which any one is to be ended in, the nearest to the start first.
    pub goals: Vec<Vec<f64>>,
}

impl ArmProblem {
    /// The problem that a request poses to an arm in a scene. Joints outside the arm's group stay
    /// where the request has them at its start, or else where the scene has them. Of a pose that is a
    /// goal, the configurations are those that a [`Search`] finds.
    ///
    /// # Errors
    /// If the scene or the request names a joint or a link that the robot has not, or gives a joint of
    /// the group no position or one outside its limits; no configuration is found for any goal; or the
    /// scene attaches something to a link that the robot has not.
    pub fn new(arm: &Arm, scene: Scene, request: &MotionRequest) -> Result<Self, ArmError> {
        let arm = arm.with_state(&scene.state)?.with_state(&request.start)?;
        let start = arm.configuration(&request.start)?;
        let goals = arm.goals(&request.goals, &start, &Search::default())?;
        Ok(Self {
            arm,
            scene,
            start,
            goals,
        })
    }

    /// What touches what by the true shapes where that leaves nothing to plan: at the start, or at every
    /// goal, one for each. Nothing if start and a goal are free.
    ///
    /// # Errors
    /// If the scene attaches something to a link that the robot has not.
    pub fn touches(&self) -> Result<Vec<Touch>, ArmError> {
        let mut world = ExactWorld::new(&self.arm, &self.scene)?;
        let mut touch = |end: End, q: &[f64]| {
            let (body, other) = world.contact(q)?;
            Some(Touch {
                end,
                body: body.to_owned(),
                other: other.to_owned(),
            })
        };
        if let Some(touch) = touch(End::Start, &self.start) {
            return Ok(vec![touch]);
        }
        let goals = self.goals.iter();
        let touches: Option<Vec<Touch>> = goals.map(|goal| touch(End::Goal, goal)).collect();
        Ok(touches.unwrap_or_default())
    }

    /// Allows two to touch: links, things that are held, or objects of the scene.
    ///
    /// # Errors
    /// If one of them is nowhere.
    pub fn allow(&mut self, one: &str, other: &str) -> Result<(), ArmError> {
        self.arm.allow(&mut self.scene, one, other)
    }

    /// What can be done about a touch, in words that follow "change the start or goal": an object can be
    /// moved, a part of the robot cannot.
    #[must_use]
    pub fn remedy(&self, touch: &Touch) -> String {
        let Touch { body, other, .. } = touch;
        match self.scene.object(other) {
            Some(_) => format!(
                "move `{other}`, or allow the two to touch: `--allow {body},{other}` (in Python \
                 `allow=[(\"{body}\", \"{other}\")]`)"
            ),
            None => format!(
                "because the arm collides with itself there; or, if the two never matter to each \
                 other, allow them to touch: `--allow {body},{other}` (in Python \
                 `allow=[(\"{body}\", \"{other}\")]`)"
            ),
        }
    }

    /// The world of the problem with the arm covered by spheres.
    ///
    /// # Errors
    /// If the scene attaches something to a link that the robot has not.
    pub fn sphere_world(&self, spheres: &SphereModel) -> Result<SphereWorld, ArmError> {
        SphereWorld::new(&self.arm, spheres, &self.scene)
    }

    /// The arm of the problem, checked in this way.
    ///
    /// # Errors
    /// If the scene attaches something to a link that the robot has not.
    pub fn checked(
        &self,
        checking: Checking,
        spheres: &SphereModel,
    ) -> Result<CheckedArm, ArmError> {
        CheckedArm::new(checking, &self.arm, spheres, &self.scene)
    }
}
