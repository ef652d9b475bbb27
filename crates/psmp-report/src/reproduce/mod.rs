//! A whole experiment, from making the worlds to the report.
//!
//! Work is done in pieces, each the runs in a few worlds, and each piece is kept in a file of its
//! own as soon as it is done. So an experiment can be killed at any moment, and the same experiment
//! started again goes on where it was. Pieces lie in a folder named after a fingerprint of all
//! settings: with other settings there is another folder, and nothing is ever mixed.

mod claims;
mod curves;
mod evaluate;
mod experiment;
mod growth;
mod replay;
pub mod seven_dof;

pub use evaluate::evaluate;
pub use experiment::Experiment;
pub use replay::{check, replay};

use crate::keep;
use psmp::WorldId;
use psmp_files::FileError;
use psmp_lab::families::{Family, FamilyError, ProblemSet, Rectangle};
use psmp_lab::sweep::{SweepError, runs_in_world};
use psmp_lab::{Origin, Problems, Row};
use psmp_worlds::Dataset;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// How many worlds make a piece. Small, so that little is lost when it is killed.
const WORLDS_IN_PIECE: usize = 5;

/// Why an experiment cannot be run.
#[derive(Debug, Error)]
pub enum ReproduceError {
    /// A file.
    #[error(transparent)]
    File(#[from] FileError),
    /// A family whose worlds cannot be made.
    #[error(transparent)]
    Family(#[from] FamilyError),
    /// A run.
    #[error(transparent)]
    Run(#[from] SweepError),
    /// Problems of an arm that cannot be planned for as asked.
    #[error("arm problems `{set}`: {why}")]
    Arm {
        /// The set.
        set: String,
        /// Why not.
        why: String,
    },
    /// The threads could not be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

/// Who is told how it goes. Called from any thread.
pub trait Watch: Sync {
    /// A stage of so many steps begins.
    fn begin(&self, stage: &str, steps: u64);
    /// So many steps are done.
    fn step(&self, steps: u64);
    /// A file that was kept cannot be used and is made again.
    fn damaged(&self, file: &FileError);
}

/// What an experiment has brought.
pub struct Findings {
    /// The families and datasets planned in.
    pub problems: Vec<Box<dyn Problems>>,
    /// One row for each run, in the order of problems, worlds, planners and seeds.
    pub rows: Vec<Row>,
    /// Where the pieces are kept.
    pub folder: PathBuf,
}

/// The worlds of a family as they are kept.
#[derive(Serialize, Deserialize)]
struct Worlds {
    obstacles: Vec<Vec<Rectangle>>,
    /// A row of the collision table for each world, as words of bits.
    free: Vec<Vec<u64>>,
}

/// The worlds of a family that were kept; `None` if there are none. Public for tests with damaged
/// files.
///
/// # Errors
/// If the file is there but is not what was kept.
#[doc(hidden)]
pub fn kept_worlds(
    path: &Path,
    fingerprint: &str,
    family: &Family,
    made: &Origin,
) -> Result<Option<ProblemSet>, FileError> {
    let Some(kept) = keep::recall::<Worlds>(path, fingerprint)? else {
        return Ok(None);
    };
    let misfit = |what: String| FileError::new(path, what).hint(keep::REMEDY);
    match *made {
        Origin::Made { worlds, test, seed } if worlds == kept.obstacles.len() => family
            .problem_set(test, seed, kept.obstacles, &kept.free)
            .map(Some)
            .map_err(|e| misfit(e.to_string())),
        _ => Err(misfit("holds other worlds".to_owned())),
    }
}

fn threads(jobs: Option<usize>) -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    let builder = rayon::ThreadPoolBuilder::new();
    builder.num_threads(jobs.unwrap_or(0)).build()
}

/// Where the pieces of an experiment are kept.
fn folder_of_pieces(folder: &Path, fingerprint: &str) -> Result<PathBuf, FileError> {
    let folder = folder.join("runs").join(fingerprint);
    std::fs::create_dir_all(&folder).map_err(|e| FileError::io(&folder, "create", e))?;
    Ok(folder)
}

/// Runs an experiment and keeps its pieces under `folder`, or goes on with it.
///
/// # Errors
/// The first trouble met. What was done until then is kept.
pub fn run(
    experiment: &Experiment,
    folder: &Path,
    watch: &dyn Watch,
) -> Result<Findings, ReproduceError> {
    let threads = threads(experiment.options.jobs)?;
    let datasets = experiment
        .folders
        .iter()
        .map(Dataset::open)
        .collect::<Result<Vec<Dataset>, FileError>>()?;
    let known: Vec<&dyn Problems> = datasets.iter().map(|d| d as &dyn Problems).collect();
    let fingerprint = experiment.fingerprint(&known)?;
    let folder = folder_of_pieces(folder, &fingerprint)?;
    let pieces = Pieces {
        experiment,
        folder: &folder,
        fingerprint: &fingerprint,
        watch,
    };
    pieces.describe()?;
    let (problems, rows) = threads.install(|| {
        let mut problems: Vec<Box<dyn Problems>> = Vec::new();
        let worlds = (experiment.families.len() * experiment.worlds) as u64;
        watch.begin("making worlds", worlds);
        for family in &experiment.families {
            problems.push(Box::new(pieces.problem_set(family)?));
        }
        for dataset in datasets {
            problems.push(Box::new(dataset));
        }
        let rows = pieces.rows(&problems)?;
        Ok::<_, ReproduceError>((problems, rows))
    })?;
    Ok(Findings {
        problems,
        rows,
        folder,
    })
}

/// The pieces of an experiment, done and to be done.
struct Pieces<'a> {
    experiment: &'a Experiment,
    folder: &'a Path,
    fingerprint: &'a str,
    watch: &'a dyn Watch,
}

impl Pieces<'_> {
    /// What is kept, unless it is damaged.
    fn unless_damaged<T>(&self, kept: Result<Option<T>, FileError>) -> Option<T> {
        kept.unwrap_or_else(|damaged| {
            self.watch.damaged(&damaged);
            None
        })
    }

    /// Says in the folder what it is for.
    fn describe(&self) -> Result<(), FileError> {
        let settings = self.experiment.settings();
        let text: String = settings
            .iter()
            .map(|(n, v)| format!("{n}: {v}\n"))
            .collect();
        psmp_files::save(self.folder.join("settings.txt"), text.as_bytes())
    }

    fn problem_set(&self, family: &Family) -> Result<ProblemSet, ReproduceError> {
        let Experiment {
            worlds, test, seed, ..
        } = *self.experiment;
        let path = self.folder.join(format!("{}-worlds.json", family.name));
        let made = Origin::Made { worlds, test, seed };
        let kept = kept_worlds(&path, self.fingerprint, family, &made);
        if let Some(kept) = self.unless_damaged(kept) {
            self.watch.step(worlds as u64);
            return Ok(kept);
        }
        let set = family.generate(worlds, test, seed, || self.watch.step(1))?;
        let row = |world: u32| set.table.free_edges_in(WorldId(world)).to_vec();
        let kept = Worlds {
            free: (0..worlds as u32).map(row).collect(),
            obstacles: set.worlds,
        };
        keep::keep(&path, self.fingerprint, &kept)?;
        Ok(family.problem_set(test, seed, kept.obstacles, &kept.free)?)
    }

    fn rows(&self, problems: &[Box<dyn Problems>]) -> Result<Vec<Row>, ReproduceError> {
        let options = &self.experiment.options;
        let in_world = self.experiment.contestants.len() * options.seeds.len();
        let mut pieces: Vec<(&dyn Problems, &[WorldId])> = Vec::new();
        for problems in problems {
            let missing = || SweepError::Dataset {
                dataset: problems.name().to_owned(),
                why: "it does not say which worlds are to plan in (`test_id`)".to_owned(),
            };
            let test = problems.test().ok_or_else(missing)?;
            pieces.extend(
                test.chunks(WORLDS_IN_PIECE)
                    .map(|worlds| (problems.as_ref(), worlds)),
            );
        }
        let worlds: usize = pieces.iter().map(|(_, worlds)| worlds.len()).sum();
        self.watch.begin("planning", (worlds * in_world) as u64);
        let rows: Result<Vec<Vec<Row>>, ReproduceError> = pieces
            .par_iter()
            .with_max_len(1)
            .map(|&(problems, worlds)| self.piece(problems, worlds))
            .collect();
        Ok(rows?.into_iter().flatten().collect())
    }

    fn piece(
        &self,
        problems: &dyn Problems,
        worlds: &[WorldId],
    ) -> Result<Vec<Row>, ReproduceError> {
        let Experiment {
            contestants,
            options,
            ..
        } = self.experiment;
        // Test worlds need not be in a row, so a piece is named after its first.
        let first = worlds.first().map_or(0, |w| w.0 + 1);
        let name = format!("{}-from-world-{first}.json", problems.name());
        let path = self.folder.join(name);
        let expected = worlds.len() * contestants.len() * options.seeds.len();
        let kept = keep::recall_rows(&path, self.fingerprint, expected);
        if let Some(rows) = self.unless_damaged(kept) {
            self.watch.step(expected as u64);
            return Ok(rows);
        }
        let mut rows = Vec::with_capacity(expected);
        for &world in worlds {
            let tick = || self.watch.step(1);
            rows.extend(runs_in_world(problems, world, contestants, options, &tick)?);
        }
        keep::keep(&path, self.fingerprint, &rows)?;
        Ok(rows)
    }
}
