//! Validators by name.

use crate::validator::{Alternate, Backward, Bisect, CoarseToFine, FailFast, Forward, Validator};

crate::table_of_names! {
    /// The part of a name that says which edge of a path is checked next.
    pub enum ValidatorName, "validator":
    "coarse" CoarseToFine, "a few configurations of every edge first, then finer";
    "failfast" FailFast, "the edge most likely to collide";
    "forward" Forward, "from the start";
    "backward" Backward, "from the goal";
    "alternate" Alternate, "from both ends in turn";
    "bisect" Bisect, "the edge farthest from all checked ones";
}

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
