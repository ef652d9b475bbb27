//! A robot: links, and joints between them in a tree.
//!
//! Links come parents first, so that a pass over them computes poses. What can move is a
//! *variable*: a revolute, continuous or prismatic joint is one, a planar joint three
//! (`name/x`, `name/y`, `name/theta`), a floating joint six (`name/x` to `name/z`, `name/roll`,
//! `name/pitch`, `name/yaw`); a fixed joint and one that mimics another are none.

use crate::geometry::Placed;
use crate::pose::Pose;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A link: a rigid body.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Link {
    /// Its name.
    pub name: String,
    /// What it collides with, in the link's frame.
    pub collision: Vec<Placed>,
    /// The joint that it hangs on; `None` for the root.
    pub joint: Option<usize>,
}

/// How a joint moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum JointKind {
    /// Turns between limits.
    Revolute,
    /// Turns without limits.
    Continuous,
    /// Slides between limits.
    Prismatic,
    /// Does not move.
    Fixed,
    /// Slides in the plane across its axis and turns about the axis.
    Planar,
    /// Moves freely.
    Floating,
}

/// A joint follows another: position = `multiplier` times the other's + `offset`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Mimic {
    /// The joint that is followed.
    pub joint: usize,
    /// The factor.
    pub multiplier: f64,
    /// What is added.
    pub offset: f64,
}

/// A joint between two links.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Joint {
    /// Its name.
    pub name: String,
    /// How it moves.
    pub kind: JointKind,
    /// The link that it hangs on.
    pub parent: usize,
    /// The link that hangs on it.
    pub child: usize,
    /// Where the joint is in the parent's frame.
    pub origin: Pose,
    /// The axis in the joint's frame, of unit length.
    pub axis: [f64; 3],
    /// The least and the greatest position, where there are limits.
    pub limits: Option<(f64, f64)>,
    /// The greatest speed, where it is given.
    pub velocity: Option<f64>,
    /// The joint that it follows.
    pub mimic: Option<Mimic>,
}

/// One degree of freedom.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Variable {
    /// The joint's name, or `joint/part` where a joint has several.
    pub name: String,
    /// The joint.
    pub joint: usize,
    /// The least and the greatest value, where there are limits.
    pub limits: Option<(f64, f64)>,
    /// Whether it is an angle that goes round.
    pub wraps: bool,
}

impl Variable {
    /// Where it is if nobody says otherwise: at zero, or at the nearest value within its limits.
    pub(crate) fn rest(&self) -> f64 {
        let nearest = |(low, high): (f64, f64)| 0.0_f64.max(low).min(high);
        self.limits.map_or(0.0, nearest)
    }
}

/// A robot.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Robot {
    name: String,
    links: Vec<Link>,
    joints: Vec<Joint>,
    variables: Vec<Variable>,
}

/// Why links and joints are not a robot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum TreeError {
    /// There are no links.
    Empty,
    /// More than one link has no parent.
    Roots(String, String),
    /// A link is the child of two joints.
    TwoParents { joint: usize },
    /// Joints go round in a ring.
    Ring { link: usize },
    /// A joint follows itself, over others or at once.
    MimicRing { joint: usize },
}

impl Robot {
    /// Puts links and joints together, sorting the links parents first.
    pub(crate) fn new(
        name: String,
        mut links: Vec<Link>,
        mut joints: Vec<Joint>,
    ) -> Result<Self, TreeError> {
        if links.is_empty() {
            return Err(TreeError::Empty);
        }
        for (index, joint) in joints.iter().enumerate() {
            if links[joint.child].joint.replace(index).is_some() {
                return Err(TreeError::TwoParents { joint: index });
            }
        }
        let mut roots = (0..links.len()).filter(|&l| links[l].joint.is_none());
        let Some(root) = roots.next() else {
            return Err(TreeError::Ring { link: 0 });
        };
        if let Some(other) = roots.next() {
            let names = [root, other].map(|l| links[l].name.clone());
            let [one, other] = names;
            return Err(TreeError::Roots(one, other));
        }
        // Breadth first from the root; what is not reached hangs in a ring.
        let mut order = vec![root];
        let mut next = 0;
        while let Some(&link) = order.get(next) {
            next += 1;
            order.extend(joints.iter().filter(|j| j.parent == link).map(|j| j.child));
        }
        if order.len() < links.len() {
            let stray = (0..links.len()).find(|l| !order.contains(l));
            return Err(TreeError::Ring {
                link: stray.unwrap_or(0),
            });
        }
        let mut place = vec![0; links.len()];
        for (new, &old) in order.iter().enumerate() {
            place[old] = new;
        }
        for joint in &mut joints {
            joint.parent = place[joint.parent];
            joint.child = place[joint.child];
        }
        let mut sorted: Vec<Option<Link>> = links.drain(..).map(Some).collect();
        let links: Vec<Link> = order.iter().filter_map(|&l| sorted[l].take()).collect();
        flatten_mimics(&mut joints)?;
        let variables = joints
            .iter()
            .enumerate()
            .flat_map(|(index, joint)| variables_of(index, joint))
            .collect();
        Ok(Self {
            name,
            links,
            joints,
            variables,
        })
    }

    /// The robot's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The links, parents first; the first is the root.
    #[must_use]
    pub fn links(&self) -> &[Link] {
        &self.links
    }

    /// The joints.
    #[must_use]
    pub fn joints(&self) -> &[Joint] {
        &self.joints
    }

    /// The degrees of freedom, in the order of the joints.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The link of this name.
    #[must_use]
    pub fn link(&self, name: &str) -> Option<usize> {
        self.links.iter().position(|l| l.name == name)
    }

    /// The joint of this name.
    #[must_use]
    pub fn joint(&self, name: &str) -> Option<usize> {
        self.joints.iter().position(|j| j.name == name)
    }

    /// The variable of this name.
    #[must_use]
    pub fn variable(&self, name: &str) -> Option<usize> {
        self.variables.iter().position(|v| v.name == name)
    }

    /// Whether two links are joined by a joint.
    #[must_use]
    pub fn adjacent(&self, one: usize, other: usize) -> bool {
        let parent = |link: usize| self.links[link].joint.map(|j| self.joints[j].parent);
        parent(one) == Some(other) || parent(other) == Some(one)
    }
}

impl fmt::Display for Robot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (links, variables) = (self.links.len(), self.variables.len());
        write!(f, "{} ({links} links, {variables} variables)", self.name)
    }
}

/// Makes a joint that follows a follower follow the one at the end.
fn flatten_mimics(joints: &mut [Joint]) -> Result<(), TreeError> {
    for index in 0..joints.len() {
        let mut steps = 0;
        while let Some(mimic) = joints[index].mimic {
            let Some(further) = joints[mimic.joint].mimic else {
                break;
            };
            steps += 1;
            if steps > joints.len() || mimic.joint == index {
                return Err(TreeError::MimicRing { joint: index });
            }
            joints[index].mimic = Some(Mimic {
                joint: further.joint,
                multiplier: mimic.multiplier * further.multiplier,
                offset: mimic.multiplier * further.offset + mimic.offset,
            });
        }
        if joints[index].mimic.is_some_and(|m| m.joint == index) {
            return Err(TreeError::MimicRing { joint: index });
        }
    }
    Ok(())
}

fn variables_of(index: usize, joint: &Joint) -> Vec<Variable> {
    let part = |suffix: &str, wraps: bool| Variable {
        name: format!("{}{suffix}", joint.name),
        joint: index,
        limits: joint.limits,
        wraps,
    };
    if joint.mimic.is_some() {
        return Vec::new();
    }
    match joint.kind {
        JointKind::Fixed => Vec::new(),
        JointKind::Revolute | JointKind::Prismatic => vec![part("", false)],
        JointKind::Continuous => vec![part("", true)],
        JointKind::Planar => vec![part("/x", false), part("/y", false), part("/theta", true)],
        JointKind::Floating => vec![
            part("/x", false),
            part("/y", false),
            part("/z", false),
            part("/roll", true),
            part("/pitch", true),
            part("/yaw", true),
        ],
    }
}
