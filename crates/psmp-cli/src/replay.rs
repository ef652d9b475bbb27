//! `psmp replay`: one row of an experiment's results run again and compared.

use crate::bench_sets::Opened;
use crate::failure::{Mistake, Outcome};
use crate::{Common, page, show};
use anyhow::Result;
use clap::Args;
use psmp_report::reproduce::seven_dof::is_reproduced_arm;
use psmp_report::{reproduce, rows};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Exit code 5 if the rerun differs.\n\nExamples:\n  \
    psmp replay report 1\n  psmp replay report 4711 --json\n  psmp replay rows.parquet 12 --page film.html --open")]
pub struct ReplayArgs {
    /// The folder of a report by `psmp reproduce`, or a file of rows by `psmp bench`: .csv, .json or .parquet.
    report: PathBuf,

    /// The row of its results, counted from 1.
    row: usize,

    /// Where to write the run as a page that plays it: an .html file with everything in it.
    #[arg(long, value_name = "FILE.html")]
    page: Option<PathBuf>,

    /// Open that page in the browser.
    #[arg(long, requires = "page")]
    open: bool,
}

pub fn run(args: &ReplayArgs, common: Common) -> Result<Outcome> {
    if let Some(file) = &args.page {
        page::check_file(file)?;
    }
    let file = if args.report.is_dir() {
        args.report.join("results.csv")
    } else {
        args.report.clone()
    };
    let rows = rows::read(&file)?;
    let row = args.row.checked_sub(1).and_then(|place| rows.get(place));
    let Some(row) = row else {
        return Err(Mistake::error(
            format!("`{}` has no row {}", file.display(), args.row),
            format!("its rows are 1 to {}", rows.len()),
        ));
    };
    eprintln!(
        "{} ({}) in world {} of `{}` with seed {}",
        row.planner, row.experience, row.world, row.dataset, row.seed
    );
    if row.version != env!("CARGO_PKG_VERSION") {
        eprintln!(
            "warning: the row was made by version {} of psmp",
            row.version
        );
    }
    let again = if is_reproduced_arm(row) && args.page.is_none() {
        let bar = show::progress(row.made_worlds.unwrap_or(0), "making worlds");
        let again = reproduce::replay(row, || bar.inc(1))?;
        bar.finish_and_clear();
        again
    } else {
        let mut opened = Opened::default();
        let set = opened.of(row)?;
        if let Some(file) = &args.page {
            set.film(row)?.write(file)?;
            if args.open {
                page::open(file.as_os_str());
            }
        }
        set.replay(row)?
    };
    let same = again.is_same_run(row);
    let mut out = std::io::stdout().lock();
    let improvements = again.improvements().unwrap_or_default();
    if common.json {
        let paths: Vec<_> = improvements
            .iter()
            .map(
                |i| json!({"cost": i.configurations, "proposals": i.proposals, "length": i.length}),
            )
            .collect();
        let line = json!({"row": args.row, "match": same, "improvements": paths,
            "events": again.events, "recorded": row.events, "regret": again.regret});
        writeln!(out, "{line}")?;
    } else {
        for i in &improvements {
            let (cost, proposals, length) = (i.configurations, i.proposals, i.length);
            writeln!(
                out,
                "{cost:>7} {}  {proposals:>4} proposals  length {length:.4}",
                row.unit
            )?;
        }
        let verdict = if same { "match" } else { "mismatch" };
        writeln!(
            out,
            "{verdict}: events {}, recorded {}",
            again.events, row.events
        )?;
    }
    Ok(if same {
        Outcome::Done
    } else {
        Outcome::Mismatch
    })
}
