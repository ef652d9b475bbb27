//! The planner: Experienced Lazy Path Search as an iterator of events.
//!
//! ```text
//! belief -> proposer -> path -> validator -> edge -> checker -> ledger -> belief
//! ```
//!
//! Each step does one thing, at most one check of an edge or of a part of it, and says what it was, so
//! that any budget can interrupt a run and any front end can drive it. A planner that is not driven is
//! paused; driven on, it goes on where it was. A step asks its [`Limit`] on the way: thinking that is
//! interrupted is begun again when the planner is driven on, a check is gone on with. It ends with a
//! certificate: `ShortestOnRoadmap` only if no path over edges not known to be blocked is shorter than
//! the best one, `NoPathOnRoadmap` only if there is none. Both speak of the roadmap alone: beside it
//! there may be a shorter path, or one where the roadmap has none.
//!
//! Where the published method is silent: a proposer may draw worlds that hold nothing shorter than
//! the best path, or have no world left to draw. Each such draw is an event, so that budgets count
//! it; and after [`Fallback::AfterNoImprovement`] many in a row the optimistic shortest path is proposed
//! instead, which either improves the best path or raises the lower bound. [`Fallback::Never`]
//! gives the plain method.
//!
//! A planner can be [`insured`](Planner::insured) against a wrong belief; `insurance.rs` has the
//! theorem and its proof.

use crate::belief::{Belief, Evidence, PartlyChecked};
use crate::checker::{Checker, EdgeMemory, Finding, Part, Sightings, Verdict};
use crate::event::{Event, EventKind, Progress, Source, Yardstick};
use crate::insurance::{Application, Insurance, Next};
use crate::ledger::{EdgeStatus, Ledger};
use crate::path::Path;
use crate::price::Prices;
use crate::proposer::{Appraisal, Proposal, Proposer, Surprises, View, value_of_best};
use crate::random::Draw;
use crate::roadmap::{EdgeId, Growth, Query, Roadmap, RoadmapError, Slot, VertexId};
use crate::search::{OptimisticDistances, Search, Weights};
use crate::stop::{Limit, Stop};
use crate::validator::Validator;

/// What to do when the proposer has nothing shorter to propose.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fallback {
    /// Keep asking; give up only where asking is known to be in vain. The plain method.
    Never,
    /// Propose the optimistic shortest path after this many draws without improvement in a row, and at once
    /// where asking is in vain.
    AfterNoImprovement(u32),
}

impl Default for Fallback {
    /// Twenty: enough to meet an improvement that one draw in ten shows with probability 0.88.
    fn default() -> Self {
        Fallback::AfterNoImprovement(20)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// A path is to be proposed.
    Proposing,
    /// The proposed path is being checked.
    Checking,
    /// All edges of the path are free, and are now proved so. Whether it is one that was proposed, and
    /// not LazySP's.
    Proving { is_proposed: bool },
    /// The insurance is checking LazySP's path.
    Insuring,
    /// The insurance has made a check: who makes the next one is to be seen.
    Insured,
    /// A final event has been given.
    Over,
}

/// Experienced Lazy Path Search: any proposer, belief, validator and checker.
///
/// ```
/// use psmp::belief::IndependentEdges;
/// use psmp::checker::{BisectionChecker, WorldFn};
/// use psmp::{Connection, EventKind, Planner, Resolution, Roadmap, Space, roadmap};
/// use psmp::{proposer::Psmp, validator::FailFast};
///
/// let space = Space::unit(2);
/// let points = roadmap::halton(&space, 300);
/// let prm = Roadmap::from_configurations(space, points, Connection::Radius(0.15))?;
/// let (prm, query) = prm.with_query(&[0.1, 0.1], &[0.9, 0.9], Connection::Nearest(10))?;
/// // A wall with a gap at the top.
/// let world = WorldFn(|q: &[f64]| !(0.45..0.55).contains(&q[0]) || q[1] > 0.8);
/// let checker = BisectionChecker::new(&prm, Resolution::distance(0.001)?, world)?;
/// let belief = IndependentEdges::constant(0.9)?;
///
/// let mut planner = Planner::new(&prm, query, Psmp, belief, FailFast, checker).seed(1);
/// for event in &mut planner {
///     let event = event?;
///     if let EventKind::Improved { length } = event.kind {
///         println!("{length:.3} after {} configurations", event.progress.configurations);
///     }
/// }
/// assert_eq!(planner.progress().gap(), Some(0.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Planner<P, B, V, C> {
    roadmap: Roadmap,
    query: Query,
    /// The goal of the query, and those that will do as well.
    goals: Vec<VertexId>,
    proposer: P,
    belief: PartlyChecked<B>,
    validator: V,
    checker: C,
    fallback: Fallback,
    seed: u64,
    /// Whether distances to the goal have been computed.
    is_ready: bool,
    state: State,
    ledger: Ledger,
    optimistic: OptimisticDistances,
    search: Search,
    surprises: Surprises,
    path: Path,
    /// Who has proposed it.
    source: Source,
    /// What checks and thoughts cost; none where only checks count.
    prices: Option<Prices>,
    /// Not for the plain method.
    is_insured: bool,
    /// None before the first step.
    insurance: Option<Insurance>,
    /// How many edges were known before the run.
    given: usize,
    /// The cost of the check before which the proposed path was interrupted, if it was.
    awaiting: Option<u64>,
    /// The check that a limit broke off, and how many configurations it was to go on for: it is gone on
    /// with before anything else is chosen.
    broken_off: Option<(EdgeId, u64)>,
    /// Edges that are blocked, but not yet in the distances that the belief plans by: LazySP has found them in its
    /// turn. See `insurance.rs`.
    put_off: Vec<EdgeId>,
    /// How many thoughts the last proposal and the last repair of distances have taken, where thoughts cost anything.
    last_proposal: u64,
    last_repair: u64,
    /// How many thoughts the distances have taken at first and where the roadmap has grown: who believes nothing has them too.
    unavoidable: u64,
    /// Whether edges have been proved free, or known to be so, since the shortest path over such edges was
    /// last looked for.
    has_new_proofs: bool,
    /// What checking the proposed path is worth.
    appraisal: Appraisal,
    best: Path,
    /// Infinite before the first path.
    best_length: f64,
    proposals: u64,
    without_improvement: u32,
    sightings: Sightings,
}

impl<P, B, V, C> Planner<P, B, V, C>
where
    P: Proposer<B>,
    B: Belief,
    V: Validator,
    C: Checker,
{
    /// A planner at its beginning. Distances to the goal are computed once, in its first step; before
    /// that the lower bound is 0.
    ///
    /// # Panics
    /// If start or goal is not a vertex of the roadmap.
    #[must_use]
    pub fn new(
        roadmap: &Roadmap,
        query: Query,
        proposer: P,
        belief: B,
        validator: V,
        checker: C,
    ) -> Self {
        for vertex in [query.start, query.goal] {
            assert!(
                vertex.index() < roadmap.vertex_count(),
                "vertex {} is not among the roadmap's {}",
                vertex.0,
                roadmap.vertex_count()
            );
        }
        let sightings = Sightings::new(roadmap.space().map_or(0, |s| s.dimension()));
        Self {
            roadmap: roadmap.clone(),
            query,
            goals: vec![query.goal],
            proposer,
            belief: PartlyChecked::new(belief, roadmap.edge_count()),
            validator,
            checker,
            fallback: Fallback::default(),
            seed: 0,
            is_ready: false,
            state: State::Proposing,
            ledger: Ledger::new(roadmap.edge_count()),
            optimistic: OptimisticDistances::begun(roadmap, &[query.goal]),
            search: Search::new(roadmap),
            surprises: Surprises::new(roadmap),
            path: Path::with_room_for(roadmap),
            source: Source::Proposer,
            prices: None,
            is_insured: false,
            insurance: None,
            given: 0,
            awaiting: None,
            broken_off: None,
            put_off: Vec::new(),
            last_proposal: 0,
            last_repair: 0,
            unavoidable: 0,
            // The way from a start that is a goal is proved from the beginning.
            has_new_proofs: true,
            appraisal: Appraisal::default(),
            best: Path::with_room_for(roadmap),
            best_length: f64::INFINITY,
            proposals: 0,
            without_improvement: 0,
            sightings,
        }
    }

    /// The same planner, for which any of these vertices will do as well as the goal of its query: paths
    /// lead to that which they are shortest to, and what is proven is proven of all of them. To be said
    /// before what it [knows](Self::knowing).
    ///
    /// # Panics
    /// If one is not a vertex of the roadmap.
    #[must_use]
    pub fn or_to_any_of(mut self, others: &[VertexId]) -> Self {
        self.goals.extend_from_slice(others);
        self.optimistic = OptimisticDistances::begun(&self.roadmap, &self.goals);
        self.search = Search::new(&self.roadmap).or_to_any_of(&self.roadmap, others);
        self.is_ready = false;
        self
    }

    /// The same planner with this seed. Same seed and same inputs give the same events.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The same planner with this fallback.
    #[must_use]
    pub fn fallback(mut self, fallback: Fallback) -> Self {
        self.fallback = fallback;
        self
    }

    /// The same planner, insured or not against a wrong belief; not, if this is never called.
    ///
    /// Insured, it ends with [`EventKind::ShortestOnRoadmap`] or [`EventKind::NoPathOnRoadmap`]
    /// whatever it is put together from, and where the roadmap has a path it has then checked at most
    /// twice the configurations that LazySP, which believes nothing and checks forward, would have
    /// checked in the same world, plus the price of one path that was proposed: the dearest one, which
    /// can be several times as long as the shortest (3.4 times was seen). Where the roadmap has no path,
    /// add the price of another.
    /// The planner is interrupted for that where it has spent too much, and LazySP's next edge is
    /// checked instead: [`Source::Insurance`]. Good beliefs hardly notice.
    #[must_use]
    pub fn insured(mut self, insured: bool) -> Self {
        self.is_insured = insured;
        self.insurance = None;
        self.is_ready = false;
        self
    }

    /// The same planner, which knows of some edges beforehand whether they are free. They cost nothing
    /// and are not checked again, nor proved again if they were. What is known of edges that the roadmap does
    /// not have is passed over.
    #[must_use]
    pub fn knowing(mut self, known: &EdgeMemory) -> Self {
        self.sightings.clear();
        self.optimistic.settle(&Limit::NONE);
        let edges = self.ledger.edge_count();
        for (edge, free) in known.known().take_while(|(edge, _)| edge.index() < edges) {
            if self.ledger.status(edge) != EdgeStatus::Unchecked {
                continue;
            }
            self.belief
                .observe(Evidence::of(edge, free, &self.sightings));
            self.know(edge, free);
            if known.is_proved(edge) {
                self.ledger.prove(edge);
                self.has_new_proofs = true;
            }
        }
        self
    }

    /// Takes down what is known of an edge without a check.
    fn know(&mut self, edge: EdgeId, free: bool) {
        let verdict = Verdict {
            free,
            configurations: 0,
        };
        self.ledger.record(edge, verdict.into());
        if !free {
            self.optimistic.block(edge);
        }
        self.given += 1;
    }

    /// Adds vertices and edges to the roadmap, which all that is known and kept of the old ones outlives.
    /// The cost is that of what is added and of the distances that become shorter by it.
    ///
    /// The roadmap must be the one that the belief and the checker were made with, and nobody else may plan
    /// on it: take a [branch](Roadmap::branch) for a planner that is to grow. The best path is from now on the
    /// shortest over proved edges, if that is shorter than it was; whether it is, is returned. A path that is
    /// being checked and is no longer shorter than the best is given up, and a run that was over goes on if
    /// there can be a shorter path now.
    ///
    /// The belief is not told that edges are known: how they were found says little of others. Tell it of the
    /// configurations [sighted](Self::sight).
    ///
    /// # Errors
    /// If the growth does not fit the roadmap or the checker cannot check other edges than it was made for.
    /// Then nothing has changed.
    pub fn grow(&mut self, growth: &Growth) -> Result<bool, RoadmapError> {
        self.roadmap.accepts(growth)?;
        self.checker.grow(growth)?;
        if let Some(insurance) = &mut self.insurance {
            insurance.advance(&self.ledger);
        }
        let old = self.ledger.edge_count();
        self.roadmap.grow(growth)?;
        self.follow();
        for (place, new) in growth.edges.iter().enumerate() {
            let edge = EdgeId((old + place) as u32);
            if let Some(free) = new.free {
                self.know(edge, free);
                if free && new.proved {
                    self.ledger.prove(edge);
                    self.has_new_proofs = true;
                }
            }
        }
        let is_better = self.join_proved();
        self.reconsider();
        Ok(is_better)
    }

    /// Brings all parts up to a roadmap that has grown.
    fn follow(&mut self) {
        let edges = self.roadmap.edge_count();
        self.ledger.grow(edges);
        self.belief.grow(edges);
        self.search.grow(&self.roadmap);
        self.surprises.grow(&self.roadmap);
        self.path.grow(&self.roadmap);
        self.best.grow(&self.roadmap);
        let before = self.optimistic.looked_at();
        self.optimistic.grow();
        self.unavoidable += self.optimistic.looked_at() - before;
        if let Some(insurance) = &mut self.insurance {
            insurance.grow();
        }
    }

    /// Makes the shortest path over edges that are proved free the best, if it is shorter.
    fn join_proved(&mut self) -> bool {
        struct Proved<'a> {
            ledger: &'a Ledger,
            optimistic: &'a OptimisticDistances,
        }
        impl Weights for Proved<'_> {
            fn cost(&mut self, _: EdgeId, length: f64) -> f64 {
                length
            }
            fn is_open(&mut self, edge: EdgeId) -> bool {
                self.ledger.is_proved(edge)
            }
            fn to_goal(&self, slot: Slot) -> f64 {
                self.optimistic.slot_to_goal(slot)
            }
        }
        if !std::mem::take(&mut self.has_new_proofs) {
            return false;
        }
        let mut path = Path::default();
        let found = self.search.shortest_path(
            &self.roadmap,
            self.query,
            self.best_length,
            &Limit::NONE,
            &mut Proved {
                ledger: &self.ledger,
                optimistic: &self.optimistic,
            },
            &mut path,
        );
        if !found || path.length() >= self.best_length {
            return false;
        }
        self.best.copy_from(&path);
        self.best_length = path.length();
        true
    }

    /// After growth: what is no longer worth checking is given up, and what is over may go on.
    fn reconsider(&mut self) {
        self.without_improvement = 0;
        let is_better = self.path.length() < self.best_length;
        match self.state {
            State::Checking | State::Proving { .. } if !is_better => {
                self.broken_off = None;
                self.state = State::Proposing;
            }
            State::Insuring | State::Insured => {
                // LazySP may have another path now, and goes on with its checks by itself.
                self.broken_off = None;
                if !is_better {
                    self.awaiting = None;
                }
            }
            State::Over if self.lower_bound() < self.best_length => self.state = State::Proposing,
            _ => {}
        }
    }

    /// Tells the belief of configurations that were seen elsewhere than on edges of the roadmap, such as
    /// those of a motion, best motion by motion.
    pub fn sight(&mut self, sightings: &Sightings) {
        self.belief.sight(sightings);
    }

    /// How much shorter the best path is expected to become for each configuration that is spent on
    /// checking the proposed one to its end; infinite where only proofs are left to be made. Nothing while
    /// no path is being checked.
    pub fn promise(&mut self) -> Option<f64> {
        let path = match self.state {
            State::Checking | State::Proving { .. } => &self.path,
            State::Insuring | State::Insured => self.insurance.as_ref()?.path(),
            State::Proposing | State::Over => return None,
        };
        let blocked = |e: &EdgeId| self.ledger.status(*e) == EdgeStatus::Blocked;
        if path.edges().iter().any(blocked) {
            return None;
        }
        Some(self.appraisal.rate(
            path,
            value_of_best(self.best_length, self.lower_bound()),
            &self.ledger,
            &mut self.belief,
            &|edge| remaining_cost(edge, &self.checker, &self.ledger),
        ))
    }

    /// How many edges all searches of the run have looked at: what thinking has cost, the same on every
    /// machine.
    #[must_use]
    pub fn effort(&self) -> u64 {
        self.search.looked_at()
    }

    /// How many edges were looked at beside that, to compute the distances to the goal and to repair them when edges
    /// were found blocked: what every planner on a roadmap does, LazySP too.
    #[must_use]
    pub fn upkeep(&self) -> u64 {
        let followed = self.insurance.as_ref().map_or(0, Insurance::upkeep);
        self.optimistic.looked_at() + followed
    }

    /// Says what a configuration and a thought cost from now on. A proposer that could think long then thinks as
    /// long as is worth it. Before this is said only checks count, as published.
    pub fn set_prices(&mut self, prices: Prices) {
        self.prices = Some(prices);
        if let Some(insurance) = &mut self.insurance {
            insurance.set_prices(prices);
        }
    }

    /// Drives the planner until the condition is met or the run is over. The planner can be driven
    /// on afterwards.
    pub fn until(&mut self, stop: &Stop) -> Until<'_, Self> {
        Until::new(self, stop)
    }

    /// Where the run stands.
    #[must_use]
    pub fn progress(&self) -> Progress {
        Progress {
            configurations: self.ledger.configurations(),
            edges: (self.ledger.entries().len() - self.given) as u64,
            proposals: self.proposals,
            best_length: self.best_path().map(Path::length),
            lower_bound: self.lower_bound(),
            yardstick: Yardstick::ShortestOnRoadmap,
        }
    }

    fn lower_bound(&self) -> f64 {
        if !self.is_ready {
            return 0.0;
        }
        let own = self.optimistic.to_goal(self.query.start);
        match &self.insurance {
            // What was put off LazySP knows.
            Some(insurance) if !self.put_off.is_empty() => own.max(insurance.lower_bound()),
            _ => own,
        }
    }

    /// The shortest path found so far.
    #[must_use]
    pub fn best_path(&self) -> Option<&Path> {
        self.best_length.is_finite().then_some(&self.best)
    }

    /// The path proposed last.
    #[must_use]
    pub fn proposed_path(&self) -> &Path {
        match &self.insurance {
            Some(insurance) if matches!(self.state, State::Insuring | State::Insured) => {
                insurance.path()
            }
            _ => &self.path,
        }
    }

    /// All checks so far.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The checker.
    pub fn checker_mut(&mut self) -> &mut C {
        &mut self.checker
    }

    /// The probability that an edge is free given all checks so far: 0 or 1 if it was checked.
    pub fn probability_free(&mut self, edge: EdgeId) -> f64 {
        match self.ledger.status(edge) {
            EdgeStatus::Free => 1.0,
            EdgeStatus::Blocked => 0.0,
            EdgeStatus::Unchecked => self.belief.probability_free(edge),
        }
    }

    /// Whether an edge is free in the world drawn last, as far as the proposer draws worlds. What
    /// has been checked is as it was found.
    pub fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        match self.ledger.status(edge) {
            EdgeStatus::Free => true,
            EdgeStatus::Blocked => false,
            EdgeStatus::Unchecked => self.belief.is_free_in_draw(edge),
        }
    }

    fn event(&self, kind: EventKind) -> Event {
        Event {
            kind,
            progress: self.progress(),
        }
    }

    fn finish(&mut self, kind: EventKind) -> Event {
        self.state = State::Over;
        self.event(kind)
    }

    /// Computes what all steps need. False if the limit broke it off; called again it goes on.
    fn make_ready(&mut self, limit: &Limit) -> bool {
        if !self.optimistic.settle(limit) {
            return false;
        }
        self.unavoidable = self.optimistic.looked_at();
        if self.is_insured && self.insurance.is_none() {
            let inherited = self.ledger.entries().is_empty();
            let nothing_blocked = match inherited {
                true => self.optimistic.copy(),
                false => OptimisticDistances::to_any_of(&self.roadmap, &self.goals),
            };
            self.insurance = Some(Insurance::new(
                &self.roadmap,
                self.query,
                &self.ledger,
                nothing_blocked,
                inherited,
                self.prices,
            ));
        }
        self.is_ready = true;
        true
    }

    /// Whether thinking has to be applied for.
    fn is_thinking_insured(&self) -> bool {
        self.prices.is_some() && self.insurance.is_some()
    }

    /// Whether all that was thought for the belief has taken no longer than all checks, which are what it could save. Where
    /// repairing distances on a large roadmap takes longer than cheap checks do, LazySP is left to itself.
    fn is_thinking_worth_it(&self) -> bool {
        self.prices.is_none_or(|prices| {
            let thoughts = self.search.looked_at() + self.optimistic.looked_at();
            let thinking = prices.cost(0, thoughts - self.unavoidable);
            thinking <= prices.cost(self.ledger.configurations(), 0)
        })
    }

    /// Makes the repairs that were put off, as far as they are covered. Whether a proposal is covered then; nothing
    /// if the limit was met before that could be told.
    fn may_think(&mut self, limit: &Limit) -> Option<bool> {
        if !self.is_thinking_insured() {
            return Some(true);
        }
        if !self.is_thinking_worth_it() {
            return Some(false);
        }
        while let Some(&edge) = self.put_off.last() {
            if !self.covers(0, self.last_repair, limit)? {
                return Some(false);
            }
            self.put_off.pop();
            self.block(edge);
        }
        self.covers(0, self.last_proposal, limit)
    }

    fn block(&mut self, edge: EdgeId) {
        let before = self.optimistic.looked_at();
        self.optimistic.block(edge);
        self.last_repair = self.optimistic.looked_at() - before;
    }

    /// The next proposal, if that is covered, or LazySP's next step. Nothing if the limit was met before there was
    /// anything to say: the step is made again.
    fn step_proposing(&mut self, limit: &Limit) -> Result<Option<Event>, C::Error> {
        let lower_bound = self.lower_bound();
        if self.best_length <= lower_bound {
            return Ok(Some(self.finish(if lower_bound.is_finite() {
                EventKind::ShortestOnRoadmap
            } else {
                EventKind::NoPathOnRoadmap
            })));
        }
        match self.may_think(limit) {
            None => Ok(None),
            Some(true) => Ok(self.propose(limit)),
            Some(false) => {
                self.leave_to_lazysp(None);
                self.step_insuring(limit)
            }
        }
    }

    /// It is LazySP's turn, and the proposed path waits for its next check to be covered, if that has this price.
    fn leave_to_lazysp(&mut self, awaiting: Option<u64>) {
        self.broken_off = None;
        self.awaiting = awaiting;
        self.state = State::Insuring;
        if let Some(insurance) = &mut self.insurance {
            insurance.begin_turn();
        }
    }

    fn propose(&mut self, limit: &Limit) -> Option<Event> {
        let before = self.search.looked_at();
        let draw = Draw::new(self.seed, self.proposals);
        self.surprises.forget();
        let mut view = View {
            roadmap: &self.roadmap,
            query: self.query,
            ledger: &self.ledger,
            optimistic: &self.optimistic,
            belief: &mut self.belief,
            search: &mut self.search,
            surprises: &mut self.surprises,
            path: &mut self.path,
            best_length: self.best_length,
            draw,
            remaining_cost: &|edge| remaining_cost(edge, &self.checker, &self.ledger),
            prices: self.prices,
            limit,
        };
        let dry = match self.fallback {
            Fallback::AfterNoImprovement(most) => self.without_improvement >= most,
            Fallback::Never => false,
        };
        self.source = Source::Proposer;
        if dry {
            view.optimistic_path();
            self.source = Source::Fallback;
            self.proposals += 1;
        } else {
            let proposal = self.proposer.propose(&mut view);
            if view.search.was_interrupted_since(before) {
                return None;
            }
            self.last_proposal = view.search.looked_at() - before;
            self.proposals += 1;
            match proposal {
                Proposal::Path => {}
                Proposal::NoImprovement => {
                    return Some(self.no_improvement());
                }
                Proposal::Done if self.insurance.is_none() => {
                    return Some(self.finish(EventKind::GaveUp));
                }
                Proposal::Done | Proposal::Exhausted if self.fallback == Fallback::Never => {
                    if self.insurance.is_none() {
                        return Some(self.finish(EventKind::GaveUp));
                    }
                    return Some(self.no_improvement());
                }
                Proposal::Done | Proposal::Exhausted => {
                    view.optimistic_path();
                    self.source = Source::Fallback;
                }
            }
        }
        let length = self.path.length();
        if length >= self.best_length {
            // Known already, so there is nothing to check; but it is free, which POMP counts.
            self.proposer.path_was_free();
            return Some(self.no_improvement());
        }
        self.without_improvement = 0;
        self.state = State::Checking;
        Some(self.event(EventKind::Proposed {
            length,
            source: self.source,
        }))
    }

    fn no_improvement(&mut self) -> Event {
        self.without_improvement += 1;
        if self.insurance.is_some() && self.fallback == Fallback::Never {
            // Nothing else would end draws without improvement.
            self.leave_to_lazysp(None);
        }
        self.event(EventKind::NoImprovement)
    }

    /// Whether so many configurations and thoughts may be spent for the belief; nothing if the limit was met
    /// before that could be told.
    fn covers(&mut self, configurations: u64, thoughts: u64, limit: &Limit) -> Option<bool> {
        let Some(insurance) = &mut self.insurance else {
            return Some(true);
        };
        insurance.covers(&mut Application {
            path: &self.path,
            configurations,
            thoughts,
            repairs: self.optimistic.looked_at(),
            ledger: &self.ledger,
            search: &mut self.search,
            cost_if_free: &|edge| self.checker.cost_if_free(edge),
            limit,
        })
    }

    /// LazySP's next step, at most one check.
    fn step_insuring(&mut self, limit: &Limit) -> Result<Option<Event>, C::Error> {
        let Some(insurance) = &mut self.insurance else {
            unreachable!("only the insured come here");
        };
        let edge = match insurance.advance(&self.ledger) {
            Next::Check(edge) => edge,
            Next::Arrived if insurance.path().length() < self.best_length => {
                self.path.copy_from(insurance.path());
                self.state = State::Proving { is_proposed: false };
                return self.step_proving(false, limit);
            }
            // What there is to know is known: this ends the run.
            Next::Arrived | Next::Nowhere => return self.step_proposing(limit),
        };
        if insurance.announce() {
            let length = insurance.path().length();
            return Ok(Some(self.event(EventKind::Proposed {
                length,
                source: Source::Insurance,
            })));
        }
        let event = self.check(edge, u64::MAX, limit)?;
        if event.is_some() && self.broken_off.is_none() {
            self.state = State::Insured;
        }
        Ok(event)
    }

    /// After a check for the insurance: the proposed path goes on if that is covered now, and
    /// another one is proposed if it was refuted meanwhile.
    fn step_insured(&mut self, limit: &Limit) -> Result<Option<Event>, C::Error> {
        let blocked = |e: &EdgeId| self.ledger.status(*e) == EdgeStatus::Blocked;
        match self.awaiting {
            Some(price) if !self.path.edges().iter().any(blocked) => {
                match self.covers(price, 0, limit) {
                    None => Ok(None),
                    Some(true) => {
                        self.state = State::Checking;
                        Ok(Some(self.event(EventKind::Proposed {
                            length: self.path.length(),
                            source: self.source,
                        })))
                    }
                    Some(false) => {
                        self.state = State::Insuring;
                        self.step_insuring(limit)
                    }
                }
            }
            _ => {
                self.state = State::Proposing;
                self.step_proposing(limit)
            }
        }
    }

    fn improve(&mut self) -> Event {
        self.best.copy_from(&self.path);
        self.best_length = self.path.length();
        self.state = State::Proposing;
        self.event(EventKind::Improved {
            length: self.best_length,
        })
    }

    /// Proves one edge of a path that is free at the resolution of checks. When all are proved the path
    /// is given out.
    fn step_proving(
        &mut self,
        is_proposed: bool,
        limit: &Limit,
    ) -> Result<Option<Event>, C::Error> {
        while let Some(edge) = self.first_unproved() {
            let finding = self.checker.prove(edge, limit)?;
            self.ledger.spend(finding.configurations);
            let configurations = finding.configurations;
            let Some(free) = finding.free else {
                return Ok((configurations > 0).then(|| self.checked(edge, finding)));
            };
            if free {
                self.ledger.prove(edge);
                self.has_new_proofs = true;
                if configurations == 0 {
                    continue;
                }
            } else {
                self.refute(edge);
            }
            return Ok(Some(self.event(EventKind::Proved {
                edge,
                free,
                configurations,
            })));
        }
        if is_proposed {
            self.proposer.path_was_free();
        }
        Ok(Some(self.improve()))
    }

    fn first_unproved(&self) -> Option<EdgeId> {
        let mut edges = self.path.edges().iter().copied();
        edges.find(|&e| !self.ledger.is_proved(e))
    }

    /// An edge that was taken for free is not. The belief is of what checks find, and hears nothing: the
    /// ledger answers for the edge before it does.
    fn refute(&mut self, edge: EdgeId) {
        self.ledger.overrule(edge);
        self.optimistic.block(edge);
        if let Some(insurance) = &mut self.insurance {
            let nothing_blocked = OptimisticDistances::to_any_of(&self.roadmap, &self.goals);
            *insurance = insurance.anew(&self.ledger, nothing_blocked);
        }
        self.awaiting = None;
        self.state = State::Proposing;
    }

    fn step_checking(&mut self, limit: &Limit) -> Result<Option<Event>, C::Error> {
        let (edge, most) = match self.broken_off {
            Some(look) => look,
            None => {
                let choice = self
                    .validator
                    .choose(&self.path, &self.ledger, &mut self.belief);
                let Some(place) = choice else {
                    self.state = State::Proving { is_proposed: true };
                    return self.step_proving(true, limit);
                };
                let edge = self.path.edges()[place];
                let wanted = self.validator.how_far(edge, &self.ledger);
                (edge, self.checker.portion(edge, wanted))
            }
        };
        let cost = remaining_cost(edge, &self.checker, &self.ledger);
        match self.covers(cost, 0, limit) {
            // What was chosen stays chosen: some validators would not choose it again.
            None => {
                self.broken_off = Some((edge, most));
                return Ok(None);
            }
            Some(true) => {}
            Some(false) => {
                self.leave_to_lazysp(Some(cost));
                return self.step_insuring(limit);
            }
        }
        let event = self.check(edge, most, limit)?;
        if self.ledger.status(edge) == EdgeStatus::Blocked {
            self.state = State::Proposing;
        }
        Ok(event)
    }

    /// Checks an edge, or a part of it. Nothing if the limit allows no configuration of it.
    fn check(&mut self, edge: EdgeId, most: u64, limit: &Limit) -> Result<Option<Event>, C::Error> {
        self.sightings.clear();
        let seen = self.ledger.seen(edge);
        let part = Part {
            edge,
            seen,
            most,
            limit,
        };
        let checked = self.checker.check(part, &mut self.sightings);
        let (finding, failure) = match checked {
            Ok(finding) => (finding, None),
            // The check will be tried again, but what was seen has been seen.
            Err(failure) => {
                let seen = self.sightings.len() as u64;
                (Finding::inconclusive(seen), Some(failure))
            }
        };
        // Less than was asked for, without an answer: the limit was met, or the checker failed.
        let is_broken_off = finding.free.is_none() && finding.configurations < most;
        self.broken_off = is_broken_off.then(|| (edge, most - finding.configurations));
        if finding != Finding::NOTHING {
            self.take(edge, finding);
        }
        match (failure, finding) {
            (Some(failure), _) => Err(failure),
            (None, Finding::NOTHING) => Ok(None),
            (None, finding) => Ok(Some(self.checked(edge, finding))),
        }
    }

    /// Takes a finding down and learns from it.
    fn take(&mut self, edge: EdgeId, finding: Finding) {
        let before = self.ledger.likelihood(edge);
        let verdict = self.ledger.record(edge, finding);
        self.belief.observe(Evidence {
            edge,
            before,
            now: self.ledger.likelihood(edge),
            sightings: &self.sightings,
        });
        if let Some(insurance) = &mut self.insurance {
            insurance.note(finding.configurations);
            if let Some(verdict) = verdict {
                insurance.note_verdict(edge, verdict);
            }
        }
        if finding.free == Some(false) {
            // LazySP's turn takes LazySP's time.
            match self.state == State::Insuring && self.is_thinking_insured() {
                true => self.put_off.push(edge),
                false => self.block(edge),
            }
        }
    }

    fn checked(&self, edge: EdgeId, finding: Finding) -> Event {
        let configurations = finding.configurations;
        self.event(match finding.free {
            None => EventKind::PartlyChecked {
                edge,
                configurations,
            },
            Some(free) => EventKind::Checked {
                edge,
                free,
                configurations,
            },
        })
    }

    /// The next event within the limit.
    fn step_within(&mut self, limit: &Limit) -> Result<Option<Event>, C::Error> {
        if !self.is_ready && !self.make_ready(limit) {
            return Ok(None);
        }
        match self.state {
            State::Proposing => self.step_proposing(limit),
            State::Checking => self.step_checking(limit),
            State::Proving { is_proposed } => self.step_proving(is_proposed, limit),
            State::Insuring => self.step_insuring(limit),
            State::Insured => self.step_insured(limit),
            State::Over => Ok(None),
        }
    }
}

/// What it costs to see an edge to its end, if it is free.
fn remaining_cost(edge: EdgeId, checker: &impl Checker, ledger: &Ledger) -> u64 {
    let whole = checker.cost_if_free(edge);
    whole.saturating_sub(ledger.seen(edge))
}

impl<P, B, V, C> Iterator for Planner<P, B, V, C>
where
    P: Proposer<B>,
    B: Belief,
    V: Validator,
    C: Checker,
{
    type Item = Result<Event, C::Error>;

    /// The next event, or `None` once the run is over. After an error the same check is tried
    /// again.
    fn next(&mut self) -> Option<Self::Item> {
        self.step_within(&Limit::NONE).transpose()
    }
}

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
    /// [`Planner::grow`].
    ///
    /// # Errors
    /// If the growth does not fit the roadmap or the checker cannot grow. Then nothing has changed.
    fn grow(&mut self, growth: &Growth) -> Result<bool, RoadmapError>;
    /// Tells the belief of configurations that were seen elsewhere. See [`Planner::sight`].
    fn sight(&mut self, sightings: &Sightings);
    /// What each configuration spent on the proposed path is expected to bring. See [`Planner::promise`].
    fn promise(&mut self) -> Option<f64>;
    /// How many edges all searches have looked at. See [`Planner::effort`].
    fn effort(&self) -> u64;
    /// How many edges were looked at for distances to the goal. See [`Planner::upkeep`].
    fn upkeep(&self) -> u64;
    /// Says what a configuration and a thought cost from now on. See [`Planner::set_prices`].
    fn set_prices(&mut self, prices: Prices);
}

impl<P, B, V, C> Anytime for Planner<P, B, V, C>
where
    P: Proposer<B>,
    B: Belief,
    V: Validator,
    C: Checker,
{
    type Error = C::Error;
    fn step(&mut self, limit: &Limit) -> Option<Result<Event, C::Error>> {
        self.step_within(limit).transpose()
    }
    fn progress(&self) -> Progress {
        Planner::progress(self)
    }
}

impl<P, B, V, C> RoadmapPlanner for Planner<P, B, V, C>
where
    P: Proposer<B>,
    B: Belief,
    V: Validator,
    C: Checker,
{
    fn best_path(&self) -> Option<&Path> {
        Planner::best_path(self)
    }
    fn proposed_path(&self) -> &Path {
        Planner::proposed_path(self)
    }
    fn ledger(&self) -> &Ledger {
        Planner::ledger(self)
    }
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        Planner::probability_free(self, edge)
    }
    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        Planner::is_free_in_draw(self, edge)
    }
    fn grow(&mut self, growth: &Growth) -> Result<bool, RoadmapError> {
        Planner::grow(self, growth)
    }
    fn sight(&mut self, sightings: &Sightings) {
        Planner::sight(self, sightings);
    }
    fn promise(&mut self) -> Option<f64> {
        Planner::promise(self)
    }
    fn effort(&self) -> u64 {
        Planner::effort(self)
    }
    fn upkeep(&self) -> u64 {
        Planner::upkeep(self)
    }
    fn set_prices(&mut self, prices: Prices) {
        Planner::set_prices(self, prices);
    }
}

/// The events of a planner until a condition is met; made by [`Planner::until`].
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
