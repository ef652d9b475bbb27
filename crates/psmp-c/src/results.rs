//! What has come of a run: where it stands, its path, and the graph that it has planned on.

use crate::Handle;
use crate::arguments::{copy, write};
use crate::event::Progress;
use crate::graph::{Edge, GraphSize};
use crate::planners::with;
use crate::status::Status;

/// Writes where the run stands to `progress`.
///
/// # Safety
/// `progress` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn psmp_planner_progress(planner: Handle, progress: *mut Progress) -> Status {
    with(planner, |planner| {
        // SAFETY: the caller promises it.
        unsafe { write("progress", progress, planner.progress()?.into()) }
    })
}

/// Writes how many configurations the best path so far has to `count`, start and goal included.
///
/// # Safety
/// `count` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn psmp_planner_path_size(planner: Handle, count: *mut usize) -> Status {
    with(planner, |planner| {
        // SAFETY: the caller promises it.
        unsafe { write("count", count, planner.path()?.count()) }
    })
}

/// Writes the configurations of the best path so far, one after the other, to `values`, which has room for `capacity` numbers.
///
/// # Safety
/// So many numbers can be written to `values`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn psmp_planner_path(
    planner: Handle,
    values: *mut f64,
    capacity: usize,
) -> Status {
    with(planner, |planner| {
        // SAFETY: the caller promises it.
        unsafe { copy("values", planner.path()?.coordinates(), values, capacity) }
    })
}

/// Gathers all that was found out into a graph, the roadmap with what it has grown by, and writes its size to `size`. It stays
/// as it is until the next step or query.
///
/// # Safety
/// `size` can be written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn psmp_planner_graph_size(planner: Handle, size: *mut GraphSize) -> Status {
    with(planner, |planner| {
        let dimension = planner.space().dimension();
        // SAFETY: the caller promises it.
        unsafe { write("size", size, planner.graph()?.size(dimension)) }
    })
}

/// Writes the vertices of the graph, one configuration after the other, to `values`, which has room for `capacity` numbers.
///
/// # Safety
/// So many numbers can be written to `values`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn psmp_planner_vertices(
    planner: Handle,
    values: *mut f64,
    capacity: usize,
) -> Status {
    with(planner, |planner| {
        // SAFETY: the caller promises it.
        unsafe { copy("values", &planner.graph()?.coordinates, values, capacity) }
    })
}

/// Writes the edges of the graph, with what is known of them, to `edges`, which has room for `capacity` of them.
///
/// # Safety
/// So many edges can be written to `edges`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn psmp_planner_edges(
    planner: Handle,
    edges: *mut Edge,
    capacity: usize,
) -> Status {
    with(planner, |planner| {
        // SAFETY: the caller promises it.
        unsafe { copy("edges", &planner.graph()?.edges, edges, capacity) }
    })
}
