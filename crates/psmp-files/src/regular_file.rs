//! Reading a file that may be anything: only a regular one, and only up to a size.
//!
//! A pipe would be waited for and a device read until memory ends, so what a file is is asked before
//! it is opened.

use crate::error::FileError;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

/// What there is to know of a regular file before it is opened.
///
/// # Errors
/// If it is not there, or is not a regular file.
pub(crate) fn check_regular(path: &Path) -> Result<fs::Metadata, FileError> {
    let about = fs::metadata(path).map_err(|e| FileError::io(path, "read", e))?;
    match about.is_file() {
        true => Ok(about),
        false => Err(FileError::new(path, "is not a regular file")
            .hint("name a file; folders, pipes and devices are not read")),
    }
}

/// All bytes of a regular file of at most `most` bytes.
///
/// # Errors
/// If it is not there, cannot be read, is not a regular file, or is larger.
pub fn read_regular(path: impl AsRef<Path>, most: u64) -> Result<Vec<u8>, FileError> {
    let path = path.as_ref();
    let unreadable = |e| FileError::io(path, "read", e);
    let about = check_regular(path)?;
    let too_large = || {
        FileError::new(path, format!("is larger than {} MiB", most >> 20))
            .hint("give a smaller file; what is larger is not read")
    };
    if about.len() > most {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(about.len() as usize);
    let file = File::open(path).map_err(unreadable)?;
    // It may have grown since it was asked about.
    let read = file.take(most + 1).read_to_end(&mut bytes);
    match read.map_err(unreadable)? as u64 > most {
        true => Err(too_large()),
        false => Ok(bytes),
    }
}

/// The text of a regular file of at most `most` bytes.
///
/// # Errors
/// As for [`read_regular`], and if it is not text.
pub fn read_regular_text(path: impl AsRef<Path>, most: u64) -> Result<String, FileError> {
    let path = path.as_ref();
    String::from_utf8(read_regular(path, most)?).map_err(|e| {
        let place = e.utf8_error().valid_up_to() as u64;
        FileError::new(path, "is not text in UTF-8")
            .at(crate::Place::Byte(place))
            .hint("give a text file")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_regular_files_up_to_a_size_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        fs::write(&path, "12345").unwrap();
        assert_eq!(read_regular(&path, 5).unwrap(), b"12345");
        for refused in [
            read_regular(&path, 4),
            read_regular(folder.path(), 4),
            read_regular(folder.path().join("none"), 4),
        ] {
            assert!(refused.unwrap_err().remedy().is_some());
        }
        fs::write(&path, [b'a', 0xff]).unwrap();
        let error = read_regular_text(&path, 5).unwrap_err();
        assert!(error.to_string().contains("byte 1"), "{error}");
    }
}
