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
mod film;
mod map;
mod memory;
mod names;
mod path;
mod pickling;
mod roadmap;
mod run;
mod scene;
mod space;
mod stop;
mod table;

use pyo3::prelude::*;

/// The compiled half of `psmp`.
#[pymodule]
mod _psmp {
    use super::*;
    #[pymodule_export]
    use super::{
        arm::{Arm, Trajectory},
        arm_checker::ArmChecker,
        belief::{Belief, open_belief},
        checker::{Edge, check_edges},
        dataset::{Dataset, RecordedWorld, row_of_another, sweep_rows},
        engine::{Engine, on_roadmap, without_roadmap},
        event::Event,
        film::Film,
        map::{Map, learn_maps},
        memory::Memory,
        names::names,
        path::{first_unproved, shortcut},
        roadmap::Roadmap,
        run::Run,
        scene::{Request, Scene},
        space::Space,
        stop::Stop,
        table::Table,
    };

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
