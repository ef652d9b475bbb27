//! The published scenes and requests load whole.

use crate::panda;
use psmp_arm::{MotionRequest, Robot, Scene, Semantics, Shape};

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
        for number in 1..=100 {
            let scene = Scene::read(set.join(format!("scene{number:04}.yaml"))).unwrap();
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
                let disabled = semantics.disabled.contains(&(a.min(b), a.max(b)));
                assert_eq!(free, disabled, "{one} {other}");
            }
            let request =
                MotionRequest::read(set.join(format!("request{number:04}.yaml"))).unwrap();
            assert_eq!(request.group, "panda_arm");
            assert_eq!((request.start.len(), request.goal.len()), (9, 7));
            assert!(
                request
                    .goal
                    .iter()
                    .all(|(name, _)| robot.variable(name).is_some())
            );
            count += 1;
        }
    }
    assert_eq!(count, 400);
}
