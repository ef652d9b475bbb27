//! Validators by name.

use super::{Descriptor, SpecError, look_up, name_of};
use crate::validator::{Alternate, Backward, Bisect, CoarseToFine, FailFast, Forward, Validator};
use std::fmt;
use std::str::FromStr;

/// The part of a name that says which edge of a path is checked next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
#[expect(missing_docs, reason = "the table says what each is")]
pub enum ValidatorName {
    CoarseToFine,
    FailFast,
    Forward,
    Backward,
    Alternate,
    Bisect,
}

const fn row(
    name: &'static str,
    what: ValidatorName,
    summary: &'static str,
) -> Descriptor<ValidatorName> {
    Descriptor {
        name,
        summary,
        what,
        colours: &[],
    }
}

impl ValidatorName {
    /// All of them.
    pub const TABLE: [Descriptor<Self>; 6] = [
        row(
            "coarse",
            Self::CoarseToFine,
            "a few configurations of every edge first, then finer",
        ),
        row(
            "failfast",
            Self::FailFast,
            "the edge most likely to collide",
        ),
        row("forward", Self::Forward, "from the start"),
        row("backward", Self::Backward, "from the goal"),
        row("alternate", Self::Alternate, "from both ends in turn"),
        row(
            "bisect",
            Self::Bisect,
            "the edge farthest from all checked ones",
        ),
    ];

    pub(super) fn build(self) -> Box<dyn Validator + Send> {
        match self {
            Self::CoarseToFine => Box::new(CoarseToFine),
            Self::FailFast => Box::new(FailFast),
            Self::Forward => Box::new(Forward),
            Self::Backward => Box::new(Backward),
            Self::Alternate => Box::new(Alternate::default()),
            Self::Bisect => Box::new(Bisect),
        }
    }
}

impl FromStr for ValidatorName {
    type Err = SpecError;
    fn from_str(name: &str) -> Result<Self, SpecError> {
        look_up("validator", name, &Self::TABLE, "")
    }
}

impl fmt::Display for ValidatorName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_of(self, &Self::TABLE))
    }
}
