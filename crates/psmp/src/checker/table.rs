//! Checking edges by looking them up in a collision table, and making such tables.

use super::{BisectionChecker, BisectionError, Checker, Finding, Part, Sightings, Verdict, World};
use crate::motion::Resolution;
use crate::roadmap::{EdgeId, Growth, Roadmap, RoadmapError};
use crate::table::{CollisionTable, WorldId};
use std::convert::Infallible;
use std::sync::Arc;
use thiserror::Error;

/// What a look-up is said to cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EdgeCosts {
    /// Every edge counts as one configuration: then the cost is the number of edges.
    One,
    /// Each edge counts as this many configurations, blocked or free.
    Each(Vec<u64>),
}

/// Looks edges up in one world of a table.
#[derive(Debug, Clone)]
pub struct TableChecker {
    table: Arc<CollisionTable>,
    world: WorldId,
    costs: EdgeCosts,
}

impl TableChecker {
    /// A checker in `world` of `table`.
    ///
    /// # Panics
    /// If the table has no such world, or the costs are fewer than its edges.
    #[must_use]
    pub fn new(table: impl Into<Arc<CollisionTable>>, world: WorldId, costs: EdgeCosts) -> Self {
        let table = table.into();
        assert!(
            world.index() < table.world_count(),
            "world {} is not in a table of {} worlds",
            world.0,
            table.world_count()
        );
        if let EdgeCosts::Each(costs) = &costs {
            assert!(
                costs.len() >= table.edge_count(),
                "there are {} costs for {} edges",
                costs.len(),
                table.edge_count()
            );
        }
        Self {
            table,
            world,
            costs,
        }
    }
}

impl Checker for TableChecker {
    type Error = Infallible;
    fn check(&mut self, part: Part<'_>, _: &mut Sightings) -> Result<Finding, Infallible> {
        let edge = part.edge;
        let configurations = self.cost_if_free(edge);
        let free = self.table.is_free(self.world, edge);
        part.whole(configurations, || {
            Ok(Verdict {
                free,
                configurations,
            })
        })
    }

    fn cost_if_free(&self, edge: EdgeId) -> u64 {
        match &self.costs {
            EdgeCosts::One => 1,
            EdgeCosts::Each(costs) => costs[edge.index()],
        }
    }

    /// A table has no other edges than it has.
    fn grow(&mut self, _: &Growth) -> Result<(), RoadmapError> {
        Err(RoadmapError::CannotGrow("a collision table"))
    }
}

/// Why a table cannot be made.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum TableError<E> {
    /// The edges cannot be checked in a world.
    #[error(transparent)]
    Bisection(#[from] BisectionError),
    /// A check failed.
    #[error("an edge could not be checked: {0}")]
    World(E),
}

/// Checks all edges of a roadmap in each of these worlds: the experience that beliefs learn from.
///
/// # Errors
/// If the roadmap has no configurations, the resolution makes no sense, or a world fails.
pub fn check_all<W: World>(
    roadmap: &Roadmap,
    resolution: Resolution,
    worlds: impl IntoIterator<Item = W>,
) -> Result<CollisionTable, TableError<W::Error>> {
    let mut rows: Vec<Vec<bool>> = Vec::new();
    let mut sightings = Sightings::new(roadmap.space().map_or(0, |space| space.dimension()));
    for world in worlds {
        let mut checker = BisectionChecker::new(roadmap, resolution, world)?;
        let mut row = Vec::with_capacity(roadmap.edge_count());
        for edge in roadmap.edge_ids() {
            sightings.clear();
            let finding = checker.check(Part::whole_of(edge), &mut sightings);
            row.push(finding.map_err(TableError::World)?.free == Some(true));
        }
        rows.push(row);
    }
    let mut table = CollisionTable::all_blocked(rows.len(), roadmap.edge_count());
    for (world, row) in table.worlds().zip(&rows) {
        for edge in roadmap.edge_ids() {
            table.set(world, edge, row[edge.index()]);
        }
    }
    Ok(table)
}
