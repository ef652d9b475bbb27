//! `psmp spheres`: a robot's links covered by spheres.

use crate::failure::Outcome;
use crate::{Common, arms, say, show};
use anyhow::Result;
use clap::Args;
use psmp_arm::{Ball, DEFAULT_SPHERES, LinkCover, Robot};
use psmp_files::check_writable;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    psmp spheres panda.urdf\n  \
    psmp spheres panda.urdf --spheres 60 -o panda_spherised.urdf\n\n\
    The spheres hold all of a link's surface. `volume` is that of the spheres together beside the \
    link's, `beyond` how far they reach beyond the link at most. A link whose collision geometry is \
    spheres already keeps them.")]
pub struct SpheresArgs {
    /// The robot, a URDF file.
    robot: PathBuf,

    /// How many spheres cover the robot; every link gets one at least.
    #[arg(long, default_value_t = DEFAULT_SPHERES as u32, value_parser = clap::value_parser!(u32).range(1..))]
    spheres: u32,

    /// A folder or file that robots and scenes may name, though it is outside their own folders and
    /// packages. May be given more than once.
    #[arg(long, value_name = "PATH")]
    allow_path: Vec<PathBuf>,

    /// Writes the robot with spheres as its collision geometry.
    #[arg(short, long, value_name = "URDF")]
    output: Option<PathBuf>,
}

pub fn run(args: &SpheresArgs, common: Common) -> Result<Outcome> {
    if let Some(output) = &args.output {
        check_writable(output)?;
    }
    let robot = Robot::read_with(&args.robot, &arms::permissions(&args.allow_path)?)?;
    let model = arms::cover(&robot, args.spheres);
    if let Some(output) = &args.output {
        let text = model.spherised_urdf(&robot, &args.robot)?;
        psmp_files::save(output, text.as_bytes())?;
    }
    let links = robot.links().iter().zip(model.links());
    let covered = links.filter(|(_, cover)| !cover.balls.is_empty());
    let mut out = std::io::stdout().lock();
    if common.json {
        let facts = covered.map(|(link, cover)| {
            let sphere = |b: &Ball| [b.middle[0], b.middle[1], b.middle[2], b.radius];
            json!({"link": link.name, "spheres": cover.balls.iter().map(sphere).collect::<Vec<_>>(),
                "volume": cover.volume, "excess_volume": cover.excess_volume,
                "beyond": cover.overreach})
        });
        let facts = json!({"robot": robot.name(), "spheres": model.count(),
            "links": facts.collect::<Vec<_>>(), "wrote": args.output});
        writeln!(out, "{facts}")?;
        return Ok(Outcome::Done);
    }
    writeln!(
        out,
        "{:<24} {:>7} {:>8} {:>9}",
        "link", "spheres", "volume", "beyond"
    )?;
    for (link, cover) in covered {
        writeln!(
            out,
            "{:<24} {:>7} {:>8} {:>6.1} mm",
            link.name,
            cover.balls.len(),
            volume(cover),
            1000.0 * cover.overreach
        )?;
    }
    writeln!(out, "{:<24} {:>7}", "all", model.count())?;
    if let Some(output) = &args.output {
        say!("wrote `{}`", output.display());
    }
    Ok(Outcome::Done)
}

/// The volume of the spheres beside the link's, where it has one.
fn volume(cover: &LinkCover) -> String {
    match cover.volume > 0.0 {
        true => show::percent(1.0 + cover.excess_volume / cover.volume),
        false => "-".to_owned(),
    }
}
