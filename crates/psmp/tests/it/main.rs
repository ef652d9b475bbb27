//! Tests of the planner as a whole, in one binary.
#![allow(clippy::unwrap_used, reason = "in a test an unwrap is an assertion")]

/// Beliefs that are wrong in every way there is.
mod adversaries;
/// What grows comes to the shortest path of the space.
mod convergence;
/// Several cores, which ask ahead and change nothing.
mod cores;
/// Worlds whose shortest path is known exactly.
mod exact;
/// Several goals, of which any one will do.
mod goals;
mod growing;
/// Roadmaps that grow under their planners.
mod growth;
/// The promise of the insurance, against beliefs that do their worst.
mod insurance;
/// The nearest-neighbour belief against its formula.
mod nearest_neighbour;
/// What checks and thoughts cost, and what follows from it.
mod prices;
/// Random problems for the other modules.
mod problems;
/// What must hold of every run, whatever it is put together from.
mod promises;
/// What is given out is proved free all along.
mod proofs;
/// Seeds, threads, pauses and failing checkers.
mod runs;
/// Sessions: from two configurations to ever shorter paths between them.
mod session;
/// Stops that stop: in the midst of thinking and checking, and never beyond a budget.
mod stops;
