//! What more cores are worth where a check is dear: the time to a first path on one core and on several, at a
//! millisecond a configuration.
//!
//! The first problems of each of the Panda's sets, without experience: by the default, most of whose checks are
//! RRTConnect's, and on a roadmap that stays as it is, where paths are proposed and their edges checked. A configuration
//! takes a millisecond more than it does, in which its core does nothing else: so a few cores stand for many. All runs
//! must be the same, event by event.
//!
//! ```text
//! PSMP_DATA=... cargo bench -p psmp-arm --bench cores
//! PSMP_DATA=... cargo bench -p psmp-arm --bench cores -- 2   # two problems of each set
//! ```

mod published;

use psmp::checker::{SideBySide, World};
use psmp::roadmap::{Connection, halton};
use psmp::{Event, EventKind, Resolution, Roadmap, Session, SessionOptions, Stop, Until};
use psmp_arm::{CheckedArm, Checking};
use published::{SETS, STEP, median, read_arm, read_problem, words};
use std::convert::Infallible;
use std::time::{Duration, Instant};

const PRICE: Duration = Duration::from_millis(1);
const MOST: u64 = 5_000;
const CORES: [usize; 3] = [2, 4, 8];
/// What is claimed: with so many cores at most this share of the time, by the default and on a roadmap.
const MOST_OF_ONE: [[f64; 3]; 2] = [[0.6, 0.4, 0.3]; 2];
const VERTICES: usize = 2_000;
const NEIGHBOURS: usize = 15;

/// An arm whose checks take a millisecond each, one after the other.
#[derive(Clone)]
struct Slow(CheckedArm);

impl World for Slow {
    type Error = Infallible;
    fn is_free(&mut self, q: &[f64]) -> Result<bool, Infallible> {
        std::thread::sleep(PRICE);
        self.0.is_free(q)
    }
}

/// The time to a first path, and all events until then; no time if there was none.
fn first_path(
    arm: &CheckedArm,
    start: &[f64],
    goal: &[f64],
    roadmap: Option<&Roadmap>,
    cores: usize,
) -> (Option<f64>, Vec<Event>) {
    let options = SessionOptions {
        resolution: Some(Resolution::distance(STEP).expect("a step")),
        fixed_roadmap: roadmap.is_some(),
        roadmap: roadmap.cloned(),
        ..SessionOptions::default()
    };
    let space = arm.space().clone();
    let world = SideBySide::new(Slow(arm.clone()), cores);
    let Ok(mut session) = Session::in_space(&space, world, start, goal, options) else {
        return (None, Vec::new());
    };
    let began = Instant::now();
    let mut events = Vec::new();
    for event in Until::new(&mut session, &Stop::configurations(MOST)) {
        // A start or a goal that touches something.
        let Ok(event) = event else {
            break;
        };
        events.push(event);
        if matches!(event.kind, EventKind::Improved { .. }) {
            return (Some(began.elapsed().as_secs_f64()), events);
        }
    }
    (None, events)
}

fn main() {
    let Some(panda) = psmp_testdata::published("motion_bench_maker/panda") else {
        return;
    };
    let problems = words()
        .first()
        .map_or(5, |word| word.parse().expect("a number"));
    let (arm, spheres) = read_arm(&panda);
    let space = arm.space().clone();
    let points = halton(&space, VERTICES);
    let roadmap = Roadmap::from_configurations(space, points, Connection::Nearest(NEIGHBOURS));
    let roadmap = roadmap.expect("a roadmap");
    let ways = [("default", None), ("fixed roadmap", Some(&roadmap))];
    for ((name, roadmap), claimed) in ways.into_iter().zip(MOST_OF_ONE) {
        let mut ratios: [Vec<f64>; CORES.len()] = Default::default();
        for set in SETS {
            let from = ratios[0].len();
            for number in 1..=problems {
                let problem = read_problem(&arm, &panda, set, number);
                let checked = CheckedArm::new(Checking::Spheres, &arm, &spheres, &problem.scene);
                let checked = checked.expect("the scene fits the arm");
                let goal = &problem.goals[0];
                let on = |cores| first_path(&checked, &problem.start, goal, roadmap, cores);
                let (one, events) = on(1);
                for (cores, ratios) in CORES.into_iter().zip(&mut ratios) {
                    let (several, others) = on(cores);
                    assert!(
                        events == others,
                        "{set} {number}: another run on {cores} cores"
                    );
                    ratios.extend(one.zip(several).map(|(one, several)| several / one));
                }
            }
            let of_set = ratios
                .each_ref()
                .map(|all| median(all[from..].iter().copied()));
            let count = ratios[0].len() - from;
            println!(
                "{name}, {set}: {of_set:.2?} of one core's time on {CORES:?}, median of {count}"
            );
        }
        let all = ratios.each_ref().map(|all| median(all.iter().copied()));
        let count = ratios[0].len();
        println!(
            "{name}, all: {all:.2?} of one core's time to a first path on {CORES:?} cores, median of {count}"
        );
        for ((cores, ratio), most) in CORES.iter().zip(all).zip(claimed) {
            assert!(
                ratio <= most,
                "{name}: {cores} cores are worth less than claimed"
            );
        }
    }
}
