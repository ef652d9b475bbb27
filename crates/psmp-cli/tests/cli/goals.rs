use crate::place::Place;
use psmp_arm::{Arm, models};

const AROUND: &str = "plan --robot planar-3 --scene post.toml --vertices 400 --fixed-roadmap";
const START: &str = "--start=-0.9,0.1,0.1";

fn arm() -> Arm {
    let (robot, semantics) = models::named("planar-3").unwrap();
    Arm::new(robot, &semantics, "arm").unwrap()
}

/// Where the last joint of the arm is and how it is turned, as `--goal-pose` takes it.
fn pose_at([a, b, c]: [f64; 3]) -> String {
    let (x, y) = (a.cos() + (a + b).cos(), a.sin() + (a + b).sin());
    let half = 0.5 * (a + b + c);
    format!(
        "{},{},0,0,0,{},{}",
        x / 3.0,
        y / 3.0,
        half.sin(),
        half.cos()
    )
}

/// The last configuration of a path that was written.
fn end_of(place: &Place, path: &str) -> Vec<f64> {
    let path = place.json(path);
    let last = path["path"].as_array().unwrap().last().unwrap().clone();
    serde_json::from_value(last).unwrap()
}

#[test]
fn an_arm_is_told_where_to_go_without_a_request() {
    let place = Place::new().with_arm();
    let goal = [0.9, -0.1, -0.1];
    let by_file = format!("{AROUND} --request over.yaml --json --seed 0");
    let by_file = place.psmp(&by_file).ok();
    for (start, goal) in [
        (START, "--goal 0.9,-0.1,-0.1"),
        (
            "--start joint3=0.1,joint1=-0.9,joint2=0.1",
            "--goal=joint1=0.9,joint2=-0.1,joint3=-0.1 --group arm",
        ),
    ] {
        let run = place.psmp(&format!("{AROUND} {start} {goal} --json --seed 0"));
        assert_eq!(run.ok().events(), by_file.events(), "{goal}");
    }
    // A state by its name, where nothing is in the way.
    place.write(
        "far.toml",
        "[[object]]\nname = \"far\"\nsphere = 0.1\nposition = [5, 5, 0]\n",
    );
    let line = format!("plan --robot planar-3 --scene far.toml {START} --goal home --path p.json");
    place.psmp(&line).ok();
    assert_eq!(end_of(&place, "p.json"), [0.0; 3]);
    let line = "plan --robot planar-3 --scene far.toml --start home --goal 0.9,-0.1,-0.1";
    place.psmp(&format!("{line} --path p.json")).ok();
    assert_eq!(end_of(&place, "p.json"), goal);
}

#[test]
fn a_pose_is_reached_by_any_configuration_that_has_it() {
    let place = Place::new().with_arm();
    let goal = [0.9, -0.1, -0.1];
    for planner in ["ei:ensemble", "rrtconnect"] {
        let vertices = match planner {
            "rrtconnect" => AROUND.replace(" --vertices 400 --fixed-roadmap", ""),
            _ => AROUND.to_owned(),
        };
        let line = format!(
            "{vertices} {START} --goal-pose {} --link link3 --planner {planner} --path p.json",
            pose_at(goal)
        );
        place.psmp(&line).ok();
        let end = end_of(&place, "p.json");
        let mut poses = arm().kinematics().poses(2);
        arm()
            .kinematics()
            .compute(&[&end[..], &goal].concat(), &mut poses);
        let (reached, wanted) = (poses.of(0)[3], poses.of(1)[3]);
        for i in 0..3 {
            assert!((reached.translation[i] - wanted.translation[i]).abs() < 1e-5);
            assert!((reached.rotation[0][i] - wanted.rotation[0][i]).abs() < 1e-5);
        }
    }
    // A position alone, and a quaternion that was rounded.
    for pose in ["0.3,0.4,0", "0.3,0.4,0,0,0,0.7071,0.7071"] {
        place
            .psmp(&format!("{AROUND} {START} --goal-pose {pose}"))
            .ok();
    }
    place.write(
        "pose.yaml",
        "group_name: arm
start_state:
  joint_state: {name: [joint1, joint2, joint3], position: [-0.9, 0.1, 0.1]}
goal_constraints:
  - position_constraints:
      - link_name: link3
        header: {frame_id: link0}
        constraint_region:
          primitives: [{type: sphere, dimensions: [0.02]}]
          primitive_poses: [{position: [0.3, 0.4, 0]}]
",
    );
    place
        .psmp(&format!("{AROUND} --request pose.yaml --path p.json"))
        .ok();
    let mut poses = arm().kinematics().poses(1);
    arm()
        .kinematics()
        .compute(&end_of(&place, "p.json"), &mut poses);
    let [x, y, _] = poses.of(0)[3].translation;
    assert!((x - 0.3).hypot(y - 0.4) <= 0.02, "{x} {y}");
}

#[test]
fn what_is_wrong_with_a_goal_is_told() {
    let place = Place::new().with_arm();
    let among = pose_at([0.4510268, -0.9020536, 0.4510268]);
    let among = format!("--goal-pose {among}");
    for (code, options, words) in [
        (
            1,
            "--goal-pose 5,0,0",
            &[
                "no configuration",
                "`link3`",
                "misses by 4.3",
                "restarts",
                "reach",
            ][..],
        ),
        (1, "--goal 9,0,0", &["`joint1`", "9", "[-3.14", "limits"]),
        (
            1,
            "--goal-pose 0.3,0.3,0 --link hand",
            &["`hand`", "link1", "link"],
        ),
        (
            1,
            "--goal-pose 0.3,0.3,0 --link link0",
            &["`link0`", "does not move"],
        ),
        (1, "--goal away", &["`away`", "home", "state"]),
        (1, "--goal 1,2", &["2 values", "3 joints", "joint3"]),
        (1, "--goal joint1=1,joint2=2", &["`joint3`", "no position"]),
        (1, "--goal elbow=1", &["`elbow`"]),
        (1, "--goal joint1=x", &["joint1=x", "finite"]),
        (1, "--goal nan,0,0", &["nan"]),
        (2, "", &["--goal"]),
        (
            2,
            "--goal-pose 0.3,0.3,0,0,0,0.5,0.5",
            &["length 0.7071", "--goal-pose"],
        ),
        (2, "--goal-pose 1,2", &["3 or 7", "--goal-pose"]),
        (
            2,
            "--goal 0,0,0 --goal-pose 0.3,0.3,0",
            &["--goal-pose", "--goal"],
        ),
        (2, "--goal 0,0,0 --link link3", &["--link", "--goal"]),
        (2, "--goal 0,0,0 --request over.yaml", &["--request"]),
        (1, "--goal 0,0,0 --group leg", &["`leg`", "arm"]),
        (1, "--goal home", &["goal is in collision", "`post`"]),
        (
            1,
            &among,
            &[
                "all",
                "configurations found for the goal",
                "`link3` touches `post`",
            ],
        ),
    ] {
        let run = place
            .psmp(&format!("{AROUND} {START} {options}"))
            .ends(code);
        for word in words {
            assert!(
                run.err.contains(word),
                "{options}: {} lacks {word}",
                run.err
            );
        }
    }
    let run = place
        .psmp(&format!("{AROUND} --goal 0.9,-0.1,-0.1"))
        .ends(2);
    assert!(run.err.contains("--start"), "{}", run.err);
}
