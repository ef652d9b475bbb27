//! The reading side: a list of tagged elements, some of them compressed, some of them nested.
//!
//! Nothing here trusts a declared size. Elements are slices of bytes that are there; compressed
//! ones are inflated as far as their data goes; counts are compared with the data before anything
//! is allocated for them. What all compressed and sparse variables of a file become together is
//! limited: a few bytes of either can stand for many gigabytes.

use super::{Class, Matrix, Numbers, Value};
use flate2::bufread::ZlibDecoder;
use psmp_files::{FileError, Place};
use std::cell::Cell;
use std::io::Read;
use std::path::Path;

const HEADER: usize = 128;

/// What all compressed variables of a file may be inflated to. Only files that are large themselves
/// may become larger, by [`EXPANSION`].
const MOST_INFLATED: usize = 1 << 30;

/// How many times as large as the file its variables may be beyond other limits: the compressed ones
/// beyond [`MOST_INFLATED`], the sparse ones, filled up with zeros, beyond [`SMALL`].
const EXPANSION: usize = 16;

/// How many bytes of sparse variables are filled up in any file.
const SMALL: usize = 1 << 20;

/// The types of elements that hold something other than plain numbers.
pub(super) const MI_MATRIX: u32 = 14;
const MI_COMPRESSED: u32 = 15;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    Little,
    Big,
}

/// Where an array stands. Cells are read one level deep: nesting without end would exhaust the
/// stack, and no dataset of numbers needs it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Nesting {
    Variable,
    Cell,
}

/// All variables of a file.
pub(super) fn variables(path: &Path, bytes: &[u8]) -> Result<Vec<(String, Value)>, FileError> {
    variables_within(path, bytes, MOST_INFLATED.max(EXPANSION * bytes.len()))
}

/// All variables of a file, of which the compressed ones inflate to so many bytes at most.
pub(super) fn variables_within(
    path: &Path,
    bytes: &[u8],
    mut inflatable: usize,
) -> Result<Vec<(String, Value)>, FileError> {
    let order = header(path, bytes)?;
    let fillable = Cell::new(SMALL + EXPANSION * bytes.len());
    let mut file = Cursor {
        path,
        order,
        bytes,
        position: HEADER,
        inflated_at: None,
        fillable: &fillable,
    };
    let mut variables = Vec::new();
    while file.position < bytes.len() {
        let at = file.position;
        let element = file.element()?;
        let variable = match element.kind {
            MI_MATRIX => array(&mut file.within(&element), Nesting::Variable)?,
            MI_COMPRESSED => {
                let inflated = inflate(&file, &element, inflatable)?;
                inflatable -= inflated.len();
                fillable.update(|bytes| bytes + EXPANSION * inflated.len());
                let mut inside = Cursor {
                    bytes: &inflated,
                    position: 0,
                    inflated_at: Some(at),
                    ..file
                };
                let element = inside.element()?;
                if element.kind != MI_MATRIX {
                    return Err(inside.fault("the compressed element is not an array"));
                }
                array(&mut inside.within(&element), Nesting::Variable)?
            }
            // What else stands at the top (a subsystem's data) belongs to no variable.
            _ => continue,
        };
        variables.push(variable);
    }
    Ok(variables)
}

/// Checks the header and finds the byte order.
fn header(path: &Path, bytes: &[u8]) -> Result<Order, FileError> {
    const REMEDY: &str = "in MATLAB, save it with `-v7`";
    let newer = || {
        FileError::new(
            path,
            "is a MAT-file of version 7.3 (HDF5), expected version 5 to 7.2",
        )
    };
    if bytes.starts_with(b"\x89HDF\r\n\x1a\n") || bytes.starts_with(b"MATLAB 7.3") {
        return Err(newer().hint(REMEDY));
    }
    let foreign = |problem: String| Err(FileError::new(path, problem).hint(REMEDY));
    if bytes.len() < HEADER {
        return foreign(format!(
            "is {} bytes long, too short for a MAT-file's header of {HEADER} bytes",
            bytes.len()
        ));
    }
    let (order, version) = match &bytes[124..128] {
        [low, high, b'I', b'M'] => (Order::Little, u16::from_le_bytes([*low, *high])),
        [high, low, b'M', b'I'] => (Order::Big, u16::from_be_bytes([*high, *low])),
        _ => return foreign("is not a MAT-file of version 5: its header has no byte order".into()),
    };
    match version {
        0x0100 => Ok(order),
        0x0200 => Err(newer().hint(REMEDY)),
        other => foreign(format!("is of the unknown MAT version {other:#06x}")),
    }
}

/// A tagged element: its type and where its data is.
struct Element<'a> {
    kind: u32,
    data: &'a [u8],
    /// Where the data begins in the bytes that the cursor walks.
    at: usize,
}

/// A walk over elements, in the file itself or in what one of its elements inflated to.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    path: &'a Path,
    order: Order,
    bytes: &'a [u8],
    position: usize,
    /// Where in the file the compressed element stands that these bytes came out of.
    inflated_at: Option<usize>,
    /// How many bytes of sparse variables may still be filled up.
    fillable: &'a Cell<usize>,
}

impl<'a> Cursor<'a> {
    fn fault(&self, problem: impl Into<String>) -> FileError {
        FileError::new(self.path, problem)
            .at(Place::Byte(self.inflated_at.unwrap_or(self.position) as u64))
            .hint("the file is damaged or was cut short: save or copy it again")
    }

    /// A cursor over the data of an element.
    fn within(&self, element: &Element<'a>) -> Self {
        Self {
            bytes: &self.bytes[..element.at + element.data.len()],
            position: element.at,
            ..*self
        }
    }

    fn word(&self, at: usize) -> Option<u32> {
        let word = self.bytes.get(at..at.checked_add(4)?)?;
        let word = word.try_into().ok()?;
        Some(match self.order {
            Order::Little => u32::from_le_bytes(word),
            Order::Big => u32::from_be_bytes(word),
        })
    }

    /// The next element.
    fn element(&mut self) -> Result<Element<'a>, FileError> {
        let begin = self.position;
        let tag = self
            .word(begin)
            .zip(self.word(begin + 4))
            .ok_or_else(|| self.fault("ends where an element's tag of 8 bytes was expected"))?;
        // Up to four bytes of data fit into the tag; its length is then in the upper half.
        let (kind, length, at) = match tag {
            (word, _) if word >> 16 != 0 => (word & 0xffff, (word >> 16) as usize, begin + 4),
            (kind, length) => (kind, length as usize, begin + 8),
        };
        if at == begin + 4 && length > 4 {
            return Err(self.fault(format!(
                "a small element declares {length} bytes, not 1 to 4"
            )));
        }
        let left = self.bytes.len() - at;
        if length > left {
            return Err(self.fault(format!(
                "an element declares {length} bytes, but only {left} are left"
            )));
        }
        let end = at + length;
        // Compressed elements follow each other without padding.
        let next = match kind {
            MI_COMPRESSED => end,
            _ => end.next_multiple_of(8),
        };
        self.position = next.min(self.bytes.len());
        Ok(Element {
            kind,
            data: &self.bytes[at..end],
            at,
        })
    }

    /// The numbers of an element.
    fn numbers(&self, element: &Element<'_>) -> Result<Numbers, FileError> {
        macro_rules! decode {
            ($type:ty) => {{
                let chunks = element.data.as_chunks::<{ size_of::<$type>() }>();
                if !chunks.1.is_empty() {
                    return Err(self.fault(format!(
                        "{} bytes are no whole number of {}",
                        element.data.len(),
                        stringify!($type)
                    )));
                }
                match self.order {
                    Order::Little => chunks
                        .0
                        .iter()
                        .map(|b| <$type>::from_le_bytes(*b))
                        .collect(),
                    Order::Big => chunks
                        .0
                        .iter()
                        .map(|b| <$type>::from_be_bytes(*b))
                        .collect(),
                }
            }};
        }
        Ok(match element.kind {
            1 => Numbers::I8(decode!(i8)),
            2 => Numbers::U8(element.data.to_vec()),
            3 => Numbers::I16(decode!(i16)),
            4 => Numbers::U16(decode!(u16)),
            5 => Numbers::I32(decode!(i32)),
            6 => Numbers::U32(decode!(u32)),
            7 => Numbers::F32(decode!(f32)),
            9 => Numbers::F64(decode!(f64)),
            12 => Numbers::I64(decode!(i64)),
            13 => Numbers::U64(decode!(u64)),
            other => return Err(self.fault(format!("element type {other} is not numeric"))),
        })
    }

    /// The next element as whole numbers that count or index something.
    fn counts(&mut self, what: &str) -> Result<Vec<usize>, FileError> {
        let element = self.element()?;
        let counts: Option<Vec<usize>> = match self.numbers(&element)? {
            Numbers::I32(v) => v.iter().map(|&n| usize::try_from(n).ok()).collect(),
            Numbers::U32(v) => v.iter().map(|&n| usize::try_from(n).ok()).collect(),
            _ => None,
        };
        counts.ok_or_else(|| self.fault(format!("{what} are not 32-bit numbers from 0")))
    }
}

/// What a compressed element holds, if that is `most` bytes at most.
fn inflate(file: &Cursor<'_>, element: &Element<'_>, most: usize) -> Result<Vec<u8>, FileError> {
    let mut inflated = Vec::new();
    ZlibDecoder::new(element.data)
        .take(most as u64 + 1)
        .read_to_end(&mut inflated)
        .map_err(|e| file.fault(format!("a compressed variable does not inflate: {e}")))?;
    if inflated.len() > most {
        return Err(file
            .fault("its variables inflate to more than can be read")
            .hint("save fewer variables in a file, or save it without compression (`-v6`)"));
    }
    Ok(inflated)
}

/// The variable in an array element, whose data `inside` walks.
fn array(inside: &mut Cursor<'_>, nesting: Nesting) -> Result<(String, Value), FileError> {
    // MATLAB writes an empty array, as of an empty cell, without any content.
    if inside.position == inside.bytes.len() {
        let nothing = Matrix::new(0, 0, Numbers::F64(Vec::new()));
        return Ok((String::new(), Value::Matrix(nothing)));
    }
    let flags = inside.counts("array flags")?;
    let &[flags, _] = &flags[..] else {
        return Err(inside.fault("array flags are not two words"));
    };
    let (class, logical, complex) = (flags & 0xff, flags & 0x200 != 0, flags & 0x800 != 0);
    // An object that MATLAB keeps elsewhere has its name where others have their dimensions.
    if class == 17 {
        return Ok((String::new(), Value::Other("an object")));
    }
    let dimensions = inside.counts("dimensions")?;
    let name = inside.element()?;
    if !matches!(name.kind, 1 | 2 | 16) {
        return Err(inside.fault("an array's name was expected"));
    }
    let name = String::from_utf8_lossy(name.data).into_owned();
    let value = match &dimensions[..] {
        &[rows, columns, ref rest @ ..] if rest.iter().all(|&n| n == 1) => match class {
            1 if nesting == Nesting::Cell => Value::Other("a cell array in a cell array"),
            1 => cells(inside, rows, columns)?,
            2 => Value::Other("a structure"),
            3 => Value::Other("an object"),
            4 => Value::Other("text"),
            5..=15 if complex => Value::Other("a complex array"),
            5 => Value::Matrix(sparse(inside, rows, columns, logical)?),
            6..=15 => Value::Matrix(dense(inside, rows, columns, numeric(class, logical))?),
            16 => Value::Other("a function"),
            other => return Err(inside.fault(format!("array class {other} is unknown"))),
        },
        _ => Value::Other("an array that is not 2-D"),
    };
    Ok((name, value))
}

/// The class of a number (6 to 15) in a file.
fn numeric(class: usize, logical: bool) -> Class {
    match class {
        _ if logical => Class::Logical,
        7 => Class::Single,
        8 => Class::Int8,
        9 => Class::Uint8,
        10 => Class::Int16,
        11 => Class::Uint16,
        12 => Class::Int32,
        13 => Class::Uint32,
        14 => Class::Int64,
        15 => Class::Uint64,
        _ => Class::Double,
    }
}

fn dense(
    inside: &mut Cursor<'_>,
    rows: usize,
    columns: usize,
    class: Class,
) -> Result<Matrix, FileError> {
    let element = inside.element()?;
    let numbers = inside.numbers(&element)?;
    if rows.checked_mul(columns) != Some(numbers.len()) {
        return Err(inside.fault(format!(
            "an array of {rows} x {columns} has {} numbers",
            numbers.len()
        )));
    }
    Ok(Matrix {
        class,
        rows,
        columns,
        numbers,
    })
}

/// A sparse matrix, filled up with zeros: the rows of its nonzeros, where each column begins
/// among them, and the nonzeros.
fn sparse(
    inside: &mut Cursor<'_>,
    rows: usize,
    columns: usize,
    logical: bool,
) -> Result<Matrix, FileError> {
    let row_of = inside.counts("row indices")?;
    let starts = inside.counts("column starts")?;
    let element = inside.element()?;
    let nonzeros = inside.numbers(&element)?;
    let width = match nonzeros {
        Numbers::U8(_) => 1,
        _ => size_of::<f64>(),
    };
    let size = rows.checked_mul(columns);
    let bytes = size.and_then(|size| size.checked_mul(width));
    let left = bytes.and_then(|bytes| inside.fillable.get().checked_sub(bytes));
    let (Some(size), Some(left)) = (size, left) else {
        let problem = format!("a sparse array of {rows} x {columns} is too large to fill up");
        return Err(FileError::new(inside.path, problem)
            .at(Place::Byte(inside.position as u64))
            .hint("save it as a full array"));
    };
    inside.fillable.set(left);
    let ends_fit = columns.checked_add(1) == Some(starts.len())
        && starts.is_sorted()
        && starts[columns] <= row_of.len().min(nonzeros.len());
    if !ends_fit || row_of.iter().any(|&row| row >= rows) {
        return Err(inside.fault("a sparse array's indices do not fit its size"));
    }
    fn fill<T: Copy + Default>(
        size: usize,
        rows: usize,
        nonzeros: &[T],
        row_of: &[usize],
        starts: &[usize],
    ) -> Vec<T> {
        let mut full = vec![T::default(); size];
        for (column, ends) in starts.windows(2).enumerate() {
            for i in ends[0]..ends[1] {
                full[column * rows + row_of[i]] = nonzeros[i];
            }
        }
        full
    }
    let numbers = match &nonzeros {
        Numbers::U8(v) => Numbers::U8(fill(size, rows, v, &row_of, &starts)),
        other => Numbers::F64(fill(size, rows, &other.to_f64(), &row_of, &starts)),
    };
    Ok(Matrix {
        // MATLAB has sparse doubles and logicals only.
        class: if logical {
            Class::Logical
        } else {
            Class::Double
        },
        rows,
        columns,
        numbers,
    })
}

fn cells(inside: &mut Cursor<'_>, rows: usize, columns: usize) -> Result<Value, FileError> {
    let mut cells = Vec::new();
    while inside.position < inside.bytes.len() {
        let element = inside.element()?;
        if element.kind != MI_MATRIX {
            return Err(inside.fault("a cell does not hold an array"));
        }
        match array(&mut inside.within(&element), Nesting::Cell)?.1 {
            Value::Matrix(matrix) => cells.push(matrix),
            _ => return Ok(Value::Other("a cell array of more than 2-D numeric arrays")),
        }
    }
    if rows.checked_mul(columns) != Some(cells.len()) {
        return Err(inside.fault(format!(
            "a cell array of {rows} x {columns} has {} cells",
            cells.len()
        )));
    }
    Ok(Value::Cells {
        rows,
        columns,
        cells,
    })
}
