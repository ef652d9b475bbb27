//! Validators by name.

use crate::validator::{Alternate, Backward, Bisect, CoarseToFine, FailFast, Forward, Validator};

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

crate::table_of_names! {
    ValidatorName:
    "coarse" Self::CoarseToFine, "a few configurations of every edge first, then finer";
    "failfast" Self::FailFast, "the edge most likely to collide";
    "forward" Self::Forward, "from the start";
    "backward" Self::Backward, "from the goal";
    "alternate" Self::Alternate, "from both ends in turn";
    "bisect" Self::Bisect, "the edge farthest from all checked ones";
}
crate::by_table!(ValidatorName, "validator");

impl ValidatorName {
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
