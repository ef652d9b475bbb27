//! Insurance: a promise that holds whatever the belief.
//!
//! A good belief finds the shortest path with a fraction of the checks that an optimist needs; a
//! wrong one may check half the roadmap first. The insurance bounds the damage by following
//! **LazySP**, the optimist without a belief: it knows at every moment where LazySP, checking
//! forward in the same world, would be after the checks made so far, and what that would have cost.
//! It follows free of charge through edges that have been checked already; where LazySP would check
//! one that nobody has, it waits. The belief plans as it likes while its spending is covered. When
//! it is not, LazySP's next edge is checked instead, until it is covered again.
//!
//! ```text
//! L    what LazySP spends in this world until it is done
//! v    what LazySP has spent where it is now; v <= L
//! F    the least that a path over edges not known to be blocked costs, counting only edges that
//!      LazySP has not checked
//! P    what the dearest path costs that the belief or LazySP has proposed so far; it can be several
//!      times as long as the shortest (3.4 times was seen)
//! T    what has been spent, by both
//! ```
//!
//! An edge is looked at for the belief only if what it takes to see it to its end, `p`, is covered:
//!
//! ```text
//! T + p <= 2 v + F + P
//! ```
//!
//! with `v`, `F` and `P` as they are or as they were at any moment before. `T` counts looks that have not
//! come to an end; `v`, `F` and `P` count whole edges, because LazySP checks whole edges. Where LazySP comes
//! to an edge that has been looked at, it sees it to its end and pays only for what is left.
//!
//! **Theorem.** *Whatever the belief, the proposer and the validator, a run ends with
//! `ShortestOnRoadmap` or `NoPathOnRoadmap`. If the roadmap has a path, it has then cost at most
//! `2 L + P`: twice LazySP's checks, plus one path that was proposed. If it has none, at most
//! `2 L + F + P`.*
//!
//! *Proof.* Take the last look made for the belief, and let `s` be the moment by whose values it was
//! covered; with that look at most `2 v(s) + F(s) + P(s)` has been spent. LazySP ends with a path that
//! it has checked from end to end, if there is any. All edges of that path are free, so at `s` none was
//! known to be blocked, and those that LazySP had not checked by then it had still to pay for: at least
//! `F(s)`. So `v(s) + F(s) <= L`. All checks after the last look for the belief are LazySP's own, made in
//! its order, each but once, and none that it had made at `s`: they cost at most `L - v(s)`. In sum
//!
//! ```text
//! T <= 2 v(s) + F(s) + P + L - v(s) = v(s) + F(s) + L + P <= 2 L + P.
//! ```
//!
//! If there is no path, only `v(s) <= L` is known, and `F(s)` is left over. If nothing is ever looked at
//! for the belief, all checks are LazySP's, at most `L`.
//!
//! The run ends: a proposed path has an edge to check or is shorter than the best one, of which there
//! are finitely many; draws without improvement are limited by the fallback or followed by one check of LazySP's;
//! an edge is looked at until it is seen to its end, and never after. It ends with a certificate,
//! because where the proposer has nothing more to say LazySP goes on, and it stops only where the best
//! path is as short as the lower bound, or no path is left. ∎
//!
//! *What is assumed.* A check costs the same whoever makes it and whenever, and
//! [`cost_if_free`](crate::checker::Checker::cost_if_free) is what a free edge costs and the most that
//! a blocked one does. Where it says less than that, a check may cost more than was covered, and the
//! bound grows by the excess of one check, because what has been spent is counted as it is. Where it says
//! more, `F` and `P` are overstated by as much. Checks that failed count nowhere.
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
//! is no path, and the run has cost at most `2 L + F + P`, with `F <= P` as it was at that moment. Edges that
//! are known when they are added cost LazySP nothing, as they cost nothing here.
//!
//! *What it costs.* Nothing until `F + P` is spent, two paths or more, which is more than a good belief
//! needs to a first path. After that, every second configuration, less what LazySP and the belief would
//! both have checked. The search for `F` is made only where the rest does not cover a check.

use crate::checker::Verdict;
use crate::ledger::{EdgeStatus, Ledger};
use crate::path::Path;
use crate::roadmap::{EdgeId, Query, Roadmap};
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
    /// What the check of each edge has cost, whoever made it.
    cost: Vec<u64>,
    /// T: what all checks have cost.
    spent: u64,
    /// v: what LazySP has spent.
    spent_by_lazysp: u64,
    /// P: the price of the dearest path proposed, of those for which it mattered.
    one_path: u64,
    /// The greatest 2 v + F + P known so far.
    allowance: u64,
    /// How many checks there were when the allowance was last found too small.
    too_small_at: Option<usize>,
    cheapest: Path,
}

/// A path proposed for the belief, and all that the insurance must know to judge its next check.
pub(crate) struct Application<'s> {
    pub(crate) path: &'s Path,
    pub(crate) price: u64,
    pub(crate) ledger: &'s Ledger,
    pub(crate) search: &'s mut Search,
    pub(crate) cost_if_free: &'s dyn Fn(EdgeId) -> u64,
    pub(crate) limit: &'s Limit,
}

impl Insurance {
    /// LazySP at its beginning, whatever has been checked before. Its distances are those with no edge
    /// blocked.
    pub(crate) fn new(
        roadmap: &Roadmap,
        query: Query,
        ledger: &Ledger,
        optimistic: OptimisticDistances,
    ) -> Self {
        let mut path = Path::with_room_for(roadmap);
        let has_path = optimistic.path(query.start, &mut path);
        let mut insurance = Self {
            roadmap: roadmap.clone(),
            query,
            optimistic,
            path,
            has_path,
            done: 0,
            announced: false,
            checked: vec![false; roadmap.edge_count()],
            cost: vec![0; roadmap.edge_count()],
            spent: 0,
            spent_by_lazysp: 0,
            one_path: 0,
            allowance: 0,
            too_small_at: None,
            cheapest: Path::with_room_for(roadmap),
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
        let anew = Self::new(&self.roadmap, self.query, ledger, nothing_blocked);
        Self {
            spent: self.spent,
            one_path: self.one_path,
            ..anew
        }
    }

    /// LazySP follows the roadmap where it has grown.
    pub(crate) fn grow(&mut self) {
        self.optimistic.grow();
        self.checked.resize(self.roadmap.edge_count(), false);
        self.cost.resize(self.roadmap.edge_count(), 0);
        self.path.grow(&self.roadmap);
        self.cheapest.grow(&self.roadmap);
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
    pub(crate) fn advance(&mut self, ledger: &Ledger) -> Next {
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
                self.spent_by_lazysp += self.cost[edge.index()];
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

    /// Whether the next check for the belief is covered; nothing if a limit was met before that could
    /// be told.
    pub(crate) fn covers(&mut self, application: &mut Application<'_>) -> Option<bool> {
        let spent_then = self.spent + application.price;
        if spent_then <= self.allowance {
            return Some(true);
        }
        let checks = application.ledger.entries().len();
        if self.too_small_at == Some(checks) {
            return Some(false);
        }
        self.advance(application.ledger);
        for path in [application.path, &self.path] {
            let edges = path.edges().iter();
            let price = edges.map(|&e| (application.cost_if_free)(e)).sum();
            self.one_path = self.one_path.max(price);
        }
        let without_search = 2 * self.spent_by_lazysp + self.one_path;
        self.allowance = self.allowance.max(without_search);
        if spent_then > self.allowance {
            let with_search = without_search + self.left_at_least(application);
            if application.search.was_interrupted() {
                return None;
            }
            self.allowance = self.allowance.max(with_search);
        }
        let is_covered = spent_then <= self.allowance;
        self.too_small_at = (!is_covered).then_some(checks);
        Some(is_covered)
    }

    /// F: what LazySP has left to spend at least, if there is a path.
    fn left_at_least(&mut self, application: &mut Application<'_>) -> u64 {
        struct Left<'s> {
            ledger: &'s Ledger,
            checked: &'s [bool],
            cost_if_free: &'s dyn Fn(EdgeId) -> u64,
        }
        impl Left<'_> {
            fn price(&self, edge: EdgeId) -> u64 {
                if self.checked[edge.index()] {
                    0
                } else {
                    (self.cost_if_free)(edge)
                }
            }
        }
        impl Weights for Left<'_> {
            #[inline]
            fn cost(&mut self, edge: EdgeId, _: f64) -> f64 {
                self.price(edge) as f64
            }
            #[inline]
            fn is_open(&mut self, edge: EdgeId) -> bool {
                self.ledger.status(edge) != EdgeStatus::Blocked
            }
        }
        let mut left = Left {
            ledger: application.ledger,
            checked: &self.checked,
            cost_if_free: application.cost_if_free,
        };
        let found = application.search.shortest_path(
            &self.roadmap,
            self.query,
            f64::INFINITY,
            application.limit,
            &mut left,
            &mut self.cheapest,
        );
        if found {
            let edges = self.cheapest.edges().iter();
            edges.map(|&e| left.price(e)).sum()
        } else {
            0
        }
    }
}
