//! Queries, conditions to stop by, and driving a run: step by step, or until a condition is met.

use crate::Handle;
use crate::arguments::{array, write};
use crate::event::{Event, EventKind};
use crate::planners::with;
use crate::status::{Failure, Status};
use crate::world::{AskStop, asked};
use psmp::Stop;
use std::ffi::c_void;
use std::time::Duration;

/// Told of each event of a run. Returns whether to go on. The planner may be asked for its path meanwhile.
pub type OnEvent =
    Option<unsafe extern "C" fn(user_data: *mut c_void, event: *const Event) -> bool>;

/// Begins a query from a start to any of `goal_count` goals, given one after the other. What the planner has found out in queries
/// before is kept, unless a setting has changed since. Nothing is checked yet.
///
/// # Safety
/// `start` has a value for each axis, and `goals` so many for each goal.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn psmp_planner_query(
    planner: Handle,
    start: *const f64,
    goals: *const f64,
    goal_count: usize,
) -> Status {
    with(planner, |planner| {
        let dimension = planner.space().dimension();
        let values = goal_count.checked_mul(dimension);
        let values = values.ok_or_else(|| Failure::invalid("so many goals there cannot be"))?;
        // SAFETY: the caller promises it.
        let start = unsafe { array("start", start, dimension) }?;
        // SAFETY: likewise.
        let goals = unsafe { array("goals", goals, values) }?;
        planner.query(start, goals.chunks_exact(dimension).collect())
    })
}

/// Says that the world has changed: what is known of edges is forgotten, with the next query. The roadmap stays.
#[unsafe(no_mangle)]
pub extern "C" fn psmp_planner_forget(planner: Handle) -> Status {
    with(planner, |planner| {
        planner.forget();
        Ok(())
    })
}

/// Stops once so many configurations have been checked in a query. Of several conditions any one stops a run.
#[unsafe(no_mangle)]
pub extern "C" fn psmp_planner_stop_at_checks(planner: Handle, configurations: u64) -> Status {
    with(planner, |planner| {
        planner.stop_by(Stop::configurations(configurations));
        Ok(())
    })
}

/// Stops once so many seconds have passed since psmp_planner_run() was called, or the first step made.
#[unsafe(no_mangle)]
pub extern "C" fn psmp_planner_stop_at_seconds(planner: Handle, seconds: f64) -> Status {
    with(planner, |planner| {
        let time = Duration::try_from_secs_f64(seconds).map_err(|_| {
            Failure::invalid(format!("{seconds} is no time: give seconds, 0 or more"))
        })?;
        planner.stop_by(Stop::after(time));
        Ok(())
    })
}

/// Stops once the best path is certainly at most this share longer than the shortest on the roadmap.
#[unsafe(no_mangle)]
pub extern "C" fn psmp_planner_stop_at_gap(planner: Handle, gap: f64) -> Status {
    with(planner, |planner| {
        if gap.is_nan() || gap < 0.0 {
            let message = format!("{gap} is no gap: give 0 or more, such as 0.01 for 1 %");
            return Err(Failure::invalid(message));
        }
        planner.stop_by(Stop::gap(gap));
        Ok(())
    })
}

/// Stops once `ask` says so.
///
/// # Safety
/// `ask` may be called with `user_data` while the planner is driven, until psmp_planner_stop_never().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn psmp_planner_stop_when(
    planner: Handle,
    ask: AskStop,
    user_data: *mut c_void,
) -> Status {
    with(planner, |planner| {
        planner.stop_by(asked(ask, user_data)?);
        Ok(())
    })
}

/// Takes all conditions away: a run goes on until it ends by itself.
#[unsafe(no_mangle)]
pub extern "C" fn psmp_planner_stop_never(planner: Handle) -> Status {
    with(planner, |planner| {
        planner.stop_never();
        Ok(())
    })
}

/// Takes a step, at most one check of an edge, and writes what has happened to `event`: PSMP_EVENT_KIND_NONE if a
/// condition is met, or the run is over.
///
/// # Safety
/// `event` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn psmp_planner_step(planner: Handle, event: *mut Event) -> Status {
    with(planner, |planner| {
        // Seen to be writable before anything is done.
        // SAFETY: the caller promises it.
        unsafe { write("event", event, Event::nothing(planner.progress()?)) }?;
        let told = match planner.step()? {
            Some(happened) => happened.into(),
            None => Event::nothing(planner.progress()?),
        };
        // SAFETY: likewise.
        unsafe { write("event", event, told) }
    })
}

/// Drives the planner until a condition is met or the run is over, and writes which it was to `ending`, unless that is NULL:
/// PSMP_EVENT_KIND_NONE, or the event that ended it. `on_event`, unless it is NULL, is told of each event on the way.
///
/// # Safety
/// `on_event` may be called with `user_data`, and `ending` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn psmp_planner_run(
    planner: Handle,
    on_event: OnEvent,
    user_data: *mut c_void,
    ending: *mut EventKind,
) -> Status {
    let mut status = with(planner, |planner| {
        planner.resume();
        Ok(())
    });
    let mut goes_on = true;
    while status == Status::Ok && goes_on {
        let mut happened = None;
        status = with(planner, |planner| {
            happened = planner.step()?;
            Ok(())
        });
        // Nobody holds the planner now, so that it can be asked for its path.
        goes_on = match (happened, on_event) {
            (None, _) => false,
            (Some(_), None) => true,
            // SAFETY: the caller promises it.
            (Some(event), Some(on_event)) => unsafe { on_event(user_data, &event.into()) },
        };
    }
    if status != Status::Ok || ending.is_null() {
        return status;
    }
    // SAFETY: the caller promises it.
    with(planner, |planner| unsafe {
        write("ending", ending, planner.ending())
    })
}
