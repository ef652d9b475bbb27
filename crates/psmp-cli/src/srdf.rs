//! `psmp srdf`: which pairs of a robot's links need no check.

use crate::failure::Outcome;
use crate::{Common, arms, numbers, say, show};
use anyhow::Result;
use clap::Args;
use psmp_arm::{DEFAULT_SPHERES, PairSampling, Robot, Semantics};
use psmp_files::check_writable;
use psmp_lab::counted;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    psmp srdf panda.urdf -o panda.srdf\n  \
    psmp srdf panda.urdf --samples 100000 --seed 7 -o panda.srdf\n\n\
    Links are not checked against each other if they are next to each other (`Adjacent`), touch where \
    all joints are at zero or at the nearest limit (`Default`), or touch in nearly all (`Always`) or in \
    none (`Never`) of many random configurations. Look at `Default` and `Never` before you rely on \
    them: a robot may stand at rest as it should not, and few configurations may be missed by all \
    samples. Group `arm` is the longest chain without the hand at its end, group `all` has every joint. \
    The same robot, samples and seed give the same file.")]
pub struct SrdfArgs {
    /// The robot, a URDF file.
    robot: PathBuf,

    /// How many configurations are drawn.
    #[arg(long, default_value_t = PairSampling::default().samples as u32, value_parser = clap::value_parser!(u32).range(1..))]
    samples: u32,

    /// In what share of the configurations links touch that always touch.
    #[arg(long, value_name = "SHARE", default_value_t = PairSampling::default().min_collision_fraction, value_parser = numbers::share)]
    min_collision_fraction: f64,

    /// A folder or file that robots may name, though it is outside their own folders and packages. May
    /// be given more than once.
    #[arg(long, value_name = "PATH")]
    allow_path: Vec<PathBuf>,

    /// The SRDF file to write; standard output if not given.
    #[arg(short, long, value_name = "SRDF")]
    output: Option<PathBuf>,
}

pub fn run(args: &SrdfArgs, common: Common) -> Result<Outcome> {
    if let Some(output) = &args.output {
        check_writable(output)?;
    }
    let robot = Robot::read_with(&args.robot, &arms::permissions(&args.allow_path)?)?;
    let options = PairSampling {
        samples: args.samples as usize,
        seed: common.seed,
        min_collision_fraction: args.min_collision_fraction,
    };
    let spheres = arms::cover(&robot, DEFAULT_SPHERES as u32);
    let bar = show::progress(args.samples.into(), "drawing configurations");
    let semantics = Semantics::sampled(&robot, &spheres, &options, |more| bar.inc(more as u64))?;
    bar.finish_and_clear();
    let text = semantics.to_srdf(&robot);
    if let Some(output) = &args.output {
        psmp_files::save(output, text.as_bytes())?;
    }
    let mut out = std::io::stdout().lock();
    if common.json {
        let name = |link: usize| &robot.links()[link].name;
        let pairs = semantics.disabled.iter().map(|(&(one, other), reason)| {
            json!({"link1": name(one), "link2": name(other), "reason": reason.to_string()})
        });
        let groups = semantics.groups.iter().map(|group| {
            let joints = group.joints.iter().map(|&j| &robot.joints()[j].name);
            json!({"name": group.name, "joints": joints.collect::<Vec<_>>()})
        });
        let facts = json!({"robot": robot.name(), "samples": args.samples,
            "groups": groups.collect::<Vec<_>>(), "disabled": pairs.collect::<Vec<_>>(),
            "wrote": args.output});
        writeln!(out, "{facts}")?;
        return Ok(Outcome::Done);
    }
    if args.output.is_none() {
        out.write_all(text.as_bytes())?;
    }
    say!(
        "{} of links need no check: {}",
        counted(semantics.disabled.len(), "pairs"),
        arms::reasons(&semantics)
    );
    if let Some(output) = &args.output {
        say!("wrote `{}`", output.display());
    }
    Ok(Outcome::Done)
}
