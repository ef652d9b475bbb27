//! Planners that grow trees, by name.

use crate::checker::{MotionChecker, World};
use crate::goals::Goals;
use crate::shortcut::ShortcutOptions;
use crate::trees::{
    BitStar, BitStarOptions, ProblemError, RrtConnect, RrtConnectOptions, RrtConnectShortcut,
    RrtStar, RrtStarOptions, TreePlanner,
};

/// A planner that grows trees, of any kind, which may go from thread to thread.
pub type AnyTreePlanner<'a, E> = Box<dyn TreePlanner<Error = E> + Send + 'a>;

crate::table_of_names! {
    /// The name of a planner that grows trees.
    pub enum TreeName, "planner without a roadmap":
    "rrtconnect" RrtConnect, "two trees that meet; ends with its first path" ["#111111"];
    "rrtconnect+shortcut" RrtConnectShortcut, "the same, straightened and begun again" ["#56B4E9"];
    "rrtstar" RrtStar, "one tree whose ways are kept short" ["#999933"];
    "bitstar" BitStar, "batches of configurations, searched in order of promise" ["#555555"];
}

impl TreeName {
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
    pub fn build<'a, 'g, W: World + Send + 'a>(
        self,
        checker: MotionChecker<W>,
        start: &[f64],
        goal: impl Into<Goals<'g>>,
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
