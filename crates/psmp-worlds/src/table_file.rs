//! Collision tables in a compact binary file that is used straight from the disk.
//!
//! A table is written once and read by many runs, so the file holds exactly the words that
//! planning wants, in both orders, and is mapped into memory instead of read: opening it costs
//! the same whatever its size. All numbers are little endian.
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
use crate::files;
use memmap2::Mmap;
use psmp::{EdgeId, Experience, WorldId};
use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

#[cfg(target_endian = "big")]
compile_error!("table files are mapped as they are, which takes a little-endian machine");

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
    files::write(path.as_ref(), |w| {
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

/// A table file mapped into memory.
///
/// ```no_run
/// use psmp::Experience;
/// let table = psmp_worlds::MappedTable::open("worlds.table")?;
/// println!("{} worlds of {} edges", table.world_count(), table.edge_count());
/// # Ok::<(), psmp_worlds::FileError>(())
/// ```
#[derive(Debug)]
pub struct MappedTable {
    path: PathBuf,
    map: Mmap,
    shape: Shape,
    payload_checksum: u32,
}

impl MappedTable {
    /// Opens a file. The header and the length are checked; the bits are taken on trust until
    /// [`MappedTable::verify`] is called, because that reads them all.
    ///
    /// The file must not be changed while it is open: the operating system ends a program that
    /// reads a mapped file beyond an end that has moved. [`write_table`] replaces files without
    /// touching those that are open.
    ///
    /// # Errors
    /// If the file cannot be mapped, is not a table file of a known version, or has not the
    /// length that its header implies.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|e| FileError::io(path, "open", e))?;
        // SAFETY: a mapping is sound as long as nobody changes the file under it, which no
        // program can rule out and the documentation asks of the caller. Every value of the
        // mapped bytes is a valid `u8` or `u64`, so bits that change give wrong answers at worst.
        let map = unsafe { Mmap::map(&file) }.map_err(|e| FileError::io(path, "map", e))?;
        let (shape, payload_checksum) = check_header(path, &map)?;
        Ok(Self {
            path: path.to_owned(),
            map,
            shape,
            payload_checksum,
        })
    }

    /// Reads the whole file and compares it with its checksum.
    ///
    /// # Errors
    /// If it is damaged.
    pub fn verify(&self) -> Result<(), FileError> {
        let damaged = |problem: &str| {
            Err(FileError::new(&self.path, problem)
                .at(Place::Byte(HEADER as u64))
                .hint(DAMAGED))
        };
        if crc32fast::hash(&self.map[HEADER..]) != self.payload_checksum {
            return damaged("the bits do not have the checksum that the header tells");
        }
        // A row's last word may have no bits beyond the row.
        let overfull = |words: &[u64], bits: usize| {
            !bits.is_multiple_of(64) && words.last().is_some_and(|last| last >> (bits % 64) != 0)
        };
        let Shape { worlds, edges } = self.shape;
        let edge_rows = (0..edges).map(|e| (self.worlds_where_free(EdgeId(e as u32)), worlds));
        let world_rows = (0..worlds).map(|w| (self.free_edges_in(WorldId(w as u32)), edges));
        if edge_rows
            .chain(world_rows)
            .any(|(row, bits)| overfull(row, bits))
        {
            return damaged("a row has bits beyond its end");
        }
        Ok(())
    }

    #[inline]
    fn words(&self) -> &[u64] {
        // The map begins with a page and the header has a whole number of words.
        bytemuck::cast_slice(&self.map[HEADER..])
    }
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
    Ok((shape, word(12)))
}

impl Experience for MappedTable {
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

    #[test]
    fn a_mapped_table_is_the_table_that_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.table");
        for (worlds, edges) in [(130, 70), (64, 128), (1, 1), (0, 5), (5, 0), (0, 0)] {
            let table = table(worlds, edges);
            write_table(&path, &table).unwrap();
            let mapped = MappedTable::open(&path).unwrap();
            mapped.verify().unwrap();
            assert_eq!((mapped.world_count(), mapped.edge_count()), (worlds, edges));
            for edge in (0..edges as u32).map(EdgeId) {
                assert_eq!(
                    mapped.worlds_where_free(edge),
                    table.worlds_where_free(edge)
                );
            }
            for world in (0..worlds as u32).map(WorldId) {
                assert_eq!(mapped.free_edges_in(world), table.free_edges_in(world));
            }
        }
    }

    #[test]
    fn replacing_a_file_leaves_the_open_one_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.table");
        write_table(&path, &table(100, 100)).unwrap();
        let old = MappedTable::open(&path).unwrap();
        write_table(&path, &table(1, 1)).unwrap();
        old.verify().unwrap();
        assert_eq!(MappedTable::open(&path).unwrap().world_count(), 1);
    }

    #[test]
    fn damage_is_found_where_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("t.table");
        write_table(&path, &table(70, 3)).unwrap();
        let good = std::fs::read(&path).unwrap();
        let open = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = good.clone();
            change(&mut bytes);
            std::fs::write(&path, bytes).unwrap();
            MappedTable::open(&path)
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
        let flipped = open(&|b| b[64] ^= 1).unwrap();
        assert!(flipped.verify().is_err());
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
        let error = overfull.unwrap().verify().unwrap_err().to_string();
        assert!(error.contains("beyond"), "{error}");
    }
}
