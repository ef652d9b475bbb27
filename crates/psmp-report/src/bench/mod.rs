//! What `psmp bench` plans in: the worlds of datasets and families, and folders of an arm's problems. Any planner runs in
//! any of them, its run is a row, and a row is run again, or filmed, as it was.

mod arm_folder;
mod films;

pub use arm_folder::ArmFolder;
pub use films::{Filming, LONGEST, LONGEST_RUN, MOST_BYTES, MOST_FILMS, film_name};

use crate::report::run_page::RunPage;
use crate::reproduce::ReproduceError;
use psmp::by_name::ModelCache;
use psmp::{EdgeId, Fallback, Roadmap, WorldId};
use psmp_files::{FileError, learned};
use psmp_lab::families::{Family, ProblemSet};
use psmp_lab::sweep::{Familiarity, LearnedBelief, SweepError, SweepOptions};
use psmp_lab::{Arena, Entrant, Origin, Problems, Row};
use psmp_worlds::Dataset;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use twox_hash::XxHash64;

/// Worlds that belong together.
pub enum BenchSet {
    /// Recorded worlds.
    Dataset(Box<Dataset>),
    /// Worlds that were made from a family.
    Made(Box<ProblemSet>),
    /// Problems of an arm.
    Arm(Box<ArmFolder>),
}

impl BenchSet {
    /// The worlds that a row of no arm is about.
    ///
    /// # Errors
    /// If they are not there.
    pub fn of_row(row: &Row, tick: impl Fn() + Sync) -> Result<Self, ReproduceError> {
        let made = row.made_worlds.zip(row.made_test).zip(row.made_seed);
        Ok(match (&row.folder, made) {
            (Some(folder), _) => Self::Dataset(Box::new(Dataset::open(folder)?)),
            (None, Some(((worlds, test), seed))) => {
                let family =
                    Family::named(&row.dataset).ok_or_else(|| cannot(row, "no such family"))?;
                let made = family.generate(worlds as usize, test as usize, seed, tick)?;
                Self::Made(Box::new(made))
            }
            (None, None) => {
                return Err(cannot(row, "it names neither a folder nor a family").into());
            }
        })
    }

    /// Whether a row is about these worlds.
    #[must_use]
    pub fn is_of(&self, row: &Row) -> bool {
        if row.dataset != self.name() {
            return false;
        }
        match (self, self.origin()) {
            (Self::Arm(folder), _) => folder.is_of(row),
            (_, Origin::Folder(folder)) => row.robot.is_none() && row.folder == Some(folder),
            (_, Origin::Made { worlds, test, seed }) => {
                let made = (worlds as u64, test as u64, seed);
                row.made_worlds.zip(row.made_test).zip(row.made_seed)
                    == Some(((made.0, made.1), made.2))
            }
        }
    }

    /// Recorded worlds, if they are.
    fn problems(&self) -> Option<&dyn Problems> {
        match self {
            Self::Dataset(dataset) => Some(dataset.as_ref()),
            Self::Made(made) => Some(made.as_ref()),
            Self::Arm(_) => None,
        }
    }

    fn origin(&self) -> Origin {
        match self {
            Self::Dataset(dataset) => dataset.origin(),
            Self::Made(made) => made.origin(),
            Self::Arm(folder) => Origin::Folder(folder.path().to_owned()),
        }
    }

    /// Its name in tables.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Dataset(dataset) => &dataset.name,
            Self::Made(made) => made.family.name,
            Self::Arm(folder) => folder.name(),
        }
    }

    /// The roadmap that all plan on who keep to one.
    #[must_use]
    pub fn roadmap(&self) -> &Roadmap {
        match self {
            Self::Dataset(dataset) => &dataset.roadmap,
            Self::Made(made) => &made.roadmap,
            Self::Arm(folder) => folder.roadmap(),
        }
    }

    /// How many worlds there are.
    ///
    /// # Errors
    /// If that is not known.
    pub fn world_count(&self) -> Result<usize, FileError> {
        match self {
            Self::Arm(folder) => Ok(folder.world_count()),
            Self::Dataset(dataset) => Ok(dataset.table()?.world_count()),
            Self::Made(made) => Ok(made.table.world_count()),
        }
    }

    /// The worlds to plan in, if some are set apart for that.
    #[must_use]
    pub fn test(&self) -> Option<Vec<WorldId>> {
        match self {
            Self::Arm(folder) => Some(folder.test()?.to_vec()),
            _ => Some(self.problems()?.test()?.to_vec()),
        }
    }

    /// The worlds to learn from, if some are set apart for that.
    #[must_use]
    pub fn train(&self) -> Option<Vec<WorldId>> {
        match self {
            Self::Arm(folder) => Some(folder.train()?.to_vec()),
            _ => Some(self.problems()?.train()?.to_vec()),
        }
    }

    /// Runs every planner in one world with every seed. `tick` is called after each run.
    ///
    /// # Errors
    /// The first trouble met.
    pub fn runs_in_world(
        &self,
        world: WorldId,
        entrants: &[Entrant],
        options: &SweepOptions,
        tick: &(impl Fn() + Sync),
    ) -> Result<Vec<Row>, ReproduceError> {
        let mut rows = Vec::with_capacity(entrants.len() * options.seeds.len());
        let mut run_all = |run: &dyn Fn(&Entrant, u64) -> Result<Row, ReproduceError>| {
            for entrant in entrants {
                for &seed in &options.seeds {
                    rows.push(run(entrant, seed)?);
                    tick();
                }
            }
            Ok::<_, ReproduceError>(())
        };
        match (self, self.problems()) {
            (_, Some(problems)) => {
                let arena = Arena::open(problems, world)?;
                run_all(&|entrant, seed| Ok(arena.run_any(entrant, seed, options)?))?;
            }
            (Self::Arm(folder), None) => {
                let arena = folder.arena(world)?;
                run_all(&|entrant, seed| arena.run(entrant, seed, options))?;
            }
            (_, None) => {}
        }
        Ok(rows)
    }

    /// Runs a row again. What comes is the same row but for its times, if all is well.
    ///
    /// # Errors
    /// If the row asks for something that is not there.
    pub fn replay(&self, row: &Row) -> Result<Row, ReproduceError> {
        let (world, entrant, options) = self.asked_for(row)?;
        match (self, self.problems()) {
            (Self::Arm(folder), _) => folder.arena(world)?.run(&entrant, row.seed, &options),
            (_, Some(problems)) => {
                let arena = Arena::open(problems, world)?;
                Ok(arena.run_any(&entrant, row.seed, &options)?)
            }
            (_, None) => Err(cannot(row, "it names no worlds").into()),
        }
    }

    /// Runs a row again and records what happens.
    ///
    /// # Errors
    /// If the row asks for something that is not there, or there is nothing to be shown.
    pub fn film(&self, row: &Row) -> Result<RunPage, ReproduceError> {
        let (world, entrant, options) = self.asked_for(row)?;
        match (self, self.problems()) {
            (Self::Arm(folder), _) => {
                let arena = folder.arena(world)?;
                films::of_arm(row, &arena, &entrant, &options)
            }
            (_, Some(problems)) => {
                let arena = Arena::open(problems, world)?;
                films::in_image(row, problems, &arena, &entrant, &options)
            }
            (_, None) => Err(cannot(row, "it names no worlds").into()),
        }
    }

    /// The world, the planner and the options of a row.
    fn asked_for(&self, row: &Row) -> Result<(WorldId, Entrant, SweepOptions), ReproduceError> {
        let world = row.world.checked_sub(1).map(WorldId);
        let count = self.world_count()?;
        let world = world
            .filter(|world| world.index() < count)
            .ok_or_else(|| cannot(row, "there is no such world"))?;
        let entrant = Entrant {
            name: row
                .planner
                .parse()
                .map_err(|error| cannot(row, &format!("{error}")))?,
            familiarity: match row.experience.as_str() {
                "unseen" => Familiarity::Unseen,
                _ => Familiarity::Seen,
            },
        };
        let fallback = match row.fallback.as_str() {
            "never" => Fallback::Never,
            draws => Fallback::AfterNoImprovement(
                draws
                    .parse()
                    .map_err(|_| cannot(row, "its fallback is no number"))?,
            ),
        };
        let prices = match &row.price {
            None => None,
            Some(price) => Some(
                price
                    .parse()
                    .map_err(|_| cannot(row, "its price is none"))?,
            ),
        };
        let models = match self {
            // What was learned from these worlds stays with them.
            Self::Arm(folder) => folder.models().clone(),
            _ => ModelCache::default(),
        };
        let belief = match row.experience.as_str() {
            "seen" | "unseen" | "none" => None,
            file => {
                let path = PathBuf::from(file);
                let experience = learned::open(&path, self.roadmap(), &models)?;
                Some(LearnedBelief { path, experience })
            }
        };
        let options = SweepOptions {
            seeds: vec![row.seed],
            resolution: row.resolution,
            eta: row.eta,
            fallback,
            budget: row.budget,
            prices,
            belief,
            models,
            jobs: None,
        };
        Ok((world, entrant, options))
    }

    /// Adds all that rows of these worlds depend on.
    pub(crate) fn hash(&self, hash: &mut XxHash64, worlds: &[WorldId]) -> Result<(), FileError> {
        let file = |hash: &mut XxHash64, path: &Path| -> Result<(), FileError> {
            let bytes = std::fs::read(path).map_err(|e| FileError::io(path, "read", e))?;
            hash.write_u64(XxHash64::oneshot(0, &bytes));
            Ok(())
        };
        let (name, origin, train) = (self.name(), self.origin(), self.train());
        hash.write(format!("{name:?} {origin:?} {train:?} {worlds:?}").as_bytes());
        let roadmap = self.roadmap();
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
        match (self, self.problems()) {
            (Self::Arm(folder), _) => folder.hash(hash),
            (_, Some(problems)) => {
                let (query, table) = (problems.query()?, problems.table()?);
                hash.write(format!("{query:?}").as_bytes());
                for edge in 0..table.edge_count() as u32 {
                    for word in table.worlds_where_free(EdgeId(edge)) {
                        hash.write_u64(*word);
                    }
                }
            }
            (_, None) => {}
        }
        if let Self::Dataset(dataset) = self {
            for path in worlds.iter().filter_map(|w| dataset.image_path(*w)) {
                file(hash, &path)?;
            }
        }
        Ok(())
    }
}

/// Why a row cannot be run again.
fn cannot(row: &Row, why: &str) -> SweepError {
    SweepError::Dataset {
        dataset: row.dataset.clone(),
        why: format!("the row cannot be rerun: {why}"),
    }
}
