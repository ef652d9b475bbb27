//! Beliefs that are kept: learned from known worlds once, added to after every query.
//!
//! [`learn`] makes a belief file from the worlds of a table. [`open`] makes its worlds and models
//! ready to plan with. [`add`] folds in what the checks of later runs have found: each run is one
//! world more, known where it was checked and nowhere else. Writers take turns and replace the file
//! at a stroke, so that neither two at once nor one that is killed loses anything.

use crate::belief_file::{BeliefFile, Fingerprint};
use crate::error::{FileError, Place};
use crate::files::save;
use crate::map_setting::MapSetting;
use crate::table_file::MOST_UNBORNE;
use psmp::by_name::{MemberWeights, ModelCache};
use psmp::{EdgeId, Entry, Experience, Roadmap, WorldId};
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Fewer worlds than this have no causes in common that could be told from chance.
const LEAST_WORLDS: usize = 3;

/// Opens a belief file to plan with on a roadmap. Its models are kept in the cache, so that planners
/// that know its worlds find them there.
///
/// # Errors
/// If it is no sound belief file, or about another roadmap.
pub fn open(path: &Path, roadmap: &Roadmap, models: &ModelCache) -> Result<Experience, FileError> {
    let file = BeliefFile::open(path)?;
    file.check_roadmap(path, Fingerprint::of(roadmap))?;
    Ok(file.experience(roadmap, models))
}

/// Learns from known worlds of a roadmap and keeps what was learned in a file.
///
/// # Errors
/// If the file cannot be written.
pub fn learn(
    path: &Path,
    roadmap: &Roadmap,
    experience: &Experience,
    models: &ModelCache,
) -> Result<(), FileError> {
    from_worlds(roadmap, experience, models).write(path)
}

/// Learns from known maps, and keeps what was learned and what it was learned with in a file: all that
/// planning in a new map takes.
///
/// # Errors
/// If the file cannot be written.
pub fn learn_maps(
    path: &Path,
    maps: MapSetting,
    experience: &Experience,
    models: &ModelCache,
) -> Result<(), FileError> {
    of_maps(maps, experience, models).write(path)
}

/// The same as the bytes of that file, to be sent elsewhere.
#[must_use]
pub fn bytes_of_maps(maps: MapSetting, experience: &Experience, models: &ModelCache) -> Vec<u8> {
    of_maps(maps, experience, models).bytes()
}

fn of_maps(maps: MapSetting, experience: &Experience, models: &ModelCache) -> BeliefFile {
    let belief = from_worlds(&maps.roadmap, experience, models);
    let maps = Some(maps);
    BeliefFile { maps, ..belief }
}

/// What known worlds of a roadmap tell, with the models that are learned from them.
pub(crate) fn from_worlds(
    roadmap: &Roadmap,
    experience: &Experience,
    models: &ModelCache,
) -> BeliefFile {
    let weights = models.weights(Some(roadmap), experience);
    fitted(Fingerprint::of(roadmap), experience, models, weights)
}

/// Fits the models.
fn fitted(
    roadmap: Fingerprint,
    experience: &Experience,
    models: &ModelCache,
    weights: MemberWeights,
) -> BeliefFile {
    let worlds = experience.worlds();
    let latent = (worlds.len() >= LEAST_WORLDS).then(|| models.latent(experience));
    BeliefFile {
        roadmap,
        table: experience.table().of_worlds(worlds).into(),
        soft_set: models.soft_set(experience),
        latent,
        weights,
        maps: None,
    }
}

/// What the checks of one run have found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Outcomes {
    /// The version of this format.
    version: u32,
    /// The roadmap that was planned on.
    roadmap: Fingerprint,
    /// Every check, in order.
    checks: Vec<Outcome>,
}

/// What one check has found.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Outcome {
    /// The edge, counted from 1 as in all files.
    edge: u32,
    free: bool,
    configurations: u64,
}

const VERSION: u32 = 1;

impl Outcomes {
    /// Those of a run on a roadmap, to which the ledger may have added connections of its own.
    #[must_use]
    pub fn of(roadmap: Fingerprint, checks: &[Entry]) -> Self {
        let entries = checks.iter();
        let known = entries.filter(|entry| u64::from(entry.edge.0) < roadmap.edges);
        let checks = known.map(|entry| Outcome {
            edge: entry.edge.0 + 1,
            free: entry.verdict.free,
            configurations: entry.verdict.configurations,
        });
        Self {
            version: VERSION,
            roadmap,
            checks: checks.collect(),
        }
    }

    /// Writes them as JSON, whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: &Path) -> Result<(), FileError> {
        let bytes = serde_json::to_vec(self)
            .map_err(|e| FileError::new(path, format!("cannot write it: {e}")))?;
        save(path, &bytes)
    }

    /// Reads what [`Outcomes::write`] has written.
    ///
    /// # Errors
    /// If it is anything else.
    pub fn read(path: &Path) -> Result<Self, FileError> {
        let bytes = std::fs::read(path).map_err(|e| FileError::io(path, "read", e))?;
        let hint = "name a file written by `psmp plan --outcomes`";
        let outcomes: Self = serde_json::from_slice(&bytes).map_err(|e| {
            FileError::new(path, format!("is no file of outcomes: {e}"))
                .at(Place::Line(e.line()))
                .hint(hint)
        })?;
        let wrong = |problem: String| Err(FileError::new(path, problem).hint(hint));
        if outcomes.version != VERSION {
            let version = outcomes.version;
            return wrong(format!(
                "has outcomes of version {version}, expected {VERSION}"
            ));
        }
        let mut seen = std::collections::HashSet::new();
        for Outcome { edge, .. } in &outcomes.checks {
            if *edge == 0 || u64::from(*edge) > outcomes.roadmap.edges {
                let edges = outcomes.roadmap.edges;
                return wrong(format!("tells of edge {edge}, the edges are 1 to {edges}"));
            }
            if !seen.insert(*edge) {
                return wrong(format!("tells of edge {edge} twice"));
            }
        }
        Ok(outcomes)
    }
}

/// Adds the outcomes of runs to a belief file, which is begun if it is not there, and learns anew.
/// Returns how many worlds it holds now.
///
/// # Errors
/// If a file is malformed or cannot be written, or runs were on another roadmap; the belief file is
/// then as it was.
pub fn add(path: &Path, runs: &[impl AsRef<Path>]) -> Result<usize, FileError> {
    let mut read = Vec::with_capacity(runs.len());
    for run in runs {
        read.push((run.as_ref(), Outcomes::read(run.as_ref())?));
    }
    let Some((run, first)) = read.first() else {
        return Err(FileError::new(path, "nothing is to be added to it").hint("name runs to add"));
    };
    if !path.exists() {
        // What the first run says of its roadmap, a belief that begins with it is made for.
        check_one_roadmap(path, first.roadmap, &read)?;
        let edges = first.roadmap.edges;
        if edges > MOST_UNBORNE as u64 {
            let problem = format!(
                "is about {edges} edges, of which at most {MOST_UNBORNE} are taken on the word of a \
                 run to begin a belief with"
            );
            let hint =
                "begin it with known worlds: `psmp learn TABLE --roadmap FILE.graphml -o FILE`";
            return Err(FileError::new(run, problem).hint(hint));
        }
    }
    let turn = Turn::wait(path, first.roadmap)?;
    let file = &turn.belief;
    let about = file.roadmap;
    check_one_roadmap(path, about, &read)?;
    let known = file.table.world_count();
    let mut table = file.table.with_room_for(read.len());
    for (place, (_, outcomes)) in read.iter().enumerate() {
        let world = WorldId((known + place) as u32);
        for check in &outcomes.checks {
            table.set(world, EdgeId(check.edge - 1), check.free);
        }
    }
    let (experience, models) = (Experience::from(table), ModelCache::default());
    let maps = file.maps.clone();
    // How good a belief about places is takes configurations to find out, which need not be here.
    let places = maps.as_ref().map(|maps| &maps.roadmap);
    let weights = models.weights(places, &experience).or(&file.weights);
    let belief = fitted(about, &experience, &models, weights);
    BeliefFile { maps, ..belief }.write(path)?;
    Ok(experience.worlds().len())
}

/// Sees that all runs were on the roadmap that a belief is about.
fn check_one_roadmap(
    belief: &Path,
    about: Fingerprint,
    runs: &[(&Path, Outcomes)],
) -> Result<(), FileError> {
    let Some((run, outcomes)) = runs.iter().find(|(_, o)| o.roadmap != about) else {
        return Ok(());
    };
    let problem = format!(
        "is a run on another roadmap ({}) than the belief `{}` is about ({about})",
        outcomes.roadmap,
        belief.display()
    );
    Err(FileError::new(run, problem)
        .hint("add it to the belief of its own roadmap, or name a new file"))
}

/// A writer's turn: it alone holds the lock of the file that has the name now.
struct Turn {
    belief: BeliefFile,
    _lock: File,
}

impl Turn {
    fn wait(path: &Path, roadmap: Fingerprint) -> Result<Self, FileError> {
        loop {
            if !path.exists() {
                BeliefFile::begin(path, roadmap)?;
            }
            let lock = File::open(path).map_err(|e| FileError::io(path, "open", e))?;
            lock.lock().map_err(|e| FileError::io(path, "lock", e))?;
            // Whoever had the turn before has put another file in the place of the one locked here:
            // then the new one is to be waited for.
            let belief = BeliefFile::open(path)?;
            if header(&lock, path)? == header(&open_again(path)?, path)? {
                return Ok(Self {
                    belief,
                    _lock: lock,
                });
            }
        }
    }
}

fn open_again(path: &Path) -> Result<File, FileError> {
    File::open(path).map_err(|e| FileError::io(path, "open", e))
}

/// The first bytes of a belief file, which hold its size and checksums.
fn header(mut file: &File, path: &Path) -> Result<[u8; 64], FileError> {
    let mut bytes = [0; 64];
    let read = file.read_exact(&mut bytes);
    read.map_err(|e| FileError::io(path, "read", e))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp::by_name::BeliefName;
    use psmp::{CollisionTable, Space};

    /// What is learned is there again when the file is opened, and a run is one world more.
    #[test]
    fn what_was_learned_is_opened_and_added_to() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        let roadmap = Roadmap::random_geometric(Space::unit(2), 40, 0.3, 1).unwrap();
        let edges = roadmap.edge_count();
        let rows: Vec<Vec<bool>> = (0..40)
            .map(|w| (0..edges).map(|e| (e / 5 + w) % 3 != 0).collect())
            .collect();
        let table = CollisionTable::from_rows(edges, &rows).unwrap();
        let known = Experience::of(table, (3..40).map(WorldId));
        let (learned, opened) = (ModelCache::default(), ModelCache::default());
        learn(&at("kept.belief"), &roadmap, &known, &learned).unwrap();
        let again = open(&at("kept.belief"), &roadmap, &opened).unwrap();
        assert_eq!(again.worlds().len(), 37);
        for (place, &world) in again.worlds().iter().enumerate() {
            let row = known.table().free_edges_in(known.worlds()[place]);
            assert_eq!(again.table().free_edges_in(world), row);
        }
        assert_eq!(opened.soft_set(&again), learned.soft_set(&known));
        assert_eq!(
            opened.latent(&again).parts(),
            learned.latent(&known).parts()
        );
        let weights = opened.weights(Some(&roadmap), &again);
        assert_eq!(weights, learned.weights(Some(&roadmap), &known));

        let outcomes = Outcomes {
            version: VERSION,
            roadmap: Fingerprint::of(&roadmap),
            checks: vec![Outcome {
                edge: 2,
                free: true,
                configurations: 9,
            }],
        };
        outcomes.write(&at("run.json")).unwrap();
        assert_eq!(add(&at("kept.belief"), &[at("run.json")]).unwrap(), 38);
        let file = BeliefFile::open(at("kept.belief")).unwrap();
        let added = WorldId(37);
        assert!(file.table.is_known(added, EdgeId(1)) && file.table.is_free(added, EdgeId(1)));
        assert!(!file.table.is_known(added, EdgeId(0)));
        // How good the local belief is was found out where there were configurations.
        let local = BeliefName::Local;
        assert_eq!(file.weights.of(local), weights.of(local));
        let other = Roadmap::random_geometric(Space::unit(2), 40, 0.3, 2).unwrap();
        let error = open(&at("kept.belief"), &other, &opened).unwrap_err();
        assert!(error.to_string().contains("another roadmap"), "{error}");
    }

    fn run(edges: u64) -> String {
        let roadmap = format!(r#"{{"vertices":2,"edges":{edges},"hash":"0000000000000000"}}"#);
        format!(r#"{{"version":1,"roadmap":{roadmap},"checks":[]}}"#)
    }

    #[test]
    fn a_run_that_claims_edges_without_a_belief_to_bear_them_out_begins_none() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::write(at("huge.json"), run(100_000_000)).unwrap();
        std::fs::write(at("small.json"), run(100)).unwrap();
        for (runs, words) in [
            (&["huge.json"][..], "at most 1048576"),
            (&["small.json", "huge.json"], "another roadmap"),
        ] {
            let runs: Vec<_> = runs.iter().map(|run| at(run)).collect();
            let error = add(&at("new.belief"), &runs).unwrap_err();
            assert!(error.to_string().contains("huge.json"), "{error}");
            assert!(error.to_string().contains(words), "{error}");
            assert!(error.remedy().is_some());
            assert!(!at("new.belief").exists());
        }
        assert_eq!(add(&at("new.belief"), &[at("small.json")]).unwrap(), 1);
        let before = std::fs::read(at("new.belief")).unwrap();
        let error = add(&at("new.belief"), &[at("huge.json")]).unwrap_err();
        assert!(error.to_string().contains("another roadmap"), "{error}");
        assert_eq!(std::fs::read(at("new.belief")).unwrap(), before);
    }
}
