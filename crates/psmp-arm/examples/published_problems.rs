//! How many of the published Panda problems join a roadmap, and how many of those are solved.
//!
//! ```text
//! cargo run --release -p psmp-arm --example published_problems -- ../shared/data/motion_bench_maker/panda
//! ... -- DATA --vertices 5000 --neighbours 10 --checker spheres --robot panda_spherized.urdf
//! ```
//!
//! Every problem of every set under `DATA/problems` is joined to one and the same roadmap and
//! planned for with LazySP, which finds the shortest path of the roadmap or proves that there is
//! none. `--checker` is one of the ways that [`Checking`] knows, `refined` if not given. One problem is known
//! to end in collision; it is counted and named like any other that does.

#![allow(
    clippy::unwrap_used,
    reason = "an example is read, and stops where it is wrong"
)]

use psmp::{Connection, EventKind, Limit, Resolution, SessionError, SessionOptions, Stop, Until};
use psmp_arm::{
    Arm, ArmProblem, Checking, DEFAULT_NEIGHBOURS, DEFAULT_SPHERES, DEFAULT_VERTICES,
    MotionRequest, Robot, Sampling, Scene, Semantics, SphereModel, joint_roadmap,
};
use rayon::prelude::*;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::time::Instant;

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

impl From<SessionError<Infallible>> for Outcome {
    fn from(error: SessionError<Infallible>) -> Self {
        match error {
            SessionError::InCollision(_) => Self::Touching(error.to_string()),
            _ => Self::NotJoined(error.to_string()),
        }
    }
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let data = PathBuf::from(arguments.next().expect("the folder of the Panda data"));
    let (mut vertices, mut neighbours) = (DEFAULT_VERTICES, DEFAULT_NEIGHBOURS);
    let (mut checking, mut spheres) = (Checking::default(), DEFAULT_SPHERES);
    let (mut robot, mut step) = ("panda.urdf".to_owned(), 0.2);
    while let (Some(name), Some(value)) = (arguments.next(), arguments.next()) {
        match name.as_str() {
            "--vertices" => vertices = value.parse().unwrap(),
            "--neighbours" => neighbours = value.parse().unwrap(),
            "--spheres" => spheres = value.parse().unwrap(),
            "--checker" => checking = value.parse().unwrap(),
            "--robot" => robot = value,
            "--step" => step = value.parse().unwrap(),
            other => panic!("there is no option {other}"),
        }
    }
    let resolution = Resolution::largest_axis(step).unwrap();
    let robot = Robot::read(data.join(robot)).unwrap();
    let semantics = Semantics::read(data.join("panda.srdf"), &robot).unwrap();
    let cache = std::env::temp_dir().join("psmp-spheres");
    let (cover, _) = SphereModel::cached(&robot, spheres, &cache);
    let arm = Arm::new(robot, &semantics, "panda_arm").unwrap();
    let connection = Connection::Nearest(neighbours);
    let started = Instant::now();
    let roadmap = joint_roadmap(&arm, &cover, vertices, Sampling::Halton, connection).unwrap();
    println!(
        "{} vertices, {} edges, made in {:.2} s; {} spheres; checker {checking}\n",
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
            .map(|scene| {
                let options = SessionOptions {
                    planner: "lazysp".parse().unwrap(),
                    roadmap: Some(roadmap.clone()),
                    resolution: Some(resolution),
                    ..SessionOptions::default()
                };
                solve(scene, &arm, &cover, checking, options)
            })
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
    checking: Checking,
    options: SessionOptions,
) -> Outcome {
    let file = scene
        .file_name()
        .unwrap()
        .to_string_lossy()
        .replace("scene", "request");
    let request = MotionRequest::read(scene.with_file_name(file)).unwrap();
    let problem = ArmProblem::new(arm, Scene::read(scene).unwrap(), &request).unwrap();
    if let Some(touch) = problem.touches().unwrap().into_iter().next() {
        let (end, body, other) = (touch.end, touch.body, touch.other);
        return Outcome::Touching(format!("at the {end}, `{body}` touches `{other}`"));
    }
    plan(&problem, cover, checking, options).unwrap_or_else(Outcome::from)
}

fn plan(
    problem: &ArmProblem,
    cover: &SphereModel,
    checking: Checking,
    options: SessionOptions,
) -> Result<Outcome, SessionError<Infallible>> {
    let started = Instant::now();
    let arm = problem.checked(checking, cover).unwrap();
    let mut session = arm.session(&problem.start, &problem.goals[0], options)?;
    session.prepare(&Limit::NONE)?;
    let joining = session.progress().configurations;
    let mut rounds = 0;
    for event in Until::new(&mut session, &Stop::never()) {
        rounds += u32::from(matches!(event?.kind, EventKind::Grown { .. }));
    }
    Ok(match session.best_path() {
        Some(_) => Outcome::Solved {
            joining,
            planning: session.progress().configurations - joining,
            rounds,
            seconds: started.elapsed().as_secs_f64(),
        },
        None => Outcome::NoPath,
    })
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
