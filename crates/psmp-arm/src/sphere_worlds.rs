//! One arm in many scenes, asked about the same motions.
//!
//! A motion's kinematics, its self-collisions and the boxes that the bodies sweep are computed once
//! for all scenes. In a scene only those bodies are looked at whose swept box meets the box of an
//! obstacle, and their spheres, once placed, serve in all other scenes too.

use crate::arm::{Arm, ArmError};
use crate::block::LANES;
use crate::contacts::Contacts;
use crate::scene::Scene;
use crate::sphere_cover::SphereModel;
use crate::sphere_tree::{Scratch, SphereTree};
use crate::surroundings::{BoxedSurroundings, PlacedBlock, SweptBox};
use fearless_simd::{Level, Simd, dispatch, f32x8};
use std::sync::Arc;

/// One arm in many scenes, asked about the same motions: what does not depend on the scene is
/// computed once for all of them.
pub struct SphereWorlds {
    tree: Arc<SphereTree>,
    scenes: Arc<[BoxedSurroundings]>,
    level: Level,
    /// The blocks of a motion.
    blocks: Vec<PlacedBlock>,
    /// What each body sweeps.
    swept: Vec<SweptBox>,
}

impl SphereWorlds {
    /// An arm in these scenes, which attach nothing to it.
    ///
    /// # Errors
    /// If a scene attaches something to the arm: what it holds is part of the arm, so that nothing
    /// would be the same for all.
    pub fn new(arm: &Arm, spheres: &SphereModel, scenes: &[Scene]) -> Result<Self, ArmError> {
        if let Some(held) = scenes.iter().find_map(|s| s.attached.first()) {
            return Err(ArmError::AttachedInTable(held.object.name.clone()));
        }
        let alone = Contacts::new(arm, &Scene::default())?;
        let tree = SphereTree::new(arm, spheres, &alone);
        let boxed = |scene: &Scene| {
            let contacts = Contacts::new(arm, scene)?;
            Ok(BoxedSurroundings::new(&tree, &contacts, scene))
        };
        Ok(Self {
            scenes: scenes.iter().map(boxed).collect::<Result<_, _>>()?,
            swept: vec![SweptBox::NOTHING; tree.bodies.len()],
            blocks: Vec::new(),
            level: Level::new(),
            tree: Arc::new(tree),
        })
    }

    /// How many scenes there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.scenes.len()
    }

    /// In which scenes all of these configurations are free: a bit each in `free`, which has
    /// `count().div_ceil(64)` words.
    pub fn free_in(&mut self, configurations: &[f64], free: &mut [u64]) {
        let blocks = configurations.len();
        let blocks = blocks.div_ceil(LANES * self.tree.kinematics.dimension());
        while self.blocks.len() < blocks {
            self.blocks.push(PlacedBlock {
                scratch: Scratch::new(&self.tree, [0.0; LANES]),
                lanes: 0,
            });
        }
        let level = self.level;
        dispatch!(level, simd => self.free_in_blocks(simd, configurations, free));
    }

    #[inline(always)]
    fn free_in_blocks<S: Simd>(&mut self, simd: S, configurations: &[f64], free: &mut [u64]) {
        let tree = &*self.tree;
        let dimension = tree.kinematics.dimension();
        self.swept.fill(SweptBox::NOTHING);
        free.fill(0);
        let mut count = 0;
        let blocks = configurations.chunks(LANES * dimension);
        for (configurations, block) in blocks.zip(&mut self.blocks) {
            let scratch = &mut block.scratch;
            block.lanes = scratch.load(configurations, dimension);
            tree.place_bodies::<f32x8<S>>(simd, scratch);
            if tree.hits_with_itself::<f32x8<S>>(simd, scratch, block.lanes) != 0 {
                return;
            }
            let bodies = tree.bodies.iter().zip(&scratch.bodies);
            for ((body, middles), swept) in bodies.zip(&mut self.swept) {
                swept.take_in(middles, body.bound.radius);
            }
            count += 1;
        }
        let blocks = &mut self.blocks[..count];
        for (number, scene) in self.scenes.iter().enumerate() {
            let blocked = scene.never_free
                || scene.touched::<f32x8<S>>(simd, tree, &self.swept, &mut *blocks);
            free[number / 64] |= u64::from(!blocked) << (number % 64);
        }
    }
}

impl Clone for SphereWorlds {
    /// The scenes are shared, so that every thread can have its own.
    fn clone(&self) -> Self {
        Self {
            tree: self.tree.clone(),
            scenes: self.scenes.clone(),
            level: self.level,
            blocks: Vec::new(),
            swept: self.swept.clone(),
        }
    }
}
