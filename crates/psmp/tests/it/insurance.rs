//! The promise of the insurance, against beliefs that do their worst.

use crate::adversaries::{Adversary, Wrong};
use crate::problems::Problem;
use psmp::belief::IndependentEdges;
use psmp::checker::{BisectionChecker, Checker, Finding, Part, Sightings, VerticesOnce, WorldFn};
use psmp::proposer::{ExpectedImprovement, LazySp, MaxProb, Pomp, Proposer, Psmp};
use psmp::validator::{Alternate, Bisect, CoarseToFine, FailFast, Forward, Validator};
use psmp::{
    Draw, Edge, EdgeId, EdgeStatus, Event, EventKind, Fallback, Path, Planner, Prices, Resolution,
    Roadmap, Source,
};
use std::collections::BTreeSet;
use std::fmt::Debug;

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

/// What LazySP has spent in the same world when it is done.
struct Alone {
    configurations: u64,
    /// The edges that it has looked at, and those of them in its first step, which computes all distances.
    thoughts: u64,
    first_thoughts: u64,
    /// The price of the dearest path that it has proposed.
    dearest: u64,
}

fn lazysp_alone<C: Checker<Error: Debug>>(problem: &Problem, checker: &impl Fn() -> C) -> Alone {
    let belief = IndependentEdges::constant(1.0).unwrap();
    let mut planner = Planner::new(
        &problem.roadmap,
        problem.query,
        LazySp,
        belief,
        Forward,
        checker(),
    );
    let (mut dearest, mut first_thoughts) = (0, None);
    while let Some(event) = planner.next() {
        event.unwrap();
        first_thoughts.get_or_insert(planner.upkeep());
        dearest = dearest.max(price_of(planner.proposed_path(), problem, &checker()));
    }
    Alone {
        configurations: planner.progress().configurations,
        thoughts: planner.effort() + planner.upkeep(),
        first_thoughts: first_thoughts.unwrap_or(0),
        dearest,
    }
}

/// What checking a path costs whoever has checked nothing before.
fn price_of(path: &Path, problem: &Problem, checker: &impl Checker) -> u64 {
    let mut vertices = BTreeSet::new();
    let mut own = 0;
    for &id in path.edges() {
        let (edge, bill) = (problem.roadmap.edge(id), checker.bill(id, None, [false; 2]));
        let ends = [edge.from, edge.to].into_iter().zip(bill.ends);
        vertices.extend(ends.filter_map(|(end, is_asked)| is_asked.then_some(end)));
        own += bill.own;
    }
    own + vertices.len() as u64
}

/// Drives a planner to its end by a clock that goes by prices, or where there are none by configurations. Gives what it
/// has spent and what the promise allows, and checks how it ends.
#[derive(Debug, Clone, Copy)]
struct Run {
    seed: u64,
    wrong: Wrong,
    fallback: Fallback,
    prices: Option<Prices>,
    insured: bool,
}

/// What has been spent, what LazySP alone spends, and what may come on top of twice that.
#[derive(Debug, Clone, Copy)]
struct Account {
    spent: f64,
    by_lazysp: f64,
    rest: f64,
}

impl Account {
    fn is_as_promised(&self) -> bool {
        self.spent <= (2.0 * self.by_lazysp + self.rest) * (1.0 + 1e-12)
    }
}

fn account<'a>(
    problem: &'a Problem,
    proposer: impl Proposer<Belief<'a>>,
    validator: impl Validator,
    run: Run,
) -> Account {
    account_with(
        problem,
        || priced(problem, run.seed),
        proposer,
        validator,
        run,
    )
}

/// The same with checkers of any kind.
fn account_with<'a, C: Checker<Error: Debug>>(
    problem: &'a Problem,
    checker: impl Fn() -> C,
    proposer: impl Proposer<Belief<'a>>,
    validator: impl Validator,
    run: Run,
) -> Account {
    let Run {
        seed,
        wrong,
        fallback,
        prices,
        insured,
    } = run;
    let cost = |configurations: u64, thoughts: u64| match prices {
        None => configurations as f64,
        Some(prices) => {
            configurations as f64 * prices.configuration() + thoughts as f64 * prices.thought()
        }
    };
    let belief = Adversary::new(
        wrong,
        Box::new(|e: EdgeId| problem.truth[e.index()]) as Box<dyn Fn(EdgeId) -> bool>,
    );
    let (roadmap, query) = (&problem.roadmap, problem.query);
    let of_edges = checker();
    // The same roadmap with prices for lengths.
    let by_price = roadmap.edge_ids().map(|id| {
        let Edge { from, to, .. } = roadmap.edge(id);
        Edge::new(from.0, to.0, of_edges.cost_if_free(id) as f64)
    });
    let by_price = by_price.collect();
    let by_price = Roadmap::from_edges(roadmap.vertex_count(), roadmap.direction(), by_price);
    let by_price = by_price.unwrap();

    let mut planner = Planner::new(roadmap, query, proposer, belief, validator, checker())
        .seed(seed)
        .fallback(fallback)
        .insured(insured);
    if let Some(prices) = prices {
        planner.set_prices(prices);
    }
    let alone = lazysp_alone(problem, &checker);
    let (mut dearest, mut cheapest) = (alone.dearest, 0);
    let mut last = None;
    let mut steps = 0;
    // LazySP computes all distances once, too.
    let (mut thoughts, mut longest_step) = (alone.first_thoughts, 0);
    loop {
        let open = |e| planner.ledger().status(e) != EdgeStatus::Blocked;
        if let Some(path) = by_price.shortest_path(query, open) {
            cheapest = cheapest.max(path.length() as u64);
        }
        let Some(event) = planner.next() else {
            break;
        };
        steps += 1;
        assert!(steps < 100_000, "the run does not end");
        let before = std::mem::replace(&mut thoughts, planner.effort() + planner.upkeep());
        longest_step = longest_step.max(thoughts.saturating_sub(before));
        let event = event.unwrap();
        match event.kind {
            EventKind::Proposed { source, .. } if source != Source::Insurance => {
                let price = price_of(planner.proposed_path(), problem, &of_edges);
                dearest = dearest.max(price);
            }
            EventKind::Checked { edge, .. } | EventKind::PartlyChecked { edge, .. } => {
                assert!(planner.proposed_path().edges().contains(&edge));
            }
            _ => {}
        }
        last = Some(event);
    }
    let last = last.unwrap();
    let rest = match problem.shortest() {
        Some(shortest) => {
            if insured {
                assert_eq!(last.kind, EventKind::ShortestOnRoadmap);
                assert!((last.progress.best_length.unwrap() - shortest).abs() < 1e-9);
            }
            dearest
        }
        None => {
            if insured {
                assert_eq!(last.kind, EventKind::NoPathOnRoadmap);
            }
            dearest + cheapest
        }
    };
    Account {
        spent: cost(last.progress.configurations, thoughts),
        by_lazysp: cost(alone.configurations, alone.thoughts),
        rest: cost(rest, longest_step),
    }
}

#[test]
fn no_belief_costs_more_than_twice_lazysp_and_one_path() {
    let mut dearer_without = 0;
    for seed in 0..1500 {
        let problem = Problem::random(seed);
        for wrong in Wrong::ALL {
            let usual = Run {
                seed,
                wrong,
                fallback: Fallback::default(),
                prices: None,
                insured: true,
            };
            let never = Run {
                fallback: Fallback::Never,
                ..usual
            };
            let at_once = Run {
                fallback: Fallback::AfterNoImprovement(0),
                ..usual
            };
            let hold = |name: &str, account: Account| {
                let good = account.is_as_promised();
                assert!(good, "{name}, {wrong:?}, seed {seed}: {account:?}");
            };
            let p = &problem;
            for run in [usual, at_once, never] {
                let ei = ExpectedImprovement::default();
                hold("ei", account(p, ei, FailFast, run));
                let ei = ExpectedImprovement::default();
                hold("ei, coarse to fine", account(p, ei, CoarseToFine, run));
                hold("psmp", account(p, Psmp, FailFast, run));
            }
            hold("pomp", account(p, Pomp::default(), Bisect, usual));
            let validator = Alternate::default();
            let maxprob = MaxProb::default();
            hold("maxprob", account(p, maxprob, validator, usual));
            let maxprob = MaxProb::to_the_optimum();
            hold("maxprob+", account(p, maxprob, FailFast, never));
            let uninsured = Run {
                insured: false,
                ..usual
            };
            let without = account(p, Psmp, FailFast, uninsured);
            dearer_without += usize::from(!without.is_as_promised());
        }
    }
    // The promise is worth something: without insurance it does not hold.
    assert!(dearer_without > 10, "{dearer_without}");
}

/// The same by the clock, whatever a check costs beside a thought.
#[test]
fn no_belief_takes_longer_than_twice_lazysp_one_path_and_one_step() {
    let (mut longer_without, mut worst) = (0, 0.0f64);
    for configuration in [1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-2, 1.0] {
        let prices = Prices::new(configuration, 3e-8);
        for seed in 0..300 {
            let problem = Problem::random(seed);
            for wrong in Wrong::ALL {
                let run = Run {
                    seed,
                    wrong,
                    fallback: Fallback::default(),
                    prices,
                    insured: true,
                };
                let never = Run {
                    fallback: Fallback::Never,
                    ..run
                };
                let p = &problem;
                let ei = ExpectedImprovement::default;
                for (name, account) in [
                    ("ei", account(p, ei(), CoarseToFine, run)),
                    ("ei, whole edges", account(p, ei(), FailFast, never)),
                    ("psmp", account(p, Psmp, FailFast, run)),
                    ("pomp", account(p, Pomp::default(), CoarseToFine, run)),
                ] {
                    let good = account.is_as_promised();
                    assert!(good, "{name}, {run:?}: {account:?}");
                    worst = worst.max((account.spent - account.rest) / account.by_lazysp);
                }
                let uninsured = Run {
                    insured: false,
                    ..run
                };
                let without = account(p, Psmp, FailFast, uninsured);
                longer_without += usize::from(!without.is_as_promised());
            }
        }
    }
    println!("the worst ratio to LazySP, less one path and one step: {worst:.3}");
    assert!(longer_without > 10, "{longer_without}");
    assert!(worst > 1.0, "the promise is never needed: {worst}");
}

/// Vertices that are asked about once for all their edges are paid for by whoever comes to them first, and LazySP, which is
/// followed through what others have paid for, gets the bill that it would have had alone.
#[test]
fn where_vertices_are_asked_about_once_the_promise_is_the_same() {
    let (mut dearer_without, mut interrupted) = (0, 0);
    for seed in (0..1500).step_by(2) {
        let mut problem = Problem::random(seed);
        let random = Draw::new(seed, 9);
        let discs: Vec<f64> = (0..12).map(|i| random.unit(i)).collect();
        let is_free = |q: &[f64]| {
            let mut discs = discs.chunks_exact(3);
            discs.all(|disc| (q[0] - disc[0]).hypot(q[1] - disc[1]) > 0.2 * disc[2])
        };
        let resolution = Resolution::distance(0.05).unwrap();
        let mut truth =
            BisectionChecker::new(&problem.roadmap, resolution, WorldFn(is_free)).unwrap();
        for edge in problem.roadmap.edge_ids() {
            let Ok(found) = truth.check(Part::whole_of(edge), &mut Sightings::new(2));
            problem.truth[edge.index()] = found.free.unwrap();
        }
        let start = problem.roadmap.configuration(problem.query.start).unwrap();
        let given: &[_] = if is_free(start) {
            &[problem.query.start]
        } else {
            &[]
        };
        let p = &problem;
        let checker = || {
            VerticesOnce::new(
                BisectionChecker::new(&p.roadmap, resolution, WorldFn(is_free)).unwrap(),
                given.iter().copied(),
            )
        };
        for wrong in Wrong::ALL {
            for fallback in [Fallback::default(), Fallback::Never] {
                let run = Run {
                    seed,
                    wrong,
                    fallback,
                    prices: None,
                    insured: true,
                };
                let ei = ExpectedImprovement::default;
                for (name, account) in [
                    ("ei", account_with(p, checker, ei(), CoarseToFine, run)),
                    (
                        "ei, whole edges",
                        account_with(p, checker, ei(), FailFast, run),
                    ),
                    ("psmp", account_with(p, checker, Psmp, FailFast, run)),
                    (
                        "pomp",
                        account_with(p, checker, Pomp::default(), Bisect, run),
                    ),
                ] {
                    let good = account.is_as_promised();
                    assert!(good, "{name}, {run:?}: {account:?}");
                    interrupted += usize::from(account.spent > account.by_lazysp + account.rest);
                }
            }
            let run = Run {
                seed,
                wrong,
                fallback: Fallback::default(),
                prices: None,
                insured: false,
            };
            let without = account_with(p, checker, Psmp, FailFast, run);
            dearer_without += usize::from(!without.is_as_promised());
        }
    }
    println!("dearer without {dearer_without}, interrupted {interrupted}");
    assert!(
        dearer_without > 10 && interrupted > 10,
        "{dearer_without} {interrupted}"
    );
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
