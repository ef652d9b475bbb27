//! Experiments with planners, and pictures of them.
#![deny(missing_docs)]

pub mod picture;
