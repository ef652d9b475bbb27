//! RRTConnect with path shortcutting, again and again: the usual way to a good path.
//!
//! RRTConnect finds a path, shortcutting straightens it, and then both begin anew with other random
//! numbers, because shortcutting cannot lead a path round the other side of an obstacle. The shortest
//! path of all is kept, so the planner is anytime, and it goes on until it is stopped.

use super::rrt_connect::{RrtConnectOptions, Step, TwoTrees};
use super::run::{ProblemError, Run, faces};
use crate::checker::MotionChecker;
use crate::checker::World;
use crate::shortcut::{Attempt, ShortcutOptions, Shortcutting};
use crate::waypoints::Waypoints;
use crate::{Event, EventKind, Goals};

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
    pub fn new<'g>(
        checker: MotionChecker<W>,
        start: &[f64],
        goal: impl Into<Goals<'g>>,
        options: RrtConnectOptions,
        shortcuts: ShortcutOptions,
        seed: u64,
    ) -> Result<Self, ProblemError<W::Error>> {
        options.check()?;
        let mut run = Run::begin(checker, start, goal, seed)?;
        let phase = Phase::Searching(Box::new(TwoTrees::new(&mut run, options)));
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

    fn searching(&mut self) -> Phase {
        Phase::Searching(Box::new(TwoTrees::new(&mut self.run, self.options)))
    }

    fn straightening(&self, path: Waypoints) -> Phase {
        let space = self.run.checker.space();
        Phase::Straightening(Shortcutting::new(space, path, self.shortcuts))
    }

    fn advance(&mut self) -> Result<Option<Event>, W::Error> {
        if let Some(event) = self.found.take().and_then(|path| self.run.offer(path)) {
            return Ok(Some(event));
        }
        if let Phase::Straightening(shortcutting) = &self.phase
            && shortcutting.is_done()
        {
            self.rounds += 1;
            self.phase = self.searching();
        }
        let before = self.run.checker.configurations();
        Ok(match &mut self.phase {
            Phase::Searching(trees) => match trees.step(&mut self.run)? {
                None => None,
                Some(Step::Probed(free)) => Some(self.run.probed(free, before)),
                Some(Step::Joined(path)) => {
                    self.found = Some(path.clone());
                    self.phase = self.straightening(path);
                    Some(self.run.probed(true, before))
                }
            },
            Phase::Straightening(shortcutting) => {
                let Run {
                    checker, random, ..
                } = &mut self.run;
                let attempt = shortcutting.attempt(checker, random)?;
                self.run.draws += 1;
                match attempt {
                    Attempt::BrokenOff => None,
                    Attempt::Pointless => Some(self.run.event(EventKind::NoImprovement)),
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
