//! Checking with spheres first, and with the true shapes where the spheres touch.
//!
//! Spheres cover the links, so what they call free is free; where they touch, the true shapes may
//! still pass. The spheres of eight configurations at a time tell which body may touch which obstacle
//! or other body, and the true shapes are asked about these alone. The verdicts are those of the true
//! shapes at a price near that of spheres, and an arm may be where its hull of spheres has no room:
//! with its fingers around a thing, say.

use crate::arm::{Arm, ArmError};
use crate::block::LANES;
use crate::exact::ExactWorld;
use crate::scene::Scene;
use crate::sphere_cover::SphereModel;
use crate::sphere_tree::Touches;
use crate::spheres::SphereWorld;
use crate::world::{ArmWorld, Margins};
use psmp::checker::World;
use std::convert::Infallible;

/// An arm in a scene: free if its true shapes are, of which only those are asked whose spheres touch.
#[derive(Clone)]
pub struct RefinedWorld {
    spheres: SphereWorld,
    exact: ExactWorld,
    touches: Touches,
    dimension: usize,
}

impl RefinedWorld {
    /// An arm whose links are covered by `spheres`, in a scene.
    ///
    /// # Errors
    /// If the scene attaches something to a link that the robot has not.
    ///
    /// # Panics
    /// If `spheres` are another robot's.
    pub fn new(arm: &Arm, spheres: &SphereModel, scene: &Scene) -> Result<Self, ArmError> {
        Ok(Self {
            spheres: SphereWorld::new(arm, spheres, scene)?,
            exact: ExactWorld::new(arm, scene)?,
            touches: Touches::default(),
            dimension: arm.dimension(),
        })
    }

    /// Whether everything keeps its margin in a configuration by the true shapes, where the spheres
    /// of its lane touch.
    fn keeps(&mut self, lane: usize, configuration: &[f64], margins: Option<&Margins>) -> bool {
        let Touches { bodies, pairs } = &mut self.touches;
        let exact = &mut self.exact;
        let here = |lanes: u8| lanes >> lane & 1 == 1;
        let any = bodies.iter().any(|touch| here(touch.2)) || pairs.iter().any(|t| here(t.1));
        if !any {
            return true;
        }
        exact.place(configuration);
        let near = |&(body, obstacle, lanes): &(u32, u32, u8)| {
            let (body, obstacle) = (body as usize, obstacle as usize);
            let margin = margins.map_or(0.0, |m| m.bodies[body]);
            here(lanes) && !exact.body_keeps(body, obstacle, margin)
        };
        if let Some(place) = bodies.iter().position(near) {
            // What touches in a lane often does in the next one too.
            bodies[..=place].rotate_right(1);
            return false;
        }
        let near = |&(pair, lanes): &(u32, u8)| {
            let margin = margins.map_or(0.0, |m| m.pairs[pair as usize]);
            here(lanes) && !exact.pair_keeps(pair as usize, margin)
        };
        if let Some(place) = pairs.iter().position(near) {
            pairs[..=place].rotate_right(1);
            return false;
        }
        true
    }
}

impl World for RefinedWorld {
    type Error = Infallible;

    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, Infallible> {
        let found = self.first_collision(configuration, self.dimension)?;
        Ok(found.is_none())
    }

    fn first_collision(
        &mut self,
        configurations: &[f64],
        dimension: usize,
    ) -> Result<Option<usize>, Infallible> {
        assert_eq!(dimension, self.dimension, "one number for each joint");
        if self.exact.stands_in_collision() && !configurations.is_empty() {
            return Ok(Some(0));
        }
        for (index, block) in configurations.chunks(LANES * dimension).enumerate() {
            self.spheres.touches(block, None, &mut self.touches);
            let each = block.chunks_exact(dimension).enumerate();
            for (lane, q) in each {
                if !self.keeps(lane, q, None) {
                    return Ok(Some(index * LANES + lane));
                }
            }
        }
        Ok(None)
    }

    fn at_once(&self) -> u64 {
        self.spheres.at_once()
    }

    fn is_quick(&self) -> bool {
        true
    }
}

impl ArmWorld for RefinedWorld {
    fn no_margins(&self) -> Margins {
        self.exact.no_margins()
    }

    fn clear(&mut self, configurations: &[f64], margins: &Margins) -> u8 {
        self.exact.assert_for(margins);
        let each = configurations.chunks_exact(self.dimension);
        if self.exact.stands_in_collision() || configurations.is_empty() {
            return 0;
        }
        self.spheres
            .touches(configurations, Some(margins), &mut self.touches);
        each.enumerate().fold(0, |clear, (lane, q)| {
            clear | u8::from(self.keeps(lane, q, Some(margins))) << lane
        })
    }
}
