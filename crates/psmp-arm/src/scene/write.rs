//! Writing scenes and requests as MoveIt's YAML, for scenes that are made rather than read.

use super::{Goal, MotionRequest, Object, Scene};
use crate::geometry::Shape;
use crate::pose::Pose;
use psmp_files::{FileError, Place, save};
use std::fmt::Write;
use std::path::Path;

impl Scene {
    /// Writes the scene as a MoveIt planning scene in YAML, which [`Scene::read`] reads again.
    ///
    /// # Errors
    /// If the file cannot be written, or the scene has what is not written: shapes other than
    /// boxes, spheres and cylinders, attached things, pairs that may touch.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let path = path.as_ref();
        let plain = |what: &str, place: &str| {
            FileError::new(path, format!("a scene with {what} is not written"))
                .at(Place::Field(place.to_owned()))
                .hint("write scenes of boxes, spheres and cylinders")
        };
        if let Some(held) = self.attached.first() {
            return Err(plain("attached things", &held.object.name));
        }
        if let Some((one, ..)) = self.allowed.pairs().next() {
            return Err(plain("pairs that may touch", one));
        }
        let mut text = String::new();
        if let Some(robot) = &self.robot {
            let _ = writeln!(text, "robot_model_name: {}", quoted(robot));
        }
        if !self.state.is_empty() {
            let _ = writeln!(text, "robot_state:\n  {}", joint_state(&self.state));
        }
        let _ = writeln!(text, "world:");
        let _ = match self.objects.is_empty() {
            true => writeln!(text, "  collision_objects: []"),
            false => writeln!(text, "  collision_objects:"),
        };
        for object in &self.objects {
            object_lines(&mut text, object).map_err(|what| plain(what, &object.name))?;
        }
        save(path, text.as_bytes())
    }
}

impl MotionRequest {
    /// Writes the request as a MoveIt motion plan request in YAML, which [`MotionRequest::read`]
    /// reads again.
    ///
    /// # Errors
    /// If the file cannot be written, or a goal is not in joint space.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let path = path.as_ref();
        let mut text = format!(
            "group_name: {}\nstart_state:\n  {}\ngoal_constraints:\n",
            quoted(&self.group),
            joint_state(&self.start)
        );
        for goal in &self.goals {
            let Goal::Joints(positions) = goal else {
                return Err(FileError::new(path, "a goal that is a pose is not written")
                    .at(Place::Field("goal_constraints".to_owned()))
                    .hint("write goals in joint space"));
            };
            let _ = writeln!(text, "  - joint_constraints:");
            for (name, position) in positions {
                let name = quoted(name);
                let _ = writeln!(
                    text,
                    "      - {{joint_name: {name}, position: {position:?}}}"
                );
            }
        }
        save(path, text.as_bytes())
    }
}

fn object_lines(text: &mut String, object: &Object) -> Result<(), &'static str> {
    if object.shapes.is_empty() {
        return Err("things of which nothing was seen");
    }
    let mut poses = String::new();
    let _ = writeln!(
        text,
        "    - id: {}\n      primitives:",
        quoted(&object.name)
    );
    for placed in &object.shapes {
        let (kind, dimensions) = match &placed.shape {
            Shape::Box(half) => ("box", half.map(|h| 2.0 * h).to_vec()),
            Shape::Sphere { radius } => ("sphere", vec![*radius]),
            Shape::Cylinder {
                radius,
                half_height,
            } => ("cylinder", vec![2.0 * half_height, *radius]),
            Shape::Capsule { .. } => return Err("capsules"),
            Shape::HalfSpace => return Err("half-spaces"),
            Shape::Mesh(_) => return Err("meshes"),
            Shape::Heightfield(_) => return Err("heightfields"),
            Shape::Points(_) => return Err("point clouds"),
        };
        let _ = writeln!(
            text,
            "        - {{type: {kind}, dimensions: {dimensions:?}}}"
        );
        let position = placed.pose.translation;
        let orientation = quaternion(&placed.pose);
        let _ = writeln!(
            poses,
            "        - {{position: {position:?}, orientation: {orientation:?}}}"
        );
    }
    let _ = write!(text, "      primitive_poses:\n{poses}");
    Ok(())
}

fn joint_state(positions: &[(String, f64)]) -> String {
    let names: Vec<String> = positions.iter().map(|(name, _)| quoted(name)).collect();
    let values: Vec<f64> = positions.iter().map(|(_, value)| *value).collect();
    format!(
        "joint_state: {{name: [{}], position: {values:?}}}",
        names.join(", ")
    )
}

/// A name as a YAML string, whatever is in it.
fn quoted(name: &str) -> String {
    serde_json::Value::from(name).to_string()
}

/// The rotation of a pose as x, y, z, w. The largest part is taken from the diagonal and the others
/// from it, so that nothing small is divided by.
fn quaternion(pose: &Pose) -> [f64; 4] {
    let r = &pose.rotation;
    let trace = r[0][0] + r[1][1] + r[2][2];
    if trace > 0.0 {
        let w = 0.5 * (1.0 + trace).sqrt();
        let part = |a: f64, b: f64| (a - b) / (4.0 * w);
        return [
            part(r[2][1], r[1][2]),
            part(r[0][2], r[2][0]),
            part(r[1][0], r[0][1]),
            w,
        ];
    }
    let i = (0..3).fold(0, |best, i| if r[i][i] > r[best][best] { i } else { best });
    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
    let largest = 0.5 * (1.0 + r[i][i] - r[j][j] - r[k][k]).max(0.0).sqrt();
    let mut q = [0.0; 4];
    q[i] = largest;
    q[j] = (r[i][j] + r[j][i]) / (4.0 * largest);
    q[k] = (r[i][k] + r[k][i]) / (4.0 * largest);
    q[3] = (r[k][j] - r[j][k]) / (4.0 * largest);
    q
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Placed;

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let shapes = [
            Shape::cuboid([0.1, 0.2, 0.3]),
            Shape::sphere(0.05),
            Shape::cylinder(0.03, 0.12),
        ];
        let turns = [[0.3, -0.4, 2.9], [3.1, 0.2, -0.1], [-0.2, 3.0, 0.4]];
        let object = |(i, (shape, rpy)): (usize, (Result<Shape, _>, [f64; 3]))| Object {
            name: format!("thing {i}: \"a\""),
            shapes: vec![Placed {
                shape: shape.unwrap(),
                pose: Pose::from_xyz_rpy([0.1, i as f64, -1e-7], rpy),
            }],
        };
        let scene = Scene {
            robot: Some("r".to_owned()),
            objects: shapes
                .into_iter()
                .zip(turns)
                .enumerate()
                .map(object)
                .collect(),
            state: vec![("yes".to_owned(), 0.25)],
            ..Scene::default()
        };
        let path = folder.path().join("scene.yaml");
        scene.write(&path).unwrap();
        let again = Scene::read(&path).unwrap();
        assert_eq!((&again.robot, &again.state), (&scene.robot, &scene.state));
        for (one, other) in scene.objects.iter().zip(&again.objects) {
            assert_eq!(one.name, other.name);
            let (a, b) = (&one.shapes[0], &other.shapes[0]);
            assert_eq!(a.shape, b.shape);
            assert_eq!(a.pose.translation, b.pose.translation);
            let rows = a.pose.rotation.iter().flatten();
            for (x, y) in rows.zip(b.pose.rotation.iter().flatten()) {
                assert!((x - y).abs() < 1e-12, "{x} {y}");
            }
        }
        let request = MotionRequest {
            group: "arm".to_owned(),
            start: vec![("on".to_owned(), 0.1), ("b".to_owned(), -2.0)],
            goals: vec![Goal::Joints(vec![
                ("on".to_owned(), 1e-9),
                ("b".to_owned(), 3.0),
            ])],
        };
        let path = folder.path().join("request.yaml");
        request.write(&path).unwrap();
        assert_eq!(MotionRequest::read(&path).unwrap(), request);
    }

    #[test]
    fn what_is_not_written_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let mut scene = Scene::default();
        scene.objects.push(Object {
            name: "floor".to_owned(),
            shapes: vec![Placed {
                shape: Shape::HalfSpace,
                pose: Pose::IDENTITY,
            }],
        });
        let error = scene.write(folder.path().join("s.yaml")).unwrap_err();
        assert!(error.to_string().contains("floor") && error.to_string().contains("half-spaces"));
        let mut scene = Scene::default();
        scene.allowed.set("a", "b", true);
        assert!(scene.write(folder.path().join("s.yaml")).is_err());
    }
}
