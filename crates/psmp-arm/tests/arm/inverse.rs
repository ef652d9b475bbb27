//! Inverse kinematics: what a configuration reaches is reached again, and what none reaches is told.

use crate::{random, random_configuration};
use psmp_arm::{
    Angles, Arm, ArmError, Inverse, Miss, OrientationGoal, Pose, PoseGoal, PositionGoal, Robot,
    Search, Semantics, Volume, models,
};
use std::time::Instant;

fn published(robot: &str, group: &str) -> Option<Arm> {
    let folder = psmp_testdata::published(&format!("motion_bench_maker/{robot}"))?;
    let urdf = Robot::read(folder.join(format!("{robot}.urdf"))).unwrap();
    let srdf = Semantics::read(folder.join(format!("{robot}.srdf")), &urdf).unwrap();
    Some(Arm::new(urdf, &srdf, group).unwrap())
}

fn shipped(name: &str) -> Arm {
    let (robot, semantics) = models::named(name).unwrap();
    Arm::new(robot, &semantics, "arm").unwrap()
}

fn tool_pose(arm: &Arm, q: &[f64]) -> Pose {
    let mut poses = arm.kinematics().poses(1);
    arm.kinematics().compute(q, &mut poses);
    poses.of(0)[arm.tool()]
}

fn drawn(arm: &Arm, random: &mut impl FnMut() -> f64) -> Vec<f64> {
    let axes = arm.space().axes().iter();
    axes.map(|a| a.lower() + a.extent() * random()).collect()
}

/// Poses that random configurations reach, from other random configurations: nearly all are solved, and
/// quickly. `--nocapture` tells how quickly, beside the `k` crate.
fn measure(arm: &Arm, name: &str) {
    const POSES: usize = 1000;
    let mut dice = random(5);
    let (mut solved, mut millis) = (0, Vec::new());
    let search = Search {
        solutions: 1,
        ..Search::default()
    };
    for seed in 0..POSES {
        let pose = tool_pose(arm, &drawn(arm, &mut dice));
        let from = drawn(arm, &mut dice);
        let goal = PoseGoal::exact(None, &pose);
        let began = Instant::now();
        let inverse = Inverse::new(arm, &goal).unwrap();
        let search = Search {
            seed: seed as u64,
            ..search
        };
        let found = inverse.solutions(&from, &search);
        millis.push(began.elapsed().as_secs_f64() * 1e3);
        if let Ok(found) = found {
            solved += 1;
            assert!(arm.space().contains(&found[0]));
            let reached = tool_pose(arm, &found[0]);
            for i in 0..3 {
                assert!((reached.translation[i] - pose.translation[i]).abs() < 2e-6);
                for j in 0..3 {
                    assert!((reached.rotation[i][j] - pose.rotation[i][j]).abs() < 2e-6);
                }
            }
        }
    }
    millis.sort_by(f64::total_cmp);
    println!(
        "{name}: {solved} of {POSES} solved, median {:.3} ms, 99% within {:.3} ms, at most {:.3} ms",
        millis[POSES / 2],
        millis[POSES * 99 / 100],
        millis[POSES - 1]
    );
    assert!(solved * 100 >= POSES * 99, "{name}: {solved}");
    // Ten times what is promised of a build that is optimised, on a machine that does nothing else.
    assert!(millis[POSES / 2] < 100.0, "{name}: {} ms", millis[POSES / 2]);
}

#[test]
fn what_is_reachable_is_reached() {
    for name in ["wam-like", "panda-like", "ur5-like"] {
        measure(&shipped(name), name);
    }
}

#[test]
fn what_published_robots_can_reach_is_reached() {
    for (robot, group) in [("panda", "panda_arm"), ("ur5", "manipulator")] {
        let Some(arm) = published(robot, group) else {
            return;
        };
        measure(&arm, robot);
    }
}
