//! RRTConnect with path shortcutting, again and again: the usual way to a good path.
//!
//! RRTConnect finds a path, shortcutting straightens it, and then both begin anew with other random
//! numbers, because shortcutting cannot lead a path round the other side of an obstacle. The shortest
//! path of all is kept, so the planner is anytime, and it goes on until it is stopped.

use crate::motion_checker::MotionChecker;
use crate::rrt_connect::{RrtConnectOptions, Step, TwoTrees};
use crate::run::{ProblemError, Run, faces};
use crate::shortcut::{Attempt, ShortcutOptions, Shortcutting};
use crate::waypoints::Waypoints;
use psmp::checker::World;
use psmp::{Event, EventKind};

#[derive(Debug)]
enum Phase {
    Searching(Box<TwoTrees>),
    Straightening(Shortcutting),
}

/// RRTConnect with path shortcutting, repeated.
#[derive(Debug)]
pub struct RrtConnectShortcut<W> {
    run: Run<W>,
    options: RrtConnectOptions,
    shortcuts: ShortcutOptions,
    phase: Phase,
    /// A free path that may be better than the best.
    found: Option<Waypoints>,
    rounds: u64,
}

impl<W: World> RrtConnectShortcut<W> {
    /// A planner at its beginning. Start and goal are checked here.
    ///
    /// # Errors
    /// If start or goal is outside of the space or in collision, or an option makes no sense.
    pub fn new(
        checker: MotionChecker<W>,
        start: &[f64],
        goal: &[f64],
        options: RrtConnectOptions,
        shortcuts: ShortcutOptions,
        seed: u64,
    ) -> Result<Self, ProblemError<W::Error>> {
        options.check()?;
        let run = Run::begin(checker, start, goal, seed)?;
        let phase = Phase::Searching(Box::new(TwoTrees::new(&run, options)));
        Ok(Self {
            run,
            options,
            shortcuts,
            phase,
            found: None,
            rounds: 0,
        })
    }

    /// How many paths have been found and straightened to their end.
    #[must_use]
    pub fn rounds(&self) -> u64 {
        self.rounds
    }

    fn advance(&mut self) -> Result<Option<Event>, W::Error> {
        if let Some(event) = self.found.take().and_then(|path| self.run.offer(path)) {
            return Ok(Some(event));
        }
        if let Phase::Straightening(shortcutting) = &self.phase
            && shortcutting.is_done()
        {
            self.rounds += 1;
            self.phase = Phase::Searching(Box::new(TwoTrees::new(&self.run, self.options)));
        }
        let before = self.run.checker.configurations();
        Ok(match &mut self.phase {
            Phase::Searching(trees) => match trees.step(&mut self.run)? {
                None => None,
                Some(Step::Probed(free)) => Some(self.run.probed(free, before)),
                Some(Step::Joined(path)) => {
                    self.found = Some(path.clone());
                    let space = self.run.checker.space();
                    let shortcutting = Shortcutting::new(space, path, self.shortcuts);
                    self.phase = Phase::Straightening(shortcutting);
                    Some(self.run.probed(true, before))
                }
            },
            Phase::Straightening(shortcutting) => {
                self.run.draws += 1;
                let Run {
                    checker, random, ..
                } = &mut self.run;
                match shortcutting.attempt(checker, random)? {
                    Attempt::BrokenOff => None,
                    Attempt::Pointless => Some(self.run.event(EventKind::Barren)),
                    Attempt::Blocked => Some(self.run.probed(false, before)),
                    Attempt::Shorter => {
                        self.found = Some(shortcutting.path().clone());
                        Some(self.run.probed(true, before))
                    }
                }
            }
        })
    }
}

faces!(RrtConnectShortcut);
