//! What is written survives being killed: commands are ended without warning at random moments, and
//! what comes of them in the end is what comes of them undisturbed.

use crate::place::{Place, wait};
use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const KILLS: u64 = 20;

/// Moments between 0 and 1, the same every time.
fn moments(seed: u64) -> impl Iterator<Item = f64> {
    let draw = psmp::Draw::new(seed, 0);
    (0..KILLS).map(move |i| draw.unit(i))
}

fn start(place: &Place, line: &str) -> Child {
    let mut command = place.command(line);
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// Runs to the end and gives how long that took.
fn calm(place: &Place, line: &str) -> Duration {
    let started = Instant::now();
    place.psmp(line).ok();
    started.elapsed()
}

/// Starts the command and kills it at a share of the time that it takes, if it has not ended.
fn killed(place: &Place, line: &str, share: f64, duration: Duration) {
    let mut child = start(place, line);
    std::thread::sleep(duration.mul_f64(share));
    let _ = child.kill();
    child.wait().unwrap();
}

/// Runs the command, kills it many times, and then lets it end.
fn killed_and_ended(place: &Place, line: &str, duration: Duration, seed: u64) {
    for share in moments(seed) {
        killed(place, line, share, duration);
    }
    place.psmp(line).ok();
}

/// All files below a folder, by their names in it.
fn files(folder: &Path) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let name = path.strip_prefix(folder).unwrap();
                found.insert(name.display().to_string());
            }
        }
    }
    found
}

/// Sees that nothing is left of what was under way.
fn assert_tidy(place: &Place) {
    for name in files(&place.file(".")) {
        let under_way = name.contains(".psmp-") || name.contains(".tmp") || name.contains(".parts");
        assert!(!under_way, "{name}");
    }
    assert!(!place.file("rows.csv.parts").exists() && !place.file("arm.table.parts").exists());
}

/// Rows without their times, which are the last two columns.
fn without_times(rows: &str) -> Vec<String> {
    assert!(
        rows.lines()
            .next()
            .unwrap()
            .ends_with(",curve_seconds,seconds")
    );
    let cut = |line: &str| line.rsplitn(3, ',').last().unwrap().to_owned();
    rows.lines().map(cut).collect()
}

#[test]
fn learning_is_done_or_not_done() {
    let place = Place::new();
    place.psmp("generate one-wall --worlds 40 -o walls").ok();
    place.psmp("learn walls -o calm.belief").ok();
    let plan = "plan --dataset walls --world 39 --planner lazysp --outcomes run.json";
    place.psmp(plan).ok();
    std::fs::copy(place.file("calm.belief"), place.file("hunted.belief")).unwrap();
    let read = |name: &str| std::fs::read(place.file(name)).unwrap();
    let duration = calm(&place, "learn --add run.json calm.belief");
    let mut old = read("hunted.belief");
    for share in moments(1) {
        killed(
            &place,
            "learn --add run.json hunted.belief",
            share,
            duration,
        );
        let new = read("hunted.belief");
        if new != old {
            assert!(
                new == read("calm.belief"),
                "neither the old file nor the new one"
            );
            place.psmp("learn --add run.json calm.belief").ok();
            old = new;
        }
    }
    place.psmp("learn --add run.json hunted.belief").ok();
    assert!(read("hunted.belief") == read("calm.belief"));
    assert_tidy(&place);
}

#[test]
fn a_table_is_finished_as_if_nothing_had_been() {
    let place = Place::new().with_arm();
    for scene in 0..40 {
        let text = place
            .read("post.toml")
            .replace("0.75", &format!("0.{}", 50 + scene));
        place.write(&format!("scene{scene:02}.toml"), text);
    }
    let line = "table --robot planar-3 --scenes . --vertices 3000 --resolution 0.02 -o";
    // Once before the clock is started: the robot's spheres are then known.
    calm(&place, &format!("{line} calm.table"));
    let duration = calm(&place, &format!("{line} calm.table"));
    killed_and_ended(&place, &format!("{line} arm.table"), duration, 2);
    for ending in ["table", "graphml"] {
        let [calm, hunted] = ["calm", "arm"]
            .map(|name| std::fs::read(place.file(&format!("{name}.{ending}"))).unwrap());
        assert!(calm == hunted, "{ending}");
    }
    assert_tidy(&place);
}

const BENCH: &str = "bench worlds --planners psmp:fs,pomp:fs,lazysp,ei:ensemble --worlds all \
                     --seeds 3 --jobs 1";

#[test]
fn a_bench_is_finished_as_if_nothing_had_been() {
    let place = Place::new().with_dataset();
    let duration = calm(&place, &format!("{BENCH} -o calm.csv"));
    killed_and_ended(
        &place,
        &format!("{BENCH} -o rows.csv -o rows.json"),
        duration,
        3,
    );
    let (calm, hunted) = (place.read("calm.csv"), place.read("rows.csv"));
    assert_eq!(without_times(&hunted), without_times(&calm));
    assert_eq!(hunted.lines().count(), 1 + 12 * 4 * 3);
    assert_tidy(&place);
}

#[test]
fn a_reproduction_is_finished_as_if_nothing_had_been() {
    let place = Place::new();
    let line = "reproduce --families one-wall --worlds 20 --test 10 --seeds 1 --jobs 1 \
                --planners psmp:fs,lazysp -o";
    let duration = calm(&place, &format!("{line} calm"));
    killed_and_ended(&place, &format!("{line} hunted"), duration, 4);
    let rows = |name: &str| place.read(&format!("{name}/results.csv"));
    assert_eq!(without_times(&rows("hunted")), without_times(&rows("calm")));
    assert_eq!(
        place.read("hunted/summary.md"),
        place.read("calm/summary.md")
    );
    assert_eq!(files(&place.file("hunted")), files(&place.file("calm")));
    assert_tidy(&place);
}

/// The files of finished worlds that a bench has kept.
fn kept(place: &Place) -> Vec<String> {
    let folder = place.file("rows.csv.parts");
    if !folder.exists() {
        return Vec::new();
    }
    let mut kept = Vec::new();
    for name in files(&folder).iter().filter(|name| name.ends_with(".json")) {
        let text = std::fs::read_to_string(folder.join(name)).unwrap();
        kept.push(text.split_once('\n').unwrap().1.to_owned());
    }
    kept
}

#[cfg(unix)]
#[test]
fn an_interrupted_bench_says_what_is_kept_and_goes_on() {
    let place = Place::new().with_dataset();
    place.psmp(&format!("{BENCH} -o calm.csv")).ok();
    let line = format!("{BENCH} -o rows.csv -o rows.json");
    let mut enough = 2;
    for signal in ["-INT", "-TERM"] {
        let mut command = place.command(&line);
        let mut child = command
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let started = Instant::now();
        while kept(&place).len() < enough && started.elapsed() < Duration::from_secs(30) {
            std::thread::sleep(Duration::from_millis(1));
        }
        let asked = Command::new("kill")
            .args([signal, &child.id().to_string()])
            .status();
        assert!(asked.unwrap().success());
        let asked = Instant::now();
        assert_eq!(wait(&mut child, &line), Some(4), "{signal}");
        assert!(asked.elapsed() < Duration::from_secs(1));
        let said = std::io::read_to_string(child.stderr.take().unwrap()).unwrap();
        let count = kept(&place).len();
        for words in [
            format!("{count} of 12 worlds are kept"),
            "run the same command again to go on".to_owned(),
        ] {
            assert!(said.contains(&words), "{signal}: {said}");
        }
        assert!((enough..12).contains(&count), "{count}");
        assert!(!place.file("rows.csv").exists());
        enough = count + 1;
    }
    // Other options do not find what is not theirs.
    place
        .psmp("bench worlds --planners lazysp -o rows.csv")
        .ok();
    assert_eq!(place.read("rows.csv").lines().count(), 1 + 4);
    let before: Vec<serde_json::Value> = kept(&place)
        .iter()
        .flat_map(|rows| serde_json::from_str::<Vec<serde_json::Value>>(rows).unwrap())
        .collect();
    place.psmp(&line).ok();
    let rows = place.json("rows.json");
    let rows = rows.as_array().unwrap();
    // With their times, so that none of them was run again.
    assert!(before.iter().all(|row| rows.contains(row)));
    let [calm, stopped] = ["calm.csv", "rows.csv"].map(|name| without_times(&place.read(name)));
    assert_eq!(stopped, calm);
    assert_tidy(&place);
}

#[test]
fn a_damaged_piece_of_a_bench_is_reported_and_made_again() {
    let place = Place::new().with_dataset();
    let line = format!("{BENCH} -o rows.csv");
    let duration = calm(&place, &line);
    let calm = without_times(&place.read("rows.csv"));
    let mut share = 0.6;
    while kept(&place).is_empty() {
        killed(&place, &line, share, duration);
        share *= 0.9;
    }
    let folder = place.file("rows.csv.parts");
    let pieces = files(&folder);
    let piece = folder.join(pieces.iter().find(|name| name.ends_with(".json")).unwrap());
    let mut bytes = std::fs::read(&piece).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 4;
    std::fs::write(&piece, bytes).unwrap();
    let run = place.psmp(&line).ok();
    assert!(run.err.contains("made again"), "{run:?}");
    assert_eq!(without_times(&place.read("rows.csv")), calm);
    assert_tidy(&place);
}
