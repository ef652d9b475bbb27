//! `psmp table`: which edges of an arm's roadmap are free in which scenes.

use crate::failure::{Mistake, Outcome};
use crate::{Common, arms, numbers, say, show};
use anyhow::Result;
use clap::Args;
use psmp::checker::BisectionChecker;
use psmp::{Connection, Resolution};
use psmp_arm::{
    Arm, DEFAULT_NEIGHBOURS, DEFAULT_SPHERES, DEFAULT_STEP, DEFAULT_VERTICES, MotionRequest,
    Sampling, Scene, SphereWorld, SphereWorlds, TableJob, joint_roadmap,
};
use psmp_files::{FileError, check_writable, write_table};
use psmp_lab::counted;
use psmp_worlds::graphml;
use serde_json::json;
use std::path::PathBuf;
use std::time::Instant;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    psmp table --robot panda.urdf --srdf panda.srdf --group panda_arm --scenes problems/table_pick \
    --vertices 5000 -o table_pick.table\n  \
    psmp table --robot panda-like --scenes clutter --roadmap clutter/roadmap.graphml -o clutter.table\n  \
    psmp table --robot arm.urdf --scenes a.yaml b.toml --roadmap arm.graphml -o arm.table\n\n\
    A run that is stopped goes on where it was when the same command is given again.")]
pub struct TableArgs {
    /// The robot: a URDF file, or a shipped model (panda-like, wam-like, ur5-like, planar-N).
    #[arg(long, value_name = "URDF")]
    robot: PathBuf,

    /// The robot's groups and disabled pairs, an SRDF file. Without it all joints are planned for.
    #[arg(long, value_name = "SRDF", requires = "group")]
    srdf: Option<PathBuf>,

    /// The group of joints to plan for.
    #[arg(long, requires = "srdf")]
    group: Option<String>,

    /// The scenes: files (MoveIt planning scenes in YAML, or TOML), or folders of files `scene*`.
    /// Their order is that of the table's worlds.
    #[arg(long, required = true, num_args = 1.., value_name = "PATH")]
    scenes: Vec<PathBuf>,

    /// A motion plan request of the scenes: joints outside the group are held where it has them at
    /// its start. Otherwise they are where the scenes have them.
    #[arg(long, value_name = "YAML")]
    request: Option<PathBuf>,

    /// A roadmap of the arm, as GraphML, instead of a new one.
    #[arg(long, value_name = "GRAPHML", conflicts_with_all = ["vertices", "neighbours", "radius", "random"])]
    roadmap: Option<PathBuf>,

    /// How many vertices a new roadmap has.
    #[arg(long, default_value_t = DEFAULT_VERTICES as u32, value_parser = clap::value_parser!(u32).range(2..))]
    vertices: u32,

    /// How many nearest neighbours each vertex of a new roadmap is joined to.
    #[arg(long, default_value_t = DEFAULT_NEIGHBOURS as u32, value_parser = clap::value_parser!(u32).range(1..))]
    neighbours: u32,

    /// Join vertices of a new roadmap that are at most this far apart, instead of the nearest.
    #[arg(long, value_name = "DISTANCE", value_parser = numbers::positive, allow_negative_numbers = true, conflicts_with = "neighbours")]
    radius: Option<f64>,

    /// Draw the vertices of a new roadmap at random, by `--seed`, instead of evenly spread.
    #[arg(long)]
    random: bool,

    /// The largest joint step from one configuration of an edge to the next, in radians or metres.
    #[arg(long, default_value_t = DEFAULT_STEP, value_parser = numbers::positive, allow_negative_numbers = true)]
    resolution: f64,

    /// How many spheres cover the robot.
    #[arg(long, default_value_t = DEFAULT_SPHERES as u32, value_parser = clap::value_parser!(u32).range(1..))]
    spheres: u32,

    /// Take a scene that has nothing in it as it is, instead of for a mistake.
    #[arg(long)]
    empty_scene: bool,

    /// A folder or file that robots and scenes may name, though it is outside their own folders and
    /// packages. May be given more than once.
    #[arg(long, value_name = "PATH")]
    allow_path: Vec<PathBuf>,

    /// The table's file. A new roadmap goes beside it, as GraphML.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub fn run(args: &TableArgs, common: Common) -> Result<Outcome> {
    check_writable(&args.output)?;
    let permissions = arms::permissions(&args.allow_path)?;
    let permissions = permissions.empty_scenes(args.empty_scene);
    let (srdf, group) = (args.srdf.as_deref(), args.group.as_deref());
    let arm = arms::load(&args.robot, srdf, group, &permissions)?;
    let paths = scene_files(&args.scenes)?;
    let mut scenes = Vec::with_capacity(paths.len());
    for path in &paths {
        scenes.push(arms::read_scene(path, &permissions)?);
    }
    let arm = match &args.request {
        Some(path) => arm.with_state(&MotionRequest::read(path)?.start)?,
        None => in_scenes(&arm, &paths, &scenes)?,
    };
    say!(
        "covering `{}` with at most {}",
        arm.robot().name(),
        counted(args.spheres, "spheres")
    );
    let spheres = arms::cover(arm.robot(), args.spheres);
    let (roadmap, roadmap_path) = match &args.roadmap {
        Some(path) => (arms::read_roadmap(path, &arm)?, path.clone()),
        None => {
            let vertices = args.vertices as usize;
            let connection = match args.radius {
                Some(radius) => Connection::Radius(radius),
                None => Connection::Nearest(args.neighbours as usize),
            };
            let sampling = match args.random {
                true => Sampling::Uniform(common.seed),
                false => Sampling::Halton,
            };
            let made = joint_roadmap(&arm, &spheres, vertices, sampling, connection);
            let made = made.map_err(|e| {
                Mistake::error(
                    e.to_string(),
                    "check the SRDF's disabled pairs, `--vertices`, `--neighbours` and `--radius`",
                )
            })?;
            let path = args.output.with_extension("graphml");
            graphml::write(&path, &made)?;
            (made, path)
        }
    };
    // The edges of a table are checked as a planner checks them, at the same resolutions.
    let nothing = SphereWorld::new(&arm, &spheres, &Scene::default())?;
    let resolution = Resolution::largest_axis(args.resolution)?;
    BisectionChecker::new(&roadmap, resolution, nothing)?;
    let worlds = SphereWorlds::new(&arm, &spheres, &scenes)?;
    for (scene, body, object) in worlds.standing_collisions() {
        say!(
            "note: nothing is free in `{}`, where `{body}`, which never moves, touches `{object}`",
            paths[scene].display()
        );
    }
    // Of all that the table depends on besides roadmap and resolution.
    let name = psmp_arm::fingerprint(format!("{arm:?} {spheres:?} {scenes:?}").as_bytes());
    let job = TableJob {
        roadmap: &roadmap,
        worlds: &worlds,
        resolution,
        name,
    };
    let mut parts = args.output.clone().into_os_string();
    parts.push(".parts");
    let parts = PathBuf::from(parts);
    let bar = show::progress(roadmap.edge_count() as u64, "checking edges");
    let started = Instant::now();
    let table = job.compute(&parts, |edges| bar.inc(edges as u64))?;
    bar.finish_and_clear();
    let seconds = started.elapsed().as_secs_f64();
    write_table(&args.output, &table)?;
    job.clean(&parts)?;
    // Other tables may have shards there; then the folder stays.
    let _ = std::fs::remove_dir(&parts);
    let share = show::share_free(&table);
    if common.json {
        let facts = json!({"wrote": args.output, "roadmap": roadmap_path, "worlds": scenes.len(),
            "vertices": roadmap.vertex_count(), "edges": roadmap.edge_count(),
            "spheres": spheres.count(), "free": share, "seconds": seconds});
        println!("{facts}");
    } else {
        say!(
            "wrote {} x {}, {} of them free, in {seconds:.1} s to `{}`; roadmap in `{}`",
            counted(scenes.len(), "worlds"),
            counted(roadmap.edge_count(), "edges"),
            show::percent(share),
            args.output.display(),
            roadmap_path.display()
        );
    }
    Ok(Outcome::Done)
}

/// The files themselves, and of folders those whose names begin with `scene`, in order.
fn scene_files(given: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for path in given {
        if !path.is_dir() {
            files.push(path.clone());
            continue;
        }
        let entries = std::fs::read_dir(path).map_err(|e| FileError::io(path, "read", e))?;
        let is_scene = |p: &PathBuf| {
            let name = p.file_name().and_then(|n| n.to_str());
            name.is_some_and(|n| {
                n.starts_with("scene") && [".yaml", ".yml", ".toml"].iter().any(|e| n.ends_with(e))
            })
        };
        let mut found: Vec<PathBuf> = entries
            .flatten()
            .map(|e| e.path())
            .filter(is_scene)
            .collect();
        if found.is_empty() {
            return Err(Mistake::error(
                format!("there are no scenes in `{}`", path.display()),
                "name a folder with files such as `scene0001.yaml`",
            ));
        }
        found.sort();
        files.extend(found);
    }
    Ok(files)
}

/// The arm with the joints outside its group where all scenes have them.
fn in_scenes(arm: &Arm, paths: &[PathBuf], scenes: &[Scene]) -> Result<Arm> {
    let mut held = arm.clone();
    let planned: Vec<&str> = arm.names().collect();
    let others = |scene: &Scene| -> Vec<(String, f64)> {
        let state = scene.state.iter();
        let other = |(name, _): &&(String, f64)| !planned.contains(&name.as_str());
        state.filter(other).cloned().collect()
    };
    for (path, scene) in paths.iter().zip(scenes) {
        if others(scene) != others(&scenes[0]) {
            return Err(Mistake::error(
                format!(
                    "`{}` and `{}` differ in where joints outside the group are",
                    paths[0].display(),
                    path.display()
                ),
                "name a motion plan request that says where they are with `--request`",
            ));
        }
        held = held.with_state(&scene.state)?;
    }
    Ok(held)
}
