//! Checking edges by looking them up in a collision table.

use super::{Checker, Extent, Finding, Sightings, Verdict};
use crate::roadmap::EdgeId;
use crate::table::{CollisionTable, WorldId};
use std::convert::Infallible;
use std::sync::Arc;

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
    fn check(
        &mut self,
        edge: EdgeId,
        extent: Extent<'_>,
        _: &mut Sightings,
    ) -> Result<Finding, Infallible> {
        let configurations = self.cost_if_free(edge);
        let free = self.table.is_free(self.world, edge);
        extent.whole(configurations, || {
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
}
