//! Problems from files to joined queries and solved ones.

use crate::{panda, random, random_configuration};
use psmp::belief::IndependentEdges;
use psmp::checker::{BisectionChecker, World};
use psmp::proposer::LazySp;
use psmp::validator::Forward;
use psmp::{Connection, Planner, Roadmap};
use psmp_arm::{
    Arm, ArmProblem, DEFAULT_NEIGHBOURS, DEFAULT_SPHERES, DEFAULT_VERTICES, ExactWorld,
    JoinedQuery, MotionRequest, RefinedWorld, RememberingChecker, Robot, Sampling, Scene,
    Semantics, SphereModel, joint_roadmap, models,
};

fn clutter() -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("scene.toml");
    let text = "[[object]]\nname = \"table\"\nbox = [0.8, 1.2, 0.04]\nposition = [0.6, 0, 0.3]\n\
                [[object]]\nname = \"can\"\ncylinder = { radius = 0.05, height = 0.3 }\nposition = [0.5, 0.1, 0.47]\n";
    std::fs::write(&path, text).unwrap();
    Scene::read(&path).unwrap()
}

#[test]
fn the_refined_world_says_what_the_true_shapes_say() {
    let (robot, semantics) = models::panda_like();
    let spheres = SphereModel::cover(&robot, 60);
    let arm = Arm::new(robot.clone(), &semantics, "arm").unwrap();
    let scene = clutter();
    let mut exact = ExactWorld::new(&arm, &scene).unwrap();
    let mut refined = RefinedWorld::new(&arm, &spheres, &scene).unwrap();
    let mut careful = arm_world(&arm, &spheres, &scene);
    let mut dice = random(3);
    let (mut all, mut truth, mut too_careful) = (Vec::new(), Vec::new(), 0);
    for _ in 0..3000 {
        let q = random_configuration(&robot, &mut dice);
        let free = exact.is_free(&q).unwrap();
        assert_eq!(refined.is_free(&q).unwrap(), free);
        too_careful += usize::from(free && !careful.is_free(&q).unwrap());
        all.extend(q);
        truth.push(free);
    }
    // There was something to refine.
    assert!(too_careful > 20, "{too_careful}");
    for (batch, free) in all.chunks(7 * 12).zip(truth.chunks(12)) {
        let expected = free.iter().position(|f| !f);
        assert_eq!(refined.first_collision(batch, 7).unwrap(), expected);
    }
}

fn arm_world(arm: &Arm, spheres: &SphereModel, scene: &Scene) -> psmp_arm::SphereWorld {
    psmp_arm::SphereWorld::new(arm, spheres, scene).unwrap()
}

#[test]
fn a_problem_names_what_touches() {
    let (robot, semantics) = models::panda_like();
    let arm = Arm::new(robot, &semantics, "arm").unwrap();
    let named = |q: [f64; 7]| arm.names().map(str::to_owned).zip(q).collect::<Vec<_>>();
    let request = MotionRequest {
        group: "arm".to_owned(),
        start: named([0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785]),
        goal: named([0.0, 0.9, 0.0, -1.2, 0.0, 1.571, 0.785]),
    };
    let problem = ArmProblem::new(&arm, clutter(), &request).unwrap();
    let touch = problem.touch().unwrap().unwrap();
    assert_eq!(touch.end, psmp_arm::End::Goal);
    assert!(
        ["table", "can"].contains(&touch.other.as_str()),
        "{touch:?}"
    );
    let away = ArmProblem::new(&arm, Scene::default(), &request).unwrap();
    assert_eq!(away.touch().unwrap(), None);
}

/// Every tenth of the published problems; `examples/published_problems.rs` does them all.
#[test]
fn published_problems_join_and_are_solved() {
    let Some(problems) = panda("problems") else {
        return;
    };
    let (urdf, srdf) = (panda("panda.urdf").unwrap(), panda("panda.srdf").unwrap());
    let robot = Robot::read(urdf).unwrap();
    let semantics = Semantics::read(srdf, &robot).unwrap();
    let spheres = SphereModel::cover(&robot, DEFAULT_SPHERES);
    let arm = Arm::new(robot, &semantics, "panda_arm").unwrap();
    let connection = Connection::Nearest(DEFAULT_NEIGHBOURS);
    let roadmap = joint_roadmap(
        &arm,
        &spheres,
        DEFAULT_VERTICES,
        Sampling::Halton,
        connection,
    )
    .unwrap();
    let (mut count, mut joined) = (0, 0);
    for set in ["bookshelf_small", "box", "table_pick", "table_under_pick"] {
        for number in (10..=100).step_by(10) {
            let file = |what: &str| problems.join(format!("{set}/{what}{number:04}.yaml"));
            let request = MotionRequest::read(file("request")).unwrap();
            let scene = Scene::read(file("scene")).unwrap();
            let problem = ArmProblem::new(&arm, scene, &request).unwrap();
            count += 1;
            let Some(solved) = solve(&problem, &spheres, &roadmap) else {
                continue;
            };
            joined += 1;
            assert!(solved, "{set} {number} joins the roadmap and is not solved");
        }
    }
    assert!(joined * 100 >= count * 95, "{joined} of {count} join");
}

/// Whether a problem that joins the roadmap is solved.
fn solve(problem: &ArmProblem, spheres: &SphereModel, roadmap: &Roadmap) -> Option<bool> {
    let mut world = RefinedWorld::new(&problem.arm, spheres, &problem.scene).unwrap();
    let (start, goal) = (&problem.start, &problem.goal);
    let mut joined =
        JoinedQuery::new(roadmap, start, goal, 0.2, &mut world, &psmp::Limit::none()).ok()?;
    Some((0..=3).any(|round| {
        let checker = BisectionChecker::by_largest_step(&joined.roadmap, 0.2, world.clone());
        let checker = RememberingChecker::new(checker.unwrap(), &mut joined.known);
        let belief = IndependentEdges::constant(0.5).unwrap();
        let (roadmap, query) = (&joined.roadmap, joined.query);
        let mut planner = Planner::new(roadmap, query, LazySp, belief, Forward, checker);
        while planner.next().is_some() {}
        let solved = planner.best_path().is_some();
        joined.make_finer(round).unwrap();
        solved
    }))
}
