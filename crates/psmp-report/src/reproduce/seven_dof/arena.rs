//! One problem of an arm, ready to be planned for by anyone.

use super::SevenDof;
use super::arm_set::ArmSet;
use super::contender::Contender;
use crate::reproduce::ReproduceError;
use psmp::checker::{Checker, Sightings};
use psmp::{Anytime, EdgeId, EventKind, Experience, Fallback, Path, Stop, WorldId};
use psmp_arm::{EdgeMemory, JoinError, JoinedQuery, RememberingChecker, SphereWorld, VerticesOnce};
use psmp_lab::sweep::{Familiarity, SweepError};
use psmp_lab::trial::{self, Ending, Trial};
use psmp_lab::{EventHash, Origin, PlannerName, PlannerSpec, Row, Setting, scale};
use psmp_rivals::{
    MotionChecker, ProblemError, RivalName, ShortcutOptions, Waypoints, shortcut_watched,
};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A world of an arm to plan in.
pub(super) struct ArmArena<'a> {
    experiment: &'a SevenDof,
    set: &'a ArmSet,
    world: WorldId,
    spheres: SphereWorld,
    /// Start and goal on the roadmap; `None` if one of them cannot be joined to it.
    joined: Option<JoinedQuery>,
    shortest: Option<Path>,
    /// What joining and then checking only the shortest path costs.
    limit: Option<u64>,
}

/// A run: its row, and the best path found.
pub(super) struct Run {
    pub row: Row,
    pub path: Option<Waypoints>,
}

impl<'a> ArmArena<'a> {
    /// Joins start and goal to the roadmap where they are not on it, and finds the shortest path.
    ///
    /// # Errors
    /// If the scene does not fit the arm.
    pub fn open(
        experiment: &'a SevenDof,
        set: &'a ArmSet,
        world: WorldId,
    ) -> Result<Self, ReproduceError> {
        let problem = &set.problems[world.index()];
        let (bench, resolution) = (&set.bench, experiment.resolution);
        let wrong = |why: String| ReproduceError::Arm {
            set: set.name.clone(),
            why: format!("world {}: {why}", world.0 + 1),
        };
        let spheres = problem
            .sphere_world(&bench.spheres)
            .map_err(|e| wrong(e.to_string()))?;
        let joined = match bench.query {
            Some(query) => Some(JoinedQuery {
                roadmap: bench.roadmap.clone(),
                query,
                known: EdgeMemory::new(bench.roadmap.edge_count()),
                configurations: 0,
            }),
            None => {
                let (start, goal) = (&problem.start, &problem.goal);
                let mut world = spheres.clone();
                match JoinedQuery::new(
                    &bench.roadmap,
                    start,
                    goal,
                    resolution,
                    &mut world,
                    &psmp::Limit::none(),
                ) {
                    Ok(joined) => Some(joined),
                    Err(JoinError::InCollision(_) | JoinError::CutOff { .. }) => None,
                    Err(e) => return Err(wrong(e.to_string())),
                }
            }
        };
        let mut arena = Self {
            experiment,
            set,
            world,
            spheres,
            joined,
            shortest: None,
            limit: None,
        };
        if let Some(joined) = &arena.joined {
            let mut known = joined.known.clone();
            let mut checker = arena.checker(joined, &mut known)?;
            let mut sightings = Sightings::new(bench.arm.dimension());
            let beyond = set.table.edge_count() as u32;
            let connections: Vec<bool> = (beyond..joined.roadmap.edge_count() as u32)
                .map(|edge| {
                    sightings.clear();
                    let Ok(verdict) = checker.check(EdgeId(edge), &mut sightings);
                    verdict.free
                })
                .collect();
            let is_free = |edge: EdgeId| match edge.0.checked_sub(beyond) {
                Some(own) => connections[own as usize],
                None => set.table.is_free(world, edge),
            };
            let shortest = joined.roadmap.shortest_path(joined.query, is_free);
            // Asked afresh, what joining has found out is all that costs nothing.
            let mut known = joined.known.clone();
            let mut checker = arena.checker(joined, &mut known)?;
            let limit = shortest.as_ref().map(|path| {
                let edges = path.edges().iter();
                let prices = edges.map(|edge| {
                    sightings.clear();
                    let Ok(verdict) = checker.check(*edge, &mut sightings);
                    verdict.configurations
                });
                joined.configurations + prices.sum::<u64>()
            });
            (arena.shortest, arena.limit) = (shortest, limit);
        }
        Ok(arena)
    }

    /// The length of the roadmap's shortest path, if there is any.
    pub fn shortest_on_roadmap(&self) -> Option<f64> {
        self.shortest.as_ref().map(Path::length)
    }

    /// A checker that asks about no vertex twice, nor about what joining knows.
    fn checker<'b>(
        &self,
        joined: &'b JoinedQuery,
        known: &'b mut EdgeMemory,
    ) -> Result<RememberingChecker<'b, VerticesOnce<'b, SphereWorld>>, ReproduceError> {
        let (resolution, world) = (self.experiment.resolution, self.spheres.clone());
        let free = match self.set.bench.query {
            // Ends that were joined have been checked and counted.
            None => vec![joined.query.start, joined.query.goal],
            Some(_) => Vec::new(),
        };
        let checker = VerticesOnce::new(&joined.roadmap, resolution, world, &free)
            .map_err(|e| self.wrong(e.to_string()))?;
        Ok(RememberingChecker::new(checker, known))
    }

    fn wrong(&self, why: String) -> ReproduceError {
        ReproduceError::Arm {
            set: self.set.name.clone(),
            why: format!("world {}: {why}", self.world.0 + 1),
        }
    }

    /// Plans once, from beginning to end.
    ///
    /// # Errors
    /// If the planner cannot be made for this problem.
    pub fn run(&self, contender: &Contender, seed: u64) -> Result<Run, ReproduceError> {
        let Found {
            mut trial,
            events,
            mut path,
        } = match contender.entry.planner {
            PlannerName::OnRoadmap(planner) => self.on_roadmap(contender, planner, seed)?,
            PlannerName::WithoutRoadmap(rival) => self.without_roadmap(contender, rival, seed)?,
        };
        if contender.entry.straightened
            && let Some(first) = path.take()
        {
            path = Some(self.straighten(first, seed, &mut trial)?);
        }
        let row = self.row(contender, seed, &trial, events);
        Ok(Run { row, path })
    }

    fn on_roadmap(
        &self,
        contender: &Contender,
        planner: PlannerSpec,
        seed: u64,
    ) -> Result<Found, ReproduceError> {
        let Some(joined) = &self.joined else {
            return Ok(Found::nothing(Ending::NoPathOnRoadmap, 0));
        };
        let worlds = match contender.familiarity {
            Familiarity::Seen => (0..self.set.problems.len() as u32).map(WorldId).collect(),
            Familiarity::Unseen => self.set.train_worlds(),
        };
        let setting = Setting {
            roadmap: &joined.roadmap,
            query: joined.query,
            experience: Some((&self.set.table, worlds)),
            eta: self.experiment.eta / scale(&joined.roadmap),
            fallback: Fallback::default(),
            seed,
        };
        let mut known = joined.known.clone();
        let mut planner = planner
            .build(&setting, self.checker(joined, &mut known)?)
            .map_err(|error| SweepError::Planner {
                dataset: self.set.name.clone(),
                error,
            })?;
        let stop = Stop::configurations(self.experiment.budget);
        // What is straightened is the first path, whatever its length.
        let enough = contender.entry.straightened.then_some(f64::INFINITY);
        let (mut trial, events) = watched(planner.as_mut(), stop, enough);
        trial.count_before(joined.configurations);
        let best = planner.best_path();
        let path = best.and_then(|path| Waypoints::of_roadmap(&joined.roadmap, path));
        Ok(Found {
            trial,
            events,
            path,
        })
    }

    fn without_roadmap(
        &self,
        contender: &Contender,
        rival: RivalName,
        seed: u64,
    ) -> Result<Found, ReproduceError> {
        let problem = &self.set.problems[self.world.index()];
        let made = rival.build(self.motion_checker()?, &problem.start, &problem.goal, seed);
        let mut planner = match made {
            Ok(planner) => planner,
            Err(ProblemError::InCollision { .. }) => {
                return Ok(Found::nothing(Ending::EndInCollision, 2));
            }
            Err(e) => return Err(self.wrong(e.to_string())),
        };
        let stop = Stop::configurations(self.experiment.rival_budget);
        // What goes on without end has done enough once it beats the roadmap.
        let enough = match contender.entry.straightened {
            true => Some(f64::INFINITY),
            false => self.shortest_on_roadmap(),
        };
        let (trial, events) = watched(planner.as_mut(), stop, enough);
        Ok(Found {
            trial,
            events,
            path: planner.best_path().cloned(),
        })
    }

    fn motion_checker(&self) -> Result<MotionChecker<SphereWorld>, ReproduceError> {
        let space = self.set.bench.arm.space().clone();
        let resolution = self.experiment.resolution;
        MotionChecker::by_largest_step(space, resolution, self.spheres.clone())
            .map_err(|e| self.wrong(e.to_string()))
    }

    /// Straightens a path, and counts what that costs.
    fn straighten(
        &self,
        path: Waypoints,
        seed: u64,
        trial: &mut Trial,
    ) -> Result<Waypoints, ReproduceError> {
        let mut checker = self.motion_checker()?;
        let before = trial.progress.configurations;
        let options = ShortcutOptions::default();
        let better = |spent: u64, length: f64| trial.improve(before + spent, length);
        let Ok(path) = shortcut_watched(path, &mut checker, options, seed, better);
        trial.progress.configurations = before + checker.configurations();
        Ok(path)
    }

    fn row(&self, contender: &Contender, seed: u64, trial: &Trial, events: String) -> Row {
        let (folder, made) = match &self.set.origin {
            Origin::Folder(folder) => (Some(folder.clone()), None),
            Origin::Made { worlds, test, seed } => {
                (None, Some((*worlds as u64, *test as u64, *seed)))
            }
        };
        Row {
            dataset: self.set.name.clone(),
            planner: contender.to_string(),
            experience: contender.experience().to_owned(),
            world: self.world.0 + 1,
            seed,
            unit: "configurations".to_owned(),
            events,
            folder,
            made_worlds: made.map(|m| m.0),
            made_test: made.map(|m| m.1),
            made_seed: made.map(|m| m.2),
            resolution: Some(self.experiment.resolution),
            eta: self.experiment.eta,
            fallback: match Fallback::default() {
                Fallback::Never => "never".to_owned(),
                Fallback::AfterBarren(draws) => draws.to_string(),
            },
            budget: Some(match contender.entry.planner {
                PlannerName::OnRoadmap(_) => self.experiment.budget,
                PlannerName::WithoutRoadmap(_) => self.experiment.rival_budget,
            }),
            ..Row::of_trial(trial, self.shortest_on_roadmap(), self.limit)
        }
    }
}

/// What came of a planner's run.
struct Found {
    trial: Trial,
    /// The hash of its events.
    events: String,
    path: Option<Waypoints>,
}

impl Found {
    /// A run that ended before it began, when so many configurations had been checked.
    fn nothing(ending: Ending, configurations: u64) -> Self {
        Self {
            trial: Trial::over_at_once(ending, configurations),
            events: String::new(),
            path: None,
        }
    }
}

/// Drives a planner to its end, to `stop`, or to a path no longer than `enough`, and hashes its
/// events.
fn watched(
    planner: &mut (impl Anytime<Error = Infallible> + ?Sized),
    stop: Stop,
    enough: Option<f64>,
) -> (Trial, String) {
    let mut hash = EventHash::default();
    let short = Arc::new(AtomicBool::new(false));
    let stop = stop | Stop::flag(short.clone());
    let Ok(trial) = trial::run(planner, &stop, |event| {
        hash.add(event);
        if let (EventKind::Improved { length }, Some(enough)) = (event.kind, enough) {
            short.fetch_or(length <= enough, Ordering::Relaxed);
        }
    });
    (trial, hash.digits())
}
