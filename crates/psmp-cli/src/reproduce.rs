//! `psmp reproduce`: the published experiments, in 2-D and with a 7-DOF arm, from the worlds to the
//! report.

use crate::failure::{Mistake, Outcome};
use crate::generate::families;
use crate::{Common, arms, show};
use anyhow::Result;
use clap::Args;
use indicatif::ProgressBar;
use psmp::by_name::{PlannerName, PlannerSpec};
use psmp_files::FileError;
use psmp_lab::Row;
use psmp_lab::counted;
use psmp_lab::families::Family;
use psmp_report::report::{self, Report, Verdict};
use psmp_report::reproduce::seven_dof::{self, ArmReport, Entry, SevenDof, is_arm_folder};
use psmp_report::reproduce::{self, Experiment, Watch};
use psmp_report::rows;
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
    psmp reproduce --seven-dof -o arm                     the arm alone\n  \
    psmp reproduce --seven-dof --data problems/table_pick -o table_pick\n  \
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

    /// Only the experiment with a 7-DOF arm: on clutter, and on sets of scenes and motion requests
    /// where there are some. It is part of the whole too, unless families or planners are chosen.
    /// Motions are asked about every 0.2 rad, as published, which passes over thin things; `psmp plan`
    /// and `psmp table` ask every 0.03 rad.
    #[arg(long, conflicts_with = "families")]
    seven_dof: bool,

    /// Folders of datasets to plan in too, in their test worlds; or of an arm's scenes and motion
    /// requests (`scene0001.yaml`, `request0001.yaml`, ...), in the last fifth of them, with the
    /// robot's SRDF and URDF there or above. Of the latter those that `PSMP_DATA` has are taken if
    /// none is given.
    #[arg(long, num_args = 1.., value_name = "DIR")]
    data: Vec<PathBuf>,

    /// A folder or file that robots and scenes may name, though it is outside their own folders and
    /// packages. May be given more than once.
    #[arg(long, value_name = "PATH")]
    allow_path: Vec<PathBuf>,

    /// Families to make worlds of, separated by commas; all seven if not given.
    #[arg(long, value_delimiter = ',', value_parser = families(), hide_possible_values = true)]
    families: Option<Vec<Family>>,

    /// Worlds to make of each family, if not 1000 (300 with `--quick`), and of an arm's clutter, if
    /// not 1000 (100 with `--quick`); 0 for no clutter.
    #[arg(long)]
    worlds: Option<u32>,

    /// How many of them, the last ones, to plan in, if not 200 (24 with `--quick`; for an arm 20,
    /// and 6 with `--quick`, of the last fifth).
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..))]
    test: Option<u32>,

    /// Runs of each planner in each world, if not 3 (1 with `--quick`).
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..))]
    seeds: Option<u64>,

    /// Planners, as in `psmp bench`; with `--seven-dof` also `rrtconnect`, `rrtconnect+shortcut`,
    /// `rrtstar` and `bitstar`, and any with `+straightened` behind it, which ends with its first
    /// path, straightened. One that learns from known worlds plans with seen and with unseen ones.
    #[arg(long, value_delimiter = ',')]
    planners: Option<Vec<Entry>>,

    /// Threads; one a core if not given.
    #[arg(long)]
    jobs: Option<usize>,
}

/// The planners of the experiments in 2-D.
const PLANNERS: [&str; 8] = [
    "psmp:fs",
    "pomp:fs",
    "maxprob:fs",
    "lazysp:fs",
    "psmp:nn",
    "pomp:nn",
    "lazysp:nn",
    "lazysp",
];

/// Where sets of an arm's problems lie in published data, below each robot.
const ARM_DATA: &str = "motion_bench_maker";

impl ReproduceArgs {
    /// The experiments in 2-D, unless only the arm's is asked for.
    fn in_plane(&self, seed: u64) -> Result<Option<Experiment>> {
        let folders: Vec<PathBuf> = self
            .data
            .iter()
            .filter(|f| !is_arm_folder(f))
            .cloned()
            .collect();
        if self.seven_dof {
            return match folders.first() {
                None => Ok(None),
                Some(folder) => Err(Mistake::error(
                    format!("`{}` holds no scenes of an arm", folder.display()),
                    "name a folder with `scene0001.yaml` and `request0001.yaml`, or leave \
                     `--seven-dof` out",
                )),
            };
        }
        let mut experiment = if self.quick {
            Experiment::quick()
        } else {
            Experiment::published()
        };
        experiment.seed = seed;
        experiment.folders = folders;
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
        experiment.options.seeds = self.seeds(seed, experiment.options.seeds.len());
        experiment.options.jobs = self.jobs;
        let planners: Result<Vec<PlannerSpec>> = match &self.planners {
            None => Ok(PLANNERS
                .iter()
                .map(|name| name.parse())
                .collect::<Result<_, _>>()?),
            Some(names) => names.iter().map(on_roadmap).collect(),
        };
        experiment.enter(&planners?);
        Ok(Some(experiment))
    }

    /// The experiment with an arm, unless something else is asked for.
    fn with_arm(&self, seed: u64) -> Result<Option<SevenDof>> {
        let mut folders: Vec<PathBuf> = self
            .data
            .iter()
            .filter(|f| is_arm_folder(f))
            .cloned()
            .collect();
        let chosen = self.families.is_some() || self.planners.is_some();
        if chosen && !self.seven_dof && folders.is_empty() {
            return Ok(None);
        }
        let mut experiment = if self.quick {
            SevenDof::quick()
        } else {
            SevenDof::published()
        };
        if folders.is_empty() && !self.quick {
            folders = published_sets();
            if folders.is_empty() {
                eprintln!(
                    "no published problems of an arm are found, so that clutter alone is planned in; \
                     set `PSMP_DATA` or name folders with `--data`"
                );
            }
        }
        experiment.folders = folders;
        experiment.permissions = arms::permissions(&self.allow_path)?;
        experiment.seed = seed;
        if let Some(worlds) = self.worlds {
            experiment.clutter = worlds as usize;
        }
        if let Some(test) = self.test {
            experiment.test = test as usize;
        }
        experiment.seeds = self.seeds(seed, experiment.seeds.len());
        experiment.jobs = self.jobs;
        match &self.planners {
            Some(names) if self.seven_dof => experiment.enter(names),
            _ => {
                let names = seven_dof::PLANNERS.iter().map(|name| name.parse());
                experiment.enter(&names.collect::<Result<Vec<Entry>, _>>()?);
            }
        }
        Ok(Some(experiment))
    }

    fn seeds(&self, seed: u64, otherwise: usize) -> Vec<u64> {
        let count = self.seeds.unwrap_or(otherwise as u64);
        (0..count).map(|i| seed.wrapping_add(i)).collect()
    }
}

/// A planner that plans on a roadmap; the others have no place in 2-D worlds that are a table.
fn on_roadmap(name: &Entry) -> Result<PlannerSpec> {
    match name {
        Entry {
            planner: PlannerName::OnRoadmap(planner),
            straightened: false,
        } => Ok(*planner),
        other => Err(Mistake::error(
            format!("`{other}` is a planner without a roadmap, or one whose path is straightened"),
            "such planners take part with `--seven-dof`",
        )),
    }
}

/// Folders of scenes and requests in the published data, if that is to be found.
fn published_sets() -> Vec<PathBuf> {
    let data = std::env::var_os("PSMP_DATA")
        .map_or_else(|| PathBuf::from("../shared/data"), PathBuf::from);
    let below = |folder: PathBuf| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.sort();
        paths
    };
    let robots = below(data.join(ARM_DATA)).into_iter();
    let sets = robots.flat_map(|robot| below(robot.join("problems")));
    sets.filter(|folder| is_arm_folder(folder)).collect()
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
    let in_plane = args.in_plane(common.seed)?;
    let with_arm = args.with_arm(common.seed)?;
    let bars = Bars(Mutex::new(ProgressBar::hidden()));
    let mut rows: Vec<Row> = Vec::new();
    let mut report = Report {
        families: Vec::new(),
        claims: Vec::new(),
        settings: Vec::new(),
    };
    if let Some(experiment) = &in_plane {
        let findings = reproduce::run(experiment, &args.output, &bars)?;
        bars.begin("evaluating", findings.problems.len() as u64);
        report = reproduce::evaluate(experiment, &findings, || bars.step(1))?;
        rows.extend(findings.rows);
    }
    let arms = match &with_arm {
        None => ArmReport::untested(),
        Some(experiment) => {
            let findings = seven_dof::run(experiment, &args.output, &bars)?;
            bars.begin("evaluating", findings.sets.len() as u64);
            let arms = seven_dof::evaluate(experiment, &findings, || bars.step(1))?;
            report.settings.extend(experiment.settings());
            rows.extend(findings.rows);
            arms
        }
    };
    report.families.extend(arms.families);
    report.claims.extend(arms.claims);
    for name in ["results.csv", "results.parquet"] {
        rows::write(&args.output.join(name), &rows)?;
    }
    bars.begin("drawing", 1);
    report::write(&report, &args.output)?;
    bars.bar().finish_and_clear();
    eprintln!(
        "The rows of {} are in `{}`, the report is in `{}`",
        counted(rows.len(), "runs"),
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
    if json {
        let summaries: Vec<_> = report.families.iter().flat_map(|f| &f.summaries).collect();
        let claims: Vec<_> = report
            .claims
            .iter()
            .map(|c| json!({"claim": c.claim, "measured": c.measured, "verdict": verdict(c.verdict)}))
            .collect();
        return show::json(&json!({"claims": claims, "summaries": summaries}));
    }
    let mut out = std::io::stdout().lock();
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
