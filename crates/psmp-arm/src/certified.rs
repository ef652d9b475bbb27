//! Checking whole motions, not only configurations along them.
//!
//! A configuration in which everything is far away vouches for a stretch around it: no body moves
//! farther than the joints can carry it. The checker measures the middle of the motion, then the
//! middles of what is left uncertain on either side, until all of it is vouched for, a collision
//! is found, or a stretch is shorter than the resolution and still uncertain: then the motion comes
//! too near to something to be called free.

use crate::world::{ArmWorld, Clearances};
use psmp::checker::{BisectionError, Checker, Finding, Part, Sightings, Verdict};
use psmp::{EdgeId, Motion, Resolution, Roadmap, Space};
use std::convert::Infallible;

/// Checks that the whole of an edge is free, by clearances.
///
/// "Free" is a proof for the world's bodies; "blocked" means that a collision was found, or that
/// the motion passes so near to something that no proof is found down to the resolution.
#[derive(Debug, Clone)]
pub struct CertifiedChecker<W> {
    roadmap: Roadmap,
    resolution: Resolution,
    world: W,
    clearances: Clearances,
    configuration: Vec<f64>,
    steps: Vec<f64>,
    /// Stretches that are still uncertain, by their ends as shares of the motion.
    open: Vec<(f64, f64)>,
}

impl<W: ArmWorld> CertifiedChecker<W> {
    /// A checker for the edges of `roadmap`, which gives up at this resolution.
    ///
    /// # Errors
    /// If the roadmap has no configurations of the arm.
    pub fn new(
        roadmap: &Roadmap,
        resolution: Resolution,
        world: W,
    ) -> Result<Self, BisectionError> {
        let clearances = world.motions();
        let dimension = clearances.dimension();
        if roadmap.space().map(Space::dimension) != Some(dimension) {
            return Err(BisectionError::NoConfigurations);
        }
        Ok(Self {
            roadmap: roadmap.clone(),
            resolution,
            clearances,
            world,
            configuration: vec![0.0; dimension],
            steps: vec![0.0; dimension],
            open: Vec::with_capacity(64),
        })
    }

    fn certify(&mut self, edge: EdgeId, sightings: &mut Sightings) -> Verdict {
        let e = self.roadmap.edge(edge);
        let ends = [e.from, e.to].map(|v| self.roadmap.configuration(v));
        let (Some(space), [Some(a), Some(b)]) = (self.roadmap.space(), ends) else {
            unreachable!("`new` refuses roadmaps without configurations");
        };
        let axes = space.axes().iter().zip(a.iter().zip(b));
        for (step, (axis, (&x, &y))) in self.steps.iter_mut().zip(axes) {
            *step = axis.difference(x, y);
        }
        let finest = 1.0 / Motion::new(space, a, b, self.resolution).steps() as f64;
        let mut verdict = Verdict {
            free: true,
            configurations: 0,
        };
        self.open.clear();
        self.open.push((0.0, 1.0));
        // Depth first, so that what is open stays few.
        while let Some((low, high)) = self.open.pop() {
            let middle = low.midpoint(high);
            space.interpolate(a, b, middle, &mut self.configuration);
            self.world
                .measure(&self.configuration, &mut self.clearances);
            verdict.configurations += 1;
            let free = self.clearances.free();
            sightings.push(&self.configuration, free);
            let safe = self.clearances.safe_share(&self.steps);
            let uncertain = safe < middle - low;
            if !free || (uncertain && high - low < finest) {
                verdict.free = false;
                break;
            }
            if uncertain {
                self.open.push((low, middle - safe));
                self.open.push((middle + safe, high));
            }
        }
        verdict
    }
}

impl<W: ArmWorld> Checker for CertifiedChecker<W> {
    type Error = Infallible;

    fn check(&mut self, part: Part<'_>, sightings: &mut Sightings) -> Result<Finding, Infallible> {
        let edge = part.edge;
        let cost = self.cost_if_free(edge);
        part.whole(cost, || Ok(self.certify(edge, sightings)))
    }
}
