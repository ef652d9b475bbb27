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

mod published;

use psmp::checker::MotionChecker;
use psmp::shortcut::{ShortcutOptions, shortcut};
use psmp::trees::{RrtConnect, RrtConnectOptions, TreePlanner};
use psmp::{Resolution, Stop, Until};
use psmp_arm::{Arm, ArmProblem, SphereModel, SphereWorld};
use published::{Known, SETS, STEP, median, quantile, read_arm, read_known, read_problem, words};
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

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

/// What VAMP did on it.
struct Rival {
    first_us: f64,
    first_length: f64,
    straight_us: f64,
    straight_length: f64,
}

impl Rival {
    /// Nothing if a line has no figures.
    fn of(known: &Known) -> Option<Self> {
        Some(Self {
            first_us: known.number(4)?,
            first_length: known.number(5)?,
            straight_us: known.number(6)?,
            straight_length: known.number(7)?,
        })
    }
}

fn main() -> ExitCode {
    let Some(folder) = psmp_testdata::published("motion_bench_maker") else {
        return ExitCode::SUCCESS;
    };
    let words = words();
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
            let Some(rival) = Rival::of(known) else {
                continue;
            };
            match solve(&arm, &model, &panda, known, options) {
                Some(figures) => rows.push((figures, rival)),
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

/// The median over seeds; nothing if an end touches something, or most seeds find no path.
fn solve(
    arm: &Arm,
    model: &SphereModel,
    panda: &Path,
    known: &Known,
    options: RrtConnectOptions,
) -> Option<Figures> {
    let problem = read_problem(arm, panda, &known.set, known.problem);
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
