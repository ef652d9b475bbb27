//! Checking edges by looking them up in a collision table.

use super::{Checker, Sightings, Verdict};
use crate::roadmap::EdgeId;
use crate::table::{Experience, WorldId};
use std::convert::Infallible;

/// What a look-up is said to cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EdgePrices {
    /// Every edge counts as one configuration: then the cost is the number of edges.
    One,
    /// Each edge counts as this many configurations, blocked or free.
    Each(Vec<u64>),
}

/// Looks edges up in one world of a table.
#[derive(Debug, Clone)]
pub struct TableChecker<T> {
    table: T,
    world: WorldId,
    prices: EdgePrices,
}

impl<T: Experience> TableChecker<T> {
    /// A checker in `world` of `table`.
    ///
    /// # Panics
    /// If the table has no such world, or the prices are fewer than its edges.
    #[must_use]
    pub fn new(table: T, world: WorldId, prices: EdgePrices) -> Self {
        assert!(
            world.index() < table.world_count(),
            "world {} is not in a table of {} worlds",
            world.0,
            table.world_count()
        );
        if let EdgePrices::Each(prices) = &prices {
            assert!(
                prices.len() >= table.edge_count(),
                "there are {} prices for {} edges",
                prices.len(),
                table.edge_count()
            );
        }
        Self {
            table,
            world,
            prices,
        }
    }
}

impl<T: Experience> Checker for TableChecker<T> {
    type Error = Infallible;
    fn check(&mut self, edge: EdgeId, _: &mut Sightings) -> Result<Verdict, Infallible> {
        Ok(Verdict {
            free: self.table.is_free(self.world, edge),
            configurations: self.price_if_free(edge),
        })
    }

    fn price_if_free(&self, edge: EdgeId) -> u64 {
        match &self.prices {
            EdgePrices::One => 1,
            EdgePrices::Each(prices) => prices[edge.index()],
        }
    }
}
