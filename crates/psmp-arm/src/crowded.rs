//! Pairs of bodies that stand so close that their spheres touch wherever the arm is.
//!
//! Spheres reach beyond the links that they cover. Where two links are joined by a short one between
//! them, their spheres may touch in every configuration while the links never do, and then spheres
//! alone would call nothing free. Such pairs are left to the true shapes.

use crate::arm::{Arm, ArmError};
use crate::exact::ExactWorld;
use crate::scene::Scene;
use crate::sphere_tree::BodyPair;
use crate::world::Margins;

/// Pairs of bodies that are checked by their true shapes.
#[derive(Clone)]
pub(crate) struct CrowdedPairs {
    exact: ExactWorld,
    places: Vec<usize>,
    dimension: usize,
}

impl CrowdedPairs {
    /// These pairs of an arm in a scene, if there are any.
    pub fn new(arm: &Arm, scene: &Scene, pairs: &[BodyPair]) -> Result<Option<Self>, ArmError> {
        if pairs.is_empty() {
            return Ok(None);
        }
        let without_objects = Scene {
            objects: Vec::new(),
            ..scene.clone()
        };
        Ok(Some(Self {
            exact: ExactWorld::new(arm, &without_objects)?,
            places: pairs.iter().map(|pair| pair.place as usize).collect(),
            dimension: arm.dimension(),
        }))
    }

    /// Which of some lanes of a block have a pair within its margin, a bit for each.
    pub fn within(&mut self, block: &[f64], lanes: u8, margins: Option<&Margins>) -> u8 {
        let each = block.chunks_exact(self.dimension).enumerate();
        each.filter(|(lane, _)| lanes >> lane & 1 == 1)
            .fold(0, |within, (lane, q)| {
                within | u8::from(!self.keeps(q, margins)) << lane
            })
    }

    /// The first lane of a block before `end` in which the bodies of a pair touch.
    pub fn first_before(&mut self, block: &[f64], end: usize) -> Option<usize> {
        let mut each = block.chunks_exact(self.dimension).take(end);
        each.position(|q| !self.keeps(q, None))
    }

    fn keeps(&mut self, configuration: &[f64], margins: Option<&Margins>) -> bool {
        let Self { exact, places, .. } = self;
        exact.place(configuration);
        let margin = |pair: usize| margins.map_or(0.0, |m| m.pairs[pair]);
        places
            .iter()
            .all(|&pair| exact.pair_keeps(pair, margin(pair)))
    }
}
