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

mod growth;
mod insured;
mod outlook;

use crate::anytime::{Anytime, RoadmapPlanner, Until};
use crate::belief::{Belief, Evidence, PartlyChecked};
use crate::checker::{Checker, Finding, Part, Sightings};
use crate::event::{Event, EventKind, Progress, Source, Yardstick};
use crate::insurance::Insurance;
use crate::ledger::{EdgeStatus, Ledger};
use crate::path::Path;
use crate::price::Prices;
use crate::proposer::{Appraisal, Proposal, Proposer, Surprises, View, value_of_best};
use crate::random::Draw;
use crate::roadmap::{EdgeId, Growth, Query, Roadmap, RoadmapError, VertexId};
use crate::search::{OptimisticDistances, Search};
use crate::stop::{Limit, Stop};
use crate::validator::Validator;
use outlook::Outlook;

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
    outlook: Outlook,
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
            outlook: Outlook::default(),
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
        let appraised = self
            .appraisal
            .of(path, &self.ledger, &mut self.belief, &|edge| {
                remaining_cost(edge, &self.checker, &self.ledger)
            });
        let length = path.length();
        Some(appraised.rate(length, value_of_best(self.best_length, length)))
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
                let choice = self.validator.choose(
                    &self.path,
                    &self.ledger,
                    &mut self.belief,
                    self.proposer.telling(),
                );
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
        self.foresee(edge, most);
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
