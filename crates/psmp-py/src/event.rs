//! What a planner has just done, for Python.

use crate::arguments::read_only;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use psmp::{EventKind, Progress, Source, Waypoints, Yardstick};
use psmp_lab::counted;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use std::sync::Arc;

/// A path that was found; all events until the next one share it.
pub struct FoundPath {
    coordinates: Option<(usize, Vec<f64>)>,
    /// Its vertices and edges, if it is a path of the run's roadmap.
    on_roadmap: Option<[Vec<u32>; 2]>,
    array: PyOnceLock<Py<PyArray2<f64>>>,
}

impl FoundPath {
    pub fn new(path: Option<&Waypoints>, on_roadmap: Option<&psmp::Path>) -> Self {
        Self {
            coordinates: path.map(|path| (path.at(0).len(), path.coordinates().to_vec())),
            on_roadmap: on_roadmap.map(|path| {
                let vertices = path.vertices().iter().map(|v| v.0);
                let edges = path.edges().iter().map(|e| e.0);
                [vertices.collect(), edges.collect()]
            }),
            array: PyOnceLock::new(),
        }
    }

    /// The configurations, one a row; made once and read by all who ask.
    pub fn configurations<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let Some((dimension, values)) = &self.coordinates else {
            return Ok(None);
        };
        let array = self.array.get_or_try_init(py, || {
            let rows = [values.len() / dimension, *dimension];
            let array = PyArray1::from_slice(py, values).reshape(rows)?;
            read_only(array).map(Bound::unbind)
        })?;
        Ok(Some(array.bind(py).clone()))
    }

    pub fn vertices<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u32>>> {
        let [vertices, _] = self.on_roadmap.as_ref()?;
        Some(PyArray1::from_slice(py, vertices))
    }

    pub fn edges<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u32>>> {
        let [_, edges] = self.on_roadmap.as_ref()?;
        Some(PyArray1::from_slice(py, edges))
    }
}

/// What Python calls an event of this kind. Whoever drives a run asks that of every event, so no name is made twice.
pub fn name<'py>(py: Python<'py>, kind: EventKind) -> &'py Bound<'py, PyString> {
    match kind {
        EventKind::Proposed { .. } => intern!(py, "proposed"),
        EventKind::NoImprovement => intern!(py, "no-improvement"),
        EventKind::PartlyChecked { .. } => intern!(py, "partly-checked"),
        EventKind::Checked { .. } => intern!(py, "checked"),
        EventKind::Proved { .. } => intern!(py, "proved"),
        EventKind::Probed { .. } => intern!(py, "probed"),
        EventKind::Grown { .. } => intern!(py, "grown"),
        EventKind::Tried { .. } => intern!(py, "tried"),
        EventKind::Improved { .. } => intern!(py, "improved"),
        EventKind::ShortestOnRoadmap => intern!(py, "shortest-on-roadmap"),
        EventKind::NoPathOnRoadmap => intern!(py, "no-path-on-roadmap"),
        EventKind::StraightLine => intern!(py, "straight-line"),
        EventKind::GaveUp => intern!(py, "gave-up"),
        EventKind::Settled => intern!(py, "settled"),
        EventKind::Priced(_) => intern!(py, "priced"),
        _ => intern!(py, "other"),
    }
}

/// The lower bound of a run, if it bounds this.
pub fn bound(progress: &Progress, yardstick: Yardstick) -> Option<f64> {
    (progress.yardstick == yardstick).then_some(progress.lower_bound)
}

/// The gap of a run, if it is measured by this and there is a path.
pub fn gap(progress: &Progress, yardstick: Yardstick) -> Option<f64> {
    progress.gap().filter(|_| progress.yardstick == yardstick)
}

/// One step of a run: what has happened, and where the run stands after it.
#[pyclass(frozen, module = "psmp")]
pub struct Event {
    /// What has happened.
    // Kept where Python finds it without a call.
    #[pyo3(get)]
    kind: Py<PyString>,
    event: psmp::Event,
    best: Option<Arc<FoundPath>>,
}

impl Event {
    pub fn new(py: Python<'_>, event: psmp::Event, best: Option<Arc<FoundPath>>) -> Self {
        Self {
            kind: name(py, event.kind).clone().unbind(),
            event,
            best,
        }
    }
}

#[pymethods]
impl Event {
    /// Whether this event ends the run.
    #[getter]
    fn is_final(&self) -> bool {
        self.event.kind.is_final()
    }

    /// The length of the path proposed or found in this step.
    #[getter]
    fn length(&self) -> Option<f64> {
        match self.event.kind {
            EventKind::Proposed { length, .. } | EventKind::Improved { length } => Some(length),
            _ => None,
        }
    }

    /// Who proposed the path of a `proposed` event.
    #[getter]
    fn source(&self) -> Option<&'static str> {
        match self.event.kind {
            EventKind::Proposed { source, .. } => Some(match source {
                Source::Fallback => "fallback",
                Source::Insurance => "insurance",
                _ => "proposer",
            }),
            _ => None,
        }
    }

    /// The edge of a `checked`, `partly-checked` or `proved` event.
    #[getter]
    fn edge(&self) -> Option<u32> {
        match self.event.kind {
            EventKind::Checked { edge, .. }
            | EventKind::Proved { edge, .. }
            | EventKind::PartlyChecked { edge, .. } => Some(edge.0),
            _ => None,
        }
    }

    /// Whether the edge of a `checked` or `proved` event or the motion of a `probed` or `tried` one is free.
    #[getter]
    fn free(&self) -> Option<bool> {
        match self.event.kind {
            EventKind::Checked { free, .. }
            | EventKind::Proved { free, .. }
            | EventKind::Tried { free, .. }
            | EventKind::Probed { free, .. } => Some(free),
            _ => None,
        }
    }

    /// How many configurations a `checked`, `partly-checked`, `proved`, `probed` or `tried` event has taken.
    #[getter]
    fn cost(&self) -> Option<u64> {
        match self.event.kind {
            EventKind::Checked { configurations, .. }
            | EventKind::PartlyChecked { configurations, .. }
            | EventKind::Proved { configurations, .. }
            | EventKind::Tried { configurations, .. }
            | EventKind::Probed { configurations, .. } => Some(configurations),
            _ => None,
        }
    }

    /// What a configuration and a thought are taken to cost from a `priced` event on, in seconds.
    #[getter]
    fn price(&self) -> Option<(f64, f64)> {
        match self.event.kind {
            EventKind::Priced(prices) => Some((prices.configuration(), prices.thought())),
            _ => None,
        }
    }

    /// Configurations checked so far.
    #[getter]
    fn configurations(&self) -> u64 {
        self.event.progress.configurations
    }

    /// Edges checked so far.
    #[getter]
    fn edges(&self) -> u64 {
        self.event.progress.edges
    }

    /// Paths asked of the proposer so far.
    #[getter]
    fn proposals(&self) -> u64 {
        self.event.progress.proposals
    }

    /// The length of the best path so far.
    #[getter]
    fn best_length(&self) -> Option<f64> {
        self.event.progress.best_length
    }

    /// No path on the roadmap is shorter than this; infinite if it has none. None without a roadmap, and before start and
    /// goal are joined to it.
    #[getter]
    fn lower_bound_on_roadmap(&self) -> Option<f64> {
        bound(&self.event.progress, Yardstick::ShortestOnRoadmap)
    }

    /// The length of the straight line from start to goal. None of a run on a roadmap, once start and goal are joined to
    /// it.
    #[getter]
    fn straight_line(&self) -> Option<f64> {
        bound(&self.event.progress, Yardstick::StraightLine)
    }

    /// How much longer the best path may be than the shortest on the roadmap, as a share.
    #[getter]
    fn gap_on_roadmap(&self) -> Option<f64> {
        gap(&self.event.progress, Yardstick::ShortestOnRoadmap)
    }

    /// How much longer the best path is than the straight line, as a share, where that is known of.
    #[getter]
    fn gap_over_straight_line(&self) -> Option<f64> {
        gap(&self.event.progress, Yardstick::StraightLine)
    }

    /// The best path so far as configurations, one a row.
    #[getter]
    fn path<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        match &self.best {
            Some(best) => best.configurations(py),
            None => Ok(None),
        }
    }

    /// The best path so far as vertices, if it is one of the roadmap.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u32>>> {
        self.best.as_ref()?.vertices(py)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Event>()
            .is_ok_and(|o| o.get().event == self.event)
    }

    fn __repr__(&self) -> String {
        let kind = self.event.kind;
        let state = |free| if free { "free" } else { "blocked" };
        let more = match kind {
            EventKind::Proposed { length, .. } => match self.source() {
                Some(other @ ("fallback" | "insurance")) => {
                    format!(", length {length:.4} by {other}")
                }
                _ => format!(", length {length:.4}"),
            },
            EventKind::Improved { length } => format!(", length {length:.4}"),
            EventKind::PartlyChecked { edge, .. } => format!(", edge {} free so far", edge.0),
            EventKind::Checked { edge, free, .. } => format!(", edge {} {}", edge.0, state(free)),
            EventKind::Proved { edge, free, .. } => {
                format!(", edge {} {} all along", edge.0, state(free))
            }
            EventKind::Probed { free, .. } => format!(", {}", state(free)),
            EventKind::Tried { what, free, .. } => format!(", {} {}", what.name(), state(free)),
            EventKind::Grown { vertices, edges } => {
                format!(
                    ", by {} and {}",
                    counted(vertices, "vertices"),
                    counted(edges, "edges")
                )
            }
            _ => String::new(),
        };
        let gap = match self.event.progress.gap() {
            Some(gap) => {
                let yardstick = self.event.progress.yardstick;
                format!(", at most {:.1}% over {yardstick}", gap * 100.0)
            }
            None => String::new(),
        };
        let spent = counted(self.event.progress.configurations, "configurations");
        format!("<psmp.Event {}{more}, {spent}{gap}>", self.kind)
    }
}
