//! How long RRTConnect takes to a first path, and straightening after it, on the published Panda problems
//! beside what VAMP takes there.
//!
//! The robot is the spheres that VAMP ships, motions are asked about every 1/32 of a unit of distance, as
//! VAMP does, and paths are not proved free between these configurations, because VAMP does not either.
//! VAMP's times are those of `best_known.csv`: processor time inside planning on a machine of this kind.
//! So are ours: reading files and making the world ready do not count. Of each problem the median over
//! seeds counts. Ends with an error if what the project claims does not hold.
//!
//! ```text
//! PSMP_DATA=... cargo bench -p psmp-arm --bench first_path
//! PSMP_DATA=... cargo bench -p psmp-arm --bench first_path -- 0.5       # with another range
//! PSMP_DATA=... cargo bench -p psmp-arm --bench first_path -- published # as in the PSMP paper
//! ```

use psmp::checker::MotionChecker;
use psmp::shortcut::{ShortcutOptions, shortcut};
use psmp::trees::{RrtConnect, RrtConnectOptions, TreePlanner};
use psmp::{Resolution, Stop, Until};
use psmp_arm::{
    Arm, ArmProblem, DEFAULT_SPHERES, MotionRequest, Robot, Scene, Semantics, SphereModel,
    SphereWorld,
};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

const SETS: [&str; 5] = [
    "bookshelf_small",
    "box",
    "cage",
    "table_pick",
    "table_under_pick",
];
/// The distance between configurations.
const STEP: f64 = 1.0 / 32.0;
const SEEDS: u64 = 5;
/// More configurations than this are not asked about for a path.
const MOST: u64 = 1_000_000;

/// In the median of ratios, and in 95% of problems, we take at most so many times as long as VAMP to a
/// first path; in the median, with straightening as well.
const MEDIAN: f64 = 3.0;
const NEARLY_ALL: f64 = 10.0;
/// At most so many configurations to the first path in the cage, in the median.
const CAGE: f64 = 5000.0;

/// What a planner did on one problem.
#[derive(Clone, Copy)]
struct Figures {
    first_us: f64,
    first_length: f64,
    configurations: f64,
    straight_us: f64,
    straight_length: f64,
}

/// One line of `best_known.csv`.
struct Known {
    set: String,
    problem: u32,
    first_us: f64,
    first_length: f64,
    straight_us: f64,
    straight_length: f64,
}

fn main() -> ExitCode {
    let Some(folder) = psmp_testdata::published("motion_bench_maker") else {
        return ExitCode::SUCCESS;
    };
    // Cargo adds `--bench`.
    let words = std::env::args().skip(1).filter(|word| word != "--bench");
    let words: Vec<String> = words.collect();
    let panda = folder.join("panda");
    let (arm, model) = read_arm(&panda);
    let usual = RrtConnectOptions::for_space(arm.space());
    let options = match words.first().map(String::as_str) {
        None => usual,
        Some("published") => RrtConnectOptions::PUBLISHED,
        Some(range) => RrtConnectOptions {
            range: range.parse().expect("a range is a number"),
            ..usual
        },
    };
    println!("range {:.3}", options.range);
    println!(
        "{:17} {:>8} {:>9} {:>9} {:>7} {:>7} {:>8} {:>8} {:>8} {:>8}",
        "set",
        "problems",
        "configs",
        "us",
        "ratio",
        "95%",
        "length",
        "ratio+s",
        "length+s",
        "unsolved"
    );
    let known = read_known(&folder.join("best_known.csv"));
    let (mut all, mut in_cage) = (Vec::new(), f64::NAN);
    for set in SETS {
        let mut rows = Vec::new();
        let mut unsolved = 0;
        for known in known.iter().filter(|known| known.set == set) {
            match solve(&arm, &model, &panda, known, options) {
                Some(figures) => rows.push((figures, known)),
                None => unsolved += 1,
            }
        }
        let configurations = median(rows.iter().map(|(f, _)| f.configurations));
        if set == "cage" {
            in_cage = configurations;
        }
        let ratios = rows.iter().map(|(f, k)| f.first_us / k.first_us);
        let straight = rows.iter().map(|(f, k)| f.straight_us / k.straight_us);
        let lengths = rows.iter().map(|(f, k)| f.first_length / k.first_length);
        let straight_lengths = rows.iter();
        let straight_lengths = straight_lengths.map(|(f, k)| f.straight_length / k.straight_length);
        println!(
            "{set:17} {:>8} {configurations:>9.0} {:>9.0} {:>7.2} {:>7.2} {:>8.3} {:>8.2} {:>8.3} {unsolved:>8}",
            rows.len(),
            median(rows.iter().map(|(f, _)| f.first_us)),
            median(ratios.clone()),
            quantile(ratios.clone(), 0.95),
            median(lengths),
            median(straight.clone()),
            median(straight_lengths.clone()),
        );
        all.extend(ratios.zip(straight).zip(straight_lengths));
    }
    let ratios = || all.iter().map(|((first, _), _)| *first);
    let claims = [
        ("time to a first path, median", median(ratios()), MEDIAN),
        ("the same, 95%", quantile(ratios(), 0.95), NEARLY_ALL),
        (
            "with straightening, median",
            median(all.iter().map(|((_, straight), _)| *straight)),
            MEDIAN,
        ),
        (
            "length when straightened, median",
            median(all.iter().map(|(_, length)| *length)),
            1.0,
        ),
        ("configurations in the cage", in_cage, CAGE),
    ];
    let mut good = true;
    for (what, is, claimed) in claims {
        let holds = is <= claimed;
        good &= holds;
        let mark = if holds { "ok" } else { "TOO MUCH" };
        println!("{what}: {is:.2}, claimed at most {claimed}: {mark}");
    }
    if good || !words.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn read_arm(panda: &Path) -> (Arm, SphereModel) {
    let robot = Robot::read(panda.join("panda_spherized.urdf")).expect("the robot is read");
    let semantics = Semantics::read(panda.join("panda.srdf"), &robot).expect("its SRDF is read");
    let arm = Arm::new(robot, &semantics, "panda_arm").expect("it has an arm");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (model, _) = SphereModel::cached(arm.robot(), DEFAULT_SPHERES, folder);
    (arm, model)
}

/// The lines of the Panda that have figures.
fn read_known(file: &Path) -> Vec<Known> {
    let text = std::fs::read_to_string(file).expect("the best known lengths are read");
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        let number = |place: usize| fields[place].parse::<f64>().ok();
        Some(Known {
            set: (fields[0] == "panda").then(|| fields[1].to_owned())?,
            problem: fields[2].parse().ok()?,
            first_us: number(4)?,
            first_length: number(5)?,
            straight_us: number(6)?,
            straight_length: number(7)?,
        })
    };
    text.lines().skip(1).filter_map(line).collect()
}

/// The median over seeds; nothing if an end touches something, or most seeds find no path.
fn solve(
    arm: &Arm,
    model: &SphereModel,
    panda: &Path,
    known: &Known,
    options: RrtConnectOptions,
) -> Option<Figures> {
    let folder = panda.join("problems").join(&known.set);
    let scene = Scene::read(folder.join(format!("scene{:04}.yaml", known.problem)));
    let request = MotionRequest::read(folder.join(format!("request{:04}.yaml", known.problem)));
    let (scene, request) = (scene.expect("a scene"), request.expect("a request"));
    let problem = ArmProblem::new(arm, scene, &request).expect("they fit the arm");
    let world = problem.sphere_world(model).expect("they fit the arm");
    let runs: Vec<Figures> = (0..SEEDS)
        .filter_map(|seed| run(&problem, &world, options, seed))
        .collect();
    let of = |field: fn(&Figures) -> f64| median(runs.iter().map(field));
    (runs.len() as u64 > SEEDS / 2).then(|| Figures {
        first_us: of(|f| f.first_us),
        first_length: of(|f| f.first_length),
        configurations: of(|f| f.configurations),
        straight_us: of(|f| f.straight_us),
        straight_length: of(|f| f.straight_length),
    })
}

fn run(
    problem: &ArmProblem,
    world: &SphereWorld,
    options: RrtConnectOptions,
    seed: u64,
) -> Option<Figures> {
    let resolution = Resolution::distance(STEP).expect("a step is positive");
    let checker = || MotionChecker::new(problem.arm.space(), resolution, world.clone());
    let (checker, mut straightener) = (checker().ok()?, checker().ok()?);
    let (start, goal) = (&problem.start, &problem.goals[0]);
    let began = Instant::now();
    let mut planner = RrtConnect::new(checker, start, goal, options, seed).ok()?;
    let mut configurations = 0;
    for event in Until::new(&mut planner, &Stop::configurations(MOST)) {
        let Ok(event) = event;
        configurations = event.progress.configurations;
        if event.progress.best_length.is_some() {
            break;
        }
    }
    let path = planner.best_path()?.clone();
    let first_us = began.elapsed().as_secs_f64() * 1e6;
    let first_length = path.length();
    let began = Instant::now();
    let Ok(straight) = shortcut(
        path,
        &mut straightener,
        ShortcutOptions::default(),
        seed,
        |_, _| {},
    );
    Some(Figures {
        first_us,
        first_length,
        configurations: configurations as f64,
        straight_us: first_us + began.elapsed().as_secs_f64() * 1e6,
        straight_length: straight.length(),
    })
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    quantile(values, 0.5)
}

fn quantile(values: impl Iterator<Item = f64>, share: f64) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let place = share * values.len().saturating_sub(1) as f64;
    values
        .get(place.round() as usize)
        .copied()
        .unwrap_or(f64::NAN)
}
