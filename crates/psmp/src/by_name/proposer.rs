//! Proposers by name.

use super::planner::Assembly;
use super::{AnyPlanner, BeliefName, Descriptor, SpecError, ValidatorName, look_up, name_of};
use crate::belief::Belief;
use crate::proposer::{ExpectedImprovement, LazySp, MaxProb, Part, Pomp, Psmp};
use std::fmt;
use std::str::FromStr;

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

const fn row(
    name: &'static str,
    what: ProposerName,
    colours: &'static [&'static str],
    summary: &'static str,
) -> Descriptor<ProposerName> {
    Descriptor {
        name,
        summary,
        what,
        colours,
    }
}

impl ProposerName {
    /// All of them.
    pub const TABLE: [Descriptor<Self>; 10] = [
        row(
            "psmp",
            Self::Psmp,
            &["#0072B2", "#56B4E9"],
            "the shortest path of a world drawn from the belief",
        ),
        row(
            "lazysp",
            Self::LazySp,
            &["#009E73", "#111111"],
            "the shortest path, every unchecked edge taken as free",
        ),
        row(
            "maxprob",
            Self::MaxProb,
            &["#CC79A7", "#CC79A7"],
            "the likeliest path; ends with its first",
        ),
        row(
            "maxprob+",
            Self::MaxProbOn,
            &["#CC79A7", "#CC79A7"],
            "the likeliest path, then on to the shortest",
        ),
        row(
            "pomp",
            Self::Pomp,
            &["#D55E00", "#E69F00"],
            "a trade-off between length and probability",
        ),
        row(
            "ei",
            Self::ExpectedImprovement,
            &["#CC79A7", "#882255"],
            "the greatest expected improvement per check",
        ),
        row(
            "ei-tradeoffs",
            Self::ImprovementWithout(Part::Tradeoffs),
            &[],
            "`ei` without candidates from trade-offs",
        ),
        row(
            "ei-draws",
            Self::ImprovementWithout(Part::Draws),
            &[],
            "`ei` without candidates from drawn worlds",
        ),
        row(
            "ei-refutation",
            Self::ImprovementWithout(Part::CheapRefutation),
            &[],
            "`ei` without refutation being cheap",
        ),
        row(
            "ei-joint",
            Self::ImprovementWithout(Part::JointProbability),
            &[],
            "`ei` with each edge for itself",
        ),
    ];

    /// Whether it is of this project. Those of the literature stay as they were published.
    pub(super) fn is_ours(self) -> bool {
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
    pub(super) fn assemble<'a, B: Belief + Send + 'a, E: 'a>(
        self,
        belief: B,
        assembly: Assembly<'_, 'a, E>,
    ) -> AnyPlanner<'a, E> {
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

impl FromStr for ProposerName {
    type Err = SpecError;
    fn from_str(name: &str) -> Result<Self, SpecError> {
        look_up("proposer", name, &Self::TABLE, "")
    }
}

impl fmt::Display for ProposerName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(self, &Self::TABLE))
    }
}
