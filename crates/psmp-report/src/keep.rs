//! Results kept in files that can be trusted.
//!
//! A file is a line that says what it belongs to and what its content hashes to, and then the
//! content as JSON. It appears whole or not at all. On reading, a file of other options, of another
//! version, or with a single byte changed is refused, so that it is made again and never used.

use crate::older_rows::in_todays_words;
use psmp_files::{FileError, save_piece};
use psmp_lab::Row;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::path::Path;
use twox_hash::XxHash64;

pub(crate) const REMEDY: &str = "nothing needs to be done: it is made again";

fn header(fingerprint: &str, content: &[u8]) -> String {
    let hash = XxHash64::oneshot(0, content);
    format!("psmp {fingerprint} {hash:016x}")
}

/// Keeps a value under a name.
///
/// # Errors
/// If the file cannot be written.
pub fn keep(path: &Path, fingerprint: &str, value: &impl Serialize) -> Result<(), FileError> {
    let content = serde_json::to_vec(value)
        .map_err(|e| FileError::new(path, format!("cannot write it: {e}")))?;
    let mut bytes = header(fingerprint, &content).into_bytes();
    bytes.push(b'\n');
    bytes.extend(content);
    save_piece(path, &bytes)
}

/// The value kept under a name; `None` if there is none.
///
/// # Errors
/// If the file is there but is not what was kept.
pub fn recall<T: DeserializeOwned>(path: &Path, fingerprint: &str) -> Result<Option<T>, FileError> {
    let damaged = |what: &str| FileError::new(path, what).hint(REMEDY);
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(e) => return Err(FileError::io(path, "read", e).hint(REMEDY)),
    };
    let split = bytes.iter().position(|byte| *byte == b'\n');
    let Some((first, rest)) = split.map(|at| bytes.split_at(at)) else {
        return Err(damaged("is cut short"));
    };
    let content = &rest[1..];
    if first != header(fingerprint, content).as_bytes() {
        return Err(damaged("is damaged or belongs to another run"));
    }
    serde_json::from_slice(content)
        .map(Some)
        .map_err(|e| damaged(&format!("cannot be understood: {e}")))
}

/// The rows kept under a name, which must be so many; `None` if there are none.
///
/// # Errors
/// If the file is there but is not what was kept.
pub fn recall_rows(
    path: &Path,
    fingerprint: &str,
    expected: usize,
) -> Result<Option<Vec<Row>>, FileError> {
    let rows = recall::<Vec<Row>>(path, fingerprint)?;
    match rows.as_ref().map(Vec::len) {
        Some(found) if found != expected => {
            let what = format!("holds {found} rows, expected {expected}");
            Err(FileError::new(path, what).hint(REMEDY))
        }
        _ => Ok(rows.map(|rows| rows.into_iter().map(in_todays_words).collect())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_that_are_too_few_are_refused() {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        keep(&path, "a", &vec![Row::default()]).unwrap();
        assert_eq!(
            recall_rows(&path, "a", 1).unwrap(),
            Some(vec![Row::default()])
        );
        assert!(recall_rows(&path, "a", 2).unwrap_err().remedy().is_some());
    }

    #[test]
    fn what_is_kept_is_recalled_and_what_is_damaged_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("numbers");
        let numbers = vec![0.1, 1.0 / 3.0, 1e300];
        assert_eq!(recall::<Vec<f64>>(&path, "a").unwrap(), None);
        keep(&path, "a", &numbers).unwrap();
        assert_eq!(recall(&path, "a").unwrap(), Some(numbers));
        assert!(recall::<Vec<f64>>(&path, "b").is_err());
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            std::fs::write(&path, &bytes).unwrap();
            assert!(recall::<Vec<f64>>(&path, "a").is_err(), "byte {at}");
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(recall::<Vec<f64>>(&path, "a").is_err(), "cut at {at}");
        }
    }
}
