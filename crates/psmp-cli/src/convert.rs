//! `psmp convert`: between dataset folders, GraphML roadmaps and collision tables.

use crate::failure::{Mistake, Outcome, if_there};
use crate::{Common, say, show};
use anyhow::Result;
use clap::Args;
use psmp::{CollisionTable, Query, Roadmap, VertexId, WorldId};
use psmp_files::{read_table, write_table};
use psmp_lab::counted;
use psmp_worlds::{Dataset, DatasetParts, graphml};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    psmp convert dataset_2d_1 roadmap.graphml             the roadmap\n  \
    psmp convert dataset_2d_1 worlds.table                the collision table, a bit an entry\n  \
    psmp convert worlds.table dir --roadmap roadmap.graphml --start 15 --goal 25\n  \
    psmp convert dataset_2d_1 copy                        every part as text and as MAT-file")]
pub struct ConvertArgs {
    /// A dataset folder, a `.graphml` roadmap or a `.table` file.
    from: PathBuf,

    /// What to make: `.graphml`, `.table`, or a folder for a dataset.
    to: PathBuf,

    /// The roadmap that a `.table` belongs to.
    #[arg(long, value_name = "FILE.graphml")]
    roadmap: Option<PathBuf>,

    /// The start vertex of the new dataset, counted from 1.
    #[arg(long, value_name = "VERTEX", requires = "goal")]
    start: Option<u32>,

    /// The goal vertex of the new dataset, counted from 1.
    #[arg(long, value_name = "VERTEX", requires = "start")]
    goal: Option<u32>,
}

/// What was read.
enum Source {
    Dataset(Box<Dataset>),
    Roadmap(Roadmap),
    Table(CollisionTable, Option<Roadmap>),
}

fn is(path: &Path, ending: &str) -> bool {
    path.extension().is_some_and(|e| e == ending)
}

fn read(args: &ConvertArgs) -> Result<Source> {
    if args.from.is_dir() {
        return Ok(Source::Dataset(Box::new(Dataset::open(&args.from)?)));
    }
    if is(&args.from, "graphml") {
        return Ok(Source::Roadmap(graphml::read(&args.from)?));
    }
    if args.from.is_file() {
        let table = read_table(&args.from)?;
        let roadmap = args.roadmap.as_ref().map(graphml::read).transpose()?;
        return Ok(Source::Table(table, roadmap));
    }
    Err(Mistake::error(
        format!("there is no `{}`", args.from.display()),
        "convert from the folder of a dataset, a `.graphml` file or a `.table` file",
    ))
}

pub fn run(args: &ConvertArgs, common: Common) -> Result<Outcome> {
    let source = read(args)?;
    let what = if is(&args.to, "graphml") {
        to_graphml(&source, &args.to)?
    } else if is(&args.to, "table") {
        to_table(&source, &args.to)?
    } else if args.to.extension().is_some() && !args.to.is_dir() {
        return Err(Mistake::error(
            format!(
                "`{}` ends in no format that can be written",
                args.to.display()
            ),
            "end the name in `.graphml` or `.table`, or name a folder for a dataset",
        ));
    } else {
        to_dataset(&source, args)?
    };
    if common.json {
        let line = json!({"wrote": args.to, "content": what});
        writeln!(std::io::stdout(), "{line}")?;
    } else {
        say!("wrote {what} to `{}`", args.to.display());
    }
    Ok(Outcome::Done)
}

fn needs_roadmap() -> anyhow::Error {
    Mistake::error(
        "a collision table alone has no roadmap",
        "name the roadmap it belongs to: `--roadmap FILE.graphml`",
    )
}

fn to_graphml(source: &Source, to: &Path) -> Result<String> {
    let roadmap = match source {
        Source::Dataset(dataset) => &dataset.roadmap,
        Source::Roadmap(roadmap) => roadmap,
        Source::Table(_, roadmap) => roadmap.as_ref().ok_or_else(needs_roadmap)?,
    };
    graphml::write(to, roadmap)?;
    Ok(format!(
        "a roadmap of {} and {}",
        counted(roadmap.vertex_count(), "vertices"),
        counted(roadmap.edge_count(), "edges")
    ))
}

fn to_table(source: &Source, to: &Path) -> Result<String> {
    let table: &CollisionTable = match source {
        Source::Dataset(dataset) => dataset.table()?,
        Source::Table(table, _) => table,
        Source::Roadmap(_) => {
            return Err(Mistake::error(
                "a roadmap has no collision table",
                "convert from the folder of a dataset",
            ));
        }
    };
    write_table(to, table)?;
    Ok(format!(
        "a table of {} and {}",
        counted(table.world_count(), "worlds"),
        counted(table.edge_count(), "edges")
    ))
}

fn to_dataset(source: &Source, args: &ConvertArgs) -> Result<String> {
    let (roadmap, table): (&Roadmap, Option<&CollisionTable>) = match source {
        Source::Dataset(dataset) => {
            let table = if_there(dataset.table())?;
            (&dataset.roadmap, table.map(|table| &**table))
        }
        Source::Roadmap(roadmap) => (roadmap, None),
        Source::Table(table, roadmap) => (roadmap.as_ref().ok_or_else(needs_roadmap)?, Some(table)),
    };
    let vertex = |id: u32| {
        if id == 0 || id as usize > roadmap.vertex_count() {
            return Err(Mistake::error(
                format!("vertex {id} is not in the roadmap"),
                format!("its vertices are 1 to {}", roadmap.vertex_count()),
            ));
        }
        Ok(VertexId(id - 1))
    };
    let mut parts = DatasetParts::new(roadmap);
    parts.table = table;
    if let (Some(start), Some(goal)) = (args.start, args.goal) {
        parts.query = Some(Query {
            start: vertex(start)?,
            goal: vertex(goal)?,
        });
    }
    let (paths, assignment);
    let mut images = 0;
    if let Source::Dataset(dataset) = source {
        if parts.query.is_none() {
            parts.query = if_there(dataset.query())?;
        }
        parts.train = dataset.train();
        parts.test = dataset.test();
        paths = if_there(dataset.path_library())?;
        parts.path_library = paths.as_deref();
        assignment = if_there(dataset.world_library_assignment())?;
        parts.world_library_assignment = assignment.as_ref();
        Dataset::write(&args.to, &parts)?;
        images = copy_images(dataset, &args.to)?;
    } else {
        Dataset::write(&args.to, &parts)?;
    }
    Ok(format!(
        "a dataset of {}, {}, {} and {}",
        counted(roadmap.vertex_count(), "vertices"),
        counted(roadmap.edge_count(), "edges"),
        counted(table.map_or(0, CollisionTable::world_count), "worlds"),
        counted(images, "images")
    ))
}

/// Images are what they are in either folder: they are copied.
fn copy_images(dataset: &Dataset, to: &Path) -> Result<usize> {
    let count = dataset.image_count()?;
    if count == 0 {
        return Ok(0);
    }
    let bar = show::progress(count as u64, "copying images");
    Dataset::create_image_folder(to)?;
    let worlds = dataset.table().map_or(count, |table| table.world_count());
    let mut copied = 0;
    for world in (0..worlds as u32).map(WorldId) {
        if let Some(image) = dataset.image_path(world) {
            let bytes =
                std::fs::read(&image).map_err(|e| psmp_files::FileError::io(&image, "read", e))?;
            psmp_files::save(Dataset::image_path_in(to, world), &bytes)?;
            copied += 1;
            bar.inc(1);
        }
    }
    bar.finish_and_clear();
    Ok(copied)
}
