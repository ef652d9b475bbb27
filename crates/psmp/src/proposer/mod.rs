//! Proposers: which path to check next.
//!
//! A proposer looks at the roadmap, the ledger and the belief through a [`View`] and writes one
//! path into it; it checks nothing. The four of the literature are shortest paths under weights of
//! their own; ours chooses among candidates from all of them:
//!
//! | proposer | its path is the shortest under, or has |
//! |---|---|
//! | [`Psmp`] | lengths in one world drawn from the belief |
//! | [`LazySp`] | lengths, every unchecked edge taken as free |
//! | [`MaxProb`] | `-log P(free)` |
//! | [`Pomp`] | `alpha * length - (1 - alpha) * log P(free)`, alpha rising from 0 to 1 |
//! | [`ExpectedImprovement`] | the greatest expected improvement per configuration checked |

mod improvement;
mod lazysp;
mod maxprob;
mod pomp;
#[allow(
    clippy::module_inception,
    reason = "the method has the name of the crate"
)]
mod psmp;
mod telling;

pub(crate) use improvement::{Appraisal, value_of_best};
pub use improvement::{ExpectedImprovement, Part};
pub use lazysp::LazySp;
pub use maxprob::MaxProb;
pub use pomp::Pomp;
pub use psmp::Psmp;
pub use telling::{Telling, ToldBy};

use crate::belief::{Belief, PartlyChecked};
use crate::ledger::{EdgeStatus, Ledger};
use crate::path::Path;
use crate::price::Prices;
use crate::random::Draw;
use crate::roadmap::{EdgeId, Query, Roadmap, Slot};
use crate::search::{OptimisticDistances, Search, Weights};
use crate::stop::Limit;

/// How much a path as long as the optimist's loses against a likelier one: so little that length
/// decides only between paths that are equally likely. The published methods leave ties open, and
/// beliefs that know little or very much have many.
const TIE_BREAK: f64 = 1e-9;

/// What came of asking for a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Proposal {
    /// A path was written into the view.
    Path,
    /// This time there was none; asking again may bring one.
    NoImprovement,
    /// The belief cannot bring a path any more, however often it is asked.
    Exhausted,
    /// The proposer has done all it means to do.
    Done,
}

/// Computes a path without checking anything.
pub trait Proposer<B> {
    /// Writes the next path to be checked into the view.
    ///
    /// A run may be stopped in the midst of it: then searches find nothing, what is returned is thrown
    /// away, and the same proposal is asked for when the run is driven on. A proposer with a memory
    /// sees to it that this one has left none: [`View::is_interrupted`] tells.
    fn propose(&mut self, view: &mut View<'_, B>) -> Proposal;

    /// The path proposed last turned out to be free.
    fn path_was_free(&mut self) {}

    /// What checks of the path proposed last tell of others, if it has thought about that.
    fn telling(&self) -> Option<&Telling> {
        None
    }

    /// The next best that it had to propose when it was asked last, beginning with 0; none beyond what it knows.
    fn runner_up(&self, _place: usize) -> Option<&Path> {
        None
    }
}

impl<B, P: Proposer<B> + ?Sized> Proposer<B> for Box<P> {
    fn propose(&mut self, view: &mut View<'_, B>) -> Proposal {
        (**self).propose(view)
    }
    fn path_was_free(&mut self) {
        (**self).path_was_free();
    }
    fn telling(&self) -> Option<&Telling> {
        (**self).telling()
    }
    fn runner_up(&self, place: usize) -> Option<&Path> {
        (**self).runner_up(place)
    }
}

/// What an edge weighs in a search that trades length against probability.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tradeoff {
    /// The weight of the length of an unchecked edge.
    pub length: f64,
    /// The weight of the length of an edge known to be free.
    pub length_if_free: f64,
    /// The weight of -log P(free) of an unchecked edge.
    pub log_probability: f64,
}

impl Tradeoff {
    /// Length weighs the same on every edge.
    #[must_use]
    pub fn new(length: f64, log_probability: f64) -> Self {
        Self {
            length,
            length_if_free: length,
            log_probability,
        }
    }

    /// What a length weighs at least.
    fn least(&self) -> f64 {
        self.length.min(self.length_if_free)
    }
}

/// What is known and believed of each edge, found out once for all searches of a proposal, in one number: an edge
/// weighs in a search what that and its length come to.
#[derive(Debug)]
pub(crate) struct Surprises {
    /// -log P(free) of each unchecked edge, infinite where it is blocked, negative where it is free; the probability whose
    /// logarithm that is, 0 if it is none; and the proposal for which it was found out. Most probabilities are what
    /// they were the last time, and a logarithm is dearer than a comparison. Not a type of its own, because memory of
    /// these that is 0 costs nothing until it is touched.
    edges: Vec<(f64, f64, u32)>,
    proposal: u32,
}

/// The surprise that a free edge is free.
const FREE: f64 = -1.0;
const UNKNOWN: (f64, f64, u32) = (0.0, 0.0, 0);

impl Surprises {
    pub(crate) fn new(roadmap: &Roadmap) -> Self {
        let edges = roadmap.edge_count();
        Self {
            edges: vec![UNKNOWN; edges],
            proposal: 0,
        }
    }

    /// Follows the roadmap where it has grown.
    pub(crate) fn grow(&mut self, roadmap: &Roadmap) {
        let edges = roadmap.edge_count();
        self.edges.resize(edges, UNKNOWN);
    }

    /// Another proposal: what was known is so no longer.
    pub(crate) fn forget(&mut self) {
        // After 2^32 proposals the stamps come round again: forget all of them once.
        self.proposal = self.proposal.checked_add(1).unwrap_or_else(|| {
            self.edges.fill(UNKNOWN);
            1
        });
    }

    #[inline]
    fn of<B: Belief>(&mut self, edge: EdgeId, ledger: &Ledger, belief: &mut B) -> f64 {
        let (surprise, of, proposal) = &mut self.edges[edge.index()];
        if *proposal == self.proposal {
            return *surprise;
        }
        *proposal = self.proposal;
        match ledger.status(edge) {
            EdgeStatus::Free => (*surprise, *of) = (FREE, 0.0),
            EdgeStatus::Blocked => (*surprise, *of) = (f64::INFINITY, 0.0),
            EdgeStatus::Unchecked => {
                let probability = belief.probability_free(edge);
                if *of != probability || probability == 0.0 {
                    (*surprise, *of) = (-probability.ln(), probability);
                }
            }
        }
        *surprise
    }
}

/// All that a proposer may look at, and the path it writes.
pub struct View<'v, B> {
    pub(crate) roadmap: &'v Roadmap,
    pub(crate) query: Query,
    pub(crate) ledger: &'v Ledger,
    pub(crate) optimistic: &'v OptimisticDistances,
    pub(crate) belief: &'v mut PartlyChecked<B>,
    pub(crate) search: &'v mut Search,
    pub(crate) surprises: &'v mut Surprises,
    pub(crate) path: &'v mut Path,
    pub(crate) best_length: f64,
    pub(crate) draw: Draw,
    pub(crate) remaining_cost: &'v dyn Fn(EdgeId) -> u64,
    pub(crate) prices: Option<Prices>,
    pub(crate) limit: &'v Limit,
}

impl<B: Belief> View<'_, B> {
    /// The roadmap.
    #[must_use]
    pub fn roadmap(&self) -> &Roadmap {
        self.roadmap
    }

    /// Start and goal.
    #[must_use]
    pub fn query(&self) -> Query {
        self.query
    }

    /// What has been found out so far.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        self.ledger
    }

    /// The belief.
    pub fn belief(&mut self) -> &mut PartlyChecked<B> {
        self.belief
    }

    /// The length of the best path so far; infinite before the first.
    #[must_use]
    pub fn best_length(&self) -> f64 {
        self.best_length
    }

    /// No path can be shorter than this.
    #[must_use]
    pub fn lower_bound(&self) -> f64 {
        self.optimistic.to_goal(self.query.start)
    }

    /// Whether the run is to stop before this proposal is made. Who thinks long without searching asks
    /// now and then.
    pub fn is_interrupted(&mut self) -> bool {
        self.search.is_interrupted(self.limit)
    }

    /// The random numbers for this proposal.
    #[must_use]
    pub fn randomness(&self) -> Draw {
        self.draw
    }

    /// Writes the shortest path over all edges not known to be blocked. False if there is none.
    pub fn optimistic_path(&mut self) -> bool {
        self.optimistic.path(self.query.start, self.path)
    }

    /// Writes the shortest path of the world that the belief has drawn last, if it is shorter than
    /// the best so far.
    pub fn shortest_path_in_draw(&mut self) -> bool {
        struct Drawn<'a, B> {
            ledger: &'a Ledger,
            belief: &'a mut B,
            optimistic: &'a OptimisticDistances,
        }
        impl<B: Belief> Weights for Drawn<'_, B> {
            #[inline]
            fn cost(&mut self, _: EdgeId, length: f64) -> f64 {
                length
            }
            #[inline]
            fn cost_at_least(&self, length: f64) -> f64 {
                length
            }
            #[inline]
            fn is_open(&mut self, edge: EdgeId) -> bool {
                match self.ledger.status(edge) {
                    EdgeStatus::Unchecked => self.belief.is_free_in_draw(edge),
                    EdgeStatus::Free => true,
                    EdgeStatus::Blocked => false,
                }
            }
            // The known worlds only have fewer edges than the optimistic graph, so its distances
            // are a consistent heuristic for all of them, and exact where nothing is missing.
            #[inline]
            fn to_goal(&self, slot: Slot) -> f64 {
                self.optimistic.slot_to_goal(slot)
            }
        }
        let found = self.search.shortest_path(
            self.roadmap,
            self.query,
            self.best_length,
            self.limit,
            &mut Drawn {
                ledger: self.ledger,
                belief: self.belief,
                optimistic: self.optimistic,
            },
            self.path,
        );
        found && self.path.length() < self.best_length
    }

    /// What it costs to see an unchecked edge to its end, if it is free: what was seen of it is paid.
    #[must_use]
    pub fn remaining_cost(&self, edge: EdgeId) -> u64 {
        (self.remaining_cost)(edge)
    }

    /// What checks and thoughts cost; none where only checks count.
    #[must_use]
    pub fn prices(&self) -> Option<Prices> {
        self.prices
    }

    /// How many edges all searches of this run have looked at so far: what thinking has cost, the
    /// same on every machine.
    #[must_use]
    pub fn effort(&self) -> u64 {
        self.search.looked_at()
    }

    /// The path written last.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.path
    }

    /// Writes a copy of a path.
    pub fn set_path(&mut self, path: &Path) {
        self.path.copy_from(path);
    }

    /// Writes the path whose edges cost the least together, by what `cost` says of an edge, its length
    /// and the belief: not negative, and infinite to rule the edge out. Edges known to be blocked are
    /// ruled out already. False if there is none.
    pub fn cheapest_path(
        &mut self,
        cost: impl FnMut(EdgeId, f64, &mut PartlyChecked<B>) -> f64,
    ) -> bool {
        struct Own<'a, B, F> {
            ledger: &'a Ledger,
            belief: &'a mut PartlyChecked<B>,
            cost: F,
        }
        impl<B, F: FnMut(EdgeId, f64, &mut PartlyChecked<B>) -> f64> Weights for Own<'_, B, F> {
            #[inline]
            fn cost(&mut self, edge: EdgeId, length: f64) -> f64 {
                (self.cost)(edge, length, self.belief)
            }
            #[inline]
            fn is_open(&mut self, edge: EdgeId) -> bool {
                self.ledger.status(edge) != EdgeStatus::Blocked
            }
        }
        self.search.shortest_path(
            self.roadmap,
            self.query,
            f64::INFINITY,
            self.limit,
            &mut Own {
                ledger: self.ledger,
                belief: self.belief,
                cost,
            },
            self.path,
        )
    }

    /// Writes the path of the least sum of weights. False if there is none.
    pub fn tradeoff_path(&mut self, tradeoff: Tradeoff) -> bool {
        self.tradeoff_path_within(tradeoff, f64::INFINITY, 0.0)
    }

    /// Writes a path shorter than the best so far of a small sum of weights: the least, but that
    /// ways which are too long to come to anything are cut off as they are found. False if there is
    /// none.
    ///
    /// A search that leans to the goal takes for granted that a way as long as the optimist's has a probability of at most
    /// `exp(-lean)`, and what is left of any way in proportion. It looks at fewer edges for that, and what it finds may be
    /// that much less likely than the best.
    pub fn shorter_tradeoff_path(&mut self, tradeoff: Tradeoff, lean: f64) -> bool {
        self.tradeoff_path_within(tradeoff, self.best_length, lean)
            && self.path.length() < self.best_length
    }

    fn tradeoff_path_within(&mut self, tradeoff: Tradeoff, longest: f64, lean: f64) -> bool {
        struct Weighted<'a, B> {
            ledger: &'a Ledger,
            belief: &'a mut B,
            surprises: &'a mut Surprises,
            optimistic: &'a OptimisticDistances,
            tradeoff: Tradeoff,
            longest: f64,
            least_and_lean: f64,
        }
        impl<B: Belief> Weights for Weighted<'_, B> {
            #[inline]
            fn cost(&mut self, edge: EdgeId, length: f64) -> f64 {
                let Tradeoff {
                    length: unchecked,
                    length_if_free,
                    log_probability,
                } = self.tradeoff;
                let surprise = self.surprises.of(edge, self.ledger, self.belief);
                if surprise < 0.0 {
                    length_if_free * length
                } else {
                    unchecked * length + log_probability * surprise
                }
            }
            #[inline]
            fn cost_at_least(&self, length: f64) -> f64 {
                self.tradeoff.least() * length
            }
            #[inline]
            fn is_open(&mut self, _: EdgeId) -> bool {
                true
            }
            #[inline]
            fn to_goal(&self, slot: Slot) -> f64 {
                self.least_and_lean * self.optimistic.slot_to_goal(slot)
            }
            #[inline]
            fn is_too_long(&self, length: f64, slot: Slot) -> bool {
                length + self.optimistic.slot_to_goal(slot) >= self.longest
            }
        }
        let shortest = self.lower_bound().max(f64::MIN_POSITIVE);
        let least_and_lean = tradeoff.least() + lean * tradeoff.log_probability / shortest;
        self.search.shortest_path(
            self.roadmap,
            self.query,
            f64::INFINITY,
            self.limit,
            &mut Weighted {
                ledger: self.ledger,
                belief: self.belief,
                surprises: self.surprises,
                optimistic: self.optimistic,
                tradeoff,
                longest,
                least_and_lean,
            },
            self.path,
        )
    }

    /// Writes the path most likely to be free; of equally likely ones a shortest. False if every
    /// path has an edge that is known or believed to be blocked.
    pub fn most_likely_path(&mut self) -> bool {
        let optimistic = self.optimistic.to_goal(self.query.start);
        let tie = TIE_BREAK / optimistic.max(f64::MIN_POSITIVE);
        self.tradeoff_path(Tradeoff::new(tie, 1.0))
    }
}
