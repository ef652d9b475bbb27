//! An arm in a scene as a checker: no Python is called for it.

use crate::arguments::{configurations, vector};
use crate::arm::arm_error;
use numpy::{PyArray1, PyArrayMethods};
use psmp::checker::World;
use psmp_arm::{ArmError, ExactWorld, RefinedWorld, Scene, SphereModel, SphereWorld};
use psmp_lab::counted;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};

/// An arm in a scene, and how it is checked.
#[derive(Clone)]
pub struct CheckedArm {
    dimension: usize,
    way: Way,
}

#[derive(Clone)]
enum Way {
    /// By spheres, and by the true shapes where the spheres touch.
    Refined(Box<RefinedWorld>),
    /// By spheres that cover the links.
    Spheres(Box<SphereWorld>),
    /// By the true shapes.
    Exact(Box<ExactWorld>),
    /// Whole motions by the clearance of the spheres.
    Certified(Box<SphereWorld>),
}

impl CheckedArm {
    /// How many numbers a configuration has.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// The spheres by whose clearance whole motions are checked, if they are.
    pub fn certified(&self) -> Option<&SphereWorld> {
        match &self.way {
            Way::Certified(world) => Some(world),
            _ => None,
        }
    }

    /// Whether nothing but spheres is asked, so that what they touch may yet be free.
    pub fn is_careful(&self) -> bool {
        matches!(self.way, Way::Spheres(_) | Way::Certified(_))
    }
}

impl World for CheckedArm {
    type Error = Infallible;

    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, Infallible> {
        match &mut self.way {
            Way::Refined(world) => world.is_free(configuration),
            Way::Spheres(world) | Way::Certified(world) => world.is_free(configuration),
            Way::Exact(world) => world.is_free(configuration),
        }
    }

    fn first_collision(
        &mut self,
        configurations: &[f64],
        dimension: usize,
    ) -> Result<Option<usize>, Infallible> {
        match &mut self.way {
            Way::Refined(world) => world.first_collision(configurations, dimension),
            Way::Spheres(world) | Way::Certified(world) => {
                world.first_collision(configurations, dimension)
            }
            Way::Exact(world) => world.first_collision(configurations, dimension),
        }
    }

    fn at_once(&self) -> u64 {
        match &self.way {
            Way::Refined(world) => world.at_once(),
            Way::Spheres(world) | Way::Certified(world) => world.at_once(),
            Way::Exact(world) => world.at_once(),
        }
    }
}

/// An arm among what stands around it: says of configurations whether they are free.
#[pyclass(frozen, module = "psmp")]
pub struct ArmChecker {
    kind: String,
    dimension: usize,
    /// Used by one thread at a time; runs have copies of their own.
    checked: Mutex<CheckedArm>,
    /// Tells what touches what, whichever way configurations are checked.
    exact: Mutex<ExactWorld>,
}

/// What a lock holds. A world that was left in the middle of a question can be asked another.
fn held<T>(lock: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ArmChecker {
    pub fn new(
        kind: &str,
        arm: &psmp_arm::Arm,
        spheres: &SphereModel,
        scene: &Scene,
    ) -> PyResult<Self> {
        let wrong = |e: ArmError| arm_error("scene", &e);
        let by_spheres = || SphereWorld::new(arm, spheres, scene).map(Box::new);
        let exact = ExactWorld::new(arm, scene).map_err(wrong)?;
        let way = match kind {
            "refined" => RefinedWorld::new(arm, spheres, scene).map(|w| Way::Refined(Box::new(w))),
            "spheres" => by_spheres().map(Way::Spheres),
            "exact" => Ok(Way::Exact(Box::new(exact.clone()))),
            "certified" => by_spheres().map(Way::Certified),
            other => {
                return Err(PyValueError::new_err(format!(
                    "kind must be `refined`, `spheres`, `exact` or `certified`, got `{other}`"
                )));
            }
        };
        let dimension = arm.dimension();
        Ok(Self {
            kind: kind.to_owned(),
            checked: Mutex::new(CheckedArm {
                dimension,
                way: way.map_err(wrong)?,
            }),
            exact: Mutex::new(exact),
            dimension,
        })
    }

    /// A copy of the arm to check with.
    pub fn arm(&self) -> CheckedArm {
        held(&self.checked).clone()
    }

    /// What touches what in a configuration, by the true shapes.
    pub fn touch(&self, configuration: &[f64]) -> Option<(String, String)> {
        let mut exact = held(&self.exact);
        let (body, other) = exact.contact(configuration)?;
        Some((body.to_owned(), other.to_owned()))
    }
}

#[pymethods]
impl ArmChecker {
    #[getter]
    fn kind(&self) -> &str {
        &self.kind
    }

    #[getter]
    fn dof(&self) -> usize {
        self.dimension
    }

    /// Whether a configuration is free, or which of many are.
    fn __call__<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (values, one) = configurations("q", self.dimension, q)?;
        let free = py.detach(|| {
            let mut arm = held(&self.checked);
            let mut free = vec![true; values.len() / self.dimension];
            let mut from = 0;
            // Spheres check several at a time, up to the next collision.
            while let Ok(Some(place)) =
                arm.first_collision(&values[from * self.dimension..], self.dimension)
            {
                from += place + 1;
                free[from - 1] = false;
            }
            free
        });
        match (one, free.first()) {
            (true, Some(free)) => free.into_bound_py_any(py),
            _ => Ok(PyArray1::from_vec(py, free).into_any()),
        }
    }

    /// What touches what in a configuration, by the true shapes; none if nothing does.
    fn contact(&self, py: Python<'_>, q: &Bound<'_, PyAny>) -> PyResult<Option<(String, String)>> {
        let q = vector::<f64>("q", Some(self.dimension), q)?.to_vec()?;
        Ok(py.detach(|| self.touch(&q)))
    }

    fn __repr__(&self) -> String {
        format!(
            "<psmp.ArmChecker of {}, {}>",
            counted(self.dimension, "joints"),
            self.kind
        )
    }
}
