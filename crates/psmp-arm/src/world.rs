//! What all worlds of arms are: worlds that also tell whether everything keeps its distance.
//!
//! A [`psmp::checker::World`] answers for single configurations. An [`ArmWorld`] also answers with
//! [`Margins`]: does every body keep this far away from everything? With that whole motions can be
//! checked: no point of a body moves farther than the joints carry it, so a body that is farther than
//! that from everything stays free.

use psmp::checker::World;
use std::convert::Infallible;

/// A world of an arm: spheres or exact shapes.
pub trait ArmWorld: World<Error = Infallible> {
    /// Margins of nothing for the bodies and pairs of this world.
    fn no_margins(&self) -> Margins;

    /// Which of up to eight configurations keep clear, a bit for each: every body is farther than
    /// its margin from every obstacle that it must not touch, and the bodies of every pair are
    /// farther apart than the pair's. With [no margins](Self::no_margins) these are the free ones.
    ///
    /// Wrong answers are only ever "not clear". An obstacle that a body reaches in no configuration
    /// may be left out, and a body that never moves is taken without its margin.
    ///
    /// # Panics
    /// If there are more than eight configurations, or the margins are another world's.
    fn clear(&mut self, configurations: &[f64], margins: &Margins) -> u8;
}

/// How far away things must be, in metres, at least zero.
///
/// Bodies are the links with collision geometry in the robot's order, then what is held; pairs are
/// those of them that must not touch each other, the first ones' first.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Margins {
    /// For each body, how far from the scene.
    pub bodies: Vec<f64>,
    /// For each checked pair of bodies, how far apart.
    pub pairs: Vec<f64>,
}

impl Margins {
    pub(crate) fn none(bodies: usize, pairs: usize) -> Self {
        Self {
            bodies: vec![0.0; bodies],
            pairs: vec![0.0; pairs],
        }
    }

    /// Panics if these are not for so many bodies and pairs.
    pub(crate) fn assert_for(&self, bodies: usize, pairs: usize) {
        assert_eq!(self.bodies.len(), bodies, "a margin for each body");
        assert_eq!(self.pairs.len(), pairs, "a margin for each pair");
    }
}
