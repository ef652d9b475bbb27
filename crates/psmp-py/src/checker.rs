//! The user's checker: a Python function on a configuration, on a batch of them, or on an edge.
//!
//! Whatever it raises comes back as it is. An answer that is no answer (forgetting to return one is
//! the usual way) is a TypeError rather than a wall or a gap.

use crate::arguments::{described, read_only, refused, vector};
use crate::dataset::RecordedWorld;
use crate::roadmap::Roadmap;
use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use psmp::checker::{BisectionChecker, Checker, Sightings, Verdict, World};
use psmp::{EdgeId, WorldId};
use psmp_lab::{Problems, RecordedChecker, checker_for, resolution_for};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::sync::Arc;

/// What a function is called on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CalledOn {
    Configuration,
    Batch,
    Edge,
}

/// Something that checks, as the user gave it.
pub enum Check {
    Function(Py<PyAny>, CalledOn),
    Recorded(Arc<dyn Problems>, WorldId),
}

/// A checker of any kind, which may go from thread to thread.
pub type AnyChecker<'a> = Box<dyn Checker<Error = PyErr> + Send + 'a>;

impl Check {
    /// The checker that was given, with what it is called on: `configuration`, `batch` or `edge`.
    pub fn given(check: &Bound<'_, PyAny>, called_on: &str) -> PyResult<Self> {
        if let Ok(world) = check.cast::<RecordedWorld>() {
            let world = world.get();
            return Ok(Check::Recorded(world.problems.clone(), world.world));
        }
        if !check.is_callable() {
            return Err(PyTypeError::new_err(format!(
                "check must be a function or a world of a dataset, got {}",
                described(check)
            )));
        }
        let called_on = match called_on {
            "configuration" => CalledOn::Configuration,
            "batch" => CalledOn::Batch,
            "edge" => CalledOn::Edge,
            other => return Err(refused("check", format!("nothing is called on `{other}`"))),
        };
        Ok(Check::Function(check.clone().unbind(), called_on))
    }

    /// The checker for the edges of a roadmap.
    pub fn for_roadmap<'a>(
        &'a self,
        py: Python<'_>,
        roadmap: &'a psmp::Roadmap,
        resolution: Option<f64>,
    ) -> PyResult<AnyChecker<'a>> {
        let spacing = || resolution_for(roadmap, resolution).map_err(|e| refused("resolution", e));
        let by_bisection = |e: psmp::checker::BisectionError| refused("check", e);
        match self {
            Check::Function(function, CalledOn::Edge) => Ok(Box::new(EdgeFunction {
                function: function.clone_ref(py),
                roadmap,
            })),
            Check::Function(function, CalledOn::Batch) => {
                let world = BatchFunction(function.clone_ref(py));
                let checker = BisectionChecker::new(roadmap, spacing()?, world);
                Ok(Box::new(checker.map_err(by_bisection)?))
            }
            Check::Function(function, CalledOn::Configuration) => {
                let world = ConfigurationFunction(function.clone_ref(py));
                let checker = BisectionChecker::new(roadmap, spacing()?, world);
                Ok(Box::new(checker.map_err(by_bisection)?))
            }
            Check::Recorded(problems, world) => {
                if problems.roadmap().edge_count() != roadmap.edge_count() {
                    return Err(PyValueError::new_err(format!(
                        "check is a world of dataset `{}`, which tells of {} edges, but the roadmap \
                         has {}: plan on the dataset's roadmap, from vertex to vertex",
                        problems.name(),
                        problems.roadmap().edge_count(),
                        roadmap.edge_count()
                    )));
                }
                let image = problems
                    .image(*world)
                    .map_err(|e| crate::arguments::file_error(&e))?;
                let checker = checker_for(&**problems, *world, image, resolution);
                Ok(Box::new(Recorded(
                    checker.map_err(|e| refused("check", e))?,
                )))
            }
        }
    }
}

/// Whether a configuration is free, by a function.
struct ConfigurationFunction(Py<PyAny>);

impl World for ConfigurationFunction {
    type Error = PyErr;

    fn is_free(&mut self, configuration: &[f64]) -> PyResult<bool> {
        Python::attach(|py| {
            // An array of its own, which the function may keep.
            let answer = self
                .0
                .bind(py)
                .call1((PyArray1::from_slice(py, configuration),))?;
            truth(&answer)
        })
    }

    fn first_collision(
        &mut self,
        configurations: &[f64],
        dimension: usize,
    ) -> PyResult<Option<usize>> {
        // Held for the whole edge: taking the interpreter costs as much as a quick check.
        Python::attach(|py| {
            let function = self.0.bind(py);
            for (place, q) in configurations.chunks_exact(dimension).enumerate() {
                if !truth(&function.call1((PyArray1::from_slice(py, q),))?)? {
                    return Ok(Some(place));
                }
            }
            Ok(None)
        })
    }
}

fn truth(answer: &Bound<'_, PyAny>) -> PyResult<bool> {
    answer.extract::<bool>().map_err(|_| {
        PyTypeError::new_err(format!(
            "check must return True where a configuration is free and False where not, got {}",
            described(answer)
        ))
    })
}

/// Which configurations of an edge are free, by a function on all of them at once.
struct BatchFunction(Py<PyAny>);

impl World for BatchFunction {
    type Error = PyErr;

    fn is_free(&mut self, configuration: &[f64]) -> PyResult<bool> {
        let collision = self.first_collision(configuration, configuration.len())?;
        Ok(collision.is_none())
    }

    fn first_collision(
        &mut self,
        configurations: &[f64],
        dimension: usize,
    ) -> PyResult<Option<usize>> {
        Python::attach(|py| {
            let count = configurations.len() / dimension;
            let batch = PyArray1::from_slice(py, configurations).reshape([count, dimension])?;
            let answer = self.0.bind(py).call1((batch,))?;
            let free = match answer.cast::<PyArray1<bool>>() {
                Ok(free) if free.len() == count => free.clone(),
                _ => vector::<bool>("what check returns", Some(count), &answer)?,
            };
            let free = free.try_readonly()?;
            Ok(free.as_array().iter().position(|free| !free))
        })
    }
}

/// An edge of a roadmap, as a checker of edges sees it.
#[pyclass(frozen, get_all, module = "psmp")]
pub struct Edge {
    /// Its place in the roadmap.
    id: u32,
    /// The vertices at its ends.
    vertices: (u32, u32),
    length: f64,
    /// The configurations at its ends, where the roadmap has any.
    start: Option<Py<PyArray1<f64>>>,
    end: Option<Py<PyArray1<f64>>>,
}

#[pymethods]
impl Edge {
    fn __repr__(&self) -> String {
        let (a, b) = self.vertices;
        format!(
            "<psmp.Edge {} from {a} to {b}, length {:.4}>",
            self.id, self.length
        )
    }
}

/// Whether an edge is free, by a function. Each counts as one check.
struct EdgeFunction<'a> {
    function: Py<PyAny>,
    roadmap: &'a psmp::Roadmap,
}

impl Checker for EdgeFunction<'_> {
    type Error = PyErr;

    fn check(&mut self, id: EdgeId, _: &mut Sightings) -> PyResult<Verdict> {
        let edge = self.roadmap.edge(id);
        Python::attach(|py| {
            let configuration = |v| {
                let q = self.roadmap.configuration(v);
                q.map(|q| read_only(PyArray1::from_slice(py, q)).map(Bound::unbind))
                    .transpose()
            };
            let edge = Edge {
                id: id.0,
                vertices: (edge.from.0, edge.to.0),
                length: edge.length,
                start: configuration(edge.from)?,
                end: configuration(edge.to)?,
            };
            let answer = self.function.bind(py).call1((edge,))?;
            let free = answer.extract::<bool>().map_err(|_| {
                PyTypeError::new_err(format!(
                    "check must return True where an edge is free and False where not, got {}",
                    described(&answer)
                ))
            })?;
            Ok(Verdict {
                free,
                configurations: 1,
            })
        })
    }
}

/// A recorded world, which never fails.
struct Recorded<'a>(RecordedChecker<'a>);

impl Checker for Recorded<'_> {
    type Error = PyErr;

    fn check(&mut self, edge: EdgeId, sightings: &mut Sightings) -> PyResult<Verdict> {
        let Ok(verdict) = self.0.check(edge, sightings);
        Ok(verdict)
    }

    fn price_if_free(&self, edge: EdgeId) -> u64 {
        self.0.price_if_free(edge)
    }
}

/// Checks every edge of a roadmap: a row of a collision table.
#[pyfunction]
#[pyo3(signature = (roadmap, check, called_on, resolution=None))]
pub fn check_edges<'py>(
    py: Python<'py>,
    roadmap: &Bound<'py, Roadmap>,
    check: &Bound<'py, PyAny>,
    called_on: &str,
    resolution: Option<f64>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let graph = roadmap.get().graph.clone();
    let check = Check::given(check, called_on)?;
    let mut checker = check.for_roadmap(py, &graph, resolution)?;
    let free = py.detach(|| -> PyResult<Vec<bool>> {
        let mut sightings = Sightings::new(graph.space().map_or(0, psmp::Space::dimension));
        let mut free = Vec::with_capacity(graph.edge_count());
        for edge in graph.edge_ids() {
            sightings.clear();
            free.push(checker.check(edge, &mut sightings)?.free);
            // Checks that are not Python's do not hear of Ctrl-C.
            if free.len().is_multiple_of(1024) {
                Python::attach(|py| py.check_signals())?;
            }
        }
        Ok(free)
    })?;
    Ok(PyArray1::from_vec(py, free))
}
