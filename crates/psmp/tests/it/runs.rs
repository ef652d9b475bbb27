//! Seeds, threads, pauses and failing checkers.

use crate::problems::Problem;
use psmp::belief::{IndependentEdges, NearestNeighbour};
use psmp::checker::{BisectionChecker, Verdict, World, check_with};
use psmp::proposer::Psmp;
use psmp::validator::FailFast;
use psmp::{Connection, EdgeId, Event, EventKind, Planner, Query, Resolution, Roadmap, Space};
use psmp::{Stop, roadmap};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

fn prm() -> (Roadmap, Query) {
    let space = Space::unit(2);
    let points = roadmap::halton(&space, 120);
    Roadmap::from_configurations(space, points, Connection::Radius(0.25))
        .unwrap()
        .with_query(&[0.05, 0.05], &[0.95, 0.95], Connection::Nearest(8))
        .unwrap()
}

/// A wall with a gap that can be told to fail now and then.
struct Wall {
    asked: u64,
    fails_every: Option<u64>,
}

impl World for Wall {
    type Error = String;
    fn is_free(&mut self, q: &[f64]) -> Result<bool, String> {
        self.asked += 1;
        match self.fails_every {
            Some(n) if self.asked.is_multiple_of(n) => {
                Err(format!("lost contact at {}", self.asked))
            }
            _ => Ok(!(0.4..0.6).contains(&q[0]) || (0.55..0.65).contains(&q[1])),
        }
    }
}

fn wall(fails_every: Option<u64>) -> Wall {
    Wall {
        asked: 0,
        fails_every,
    }
}

fn every(step: f64) -> Resolution {
    Resolution::distance(step).unwrap()
}

fn events(seed: u64) -> Vec<Event> {
    let (roadmap, query) = prm();
    let checker = BisectionChecker::new(&roadmap, every(0.002), wall(None)).unwrap();
    let belief = NearestNeighbour::new(&roadmap, 50.0).unwrap();
    Planner::new(&roadmap, query, Psmp, belief, FailFast, checker)
        .seed(seed)
        .map(Result::unwrap)
        .collect()
}

#[test]
fn the_same_seed_gives_the_same_events_on_any_thread() {
    let reference = events(4);
    assert!(matches!(
        reference.last().unwrap().kind,
        EventKind::ShortestOnRoadmap
    ));
    assert_ne!(reference, events(5), "the seed must matter");
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(|| events(4))).collect();
    for thread in threads {
        assert_eq!(thread.join().unwrap(), reference);
    }
}

/// What happened, with checks that were broken off and gone on with as the one check that they are.
pub fn whole_checks(events: &[Event]) -> Vec<Event> {
    let mut whole: Vec<Event> = Vec::new();
    let mut partly = 0;
    for &event in events {
        let mut event = event;
        match &mut event.kind {
            EventKind::PartlyChecked { configurations, .. } => partly += *configurations,
            EventKind::Checked { configurations, .. } => {
                *configurations += std::mem::take(&mut partly);
                whole.push(event);
            }
            _ => whole.push(event),
        }
    }
    whole
}

#[test]
fn a_paused_run_goes_on_where_it_was() {
    let reference = events(4);
    let (roadmap, query) = prm();
    let checker = BisectionChecker::new(&roadmap, every(0.002), wall(None)).unwrap();
    let belief = NearestNeighbour::new(&roadmap, 50.0).unwrap();
    let mut planner = Planner::new(&roadmap, query, Psmp, belief, FailFast, checker).seed(4);
    let mut pieces: Vec<Event> = Vec::new();
    let flag = Arc::new(AtomicBool::new(true));
    for stop in [
        Stop::configurations(100),
        Stop::configurations(130),
        Stop::flag(flag.clone()),
        Stop::edges(9) & Stop::proposals(3),
        Stop::after(Duration::ZERO),
        Stop::gap(0.3) | Stop::configurations(1500),
        Stop::never(),
    ] {
        pieces.extend(planner.until(&stop).map(Result::unwrap));
    }
    assert_eq!(whole_checks(&pieces), whole_checks(&reference));
    assert!(pieces.len() > reference.len(), "no check was broken off");
    assert!(planner.next().is_none(), "a run that is over stays over");
}

#[test]
fn a_failing_checker_loses_nothing() {
    let (roadmap, query) = prm();
    let checker = BisectionChecker::new(&roadmap, every(0.002), wall(Some(997))).unwrap();
    let belief = IndependentEdges::constant(0.8).unwrap();
    let mut planner = Planner::new(&roadmap, query, Psmp, belief, FailFast, checker);
    let (mut failures, mut last) = (0, None);
    while let Some(event) = planner.next() {
        match event {
            Ok(event) => last = Some(event.kind),
            Err(message) => {
                failures += 1;
                assert!(message.starts_with("lost contact"));
                let known = planner.ledger().entries().len();
                assert_eq!(planner.progress().edges as usize, known);
                // What the world has answered for is counted, and asked no second time.
                let asked = planner.checker_mut().world_mut().asked;
                assert_eq!(planner.progress().configurations, asked - failures);
            }
        }
    }
    assert!(failures > 1);
    assert_eq!(last, Some(EventKind::ShortestOnRoadmap));
    // The same run without failures ends with the same path.
    let checker = BisectionChecker::new(&roadmap, every(0.002), wall(None)).unwrap();
    let belief = IndependentEdges::constant(0.8).unwrap();
    let mut calm = Planner::new(&roadmap, query, Psmp, belief, FailFast, checker);
    calm.by_ref().for_each(|event| assert!(event.is_ok()));
    assert_eq!(planner.best_path(), calm.best_path());
    let spent = [planner.progress(), calm.progress()].map(|p| p.configurations);
    assert_eq!(spent[0], spent[1], "something was asked twice");
}

#[test]
fn configurations_are_counted_as_the_world_sees_them() {
    let (roadmap, query) = prm();
    let checker = BisectionChecker::new(&roadmap, every(0.002), wall(None)).unwrap();
    let belief = IndependentEdges::constant(0.8).unwrap();
    let mut planner = Planner::new(&roadmap, query, Psmp, belief, FailFast, checker);
    planner.by_ref().for_each(drop);
    let counted = planner.progress().configurations;
    assert_eq!(planner.checker_mut().world_mut().asked, counted);
}

#[test]
fn a_closure_can_check_edges() {
    let problem = (0..)
        .map(Problem::random)
        .find(|p| p.shortest().is_some_and(|s| s > 0.0))
        .unwrap();
    let truth = problem.truth.clone();
    let checker = check_with(|edge: EdgeId| {
        Ok::<_, std::convert::Infallible>(Verdict {
            free: truth[edge.index()],
            configurations: 5,
        })
    });
    let belief = IndependentEdges::constant(0.8).unwrap();
    let mut planner = Planner::new(
        &problem.roadmap,
        problem.query,
        Psmp,
        belief,
        FailFast,
        checker,
    );
    planner.by_ref().for_each(drop);
    assert_eq!(
        planner.progress().configurations,
        5 * planner.progress().edges
    );
    assert_eq!(planner.progress().gap(), Some(0.0));
}
