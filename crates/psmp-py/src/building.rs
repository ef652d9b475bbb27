//! Building that Ctrl-C ends: what may take long is done on a thread of its own, while this one hears
//! of signals.
//!
//! A signal's exception reaches the caller at once. The work that it cuts off cannot be taken back; it
//! goes on unheard to its end, and what it makes is dropped.

use pyo3::prelude::*;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How often signals are asked about.
const OFTEN: Duration = Duration::from_millis(20);

/// Does the work, unless a signal's handler raises something before it is done.
pub fn interruptible<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
) -> PyResult<T> {
    watched(py, work, |_| Ok(()))
}

/// The same, with something to do meanwhile, now and then, which may end the waiting too.
pub fn watched<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    mut meanwhile: impl FnMut(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let (done, result) = channel();
    let worker = std::thread::spawn(move || {
        // No one listens any more where a signal came first.
        let _ = done.send(work());
    });
    let result = Mutex::new(result);
    loop {
        let waited = py.detach(|| {
            let result = result.lock().unwrap_or_else(PoisonError::into_inner);
            result.recv_timeout(OFTEN)
        });
        match waited {
            Ok(made) => return Ok(made),
            Err(RecvTimeoutError::Timeout) => {
                py.check_signals()?;
                meanwhile(py)?;
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    match worker.join() {
        Err(panic) => std::panic::resume_unwind(panic),
        Ok(()) => unreachable!("work that ends sends its result"),
    }
}
