//! Sweeps: many planners in many worlds of many datasets, a row for each run.
//!
//! Worlds are spread over the cores. A world's image is read once for all of its runs, and every
//! run depends on nothing but its own row, so the rows are the same whatever the number of threads.

use crate::planner_spec::{PlannerSpec, Setting, SpecError};
use crate::recorded::RecordedChecker;
use crate::resolution::{ResolutionError, resolution_for};
use crate::score::{Improvement, regret};
use crate::trial;
use psmp::{EdgeId, Experience, Fallback, Roadmap, Stop, WorldId};
use psmp_worlds::{Dataset, FileError, Frame, ImageOptions, OccupancyGrid};
use rayon::prelude::*;
use serde::Serialize;
use thiserror::Error;

/// Which known worlds a planner may learn from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Familiarity {
    /// All worlds, the one planned in included.
    Seen,
    /// The training worlds, less the one planned in.
    Unseen,
}

impl Familiarity {
    /// The word for it in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Familiarity::Seen => "seen",
            Familiarity::Unseen => "unseen",
        }
    }

    /// The worlds to learn from when planning in `world`. Where a dataset does not say which are
    /// for training, those are all.
    #[must_use]
    pub fn worlds(
        self,
        dataset: &Dataset,
        table: &impl Experience,
        world: WorldId,
    ) -> Vec<WorldId> {
        let all = || (0..table.world_count() as u32).map(WorldId);
        match (self, dataset.train()) {
            (Familiarity::Seen, _) => all().collect(),
            (Familiarity::Unseen, None) => all().filter(|w| *w != world).collect(),
            (Familiarity::Unseen, Some(train)) => {
                train.iter().copied().filter(|w| *w != world).collect()
            }
        }
    }
}

/// What a sweep needs beside datasets, worlds and planners.
#[derive(Debug, Clone)]
pub struct SweepOptions {
    /// Which known worlds a planner may learn from.
    pub familiarity: Familiarity,
    /// Each planner plans in each world once for each of these.
    pub seeds: Vec<u64>,
    /// The distance between the configurations of an edge; `None` for a thousandth of the space's
    /// longest side.
    pub resolution: Option<f64>,
    /// The nearest-neighbour belief's rate, in units of the space's longest side.
    pub eta: f64,
    /// What to do about barren draws.
    pub fallback: Fallback,
    /// Configurations after which a run is stopped.
    pub budget: Option<u64>,
    /// Threads; `None` for one a core.
    pub jobs: Option<usize>,
}

impl Default for SweepOptions {
    /// The constants of the paper.
    fn default() -> Self {
        Self {
            familiarity: Familiarity::Seen,
            seeds: vec![0],
            resolution: None,
            eta: 1000.0,
            fallback: Fallback::default(),
            budget: None,
            jobs: None,
        }
    }
}

/// A plain run that draws barren worlds will do so for ever: after this many it is stopped.
const MOST_PROPOSALS: u64 = 5000;

/// One run of a sweep.
#[derive(Debug, Clone, Serialize, parquet_derive::ParquetRecordWriter)]
pub struct Row {
    /// The dataset's name.
    pub dataset: String,
    /// The planner's name.
    pub planner: String,
    /// `seen` or `unseen`.
    pub experience: String,
    /// The world's id, counted from 1 as in the dataset's files.
    pub world: u32,
    /// The seed.
    pub seed: u64,
    /// What costs are counted in: `configurations`, or `edges` where there are no images.
    pub unit: String,
    /// The length of the shortest path; missing if there is none.
    pub shortest_length: Option<f64>,
    /// What checking only the shortest path costs.
    pub limit: Option<u64>,
    /// What had been spent at the first path.
    pub cost_to_first: Option<u64>,
    /// The length of the first path.
    pub first_length: Option<f64>,
    /// What had been spent when the shortest path was found.
    pub cost_to_shortest: Option<u64>,
    /// What had been spent at the end.
    pub cost_total: u64,
    /// Edges checked in all.
    pub edges: u64,
    /// Paths asked of the proposer, barren draws included.
    pub proposals: u64,
    /// The length of the best path.
    pub best_length: Option<f64>,
    /// The lower bound at the end; missing if there can be no path.
    pub lower_bound: Option<f64>,
    /// `optimal`, `infeasible`, `gave-up` or `stopped`.
    pub ending: String,
    /// Normalised anytime regret; missing if there is no path.
    pub regret: Option<f64>,
    /// Time spent planning, the checks' look-ups included.
    pub seconds: f64,
    /// The version of psmp that made the row.
    pub version: String,
}

/// Why a sweep cannot be run.
#[derive(Debug, Error)]
pub enum SweepError {
    /// A file of a dataset.
    #[error(transparent)]
    File(#[from] FileError),
    /// A planner that cannot be made for a dataset.
    #[error("dataset `{dataset}`: {error}")]
    Planner {
        /// The dataset.
        dataset: String,
        /// Why not.
        error: SpecError,
    },
    /// A dataset that cannot be planned in as asked.
    #[error("dataset `{dataset}`: {why}")]
    Dataset {
        /// The dataset.
        dataset: String,
        /// Why not.
        why: String,
    },
    /// The resolution cannot be used.
    #[error(transparent)]
    Resolution(#[from] ResolutionError),
    /// The threads could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Runs every planner in every world with every seed. `tick` is called after each run, from any
/// thread. Rows come in the order of datasets, worlds, planners and seeds.
///
/// # Errors
/// The first trouble met. Nothing is half reported: either all rows or none.
pub fn sweep(
    tasks: &[(&Dataset, Vec<WorldId>)],
    planners: &[PlannerSpec],
    options: &SweepOptions,
    tick: impl Fn() + Sync,
) -> Result<Vec<Row>, SweepError> {
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(options.jobs.unwrap_or(0))
        .build()?;
    let worlds: Vec<(&Dataset, WorldId)> = tasks
        .iter()
        .flat_map(|(dataset, worlds)| worlds.iter().map(|w| (*dataset, *w)))
        .collect();
    let rows: Result<Vec<Vec<Row>>, SweepError> = threads.install(|| {
        worlds
            .par_iter()
            .with_max_len(1)
            .map(|&(dataset, world)| runs_in_world(dataset, world, planners, options, &tick))
            .collect()
    });
    Ok(rows?.into_iter().flatten().collect())
}

/// The longest side of a roadmap's space, 1 if it has none: what lengths are measured by where a
/// user gives none.
#[must_use]
pub fn scale(roadmap: &Roadmap) -> f64 {
    roadmap.space().map_or(1.0, |space| {
        let sides = space
            .axes()
            .iter()
            .map(|axis| axis.extent() * axis.weight());
        sides.fold(0.0, f64::max)
    })
}

/// The image of a dataset's world, if it has one and coordinates to use it with.
///
/// # Errors
/// If the image is there but cannot be read.
pub fn image_of(dataset: &Dataset, world: WorldId) -> Result<Option<OccupancyGrid>, FileError> {
    let Some([x, y]) = dataset.roadmap.space().map(|space| space.axes()) else {
        return Ok(None);
    };
    let Some(path) = dataset.image_path(world) else {
        return Ok(None);
    };
    let options = ImageOptions {
        frame: Frame::Centres {
            x: [x.lower(), x.upper()],
            y: [y.lower(), y.upper()],
        },
        ..ImageOptions::default()
    };
    OccupancyGrid::read(path, &options).map(Some)
}

/// A checker in a recorded world, by image where there is one.
///
/// # Errors
/// If the image cannot be read, or there is no table, or the resolution makes no sense.
pub fn checker_for<'a>(
    dataset: &'a Dataset,
    world: WorldId,
    image: Option<OccupancyGrid>,
    resolution: Option<f64>,
) -> Result<RecordedChecker<'a>, SweepError> {
    let table = dataset.table()?;
    let Some(image) = image else {
        return Ok(RecordedChecker::by_edges(table, world));
    };
    let resolution = resolution_for(&dataset.roadmap, resolution)?;
    RecordedChecker::by_image(table, world, &dataset.roadmap, image, resolution).map_err(|e| {
        SweepError::Dataset {
            dataset: dataset.name.clone(),
            why: e.to_string(),
        }
    })
}

fn runs_in_world(
    dataset: &Dataset,
    world: WorldId,
    planners: &[PlannerSpec],
    options: &SweepOptions,
    tick: &(impl Fn() + Sync),
) -> Result<Vec<Row>, SweepError> {
    let table = dataset.table()?;
    let query = dataset.query()?;
    let image = image_of(dataset, world)?;
    let unit = if image.is_some() {
        "configurations"
    } else {
        "edges"
    };
    let shortest = dataset
        .roadmap
        .shortest_path(query, |edge: EdgeId| table.is_free(world, edge));
    let mut rows = Vec::with_capacity(planners.len() * options.seeds.len());
    for planner in planners {
        for &seed in &options.seeds {
            let checker = checker_for(dataset, world, image.clone(), options.resolution)?;
            let limit = shortest
                .as_ref()
                .map(|path| path.edges().iter().map(|e| checker.price_if_free(*e)).sum());
            let setting = Setting {
                roadmap: &dataset.roadmap,
                query,
                experience: Some((table, options.familiarity.worlds(dataset, table, world))),
                eta: options.eta / scale(&dataset.roadmap),
                fallback: options.fallback,
                seed,
            };
            let mut run =
                planner
                    .build(&setting, checker)
                    .map_err(|error| SweepError::Planner {
                        dataset: dataset.name.clone(),
                        error,
                    })?;
            let mut stop = Stop::never();
            if let Some(budget) = options.budget {
                stop = stop | Stop::configurations(budget);
            }
            if options.fallback == Fallback::Never {
                stop = stop | Stop::proposals(MOST_PROPOSALS);
            }
            let Ok(trial) = trial::run(run.as_mut(), &stop, |_| {});
            let shortest_length = shortest.as_ref().map(psmp::Path::length);
            let first: Option<&Improvement> = trial.improvements.first();
            let at_shortest = trial.improvements.last().filter(|best| {
                shortest_length.is_some_and(|shortest| best.length <= shortest * (1.0 + 1e-12))
            });
            rows.push(Row {
                dataset: dataset.name.clone(),
                planner: planner.to_string(),
                experience: options.familiarity.name().to_owned(),
                world: world.0 + 1,
                seed,
                unit: unit.to_owned(),
                shortest_length,
                limit,
                cost_to_first: first.map(|i| i.configurations),
                first_length: first.map(|i| i.length),
                cost_to_shortest: at_shortest.map(|i| i.configurations),
                cost_total: trial.progress.configurations,
                edges: trial.progress.edges,
                proposals: trial.progress.proposals,
                best_length: trial.progress.best_length,
                lower_bound: Some(trial.progress.lower_bound).filter(|b| b.is_finite()),
                ending: trial.ending.name().to_owned(),
                regret: shortest_length
                    .zip(limit)
                    .map(|(shortest, limit)| regret(&trial.improvements, shortest, limit)),
                seconds: trial.duration.as_secs_f64(),
                version: env!("CARGO_PKG_VERSION").to_owned(),
            });
            tick();
        }
    }
    Ok(rows)
}
