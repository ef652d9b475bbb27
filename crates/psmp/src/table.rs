//! Collision tables: which edge is free in which known world.
//!
//! A table is the experience that beliefs are made from. It is kept twice as bits: by edge (all
//! worlds of one edge in consecutive words, for counting worlds) and by world (all edges of one
//! world, for looking a sampled world up). [`CollisionTable`] holds both in memory; anything that
//! can hand out the same words, such as a file read into memory, is an [`Experience`] too.
//!
//! A world that was only planned in is known where it was checked and nowhere else. A
//! [`PartialTable`] holds such worlds too; what is missing has bits of its own and counts for
//! nothing.

use crate::roadmap::EdgeId;
use thiserror::Error;

/// A known world, counted from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct WorldId(pub u32);

impl WorldId {
    /// The id as an index.
    #[inline]
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Known worlds as two bit matrices. A set bit means free; bits past the end of a row are zero.
pub trait Experience {
    /// How many worlds are known.
    fn world_count(&self) -> usize;
    /// How many edges each world tells of.
    fn edge_count(&self) -> usize;
    /// The bits of all worlds for one edge, `world_count().div_ceil(64)` words.
    fn worlds_where_free(&self, edge: EdgeId) -> &[u64];
    /// The bits of all edges in one world, `edge_count().div_ceil(64)` words.
    fn free_edges_in(&self, world: WorldId) -> &[u64];

    /// The worlds that tell of this edge, in the same words; `None` if all of them do. A world that
    /// does not tell of an edge has no bit set in [`Experience::worlds_where_free`].
    #[inline]
    fn worlds_where_known(&self, _edge: EdgeId) -> Option<&[u64]> {
        None
    }

    /// The edges that this world tells of; `None` if all.
    #[inline]
    fn known_edges_in(&self, _world: WorldId) -> Option<&[u64]> {
        None
    }

    /// Whether an edge is free in a world.
    #[inline]
    fn is_free(&self, world: WorldId, edge: EdgeId) -> bool {
        bit(self.free_edges_in(world), edge.index())
    }
}

/// Tables are often shared between planners, so a reference serves as well.
impl<T: Experience + ?Sized> Experience for &T {
    fn world_count(&self) -> usize {
        (**self).world_count()
    }
    fn edge_count(&self) -> usize {
        (**self).edge_count()
    }
    #[inline]
    fn worlds_where_free(&self, edge: EdgeId) -> &[u64] {
        (**self).worlds_where_free(edge)
    }
    #[inline]
    fn free_edges_in(&self, world: WorldId) -> &[u64] {
        (**self).free_edges_in(world)
    }
    #[inline]
    fn worlds_where_known(&self, edge: EdgeId) -> Option<&[u64]> {
        (**self).worlds_where_known(edge)
    }
    #[inline]
    fn known_edges_in(&self, world: WorldId) -> Option<&[u64]> {
        (**self).known_edges_in(world)
    }
}

/// Bit `index` of a row.
#[inline]
pub(crate) fn bit(words: &[u64], index: usize) -> bool {
    words[index / 64] >> (index % 64) & 1 == 1
}

/// A collision table in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CollisionTable {
    worlds: usize,
    edges: usize,
    by_edge: Vec<u64>,
    by_world: Vec<u64>,
}

/// A row of a table has the wrong number of edges.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("world {world} tells of {found} edges, the table has {expected}")]
pub struct RowLengthError {
    /// The row.
    pub world: usize,
    /// How many edges it has.
    pub found: usize,
    /// How many it should have.
    pub expected: usize,
}

impl CollisionTable {
    /// A table of the given size in which every edge is blocked in every world.
    #[must_use]
    pub fn all_blocked(worlds: usize, edges: usize) -> Self {
        Self {
            worlds,
            edges,
            by_edge: vec![0; edges * worlds.div_ceil(64)],
            by_world: vec![0; worlds * edges.div_ceil(64)],
        }
    }

    /// A table from one row of edge states for each world.
    ///
    /// # Errors
    /// If the rows differ in length from `edges`.
    pub fn from_rows<R: AsRef<[bool]>>(edges: usize, rows: &[R]) -> Result<Self, RowLengthError> {
        let mut table = Self::all_blocked(rows.len(), edges);
        for (world, row) in rows.iter().enumerate() {
            let row = row.as_ref();
            if row.len() != edges {
                return Err(RowLengthError {
                    world,
                    found: row.len(),
                    expected: edges,
                });
            }
            for (edge, _) in row.iter().enumerate().filter(|(_, free)| **free) {
                table.set_free(WorldId(world as u32), EdgeId(edge as u32));
            }
        }
        Ok(table)
    }

    /// Marks an edge free in a world.
    ///
    /// # Panics
    /// If the world or the edge is outside the table.
    pub fn set_free(&mut self, world: WorldId, edge: EdgeId) {
        let (w, e) = (world.index(), edge.index());
        assert!(
            w < self.worlds && e < self.edges,
            "world {w}, edge {e} is outside a table of {} worlds and {} edges",
            self.worlds,
            self.edges
        );
        self.by_edge[e * self.worlds.div_ceil(64) + w / 64] |= 1 << (w % 64);
        self.by_world[w * self.edges.div_ceil(64) + e / 64] |= 1 << (e % 64);
    }
}

impl Experience for CollisionTable {
    fn world_count(&self) -> usize {
        self.worlds
    }

    fn edge_count(&self) -> usize {
        self.edges
    }

    #[inline]
    fn worlds_where_free(&self, edge: EdgeId) -> &[u64] {
        let words = self.worlds.div_ceil(64);
        &self.by_edge[edge.index() * words..(edge.index() + 1) * words]
    }

    #[inline]
    fn free_edges_in(&self, world: WorldId) -> &[u64] {
        let words = self.edges.div_ceil(64);
        &self.by_world[world.index() * words..(world.index() + 1) * words]
    }
}

/// A table of which entries may be missing.
///
/// ```
/// use psmp::{EdgeId, Experience, PartialTable, WorldId};
/// let mut table = PartialTable::unknown(1, 3);
/// table.set(WorldId(0), EdgeId(2), true);
/// assert_eq!(table.known_edges_in(WorldId(0)), Some(&[0b100][..]));
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialTable {
    free: CollisionTable,
    known: CollisionTable,
}

impl PartialTable {
    /// A table of the given size of which nothing is known.
    #[must_use]
    pub fn unknown(worlds: usize, edges: usize) -> Self {
        Self {
            free: CollisionTable::all_blocked(worlds, edges),
            known: CollisionTable::all_blocked(worlds, edges),
        }
    }

    /// Tells of an edge in a world for the first time.
    ///
    /// # Panics
    /// If the world or the edge is outside the table, or the edge is known blocked and now free.
    pub fn set(&mut self, world: WorldId, edge: EdgeId, free: bool) {
        if free {
            assert!(
                self.free.is_free(world, edge) || !self.known.is_free(world, edge),
                "edge {} of world {} is known blocked",
                edge.0,
                world.0
            );
            self.free.set_free(world, edge);
        }
        self.known.set_free(world, edge);
    }
}

impl Experience for PartialTable {
    fn world_count(&self) -> usize {
        self.free.world_count()
    }
    fn edge_count(&self) -> usize {
        self.free.edge_count()
    }
    #[inline]
    fn worlds_where_free(&self, edge: EdgeId) -> &[u64] {
        self.free.worlds_where_free(edge)
    }
    #[inline]
    fn free_edges_in(&self, world: WorldId) -> &[u64] {
        self.free.free_edges_in(world)
    }
    #[inline]
    fn worlds_where_known(&self, edge: EdgeId) -> Option<&[u64]> {
        Some(self.known.worlds_where_free(edge))
    }
    #[inline]
    fn known_edges_in(&self, world: WorldId) -> Option<&[u64]> {
        Some(self.known.free_edges_in(world))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_orders_agree() {
        let rows: Vec<Vec<bool>> = (0..130)
            .map(|w| (0..70).map(|e| (w * 7 + e * 3) % 5 != 0).collect())
            .collect();
        let table = CollisionTable::from_rows(70, &rows).unwrap();
        for (w, row) in rows.iter().enumerate() {
            for (e, &free) in row.iter().enumerate() {
                let (world, edge) = (WorldId(w as u32), EdgeId(e as u32));
                assert_eq!(table.is_free(world, edge), free);
                assert_eq!(bit(table.worlds_where_free(edge), w), free);
            }
        }
        assert!(CollisionTable::from_rows(70, &[vec![true; 69]]).is_err());
    }
}
