//! A planner at work, for Python: an iterator of events that can be paused, driven on and closed.
//!
//! A run is driven by one thread at a time; another that tries meanwhile, or a checker that drives
//! the run it works for, is told so at once.
//!
//! A checker that is a method of what holds the run is a ring, which Python's garbage collector must see to break it:
//! a run shows it the function that it calls, once for all who hold it. And because the collector counts objects and
//! not what they weigh, it is called when there are many more runs than there were.

use crate::arguments::{file_error, refused};
use crate::checker::Function;
use crate::engine::{AnySession, Engine};
use crate::event::{self, Event, FoundPath};
use crate::film::{Film, Recording, Standing};
use crate::memory::Place;
use crate::roadmap::Roadmap;
use crate::stop::{Signals, Stop, When};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use psmp::{Direction, EventKind, Limit, Progress, Yardstick};
use psmp_files::Keeping;
use psmp_lab::EventHash;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use pyo3::{PyTraverseError, PyVisit};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// Two arrays that belong together.
type Two<'py, A, B> = (Bound<'py, A>, Bound<'py, B>);

/// A path found on the way, and what it had taken.
struct Found {
    progress: Progress,
    seconds: f64,
}

/// Runs that are not closed.
static OPEN: AtomicUsize = AtomicUsize::new(0);
/// How many of them there may be before it is seen which are garbage.
static MANY: AtomicUsize = AtomicUsize::new(FEW);
/// Fewer are not worth the trouble.
const FEW: usize = 64;

/// Something that counts among the open runs for as long as it is there.
struct Counted<T>(T);

impl<T> Counted<T> {
    fn new(what: T) -> Self {
        OPEN.fetch_add(1, Ordering::Relaxed);
        Self(what)
    }
}

impl<T> Drop for Counted<T> {
    fn drop(&mut self) {
        OPEN.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Collects garbage if there are many more runs than when that was done last, unless the user has forbidden it.
fn collect_garbage(py: Python<'_>) -> PyResult<()> {
    if OPEN.load(Ordering::Relaxed) < MANY.load(Ordering::Relaxed) {
        return Ok(());
    }
    let gc = py.import("gc")?;
    if gc.call_method0("isenabled")?.is_truthy()? {
        gc.call_method0("collect")?;
    }
    let left = OPEN.load(Ordering::Relaxed);
    MANY.store(FEW.max(2 * left), Ordering::Relaxed);
    Ok(())
}

/// Works, without the interpreter unless it [is held](Signals::is_held) meanwhile.
fn at_work<T: Send>(py: Python<'_>, is_held: bool, work: impl FnOnce() -> T + Send) -> T {
    if is_held { work() } else { py.detach(work) }
}

/// What is planned on.
pub enum Ground {
    /// A roadmap; before it is planned on, that which was given.
    Roadmap(Py<Roadmap>),
    /// None. Start and goals in their space are shown as a roadmap, which is made where somebody looks.
    Ends(psmp::Space, Vec<Vec<f64>>),
}

impl Ground {
    /// The roadmap itself, if there is one.
    fn graph(&self) -> Option<&psmp::Roadmap> {
        match self {
            Self::Roadmap(roadmap) => Some(&roadmap.get().graph),
            Self::Ends(..) => None,
        }
    }

    /// The roadmap as it is shown.
    fn shown(&mut self, py: Python<'_>) -> PyResult<Py<Roadmap>> {
        let roadmap = match self {
            Self::Roadmap(roadmap) => return Ok(roadmap.clone_ref(py)),
            Self::Ends(space, ends) => {
                psmp::Roadmap::from_edges(ends.len(), Direction::Undirected, Vec::new())
                    .and_then(|graph| graph.with_configurations(space.clone(), ends.concat()))
                    .map_err(|e| refused("start and goal", e))?
            }
        };
        let roadmap = Py::new(py, Roadmap::new(roadmap, None))?;
        *self = Self::Roadmap(roadmap.clone_ref(py));
        Ok(roadmap)
    }
}

/// All of a run that changes.
struct State {
    /// `None` once the run is closed.
    session: Option<Counted<Box<dyn AnySession>>>,
    ground: Ground,
    stop: psmp::Stop,
    /// The stop as it was put together, and when the run was begun or gone on with.
    when: (When, Option<Instant>),
    signals: Arc<Signals>,
    /// The stop since the run was begun or gone on with.
    limit: Option<Limit>,
    /// How long it took to set the run up, which counts when it is begun.
    setting_up: Duration,
    /// Time spent in steps, checks included.
    busy: Duration,
    best: Option<Arc<FoundPath>>,
    found: Vec<Found>,
    /// The configurations checked when the lower bound took each of its values.
    bounds: Vec<(u64, f64)>,
    progress: Progress,
    ending: Option<EventKind>,
    hash: EventHash,
    events: u64,
    /// The vertices at the ends of each edge checked, one pair after the other, and whether it was free.
    checked: (Vec<u32>, Vec<bool>),
    /// How and where the run is kept, and how many configurations it had checked when it was last.
    keeping: Option<(Keeping, Place)>,
    kept_at: Option<u64>,
    /// What happens, if it is recorded; gone once a film has been made of a run that is closed.
    recording: Option<Recording>,
    /// The film of a run that is closed.
    film: Option<Py<Film>>,
}

impl State {
    /// Sees where the session stands now, and on which roadmap.
    fn follow(&mut self, py: Python<'_>) -> PyResult<()> {
        let Some(session) = &self.session else {
            return Ok(());
        };
        self.progress = session.0.progress();
        if let Some(roadmap) = session.0.roadmap()
            && self.ground.graph().is_none_or(|graph| !roadmap.is(graph))
        {
            self.ground = Ground::Roadmap(Py::new(py, Roadmap::new(roadmap, None))?);
        }
        let bound = (self.progress.configurations, self.progress.lower_bound);
        match self.bounds.last_mut() {
            Some(last) if last.1 == bound.1 => {}
            Some(last) if last.0 == bound.0 => *last = bound,
            _ => self.bounds.push(bound),
        }
        Ok(())
    }

    /// Keeps the run, if it is to be kept and has gone on since it was kept last.
    fn write(&mut self, py: Python<'_>) -> PyResult<()> {
        let spent = Some(self.progress.configurations);
        let (Some((keeping, place)), Some(session)) = (&self.keeping, &mut self.session) else {
            return Ok(());
        };
        if self.kept_at == spent {
            return Ok(());
        }
        let Counted(session) = session;
        session.gather()?;
        let roadmap = session.roadmap();
        let grown = roadmap.as_ref().map(|roadmap| (roadmap, session.known()));
        place.keep(keeping, grown).map_err(|e| file_error(&e))?;
        self.kept_at = spent;
        // A run that found its path without the roadmap has one only now.
        self.follow(py)
    }

    fn limit(&self, began: Instant) -> Limit {
        let signals = self.signals.clone();
        let stop = self.stop.clone() | psmp::Stop::when(move || signals.are_raised());
        Limit::since(began, &stop)
    }

    /// Keeps what an event tells.
    fn keep(&mut self, event: &psmp::Event) {
        self.events += 1;
        self.hash.add(event);
        match event.kind {
            EventKind::Improved { .. } => {
                let path = self.session.as_ref().map(|s| s.0.best_path());
                self.best = path.map(Arc::new);
                self.found.push(Found {
                    progress: event.progress,
                    seconds: self.busy.as_secs_f64(),
                });
            }
            // What a proof refutes was checked before, and found free.
            EventKind::Checked { edge, free, .. }
            | EventKind::Proved {
                edge,
                free: free @ false,
                ..
            } => {
                if let Some(graph) = self.ground.graph() {
                    let edge = graph.edge(edge);
                    self.checked.0.extend([edge.from.0, edge.to.0]);
                    self.checked.1.push(free);
                }
            }
            kind if kind.is_final() => self.ending = Some(kind),
            _ => {}
        }
    }
}

/// A planner at work.
#[pyclass(frozen, subclass, module = "psmp")]
pub struct Run {
    state: Mutex<State>,
    /// The function that the session calls, if one.
    function: Mutex<Option<Function>>,
    planner_name: String,
    seed: u64,
}

impl Run {
    /// A run with all done that comes before planning, as far as the stop allows.
    #[expect(clippy::too_many_arguments, reason = "they are what a run is made of")]
    pub fn prepared(
        py: Python<'_>,
        mut session: Box<dyn AnySession>,
        function: Option<Function>,
        ground: Ground,
        planner_name: String,
        seed: u64,
        keeping: Option<(Keeping, Place)>,
        recording: Option<Recording>,
        stop: Option<&Bound<'_, Stop>>,
        signals: Signals,
        began: Instant,
    ) -> PyResult<Self> {
        collect_garbage(py)?;
        let progress = session.progress();
        let mut state = State {
            session: None,
            ground,
            stop: Stop::condition(stop),
            when: (When::given(stop), None),
            signals: Arc::new(signals),
            limit: None,
            setting_up: Duration::ZERO,
            busy: Duration::ZERO,
            best: None,
            found: Vec::new(),
            bounds: vec![(0, progress.lower_bound)],
            progress,
            ending: None,
            hash: EventHash::default(),
            events: 0,
            checked: Default::default(),
            keeping,
            kept_at: None,
            recording,
            film: None,
        };
        let limit = state.limit(began);
        let prepared = at_work(py, state.signals.is_held(), || session.prepare(&limit));
        state.signals.take().map_or(prepared, Err)?;
        state.session = Some(Counted::new(session));
        state.follow(py)?;
        state.setting_up = began.elapsed();
        Ok(Self {
            state: Mutex::new(state),
            function: Mutex::new(function),
            planner_name,
            seed,
        })
    }

    /// Shows the garbage collector what a run holds. One that is at work is held by someone: nothing is shown of it.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        match self.function.try_lock().as_deref() {
            Ok(Some(function)) => visit.call(&**function),
            _ => Ok(()),
        }
    }

    /// Lets go of the session and its checker.
    fn release(&self, mut state: MutexGuard<'_, State>) {
        let session = state.session.take();
        // Dropped when the locks are free: the checker is Python's, and so may be what its end does.
        drop(state);
        drop(session);
        let mut function = self.function.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = function.take();
        drop(function);
        drop(taken);
    }

    /// What has happened so far, if it was recorded.
    fn film_of(&self, py: Python<'_>, state: &State) -> PyResult<Option<Py<Film>>> {
        let (Some(Counted(session)), Some(recording)) = (&state.session, &state.recording) else {
            return Ok(state.film.as_ref().map(|film| film.clone_ref(py)));
        };
        let standing = Standing {
            planner: &self.planner_name,
            seed: self.seed,
            progress: state.progress,
            seconds: state.busy.as_secs_f64(),
            ending: match state.ending {
                Some(kind) => event::name(py, kind).to_str()?,
                None => "stopped",
            },
        };
        let reel = recording.told(&standing, |recorder, shown| session.film(recorder, shown))?;
        Py::new(py, Film::new(reel)).map(Some)
    }

    fn state(&self) -> PyResult<MutexGuard<'_, State>> {
        self.state.try_lock().map_err(|e| match e {
            TryLockError::WouldBlock => PyValueError::new_err(
                "the run is at work: it is being driven by another thread, or by its own checker",
            ),
            TryLockError::Poisoned(_) => {
                PyRuntimeError::new_err("the run ended in an internal error and cannot go on")
            }
        })
    }
}

#[pymethods]
impl Run {
    #[new]
    fn new(engine: &Bound<'_, Engine>) -> PyResult<Self> {
        let run = &engine.get().run;
        let taken = run.lock().unwrap_or_else(PoisonError::into_inner).take();
        taken.ok_or_else(|| PyValueError::new_err("the engine drives another run"))
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// The next event; none once the condition is met or the run is over.
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Event>> {
        let mut guard = self.state()?;
        let state = &mut *guard;
        // Who drives a run without looking hears of Ctrl-C here, or in the midst of a step.
        py.check_signals()?;
        let now = Instant::now();
        if state.limit.is_none() {
            let began = now.checked_sub(std::mem::take(&mut state.setting_up));
            let began = began.unwrap_or(now);
            state.when.1 = Some(began);
            state.limit = Some(state.limit(began));
        }
        let (Some(Counted(session)), Some(limit)) = (&mut state.session, &mut state.limit) else {
            return Ok(None);
        };
        limit.stand_at(state.progress);
        let is_held = state.signals.is_held();
        let step = if limit.is_met() && !session.has_news() {
            None
        } else {
            at_work(py, is_held, || session.step(limit))
        };
        if step.is_none()
            && let Some(raised) = state.signals.take()
        {
            return Err(raised);
        }
        state.busy += now.elapsed();
        // Off the clock: to be looked at is no part of planning.
        if let (Some(Ok(event)), Some(recording)) = (&step, &mut state.recording) {
            py.detach(|| session.watch(&mut recording.recorder, event));
        }
        state.follow(py)?;
        let Some(event) = step.transpose()? else {
            state.write(py)?;
            return Ok(None);
        };
        state.keep(&event);
        Ok(Some(Event::new(py, event, state.best.clone())))
    }

    /// The same run, to be driven on until another condition is met; by none, to its end.
    #[pyo3(signature = (stop=None))]
    fn until<'py>(
        slf: Bound<'py, Self>,
        stop: Option<&Bound<'py, Stop>>,
    ) -> PyResult<Bound<'py, Self>> {
        let mut state = slf.get().state()?;
        state.stop = Stop::condition(stop);
        state.when = (When::given(stop), None);
        state.limit = None;
        drop(state);
        Ok(slf)
    }

    /// Ends planning. What comes after it is left: straightening the path, if that was asked for.
    fn end_planning(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        if let Some(session) = &mut slf.get().state()?.session {
            session.0.end_planning();
        }
        Self::until(slf, None)
    }

    /// Ends the run for good and lets go of its checker. What it has found stays.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let mut state = self.state()?;
        let kept = state.write(py);
        // That it cannot be told is no reason not to close.
        state.film = self.film_of(py, &state).ok().flatten();
        state.recording = None;
        self.release(state);
        kept
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        self.traverse(&visit)
    }

    fn __clear__(&self) {
        if let Ok(state) = self.state.try_lock() {
            self.release(state);
        }
    }

    /// Whether the run has been closed.
    #[getter]
    fn closed(&self) -> PyResult<bool> {
        Ok(self.state()?.session.is_none())
    }

    /// `shortest-on-roadmap`, `no-path-on-roadmap`, `straight-line`, `gave-up` or `settled` once the run is over.
    #[getter]
    fn ending<'py>(&self, py: Python<'py>) -> PyResult<Option<&'py Bound<'py, PyString>>> {
        Ok(self.state()?.ending.map(|kind| event::name(py, kind)))
    }

    /// The planner's name, as on the command line.
    #[getter]
    fn planner(&self) -> &str {
        &self.planner_name
    }

    /// What random numbers the run was begun with.
    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    /// The roadmap planned on, with start and goal if they were joined to it. Of a run without one, start and goal alone.
    #[getter]
    fn roadmap(&self, py: Python<'_>) -> PyResult<Py<Roadmap>> {
        self.state()?.ground.shown(py)
    }

    /// Configurations checked so far.
    #[getter]
    fn configurations(&self) -> PyResult<u64> {
        Ok(self.state()?.progress.configurations)
    }

    /// Edges checked so far.
    #[getter]
    fn edges(&self) -> PyResult<u64> {
        Ok(self.state()?.progress.edges)
    }

    /// Paths asked of the proposer so far.
    #[getter]
    fn proposals(&self) -> PyResult<u64> {
        Ok(self.state()?.progress.proposals)
    }

    /// The length of the best path so far.
    #[getter]
    fn best_length(&self) -> PyResult<Option<f64>> {
        Ok(self.state()?.progress.best_length)
    }

    /// No path on the roadmap is shorter than this; infinite if it has none. None without a roadmap, and before start and
    /// goal are joined to it.
    #[getter]
    fn lower_bound_on_roadmap(&self) -> PyResult<Option<f64>> {
        let progress = self.state()?.progress;
        Ok(event::bound(&progress, Yardstick::ShortestOnRoadmap))
    }

    /// The length of the straight line from start to goal. None of a run on a roadmap, once start and goal are joined to
    /// it.
    #[getter]
    fn straight_line(&self) -> PyResult<Option<f64>> {
        let progress = self.state()?.progress;
        Ok(event::bound(&progress, Yardstick::StraightLine))
    }

    /// How much longer the best path may be than the shortest on the roadmap, as a share.
    #[getter]
    fn gap_on_roadmap(&self) -> PyResult<Option<f64>> {
        let progress = self.state()?.progress;
        Ok(event::gap(&progress, Yardstick::ShortestOnRoadmap))
    }

    /// How much longer the best path is than the straight line, as a share, where that is known of.
    #[getter]
    fn gap_over_straight_line(&self) -> PyResult<Option<f64>> {
        let progress = self.state()?.progress;
        Ok(event::gap(&progress, Yardstick::StraightLine))
    }

    /// Time spent planning, checks included.
    #[getter]
    fn seconds(&self) -> PyResult<f64> {
        Ok(self.state()?.busy.as_secs_f64())
    }

    /// How many events there have been.
    #[getter]
    fn events(&self) -> PyResult<u64> {
        Ok(self.state()?.events)
    }

    /// A hash of all events so far: runs with equal hashes were the same.
    #[getter]
    fn fingerprint(&self) -> PyResult<String> {
        Ok(self.state()?.hash.digits())
    }

    /// The best path so far as configurations, one a row.
    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        match self.state()?.best.clone() {
            Some(best) => best.configurations(py),
            None => Ok(None),
        }
    }

    /// The best path so far as vertices, if it is one of the roadmap.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<u32>>>> {
        Ok(self.state()?.best.as_ref().and_then(|b| b.vertices(py)))
    }

    /// The best path so far as edges, if it is one of the roadmap.
    #[getter]
    fn path_edges<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<u32>>>> {
        Ok(self.state()?.best.as_ref().and_then(|b| b.edges(py)))
    }

    /// The paths found on the way: configurations, edges and proposals until each, its length, the
    /// lower bound then, and the seconds spent.
    fn _found<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let state = self.state()?;
        let whole = |pick: fn(&Progress) -> u64| {
            let values = state.found.iter().map(|f| pick(&f.progress)).collect();
            PyArray1::from_vec(py, values).into_any()
        };
        let real = |pick: fn(&Found) -> f64| {
            PyArray1::from_vec(py, state.found.iter().map(pick).collect()).into_any()
        };
        Ok(vec![
            whole(|p| p.configurations),
            whole(|p| p.edges),
            whole(|p| p.proposals),
            real(|f| f.progress.best_length.unwrap_or(f64::INFINITY)),
            real(|f| f.progress.lower_bound),
            real(|f| f.seconds),
        ])
    }

    /// The values of the lower bound, and the configurations checked when it took each.
    fn _bounds<'py>(&self, py: Python<'py>) -> PyResult<Two<'py, PyArray1<u64>, PyArray1<f64>>> {
        let (configurations, bounds) = self.state()?.bounds.iter().copied().unzip();
        Ok((
            PyArray1::from_vec(py, configurations),
            PyArray1::from_vec(py, bounds),
        ))
    }

    /// Which share of the way to where it stops the run has gone, if that can be told.
    fn _share(&self) -> PyResult<Option<f64>> {
        let state = self.state()?;
        let (when, began) = &state.when;
        let elapsed = began.map_or(Duration::ZERO, |began| began.elapsed());
        Ok(when.share(&state.progress, elapsed))
    }

    /// The edges checked so far, in order: their ends, and whether each was free.
    fn _checked<'py>(&self, py: Python<'py>) -> PyResult<Two<'py, PyArray2<u32>, PyArray1<bool>>> {
        let (ends, free) = &self.state()?.checked;
        let ends = PyArray1::from_slice(py, ends).reshape([free.len(), 2])?;
        Ok((ends, PyArray1::from_slice(py, free)))
    }

    /// What has happened so far, to be looked at; None of a run that was not recorded.
    #[getter]
    fn film(&self, py: Python<'_>) -> PyResult<Option<Py<Film>>> {
        self.film_of(py, &*self.state()?)
    }

    /// The probability of each edge to be free, given all checks so far.
    fn probabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut state = self.state()?;
        let Some(Counted(session)) = &mut state.session else {
            return Err(PyValueError::new_err(
                "the run is closed, and its belief gone",
            ));
        };
        match py.detach(|| session.probabilities()) {
            Some(p) => Ok(PyArray1::from_vec(py, p)),
            None => Err(PyValueError::new_err(
                "a run without a roadmap, or that did not come to it, believes nothing of edges",
            )),
        }
    }
}
