//! Maps, for Python: a round robot in one as a checker, and beliefs that are learned from many.

use crate::arguments::{configurations, file_error, refused};
use crate::belief::Belief;
use crate::building::watched;
use crate::pickling::{Reduced, reduced, unpacked};
use crate::roadmap::Roadmap;
use crate::space::Space;
use numpy::{PyArray1, PyArray2};
use psmp::by_name::ModelCache;
use psmp::{Connection, Experience};
use psmp_files::{MapSetting, check_writable, learned};
use psmp_lab::{MapSet, MapsError, resolution_in, robot_in_map, usual_map_resolution};
use psmp_worlds::{DiscRobot, Frame, MapFile, OccupancyGrid};
use pyo3::IntoPyObjectExt;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// A round robot, or a point, in a map: says of places whether they are free.
///
/// The map is a picture (PNG, PGM or JPEG; white is free) that lies in `bounds` of x and y, by default with its longer
/// side from 0 to 1; or a ROS map, by its YAML file. Called on a place it says whether it is free, called on an array
/// of shape (n, 2) which of them are. Given to `psmp.plan` it checks without Python, and paths are proved free all
/// along.
#[pyclass(frozen, module = "psmp")]
pub struct Map {
    pub path: PathBuf,
    pub robot: DiscRobot,
}

/// The bounds of x and y.
type Centres = [[f64; 2]; 2];
/// Origin, yaw and side.
type Cells = ([f64; 2], f64, f64);

/// All that a map is made of, for pickle.
#[derive(Serialize, Deserialize)]
struct MapParts {
    path: PathBuf,
    radius: f64,
    size: (u32, u32),
    /// Bounds that the centres of cells span, or origin, yaw and side of cells that tile the plane.
    frame: Result<Centres, Cells>,
    /// A bit for each cell, row by row.
    free: Vec<u8>,
}

/// The bounds of x and y, if they are given.
fn plane(bounds: Option<&Bound<'_, PyAny>>) -> PyResult<Option<[[f64; 2]; 2]>> {
    let Some(given) = bounds else {
        return Ok(None);
    };
    match Space::given("bounds", given)?.axes() {
        [x, y] => Ok(Some([x, y].map(|axis| [axis.lower(), axis.upper()]))),
        _ => Err(PyValueError::new_err(
            "bounds are those of x and of y, as in [(0, 1), (0, 1)]",
        )),
    }
}

fn check_radius(radius: f64) -> PyResult<()> {
    match radius >= 0.0 && radius.is_finite() {
        true => Ok(()),
        false => Err(PyValueError::new_err(format!(
            "robot_radius must be finite and not negative, got {radius}"
        ))),
    }
}

impl Map {
    /// The part of the plane that it covers.
    pub fn space(&self) -> PyResult<psmp::Space> {
        let axes = self
            .robot
            .grown()
            .bounds()
            .map(|[low, high]| psmp::Axis::new(low, high));
        let axes = axes.into_iter().collect::<Result<_, _>>();
        axes.and_then(psmp::Space::new)
            .map_err(|e| refused("bounds", e))
    }

    /// The map as a belief was learned with, which must lie where its maps do.
    pub fn learned(py: Python<'_>, path: PathBuf, with: (&Path, &MapSetting)) -> PyResult<Self> {
        let robot = py.detach(|| robot_in_map(&path, None, None, Some(with)));
        Ok(Self {
            robot: robot.map_err(|e| file_error(&e))?,
            path,
        })
    }

    /// Sees that the map and its robot are as a belief was learned with.
    pub fn check(
        &self,
        belief: &Path,
        setting: &MapSetting,
        resolution: Option<f64>,
    ) -> PyResult<()> {
        setting
            .check(belief, Some(self.robot.radius()), resolution)
            .and_then(|()| {
                let area = self.robot.grown().area();
                setting.area.check(belief, &self.path, area)
            })
            .map_err(|e| {
                let remedy = e.remedy().unwrap_or_default();
                PyValueError::new_err(format!("{e}; {remedy}"))
            })
    }
}

#[pymethods]
impl Map {
    #[new]
    #[pyo3(signature = (path, *, robot_radius=0.0, bounds=None))]
    fn new(
        py: Python<'_>,
        path: PathBuf,
        robot_radius: f64,
        bounds: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        check_radius(robot_radius)?;
        let bounds = plane(bounds)?;
        let robot = py.detach(|| robot_in_map(&path, bounds, Some(robot_radius), None));
        Ok(Self {
            robot: robot.map_err(|e| file_error(&e))?,
            path,
        })
    }

    /// The radius of the robot.
    #[getter]
    fn robot_radius(&self) -> f64 {
        self.robot.radius()
    }

    /// The part of the plane that the map covers, of shape (2, 2).
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let rows = self.robot.grown().bounds().map(|axis| axis.to_vec());
        Ok(PyArray2::from_vec2(py, &rows)?)
    }

    /// Whether a place is free, or which of many are.
    fn __call__<'py>(&self, py: Python<'py>, q: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let (values, one) = configurations("q", 2, q)?;
        let free: Vec<bool> = values
            .chunks_exact(2)
            .map(|q| self.robot.free_at(q))
            .collect();
        match (one, free.first()) {
            (true, Some(free)) => free.into_bound_py_any(py),
            _ => Ok(PyArray1::from_vec(py, free).into_any()),
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other
            .cast::<Map>()
            .is_ok_and(|o| o.get().robot == self.robot)
    }

    fn __hash__(&self) -> u64 {
        let mut hash = DefaultHasher::new();
        let grid = self.robot.map();
        (grid.width(), grid.height(), self.robot.radius().to_bits()).hash(&mut hash);
        hash.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Bound<'py, PyBytes>,)>> {
        let grid = self.robot.map();
        let cells = (0..grid.height()).flat_map(|row| (0..grid.width()).map(move |c| (c, row)));
        let free: Vec<bool> = cells.map(|(c, row)| grid.is_cell_free(c, row)).collect();
        let free = free.chunks(8).map(|bits| {
            let places = bits.iter().zip(0..);
            places.fold(0, |byte, (free, place)| byte | u8::from(*free) << place)
        });
        let parts = MapParts {
            path: self.path.clone(),
            radius: self.robot.radius(),
            size: (grid.width(), grid.height()),
            frame: match grid.frame() {
                Frame::Centres { x, y } => Ok([x, y]),
                Frame::Cells {
                    origin,
                    yaw,
                    resolution,
                } => Err((origin, yaw, resolution)),
            },
            free: free.collect(),
        };
        reduced::<Self>(py, &parts)
    }

    /// A map from bytes, for pickle.
    #[staticmethod]
    fn _of(bytes: &[u8]) -> PyResult<Self> {
        let parts: MapParts = unpacked(bytes)?;
        let frame = match parts.frame {
            Ok([x, y]) => Frame::Centres { x, y },
            Err((origin, yaw, resolution)) => Frame::Cells {
                origin,
                yaw,
                resolution,
            },
        };
        let (width, height) = parts.size;
        let is_free = |column: u32, row: u32| {
            let cell = row as usize * width as usize + column as usize;
            let byte = parts.free.get(cell / 8).copied().unwrap_or(0);
            byte >> (cell % 8) & 1 == 1
        };
        let grid = OccupancyGrid::from_fn(width, height, frame, is_free);
        let grid = grid.map_err(|e| refused("pickle", e))?;
        let robot = DiscRobot::new(&grid, parts.radius);
        Ok(Self {
            path: parts.path,
            robot: robot.map_err(|e| refused("pickle", e))?,
        })
    }

    fn __repr__(&self) -> String {
        let grid = self.robot.grown();
        format!(
            "<psmp.Map `{}` of {} x {} cells, for a robot of radius {}>",
            self.path.display(),
            grid.width(),
            grid.height(),
            self.robot.radius()
        )
    }
}

fn maps_error(error: MapsError) -> PyErr {
    match error {
        MapsError::File(error) => file_error(&error),
        MapsError::Roadmap(error) => refused("roadmap", error),
        MapsError::NoMaps | MapsError::Stopped => refused("maps", error),
    }
}

/// What may be asked of a new belief, but for its maps.
struct Learning {
    file: PathBuf,
    roadmap: Option<psmp::Roadmap>,
    vertices: usize,
    bounds: Option<[[f64; 2]; 2]>,
    robot_radius: f64,
    resolution: Option<f64>,
}

impl Learning {
    /// Checks the roadmap in all maps and learns from what was found; counts maps that are done.
    fn learn(
        self,
        maps: &[PathBuf],
        done: &AtomicUsize,
        count: &AtomicUsize,
        is_wanted: &AtomicBool,
    ) -> PyResult<()> {
        let found = MapFile::find(maps).map_err(|e| file_error(&e))?;
        check_writable(&self.file).map_err(|e| file_error(&e))?;
        let maps = MapSet::open(found, self.bounds, self.robot_radius).map_err(maps_error)?;
        count.store(maps.count(), Ordering::Relaxed);
        let roadmap = match self.roadmap {
            Some(roadmap) => roadmap,
            None => {
                let space = maps.space().map_err(|e| refused("bounds", e))?;
                let points = psmp::roadmap::halton(&space, self.vertices);
                let radius = psmp::roadmap::prm_star_radius(&space, self.vertices);
                let joined = Connection::Radius(radius);
                psmp::Roadmap::from_configurations(space, points, joined)
                    .map_err(|e| refused("vertices", e))?
            }
        };
        let Some(space) = roadmap.space().filter(|space| space.dimension() == 2) else {
            let why = "its vertices are not configurations in the plane";
            return Err(refused("roadmap", why));
        };
        let step = self.resolution.unwrap_or(usual_map_resolution(space));
        let resolution = resolution_in(space, Some(step)).map_err(|e| refused("resolution", e))?;
        let mut parts = self.file.clone().into_os_string();
        parts.push(".parts");
        let parts = PathBuf::from(parts);
        let goes_on = || {
            done.fetch_add(1, Ordering::Relaxed);
            is_wanted.load(Ordering::Relaxed)
        };
        let table = maps.check(&roadmap, resolution, &parts, goes_on);
        let known = Experience::from(table.map_err(maps_error)?);
        let setting = maps.setting(&roadmap, resolution);
        learned::learn_maps(&self.file, setting, &known, &ModelCache::default())
            .and_then(|()| maps.clean(&roadmap, resolution, &parts))
            .map_err(|e| file_error(&e))
    }
}

/// Checks a roadmap in maps, on all cores, and learns from what is found: a belief, kept in a file. `tell` is
/// called now and then with how many maps are done, and of how many.
#[pyfunction]
#[pyo3(signature = (maps, file, roadmap, vertices, robot_radius, bounds, resolution, tell))]
#[expect(
    clippy::too_many_arguments,
    reason = "each is a keyword of psmp.learn_maps"
)]
pub fn learn_maps(
    py: Python<'_>,
    maps: Vec<PathBuf>,
    file: PathBuf,
    roadmap: Option<&Bound<'_, Roadmap>>,
    vertices: usize,
    robot_radius: f64,
    bounds: Option<&Bound<'_, PyAny>>,
    resolution: Option<f64>,
    tell: &Bound<'_, PyAny>,
) -> PyResult<Belief> {
    check_radius(robot_radius)?;
    if vertices == 0 {
        return Err(PyValueError::new_err("vertices must be at least 1, got 0"));
    }
    let learning = Learning {
        file: file.clone(),
        roadmap: roadmap.map(|roadmap| roadmap.get().graph.clone()),
        vertices,
        bounds: plane(bounds)?,
        robot_radius,
        resolution,
    };
    let done = Arc::new(AtomicUsize::new(0));
    let count = Arc::new(AtomicUsize::new(0));
    let is_wanted = Arc::new(AtomicBool::new(true));
    let (done_there, count_there, wanted_there) = (done.clone(), count.clone(), is_wanted.clone());
    let mut told = usize::MAX;
    let learned = watched(
        py,
        move || learning.learn(&maps, &done_there, &count_there, &wanted_there),
        |_| {
            let (done, count) = (done.load(Ordering::Relaxed), count.load(Ordering::Relaxed));
            if count > 0 && std::mem::replace(&mut told, done) != done {
                tell.call1((done, count))?;
            }
            Ok(())
        },
    );
    // What is done stays; no more is begun for one who does not wait for it.
    is_wanted.store(false, Ordering::Relaxed);
    learned??;
    Belief::open(py, file, None)
}
