//! The `psmp` command.
//!
//! What a command finds out goes to standard output, everything said about it to standard error.
//! With `--json` standard output is JSON: one value, or one value a line where results stream.
//! Errors name the thing, and a `hint:` line says what to do. Exit codes: 0 done (a path was found),
//! 1 an error, 2 wrong usage, 3 no path on the roadmap or dataset that was given, 4 no path found yet
//! (stopped, or a roadmap made on the spot has none), 5 a replay that differs.

mod arms;
mod bench;
mod bench_sets;
mod calibrate;
mod completions;
mod convert;
mod demo;
mod failure;
mod generate;
mod info;
mod learn;
mod live;
mod names;
mod numbers;
mod page;
mod plan;
mod plan_arm;
mod planning;
mod replay;
mod reproduce;
mod results;
mod show;
mod spheres;
mod srdf;
mod status;
mod stopping;
mod stopwatch;
mod table;

use clap::{CommandFactory, Parser, Subcommand};
use std::process::ExitCode;

/// Anytime motion planning on roadmaps whose edges are expensive to check.
#[derive(Debug, Parser)]
#[command(
    name = "psmp",
    version,
    propagate_version = true,
    after_help = "Examples:\n  \
        psmp demo\n  \
        psmp plan --map office.png --start 0.1,0.1 --goal 0.9,0.9 --picture plan.png\n  \
        psmp plan --dataset dataset_2d_1 --world 17 --planner psmp:fs\n  \
        psmp plan --robot panda.urdf --srdf panda.srdf --scene scene.yaml --request request.yaml\n  \
        psmp bench dataset_2d_1 --planners psmp:fs,pomp:nn,lazysp --seeds 5 -o rows.csv\n\n\
        Exit codes: 0 done, 1 error, 2 wrong usage, 3 no path on the roadmap or dataset that was given, 4 no path found yet (stopped, or a roadmap made on the spot has none), 5 a replay that differs."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,

    /// Print JSON on standard output.
    #[arg(long, global = true)]
    json: bool,

    /// The seed: the same seed and inputs give the same run, event for event. Without one it is 0, but `plan`
    /// without experience measures what checks take, and thinks as long as they are worth.
    #[arg(long, global = true, allow_negative_numbers = true)]
    seed: Option<u64>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Make worlds on the spot, plan in one with every planner, and draw what happened.
    Demo(demo::DemoArgs),
    /// Plan in a map, in a world of a dataset or for an arm, streaming each better path.
    Plan(Box<plan::PlanArgs>),
    /// Compare planners over the worlds of datasets and the problems of arms.
    Bench(Box<bench::BenchArgs>),
    /// Make a page that compares planners, from rows of runs.
    Page(results::ResultsArgs),
    /// Tell whether what beliefs call likely is as frequent as they say.
    Calibrate(calibrate::CalibrateArgs),
    /// Make a belief from maps or other known worlds, or add to it what later runs have found.
    Learn(learn::LearnArgs),
    /// Make a dataset: worlds of a family, their roadmap and its collision table; or scenes
    /// for an arm, of clutter on a table or of a shelf.
    Generate(generate::GenerateArgs),
    /// Tell what a map, a dataset, a roadmap, a collision table or a belief holds.
    Info(info::InfoArgs),
    /// Convert between dataset folders, GraphML roadmaps and collision tables.
    Convert(convert::ConvertArgs),
    /// Cover a robot's links with spheres, and tell how much more than the links they are.
    Spheres(spheres::SpheresArgs),
    /// Find the pairs of a robot's links that need no check, and write them as an SRDF.
    Srdf(srdf::SrdfArgs),
    /// Check the edges of an arm's roadmap in many scenes: a collision table.
    Table(table::TableArgs),
    /// Run the published 2-D experiments, from the worlds to the report.
    Reproduce(reproduce::ReproduceArgs),
    /// Run one row of the results again and see that it is the same.
    Replay(replay::ReplayArgs),
    /// Print a completion script for a shell.
    #[command(
        after_help = "Example:\n  psmp completions bash > ~/.local/share/bash-completion/completions/psmp"
    )]
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// What all commands share.
#[derive(Debug, Clone, Copy)]
struct Common {
    json: bool,
    seed: u64,
    /// Whether a seed was given: then a run is the same again.
    is_seeded: bool,
}

fn main() -> ExitCode {
    let cli = Cli::parse();
    let common = Common {
        json: cli.json,
        seed: cli.seed.unwrap_or(0),
        is_seeded: cli.seed.is_some(),
    };
    let outcome = match cli.command {
        Command::Demo(args) => demo::run(&args, common),
        Command::Plan(args) => plan::run(&args, common),
        Command::Bench(args) => bench::run(&args, common),
        Command::Page(args) => results::run(&args, common),
        Command::Calibrate(args) => calibrate::run(&args, common),
        Command::Learn(args) => learn::run(&args, common),
        Command::Generate(args) => generate::run(&args, common),
        Command::Info(args) => info::run(&args, common),
        Command::Convert(args) => convert::run(&args, common),
        Command::Spheres(args) => spheres::run(&args, common),
        Command::Srdf(args) => srdf::run(&args, common),
        Command::Table(args) => table::run(&args, common),
        Command::Reproduce(args) => reproduce::run(&args, common),
        Command::Replay(args) => replay::run(&args, common),
        Command::Completions { shell } => completions::run(shell, Cli::command()),
    };
    match outcome {
        Ok(outcome) => outcome.into(),
        Err(error) => failure::report(&error),
    }
}
