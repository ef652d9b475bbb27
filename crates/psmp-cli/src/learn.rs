//! `psmp learn`: a belief made from known worlds, kept in a file, and added to after every query.

use crate::bench::{PreferArg, choose_worlds, numbered_worlds};
use crate::failure::{Mistake, Outcome};
use crate::{Common, planning, say, show};
use anyhow::Result;
use clap::Args;
use psmp::by_name::ModelCache;
use psmp::{CollisionTable, Experience, Roadmap, WorldId};
use psmp_files::{BeliefFile, check_writable, learned};
use psmp_lab::counted;
use psmp_worlds::{Dataset, ReadOptions, graphml};
use serde_json::json;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

#[derive(Debug, Args)]
#[command(
    override_usage = "psmp learn [OPTIONS] <DIR> --output <FILE>\n       psmp learn [OPTIONS] <TABLE> --roadmap <FILE.graphml> --output <FILE>\n       psmp learn --add <RUN>... <FILE>",
    after_help = "Examples:\n  \
    psmp learn dataset_2d_1 -o 2d_1.belief\n  \
    psmp plan --dataset dataset_2d_1 --world 17 --belief 2d_1.belief --outcomes run.json\n  \
    psmp learn --add run.json 2d_1.belief\n  \
    psmp learn clutter.table --roadmap clutter/roadmap.graphml -o clutter.belief\n\n\
    What is added is known where it was checked and missing elsewhere. A belief that is not there yet is\n\
    begun by the first run added to it. Several may add to one file at a time: each waits for its turn."
)]
pub struct LearnArgs {
    /// The folder of a dataset, or a collision table, to learn from; with `--add`, files written by `psmp plan --outcomes`
    /// and, last, the belief to add them to.
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<PathBuf>,

    /// Add runs to a belief.
    #[arg(long, conflicts_with_all = ["output", "worlds", "prefer"])]
    add: bool,

    /// Where to write the belief.
    #[arg(short, long, value_name = "FILE", required_unless_present = "add")]
    output: Option<PathBuf>,

    /// The roadmap of a collision table.
    #[arg(long, value_name = "FILE.graphml", conflicts_with = "add")]
    roadmap: Option<PathBuf>,

    /// Worlds to learn from: `train`, `test`, `all`, or ids such as `1,7,20-40`. Those for training
    /// if the dataset says which they are, otherwise all.
    #[arg(long)]
    worlds: Option<String>,

    /// Which of two twins of a file is read, text or MAT-file.
    #[arg(long, value_enum, default_value_t = PreferArg::Text)]
    prefer: PreferArg,
}

pub fn run(args: &LearnArgs, common: Common) -> Result<Outcome> {
    match (args.paths.as_slice(), &args.output) {
        ([runs @ .., file], None) => add(runs, file, common),
        ([folder], Some(file)) => learn(args, folder, file, common),
        _ => Err(Mistake::error(
            "a belief is learned from one dataset",
            "name one folder; to add runs to a belief, `psmp learn --add RUN... FILE`",
        )),
    }
}

/// A sign of life: how long learning takes cannot be known beforehand.
fn busy(words: &str) -> indicatif::ProgressBar {
    let bar = show::spinner(words);
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

fn learn(args: &LearnArgs, folder: &Path, file: &Path, common: Common) -> Result<Outcome> {
    check_writable(file)?;
    match (folder.is_file(), &args.roadmap) {
        (true, Some(roadmap)) => return learn_from_table(args, folder, roadmap, file, common),
        (true, None) => {
            return Err(Mistake::error(
                format!("`{}` alone has no roadmap", folder.display()),
                "name the roadmap it belongs to: `--roadmap FILE.graphml`",
            ));
        }
        (false, Some(_)) => {
            return Err(Mistake::error(
                format!("`{}` is no collision table", folder.display()),
                "leave out `--roadmap`, which a dataset has of its own",
            ));
        }
        (false, None) => {}
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

fn learn_from_table(
    args: &LearnArgs,
    table: &Path,
    roadmap: &Path,
    file: &Path,
    common: Common,
) -> Result<Outcome> {
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
    if common.json {
        let line = json!({
            "wrote": file,
            "worlds": worlds,
            "partly_known": partial,
            "edges": edges,
            "doubt": model.doubt(),
            "flip": model.flip(),
            "causes": belief.latent.is_some(),
        });
        writeln!(std::io::stdout(), "{line}")?;
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
