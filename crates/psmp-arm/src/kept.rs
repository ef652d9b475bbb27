//! What is made of a robot once and kept from program to program, in the user's cache.
//!
//! Covers, roadmaps and pairs of links that need no check depend on the robot and on a few numbers
//! alone, and take longer to make than to read. Each is a file whose name is a hash of all that it
//! depends on, and of nothing else: what a robot is called leads nowhere. What is in a file is not
//! believed: whoever reads it says whether it is sound, and what is not is made anew. No trouble with
//! the cache stops anyone; it is handed back to be told.

use psmp_files::{FileError, read_regular};
use std::path::{Path, PathBuf};
use std::time::SystemTime;
use twox_hash::XxHash64;

/// How many things of a kind are kept; those that were made longest ago go first.
const MOST: usize = 100;

/// The greatest size of a file that is kept.
const LARGEST: u64 = 1 << 30;

/// What has come of looking something up: the thing, and what is wrong with the cache, if anything is.
pub(crate) type Kept<T> = (T, Vec<FileError>);

/// A kind of thing that is kept.
pub(crate) struct Kind {
    /// What one is called.
    pub name: &'static str,
    /// The folder of the cache that this kind has to itself.
    pub folder: &'static str,
    /// How its files' names end.
    pub ending: &'static str,
}

impl Kind {
    /// The thing of this hash: read from `folder`, or from the user's cache if none is given; or made
    /// and written there, if it is not known or what is there cannot be read as such.
    pub fn keep<T, E>(
        &self,
        folder: Option<&Path>,
        hash: u64,
        read: impl FnOnce(&[u8]) -> Result<T, String>,
        make: impl FnOnce() -> Result<T, E>,
        write: impl FnOnce(&T) -> Vec<u8>,
    ) -> Result<Kept<T>, E> {
        let name = self.name;
        let Some(folder) = folder.map(Path::to_owned).or_else(|| self.users_folder()) else {
            let problem = format!("no {name} can be kept: neither XDG_CACHE_HOME nor HOME is set");
            return Ok((make()?, vec![FileError::new("~/.cache/psmp", problem)]));
        };
        let path = folder.join(format!("{hash:016x}.{}", self.ending));
        let mut troubles = Vec::new();
        // If there is more to it than that it is not there, writing will tell.
        if path.symlink_metadata().is_ok() {
            let known = read_regular(&path, LARGEST).and_then(|bytes| {
                let invalid = |why| FileError::new(&path, format!("{why}; a new {name} is made"));
                read(&bytes).map_err(invalid)
            });
            match known {
                Ok(known) => return Ok((known, troubles)),
                Err(trouble) => troubles.push(trouble),
            }
        }
        let made = make()?;
        let written = std::fs::create_dir_all(&folder)
            .map_err(|e| FileError::io(&folder, "create", e))
            .and_then(|()| psmp_files::save(&path, &write(&made)));
        troubles.extend(written.err());
        remove_oldest(&folder, self.ending);
        Ok((made, troubles))
    }

    /// Where this kind is kept for the user, if there is such a place.
    fn users_folder(&self) -> Option<PathBuf> {
        let own = |name: &str| {
            std::env::var_os(name)
                .map(PathBuf::from)
                .filter(|path| path.is_absolute())
        };
        let cache = own("XDG_CACHE_HOME").or_else(|| Some(own("HOME")?.join(".cache")))?;
        Some(cache.join("psmp").join(self.folder))
    }
}

/// Removes the oldest files of a kind where there are too many. One that cannot be removed stays.
fn remove_oldest(folder: &Path, ending: &str) {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return;
    };
    let mut files: Vec<(SystemTime, PathBuf)> = entries
        .flatten()
        .filter(|entry| entry.path().extension().is_some_and(|e| e == ending))
        .filter_map(|entry| Some((entry.metadata().ok()?.modified().ok()?, entry.path())))
        .collect();
    files.sort();
    for (_, path) in &files[..files.len().saturating_sub(MOST)] {
        let _ = std::fs::remove_file(path);
    }
}

/// Bytes that tell the hash they are kept under, and whether they are as they were written.
pub(crate) fn seal(hash: u64, content: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(content.len() + 16);
    bytes.extend(content);
    bytes.extend(hash.to_le_bytes());
    bytes.extend(XxHash64::oneshot(0, &bytes).to_le_bytes());
    bytes
}

/// What was sealed under this hash.
pub(crate) fn unseal(hash: u64, bytes: &[u8]) -> Result<&[u8], String> {
    let (rest, checksum) = bytes.split_last_chunk::<8>().ok_or("is cut short")?;
    if XxHash64::oneshot(0, rest).to_le_bytes() != *checksum {
        return Err("is damaged".to_owned());
    }
    match rest.split_last_chunk::<8>() {
        Some((content, own)) if *own == hash.to_le_bytes() => Ok(content),
        _ => Err("is something else's".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::convert::Infallible;

    const WORDS: Kind = Kind {
        name: "word",
        folder: "words",
        ending: "word",
    };

    fn keep(folder: &Path, hash: u64, word: &str) -> Kept<String> {
        let read = |bytes: &[u8]| Ok(String::from_utf8_lossy(unseal(hash, bytes)?).into_owned());
        let made = WORDS.keep(
            Some(folder),
            hash,
            read,
            || Ok::<_, Infallible>(word.to_owned()),
            |word| seal(hash, word.as_bytes()),
        );
        let Ok(kept) = made;
        kept
    }

    #[test]
    fn no_changed_bit_and_no_cut_goes_unseen() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(keep(folder.path(), 7, "first").0, "first");
        // What is known is not made again.
        assert_eq!(keep(folder.path(), 7, "second").0, "first");
        let path = folder.path().join("0000000000000007.word");
        let good = std::fs::read(&path).unwrap();
        let foreign = seal(8, b"first");
        let cut = (0..good.len()).map(|length| good[..length].to_vec());
        let changed = (0..good.len() * 8).map(|bit| {
            let mut bytes = good.clone();
            bytes[bit / 8] ^= 1 << (bit % 8);
            bytes
        });
        for bad in cut.chain(changed).chain([foreign]) {
            std::fs::write(&path, bad).unwrap();
            let (word, troubles) = keep(folder.path(), 7, "anew");
            assert_eq!(word, "anew");
            let [trouble] = &troubles[..] else {
                panic!("one trouble is told: {troubles:?}");
            };
            assert!(trouble.to_string().contains("a new word is made"));
            assert!(keep(folder.path(), 7, "").1.is_empty());
        }
    }

    #[test]
    fn there_is_an_end_to_what_is_kept() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("other.txt"), "").unwrap();
        for hash in 0..MOST as u64 + 5 {
            let _ = keep(folder.path(), hash, "word");
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), MOST + 1);
        // The last is still there.
        assert_eq!(keep(folder.path(), MOST as u64 + 4, "anew").0, "word");
    }
}
