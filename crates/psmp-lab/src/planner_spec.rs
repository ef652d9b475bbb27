//! Planners by name: `psmp:fs`, `pomp:nn`, `lazysp`, `lazysp:fs:bisect`.
//!
//! A name is the proposer, then the belief, then the validator, joined by colons; what is left out
//! takes its default. The last part may be `insured` or `uninsured`: with insurance a planner never
//! checks more than twice what LazySP would plus one path that was proposed, whatever its belief. Our
//! own proposer is insured unless told otherwise; those of the literature are plain. Experiments and
//! the command line choose planners by these names at run time; here a name becomes a planner whose proposer and belief are compiled together, with only the
//! validator and the checker behind a pointer, because those are called once a check and not once an
//! edge of a search.

use crate::shelf::{latent_model, member_weights, soft_set_model};
use psmp::belief::{
    Belief, Ensemble, FiniteSet, IndependentEdges, Latent, Local, NearestNeighbour, SoftSet,
};
use psmp::checker::Checker;
use psmp::proposer::{ExpectedImprovement, LazySp, MaxProb, Part, Pomp, Proposer, Psmp};
use psmp::validator::{Alternate, Backward, Bisect, CoarseToFine, FailFast, Forward, Validator};
use psmp::{AnytimePlanner, Experience, Fallback, Planner, Query, Roadmap, WorldId};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The part of a name that says how paths are proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProposerName {
    /// `psmp`
    Psmp,
    /// `lazysp`
    LazySp,
    /// `maxprob`: stops at its first path.
    MaxProb,
    /// `maxprob+`: goes on to the optimum.
    MaxProbOn,
    /// `pomp`
    Pomp,
    /// `ei`
    ExpectedImprovement,
    /// `ei-tradeoffs`, `ei-draws`, `ei-refutation`, `ei-joint`: the same less one of its parts.
    ImprovementWithout(Part),
}

impl ProposerName {
    /// Whether it is of this project. Those of the literature stay as they were published.
    fn is_ours(self) -> bool {
        matches!(
            self,
            ProposerName::ExpectedImprovement | ProposerName::ImprovementWithout(_)
        )
    }

    /// How its paths are checked if the name does not say.
    fn usual_validator(self, belief: BeliefName) -> ValidatorName {
        match belief {
            _ if self.is_ours() => ValidatorName::CoarseToFine,
            // Where every edge is as likely as the other there is nothing to rank by.
            BeliefName::Constant(_) => ValidatorName::Forward,
            _ => ValidatorName::FailFast,
        }
    }
}

/// The part of a name that says what is believed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BeliefName {
    /// `fs`: the known worlds that agree with every check.
    FiniteSet,
    /// `nn`: the nearest checked configuration.
    NearestNeighbour,
    /// `local`: obstacles have a rate and a size, both learned from the checks.
    Local,
    /// `ensemble`: all that can be had here.
    Ensemble,
    /// `latent`: hidden causes learned from the known worlds.
    Latent,
    /// `soft`: the known worlds, each trusted less with every disagreement.
    SoftSet,
    /// `freq`: each edge's own share of the known worlds.
    Frequencies,
    /// A number such as `0.9`: every edge is free with this probability.
    Constant(f64),
}

/// The part of a name that says which edge of a path is checked next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValidatorName {
    /// `coarse`
    CoarseToFine,
    /// `failfast`
    FailFast,
    /// `forward`
    Forward,
    /// `backward`
    Backward,
    /// `alternate`
    Alternate,
    /// `bisect`
    Bisect,
}

const PROPOSERS: [(&str, ProposerName); 10] = [
    ("psmp", ProposerName::Psmp),
    ("lazysp", ProposerName::LazySp),
    ("maxprob", ProposerName::MaxProb),
    ("maxprob+", ProposerName::MaxProbOn),
    ("pomp", ProposerName::Pomp),
    ("ei", ProposerName::ExpectedImprovement),
    (
        "ei-tradeoffs",
        ProposerName::ImprovementWithout(Part::Tradeoffs),
    ),
    ("ei-draws", ProposerName::ImprovementWithout(Part::Draws)),
    (
        "ei-refutation",
        ProposerName::ImprovementWithout(Part::CheapRefutation),
    ),
    (
        "ei-joint",
        ProposerName::ImprovementWithout(Part::JointProbability),
    ),
];

const BELIEFS: [(&str, BeliefName); 7] = [
    ("fs", BeliefName::FiniteSet),
    ("soft", BeliefName::SoftSet),
    ("nn", BeliefName::NearestNeighbour),
    ("freq", BeliefName::Frequencies),
    ("local", BeliefName::Local),
    ("latent", BeliefName::Latent),
    ("ensemble", BeliefName::Ensemble),
];

const VALIDATORS: [(&str, ValidatorName); 6] = [
    ("coarse", ValidatorName::CoarseToFine),
    ("failfast", ValidatorName::FailFast),
    ("forward", ValidatorName::Forward),
    ("backward", ValidatorName::Backward),
    ("alternate", ValidatorName::Alternate),
    ("bisect", ValidatorName::Bisect),
];

const INSURED: &str = "insured";
const UNINSURED: &str = "uninsured";

/// A planner by name.
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

/// Why a name is no planner, or a planner cannot be made here.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SpecError {
    /// No proposer, belief or validator has that name.
    #[error("`{name}` is no {part}: choose one of {choices}")]
    Unknown {
        /// "proposer", "belief" or "validator".
        part: &'static str,
        /// What was given.
        name: String,
        /// What could have been.
        choices: String,
    },
    /// The name has more parts than there are.
    #[error(
        "`{0}` has too many parts: a planner is PROPOSER[:BELIEF[:VALIDATOR]][:insured|:uninsured]"
    )]
    TooManyParts(String),
    /// Only LazySP can do without a belief.
    #[error("`{0}` needs a belief, as in `{0}:fs` or `{0}:nn`")]
    NoBelief(String),
    /// The belief needs known worlds and there are none.
    #[error("belief `{0}` needs known worlds, and there are none here")]
    NoExperience(String),
    /// The belief cannot be made for this roadmap.
    #[error("belief `{name}`: {why}")]
    Belief {
        /// Its name.
        name: String,
        /// Why not.
        why: String,
    },
}

fn look_up<T: Copy>(
    part: &'static str,
    name: &str,
    choices: &[(&str, T)],
    more: &str,
) -> Result<T, SpecError> {
    choices
        .iter()
        .find(|(known, _)| *known == name)
        .map(|(_, value)| *value)
        .ok_or_else(|| SpecError::Unknown {
            part,
            name: name.to_owned(),
            choices: choices
                .iter()
                .map(|(known, _)| format!("`{known}`"))
                .collect::<Vec<_>>()
                .join(", ")
                + more,
        })
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
        let proposer = look_up("proposer", proposer_name, &PROPOSERS, "")?;
        let belief = match parts.next() {
            Some(name) => name.parse()?,
            // The optimist asks the belief nothing.
            None if proposer == ProposerName::LazySp => BeliefName::Constant(1.0),
            None => return Err(SpecError::NoBelief(proposer_name.to_owned())),
        };
        let validator = match parts.next() {
            Some(name) => look_up("validator", name, &VALIDATORS, "")?,
            None => proposer.usual_validator(belief),
        };
        if parts.next().is_some() {
            return Err(SpecError::TooManyParts(text.to_owned()));
        }
        Ok(Self {
            proposer,
            belief,
            validator,
            insured: insured.unwrap_or(proposer.is_ours()),
        })
    }
}

fn name_of<T: PartialEq>(value: &T, choices: &[(&'static str, T)]) -> &'static str {
    choices
        .iter()
        .find(|(_, known)| known == value)
        .map_or("?", |(name, _)| name)
}

impl fmt::Display for PlannerSpec {
    /// The shortest name that gives this planner.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", name_of(&self.proposer, &PROPOSERS))?;
        let bare =
            self.proposer == ProposerName::LazySp && self.belief == BeliefName::Constant(1.0);
        let usual = self.proposer.usual_validator(self.belief);
        if !bare || self.validator != usual {
            write!(f, ":{}", self.belief)?;
        }
        if self.validator != usual {
            write!(f, ":{}", name_of(&self.validator, &VALIDATORS))?;
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
pub struct Setting<'a, T> {
    /// The roadmap.
    pub roadmap: &'a Roadmap,
    /// Start and goal.
    pub query: Query,
    /// The known worlds, if there are any: a table and which of its worlds count.
    pub experience: Option<(&'a T, Vec<WorldId>)>,
    /// How fast the influence of a checked configuration falls with distance.
    pub eta: f64,
    /// What to do about barren draws.
    pub fallback: Fallback,
    /// The seed of the run.
    pub seed: u64,
}

impl<'a, T> Setting<'a, T> {
    /// The same with the worlds of another table, all of them, for experience.
    #[must_use]
    pub fn with<'b, U: Experience>(&self, experience: &'b U) -> Setting<'b, U>
    where
        'a: 'b,
    {
        let worlds = (0..experience.world_count() as u32).map(WorldId).collect();
        Setting {
            roadmap: self.roadmap,
            query: self.query,
            experience: Some((experience, worlds)),
            eta: self.eta,
            fallback: self.fallback,
            seed: self.seed,
        }
    }
}

/// A planner made of anything, which may go from thread to thread.
pub type AnyPlanner<'a, E> = Box<dyn AnytimePlanner<Error = E> + Send + 'a>;

/// Something to be done with a belief, compiled for each kind of belief.
trait WithBelief<'a> {
    type Output;
    fn with<B: Belief + Send + 'a>(self, belief: B) -> Self::Output;
}

/// To plan with it.
struct Planning<'s, 'a, T, C> {
    spec: &'s PlannerSpec,
    setting: &'s Setting<'a, T>,
    checker: C,
}

impl<'a, T: Experience + Sync, C: Checker + Send + 'a> WithBelief<'a> for Planning<'_, 'a, T, C> {
    type Output = AnyPlanner<'a, C::Error>;
    fn with<B: Belief + Send + 'a>(self, belief: B) -> Self::Output {
        self.spec.propose_with(belief, self.setting, self.checker)
    }
}

/// To ask it, whichever it is.
struct Asking;

impl<'a> WithBelief<'a> for Asking {
    type Output = Box<dyn Belief + 'a>;
    fn with<B: Belief + Send + 'a>(self, belief: B) -> Self::Output {
        Box::new(belief)
    }
}

impl BeliefName {
    /// Those that take no number, by name.
    pub fn all() -> impl Iterator<Item = Self> {
        BELIEFS.iter().map(|(_, belief)| *belief)
    }

    /// Whether it learns from known worlds, where there are any.
    #[must_use]
    pub fn needs_experience(&self) -> bool {
        match self {
            BeliefName::FiniteSet
            | BeliefName::SoftSet
            | BeliefName::Frequencies
            | BeliefName::Latent
            | BeliefName::Ensemble => true,
            BeliefName::NearestNeighbour | BeliefName::Local | BeliefName::Constant(_) => false,
        }
    }

    /// Learns from known worlds now what a planner would learn from them first, so that none has to
    /// wait for it. What the members of an ensemble weigh takes a roadmap too, and is left to the
    /// first planner.
    pub fn learn_ahead(&self, table: &impl Experience, worlds: &[WorldId]) {
        if matches!(self, BeliefName::Latent | BeliefName::Ensemble) {
            latent_model(table, worlds);
        }
        if matches!(self, BeliefName::SoftSet | BeliefName::Ensemble) {
            soft_set_model(table, worlds);
        }
    }

    /// The belief before any check.
    ///
    /// # Errors
    /// If it needs something that the setting does not have.
    pub fn believe<'a, T: Experience + Sync>(
        &self,
        setting: &Setting<'a, T>,
    ) -> Result<Box<dyn Belief + 'a>, SpecError> {
        self.build(setting, Asking)
    }

    fn build<'a, T, W>(&self, setting: &Setting<'a, T>, then: W) -> Result<W::Output, SpecError>
    where
        T: Experience + Sync,
        W: WithBelief<'a>,
    {
        let known = || {
            setting
                .experience
                .clone()
                .ok_or_else(|| SpecError::NoExperience(name_of(self, &BELIEFS).to_owned()))
        };
        let trouble = |why: String| SpecError::Belief {
            name: name_of(self, &BELIEFS).to_owned(),
            why,
        };
        match *self {
            BeliefName::FiniteSet => {
                let (table, worlds) = known()?;
                Ok(then.with(FiniteSet::of_worlds(table, worlds)))
            }
            BeliefName::SoftSet => {
                let (table, worlds) = known()?;
                let model = soft_set_model(table, &worlds);
                let belief = SoftSet::of_worlds(table, worlds, model);
                Ok(then.with(belief))
            }
            BeliefName::Frequencies => {
                let (table, worlds) = known()?;
                let belief = IndependentEdges::frequencies_in(table, &worlds);
                Ok(then.with(belief))
            }
            BeliefName::NearestNeighbour => {
                let belief = NearestNeighbour::new(setting.roadmap, setting.eta)
                    .map_err(|e| trouble(e.to_string()))?;
                Ok(then.with(belief))
            }
            BeliefName::Latent => {
                let (table, worlds) = known()?;
                let model = latent_model(table, &worlds);
                Ok(then.with(Latent::new(model)))
            }
            BeliefName::Ensemble => {
                let mut members: Vec<(Box<dyn Belief + Send + 'a>, f64)> = Vec::new();
                let local = Local::new(setting.roadmap).ok();
                if let Some((table, worlds)) = setting.experience.clone() {
                    let weights = member_weights(Some(setting.roadmap), table, &worlds);
                    if let Some(local) = local {
                        members.push((Box::new(local), weights.local));
                    }
                    let latent = Latent::new(latent_model(table, &worlds));
                    members.push((Box::new(latent), weights.latent));
                    let soft = soft_set_model(table, &worlds);
                    let soft = SoftSet::of_worlds(table, worlds.iter().copied(), soft);
                    members.push((Box::new(soft), weights.soft_set));
                    let finite = FiniteSet::of_worlds(table, worlds);
                    members.push((Box::new(finite), weights.finite_set));
                } else if let Some(local) = local {
                    members.push((Box::new(local), 0.0));
                }
                if members.is_empty() {
                    return Err(trouble(
                        "there are neither configurations nor known worlds here".to_owned(),
                    ));
                }
                let belief = Ensemble::new(setting.roadmap.edge_count(), members);
                Ok(then.with(belief))
            }
            BeliefName::Local => {
                let belief = Local::new(setting.roadmap).map_err(|e| trouble(e.to_string()))?;
                Ok(then.with(belief))
            }
            BeliefName::Constant(p) => {
                let belief = IndependentEdges::constant(p).map_err(|e| trouble(e.to_string()))?;
                Ok(then.with(belief))
            }
        }
    }
}

impl FromStr for BeliefName {
    type Err = SpecError;

    fn from_str(name: &str) -> Result<Self, SpecError> {
        match name.parse() {
            Ok(p) if (0.0..=1.0).contains(&p) => Ok(BeliefName::Constant(p)),
            _ => look_up("belief", name, &BELIEFS, ", or a probability such as `0.9`"),
        }
    }
}

impl fmt::Display for BeliefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BeliefName::Constant(p) => write!(f, "{p}"),
            named => f.write_str(name_of(named, &BELIEFS)),
        }
    }
}

impl PlannerSpec {
    /// Whether the planner learns from known worlds, where there are any.
    #[must_use]
    pub fn needs_experience(&self) -> bool {
        self.belief.needs_experience()
    }

    /// Makes the planner.
    ///
    /// # Errors
    /// If its belief needs something that the setting does not have.
    pub fn build<'a, T, C>(
        &self,
        setting: &Setting<'a, T>,
        checker: C,
    ) -> Result<AnyPlanner<'a, C::Error>, SpecError>
    where
        T: Experience + Sync,
        C: Checker + Send + 'a,
    {
        self.belief.build(
            setting,
            Planning {
                spec: self,
                setting,
                checker,
            },
        )
    }

    fn propose_with<'a, T, B, C>(
        &self,
        belief: B,
        setting: &Setting<'a, T>,
        checker: C,
    ) -> AnyPlanner<'a, C::Error>
    where
        B: Belief + Send + 'a,
        C: Checker + Send + 'a,
    {
        match self.proposer {
            ProposerName::Psmp => self.assemble(Psmp, belief, setting, checker),
            ProposerName::LazySp => self.assemble(LazySp, belief, setting, checker),
            ProposerName::MaxProb => self.assemble(MaxProb::default(), belief, setting, checker),
            ProposerName::MaxProbOn => {
                self.assemble(MaxProb::to_the_optimum(), belief, setting, checker)
            }
            ProposerName::Pomp => self.assemble(Pomp::default(), belief, setting, checker),
            ProposerName::ExpectedImprovement => {
                self.assemble(ExpectedImprovement::default(), belief, setting, checker)
            }
            ProposerName::ImprovementWithout(part) => {
                self.assemble(ExpectedImprovement::without(part), belief, setting, checker)
            }
        }
    }

    fn assemble<'a, T, P, B, C>(
        &self,
        proposer: P,
        belief: B,
        setting: &Setting<'a, T>,
        checker: C,
    ) -> AnyPlanner<'a, C::Error>
    where
        P: Proposer<B> + Send + 'a,
        B: Belief + Send + 'a,
        C: Checker + Send + 'a,
    {
        let validator: Box<dyn Validator<B> + Send> = match self.validator {
            ValidatorName::CoarseToFine => Box::new(CoarseToFine),
            ValidatorName::FailFast => Box::new(FailFast),
            ValidatorName::Forward => Box::new(Forward),
            ValidatorName::Backward => Box::new(Backward),
            ValidatorName::Alternate => Box::new(Alternate::default()),
            ValidatorName::Bisect => Box::new(Bisect),
        };
        let planner = Planner::new(
            setting.roadmap,
            setting.query,
            proposer,
            belief,
            validator,
            checker,
        );
        Box::new(
            planner
                .seed(setting.seed)
                .fallback(setting.fallback)
                .insured(self.insured),
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
