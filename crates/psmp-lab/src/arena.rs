//! One world, ready to be planned in by anyone: its image, its shortest path, and what checking
//! only that would cost.

use crate::event_hash::EventHash;
use crate::problems::{Origin, Problems};
use crate::recorded::RecordedChecker;
use crate::resolution::resolution_for;
use crate::row::Row;
use crate::sweep::{Contestant, SweepError, SweepOptions};
use crate::trial::{self, Trial};
use psmp::by_name::{AnyPlanner, Setting};
use psmp::checker::Checker;
use psmp::{EdgeId, Fallback, Path, Query, Resolution, Stop, WorldId};
use psmp_worlds::OccupancyGrid;
use std::convert::Infallible;

/// A plain run that draws worlds without improvement will do so for ever: after this many proposals
/// it is stopped.
const MOST_PROPOSALS: u64 = 5000;

/// A checker in a recorded world, by image where there is one.
///
/// # Errors
/// If there is no table, or the resolution makes no sense.
pub fn checker_for(
    problems: &dyn Problems,
    world: WorldId,
    image: Option<OccupancyGrid>,
    resolution: Option<f64>,
) -> Result<RecordedChecker, SweepError> {
    let table = problems.table()?;
    let Some(image) = image else {
        return Ok(RecordedChecker::by_edges(table, world));
    };
    let roadmap = problems.roadmap();
    let resolution = resolution_for(roadmap, resolution)?;
    RecordedChecker::by_image(table, world, roadmap, image, resolution).map_err(|e| {
        SweepError::Dataset {
            dataset: problems.name().to_owned(),
            why: e.to_string(),
        }
    })
}

/// The text of a row's column `fallback`.
#[must_use]
pub fn fallback_name(fallback: Fallback) -> String {
    match fallback {
        Fallback::AfterNoImprovement(draws) => draws.to_string(),
        _ => "never".to_owned(),
    }
}

/// A world to plan in.
pub struct Arena<'a> {
    problems: &'a dyn Problems,
    world: WorldId,
    query: Query,
    image: Option<OccupancyGrid>,
    shortest: Option<Path>,
}

impl<'a> Arena<'a> {
    /// Reads or draws the world and finds its shortest path.
    ///
    /// # Errors
    /// If a file of the problems is missing or malformed.
    pub fn open(problems: &'a dyn Problems, world: WorldId) -> Result<Self, SweepError> {
        let (table, query) = (problems.table()?, problems.query()?);
        let shortest = problems
            .roadmap()
            .shortest_path(query, |edge: EdgeId| table.is_free(world, edge));
        Ok(Self {
            image: problems.image(world)?,
            problems,
            world,
            query,
            shortest,
        })
    }

    /// The world's image, if it has one.
    #[must_use]
    pub fn image(&self) -> Option<&OccupancyGrid> {
        self.image.as_ref()
    }

    /// The shortest path, if there is any.
    #[must_use]
    pub fn shortest(&self) -> Option<&Path> {
        self.shortest.as_ref()
    }

    /// A planner at its beginning, and what checking only the shortest path costs.
    ///
    /// # Errors
    /// If the planner cannot be made for these problems.
    pub fn planner(
        &self,
        contestant: &Contestant,
        seed: u64,
        options: &SweepOptions,
    ) -> Result<(AnyPlanner<'static, Infallible>, Option<u64>), SweepError> {
        let image = self.image.clone();
        let checker = checker_for(self.problems, self.world, image, options.resolution)?;
        let limit = self
            .shortest
            .as_ref()
            .map(|path| path.edges().iter().map(|e| checker.cost_if_free(*e)).sum());
        let experience = match &options.belief {
            Some(belief) => belief.experience.clone(),
            None => contestant
                .familiarity
                .experience(self.problems, self.world)?,
        };
        let setting = Setting {
            experience: Some(experience),
            models: options.models.clone(),
            eta: options.eta,
            fallback: options.fallback,
            seed,
            ..Setting::new(self.problems.roadmap(), self.query)
        };
        let built = contestant.planner.build(&setting, Box::new(checker));
        let planner = built.map_err(|error| SweepError::Planner {
            dataset: self.problems.name().to_owned(),
            error,
        })?;
        Ok((planner, limit))
    }

    /// When a run is stopped that does not end by itself.
    #[must_use]
    pub fn stop(options: &SweepOptions) -> Stop {
        let mut stop = Stop::never();
        if let Some(budget) = options.budget {
            stop = stop | Stop::configurations(budget);
        }
        if options.fallback == Fallback::Never {
            stop = stop | Stop::proposals(MOST_PROPOSALS);
        }
        stop
    }

    /// Plans once, from beginning to end.
    ///
    /// # Errors
    /// If the planner cannot be made for these problems.
    pub fn run(
        &self,
        contestant: &Contestant,
        seed: u64,
        options: &SweepOptions,
    ) -> Result<Row, SweepError> {
        let (mut planner, limit) = self.planner(contestant, seed, options)?;
        let mut hash = EventHash::default();
        let stop = Self::stop(options);
        let Ok(trial) = trial::run(planner.as_mut(), &stop, |event| hash.add(event));
        Ok(self.row(contestant, seed, options, &trial, limit, hash.digits()))
    }

    fn row(
        &self,
        contestant: &Contestant,
        seed: u64,
        options: &SweepOptions,
        trial: &Trial,
        limit: Option<u64>,
        events: String,
    ) -> Row {
        let shortest_on_roadmap = self.shortest.as_ref().map(Path::length);
        let (folder, made) = match self.problems.origin() {
            Origin::Folder(folder) => (Some(folder), None),
            Origin::Made { worlds, test, seed } => (None, Some((worlds as u64, test as u64, seed))),
        };
        let counted_in = if self.image.is_some() {
            "configurations"
        } else {
            "edges"
        };
        Row {
            dataset: self.problems.name().to_owned(),
            planner: contestant.planner.to_string(),
            experience: match &options.belief {
                Some(belief) if contestant.planner.needs_experience() => {
                    let path = &belief.path;
                    let full = path.canonicalize().unwrap_or_else(|_| path.clone());
                    full.display().to_string()
                }
                _ => contestant.experience().to_owned(),
            },
            world: self.world.0 + 1,
            seed,
            unit: counted_in.to_owned(),
            events,
            folder,
            made_worlds: made.map(|m| m.0),
            made_test: made.map(|m| m.1),
            made_seed: made.map(|m| m.2),
            resolution: self.image.as_ref().and_then(|_| {
                let resolution = resolution_for(self.problems.roadmap(), options.resolution);
                resolution.ok().map(Resolution::step)
            }),
            eta: options.eta,
            fallback: fallback_name(options.fallback),
            budget: options.budget,
            ..Row::of_trial(trial, shortest_on_roadmap, limit)
        }
    }
}
