//! `psmp demo`: everything in a minute, on worlds made on the spot.

use crate::failure::Outcome;
use crate::planning::Drawing;
use crate::{Common, say, show};
use anyhow::Result;
use clap::Args;
use psmp::by_name::{ModelCache, PlannerName, PlannerSpec};
use psmp::checker::{BisectionChecker, Checker};
use psmp::{Experience, Resolution, Session, SessionOptions, Stop, WorldId};
use psmp_files::FileError;
use psmp_lab::counted;
use psmp_lab::families::{ONE_WALL, ProblemSet, RESOLUTION};
use psmp_lab::score::regret;
use psmp_lab::trial::{self, Trial};
use psmp_report::picture::Given;
use serde_json::json;
use std::io::Write;
use std::path::PathBuf;

#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  psmp demo\n  psmp demo --seed 3 --output pictures")]
pub struct DemoArgs {
    /// How many worlds to make and know.
    #[arg(long, default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=10_000), allow_negative_numbers = true)]
    worlds: u32,

    /// The folder for the pictures.
    #[arg(short, long, default_value = "demo")]
    output: PathBuf,
}

const PLANNERS: [&str; 5] = ["ei:ensemble", "psmp:fs", "pomp:fs", "maxprob:fs", "lazysp"];

pub fn run(args: &DemoArgs, common: Common) -> Result<Outcome> {
    std::fs::create_dir_all(&args.output).map_err(|e| FileError::io(&args.output, "create", e))?;
    psmp_files::check_writable(args.output.join("picture"))?;
    let bar = show::progress(u64::from(args.worlds), "making worlds");
    let set = ONE_WALL.generate(args.worlds as usize, 0, common.seed, || bar.inc(1))?;
    bar.finish_and_clear();
    let (world, shortest) = pick_world(&set);
    say!(
        "{} of family `{}`: a roadmap of {} and {}, planning in world {}",
        counted(args.worlds, "worlds"),
        ONE_WALL.name,
        counted(set.roadmap.vertex_count(), "vertices"),
        counted(set.roadmap.edge_count(), "edges"),
        world.0 + 1
    );
    let mut out = std::io::stdout().lock();
    let mut table = show::table(
        "planner | first path | at | shortest at | checked in all | ending | regret",
        1,
    );
    let models = ModelCache::default();
    for name in PLANNERS {
        let spec: PlannerSpec = name.parse()?;
        let grid = &set.image(world);
        let resolution = Resolution::distance(RESOLUTION)?;
        let checker = BisectionChecker::new(&set.roadmap, resolution, grid)?;
        let limit: u64 = shortest
            .edges()
            .iter()
            .map(|e| checker.cost_if_free(*e))
            .sum();
        let options = SessionOptions {
            planner: PlannerName::OnRoadmap(spec),
            experience: Some(Experience::from(set.table.clone())),
            models: models.clone(),
            fixed_roadmap: true,
            seed: common.seed,
            ..SessionOptions::default()
        };
        let (roadmap, checker) = (&set.roadmap, Box::new(checker));
        let mut session = Session::on_roadmap(roadmap, set.query, checker, options)?;
        if !common.json {
            writeln!(out, "\n{name}")?;
        }
        let mut trouble = None;
        let trial = trial::run(&mut session, &Stop::never(), |event| {
            let line = show::Line {
                planner: name,
                event,
                is_straightened: false,
                will_be_straightened: false,
                grows: false,
            };
            if let Err(e) = line.write(&mut out, common.json) {
                trouble.get_or_insert(e);
            }
        })?;
        if let Some(e) = trouble {
            return Err(e.into());
        }
        let regret = regret(&trial.improvements, shortest.length(), limit);
        let row = summary(&trial, shortest.length());
        if common.json {
            let line = json!({"planner": name, "world": world.0 + 1, "ending": trial.ending.name(),
                "configurations": trial.progress.configurations, "edges": trial.progress.edges,
                "length": trial.progress.best_length, "shortest_on_roadmap": shortest.length(), "regret": regret});
            writeln!(out, "{line}")?;
        }
        let mut cells = vec![name.to_owned()];
        cells.extend(row);
        cells.push(format!("{regret:.3}"));
        table.add_row(cells);
        let file = args.output.join(spec.to_string().replace(':', "-"));
        let files = ["svg", "png"].map(|ending| file.with_extension(ending));
        let Some(space) = set.roadmap.space() else {
            unreachable!("worlds are made with configurations");
        };
        let drawing = Drawing {
            title: &format!("{name} in a world of family {}", ONE_WALL.name),
            space,
            ends: [&[], &[]],
            obstacles: Some(grid),
            grown_obstacles: None,
            trial: &trial,
            tried: &[],
            shortest: Some(shortest.length()),
            given: Given {
                vertices: set.roadmap.vertex_count(),
                edges: set.roadmap.edge_count(),
            },
        };
        drawing.write(&mut session, &files)?;
    }
    if !common.json {
        writeln!(out, "\n{table}")?;
        writeln!(
            out,
            "Costs are configurations checked. Shortest is the roadmap's shortest path. Regret: 0 is one who knew it, 1.5 is nothing found."
        )?;
    }
    say!("pictures of each run are in `{}`", args.output.display());
    Ok(Outcome::Done)
}

/// The first world in which optimism does not pay: the shortest path over free edges is longer than over all.
fn pick_world(set: &ProblemSet) -> (WorldId, psmp::Path) {
    let optimistic = set.roadmap.shortest_path(set.query, |_| true);
    let optimistic = optimistic.map_or(0.0, |path| path.length());
    let mut any = None;
    for world in (0..set.table.world_count() as u32).map(WorldId) {
        let open = |edge| set.table.is_free(world, edge);
        if let Some(path) = set.roadmap.shortest_path(set.query, open) {
            if path.length() > 1.05 * optimistic {
                return (world, path);
            }
            any.get_or_insert((world, path));
        }
    }
    any.unwrap_or_else(|| (WorldId(0), psmp::Path::default()))
}

/// The first path's length and cost, the cost of the shortest, the whole cost, and the ending.
fn summary(trial: &Trial, shortest: f64) -> Vec<String> {
    let first = trial.improvements.first();
    let reached = trial
        .improvements
        .last()
        .filter(|best| best.length <= shortest * (1.0 + 1e-12));
    vec![
        show::number(first.map(|i| i.length), 3),
        show::number(first.map(|i| i.configurations as f64), 0),
        show::number(reached.map(|i| i.configurations as f64), 0),
        trial.progress.configurations.to_string(),
        trial.ending.name().to_owned(),
    ]
}
