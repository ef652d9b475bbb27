//! The `psmp` command, run as a user would run it.
#![allow(clippy::unwrap_used, reason = "in a test an unwrap is an assertion")]

/// Arms: clutter, plans with trajectories and pictures, and what can be wrong with their files.
mod arms;
/// Every command, doing what it is for.
mod commands;
/// Planners of every kind compared on a page, from rows of one run or several.
mod comparing;
/// How runs end: exit codes, Ctrl-C, closed pipes, and nothing but text where no terminal is.
mod endings;
/// Goals of arms: joint values, named states and poses, and what can be wrong with them.
mod goals;
/// Files that are up to no good: what they name, what they claim, and where they would write.
mod hostile;
/// What was grown is kept from run to run, and where nothing grows.
mod keeping;
/// Commands that are killed at any moment, and end the same.
mod kills;
/// Beliefs that are kept in files and grow.
mod learning;
/// Runs that are shown while they go on, and what is moved in them.
#[cfg(unix)]
mod live;
/// Maps of one's own: learned from, planned in, and what can be wrong with them.
mod maps;
/// What a user can get wrong. Each is told what is wrong and what to do, without a panic, a wait or
/// an answer to another question.
mod mistakes;
/// Pages of runs.
mod pages;
/// A folder to work in, with maps and a dataset, and a way to run the command there.
mod place;
/// The same seed gives the same output, whatever the number of threads.
mod repeats;
/// Stops that stop: time, Ctrl-C, SIGTERM and budgets, whatever the command is doing.
mod stops;
/// Arms in many scenes, and their spheres.
mod tables;
/// Help texts and the choice of what they say.
mod words;
