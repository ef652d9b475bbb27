//! Planning in a recorded world: a row of a collision table, and where there is one the world itself: its image, its
//! boxes or an arm's scene.
//!
//! The table is the truth about edges. Where the dataset has an image of the world and coordinates,
//! the image says how many configurations a check would have taken: all of a free edge, those of a
//! blocked one up to its first collision in bisection order. Without an image each edge counts as
//! one. Image and table differ for a few edges in a thousand; the table is believed, and an edge it
//! calls blocked that the image shows free takes all of its configurations, the last in collision.
//! Boxes in a space of three axes and an arm's scene do what an image does.
//!
//! In the published experiments every edge counts its ends, though others have them too; so it is for planners that check
//! whole edges. Those that check in parts ask about no vertex twice.

use psmp::by_name::PlannerName;
use psmp::checker::{
    Bill, BisectionChecker, BisectionError, Checker, Finding, Part, Sightings, Verdict,
    VerticesOnce, World,
};
use psmp::{CollisionTable, EdgeId, Resolution, Roadmap, WorldId};
use std::convert::Infallible;
use std::sync::Arc;

/// A world that answers for every configuration, and goes from thread to thread.
pub type Sight = Box<dyn World<Error = Infallible> + Send>;

/// A world that is told what the table says before it is asked.
struct Overruled {
    sight: Sight,
    edge_is_free: bool,
    /// How many configurations it has yet to be asked about until the edge's last.
    left: u64,
}

impl World for Overruled {
    type Error = Infallible;

    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, Infallible> {
        self.left -= 1;
        Ok(self.edge_is_free || (self.left > 0 && self.sight.is_free(configuration)?))
    }
}

/// What says how many configurations a check takes.
enum Counting {
    Edges,
    /// The vertices of an edge count with each edge again.
    Configurations(BisectionChecker<Overruled>),
    VerticesOnce(VerticesOnce<Overruled>),
}

/// Checks edges against a world of a table.
pub struct RecordedChecker {
    table: Arc<CollisionTable>,
    world: WorldId,
    counting: Counting,
}

impl RecordedChecker {
    /// A check counts as one configuration.
    #[must_use]
    pub fn by_edges(table: &Arc<CollisionTable>, world: WorldId) -> Self {
        Self {
            table: table.clone(),
            world,
            counting: Counting::Edges,
        }
    }

    /// A check counts as many configurations as it would take in the world that is seen.
    ///
    /// # Errors
    /// If the roadmap has no configurations or the resolution makes no sense.
    pub fn by_configurations(
        table: &Arc<CollisionTable>,
        world: WorldId,
        roadmap: &Roadmap,
        sight: Sight,
        resolution: Resolution,
    ) -> Result<Self, BisectionError> {
        let overruled = Overruled {
            sight,
            edge_is_free: true,
            left: 0,
        };
        let checker = BisectionChecker::new(roadmap, resolution, overruled)?;
        Ok(Self {
            counting: Counting::Configurations(checker),
            ..Self::by_edges(table, world)
        })
    }

    /// The same checker for a planner: one that checks edges in parts asks about no vertex twice, one that checks whole
    /// edges counts as published.
    #[must_use]
    pub fn for_planner(self, planner: &PlannerName) -> Self {
        let in_parts = planner.checks_in_parts();
        let counting = match self.counting {
            Counting::Configurations(checker) if in_parts => {
                Counting::VerticesOnce(VerticesOnce::new(checker, []))
            }
            counting => counting,
        };
        Self { counting, ..self }
    }

    fn checker(&self) -> Option<&dyn Checker<Error = Infallible>> {
        match &self.counting {
            Counting::Edges => None,
            Counting::Configurations(checker) => Some(checker),
            Counting::VerticesOnce(checker) => Some(checker),
        }
    }
}

impl Checker for RecordedChecker {
    type Error = Infallible;

    fn check(&mut self, part: Part<'_>, sightings: &mut Sightings) -> Result<Finding, Infallible> {
        let edge = part.edge;
        let free = self.table.is_free(self.world, edge);
        if let (true, Counting::VerticesOnce(checker)) = (free, &mut self.counting) {
            checker.forget_collisions(edge);
        }
        let left = self.cost_if_free(edge).saturating_sub(part.seen);
        let told = |world: &mut Overruled| (world.edge_is_free, world.left) = (free, left);
        let mut finding = match &mut self.counting {
            Counting::Edges => {
                let verdict = Verdict {
                    free,
                    configurations: 1,
                };
                return part.whole(1, || Ok(verdict));
            }
            Counting::Configurations(checker) => {
                told(checker.world_mut());
                checker.check(part, sightings)?
            }
            Counting::VerticesOnce(checker) => {
                told(checker.world_mut());
                checker.check(part, sightings)?
            }
        };
        // Where nothing was left to ask about the table is believed too.
        finding.free = finding.free.map(|_| free);
        Ok(finding)
    }

    fn cost_if_free(&self, edge: EdgeId) -> u64 {
        self.checker()
            .map_or(1, |checker| checker.cost_if_free(edge))
    }

    fn bill(&self, edge: EdgeId, verdict: Option<Verdict>, knows_ends: [bool; 2]) -> Bill {
        match self.checker() {
            Some(checker) => checker.bill(edge, verdict, knows_ends),
            None => Bill::of_the_edge(1),
        }
    }

    fn portion(&self, edge: EdgeId, wanted: u64) -> u64 {
        self.checker()
            .map_or(wanted, |checker| checker.portion(edge, wanted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp::{Direction, Edge, Limit, Space};
    use psmp_worlds::{Frame, OccupancyGrid};

    /// One edge along the middle of an image whose right half is occupied, if it is not free throughout:
    /// what the check finds and takes, whole and in parts of three.
    fn check(edge_is_free: bool, image_is_free: bool) -> [(bool, u64); 2] {
        let edges = vec![Edge::new(0, 1, 1.0)];
        let roadmap = Roadmap::from_edges(2, Direction::Undirected, edges).unwrap();
        let configurations = vec![0.0, 0.5, 1.0, 0.5];
        let roadmap = roadmap.with_configurations(Space::unit(2), configurations);
        let roadmap = roadmap.unwrap();
        let table = Arc::new(CollisionTable::from_rows(1, &[[edge_is_free]]).unwrap());
        let is_free = |column, _| image_is_free || column < 50;
        let image = OccupancyGrid::from_fn(101, 101, Frame::unit(), is_free).unwrap();
        let resolution = Resolution::distance(0.1).unwrap();
        [u64::MAX, 3].map(|most| {
            let (world, image) = (WorldId(0), Box::new(image.clone()));
            let checker =
                RecordedChecker::by_configurations(&table, world, &roadmap, image, resolution);
            let mut checker = checker.unwrap();
            assert_eq!(checker.cost_if_free(EdgeId(0)), 11);
            let mut sightings = Sightings::new(2);
            let mut seen = 0;
            loop {
                let part = Part {
                    edge: EdgeId(0),
                    seen,
                    most,
                    limit: &Limit::NONE,
                };
                let Ok(finding) = checker.check(part, &mut sightings);
                seen += finding.configurations;
                assert_eq!(sightings.len() as u64, seen);
                if let Some(free) = finding.free {
                    let all_free = sightings.iter().all(|(_, free)| free);
                    assert_eq!(all_free, free);
                    return (free, seen);
                }
            }
        })
    }

    #[test]
    fn the_table_is_believed_and_the_image_says_what_it_costs() {
        assert_eq!(check(true, true), [(true, 11); 2]);
        // The far end is occupied, and it is the second to be asked about.
        assert_eq!(check(false, false), [(false, 2); 2]);
        assert_eq!(check(true, false), [(true, 11); 2]);
        assert_eq!(check(false, true), [(false, 11); 2]);
    }

    /// Two edges that meet where the image is occupied. A planner that checks in parts asks there once, but where the table
    /// says that an edge is free it is, and costs what a free one does.
    #[test]
    fn the_table_is_believed_where_vertices_are_asked_about_once() {
        let edges = vec![Edge::new(0, 1, 0.5), Edge::new(1, 2, 0.5)];
        let roadmap = Roadmap::from_edges(3, Direction::Undirected, edges)
            .and_then(|graph| {
                graph.with_configurations(Space::unit(2), vec![0.0, 0.5, 0.5, 0.5, 1.0, 0.5])
            })
            .unwrap();
        let image = OccupancyGrid::from_fn(101, 101, Frame::unit(), |x, _| x != 50).unwrap();
        let resolution = Resolution::distance(0.1).unwrap();
        let costs = |table: [bool; 2], planner: &str| {
            let table = Arc::new(CollisionTable::from_rows(2, &[table]).unwrap());
            let image = Box::new(image.clone());
            let checker =
                RecordedChecker::by_configurations(&table, WorldId(0), &roadmap, image, resolution);
            let mut checker = checker.unwrap().for_planner(&planner.parse().unwrap());
            [0, 1].map(|edge| {
                let part = Part::whole_of(EdgeId(edge));
                let Ok(finding) = checker.check(part, &mut Sightings::new(2));
                assert_eq!(finding.free, Some(table.is_free(WorldId(0), EdgeId(edge))));
                finding.configurations
            })
        };
        assert_eq!(costs([false, false], "psmp:fs"), [2, 1]);
        assert_eq!(costs([false, false], "ei:local"), [2, 0]);
        assert_eq!(costs([true, true], "psmp:fs"), [6, 6]);
        assert_eq!(costs([true, true], "ei:local"), [6, 5]);
        assert_eq!(costs([false, true], "ei:local"), [2, 6]);
        assert_eq!(costs([true, false], "ei:local"), [6, 5]);
    }
}
