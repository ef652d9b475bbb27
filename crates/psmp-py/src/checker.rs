//! What checks: the user's function on a configuration, on a batch of them or on an edge; a world of
//! a dataset; a robot in a map; or an arm in a scene.
//!
//! Whatever a function raises comes back as it is. An answer that is no answer (forgetting to return
//! one is the usual way) is a TypeError rather than a wall or a gap. Only functions take the
//! interpreter; everything else is checked without it.

use crate::arguments::{described, file_error, read_only, refused, vector};
use crate::arm_checker::ArmChecker;
use crate::dataset::RecordedWorld;
use crate::engine::{AnySession, told};
use crate::film::Place;
use crate::map::Map;
use crate::memory;
use crate::pickling::{Reduced, maker};
use crate::roadmap::Roadmap;
use numpy::npyffi::{NPY_ARRAY_ALIGNED, NPY_ARRAY_C_CONTIGUOUS, NPY_ARRAY_WRITEABLE};
use numpy::{PyArray1, PyArrayDescr, PyArrayMethods, PyUntypedArrayMethods};
use psmp::by_name::PlannerName;
use psmp::checker::{
    Bill, BisectionChecker, BisectionError, Checker, EdgeMemory, Finding, Part, Sightings, Verdict,
    VerticesOnce, World,
};
use psmp::{
    AnyChecker, EdgeId, Limit, Query, Resolution, Session, SessionError, SessionOptions, Space,
    WorldId,
};
use psmp_files::{Keeping, WorldRecord};
use psmp_lab::{Problems, checker_for, map_record, usual_map_resolution};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::ffi::Py_REFCNT;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBool, PyDict, PyString, PyTuple, PyType};
use std::convert::Infallible;
use std::ffi::c_int;
use std::slice;
use std::sync::Arc;

/// A function of the user's. However many worlds and checkers of a run ask it, Python counts one reference: that
/// which the run shows to the garbage collector.
pub type Function = Arc<Py<PyAny>>;

/// Ends what a check is called on, where the resolution is the largest step of any axis.
const BY_AXIS: &str = ", by axis";

/// Something that checks, as the user gave it.
pub enum Check {
    Configurations(FunctionWorld),
    Edges(Function),
    Recorded(Arc<dyn Problems>, WorldId),
    Arm(Py<ArmChecker>),
    Map(Py<Map>),
}

impl Check {
    /// The checker that was given, with what it is called on: `configuration`, `batch`, a batch for so many
    /// `processes`, or `edge`; and whether the resolution is `by axis`.
    pub fn given(check: &Bound<'_, PyAny>, called_on: &str) -> PyResult<Self> {
        if let Ok(world) = check.cast::<RecordedWorld>() {
            let world = world.get();
            return Ok(Check::Recorded(world.problems.clone(), world.world));
        }
        if let Ok(arm) = check.cast::<ArmChecker>() {
            return Ok(Check::Arm(arm.clone().unbind()));
        }
        if let Ok(map) = check.cast::<Map>() {
            return Ok(Check::Map(map.clone().unbind()));
        }
        if !check.is_callable() {
            return Err(PyTypeError::new_err(format!(
                "check must be a function, a world of a dataset, a map or an arm's checker, got {}",
                described(check)
            )));
        }
        let function = Arc::new(check.clone().unbind());
        let (called_on, by_axis) = match called_on.strip_suffix(BY_AXIS) {
            Some(called_on) => (called_on, true),
            None => (called_on, false),
        };
        let processes = called_on.strip_prefix("processes ");
        let (in_batches, cores) = match (called_on, processes.map(str::parse)) {
            ("configuration", _) => (false, 1),
            ("batch", _) => (true, 1),
            ("edge", _) => return Ok(Check::Edges(function)),
            (_, Some(Ok(cores))) => (true, cores),
            (other, _) => {
                return Err(refused("check", format!("nothing is called on `{other}`")));
            }
        };
        Ok(Check::Configurations(FunctionWorld {
            function,
            in_batches,
            cores,
            by_axis,
            given: None,
        }))
    }

    /// The function that is called, if one is.
    pub fn function(&self) -> Option<Function> {
        match self {
            Check::Configurations(world) => Some(world.function.clone()),
            Check::Edges(function) => Some(function.clone()),
            Check::Recorded(..) | Check::Arm(_) | Check::Map(_) => None,
        }
    }

    /// Where it is that it checks, as far as that can be drawn.
    pub fn scenery(&self) -> PyResult<Place> {
        Ok(match self {
            Check::Configurations(_) | Check::Edges(_) => Place::Unknown,
            Check::Recorded(problems, world) => {
                let image = problems.image(*world).map_err(|e| file_error(&e))?;
                image.map_or(Place::Unknown, |image| Place::Cells(Box::new(image), None))
            }
            Check::Map(map) => {
                let robot = &map.get().robot;
                let grown = (robot.radius() > 0.0).then(|| Box::new(robot.grown().clone()));
                Place::Cells(Box::new(robot.map().clone()), grown)
            }
            Check::Arm(checker) => Place::Arm(Box::new(checker.get().shown())),
        })
    }

    /// Whether it says of any configuration whether it is free.
    pub fn checks_configurations(&self) -> bool {
        matches!(
            self,
            Check::Configurations(_) | Check::Arm(_) | Check::Map(_)
        )
    }

    /// How finely motions are asked about: an arm's by the joint that moves farthest.
    pub fn resolution(&self, space: Option<&Space>, given: Option<f64>) -> PyResult<Resolution> {
        let made = match self {
            Check::Arm(_) => Resolution::largest_axis(given.unwrap_or(psmp_arm::DEFAULT_STEP)),
            Check::Configurations(FunctionWorld { by_axis: true, .. }) => {
                Resolution::largest_axis(given.unwrap_or(psmp_arm::DEFAULT_STEP))
            }
            Check::Map(_) => {
                let usual = space.map_or(0.01, usual_map_resolution);
                Resolution::distance(given.unwrap_or(usual))
            }
            _ => {
                let side = space.map_or(1.0, Space::longest_side);
                Resolution::distance(given.unwrap_or(side / 1000.0))
            }
        };
        made.map_err(|e| refused("resolution", e))
    }

    /// A start or goal as it was given, but for what only an arm has: the names of states, and positions of
    /// joints by name.
    pub fn place<'py>(&self, name: &str, given: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let is_named = given.is_instance_of::<PyString>() || given.is_instance_of::<PyDict>();
        match self {
            _ if !is_named => Ok(given.clone()),
            Check::Arm(checker) => checker.get().place(name, given),
            _ => Err(PyTypeError::new_err(format!(
                "{name} must be an array, because only the check of an arm knows states and joints by name"
            ))),
        }
    }

    /// How a run is kept, with what was kept before in the options. Of functions nothing can be
    /// told apart but by the name of their world: without one, verdicts hold for one run.
    pub fn keeping(
        &self,
        py: Python<'_>,
        place: &memory::Place,
        space: &Space,
        world: Option<&str>,
        options: &mut SessionOptions,
    ) -> PyResult<Keeping> {
        let roadmap = options.roadmap.clone();
        let begun = |record: WorldRecord| -> PyResult<Keeping> {
            let keeping = place.open(space, record).map_err(|e| file_error(&e))?;
            if let Some(roadmap) = &roadmap {
                let first = keeping.check_first(roadmap);
                first.map_err(|e| file_error(&e))?;
            }
            Ok(keeping)
        };
        let resolution = options.resolution;
        match (self, resolution) {
            (Check::Arm(checker), Some(resolution)) => {
                if world.is_some() {
                    return Err(PyTypeError::new_err(
                        "world is for functions: an arm's checker knows its scene",
                    ));
                }
                let checker = checker.get();
                let mut keeping = begun(checker.record(resolution))?;
                let known = match keeping.kept() {
                    Some(kept) => {
                        py.detach(|| checker.still_known(kept, keeping.world(), resolution))?
                    }
                    None => EdgeMemory::default(),
                };
                keeping.begin(options, known);
                Ok(keeping)
            }
            (Check::Map(map), Some(resolution)) => {
                if world.is_some() {
                    return Err(PyTypeError::new_err(
                        "world is for functions: a map knows itself",
                    ));
                }
                let mut keeping = begun(map_record(&map.get().robot, resolution))?;
                let known = keeping.kept().map(|kept| kept.known_in(keeping.world()));
                keeping.begin(options, known.unwrap_or_default());
                Ok(keeping)
            }
            _ => {
                let about = format!("{} {resolution:?}", world.unwrap_or_default());
                let mut keeping = begun(WorldRecord::whole(b"a function", about.as_bytes()))?;
                let kept = keeping.kept().filter(|_| world.is_some());
                let known = kept.map(|kept| kept.known_in(keeping.world()));
                keeping.begin(options, known.unwrap_or_default());
                Ok(keeping)
            }
        }
    }

    /// A session from a configuration to any of others.
    pub fn session(
        &self,
        py: Python<'_>,
        space: &Space,
        start: &[f64],
        goals: &[Vec<f64>],
        options: SessionOptions,
    ) -> PyResult<Box<dyn AnySession>> {
        match self {
            Check::Arm(checker) => {
                let checker = checker.get();
                let arm = checker.within(Some(space))?;
                py.detach(|| checker.check_ends(start, goals))?;
                Ok(Box::new(arm.session(start, goals, options).map_err(told)?))
            }
            Check::Configurations(world) => {
                let session = Session::in_space(space, world.clone(), start, goals, options);
                Ok(Box::new(session.map_err(told)?))
            }
            Check::Map(map) => {
                let robot = map.get().robot.clone();
                let session = Session::in_space(space, robot, start, goals, options);
                Ok(Box::new(session.map_err(told)?))
            }
            Check::Edges(_) | Check::Recorded(..) => {
                unreachable!("what checks edges alone is asked about them alone")
            }
        }
    }

    /// A session from vertex to vertex.
    pub fn session_on(
        &self,
        roadmap: &psmp::Roadmap,
        query: Query,
        resolution: Option<f64>,
        options: SessionOptions,
    ) -> PyResult<Box<dyn AnySession>> {
        match self {
            Check::Configurations(world) => {
                let edges = self.for_roadmap(roadmap, resolution, &options.planner)?;
                let session = Session::on_roadmap_in(world.clone(), roadmap, query, edges, options);
                Ok(Box::new(session.map_err(told)?))
            }
            Check::Arm(checker) => {
                let arm = checker.get().within(roadmap.space())?;
                let spacing = self.resolution(None, resolution)?;
                let edges = along(&arm, roadmap, spacing, &options.planner)?;
                let session = Session::on_roadmap_in(arm, roadmap, query, edges, options);
                Ok(Box::new(session.map_err(told)?))
            }
            Check::Map(map) => {
                let robot = map.get().robot.clone();
                let spacing = self.resolution(roadmap.space(), resolution)?;
                let edges = along(&robot, roadmap, spacing, &options.planner)?;
                let session = Session::on_roadmap_in(robot, roadmap, query, edges, options);
                Ok(Box::new(session.map_err(told)?))
            }
            Check::Edges(_) | Check::Recorded(..) if options.straighten => {
                Err(PyTypeError::new_err(
                    "to straighten a path takes a check of configurations, and this one knows edges: \
                     leave straighten out",
                ))
            }
            Check::Edges(_) | Check::Recorded(..) => {
                let edges = self.for_roadmap(roadmap, resolution, &options.planner)?;
                let session = Session::on_roadmap(roadmap, query, edges, options);
                Ok(Box::new(session.map_err(told)?))
            }
        }
    }

    /// The checker for the edges of a roadmap, for a planner.
    pub fn for_roadmap(
        &self,
        roadmap: &psmp::Roadmap,
        resolution: Option<f64>,
        planner: &PlannerName,
    ) -> PyResult<AnyChecker<'static, PyErr>> {
        let spacing = self.resolution(roadmap.space(), resolution)?;
        Ok(match self {
            Check::Configurations(world) => {
                let checker = BisectionChecker::new(roadmap, spacing, world.clone());
                as_counted(checker.map_err(no_bisection)?, planner)
            }
            Check::Arm(checker) => {
                let arm = checker.get().within(roadmap.space())?;
                Box::new(Unfailing(along(&arm, roadmap, spacing, planner)?))
            }
            Check::Map(map) => {
                let robot = &map.get().robot;
                Box::new(Unfailing(along(robot, roadmap, spacing, planner)?))
            }
            Check::Recorded(problems, world) => {
                if problems.roadmap().edge_count() != roadmap.edge_count() {
                    return Err(PyValueError::new_err(format!(
                        "check is a world of dataset `{}`, which tells of {} edges, but the roadmap \
                         has {}: plan on the dataset's roadmap, from vertex to vertex",
                        problems.name(),
                        problems.roadmap().edge_count(),
                        roadmap.edge_count()
                    )));
                }
                let image = problems.image(*world).map_err(|e| file_error(&e))?;
                let checker = checker_for(&**problems, *world, image, resolution);
                let checker = checker.map_err(|e| refused("check", e))?;
                Box::new(Unfailing(checker.for_planner(planner)))
            }
            Check::Edges(function) => Box::new(EdgeFunction {
                function: function.clone(),
                roadmap: roadmap.clone(),
            }),
        })
    }
}

fn no_bisection(error: BisectionError) -> PyErr {
    told(SessionError::<PyErr>::Bisection(error))
}

/// From vertex to vertex a planner of the literature counts as in its experiments; one that checks in parts asks about no
/// vertex twice.
fn as_counted<'a, W>(
    checker: BisectionChecker<W>,
    planner: &PlannerName,
) -> AnyChecker<'a, W::Error>
where
    W: World + Send + 'a,
{
    match planner.checks_in_parts() {
        true => Box::new(VerticesOnce::new(checker, [])),
        false => Box::new(checker),
    }
}

/// The checker for the edges of a roadmap in a world that can prove motions free.
fn along<W>(
    world: &W,
    roadmap: &psmp::Roadmap,
    resolution: Resolution,
    planner: &PlannerName,
) -> PyResult<AnyChecker<'static, Infallible>>
where
    W: World<Error = Infallible> + Clone + Send + 'static,
{
    let checker = BisectionChecker::new(roadmap, resolution, world.clone());
    let checker = checker.map_err(no_bisection)?.proving();
    Ok(as_counted(checker, planner))
}

/// Which configurations are free, by a function on one of them or on many at once.
pub struct FunctionWorld {
    function: Function,
    in_batches: bool,
    /// In how many processes it asks about the configurations of a batch.
    cores: usize,
    /// Whether steps of a motion are measured by the axis that moves farthest.
    by_axis: bool,
    /// What the function was given last.
    given: Option<Given>,
}

/// An array of a configuration, and the arguments of a call that has it.
struct Given {
    array: Py<PyArray1<f64>>,
    arguments: Py<PyTuple>,
    /// What numbers the array was made of.
    kind: Py<PyArrayDescr>,
}

impl Clone for FunctionWorld {
    fn clone(&self) -> Self {
        Self {
            function: self.function.clone(),
            in_batches: self.in_batches,
            cores: self.cores,
            by_axis: self.by_axis,
            given: None,
        }
    }
}

impl Given {
    /// The arguments of a call for a configuration. The function may keep them and the array: the last ones are taken again
    /// only where nobody but us has them any more, and the array is still as it was made. New ones take as long as all else
    /// in a call.
    fn arguments<'g, 'py>(
        last: &'g mut Option<Self>,
        py: Python<'py>,
        configuration: &[f64],
    ) -> PyResult<&'g Bound<'py, PyTuple>> {
        let given = match last.take() {
            Some(given) if given.refill(py, configuration) => given,
            _ => Self::new(py, configuration)?,
        };
        Ok(last.insert(given).arguments.bind(py))
    }

    fn new(py: Python<'_>, configuration: &[f64]) -> PyResult<Self> {
        let array = PyArray1::from_slice(py, configuration);
        Ok(Self {
            arguments: PyTuple::new(py, [&array])?.unbind(),
            kind: array.dtype().unbind(),
            array: array.unbind(),
        })
    }

    /// Fills the array again, if it can be without anybody's noticing.
    fn refill(&self, py: Python<'_>, configuration: &[f64]) -> bool {
        let array = self.array.bind(py).as_array_ptr();
        // SAFETY: all of them live as long as `self`, and the one is an array, whose fields these are.
        let (owners, fields) = unsafe {
            (
                [Py_REFCNT(self.arguments.as_ptr()), Py_REFCNT(array.cast())],
                &(*array).fields,
            )
        };
        // The function that had it may keep it, and may have made it anything else.
        let is_ours = owners == [1, 2];
        // SAFETY: an array has as many lengths as dimensions.
        let is_as_made = fields.descr.cast() == self.kind.as_ptr()
            && fields.base.is_null()
            && fields.nd == 1
            && unsafe { *fields.dimensions } as usize == configuration.len()
            && fields.flags & AS_MADE == AS_MADE;
        if !(is_ours && is_as_made) {
            return false;
        }
        // SAFETY: it is an array of so many numbers in a row that may be written to. Nobody else can look at them meanwhile:
        // the only references to it are ours and that of the arguments, which are ours alone, views of it would have others,
        // and Python's lock is ours.
        let room = unsafe { slice::from_raw_parts_mut(fields.data.cast(), configuration.len()) };
        room.copy_from_slice(configuration);
        true
    }
}

/// What an array is that we have made.
const AS_MADE: c_int = NPY_ARRAY_C_CONTIGUOUS | NPY_ARRAY_ALIGNED | NPY_ARRAY_WRITEABLE;

impl World for FunctionWorld {
    type Error = PyErr;

    fn is_free(&mut self, configuration: &[f64]) -> PyResult<bool> {
        if self.in_batches {
            let collision = self.first_collision(configuration, configuration.len())?;
            return Ok(collision.is_none());
        }
        Python::attach(|py| {
            let arguments = Given::arguments(&mut self.given, py, configuration)?;
            truth(&self.function.bind(py).call1(arguments)?, "a configuration")
        })
    }

    fn first_collision(
        &mut self,
        configurations: &[f64],
        dimension: usize,
    ) -> PyResult<Option<usize>> {
        Python::attach(|py| {
            let count = configurations.len() / dimension;
            let batch = PyArray1::from_slice(py, configurations).reshape([count, dimension])?;
            let answer = self.function.bind(py).call1((batch,))?;
            let free = match answer.cast::<PyArray1<bool>>() {
                Ok(free) if free.len() == count => free.clone(),
                _ => vector::<bool>("what check returns", Some(count), &answer)?,
            };
            let free = free.try_readonly()?;
            Ok(free.as_array().iter().position(|free| !free))
        })
    }

    /// A call takes its time whatever it is called on; arrays much smaller than this gain nothing.
    fn at_once(&self) -> u64 {
        if self.in_batches && self.cores <= 1 {
            32
        } else {
            1
        }
    }

    fn cores(&self) -> usize {
        self.cores
    }
}

/// numpy's own truth value, which comparing a number of an array gives.
static NUMPY_BOOL: PyOnceLock<Py<PyType>> = PyOnceLock::new();

fn truth(answer: &Bound<'_, PyAny>, of: &str) -> PyResult<bool> {
    if let Ok(answer) = answer.cast_exact::<PyBool>() {
        return Ok(answer.is_true());
    }
    // Asked as what it is: `extract` looks up its method by name each time, which takes longer than
    // the rest of a call.
    let numpy_bool = NUMPY_BOOL.import(answer.py(), "numpy", "bool_")?;
    if answer.is_exact_instance(numpy_bool) {
        return answer.is_truthy();
    }
    Err(PyTypeError::new_err(format!(
        "check must return True where {of} is free and False where not, got {}",
        described(answer)
    )))
}

/// An edge of a roadmap, as a checker of edges sees it.
#[pyclass(frozen, get_all, module = "psmp")]
pub struct Edge {
    /// Its place in the roadmap.
    id: u32,
    /// The vertices at its ends.
    vertices: (u32, u32),
    /// How long it is.
    length: f64,
    /// The configuration at its first end, where the roadmap has any.
    start: Option<Py<PyArray1<f64>>>,
    /// That at its other end.
    end: Option<Py<PyArray1<f64>>>,
}

/// A configuration, where there is one.
type End = Option<Py<PyArray1<f64>>>;

/// All that an edge is made of, for pickle.
type EdgeParts = (u32, (u32, u32), f64, [End; 2]);

#[pymethods]
impl Edge {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, EdgeParts>> {
        let ends = [&self.start, &self.end].map(|q| q.as_ref().map(|q| q.clone_ref(py)));
        Ok((
            maker::<Self>(py)?,
            (self.id, self.vertices, self.length, ends),
        ))
    }

    /// An edge from its parts, for pickle.
    #[staticmethod]
    fn _of(id: u32, vertices: (u32, u32), length: f64, ends: [End; 2]) -> Self {
        let [start, end] = ends;
        Self {
            id,
            vertices,
            length,
            start,
            end,
        }
    }

    fn __repr__(&self) -> String {
        let (a, b) = self.vertices;
        format!(
            "<psmp.Edge {} from {a} to {b}, length {:.4}>",
            self.id, self.length
        )
    }
}

/// Whether an edge is free, by a function. Each counts as one check.
struct EdgeFunction {
    function: Function,
    roadmap: psmp::Roadmap,
}

impl Checker for EdgeFunction {
    type Error = PyErr;

    fn check(&mut self, part: Part<'_>, _: &mut Sightings) -> PyResult<Finding> {
        let (id, edge) = (part.edge, self.roadmap.edge(part.edge));
        let check = |py: Python<'_>| {
            let configuration = |v| {
                let q = self.roadmap.configuration(v);
                q.map(|q| read_only(PyArray1::from_slice(py, q)).map(Bound::unbind))
                    .transpose()
            };
            let edge = Edge {
                id: id.0,
                vertices: (edge.from.0, edge.to.0),
                length: edge.length,
                start: configuration(edge.from)?,
                end: configuration(edge.to)?,
            };
            let free = truth(&self.function.bind(py).call1((edge,))?, "an edge")?;
            PyResult::Ok(Verdict {
                free,
                configurations: 1,
            })
        };
        part.whole(self.cost_if_free(id), || Python::attach(check))
    }
}

/// A checker that never fails.
struct Unfailing<C>(C);

impl<C: Checker<Error = Infallible>> Checker for Unfailing<C> {
    type Error = PyErr;

    fn check(&mut self, part: Part<'_>, sightings: &mut Sightings) -> PyResult<Finding> {
        let Ok(finding) = self.0.check(part, sightings);
        Ok(finding)
    }

    fn cost_if_free(&self, edge: EdgeId) -> u64 {
        self.0.cost_if_free(edge)
    }

    fn portion(&self, edge: EdgeId, wanted: u64) -> u64 {
        self.0.portion(edge, wanted)
    }

    fn bill(&self, edge: EdgeId, verdict: Option<Verdict>, knows: [bool; 2]) -> Bill {
        self.0.bill(edge, verdict, knows)
    }

    fn prove(&mut self, edge: EdgeId, limit: &Limit) -> PyResult<Finding> {
        let Ok(finding) = self.0.prove(edge, limit);
        Ok(finding)
    }

    fn grow(&mut self, growth: &psmp::Growth) -> Result<(), psmp::RoadmapError> {
        self.0.grow(growth)
    }
}

/// Checks every edge of a roadmap: a row of a collision table.
#[pyfunction]
#[pyo3(signature = (roadmap, check, called_on, resolution=None))]
pub fn check_edges<'py>(
    py: Python<'py>,
    roadmap: &Bound<'py, Roadmap>,
    check: &Bound<'py, PyAny>,
    called_on: &str,
    resolution: Option<f64>,
) -> PyResult<Bound<'py, PyArray1<bool>>> {
    let graph = roadmap.get().graph.clone();
    let check = Check::given(check, called_on)?;
    let mut checker = check.for_roadmap(&graph, resolution, &PlannerName::default())?;
    let free = py.detach(|| -> PyResult<Vec<bool>> {
        let mut sightings = Sightings::new(graph.space().map_or(0, Space::dimension));
        let mut free = Vec::with_capacity(graph.edge_count());
        for edge in graph.edge_ids() {
            sightings.clear();
            let finding = checker.check(Part::whole_of(edge), &mut sightings)?;
            free.push(finding.free == Some(true));
            // Checks that are not Python's do not hear of Ctrl-C.
            if free.len().is_multiple_of(1024) {
                Python::attach(|py| py.check_signals())?;
            }
        }
        Ok(free)
    })?;
    Ok(PyArray1::from_vec(py, free))
}
