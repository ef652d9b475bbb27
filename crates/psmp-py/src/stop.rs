//! When to stop, for Python.

use crate::pickling::{Reduced, reduced, unpacked};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// When to stop, as it was put together: what is sent and compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum When {
    Never,
    Checks(u64),
    Edges(u64),
    Proposals(u64),
    Seconds(f64),
    Gap(f64),
    Or(Box<[When; 2]>),
    And(Box<[When; 2]>),
}

impl When {
    fn condition(&self) -> psmp::Stop {
        match self {
            Self::Never => psmp::Stop::never(),
            Self::Checks(count) => psmp::Stop::configurations(*count),
            Self::Edges(count) => psmp::Stop::edges(*count),
            Self::Proposals(count) => psmp::Stop::proposals(*count),
            Self::Seconds(seconds) => psmp::Stop::after(Duration::from_secs_f64(*seconds)),
            Self::Gap(gap) => psmp::Stop::gap(*gap),
            Self::Or(both) => both[0].condition() | both[1].condition(),
            Self::And(both) => both[0].condition() & both[1].condition(),
        }
    }
}

impl When {
    /// What was given, or never.
    pub fn given(stop: Option<&Bound<'_, Stop>>) -> Self {
        stop.map_or(Self::Never, |stop| stop.get().0.clone())
    }

    /// Which share of the way to it has been gone after so much time; none where nobody can tell.
    pub fn share(&self, progress: &psmp::Progress, elapsed: Duration) -> Option<f64> {
        let share = |now: f64, then: f64| Some((now / then).clamp(0.0, 1.0));
        match self {
            Self::Never | Self::Gap(_) => None,
            Self::Checks(count) => share(progress.configurations as f64, *count as f64),
            Self::Edges(count) => share(progress.edges as f64, *count as f64),
            Self::Proposals(count) => share(progress.proposals as f64, *count as f64),
            Self::Seconds(seconds) => share(elapsed.as_secs_f64(), *seconds),
            // Whichever comes first, or last.
            Self::Or(both) => {
                let [a, b] = both.each_ref().map(|when| when.share(progress, elapsed));
                a.map_or(b, |a| Some(b.map_or(a, |b| a.max(b))))
            }
            Self::And(both) => {
                let [a, b] = both.each_ref().map(|when| when.share(progress, elapsed));
                a.zip(b).map(|(a, b)| a.min(b))
            }
        }
    }
}

impl fmt::Display for When {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Never => f.write_str("never()"),
            Self::Checks(count) => write!(f, "checks({count})"),
            Self::Edges(count) => write!(f, "edges({count})"),
            Self::Proposals(count) => write!(f, "proposals({count})"),
            Self::Seconds(seconds) => write!(f, "seconds({seconds})"),
            Self::Gap(gap) => write!(f, "gap({gap})"),
            Self::Or(both) => write!(f, "({} | {})", both[0], both[1]),
            Self::And(both) => write!(f, "({} & {})", both[0], both[1]),
        }
    }
}

/// A condition under which a run pauses; conditions are joined by `|` and `&`.
#[pyclass(frozen, module = "psmp")]
pub struct Stop(When);

impl Stop {
    /// What was given, or never.
    pub fn condition(stop: Option<&Bound<'_, Self>>) -> psmp::Stop {
        stop.map_or_else(psmp::Stop::never, |stop| stop.get().0.condition())
    }

    fn both(&self, other: &Bound<'_, Self>) -> Box<[When; 2]> {
        Box::new([self.0.clone(), other.get().0.clone()])
    }
}

#[pymethods]
impl Stop {
    /// Only when the run is over by itself.
    #[staticmethod]
    fn never() -> Self {
        Self(When::Never)
    }

    /// Once this many configurations have been checked.
    #[staticmethod]
    fn checks(count: u64) -> Self {
        Self(When::Checks(count))
    }

    /// Once at least this many edges have been checked.
    #[staticmethod]
    fn edges(count: u64) -> Self {
        Self(When::Edges(count))
    }

    /// Once at least this many paths have been asked of the proposer.
    #[staticmethod]
    fn proposals(count: u64) -> Self {
        Self(When::Proposals(count))
    }

    /// Once this much time has passed since the run was begun or gone on with.
    #[staticmethod]
    fn seconds(seconds: f64) -> PyResult<Self> {
        match Duration::try_from_secs_f64(seconds) {
            Ok(_) => Ok(Self(When::Seconds(seconds))),
            Err(_) => Err(PyValueError::new_err(format!(
                "seconds must be finite and not negative, got {seconds}"
            ))),
        }
    }

    /// Once the best path is certainly at most this share longer than the shortest on the roadmap.
    #[staticmethod]
    fn gap(gap: f64) -> PyResult<Self> {
        if gap.is_nan() || gap < 0.0 {
            return Err(PyValueError::new_err(format!(
                "gap must not be negative, got {gap}"
            )));
        }
        Ok(Self(When::Gap(gap)))
    }

    fn __or__(&self, other: &Bound<'_, Self>) -> Self {
        Self(When::Or(self.both(other)))
    }

    fn __and__(&self, other: &Bound<'_, Self>) -> Self {
        Self(When::And(self.both(other)))
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        other.cast::<Stop>().is_ok_and(|o| o.get().0 == self.0)
    }

    fn __hash__(&self) -> u64 {
        let mut hash = DefaultHasher::new();
        self.0.to_string().hash(&mut hash);
        hash.finish()
    }

    fn __repr__(&self) -> String {
        self.0.to_string()
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<Reduced<'py, (Bound<'py, PyBytes>,)>> {
        reduced::<Self>(py, &self.0)
    }

    /// A condition from bytes, for pickle.
    #[staticmethod]
    fn _of(bytes: &[u8]) -> PyResult<Self> {
        unpacked(bytes).map(Self)
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
