//! Who takes part: planners on a roadmap, and rivals that know none.

use crate::planner_spec::{PlannerSpec, SpecError};
use crate::sweep::{Contestant, Familiarity};
use std::fmt;
use std::str::FromStr;

/// A planner that knows no roadmap and grows its own trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RivalName {
    /// `rrtconnect`: RRTConnect, whose path is then straightened once.
    RrtConnect,
    /// `rrtconnect+`: the same again and again, the shortest path kept.
    RrtConnectOn,
    /// `rrt*`: RRT*, lazy and informed.
    RrtStar,
    /// `bit*`: batch informed trees.
    BitStar,
}

const RIVALS: [(&str, RivalName); 4] = [
    ("rrtconnect", RivalName::RrtConnect),
    ("rrtconnect+", RivalName::RrtConnectOn),
    ("rrt*", RivalName::RrtStar),
    ("bit*", RivalName::BitStar),
];

/// Ends the name of a planner on a roadmap whose first path is straightened once, and no more.
const STRAIGHTENED: &str = "+shortcut";

/// Any planner by name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AnyName {
    /// On a roadmap, such as `psmp:fs`.
    OnRoadmap(PlannerSpec),
    /// The same, its first path straightened, such as `pomp:fs+shortcut`.
    Straightened(PlannerSpec),
    /// Without one, such as `rrtconnect`.
    Rival(RivalName),
}

impl FromStr for AnyName {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        if let Some((_, rival)) = RIVALS.iter().find(|(name, _)| *name == text) {
            return Ok(AnyName::Rival(*rival));
        }
        let (name, kind): (&str, fn(PlannerSpec) -> Self) = match text.strip_suffix(STRAIGHTENED) {
            Some(name) => (name, AnyName::Straightened),
            None => (text, AnyName::OnRoadmap),
        };
        name.parse().map(kind).map_err(|e| match e {
            SpecError::Unknown {
                part: part @ "proposer",
                name,
                choices,
            } => SpecError::Unknown {
                part,
                name,
                choices: RIVALS
                    .iter()
                    .fold(choices, |all, (name, _)| format!("{all}, `{name}`")),
            },
            other => other,
        })
    }
}

/// A planner, and what it may learn from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Contender {
    /// On a roadmap.
    OnRoadmap(Contestant),
    /// On a roadmap, its first path straightened.
    Straightened(Contestant),
    /// Without one.
    Rival(RivalName),
}

impl Contender {
    /// A planner that learns from known worlds once with seen and once with unseen ones, any other
    /// once.
    pub(crate) fn all_of(name: AnyName) -> Vec<Self> {
        let (planner, kind): (PlannerSpec, fn(Contestant) -> Self) = match name {
            AnyName::Rival(rival) => return vec![Contender::Rival(rival)],
            AnyName::OnRoadmap(planner) => (planner, Contender::OnRoadmap),
            AnyName::Straightened(planner) => (planner, Contender::Straightened),
        };
        let kinds: &[Familiarity] = match planner.needs_experience() {
            true => &[Familiarity::Seen, Familiarity::Unseen],
            false => &[Familiarity::Seen],
        };
        let contestant = |&familiarity: &Familiarity| Contestant {
            planner,
            familiarity,
        };
        kinds.iter().map(contestant).map(kind).collect()
    }

    /// The word for its experience in tables.
    #[must_use]
    pub fn experience(&self) -> &'static str {
        match self {
            Contender::OnRoadmap(c) | Contender::Straightened(c) => c.experience(),
            Contender::Rival(_) => "none",
        }
    }
}

impl fmt::Display for Contender {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Contender::OnRoadmap(contestant) => write!(f, "{}", contestant.planner),
            Contender::Straightened(contestant) => {
                write!(f, "{}{STRAIGHTENED}", contestant.planner)
            }
            Contender::Rival(rival) => {
                let named = RIVALS.iter().find(|(_, known)| known == rival);
                f.write_str(named.map_or("?", |(name, _)| name))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_comes_back() {
        for name in [
            "psmp:fs",
            "ei:soft+shortcut",
            "lazysp",
            "rrtconnect+",
            "rrt*",
        ] {
            let contenders = Contender::all_of(name.parse().unwrap());
            assert!(contenders.iter().all(|c| c.to_string() == name));
            let learns = name.contains(':');
            assert_eq!(contenders.len(), if learns { 2 } else { 1 }, "{name}");
        }
        let error = "rrt".parse::<AnyName>().unwrap_err().to_string();
        assert!(
            error.contains("`psmp`") && error.contains("`rrt*`"),
            "{error}"
        );
    }
}
