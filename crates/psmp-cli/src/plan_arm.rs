//! `psmp plan` for an arm in a scene.

use crate::failure::{Mistake, Outcome};
use crate::plan::{PlanArgs, Sampler};
use crate::planning::Planning;
use crate::{arms, numbers, say};
use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use psmp::by_name::PlannerName;
use psmp::{Connection, Progress, Resolution, Roadmap, SessionError};
use psmp_arm::{
    ArmProblem, CheckedArm, Checking, DEFAULT_ACCELERATION, DEFAULT_NEIGHBOURS, DEFAULT_SPHERES,
    DEFAULT_STEP, DEFAULT_VERTICES, MotionLimits, MotionRequest, Sampling, SphereModel, Trajectory,
    kept_roadmap,
};
use psmp_files::Fingerprint;
use psmp_lab::counted;
use psmp_lab::trial::Ending;
use psmp_report::picture::ArmPicture;
use serde_json::json;
use std::convert::Infallible;
use std::path::{Path, PathBuf};

/// Seconds between the instants of a written trajectory, at most.
const PERIOD: f64 = 0.01;

#[derive(Debug, Args)]
#[command(next_help_heading = "Arms")]
pub struct ArmArgs {
    /// A robot: a URDF file, or a shipped model (panda-like, wam-like, ur5-like, planar-N).
    #[arg(long, value_name = "URDF", requires = "scene", requires = "request")]
    pub robot: Option<PathBuf>,

    /// The robot's groups and disabled pairs, an SRDF file. Without it pairs that need no check are found
    /// by sampling, as `psmp srdf` does, and the group is `arm`, its longest chain without the hand, or
    /// `all`.
    #[arg(long, value_name = "SRDF", requires = "robot")]
    srdf: Option<PathBuf>,

    /// What stands around the robot: a MoveIt planning scene (YAML), or a scene in TOML.
    #[arg(long, value_name = "FILE", requires = "robot")]
    scene: Option<PathBuf>,

    /// From where to where, and with which group: a MoveIt motion plan request (YAML).
    #[arg(long, value_name = "FILE", requires = "robot")]
    request: Option<PathBuf>,

    /// How configurations are checked.
    #[arg(long, default_value_t = Checking::default(), value_parser = ways(), requires = "robot")]
    checker: Checking,

    /// Two that may touch: links, things that are held, or objects of the scene. May be given more
    /// than once.
    #[arg(long, value_name = "A,B", value_parser = parse_pair, requires = "robot")]
    allow: Vec<(String, String)>,

    /// How many spheres cover the robot, at most.
    #[arg(long, default_value_t = DEFAULT_SPHERES as u32, value_parser = clap::value_parser!(u32).range(1..), requires = "robot")]
    spheres: u32,

    /// Take a scene that has nothing in it as it is, instead of for a mistake.
    #[arg(long, requires = "robot")]
    empty_scene: bool,

    /// A folder or file that robots and scenes may name, though it is outside their own folders and
    /// packages. May be given more than once.
    #[arg(long, value_name = "PATH", requires = "robot")]
    allow_path: Vec<PathBuf>,

    /// How many nearest neighbours each vertex of a roadmap made on the spot is joined to; 15 if
    /// not given.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), requires = "robot", conflicts_with = "roadmap")]
    pub neighbours: Option<u32>,

    /// The greatest acceleration of every joint, in rad/s² or m/s². Velocities are limited as the
    /// URDF says.
    #[arg(long, value_name = "LIMIT", default_value_t = DEFAULT_ACCELERATION, value_parser = numbers::positive, requires = "robot")]
    acceleration: f64,

    /// Where to write the best path with times: .json or .csv by the ending. May be given more
    /// than once.
    #[arg(long, value_name = "FILE", requires = "robot")]
    pub trajectory: Vec<PathBuf>,
}

fn parse_pair(text: &str) -> Result<(String, String), String> {
    match text.split_once(',').map(|(a, b)| (a.trim(), b.trim())) {
        Some((a, b)) if !a.is_empty() && !b.is_empty() && a != b => {
            Ok((a.to_owned(), b.to_owned()))
        }
        _ => Err("expected two names separated by a comma, as in hand,cup".to_owned()),
    }
}

/// The ways there are to check an arm, with what each is.
fn ways() -> impl TypedValueParser<Value = Checking> {
    let ways = Checking::TABLE.iter();
    let ways = ways.map(|way| clap::builder::PossibleValue::new(way.name).help(way.summary));
    PossibleValuesParser::new(ways).try_map(|name| name.parse::<Checking>())
}

pub fn run(planning: &Planning<'_>, robot: &Path) -> Result<Outcome> {
    let args = planning.args;
    let own = &args.arm;
    let (Some(scene_file), Some(request_file)) = (&own.scene, &own.request) else {
        unreachable!("a robot requires a scene and a request");
    };
    check_combination(args)?;
    let request = MotionRequest::read(request_file)?;
    let permissions = arms::permissions(&own.allow_path)?;
    let permissions = permissions.empty_scenes(own.empty_scene);
    let arm = arms::load(
        robot,
        own.srdf.as_deref(),
        Some(&request.group),
        &permissions,
    )?;
    let scene = arms::read_scene(scene_file, &permissions)?;
    if let Some(other) = scene.robot.as_ref().filter(|r| *r != arm.robot().name()) {
        let own = arm.robot().name();
        say!("note: the scene was made for robot `{other}`, and this is `{own}`");
    }
    let mut problem = ArmProblem::new(&arm, scene, &request)?;
    for (one, other) in &own.allow {
        problem.allow(one, other)?;
    }
    if let Some(touch) = problem.touch()? {
        let (end, body, other) = (touch.end, &touch.body, &touch.other);
        return Err(Mistake::error(
            format!("the {end} is in collision: `{body}` touches `{other}`"),
            format!(
                "change the {end} in `{}`, {}",
                request_file.display(),
                problem.remedy(&touch)
            ),
        ));
    }
    let spheres = arms::cover(arm.robot(), own.spheres);
    let roadmap = match args.planner {
        PlannerName::OnRoadmap(_) => Some(roadmap(planning, &problem, &spheres)?),
        PlannerName::Tree(_) => None,
    };
    let known = roadmap.as_ref().map(Fingerprint::of);
    let mut options = planning.options(roadmap, None)?;
    let step = args.method.resolution.unwrap_or(DEFAULT_STEP);
    options.resolution = Some(Resolution::largest_axis(step)?);
    let trouble = |error| trouble(error, own.checker, step);
    let checked = CheckedArm::new(own.checker, &problem.arm, &spheres, &problem.scene)?;
    let session = checked.session(&problem.start, &problem.goal, options);
    let mut session = session.map_err(trouble)?;
    let trial = planning.drive(&mut session).map_err(|e| {
        let error = e.downcast::<SessionError<Infallible>>();
        error.map_or_else(|other| other, trouble)
    })?;
    let names: Vec<&str> = problem.arm.names().collect();
    planning.write(&session, &names, known)?;
    let output = Output {
        planning,
        title: format!("{} in {}", args.planner, short_name(scene_file)),
        problem: &problem,
    };
    match session.best_path() {
        Some(path) => {
            let path: Vec<&[f64]> = path.iter().collect();
            output.write_motion(&path, trial.progress)?;
        }
        None => {
            for file in &own.trajectory {
                say!("there is no path to write to `{}`", file.display());
            }
            let nothing = match trial.ending {
                Ending::NoPathOnRoadmap => "no path on this roadmap",
                _ => "no path",
            };
            output.draw(&[], nothing)?;
        }
    }
    Ok(planning.outcome(&trial))
}

/// What cannot go together is told before any work is done.
fn check_combination(args: &PlanArgs) -> Result<()> {
    if args.arm.checker != Checking::Certified {
        return Ok(());
    }
    if let PlannerName::Tree(name) = args.planner {
        return Err(Mistake::error(
            format!("`--checker certified` certifies edges of a roadmap, and `{name}` knows none"),
            "choose another checker, or a planner such as `ei:ensemble`",
        ));
    }
    if args.shortcut {
        return Err(Mistake::error(
            "`--shortcut` checks configurations along motions, so that its path would not be certified",
            "leave out `--shortcut`, or choose another checker",
        ));
    }
    Ok(())
}

/// The roadmap that was given, or one made on the spot.
fn roadmap(
    planning: &Planning<'_>,
    problem: &ArmProblem,
    spheres: &SphereModel,
) -> Result<Roadmap> {
    let (args, arm) = (planning.args, &problem.arm);
    if let Some(file) = &args.roadmap {
        return arms::read_roadmap(file, arm);
    }
    let vertices = args.vertices.map_or(DEFAULT_VERTICES, |n| n as usize);
    let neighbours = args.arm.neighbours;
    let neighbours = neighbours.map_or(DEFAULT_NEIGHBOURS, |n| n as usize);
    let sampling = match args.sampler {
        Sampler::Halton => Sampling::Halton,
        Sampler::Uniform => Sampling::Uniform(planning.common.seed),
    };
    let connection = Connection::Nearest(neighbours);
    let (roadmap, troubles) = kept_roadmap(arm, spheres, vertices, sampling, connection)
        .map_err(|e| {
            Mistake::error(
                e.to_string(),
                "leave pairs out that always touch: `--allow A,B`, or the SRDF that `psmp srdf` makes",
            )
        })?;
    arms::tell(&troubles);
    Ok(roadmap)
}

/// An error of a session as a user of an arm can use it.
fn trouble(error: SessionError<Infallible>, checking: Checking, step: f64) -> anyhow::Error {
    match &error {
        // An end that is free by the true shapes is not so for the checker.
        SessionError::InCollision(end) if checking.is_careful() => Mistake::error(
            format!("the {end} is free, but the spheres that cover the arm touch something"),
            "give more `--spheres`, or `--checker refined`",
        ),
        SessionError::HitBetween { .. } => Mistake::error(
            error.to_string(),
            format!("ask more often: `--resolution {}`", step / 2.0),
        ),
        _ => error.into(),
    }
}

/// A file by its name and its folder's: the end of a path tells scenes apart, not its beginning.
fn short_name(file: &Path) -> String {
    let parts: Vec<_> = file.components().rev().take(2).collect();
    let short: PathBuf = parts.into_iter().rev().collect();
    short.display().to_string()
}

/// Where what came of planning is written.
struct Output<'a> {
    planning: &'a Planning<'a>,
    title: String,
    problem: &'a ArmProblem,
}

impl Output<'_> {
    /// Writes the trajectory along a path, and draws the arm on it.
    fn write_motion(&self, path: &[&[f64]], progress: Progress) -> Result<()> {
        let (arm, args) = (&self.problem.arm, &self.planning.args.arm);
        let limits = MotionLimits::of(arm, args.acceleration);
        let trajectory = Trajectory::along(arm, path, &limits)?;
        let names: Vec<&str> = arm.names().collect();
        for file in &args.trajectory {
            write_trajectory(file, &names, &trajectory)?;
        }
        let detail = format!(
            "length {:.3}, {}, {:.2} s, after {}",
            progress.best_length.unwrap_or(0.0),
            counted(path.len() - 1, "motions"),
            trajectory.duration(),
            counted(progress.configurations, "configurations"),
        );
        self.draw(path, &detail)
    }

    /// Draws the arm along a path, or at start and goal only.
    fn draw(&self, path: &[&[f64]], detail: &str) -> Result<()> {
        let ends = [&self.problem.start[..], &self.problem.goal[..]];
        let picture = ArmPicture {
            title: &self.title,
            subtitle: detail,
            arm: &self.problem.arm,
            scene: &self.problem.scene,
            path: if path.is_empty() { &ends } else { path },
            moves: !path.is_empty(),
        };
        for file in &self.planning.args.picture {
            picture.write(file)?;
        }
        Ok(())
    }
}

/// Writes a trajectory: its instants by joint.
fn write_trajectory(file: &Path, names: &[&str], trajectory: &Trajectory) -> Result<()> {
    let instants = trajectory.instants(PERIOD);
    let is_csv = file
        .extension()
        .is_some_and(|e| e.eq_ignore_ascii_case("csv"));
    let bytes = if is_csv {
        let mut csv = csv::Writer::from_writer(Vec::new());
        let column = |what: &'static str| names.iter().map(move |name| format!("{name}{what}"));
        let header = std::iter::once("time".to_owned())
            .chain(column(""))
            .chain(column(".velocity"))
            .chain(column(".acceleration"));
        csv.write_record(header)?;
        for instant in instants {
            let all = [instant.positions, instant.velocities, instant.accelerations].concat();
            let numbers = std::iter::once(instant.time).chain(all);
            // Adding nothing makes plain zeros of negative ones.
            csv.write_record(numbers.map(|n| (n + 0.0).to_string()))?;
        }
        csv.into_inner()?
    } else {
        let points: Vec<serde_json::Value> = instants
            .map(|i| {
                json!({
                    "time_from_start": i.time,
                    "positions": i.positions,
                    "velocities": i.velocities,
                    "accelerations": i.accelerations,
                })
            })
            .collect();
        serde_json::to_vec_pretty(&json!({
            "joint_names": names,
            "duration": trajectory.duration(),
            "points": points,
        }))?
    };
    Ok(psmp_files::save(file, &bytes)?)
}
