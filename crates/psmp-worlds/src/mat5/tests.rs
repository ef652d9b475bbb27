//! Files made by hand for the reader, and everything that the writer can write.

use super::read::{MI_MATRIX, Order};
use super::write::{Packing, file};
use super::*;

/// A file of hand-made elements in either byte order; words are given as numbers.
struct Maker {
    order: Order,
    bytes: Vec<u8>,
}

impl Maker {
    fn new(order: Order) -> Self {
        let mut bytes = vec![b' '; 124];
        bytes.extend(match order {
            Order::Little => [0, 1, b'I', b'M'],
            Order::Big => [1, 0, b'M', b'I'],
        });
        Self { order, bytes }
    }

    fn words(mut self, words: &[u32]) -> Self {
        for word in words {
            self.bytes.extend(match self.order {
                Order::Little => word.to_le_bytes(),
                Order::Big => word.to_be_bytes(),
            });
        }
        self
    }

    fn raw(mut self, bytes: &[u8]) -> Self {
        self.bytes.extend(bytes);
        self
    }

    fn read(&self) -> Result<MatFile, FileError> {
        MatFile::decode("made.mat", &self.bytes)
    }
}

#[test]
fn either_byte_order_and_small_elements_are_read() {
    for order in [Order::Little, Order::Big] {
        let pair = |bytes: u32| {
            Maker::new(order)
                .words(&[MI_MATRIX, 48, 6, 8, 6, 0, 5, 8, 1, 2])
                .words(&[1 << 16 | 1])
                .raw(b"x\0\0\0")
                .words(&[bytes << 16 | 2])
                .raw(&[7, 8, 0, 0])
                .read()
        };
        // Four bytes for an array of two.
        assert!(pair(4).is_err());
        let file = pair(2).unwrap();
        let matrix = file.matrix("x").unwrap();
        assert_eq!(matrix.class(), Class::Double);
        assert_eq!(matrix.numbers(), &Numbers::U8(vec![7, 8]));
    }
}

#[test]
fn a_sparse_array_is_filled_up_within_reason() {
    let sparse = |rows: u32| {
        Maker::new(Order::Little)
            .words(&[MI_MATRIX, 88, 6, 8, 5 | 0x200, 2, 5, 8, rows, 3])
            .words(&[1 << 16 | 1])
            .raw(b"s\0\0\0")
            .words(&[5, 8, 1, 0, 5, 16, 0, 1, 1, 2])
            .words(&[2 << 16 | 2])
            .raw(&[1, 1, 0, 0])
            .read()
    };
    let file = sparse(2).unwrap();
    let expected = Matrix::logical(2, 3, vec![0, 1, 0, 0, 1, 0]);
    assert_eq!(file.matrix("s").unwrap(), &expected);
    assert!(sparse(1).is_err(), "row 1 of 1");
    let huge = sparse(i32::MAX as u32).unwrap_err();
    assert_eq!(huge.remedy(), Some("save it as a full array"));
}

#[test]
fn sparse_arrays_are_filled_up_within_reason_together() {
    let sparse = |count| {
        let mut file = Maker::new(Order::Little);
        for _ in 0..count {
            file = file
                .words(&[MI_MATRIX, 80, 6, 8, 5 | 0x200, 2, 5, 8, 300_000, 1])
                .words(&[1 << 16 | 1])
                .raw(b"s\0\0\0")
                .words(&[5, 4, 1, 0, 5, 8, 0, 1])
                .words(&[1 << 16 | 2])
                .raw(&[1, 0, 0, 0]);
        }
        file.read()
    };
    assert_eq!(sparse(2).unwrap().variables().count(), 2);
    // Each of them is small enough, all of them are not.
    let error = sparse(50).unwrap_err();
    assert_eq!(error.remedy(), Some("save it as a full array"));
}

#[test]
fn variables_inflate_within_reason_together() {
    let zeros = Value::Matrix(Matrix::new(1000, 1, Numbers::U8(vec![0; 1000])));
    let variables = [("a", zeros.clone()), ("b", zeros.clone()), ("c", zeros)];
    let path = Path::new("z.mat");
    let bytes = file(path, &variables, Packing::Compressed).unwrap();
    assert!(bytes.len() < 400, "{}", bytes.len());
    let read = |most| super::read::variables_within(path, &bytes, most);
    assert_eq!(read(4000).unwrap().len(), 3);
    let error = read(3000).unwrap_err();
    assert!(error.to_string().contains("inflate to more"), "{error}");
    assert!(error.remedy().is_some());
}

#[test]
fn other_versions_say_what_to_do() {
    let mut hdf5 = Maker::new(Order::Little);
    hdf5.bytes[125] = 2;
    let files = [
        hdf5.bytes,
        b"MATLAB 7.3 MAT-file, Platform: GLNXA64".to_vec(),
        b"\x89HDF\r\n\x1a\n".to_vec(),
        vec![0; 200],
        vec![],
    ];
    for bytes in files {
        let error = MatFile::decode("old.mat", &bytes).unwrap_err();
        assert!(error.remedy().unwrap().contains("-v7"), "{error}");
    }
}

#[test]
fn what_is_not_read_is_only_in_the_way_of_who_wants_it() {
    let text = Maker::new(Order::Little)
        .words(&[MI_MATRIX, 40, 6, 8, 4, 0, 5, 8, 1, 2])
        .words(&[1 << 16 | 1])
        .raw(b"t\0\0\0")
        .read()
        .unwrap();
    let error = text.matrix("t").unwrap_err().to_string();
    assert!(error.contains("is text"), "{error}");
    assert!(text.cells("t").is_err());
}

fn every_kind() -> Vec<(&'static str, Value)> {
    let matrix = |numbers| Value::Matrix(Matrix::new(1, 3, numbers));
    vec![
        ("i8", matrix(Numbers::I8(vec![-1, 2, i8::MIN]))),
        ("u8", matrix(Numbers::U8(vec![1, 2, u8::MAX]))),
        ("i16", matrix(Numbers::I16(vec![-1, 2, i16::MIN]))),
        ("u16", matrix(Numbers::U16(vec![1, 2, u16::MAX]))),
        ("i32", matrix(Numbers::I32(vec![-1, 2, i32::MIN]))),
        ("u32", matrix(Numbers::U32(vec![1, 2, u32::MAX]))),
        ("i64", matrix(Numbers::I64(vec![-1, 2, i64::MIN]))),
        ("u64", matrix(Numbers::U64(vec![1, 2, u64::MAX]))),
        ("f32", matrix(Numbers::F32(vec![-0.5, 0.1, f32::MAX]))),
        (
            "f64",
            matrix(Numbers::F64(vec![-0.5, 0.1, f64::MIN_POSITIVE])),
        ),
        (
            "a_rather_long_name",
            Value::Matrix(Matrix::logical(2, 2, vec![1, 0, 0, 1])),
        ),
        (
            "empty",
            Value::Matrix(Matrix::new(0, 0, Numbers::F64(vec![]))),
        ),
        (
            "cells",
            Value::Cells {
                rows: 1,
                columns: 2,
                cells: vec![
                    Matrix::new(1, 1, Numbers::U16(vec![300])),
                    Matrix::new(0, 0, Numbers::U8(vec![])),
                ],
            },
        ),
    ]
}

#[test]
fn every_class_comes_back_equal_packed_or_not() {
    let variables = every_kind();
    for packing in [Packing::Compressed, Packing::Plain] {
        let bytes = file(Path::new("x.mat"), &variables, packing).unwrap();
        let back = MatFile::decode("x.mat", &bytes).unwrap();
        let expected: Vec<_> = variables.iter().map(|(n, v)| (*n, v)).collect();
        assert_eq!(back.variables().collect::<Vec<_>>(), expected);
    }
}

#[test]
fn what_cannot_be_written_is_an_error() {
    for value in [
        Value::Other("text"),
        Value::Cells {
            rows: 2,
            columns: 1,
            cells: vec![],
        },
    ] {
        assert!(file(Path::new("x.mat"), &[("x", value)], Packing::Plain).is_err());
    }
}
