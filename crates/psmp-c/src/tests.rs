//! What only Rust can see of the interface: that no panic leaves it. All else is tested in C (`tests/`) and C++
//! (`examples/cpp`).

use crate::planner::Planner;
use crate::status::{Status, guarded, psmp_last_error};
use crate::world::CheckedByCaller;
use crate::{planners, psmp_planner_free, psmp_planner_set_seed};
use std::ffi::{CStr, c_int, c_void};
use std::ptr::null_mut;

/// What went wrong in this thread's last call.
fn last_error() -> String {
    // SAFETY: it is a text of this thread, which is copied at once.
    let message = unsafe { CStr::from_ptr(psmp_last_error()) };
    message.to_str().unwrap().to_owned()
}

#[test]
fn a_panic_stays_within() {
    let status = guarded(|| panic!("of all things, {}", 7));
    assert_eq!(status, Status::Internal);
    assert!(
        last_error().contains("of all things, 7"),
        "{}",
        last_error()
    );
}

unsafe extern "C" fn free(_: *mut c_void, _: *const f64) -> c_int {
    1
}

#[test]
fn a_planner_that_met_with_a_panic_goes_no_further_and_can_be_freed() {
    let axes = vec![psmp::Axis::new(0.0, 1.0).unwrap()];
    let world = CheckedByCaller::one(Some(free), null_mut()).unwrap();
    let handle = planners::hold(Planner::new(axes, world).unwrap());
    assert_eq!(psmp_planner_set_seed(handle, 1), Status::Ok);
    assert_eq!(planners::with(handle, |_| panic!()), Status::Internal);
    assert_eq!(psmp_planner_set_seed(handle, 1), Status::Internal);
    assert!(last_error().contains("free it"), "{}", last_error());
    assert_eq!(psmp_planner_free(handle), Status::Ok);
    assert_eq!(psmp_planner_free(handle), Status::NoSuchPlanner);
}
