//! The event streams of planners, held against those that are known: a change of the code that changes
//! no result leaves every hash as it is.
//!
//! `event_streams.txt` has a line for each run. To write it anew, where a change is meant, run this
//! test with `PSMP_WRITE_STREAMS=1`, and say in the change why which lines differ.
#![allow(clippy::unwrap_used, reason = "in a test an unwrap is an assertion")]

use psmp::WorldId;
use psmp::by_name::PlannerSpec;
use psmp_lab::Problems;
use psmp_lab::families::{FAMILIES, ProblemSet};
use psmp_lab::sweep::{Contestant, Familiarity, SweepOptions, sweep};
use psmp_worlds::Dataset;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Worlds of a published set, and of a generated one.
const PUBLISHED: u32 = 3;
const GENERATED: usize = 40;

const DATASETS: [&str; 5] = [
    "dataset_2d_1",
    "dataset_2d_3",
    "dataset_2d_5",
    "dataset_herb_1",
    "dataset_heli_canyon_1",
];

/// Planners of the literature with every belief, and a few of ours.
const PLANNERS: [&str; 22] = [
    "psmp:fs",
    "psmp:soft",
    "psmp:latent",
    "psmp:ensemble",
    "psmp:freq",
    "psmp:0.9",
    "psmp:nn",
    "psmp:local",
    "pomp:fs",
    "pomp:soft",
    "pomp:latent",
    "pomp:nn",
    "pomp:local",
    "maxprob:fs",
    "maxprob+:fs",
    "maxprob:nn",
    "lazysp",
    "lazysp:fs",
    "psmp:fs:bisect:insured",
    "ei:ensemble",
    "ei:soft",
    "ei:local",
];

/// The beliefs among them that look at configurations, which some roadmaps have not.
const SPATIAL: [&str; 2] = [":nn", ":local"];

fn streams(problems: &dyn Problems, worlds: Vec<WorldId>, lines: &mut BTreeMap<String, String>) {
    let contestants: Vec<Contestant> = PLANNERS
        .iter()
        .filter(|name| {
            let is_spatial = SPATIAL.iter().any(|belief| name.contains(belief));
            !is_spatial || problems.roadmap().space().is_some()
        })
        .map(|name| Contestant {
            planner: name.parse::<PlannerSpec>().unwrap(),
            familiarity: Familiarity::Unseen,
        })
        .collect();
    let rows = sweep(
        &[(problems, worlds)],
        &contestants,
        &SweepOptions::default(),
        || {},
    )
    .unwrap();
    for row in rows {
        let run = format!("{} {} {}", row.dataset, row.world, row.planner);
        let stream = format!("{} {}", row.cost_total, row.events);
        assert!(lines.insert(run, stream).is_none());
    }
}

fn known(file: &Path) -> BTreeMap<String, String> {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    text.lines()
        .map(|line| {
            let (run, stream) = line.split_once(": ").unwrap();
            (run.to_owned(), stream.to_owned())
        })
        .collect()
}

fn published(name: &str) -> Option<Dataset> {
    let workspace = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let folder = match std::env::var_os("PSMP_DATA") {
        Some(folder) => PathBuf::from(folder),
        None => workspace.join("../shared/data"),
    };
    if !folder.is_dir() {
        eprintln!(
            "SKIPPED: there is no real data at `{}`; set PSMP_DATA to the folder that has it",
            folder.display()
        );
        return None;
    }
    Some(Dataset::open(folder.join("graph_collision_checking").join(name)).unwrap())
}

#[test]
fn no_event_of_any_planner_has_changed() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/event_streams.txt");
    let mut lines = BTreeMap::new();
    for name in DATASETS {
        if let Some(dataset) = published(name) {
            let test = dataset.test().map(<[WorldId]>::to_vec);
            let worlds = test.unwrap_or_else(|| (0..PUBLISHED).map(WorldId).collect());
            let worlds = worlds.into_iter().take(PUBLISHED as usize).collect();
            streams(&dataset, worlds, &mut lines);
        }
    }
    for family in FAMILIES {
        let problems = family.generate(GENERATED, 2, 1, || {}).unwrap();
        let worlds = ProblemSet::test(&problems).to_vec();
        streams(&problems, worlds, &mut lines);
    }
    if std::env::var_os("PSMP_WRITE_STREAMS").is_some() {
        let text: String = lines
            .iter()
            .map(|(run, stream)| format!("{run}: {stream}\n"))
            .collect();
        std::fs::write(&file, text).unwrap();
    }
    let known = known(&file);
    let changed: Vec<String> = lines
        .iter()
        .filter(|(run, stream)| known.get(*run) != Some(stream))
        .map(|(run, stream)| format!("{run}: {stream}, was {:?}", known.get(run)))
        .collect();
    assert!(lines.len() > 100);
    assert!(
        changed.is_empty(),
        "{} changed:\n{}",
        changed.len(),
        changed.join("\n")
    );
}
