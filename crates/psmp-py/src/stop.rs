//! When to stop, for Python.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// A condition under which a run pauses; conditions are joined by `|` and `&`.
#[pyclass(frozen, module = "psmp")]
pub struct Stop {
    condition: psmp::Stop,
    text: String,
}

impl Stop {
    fn new(condition: psmp::Stop, text: String) -> Self {
        Self { condition, text }
    }

    /// What was given, or never.
    pub fn condition(stop: Option<&Bound<'_, Self>>) -> psmp::Stop {
        stop.map_or_else(psmp::Stop::never, |stop| stop.get().condition.clone())
    }
}

#[pymethods]
impl Stop {
    #[staticmethod]
    fn never() -> Self {
        Self::new(psmp::Stop::never(), "never()".to_owned())
    }

    #[staticmethod]
    fn checks(count: u64) -> Self {
        Self::new(
            psmp::Stop::configurations(count),
            format!("checks({count})"),
        )
    }

    #[staticmethod]
    fn edges(count: u64) -> Self {
        Self::new(psmp::Stop::edges(count), format!("edges({count})"))
    }

    #[staticmethod]
    fn proposals(count: u64) -> Self {
        Self::new(psmp::Stop::proposals(count), format!("proposals({count})"))
    }

    #[staticmethod]
    fn seconds(seconds: f64) -> PyResult<Self> {
        let time = Duration::try_from_secs_f64(seconds).map_err(|_| {
            PyValueError::new_err(format!(
                "seconds must be finite and not negative, got {seconds}"
            ))
        })?;
        Ok(Self::new(
            psmp::Stop::after(time),
            format!("seconds({seconds})"),
        ))
    }

    #[staticmethod]
    fn gap(gap: f64) -> PyResult<Self> {
        if gap.is_nan() || gap < 0.0 {
            return Err(PyValueError::new_err(format!(
                "gap must not be negative, got {gap}"
            )));
        }
        Ok(Self::new(psmp::Stop::gap(gap), format!("gap({gap})")))
    }

    fn __or__(&self, other: &Bound<'_, Self>) -> Self {
        let other = other.get();
        Self::new(
            self.condition.clone() | other.condition.clone(),
            format!("({} | {})", self.text, other.text),
        )
    }

    fn __and__(&self, other: &Bound<'_, Self>) -> Self {
        let other = other.get();
        Self::new(
            self.condition.clone() & other.condition.clone(),
            format!("({} & {})", self.text, other.text),
        )
    }

    fn __repr__(&self) -> &str {
        &self.text
    }
}

/// Ctrl-C and its like, heard in the midst of a step, where the interpreter is not held.
pub struct Signals {
    asked_at: Mutex<Instant>,
    raised: Mutex<Option<PyErr>>,
}

impl Default for Signals {
    fn default() -> Self {
        Self {
            asked_at: Mutex::new(Instant::now()),
            raised: Mutex::new(None),
        }
    }
}

impl Signals {
    /// Taking the interpreter to ask is not free, and no one presses keys faster.
    const OFTEN: Duration = Duration::from_millis(20);

    /// Whether a signal's handler has raised something.
    pub fn are_raised(&self) -> bool {
        let mut asked_at = self.asked_at.lock().unwrap_or_else(PoisonError::into_inner);
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        if raised.is_none() && asked_at.elapsed() >= Self::OFTEN {
            *raised = Python::attach(|py| py.check_signals()).err();
            *asked_at = Instant::now();
        }
        raised.is_some()
    }

    /// What was raised.
    pub fn take(&self) -> Option<PyErr> {
        let mut raised = self.raised.lock().unwrap_or_else(PoisonError::into_inner);
        raised.take()
    }
}
