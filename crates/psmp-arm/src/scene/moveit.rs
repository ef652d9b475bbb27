//! MoveIt planning scenes in YAML, as `planning_scene_monitor` and MotionBenchMaker write them.
//!
//! Vectors come as lists (`[0, 0, 1]`) or as maps (`{x: 0, y: 0, z: 1}`), types of primitives as
//! words or as numbers. What cannot be planned with, such as an octomap or padded links, is refused
//! rather than passed over. The keys are in [`super::messages`].

use super::messages::{
    JointStateFile, Kind, MatrixFile, ObjectFile, OperationFile, PoseFile, PrimitiveFile,
    Quaternion, RowFile, SceneFile, Three, TransformFile, TriangleFile, from_yaml,
};
use super::{AllowedCollisions, Attached, Object, Scene, finite_pose, near};
use crate::geometry::{FARTHEST, Mesh, Placed, Shape, ShapeError};
use crate::pose::Pose;
use psmp_files::{FileError, Place};
use std::path::Path;

pub(super) fn parse(path: &Path, text: &str) -> Result<Scene, FileError> {
    let file: SceneFile = from_yaml(path, text, Kind::Scene)?;
    Reader { path }.scene(file)
}

struct Reader<'a> {
    path: &'a Path,
}

impl Reader<'_> {
    fn wrong(&self, place: &str, problem: impl Into<String>) -> FileError {
        FileError::new(self.path, problem).at(Place::Field(place.to_owned()))
    }

    fn scene(&self, file: SceneFile) -> Result<Scene, FileError> {
        if file
            .world
            .octomap
            .is_some_and(|o| !o.octomap.data.is_empty())
        {
            return Err(self
                .wrong(
                    "world.octomap",
                    "the scene has an octomap, which cannot be read",
                )
                .hint("save its points as a PCD or PLY file and name that in a TOML scene"));
        }
        let padded = file.link_padding.iter().find(|l| l.padding != 0.0);
        let scaled = file.link_scale.iter().find(|l| l.scale != 1.0);
        for (field, link) in [
            ("link_padding", padded.map(|l| &l.link_name)),
            ("link_scale", scaled.map(|l| &l.link_name)),
        ] {
            if let Some(link) = link {
                return Err(self
                    .wrong(
                        field,
                        format!(
                            "link `{link}` is to be larger than it is, which cannot be planned with"
                        ),
                    )
                    .hint("leave it out, and make the link larger in the URDF"));
            }
        }
        // Where the robot's root is in the world; everything is brought into the root's frame.
        let base = match file.robot_state.multi_dof_joint_state.transforms.first() {
            Some(transform) => self.transform(transform, "robot_state.multi_dof_joint_state")?,
            None => Pose::IDENTITY,
        };
        let to_root = base.inverse();
        let mut frames = vec![
            (String::new(), Pose::IDENTITY),
            ("world".to_owned(), Pose::IDENTITY),
        ];
        for stamped in &file.fixed_frame_transforms {
            let pose = self.transform(&stamped.transform, "fixed_frame_transforms")?;
            frames.push((stamped.child_frame_id.clone(), pose));
        }
        let mut objects = Vec::with_capacity(file.world.collision_objects.len());
        for object in file.world.collision_objects {
            // The last entry of a name counts; a frame that is not named is the robot's root,
            // which is where MoveIt's robots stand.
            let frame = frames
                .iter()
                .rev()
                .find(|(name, _)| *name == object.header.frame_id);
            let outer = frame.map_or(Pose::IDENTITY, |(_, pose)| to_root.then(pose));
            objects.push(self.object(object, &outer)?);
        }
        let mut attached = Vec::new();
        for file in file.robot_state.attached_collision_objects {
            let frame = &file.object.header.frame_id;
            if !frame.is_empty() && *frame != file.link_name {
                let (id, link) = (&file.object.id, &file.link_name);
                return Err(self
                    .wrong(
                        id,
                        format!("is attached to `{link}` but given in frame `{frame}`"),
                    )
                    .hint("give an attached object in the frame of the link that holds it"));
            }
            attached.push(Attached {
                object: self.object(file.object, &Pose::IDENTITY)?,
                link: file.link_name,
                touch: file.touch_links,
            });
        }
        let allowed = match file.allowed_collision_matrix {
            Some(matrix) => self.matrix(&matrix)?,
            None => AllowedCollisions::default(),
        };
        Ok(Scene {
            robot: Some(file.robot_model_name).filter(|name| !name.is_empty()),
            objects,
            attached,
            allowed,
            state: joint_positions(self.path, &file.robot_state.joint_state)?,
        })
    }

    fn matrix(&self, file: &MatrixFile) -> Result<AllowedCollisions, FileError> {
        let names = &file.entry_names;
        let field = "allowed_collision_matrix";
        let rows: Vec<&[bool]> = file
            .entry_values
            .iter()
            .map(|row| match row {
                RowFile::List(row) | RowFile::Map { enabled: row } => row.as_slice(),
            })
            .collect();
        if rows.len() != names.len() || rows.iter().any(|row| row.len() != names.len()) {
            return Err(self
                .wrong(
                    field,
                    format!("is not a square of its {} names", names.len()),
                )
                .hint("give one row and one column for each of `entry_names`"));
        }
        let mut allowed = AllowedCollisions::default();
        for (i, row) in rows.iter().enumerate() {
            for (j, &value) in row.iter().enumerate().skip(i + 1) {
                if rows[j][i] != value {
                    let (one, other) = (&names[i], &names[j]);
                    return Err(self
                        .wrong(
                            field,
                            format!("says both yes and no of `{one}` and `{other}`"),
                        )
                        .hint("make the matrix symmetric"));
                }
                allowed.set(&names[i], &names[j], value);
            }
        }
        let defaults = file.default_entry_names.iter().cloned();
        allowed.defaults = defaults
            .zip(file.default_entry_values.iter().copied())
            .collect();
        Ok(allowed)
    }

    fn object(&self, file: ObjectFile, outer: &Pose) -> Result<Object, FileError> {
        let name = file.id;
        if name.is_empty() {
            return Err(self
                .wrong("collision_objects", "an object has no `id`")
                .hint("give every object a name"));
        }
        // Adding (0) and appending (2) are the same where nothing was before.
        if let Some(OperationFile::Number(1 | 3..)) = file.operation {
            return Err(self
                .wrong(&name, "is to be removed or moved, not added")
                .hint("give a whole scene, with every object as it is"));
        }
        let own = match &file.pose {
            Some(pose) => self.pose(pose, &name)?,
            None => Pose::IDENTITY,
        };
        let outer = outer.then(&own);
        let mut shapes = Vec::new();
        for (what, shape_count, pose_count) in [
            (
                "primitives",
                file.primitives.len(),
                file.primitive_poses.len(),
            ),
            ("meshes", file.meshes.len(), file.mesh_poses.len()),
            ("planes", file.planes.len(), file.plane_poses.len()),
        ] {
            // An object with a pose may leave its only shape's out.
            if shape_count != pose_count && !(pose_count == 0 && file.pose.is_some()) {
                return Err(self
                    .wrong(
                        &name,
                        format!("has {shape_count} {what} and {pose_count} poses of them"),
                    )
                    .hint("give each its pose"));
            }
        }
        let pose_of = |poses: &[PoseFile], i: usize| match poses.get(i) {
            Some(pose) => Ok(outer.then(&self.pose(pose, &name)?)),
            None => Ok(outer),
        };
        let bad_shape = |e: ShapeError| {
            self.wrong(&name, e.to_string())
                .hint("correct the object's dimensions")
        };
        for (i, primitive) in file.primitives.iter().enumerate() {
            let shape = self.primitive(primitive, &name)?.map_err(bad_shape)?;
            let pose = pose_of(&file.primitive_poses, i)?;
            shapes.push(Placed { shape, pose });
        }
        for (i, mesh) in file.meshes.iter().enumerate() {
            let vertices = mesh.vertices.iter().map(Three::values).collect();
            let triangles = mesh.triangles.iter().map(|t| match t {
                TriangleFile::List(t) | TriangleFile::Map { vertex_indices: t } => *t,
            });
            let mesh = Mesh::new(vertices, triangles.collect()).map_err(bad_shape)?;
            let pose = pose_of(&file.mesh_poses, i)?;
            shapes.push(Placed {
                shape: Shape::Mesh(mesh.into()),
                pose,
            });
        }
        for (i, plane) in file.planes.iter().enumerate() {
            let [a, b, c, d] = plane.coef;
            let length = (a * a + b * b + c * c).sqrt();
            if !(length > 1e-9 && length.is_finite() && d.is_finite()) {
                return Err(self
                    .wrong(&name, "has a plane without a normal")
                    .hint("give `coef` as a, b, c, d of a x + b y + c z + d = 0"));
            }
            let normal = [a / length, b / length, c / length];
            let mut own = Pose::taking_z_to(normal);
            own.translation = normal.map(|v| -v * d / length);
            let own = near(own, |problem| self.wrong(&name, problem))?;
            let pose = pose_of(&file.plane_poses, i)?.then(&own);
            shapes.push(Placed {
                shape: Shape::HalfSpace,
                pose,
            });
        }
        if shapes.is_empty() {
            return Err(self
                .wrong(&name, "has no shapes")
                .hint("give it primitives, meshes or planes, or leave it out"));
        }
        Ok(Object { name, shapes })
    }

    fn primitive(
        &self,
        file: &PrimitiveFile,
        object: &str,
    ) -> Result<Result<Shape, ShapeError>, FileError> {
        let Some(kind) = file.kind.word() else {
            return Err(self.unknown(object, &file.kind.to_string()));
        };
        // In MoveIt's order: cylinder and cone are height, radius.
        Ok(match (kind, &file.dimensions[..]) {
            ("box", &[x, y, z]) => Shape::cuboid([x, y, z]),
            ("sphere", &[radius]) => Shape::sphere(radius),
            ("cylinder", &[height, radius]) => Shape::cylinder(radius, height),
            ("cone", &[height, radius]) => Shape::cone(radius, height),
            ("box" | "sphere" | "cylinder" | "cone", dimensions) => {
                let count = dimensions.len();
                return Err(self
                    .wrong(object, format!("has a {kind} of {count} dimensions"))
                    .hint("a box has three (its sides), a sphere one (radius), a cylinder or cone two (height, radius)"));
            }
            (other, _) => return Err(self.unknown(object, other)),
        })
    }

    fn unknown(&self, object: &str, kind: &str) -> FileError {
        self.wrong(
            object,
            format!("has a primitive of the unknown type `{kind}`"),
        )
        .hint("use box, sphere, cylinder or cone")
    }

    fn pose(&self, file: &PoseFile, object: &str) -> Result<Pose, FileError> {
        file.pose(|problem| self.wrong(object, problem))
    }

    fn transform(&self, file: &TransformFile, field: &str) -> Result<Pose, FileError> {
        file.pose(|problem| self.wrong(field, problem))
    }
}

impl PoseFile {
    /// The pose; what is left out is at the origin and not turned.
    pub(super) fn pose(&self, wrong: impl Fn(String) -> FileError) -> Result<Pose, FileError> {
        let position = self.position.as_ref().map_or([0.0; 3], Three::values);
        let orientation = self.orientation.as_ref();
        let quaternion = orientation.map_or([0.0, 0.0, 0.0, 1.0], Quaternion::values);
        finite_pose(position, quaternion, wrong)
    }
}

impl TransformFile {
    /// The pose; what is left out is at the origin and not turned.
    pub(super) fn pose(&self, wrong: impl Fn(String) -> FileError) -> Result<Pose, FileError> {
        let translation = self.translation.as_ref().map_or([0.0; 3], Three::values);
        let rotation = self.rotation.as_ref();
        let quaternion = rotation.map_or([0.0, 0.0, 0.0, 1.0], Quaternion::values);
        finite_pose(translation, quaternion, wrong)
    }
}

/// Names and positions of joints, which must be as many of both and finite.
pub(super) fn joint_positions(
    path: &Path,
    file: &JointStateFile,
) -> Result<Vec<(String, f64)>, FileError> {
    let wrong = |problem: String| {
        FileError::new(path, problem)
            .at(Place::Field("joint_state".to_owned()))
            .hint("give a finite position for each name")
    };
    let (names, positions) = (&file.name, &file.position);
    if names.len() != positions.len() {
        return Err(wrong(format!(
            "has {} names and {} positions",
            names.len(),
            positions.len()
        )));
    }
    let far = |p: &f64| !p.is_finite() || p.abs() > FARTHEST;
    if let Some(bad) = positions.iter().position(far) {
        return Err(wrong(format!(
            "the position of `{}` is not finite, or more than {FARTHEST}",
            names[bad]
        )));
    }
    Ok(names
        .iter()
        .cloned()
        .zip(positions.iter().copied())
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_object_is_read() {
        let text = "
robot_model_name: r
robot_state:
  joint_state: {name: [j], position: [0.5]}
  multi_dof_joint_state:
    joint_names: [virtual_joint]
    transforms: [{translation: [1, 0, 0], rotation: [0, 0, 0, 1]}]
  attached_collision_objects:
    - link_name: hand
      touch_links: [finger]
      object:
        id: cup
        primitives: [{type: 3, dimensions: [0.1, 0.03]}]
        primitive_poses: [{position: {x: 0, y: 0, z: 0.1}, orientation: {x: 0, y: 0, z: 0, w: 1}}]
allowed_collision_matrix:
  entry_names: [a, b]
  entry_values: [[false, true], [true, false]]
  default_entry_names: [c]
  default_entry_values: [true]
world:
  collision_objects:
    - id: things
      pose: {position: [0, 0, 1], orientation: [0, 0, 0, 1]}
      primitives:
        - {type: box, dimensions: [1, 2, 3]}
        - {type: sphere, dimensions: [0.5]}
        - {type: cone, dimensions: [0.5, 0.2]}
      primitive_poses:
        - {position: [2, 0, 0], orientation: [0, 0, 0, 1]}
        - {position: [0, 0, 0], orientation: [0, 0, 0, 1]}
        - {position: [0, 0, 0], orientation: [0, 0, 0, 1]}
      meshes: [{vertices: [[0, 0, 0], [1, 0, 0], [0, 1, 0]], triangles: [{vertex_indices: [0, 1, 2]}]}]
      mesh_poses: [{}]
      planes: [{coef: [0, 0, 2, -4]}]
      plane_poses: [{}]
";
        let scene = parse(Path::new("s.yaml"), text).unwrap();
        assert_eq!(scene.robot.as_deref(), Some("r"));
        assert_eq!(scene.state, [("j".to_owned(), 0.5)]);
        let shapes = &scene.object("things").unwrap().shapes;
        assert_eq!(shapes.len(), 5);
        assert_eq!(shapes[0].shape, Shape::Box([0.5, 1.0, 1.5]));
        // The robot stands at x = 1, so the box at 2 is 1 ahead of it.
        assert_eq!(shapes[0].pose.translation, [1.0, 0.0, 1.0]);
        // The plane z = 2, raised by the object's pose.
        assert_eq!(shapes[4].pose.apply([0.0; 3])[2], 3.0);
        assert_eq!(scene.attached[0].link, "hand");
        assert_eq!(
            scene.attached[0].object.shapes[0].shape,
            Shape::Cylinder {
                radius: 0.03,
                half_height: 0.05
            }
        );
        let allowed = scene.allowed;
        assert_eq!(allowed.allows("b", "a"), Some(true));
        assert_eq!(allowed.allows("c", "a"), Some(true));
        assert_eq!(allowed.allows("d", "a"), None);
    }

    #[test]
    fn mistakes_are_named() {
        let object =
            |body: &str| format!("world:\n  collision_objects:\n    - {{id: thing, {body}}}\n");
        let pose = "primitive_poses: [{position: [0, 0, 0], orientation: [0, 0, 0, 1]}]";
        for (text, word) in [
            (object(&format!("primitives: [{{type: torus, dimensions: [1]}}], {pose}")), "torus"),
            (object(&format!("primitives: [{{type: 9, dimensions: [1]}}], {pose}")), "`9`"),
            (object(&format!("primitives: [{{type: box, dimensions: [1]}}], {pose}")), "1 dimensions"),
            (object(&format!("primitives: [{{type: sphere, dimensions: [-1]}}], {pose}")), "-1"),
            (object("primitives: [{type: sphere, dimensions: [1]}], primitive_poses: [{position: [.nan, 0, 0], orientation: [0, 0, 0, 1]}]"), "finite"),
            (object("primitives: [{type: sphere, dimensions: [1]}], primitive_poses: [{position: [0, 0, 0], orientation: [0, 0, 0, 0]}]"), "quaternion"),
            (object("primitives: [{type: sphere, dimensions: [1]}]"), "0 poses"),
            (object("primitives: [{type: sphere, dimensions: [1e20]}], primitive_poses: [{}]"), "10000 m"),
            (object("primitives: [{type: sphere, dimensions: [1]}], primitive_poses: [{position: [0, 0, -1e20]}]"), "10000 m"),
            (object("planes: [{coef: [0, 0, 1, 1e20]}], plane_poses: [{}]"), "10000 m"),
            (object("primitives: []"), "no shapes"),
            ("world: {octomap: {octomap: {data: [1, 2]}}}".to_owned(), "octomap"),
            ("allowed_collision_matrix: {entry_names: [a, b], entry_values: [[false]]}".to_owned(), "square"),
            ("allowed_collision_matrix: {entry_names: [a, b], entry_values: [[false, true], [false, false]]}".to_owned(), "yes and no"),
            ("robot_state: {joint_state: {name: [a], position: []}}".to_owned(), "1 names"),
            ("robot_state: {joint_state: {name: [a], position: [.inf]}}".to_owned(), "finite"),
            ("world: 3".to_owned(), "planning scene"),
            ("world: {colision_objects: []}".to_owned(), "likely `collision_objects`"),
            ("wrld: {collision_objects: []}".to_owned(), "likely `world`"),
            (object("primitives: [{type: sphere, dimension: [1]}]"), "likely `dimensions`"),
            (object("meshs: []"), "likely `meshes`"),
            (object("qqq: 1"), "`qqq`"),
            (object("primitives: [{type: sphere, dimensions: [1]}], primitive_poses: [{}], operation: 1"), "removed"),
            ("link_padding: [{link_name: a, padding: 0.1}]".to_owned(), "link_padding"),
            ("link_scale: [{link_name: a, scale: 1.1}]".to_owned(), "link_scale"),
            (String::new(), "empty"),
            ("# nothing\n---\n".to_owned(), "empty"),
            ("group_name: g\ngoal_constraints: []".to_owned(), "looks like a MoveIt motion plan request"),
        ] {
            let error = parse(Path::new("s.yaml"), &text).expect_err(&text);
            assert!(error.to_string().contains(word), "{error} should mention {word}");
            assert!(error.remedy().is_some(), "{error}");
        }
        let error = parse(Path::new("s.yaml"), "secret words").unwrap_err();
        assert!(!error.to_string().contains("secret"), "{error}");
    }

    #[test]
    fn every_key_of_the_messages_is_known() {
        let object = "header: {seq: 0, stamp: {secs: 0, nsecs: 0}, frame_id: world}, pose: {}, id: a, \
            type: {key: '', db: ''}, primitives: [{type: 1, dimensions: [1, 1, 1], polygon: {points: []}}], \
            primitive_poses: [{}], meshes: [], mesh_poses: [], planes: [], plane_poses: [], \
            subframe_names: [], subframe_poses: [], operation: 0";
        let text = format!(
            "name: n
robot_state:
  joint_state: {{header: {{}}, name: [], position: [], velocity: [], effort: []}}
  multi_dof_joint_state: {{header: {{}}, joint_names: [], transforms: [], twist: [], wrench: []}}
  attached_collision_objects:
    - {{link_name: l, object: {{{object}}}, touch_links: [], detach_posture: {{points: []}}, weight: 0}}
  is_diff: false
robot_model_name: r
fixed_frame_transforms: [{{header: {{}}, child_frame_id: world, transform: {{}}}}]
allowed_collision_matrix: {{entry_names: [], entry_values: [], default_entry_names: [], default_entry_values: []}}
link_padding: [{{link_name: l, padding: 0}}]
link_scale: [{{link_name: l, scale: 1}}]
object_colors: [{{id: a, color: {{r: 0, g: 0, b: 0, a: 0}}}}]
world:
  collision_objects: [{{{object}}}]
  octomap: {{header: {{}}, origin: {{}}, octomap: {{header: {{}}, binary: false, id: '', resolution: 0, data: []}}}}
is_diff: false
"
        );
        // The first is that of the attached object.
        let text = text.replacen("frame_id: world", "frame_id: l", 1);
        let scene = parse(Path::new("s.yaml"), &text).unwrap();
        assert_eq!((scene.objects.len(), scene.attached.len()), (1, 1));
    }
}
