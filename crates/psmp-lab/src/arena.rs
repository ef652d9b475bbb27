//! One world, ready to be planned in by anyone: its image, its shortest path, and what checking
//! only that would cost.

use crate::entrant::{Entrant, EntrantName};
use crate::event_hash::EventHash;
use crate::problems::{Origin, Problems};
use crate::recorded::{RecordedChecker, Sight};
use crate::resolution::resolution_for;
use crate::row::Row;
use crate::sweep::{Contestant, Familiarity, SweepError, SweepOptions};
use crate::trial::{self, Trial};
use psmp::by_name::{AnyPlanner, PlannerName, Setting};
use psmp::checker::{Checker, World};
use psmp::{
    EdgeId, EventKind, Experience, Fallback, Limit, Path, Pricing, Query, Resolution, Stop,
    Yardstick,
};
use psmp::{Session, SessionError, SessionOptions, WorldId};
use psmp_worlds::OccupancyGrid;
use std::convert::Infallible;
use std::sync::Arc;

/// A plain run that draws worlds without improvement will do so for ever: after this many proposals
/// it is stopped.
const MOST_PROPOSALS: u64 = 5000;

/// Why a planner cannot plan where there are no images, and what to do.
const IMAGELESS: [&str; 2] = [
    "plans in images, and there are none",
    "leave it out: without images only planners that keep to the roadmap can plan",
];

/// A checker in a recorded world, by image or by boxes where there are any.
///
/// # Errors
/// If there is no table, or the resolution makes no sense.
pub fn checker_for(
    problems: &dyn Problems,
    world: WorldId,
    image: Option<OccupancyGrid>,
    resolution: Option<f64>,
) -> Result<RecordedChecker, SweepError> {
    let sight = match image {
        Some(image) => {
            let resolution = resolution_for(problems.roadmap(), resolution)?;
            Some((Box::new(image) as Sight, resolution))
        }
        None => problems.sight(world, resolution)?,
    };
    checker_in(problems, world, sight)
}

/// A checker in a recorded world, by its configurations where these are seen.
pub(crate) fn checker_in(
    problems: &dyn Problems,
    world: WorldId,
    sight: Option<(Sight, Resolution)>,
) -> Result<RecordedChecker, SweepError> {
    let table = problems.table()?;
    let Some((sight, resolution)) = sight else {
        return Ok(RecordedChecker::by_edges(table, world));
    };
    let roadmap = problems.roadmap();
    let checker = RecordedChecker::by_configurations(table, world, roadmap, sight, resolution);
    checker.map_err(|e| SweepError::Dataset {
        dataset: problems.name().to_owned(),
        why: e.to_string(),
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

/// An image that planners may ask about any configuration of. As in recorded worlds all that is asked is whether
/// configurations are free, and nothing is proved of what lies between; and each counts as one, however quickly a
/// cell is looked up.
#[derive(Debug, Clone)]
pub struct InImage(Arc<OccupancyGrid>);

impl World for InImage {
    type Error = Infallible;

    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, Infallible> {
        Ok(self.0.free_at(configuration))
    }
}

/// A world to plan in.
pub struct Arena<'a> {
    problems: &'a dyn Problems,
    world: WorldId,
    query: Query,
    image: Option<OccupancyGrid>,
    /// Whether configurations are counted, and not edges.
    is_seen: bool,
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
        let image = problems.image(world)?;
        Ok(Self {
            is_seen: image.is_some() || problems.boxes(world)?.is_some(),
            image,
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

    /// What a planner may learn from here.
    fn experience(
        &self,
        familiarity: Familiarity,
        options: &SweepOptions,
    ) -> Result<Experience, SweepError> {
        Ok(match &options.belief {
            Some(belief) => belief.experience.clone(),
            None => familiarity.experience(self.problems, self.world)?,
        })
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
        let limit = self.limit(&checker);
        let experience = self.experience(contestant.familiarity, options)?;
        let setting = Setting {
            experience: Some(experience),
            models: options.models.clone(),
            eta: options.eta,
            fallback: options.fallback,
            seed,
            ..Setting::new(self.problems.roadmap(), self.query)
        };
        let checker = checker.for_planner(&PlannerName::OnRoadmap(contestant.planner));
        let built = contestant.planner.build(&setting, Box::new(checker));
        let mut planner = built.map_err(|error| SweepError::Planner {
            dataset: self.problems.name().to_owned(),
            error,
        })?;
        if let Some(prices) = options.prices {
            planner.set_prices(prices);
        }
        Ok((planner, limit))
    }

    /// What checking only the shortest path costs.
    fn limit(&self, checker: &RecordedChecker) -> Option<u64> {
        let edges = self.shortest.as_ref()?.edges().iter();
        Some(edges.map(|edge| checker.cost_if_free(*edge)).sum())
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
        let limit_of_run = Limit::new(&Self::stop(options));
        // What had been thought at each better path, and in the end.
        let (mut thoughts, mut at_paths) = (0, Vec::new());
        let Ok(mut trial) = trial::run_within(planner.as_mut(), limit_of_run, |planner, event| {
            hash.add(event);
            thoughts = planner.effort() + planner.upkeep();
            if matches!(event.kind, EventKind::Improved { .. }) {
                at_paths.push(thoughts);
            }
        });
        if let Some(prices) = options.prices {
            trial.count_thinking(&at_paths, thoughts, prices);
        }
        let entrant = Entrant {
            name: EntrantName {
                planner: PlannerName::OnRoadmap(contestant.planner),
                straightened: false,
            },
            familiarity: contestant.familiarity,
        };
        Ok(self.row(&entrant, seed, options, &trial, limit, hash.digits()))
    }

    /// What somebody else's planner came to in this world, as a row beside those of ours. Its path is held against the
    /// straight line, as those of all are that know no roadmap.
    ///
    /// # Errors
    /// If the resolution makes no sense, or there is no image, so that configurations cannot have been asked about.
    pub fn row_of_another(
        &self,
        planner: &str,
        seed: u64,
        options: &SweepOptions,
        mut trial: Trial,
    ) -> Result<Row, SweepError> {
        let roadmap = self.problems.roadmap();
        let ends = [self.query.start, self.query.goal].map(|v| roadmap.configuration(v));
        let (Some(image), Some(space), [Some(start), Some(goal)]) =
            (&self.image, roadmap.space(), ends)
        else {
            return Err(SweepError::Unfit {
                dataset: self.problems.name().to_owned(),
                planner: planner.to_owned(),
                why: IMAGELESS[0],
                remedy: IMAGELESS[1],
            });
        };
        trial.progress.lower_bound = space.distance(start, goal);
        trial.progress.yardstick = Yardstick::StraightLine;
        let image = Some(image.clone());
        let checker = checker_for(self.problems, self.world, image, options.resolution)?;
        let limit = self.limit(&checker);
        let told = [planner, "none"].map(str::to_owned);
        Ok(self.told(told, seed, options, &trial, limit, String::new()))
    }

    /// The same for any planner. One that does not keep to the roadmap plans in the image.
    ///
    /// # Errors
    /// If the planner cannot be made for these problems.
    pub fn run_any(
        &self,
        entrant: &Entrant,
        seed: u64,
        options: &SweepOptions,
    ) -> Result<Row, SweepError> {
        if let Some(contestant) = entrant.on_roadmap() {
            return self.run(&contestant, seed, options);
        }
        let (mut session, limit) = self.session(entrant, seed, options)?;
        let ran = trial::run_session(&mut session, &Self::stop(options), |_, _| {});
        let (trial, events) = ran.map_err(|e| self.wrong(e))?;
        Ok(self.row(entrant, seed, options, &trial, limit, events))
    }

    fn wrong(&self, error: SessionError<Infallible>) -> SweepError {
        SweepError::Dataset {
            dataset: self.problems.name().to_owned(),
            why: error.to_string(),
        }
    }

    /// A planner of any kind as a session in the world's image, and what checking only the shortest path costs. One
    /// that keeps to the roadmap asks the table about edges, as ever.
    ///
    /// # Errors
    /// If there is no image, or the planner cannot be made for these problems.
    pub fn session(
        &self,
        entrant: &Entrant,
        seed: u64,
        options: &SweepOptions,
    ) -> Result<(Session<'static, InImage>, Option<u64>), SweepError> {
        let unfit = |why, remedy| SweepError::Unfit {
            dataset: self.problems.name().to_owned(),
            planner: entrant.name.to_string(),
            why,
            remedy,
        };
        let roadmap = self.problems.roadmap();
        let ends = [self.query.start, self.query.goal].map(|v| roadmap.configuration(v));
        let (Some(image), Some(space), [Some(start), Some(goal)]) =
            (&self.image, roadmap.space(), ends)
        else {
            return Err(unfit(IMAGELESS[0], IMAGELESS[1]));
        };
        if entrant.is_endless() && options.budget.is_none() {
            return Err(unfit(
                "looks for shorter paths until it is stopped",
                "say when, as in `--budget 20000`",
            ));
        }
        if options.prices.is_some() && entrant.on_roadmap().is_none() {
            return Err(unfit(
                "has no count of what it thinks, which a price is of",
                "leave out `--price`, or the planner",
            ));
        }
        let checker = checker_for(
            self.problems,
            self.world,
            Some(image.clone()),
            options.resolution,
        )?;
        let limit = self.limit(&checker);
        let checker = checker.for_planner(&entrant.name.planner);
        let is_fixed = matches!(entrant.name.planner, PlannerName::OnRoadmap(_));
        let chosen = SessionOptions {
            planner: entrant.name.planner,
            roadmap: Some(roadmap.clone()),
            experience: match entrant.needs_experience() {
                true => Some(self.experience(entrant.familiarity, options)?),
                false => None,
            },
            models: options.models.clone(),
            resolution: Some(resolution_for(roadmap, options.resolution)?),
            straighten: entrant.name.straightened,
            fixed_roadmap: is_fixed,
            // Who has a budget spends it.
            settles: options.budget.is_none(),
            eta: options.eta,
            fallback: options.fallback,
            pricing: options
                .prices
                .map_or(Pricing::Usual, |prices| Pricing::Given(vec![prices])),
            seed,
            ..SessionOptions::default()
        };
        let world = InImage(Arc::new(image.clone()));
        let session = match is_fixed {
            true => Session::on_roadmap_in(world, roadmap, self.query, Box::new(checker), chosen),
            false => Session::in_space(space, world, start, goal, chosen),
        };
        Ok((session.map_err(|e| self.wrong(e))?, limit))
    }

    fn row(
        &self,
        entrant: &Entrant,
        seed: u64,
        options: &SweepOptions,
        trial: &Trial,
        limit: Option<u64>,
        events: String,
    ) -> Row {
        let told = [entrant.name.to_string(), options.experience_of(entrant)];
        self.told(told, seed, options, trial, limit, events)
    }

    /// A row about a planner of some name and experience.
    fn told(
        &self,
        [planner, experience]: [String; 2],
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
        let counted_in = if self.is_seen {
            "configurations"
        } else {
            "edges"
        };
        Row {
            dataset: self.problems.name().to_owned(),
            planner,
            experience,
            world: self.world.0 + 1,
            seed,
            unit: counted_in.to_owned(),
            events,
            folder,
            made_worlds: made.map(|m| m.0),
            made_test: made.map(|m| m.1),
            made_seed: made.map(|m| m.2),
            resolution: self.is_seen.then_some(()).and_then(|()| {
                let resolution = resolution_for(self.problems.roadmap(), options.resolution);
                resolution.ok().map(Resolution::step)
            }),
            eta: options.eta,
            fallback: fallback_name(options.fallback),
            budget: options.budget,
            price: options.prices.map(|prices| prices.to_string()),
            ..Row::of_trial(trial, shortest_on_roadmap, limit)
        }
    }
}
