//! Runs on several cores, where the idle ones ask ahead.

use psmp::belief::Local;
use psmp::checker::{BisectionChecker, SideBySide, VerticesOnce, World};
use psmp::proposer::{ExpectedImprovement, LazySp, Proposer};
use psmp::validator::{CoarseToFine, Forward, Validator};
use psmp::{
    Connection, Event, Planner, Query, Resolution, Roadmap, Session, SessionOptions, Space,
};
use psmp::{Stop, Until, roadmap};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// How often each configuration was asked about, and how many by each thread.
#[derive(Debug, Default)]
struct Asked {
    times: HashMap<[u64; 2], u32>,
    by: HashMap<ThreadId, u64>,
}

impl Asked {
    fn all(&self) -> u64 {
        self.by.values().sum()
    }
}

/// A wall with a gap at the top, which takes some time to be asked about, and fails in a corner.
#[derive(Clone, Default)]
struct Slow {
    fails: bool,
    asked: Arc<Mutex<Asked>>,
}

const TAKES: Duration = Duration::from_micros(200);

impl World for Slow {
    type Error = String;
    fn is_free(&mut self, q: &[f64]) -> Result<bool, String> {
        std::thread::sleep(TAKES);
        let mut asked = self.asked.lock().unwrap();
        *asked
            .times
            .entry([q[0].to_bits(), q[1].to_bits()])
            .or_default() += 1;
        *asked.by.entry(std::thread::current().id()).or_default() += 1;
        if self.fails && (q[0] - 0.5).abs() < 0.15 && q[1] > 0.7 {
            return Err(format!("lost contact at {q:?}"));
        }
        Ok((q[0] - 0.5).abs() > 0.1 || q[1] > 0.8)
    }
}

fn prm() -> (Roadmap, Query) {
    let space = Space::unit(2);
    let points = roadmap::halton(&space, 200);
    Roadmap::from_configurations(space, points, Connection::Nearest(8))
        .unwrap()
        .with_query(&[0.1, 0.1], &[0.9, 0.1], Connection::Nearest(8))
        .unwrap()
}

fn every() -> Resolution {
    Resolution::distance(0.02).unwrap()
}

type Seen = Vec<Result<Event, String>>;

/// So many events of a planner on so many cores, failures among them, and what was asked for them.
fn run(
    proposer: impl Proposer<Local>,
    validator: impl Validator,
    insured: bool,
    fails: bool,
    cores: usize,
) -> (Seen, Asked) {
    let (roadmap, query) = prm();
    let slow = Slow {
        fails,
        ..Slow::default()
    };
    let asked = slow.asked.clone();
    let world = SideBySide::new(slow, cores);
    let checker = BisectionChecker::new(&roadmap, every(), world).unwrap();
    let checker = VerticesOnce::new(checker, [query.start, query.goal]);
    let belief = Local::new(&roadmap).unwrap();
    let planner = Planner::new(&roadmap, query, proposer, belief, validator, checker);
    let planner = planner.insured(insured);
    let events = planner.take(150).collect();
    // All cores have come to an end by now.
    let asked = std::mem::take(&mut *asked.lock().unwrap());
    (events, asked)
}

fn counted(events: &Seen) -> u64 {
    let last = events.iter().rev().find_map(|event| event.as_ref().ok());
    last.unwrap().progress.configurations
}

/// However many cores ask ahead, it is the same run: nothing is counted that was not asked for, and nothing is asked twice.
#[test]
fn who_asks_ahead_changes_nothing() {
    for (insured, fails) in [(false, false), (true, false), (true, true)] {
        for is_ours in [true, false] {
            let on = |cores| match is_ours {
                true => {
                    let ei = ExpectedImprovement::default();
                    run(ei, CoarseToFine, insured, fails, cores)
                }
                false => run(LazySp, Forward, insured, fails, cores),
            };
            let (alone, asked) = on(1);
            assert_eq!(alone.iter().any(Result::is_err), fails);
            let least = if fails { 10 } else { 100 };
            assert!(counted(&alone) > least, "{}", counted(&alone));
            assert_eq!(asked.by.len(), 1, "another core was woken");
            for cores in [2, 5] {
                let (events, asked) = on(cores);
                assert!(events == alone, "another run on {cores} cores");
                if !fails {
                    let twice = asked.times.values().filter(|&&times| times > 1).count();
                    assert_eq!(twice, 0, "asked twice on {cores} cores");
                    assert!(asked.all() > counted(&events), "nothing was guessed");
                    let here = asked.by[&std::thread::current().id()];
                    assert!(
                        4 * here < 3 * counted(&events),
                        "on {cores} cores {here} of {} were asked by one",
                        counted(&events)
                    );
                }
            }
        }
    }
}

/// The same of whole sessions, with trees and moves on their paths.
#[test]
fn sessions_are_the_same_on_any_number_of_cores() {
    for planner in ["ei:local", "rrtconnect", "lazysp"] {
        for fixed_roadmap in [true, false] {
            for fails in [false, true] {
                let on = |cores| -> Vec<Result<Event, String>> {
                    let options = SessionOptions {
                        planner: planner.parse().unwrap(),
                        roadmap: Some(prm().0),
                        resolution: Some(every()),
                        fixed_roadmap,
                        ..SessionOptions::default()
                    };
                    let slow = Slow {
                        fails,
                        ..Slow::default()
                    };
                    let world = SideBySide::new(slow, cores);
                    let ends = [[0.1, 0.1], [0.9, 0.1]];
                    let space = Space::unit(2);
                    let session = Session::in_space(&space, world, &ends[0], &ends[1], options);
                    let mut session = session.unwrap();
                    let stop = Stop::configurations(400);
                    let events = Until::new(&mut session, &stop).take(200);
                    events
                        .map(|event| event.map_err(|error| error.to_string()))
                        .collect()
                };
                let alone = on(1);
                assert!(alone.len() > 20, "{planner}: {}", alone.len());
                for cores in [2, 5] {
                    assert!(
                        on(cores) == alone,
                        "{planner}, {fails}: another run on {cores} cores"
                    );
                }
            }
        }
    }
}

/// Whatever idle cores are at, a stop is heard between two configurations.
#[test]
fn a_stop_returns_at_once() {
    let (roadmap, query) = prm();
    let slow = psmp::checker::WorldFn(|_: &[f64]| {
        std::thread::sleep(Duration::from_millis(50));
        true
    });
    let checker = BisectionChecker::new(&roadmap, every(), SideBySide::new(slow, 4)).unwrap();
    let belief = Local::new(&roadmap).unwrap();
    let ei = ExpectedImprovement::default();
    let mut planner = Planner::new(&roadmap, query, ei, belief, CoarseToFine, checker);
    let time = Duration::from_millis(400);
    let began = Instant::now();
    let events = planner.until(&Stop::after(time)).count();
    let took = began.elapsed();
    assert!(
        events > 2 && took < time + Duration::from_millis(300),
        "{events} in {took:?}"
    );
    drop(planner);
    assert!(began.elapsed() < took + Duration::from_millis(300));
}
