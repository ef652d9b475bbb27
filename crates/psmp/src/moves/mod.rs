//! Moves: all that can make a path shorter, in one currency.
//!
//! A path on the roadmap, a straight motion between two places of the best path, a way round through a
//! new configuration beside it, a search begun again with other random numbers: each is free with some
//! probability, brings an improvement if it is, and costs configurations to find out. So all of them have
//! a rate, the expected improvement for each configuration checked ([`Prospect::rate`]), and whichever has
//! the greatest goes first.
//!
//! [`OnPath`] has the moves on a path, [`Chances`] says how likely motions are free that no roadmap knows, and
//! [`Again`] begins searches again.

mod again;
mod chances;
mod on_path;

pub(crate) use again::{Again, Round};
pub(crate) use chances::Chances;
pub(crate) use on_path::{Attempt, OnPath};

/// What is to be expected of a move.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Prospect {
    /// The probability that it is free.
    pub probability: f64,
    /// How much shorter the best path is then.
    pub improvement: f64,
    /// How many configurations it takes to find it free.
    pub price: f64,
    /// How many configurations it takes to find it blocked.
    pub refuting: f64,
}

impl Prospect {
    /// The expected improvement for each configuration checked.
    pub fn rate(self) -> f64 {
        let p = self.probability;
        let price = p * self.price + (1.0 - p) * self.refuting;
        p * self.improvement / price.max(f64::MIN_POSITIVE)
    }
}
