//! `psmp calibrate`: whether what beliefs call likely is as frequent as they say, in datasets and in an arm's scenes.

use crate::bench::{PreferArg, worlds_of};
use crate::bench_sets::{self, ChosenRobot};
use crate::failure::{Mistake, Outcome};
use crate::{Common, names, numbers, say, show};
use anyhow::Result;
use clap::Args;
use psmp::WorldId;
use psmp::by_name::{BeliefName, PlannerSpec, ProposerName};
use psmp_files::check_writable;
use psmp_lab::calibration::{
    Calibration, CalibrationOptions, Calibrations, Order, calibrate, calibrate_new_edges,
};
use psmp_lab::sweep::SweepOptions;
use psmp_lab::{Problems, counted};
use psmp_report::bench::BenchSet;
use psmp_report::calibrations;
use psmp_report::report::write_reliability_diagram;
use psmp_worlds::ReadOptions;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    psmp calibrate dataset_2d_3 --picture reliability.svg\n  \
    psmp calibrate dataset_2d_* dataset_herb_1 --belief soft,latent,freq --checks 20,100 -o calibration.csv\n  \
    psmp calibrate dataset_2d_1 --belief local,ensemble --checked-by ei:local --worlds 1,7,20-40\n  \
    psmp calibrate problems/cage problems/box --belief local,nn,latent --checks 20,100 --resolution 0.2\n\n\
    A folder of an arm's problems has files `scene0001.yaml` and `request0001.yaml` and so on. Its roadmap is checked in all \
    scenes first; the first four fifths are known to beliefs that learn, `test` are the others. Beliefs that go by \
    what is near are asked twice: with distances in the workspace, as planners use them, and in joint space.")]
pub struct CalibrateArgs {
    /// Folders of datasets, or of an arm's problems.
    #[arg(required = true, value_name = "DIR")]
    sets: Vec<PathBuf>,

    /// Beliefs, separated by commas; all that can be had in a set if not given.
    #[arg(
        long,
        value_delimiter = ',',
        long_help = names::about_beliefs(),
        value_parser = names::beliefs(),
        hide_possible_values = true
    )]
    belief: Vec<BeliefName>,

    /// Worlds to ask about: `test`, `train`, `all`, or ids such as `1,7,20-40`. Beliefs learn from
    /// the training worlds, less the one they are asked about.
    #[arg(long, default_value = "test")]
    worlds: String,

    /// After how many checked edges beliefs are asked about the others, separated by commas.
    #[arg(
        long,
        value_name = "COUNTS",
        value_delimiter = ',',
        default_value = "0,20,100",
        allow_negative_numbers = true
    )]
    checks: Vec<usize>,

    /// Check the edges that this planner checks, in its order, instead of random ones. Where new edges
    /// are asked about it is `lazysp` if not given. Not for an arm, whose start and goal are no vertices.
    #[arg(long, value_name = "PLANNER", value_parser = names::planners_on_roadmaps(), hide_possible_values = true)]
    checked_by: Option<PlannerSpec>,

    /// Where to write the numbers, one row for each belief and number of checks, of known edges and of
    /// new ones: .csv or .json by the ending. May be given more than once.
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Where to draw the reliability diagrams of one set: .svg or .png by the ending. May be given more
    /// than once.
    #[arg(long, value_name = "FILE")]
    picture: Vec<PathBuf>,

    /// The robot of an arm's problems: a URDF file, or a shipped model (panda-like, wam-like, ur5-like, planar-N). If not
    /// given, the one whose SRDF and URDF are in their folder or above it.
    #[arg(long, value_name = "URDF")]
    robot: Option<PathBuf>,

    /// The robot's groups and disabled pairs, an SRDF file.
    #[arg(long, value_name = "SRDF", requires = "robot")]
    srdf: Option<PathBuf>,

    /// Distance between the configurations of an edge; a thousandth of the space's longest side if
    /// not given. For an arm, the largest joint step in radians or metres, 0.03 if not given.
    #[arg(long, value_name = "DISTANCE", value_parser = numbers::positive, allow_negative_numbers = true)]
    resolution: Option<f64>,

    /// How fast a checked configuration's influence falls with distance (belief `nn`), per longest
    /// side of the space.
    #[arg(long, default_value_t = 1000.0, value_parser = numbers::positive, allow_negative_numbers = true)]
    eta: f64,

    /// Threads; one a core if not given.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024), allow_negative_numbers = true)]
    jobs: Option<u16>,

    /// Which of two twins of a file is read, text or MAT-file.
    #[arg(long, value_enum, default_value_t = PreferArg::Text)]
    prefer: PreferArg,
}

pub fn run(args: &CalibrateArgs, common: Common) -> Result<Outcome> {
    // Before any work, see that its results can be kept.
    for file in &args.output {
        calibrations::check_file(file)?;
    }
    for file in &args.picture {
        let known = |e: &std::ffi::OsStr| e == "svg" || e == "png";
        if !file.extension().is_some_and(known) {
            return Err(Mistake::error(
                format!("`{}` ends in no known format", file.display()),
                "end the name in `.svg` or `.png`",
            ));
        }
        check_writable(file)?;
    }
    if args.sets.len() > 1 && !args.picture.is_empty() {
        return Err(Mistake::error(
            "`--picture` draws one set, and there are several",
            "name one folder, or leave out `--picture`",
        ));
    }
    let mut tasks = Vec::new();
    for folder in &args.sets {
        let read = ReadOptions {
            prefer: args.prefer.into(),
            ..ReadOptions::default()
        };
        let chosen = ChosenRobot {
            robot: args.robot.as_deref(),
            srdf: args.srdf.as_deref(),
        };
        let set = bench_sets::open(folder, &chosen, args.resolution, read)?;
        let worlds = choose_worlds(args, &set)?;
        tasks.push((set, worlds));
    }
    if args.robot.is_some() && !tasks.iter().any(|(set, _)| is_arm(set)) {
        return Err(Mistake::error(
            "`--robot` is for an arm's problems, and none of these folders has any",
            "name a folder with `scene0001.yaml` and `request0001.yaml`, or leave out `--robot`",
        ));
    }
    let mut found = Vec::new();
    for (set, worlds) in &mut tasks {
        bench_sets::learn(set)?;
        found.push(in_set(args, common, set, worlds)?);
    }
    let rows: Vec<Calibration> = found.iter().flatten().flatten().cloned().collect();
    for file in &args.output {
        calibrations::write(file, &rows)?;
        let written = counted(rows.len(), "rows");
        say!("wrote {written} to `{}`", file.display());
    }
    for file in &args.picture {
        for [known, _] in &found {
            write_reliability_diagram(file, known)?;
        }
        say!("drew `{}`", file.display());
    }
    if common.json {
        show::json(&rows)?;
    } else {
        for (place, rows) in found.iter().enumerate() {
            if place > 0 {
                writeln!(std::io::stdout().lock())?;
            }
            for rows in rows {
                print(rows)?;
            }
        }
    }
    Ok(Outcome::Done)
}

fn is_arm(set: &BenchSet) -> bool {
    matches!(set, BenchSet::Arm(_))
}

/// The worlds of a set that beliefs are to be asked about, if all that was asked for can be had in it.
fn choose_worlds(args: &CalibrateArgs, set: &BenchSet) -> Result<Vec<WorldId>> {
    let (name, edges) = (set.name(), set.roadmap().edge_count());
    if let Some(many) = args.checks.iter().find(|checks| **checks >= edges) {
        return Err(Mistake::error(
            format!(
                "after {} no edge is left to ask about",
                counted(*many, "checks")
            ),
            format!(
                "dataset `{name}` has {}: give fewer `--checks`",
                counted(edges, "edges")
            ),
        ));
    }
    if let (Some(planner), true) = (args.checked_by, is_arm(set)) {
        return Err(Mistake::error(
            format!(
                "`{planner}` cannot choose the edges in `{name}`: start and goal are no vertices of its roadmap"
            ),
            "leave out `--checked-by`: for an arm edges are checked at random",
        ));
    }
    let train = set.train();
    if train.as_ref().is_some_and(Vec::is_empty) {
        return Err(Mistake::error(
            format!("no world of `{name}` is known to beliefs that learn"),
            "name a folder with more: the first four fifths of an arm's scenes are known, so that it takes two at least",
        ));
    }
    worlds_of(&args.worlds, name, set.world_count()?, [set.test(), train])
}

/// What beliefs are worth in one set: of edges that they have learned of, and of new ones.
fn in_set(
    args: &CalibrateArgs,
    common: Common,
    set: &BenchSet,
    worlds: &[WorldId],
) -> Result<[Vec<Calibration>; 2]> {
    let problems: &dyn Problems = match set {
        BenchSet::Dataset(dataset) => dataset.as_ref(),
        BenchSet::Made(made) => made.as_ref(),
        BenchSet::Arm(folder) => folder.as_ref(),
    };
    let mut options = CalibrationOptions {
        beliefs: args.belief.clone(),
        checks: args.checks.clone(),
        order: args.checked_by.map_or(Order::Random, Order::As),
        runs: SweepOptions {
            seeds: vec![common.seed],
            resolution: args.resolution,
            eta: args.eta,
            jobs: args.jobs.map(usize::from),
            ..SweepOptions::default()
        },
    };
    if options.beliefs.is_empty() {
        options.beliefs = BeliefName::TABLE.iter().map(|row| row.what).collect();
    }
    let times = if is_arm(set) { 1 } else { 2 };
    let bar = show::progress((times * worlds.len()) as u64, "asking beliefs");
    let found = calibrate(problems, worlds, &options, || bar.inc(1))?;
    // Edges grow where a planner plans, and not at random; an arm's planner plans from and to places beside the
    // roadmap.
    let new = if is_arm(set) {
        Calibrations::default()
    } else {
        let lazy = PlannerSpec::new(ProposerName::LazySp, BeliefName::Constant(1.0));
        options.order = Order::As(args.checked_by.unwrap_or(lazy));
        calibrate_new_edges(problems, worlds, &options, || bar.inc(1))?
    };
    bar.finish_and_clear();
    for (belief, why) in &found.left_out {
        say!("left out: belief `{belief}` in `{}`: {why}", set.name());
    }
    if found.rows.is_empty() {
        return Err(match found.left_out.first() {
            Some((belief, why)) => Mistake::error(
                format!("belief `{belief}`: {why}"),
                "choose another `--belief`, such as `soft` or `freq`",
            ),
            None => Mistake::error(
                "no world has so many edges to check",
                "give fewer `--checks`, or other `--worlds`",
            ),
        });
    }
    Ok([found.rows, new.rows])
}

/// A table of rows that are all about known edges, or all about new ones.
fn print(rows: &[Calibration]) -> Result<()> {
    let Some(first) = rows.first() else {
        return Ok(());
    };
    let mut out = std::io::stdout().lock();
    if first.edges == "new" {
        writeln!(out, "\nedges that no belief has learned of:")?;
    }
    let mut table = show::table(
        "belief | checks | worlds | log loss | 95% interval | Brier score | calibration error",
        1,
    );
    for row in rows {
        let (low, high) = row.log_loss_interval;
        table.add_row([
            row.label(),
            row.checks.to_string(),
            row.worlds.to_string(),
            format!("{:.3}", row.log_loss),
            format!("{low:.3} to {high:.3}"),
            format!("{:.4}", row.brier),
            format!("{:.4}", row.calibration_error),
        ]);
    }
    writeln!(out, "{table}")?;
    let how = match first.order.as_str() {
        "random" => "random edges checked".to_owned(),
        planner => format!("edges checked as `{planner}` does"),
    };
    writeln!(
        out,
        "{}: {how}, {} held out; lower is better",
        first.dataset,
        counted(first.worlds, "worlds")
    )?;
    Ok(())
}
