//! What planning leaves for the next query, for Python: in a file, or in a memory that runs share.
//!
//! Both hold the same: the roadmap as it has grown, what is known of its edges in the world that was planned in last,
//! and the experience that was given. A run begins with it and leaves more when it stops.

use crate::arguments::file_error;
use crate::pickling::{Reduced, maker};
use crate::roadmap::Roadmap;
use psmp::Space;
use psmp::checker::EdgeMemory;
use psmp_files::{FileError, Keeping, Kept, WorldRecord};
use psmp_lab::counted;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What errors call a memory, which has no file.
const UNNAMED: &str = "the planner's memory";

/// What is left of the last run, for the next.
#[derive(Clone, Default)]
pub struct Left(Arc<Mutex<Option<Kept>>>);

impl Left {
    fn lock(&self) -> MutexGuard<'_, Option<Kept>> {
        // It is replaced as a whole.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What planning leaves for the next query: the roadmap as it has grown, and what is known of its edges.
///
/// Given to `psmp.plan` as `keep`, a run begins with it and leaves more. What is known is good for one world: in
/// another scene an arm's checker forgets what may be so no longer, and nothing else.
#[pyclass(frozen, module = "psmp")]
pub struct Memory(Left);

#[pymethods]
impl Memory {
    #[new]
    fn new() -> Self {
        Self(Left::default())
    }

    /// Reads what `psmp plan --keep` or `save` has written.
    #[staticmethod]
    fn open(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let read = py.detach(|| Kept::open(&path));
        Ok(Self::of(read.map_err(|e| file_error(&e))?))
    }

    /// Writes a file, which `open` and `psmp plan --keep` read. Of nothing there is none.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let Some(kept) = self.0.lock().clone() else {
            return Err(PyTypeError::new_err(
                "nothing has been planned yet, so that there is nothing to save",
            ));
        };
        py.detach(|| kept.write(path)).map_err(|e| file_error(&e))
    }

    /// The roadmap with all that it has grown by and that has come to something; none before the first run.
    #[getter]
    fn roadmap(&self) -> Option<Roadmap> {
        let left = self.0.lock();
        let kept = left.as_ref()?;
        Some(Roadmap::new(kept.roadmap.clone(), None))
    }

    /// Of how many edges it is known whether they are free.
    #[getter]
    fn known(&self) -> usize {
        let left = self.0.lock();
        left.as_ref().map_or(0, |kept| kept.known.known().count())
    }

    /// Forgets what is known of edges: the world has changed, and nobody knows where. The roadmap stays.
    fn forget(&self) {
        if let Some(kept) = self.0.lock().as_mut() {
            kept.known = EdgeMemory::default();
        }
    }

    fn __repr__(&self) -> String {
        match self.0.lock().as_ref() {
            Some(kept) => format!(
                "<psmp.Memory of {}, {} of {} known>",
                counted(kept.roadmap.vertex_count(), "vertices"),
                kept.known.known().count(),
                counted(kept.roadmap.edge_count(), "edges")
            ),
            None => "<psmp.Memory of nothing>".to_owned(),
        }
    }

    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<Reduced<'py, (Option<Bound<'py, PyBytes>>,)>> {
        let left = self.0.lock();
        let bytes = left.as_ref().map(|kept| PyBytes::new(py, &kept.bytes()));
        Ok((maker::<Self>(py)?, (bytes,)))
    }

    /// A memory from the bytes of its file, for pickle.
    #[staticmethod]
    fn _of(bytes: Option<&[u8]>) -> PyResult<Self> {
        let read = bytes.map(|bytes| Kept::read(Path::new(UNNAMED), bytes));
        match read {
            Some(kept) => Ok(Self::of(kept.map_err(|e| file_error(&e))?)),
            None => Ok(Self::new()),
        }
    }
}

impl Memory {
    fn of(kept: Kept) -> Self {
        let memory = Self::new();
        *memory.0.lock() = Some(kept);
        memory
    }
}

/// Where a run is kept.
pub enum Place {
    File(PathBuf),
    Memory(Left),
}

impl Place {
    /// A memory, or the name of a file.
    pub fn given(value: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(memory) = value.cast::<Memory>() {
            return Ok(Self::Memory(memory.get().0.clone()));
        }
        let file = value.extract();
        file.map(Self::File)
            .map_err(|_| PyTypeError::new_err("keep must name a file, or be a psmp.Memory"))
    }

    /// Begins to keep a run of a robot in a world, with what is kept there.
    pub fn open(&self, space: &Space, world: WorldRecord) -> Result<Keeping, FileError> {
        match self {
            Self::File(path) => Keeping::open(path, space, world),
            Self::Memory(left) => {
                let kept = left.lock().clone();
                Keeping::with(Path::new(UNNAMED), kept, space, world)
            }
        }
    }

    /// Keeps what has come of the run there.
    pub fn keep(
        &self,
        keeping: &Keeping,
        grown: Option<(&psmp::Roadmap, EdgeMemory)>,
    ) -> Result<(), FileError> {
        match self {
            Self::File(_) => keeping.keep(grown),
            Self::Memory(left) => {
                if let Some(kept) = keeping.left(grown) {
                    *left.lock() = Some(kept);
                }
                Ok(())
            }
        }
    }
}
