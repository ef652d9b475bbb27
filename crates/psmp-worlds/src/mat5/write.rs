//! The writing side: little endian, each variable compressed as `save -v7` does it.

use super::{Class, Matrix, Numbers, Value, with_numbers};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use psmp_files::{FileError, Place};
use std::io::Write;
use std::path::Path;

const MI_MATRIX: u32 = 14;
const MI_COMPRESSED: u32 = 15;

/// Whether variables are compressed. Files are; tests look at both.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Packing {
    Compressed,
    #[cfg(test)]
    Plain,
}

/// The bytes of a file with these variables.
pub(super) fn file(
    path: &Path,
    variables: &[(&str, Value)],
    packing: Packing,
) -> Result<Vec<u8>, FileError> {
    let mut bytes = format!("{:<116}", "MATLAB 5.0 MAT-file, written by psmp").into_bytes();
    bytes.extend([0; 8]);
    bytes.extend(0x0100u16.to_le_bytes());
    bytes.extend(b"IM");
    for (name, value) in variables {
        let refused =
            |problem: &str| FileError::new(path, problem).at(Place::Field((*name).to_owned()));
        let too_large = || {
            refused("does not fit into a MAT-file, whose variables end at 4 GB")
                .hint("split it, or keep it in another format")
        };
        let content = match value {
            Value::Matrix(matrix) => matrix_content(name, matrix),
            Value::Cells {
                rows,
                columns,
                cells,
            } if rows.checked_mul(*columns) == Some(cells.len()) => {
                cells_content(name, *rows, *columns, cells)
            }
            Value::Cells { cells, .. } => {
                return Err(refused(&format!(
                    "has {} cells, not as many as its rows times its columns",
                    cells.len()
                )));
            }
            Value::Other(what) => return Err(refused(&format!("is {what}, which is not written"))),
        };
        let mut plain = Vec::new();
        content
            .and_then(|content| element(&mut plain, MI_MATRIX, &content))
            .ok_or_else(too_large)?;
        match packing {
            #[cfg(test)]
            Packing::Plain => bytes.extend(plain),
            Packing::Compressed => {
                let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
                let packed = encoder
                    .write_all(&plain)
                    .and_then(|()| encoder.finish())
                    .map_err(|e| FileError::io(path, "compress", e))?;
                element(&mut bytes, MI_COMPRESSED, &packed).ok_or_else(too_large)?;
            }
        }
    }
    Ok(bytes)
}

/// Appends an element with its tag; nothing comes back if it is too long for one.
fn element(out: &mut Vec<u8>, kind: u32, data: &[u8]) -> Option<()> {
    let length = u32::try_from(data.len()).ok()?;
    out.extend(kind.to_le_bytes());
    out.extend(length.to_le_bytes());
    out.extend(data);
    if kind != MI_COMPRESSED {
        out.resize(out.len().next_multiple_of(8), 0);
    }
    Some(())
}

/// What every array begins with: flags, dimensions, name.
fn preamble(name: &str, flags: u32, rows: usize, columns: usize) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut words = flags.to_le_bytes().to_vec();
    words.extend([0; 4]);
    element(&mut out, 6, &words)?;
    let mut dimensions = i32::try_from(rows).ok()?.to_le_bytes().to_vec();
    dimensions.extend(i32::try_from(columns).ok()?.to_le_bytes());
    element(&mut out, 5, &dimensions)?;
    element(&mut out, 1, name.as_bytes())?;
    Some(out)
}

fn matrix_content(name: &str, matrix: &Matrix) -> Option<Vec<u8>> {
    let flags = match matrix.class {
        Class::Double => 6,
        Class::Single => 7,
        Class::Int8 => 8,
        Class::Uint8 => 9,
        Class::Int16 => 10,
        Class::Uint16 => 11,
        Class::Int32 => 12,
        Class::Uint32 => 13,
        Class::Int64 => 14,
        Class::Uint64 => 15,
        Class::Logical => 9 | 0x200,
    };
    let kind = match &matrix.numbers {
        Numbers::I8(_) => 1,
        Numbers::U8(_) => 2,
        Numbers::I16(_) => 3,
        Numbers::U16(_) => 4,
        Numbers::I32(_) => 5,
        Numbers::U32(_) => 6,
        Numbers::F32(_) => 7,
        Numbers::F64(_) => 9,
        Numbers::I64(_) => 12,
        Numbers::U64(_) => 13,
    };
    let data: Vec<u8> = match &matrix.numbers {
        Numbers::U8(v) => v.clone(),
        other => with_numbers!(other, v => v.iter().flat_map(|x| x.to_le_bytes()).collect()),
    };
    let mut out = preamble(name, flags, matrix.rows, matrix.columns)?;
    element(&mut out, kind, &data)?;
    Some(out)
}

fn cells_content(name: &str, rows: usize, columns: usize, cells: &[Matrix]) -> Option<Vec<u8>> {
    let mut out = preamble(name, 1, rows, columns)?;
    for cell in cells {
        element(&mut out, MI_MATRIX, &matrix_content("", cell)?)?;
    }
    Some(out)
}
