//! The roadmap, for Python: its constructors, and its arrays without a copy.

use crate::arguments::{file_error, matrix, numbered, read_only, refused, values, vector};
use crate::building::interruptible;
use crate::space::Space;
use numpy::ndarray::{Array2, ArrayView2};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyUntypedArrayMethods};
use psmp::{Connection, Direction, Edge, Query, VertexId};
use psmp_lab::counted;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use std::borrow::Cow;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;

/// A graph of configurations and the motions between them.
///
/// `space` is a `Space`, or its bounds as an array of shape (d, 2). Vertices are joined within `radius` or to their
/// `nearest` ones; if neither is given, within PRM*'s radius, which in many dimensions is large.
#[pyclass(frozen, module = "psmp")]
pub struct Roadmap {
    pub graph: psmp::Roadmap,
    /// How its vertices were joined, and so how a start and a goal are joined to it.
    connection: Option<Connection>,
}

/// How vertices are to be joined: by radius or by number of neighbours, PRM*'s radius if neither.
fn connection(
    radius: Option<f64>,
    nearest: Option<usize>,
    otherwise: impl FnOnce() -> Connection,
) -> PyResult<Connection> {
    match (radius, nearest) {
        (Some(_), Some(_)) => Err(PyTypeError::new_err(
            "give radius or nearest, not both: vertices are joined one way",
        )),
        (Some(radius), None) if !(radius > 0.0 && radius.is_finite()) => Err(
            PyValueError::new_err(format!("radius must be positive and finite, got {radius}")),
        ),
        (Some(radius), None) => Ok(Connection::Radius(radius)),
        (None, Some(0)) => Err(PyValueError::new_err("nearest must be at least 1, got 0")),
        (None, Some(count)) => Ok(Connection::Nearest(count)),
        (None, None) => Ok(otherwise()),
    }
}

impl Roadmap {
    pub fn new(graph: psmp::Roadmap, connection: Option<Connection>) -> Self {
        Self { graph, connection }
    }

    fn joined(
        py: Python<'_>,
        space: psmp::Space,
        points: Vec<f64>,
        radius: Option<f64>,
        nearest: Option<usize>,
    ) -> PyResult<Self> {
        let count = points.len() / space.dimension();
        let connection = connection(radius, nearest, || {
            Connection::Radius(psmp::roadmap::prm_star_radius(&space, count))
        })?;
        let made = interruptible(py, move || {
            psmp::Roadmap::from_configurations(space, points, connection)
        })?;
        let graph = made.map_err(|e| refused("configurations", e))?;
        Ok(Self::new(graph, Some(connection)))
    }

    fn vertex(&self, name: &str, value: &Bound<'_, PyAny>) -> PyResult<VertexId> {
        let count = self.graph.vertex_count();
        let id: i64 = value.extract()?;
        let given = format!("{name} is vertex {id}");
        numbered(id, count, &given, "vertices").map(VertexId)
    }

    /// Whether start and goal are given as vertices, rather than as configurations.
    pub fn are_vertices(start: &Bound<'_, PyAny>, goal: &Bound<'_, PyAny>) -> PyResult<bool> {
        // A number of numpy counts as one of Python's.
        let is_vertex = |value: &Bound<'_, PyAny>| value.extract::<i64>().is_ok();
        match (is_vertex(start), is_vertex(goal)) {
            (true, true) => Ok(true),
            (false, false) => Ok(false),
            _ => Err(PyTypeError::new_err(
                "start and goal must both be vertices or both be configurations",
            )),
        }
    }

    /// Start and goal, given as vertices or as configurations; those are joined to the roadmap, as
    /// its own vertices are.
    pub fn query(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        goal: &Bound<'_, PyAny>,
    ) -> PyResult<(psmp::Roadmap, Query)> {
        if Self::are_vertices(start, goal)? {
            let query = Query {
                start: self.vertex("start", start)?,
                goal: self.vertex("goal", goal)?,
            };
            return Ok((self.graph.clone(), query));
        }
        let (joined, start, goal) = self.with_query(py, start, goal, None, None)?;
        let [start, goal] = [start, goal].map(VertexId);
        Ok((joined.graph, Query { start, goal }))
    }

    /// The space of the configurations, which start and goals are to be of.
    pub fn space_of_ends(&self) -> PyResult<&psmp::Space> {
        self.graph.space().ok_or_else(|| {
            PyValueError::new_err(
                "start and goal must be vertices, because the roadmap carries no configurations",
            )
        })
    }
}

/// Everything that a roadmap is made of, for pickle.
type RoadmapParts<'py> = (
    usize,
    Bound<'py, PyArray2<u32>>,
    Bound<'py, PyArray1<f64>>,
    bool,
    Option<(Bound<'py, PyArray2<f64>>, Space)>,
    (Option<f64>, Option<usize>),
);

#[pymethods]
impl Roadmap {
    /// Vertices spread evenly, the same every time.
    #[staticmethod]
    #[pyo3(signature = (space, vertices, *, radius=None, nearest=None))]
    fn halton(
        py: Python<'_>,
        space: &Bound<'_, PyAny>,
        vertices: usize,
        radius: Option<f64>,
        nearest: Option<usize>,
    ) -> PyResult<Self> {
        let space = Space::given("space", space)?;
        let points = psmp::roadmap::halton(&space, vertices);
        Self::joined(py, space, points, radius, nearest)
    }

    /// Random vertices, by the seed.
    #[staticmethod]
    #[pyo3(signature = (space, vertices, *, seed=0, radius=None, nearest=None))]
    fn uniform(
        py: Python<'_>,
        space: &Bound<'_, PyAny>,
        vertices: usize,
        seed: u64,
        radius: Option<f64>,
        nearest: Option<usize>,
    ) -> PyResult<Self> {
        let space = Space::given("space", space)?;
        let points = psmp::roadmap::uniform(&space, vertices, seed);
        Self::joined(py, space, points, radius, nearest)
    }

    /// A regular lattice with so many vertices along each axis.
    #[staticmethod]
    fn lattice(py: Python<'_>, space: &Bound<'_, PyAny>, counts: Vec<usize>) -> PyResult<Self> {
        let space = Space::given("space", space)?;
        let made = py.detach(|| psmp::Roadmap::lattice(space, &counts));
        Ok(Self::new(made.map_err(|e| refused("counts", e))?, None))
    }

    /// Vertices that you give, as an array of shape (n, d).
    #[staticmethod]
    #[pyo3(signature = (configurations, space, *, radius=None, nearest=None))]
    fn from_configurations(
        py: Python<'_>,
        configurations: &Bound<'_, PyAny>,
        space: &Bound<'_, PyAny>,
        radius: Option<f64>,
        nearest: Option<usize>,
    ) -> PyResult<Self> {
        let space = Space::given("space", space)?;
        let d = Some(space.dimension());
        let points = values(&matrix::<f64>("configurations", "n", d, configurations)?)?;
        Self::joined(py, space, points, radius, nearest)
    }

    /// Edges that you give, as pairs of vertices of shape (m, 2).
    ///
    /// Lengths follow from the configurations where they are not given. Without configurations the roadmap can be
    /// planned on with a checker of edges.
    #[staticmethod]
    #[pyo3(signature = (edges, lengths=None, *, configurations=None, space=None, vertices=None, directed=false))]
    fn from_edges(
        py: Python<'_>,
        edges: &Bound<'_, PyAny>,
        lengths: Option<&Bound<'_, PyAny>>,
        configurations: Option<&Bound<'_, PyAny>>,
        space: Option<&Bound<'_, PyAny>>,
        vertices: Option<usize>,
        directed: bool,
    ) -> PyResult<Self> {
        let embedding = match (configurations, space) {
            (Some(configurations), Some(space)) => {
                let space = Space::given("space", space)?;
                let d = Some(space.dimension());
                let points = matrix::<f64>("configurations", "n", d, configurations)?;
                Some((space, points.shape()[0], values(&points)?))
            }
            (None, None) => None,
            _ => {
                return Err(PyTypeError::new_err(
                    "give configurations and space together, or neither",
                ));
            }
        };
        let pairs = values(&matrix::<i64>("edges", "m", Some(2), edges)?)?;
        let count = match (&embedding, vertices) {
            (Some((_, count, _)), None) => *count,
            (Some((_, count, _)), Some(given)) if *count != given => {
                return Err(PyValueError::new_err(format!(
                    "vertices is {given}, but there are {count} configurations"
                )));
            }
            (_, Some(given)) => given,
            (None, None) => pairs
                .iter()
                .max()
                .map_or(0, |most| (most + 1).max(0) as usize),
        };
        let id = |place: usize| {
            let id = pairs[place];
            u32::try_from(id).map_err(|_| {
                PyValueError::new_err(format!(
                    "edges has {id} in row {}, which is no vertex",
                    place / 2
                ))
            })
        };
        let m = pairs.len() / 2;
        let ends = (0..m)
            .map(|i| Ok((id(2 * i)?, id(2 * i + 1)?)))
            .collect::<PyResult<Vec<(u32, u32)>>>()?;
        let lengths = match (lengths, &embedding) {
            (Some(given), _) => values(&vector::<f64>("lengths", Some(m), given)?)?,
            (None, Some((space, count, points))) => {
                let d = space.dimension();
                let q = |v: u32| points.get(v as usize * d..(v as usize + 1) * d);
                let length = |(row, (a, b)): (usize, &(u32, u32))| match (q(*a), q(*b)) {
                    (Some(a), Some(b)) => Ok(space.distance(a, b)),
                    _ => Err(PyValueError::new_err(format!(
                        "edges has ({a}, {b}) in row {row}, but there are {count} configurations"
                    ))),
                };
                ends.iter()
                    .enumerate()
                    .map(length)
                    .collect::<PyResult<_>>()?
            }
            (None, None) => {
                return Err(PyTypeError::new_err(
                    "give lengths, or configurations and a space that they follow from",
                ));
            }
        };
        let direction = if directed {
            Direction::Directed
        } else {
            Direction::Undirected
        };
        let edges = ends.iter().zip(lengths);
        let edges = edges
            .map(|(&(a, b), length)| Edge::new(a, b, length))
            .collect();
        let made = py.detach(|| {
            let graph = psmp::Roadmap::from_edges(count, direction, edges)?;
            match embedding {
                Some((space, _, points)) => graph.with_configurations(space, points),
                None => Ok(graph),
            }
        });
        Ok(Self::new(made.map_err(|e| refused("edges", e))?, None))
    }

    /// Reads a GraphML file.
    #[staticmethod]
    fn read_graphml(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = py.detach(|| psmp_worlds::graphml::read(path));
        Ok(Self::new(read.map_err(|e| file_error(&e))?, None))
    }

    /// Writes a GraphML file, which `read_graphml` and the command line read.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| psmp_worlds::graphml::write(path, &self.graph))
            .map_err(|e| file_error(&e))
    }

    /// The roadmap with a start and a goal joined to it, as its last two vertices where it has none there.
    #[pyo3(signature = (start, goal, *, radius=None, nearest=None))]
    fn with_query(
        &self,
        py: Python<'_>,
        start: &Bound<'_, PyAny>,
        goal: &Bound<'_, PyAny>,
        radius: Option<f64>,
        nearest: Option<usize>,
    ) -> PyResult<(Self, u32, u32)> {
        let (start, goals) = Space::ends(self.space_of_ends()?, start, goal)?;
        let [goal] = &goals[..] else {
            let count = goals.len();
            return Err(PyValueError::new_err(format!(
                "goal must be one configuration here, got {count}"
            )));
        };
        let graph = &self.graph;
        let usual = || {
            let by_radius = |space| {
                let count = graph.vertex_count();
                Connection::Radius(psmp::roadmap::prm_star_radius(space, count))
            };
            let made = self.connection.or(graph.space().map(by_radius));
            made.unwrap_or(Connection::Nearest(1))
        };
        let connection = connection(radius, nearest, usual)?;
        let (joined, query) = py
            .detach(|| graph.with_query(&start, goal, connection))
            .map_err(|e| refused("start and goal", e))?;
        Ok((
            Self::new(joined, self.connection),
            query.start.0,
            query.goal.0,
        ))
    }

    /// How many vertices there are.
    #[getter]
    fn vertex_count(&self) -> usize {
        self.graph.vertex_count()
    }

    /// How many edges there are.
    #[getter]
    fn edge_count(&self) -> usize {
        self.graph.edge_count()
    }

    /// Whether edges lead one way.
    #[getter]
    fn directed(&self) -> bool {
        self.graph.direction() == Direction::Directed
    }

    /// The space of the configurations, if there are any.
    #[getter]
    fn space(&self) -> Option<Space> {
        self.graph.space().cloned().map(Space)
    }

    /// The configurations, one a row: the roadmap's own memory, which cannot be written to, or a copy if
    /// the roadmap has grown.
    #[getter]
    fn configurations<'py>(slf: &Bound<'py, Self>) -> PyResult<Option<Bound<'py, PyArray2<f64>>>> {
        let graph = &slf.get().graph;
        let (Some(space), Some(values)) = (graph.space(), graph.configurations()) else {
            return Ok(None);
        };
        let shape = (graph.vertex_count(), space.dimension());
        let array = match values {
            Cow::Borrowed(values) => {
                let view = ArrayView2::from_shape(shape, values);
                let view = view.map_err(|e| refused("roadmap", e))?;
                // SAFETY: the values belong to the graph that `slf` holds for as long as it lives. The
                // array keeps `slf` alive, no one ever moves or writes the values, and the array is
                // read-only.
                unsafe { PyArray2::borrow_from_array(&view, slf.clone().into_any()) }
            }
            Cow::Owned(values) => {
                let copy = Array2::from_shape_vec(shape, values);
                PyArray2::from_owned_array(slf.py(), copy.map_err(|e| refused("roadmap", e))?)
            }
        };
        read_only(array).map(Some)
    }

    /// The two ends of each edge.
    #[getter]
    fn edges<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<u32>>> {
        let ends = self.graph.edges().flat_map(|e| [e.from.0, e.to.0]);
        PyArray1::from_vec(py, ends.collect()).reshape([self.graph.edge_count(), 2])
    }

    /// The length of each edge.
    #[getter]
    fn lengths<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_vec(py, self.graph.edges().map(|e| e.length).collect())
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        let Ok(other) = other.cast::<Roadmap>() else {
            return false;
        };
        let [one, other] = [self, other.get()].map(|roadmap| &roadmap.graph);
        one.is(other)
            || (one.vertex_count() == other.vertex_count()
                && one.direction() == other.direction()
                && one.space() == other.space()
                && one.edges().eq(other.edges())
                && one.configurations() == other.configurations())
    }

    fn __hash__(&self) -> u64 {
        let mut hash = DefaultHasher::new();
        (self.vertex_count(), self.edge_count(), self.directed()).hash(&mut hash);
        hash.finish()
    }

    fn __repr__(&self) -> String {
        let space = self.graph.space();
        format!(
            "<psmp.Roadmap of {} and {}{}>",
            counted(self.graph.vertex_count(), "vertices"),
            counted(
                self.graph.edge_count(),
                if self.directed() {
                    "directed edges"
                } else {
                    "edges"
                }
            ),
            space.map_or(String::new(), |s| format!(
                " in {}",
                counted(s.dimension(), "dimensions")
            )),
        )
    }

    fn __reduce__<'py>(slf: &Bound<'py, Self>) -> PyResult<(Bound<'py, PyAny>, RoadmapParts<'py>)> {
        let (py, own) = (slf.py(), slf.get());
        let make = py.get_type::<Self>().getattr("_of")?;
        let embedding = Self::configurations(slf)?.zip(own.space());
        let connection = match own.connection {
            Some(Connection::Radius(radius)) => (Some(radius), None),
            Some(Connection::Nearest(count)) => (None, Some(count)),
            None => (None, None),
        };
        Ok((
            make,
            (
                own.vertex_count(),
                own.edges(py)?,
                own.lengths(py),
                own.directed(),
                embedding,
                connection,
            ),
        ))
    }

    /// A roadmap from its parts, for pickle.
    #[staticmethod]
    fn _of(
        py: Python<'_>,
        vertices: usize,
        edges: &Bound<'_, PyAny>,
        lengths: &Bound<'_, PyAny>,
        directed: bool,
        embedding: Option<(Bound<'_, PyAny>, Bound<'_, PyAny>)>,
        connection: (Option<f64>, Option<usize>),
    ) -> PyResult<Self> {
        let (configurations, space) = embedding.unzip();
        let (configurations, space) = (configurations.as_ref(), space.as_ref());
        let vertices = Some(vertices);
        let made = Self::from_edges(
            py,
            edges,
            Some(lengths),
            configurations,
            space,
            vertices,
            directed,
        )?;
        Ok(Self {
            connection: match connection {
                (Some(radius), _) => Some(Connection::Radius(radius)),
                (None, Some(count)) => Some(Connection::Nearest(count)),
                (None, None) => None,
            },
            ..made
        })
    }
}
