//! Planning in a recorded world: a row of a collision table, and its image where there is one.
//!
//! The table is the truth about edges. Where the dataset has an image of the world and coordinates,
//! the image says how many configurations a check would have taken: all of a free edge, those of a
//! blocked one up to its first collision in bisection order. Without an image each edge counts as
//! one. Image and table differ for a few edges in a thousand; the table is believed, and an edge it
//! calls blocked that the image shows free takes all of its configurations, the last in collision.

use psmp::checker::{BisectionChecker, BisectionError, Checker, Look, Sightings, Verdict, World};
use psmp::{CollisionTable, EdgeId, Experience, Limit, Roadmap, WorldId};
use psmp_worlds::OccupancyGrid;
use std::convert::Infallible;

/// An image that is told what the table says before it is asked.
struct Overruled {
    image: OccupancyGrid,
    edge_is_free: bool,
    /// How many configurations it has yet to be asked about until the edge's last.
    left: usize,
}

impl World for Overruled {
    type Error = Infallible;

    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, Infallible> {
        self.image.is_free(configuration)
    }

    fn first_collision(
        &mut self,
        configurations: &[f64],
        dimension: usize,
    ) -> Result<Option<usize>, Infallible> {
        if self.edge_is_free {
            return Ok(None);
        }
        let seen = self.image.first_collision(configurations, dimension)?;
        let asked = configurations.len() / dimension;
        self.left -= asked;
        Ok(seen.or((self.left == 0).then_some(asked - 1)))
    }
}

/// Checks edges against a world of a table.
pub struct RecordedChecker<'a> {
    table: &'a CollisionTable,
    world: WorldId,
    by_image: Option<BisectionChecker<'a, Overruled>>,
}

impl<'a> RecordedChecker<'a> {
    /// A check counts as one configuration.
    #[must_use]
    pub fn by_edges(table: &'a CollisionTable, world: WorldId) -> Self {
        Self {
            table,
            world,
            by_image: None,
        }
    }

    /// A check counts as many configurations as it would take in the image.
    ///
    /// # Errors
    /// If the roadmap has no configurations or the resolution makes no sense.
    pub fn by_image(
        table: &'a CollisionTable,
        world: WorldId,
        roadmap: &'a Roadmap,
        image: OccupancyGrid,
        resolution: f64,
    ) -> Result<Self, BisectionError> {
        let overruled = Overruled {
            image,
            edge_is_free: true,
            left: 0,
        };
        Ok(Self {
            table,
            world,
            by_image: Some(BisectionChecker::new(roadmap, resolution, overruled)?),
        })
    }
}

impl Checker for RecordedChecker<'_> {
    type Error = Infallible;

    fn check(&mut self, edge: EdgeId, sightings: &mut Sightings) -> Result<Verdict, Infallible> {
        let Ok(look) = self.look(edge, 0, u64::MAX, &Limit::none(), sightings);
        Ok(look.of_the_whole())
    }

    fn look(
        &mut self,
        edge: EdgeId,
        seen: u64,
        most: u64,
        limit: &Limit,
        sightings: &mut Sightings,
    ) -> Result<Look, Infallible> {
        let free = self.table.is_free(self.world, edge);
        let Some(checker) = &mut self.by_image else {
            if limit.configurations() == 0 {
                return Ok(Look::NOTHING);
            }
            return Ok(Look {
                free: Some(free),
                configurations: 1,
            });
        };
        let left = (checker.configurations_of(edge) - seen) as usize;
        let world = checker.world_mut();
        (world.edge_is_free, world.left) = (free, left);
        checker.look(edge, seen, most, limit, sightings)
    }

    fn price_if_free(&self, edge: EdgeId) -> u64 {
        self.by_image
            .as_ref()
            .map_or(1, |checker| checker.price_if_free(edge))
    }
}
