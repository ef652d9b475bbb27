//! Beliefs by name, how each is made, and which of them an ensemble has for members.

use super::planner::{Assembly, Failed, Setting};
use super::{AnyPlanner, ModelCache, SpecError, look_up, name_of};
use crate::belief::{
    Belief, Beyond, Ensemble, FiniteSet, FirstWeights, IndependentEdges, Latent, Local,
    NearestNeighbour, SoftSet, held_out,
};
use crate::roadmap::Roadmap;
use crate::table::{Experience, WorldId};
use std::fmt;
use std::str::FromStr;

/// The part of a name that says what is believed.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the table says what each is")]
pub enum BeliefName {
    FiniteSet,
    NearestNeighbour,
    Local,
    Ensemble,
    Latent,
    SoftSet,
    Frequencies,
    /// A number such as `0.9`: every edge is free with this probability.
    Constant(f64),
}

crate::table_of_names! {
    BeliefName:
    "fs" Self::FiniteSet, "the known worlds that agree with every check";
    "soft" Self::SoftSet, "the known worlds, each trusted less with every disagreement";
    "nn" Self::NearestNeighbour, "the nearest checked configuration";
    "freq" Self::Frequencies, "each edge's own share of the known worlds";
    "local" Self::Local, "obstacles with a rate and a size, learned from the checks";
    "latent" Self::Latent, "hidden causes, learned from the known worlds";
    "ensemble" Self::Ensemble, "`local` and, with known worlds, `latent`, `soft` and `fs`, by how well each predicts";
}

impl BeliefName {
    /// The members of an ensemble: those of them that can be had.
    pub const MEMBERS: [Self; 4] = [Self::Local, Self::Latent, Self::SoftSet, Self::FiniteSet];

    /// Whether it learns from known worlds, where there are any.
    #[must_use]
    pub fn needs_experience(&self) -> bool {
        !matches!(
            self,
            Self::NearestNeighbour | Self::Local | Self::Constant(_)
        )
    }

    /// Learns from known worlds now what a planner would learn from them first, so that none has to
    /// wait for it. What the members of an ensemble weigh takes a roadmap too, and is left to the
    /// first planner.
    pub fn learn_ahead(&self, experience: &Experience, models: &ModelCache) {
        if matches!(self, Self::Latent | Self::Ensemble) {
            models.latent(experience);
        }
        if matches!(self, Self::SoftSet | Self::Ensemble) {
            models.soft_set(experience);
        }
        if matches!(self, Self::Ensemble) {
            models.log_odds_of_knowing(experience);
        }
    }

    /// The belief before any check.
    ///
    /// # Errors
    /// If it needs something that the setting does not have.
    pub fn believe(&self, setting: &Setting) -> Result<Box<dyn Belief + Send>, SpecError> {
        self.build(setting, Boxed)
    }

    pub(super) fn plan_with<'a>(
        &self,
        assembly: Assembly<'_, 'a>,
    ) -> Result<AnyPlanner<'a, Failed>, SpecError> {
        self.build(assembly.setting, Planned(assembly))
    }

    /// Makes the belief and hands it on, compiled for each kind.
    fn build<W: WithBelief>(&self, setting: &Setting, then: W) -> Result<W::Output, SpecError> {
        let known = || {
            let experience = setting.experience.as_ref();
            experience.ok_or_else(|| SpecError::NoExperience(self.to_string()))
        };
        let roadmap = &setting.roadmap;
        Ok(match *self {
            Self::FiniteSet => then.of_table(setting, FiniteSet::new(known()?.clone())),
            Self::SoftSet => {
                let model = setting.models.soft_set(known()?);
                then.of_table(setting, SoftSet::new(known()?.clone(), model))
            }
            Self::Frequencies => then.of_table(setting, IndependentEdges::frequencies(known()?)),
            Self::Latent => then.of_table(setting, Latent::new(setting.models.latent(known()?))),
            Self::NearestNeighbour => {
                let belief = NearestNeighbour::new(roadmap, setting.eta);
                then.with(belief.map_err(|e| self.trouble(e))?)
            }
            Self::Local => then.with(Local::new(roadmap).map_err(|e| self.trouble(e))?),
            Self::Constant(p) => {
                let belief = IndependentEdges::constant(p);
                then.with(belief.map_err(|e| self.trouble(e))?)
            }
            Self::Ensemble => {
                let weights = match &setting.experience {
                    Some(experience) => setting.models.weights(Some(roadmap), experience),
                    None => MemberWeights::default(),
                };
                let had = Self::MEMBERS.iter().filter_map(|member| {
                    let belief = member.build(setting, Member).ok()?;
                    Some((belief, weights.of(*member)))
                });
                let members: Vec<_> = had.collect();
                if members.is_empty() {
                    let why = "there are neither configurations nor known worlds here";
                    return Err(self.trouble(why));
                }
                let ensemble = Ensemble::new(roadmap.edge_count(), members);
                let ensemble = match &setting.experience {
                    // The last member is the set of known worlds, which may have the true one in it.
                    Some(experience) => {
                        let last = ensemble.shares().count() - 1;
                        let log_odds = setting.models.log_odds_of_knowing(experience);
                        ensemble.where_one_may_know(last, log_odds)
                    }
                    None => ensemble,
                };
                then.of_table(setting, ensemble)
            }
        })
    }

    fn trouble(&self, why: impl fmt::Display) -> SpecError {
        SpecError::Belief {
            name: self.to_string(),
            why: why.to_string(),
        }
    }

    /// How well the belief predicts worlds that are left out of the known ones: the mean log-likelihood
    /// of a check.
    fn score(
        self,
        roadmap: Option<&Roadmap>,
        experience: &Experience,
        left_out: &[WorldId],
        models: &ModelCache,
    ) -> Option<f64> {
        let table = experience.table();
        match self {
            Self::Local => {
                let local = Local::new(roadmap?).ok()?;
                Some(held_out::log_likelihood_per_check(table, left_out, |_| {
                    local.clone()
                }))
            }
            Self::Latent => Some(models.latent(experience).log_likelihood()),
            Self::SoftSet => {
                let model = models.soft_set(experience);
                Some(held_out::log_likelihood_per_check(
                    table,
                    left_out,
                    |world| SoftSet::new(experience.as_if_in(world), model),
                ))
            }
            Self::FiniteSet => Some(held_out::log_likelihood_per_check(
                table,
                left_out,
                |world| FiniteSet::new(experience.without(&[world])),
            )),
            _ => None,
        }
    }
}

/// Something to be done with a belief, compiled for each kind of belief.
trait WithBelief {
    type Output;
    fn with<B: Belief + Send + 'static>(self, belief: B) -> Self::Output;

    /// The same with a belief about the edges of a table: others are told from them.
    fn of_table<B: Belief + Send + 'static>(self, setting: &Setting, belief: B) -> Self::Output
    where
        Self: Sized,
    {
        let Setting {
            roadmap,
            experience,
            models,
            ..
        } = setting;
        // Without a table there is nothing beyond it.
        let known = match experience {
            Some(experience) => experience.table().edge_count(),
            None => usize::MAX,
        };
        self.with(Beyond::new(belief, roadmap, known, || match experience {
            Some(experience) => models.beyond(roadmap, experience),
            None => FirstWeights::default(),
        }))
    }
}

/// To plan with it.
struct Planned<'s, 'a>(Assembly<'s, 'a>);

impl<'a> WithBelief for Planned<'_, 'a> {
    type Output = AnyPlanner<'a, Failed>;
    fn with<B: Belief + Send + 'static>(self, belief: B) -> Self::Output {
        self.0.spec.proposer.assemble(belief, self.0)
    }
}

/// To ask it, whichever it is.
struct Boxed;

impl WithBelief for Boxed {
    type Output = Box<dyn Belief + Send>;
    fn with<B: Belief + Send + 'static>(self, belief: B) -> Self::Output {
        Box::new(belief)
    }
}

/// To be one of several, which are told of other edges together.
struct Member;

impl WithBelief for Member {
    type Output = Box<dyn Belief + Send>;
    fn with<B: Belief + Send + 'static>(self, belief: B) -> Self::Output {
        Box::new(belief)
    }
    fn of_table<B: Belief + Send + 'static>(self, _: &Setting, belief: B) -> Self::Output {
        Box::new(belief)
    }
}

impl FromStr for BeliefName {
    type Err = SpecError;

    fn from_str(name: &str) -> Result<Self, SpecError> {
        match name.parse() {
            Ok(p) if (0.0..=1.0).contains(&p) => Ok(Self::Constant(p)),
            _ => look_up(
                "belief",
                name,
                Self::TABLE,
                ", or a probability such as `0.9`",
            ),
        }
    }
}

impl fmt::Display for BeliefName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Constant(p) => write!(f, "{p}"),
            named => f.write_str(name_of(named, Self::TABLE)),
        }
    }
}

/// The members of an ensemble weigh as if so many checks had been made. One hardly tells them apart, and sixteen leave
/// one of them alone, which is worse in some families of worlds than any other.
const CHECKS: f64 = 4.0;

/// What the members of an ensemble weigh, as logarithms up to a common summand.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct MemberWeights(Vec<(BeliefName, f64)>);

impl MemberWeights {
    /// These members with their weights; `None` if a weight is no number.
    #[must_use]
    pub fn new(weights: impl IntoIterator<Item = (BeliefName, f64)>) -> Option<Self> {
        let weights: Vec<_> = weights.into_iter().collect();
        let finite = weights.iter().all(|(_, weight)| weight.is_finite());
        finite.then_some(Self(weights))
    }

    /// What each weighs as if [a few checks](CHECKS) had been made, and it had predicted these as well as checks in
    /// worlds it did not know. Where nothing can be left out, all weigh the same; without a roadmap
    /// nothing is said of beliefs that need configurations.
    pub(super) fn learn(
        roadmap: Option<&Roadmap>,
        experience: &Experience,
        models: &ModelCache,
    ) -> Self {
        let left_out = held_out::left_out(experience.worlds());
        if left_out.is_empty() {
            return Self::default();
        }
        let weights = BeliefName::MEMBERS.iter().filter_map(|&member| {
            let score = member.score(roadmap, experience, &left_out, models)?;
            Some((member, CHECKS * score))
        });
        Self(weights.collect())
    }

    /// The weight of a member. One of which nothing is known is as good as a coin, where something is
    /// known of others.
    #[must_use]
    pub fn of(&self, member: BeliefName) -> f64 {
        let known = self.0.iter().find(|(name, _)| *name == member);
        match known {
            Some((_, weight)) => *weight,
            None if self.0.is_empty() => 0.0,
            None => -CHECKS * std::f64::consts::LN_2,
        }
    }

    /// All that are known.
    pub fn iter(&self) -> impl Iterator<Item = (BeliefName, f64)> + '_ {
        self.0.iter().copied()
    }

    /// The same, with those of another where these say nothing.
    #[must_use]
    pub fn or(mut self, other: &Self) -> Self {
        for (member, weight) in other.iter() {
            if !self.0.iter().any(|(known, _)| *known == member) {
                self.0.push((member, weight));
            }
        }
        self
    }
}
