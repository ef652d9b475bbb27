//! Collision tables, for Python: from an array or a file, used where they lie.

use crate::arguments::{file_error, matrix, read_only, refused};
use numpy::ndarray::ArrayView2;
use numpy::{PyArray2, PyArrayMethods, PyReadonlyArray2, PyUntypedArrayMethods};
use psmp::{CollisionTable, EdgeId, Experience, WorldId};
use psmp_files::{BeliefFile, TableFile};
use psmp_lab::counted;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;

/// Where the bits of a table lie.
pub enum Bits {
    /// In memory of its own.
    Own(CollisionTable),
    /// Read from a file.
    Read(TableFile),
    /// Read from a file, beside what was learned from them.
    Kept(Box<BeliefFile>),
}

impl Experience for Bits {
    fn world_count(&self) -> usize {
        match self {
            Bits::Own(table) => table.world_count(),
            Bits::Read(table) => table.world_count(),
            Bits::Kept(table) => table.world_count(),
        }
    }

    fn edge_count(&self) -> usize {
        match self {
            Bits::Own(table) => table.edge_count(),
            Bits::Read(table) => table.edge_count(),
            Bits::Kept(table) => table.edge_count(),
        }
    }

    #[inline]
    fn worlds_where_free(&self, edge: EdgeId) -> &[u64] {
        match self {
            Bits::Own(table) => table.worlds_where_free(edge),
            Bits::Read(table) => table.worlds_where_free(edge),
            Bits::Kept(table) => table.worlds_where_free(edge),
        }
    }

    #[inline]
    fn free_edges_in(&self, world: WorldId) -> &[u64] {
        match self {
            Bits::Own(table) => table.free_edges_in(world),
            Bits::Read(table) => table.free_edges_in(world),
            Bits::Kept(table) => table.free_edges_in(world),
        }
    }

    #[inline]
    fn worlds_where_known(&self, edge: EdgeId) -> Option<&[u64]> {
        match self {
            Bits::Own(_) | Bits::Read(_) => None,
            Bits::Kept(table) => table.worlds_where_known(edge),
        }
    }

    #[inline]
    fn known_edges_in(&self, world: WorldId) -> Option<&[u64]> {
        match self {
            Bits::Own(_) | Bits::Read(_) => None,
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

/// Whether rows of words are all of one length and lie one after the other.
fn lie_in_a_row<'a>(mut rows: impl Iterator<Item = &'a [u64]>) -> bool {
    let Some(first) = rows.next() else {
        return true;
    };
    let mut end = first.as_ptr_range().end;
    rows.all(|row| {
        let next = row.as_ptr_range();
        let fits = row.len() == first.len() && next.start == end;
        end = next.end;
        fits
    })
}

/// The rows of a table as an array of words, in the table's own memory.
fn words<'py, 'a>(
    table: &'a Bound<'py, Table>,
    rows: usize,
    row: impl Fn(u32) -> &'a [u64],
) -> PyResult<Bound<'py, PyArray2<u64>>> {
    let length = if rows == 0 { 0 } else { row(0).len() };
    if length == 0 {
        return Ok(PyArray2::zeros(table.py(), [rows, 0], false));
    }
    if !lie_in_a_row((0..rows as u32).map(&row)) {
        return Err(refused("table", "its rows do not lie one after the other"));
    }
    // SAFETY: the rows were just seen to lie one after the other, all of this length, so this many
    // words begin where the first row does; every kind of table cuts them from one vector. They
    // belong to what `table` holds, which no one writes to.
    let all = unsafe { std::slice::from_raw_parts(row(0).as_ptr(), rows * length) };
    let view = ArrayView2::from_shape((rows, length), all).map_err(|e| refused("table", e))?;
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

    /// Reads a table file and sees that it is sound.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let opened = py.detach(|| TableFile::open(path));
        Ok(Self::of(Bits::Read(opened.map_err(|e| file_error(&e))?)))
    }

    /// Writes the table into a file that `open` reads.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        py.detach(|| psmp_files::write_table(path, &*self.0))
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
            Bits::Read(_) | Bits::Kept(_) => ", from a file",
        };
        let (worlds, edges) = (counted(worlds, "worlds"), counted(edges, "edges"));
        format!("<psmp.Table of {worlds} and {edges}{place}>")
    }
}

#[cfg(test)]
mod tests {
    use super::lie_in_a_row;

    #[test]
    fn rows_that_do_not_lie_in_a_row_are_told_from_those_that_do() {
        let words: Vec<u64> = (0..12).collect();
        assert!(lie_in_a_row(words.chunks(3)));
        assert!(lie_in_a_row(words.chunks(12)));
        assert!(lie_in_a_row(std::iter::empty()));
        let [a, b, c] = [&words[0..3], &words[3..6], &words[6..9]];
        assert!(!lie_in_a_row([a, c].into_iter()));
        assert!(!lie_in_a_row([b, a].into_iter()));
        assert!(!lie_in_a_row([a, b, a].into_iter()));
        assert!(!lie_in_a_row([a, &words[3..5]].into_iter()));
    }
}
