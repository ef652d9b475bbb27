//! The published experiment with a 7-DOF arm, and beyond it: planners on a roadmap that know other
//! worlds, against planners that know neither.
//!
//! Problems come in sets. Clutter is made; sets of scenes and motion requests are read where there
//! are some. Four fifths of a set's worlds are the experience and the others are planned in; one who
//! has *seen* those has them for experience too. As in the experiment in the plane, work
//! is done in pieces that are kept.

mod arena;
mod arm_set;
mod claims;
mod contender;
mod evaluate;
mod stage;

pub(crate) use arm_set::read_problems;
pub use arm_set::{ArmSet, is_arm_folder, robot_near};
pub use contender::{Contender, Entry};
pub use evaluate::{ArmReport, evaluate};

use super::{ReproduceError, WORLDS_IN_PIECE, Watch, folder_of_pieces, threads};
use crate::keep;
use arena::ArmArena;
use arm_set::Maker;
use psmp::{Resolution, WorldId};
use psmp_arm::{DEFAULT_NEIGHBOURS, DEFAULT_VERTICES, Permissions};
use psmp_files::{FileError, save};
use psmp_lab::Row;
use psmp_lab::arm_scenes;
use rayon::prelude::*;
use std::fmt::Write;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use twox_hash::XxHash64;

/// The planners of the experiment.
pub const PLANNERS: [&str; 11] = [
    "psmp:fs",
    "pomp:fs",
    "pomp:fs+straightened",
    "lazysp",
    "ei:ensemble",
    "ei:latent",
    "ei:soft",
    "ei:local",
    "rrtconnect+straightened",
    "rrtconnect+shortcut",
    "rrtstar",
];

/// A whole experiment with arms.
#[derive(Debug, Clone)]
pub struct SevenDof {
    /// How many worlds of clutter to make; none if 0.
    pub clutter: usize,
    /// Folders of scenes and motion requests.
    pub folders: Vec<PathBuf>,
    /// Which files the robots and scenes there may name.
    pub permissions: Permissions,
    /// How many worlds of each set to plan in: so many of the last fifth, the others are the
    /// experience.
    pub test: usize,
    /// The seed that clutter is made with.
    pub seed: u64,
    /// How many vertices a roadmap has.
    pub vertices: usize,
    /// How many nearest neighbours each of them is joined to.
    pub neighbours: usize,
    /// The largest joint step from one configuration of a motion to the next.
    pub resolution: Resolution,
    /// The nearest-neighbour belief's rate, in units of the space's longest side.
    pub eta: f64,
    /// Each planner plans in each world once for each of these.
    pub seeds: Vec<u64>,
    /// Configurations after which a planner on a roadmap is stopped.
    pub budget: u64,
    /// Configurations after which one without a roadmap is stopped.
    pub tree_budget: u64,
    /// The planners.
    pub contenders: Vec<Contender>,
    /// Threads; one a core if `None`.
    pub jobs: Option<usize>,
}

/// What an experiment with arms has brought.
pub struct ArmFindings {
    /// The sets planned in.
    pub sets: Vec<ArmSet>,
    /// One row for each run, in the order of sets, worlds, planners and seeds.
    pub rows: Vec<Row>,
}

impl SevenDof {
    /// The whole experiment, as yet without planners and folders.
    #[must_use]
    pub fn published() -> Self {
        Self {
            clutter: 1000,
            folders: Vec::new(),
            permissions: Permissions::default(),
            test: 20,
            seed: 0,
            vertices: DEFAULT_VERTICES,
            neighbours: DEFAULT_NEIGHBOURS,
            resolution: arm_scenes::published_resolution(),
            eta: 1000.0,
            seeds: vec![0],
            budget: 20_000,
            tree_budget: 100_000,
            contenders: Vec::new(),
            jobs: None,
        }
    }

    /// The same in small, for a first look.
    #[must_use]
    pub fn quick() -> Self {
        Self {
            clutter: 100,
            test: 6,
            budget: 5000,
            tree_budget: 20_000,
            ..Self::published()
        }
    }

    /// Enters planners: each that learns from known worlds once with seen and once with unseen ones.
    pub fn enter(&mut self, planners: &[Entry]) {
        let all = planners.iter().copied().flat_map(Contender::all_of);
        self.contenders.extend(all);
    }

    /// All settings as name and value, for the reader and for telling experiments apart.
    #[must_use]
    pub fn settings(&self) -> Vec<(String, String)> {
        let join = |words: Vec<String>| words.join(" ");
        let folders = self.folders.iter().map(|f| f.display().to_string());
        let planners = self.contenders.iter();
        let planners = planners.map(|c| format!("{c}/{}", c.experience()));
        let entries = [
            ("worlds of clutter", self.clutter.to_string()),
            ("sets", join(folders.collect())),
            ("of these worlds to plan in", self.test.to_string()),
            ("seed of clutter", self.seed.to_string()),
            (
                "roadmap",
                format!(
                    "{} vertices, {} nearest neighbours",
                    self.vertices, self.neighbours
                ),
            ),
            (
                "resolution",
                format!("{} rad, largest joint step", self.resolution.step()),
            ),
            ("planners", join(planners.collect())),
            (
                "seeds",
                join(self.seeds.iter().map(u64::to_string).collect()),
            ),
            ("budget on the roadmap", self.budget.to_string()),
            ("budget without a roadmap", self.tree_budget.to_string()),
        ];
        let arm = |(name, value): (&str, String)| (format!("arm: {name}"), value);
        entries.map(arm).into()
    }

    /// A word that is the same for the same settings, version and files, and for no others.
    fn fingerprint(&self) -> Result<String, FileError> {
        let mut text = format!("arms {}\n", env!("CARGO_PKG_VERSION"));
        for (name, value) in self.settings() {
            // Where a set lies is no matter, what it holds is.
            if name != "arm: sets" {
                let _ = writeln!(text, "{name}={value}");
            }
        }
        let mut hash = XxHash64::with_seed(0);
        hash.write(text.as_bytes());
        for folder in &self.folders {
            let entries =
                std::fs::read_dir(folder).map_err(|e| FileError::io(folder, "read", e))?;
            let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
            files.sort();
            for file in files.iter().filter(|file| file.is_file()) {
                let bytes = std::fs::read(file).map_err(|e| FileError::io(file, "read", e))?;
                hash.write_u64(psmp_arm::fingerprint(&bytes));
            }
        }
        Ok(format!("{:016x}", hash.finish()))
    }
}

/// Runs an experiment and keeps its pieces under `folder`, or goes on with it.
///
/// # Errors
/// The first trouble met. What was done until then is kept.
pub fn run(
    experiment: &SevenDof,
    folder: &Path,
    watch: &dyn Watch,
) -> Result<ArmFindings, ReproduceError> {
    let threads = threads(experiment.jobs)?;
    let fingerprint = experiment.fingerprint()?;
    let folder = folder_of_pieces(folder, &fingerprint)?;
    let settings = experiment.settings();
    let text: String = settings
        .iter()
        .map(|(n, v)| format!("{n}: {v}\n"))
        .collect();
    save(folder.join("settings.txt"), text.as_bytes())?;
    threads.install(|| {
        let sets = Maker::new(experiment, &folder, watch).sets()?;
        let pieces = Pieces {
            experiment,
            folder: &folder,
            fingerprint: &fingerprint,
            watch,
        };
        let rows = pieces.rows(&sets)?;
        Ok(ArmFindings { sets, rows })
    })
}

/// Finer steps, in radians or metres, are no joint's.
const LEAST_STEP: f64 = 1e-5;

/// Runs a row again. What comes is the same row but for the time it took, if all is well.
/// `tick` is called now and then, from any thread.
///
/// # Errors
/// If the row asks for something that is not there.
pub(super) fn replay(row: &Row, tick: &(dyn Fn() + Sync)) -> Result<Row, ReproduceError> {
    let wrong = |why: &str| ReproduceError::Arm {
        set: row.dataset.clone(),
        why: format!("the row cannot be rerun: {why}"),
    };
    let planner: Entry = row.planner.parse().map_err(|_| wrong("no such planner"))?;
    let mut contenders = Contender::all_of(planner).into_iter();
    let contender = contenders
        .find(|c| c.experience() == row.experience)
        .ok_or_else(|| wrong("its planner has no such experience"))?;
    let mut experiment = SevenDof::published();
    experiment.clutter = row.made_worlds.unwrap_or(0) as usize;
    experiment.folders = row.folder.iter().map(PathBuf::from).collect();
    experiment.seed = row.made_seed.unwrap_or(0);
    if let Some(step) = row.resolution {
        let resolution = Resolution::largest_axis(step).ok();
        experiment.resolution = resolution
            .filter(|resolution| resolution.step() >= LEAST_STEP)
            .ok_or_else(|| wrong("its resolution is no step that a joint could make"))?;
    }
    experiment.eta = row.eta;
    if let Some(budget) = row.budget {
        (experiment.budget, experiment.tree_budget) = (budget, budget);
    }
    // A name that no one can guess, in a folder that others can write to; it goes with its content.
    let scratch = tempfile::tempdir()
        .map_err(|e| FileError::io(std::env::temp_dir(), "create a folder in", e))?;
    let sets = Maker::new(&experiment, scratch.path(), &Ticking(tick)).sets();
    let mut set = sets?.pop().ok_or_else(|| wrong("it names no set"))?;
    // Beside a set of the same name it had another.
    set.name.clone_from(&row.dataset);
    let world = row.world.checked_sub(1).map(WorldId);
    let world = world
        .filter(|world| world.index() < set.problems.len())
        .ok_or_else(|| wrong("there is no such world"))?;
    let arena = ArmArena::open(&experiment, &set, world)?;
    Ok(arena.run(&contender, row.seed)?.row)
}

/// Whether a row is one of an arm by `psmp reproduce`, and not by `psmp bench`.
#[must_use]
pub fn is_reproduced_arm(row: &Row) -> bool {
    match &row.folder {
        _ if row.robot.is_some() => false,
        Some(folder) => is_arm_folder(Path::new(folder)),
        None => row.dataset == arm_set::CLUTTER,
    }
}

/// One who hears only that something is going on.
struct Ticking<'a>(&'a (dyn Fn() + Sync));

impl Watch for Ticking<'_> {
    fn begin(&self, _: &str, _: u64) {}
    fn step(&self, _: u64) {
        (self.0)();
    }
    fn damaged(&self, _: &FileError) {}
}

/// The pieces of an experiment, done and to be done.
struct Pieces<'a> {
    experiment: &'a SevenDof,
    folder: &'a Path,
    fingerprint: &'a str,
    watch: &'a dyn Watch,
}

impl Pieces<'_> {
    fn rows(&self, sets: &[ArmSet]) -> Result<Vec<Row>, ReproduceError> {
        let in_world = self.experiment.contenders.len() * self.experiment.seeds.len();
        let mut pieces: Vec<(&ArmSet, Vec<WorldId>)> = Vec::new();
        for set in sets {
            let worlds = set.test_worlds(self.experiment.test);
            let blocks = worlds.chunks(WORLDS_IN_PIECE);
            pieces.extend(blocks.map(|block| (set, block.to_vec())));
        }
        let worlds: usize = pieces.iter().map(|(_, worlds)| worlds.len()).sum();
        self.watch
            .begin("planning for arms", (worlds * in_world) as u64);
        let rows: Result<Vec<Vec<Row>>, ReproduceError> = pieces
            .par_iter()
            .with_max_len(1)
            .map(|(set, worlds)| self.piece(set, worlds))
            .collect();
        Ok(rows?.into_iter().flatten().collect())
    }

    fn piece(&self, set: &ArmSet, worlds: &[WorldId]) -> Result<Vec<Row>, ReproduceError> {
        let SevenDof {
            contenders, seeds, ..
        } = self.experiment;
        let first = worlds.first().map_or(0, |w| w.0 + 1);
        let name = format!("{}-from-world-{first}.json", set.name);
        let path = self.folder.join(name);
        let expected = worlds.len() * contenders.len() * seeds.len();
        let kept = keep::recall_rows(&path, self.fingerprint, expected).unwrap_or_else(|damaged| {
            self.watch.damaged(&damaged);
            None
        });
        if let Some(rows) = kept {
            self.watch.step(expected as u64);
            return Ok(rows);
        }
        let mut rows = Vec::with_capacity(expected);
        for &world in worlds {
            let arena = ArmArena::open(self.experiment, set, world)?;
            for contender in contenders {
                for &seed in seeds {
                    rows.push(arena.run(contender, seed)?.row);
                    self.watch.step(1);
                }
            }
        }
        keep::keep(&path, self.fingerprint, &rows)?;
        Ok(rows)
    }
}
