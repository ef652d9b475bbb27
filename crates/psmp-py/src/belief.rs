//! Beliefs, for Python: a name, and the known worlds that it is learned from.
//!
//! A belief of a run is made when the run begins, because it belongs to the run's roadmap; what a
//! user holds is all that is needed for that. So one belief serves any number of runs.

use crate::arguments::{file_error, refused, worlds};
use crate::map::Map;
use crate::pickling::{Reduced, maker};
use crate::roadmap::Roadmap;
use crate::table::Table;
use psmp::by_name::{BeliefName, ModelCache, SpecError};
use psmp::{Connection, Experience};
use psmp_files::{BeliefFile, FileError, Fingerprint, MapSetting, learned};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::hash::{DefaultHasher, Hash, Hasher};
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

impl LearnedInMaps {
    /// The file of a belief that was learned so.
    fn bytes(&self, belief: &Belief) -> Option<Vec<u8>> {
        let experience = belief.experience.as_ref()?;
        Some(learned::bytes_of_maps(
            self.setting.clone(),
            experience,
            &MODELS,
        ))
    }
}

impl Belief {
    /// Sees that known worlds do not tell of more edges than a roadmap has.
    pub fn check_edges(&self, roadmap: &psmp::Roadmap) -> PyResult<()> {
        let told = self
            .experience
            .as_ref()
            .map_or(0, |e| e.table().edge_count());
        match told > roadmap.edge_count() {
            true => Err(PyValueError::new_err(format!(
                "belief: its table tells of {told} edges, but the roadmap has {}",
                roadmap.edge_count()
            ))),
            false => Ok(()),
        }
    }

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
        Self::of(py, file, experience, maps)
    }

    /// A belief that was kept in a file, and what it was learned with if that was maps.
    fn of(
        py: Python<'_>,
        file: PathBuf,
        experience: Experience,
        maps: Option<MapSetting>,
    ) -> PyResult<Self> {
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

    /// Its name, as on the command line.
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

    /// Keeps what was learned in a file, as `psmp learn` does: the known worlds of a roadmap and the models of them.
    /// `psmp.open_belief` and the command line open it.
    #[pyo3(signature = (path, roadmap=None))]
    fn save(
        &self,
        py: Python<'_>,
        path: PathBuf,
        roadmap: Option<&Bound<'_, Roadmap>>,
    ) -> PyResult<()> {
        let (BeliefName::Ensemble, Some(experience)) = (self.name, &self.experience) else {
            return Err(PyTypeError::new_err(format!(
                "`{}` is not kept in a file, which holds all that can be learned from worlds: save \
                 psmp.learn(table), or pickle this one",
                self.name
            )));
        };
        let saved = match (&self.maps, roadmap) {
            (Some(maps), None) => {
                let setting = maps.setting.clone();
                py.detach(|| learned::learn_maps(&path, setting, experience, &MODELS))
            }
            (None, Some(roadmap)) => {
                let graph = &roadmap.get().graph;
                self.check_edges(graph)?;
                py.detach(|| learned::learn(&path, graph, experience, &MODELS))
            }
            (Some(_), Some(_)) => {
                return Err(PyTypeError::new_err(
                    "a belief that was learned from maps has its roadmap: leave it out",
                ));
            }
            (None, None) => {
                return Err(PyTypeError::new_err(
                    "roadmap must be given: a file says which roadmap its worlds are of",
                ));
            }
        };
        saved.map_err(|e| file_error(&e))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Belief>() else {
            return false;
        };
        let other = other.get();
        let known = |belief: &Self| {
            let experience = belief.experience.clone()?;
            Some(experience.table().of_worlds(experience.worlds()))
        };
        let maps = |belief: &Self| belief.maps.as_ref().map(|maps| maps.bytes(belief));
        self.name == other.name
            && self.eta == other.eta
            && known(self) == known(other)
            && maps(self) == maps(other)
    }

    fn __hash__(&self) -> u64 {
        let mut hash = DefaultHasher::new();
        let worlds = self.experience.as_ref().map(|e| e.worlds().len());
        (self.name.to_string(), worlds).hash(&mut hash);
        hash.finish()
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<Reduced<'py, Bound<'py, PyTuple>>> {
        let (py, own) = (slf.py(), slf.get());
        if let Some(maps) = &own.maps {
            let bytes = PyBytes::new(py, &maps.bytes(own).unwrap_or_default());
            let arguments = (maps.file.clone(), bytes).into_pyobject(py)?;
            return Ok((maker::<Self>(py)?, arguments));
        }
        let experience = own.experience.as_ref();
        let table = experience.map(|e| Table(e.table().clone()));
        let worlds = experience.map(|e| e.worlds().iter().map(|w| w.0).collect::<Vec<u32>>());
        let name = own.name.to_string();
        let arguments = (slf.get_type(), name, table, worlds, own.eta).into_pyobject(py)?;
        // A subclass takes other arguments than its base, which it is made by.
        let make = py.get_type::<Self>().getattr("__new__")?;
        Ok((make, arguments))
    }

    /// A belief that was learned from maps, from the bytes of its file, for pickle.
    #[staticmethod]
    fn _of(py: Python<'_>, file: PathBuf, bytes: &[u8]) -> PyResult<Self> {
        let read = py.detach(|| {
            let belief = BeliefFile::read(&file, bytes)?;
            let maps = belief.maps.clone();
            let experience = maps
                .as_ref()
                .map(|m| belief.experience(&m.roadmap, &MODELS));
            Ok((experience, maps))
        });
        let (experience, maps) = read.map_err(|e: FileError| file_error(&e))?;
        match experience {
            Some(experience) => Self::of(py, file, experience, maps),
            None => Err(refused("pickle", "this belief was not learned from maps")),
        }
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
