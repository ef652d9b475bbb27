//! What stands around a robot, and requests to move, for Python.
//!
//! A scene can be changed, by one thread at a time; a checker that was made of it has it as it was then.

use crate::arguments::{file_error, matrix, refused, shaped, values};
use crate::arm::{permissions, warn};
use crate::pickling::{Reduced, reduced, unpacked};
use psmp_arm::{Attached, Goal, Mesh, Object, Placed, PointCloud, Pose, Shape, ShapeError};
use psmp_lab::counted;
use pyo3::exceptions::{PyKeyError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Positions of joints by name.
pub type Positions = Vec<(String, f64)>;

/// A pose: a matrix, a position and a quaternion, or a position alone, which is turned in no way.
pub fn pose(name: &str, given: &Bound<'_, PyAny>) -> PyResult<Pose> {
    let shapes = "(4, 4), (7,) or (3,)";
    let fits = |shape: &[usize]| matches!(shape, [4, 4] | [7] | [3]);
    let numbers = values(&shaped::<f64>(name, shapes, fits, given)?)?;
    let made = match numbers[..] {
        [x, y, z] => Pose::from_quaternion([x, y, z], [0.0, 0.0, 0.0, 1.0]),
        [x, y, z, qx, qy, qz, qw] => Pose::from_quaternion([x, y, z], [qx, qy, qz, qw]),
        _ => {
            let row = |r: usize| [numbers[4 * r], numbers[4 * r + 1], numbers[4 * r + 2]];
            let way = [numbers[3], numbers[7], numbers[11]];
            Pose::from_rotation(way, [row(0), row(1), row(2)])
        }
    };
    made.map_err(|e| refused(name, e))
}

/// A mesh by its vertices and triangles, as a pair or as what has `vertices` and `faces`, such as trimesh's.
fn mesh(given: &Bound<'_, PyAny>) -> PyResult<Shape> {
    let parts = given.extract::<(Bound<'_, PyAny>, Bound<'_, PyAny>)>();
    let parts = parts.or_else(|_| Ok((given.getattr("vertices")?, given.getattr("faces")?)));
    let (vertices, triangles) = parts.map_err(|_: PyErr| {
        PyTypeError::new_err(
            "mesh must be a pair of vertices of shape (n, 3) and triangles of shape (m, 3), or have \
             `vertices` and `faces`",
        )
    })?;
    let vertices = values(&matrix::<f64>("vertices", "n", Some(3), &vertices)?)?;
    let triangles = values(&matrix::<i64>("triangles", "m", Some(3), &triangles)?)?;
    let corner = |&place: &i64| {
        u32::try_from(place).map_err(|_| refused("triangles", format!("{place} is no vertex")))
    };
    let triangles: Vec<u32> = triangles.iter().map(corner).collect::<PyResult<_>>()?;
    let made = Mesh::new(
        vertices.as_chunks().0.to_vec(),
        triangles.as_chunks().0.to_vec(),
    );
    Ok(Shape::Mesh(made.map_err(|e| refused("mesh", e))?.into()))
}

/// What stands around a robot: a MoveIt planning scene (YAML), a scene in TOML, or one that is put together here.
///
/// A file with nothing in it is taken for a mistake, unless `empty` is true; without a file the scene begins with
/// nothing. Meshes and point clouds are read from the scene's folder and from packages; folders in `allow_paths` may
/// be named too. A point cloud without points is a `UserWarning`, and nothing of it is in the way.
#[pyclass(frozen, module = "psmp")]
pub struct Scene(Mutex<psmp_arm::Scene>);

impl Scene {
    fn of(scene: psmp_arm::Scene) -> Self {
        Self(Mutex::new(scene))
    }

    /// The scene as it is now. Whoever changes it leaves it whole.
    pub fn now(&self) -> MutexGuard<'_, psmp_arm::Scene> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Nothing of this name stands in a scene.
fn nowhere(scene: &psmp_arm::Scene, name: &str) -> PyErr {
    let names: Vec<&str> = scene.objects.iter().map(|o| o.name.as_str()).collect();
    let there = match names[..] {
        [] => "nothing".to_owned(),
        _ => names.join(", "),
    };
    PyKeyError::new_err(format!(
        "no object `{name}` stands in the scene; there is {there}"
    ))
}

/// The place of an object that stands still.
fn standing(scene: &psmp_arm::Scene, name: &str) -> PyResult<usize> {
    let mut objects = scene.objects.iter();
    let place = objects.position(|object| object.name == name);
    place.ok_or_else(|| nowhere(scene, name))
}

/// The place of a thing that a link holds.
fn held(scene: &psmp_arm::Scene, name: &str) -> Option<usize> {
    let mut attached = scene.attached.iter();
    attached.position(|held| held.object.name == name)
}

fn moved(object: &mut Object, by: &Pose) {
    for placed in &mut object.shapes {
        placed.pose = by.then(&placed.pose);
    }
}

#[pymethods]
impl Scene {
    #[new]
    #[pyo3(signature = (path=None, *, empty=false, allow_paths=vec![]))]
    fn new(
        py: Python<'_>,
        path: Option<PathBuf>,
        empty: bool,
        allow_paths: Vec<PathBuf>,
    ) -> PyResult<Self> {
        let permissions = permissions(&allow_paths)?.empty_scenes(empty);
        let Some(path) = path else {
            return Ok(Self::of(psmp_arm::Scene::default()));
        };
        let read = py.detach(|| psmp_arm::Scene::read_with(&path, &permissions));
        let scene = read.map_err(|e| file_error(&e))?;
        for name in scene.unseen() {
            let path = path.display();
            let message = format!(
                "the point cloud `{name}` of `{path}` has no points, so that nothing of it is in the way"
            );
            warn(py, &message)?;
        }
        Ok(Self::of(scene))
    }

    /// The robot that the scene is for, if it says.
    #[getter]
    fn robot(&self) -> Option<String> {
        self.now().robot.clone()
    }

    /// The things that stand still.
    #[getter]
    fn objects(&self) -> Vec<String> {
        self.now().objects.iter().map(|o| o.name.clone()).collect()
    }

    /// The things that move with a link, each with its link.
    #[getter]
    fn attached(&self) -> Vec<(String, String)> {
        let scene = self.now();
        let attached = scene.attached.iter();
        attached
            .map(|a| (a.object.name.clone(), a.link.clone()))
            .collect()
    }

    /// Positions of joints.
    #[getter]
    fn state(&self) -> BTreeMap<String, f64> {
        by_name(&self.now().state)
    }

    /// Puts a thing of one shape into the scene.
    ///
    /// The shape is one of `box` (its sides), `sphere` (its radius), `cylinder`, `capsule` and `cone` (radius and
    /// height, along z), `mesh` (vertices and triangles, or what has `vertices` and `faces`), `half_space` (everything
    /// below the x-y plane), or `points`, an array of shape (n, 3), each the centre of a ball of `radius`. `pose` is
    /// where its middle is in the frame of the robot's root: a matrix (4, 4), a position and a quaternion (x, y, z,
    /// qx, qy, qz, qw), or a position alone.
    #[pyo3(signature = (name, *, r#box=None, sphere=None, cylinder=None, capsule=None, cone=None, mesh=None, half_space=false, points=None, radius=None, pose=None))]
    #[expect(clippy::too_many_arguments, reason = "each is a keyword of Python's")]
    fn add(
        &self,
        py: Python<'_>,
        name: String,
        r#box: Option<[f64; 3]>,
        sphere: Option<f64>,
        cylinder: Option<[f64; 2]>,
        capsule: Option<[f64; 2]>,
        cone: Option<[f64; 2]>,
        mesh: Option<&Bound<'_, PyAny>>,
        half_space: bool,
        points: Option<&Bound<'_, PyAny>>,
        radius: Option<f64>,
        pose: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        type Round = fn(f64, f64) -> Result<Shape, ShapeError>;
        let round = |make: Round, given: Option<[f64; 2]>| given.map(|[r, h]| make(r, h));
        let plain = [
            r#box.map(Shape::cuboid),
            sphere.map(Shape::sphere),
            round(Shape::cylinder, cylinder),
            round(Shape::capsule, capsule),
            round(Shape::cone, cone),
            half_space.then_some(Ok(Shape::HalfSpace)),
        ];
        let mut shapes: Vec<Option<Shape>> = Vec::new();
        for shape in plain.into_iter().flatten() {
            shapes.push(Some(shape.map_err(|e| refused("shape", e))?));
        }
        if let Some(given) = mesh {
            shapes.push(Some(self::mesh(given)?));
        }
        match (points, radius) {
            (Some(given), Some(radius)) => {
                let numbers = values(&matrix::<f64>("points", "n", Some(3), given)?)?;
                let points = numbers.as_chunks().0.to_vec();
                shapes.push(match points.is_empty() {
                    true => {
                        let message = format!(
                            "the point cloud `{name}` has no points, so that nothing of it is in the way"
                        );
                        warn(py, &message)?;
                        None
                    }
                    false => {
                        let cloud = PointCloud::new(points, radius);
                        let cloud = cloud.map_err(|e| refused("points", e))?;
                        Some(Shape::Points(cloud.into()))
                    }
                });
            }
            (None, None) => {}
            _ => {
                return Err(PyTypeError::new_err(
                    "points and radius go together: each point is the centre of a ball",
                ));
            }
        }
        let count = shapes.len();
        let (Some(shape), 1) = (shapes.pop(), count) else {
            return Err(PyTypeError::new_err(format!(
                "`{name}` must have one shape, got {count}: give one of box, sphere, cylinder, capsule, cone, mesh, \
                 half_space and points"
            )));
        };
        let pose = match pose {
            Some(given) => self::pose("pose", given)?,
            None => Pose::at([0.0; 3]),
        };
        let mut scene = self.now();
        if scene.object(&name).is_some() || held(&scene, &name).is_some() {
            return Err(PyValueError::new_err(format!(
                "there is a `{name}` already: move or remove it, or give another name"
            )));
        }
        let shapes = shape.map(|shape| Placed { shape, pose });
        scene.objects.push(Object {
            name,
            shapes: shapes.into_iter().collect(),
        });
        Ok(())
    }

    /// Moves a thing that stands still to a pose, as of `add`; of several shapes the first is there then, and the
    /// others with it.
    #[pyo3(name = "move")]
    fn move_to(&self, name: &str, pose: &Bound<'_, PyAny>) -> PyResult<()> {
        let to = self::pose("pose", pose)?;
        let mut scene = self.now();
        let place = standing(&scene, name)?;
        let object = &mut scene.objects[place];
        if let Some(first) = object.shapes.first() {
            let by = to.then(&first.pose.inverse());
            moved(object, &by);
            // Not the product of three, which may be a little off.
            object.shapes[0].pose = to;
        }
        Ok(())
    }

    /// Takes a thing out of the scene, or out of the hand.
    fn remove(&self, name: &str) -> PyResult<()> {
        let mut scene = self.now();
        match held(&scene, name) {
            Some(place) => drop(scene.attached.remove(place)),
            None => {
                let place = standing(&scene, name)?;
                scene.objects.remove(place);
            }
        }
        Ok(())
    }

    /// A thing that stood still moves with a link from now on. It is where it is while the link is at the pose `at`, as
    /// of `arm.pose(q, link)`, and may touch the link and those in `touch`.
    #[pyo3(signature = (name, link, at, *, touch=vec![]))]
    fn attach(
        &self,
        name: &str,
        link: String,
        at: &Bound<'_, PyAny>,
        touch: Vec<String>,
    ) -> PyResult<()> {
        let at = pose("at", at)?;
        let mut scene = self.now();
        let place = standing(&scene, name)?;
        let mut object = scene.objects.remove(place);
        moved(&mut object, &at.inverse());
        scene.attached.push(Attached {
            object,
            link,
            touch,
        });
        Ok(())
    }

    /// A thing that was held stands still from now on, where it is while its link is at the pose `at`.
    fn detach(&self, name: &str, at: &Bound<'_, PyAny>) -> PyResult<()> {
        let at = pose("at", at)?;
        let mut scene = self.now();
        let Some(place) = held(&scene, name) else {
            return Err(PyKeyError::new_err(format!("no link holds `{name}`")));
        };
        let Attached { mut object, .. } = scene.attached.remove(place);
        moved(&mut object, &at);
        scene.objects.push(object);
        Ok(())
    }

    /// Allows links, things that are held or objects to touch each other, or forbids it.
    #[pyo3(signature = (one, other, allowed=true))]
    fn allow(&self, one: &str, other: &str, allowed: bool) {
        self.now().allowed.set(one, other, allowed);
    }

    /// Another scene that is the same now.
    fn copy(&self) -> Self {
        Self::of(self.now().clone())
    }

    fn __copy__(&self) -> Self {
        self.copy()
    }

    fn __deepcopy__(&self, _memo: &Bound<'_, PyAny>) -> Self {
        self.copy()
    }

    /// Writes a MoveIt planning scene (YAML), as the command line reads it: of boxes, spheres and cylinders that
    /// stand still.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let scene = self.now().clone();
        py.detach(|| scene.write(path)).map_err(|e| file_error(&e))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Scene>() else {
            return false;
        };
        let other = other.get().now().clone();
        *self.now() == other
    }

    fn __repr__(&self) -> String {
        let scene = self.now();
        format!(
            "<psmp.Scene of {}, {} attached>",
            counted(scene.objects.len(), "objects"),
            scene.attached.len()
        )
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Bound<'py, PyBytes>,)>> {
        reduced::<Self>(py, &*self.now())
    }

    /// A scene from bytes, for pickle.
    #[staticmethod]
    fn _of(bytes: &[u8]) -> PyResult<Self> {
        unpacked(bytes).map(Self::of)
    }
}

fn by_name(positions: &Positions) -> BTreeMap<String, f64> {
    positions.iter().cloned().collect()
}

/// From where to where to move, and with which group: a MoveIt motion plan request (YAML).
#[pyclass(frozen, module = "psmp")]
pub struct Request(pub psmp_arm::MotionRequest);

#[pymethods]
impl Request {
    #[new]
    fn new(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = py.detach(|| psmp_arm::MotionRequest::read(&path));
        read.map(Self).map_err(|e| file_error(&e))
    }

    /// The group that is to move.
    #[getter]
    fn group(&self) -> &str {
        &self.0.group
    }

    /// Positions of joints at the start, also of those that are not to move.
    #[getter]
    fn start(&self) -> BTreeMap<String, f64> {
        by_name(&self.0.start)
    }

    /// Positions of joints at the goal; of poses and of several goals, `Arm.goals` has them.
    #[getter]
    fn goal(&self) -> PyResult<BTreeMap<String, f64>> {
        match &self.0.goals[..] {
            [Goal::Joints(positions)] => Ok(by_name(positions)),
            _ => Err(PyValueError::new_err(
                "the goal of this request is a pose, or one of several: arm.goals(request) has the \
                 configurations",
            )),
        }
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Request>().is_ok_and(|o| o.get().0 == self.0)
    }

    fn __repr__(&self) -> String {
        format!("<psmp.Request for group `{}`>", self.0.group)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Bound<'py, PyBytes>,)>> {
        reduced::<Self>(py, &self.0)
    }

    /// A request from bytes, for pickle.
    #[staticmethod]
    fn _of(bytes: &[u8]) -> PyResult<Self> {
        unpacked(bytes).map(Self)
    }
}
