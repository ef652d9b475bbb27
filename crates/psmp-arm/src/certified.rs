//! Checking whole motions, not only configurations along them.
//!
//! A configuration in which everything is far away vouches for a stretch around it: no body moves
//! farther than the joints can carry it. The checker measures the middle of the motion, then the
//! middles of what is left uncertain on either side, until all of it is vouched for, a collision
//! is found, or a stretch is shorter than the resolution and still uncertain: then the motion comes
//! too near to something to be called free.

use crate::world::{ArmWorld, Clearances};
use psmp::checker::{Checker, Sightings, Verdict};
use psmp::{EdgeId, Roadmap, Space};
use std::convert::Infallible;

/// Checks that the whole of an edge is free, by clearances.
///
/// "Free" is a proof for the world's bodies; "blocked" means that a collision was found, or that
/// the motion passes so near to something that no proof is found down to the resolution.
#[derive(Debug, Clone)]
pub struct CertifiedChecker<'a, W> {
    roadmap: &'a Roadmap,
    space: &'a Space,
    resolution: f64,
    world: W,
    clearances: Clearances,
    configuration: Vec<f64>,
    steps: Vec<f64>,
    /// Stretches that are still uncertain, by their ends as shares of the motion.
    open: Vec<(f64, f64)>,
}

impl<'a, W: ArmWorld> CertifiedChecker<'a, W> {
    /// A checker for the edges of `roadmap`; `resolution` is the largest joint step at which it
    /// gives up. `None` if the roadmap has no configurations of the arm, or the resolution is not
    /// positive and finite.
    #[must_use]
    pub fn new(roadmap: &'a Roadmap, resolution: f64, world: W) -> Option<Self> {
        let space = roadmap.space()?;
        let clearances = world.motions();
        let fits = clearances.dimension() == space.dimension();
        (fits && resolution > 0.0 && resolution.is_finite()).then(|| Self {
            roadmap,
            space,
            resolution,
            clearances,
            world,
            configuration: vec![0.0; space.dimension()],
            steps: vec![0.0; space.dimension()],
            open: Vec::with_capacity(64),
        })
    }
}

impl<W: ArmWorld> Checker for CertifiedChecker<'_, W> {
    type Error = Infallible;

    fn check(&mut self, edge: EdgeId, sightings: &mut Sightings) -> Result<Verdict, Infallible> {
        let e = self.roadmap.edge(edge);
        let ends = [e.from, e.to].map(|v| self.roadmap.configuration(v));
        let [Some(a), Some(b)] = ends else {
            unreachable!("`new` refuses roadmaps without configurations");
        };
        let axes = self.space.axes().iter().zip(a.iter().zip(b));
        for (step, (axis, (&x, &y))) in self.steps.iter_mut().zip(axes) {
            *step = axis.difference(x, y);
        }
        let largest = self.steps.iter().fold(0.0, |m: f64, s| m.max(s.abs()));
        let finest = self.resolution / largest.max(1e-300);
        let mut configurations = 0;
        self.open.clear();
        self.open.push((0.0, 1.0));
        // Depth first, so that what is open stays few.
        while let Some((low, high)) = self.open.pop() {
            let middle = low.midpoint(high);
            self.space
                .interpolate(a, b, middle, &mut self.configuration);
            self.world
                .measure(&self.configuration, &mut self.clearances);
            configurations += 1;
            let free = self.clearances.free();
            sightings.push(&self.configuration, free);
            let safe = self.clearances.safe_share(&self.steps);
            let uncertain = safe < middle - low;
            if !free || (uncertain && high - low < finest) {
                return Ok(Verdict {
                    free: false,
                    configurations,
                });
            }
            if uncertain {
                self.open.push((low, middle - safe));
                self.open.push((middle + safe, high));
            }
        }
        Ok(Verdict {
            free: true,
            configurations,
        })
    }
}
