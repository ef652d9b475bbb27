//! What a planner knows beforehand, and what it keeps where its roadmap grows under it.
//!
//! An edge that is known without a check costs nothing and is never asked about. New vertices and edges may come with such
//! knowledge, proofs included, so that a better path can come of growth alone.

use super::{Planner, State};
use crate::belief::{Belief, Evidence};
use crate::checker::{Checker, EdgeMemory, Verdict};
use crate::ledger::{EdgeStatus, Ledger};
use crate::path::Path;
use crate::proposer::Proposer;
use crate::roadmap::{EdgeId, Growth, RoadmapError, Slot};
use crate::search::{OptimisticDistances, Weights};
use crate::stop::Limit;
use crate::validator::Validator;

impl<P, B, V, C> Planner<P, B, V, C>
where
    P: Proposer<B>,
    B: Belief,
    V: Validator,
    C: Checker,
{
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
    /// on it: take a [branch](crate::Roadmap::branch) for a planner that is to grow. The best path is from now on the
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
            insurance.advance(&self.ledger, |e, v, k| self.checker.bill(e, v, k));
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
}
