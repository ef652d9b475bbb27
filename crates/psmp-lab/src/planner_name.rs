//! Planners of both kinds by name: on a roadmap, and without one.

use crate::planner_spec::{PlannerSpec, SpecError};
use psmp_rivals::RivalName;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A planner by name, of either kind.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PlannerName {
    /// On a roadmap, such as `psmp:fs`.
    OnRoadmap(PlannerSpec),
    /// Without one, such as `rrtconnect`.
    WithoutRoadmap(RivalName),
}

/// No planner of either kind has that name.
#[derive(Debug, Clone, PartialEq, Error)]
#[error("{0}; without a roadmap plan `rrtconnect`, `rrtconnect+shortcut`, `rrtstar` and `bitstar`")]
pub struct NoSuchPlanner(SpecError);

impl FromStr for PlannerName {
    type Err = NoSuchPlanner;

    fn from_str(name: &str) -> Result<Self, NoSuchPlanner> {
        match name.parse() {
            Ok(rival) => Ok(PlannerName::WithoutRoadmap(rival)),
            Err(_) => name
                .parse()
                .map(PlannerName::OnRoadmap)
                .map_err(NoSuchPlanner),
        }
    }
}

impl fmt::Display for PlannerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PlannerName::OnRoadmap(planner) => planner.fmt(f),
            PlannerName::WithoutRoadmap(rival) => rival.fmt(f),
        }
    }
}
