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
    wanted: &str,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    // What most pass: to ask numpy about it takes longer than all else that is done with it.
    if let Ok(array) = value.cast_exact::<PyArrayDyn<T>>()
        && array.is_c_contiguous()
    {
        return Ok(array.clone());
    }
    let py = value.py();
    let kind = numpy::dtype::<T>(py);
    let numpy = py.import("numpy")?;
    let told = |got: &Bound<'_, PyAny>| {
        PyTypeError::new_err(format!(
            "{name} must be an array of shape {wanted} of {kind}, got {}",
            described(got)
        ))
    };
    let refused = |why: PyErr| {
        let error = told(value);
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
        return Err(told(&given));
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

/// An array whose shape `fits`, which is described by `wanted`.
pub fn shaped<'py, T: Element>(
    name: &str,
    wanted: &str,
    fits: impl Fn(&[usize]) -> bool,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    let array = array_of::<T>(name, wanted, value)?;
    if !fits(array.shape()) {
        let shape = shape_text(array.shape());
        let what = format!("{name} must have shape {wanted}, got {shape}");
        return Err(PyValueError::new_err(what));
    }
    Ok(array)
}

/// A matrix: rows of `columns` values where that is known.
pub fn matrix<'py, T: Element>(
    name: &str,
    rows: &str,
    columns: Option<usize>,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray2<T>>> {
    let wanted = columns.map_or("d".to_owned(), |c| c.to_string());
    let fits = |shape: &[usize]| matches!(shape, [_, d] if columns.is_none_or(|c| c == *d));
    let array = shaped::<T>(name, &format!("({rows}, {wanted})"), fits, value)?;
    Ok(array.cast_into::<PyArray2<T>>()?)
}

/// A row of values, of a known length where that is known.
pub fn vector<'py, T: Element>(
    name: &str,
    length: Option<usize>,
    value: &Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyArray1<T>>> {
    let wanted = length.map_or("n".to_owned(), |n| n.to_string());
    let fits = |shape: &[usize]| matches!(shape, [n] if length.is_none_or(|l| l == *n));
    let array = shaped::<T>(name, &format!("({wanted},)"), fits, value)?;
    Ok(array.cast_into::<PyArray1<T>>()?)
}

/// One configuration of shape (d,), or many of shape (n, d): their values, and whether it was one.
pub fn configurations(
    name: &str,
    dimension: usize,
    value: &Bound<'_, PyAny>,
) -> PyResult<(Vec<f64>, bool)> {
    let wanted = format!("({dimension},) or (n, {dimension})");
    let fits = |shape: &[usize]| matches!(shape, [d] | [_, d] if *d == dimension);
    let array = shaped::<f64>(name, &wanted, fits, value)?;
    Ok((values(&array)?, array.ndim() == 1))
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
            let given = format!("{name} has world {world}");
            numbered(world, count, &given, "worlds").map(WorldId)
        })
        .collect()
}

/// The number of one of `count` things; `given` says in an error what was asked for.
pub fn numbered(number: i64, count: usize, given: &str, things: &str) -> PyResult<u32> {
    match usize::try_from(number) {
        Ok(place) if place < count => Ok(place as u32),
        _ => Err(PyValueError::new_err(format!(
            "{given}, but there are {things} 0 to {}",
            count as i64 - 1
        ))),
    }
}

/// One of two values by its name.
pub fn either<T: Copy>(name: &str, given: &str, values: [(&str, T); 2]) -> PyResult<T> {
    let [(one, _), (other, _)] = values;
    let found = values.into_iter().find(|(name, _)| *name == given);
    let wrong = || refused(name, format!("`{given}` is neither `{one}` nor `{other}`"));
    found.map(|(_, value)| value).ok_or_else(wrong)
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
