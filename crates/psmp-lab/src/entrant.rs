//! Who takes part in a benchmark: any planner by its name, on a roadmap, on one that grows, with its path
//! straightened in the end, or without a roadmap.

use crate::sweep::{Contestant, Familiarity};
use psmp::by_name::{NoSuchPlanner, PlannerName};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Ends the name of a planner on a roadmap whose path is straightened when it has ended.
pub const SHORTCUT: &str = "+shortcut";

/// A planner as it is named in a benchmark, such as `psmp:fs`, `lazysp+shortcut`, `ei:local+grow` or `rrtstar`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct EntrantName {
    /// The planner.
    pub planner: PlannerName,
    /// Whether its path is straightened when it has ended.
    pub straightened: bool,
}

/// Why no planner of this name takes part.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EntrantError {
    /// There is none.
    #[error(transparent)]
    NoSuchPlanner(#[from] NoSuchPlanner),
    /// It has no end after which to straighten.
    #[error(
        "`{0}` is not straightened in the end: that is for planners on a roadmap, such as `lazysp{SHORTCUT}`, and \
         `rrtconnect{SHORTCUT}` straightens as it goes"
    )]
    NeverStraightened(PlannerName),
}

impl FromStr for EntrantName {
    type Err = EntrantError;

    fn from_str(text: &str) -> Result<Self, EntrantError> {
        let (bare, straightened) = match text.strip_suffix(SHORTCUT) {
            // A tree may have that in its own name.
            Some(bare) if text.parse::<PlannerName>().is_err() => (bare, true),
            _ => (text, false),
        };
        let planner = bare.parse()?;
        match planner {
            PlannerName::OnRoadmap(_) => {}
            _ if straightened => return Err(EntrantError::NeverStraightened(planner)),
            _ => {}
        }
        Ok(Self {
            planner,
            straightened,
        })
    }
}

impl fmt::Display for EntrantName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ending = if self.straightened { SHORTCUT } else { "" };
        write!(f, "{}{ending}", self.planner)
    }
}

/// A planner, and what it may learn from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entrant {
    /// The planner.
    pub name: EntrantName,
    /// Which known worlds it may learn from, if it learns from any.
    pub familiarity: Familiarity,
}

impl Entrant {
    /// The same as one that keeps to the roadmap and ends with what it finds there; `None` if it does not.
    #[must_use]
    pub fn on_roadmap(&self) -> Option<Contestant> {
        match self.name {
            EntrantName {
                planner: PlannerName::OnRoadmap(planner),
                straightened: false,
            } => Some(Contestant {
                planner,
                familiarity: self.familiarity,
            }),
            _ => None,
        }
    }

    /// Whether it learns from known worlds, where there are any.
    #[must_use]
    pub fn needs_experience(&self) -> bool {
        match self.name.planner {
            PlannerName::OnRoadmap(spec) | PlannerName::Growing(spec) => spec.needs_experience(),
            PlannerName::Tree(_) => false,
        }
    }

    /// The word for its experience in tables: `seen`, `unseen`, or `none` where the planner does not learn from
    /// known worlds.
    #[must_use]
    pub fn experience(&self) -> &'static str {
        match self.needs_experience() {
            true => self.familiarity.name(),
            false => "none",
        }
    }

    /// Whether its run goes on until it is stopped.
    #[must_use]
    pub fn is_endless(&self) -> bool {
        match self.name.planner {
            PlannerName::Tree(tree) => !tree.ends_by_itself(),
            PlannerName::OnRoadmap(_) | PlannerName::Growing(_) => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        for (name, straightened) in [
            ("psmp:fs", false),
            ("lazysp+shortcut", true),
            ("ei:local+shortcut", true),
            ("lazysp+grow", false),
            ("rrtconnect+shortcut", false),
            ("bitstar", false),
        ] {
            let entrant: EntrantName = name.parse().unwrap();
            assert_eq!(entrant.to_string(), name);
            assert_eq!(entrant.straightened, straightened, "{name}");
        }
        let error = |name: &str| name.parse::<EntrantName>().unwrap_err().to_string();
        assert!(error("rrt").contains("`rrtstar`"));
        assert!(error("rrtstar+shortcut").contains("not straightened"));
        assert!(error("lazysp+grow+shortcut").contains("not straightened"));
        assert!(error("nobody+grow").contains("nobody"));
    }
}
