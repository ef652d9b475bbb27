//! Scenes: what stands around a robot, what it holds, and what may touch what.
//!
//! A [`Scene`] is read from a MoveIt planning scene (YAML) or from a TOML file written by hand;
//! a [`MotionRequest`] from a MoveIt motion plan request. Names stay names here; they are matched
//! with a robot when a scene and an arm come together.

mod hand_written;
mod messages;
mod moveit;
pub(crate) mod point_file;
mod request;
mod write;

pub use request::{Goal, MotionRequest};

use crate::geometry::{FARTHEST, Placed};
use crate::permissions::{LARGEST_TEXT, Permissions};
use crate::pose::Pose;
use psmp_files::{FileError, read_regular_text};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::Path;

/// A thing in a scene.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Object {
    /// Its name.
    pub name: String,
    /// What it is made of. In the frame of the robot's root; of an attached thing, in the frame of
    /// the link that holds it. Nothing, if it is a point cloud in which nothing was seen.
    pub shapes: Vec<Placed>,
}

/// A thing that moves with a link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Attached {
    /// The thing.
    pub object: Object,
    /// The link that holds it.
    pub link: String,
    /// Links that it may touch, besides the one that holds it.
    pub touch: Vec<String>,
}

/// Which pairs of links or objects may touch.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default, Serialize, Deserialize)]
pub struct AllowedCollisions {
    pairs: BTreeMap<(String, String), bool>,
    defaults: BTreeMap<String, bool>,
}

/// What a robot moves among.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Scene {
    /// The robot that the scene is for, if it says.
    pub robot: Option<String>,
    /// The things that stand still.
    pub objects: Vec<Object>,
    /// The things that move with a link.
    pub attached: Vec<Attached>,
    /// What may touch what; of pairs that it does not name, the robot's SRDF says.
    pub allowed: AllowedCollisions,
    /// Positions of joints, by name.
    pub state: Vec<(String, f64)>,
}

impl Scene {
    /// Reads a scene: TOML if the file's name ends so, else a MoveIt planning scene in YAML.
    ///
    /// # Errors
    /// If the file, or a mesh or point cloud that it names, cannot be read or makes no sense; also if
    /// there is nothing in the scene, which is more often a mistake than meant.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::read_with(path, &Permissions::default())
    }

    /// Reads a scene that may name the files, and be as empty, as `permissions` say.
    ///
    /// # Errors
    /// As for [`Scene::read`].
    pub fn read_with(path: impl AsRef<Path>, permissions: &Permissions) -> Result<Self, FileError> {
        let path = path.as_ref();
        let text = read_regular_text(path, LARGEST_TEXT)?;
        let scene = match path.extension().is_some_and(|e| e == "toml") {
            true => hand_written::parse(path, &text, permissions)?,
            false => moveit::parse(path, &text)?,
        };
        let empty = scene.objects.is_empty() && scene.attached.is_empty();
        match empty && !permissions.permits_empty_scenes() {
            true => Err(FileError::new(path, "there is nothing in this scene").hint(
                "give a scene with objects, or say that it is meant to be empty with `--empty-scene` \
                 (in Python `empty=True`)",
            )),
            false => Ok(scene),
        }
    }

    /// The names of the things that have no shape: point clouds without a point.
    pub fn unseen(&self) -> impl Iterator<Item = &str> {
        let held = self.attached.iter().map(|a| &a.object);
        let unseen = self.objects.iter().chain(held);
        unseen
            .filter(|o| o.shapes.is_empty())
            .map(|o| o.name.as_str())
    }

    /// The object of this name.
    #[must_use]
    pub fn object(&self, name: &str) -> Option<&Object> {
        self.objects.iter().find(|o| o.name == name)
    }
}

impl AllowedCollisions {
    /// Allows a pair to touch, or forbids it.
    pub fn set(&mut self, one: &str, other: &str, allowed: bool) {
        let (a, b) = if one <= other {
            (one, other)
        } else {
            (other, one)
        };
        self.pairs.insert((a.to_owned(), b.to_owned()), allowed);
    }

    /// Whether a pair may touch; `None` if nothing is said.
    #[must_use]
    pub fn allows(&self, one: &str, other: &str) -> Option<bool> {
        let (a, b) = if one <= other {
            (one, other)
        } else {
            (other, one)
        };
        let said = self.pairs.get(&(a.to_owned(), b.to_owned())).copied();
        // A default counts where the pair is not named; both must allow where both have one.
        said.or_else(
            || match (self.defaults.get(one), self.defaults.get(other)) {
                (Some(x), Some(y)) => Some(*x && *y),
                (x, y) => x.or(y).copied(),
            },
        )
    }

    /// Every pair that something is said about.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str, bool)> {
        self.pairs
            .iter()
            .map(|((a, b), v)| (a.as_str(), b.as_str(), *v))
    }
}

fn finite_pose(
    position: [f64; 3],
    quaternion: [f64; 4],
    wrong: impl Fn(String) -> FileError,
) -> Result<Pose, FileError> {
    let pose = Pose::from_quaternion(position, quaternion).map_err(|e| {
        wrong(e.to_string())
            .hint("give finite positions in metres and unit quaternions in the order x, y, z, w")
    })?;
    near(pose, wrong)
}

/// A pose, if it is one that can be computed with.
fn near(pose: Pose, wrong: impl Fn(String) -> FileError) -> Result<Pose, FileError> {
    let far = pose.translation.iter().find(|v| v.abs() > FARTHEST);
    match far {
        None => Ok(pose),
        Some(far) => Err(wrong(format!(
            "a position of {far} m is more than {FARTHEST} m, the most that can be"
        ))
        .hint("give positions in metres, from the robot's root")),
    }
}
