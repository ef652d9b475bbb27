//! What users pass in, and what they are told when it does not fit: every error names the argument
//! and the shape it had.

use numpy::{Element, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyUntypedArrayMethods};
use psmp::WorldId;
use psmp_files::FileError;
use pyo3::exceptions::{PyFileNotFoundError, PyOSError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

/// A shape as Python writes it.
pub fn shape_text(shape: &[usize]) -> String {
    match shape {
        [one] => format!("({one},)"),
        many => {
            let parts: Vec<String> = many.iter().map(ToString::to_string).collect();
            format!("({})", parts.join(", "))
        }
    }
}

/// An argument as a numpy array of one type, the very array where it is one already.
fn array_of<'py, T: Element>(
    name: &str,
    expected: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let py = value.py();
    let kind = numpy::dtype::<T>(py);
    let numpy = py.import("numpy")?;
    let refused = |why: PyErr| {
        let error = PyTypeError::new_err(format!(
            "{name} must be {expected}, got {}",
            described(value)
        ));
        error.set_cause(py, Some(why));
        error
    };
    let given = numpy.call_method1("asarray", (value,)).map_err(refused)?;
    let options = PyDict::new(py);
    options.set_item("copy", false)?;
    options.set_item("order", "C")?;
    // Whole numbers may become floats, but never the other way round.
    let safely = numpy.call_method1("can_cast", (given.getattr("dtype")?, &kind, "same_kind"))?;
    if !safely.extract::<bool>()? {
        return Err(PyTypeError::new_err(format!(
            "{name} must be {expected}, got {}",
            described(&given)
        )));
    }
    let array = given.call_method("astype", (&kind,), Some(&options));
    Ok(array.map_err(refused)?.cast_into::<PyArrayDyn<T>>()?)
}

/// A value in an error: an array's shape and type, or what else it is.
pub fn described(value: &Bound<'_, PyAny>) -> String {
    let kind = value.get_type();
    let shape = value
        .getattr("shape")
        .and_then(|shape| shape.extract::<Vec<usize>>());
    match (shape, value.getattr("dtype")) {
        (Ok(shape), Ok(dtype)) => format!("shape {} of {dtype}", shape_text(&shape)),
        _ => name_of(&kind),
    }
}

fn name_of(kind: &Bound<'_, PyType>) -> String {
    kind.qualname()
        .map_or_else(|_| "something else".to_owned(), |name| name.to_string())
}

/// A matrix: rows of `columns` values where that is known.
pub fn matrix<'py, T: Element>(
    name: &str,
    rows: &str,
    columns: Option<usize>,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let wanted = columns.map_or("d".to_owned(), |c| c.to_string());
    let expected = format!(
        "an array of shape ({rows}, {wanted}) of {}",
        numpy::dtype::<T>(value.py())
    );
    let array = array_of::<T>(name, &expected, value)?;
    let fits =
        array.ndim() == 2 && columns.is_none_or(|columns| array.shape().get(1) == Some(&columns));
    if !fits {
        return Err(PyValueError::new_err(format!(
            "{name} must have shape ({rows}, {wanted}), got {}",
            shape_text(array.shape())
        )));
    }
    Ok(array.cast_into::<PyArray2<T>>()?)
}

/// A row of values, of a known length where that is known.
pub fn vector<'py, T: Element>(
    name: &str,
    length: Option<usize>,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    let wanted = length.map_or("n".to_owned(), |n| n.to_string());
    let expected = format!(
        "an array of shape ({wanted},) of {}",
        numpy::dtype::<T>(value.py())
    );
    let array = array_of::<T>(name, &expected, value)?;
    if array.ndim() != 1 || length.is_some_and(|n| array.len() != n) {
        return Err(PyValueError::new_err(format!(
            "{name} must have shape ({wanted},), got {}",
            shape_text(array.shape())
        )));
    }
    Ok(array.cast_into::<PyArray1<T>>()?)
}

/// One configuration of shape (d,), or many of shape (n, d): their values, and whether it was one.
pub fn configurations(
    name: &str,
    dimension: usize,
    value: &Bound<'_, PyAny>,
) -> PyResult<(Vec<f64>, bool)> {
    let expected = format!("an array of shape ({dimension},) or (n, {dimension}) of float64");
    let array = array_of::<f64>(name, &expected, value)?;
    match array.shape() {
        [d] if *d == dimension => Ok((values(&array)?, true)),
        [_, d] if *d == dimension => Ok((values(&array)?, false)),
        other => Err(PyValueError::new_err(format!(
            "{name} must have shape ({dimension},) or (n, {dimension}), got {}",
            shape_text(other)
        ))),
    }
}

/// The values of an array, copied once. The array may have any number of axes.
pub fn values<T: Element + Copy, D: numpy::ndarray::Dimension>(
    array: &Bound<'_, numpy::PyArray<T, D>>,
) -> PyResult<Vec<T>> {
    Ok(array.to_vec()?)
}

/// Worlds by number, all of them if none are given.
pub fn worlds(
    name: &str,
    value: Option<&Bound<'_, PyAny>>,
    count: usize,
) -> PyResult<Vec<WorldId>> {
    let Some(value) = value else {
        return Ok((0..count as u32).map(WorldId).collect());
    };
    // An empty list is an array of floats to numpy.
    if value.len().is_ok_and(|n| n == 0) {
        return Ok(Vec::new());
    }
    values(&vector::<i64>(name, None, value)?)?
        .into_iter()
        .map(|world| {
            usize::try_from(world)
                .ok()
                .filter(|w| *w < count)
                .map(|w| WorldId(w as u32))
                .ok_or_else(|| {
                    PyValueError::new_err(format!(
                        "{name} has world {world}, but there are worlds 0 to {}",
                        count as i64 - 1
                    ))
                })
        })
        .collect()
}

/// A value that makes no sense to the Rust side, with the argument's name.
pub fn refused(name: &str, why: impl std::fmt::Display) -> PyErr {
    PyValueError::new_err(format!("{name}: {why}"))
}

/// Trouble with a file, with its remedy.
pub fn file_error(error: &FileError) -> PyErr {
    let mut text = error.to_string();
    let source = std::error::Error::source(error);
    if let Some(source) = source {
        text = format!("{text}: {source}");
    }
    if let Some(remedy) = error.remedy() {
        text = format!("{text}; {remedy}");
    }
    let missing = source
        .and_then(|e| e.downcast_ref::<std::io::Error>())
        .is_some_and(|e| e.kind() == std::io::ErrorKind::NotFound);
    if missing || error.is_absent() {
        PyFileNotFoundError::new_err(text)
    } else {
        PyOSError::new_err(text)
    }
}

/// An array that others see too and that no one may write to.
pub fn read_only<'py, T, D>(
    array: Bound<'py, numpy::PyArray<T, D>>,
) -> PyResult<Bound<'py, numpy::PyArray<T, D>>> {
    array.call_method1("setflags", (false,))?;
    Ok(array)
}
