//! An arm: the joints of a robot that are planned for, and everything else held still.

use crate::geometry::FARTHEST;
use crate::inverse::{Inverse, Search};
use crate::kinematics::Kinematics;
use crate::pairs::adjacent_links;
use crate::pose::Pose;
use crate::robot::{Robot, Variable};
use crate::robot_hash::add;
use crate::scene::Goal;
use crate::srdf::{NamedState, Semantics};
use crate::whereabouts::Whereabouts;
use psmp::{Axis, Space};
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::hash::Hasher;
use std::sync::Arc;
use thiserror::Error;
use twox_hash::XxHash64;

/// Why a robot, a group and positions do not make an arm.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ArmError {
    /// The SRDF has no such group.
    #[error("there is no group `{group}`; the SRDF has {}", list(.known))]
    Group {
        /// The group asked for.
        group: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// The group has nothing that moves.
    #[error("group `{0}` has no joint that moves")]
    Empty(String),
    /// A joint of the group has no limits, or they leave no room.
    #[error("joint `{joint}` cannot be planned for: its limits are {limits}")]
    Limits {
        /// The joint.
        joint: String,
        /// What they are.
        limits: String,
    },
    /// The group has no state of this name.
    #[error("group `{group}` has no state `{state}`; it has {}", states(.known))]
    State {
        /// The group.
        group: String,
        /// The state asked for.
        state: String,
        /// Those that there are.
        known: Vec<String>,
    },
    /// A configuration has too many values or too few.
    #[error("{given} values are given, and group `{group}` has {} joints: {}", .joints.len(), .joints.join(", "))]
    Count {
        /// The group.
        group: String,
        /// How many values are given.
        given: usize,
        /// The group's joints.
        joints: Vec<String>,
    },
    /// The robot has no such joint.
    #[error("robot `{robot}` has no joint `{joint}`")]
    Joint {
        /// The robot.
        robot: String,
        /// The joint asked for.
        joint: String,
    },
    /// A joint of the group is given no position.
    #[error("joint `{0}` is given no position")]
    Missing(String),
    /// A joint that follows another is given a position that it does not have then.
    #[error("joint `{joint}` is at {value}, but it follows `{followed}`, and so is at {expected}")]
    Mimic {
        /// The joint.
        joint: String,
        /// The position that it is given.
        value: f64,
        /// The joint that it follows.
        followed: String,
        /// The position that it has.
        expected: f64,
    },
    /// A position is outside the joint's limits.
    #[error("joint `{joint}` is at {value}, outside its limits [{low}, {high}]")]
    OutOfLimits {
        /// The joint.
        joint: String,
        /// Its position.
        value: f64,
        /// The lower limit.
        low: f64,
        /// The upper limit.
        high: f64,
    },
    /// The robot has no such link.
    #[error("robot `{robot}` has no link `{link}`; among others it has {}", .known.join(", "))]
    Link {
        /// The robot.
        robot: String,
        /// The link asked for.
        link: String,
        /// Those that there are, the likeliest first.
        known: Vec<String>,
    },
    /// A link is to be brought somewhere, but the arm does not move it.
    #[error("group `{group}` does not move link `{link}`")]
    Still {
        /// The link.
        link: String,
        /// The group.
        group: String,
    },
    /// A pose is given in a frame that moves.
    #[error("link `{link}` moves with group `{group}`, so that no pose can be given in its frame")]
    MovingFrame {
        /// The link.
        link: String,
        /// The group.
        group: String,
    },
    /// No configuration was found that brings a link where it is wanted.
    #[error(
        "no configuration was found that brings link `{link}` there: the nearest misses by \
         {distance:.3} m and {degrees:.1} degrees after {restarts} restarts"
    )]
    Unreachable {
        /// The link.
        link: String,
        /// How far the nearest is from there, in metres.
        distance: f64,
        /// How much it is turned from there, in degrees.
        degrees: f64,
        /// How often it was tried.
        restarts: usize,
    },
    /// A scene names a link that the robot has not.
    #[error("`{object}` is attached to link `{link}`, which robot `{robot}` has not")]
    AttachedLink {
        /// The object.
        object: String,
        /// The link.
        link: String,
        /// The robot.
        robot: String,
    },
    /// Nothing is called that.
    #[error("there is no link, held thing or object `{name}`; there are {}, among others", list(.known))]
    Nowhere {
        /// The name.
        name: String,
        /// Names that there are, the likeliest first.
        known: Vec<String>,
    },
    /// A shape cannot move with a link.
    #[error("`{0}` has a half-space or a heightfield, which cannot be part of what moves")]
    MovingGround(String),
    /// Scenes of one table attach something.
    #[error("`{0}` is attached to the arm, but the arm must be the same in all scenes of a table")]
    AttachedInTable(String),
}

impl ArmError {
    /// What the user can do about it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::State { .. } => "name a state of the group, or give a value for each joint",
            Self::Count { .. } => "give one value for each joint, in this order",
            Self::Link { .. } => "name a link of the robot",
            Self::Still { .. } => "name a link that hangs on a joint of the group",
            Self::MovingFrame { .. } => {
                "give the pose in the frame of the root, or of a link that stands still"
            }
            Self::Unreachable { .. } => {
                "give a pose within the arm's reach and its joints' limits, or allow more restarts"
            }
            Self::Group { .. } => "name a group of the SRDF",
            Self::Empty(_) => "name a group with a revolute, continuous or prismatic joint",
            Self::Limits { .. } => {
                "give the joint finite limits in the URDF, the lower below the upper, at most 10000"
            }
            Self::Joint { .. } => "give the scene or request that belongs to the robot",
            Self::Mimic { .. } => {
                "leave out the joint that follows, or give it the position that it has"
            }
            Self::Missing(_) => "give a position to every joint of the group",
            Self::OutOfLimits { .. } => "give positions within the URDF's limits",
            Self::AttachedLink { .. } => "attach it to a link of the robot",
            Self::Nowhere { .. } => {
                "name a link of the robot, a thing that it holds, or an object of the scene"
            }
            Self::AttachedInTable(_) => "take what is attached out of the scenes",
            Self::MovingGround(_) => "use boxes, cylinders, spheres, capsules or meshes",
        }
    }
}

/// The space of an arm's configurations, in which beliefs measure where the arm is.
fn embedded(space: Space, robot: &Robot, kinematics: &Kinematics<f64>) -> Space {
    match Whereabouts::new(robot, kinematics, &space) {
        Some(whereabouts) => space.embedded(Arc::new(whereabouts)),
        None => space,
    }
}

fn list(names: &[String]) -> String {
    match names {
        [] => "no groups".to_owned(),
        names => names.join(", "),
    }
}

fn states(names: &[String]) -> String {
    match names {
        [] => "none".to_owned(),
        names => names.join(", "),
    }
}

/// The joints of a robot that are planned for. A configuration has one number for each of
/// [`Arm::names`]; every other joint is held still.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(into = "ArmParts", try_from = "ArmParts")]
pub struct Arm {
    robot: Arc<Robot>,
    group: String,
    variables: Vec<usize>,
    rest: Vec<f64>,
    space: Space,
    kinematics: Kinematics<f64>,
    disabled: Arc<BTreeSet<(usize, usize)>>,
    states: Arc<[NamedState]>,
    /// The last link of its chain, if it is one.
    tip: Option<usize>,
}

/// All that an arm is made of, to be sent elsewhere.
#[derive(Serialize, Deserialize)]
struct ArmParts {
    robot: Robot,
    group: String,
    variables: Vec<usize>,
    rest: Vec<f64>,
    disabled: BTreeSet<(usize, usize)>,
    states: Vec<NamedState>,
    tip: Option<usize>,
}

impl From<Arm> for ArmParts {
    fn from(arm: Arm) -> Self {
        Self {
            robot: (*arm.robot).clone(),
            group: arm.group,
            variables: arm.variables,
            rest: arm.rest,
            disabled: (*arm.disabled).clone(),
            states: arm.states.to_vec(),
            tip: arm.tip,
        }
    }
}

impl TryFrom<ArmParts> for Arm {
    type Error = ArmError;

    fn try_from(parts: ArmParts) -> Result<Self, ArmError> {
        let arm = Self::of(parts.robot, &parts.group, parts.variables, parts.disabled)?;
        let kinematics = Kinematics::of_variables(&arm.robot, &arm.variables, &parts.rest);
        Ok(Self {
            rest: parts.rest,
            kinematics,
            states: parts.states.into(),
            tip: parts.tip,
            ..arm
        })
    }
}

impl Arm {
    /// The arm that is group `group` of a robot. Joints outside the group are at zero, or at the
    /// nearest position within their limits.
    ///
    /// # Errors
    /// If there is no such group, or it has nothing that can be planned for.
    pub fn new(robot: Robot, semantics: &Semantics, group: &str) -> Result<Self, ArmError> {
        let Some(found) = semantics.group(group) else {
            return Err(ArmError::Group {
                group: group.to_owned(),
                known: semantics.groups.iter().map(|g| g.name.clone()).collect(),
            });
        };
        let variables = robot.variables().iter().enumerate();
        let planned = variables
            .filter(|(_, v)| found.joints.contains(&v.joint))
            .map(|(i, _)| i)
            .collect();
        let states = semantics.states.iter().filter(|s| s.group == group);
        let disabled = semantics.disabled.keys().copied().collect();
        let tip = found.chain(&robot).map(|(_, tip)| tip);
        let arm = Self::of(robot, group, planned, disabled)?;
        Ok(Self {
            states: states.cloned().collect(),
            tip,
            ..arm
        })
    }

    /// The arm that is all of a robot, where there is no SRDF. Links next to each other are not
    /// checked against each other, also if there are links without a shape between them;
    /// [`Semantics::sampled`] finds more that need no check.
    ///
    /// # Errors
    /// If the robot has nothing that can be planned for.
    pub fn whole(robot: Robot) -> Result<Self, ArmError> {
        let disabled = adjacent_links(&robot);
        let all = (0..robot.variables().len()).collect();
        let name = robot.name().to_owned();
        Self::of(robot, &name, all, disabled)
    }

    fn of(
        robot: Robot,
        group: &str,
        variables: Vec<usize>,
        disabled: BTreeSet<(usize, usize)>,
    ) -> Result<Self, ArmError> {
        if variables.is_empty() {
            return Err(ArmError::Empty(group.to_owned()));
        }
        let axis = |&index: &usize| {
            let variable = &robot.variables()[index];
            let limits = |limits: String| ArmError::Limits {
                joint: variable.name.clone(),
                limits,
            };
            match variable.limits {
                Some((low, high)) if low.abs().max(high.abs()) > FARTHEST => {
                    Err(limits(format!("[{low}, {high}]")))
                }
                Some((low, high)) => {
                    Axis::new(low, high).map_err(|_| limits(format!("[{low}, {high}]")))
                }
                None if variable.wraps => Ok(Axis::angle()),
                None => Err(limits("not given".to_owned())),
            }
        };
        let axes = variables.iter().map(axis).collect::<Result<_, _>>()?;
        let space = Space::new(axes).map_err(|_| ArmError::Empty(group.to_owned()))?;
        let rest: Vec<f64> = robot.variables().iter().map(Variable::rest).collect();
        let kinematics = Kinematics::of_variables(&robot, &variables, &rest);
        let space = embedded(space, &robot, &kinematics);
        Ok(Self {
            robot: Arc::new(robot),
            group: group.to_owned(),
            variables,
            rest,
            space,
            kinematics,
            disabled: Arc::new(disabled),
            states: Arc::new([]),
            tip: None,
        })
    }

    /// The same arm with the joints outside its group held at these positions. Joints of the group
    /// and fixed joints may be named too; they change nothing. So may joints that follow another, if
    /// they are where these positions put them.
    ///
    /// # Errors
    /// If the robot has no joint of a name, or one that follows another is given another position.
    pub fn with_state(&self, positions: &[(String, f64)]) -> Result<Self, ArmError> {
        let mut arm = self.clone();
        for (name, value) in positions {
            match self.robot.variable(name) {
                Some(variable) => arm.rest[variable] = *value,
                None if self.robot.joint(name).is_some() => {}
                None => return Err(self.no_joint(name)),
            }
        }
        arm.check_followers(positions)?;
        arm.kinematics = Kinematics::of_variables(&arm.robot, &arm.variables, &arm.rest);
        if arm.kinematics != self.kinematics {
            arm.space = embedded(arm.space, &arm.robot, &arm.kinematics);
        }
        Ok(arm)
    }

    /// Whether the joints that follow others are given the positions that they have.
    fn check_followers(&self, positions: &[(String, f64)]) -> Result<(), ArmError> {
        /// As much as measured positions may be off, in radians or metres.
        const NEAR: f64 = 1e-3;
        let joints = self.robot.joints();
        for (name, value) in positions {
            let joint = self.robot.joint(name).map(|j| &joints[j]);
            let Some(mimic) = joint.and_then(|j| j.mimic) else {
                continue;
            };
            let followed = &joints[mimic.joint].name;
            let given = positions.iter().rev().find(|(name, _)| name == followed);
            let at = match given {
                Some((_, at)) => *at,
                None => match self.robot.variable(followed) {
                    Some(variable) => self.rest[variable],
                    None => continue,
                },
            };
            let expected = mimic.multiplier * at + mimic.offset;
            // What is not a number is near nothing.
            let near = (value - expected).abs() <= NEAR;
            if !near {
                return Err(ArmError::Mimic {
                    joint: name.clone(),
                    value: *value,
                    followed: followed.clone(),
                    expected,
                });
            }
        }
        Ok(())
    }

    /// The configuration in which the joints are at these positions, by name. Joints outside the
    /// group may be named too.
    ///
    /// # Errors
    /// If a joint of the group is not named or is outside its limits, the robot has no joint of a
    /// name, or one that follows another is given another position. What is beyond a limit by less than a millionth counts as at the limit.
    pub fn configuration(&self, positions: &[(String, f64)]) -> Result<Vec<f64>, ArmError> {
        if let Some((name, _)) = positions.iter().find(|(name, _)| {
            self.robot.variable(name).is_none() && self.robot.joint(name).is_none()
        }) {
            return Err(self.no_joint(name));
        }
        self.check_followers(positions)?;
        let value_of = |&index: &usize| {
            let variable = &self.robot.variables()[index];
            let given = positions.iter().find(|(name, _)| *name == variable.name);
            let Some(&(_, value)) = given else {
                return Err(ArmError::Missing(variable.name.clone()));
            };
            match variable.limits {
                Some((low, high)) if !(low - 1e-6..=high + 1e-6).contains(&value) => {
                    Err(ArmError::OutOfLimits {
                        joint: variable.name.clone(),
                        value,
                        low,
                        high,
                    })
                }
                Some((low, high)) => Ok(value.clamp(low, high)),
                // An angle that goes round is brought into the axis.
                None => Ok(value - std::f64::consts::TAU * (value / std::f64::consts::TAU).round()),
            }
        };
        self.variables.iter().map(value_of).collect()
    }

    /// The positions of the group that have names in the SRDF.
    #[must_use]
    pub fn states(&self) -> &[NamedState] {
        &self.states
    }

    /// The positions of the state of this name.
    ///
    /// # Errors
    /// If the group has none.
    pub fn state(&self, name: &str) -> Result<&[(String, f64)], ArmError> {
        let found = self.states.iter().find(|s| s.name == name);
        found.map(|s| &s.positions[..]).ok_or_else(|| {
            let names = self.states.iter().map(|s| s.name.clone());
            ArmError::State {
                group: self.group.clone(),
                state: name.to_owned(),
                known: names.collect(),
            }
        })
    }

    /// Values in the order of [`Arm::names`], by the names of their joints.
    ///
    /// # Errors
    /// If there is not one for each joint.
    pub fn named(&self, values: &[f64]) -> Result<Vec<(String, f64)>, ArmError> {
        let names = self.names().map(str::to_owned);
        match values.len() == self.dimension() {
            true => Ok(names.zip(values.iter().copied()).collect()),
            false => Err(ArmError::Count {
                group: self.group.clone(),
                given: values.len(),
                joints: names.collect(),
            }),
        }
    }

    /// All configurations that these goals stand for, the nearest to `from` first. One that is a pose
    /// and is not reached is passed over if another is.
    ///
    /// # Errors
    /// If there are none, or as for [`Arm::configuration`] and [`Inverse::new`].
    pub fn goals(
        &self,
        goals: &[Goal],
        from: &[f64],
        search: &Search,
    ) -> Result<Vec<Vec<f64>>, ArmError> {
        let (mut found, mut missed) = (Vec::new(), None);
        for goal in goals {
            match goal {
                Goal::Joints(positions) => found.push(self.configuration(positions)?),
                Goal::Pose(pose) => match Inverse::new(self, pose)?.solutions(from, search) {
                    Err(e @ ArmError::Unreachable { .. }) => missed = missed.or(Some(e)),
                    solutions => found.extend(solutions?),
                },
            }
        }
        if let (true, Some(missed)) = (found.is_empty(), missed) {
            return Err(missed);
        }
        let way = |q: &Vec<f64>| self.space.distance(from, q);
        found.sort_by(|a, b| way(a).total_cmp(&way(b)));
        Ok(found)
    }

    /// The link of this name.
    ///
    /// # Errors
    /// If the robot has none.
    pub fn link(&self, name: &str) -> Result<usize, ArmError> {
        /// So many names are told of those that there are.
        const TOLD: usize = 5;
        self.robot.link(name).ok_or_else(|| {
            let links = self.robot.links().iter();
            let mut known: Vec<String> = links.map(|l| l.name.clone()).collect();
            let likeness = |other: &String| strsim::normalized_damerau_levenshtein(name, other);
            known.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
            known.truncate(TOLD);
            ArmError::Link {
                robot: self.robot.name().to_owned(),
                link: name.to_owned(),
                known,
            }
        })
    }

    /// Where a link is that the arm does not move; no name is the root's.
    pub(crate) fn still_frame(&self, name: Option<&str>) -> Result<Pose, ArmError> {
        let Some(name) = name else {
            return Ok(Pose::IDENTITY);
        };
        match self.kinematics.mount(self.link(name)?) {
            (0, pose) => Ok(pose),
            _ => Err(ArmError::MovingFrame {
                link: name.to_owned(),
                group: self.group.clone(),
            }),
        }
    }

    fn no_joint(&self, joint: &str) -> ArmError {
        ArmError::Joint {
            robot: self.robot.name().to_owned(),
            joint: joint.to_owned(),
        }
    }

    /// The robot that the arm is part of.
    #[must_use]
    pub fn robot(&self) -> &Robot {
        &self.robot
    }

    /// The name of the group.
    #[must_use]
    pub fn group(&self) -> &str {
        &self.group
    }

    /// How many numbers a configuration has.
    #[must_use]
    pub fn dimension(&self) -> usize {
        self.variables.len()
    }

    /// The name of each number of a configuration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let variables = self.robot.variables();
        self.variables.iter().map(|&v| variables[v].name.as_str())
    }

    /// The greatest velocity of each number of a configuration, where the URDF gives one.
    pub fn velocity_limits(&self) -> impl Iterator<Item = Option<f64>> + '_ {
        let (variables, joints) = (self.robot.variables(), self.robot.joints());
        let joint = |&v: &usize| joints[variables[v].joint].velocity;
        self.variables.iter().map(joint)
    }

    /// The link that the arm works with: what hangs by fixed joints, at the very end, on the last
    /// link that the arm moves.
    #[must_use]
    pub fn tool(&self) -> usize {
        let (robot, variables) = (&self.robot, self.robot.variables());
        let last = self.variables.iter().map(|&v| variables[v].joint);
        // Links come parents first, so the last of them is farthest out.
        let mut tool = last
            .map(|joint| robot.joints()[joint].child)
            .max()
            .unwrap_or(0);
        let next = |tool: usize| {
            let fixed = |j: &&crate::robot::Joint| {
                j.parent == tool && j.kind == crate::robot::JointKind::Fixed
            };
            robot.joints().iter().find(fixed).map(|j| j.child)
        };
        while let Some(link) = next(tool) {
            tool = link;
        }
        tool
    }

    /// The link that poses are of unless told: the last of the group's chain, or else the
    /// [tool](Self::tool).
    #[must_use]
    pub fn tip(&self) -> usize {
        self.tip.unwrap_or_else(|| self.tool())
    }

    /// The space of configurations, by the joints' limits.
    #[must_use]
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Where links are in a configuration.
    #[must_use]
    pub fn kinematics(&self) -> &Kinematics<f64> {
        &self.kinematics
    }

    /// Adds what this arm is beyond its robot: which variables are planned for, where the others are
    /// held, and which pairs of links are not checked.
    pub(crate) fn add_group(&self, hash: &mut XxHash64) {
        hash.write_usize(self.variables.len());
        for &variable in &self.variables {
            hash.write_usize(variable);
        }
        for (variable, at) in self.rest.iter().enumerate() {
            if !self.variables.contains(&variable) {
                add(hash, &[*at]);
            }
        }
        for &(one, other) in &*self.disabled {
            hash.write_usize(one);
            hash.write_usize(other);
        }
    }

    /// Checks two links against each other no more.
    pub(crate) fn disable(&mut self, one: usize, other: usize) {
        Arc::make_mut(&mut self.disabled).insert((one.min(other), one.max(other)));
    }

    /// Whether two links are never checked against each other.
    pub(crate) fn is_disabled(&self, one: usize, other: usize) -> bool {
        self.disabled.contains(&(one.min(other), one.max(other)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models;

    #[test]
    fn a_joint_that_follows_is_where_the_other_puts_it() {
        let text = r#"<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
            <joint name="one" type="continuous"><parent link="a"/><child link="b"/></joint>
            <joint name="two" type="continuous"><parent link="b"/><child link="c"/><mimic joint="one" multiplier="-1" offset="0.5"/></joint></robot>"#;
        let arm = Arm::whole(Robot::parse("r.urdf", text).unwrap()).unwrap();
        let at = |one: f64, two: f64| [("one".to_owned(), one), ("two".to_owned(), two)];
        assert!(arm.with_state(&at(0.2, 0.3)).is_ok());
        assert_eq!(arm.configuration(&at(0.2, 0.3)).unwrap(), [0.2]);
        for wrong in [at(0.2, 0.2), at(0.2, f64::NAN)] {
            let error = arm.with_state(&wrong).unwrap_err();
            assert!(matches!(&error, ArmError::Mimic { joint, .. } if joint == "two"));
            assert!(arm.configuration(&wrong).is_err());
        }
        // Alone it must be where the other is at rest.
        assert!(arm.with_state(&at(0.0, 0.5)[1..]).is_ok());
        assert!(arm.with_state(&at(0.0, 0.4)[1..]).is_err());
    }

    #[test]
    fn positions_are_matched_by_name_and_held_to_limits() {
        let (robot, semantics) = models::panda_like();
        let arm = Arm::new(robot.clone(), &semantics, "arm").unwrap();
        assert_eq!(arm.dimension(), 7);
        let mut home = semantics.state("arm", "home").unwrap().positions.clone();
        assert_eq!(arm.configuration(&home).unwrap()[3], -2.356);
        home[0].1 = 2.897_300_5;
        assert_eq!(arm.configuration(&home).unwrap()[0], 2.8973);
        home[0].1 = 9.0;
        assert!(matches!(
            arm.configuration(&home),
            Err(ArmError::OutOfLimits { .. })
        ));
        home[0].1 = f64::NAN;
        assert!(arm.configuration(&home).is_err());
        home[0].0 = "elbow".to_owned();
        assert!(matches!(
            arm.configuration(&home),
            Err(ArmError::Joint { .. })
        ));
        assert!(matches!(arm.with_state(&home), Err(ArmError::Joint { .. })));
        assert!(matches!(
            arm.configuration(&home[1..]),
            Err(ArmError::Missing(_))
        ));
        let error = Arm::new(robot, &semantics, "leg").unwrap_err();
        assert!(error.to_string().contains("`leg`") && error.to_string().contains("arm"));
    }
}
