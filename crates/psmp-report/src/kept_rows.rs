//! The rows of a sweep, kept as they come: those of each world in a file of their own, in a folder
//! beside the file that all are meant for. A sweep that was stopped, however it was, goes on where it
//! was. What is kept lies under a fingerprint of everything that the rows depend on, so that nothing
//! of another sweep is ever taken for this one's.

use crate::keep;
use psmp::{EdgeId, WorldId};
use psmp_files::FileError;
use psmp_lab::sweep::{Contestant, SweepError, SweepOptions, over_worlds, runs_in_world};
use psmp_lab::{Problems, Row};
use psmp_worlds::Dataset;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use twox_hash::XxHash64;

/// A sweep over datasets whose rows are kept.
pub struct KeptRows<'a> {
    tasks: Vec<(&'a dyn Problems, Vec<WorldId>)>,
    contestants: &'a [Contestant],
    options: &'a SweepOptions,
    fingerprint: String,
    parts: PathBuf,
    folder: PathBuf,
}

impl<'a> KeptRows<'a> {
    /// Makes the folder beside `output`, or finds it with what a sweep that was stopped has left.
    ///
    /// # Errors
    /// If a dataset cannot be read or the folder cannot be made.
    pub fn beside(
        output: &Path,
        tasks: &[(&'a Dataset, Vec<WorldId>)],
        contestants: &'a [Contestant],
        options: &'a SweepOptions,
    ) -> Result<Self, FileError> {
        let fingerprint = fingerprint(tasks, contestants, options)?;
        let mut parts = output.as_os_str().to_owned();
        parts.push(".parts");
        let parts = PathBuf::from(parts);
        let folder = parts.join(&fingerprint);
        std::fs::create_dir_all(&folder).map_err(|e| FileError::io(&folder, "create", e))?;
        let as_problems = |(dataset, worlds): &(&'a Dataset, Vec<WorldId>)| {
            (*dataset as &'a dyn Problems, worlds.clone())
        };
        Ok(Self {
            tasks: tasks.iter().map(as_problems).collect(),
            contestants,
            options,
            fingerprint,
            parts,
            folder,
        })
    }

    /// The folder of what is kept.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Runs what has not been run, as [`sweep`](psmp_lab::sweep::sweep) does. `damaged` hears of files
    /// that cannot be used and are made again.
    ///
    /// # Errors
    /// The first trouble met. What was done until then is kept.
    pub fn sweep(
        &self,
        tick: impl Fn() + Sync,
        damaged: impl Fn(&FileError) + Sync,
    ) -> Result<Vec<Row>, SweepError> {
        over_worlds(&self.tasks, self.options.jobs, |place, problems, world| {
            let path = self.folder.join(format!("{place:06}.json"));
            let expected = self.contestants.len() * self.options.seeds.len();
            let kept =
                keep::recall_rows(&path, &self.fingerprint, expected).unwrap_or_else(|trouble| {
                    damaged(&trouble);
                    None
                });
            if let Some(rows) = kept {
                rows.iter().for_each(|_| tick());
                return Ok(rows);
            }
            let rows = runs_in_world(problems, world, self.contestants, self.options, &tick)?;
            keep::keep(&path, &self.fingerprint, &rows)?;
            Ok(rows)
        })
    }

    /// Removes what was kept, once the rows are where they were meant for.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn remove(self) -> Result<(), FileError> {
        std::fs::remove_dir_all(&self.folder)
            .map_err(|e| FileError::io(&self.folder, "remove", e))?;
        // Another sweep may have been stopped there; then the folder stays.
        let _ = std::fs::remove_dir(&self.parts);
        Ok(())
    }
}

/// A word that is the same for the same version, datasets, worlds, planners and options.
fn fingerprint(
    tasks: &[(&Dataset, Vec<WorldId>)],
    contestants: &[Contestant],
    options: &SweepOptions,
) -> Result<String, FileError> {
    let SweepOptions {
        seeds,
        resolution,
        eta,
        fallback,
        budget,
        belief,
        models: _,
        jobs: _,
    } = options;
    let mut hash = XxHash64::with_seed(0);
    let file = |hash: &mut XxHash64, path: &Path| -> Result<(), FileError> {
        let bytes = std::fs::read(path).map_err(|e| FileError::io(path, "read", e))?;
        hash.write_u64(XxHash64::oneshot(0, &bytes));
        Ok(())
    };
    let version = env!("CARGO_PKG_VERSION");
    let told = format!(
        "{version} {contestants:?} {seeds:?} {resolution:?} {eta:?} {fallback:?} {budget:?}"
    );
    hash.write(told.as_bytes());
    if let Some(belief) = belief {
        hash.write(belief.path.as_os_str().as_encoded_bytes());
        file(&mut hash, &belief.path)?;
    }
    for (dataset, worlds) in tasks {
        let (query, table) = (dataset.query()?, dataset.table()?);
        let (train, name, origin) = (dataset.train(), &dataset.name, dataset.origin());
        hash.write(format!("{name:?} {origin:?} {query:?} {train:?} {worlds:?}").as_bytes());
        let roadmap = &dataset.roadmap;
        for edge in roadmap.edges() {
            hash.write_u32(edge.from.0);
            hash.write_u32(edge.to.0);
            hash.write_u64(edge.length.to_bits());
        }
        for vertex in roadmap.vertices() {
            for value in roadmap.configuration(vertex).into_iter().flatten() {
                hash.write_u64(value.to_bits());
            }
        }
        for edge in 0..table.edge_count() as u32 {
            for word in table.worlds_where_free(EdgeId(edge)) {
                hash.write_u64(*word);
            }
        }
        for path in worlds.iter().filter_map(|w| dataset.image_path(*w)) {
            file(&mut hash, &path)?;
        }
    }
    Ok(format!("{:016x}", hash.finish()))
}
