//! What reading a file costs: time, and the memory held at once.
//!
//! Memory is what the allocator has given to the thread that reads and not got back, at its most. A
//! program that wants to know makes [`Counting`] its global allocator. Each thread counts for
//! itself, so that tests may run beside each other.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// The system's allocator with a count beside it.
pub struct Counting;

/// A thread that is measured gets no more than this: then its program ends, which is better than
/// that the machine stops.
const MOST: isize = 2 << 30;

thread_local! {
    static HELD: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
    static MEASURED: Cell<bool> = const { Cell::new(false) };
}

/// Counts a change of what the thread holds, or refuses it.
fn count(change: isize) -> bool {
    let held = HELD.get().saturating_add(change);
    if change > 0 && held > MOST && MEASURED.get() {
        return false;
    }
    HELD.set(held);
    PEAK.set(PEAK.get().max(held));
    true
}

// SAFETY: every call goes to the system's allocator unchanged or is refused with a null pointer, as
// an allocator may; only numbers of the thread are kept beside it, which need no memory.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if !count(layout.size() as isize) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promises are handed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if !count(layout.size() as isize) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promises are handed on.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promises are handed on.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if !count(size as isize - layout.size() as isize) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promises are handed on.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// What something has cost, and what came of it.
#[derive(Debug)]
pub struct Cost<T> {
    /// What came of it, or what it panicked with.
    pub outcome: Result<T, String>,
    /// How long it took.
    pub time: Duration,
    /// The most bytes that this thread held at once beyond what it held before; 0 if [`Counting`] is
    /// not the program's allocator.
    pub memory: usize,
}

/// Does something on this thread and tells what it cost.
pub fn measure<T>(doing: impl FnOnce() -> T) -> Cost<T> {
    let before = HELD.get();
    PEAK.set(before);
    MEASURED.set(true);
    let started = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(doing));
    let time = started.elapsed();
    MEASURED.set(false);
    let memory = (PEAK.get() - before).max(0) as usize;
    let outcome = outcome.map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
        text.unwrap_or("a panic without words").to_owned()
    });
    Cost {
        outcome,
        time,
        memory,
    }
}
