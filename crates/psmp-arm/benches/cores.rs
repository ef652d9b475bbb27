//! What a second core is worth where a check is dear: the time to a first path on one core and on two, at a
//! millisecond a configuration.
//!
//! The first problems of each of the Panda's sets, planned by the default without experience. A configuration takes a
//! millisecond more than it does, in which its core does nothing else. Both runs must be the same, event by event.
//!
//! ```text
//! PSMP_DATA=... cargo bench -p psmp-arm --bench cores
//! PSMP_DATA=... cargo bench -p psmp-arm --bench cores -- 2   # two problems of each set
//! ```

mod published;

use psmp::checker::{SideBySide, World};
use psmp::{Event, EventKind, Resolution, Session, SessionOptions, Stop, Until};
use psmp_arm::{CheckedArm, Checking};
use published::{SETS, STEP, median, read_arm, read_problem, words};
use std::convert::Infallible;
use std::time::{Duration, Instant};

const PRICE: Duration = Duration::from_millis(1);
const MOST: u64 = 5_000;
/// What is claimed: with two cores at most this share of the time.
const MOST_OF_ONE: f64 = 0.6;

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
    cores: usize,
) -> (Option<f64>, Vec<Event>) {
    let options = SessionOptions {
        resolution: Some(Resolution::distance(STEP).expect("a step")),
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
    let mut ratios = Vec::new();
    for set in SETS {
        let mut of_set = Vec::new();
        for number in 1..=problems {
            let problem = read_problem(&arm, &panda, set, number);
            let checked = CheckedArm::new(Checking::Spheres, &arm, &spheres, &problem.scene);
            let checked = checked.expect("the scene fits the arm");
            let [one, two] =
                [1, 2].map(|cores| first_path(&checked, &problem.start, &problem.goals[0], cores));
            assert!(one.1 == two.1, "{set} {number}: another run on two cores");
            if let (Some(one), Some(two)) = (one.0, two.0) {
                of_set.push(two / one);
            }
        }
        println!(
            "{set}: {:.2} of one core's time, median of {}",
            median(of_set.iter().copied()),
            of_set.len()
        );
        ratios.extend(of_set);
    }
    let ratio = median(ratios.iter().copied());
    println!(
        "all: {ratio:.2} of one core's time to a first path, median of {} problems",
        ratios.len()
    );
    assert!(
        ratio <= MOST_OF_ONE,
        "a second core is worth less than claimed"
    );
}
