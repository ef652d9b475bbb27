//! Offices: the planner that grows its roadmap beside others, on fifty floors. How many floors each has solved, and how
//! many of them soon, after how many configurations it had its first path, and how long its path is after 20,000 more.
//! Ends with an error if the growing planner has not solved all.
//!
//! `cargo bench -p psmp-lab --bench office`; with a number, on so many floors:
//! `cargo bench -p psmp-lab --bench office -- 10`

use psmp::by_name::PlannerName;
use psmp::{Connection, EventKind, Query, Roadmap, Session, SessionOptions, Space, Stop, Until};
use psmp::{WorldId, roadmap};
use psmp_lab::families::OFFICE;
use psmp_worlds::OccupancyGrid;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// How many configurations each may check before it has a path, and how many afterwards to make it shorter.
const BUDGET: u64 = 1_000_000;
const AFTERWARDS: u64 = 20_000;
/// By so many most floors are to be solved.
const SOON: f64 = 100_000.0;

/// A floor, and where to plan from and to.
struct Floor {
    image: OccupancyGrid,
    ends: [Vec<f64>; 2],
}

impl Floor {
    /// The floor of this seed; none if all ways across it are closed.
    fn new(seed: u64) -> Option<Self> {
        let set = OFFICE.generate(1, 0, seed, || {}).ok()?;
        let world = WorldId(0);
        let image = set.image(world);
        let Query { start, goal } = set.query;
        let ends = [start, goal].map(|v| {
            let place = set.roadmap.configuration(v);
            place.expect("vertices are places").to_vec()
        });
        Some(Self { image, ends })
    }
}

/// What a planner has come to, floor by floor.
#[derive(Default)]
struct Results {
    /// Configurations to the first path, where one was found.
    first: Vec<f64>,
    /// The length in the end.
    length: Vec<f64>,
    time: Duration,
}

fn run(floor: &Floor, planner: PlannerName, roadmap: Option<&Roadmap>, results: &mut Results) {
    let options = SessionOptions {
        planner,
        roadmap: roadmap.cloned(),
        fixed_roadmap: roadmap.is_some(),
        settles: false,
        ..SessionOptions::default()
    };
    let space = Space::unit(2);
    let [start, goal] = [0, 1].map(|i| &floor.ends[i][..]);
    let began = Instant::now();
    let mut session = Session::in_space(&space, &floor.image, start, goal, options)
        .expect("start and goal are inside");
    let mut go = |most: u64, until_first: bool| {
        let mut last = None;
        for event in Until::new(&mut session, &Stop::configurations(most)) {
            // A roadmap may be out of reach; that is no path like any other.
            let Ok(event) = event else { break };
            if let EventKind::Improved { length } = event.kind {
                last = Some((event.progress.configurations, length));
                if until_first {
                    break;
                }
            }
        }
        last
    };
    let first = go(BUDGET, true);
    let last = first.map(|(configurations, length)| {
        let after = go(configurations + AFTERWARDS, false);
        after.map_or(length, |(_, shorter)| shorter)
    });
    results.time += began.elapsed();
    results.first.extend(first.map(|(first, _)| first as f64));
    results.length.extend(last);
}

/// The value below which this share of them lies; not a number if there are none.
fn quantile(values: &[f64], share: f64) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (share * sorted.len() as f64) as usize;
    sorted
        .get(place.min(sorted.len().saturating_sub(1)))
        .copied()
        .unwrap_or(f64::NAN)
}

fn main() -> ExitCode {
    let count = std::env::args().find_map(|argument| argument.parse().ok());
    let count: u64 = count.unwrap_or(50);
    let space = Space::unit(2);
    let points = roadmap::halton(&space, 2000);
    let fixed = Roadmap::from_configurations(space, points, Connection::Nearest(15))
        .expect("the points are in the space");
    let contestants = [
        ("ei:ensemble", None),
        ("rrtconnect", None),
        ("rrtconnect+shortcut", None),
        ("lazysp", Some(&fixed)),
    ];
    let mut results: [Results; 4] = Default::default();
    for floor in (0..).filter_map(Floor::new).take(count as usize) {
        for ((name, roadmap), results) in contestants.iter().zip(&mut results) {
            let planner = name.parse().expect("the name is right");
            run(&floor, planner, *roadmap, results);
        }
    }
    println!(
        "{:<22}{:>10}{:>16}{:>14}{:>10}{:>10}{:>16}{:>10}",
        "planner",
        "solved",
        "within 100,000",
        "first: median",
        "90 %",
        "most",
        "length: median",
        "seconds"
    );
    for ((name, roadmap), results) in contestants.iter().zip(&results) {
        let name = match roadmap {
            Some(roadmap) => format!("{name}, {} fixed", roadmap.vertex_count()),
            None => (*name).to_owned(),
        };
        let Results {
            first,
            length,
            time,
        } = results;
        println!(
            "{name:<22}{:>10}{:>16}{:>14.0}{:>10.0}{:>10.0}{:>16.4}{:>10.2}",
            format!("{} of {count}", first.len()),
            first.iter().filter(|first| **first <= SOON).count(),
            quantile(first, 0.5),
            quantile(first, 0.9),
            quantile(first, 1.0),
            quantile(length, 0.5),
            time.as_secs_f64() / count as f64,
        );
    }
    if results[0].first.len() as u64 == count {
        ExitCode::SUCCESS
    } else {
        eprintln!("the growing planner has not solved all of {count} floors");
        ExitCode::FAILURE
    }
}
