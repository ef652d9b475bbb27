//! Tables of numbers in text: a line is a row, fields are parted by commas or white space.
//!
//! Either line end will do, blank lines are skipped, and so are spaces too many; what is left must
//! be numbers. Everything works on bytes, because the tables have millions of entries.

use psmp_files::{FileError, Place};
use std::path::Path;

/// A line that is not blank.
#[derive(Clone, Copy)]
pub(super) struct Line<'a> {
    /// Counted from 1, blank lines too.
    pub number: usize,
    pub bytes: &'a [u8],
}

/// The lines of a file that are not blank.
pub(super) fn lines(bytes: &[u8]) -> impl Iterator<Item = Line<'_>> {
    // Some editors mark UTF-8 with three bytes at the beginning.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes
        .split(|&b| b == b'\n')
        .enumerate()
        .map(|(i, line)| Line {
            number: i + 1,
            bytes: line.trim_ascii(),
        })
        .filter(|line| !line.bytes.is_empty())
}

#[inline]
pub(super) fn is_separator(byte: u8) -> bool {
    byte == b',' || byte.is_ascii_whitespace()
}

impl<'a> Line<'a> {
    pub fn fields(self) -> impl Iterator<Item = &'a [u8]> {
        self.bytes
            .split(|&b| is_separator(b))
            .filter(|field| !field.is_empty())
    }

    /// What is wrong with this line of the file.
    pub fn fault(self, path: &Path, problem: impl Into<String>) -> FileError {
        FileError::new(path, problem).at(Place::Line(self.number))
    }

    /// A field as a finite number.
    pub fn number(self, path: &Path, field: &[u8]) -> Result<f64, FileError> {
        std::str::from_utf8(field)
            .ok()
            .and_then(|text| text.parse().ok())
            .filter(|x: &f64| x.is_finite())
            .ok_or_else(|| {
                self.fault(path, format!("`{}` is not a finite number", shown(field)))
                    .hint("write it in decimal, such as 0.25 or 1e-3")
            })
    }

    /// A field as the id of one of `most` things, which the file counts from 1 and we from 0.
    pub fn id(self, path: &Path, field: &[u8], what: &str, most: usize) -> Result<u32, FileError> {
        let number = self.number(path, field)?;
        id_from_one(number, most).ok_or_else(|| {
            self.fault(path, out_of_range(number, what, most))
                .hint(IDS_FROM_ONE)
        })
    }
}

/// An id counted from 0, if `number` is one of 1, 2, ... `most`.
pub(super) fn id_from_one(number: f64, most: usize) -> Option<u32> {
    let most = most.min(u32::MAX as usize) as f64;
    (number.fract() == 0.0 && (1.0..=most).contains(&number)).then(|| number as u32 - 1)
}

/// The remedy for an id that [`id_from_one`] refuses.
pub(super) const IDS_FROM_ONE: &str = "ids are whole numbers counted from 1";

/// The complaint for an id that [`id_from_one`] refuses.
pub(super) fn out_of_range(number: f64, what: &str, most: usize) -> String {
    format!("{number} is not a {what} id, expected 1 to {most}")
}

/// A field fit for a message, however long and odd it is.
pub(super) fn shown(field: &[u8]) -> String {
    let text = String::from_utf8_lossy(&field[..field.len().min(40)]).into_owned();
    text.escape_debug().to_string()
}

/// A table of numbers with rows of equal length, row by row.
pub(super) struct NumberRows {
    pub columns: usize,
    pub values: Vec<f64>,
}

impl NumberRows {
    pub fn count(&self) -> usize {
        self.values.len().checked_div(self.columns).unwrap_or(0)
    }

    pub fn read(path: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        let mut values = Vec::new();
        let mut columns = 0;
        for line in lines(bytes) {
            let before = values.len();
            for field in line.fields() {
                values.push(line.number(path, field)?);
            }
            let found = values.len() - before;
            if columns == 0 {
                columns = found;
            }
            if found != columns {
                return Err(line
                    .fault(
                        path,
                        format!("has {found} numbers, the rows before have {columns}"),
                    )
                    .hint("give every row the same number of columns"));
            }
        }
        Ok(Self { columns, values })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<NumberRows, FileError> {
        NumberRows::read(Path::new("t.dat"), text.as_bytes())
    }

    #[test]
    fn separators_line_ends_and_blank_lines_do_not_matter() {
        for text in [
            "1,2\n3,4",
            "1 2\r\n3 4\r\n\r\n",
            "\u{feff} 1 , 2 \n\n\t3\t4,\n\n",
        ] {
            let table = read(text).unwrap();
            assert_eq!((table.count(), table.columns), (2, 2));
            assert_eq!(table.values, [1.0, 2.0, 3.0, 4.0]);
        }
        assert_eq!(read("").unwrap().count(), 0);
        assert_eq!(read(",\n,,\n").unwrap().count(), 0);
    }

    #[test]
    fn faults_name_the_line() {
        for (text, line) in [("1\n\nx", 3), ("1\nnan", 2), ("1 2\n3", 2), ("inf", 1)] {
            let error = read(text).map(|_| ()).unwrap_err();
            assert_eq!(error.place(), &Place::Line(line), "{error}");
        }
    }

    #[test]
    fn ids_count_from_one() {
        assert_eq!(id_from_one(1.0, 3), Some(0));
        assert_eq!(id_from_one(3.0, 3), Some(2));
        for wrong in [0.0, 4.0, 1.5, -1.0, f64::NAN, f64::INFINITY] {
            assert_eq!(id_from_one(wrong, 3), None);
        }
    }
}
