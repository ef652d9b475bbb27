//! The published scenes and requests load whole.

use crate::panda;
use psmp_arm::{Arm, ArmProblem, Goal, MotionRequest, Robot, Scene, Semantics, Shape};

#[test]
fn every_published_problem_loads() {
    let Some(problems) = panda("problems") else {
        return;
    };
    let robot = Robot::read(panda("panda.urdf").unwrap()).unwrap();
    let semantics = Semantics::read(panda("panda.srdf").unwrap(), &robot).unwrap();
    let mut count = 0;
    for set in std::fs::read_dir(problems).unwrap() {
        let set = set.unwrap().path();
        for number in 1.. {
            let scene = set.join(format!("scene{number:04}.yaml"));
            if !scene.exists() {
                break;
            }
            let scene = Scene::read(scene).unwrap();
            assert_eq!(scene.robot.as_deref(), Some("panda"));
            assert!(scene.objects.len() >= 4);
            let solid = |shape: &Shape| matches!(shape, Shape::Box(_) | Shape::Cylinder { .. });
            assert!(
                scene
                    .objects
                    .iter()
                    .flat_map(|o| &o.shapes)
                    .all(|s| solid(&s.shape))
            );
            // The matrix names every link that can collide, and says of them what the SRDF says.
            let allowed = &scene.allowed;
            assert_eq!(allowed.pairs().count(), 11 * 10 / 2);
            for (one, other, free) in allowed.pairs() {
                let [a, b] = [one, other].map(|name| robot.link(name).unwrap());
                let disabled = semantics.disabled.contains_key(&(a.min(b), a.max(b)));
                assert_eq!(free, disabled, "{one} {other}");
            }
            let request =
                MotionRequest::read(set.join(format!("request{number:04}.yaml"))).unwrap();
            assert_eq!(request.group, "panda_arm");
            let [Goal::Joints(goal)] = &request.goals[..] else {
                panic!("{request:?}");
            };
            assert_eq!((request.start.len(), goal.len()), (9, 7));
            assert!(goal.iter().all(|(name, _)| robot.variable(name).is_some()));
            count += 1;
        }
    }
    assert!(count >= 400, "{count}");
}

#[test]
fn the_other_published_robot_loads_too() {
    let Some(ur5) = panda("../ur5") else {
        return;
    };
    let robot = Robot::read(ur5.join("ur5.urdf")).unwrap();
    let semantics = Semantics::read(ur5.join("ur5.srdf"), &robot).unwrap();
    let problems = ur5.join("problems/table_pick");
    for file in std::fs::read_dir(problems).unwrap() {
        let path = file.unwrap().path();
        if !path.to_string_lossy().contains("scene") {
            continue;
        }
        let request = path.to_string_lossy().replace("scene", "request");
        let request = MotionRequest::read(request).unwrap();
        let arm = Arm::new(robot.clone(), &semantics, &request.group).unwrap();
        ArmProblem::new(&arm, Scene::read(&path).unwrap(), &request).unwrap();
    }
}
