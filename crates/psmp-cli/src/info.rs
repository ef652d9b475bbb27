//! `psmp info`: what a map, a dataset, a roadmap, a collision table, a belief or a kept run holds.

use crate::failure::{Mistake, Outcome, if_there};
use crate::{Common, show};
use anyhow::Result;
use clap::Args;
use psmp::{CollisionTable, Direction, Roadmap, WorldId};
use psmp_files::{BeliefFile, Kept, read_table};
use psmp_worlds::{Dataset, MapFile, OccupancyGrid, graphml};
use serde_json::{Value, json};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(
    after_help = "Examples:\n  psmp info office.png\n  psmp info office.yaml\n  psmp info dataset_2d_1\n  psmp info roadmap.graphml --json\n  psmp info worlds.table\n  psmp info mazes.belief\n  psmp info office.keep"
)]
pub struct InfoArgs {
    /// A map (PNG, PGM or JPEG image, or a ROS YAML file), the folder of a dataset, a `.graphml` roadmap, a collision table made by `psmp convert`, a
    /// belief made by `psmp learn`, or what `psmp plan --keep` has left.
    path: PathBuf,
}

pub fn run(args: &InfoArgs, common: Common) -> Result<Outcome> {
    let facts = if args.path.is_dir() {
        dataset(&args.path)?
    } else if args.path.extension().is_some_and(|e| e == "graphml") {
        roadmap(&graphml::read(&args.path)?)
    } else if args.path.is_file() && MapFile::is_named(&args.path) {
        map(&MapFile::open(&args.path)?.grid(None)?)
    } else if BeliefFile::is_one(&args.path) {
        belief(&BeliefFile::open(&args.path)?)
    } else if Kept::is_one(&args.path) {
        kept(&Kept::open(&args.path)?)
    } else if args.path.is_file() {
        let table = read_table(&args.path)?;
        vec![("table", experience(&table))]
    } else {
        return Err(Mistake::error(
            format!("there is no `{}`", args.path.display()),
            "name a map, the folder of a dataset, a `.graphml` file, a collision table, a belief or a kept run",
        ));
    };
    if common.json {
        let object: serde_json::Map<String, Value> = facts
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value))
            .collect();
        show::json(&object)?;
    } else {
        let mut out = std::io::stdout().lock();
        for (name, value) in facts {
            writeln!(out, "{:<14} {}", name.replace('_', " "), in_words(&value))?;
        }
    }
    Ok(Outcome::Done)
}

/// Facts in words: objects as `name value` pairs.
fn in_words(value: &Value) -> String {
    match value {
        Value::Object(fields) => fields
            .iter()
            .filter(|(_, v)| !v.is_null())
            .map(|(name, v)| format!("{} {}", name.replace('_', " "), in_words(v)))
            .collect::<Vec<_>>()
            .join(", "),
        Value::Array(values) => {
            // Two numbers are an interval; intervals, one for each axis, span a box.
            let between = match values.first() {
                Some(Value::Array(_)) => " by ",
                _ => " to ",
            };
            values
                .iter()
                .map(in_words)
                .collect::<Vec<_>>()
                .join(between)
        }
        Value::String(text) => text.clone(),
        Value::Number(n) if n.is_f64() => format!("{:.4}", n.as_f64().unwrap_or(f64::NAN)),
        Value::Null => "none".to_owned(),
        other => other.to_string(),
    }
}

type Facts = Vec<(&'static str, Value)>;

fn roadmap(roadmap: &Roadmap) -> Facts {
    let pieces = roadmap.components();
    let degrees = roadmap.degrees();
    let lengths = roadmap.edges().map(|e| e.length);
    let bounds = |space: &psmp::Space| -> Vec<Value> {
        let axes = space.axes().iter();
        axes.map(|a| json!([a.lower(), a.upper()])).collect()
    };
    vec![
        (
            "roadmap",
            json!({
                "vertices": roadmap.vertex_count(),
                "edges": roadmap.edge_count(),
                "direction": match roadmap.direction() {
                    Direction::Undirected => "undirected",
                    Direction::Directed => "directed",
                },
            }),
        ),
        (
            "components",
            json!({"count": pieces.count(), "largest": pieces.largest()}),
        ),
        (
            "degree",
            json!({"least": degrees.least, "mean": degrees.mean, "most": degrees.most}),
        ),
        (
            "edge_length",
            json!({"least": lengths.clone().reduce(f64::min), "most": lengths.reduce(f64::max)}),
        ),
        (
            "configurations",
            match roadmap.space() {
                Some(space) => json!({"dimension": space.dimension(), "bounds": bounds(space)}),
                None => Value::Null,
            },
        ),
    ]
}

fn experience(table: &CollisionTable) -> Value {
    json!({
        "worlds": table.world_count(),
        "edges": table.edge_count(),
        "share_free": show::share_free(table),
    })
}

/// What was learned, and from what.
fn kept(file: &Kept) -> Facts {
    let Kept { first, known, .. } = file;
    let free = known.known().filter(|(_, free)| *free).count();
    let proved = known.known().filter(|(edge, _)| known.is_proved(*edge));
    let facts = [
        ("began_with", json!(first.to_string())),
        (
            "known_edges",
            json!({"free": free, "of_them_proved": proved.count(), "blocked": known.known().count() - free}),
        ),
        ("objects", json!(file.world.things.len())),
    ];
    let about = file.belief.iter().flat_map(belief);
    let all = facts.into_iter().chain(roadmap(&file.roadmap));
    all.chain(about).collect()
}

/// What a map is, where it lies, and how much of it is free.
fn map(grid: &OccupancyGrid) -> Facts {
    let (width, height) = (grid.width(), grid.height());
    let rows = (0..height).flat_map(|row| (0..width).map(move |column| (column, row)));
    let free = rows.filter(|(column, row)| grid.is_cell_free(*column, *row));
    let share = free.count() as f64 / (f64::from(width) * f64::from(height));
    vec![
        (
            "map",
            json!({"width": width, "height": height, "share_free": share}),
        ),
        ("bounds", json!(grid.bounds())),
        ("cell", json!(grid.area().cell)),
    ]
}

fn belief(file: &BeliefFile) -> Facts {
    let table = &file.table;
    let known: u64 = table
        .worlds()
        .map(|world| match table.known_edges_in(world) {
            Some(row) => row.iter().map(|word| u64::from(word.count_ones())).sum(),
            None => table.edge_count() as u64,
        })
        .sum();
    let entries = (table.world_count() * table.edge_count()).max(1) as f64;
    let weights = file.weights.iter();
    let weights: serde_json::Map<String, Value> = weights
        .map(|(member, weight)| (member.to_string(), json!(weight)))
        .collect();
    let causes = file.latent.as_ref();
    let mut facts = vec![
        ("belief_about", json!(file.roadmap.to_string())),
        (
            "known_worlds",
            json!({"count": table.world_count(), "share_known": known as f64 / entries}),
        ),
        (
            "soft_set",
            json!({"doubt": file.soft_set.doubt(), "flip": file.soft_set.flip()}),
        ),
        (
            "hidden_causes",
            causes.map_or(Value::Null, |l| json!(l.rank())),
        ),
        ("log_weights", Value::Object(weights)),
    ];
    if let Some(maps) = &file.maps {
        facts.push((
            "maps",
            json!({"robot_radius": maps.robot_radius, "resolution": maps.resolution, "bounds": maps.area.bounds}),
        ));
        facts.extend(roadmap(&maps.roadmap));
    }
    facts
}

fn dataset(folder: &Path) -> Result<Facts> {
    let dataset = Dataset::open(folder)?;
    let mut facts = vec![("dataset", json!(dataset.name))];
    facts.extend(roadmap(&dataset.roadmap));
    if dataset.roadmap.direction() == Direction::Directed {
        facts.push(("both_ways", both_ways(&dataset.roadmap)));
    }
    let table = if_there(dataset.table())?;
    facts.push((
        "table",
        table.map_or(Value::Null, |table| experience(table)),
    ));
    facts.push((
        "split",
        json!({"train": dataset.train().map(<[_]>::len), "test": dataset.test().map(<[_]>::len)}),
    ));
    facts.push(("images", json!(dataset.image_count()?)));
    let query = if_there(dataset.query())?;
    facts.push((
        "query",
        query.map_or(
            Value::Null,
            |q| json!({"start": q.start.0 + 1, "goal": q.goal.0 + 1}),
        ),
    ));
    if let (Some(table), Some(query)) = (table, query) {
        let mut lengths = Vec::new();
        for world in (0..table.world_count() as u32).map(WorldId) {
            let open = |edge| table.is_free(world, edge);
            lengths.extend(
                dataset
                    .roadmap
                    .shortest_path(query, open)
                    .map(|p| p.length()),
            );
        }
        lengths.sort_by(f64::total_cmp);
        facts.push((
            "solvable",
            json!({
                "worlds": lengths.len(),
                "of": table.world_count(),
                "shortest_on_roadmap": lengths.first().zip(lengths.last()).map(|(a, b)| json!([a, b])),
            }),
        ));
    }
    Ok(facts)
}

/// How many pairs of edges run between the same vertices in opposite directions.
fn both_ways(roadmap: &Roadmap) -> Value {
    let pairs = roadmap
        .edges()
        .filter(|e| e.from < e.to)
        .filter(|e| roadmap.outgoing(e.to).any(|arc| arc.target == e.from))
        .count();
    json!({"pairs": pairs})
}
