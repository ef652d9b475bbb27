//! The rows of a sweep, kept as they come: those of each world in a file of their own, in a folder
//! beside the file that all are meant for. A sweep that was stopped, however it was, goes on where it
//! was. What is kept lies under a fingerprint of everything that the rows depend on, so that nothing
//! of another sweep is ever taken for this one's.

use crate::bench::BenchSet;
use crate::keep;
use crate::reproduce::ReproduceError;
use psmp::WorldId;
use psmp_files::FileError;
use psmp_lab::sweep::{SweepOptions, over_worlds};
use psmp_lab::{Entrant, Row};
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use twox_hash::XxHash64;

/// A sweep whose rows are kept.
pub struct KeptRows<'a> {
    tasks: &'a [(&'a BenchSet, Vec<WorldId>)],
    entrants: &'a [Entrant],
    options: &'a SweepOptions,
    fingerprint: String,
    parts: PathBuf,
    kept: Kept,
}

/// What a sweep has kept so far, for who is about to end it.
#[derive(Debug, Clone)]
pub struct Kept {
    folder: PathBuf,
    /// Held while a world is written.
    writing: Arc<Mutex<()>>,
}

impl Kept {
    /// The folder of what is kept.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many worlds are kept, and no more will be: who has another waits for the end of the process.
    #[must_use]
    pub fn close(&self) -> usize {
        std::mem::forget(self.writing.lock());
        let entries = std::fs::read_dir(&self.folder);
        let files = entries.into_iter().flatten().flatten();
        files
            .filter(|file| file.path().extension().is_some_and(|e| e == "json"))
            .count()
    }
}

impl<'a> KeptRows<'a> {
    /// Makes the folder beside `output`, or finds it with what a sweep that was stopped has left.
    ///
    /// # Errors
    /// If a dataset cannot be read or the folder cannot be made.
    pub fn beside(
        output: &Path,
        tasks: &'a [(&'a BenchSet, Vec<WorldId>)],
        entrants: &'a [Entrant],
        options: &'a SweepOptions,
    ) -> Result<Self, FileError> {
        let fingerprint = fingerprint(tasks, entrants, options)?;
        let mut parts = output.as_os_str().to_owned();
        parts.push(".parts");
        let parts = PathBuf::from(parts);
        let folder = parts.join(&fingerprint);
        std::fs::create_dir_all(&folder).map_err(|e| FileError::io(&folder, "create", e))?;
        Ok(Self {
            tasks,
            entrants,
            options,
            fingerprint,
            parts,
            kept: Kept {
                folder,
                writing: Arc::default(),
            },
        })
    }

    /// What is kept, as it becomes more.
    #[must_use]
    pub fn kept(&self) -> Kept {
        self.kept.clone()
    }

    /// Runs what has not been run. `tick` is called after each run, from any thread; `damaged` hears of files
    /// that cannot be used and are made again.
    ///
    /// # Errors
    /// The first trouble met. What was done until then is kept.
    pub fn sweep(
        &self,
        tick: impl Fn() + Sync,
        damaged: impl Fn(&FileError) + Sync,
    ) -> Result<Vec<Row>, ReproduceError> {
        over_worlds(self.tasks, self.options.jobs, |place, set, world| {
            let path = self.kept.folder.join(format!("{place:06}.json"));
            let expected = self.entrants.len() * self.options.seeds.len();
            let kept =
                keep::recall_rows(&path, &self.fingerprint, expected).unwrap_or_else(|trouble| {
                    damaged(&trouble);
                    None
                });
            if let Some(rows) = kept {
                rows.iter().for_each(|_| tick());
                return Ok(rows);
            }
            let rows = set.runs_in_world(world, self.entrants, self.options, &tick)?;
            let writing = self.kept.writing.lock();
            let _writing = writing.unwrap_or_else(PoisonError::into_inner);
            keep::keep(&path, &self.fingerprint, &rows)?;
            Ok(rows)
        })
    }

    /// Removes what was kept, once the rows are where they were meant for.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove(self) -> Result<(), FileError> {
        let folder = &self.kept.folder;
        std::fs::remove_dir_all(folder).map_err(|e| FileError::io(folder, "remove", e))?;
        // Another sweep may have been stopped there; then the folder stays.
        let _ = std::fs::remove_dir(&self.parts);
        Ok(())
    }
}

/// A word that is the same for the same version, worlds, planners and options.
fn fingerprint(
    tasks: &[(&BenchSet, Vec<WorldId>)],
    entrants: &[Entrant],
    options: &SweepOptions,
) -> Result<String, FileError> {
    let SweepOptions {
        seeds,
        resolution,
        eta,
        fallback,
        budget,
        prices,
        belief,
        models: _,
        jobs: _,
    } = options;
    let mut hash = XxHash64::with_seed(0);
    let version = env!("CARGO_PKG_VERSION");
    let told = format!(
        "{version} {entrants:?} {seeds:?} {resolution:?} {eta:?} {fallback:?} {budget:?} {prices:?}"
    );
    hash.write(told.as_bytes());
    if let Some(belief) = belief {
        let path = &belief.path;
        hash.write(path.as_os_str().as_encoded_bytes());
        let bytes = std::fs::read(path).map_err(|e| FileError::io(path, "read", e))?;
        hash.write_u64(XxHash64::oneshot(0, &bytes));
    }
    for (set, worlds) in tasks {
        set.hash(&mut hash, worlds)?;
    }
    Ok(format!("{:016x}", hash.finish()))
}
