//! Whole files: reading one, and replacing one at a stroke.
//!
//! A file is written under a temporary name in the folder it is meant for and renamed when it is
//! complete, so that a reader finds the old file or the new one, never half of either. It is on the
//! disk before it gets its name. A link stays a link, and a file that was there keeps its owner and
//! who may read it.
//!
//! What is being written lies in `.NAME.psmp-PROCESS-RANDOM.tmp` and is locked. One whose process was
//! killed is removed by the next that writes a file of that name. Messages only tell of the file that
//! was asked for.

use crate::error::FileError;
use crate::regular_file::check_regular;
use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::NamedTempFile;

const SUFFIX: &str = ".tmp";
/// File systems allow names of 255 bytes; this leaves room for what a temporary name has besides.
const LONGEST_NAME: usize = 200;
/// Where it cannot be asked whether a process still lives, one that began so long ago does not.
const LONG_AGO: Duration = Duration::from_secs(24 * 60 * 60);
/// As many links that lead to links as an operating system follows.
const MOST_LINKS: usize = 40;

/// All bytes of a regular file, however many they are.
///
/// # Errors
/// If it is not there, cannot be read, or is not a regular file.
pub fn read(path: impl AsRef<Path>) -> Result<Vec<u8>, FileError> {
    let path = path.as_ref();
    check_regular(path)?;
    fs::read(path).map_err(|e| FileError::io(path, "read", e))
}

/// Writes `bytes` to `path`, replacing what was there only once all is written.
///
/// # Errors
/// If the folder is not there or cannot be written to.
pub fn save(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), FileError> {
    save_with(path, |file| file.write_all(bytes))
}

/// Writes a piece of unfinished work, as [`save`] does but without waiting for the disk. Only for
/// bytes that have a checksum among them: after a power failure the file may be there and torn.
///
/// # Errors
/// If the folder is not there or cannot be written to.
pub fn save_piece(path: impl AsRef<Path>, bytes: &[u8]) -> Result<(), FileError> {
    let path = path.as_ref();
    let refused = |e| FileError::io(path, "write", e);
    let draft = Draft::beside(path)?;
    draft.fill(|w| w.write_all(bytes)).map_err(refused)?;
    let renamed = draft.temporary.persist(&draft.target);
    renamed.map(drop).map_err(|e| refused(e.error))
}

/// Whether [`save`] could write to `path`, to be asked before hours of work for what it is to hold.
///
/// # Errors
/// If the folder is not there or cannot be written to, or `path` is a folder itself.
pub fn check_writable(path: impl AsRef<Path>) -> Result<(), FileError> {
    Draft::beside(path.as_ref()).map(drop)
}

/// Replaces `path` by what `content` writes, as [`save`] does.
///
/// # Errors
/// If the folder is not there or cannot be written to, or `content` fails.
pub fn save_with(
    path: impl AsRef<Path>,
    content: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
) -> Result<(), FileError> {
    let path = path.as_ref();
    let refused = |e| FileError::io(path, "write", e);
    let draft = Draft::written(path, content)?;
    let renamed = draft.temporary.persist(&draft.target);
    renamed.map_err(|e| refused(e.error))?;
    sync_folder(&draft.target).map_err(refused)
}

/// Makes `path` of these bytes, unless it is there already.
pub(crate) fn write_if_absent(path: &Path, bytes: &[u8]) -> Result<(), FileError> {
    let refused = |e| FileError::io(path, "write", e);
    let draft = Draft::written(path, |file| file.write_all(bytes))?;
    match draft.temporary.persist_noclobber(&draft.target) {
        Ok(_) => sync_folder(&draft.target).map_err(refused),
        Err(e) if e.error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        Err(e) => Err(refused(e.error)),
    }
}

/// What is to become a file; it goes if it is not renamed.
struct Draft {
    /// The file that it is to become, which no link stands for.
    target: PathBuf,
    /// What is there now.
    old: Option<fs::Metadata>,
    temporary: NamedTempFile<File>,
}

impl Draft {
    /// An empty file under a temporary name in the folder of what `path` leads to.
    fn beside(path: &Path) -> Result<Self, FileError> {
        let refused = |e| FileError::io(path, "write", e);
        let old = fs::metadata(path).ok();
        if old.as_ref().is_some_and(fs::Metadata::is_dir) {
            return Err(
                FileError::new(path, "is a folder, expected the name of a file")
                    .hint("name a file in it"),
            );
        }
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            return Err(
                FileError::new(path, "is no regular file, and is not replaced by one")
                    .hint("name a new file"),
            );
        }
        let target = behind_links(path).map_err(refused)?;
        let Some(name) = target.file_name() else {
            return Err(refused(io::ErrorKind::InvalidInput.into()));
        };
        let mark = mark(&name.to_string_lossy());
        let folder = folder_of(&target);
        remove_left_behind(folder, &mark);
        let temporary = tempfile::Builder::new()
            .prefix(&format!("{mark}{}-", std::process::id()))
            .suffix(SUFFIX)
            .make_in(folder, |path| create(path, old.as_ref()))
            .map_err(refused)?;
        // For those who look for what was left behind. Where there are no locks, they ask the process.
        let _ = temporary.as_file().try_lock();
        Ok(Self {
            target,
            old,
            temporary,
        })
    }

    /// One that is complete and on the disk.
    fn written(
        path: &Path,
        content: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
    ) -> Result<Self, FileError> {
        let draft = Self::beside(path)?;
        let written = draft.fill(content);
        written
            .and_then(|()| draft.temporary.as_file().sync_all())
            .map_err(|e| FileError::io(path, "write", e))?;
        Ok(draft)
    }

    fn fill(
        &self,
        content: impl FnOnce(&mut BufWriter<&File>) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut writer = BufWriter::with_capacity(1 << 16, self.temporary.as_file());
        content(&mut writer)?;
        writer.flush()?;
        drop(writer);
        match &self.old {
            Some(old) => take_after(old, self.temporary.as_file()),
            None => Ok(()),
        }
    }
}

/// What the temporary names of a file begin with.
fn mark(name: &str) -> String {
    let mut end = name.len().min(LONGEST_NAME);
    while !name.is_char_boundary(end) {
        end -= 1;
    }
    format!(".{}.psmp-", &name[..end])
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// The file that a path leads to, which need not be there.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST_LINKS {
        match fs::read_link(&path) {
            Ok(to) => path = folder_of(&path).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("its links lead in a circle"))
}

/// A new file that no more may read than the one it is to replace; as any new file if there is none.
fn create(path: &Path, old: Option<&fs::Metadata>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
        options.mode(old.map_or(0o666, |old| old.mode() & 0o777));
    }
    #[cfg(not(unix))]
    let _ = old;
    options.open(path)
}

/// Gives a file the owner, the group and the rights of another.
#[cfg(unix)]
fn take_after(old: &fs::Metadata, file: &File) -> io::Result<()> {
    use std::os::unix::fs::{MetadataExt, PermissionsExt, fchown};
    let new = file.metadata()?;
    let mut mode = old.mode() & 0o777;
    if new.uid() != old.uid() {
        // Only the superuser can give a file away; for others it is their own from now on.
        let _ = fchown(file, Some(old.uid()), None);
    }
    if new.gid() != old.gid() && fchown(file, None, Some(old.gid())).is_err() {
        // What one group was allowed is not for another.
        mode = mode & !0o070 | (mode & 0o007) << 3;
    }
    if new.mode() & 0o777 != mode {
        file.set_permissions(fs::Permissions::from_mode(mode))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn take_after(_: &fs::Metadata, _: &File) -> io::Result<()> {
    Ok(())
}

/// Sees that a new name outlasts a power failure.
#[cfg(unix)]
fn sync_folder(path: &Path) -> io::Result<()> {
    match File::open(folder_of(path)).and_then(|folder| folder.sync_all()) {
        // Some file systems and folders cannot be asked for it.
        Err(e) if e.kind() == io::ErrorKind::InvalidInput => Ok(()),
        Err(e) if e.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        done => done,
    }
}

#[cfg(not(unix))]
fn sync_folder(_: &Path) -> io::Result<()> {
    Ok(())
}

/// Removes temporary files with this mark whose process has not lived to rename them. It is no
/// trouble if that fails: the next time may do better.
fn remove_left_behind(folder: &Path, mark: &str) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let process = name.to_str().and_then(|name| {
            let (process, random) = name
                .strip_prefix(mark)?
                .strip_suffix(SUFFIX)?
                .split_once('-')?;
            let plain = !random.is_empty() && random.bytes().all(|b| b.is_ascii_alphanumeric());
            plain.then_some(process)?.parse::<u32>().ok()
        });
        if process.is_some_and(|process| !may_live(process, &entry)) {
            let unlocked = File::open(entry.path()).is_ok_and(|file| file.try_lock().is_ok());
            if unlocked {
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// Whether the process that made a temporary file may still be at it.
fn may_live(process: u32, file: &fs::DirEntry) -> bool {
    let processes = Path::new("/proc");
    if processes.join("self").exists() {
        return processes.join(process.to_string()).exists();
    }
    let age = file.metadata().and_then(|m| m.modified());
    !age.is_ok_and(|made| made.elapsed().is_ok_and(|age| age > LONG_AGO))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::regular_file::read_regular;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_failed_write_leaves_the_old_file_and_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("table");
        save_with(&path, |w| w.write_all(b"old")).unwrap();
        let failed = save_with(&path, |w| {
            w.write_all(b"new")?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(failed.is_err());
        assert_eq!(read(&path).unwrap(), b"old");
        assert_eq!(names(folder.path()), ["table"]);
    }

    /// All that is said about trouble, causes included.
    fn said(error: &FileError) -> String {
        let mut words = error.to_string();
        let mut cause = std::error::Error::source(error);
        while let Some(error) = cause {
            words = format!("{words}: {error}");
            cause = error.source();
        }
        words
    }

    #[test]
    fn a_missing_folder_is_named_and_no_temporary_file() {
        let named = tempfile::Builder::new().prefix("place").tempdir();
        let folder = named.unwrap();
        for refused in [
            save(folder.path().join("no/such.txt"), b""),
            save_piece(folder.path().join("no/such.txt"), b""),
            check_writable(folder.path().join("no/such.txt")),
        ] {
            let error = refused.unwrap_err();
            let words = said(&error);
            assert!(
                words.contains("such.txt") && words.contains("os error 2"),
                "{words}"
            );
            assert!(!words.contains(".tmp"), "{words}");
            assert!(error.remedy().is_some());
        }
    }

    #[test]
    fn a_place_is_tried_without_a_trace() {
        let folder = tempfile::tempdir().unwrap();
        check_writable(folder.path().join("new")).unwrap();
        assert_eq!(names(folder.path()).len(), 0);
        for bad in [folder.path().to_owned(), folder.path().join("no/such.txt")] {
            assert!(check_writable(bad).unwrap_err().remedy().is_some());
        }
    }

    #[test]
    fn a_long_name_leaves_room_for_the_temporary_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("ä".repeat(127));
        save(&path, b"long").unwrap();
        save_piece(&path, b"longer").unwrap();
        assert_eq!(read(&path).unwrap(), b"longer");
    }

    #[cfg(unix)]
    mod on_unix {
        use super::*;
        use std::os::unix::fs::{PermissionsExt, symlink};

        fn mode(path: &Path) -> u32 {
            fs::metadata(path).unwrap().permissions().mode() & 0o777
        }

        #[test]
        fn a_link_stays_and_its_file_is_replaced() {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            fs::create_dir(at("store")).unwrap();
            fs::write(at("store/real"), "old").unwrap();
            symlink("store/real", at("link")).unwrap();
            symlink(at("link"), at("link to the link")).unwrap();
            save(at("link to the link"), b"new").unwrap();
            assert_eq!(read(at("store/real")).unwrap(), b"new");
            for link in ["link", "link to the link"] {
                assert!(fs::symlink_metadata(at(link)).unwrap().is_symlink());
            }
            // The file need not be there yet, and it may be all that is wanted.
            symlink("store/fresh", at("early")).unwrap();
            write_if_absent(&at("early"), b"first").unwrap();
            write_if_absent(&at("early"), b"second").unwrap();
            assert_eq!(read(at("store/fresh")).unwrap(), b"first");
            assert_eq!(names(&at("store")), ["fresh", "real"]);
            symlink("round", at("round")).unwrap();
            let error = save(at("round"), b"").unwrap_err();
            assert!(said(&error).contains("circle"), "{}", said(&error));
        }

        #[test]
        fn who_may_read_a_file_stays_and_a_new_one_is_as_any() {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            fs::write(at("by another program"), "").unwrap();
            save(at("new"), b"").unwrap();
            assert_eq!(mode(&at("new")), mode(&at("by another program")));
            for rights in [0o600, 0o640, 0o444, 0o755] {
                fs::set_permissions(at("new"), fs::Permissions::from_mode(rights)).unwrap();
                save(at("new"), b"again").unwrap();
                assert_eq!(mode(&at("new")), rights);
                // Nor may anyone read it while it is being written.
                save_with(at("new"), |w| {
                    w.write_all(b"in the making")?;
                    w.flush()?;
                    let now = w.get_ref().metadata()?.permissions().mode() & 0o777;
                    assert_eq!(now & !rights, 0, "{now:o}");
                    Ok(())
                })
                .unwrap();
            }
        }

        #[test]
        fn a_device_is_not_replaced() {
            let error = save("/dev/null", b"").unwrap_err();
            assert!(error.to_string().contains("no regular file"), "{error}");
        }

        #[test]
        fn a_device_or_a_pipe_is_not_read() {
            let folder = tempfile::tempdir().unwrap();
            let pipe = folder.path().join("pipe");
            let made = std::process::Command::new("mkfifo").arg(&pipe).status();
            assert!(made.unwrap().success());
            for path in [Path::new("/dev/zero"), &pipe] {
                for error in [
                    read(path).unwrap_err(),
                    read_regular(path, 1 << 20).unwrap_err(),
                ] {
                    assert!(error.to_string().contains("not a regular file"), "{error}");
                }
            }
        }

        /// The number of a process that is no more.
        fn dead() -> u32 {
            let mut child = std::process::Command::new("true").spawn().unwrap();
            child.wait().unwrap();
            child.id()
        }

        #[test]
        fn what_a_killed_process_left_is_removed_and_nothing_else() {
            let folder = tempfile::tempdir().unwrap();
            let at = |name: &str| folder.path().join(name);
            let (dead, own) = (dead(), std::process::id());
            let gone = [
                format!(".rows.csv.psmp-{dead}-aB3xyz.tmp"),
                format!(".rows.csv.psmp-{dead}-000000.tmp"),
            ];
            let stays = [
                format!(".rows.csv.psmp-{own}-aB3xyz.tmp"),
                format!(".rows.json.psmp-{dead}-aB3xyz.tmp"),
                format!(".rows.csv.psmp-{dead}-a.b.tmp"),
                format!(".rows.csv.psmp-{dead}-aB3xyz"),
                format!(".rows.csv.psmp-{dead}x-aB3xyz.tmp"),
                ".tmpaB3xyz".to_owned(),
                "rows.csv".to_owned(),
            ];
            for name in gone.iter().chain(&stays) {
                fs::write(at(name), "").unwrap();
            }
            // One that is locked is at work, wherever its process may be seen.
            let locked = format!(".rows.csv.psmp-{dead}-locked.tmp");
            let lock = File::create(at(&locked)).unwrap();
            lock.lock().unwrap();
            save(at("rows.csv"), b"1").unwrap();
            let mut expected: Vec<String> = stays.to_vec();
            expected.push(locked);
            expected.sort();
            assert_eq!(names(folder.path()), expected);
        }

        #[test]
        fn writers_at_the_same_time_do_not_take_each_others_files() {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("shared");
            std::thread::scope(|scope| {
                for text in ["one", "two", "three"] {
                    let path = &path;
                    scope.spawn(move || (0..30).for_each(|_| save(path, text.as_bytes()).unwrap()));
                }
            });
            assert_eq!(names(folder.path()), ["shared"]);
        }
    }
}
