//! Beliefs, for Python: a name, and the known worlds that it is learned from.
//!
//! A belief of a run is made when the run begins, because it belongs to the run's roadmap; what a
//! user holds is all that is needed for that. So one belief serves any number of runs.

use crate::arguments::{file_error, refused, worlds};
use crate::map::Map;
use crate::roadmap::Roadmap;
use crate::table::Table;
use psmp::by_name::{BeliefName, ModelCache, SpecError};
use psmp::{Connection, Experience};
use psmp_files::{BeliefFile, FileError, Fingerprint, MapSetting};
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
    /// What it was learned with, where it was learned from maps.
    pub maps: Option<LearnedInMaps>,
}

/// What a belief was learned with, and the file that says so.
pub struct LearnedInMaps {
    pub file: PathBuf,
    pub setting: MapSetting,
    roadmap: Py<Roadmap>,
}

impl Belief {
    /// Opens a file, for a roadmap or for the one that the file has.
    pub fn open(py: Python<'_>, file: PathBuf, roadmap: Option<&psmp::Roadmap>) -> PyResult<Self> {
        let (roadmap, path) = (roadmap.cloned(), file.clone());
        let opened = py.detach(|| {
            let belief = BeliefFile::open(&path)?;
            let own = belief.maps.as_ref().map(|maps| maps.roadmap.clone());
            let Some(roadmap) = roadmap.or(own) else {
                let problem = "was not learned from maps, and so has no roadmap";
                return Err(
                    FileError::new(&path, problem).hint("give the roadmap that it is about")
                );
            };
            belief.check_roadmap(&path, Fingerprint::of(&roadmap))?;
            let experience = belief.experience(&roadmap, &MODELS);
            Ok((experience, belief.maps))
        });
        let (experience, maps) = opened.map_err(|e| file_error(&e))?;
        let maps = match maps {
            Some(setting) => {
                let radius = psmp::roadmap::prm_star_radius;
                let joined = setting
                    .roadmap
                    .space()
                    .map(|space| Connection::Radius(radius(space, setting.roadmap.vertex_count())));
                let roadmap = Roadmap::new(setting.roadmap.clone(), joined);
                Some(LearnedInMaps {
                    file,
                    roadmap: Py::new(py, roadmap)?,
                    setting,
                })
            }
            None => None,
        };
        Ok(Self {
            name: BeliefName::Ensemble,
            experience: Some(experience),
            eta: DEFAULT_ETA,
            maps,
        })
    }
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
            maps: None,
        })
    }

    #[getter]
    fn name(&self) -> String {
        self.name.to_string()
    }

    /// The roadmap that it was learned on, where it was learned from maps.
    #[getter]
    fn roadmap(&self, py: Python<'_>) -> Option<Py<Roadmap>> {
        Some(self.maps.as_ref()?.roadmap.clone_ref(py))
    }

    /// A new map to plan in, for the robot that it was learned for.
    fn map(&self, py: Python<'_>, path: PathBuf) -> PyResult<Map> {
        let Some(maps) = &self.maps else {
            return Err(PyTypeError::new_err(
                "this belief was not learned from maps: open the map with psmp.Map",
            ));
        };
        Map::learned(py, path, (&maps.file, &maps.setting))
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

/// Opens a belief that was learned before and kept in a file, to plan on its roadmap; one that was learned from
/// maps has that itself.
#[pyfunction]
#[pyo3(signature = (path, roadmap=None))]
pub fn open_belief(
    py: Python<'_>,
    path: PathBuf,
    roadmap: Option<&Bound<'_, Roadmap>>,
) -> PyResult<Belief> {
    Belief::open(py, path, roadmap.map(|roadmap| &roadmap.get().graph))
}
