//! Beliefs, for Python: a name, and the known worlds that it is learned from.
//!
//! A belief of a run is made when the run begins, because it belongs to the run's roadmap; what a
//! user holds is all that is needed for that. So one belief serves any number of runs.

use crate::arguments::{file_error, refused, worlds};
use crate::roadmap::Roadmap;
use crate::table::Table;
use psmp::Experience;
use psmp::by_name::{BeliefName, ModelCache, SpecError};
use psmp_files::learned;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::LazyLock;

/// What runs have learned from known worlds: Python has no other place to hold it.
pub static MODELS: LazyLock<ModelCache> = LazyLock::new(ModelCache::default);

/// The rate of the nearest-neighbour belief where none is given.
pub const DEFAULT_ETA: f64 = 1000.0;

/// What is likely of edges that have not been checked.
#[pyclass(frozen, subclass, module = "psmp")]
pub struct Belief {
    /// Its name in a planner's name.
    pub name: BeliefName,
    pub experience: Option<Experience>,
    /// How fast the influence of a checked configuration falls, in units of the space's longest side.
    pub eta: f64,
}

#[pymethods]
impl Belief {
    #[new]
    #[pyo3(signature = (name, table=None, worlds=None, eta=1000.0))]
    fn new(
        py: Python<'_>,
        name: &str,
        table: Option<&Bound<'_, Table>>,
        worlds: Option<&Bound<'_, PyAny>>,
        eta: f64,
    ) -> PyResult<Self> {
        if !(eta > 0.0 && eta.is_finite()) {
            return Err(PyValueError::new_err(format!(
                "eta must be positive and finite, got {eta}"
            )));
        }
        let belief: BeliefName = name.parse().map_err(|e: SpecError| refused("name", e))?;
        let experience = match table {
            Some(table) => {
                let table = &table.get().0;
                let known = self::worlds("worlds", worlds, table.world_count())?;
                if known.is_empty() {
                    return Err(PyValueError::new_err(format!(
                        "belief `{name}` learns from known worlds, and {} has none",
                        if worlds.is_some() { "worlds" } else { "table" }
                    )));
                }
                Some(Experience::of(table.clone(), known))
            }
            None if worlds.is_some() => {
                return Err(PyTypeError::new_err(
                    "worlds are those of a table: give table too",
                ));
            }
            // An ensemble does with the local belief alone.
            None if belief.needs_experience() && belief != BeliefName::Ensemble => {
                return Err(PyTypeError::new_err(format!(
                    "belief `{name}` needs a table"
                )));
            }
            None => None,
        };
        // Learned now, so that no run has to wait for it; runs find it by its content.
        if let Some(experience) = &experience {
            py.detach(|| belief.learn_ahead(experience, &MODELS));
        }
        Ok(Self {
            name: belief,
            experience,
            eta,
        })
    }

    #[getter]
    fn name(&self) -> String {
        self.name.to_string()
    }

    fn __repr__(&self) -> String {
        let name = self.name;
        match &self.experience {
            Some(experience) => {
                let known = experience.worlds().len();
                format!("<psmp belief `{name}` from {known} known worlds>")
            }
            None => format!("<psmp belief `{name}`>"),
        }
    }
}

/// Opens a belief that was learned before and kept in a file, to plan on its roadmap.
#[pyfunction]
pub fn open_belief(
    py: Python<'_>,
    path: PathBuf,
    roadmap: &Bound<'_, Roadmap>,
) -> PyResult<Belief> {
    let graph = &roadmap.get().graph;
    let opened = py.detach(|| learned::open(&path, graph, &MODELS));
    Ok(Belief {
        name: BeliefName::Ensemble,
        experience: Some(opened.map_err(|e| file_error(&e))?),
        eta: DEFAULT_ETA,
    })
}
