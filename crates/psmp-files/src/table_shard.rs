//! Finished pieces of a collision table: words of bits and a checksum behind them, so that a run that was
//! killed goes on where it was. A piece that is torn or damaged counts as not done.

use crate::error::FileError;
use crate::files::save_piece;
use std::path::Path;
use twox_hash::XxHash64;

/// The words of a finished piece, if it is there, is sound and has so many.
#[must_use]
pub fn read_shard(path: &Path, words: usize) -> Option<Vec<u64>> {
    let bytes = std::fs::read(path).ok()?;
    let (rows, checksum) = bytes.split_at_checked(words.checked_mul(8)?)?;
    let expected = <[u8; 8]>::try_from(checksum).ok()?;
    (XxHash64::oneshot(0, rows).to_le_bytes() == expected).then(|| {
        let word = |w: &[u8]| w.iter().rev().fold(0, |sum, &b| sum << 8 | u64::from(b));
        rows.chunks_exact(8).map(word).collect()
    })
}

/// Writes a finished piece, whole or not at all.
///
/// # Errors
/// If it cannot be written.
pub fn write_shard(path: &Path, words: &[u64]) -> Result<(), FileError> {
    let mut bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    bytes.extend(XxHash64::oneshot(0, &bytes).to_le_bytes());
    save_piece(path, &bytes)
}
