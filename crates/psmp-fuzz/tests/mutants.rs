//! A few thousand mutants for every reader: no panic, no hang, no hunger.
//!
//! Memory may be twenty times what the file stands for (where a target says so, more), and [`FLOOR`]
//! beside it. `PSMP_MUTANTS=N`
//! reads N mutants with each reader instead of the usual number. A mutant that fails is kept, and
//! named together with the reader and its number.
#![allow(clippy::unwrap_used, reason = "in a test an unwrap is an assertion")]

use psmp_files::FileError;
use psmp_fuzz::measure::{Cost, Counting, measure};
use psmp_fuzz::{NOT_READ, TARGETS, Target, mutant, target};
use psmp_worlds::Dataset;
use psmp_worlds::mat5::MatFile;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

#[global_allocator]
static COUNTING: Counting = Counting;

const SEED: u64 = 13;
const MUTANTS: u64 = 2000;
const LONGEST: Duration = Duration::from_secs(5);
/// What a reader may hold however short the file is: the tables of decoders, buffers, and as many
/// vertices as a graph may have without naming them.
const FLOOR: usize = 2 << 20;

/// A folder, one for each test, in which a reader finds what it expects.
fn furnished(reader: &Target, why: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join(why)
        .join(reader.name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    (reader.furnish)(&folder);
    folder
}

/// A panic or a hang.
fn hardship<T>(cost: &Cost<T>) -> Option<String> {
    match &cost.outcome {
        Err(panic) => Some(format!("a panic: {panic}")),
        Ok(_) => (cost.time > LONGEST).then(|| format!("{:?}", cost.time)),
    }
}

/// What is wrong with how a file was read, if anything.
fn fault(reader: &Target, bytes: &[u8], cost: &Cost<Result<(), FileError>>) -> Option<String> {
    if let Ok(Err(error)) = &cost.outcome
        && error.remedy().is_none()
    {
        return Some(format!("an error without a remedy: {error}"));
    }
    let most = reader.times * (reader.unpacked)(bytes) + FLOOR;
    let hunger = || {
        let (memory, length) = (cost.memory, bytes.len());
        format!("{memory} bytes of memory for a file of {length}, at most {most} are fair")
    };
    hardship(cost).or_else(|| (cost.memory > most).then(hunger))
}

/// Reads the mutants of one reader, one after the other on a thread that is watched.
fn read_mutants(reader: &'static Target) {
    let folder = furnished(reader, "mutants");
    let path = folder.join(reader.file);
    let number = std::env::var("PSMP_MUTANTS").map_or(MUTANTS, |n| n.parse().unwrap());
    let (tell, told) = mpsc::channel();
    let file = path.clone();
    thread::spawn(move || {
        let sound = reader.sound();
        for index in 0..number {
            let mut bytes = mutant(&sound, SEED, index);
            if let Some(seal) = reader.seal.filter(|_| index % 2 == 1) {
                seal(&mut bytes);
            }
            fs::write(&file, &bytes).unwrap();
            let cost = measure(|| (reader.read)(&file));
            let used = measure(|| (reader.put_to_use)(&file));
            let fault = fault(reader, &bytes, &cost).or_else(|| hardship(&used));
            let failed = fault.is_some();
            if tell.send(fault).is_err() || failed {
                return;
            }
        }
    });
    for index in 0..number {
        // A reader that hangs says nothing; the file of the mutant is there all the same.
        let fault = told
            .recv_timeout(2 * LONGEST)
            .unwrap_or_else(|e| Some(e.to_string()));
        if let Some(fault) = fault {
            panic!(
                "reader `{}`, seed {SEED}, mutant {index}: {fault}; see `{}`",
                reader.name,
                path.display()
            );
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

macro_rules! readers {
    ($($name:ident)*) => {
        $(#[test]
        fn $name() {
            read_mutants(target(stringify!($name)));
        })*

        #[test]
        fn every_target_is_read() {
            let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
            assert_eq!(names, [$(stringify!($name)),*]);
        }
    };
}

readers! {
    graph graph_alone coordinates coordinates_mat numbered_coordinates results results_mat world_ids
    world_ids_mat query query_mat paths paths_mat assignment assignment_mat boxes mat graphml png pgm jpeg ros_map
    table_file belief_file kept_file outcomes rows rows_json kept_rows kept_worlds urdf srdf stl obj collada pcd ply
    moveit_scene toml_scene request cover_cache table_shard
}

/// Reads sound files in a folder of their own; tells what each of them cost.
fn read_sound(reader: &Target, why: &str, sound: &[Vec<u8>]) -> Vec<Cost<Result<(), FileError>>> {
    let folder = furnished(reader, why);
    let path = folder.join(reader.file);
    let read = |bytes: &Vec<u8>| {
        fs::write(&path, bytes).unwrap();
        measure(|| (reader.read)(&path))
    };
    let costs = sound.iter().map(read).collect();
    fs::remove_dir_all(folder).unwrap();
    costs
}

#[test]
fn sound_files_are_read() {
    for reader in TARGETS {
        let mut sound = reader.sound();
        if let Some(seal) = reader.seal {
            let mut sealed = sound.clone();
            sealed.iter_mut().for_each(seal);
            sound.extend(sealed);
        }
        for (place, cost) in read_sound(reader, "sound", &sound).into_iter().enumerate() {
            let outcome = cost.outcome.unwrap();
            assert!(outcome.is_ok(), "{} {place}: {outcome:?}", reader.name);
        }
    }
}

#[test]
fn dense_files_take_memory_in_proportion() {
    for reader in TARGETS {
        let dense = (reader.dense)();
        for (bytes, cost) in dense.iter().zip(read_sound(reader, "dense", &dense)) {
            let name = reader.name;
            assert_eq!(fault(reader, bytes, &cost), None, "{name}");
            println!("{name}: {} bytes, {} in memory", bytes.len(), cost.memory);
        }
    }
}

/// Does something with a damaged file: no panic, no hang, no hunger.
fn bounded<T>(reading: impl FnOnce() -> T) -> T {
    let cost = measure(reading);
    assert_eq!(hardship(&cost), None);
    assert!(cost.memory < 64 << 20, "{} bytes of memory", cost.memory);
    cost.outcome.unwrap()
}

#[test]
fn mat_files_cut_anywhere_and_with_any_byte_at_its_extremes_are_refused_or_read() {
    let read = |bytes: &[u8]| drop(bounded(|| MatFile::decode("damaged.mat", bytes)));
    for good in target("mat").sound() {
        for at in 0..good.len() {
            read(&good[..at]);
            for extreme in [0, 0x7f, 0x80, 0xff] {
                let mut bytes = good.clone();
                bytes[at] = extreme;
                read(&bytes);
            }
        }
    }
}

#[test]
fn damaged_table_files_are_refused() {
    let reader = target("table_file");
    let folder = furnished(reader, "damaged");
    let path = folder.join(reader.file);
    let sound = reader.sound();
    for index in 0..MUTANTS {
        let bytes = mutant(&sound, SEED, index);
        fs::write(&path, &bytes).unwrap();
        let is_read = (reader.read)(&path).is_ok();
        assert_eq!(is_read, sound.contains(&bytes), "mutant {index}");
    }
    fs::remove_dir_all(folder).unwrap();
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
    let mat = |words: &[u32], rest: &[u8]| {
        let mut bytes = vec![b' '; 124];
        bytes.extend([0, 1, b'I', b'M']);
        bytes.extend(words.iter().flat_map(|word| word.to_le_bytes()));
        bytes.extend(rest);
        bounded(|| MatFile::decode("tiny.mat", &bytes))
    };
    // A dense, a sparse and a cell array of 2^31 - 1 rows and columns, without data for them.
    for class in [6, 5, 1] {
        let side = i32::MAX as u32;
        let words = [
            14, 56, 6, 8, class, 0, 5, 8, side, side, 0x1_0001, 0x78, 5, 0, 5, 0,
        ];
        assert!(mat(&words, &[]).is_err());
    }
    // Cells in cells in cells, deep enough to exhaust a stack that followed them.
    let mut nested = Vec::new();
    for _ in 0..10_000 {
        let words = [14, nested.len() as u32 + 40, 6, 8, 1, 0, 5, 8, 1, 1, 1, 0];
        let mut outer: Vec<u8> = words
            .iter()
            .flat_map(|word: &u32| word.to_le_bytes())
            .collect();
        outer.extend(nested);
        nested = outer;
    }
    assert!(mat(&[], &nested).unwrap().cells("x").is_err());
}

/// Every Rust file below a folder of sources.
fn sources(folder: &Path, into: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, into);
        } else if path.extension().is_some_and(|e| e == "rs") {
            into.push(path);
        }
    }
}

#[test]
fn no_reader_is_forgotten() {
    const OPENING: [&str; 8] = [
        "fs::read(",
        "fs::read_to_string(",
        "files::read(",
        "File::open(",
        "Reader::from_path(",
        "Words::read(",
        "read_regular(",
        "read_regular_text(",
    ];
    // As a word of its own: `BeliefFile::open(` is another call.
    let calls = |text: &str, call: &str| {
        let mut found = text.match_indices(call).map(|(at, _)| &text[..at]);
        found.any(|before| !before.ends_with(|c: char| c.is_alphanumeric()))
    };
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut opening = BTreeSet::new();
    for member in fs::read_dir(crates).unwrap() {
        let member = member.unwrap().path();
        if member.ends_with("psmp-fuzz") {
            continue;
        }
        let mut files = Vec::new();
        sources(&member.join("src"), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            let program = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
            if !file.ends_with("tests.rs") && OPENING.iter().any(|call| calls(program, call)) {
                let name = file.strip_prefix(crates).unwrap().to_str().unwrap();
                opening.insert(name.replace('\\', "/"));
            }
        }
    }
    let tried = TARGETS.iter().flat_map(|target| target.sources);
    let known = tried.chain(NOT_READ.iter().map(|(file, _)| file));
    let known: BTreeSet<String> = known.map(|file| (*file).to_owned()).collect();
    let new: Vec<_> = opening.difference(&known).collect();
    assert!(
        new.is_empty(),
        "these open files: name them in a target: {new:?}"
    );
    let gone: Vec<_> = known.difference(&opening).collect();
    assert!(gone.is_empty(), "these open no files any more: {gone:?}");
}

#[test]
fn cargo_fuzz_has_every_target() {
    let manifest = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/Cargo.toml");
    let text = fs::read_to_string(manifest).unwrap();
    let bins = text.split("[[bin]]\nname = \"").skip(1);
    let bins: Vec<&str> = bins.map(|bin| bin.split('"').next().unwrap()).collect();
    let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
    assert_eq!(bins, names);
}
