//! A roadmap that grows under a planner: the end is that of the whole roadmap, and what is known stays known.

use crate::adversaries::{Adversary, Wrong};
use crate::problems::{Problem, shortest};
use proptest::prelude::*;
use psmp::belief::{Belief, Certain, Ensemble, IndependentEdges, Local, NearestNeighbour};
use psmp::checker::{
    BisectionChecker, Checker, EdgeCosts, EdgeMemory, Finding, Part, Sightings, TableChecker,
    Verdict, VerticesOnce, WorldFn, check_with,
};
use psmp::proposer::{ExpectedImprovement, LazySp, Pomp, Proposer, Psmp};
use psmp::validator::{CoarseToFine, FailFast, Forward};
use psmp::{
    CollisionTable, Direction, Draw, Edge, EdgeId, EdgeStatus, EventKind, Growth, NewEdge, Planner,
    Query, Resolution, Roadmap, RoadmapError, Space, Stop, VertexId, WorldId,
};
use std::convert::Infallible;

/// A problem taken apart: the roadmap of the first vertices and edges, and growths that make it whole. The
/// ids are those of the parts put together.
struct Parts {
    begun: Roadmap,
    growths: Vec<Growth>,
    query: Query,
    truth: Vec<bool>,
    /// The whole, built at once.
    whole: Roadmap,
}

impl Parts {
    /// Start and goal come first, then the other vertices in the order they have; where there are no
    /// configurations all vertices are there from the beginning. Of the new edges some are known, as often
    /// as `known` says.
    fn of(problem: &Problem, seed: u64, known: f64) -> Self {
        let random = Draw::new(seed, 77);
        let whole = &problem.roadmap;
        let Query { start, goal } = problem.query;
        let mut order: Vec<VertexId> = vec![start];
        order.extend((goal != start).then_some(goal));
        order.extend(whole.vertices().filter(|v| *v != start && *v != goal));
        let mut place = vec![VertexId(0); order.len()];
        for (new, old) in order.iter().enumerate() {
            place[old.index()] = VertexId(new as u32);
        }
        let mut coordinates: Vec<f64> = Vec::new();
        for v in &order {
            coordinates.extend(whole.configuration(*v).unwrap_or_default());
        }
        let dimension = whole.space().map_or(0, Space::dimension);
        // Each edge comes when both of its ends are there, or later.
        let steps = 1 + random.below(5, 0) as usize;
        let vertices_at = |step: usize| match dimension {
            0 => order.len(),
            _ => (2 + order.len().saturating_sub(2) * step / steps).min(order.len()),
        };
        let step_of = |edge: EdgeId, e: Edge| {
            let last = e.from.index().max(e.to.index());
            let first = (0..=steps).find(|s| last < vertices_at(*s)).unwrap();
            first + random.below((steps - first) as u64 + 1, 100 + u64::from(edge.0)) as usize
        };
        let mut edges: Vec<(usize, Edge, bool)> = (whole.edge_ids().zip(whole.edges()))
            .map(|(id, e)| {
                let e = Edge {
                    from: place[e.from.index()],
                    to: place[e.to.index()],
                    ..e
                };
                (step_of(id, e), e, problem.truth[id.index()])
            })
            .collect();
        edges.sort_by_key(|(step, ..)| *step);
        let build = |vertices: usize, edges: Vec<Edge>| {
            let graph = Roadmap::from_edges(vertices, whole.direction(), edges).unwrap();
            match whole.space() {
                Some(space) => graph
                    .with_configurations(
                        space.clone(),
                        coordinates[..vertices * dimension].to_vec(),
                    )
                    .unwrap(),
                None => graph,
            }
        };
        let of_step = |step: usize| edges.iter().filter(move |(s, ..)| *s == step);
        let growths = (1..=steps).map(|step| Growth {
            coordinates: coordinates
                [vertices_at(step - 1) * dimension..vertices_at(step) * dimension]
                .to_vec(),
            edges: of_step(step)
                .enumerate()
                .map(|(i, (_, edge, free))| NewEdge {
                    edge: *edge,
                    free: (random.unit((1000 * step + i) as u64) < known).then_some(*free),
                    proved: *free,
                })
                .collect(),
        });
        Self {
            begun: build(vertices_at(0), of_step(0).map(|(_, e, _)| *e).collect()),
            growths: growths.collect(),
            query: Query {
                start: place[start.index()],
                goal: place[goal.index()],
            },
            truth: edges.iter().map(|(.., free)| *free).collect(),
            whole: build(order.len(), edges.iter().map(|(_, e, _)| *e).collect()),
        }
    }
}

/// Checks a known truth in parts, and asserts that nothing is asked twice.
struct Once<'a> {
    truth: &'a [bool],
    seen: Vec<u64>,
}

impl<'a> Once<'a> {
    fn of(truth: &'a [bool]) -> Self {
        let seen = vec![0; truth.len()];
        Self { truth, seen }
    }
}

impl Checker for Once<'_> {
    type Error = Infallible;
    fn check(&mut self, part: Part<'_>, _: &mut Sightings) -> Result<Finding, Infallible> {
        let edge = part.edge;
        assert_eq!(self.seen[edge.index()], part.seen, "asked twice");
        let cost = self.cost_if_free(edge);
        let configurations = part.most.min(cost - part.seen);
        self.seen[edge.index()] += configurations;
        let is_done = part.seen + configurations == cost;
        Ok(Finding {
            free: is_done.then_some(self.truth[edge.index()]),
            configurations,
        })
    }
    fn cost_if_free(&self, edge: EdgeId) -> u64 {
        1 + u64::from(edge.0) % 7
    }
    fn grow(&mut self, _: &Growth) -> Result<(), RoadmapError> {
        Ok(())
    }
}

fn proposer<'a>(kind: u64) -> Box<dyn Proposer<Box<dyn Belief + 'a>>> {
    match kind % 4 {
        0 => Box::new(ExpectedImprovement::default()),
        1 => Box::new(Psmp),
        2 => Box::new(LazySp),
        _ => Box::new(Pomp::default()),
    }
}

fn belief<'a>(kind: u64, roadmap: &Roadmap, truth: &'a [bool]) -> Box<dyn Belief + 'a> {
    let has_configurations = roadmap.space().is_some();
    match kind % 6 {
        0 if has_configurations => Box::new(Local::new(roadmap).unwrap()),
        1 if has_configurations => Box::new(NearestNeighbour::new(roadmap, 10.0).unwrap()),
        2 => {
            let mut members: Vec<(Box<dyn Belief + Send>, f64)> = vec![
                (Box::new(IndependentEdges::constant(0.7).unwrap()), 0.0),
                // Of the edges that come later it knows nothing.
                (
                    Box::new(Certain::new(truth[..roadmap.edge_count()].to_vec())),
                    0.0,
                ),
            ];
            if has_configurations {
                members.push((Box::new(Local::new(roadmap).unwrap()), 0.0));
            }
            Box::new(Ensemble::new(roadmap.edge_count(), members))
        }
        3 => Box::new(Adversary::new(Wrong::Inverted, |e: EdgeId| {
            truth[e.index()]
        })),
        4 => Box::new(Adversary::new(Wrong::Fickle, |e: EdgeId| truth[e.index()])),
        _ => Box::new(IndependentEdges::constant(0.6).unwrap()),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    /// However it is put together, a planner that has grown step by step, stopped anywhere between, ends
    /// with the optimum of the whole roadmap; and at every growth its best path is the shortest over what
    /// is proved, if that is shorter than it was.
    #[test]
    fn growing_ends_with_the_optimum_of_the_whole(
        seed in any::<u64>(),
        kind in any::<u64>(),
        insured in any::<bool>(),
        known in prop_oneof![Just(0.0), Just(0.3), Just(1.0)],
    ) {
        let parts = Parts::of(&Problem::random(seed), seed, known);
        let (roadmap, query) = (parts.begun.branch(), parts.query);
        let belief = belief(kind / 8, &roadmap, &parts.truth);
        let checker = Once::of(&parts.truth);
        let coarse = kind.is_multiple_of(3);
        let validator: Box<dyn psmp::validator::Validator> =
            if coarse { Box::new(CoarseToFine) } else { Box::new(FailFast) };
        let mut planner = Planner::new(&roadmap, query, proposer(kind), belief, validator, checker)
            .insured(insured)
            .seed(seed);
        let random = Draw::new(seed, 5);
        for (step, growth) in parts.growths.iter().enumerate() {
            // Some of the time to the end, some of the time not at all.
            let events = random.below(30, step as u64) as usize;
            for event in planner.by_ref().take(events) {
                let Ok(_) = event;
            }
            let before = planner.best_path().map(|path| path.length());
            let is_better = planner.grow(growth).unwrap();
            let proved = |e: EdgeId| planner.ledger().is_proved(e);
            let joined = roadmap.shortest_path(query, proved).map(|path| path.length());
            let best = planner.best_path().map(|path| path.length());
            prop_assert_eq!(is_better, best != before);
            match (best, joined) {
                (None, None) => {}
                (Some(best), Some(joined)) => {
                    prop_assert!((best - joined).abs() <= 1e-9, "{best} {joined}");
                }
                other => prop_assert!(false, "{:?}", other),
            }
        }
        let mut last = None;
        while let Some(Ok(event)) = planner.next() {
            last = Some(event.kind);
        }
        let truth = |e: EdgeId| parts.truth[e.index()];
        let expected = shortest(&parts.whole, query, truth);
        let gave_up = last == Some(EventKind::GaveUp);
        prop_assert!(!(gave_up && insured));
        match (planner.best_path(), expected) {
            (None, None) => {}
            (Some(best), Some(expected)) => {
                prop_assert!((best.length() - expected).abs() < 1e-9);
                prop_assert!(best.edges().iter().all(|e| truth(*e)));
                prop_assert_eq!(Some(best.length()), planner.progress().best_length);
            }
            other => prop_assert!(false, "{:?}", other),
        }
        // What was known when it was added has cost nothing.
        let given = parts.growths.iter().flat_map(|g| &g.edges).filter(|e| e.free.is_some());
        let entries = planner.ledger().entries().len();
        prop_assert_eq!(planner.progress().edges, (entries - given.count()) as u64);
    }
}

/// What the insurance promises where the roadmap grows: at most twice what a LazySP spends that grows at
/// the same moments, and two paths.
#[test]
fn the_insurance_covers_growth() {
    let mut grown = 0;
    // Of geometric problems, where no two paths are equally long: there LazySP comes to its end where the
    // planner does.
    for seed in (0..800).step_by(2) {
        let parts = Parts::of(&Problem::random(seed), seed, 0.0);
        let (roadmap, query) = (parts.begun.branch(), parts.query);
        let wrong = Wrong::ALL[seed as usize / 2 % Wrong::ALL.len()];
        let belief = Adversary::new(wrong, |e: EdgeId| parts.truth[e.index()]);
        let checker = Once::of(&parts.truth);
        let proposer = ExpectedImprovement::default();
        let mut planner = Planner::new(&roadmap, query, proposer, belief, FailFast, checker)
            .insured(true)
            .seed(seed);
        let price = Once::of(&parts.truth);
        let mut dearest = 0;
        let mut growths = parts.growths.iter();
        loop {
            // Whole runs between growths, so that both grow at the same moments.
            while let Some(Ok(_)) = planner.next() {
                let edges = planner.proposed_path().edges().iter();
                dearest = dearest.max(edges.map(|e| price.cost_if_free(*e)).sum());
            }
            let Some(growth) = growths.next() else { break };
            planner.grow(growth).unwrap();
            grown += 1;
        }
        let alone = parts.begun.branch();
        let rosy = IndependentEdges::constant(1.0).unwrap();
        let checker = Once::of(&parts.truth);
        let mut lazysp = Planner::new(&alone, query, LazySp, rosy, Forward, checker);
        let mut growths = parts.growths.iter();
        loop {
            while let Some(Ok(_)) = lazysp.next() {
                let edges = lazysp.proposed_path().edges().iter();
                dearest = dearest.max(edges.map(|e| price.cost_if_free(*e)).sum());
            }
            let Some(growth) = growths.next() else { break };
            lazysp.grow(growth).unwrap();
        }
        let spent = planner.progress().configurations;
        let promised = 2 * lazysp.progress().configurations + 2 * dearest;
        assert!(spent <= promised, "seed {seed}: {spent} of {promised}");
    }
    assert!(grown > 400);
}

fn square(coordinates: &[f64], edges: &[(u32, u32, f64)]) -> Roadmap {
    let edges = edges.iter().map(|&(a, b, length)| Edge::new(a, b, length));
    Roadmap::from_edges(
        coordinates.len() / 2,
        Direction::Undirected,
        edges.collect(),
    )
    .unwrap()
    .with_configurations(Space::unit(2), coordinates.to_vec())
    .unwrap()
}

fn new_edge(a: u32, b: u32, length: f64, free: Option<bool>) -> NewEdge {
    NewEdge {
        edge: Edge::new(a, b, length),
        free,
        proved: free == Some(true),
    }
}

#[test]
fn branches_grow_apart_and_clones_together() {
    let one = square(&[0.0, 0.0, 1.0, 0.0], &[(0, 1, 1.0)]);
    let same = one.clone();
    let growth = Growth {
        coordinates: vec![0.5, 0.5],
        edges: vec![new_edge(0, 2, 0.8, None), new_edge(2, 1, 0.7, None)],
    };
    let apart = one.branch();
    one.grow(&growth).unwrap();
    assert!(one.is(&same) && !one.is(&apart));
    assert_eq!((same.vertex_count(), same.edge_count()), (3, 3));
    assert_eq!((apart.vertex_count(), apart.edge_count()), (2, 1));
    assert_eq!(same.configuration(VertexId(2)), Some(&[0.5, 0.5][..]));
    assert_eq!(same.edge(EdgeId(2)), Edge::new(2, 1, 0.7));
    assert_eq!(same.outgoing(VertexId(1)).count(), 2);
    assert_eq!(same.configurations().unwrap().len(), 6);
    // A branch of what has grown has all of it, and what comes then is its own.
    let later = one.branch();
    later
        .grow(&Growth {
            coordinates: vec![0.1, 0.1],
            edges: vec![new_edge(3, 2, 0.5, None), new_edge(0, 1, 0.9, None)],
        })
        .unwrap();
    assert_eq!((later.vertex_count(), later.edge_count()), (4, 5));
    assert_eq!(later.outgoing(VertexId(0)).count(), 3);
    assert_eq!((one.vertex_count(), one.edge_count()), (3, 3));
    assert_eq!(one.outgoing(VertexId(2)).count(), 2);
    let ends = Query {
        start: VertexId(0),
        goal: VertexId(1),
    };
    let length = |roadmap: &Roadmap| roadmap.shortest_path(ends, |_| true).unwrap().length();
    assert_eq!((length(&one), length(&later)), (1.0, 0.9));
    // A query can be joined to it, and configurations given anew.
    let connection = psmp::Connection::Nearest(2);
    let (joined, query) = later
        .with_query(&[0.2, 0.2], &[0.8, 0.8], connection)
        .unwrap();
    assert_eq!((joined.vertex_count(), query.start), (6, VertexId(4)));
    assert!(later.edges().eq(joined.edges().take(5)));
    let moved = later
        .clone()
        .with_configurations(Space::unit(2), vec![0.25; 8])
        .unwrap();
    assert_eq!(moved.configuration(VertexId(3)), Some(&[0.25, 0.25][..]));
    assert_eq!(moved.edge_count(), 5);
    assert_eq!(later.configuration(VertexId(3)), Some(&[0.1, 0.1][..]));
}

#[test]
fn what_does_not_fit_is_refused_and_changes_nothing() {
    let roadmap = square(&[0.0, 0.0, 1.0, 0.0], &[(0, 1, 1.0)]);
    let refused = |coordinates: Vec<f64>, edges: Vec<NewEdge>| {
        roadmap.grow(&Growth { coordinates, edges }).unwrap_err()
    };
    assert!(matches!(
        refused(vec![0.5, 0.5, 0.5], Vec::new()),
        RoadmapError::Coordinates { values: 3, .. }
    ));
    assert!(matches!(
        refused(vec![0.5, 0.5, 2.0, 0.5], Vec::new()),
        RoadmapError::OutOfBounds { vertex: 3, .. }
    ));
    assert!(matches!(
        refused(vec![0.5, 0.5], vec![new_edge(0, 3, 1.0, None)]),
        RoadmapError::VertexOutOfRange {
            edge: 1,
            vertex: 3,
            vertices: 3
        }
    ));
    assert!(matches!(
        refused(Vec::new(), vec![new_edge(0, 1, f64::NAN, None)]),
        RoadmapError::Length { edge: 1, .. }
    ));
    assert_eq!((roadmap.vertex_count(), roadmap.edge_count()), (2, 1));
    // A table knows only its edges: the planner refuses and stays as it was.
    let table = CollisionTable::from_rows(1, &[vec![true]]).unwrap();
    let checker = TableChecker::new(table, WorldId(0), EdgeCosts::One);
    let belief = Local::new(&roadmap).unwrap();
    let query = Query {
        start: VertexId(0),
        goal: VertexId(1),
    };
    let mut planner = Planner::new(&roadmap, query, LazySp, belief, FailFast, checker);
    let growth = Growth {
        coordinates: Vec::new(),
        edges: vec![new_edge(0, 1, 0.5, None)],
    };
    let error = planner.grow(&growth).unwrap_err().to_string();
    assert!(error.contains("table"), "{error}");
    assert_eq!(roadmap.edge_count(), 1);
    let last = planner.by_ref().last().unwrap().unwrap();
    assert_eq!(last.kind, EventKind::ShortestOnRoadmap);
    // Lengths alone carry no new vertices, but new edges.
    let bare = Roadmap::from_edges(2, Direction::Directed, Vec::new()).unwrap();
    assert!(
        bare.grow(&Growth {
            coordinates: vec![0.5],
            edges: Vec::new()
        })
        .is_err()
    );
    bare.grow(&growth).unwrap();
    assert_eq!(bare.outgoing(VertexId(0)).count(), 1);
    assert_eq!(
        (
            bare.outgoing(VertexId(1)).count(),
            bare.incoming(VertexId(1)).count()
        ),
        (0, 1)
    );
}

/// A run that is over goes on where growth gives it something to do, and only there.
#[test]
fn a_run_that_is_over_goes_on() {
    let roadmap = square(&[0.0, 0.0, 0.0, 1.0, 1.0, 0.0], &[(0, 1, 1.0), (1, 2, 1.5)]);
    let query = Query {
        start: VertexId(0),
        goal: VertexId(2),
    };
    let mut asked = Vec::new();
    let checker = check_with(|edge: EdgeId| -> Result<Verdict, Infallible> {
        asked.push(edge.0);
        Ok(Verdict {
            free: edge.0 != 0,
            configurations: 3,
        })
    });
    let belief = IndependentEdges::constant(0.9).unwrap();
    let mut planner = Planner::new(&roadmap, query, Psmp, belief, Forward, checker);
    let last = |planner: &mut dyn Iterator<Item = Result<psmp::Event, Infallible>>| {
        planner.last().map(|event| event.unwrap().kind)
    };
    assert_eq!(
        last(&mut planner.by_ref()),
        Some(EventKind::NoPathOnRoadmap)
    );
    let grow = |planner: &mut Planner<_, _, _, _>, edges: &[NewEdge]| {
        let growth = Growth {
            coordinates: Vec::new(),
            edges: edges.to_vec(),
        };
        planner.grow(&growth).unwrap()
    };
    // Nothing comes of this.
    assert!(!grow(&mut planner, &[new_edge(0, 1, 0.1, Some(false))]));
    assert_eq!(last(&mut planner.by_ref()), None);
    // A way that is to be checked.
    assert!(!grow(&mut planner, &[new_edge(0, 1, 3.0, None)]));
    assert_eq!(
        last(&mut planner.by_ref()),
        Some(EventKind::ShortestOnRoadmap)
    );
    assert_eq!(planner.best_path().unwrap().length(), 4.5);
    // A way that is known in part joins what is proved, at once and free of charge.
    let before = planner.progress();
    assert!(grow(&mut planner, &[new_edge(0, 1, 2.0, Some(true))]));
    assert_eq!(planner.best_path().unwrap().length(), 3.5);
    assert_eq!(last(&mut planner.by_ref()), None, "nothing can be shorter");
    assert_eq!(planner.progress().configurations, before.configurations);
    assert_eq!(planner.progress().edges, before.edges);
    // Longer than what there is: nothing to do.
    assert!(!grow(&mut planner, &[new_edge(0, 2, 3.6, None)]));
    assert_eq!(last(&mut planner.by_ref()), None);
    drop(planner);
    assert_eq!(asked, [0, 3, 1]);
}

/// A path in the midst of being checked is given up where growth gives a shorter one.
#[test]
fn a_path_that_is_no_longer_shorter_is_dropped() {
    let roadmap = square(
        &[0.0, 0.0, 0.5, 0.5, 1.0, 0.0],
        &[(0, 1, 1.0), (1, 2, 1.0), (0, 2, 5.0)],
    );
    let query = Query {
        start: VertexId(0),
        goal: VertexId(2),
    };
    for insured in [false, true] {
        let roadmap = roadmap.branch();
        let world = WorldFn(|_: &[f64]| true);
        let checker =
            BisectionChecker::new(&roadmap, Resolution::distance(0.01).unwrap(), world).unwrap();
        let belief = Local::new(&roadmap).unwrap();
        let proposer = ExpectedImprovement::default();
        let mut planner =
            Planner::new(&roadmap, query, proposer, belief, CoarseToFine, checker).insured(insured);
        assert_eq!(planner.promise(), None);
        // A check is broken off in the midst of an edge.
        for event in planner.until(&Stop::configurations(2)) {
            event.unwrap();
        }
        let promise = planner.promise().unwrap();
        assert!(promise > 0.0 && promise.is_finite(), "{promise}");
        assert!(planner.effort() > 0);
        let growth = Growth {
            coordinates: vec![0.5, 0.0],
            edges: vec![
                new_edge(0, 3, 0.5, Some(true)),
                new_edge(3, 2, 0.6, Some(true)),
            ],
        };
        assert!(planner.grow(&growth).unwrap());
        assert_eq!(planner.promise(), None);
        assert_eq!(planner.best_path().unwrap().edges(), [EdgeId(3), EdgeId(4)]);
        let events: Vec<EventKind> = planner.by_ref().map(|e| e.unwrap().kind).collect();
        assert_eq!(events, [EventKind::ShortestOnRoadmap]);
        // What is left to improve is worth more the likelier it is.
        assert_eq!(planner.ledger().status(EdgeId(3)), EdgeStatus::Free);
    }
}

/// What a path promises is its expected improvement for each configuration, by the formula.
#[test]
fn promises_are_by_the_formula() {
    let roadmap = square(&[0.0, 0.0, 0.5, 0.5, 1.0, 0.0], &[(0, 1, 0.7), (1, 2, 0.8)]);
    let query = Query {
        start: VertexId(0),
        goal: VertexId(2),
    };
    let checker = check_with(|_| -> Result<Verdict, Infallible> {
        Ok(Verdict {
            free: true,
            configurations: 1,
        })
    });
    let belief = IndependentEdges::constant(0.9).unwrap();
    let mut planner = Planner::new(&roadmap, query, LazySp, belief, Forward, checker);
    assert_eq!(planner.promise(), None);
    // Proposed, then one edge of two checked. The best counts as three times the optimist's path, and
    // refuting an edge costs no more than confirming it.
    for unchecked in [2, 1] {
        planner.next().unwrap().unwrap();
        let (p, price) = (0.9f64.powi(unchecked), f64::from(unchecked));
        let expected = p * (3.0 * 1.5 - 1.5) / (p * price + (1.0 - p) * 1.0);
        let promise = planner.promise().unwrap();
        assert!((promise - expected).abs() < 1e-12, "{promise} {expected}");
    }
    planner.next().unwrap().unwrap();
    assert_eq!(planner.promise(), Some(f64::INFINITY));
    planner.next().unwrap().unwrap();
    assert_eq!(planner.promise(), None);
}

/// Checkers and beliefs that look at configurations follow: new edges are checked as those of a roadmap
/// built at once, and vertices are not asked about twice.
#[test]
fn checkers_find_the_same_on_what_was_added() {
    let space = Space::unit(2);
    let problem = {
        let roadmap = Roadmap::random_geometric(space, 60, 0.3, 4).unwrap();
        Problem {
            query: Query {
                start: VertexId(0),
                goal: VertexId(1),
            },
            truth: vec![true; roadmap.edge_count()],
            roadmap,
        }
    };
    let parts = Parts::of(&problem, 3, 0.0);
    let world = || WorldFn(|q: &[f64]| (q[0] - 0.5).hypot(q[1] - 0.5) > 0.2);
    let resolution = Resolution::distance(0.01).unwrap();
    let grown = parts.begun.branch();
    let mut plain = BisectionChecker::new(&grown, resolution, world()).unwrap();
    let mut once = VerticesOnce::new(plain.clone(), []);
    for growth in &parts.growths {
        plain.grow(growth).unwrap();
        once.grow(growth).unwrap();
        grown.grow(growth).unwrap();
    }
    assert!(grown.edges().eq(parts.whole.edges()));
    assert!(parts.begun.edge_count() < grown.edge_count());
    let mut expected = BisectionChecker::new(&parts.whole, resolution, world()).unwrap();
    let mut blocked = 0;
    for edge in grown.edge_ids() {
        let part = Part::whole_of(edge);
        let Ok(expected) = expected.check(part, &mut Sightings::new(2));
        assert_eq!(plain.check(part, &mut Sightings::new(2)), Ok(expected));
        let Ok(found) = once.check(part, &mut Sightings::new(2));
        assert_eq!(found.free, expected.free);
        assert!(found.configurations <= expected.configurations);
        blocked += usize::from(expected.free == Some(false));
    }
    assert!(blocked > 10);
}

/// What was sighted elsewhere changes what is believed of edges near it, of those that were there and of
/// those that come later.
#[test]
fn sightings_are_believed_near_by() {
    let roadmap = square(
        &[0.1, 0.1, 0.3, 0.1, 0.9, 0.9, 0.7, 0.9],
        &[(0, 1, 0.2), (2, 3, 0.2)],
    );
    let mut sightings = Sightings::new(2);
    for step in 0..20 {
        sightings.push(
            &[0.1 + 0.01 * f64::from(step), 0.11],
            !(9..12).contains(&step),
        );
    }
    type Make = fn(&Roadmap) -> Box<dyn Belief>;
    let beliefs: [Make; 3] = [
        |roadmap| Box::new(Local::new(roadmap).unwrap()),
        |roadmap| Box::new(NearestNeighbour::new(roadmap, 100.0).unwrap()),
        |roadmap| {
            let local: Box<dyn Belief + Send> = Box::new(Local::new(roadmap).unwrap());
            Box::new(Ensemble::new(roadmap.edge_count(), vec![(local, 0.0)]))
        },
    ];
    for make in beliefs {
        let roadmap = roadmap.branch();
        let mut belief = make(&roadmap);
        let [near, far] = [0, 1].map(|e| belief.probability_free(EdgeId(e)));
        belief.sight(&sightings);
        assert!(belief.probability_free(EdgeId(0)) < 0.9 * near);
        assert!((belief.probability_free(EdgeId(1)) - far).abs() < 0.02);
        // The same edge again, which nobody had asked about when the sightings were made.
        let growth = Growth {
            coordinates: Vec::new(),
            edges: vec![new_edge(0, 1, 0.2, None), new_edge(2, 3, 0.2, None)],
        };
        roadmap.grow(&growth).unwrap();
        belief.grow(roadmap.edge_count());
        for edge in 0..2 {
            let [old, new] = [edge, edge + 2].map(|e| belief.probability_free(EdgeId(e)));
            assert!((old - new).abs() < 1e-12, "{old} {new}");
        }
    }
}

/// What was proved is not proved again, and only that.
#[test]
fn proofs_are_remembered() {
    let mut memory = EdgeMemory::default();
    memory.remember_proved(EdgeId(1));
    memory.remember(EdgeId(0), true);
    assert!(memory.is_proved(EdgeId(1)) && !memory.is_proved(EdgeId(0)));
    assert_eq!(memory.status(EdgeId(1)), Some(true));
    assert!(!memory.is_proved(EdgeId(7)));

    struct Proving(Vec<u32>);
    impl Checker for Proving {
        type Error = Infallible;
        fn check(&mut self, part: Part<'_>, _: &mut Sightings) -> Result<Finding, Infallible> {
            unreachable!("edge {} is known", part.edge.0)
        }
        fn prove(&mut self, edge: EdgeId, _: &psmp::Limit) -> Result<Finding, Infallible> {
            self.0.push(edge.0);
            Ok(Finding::UNQUESTIONED)
        }
    }
    let roadmap = square(&[0.0, 0.0, 0.5, 0.0, 1.0, 0.0], &[(0, 1, 0.5), (1, 2, 0.5)]);
    let query = Query {
        start: VertexId(0),
        goal: VertexId(2),
    };
    let belief = Local::new(&roadmap).unwrap();
    let checker = Proving(Vec::new());
    let mut planner =
        Planner::new(&roadmap, query, LazySp, belief, Forward, checker).knowing(&memory);
    for event in planner.by_ref() {
        event.unwrap();
    }
    assert_eq!(planner.checker_mut().0, [0]);
    let mut again = EdgeMemory::default();
    again.remember_all(planner.ledger());
    assert!(again.is_proved(EdgeId(0)) && again.is_proved(EdgeId(1)));
    again.forget_if(|edge, _| edge == EdgeId(1));
    assert!(again.is_proved(EdgeId(0)) && !again.is_proved(EdgeId(1)));
    again.remember(EdgeId(0), false);
    assert!(!again.is_proved(EdgeId(0)));
}
