//! Insurance: a promise that holds whatever the belief.
//!
//! A good belief finds the shortest path with a fraction of the checks that an optimist needs; a
//! wrong one may check half the roadmap first, or think for long about what is quickly checked. The
//! insurance bounds the damage by following
//! **LazySP**, the optimist without a belief: it knows at every moment where LazySP, checking
//! forward in the same world, would be after the checks made so far, and what that would have cost.
//! It follows free of charge through edges that have been checked already; where LazySP would check
//! one that nobody has, it waits. The belief plans as it likes while its spending is covered. When
//! it is not, LazySP's next edge is checked instead, until it is covered again.
//!
//! All costs are times: configurations by their [price](crate::Prices), and thoughts, the edges that searches and
//! repairs of distances look at, by theirs. Where no prices were said only configurations count, as published, and a
//! thought costs nothing.
//!
//! ```text
//! L    what LazySP spends in this world until it is done, what it thinks included
//! v    what LazySP has spent where it is now; v <= L
//! F    the least that checking a path over edges not known to be blocked costs, counting only edges that
//!      LazySP has not checked
//! P    what checking the dearest path costs that the belief or LazySP has proposed so far; it can be several
//!      times as long as the shortest (3.4 times was seen)
//! T    what has been spent, by both
//! S    what one step has taken beyond what it had applied for
//! ```
//!
//! Whatever is done for the belief applies for what it is expected to cost, `p`: a look at an edge for what it
//! takes to see it to its end, and thinking (a proposal, the repair of distances after a blocked edge, the search for `F`)
//! for what the last of its kind has taken. It is done only if that is covered:
//!
//! ```text
//! T + p <= 2 v + F + P
//! ```
//!
//! with `v`, `F` and `P` as they are or as they were at any moment before. `T` counts looks that have not
//! come to an end; `v`, `F` and `P` count whole edges, because LazySP checks whole edges. Where LazySP comes
//! to an edge that has been looked at, it sees it to its end and pays only for what is left.
//!
//! **Theorem.** *Whatever the belief, the proposer, the validator and the prices, a run ends with
//! `ShortestOnRoadmap` or `NoPathOnRoadmap`. If the roadmap has a path, it has then cost at most
//! `2 L + P + S`: twice what LazySP spends, plus one path that was proposed, plus one step. If it has none, at most
//! `2 L + F + P + S`. Where thoughts cost nothing `S` is nothing.*
//!
//! *Proof.* Take the last thing done for the belief, and let `s` be the moment by whose values it was
//! covered; with it at most `2 v(s) + F(s) + P(s) + S` has been spent. LazySP ends with a path that
//! it has checked from end to end, if there is any. All edges of that path are free, so at `s` none was
//! known to be blocked, and those that LazySP had not checked by then it had still to pay for: at least
//! `F(s)`. So `v(s) + F(s) <= L`. All that is done after it is LazySP's own: its checks, made in
//! its order, each but once, and none that it had made at `s`, and the repairs of its distances, which are those
//! that it would make alone. That costs at most `L - v(s)`. In sum
//!
//! ```text
//! T <= 2 v(s) + F(s) + P + S + L - v(s) = v(s) + F(s) + L + P + S <= 2 L + P + S.
//! ```
//!
//! If there is no path, only `v(s) <= L` is known, and `F(s)` is left over. If nothing is ever done
//! for the belief, all is LazySP's, at most `L`.
//!
//! The run ends: a proposed path has an edge to check or is shorter than the best one, of which there
//! are finitely many; draws without improvement are limited by the fallback or followed by one check of LazySP's;
//! an edge is looked at until it is seen to its end, and never after. It ends with a certificate,
//! because where the proposer has nothing more to say LazySP goes on, and it stops only where the best
//! path is as short as the lower bound, or no path is left. ∎
//!
//! *Two sets of distances.* The belief plans by distances in which everything known to be blocked is so, LazySP by
//! those of what it has checked itself. Where thoughts cost something, an edge that LazySP finds blocked in its
//! turn is blocked in its own distances alone; the others are repaired when the belief is to think again, which is then
//! applied for. So LazySP's turn takes LazySP's time. And the belief thinks again only while all that was thought for it has taken no longer
//! than all checks together, because checks are all that thinking can save: on a large roadmap with cheap checks LazySP is left to itself.
//!
//! *Why LazySP checks whole edges.* Checked from coarse to fine its paths would fall sooner, but the proof would fall with
//! them. A coarse check may come to edges behind one that is blocked where nobody has looked yet; LazySP, which
//! checks forward, would have stopped there and never have asked about them. Each of its paths can lose as much as a
//! coarse check of a path costs in this way, and no multiple of `L` bounds that: with one configuration to find the first edge
//! blocked, and a hundred edges behind it, it is a hundred times what LazySP spends.
//!
//! *Vertices that are asked about once.* Where a checker remembers vertices, what a check takes depends on who has been
//! there. LazySP is charged what it would have paid [alone](crate::checker::Checker::bill): for every vertex once,
//! whoever asked about it, and for what is the edge's own. In `F` and `P` a vertex between two edges of a path counts
//! half for each. What LazySP pays alone is never less than what its check takes here, so the proof stands.
//!
//! *What is assumed.* Otherwise a check costs the same whoever makes it and whenever, and
//! [`cost_if_free`](crate::checker::Checker::cost_if_free) is what a free edge costs and the most that
//! a blocked one does. Where it says less than that, a check may cost more than was covered, and the
//! bound grows by the excess of one check, because what has been spent is counted as it is. Where it says
//! more, `F` and `P` are overstated by as much. Checks that failed count nowhere. Prices stay: where other ones
//! are said, all costs are counted by these from then on, and what was covered by the old ones need not be by them. What a
//! belief does when it hears of a check is part of what a check costs.
//!
//! *Proofs.* A path whose edges have all been found free is given out only when each has been
//! [proved](crate::checker::Checker::prove) free, and what that asks comes on top; no edge is proved
//! twice. An edge that is refuted by its proof was taken for free by LazySP too. From then on LazySP is
//! followed anew through a world in which it is blocked, free of charge where edges are known: the
//! theorem holds from refutation to refutation, with `L` as it is in the world as it is known then.
//!
//! *Growth.* Where the [roadmap grows](crate::Planner::grow), LazySP grows at the same moments: it is first
//! followed as far as it can be, then the new edges are in its graph, and it turns to a shorter path if they
//! give it one. What it has checked and spent stays. `L` is then what this LazySP spends until it is done.
//! New edges may make that less than it seemed: a look that was covered before the last growth was covered
//! by an `F` that LazySP perhaps never pays. So of the proof only `v(s) <= L` is left for it, as where there
//! is no path, and the run has cost at most `2 L + F + P + S`, with `F <= P` as it was at that moment. Edges that
//! are known when they are added cost LazySP nothing, as they cost nothing here.
//!
//! *What it costs.* Nothing until `F + P` is spent, two paths or more, which is more than a good belief
//! needs to a first path. After that, every second configuration, less what LazySP and the belief would
//! both have checked. The search for `F` is made only where the rest does not cover a check. After it `F` falls by no more
//! than LazySP spends on edges that it finds free, because none makes a way cheaper by more than it has cost; and it is
//! no more than the way costs by which it was found, as long as that is open. Only where one of these would cover a check
//! and the other would not is it searched for anew.

use crate::checker::{Bill, Verdict};
use crate::ledger::{EdgeStatus, Ledger};
use crate::path::Path;
use crate::price::Prices;
use crate::roadmap::{EdgeId, Query, Roadmap, VertexId};
use crate::search::{OptimisticDistances, Search, Weights};
use crate::stop::Limit;

/// What LazySP would do next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    /// Check this edge, which nobody has checked.
    Check(EdgeId),
    /// Nothing: its path is free, and so the shortest.
    Arrived,
    /// Nothing: there is no path.
    Nowhere,
}

/// LazySP in the same world, as far as it can be followed, and what may be spent beside it.
#[derive(Debug)]
pub(crate) struct Insurance {
    roadmap: Roadmap,
    query: Query,
    /// LazySP's distances: only what it has checked is blocked in them.
    optimistic: OptimisticDistances,
    /// The path that LazySP is checking, or its last one if it has none left.
    path: Path,
    has_path: bool,
    /// How many of the path's edges LazySP has found free.
    done: usize,
    /// Whether the path has been announced as the one being checked.
    announced: bool,
    /// Whether LazySP has checked each edge.
    checked: Vec<bool>,
    /// What the check of each edge has cost in configurations, whoever made it.
    cost: Vec<u64>,
    /// Whether LazySP has paid for each vertex, where vertices are asked about once.
    paid: Vec<bool>,
    /// Twice what each edge would cost LazySP now as a part of a path, as far as that is known.
    halves: Vec<u32>,
    /// What things cost; none where only configurations do.
    prices: Option<Prices>,
    /// Of T and of v, the configurations.
    spent: u64,
    spent_by_lazysp: u64,
    /// What LazySP has spent on what ways may still lead through: an edge that is blocked makes none cheaper.
    made_cheaper: u64,
    /// How many of LazySP's thoughts others have had before it was followed.
    inherited: u64,
    /// Of P, the configurations: of the dearest path proposed, of those for which it mattered.
    one_path: u64,
    /// The greatest 2 v + F + P known so far.
    allowance: u128,
    /// How many checks there were when the allowance was last found too small.
    too_small_at: Option<usize>,
    /// The configurations of F when it was last searched for, how much cheaper LazySP had made ways by then, and how many
    /// thoughts the search took.
    left: u64,
    left_at: u64,
    search_for_left: u64,
    /// The path by which F was found, if there was one: as long as it is open, no more is left than it costs.
    cheapest: Path,
    has_cheapest: bool,
}

/// What is to be done for the belief, and all that the insurance must know to judge that.
pub(crate) struct Application<'s> {
    /// The path proposed last for the belief.
    pub(crate) path: &'s Path,
    /// What it is expected to take.
    pub(crate) configurations: u64,
    pub(crate) thoughts: u64,
    /// How many thoughts repairs of the belief's distances have taken so far.
    pub(crate) repairs: u64,
    pub(crate) ledger: &'s Ledger,
    pub(crate) search: &'s mut Search,
    /// What a check takes whoever may know its ends.
    pub(crate) bill: &'s dyn Fn(EdgeId, Option<Verdict>, [bool; 2]) -> Bill,
    pub(crate) limit: &'s Limit,
}

impl Insurance {
    /// LazySP at its beginning, whatever has been checked before. Its distances are those with no edge
    /// blocked, for which the planner has thought already if they are `inherited`.
    pub(crate) fn new(
        roadmap: &Roadmap,
        query: Query,
        ledger: &Ledger,
        optimistic: OptimisticDistances,
        inherited: bool,
        prices: Option<Prices>,
    ) -> Self {
        let mut path = Path::with_room_for(roadmap);
        let has_path = optimistic.path(query.start, &mut path);
        let mut insurance = Self {
            roadmap: roadmap.clone(),
            query,
            inherited: if inherited { optimistic.looked_at() } else { 0 },
            optimistic,
            path,
            has_path,
            done: 0,
            announced: false,
            checked: vec![false; roadmap.edge_count()],
            cost: vec![0; roadmap.edge_count()],
            paid: vec![false; roadmap.vertex_count()],
            halves: vec![UNKNOWN; roadmap.edge_count()],
            prices,
            spent: 0,
            spent_by_lazysp: 0,
            made_cheaper: 0,
            one_path: 0,
            allowance: 0,
            too_small_at: None,
            left: 0,
            left_at: 0,
            search_for_left: 0,
            cheapest: Path::with_room_for(roadmap),
            has_cheapest: false,
        };
        for entry in ledger.entries() {
            insurance.note(entry.verdict.configurations);
            insurance.note_verdict(entry.edge, entry.verdict);
        }
        insurance
    }

    /// LazySP from its beginning in a world where an edge is blocked that was taken for free. What was
    /// spent stays spent.
    pub(crate) fn anew(&self, ledger: &Ledger, nothing_blocked: OptimisticDistances) -> Self {
        let (roadmap, prices) = (&self.roadmap, self.prices);
        let anew = Self::new(roadmap, self.query, ledger, nothing_blocked, false, prices);
        Self {
            spent: self.spent,
            one_path: self.one_path,
            ..anew
        }
    }

    /// What things cost from now on.
    pub(crate) fn set_prices(&mut self, prices: Prices) {
        self.prices = Some(prices);
        self.allowance = 0;
        self.too_small_at = None;
    }

    fn cost(&self, configurations: u64, thoughts: u64) -> u128 {
        match self.prices {
            None => u128::from(configurations),
            Some(prices) => prices.cost(configurations, thoughts),
        }
    }

    /// How many thoughts following LazySP has taken.
    pub(crate) fn upkeep(&self) -> u64 {
        self.optimistic.looked_at() - self.inherited
    }

    /// No path on the roadmap is shorter, by what LazySP has found out.
    pub(crate) fn lower_bound(&self) -> f64 {
        self.optimistic.to_goal(self.query.start)
    }

    /// LazySP follows the roadmap where it has grown.
    pub(crate) fn grow(&mut self) {
        self.optimistic.grow();
        self.checked.resize(self.roadmap.edge_count(), false);
        self.cost.resize(self.roadmap.edge_count(), 0);
        self.paid.resize(self.roadmap.vertex_count(), false);
        self.halves.resize(self.roadmap.edge_count(), UNKNOWN);
        self.path.grow(&self.roadmap);
        self.cheapest.grow(&self.roadmap);
        // New edges may make a way cheaper.
        self.left = 0;
        let shortest = self.optimistic.to_goal(self.query.start);
        if !self.has_path || shortest < self.path.length() {
            self.has_path = self.optimistic.path(self.query.start, &mut self.path);
            self.done = 0;
            self.announced = false;
        }
    }

    /// Takes note of what was spent, whoever did.
    pub(crate) fn note(&mut self, configurations: u64) {
        self.spent += configurations;
    }

    /// Takes note of what the check of an edge has cost in all, whoever made it.
    pub(crate) fn note_verdict(&mut self, edge: EdgeId, verdict: Verdict) {
        self.cost[edge.index()] = verdict.configurations;
    }

    /// The path that LazySP is checking.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Others have been checking: the path is to be announced again.
    pub(crate) fn begin_turn(&mut self) {
        self.announced = false;
    }

    /// Whether the path has yet to be announced; it counts as announced from now on.
    pub(crate) fn announce(&mut self) -> bool {
        !std::mem::replace(&mut self.announced, true)
    }

    /// Follows LazySP through everything that has been checked.
    pub(crate) fn advance(
        &mut self,
        ledger: &Ledger,
        bill: impl Fn(EdgeId, Option<Verdict>, [bool; 2]) -> Bill,
    ) -> Next {
        while self.has_path {
            let Some(&edge) = self.path.edges().get(self.done) else {
                return Next::Arrived;
            };
            if !self.checked[edge.index()] {
                let status = ledger.status(edge);
                if status == EdgeStatus::Unchecked {
                    return Next::Check(edge);
                }
                self.checked[edge.index()] = true;
                self.halves[edge.index()] = 0;
                let verdict = Verdict {
                    free: status == EdgeStatus::Free,
                    configurations: self.cost[edge.index()],
                };
                let bill = bill(edge, Some(verdict), self.ends_paid(edge));
                let spent = self.pay(edge, bill);
                self.spent_by_lazysp += spent;
                self.made_cheaper += match verdict.free {
                    true => spent,
                    false => spent - bill.own,
                };
                // One that was known before the run makes a way cheaper and costs nothing.
                if spent == 0 {
                    self.left = 0;
                }
                if status == EdgeStatus::Blocked {
                    self.optimistic.block(edge);
                    self.has_path = self.optimistic.path(self.query.start, &mut self.path);
                    self.done = 0;
                    self.announced = false;
                    continue;
                }
            }
            self.done += 1;
        }
        Next::Nowhere
    }

    fn ends_paid(&self, edge: EdgeId) -> [bool; 2] {
        let ends = self.roadmap.edge(edge);
        [ends.from, ends.to].map(|end| self.paid[end.index()])
    }

    /// What the edges at a vertex cost has changed.
    fn forget_halves_at(&mut self, vertex: VertexId) {
        let slot = self.roadmap.slot(vertex);
        let runs = (self.roadmap.halves_out_of(slot)).chain(self.roadmap.halves_into(slot));
        for edge in runs.flatten().map(|half| half.edge.index()) {
            if !self.checked[edge] {
                self.halves[edge] = UNKNOWN;
            }
        }
    }

    /// LazySP pays for a check.
    fn pay(&mut self, edge: EdgeId, bill: Bill) -> u64 {
        let ends = self.roadmap.edge(edge);
        let mut pays = bill.own;
        for (end, is_asked) in [ends.from, ends.to].into_iter().zip(bill.ends) {
            // A loop has its vertex at both ends.
            if is_asked && !std::mem::replace(&mut self.paid[end.index()], true) {
                pays += 1;
                self.forget_halves_at(end);
            }
        }
        pays
    }

    /// Whether what is applied for is covered; nothing if a limit was met before that could be told.
    pub(crate) fn covers(&mut self, application: &mut Application<'_>) -> Option<bool> {
        let Application {
            configurations,
            thoughts,
            repairs,
            ..
        } = *application;
        let checks = application.ledger.entries().len();
        // What LazySP thinks on the way is covered by itself.
        let spent = |insurance: &Self, application: &Application<'_>| {
            let thoughts = application.search.looked_at() + repairs + insurance.upkeep();
            insurance.cost(insurance.spent, thoughts)
        };
        let price = self.cost(configurations, thoughts);
        if spent(self, application) + price <= self.allowance {
            return Some(true);
        }
        if self.too_small_at == Some(checks) {
            return Some(false);
        }
        self.advance(application.ledger, application.bill);
        for path in [application.path, &self.path] {
            let edges = path.edges().iter();
            let halves: u64 = edges
                .map(|&e| halves((application.bill)(e, None, [false; 2])))
                .sum();
            self.one_path = self.one_path.max(halves / 2);
        }
        let by_lazysp = self.cost(self.spent_by_lazysp, self.optimistic.looked_at());
        let without_left = 2 * by_lazysp + self.cost(self.one_path, 0);
        // What is left falls by no more than LazySP makes ways cheaper.
        let cheaper_since = self.made_cheaper - self.left_at;
        let left = self.left.saturating_sub(cheaper_since);
        self.allowance = (self.allowance).max(without_left + self.cost(left, 0));
        let so_far = spent(self, application);
        let can_search =
            self.prices.is_none() || so_far + self.cost(0, self.search_for_left) <= self.allowance;
        if so_far + price > self.allowance && can_search {
            let most = self.left_at_most(application);
            let covers = |most| so_far + price <= without_left + self.cost(most, 0);
            if !most.is_none_or(covers) {
                self.too_small_at = Some(checks);
                return Some(false);
            }
            let before = application.search.looked_at();
            let left = self.left_at_least(most, application);
            if application.search.was_interrupted_since(before) {
                return None;
            }
            (self.left, self.left_at) = (left, self.made_cheaper);
            self.search_for_left = application.search.looked_at() - before;
            self.allowance = self.allowance.max(without_left + self.cost(left, 0));
        }
        let is_covered = spent(self, application) + price <= self.allowance;
        self.too_small_at = (!is_covered).then_some(checks);
        Some(is_covered)
    }

    /// No less than F, if that is known without a search.
    fn left_at_most(&mut self, application: &Application<'_>) -> Option<u64> {
        let blocked = |e: &EdgeId| application.ledger.status(*e) == EdgeStatus::Blocked;
        let is_open = self.has_cheapest && !self.cheapest.edges().iter().any(blocked);
        is_open.then(|| self.left_along_cheapest(application))
    }

    fn left<'s>(&'s mut self, application: &Application<'s>) -> Left<'s> {
        Left {
            roadmap: &self.roadmap,
            query: self.query,
            ledger: application.ledger,
            paid: &self.paid,
            halves: &mut self.halves,
            bill: application.bill,
        }
    }

    fn left_along_cheapest(&mut self, application: &Application<'_>) -> u64 {
        let cheapest = std::mem::take(&mut self.cheapest);
        let mut left = self.left(application);
        let edges = cheapest.edges().iter();
        let halves: u64 = edges.map(|&e| u64::from(left.halves(e))).sum();
        self.cheapest = cheapest;
        halves / 2
    }

    /// F: what LazySP has left to spend at least, if there is a path; it is no more than `most`.
    fn left_at_least(&mut self, most: Option<u64>, application: &mut Application<'_>) -> u64 {
        let mut cheapest = std::mem::take(&mut self.cheapest);
        let mut left = self.left(application);
        // A path of an odd number of halves costs no more than one of one half more.
        let most = most.map_or(f64::INFINITY, |most| (2 * most + 1) as f64);
        let (limit, search) = (application.limit, &mut *application.search);
        let (roadmap, query) = (left.roadmap, left.query);
        let found = search.shortest_path(roadmap, query, most, limit, &mut left, &mut cheapest);
        (self.cheapest, self.has_cheapest) = (cheapest, found);
        match found {
            true => self.left_along_cheapest(application),
            false => 0,
        }
    }
}

/// What LazySP has left to spend on edges.
struct Left<'s> {
    roadmap: &'s Roadmap,
    query: Query,
    ledger: &'s Ledger,
    paid: &'s [bool],
    halves: &'s mut [u32],
    bill: &'s dyn Fn(EdgeId, Option<Verdict>, [bool; 2]) -> Bill,
}

impl Left<'_> {
    #[inline]
    fn halves(&mut self, edge: EdgeId) -> u32 {
        match self.halves[edge.index()] {
            UNKNOWN => self.find_halves(edge),
            halves => halves,
        }
    }

    fn find_halves(&mut self, edge: EdgeId) -> u32 {
        let ends = self.roadmap.edge(edge);
        let paid = [ends.from, ends.to].map(|end| self.paid[end.index()]);
        let halves = halves((self.bill)(edge, None, paid));
        // Beyond what fits less is counted, which covers less.
        let halves = u32::try_from(halves).unwrap_or(UNKNOWN).min(UNKNOWN - 1);
        self.halves[edge.index()] = halves;
        halves
    }
}

impl Weights for Left<'_> {
    #[inline]
    fn cost(&mut self, edge: EdgeId, _: f64) -> f64 {
        f64::from(self.halves(edge))
    }
    #[inline]
    fn is_open(&mut self, edge: EdgeId) -> bool {
        self.ledger.status(edge) != EdgeStatus::Blocked
    }
}

/// What an edge costs that nobody has asked about yet, or not since that has changed.
const UNKNOWN: u32 = u32::MAX;

/// Twice what an edge costs as a part of a path: a vertex between two of its edges is asked about once, half for each.
fn halves(bill: Bill) -> u64 {
    let ends = bill.ends.into_iter().filter(|is_asked| *is_asked);
    2 * bill.own + ends.count() as u64
}
