//! Whose turn it is where a planner is insured against a wrong belief: the belief's, as far as that is covered, or LazySP's.
//!
//! `insurance.rs` keeps the account and has the theorem; here is what the planner does about it.

use super::{Planner, State};
use crate::belief::Belief;
use crate::checker::Checker;
use crate::event::{Event, EventKind, Source};
use crate::insurance::{Application, Next};
use crate::ledger::EdgeStatus;
use crate::proposer::Proposer;
use crate::roadmap::EdgeId;
use crate::stop::Limit;
use crate::validator::Validator;

impl<P, B, V, C> Planner<P, B, V, C>
where
    P: Proposer<B>,
    B: Belief,
    V: Validator,
    C: Checker,
{
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

    /// Whether thinking has to be applied for.
    pub(super) fn is_thinking_insured(&self) -> bool {
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
    pub(super) fn may_think(&mut self, limit: &Limit) -> Option<bool> {
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

    /// Whether so many configurations and thoughts may be spent for the belief; nothing if the limit was met
    /// before that could be told.
    pub(super) fn covers(
        &mut self,
        configurations: u64,
        thoughts: u64,
        limit: &Limit,
    ) -> Option<bool> {
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
            bill: &|edge, verdict, knows| self.checker.bill(edge, verdict, knows),
            limit,
        })
    }

    /// It is LazySP's turn, and the proposed path waits for its next check to be covered, if that has this price.
    pub(super) fn leave_to_lazysp(&mut self, awaiting: Option<u64>) {
        self.broken_off = None;
        self.awaiting = awaiting;
        self.state = State::Insuring;
        if let Some(insurance) = &mut self.insurance {
            insurance.begin_turn();
        }
    }

    /// LazySP's next step, at most one check.
    pub(super) fn step_insuring(&mut self, limit: &Limit) -> Result<Option<Event>, C::Error> {
        let Some(insurance) = &mut self.insurance else {
            unreachable!("only the insured come here");
        };
        let edge = match insurance.advance(&self.ledger, |e, v, k| self.checker.bill(e, v, k)) {
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
    pub(super) fn step_insured(&mut self, limit: &Limit) -> Result<Option<Event>, C::Error> {
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
}
