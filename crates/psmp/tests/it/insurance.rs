//! The promise of the insurance, against beliefs that do their worst.

use crate::adversaries::{Adversary, Wrong};
use crate::problems::Problem;
use psmp::belief::IndependentEdges;
use psmp::checker::{Checker, Finding, Part, Sightings};
use psmp::proposer::{ExpectedImprovement, LazySp, MaxProb, Pomp, Proposer, Psmp};
use psmp::validator::{Alternate, Bisect, CoarseToFine, FailFast, Forward, Validator};
use psmp::{
    Draw, Edge, EdgeId, EdgeStatus, Event, EventKind, Fallback, Path, Planner, Roadmap, Source,
};

type Belief<'a> = Adversary<Box<dyn Fn(EdgeId) -> bool + 'a>>;

/// Checks a known truth at prices of its own: a free edge costs all of it, a blocked one as much or
/// less. It can fail at every second check.
struct Priced<'a> {
    truth: &'a [bool],
    seed: u64,
    fails: bool,
    asked: u64,
}

fn priced(problem: &Problem, seed: u64) -> Priced<'_> {
    Priced {
        truth: &problem.truth,
        seed,
        fails: false,
        asked: 0,
    }
}

impl Checker for Priced<'_> {
    type Error = String;
    fn check(&mut self, part: Part<'_>, _: &mut Sightings) -> Result<Finding, String> {
        let edge = part.edge;
        let most = part.most.min(part.limit.configurations());
        self.asked += 1;
        if self.fails && self.asked.is_multiple_of(2) {
            return Err("no answer".to_owned());
        }
        let (free, price) = (self.truth[edge.index()], self.cost_if_free(edge));
        let until_collision = 1 + Draw::new(self.seed, 2).below(price, u64::from(edge.0));
        let left = if free { price } else { until_collision } - part.seen;
        Ok(Finding {
            free: (most >= left).then_some(free),
            configurations: most.min(left),
        })
    }
    fn cost_if_free(&self, edge: EdgeId) -> u64 {
        1 + Draw::new(self.seed, 1).below(50, u64::from(edge.0))
    }
}

/// What LazySP spends in the same world, and the price of the dearest path it proposes.
fn lazysp_alone(problem: &Problem, seed: u64) -> (u64, u64) {
    let belief = IndependentEdges::constant(1.0).unwrap();
    let checker = priced(problem, seed);
    let mut planner = Planner::new(
        &problem.roadmap,
        problem.query,
        LazySp,
        belief,
        Forward,
        checker,
    );
    let mut dearest = 0;
    while let Some(event) = planner.next() {
        event.unwrap();
        dearest = dearest.max(price_of(planner.proposed_path(), problem, seed));
    }
    (planner.progress().configurations, dearest)
}

fn price_of(path: &Path, problem: &Problem, seed: u64) -> u64 {
    let prices = priced(problem, seed);
    path.edges().iter().map(|e| prices.cost_if_free(*e)).sum()
}

/// Drives a planner to its end. Gives what it has spent and what the promise allows, and checks how it
/// ends.
fn spent_and_promised<'a>(
    problem: &'a Problem,
    proposer: impl Proposer<Belief<'a>>,
    wrong: Wrong,
    validator: impl Validator,
    seed: u64,
    fallback: Fallback,
    insured: bool,
) -> (u64, u64) {
    let belief = Adversary::new(
        wrong,
        Box::new(|e: EdgeId| problem.truth[e.index()]) as Box<dyn Fn(EdgeId) -> bool>,
    );
    let (roadmap, query) = (&problem.roadmap, problem.query);
    let prices = priced(problem, seed);
    // The same roadmap with prices for lengths.
    let by_price = roadmap.edge_ids().map(|id| {
        let Edge { from, to, .. } = roadmap.edge(id);
        Edge::new(from.0, to.0, prices.cost_if_free(id) as f64)
    });
    let by_price = by_price.collect();
    let by_price = Roadmap::from_edges(roadmap.vertex_count(), roadmap.direction(), by_price);
    let by_price = by_price.unwrap();

    let checker = priced(problem, seed);
    let mut planner = Planner::new(roadmap, query, proposer, belief, validator, checker)
        .seed(seed)
        .fallback(fallback)
        .insured(insured);
    let (lazysp, mut dearest) = lazysp_alone(problem, seed);
    let mut cheapest = 0;
    let mut last = None;
    let mut steps = 0;
    while let Some(event) = planner.next() {
        steps += 1;
        assert!(steps < 100_000, "the run does not end");
        let event = event.unwrap();
        match event.kind {
            EventKind::Proposed { source, .. } if source != Source::Insurance => {
                dearest = dearest.max(price_of(planner.proposed_path(), problem, seed));
                let open = |e| planner.ledger().status(e) != EdgeStatus::Blocked;
                if let Some(path) = by_price.shortest_path(query, open) {
                    cheapest = cheapest.max(path.length() as u64);
                }
            }
            EventKind::Checked { edge, .. } | EventKind::PartlyChecked { edge, .. } => {
                assert!(planner.proposed_path().edges().contains(&edge));
            }
            _ => {}
        }
        last = Some(event);
    }
    let last = last.unwrap();
    let promised = match problem.shortest() {
        Some(shortest) => {
            if insured {
                assert_eq!(last.kind, EventKind::ShortestOnRoadmap);
                assert!((last.progress.best_length.unwrap() - shortest).abs() < 1e-9);
            }
            2 * lazysp + dearest
        }
        None => {
            if insured {
                assert_eq!(last.kind, EventKind::NoPathOnRoadmap);
            }
            2 * lazysp + dearest + cheapest
        }
    };
    (last.progress.configurations, promised)
}

#[test]
fn no_belief_costs_more_than_twice_lazysp_and_one_path() {
    let mut dearer_without = 0;
    for seed in 0..1500 {
        let problem = Problem::random(seed);
        for wrong in Wrong::ALL {
            let usual = Fallback::default();
            let hold = |name: &str, (spent, promised): (u64, u64)| {
                assert!(
                    spent <= promised,
                    "{name}, {wrong:?}, seed {seed}: {spent} over {promised}"
                );
            };
            let p = &problem;
            for fallback in [usual, Fallback::AfterNoImprovement(0), Fallback::Never] {
                let ei = ExpectedImprovement::default();
                let run = spent_and_promised(p, ei, wrong, FailFast, seed, fallback, true);
                hold("ei", run);
                let ei = ExpectedImprovement::default();
                let run = spent_and_promised(p, ei, wrong, CoarseToFine, seed, fallback, true);
                hold("ei, coarse to fine", run);
                let run = spent_and_promised(p, Psmp, wrong, FailFast, seed, fallback, true);
                hold("psmp", run);
            }
            let pomp = Pomp::default();
            let run = spent_and_promised(p, pomp, wrong, Bisect, seed, usual, true);
            hold("pomp", run);
            let validator = Alternate::default();
            let maxprob = MaxProb::default();
            let run = spent_and_promised(p, maxprob, wrong, validator, seed, usual, true);
            hold("maxprob", run);
            let maxprob = MaxProb::to_the_optimum();
            let run = spent_and_promised(p, maxprob, wrong, FailFast, seed, Fallback::Never, true);
            hold("maxprob+", run);
            let (spent, promised) =
                spent_and_promised(p, Psmp, wrong, FailFast, seed, usual, false);
            dearer_without += usize::from(spent > promised);
        }
    }
    // The promise is worth something: without insurance it does not hold.
    assert!(dearer_without > 10, "{dearer_without}");
}

/// A check that failed is made again, and nothing else changes.
#[test]
fn failing_checks_change_nothing() {
    let (mut interrupted, mut partly) = (0, 0);
    for seed in 0..300 {
        let problem = Problem::random(seed);
        for coarse in [false, true] {
            let events = |fails: bool| -> Vec<Event> {
                let checker = Priced {
                    fails,
                    ..priced(&problem, seed)
                };
                let belief = Adversary::new(Wrong::Inverted, |e: EdgeId| problem.truth[e.index()]);
                let validator: Box<dyn Validator> = if coarse {
                    Box::new(CoarseToFine)
                } else {
                    Box::new(FailFast)
                };
                let (roadmap, query) = (&problem.roadmap, problem.query);
                let planner = Planner::new(roadmap, query, Psmp, belief, validator, checker);
                let planner = planner.seed(seed).fallback(Fallback::Never);
                planner.insured(true).flatten().collect()
            };
            let unfailing = events(false);
            assert_eq!(unfailing, events(true), "seed {seed}");
            let any = |is: fn(&EventKind) -> bool| unfailing.iter().any(|e| is(&e.kind));
            partly += usize::from(any(|kind| matches!(kind, EventKind::PartlyChecked { .. })));
            interrupted += usize::from(any(|kind| {
                let source = Source::Insurance;
                matches!(kind, EventKind::Proposed { source: s, .. } if *s == source)
            }));
        }
    }
    assert!(interrupted > 10 && partly > 10, "{interrupted} {partly}");
}
