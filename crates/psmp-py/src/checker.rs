//! What checks: the user's function on a configuration, on a batch of them or on an edge; a world of
//! a dataset; or an arm in a scene.
//!
//! Whatever a function raises comes back as it is. An answer that is no answer (forgetting to return
//! one is the usual way) is a TypeError rather than a wall or a gap. Only functions take the
//! interpreter; everything else is checked without it.

use crate::arguments::{described, read_only, refused, vector};
use crate::arm_checker::{ArmChecker, CheckedArm};
use crate::dataset::RecordedWorld;
use crate::roadmap::Roadmap;
use numpy::{PyArray1, PyArrayMethods, PyUntypedArrayMethods};
use psmp::checker::{BisectionChecker, Checker, Look, Sightings, Verdict, World};
use psmp::{EdgeId, Limit, WorldId};
use psmp_arm::CertifiedChecker;
use psmp_lab::{Problems, checker_for, resolution_for};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyType};
use std::convert::Infallible;
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
    Arm(CheckedArm),
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
        if let Ok(arm) = check.cast::<ArmChecker>() {
            return Ok(Check::Arm(arm.get().arm()));
        }
        if !check.is_callable() {
            return Err(PyTypeError::new_err(format!(
                "check must be a function, a world of a dataset or an arm's checker, got {}",
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

    /// What says of single configurations whether they are free, if that is how it checks.
    pub fn world(&self) -> Option<AnyWorld> {
        let own = |function: &Py<PyAny>| Python::attach(|py| function.clone_ref(py));
        match self {
            Check::Function(f, CalledOn::Configuration) => {
                Some(AnyWorld::Configuration(ConfigurationFunction(own(f))))
            }
            Check::Function(f, CalledOn::Batch) => Some(AnyWorld::Batch(BatchFunction(own(f)))),
            Check::Arm(arm) => Some(AnyWorld::Arm(arm.clone())),
            Check::Function(_, CalledOn::Edge) | Check::Recorded(..) => None,
        }
    }

    /// The roadmap, if it is one that this can check; an arm has one number for each joint.
    pub fn fits<'a>(&self, roadmap: &'a psmp::Roadmap) -> PyResult<&'a psmp::Roadmap> {
        let dimension = roadmap.space().map_or(0, psmp::Space::dimension);
        match self {
            Check::Arm(arm) if arm.dimension() != dimension => Err(PyValueError::new_err(format!(
                "roadmap has configurations of {dimension} numbers, but check is for an arm of {} \
                 joints: make it with arm.roadmap()",
                arm.dimension()
            ))),
            _ => Ok(roadmap),
        }
    }

    /// How far apart the configurations of an edge lie.
    pub fn spacing(&self, roadmap: &psmp::Roadmap, resolution: Option<f64>) -> PyResult<f64> {
        let resolution = match self {
            Check::Arm(_) => Some(resolution.unwrap_or(psmp_arm::DEFAULT_STEP)),
            _ => resolution,
        };
        resolution_for(roadmap, resolution).map_err(|e| refused("resolution", e))
    }

    /// The checker for the edges of a roadmap.
    pub fn for_roadmap<'a>(
        &'a self,
        roadmap: &'a psmp::Roadmap,
        resolution: Option<f64>,
    ) -> PyResult<AnyChecker<'a>> {
        let spacing = || self.spacing(roadmap, resolution);
        let by_bisection = |e: psmp::checker::BisectionError| refused("check", e);
        Ok(match (self, self.world()) {
            (Check::Arm(arm), Some(world)) => {
                let of_the_arm = self.fits(roadmap)?;
                match arm.certified() {
                    Some(spheres) => {
                        let checker =
                            CertifiedChecker::new(of_the_arm, spacing()?, spheres.clone());
                        let no_space = psmp::checker::BisectionError::NoConfigurations;
                        Box::new(Unfailing(checker.ok_or_else(|| by_bisection(no_space))?))
                    }
                    None => {
                        let checker =
                            BisectionChecker::by_largest_step(of_the_arm, spacing()?, world);
                        Box::new(checker.map_err(by_bisection)?)
                    }
                }
            }
            (_, Some(world)) => {
                let checker = BisectionChecker::new(roadmap, spacing()?, world);
                Box::new(checker.map_err(by_bisection)?)
            }
            (Check::Recorded(problems, world), _) => {
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
                Box::new(Unfailing(checker.map_err(|e| refused("check", e))?))
            }
            (Check::Function(function, _), _) => Box::new(EdgeFunction {
                function: Python::attach(|py| function.clone_ref(py)),
                roadmap,
            }),
            (Check::Arm(_), None) => unreachable!("an arm is a world"),
        })
    }
}

/// Anything that says of configurations whether they are free.
pub enum AnyWorld {
    Configuration(ConfigurationFunction),
    Batch(BatchFunction),
    Arm(CheckedArm),
}

impl World for AnyWorld {
    type Error = PyErr;

    fn is_free(&mut self, configuration: &[f64]) -> PyResult<bool> {
        match self {
            AnyWorld::Configuration(world) => world.is_free(configuration),
            AnyWorld::Batch(world) => world.is_free(configuration),
            AnyWorld::Arm(world) => {
                let Ok(free) = world.is_free(configuration);
                Ok(free)
            }
        }
    }

    fn first_collision(
        &mut self,
        configurations: &[f64],
        dimension: usize,
    ) -> PyResult<Option<usize>> {
        match self {
            AnyWorld::Configuration(world) => world.first_collision(configurations, dimension),
            AnyWorld::Batch(world) => world.first_collision(configurations, dimension),
            AnyWorld::Arm(world) => {
                let Ok(place) = world.first_collision(configurations, dimension);
                Ok(place)
            }
        }
    }

    fn at_once(&self) -> u64 {
        match self {
            AnyWorld::Configuration(world) => world.at_once(),
            AnyWorld::Batch(world) => world.at_once(),
            AnyWorld::Arm(world) => world.at_once(),
        }
    }
}

/// Whether a configuration is free, by a function.
pub struct ConfigurationFunction(Py<PyAny>);

impl World for ConfigurationFunction {
    type Error = PyErr;

    fn is_free(&mut self, configuration: &[f64]) -> PyResult<bool> {
        Python::attach(|py| {
            // An array of its own, which the function may keep.
            let answer = self
                .0
                .bind(py)
                .call1((PyArray1::from_slice(py, configuration),))?;
            truth(&answer, ONE)
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
                if !truth(&function.call1((PyArray1::from_slice(py, q),))?, ONE)? {
                    return Ok(Some(place));
                }
            }
            Ok(None)
        })
    }
}

/// What a function on configurations answers for.
const ONE: &str = "a configuration";

/// numpy's own truth value, which comparing a number of an array gives.
static NUMPY_BOOL: PyOnceLock<Py<PyType>> = PyOnceLock::new();

fn truth(answer: &Bound<'_, PyAny>, of: &str) -> PyResult<bool> {
    if let Ok(answer) = answer.cast_exact::<PyBool>() {
        return Ok(answer.is_true());
    }
    // Asked as what it is: `extract` looks up its method by name each time, which takes longer than
    // the rest of a call.
    let numpy_bool = NUMPY_BOOL.import(answer.py(), "numpy", "bool_")?;
    if answer.is_exact_instance(numpy_bool) {
        return answer.is_truthy();
    }
    Err(PyTypeError::new_err(format!(
        "check must return True where {of} is free and False where not, got {}",
        described(answer)
    )))
}

/// Which configurations of an edge are free, by a function on all of them at once.
pub struct BatchFunction(Py<PyAny>);

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

    /// A call takes its time whatever it is called on; arrays much smaller than this gain nothing.
    fn at_once(&self) -> u64 {
        32
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
            let free = truth(&answer, "an edge")?;
            Ok(Verdict {
                free,
                configurations: 1,
            })
        })
    }
}

/// A checker that never fails.
struct Unfailing<C>(C);

impl<C: Checker<Error = Infallible>> Checker for Unfailing<C> {
    type Error = PyErr;

    fn check(&mut self, edge: EdgeId, sightings: &mut Sightings) -> PyResult<Verdict> {
        let Ok(verdict) = self.0.check(edge, sightings);
        Ok(verdict)
    }

    fn look(
        &mut self,
        edge: EdgeId,
        seen: u64,
        most: u64,
        limit: &Limit,
        sightings: &mut Sightings,
    ) -> PyResult<Look> {
        let Ok(look) = self.0.look(edge, seen, most, limit, sightings);
        Ok(look)
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
    let mut checker = check.for_roadmap(&graph, resolution)?;
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
