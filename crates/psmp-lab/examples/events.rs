//! Plans in a world of a dataset and prints every event, numbers to the last bit, so that another
//! program can be held against it: `events FOLDER WORLD SEED`, the world counted from 1.

use psmp::belief::FiniteSet;
use psmp::proposer::Psmp;
use psmp::validator::FailFast;
use psmp::{Event, EventKind, Planner, Source, WorldId};
use psmp_lab::{Problems, checker_for};
use psmp_worlds::Dataset;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [folder, world, seed] = &arguments[..] else {
        return Err("usage: events FOLDER WORLD SEED".into());
    };
    let dataset = Dataset::open(folder)?;
    let world = WorldId(
        world
            .parse::<u32>()?
            .checked_sub(1)
            .ok_or("worlds count from 1")?,
    );
    let checker = checker_for(&dataset, world, dataset.image(world)?, None)?;
    let belief = FiniteSet::new(dataset.table()?.clone());
    let query = dataset.query()?;
    let planner = Planner::new(&dataset.roadmap, query, Psmp, belief, FailFast, checker);
    for event in planner.seed(seed.parse()?) {
        println!("{}", line(&event?));
    }
    Ok(())
}

fn line(event: &Event) -> String {
    let number = |x: Option<f64>| x.map_or("-".to_owned(), |x| format!("{:016x}", x.to_bits()));
    let what = match event.kind {
        EventKind::Proposed { length, source } => {
            let source = match source {
                Source::Proposer => "proposer",
                Source::Fallback => "fallback",
                Source::Insurance => "insurance",
                _ => "other",
            };
            format!("proposed {} {source} - - -", number(Some(length)))
        }
        EventKind::NoImprovement => "no-improvement - - - - -".to_owned(),
        EventKind::Checked {
            edge,
            free,
            configurations,
        } => format!("checked - - {} {free} {configurations}", edge.0),
        EventKind::Proved {
            edge,
            free,
            configurations,
        } => format!("proved - - {} {free} {configurations}", edge.0),
        EventKind::PartlyChecked {
            edge,
            configurations,
        } => format!("partly-checked - - {} - {configurations}", edge.0),
        EventKind::Probed {
            free,
            configurations,
        } => format!("probed - - - {free} {configurations}"),
        EventKind::Improved { length } => format!("improved {} - - - -", number(Some(length))),
        EventKind::ShortestOnRoadmap => "shortest-on-roadmap - - - - -".to_owned(),
        EventKind::NoPathOnRoadmap => "no-path-on-roadmap - - - - -".to_owned(),
        EventKind::StraightLine => "straight-line - - - - -".to_owned(),
        EventKind::GaveUp => "gave-up - - - - -".to_owned(),
        other => format!("{other:?} - - - - -"),
    };
    let p = event.progress;
    let (best, bound) = (number(p.best_length), number(Some(p.lower_bound)));
    format!(
        "{what} {} {} {} {best} {bound}",
        p.configurations, p.edges, p.proposals
    )
}
