//! Collision tables: which edge is free in which known world.
//!
//! A table is the experience that beliefs are made from. It is kept twice as bits: by edge (all
//! worlds of one edge in consecutive words, for counting worlds) and by world (all edges of one
//! world, for looking a sampled world up).
//!
//! A world that was only planned in is known where it was checked and nowhere else. What is missing of
//! such worlds has bits of its own and counts for nothing.
//!
//! A table may have [features](Features) of its worlds. An [`Experience`] may then know those of the world that is
//! planned in, too.

use crate::features::{Features, unlikeness};
use crate::roadmap::EdgeId;
use std::sync::Arc;
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

/// Bit `index` of a row.
#[inline]
pub(crate) fn bit(words: &[u64], index: usize) -> bool {
    words[index / 64] >> (index % 64) & 1 == 1
}

/// A matrix of bits, by edge and by world. Bits past the end of a row are zero.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Bits {
    by_edge: Vec<u64>,
    by_world: Vec<u64>,
}

/// Known worlds. A set bit means free.
///
/// ```
/// use psmp::{CollisionTable, EdgeId, WorldId};
/// let mut table = CollisionTable::unknown(1, 3);
/// table.set(WorldId(0), EdgeId(2), true);
/// assert_eq!(table.known_edges_in(WorldId(0)), Some(&[0b100][..]));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct CollisionTable {
    worlds: usize,
    edges: usize,
    free: Bits,
    /// Where the state of an edge is known, if it is not everywhere.
    known: Option<Bits>,
    features: Option<Features>,
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
            free: Bits::none(worlds, edges),
            known: None,
            features: None,
        }
    }

    /// A table of the given size of which nothing is known.
    #[must_use]
    pub fn unknown(worlds: usize, edges: usize) -> Self {
        Self {
            known: Some(Bits::none(worlds, edges)),
            ..Self::all_blocked(worlds, edges)
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
                table.set(WorldId(world as u32), EdgeId(edge as u32), true);
            }
        }
        Ok(table)
    }

    /// A table of all its words: for each edge the bits of all worlds, and for each world the bits of
    /// all edges; then the same of what is known, if that is not everything. `None` if there are not
    /// as many words as the size asks for. That both orders agree is for the caller to see to.
    #[must_use]
    pub fn from_words(
        worlds: usize,
        edges: usize,
        free: [Vec<u64>; 2],
        known: Option<[Vec<u64>; 2]>,
    ) -> Option<Self> {
        let bits = |[by_edge, by_world]: [Vec<u64>; 2]| {
            let fits = by_edge.len() == edges * worlds.div_ceil(64)
                && by_world.len() == worlds * edges.div_ceil(64);
            fits.then_some(Bits { by_edge, by_world })
        };
        Some(Self {
            worlds,
            edges,
            free: bits(free)?,
            known: match known {
                Some(known) => Some(bits(known)?),
                None => None,
            },
            features: None,
        })
    }

    /// The same, with what is known of its worlds before any check.
    ///
    /// # Panics
    /// If these are features of another number of worlds.
    #[must_use]
    pub fn with_features(mut self, features: Features) -> Self {
        assert_eq!(
            features.world_count(),
            self.worlds,
            "every world has its features"
        );
        self.features = Some(features);
        self
    }

    /// What is known of its worlds before any check, if anything is.
    #[must_use]
    pub fn features(&self) -> Option<&Features> {
        self.features.as_ref()
    }

    /// The same worlds with room for so many more, of which nothing is known yet.
    #[must_use]
    pub fn with_room_for(&self, more: usize) -> Self {
        let all: Vec<WorldId> = (0..self.worlds as u32).map(WorldId).collect();
        self.chosen(&all, more)
    }

    /// These worlds only, in this order.
    #[must_use]
    pub fn of_worlds(&self, worlds: &[WorldId]) -> Self {
        self.chosen(worlds, 0)
    }

    fn chosen(&self, worlds: &[WorldId], more: usize) -> Self {
        let mut table = Self::unknown(worlds.len() + more, self.edges);
        for (place, &world) in worlds.iter().enumerate() {
            for edge in (0..self.edges as u32).map(EdgeId) {
                if self.is_known(world, edge) {
                    table.set(WorldId(place as u32), edge, self.is_free(world, edge));
                }
            }
        }
        let chosen = worlds.iter().map(|world| world.index());
        table.features = self.features.as_ref().map(|f| f.chosen(chosen, more));
        table
    }

    /// Tells of an edge in a world.
    ///
    /// # Panics
    /// If the world or the edge is outside the table.
    pub fn set(&mut self, world: WorldId, edge: EdgeId, free: bool) {
        let (w, e) = (world.index(), edge.index());
        let (worlds, edges) = (self.worlds, self.edges);
        assert!(
            w < worlds && e < edges,
            "world {w}, edge {e} is outside a table of {worlds} worlds and {edges} edges",
        );
        self.free.set(worlds, edges, world, edge, free);
        if let Some(known) = &mut self.known {
            known.set(worlds, edges, world, edge, true);
        }
    }

    /// How many worlds are known.
    #[must_use]
    pub fn world_count(&self) -> usize {
        self.worlds
    }

    /// How many edges each world tells of.
    #[must_use]
    pub fn edge_count(&self) -> usize {
        self.edges
    }

    /// All worlds.
    pub fn worlds(&self) -> impl Iterator<Item = WorldId> + use<> {
        (0..self.worlds as u32).map(WorldId)
    }

    /// The bits of all worlds for one edge, `world_count().div_ceil(64)` words.
    #[inline]
    #[must_use]
    pub fn worlds_where_free(&self, edge: EdgeId) -> &[u64] {
        self.free.of_edge(self.worlds, edge)
    }

    /// The bits of all edges in one world, `edge_count().div_ceil(64)` words.
    #[inline]
    #[must_use]
    pub fn free_edges_in(&self, world: WorldId) -> &[u64] {
        self.free.of_world(self.edges, world)
    }

    /// All words of what is free, as [`CollisionTable::from_words`] takes them: by edge, and by world.
    #[must_use]
    pub fn free_words(&self) -> [&[u64]; 2] {
        [&self.free.by_edge, &self.free.by_world]
    }

    /// The worlds that tell of this edge, in the same words; `None` if all of them do. A world that
    /// does not tell of an edge has no bit set in [`CollisionTable::worlds_where_free`].
    #[inline]
    #[must_use]
    pub fn worlds_where_known(&self, edge: EdgeId) -> Option<&[u64]> {
        let known = self.known.as_ref();
        known.map(|known| known.of_edge(self.worlds, edge))
    }

    /// The edges that this world tells of; `None` if all.
    #[inline]
    #[must_use]
    pub fn known_edges_in(&self, world: WorldId) -> Option<&[u64]> {
        let known = self.known.as_ref();
        known.map(|known| known.of_world(self.edges, world))
    }

    /// Whether an edge is free in a world.
    #[inline]
    #[must_use]
    pub fn is_free(&self, world: WorldId, edge: EdgeId) -> bool {
        bit(self.free_edges_in(world), edge.index())
    }

    /// Whether a world tells of an edge.
    #[inline]
    #[must_use]
    pub fn is_known(&self, world: WorldId, edge: EdgeId) -> bool {
        let known = self.known_edges_in(world);
        known.is_none_or(|known| bit(known, edge.index()))
    }
}

impl Bits {
    fn none(worlds: usize, edges: usize) -> Self {
        Self {
            by_edge: vec![0; edges * worlds.div_ceil(64)],
            by_world: vec![0; worlds * edges.div_ceil(64)],
        }
    }

    fn set(&mut self, worlds: usize, edges: usize, world: WorldId, edge: EdgeId, value: bool) {
        let (w, e) = (world.index(), edge.index());
        let of_edge = &mut self.by_edge[e * worlds.div_ceil(64) + w / 64];
        let of_world = &mut self.by_world[w * edges.div_ceil(64) + e / 64];
        *of_edge = *of_edge & !(1 << (w % 64)) | u64::from(value) << (w % 64);
        *of_world = *of_world & !(1 << (e % 64)) | u64::from(value) << (e % 64);
    }

    #[inline]
    fn of_edge(&self, worlds: usize, edge: EdgeId) -> &[u64] {
        let words = worlds.div_ceil(64);
        &self.by_edge[edge.index() * words..(edge.index() + 1) * words]
    }

    #[inline]
    fn of_world(&self, edges: usize, world: WorldId) -> &[u64] {
        let words = edges.div_ceil(64);
        &self.by_world[world.index() * words..(world.index() + 1) * words]
    }
}

/// The known worlds that a planner may learn from: some or all of a table.
///
/// ```
/// use psmp::{CollisionTable, Experience};
/// let table = CollisionTable::from_rows(2, &[[true, false], [true, true]])?;
/// let experience = Experience::from(table);
/// assert_eq!(experience.worlds().len(), 2);
/// # Ok::<(), psmp::RowLengthError>(())
/// ```
#[derive(Debug, Clone)]
pub struct Experience {
    table: Arc<CollisionTable>,
    worlds: Arc<[WorldId]>,
    /// The features of the world that is planned in.
    here: Option<Arc<[f64]>>,
}

impl Experience {
    /// Some worlds of a table.
    ///
    /// # Panics
    /// If a world is not in the table.
    #[must_use]
    pub fn of(
        table: impl Into<Arc<CollisionTable>>,
        worlds: impl IntoIterator<Item = WorldId>,
    ) -> Self {
        let (table, worlds) = (table.into(), worlds.into_iter().collect::<Arc<[_]>>());
        let known = table.world_count();
        if let Some(world) = worlds.iter().find(|w| w.index() >= known) {
            panic!("world {} is not in a table of {known} worlds", world.0);
        }
        Self {
            table,
            worlds,
            here: None,
        }
    }

    /// The same for one who plans in a world of these features. They say something where the table has features of
    /// the same kind.
    #[must_use]
    pub fn for_world_with(mut self, features: &[f64]) -> Self {
        self.here = Some(features.into());
        self
    }

    /// How unlike each of its worlds is to the one that is planned in, by their features. `None` if nothing is known of
    /// that one; for a world, if nothing is known of it.
    #[must_use]
    pub fn unlikeness(&self) -> Option<Vec<Option<f64>>> {
        let (features, here) = self.table.features().zip(self.here.as_deref())?;
        let each = self.worlds.iter();
        let each = each.map(|world| unlikeness(features.of(world.index()), here));
        let all: Vec<_> = each.collect();
        all.iter().any(Option::is_some).then_some(all)
    }

    /// The table.
    #[must_use]
    pub fn table(&self) -> &Arc<CollisionTable> {
        &self.table
    }

    /// The worlds of it that count.
    #[must_use]
    pub fn worlds(&self) -> &[WorldId] {
        &self.worlds
    }

    /// The same less some worlds.
    #[must_use]
    pub fn without(&self, left_out: &[WorldId]) -> Self {
        let worlds = self.worlds.iter().copied();
        Self {
            here: self.here.clone(),
            ..Self::of(self.table.clone(), worlds.filter(|w| !left_out.contains(w)))
        }
    }

    /// What one would know who planned in this world and had not: all the others, and its features.
    #[must_use]
    pub fn as_if_in(&self, world: WorldId) -> Self {
        let others = self.without(&[world]);
        match self.table.features() {
            Some(features) => others.for_world_with(features.of(world.index())),
            None => others,
        }
    }
}

impl<T: Into<Arc<CollisionTable>>> From<T> for Experience {
    fn from(table: T) -> Self {
        let table = table.into();
        Self {
            worlds: table.worlds().collect(),
            table,
            here: None,
        }
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
