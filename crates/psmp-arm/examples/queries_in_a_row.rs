//! Twenty queries in a row, for an arm in one scene: what it is worth to keep what was grown.
//!
//! ```text
//! cargo run --release -p psmp-arm --example queries_in_a_row -- ../shared/data/motion_bench_maker/panda
//! ... -- DATA --scene box/scene0001.yaml --queries 20 --repetitions 5 --configurations 20000
//! ```
//!
//! Starts and goals are drawn at random among the configurations that are free in the scene; with
//! `--stations 8` each is near one of eight such configurations (within 0.1 rad in every joint), as of a robot that
//! works at some places again and again. Those that a straight motion joins are drawn again. Each query is planned twice, on the same roadmap to begin with: alone,
//! and beginning with the roadmap that the query before has left and all that is known of its edges.
//! For each it is told after how many configurations there was a first path, and one at most 5% longer than
//! the shortest that either has found in the end. Medians are over the repetitions, each with draws and a seed
//! of its own; a run that has found no such path counts as one that takes for ever.

#![allow(
    clippy::unwrap_used,
    reason = "an example is read, and stops where it is wrong"
)]

use psmp::Until;
use psmp::by_name::PlannerName;
use psmp::checker::{EdgeMemory, MotionChecker, World};
use psmp::roadmap::uniform;
use psmp::{
    Axis, Connection, EventKind, Resolution, Roadmap, Session, SessionOptions, Space, Stop,
};
use psmp_arm::{
    Arm, CheckedArm, Checking, DEFAULT_NEIGHBOURS, DEFAULT_SPHERES, DEFAULT_STEP, DEFAULT_VERTICES,
    Robot, Sampling, Scene, Semantics, SphereModel, joint_roadmap,
};
use psmp_files::{Fingerprint, worth_keeping};
use std::path::PathBuf;

/// How much longer than the shortest a path may be to be a good one.
const GOOD: f64 = 1.05;

/// What all queries have in common.
struct Setting {
    arm: CheckedArm,
    roadmap: Roadmap,
    planner: PlannerName,
    budget: u64,
    resolution: Resolution,
}

/// The lengths of the paths found, after so many configurations each.
type Curve = Vec<(u64, f64)>;

/// What a query leaves for the next.
struct Left {
    roadmap: Roadmap,
    known: EdgeMemory,
}

fn main() {
    let mut arguments = std::env::args().skip(1);
    let data = PathBuf::from(arguments.next().expect("the folder of the Panda data"));
    let (mut scene, mut planner) = ("bookshelf_small/scene0001.yaml".to_owned(), None);
    let (mut queries, mut repetitions, mut budget) = (20, 5, 20_000);
    let (mut vertices, mut stations) = (DEFAULT_VERTICES, 0);
    while let (Some(name), Some(value)) = (arguments.next(), arguments.next()) {
        match name.as_str() {
            "--scene" => scene = value,
            "--queries" => queries = value.parse().unwrap(),
            "--repetitions" => repetitions = value.parse().unwrap(),
            "--configurations" => budget = value.parse().unwrap(),
            "--stations" => stations = value.parse().unwrap(),
            "--vertices" => vertices = value.parse().unwrap(),
            "--planner" => planner = Some(value.parse().unwrap()),
            other => panic!("there is no option {other}"),
        }
    }
    let robot = Robot::read(data.join("panda.urdf")).unwrap();
    let semantics = Semantics::read(data.join("panda.srdf"), &robot).unwrap();
    let cache = std::env::temp_dir().join("psmp-spheres");
    let (cover, _) = SphereModel::cached(&robot, DEFAULT_SPHERES, &cache);
    let arm = Arm::new(robot, &semantics, "panda_arm").unwrap();
    let scene = Scene::read(data.join("problems").join(scene)).unwrap();
    let near = Connection::Nearest(DEFAULT_NEIGHBOURS);
    let setting = Setting {
        arm: CheckedArm::new(Checking::default(), &arm, &cover, &scene).unwrap(),
        roadmap: joint_roadmap(&arm, &cover, vertices, Sampling::Halton, near).unwrap(),
        planner: planner.unwrap_or_default(),
        budget,
        resolution: Resolution::largest_axis(DEFAULT_STEP).unwrap(),
    };
    // For each query the counts of all repetitions: first path and good path, alone and kept.
    let mut counts = vec![[const { Vec::new() }; 4]; queries];
    let mut sizes = vec![Vec::new(); queries];
    for repetition in 0..repetitions {
        let mut left: Option<Left> = None;
        for (query, ends) in setting
            .draw(queries, stations, repetition)
            .into_iter()
            .enumerate()
        {
            let (alone, _) = setting.plan(&ends, repetition, None);
            let (kept, after) = setting.plan(&ends, repetition, left.take());
            let shortest = [&alone, &kept].map(|curve| curve.last().map_or(f64::INFINITY, |p| p.1));
            let good = GOOD * shortest[0].min(shortest[1]);
            let cells = [
                reached(&alone, f64::INFINITY),
                reached(&kept, f64::INFINITY),
                reached(&alone, good),
                reached(&kept, good),
            ];
            for (all, cell) in counts[query].iter_mut().zip(cells) {
                all.push(cell);
            }
            sizes[query].push(after.roadmap.vertex_count() as f64);
            left = Some(after);
        }
    }
    println!(
        "{} queries, {repetitions} repetitions, {budget} configurations each, planner {}\n",
        queries, setting.planner
    );
    println!(
        "| query | first path, alone | kept | within 5%, alone | kept | vertices kept |\n\
         |---:|---:|---:|---:|---:|---:|"
    );
    for (query, (counts, sizes)) in counts.iter_mut().zip(&mut sizes).enumerate() {
        let [a, b, c, d] = counts.each_mut().map(|all| median(all));
        println!(
            "| {} | {a} | {b} | {c} | {d} | {} |",
            query + 1,
            median(sizes)
        );
    }
    let quarters = [
        ("first five", 0..5.min(queries)),
        ("last five", queries.saturating_sub(5)..queries),
    ];
    for (name, range) in quarters {
        let of = |cell: usize| {
            let mut all: Vec<f64> = counts[range.clone()]
                .iter()
                .flat_map(|c| c[cell].clone())
                .collect();
            median(&mut all)
        };
        println!(
            "| {name} | {} | {} | {} | {} | |",
            of(0),
            of(1),
            of(2),
            of(3)
        );
    }
}

impl Setting {
    /// Starts and goals, all free, and none that a straight motion joins: anywhere, or near so many stations.
    fn draw(&self, count: usize, stations: usize, seed: u64) -> Vec<[Vec<f64>; 2]> {
        /// So many are drawn to choose from.
        const DRAWN: usize = 100_000;
        /// How far from its station an end is at most in each joint.
        const NEAR: f64 = 0.1;
        let space = self.arm.space().clone();
        let mut arm = self.arm.clone();
        let mut is_free = |q: &[f64]| arm.is_free(q) == Ok(true);
        let all = uniform(&space, DRAWN, seed);
        let mut free = all.chunks_exact(space.dimension());
        let mut anywhere = || {
            let found = free.by_ref().find(|q| is_free(q));
            found.expect("enough of them are free").to_vec()
        };
        let at: Vec<Vec<f64>> = (0..stations).map(|_| anywhere()).collect();
        // Which station each end is near, and where beside it.
        let which = uniform(&Space::unit(1), DRAWN, seed);
        let aside = vec![Axis::new(-NEAR, NEAR).unwrap(); space.dimension()];
        let aside = uniform(&Space::new(aside).unwrap(), DRAWN, seed);
        let mut beside = which.iter().zip(aside.chunks_exact(space.dimension()));
        let mut drawn = Vec::new();
        let mut motions = MotionChecker::new(&space, self.resolution, self.arm.clone()).unwrap();
        while drawn.len() < count {
            let ends = [(); 2].map(|()| {
                if at.is_empty() {
                    return anywhere();
                }
                let (which, aside) = beside.next().expect("enough of them are free");
                let station = &at[(which * at.len() as f64) as usize % at.len()];
                station.iter().zip(aside).map(|(q, by)| q + by).collect()
            });
            let are_free = ends
                .iter()
                .all(|q| space.contains(q) && motions.is_free(q) == Ok(true));
            if are_free && motions.is_motion_free(&ends[0], &ends[1]) == Ok(Some(false)) {
                drawn.push(ends);
            }
        }
        drawn
    }

    /// Plans, and says what it had found when.
    fn plan(&self, [start, goal]: &[Vec<f64>; 2], seed: u64, left: Option<Left>) -> (Curve, Left) {
        let (roadmap, known) = match left {
            Some(Left { roadmap, known }) => (roadmap, known),
            None => (self.roadmap.clone(), EdgeMemory::default()),
        };
        let options = SessionOptions {
            planner: self.planner,
            roadmap: Some(roadmap.clone()),
            known: known.clone(),
            resolution: Some(self.resolution),
            settles: false,
            seed,
            ..SessionOptions::default()
        };
        let mut session: Session<'_, CheckedArm> =
            self.arm.clone().session(start, goal, options).unwrap();
        let mut curve = Curve::new();
        for event in Until::new(&mut session, &Stop::configurations(self.budget)) {
            // A goal that cannot be joined is one that is not reached.
            let Ok(event) = event else {
                break;
            };
            if let EventKind::Improved { length } = event.kind {
                curve.push((event.progress.configurations, length));
            }
        }
        session.gather().unwrap();
        let left = match session.roadmap() {
            Some((grown, _)) => {
                let first = Fingerprint::of(&self.roadmap);
                let (roadmap, known) = worth_keeping(grown, &session.known(), first);
                Left { roadmap, known }
            }
            None => Left { roadmap, known },
        };
        (curve, left)
    }
}

/// After how many configurations there was a path of at most this length.
fn reached(curve: &Curve, length: f64) -> f64 {
    let found = curve.iter().find(|(_, l)| *l <= length);
    found.map_or(f64::INFINITY, |(configurations, _)| *configurations as f64)
}

/// The middle one, or the upper of the two.
fn median(all: &mut [f64]) -> f64 {
    all.sort_by(f64::total_cmp);
    all.get(all.len() / 2).copied().unwrap_or(f64::NAN)
}
