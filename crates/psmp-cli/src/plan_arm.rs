//! `psmp plan` for an arm in a scene.

use crate::failure::{Mistake, Outcome, is_closed_pipe};
use crate::plan::{self, PlanArgs, Sampler};
use crate::without_roadmap::{Continuous, Found};
use crate::{Common, arms, numbers, say, show};
use anyhow::Result;
use clap::{Args, ValueEnum};
use psmp::checker::{BisectionChecker, Checker, World};
use psmp::{Connection, EventKind, Experience, Path as RoadmapPath, Progress, Roadmap, WorldId};
use psmp_arm::{
    ArmProblem, CertifiedChecker, DEFAULT_ACCELERATION, DEFAULT_NEIGHBOURS, DEFAULT_SPHERES,
    DEFAULT_VERTICES, EdgeMemory, ExactWorld, JoinError, JoinedQuery, MotionLimits, MotionRequest,
    RefinedWorld, RememberingChecker, Sampling, SphereModel, SphereWorld, Trajectory,
    joint_roadmap,
};
use psmp_lab::picture::ArmPicture;
use psmp_lab::trial::{self, Ending, Trial};
use psmp_lab::{PlannerName, PlannerSpec, Setting, learned, scale};
use psmp_rivals::{MotionChecker, RivalName, Waypoints};
use psmp_worlds::{Fingerprint, TableFile};
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
    let spheres = arms::cover(arm.robot(), own.spheres);
    let task = Task {
        args,
        common,
        title: format!("{} in {}", args.planner, short_name(scene_file)),
        problem: &problem,
        spheres: &spheres,
        resolution: args.method.resolution.unwrap_or(RESOLUTION),
    };
    let (arm, scene) = (&problem.arm, &problem.scene);
    match own.checker {
        CheckerArg::Refined => task.solve(RefinedWorld::new(arm, &spheres, scene)?, sampled),
        CheckerArg::Exact => task.solve(ExactWorld::new(arm, scene)?, sampled),
        CheckerArg::Spheres => task.solve(SphereWorld::new(arm, &spheres, scene)?, sampled),
        CheckerArg::Certified => task.solve(SphereWorld::new(arm, &spheres, scene)?, certified),
    }
}

/// What cannot go together is told before any work is done.
fn check_combination(args: &PlanArgs) -> Result<()> {
    match args.planner {
        PlannerName::OnRoadmap(spec) => {
            plan::checked(args, spec)?;
        }
        PlannerName::WithoutRoadmap(name) if args.arm.checker == CheckerArg::Certified => {
            return Err(Mistake::error(
                format!(
                    "`--checker certified` certifies edges of a roadmap, and `{name}` knows none"
                ),
                "choose another checker, or a planner such as `ei:ensemble`",
            ));
        }
        PlannerName::WithoutRoadmap(_) => {}
    }
    if args.shortcut && args.arm.checker == CheckerArg::Certified {
        return Err(Mistake::error(
            "`--shortcut` checks configurations along motions, so that its path would not be certified",
            "leave out `--shortcut`, or choose another checker",
        ));
    }
    Ok(())
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
    args: &'a PlanArgs,
    common: Common,
    title: String,
    problem: &'a ArmProblem,
    spheres: &'a SphereModel,
    resolution: f64,
}

impl Task<'_> {
    fn solve<W: World<Error = Infallible> + Clone + Send>(
        &self,
        world: W,
        checker: impl for<'r> Fn(&'r Roadmap, f64, W) -> Result<AnyChecker<'r>>,
    ) -> Result<Outcome> {
        let spec = match self.args.planner {
            PlannerName::OnRoadmap(spec) => spec,
            PlannerName::WithoutRoadmap(rival) => return self.without_roadmap(rival, world),
        };
        let on_roadmap = OnRoadmap {
            task: self,
            spec,
            roadmap: &self.roadmap()?,
        };
        match (&self.args.belief, &self.args.experience_table) {
            (Some(file), _) => {
                let belief = learned::open(file, Fingerprint::of(on_roadmap.roadmap))?;
                on_roadmap.solve(world, checker, Some(&belief))
            }
            (None, Some(file)) => {
                let table = plan::read_table(file, on_roadmap.roadmap)?;
                on_roadmap.solve(world, checker, Some(&table))
            }
            (None, None) => on_roadmap.solve(world, checker, None::<&TableFile>),
        }
    }

    /// The roadmap that was given, or one made on the spot.
    fn roadmap(&self) -> Result<Roadmap> {
        let (args, arm) = (self.args, &self.problem.arm);
        if let Some(file) = &args.roadmap {
            return arms::read_roadmap(file, arm);
        }
        let vertices = args.vertices.map_or(DEFAULT_VERTICES, |n| n as usize);
        let neighbours = args.arm.neighbours;
        let neighbours = neighbours.map_or(DEFAULT_NEIGHBOURS, |n| n as usize);
        let sampling = match args.sampler {
            Sampler::Halton => Sampling::Halton,
            Sampler::Uniform => Sampling::Uniform(self.common.seed),
        };
        let connection = Connection::Nearest(neighbours);
        Ok(joint_roadmap(
            arm,
            self.spheres,
            vertices,
            sampling,
            connection,
        )?)
    }

    /// The same problem in the joints' space, with no roadmap in it.
    fn continuous<W: World>(&self, world: W) -> Continuous<'_, W> {
        Continuous {
            space: self.problem.arm.space(),
            resolution: self.resolution,
            world,
            checker: MotionChecker::by_largest_step,
            start: &self.problem.start,
            goal: &self.problem.goal,
        }
    }

    fn without_roadmap<W: World<Error = Infallible> + Clone + Send>(
        &self,
        rival: RivalName,
        world: W,
    ) -> Result<Outcome> {
        let planned = self
            .continuous(world)
            .plan(rival, self.args, self.common, spheres_touch)?;
        match &planned.found {
            Some(found) => self.write_found(found)?,
            None => self.write_nothing()?,
        }
        Ok(planned.outcome())
    }

    /// Writes the files that were asked for, of a path that lies on no roadmap.
    fn write_found(&self, found: &Found) -> Result<()> {
        let names: Vec<&str> = self.problem.arm.names().collect();
        let planner = self.args.planner.to_string();
        for file in &self.args.path {
            found.write(file, &names, &planner, self.common)?;
        }
        let configurations: Vec<&[f64]> = found.path.iter().collect();
        let spent = format!("after {} configurations", found.configurations);
        self.write_motion(&configurations, found.path.length(), &spent)
    }

    /// Writes what can be written where there is no path.
    fn write_nothing(&self) -> Result<()> {
        for file in self.args.path.iter().chain(&self.args.arm.trajectory) {
            say!("there is no path to write to `{}`", file.display());
        }
        self.draw(&[], "no path")
    }

    /// Writes the trajectory along a path, and draws the arm on it.
    fn write_motion(&self, path: &[&[f64]], length: f64, spent: &str) -> Result<()> {
        let (arm, args) = (&self.problem.arm, &self.args.arm);
        let limits = MotionLimits::of(arm, args.acceleration);
        let trajectory = Trajectory::along(arm, path, &limits)?;
        let names: Vec<&str> = arm.names().collect();
        for file in &args.trajectory {
            write_trajectory(file, &names, &trajectory)?;
        }
        let detail = format!(
            "length {length:.3}, {} motions, {:.2} s, {spent}",
            path.len() - 1,
            trajectory.duration(),
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
        for file in &self.args.picture {
            picture.write(file)?;
        }
        Ok(())
    }
}

/// The same with a roadmap of the arm, which experience is about.
struct OnRoadmap<'a> {
    task: &'a Task<'a>,
    spec: PlannerSpec,
    roadmap: &'a Roadmap,
}

impl OnRoadmap<'_> {
    fn solve<W: World<Error = Infallible> + Clone + Send, T: Experience + Sync>(
        &self,
        mut world: W,
        checker: impl for<'r> Fn(&'r Roadmap, f64, W) -> Result<AnyChecker<'r>>,
        experience: Option<&T>,
    ) -> Result<Outcome> {
        let &Task {
            args,
            common,
            problem,
            resolution,
            ..
        } = self.task;
        let (start, goal) = (&problem.start, &problem.goal);
        let joined = JoinedQuery::new(self.roadmap, start, goal, resolution, &mut world);
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
            let checker = checker(roadmap, resolution, world.clone())?;
            let checker = RememberingChecker::new(checker, memory);
            let mut planner = self.spec.build(&setting, checker)?;
            let last = round == MOST_ROUNDS;
            let trial = self.run(planner.as_mut(), &interrupted, spent, last)?;
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
            match planner.best_path() {
                None => self.task.write_nothing()?,
                Some(path) if args.shortcut => self.straighten(world, roadmap, path, progress)?,
                Some(path) => self.write(roadmap, path, progress)?,
            }
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
        interrupted: &Arc<AtomicBool>,
        spent: Spent,
        last: bool,
    ) -> Result<Trial> {
        let &Task { args, common, .. } = self.task;
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

    /// Straightens the path and writes the files that were asked for.
    fn straighten<W: World<Error = Infallible> + Clone + Send>(
        &self,
        world: W,
        roadmap: &Roadmap,
        path: &RoadmapPath,
        progress: Progress,
    ) -> Result<()> {
        let Some(path) = Waypoints::of_roadmap(roadmap, path) else {
            unreachable!("an arm's roadmap has configurations");
        };
        let (name, spent) = (self.spec.to_string(), progress.configurations);
        let mut out = std::io::stdout().lock();
        let problem = self.task.continuous(world);
        let found = problem.straighten(path, &name, spent, self.task.common, &mut out)?;
        self.task.write_found(&found)
    }

    /// Writes the files that were asked for.
    fn write(&self, roadmap: &Roadmap, path: &RoadmapPath, progress: Progress) -> Result<()> {
        let names: Vec<&str> = self.task.problem.arm.names().collect();
        for file in &self.task.args.path {
            let written = plan::PathToWrite {
                roadmap,
                path,
                names: &names,
                planner: self.spec.to_string(),
                seed: self.task.common.seed,
                progress,
            };
            written.write(file)?;
        }
        let vertices = path.vertices().iter();
        let configurations: Vec<&[f64]> =
            vertices.filter_map(|v| roadmap.configuration(*v)).collect();
        let spent = format!(
            "after {} configurations in {} edges",
            progress.configurations, progress.edges
        );
        self.task
            .write_motion(&configurations, path.length(), &spent)
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
            spheres_touch(&end.to_string())
        }
        _ => error.into(),
    }
}

/// An end that is free by the true shapes is not so for the checker.
fn spheres_touch(end: &str) -> anyhow::Error {
    Mistake::error(
        format!("the {end} is free, but the spheres that cover the arm touch something"),
        "give more `--spheres`, or `--checker refined`",
    )
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
