//! Problems of an arm, planned in as `psmp plan` does: the same checks and proofs, the same roadmap, in sessions.
//!
//! A roadmap's shortest path, which all are held against, is found by LazySP before anyone plans in a world. Planners
//! that learn from known worlds have the table of the others for experience: the first four fifths of the folder, or all
//! of it for one who has seen them. Once that table is there, beliefs can be asked about its edges as about those of a
//! dataset.

use crate::reproduce::ReproduceError;
use crate::reproduce::seven_dof::read_problems;
use psmp::by_name::{ModelCache, PlannerName};
use psmp::checker::{BisectionChecker, Checker, Part, Sightings};
use psmp::{CollisionTable, Connection, Experience, Limit, Pricing, Query, Resolution, Roadmap};
use psmp::{Session, SessionError, SessionOptions, Stop, WorldId};
use psmp_arm::{
    Arm, ArmError, ArmProblem, CheckedArm, Checking, DEFAULT_NEIGHBOURS, DEFAULT_SPHERES,
    DEFAULT_STEP, DEFAULT_VERTICES, MotionRequest, Permissions, Sampling, Scene, SphereModel,
    SphereWorld, SphereWorlds, TableJob, kept_roadmap,
};
use psmp_files::FileError;
use psmp_lab::sweep::{Familiarity, SweepError, SweepOptions};
use psmp_lab::trial;
use psmp_lab::{Arena, Entrant, Origin, Problems, Row, Sight, fallback_name};
use psmp_worlds::OccupancyGrid;
use std::convert::Infallible;
use std::hash::Hasher;
use std::path::Path;
use std::sync::Arc;
use twox_hash::XxHash64;

/// A folder of an arm's problems.
pub struct ArmFolder {
    name: String,
    path: String,
    robot: String,
    srdf: Option<String>,
    resolution: Resolution,
    problems: Vec<ArmProblem>,
    worlds: Vec<WorldId>,
    spheres: SphereModel,
    roadmap: Roadmap,
    table: Option<Arc<CollisionTable>>,
    models: ModelCache,
}

impl ArmFolder {
    /// The group that the first request of a folder is for.
    ///
    /// # Errors
    /// If there is no such request.
    pub fn group_of(folder: &Path) -> Result<String, FileError> {
        Ok(MotionRequest::read(folder.join("request0001.yaml"))?.group)
    }

    /// Reads `sceneNNNN.yaml` and `requestNNNN.yaml` of a folder, which are for this arm. `robot` and `srdf` are what
    /// rows say of it. What is wrong with the user's cache comes along, and stops no one.
    ///
    /// # Errors
    /// If a file is missing or malformed, or the arm does not fit it.
    pub fn read(
        folder: &Path,
        arm: &Arm,
        (robot, srdf): (String, Option<String>),
        permissions: &Permissions,
        resolution: Option<f64>,
    ) -> Result<(Self, Vec<FileError>), ReproduceError> {
        let full = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let named = full.file_name().map(|n| n.to_string_lossy().into_owned());
        let name = named.unwrap_or_else(|| "arm".to_owned());
        let wrong = |why: String| ReproduceError::Arm {
            set: name.clone(),
            why,
        };
        let first = Self::group_of(folder)?;
        let problems = read_problems(folder, &name, permissions, |group| match group == first {
            true => Ok(arm.clone()),
            false => Err(ArmError::Group {
                group: group.to_owned(),
                known: vec![first.clone()],
            }),
        })?;
        let arm = &problems[0].arm;
        let resolution = Resolution::largest_axis(resolution.unwrap_or(DEFAULT_STEP))
            .map_err(|e| wrong(e.to_string()))?;
        let (spheres, mut troubles) = SphereModel::kept(arm.robot(), DEFAULT_SPHERES);
        let (roadmap, more) = kept_roadmap(
            arm,
            &spheres,
            DEFAULT_VERTICES,
            Sampling::Halton,
            Connection::Nearest(DEFAULT_NEIGHBOURS),
        )
        .map_err(|e| wrong(e.to_string()))?;
        troubles.extend(more);
        let set = Self {
            path: full.display().to_string(),
            robot,
            srdf,
            resolution,
            worlds: (0..problems.len() as u32).map(WorldId).collect(),
            problems,
            spheres,
            roadmap,
            table: None,
            models: ModelCache::default(),
            name: name.clone(),
        };
        Ok((set, troubles))
    }

    /// Checks the roadmap in all worlds, for planners that learn from known ones. `tick` is called with how many edges
    /// are done.
    ///
    /// # Errors
    /// If the scenes do not fit the arm, or nothing can be written to the temporary folder.
    pub fn learn(&mut self, tick: impl Fn(usize) + Sync) -> Result<(), ReproduceError> {
        if self.table.is_some() {
            return Ok(());
        }
        let scenes: Vec<Scene> = self.problems.iter().map(|p| p.scene.clone()).collect();
        let worlds = SphereWorlds::new(&self.problems[0].arm, &self.spheres, &scenes)
            .map_err(|e| self.wrong(e.to_string()))?;
        let job = TableJob {
            roadmap: &self.roadmap,
            worlds: &worlds,
            resolution: self.resolution,
            name: psmp_arm::fingerprint(self.name.as_bytes()),
        };
        let parts = tempfile::tempdir()
            .map_err(|e| FileError::io(std::env::temp_dir(), "create a folder in", e))?;
        self.table = Some(Arc::new(job.compute(parts.path(), tick)?));
        Ok(())
    }

    /// How many edges [`learn`](Self::learn) has yet to check.
    #[must_use]
    pub fn unlearned(&self) -> usize {
        match self.table {
            Some(_) => 0,
            None => self.roadmap.edge_count(),
        }
    }

    pub(super) fn path(&self) -> &str {
        &self.path
    }

    pub(super) fn models(&self) -> &ModelCache {
        &self.models
    }

    pub(super) fn world_count(&self) -> usize {
        self.problems.len()
    }

    /// The first four fifths, and the others.
    fn split(&self) -> (&[WorldId], &[WorldId]) {
        self.worlds.split_at(self.worlds.len() * 4 / 5)
    }

    /// Whether a row is about these problems, checked as finely.
    pub(super) fn is_of(&self, row: &Row) -> bool {
        row.folder.as_deref() == Some(&*self.path)
            && row.robot.as_deref() == Some(&*self.robot)
            && row.srdf == self.srdf
            && row.resolution == Some(self.resolution.step())
    }

    /// Adds all that rows of these problems depend on, beside the roadmap.
    pub(super) fn hash(&self, hash: &mut XxHash64) {
        let Self {
            robot,
            srdf,
            resolution,
            problems,
            spheres,
            ..
        } = self;
        hash.write(format!("{robot} {srdf:?} {resolution:?} {spheres:?}").as_bytes());
        for problem in problems {
            hash.write(format!("{problem:?}").as_bytes());
        }
    }

    fn wrong(&self, why: String) -> ReproduceError {
        ReproduceError::Arm {
            set: self.name.clone(),
            why,
        }
    }

    /// A world to plan in, whose shortest path on the roadmap is known.
    ///
    /// # Errors
    /// If the scene does not fit the arm.
    pub(super) fn arena(&self, world: WorldId) -> Result<ArmArena<'_>, ReproduceError> {
        let problem = &self.problems[world.index()];
        let checked = problem.checked(Checking::default(), &self.spheres);
        let mut arena = ArmArena {
            folder: self,
            world,
            problem,
            checked: checked.map_err(|e| self.wrong(e.to_string()))?,
            shortest: None,
        };
        arena.shortest = arena.shortest_on_roadmap()?;
        Ok(arena)
    }
}

/// Its worlds as beliefs are asked about them: edges are free where spheres around the arm say so, and start and goal
/// are no vertices of the roadmap.
impl Problems for ArmFolder {
    fn name(&self) -> &str {
        &self.name
    }
    fn roadmap(&self) -> &Roadmap {
        &self.roadmap
    }
    fn query(&self) -> Result<Query, FileError> {
        let what =
            "has a start and a goal for each of its scenes, which are no vertices of the roadmap";
        Err(FileError::new(&self.path, what).hint("plan in it with `psmp bench`"))
    }
    fn table(&self) -> Result<&Arc<CollisionTable>, FileError> {
        self.table.as_ref().ok_or_else(|| {
            FileError::new(&self.path, "the roadmap has not been checked in its scenes")
                .hint("check it with `ArmFolder::learn`")
        })
    }
    fn train(&self) -> Option<&[WorldId]> {
        Some(self.split().0)
    }
    fn test(&self) -> Option<&[WorldId]> {
        Some(self.split().1)
    }
    fn image(&self, _: WorldId) -> Result<Option<OccupancyGrid>, FileError> {
        Ok(None)
    }
    /// The scene, as finely as the table was made.
    fn sight(
        &self,
        world: WorldId,
        _: Option<f64>,
    ) -> Result<Option<(Sight, Resolution)>, SweepError> {
        let ArmProblem { arm, scene, .. } = &self.problems[world.index()];
        match SphereWorld::new(arm, &self.spheres, scene) {
            Ok(sight) => Ok(Some((Box::new(sight), self.resolution))),
            Err(error) => Err(SweepError::Dataset {
                dataset: self.name.clone(),
                why: format!("world {}: {error}", world.0 + 1),
            }),
        }
    }
    fn origin(&self) -> Origin {
        Origin::Folder(self.path.clone())
    }
}

/// A world of an arm to plan in.
pub(super) struct ArmArena<'a> {
    folder: &'a ArmFolder,
    world: WorldId,
    pub problem: &'a ArmProblem,
    checked: CheckedArm,
    /// The length of the roadmap's shortest path, and what checking and proving only that costs; none if it has none.
    pub shortest: Option<(f64, u64)>,
}

impl ArmArena<'_> {
    fn wrong(&self, error: &SessionError<Infallible>) -> ReproduceError {
        let number = self.world.0 + 1;
        self.folder.wrong(format!("world {number}: {error}"))
    }

    fn shortest_on_roadmap(&self) -> Result<Option<(f64, u64)>, ReproduceError> {
        let Ok(planner) = "lazysp".parse() else {
            unreachable!("it is a planner's name");
        };
        let options = SessionOptions {
            planner,
            fixed_roadmap: true,
            ..self.options()
        };
        let wrong = |e| self.wrong(&e);
        let mut session = self.begin(options)?;
        match session.prepare(&Limit::NONE) {
            Err(SessionError::InCollision(_) | SessionError::CutOff { .. }) => return Ok(None),
            prepared => prepared.map_err(wrong)?,
        }
        let (joined, before) = (session.known(), session.progress().configurations);
        let ran = trial::run_session(&mut session, &Stop::never(), |_, _| {});
        let (trial, _) = ran.map_err(wrong)?;
        let Some(length) = trial.progress.best_length else {
            return Ok(None);
        };
        let (Some((roadmap, _)), Some(path)) = (session.roadmap(), session.best_path_on_roadmap())
        else {
            // The straight motion is free: nobody checks more.
            return Ok(Some((length, trial.progress.configurations)));
        };
        let checker = BisectionChecker::new(roadmap, self.folder.resolution, self.checked.clone());
        let mut checker = checker.map_err(|e| wrong(e.into()))?.proving();
        let mut sightings = Sightings::new(self.problem.arm.dimension());
        let mut cost = before;
        for &edge in path.edges() {
            if joined.status(edge).is_none() {
                sightings.clear();
                let Ok(checked) = checker.check(Part::whole_of(edge), &mut sightings);
                cost += checked.configurations;
            }
            let Ok(proved) = checker.prove(edge, &Limit::NONE);
            cost += proved.configurations;
        }
        Ok(Some((length, cost)))
    }

    /// What all sessions here are told.
    fn options(&self) -> SessionOptions {
        SessionOptions {
            roadmap: Some(self.folder.roadmap.clone()),
            resolution: Some(self.folder.resolution),
            ..SessionOptions::default()
        }
    }

    fn begin(
        &self,
        options: SessionOptions,
    ) -> Result<Session<'static, CheckedArm>, ReproduceError> {
        let ArmProblem { start, goals, .. } = self.problem;
        let session = self.checked.clone().session(start, &goals[..], options);
        session.map_err(|e| self.wrong(&e))
    }

    fn experience(&self, entrant: &Entrant, options: &SweepOptions) -> Option<Experience> {
        if !entrant.needs_experience() {
            return None;
        }
        if let Some(belief) = &options.belief {
            return Some(belief.experience.clone());
        }
        let table = self.folder.table.clone()?;
        Some(match entrant.familiarity {
            Familiarity::Seen => Experience::from(table),
            Familiarity::Unseen => {
                let train = self.folder.split().0.iter().copied();
                Experience::of(table, train).without(&[self.world])
            }
        })
    }

    /// A planner of any kind, at its beginning.
    ///
    /// # Errors
    /// If the planner cannot be made for this problem.
    pub fn session(
        &self,
        entrant: &Entrant,
        seed: u64,
        options: &SweepOptions,
    ) -> Result<Session<'static, CheckedArm>, ReproduceError> {
        let unfit = |why, remedy| SweepError::Unfit {
            dataset: self.folder.name.clone(),
            planner: entrant.name.to_string(),
            why,
            remedy,
        };
        if entrant.is_endless() && options.budget.is_none() {
            let remedy = "say when, as in `--budget 20000`";
            return Err(unfit("looks for shorter paths until it is stopped", remedy).into());
        }
        if options.prices.is_some() {
            let remedy = "leave out `--price`: for arms configurations are counted";
            return Err(unfit("has no count of what it thinks here", remedy).into());
        }
        let is_tree = matches!(entrant.name.planner, PlannerName::Tree(_));
        self.begin(SessionOptions {
            planner: entrant.name.planner,
            roadmap: (!is_tree).then(|| self.folder.roadmap.clone()),
            experience: self.experience(entrant, options),
            models: options.models.clone(),
            straighten: entrant.name.straightened,
            fixed_roadmap: matches!(entrant.name.planner, PlannerName::OnRoadmap(_)),
            // Who has a budget spends it.
            settles: options.budget.is_none(),
            eta: options.eta,
            fallback: options.fallback,
            pricing: Pricing::Usual,
            seed,
            ..self.options()
        })
    }

    /// Plans once, from beginning to end.
    ///
    /// # Errors
    /// If the planner cannot be made for this problem.
    pub fn run(
        &self,
        entrant: &Entrant,
        seed: u64,
        options: &SweepOptions,
    ) -> Result<Row, ReproduceError> {
        let mut session = self.session(entrant, seed, options)?;
        let ran = trial::run_session(&mut session, &Arena::stop(options), |_, _| {});
        let (trial, events) = ran.map_err(|e| self.wrong(&e))?;
        let shortest = self.shortest;
        Ok(Row {
            dataset: self.folder.name.clone(),
            planner: entrant.name.to_string(),
            experience: options.experience_of(entrant),
            world: self.world.0 + 1,
            seed,
            unit: "configurations".to_owned(),
            events,
            folder: Some(self.folder.path.clone()),
            robot: Some(self.folder.robot.clone()),
            srdf: self.folder.srdf.clone(),
            resolution: Some(self.folder.resolution.step()),
            eta: options.eta,
            fallback: fallback_name(options.fallback),
            budget: options.budget,
            ..Row::of_trial(&trial, shortest.map(|s| s.0), shortest.map(|s| s.1))
        })
    }
}
