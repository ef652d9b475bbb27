//! `psmp plan` for an arm in a scene.

use crate::failure::{Mistake, Outcome};
use crate::live::{self, ArmInScene};
use crate::page::Page;
use crate::plan::{PlanArgs, Sampler, size};
use crate::planning::Planning;
use crate::stopwatch::Timed;
use crate::{arms, numbers, say, status};
use anyhow::Result;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use psmp::by_name::PlannerName;
use psmp::checker::{EdgeMemory, SideBySide};
use psmp::{Connection, Progress, Resolution, Roadmap, Session, SessionError, Waypoints};
use psmp_arm::{
    Arm, ArmProblem, CheckedArm, Checking, DEFAULT_ACCELERATION, DEFAULT_NEIGHBOURS,
    DEFAULT_SPHERES, DEFAULT_STEP, DEFAULT_VERTICES, Goal, MotionLimits, MotionRequest, Pose,
    PoseGoal, Sampling, SphereModel, Touch, Trajectory, kept_roadmap, known_after, still_known,
    world_record,
};
use psmp_files::{Fingerprint, Keeping};
use psmp_lab::counted;
use psmp_lab::trial::{Ending, Trial};
use psmp_report::picture::ArmPicture;
use serde_json::json;
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Seconds between the instants of a written trajectory, at most.
const PERIOD: f64 = 0.01;

#[derive(Debug, Args)]
#[command(next_help_heading = "Arms")]
pub struct ArmArgs {
    /// A robot: a URDF file, or a shipped model (panda-like, wam-like, ur5-like, planar-N).
    #[arg(long, value_name = "URDF", requires = "scene")]
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
    #[arg(long, value_name = "FILE", requires = "robot", conflicts_with_all = ["start", "goal", "goal_pose", "group"])]
    request: Option<PathBuf>,

    /// The group of the SRDF that is to move; not needed where there is but one to plan for.
    #[arg(long, value_name = "NAME", requires = "robot")]
    group: Option<String>,

    /// Where a link is to end, in the frame of the robot's root: its position in metres and, unless it
    /// may be turned in any way, its orientation as a unit quaternion.
    #[arg(long, value_name = "X,Y,Z[,QX,QY,QZ,QW]", value_parser = parse_pose, allow_hyphen_values = true, requires = "robot", conflicts_with = "goal")]
    goal_pose: Option<WantedPose>,

    /// The link that is meant by `--goal-pose`; the last one of the group's chain if not given.
    #[arg(long, value_name = "NAME", requires = "goal_pose", conflicts_with_all = ["goal", "request"])]
    link: Option<String>,

    /// How configurations are checked.
    #[arg(long, default_value_t = Checking::default(), value_parser = ways(), requires = "robot")]
    checker: Checking,

    /// On how many cores configurations are checked. The run is the same on any number; it takes less time where
    /// a configuration takes long.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=1024), allow_negative_numbers = true, requires = "robot")]
    jobs: u16,

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

/// A position, and an orientation if it matters.
#[derive(Debug, Clone, Copy)]
enum WantedPose {
    Position([f64; 3]),
    Pose(Pose),
}

fn parse_pose(text: &str) -> Result<WantedPose, String> {
    /// So far a quaternion may be from unit length, as written numbers are rounded.
    const ROUNDED: f64 = 1e-3;
    if let Ok(position) = numbers::several::<3>(text) {
        return Ok(WantedPose::Position(position));
    }
    let wrong = |_| "expected 3 or 7 finite numbers separated by commas".to_owned();
    let [x, y, z, quaternion @ ..] = numbers::several::<7>(text).map_err(wrong)?;
    let length = quaternion.iter().map(|v| v * v).sum::<f64>().sqrt();
    if (length - 1.0).abs() > ROUNDED {
        return Err(format!(
            "the quaternion has length {length:.4}, expected 1, in the order x, y, z, w"
        ));
    }
    let pose = Pose::from_quaternion([x, y, z], quaternion);
    pose.map(WantedPose::Pose).map_err(|e| e.to_string())
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
    let Some(scene_file) = &own.scene else {
        unreachable!("a robot requires a scene");
    };
    let request = own.request.as_ref().map(MotionRequest::read).transpose()?;
    let permissions = arms::permissions(&own.allow_path)?;
    let permissions = permissions.empty_scenes(own.empty_scene);
    let arm = arms::load(
        robot,
        own.srdf.as_deref(),
        request.as_ref().map(|r| &*r.group).or(own.group.as_deref()),
        &permissions,
    )?;
    let request = request.map_or_else(|| asked_for(args, &arm), Ok)?;
    let scene = arms::read_scene(scene_file, &permissions)?;
    if let Some(other) = scene.robot.as_ref().filter(|r| *r != arm.robot().name()) {
        let own = arm.robot().name();
        say!("note: the scene was made for robot `{other}`, and this is `{own}`");
    }
    let mut problem = ArmProblem::new(&arm, scene, &request)?;
    for (one, other) in &own.allow {
        problem.allow(one, other)?;
    }
    let touches = problem.touches()?;
    if let Some(touch) = touches.first() {
        return Err(in_collision(
            &problem,
            &touches,
            touch,
            own.request.as_deref(),
        ));
    }
    status::doing("covering the robot with spheres");
    let spheres = arms::cover(arm.robot(), own.spheres);
    let step = args.method.resolution.unwrap_or(DEFAULT_STEP);
    let resolution = Resolution::largest_axis(step)?;
    let given = match (&args.roadmap, args.planner) {
        (_, PlannerName::Tree(_)) | (None, _) => None,
        (Some(file), _) => Some(arms::read_roadmap(file, &problem.arm)?),
    };
    let (arm, scene) = (&problem.arm, &problem.scene);
    let world = || world_record(arm, &spheres, scene, own.checker, resolution);
    let mut keeping = planning.keeping(arm.space(), given.as_ref(), world)?;
    let kept = keeping.as_ref().and_then(Keeping::kept);
    let roadmap = match (kept, given, args.planner) {
        (.., PlannerName::Tree(_)) => None,
        (Some(kept), ..) => Some(kept.roadmap.clone()),
        (None, Some(given), _) => Some(given),
        (None, None, _) => Some(roadmap(planning, &problem, &spheres)?),
    };
    let first = keeping.as_ref().and_then(Keeping::first_roadmap);
    let known = first.as_ref().or(roadmap.as_ref()).map(Fingerprint::of);
    let given = size(roadmap.as_ref());
    let mut options = planning.options(roadmap, None, first)?;
    options.resolution = Some(resolution);
    if let Some(keeping) = &mut keeping {
        let known = match keeping.kept() {
            Some(kept) => {
                let bodies = problem.sphere_world(&spheres)?;
                still_known(kept, keeping.world(), resolution, &bodies)
            }
            None => EdgeMemory::default(),
        };
        keeping.begin(&mut options, known);
    }
    let trouble = |error| trouble(error, own.checker);
    let checked = CheckedArm::new(own.checker, &problem.arm, &spheres, &problem.scene)?;
    let space = checked.space().clone();
    let checked = SideBySide::new(checked, usize::from(own.jobs));
    let checked = planning.checks.on(checked);
    let session = Session::in_space(&space, checked, &problem.start, &problem.goals[..], options);
    let mut session = session.map_err(trouble)?;
    let title = format!("{} in {}", args.planner, short_name(scene_file));
    if args.page.is_live() {
        let movable = ArmInScene {
            problem: problem.clone(),
            spheres: Arc::new(spheres),
            checking: own.checker,
            acceleration: own.acceleration,
        };
        return show_live(planning, title, session, movable, resolution);
    }
    let (trial, _, recorder) = planning.drive(&mut session).map_err(|e| {
        let error = e.downcast::<SessionError<Infallible>>();
        error.map_or_else(|other| other, trouble)
    })?;
    planning.gather(&mut session)?;
    let names: Vec<&str> = problem.arm.names().collect();
    planning.write(&session, &names, known, keeping.as_ref())?;
    let output = Output {
        planning,
        title,
        problem: &problem,
    };
    let page = Page {
        title: &output.title,
        space: problem.arm.space(),
        ends: [&problem.start, &problem.goals[0]],
        obstacles: None,
        grown_obstacles: None,
        shortest: None,
        given,
        trial: &trial,
        arm: Some((&problem, own.acceleration)),
    };
    page.write(planning, &session, recorder)?;
    output.write(session.best_path(), &trial)?;
    Ok(planning.outcome(&trial))
}

/// Plans for an arm while its start, its goal and its scene are moved about.
fn show_live<'s>(
    planning: &Planning<'_>,
    title: String,
    session: Session<'s, Timed<SideBySide<CheckedArm>>>,
    movable: ArmInScene,
    resolution: Resolution,
) -> Result<Outcome> {
    let own = &planning.args.arm;
    let next = |session: Session<'s, _>, before: &ArmInScene, now: &ArmInScene| {
        let (start, goals) = (&now.problem.start, &now.problem.goals[..]);
        let [earlier, scene] = [before, now].map(|p| &p.problem.scene);
        if earlier == scene {
            return Ok(session.again(start, goals)?);
        }
        let bodies = now.problem.sphere_world(&now.spheres)?;
        let arm = &now.problem.arm;
        let [earlier, now_here] = [earlier, scene]
            .map(|scene| world_record(arm, &now.spheres, scene, own.checker, resolution));
        let checked = SideBySide::new(now.checked()?, usize::from(own.jobs));
        let still_known = |roadmap: &Roadmap, known| {
            known_after([&earlier, &now_here], roadmap, known, resolution, &bodies)
        };
        let world = planning.checks.on(checked);
        Ok(session.again_in(world, still_known, start, goals)?)
    };
    let (trial, session, last) = live::run(planning, &title, session, movable, next)?;
    let problem = &last.problem;
    let names: Vec<&str> = problem.arm.names().collect();
    planning.write(&session, &names, None, None)?;
    let output = Output {
        planning,
        title,
        problem,
    };
    output.write(session.best_path(), &trial)?;
    Ok(planning.outcome(&trial))
}

/// The request that start and goal make where no file has one.
fn asked_for(args: &PlanArgs, arm: &Arm) -> Result<MotionRequest> {
    let Some(start) = &args.start else {
        unreachable!("without a request there is a start");
    };
    let start = arms::positions(arm, "--start", start)?;
    let link = args.arm.link.as_deref();
    let goal = match (&args.goal, args.arm.goal_pose) {
        (Some(goal), _) => Goal::Joints(arms::positions(arm, "--goal", goal)?),
        (None, Some(WantedPose::Position(at))) => Goal::Pose(PoseGoal::at(link, at)),
        (None, Some(WantedPose::Pose(pose))) => Goal::Pose(PoseGoal::exact(link, &pose)),
        (None, None) => unreachable!("without a request there is a goal"),
    };
    Ok(MotionRequest {
        group: arm.group().to_owned(),
        start,
        goals: vec![goal],
    })
}

/// What is to be done where the start, or all that the goal may be, is in collision.
fn in_collision(
    problem: &ArmProblem,
    touches: &[Touch],
    first: &Touch,
    request: Option<&Path>,
) -> anyhow::Error {
    /// So many pairs that touch are told.
    const TOLD: usize = 3;
    let end = first.end;
    let mut pairs: Vec<String> = Vec::new();
    for touch in touches {
        let pair = format!("`{}` touches `{}`", touch.body, touch.other);
        if !pairs.contains(&pair) && pairs.len() < TOLD {
            pairs.push(pair);
        }
    }
    let pairs = pairs.join(", ");
    let what = match touches.len() {
        1 => format!("the {end} is in collision: {pairs}"),
        count => {
            format!("all {count} configurations found for the {end} are in collision: {pairs}")
        }
    };
    let place = match request {
        Some(file) => format!("the {end} in `{}`", file.display()),
        None => format!("the {end}"),
    };
    let remedy = problem.remedy(first);
    Mistake::error(what, format!("change {place}, {remedy}"))
}

/// A roadmap made on the spot.
fn roadmap(
    planning: &Planning<'_>,
    problem: &ArmProblem,
    spheres: &SphereModel,
) -> Result<Roadmap> {
    let (args, arm) = (planning.args, &problem.arm);
    let vertices = args.vertices.map_or(DEFAULT_VERTICES, |n| n as usize);
    let neighbours = args.arm.neighbours;
    let neighbours = neighbours.map_or(DEFAULT_NEIGHBOURS, |n| n as usize);
    let sampling = match args.sampler {
        Sampler::Halton => Sampling::Halton,
        Sampler::Uniform => Sampling::Uniform(planning.common.seed),
    };
    let connection = Connection::Nearest(neighbours);
    status::doing("building a roadmap");
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
fn trouble(error: SessionError<Infallible>, checking: Checking) -> anyhow::Error {
    match &error {
        // An end that is free by the true shapes is not so for the checker.
        SessionError::InCollision(end) if checking.is_careful() => Mistake::error(
            format!("the {end} is free, but the spheres that cover the arm touch something"),
            "give more `--spheres`, or `--checker refined`",
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
    /// Writes all that was asked for of the best path, if there is one.
    fn write(&self, path: Option<&Waypoints>, trial: &Trial) -> Result<()> {
        let Some(path) = path else {
            for file in &self.planning.args.arm.trajectory {
                say!("there is no path to write to `{}`", file.display());
            }
            let nothing = match trial.ending {
                Ending::NoPathOnRoadmap => "no path on this roadmap",
                _ => "no path",
            };
            return self.draw(&[], nothing);
        };
        let path: Vec<&[f64]> = path.iter().collect();
        self.write_motion(&path, trial.progress)
    }

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
        let ends = [&self.problem.start[..], &self.problem.goals[0][..]];
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
