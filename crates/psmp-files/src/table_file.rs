//! Collision tables in a compact binary file.
//!
//! A table is written once and read by many runs, so the file holds exactly the words that
//! planning wants, in both orders: what is read is used as it is. It is read whole rather than
//! mapped, so that nothing that becomes of the file can end a run. All numbers are little endian.
//!
//! | bytes    | content                                                      |
//! |----------|--------------------------------------------------------------|
//! | 0..8     | `psmptab` and a zero                                         |
//! | 8..12    | version, 1                                                   |
//! | 12..16   | CRC-32 of the payload                                        |
//! | 16..24   | number of worlds                                             |
//! | 24..32   | number of edges                                              |
//! | 32..60   | zeros                                                        |
//! | 60..64   | CRC-32 of the bytes before                                   |
//! | 64..     | for each edge, its worlds, a bit each, filled up to 64 bits  |
//! | then     | for each world, its edges, a bit each, filled up to 64 bits  |

use crate::error::{FileError, Place};
use crate::files::{self, Words};
use psmp::{EdgeId, Experience, WorldId};
use std::io::{self, Seek, SeekFrom, Write};
use std::path::Path;

#[cfg(target_endian = "big")]
compile_error!("table files are used as they are, which takes a little-endian machine");

const MAGIC: [u8; 8] = *b"psmptab\0";
const VERSION: u32 = 1;
const HEADER: usize = 64;
const DAMAGED: &str = "the file is damaged or was cut short: write or copy it again";

/// Writes a table into a file, replacing what was there.
///
/// # Errors
/// If the file cannot be written.
pub fn write_table(
    path: impl AsRef<Path>,
    table: &(impl Experience + ?Sized),
) -> Result<(), FileError> {
    files::save_with(path, |w| {
        w.write_all(&[0; HEADER])?;
        let mut checksum = crc32fast::Hasher::new();
        let mut append = |w: &mut dyn Write, words: &[u64]| -> io::Result<()> {
            let bytes: &[u8] = bytemuck::cast_slice(words);
            checksum.update(bytes);
            w.write_all(bytes)
        };
        for edge in 0..table.edge_count() {
            append(w, table.worlds_where_free(EdgeId(edge as u32)))?;
        }
        for world in 0..table.world_count() {
            append(w, table.free_edges_in(WorldId(world as u32)))?;
        }
        let shape = Shape {
            worlds: table.world_count(),
            edges: table.edge_count(),
        };
        w.seek(SeekFrom::Start(0))?;
        w.write_all(&header(shape, checksum.finalize()))
    })
}

#[derive(Debug, Clone, Copy)]
struct Shape {
    worlds: usize,
    edges: usize,
}

impl Shape {
    fn words_per_edge(self) -> usize {
        self.worlds.div_ceil(64)
    }

    fn words_per_world(self) -> usize {
        self.edges.div_ceil(64)
    }

    /// How long the file is, if that is a length at all.
    fn file_length(self) -> Option<u64> {
        let by_edge = self.edges.checked_mul(self.words_per_edge())?;
        let by_world = self.worlds.checked_mul(self.words_per_world())?;
        let bytes = by_edge.checked_add(by_world)?.checked_mul(8)?;
        u64::try_from(bytes.checked_add(HEADER)?).ok()
    }
}

fn header(shape: Shape, payload_checksum: u32) -> [u8; HEADER] {
    let mut header = [0; HEADER];
    header[..8].copy_from_slice(&MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..16].copy_from_slice(&payload_checksum.to_le_bytes());
    header[16..24].copy_from_slice(&(shape.worlds as u64).to_le_bytes());
    header[24..32].copy_from_slice(&(shape.edges as u64).to_le_bytes());
    let checksum = crc32fast::hash(&header[..60]);
    header[60..].copy_from_slice(&checksum.to_le_bytes());
    header
}

/// A table file in memory.
///
/// ```no_run
/// use psmp::Experience;
/// let table = psmp_files::TableFile::open("worlds.table")?;
/// println!("{} worlds of {} edges", table.world_count(), table.edge_count());
/// # Ok::<(), psmp_files::FileError>(())
/// ```
#[derive(Debug)]
pub struct TableFile {
    words: Words,
    shape: Shape,
}

impl TableFile {
    /// Reads a file and sees that all of it is sound.
    ///
    /// # Errors
    /// If the file cannot be read, is not a table file of a known version, has not the length that
    /// its header implies, or is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let words = Words::read(path)?;
        let (shape, checksum) = check_header(path, words.bytes())?;
        let file = Self { words, shape };
        file.check_bits(checksum).map_err(|problem| {
            FileError::new(path, problem)
                .at(Place::Byte(HEADER as u64))
                .hint(DAMAGED)
        })?;
        Ok(file)
    }

    /// What is wrong with the bits, if anything is.
    fn check_bits(&self, checksum: u32) -> Result<(), &'static str> {
        if crc32fast::hash(&self.words.bytes()[HEADER..]) != checksum {
            return Err("the bits do not have the checksum that the header tells");
        }
        let Shape { worlds, edges } = self.shape;
        let edge_rows = (0..edges).map(|e| (self.worlds_where_free(EdgeId(e as u32)), worlds));
        let world_rows = (0..worlds).map(|w| (self.free_edges_in(WorldId(w as u32)), edges));
        match edge_rows.chain(world_rows).any(|(row, n)| overfull(row, n)) {
            true => Err("a row has bits beyond its end"),
            false => Ok(()),
        }
    }

    #[inline]
    fn words(&self) -> &[u64] {
        // The header has a whole number of words.
        bytemuck::cast_slice(&self.words.bytes()[HEADER..])
    }
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

fn check_header(path: &Path, bytes: &[u8]) -> Result<(Shape, u32), FileError> {
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
    if word(8) != VERSION {
        let problem = format!("is a table file of version {}, expected {VERSION}", word(8));
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
    let (worlds, edges) = (count(16), count(24));
    let (Ok(few_worlds), Ok(few_edges)) = (u32::try_from(worlds), u32::try_from(edges)) else {
        let problem = format!("has {worlds} worlds of {edges} edges, ids have 32 bits");
        return wrong(16, problem, "split the table");
    };
    let shape = Shape {
        worlds: few_worlds as usize,
        edges: few_edges as usize,
    };
    if shape.file_length() != Some(bytes.len() as u64) {
        let problem = match shape.file_length() {
            Some(length) => format!("is {} bytes long, expected {length}", bytes.len()),
            None => format!("is {} bytes long, far too short", bytes.len()),
        };
        let problem = format!("{problem} for {worlds} worlds of {edges} edges");
        return wrong(bytes.len(), problem, DAMAGED);
    }
    check_borne_out(path, shape.worlds, shape.edges)?;
    Ok((shape, word(12)))
}

impl Experience for TableFile {
    fn world_count(&self) -> usize {
        self.shape.worlds
    }

    fn edge_count(&self) -> usize {
        self.shape.edges
    }

    #[inline]
    fn worlds_where_free(&self, edge: EdgeId) -> &[u64] {
        let length = self.shape.words_per_edge();
        &self.words()[..self.shape.edges * length][edge.index() * length..][..length]
    }

    #[inline]
    fn free_edges_in(&self, world: WorldId) -> &[u64] {
        let length = self.shape.words_per_world();
        let by_world = self.shape.edges * self.shape.words_per_edge();
        &self.words()[by_world..][world.index() * length..][..length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp::CollisionTable;

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
            let file = TableFile::open(&path).unwrap();
            assert_eq!((file.world_count(), file.edge_count()), (worlds, edges));
            for edge in (0..edges as u32).map(EdgeId) {
                assert_eq!(file.worlds_where_free(edge), table.worlds_where_free(edge));
            }
            for world in (0..worlds as u32).map(WorldId) {
                assert_eq!(file.free_edges_in(world), table.free_edges_in(world));
            }
        }
    }

    #[test]
    fn replacing_a_file_leaves_the_open_one_alone() {
        let (_folder, path) = written(&table(100, 100));
        let old = TableFile::open(&path).unwrap();
        write_table(&path, &table(1, 1)).unwrap();
        assert_eq!(old.world_count(), 100);
        assert_eq!(
            old.worlds_where_free(EdgeId(99)),
            table(100, 100).worlds_where_free(EdgeId(99))
        );
        assert_eq!(TableFile::open(&path).unwrap().world_count(), 1);
    }

    #[test]
    fn a_file_that_is_cut_while_it_is_used_changes_nothing() {
        let table = table(2000, 2000);
        let (_folder, path) = written(&table);
        let file = TableFile::open(&path).unwrap();
        let cut = std::fs::OpenOptions::new().write(true).open(&path).unwrap();
        cut.set_len(10).unwrap();
        let last = EdgeId(1999);
        assert_eq!(file.worlds_where_free(last), table.worlds_where_free(last));
    }

    #[test]
    fn no_changed_bit_and_no_cut_goes_unseen() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.table");
        write_table(&path, &table(70, 3)).unwrap();
        let good = std::fs::read(&path).unwrap();
        for bit in 0..good.len() * 8 {
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            std::fs::write(&path, bytes).unwrap();
            assert!(TableFile::open(&path).is_err(), "bit {bit}");
        }
        for length in 0..good.len() {
            std::fs::write(&path, &good[..length]).unwrap();
            assert!(TableFile::open(&path).is_err(), "{length} bytes");
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
            TableFile::open(&path)
        };
        for (at, problem, change) in [
            (0, "not a table file", &Vec::clear as &dyn Fn(&mut Vec<u8>)),
            (0, "not a table file", &|b| b[0] = b'P'),
            (8, "version 2", &|b| b[8] = 2),
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
                },
                checksum,
            );
            b[..HEADER].copy_from_slice(&header);
        });
        let error = overfull.unwrap_err().to_string();
        assert!(error.contains("beyond"), "{error}");
    }
}
