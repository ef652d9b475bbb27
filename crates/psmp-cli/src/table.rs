//! `psmp table`: which edges of an arm's roadmap are free in which scenes.

use crate::failure::{Mistake, Outcome};
use crate::{Common, arms, say, show};
use anyhow::Result;
use clap::Args;
use psmp::{Connection, Experience};
use psmp_arm::{
    DEFAULT_NEIGHBOURS, DEFAULT_SPHERES, DEFAULT_VERTICES, Sampling, Scene, SphereWorlds, TableJob,
    joint_roadmap,
};
use psmp_worlds::{FileError, check_writable, graphml, write_table};
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
    #[arg(long, value_name = "SRDF")]
    srdf: Option<PathBuf>,

    /// The group of joints to plan for, where the SRDF has several.
    #[arg(long)]
    group: Option<String>,

    /// The scenes: files (MoveIt planning scenes in YAML, or TOML), or folders of files `scene*`.
    /// Their order is that of the table's worlds.
    #[arg(long, required = true, num_args = 1.., value_name = "PATH")]
    scenes: Vec<PathBuf>,

    /// A roadmap of the arm, as GraphML, instead of a new one.
    #[arg(long, value_name = "GRAPHML", conflicts_with_all = ["vertices", "neighbours"])]
    roadmap: Option<PathBuf>,

    /// How many vertices a new roadmap has.
    #[arg(long, default_value_t = DEFAULT_VERTICES as u32, value_parser = clap::value_parser!(u32).range(2..))]
    vertices: u32,

    /// How many nearest neighbours each vertex of a new roadmap is joined to.
    #[arg(long, default_value_t = DEFAULT_NEIGHBOURS as u32, value_parser = clap::value_parser!(u32).range(1..))]
    neighbours: u32,

    /// The largest joint step from one configuration of an edge to the next, in radians or metres.
    #[arg(long, default_value_t = 0.2)]
    resolution: f64,

    /// How many spheres cover the robot.
    #[arg(long, default_value_t = DEFAULT_SPHERES)]
    spheres: usize,

    /// The table's file. A new roadmap goes beside it, as GraphML.
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
}

pub fn run(args: &TableArgs, common: Common) -> Result<Outcome> {
    if !(args.resolution > 0.0 && args.resolution.is_finite()) {
        return Err(Mistake::error(
            format!("`--resolution {}` is no step", args.resolution),
            "give a positive number of radians, such as 0.2",
        ));
    }
    check_writable(&args.output)?;
    let arm = arms::load(&args.robot, args.srdf.as_deref(), args.group.as_deref())?;
    let paths = scene_files(&args.scenes)?;
    let mut scenes = Vec::with_capacity(paths.len());
    for path in &paths {
        scenes.push(Scene::read(path)?);
    }
    say!(
        "covering `{}` with at most {} spheres",
        arm.robot().name(),
        args.spheres
    );
    let spheres = arms::cover(&arm, args.spheres)?;
    let (roadmap, roadmap_path) = match &args.roadmap {
        Some(path) => (arms::read_roadmap(path, &arm)?, path.clone()),
        None => {
            let vertices = args.vertices as usize;
            let connection = Connection::Nearest(args.neighbours as usize);
            let made = joint_roadmap(&arm, &spheres, vertices, Sampling::Halton, connection)?;
            let path = args.output.with_extension("graphml");
            graphml::write(&path, &made)?;
            (made, path)
        }
    };
    let worlds = SphereWorlds::new(&arm, &spheres, &scenes)?;
    let job = TableJob {
        roadmap: &roadmap,
        worlds: &worlds,
        resolution: args.resolution,
        name: content_hash(args, &paths)?,
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
    let free: u64 = roadmap
        .edge_ids()
        .flat_map(|e| table.worlds_where_free(e))
        .map(|w| u64::from(w.count_ones()))
        .sum();
    let entries = scenes.len() as u64 * roadmap.edge_count() as u64;
    let share = free as f64 / entries.max(1) as f64;
    if common.json {
        let facts = json!({"wrote": args.output, "roadmap": roadmap_path, "worlds": scenes.len(),
            "vertices": roadmap.vertex_count(), "edges": roadmap.edge_count(),
            "spheres": spheres.count(), "free": share, "seconds": seconds});
        println!("{facts}");
    } else {
        say!(
            "wrote {} worlds x {} edges, {} of them free, in {seconds:.1} s to `{}`; roadmap in `{}`",
            scenes.len(),
            roadmap.edge_count(),
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

/// A hash of everything that the table depends on besides roadmap and resolution.
fn content_hash(args: &TableArgs, scenes: &[PathBuf]) -> Result<u64> {
    let mut all = args.spheres.to_le_bytes().to_vec();
    all.extend(args.group.iter().flat_map(|g| g.bytes()));
    // A shipped model is told by its name.
    all.extend(args.robot.as_os_str().as_encoded_bytes());
    let robot = Some(&args.robot).filter(|file| file.exists());
    let files = robot.into_iter().chain(&args.srdf).chain(scenes);
    for path in files {
        let bytes = std::fs::read(path).map_err(|e| FileError::io(path, "read", e))?;
        all.extend(bytes.len().to_le_bytes());
        all.extend(bytes);
    }
    Ok(psmp_arm::fingerprint(&all))
}
