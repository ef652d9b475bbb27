//! Whether the planner solves every published arm problem, and how many configurations that takes.
//!
//! All problems of MotionBenchMaker for the Panda and the UR5, as `psmp plan` has them: the robot by its meshes,
//! checked by spheres and true shapes, with the arm's own roadmap, and paths proved free before they are given
//! out. A problem is solved if there is a path within 100,000 configurations. Planning goes on to 20,000, to see
//! how short the path is by then. Problems whose start or goal touches something are counted apart and named:
//! nothing can solve these. Ends with an error if any other is unsolved.
//!
//! ```text
//! PSMP_DATA=... cargo bench -p psmp-arm --bench all_published
//! PSMP_DATA=... cargo bench -p psmp-arm --bench all_published -- rrtconnect+shortcut 10  # every tenth problem
//! ```

mod published;

use psmp::by_name::PlannerName;
use psmp::{Connection, Roadmap, SessionOptions, Stop, Until};
use psmp_arm::{
    Arm, Checking, DEFAULT_NEIGHBOURS, DEFAULT_SPHERES, DEFAULT_VERTICES, Robot, Sampling,
    Semantics, SphereModel, joint_roadmap,
};
use published::{quantile, read_problem, words};
use rayon::prelude::*;
use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

/// A robot, the group of its joints that is planned for, and its sets of problems with how many they have.
type Robots = (&'static str, &'static str, &'static [(&'static str, u32)]);

const ROBOTS: [Robots; 2] = [
    (
        "panda",
        "panda_arm",
        &[
            ("bookshelf_small", 100),
            ("box", 100),
            ("table_pick", 100),
            ("table_under_pick", 100),
            ("cage", 20),
        ],
    ),
    ("ur5", "manipulator", &[("table_pick", 20)]),
];
/// A path must be found within so many configurations.
const MOST: u64 = 100_000;
/// So many are spent where there is a path.
const USUAL: u64 = 20_000;

/// What came of one problem.
enum Outcome {
    /// Its start or goal touches something.
    Touching(String),
    Unsolved(String),
    Solved(Figures),
}

struct Figures {
    /// Configurations to the first path.
    first: f64,
    /// How long the best path was after [`USUAL`] configurations, and beside the straight line.
    length: f64,
    over_straight: f64,
    seconds: f64,
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
    println!("{planner}, every problem by number divisible by {every}");
    println!(
        "{:23} {:>8} {:>8} {:>7} {:>9} {:>8} {:>8} {:>8} {:>14} {:>8}",
        "set",
        "problems",
        "touching",
        "solved",
        "to first",
        "95%",
        "most",
        "length",
        "over straight",
        "seconds"
    );
    let (mut all, mut notes, mut unsolved) = (Vec::new(), Vec::new(), 0);
    for (robot, group, sets) in ROBOTS {
        let solver = Solver::new(&folder.join(robot), group, planner);
        for (set, problems) in sets {
            let began = Instant::now();
            let numbers: Vec<u32> = (1..=*problems).filter(|n| n % every == 0).collect();
            let outcomes: Vec<Outcome> = numbers
                .par_iter()
                .map(|number| solver.solve(&folder.join(robot), set, *number))
                .collect();
            let mut rows = Vec::new();
            let mut touching = 0;
            for (number, outcome) in numbers.iter().zip(outcomes) {
                match outcome {
                    Outcome::Solved(figures) => rows.push(figures),
                    Outcome::Touching(what) => {
                        touching += 1;
                        notes.push(format!("{robot}/{set} {number}: {what}"));
                    }
                    Outcome::Unsolved(why) => {
                        unsolved += 1;
                        notes.push(format!("{robot}/{set} {number}: UNSOLVED, {why}"));
                    }
                }
            }
            report(&format!("{robot}/{set}"), numbers.len(), touching, &rows);
            all.extend(rows);
            eprintln!("{robot}/{set} took {:.0} s", began.elapsed().as_secs_f64());
        }
    }
    let touching = notes.len() - unsolved;
    report("all", all.len() + notes.len(), touching, &all);
    for note in notes {
        println!("{note}");
    }
    if unsolved > 0 {
        println!("{unsolved} unsolved within {MOST} configurations");
        return ExitCode::FAILURE;
    }
    println!("all solved within {MOST} configurations");
    ExitCode::SUCCESS
}

/// What solves the problems of one robot.
struct Solver {
    arm: Arm,
    spheres: SphereModel,
    roadmap: Option<Roadmap>,
    planner: PlannerName,
}

impl Solver {
    fn new(folder: &Path, group: &str, planner: PlannerName) -> Self {
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let robot = Robot::read(folder.join(format!("{name}.urdf"))).expect("the robot is read");
        let semantics = Semantics::read(folder.join(format!("{name}.srdf")), &robot);
        let semantics = semantics.expect("its SRDF is read");
        let kept = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (spheres, _) = SphereModel::cached(&robot, DEFAULT_SPHERES, kept);
        let arm = Arm::new(robot, &semantics, group).expect("it has an arm");
        let connection = Connection::Nearest(DEFAULT_NEIGHBOURS);
        let needs_one = !matches!(planner, PlannerName::Tree(_));
        let roadmap = needs_one.then(|| {
            joint_roadmap(
                &arm,
                &spheres,
                DEFAULT_VERTICES,
                Sampling::Halton,
                connection,
            )
            .expect("the arm has a roadmap")
        });
        Self {
            arm,
            spheres,
            roadmap,
            planner,
        }
    }

    fn solve(&self, robot: &Path, set: &str, number: u32) -> Outcome {
        let problem = read_problem(&self.arm, robot, set, number);
        let touches = problem.touches().expect("they fit the arm");
        if let Some(touch) = touches.first() {
            let (end, body, other) = (touch.end, &touch.body, &touch.other);
            return Outcome::Touching(format!("at the {end}, `{body}` touches `{other}`"));
        }
        let began = Instant::now();
        let options = SessionOptions {
            planner: self.planner,
            roadmap: self.roadmap.clone(),
            ..SessionOptions::default()
        };
        let checked = problem.checked(Checking::Refined, &self.spheres);
        let checked = checked.expect("they fit the arm");
        let goals = &problem.goals[..];
        let mut session = match checked.session(&problem.start, goals, options) {
            Ok(session) => session,
            Err(error) => return Outcome::Unsolved(error.to_string()),
        };
        let mut first = None;
        let mut ending = "the configurations are spent".to_owned();
        for most in [USUAL, MOST] {
            for event in Until::new(&mut session, &Stop::configurations(most)) {
                let event = match event {
                    Ok(event) => event,
                    Err(error) => return Outcome::Unsolved(error.to_string()),
                };
                if event.progress.best_length.is_some() {
                    first.get_or_insert(event.progress.configurations);
                    if most == MOST {
                        break;
                    }
                }
                if event.kind.is_final() {
                    ending = format!("{:?}", event.kind);
                }
            }
            if first.is_some() {
                break;
            }
        }
        let (Some(first), Some(path)) = (first, session.best_path()) else {
            let spent = session.progress().configurations;
            return Outcome::Unsolved(format!("{ending}, after {spent} configurations"));
        };
        let space = self.arm.space();
        let straight = goals
            .iter()
            .map(|goal| space.distance(&problem.start, goal));
        Outcome::Solved(Figures {
            first: first as f64,
            length: path.length(),
            over_straight: path.length() / straight.fold(f64::INFINITY, f64::min),
            seconds: began.elapsed().as_secs_f64(),
        })
    }
}

fn report(set: &str, problems: usize, touching: usize, rows: &[Figures]) {
    let of = |field: fn(&Figures) -> f64, share| quantile(rows.iter().map(field), share);
    println!(
        "{set:23} {problems:>8} {touching:>8} {:>7} {:>9.0} {:>8.0} {:>8.0} {:>8.3} {:>14.3} {:>8.2}",
        rows.len(),
        of(|f| f.first, 0.5),
        of(|f| f.first, 0.95),
        of(|f| f.first, 1.0),
        of(|f| f.length, 0.5),
        of(|f| f.over_straight, 0.5),
        of(|f| f.seconds, 0.5),
    );
}
