//! Whole files: reading one, and replacing one at a stroke.
//!
//! A file is written under a temporary name in the folder it is meant for and renamed when it is
//! complete, so that a reader finds the old file or the new one, never half of either.

use crate::error::FileError;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::Path;

/// All bytes of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, FileError> {
    fs::read(path).map_err(|e| FileError::io(path, "read", e))
}

/// Writes `bytes` to `path`, replacing what was there only once all is written.
///
/// # Errors
/// If the folder is not there or cannot be written to.
pub fn save(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), FileError> {
    write(path.as_ref(), |file| file.write_all(bytes))
}

/// Whether [`save`] could write to `path`, to be asked before hours of work for what it is to hold.
///
/// # Errors
/// If the folder is not there or cannot be written to, or `path` is a folder itself.
pub fn check_writable(path: impl AsRef<Path>) -> Result<(), FileError> {
    let path = path.as_ref();
    if path.is_dir() {
        return Err(
            FileError::new(path, "is a folder, expected the name of a file")
                .hint("name a file in it"),
        );
    }
    temporary_beside(path)
        .map(drop)
        .map_err(|e| FileError::io(path, "write", e))
}

/// Replaces `path` by what `content` writes.
pub(crate) fn write(
    path: &Path,
    content: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<(), FileError> {
    let temporary = written(path, content)?;
    let renamed = temporary.persist(path);
    renamed.map_err(|e| FileError::io(path, "write", e.error))?;
    Ok(())
}

/// Makes `path` of what `content` writes, unless it is there already.
pub(crate) fn write_if_absent(
    path: &Path,
    content: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<(), FileError> {
    match written(path, content)?.persist_noclobber(path) {
        Err(e) if e.error.kind() != io::ErrorKind::AlreadyExists => {
            Err(FileError::io(path, "write", e.error))
        }
        _ => Ok(()),
    }
}

/// What `content` writes, under a temporary name beside `path`.
fn written(
    path: &Path,
    content: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<tempfile::NamedTempFile, FileError> {
    let refused = |e| FileError::io(path, "write", e);
    let temporary = temporary_beside(path).map_err(refused)?;
    let mut writer = BufWriter::with_capacity(1 << 16, temporary.as_file());
    content(&mut writer).map_err(refused)?;
    writer.flush().map_err(refused)?;
    drop(writer);
    Ok(temporary)
}

/// An empty file under a temporary name in the folder of `path`; it goes if it is not renamed.
fn temporary_beside(path: &Path) -> io::Result<tempfile::NamedTempFile> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut named = tempfile::Builder::new();
    // A temporary file is private by default; the finished one must be as readable as any other.
    #[cfg(unix)]
    named.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    named.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        write(&path, |w| w.write_all(b"old")).unwrap();
        let failed = write(&path, |w| {
            w.write_all(b"new")?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(failed.is_err());
        assert_eq!(read(&path).unwrap(), b"old");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = save(folder.path().join("no/such.txt"), b"").unwrap_err();
        assert!(error.to_string().contains("such.txt"), "{error}");
        assert!(error.remedy().is_some());
    }

    #[test]
    fn a_place_is_tried_without_a_trace() {
        let folder = tempfile::tempdir().unwrap();
        check_writable(folder.path().join("new")).unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        for bad in [folder.path().to_owned(), folder.path().join("no/such.txt")] {
            assert!(check_writable(bad).unwrap_err().remedy().is_some());
        }
    }
}
