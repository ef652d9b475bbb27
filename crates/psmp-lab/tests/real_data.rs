//! The published datasets: what planners promise must hold in every recorded world.
#![allow(clippy::unwrap_used, reason = "in a test an unwrap is an assertion")]

/// Beliefs that are wrong in every way there is.
#[path = "../../psmp/tests/it/adversaries.rs"]
mod adversaries;

use adversaries::{Adversary, Wrong};
use petgraph::algo::dijkstra;
use petgraph::graph::{NodeIndex, UnGraph};
use psmp::belief::IndependentEdges;
use psmp::by_name::{PlannerSpec, Setting};
use psmp::checker::Checker;
use psmp::proposer::{ExpectedImprovement, LazySp, MaxProb, Pomp, Proposer, Psmp};
use psmp::validator::{FailFast, Forward};
use psmp::{CollisionTable, Direction, EdgeId, Event, EventKind, Limit, Planner, Query, Roadmap};
use psmp::{RoadmapPlanner, Source, VertexId, WorldId};
use psmp_lab::statistics::median;
use psmp_lab::sweep::{Contestant, Familiarity, SweepOptions, sweep};
use psmp_lab::{Problems, RecordedChecker, Row, checker_for};
use psmp_worlds::Dataset;
use rayon::prelude::*;

/// A published dataset, if it is there.
fn dataset(name: &str) -> Option<Dataset> {
    let folder = psmp_testdata::published(&format!("graph_collision_checking/{name}"))?;
    Some(Dataset::open(folder).unwrap())
}

/// The length of the shortest path of a world by another's algorithm.
fn shortest_by_petgraph(
    roadmap: &Roadmap,
    query: Query,
    table: &CollisionTable,
    world: WorldId,
) -> Option<f64> {
    assert_eq!(roadmap.direction(), Direction::Undirected);
    let mut graph = UnGraph::<(), f64>::default();
    for _ in roadmap.vertices() {
        graph.add_node(());
    }
    let node = |v: VertexId| NodeIndex::new(v.index());
    for id in roadmap.edge_ids().filter(|id| table.is_free(world, *id)) {
        let edge = roadmap.edge(id);
        graph.add_edge(node(edge.from), node(edge.to), edge.length);
    }
    let goal = node(query.goal);
    let lengths = dijkstra(&graph, node(query.start), Some(goal), |e| *e.weight());
    lengths.get(&goal).copied()
}

/// Sums in another order differ in their last digits.
fn equal(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * a.abs().max(b.abs())
}

/// What must hold of the best path whenever there is a better one.
fn check_path<E>(
    planner: &(dyn RoadmapPlanner<Error = E> + '_),
    dataset: &Dataset,
    query: Query,
    world: WorldId,
    length: f64,
) {
    let (roadmap, table) = (&dataset.roadmap, dataset.table().unwrap());
    let path = planner.best_path().unwrap();
    let vertices = path.vertices();
    assert_eq!(vertices.first(), Some(&query.start));
    assert_eq!(vertices.last(), Some(&query.goal));
    assert_eq!(vertices.len(), path.edges().len() + 1);
    let mut sum = 0.0;
    for (ends, &edge) in vertices.windows(2).zip(path.edges()) {
        let arc = roadmap.outgoing(ends[0]).find(|a| a.edge == edge);
        assert_eq!(arc.map(|a| a.target), Some(ends[1]), "connected");
        assert!(table.is_free(world, edge), "free");
        sum += roadmap.edge(edge).length;
    }
    assert!(equal(sum, length) && path.length() == length);
}

/// Drives one planner to its end and checks every step of it. Returns the final length.
fn check_run(
    dataset: &Dataset,
    world: WorldId,
    spec: PlannerSpec,
    checker: RecordedChecker,
    shortest: Option<f64>,
) -> Option<f64> {
    let query = dataset.query().unwrap();
    let setting = Setting {
        experience: Some(Familiarity::Seen.experience(dataset, world).unwrap()),
        seed: u64::from(world.0),
        ..Setting::new(&dataset.roadmap, query)
    };
    let mut planner = spec.build(&setting, Box::new(checker)).unwrap();
    let mut last = f64::INFINITY;
    let mut ending = None;
    while let Some(Ok(Event { kind, progress })) = planner.step(&Limit::NONE) {
        assert_eq!(ending, None, "an ending is the last event");
        // Without any path the bound may be anything, and in the end is infinite.
        if let Some(shortest) = shortest {
            assert!(
                progress.lower_bound <= shortest * (1.0 + 1e-9),
                "{spec} in world {}: bound {} over {shortest}",
                world.0,
                progress.lower_bound
            );
        }
        match kind {
            EventKind::Improved { length } => {
                assert!(length < last, "{spec}: {length} after {last}");
                last = length;
                check_path(planner.as_ref(), dataset, query, world, length);
            }
            kind if kind.is_final() => ending = Some(kind),
            _ => {}
        }
    }
    let expected = match shortest {
        Some(_) => EventKind::ShortestOnRoadmap,
        None => EventKind::NoPathOnRoadmap,
    };
    assert_eq!(ending, Some(expected), "{spec} in world {}", world.0);
    Some(last).filter(|length| length.is_finite())
}

/// All planners in every world, an edge a check; by image in every 100th world only, because images
/// take long to read and the nearest-neighbour belief long to ask once it has seen thousands of
/// configurations.
fn every_run_keeps_its_promises(name: &str) {
    let Some(dataset) = dataset(name) else { return };
    let table = dataset.table().unwrap();
    let query = dataset.query().unwrap();
    let planners: [PlannerSpec; 3] =
        ["lazysp", "psmp:fs", "pomp:nn"].map(|name| name.parse().unwrap());
    let check = |world: WorldId| {
        let shortest = shortest_by_petgraph(&dataset.roadmap, query, table, world);
        for spec in planners {
            let mut checkers = vec![RecordedChecker::by_edges(table, world)];
            if world.0.is_multiple_of(100) {
                let image = dataset.image(world).unwrap();
                assert!(image.is_some());
                checkers.push(checker_for(&dataset, world, image, None).unwrap());
            }
            for checker in checkers {
                let length = check_run(&dataset, world, spec, checker, shortest);
                match (length, shortest) {
                    (Some(length), Some(shortest)) => assert!(equal(length, shortest)),
                    (length, shortest) => assert_eq!(length, shortest),
                }
            }
        }
        shortest.is_some()
    };
    let worlds = (0..table.world_count() as u32).into_par_iter();
    let solvable = worlds.filter(|world| check(WorldId(*world))).count();
    eprintln!(
        "{name}: {solvable} of {} worlds solvable",
        table.world_count()
    );
    assert!(solvable > table.world_count() / 2);
}

#[test]
fn every_run_in_2d_1_keeps_its_promises() {
    every_run_keeps_its_promises("dataset_2d_1");
}

#[test]
fn every_run_in_2d_3_keeps_its_promises() {
    every_run_keeps_its_promises("dataset_2d_3");
}

#[test]
fn every_run_in_2d_5_keeps_its_promises() {
    every_run_keeps_its_promises("dataset_2d_5");
}

/// What planners do in the worlds of a dataset that are to plan in.
fn rows_of(dataset: &Dataset, planners: [&str; 2], familiarity: Familiarity) -> Vec<Row> {
    let worlds = dataset.test().unwrap().to_vec();
    let planners = planners.map(|p| Contestant {
        planner: p.parse().unwrap(),
        familiarity,
    });
    let tasks = [(dataset as &dyn Problems, worlds)];
    sweep(&tasks, &planners, &SweepOptions::default(), || {}).unwrap()
}

/// Without any experience: checking all edges of a path in part before one to its end, and what that is
/// worth. The figures are in BENCHMARKS.md; these bounds only keep them from getting lost.
#[test]
fn partial_checks_first_take_regret_away() {
    for (name, bar) in [("dataset_2d_1", 0.12), ("dataset_2d_3", 0.10)] {
        let Some(dataset) = dataset(name) else { return };
        let planners = ["ei:local", "ei:local:failfast"];
        let rows = rows_of(&dataset, planners, Familiarity::Unseen);
        let [coarse, whole] = planners.map(|planner| {
            let of_planner = rows.iter().filter(|row| row.planner == planner);
            let regrets: Vec<f64> = of_planner.filter_map(|row| row.regret).collect();
            regrets.iter().sum::<f64>() / regrets.len() as f64
        });
        eprintln!("{name}: regret {coarse:.3}, with whole edges {whole:.3}");
        assert!(coarse <= bar && coarse < 0.8 * whole, "{name}");
    }
}

/// Robots without images: an arm, a car and a helicopter. One who knows the worlds needs fewer
/// checks to the shortest path than the optimist who knows none.
#[test]
fn knowing_the_worlds_saves_checks_on_the_way_to_the_shortest_path() {
    for name in ["dataset_herb_1", "dataset_xyh_1", "dataset_heli_canyon_1"] {
        let Some(dataset) = dataset(name) else { return };
        let planners = ["psmp:fs", "lazysp"];
        let rows = rows_of(&dataset, planners, Familiarity::Seen);
        assert_eq!(rows.len(), 200);
        assert!(rows.iter().all(|row| row.unit == "edges"));
        let [psmp, lazysp] = planners.map(|planner| {
            let costs: Vec<f64> = rows
                .iter()
                .filter(|row| row.planner == planner && ended_rightly(row))
                .map(|row| row.cost_to_shortest.unwrap() as f64)
                .collect();
            let mean = costs.iter().sum::<f64>() / costs.len() as f64;
            (mean, median(costs.into_iter().map(Some)).unwrap())
        });
        eprintln!("{name}: mean and median {psmp:.1?} against {lazysp:.1?}");
        assert!(psmp.0 < lazysp.0 && psmp.1 < lazysp.1, "{name}");
    }
}

/// Whether the world has a path; the run must have found the shortest then, and must have said that
/// there is none otherwise.
fn ended_rightly(row: &Row) -> bool {
    let solvable = row.shortest_on_roadmap.is_some();
    assert_eq!(
        row.ending,
        if solvable {
            "shortest-on-roadmap"
        } else {
            "no-path-on-roadmap"
        }
    );
    assert_eq!(row.cost_to_shortest.is_some(), solvable);
    solvable
}

/// A belief that does its worst in a world.
type Belief<'a> = Adversary<Box<dyn Fn(EdgeId) -> bool + 'a>>;

/// Drives an insured planner to its certificate. Gives what it has spent and the cost of the dearest
/// path that its belief has proposed.
fn spent_insured<'a>(
    dataset: &'a Dataset,
    world: WorldId,
    proposer: impl Proposer<Belief<'a>>,
    wrong: Wrong,
    checker: RecordedChecker,
    insured: bool,
) -> (u64, u64) {
    let table = dataset.table().unwrap();
    let query = dataset.query().unwrap();
    let is_free: Box<dyn Fn(EdgeId) -> bool> = Box::new(move |e| table.is_free(world, e));
    let belief = Adversary::new(wrong, is_free);
    let roadmap = &dataset.roadmap;
    let mut planner =
        Planner::new(roadmap, query, proposer, belief, FailFast, checker).insured(insured);
    let mut dearest = 0;
    let mut last = None;
    while let Some(Ok(event)) = planner.next() {
        if matches!(event.kind, EventKind::Proposed { source, .. } if source != Source::Insurance) {
            let edges = planner.proposed_path().edges().to_vec();
            let checker = planner.checker_mut();
            dearest = dearest.max(edges.iter().map(|e| checker.cost_if_free(*e)).sum());
        }
        last = Some(event);
    }
    let last = last.unwrap();
    if insured {
        let shortest = roadmap.shortest_path(query, |e| table.is_free(world, e));
        match shortest {
            Some(shortest) => {
                assert_eq!(last.kind, EventKind::ShortestOnRoadmap);
                assert_eq!(last.progress.best_length, Some(shortest.length()));
            }
            None => assert_eq!(last.kind, EventKind::NoPathOnRoadmap),
        }
    }
    (last.progress.configurations, dearest)
}

/// An insured planner checks at most twice what LazySP would, plus one path that was proposed,
/// whatever it believes; one that is not insured may check more.
#[test]
fn no_belief_costs_more_than_twice_lazysp_and_one_path() {
    let mut dearer_without = 0;
    for name in [
        "dataset_2d_1",
        "dataset_2d_3",
        "dataset_2d_5",
        "dataset_herb_1",
        "dataset_xyh_1",
        "dataset_heli_canyon_1",
    ] {
        let Some(dataset) = dataset(name) else { return };
        let table = dataset.table().unwrap();
        let query = dataset.query().unwrap();
        let checker = |world: WorldId| {
            let image = dataset.image(world).unwrap();
            checker_for(&dataset, world, image, None).unwrap()
        };
        let run_all = |(world, wrong): (WorldId, Wrong)| {
            let belief = IndependentEdges::constant(1.0).unwrap();
            let (roadmap, optimist) = (&dataset.roadmap, checker(world));
            let mut lazysp = Planner::new(roadmap, query, LazySp, belief, Forward, optimist);
            let costs = checker(world);
            let mut its_dearest = 0;
            while let Some(Ok(_)) = lazysp.next() {
                let edges = lazysp.proposed_path().edges().iter();
                its_dearest = its_dearest.max(edges.map(|e| costs.cost_if_free(*e)).sum());
            }
            let lazysp = lazysp.progress().configurations;
            let holds = |proposer: &str, (spent, one_path): (u64, u64)| {
                assert!(
                    spent <= 2 * lazysp + one_path.max(its_dearest),
                    "{name}, {proposer}, {wrong:?}, world {}: {spent} for {lazysp} and {one_path}",
                    world.0 + 1
                );
            };
            let (d, w) = (&dataset, world);
            let ei = ExpectedImprovement::default();
            holds("ei", spent_insured(d, w, ei, wrong, checker(w), true));
            holds("psmp", spent_insured(d, w, Psmp, wrong, checker(w), true));
            let pomp = Pomp::default();
            holds("pomp", spent_insured(d, w, pomp, wrong, checker(w), true));
            let maxprob = MaxProb::default();
            holds(
                "maxprob",
                spent_insured(d, w, maxprob, wrong, checker(w), true),
            );
            let (spent, one_path) = spent_insured(d, w, Psmp, wrong, checker(w), false);
            usize::from(spent > 2 * lazysp + one_path.max(its_dearest))
        };
        let solvable = |w: &WorldId| {
            let is_free = |e| table.is_free(*w, e);
            dataset.roadmap.shortest_path(query, is_free).is_some()
        };
        let worlds = dataset.test().unwrap().iter().copied();
        let worlds: Vec<WorldId> = worlds.filter(solvable).take(2).collect();
        let tasks: Vec<(WorldId, Wrong)> = worlds
            .iter()
            .flat_map(|world| Wrong::ALL.map(|wrong| (*world, wrong)))
            .collect();
        let started = std::time::Instant::now();
        let dearer: usize = tasks.into_par_iter().map(run_all).sum();
        eprintln!(
            "{name}: uninsured PSMP spent more in {dearer} of 12 runs; {:.1?}",
            started.elapsed()
        );
        dearer_without += dearer;
    }
    assert!(dearer_without > 0);
}
