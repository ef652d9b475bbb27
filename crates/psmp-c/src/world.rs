//! The caller's functions: what checks configurations, and what asks whether to stop.

use crate::status::Failure;
use psmp::Stop;
use psmp::checker::World;
use std::ffi::{c_int, c_void};
use std::fmt;

/// Says whether a configuration is free: 1 if it is, 0 if it is in collision, a negative number if that cannot be told,
/// which breaks the run off. `configuration` has a value for each axis and is gone when the function returns.
///
/// It is called in the thread that drives the planner, while that is at work. It must not throw or jump out.
pub type Check =
    Option<unsafe extern "C" fn(user_data: *mut c_void, configuration: *const f64) -> c_int>;

/// Says which of `count` configurations, given one after the other, is the first in collision: its place counted
/// from 0, `count` if all are free, a negative number if that cannot be told. Otherwise as `psmp_check`.
pub type CheckMany = Option<
    unsafe extern "C" fn(user_data: *mut c_void, configurations: *const f64, count: usize) -> i64,
>;

/// Says whether the run is to stop. It is asked often, in the thread that drives the planner: let it be quick.
pub type AskStop = Option<unsafe extern "C" fn(user_data: *mut c_void) -> bool>;

#[derive(Clone, Copy)]
enum Function {
    One(unsafe extern "C" fn(*mut c_void, *const f64) -> c_int),
    Many(
        unsafe extern "C" fn(*mut c_void, *const f64, usize) -> i64,
        u64,
    ),
}

/// The caller's checker, as a world.
#[derive(Clone, Copy)]
pub struct CheckedByCaller {
    function: Function,
    user_data: *mut c_void,
}

// SAFETY: the caller's function and data are used only within calls of the interface, one at a time, in the
// thread that makes the call; that they may be used there is what the caller promises.
unsafe impl Send for CheckedByCaller {}

/// What the caller's checker has returned instead of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoAnswer(i64);

impl fmt::Display for NoAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the check function returned {}", self.0)
    }
}

impl CheckedByCaller {
    /// One configuration at a time.
    pub fn one(check: Check, user_data: *mut c_void) -> Result<Self, Failure> {
        let check = check.ok_or_else(|| Failure::invalid("the check function is NULL"))?;
        Ok(Self {
            function: Function::One(check),
            user_data,
        })
    }

    /// Many at once, of which so many take about as long as one.
    pub fn many(check: CheckMany, at_once: usize, user_data: *mut c_void) -> Result<Self, Failure> {
        let check = check.ok_or_else(|| Failure::invalid("the check function is NULL"))?;
        if at_once == 0 {
            return Err(Failure::invalid("at_once is 0: say 1 or more"));
        }
        Ok(Self {
            function: Function::Many(check, at_once as u64),
            user_data,
        })
    }
}

impl World for CheckedByCaller {
    type Error = NoAnswer;

    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, NoAnswer> {
        let q = configuration.as_ptr();
        let answer = match self.function {
            Function::One(check) => {
                // SAFETY: the caller promises that it can be called with its data and a configuration.
                let answer = unsafe { check(self.user_data, q) };
                i64::from(answer)
            }
            // SAFETY: likewise, with one configuration.
            Function::Many(check, _) => unsafe { check(self.user_data, q, 1) },
        };
        match answer {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(NoAnswer(other)),
        }
    }

    fn first_collision(
        &mut self,
        configurations: &[f64],
        dimension: usize,
    ) -> Result<Option<usize>, NoAnswer> {
        let Function::Many(check, _) = self.function else {
            for (place, q) in configurations.chunks_exact(dimension).enumerate() {
                if !self.is_free(q)? {
                    return Ok(Some(place));
                }
            }
            return Ok(None);
        };
        let count = configurations.len() / dimension;
        // SAFETY: the caller promises that it can be called with its data and so many configurations.
        let answer = unsafe { check(self.user_data, configurations.as_ptr(), count) };
        match usize::try_from(answer) {
            Ok(place) if place < count => Ok(Some(place)),
            Ok(place) if place == count => Ok(None),
            _ => Err(NoAnswer(answer)),
        }
    }

    fn at_once(&self) -> u64 {
        match self.function {
            Function::One(_) => 1,
            Function::Many(_, at_once) => at_once,
        }
    }
}

/// A stop that the caller is asked about.
pub fn asked(ask: AskStop, user_data: *mut c_void) -> Result<Stop, Failure> {
    struct Asked(unsafe extern "C" fn(*mut c_void) -> bool, *mut c_void);
    // SAFETY: as for `CheckedByCaller`: it is called in the thread that drives the planner, while it does.
    unsafe impl Send for Asked {}
    // SAFETY: likewise.
    unsafe impl Sync for Asked {}
    impl Asked {
        fn says_so(&self) -> bool {
            // SAFETY: the caller promises that it can be called with its data.
            unsafe { (self.0)(self.1) }
        }
    }
    let ask =
        ask.ok_or_else(|| Failure::invalid("the function that asks whether to stop is NULL"))?;
    let asked = Asked(ask, user_data);
    Ok(Stop::when(move || asked.says_so()))
}
