//! What all planners have in common: they are driven step by step, and say what came of each.
//!
//! [`Anytime`] is all that budgets, curves and scores need; [`RoadmapPlanner`] adds what only a planner on a roadmap has;
//! [`Until`] drives either until a condition is met.

use crate::checker::Sightings;
use crate::event::{Event, Progress};
use crate::ledger::Ledger;
use crate::path::Path;
use crate::price::Prices;
use crate::roadmap::{EdgeId, Growth, RoadmapError};
use crate::stop::{Limit, Stop};

/// What every anytime planner does, on a roadmap or without one: it takes a step when it is told to,
/// says what came of it, and knows where it stands. Budgets, curves and scores need no more.
pub trait Anytime {
    /// How its checks can fail.
    type Error;
    /// The next event; `None` once the run is over, or where the limit is met before there is one.
    fn step(&mut self, limit: &Limit) -> Option<Result<Event, Self::Error>>;
    /// Where the run stands.
    fn progress(&self) -> Progress;
    /// Whether the next step only tells of what has happened already, and so is to be taken whatever the
    /// limit.
    fn has_news(&self) -> bool {
        false
    }
}

/// The face of every planner on a roadmap, whatever it is made of: for front ends that choose at run
/// time.
pub trait RoadmapPlanner: Anytime {
    /// The shortest path found so far.
    fn best_path(&self) -> Option<&Path>;
    /// The path proposed last.
    fn proposed_path(&self) -> &Path;
    /// All checks so far.
    fn ledger(&self) -> &Ledger;
    /// The probability that an edge is free given all checks so far.
    fn probability_free(&mut self, edge: EdgeId) -> f64;
    /// Whether an edge is free in the world drawn last, as far as the proposer draws worlds.
    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool;
    /// Adds vertices and edges to the roadmap; whether the best path is shorter by it. See
    /// [`Planner::grow`](crate::Planner::grow).
    ///
    /// # Errors
    /// If the growth does not fit the roadmap or the checker cannot grow. Then nothing has changed.
    fn grow(&mut self, growth: &Growth) -> Result<bool, RoadmapError>;
    /// Tells the belief of configurations that were seen elsewhere. See [`Planner::sight`](crate::Planner::sight).
    fn sight(&mut self, sightings: &Sightings);
    /// What each configuration spent on the proposed path is expected to bring. See [`Planner::promise`](crate::Planner::promise).
    fn promise(&mut self) -> Option<f64>;
    /// How many edges all searches have looked at. See [`Planner::effort`](crate::Planner::effort).
    fn effort(&self) -> u64;
    /// How many edges were looked at for distances to the goal. See [`Planner::upkeep`](crate::Planner::upkeep).
    fn upkeep(&self) -> u64;
    /// Says what a configuration and a thought cost from now on. See [`Planner::set_prices`](crate::Planner::set_prices).
    fn set_prices(&mut self, prices: Prices);
}

/// The events of a planner until a condition is met; made by [`Planner::until`](crate::Planner::until).
#[derive(Debug)]
pub struct Until<'s, P: ?Sized> {
    planner: &'s mut P,
    limit: Limit,
}

impl<'s, P: ?Sized> Until<'s, P> {
    /// Drives `planner` until `stop` is met. Time counts from here.
    pub fn new(planner: &'s mut P, stop: &Stop) -> Self {
        Self::within(planner, Limit::new(stop))
    }

    /// Drives `planner` until the limit is met, which may have begun before.
    pub fn within(planner: &'s mut P, limit: Limit) -> Self {
        Self { planner, limit }
    }
}

impl<P: Anytime + ?Sized> Iterator for Until<'_, P> {
    type Item = Result<Event, P::Error>;
    fn next(&mut self) -> Option<Self::Item> {
        self.limit.stand_at(self.planner.progress());
        if self.limit.is_met() && !self.planner.has_news() {
            return None;
        }
        self.planner.step(&self.limit)
    }
}
