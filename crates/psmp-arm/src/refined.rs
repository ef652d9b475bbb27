//! Checking with spheres first, and with the true shapes where the spheres touch.
//!
//! Spheres cover the links, so what they call free is free; where they touch, the true shapes may
//! still pass. This world asks the true shapes only then. Its verdicts are those of the true shapes
//! at a price near that of spheres, and an arm may be where its hull of spheres has no room: with
//! its fingers around a thing, say.

use crate::arm::{Arm, ArmError};
use crate::exact::ExactWorld;
use crate::scene::Scene;
use crate::sphere_cover::SphereModel;
use crate::spheres::SphereWorld;
use crate::world::{ArmWorld, Clearances, Margins};
use psmp::checker::World;
use std::convert::Infallible;

/// An arm in a scene: free if its spheres are, or else if its true shapes are.
#[derive(Clone)]
pub struct RefinedWorld {
    spheres: SphereWorld,
    exact: ExactWorld,
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
            dimension: arm.dimension(),
        })
    }
}

impl World for RefinedWorld {
    type Error = Infallible;

    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, Infallible> {
        Ok(self.spheres.is_free(configuration)? || self.exact.is_free(configuration)?)
    }

    fn first_collision(
        &mut self,
        configurations: &[f64],
        dimension: usize,
    ) -> Result<Option<usize>, Infallible> {
        let mut from = 0;
        while let Some(place) = self
            .spheres
            .first_collision(&configurations[from * dimension..], dimension)?
        {
            let place = from + place;
            let q = &configurations[place * dimension..(place + 1) * dimension];
            if !self.exact.is_free(q)? {
                return Ok(Some(place));
            }
            from = place + 1;
        }
        Ok(None)
    }

    fn at_once(&self) -> u64 {
        self.spheres.at_once()
    }
}

impl ArmWorld for RefinedWorld {
    fn no_margins(&self) -> Margins {
        self.exact.no_margins()
    }

    fn clear(&mut self, configurations: &[f64], margins: &Margins) -> u8 {
        let mut clear = self.spheres.clear(configurations, margins);
        let each = configurations.chunks_exact(self.dimension);
        for (lane, q) in each.enumerate() {
            if clear >> lane & 1 == 0 {
                clear |= self.exact.clear(q, margins) << lane;
            }
        }
        clear
    }

    fn motions(&self) -> Clearances {
        self.exact.motions()
    }

    fn measure(&mut self, configuration: &[f64], clearances: &mut Clearances) {
        self.exact.measure(configuration, clearances);
    }
}
