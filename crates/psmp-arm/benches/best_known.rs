//! How short paths are after 1, 10 and 100 ms of planning, on the published Panda problems beside what
//! VAMP's AORRTC has by then.
//!
//! The robot is the spheres that VAMP ships, motions are asked about every 1/32 of a unit of distance, as
//! VAMP does, and paths are not proved free between these configurations, because VAMP does not either.
//! VAMP's lengths are those of `best_known.csv`, by processor time inside planning on a machine of this
//! kind. So are ours: reading files and making the world ready do not count. Of each problem the median
//! over seeds counts. Ends with an error if what the project claims does not hold.
//!
//! ```text
//! PSMP_DATA=... cargo bench -p psmp-arm --bench best_known
//! PSMP_DATA=... cargo bench -p psmp-arm --bench best_known -- rrtconnect+shortcut 5  # every fifth problem
//! ```

mod published;

use cpu_time::ProcessTime;
use psmp::by_name::PlannerName;
use psmp::{Resolution, Session, SessionOptions, Stop, Until};
use psmp_arm::{Arm, ArmProblem, SphereModel, SphereWorld};
use published::{Known, SETS, STEP, median, read_arm, read_known, read_problem, words};
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

const SEEDS: u64 = 3;
/// When lengths are compared, in milliseconds, and how long ours are at most beside VAMP's, in the median.
const AFTER: [(f64, Option<f64>); 3] = [(1.0, None), (10.0, Some(1.05)), (100.0, Some(1.02))];

/// After how many configurations our lengths are held against the best known.
const CONFIGURATIONS: [u64; 3] = [500, 2_000, 10_000];

/// VAMP's lengths after each of these times, where there was a path.
fn lengths_of(known: &Known) -> [Option<f64>; 3] {
    [8, 9, 10].map(|column| known.number(column))
}

/// The best length known; nothing if a line has no figures.
fn best_of(known: &Known) -> Option<f64> {
    let all = [7, 8, 9, 10, 11].map(|column| known.number(column));
    all.into_iter().flatten().reduce(f64::min)
}

fn main() -> ExitCode {
    let Some(folder) = psmp_testdata::published("motion_bench_maker") else {
        return ExitCode::SUCCESS;
    };
    let words = words();
    let planner: PlannerName = match words.first() {
        None => PlannerName::default(),
        Some(name) => name.parse().expect("the first word is a planner"),
    };
    let every: u32 = match words.get(1) {
        None => 1,
        Some(word) => word.parse().expect("the second word is a number"),
    };
    let panda = folder.join("panda");
    let (arm, model) = read_arm(&panda);
    let known = read_known(&folder.join("best_known.csv"));
    println!("{planner}, every problem by number divisible by {every}, {SEEDS} seeds");
    print!("{:17} {:>8} {:>8}", "set", "problems", "unsolved");
    for (after, _) in AFTER {
        print!(" {:>12}", format!("{after} ms"));
    }
    print!(" {:>12} {:>8}", "of the best", "shorter");
    for count in CONFIGURATIONS {
        print!(" {:>15}", format!("{count} configs"));
    }
    println!();
    let mut all: [Vec<f64>; 3] = Default::default();
    let mut by_count: [Vec<f64>; 3] = Default::default();
    for set in SETS {
        let (mut rows, mut of_best, mut unsolved) = (<[Vec<f64>; 3]>::default(), Vec::new(), 0);
        let mut counted = <[Vec<f64>; 3]>::default();
        let of_set = known.iter().filter(|known| known.set == set);
        let of_set = of_set.filter(|known| known.problem % every == 0);
        let of_set = of_set.filter_map(|known| Some((known, best_of(known)?)));
        for (known, best) in of_set.clone() {
            let Some((lengths, after)) = solve(&arm, &model, &panda, known, planner) else {
                unsolved += 1;
                continue;
            };
            for (place, length) in lengths.into_iter().enumerate() {
                if let Some(theirs) = lengths_of(known)[place] {
                    rows[place].push(length / theirs);
                }
            }
            of_best.push(lengths[2] / best);
            for (ratios, length) in counted.iter_mut().zip(after) {
                ratios.push(length / best);
            }
        }
        print!("{set:17} {:>8} {unsolved:>8}", of_set.count());
        for (ratios, all) in rows.iter().zip(&mut all) {
            print!(" {:>12.4}", median(ratios.iter().copied()));
            all.extend(ratios);
        }
        let shorter = of_best.iter().filter(|ratio| **ratio < 1.0).count();
        print!(" {:>12.4} {shorter:>8}", median(of_best.into_iter()));
        for (ratios, all) in counted.iter().zip(&mut by_count) {
            let solved = ratios.iter().filter(|ratio| ratio.is_finite()).count();
            print!(" {:>9.4} ({solved:>3})", median(ratios.iter().copied()));
            all.extend(ratios);
        }
        println!();
    }
    for (count, ratios) in CONFIGURATIONS.into_iter().zip(&by_count) {
        let is = median(ratios.iter().copied());
        let found: Vec<f64> = ratios.iter().copied().filter(|r| r.is_finite()).collect();
        let mean = found.iter().sum::<f64>() / found.len() as f64;
        println!(
            "length after {count} configurations: {is:.4} of the best known in the median, {mean:.4} in the mean \
             of {} solved of {}",
            found.len(),
            ratios.len()
        );
    }
    let mut good = true;
    for ((after, claimed), ratios) in AFTER.into_iter().zip(&all) {
        let is = median(ratios.iter().copied());
        let holds = claimed.is_none_or(|claimed| is <= claimed);
        good &= holds;
        let claimed = claimed.map_or(String::new(), |most| format!(", claimed at most {most}"));
        let mark = if holds { "ok" } else { "TOO MUCH" };
        println!("length after {after} ms, median: {is:.4} of VAMP's{claimed}: {mark}");
    }
    if good || !words.is_empty() {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// The lengths after each of the times, the median over seeds; infinite where there was no path yet, and
/// nothing if there was none at all in the end.
fn solve(
    arm: &Arm,
    model: &SphereModel,
    panda: &Path,
    known: &Known,
    planner: PlannerName,
) -> Option<([f64; 3], [f64; 3])> {
    let problem = read_problem(arm, panda, &known.set, known.problem);
    let world = problem.sphere_world(model).expect("they fit the arm");
    let runs: Vec<[[f64; 3]; 2]> = (0..SEEDS)
        .filter_map(|seed| run(&problem, &world, planner, seed))
        .collect();
    let [lengths, after] =
        [0, 1].map(|by| [0, 1, 2].map(|place| median(runs.iter().map(|run| run[by][place]))));
    lengths[2].is_finite().then_some((lengths, after))
}

fn run(
    problem: &ArmProblem,
    world: &SphereWorld,
    planner: PlannerName,
    seed: u64,
) -> Option<[[f64; 3]; 2]> {
    let options = SessionOptions {
        planner,
        resolution: Some(Resolution::distance(STEP).expect("a step is positive")),
        seed,
        settles: false,
        ..SessionOptions::default()
    };
    let (start, goal) = (&problem.start, &problem.goals[0]);
    let began = ProcessTime::now();
    let mut session =
        Session::in_space(problem.arm.space(), world.clone(), start, goal, options).ok()?;
    let (mut lengths, mut after_count) = ([f64::INFINITY; 3], [f64::INFINITY; 3]);
    let (last, _) = AFTER[2];
    // The processor's time, because others may be at work beside us.
    let last = Duration::from_secs_f64(last * 1e-3);
    let enough = CONFIGURATIONS[2];
    let by_now = Arc::new(AtomicU64::new(0));
    let spent = by_now.clone();
    let stop = Stop::when(move || began.elapsed() > last && spent.load(Ordering::Relaxed) > enough);
    for event in Until::new(&mut session, &stop) {
        let event = event.ok()?;
        by_now.store(event.progress.configurations, Ordering::Relaxed);
        let length = event.progress.best_length.unwrap_or(f64::INFINITY);
        let ms = began.elapsed().as_secs_f64() * 1e3;
        for (known, (after, _)) in lengths.iter_mut().zip(AFTER) {
            if ms <= after {
                *known = length;
            }
        }
        for (known, count) in after_count.iter_mut().zip(CONFIGURATIONS) {
            if event.progress.configurations <= count {
                *known = length;
            }
        }
        if event.kind.is_final() {
            break;
        }
    }
    Some([lengths, after_count])
}
