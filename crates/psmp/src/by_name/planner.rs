//! A planner on a roadmap by the names of its parts, and what it is made from.
//!
//! A name becomes a planner whose proposer and belief are compiled together, with only the validator
//! and the checker behind a pointer, because those are called once a check and not once an edge of a
//! search. There are many such planners, so they are compiled here and once, however checks can fail:
//! what a failure is they do not know, and it is kept beside them.

use super::{BeliefName, ModelCache, ProposerName, SpecError, ValidatorName};
use crate::anytime::{Anytime, RoadmapPlanner};
use crate::belief::Belief;
use crate::checker::{Bill, Checker, EdgeMemory, Finding, Foreseen, Part, Sightings, Verdict};
use crate::event::{Event, Progress};
use crate::ledger::Ledger;
use crate::path::Path;
use crate::planner::{Fallback, Planner};
use crate::price::Prices;
use crate::proposer::Proposer;
use crate::roadmap::{EdgeId, Growth, Query, Roadmap, RoadmapError, VertexId};
use crate::stop::Limit;
use crate::table::Experience;
use std::fmt;
use std::str::FromStr;
use std::sync::{Arc, Mutex, PoisonError};

const INSURED: &str = "insured";
const UNINSURED: &str = "uninsured";

/// A planner on a roadmap by name.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlannerSpec {
    /// How paths are proposed.
    pub proposer: ProposerName,
    /// What is believed.
    pub belief: BeliefName,
    /// Which edge of a path is checked next.
    pub validator: ValidatorName,
    /// Whether a wrong belief is insured against.
    pub insured: bool,
}

impl PlannerSpec {
    /// This proposer with a belief, all else as is usual for it.
    #[must_use]
    pub fn new(proposer: ProposerName, belief: BeliefName) -> Self {
        Self {
            proposer,
            belief,
            validator: proposer.usual_validator(belief),
            insured: proposer.is_ours(),
        }
    }

    /// Whether the planner learns from known worlds, where there are any.
    #[must_use]
    pub fn needs_experience(&self) -> bool {
        self.belief.needs_experience()
    }

    /// Makes the planner.
    ///
    /// # Errors
    /// If its belief needs something that the setting does not have.
    pub fn build<'a, E: Send + 'a>(
        &self,
        setting: &Setting,
        checker: Box<dyn Checker<Error = E> + Send + 'a>,
    ) -> Result<AnyPlanner<'a, E>, SpecError> {
        let failure = Arc::new(Mutex::new(None));
        let assembly = Assembly {
            spec: self,
            setting,
            checker: Box::new(KeepingFailure {
                checker,
                failure: failure.clone(),
            }),
        };
        let planner = self.belief.plan_with(assembly)?;
        Ok(Box::new(TellingFailure { planner, failure }))
    }
}

impl Default for PlannerSpec {
    /// `ei:ensemble`
    fn default() -> Self {
        Self::new(ProposerName::ExpectedImprovement, BeliefName::Ensemble)
    }
}

impl FromStr for PlannerSpec {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        let (rest, insured) = match text.rsplit_once(':') {
            Some((rest, INSURED)) => (rest, Some(true)),
            Some((rest, UNINSURED)) => (rest, Some(false)),
            _ => (text, None),
        };
        let mut parts = rest.split(':');
        let proposer_name = parts.next().unwrap_or_default();
        let proposer = proposer_name.parse()?;
        let belief = match parts.next() {
            Some(name) => name.parse()?,
            // The optimist asks the belief nothing.
            None if proposer == ProposerName::LazySp => BeliefName::Constant(1.0),
            None => return Err(SpecError::NoBelief(proposer_name.to_owned())),
        };
        let mut spec = Self::new(proposer, belief);
        if let Some(name) = parts.next() {
            spec.validator = name.parse()?;
        }
        if parts.next().is_some() {
            return Err(SpecError::TooManyParts(text.to_owned()));
        }
        spec.insured = insured.unwrap_or(spec.insured);
        Ok(spec)
    }
}

impl fmt::Display for PlannerSpec {
    /// The shortest name that gives this planner.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.proposer.fmt(f)?;
        let bare =
            self.proposer == ProposerName::LazySp && self.belief == BeliefName::Constant(1.0);
        let usual = self.proposer.usual_validator(self.belief);
        if !bare || self.validator != usual {
            write!(f, ":{}", self.belief)?;
        }
        if self.validator != usual {
            write!(f, ":{}", self.validator)?;
        }
        if self.insured != self.proposer.is_ours() {
            let word = if self.insured { INSURED } else { UNINSURED };
            write!(f, ":{word}")?;
        }
        Ok(())
    }
}

/// What a planner is made for, but for the checker.
#[derive(Debug, Clone)]
pub struct Setting {
    /// The roadmap.
    pub roadmap: Roadmap,
    /// Start and goal.
    pub query: Query,
    /// Vertices that will do as well as that goal.
    pub other_goals: Vec<VertexId>,
    /// The known worlds, if there are any.
    pub experience: Option<Experience>,
    /// Where models of them are kept.
    pub models: ModelCache,
    /// What is known of edges beforehand.
    pub known: EdgeMemory,
    /// How fast the influence of a checked configuration falls with distance, in the nearest-neighbour
    /// belief, for each longest side of the space.
    pub eta: f64,
    /// What to do where the proposer has nothing shorter.
    pub fallback: Fallback,
    /// The seed of the run.
    pub seed: u64,
}

impl Setting {
    /// Without experience, and with the constants of the paper.
    #[must_use]
    pub fn new(roadmap: &Roadmap, query: Query) -> Self {
        Self {
            roadmap: roadmap.clone(),
            query,
            other_goals: Vec::new(),
            experience: None,
            models: ModelCache::default(),
            known: EdgeMemory::default(),
            eta: 1000.0,
            fallback: Fallback::default(),
            seed: 0,
        }
    }
}

/// A planner on a roadmap made of anything, which may go from thread to thread.
pub type AnyPlanner<'a, E> = Box<dyn RoadmapPlanner<Error = E> + Send + 'a>;

/// A check has failed, in a way that is kept elsewhere.
pub(super) struct Failed;

/// A checker whose failure is kept.
struct KeepingFailure<'a, E> {
    checker: Box<dyn Checker<Error = E> + Send + 'a>,
    failure: Arc<Mutex<Option<E>>>,
}

impl<E> KeepingFailure<'_, E> {
    fn keep(&self, failure: E) -> Failed {
        *self.failure.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
        Failed
    }
}

impl<E> Checker for KeepingFailure<'_, E> {
    type Error = Failed;

    fn check(&mut self, part: Part<'_>, sightings: &mut Sightings) -> Result<Finding, Failed> {
        let checked = self.checker.check(part, sightings);
        checked.map_err(|failure| self.keep(failure))
    }

    fn prove(&mut self, edge: EdgeId, limit: &Limit) -> Result<Finding, Failed> {
        let proved = self.checker.prove(edge, limit);
        proved.map_err(|failure| self.keep(failure))
    }

    fn cost_if_free(&self, edge: EdgeId) -> u64 {
        self.checker.cost_if_free(edge)
    }

    fn portion(&self, edge: EdgeId, wanted: u64) -> u64 {
        self.checker.portion(edge, wanted)
    }

    fn bill(&self, edge: EdgeId, verdict: Option<Verdict>, knows: [bool; 2]) -> Bill {
        self.checker.bill(edge, verdict, knows)
    }

    fn foresight(&self) -> usize {
        self.checker.foresight()
    }

    fn foresee(&mut self, likely: &[Foreseen]) {
        self.checker.foresee(likely);
    }

    fn grow(&mut self, growth: &Growth) -> Result<(), RoadmapError> {
        self.checker.grow(growth)
    }
}

/// A planner that tells of the failure that was kept.
struct TellingFailure<'a, E> {
    planner: AnyPlanner<'a, Failed>,
    failure: Arc<Mutex<Option<E>>>,
}

impl<E> Anytime for TellingFailure<'_, E> {
    type Error = E;

    fn step(&mut self, limit: &Limit) -> Option<Result<Event, E>> {
        match self.planner.step(limit)? {
            Ok(event) => Some(Ok(event)),
            Err(Failed) => {
                let mut failure = self.failure.lock().unwrap_or_else(PoisonError::into_inner);
                failure.take().map(Err)
            }
        }
    }

    fn progress(&self) -> Progress {
        self.planner.progress()
    }
}

impl<E> RoadmapPlanner for TellingFailure<'_, E> {
    fn best_path(&self) -> Option<&Path> {
        self.planner.best_path()
    }
    fn proposed_path(&self) -> &Path {
        self.planner.proposed_path()
    }
    fn ledger(&self) -> &Ledger {
        self.planner.ledger()
    }
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        self.planner.probability_free(edge)
    }
    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        self.planner.is_free_in_draw(edge)
    }
    fn grow(&mut self, growth: &Growth) -> Result<bool, RoadmapError> {
        self.planner.grow(growth)
    }
    fn sight(&mut self, sightings: &Sightings) {
        self.planner.sight(sightings);
    }
    fn promise(&mut self) -> Option<f64> {
        self.planner.promise()
    }
    fn effort(&self) -> u64 {
        self.planner.effort()
    }
    fn upkeep(&self) -> u64 {
        self.planner.upkeep()
    }
    fn set_prices(&mut self, prices: Prices) {
        self.planner.set_prices(prices);
    }
}

/// All of a planner but its belief and its proposer.
pub(super) struct Assembly<'s, 'a> {
    pub spec: &'s PlannerSpec,
    pub setting: &'s Setting,
    pub checker: Box<dyn Checker<Error = Failed> + Send + 'a>,
}

impl<'a> Assembly<'_, 'a> {
    pub fn of<P, B>(self, proposer: P, belief: B) -> AnyPlanner<'a, Failed>
    where
        P: Proposer<B> + Send + 'a,
        B: Belief + Send + 'a,
    {
        let (setting, validator) = (self.setting, self.spec.validator.build());
        let (roadmap, query) = (&setting.roadmap, setting.query);
        let planner = Planner::new(roadmap, query, proposer, belief, validator, self.checker);
        Box::new(
            planner
                .or_to_any_of(&setting.other_goals)
                .seed(setting.seed)
                .fallback(setting.fallback)
                .insured(self.spec.insured)
                .knowing(&setting.known),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_round_trip() {
        for name in [
            "psmp:fs",
            "pomp:nn",
            "lazysp",
            "lazysp:fs",
            "lazysp:fs:bisect",
            "lazysp:1:backward",
            "maxprob+:freq",
            "psmp:0.9",
            "psmp:0.9:failfast",
            "ei:local",
            "ei:ensemble",
            "ei:soft",
            "psmp:latent",
            "ei:local:uninsured",
            "ei:0.9:failfast:uninsured",
            "ei:ensemble:failfast",
            "psmp:latent:coarse",
            "psmp:fs:insured",
            "lazysp:insured",
        ] {
            let spec: PlannerSpec = name.parse().unwrap();
            assert_eq!(spec.to_string(), name);
        }
        let uninformed: PlannerSpec = "lazysp".parse().unwrap();
        assert_eq!(uninformed.validator, ValidatorName::Forward);
        for (name, insured) in [("ei:local", true), ("psmp:fs", false)] {
            assert_eq!(name.parse::<PlannerSpec>().unwrap().insured, insured);
        }
    }

    #[test]
    fn wrong_names_say_what_would_be_right() {
        let error = |text: &str| text.parse::<PlannerSpec>().unwrap_err().to_string();
        assert!(error("rrt").contains("`psmp`"));
        assert!(error("psmp").contains("psmp:fs"));
        assert!(error("psmp:xx").contains("`nn`"));
        assert!(error("psmp:1.5").contains("probability"));
        assert!(error("psmp:fs:quick").contains("`failfast`"));
        assert!(error("psmp:fs:forward:x").contains("too many"));
    }
}
