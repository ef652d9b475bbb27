//! Paths by themselves, for Python: straightened, and proved free.

use crate::arguments::{matrix, refused, values};
use crate::checker::{Check, FunctionWorld};
use crate::engine::told;
use crate::space::Space;
use crate::stop::{Signals, Stop};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use psmp::checker::{MotionChecker, World};
use psmp::shortcut::ShortcutOptions;
use psmp::{Limit, Resolution, SessionError, Waypoints};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::fmt::Display;
use std::sync::Arc;
use std::time::Instant;

/// The rows of a path, which lie in a space.
fn rows(space: &psmp::Space, path: &Bound<'_, PyAny>) -> PyResult<Vec<f64>> {
    let dimension = space.dimension();
    let rows = values(&matrix::<f64>("path", "n", Some(dimension), path)?)?;
    if rows.is_empty() {
        return Err(PyValueError::new_err("path has no configuration"));
    }
    let outside = rows
        .chunks_exact(dimension)
        .position(|q| !space.contains(q));
    match outside {
        Some(row) => Err(PyValueError::new_err(format!(
            "path has a configuration outside the space in row {row}"
        ))),
        None => Ok(rows),
    }
}

/// Something to do with the motions of a world of any kind.
trait WithMotions {
    type Made;

    fn with<W>(self, motions: MotionChecker<W>) -> Result<Self::Made, W::Error>
    where
        W: World + Send,
        W::Error: Into<PyErr> + Display + Send;
}

/// Does it with what checks, and hears of Ctrl-C meanwhile.
fn with_motions<T: WithMotions + Send>(
    py: Python<'_>,
    check: &Check,
    space: &psmp::Space,
    resolution: Option<f64>,
    stop: &psmp::Stop,
    what: T,
) -> PyResult<T::Made>
where
    T::Made: Send,
{
    let resolution = check.resolution(Some(space), resolution)?;
    let signals = Arc::new(Signals::new(false));
    let heard = signals.clone();
    let stop = stop.clone() | psmp::Stop::when(move || heard.are_raised());
    let limit = Limit::since(Instant::now(), &stop);
    let setting = Setting {
        space,
        resolution,
        limit: &limit,
    };
    let made = match check {
        Check::Configurations(world) => {
            let world: FunctionWorld = world.clone();
            py.detach(|| setting.with(world, what))
        }
        Check::Arm(checker) => {
            let arm = checker.get().within(Some(space))?;
            py.detach(|| setting.with(arm, what))
        }
        Check::Map(map) => {
            let robot = map.get().robot.clone();
            py.detach(|| setting.with(robot, what))
        }
        Check::Edges(_) | Check::Recorded(..) => {
            return Err(PyTypeError::new_err(
                "check must say of configurations whether they are free: a path need not be on a roadmap",
            ));
        }
    };
    signals.take().map_or(made, Err)
}

struct Setting<'a> {
    space: &'a psmp::Space,
    resolution: Resolution,
    limit: &'a Limit,
}

impl Setting<'_> {
    fn with<W, T: WithMotions>(&self, world: W, what: T) -> PyResult<T::Made>
    where
        W: World + Send,
        W::Error: Into<PyErr> + Display + Send,
    {
        let motions = MotionChecker::new(self.space, self.resolution, world);
        let mut motions = motions.map_err(|e| refused("resolution", e))?.proving();
        motions.obey(self.limit);
        let made = what.with(motions);
        made.map_err(|e| told(SessionError::World(e)))
    }
}

struct Straightening {
    path: Waypoints,
    seed: u64,
}

impl WithMotions for Straightening {
    type Made = Waypoints;

    fn with<W: World>(self, mut motions: MotionChecker<W>) -> Result<Waypoints, W::Error> {
        let options = ShortcutOptions::default();
        psmp::shortcut::shortcut(self.path, &mut motions, options, self.seed, |_, _| ())
    }
}

/// A free path straightened: random places on it are joined by straight motions, where these are free.
#[pyfunction]
#[pyo3(signature = (path, check, called_on, space, seed, resolution, stop))]
#[expect(
    clippy::too_many_arguments,
    reason = "each is a keyword of psmp.shortcut"
)]
pub fn shortcut<'py>(
    py: Python<'py>,
    path: &Bound<'py, PyAny>,
    check: &Bound<'py, PyAny>,
    called_on: &str,
    space: Option<&Bound<'py, PyAny>>,
    seed: u64,
    resolution: Option<f64>,
    stop: Option<&Bound<'py, Stop>>,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let check = Check::given(check, called_on)?;
    let space = match (space, &check) {
        (Some(space), _) => Space::given("space", space)?,
        (None, Check::Arm(checker)) => checker.get().space(),
        (None, Check::Map(map)) => map.get().space()?,
        (None, _) => {
            return Err(PyTypeError::new_err(
                "space must be given, as roadmap.space or bounds: a function does not know where its \
                 configurations lie",
            ));
        }
    };
    let path = Waypoints::new(&space, rows(&space, path)?);
    let what = Straightening { path, seed };
    let stop = Stop::condition(stop);
    let straight = with_motions(py, &check, &space, resolution, &stop, what)?;
    let shape = [straight.count(), space.dimension()];
    PyArray1::from_slice(py, straight.coordinates()).reshape(shape)
}

struct Proving {
    rows: Vec<f64>,
}

impl WithMotions for Proving {
    type Made = Option<usize>;

    fn with<W: World>(self, mut motions: MotionChecker<W>) -> Result<Option<usize>, W::Error> {
        let dimension = motions.space().dimension();
        let at = |row: usize| &self.rows[row * dimension..(row + 1) * dimension];
        if !motions.is_free(at(0))? {
            return Ok(Some(0));
        }
        for motion in 1..self.rows.len() / dimension {
            if motions.is_proved_free(at(motion - 1), at(motion))? != Some(true) {
                return Ok(Some(motion - 1));
            }
        }
        Ok(None)
    }
}

/// The first motion of a path that is not free all along; none if all are.
#[pyfunction]
pub fn first_unproved(
    py: Python<'_>,
    path: &Bound<'_, PyAny>,
    check: &Bound<'_, PyAny>,
    resolution: Option<f64>,
) -> PyResult<Option<usize>> {
    let check = Check::given(check, "configuration")?;
    let Check::Arm(checker) = &check else {
        return Err(PyTypeError::new_err(
            "a path is certified for an arm in a scene",
        ));
    };
    let space = checker.get().space();
    let what = Proving {
        rows: rows(&space, path)?,
    };
    let never = psmp::Stop::never();
    with_motions(py, &check, &space, resolution, &never, what)
}
