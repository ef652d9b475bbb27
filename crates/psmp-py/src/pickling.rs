//! What is sent to other processes: a value as bytes, which Python's pickle takes along.
//!
//! `__reduce__` of a class names its `_of`, which makes the value again, and what to call it with. Pickles are as
//! safe as who made them; the bytes are for the version of psmp that wrote them.

use crate::arguments::refused;
use pyo3::prelude::*;
use pyo3::type_object::PyTypeInfo;
use pyo3::types::PyBytes;
use serde::Serialize;
use serde::de::DeserializeOwned;

/// A maker and its arguments, as `__reduce__` gives them.
pub type Reduced<'py, A> = (Bound<'py, PyAny>, A);

/// The static method `_of` of a class.
pub fn maker<'py, T: PyTypeInfo>(py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
    py.get_type::<T>().getattr("_of")
}

/// A value as bytes.
pub fn packed<'py>(py: Python<'py>, what: &impl Serialize) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = postcard::to_stdvec(what).map_err(|e| refused("pickle", e))?;
    Ok(PyBytes::new(py, &bytes))
}

/// The value that bytes were made of.
pub fn unpacked<T: DeserializeOwned>(bytes: &[u8]) -> PyResult<T> {
    postcard::from_bytes(bytes).map_err(|e| {
        let why = format!("{e}; it was written by another version of psmp, or is damaged");
        refused("pickle", why)
    })
}

/// Makes a class that is made of one value by bytes, with `_of`.
pub fn reduced<'py, T: PyTypeInfo>(
    py: Python<'py>,
    what: &impl Serialize,
) -> PyResult<Reduced<'py, (Bound<'py, PyBytes>,)>> {
    Ok((maker::<T>(py)?, (packed(py, what)?,)))
}
