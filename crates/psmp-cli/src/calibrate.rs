//! `psmp calibrate`: whether what beliefs call likely is as frequent as they say.

use crate::bench::{PreferArg, choose_worlds};
use crate::failure::{Mistake, Outcome};
use crate::{Common, names, numbers, say, show};
use anyhow::Result;
use clap::Args;
use psmp::by_name::{BeliefName, PlannerSpec, ProposerName};
use psmp_files::check_writable;
use psmp_lab::calibration::{
    Calibration, CalibrationOptions, Order, calibrate, calibrate_new_edges,
};
use psmp_lab::counted;
use psmp_lab::sweep::SweepOptions;
use psmp_report::calibrations;
use psmp_report::report::write_reliability_diagram;
use psmp_worlds::{Dataset, ReadOptions};
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    psmp calibrate dataset_2d_3 --picture reliability.svg\n  \
    psmp calibrate dataset_2d_3 --belief soft,latent,freq --checks 15,40,100 -o calibration.csv\n  \
    psmp calibrate dataset_2d_1 --belief local,ensemble --checked-by ei:local --worlds 1,7,20-40")]
pub struct CalibrateArgs {
    /// The folder of a dataset.
    #[arg(value_name = "DIR")]
    dataset: PathBuf,

    /// Beliefs, separated by commas; all that can be had in the dataset if not given.
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
        default_value = "0,15,40,100",
        allow_negative_numbers = true
    )]
    checks: Vec<usize>,

    /// Check the edges that this planner checks, in its order, instead of random ones. Where new edges
    /// are asked about it is `lazysp` if not given.
    #[arg(long, value_name = "PLANNER", value_parser = names::planners_on_roadmaps(), hide_possible_values = true)]
    checked_by: Option<PlannerSpec>,

    /// Where to write the numbers, one row for each belief and number of checks, of known edges and of
    /// new ones: .csv or .json by the ending. May be given more than once.
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Where to draw the reliability diagrams: .svg or .png by the ending. May be given more than
    /// once.
    #[arg(long, value_name = "FILE")]
    picture: Vec<PathBuf>,

    /// Distance between the configurations of an edge; a thousandth of the space's longest side if
    /// not given.
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
    let read = ReadOptions {
        prefer: args.prefer.into(),
        ..ReadOptions::default()
    };
    let dataset = Dataset::open_with(&args.dataset, read)?;
    let worlds = choose_worlds(&args.worlds, &dataset)?;
    let edges = dataset.roadmap.edge_count();
    if let Some(many) = args.checks.iter().find(|checks| **checks >= edges) {
        return Err(Mistake::error(
            format!(
                "after {} no edge is left to ask about",
                counted(*many, "checks")
            ),
            format!(
                "dataset `{}` has {}: give fewer `--checks`",
                dataset.name,
                counted(edges, "edges")
            ),
        ));
    }
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
    let bar = show::progress(
        (2 * worlds.len() * options.beliefs.len()) as u64,
        "asking beliefs",
    );
    let found = calibrate(&dataset, &worlds, &options, || bar.inc(1))?;
    // Edges grow where a planner plans, and not at random.
    let lazy = PlannerSpec::new(ProposerName::LazySp, BeliefName::Constant(1.0));
    options.order = Order::As(args.checked_by.unwrap_or(lazy));
    let new = calibrate_new_edges(&dataset, &worlds, &options, || bar.inc(1))?;
    bar.finish_and_clear();
    for (belief, why) in &found.left_out {
        say!("left out: belief `{belief}`: {why}");
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
    let rows = [found.rows.clone(), new.rows.clone()].concat();
    for file in &args.output {
        calibrations::write(file, &rows)?;
        let written = counted(rows.len(), "rows");
        say!("wrote {written} to `{}`", file.display());
    }
    for file in &args.picture {
        write_reliability_diagram(file, &found.rows)?;
        say!("drew `{}`", file.display());
    }
    if common.json {
        show::json(&rows)?;
    } else {
        print(&found.rows)?;
        print(&new.rows)?;
    }
    Ok(Outcome::Done)
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
            row.belief.clone(),
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
