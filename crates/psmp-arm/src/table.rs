//! Collision tables: which edge of a roadmap is free in which of many scenes.
//!
//! An edge's configurations are computed once and tested against all scenes. Edges are done in
//! shards on all cores; a shard that is done is a file with a checksum, so that a run that was
//! killed goes on where it was. The shards' folder is named by a fingerprint of everything that
//! the table depends on; what belongs to another table is never taken for this one's.

use crate::sphere_worlds::SphereWorlds;
use psmp::{BisectionOrder, CollisionTable, EdgeId, Resolution, Roadmap, WorldId};
use psmp_files::{FileError, read_shard, write_shard};
use rayon::prelude::*;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use twox_hash::XxHash64;

/// How many edges a shard has.
const SHARD: usize = 512;

/// What a table is made of.
pub struct TableJob<'a> {
    /// The roadmap, with configurations of the arm.
    pub roadmap: &'a Roadmap,
    /// The arm in every scene.
    pub worlds: &'a SphereWorlds,
    /// How far apart the configurations of an edge lie.
    pub resolution: Resolution,
    /// What else tells this table from others: the robot, the scenes.
    pub name: u64,
}

impl TableJob<'_> {
    /// Computes the table, keeping finished shards in a folder under `parts`; the folder is
    /// removed by [`TableJob::clean`]. `done` is called with the number of edges of each finished
    /// shard, also of those found finished.
    ///
    /// # Errors
    /// If a shard cannot be written.
    ///
    /// # Panics
    /// If the roadmap has no configurations.
    pub fn compute(
        &self,
        parts: &Path,
        done: impl Fn(usize) + Sync,
    ) -> Result<CollisionTable, FileError> {
        assert!(
            self.roadmap.space().is_some(),
            "a roadmap with configurations"
        );
        let folder = self.folder(parts);
        std::fs::create_dir_all(&folder).map_err(|e| FileError::io(&folder, "create", e))?;
        let edges = self.roadmap.edge_count();
        let shards: Vec<Vec<u64>> = (0..edges.div_ceil(SHARD))
            .into_par_iter()
            .map_init(
                || (self.worlds.clone(), BisectionOrder::default(), Vec::new()),
                |(worlds, order, batch), shard| {
                    let range = shard * SHARD..((shard + 1) * SHARD).min(edges);
                    let path = folder.join(format!("{shard:06}"));
                    let words = range.len() * worlds.count().div_ceil(64);
                    let rows = match read_shard(&path, words) {
                        Some(rows) => rows,
                        None => {
                            let rows = self.rows(range.clone(), worlds, order, batch);
                            write_shard(&path, &rows)?;
                            rows
                        }
                    };
                    done(range.len());
                    Ok(rows)
                },
            )
            .collect::<Result<_, FileError>>()?;
        let worlds = self.worlds.count();
        let words = worlds.div_ceil(64);
        let mut table = CollisionTable::all_blocked(worlds, edges);
        let rows = shards
            .iter()
            .flat_map(|shard| shard.chunks_exact(words.max(1)));
        for (edge, row) in rows.enumerate() {
            for world in (0..worlds).filter(|w| row[w / 64] >> (w % 64) & 1 == 1) {
                table.set(WorldId(world as u32), EdgeId(edge as u32), true);
            }
        }
        Ok(match self.worlds.features() {
            Some(features) => table.with_features(features.clone()),
            None => table,
        })
    }

    /// Removes the finished shards of this table.
    ///
    /// # Errors
    /// If they cannot be removed.
    pub fn clean(&self, parts: &Path) -> Result<(), FileError> {
        let folder = self.folder(parts);
        std::fs::remove_dir_all(&folder).map_err(|e| FileError::io(&folder, "remove", e))
    }

    fn rows(
        &self,
        edges: std::ops::Range<usize>,
        worlds: &mut SphereWorlds,
        order: &mut BisectionOrder,
        batch: &mut Vec<f64>,
    ) -> Vec<u64> {
        let words = worlds.count().div_ceil(64);
        let mut rows = vec![0; edges.len() * words];
        for (edge, row) in edges.zip(rows.chunks_exact_mut(words.max(1))) {
            let motion = self.roadmap.motion(EdgeId(edge as u32), self.resolution);
            let Some(motion) = motion else { continue };
            let (count, dimension) = (motion.configurations(), motion.space().dimension());
            batch.resize(count * dimension, 0.0);
            let order = order.of(count).iter();
            for (&step, q) in order.zip(batch.chunks_exact_mut(dimension)) {
                motion.write(step as usize, q);
            }
            worlds.free_in(batch, row);
        }
        rows
    }

    fn folder(&self, parts: &Path) -> PathBuf {
        let mut hash = XxHash64::with_seed(1);
        hash.write_u64(self.name);
        hash.write_u64(self.resolution.step().to_bits());
        hash.write_usize(self.worlds.count());
        for edge in self.roadmap.edges() {
            hash.write_u32(edge.from.0);
            hash.write_u32(edge.to.0);
        }
        for vertex in self.roadmap.vertices() {
            for value in self.roadmap.configuration(vertex).into_iter().flatten() {
                hash.write_u64(value.to_bits());
            }
        }
        parts.join(format!("{:016x}", hash.finish()))
    }
}

/// A number for contents: the same for the same bytes, for [`TableJob::name`].
#[must_use]
pub fn fingerprint(bytes: &[u8]) -> u64 {
    XxHash64::oneshot(0, bytes)
}
