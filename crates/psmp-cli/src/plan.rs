//! `psmp plan`: one problem, every better path as it comes.

use crate::bench::{ExperienceArg, MethodArgs, PreferArg};
use crate::failure::{Mistake, Outcome};
use crate::live::{self, InPlane};
use crate::page::{Page, PageArgs};
use crate::plan_arm::{self, ArmArgs};
use crate::planning::{Drawing, Planning, is_standard_output};
use crate::stopping::{StopArgs, Stopping};
use crate::stopwatch::Stopwatch;
use crate::{Common, names, numbers, say, status};
use anyhow::Result;
use clap::{ArgGroup, Args, ValueEnum};
use psmp::by_name::PlannerName;
use psmp::checker::{World, WorldFn};
use psmp::roadmap;
use psmp::{AnyChecker, Connection, PriceError, Pricing, Roadmap, Session, SessionError};
use psmp::{Space, WorldId};
use psmp_files::{BeliefFile, FileError, Fingerprint, Keeping, MapSetting};
use psmp_lab::sweep::Familiarity;
use psmp_lab::{
    Problems, checker_for, map_record, resolution_for, resolution_in, robot_in_map,
    usual_map_resolution,
};
use psmp_report::picture::Given;
use psmp_worlds::{Dataset, OccupancyGrid, ReadOptions, graphml};
use std::convert::Infallible;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Args)]
#[command(
    group(ArgGroup::new("problem").required(true).args(["map", "dataset", "robot"])),
    after_help = "Examples:\n  \
    psmp plan --map office.png --start 0.1,0.1 --goal 0.9,0.9 --picture plan.svg --path plan.csv\n  \
    psmp plan --map office.png --start 0.1,0.1 --goal 0.9,0.9 --page run.html --open\n  \
    psmp plan --map office.png --start 0.1,0.1 --goal 0.9,0.9 --live --open\n  \
    psmp plan --map office.yaml --start=-3,2.5 --goal 8,4 --robot-radius 0.3 --vertices 2000\n  \
    psmp plan --dataset dataset_2d_1 --world 17 --planner psmp:fs --gap 0.01 --picture run.png\n  \
    psmp plan --dataset dataset_2d_1 --world 17 --belief 2d_1.belief --outcomes run.json\n  \
    psmp plan --map new.png --start 0.1,0.1 --goal 0.9,0.9 --belief office.belief\n  \
    psmp plan --map office.png --start 0.1,0.1 --goal 0.9,0.9 --planner bitstar --configurations 50000\n  \
    psmp plan --map office.png --start 0.1,0.1 --goal 0.9,0.9 --path - | tail -n +2\n  \
    psmp plan --map office.png --start 0.1,0.1 --goal 0.9,0.9 --shortcut --path plan.csv\n  \
    psmp plan --map office.png --start 0.1,0.1 --goal 0.9,0.9 --keep office.kept --time 2\n  \
    psmp plan --map office.png --start 0.1,0.1 --goal 0.9,0.9 --fixed-roadmap --vertices 2000\n  \
    psmp plan --map office.png --start 0.1,0.1 --goal 0.9,0.9 --planner lazysp+grow --configurations 50000\n  \
    psmp plan --robot panda.urdf --srdf panda.srdf --scene scene0001.yaml --request request0001.yaml \
    --trajectory plan.csv --picture plan.png\n  \
    psmp plan --robot panda.urdf --srdf panda.srdf --scene scene0001.yaml --request request0001.yaml \
    --keep panda.kept\n  \
    psmp plan --robot panda.urdf --srdf panda.srdf --scene scene0001.yaml --request request0001.yaml \
    --planner rrtconnect --shortcut --trajectory plan.csv\n  \
    psmp plan --robot panda.urdf --srdf panda.srdf --scene scene0001.yaml --start ready \
    --goal-pose 0.4,0.1,0.5,1,0,0,0 --link panda_hand --trajectory plan.csv\n  \
    psmp plan --robot wam-like --scene table.toml --start home --goal 0.5,-1,0,1.5,0,0.5,0\n  \
    psmp plan --robot ur5-like --scene table.toml --start home --goal joint1=0.8,joint2=-1.2,joint3=1,\
    joint4=-1,joint5=-1.6,joint6=0\n  \
    psmp plan --robot panda-like --scene clutter/scene0001.yaml --request clutter/request0001.yaml \
    --roadmap clutter/roadmap.graphml --belief clutter.belief --time 5\n  \
    psmp plan --robot panda-like --scene clutter/scene0001.yaml --request clutter/request0001.yaml --live --time 5\n\n\
    The roadmap is only the beginning: it grows where that may make the path shorter, until nothing has \
    for long, or until a stop that is given. With `--fixed-roadmap` it is only made finer around start and goal \
    where it has no path. An arm's trajectory keeps to \
    the straight motions that were checked and rests at their ends, so that a straightened path, which has \
    more of them, is shorter but need not be faster.\n\n\
    With `--json` each better path is told on a line, and on the last one, `result`, the path, the seed, the seconds of \
    preparing, checking and thinking, and versions.\n\n\
    Ctrl-C ends a run with the best path so far."
)]
pub struct PlanArgs {
    /// A map: PNG, PGM or JPEG image (white is free), or a ROS map_server YAML file.
    // All options of arms are a group: that each requires a robot is not asked where there may be none.
    #[arg(
        long,
        value_name = "FILE",
        requires = "start",
        requires = "goal",
        conflicts_with = "ArmArgs"
    )]
    map: Option<PathBuf>,

    /// The folder of a dataset.
    #[arg(
        long,
        value_name = "DIR",
        requires = "world",
        conflicts_with = "ArmArgs"
    )]
    pub dataset: Option<PathBuf>,

    /// The world of the dataset to plan in, counted from 1.
    #[arg(long, conflicts_with_all = ["map", "robot"], allow_negative_numbers = true)]
    world: Option<u32>,

    /// Where to begin: X,Y in the map's units; for an arm a value for each joint, joint=value,..., or the
    /// name of a state of the group.
    #[arg(
        long,
        value_name = "PLACE",
        allow_hyphen_values = true,
        required_unless_present_any = ["dataset", "request"],
        conflicts_with = "dataset"
    )]
    pub start: Option<String>,

    /// Where to end, given likewise.
    #[arg(
        long,
        value_name = "PLACE",
        allow_hyphen_values = true,
        required_unless_present_any = ["dataset", "request", "goal_pose"],
        conflicts_with = "dataset"
    )]
    pub goal: Option<String>,

    /// What the outermost pixels' centres of an image map to. If not given, pixels are as wide as high
    /// and the longer side runs from 0 to 1.
    #[arg(long, value_name = "X0,X1,Y0,Y1", value_parser = numbers::bounds, allow_hyphen_values = true, conflicts_with_all = ["dataset", "robot"])]
    bounds: Option<[f64; 4]>,

    /// The radius of a round robot; if not given that of a belief learned from maps, or else a point.
    #[arg(long, value_name = "RADIUS", value_parser = numbers::not_negative, allow_negative_numbers = true, conflicts_with_all = ["dataset", "robot"])]
    robot_radius: Option<f64>,

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

    /// Plan on the roadmap as it is, with start and goal joined to it, and let it grow by nothing else.
    /// The run ends with the shortest path on it.
    #[arg(long)]
    pub fixed_roadmap: bool,

    /// What checking a configuration costs, and if you like what looking at an edge costs when it thinks: `100us`,
    /// `2ms/30ns`. Where checks are dear the planner thinks before it checks, where they are cheap it checks
    /// instead. `measured` finds out on the way and tells it as `priced` with `--json`: all these prices, separated
    /// by commas, repeat such a run bit for bit. If not given it is measured; with `--seed`, or with experience, what is
    /// usual for a map or an arm is taken, and in a dataset only checks count.
    #[arg(long, value_name = "TIME", value_parser = parse_pricing)]
    pub price: Option<Pricing>,

    /// Keep what has grown in this file: the roadmap, what is known of its edges in this map or scene, and
    /// the experience that was given. If it is there, the run begins with it, whatever `--vertices` says;
    /// in another map or scene of the same space, with what still holds there.
    #[arg(long, value_name = "FILE", conflicts_with = "dataset")]
    pub keep: Option<PathBuf>,

    /// The planner.
    #[arg(
        long,
        default_value = PlannerName::DEFAULT,
        help = names::about_planner(),
        value_parser = names::planners(),
        hide_possible_values = true
    )]
    pub planner: PlannerName,

    /// In the end straighten the path: try straight motions between places on it. They need not lie
    /// on the roadmap. An arm's are checked every 0.01 rad, and so is the path before. A planner that lets
    /// its roadmap grow does so all along.
    #[arg(long)]
    pub shortcut: bool,

    /// Whether the world planned in is among the known ones.
    #[arg(long, value_enum, default_value_t = ExperienceArg::Seen, conflicts_with_all = ["map", "robot"])]
    experience: ExperienceArg,

    /// A belief made by `psmp learn`, to plan with instead of the dataset's or a table's worlds. One that was learned
    /// from maps has their roadmap, and says how large the robot is.
    #[arg(long, value_name = "FILE", conflicts_with_all = ["experience_table", "experience"])]
    pub belief: Option<PathBuf>,

    #[command(flatten)]
    pub method: MethodArgs,

    /// Which of two twins of a dataset's file is read, text or MAT-file.
    #[arg(long, value_enum, default_value_t = PreferArg::Text, conflicts_with_all = ["map", "robot"])]
    prefer: PreferArg,

    /// Where to write the best path: .json or .csv by the ending, or `-` for standard output as CSV, where all else is
    /// then said on standard error. May be given more than once.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub path: Vec<PathBuf>,

    /// Where to write what every check has found, for `psmp learn --add`: a .json file.
    #[arg(long, value_name = "FILE.json", help_heading = "Output")]
    pub outcomes: Option<PathBuf>,

    /// Where to draw the run: .svg or .png by the ending. May be given more than once.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub picture: Vec<PathBuf>,

    #[command(flatten)]
    pub page: PageArgs,

    // Last, so that no other options come under their headings.
    #[command(flatten)]
    pub stop: StopArgs,

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

fn parse_pricing(text: &str) -> Result<Pricing, PriceError> {
    if text == "measured" {
        return Ok(Pricing::Measured);
    }
    let prices: Result<_, PriceError> = text.split(',').map(str::parse).collect();
    prices.map(Pricing::Given)
}

pub fn run(args: &PlanArgs, common: Common) -> Result<Outcome> {
    if !common.json {
        status::begin();
    }
    let outcome = planned(args, common);
    status::end();
    outcome
}

fn planned(args: &PlanArgs, common: Common) -> Result<Outcome> {
    let stopping = &Stopping::begin(&args.stop)?;
    // Before any work, see that its results can be kept.
    for (files, endings) in [
        (&args.path, ["json", "csv"]),
        (&args.arm.trajectory, ["json", "csv"]),
        (&args.picture, ["svg", "png"]),
    ] {
        for file in files {
            if std::ptr::eq(files, &args.path) && is_standard_output(file) {
                if common.json {
                    return Err(Mistake::error(
                        "with `--json` the path is told on the last line of standard output",
                        "leave out `--path -`, or `--json`",
                    ));
                }
                continue;
            }
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
    args.page.check()?;
    for file in args.outcomes.iter().chain(&args.keep) {
        psmp_files::check_writable(file)?;
    }
    let planning = Planning {
        args,
        common,
        stopping,
        checks: Stopwatch::default(),
    };
    planning.check_planner()?;
    match (&args.map, &args.dataset, &args.arm.robot) {
        (Some(map), ..) => in_map(&planning, map),
        (_, Some(folder), _) => in_dataset(&planning, folder),
        (_, _, Some(robot)) => plan_arm::run(&planning, robot),
        (None, None, None) => unreachable!("one of them is required"),
    }
}

fn in_dataset(planning: &Planning<'_>, folder: &Path) -> Result<Outcome> {
    let args = planning.args;
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
    let (roadmap, query) = (&dataset.roadmap, dataset.query()?);
    let place = format!("world {} of {}", world.0 + 1, dataset.name);
    let ends = [query.start, query.goal].map(|v| roadmap.configuration(v).unwrap_or_default());
    let known = Familiarity::from(args.experience).experience(&dataset, world)?;
    let mut options = planning.options(Some(roadmap.clone()), Some(known), None)?;
    // As published, configurations decide: of edges the dataset's table knows no more.
    let seen = image.as_ref();
    let seen = seen.map(|image| {
        planning
            .checks
            .on(WorldFn(move |q: &[f64]| image.free_at(q)))
    });
    let in_image = seen.zip(roadmap.space());
    let shortest = roadmap.shortest_path(query, |edge| table.is_free(world, edge));
    let written = Written {
        place: &place,
        ends,
        space: roadmap.space(),
        obstacles: image.as_ref(),
        grown_obstacles: None,
        shortest: shortest.map(|path| path.length()),
        known: Some(Fingerprint::of(roadmap)),
        keeping: None,
        given: size(Some(roadmap)),
        movable: image
            .as_ref()
            .zip(roadmap.space())
            .filter(|_| args.page.is_live())
            .map(|(image, space)| {
                let seen = image.clone();
                InPlane {
                    space: space.clone(),
                    ends: ends.map(<[f64]>::to_vec),
                    is_free: Arc::new(move |q: &[f64]| seen.free_at(q)),
                    obstacles: Arc::new(image.clone()),
                    grown_obstacles: None,
                }
            }),
    };
    if args.page.is_live() && written.movable.is_none() {
        return Err(Mistake::error(
            format!("{place} has no image that start and goal could be moved in"),
            "leave out `--live`, or plan in a map",
        ));
    }
    if let Some((image, space)) = &in_image {
        options.resolution = Some(resolution_for(roadmap, args.method.resolution)?);
        if let PlannerName::Tree(_) = args.planner {
            let session = Session::in_space(space, image.clone(), ends[0], ends[1], options)
                .map_err(|e| in_collision(e, &place))?;
            return solve(planning, session, &written);
        }
    } else if let PlannerName::Tree(name) = args.planner {
        return Err(Mistake::error(
            format!("{place} has no image that `{name}` could plan in"),
            "choose a planner on the roadmap, such as `ei:ensemble`",
        ));
    }
    let checker = checker_for(&dataset, world, image.clone(), args.method.resolution)?;
    let checker = checker.for_planner(&args.planner);
    let checker: AnyChecker<'_, Infallible> = Box::new(planning.checks.on(checker));
    match in_image {
        Some((image, _)) => {
            let session = Session::on_roadmap_in(image, roadmap, query, checker, options)?;
            solve(planning, session, &written)
        }
        None => {
            if args.shortcut {
                say!("the path is not straightened, because there is no image to check motions in");
            }
            let session = Session::on_roadmap(roadmap, query, checker, options)?;
            solve(planning, session, &written)
        }
    }
}

/// What is written of a run in the plane, beside what the session knows.
struct Written<'a> {
    /// What is planned in, in a few words.
    place: &'a str,
    ends: [&'a [f64]; 2],
    space: Option<&'a Space>,
    obstacles: Option<&'a OccupancyGrid>,
    /// As they are for a robot that is not a point.
    grown_obstacles: Option<&'a OccupancyGrid>,
    shortest: Option<f64>,
    /// The roadmap that experience is about, without what the query has added to it.
    known: Option<Fingerprint>,
    keeping: Option<Keeping>,
    /// How large the roadmap is before the run.
    given: Given,
    /// What can be moved, if it is shown while it is planned in.
    movable: Option<InPlane>,
}

/// How large a roadmap is.
pub fn size(roadmap: Option<&Roadmap>) -> Given {
    Given {
        vertices: roadmap.map_or(0, Roadmap::vertex_count),
        edges: roadmap.map_or(0, Roadmap::edge_count),
    }
}

/// Plans, and writes what was asked for.
fn solve<'s, W: World<Error = Infallible> + Clone + Send + 's>(
    planning: &Planning<'_>,
    mut session: Session<'s, W>,
    written: &Written<'_>,
) -> Result<Outcome> {
    let dimension = written.space.map_or(0, Space::dimension);
    let names: Vec<String> = (1..=dimension).map(|axis| format!("q{axis}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let title = &format!("{} in {}", planning.args.planner, written.place);
    if let Some(problem) = &written.movable {
        let next = |session: Session<'s, W>, _: &InPlane, now: &InPlane| {
            Ok(session.again(&now.ends[0], &now.ends[1][..])?)
        };
        let (trial, session, _) = live::run(planning, title, session, problem.clone(), next)?;
        planning.write(&session, &names, None, None)?;
        return Ok(planning.outcome(&trial));
    }
    let (trial, tried, recorder) = planning.drive(&mut session).map_err(|e| match e
        .downcast::<SessionError<Infallible>>()
    {
        Ok(error) => in_collision(error, written.place),
        Err(other) => other,
    })?;
    planning.gather(&mut session)?;
    planning.write(&session, &names, written.known, written.keeping.as_ref())?;
    if let Some(space) = written.space {
        let page = Page {
            title,
            space,
            ends: written.ends,
            obstacles: written.obstacles,
            grown_obstacles: written.grown_obstacles,
            shortest: written.shortest,
            given: written.given,
            trial: &trial,
            arm: None,
        };
        page.write(planning, &session, recorder)?;
        let drawing = Drawing {
            title,
            space,
            ends: written.ends,
            obstacles: written.obstacles,
            grown_obstacles: written.grown_obstacles,
            trial: &trial,
            tried: &tried,
            shortest: written.shortest,
            given: written.given,
        };
        drawing.write(&mut session, &planning.args.picture)?;
    } else if let Some(file) = planning.args.picture.first().or(planning.args.page.file()) {
        return Err(Mistake::error(
            format!(
                "`{}` cannot be drawn: the roadmap has no configurations",
                file.display()
            ),
            "leave out `--picture` and `--page`",
        ));
    }
    Ok(planning.outcome(&trial))
}

/// What is to be done about a start or goal that is not free in a map.
fn in_collision(error: SessionError<Infallible>, place: &str) -> anyhow::Error {
    match error {
        SessionError::InCollision(end) => Mistake::error(
            format!("the {end} is in collision in {place}"),
            "choose another world, or another place",
        ),
        other => other.into(),
    }
}

fn in_map(planning: &Planning<'_>, map: &Path) -> Result<Outcome> {
    let args = planning.args;
    let [start, goal] = [("--start", &args.start), ("--goal", &args.goal)].map(in_plane);
    let learned = learned_in_maps(args)?;
    let bounds = args.bounds.map(|[x0, x1, y0, y1]| [[x0, x1], [y0, y1]]);
    let with = args.belief.as_deref().zip(learned.as_ref());
    let robot = robot_in_map(map, bounds, args.robot_radius, with)?;
    let grid = robot.grown();
    let [x, y] = grid.bounds();
    for (name, q) in [("start", start), ("goal", goal)] {
        let what = |is: &str| format!("the {name} {},{} is {is} `{}`", q[0], q[1], map.display());
        if grid.cell_at(q[0], q[1]).is_none() {
            let [[left, right], [bottom, top]] = [x, y];
            return Err(Mistake::error(
                what("outside of"),
                format!("x runs from {left} to {right}, y from {bottom} to {top}"),
            ));
        }
        if !robot.free_at(&q) {
            return Err(Mistake::error(
                what("not free in"),
                "choose a place that is white in the map and farther from obstacles than the robot's radius",
            ));
        }
    }
    let axes = [psmp::Axis::new(x[0], x[1])?, psmp::Axis::new(y[0], y[1])?];
    let mut space = Space::new(axes.to_vec())?;
    let given = match (&args.roadmap, &learned) {
        (Some(file), _) if !matches!(args.planner, PlannerName::Tree(_)) => {
            Some(read_plane_roadmap(file)?)
        }
        (None, Some(learned)) => Some(learned.roadmap.clone()),
        _ => None,
    };
    if let Some(own) = given.as_ref().and_then(Roadmap::space) {
        space = own.clone();
    }
    for (name, q) in [("start", start), ("goal", goal)] {
        if !space.contains(&q) {
            return Err(Mistake::error(
                format!("the {name} {q:?} is outside of the roadmap's space"),
                "check `--start`, `--goal` and `--bounds`",
            ));
        }
    }
    let usual = match &learned {
        Some(learned) => learned.resolution,
        None => usual_map_resolution(&space),
    };
    let resolution = resolution_in(&space, Some(args.method.resolution.unwrap_or(usual)))?;
    let world = || map_record(&robot, resolution);
    let mut keeping = planning.keeping(&space, given.as_ref(), world)?;
    let kept = keeping.as_ref().and_then(Keeping::kept);
    let roadmap = match (kept, given, args.planner) {
        (.., PlannerName::Tree(_)) => None,
        (Some(kept), ..) => Some(kept.roadmap.clone()),
        (None, Some(given), _) => Some(given),
        (None, None, _) => {
            let seed = planning.common.seed;
            status::doing("building a roadmap");
            let made = build_roadmap(&space, args.vertices, args.radius, args.sampler, seed);
            Some(made?)
        }
    };
    let first = keeping.as_ref().and_then(Keeping::first_roadmap);
    let known = first.as_ref().or(roadmap.as_ref()).map(Fingerprint::of);
    let given = size(roadmap.as_ref());
    let mut options = planning.options(roadmap, None, first)?;
    options.resolution = Some(resolution);
    if let Some(keeping) = &mut keeping {
        let kept = keeping.kept();
        let known = kept.map(|kept| kept.known_in(keeping.world()));
        keeping.begin(&mut options, known.unwrap_or_default());
    }
    let world = planning.checks.on(&robot);
    let session = Session::in_space(&space, world, &start, &goal, options)?;
    let written = Written {
        place: &map.display().to_string(),
        ends: [&start, &goal],
        space: Some(&space),
        obstacles: Some(robot.map()),
        grown_obstacles: (robot.radius() > 0.0).then(|| robot.grown()),
        shortest: None,
        known,
        keeping,
        given,
        movable: args.page.is_live().then(|| {
            let disc = robot.clone();
            InPlane {
                space: space.clone(),
                ends: [start, goal].map(Vec::from),
                is_free: Arc::new(move |q: &[f64]| disc.free_at(q)),
                obstacles: Arc::new(robot.map().clone()),
                grown_obstacles: (robot.radius() > 0.0).then(|| Arc::new(robot.grown().clone())),
            }
        }),
    };
    solve(planning, session, &written)
}

/// The place in the plane that an option names. What is none ends the process, as what cannot be read of
/// a command line does.
fn in_plane((option, given): (&str, &Option<String>)) -> [f64; 2] {
    let given = given.as_deref().unwrap_or_default();
    numbers::several(given).unwrap_or_else(|why| {
        let words = format!(
            "invalid value '{given}' for '{option} <X,Y>': {why}\n\n\
             For more information, try '--help'.\n"
        );
        clap::Error::raw(clap::error::ErrorKind::ValueValidation, words).exit()
    })
}

/// A roadmap in the plane.
pub fn read_plane_roadmap(file: &Path) -> Result<Roadmap> {
    let roadmap = graphml::read(file)?;
    if roadmap.space().is_none_or(|s| s.dimension() != 2) {
        let problem = "its vertices are not configurations in the plane";
        return Err(FileError::new(file, problem)
            .hint("give each node a `state` of two numbers, in the map's units")
            .into());
    }
    Ok(roadmap)
}

/// What the belief that was given was learned with, if it was learned from maps. It must be as this run is
/// told to be.
fn learned_in_maps(args: &PlanArgs) -> Result<Option<MapSetting>> {
    let Some(file) = &args.belief else {
        return Ok(None);
    };
    let Some(learned) = BeliefFile::open(file)?.maps else {
        return Ok(None);
    };
    learned.check(file, args.robot_radius, args.method.resolution)?;
    for (is_given, option) in [
        (args.vertices.is_some(), "--vertices"),
        (args.radius.is_some(), "--radius"),
        (matches!(args.sampler, Sampler::Uniform), "--sampler"),
    ] {
        if is_given {
            return Err(Mistake::error(
                format!(
                    "`{}` has a roadmap, and `{option}` is for a new one",
                    file.display()
                ),
                format!(
                    "leave out `{option}`, or learn from the maps again with other `--vertices`"
                ),
            ));
        }
    }
    Ok(Some(learned))
}

/// A roadmap of more edges takes gigabytes, and minutes before planning even begins.
const MOST_EDGES: f64 = 2e7;

/// A new roadmap in the plane.
pub fn build_roadmap(
    space: &Space,
    vertices: Option<u32>,
    radius: Option<f64>,
    sampler: Sampler,
    seed: u64,
) -> Result<Roadmap> {
    let count = vertices.unwrap_or(500) as usize;
    let radius = radius.unwrap_or_else(|| roadmap::prm_star_radius(space, count));
    let area: f64 = space.axes().iter().map(psmp::Axis::extent).product();
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
    let points = match sampler {
        Sampler::Halton => roadmap::halton(space, count),
        Sampler::Uniform => roadmap::uniform(space, count, seed),
    };
    Ok(Roadmap::from_configurations(
        space.clone(),
        points,
        Connection::Radius(radius),
    )?)
}
