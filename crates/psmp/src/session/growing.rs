//! Planning in the space: what a session does whose roadmap may grow.
//!
//! Before the first path RRTConnect and the planner on the roadmap go on side by side, on one purse. With experience
//! RRTConnect spends a third of what the roadmap does: what the belief finds costs four thirds of what it would alone, and
//! what only RRTConnect can solve four times. Without, it is the other way round: what RRTConnect can solve is solved for
//! four thirds of its checks. Thinking counts as spending, by its [price](crate::price): where a configuration costs next to nothing RRTConnect has found
//! most paths before the planner would have thought of its first. It is the very search that it would be alone.
//!
//! From then on all that can make the best path shorter is weighed in [one currency](crate::moves): moves on
//! the best path, RRTConnect begun again, the path that the planner on the roadmap is checking, and a batch of
//! new vertices. What was found elsewhere is added to the roadmap, where the planner can put it together with
//! what it knows. Whatever the rates say, the roadmap gets an eighth of all that is spent, so that it
//! [tends to the shortest path](super::on_roadmap) there is.
//!
//! Planners of the literature that [grow](crate::by_name::PlannerName::Growing) do so by the classical
//! schedule: planning on the roadmap alone, and a batch when its shortest path is found.

use super::on_roadmap::{BATCH, OnRoadmap};
use super::{SessionError, SessionOptions};
use crate::by_name::PlannerSpec;
use crate::checker::{MotionChecker, World};
use crate::event::{Event, EventKind, Progress};
use crate::moves::{Again, Attempt, Chances, OnPath, Prospect, Round};
use crate::price::Prices;
use crate::stop::Limit;
use crate::trees::{KnownMotions, RrtConnectOptions, Run, Step, TwoTrees};
use crate::waypoints::Waypoints;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::collections::VecDeque;

/// Of all that is spent the roadmap gets one part in so many, whatever the rates say. Of what is spent on moves and on
/// searches begun again so do moves, and so do these of what moves have cost in vain.
const LEAST_SHARE: u64 = 8;
/// Until there is a path the tree and the roadmap spend in these parts. If nothing is known of other worlds a path over
/// many edges that all have to be free is mostly found later than any path at all; who knows them knows where to look.
const WITHOUT_EXPERIENCE: [u64; 2] = [3, 1];
const WITH_EXPERIENCE: [u64; 2] = [1, 3];
/// Finding an edge of a batch and adding it costs as much as looking at so many.
const THOUGHTS_TO_ADD: u64 = 100;
/// Where a configuration costs as much as so many thoughts, what the roadmap's next path is worth is to be seen
/// whatever that costs; and where it costs as much as so many, what was seen elsewhere is told to the belief.
const DEAR: u64 = 10_000;
const NOT_CHEAP: u64 = 300;
/// At how many edges a planner looks when it thinks for the first time.
const FIRST_THOUGHTS: u64 = 500_000;
/// How much of what the best path has over the straight line a batch may take.
const GAIN_OF_BATCH: f64 = 0.25;
/// An improvement by less than this share is none for who waits for one.
const WORTH_WAITING_FOR: f64 = 5e-3;
/// A session has settled where for as long again as it took to the last improvement there was no other, and
/// for so many configurations at least.
const LEAST_WAIT: u64 = 5_000;
/// After so many configurations without a path it gives up.
const GIVES_UP: u64 = 1_000_000;

/// How many thoughts cost as much as a configuration: one at least.
fn thoughts(prices: Prices) -> u64 {
    prices.thoughts().clamp(1.0, 1e12) as u64
}

/// Whose turn it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Turn {
    /// The search for a first path.
    Tree,
    /// A move on the best path.
    Path,
    /// Another search.
    Again,
    /// The planner on the roadmap.
    Roadmap,
}

/// A problem in the course of being solved in the space.
pub(super) struct Growing<'a, W: World> {
    options: SessionOptions,
    spec: PlannerSpec,
    run: Run<W>,
    /// Whether there is nothing but a roadmap that grows when its shortest path is found.
    is_classical: bool,
    /// What was said of prices, if anything was.
    prices: Option<Prices>,
    /// Looking at so many edges costs as much as a configuration.
    thoughts: u64,
    /// In which parts the tree and the roadmap spend before the first path.
    parts: [u64; 2],
    /// The search for a first path.
    trees: TwoTrees,
    chances: Chances,
    /// The best path, once there is one.
    on_path: Option<OnPath>,
    again: Again,
    on_roadmap: Option<OnRoadmap<'a, W::Error>>,
    /// The length of the path that the roadmap was told last; infinite before that.
    told: f64,
    has_trees: bool,
    /// How many batches there were, how many since one brought a better path, and how many edges they
    /// have added.
    batches: u64,
    in_vain: u64,
    edges: u64,
    /// Whether the last batch came before the planner had ended with a certificate: then the next one does
    /// not.
    was_early: bool,
    /// Whose turn was broken off: it goes on.
    broken_off: Option<Turn>,
    random: Pcg64,
    untold: VecDeque<Event>,
    told_configurations: u64,
    /// What moves on the best path and searches begun again have cost.
    spent_on_moves: u64,
    spent_again: u64,
    /// What moves have cost since the path became shorter by something worth waiting for.
    spent_in_vain: u64,
    /// What was spent, and how long the path was, when it became shorter by something worth waiting for.
    last_gain: (u64, f64),
    is_over: bool,
}

impl<'a, W: World + Clone + Send + 'a> Growing<'a, W> {
    /// Between ends that are free; the straight motion to the first goal, the nearest, is not.
    pub fn new(
        spec: PlannerSpec,
        checker: MotionChecker<W>,
        start: &[f64],
        goals: &[Vec<f64>],
        options: &SessionOptions,
        prices: Option<Prices>,
    ) -> Self {
        let space = checker.space().clone();
        let trees = options
            .trees
            .unwrap_or_else(|| RrtConnectOptions::for_space(&space));
        let usual = match &options.experience {
            Some(_) => Prices::DEAR,
            None if checker.world().is_quick() => Prices::QUICK,
            None => Prices::USUAL,
        };
        let can_prove = checker.world().can_prove();
        let mut run = Run::between(checker, start, goals, options.seed);
        let roadmap = options.roadmap.as_ref();
        let known =
            roadmap.and_then(|roadmap| KnownMotions::of(roadmap, &options.known, can_prove));
        Self {
            options: options.clone(),
            spec,
            is_classical: !spec.proposer.is_ours(),
            prices,
            thoughts: thoughts(prices.unwrap_or(usual)),
            parts: match options.experience {
                Some(_) => WITH_EXPERIENCE,
                None => WITHOUT_EXPERIENCE,
            },
            trees: TwoTrees::new(&mut run, trees).knowing(known),
            run,
            chances: Chances::new(&space),
            on_path: None,
            again: Again::new(trees),
            on_roadmap: None,
            told: f64::INFINITY,
            has_trees: false,
            batches: 0,
            in_vain: 0,
            edges: 0,
            was_early: false,
            broken_off: None,
            random: Pcg64::seed_from_u64(options.seed.wrapping_add(1)),
            untold: VecDeque::new(),
            told_configurations: 0,
            spent_on_moves: 0,
            spent_again: 0,
            spent_in_vain: 0,
            last_gain: (0, f64::INFINITY),
            is_over: false,
        }
    }

    pub fn best(&self) -> Option<&Waypoints> {
        self.run.best()
    }

    /// What a configuration and a thought cost from now on.
    pub fn set_prices(&mut self, prices: Prices) {
        self.prices = Some(prices);
        self.thoughts = thoughts(prices);
        if let Some(side) = &mut self.on_roadmap {
            side.planner.set_prices(prices);
        }
    }

    /// The roadmap and the planner on it, once there is one.
    pub fn on_roadmap(&self) -> Option<&OnRoadmap<'a, W::Error>> {
        self.on_roadmap.as_ref()
    }

    pub fn on_roadmap_mut(&mut self) -> Option<&mut OnRoadmap<'a, W::Error>> {
        self.on_roadmap.as_mut()
    }

    /// The way that was tried last to make the best path shorter.
    pub fn tried(&self) -> Option<Waypoints> {
        let way = self.on_path.as_ref()?.tried()?;
        Some(Waypoints::new(self.run.checker.space(), way.to_vec()))
    }

    pub fn has_news(&self) -> bool {
        !self.untold.is_empty()
    }

    pub fn progress(&self) -> Progress {
        let mut progress = self.run.progress();
        if let Some(on_roadmap) = &self.on_roadmap {
            let planned = on_roadmap.planner.progress();
            progress.configurations += planned.configurations;
            progress.edges += planned.edges;
            progress.proposals += planned.proposals;
        }
        progress
    }

    fn event(&self, kind: EventKind) -> Event {
        Event {
            kind,
            progress: self.progress(),
        }
    }

    /// Puts all that was found free into the roadmap, which is made if there is none yet.
    pub fn gather(&mut self) -> Result<(), SessionError<W::Error>> {
        self.tell_roadmap().map(|_| ())
    }

    /// Takes a step. Nothing if the limit was met before there was anything to say, or all is over.
    pub fn step(&mut self, limit: &Limit) -> Result<Option<Event>, SessionError<W::Error>> {
        if let Some(event) = self.untold.pop_front() {
            return Ok(Some(event));
        }
        if self.is_over {
            return Ok(None);
        }
        if let Some(end) = self.ending() {
            self.is_over = true;
            return Ok(Some(self.event(end)));
        }
        self.run.checker.obey(limit);
        let turn = match self.broken_off.take() {
            Some(turn) => turn,
            None => self.turn(),
        };
        let step = match turn {
            Turn::Tree => self.search(),
            Turn::Path => self.shorten(),
            Turn::Again => self.search_again(),
            Turn::Roadmap => self.plan(limit),
        };
        // What a motion has shown tells the belief of edges near it.
        if let (Some(side), Some(seen)) = (&mut self.on_roadmap, self.run.checker.sightings()) {
            side.planner.sight(seen);
            seen.clear();
        }
        if !matches!(step, Ok(Some(_))) {
            self.broken_off = Some(turn);
        }
        step
    }

    /// How the session ends by itself, if it is time for that.
    fn ending(&mut self) -> Option<EventKind> {
        let best = self.run.best_length();
        if best <= self.run.progress().lower_bound {
            return Some(EventKind::StraightLine);
        }
        // Nobody waits for ever for batches that bring nothing to check.
        let spent = self.progress().configurations + self.batches * BATCH as u64;
        if best < self.last_gain.1 * (1.0 - WORTH_WAITING_FOR) {
            self.last_gain = (spent, best);
            self.spent_in_vain = 0;
        }
        if !self.options.settles {
            return None;
        }
        if best.is_finite() {
            let waited = spent - self.last_gain.0;
            let patience = self.last_gain.0.max(LEAST_WAIT);
            return (waited > patience).then_some(EventKind::Settled);
        }
        (spent > GIVES_UP).then_some(EventKind::GaveUp)
    }

    /// What the roadmap has cost: a vertex of a batch counts as a configuration, and thoughts and the edges of a
    /// batch by their price.
    fn spent_on_roadmap(&self) -> u64 {
        let planner = self.on_roadmap.as_ref().map(|side| &side.planner);
        let checked = planner.map_or(0, |planner| planner.progress().configurations);
        let spent = self.batches * BATCH as u64 + checked;
        let looked_at = planner.map_or(0, |planner| planner.effort());
        let thoughts = FIRST_THOUGHTS.max(looked_at) + THOUGHTS_TO_ADD * self.edges;
        spent + thoughts / self.thoughts
    }

    fn turn(&mut self) -> Turn {
        if self.is_classical {
            return Turn::Roadmap;
        }
        let elsewhere = self.run.checker.configurations();
        let on_roadmap = self.spent_on_roadmap();
        let Some(on_path) = &mut self.on_path else {
            let [of_tree, of_roadmap] = self.parts;
            return if of_tree * on_roadmap <= of_roadmap * elsewhere {
                Turn::Roadmap
            } else {
                Turn::Tree
            };
        };
        if on_roadmap * LEAST_SHARE <= on_roadmap + elsewhere {
            return Turn::Roadmap;
        }
        let by_path = on_path.propose(&self.run.checker, &mut self.chances, &mut self.random);
        let best = self.run.best_length();
        let by_again = self.again.rate(best, self.run.progress().lower_bound);
        if let Some(side) = &mut self.on_roadmap {
            let promise = match side.planner.promise() {
                Some(promise) => promise,
                // What its next path is worth is to be seen, where thinking costs next to nothing.
                None if self.thoughts >= DEAR && 2 * on_roadmap <= on_roadmap + elsewhere => {
                    f64::INFINITY
                }
                None => 0.0,
            };
            if promise > by_path.max(by_again) {
                return Turn::Roadmap;
            }
        }
        let moves_are_due = LEAST_SHARE * self.spent_on_moves <= self.spent_again;
        // A path that is as short as moves can make it may lead round the wrong side of something.
        let search_is_due = LEAST_SHARE * self.spent_again < self.spent_in_vain;
        let is_move_better = by_path >= by_again && !search_is_due;
        if by_path > 0.0 && (is_move_better || moves_are_due) {
            Turn::Path
        } else {
            Turn::Again
        }
    }

    /// The search for a first path.
    fn search(&mut self) -> Result<Option<Event>, SessionError<W::Error>> {
        let step = self.trees.step(&mut self.run);
        Ok(match step.map_err(SessionError::World)? {
            None => None,
            Some(Step::Probed(free)) => Some(self.probed(free)),
            Some(Step::Joined(path)) => {
                let probed = self.probed(true);
                self.take(path);
                Some(probed)
            }
        })
    }

    /// A move on the best path.
    fn shorten(&mut self) -> Result<Option<Event>, SessionError<W::Error>> {
        let Some(on_path) = &mut self.on_path else {
            unreachable!("there are moves only where there is a path");
        };
        let what = on_path.proposed();
        let attempt = on_path.attempt(&mut self.run.checker, &mut self.chances);
        let free = match attempt.map_err(SessionError::World)? {
            Attempt::BrokenOff => return Ok(None),
            Attempt::Blocked => false,
            Attempt::Shorter => true,
        };
        let better = free.then(|| on_path.path().clone());
        let configurations = self.untold_configurations();
        self.again.count_moves(configurations);
        self.spent_on_moves += configurations;
        self.spent_in_vain += configurations;
        let tried = self.event(EventKind::Tried {
            what,
            free,
            configurations,
        });
        if let Some(path) = better {
            self.offer(path);
        }
        Ok(Some(tried))
    }

    /// Another search, and moves on its path.
    fn search_again(&mut self) -> Result<Option<Event>, SessionError<W::Error>> {
        let before = self.run.checker.configurations();
        let step = self
            .again
            .step(&mut self.run, &mut self.chances, &mut self.random);
        self.spent_again += self.run.checker.configurations() - before;
        Ok(match step.map_err(SessionError::World)? {
            None => None,
            Some(Round::Probed(free)) => Some(self.probed(free)),
            Some(Round::Ended(better)) => {
                let ended = self.event(EventKind::NoImprovement);
                if let Some(path) = better {
                    self.take(path);
                }
                Some(ended)
            }
        })
    }

    /// A step of the planner on the roadmap, or a batch for it.
    fn plan(&mut self, limit: &Limit) -> Result<Option<Event>, SessionError<W::Error>> {
        if let Some(grown) = self.tell_roadmap()? {
            return Ok(Some(grown));
        }
        let promise_of_batch = self.promise_of_batch();
        let Some(side) = &mut self.on_roadmap else {
            unreachable!("it was just told");
        };
        let is_batch_worth_more = !self.is_classical
            && !self.was_early
            && side
                .planner
                .promise()
                .is_some_and(|promise| promise < promise_of_batch);
        // A shorter path than the best is not to be had on the roadmap as it is.
        let is_exhausted = side.planner.progress().lower_bound >= self.run.best_length();
        if is_batch_worth_more || is_exhausted {
            self.was_early = !is_exhausted;
            return self.add_batch().map(Some);
        }
        let step = side.planner.step(limit);
        let Some(event) = step.transpose().map_err(SessionError::World)? else {
            return Ok(None);
        };
        match event.kind {
            EventKind::Improved { .. } => {
                let path = side.best_path();
                self.told = event.progress.best_length.unwrap_or(f64::INFINITY);
                self.in_vain = 0;
                match path.filter(|path| path.length() < self.run.best_length()) {
                    Some(path) => self.take(path),
                    None => return Ok(Some(self.event(EventKind::NoImprovement))),
                }
                Ok(self.untold.pop_front())
            }
            kind if kind.is_final() => {
                self.was_early = false;
                self.add_batch().map(Some)
            }
            kind => Ok(Some(self.event(kind))),
        }
    }

    /// Sees that there is a roadmap, and that it has what was found elsewhere; what it has grown by, if it
    /// has.
    fn tell_roadmap(&mut self) -> Result<Option<Event>, SessionError<W::Error>> {
        let side = match &mut self.on_roadmap {
            Some(side) => side,
            none => {
                let Run {
                    checker,
                    start,
                    goals,
                    ..
                } = &self.run;
                let mut side = OnRoadmap::new(self.spec, checker, start, goals, &self.options)?;
                if let Some(prices) = self.prices {
                    side.planner.set_prices(prices);
                }
                if self.thoughts >= NOT_CHEAP {
                    self.run.checker.watch();
                }
                none.insert(side)
            }
        };
        let best = self.run.best_length();
        let Some(path) = self.run.best().filter(|_| best < self.told) else {
            return Ok(None);
        };
        self.told = best;
        let grown = side.add_path(path)?;
        let mut by_trees = None;
        if !std::mem::replace(&mut self.has_trees, true) {
            by_trees = Some(side.add_motions(self.trees.motions(), best)?);
        }
        let put_together = side.best_path().filter(|path| path.length() < best);
        let event = self.event(grown);
        if let Some(grown) = by_trees {
            self.untold.push_back(self.event(grown));
        }
        if let Some(path) = put_together {
            self.told = path.length();
            self.take(path);
        }
        Ok(Some(event))
    }

    /// The expected improvement for each configuration of a batch and what comes after it.
    fn promise_of_batch(&self) -> f64 {
        let best = self.run.best_length();
        if !best.is_finite() {
            return 0.0;
        }
        let price = self.spent_on_roadmap() as f64 / (self.batches + 1) as f64;
        let prospect = Prospect {
            probability: 1.0 / (self.in_vain + 2) as f64,
            improvement: GAIN_OF_BATCH * (best - self.run.progress().lower_bound),
            price: price.max(BATCH as f64),
            refuting: price.max(BATCH as f64),
        };
        prospect.rate()
    }

    fn add_batch(&mut self) -> Result<Event, SessionError<W::Error>> {
        let longest = self.run.best_length();
        let Some(side) = &mut self.on_roadmap else {
            unreachable!("a roadmap grows only where there is one");
        };
        let grown = side.add_batch(longest, &mut self.random)?;
        if let EventKind::Grown { edges, .. } = grown {
            self.edges += edges;
        }
        self.batches += 1;
        self.in_vain += 1;
        Ok(self.event(grown))
    }

    /// How many configurations have been asked about that no event has told of, where a step was broken off
    /// those before too. From now on they count as told.
    fn untold_configurations(&mut self) -> u64 {
        let all = self.run.checker.configurations();
        all - std::mem::replace(&mut self.told_configurations, all)
    }

    /// What has been asked, as an event.
    fn probed(&mut self, free: bool) -> Event {
        let configurations = self.untold_configurations();
        self.event(EventKind::Probed {
            free,
            configurations,
        })
    }

    /// Goes on with a path that comes from elsewhere than a move on the best one.
    fn take(&mut self, path: Waypoints) {
        let space = self.run.checker.space();
        match &mut self.on_path {
            Some(on_path) => on_path.take(space, path.clone()),
            None => {
                self.on_path = Some(OnPath::new(space, path.clone()));
                self.again.count_first(self.run.checker.configurations());
            }
        }
        self.offer(path);
    }

    fn offer(&mut self, path: Waypoints) {
        let length = path.length();
        if self.run.offer(path).is_some() {
            let improved = self.event(EventKind::Improved { length });
            self.untold.push_back(improved);
        }
    }
}
