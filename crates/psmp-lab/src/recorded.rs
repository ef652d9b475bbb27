//! Planning in a recorded world: a row of a collision table, and its image where there is one.
//!
//! The table is the truth about edges. Where the dataset has an image of the world and coordinates,
//! the image says how many configurations a check would have taken: all of a free edge, those of a
//! blocked one up to its first collision in bisection order. Without an image each edge counts as
//! one. Image and table differ for a few edges in a thousand; the table is believed, and an edge it
//! calls blocked that the image shows free takes all of its configurations, the last in collision.

use psmp::checker::{
    BisectionChecker, BisectionError, Checker, Finding, Part, Sightings, Verdict, World,
};
use psmp::{CollisionTable, EdgeId, Resolution, Roadmap, WorldId};
use psmp_worlds::OccupancyGrid;
use std::convert::Infallible;
use std::sync::Arc;

/// An image that is told what the table says before it is asked.
struct Overruled {
    image: OccupancyGrid,
    edge_is_free: bool,
    /// How many configurations it has yet to be asked about until the edge's last.
    left: u64,
}

impl World for Overruled {
    type Error = Infallible;

    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, Infallible> {
        self.left -= 1;
        let is_collision = self.left == 0 || !self.image.is_free(configuration)?;
        Ok(self.edge_is_free || !is_collision)
    }
}

/// Checks edges against a world of a table.
pub struct RecordedChecker {
    table: Arc<CollisionTable>,
    world: WorldId,
    by_image: Option<BisectionChecker<Overruled>>,
}

impl RecordedChecker {
    /// A check counts as one configuration.
    #[must_use]
    pub fn by_edges(table: &Arc<CollisionTable>, world: WorldId) -> Self {
        Self {
            table: table.clone(),
            world,
            by_image: None,
        }
    }

    /// A check counts as many configurations as it would take in the image.
    ///
    /// # Errors
    /// If the roadmap has no configurations or the resolution makes no sense.
    pub fn by_image(
        table: &Arc<CollisionTable>,
        world: WorldId,
        roadmap: &Roadmap,
        image: OccupancyGrid,
        resolution: Resolution,
    ) -> Result<Self, BisectionError> {
        let overruled = Overruled {
            image,
            edge_is_free: true,
            left: 0,
        };
        Ok(Self {
            by_image: Some(BisectionChecker::new(roadmap, resolution, overruled)?),
            ..Self::by_edges(table, world)
        })
    }
}

impl Checker for RecordedChecker {
    type Error = Infallible;

    fn check(&mut self, part: Part<'_>, sightings: &mut Sightings) -> Result<Finding, Infallible> {
        let edge = part.edge;
        let free = self.table.is_free(self.world, edge);
        let Some(checker) = &mut self.by_image else {
            let verdict = Verdict {
                free,
                configurations: 1,
            };
            return part.whole(1, || Ok(verdict));
        };
        let left = checker.cost_if_free(edge) - part.seen;
        let world = checker.world_mut();
        (world.edge_is_free, world.left) = (free, left);
        checker.check(part, sightings)
    }

    fn cost_if_free(&self, edge: EdgeId) -> u64 {
        let by_image = self.by_image.as_ref();
        by_image.map_or(1, |checker| checker.cost_if_free(edge))
    }
}
