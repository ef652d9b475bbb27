//! Collision tables, for Python: from an array, or mapped from a file and used where they lie.

use crate::arguments::{file_error, matrix, read_only, refused};
use numpy::ndarray::ArrayView2;
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use psmp::{CollisionTable, EdgeId, Experience, WorldId};
use psmp_lab::counted;
use psmp_worlds::{BeliefFile, MappedTable};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// Where the bits of a table lie.
pub enum Bits {
    /// In memory of its own.
    Own(CollisionTable),
    /// In a file.
    Mapped(MappedTable),
    /// In a file, beside what was learned from them.
    Kept(Box<BeliefFile>),
}

impl Experience for Bits {
    fn world_count(&self) -> usize {
        match self {
            Bits::Own(table) => table.world_count(),
            Bits::Mapped(table) => table.world_count(),
            Bits::Kept(table) => table.world_count(),
        }
    }

    fn edge_count(&self) -> usize {
        match self {
            Bits::Own(table) => table.edge_count(),
            Bits::Mapped(table) => table.edge_count(),
            Bits::Kept(table) => table.edge_count(),
        }
    }

    #[inline]
    fn worlds_where_free(&self, edge: EdgeId) -> &[u64] {
        match self {
            Bits::Own(table) => table.worlds_where_free(edge),
            Bits::Mapped(table) => table.worlds_where_free(edge),
            Bits::Kept(table) => table.worlds_where_free(edge),
        }
    }

    #[inline]
    fn free_edges_in(&self, world: WorldId) -> &[u64] {
        match self {
            Bits::Own(table) => table.free_edges_in(world),
            Bits::Mapped(table) => table.free_edges_in(world),
            Bits::Kept(table) => table.free_edges_in(world),
        }
    }

    #[inline]
    fn worlds_where_known(&self, edge: EdgeId) -> Option<&[u64]> {
        match self {
            Bits::Own(_) | Bits::Mapped(_) => None,
            Bits::Kept(table) => table.worlds_where_known(edge),
        }
    }

    #[inline]
    fn known_edges_in(&self, world: WorldId) -> Option<&[u64]> {
        match self {
            Bits::Own(_) | Bits::Mapped(_) => None,
            Bits::Kept(table) => table.known_edges_in(world),
        }
    }
}

/// Which edge is free in which known world.
#[pyclass(frozen, module = "psmp")]
pub struct Table(pub Arc<Bits>);

impl Table {
    pub fn of(bits: Bits) -> Self {
        Self(Arc::new(bits))
    }
}

/// The rows of a table as an array of words, in the table's own memory.
fn words<'py>(
    table: &Bound<'py, Table>,
    rows: usize,
    row: impl Fn(u32) -> *const [u64],
) -> PyResult<Bound<'py, PyArray2<u64>>> {
    if rows == 0 {
        return Ok(PyArray2::zeros(table.py(), [0, 0], false));
    }
    let first = row(0);
    // SAFETY: rows lie one after the other in every kind of table (each row is a slice of one
    // vector or one mapping, cut at multiples of its length), so `rows * first.len()` words begin
    // where the first row does. They belong to what `table` holds, which no one writes to.
    let all = unsafe { std::slice::from_raw_parts(first.cast::<u64>(), rows * first.len()) };
    let last = row(rows as u32 - 1).cast::<u64>();
    if first.len() > 0 && !std::ptr::eq(last, &raw const all[(rows - 1) * first.len()]) {
        return Err(refused("table", "its rows do not lie one after the other"));
    }
    let view = ArrayView2::from_shape((rows, first.len()), all).map_err(|e| refused("table", e))?;
    // SAFETY: as above; the array keeps `table` alive and is read-only.
    let array = unsafe { PyArray2::borrow_from_array(&view, table.clone().into_any()) };
    read_only(array)
}

fn packed(free: &PyReadonlyArray2<'_, bool>) -> CollisionTable {
    let free = free.as_array();
    let mut table = CollisionTable::all_blocked(free.nrows(), free.ncols());
    for (world, row) in free.rows().into_iter().enumerate() {
        for (edge, value) in row.iter().enumerate() {
            if *value {
                table.set_free(WorldId(world as u32), EdgeId(edge as u32));
            }
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
        Ok(Self::of(Bits::Own(packed(&free))))
    }

    /// Opens a table file: it is mapped into memory, whatever its size.
    #[staticmethod]
    #[pyo3(signature = (path, *, verify=true))]
    fn open(py: Python<'_>, path: PathBuf, verify: bool) -> PyResult<Self> {
        let opened = py.detach(|| {
            let table = MappedTable::open(path)?;
            if verify {
                table.verify()?;
            }
            Ok(table)
        });
        Ok(Self::of(Bits::Mapped(opened.map_err(|e| file_error(&e))?)))
    }

    /// Writes the table into a file that `open` maps.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| psmp_worlds::write_table(path, &*self.0))
            .map_err(|e| file_error(&e))
    }

    #[getter]
    fn world_count(&self) -> usize {
        self.0.world_count()
    }

    #[getter]
    fn edge_count(&self) -> usize {
        self.0.edge_count()
    }

    #[getter]
    fn shape(&self) -> (usize, usize) {
        (self.0.world_count(), self.0.edge_count())
    }

    /// The bits by world, 64 edges a word: the table's own memory.
    #[getter]
    fn by_world<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        let bits = &slf.get().0;
        words(slf, bits.world_count(), |w| bits.free_edges_in(WorldId(w)))
    }

    /// The bits by edge, 64 worlds a word: the table's own memory.
    #[getter]
    fn by_edge<'py>(slf: &Bound<'py, Self>) -> PyResult<Bound<'py, PyArray2<u64>>> {
        let bits = &slf.get().0;
        words(slf, bits.edge_count(), |e| {
            bits.worlds_where_free(EdgeId(e))
        })
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

    fn __len__(&self) -> usize {
        self.0.world_count()
    }

    fn __repr__(&self) -> String {
        let (worlds, edges) = self.shape();
        let place = match &*self.0 {
            Bits::Own(_) => "",
            Bits::Mapped(_) | Bits::Kept(_) => ", mapped from a file",
        };
        let (worlds, edges) = (counted(worlds, "worlds"), counted(edges, "edges"));
        format!("<psmp.Table of {worlds} and {edges}{place}>")
    }
}
