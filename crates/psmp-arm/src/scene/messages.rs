//! MoveIt's messages in YAML: every key that they have in ROS 1 and ROS 2.
//!
//! Files hold more than planning needs, and a key that is not known is more likely misspelt than new:
//! a scene whose `collision_objects` are called otherwise would be an empty world. So all keys are
//! listed here, those that are passed over too, and any other is an error that names the likeliest one
//! meant.
#![expect(dead_code, reason = "keys that are known and passed over")]

use psmp_files::{FileError, Place};
use serde::Deserialize;
use serde::de::{Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_saphyr::{Error as YamlError, Spanned};
use std::collections::HashMap;
use std::fmt;
use std::path::Path;

/// The messages that are files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `moveit_msgs/PlanningScene`.
    Scene,
    /// `moveit_msgs/MotionPlanRequest`.
    Request,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Scene => "a MoveIt planning scene",
            Self::Request => "a MoveIt motion plan request",
        }
    }

    /// What a text looks like, by keys that only one of them has.
    fn of(text: &str) -> Option<Self> {
        let keys: HashMap<String, IgnoredAny> = serde_saphyr::from_str(text).ok()?;
        let any = |of: &[&str]| of.iter().any(|key| keys.contains_key(*key));
        if any(&["goal_constraints", "group_name", "start_state"]) {
            return Some(Self::Request);
        }
        any(&["world", "robot_model_name", "allowed_collision_matrix"]).then_some(Self::Scene)
    }
}

/// The YAML as a value, with errors that name the line.
pub fn from_yaml<'t, T: Deserialize<'t>>(
    path: &Path,
    text: &'t str,
    kind: Kind,
) -> Result<T, FileError> {
    let (name, see) = (
        kind.name(),
        "see the fields of MoveIt's message of this name",
    );
    let is_nothing = |line: &str| line.is_empty() || line == "---" || line.starts_with('#');
    if text.lines().map(str::trim).all(is_nothing) {
        return Err(FileError::new(path, format!("is empty, expected {name}")).hint(see));
    }
    serde_saphyr::from_str(text).map_err(|e| {
        if let Some(other) = Kind::of(text).filter(|other| *other != kind) {
            let looks = other.name();
            return FileError::new(path, format!("looks like {looks}, expected {name}"))
                .hint(format!("give {name}"));
        }
        let (problem, hint) = explained(e.without_snippet(), see);
        let error = FileError::new(path, format!("expected {name}: {problem}")).hint(hint);
        match e.location() {
            Some(location) => error.at(Place::Line(location.line() as usize)),
            None => error,
        }
    })
}

/// What is wrong, without repeating what is in the file, and what to do.
fn explained(error: &YamlError, otherwise: &str) -> (String, String) {
    match error {
        YamlError::SerdeUnknownField {
            field, expected, ..
        } => match likeliest(field, expected) {
            Some(meant) => (
                format!("the key `{field}` is not known, likely `{meant}` is meant"),
                format!("write `{meant}`, or leave it out"),
            ),
            None => (
                format!("the key `{field}` is not known"),
                format!("leave it out; known are {}", expected.join(", ")),
            ),
        },
        YamlError::SerdeInvalidType {
            unexpected,
            expected,
            ..
        }
        | YamlError::SerdeInvalidValue {
            unexpected,
            expected,
            ..
        } => {
            let found = unexpected.split(['"', '`']).next().unwrap_or("").trim();
            let problem = format!("found {found} where {expected} is expected");
            (problem, otherwise.to_owned())
        }
        other => (other.to_string(), otherwise.to_owned()),
    }
}

/// The key that is most like one that is not known, if any is.
fn likeliest<'a>(key: &str, known: &[&'a str]) -> Option<&'a str> {
    let likeness = |other: &str| strsim::normalized_damerau_levenshtein(key, other);
    let most = known.iter().map(|other| (likeness(other), *other));
    let (likeness, other) = most.max_by(|a, b| a.0.total_cmp(&b.0))?;
    (likeness >= 0.6).then_some(other)
}

/// Numbers by the axes x, y, z and w: a list, or a map from axis to number.
///
/// The keys of a map are asked for as text: left to itself, YAML takes `y` for yes.
pub struct Vector<const N: usize>([f64; N]);

pub type Three = Vector<3>;
pub type Quaternion = Vector<4>;

impl<const N: usize> Vector<N> {
    pub fn values(&self) -> [f64; N] {
        self.0
    }
}

impl<'de, const N: usize> Deserialize<'de> for Vector<N> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Axes<const N: usize>;
        impl<'de, const N: usize> Visitor<'de> for Axes<N> {
            type Value = Vector<N>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, "{N} numbers, as a list or by axis")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
                let mut values = [0.0; N];
                for (place, value) in values.iter_mut().enumerate() {
                    let next = list.next_element()?;
                    *value = next.ok_or_else(|| A::Error::invalid_length(place, &self))?;
                }
                match list.next_element::<IgnoredAny>()? {
                    None => Ok(Vector(values)),
                    Some(_) => Err(A::Error::invalid_length(N + 1, &self)),
                }
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut values = [None; N];
                while let Some(key) = map.next_key::<String>()? {
                    let axes = &["x", "y", "z", "w"][..N.min(4)];
                    let Some(place) = axes.iter().position(|axis| *axis == key) else {
                        return Err(A::Error::custom(format!("`{key}` is not an axis")));
                    };
                    values[place] = Some(map.next_value()?);
                }
                match values.iter().all(Option::is_some) {
                    true => Ok(Vector(values.map(Option::unwrap_or_default))),
                    false => Err(A::Error::custom("an axis is missing")),
                }
            }
        }
        deserializer.deserialize_any(Axes)
    }
}

/// Messages of which every key may be missing; in brackets the keys that are passed over.
macro_rules! messages {
    ($($name:ident {$($(#[$about:meta])* $key:ident: $value:ty),* $(,)?} [$($over:ident)*])+) => {$(
        #[derive(Deserialize, Default)]
        #[serde(default, deny_unknown_fields)]
        pub struct $name {
            $($(#[$about])* pub $key: $value,)*
            $($over: IgnoredAny,)*
        }
    )+};
}

messages! {
    PoseFile { position: Option<Three>, orientation: Option<Quaternion> } []
    TransformFile { translation: Option<Three>, rotation: Option<Quaternion> } []
    HeaderFile { frame_id: String } [seq stamp]
    SceneFile {
        robot_model_name: String,
        robot_state: RobotStateFile,
        fixed_frame_transforms: Vec<StampedFile>,
        allowed_collision_matrix: Option<MatrixFile>,
        link_padding: Vec<PaddingFile>,
        link_scale: Vec<ScaleFile>,
        world: WorldFile,
    } [name object_colors is_diff]
    PaddingFile { link_name: String, padding: f64 } []
    ScaleFile { link_name: String, #[serde(default = "one")] scale: f64 } []
    StampedFile { child_frame_id: String, transform: TransformFile } [header]
    RobotStateFile {
        joint_state: JointStateFile,
        multi_dof_joint_state: MultiDofFile,
        attached_collision_objects: Vec<AttachedFile>,
    } [is_diff]
    JointStateFile { name: Vec<String>, position: Vec<f64> } [header velocity effort]
    MultiDofFile { transforms: Vec<TransformFile> } [header joint_names twist wrench]
    MatrixFile {
        entry_names: Vec<String>,
        entry_values: Vec<RowFile>,
        default_entry_names: Vec<String>,
        default_entry_values: Vec<bool>,
    } []
    WorldFile { collision_objects: Vec<ObjectFile>, octomap: Option<OctomapFile> } []
    OctomapFile { octomap: OctomapData } [header origin]
    OctomapData { data: Vec<IgnoredAny> } [header binary id resolution]
    ObjectFile {
        id: String,
        header: HeaderFile,
        pose: Option<PoseFile>,
        primitives: Vec<PrimitiveFile>,
        primitive_poses: Vec<PoseFile>,
        meshes: Vec<MeshFile>,
        mesh_poses: Vec<PoseFile>,
        planes: Vec<PlaneFile>,
        plane_poses: Vec<PoseFile>,
        operation: Option<OperationFile>,
    } [r#type subframe_names subframe_poses]
    MeshFile { vertices: Vec<Three>, triangles: Vec<TriangleFile> } []
    AttachedFile {
        link_name: String,
        touch_links: Vec<String>,
        object: ObjectFile,
    } [detach_posture weight]
    RequestFile {
        group_name: String,
        start_state: RobotStateFile,
        goal_constraints: Vec<ConstraintsFile>,
        path_constraints: ConstraintsFile,
        trajectory_constraints: TrajectoryConstraintsFile,
    } [
        workspace_parameters reference_trajectories pipeline_id planner_id num_planning_attempts
        allowed_planning_time max_velocity_scaling_factor max_acceleration_scaling_factor
        cartesian_speed_end_effector_link cartesian_speed_limited_link max_cartesian_speed
    ]
    TrajectoryConstraintsFile { constraints: Vec<IgnoredAny> } []
    ConstraintsFile {
        joint_constraints: Vec<JointConstraintFile>,
        position_constraints: Vec<Spanned<PositionConstraintFile>>,
        orientation_constraints: Vec<Spanned<OrientationConstraintFile>>,
        visibility_constraints: Vec<IgnoredAny>,
    } [name]
    PositionConstraintFile {
        header: HeaderFile,
        link_name: String,
        target_point_offset: Option<Three>,
        constraint_region: RegionFile,
    } [weight]
    RegionFile {
        primitives: Vec<PrimitiveFile>,
        primitive_poses: Vec<PoseFile>,
        meshes: Vec<IgnoredAny>,
    } [mesh_poses]
    OrientationConstraintFile {
        header: HeaderFile,
        link_name: String,
        orientation: Option<Quaternion>,
        absolute_x_axis_tolerance: f64,
        absolute_y_axis_tolerance: f64,
        absolute_z_axis_tolerance: f64,
        parameterization: u8,
    } [weight]
}

fn one() -> f64 {
    1.0
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum RowFile {
    List(Vec<bool>),
    Map { enabled: Vec<bool> },
}

#[derive(Deserialize)]
#[serde(untagged)]
pub enum OperationFile {
    Number(u8),
    Other(IgnoredAny),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrimitiveFile {
    #[serde(rename = "type")]
    pub kind: KindFile,
    #[serde(default)]
    pub dimensions: Vec<f64>,
    #[serde(default)]
    polygon: IgnoredAny,
}

#[derive(Deserialize)]
#[serde(untagged)]
pub enum KindFile {
    Number(u8),
    Word(String),
}

impl KindFile {
    /// The kind as a word; `None` for a number that is no kind.
    pub fn word(&self) -> Option<&str> {
        match self {
            Self::Number(1) => Some("box"),
            Self::Number(2) => Some("sphere"),
            Self::Number(3) => Some("cylinder"),
            Self::Number(4) => Some("cone"),
            Self::Number(_) => None,
            Self::Word(word) => Some(word),
        }
    }
}

impl fmt::Display for KindFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => write!(f, "{number}"),
            Self::Word(word) => f.write_str(word),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
pub enum TriangleFile {
    List([u32; 3]),
    Map { vertex_indices: [u32; 3] },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlaneFile {
    pub coef: [f64; 4],
}

impl ConstraintsFile {
    /// How many constraints are not on a joint.
    pub fn in_space(&self) -> usize {
        self.position_constraints.len()
            + self.orientation_constraints.len()
            + self.visibility_constraints.len()
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JointConstraintFile {
    pub joint_name: String,
    pub position: f64,
    #[serde(default)]
    tolerance_above: IgnoredAny,
    #[serde(default)]
    tolerance_below: IgnoredAny,
    #[serde(default)]
    weight: IgnoredAny,
}
