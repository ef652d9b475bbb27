//! Inverse kinematics: what a configuration reaches is reached again, and what none reaches is told.

use crate::random;
use psmp_arm::{
    Angles, Arm, ArmError, ArmProblem, Goal, Inverse, Miss, MotionRequest, OrientationGoal, Pose,
    PoseGoal, PositionGoal, Robot, Scene, Search, Semantics, Volume, models,
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
    poses.of(0)[arm.tip()]
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
    assert!(
        millis[POSES / 2] < 100.0,
        "{name}: {} ms",
        millis[POSES / 2]
    );
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

/// Kept apart, within the limits, the nearest first, the same for a seed, and all of them there.
#[test]
fn solutions_are_many_and_the_same_for_a_seed() {
    for name in ["ur5-like", "panda-like", "planar-2"] {
        let arm = shipped(name);
        let mut dice = random(8);
        let (q, from) = (drawn(&arm, &mut dice), drawn(&arm, &mut dice));
        let goal = PoseGoal::exact(None, &tool_pose(&arm, &q));
        let inverse = Inverse::new(&arm, &goal).unwrap();
        let search = Search {
            solutions: 6,
            apart: 0.3,
            ..Search::default()
        };
        let found = inverse.solutions(&from, &search).unwrap();
        assert!(found.len() >= 2 || name == "planar-2", "{name}: {found:?}");
        assert_eq!(found, inverse.solutions(&from, &search).unwrap());
        let space = arm.space();
        let ways: Vec<f64> = found.iter().map(|q| space.distance(&from, q)).collect();
        assert!(ways.is_sorted(), "{name}: {ways:?}");
        for (i, one) in found.iter().enumerate() {
            assert!(space.contains(one) && inverse.miss(one).is_hit());
            assert!(
                found[..i]
                    .iter()
                    .all(|other| space.distance(one, other) >= 0.3)
            );
        }
    }
}

/// An arm that is stretched out or has its wrist straight has fewer ways to move than joints; what is out
/// of reach is told with how far it is.
#[test]
fn singular_goals_are_reached_and_unreachable_ones_told() {
    for name in ["panda-like", "wam-like", "ur5-like", "planar-3"] {
        let arm = shipped(name);
        let home = arm.configuration(arm.state("home").unwrap()).unwrap();
        let low = |i: usize| arm.space().axes()[i].lower();
        let high = |i: usize| arm.space().axes()[i].upper();
        let clamped = |q: Vec<f64>| -> Vec<f64> {
            let each = q.iter().enumerate();
            each.map(|(i, v)| v.clamp(low(i), high(i))).collect()
        };
        let mut dice = random(2);
        let from = drawn(&arm, &mut dice);
        for q in [clamped(vec![0.0; arm.dimension()]), home.clone()] {
            let goal = PoseGoal::exact(None, &tool_pose(&arm, &q));
            let inverse = Inverse::new(&arm, &goal).unwrap();
            let found = inverse.solutions(&from, &Search::default());
            assert!(inverse.miss(&found.unwrap()[0]).is_hit(), "{name}");
        }
        let far = PoseGoal::exact(None, &Pose::at([3.0, 0.0, 0.0]));
        let inverse = Inverse::new(&arm, &far).unwrap();
        let few = Search {
            restarts: 20,
            ..Search::default()
        };
        match inverse.solutions(&home, &few) {
            Err(ArmError::Unreachable {
                distance, restarts, ..
            }) => {
                assert!((1.0..3.5).contains(&distance), "{name}: {distance}");
                assert_eq!(restarts, 20);
            }
            other => panic!("{name}: {other:?}"),
        }
    }
    let arm = shipped("panda-like");
    let goal = PoseGoal::at(Some("hnad"), [0.5, 0.0, 0.5]);
    let error = Inverse::new(&arm, &goal).unwrap_err();
    assert!(error.to_string().contains("it has hand"), "{error}");
    let root = arm.robot().links()[0].name.clone();
    let still = Inverse::new(&arm, &PoseGoal::at(Some(&root), [0.0; 3]));
    assert!(matches!(still, Err(ArmError::Still { .. })));
}

/// What a region leaves open is used: in the frame of a link that stands still, for a point of the hand,
/// about an axis that is free.
#[test]
fn regions_are_met_within_their_tolerances() {
    let arm = shipped("panda-like");
    let home = arm.configuration(arm.state("home").unwrap()).unwrap();
    let pose = tool_pose(&arm, &home);
    let root = arm.robot().links()[0].name.clone();
    let point = [0.0, 0.0, 0.1];
    let at = pose.apply(point);
    for (angles, tolerance) in [
        (Angles::Euler, [0.01, 0.01, 3.2]),
        (Angles::RotationVector, [0.2, 0.1, 0.3]),
        (Angles::Euler, [0.0; 3]),
    ] {
        let goal = PoseGoal {
            link: None,
            position: Some(PositionGoal {
                point,
                frame: Some(root.clone()),
                volumes: vec![
                    // Nothing reaches the first.
                    (Pose::at([9.0, 0.0, 0.0]), Volume::Sphere(0.1)),
                    (Pose::at(at), Volume::Box([0.05, 0.02, 0.0])),
                ],
            }),
            orientation: Some(OrientationGoal {
                frame: None,
                rotation: pose.rotation,
                tolerance,
                angles,
            }),
        };
        let inverse = Inverse::new(&arm, &goal).unwrap();
        let found = inverse.solutions(&home, &Search::default()).unwrap();
        assert!(found.len() >= 3, "{}", found.len());
        for q in &found {
            let there = tool_pose(&arm, q).apply(point);
            for (i, most) in [0.05, 0.02, 0.0].into_iter().enumerate() {
                assert!(
                    (there[i] - at[i]).abs() <= most + Miss::PRECISION,
                    "{there:?}"
                );
            }
        }
        if tolerance[2] > 3.0 {
            // The hand still looks where it did, turned about that.
            let turned = |q: &Vec<f64>| {
                let turned = tool_pose(&arm, q).rotation;
                let along: f64 = (0..3).map(|r| turned[r][2] * pose.rotation[r][2]).sum();
                let across: f64 = (0..3).map(|r| turned[r][0] * pose.rotation[r][0]).sum();
                (along, across)
            };
            assert!(found.iter().all(|q| turned(q).0 > 0.9998));
            assert!(found.iter().any(|q| turned(q).1 < 0.9));
        }
    }
    let mut moving = PoseGoal::exact(None, &pose);
    let hand = arm.robot().links()[arm.tip()].name.clone();
    moving.position.as_mut().unwrap().frame = Some(hand);
    assert!(matches!(
        Inverse::new(&arm, &moving),
        Err(ArmError::MovingFrame { .. })
    ));
}

/// The goals of published problems, asked for as poses: the configuration that was given is one of many,
/// and one of them is as near.
#[test]
fn published_goals_are_reached_as_poses() {
    let Some(arm) = published("panda", "panda_arm") else {
        return;
    };
    let problems = psmp_testdata::published("motion_bench_maker/panda/problems").unwrap();
    let (mut reached, mut count) = (0, 0);
    for set in ["bookshelf_small", "box", "table_pick"] {
        for number in (5..=100).step_by(5) {
            let file = problems.join(format!("{set}/request{number:04}.yaml"));
            let mut request = MotionRequest::read(file).unwrap();
            let given = ArmProblem::new(&arm, Scene::default(), &request).unwrap();
            let pose = tool_pose(&given.arm, &given.goals[0]);
            request.goals = vec![Goal::Pose(PoseGoal::exact(None, &pose))];
            let problem = ArmProblem::new(&arm, Scene::default(), &request);
            count += 1;
            reached += usize::from(problem.is_ok_and(|p| p.goals.len() > 1));
        }
    }
    assert!(reached * 100 >= count * 99, "{reached} of {count}");
}
