//! What has been learned about the worlds of a roadmap, in one file.
//!
//! It holds the known worlds, with a bit beside each entry where some are missing, and the models
//! fitted to them. Which roadmap it is about is part of it: on another one it would be nonsense.
//! The file is a header and named sections (`sections.rs`); worlds are used as they are. It begins with
//! `psmpbel`, its version is 2, and its four numbers are: worlds, the roadmap's edges, its vertices, and
//! a hash of its edges and their lengths.
//!
//! Sections: `free by edge` and `free by world`, the bits of a table file; `known by edge` and `known
//! by world`, likewise, left out where nothing is missing; `features`, so many numbers for each world in turn, and `soft
//! breadth`, how unlike by them worlds are that tell little of each other, left out where there are none or they tell
//! nothing; `soft set`, its doubt and flip; `weights`,
//! what an ensemble's members weigh to begin with: of each its name (16 bytes) and the logarithm, and
//! members of another name than this program knows are passed over; `latent mean`, `latent loadings`
//! and `latent rest`, left out where there are too few worlds for a model; and where it was learned from
//! maps, the roadmap and what else a new map is planned in with (`map_setting.rs`).
//!
//! Version 1 is still read. Its `weights` are four logarithms without names: those of `local`,
//! `latent`, `soft` and `fs`.

use crate::error::FileError;
use crate::files;
use crate::map_setting::MapSetting;
use crate::sections::{Format, NAME, numbers, padded};
use crate::table_file::{check_borne_out, overfull, rows_by_edge, rows_by_world};
use psmp::belief::{LatentModel, SoftSetModel};
use psmp::by_name::{BeliefName, MemberWeights, ModelCache};
use psmp::{CollisionTable, Direction, EdgeId, Experience, Features, Roadmap};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::hash::Hasher;
use std::path::Path;
use std::sync::Arc;
use twox_hash::XxHash64;

const FORMAT: Format = Format {
    magic: *b"psmpbel\0",
    version: 2,
    name: "belief",
    other: "name a file written by `psmp learn`",
    newer: "learn again with this version of the program",
    damaged: "the file is damaged or was cut short: learn again, or copy it again",
};
/// The length of a member's weight with its name.
const WEIGHT: usize = NAME + 8;

const FREE_BY_EDGE: &str = "free by edge";
const FREE_BY_WORLD: &str = "free by world";
const KNOWN_BY_EDGE: &str = "known by edge";
const KNOWN_BY_WORLD: &str = "known by world";
const SOFT_SET: &str = "soft set";
const FEATURES: &str = "features";
const SOFT_BREADTH: &str = "soft breadth";
const WEIGHTS: &str = "weights";
const LATENT: [&str; 3] = ["latent mean", "latent loadings", "latent rest"];
/// Whose weights a file of version 1 has.
const MEMBERS_OF_VERSION_1: [BeliefName; 4] = [
    BeliefName::Local,
    BeliefName::Latent,
    BeliefName::SoftSet,
    BeliefName::FiniteSet,
];

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

/// All that a belief file holds.
#[derive(Debug, Clone)]
pub struct BeliefFile {
    /// The roadmap that it is about.
    pub roadmap: Fingerprint,
    /// The known worlds.
    pub table: Arc<CollisionTable>,
    /// How far they are to be trusted.
    pub soft_set: SoftSetModel,
    /// Hidden causes, if there are enough worlds to learn them from.
    pub latent: Option<Arc<LatentModel>>,
    /// How far each belief is to be trusted before the first check.
    pub weights: MemberWeights,
    /// What the maps were learned with, where it was learned from maps.
    pub maps: Option<MapSetting>,
}

impl BeliefFile {
    /// Writes it, replacing what was there at a stroke.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        files::save(path, &self.bytes())
    }

    /// Writes a belief of no worlds into a file, unless there is one of that name.
    ///
    /// # Errors
    /// If the file cannot be written, or the roadmap has more edges than are believed without a single
    /// world known.
    pub(crate) fn begin(path: &Path, roadmap: Fingerprint) -> Result<(), FileError> {
        let edges = usize::try_from(roadmap.edges).unwrap_or(usize::MAX);
        check_borne_out(path, 0, edges)?;
        let of_nothing = Self {
            roadmap,
            table: CollisionTable::unknown(0, edges).into(),
            soft_set: SoftSetModel::default(),
            latent: None,
            weights: MemberWeights::default(),
            maps: None,
        };
        files::write_if_absent(path, &of_nothing.bytes())
    }

    pub(crate) fn bytes(&self) -> Vec<u8> {
        let table = &*self.table;
        let mut sections = vec![
            (FREE_BY_EDGE, words(rows_by_edge(table))),
            (FREE_BY_WORLD, words(rows_by_world(table))),
        ];
        let told = |row: &[u64]| row.iter().map(|w| w.count_ones() as usize).sum::<usize>();
        let known = || table.worlds().filter_map(|w| table.known_edges_in(w));
        if known().any(|row| told(row) < table.edge_count()) {
            let edges = (0..table.edge_count() as u32).map(EdgeId);
            let by_edge = edges.filter_map(|e| table.worlds_where_known(e));
            sections.push((KNOWN_BY_EDGE, words(by_edge)));
            sections.push((KNOWN_BY_WORLD, words(known())));
        }
        let soft = [self.soft_set.doubt(), self.soft_set.flip()];
        sections.push((SOFT_SET, bytemuck::cast_slice(&soft).to_vec()));
        if let Some(features) = table.features() {
            let numbers = bytemuck::cast_slice(features.numbers());
            sections.push((FEATURES, numbers.to_vec()));
        }
        if self.soft_set.breadth().is_finite() {
            let breadth = self.soft_set.breadth().to_le_bytes();
            sections.push((SOFT_BREADTH, breadth.to_vec()));
        }
        let weights = self.weights.iter().flat_map(|(member, weight)| {
            let name = padded(&member.to_string());
            name.into_iter().chain(weight.to_le_bytes())
        });
        sections.push((WEIGHTS, weights.collect()));
        let latent = self.latent.iter().flat_map(|model| model.parts());
        for (name, part) in LATENT.into_iter().zip(latent) {
            sections.push((name, bytemuck::cast_slice(part).to_vec()));
        }
        sections.extend(self.maps.iter().flat_map(MapSetting::written));

        let about = self.roadmap;
        let worlds = table.world_count() as u64;
        FORMAT.bytes([worlds, about.edges, about.vertices, about.hash], &sections)
    }

    /// Whether a file begins as belief files do; false if it cannot be read.
    #[must_use]
    pub fn is_one(path: impl AsRef<Path>) -> bool {
        FORMAT.is_of(path)
    }

    /// Reads a file and compares all of it with its checksum.
    ///
    /// # Errors
    /// If the file cannot be read, is no belief file of a known version, or is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        Self::read(path, &files::read(path)?)
    }

    /// Reads a file's bytes. `path` is what an error names.
    ///
    /// # Errors
    /// If they are no belief file of a known version, or damaged.
    pub fn read(path: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        let file = FORMAT.open(path, bytes)?;
        let strange = |what: &str| file.strange(what);
        let [worlds, edges, vertices, hash] = file.numbers();
        let roadmap = Fingerprint {
            vertices,
            edges,
            hash,
        };
        let small_count = |count: u64| u32::try_from(count).map(|count| count as usize);
        let (Ok(worlds), Ok(edges)) = (small_count(worlds), small_count(edges)) else {
            return Err(strange("its size"));
        };
        check_borne_out(path, worlds, edges)?;
        let by_edge = edges.checked_mul(worlds.div_ceil(64) * 8);
        let by_world = worlds.checked_mul(edges.div_ceil(64) * 8);
        let (Some(by_edge), Some(by_world)) = (by_edge, by_world) else {
            return Err(strange("its size"));
        };
        let both = |names: [&str; 2]| -> Result<Option<[Vec<u64>; 2]>, FileError> {
            let rows = file.section(names[0], Some(by_edge))?;
            let rows = rows.zip(file.section(names[1], Some(by_world))?);
            Ok(rows.map(|(a, b)| [a, b].map(numbers)))
        };
        let free = both([FREE_BY_EDGE, FREE_BY_WORLD])?.ok_or_else(|| strange("its table"))?;
        let known = both([KNOWN_BY_EDGE, KNOWN_BY_WORLD])?;
        for [by_edge, by_world] in [Some(&free), known.as_ref()].into_iter().flatten() {
            let any_overfull = |words: &[u64], count: usize| {
                let mut rows = words.chunks_exact(count.div_ceil(64).max(1));
                rows.any(|row| overfull(row, count))
            };
            if any_overfull(by_edge, worlds) || any_overfull(by_world, edges) {
                return Err(strange("a row with bits beyond its end"));
            }
        }
        let table = CollisionTable::from_words(worlds, edges, free, known)
            .ok_or_else(|| strange("its table"))?;
        let table = match file.section(FEATURES, None)? {
            Some(bytes) => {
                let of_worlds = |bytes: &[u8]| {
                    let width = bytes.len() / 8 / worlds.max(1);
                    let whole = bytes.len() == width * worlds * 8;
                    let numbers = whole.then(|| numbers(bytes))?;
                    Features::from_numbers(width, numbers)
                };
                let features = of_worlds(bytes).ok_or_else(|| strange(FEATURES))?;
                table.with_features(features)
            }
            None => table,
        };
        let soft_set = file
            .section(SOFT_SET, Some(16))?
            .and_then(|both| SoftSetModel::new(float(both), float(&both[8..])))
            .ok_or_else(|| strange(SOFT_SET))?;
        let soft_set = match file.section(SOFT_BREADTH, Some(8))? {
            Some(breadth) => soft_set
                .with_breadth(float(breadth))
                .ok_or_else(|| strange(SOFT_BREADTH))?,
            None => soft_set,
        };
        let version = file.version();
        let length = (version == 1).then_some(8 * MEMBERS_OF_VERSION_1.len());
        let weights = file
            .section(WEIGHTS, length)?
            .and_then(|bytes| weights(version, bytes))
            .ok_or_else(|| strange(WEIGHTS))?;
        let mut latent = None;
        if file.section(LATENT[0], None)?.is_some() {
            let mut parts = [Vec::new(), Vec::new(), Vec::new()];
            for (name, part) in LATENT.iter().zip(&mut parts) {
                let bytes = file.needed(name, None)?;
                if !bytes.len().is_multiple_of(4) {
                    return Err(strange(name));
                }
                *part = numbers(bytes);
            }
            if parts[0].len() != edges {
                return Err(strange(LATENT[0]));
            }
            let model = LatentModel::from_parts(parts).ok_or_else(|| strange(LATENT[1]))?;
            latent = Some(model.into());
        }
        Ok(Self {
            roadmap,
            table: table.into(),
            soft_set,
            latent,
            weights,
            maps: MapSetting::read(&file, roadmap)?,
        })
    }

    /// Its worlds, to plan with on a roadmap that begins with the one it is about. The models are kept in
    /// the cache, so that planners that know these worlds find them there.
    #[must_use]
    pub fn experience(&self, roadmap: &Roadmap, models: &ModelCache) -> Experience {
        let experience = Experience::from(self.table.clone());
        models.keep(
            roadmap,
            &experience,
            self.soft_set,
            self.latent.clone(),
            self.weights.clone(),
        );
        experience
    }

    /// Whether it is what was learned from these worlds.
    pub(crate) fn is_of(&self, experience: &Experience) -> bool {
        Arc::ptr_eq(&self.table, experience.table())
            && experience.worlds().len() == self.table.world_count()
    }

    /// Sees that what was read from this file is about this roadmap.
    ///
    /// # Errors
    /// If it is about another, naming both.
    pub fn check_roadmap(&self, path: &Path, roadmap: Fingerprint) -> Result<(), FileError> {
        if self.roadmap == roadmap {
            return Ok(());
        }
        let problem = format!(
            "is about another roadmap ({}) than this one ({roadmap})",
            self.roadmap
        );
        Err(FileError::new(path, problem)
            .hint("give the belief that was learned on this roadmap, or learn one"))
    }
}

fn words<'a>(rows: impl Iterator<Item = &'a [u64]>) -> Vec<u8> {
    let bytes = rows.flat_map(bytemuck::cast_slice::<u64, u8>);
    bytes.copied().collect()
}

/// What the members of an ensemble weigh, as a file of this version has it.
fn weights(version: u32, bytes: &[u8]) -> Option<MemberWeights> {
    if version == 1 {
        let weights = bytes.chunks_exact(8).map(float);
        return MemberWeights::new(MEMBERS_OF_VERSION_1.into_iter().zip(weights));
    }
    if !bytes.len().is_multiple_of(WEIGHT) {
        return None;
    }
    MemberWeights::new(bytes.chunks_exact(WEIGHT).filter_map(|entry| {
        let (name, weight) = entry.split_at(NAME);
        let mut members = BeliefName::MEMBERS.into_iter();
        let known = members.find(|member| padded(&member.to_string()) == name);
        known.map(|member| (member, float(weight)))
    }))
}

/// The number that bytes begin with.
fn float(bytes: &[u8]) -> f64 {
    bytemuck::pod_read_unaligned(&bytes[..8])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::HEADER;
    use psmp::{Edge, WorldId};
    use std::path::PathBuf;

    fn roadmap(edges: u32) -> Roadmap {
        let edges = (0..edges)
            .map(|e| Edge::new(e % 7, e % 5, f64::from(e)))
            .collect();
        Roadmap::from_edges(8, Direction::Undirected, edges).unwrap()
    }

    /// Seventy worlds of ninety edges, complete or with every third entry missing.
    fn table(partial: bool) -> CollisionTable {
        let mut table = match partial {
            true => CollisionTable::unknown(70, 90),
            false => CollisionTable::all_blocked(70, 90),
        };
        for (w, e) in (0..70).flat_map(|w| (0..90).map(move |e| (w, e))) {
            if !partial || (w + e) % 3 != 0 {
                table.set(WorldId(w), EdgeId(e), (w * 7 + e * 5) % 4 != 0);
            }
        }
        table
    }

    fn belief(partial: bool) -> BeliefFile {
        let row = |w: u32| [f64::from(w), 1.0];
        let features: Vec<[f64; 2]> = (0..70).map(row).collect();
        // Of maps nothing is known beforehand, of scenes there is.
        let soft_set = SoftSetModel::new(0.125, 0.003).unwrap();
        let (table, soft_set) = match partial {
            true => (table(true), soft_set),
            false => (
                table(false).with_features(Features::from_rows(&features).unwrap()),
                soft_set.with_breadth(0.75).unwrap(),
            ),
        };
        let experience = Experience::from(table);
        let weights = [-0.5, -0.25, -0.3, -2.0];
        BeliefFile {
            roadmap: Fingerprint::of(&roadmap(90)),
            table: experience.table().clone(),
            soft_set,
            latent: Some(LatentModel::learn(&experience).into()),
            weights: MemberWeights::new(MEMBERS_OF_VERSION_1.into_iter().zip(weights)).unwrap(),
            maps: None,
        }
    }

    fn written(folder: &Path, partial: bool) -> PathBuf {
        let path = folder.join("worlds.belief");
        belief(partial).write(&path).unwrap();
        path
    }

    /// Sound checksums for bytes that were changed.
    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let payload = crc32fast::hash(&bytes[HEADER..]);
        bytes[12..16].copy_from_slice(&payload.to_le_bytes());
        let header = crc32fast::hash(&bytes[..60]);
        bytes[60..64].copy_from_slice(&header.to_le_bytes());
        bytes
    }

    #[test]
    fn what_is_written_is_read_bit_for_bit() {
        let folder = tempfile::tempdir().unwrap();
        for partial in [false, true] {
            let expected = belief(partial);
            let path = written(folder.path(), partial);
            let file = BeliefFile::open(&path).unwrap();
            assert_eq!(file.table, expected.table);
            assert_eq!(file.soft_set, expected.soft_set);
            assert_eq!(file.weights, expected.weights);
            let [read, learned] = [&file, &expected].map(|b| b.latent.clone().unwrap());
            assert_eq!(read.parts(), learned.parts());
            let about = Fingerprint::of(&roadmap(90));
            file.check_roadmap(&path, about).unwrap();
            // Written again it is the same file.
            let copy = folder.path().join("copy.belief");
            file.write(&copy).unwrap();
            assert_eq!(std::fs::read(&copy).unwrap(), std::fs::read(&path).unwrap());
        }
    }

    #[test]
    fn weights_without_names_are_still_read_and_members_of_other_programs_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), true);
        let bytes = std::fs::read(&path).unwrap();
        let read = |bytes: Vec<u8>| {
            std::fs::write(&path, sealed(bytes)).unwrap();
            BeliefFile::open(&path)
        };
        let expected = belief(true).weights;
        let named: Vec<u8> = WEIGHTS.bytes().chain([0]).collect();
        let entry = bytes.windows(named.len()).position(|w| w == named).unwrap();
        let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap()) as usize;
        let section = number(entry + NAME);
        assert_eq!(number(entry + NAME + 8), 4 * WEIGHT);

        let mut old = bytes.clone();
        old[8] = 1;
        for (place, (_, weight)) in expected.iter().enumerate() {
            old[section + 8 * place..][..8].copy_from_slice(&weight.to_le_bytes());
        }
        old[entry + NAME + 8..][..8].copy_from_slice(&32_u64.to_le_bytes());
        assert_eq!(read(old.clone()).unwrap().weights, expected);
        old[entry + NAME + 8] = 24;
        assert!(read(old).is_err());

        let mut foreign = bytes.clone();
        foreign[section..][..NAME].copy_from_slice(&padded("clairvoyance"));
        let weights = read(foreign).unwrap().weights;
        assert!(weights.iter().eq(expected.iter().skip(1)));

        let mut endless = bytes.clone();
        endless[section + NAME..][..8].copy_from_slice(&f64::INFINITY.to_le_bytes());
        assert!(read(endless).is_err());
        let mut cut = bytes;
        cut[entry + NAME + 8] -= 8;
        assert!(read(cut).is_err());
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
        let error = BeliefFile::begin(&path, about(100_000_000)).unwrap_err();
        assert!(error.to_string().contains("on its word alone"), "{error}");
        assert!(error.remedy().is_some() && !path.exists());
        BeliefFile::begin(&path, about(10)).unwrap();
        assert_eq!(BeliefFile::open(&path).unwrap().table.edge_count(), 10);
        let mut forged = std::fs::read(&path).unwrap();
        forged[24..32].copy_from_slice(&100_000_000_u64.to_le_bytes());
        std::fs::write(&path, sealed(forged)).unwrap();
        let error = BeliefFile::open(&path).unwrap_err();
        assert!(error.to_string().contains("on its word alone"), "{error}");
    }

    #[test]
    fn another_roadmap_is_refused_with_both_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), false);
        let file = BeliefFile::open(&path).unwrap();
        let mut edges: Vec<Edge> = roadmap(90).edges().collect();
        edges[3].length += 1e-12;
        let nearly = Roadmap::from_edges(8, Direction::Undirected, edges).unwrap();
        for other in [roadmap(91), nearly] {
            let other = Fingerprint::of(&other);
            let error = file.check_roadmap(&path, other).unwrap_err();
            let text = error.to_string();
            assert!(text.contains(&format!("{:016x}", other.hash)), "{text}");
            assert!(
                text.contains(&format!("{:016x}", file.roadmap.hash)),
                "{text}"
            );
            assert!(error.remedy().is_some());
        }
    }

    #[test]
    fn damage_is_found_wherever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = written(folder.path(), true);
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
        newer[8] = 3;
        assert!(error(&newer).contains("version 3"));
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
            assert!(error(&sealed(forged)).contains("makes no sense"), "{at}");
        }
    }
}
