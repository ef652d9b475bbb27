//! When to stop, for Python.

use crate::pickling::{Reduced, reduced, unpacked};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::atomic::{AtomicU32, Ordering};
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

/// Ctrl-C and its like, heard in the midst of a step.
pub struct Signals {
    /// Whether the interpreter is held during a step. Then others are let have it for as long as it takes to ask.
    is_held: bool,
    /// How often more one may ask before the clock is looked at: that takes longer than all else here.
    unlooked: AtomicU32,
    heard: Mutex<Heard>,
}

/// What was heard, when the interpreter was asked last, and when the clock was looked at.
struct Heard {
    raised: Option<PyErr>,
    asked_at: Instant,
    looked_at: Instant,
}

impl Signals {
    /// Taking the interpreter to ask is not free, and no one presses keys faster.
    const OFTEN: Duration = Duration::from_millis(20);
    /// As often as Python lets its own threads take turns.
    const OFTEN_IF_HELD: Duration = Duration::from_millis(5);
    /// Where two looks at the clock were no farther apart than this, there is no other for so many questions.
    const QUICK: (Duration, u32) = (Duration::from_millis(1), 16);

    pub fn new(is_held: bool) -> Self {
        let now = Instant::now();
        Self {
            is_held,
            unlooked: AtomicU32::new(0),
            heard: Mutex::new(Heard {
                raised: None,
                asked_at: now,
                looked_at: now,
            }),
        }
    }

    /// Whether the interpreter is held during a step.
    pub fn is_held(&self) -> bool {
        self.is_held
    }

    /// Whether a signal's handler has raised something.
    pub fn are_raised(&self) -> bool {
        let unlooked = self.unlooked.load(Ordering::Relaxed);
        if unlooked > 0 {
            self.unlooked.store(unlooked - 1, Ordering::Relaxed);
            return false;
        }
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        if heard.raised.is_some() {
            return true;
        }
        let now = Instant::now();
        let (time, count) = Self::QUICK;
        let is_quick = now.duration_since(heard.looked_at) < time;
        heard.looked_at = now;
        let often = match self.is_held {
            true => Self::OFTEN_IF_HELD,
            false => Self::OFTEN,
        };
        if now.duration_since(heard.asked_at) >= often {
            heard.raised = Python::attach(|py| {
                if self.is_held {
                    py.detach(|| ());
                }
                py.check_signals().err()
            });
            heard.asked_at = Instant::now();
        }
        // Who has heard of it once hears of it until it is taken.
        if is_quick && heard.raised.is_none() {
            self.unlooked.store(count, Ordering::Relaxed);
        }
        heard.raised.is_some()
    }

    /// What was raised.
    pub fn take(&self) -> Option<PyErr> {
        let mut heard = self.heard.lock().unwrap_or_else(PoisonError::into_inner);
        heard.raised.take()
    }
}
