//! Known worlds on one roadmap, for Python: a dataset's folder, or worlds made on the spot.

use crate::arguments::{configurations, either, file_error, refused, worlds};
use crate::belief::MODELS;
use crate::columns::{Column, columns};
use crate::pickling::Reduced;
use crate::roadmap::Roadmap;
use crate::table::Table;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use psmp::{Fallback, Progress, WorldId};
use psmp_lab::counted;
use psmp_lab::families::Family;
use psmp_lab::score::Improvement;
use psmp_lab::sweep::{Familiarity, SweepError, SweepOptions};
use psmp_lab::trial::{Ending, Trial};
use psmp_lab::{Arena, Entrant, Origin, Problems, Row};
use psmp_worlds::{OccupancyGrid, Prefer, ReadOptions};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// A roadmap, a start and a goal, and which edge is free in which of many worlds.
///
/// Worlds and vertices are counted from 0, whatever the files count from.
#[pyclass(frozen, module = "psmp")]
pub struct Dataset {
    problems: Arc<dyn Problems>,
    roadmap: Py<Roadmap>,
    prefer: Option<String>,
}

/// One world of a dataset as a checker.
#[pyclass(frozen, module = "psmp")]
pub struct RecordedWorld {
    pub problems: Arc<dyn Problems>,
    pub world: WorldId,
    prefer: Option<String>,
    /// Its image, read when it is first asked for.
    image: OnceLock<Option<OccupancyGrid>>,
}

/// All that is needed to get the same dataset again, in this process or another.
fn recipe<'py>(
    py: Python<'py>,
    problems: &dyn Problems,
    prefer: Option<&str>,
) -> PyResult<Bound<'py, PyTuple>> {
    match problems.origin() {
        Origin::Folder(folder) => ("open", folder, prefer).into_pyobject(py),
        Origin::Made { worlds, test, seed } => {
            ("make", problems.name(), worlds, test, seed).into_pyobject(py)
        }
    }
}

#[pymethods]
impl RecordedWorld {
    /// Whether a configuration is free in the world's image, or which of an array of them are.
    fn __call__<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let image = match self.image.get() {
            Some(image) => image,
            None => {
                let image = self.problems.image(self.world);
                let image = image.map_err(|e| file_error(&e))?;
                self.image.get_or_init(|| image)
            }
        };
        let Some(image) = image else {
            return Err(PyValueError::new_err(format!(
                "world {} of dataset `{}` has no image: of its edges alone it is known whether they are free",
                self.world.0,
                self.problems.name()
            )));
        };
        let (values, one) = configurations("q", 2, q)?;
        let free: Vec<bool> = values.chunks_exact(2).map(|q| image.free_at(q)).collect();
        match (one, free.first()) {
            (true, Some(free)) => free.into_bound_py_any(py),
            _ => Ok(PyArray1::from_vec(py, free).into_any()),
        }
    }

    fn __repr__(&self) -> String {
        format!(
            "<psmp world {} of dataset `{}`>",
            self.world.0,
            self.problems.name()
        )
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<RecordedWorld>() else {
            return Ok(false);
        };
        let py = other.py();
        let [one, other] = [self, other.get()].map(|world| world.__reduce__(py));
        let ((_, one), (_, other)) = (one?, other?);
        Ok(one.1 == other.1 && one.0.eq(other.0)?)
    }

    fn __hash__(&self) -> u32 {
        self.world.0
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Reduced<'py, (Bound<'py, PyTuple>, u32)>> {
        let make = py.import("psmp.sweeps")?.getattr("_world")?;
        let recipe = recipe(py, &*self.problems, self.prefer.as_deref())?;
        Ok((make, (recipe, self.world.0)))
    }
}

impl Dataset {
    fn of(py: Python<'_>, problems: Arc<dyn Problems>, prefer: Option<&str>) -> PyResult<Self> {
        let roadmap = Roadmap::new(problems.roadmap().clone(), None);
        Ok(Self {
            roadmap: Py::new(py, roadmap)?,
            problems,
            prefer: prefer.map(str::to_owned),
        })
    }

    fn world(&self, world: u32) -> PyResult<WorldId> {
        let count = self
            .problems
            .table()
            .map_err(|e| file_error(&e))?
            .world_count();
        if (world as usize) < count {
            return Ok(WorldId(world));
        }
        Err(PyValueError::new_err(format!(
            "world {world} is not in dataset `{}`: its worlds are 0 to {}",
            self.problems.name(),
            count as i64 - 1
        )))
    }
}

fn ids<'py>(py: Python<'py>, worlds: Option<&[WorldId]>) -> Option<Bound<'py, PyArray1<u32>>> {
    worlds.map(|worlds| PyArray1::from_vec(py, worlds.iter().map(|w| w.0).collect()))
}

#[pymethods]
impl Dataset {
    /// Reads the dataset in a folder.
    #[staticmethod]
    #[pyo3(signature = (folder, *, prefer="text"))]
    fn open(py: Python<'_>, folder: PathBuf, prefer: &str) -> PyResult<Self> {
        let twins = [("text", Prefer::Text), ("mat", Prefer::Mat)];
        let options = ReadOptions {
            prefer: either("prefer", prefer, twins)?,
            ..ReadOptions::default()
        };
        let read = py.detach(|| psmp_worlds::Dataset::open_with(folder, options));
        Self::of(
            py,
            Arc::new(read.map_err(|e| file_error(&e))?),
            Some(prefer),
        )
    }

    /// Makes worlds of a family, the same for the same seed.
    #[staticmethod]
    #[pyo3(signature = (family, worlds=1000, *, test=None, seed=0))]
    fn make(
        py: Python<'_>,
        family: &str,
        worlds: usize,
        test: Option<usize>,
        seed: u64,
    ) -> PyResult<Self> {
        let family = Family::named(family).ok_or_else(|| {
            let names: Vec<&str> = Family::all().map(|family| family.name).collect();
            refused(
                "family",
                format!("there is no `{family}`; choose one of {}", names.join(", ")),
            )
        })?;
        let test = test.unwrap_or(worlds.div_ceil(10));
        if worlds == 0 || test > worlds {
            return Err(PyValueError::new_err(format!(
                "worlds must be at least 1 and test at most as many, got {worlds} and {test}"
            )));
        }
        let made = py.detach(|| family.generate(worlds, test, seed, || ()));
        Self::of(py, Arc::new(made.map_err(|e| refused("family", e))?), None)
    }

    /// The name of its folder or family.
    #[getter]
    fn name(&self) -> &str {
        self.problems.name()
    }

    /// The roadmap that all of its worlds tell of.
    #[getter]
    fn roadmap(&self, py: Python<'_>) -> Py<Roadmap> {
        self.roadmap.clone_ref(py)
    }

    /// Which edge is free in which world.
    #[getter]
    fn table(&self) -> PyResult<Table> {
        let table = self.problems.table().map_err(|e| file_error(&e))?;
        Ok(Table(table.clone()))
    }

    /// Where planning begins, a vertex.
    #[getter]
    fn start(&self) -> PyResult<u32> {
        Ok(self.problems.query().map_err(|e| file_error(&e))?.start.0)
    }

    /// Where planning ends, a vertex.
    #[getter]
    fn goal(&self) -> PyResult<u32> {
        Ok(self.problems.query().map_err(|e| file_error(&e))?.goal.0)
    }

    /// The worlds to learn from, counted from 0, if the dataset names them.
    #[getter]
    fn train<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u32>>> {
        ids(py, self.problems.train())
    }

    /// The worlds to plan in, counted from 0, if the dataset names them.
    #[getter]
    fn test<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyArray1<u32>>> {
        ids(py, self.problems.test())
    }

    /// A world, counted from 0, as a checker.
    fn check(&self, world: u32) -> PyResult<RecordedWorld> {
        Ok(RecordedWorld {
            world: self.world(world)?,
            problems: self.problems.clone(),
            prefer: self.prefer.clone(),
            image: OnceLock::new(),
        })
    }

    /// The image of a world, its first row on top: true where it is free. None if there is none.
    fn image<'py>(
        &self,
        py: Python<'py>,
        world: u32,
    ) -> PyResult<Option<Bound<'py, PyArray2<bool>>>> {
        let image = self.problems.image(self.world(world)?);
        let Some(image) = image.map_err(|e| file_error(&e))? else {
            return Ok(None);
        };
        let rows = (0..image.height()).flat_map(|row| (0..image.width()).map(move |c| (c, row)));
        let free: Vec<bool> = rows.map(|(c, row)| image.is_cell_free(c, row)).collect();
        let shape = [image.height() as usize, image.width() as usize];
        PyArray1::from_vec(py, free).reshape(shape).map(Some)
    }

    /// All that is needed to get the same dataset again, in this process or another.
    fn _recipe<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyTuple>> {
        recipe(py, &*self.problems, self.prefer.as_deref())
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Bound<'py, PyTuple>,)>> {
        let make = py.import("psmp.sweeps")?.getattr("_dataset")?;
        Ok((make, (self._recipe(py)?,)))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let py = other.py();
        match other.cast::<Dataset>() {
            Ok(other) => self._recipe(py)?.eq(other.get()._recipe(py)?),
            Err(_) => Ok(false),
        }
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        self._recipe(py)?.hash()
    }

    fn __repr__(&self) -> String {
        let worlds = self.problems.table().map_or(0, |table| table.world_count());
        let roadmap = self.problems.roadmap();
        format!(
            "<psmp.Dataset `{}` of {} on {} and {}>",
            self.problems.name(),
            counted(worlds, "worlds"),
            counted(roadmap.vertex_count(), "vertices"),
            counted(roadmap.edge_count(), "edges")
        )
    }
}

fn sweep_error(error: SweepError) -> PyErr {
    match error {
        SweepError::File(error) => file_error(&error),
        SweepError::Planner { .. } | SweepError::Unfit { .. } => refused("planners", error),
        SweepError::Resolution(error) => refused("resolution", error),
        SweepError::Dataset { .. } | SweepError::Threads(_) => refused("dataset", error),
    }
}

/// Runs planners in some worlds of a dataset: the columns of their rows.
#[pyfunction]
#[pyo3(signature = (dataset, worlds, planners, seeds, *, experience, resolution, eta, fallback, budget))]
#[expect(clippy::too_many_arguments, reason = "each is a keyword of psmp.sweep")]
pub fn sweep_rows<'py>(
    py: Python<'py>,
    dataset: &Bound<'py, Dataset>,
    worlds: &Bound<'py, PyAny>,
    planners: Vec<String>,
    seeds: Vec<u64>,
    experience: &str,
    resolution: Option<f64>,
    eta: f64,
    fallback: Option<u32>,
    budget: Option<u64>,
) -> PyResult<Vec<Column<'py>>> {
    let problems = dataset.get().problems.clone();
    let table = problems.table().map_err(|e| file_error(&e))?;
    let worlds = self::worlds("worlds", Some(worlds), table.world_count())?;
    let kinds = [("seen", Familiarity::Seen), ("unseen", Familiarity::Unseen)];
    let familiarity = either("experience", experience, kinds)?;
    let entrant = |name: &String| {
        Ok(Entrant {
            name: name.parse().map_err(|e| refused("planners", e))?,
            familiarity,
        })
    };
    let entrants: Vec<Entrant> = planners.iter().map(entrant).collect::<PyResult<_>>()?;
    let options = sweep_options(seeds, resolution, eta, fallback, budget);
    let mut found = Vec::new();
    for world in worlds {
        let runs = py.detach(|| -> Result<Vec<Row>, SweepError> {
            let arena = Arena::open(&*problems, world)?;
            let runs = entrants.iter().flat_map(|entrant| {
                let seeds = options.seeds.iter();
                seeds.map(move |&seed| (entrant, seed))
            });
            runs.map(|(entrant, seed)| arena.run_any(entrant, seed, &options))
                .collect()
        });
        found.extend(runs.map_err(sweep_error)?);
        py.check_signals()?;
    }
    columns(py, &found)
}

fn sweep_options(
    seeds: Vec<u64>,
    resolution: Option<f64>,
    eta: f64,
    fallback: Option<u32>,
    budget: Option<u64>,
) -> SweepOptions {
    SweepOptions {
        seeds,
        resolution,
        eta,
        fallback: fallback.map_or(Fallback::Never, Fallback::AfterNoImprovement),
        budget,
        prices: None,
        models: MODELS.clone(),
        jobs: Some(1),
        belief: None,
    }
}

/// A better path of somebody else's planner: its length, after so many configurations and seconds.
type FoundByAnother = (u64, f64, f64);

/// The columns of a row about a run of somebody else's planner in a world of a dataset: what was found on the way, how
/// many configurations and seconds it took in all, whether it was stopped, and the library that the planner is of.
#[pyfunction]
#[pyo3(signature = (dataset, world, planner, seed, found, configurations, seconds, stopped, library, *, resolution, eta, fallback, budget))]
#[expect(clippy::too_many_arguments, reason = "they are what a row tells")]
pub fn row_of_another<'py>(
    py: Python<'py>,
    dataset: &Bound<'py, Dataset>,
    world: u32,
    planner: &str,
    seed: u64,
    found: Vec<FoundByAnother>,
    configurations: u64,
    seconds: f64,
    stopped: bool,
    library: &str,
    resolution: Option<f64>,
    eta: f64,
    fallback: Option<u32>,
    budget: Option<u64>,
) -> PyResult<Vec<Column<'py>>> {
    let world = dataset.get().world(world)?;
    let options = sweep_options(vec![seed], resolution, eta, fallback, budget);
    let time = |seconds: f64| Duration::try_from_secs_f64(seconds).unwrap_or_default();
    let trial = Trial {
        improvements: found
            .iter()
            .map(|&(configurations, length, _)| Improvement {
                configurations,
                proposals: 0,
                length,
            })
            .collect(),
        times: found.iter().map(|&(.., seconds)| time(seconds)).collect(),
        // Our RRTConnect ends so, too.
        ending: match stopped {
            true => Ending::Stopped,
            false => Ending::GaveUp,
        },
        progress: Progress {
            configurations,
            best_length: found.last().map(|&(_, length, _)| length),
            ..Progress::BEGINNING
        },
        duration: time(seconds),
    };
    let arena = Arena::open(&*dataset.get().problems, world).map_err(sweep_error)?;
    let row = arena.row_of_another(planner, seed, &options, trial);
    let mut row = row.map_err(sweep_error)?;
    row.version = format!("{} with {library}", row.version);
    columns(py, &[row])
}
