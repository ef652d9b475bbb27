//! Checking with spheres, eight configurations at a time.
//!
//! In a block of eight configurations the frames are computed side by side; then the sphere around
//! each body is tested against each obstacle in reach, and where it touches, the spheres within it
//! (see [`crate::sphere_tree`]). Pairs of bodies of which spheres can tell nothing are left to the true
//! shapes (see [`crate::crowded`]).

use crate::arm::{Arm, ArmError};
use crate::block::LANES;
use crate::contacts::Contacts;
use crate::crowded::CrowdedPairs;
use crate::scene::Scene;
use crate::sphere_cover::SphereModel;
use crate::sphere_tree::{Body, Scratch, SphereTree, Touches};
use crate::surroundings::Surroundings;
use crate::sweep::BodyBall;
use crate::world::{ArmWorld, Margins};
use fearless_simd::{Level, Simd, dispatch, f32x8};
use psmp::checker::World;
use std::convert::Infallible;
use std::sync::Arc;

/// An arm in a scene, as spheres.
#[derive(Clone)]
pub struct SphereWorld {
    tree: Arc<SphereTree>,
    surroundings: Arc<Surroundings>,
    level: Level,
    eight: Scratch<[f32; LANES]>,
    one: Scratch<[f32; 1]>,
    crowded: Option<CrowdedPairs>,
}

impl SphereWorld {
    /// An arm whose links are covered by `spheres`, in a scene.
    ///
    /// # Errors
    /// If the scene attaches something to a link that the robot has not.
    ///
    /// # Panics
    /// If `spheres` are another robot's.
    pub fn new(arm: &Arm, spheres: &SphereModel, scene: &Scene) -> Result<Self, ArmError> {
        let contacts = Contacts::new(arm, scene)?;
        let tree = Arc::new(SphereTree::new(arm, spheres, &contacts));
        let surroundings = Surroundings::new(&tree, &contacts, scene);
        Ok(Self {
            eight: Scratch::new(&tree, [0.0; LANES]),
            one: Scratch::new(&tree, [0.0]),
            level: Level::new(),
            crowded: CrowdedPairs::new(arm, scene, &surroundings.crowded)?,
            surroundings: Arc::new(surroundings),
            tree,
        })
    }

    /// The same arm in another scene that has the same things attached to it, if any: what is
    /// known of the arm's spheres is shared.
    ///
    /// # Errors
    /// If the scene attaches something to a link that the robot has not.
    ///
    /// # Panics
    /// If `arm` is another arm, or the scene attaches other things.
    pub fn in_scene(&self, arm: &Arm, scene: &Scene) -> Result<Self, ArmError> {
        let contacts = Contacts::new(arm, scene)?;
        let count = contacts.bodies.len();
        assert_eq!(
            count,
            self.tree.bodies.len(),
            "the same arm, holding the same"
        );
        let surroundings = Surroundings::new(&self.tree, &contacts, scene);
        Ok(Self {
            crowded: CrowdedPairs::new(arm, scene, &surroundings.crowded)?,
            surroundings: Arc::new(surroundings),
            ..self.clone()
        })
    }

    /// The names of a body that never moves and of what it touches all the same, if there are any:
    /// then no configuration is free.
    #[must_use]
    pub fn standing_collision(&self) -> Option<(&str, &str)> {
        let found = self.surroundings.standing_collision.as_ref();
        found.map(|(body, object)| (body.as_str(), object.as_str()))
    }

    /// Whether a configuration is free, computed in one lane: the plain path that the fast one is
    /// measured against.
    #[must_use]
    pub fn is_free_in_one_lane(&mut self, configuration: &[f64]) -> bool {
        for (input, &value) in self.one.inputs.iter_mut().zip(configuration) {
            *input = [value as f32];
        }
        let hits = self
            .tree
            .hits::<f32>((), &self.surroundings, &mut self.one, 1);
        let crowded = self.crowded.as_mut();
        hits == 0 && crowded.is_none_or(|pairs| pairs.first_before(configuration, 1).is_none())
    }

    /// How much room there is around the spheres in a configuration: the least distance from one to
    /// what it must not touch, negative where they overlap.
    #[must_use]
    pub fn room(&mut self, configuration: &[f64]) -> f64 {
        for (input, &value) in self.one.inputs.iter_mut().zip(configuration) {
            *input = [value as f32];
        }
        self.tree.room(&self.surroundings, &mut self.one)
    }

    /// The spheres around the bodies.
    pub(crate) fn body_balls(&self) -> Vec<BodyBall> {
        let ball = |body: &Body| BodyBall {
            frame: body.frame,
            middle: body.bound.middle.map(f64::from),
            radius: f64::from(body.bound.radius),
        };
        self.tree.bodies.iter().map(ball).collect()
    }

    /// How many bodies the arm has.
    pub(crate) fn body_count(&self) -> usize {
        self.tree.bodies.len()
    }

    /// The box around each body in a configuration: its number, and the least and the greatest
    /// coordinates.
    pub(crate) fn body_boxes(
        &mut self,
        configuration: &[f64],
        mut each: impl FnMut(usize, [f32; 3], [f32; 3]),
    ) {
        for (input, &value) in self.one.inputs.iter_mut().zip(configuration) {
            *input = [value as f32];
        }
        self.tree.place_bodies::<f32>((), &mut self.one);
        for (index, body) in self.tree.bodies.iter().enumerate() {
            let middle = self.one.bodies[index].map(|v| v[0]);
            let radius = body.bound.radius;
            each(
                index,
                middle.map(|v| v - radius),
                middle.map(|v| v + radius),
            );
        }
    }

    /// Takes down what comes within its margin in up to eight configurations, standing collisions
    /// aside, and says which lanes they are in.
    pub(crate) fn touches(
        &mut self,
        configurations: &[f64],
        margins: Option<&Margins>,
        touches: &mut Touches,
    ) -> u8 {
        let dimension = self.tree.kinematics.dimension();
        let relevant = self.eight.load(configurations, dimension);
        let level = self.level;
        dispatch!(level, simd => self.touches_in_block(simd, margins, relevant, touches));
        relevant
    }

    #[inline(always)]
    fn touches_in_block<S: Simd>(
        &mut self,
        simd: S,
        margins: Option<&Margins>,
        relevant: u8,
        touches: &mut Touches,
    ) {
        let (surroundings, scratch) = (&self.surroundings, &mut self.eight);
        self.tree
            .touches::<f32x8<S>>(simd, surroundings, scratch, margins, relevant, touches);
    }

    #[inline(always)]
    fn within_margins<S: Simd>(&mut self, simd: S, margins: &Margins, relevant: u8) -> u8 {
        let (tree, scratch) = (&self.tree, &mut self.eight);
        tree.within_margins::<f32x8<S>>(simd, &self.surroundings, scratch, margins, relevant)
    }

    #[inline(always)]
    fn first_in_blocks<S: Simd>(&mut self, simd: S, configurations: &[f64]) -> Option<usize> {
        let dimension = self.tree.kinematics.dimension();
        let blocks = configurations.chunks(LANES * dimension);
        for (index, block) in blocks.enumerate() {
            let relevant = self.eight.load(block, dimension);
            let hits =
                self.tree
                    .hits::<f32x8<S>>(simd, &self.surroundings, &mut self.eight, relevant);
            let mut first = (hits != 0).then(|| hits.trailing_zeros() as usize);
            if let Some(crowded) = &mut self.crowded {
                let end = first.unwrap_or(LANES);
                first = crowded.first_before(block, end).or(first);
            }
            if let Some(lane) = first {
                return Some(index * LANES + lane);
            }
        }
        None
    }
}

impl World for SphereWorld {
    type Error = Infallible;

    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, Infallible> {
        let dimension = configuration.len();
        Ok(self.first_collision(configuration, dimension)?.is_none())
    }

    fn first_collision(
        &mut self,
        configurations: &[f64],
        dimension: usize,
    ) -> Result<Option<usize>, Infallible> {
        assert_eq!(
            dimension,
            self.tree.kinematics.dimension(),
            "one number for each joint"
        );
        let level = self.level;
        Ok(dispatch!(level, simd => self.first_in_blocks(simd, configurations)))
    }

    fn at_once(&self) -> u64 {
        LANES as u64
    }

    fn is_quick(&self) -> bool {
        true
    }
}

impl ArmWorld for SphereWorld {
    fn no_margins(&self) -> Margins {
        Margins::none(self.tree.bodies.len(), self.surroundings.pair_count())
    }

    fn clear(&mut self, configurations: &[f64], margins: &Margins) -> u8 {
        margins.assert_for(self.tree.bodies.len(), self.surroundings.pair_count());
        if configurations.is_empty() {
            return 0;
        }
        let relevant = self
            .eight
            .load(configurations, self.tree.kinematics.dimension());
        let level = self.level;
        let near = dispatch!(level, simd => self.within_margins(simd, margins, relevant));
        let clear = relevant & !near;
        match &mut self.crowded {
            Some(crowded) => clear & !crowded.within(configurations, clear, Some(margins)),
            None => clear,
        }
    }
}
