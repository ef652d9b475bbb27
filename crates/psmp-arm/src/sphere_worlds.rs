//! One arm in many scenes, asked about the same motions.
//!
//! A motion's kinematics, its self-collisions and the boxes that the bodies sweep are computed once
//! for all scenes. In a scene only those bodies are looked at whose swept box meets the box of an
//! obstacle, and their spheres, once placed, serve in all other scenes too.

use crate::arm::{Arm, ArmError};
use crate::block::LANES;
use crate::clearance::clearances_in;
use crate::contacts::Contacts;
use crate::crowded::CrowdedPairs;
use crate::scene::Scene;
use crate::sphere_cover::SphereModel;
use crate::sphere_tree::{BodyPair, Scratch, SphereTree};
use crate::surroundings::{BoxedSurroundings, PlacedBlock, SweptBox};
use fearless_simd::{Level, Simd, dispatch, f32x8};
use psmp::Features;
use std::sync::Arc;

/// One arm in many scenes, asked about the same motions: what does not depend on the scene is
/// computed once for all of them.
pub struct SphereWorlds {
    tree: Arc<SphereTree>,
    scenes: Arc<[(BoxedSurroundings, usize)]>,
    /// Which bodies must not touch each other; for each scene it is one of these.
    pair_sets: Arc<[Vec<BodyPair>]>,
    /// For each of these sets the pairs of which spheres tell nothing.
    crowded: Vec<Option<CrowdedPairs>>,
    level: Level,
    /// The blocks of a motion.
    blocks: Vec<PlacedBlock>,
    /// What each body sweeps.
    swept: Vec<SweptBox>,
    /// Whether the bodies of each pair set touch each other along the motion.
    meets_itself: Vec<bool>,
    /// What is known of each scene before any motion is asked about.
    features: Option<Arc<Features>>,
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
        let mut pair_sets: Vec<(Vec<BodyPair>, Vec<BodyPair>)> = Vec::new();
        let mut crowded = Vec::new();
        let boxed = |scene: &Scene| {
            let contacts = Contacts::new(arm, scene)?;
            let pairs = tree.pairs(&contacts);
            let set = match pair_sets.iter().position(|set| *set == pairs) {
                Some(known) => known,
                None => {
                    crowded.push(CrowdedPairs::new(arm, scene, &pairs.1)?);
                    pair_sets.push(pairs);
                    pair_sets.len() - 1
                }
            };
            Ok((BoxedSurroundings::new(&tree, &contacts, scene), set))
        };
        Ok(Self {
            scenes: scenes.iter().map(boxed).collect::<Result<_, _>>()?,
            swept: vec![SweptBox::NOTHING; tree.bodies.len()],
            meets_itself: vec![false; pair_sets.len()],
            pair_sets: pair_sets.into_iter().map(|(told, _)| told).collect(),
            crowded,
            blocks: Vec::new(),
            level: Level::new(),
            tree: Arc::new(tree),
            features: clearances_in(arm, scenes).map(Arc::new),
        })
    }

    /// The arm's [clearances](Arm::clearances) in the scenes; nothing if there is no scene.
    pub(crate) fn features(&self) -> Option<&Features> {
        self.features.as_deref()
    }

    /// How many scenes there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.scenes.len()
    }

    /// The scenes in which a body that never moves touches something all the same, so that nothing
    /// is free there: their numbers, and the names of the body and of what it touches.
    pub fn standing_collisions(&self) -> impl Iterator<Item = (usize, &str, &str)> {
        let scenes = self.scenes.iter().enumerate();
        scenes.filter_map(|(number, (scene, _))| {
            let (body, object) = scene.standing_collision.as_ref()?;
            Some((number, body.as_str(), object.as_str()))
        })
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
        self.meets_itself.fill(false);
        free.fill(0);
        let mut count = 0;
        let blocks = configurations.chunks(LANES * dimension);
        for (configurations, block) in blocks.zip(&mut self.blocks) {
            let scratch = &mut block.scratch;
            block.lanes = scratch.load(configurations, dimension);
            tree.place_bodies::<f32x8<S>>(simd, scratch);
            let sets = self.pair_sets.iter().zip(&mut self.crowded);
            for ((pairs, crowded), meets) in sets.zip(&mut self.meets_itself) {
                let hits = tree.hits_with_itself::<f32x8<S>>(simd, pairs, scratch, block.lanes);
                *meets |= hits != 0;
                if let Some(crowded) = crowded {
                    *meets = *meets || crowded.first_before(configurations, LANES).is_some();
                }
            }
            if self.meets_itself.iter().all(|&meets| meets) {
                return;
            }
            let bodies = tree.bodies.iter().zip(&scratch.bodies);
            for ((body, middles), swept) in bodies.zip(&mut self.swept) {
                swept.take_in(middles, body.bound.radius);
            }
            count += 1;
        }
        let blocks = &mut self.blocks[..count];
        for (number, (scene, pairs)) in self.scenes.iter().enumerate() {
            let blocked = self.meets_itself[*pairs]
                || scene.standing_collision.is_some()
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
            pair_sets: self.pair_sets.clone(),
            crowded: self.crowded.clone(),
            meets_itself: self.meets_itself.clone(),
            level: self.level,
            blocks: Vec::new(),
            swept: self.swept.clone(),
            features: self.features.clone(),
        }
    }
}
