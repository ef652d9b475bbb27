//! Collision tables in a compact binary file.
//!
//! A table is written once and read by many runs, so the file holds exactly the words that
//! planning wants, in both orders: what is read is used as it is. It is read whole rather than
//! mapped, so that nothing that becomes of the file can end a run. All numbers are little endian.
//!
//! | bytes    | content                                                      |
//! |----------|--------------------------------------------------------------|
//! | 0..8     | `psmptab` and a zero                                         |
//! | 8..12    | version: 2 where worlds have features, else 1                |
//! | 12..16   | CRC-32 of the payload                                        |
//! | 16..24   | number of worlds                                             |
//! | 24..32   | number of edges                                              |
//! | 32..40   | number of features of each world                             |
//! | 40..60   | zeros                                                        |
//! | 60..64   | CRC-32 of the bytes before                                   |
//! | 64..     | for each edge, its worlds, a bit each, filled up to 64 bits  |
//! | then     | for each world, its edges, a bit each, filled up to 64 bits  |
//! | then     | for each world, its features, as numbers of 64 bits          |

use crate::error::{FileError, Place};
use crate::files;
use crate::regular_file::check_regular;
use psmp::{CollisionTable, EdgeId, Features};
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

#[cfg(target_endian = "big")]
compile_error!("table files are used as they are, which takes a little-endian machine");

const MAGIC: [u8; 8] = *b"psmptab\0";
/// Files without features are those of the first version, which any program reads.
const VERSIONS: [u32; 2] = [1, 2];
const HEADER: usize = 64;
const DAMAGED: &str = "the file is damaged or was cut short: write or copy it again";

/// Writes a table into a file, replacing what was there.
///
/// # Errors
/// If the file cannot be written.
pub fn write_table(path: impl AsRef<Path>, table: &CollisionTable) -> Result<(), FileError> {
    files::save_with(path, |w| {
        w.write_all(&[0; HEADER])?;
        let mut checksum = crc32fast::Hasher::new();
        let mut append = |w: &mut dyn Write, words: &[u64]| -> io::Result<()> {
            let bytes: &[u8] = bytemuck::cast_slice(words);
            checksum.update(bytes);
            w.write_all(bytes)
        };
        for row in rows_by_edge(table).chain(rows_by_world(table)) {
            append(w, row)?;
        }
        let features = table.features();
        if let Some(features) = features {
            append(w, bytemuck::cast_slice(features.numbers()))?;
        }
        let shape = Shape {
            worlds: table.world_count(),
            edges: table.edge_count(),
            features: features.map_or(0, Features::width),
        };
        w.seek(SeekFrom::Start(0))?;
        w.write_all(&header(shape, checksum.finalize()))
    })
}

/// The bits of all worlds, edge by edge.
pub(crate) fn rows_by_edge(table: &CollisionTable) -> impl Iterator<Item = &[u64]> {
    let edges = (0..table.edge_count() as u32).map(EdgeId);
    edges.map(|edge| table.worlds_where_free(edge))
}

/// The bits of all edges, world by world.
pub(crate) fn rows_by_world(table: &CollisionTable) -> impl Iterator<Item = &[u64]> {
    table.worlds().map(|world| table.free_edges_in(world))
}

#[derive(Debug, Clone, Copy)]
struct Shape {
    worlds: usize,
    edges: usize,
    /// Of each world.
    features: usize,
}

impl Shape {
    /// How many words there are by edge, by world, and of features, if that is a number at all.
    fn words(self) -> Option<[usize; 3]> {
        let by_edge = self.edges.checked_mul(self.worlds.div_ceil(64))?;
        let by_world = self.worlds.checked_mul(self.edges.div_ceil(64))?;
        Some([by_edge, by_world, self.worlds.checked_mul(self.features)?])
    }

    /// How long the file is, if that is a length at all.
    fn file_length(self) -> Option<u64> {
        let [by_edge, by_world, features] = self.words()?;
        let words = by_edge.checked_add(by_world)?.checked_add(features)?;
        let bytes = words.checked_mul(8)?;
        u64::try_from(bytes.checked_add(HEADER)?).ok()
    }
}

fn header(shape: Shape, payload_checksum: u32) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    let version = VERSIONS[usize::from(shape.features > 0)];
    header[8..12].copy_from_slice(&version.to_le_bytes());
    header[12..16].copy_from_slice(&payload_checksum.to_le_bytes());
    header[16..24].copy_from_slice(&(shape.worlds as u64).to_le_bytes());
    header[24..32].copy_from_slice(&(shape.edges as u64).to_le_bytes());
    header[32..40].copy_from_slice(&(shape.features as u64).to_le_bytes());
    let checksum = crc32fast::hash(&header[..60]);
    header[60..].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// Reads a table from a file and sees that all of it is sound.
///
/// ```no_run
/// let table = psmp_files::read_table("worlds.table")?;
/// println!("{} worlds of {} edges", table.world_count(), table.edge_count());
/// # Ok::<(), psmp_files::FileError>(())
/// ```
///
/// # Errors
/// If the file cannot be read, is not a table file of a known version, has not the length that
/// its header implies, or is damaged.
pub fn read_table(path: impl AsRef<Path>) -> Result<CollisionTable, FileError> {
    let path = path.as_ref();
    let refused = |e| FileError::io(path, "read", e);
    check_regular(path)?;
    let mut file = File::open(path).map_err(refused)?;
    let length = file.metadata().map_err(refused)?.len();
    let mut start = Vec::with_capacity(HEADER);
    let header = (&mut file).take(HEADER as u64).read_to_end(&mut start);
    header.map_err(refused)?;
    let header = check_header(path, &start, length)?;
    let mut checksum = crc32fast::Hasher::new();
    let mut words = || -> Result<[Vec<u64>; 3], io::Error> {
        let [by_edge, by_world, features] = header.words;
        Ok([
            read_words(&mut file, by_edge, &mut checksum)?,
            read_words(&mut file, by_world, &mut checksum)?,
            read_words(&mut file, features, &mut checksum)?,
        ])
    };
    let [by_edge, by_world, features] = words().map_err(refused)?;
    let damaged = |problem: &str| {
        let place = Place::Byte(HEADER as u64);
        FileError::new(path, problem).at(place).hint(DAMAGED)
    };
    if checksum.finalize() != header.checksum {
        return Err(damaged(
            "the bits do not have the checksum that the header tells",
        ));
    }
    let Shape { worlds, edges, .. } = header.shape;
    let features = features.into_iter().map(f64::from_bits).collect();
    let features = Features::from_numbers(header.shape.features, features);
    let table = CollisionTable::from_words(worlds, edges, [by_edge, by_world], None)
        .filter(|table| {
            !rows_by_edge(table).any(|row| overfull(row, worlds))
                && !rows_by_world(table).any(|row| overfull(row, edges))
        })
        .ok_or_else(|| damaged("a row has bits beyond its end"))?;
    Ok(match features.filter(|f| f.world_count() == worlds) {
        Some(features) => table.with_features(features),
        None => table,
    })
}

/// Reads so many words, into just as much memory.
fn read_words(
    file: &mut File,
    count: usize,
    checksum: &mut crc32fast::Hasher,
) -> io::Result<Vec<u64>> {
    let mut words = Vec::new();
    words
        .try_reserve_exact(count)
        .map_err(|e| io::Error::new(io::ErrorKind::OutOfMemory, e))?;
    words.resize(count, 0);
    let bytes: &mut [u8] = bytemuck::cast_slice_mut(&mut words);
    file.read_exact(bytes)?;
    checksum.update(bytes);
    Ok(words)
}

/// Whether a row has bits beyond its end.
pub(crate) fn overfull(row: &[u64], bits: usize) -> bool {
    !bits.is_multiple_of(64) && row.last().is_some_and(|last| last >> (bits % 64) != 0)
}

/// How many edges or worlds are believed where a file has no bit for each: one of no worlds can be as
/// short as its header, whatever number of edges it tells of.
pub const MOST_UNBORNE: usize = 1 << 20;

/// Sees that a file of this many worlds and edges has bits to bear these numbers out, or that they
/// are small.
pub(crate) fn check_borne_out(path: &Path, worlds: usize, edges: usize) -> Result<(), FileError> {
    if worlds.min(edges) > 0 || worlds.max(edges) <= MOST_UNBORNE {
        return Ok(());
    }
    let problem = format!(
        "tells of {worlds} worlds of {edges} edges, so of nothing, and more than {MOST_UNBORNE} \
         of either are not taken on its word alone"
    );
    Err(FileError::new(path, problem)
        .at(Place::Byte(16))
        .hint("give a table or a belief that has known worlds of such a roadmap"))
}

/// What the header of a sound file says.
struct Header {
    shape: Shape,
    words: [usize; 3],
    checksum: u32,
}

/// Sees that a file of this length begins as one should.
fn check_header(path: &Path, bytes: &[u8], length: u64) -> Result<Header, FileError> {
    let wrong = |at: usize, problem: String, hint: &str| {
        Err(FileError::new(path, problem)
            .at(Place::Byte(at as u64))
            .hint(hint))
    };
    if !bytes.starts_with(&MAGIC) {
        let problem = "is not a table file: it does not begin with `psmptab`".to_owned();
        return wrong(
            0,
            problem,
            "name a file written as a binary collision table",
        );
    }
    if bytes.len() < HEADER {
        let problem = format!("ends after {} bytes, inside its header", bytes.len());
        return wrong(bytes.len(), problem, DAMAGED);
    }
    let word =
        |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let count = |at: usize| u64::from(word(at + 4)) << 32 | u64::from(word(at));
    if !VERSIONS.contains(&word(8)) {
        let [first, last] = VERSIONS;
        let version = word(8);
        let problem = format!("is a table file of version {version}, expected {first} to {last}");
        return wrong(
            8,
            problem,
            "write the table again with this version of the program",
        );
    }
    if word(60) != crc32fast::hash(&bytes[..60]) {
        let problem = "the header does not have the checksum that it tells".to_owned();
        return wrong(60, problem, DAMAGED);
    }
    let (worlds, edges, features) = (count(16), count(24), count(32));
    let (Ok(few_worlds), Ok(few_edges)) = (u32::try_from(worlds), u32::try_from(edges)) else {
        let problem = format!("has {worlds} worlds of {edges} edges, ids have 32 bits");
        return wrong(16, problem, "split the table");
    };
    let Ok(few_features) = usize::try_from(features) else {
        let problem = format!("tells of {features} features of a world");
        return wrong(32, problem, DAMAGED);
    };
    let shape = Shape {
        worlds: few_worlds as usize,
        edges: few_edges as usize,
        features: few_features,
    };
    let expected = shape.file_length();
    let Some(words) = shape.words().filter(|_| expected == Some(length)) else {
        let problem = match expected {
            Some(expected) => format!("is {length} bytes long, expected {expected}"),
            None => format!("is {length} bytes long, far too short"),
        };
        let problem = format!("{problem} for {worlds} worlds of {edges} edges");
        return wrong(length as usize, problem, DAMAGED);
    };
    check_borne_out(path, shape.worlds, shape.edges)?;
    Ok(Header {
        shape,
        words,
        checksum: word(12),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(worlds: usize, edges: usize) -> CollisionTable {
        let row = |w: usize| -> Vec<bool> { (0..edges).map(|e| (w * 7 + e * 3) % 5 < 3).collect() };
        let rows: Vec<_> = (0..worlds).map(row).collect();
        CollisionTable::from_rows(edges, &rows).unwrap()
    }

    /// A file of a table, and the folder that it is in as long as it is needed.
    fn written(table: &CollisionTable) -> (tempfile::TempDir, std::path::PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.table");
        write_table(&path, table).unwrap();
        (folder, path)
    }

    #[test]
    fn a_table_that_is_read_is_the_table_that_was_written() {
        for (worlds, edges) in [(130, 70), (64, 128), (1, 1), (0, 5), (5, 0), (0, 0)] {
            let table = table(worlds, edges);
            let (_folder, path) = written(&table);
            assert_eq!(read_table(&path).unwrap(), table);
            // Who knows of no features reads a file that has none.
            assert_eq!(std::fs::read(&path).unwrap()[8], 1);
            let row = |w: usize| [w as f64, 0.5, -1.0];
            let rows: Vec<[f64; 3]> = (0..worlds).map(row).collect();
            if let Some(features) = Features::from_rows(&rows) {
                let table = table.with_features(features);
                let (_folder, path) = written(&table);
                assert_eq!(read_table(&path).unwrap(), table);
                assert_eq!(std::fs::read(&path).unwrap()[8], 2);
            }
        }
    }

    #[test]
    fn no_changed_bit_and_no_cut_goes_unseen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.table");
        let features = Features::from_rows(&[[0.25]; 70]).unwrap();
        write_table(&path, &table(70, 3).with_features(features)).unwrap();
        let good = std::fs::read(&path).unwrap();
        for bit in 0..good.len() * 8 {
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, bytes).unwrap();
            assert!(read_table(&path).is_err(), "bit {bit}");
        }
        for length in 0..good.len() {
            std::fs::write(&path, &good[..length]).unwrap();
            assert!(read_table(&path).is_err(), "{length} bytes");
        }
    }

    #[test]
    fn damage_is_found_where_it_is() {
        let (_folder, path) = written(&table(70, 3));
        let good = std::fs::read(&path).unwrap();
        let open = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = good.clone();
            change(&mut bytes);
            std::fs::write(&path, bytes).unwrap();
            read_table(&path)
        };
        for (at, problem, change) in [
            (0, "not a table file", &Vec::clear as &dyn Fn(&mut Vec<u8>)),
            (0, "not a table file", &|b| b[0] = b'P'),
            (8, "version 3", &|b| b[8] = 3),
            (60, "checksum", &|b| b[16] ^= 1),
            (20, "inside its header", &|b| b.truncate(20)),
            (good.len() as u64 - 1, "expected", &|b| {
                b.truncate(b.len() - 1)
            }),
            (good.len() as u64 + 8, "expected", &|b| b.extend([0; 8])),
            (64, "is 64 bytes long", &|b| {
                let worlds = u32::MAX as usize;
                *b = header(
                    Shape {
                        worlds,
                        edges: worlds,
                        features: 0,
                    },
                    0,
                )
                .to_vec();
            }),
            (16, "on its word alone", &|b| {
                *b = header(
                    Shape {
                        worlds: 0,
                        edges: 100_000_000,
                        features: 0,
                    },
                    0,
                )
                .to_vec();
            }),
            (16, "32 bits", &|b| {
                *b = header(
                    Shape {
                        worlds: 1 << 40,
                        edges: 1,
                        features: 0,
                    },
                    0,
                )
                .to_vec();
            }),
        ] {
            let error = open(change).unwrap_err();
            assert!(error.remedy().is_some());
            assert!(error.to_string().contains(problem), "{error}");
            assert_eq!(error.place(), &Place::Byte(at), "{error}");
        }
        assert!(open(&|b| b[64] ^= 1).is_err());
        let overfull = open(&|b| {
            // The last word of the last world's row, with the right checksum.
            *b.last_mut().unwrap() = 0x80;
            let checksum = crc32fast::hash(&b[HEADER..]);
            let header = header(
                Shape {
                    worlds: 70,
                    edges: 3,
                    features: 0,
                },
                checksum,
            );
            b[..HEADER].copy_from_slice(&header);
        });
        let error = overfull.unwrap_err().to_string();
        assert!(error.contains("beyond"), "{error}");
    }
}
