//! Our RRTConnect, RRT* and BIT* against those of the Open Motion Planning Library itself, in the same
//! worlds, at the same resolution, every configuration asked about counted: medians must agree.
//!
//! It runs where a Python has the package `ompl`: the one that PSMP_PYTHON names, else the one that
//! `cargo xtask test` makes. The seeds are fixed on both sides, and so many that the medians of two
//! equal planners would hardly ever lie half as far apart as they may.
#![allow(clippy::unwrap_used, reason = "in a test an unwrap is an assertion")]

use psmp::checker::MotionChecker;
use psmp::trees::{
    BitStar, BitStarOptions, RrtConnect, RrtConnectOptions, RrtStar, RrtStarOptions, TreePlanner,
};
use psmp::{EventKind, Resolution, Space, Stop, Until, WorldId};
use psmp_lab::Problems;
use psmp_lab::families::Family;
use psmp_lab::statistics::median;
use psmp_worlds::{Dataset, OccupancyGrid};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::process::Command;

const RESOLUTION: f64 = 0.001;
/// How far medians may lie apart, as a share.
const TOLERANCE: f64 = 0.15;

/// A planner of ours, how often it plans in each world, and when a run ends that does not by itself.
struct Contest {
    name: &'static str,
    seeds: u64,
    budget: Option<u64>,
    make: for<'a> fn(MotionChecker<&'a OccupancyGrid>, [&[f64]; 2], u64) -> Any<'a>,
}
type Any<'a> = Box<dyn TreePlanner<Error = Infallible> + 'a>;

const CONTESTS: [Contest; 5] = [
    Contest {
        name: "rrtconnect, intermediate",
        seeds: 40,
        budget: None,
        make: |checker, [start, goal], seed| {
            let options = RrtConnectOptions::PUBLISHED;
            Box::new(RrtConnect::new(checker, start, goal, options, seed).unwrap())
        },
    },
    Contest {
        name: "rrtconnect",
        seeds: 40,
        budget: None,
        make: |checker, [start, goal], seed| {
            let options = RrtConnectOptions::ompl(checker.space());
            Box::new(RrtConnect::new(checker, start, goal, options, seed).unwrap())
        },
    },
    Contest {
        name: "rrtconnect, unlimited",
        seeds: 40,
        budget: None,
        make: |checker, [start, goal], seed| {
            let options = RrtConnectOptions {
                intermediate_states: false,
                ..RrtConnectOptions::PUBLISHED
            };
            Box::new(RrtConnect::new(checker, start, goal, options, seed).unwrap())
        },
    },
    Contest {
        name: "rrtstar",
        seeds: 40,
        budget: Some(20_000),
        make: |checker, [start, goal], seed| {
            let options = RrtStarOptions::for_space(checker.space());
            Box::new(RrtStar::new(checker, start, goal, options, seed).unwrap())
        },
    },
    Contest {
        name: "bitstar",
        seeds: 10,
        budget: Some(20_000),
        make: |checker, [start, goal], seed| {
            let options = BitStarOptions::default();
            Box::new(BitStar::new(checker, start, goal, options, seed).unwrap())
        },
    },
];

/// A Python that has OMPL, if there is one.
fn python() -> Option<PathBuf> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python = match std::env::var_os("PSMP_PYTHON") {
        // The gate names it from the workspace, and tests run in their crate.
        Some(named) => workspace.join(named),
        None => workspace.join("target/python/tests/bin/python"),
    };
    let asked = Command::new(&python)
        .args(["-c", "import ompl.geometric"])
        .output();
    if asked.is_ok_and(|answer| answer.status.success()) {
        return Some(python);
    }
    eprintln!(
        "SKIPPED: the comparison with OMPL, because `{}` is no Python with the package `ompl`; set \
         PSMP_PYTHON to one that has it",
        python.display()
    );
    None
}

/// The better paths of a run: what had been asked by then, and the length.
type Found = Vec<(u64, f64)>;

/// Medians of all runs: configurations to the first path, its length, and the length at the budget.
fn medians(runs: &[Found], budget: Option<u64>) -> Vec<(&'static str, f64)> {
    let solved: Vec<&Found> = runs.iter().filter(|found| !found.is_empty()).collect();
    assert_eq!(solved.len(), runs.len(), "all runs find a path");
    let of = |value: &dyn Fn(&Found) -> f64| {
        median(solved.iter().map(|found| Some(value(found)))).unwrap()
    };
    let mut medians = vec![
        ("configurations to the first path", of(&|f| f[0].0 as f64)),
        ("length of the first path", of(&|f| f[0].1)),
    ];
    if let Some(budget) = budget {
        // The first path counts however late it came.
        let at_budget = |found: &Found| {
            let mut in_time = found.iter().filter(|(asked, _)| *asked <= budget);
            in_time.next_back().unwrap_or(&found[0]).1
        };
        medians.push(("length at the budget", of(&at_budget)));
    }
    medians
}

/// A world, its start and its goal.
type Problem = (OccupancyGrid, [Vec<f64>; 2]);

#[test]
fn medians_agree_in_generated_worlds() {
    let Some(python) = python() else {
        return;
    };
    let mut worlds = Vec::new();
    for name in ["one-wall", "forest"] {
        let family = Family::named(name).unwrap();
        let set = family.generate(8, 0, 4, || {}).unwrap();
        let ends = [set.query.start, set.query.goal]
            .map(|vertex| set.roadmap.configuration(vertex).unwrap().to_vec());
        worlds.extend((0..8).map(|world| (set.image(WorldId(world)), ends.clone())));
    }
    compare(&python, &worlds);
}

/// The same in worlds of the published datasets.
#[test]
#[ignore = "takes a minute and adds little to the generated worlds"]
fn medians_agree_in_published_worlds() {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = std::env::var_os("PSMP_DATA")
        .map_or_else(|| workspace.join("../shared/data"), PathBuf::from);
    if !data.is_dir() {
        eprintln!(
            "SKIPPED: there is no real data at `{}`; set PSMP_DATA to the folder that has it",
            data.display()
        );
        return;
    }
    let Some(python) = python() else {
        return;
    };
    let mut worlds = Vec::new();
    for name in ["dataset_2d_1", "dataset_2d_3"] {
        let dataset = Dataset::open(data.join("graph_collision_checking").join(name)).unwrap();
        let query = dataset.query().unwrap();
        let ends = [query.start, query.goal]
            .map(|vertex| dataset.roadmap.configuration(vertex).unwrap().to_vec());
        let table = dataset.table().unwrap();
        let has_path = |world: &WorldId| {
            let free = |edge| table.is_free(*world, edge);
            dataset.roadmap.shortest_path(query, free).is_some()
        };
        let with_path = (0..1000).map(WorldId).filter(has_path).take(8);
        let image = |world| dataset.image(world).unwrap().unwrap();
        worlds.extend(with_path.map(|world| (image(world), ends.clone())));
    }
    compare(&python, &worlds);
}

/// Lets both sides plan in these worlds, prints their medians, and fails where they lie apart.
fn compare(python: &Path, worlds: &[Problem]) {
    let folder = tempfile::tempdir().unwrap();
    let mut described = Vec::new();
    for (number, (grid, [start, goal])) in worlds.iter().enumerate() {
        let mut cells = Vec::new();
        for row in 0..grid.height() {
            cells.extend((0..grid.width()).map(|column| u8::from(grid.is_cell_free(column, row))));
        }
        let name = format!("world_{number}.cells");
        std::fs::write(folder.path().join(&name), cells).unwrap();
        described.push(json!({
            "cells": name, "width": grid.width(), "height": grid.height(),
            "start": start, "goal": goal,
        }));
    }
    let planners: Vec<Value> = CONTESTS
        .iter()
        .map(|c| json!({"name": c.name, "seeds": c.seeds, "budget": c.budget}))
        .collect();
    let problems = json!({"resolution": RESOLUTION, "worlds": described, "planners": planners});
    std::fs::write(folder.path().join("problems.json"), problems.to_string()).unwrap();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ompl/run.py");
    let output = Command::new(python)
        .args([&script, folder.path()])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let mut theirs: BTreeMap<String, Vec<Found>> = BTreeMap::new();
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let row: Value = serde_json::from_str(line).unwrap();
        let found = serde_json::from_value(row["found"].clone()).unwrap();
        let runs = theirs.entry(row["planner"].as_str().unwrap().to_owned());
        runs.or_default().push(found);
    }

    let mut apart = Vec::new();
    for contest in CONTESTS {
        let mut ours = Vec::new();
        for (grid, [start, goal]) in worlds {
            for seed in 0..contest.seeds {
                let resolution = Resolution::distance(RESOLUTION).unwrap();
                let checker = MotionChecker::new(&Space::unit(2), resolution, grid).unwrap();
                let mut planner = (contest.make)(checker, [start, goal], seed);
                let stop = match contest.budget {
                    None => Stop::never(),
                    Some(budget) => {
                        (Stop::configurations(budget) & Stop::gap(f64::INFINITY))
                            | Stop::configurations(50 * budget)
                    }
                };
                let mut found = Found::new();
                for event in Until::new(planner.as_mut(), &stop) {
                    let Ok(event) = event;
                    if let EventKind::Improved { length } = event.kind {
                        found.push((event.progress.configurations, length));
                    }
                }
                ours.push(found);
            }
        }
        let theirs = medians(&theirs[contest.name], contest.budget);
        for ((what, our), (_, their)) in medians(&ours, contest.budget).iter().zip(theirs) {
            let share = our / their - 1.0;
            let line = format!(
                "{}: {what}: {our:.4} beside OMPL's {their:.4} ({:+.1}%)",
                contest.name,
                share * 100.0
            );
            eprintln!("{line}");
            if share.abs() > TOLERANCE {
                apart.push(line);
            }
        }
    }
    assert!(apart.is_empty(), "medians apart:\n{}", apart.join("\n"));
}
