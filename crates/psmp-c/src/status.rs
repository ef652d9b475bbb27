//! How a call went: a code that is returned, and a message that the thread remembers until its next call.
//!
//! Nothing unwinds into the caller. Every function of the interface does its work within [`guarded`], which turns a
//! failure into its code, and a panic into [`Status::Internal`].

use psmp::SessionError;
use psmp_files::FileError;
use std::any::Any;
use std::cell::RefCell;
use std::ffi::{CString, c_char};
use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a call went. Anything but PSMP_STATUS_OK comes with a message: psmp_last_error().
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// All went well.
    Ok = 0,
    /// Something that was given makes no sense; the message says what, and what would.
    InvalidArgument = 1,
    /// No planner has this handle: it was freed, or never made.
    NoSuchPlanner = 2,
    /// The planner is at work: in another thread, or in the call that this one was made from.
    Busy = 3,
    /// psmp_planner_query() has to come first.
    NoQuery = 4,
    /// No path has been found so far.
    NoPath = 5,
    /// There is less room than what is to be written takes.
    TooSmall = 6,
    /// The start, or every goal, is in collision.
    InCollision = 7,
    /// The check function has returned a negative number. What was found before is kept: drive on to ask again.
    CheckFailed = 8,
    /// A file cannot be read, written or used.
    File = 9,
    /// A mistake in psmp itself. The planner cannot go on; free it.
    Internal = 10,
}

/// Why a call has failed.
#[derive(Debug)]
pub struct Failure {
    pub status: Status,
    pub message: String,
}

pub type Outcome = Result<(), Failure>;

impl Failure {
    pub fn new(status: Status, message: impl Into<String>) -> Self {
        Self {
            status,
            message: message.into(),
        }
    }

    /// What was given makes no sense.
    pub fn invalid(message: impl Display) -> Self {
        Self::new(Status::InvalidArgument, message.to_string())
    }
}

impl<E: Display> From<SessionError<E>> for Failure {
    fn from(error: SessionError<E>) -> Self {
        let status = match error {
            SessionError::World(_) => Status::CheckFailed,
            SessionError::InCollision(_) => Status::InCollision,
            _ => Status::InvalidArgument,
        };
        Self::new(status, format!("{error}; {}", error.remedy()))
    }
}

impl From<FileError> for Failure {
    fn from(error: FileError) -> Self {
        let message = match error.remedy() {
            Some(remedy) => format!("{error}; {remedy}"),
            None => error.to_string(),
        };
        Self::new(Status::File, message)
    }
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

fn remember(message: &str) {
    // What follows a zero no C program would read.
    let message = message.split('\0').next().unwrap_or_default();
    let message = CString::new(message).unwrap_or_default();
    // A thread that is ending has nobody left to tell.
    let _ = LAST_ERROR.try_with(|last| last.replace(message));
}

/// What went wrong in this thread's last call that failed, in words; empty before the first. It stays until the
/// thread's next call that fails.
#[unsafe(no_mangle)]
pub extern "C" fn psmp_last_error() -> *const c_char {
    let last = LAST_ERROR.try_with(|last| last.borrow().as_ptr());
    last.unwrap_or(c"".as_ptr())
}

/// Does something for the caller, and tells how it went.
pub fn guarded(work: impl FnOnce() -> Outcome) -> Status {
    // What a panic has left half done stays behind a poisoned lock.
    let outcome = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let message = format!("a mistake in psmp: {}; please report it", said(&*panic));
        Err(Failure::new(Status::Internal, message))
    });
    match outcome {
        Ok(()) => Status::Ok,
        Err(Failure { status, message }) => {
            remember(&message);
            status
        }
    }
}

/// What a panic has said.
fn said(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it gave no reason")
}
