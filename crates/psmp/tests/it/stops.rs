//! Stops that stop: in the midst of thinking and checking, and never beyond a budget.

use crate::problems::Problem;
use psmp::belief::{Belief, IndependentEdges, Local, NearestNeighbour};
use psmp::checker::{
    BisectionChecker, Checker, Finding, Part, Sightings, Verdict, World, WorldFn, check_with,
};
use psmp::proposer::{ExpectedImprovement, MaxProb, Pomp, Proposer, Psmp};
use psmp::validator::{CoarseToFine, FailFast, Validator};
use psmp::{
    Anytime, Connection, EdgeId, Event, Limit, Planner, Query, Resolution, Roadmap, Space, Stop,
    Until, roadmap,
};
use std::convert::Infallible;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

fn prm(vertices: usize) -> (Roadmap, Query) {
    let space = Space::unit(2);
    let radius = roadmap::prm_star_radius(&space, vertices);
    let points = roadmap::halton(&space, vertices);
    Roadmap::from_configurations(space, points, Connection::Radius(radius))
        .unwrap()
        .with_query(&[0.05, 0.05], &[0.95, 0.95], Connection::Radius(radius))
        .unwrap()
}

fn every(step: f64) -> Resolution {
    Resolution::distance(step).unwrap()
}

/// Two walls whose gaps are far apart.
fn is_free(q: &[f64]) -> bool {
    let (lower, upper) = (0.3..0.35, 0.6..0.65);
    (!lower.contains(&q[0]) || q[1] > 0.8) && (!upper.contains(&q[0]) || q[1] < 0.2)
}

/// Counts what it is asked, and takes so many at once.
struct Counted {
    asked: u64,
    at_once: u64,
}

impl World for Counted {
    type Error = Infallible;
    fn is_free(&mut self, q: &[f64]) -> Result<bool, Infallible> {
        self.asked += 1;
        Ok(is_free(q))
    }
    fn first_collision(&mut self, all: &[f64], d: usize) -> Result<Option<usize>, Infallible> {
        let place = all.chunks_exact(d).position(|q| !is_free(q));
        self.asked += place.map_or(all.len() / d, |place| place + 1) as u64;
        Ok(place)
    }
    fn at_once(&self) -> u64 {
        self.at_once
    }
}

#[test]
fn a_budget_of_configurations_is_spent_to_the_last_and_never_passed() {
    let (roadmap, query) = prm(150);
    fn run(
        roadmap: &Roadmap,
        query: Query,
        validator: impl Validator,
        at_once: u64,
        insured: bool,
        timed: bool,
    ) {
        let world = Counted { asked: 0, at_once };
        let checker = BisectionChecker::new(roadmap, every(0.001), world).unwrap();
        let belief = Local::new(roadmap).unwrap();
        let ei = ExpectedImprovement::default();
        let mut planner =
            Planner::new(roadmap, query, ei, belief, validator, checker).insured(insured);
        let mut is_over = false;
        for budget in (1..40).map(|i| i * i * 3) {
            let mut stop = Stop::configurations(budget);
            if timed {
                stop = stop | Stop::after(Duration::from_secs(3600));
            }
            let last = planner.until(&stop).last();
            is_over |= last.is_some_and(|e| e.unwrap().kind.is_final());
            let counted = planner.progress().configurations;
            assert!(
                counted == budget || is_over && counted < budget,
                "{counted} of {budget}"
            );
            assert_eq!(planner.checker_mut().world_mut().asked, counted);
        }
        assert!(planner.best_path().is_some());
    }
    for insured in [false, true] {
        for (at_once, timed) in [(1, false), (1, true), (32, false), (32, true)] {
            run(&roadmap, query, FailFast, at_once, insured, timed);
            run(&roadmap, query, CoarseToFine, at_once, insured, timed);
        }
    }
}

/// Checks whole edges at a price of seven each.
struct Dear<'a>(&'a [bool]);
impl Checker for Dear<'_> {
    type Error = Infallible;
    fn check(&mut self, part: Part<'_>, _: &mut Sightings) -> Result<Finding, Infallible> {
        let edge = part.edge;
        let free = self.0[edge.index()];
        part.whole(7, || {
            Ok(Verdict {
                free,
                configurations: 7,
            })
        })
    }
    fn cost_if_free(&self, _: EdgeId) -> u64 {
        7
    }
}

impl<'a> Dear<'a> {
    /// A planner that pays it.
    fn planner(problem: &'a Problem) -> impl Anytime<Error = Infallible> + 'a {
        let belief = IndependentEdges::constant(0.8).unwrap();
        let (roadmap, query) = (&problem.roadmap, problem.query);
        Planner::new(roadmap, query, Psmp, belief, FailFast, Dear(&problem.truth))
    }
}

#[test]
fn a_checker_of_whole_edges_stops_before_an_edge_that_might_cost_too_much() {
    let problem = (0..)
        .map(Problem::random)
        .find(|p| p.shortest().is_some_and(|s| s > 0.0) && p.roadmap.edge_count() > 10)
        .unwrap();
    let mut planner = Dear::planner(&problem);
    for budget in [1, 6, 7, 13, 14, 20] {
        Until::new(&mut planner, &Stop::configurations(budget)).for_each(drop);
        assert_eq!(planner.progress().configurations, budget / 7 * 7);
    }
}

/// A stop that interrupts at every `n`-th time it is asked, until it has done so `most` times.
fn now_and_then(n: u64, most: u64) -> (Stop, Arc<AtomicU64>) {
    let asked = Arc::new(AtomicU64::new(0));
    let counter = asked.clone();
    let stop = Stop::when(move || {
        let asked = counter.fetch_add(1, Ordering::Relaxed) + 1;
        asked.is_multiple_of(n) && asked / n <= most
    });
    (stop, asked)
}

#[test]
fn interrupted_thinking_leaves_no_trace() {
    let (roadmap, query) = prm(300);
    fn same<P: Proposer<B>, B: Belief>(
        (roadmap, query): (&Roadmap, Query),
        parts: impl Fn() -> (P, B),
        insured: bool,
    ) {
        let world = WorldFn(is_free);
        let mut edges = BisectionChecker::new(roadmap, every(0.01), world).unwrap();
        let mut nothing = Sightings::new(2);
        let truth: Vec<Verdict> = roadmap
            .edge_ids()
            .map(|e| {
                nothing.clear();
                let Ok(finding) = edges.check(Part::whole_of(e), &mut nothing);
                Verdict {
                    free: finding.free == Some(true),
                    configurations: finding.configurations,
                }
            })
            .collect();
        let planner = || {
            let (proposer, belief) = parts();
            let checker = check_with(|e: EdgeId| Ok::<_, Infallible>(truth[e.index()]));
            Planner::new(roadmap, query, proposer, belief, CoarseToFine, checker)
                .seed(3)
                .insured(insured)
        };
        let calm: Vec<Event> = planner().map(|e| e.unwrap()).collect();
        let (stop, asked) = now_and_then(7, 2000);
        let mut planner = planner();
        let mut events: Vec<Event> = Vec::new();
        let mut pauses = 0;
        while !events.last().is_some_and(|e| e.kind.is_final()) {
            events.extend(planner.until(&stop).map(Result::unwrap));
            pauses += 1;
        }
        assert_eq!(events, calm);
        assert!(pauses > 20, "{pauses} pauses, asked {asked:?} times");
    }
    let problem = (&roadmap, query);
    for insured in [false, true] {
        let local = || Local::new(&roadmap).unwrap();
        let nn = || NearestNeighbour::new(&roadmap, 30.0).unwrap();
        same(
            problem,
            || (ExpectedImprovement::default(), local()),
            insured,
        );
        same(problem, || (Psmp, local()), insured);
        same(problem, || (Pomp::default(), nn()), insured);
        same(problem, || (MaxProb::to_the_optimum(), nn()), insured);
    }
}

#[test]
fn a_deadline_is_kept_in_the_midst_of_thinking() {
    let (roadmap, query) = prm(30_000);
    let checker = BisectionChecker::new(&roadmap, every(0.001), WorldFn(is_free)).unwrap();
    let belief = Local::new(&roadmap).unwrap();
    let ei = ExpectedImprovement::default();
    let mut planner =
        Planner::new(&roadmap, query, ei, belief, CoarseToFine, checker).insured(true);
    // The longest stretch of a second's thinking and checking without a question. What else a machine
    // does can only add to it, so that the best of three counts.
    let mut deaf = || {
        let heard = Arc::new(Mutex::new((Instant::now(), Duration::ZERO)));
        let (clock, began) = (heard.clone(), Instant::now());
        let stop = Stop::when(move || {
            let mut clock = clock.lock().unwrap();
            clock.1 = clock.1.max(clock.0.elapsed());
            clock.0 = Instant::now();
            began.elapsed() > Duration::from_secs(1)
        });
        planner.until(&stop).for_each(drop);
        heard.lock().unwrap().1
    };
    let deaf = [deaf(), deaf(), deaf()];
    assert!(
        deaf.iter().min() < Some(&Duration::from_millis(100)),
        "{deaf:?}"
    );
}

#[test]
fn a_limit_counts_from_when_its_work_began() {
    let problem = Problem::random(1);
    let mut planner = Dear::planner(&problem);
    let Some(a_while_ago) = Instant::now().checked_sub(Duration::from_secs(2)) else {
        unreachable!("a machine takes longer to start");
    };
    let stop = Stop::after(Duration::from_secs(1));
    let limit = Limit::since(a_while_ago, &stop);
    assert_eq!(Until::within(&mut planner, limit).count(), 0);
    assert!(planner.step(&Limit::new(&stop)).is_some());
}
