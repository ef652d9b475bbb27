//! How many of the published Panda problems join a roadmap, and how many of those are solved.
//!
//! ```text
//! cargo run --release -p psmp-arm --example published_problems -- ../shared/data/motion_bench_maker/panda
//! ... -- DATA --vertices 5000 --neighbours 10 --checker spheres --robot panda_spherized.urdf
//! ```
//!
//! Every problem of every set under `DATA/problems` is joined to one and the same roadmap and
//! planned for with LazySP, which finds the shortest path of the roadmap or proves that there is
//! none. `--checker` is `spheres`, `refined` (spheres, and the true shapes where they touch; if not
//! given) or `exact`. One problem is known to end in collision; it is counted and named like any
//! other that does.

#![allow(
    clippy::unwrap_used,
    reason = "an example is read, and stops where it is wrong"
)]

use psmp::belief::IndependentEdges;
use psmp::checker::{BisectionChecker, World};
use psmp::proposer::LazySp;
use psmp::validator::Forward;
use psmp::{Anytime, Connection, EventKind, Planner, Roadmap};
use psmp_arm::{
    Arm, ArmProblem, DEFAULT_NEIGHBOURS, DEFAULT_SPHERES, DEFAULT_VERTICES, ExactWorld, JoinError,
    JoinedQuery, MotionRequest, RefinedWorld, RememberingChecker, Robot, Sampling, Scene,
    Semantics, SphereModel, joint_roadmap,
};
use rayon::prelude::*;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::Instant;

const RESOLUTION: f64 = 0.2;
/// How often the roadmap is made finer where it has no path.
const MOST_ROUNDS: u32 = 3;

/// How a problem ended.
#[derive(Debug, Clone, PartialEq)]
enum Outcome {
    Solved {
        joining: u64,
        planning: u64,
        rounds: u32,
        seconds: f64,
    },
    NoPath,
    NotJoined(String),
    Touching(String),
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let data = PathBuf::from(arguments.next().expect("the folder of the Panda data"));
    let (mut vertices, mut neighbours) = (DEFAULT_VERTICES, DEFAULT_NEIGHBOURS);
    let (mut checker, mut spheres) = ("refined".to_owned(), DEFAULT_SPHERES);
    let mut robot = "panda.urdf".to_owned();
    while let (Some(name), Some(value)) = (arguments.next(), arguments.next()) {
        match name.as_str() {
            "--vertices" => vertices = value.parse().unwrap(),
            "--neighbours" => neighbours = value.parse().unwrap(),
            "--spheres" => spheres = value.parse().unwrap(),
            "--checker" => checker = value,
            "--robot" => robot = value,
            other => panic!("there is no option {other}"),
        }
    }
    let robot = Robot::read(data.join(robot)).unwrap();
    let semantics = Semantics::read(data.join("panda.srdf"), &robot).unwrap();
    let cache = std::env::temp_dir().join("psmp-spheres");
    let (cover, _) = SphereModel::cached(&robot, spheres, &cache);
    let arm = Arm::new(robot, &semantics, "panda_arm").unwrap();
    let connection = Connection::Nearest(neighbours);
    let started = Instant::now();
    let roadmap = joint_roadmap(&arm, &cover, vertices, Sampling::Halton, connection).unwrap();
    println!(
        "{} vertices, {} edges, made in {:.2} s; {} spheres; checker {checker}\n",
        roadmap.vertex_count(),
        roadmap.edge_count(),
        started.elapsed().as_secs_f64(),
        cover.count()
    );
    println!(
        "| set | problems | in collision | joined | solved | of these on a finer roadmap | configurations to join | to the shortest path | seconds |"
    );
    println!("|---|---:|---:|---:|---:|---:|---:|---:|---:|");
    let mut sets: Vec<PathBuf> = std::fs::read_dir(data.join("problems"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    sets.sort();
    let mut notes = Vec::new();
    for set in sets {
        let mut scenes: Vec<PathBuf> = std::fs::read_dir(&set)
            .unwrap()
            .map(|e| e.unwrap().path())
            .filter(|p| {
                p.file_name()
                    .unwrap()
                    .to_string_lossy()
                    .starts_with("scene")
            })
            .collect();
        scenes.sort();
        let outcomes: Vec<Outcome> = scenes
            .par_iter()
            .map(|scene| solve(scene, &arm, &cover, &roadmap, &checker))
            .collect();
        let name = set.file_name().unwrap().to_string_lossy().into_owned();
        for (scene, outcome) in scenes.iter().zip(&outcomes) {
            if !matches!(outcome, Outcome::Solved { .. }) {
                let scene = scene.file_stem().unwrap().to_string_lossy();
                notes.push(format!("{name} {scene}: {outcome:?}"));
            }
        }
        report(&name, &outcomes);
    }
    println!("\n{}", notes.join("\n"));
}

fn solve(
    scene: &Path,
    arm: &Arm,
    cover: &SphereModel,
    roadmap: &Roadmap,
    checker: &str,
) -> Outcome {
    let file = scene
        .file_name()
        .unwrap()
        .to_string_lossy()
        .replace("scene", "request");
    let request = MotionRequest::read(scene.with_file_name(file)).unwrap();
    let problem = ArmProblem::new(arm, Scene::read(scene).unwrap(), &request).unwrap();
    if let Some(touch) = problem.touch().unwrap() {
        let (end, body, other) = (touch.end, touch.body, touch.other);
        return Outcome::Touching(format!("at the {end}, `{body}` touches `{other}`"));
    }
    let (arm, scene) = (&problem.arm, &problem.scene);
    match checker {
        "spheres" => plan(&problem, roadmap, problem.sphere_world(cover).unwrap()),
        "exact" => plan(&problem, roadmap, ExactWorld::new(arm, scene).unwrap()),
        _ => plan(
            &problem,
            roadmap,
            RefinedWorld::new(arm, cover, scene).unwrap(),
        ),
    }
}

fn plan<W: World<Error = Infallible> + Clone>(
    problem: &ArmProblem,
    roadmap: &Roadmap,
    mut world: W,
) -> Outcome {
    let started = Instant::now();
    let (start, goal) = (&problem.start, &problem.goal);
    let mut joined = match JoinedQuery::new(roadmap, start, goal, RESOLUTION, &mut world) {
        Ok(joined) => joined,
        Err(e @ JoinError::InCollision(_)) => return Outcome::Touching(e.to_string()),
        Err(e) => return Outcome::NotJoined(e.to_string()),
    };
    let mut planning = 0;
    for round in 0..=MOST_ROUNDS {
        let checker =
            BisectionChecker::by_largest_step(&joined.roadmap, RESOLUTION, world.clone()).unwrap();
        let checker = RememberingChecker::new(checker, &mut joined.known);
        let belief = IndependentEdges::constant(0.5).unwrap();
        let (roadmap, query) = (&joined.roadmap, joined.query);
        let mut planner = Planner::new(roadmap, query, LazySp, belief, Forward, checker);
        let last = std::iter::from_fn(|| planner.step()).last();
        let Some(Ok(event)) = last else { break };
        planning += event.progress.configurations;
        if event.kind == EventKind::Optimal {
            return Outcome::Solved {
                joining: joined.configurations,
                planning,
                rounds: round,
                seconds: started.elapsed().as_secs_f64(),
            };
        }
        joined.make_finer(round).unwrap();
    }
    Outcome::NoPath
}

fn report(set: &str, outcomes: &[Outcome]) {
    let count = |f: fn(&Outcome) -> bool| outcomes.iter().filter(|o| f(o)).count();
    let touching = count(|o| matches!(o, Outcome::Touching(_)));
    let solved = count(|o| matches!(o, Outcome::Solved { .. }));
    let joined = solved + count(|o| matches!(o, Outcome::NoPath));
    let finer = count(|o| matches!(o, Outcome::Solved { rounds: 1.., .. }));
    let median = |f: fn(&Outcome) -> Option<f64>| {
        let mut all: Vec<f64> = outcomes.iter().filter_map(f).collect();
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
    };
    let joining = median(|o| match o {
        Outcome::Solved { joining, .. } => Some(*joining as f64),
        _ => None,
    });
    let planning = median(|o| match o {
        Outcome::Solved { planning, .. } => Some(*planning as f64),
        _ => None,
    });
    let seconds = median(|o| match o {
        Outcome::Solved { seconds, .. } => Some(*seconds),
        _ => None,
    });
    println!(
        "| {set} | {} | {touching} | {joined} | {solved} | {finer} | {joining} | {planning} | {seconds:.3} |",
        outcomes.len()
    );
}
