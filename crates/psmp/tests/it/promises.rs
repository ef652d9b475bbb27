//! What must hold of every run, whatever it is put together from.

use crate::problems::Problem;
use psmp::belief::{
    Belief, Certain, Ensemble, Evidence, FiniteSet, IndependentEdges, Latent, LatentModel, Local,
    NearestNeighbour, SoftSet, SoftSetModel,
};
use psmp::checker::{EdgePrices, TableChecker};
use psmp::proposer::{ExpectedImprovement, LazySp, MaxProb, Pomp, Proposer, Psmp};
use psmp::validator::{Alternate, Backward, Bisect, FailFast, Forward, Validator};
use psmp::{CollisionTable, Direction, Draw, EdgeId, EventKind, Fallback, Path, Planner, WorldId};
use std::sync::Arc;

/// Drives a run to its end, checking every promise on the way, and gives its last event.
fn drive<'a>(
    problem: &Problem,
    proposer: impl Proposer<Box<dyn Belief + 'a>>,
    belief: Box<dyn Belief + 'a>,
    validator: impl Validator<Box<dyn Belief + 'a>>,
    seed: u64,
) -> EventKind {
    let Problem {
        roadmap,
        query,
        truth,
    } = problem;
    let table = CollisionTable::from_rows(truth.len(), &[truth]).unwrap();
    let checker = TableChecker::new(&table, WorldId(0), EdgePrices::One);
    let optimum = problem.shortest().unwrap_or(f64::INFINITY);
    let mut planner =
        Planner::new(roadmap, *query, proposer, belief, validator, checker).seed(seed);
    let mut best = f64::INFINITY;
    let mut bound = 0.0;
    let mut last = None;
    let mut checked = vec![false; truth.len()];
    let mut steps = 0;
    while let Some(Ok(event)) = planner.next() {
        steps += 1;
        assert!(steps < 200_000, "the run does not end");
        assert!(last.is_none_or(|kind: EventKind| !kind.is_final()));
        last = Some(event.kind);
        let progress = event.progress;
        assert!(progress.lower_bound >= bound, "the lower bound fell");
        assert!(
            progress.lower_bound <= optimum + 1e-9,
            "the lower bound {} exceeds the optimum {optimum}",
            progress.lower_bound
        );
        bound = progress.lower_bound;
        assert_eq!(
            progress.best_length.unwrap_or(f64::INFINITY).min(best),
            progress.best_length.unwrap_or(f64::INFINITY)
        );
        assert_eq!(
            progress.configurations, progress.edges,
            "each edge costs one here"
        );
        match event.kind {
            EventKind::Checked { edge, free, .. } => {
                assert_eq!(free, truth[edge.index()]);
                assert!(
                    !std::mem::replace(&mut checked[edge.index()], true),
                    "checked twice"
                );
            }
            EventKind::Improved { length } => {
                assert!(length < best, "not strictly shorter");
                best = length;
                check_path(problem, planner.best_path().unwrap());
            }
            EventKind::ShortestOnRoadmap => {
                assert!(
                    (best - optimum).abs() < 1e-9,
                    "{best} is not the optimum {optimum}"
                );
                assert_eq!(progress.gap(), Some(0.0));
            }
            EventKind::NoPathOnRoadmap => assert!(optimum.is_infinite()),
            EventKind::Probed { .. } | EventKind::StraightLine => {
                panic!("a roadmap's planner checks edges alone")
            }
            EventKind::Proposed { .. }
            | EventKind::PartlyChecked { .. }
            | EventKind::NoImprovement
            | EventKind::GaveUp => {}
        }
        for edge in roadmap.edge_ids().step_by(7) {
            let p = planner.probability_free(edge);
            assert!((0.0..=1.0).contains(&p), "P(free) = {p}");
        }
    }
    last.expect("every run has a last event")
}

/// A path is connected, leads from start to goal, is free in truth and as long as it says.
fn check_path(problem: &Problem, path: &Path) {
    let Problem {
        roadmap,
        query,
        truth,
    } = problem;
    assert_eq!(path.vertices().first(), Some(&query.start));
    assert_eq!(path.vertices().last(), Some(&query.goal));
    assert_eq!(path.vertices().len(), path.edges().len() + 1);
    let mut length = 0.0;
    for (step, &id) in path.vertices().windows(2).zip(path.edges()) {
        let edge = roadmap.edge(id);
        let along = (edge.from, edge.to) == (step[0], step[1]);
        let against = (edge.to, edge.from) == (step[0], step[1]);
        assert!(along || against && roadmap.direction() == Direction::Undirected);
        assert!(truth[id.index()], "a path over a blocked edge was emitted");
        length += edge.length;
    }
    assert!((length - path.length()).abs() < 1e-9);
}

/// Believes the opposite of the truth, and of whatever it is shown.
struct Contrarian(Vec<bool>);

impl Belief for Contrarian {
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        f64::from(u8::from(!self.0[edge.index()]))
    }
    fn draw(&mut self, _: Draw) -> bool {
        true
    }
    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        !self.0[edge.index()]
    }
    fn observe(&mut self, evidence: Evidence<'_>) {
        if let Some(free) = evidence.finding.free() {
            self.0[evidence.edge.index()] = !free;
        }
    }
}

const BELIEFS: usize = 15;

/// A belief of every kind: good, useless and adversarial.
fn belief<'a>(
    kind: usize,
    problem: &'a Problem,
    table: &'a CollisionTable,
) -> Box<dyn Belief + 'a> {
    let truth = &problem.truth;
    match kind {
        // With the truth in it, without it, and empty from the start.
        0 => Box::new(FiniteSet::new(table)),
        1 => Box::new(FiniteSet::of_worlds(table, (1..20).map(WorldId))),
        2 => Box::new(FiniteSet::of_worlds(table, [])),
        3 => Box::new(IndependentEdges::constant(0.5).unwrap()),
        4 => Box::new(IndependentEdges::constant(0.0).unwrap()),
        5 => Box::new(IndependentEdges::constant(1.0).unwrap()),
        6 => Box::new(IndependentEdges::frequencies(table)),
        7 => Box::new(Certain::new(truth.clone())),
        8 => Box::new(Contrarian(truth.clone())),
        9 => Box::new(latent(table)),
        10 => match Local::new(&problem.roadmap) {
            Ok(belief) => Box::new(belief),
            Err(_) => Box::new(latent(table)),
        },
        11 => Box::new(Ensemble::new(
            truth.len(),
            vec![
                (
                    Box::new(FiniteSet::of_worlds(table, (1..20).map(WorldId))),
                    0.0,
                ),
                (Box::new(latent(table)), -0.4),
                (Box::new(Contrarian(truth.clone())), 0.3),
            ],
        )),
        12 => {
            let worlds: Vec<WorldId> = (1..20).map(WorldId).collect();
            let model = SoftSetModel::learn(table, &worlds);
            Box::new(SoftSet::of_worlds(table, worlds, model))
        }
        // Sure of one world, which is wrong.
        13 => {
            let model = SoftSetModel::new(0.001, 0.0005).unwrap();
            Box::new(SoftSet::of_worlds(table, [WorldId(1)], model))
        }
        _ => match NearestNeighbour::new(&problem.roadmap, 20.0) {
            Ok(belief) => Box::new(belief),
            Err(_) => Box::new(Certain::new(vec![false; truth.len()])),
        },
    }
}

/// Hidden causes learned without the true world.
fn latent(table: &CollisionTable) -> Latent {
    let worlds: Vec<WorldId> = (1..20).map(WorldId).collect();
    Latent::new(Arc::new(LatentModel::learn(table, &worlds)))
}

/// Twenty worlds, of which the first is the true one.
fn known_worlds(problem: &Problem, seed: u64) -> CollisionTable {
    let rows: Vec<Vec<bool>> = (0..20)
        .map(|w| {
            let random = Draw::new(seed, 77 + w);
            let flip = |(e, &free): (usize, &bool)| free ^ (w > 0 && random.unit(e as u64) < 0.2);
            problem.truth.iter().enumerate().map(flip).collect()
        })
        .collect();
    CollisionTable::from_rows(problem.truth.len(), &rows).unwrap()
}

#[test]
fn every_proposer_with_every_belief_reaches_the_certificate() {
    for seed in 0..1500 {
        let problem = Problem::random(seed);
        let table = known_worlds(&problem, seed);
        let expected = match problem.shortest() {
            Some(_) => EventKind::ShortestOnRoadmap,
            None => EventKind::NoPathOnRoadmap,
        };
        for kind in 0..BELIEFS {
            let b = || belief(kind, &problem, &table);
            assert_eq!(
                drive(&problem, Psmp, b(), FailFast, seed),
                expected,
                "psmp, belief {kind}, seed {seed}"
            );
            assert_eq!(
                drive(&problem, Pomp::default(), b(), FailFast, seed),
                expected,
                "pomp, belief {kind}, seed {seed}"
            );
            assert_eq!(
                drive(
                    &problem,
                    ExpectedImprovement::default(),
                    b(),
                    FailFast,
                    seed
                ),
                expected,
                "ei, belief {kind}, seed {seed}"
            );
            assert_eq!(
                drive(&problem, LazySp, b(), FailFast, seed),
                expected,
                "lazysp, belief {kind}, seed {seed}"
            );
            assert_eq!(
                drive(&problem, MaxProb::to_the_optimum(), b(), FailFast, seed),
                expected,
                "maxprob, belief {kind}, seed {seed}"
            );
            // By design MaxProb stops at its first path, which may happen to be the shortest.
            let plain = drive(&problem, MaxProb::default(), b(), FailFast, seed);
            assert!(
                plain == expected
                    || expected == EventKind::ShortestOnRoadmap && plain == EventKind::GaveUp
            );
        }
    }
}

#[test]
fn every_validator_serves_every_proposer() {
    for seed in 0..600 {
        let problem = Problem::random(seed);
        let table = known_worlds(&problem, seed);
        let expected = match problem.shortest() {
            Some(_) => EventKind::ShortestOnRoadmap,
            None => EventKind::NoPathOnRoadmap,
        };
        let b = || belief(seed as usize % BELIEFS, &problem, &table);
        assert_eq!(drive(&problem, LazySp, b(), Forward, seed), expected);
        assert_eq!(drive(&problem, Psmp, b(), Forward, seed), expected);
        assert_eq!(drive(&problem, Psmp, b(), Backward, seed), expected);
        assert_eq!(
            drive(&problem, Psmp, b(), Alternate::default(), seed),
            expected
        );
        assert_eq!(
            drive(&problem, Pomp::default(), b(), Bisect, seed),
            expected
        );
        assert_eq!(drive(&problem, LazySp, b(), Bisect, seed), expected);
    }
}

/// LazySP gives one path, the shortest.
#[test]
fn lazysp_finds_the_shortest_path_first() {
    for seed in 0..3000 {
        let problem = Problem::random(seed);
        let table = CollisionTable::from_rows(problem.truth.len(), &[&problem.truth]).unwrap();
        let checker = TableChecker::new(&table, WorldId(0), EdgePrices::One);
        let belief = IndependentEdges::constant(0.5).unwrap();
        let planner = Planner::new(
            &problem.roadmap,
            problem.query,
            LazySp,
            belief,
            Forward,
            checker,
        );
        let found: Vec<f64> = planner
            .filter_map(|event| match event.unwrap().kind {
                EventKind::Improved { length } => Some(length),
                _ => None,
            })
            .collect();
        let ours = problem
            .roadmap
            .shortest_path(problem.query, |e| problem.truth[e.index()]);
        match problem.shortest() {
            Some(shortest) => {
                check_path(&problem, &ours.unwrap());
                assert_eq!(found.len(), 1, "seed {seed}");
                assert!((found[0] - shortest).abs() < 1e-9, "seed {seed}");
            }
            None => assert!(found.is_empty(), "seed {seed}"),
        }
    }
}

/// Without the fallback the plain method gives up where there is nothing to draw, and loops on draws without improvement only
/// as long as the caller lets it.
#[test]
fn the_plain_method_stays_selectable() {
    let mut gave_up = 0;
    let mut barren = 0;
    for seed in 0..400 {
        let problem = Problem::random(seed);
        let table = known_worlds(&problem, seed);
        let few = if seed < 50 { 0..0 } else { 1..20 };
        let set = FiniteSet::of_worlds(&table, few.map(WorldId));
        let truth = CollisionTable::from_rows(problem.truth.len(), &[&problem.truth]).unwrap();
        let checker = TableChecker::new(&truth, WorldId(0), EdgePrices::One);
        let planner = Planner::new(
            &problem.roadmap,
            problem.query,
            Psmp,
            set,
            FailFast,
            checker,
        )
        .seed(seed)
        .fallback(Fallback::Never);
        let kinds: Vec<EventKind> = planner.take(500).map(|e| e.unwrap().kind).collect();
        gave_up += usize::from(kinds.last() == Some(&EventKind::GaveUp));
        barren += usize::from(kinds.last() == Some(&EventKind::NoImprovement));
        assert!(!kinds.iter().any(|k| matches!(
            k,
            EventKind::Proposed {
                source: psmp::Source::Fallback,
                ..
            }
        )));
    }
    assert!(
        gave_up > 10 && barren > 20,
        "gave up {gave_up}, barren {barren}"
    );
}
