use crate::place::{Place, Run};
use psmp_files::{BeliefFile, read_shard, write_shard};
use psmp_worlds::{Frame, OccupancyGrid};
use std::fs;
use std::path::{Path, PathBuf};

/// Walls with a gap that is higher up from map to map.
fn wall(pixels: u32, gap: u32) -> OccupancyGrid {
    let share = |place: u32| f64::from(place) / f64::from(pixels - 1);
    OccupancyGrid::from_fn(pixels, pixels, Frame::unit(), |column, row| {
        let (x, y) = (share(column), 1.0 - share(row));
        !(0.45..=0.55).contains(&x) || (y - 0.1 * f64::from(gap)).abs() < 0.08
    })
    .unwrap()
}

/// The folders `monday` and `tuesday` of four maps each, of different numbers of pixels, and `new.png`.
fn place() -> Place {
    let place = Place::new();
    for (folder, pixels, first) in [("monday", 101, 1), ("tuesday", 151, 5)] {
        fs::create_dir(place.file(folder)).unwrap();
        for gap in first..first + 4 {
            let file = place.file(&format!("{folder}/map{gap}.png"));
            wall(pixels, gap).write_png(file).unwrap();
        }
    }
    wall(101, 4).write_png(place.file("new.png")).unwrap();
    place
}

const QUERY: &str = "--start 0.1,0.1 --goal 0.9,0.1";

fn plan(place: &Place, options: &str) -> Run {
    place.psmp(&format!(
        "plan --json --configurations 20000 {QUERY} {options}"
    ))
}

/// How many configurations it took to find the first path.
fn to_first(run: Run) -> u64 {
    let lines = run.ok().json_lines();
    let first = lines.iter().find(|line| line["event"] == "improved");
    first.unwrap()["configurations"].as_u64().unwrap()
}

fn refused(run: Run, words: &[&str]) {
    let run = run.ends(1);
    let said = run.err.to_string();
    assert!(said.contains("hint: "), "{said}");
    for word in words {
        assert!(said.contains(word), "{word} in {said}");
    }
}

#[test]
fn what_folders_of_maps_teach_is_planned_with_by_one_file() {
    let place = place();
    let line = "learn monday tuesday --vertices 200 -o office.belief --json";
    let told = place.psmp(line).ok().json();
    assert_eq!(
        (told["worlds"].as_u64(), told["vertices"].as_u64()),
        (Some(8), Some(200))
    );
    assert!(told["free"].as_f64().unwrap() > 0.5, "{told}");
    assert!(!place.file("office.belief.parts").exists());
    // On the roadmap of the file: without experience another world would have to be found out.
    let options = "--map new.png --fixed-roadmap";
    let knowing = to_first(plan(&place, &format!("{options} --belief office.belief")));
    let ignorant = to_first(plan(&place, &format!("{options} --vertices 200")));
    assert!(knowing < ignorant, "{knowing} {ignorant}");
    // It is let grow as any other, what was found is added, and all of it stays in the file.
    plan(
        &place,
        "--map new.png --belief office.belief --outcomes run.json",
    )
    .ok();
    place.psmp("learn --add run.json office.belief").ok();
    let facts = place.psmp("info office.belief --json").ok().json();
    assert_eq!(facts["known_worlds"]["count"], 9);
    assert_eq!(facts["roadmap"]["vertices"], 200);
    assert_eq!(facts["maps"]["resolution"], 0.01);
    plan(&place, "--map new.png --belief office.belief").ok();
    // A table is still learned from, and needs its roadmap.
    refused(
        place.psmp("learn office.belief -o other.belief"),
        &["--roadmap"],
    );
}

#[test]
fn pictures_and_ros_maps_in_any_format_are_learned_from() {
    let place = Place::new().with_maps();
    let picture = image::open(place.file("map.png")).unwrap();
    picture.save(place.file("map.jpg")).unwrap();
    let rows = |belief: &str| {
        let table = BeliefFile::open(place.file(belief)).unwrap().table;
        let rows = table.worlds().map(|w| table.free_edges_in(w).to_vec());
        rows.collect::<Vec<_>>()
    };
    let line = "learn map.png map.pgm map.jpg --vertices 100 -o pictures.belief";
    place.psmp(line).ok();
    let read = rows("pictures.belief");
    assert!(read[0] == read[1] && read[0] == read[2]);
    plan(&place, "--map map.jpg --belief pictures.belief").ok();
    // A ROS map's units hold, and of a folder it is taken rather than its picture.
    fs::create_dir(place.file("ros")).unwrap();
    for name in ["map.pgm", "map.yaml"] {
        fs::copy(place.file(name), place.file("ros").join(name)).unwrap();
    }
    place
        .psmp("learn ros --robot-radius 0.02 -o ros.belief")
        .ok();
    assert_eq!(rows("ros.belief").len(), 1);
    plan(&place, "--map map.yaml --belief ros.belief").ok();
    let facts = place.psmp("info map.jpg --json").ok().json();
    assert_eq!(facts["map"]["width"], 101);
}

/// The finished maps that a run has left.
fn finished(parts: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(parts)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap());
    let mut files: Vec<PathBuf> = files.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn what_was_checked_is_not_checked_again() {
    let place = place();
    let line = |output: &str| format!("learn monday tuesday --vertices 100 -o {output}");
    place.psmp(&line("calm.belief")).ok();
    // The last map is broken, so that the run ends with the others done.
    let last = place.file("tuesday/map8.png");
    let sound = fs::read(&last).unwrap();
    fs::write(&last, &sound[..sound.len() / 2]).unwrap();
    let begin = || {
        refused(place.psmp(&line("hunted.belief")), &["map8.png"]);
        assert!(!place.file("hunted.belief").exists());
        finished(&place.file("hunted.belief.parts"))
    };
    let left = begin();
    assert!(!left.is_empty());
    fs::write(&last, &sound).unwrap();
    // A piece that is damaged is made again, and what comes of all is what comes of it undisturbed.
    fs::write(&left[0], "torn").unwrap();
    place.psmp(&line("hunted.belief")).ok();
    let read = |name: &str| fs::read(place.file(name)).unwrap();
    assert!(read("hunted.belief") == read("calm.belief"));
    assert!(!place.file("hunted.belief.parts").exists());
    // A sound piece is taken as it is: one with other bits makes another table.
    fs::write(&last, &sound[..sound.len() / 2]).unwrap();
    fs::remove_file(place.file("hunted.belief")).unwrap();
    let left = begin();
    fs::write(&last, &sound).unwrap();
    let words = BeliefFile::open(place.file("calm.belief")).unwrap().table;
    let words = words.edge_count().div_ceil(64);
    let bits = read_shard(&left[0], words).unwrap();
    write_shard(&left[0], &bits.iter().map(|w| w & 1).collect::<Vec<_>>()).unwrap();
    place.psmp(&line("hunted.belief")).ok();
    assert!(read("hunted.belief") != read("calm.belief"));
}

#[cfg(unix)]
#[test]
fn ctrl_c_keeps_what_was_checked_and_says_so() {
    use crate::place::{signal, wait};
    use std::process::Stdio;
    let place = Place::new();
    fs::create_dir(place.file("maps")).unwrap();
    for number in 0..200 {
        let file = place.file(&format!("maps/{number}.png"));
        wall(401 + number, 1 + number % 8).write_png(file).unwrap();
    }
    let line = "learn maps --robot-radius 0.01 --vertices 300 -o maps.belief";
    let mut command = place.command(line);
    let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
    while !place.file("maps.belief.parts").exists()
        || finished(&place.file("maps.belief.parts")).is_empty()
    {
        std::thread::sleep(std::time::Duration::from_millis(2));
    }
    signal(&child, "INT");
    assert_eq!(wait(&mut child, line), Some(4));
    let mut said = String::new();
    std::io::Read::read_to_string(&mut child.stderr.take().unwrap(), &mut said).unwrap();
    assert!(
        said.contains("stopped: ") && said.contains("again to go on"),
        "{said}"
    );
    assert!(!finished(&place.file("maps.belief.parts")).is_empty());
    place.psmp(line).ok();
    assert!(!place.file("maps.belief.parts").exists());
}

#[test]
fn what_does_not_go_together_is_named() {
    let place = place();
    let wide = OccupancyGrid::from_fn(101, 51, Frame::unit(), |_, _| true).unwrap();
    wide.write_png(place.file("wide.png")).unwrap();
    place.write(
        "new.yaml",
        "image: new.png\nresolution: 0.05\norigin: [0, 0, 0]\n",
    );
    fs::create_dir(place.file("empty")).unwrap();
    let learn = |options: &str| place.psmp(&format!("learn {options} -o some.belief"));
    refused(learn("monday wide.png"), &["wide.png", "0.5", "map1.png"]);
    refused(learn("monday new.yaml"), &["new.yaml", "5.05"]);
    refused(learn("empty"), &["empty", "no maps"]);
    refused(learn("monday none.png"), &["none.png"]);
    refused(learn("monday --worlds 1"), &["--worlds"]);
    refused(
        learn("monday --bounds 0,2,0,1 --robot-radius 0.1"),
        &["--bounds=0,2,0,2"],
    );
    place
        .psmp("learn monday --robot-radius 0.03 --vertices 100 -o some.belief")
        .ok();
    let plan = |options: &str| plan(&place, &format!("--belief some.belief {options}"));
    refused(
        plan("--map new.png --robot-radius 0.02"),
        &["some.belief", "0.03", "0.02"],
    );
    refused(
        plan("--map new.png --resolution 0.002"),
        &["some.belief", "0.01", "0.002"],
    );
    refused(
        plan("--map new.png --vertices 200"),
        &["--vertices", "has a roadmap"],
    );
    refused(plan("--map wide.png"), &["wide.png", "some.belief", "0.5"]);
    plan("--map new.png --robot-radius 0.03 --resolution 0.01").ok();
    // Bounds that were given to learn with are known.
    place
        .psmp("learn monday --bounds=-2,2,-2,2 --vertices 100 -o wide.belief")
        .ok();
    let line = "plan --map new.png --belief wide.belief --start=-1.5,-1.5 --goal 1.5,-1.5";
    place.psmp(line).ok();
}
