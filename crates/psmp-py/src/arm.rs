//! Robot arms and trajectories, for Python.

use crate::arguments::{configurations, file_error, matrix, refused, values, vector};
use crate::arm_checker::ArmChecker;
use crate::building::interruptible;
use crate::pickling::{Reduced, maker, reduced, unpacked};
use crate::roadmap::Roadmap;
use crate::scene::{Positions, Request, Scene, pose};
use crate::space::Space;
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use psmp::Connection;
use psmp_arm::{
    ArmError, Goal, MotionLimits, PairSampling, Permissions, PoseGoal, Robot, Sampling, Search,
    Semantics, SphereModel, kept_roadmap, models,
};
use psmp_files::FileError;
use psmp_lab::counted;
use pyo3::exceptions::{PyFileNotFoundError, PyKeyError, PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};
use std::ffi::CString;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;

// Python shows the defaults of a signature only where they are written out.
const _: () = {
    assert!(psmp_arm::DEFAULT_SPHERES == 256);
    assert!(psmp_arm::DEFAULT_VERTICES == 10000 && psmp_arm::DEFAULT_NEIGHBOURS == 15);
    assert!(psmp_arm::DEFAULT_ACCELERATION == 1.0);
};

/// What is wrong with an arm or what is given to it, with the remedy.
pub fn arm_error(name: &str, error: &ArmError) -> PyErr {
    refused(name, format!("{error}; {}", error.remedy()))
}

fn positions(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Positions> {
    let wrong = || PyTypeError::new_err(format!("{name} must be a dict of joints and positions"));
    let given = given.cast::<PyDict>().map_err(|_| wrong())?;
    let one =
        |(joint, at): (Bound<'_, PyAny>, Bound<'_, PyAny>)| Ok((joint.extract()?, at.extract()?));
    given
        .iter()
        .map(one)
        .collect::<PyResult<_>>()
        .map_err(|_| wrong())
}

/// A robot arm: the joints of a robot that are planned for, everything else held still.
///
/// `robot` is a URDF file, or the name of a shipped model: `panda-like`, `wam-like`, `ur5-like`, or `planar-4` for
/// any number of joints. `srdf` has its groups, of which `group` is planned for, and says which links are never
/// checked against each other; without it pairs of links that need no check are found by sampling, and the groups are
/// `arm`, the longest chain without the hand at its end, and `all`. `spheres` is how many spheres cover the robot for
/// quick checks, at most; covers, pairs and roadmaps are kept in the user's cache. Meshes are read from the URDF's
/// folder and from packages; folders in `allow_paths` may be named too.
#[pyclass(frozen, module = "psmp")]
pub struct Arm {
    arm: psmp_arm::Arm,
    spheres: Arc<SphereModel>,
}

/// What robots and scenes may name besides what is in their own folders and packages.
pub fn permissions(allow_paths: &[PathBuf]) -> PyResult<Permissions> {
    let mut paths = allow_paths.iter();
    let all = paths.try_fold(Permissions::default(), Permissions::allow_path);
    all.map_err(|e| file_error(&e))
}

/// Warns where the caller will see it.
pub fn warn(py: Python<'_>, message: &str) -> PyResult<()> {
    let message = CString::new(message.replace('\0', " "))?;
    PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)
}

/// Warns of what is wrong with the cache, which stops no one.
fn warn_of_cache(py: Python<'_>, troubles: &[FileError]) -> PyResult<()> {
    let mut troubles = troubles.iter();
    troubles.try_for_each(|trouble| warn(py, &format!("the cache: {trouble}")))
}

/// The robot of a file or of a shipped model, and what is known of its groups.
fn load(
    robot: &PathBuf,
    srdf: Option<&PathBuf>,
    allow_paths: &[PathBuf],
) -> PyResult<(Robot, Option<Semantics>)> {
    let shipped = robot.to_str().and_then(models::named);
    match (shipped, srdf) {
        (Some(_), Some(_)) => Err(PyTypeError::new_err(format!(
            "`{}` is a shipped model, which needs no srdf: leave it out, or name a URDF file",
            robot.display()
        ))),
        (Some((robot, semantics)), None) => Ok((robot, Some(semantics))),
        (None, _) if !robot.exists() => Err(PyFileNotFoundError::new_err(format!(
            "there is no robot `{}`: name a URDF file, or one of the shipped models {}",
            robot.display(),
            models::NAMES.join(", ")
        ))),
        (None, srdf) => {
            let permissions = permissions(allow_paths)?;
            let robot = Robot::read_with(robot, &permissions).map_err(|e| file_error(&e))?;
            let semantics = srdf.map(|file| Semantics::read(file, &robot)).transpose();
            let semantics = semantics.map_err(|e| file_error(&e))?;
            Ok((robot, semantics))
        }
    }
}

#[pymethods]
impl Arm {
    #[new]
    #[pyo3(signature = (robot, *, srdf=None, group=None, spheres=256, allow_paths=vec![]))]
    fn new(
        py: Python<'_>,
        robot: PathBuf,
        srdf: Option<PathBuf>,
        group: Option<String>,
        spheres: usize,
        allow_paths: Vec<PathBuf>,
    ) -> PyResult<Self> {
        if spheres == 0 {
            return Err(PyValueError::new_err("spheres must be at least 1, got 0"));
        }
        let is_named = group.is_some();
        let (robot, semantics, cover, troubles) = interruptible(py, move || {
            let (robot, semantics) = load(&robot, srdf.as_ref(), &allow_paths)?;
            let (cover, mut troubles) = SphereModel::kept(&robot, spheres);
            let semantics = match semantics {
                Some(semantics) => semantics,
                None => {
                    let kept = Semantics::kept(&robot, &PairSampling::default());
                    let (mut semantics, more) = kept.map_err(|e| arm_error("robot", &e))?;
                    troubles.extend(more);
                    // The longest chain is meant where no group is named.
                    if !is_named {
                        semantics.groups.truncate(1);
                    }
                    semantics
                }
            };
            PyResult::Ok((robot, semantics, cover, troubles))
        })??;
        warn_of_cache(py, &troubles)?;
        py.detach(|| {
            let names = || semantics.groups.iter().map(|g| g.name.as_str());
            let group = match (&group, semantics.obvious_group(&robot)) {
                (Some(group), _) => group,
                (None, Some(obvious)) => &obvious.name,
                (None, None) if semantics.groups.is_empty() => {
                    let error = ArmError::Empty(robot.name().to_owned());
                    return Err(arm_error("robot", &error));
                }
                (None, None) => {
                    return Err(PyTypeError::new_err(format!(
                        "robot `{}` has several groups: choose one with group, of {}",
                        robot.name(),
                        names().collect::<Vec<_>>().join(", ")
                    )));
                }
            };
            let arm = psmp_arm::Arm::new(robot, &semantics, group);
            Ok(Self {
                arm: arm.map_err(|e| arm_error("group", &e))?,
                spheres: Arc::new(cover),
            })
        })
    }

    /// The robot's name.
    #[getter]
    fn name(&self) -> &str {
        self.arm.robot().name()
    }

    /// The group that is planned for.
    #[getter]
    fn group(&self) -> &str {
        self.arm.group()
    }

    /// How many numbers a configuration has.
    #[getter]
    fn dof(&self) -> usize {
        self.arm.dimension()
    }

    /// The joint of each number of a configuration.
    #[getter]
    fn joints(&self) -> Vec<&str> {
        self.arm.names().collect()
    }

    /// The links of the robot, parents first.
    #[getter]
    fn links(&self) -> Vec<&str> {
        let links = self.arm.robot().links().iter();
        links.map(|link| link.name.as_str()).collect()
    }

    /// The states that have a name, such as `home`.
    #[getter]
    fn states(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.arm.states().iter().map(|s| s.name.as_str()).collect();
        names.sort_unstable();
        names
    }

    /// The space of configurations, by the joints' limits.
    #[getter]
    fn space(&self) -> Space {
        Space(self.arm.space().clone())
    }

    /// A configuration by the name of a state, or by the positions of the joints.
    fn configuration<'py>(
        &self,
        py: Python<'py>,
        state: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let q = configuration(&self.arm, "state", state)?;
        Ok(PyArray1::from_vec(py, q))
    }

    /// Configurations that bring a link to a pose, the nearest to `near` first.
    #[pyo3(signature = (pose, link=None, *, near=None, tolerance=(0.0, 0.0), solutions=8, restarts=200, apart=0.1, seed=0))]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword of Python's")]
    fn inverse<'py>(
        &self,
        py: Python<'py>,
        pose: &Bound<'py, PyAny>,
        link: Option<&str>,
        near: Option<&Bound<'py, PyAny>>,
        tolerance: (f64, f64),
        solutions: usize,
        restarts: usize,
        apart: f64,
        seed: u64,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let (distance, angle) = tolerance;
        if !(distance >= 0.0 && angle >= 0.0 && apart >= 0.0) {
            return Err(PyValueError::new_err(
                "tolerance (metres and radians) and apart must not be negative",
            ));
        }
        let goal = Goal::Pose(wanted(link, pose)?.within(distance, angle));
        let search = Search {
            solutions,
            restarts,
            apart,
            seed,
        };
        let near = self.near(near)?;
        let found = py.detach(|| self.arm.goals(&[goal], &near, &search));
        self.rows(py, found.map_err(|e| arm_error("pose", &e))?)
    }

    /// Configurations that the goals of a request stand for, the nearest to its start first.
    fn goals<'py>(
        &self,
        py: Python<'py>,
        request: &Bound<'py, Request>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let request = &request.get().0;
        let found = py.detach(|| {
            let arm = self.arm.with_state(&request.start)?;
            let start = arm.configuration(&request.start)?;
            arm.goals(&request.goals, &start, &Search::default())
        });
        self.rows(py, found.map_err(|e| arm_error("request", &e))?)
    }

    /// Where a link is: matrices of shape (4, 4), or (n, 4, 4) for many configurations.
    #[pyo3(signature = (q, link=None))]
    fn pose<'py>(
        &self,
        py: Python<'py>,
        q: &Bound<'py, PyAny>,
        link: Option<&str>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let link = match link {
            None => self.arm.tip(),
            Some(name) => self.arm.robot().link(name).ok_or_else(|| {
                PyKeyError::new_err(format!(
                    "the robot has no link `{name}`; it has {}",
                    self.links().join(", ")
                ))
            })?,
        };
        let (values, one) = configurations("q", self.dof(), q)?;
        let count = values.len() / self.dof();
        let matrices = py.detach(|| {
            let kinematics = self.arm.kinematics();
            let mut poses = kinematics.poses(count);
            kinematics.compute(&values, &mut poses);
            (0..count)
                .flat_map(|i| matrix_of(&poses.of(i)[link]))
                .collect()
        });
        let matrices = PyArray1::from_vec(py, matrices);
        Ok(match one {
            true => matrices.reshape([4, 4])?.into_any(),
            false => matrices.reshape([count, 4, 4])?.into_any(),
        })
    }

    /// A roadmap of configurations in which the arm does not collide with itself.
    #[pyo3(signature = (vertices=10000, *, nearest=15, seed=None))]
    fn roadmap(
        &self,
        py: Python<'_>,
        vertices: usize,
        nearest: usize,
        seed: Option<u64>,
    ) -> PyResult<Roadmap> {
        if vertices == 0 {
            return Err(PyValueError::new_err("vertices must be at least 1, got 0"));
        }
        let connection = Connection::Nearest(nearest);
        let sampling = seed.map_or(Sampling::Halton, Sampling::Uniform);
        let kept =
            py.detach(|| kept_roadmap(&self.arm, &self.spheres, vertices, sampling, connection));
        // With neighbours to join, only the robot can be at fault: hardly anything of it is free.
        let fault = if nearest == 0 { "nearest" } else { "robot" };
        let (graph, troubles) = kept.map_err(|e| refused(fault, e))?;
        warn_of_cache(py, &troubles)?;
        Ok(Roadmap::new(graph, Some(connection)))
    }

    /// The arm in a scene as a checker.
    #[pyo3(signature = (scene=None, *, kind="refined", state=None, allow=vec![]))]
    fn checker(
        &self,
        py: Python<'_>,
        scene: Option<&Bound<'_, Scene>>,
        kind: &str,
        state: Option<&Bound<'_, PyAny>>,
        allow: Vec<(String, String)>,
    ) -> PyResult<ArmChecker> {
        let state = state.map(|s| positions("state", s)).transpose()?;
        let scene = scene.map(|s| s.get().now().clone());
        py.detach(|| {
            let mut scene = scene.unwrap_or_default();
            let arm = self.arm.with_state(&scene.state);
            let arm = arm.map_err(|e| arm_error("scene", &e))?;
            let arm = arm.with_state(&state.unwrap_or_default());
            let mut arm = arm.map_err(|e| arm_error("state", &e))?;
            for (one, other) in &allow {
                let allowed = arm.allow(&mut scene, one, other);
                allowed.map_err(|e| arm_error("allow", &e))?;
            }
            ArmChecker::new(kind, &arm, &self.spheres, &scene)
        })
    }

    /// A path with times.
    #[pyo3(signature = (path, *, velocity=None, acceleration=1.0, period=0.01))]
    fn trajectory<'py>(
        &self,
        py: Python<'py>,
        path: &Bound<'py, PyAny>,
        velocity: Option<f64>,
        acceleration: f64,
        period: f64,
    ) -> PyResult<Trajectory> {
        let dof = self.dof();
        let path = values(&matrix::<f64>("path", "n", Some(dof), path)?)?;
        if !(period > 0.0 && period.is_finite()) {
            return Err(PyValueError::new_err(format!(
                "period must be positive and finite, got {period}"
            )));
        }
        let rows: Vec<&[f64]> = path.chunks_exact(dof).collect();
        if let Some(place) = rows.iter().position(|q| !self.arm.space().contains(q)) {
            return Err(PyValueError::new_err(format!(
                "path has a configuration outside the joints' limits in row {place}"
            )));
        }
        let mut limits = MotionLimits::of(&self.arm, acceleration);
        if let Some(velocity) = velocity {
            limits.velocity.fill(velocity);
        }
        let made = py.detach(|| {
            let along = psmp_arm::Trajectory::along(&self.arm, &rows, &limits)?;
            let instants: Vec<psmp_arm::Instant> = along.instants(period).collect();
            Ok::<_, psmp_arm::TrajectoryError>(instants)
        });
        let instants = made.map_err(|e| PyValueError::new_err(e.to_string()))?;
        let table = |pick: fn(&psmp_arm::Instant) -> &[f64]| {
            let all = instants.iter().flat_map(pick).copied();
            let rows = PyArray1::from_iter(py, all).reshape([instants.len(), dof])?;
            Ok::<_, PyErr>(rows.unbind())
        };
        Ok(Trajectory {
            joints: self.joints().into_iter().map(str::to_owned).collect(),
            times: PyArray1::from_iter(py, instants.iter().map(|i| i.time)).unbind(),
            positions: table(|i| &i.positions)?,
            velocities: table(|i| &i.velocities)?,
            accelerations: table(|i| &i.accelerations)?,
        })
    }

    fn __repr__(&self) -> String {
        format!(
            "<psmp.Arm `{}`, group `{}` of {}>",
            self.name(),
            self.group(),
            counted(self.dof(), "joints")
        )
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> PyResult<bool> {
        let Ok(other) = other.cast::<Arm>() else {
            return Ok(false);
        };
        let py = other.py();
        let [one, other] = [self, other.get()].map(|arm| arm.__reduce__(py));
        Ok(one?.1.0.as_bytes() == other?.1.0.as_bytes())
    }

    fn __hash__(&self) -> u64 {
        let mut hash = DefaultHasher::new();
        (self.name(), self.group(), self.dof()).hash(&mut hash);
        hash.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Bound<'py, PyBytes>,)>> {
        reduced::<Self>(py, &(&self.arm, &*self.spheres))
    }

    /// An arm from bytes, for pickle.
    #[staticmethod]
    fn _of(py: Python<'_>, bytes: &[u8]) -> PyResult<Self> {
        let (arm, spheres): (_, SphereModel) = py.detach(|| unpacked(bytes))?;
        Ok(Self {
            arm,
            spheres: Arc::new(spheres),
        })
    }
}

impl Arm {
    /// A configuration that others are to be near to: in the middle if none is given.
    fn near(&self, given: Option<&Bound<'_, PyAny>>) -> PyResult<Vec<f64>> {
        match given {
            None => {
                let axes = self.arm.space().axes().iter();
                Ok(axes
                    .map(|axis| axis.lower().midpoint(axis.upper()))
                    .collect())
            }
            Some(q) if q.is_instance_of::<PyString>() || q.is_instance_of::<PyDict>() => {
                configuration(&self.arm, "near", q)
            }
            Some(q) => values(&vector::<f64>("near", Some(self.dof()), q)?),
        }
    }

    fn rows<'py>(
        &self,
        py: Python<'py>,
        found: Vec<Vec<f64>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        PyArray1::from_vec(py, found.concat()).reshape([found.len(), self.dof()])
    }
}

/// The configuration of a named state, or of joints at positions by name.
pub fn configuration(
    arm: &psmp_arm::Arm,
    name: &str,
    given: &Bound<'_, PyAny>,
) -> PyResult<Vec<f64>> {
    let given = match given.extract::<String>() {
        Ok(state) => match arm.state(&state) {
            Ok(positions) => positions.to_vec(),
            Err(e) => return Err(PyKeyError::new_err(e.to_string())),
        },
        Err(_) => positions(name, given)?,
    };
    arm.configuration(&given).map_err(|e| arm_error(name, &e))
}

/// Where a link is wanted: a matrix, a position and a quaternion, or a position alone.
fn wanted(link: Option<&str>, pose: &Bound<'_, PyAny>) -> PyResult<PoseGoal> {
    let made = self::pose("pose", pose)?;
    let is_place_alone = pose.len().is_ok_and(|n| n == 3);
    Ok(match is_place_alone {
        true => PoseGoal::at(link, made.translation),
        false => PoseGoal::exact(link, &made),
    })
}

/// A pose as a matrix, row by row.
fn matrix_of(pose: &psmp_arm::Pose<f64>) -> [f64; 16] {
    let ([a, b, c], t) = (pose.rotation, pose.translation);
    let mut matrix = [0.0; 16];
    for (row, (turn, way)) in [a, b, c].into_iter().zip(t).enumerate() {
        matrix[4 * row..4 * row + 3].copy_from_slice(&turn);
        matrix[4 * row + 3] = way;
    }
    matrix[15] = 1.0;
    matrix
}

/// A path with times: where the joints are and how fast they move, an instant a row.
#[pyclass(frozen, get_all, module = "psmp")]
pub struct Trajectory {
    /// The joint of each column.
    joints: Vec<String>,
    /// Seconds from the start, of shape (n,).
    times: Py<PyArray1<f64>>,
    /// Where the joints are, of shape (n, dof).
    positions: Py<PyArray2<f64>>,
    /// How fast they move.
    velocities: Py<PyArray2<f64>>,
    /// How much faster they become.
    accelerations: Py<PyArray2<f64>>,
}

/// All that a trajectory is made of, for pickle.
type TrajectoryParts = (Vec<String>, Py<PyArray1<f64>>, [Py<PyArray2<f64>>; 3]);

#[pymethods]
impl Trajectory {
    /// How many seconds it takes.
    #[getter]
    fn duration(&self, py: Python<'_>) -> PyResult<f64> {
        let times = self.times.bind(py).try_readonly()?;
        Ok(times.as_array().last().copied().unwrap_or(0.0))
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!(
            "<psmp.Trajectory of {}, {:.3} s>",
            counted(self.joints.len(), "joints"),
            self.duration(py)?
        ))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, TrajectoryParts>> {
        let tables = [&self.positions, &self.velocities, &self.accelerations];
        let tables = tables.map(|table| table.clone_ref(py));
        let parts = (self.joints.clone(), self.times.clone_ref(py), tables);
        Ok((maker::<Self>(py)?, parts))
    }

    /// A trajectory from its parts, for pickle.
    #[staticmethod]
    fn _of(joints: Vec<String>, times: Py<PyArray1<f64>>, tables: [Py<PyArray2<f64>>; 3]) -> Self {
        let [positions, velocities, accelerations] = tables;
        Self {
            joints,
            times,
            positions,
            velocities,
            accelerations,
        }
    }
}
