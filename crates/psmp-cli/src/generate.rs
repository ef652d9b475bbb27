//! `psmp generate`: a dataset of worlds made on the spot.

use crate::failure::{Mistake, Outcome};
use crate::{Common, show};
use anyhow::Result;
use clap::Args;
use psmp_lab::families::{BUGTRAP_FOREST, FAMILIES, Family};
use serde_json::json;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(
    after_help = "Families: one-wall, two-walls, forest, shifting-wall, maze, baffle, bugtrap, \
    bugtrap-forest.\n\nExamples:\n  \
    psmp generate maze -o mazes\n  \
    psmp generate one-wall --worlds 200 --seed 7 -o walls\n  \
    psmp info walls\n  \
    psmp bench walls --planners psmp:fs,lazysp"
)]
pub struct GenerateArgs {
    /// The family of worlds.
    #[arg(value_parser = parse_family)]
    family: Family,

    /// How many worlds to make. Each has a path: one without is drawn anew.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    worlds: u32,

    /// How many of them, the last ones, are to plan in; the others are to learn from. A tenth if
    /// not given.
    #[arg(long)]
    test: Option<u32>,

    /// The folder of the dataset, which is made.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

pub fn parse_family(name: &str) -> Result<Family, String> {
    Family::named(name).copied().ok_or_else(|| {
        let all = FAMILIES.iter().chain([&BUGTRAP_FOREST]);
        let names: Vec<&str> = all.map(|family| family.name).collect();
        format!(
            "there is no such family; choose one of {}",
            names.join(", ")
        )
    })
}

pub fn run(args: &GenerateArgs, common: Common) -> Result<Outcome> {
    let test = args.test.unwrap_or(args.worlds.div_ceil(10));
    if test > args.worlds {
        return Err(Mistake::error(
            format!("`--test {test}` is more than there are worlds"),
            format!("choose at most {}", args.worlds),
        ));
    }
    if std::fs::read_dir(&args.output).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Mistake::error(
            format!("the folder `{}` is not empty", args.output.display()),
            "name a new folder, so that no image of another dataset stays in it",
        ));
    }
    let family = args.family;
    let bar = show::progress(u64::from(args.worlds), "making worlds");
    let (worlds, test) = (args.worlds as usize, test as usize);
    let set = family.generate(worlds, test, common.seed, || bar.inc(1))?;
    bar.finish_and_clear();
    let bar = show::progress(u64::from(args.worlds), "writing images");
    set.write(&args.output, || bar.inc(1))?;
    bar.finish_and_clear();
    let (vertices, edges) = (set.roadmap.vertex_count(), set.roadmap.edge_count());
    if common.json {
        let facts = json!({"wrote": args.output, "family": family.name, "worlds": worlds,
            "train": set.train().len(), "test": set.test().len(), "seed": common.seed,
            "vertices": vertices, "edges": edges, "start": set.query.start.0 + 1,
            "goal": set.query.goal.0 + 1});
        println!("{facts}");
    } else {
        eprintln!(
            "wrote {worlds} worlds of family `{}` on a roadmap of {vertices} vertices and {edges} \
             edges to `{}`",
            family.name,
            args.output.display()
        );
    }
    Ok(Outcome::Done)
}
