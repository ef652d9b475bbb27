//! `psmp reproduce`: the published 2-D experiments, from the worlds to the report.

use crate::failure::{Mistake, Outcome};
use crate::generate::parse_family;
use crate::{Common, show};
use anyhow::Result;
use clap::Args;
use indicatif::ProgressBar;
use psmp_lab::families::Family;
use psmp_lab::report::{self, Report, Verdict};
use psmp_lab::reproduce::{self, Experiment, Watch};
use psmp_lab::{PlannerSpec, rows};
use psmp_worlds::FileError;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;

#[derive(Debug, Args)]
#[command(
    after_help = "It can be stopped at any moment: the same command goes on where it was.\n\n\
    Examples:\n  \
    psmp reproduce --quick -o look\n  \
    psmp reproduce                                        everything, into `report`\n  \
    psmp reproduce --families maze,forest --seeds 5 -o mazes\n  \
    psmp reproduce --data dataset_2d_1 dataset_2d_5 -o with-data\n  \
    psmp replay report 17                                 run one row of the results again"
)]
pub struct ReproduceArgs {
    /// The folder of the report and of all results.
    #[arg(short, long, default_value = "report", value_name = "DIR")]
    output: PathBuf,

    /// Fewer worlds and one seed: a first look in less than a minute.
    #[arg(long)]
    quick: bool,

    /// Folders of datasets to plan in too, in their test worlds.
    #[arg(long, num_args = 1.., value_name = "DIR")]
    data: Vec<PathBuf>,

    /// Families to make worlds of, separated by commas; all seven if not given.
    #[arg(long, value_delimiter = ',', value_parser = parse_family)]
    families: Option<Vec<Family>>,

    /// Worlds to make of each family, if not 1000 (300 with `--quick`).
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    worlds: Option<u32>,

    /// How many of them, the last ones, to plan in, if not 200 (24 with `--quick`).
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    test: Option<u32>,

    /// Runs of each planner in each world, if not 3 (1 with `--quick`).
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: Option<u64>,

    /// Planners, as in `psmp bench`. One that learns from known worlds plans with seen and with
    /// unseen ones.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "psmp:fs,pomp:fs,maxprob:fs,lazysp:fs,psmp:nn,pomp:nn,lazysp:nn,lazysp"
    )]
    planners: Vec<PlannerSpec>,

    /// Threads; one a core if not given.
    #[arg(long)]
    jobs: Option<usize>,
}

impl ReproduceArgs {
    fn experiment(&self, seed: u64) -> Result<Experiment> {
        let mut experiment = if self.quick {
            Experiment::quick()
        } else {
            Experiment::published()
        };
        experiment.seed = seed;
        experiment.folders = self.data.clone();
        if let Some(families) = &self.families {
            experiment.families = families.clone();
        }
        if let Some(worlds) = self.worlds {
            experiment.worlds = worlds as usize;
        }
        let most = experiment.worlds;
        experiment.test = self
            .test
            .map_or(experiment.test.min(most), |test| test as usize);
        if experiment.test > most {
            return Err(Mistake::error(
                format!("`--test {}` is more than there are worlds", experiment.test),
                format!("choose at most {most}, or more `--worlds`"),
            ));
        }
        let seeds = self.seeds.unwrap_or(experiment.options.seeds.len() as u64);
        experiment.options.seeds = (0..seeds).map(|i| seed.wrapping_add(i)).collect();
        experiment.options.jobs = self.jobs;
        experiment.enter(&self.planners);
        Ok(experiment)
    }
}

/// Progress bars on standard error.
struct Bars(Mutex<ProgressBar>);

impl Bars {
    fn bar(&self) -> ProgressBar {
        let held = self.0.lock();
        held.unwrap_or_else(|poisoned| poisoned.into_inner())
            .clone()
    }
}

impl Watch for Bars {
    fn begin(&self, stage: &str, steps: u64) {
        let mut held = self
            .0
            .lock()
            .unwrap_or_else(|poisoned| poisoned.into_inner());
        held.finish_and_clear();
        *held = show::progress(steps, stage);
    }

    fn step(&self, steps: u64) {
        self.bar().inc(steps);
    }

    fn damaged(&self, file: &FileError) {
        self.bar()
            .suspend(|| eprintln!("warning: {file}; it is made again"));
    }
}

pub fn run(args: &ReproduceArgs, common: Common) -> Result<Outcome> {
    let experiment = args.experiment(common.seed)?;
    let bars = Bars(Mutex::new(ProgressBar::hidden()));
    let findings = reproduce::run(&experiment, &args.output, &bars)?;
    for name in ["results.csv", "results.parquet"] {
        rows::write(&args.output.join(name), &findings.rows)?;
    }
    bars.begin("evaluating", findings.problems.len() as u64);
    let report = reproduce::evaluate(&experiment, &findings, || bars.step(1))?;
    bars.begin("drawing", 1);
    report::write(&report, &args.output)?;
    bars.bar().finish_and_clear();
    eprintln!(
        "{} runs are in `{}`, the report is in `{}`",
        findings.rows.len(),
        args.output.join("results.csv").display(),
        args.output.display()
    );
    print(&report, common.json)?;
    Ok(Outcome::Done)
}

fn print(report: &Report, json: bool) -> Result<()> {
    let verdict = |verdict: Verdict| match verdict {
        Verdict::Holds => "holds",
        Verdict::DoesNotHold => "does not hold",
        Verdict::NotTested => "not tested",
    };
    let mut out = std::io::stdout().lock();
    if json {
        let summaries: Vec<_> = report.families.iter().flat_map(|f| &f.summaries).collect();
        let claims: Vec<_> = report
            .claims
            .iter()
            .map(|c| json!({"claim": c.claim, "measured": c.measured, "verdict": verdict(c.verdict)}))
            .collect();
        serde_json::to_writer_pretty(&mut out, &json!({"claims": claims, "summaries": summaries}))?;
        writeln!(out)?;
        return Ok(());
    }
    for claim in &report.claims {
        writeln!(
            out,
            "{}: {}\n  {}",
            verdict(claim.verdict),
            claim.claim,
            claim.measured
        )?;
    }
    Ok(())
}
