//! How soon a large experience can be planned with, and in how much memory: 10,000 worlds of
//! 100,000 edges, read and verified in a process of its own, beside only reading the same file. Ends
//! with an error if what the project claims does not hold.
//!
//! `cargo bench -p psmp-files --bench table_file`

use psmp::belief::FiniteSet;
use psmp::checker::{EdgeCosts, TableChecker};
use psmp::proposer::Psmp;
use psmp::validator::FailFast;
use psmp::{
    CollisionTable, Connection, Direction, Draw, Edge, EdgeId, EventKind, Planner, Query, Roadmap,
    Space, VertexId, WorldId, roadmap,
};
use psmp_files::{read_table, write_table};
use std::error::Error;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Instant;

const WORLDS: u32 = 10_000;
const EDGES: usize = 100_000;
const OPENING_CLAIM_SECONDS: f64 = 1.0;
const MEMORY_CLAIM_MB: f64 = 400.0;

fn main() -> Result<(), Box<dyn Error>> {
    match std::env::args().nth(1).as_deref() {
        Some("plan") => plan(Path::new(&std::env::args().nth(2).ok_or("no file")?)),
        _ => measure(),
    }
}

/// The first 100,000 edges of a roadmap in the unit square.
fn roadmap() -> Result<Roadmap, Box<dyn Error>> {
    let space = Space::unit(2);
    let points = roadmap::halton(&space, 30_000);
    let near = Roadmap::from_configurations(space.clone(), points.clone(), Connection::Nearest(8))?;
    let edges: Vec<Edge> = near.edges().take(EDGES).collect();
    assert_eq!(edges.len(), EDGES);
    Ok(Roadmap::from_edges(30_000, Direction::Undirected, edges)?
        .with_configurations(space, points)?)
}

/// Worlds with a few round obstacles each: an edge is blocked if its first end lies in one.
fn table(roadmap: &Roadmap) -> CollisionTable {
    let mut table = CollisionTable::all_blocked(WORLDS as usize, EDGES);
    let at = |v: VertexId| roadmap.configuration(v).map_or([0.0; 2], |q| [q[0], q[1]]);
    for world in (0..WORLDS).map(WorldId) {
        let random = Draw::new(1, u64::from(world.0));
        let obstacles: [[f64; 2]; 6] =
            std::array::from_fn(|i| [random.unit(2 * i as u64), random.unit(2 * i as u64 + 1)]);
        for edge in roadmap.edge_ids() {
            let [x, y] = at(roadmap.edge(edge).from);
            let hit = |o: &[f64; 2]| (o[0] - x).powi(2) + (o[1] - y).powi(2) < 0.01;
            if !obstacles.iter().any(hit) {
                table.set(world, edge, true);
            }
        }
    }
    table
}

fn measure() -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("worlds.table");
    write_table(&file, &table(&roadmap()?))?;
    let megabytes = std::fs::metadata(&file)?.len() as f64 / 1e6;
    println!("table: {WORLDS} worlds, {EDGES} edges, {megabytes:.0} MB");
    let started = Instant::now();
    std::hint::black_box(std::fs::read(&file)?);
    println!("reading the file and nothing else: {:?}", started.elapsed());
    let child = Command::new(std::env::current_exe()?)
        .arg("plan")
        .arg(&file)
        .status()?;
    if child.success() {
        Ok(())
    } else {
        Err("a claim does not hold".into())
    }
}

/// What the child process does: open, plan, and tell its own peak memory.
fn plan(file: &Path) -> Result<(), Box<dyn Error>> {
    let started = Instant::now();
    let table = Arc::new(read_table(file)?);
    let opening = started.elapsed();
    let roadmap = roadmap()?;
    let nearest = |x: f64, y: f64| {
        let distance = |v: &VertexId| {
            roadmap
                .configuration(*v)
                .map_or(f64::INFINITY, |q| (q[0] - x).hypot(q[1] - y))
        };
        roadmap
            .vertices()
            .min_by(|a, b| distance(a).total_cmp(&distance(b)))
            .unwrap_or(VertexId(0))
    };
    let query = Query {
        start: nearest(0.02, 0.02),
        goal: nearest(0.7, 0.7),
    };
    // A world in which the optimist's path is blocked.
    let optimist = roadmap
        .shortest_path(query, |_| true)
        .ok_or("the roadmap is not connected")?;
    let blocked = |world: &WorldId| {
        let open = |edge: &EdgeId| table.is_free(*world, *edge);
        !optimist.edges().iter().all(open)
            && roadmap
                .shortest_path(query, |e| table.is_free(*world, e))
                .is_some()
    };
    let truth = (0..WORLDS)
        .map(WorldId)
        .find(blocked)
        .ok_or("every world is easy")?;
    let started = Instant::now();
    let checker = TableChecker::new(table.clone(), truth, EdgeCosts::One);
    let mut planner = Planner::new(
        &roadmap,
        query,
        Psmp,
        FiniteSet::new(table),
        FailFast,
        checker,
    );
    let last = planner.by_ref().last();
    let planning = started.elapsed();
    assert!(matches!(last, Some(Ok(event)) if event.kind == EventKind::ShortestOnRoadmap));
    println!(
        "opening: {opening:?} (claim: {OPENING_CLAIM_SECONDS} s); planning to the roadmap's shortest path: {planning:?}, {} edges checked, {} proposals",
        planner.progress().edges,
        planner.progress().proposals
    );
    let peak = peak_memory_mb()?;
    println!("peak resident memory, the table included: {peak:.0} MB (claim: {MEMORY_CLAIM_MB})");
    if opening.as_secs_f64() > OPENING_CLAIM_SECONDS || peak > MEMORY_CLAIM_MB {
        return Err("a claim does not hold".into());
    }
    Ok(())
}

fn peak_memory_mb() -> Result<f64, Box<dyn Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find(|l| l.starts_with("VmHWM:"))
        .ok_or("no VmHWM")?;
    let kilobytes: f64 = line.split_whitespace().nth(1).ok_or("no number")?.parse()?;
    Ok(kilobytes / 1e3)
}
