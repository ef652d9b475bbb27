//! `psmp generate`: worlds made on the spot, of a family of images or boxes, or of scenes for an arm.

use crate::failure::{Mistake, Outcome};
use crate::{Common, show};
use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use psmp_lab::arm_scenes::{SCENE_FAMILIES, SceneFamily};
use psmp_lab::counted;
use psmp_lab::families::Family;
use psmp_report::picture::ArmPicture;
use serde_json::json;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    psmp generate maze -o mazes\n  \
    psmp generate one-wall --worlds 200 --seed 7 -o walls\n  \
    psmp info walls\n  \
    psmp bench walls --planners psmp:fs,lazysp\n  \
    psmp learn walls/environment_images -o walls.belief\n  \
    psmp generate clutter --worlds 100 -o clutter\n  \
    psmp table --robot panda-like --scenes clutter --roadmap clutter/roadmap.graphml -o clutter.table\n  \
    psmp plan --robot panda-like --scene clutter/scene0001.yaml --request clutter/request0001.yaml\n  \
    psmp generate shelf --robot ur5-like --worlds 100 -o shelf")]
pub struct GenerateArgs {
    /// The family of worlds. Those for an arm are MoveIt scenes and requests: `clutter`, a table with
    /// things on it that an arm goes around, from below the table to above it, and `shelf`, boards with
    /// things on them that it reaches between, from two of them to the next two.
    #[arg(value_parser = kinds())]
    family: Kind,

    /// How many worlds to make. Each has a path: one without is drawn anew.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..))]
    worlds: u32,

    /// How many of them, the last ones, are to plan in; the others are to learn from. A tenth if
    /// not given.
    #[arg(long)]
    test: Option<u32>,

    /// The arm of `clutter` or `shelf`: panda-like, wam-like or ur5-like; panda-like if not given.
    #[arg(long, value_name = "NAME")]
    robot: Option<String>,

    /// The folder of the dataset or the scenes, which is made.
    #[arg(short, long, value_name = "DIR")]
    output: PathBuf,
}

/// What is made.
#[derive(Debug, Clone, Copy)]
enum Kind {
    /// A dataset of images or boxes.
    Worlds(Family),
    /// Scenes for an arm.
    Scenes(SceneFamily),
}

/// Families by their names, which shells are told too.
fn names() -> impl Iterator<Item = PossibleValue> {
    Family::all().map(|family| PossibleValue::new(family.name).help(family.about))
}

/// Families as arguments.
pub fn families() -> impl TypedValueParser<Value = Family> {
    let known = PossibleValuesParser::new(names());
    known.try_map(|name| {
        Family::named(&name)
            .copied()
            .ok_or("there is no such family")
    })
}

fn kinds() -> impl TypedValueParser<Value = Kind> {
    let scenes = SCENE_FAMILIES.map(|family| PossibleValue::new(family.name).help(family.about));
    let known = PossibleValuesParser::new(names().chain(scenes));
    known.try_map(|name| {
        let of_a_family = Family::named(&name).copied().map(Kind::Worlds);
        let around_an_arm = || SceneFamily::named(&name).map(Kind::Scenes);
        of_a_family
            .or_else(around_an_arm)
            .ok_or("there is no such family")
    })
}

pub fn run(args: &GenerateArgs, common: Common) -> Result<Outcome> {
    if std::fs::read_dir(&args.output).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Mistake::error(
            format!("the folder `{}` is not empty", args.output.display()),
            "name a new folder, so that no image of another dataset stays in it",
        ));
    }
    match args.family {
        Kind::Worlds(family) => of_a_family(args, family, common),
        Kind::Scenes(family) => around_an_arm(args, family, common),
    }
}

fn of_a_family(args: &GenerateArgs, family: Family, common: Common) -> Result<Outcome> {
    if args.robot.is_some() {
        return Err(Mistake::error(
            format!("the worlds of family `{}` are for no arm", family.name),
            "leave out `--robot`, or generate `clutter` or `shelf`",
        ));
    }
    let test = args.test.unwrap_or(args.worlds.div_ceil(10));
    if test > args.worlds {
        return Err(Mistake::error(
            format!("`--test {test}` is more than there are worlds"),
            format!("choose at most {}", args.worlds),
        ));
    }
    let bar = show::progress(u64::from(args.worlds), "making worlds");
    let (worlds, test) = (args.worlds as usize, test as usize);
    let set = family.generate(worlds, test, common.seed, || bar.inc(1))?;
    bar.finish_and_clear();
    let bar = show::progress(u64::from(args.worlds), "writing worlds");
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
            "wrote {} of family `{}` on a roadmap of {} and {} to `{}`",
            counted(worlds, "worlds"),
            family.name,
            counted(vertices, "vertices"),
            counted(edges, "edges"),
            args.output.display()
        );
    }
    Ok(Outcome::Done)
}

fn around_an_arm(args: &GenerateArgs, family: SceneFamily, common: Common) -> Result<Outcome> {
    if args.test.is_some() {
        return Err(Mistake::error(
            format!("`--test` does not go with `{}`", family.name),
            "leave it out, and choose by name which scenes to learn from",
        ));
    }
    let robot = args.robot.as_deref().unwrap_or("panda-like");
    let scenes = family.around(robot)?;
    let bar = show::progress(u64::from(args.worlds), "making worlds");
    let worlds = scenes.worlds(args.worlds as usize, common.seed, || bar.inc(1))?;
    bar.finish_and_clear();
    scenes.write(&args.output, &worlds, || {})?;
    let picture = args.output.join(format!("{}.png", family.name));
    if let Some(first) = worlds.first() {
        ArmPicture {
            title: &format!("{} for {robot}, world 1 of {}", family.title, worlds.len()),
            subtitle: &format!("seed {}", common.seed),
            arm: &scenes.arm,
            scene: first,
            path: &[&scenes.start, &scenes.goal],
            moves: false,
        }
        .write(&picture)?;
    }
    let (vertices, edges) = (scenes.roadmap.vertex_count(), scenes.roadmap.edge_count());
    if common.json {
        let facts = json!({"wrote": args.output, "family": family.name, "robot": robot,
            "worlds": worlds.len(), "seed": common.seed, "vertices": vertices, "edges": edges,
            "start": scenes.query.start.0 + 1, "goal": scenes.query.goal.0 + 1,
            "picture": picture});
        println!("{facts}");
    } else {
        eprintln!(
            "wrote {} with their requests for `{robot}`, and a roadmap of {} and {}, to `{}`",
            counted(worlds.len(), "scenes"),
            counted(vertices, "vertices"),
            counted(edges, "edges"),
            args.output.display()
        );
    }
    Ok(Outcome::Done)
}
