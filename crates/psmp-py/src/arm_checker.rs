//! An arm in a scene as a checker: no Python is called for it.

use crate::arguments::{configurations, refused, vector};
use crate::arm::{arm_error, configuration};
use crate::pickling::{Reduced, reduced, unpacked};
use numpy::{PyArray1, PyArrayMethods};
use psmp::Resolution;
use psmp::by_name::SpecError;
use psmp::checker::{EdgeMemory, World};
use psmp_arm::{
    CheckedArm, ExactWorld, Scene, SphereModel, SphereWorld, still_known, world_record,
};
use psmp_files::{Kept, WorldRecord};
use psmp_lab::counted;
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// An arm in a scene as a checker; made by `Arm.checker`.
///
/// Called on a configuration it says whether it is free, called on an array of shape (n, dof) which of them are.
/// Given to `psmp.plan` it checks without Python.
#[pyclass(frozen, module = "psmp")]
pub struct ArmChecker {
    arm: psmp_arm::Arm,
    dimension: usize,
    /// Used by one thread at a time; runs have copies of their own.
    checked: Mutex<CheckedArm>,
    /// Tells what touches what, whichever way configurations are checked.
    exact: Mutex<ExactWorld>,
    spheres: SphereModel,
    scene: Scene,
}

/// What a lock holds. A world that was left in the middle of a question can be asked another.
fn held<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ArmChecker {
    pub fn new(
        kind: &str,
        arm: &psmp_arm::Arm,
        spheres: &SphereModel,
        scene: &Scene,
    ) -> PyResult<Self> {
        let checking = kind.parse().map_err(|e: SpecError| refused("kind", e))?;
        let checked = CheckedArm::new(checking, arm, spheres, scene);
        let exact = ExactWorld::new(arm, scene);
        Ok(Self {
            arm: arm.clone(),
            dimension: arm.dimension(),
            checked: Mutex::new(checked.map_err(|e| arm_error("scene", &e))?),
            exact: Mutex::new(exact.map_err(|e| arm_error("scene", &e))?),
            spheres: spheres.clone(),
            scene: scene.clone(),
        })
    }

    /// What there is to draw.
    pub fn shown(&self) -> (psmp_arm::Arm, Scene) {
        (self.arm.clone(), self.scene.clone())
    }

    /// The space of its configurations.
    pub fn space(&self) -> psmp::Space {
        self.arm.space().clone()
    }

    /// What its verdicts depend on.
    pub fn record(&self, resolution: Resolution) -> WorldRecord {
        let checking = held(&self.checked).checking();
        world_record(&self.arm, &self.spheres, &self.scene, checking, resolution)
    }

    /// What was known of a kept roadmap and still is so in this scene.
    pub fn still_known(
        &self,
        kept: &Kept,
        now: &WorldRecord,
        resolution: Resolution,
    ) -> PyResult<EdgeMemory> {
        let world = SphereWorld::new(&self.arm, &self.spheres, &self.scene);
        let world = world.map_err(|e| arm_error("scene", &e))?;
        Ok(still_known(kept, now, resolution, &world))
    }

    /// A copy of the arm to check with in a space, which must be one of as many axes.
    pub fn within(&self, space: Option<&psmp::Space>) -> PyResult<CheckedArm> {
        match space {
            Some(space) if space.dimension() == self.dimension => {
                Ok(held(&self.checked).clone().within(space))
            }
            _ => Err(PyValueError::new_err(format!(
                "check is for an arm of {} joints, but configurations have {} numbers here: make the \
                 roadmap with arm.roadmap(), or plan without one in arm.space",
                self.dimension,
                space.map_or(0, psmp::Space::dimension)
            ))),
        }
    }

    /// The configuration of a named state, or of joints at positions by name.
    pub fn place<'py>(&self, name: &str, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let q = configuration(&self.arm, name, given)?;
        Ok(PyArray1::from_vec(given.py(), q).into_any())
    }

    /// Sees that the arm touches nothing at the start nor at one of the goals, and tells what touches
    /// what.
    pub fn check_ends(&self, start: &[f64], goals: &[Vec<f64>]) -> PyResult<()> {
        if let Some(trouble) = self.trouble("start", start) {
            return Err(PyValueError::new_err(trouble));
        }
        let mut first = None;
        for goal in goals {
            match self.trouble("goal", goal) {
                Some(trouble) => first = first.or(Some(trouble)),
                None => return Ok(()),
            }
        }
        let Some(first) = first else {
            return Ok(());
        };
        Err(PyValueError::new_err(match goals.len() {
            1 => first,
            count => format!("none of the {count} goals can be planned to; of the first: {first}"),
        }))
    }

    /// Why a configuration cannot be an end of a query, if it cannot.
    fn trouble(&self, end: &str, q: &[f64]) -> Option<String> {
        if let Some((body, other)) = held(&self.exact).contact(q) {
            return Some(format!(
                "{end} is in collision: `{body}` touches `{other}`; change the {end}, move \
                 `{other}`, or allow the two to touch in the scene's allowed collisions"
            ));
        }
        let mut arm = held(&self.checked);
        let Ok(free) = arm.is_free(q);
        let too_careful = !free && arm.checking().is_careful();
        too_careful.then(|| {
            format!(
                "{end} is free, but the spheres that cover the arm touch something: give the arm \
                 more spheres, or check with kind=\"refined\""
            )
        })
    }
}

#[pymethods]
impl ArmChecker {
    /// How it is checked: `refined`, `spheres` or `exact`.
    #[getter]
    fn kind(&self) -> String {
        held(&self.checked).checking().to_string()
    }

    /// How many numbers a configuration has.
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
        Ok(py.detach(|| {
            let mut exact = held(&self.exact);
            let (body, other) = exact.contact(&q)?;
            Some((body.to_owned(), other.to_owned()))
        }))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Bound<'py, PyBytes>,)>> {
        let parts = (self.kind(), &self.arm, &self.spheres, &self.scene);
        reduced::<Self>(py, &parts)
    }

    /// A checker from bytes, for pickle.
    #[staticmethod]
    fn _of(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        py.detach(|| {
            let (kind, arm, spheres, scene): (String, _, _, _) = unpacked(bytes)?;
            Self::new(&kind, &arm, &spheres, &scene)
        })
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<ArmChecker>() else {
            return Ok(false);
        };
        let py = other.py();
        let [one, other] = [self, other.get()].map(|checker| checker.__reduce__(py));
        Ok(one?.1.0.as_bytes() == other?.1.0.as_bytes())
    }

    fn __hash__(&self) -> usize {
        self.dimension
    }

    fn __repr__(&self) -> String {
        format!(
            "<psmp.ArmChecker of {}, {}>",
            counted(self.dimension, "joints"),
            self.kind()
        )
    }
}
