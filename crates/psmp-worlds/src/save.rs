//! Writing files whole or not at all.
//!
//! A file is written beside its place under a temporary name and then renamed, so that a reader,
//! or an interrupted run, never meets half a file.

use crate::FileError;
use std::io::Write as _;
use std::path::Path;

/// Writes `bytes` to `path`, replacing what was there only once all is written.
///
/// # Errors
/// If the folder is not there or cannot be written to.
pub fn save(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), FileError> {
    let path = path.as_ref();
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let failed = |e| {
        FileError::io(path, "write", e)
            .hint("check that the folder exists, can be written to and has room")
    };
    let mut builder = tempfile::Builder::new();
    // A temporary file is private by default; this one becomes an ordinary file.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    let mut file = builder.tempfile_in(folder).map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    file.persist(path).map_err(|e| failed(e.error))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_whole_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.txt");
        save(&path, b"first").unwrap();
        save(&path, b"second").unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), b"second");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_missing_folder_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let error = save(folder.path().join("no/such.txt"), b"").unwrap_err();
        assert!(error.to_string().contains("such.txt"), "{error}");
        assert!(error.remedy().is_some());
    }
}
