//! `psmp bench`: planners compared over the worlds of datasets.

use crate::failure::{Mistake, Outcome};
use crate::{Common, names, numbers, say, show};
use anyhow::Result;
use clap::{Args, ValueEnum};
use psmp::by_name::PlannerSpec;
use psmp::{Fallback, WorldId};
use psmp_files::learned;
use psmp_lab::counted;
use psmp_lab::sweep::{Contestant, Familiarity, LearnedBelief, SweepOptions, sweep};
use psmp_lab::{Problems, Row, Summary, summarise};
use psmp_report::{KeptRows, rows};
use psmp_worlds::{Dataset, Prefer, ReadOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    psmp bench dataset_2d_1 --planners psmp:fs,pomp:fs,lazysp,lazysp:fs\n  \
    psmp bench dataset_2d_* --planners psmp:nn,pomp:nn --worlds test --seeds 5 --jobs 2 -o rows.parquet -o rows.csv\n  \
    psmp bench dataset_herb_1 --planners psmp:fs --experience unseen --worlds 1,7,20-40\n\n\
    With `-o` rows are kept as they come, and a sweep that is stopped goes on where it was when the \
    same command is given again. Ctrl-C ends it with exit code 4.")]
pub struct BenchArgs {
    /// Folders of datasets.
    #[arg(required = true, value_name = "DIR")]
    datasets: Vec<PathBuf>,

    /// Planners, as `PROPOSER[:BELIEF[:VALIDATOR]][:insured|:uninsured]`, separated by commas.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "psmp:fs,pomp:fs,maxprob:fs,lazysp:fs,lazysp",
        long_help = names::about_planners(),
        value_parser = names::planners_on_roadmaps(),
        hide_possible_values = true
    )]
    planners: Vec<PlannerSpec>,

    /// Worlds to plan in: `test`, `train`, `all`, or ids such as `1,7,20-40`.
    #[arg(long, default_value = "test")]
    worlds: String,

    /// Whether the world planned in is among the known ones.
    #[arg(long, value_enum, default_value_t = ExperienceArg::Seen)]
    experience: ExperienceArg,

    /// A belief made by `psmp learn`, to plan with instead of the dataset's worlds.
    #[arg(long, value_name = "FILE", conflicts_with = "experience")]
    belief: Option<PathBuf>,

    /// Runs of each planner in each world, with seeds from `--seed` on.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000_000), allow_negative_numbers = true)]
    seeds: u64,

    /// Threads; one a core if not given.
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024), allow_negative_numbers = true)]
    jobs: Option<u16>,

    /// Where to write the rows, one for each run: .csv, .json or .parquet by the ending.
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,

    /// Stop a run after this many configurations.
    #[arg(long, value_name = "CONFIGURATIONS", allow_negative_numbers = true)]
    budget: Option<u64>,

    #[command(flatten)]
    method: MethodArgs,

    /// Which of two twins of a file is read, text or MAT-file.
    #[arg(long, value_enum, default_value_t = PreferArg::Text)]
    prefer: PreferArg,
}

/// Whether the world planned in is known.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum ExperienceArg {
    /// All worlds are known, the one planned in included.
    Seen,
    /// The training worlds are known, less the one planned in.
    Unseen,
}

impl From<ExperienceArg> for Familiarity {
    fn from(arg: ExperienceArg) -> Self {
        match arg {
            ExperienceArg::Seen => Familiarity::Seen,
            ExperienceArg::Unseen => Familiarity::Unseen,
        }
    }
}

/// Which twin of a dataset's file is read.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub enum PreferArg {
    /// The text file.
    Text,
    /// The MAT-file.
    Mat,
}

impl From<PreferArg> for Prefer {
    fn from(arg: PreferArg) -> Self {
        match arg {
            PreferArg::Text => Prefer::Text,
            PreferArg::Mat => Prefer::Mat,
        }
    }
}

/// Constants of the method.
#[derive(Debug, Args)]
pub struct MethodArgs {
    /// Distance between the configurations of an edge; a thousandth of the space's longest side if
    /// not given, in a map a hundredth, because what lies between is proved. For an arm, the largest joint step in radians or metres, 0.03 if not given.
    #[arg(long, value_name = "DISTANCE", value_parser = numbers::positive, allow_negative_numbers = true)]
    pub resolution: Option<f64>,

    /// How fast a checked configuration's influence falls with distance (belief `nn`), per longest
    /// side of the space.
    #[arg(long, default_value_t = 1000.0, value_parser = numbers::positive, allow_negative_numbers = true)]
    pub eta: f64,

    /// Proposals in a row without improvement before the optimistic path is proposed, or `never` for the
    /// plain method.
    #[arg(long, default_value = "20", value_parser = parse_fallback, value_name = "DRAWS|never", allow_negative_numbers = true)]
    pub fallback: Fallback,
}

fn parse_fallback(text: &str) -> Result<Fallback, String> {
    match text {
        "never" => Ok(Fallback::Never),
        _ => text
            .parse()
            .map(Fallback::AfterNoImprovement)
            .map_err(|_| "expected a number of draws or `never`".to_owned()),
    }
}

/// Worlds by name or by ids counted from 1.
pub fn choose_worlds(text: &str, dataset: &Dataset) -> Result<Vec<WorldId>> {
    let count = dataset.table()?.world_count() as u32;
    let missing = |split: &str| {
        Mistake::error(
            format!(
                "dataset `{}` does not say which worlds are for {split}",
                dataset.name
            ),
            "choose `--worlds all`, or ids such as `--worlds 1,7,20-40`",
        )
    };
    match text {
        "test" => Ok(dataset.test().ok_or_else(|| missing("testing"))?.to_vec()),
        "train" => Ok(dataset.train().ok_or_else(|| missing("training"))?.to_vec()),
        others => numbered_worlds(others, &dataset.name, count),
    }
}

/// All worlds, or those of ids counted from 1.
pub fn numbered_worlds(text: &str, of: &str, count: u32) -> Result<Vec<WorldId>> {
    match text {
        "all" => Ok((0..count).map(WorldId).collect()),
        ids => {
            let mut worlds = Vec::new();
            for part in ids.split(',') {
                let (first, last) = part.split_once('-').unwrap_or((part, part));
                let (Ok(first), Ok(last)) = (first.trim().parse(), last.trim().parse()) else {
                    return Err(Mistake::error(
                        format!("`{part}` is no world of `--worlds {ids}`"),
                        "give `test`, `train`, `all`, or ids and ranges such as `1,7,20-40`",
                    ));
                };
                let (first, last): (u32, u32) = (first, last);
                if first == 0 || last > count || first > last {
                    return Err(Mistake::error(
                        format!("worlds {part} are not in dataset `{of}`"),
                        format!("its worlds are 1 to {count}"),
                    ));
                }
                worlds.extend((first - 1..last).map(WorldId));
            }
            Ok(worlds)
        }
    }
}

pub fn run(args: &BenchArgs, common: Common) -> Result<Outcome> {
    let Some(last_seed) = common.seed.checked_add(args.seeds - 1) else {
        return Err(Mistake::error(
            format!("there are no {} seeds from {} on", args.seeds, common.seed),
            format!("the last seed is {}: give a smaller `--seed`", u64::MAX),
        ));
    };
    let mut options = SweepOptions {
        seeds: (common.seed..=last_seed).collect(),
        resolution: args.method.resolution,
        eta: args.method.eta,
        fallback: args.method.fallback,
        budget: args.budget,
        jobs: args.jobs.map(usize::from),
        ..SweepOptions::default()
    };
    // Before hours of work, see that its results can be kept.
    for file in &args.output {
        rows::check_file(file)?;
    }
    let datasets = args
        .datasets
        .iter()
        .map(|dir| {
            let read = ReadOptions {
                prefer: args.prefer.into(),
                ..ReadOptions::default()
            };
            Ok(Dataset::open_with(dir, read)?)
        })
        .collect::<Result<Vec<Dataset>>>()?;
    if let Some(file) = &args.belief {
        for dataset in &datasets {
            options.belief = Some(LearnedBelief {
                path: file.clone(),
                experience: learned::open(file, &dataset.roadmap, &options.models)?,
            });
        }
    }
    let tasks = datasets
        .iter()
        .map(|dataset| Ok((dataset, choose_worlds(&args.worlds, dataset)?)))
        .collect::<Result<Vec<_>>>()?;
    let contestants: Vec<Contestant> = args
        .planners
        .iter()
        .map(|&planner| Contestant {
            planner,
            familiarity: args.experience.into(),
        })
        .collect();
    let worlds: usize = tasks.iter().map(|(_, worlds)| worlds.len()).sum();
    let runs = (worlds * args.planners.len()) as u64 * args.seeds;
    let bar = show::progress(runs, "planning");
    let kept = match args.output.first() {
        Some(file) => Some(KeptRows::beside(file, &tasks, &contestants, &options)?),
        None => None,
    };
    end_when_interrupted(kept.as_ref().map(KeptRows::folder), worlds)?;
    let rows = match &kept {
        Some(kept) => kept.sweep(
            || bar.inc(1),
            |file| bar.suspend(|| say!("warning: {file}; it is made again")),
        )?,
        None => {
            let tasks: Vec<(&dyn Problems, Vec<WorldId>)> = tasks
                .into_iter()
                .map(|(dataset, worlds)| (dataset as &dyn Problems, worlds))
                .collect();
            sweep(&tasks, &contestants, &options, || bar.inc(1))?
        }
    };
    bar.finish_and_clear();
    for file in &args.output {
        rows::write(file, &rows)?;
        let written = counted(rows.len(), "rows");
        say!("wrote {written} to `{}`", file.display());
    }
    if let Some(kept) = kept {
        kept.remove()?;
    }
    print(&rows, common.json)?;
    Ok(Outcome::Done)
}

/// Sees that Ctrl-C ends the command at once and says what is left of it. Nothing needs to be waited
/// for: what is kept is kept at a stroke.
fn end_when_interrupted(kept: Option<&Path>, worlds: usize) -> Result<()> {
    let kept = kept.map(Path::to_owned);
    ctrlc::set_handler(move || {
        match &kept {
            Some(folder) => {
                let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
                let done = entries
                    .filter(|e| e.path().extension().is_some_and(|e| e == "json"))
                    .count();
                say!(
                    "stopped: the rows of {done} of {worlds} worlds are kept in `{}`; run the same \
                     command again to go on",
                    folder.display()
                );
            }
            None => say!("stopped: without `--output` no rows are kept"),
        }
        std::process::exit(Outcome::Stopped.code().into());
    })?;
    Ok(())
}

fn print(rows: &[Row], json: bool) -> Result<()> {
    let summaries = summarise(rows);
    if json {
        return show::json(&summaries);
    }
    let mut out = std::io::stdout().lock();
    let mut table = show::table(
        "dataset | planner | experience | runs | to first | to shortest | \
         first/shortest | solved | regret | 95% interval | ms/run",
        3,
    );
    for s in &summaries {
        table.add_row([
            s.dataset.clone(),
            s.planner.clone(),
            s.experience.clone(),
            s.runs.to_string(),
            show::number(s.to_first, 0),
            show::number(s.to_shortest, 0),
            show::number(s.first_over_shortest, 3),
            show::percent(s.solved),
            show::number(s.regret, 3),
            s.regret_interval.map_or_else(
                || "-".to_owned(),
                |(low, high)| format!("{low:.3} to {high:.3}"),
            ),
            show::number(Some(s.milliseconds), 1),
        ]);
    }
    writeln!(out, "{table}")?;
    let units: Vec<&str> = summaries
        .iter()
        .map(|s: &Summary| s.unit.as_str())
        .collect();
    for unit in ["configurations", "edges"] {
        if units.contains(&unit) {
            let of: Vec<&str> = summaries
                .iter()
                .filter(|s| s.unit == unit)
                .map(|s| s.dataset.as_str())
                .collect::<std::collections::BTreeSet<_>>()
                .into_iter()
                .collect();
            writeln!(
                out,
                "{}: median {unit} checked; a run that never gets there counts as infinite; \
                 shortest is the roadmap's shortest path",
                of.join(", ")
            )?;
        }
    }
    for s in summaries.iter().filter(|s| s.no_path_on_roadmap.0 > 0) {
        writeln!(
            out,
            "{}, {}: {} in worlds where the roadmap has no path, {} of them ended knowing that",
            s.dataset,
            s.planner,
            counted(s.no_path_on_roadmap.0, "runs"),
            s.no_path_on_roadmap.1
        )?;
    }
    Ok(())
}
