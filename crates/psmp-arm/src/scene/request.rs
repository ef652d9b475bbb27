//! Motion plan requests: which group is to go from where to where.
//!
//! A goal is given in joint space, or by where a link is to be: MoveIt's position and orientation
//! constraints make a region of poses. Where a request has several goals, any one of them will do.

use super::messages::{
    ConstraintsFile, Kind, OrientationConstraintFile, PositionConstraintFile, PrimitiveFile,
    Quaternion, RequestFile, Three, from_yaml,
};
use super::moveit::joint_positions;
use super::{finite_pose, near};
use crate::geometry::FARTHEST;
use crate::permissions::LARGEST_TEXT;
use crate::pose::Pose;
use crate::pose_goal::{Angles, OrientationGoal, PoseGoal, PositionGoal, Volume};
use psmp_files::{FileError, Place, read_regular_text};
use serde::{Deserialize, Serialize};
use serde_saphyr::Spanned;
use std::path::Path;

/// Where to end.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Goal {
    /// With the group's joints at these positions, by name.
    Joints(Vec<(String, f64)>),
    /// With a link here.
    Pose(PoseGoal),
}

/// A MoveIt motion plan request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MotionRequest {
    /// The group that is to move.
    pub group: String,
    /// Where joints are at the start, by name; also of joints outside the group.
    pub start: Vec<(String, f64)>,
    /// Where to end: at any one of these.
    pub goals: Vec<Goal>,
}

impl MotionRequest {
    /// Reads a request from a YAML file.
    ///
    /// # Errors
    /// If the file cannot be read, or does not give a group, a start and goals that can be planned to.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let text = read_regular_text(path, LARGEST_TEXT)?;
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, FileError> {
        let file: RequestFile = from_yaml(path, text, Kind::Request)?;
        let reader = Reader { path };
        let wrong = |field: &str, problem: &str| reader.wrong(field, problem);
        if file.group_name.is_empty() {
            return Err(
                wrong("group_name", "no group is named").hint("name the group that is to move")
            );
        }
        let path_constraints = &file.path_constraints;
        if path_constraints.joint_constraints.len() + path_constraints.in_space() > 0 {
            return Err(wrong("path_constraints", "paths cannot be constrained")
                .hint("leave the constraints out, and check the path that is found against them"));
        }
        if !file.trajectory_constraints.constraints.is_empty() {
            return Err(wrong(
                "trajectory_constraints",
                "trajectories cannot be constrained",
            )
            .hint("leave the constraints out"));
        }
        if !file.start_state.attached_collision_objects.is_empty() {
            return Err(wrong("start_state", "a request cannot attach objects")
                .hint("attach them in the scene's `robot_state`"));
        }
        let start = joint_positions(path, &file.start_state.joint_state)?;
        if start.is_empty() {
            return Err(wrong("start_state", "no joint has a position")
                .hint("give the names and positions of the joints in `joint_state`"));
        }
        if file.goal_constraints.is_empty() {
            return Err(
                wrong("goal_constraints", "has 0 goals, expected one or more").hint("give a goal"),
            );
        }
        // Where the robot's root is in the world: what is given in the world is brought into the root.
        let base = match file.start_state.multi_dof_joint_state.transforms.first() {
            Some(transform) => {
                transform.pose(|problem| wrong("start_state.multi_dof_joint_state", &problem))?
            }
            None => Pose::IDENTITY,
        };
        let goals = file.goal_constraints.iter();
        let goals = goals.map(|goal| reader.goal(goal, &base.inverse()));
        Ok(Self {
            group: file.group_name,
            start,
            goals: goals.collect::<Result<_, _>>()?,
        })
    }
}

struct Reader<'a> {
    path: &'a Path,
}

/// The frame that is meant, and a pose in it, which the world's are brought into the root by.
type InFrame = (Option<String>, Pose);

impl Reader<'_> {
    fn wrong(&self, field: &str, problem: &str) -> FileError {
        FileError::new(self.path, problem).at(Place::Field(field.to_owned()))
    }

    /// What is wrong with a key of something that begins in this line.
    fn wrong_in<T>(
        &self,
        part: &Spanned<T>,
        key: &str,
        problem: impl std::fmt::Display,
    ) -> FileError {
        FileError::new(self.path, format!("`{key}` {problem}"))
            .at(Place::Line(part.referenced.line() as usize))
    }

    fn goal(&self, file: &ConstraintsFile, to_root: &Pose) -> Result<Goal, FileError> {
        let wrong = |problem: &str| self.wrong("goal_constraints", problem);
        if !file.visibility_constraints.is_empty() {
            return Err(wrong("a goal cannot be constrained by `visibility_constraints`")
                .hint("give `joint_constraints`, or `position_constraints` and `orientation_constraints`"));
        }
        match (file.joint_constraints.is_empty(), file.in_space()) {
            (true, 0) => Err(wrong("a goal has no constraints").hint(
                "give `joint_constraints`, or `position_constraints` and `orientation_constraints`",
            )),
            (true, _) => Ok(Goal::Pose(self.pose_goal(file, to_root)?)),
            (false, 0) => {
                let bad = |j: &&super::messages::JointConstraintFile| !j.position.is_finite();
                if let Some(bad) = file.joint_constraints.iter().find(bad) {
                    let problem = format!("the position of `{}` is not finite", bad.joint_name);
                    return Err(wrong(&problem).hint("give a finite position"));
                }
                let constraints = file.joint_constraints.iter();
                let positions = constraints.map(|j| (j.joint_name.clone(), j.position));
                Ok(Goal::Joints(positions.collect()))
            }
            (false, _) => Err(
                wrong("a goal is given in joint space and by where a link is to be").hint(
                    "give one of the two; goals of which any will do are entries of their own",
                ),
            ),
        }
    }

    fn pose_goal(&self, file: &ConstraintsFile, to_root: &Pose) -> Result<PoseGoal, FileError> {
        let (positions, orientations) = (&file.position_constraints, &file.orientation_constraints);
        for (key, second) in [
            (
                "position_constraints",
                positions.get(1).map(|c| c.referenced),
            ),
            (
                "orientation_constraints",
                orientations.get(1).map(|c| c.referenced),
            ),
        ] {
            if let Some(second) = second {
                return Err(FileError::new(
                    self.path,
                    format!("`{key}` has more than one constraint"),
                )
                .at(Place::Line(second.line() as usize))
                .hint("give one position and one orientation of one link"));
            }
        }
        let (position, orientation) = (positions.first(), orientations.first());
        let names = [
            position.map(|p| &p.value.link_name),
            orientation.map(|o| &o.value.link_name),
        ];
        if let ([Some(one), Some(other)], Some(constraint)) = (names, orientation)
            && one != other
        {
            let problem = format!("is `{other}`, but the position is one of `{one}`");
            return Err(self
                .wrong_in(constraint, "link_name", problem)
                .hint("give position and orientation of the same link"));
        }
        let link = names.into_iter().flatten().next();
        Ok(PoseGoal {
            link: link.filter(|name| !name.is_empty()).cloned(),
            position: position.map(|p| self.position(p, to_root)).transpose()?,
            orientation: orientation
                .map(|o| self.orientation(o, to_root))
                .transpose()?,
        })
    }

    /// The frame of a header, and what brings its poses into it.
    fn frame(name: &str, to_root: &Pose) -> InFrame {
        match name {
            "" | "world" => (None, *to_root),
            link => (Some(link.to_owned()), Pose::IDENTITY),
        }
    }

    fn position(
        &self,
        constraint: &Spanned<PositionConstraintFile>,
        to_root: &Pose,
    ) -> Result<PositionGoal, FileError> {
        let file = &constraint.value;
        let region = &file.constraint_region;
        let wrong = |key: &str, problem: String| self.wrong_in(constraint, key, problem);
        if !region.meshes.is_empty() {
            let problem = "has a mesh, which cannot be planned to".to_owned();
            return Err(wrong("constraint_region", problem).hint("give boxes or spheres"));
        }
        let (count, poses) = (region.primitives.len(), region.primitive_poses.len());
        if count == 0 || count != poses {
            let problem = format!("has {count} primitives and {poses} poses of them");
            return Err(wrong("constraint_region", problem)
                .hint("give a box or sphere, or several, and each its pose"));
        }
        let point = file.target_point_offset.as_ref();
        let point = point.map_or([0.0; 3], Three::values);
        let offset = |problem| wrong("target_point_offset", problem);
        let point = finite_pose(point, [0.0, 0.0, 0.0, 1.0], offset)?.translation;
        let (frame, outer) = Self::frame(&file.header.frame_id, to_root);
        let mut volumes = Vec::with_capacity(count);
        for (primitive, pose) in region.primitives.iter().zip(&region.primitive_poses) {
            let pose = pose.pose(|problem| wrong("primitive_poses", problem))?;
            let volume = volume(primitive).map_err(|problem| {
                wrong("primitives", problem).hint(
                    "a box has three dimensions (its sides), a sphere one (its radius), in metres",
                )
            })?;
            let pose = near(outer.then(&pose), |problem| {
                wrong("primitive_poses", problem)
            })?;
            volumes.push((pose, volume));
        }
        Ok(PositionGoal {
            point,
            frame,
            volumes,
        })
    }

    fn orientation(
        &self,
        constraint: &Spanned<OrientationConstraintFile>,
        to_root: &Pose,
    ) -> Result<OrientationGoal, FileError> {
        let file = &constraint.value;
        let wrong = |key: &str, problem: String| self.wrong_in(constraint, key, problem);
        let Some(quaternion) = &file.orientation else {
            return Err(wrong("orientation", "is missing".to_owned())
                .hint("give a unit quaternion in the order x, y, z, w"));
        };
        let orientation = |problem| wrong("orientation", problem);
        let wanted = finite_pose([0.0; 3], Quaternion::values(quaternion), orientation)?;
        let tolerances = [
            ("absolute_x_axis_tolerance", file.absolute_x_axis_tolerance),
            ("absolute_y_axis_tolerance", file.absolute_y_axis_tolerance),
            ("absolute_z_axis_tolerance", file.absolute_z_axis_tolerance),
        ];
        if let Some((key, tolerance)) = tolerances.iter().find(|(_, t)| !(0.0..).contains(t)) {
            let problem = format!("is {tolerance}, expected an angle that is not negative");
            return Err(wrong(key, problem).hint("give radians; 3.15 or more leaves the axis free"));
        }
        let angles = match file.parameterization {
            0 => Angles::Euler,
            1 => Angles::RotationVector,
            other => {
                let problem = format!("is {other}, which is not known");
                return Err(wrong("parameterization", problem)
                    .hint("give 0 for Euler angles about x, y and z, or 1 for a rotation vector"));
            }
        };
        let (frame, outer) = Self::frame(&file.header.frame_id, to_root);
        Ok(OrientationGoal {
            frame,
            rotation: outer.then(&wanted).rotation,
            tolerance: tolerances.map(|(_, tolerance)| tolerance),
            angles,
        })
    }
}

/// The volume that a primitive is, or what is wrong with it.
fn volume(primitive: &PrimitiveFile) -> Result<Volume, String> {
    let dimensions = &primitive.dimensions[..];
    if let Some(bad) = dimensions.iter().find(|d| !(0.0..=FARTHEST).contains(*d)) {
        return Err(format!("have a dimension of {bad}"));
    }
    match (primitive.kind.word(), dimensions) {
        (Some("box"), &[x, y, z]) => Ok(Volume::Box([x / 2.0, y / 2.0, z / 2.0])),
        (Some("sphere"), &[radius]) => Ok(Volume::Sphere(radius)),
        (Some(kind @ ("box" | "sphere")), _) => {
            Err(format!("have a {kind} of {} dimensions", dimensions.len()))
        }
        _ => Err(format!(
            "have a `{}`, which cannot be planned to",
            primitive.kind
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_message_is_known() {
        let text = "
workspace_parameters: {header: {}, min_corner: [0, 0, 0], max_corner: [1, 1, 1]}
start_state: {joint_state: {name: [j], position: [0]}, is_diff: true}
goal_constraints:
  - name: n
    joint_constraints: [{joint_name: j, position: 1, tolerance_above: 0, tolerance_below: 0, weight: 1}]
    position_constraints: []
    orientation_constraints: []
    visibility_constraints: []
path_constraints: {name: '', joint_constraints: []}
trajectory_constraints: {constraints: []}
reference_trajectories: []
pipeline_id: ompl
planner_id: ''
group_name: g
num_planning_attempts: 1
allowed_planning_time: 5
max_velocity_scaling_factor: 1
max_acceleration_scaling_factor: 1
cartesian_speed_end_effector_link: ''
cartesian_speed_limited_link: ''
max_cartesian_speed: 0
";
        let request = MotionRequest::parse(Path::new("r.yaml"), text).unwrap();
        assert_eq!(request.goals, [Goal::Joints(vec![("j".to_owned(), 1.0)])]);
    }

    #[test]
    fn what_is_missing_is_named() {
        let start = "start_state: {joint_state: {name: [j], position: [0]}}";
        for (text, word) in [
            (format!("{start}\ngoal_constraints: []"), "group_name"),
            ("group_name: g".to_owned(), "start_state"),
            (format!("group_name: g\n{start}"), "0 goals"),
            (
                format!(
                    "group_name: g\n{start}\ngoal_constraints: [{{joint_constraints: [{{joint_name: j, position: .nan}}]}}]"
                ),
                "finite",
            ),
            ("[]".to_owned(), "request"),
            (String::new(), "empty"),
            (format!("group_nam: g\n{start}"), "likely `group_name`"),
            (
                "world: {collision_objects: []}".to_owned(),
                "looks like a MoveIt planning scene",
            ),
            (
                format!(
                    "group_name: g\n{start}\npath_constraints: {{orientation_constraints: [{{}}]}}"
                ),
                "path_constraints",
            ),
            (
                format!("group_name: g\n{start}\ntrajectory_constraints: {{constraints: [{{}}]}}"),
                "trajectory_constraints",
            ),
            (
                "group_name: g\nstart_state: {attached_collision_objects: [{}]}".to_owned(),
                "attach",
            ),
        ] {
            let error = MotionRequest::parse(Path::new("r.yaml"), &text).expect_err(&text);
            assert!(error.to_string().contains(word), "{error}");
            assert!(error.remedy().is_some());
        }
    }

    /// A request whose goal has this body.
    fn with_goal(body: &str) -> Result<MotionRequest, FileError> {
        let text = format!(
            "group_name: g\nstart_state:\n  joint_state: {{name: [j], position: [0]}}\n\
             goal_constraints:\n  - {body}\n"
        );
        MotionRequest::parse(Path::new("r.yaml"), &text)
    }

    #[test]
    fn positions_and_orientations_are_a_region_of_poses() {
        let request = with_goal(
            "name: n
    position_constraints:
      - header: {seq: 0, stamp: 0, frame_id: base}
        link_name: hand
        target_point_offset: {x: 0, y: 0, z: 0.1}
        constraint_region:
          primitives: [{type: 2, dimensions: [0.01]}, {type: box, dimensions: [0.2, 0.4, 0.6]}]
          primitive_poses: [{position: {x: 1, y: 2, z: 3}, orientation: {x: 0, y: 0, z: 0, w: 1}}, {position: [4, 5, 6]}]
          meshes: []
          mesh_poses: []
        weight: 1.0
    orientation_constraints:
      - header: {frame_id: world}
        orientation: {x: 1, y: 0, z: 0, w: 0}
        link_name: hand
        absolute_x_axis_tolerance: 0.1
        absolute_y_axis_tolerance: 0.2
        absolute_z_axis_tolerance: 3.15
        parameterization: 1
        weight: 1.0",
        )
        .unwrap();
        let [Goal::Pose(goal)] = &request.goals[..] else {
            panic!("{request:?}");
        };
        assert_eq!(goal.link.as_deref(), Some("hand"));
        let position = goal.position.as_ref().unwrap();
        assert_eq!(position.point, [0.0, 0.0, 0.1]);
        assert_eq!(position.frame.as_deref(), Some("base"));
        assert_eq!(
            position.volumes,
            [
                (Pose::at([1.0, 2.0, 3.0]), Volume::Sphere(0.01)),
                (Pose::at([4.0, 5.0, 6.0]), Volume::Box([0.1, 0.2, 0.3])),
            ]
        );
        let orientation = goal.orientation.as_ref().unwrap();
        assert_eq!(orientation.frame, None);
        assert_eq!(orientation.rotation[1], [0.0, -1.0, 0.0]);
        assert_eq!(orientation.tolerance, [0.1, 0.2, 3.15]);
        assert_eq!(orientation.angles, Angles::RotationVector);
    }

    #[test]
    fn any_of_several_goals_will_do() {
        let request = with_goal(
            "joint_constraints: [{joint_name: j, position: 1}]
  - joint_constraints: [{joint_name: j, position: 2}]",
        );
        assert_eq!(request.unwrap().goals.len(), 2);
    }

    #[test]
    fn what_is_wrong_with_a_pose_is_named_with_its_line() {
        let position = |body: &str| format!("position_constraints:\n      - {{{body}}}");
        let region = |body: &str| position(&format!("link_name: l, constraint_region: {{{body}}}"));
        let turn =
            |body: &str| format!("orientation_constraints:\n      - {{link_name: l, {body}}}");
        let unit = "orientation: [0, 0, 0, 1]";
        for (body, word) in [
            ("{}".to_owned(), "no constraints"),
            (position(""), "0 primitives"),
            (
                region("primitives: [{type: sphere, dimensions: [1]}]"),
                "0 poses",
            ),
            (
                region("primitives: [{type: cone, dimensions: [1, 1]}], primitive_poses: [{}]"),
                "`cone`",
            ),
            (
                region("primitives: [{type: 9, dimensions: []}], primitive_poses: [{}]"),
                "`9`",
            ),
            (
                region("primitives: [{type: box, dimensions: [1]}], primitive_poses: [{}]"),
                "box of 1 dimensions",
            ),
            (
                region("primitives: [{type: sphere, dimensions: [-1]}], primitive_poses: [{}]"),
                "-1",
            ),
            (
                region("primitives: [{type: sphere, dimensions: [.nan]}], primitive_poses: [{}]"),
                "NaN",
            ),
            (
                region(
                    "primitives: [{type: sphere, dimensions: [1]}], primitive_poses: [{orientation: [0, 0, 0, 2]}]",
                ),
                "length 2",
            ),
            (
                region(
                    "primitives: [{type: sphere, dimensions: [1]}], primitive_poses: [{position: [1e9, 0, 0]}]",
                ),
                "10000 m",
            ),
            (region("meshes: [{}]"), "mesh"),
            (region("primitive: []"), "likely `primitives`"),
            (turn("weight: 1"), "`orientation` is missing"),
            (turn("orientation: [0, 0, 0, 0]"), "length 0"),
            (
                turn(&format!("{unit}, absolute_z_axis_tolerance: -1")),
                "`absolute_z_axis_tolerance` is -1",
            ),
            (
                turn(&format!("{unit}, absolute_z_tolerance: 1")),
                "likely `absolute_z_axis_tolerance`",
            ),
            (
                turn(&format!("{unit}, parameterization: 7")),
                "`parameterization` is 7",
            ),
            (
                format!("{}\n      - {{link_name: l}}", turn(unit)),
                "more than one",
            ),
            (
                format!(
                    "{}\n    {}",
                    region("primitives: [{type: sphere, dimensions: [1]}], primitive_poses: [{}]"),
                    turn(unit).replace("link_name: l", "link_name: m")
                ),
                "`m`",
            ),
        ] {
            let error = with_goal(&body).expect_err(&body);
            let words = error.to_string();
            assert!(words.contains(word), "{words} should mention {word}");
            assert!(error.remedy().is_some(), "{words}");
            let placed = word.contains("no constraints") || words.contains(", line ");
            assert!(placed, "{words}");
        }
        let error = with_goal(
            "joint_constraints: [{joint_name: j, position: 1}]\n    position_constraints: [{}]",
        );
        assert!(error.unwrap_err().to_string().contains("joint space"));
        let error = with_goal("visibility_constraints: [{}]").unwrap_err();
        assert!(error.to_string().contains("`visibility_constraints`"));
    }
}
