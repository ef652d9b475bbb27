//! The space that configurations live in, for Python.

use crate::arguments::{configurations, matrix, refused, values, vector};
use numpy::{PyArray1, PyArray2, PyArrayMethods};
use psmp::Axis;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The space of configurations: bounds of shape (d, 2), weights, and which axes wrap around.
///
/// A weight scales an axis's part of every distance. An axis that wraps around, such as the angle of a continuous
/// joint, has its two ends joined.
#[pyclass(frozen, module = "psmp")]
pub struct Space(pub psmp::Space);

/// Bounds, weights and wrapping of each axis: what makes a space.
pub type SpaceParts<'py> = (
    Bound<'py, PyArray2<f64>>,
    Bound<'py, PyArray1<f64>>,
    Bound<'py, PyArray1<bool>>,
);

impl Space {
    /// A space given as one, or as bounds of shape (d, 2).
    pub fn given(name: &str, value: &Bound<'_, PyAny>) -> PyResult<psmp::Space> {
        match value.cast::<Space>() {
            Ok(space) => Ok(space.get().0.clone()),
            Err(_) => make(name, value, None, None),
        }
    }

    /// A start and one goal or several as configurations of a space.
    pub fn ends(
        space: &psmp::Space,
        start: &Bound<'_, PyAny>,
        goal: &Bound<'_, PyAny>,
    ) -> PyResult<(Vec<f64>, Vec<Vec<f64>>)> {
        let within = |name: &str, q: Vec<f64>| match space.contains(&q) {
            true => Ok(q),
            false => Err(PyValueError::new_err(format!(
                "{name} {q:?} is outside the {}",
                Space(space.clone()).__repr__()
            ))),
        };
        let start = values(&vector::<f64>("start", Some(space.dimension()), start)?)?;
        let start = within("start", start)?;
        let (goals, _) = configurations("goal", space.dimension(), goal)?;
        let goals = goals.chunks_exact(space.dimension());
        let goals = goals.map(|q| within("goal", q.to_vec()));
        Ok((start, goals.collect::<PyResult<_>>()?))
    }
}

fn make(
    name: &str,
    bounds: &Bound<'_, PyAny>,
    weights: Option<&Bound<'_, PyAny>>,
    wraps: Option<&Bound<'_, PyAny>>,
) -> PyResult<psmp::Space> {
    let bounds = values(&matrix::<f64>(name, "d", Some(2), bounds)?)?;
    let dimension = bounds.len() / 2;
    let weights = match weights {
        Some(given) => values(&vector::<f64>("weights", Some(dimension), given)?)?,
        None => vec![1.0; dimension],
    };
    let wraps = match wraps {
        Some(given) => values(&vector::<bool>("wraps", Some(dimension), given)?)?,
        None => vec![false; dimension],
    };
    let axes = bounds.chunks_exact(2).zip(weights).zip(wraps);
    let axes = axes.map(|((ends, weight), wraps)| {
        let axis = Axis::new(ends[0], ends[1])?.weighted(weight)?;
        Ok(if wraps { axis.wrapping() } else { axis })
    });
    axes.collect::<Result<Vec<Axis>, psmp::SpaceError>>()
        .and_then(psmp::Space::new)
        .map_err(|e| refused(name, e))
}

#[pymethods]
impl Space {
    #[new]
    #[pyo3(signature = (bounds, *, weights=None, wraps=None))]
    fn new(
        bounds: &Bound<'_, PyAny>,
        weights: Option<&Bound<'_, PyAny>>,
        wraps: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        make("bounds", bounds, weights, wraps).map(Self)
    }

    /// The unit cube.
    #[staticmethod]
    fn unit(dimension: usize) -> PyResult<Self> {
        if dimension == 0 {
            return Err(PyValueError::new_err("dimension must be at least 1"));
        }
        Ok(Self(psmp::Space::unit(dimension)))
    }

    /// How many numbers a configuration has.
    #[getter]
    fn dimension(&self) -> usize {
        self.0.dimension()
    }

    /// The least and the greatest value on each axis, of shape (d, 2).
    #[getter]
    fn bounds<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let ends: Vec<f64> = self
            .0
            .axes()
            .iter()
            .flat_map(|axis| [axis.lower(), axis.upper()])
            .collect();
        PyArray1::from_vec(py, ends).reshape([self.0.dimension(), 2])
    }

    /// What scales each axis's part of a distance.
    #[getter]
    fn weights<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        PyArray1::from_iter(py, self.0.axes().iter().map(Axis::weight))
    }

    /// Which axes have their ends joined.
    #[getter]
    fn wraps<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<bool>> {
        let wraps: Vec<bool> = self.0.axes().iter().map(Axis::wraps).collect();
        PyArray1::from_vec(py, wraps)
    }

    /// The weighted distance, the shorter way round on wrapping axes.
    fn distance(&self, a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<f64> {
        let d = Some(self.0.dimension());
        let a = values(&vector::<f64>("a", d, a)?)?;
        let b = values(&vector::<f64>("b", d, b)?)?;
        Ok(self.0.distance(&a, &b))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Space>().is_ok_and(|o| o.get().0 == self.0)
    }

    fn __hash__(&self) -> u64 {
        let mut hash = DefaultHasher::new();
        let axes = self.0.axes().iter();
        axes.for_each(|axis| {
            [axis.lower(), axis.upper()]
                .map(f64::to_bits)
                .hash(&mut hash)
        });
        hash.finish()
    }

    fn __repr__(&self) -> String {
        let axis = |axis: &Axis| {
            let mut text = format!("[{}, {}]", axis.lower(), axis.upper());
            if axis.weight() != 1.0 {
                text += &format!(" x{}", axis.weight());
            }
            if axis.wraps() {
                text += " wrapping";
            }
            text
        };
        let axes: Vec<String> = self.0.axes().iter().map(axis).collect();
        format!("Space({})", axes.join(", "))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, SpaceParts<'py>)> {
        let make = py.get_type::<Self>().getattr("_of")?;
        Ok((make, (self.bounds(py)?, self.weights(py), self.wraps(py))))
    }

    /// A space from its parts, for pickle.
    #[staticmethod]
    fn _of(
        bounds: &Bound<'_, PyAny>,
        weights: &Bound<'_, PyAny>,
        wraps: &Bound<'_, PyAny>,
    ) -> PyResult<Self> {
        make("bounds", bounds, Some(weights), Some(wraps)).map(Self)
    }
}
