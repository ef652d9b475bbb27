//! Who takes part: planners on a roadmap, and those that grow trees and know none.

use psmp::by_name::{GROWING, NoSuchPlanner, PlannerName};
use psmp_lab::sweep::{Contestant, Familiarity};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// Ends the name of a planner whose first path is straightened once, and no more.
const STRAIGHTENED: &str = "+straightened";

/// A planner as it is entered: for itself, such as `psmp:fs` or `rrtstar`, or with its first path
/// straightened, such as `pomp:fs+straightened`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Entry {
    /// The planner.
    pub planner: PlannerName,
    /// Whether it ends with its first path, which is then straightened.
    pub straightened: bool,
}

/// Why no planner of this name takes part.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum EntryError {
    /// There is none.
    #[error(transparent)]
    NoSuchPlanner(#[from] NoSuchPlanner),
    /// It would not stay on the roadmap that all plan on.
    #[error(
        "`{0}` lets its roadmap grow, and here all plan on the same one: leave out `{GROWING}`"
    )]
    Grows(PlannerName),
}

impl FromStr for Entry {
    type Err = EntryError;

    fn from_str(text: &str) -> Result<Self, EntryError> {
        let bare = text.strip_suffix(STRAIGHTENED);
        let planner = bare.unwrap_or(text).parse()?;
        match planner {
            PlannerName::Growing(_) => Err(EntryError::Grows(planner)),
            PlannerName::OnRoadmap(_) | PlannerName::Tree(_) => Ok(Self {
                planner,
                straightened: bare.is_some(),
            }),
        }
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ending = if self.straightened { STRAIGHTENED } else { "" };
        write!(f, "{}{ending}", self.planner)
    }
}

/// A planner, and what it may learn from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Contender {
    /// The planner.
    pub entry: Entry,
    /// Whether the worlds planned in are among those that it knows, if it learns from any.
    pub familiarity: Familiarity,
}

impl Contender {
    /// A planner that learns from known worlds once with seen and once with unseen ones, any other
    /// once.
    pub(crate) fn all_of(entry: Entry) -> Vec<Self> {
        let kinds: &[Familiarity] = match entry.planner {
            PlannerName::OnRoadmap(planner) if planner.needs_experience() => {
                &[Familiarity::Seen, Familiarity::Unseen]
            }
            _ => &[Familiarity::Seen],
        };
        let contender = |&familiarity: &Familiarity| Self { entry, familiarity };
        kinds.iter().map(contender).collect()
    }

    /// The word for its experience in tables.
    #[must_use]
    pub fn experience(&self) -> &'static str {
        match self.entry.planner {
            PlannerName::OnRoadmap(planner) | PlannerName::Growing(planner) => Contestant {
                planner,
                familiarity: self.familiarity,
            }
            .experience(),
            PlannerName::Tree(_) => "none",
        }
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.entry.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        for name in [
            "psmp:fs",
            "ei:soft+straightened",
            "lazysp",
            "rrtconnect+straightened",
            "rrtconnect+shortcut",
            "rrtstar",
        ] {
            let contenders = Contender::all_of(name.parse().unwrap());
            assert!(contenders.iter().all(|c| c.to_string() == name));
            let learns = name.contains(':');
            assert_eq!(contenders.len(), if learns { 2 } else { 1 }, "{name}");
        }
        let error = "rrt".parse::<Entry>().unwrap_err().to_string();
        assert!(
            error.contains("`psmp`") && error.contains("`rrtstar`"),
            "{error}"
        );
        for growing in ["lazysp+grow", "pomp:fs+grow+straightened"] {
            let error = growing.parse::<Entry>().unwrap_err().to_string();
            assert!(error.contains("leave out `+grow`"), "{error}");
        }
    }
}
