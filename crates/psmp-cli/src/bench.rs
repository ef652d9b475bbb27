//! `psmp bench`: planners compared over the worlds of datasets and the problems of arms.

use crate::bench_sets::{self, ChosenRobot, Opened};
use crate::failure::{Mistake, Outcome};
use crate::{Common, names, numbers, page, results, say, show};
use anyhow::Result;
use clap::{Args, ValueEnum};
use psmp::{Fallback, Prices, WorldId};
use psmp_files::learned;
use psmp_lab::sweep::{Familiarity, LearnedBelief, SweepOptions, over_worlds};
use psmp_lab::{Entrant, EntrantName, Row, Summary, counted, summarise};
use psmp_report::bench::BenchSet;
use psmp_report::report::comparison::Source;
use psmp_report::reproduce::ReproduceError;
use psmp_report::{Kept, KeptRows, rows};
use psmp_worlds::{Dataset, Prefer, ReadOptions};
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    psmp bench dataset_2d_1 --planners psmp:fs,pomp:fs,lazysp,lazysp:fs\n  \
    psmp bench dataset_2d_* --planners psmp:nn,pomp:nn --worlds test --seeds 5 --jobs 2 -o rows.parquet -o rows.csv\n  \
    psmp bench dataset_herb_1 --planners psmp:fs --experience unseen --worlds 1,7,20-40\n  \
    psmp bench dataset_2d_1 --planners ei:local,lazysp:0.9:coarse --price 10us\n  \
    psmp bench mazes --planners psmp:fs,ei:local+grow,lazysp+shortcut,rrtstar --budget 20000 --page results.html --open\n  \
    psmp bench problems/cage problems/box --robot panda.urdf --srdf panda.srdf \\\n      \
    --planners ei:ensemble+grow,lazysp,rrtconnect+shortcut --budget 20000 -o rows.parquet --page results.html\n\n\
    Regret is the best length over the shortest, 3 before the first path, in the mean over four times what checking the \
    shortest path takes, less 1.5: 0 is perfect, 1.5 is nothing found.\n\n\
    A folder of an arm's problems has files `scene0001.yaml` and `request0001.yaml` and so on. They are planned in as `psmp \
    plan` does; the first four fifths are known to planners that learn, `test` are the others. In a dataset's images planners \
    that do not keep to the roadmap ask about configurations and prove nothing, as the others do there. \
    `--page` puts films of runs beside the page, see `psmp page --help`.\n\n\
    With `-o` rows are kept as they come, and a sweep that is stopped goes on where it was when the \
    same command is given again. Ctrl-C ends it with exit code 4.")]
pub struct BenchArgs {
    /// Folders of datasets, or of an arm's problems.
    #[arg(required = true, value_name = "DIR")]
    datasets: Vec<PathBuf>,

    /// Planners, as `PROPOSER[:BELIEF[:VALIDATOR]][:insured|:uninsured][+grow|+shortcut]` or one that grows trees, separated
    /// by commas.
    #[arg(
        long,
        value_delimiter = ',',
        default_value = "psmp:fs,pomp:fs,maxprob:fs,lazysp:fs,lazysp",
        long_help = names::about_planners(),
        value_parser = names::entrants(),
        hide_possible_values = true
    )]
    planners: Vec<EntrantName>,

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

    /// Where to write a page that compares the planners: an .html file with everything in it, and films of runs in a
    /// folder beside it.
    #[arg(long, value_name = "FILE.html")]
    page: Option<PathBuf>,

    /// Open that page in the browser.
    #[arg(long, requires = "page")]
    open: bool,

    /// The robot of an arm's problems: a URDF file, or a shipped model (panda-like, wam-like, ur5-like, planar-N). If not
    /// given, the one whose SRDF and URDF are in their folder or above it.
    #[arg(long, value_name = "URDF")]
    robot: Option<PathBuf>,

    /// The robot's groups and disabled pairs, an SRDF file.
    #[arg(long, value_name = "SRDF", requires = "robot")]
    srdf: Option<PathBuf>,

    /// Stop a run after this many configurations.
    #[arg(long, value_name = "CONFIGURATIONS", allow_negative_numbers = true)]
    budget: Option<u64>,

    /// What checking a configuration costs, and if you like what looking at an edge costs when a planner thinks:
    /// `100us`, `2ms/30ns`. Then planners are told, thinking counts too, and all costs are times, in configurations
    /// that take as long. If not given only checks count, as published.
    #[arg(long, value_name = "TIME")]
    price: Option<Prices>,

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

/// Worlds of a dataset, by name or by ids counted from 1.
pub fn choose_worlds(text: &str, dataset: &Dataset) -> Result<Vec<WorldId>> {
    let splits = [dataset.test(), dataset.train()].map(|split| split.map(<[_]>::to_vec));
    worlds_of(text, &dataset.name, dataset.table()?.world_count(), splits)
}

/// Worlds by name or by ids counted from 1, of those for testing and for training.
pub fn worlds_of(
    text: &str,
    of: &str,
    count: usize,
    [test, train]: [Option<Vec<WorldId>>; 2],
) -> Result<Vec<WorldId>> {
    let missing = |split: &str| {
        Mistake::error(
            format!("dataset `{of}` does not say which worlds are for {split}"),
            "choose `--worlds all`, or ids such as `--worlds 1,7,20-40`",
        )
    };
    match text {
        "test" => test.ok_or_else(|| missing("testing")),
        "train" => train.ok_or_else(|| missing("training")),
        others => numbered_worlds(others, of, count as u32),
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
        prices: args.price,
        jobs: args.jobs.map(usize::from),
        ..SweepOptions::default()
    };
    // Before hours of work, see that its results can be kept.
    for file in &args.output {
        rows::check_file(file)?;
    }
    if let Some(file) = &args.page {
        page::check_file(file)?;
    }
    let entrants: Vec<Entrant> = args
        .planners
        .iter()
        .map(|&name| Entrant {
            name,
            familiarity: args.experience.into(),
        })
        .collect();
    if let (Some(endless), None) = (entrants.iter().find(|e| e.is_endless()), args.budget) {
        return Err(Mistake::error(
            format!(
                "`{}` looks for shorter paths until it is stopped",
                endless.name
            ),
            "say when, as in `--budget 20000`",
        ));
    }
    let sets = open_sets(args, &entrants)?;
    if let Some(file) = &args.belief {
        for set in &sets {
            options.belief = Some(LearnedBelief {
                path: file.clone(),
                experience: learned::open(file, set.roadmap(), &options.models)?,
            });
        }
    }
    let tasks = sets
        .iter()
        .map(|set| {
            let splits = [set.test(), set.train()];
            let worlds = worlds_of(&args.worlds, set.name(), set.world_count()?, splits)?;
            Ok((set, worlds))
        })
        .collect::<Result<Vec<_>>>()?;
    let worlds: usize = tasks.iter().map(|(_, worlds)| worlds.len()).sum();
    let runs = (worlds * args.planners.len()) as u64 * args.seeds;
    let bar = show::progress(runs, "planning");
    let kept = match args.output.first() {
        Some(file) => Some(KeptRows::beside(file, &tasks, &entrants, &options)?),
        None => None,
    };
    end_when_interrupted(kept.as_ref().map(KeptRows::kept), worlds)?;
    let rows = match &kept {
        Some(kept) => kept.sweep(
            || bar.inc(1),
            |file| bar.suspend(|| say!("warning: {file}; it is made again")),
        )?,
        None => over_worlds(&tasks, options.jobs, |_, set, world| {
            set.runs_in_world(world, &entrants, &options, &|| bar.inc(1))
        })
        .map_err(|e: ReproduceError| e)?,
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
    if let Some(file) = &args.page {
        let source = Source {
            file: args.output.first().map(|file| file.display().to_string()),
            rows: rows.clone(),
        };
        results::write(vec![source], Opened(sets), file, args.open)?;
    }
    print(&rows, common.json)?;
    Ok(Outcome::Done)
}

/// Opens what was named, and sees that who learns from known worlds has some.
fn open_sets(args: &BenchArgs, entrants: &[Entrant]) -> Result<Vec<BenchSet>> {
    let chosen = ChosenRobot {
        robot: args.robot.as_deref(),
        srdf: args.srdf.as_deref(),
    };
    let mut sets = Vec::new();
    for folder in &args.datasets {
        let read = ReadOptions {
            prefer: args.prefer.into(),
            ..ReadOptions::default()
        };
        let mut set = bench_sets::open(folder, &chosen, args.method.resolution, read)?;
        if args.belief.is_none() && entrants.iter().any(Entrant::needs_experience) {
            bench_sets::learn(&mut set)?;
        }
        sets.push(set);
    }
    if args.robot.is_some() && !sets.iter().any(|set| matches!(set, BenchSet::Arm(_))) {
        return Err(Mistake::error(
            "`--robot` is for an arm's problems, and none of these folders has any",
            "name a folder with `scene0001.yaml` and `request0001.yaml`, or leave out `--robot`",
        ));
    }
    Ok(sets)
}

/// Sees that Ctrl-C ends the command at once and says what is left of it. Nothing needs to be waited
/// for: what is kept is kept at a stroke.
fn end_when_interrupted(kept: Option<Kept>, worlds: usize) -> Result<()> {
    ctrlc::set_handler(move || {
        match &kept {
            Some(kept) => {
                let done = kept.close();
                say!(
                    "stopped: the rows of {done} of {worlds} worlds are kept in `{}`; run the same \
                     command again to go on",
                    kept.folder().display()
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
    writeln!(
        out,
        "regret: best length over shortest, 3 before the first path, in the mean over four times what checking the \
         shortest path takes, less 1.5; 0 is perfect, 1.5 is nothing found"
    )?;
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
