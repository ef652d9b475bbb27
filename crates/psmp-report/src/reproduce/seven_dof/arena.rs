//! One problem of an arm, ready to be planned for by anyone.

use super::SevenDof;
use super::arm_set::ArmSet;
use super::contender::Contender;
use crate::reproduce::ReproduceError;
use psmp::by_name::{PlannerName, PlannerSpec, Setting, TreeName};
use psmp::checker::{
    Bill, BisectionChecker, Checker, EdgeMemory, Finding, MotionChecker, Part, Sightings, Verdict,
    VerticesOnce,
};
use psmp::shortcut::{ShortcutOptions, shortcut};
use psmp::trees::{ProblemError, RrtConnectOptions};
use psmp::{
    Anytime, EdgeId, EventKind, Experience, Fallback, Joined, Path, SessionError, Stop, Waypoints,
    WorldId,
};
use psmp_arm::SphereWorld;
use psmp_lab::sweep::{Familiarity, SweepError};
use psmp_lab::trial::{self, Ending, Trial};
use psmp_lab::{EventHash, Origin, Row, fallback_name};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Checks edges, but for those that are known from joining, which cost nothing.
/// A planner is not told of them beforehand: it has to ask, as in the experiment whose figures are
/// published.
struct Remembering {
    checker: VerticesOnce<SphereWorld>,
    known: EdgeMemory,
}

impl Checker for Remembering {
    type Error = Infallible;

    fn check(&mut self, part: Part<'_>, sightings: &mut Sightings) -> Result<Finding, Infallible> {
        let edge = part.edge;
        if let free @ Some(_) = self.known.status(edge) {
            return Ok(Finding {
                free,
                configurations: 0,
            });
        }
        self.checker.check(part, sightings)
    }

    fn portion(&self, edge: EdgeId, wanted: u64) -> u64 {
        self.checker.portion(edge, wanted)
    }

    fn bill(&self, edge: EdgeId, verdict: Option<Verdict>, knows: [bool; 2]) -> Bill {
        match self.known.status(edge) {
            None => self.checker.bill(edge, verdict, knows),
            Some(_) => Bill::default(),
        }
    }

    fn cost_if_free(&self, edge: EdgeId) -> u64 {
        match self.known.status(edge) {
            None => self.checker.cost_if_free(edge),
            Some(_) => 0,
        }
    }
}

/// A world of an arm to plan in.
pub(super) struct ArmArena<'a> {
    experiment: &'a SevenDof,
    set: &'a ArmSet,
    world: WorldId,
    spheres: SphereWorld,
    /// Start and goal on the roadmap; `None` if one of them cannot be joined to it.
    joined: Option<Joined>,
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
            Some(query) => Some(Joined::already(&bench.roadmap, query)),
            None => {
                let ends = [&problem.start[..], &problem.goals[0]];
                match Joined::new(&bench.roadmap, ends, resolution, spheres.clone()) {
                    Err(SessionError::InCollision(_) | SessionError::CutOff { .. }) => None,
                    joined => Some(joined.map_err(|e| wrong(e.to_string()))?),
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
            let beyond = set.table.edge_count();
            let mut sightings = Sightings::new(bench.arm.dimension());
            let mut checker = arena.checker(joined)?;
            let added = joined.roadmap.edge_ids().skip(beyond).map(|edge| {
                sightings.clear();
                let Ok(finding) = checker.check(Part::whole_of(edge), &mut sightings);
                finding.free == Some(true)
            });
            let added: Vec<bool> = added.collect();
            let is_free = |edge: EdgeId| match edge.index().checked_sub(beyond) {
                Some(place) => added[place],
                None => set.table.is_free(world, edge),
            };
            let shortest = joined.roadmap.shortest_path(joined.query, is_free);
            // Asked afresh, what joining has found out is all that costs nothing.
            let mut checker = arena.checker(joined)?;
            let limit = shortest.as_ref().map(|path| {
                let edges = path.edges().iter();
                let costs = edges.map(|edge| {
                    sightings.clear();
                    let Ok(finding) = checker.check(Part::whole_of(*edge), &mut sightings);
                    finding.configurations
                });
                joined.configurations + costs.sum::<u64>()
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
    fn checker(&self, joined: &Joined) -> Result<Remembering, ReproduceError> {
        let (resolution, world) = (self.experiment.resolution, self.spheres.clone());
        let free = match self.set.bench.query {
            // Ends that were joined have been checked and counted.
            None => vec![joined.query.start, joined.query.goal],
            Some(_) => Vec::new(),
        };
        let checker = BisectionChecker::new(&joined.roadmap, resolution, world);
        let checker = checker.map_err(|e| self.wrong(e.to_string()))?;
        Ok(Remembering {
            checker: VerticesOnce::new(checker, free),
            known: joined.known.clone(),
        })
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
            PlannerName::OnRoadmap(planner) | PlannerName::Growing(planner) => {
                self.on_roadmap(contender, planner, seed)?
            }
            PlannerName::Tree(tree) => self.without_roadmap(contender, tree, seed)?,
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
        let table = self.set.table.clone();
        let problem = &self.set.problems[self.world.index()];
        let setting = Setting {
            experience: Some(
                match contender.familiarity {
                    Familiarity::Seen => Experience::from(table),
                    Familiarity::Unseen => Experience::of(table, self.set.train_worlds()),
                }
                .for_world_with(&problem.arm.clearances(&problem.scene)),
            ),
            models: self.set.models.clone(),
            eta: self.experiment.eta,
            seed,
            ..Setting::new(&joined.roadmap, joined.query)
        };
        let mut planner = planner
            .build(&setting, Box::new(self.checker(joined)?))
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
        tree: TreeName,
        seed: u64,
    ) -> Result<Found, ReproduceError> {
        let problem = &self.set.problems[self.world.index()];
        let (start, goal) = (&problem.start, &problem.goals[0]);
        let options = RrtConnectOptions::PUBLISHED;
        let made = tree.build(self.motion_checker()?, start, goal, options, seed);
        let mut planner = match made {
            Ok(planner) => planner,
            Err(ProblemError::InCollision { .. }) => {
                return Ok(Found::nothing(Ending::EndInCollision, 2));
            }
            Err(e) => return Err(self.wrong(e.to_string())),
        };
        let stop = Stop::configurations(self.experiment.tree_budget);
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
        let (space, resolution) = (self.set.bench.arm.space(), self.experiment.resolution);
        MotionChecker::new(space, resolution, self.spheres.clone())
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
        let (started, planned) = (Instant::now(), trial.duration);
        let better = |spent: u64, length: f64| {
            trial.improve(before + spent, length, planned + started.elapsed());
        };
        let straight = shortcut(path, &mut checker, options, seed, better);
        trial.progress.configurations = before + checker.configurations();
        let Ok(straight) = straight;
        Ok(straight)
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
            resolution: Some(self.experiment.resolution.step()),
            eta: self.experiment.eta,
            fallback: fallback_name(Fallback::default()),
            budget: Some(match contender.entry.planner {
                PlannerName::OnRoadmap(_) | PlannerName::Growing(_) => self.experiment.budget,
                PlannerName::Tree(_) => self.experiment.tree_budget,
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
