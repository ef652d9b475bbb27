//! What drives a run: a [`Session`], put together from what `psmp.plan` and its like were given.

use crate::arguments::refused;
use crate::belief::{Belief, DEFAULT_ETA, MODELS};
use crate::checker::Check;
use crate::event::FoundPath;
use crate::film::{Recording, Stage};
use crate::memory::Place;
use crate::roadmap::Roadmap;
use crate::run::{Ground, Run};
use crate::space::Space;
use crate::stop::{Signals, Stop};
use psmp::by_name::{
    BeliefName, GROWING, PlannerName, PlannerSpec, ProposerName, SpecError, TreeName,
};
use psmp::checker::{BisectionError, EdgeMemory, World};
use psmp::trees::RrtConnectOptions;
use psmp::{Anytime, Event, Fallback, Limit, Prices, Pricing, Progress};
use psmp::{Session, SessionError, SessionOptions};
use psmp_files::Keeping;
use psmp_report::report::Film;
use psmp_report::report::film::{Recorder, Shown};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use std::fmt::Display;
use std::sync::Mutex;
use std::time::Instant;

/// A session in any kind of world.
pub trait AnySession: Send {
    fn prepare(&mut self, limit: &Limit) -> PyResult<()>;
    fn step(&mut self, limit: &Limit) -> Option<PyResult<Event>>;
    fn has_news(&self) -> bool;
    fn progress(&self) -> Progress;
    fn end_planning(&mut self);
    /// The roadmap planned on, once there is one.
    fn roadmap(&self) -> Option<psmp::Roadmap>;
    /// Puts all that was found free into the roadmap, where that grows.
    fn gather(&mut self) -> PyResult<()>;
    /// What is known of its edges.
    fn known(&self) -> EdgeMemory;
    fn best_path(&self) -> FoundPath;
    /// Records an event that has just happened.
    fn watch(&mut self, recorder: &mut Recorder, event: &Event);
    /// What was recorded, as a film.
    fn film(&self, recorder: Recorder, shown: &Shown<'_>) -> PyResult<Film>;
    /// The probability of each edge to be free; none where nothing is planned on a roadmap.
    fn probabilities(&mut self) -> Option<Vec<f64>>;
}

impl<W> AnySession for Session<'static, W>
where
    W: World + Clone + Send + 'static,
    W::Error: Into<PyErr> + Display,
{
    fn prepare(&mut self, limit: &Limit) -> PyResult<()> {
        self.prepare(limit).map_err(told)
    }

    fn step(&mut self, limit: &Limit) -> Option<PyResult<Event>> {
        Some(Anytime::step(self, limit)?.map_err(told))
    }

    fn has_news(&self) -> bool {
        Anytime::has_news(self)
    }

    fn progress(&self) -> Progress {
        self.progress()
    }

    fn end_planning(&mut self) {
        self.end_planning();
    }

    fn roadmap(&self) -> Option<psmp::Roadmap> {
        Some(self.roadmap()?.0.clone())
    }

    fn gather(&mut self) -> PyResult<()> {
        self.gather().map_err(told)
    }

    fn known(&self) -> EdgeMemory {
        self.known()
    }

    fn best_path(&self) -> FoundPath {
        FoundPath::new(self.best_path(), self.best_path_on_roadmap())
    }

    fn watch(&mut self, recorder: &mut Recorder, event: &Event) {
        recorder.watch(self, event);
    }

    fn film(&self, recorder: Recorder, shown: &Shown<'_>) -> PyResult<Film> {
        recorder.film(self, shown).map_err(|e| refused("film", e))
    }

    fn probabilities(&mut self) -> Option<Vec<f64>> {
        let edges = self.roadmap()?.0.edge_ids();
        let planner = self.planner_mut()?;
        Some(edges.map(|edge| planner.probability_free(edge)).collect())
    }
}

/// What a session cannot do, as Python is told. What a checker raises comes through as it is.
pub fn told<E: Into<PyErr> + Display>(error: SessionError<E>) -> PyErr {
    match error {
        SessionError::World(raised) => raised.into(),
        SessionError::Planner(e) => refused("belief", e),
        SessionError::Resolution(e) | SessionError::Bisection(BisectionError::Resolution(e)) => {
            refused("resolution", e)
        }
        SessionError::Bisection(e) => refused("check", e),
        other => PyValueError::new_err(format!("{other}; {}", other.remedy())),
    }
}

/// A run that is ready to be driven, once.
#[pyclass(frozen, module = "psmp")]
pub struct Engine {
    /// None once it has been taken.
    pub run: Mutex<Option<Run>>,
}

impl Engine {
    /// Does all that comes before planning, as far as the stop allows; time counts from the beginning.
    #[expect(clippy::too_many_arguments, reason = "they are what a run is made of")]
    fn new(
        py: Python<'_>,
        session: Box<dyn AnySession>,
        check: &Check,
        ground: Ground,
        options: &SessionOptions,
        keeping: Option<(Keeping, Place)>,
        recording: Option<Stage>,
        stop: Option<&Bound<'_, Stop>>,
        began: Instant,
    ) -> PyResult<Self> {
        let recording = recording.map(Recording::new);
        let name = options.planner.to_string();
        let seed = options.seed;
        let function = check.function();
        let signals = Signals::new(function.is_some() && thinks_little(options));
        let run = Run::prepared(
            py, session, function, ground, name, seed, keeping, recording, stop, signals, began,
        )?;
        Ok(Self {
            run: Mutex::new(Some(run)),
        })
    }
}

#[pymethods]
impl Engine {
    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.run.try_lock().as_deref() {
            Ok(Some(run)) => run.traverse(&visit),
            _ => Ok(()),
        }
    }

    fn __clear__(&self) {
        let taken = self.run.try_lock().ok().and_then(|mut run| run.take());
        drop(taken);
    }
}

/// Whether all that a session does between two checks is done at once. Then the interpreter, which a function needs, is best
/// held all along: to let go of it and take it again takes longer.
fn thinks_little(options: &SessionOptions) -> bool {
    let quick = [TreeName::RrtConnect, TreeName::RrtConnectShortcut];
    matches!(options.planner, PlannerName::Tree(name) if quick.contains(&name))
}

/// A planner by its parts, as `ei`, a belief and `failfast`.
fn planner_name(
    proposer: &str,
    belief: Option<&Belief>,
    validator: Option<&str>,
    insured: Option<bool>,
    has_space: bool,
) -> PyResult<PlannerName> {
    let wrong = |e: SpecError| PyValueError::new_err(e.to_string());
    let (proposer, may_grow) = match proposer.strip_suffix(GROWING) {
        Some(proposer) => (proposer, true),
        None => (proposer, false),
    };
    let proposer = proposer.parse().map_err(wrong)?;
    let belief = match belief {
        Some(belief) => belief.name,
        // The optimist asks no belief; who has no experience believes in what is near.
        None if proposer == ProposerName::LazySp => BeliefName::Constant(1.0),
        None if has_space => BeliefName::Local,
        None => {
            return Err(PyTypeError::new_err(
                "belief must be given, as psmp.learn(table) or psmp.Constant(0.9), because the \
                 roadmap carries no configurations",
            ));
        }
    };
    let mut spec = PlannerSpec::new(proposer, belief);
    if let Some(validator) = validator {
        spec.validator = validator.parse().map_err(wrong)?;
    }
    spec.insured = insured.unwrap_or(spec.insured);
    Ok(match may_grow {
        true => PlannerName::Growing(spec),
        false => PlannerName::OnRoadmap(spec),
    })
}

/// A planner on a roadmap.
#[pyfunction]
#[pyo3(signature = (roadmap, start, goal, check, called_on, belief, proposer, validator, insured, seed, resolution, fallback, straighten, fixed_roadmap, price, keep, world, record, stop))]
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
    seed: Option<u64>,
    resolution: Option<f64>,
    fallback: Option<u32>,
    straighten: bool,
    fixed_roadmap: bool,
    price: Option<Vec<(f64, Option<f64>)>>,
    keep: Option<&Bound<'_, PyAny>>,
    world: Option<&str>,
    record: bool,
    stop: Option<&Bound<'_, Stop>>,
) -> PyResult<Engine> {
    let began = Instant::now();
    let check = Check::given(check, called_on)?;
    let (start, goal) = (&check.place("start", start)?, &check.place("goal", goal)?);
    let graph = &roadmap.get().graph;
    let space = graph.space();
    let belief = belief.map(Bound::get);
    let planner = planner_name(proposer, belief, validator, insured, space.is_some())?;
    let mut resolution = resolution;
    if let (Check::Map(map), Some(maps)) = (&check, belief.and_then(|b| b.maps.as_ref())) {
        map.get().check(&maps.file, &maps.setting, resolution)?;
        resolution = Some(maps.setting.resolution);
    }
    let from_vertices = !check.checks_configurations() || Roadmap::are_vertices(start, goal)?;
    let given = match from_vertices {
        true => "from vertex to vertex, and by a check of edges, a roadmap is planned on as it is",
        false => "fixed_roadmap forbids it",
    };
    if matches!(planner, PlannerName::Growing(_)) && (fixed_roadmap || from_vertices) {
        return Err(PyValueError::new_err(format!(
            "`{proposer}` lets the roadmap grow, and {given}: leave out `{GROWING}`"
        )));
    }
    let grows = planner.grows() && !fixed_roadmap && !from_vertices;
    let measures = price.is_none() && seed.is_none() && !from_vertices;
    let pricing = match price {
        None => Pricing::Usual,
        Some(prices) if prices.is_empty() => Pricing::Measured,
        Some(prices) => {
            let prices = prices
                .into_iter()
                .map(|(configuration, thought)| match thought {
                    Some(thought) => Prices::new(configuration, thought),
                    None => Prices::of_configuration(configuration),
                });
            Pricing::Given(prices.collect::<Option<_>>().ok_or_else(|| {
                PyValueError::new_err(
                    "price: seconds are meant, each at least 1e-12 and at most 3600",
                )
            })?)
        }
    };
    let mut options = SessionOptions {
        planner,
        roadmap: Some(graph.clone()),
        experience: belief.and_then(|b| b.experience.clone()),
        models: MODELS.clone(),
        resolution: Some(check.resolution(space, resolution)?),
        // One that grows straightens all along.
        straighten: straighten && !grows,
        fixed_roadmap: !grows,
        settles: stop.is_none(),
        eta: belief.map_or(DEFAULT_ETA, |b| b.eta),
        fallback: fallback.map_or(Fallback::Never, Fallback::AfterNoImprovement),
        pricing,
        seed: seed.unwrap_or(0),
        ..SessionOptions::default()
    };
    if measures {
        options = options.measuring();
    }
    if let Some(belief) = belief {
        belief.check_edges(graph)?;
    }
    if from_vertices {
        if keep.is_some() {
            return Err(PyTypeError::new_err(
                "keep is of use where configurations are planned between and checked: a roadmap that is \
                 planned on from vertex to vertex, or whose edges alone are checked, does not grow",
            ));
        }
        let (graph, query) = roadmap.get().query(py, start, goal)?;
        let session = check.session_on(&graph, query, resolution, options.clone())?;
        let ground = Ground::Roadmap(roadmap.clone().unbind());
        let stage = record.then(|| Stage::on(&check, &graph, query));
        let stage = stage.transpose()?;
        return Engine::new(
            py, session, &check, ground, &options, None, stage, stop, began,
        );
    }
    let space = roadmap.get().space_of_ends()?;
    let (start, goals) = Space::ends(space, start, goal)?;
    let keeping = match keep {
        Some(place) => {
            let place = Place::given(place)?;
            let keeping = check.keeping(py, &place, space, world, &mut options)?;
            Some((keeping, place))
        }
        None => None,
    };
    let session = check.session(py, space, &start, &goals, options.clone())?;
    let ground = Ground::Roadmap(roadmap.clone().unbind());
    let stage = record.then(|| {
        let begun_with = options.roadmap.as_ref();
        Stage::between(&check, space, [&start, &goals[0]], begun_with)
    });
    let stage = stage.transpose()?;
    Engine::new(
        py, session, &check, ground, &options, keeping, stage, stop, began,
    )
}

/// A planner that grows trees and knows no roadmap.
#[pyfunction]
#[pyo3(signature = (space, start, goal, check, called_on, planner, range, intermediate_states, seed, resolution, straighten, record, stop))]
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
    straighten: bool,
    record: bool,
    stop: Option<&Bound<'_, Stop>>,
) -> PyResult<Engine> {
    let began = Instant::now();
    let check = Check::given(check, called_on)?;
    let space = Space::given("space", space)?;
    let name: TreeName = planner.parse().map_err(|e| refused("planner", e))?;
    if (range.is_some() || intermediate_states.is_some())
        && matches!(name, TreeName::RrtStar | TreeName::BitStar)
    {
        return Err(PyTypeError::new_err(format!(
            "range and intermediate_states are RRTConnect's, and `{name}` has no use for them"
        )));
    }
    if !check.checks_configurations() {
        return Err(PyTypeError::new_err(
            "check must say of configurations whether they are free, one at a time or in batches: \
             without a roadmap there are no edges",
        ));
    }
    let usual = RrtConnectOptions::for_space(&space);
    let options = SessionOptions {
        planner: PlannerName::Tree(name),
        resolution: Some(check.resolution(Some(&space), resolution)?),
        straighten,
        trees: Some(RrtConnectOptions {
            range: range.unwrap_or(usual.range),
            intermediate_states: intermediate_states.unwrap_or(usual.intermediate_states),
            ..usual
        }),
        seed,
        ..SessionOptions::default()
    };
    let (start, goal) = (check.place("start", start)?, check.place("goal", goal)?);
    let (start, goals) = Space::ends(&space, &start, &goal)?;
    let session = check.session(py, &space, &start, &goals, options.clone())?;
    let stage = record.then(|| Stage::between(&check, &space, [&start, &goals[0]], None));
    let stage = stage.transpose()?;
    let ends = [vec![start], goals].concat();
    let ground = Ground::Ends(space, ends);
    Engine::new(
        py, session, &check, ground, &options, None, stage, stop, began,
    )
}
