//! Known maps: a roadmap checked in every one of many, on all cores.
//!
//! [`MapSet::open`] finds out from the first map where all of them lie; with a roadmap there,
//! [`MapSet::check`] says which of its edges are free in which map. A motion is free that is free all along,
//! by every cell that the robot passes, as planning in a map has it.
//!
//! A map that is done is a file with a checksum, in a folder that is named by a fingerprint of all that
//! verdicts depend on beside the map, and under a name that is a hash of the map's content. So a run that was
//! stopped goes on where it was, though maps be renamed, taken out or added; one that has changed is
//! checked again.

use crate::free_edges::{bit, free_edges};
use psmp::checker::{BisectionChecker, BisectionError};
use psmp::{Axis, CollisionTable, Resolution, Roadmap, Space, SpaceError, WorldId};
use psmp_files::{
    FileError, Fingerprint, MapArea, MapSetting, WorldRecord, read_shard, write_shard,
};
use psmp_worlds::{DiscRobot, MapFile};
use rayon::prelude::*;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use thiserror::Error;
use twox_hash::XxHash64;

/// Beside roadmap and maps, what verdicts on edges depend on is this code.
const VERSION: u64 = 1;

/// Why maps cannot be learned from.
#[derive(Debug, Error)]
pub enum MapsError {
    /// A map that cannot be read or does not go with the others, or a file that cannot be written.
    #[error(transparent)]
    File(#[from] FileError),
    /// The roadmap cannot be checked in maps.
    #[error(transparent)]
    Roadmap(#[from] BisectionError),
    /// No maps.
    #[error("there are no maps to learn from")]
    NoMaps,
    /// The caller did not want to go on.
    #[error("stopped before all maps were checked")]
    Stopped,
}

/// The distance between the configurations of an edge that is usual in a map: fine enough to find most of
/// what is in the way, because a map proves what lies between.
#[must_use]
pub fn usual_map_resolution(space: &Space) -> f64 {
    space.longest_side() / 100.0
}

/// A robot in a map, as a belief was learned with, if there is one: unless they are given, its radius is the
/// one that was learned with, and a picture lies where it was said to for those that were learned from.
///
/// # Errors
/// If the map cannot be read, or does not lie where those lie that were learned from.
pub fn robot_in_map(
    map: &Path,
    bounds: Option<[[f64; 2]; 2]>,
    radius: Option<f64>,
    learned: Option<(&Path, &MapSetting)>,
) -> Result<DiscRobot, FileError> {
    let file = MapFile::open(map)?;
    let setting = learned.map(|(_, setting)| setting);
    let given = setting.filter(|setting| setting.is_area_given && !file.says_where());
    let bounds = bounds.or(given.map(|setting| setting.area.bounds));
    let radius = radius.or(setting.map(|setting| setting.robot_radius));
    let robot = file.robot(bounds, radius.unwrap_or(0.0))?;
    if let Some((belief, setting)) = learned {
        setting.area.check(belief, map, robot.grown().area())?;
    }
    Ok(robot)
}

/// What verdicts on the motions of a robot in a map depend on.
#[must_use]
pub fn map_record(robot: &DiscRobot, resolution: Resolution) -> WorldRecord {
    let grid = robot.grown();
    let rows =
        (0..grid.height()).flat_map(|row| (0..grid.width()).map(move |column| (column, row)));
    let cells = rows.map(|(column, row)| u8::from(grid.is_cell_free(column, row)));
    let rest = format!("{:?} {} {resolution:?}", grid.frame(), robot.radius());
    let all: Vec<u8> = cells.chain(rest.into_bytes()).collect();
    WorldRecord::whole(b"a disc in the plane", &all)
}

/// Maps of one part of the plane.
#[derive(Debug, Clone)]
pub struct MapSet {
    maps: Vec<PathBuf>,
    bounds: Option<[[f64; 2]; 2]>,
    robot_radius: f64,
    area: MapArea,
}

impl MapSet {
    /// Maps for a robot of this radius, 0 for a point. Pictures lie within the `bounds` of x and y if they
    /// are given; else their longer side runs from 0 to 1. All must lie where the first one does.
    ///
    /// # Errors
    /// If there are no maps, or the first one cannot be read.
    pub fn open(
        maps: Vec<PathBuf>,
        bounds: Option<[[f64; 2]; 2]>,
        robot_radius: f64,
    ) -> Result<Self, MapsError> {
        let first = maps.first().ok_or(MapsError::NoMaps)?;
        let area = MapFile::open(first)?.robot(bounds, robot_radius)?;
        let area = area.grown().area();
        Ok(Self {
            maps,
            bounds,
            robot_radius,
            area,
        })
    }

    /// How many maps there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.maps.len()
    }

    /// The part of the plane that the maps cover.
    ///
    /// # Errors
    /// If it is larger than numbers are.
    pub fn space(&self) -> Result<Space, SpaceError> {
        let axes = self
            .area
            .bounds
            .map(|[lower, upper]| Axis::new(lower, upper));
        let [x, y] = axes;
        Space::new(vec![x?, y?])
    }

    /// What is learned with, once the maps have been checked.
    #[must_use]
    pub fn setting(&self, roadmap: &Roadmap, resolution: Resolution) -> MapSetting {
        MapSetting {
            roadmap: roadmap.clone(),
            area: self.area,
            is_area_given: self.bounds.is_some(),
            robot_radius: self.robot_radius,
            resolution: resolution.step(),
        }
    }

    /// Checks every edge in every map. Finished maps are kept in a folder under `parts`, which
    /// [`MapSet::clean`] removes. `goes_on` is asked after each, from any thread, also after those found finished.
    ///
    /// # Errors
    /// If a map cannot be read or lies elsewhere than the first, the roadmap cannot be checked, a finished map
    /// cannot be kept, or it is not to go on.
    pub fn check(
        &self,
        roadmap: &Roadmap,
        resolution: Resolution,
        parts: &Path,
        goes_on: impl Fn() -> bool + Sync,
    ) -> Result<CollisionTable, MapsError> {
        let folder = self.folder(roadmap, resolution, parts);
        std::fs::create_dir_all(&folder).map_err(|e| FileError::io(&folder, "create", e))?;
        let rows: Vec<Vec<u64>> = self
            .maps
            .par_iter()
            // One map takes long enough that all of them are to be shared out evenly to the end.
            .with_max_len(1)
            .map(|path| {
                let row = self.row(path, roadmap, resolution, &folder)?;
                match goes_on() {
                    true => Ok(row),
                    false => Err(MapsError::Stopped),
                }
            })
            .collect::<Result<_, MapsError>>()?;
        let mut table = CollisionTable::all_blocked(rows.len(), roadmap.edge_count());
        for (world, row) in rows.iter().enumerate() {
            for edge in roadmap.edge_ids().filter(|edge| bit(row, *edge)) {
                table.set(WorldId(world as u32), edge, true);
            }
        }
        Ok(table)
    }

    /// Removes what was kept of finished maps.
    ///
    /// # Errors
    /// If it cannot be removed.
    pub fn clean(
        &self,
        roadmap: &Roadmap,
        resolution: Resolution,
        parts: &Path,
    ) -> Result<(), FileError> {
        let folder = self.folder(roadmap, resolution, parts);
        std::fs::remove_dir_all(&folder).map_err(|e| FileError::io(&folder, "remove", e))?;
        // Others may have left something there; then the folder stays.
        let _ = std::fs::remove_dir(parts);
        Ok(())
    }

    /// How many maps are finished, of those that are kept under `parts`.
    #[must_use]
    pub fn finished(&self, roadmap: &Roadmap, resolution: Resolution, parts: &Path) -> usize {
        let entries = std::fs::read_dir(self.folder(roadmap, resolution, parts));
        let names = entries.into_iter().flatten().flatten();
        let names = names.filter_map(|entry| entry.file_name().into_string().ok());
        // What is being written has a longer name.
        names.filter(|name| name.len() == 16).count()
    }

    /// Which edges are free in a map, as words of bits.
    fn row(
        &self,
        path: &Path,
        roadmap: &Roadmap,
        resolution: Resolution,
        folder: &Path,
    ) -> Result<Vec<u64>, MapsError> {
        let map = MapFile::open(path)?;
        let mut hash = XxHash64::with_seed(0);
        for part in map.content() {
            hash.write_usize(part.len());
            hash.write(part);
        }
        let shard = folder.join(format!("{:016x}", hash.finish()));
        if let Some(row) = read_shard(&shard, roadmap.edge_count().div_ceil(64)) {
            return Ok(row);
        }
        let bounds = self.bounds.filter(|_| !map.says_where());
        let robot = map.robot(bounds, self.robot_radius)?;
        self.area.check(&self.maps[0], path, robot.grown().area())?;
        let mut checker = BisectionChecker::new(roadmap, resolution, &robot)?.proving();
        let row = free_edges(&mut checker, roadmap);
        write_shard(&shard, &row)?;
        Ok(row)
    }

    fn folder(&self, roadmap: &Roadmap, resolution: Resolution, parts: &Path) -> PathBuf {
        let mut hash = XxHash64::with_seed(VERSION);
        hash.write_u64(Fingerprint::of(roadmap).hash);
        for value in roadmap.configurations().iter().flat_map(|all| all.iter()) {
            hash.write_u64(value.to_bits());
        }
        let MapArea { bounds, cell } = self.area;
        let rest = [cell, self.robot_radius, resolution.step()];
        for value in bounds.as_flattened().iter().chain(&rest) {
            hash.write_u64(value.to_bits());
        }
        hash.write_u8(u8::from(self.bounds.is_some()));
        parts.join(format!("{:016x}", hash.finish()))
    }
}
