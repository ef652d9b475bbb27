//! The names that psmp knows, for Python: what its types are held against.

use psmp::by_name::{BeliefName, Descriptor, ProposerName, TreeName, ValidatorName};
use psmp_arm::Checking;
use pyo3::prelude::*;
use std::collections::BTreeMap;

type Names = Vec<(&'static str, &'static str)>;

fn names_of<T>(table: &[Descriptor<T>]) -> Names {
    table.iter().map(|row| (row.name, row.summary)).collect()
}

/// All names of each kind, with what they are.
#[pyfunction]
pub fn names() -> BTreeMap<&'static str, Names> {
    BTreeMap::from([
        ("Proposer", names_of(ProposerName::TABLE)),
        ("BeliefName", names_of(BeliefName::TABLE)),
        ("Validator", names_of(ValidatorName::TABLE)),
        ("TreePlanner", names_of(TreeName::TABLE)),
        ("ArmChecking", names_of(Checking::TABLE)),
    ])
}
