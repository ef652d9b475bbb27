//! Searching the roadmap: the only work that is done between two checks.
//!
//! [`OptimisticDistances`] keeps, for every vertex, the exact distance to the goal over all edges
//! not known to be blocked, and repairs it as edges become blocked. It is three things at once:
//! the path of an optimist, a lower bound on every path there can be, and the best heuristic there
//! can be for the A* that finds shortest paths in worlds that have fewer edges still.

mod astar;
mod frontier;
mod optimistic;

pub(crate) use astar::{Search, Weights};
pub use optimistic::OptimisticDistances;
