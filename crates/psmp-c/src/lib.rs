//! psmp for C: one kind of handle, a planner, and functions on it.
//!
//! A planner is made of axes and the caller's check function; it is given a query, driven until a condition is met,
//! and asked for its path. `include/psmp/psmp.h` is generated from what is here, and `include/psmp/psmp.hpp` is the same for
//! C++17; `include/psmp/ompl.hpp` makes it a planner of OMPL.
//!
//! What a caller can do wrong is answered by a code and a message ([`Status`]): a handle that was freed, a planner that
//! is called from its own check function, an array without an address. Only what no library can know is left to the
//! caller: that arrays are as long as is said, and that functions may be called.

// In this order they are in the header.
mod status;

mod world;

mod settings;

mod driving;

mod results;

mod arguments;
mod event;
mod graph;
mod planner;
mod planners;

#[cfg(test)]
mod tests;

pub use driving::*;
pub use event::{Event, EventKind, Progress};
pub use graph::{Edge, EdgeState, GraphSize};
pub use results::*;
pub use settings::*;
pub use status::{Status, psmp_last_error};
pub use world::{AskStop, Check, CheckMany};

/// Names a planner; 0 names none. It is no address: one that was freed is found out.
pub type Handle = u64;
