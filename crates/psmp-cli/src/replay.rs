//! `psmp replay`: one row of an experiment's results run again and compared.

use crate::failure::{Mistake, Outcome};
use crate::{Common, show};
use anyhow::Result;
use clap::Args;
use psmp_lab::Row;
use psmp_report::{reproduce, rows};
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Exit code 5 if the rerun differs.\n\nExamples:\n  \
    psmp replay report 1\n  psmp replay report 4711 --json")]
pub struct ReplayArgs {
    /// The folder of a report by `psmp reproduce`, or a `.csv` file by `psmp bench`.
    report: PathBuf,

    /// The row of its results, counted from 1.
    row: usize,
}

pub fn run(args: &ReplayArgs, common: Common) -> Result<Outcome> {
    let file = if args.report.is_dir() {
        args.report.join("results.csv")
    } else {
        args.report.clone()
    };
    let rows = rows::read_csv(&file)?;
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
    let bar = show::progress(row.made_worlds.unwrap_or(0), "making worlds");
    let again = reproduce::replay(row, || bar.inc(1))?;
    bar.finish_and_clear();
    let same = Row {
        seconds: row.seconds,
        version: row.version.clone(),
        ..again.clone()
    } == *row;
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
