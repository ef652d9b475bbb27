//! `psmp plan` for an arm in a scene.

use crate::failure::{Mistake, Outcome, is_closed_pipe};
use crate::plan::{self, PlanArgs, Sampler};
use crate::{Common, arms, numbers, say, show};
use anyhow::Result;
use clap::{Args, ValueEnum};
use psmp::checker::{BisectionChecker, Checker, World};
use psmp::{Connection, EventKind, Experience, Path as RoadmapPath, Progress, Roadmap, WorldId};
use psmp_arm::{
    ArmProblem, CertifiedChecker, DEFAULT_ACCELERATION, DEFAULT_NEIGHBOURS, DEFAULT_SPHERES,
    DEFAULT_VERTICES, EdgeMemory, ExactWorld, JoinError, JoinedQuery, MotionLimits, MotionRequest,
    RefinedWorld, RememberingChecker, Sampling, Scene, SphereModel, SphereWorld, Trajectory,
    joint_roadmap,
};
use psmp_lab::picture::ArmPicture;
use psmp_lab::trial::{self, Ending, Trial};
use psmp_lab::{PlannerSpec, Setting, learned, scale};
use psmp_worlds::{Fingerprint, MappedTable};
use serde_json::json;
use std::convert::Infallible;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// The largest joint step from one configuration of a motion to the next, unless told.
const RESOLUTION: f64 = 0.2;
/// How often the roadmap is made finer around start and goal where it has no path.
const MOST_ROUNDS: u32 = 3;
/// Seconds between the instants of a written trajectory, at most.
const PERIOD: f64 = 0.01;

#[derive(Debug, Args)]
#[command(next_help_heading = "Arms")]
pub struct ArmArgs {
    /// A robot: a URDF file, or a shipped model (panda-like, wam-like, ur5-like, planar-N).
    #[arg(long, value_name = "URDF", requires = "scene", requires = "request")]
    pub robot: Option<PathBuf>,

    /// The robot's groups and disabled pairs, an SRDF file. Without it all joints are planned for.
    #[arg(long, value_name = "SRDF", requires = "robot")]
    srdf: Option<PathBuf>,

    /// What stands around the robot: a MoveIt planning scene (YAML), or a scene in TOML.
    #[arg(long, value_name = "FILE", requires = "robot")]
    scene: Option<PathBuf>,

    /// From where to where, and with which group: a MoveIt motion plan request (YAML).
    #[arg(long, value_name = "FILE", requires = "robot")]
    request: Option<PathBuf>,

    /// How configurations are checked.
    #[arg(long, value_enum, default_value_t = CheckerArg::Refined, requires = "robot")]
    checker: CheckerArg,

    /// How many spheres cover the robot, at most.
    #[arg(long, default_value_t = DEFAULT_SPHERES, requires = "robot")]
    spheres: usize,

    /// How many nearest neighbours each vertex of a roadmap made on the spot is joined to; 15 if
    /// not given.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..), requires = "robot", conflicts_with = "roadmap")]
    neighbours: Option<u32>,

    /// The greatest acceleration of every joint, in rad/s² or m/s². Velocities are limited as the
    /// URDF says.
    #[arg(long, value_name = "LIMIT", default_value_t = DEFAULT_ACCELERATION, value_parser = numbers::positive, requires = "robot")]
    acceleration: f64,

    /// Where to write the best path with times: .json or .csv by the ending. May be given more
    /// than once.
    #[arg(long, value_name = "FILE", requires = "robot")]
    pub trajectory: Vec<PathBuf>,
}

/// How configurations of an arm are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CheckerArg {
    /// By spheres, and by the true shapes where the spheres touch.
    Refined,
    /// By spheres that cover the links: fastest, and too careful.
    Spheres,
    /// By the true shapes.
    Exact,
    /// Whole motions by the clearance of the spheres, not only configurations along them.
    Certified,
}

pub fn run(args: &PlanArgs, robot: &Path, common: Common) -> Result<Outcome> {
    let own = &args.arm;
    let (Some(scene_file), Some(request_file)) = (&own.scene, &own.request) else {
        unreachable!("a robot requires a scene and a request");
    };
    let spec = plan::planner(args)?;
    let request = MotionRequest::read(request_file)?;
    let arm = arms::load(robot, own.srdf.as_deref(), Some(&request.group))?;
    let scene = Scene::read(scene_file)?;
    if let Some(other) = scene.robot.as_ref().filter(|r| *r != arm.robot().name()) {
        let own = arm.robot().name();
        say!("note: the scene was made for robot `{other}`, and this is `{own}`");
    }
    let problem = ArmProblem::new(&arm, scene, &request)?;
    if let Some(touch) = problem.touch()? {
        let (end, body, other) = (touch.end, &touch.body, &touch.other);
        return Err(Mistake::error(
            format!("the {end} is in collision: `{body}` touches `{other}`"),
            format!(
                "change the {end} in `{}`, move `{other}`, or allow the two to touch in the scene's \
                 allowed collisions",
                request_file.display()
            ),
        ));
    }
    let spheres = SphereModel::kept(arm.robot(), own.spheres)?;
    let roadmap = match &args.roadmap {
        Some(file) => arms::read_roadmap(file, &arm)?,
        None => {
            let vertices = args.vertices.map_or(DEFAULT_VERTICES, |n| n as usize);
            let neighbours = own.neighbours.map_or(DEFAULT_NEIGHBOURS, |n| n as usize);
            let sampling = match args.sampler {
                Sampler::Halton => Sampling::Halton,
                Sampler::Uniform => Sampling::Uniform(common.seed),
            };
            joint_roadmap(
                &problem.arm,
                &spheres,
                vertices,
                sampling,
                Connection::Nearest(neighbours),
            )?
        }
    };
    let task = Task {
        title: format!("{spec} in {}", short_name(scene_file)),
        spec,
        problem: &problem,
        roadmap: &roadmap,
        resolution: args.method.resolution.unwrap_or(RESOLUTION),
    };
    let (arm, scene) = (&problem.arm, &problem.scene);
    match own.checker {
        CheckerArg::Refined => task.solve(
            args,
            common,
            RefinedWorld::new(arm, &spheres, scene)?,
            sampled,
        ),
        CheckerArg::Exact => task.solve(args, common, ExactWorld::new(arm, scene)?, sampled),
        CheckerArg::Spheres => {
            let world = SphereWorld::new(arm, &spheres, scene)?;
            task.solve(args, common, world, sampled)
        }
        CheckerArg::Certified => {
            let world = SphereWorld::new(arm, &spheres, scene)?;
            task.solve(args, common, world, certified)
        }
    }
}

/// A file by its name and its folder's: the end of a path tells scenes apart, not its beginning.
fn short_name(file: &Path) -> String {
    let parts: Vec<_> = file.components().rev().take(2).collect();
    let short: PathBuf = parts.into_iter().rev().collect();
    short.display().to_string()
}

type AnyChecker<'r> = Box<dyn Checker<Error = Infallible> + Send + 'r>;

/// Checks configurations along an edge.
fn sampled<W: World<Error = Infallible> + Send + 'static>(
    roadmap: &Roadmap,
    resolution: f64,
    world: W,
) -> Result<AnyChecker<'_>> {
    Ok(Box::new(BisectionChecker::by_largest_step(
        roadmap, resolution, world,
    )?))
}

/// Checks all of an edge.
fn certified(roadmap: &Roadmap, resolution: f64, world: SphereWorld) -> Result<AnyChecker<'_>> {
    match CertifiedChecker::new(roadmap, resolution, world) {
        Some(checker) => Ok(Box::new(checker)),
        None => Err(Mistake::error(
            format!("`--resolution {resolution}` is no step"),
            "give a positive number of radians, such as 0.2",
        )),
    }
}

/// A problem of an arm, all but the world.
struct Task<'a> {
    title: String,
    spec: PlannerSpec,
    problem: &'a ArmProblem,
    /// The roadmap of the arm, which experience is about.
    roadmap: &'a Roadmap,
    resolution: f64,
}

impl Task<'_> {
    fn solve<W: World<Error = Infallible> + Clone + Send>(
        &self,
        args: &PlanArgs,
        common: Common,
        world: W,
        checker: impl for<'r> Fn(&'r Roadmap, f64, W) -> Result<AnyChecker<'r>>,
    ) -> Result<Outcome> {
        match (&args.belief, &args.experience_table) {
            (Some(file), _) => {
                let belief = learned::open(file, Fingerprint::of(self.roadmap))?;
                self.solve_with(args, common, world, checker, Some(&belief))
            }
            (None, Some(file)) => {
                let table = plan::read_table(file, self.roadmap)?;
                self.solve_with(args, common, world, checker, Some(&table))
            }
            (None, None) => self.solve_with(args, common, world, checker, None::<&MappedTable>),
        }
    }

    fn solve_with<W: World<Error = Infallible> + Clone + Send, T: Experience + Sync>(
        &self,
        args: &PlanArgs,
        common: Common,
        mut world: W,
        checker: impl for<'r> Fn(&'r Roadmap, f64, W) -> Result<AnyChecker<'r>>,
        experience: Option<&T>,
    ) -> Result<Outcome> {
        let (start, goal) = (&self.problem.start, &self.problem.goal);
        let joined = JoinedQuery::new(self.roadmap, start, goal, self.resolution, &mut world);
        let mut joined = joined.map_err(|e| cannot_join(e, args.arm.checker))?;
        if args.arm.checker == CheckerArg::Certified {
            // Joining has checked configurations only; that proves nothing about whole motions.
            joined.known = EdgeMemory::new(joined.roadmap.edge_count());
        }
        let interrupted = plan::interruption()?;
        let mut spent = Spent {
            configurations: joined.configurations,
            ..Spent::default()
        };
        let known = experience.map(|t| {
            let worlds = (0..t.world_count() as u32).map(WorldId);
            (t, worlds.collect::<Vec<_>>())
        });
        for round in 0.. {
            let JoinedQuery {
                roadmap,
                query,
                known: memory,
                ..
            } = &mut joined;
            let (roadmap, query): (&Roadmap, _) = (roadmap, *query);
            let setting = Setting {
                roadmap,
                query,
                experience: known.clone(),
                eta: args.method.eta / scale(self.roadmap),
                fallback: args.method.fallback,
                seed: common.seed,
            };
            let checker = checker(roadmap, self.resolution, world.clone())?;
            let checker = RememberingChecker::new(checker, memory);
            let mut planner = self.spec.build(&setting, checker)?;
            let last = round == MOST_ROUNDS;
            let trial = self.run(planner.as_mut(), args, common, &interrupted, spent, last)?;
            if trial.ending == Ending::Infeasible && !last {
                spent.add(&trial);
                drop(planner);
                say!("the roadmap has no path; it is made finer around start and goal");
                joined.make_finer(round)?;
                continue;
            }
            if let Some(file) = &args.outcomes {
                let about = Fingerprint::of(self.roadmap);
                learned::Outcomes::of(about, planner.ledger()).write(file)?;
            }
            let progress = spent.and(planner.progress());
            self.write(args, common, roadmap, planner.best_path(), progress)?;
            if trial.ending == Ending::Stopped {
                say!("stopped after {} configurations", progress.configurations);
            }
            return Ok(match (progress.best_length, trial.ending) {
                (Some(_), _) => Outcome::Done,
                (None, Ending::Infeasible) => {
                    say!("hint: a roadmap of more `--vertices` may have one");
                    Outcome::Infeasible
                }
                (None, _) => Outcome::NoPathYet,
            });
        }
        unreachable!("the last round returns")
    }

    /// Drives a planner, saying each better path.
    fn run(
        &self,
        planner: &mut (dyn psmp::AnytimePlanner<Error = Infallible> + '_),
        args: &PlanArgs,
        common: Common,
        interrupted: &Arc<AtomicBool>,
        spent: Spent,
        last: bool,
    ) -> Result<Trial> {
        let name = self.spec.to_string();
        let stop = plan::stop(args, interrupted, spent);
        let mut out = std::io::stdout().lock();
        let mut trouble = None;
        let Ok(trial) = trial::run(planner, &stop, |event| {
            // That this roadmap has no path is not the end while it can be made finer.
            if event.kind == EventKind::Infeasible && !last {
                return;
            }
            let mut event = *event;
            event.progress = spent.and(event.progress);
            let said =
                show::improvement(&mut out, &name, &event, common.json).and_then(|()| out.flush());
            if let Err(e) = said {
                // No one hears of better paths any more: end as if interrupted.
                interrupted.store(true, Ordering::Relaxed);
                trouble.get_or_insert(e);
            }
        });
        match trouble.filter(|e| !is_closed_pipe(e)) {
            Some(e) => Err(e.into()),
            None => Ok(trial),
        }
    }

    /// Writes the files that were asked for.
    fn write(
        &self,
        args: &PlanArgs,
        common: Common,
        roadmap: &Roadmap,
        path: Option<&RoadmapPath>,
        progress: Progress,
    ) -> Result<()> {
        let arm = &self.problem.arm;
        let Some(path) = path else {
            for file in args.path.iter().chain(&args.arm.trajectory) {
                say!("there is no path to write to `{}`", file.display());
            }
            return self.draw(args, &[], "no path");
        };
        let names: Vec<&str> = arm.names().collect();
        for file in &args.path {
            let written = plan::PathToWrite {
                roadmap,
                path,
                names: &names,
                planner: self.spec.to_string(),
                seed: common.seed,
                progress,
            };
            written.write(file)?;
        }
        let configurations: Vec<&[f64]> = path
            .vertices()
            .iter()
            .filter_map(|v| roadmap.configuration(*v))
            .collect();
        let limits = MotionLimits::of(arm, args.arm.acceleration);
        let trajectory = Trajectory::along(arm, &configurations, &limits)?;
        for file in &args.arm.trajectory {
            write_trajectory(file, &names, &trajectory)?;
        }
        let detail = format!(
            "length {:.3}, {} motions, {:.2} s, after {} configurations in {} edges",
            path.length(),
            path.edges().len(),
            trajectory.duration(),
            progress.configurations,
            progress.edges
        );
        self.draw(args, &configurations, &detail)
    }

    /// Draws the arm along a path, or at start and goal only.
    fn draw(&self, args: &PlanArgs, path: &[&[f64]], detail: &str) -> Result<()> {
        let ends = [&self.problem.start[..], &self.problem.goal[..]];
        let picture = ArmPicture {
            title: &self.title,
            subtitle: detail,
            arm: &self.problem.arm,
            scene: &self.problem.scene,
            path: if path.is_empty() { &ends } else { path },
            moves: !path.is_empty(),
        };
        for file in &args.picture {
            picture.write(file)?;
        }
        Ok(())
    }
}

/// What was spent before a planner began: on joining, and on a coarser roadmap.
#[derive(Debug, Clone, Copy, Default)]
pub struct Spent {
    pub configurations: u64,
    pub edges: u64,
    pub proposals: u64,
    pub time: std::time::Duration,
}

impl Spent {
    fn add(&mut self, trial: &Trial) {
        self.configurations += trial.progress.configurations;
        self.edges += trial.progress.edges;
        self.proposals += trial.progress.proposals;
        self.time += trial.duration;
    }

    /// All that was spent when a planner stands at this.
    fn and(self, progress: Progress) -> Progress {
        Progress {
            configurations: self.configurations + progress.configurations,
            edges: self.edges + progress.edges,
            proposals: self.proposals + progress.proposals,
            ..progress
        }
    }
}

fn cannot_join(error: JoinError, checker: CheckerArg) -> anyhow::Error {
    match (&error, checker) {
        (JoinError::InCollision(end), CheckerArg::Spheres | CheckerArg::Certified) => {
            Mistake::error(
                format!("the {end} is free, but the spheres that cover the arm touch something"),
                "give more `--spheres`, or `--checker refined`",
            )
        }
        _ => error.into(),
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
    Ok(psmp_worlds::save(file, &bytes)?)
}
