//! Sweeps: many planners in many worlds of many datasets, a row for each run.
//!
//! Worlds are spread over the cores. A world's image is read once for all of its runs, and every
//! run depends on nothing but its own row, so the rows are the same whatever the number of threads.

use crate::arena::Arena;
use crate::entrant::Entrant;
use crate::problems::Problems;
use crate::resolution::ResolutionError;
use crate::row::Row;
use psmp::by_name::{ModelCache, PlannerSpec, SpecError};
use psmp::{Experience, Fallback, Prices, WorldId};
use psmp_files::FileError;
use rayon::prelude::*;
use std::path::PathBuf;
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

    /// The worlds to learn from when planning in `world`. Where nothing says which are for
    /// training, those are all.
    ///
    /// # Errors
    /// If no world is known.
    pub fn experience(
        self,
        problems: &dyn Problems,
        world: WorldId,
    ) -> Result<Experience, FileError> {
        let all = Experience::from(problems.experience()?.clone());
        Ok(match (self, problems.train()) {
            (Familiarity::Seen, _) => all,
            (Familiarity::Unseen, None) => all.as_if_in(world),
            (Familiarity::Unseen, Some(train)) => {
                Experience::of(all.table().clone(), train.iter().copied()).as_if_in(world)
            }
        })
    }
}

/// A planner, and what it may learn from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contestant {
    /// The planner.
    pub planner: PlannerSpec,
    /// Which known worlds it may learn from.
    pub familiarity: Familiarity,
}

impl Contestant {
    /// The word for its experience in tables: `seen`, `unseen`, or `none` where the planner does not
    /// learn from known worlds.
    #[must_use]
    pub fn experience(&self) -> &'static str {
        if self.planner.needs_experience() {
            self.familiarity.name()
        } else {
            "none"
        }
    }
}

/// A belief that was learned before.
#[derive(Debug, Clone)]
pub struct LearnedBelief {
    /// Its file, which rows name.
    pub path: PathBuf,
    /// The known worlds that it was learned from.
    pub experience: Experience,
}

/// What a sweep needs beside datasets, worlds and planners.
#[derive(Debug, Clone)]
pub struct SweepOptions {
    /// Each planner plans in each world once for each of these.
    pub seeds: Vec<u64>,
    /// The distance between the configurations of an edge; `None` for a thousandth of the space's
    /// longest side.
    pub resolution: Option<f64>,
    /// The nearest-neighbour belief's rate, in units of the space's longest side.
    pub eta: f64,
    /// What to do about draws without improvement.
    pub fallback: Fallback,
    /// Configurations after which a run is stopped.
    pub budget: Option<u64>,
    /// What a configuration and a thought cost; then planners are told, and what they think counts as what they
    /// check does. `None` to count checks alone, as published.
    pub prices: Option<Prices>,
    /// A belief that was learned before, about this very roadmap; planners then learn from nothing
    /// else.
    pub belief: Option<LearnedBelief>,
    /// What has been learned from known worlds.
    pub models: ModelCache,
    /// Threads; `None` for one a core.
    pub jobs: Option<usize>,
}

impl SweepOptions {
    /// What rows say of a planner's experience: the word for it, or the file of the belief that it plans with.
    #[must_use]
    pub fn experience_of(&self, entrant: &Entrant) -> String {
        match &self.belief {
            Some(belief) if entrant.needs_experience() => {
                let path = &belief.path;
                let full = path.canonicalize().unwrap_or_else(|_| path.clone());
                full.display().to_string()
            }
            _ => entrant.experience().to_owned(),
        }
    }
}

impl Default for SweepOptions {
    /// The constants of the paper.
    fn default() -> Self {
        Self {
            seeds: vec![0],
            resolution: None,
            eta: 1000.0,
            fallback: Fallback::default(),
            budget: None,
            prices: None,
            belief: None,
            models: ModelCache::default(),
            jobs: None,
        }
    }
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
    /// A planner that has nothing to plan in, or no end to come to.
    #[error("dataset `{dataset}`: planner `{planner}` {why}")]
    Unfit {
        /// The dataset.
        dataset: String,
        /// The planner.
        planner: String,
        /// Why not.
        why: &'static str,
        /// What to do about it.
        remedy: &'static str,
    },
    /// The resolution cannot be used.
    #[error(transparent)]
    Resolution(#[from] ResolutionError),
    /// The threads could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Runs every contestant in every world with every seed. `tick` is called after each run, from any
/// thread. Rows come in the order of problems, worlds, contestants and seeds.
///
/// # Errors
/// The first trouble met. Nothing is half reported: either all rows or none.
pub fn sweep(
    tasks: &[(&dyn Problems, Vec<WorldId>)],
    contestants: &[Contestant],
    options: &SweepOptions,
    tick: impl Fn() + Sync,
) -> Result<Vec<Row>, SweepError> {
    over_worlds(tasks, options.jobs, |_, problems, world| {
        runs_in_world(problems, world, contestants, options, &tick)
    })
}

/// The rows of all worlds, in their order, each by its place in it; done on all threads.
///
/// # Errors
/// The first trouble met.
pub fn over_worlds<T, E>(
    tasks: &[(T, Vec<WorldId>)],
    jobs: Option<usize>,
    rows: impl Fn(usize, T, WorldId) -> Result<Vec<Row>, E> + Sync,
) -> Result<Vec<Row>, E>
where
    T: Copy + Send + Sync,
    E: From<rayon::ThreadPoolBuildError> + Send,
{
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(jobs.unwrap_or(0))
        .build()?;
    let worlds: Vec<(T, WorldId)> = tasks
        .iter()
        .flat_map(|(problems, worlds)| worlds.iter().map(|w| (*problems, *w)))
        .collect();
    let rows: Result<Vec<Vec<Row>>, E> = threads.install(|| {
        worlds
            .par_iter()
            .with_max_len(1)
            .enumerate()
            .map(|(place, &(problems, world))| rows(place, problems, world))
            .collect()
    });
    Ok(rows?.into_iter().flatten().collect())
}

/// Runs every contestant in one world with every seed.
///
/// # Errors
/// The first trouble met.
pub fn runs_in_world(
    problems: &dyn Problems,
    world: WorldId,
    contestants: &[Contestant],
    options: &SweepOptions,
    tick: &(impl Fn() + Sync),
) -> Result<Vec<Row>, SweepError> {
    let arena = Arena::open(problems, world)?;
    let mut rows = Vec::with_capacity(contestants.len() * options.seeds.len());
    for contestant in contestants {
        for &seed in &options.seeds {
            rows.push(arena.run(contestant, seed, options)?);
            tick();
        }
    }
    Ok(rows)
}
