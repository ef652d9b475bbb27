//! `psmp plan`: one problem, every better path as it comes.

use crate::bench::{ExperienceArg, MethodArgs, PreferArg};
use crate::failure::{Mistake, Outcome, is_closed_pipe};
use crate::plan_arm::{self, ArmArgs};
use crate::stopping::Stopping;
use crate::without_roadmap::{Continuous, InMap, PLANE};
use crate::{Common, numbers, say, show};
use anyhow::Result;
use clap::{ArgGroup, Args, ValueEnum};
use psmp::checker::{BisectionChecker, Checker, WorldFn};
use psmp::{Anytime, Connection, Experience, Progress, Query, Roadmap, Space, WorldId, roadmap};
use psmp_files::{FileError, Fingerprint, TableFile};
use psmp_lab::trial::{self, Ending, Trial};
use psmp_lab::{
    PlannerName, PlannerSpec, Problems, Setting, checker_for, counted, learned, resolution_for,
    scale,
};
use psmp_rivals::{MotionChecker, Waypoints};
use psmp_worlds::{
    Dataset, DiscRobot, Frame, ImageOptions, OccupancyGrid, ReadOptions, UnknownCells, graphml,
};
use serde_json::json;
use std::convert::Infallible;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("problem").required(true).args(["map", "dataset", "robot"])),
    after_help = "Examples:\n  \
    psmp plan --map office.png --start 0.1,0.1 --goal 0.9,0.9 --picture plan.svg --path plan.csv\n  \
    psmp plan --map office.yaml --start=-3,2.5 --goal 8,4 --robot-radius 0.3 --vertices 2000\n  \
    psmp plan --dataset dataset_2d_1 --world 17 --planner psmp:fs --gap 0.01 --picture run.png\n  \
    psmp plan --dataset dataset_2d_1 --world 17 --belief 2d_1.belief --outcomes run.json\n  \
    psmp plan --map office.png --start 0.1,0.1 --goal 0.9,0.9 --planner bitstar --configurations 50000\n  \
    psmp plan --map office.png --start 0.1,0.1 --goal 0.9,0.9 --shortcut --path plan.csv\n  \
    psmp plan --robot panda.urdf --srdf panda.srdf --scene scene0001.yaml --request request0001.yaml \
    --trajectory plan.csv --picture plan.png\n  \
    psmp plan --robot panda.urdf --srdf panda.srdf --scene scene0001.yaml --request request0001.yaml \
    --planner rrtconnect --shortcut --trajectory plan.csv\n  \
    psmp plan --robot panda-like --scene clutter/scene0001.yaml --request clutter/request0001.yaml \
    --roadmap clutter/roadmap.graphml --belief clutter.belief --time 5\n\n\
    An arm's roadmap is made finer around start and goal where it has no path. Its trajectory keeps to \
    the straight motions that were checked and rests at their ends, so that a straightened path, which has \
    more of them, is shorter but need not be faster.\n\n\
    Ctrl-C ends a run with the best path so far."
)]
pub struct PlanArgs {
    /// A map: PNG or PGM image (white is free), or a ROS map_server YAML file.
    #[arg(long, value_name = "FILE", requires = "start", requires = "goal")]
    map: Option<PathBuf>,

    /// The folder of a dataset.
    #[arg(long, value_name = "DIR", requires = "world")]
    dataset: Option<PathBuf>,

    /// The world of the dataset to plan in, counted from 1.
    #[arg(long, conflicts_with_all = ["map", "robot"], allow_negative_numbers = true)]
    world: Option<u32>,

    /// Where to begin, in the map's units.
    #[arg(long, value_name = "X,Y", value_parser = numbers::several::<2>, allow_hyphen_values = true, conflicts_with_all = ["dataset", "robot"])]
    start: Option<[f64; 2]>,

    /// Where to end.
    #[arg(long, value_name = "X,Y", value_parser = numbers::several::<2>, allow_hyphen_values = true, conflicts_with_all = ["dataset", "robot"])]
    goal: Option<[f64; 2]>,

    /// What the outermost pixels' centres of an image map to. If not given, pixels are as wide as high
    /// and the longer side runs from 0 to 1.
    #[arg(long, value_name = "X0,X1,Y0,Y1", value_parser = parse_bounds, allow_hyphen_values = true, conflicts_with_all = ["dataset", "robot"])]
    bounds: Option<[f64; 4]>,

    /// The radius of a round robot; a point if not given.
    #[arg(long, value_name = "RADIUS", default_value_t = 0.0, value_parser = numbers::not_negative, allow_negative_numbers = true, conflicts_with_all = ["dataset", "robot"])]
    robot_radius: f64,

    /// A roadmap to plan on, instead of one made on the spot.
    #[arg(long, value_name = "FILE.graphml", conflicts_with = "dataset")]
    pub roadmap: Option<PathBuf>,

    /// Known worlds of the roadmap given, as a table made by `psmp convert`.
    #[arg(long, value_name = "FILE.table", requires = "roadmap")]
    pub experience_table: Option<PathBuf>,

    /// Vertices of a roadmap made on the spot; 500 for a map and 10000 for an arm if not given.
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=5_000_000), allow_negative_numbers = true, conflicts_with_all = ["dataset", "roadmap"])]
    pub vertices: Option<u32>,

    /// Where the vertices of a roadmap made on the spot lie.
    #[arg(long, value_enum, default_value_t = Sampler::Halton, conflicts_with_all = ["dataset", "roadmap"])]
    pub sampler: Sampler,

    /// Join vertices at most this far apart; PRM*'s radius if not given.
    #[arg(long, value_name = "DISTANCE", value_parser = numbers::positive, allow_negative_numbers = true, conflicts_with_all = ["dataset", "robot"])]
    radius: Option<f64>,

    /// The planner, as `PROPOSER[:BELIEF[:VALIDATOR]][:insured|:uninsured]`, see `psmp bench --help`;
    /// or one that plans in the map or for the arm without a roadmap: `rrtconnect`,
    /// `rrtconnect+shortcut`, `rrtstar`, `bitstar`.
    #[arg(long, default_value = "ei:ensemble")]
    pub planner: PlannerName,

    /// In the end straighten the path: try straight motions between places on it. They need not lie
    /// on the roadmap, and the picture of a map does not show them. An arm's are checked every 0.01
    /// rad, and so is the path before.
    #[arg(long)]
    pub shortcut: bool,

    /// Whether the world planned in is among the known ones.
    #[arg(long, value_enum, default_value_t = ExperienceArg::Seen, conflicts_with_all = ["map", "robot"])]
    experience: ExperienceArg,

    /// A belief made by `psmp learn`, to plan with instead of the dataset's or a table's worlds.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["experience_table", "experience"])]
    pub belief: Option<PathBuf>,

    #[command(flatten)]
    pub method: MethodArgs,

    /// Which of two twins of a dataset's file is read, text or MAT-file.
    #[arg(long, value_enum, default_value_t = PreferArg::Text, conflicts_with_all = ["map", "robot"])]
    prefer: PreferArg,

    /// Stop after this many configurations.
    #[arg(
        long,
        value_name = "COUNT",
        help_heading = "Stopping",
        allow_negative_numbers = true
    )]
    pub configurations: Option<u64>,

    /// Stop after this many edges.
    #[arg(
        long,
        value_name = "COUNT",
        help_heading = "Stopping",
        allow_negative_numbers = true
    )]
    pub edges: Option<u64>,

    /// Stop after this many proposed paths.
    #[arg(
        long,
        value_name = "COUNT",
        help_heading = "Stopping",
        allow_negative_numbers = true
    )]
    pub proposals: Option<u64>,

    /// Stop after this many seconds, counted from the beginning of the command.
    #[arg(long, value_name = "SECONDS", help_heading = "Stopping", value_parser = parse_seconds, allow_negative_numbers = true)]
    pub time: Option<Duration>,

    /// Stop once the path is certainly at most this share longer than the shortest on the roadmap;
    /// without a roadmap, than the straight line.
    #[arg(long, value_name = "SHARE", help_heading = "Stopping", value_parser = numbers::not_negative, allow_negative_numbers = true)]
    pub gap: Option<f64>,

    /// Where to write the best path: .json or .csv by the ending. May be given more than once.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub path: Vec<PathBuf>,

    /// Where to write what every check has found, for `psmp learn --add`: a .json file.
    #[arg(long, value_name = "FILE.json", help_heading = "Output")]
    pub outcomes: Option<PathBuf>,

    /// Where to draw the run: .svg or .png by the ending. May be given more than once.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub picture: Vec<PathBuf>,

    // Last, so that no other options come under its heading.
    #[command(flatten)]
    pub arm: ArmArgs,
}

/// Where the vertices of a roadmap lie.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum Sampler {
    /// Evenly spread, the same every time.
    Halton,
    /// Random, by the seed.
    Uniform,
}

fn parse_bounds(text: &str) -> Result<[f64; 4], String> {
    let [x0, x1, y0, y1] = numbers::several(text)?;
    if x0 < x1 && y0 < y1 {
        Ok([x0, x1, y0, y1])
    } else {
        Err("expected left below right and bottom below top, as in 0,1,0,1".to_owned())
    }
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    text.parse()
        .ok()
        .and_then(|s| Duration::try_from_secs_f64(s).ok())
        .ok_or_else(|| "expected a number of seconds".to_owned())
}

pub fn run(args: &PlanArgs, common: Common) -> Result<Outcome> {
    let stopping = &Stopping::begin(args)?;
    // Before any work, see that its results can be kept.
    for (files, endings) in [
        (&args.path, ["json", "csv"]),
        (&args.arm.trajectory, ["json", "csv"]),
        (&args.picture, ["svg", "png"]),
    ] {
        for file in files {
            let known = |e: &std::ffi::OsStr| endings.iter().any(|k| e.eq_ignore_ascii_case(k));
            if !file.extension().is_some_and(known) {
                return Err(Mistake::error(
                    format!("`{}` ends in no known format", file.display()),
                    format!("end the name in `.{}` or `.{}`", endings[0], endings[1]),
                ));
            }
            psmp_files::check_writable(file)?;
        }
    }
    if let Some(file) = &args.outcomes {
        psmp_files::check_writable(file)?;
    }
    match (&args.map, &args.dataset, &args.arm.robot) {
        (Some(map), ..) => in_map(args, map, common, stopping),
        (_, Some(folder), _) => in_dataset(args, folder, common, stopping),
        (_, _, Some(robot)) => plan_arm::run(args, robot, common, stopping),
        (None, None, None) => unreachable!("one of them is required"),
    }
}

fn in_dataset(
    args: &PlanArgs,
    folder: &Path,
    common: Common,
    stopping: &Stopping<'_>,
) -> Result<Outcome> {
    let read = ReadOptions {
        prefer: args.prefer.into(),
        ..ReadOptions::default()
    };
    let dataset = Dataset::open_with(folder, read)?;
    let table = dataset.table()?;
    let world = match args.world {
        Some(id) if (1..=table.world_count()).contains(&(id as usize)) => WorldId(id - 1),
        id => {
            return Err(Mistake::error(
                format!(
                    "world {} is not in dataset `{}`",
                    id.unwrap_or(0),
                    dataset.name
                ),
                format!("its worlds are 1 to {}", table.world_count()),
            ));
        }
    };
    let image = dataset.image(world)?;
    let query = dataset.query()?;
    let place = format!("world {} of {}", world.0 + 1, dataset.name);
    let ends = [query.start, query.goal].map(|v| dataset.roadmap.configuration(v));
    let is_free = |q: &[f64]| image.as_ref().is_some_and(|image| image.free_at(q));
    let in_image = match (dataset.roadmap.space(), image.as_ref(), ends) {
        (Some(space), Some(image), [Some(start), Some(goal)]) => Some(InMap {
            place: &place,
            obstacles: image,
            problem: Continuous {
                space,
                resolution: resolution_for(&dataset.roadmap, args.method.resolution)?,
                world: WorldFn(&is_free),
                checker: MotionChecker::new,
                start,
                goal,
            },
        }),
        _ => None,
    };
    let spec = match (args.planner, &in_image) {
        (PlannerName::OnRoadmap(spec), _) => checked(args, spec)?,
        (PlannerName::WithoutRoadmap(name), Some(in_image)) => {
            return in_image.plan(name, args, common, stopping);
        }
        (PlannerName::WithoutRoadmap(name), None) => {
            return Err(Mistake::error(
                format!("{place} has no image that `{name}` could plan in"),
                "choose a planner on the roadmap, such as `ei:ensemble`",
            ));
        }
    };
    let checker = checker_for(&dataset, world, image.clone(), args.method.resolution)?;
    let known = psmp_lab::sweep::Familiarity::from(args.experience).worlds(&dataset, table, world);
    let shortest = dataset
        .roadmap
        .shortest_path(query, |edge| table.is_free(world, edge))
        .map(|path| path.length());
    Problem {
        title: format!("{spec} in {place}"),
        roadmap: &dataset.roadmap,
        query,
        obstacles: image.as_ref(),
        shortest,
        known: Fingerprint::of(&dataset.roadmap),
        eta: args.method.eta / scale(&dataset.roadmap),
        spec,
        in_map: in_image,
    }
    .solve(args, common, stopping, checker, Some((table, known)))
}

/// That planner, which must have a use for the belief that was given.
pub fn checked(args: &PlanArgs, spec: PlannerSpec) -> Result<PlannerSpec> {
    if let Some(file) = &args.belief
        && !spec.needs_experience()
    {
        return Err(Mistake::error(
            format!(
                "planner `{spec}` has no use for the belief `{}`",
                file.display()
            ),
            "choose one that learns from known worlds, such as `ei:ensemble` or `psmp:soft`",
        ));
    }
    Ok(spec)
}

fn in_map(args: &PlanArgs, map: &Path, common: Common, stopping: &Stopping<'_>) -> Result<Outcome> {
    let (Some(start), Some(goal)) = (args.start, args.goal) else {
        unreachable!("a map requires start and goal");
    };
    let grid = read_map(args, map)?;
    let robot = DiscRobot::new(&grid, args.robot_radius)?;
    for (name, q) in [("start", start), ("goal", goal)] {
        if grid.cell_at(q[0], q[1]).is_none() {
            let [x, y] = grid.bounds();
            return Err(Mistake::error(
                format!(
                    "the {name} {},{} is outside of `{}`",
                    q[0],
                    q[1],
                    map.display()
                ),
                format!(
                    "x runs from {} to {}, y from {} to {}",
                    x[0], x[1], y[0], y[1]
                ),
            ));
        }
        if !robot.free_at(&q) {
            return Err(Mistake::error(
                format!(
                    "the {name} {},{} is not free in `{}`",
                    q[0],
                    q[1],
                    map.display()
                ),
                "choose a place that is white in the map and farther from obstacles than the robot's radius",
            ));
        }
    }
    let (table, prm) = match &args.roadmap {
        Some(file) => {
            let prm = graphml::read(file)?;
            if prm.space().is_none_or(|s| s.dimension() != 2) {
                return Err(FileError::new(
                    file,
                    "its vertices are not configurations in the plane",
                )
                .hint("give each node a `state` of two numbers, in the map's units")
                .into());
            }
            let table = args.experience_table.as_ref();
            (table.map(|file| read_table(file, &prm)).transpose()?, prm)
        }
        None => (None, build_roadmap(args, &grid, common.seed)?),
    };
    // What is known is about the roadmap without this start and goal.
    let base = Fingerprint::of(&prm);
    let Some(space) = prm.space() else {
        unreachable!("both kinds of roadmap have configurations");
    };
    let scale = scale(&prm);
    let resolution = resolution_for(&prm, args.method.resolution)?;
    let in_map = InMap {
        place: &map.display().to_string(),
        obstacles: robot.grown(),
        problem: Continuous {
            space,
            resolution,
            world: WorldFn(&|q: &[f64]| robot.free_at(q)),
            checker: MotionChecker::new,
            start: &start,
            goal: &goal,
        },
    };
    let spec = match args.planner {
        PlannerName::OnRoadmap(spec) => checked(args, spec)?,
        PlannerName::WithoutRoadmap(name) => return in_map.plan(name, args, common, stopping),
    };
    let connection = Connection::Radius(
        args.radius
            .unwrap_or_else(|| roadmap::prm_star_radius(space, prm.vertex_count())),
    );
    let (joined, query) = prm.with_query(&start, &goal, connection)?;
    let checker = BisectionChecker::new(&joined, resolution, &robot)?;
    let known = table
        .as_ref()
        .map(|t| (t, (0..t.world_count() as u32).map(WorldId).collect()));
    Problem {
        title: format!("{spec} in {}", map.display()),
        roadmap: &joined,
        query,
        obstacles: Some(robot.grown()),
        shortest: None,
        known: base,
        eta: args.method.eta / scale,
        spec,
        in_map: Some(in_map),
    }
    .solve(args, common, stopping, checker, known)
}

/// Known worlds, which must be of this roadmap.
pub fn read_table(file: &Path, roadmap: &Roadmap) -> Result<TableFile> {
    let table = TableFile::open(file)?;
    if table.edge_count() != roadmap.edge_count() {
        let problem = format!(
            "tells of {}, the roadmap has {}",
            counted(table.edge_count(), "edges"),
            roadmap.edge_count()
        );
        return Err(FileError::new(file, problem)
            .hint("give the table that was made for this roadmap")
            .into());
    }
    Ok(table)
}

fn read_map(args: &PlanArgs, map: &Path) -> Result<OccupancyGrid> {
    let yaml = map.extension().is_some_and(|e| e == "yaml" || e == "yml");
    if yaml && args.bounds.is_some() {
        return Err(Mistake::error(
            format!("`{}` says itself where the map lies", map.display()),
            "leave out `--bounds`, or correct `resolution` and `origin` in the file",
        ));
    }
    if yaml {
        return Ok(OccupancyGrid::read_ros_map(map, UnknownCells::Occupied)?);
    }
    let frame = args.bounds.map(|[x0, x1, y0, y1]| Frame::Centres {
        x: [x0, x1],
        y: [y0, y1],
    });
    let options = ImageOptions {
        frame,
        ..ImageOptions::default()
    };
    let grid = OccupancyGrid::read(map, &options)?;
    if args.robot_radius > 0.0 && !grid.has_square_cells() {
        let [[x0, x1], [y0, _]] = grid.bounds();
        let y1 = y0 + (x1 - x0) * f64::from(grid.height() - 1) / f64::from(grid.width() - 1);
        return Err(Mistake::error(
            format!(
                "with these `--bounds` the pixels of `{}` are not square, and a round robot would be \
                 an ellipse in it",
                map.display()
            ),
            format!("give `--bounds={x0},{x1},{y0},{y1}`, or leave it or `--robot-radius` out"),
        ));
    }
    Ok(grid)
}

/// A roadmap of more edges takes gigabytes, and minutes before planning even begins.
const MOST_EDGES: f64 = 2e7;

fn build_roadmap(args: &PlanArgs, grid: &OccupancyGrid, seed: u64) -> Result<Roadmap> {
    let [x, y] = grid.bounds();
    let space = Space::new(vec![
        psmp::Axis::new(x[0], x[1])?,
        psmp::Axis::new(y[0], y[1])?,
    ])?;
    let count = args.vertices.unwrap_or(500) as usize;
    let radius = args
        .radius
        .unwrap_or_else(|| roadmap::prm_star_radius(&space, count));
    let area = (x[1] - x[0]) * (y[1] - y[0]);
    let share_joined = (std::f64::consts::PI * radius * radius / area).min(1.0);
    let edges = share_joined * (count as f64).powi(2) / 2.0;
    if edges > MOST_EDGES {
        return Err(Mistake::error(
            format!(
                "{count} vertices joined within {radius:.4} would have about {:.0} million edges",
                edges / 1e6
            ),
            "give fewer `--vertices` or a smaller `--radius`",
        ));
    }
    let points = match args.sampler {
        Sampler::Halton => roadmap::halton(&space, count),
        Sampler::Uniform => roadmap::uniform(&space, count, seed),
    };
    Ok(Roadmap::from_configurations(
        space,
        points,
        Connection::Radius(radius),
    )?)
}

/// A problem, all but the checker.
struct Problem<'a> {
    title: String,
    roadmap: &'a Roadmap,
    query: Query,
    obstacles: Option<&'a OccupancyGrid>,
    shortest: Option<f64>,
    /// The roadmap that experience is about, without what the query has added to it.
    known: Fingerprint,
    eta: f64,
    spec: PlannerSpec,
    /// The same problem without the roadmap, where there is one.
    in_map: Option<InMap<'a>>,
}

impl Problem<'_> {
    /// Plans with the experience given, or with the belief that was asked for instead.
    fn solve<T: Experience + Sync, C: Checker<Error = Infallible> + Send>(
        self,
        args: &PlanArgs,
        common: Common,
        stopping: &Stopping<'_>,
        checker: C,
        experience: Option<(&T, Vec<WorldId>)>,
    ) -> Result<Outcome> {
        match &args.belief {
            Some(file) => {
                let belief = learned::open(file, self.known)?;
                let worlds = (0..belief.world_count() as u32).map(WorldId).collect();
                self.solve_with(args, common, stopping, checker, Some((&belief, worlds)))
            }
            None => self.solve_with(args, common, stopping, checker, experience),
        }
    }

    fn solve_with<T: Experience + Sync, C: Checker<Error = Infallible> + Send>(
        &self,
        args: &PlanArgs,
        common: Common,
        stopping: &Stopping<'_>,
        checker: C,
        experience: Option<(&T, Vec<WorldId>)>,
    ) -> Result<Outcome> {
        let setting = Setting {
            roadmap: self.roadmap,
            query: self.query,
            experience,
            eta: self.eta,
            fallback: args.method.fallback,
            seed: common.seed,
        };
        let name = self.spec.to_string();
        let mut planner = self.spec.build(&setting, checker)?;
        let mut out = std::io::stdout().lock();
        let trial = drive(planner.as_mut(), &name, common, stopping, &mut out)?;
        let straightened = match (&self.in_map, planner.best_path()) {
            _ if !args.shortcut => None,
            (Some(in_map), Some(path)) => {
                let Some(path) = Waypoints::of_roadmap(self.roadmap, path) else {
                    unreachable!("what is planned in without a roadmap has configurations");
                };
                let problem = &in_map.problem;
                let limit = stopping.limit_afterwards(trial.progress);
                let spent = trial.progress.configurations;
                Some(problem.straighten(path, &name, spent, &limit, common, &mut out)?)
            }
            (Some(_), None) => None,
            (None, _) => {
                say!("the path is not straightened, because there is no image to check motions in");
                None
            }
        };
        for file in &args.path {
            if let Some(straightened) = &straightened {
                straightened.write(file, &PLANE, &name, common)?;
                continue;
            }
            let Some(path) = planner.best_path() else {
                say!("there is no path to write to `{}`", file.display());
                continue;
            };
            let dimension = self.roadmap.space().map_or(0, Space::dimension);
            let names: Vec<String> = (1..=dimension).map(|axis| format!("q{axis}")).collect();
            let written = PathToWrite {
                roadmap: self.roadmap,
                path,
                names: &names.iter().map(String::as_str).collect::<Vec<_>>(),
                planner: self.spec.to_string(),
                seed: common.seed,
                progress: planner.progress(),
            };
            written.write(file)?;
        }
        if let Some(file) = &args.outcomes {
            learned::Outcomes::of(self.known, planner.ledger()).write(file)?;
        }
        let drawing = show::RunDrawing {
            title: &self.title,
            roadmap: self.roadmap,
            query: self.query,
            obstacles: self.obstacles,
            trial: &trial,
            shortest: self.shortest,
        };
        for file in &args.picture {
            drawing.write(file, planner.as_mut())?;
        }
        if trial.ending == Ending::Stopped {
            say!(
                "stopped after {}",
                counted(trial.progress.configurations, "configurations")
            );
        }
        Ok(match (trial.progress.best_length, trial.ending) {
            (Some(_), _) => Outcome::Done,
            (None, ending) => without_path(args, ending),
        })
    }
}

/// How a run ends that has found no path. Of a roadmap that was given it is a finding that it has none;
/// one that was made on the spot can be made finer.
pub fn without_path(args: &PlanArgs, ending: Ending) -> Outcome {
    let given = args.roadmap.is_some() || args.dataset.is_some();
    match ending {
        Ending::NoPathOnRoadmap if given => Outcome::NoPathOnRoadmap,
        Ending::NoPathOnRoadmap => {
            say!(
                "hint: the roadmap was made on the spot, and a finer one may have a path: give more \
                 `--vertices`, or `--planner rrtconnect`, which needs none"
            );
            Outcome::NoPathYet
        }
        _ => Outcome::NoPathYet,
    }
}

/// A path and what is written of it.
pub struct PathToWrite<'a> {
    pub roadmap: &'a Roadmap,
    pub path: &'a psmp::Path,
    /// The names of a configuration's numbers.
    pub names: &'a [&'a str],
    pub planner: String,
    pub seed: u64,
    pub progress: Progress,
}

impl PathToWrite<'_> {
    /// Writes the path as JSON or CSV, by the file's ending.
    pub fn write(&self, file: &Path) -> Result<()> {
        let (path, progress) = (self.path, self.progress);
        let configurations: Vec<Option<&[f64]>> = path
            .vertices()
            .iter()
            .map(|v| self.roadmap.configuration(*v))
            .collect();
        let bytes = if file
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("csv"))
        {
            let mut csv = csv::Writer::from_writer(Vec::new());
            csv.write_record(std::iter::once(&"vertex").chain(self.names))?;
            for (vertex, q) in path.vertices().iter().zip(&configurations) {
                let numbers = q.iter().flat_map(|q| q.iter().map(f64::to_string));
                csv.write_record(std::iter::once((vertex.0 + 1).to_string()).chain(numbers))?;
            }
            csv.into_inner()?
        } else {
            let written = json!({
                "planner": self.planner,
                "seed": self.seed,
                "length": path.length(),
                "configurations": progress.configurations,
                "edges_checked": progress.edges,
                "vertices": path.vertices().iter().map(|v| v.0 + 1).collect::<Vec<_>>(),
                "edges": path.edges().iter().map(|e| e.0 + 1).collect::<Vec<_>>(),
                "path": configurations,
            });
            serde_json::to_vec_pretty(&show::with_bound(written, progress))?
        };
        Ok(psmp_files::save(file, &bytes)?)
    }
}

/// Drives a planner to the end of its run or until it is stopped, and says what it finds.
pub fn drive(
    planner: &mut (impl Anytime<Error = Infallible> + ?Sized),
    name: &str,
    common: Common,
    stopping: &Stopping<'_>,
    out: &mut impl Write,
) -> Result<Trial> {
    stopping.planning_begins();
    let limit = stopping.limit(Progress::default());
    let mut trouble = None;
    let Ok(trial) = trial::run_within(planner, limit, |event| {
        let said = show::improvement(out, name, event, common.json).and_then(|()| out.flush());
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

/// Whether any condition was given that will be met in the end, come what may.
pub fn is_limited(args: &PlanArgs) -> bool {
    args.time.is_some()
        || [args.configurations, args.edges, args.proposals]
            .iter()
            .any(Option::is_some)
}
