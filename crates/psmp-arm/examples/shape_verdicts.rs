//! Verdicts of refined checking in published problems, and how long they take, as JSON.
//!
//! ```text
//! cargo run --release -p psmp-arm --example shape_verdicts -- ../shared/data/motion_bench_maker/panda cage
//! ```
//!
//! For every problem of a set: configurations drawn over the whole of joint space, and those along
//! the straight motion from start to goal; which of them are free; and the mean nanoseconds for each
//! kind, the quicker of two rounds. `benches/python/shapes.py` asks coal about the same ones.

#![allow(
    clippy::unwrap_used,
    reason = "an example is read, and stops where it is wrong"
)]

use psmp::{Motion, Resolution, checker::World};
use psmp_arm::{
    Arm, ArmProblem, DEFAULT_SPHERES, MotionRequest, RefinedWorld, Robot, Scene, Semantics,
    SphereModel,
};
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

/// How many configurations are drawn in each problem.
const DRAWN: usize = 500;

/// How far apart the configurations along a straight motion are at most, in radians.
const STEP: f64 = 0.02;

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [data, set] = &words[..] else {
        panic!("expected the folder of a robot and the name of a set");
    };
    let data = PathBuf::from(data);
    let name = data.file_name().unwrap().to_string_lossy().into_owned();
    let robot = Robot::read(data.join(format!("{name}.urdf"))).unwrap();
    let semantics = Semantics::read(data.join(format!("{name}.srdf")), &robot).unwrap();
    let cache = std::env::temp_dir().join("psmp-spheres");
    let (cover, _) = SphereModel::cached(&robot, DEFAULT_SPHERES, &cache);
    let resolution = Resolution::largest_axis(STEP).unwrap();
    let mut problems = Vec::new();
    for number in 1.. {
        let file = |kind: &str| data.join(format!("problems/{set}/{kind}{number:04}.yaml"));
        if !file("scene").exists() {
            break;
        }
        let request = MotionRequest::read(file("request")).unwrap();
        let arm = Arm::new(robot.clone(), &semantics, &request.group).unwrap();
        let scene = Scene::read(file("scene")).unwrap();
        let problem = ArmProblem::new(&arm, scene, &request).unwrap();
        let mut world = RefinedWorld::new(&problem.arm, &cover, &problem.scene).unwrap();
        let space = problem.arm.space();
        let dimension = space.dimension();
        let motion = Motion::new(space, &problem.start, &problem.goals[0], resolution);
        let mut along = vec![0.0; motion.configurations() * dimension];
        for (step, q) in along.chunks_exact_mut(dimension).enumerate() {
            motion.write(step, q);
        }
        let drawn = psmp::roadmap::uniform(space, DRAWN, number);
        let [drawn, along] = [drawn, along].map(|all| {
            let each: Vec<&[f64]> = all.chunks_exact(dimension).collect();
            let mut free = Vec::new();
            let mut least = f64::INFINITY;
            for _ in 0..2 {
                free.clear();
                let started = Instant::now();
                free.extend(each.iter().map(|q| world.is_free(q).unwrap()));
                least = least.min(started.elapsed().as_secs_f64() * 1e9);
            }
            json!({
                "configurations": each,
                "free": free,
                "nanoseconds": least / each.len() as f64,
            })
        });
        problems.push(json!({
            "number": number,
            "joints": problem.arm.names().collect::<Vec<_>>(),
            "drawn": drawn,
            "along": along,
        }));
    }
    println!("{}", json!(problems));
}
