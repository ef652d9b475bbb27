//! Planners by name: `rrtconnect`, `rrtconnect+shortcut`, `rrtstar`, `bitstar`.

use crate::bit_star::{BitStar, BitStarOptions};
use crate::motion_checker::MotionChecker;
use crate::rrt_connect::{RrtConnect, RrtConnectOptions};
use crate::rrt_connect_shortcut::RrtConnectShortcut;
use crate::rrt_star::{RrtStar, RrtStarOptions};
use crate::run::{ProblemError, Rival};
use crate::shortcut::ShortcutOptions;
use psmp::checker::World;
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A planner of any kind, which may go from thread to thread.
pub type AnyRival<'a, E> = Box<dyn Rival<Error = E> + Send + 'a>;

/// One of the planners here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RivalName {
    /// `rrtconnect`: ends with its first path.
    RrtConnect,
    /// `rrtconnect+shortcut`: straightens the path and begins again.
    RrtConnectShortcut,
    /// `rrtstar`
    RrtStar,
    /// `bitstar`
    BitStar,
}

/// No planner here has that name.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error(
    "`{0}` is no planner: choose one of `rrtconnect`, `rrtconnect+shortcut`, `rrtstar`, `bitstar`"
)]
pub struct NoSuchRival(pub String);

impl RivalName {
    /// All of them.
    pub const ALL: [RivalName; 4] = [
        RivalName::RrtConnect,
        RivalName::RrtConnectShortcut,
        RivalName::RrtStar,
        RivalName::BitStar,
    ];

    /// Whether its run ends with a path, rather than when it is stopped or the path is the straight
    /// way.
    #[must_use]
    pub fn ends_by_itself(self) -> bool {
        self == RivalName::RrtConnect
    }

    /// Makes the planner, with its default options.
    ///
    /// # Errors
    /// If start or goal is outside of the space or in collision.
    pub fn build<'a, W>(
        self,
        checker: MotionChecker<W>,
        start: &[f64],
        goal: &[f64],
        seed: u64,
    ) -> Result<AnyRival<'a, W::Error>, ProblemError<W::Error>>
    where
        W: World + Send + 'a,
    {
        let trees = RrtConnectOptions::default();
        Ok(match self {
            RivalName::RrtConnect => Box::new(RrtConnect::new(checker, start, goal, trees, seed)?),
            RivalName::RrtConnectShortcut => {
                let shortcuts = ShortcutOptions::default();
                let planner = RrtConnectShortcut::new(checker, start, goal, trees, shortcuts, seed);
                Box::new(planner?)
            }
            RivalName::RrtStar => {
                let options = RrtStarOptions::for_space(checker.space());
                Box::new(RrtStar::new(checker, start, goal, options, seed)?)
            }
            RivalName::BitStar => {
                let options = BitStarOptions::default();
                Box::new(BitStar::new(checker, start, goal, options, seed)?)
            }
        })
    }
}

impl fmt::Display for RivalName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            RivalName::RrtConnect => "rrtconnect",
            RivalName::RrtConnectShortcut => "rrtconnect+shortcut",
            RivalName::RrtStar => "rrtstar",
            RivalName::BitStar => "bitstar",
        })
    }
}

impl FromStr for RivalName {
    type Err = NoSuchRival;

    fn from_str(name: &str) -> Result<Self, NoSuchRival> {
        let known = Self::ALL
            .into_iter()
            .find(|rival| rival.to_string() == name);
        known.ok_or_else(|| NoSuchRival(name.to_owned()))
    }
}
