//! Proposers by name.

use super::planner::{Assembly, Failed};
use super::{AnyPlanner, BeliefName, ValidatorName};
use crate::belief::Belief;
use crate::proposer::{ExpectedImprovement, LazySp, MaxProb, Part, Pomp, Psmp};

/// The part of a name that says how paths are proposed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the table says what each is")]
pub enum ProposerName {
    Psmp,
    LazySp,
    MaxProb,
    MaxProbOn,
    Pomp,
    ExpectedImprovement,
    ImprovementWithout(Part),
}

crate::table_of_names! {
    ProposerName:
    "psmp" Self::Psmp, "the shortest path of a world drawn from the belief" ["#0072B2" "#56B4E9"];
    "lazysp" Self::LazySp, "the shortest path, every unchecked edge taken as free" ["#009E73" "#111111"];
    "maxprob" Self::MaxProb, "the likeliest path; ends with its first" ["#CC79A7" "#CC79A7"];
    "maxprob+" Self::MaxProbOn, "the likeliest path, then on to the shortest" ["#CC79A7" "#CC79A7"];
    "pomp" Self::Pomp, "a trade-off between length and probability" ["#D55E00" "#E69F00"];
    "ei" Self::ExpectedImprovement, "the greatest expected improvement per check" ["#CC79A7" "#882255"];
    "ei-tradeoffs" Self::ImprovementWithout(Part::Tradeoffs), "`ei` without candidates from trade-offs";
    "ei-draws" Self::ImprovementWithout(Part::Draws), "`ei` without candidates from drawn worlds";
    "ei-refutation" Self::ImprovementWithout(Part::CheapRefutation), "`ei` without cheap refutation";
    "ei-joint" Self::ImprovementWithout(Part::JointProbability), "`ei` with each edge for itself";
    "ei-telling" Self::ImprovementWithout(Part::Telling), "`ei` without asking what a check tells of other paths";
}
crate::by_table!(ProposerName, "proposer");

impl ProposerName {
    /// Whether it is of this project. Those of the literature stay as they were published.
    #[must_use]
    pub fn is_ours(self) -> bool {
        matches!(
            self,
            Self::ExpectedImprovement | Self::ImprovementWithout(_)
        )
    }

    /// How its paths are checked if the name does not say.
    pub(super) fn usual_validator(self, belief: BeliefName) -> ValidatorName {
        match belief {
            _ if self.is_ours() => ValidatorName::CoarseToFine,
            // Where every edge is as likely as the other there is nothing to rank by.
            BeliefName::Constant(_) => ValidatorName::Forward,
            _ => ValidatorName::FailFast,
        }
    }

    /// Puts a planner together with this proposer and a belief, compiled for both.
    pub(super) fn assemble<'a, B: Belief + Send + 'a>(
        self,
        belief: B,
        assembly: Assembly<'_, 'a>,
    ) -> AnyPlanner<'a, Failed> {
        match self {
            Self::Psmp => assembly.of(Psmp, belief),
            Self::LazySp => assembly.of(LazySp, belief),
            Self::MaxProb => assembly.of(MaxProb::default(), belief),
            Self::MaxProbOn => assembly.of(MaxProb::to_the_optimum(), belief),
            Self::Pomp => assembly.of(Pomp::default(), belief),
            Self::ExpectedImprovement => assembly.of(ExpectedImprovement::default(), belief),
            Self::ImprovementWithout(part) => {
                assembly.of(ExpectedImprovement::without(part), belief)
            }
        }
    }
}
