//! Motion plan requests: which group is to go from where to where.

use super::moveit::{RobotStateFile, from_yaml, joint_positions};
use crate::permissions::LARGEST_TEXT;
use psmp_worlds::{FileError, Place, read_regular_text};
use serde::Deserialize;
use serde::de::IgnoredAny;
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

#[derive(Deserialize)]
struct RequestFile {
    #[serde(default)]
    group_name: String,
    #[serde(default)]
    start_state: RobotStateFile,
    #[serde(default)]
    goal_constraints: Vec<ConstraintsFile>,
}

#[derive(Deserialize)]
struct ConstraintsFile {
    #[serde(default)]
    joint_constraints: Vec<JointConstraintFile>,
    #[serde(default)]
    position_constraints: Vec<IgnoredAny>,
    #[serde(default)]
    orientation_constraints: Vec<IgnoredAny>,
}

#[derive(Deserialize)]
struct JointConstraintFile {
    joint_name: String,
    position: f64,
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
        let file: RequestFile = from_yaml(path, text, "a MoveIt motion plan request")?;
        let wrong = |field: &str, problem: &str| {
            FileError::new(path, problem).at(Place::Field(field.to_owned()))
        };
        if file.group_name.is_empty() {
            return Err(
                wrong("group_name", "no group is named").hint("name the group that is to move")
            );
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
        let in_space = goal.position_constraints.len() + goal.orientation_constraints.len();
        if goal.joint_constraints.is_empty() || in_space > 0 {
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
        ] {
            let error = MotionRequest::parse(Path::new("r.yaml"), &text).expect_err(&text);
            assert!(error.to_string().contains(word), "{error}");
            assert!(error.remedy().is_some());
        }
    }
}
