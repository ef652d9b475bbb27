use crate::allocations;
use crate::sample::Sample;
use flate2::read::ZlibDecoder;
use psmp::Direction;
use psmp_worlds::mat5::{MatFile, Matrix, Numbers, Value};
use psmp_worlds::{Dataset, Pairing, Prefer, ReadOptions, graphml};
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;
use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

const LONGEST: Duration = Duration::from_secs(2);
const LARGEST: usize = 64 << 20;

/// Runs a reader on a damaged file and checks what it costs.
fn bounded<T>(reader: impl FnOnce() -> T) -> T {
    let started = Instant::now();
    let (result, largest) = allocations::largest_of(reader);
    assert!(started.elapsed() < LONGEST, "took {:?}", started.elapsed());
    assert!(largest < LARGEST, "allocated {largest} bytes at once");
    result
}

/// Numbers that programs stumble over.
const NUMBERS: [&str; 14] = [
    "0",
    "1",
    "-1",
    "2",
    "255",
    "65536",
    "2147483647",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "1e308",
    "1e999",
    "nan",
    "0.5",
];

/// Damages a file in one to four ways.
fn mutate(bytes: &mut Vec<u8>, rng: &mut Pcg64) {
    for _ in 0..rng.random_range(1..=4) {
        if bytes.is_empty() {
            bytes.push(rng.random());
        }
        let at = rng.random_range(0..bytes.len());
        let end = (at + rng.random_range(1..=64)).min(bytes.len());
        match rng.random_range(0..7) {
            0 => bytes[at] ^= 1 << rng.random_range(0..8),
            1 => bytes[at] = [0, 1, 0x7f, 0x80, 0xff, b'\n', b' '][rng.random_range(0..7)],
            2 => bytes.truncate(at),
            3 => drop(bytes.drain(at..end)),
            4 => {
                let copy = bytes[at..end].to_vec();
                let to = rng.random_range(0..=bytes.len());
                bytes.splice(to..to, copy);
            }
            5 => {
                let noise: [u8; 8] = rng.random();
                bytes.splice(at..at, noise);
            }
            _ => {
                let is_digit = |b: &u8| b.is_ascii_digit();
                if let Some(begin) = bytes[at..].iter().position(is_digit).map(|i| at + i) {
                    let digits = bytes[begin..].iter().take_while(|b| is_digit(b)).count();
                    let number = NUMBERS[rng.random_range(0..NUMBERS.len())];
                    bytes.splice(begin..begin + digits, number.bytes());
                }
            }
        }
    }
}

/// Reads all there is of a dataset.
fn read_dataset(folder: &Path, options: ReadOptions) {
    if let Ok(dataset) = Dataset::open_with(folder, options) {
        let _ = dataset.table();
        let _ = dataset.query();
        let _ = dataset.path_library();
        let _ = dataset.world_library_assignment();
    }
}

#[test]
fn damaged_datasets_are_refused_or_read() {
    for direction in [Direction::Directed, Direction::Undirected] {
        let folder = tempfile::tempdir().unwrap();
        Sample::complete(direction).write(folder.path()).unwrap();
        let mut files: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|file| file.unwrap().path())
            .collect();
        files.sort();
        let mut rng = Pcg64::seed_from_u64(1);
        for file in files {
            let good = fs::read(&file).unwrap();
            let prefer = match file.extension().is_some_and(|ending| ending == "mat") {
                true => Prefer::Mat,
                false => Prefer::Text,
            };
            for pairing in [Pairing::Equal, Pairing::Any] {
                for _ in 0..250 {
                    let mut bytes = good.clone();
                    mutate(&mut bytes, &mut rng);
                    fs::write(&file, bytes).unwrap();
                    bounded(|| read_dataset(folder.path(), ReadOptions { prefer, pairing }));
                }
            }
            fs::write(&file, good).unwrap();
        }
    }
}

/// A MAT-file of every class, and the same with its variables inflated.
fn mat_files() -> [Vec<u8>; 2] {
    let matrix = |numbers| Value::Matrix(Matrix::new(2, 2, numbers));
    let variables = [
        (
            "bits",
            Value::Matrix(Matrix::logical(3, 2, vec![1, 0, 1, 1, 0, 0])),
        ),
        ("double", matrix(Numbers::F64(vec![0.5, -1.0, 3.0, 1e300]))),
        ("single", matrix(Numbers::F32(vec![0.5, -1.0, 3.0, 1e30]))),
        ("short", matrix(Numbers::I16(vec![1, -2, 3, -4]))),
        ("long", matrix(Numbers::U64(vec![1, 2, 3, u64::MAX]))),
        (
            "cells",
            Value::Cells {
                rows: 1,
                columns: 2,
                cells: vec![
                    Matrix::new(1, 3, Numbers::U8(vec![1, 2, 3])),
                    Matrix::new(0, 0, Numbers::F64(vec![])),
                ],
            },
        ),
    ];
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("every.mat");
    MatFile::write(&path, &variables).unwrap();
    let packed = fs::read(&path).unwrap();
    let (header, mut rest) = packed.split_at(128);
    let mut plain = header.to_vec();
    while let Some((tag, after)) = rest.split_first_chunk::<8>() {
        let length = u32::from_le_bytes(*tag.last_chunk().unwrap()) as usize;
        let (data, next) = after.split_at(length);
        ZlibDecoder::new(data).read_to_end(&mut plain).unwrap();
        rest = next;
    }
    // A sparse logical array of 2 x 3 with two ones.
    for word in [
        14, 88, 6, 8, 0x205, 2, 5, 8, 2, 3, 0x1_0001, 0x73, 5, 8, 1, 0, 5, 16, 0, 1, 1, 2,
        0x2_0002, 0x0101u32,
    ] {
        plain.extend(word.to_le_bytes());
    }
    assert_eq!(
        MatFile::decode("plain", &plain)
            .unwrap()
            .variables()
            .count(),
        7
    );
    [packed, plain]
}

#[test]
fn damaged_mat_files_are_refused_or_read() {
    let mut rng = Pcg64::seed_from_u64(2);
    for good in mat_files() {
        for _ in 0..20_000 {
            let mut bytes = good.clone();
            mutate(&mut bytes, &mut rng);
            let _ = bounded(|| MatFile::decode("damaged.mat", &bytes));
        }
        // Every length of a file that was cut short, and every single byte at its extremes.
        for at in 0..good.len() {
            let _ = bounded(|| MatFile::decode("damaged.mat", &good[..at]));
            for extreme in [0, 0x7f, 0x80, 0xff] {
                let mut bytes = good.clone();
                bytes[at] = extreme;
                let _ = bounded(|| MatFile::decode("damaged.mat", &bytes));
            }
        }
    }
}

#[test]
fn damaged_graphml_is_refused_or_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("roadmap.graphml");
    graphml::write(&path, &Sample::complete(Direction::Directed).roadmap).unwrap();
    let written = fs::read(&path).unwrap();
    let mut rng = Pcg64::seed_from_u64(3);
    for good in [written, crate::graphml::BOOST.into()] {
        for _ in 0..4_000 {
            let mut bytes = good.clone();
            mutate(&mut bytes, &mut rng);
            fs::write(&path, bytes).unwrap();
            let _ = bounded(|| graphml::read(&path));
        }
    }
}

#[test]
fn a_tiny_file_that_declares_huge_sizes_fails_fast() {
    for graph in [
        "NumVertices: 4294967295\nNumEdges: 0\n",
        "NumVertices: 2\nNumEdges: 4294967295\n1 1 2 0.5\n",
        "NumVertices: 99999999999999999999\nNumEdges: 0\n",
        "NumVertices: 4000000000\nNumEdges: 1\n1 1 4000000000 0.5\n",
    ] {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("graph.txt"), graph).unwrap();
        assert!(bounded(|| Dataset::open(folder.path())).is_err());
    }
    // A dense, a sparse and a cell array of 2^31 - 1 rows and columns, without data for them.
    for class in [6, 5, 1] {
        let mut bytes = vec![b' '; 124];
        bytes.extend([0, 1, b'I', b'M']);
        let side = i32::MAX as u32;
        for word in [
            14, 56, 6, 8, class, 0, 5, 8, side, side, 0x1_0001, 0x78, 5, 0, 5, 0u32,
        ] {
            bytes.extend(word.to_le_bytes());
        }
        assert!(bounded(|| MatFile::decode("huge.mat", &bytes)).is_err());
    }
    // Cells in cells in cells, deep enough to exhaust a stack that followed them.
    let mut nested = Vec::new();
    for _ in 0..10_000 {
        let mut outer = Vec::new();
        let length = nested.len() as u32 + 40;
        for word in [14, length, 6, 8, 1, 0, 5, 8, 1, 1, 1, 0u32] {
            outer.extend(word.to_le_bytes());
        }
        outer.extend(nested);
        nested = outer;
    }
    let mut bytes = vec![b' '; 124];
    bytes.extend([0, 1, b'I', b'M']);
    bytes.extend(nested);
    let file = bounded(|| MatFile::decode("nested.mat", &bytes)).unwrap();
    assert!(file.cells("x").is_err());
}
