//! What is wrong with a file: which, where in it, what was expected, and what to do.

use std::fmt;
use std::path::{Path, PathBuf};

/// Where in a file the trouble is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    Whole,
    /// A line of a text file, counted from 1.
    Line(usize),
    /// A named field or array.
    Field(String),
    /// An offset into a binary file.
    Byte(u64),
}

/// A file that cannot be read, written or used, with the place and the remedy.
#[derive(Debug)]
pub struct FileError {
    path: PathBuf,
    place: Place,
    problem: String,
    hint: Option<String>,
    absent: bool,
    source: Option<std::io::Error>,
}

impl FileError {
    /// Trouble with the whole file.
    pub fn new(path: impl AsRef<Path>, problem: impl Into<String>) -> Self {
        Self {
            path: path.as_ref().to_owned(),
            place: Place::Whole,
            problem: problem.into(),
            hint: None,
            absent: false,
            source: None,
        }
    }

    /// The operating system's refusal, with what was being done: "read", "write", "create".
    pub fn io(path: impl AsRef<Path>, doing: &str, source: std::io::Error) -> Self {
        if source.kind() == std::io::ErrorKind::StorageFull {
            return Self {
                source: Some(source),
                ..Self::new(path, format!("cannot {doing} it: the disk is full"))
                    .hint("make room and give the same command again")
            };
        }
        let hint = match doing {
            "write" | "create" => "check that the folder exists, can be written to and has room",
            _ => "check the name and that the file is there and can be read",
        };
        Self {
            source: Some(source),
            ..Self::new(path, format!("cannot {doing} it")).hint(hint)
        }
    }

    /// The same trouble, which is only that something optional is not there.
    #[must_use]
    pub fn absent(self) -> Self {
        Self {
            absent: true,
            ..self
        }
    }

    /// The same trouble at a place in the file.
    #[must_use]
    pub fn at(self, place: Place) -> Self {
        Self { place, ..self }
    }

    /// The same trouble with a remedy for the user.
    #[must_use]
    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self {
            hint: Some(hint.into()),
            ..self
        }
    }

    /// The file.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Where in the file.
    #[must_use]
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Whether nothing is wrong but that the file is not there, so that one who can do without it
    /// may go on.
    #[must_use]
    pub fn is_absent(&self) -> bool {
        self.absent
    }

    /// What the user can do about it.
    #[must_use]
    pub fn remedy(&self) -> Option<&str> {
        self.hint.as_deref()
    }
}

impl fmt::Display for FileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}`", self.path.display())?;
        match &self.place {
            Place::Whole => {}
            Place::Line(line) => write!(f, ", line {line}")?,
            Place::Field(name) => write!(f, ", field `{name}`")?,
            Place::Byte(offset) => write!(f, ", byte {offset}")?,
        }
        write!(f, ": {}", self.problem)
    }
}

impl std::error::Error for FileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source
            .as_ref()
            .map(|e| e as &(dyn std::error::Error + 'static))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_called_one() {
        let full = std::io::ErrorKind::StorageFull.into();
        let error = FileError::io("rows.csv", "write", full);
        assert!(error.to_string().contains("the disk is full"), "{error}");
        assert!(error.remedy().is_some_and(|r| r.contains("make room")));
    }
}
