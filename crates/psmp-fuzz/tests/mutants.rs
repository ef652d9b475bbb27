//! A few thousand mutants for every reader: no panic, no hang, no hunger.
//!
//! Memory may be twenty times what the file stands for (where a target says so, more), and [`FLOOR`]
//! beside it. `PSMP_MUTANTS=N`
//! reads N mutants with each reader instead of the usual number. A mutant that fails is kept, and
//! named together with the reader and its number.
#![allow(clippy::unwrap_used, reason = "in a test an unwrap is an assertion")]

use psmp_fuzz::measure::{Cost, Counting, measure};
use psmp_fuzz::{NOT_READ, TARGETS, Target, mutant, target};
use psmp_worlds::FileError;
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

/// A folder in which a reader finds what it expects.
fn furnished(reader: &Target) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(reader.name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    (reader.furnish)(&folder);
    folder
}

/// What is wrong with what a mutant did, if anything.
fn fault(reader: &Target, bytes: &[u8], cost: &Cost<Result<(), FileError>>) -> Option<String> {
    let most = reader.times * (reader.unpacked)(bytes) + FLOOR;
    match &cost.outcome {
        Err(panic) => return Some(format!("a panic: {panic}")),
        Ok(Err(error)) if error.remedy().is_none() => {
            return Some(format!("an error without a remedy: {error}"));
        }
        Ok(_) => {}
    }
    if cost.time > LONGEST {
        return Some(format!("{:?}", cost.time));
    }
    (cost.memory > most).then(|| {
        let (memory, length) = (cost.memory, bytes.len());
        format!("{memory} bytes of memory for a file of {length}, at most {most} are fair")
    })
}

/// Reads the mutants of one reader, one after the other on a thread that is watched.
fn read_mutants(reader: &'static Target) {
    let folder = furnished(reader);
    let path = folder.join(reader.file);
    let number = std::env::var("PSMP_MUTANTS").map_or(MUTANTS, |n| n.parse().unwrap());
    let (tell, told) = mpsc::channel();
    let file = path.clone();
    thread::spawn(move || {
        let sound = (reader.seeds)();
        for index in 0..number {
            let mut bytes = mutant(&sound, SEED, index);
            if let Some(seal) = reader.seal.filter(|_| index % 2 == 1) {
                seal(&mut bytes);
            }
            fs::write(&file, &bytes).unwrap();
            let cost = measure(|| (reader.read)(&file));
            if tell.send(fault(reader, &bytes, &cost)).is_err() {
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
    world_ids_mat query query_mat paths paths_mat assignment assignment_mat mat graphml png pgm ros_map
    table_file belief_file outcomes rows kept_rows kept_worlds urdf srdf stl obj collada pcd ply
    moveit_scene toml_scene request cover_cache table_shard
}

#[test]
fn sound_files_are_read() {
    for reader in TARGETS {
        let folder = furnished(&Target {
            name: &format!("sound-{}", reader.name).leak()[..],
            ..*reader
        });
        let path = folder.join(reader.file);
        for (place, bytes) in (reader.seeds)().iter().enumerate() {
            let mut sealed = bytes.clone();
            reader.seal.inspect(|seal| seal(&mut sealed));
            for bytes in [bytes, &sealed] {
                fs::write(&path, bytes).unwrap();
                let cost = measure(|| (reader.read)(&path));
                let outcome = cost.outcome.unwrap();
                assert!(outcome.is_ok(), "{} {place}: {outcome:?}", reader.name);
            }
        }
        fs::remove_dir_all(folder).unwrap();
    }
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
