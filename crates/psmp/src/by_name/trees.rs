//! Planners that grow trees, by name.

use super::{Descriptor, name_of, quoted};
use crate::checker::{MotionChecker, World};
use crate::shortcut::ShortcutOptions;
use crate::trees::{
    BitStar, BitStarOptions, ProblemError, RrtConnect, RrtConnectOptions, RrtConnectShortcut,
    RrtStar, RrtStarOptions, TreePlanner,
};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A planner that grows trees, of any kind, which may go from thread to thread.
pub type AnyTreePlanner<'a, E> = Box<dyn TreePlanner<Error = E> + Send + 'a>;

/// The name of a planner that grows trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the table says what each is")]
pub enum TreeName {
    RrtConnect,
    RrtConnectShortcut,
    RrtStar,
    BitStar,
}

/// No planner that grows trees has that name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{name}` is no planner: choose one of {}", quoted(&TreeName::TABLE))]
pub struct NoSuchTree {
    /// What was given.
    pub name: String,
}

const fn row(
    name: &'static str,
    what: TreeName,
    colours: &'static [&'static str],
    summary: &'static str,
) -> Descriptor<TreeName> {
    Descriptor {
        name,
        summary,
        what,
        colours,
    }
}

impl TreeName {
    /// All of them.
    pub const TABLE: [Descriptor<Self>; 4] = [
        row(
            "rrtconnect",
            Self::RrtConnect,
            &["#111111"],
            "two trees that meet; ends with its first path",
        ),
        row(
            "rrtconnect+shortcut",
            Self::RrtConnectShortcut,
            &["#56B4E9"],
            "the same, straightened and begun again",
        ),
        row(
            "rrtstar",
            Self::RrtStar,
            &["#999933"],
            "one tree whose ways are kept short",
        ),
        row(
            "bitstar",
            Self::BitStar,
            &["#555555"],
            "batches of configurations, searched in order of promise",
        ),
    ];

    /// Whether its run ends with a path, rather than when it is stopped or the path is the straight
    /// line.
    #[must_use]
    pub fn ends_by_itself(self) -> bool {
        self == Self::RrtConnect
    }

    /// Makes the planner. RRTConnect takes these options, where it is part of it; all others are the
    /// defaults.
    ///
    /// # Errors
    /// If start or goal is outside of the space or in collision.
    pub fn build<'a, W: World + Send + 'a>(
        self,
        checker: MotionChecker<W>,
        start: &[f64],
        goal: &[f64],
        trees: RrtConnectOptions,
        seed: u64,
    ) -> Result<AnyTreePlanner<'a, W::Error>, ProblemError<W::Error>> {
        Ok(match self {
            Self::RrtConnect => Box::new(RrtConnect::new(checker, start, goal, trees, seed)?),
            Self::RrtConnectShortcut => {
                let shortcuts = ShortcutOptions::default();
                let planner = RrtConnectShortcut::new(checker, start, goal, trees, shortcuts, seed);
                Box::new(planner?)
            }
            Self::RrtStar => {
                let options = RrtStarOptions::for_space(checker.space());
                Box::new(RrtStar::new(checker, start, goal, options, seed)?)
            }
            Self::BitStar => {
                let options = BitStarOptions::default();
                Box::new(BitStar::new(checker, start, goal, options, seed)?)
            }
        })
    }
}

impl fmt::Display for TreeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(self, &Self::TABLE))
    }
}

impl FromStr for TreeName {
    type Err = NoSuchTree;

    fn from_str(name: &str) -> Result<Self, NoSuchTree> {
        let known = Self::TABLE.iter().find(|row| row.name == name);
        known.map(|row| row.what).ok_or_else(|| NoSuchTree {
            name: name.to_owned(),
        })
    }
}
