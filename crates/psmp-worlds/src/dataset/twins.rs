//! Most files of a dataset come as text, as a MAT-file, or as both; this finds what is there.

use super::text::{self, NumberRows, id_from_one, out_of_range};
use crate::mat5::MatFile;
use psmp_files::{FileError, Place};
use std::fs;
use std::path::{Path, PathBuf};

/// Which of two twins is read where a dataset has both.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Prefer {
    /// The text. Where published twins differ, it is the newer.
    #[default]
    Text,
    /// The MAT-file.
    Mat,
    /// The one modified last, the text if that cannot be told.
    Newest,
}

/// A file that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Twin {
    Text(PathBuf),
    Mat(PathBuf),
}

/// The preferred one of two files, if either is there.
pub(super) fn choose(text: PathBuf, mat: PathBuf, prefer: Prefer) -> Option<Twin> {
    let modified = |path: &Path| fs::metadata(path).and_then(|m| m.modified()).ok();
    let mat_first = match (text.is_file(), mat.is_file()) {
        (false, false) => return None,
        (true, false) => false,
        (false, true) => true,
        (true, true) => match prefer {
            Prefer::Text => false,
            Prefer::Mat => true,
            Prefer::Newest => modified(&mat) > modified(&text),
        },
    };
    Some(if mat_first {
        Twin::Mat(mat)
    } else {
        Twin::Text(text)
    })
}

/// The preferred one of `stem.dat` and `stem.mat`.
pub(super) fn find(folder: &Path, stem: &str, prefer: Prefer) -> Option<Twin> {
    let [text, mat] = both(stem).map(|name| folder.join(name));
    choose(text, mat, prefer)
}

/// The complaint that none of these files is there.
pub(super) fn missing(folder: &Path, names: &[String], what: &str) -> FileError {
    let path = names
        .first()
        .map_or(folder.to_owned(), |name| folder.join(name));
    let nor: String = names
        .iter()
        .skip(1)
        .map(|name| format!(", nor is `{name}`"))
        .collect();
    FileError::new(
        path,
        format!("is not there{nor}: the dataset has no {what}"),
    )
    .hint("put the file there, or use a dataset that has it")
    .absent()
}

/// The two names of a file that comes as text or as MAT-file.
pub(super) fn both(stem: &str) -> [String; 2] {
    [format!("{stem}.dat"), format!("{stem}.mat")]
}

/// Coordinates or other numbers from a text file or the MAT variable `name`.
pub(super) fn numbers(twin: &Twin, name: &str) -> Result<NumberRows, FileError> {
    match twin {
        Twin::Text(path) => NumberRows::read(path, &psmp_files::read(path)?),
        Twin::Mat(path) => {
            let file = MatFile::read(path)?;
            let matrix = file.matrix(name)?;
            let by_column = matrix.numbers().to_f64();
            if let Some(odd) = by_column.iter().find(|x| !x.is_finite()) {
                return Err(
                    FileError::new(path, format!("holds {odd}, expected finite numbers"))
                        .at(Place::Field(name.to_owned()))
                        .hint("save it without NaN and Inf"),
                );
            }
            let rows = matrix.rows();
            let entry = |i: usize| by_column[i % matrix.columns() * rows + i / matrix.columns()];
            Ok(NumberRows {
                columns: matrix.columns(),
                values: (0..by_column.len()).map(entry).collect(),
            })
        }
    }
}

/// A list of ids, counted from 1 in the file and from 0 here; a MAT array may have any shape.
pub(super) fn ids(twin: &Twin, name: &str, what: &str, most: usize) -> Result<Vec<u32>, FileError> {
    match twin {
        Twin::Text(path) => {
            let bytes = psmp_files::read(path)?;
            let mut ids = Vec::new();
            for line in text::lines(&bytes) {
                for field in line.fields() {
                    ids.push(line.id(path, field, what, most)?);
                }
            }
            Ok(ids)
        }
        Twin::Mat(path) => mat_ids(
            path,
            name,
            &MatFile::read(path)?.matrix(name)?.numbers().to_f64(),
            what,
            most,
        ),
    }
}

/// A list of lists of ids: the lines of a text, or the cells of a MAT variable.
pub(super) fn lists_of_ids(
    twin: &Twin,
    name: &str,
    what: &str,
    most: usize,
) -> Result<Vec<Vec<u32>>, FileError> {
    match twin {
        Twin::Text(path) => text::lines(&psmp_files::read(path)?)
            .map(|line| {
                line.fields()
                    .map(|field| line.id(path, field, what, most))
                    .collect()
            })
            .collect(),
        Twin::Mat(path) => MatFile::read(path)?
            .cells(name)?
            .iter()
            .map(|cell| mat_ids(path, name, &cell.numbers().to_f64(), what, most))
            .collect(),
    }
}

fn mat_ids(
    path: &Path,
    name: &str,
    numbers: &[f64],
    what: &str,
    most: usize,
) -> Result<Vec<u32>, FileError> {
    numbers
        .iter()
        .map(|&number| {
            id_from_one(number, most).ok_or_else(|| {
                FileError::new(path, out_of_range(number, what, most))
                    .at(Place::Field(name.to_owned()))
                    .hint(text::IDS_FROM_ONE)
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::{Duration, SystemTime};

    #[test]
    fn the_preferred_twin_is_chosen_among_those_there() {
        let folder = tempfile::tempdir().unwrap();
        let (dat, mat) = (folder.path().join("t.dat"), folder.path().join("t.mat"));
        let chosen = |prefer| find(folder.path(), "t", prefer);
        assert_eq!(chosen(Prefer::Text), None);
        fs::write(&mat, "").unwrap();
        assert_eq!(chosen(Prefer::Text), Some(Twin::Mat(mat.clone())));
        fs::write(&dat, "").unwrap();
        assert_eq!(chosen(Prefer::Text), Some(Twin::Text(dat.clone())));
        assert_eq!(chosen(Prefer::Mat), Some(Twin::Mat(mat.clone())));
        for (age, newest) in [(60, Twin::Text(dat)), (0, Twin::Mat(mat.clone()))] {
            let file = fs::File::options().append(true).open(&mat).unwrap();
            let time = SystemTime::now() + Duration::from_secs(30) - Duration::from_secs(age);
            file.set_modified(time).unwrap();
            assert_eq!(chosen(Prefer::Newest), Some(newest));
        }
    }
}
