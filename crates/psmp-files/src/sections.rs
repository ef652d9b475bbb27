//! Binary files of a header and named sections, as beliefs and what is kept of planning are written.
//!
//! Each section begins at a multiple of 8 bytes. All numbers are little endian, and all names are
//! filled up with zeros.
//!
//! | bytes    | content                                                       |
//! |----------|---------------------------------------------------------------|
//! | 0..8     | what kind of file it is, ending in a zero                     |
//! | 8..12    | version                                                       |
//! | 12..16   | CRC-32 of all after the header                                |
//! | 16..48   | four numbers, by the kind of file                             |
//! | 48..56   | number of sections                                            |
//! | 56..60   | zeros                                                         |
//! | 60..64   | CRC-32 of the bytes before                                    |
//! | 64..     | for each section its name (16 bytes), its offset and length   |
//! | then     | the sections                                                  |

use crate::error::{FileError, Place};
use std::fs::File;
use std::io::Read;
use std::path::Path;

pub(crate) const HEADER: usize = 64;
/// The length of a name.
pub(crate) const NAME: usize = 16;
const ENTRY: usize = NAME + 16;

/// A kind of file.
pub(crate) struct Format {
    /// What its files begin with.
    pub magic: [u8; 8],
    /// The version that is written; those before it are read too.
    pub version: u32,
    /// What one is called.
    pub name: &'static str,
    /// What to do where a file is none of this kind.
    pub other: &'static str,
    /// What to do where it is of a version that is not known.
    pub newer: &'static str,
    /// What to do where it is damaged.
    pub damaged: &'static str,
}

impl Format {
    /// Whether a file begins as files of this format do; false if it cannot be read.
    pub fn is_of(&self, path: impl AsRef<Path>) -> bool {
        let mut mark = [0; 8];
        File::open(path)
            .is_ok_and(|mut file| file.read_exact(&mut mark).is_ok() && mark == self.magic)
    }

    /// The bytes of a file.
    pub fn bytes(&self, numbers: [u64; 4], sections: &[(&str, Vec<u8>)]) -> Vec<u8> {
        let mut payload = Vec::new();
        let mut at = HEADER + sections.len() * ENTRY;
        for (name, bytes) in sections {
            payload.extend(padded(name));
            payload.extend((at as u64).to_le_bytes());
            payload.extend((bytes.len() as u64).to_le_bytes());
            at += bytes.len().next_multiple_of(8);
        }
        for (_, bytes) in sections {
            payload.extend(bytes);
            payload.resize(payload.len().next_multiple_of(8), 0);
        }
        let mut header = [0; HEADER];
        header[..8].copy_from_slice(&self.magic);
        header[8..12].copy_from_slice(&self.version.to_le_bytes());
        header[12..16].copy_from_slice(&crc32fast::hash(&payload).to_le_bytes());
        let counts = numbers.into_iter().chain([sections.len() as u64]);
        for (place, count) in counts.enumerate() {
            header[16 + 8 * place..][..8].copy_from_slice(&count.to_le_bytes());
        }
        let checksum = crc32fast::hash(&header[..60]);
        header[60..].copy_from_slice(&checksum.to_le_bytes());
        [header.as_slice(), &payload].concat()
    }

    /// What is in a file's bytes, once their checksums have been seen to be right.
    pub fn open<'a>(&'a self, path: &'a Path, bytes: &'a [u8]) -> Result<Sections<'a>, FileError> {
        let wrong = |at: usize, problem: String, hint: &str| {
            FileError::new(path, problem)
                .at(Place::Byte(at as u64))
                .hint(hint)
        };
        let name = self.name;
        if !bytes.starts_with(&self.magic) {
            let mark = self.magic[..7].escape_ascii();
            let problem = format!("is not a {name} file: it does not begin with `{mark}`");
            return Err(wrong(0, problem, self.other));
        }
        if bytes.len() < HEADER {
            let problem = format!("ends after {} bytes, inside its header", bytes.len());
            return Err(wrong(bytes.len(), problem, self.damaged));
        }
        let sections = Sections {
            format: self,
            path,
            bytes,
            count: 0,
        };
        let version = sections.version();
        if !(1..=self.version).contains(&version) {
            let expected = self.version;
            let problem = format!("is a {name} of version {version}, expected {expected}");
            return Err(wrong(8, problem, self.newer));
        }
        if (sections.word(56) >> 32) as u32 != crc32fast::hash(&bytes[..60]) {
            let problem = "the header does not have the checksum that it tells".to_owned();
            return Err(wrong(60, problem, self.damaged));
        }
        if (sections.word(8) >> 32) as u32 != crc32fast::hash(&bytes[HEADER..]) {
            let problem = "the content does not have the checksum that the header tells".to_owned();
            return Err(wrong(HEADER, problem, self.damaged));
        }
        let count = usize::try_from(sections.word(48)).unwrap_or(usize::MAX);
        let end = count.checked_mul(ENTRY).and_then(|n| n.checked_add(HEADER));
        match end.is_some_and(|end| end <= bytes.len()) {
            true => Ok(Sections { count, ..sections }),
            false => Err(sections.strange("its number of sections")),
        }
    }
}

/// The sections of a file whose checksums are right. What they say may still make no sense.
pub(crate) struct Sections<'a> {
    format: &'a Format,
    path: &'a Path,
    bytes: &'a [u8],
    count: usize,
}

impl<'a> Sections<'a> {
    fn word(&self, at: usize) -> u64 {
        bytemuck::pod_read_unaligned(&self.bytes[at..at + 8])
    }

    pub fn version(&self) -> u32 {
        (self.word(8) & 0xFFFF_FFFF) as u32
    }

    /// The four numbers of the header.
    pub fn numbers(&self) -> [u64; 4] {
        std::array::from_fn(|place| self.word(16 + 8 * place))
    }

    /// The complaint that a part makes no sense.
    pub fn strange(&self, what: &str) -> FileError {
        FileError::new(self.path, format!("{what} makes no sense"))
            .at(Place::Byte(HEADER as u64))
            .hint(self.format.damaged)
    }

    /// A section by its name, if it is there, is whole and has this many bytes.
    pub fn section(
        &self,
        name: &str,
        length: Option<usize>,
    ) -> Result<Option<&'a [u8]>, FileError> {
        let mut entries = (0..self.count).map(|place| HEADER + place * ENTRY);
        let Some(at) = entries.find(|&at| self.bytes[at..at + NAME] == padded(name)) else {
            return Ok(None);
        };
        let (start, size) = (self.word(at + 16) as usize, self.word(at + 24) as usize);
        let content = start
            .checked_add(size)
            .filter(|_| start.is_multiple_of(8) && start >= HEADER)
            .and_then(|end| self.bytes.get(start..end))
            .filter(|content| length.is_none_or(|length| length == content.len()));
        content.map(Some).ok_or_else(|| self.strange(name))
    }

    /// The same, which must be there.
    pub fn needed(&self, name: &str, length: Option<usize>) -> Result<&'a [u8], FileError> {
        let found = self.section(name, length)?;
        found.ok_or_else(|| self.strange(name))
    }
}

/// A name as files have it. Those of sections and beliefs are short.
pub(crate) fn padded(name: &str) -> [u8; NAME] {
    let mut padded = [0; NAME];
    padded[..name.len()].copy_from_slice(name.as_bytes());
    padded
}

/// The numbers that bytes are.
pub(crate) fn numbers<T: bytemuck::AnyBitPattern>(bytes: &[u8]) -> Vec<T> {
    let numbers = bytes.chunks_exact(size_of::<T>());
    numbers.map(bytemuck::pod_read_unaligned).collect()
}
