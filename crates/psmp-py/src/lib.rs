//! The extension module behind the Python package `psmp`.
//!
//! What is here is thin: each file wraps one idea of the Rust crates for Python, and the package in
//! `python/psmp` gives it the face that users see. Rust works with the interpreter let go
//! ([`Python::detach`]) and takes it back only to call a checker that the user wrote. Arrays go in
//! and out without a copy where Rust and numpy can mean the same memory.

mod arguments;
mod arm;
mod arm_checker;
mod belief;
mod building;
mod checker;
mod columns;
mod dataset;
mod engine;
mod event;
mod roadmap;
mod run;
mod space;
mod stop;
mod table;

use pyo3::prelude::*;

/// The compiled half of `psmp`.
#[pymodule]
mod _psmp {
    #[pymodule_export]
    use super::arm::{Arm, Request, Scene, Trajectory};
    #[pymodule_export]
    use super::arm_checker::ArmChecker;
    #[pymodule_export]
    use super::belief::{Belief, open_belief};
    #[pymodule_export]
    use super::checker::{Edge, check_edges};
    #[pymodule_export]
    use super::dataset::{Dataset, RecordedWorld, sweep_rows};
    #[pymodule_export]
    use super::engine::{Engine, on_roadmap, without_roadmap};
    #[pymodule_export]
    use super::event::Event;
    #[pymodule_export]
    use super::roadmap::Roadmap;
    #[pymodule_export]
    use super::run::Run;
    #[pymodule_export]
    use super::space::Space;
    #[pymodule_export]
    use super::stop::Stop;
    #[pymodule_export]
    use super::table::Table;
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
