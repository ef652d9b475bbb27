//! `psmp learn`: a belief made from known worlds, kept in a file, and added to after every query. Known
//! worlds are maps of one's own, the worlds of a dataset, or a collision table.

use crate::bench::{PreferArg, choose_worlds, numbered_worlds};
use crate::failure::{Mistake, Outcome};
use crate::plan::{self, Sampler};
use crate::{Common, numbers, planning, say, show};
use anyhow::Result;
use clap::Args;
use psmp::by_name::ModelCache;
use psmp::{CollisionTable, Experience, Resolution, Roadmap, Space, WorldId};
use psmp_files::{BeliefFile, check_writable, learned};
use psmp_lab::{MapSet, counted, resolution_in, usual_map_resolution};
use psmp_worlds::{Dataset, MapFile, ReadOptions, graphml};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(
    override_usage = "psmp learn [OPTIONS] <MAP|DIR>... --output <FILE>\n       psmp learn [OPTIONS] <DATASET> --output <FILE>\n       psmp learn [OPTIONS] <TABLE> --roadmap <FILE.graphml> --output <FILE>\n       psmp learn --add <RUN>... <FILE>",
    after_help = "Examples:\n  \
    psmp learn maps/*.png -o office.belief\n  \
    psmp learn monday tuesday --robot-radius 0.3 --vertices 2000 -o office.belief\n  \
    psmp plan --map new.png --start 0.1,0.1 --goal 0.9,0.9 --belief office.belief\n  \
    psmp learn dataset_2d_1 -o 2d_1.belief\n  \
    psmp plan --dataset dataset_2d_1 --world 17 --belief 2d_1.belief --outcomes run.json\n  \
    psmp learn --add run.json 2d_1.belief\n  \
    psmp learn clutter.table --roadmap clutter/roadmap.graphml -o clutter.belief\n\n\
    Maps are pictures (PNG, PGM, JPEG; white is free) or ROS maps (YAML), one by one or by their folders: of a\n\
    folder its ROS maps, or else its pictures. All must cover the same part of the plane, in however many\n\
    pixels. The roadmap goes into the belief's file, so that planning takes nothing else. What is stopped goes on\n\
    where it was when the same command is given again.\n\n\
    What is added is known where it was checked and missing elsewhere. A belief that is not there yet is\n\
    begun by the first run added to it. Several may add to one file at a time: each waits for its turn."
)]
pub struct LearnArgs {
    /// Maps and folders of maps to learn from, or the folder of a dataset, or a collision table; with `--add`, files
    /// written by `psmp plan --outcomes` and, last, the belief to add them to.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Add runs to a belief.
    #[arg(long, conflicts_with_all = ["output", "worlds", "prefer"])]
    add: bool,

    /// Where to write the belief.
    #[arg(short, long, value_name = "FILE", required_unless_present = "add")]
    output: Option<PathBuf>,

    /// The roadmap of a collision table, or one to check in all maps instead of a new one.
    #[arg(long, value_name = "FILE.graphml", conflicts_with = "add")]
    roadmap: Option<PathBuf>,

    /// How many vertices a new roadmap for maps has; 500 if not given.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=5_000_000), allow_negative_numbers = true, conflicts_with_all = ["add", "roadmap"])]
    vertices: Option<u32>,

    /// The radius of a round robot in maps, in their units; a point if not given.
    #[arg(long, value_name = "RADIUS", value_parser = numbers::not_negative, allow_negative_numbers = true, conflicts_with = "add")]
    robot_radius: Option<f64>,

    /// What the outermost pixels' centres of pictures map to. If not given, pixels are as wide as high and the
    /// longer side runs from 0 to 1.
    #[arg(long, value_name = "X0,X1,Y0,Y1", value_parser = numbers::bounds, allow_hyphen_values = true, conflicts_with = "add")]
    bounds: Option<[f64; 4]>,

    /// The distance between the configurations of an edge that are checked in maps; a hundredth of the longest
    /// side if not given. What lies between them is proved.
    #[arg(long, value_name = "DISTANCE", value_parser = numbers::positive, allow_negative_numbers = true, conflicts_with = "add")]
    resolution: Option<f64>,

    /// Worlds to learn from: `train`, `test`, `all`, or ids such as `1,7,20-40`. Those for training
    /// if the dataset says which they are, otherwise all.
    #[arg(long)]
    worlds: Option<String>,

    /// Which of two twins of a file is read, text or MAT-file.
    #[arg(long, value_enum, default_value_t = PreferArg::Text)]
    prefer: PreferArg,
}

pub fn run(args: &LearnArgs, common: Common) -> Result<Outcome> {
    let paths = args.paths.as_slice();
    let file = match (&args.output, paths) {
        (Some(file), _) => file,
        (None, [runs @ .., file]) => return add(runs, file, common),
        (None, []) => unreachable!("a path is required"),
    };
    check_writable(file)?;
    match paths {
        [folder] if Dataset::is_one(folder) => from_dataset(args, folder, file, common),
        [table] if table.is_file() && !MapFile::is_named(table) => {
            from_table(args, table, file, common)
        }
        several if several.iter().any(Dataset::is_one) => Err(Mistake::error(
            "a belief is learned from one dataset, or from maps",
            "name one folder of a dataset, or folders of maps alone",
        )),
        maps => from_maps(args, maps, file, common),
    }
}

/// A sign of life: how long learning takes cannot be known beforehand.
fn busy(words: &str) -> indicatif::ProgressBar {
    let bar = show::spinner(words);
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

/// Sees that no option is given that is of no use here.
fn refuse(options: &[(bool, &str)], what: &str) -> Result<()> {
    match options.iter().find(|(is_given, _)| *is_given) {
        Some((_, option)) => Err(Mistake::error(
            format!("`{option}` is of no use where {what} is learned from"),
            format!("leave out `{option}`"),
        )),
        None => Ok(()),
    }
}

impl LearnArgs {
    /// Options that only maps have a use for.
    fn of_maps(&self) -> [(bool, &'static str); 4] {
        [
            (self.vertices.is_some(), "--vertices"),
            (self.robot_radius.is_some(), "--robot-radius"),
            (self.bounds.is_some(), "--bounds"),
            (self.resolution.is_some(), "--resolution"),
        ]
    }
}

/// Checks a roadmap in maps, and learns from what is found.
fn from_maps(args: &LearnArgs, given: &[PathBuf], file: &Path, common: Common) -> Result<Outcome> {
    refuse(&[(args.worlds.is_some(), "--worlds")], "maps")?;
    let bounds = args.bounds.map(|[x0, x1, y0, y1]| [[x0, x1], [y0, y1]]);
    let radius = args.robot_radius.unwrap_or(0.0);
    let maps = MapSet::open(MapFile::find(given)?, bounds, radius)?;
    let roadmap = match &args.roadmap {
        Some(file) => plan::read_plane_roadmap(file)?,
        None => plan::build_roadmap(&maps.space()?, args.vertices, None, Sampler::Halton, 0)?,
    };
    let space = roadmap.space().cloned().unwrap_or_else(|| Space::unit(2));
    let usual = usual_map_resolution(&space);
    let resolution = resolution_in(&space, Some(args.resolution.unwrap_or(usual)))?;
    let mut parts = file.to_owned().into_os_string();
    parts.push(".parts");
    let parts = PathBuf::from(parts);
    end_when_interrupted(&maps, &roadmap, resolution, &parts)?;
    let bar = show::progress(maps.count() as u64, "checking the roadmap in maps");
    let table = maps.check(&roadmap, resolution, &parts, || {
        bar.inc(1);
        true
    })?;
    bar.finish_and_clear();
    let bar = busy(&format!("learning from {}", counted(maps.count(), "maps")));
    let setting = maps.setting(&roadmap, resolution);
    learned::learn_maps(file, setting, &table.into(), &ModelCache::default())?;
    bar.finish_and_clear();
    maps.clean(&roadmap, resolution, &parts)?;
    tell(file, common)
}

/// Sees that Ctrl-C ends the command at once and says what is left of it: maps that are done are kept at a
/// stroke.
fn end_when_interrupted(
    maps: &MapSet,
    roadmap: &Roadmap,
    resolution: Resolution,
    parts: &Path,
) -> Result<()> {
    let (maps, roadmap, parts) = (maps.clone(), roadmap.clone(), parts.to_owned());
    ctrlc::set_handler(move || {
        say!(
            "stopped: {} of {} are checked and kept in `{}`; run the same command again to go on",
            maps.finished(&roadmap, resolution, &parts),
            counted(maps.count(), "maps"),
            parts.display()
        );
        std::process::exit(Outcome::Stopped.code().into());
    })?;
    Ok(())
}

fn from_dataset(args: &LearnArgs, folder: &Path, file: &Path, common: Common) -> Result<Outcome> {
    refuse(&args.of_maps(), "a dataset")?;
    if args.roadmap.is_some() {
        return Err(Mistake::error(
            format!("`{}` is no collision table", folder.display()),
            "leave out `--roadmap`, which a dataset has of its own",
        ));
    }
    let read = ReadOptions {
        prefer: args.prefer.into(),
        ..ReadOptions::default()
    };
    let dataset = Dataset::open_with(folder, read)?;
    let table = dataset.table()?;
    let worlds: Vec<WorldId> = match (&args.worlds, dataset.train()) {
        (Some(worlds), _) => choose_worlds(worlds, &dataset)?,
        (None, Some(train)) => train.to_vec(),
        (None, None) => (0..table.world_count() as u32).map(WorldId).collect(),
    };
    keep(file, &dataset.roadmap, table.clone(), worlds, common)
}

/// Learns from known worlds and tells what was learned.
fn keep(
    file: &Path,
    roadmap: &Roadmap,
    table: impl Into<Arc<CollisionTable>>,
    worlds: Vec<WorldId>,
    common: Common,
) -> Result<Outcome> {
    let bar = busy(&format!(
        "learning from {}",
        counted(worlds.len(), "worlds")
    ));
    let experience = Experience::of(table, worlds);
    learned::learn(file, roadmap, &experience, &ModelCache::default())?;
    bar.finish_and_clear();
    tell(file, common)
}

fn from_table(args: &LearnArgs, table: &Path, file: &Path, common: Common) -> Result<Outcome> {
    refuse(&args.of_maps(), "a table")?;
    let Some(roadmap) = &args.roadmap else {
        return Err(Mistake::error(
            format!("`{}` alone has no roadmap", table.display()),
            "name the roadmap it belongs to: `--roadmap FILE.graphml`",
        ));
    };
    let roadmap = graphml::read(roadmap)?;
    let name = table.display().to_string();
    let table = planning::read_table_of(table, &roadmap)?;
    let chosen = args.worlds.as_deref().unwrap_or("all");
    let worlds = numbered_worlds(chosen, &name, table.world_count() as u32)?;
    keep(file, &roadmap, table, worlds, common)
}

fn add(runs: &[PathBuf], file: &Path, common: Common) -> Result<Outcome> {
    if runs.is_empty() {
        return Err(Mistake::error(
            format!("no run is named to add to `{}`", file.display()),
            "name runs and then the belief: `psmp learn --add RUN... FILE`",
        ));
    }
    let bar = busy(&format!("adding {}", counted(runs.len(), "runs")));
    learned::add(file, runs)?;
    bar.finish_and_clear();
    tell(file, common)
}

/// What the file holds now.
fn tell(file: &Path, common: Common) -> Result<Outcome> {
    let belief = BeliefFile::open(file)?;
    let table = &belief.table;
    let (worlds, edges) = (table.world_count(), table.edge_count());
    let count = |world: u32| {
        let row = table.known_edges_in(WorldId(world));
        row.map_or(edges, |row| {
            row.iter().map(|w| w.count_ones() as usize).sum()
        })
    };
    let partial = (0..worlds as u32).filter(|w| count(*w) < edges).count();
    let model = belief.soft_set;
    let free = show::share_free(table);
    if common.json {
        let mut line = json!({
            "wrote": file,
            "worlds": worlds,
            "partly_known": partial,
            "edges": edges,
            "free": free,
            "doubt": model.doubt(),
            "flip": model.flip(),
            "causes": belief.latent.is_some(),
        });
        if let Some(maps) = &belief.maps {
            line["vertices"] = json!(maps.roadmap.vertex_count());
            line["robot_radius"] = json!(maps.robot_radius);
            line["resolution"] = json!(maps.resolution);
            line["bounds"] = json!(maps.area.bounds);
        }
        writeln!(std::io::stdout(), "{line}")?;
    } else if let Some(maps) = &belief.maps {
        say!(
            "wrote a belief of {} and its roadmap of {} and {}, of which {} are free, to `{}`",
            counted(worlds, "maps"),
            counted(maps.roadmap.vertex_count(), "vertices"),
            counted(edges, "edges"),
            show::percent(free),
            file.display()
        );
    } else {
        say!(
            "wrote a belief of {}, {partial} of them known in part, and {} to `{}`",
            counted(worlds, "worlds"),
            counted(edges, "edges"),
            file.display()
        );
    }
    Ok(Outcome::Done)
}
