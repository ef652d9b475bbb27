//! What it costs to add vertices to a planner that is running, beside building it anew with them. Vertices
//! come in batches of 10, 100 and 1,000, with 15 edges each, onto roadmaps of 1,000, 10,000 and 100,000.
//!
//! A new vertex makes ways shorter for others, on a large roadmap for more of them than on a small one. These
//! are counted, and what a batch costs is divided by the vertices that are new or nearer to the goal: that is
//! what there is to be done. Ends with an error if a claim of the project does not hold: that this costs about
//! as much whatever the size of the roadmap, as appending to the roadmap alone does for each new vertex; and
//! that a batch of 10 costs a small share of building the largest anew.
//!
//! `cargo bench -p psmp --bench growth`

use psmp::belief::Local;
use psmp::checker::{BisectionChecker, WorldFn};
use psmp::proposer::ExpectedImprovement;
use psmp::search::OptimisticDistances;
use psmp::validator::CoarseToFine;
use psmp::{
    Direction, Edge, Growth, NewEdge, Planner, Query, Resolution, Roadmap, Space, VertexId, roadmap,
};
use std::time::{Duration, Instant};

const SIZES: [usize; 3] = [1_000, 10_000, 100_000];
const BATCHES: [usize; 3] = [10, 100, 1_000];
const EDGES: usize = 15;
/// How many times as much it may cost on the largest roadmap as on the smallest.
const MOST_BETWEEN_SIZES: f64 = 6.0;
/// What share of building anew a batch of 10 may cost on the largest.
const MOST_BESIDE_ANEW: f64 = 0.01;

/// What a batch has cost, in the middle of several.
#[derive(Clone, Copy)]
struct Cost {
    /// In the roadmap alone, for each new vertex.
    appended: Duration,
    /// In the planner.
    batch: Duration,
    /// In the planner, for each vertex that is new or nearer to the goal.
    settled: Duration,
    /// How many such vertices there are for each new one.
    settled_count: usize,
    /// Building all of it anew.
    anew: Duration,
}

fn main() {
    let costs = SIZES.map(measure);
    let [smallest, _, largest] = &costs;
    let share = largest[0].batch.as_secs_f64() / largest[0].anew.as_secs_f64();
    println!("10 vertices beside building anew: a share of {share:.5} (claim: {MOST_BESIDE_ANEW})");
    let mut good = share <= MOST_BESIDE_ANEW;
    for (count, (small, large)) in BATCHES.iter().zip(smallest.iter().zip(largest)) {
        let ratio = |of: fn(&Cost) -> Duration| of(large).as_secs_f64() / of(small).as_secs_f64();
        let (appended, settled) = (ratio(|cost| cost.appended), ratio(|cost| cost.settled));
        println!(
            "{count} at a time, the largest beside the smallest: {appended:.1} times in the roadmap, {settled:.1} times in the planner (claim: {MOST_BETWEEN_SIZES})"
        );
        good &= appended.max(settled) <= MOST_BETWEEN_SIZES;
    }
    if !good {
        eprintln!("error: a claimed ratio does not hold");
        std::process::exit(1);
    }
}

/// What batches of each size cost on a roadmap of this many vertices.
fn measure(size: usize) -> [Cost; 3] {
    // Fifteen neighbours each, as those that are added have.
    let radius = (EDGES as f64 / (std::f64::consts::PI * size as f64)).sqrt();
    let base = Roadmap::random_geometric(Space::unit(2), size, radius, 1)
        .expect("the parameters make sense");
    let roadmap = base.branch();
    let query = Query {
        start: nearest(&roadmap, [0.05, 0.05], 1)[0].0,
        goal: nearest(&roadmap, [0.95, 0.95], 1)[0].0,
    };
    let mut planner = begun(&roadmap, query);
    let mut distances = OptimisticDistances::new(&roadmap, query.goal);
    // The first batch of all makes room for those after it.
    let room = batch(&roadmap, 10, 2);
    let (_, first) = timed(|| planner.grow(&room).expect("it fits"));
    distances.grow();
    let alone = roadmap.branch();
    println!("{size} vertices: room is made in {first:?}");
    let mut seed = 2;
    BATCHES.map(|count| {
        let (mut appended, mut batches, mut settled) = (Vec::new(), Vec::new(), Vec::new());
        let mut settled_count = Vec::new();
        for _ in 0..(200 / count).max(5) {
            seed += 1;
            let growth = batch(&roadmap, count, seed);
            let (_, time) = timed(|| alone.grow(&growth).expect("it fits"));
            appended.push(time / count as u32);
            let before: Vec<f64> = roadmap.vertices().map(|v| distances.to_goal(v)).collect();
            let (_, time) = timed(|| planner.grow(&growth).expect("it fits"));
            distances.grow();
            let is_nearer = |(v, old): (VertexId, &f64)| distances.to_goal(v) < *old;
            let nearer = roadmap.vertices().zip(&before).filter(|pair| is_nearer(*pair));
            let touched = count + nearer.count();
            batches.push(time);
            settled.push(time / touched as u32);
            settled_count.push(touched / count);
        }
        let vertices = roadmap.vertex_count();
        let edges: Vec<Edge> = roadmap.edges().collect();
        let coordinates = roadmap.configurations().expect("there are").into_owned();
        let (_, anew) = timed(|| {
            let whole = Roadmap::from_edges(vertices, Direction::Undirected, edges)
                .and_then(|graph| graph.with_configurations(Space::unit(2), coordinates))
                .expect("as it was");
            begun(&whole, query)
        });
        let cost = Cost {
            appended: median(appended),
            batch: median(batches),
            settled: median(settled),
            settled_count: median(settled_count),
            anew,
        };
        println!(
            "  {count} at a time: {:?} a vertex in the roadmap; {:?} a batch in the planner, for each vertex {} that are new or nearer, {:?} each; anew {:?}",
            cost.appended, cost.batch, cost.settled_count, cost.settled, cost.anew,
        );
        cost
    })
}

fn median<T: Ord + Copy>(mut values: Vec<T>) -> T {
    values.sort_unstable();
    values[values.len() / 2]
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, Duration) {
    let started = Instant::now();
    let done = work();
    (done, started.elapsed())
}

type Running = Planner<
    ExpectedImprovement,
    Local,
    CoarseToFine,
    BisectionChecker<WorldFn<fn(&[f64]) -> bool>>,
>;

/// A planner that has made its first steps.
fn begun(roadmap: &Roadmap, query: Query) -> Running {
    fn is_free(q: &[f64]) -> bool {
        !(0.45..0.55).contains(&q[0]) || q[1] > 0.8
    }
    let resolution = Resolution::distance(0.001).expect("a resolution");
    let world = WorldFn(is_free as fn(&[f64]) -> bool);
    let checker = BisectionChecker::new(roadmap, resolution, world).expect("it has configurations");
    let belief = Local::new(roadmap).expect("it has configurations");
    let proposer = ExpectedImprovement::default();
    let mut planner =
        Planner::new(roadmap, query, proposer, belief, CoarseToFine, checker).insured(true);
    for event in planner.by_ref().take(5) {
        let Ok(_) = event;
    }
    planner
}

/// So many random vertices, each joined to its nearest among those that are there.
fn batch(roadmap: &Roadmap, count: usize, seed: u64) -> Growth {
    let coordinates = roadmap::uniform(&Space::unit(2), count, seed);
    let mut edges = Vec::with_capacity(count * EDGES);
    for (place, q) in coordinates.chunks_exact(2).enumerate() {
        let own = (roadmap.vertex_count() + place) as u32;
        for (other, length) in nearest(roadmap, [q[0], q[1]], EDGES) {
            edges.push(NewEdge {
                edge: Edge::new(own, other.0, length),
                free: None,
                proved: false,
            });
        }
    }
    Growth { coordinates, edges }
}

/// The vertices nearest to a place, and how far they are.
fn nearest(roadmap: &Roadmap, q: [f64; 2], count: usize) -> Vec<(VertexId, f64)> {
    let distance = |v: VertexId| {
        let at = roadmap.configuration(v).expect("built with configurations");
        (v, (at[0] - q[0]).hypot(at[1] - q[1]))
    };
    let mut all: Vec<(VertexId, f64)> = roadmap.vertices().map(distance).collect();
    all.select_nth_unstable_by(count - 1, |a, b| a.1.total_cmp(&b.1));
    all.truncate(count);
    all
}
