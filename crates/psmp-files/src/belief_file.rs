//! What has been learned about the worlds of a roadmap, in one file.
//!
//! It holds the known worlds, with a bit beside each entry where some are missing, and the models
//! fitted to them. Which roadmap it is about is part of it: on another one it would be nonsense.
//! The file is a header and named sections, each beginning at a multiple of 8 bytes; worlds are
//! used as they are. All numbers are little endian.
//!
//! | bytes    | content                                                       |
//! |----------|---------------------------------------------------------------|
//! | 0..8     | `psmpbel` and a zero                                          |
//! | 8..12    | version, 1                                                    |
//! | 12..16   | CRC-32 of all after the header                                |
//! | 16..24   | number of worlds                                              |
//! | 24..32   | the roadmap's number of edges                                 |
//! | 32..40   | its number of vertices                                        |
//! | 40..48   | a hash of its edges and their lengths                         |
//! | 48..56   | number of sections                                            |
//! | 56..60   | zeros                                                         |
//! | 60..64   | CRC-32 of the bytes before                                    |
//! | 64..     | for each section its name (16 bytes), its offset and length   |
//! | then     | the sections                                                  |
//!
//! Sections: `free by edge` and `free by world`, the bits of a table file; `known by edge` and `known
//! by world`, likewise, left out where nothing is missing; `soft set`, its doubt and flip; `weights`,
//! logarithms of what an ensemble's members weigh to begin with, in the order of [`MemberWeights`];
//! `latent mean`, `latent loadings` and `latent rest`, left out where there are too few worlds for a
//! model.

use crate::error::{FileError, Place};
use crate::files::{self, Words};
use crate::table_file::{check_borne_out, overfull};
use psmp::belief::{LatentModel, SoftSetModel};
use psmp::{Direction, EdgeId, Experience, PartialTable, Roadmap, WorldId};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::fs::File;
use std::hash::Hasher;
use std::io::{Read, Write};
use std::ops::Range;
use std::path::{Path, PathBuf};
use twox_hash::XxHash64;

const MAGIC: [u8; 8] = *b"psmpbel\0";
const VERSION: u32 = 1;
const HEADER: usize = 64;
const ENTRY: usize = 32;
const DAMAGED: &str = "the file is damaged or was cut short: learn again, or copy it again";

const FREE_BY_EDGE: &str = "free by edge";
const FREE_BY_WORLD: &str = "free by world";
const KNOWN_BY_EDGE: &str = "known by edge";
const KNOWN_BY_WORLD: &str = "known by world";
const SOFT_SET: &str = "soft set";
const WEIGHTS: &str = "weights";
const LATENT: [&str; 3] = ["latent mean", "latent loadings", "latent rest"];

/// What tells one roadmap from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Fingerprint {
    /// How many vertices it has.
    pub vertices: u64,
    /// How many edges it has.
    pub edges: u64,
    /// A hash of its edges, in their order, and their lengths.
    #[serde(with = "hexadecimal")]
    pub hash: u64,
}

mod hexadecimal {
    //! JSON numbers lose digits beyond 53 bits.
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(hash: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&format!("{hash:016x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        let digits = String::deserialize(from)?;
        u64::from_str_radix(&digits, 16).map_err(D::Error::custom)
    }
}

impl Fingerprint {
    /// That of a roadmap.
    #[must_use]
    pub fn of(roadmap: &Roadmap) -> Self {
        let mut hash = XxHash64::with_seed(0);
        hash.write_u8(u8::from(roadmap.direction() == Direction::Directed));
        for edge in roadmap.edges() {
            hash.write(&edge.from.0.to_le_bytes());
            hash.write(&edge.to.0.to_le_bytes());
            hash.write(&edge.length.to_bits().to_le_bytes());
        }
        Self {
            vertices: roadmap.vertex_count() as u64,
            edges: roadmap.edge_count() as u64,
            hash: hash.finish(),
        }
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            vertices,
            edges,
            hash,
        } = self;
        write!(f, "{vertices} vertices, {edges} edges, hash {hash:016x}")
    }
}

/// What the members of an ensemble weigh to begin with, as logarithms up to a common summand.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct MemberWeights {
    /// The local belief.
    pub local: f64,
    /// Hidden causes.
    pub latent: f64,
    /// The soft finite set.
    pub soft_set: f64,
    /// The finite set.
    pub finite_set: f64,
}

/// What is written into a belief file.
#[derive(Debug, Clone, Copy)]
pub struct BeliefParts<'a, T> {
    /// The roadmap that it is about.
    pub roadmap: Fingerprint,
    /// The known worlds.
    pub experience: &'a T,
    /// How far they are to be trusted.
    pub soft_set: SoftSetModel,
    /// Hidden causes, if there are enough worlds to learn them from.
    pub latent: Option<&'a LatentModel>,
    /// How far each belief is to be trusted before the first check.
    pub weights: MemberWeights,
}

/// Writes a belief into a file, replacing what was there at a stroke.
///
/// # Errors
/// If the file cannot be written.
pub fn write_belief<T: Experience>(
    path: impl AsRef<Path>,
    parts: &BeliefParts<'_, T>,
) -> Result<(), FileError> {
    let bytes = parts.bytes();
    files::save(path, &bytes)
}

/// Writes a belief of no worlds into a file, unless there is one of that name.
///
/// # Errors
/// If the file cannot be written, or the roadmap has more edges than are believed without a single
/// world known.
pub fn begin_belief(path: impl AsRef<Path>, roadmap: Fingerprint) -> Result<(), FileError> {
    let edges = usize::try_from(roadmap.edges).unwrap_or(usize::MAX);
    check_borne_out(path.as_ref(), 0, edges)?;
    let parts = BeliefParts {
        roadmap,
        experience: &PartialTable::unknown(0, edges),
        soft_set: SoftSetModel::default(),
        latent: None,
        weights: MemberWeights::default(),
    };
    let bytes = parts.bytes();
    files::write_if_absent(path.as_ref(), &bytes)
}

impl<T: Experience> BeliefParts<'_, T> {
    /// The file that holds them.
    fn bytes(&self) -> Vec<u8> {
        let table = self.experience;
        // Of no worlds there is nothing to tell of any edge.
        let told_of = if table.world_count() == 0 {
            0
        } else {
            table.edge_count()
        };
        let edges = || (0..told_of as u32).map(EdgeId);
        let worlds = || (0..table.world_count() as u32).map(WorldId);
        let words = |rows: &mut dyn Iterator<Item = &[u64]>| -> Vec<u8> {
            rows.flat_map(bytemuck::cast_slice::<u64, u8>)
                .copied()
                .collect()
        };
        let told = |row: &[u64]| row.iter().map(|w| w.count_ones() as usize).sum::<usize>();
        let partial = worlds()
            .filter_map(|w| table.known_edges_in(w))
            .any(|row| told(row) < table.edge_count());
        let mut sections = vec![
            (
                FREE_BY_EDGE,
                words(&mut edges().map(|e| table.worlds_where_free(e))),
            ),
            (
                FREE_BY_WORLD,
                words(&mut worlds().map(|w| table.free_edges_in(w))),
            ),
        ];
        if partial {
            let by_edge = edges().filter_map(|e| table.worlds_where_known(e));
            let by_world = worlds().filter_map(|w| table.known_edges_in(w));
            sections.push((KNOWN_BY_EDGE, words(&mut by_edge.into_iter())));
            sections.push((KNOWN_BY_WORLD, words(&mut by_world.into_iter())));
        }
        let soft = [self.soft_set.doubt(), self.soft_set.flip()];
        sections.push((SOFT_SET, bytemuck::cast_slice(&soft).to_vec()));
        let MemberWeights {
            local,
            latent,
            soft_set,
            finite_set,
        } = self.weights;
        let weights = [local, latent, soft_set, finite_set];
        sections.push((WEIGHTS, bytemuck::cast_slice(&weights).to_vec()));
        for (name, part) in LATENT
            .iter()
            .zip(self.latent.map(LatentModel::parts).into_iter().flatten())
        {
            sections.push((name, bytemuck::cast_slice(part).to_vec()));
        }

        let mut payload = Vec::new();
        let mut at = HEADER + sections.len() * ENTRY;
        for (name, bytes) in &sections {
            let mut padded = [0u8; 16];
            padded[..name.len()].copy_from_slice(name.as_bytes());
            payload.extend(padded);
            payload.extend((at as u64).to_le_bytes());
            payload.extend((bytes.len() as u64).to_le_bytes());
            at += bytes.len().next_multiple_of(8);
        }
        for (_, bytes) in &sections {
            payload.extend(bytes);
            payload.resize(payload.len().next_multiple_of(8), 0);
        }
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&VERSION.to_le_bytes());
        header[12..16].copy_from_slice(&crc32fast::hash(&payload).to_le_bytes());
        for (at, count) in [
            (16, table.world_count() as u64),
            (24, self.roadmap.edges),
            (32, self.roadmap.vertices),
            (40, self.roadmap.hash),
            (48, sections.len() as u64),
        ] {
            header[at..at + 8].copy_from_slice(&count.to_le_bytes());
        }
        let checksum = crc32fast::hash(&header[..60]);
        header[60..].copy_from_slice(&checksum.to_le_bytes());
        [header.as_slice(), &payload].concat()
    }
}

/// A belief file in memory. It is an [`Experience`] of the worlds that it holds.
#[derive(Debug)]
pub struct BeliefFile {
    path: PathBuf,
    words: Words,
    roadmap: Fingerprint,
    worlds: usize,
    free: [Range<usize>; 2],
    known: Option<[Range<usize>; 2]>,
    soft_set: SoftSetModel,
    weights: MemberWeights,
    latent: Option<LatentModel>,
}

impl BeliefFile {
    /// Whether a file begins as belief files do; false if it cannot be read.
    #[must_use]
    pub fn is_one(path: impl AsRef<Path>) -> bool {
        let mut mark = [0; MAGIC.len()];
        File::open(path).is_ok_and(|mut file| file.read_exact(&mut mark).is_ok() && mark == MAGIC)
    }

    /// Opens a file and compares all of it with its checksum.
    ///
    /// # Errors
    /// If the file cannot be read, is no belief file of a known version, or is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        Self::check(path, Words::read(path)?)
    }

    fn check(path: &Path, words: Words) -> Result<Self, FileError> {
        let map = words.bytes();
        let wrong = |at: usize, problem: String, hint: &str| {
            FileError::new(path, problem)
                .at(Place::Byte(at as u64))
                .hint(hint)
        };
        if !map.starts_with(&MAGIC) {
            let problem = "is not a belief file: it does not begin with `psmpbel`".to_owned();
            return Err(wrong(0, problem, "name a file written by `psmp learn`"));
        }
        if map.len() < HEADER {
            let problem = format!("ends after {} bytes, inside its header", map.len());
            return Err(wrong(map.len(), problem, DAMAGED));
        }
        let number = |at: usize| {
            let mut bytes = [0; 8];
            bytes.copy_from_slice(&map[at..at + 8]);
            u64::from_le_bytes(bytes)
        };
        let small = |at: usize| (number(at) & 0xFFFF_FFFF) as u32;
        if small(8) != VERSION {
            let problem = format!("is a belief of version {}, expected {VERSION}", small(8));
            let hint = "learn again with this version of the program";
            return Err(wrong(8, problem, hint));
        }
        if (number(56) >> 32) as u32 != crc32fast::hash(&map[..60]) {
            let problem = "the header does not have the checksum that it tells".to_owned();
            return Err(wrong(60, problem, DAMAGED));
        }
        if (number(8) >> 32) as u32 != crc32fast::hash(&map[HEADER..]) {
            let problem = "the content does not have the checksum that the header tells".to_owned();
            return Err(wrong(HEADER, problem, DAMAGED));
        }
        let roadmap = Fingerprint {
            vertices: number(32),
            edges: number(24),
            hash: number(40),
        };
        let strange = |what: &str| wrong(HEADER, format!("{what} makes no sense"), DAMAGED);
        let small_count = |count: u64| u32::try_from(count).map(|count| count as usize);
        let (Ok(worlds), Ok(edges)) = (small_count(number(16)), small_count(roadmap.edges)) else {
            return Err(strange("its size"));
        };
        check_borne_out(path, worlds, edges)?;
        let sections = usize::try_from(number(48)).unwrap_or(usize::MAX);
        let table_end = sections
            .checked_mul(ENTRY)
            .and_then(|n| n.checked_add(HEADER));
        if table_end.is_none_or(|end| end > map.len()) {
            return Err(strange("its number of sections"));
        }
        // A section by its name, if it is there, is whole and has this many bytes.
        let section = |name: &str, length: Option<usize>| -> Result<Option<Range<usize>>, _> {
            for at in (0..sections).map(|i| HEADER + i * ENTRY) {
                let found = &map[at..at + 16];
                if found
                    .strip_prefix(name.as_bytes())
                    .is_none_or(|rest| rest.iter().any(|b| *b != 0))
                {
                    continue;
                }
                let (start, size) = (number(at + 16) as usize, number(at + 24) as usize);
                let end = start.checked_add(size).filter(|end| *end <= map.len());
                let Some(end) = end.filter(|_| start % 8 == 0 && start >= HEADER) else {
                    return Err(strange(name));
                };
                if length.is_some_and(|length| length != size) {
                    return Err(strange(name));
                }
                return Ok(Some(start..end));
            }
            Ok(None)
        };
        let by_edge = edges.checked_mul(worlds.div_ceil(64) * 8);
        let by_world = worlds.checked_mul(edges.div_ceil(64) * 8);
        let (Some(by_edge), Some(by_world)) = (by_edge, by_world) else {
            return Err(strange("its size"));
        };
        let both = |names: [&str; 2]| -> Result<Option<[Range<usize>; 2]>, FileError> {
            let rows = section(names[0], Some(by_edge))?;
            Ok(rows
                .zip(section(names[1], Some(by_world))?)
                .map(|(a, b)| [a, b]))
        };
        let free = both([FREE_BY_EDGE, FREE_BY_WORLD])?.ok_or_else(|| strange("its table"))?;
        let known = both([KNOWN_BY_EDGE, KNOWN_BY_WORLD])?;
        let soft_set = section(SOFT_SET, Some(16))?
            .and_then(|at| SoftSetModel::new(float(map, at.start), float(map, at.start + 8)))
            .ok_or_else(|| strange(SOFT_SET))?;
        let at = section(WEIGHTS, Some(32))?.ok_or_else(|| strange(WEIGHTS))?;
        let weight = |place: usize| {
            let weight = float(map, at.start + 8 * place);
            weight
                .is_finite()
                .then_some(weight)
                .ok_or_else(|| strange(WEIGHTS))
        };
        let weights = MemberWeights {
            local: weight(0)?,
            latent: weight(1)?,
            soft_set: weight(2)?,
            finite_set: weight(3)?,
        };
        let mut parts = [Vec::new(), Vec::new(), Vec::new()];
        let mut latent = None;
        if section(LATENT[0], None)?.is_some() {
            for (name, part) in LATENT.iter().zip(&mut parts) {
                let at = section(name, None)?.ok_or_else(|| strange(name))?;
                *part = bytemuck::try_cast_slice(&map[at])
                    .map_err(|_| strange(name))?
                    .to_vec();
            }
            if parts[0].len() != edges {
                return Err(strange(LATENT[0]));
            }
            latent = Some(LatentModel::from_parts(parts).ok_or_else(|| strange(LATENT[1]))?);
        }
        let file = Self {
            path: path.to_owned(),
            roadmap,
            worlds,
            free,
            known,
            soft_set,
            weights,
            latent,
            words,
        };
        let tables = [Some(&file.free), file.known.as_ref()];
        for [by_edge, by_world] in tables.into_iter().flatten() {
            let row =
                |at, row, count: usize| overfull(file.row(at, row, count.div_ceil(64)), count);
            // Where there are no worlds there is not a word.
            if worlds > 0
                && ((0..edges).any(|e| row(by_edge, e, worlds))
                    || (0..worlds).any(|w| row(by_world, w, edges)))
            {
                return Err(strange("a row with bits beyond its end"));
            }
        }
        Ok(file)
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The roadmap that it is about.
    #[must_use]
    pub fn roadmap(&self) -> Fingerprint {
        self.roadmap
    }

    /// Sees that it is about this roadmap.
    ///
    /// # Errors
    /// If it is about another, naming both.
    pub fn check_roadmap(&self, roadmap: Fingerprint) -> Result<(), FileError> {
        if self.roadmap == roadmap {
            return Ok(());
        }
        let problem = format!(
            "is about another roadmap ({}) than this one ({roadmap})",
            self.roadmap
        );
        Err(FileError::new(&self.path, problem)
            .hint("give the belief that was learned on this roadmap, or learn one"))
    }

    /// How far its worlds are to be trusted.
    #[must_use]
    pub fn soft_set(&self) -> SoftSetModel {
        self.soft_set
    }

    /// What the members of an ensemble weigh to begin with.
    #[must_use]
    pub fn weights(&self) -> MemberWeights {
        self.weights
    }

    /// The hidden causes of its worlds, if there were enough to learn them from.
    #[must_use]
    pub fn latent(&self) -> Option<&LatentModel> {
        self.latent.as_ref()
    }

    /// Its worlds, with room for more.
    #[must_use]
    pub fn with_room_for(&self, more: usize) -> PartialTable {
        let mut table = PartialTable::unknown(self.worlds + more, self.edge_count());
        let set = |row: &[u64], edge: usize| row[edge / 64] >> (edge % 64) & 1 == 1;
        for world in (0..self.worlds as u32).map(WorldId) {
            let (free, known) = (self.free_edges_in(world), self.known_edges_in(world));
            for edge in 0..self.edge_count() {
                if known.is_none_or(|known| set(known, edge)) {
                    table.set(world, EdgeId(edge as u32), set(free, edge));
                }
            }
        }
        table
    }

    fn row(&self, section: &Range<usize>, row: usize, words: usize) -> &[u64] {
        // Sections begin at multiples of 8.
        &bytemuck::cast_slice(&self.words.bytes()[section.clone()])[row * words..][..words]
    }
}

fn float(bytes: &[u8], at: usize) -> f64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    f64::from_le_bytes(word)
}

impl Experience for BeliefFile {
    fn world_count(&self) -> usize {
        self.worlds
    }

    fn edge_count(&self) -> usize {
        self.roadmap.edges as usize
    }

    #[inline]
    fn worlds_where_free(&self, edge: EdgeId) -> &[u64] {
        self.row(&self.free[0], edge.index(), self.worlds.div_ceil(64))
    }

    #[inline]
    fn free_edges_in(&self, world: WorldId) -> &[u64] {
        self.row(&self.free[1], world.index(), self.edge_count().div_ceil(64))
    }

    #[inline]
    fn worlds_where_known(&self, edge: EdgeId) -> Option<&[u64]> {
        let [by_edge, _] = self.known.as_ref()?;
        Some(self.row(by_edge, edge.index(), self.worlds.div_ceil(64)))
    }

    #[inline]
    fn known_edges_in(&self, world: WorldId) -> Option<&[u64]> {
        let [_, by_world] = self.known.as_ref()?;
        Some(self.row(by_world, world.index(), self.edge_count().div_ceil(64)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp::{Edge, Roadmap};

    fn roadmap(edges: u32) -> Roadmap {
        let edges = (0..edges)
            .map(|e| Edge::new(e % 7, e % 5, f64::from(e)))
            .collect();
        Roadmap::from_edges(8, Direction::Undirected, edges).unwrap()
    }

    /// Seventy worlds of ninety edges, complete or with every third entry missing.
    fn table(partial: bool) -> PartialTable {
        let mut table = PartialTable::unknown(70, 90);
        for (w, e) in (0..70).flat_map(|w| (0..90).map(move |e| (w, e))) {
            if !partial || (w + e) % 3 != 0 {
                table.set(WorldId(w), EdgeId(e), (w * 7 + e * 5) % 4 != 0);
            }
        }
        table
    }

    const WEIGHED: MemberWeights = MemberWeights {
        local: -0.5,
        latent: -0.25,
        soft_set: -0.3,
        finite_set: -2.0,
    };

    fn written(folder: &Path, partial: bool) -> (PathBuf, LatentModel) {
        let path = folder.join("worlds.belief");
        let table = table(partial);
        let worlds: Vec<WorldId> = (0..70).map(WorldId).collect();
        let latent = LatentModel::learn(&table, &worlds);
        let parts = BeliefParts {
            roadmap: Fingerprint::of(&roadmap(90)),
            experience: &table,
            soft_set: SoftSetModel::new(0.125, 0.003).unwrap(),
            latent: Some(&latent),
            weights: WEIGHED,
        };
        write_belief(&path, &parts).unwrap();
        (path, latent)
    }

    #[test]
    fn what_is_written_is_read_bit_for_bit() {
        let folder = tempfile::tempdir().unwrap();
        for partial in [false, true] {
            let (path, latent) = written(folder.path(), partial);
            let file = BeliefFile::open(&path).unwrap();
            assert_eq!(file.with_room_for(0), table(partial));
            assert_eq!(file.known_edges_in(WorldId(0)).is_some(), partial);
            assert_eq!(file.soft_set(), SoftSetModel::new(0.125, 0.003).unwrap());
            assert_eq!(file.weights(), WEIGHED);
            assert_eq!(file.latent().unwrap().parts(), latent.parts());
            file.check_roadmap(Fingerprint::of(&roadmap(90))).unwrap();
            // Written again it is the same file.
            let bytes = std::fs::read(&path).unwrap();
            let again = BeliefParts {
                roadmap: file.roadmap(),
                experience: &file,
                soft_set: file.soft_set(),
                latent: file.latent(),
                weights: file.weights(),
            };
            let copy = folder.path().join("copy.belief");
            write_belief(&copy, &again).unwrap();
            assert_eq!(std::fs::read(&copy).unwrap(), bytes);
        }
    }

    #[test]
    fn a_belief_of_no_worlds_is_not_believed_about_any_number_of_edges() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new.belief");
        let about = |edges| Fingerprint {
            vertices: 2,
            edges,
            hash: 0,
        };
        let error = begin_belief(&path, about(100_000_000)).unwrap_err();
        assert!(error.to_string().contains("on its word alone"), "{error}");
        assert!(error.remedy().is_some() && !path.exists());
        begin_belief(&path, about(10)).unwrap();
        assert_eq!(BeliefFile::open(&path).unwrap().edge_count(), 10);
        let mut forged = std::fs::read(&path).unwrap();
        forged[24..32].copy_from_slice(&100_000_000_u64.to_le_bytes());
        let header = crc32fast::hash(&forged[..60]);
        forged[60..64].copy_from_slice(&header.to_le_bytes());
        std::fs::write(&path, forged).unwrap();
        let error = BeliefFile::open(&path).unwrap_err();
        assert!(error.to_string().contains("on its word alone"), "{error}");
    }

    #[test]
    fn another_roadmap_is_refused_with_both_named() {
        let folder = tempfile::tempdir().unwrap();
        let (path, _) = written(folder.path(), false);
        let file = BeliefFile::open(path).unwrap();
        let mut edges = roadmap(90).edges().to_vec();
        edges[3].length += 1e-12;
        let nearly = Roadmap::from_edges(8, Direction::Undirected, edges).unwrap();
        for other in [roadmap(91), nearly] {
            let other = Fingerprint::of(&other);
            let error = file.check_roadmap(other).unwrap_err();
            let text = error.to_string();
            assert!(text.contains(&format!("{:016x}", other.hash)), "{text}");
            assert!(
                text.contains(&format!("{:016x}", file.roadmap().hash)),
                "{text}"
            );
            assert!(error.remedy().is_some());
        }
    }

    #[test]
    fn damage_is_found_wherever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let (path, _) = written(folder.path(), true);
        let bytes = std::fs::read(&path).unwrap();
        let error = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let error = BeliefFile::open(&path).unwrap_err();
            assert!(error.remedy().is_some());
            error.to_string()
        };
        for at in (0..bytes.len()).step_by(97).chain([bytes.len() - 1]) {
            let mut broken = bytes.clone();
            broken[at] ^= 0x10;
            error(&broken);
        }
        for length in [1, 7, 8, 63, 64, 100, bytes.len() - 8, bytes.len() - 1] {
            error(&bytes[..length]);
        }
        let mut newer = bytes.clone();
        newer[8] = 2;
        assert!(error(&newer).contains("version 2"));
        assert!(error(b"psmptab\0 and so on").contains("not a belief"));
        // Sound checksums around numbers that make no sense.
        for (at, value) in [
            (16, u64::MAX),
            (24, 1 << 20),
            (48, 1 << 60),
            (64 + 16, 1 << 50),
        ] {
            let mut forged = bytes.clone();
            forged[at..at + 8].copy_from_slice(&u64::to_le_bytes(value));
            let payload = crc32fast::hash(&forged[HEADER..]);
            forged[12..16].copy_from_slice(&payload.to_le_bytes());
            let header = crc32fast::hash(&forged[..60]);
            forged[60..64].copy_from_slice(&header.to_le_bytes());
            assert!(error(&forged).contains("makes no sense"), "{at}");
        }
    }
}
