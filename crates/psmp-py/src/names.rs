//! The names that psmp knows, for Python: what its types are held against.

use psmp::by_name::{BeliefName, Descriptor, GROWING, PlannerName, PlannerSpec};
use psmp::by_name::{ProposerName, TreeName, ValidatorName};
use psmp_arm::Checking;
use pyo3::prelude::*;
use std::collections::BTreeMap;

type Names = Vec<(String, &'static str)>;

fn names_of<T>(table: &[Descriptor<T>]) -> Names {
    let rows = table.iter();
    rows.map(|row| (row.name.to_owned(), row.summary)).collect()
}

/// Proposers, and those that let their roadmap grow if they are told to.
fn proposers() -> Names {
    let told = ProposerName::TABLE.iter().filter(|row| {
        let planner = PlannerSpec::new(row.what, BeliefName::Local);
        !PlannerName::OnRoadmap(planner).grows()
    });
    let told = told.map(|row| (format!("{}{GROWING}", row.name), row.summary));
    names_of(ProposerName::TABLE)
        .into_iter()
        .chain(told)
        .collect()
}

/// All names of each kind, with what they are.
#[pyfunction]
pub fn names() -> BTreeMap<&'static str, Names> {
    BTreeMap::from([
        ("Proposer", proposers()),
        ("BeliefName", names_of(BeliefName::TABLE)),
        ("Validator", names_of(ValidatorName::TABLE)),
        ("TreePlanner", names_of(TreeName::TABLE)),
        ("ArmChecking", names_of(Checking::TABLE)),
    ])
}
