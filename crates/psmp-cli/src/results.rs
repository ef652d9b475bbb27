//! `psmp page` and `psmp bench --page`: rows of runs as a page that compares planners, with films beside it.

use crate::bench_sets::Opened;
use crate::failure::Outcome;
use crate::{Common, page, say, show};
use anyhow::Result;
use clap::Args;
use psmp_lab::counted;
use psmp_report::bench::Filming;
use psmp_report::report::comparison::{Comparison, Source};
use psmp_report::rows;
use serde_json::json;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    psmp bench mazes --planners psmp:fs,lazysp -o rows.parquet && psmp page rows.parquet -o results.html --open\n  \
    psmp page rows*.parquet older.csv -o results.html\n\n\
    The page is one file: choose sets, planners and measures; curves with intervals over checks and over time, shares \
    solved, differences of pairs, and worlds one by one. Where the worlds are still in the folders that the rows name, films \
    of runs go into the folder `results_films` beside it: the first seed of each planner, the first worlds first, at most 100 \
    of them, 64 MB and a minute of filming, and none of a run that took more than ten seconds. `psmp replay ROWS ROW --page film.html` makes any other.")]
pub struct ResultsArgs {
    /// Files of rows by `psmp bench` or `psmp reproduce`: .csv, .json or .parquet.
    #[arg(required = true, value_name = "ROWS")]
    rows: Vec<PathBuf>,

    /// Where to write the page.
    #[arg(short, long, value_name = "FILE.html")]
    output: PathBuf,

    /// Open it in the browser.
    #[arg(long)]
    open: bool,
}

pub fn run(args: &ResultsArgs, common: Common) -> Result<Outcome> {
    page::check_file(&args.output)?;
    let mut sources = Vec::new();
    for file in &args.rows {
        sources.push(Source {
            rows: rows::read(file)?,
            file: Some(file.display().to_string()),
        });
    }
    let made = write(sources, Opened::default(), &args.output, args.open)?;
    if common.json {
        println!("{made}");
    }
    Ok(Outcome::Done)
}

/// Writes the page of these rows with films of some, and says what there is.
pub fn write(
    sources: Vec<Source>,
    mut opened: Opened,
    file: &Path,
    open: bool,
) -> Result<serde_json::Value> {
    let mut comparison = Comparison::of(sources)?;
    let rows: Vec<_> = comparison.runs.iter().map(|run| run.row.clone()).collect();
    let chosen = Filming::chosen(&rows);
    let bar = show::progress(chosen.len() as u64, "filming");
    let mut filming = Filming::beside(file);
    // What went wrong, by set: where worlds are gone, that is said once.
    let mut troubles: Vec<(String, String)> = Vec::new();
    let mut films = 0;
    for place in chosen {
        if filming.is_over() {
            break;
        }
        let row = &rows[place];
        let told = troubles.iter().any(|(set, _)| *set == row.dataset);
        let filmed = match (told, opened.of(row)) {
            (true, _) => continue,
            (_, Ok(set)) => filming.film(set, row).map_err(anyhow::Error::from),
            (_, Err(error)) => Err(error),
        };
        match filmed {
            Ok(film) => {
                comparison.runs[place].film = Some(film);
                films += 1;
            }
            Err(error) => troubles.push((row.dataset.clone(), error.to_string())),
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    for (set, trouble) in &troubles {
        say!("note: no films of `{set}`: {trouble}");
    }
    if !troubles.is_empty() {
        say!("hint: films are made where the worlds are in the folders that the rows name");
    }
    comparison.write(file)?;
    let runs = comparison.runs.len();
    say!(
        "wrote {} and {} to `{}`",
        counted(runs, "runs"),
        counted(films, "films"),
        file.display()
    );
    if open {
        page::open(file.as_os_str());
    }
    Ok(json!({"wrote": file, "runs": runs, "films": films}))
}
