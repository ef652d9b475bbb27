//! The planners that callers hold. A handle is a number that names one and no address, and none is given twice: so a
//! handle that was freed, or never given, is found out, and freeing one twice does no harm.

use crate::planner::Planner;
use crate::status::{Failure, Outcome, Status, guarded};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};

struct Planners {
    last: u64,
    held: BTreeMap<u64, Arc<Mutex<Planner>>>,
}

static PLANNERS: Mutex<Planners> = Mutex::new(Planners {
    last: 0,
    held: BTreeMap::new(),
});

fn planners() -> MutexGuard<'static, Planners> {
    // Nothing that can panic is done while it is locked.
    PLANNERS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn no_such(handle: u64) -> Failure {
    let message = match handle {
        0 => "0 is no planner: make one with psmp_planner_new".to_owned(),
        _ => format!("planner {handle} was freed, or never made"),
    };
    Failure::new(Status::NoSuchPlanner, message)
}

/// Holds a planner for a caller, who is given its handle.
pub fn hold(planner: Planner) -> u64 {
    let mut planners = planners();
    planners.last += 1;
    let handle = planners.last;
    planners.held.insert(handle, Arc::new(Mutex::new(planner)));
    handle
}

/// Lets go of a planner. If it is at work it goes when that is done.
pub fn free(handle: u64) -> Outcome {
    let mut planners = planners();
    let freed = planners.held.remove(&handle);
    if planners.held.is_empty() {
        // An empty map may keep memory, which who looks for leaks would find.
        planners.held = BTreeMap::new();
    }
    // What it held is dropped when others can be looked up again.
    drop(planners);
    freed.map(drop).ok_or_else(|| no_such(handle))
}

/// Does something with a planner, and tells how it went.
pub fn with(handle: u64, work: impl FnOnce(&mut Planner) -> Outcome) -> Status {
    guarded(|| {
        let planner = planners().held.get(&handle).cloned();
        let planner = planner.ok_or_else(|| no_such(handle))?;
        let mut planner = planner.try_lock().map_err(|e| match e {
            TryLockError::WouldBlock => Failure::new(
                Status::Busy,
                "the planner is at work, in another thread or in the call that this one was made from: wait \
                 until that returns",
            ),
            TryLockError::Poisoned(_) => Failure::new(
                Status::Internal,
                "the planner met with a mistake in psmp and cannot go on: free it and make another",
            ),
        })?;
        work(&mut planner)
    })
}
