//! Motion plan requests: which group is to go from where to where.

use super::messages::{Kind, RequestFile, from_yaml};
use super::moveit::joint_positions;
use crate::permissions::LARGEST_TEXT;
use psmp_files::{FileError, Place, read_regular_text};
use std::path::Path;

/// A MoveIt motion plan request with a goal in joint space.
#[derive(Debug, Clone, PartialEq)]
pub struct MotionRequest {
    /// The group that is to move.
    pub group: String,
    /// Where joints are at the start, by name; also of joints outside the group.
    pub start: Vec<(String, f64)>,
    /// Where the group's joints are to be.
    pub goal: Vec<(String, f64)>,
}

impl MotionRequest {
    /// Reads a request from a YAML file.
    ///
    /// # Errors
    /// If the file cannot be read, or does not give a group, a start and one goal in joint space.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let text = read_regular_text(path, LARGEST_TEXT)?;
        Self::parse(path, &text)
    }

    fn parse(path: &Path, text: &str) -> Result<Self, FileError> {
        let file: RequestFile = from_yaml(path, text, Kind::Request)?;
        let wrong = |field: &str, problem: &str| {
            FileError::new(path, problem).at(Place::Field(field.to_owned()))
        };
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
        let [goal] = &file.goal_constraints[..] else {
            let count = file.goal_constraints.len();
            return Err(wrong(
                "goal_constraints",
                &format!("has {count} goals, expected one"),
            )
            .hint("give one goal"));
        };
        if goal.joint_constraints.is_empty() || goal.in_space() > 0 {
            return Err(wrong("goal_constraints", "the goal is not in joint space")
                .hint("solve the inverse kinematics first and give `joint_constraints`"));
        }
        if let Some(bad) = goal
            .joint_constraints
            .iter()
            .find(|j| !j.position.is_finite())
        {
            let problem = format!("the position of `{}` is not finite", bad.joint_name);
            return Err(wrong("goal_constraints", &problem).hint("give a finite position"));
        }
        let constraints = goal.joint_constraints.iter();
        Ok(Self {
            group: file.group_name,
            start,
            goal: constraints
                .map(|j| (j.joint_name.clone(), j.position))
                .collect(),
        })
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
        assert_eq!(request.goal, [("j".to_owned(), 1.0)]);
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
                    "group_name: g\n{start}\ngoal_constraints: [{{position_constraints: [{{}}]}}]"
                ),
                "joint space",
            ),
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
}
