//! How fast a path is proposed, beside petgraph, and how fast optimistic distances are repaired,
//! beside computing them anew. Rivals run alternately in one process on the same worlds, so that
//! the ratio holds on a noisy machine. Ends with an error if a ratio that the project claims does
//! not hold.
//!
//! `cargo bench -p psmp --bench search`

use petgraph::graph::{NodeIndex, UnGraph};
use petgraph::visit::{EdgeFiltered, EdgeRef};
use psmp::belief::{Belief, IndependentEdges};
use psmp::checker::{Verdict, check_with};
use psmp::proposer::{LazySp, Psmp};
use psmp::search::OptimisticDistances;
use psmp::validator::{Bisect, FailFast};
use psmp::{Draw, EdgeId, EventKind, Planner, Query, Roadmap, Space, VertexId};
use std::convert::Infallible;
use std::time::{Duration, Instant};

const VERTICES: usize = 100_000;

fn main() {
    // Twenty neighbours each on average, so a million edges.
    let radius = (20.0 / (std::f64::consts::PI * VERTICES as f64)).sqrt();
    let roadmap = Roadmap::random_geometric(Space::unit(2), VERTICES, radius, 1)
        .expect("the parameters make sense");
    let nearest = |q: [f64; 2]| {
        let distance = |v: &VertexId| {
            let at = roadmap
                .configuration(*v)
                .expect("built with configurations");
            (at[0] - q[0]).hypot(at[1] - q[1])
        };
        roadmap
            .vertices()
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .expect("there are vertices")
    };
    let query = Query {
        start: nearest([0.05, 0.05]),
        goal: nearest([0.95, 0.95]),
    };
    println!(
        "roadmap: {} vertices, {} edges",
        roadmap.vertex_count(),
        roadmap.edge_count()
    );
    let mut good = true;
    for (blocked, claim) in [(0.05, 25.0), (0.30, 6.0)] {
        good &= propose(&roadmap, query, blocked, claim);
    }
    good &= repair(&roadmap, query);
    if !good {
        eprintln!("error: a claimed ratio does not hold");
        std::process::exit(1);
    }
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Times only the steps that propose a path in a drawn world, against petgraph's A* with the
/// Euclidean heuristic in the very same world. Each path is refuted at its first check.
fn propose(roadmap: &Roadmap, query: Query, blocked: f64, claim: f64) -> bool {
    let mut graph =
        UnGraph::<(), f64, u32>::with_capacity(roadmap.vertex_count(), roadmap.edge_count());
    for _ in roadmap.vertices() {
        graph.add_node(());
    }
    for e in roadmap.edges() {
        graph.add_edge(
            NodeIndex::new(e.from.index()),
            NodeIndex::new(e.to.index()),
            e.length,
        );
    }
    let at = |v: usize| {
        roadmap
            .configuration(VertexId(v as u32))
            .expect("built with configurations")
    };
    let goal = at(query.goal.index());

    let mut world = IndependentEdges::constant(1.0 - blocked).expect("a probability");
    let seed = 9;
    let refute = check_with(|_: EdgeId| {
        Ok::<_, Infallible>(Verdict {
            free: false,
            configurations: 1,
        })
    });
    let mut planner = Planner::new(roadmap, query, Psmp, world.clone(), Bisect, refute).seed(seed);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    // By turns in rounds, so that neither pays for the other's use of the caches at every step.
    for round in 0..4 {
        let mut worlds = Vec::new();
        for _ in 0..12 {
            let index = planner.progress().proposals;
            let known: Vec<EdgeId> = planner.ledger().entries().iter().map(|e| e.edge).collect();
            let started = Instant::now();
            let event = planner.next();
            let time = started.elapsed();
            let Some(Ok(event)) = event else {
                panic!("the run ended early")
            };
            let EventKind::Proposed { length, .. } = event.kind else {
                panic!("a path was expected, not {event:?}")
            };
            planner.next();
            worlds.push((index, known, length));
            // The first round warms the memory up.
            if round > 0 {
                ours.push(time);
            }
        }
        for (index, known, length) in worlds {
            world.draw(Draw::new(seed, index));
            let mut open: Vec<bool> = roadmap
                .edge_ids()
                .map(|edge| world.is_free_in_draw(edge))
                .collect();
            for edge in known {
                open[edge.index()] = false;
            }
            let filtered = EdgeFiltered::from_fn(&graph, |e| open[e.id().index()]);
            let started = Instant::now();
            let found = petgraph::algo::astar(
                &filtered,
                NodeIndex::new(query.start.index()),
                |v| v.index() == query.goal.index(),
                |e| *e.weight(),
                |v: NodeIndex| {
                    let q = at(v.index());
                    (q[0] - goal[0]).hypot(q[1] - goal[1])
                },
            );
            let time = started.elapsed();
            let (their_length, _) = found.expect("the same world has a path");
            assert!(
                (their_length - length).abs() < 1e-9,
                "the rivals disagree: {length} against {their_length}"
            );
            if round > 0 {
                theirs.push(time);
            }
        }
    }
    let (ours, theirs) = (median(ours), median(theirs));
    let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
    println!(
        "propose, {:.0}% blocked: psmp {ours:?}, petgraph astar {theirs:?}: {ratio:.1} times faster (claim: {claim})",
        blocked * 100.0
    );
    ratio >= claim
}

/// Blocks 200 edges one by one, the edges that LazySP finds blocked when one edge in ten is, and
/// repairs the distances each time.
fn repair(roadmap: &Roadmap, query: Query) -> bool {
    let truth = Draw::new(3, 0);
    let check = check_with(|edge: EdgeId| {
        Ok::<_, Infallible>(Verdict {
            free: truth.unit(u64::from(edge.0)) > 0.1,
            configurations: 1,
        })
    });
    let belief = IndependentEdges::constant(0.9).expect("a probability");
    let mut blocked = Vec::new();
    for event in Planner::new(roadmap, query, LazySp, belief, FailFast, check) {
        let Ok(event) = event;
        if let EventKind::Checked {
            edge, free: false, ..
        } = event.kind
        {
            blocked.push(edge);
        }
    }
    // LazySP may be done before; then edges near the straight line go on.
    let mut more = roadmap
        .edge_ids()
        .filter(|e| truth.unit(u64::from(e.0)) <= 0.1);
    while blocked.len() < 200 {
        blocked.extend(more.next());
    }
    blocked.truncate(200);

    let mut distances = OptimisticDistances::new(roadmap, query.goal);
    let started = Instant::now();
    for &edge in &blocked {
        distances.block(edge);
    }
    let repaired = started.elapsed() / 200;
    let mut anew = Vec::new();
    for _ in 0..9 {
        let started = Instant::now();
        std::hint::black_box(OptimisticDistances::new(roadmap, query.goal));
        anew.push(started.elapsed());
    }
    let anew = median(anew);
    let share = repaired.as_secs_f64() / anew.as_secs_f64();
    println!(
        "repair after one blocked edge, mean of 200: {repaired:?}, anew {anew:?}: a share of {share:.4} (claim: 0.1)"
    );
    share <= 0.1
}
