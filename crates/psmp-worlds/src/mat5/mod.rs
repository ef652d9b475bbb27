//! MAT-files of version 5, the binary format that MATLAB writes with `save -v6` and `save -v7`.
//!
//! A file is a list of named variables. Datasets of collision checks keep 2-D arrays of numbers
//! or logicals in them, and cell arrays of such arrays; those are read and written, in either
//! byte order, compressed or not. Variables of any other class are recognised and left alone, so
//! that they are only in the way of who asks for them. The reader is written here, on `flate2`,
//! because the crate for it, `matrw` 0.1.4, panicked on 8748 of 12000 files that were damaged to
//! try it: damage must be an error.

mod read;
#[cfg(test)]
mod tests;
mod write;

use psmp_files::{FileError, Place};
use std::path::{Path, PathBuf};

/// The numbers of a [`Matrix`], in the type in which the file stores them.
#[derive(Debug, Clone, PartialEq)]
#[allow(missing_docs)] // The names say it all.
pub enum Numbers {
    I8(Vec<i8>),
    U8(Vec<u8>),
    I16(Vec<i16>),
    U16(Vec<u16>),
    I32(Vec<i32>),
    U32(Vec<u32>),
    I64(Vec<i64>),
    U64(Vec<u64>),
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// Does the same with the vector inside a [`Numbers`], whichever type it has.
macro_rules! with_numbers {
    ($numbers:expr, $vector:ident => $result:expr) => {
        match $numbers {
            $crate::mat5::Numbers::I8($vector) => $result,
            $crate::mat5::Numbers::U8($vector) => $result,
            $crate::mat5::Numbers::I16($vector) => $result,
            $crate::mat5::Numbers::U16($vector) => $result,
            $crate::mat5::Numbers::I32($vector) => $result,
            $crate::mat5::Numbers::U32($vector) => $result,
            $crate::mat5::Numbers::I64($vector) => $result,
            $crate::mat5::Numbers::U64($vector) => $result,
            $crate::mat5::Numbers::F32($vector) => $result,
            $crate::mat5::Numbers::F64($vector) => $result,
        }
    };
}
pub(crate) use with_numbers;

impl Numbers {
    /// How many numbers there are.
    #[must_use]
    pub fn len(&self) -> usize {
        with_numbers!(self, v => v.len())
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// All of them as `f64`; 64-bit integers beyond 2^53 are rounded.
    #[must_use]
    #[allow(clippy::unnecessary_cast)] // One of the ten types is f64 itself.
    pub fn to_f64(&self) -> Vec<f64> {
        with_numbers!(self, v => v.iter().map(|&x| x as f64).collect())
    }
}

/// What MATLAB takes the numbers of a [`Matrix`] for.
///
/// A file may store a class in a narrower type than its own: small whole doubles usually stand
/// in it as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // The names are MATLAB's.
pub enum Class {
    Double,
    Single,
    Int8,
    Uint8,
    Int16,
    Uint16,
    Int32,
    Uint32,
    Int64,
    Uint64,
    Logical,
}

/// A 2-D array of numbers, column by column.
#[derive(Debug, Clone, PartialEq)]
pub struct Matrix {
    class: Class,
    rows: usize,
    columns: usize,
    numbers: Numbers,
}

impl Matrix {
    /// A matrix of the class that the numbers' type has in MATLAB; `numbers` goes down the first
    /// column, then the second.
    ///
    /// # Panics
    /// If there are not `rows * columns` numbers.
    #[must_use]
    pub fn new(rows: usize, columns: usize, numbers: Numbers) -> Self {
        assert_eq!(rows.checked_mul(columns), Some(numbers.len()));
        let class = match &numbers {
            Numbers::I8(_) => Class::Int8,
            Numbers::U8(_) => Class::Uint8,
            Numbers::I16(_) => Class::Int16,
            Numbers::U16(_) => Class::Uint16,
            Numbers::I32(_) => Class::Int32,
            Numbers::U32(_) => Class::Uint32,
            Numbers::I64(_) => Class::Int64,
            Numbers::U64(_) => Class::Uint64,
            Numbers::F32(_) => Class::Single,
            Numbers::F64(_) => Class::Double,
        };
        Self {
            class,
            rows,
            columns,
            numbers,
        }
    }

    /// A logical matrix from zeros and ones, column by column.
    ///
    /// # Panics
    /// If there are not `rows * columns` of them.
    #[must_use]
    pub fn logical(rows: usize, columns: usize, bits: Vec<u8>) -> Self {
        Self {
            class: Class::Logical,
            ..Self::new(rows, columns, Numbers::U8(bits))
        }
    }

    /// What MATLAB takes the numbers for.
    #[must_use]
    pub fn class(&self) -> Class {
        self.class
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

    /// The numbers, column by column.
    #[must_use]
    pub fn numbers(&self) -> &Numbers {
        &self.numbers
    }
}

/// What a variable holds.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// Numbers or logicals.
    Matrix(Matrix),
    /// A cell array of matrices, its cells column by column.
    Cells {
        /// How many rows of cells there are.
        rows: usize,
        /// How many columns of cells there are.
        columns: usize,
        /// `rows * columns` matrices.
        cells: Vec<Matrix>,
    },
    /// Something that is not read; the text says what.
    Other(&'static str),
}

/// The variables of a MAT-file, in its order.
#[derive(Debug, Clone, PartialEq)]
pub struct MatFile {
    path: PathBuf,
    variables: Vec<(String, Value)>,
}

impl MatFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read, is of another version, or is damaged.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        Self::decode(path, &psmp_files::read(path)?)
    }

    /// Reads the bytes of a file; `path` is for error messages.
    ///
    /// # Errors
    /// If the file is of another version or damaged.
    pub fn decode(path: impl AsRef<Path>, bytes: &[u8]) -> Result<Self, FileError> {
        let path = path.as_ref();
        Ok(Self {
            path: path.to_owned(),
            variables: read::variables(path, bytes)?,
        })
    }

    /// Replaces a file by these variables, each of them compressed.
    ///
    /// # Errors
    /// If a variable is too large for the format or is [`Value::Other`], or the file cannot be
    /// written.
    pub fn write(path: impl AsRef<Path>, variables: &[(&str, Value)]) -> Result<(), FileError> {
        let path = path.as_ref();
        let bytes = write::file(path, variables, write::Packing::Compressed)?;
        psmp_files::save(path, &bytes)
    }

    /// The names and values.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.variables.iter().map(|(name, value)| (&**name, value))
    }

    /// The variable of a name; or the only one there is, whatever its name.
    ///
    /// # Errors
    /// If there is none.
    pub fn value(&self, name: &str) -> Result<&Value, FileError> {
        let found = self.variables.iter().find(|(n, _)| n == name);
        match (found, &self.variables[..]) {
            (Some((_, value)), _) | (None, [(_, value)]) => Ok(value),
            (None, _) => {
                let names: Vec<_> = self.variables().map(|(n, _)| format!("`{n}`")).collect();
                let there = match &names[..] {
                    [] => "nothing".to_owned(),
                    names => names[..names.len().min(8)].join(", "),
                };
                Err(FileError::new(
                    &self.path,
                    format!("has no such variable, it holds {there}"),
                )
                .at(Place::Field(name.to_owned()))
                .hint(format!("save it with the variable `{name}` in it")))
            }
        }
    }

    /// The variable of a name (or the only one there is), which must be a matrix.
    ///
    /// # Errors
    /// If there is none, or it is not a matrix.
    pub fn matrix(&self, name: &str) -> Result<&Matrix, FileError> {
        match self.value(name)? {
            Value::Matrix(matrix) => Ok(matrix),
            Value::Cells { .. } => Err(self.unfit(name, "a cell array", "a 2-D numeric array")),
            Value::Other(what) => Err(self.unfit(name, what, "a 2-D numeric array")),
        }
    }

    /// The variable of a name (or the only one there is), which must be a cell array of matrices.
    ///
    /// # Errors
    /// If there is none, or it is not such a cell array.
    pub fn cells(&self, name: &str) -> Result<&[Matrix], FileError> {
        const WANTED: &str = "a cell array of 2-D numeric arrays";
        match self.value(name)? {
            Value::Cells { cells, .. } => Ok(cells),
            Value::Matrix(_) => Err(self.unfit(name, "a numeric array", WANTED)),
            Value::Other(what) => Err(self.unfit(name, what, WANTED)),
        }
    }

    fn unfit(&self, name: &str, found: &str, wanted: &str) -> FileError {
        FileError::new(&self.path, format!("is {found}, expected {wanted}"))
            .at(Place::Field(name.to_owned()))
            .hint(format!("save `{name}` as {wanted}"))
    }
}
