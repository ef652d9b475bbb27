//! `psmp plan` for an arm in a scene.

use crate::failure::{Mistake, Outcome, is_closed_pipe};
use crate::plan::{self, PlanArgs, Sampler};
use crate::stopping::Stopping;
use crate::without_roadmap::{Continuous, Found};
use crate::{Common, arms, numbers, say, show};
use anyhow::Result;
use clap::{Args, ValueEnum};
use psmp::checker::{BisectionChecker, Checker, World};
use psmp::{Connection, EventKind, Experience, Path as RoadmapPath, Progress, Roadmap, WorldId};
use psmp_arm::{
    ArmProblem, CertifiedChecker, DEFAULT_ACCELERATION, DEFAULT_NEIGHBOURS, DEFAULT_SPHERES,
    DEFAULT_STEP, DEFAULT_VERTICES, EdgeMemory, ExactWorld, JoinError, JoinedQuery, MotionLimits,
    MotionRequest, RefinedWorld, RememberingChecker, Sampling, SphereModel, SphereWorld,
    Trajectory, joint_roadmap,
};
use psmp_files::{Fingerprint, TableFile};
use psmp_lab::trial::{self, Ending, Trial};
use psmp_lab::{PlannerName, PlannerSpec, Setting, counted, learned, scale};
use psmp_report::picture::ArmPicture;
use psmp_rivals::{MotionChecker, RivalName, Waypoints};
use serde_json::json;
use std::convert::Infallible;
use std::io::Write;
use std::path::{Path, PathBuf};

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

pub fn run(
    args: &PlanArgs,
    robot: &Path,
    common: Common,
    stopping: &Stopping<'_>,
) -> Result<Outcome> {
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
        stopping,
        title: format!("{} in {}", args.planner, short_name(scene_file)),
        problem: &problem,
        spheres: &spheres,
        resolution: args.method.resolution.unwrap_or(DEFAULT_STEP),
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
            "give a positive number of radians, such as 0.03",
        )),
    }
}

/// A problem of an arm, all but the world.
struct Task<'a> {
    args: &'a PlanArgs,
    common: Common,
    stopping: &'a Stopping<'a>,
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
            checker: MotionChecker::for_arms,
            start: &self.problem.start,
            goal: &self.problem.goal,
        }
    }

    fn without_roadmap<W: World<Error = Infallible> + Clone + Send>(
        &self,
        rival: RivalName,
        world: W,
    ) -> Result<Outcome> {
        let planned = self.continuous(world).plan(
            rival,
            self.args,
            self.common,
            self.stopping,
            spheres_touch,
        )?;
        match &planned.found {
            Some(found) => self.write_found(found)?,
            None => self.write_nothing("no path")?,
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
        let spent = counted(found.configurations, "configurations");
        let spent = format!("after {spent}");
        self.write_motion(&configurations, found.path.length(), &spent)
    }

    /// Writes what can be written where there is no path.
    fn write_nothing(&self, what: &str) -> Result<()> {
        for file in self.args.path.iter().chain(&self.args.arm.trajectory) {
            say!("there is no path to write to `{}`", file.display());
        }
        self.draw(&[], what)
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
            "length {length:.3}, {}, {:.2} s, {spent}",
            counted(path.len() - 1, "motions"),
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
            stopping,
            problem,
            resolution,
            ..
        } = self.task;
        let (start, goal) = (&problem.start, &problem.goal);
        let limit = stopping.limit_afterwards(Progress::default());
        let mut joined =
            match JoinedQuery::new(self.roadmap, start, goal, resolution, &mut world, &limit) {
                Err(stopped @ JoinError::Stopped(_)) => {
                    say!("{stopped}\nhint: {}", stopped.remedy());
                    self.task.write_nothing("no path")?;
                    return Ok(Outcome::NoPathYet);
                }
                joined => joined.map_err(|e| cannot_join(e, args.arm.checker))?,
            };
        stopping.planning_begins();
        if args.arm.checker == CheckerArg::Certified {
            // Joining has checked configurations only; that proves nothing about whole motions.
            joined.known = EdgeMemory::new(joined.roadmap.edge_count());
        }
        // What was spent before a planner began: on joining, and on a coarser roadmap.
        let mut spent = Progress {
            configurations: joined.configurations,
            ..Progress::default()
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
            let trial = self.run(planner.as_mut(), spent, last)?;
            if trial.ending == Ending::NoPathOnRoadmap && !last {
                spent = spent.and(trial.progress);
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
                None if trial.ending == Ending::NoPathOnRoadmap => {
                    self.task.write_nothing("no path on this roadmap")?;
                }
                None => self.task.write_nothing("no path")?,
                Some(path) if args.shortcut => self.straighten(world, roadmap, path, progress)?,
                Some(path) => self.write(roadmap, path, progress)?,
            }
            if trial.ending == Ending::Stopped {
                let spent = counted(progress.configurations, "configurations");
                say!("stopped after {spent}");
            }
            return Ok(match (progress.best_length, trial.ending) {
                (Some(_), _) => Outcome::Done,
                (None, ending) => {
                    let outcome = plan::without_path(args, ending);
                    if outcome == Outcome::NoPathOnRoadmap {
                        say!("there is no path on this roadmap, joined to start and goal");
                    }
                    outcome
                }
            });
        }
        unreachable!("the last round returns")
    }

    /// Drives a planner, saying each better path.
    fn run(
        &self,
        planner: &mut (dyn psmp::AnytimePlanner<Error = Infallible> + '_),
        spent: Progress,
        last: bool,
    ) -> Result<Trial> {
        let &Task {
            common, stopping, ..
        } = self.task;
        let name = self.spec.to_string();
        let mut out = std::io::stdout().lock();
        let mut trouble = None;
        let Ok(trial) = trial::run_within(planner, stopping.limit(spent), |event| {
            // That this roadmap has no path is not the end while it can be made finer.
            if event.kind == EventKind::NoPathOnRoadmap && !last {
                return;
            }
            let mut event = *event;
            event.progress = spent.and(event.progress);
            let said =
                show::improvement(&mut out, &name, &event, common.json).and_then(|()| out.flush());
            if let Err(e) = said {
                stopping.interrupt();
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
        let limit = self.task.stopping.limit_afterwards(progress);
        let found = problem.straighten(path, &name, spent, &limit, self.task.common, &mut out)?;
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
            "after {} in {}",
            counted(progress.configurations, "configurations"),
            counted(progress.edges, "edges")
        );
        self.task
            .write_motion(&configurations, path.length(), &spent)
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
    Ok(psmp_files::save(file, &bytes)?)
}
