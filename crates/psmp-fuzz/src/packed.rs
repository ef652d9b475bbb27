//! Files whose content is behind a checksum or compressed.
//!
//! Damage to such a file stops at its checksum, and what lies behind is never tried. So every second
//! mutant of these formats is put in order again: its checksums made right, its content compressed.
//! And what a compressed file may cost is in proportion to what it unpacks to, which is asked here; so is
//! it where little text stands for much.

use flate2::Compression;
use flate2::read::{ZlibDecoder, ZlibEncoder};
use psmp_files::MOST_UNBORNE;
use std::io::{Read, copy, sink};
use twox_hash::XxHash64;

/// Puts `value` at a place, if the file is that long.
fn put(bytes: &mut [u8], at: usize, value: &[u8]) {
    if let Some(place) = bytes.get_mut(at..at + value.len()) {
        place.copy_from_slice(value);
    }
}

/// The two checksums of table and belief files.
pub(crate) fn seal_mapped(bytes: &mut [u8]) {
    if bytes.len() >= 64 {
        let payload = crc32fast::hash(&bytes[64..]);
        put(bytes, 12, &payload.to_le_bytes());
        let header = crc32fast::hash(&bytes[..60]);
        put(bytes, 60, &header.to_le_bytes());
    }
}

/// The hash at the end of a shard of a table.
pub(crate) fn seal_shard(bytes: &mut [u8]) {
    if let Some(end) = bytes.len().checked_sub(8) {
        let hash = XxHash64::oneshot(0, &bytes[..end]);
        put(bytes, end, &hash.to_le_bytes());
    }
}

/// What the pieces of an experiment are kept under here.
pub(crate) const FINGERPRINT: &str = "fuzz";

/// The first line of a piece of an experiment.
pub(crate) fn seal_piece(bytes: &mut Vec<u8>) {
    let content = match bytes.iter().position(|b| *b == b'\n') {
        Some(end) => bytes.split_off(end + 1),
        None => std::mem::take(bytes),
    };
    let hash = XxHash64::oneshot(0, &content);
    *bytes = format!("psmp {FINGERPRINT} {hash:016x}\n").into_bytes();
    bytes.extend(content);
}

/// The checksum of every chunk of a PNG.
pub(crate) fn seal_png(bytes: &mut [u8]) {
    let mut at = 8;
    while let Some(length) = bytes.get(at..at + 4) {
        let length = length.iter().fold(0, |sum, b| sum << 8 | usize::from(*b));
        let end = at + 8 + length;
        let Some(chunk) = bytes.get(at + 4..end) else {
            return;
        };
        let checksum = crc32fast::hash(chunk);
        put(bytes, end, &checksum.to_be_bytes());
        at = end + 4;
    }
}

/// How many pixels a PNG stands for, a byte each: as many as it declares, but neither more than fit
/// into its data nor more than are read.
pub(crate) fn png_pixels(bytes: &[u8]) -> usize {
    let side = |at: usize| {
        let side = bytes.get(at..at + 4).unwrap_or_default().iter();
        side.fold(0, |sum, b| sum << 8 | usize::from(*b))
    };
    let declared = side(16).saturating_mul(side(20));
    // Deflate makes 1032 bytes of one at most, and 8 pixels fit into a byte.
    let most = (bytes.len() * 1032 * 8).min(1 << 27);
    declared.min(most).max(bytes.len())
}

/// How many pixels a JPEG stands for, in the same way: by the sides that any header of a frame declares.
pub(crate) fn jpeg_pixels(bytes: &[u8]) -> usize {
    let frames = bytes
        .windows(9)
        .filter(|frame| frame[0] == 0xff && (0xc0..=0xcf).contains(&frame[1]));
    let declared = frames.map(|frame| {
        let side = |at: usize| usize::from(frame[at]) << 8 | usize::from(frame[at + 1]);
        side(5) * side(7)
    });
    // A bit makes a block of 64 pixels at least, and what is small is read however short the file is.
    let most = (bytes.len() * 8 * 64 + (1 << 20)).min(1 << 27);
    declared.max().unwrap_or(0).min(most).max(bytes.len())
}

/// How large a point cloud is with its data unpacked; LZF makes 88 bytes of one at most.
pub(crate) fn pcd_unpacked(bytes: &[u8]) -> usize {
    const PACKED: &[u8] = b"DATA binary_compressed\n";
    let header = bytes.windows(PACKED.len()).position(|line| line == PACKED);
    let size = header.and_then(|at| bytes.get(at + PACKED.len() + 4..)?.first_chunk());
    let unpacked = size.map_or(0, |size| u32::from_le_bytes(*size) as usize);
    bytes.len() + unpacked.min(88 * bytes.len())
}

/// How long an OBJ file is with its polygons as triangles, each on a line of its own.
pub(crate) fn obj_triangulated(bytes: &[u8]) -> usize {
    let faces = bytes
        .split(|b| *b == b'\n')
        .filter(|line| line.starts_with(b"f "));
    let corners = |line: &[u8]| line.split(u8::is_ascii_whitespace).count() - 1;
    let triangles = faces.map(|line| corners(line).saturating_sub(2));
    bytes.len() + triangles.sum::<usize>() * "f 1 2 4\n".len()
}

/// How large the belief is that outcomes begin, which has two words for every edge of the roadmap
/// that they are about. So many edges are taken on the word of a file.
pub(crate) fn belief_begun(outcomes: &[u8]) -> usize {
    let json: serde_json::Value = serde_json::from_slice(outcomes).unwrap_or_default();
    let edges = json["roadmap"]["edges"].as_u64().unwrap_or(0) as usize;
    outcomes.len() + 16 * edges.min(MOST_UNBORNE)
}

/// The elements of a MAT-file: each one's tag and data.
fn mat_elements(bytes: &[u8]) -> impl Iterator<Item = (u32, &[u8])> {
    let mut rest = bytes.get(128..).unwrap_or_default();
    std::iter::from_fn(move || {
        let word = |at: usize| Some(u32::from_le_bytes(*rest.get(at..)?.first_chunk()?));
        let (kind, length) = (word(0)?, word(4)? as usize);
        let data = rest.get(8..8 + length)?;
        rest = &rest[8 + length..];
        Some((kind, data))
    })
}

const ARRAY: u32 = 14;
const COMPRESSED: u32 = 15;

/// Compresses the arrays of a MAT-file, each for itself, as MATLAB does.
pub(crate) fn seal_mat(bytes: &mut Vec<u8>) {
    let Some(header) = bytes.get(..128) else {
        return;
    };
    let mut sealed = header.to_vec();
    let mut read = 128;
    for (kind, data) in mat_elements(bytes) {
        let whole = &bytes[read..read + 8 + data.len()];
        read += whole.len();
        if kind == ARRAY {
            let mut packed = Vec::new();
            ZlibEncoder::new(whole, Compression::fast())
                .read_to_end(&mut packed)
                .unwrap();
            sealed.extend(COMPRESSED.to_le_bytes());
            sealed.extend((packed.len() as u32).to_le_bytes());
            sealed.extend(packed);
        } else {
            sealed.extend(whole);
        }
    }
    sealed.extend(&bytes[read..]);
    *bytes = sealed;
}

/// How long a MAT-file is with its compressed arrays unpacked.
pub(crate) fn mat_unpacked(bytes: &[u8]) -> usize {
    let packed = mat_elements(bytes).filter(|(kind, _)| *kind == COMPRESSED);
    let unpacked = |(_, data)| {
        // What comes before the damage counts, too.
        let mut decoder = ZlibDecoder::new(data);
        let _ = copy(&mut decoder, &mut sink());
        decoder.total_out() as usize
    };
    bytes.len() + packed.map(unpacked).sum::<usize>()
}

/// A MAT-file with its arrays unpacked, so that damage reaches them.
pub(crate) fn open_mat(bytes: &[u8]) -> Vec<u8> {
    let mut open = bytes[..128].to_vec();
    for (kind, data) in mat_elements(bytes) {
        assert_eq!(kind, COMPRESSED, "as it is written");
        ZlibDecoder::new(data).read_to_end(&mut open).unwrap();
    }
    open
}
