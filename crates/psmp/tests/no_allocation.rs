//! After warming up, a thousand planning steps allocate nothing.
//!
//! The counting allocator is global, so this is a test binary of its own with a single test.
#![allow(clippy::unwrap_used, reason = "in a test an unwrap is an assertion")]

#[path = "../../../tests/rust/counting.rs"]
mod counting;

use counting::{allocations, check_counter};
use psmp::belief::{Belief, FiniteSet, IndependentEdges, SoftSet, SoftSetModel};
use psmp::checker::{BisectionChecker, Checker, Verdict, WorldFn, check_with};
use psmp::proposer::{ExpectedImprovement, LazySp, Pomp, Proposer, Psmp};
use psmp::validator::CoarseToFine;
use psmp::{CollisionTable, Draw, EdgeId, Planner, Resolution, Roadmap, Space, roadmap};
use std::convert::Infallible;
use std::sync::Arc;

#[test]
fn a_thousand_steps_allocate_nothing() {
    check_counter();

    let space = Space::unit(2);
    let points = roadmap::halton(&space, 3000);
    let prm = Roadmap::from_configurations(space, points, psmp::Connection::Nearest(14)).unwrap();
    let (prm, query) = prm
        .with_query(&[0.02, 0.02], &[0.98, 0.98], psmp::Connection::Nearest(10))
        .unwrap();
    let rows: Vec<Vec<bool>> = (0..200)
        .map(|w| {
            let random = Draw::new(1, w);
            (0..prm.edge_count() as u64)
                .map(|e| random.unit(e) < 0.9)
                .collect()
        })
        .collect();
    let table = Arc::new(CollisionTable::from_rows(prm.edge_count(), &rows).unwrap());

    let independent = || IndependentEdges::frequencies(&table.clone().into());
    measure(&prm, query, "psmp", Psmp, independent(), false);
    measure(&prm, query, "pomp", Pomp::default(), independent(), false);
    measure(&prm, query, "lazysp", LazySp, independent(), false);
    for insured in [false, true] {
        let name = "expected improvement";
        let proposer = ExpectedImprovement::default();
        measure(&prm, query, name, proposer, independent(), insured);
    }
    // A belief that is soon not covered any more.
    let wrong = IndependentEdges::constant(0.5).unwrap();
    measure(&prm, query, "psmp, insured", Psmp, wrong, true);
    measure(
        &prm,
        query,
        "psmp with a finite set",
        Psmp,
        FiniteSet::new(table.clone()),
        false,
    );
    let soft = || SoftSet::new(table.clone(), SoftSetModel::default());
    measure(&prm, query, "psmp with a soft set", Psmp, soft(), false);
    let scoring = ExpectedImprovement::default();
    measure(
        &prm,
        query,
        "scoring with a soft set",
        scoring,
        soft(),
        true,
    );
    // Where an edge is one question it is thought about what checks tell of other candidates.
    let whole = check_with(|edge: EdgeId| -> Result<Verdict, Infallible> {
        Ok(Verdict {
            free: Draw::new(2, 0).unit(u64::from(edge.0)) < 0.3,
            configurations: 1,
        })
    });
    let name = "what tells most with a soft set";
    let telling = ExpectedImprovement::default();
    measure_with(&prm, query, name, telling, soft(), false, whole);
}

fn measure<B: Belief>(
    prm: &Roadmap,
    query: psmp::Query,
    name: &str,
    proposer: impl Proposer<B>,
    belief: B,
    insured: bool,
) {
    // A forest of small pillars, so that a run takes more than a thousand steps.
    let world = WorldFn(|q: &[f64]| {
        let to_pillar = |x: f64| (x * 40.0).fract() - 0.5;
        to_pillar(q[0]).hypot(to_pillar(q[1])) > 0.25
    });
    let checker = BisectionChecker::new(prm, Resolution::distance(0.001).unwrap(), world).unwrap();
    measure_with(prm, query, name, proposer, belief, insured, checker);
}

fn measure_with<B: Belief>(
    prm: &Roadmap,
    query: psmp::Query,
    name: &str,
    proposer: impl Proposer<B>,
    belief: B,
    insured: bool,
    checker: impl Checker,
) {
    let mut planner =
        Planner::new(prm, query, proposer, belief, CoarseToFine, checker).insured(insured);
    let warm_up = planner.by_ref().take(100).count();
    assert_eq!(warm_up, 100);
    let before = allocations();
    let (mut steps, mut interrupted) = (0, false);
    // An insured run goes on until its insurance has had a turn.
    while steps < 1000 || (insured && !interrupted && steps < 20_000) {
        let Some(Ok(event)) = planner.next() else {
            panic!("{name} was over too soon");
        };
        let source = psmp::Source::Insurance;
        interrupted |=
            matches!(event.kind, psmp::EventKind::Proposed { source: s, .. } if s == source);
        steps += 1;
    }
    let allocated = allocations() - before;
    assert_eq!(interrupted, insured, "{name}");
    assert_eq!(allocated, 0, "{name} allocated");
}
