//! What all worlds of arms are: worlds that also tell whether everything keeps its distance.
//!
//! A [`psmp::checker::World`] answers for single configurations. An [`ArmWorld`] also answers with
//! [`Margins`]: does every body keep this far away from everything? With that whole motions can be
//! checked: no point of a body moves farther than the joints carry it, so a body that is farther than
//! that from everything stays free.

use crate::kinematics::Kinematics;
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

    /// What is to be measured: the bodies and pairs of this world and how they move.
    fn motions(&self) -> Clearances;

    /// Measures how far every body is from what it must not touch in a configuration: at least
    /// this far, negative or zero where it touches.
    fn measure(&mut self, configuration: &[f64], clearances: &mut Clearances);
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

/// How far the bodies of an arm are from everything, and how far joints can carry them.
#[derive(Debug, Clone)]
pub struct Clearances {
    /// For each body, how far it is from the scene.
    pub(crate) bodies: Vec<f64>,
    /// For each checked pair of bodies, how far they are apart.
    pub(crate) pairs: Vec<f64>,
    /// For each body, how far it moves at most for a unit of each joint.
    body_motion: Vec<f64>,
    /// For each pair, how far they move against each other at most for a unit of each joint.
    pair_motion: Vec<f64>,
    dimension: usize,
}

impl Clearances {
    /// For bodies given by their frame and the distance of their farthest point from its origin.
    pub(crate) fn new(
        kinematics: &Kinematics<f64>,
        bodies: &[(usize, f64)],
        pairs: &[(usize, usize)],
    ) -> Self {
        let dimension = kinematics.dimension();
        let mut body_motion = vec![0.0; bodies.len() * dimension];
        for (&(frame, reach), bounds) in bodies.iter().zip(body_motion.chunks_exact_mut(dimension))
        {
            kinematics.motion_bounds(frame, reach, bounds);
        }
        let mut pair_motion = vec![0.0; pairs.len() * dimension];
        for (&(a, b), bounds) in pairs.iter().zip(pair_motion.chunks_exact_mut(dimension)) {
            kinematics.relative_motion_bounds(bodies[a], bodies[b], bounds);
        }
        Self {
            bodies: vec![0.0; bodies.len()],
            pairs: vec![0.0; pairs.len()],
            body_motion,
            pair_motion,
            dimension,
        }
    }

    /// How many joints there are.
    pub(crate) fn dimension(&self) -> usize {
        self.dimension
    }

    /// Whether nothing touches.
    #[must_use]
    pub fn free(&self) -> bool {
        self.bodies.iter().chain(&self.pairs).all(|&c| c > 0.0)
    }

    /// The least clearance.
    #[must_use]
    pub fn least(&self) -> f64 {
        let all = self.bodies.iter().chain(&self.pairs);
        all.copied().fold(f64::INFINITY, f64::min)
    }

    /// The share of a motion that is certainly free: moving each joint by up to that share of its
    /// entry in `steps`, nothing can come to touch.
    #[must_use]
    pub fn safe_share(&self, steps: &[f64]) -> f64 {
        let way =
            |bounds: &[f64]| -> f64 { bounds.iter().zip(steps).map(|(b, s)| b * s.abs()).sum() };
        let share = |(clearance, bounds): (&f64, &[f64])| match way(bounds) {
            0.0 => f64::INFINITY,
            way => clearance / way,
        };
        let bodies = self
            .bodies
            .iter()
            .zip(self.body_motion.chunks_exact(self.dimension));
        let pairs = self
            .pairs
            .iter()
            .zip(self.pair_motion.chunks_exact(self.dimension));
        bodies.chain(pairs).map(share).fold(f64::INFINITY, f64::min)
    }
}
