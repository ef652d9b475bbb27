//! What a planner has just done, for Python.

use crate::arguments::read_only;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use psmp::{Direction, Edge, EventKind, Progress, Roadmap, Source, Yardstick};
use psmp_lab::counted;
use psmp_rivals::Waypoints;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use std::sync::Arc;

/// A path that was found; all events until the next one share it.
pub struct FoundPath {
    vertices: Vec<u32>,
    edges: Vec<u32>,
    coordinates: Option<(usize, Vec<f64>)>,
    array: PyOnceLock<Py<PyArray2<f64>>>,
}

impl FoundPath {
    pub fn new(path: &psmp::Path, roadmap: &Roadmap) -> Self {
        let coordinates = roadmap.space().map(|space| {
            let configurations = path.vertices().iter();
            let values = configurations.filter_map(|v| roadmap.configuration(*v));
            (space.dimension(), values.flatten().copied().collect())
        });
        Self {
            vertices: path.vertices().iter().map(|v| v.0).collect(),
            edges: path.edges().iter().map(|e| e.0).collect(),
            coordinates,
            array: PyOnceLock::new(),
        }
    }

    /// A path that lies on no roadmap: its vertices and edges are its own, one after the other.
    pub fn alone(path: &Waypoints) -> Self {
        let count = path.count() as u32;
        Self {
            vertices: (0..count).collect(),
            edges: (1..count).map(|vertex| vertex - 1).collect(),
            coordinates: Some((path.at(0).len(), path.coordinates().to_vec())),
            array: PyOnceLock::new(),
        }
    }

    /// The path as a roadmap that has nothing else, if it has configurations.
    pub fn roadmap(&self, space: &psmp::Space) -> Option<Result<Roadmap, psmp::RoadmapError>> {
        let (dimension, values) = self.coordinates.as_ref()?;
        let at = |i: u32| &values[i as usize * dimension..(i as usize + 1) * dimension];
        let edges = self.edges.iter().map(|&edge| {
            let length = space.distance(at(edge), at(edge + 1));
            Edge::new(edge, edge + 1, length)
        });
        let graph =
            Roadmap::from_edges(self.vertices.len(), Direction::Undirected, edges.collect());
        Some(graph.and_then(|graph| graph.with_configurations(space.clone(), values.clone())))
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
            let rows = [self.vertices.len(), *dimension];
            let array = PyArray1::from_slice(py, values).reshape(rows)?;
            read_only(array).map(Bound::unbind)
        })?;
        Ok(Some(array.bind(py).clone()))
    }

    pub fn vertices<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.vertices)
    }

    pub fn edges<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        PyArray1::from_slice(py, &self.edges)
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
    pub event: psmp::Event,
    pub best: Option<Arc<FoundPath>>,
}

#[pymethods]
impl Event {
    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> &Bound<'py, PyString> {
        match self.event.kind {
            EventKind::Proposed { .. } => intern!(py, "proposed"),
            EventKind::Barren => intern!(py, "barren"),
            EventKind::Looked { .. } => intern!(py, "looked"),
            EventKind::Checked { .. } => intern!(py, "checked"),
            EventKind::Probed { .. } => intern!(py, "probed"),
            EventKind::Improved { .. } => intern!(py, "improved"),
            EventKind::ShortestOnRoadmap => intern!(py, "shortest-on-roadmap"),
            EventKind::NoPathOnRoadmap => intern!(py, "no-path-on-roadmap"),
            EventKind::StraightLine => intern!(py, "straight-line"),
            EventKind::GaveUp => intern!(py, "gave-up"),
        }
    }

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
                Source::Proposer => "proposer",
                Source::Fallback => "fallback",
                Source::Insurance => "insurance",
            }),
            _ => None,
        }
    }

    /// The edge of a `checked` or `looked` event.
    #[getter]
    fn edge(&self) -> Option<u32> {
        match self.event.kind {
            EventKind::Checked { edge, .. } | EventKind::Looked { edge, .. } => Some(edge.0),
            _ => None,
        }
    }

    /// Whether the edge of a `checked` event or the motion of a `probed` one is free.
    #[getter]
    fn free(&self) -> Option<bool> {
        match self.event.kind {
            EventKind::Checked { free, .. } | EventKind::Probed { free, .. } => Some(free),
            _ => None,
        }
    }

    /// How many configurations a `checked`, `looked` or `probed` event has taken.
    #[getter]
    fn cost(&self) -> Option<u64> {
        match self.event.kind {
            EventKind::Checked { configurations, .. }
            | EventKind::Looked { configurations, .. }
            | EventKind::Probed { configurations, .. } => Some(configurations),
            _ => None,
        }
    }

    #[getter]
    fn configurations(&self) -> u64 {
        self.event.progress.configurations
    }

    #[getter]
    fn edges(&self) -> u64 {
        self.event.progress.edges
    }

    #[getter]
    fn proposals(&self) -> u64 {
        self.event.progress.proposals
    }

    #[getter]
    fn best_length(&self) -> Option<f64> {
        self.event.progress.best_length
    }

    #[getter]
    fn lower_bound_on_roadmap(&self) -> Option<f64> {
        bound(&self.event.progress, Yardstick::ShortestOnRoadmap)
    }

    #[getter]
    fn straight_line(&self) -> Option<f64> {
        bound(&self.event.progress, Yardstick::StraightLine)
    }

    #[getter]
    fn gap_on_roadmap(&self) -> Option<f64> {
        gap(&self.event.progress, Yardstick::ShortestOnRoadmap)
    }

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

    /// The best path so far as vertices of the roadmap.
    #[getter]
    fn vertices<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u32>>> {
        self.best.as_ref().map(|best| best.vertices(py))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Event>()
            .is_ok_and(|o| o.get().event == self.event)
    }

    fn __repr__(&self) -> String {
        let what = match self.event.kind {
            EventKind::Proposed { length, source } => {
                let by = match source {
                    Source::Proposer => "",
                    Source::Fallback => " by fallback",
                    Source::Insurance => " by insurance",
                };
                format!("proposed, length {length:.4}{by}")
            }
            EventKind::Barren => "barren".to_owned(),
            EventKind::Looked { edge, .. } => format!("looked, edge {} free so far", edge.0),
            EventKind::Checked { edge, free, .. } => {
                let state = if free { "free" } else { "blocked" };
                format!("checked, edge {} {state}", edge.0)
            }
            EventKind::Probed { free, .. } => {
                let state = if free { "free" } else { "blocked" };
                format!("probed, {state}")
            }
            EventKind::Improved { length } => format!("improved, length {length:.4}"),
            EventKind::ShortestOnRoadmap => "shortest-on-roadmap".to_owned(),
            EventKind::NoPathOnRoadmap => "no-path-on-roadmap".to_owned(),
            EventKind::StraightLine => "straight-line".to_owned(),
            EventKind::GaveUp => "gave-up".to_owned(),
        };
        let gap = match self.event.progress.gap() {
            Some(gap) => {
                let yardstick = self.event.progress.yardstick;
                format!(", at most {:.1}% over {yardstick}", gap * 100.0)
            }
            None => String::new(),
        };
        let spent = counted(self.event.progress.configurations, "configurations");
        format!("<psmp.Event {what}, {spent}{gap}>")
    }
}
