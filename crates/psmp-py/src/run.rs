//! A planner at work, for Python: an iterator of events that can be paused, driven on and closed.
//!
//! A run is driven by one thread at a time; another that tries meanwhile, or a checker that drives
//! the run it works for, is told so at once.

use crate::arguments::refused;
use crate::engine::{AnyEngine, Checked, Engine, Ready};
use crate::event::{self, Event, FoundPath};
use crate::roadmap::Roadmap;
use crate::stop::{Signals, Stop};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use psmp::{EventKind, Limit, Progress, Yardstick};
use psmp_lab::EventHash;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// Two arrays that belong together.
type Two<'py, A, B> = (Bound<'py, A>, Bound<'py, B>);

/// A path found on the way, and what it had taken.
struct Found {
    progress: Progress,
    seconds: f64,
}

/// All of a run that changes.
struct State {
    /// `None` once the run is closed.
    engine: Option<AnyEngine>,
    /// The roadmap planned on; without one, the path shown last as a roadmap of its own.
    roadmap: Py<Roadmap>,
    /// The path that is shown so, if there is no roadmap.
    shown: Option<Arc<FoundPath>>,
    has_roadmap: bool,
    stop: psmp::Stop,
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
    ending: Option<&'static str>,
    hash: EventHash,
    events: u64,
    /// What had been checked when the run was closed.
    checked: Checked,
}

impl Checked {
    fn arrays<'py>(&self, py: Python<'py>) -> PyResult<Two<'py, PyArray2<u32>, PyArray1<bool>>> {
        let ends = PyArray1::from_slice(py, &self.ends).reshape([self.free.len(), 2])?;
        Ok((ends, PyArray1::from_slice(py, &self.free)))
    }
}

/// A planner at work.
#[pyclass(frozen, subclass, module = "psmp")]
pub struct Run {
    state: Mutex<State>,
    planner_name: String,
    seed: u64,
}

impl Run {
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
    #[pyo3(signature = (engine, stop))]
    fn new(engine: &Bound<'_, Engine>, stop: Option<&Bound<'_, Stop>>) -> PyResult<Self> {
        let ready = &engine.get().ready;
        let taken = ready.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(Ready {
            engine,
            roadmap,
            name,
            seed,
            setting_up,
        }) = taken
        else {
            return Err(PyValueError::new_err("the engine drives another run"));
        };
        let progress = engine.progress();
        Ok(Self {
            state: Mutex::new(State {
                has_roadmap: engine.roadmap().is_some(),
                engine: Some(engine),
                roadmap,
                shown: None,
                stop: stop.map_or_else(psmp::Stop::never, |s| s.get().condition.clone()),
                signals: Arc::default(),
                limit: None,
                setting_up,
                busy: Duration::ZERO,
                best: None,
                found: Vec::new(),
                bounds: vec![(0, progress.lower_bound)],
                progress,
                ending: None,
                hash: EventHash::default(),
                events: 0,
                checked: Checked::default(),
            }),
            planner_name: name,
            seed,
        })
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    /// The next event; none once the condition is met or the run is over.
    fn __next__(&self, py: Python<'_>) -> PyResult<Option<Event>> {
        let mut guard = self.state()?;
        let state = &mut *guard;
        let Some(engine) = &mut state.engine else {
            return Ok(None);
        };
        // Who drives a run without looking hears of Ctrl-C here, or in the midst of a step.
        py.check_signals()?;
        let now = Instant::now();
        let limit = state.limit.get_or_insert_with(|| {
            let began = now.checked_sub(std::mem::take(&mut state.setting_up));
            let signals = state.signals.clone();
            let stop = state.stop.clone() | psmp::Stop::when(move || signals.are_raised());
            Limit::since(began.unwrap_or(now), &stop)
        });
        limit.stand_at(state.progress);
        let step = if limit.is_met() {
            None
        } else {
            py.detach(|| engine.step(limit))
        };
        if step.is_none()
            && let Some(raised) = state.signals.take()
        {
            return Err(raised);
        }
        state.busy += now.elapsed();
        let progress = engine.progress();
        state.progress = progress;
        if let Some(finer) = engine.roadmap()
            && !Arc::ptr_eq(finer, &state.roadmap.get().graph)
        {
            state.roadmap = Py::new(py, Roadmap::shared(finer.clone()))?;
        }
        let Some(event) = step.transpose()? else {
            return Ok(None);
        };
        state.events += 1;
        state.hash.add(&event);
        let bound = (progress.configurations, progress.lower_bound);
        match state.bounds.last_mut() {
            Some(last) if last.1 == bound.1 => {}
            Some(last) if last.0 == bound.0 => *last = bound,
            _ => state.bounds.push(bound),
        }
        match event.kind {
            EventKind::Improved { .. } => {
                state.best = engine.best_path().map(Arc::new);
                state.found.push(Found {
                    progress: event.progress,
                    seconds: state.busy.as_secs_f64(),
                });
            }
            EventKind::ShortestOnRoadmap => state.ending = Some("shortest-on-roadmap"),
            EventKind::NoPathOnRoadmap => state.ending = Some("no-path-on-roadmap"),
            EventKind::StraightLine => state.ending = Some("straight-line"),
            EventKind::GaveUp => state.ending = Some("gave-up"),
            EventKind::Proposed { .. }
            | EventKind::Barren
            | EventKind::Looked { .. }
            | EventKind::Checked { .. }
            | EventKind::Probed { .. } => {}
        }
        Ok(Some(Event {
            event,
            best: state.best.clone(),
        }))
    }

    /// The same run, to be driven on until another condition is met; by none, to its end.
    #[pyo3(signature = (stop=None))]
    fn until<'py>(
        slf: Bound<'py, Self>,
        stop: Option<&Bound<'py, Stop>>,
    ) -> PyResult<Bound<'py, Self>> {
        let mut state = slf.get().state()?;
        state.stop = stop.map_or_else(psmp::Stop::never, |s| s.get().condition.clone());
        state.limit = None;
        drop(state);
        Ok(slf)
    }

    /// Ends the run for good and lets go of its checker. What it has found stays.
    fn close(&self) -> PyResult<()> {
        let mut state = self.state()?;
        let engine = state.engine.take();
        if let Some(engine) = &engine {
            state.checked = engine.checked();
        }
        drop(state);
        // Dropped when the lock is free: the checker is Python's, and so may be what its end does.
        drop(engine);
        Ok(())
    }

    #[getter]
    fn closed(&self) -> PyResult<bool> {
        Ok(self.state()?.engine.is_none())
    }

    /// `shortest-on-roadmap`, `no-path-on-roadmap`, `straight-line` or `gave-up` once the run is over.
    #[getter]
    fn ending(&self) -> PyResult<Option<&'static str>> {
        Ok(self.state()?.ending)
    }

    #[getter]
    fn planner(&self) -> &str {
        &self.planner_name
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.seed
    }

    #[getter]
    fn roadmap(&self, py: Python<'_>) -> PyResult<Py<Roadmap>> {
        let mut state = self.state()?;
        if let (false, Some(best)) = (state.has_roadmap, state.best.clone())
            && !state.shown.as_ref().is_some_and(|s| Arc::ptr_eq(s, &best))
            && let Some(space) = state.roadmap.get().graph.space()
            && let Some(path) = best.roadmap(space)
        {
            let path = path.map_err(|e| refused("roadmap", e))?;
            state.roadmap = Py::new(py, Roadmap::new(path, None))?;
            state.shown = Some(best);
        }
        Ok(state.roadmap.clone_ref(py))
    }

    #[getter]
    fn configurations(&self) -> PyResult<u64> {
        Ok(self.state()?.progress.configurations)
    }

    #[getter]
    fn edges(&self) -> PyResult<u64> {
        Ok(self.state()?.progress.edges)
    }

    #[getter]
    fn proposals(&self) -> PyResult<u64> {
        Ok(self.state()?.progress.proposals)
    }

    #[getter]
    fn best_length(&self) -> PyResult<Option<f64>> {
        Ok(self.state()?.progress.best_length)
    }

    #[getter]
    fn lower_bound_on_roadmap(&self) -> PyResult<Option<f64>> {
        let progress = self.state()?.progress;
        Ok(event::bound(&progress, Yardstick::ShortestOnRoadmap))
    }

    #[getter]
    fn straight_line(&self) -> PyResult<Option<f64>> {
        let progress = self.state()?.progress;
        Ok(event::bound(&progress, Yardstick::StraightLine))
    }

    #[getter]
    fn gap_on_roadmap(&self) -> PyResult<Option<f64>> {
        let progress = self.state()?.progress;
        Ok(event::gap(&progress, Yardstick::ShortestOnRoadmap))
    }

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

    /// The best path so far as vertices.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<u32>>>> {
        Ok(self.state()?.best.as_ref().map(|best| best.vertices(py)))
    }

    /// The best path so far as edges.
    #[getter]
    fn path_edges<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray1<u32>>>> {
        Ok(self.state()?.best.as_ref().map(|best| best.edges(py)))
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

    /// The edges checked so far, in order: their ends, and whether each was free.
    fn _checked<'py>(&self, py: Python<'py>) -> PyResult<Two<'py, PyArray2<u32>, PyArray1<bool>>> {
        let state = self.state()?;
        match &state.engine {
            Some(engine) => engine.checked().arrays(py),
            None => state.checked.arrays(py),
        }
    }

    /// The probability of each edge to be free, given all checks so far.
    fn probabilities<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut state = self.state()?;
        let Some(engine) = &mut state.engine else {
            return Err(PyValueError::new_err(
                "the run is closed, and its belief gone",
            ));
        };
        match py.detach(|| engine.probabilities()) {
            Some(p) => Ok(PyArray1::from_vec(py, p)),
            None => Err(PyValueError::new_err(
                "a run without a roadmap believes nothing of edges",
            )),
        }
    }
}
