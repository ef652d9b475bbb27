//! Collision tables, for Python: from an array or a file, used where they lie.

use crate::arguments::{file_error, matrix, read_only, refused};
use crate::pickling::{Reduced, reduced, unpacked};
use numpy::ndarray::ArrayView2;
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use psmp::{CollisionTable, EdgeId, WorldId};
use psmp_lab::counted;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::PathBuf;
use std::sync::Arc;

/// Which edge is free in which known world.
///
/// `free` is an array of shape (worlds, edges), true where an edge is free. It is read where it lies; the table keeps
/// a bit for each value.
#[pyclass(frozen, module = "psmp")]
pub struct Table(pub Arc<CollisionTable>);

/// Words of a table as an array of so many rows, in the table's own memory.
fn words<'py>(
    table: &Bound<'py, Table>,
    rows: usize,
    words: &[u64],
) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let shape = (rows, words.len() / rows.max(1));
    let view = ArrayView2::from_shape(shape, words).map_err(|e| refused("table", e))?;
    // SAFETY: the words belong to what `table` holds, which no one writes to; the array keeps `table`
    // alive and is read-only.
    let array = unsafe { PyArray2::borrow_from_array(&view, table.clone().into_any()) };
    read_only(array)
}

fn packed(free: &PyReadonlyArray2<'_, bool>) -> CollisionTable {
    let free = free.as_array();
    let mut table = CollisionTable::all_blocked(free.nrows(), free.ncols());
    for (world, row) in free.rows().into_iter().enumerate() {
        for (edge, value) in row.iter().enumerate() {
            table.set(WorldId(world as u32), EdgeId(edge as u32), *value);
        }
    }
    table
}

#[pymethods]
impl Table {
    /// A table from an array of shape (worlds, edges) that is true where an edge is free. The array
    /// is read where it lies; the table keeps a bit for each of its values.
    #[new]
    fn new(free: &Bound<'_, PyAny>) -> PyResult<Self> {
        let free = matrix::<bool>("free", "worlds", None, free)?;
        if free.shape().iter().any(|n| *n > u32::MAX as usize / 2) {
            return Err(PyValueError::new_err(
                "free has more rows or columns than ids of 32 bits",
            ));
        }
        let free = free.try_readonly()?;
        Ok(Self(packed(&free).into()))
    }

    /// Reads a table file and sees that it is sound.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = py.detach(|| psmp_files::read_table(path));
        Ok(Self(read.map_err(|e| file_error(&e))?.into()))
    }

    /// Writes the table into a file that `open` reads.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| psmp_files::write_table(path, &self.0))
            .map_err(|e| file_error(&e))
    }

    /// How many worlds there are.
    #[getter]
    fn world_count(&self) -> usize {
        self.0.world_count()
    }

    /// How many edges the roadmap has.
    #[getter]
    fn edge_count(&self) -> usize {
        self.0.edge_count()
    }

    /// How many worlds and edges.
    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.0.world_count(), self.0.edge_count())
    }

    /// The bits by world, 64 edges a word: the table's own memory.
    #[getter]
    fn by_world<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        let table = &slf.get().0;
        words(slf, table.world_count(), table.free_words()[1])
    }

    /// The bits by edge, 64 worlds a word: the table's own memory.
    #[getter]
    fn by_edge<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        let table = &slf.get().0;
        words(slf, table.edge_count(), table.free_words()[0])
    }

    /// The table as an array of shape (worlds, edges), true where an edge is free.
    fn to_numpy<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<bool>>> {
        let (worlds, edges) = self.shape();
        let free: Vec<bool> = py.detach(|| {
            (0..worlds as u32)
                .flat_map(|w| (0..edges as u32).map(move |e| (WorldId(w), EdgeId(e))))
                .map(|(world, edge)| self.0.is_free(world, edge))
                .collect()
        });
        numpy::PyArray1::from_vec(py, free).reshape([worlds, edges])
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Table>().is_ok_and(|o| o.get().0 == self.0)
    }

    fn __hash__(&self) -> u64 {
        let mut hash = DefaultHasher::new();
        (self.shape(), self.0.free_words()[1].first()).hash(&mut hash);
        hash.finish()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Bound<'py, PyBytes>,)>> {
        let table = &self.0;
        let edges = || (0..table.edge_count() as u32).map(EdgeId);
        let known: Option<[Vec<&[u64]>; 2]> = edges()
            .map(|edge| table.worlds_where_known(edge))
            .collect::<Option<Vec<_>>>()
            .zip(
                table
                    .worlds()
                    .map(|world| table.known_edges_in(world))
                    .collect(),
            )
            .map(|(by_edge, by_world)| [by_edge, by_world]);
        let known = known.map(|words| words.map(|rows| rows.concat()));
        // Without a world or an edge there is nothing to know.
        let known = known.filter(|_| table.world_count() > 0 && table.edge_count() > 0);
        let free = table.free_words().map(<[u64]>::to_vec);
        reduced::<Self>(py, &(self.shape(), free, known))
    }

    /// A table from bytes, for pickle.
    #[staticmethod]
    fn _of(bytes: &[u8]) -> PyResult<Self> {
        let ((worlds, edges), free, known) = unpacked(bytes)?;
        let made = CollisionTable::from_words(worlds, edges, free, known);
        let made = made.ok_or_else(|| refused("pickle", "this is no table"))?;
        Ok(Self(made.into()))
    }

    fn __len__(&self) -> usize {
        self.0.world_count()
    }

    fn __repr__(&self) -> String {
        let (worlds, edges) = self.shape();
        let (worlds, edges) = (counted(worlds, "worlds"), counted(edges, "edges"));
        format!("<psmp.Table of {worlds} and {edges}>")
    }
}
