//! What drives a run: a planner on a roadmap, or one that grows trees and knows no roadmap.
//!
//! A Rust planner borrows its roadmap, its known worlds and its checker. Python knows no borrowing,
//! so that [`OnRoadmap`] owns them beside the planner.

use crate::arguments::{refused, values, vector};
use crate::arm_checker::ArmChecker;
use crate::belief::{Belief, DEFAULT_ETA};
use crate::checker::Check;
use crate::event::FoundPath;
use crate::roadmap::Roadmap;
use crate::space::Space;
use crate::stop::Stop;
use crate::table::Bits;
use psmp::{Direction, Event, EventKind, Experience, Fallback, Limit, Progress, Query, WorldId};
use psmp_arm::{EdgeMemory, JoinError, JoinedQuery, RememberingChecker};
use psmp_lab::{AnyPlanner, PlannerSpec, Setting, scale};
use psmp_rivals::{
    AnyRival, MotionChecker, ProblemError, RivalName, RrtConnect, RrtConnectOptions,
    RrtConnectShortcut, ShortcutOptions,
};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use self_cell::{MutBorrow, self_cell};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// How often a roadmap is made finer around start and goal where it has no path for an arm.
const MOST_ROUNDS: u32 = 3;

/// Edges that were checked, in order.
#[derive(Default)]
pub struct Checked {
    /// The vertices at the ends of each, one pair after the other.
    pub ends: Vec<u32>,
    pub free: Vec<bool>,
}

/// A planner of either kind.
pub enum AnyEngine {
    OnRoadmap(OnRoadmap),
    Trees(AnyRival<'static, PyErr>),
}

impl AnyEngine {
    pub fn step(&mut self, limit: &Limit) -> Option<PyResult<Event>> {
        match self {
            Self::OnRoadmap(engine) => engine.step(limit),
            Self::Trees(rival) => rival.step(limit),
        }
    }

    pub fn progress(&self) -> Progress {
        match self {
            Self::OnRoadmap(engine) => engine.progress,
            Self::Trees(rival) => rival.progress(),
        }
    }

    /// The roadmap planned on, if there is one.
    pub fn roadmap(&self) -> Option<&Arc<psmp::Roadmap>> {
        match self {
            Self::OnRoadmap(engine) => Some(&engine.roadmap),
            Self::Trees(_) => None,
        }
    }

    pub fn best_path(&self) -> Option<FoundPath> {
        match self {
            Self::OnRoadmap(engine) => engine.cell.as_ref()?.with_dependent(|ground, planner| {
                let path = planner.best_path()?;
                Some(FoundPath::new(path, &ground.roadmap))
            }),
            Self::Trees(rival) => Some(FoundPath::alone(rival.best_path()?)),
        }
    }

    pub fn checked(&self) -> Checked {
        let mut checked = Checked::default();
        if let Self::OnRoadmap(OnRoadmap {
            cell: Some(cell), ..
        }) = self
        {
            cell.with_dependent(|ground, planner| {
                for entry in planner.ledger().entries() {
                    let edge = ground.roadmap.edge(entry.edge);
                    checked.ends.extend([edge.from.0, edge.to.0]);
                    checked.free.push(entry.verdict.free);
                }
            });
        }
        checked
    }

    /// The probability of each edge to be free; none without a roadmap.
    pub fn probabilities(&mut self) -> Option<Vec<f64>> {
        let Self::OnRoadmap(engine) = self else {
            return None;
        };
        Some(engine.cell.as_mut()?.with_dependent_mut(|ground, planner| {
            let edges = ground.roadmap.edge_ids();
            edges.map(|e| planner.probability_free(e)).collect()
        }))
    }
}

/// What a planner borrows.
struct Ground {
    roadmap: Arc<psmp::Roadmap>,
    query: Query,
    recipe: Arc<Recipe>,
    /// What is known of edges beforehand and found out on the way, for an arm.
    memory: MutBorrow<Option<EdgeMemory>>,
}

/// What stays the same however fine the roadmap is.
struct Recipe {
    check: Check,
    experience: Option<(Arc<Bits>, Vec<WorldId>)>,
    spec: PlannerSpec,
    eta: f64,
    fallback: Fallback,
    seed: u64,
    resolution: Option<f64>,
}

type Planner<'a> = AnyPlanner<'a, PyErr>;

self_cell!(
    struct Cell {
        owner: Ground,
        #[not_covariant]
        dependent: Planner,
    }
);

impl Cell {
    fn of(ground: Ground) -> PyResult<Self> {
        Self::try_new(ground, |ground| {
            let recipe = &*ground.recipe;
            let check = recipe.check.for_roadmap(&ground.roadmap, recipe.resolution);
            let mut checker = check?;
            if let Some(memory) = ground.memory.borrow_mut() {
                checker = Box::new(RememberingChecker::new(checker, memory));
            }
            let experience = recipe.experience.as_ref();
            let setting = Setting {
                roadmap: &ground.roadmap,
                query: ground.query,
                experience: experience.map(|(table, worlds)| (&**table, worlds.clone())),
                eta: recipe.eta,
                fallback: recipe.fallback,
                seed: recipe.seed,
            };
            let built = recipe.spec.build(&setting, checker);
            built.map_err(|e| refused("belief", e))
        })
    }
}

/// A planner on a roadmap, with all that it borrows.
pub struct OnRoadmap {
    /// None if the roadmap could not be made finer.
    cell: Option<Cell>,
    roadmap: Arc<psmp::Roadmap>,
    progress: Progress,
    /// What was spent before the planner began: on joining, and on a coarser roadmap.
    spent: Progress,
    /// How often the roadmap may still be made finer.
    rounds_left: u32,
}

impl OnRoadmap {
    fn new(ground: Ground, spent: Progress, rounds_left: u32) -> PyResult<Self> {
        let roadmap = ground.roadmap.clone();
        let cell = Cell::of(ground)?;
        let progress = cell.with_dependent(|_, planner| planner.progress());
        Ok(Self {
            cell: Some(cell),
            roadmap,
            progress: spent.and(progress),
            spent,
            rounds_left,
        })
    }

    fn step(&mut self, limit: &Limit) -> Option<PyResult<Event>> {
        loop {
            let (step, progress) = self.cell.as_mut()?.with_dependent_mut(|_, planner| {
                let step = planner.step(limit);
                (step, planner.progress())
            });
            self.progress = self.spent.and(progress);
            let mut event = match step? {
                Ok(event) => event,
                Err(e) => return Some(Err(e)),
            };
            // That this roadmap has no path is not the end while it can be made finer.
            if event.kind != EventKind::NoPathOnRoadmap || self.rounds_left == 0 {
                event.progress = self.spent.and(event.progress);
                return Some(Ok(event));
            }
            if let Err(e) = self.make_finer() {
                return Some(Err(e));
            }
        }
    }

    /// Goes on with a roadmap that is finer around start and goal. What is known stays known.
    fn make_finer(&mut self) -> PyResult<()> {
        let Some(ground) = self.cell.take().map(Cell::into_owner) else {
            return Ok(());
        };
        let mut joined = JoinedQuery {
            roadmap: (*ground.roadmap).clone(),
            query: ground.query,
            known: ground.memory.into_inner().unwrap_or(EdgeMemory::new(0)),
            configurations: 0,
        };
        let made = joined.make_finer(MOST_ROUNDS - self.rounds_left);
        made.map_err(|e| refused("roadmap", e))?;
        let ground = Ground {
            roadmap: Arc::new(joined.roadmap),
            query: joined.query,
            recipe: ground.recipe,
            memory: MutBorrow::new(Some(joined.known)),
        };
        *self = Self::new(ground, self.progress, self.rounds_left - 1)?;
        Ok(())
    }
}

/// A planner that is ready to be run.
#[pyclass(frozen, module = "psmp")]
pub struct Engine {
    /// None once a run has taken it.
    pub ready: Mutex<Option<Ready>>,
}

/// A planner, and what a run tells of it.
pub struct Ready {
    pub engine: AnyEngine,
    pub roadmap: Py<Roadmap>,
    pub name: String,
    pub seed: u64,
    /// How long it took to make the planner.
    pub setting_up: Duration,
}

impl Engine {
    fn new(
        engine: AnyEngine,
        roadmap: Py<Roadmap>,
        name: String,
        seed: u64,
        began: Instant,
    ) -> Self {
        Self {
            ready: Mutex::new(Some(Ready {
                engine,
                roadmap,
                name,
                seed,
                setting_up: began.elapsed(),
            })),
        }
    }
}

/// A planner by its parts, as `ei`, a belief and `failfast`.
fn planner_spec(
    proposer: &str,
    belief: Option<&Belief>,
    validator: Option<&str>,
    insured: Option<bool>,
    has_space: bool,
) -> PyResult<PlannerSpec> {
    let mut name = proposer.to_owned();
    // The optimist asks no belief; who has no experience believes in what is near.
    match belief {
        Some(belief) => name += &format!(":{}", belief.name),
        None if proposer == "lazysp" && validator.is_none() => {}
        None if proposer == "lazysp" => name += ":1",
        None if has_space => name += ":local",
        None => {
            return Err(PyTypeError::new_err(
                "belief must be given, as psmp.learn(table) or psmp.Constant(0.9), because the \
                 roadmap carries no configurations",
            ));
        }
    }
    if let Some(validator) = validator {
        name += &format!(":{validator}");
    }
    let parsed = name.parse();
    let mut spec: PlannerSpec =
        parsed.map_err(|e: psmp_lab::SpecError| PyValueError::new_err(e.to_string()))?;
    spec.insured = insured.unwrap_or(spec.insured);
    Ok(spec)
}

/// A planner on a roadmap.
#[pyfunction]
#[pyo3(signature = (roadmap, start, goal, check, called_on, belief, proposer, validator, insured, seed, resolution, fallback, stop))]
#[expect(clippy::too_many_arguments, reason = "each is a keyword of psmp.plan")]
pub fn on_roadmap(
    py: Python<'_>,
    roadmap: &Bound<'_, Roadmap>,
    start: &Bound<'_, PyAny>,
    goal: &Bound<'_, PyAny>,
    check: &Bound<'_, PyAny>,
    called_on: &str,
    belief: Option<&Bound<'_, Belief>>,
    proposer: &str,
    validator: Option<&str>,
    insured: Option<bool>,
    seed: u64,
    resolution: Option<f64>,
    fallback: Option<u32>,
    stop: Option<&Bound<'_, Stop>>,
) -> PyResult<Engine> {
    let began = Instant::now();
    let given = Check::given(check, called_on)?;
    let base = roadmap.get();
    let belief = belief.map(Bound::get);
    let spec = planner_spec(
        proposer,
        belief,
        validator,
        insured,
        base.graph.space().is_some(),
    )?;
    let experience = belief.and_then(|b| b.experience.clone());
    let mut spent = Progress::default();
    let (graph, query, memory) = match check.cast::<ArmChecker>() {
        Ok(arm) if !Roadmap::are_vertices(start, goal)? => {
            let stop = stop.map_or_else(psmp::Stop::never, |s| s.get().condition.clone());
            let limit = Limit::since(began, &stop);
            let joined = join_arm(py, base, start, goal, arm.get(), resolution, &limit)?;
            spent.configurations = joined.configurations;
            (Arc::new(joined.roadmap), joined.query, Some(joined.known))
        }
        _ => {
            let (graph, query) = base.query(py, start, goal)?;
            (graph, query, None)
        }
    };
    if let Some((table, _)) = &experience
        && table.edge_count() > graph.edge_count()
    {
        return Err(PyValueError::new_err(format!(
            "belief: its table tells of {} edges, but the roadmap has {}",
            table.edge_count(),
            graph.edge_count()
        )));
    }
    let recipe = Recipe {
        check: given,
        experience,
        eta: belief.map_or(DEFAULT_ETA, |b| b.eta) / scale(&graph),
        fallback: fallback.map_or(Fallback::Never, Fallback::AfterBarren),
        spec,
        seed,
        resolution,
    };
    let name = recipe.spec.to_string();
    let rounds_left = if memory.is_some() { MOST_ROUNDS } else { 0 };
    let ground = Ground {
        roadmap: graph.clone(),
        query,
        recipe: Arc::new(recipe),
        memory: MutBorrow::new(memory),
    };
    let engine = py.detach(|| OnRoadmap::new(ground, spent, rounds_left))?;
    let planned_on = base.or_with_query(py, roadmap, &graph)?;
    let engine = AnyEngine::OnRoadmap(engine);
    Ok(Engine::new(engine, planned_on, name, seed, began))
}

/// Joins a start and a goal of an arm to a roadmap, by motions that are checked.
fn join_arm(
    py: Python<'_>,
    roadmap: &Roadmap,
    start: &Bound<'_, PyAny>,
    goal: &Bound<'_, PyAny>,
    checker: &ArmChecker,
    resolution: Option<f64>,
    limit: &Limit,
) -> PyResult<JoinedQuery> {
    let mut arm = checker.arm();
    let check = Check::Arm(arm.clone());
    check.fits(&roadmap.graph)?;
    let (start, goal) = roadmap.ends(start, goal)?;
    let spacing = check.spacing(&roadmap.graph, resolution)?;
    py.detach(|| {
        for (end, q) in [("start", &start), ("goal", &goal)] {
            if let Some((body, other)) = checker.touch(q) {
                return Err(PyValueError::new_err(format!(
                    "{end} is in collision: `{body}` touches `{other}`; change the {end}, move \
                     `{other}`, or allow the two to touch in the scene's allowed collisions"
                )));
            }
        }
        let joined = JoinedQuery::new(&roadmap.graph, &start, &goal, spacing, &mut arm, limit);
        let mut joined = joined.map_err(|e| match &e {
            JoinError::InCollision(end) if arm.is_careful() => PyValueError::new_err(format!(
                "{end} is free, but the spheres that cover the arm touch something: give the arm \
                 more spheres, or check with kind=\"refined\""
            )),
            _ => PyValueError::new_err(format!("{e}; {}", e.remedy())),
        })?;
        if arm.certified().is_some() {
            // Joining has checked configurations only; that proves nothing about whole motions.
            joined.known = EdgeMemory::new(joined.roadmap.edge_count());
        }
        Ok(joined)
    })
}

/// A planner that grows trees and knows no roadmap.
#[pyfunction]
#[pyo3(signature = (space, start, goal, check, called_on, planner, range, intermediate_states, seed, resolution))]
#[expect(
    clippy::too_many_arguments,
    reason = "each is a keyword of psmp.plan_without_roadmap"
)]
pub fn without_roadmap(
    py: Python<'_>,
    space: &Bound<'_, PyAny>,
    start: &Bound<'_, PyAny>,
    goal: &Bound<'_, PyAny>,
    check: &Bound<'_, PyAny>,
    called_on: &str,
    planner: &str,
    range: Option<f64>,
    intermediate_states: Option<bool>,
    seed: u64,
    resolution: Option<f64>,
) -> PyResult<Engine> {
    let began = Instant::now();
    let check = Check::given(check, called_on)?;
    let space = Space::given("space", space)?;
    let name: RivalName = planner
        .parse()
        .map_err(|e: psmp_rivals::NoSuchRival| refused("planner", e))?;
    if (range.is_some() || intermediate_states.is_some())
        && matches!(name, RivalName::RrtStar | RivalName::BitStar)
    {
        return Err(PyTypeError::new_err(format!(
            "range and intermediate_states are RRTConnect's, and `{name}` has no use for them"
        )));
    }
    let usual = RrtConnectOptions::default();
    let trees = RrtConnectOptions {
        range: range.unwrap_or(usual.range),
        intermediate_states: intermediate_states.unwrap_or(usual.intermediate_states),
    };
    let Some(world) = check.world() else {
        return Err(PyTypeError::new_err(
            "check must say of configurations whether they are free, one at a time or in batches: \
             without a roadmap there are no edges",
        ));
    };
    if let Check::Arm(arm) = &check
        && arm.dimension() != space.dimension()
    {
        return Err(PyValueError::new_err(format!(
            "space has {} axes, but check is for an arm of {} joints: give arm.space",
            space.dimension(),
            arm.dimension()
        )));
    }
    let d = Some(space.dimension());
    let start = values(&vector::<f64>("start", d, start)?)?;
    let goal = values(&vector::<f64>("goal", d, goal)?)?;
    for (name, q) in [("start", &start), ("goal", &goal)] {
        if !space.contains(q) {
            let space = Space(space).__repr__();
            return Err(PyValueError::new_err(format!(
                "{name} {q:?} is outside the {space}"
            )));
        }
    }
    let ends = [start.as_slice(), &goal].concat();
    let roadmap = psmp::Roadmap::from_edges(2, Direction::Undirected, Vec::new())
        .and_then(|graph| graph.with_configurations(space.clone(), ends))
        .map_err(|e| refused("start and goal", e))?;
    let spacing = check.spacing(&roadmap, resolution)?;
    let rival = py.detach(|| {
        let checker = match &check {
            Check::Arm(_) => MotionChecker::for_arms(space.clone(), spacing, world),
            _ => MotionChecker::new(space.clone(), spacing, world),
        };
        let checker = checker.map_err(|e| refused("resolution", e))?;
        let made: Result<AnyRival<'static, PyErr>, _> = match name {
            RivalName::RrtConnect => RrtConnect::new(checker, &start, &goal, trees, seed)
                .map(|planner| Box::new(planner) as _),
            RivalName::RrtConnectShortcut => {
                let shortcuts = ShortcutOptions::default();
                RrtConnectShortcut::new(checker, &start, &goal, trees, shortcuts, seed)
                    .map(|planner| Box::new(planner) as _)
            }
            RivalName::RrtStar | RivalName::BitStar => name.build(checker, &start, &goal, seed),
        };
        made.map_err(|e| match e {
            ProblemError::Check(raised) => raised,
            other => PyValueError::new_err(other.to_string()),
        })
    })?;
    let roadmap = Py::new(py, Roadmap::new(roadmap, None))?;
    let engine = AnyEngine::Trees(rival);
    Ok(Engine::new(engine, roadmap, name.to_string(), seed, began))
}
