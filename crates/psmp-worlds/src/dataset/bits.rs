//! Zeros and ones: a row for each world, a column for each edge or path, read from either twin.

use super::text::{self, Line, is_separator, shown};
use crate::mat5::{Matrix, with_numbers};
use psmp_files::{FileError, Place};
use std::path::Path;

/// A matrix of bits.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BitMatrix {
    rows: usize,
    columns: usize,
    /// Row by row, each beginning with a new word.
    words: Vec<u64>,
}

impl BitMatrix {
    /// A matrix of zeros.
    #[must_use]
    pub fn new(rows: usize, columns: usize) -> Self {
        Self {
            rows,
            columns,
            words: vec![0; rows * columns.div_ceil(64)],
        }
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// How many columns there are.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Whether a bit is one.
    ///
    /// # Panics
    /// If it is outside the matrix.
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize, column: usize) -> bool {
        assert!(column < self.columns);
        self.row(row)[column / 64] >> (column % 64) & 1 == 1
    }

    /// Makes a bit one.
    ///
    /// # Panics
    /// If it is outside the matrix.
    pub fn set(&mut self, row: usize, column: usize) {
        assert!(row < self.rows && column < self.columns);
        self.words[row * self.columns.div_ceil(64) + column / 64] |= 1 << (column % 64);
    }

    #[inline]
    fn row(&self, row: usize) -> &[u64] {
        let words = self.columns.div_ceil(64);
        &self.words[row * words..(row + 1) * words]
    }

    /// The matrix in a text file, a row a line.
    pub(super) fn from_text(path: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        let mut matrix = Self::new(0, 0);
        for line in text::lines(bytes) {
            let columns = matrix.push_row(path, line)?;
            if matrix.rows == 0 {
                matrix.columns = columns;
            }
            if columns != matrix.columns {
                return Err(line
                    .fault(
                        path,
                        format!(
                            "has {columns} entries, the rows before have {}",
                            matrix.columns
                        ),
                    )
                    .hint(
                        "the file is damaged or was cut short: give every world as many entries",
                    ));
            }
            matrix.rows += 1;
        }
        matrix.not_empty(path)
    }

    /// Appends the words of a row and says how many entries it has.
    fn push_row(&mut self, path: &Path, line: Line<'_>) -> Result<usize, FileError> {
        let bytes = line.bytes;
        let (mut columns, mut word, mut at) = (0, 0u64, 0);
        while at < bytes.len() {
            if is_separator(bytes[at]) {
                at += 1;
                continue;
            }
            let end = match bytes.get(at + 1) {
                Some(&next) if !is_separator(next) => {
                    let rest = bytes[at..].iter().position(|&b| is_separator(b));
                    rest.map_or(bytes.len(), |length| at + length)
                }
                _ => at + 1,
            };
            let one = match &bytes[at..end] {
                b"0" => false,
                b"1" => true,
                // Some programs write every number with a fraction.
                field => match line.number(path, field) {
                    Ok(0.0) => false,
                    Ok(1.0) => true,
                    _ => {
                        let problem = format!(
                            "entry {} is `{}`, expected 0 or 1",
                            columns + 1,
                            shown(field)
                        );
                        return Err(line
                            .fault(path, problem)
                            .hint("write 1 for free, 0 for blocked"));
                    }
                },
            };
            word |= u64::from(one) << (columns % 64);
            columns += 1;
            if columns % 64 == 0 {
                self.words.push(std::mem::take(&mut word));
            }
            at = end;
        }
        if columns % 64 != 0 {
            self.words.push(word);
        }
        Ok(columns)
    }

    /// The matrix in a variable of a MAT-file.
    #[allow(clippy::unnecessary_cast)] // One of the ten types is f64 itself.
    pub(super) fn from_matrix(path: &Path, name: &str, matrix: &Matrix) -> Result<Self, FileError> {
        if matrix.numbers().is_empty() {
            return Self::new(0, 0).not_empty(path);
        }
        let mut bits = Self::new(matrix.rows(), matrix.columns());
        let words = matrix.columns().div_ceil(64);
        // One word of every row at a time, so that what is written to stays in the cache.
        let mut word_of_row = vec![0u64; matrix.rows()];
        with_numbers!(matrix.numbers(), numbers => {
            for (word, block) in numbers.chunks(64 * matrix.rows()).enumerate() {
                word_of_row.fill(0);
                for (bit, entries) in block.chunks_exact(matrix.rows()).enumerate() {
                    for (row, &entry) in entries.iter().enumerate() {
                        let entry = entry as f64;
                        if entry != 0.0 && entry != 1.0 {
                            let (row, column) = (row + 1, word * 64 + bit + 1);
                            let problem =
                                format!("row {row}, column {column} is {entry}, expected 0 or 1");
                            return Err(FileError::new(path, problem)
                                .at(Place::Field(name.to_owned()))
                                .hint("save 1 for free, 0 for blocked"));
                        }
                        word_of_row[row] |= u64::from(entry == 1.0) << bit;
                    }
                }
                for (row, &bits_of_row) in word_of_row.iter().enumerate() {
                    bits.words[row * words + word] = bits_of_row;
                }
            }
        });
        Ok(bits)
    }

    fn not_empty(self, path: &Path) -> Result<Self, FileError> {
        if self.columns == 0 {
            return Err(
                FileError::new(path, "is empty, expected a row of zeros and ones a world")
                    .hint("copy the file again, or remove it if there is nothing to tell"),
            );
        }
        Ok(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mat5::Numbers;

    fn read(text: &str) -> Result<BitMatrix, FileError> {
        BitMatrix::from_text(Path::new("t.dat"), text.as_bytes())
    }

    #[test]
    fn both_twins_give_the_same_bits() {
        let (rows, columns) = (3, 130);
        let one = |row, column| (row * 5 + column * 3) % 7 < 3;
        let mut expected = BitMatrix::new(rows, columns);
        let mut text = String::new();
        let mut by_column = vec![0.0f32; rows * columns];
        for row in 0..rows {
            for column in 0..columns {
                if one(row, column) {
                    expected.set(row, column);
                    by_column[column * rows + row] = 1.0;
                }
                text += match (one(row, column), column % 3) {
                    (true, 0) => "1,",
                    (true, _) => " 1.0e+00 ",
                    (false, 0) => "0, ",
                    (false, _) => "\t0 ",
                };
            }
            text += "\r\n";
        }
        assert_eq!(read(&text).unwrap(), expected);
        let matrix = Matrix::new(rows, columns, Numbers::F32(by_column));
        let path = Path::new("t.mat");
        assert_eq!(
            BitMatrix::from_matrix(path, "t", &matrix).unwrap(),
            expected
        );
        assert!(expected.get(0, 0) && !expected.get(0, 1));
    }

    #[test]
    fn what_is_neither_zero_nor_one_is_an_error() {
        for (text, line) in [
            ("1\n2", 2),
            ("1\nnan", 2),
            ("0\n01x", 2),
            ("1,1\n1", 2),
            ("-1", 1),
        ] {
            let error = read(text).unwrap_err();
            assert_eq!(error.place(), &Place::Line(line), "{error}");
        }
        assert!(read("").is_err() && read("\n,\n").is_err());
        for numbers in [Numbers::F64(vec![1.0, f64::NAN]), Numbers::I8(vec![0, -1])] {
            let matrix = Matrix::new(1, 2, numbers);
            assert!(BitMatrix::from_matrix(Path::new("t.mat"), "t", &matrix).is_err());
        }
    }
}
