//! `psmp reproduce` and `psmp replay`, through the binary: killed and gone on with, damaged and
//! repaired, and one row run again.
#![allow(clippy::unwrap_used, reason = "in a test an unwrap is an assertion")]

use psmp_testdata::published;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Small enough for a test, long enough to be killed half-way.
fn small(test_worlds: &str, report: &Path) -> Command {
    let mut command = psmp();
    command.args([
        "reproduce",
        "--families",
        "one-wall,two-walls",
        "--worlds",
        "40",
    ]);
    command.args(["--test", test_worlds, "--seeds", "2", "--jobs", "1"]);
    command
        .args(["--planners", "psmp:fs,pomp:nn,lazysp", "-o"])
        .arg(report);
    command
}
/// How many pieces 20 test worlds of two families make.
const PIECES: usize = 8;

fn psmp() -> Command {
    Command::new(env!("CARGO_BIN_EXE_psmp"))
}

fn reproduce(test_worlds: &str, report: &Path) -> Output {
    let output = small(test_worlds, report).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    output
}

/// The folders of runs: one for each set of options.
fn sets(report: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(report.join("runs")) else {
        return Vec::new();
    };
    entries.map(|entry| entry.unwrap().path()).collect()
}

/// The pieces that are finished, with all their bytes.
fn pieces(report: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut pieces = BTreeMap::new();
    for set in sets(report) {
        for entry in std::fs::read_dir(set).unwrap() {
            let path = entry.unwrap().path();
            // Not what is being written, or was when its writer was killed.
            let is_being_written = path.extension().is_some_and(|e| e == "tmp");
            if path.to_string_lossy().contains("-from-world-") && !is_being_written {
                pieces.insert(path.clone(), std::fs::read(path).unwrap());
            }
        }
    }
    pieces
}

/// The results without their times, which are the last two columns.
fn results(report: &Path) -> String {
    let text = std::fs::read_to_string(report.join("results.csv")).unwrap();
    assert!(
        text.lines()
            .next()
            .unwrap()
            .ends_with(",curve_seconds,seconds")
    );
    let without = |line: &str| line.rsplitn(3, ',').last().unwrap().to_owned() + "\n";
    text.lines().map(without).collect()
}

#[test]
fn killed_at_any_moment_it_goes_on_and_ends_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let (whole, broken) = (folder.path().join("whole"), folder.path().join("broken"));
    reproduce("20", &whole);
    let expected = results(&whole);
    assert_eq!(expected.lines().count(), 1 + 2 * 20 * 4 * 2);
    assert!(whole.join("results.parquet").is_file() && whole.join("summary.md").is_file());

    let mut command = small("20", &broken);
    let quiet = command.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = quiet.spawn().unwrap();
    let started = Instant::now();
    while pieces(&broken).len() < 2 && started.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let finished = pieces(&broken);
    assert!((2..PIECES).contains(&finished.len()), "{}", finished.len());

    reproduce("20", &broken);
    assert_eq!(results(&broken), expected);
    let all = pieces(&broken);
    assert_eq!(all.len(), PIECES);
    // The times are in the pieces, so equal bytes mean that nothing was run twice.
    assert!(finished.iter().all(|(path, bytes)| all[path] == *bytes));
}

#[test]
fn a_damaged_piece_is_reported_and_made_again() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path();
    reproduce("20", report);
    let (expected, before) = (results(report), pieces(report));
    let names: Vec<&PathBuf> = before.keys().collect();
    let mut flipped = before[names[0]].clone();
    let middle = flipped.len() / 2;
    flipped[middle] ^= 4;
    std::fs::write(names[0], flipped).unwrap();
    std::fs::write(names[1], &before[names[1]][..middle]).unwrap();

    let said = String::from_utf8(reproduce("20", report).stderr).unwrap();
    for name in &names[..2] {
        assert!(said.contains(&name.display().to_string()), "{said}");
    }
    assert_eq!(said.matches("made again").count(), 2, "{said}");
    assert_eq!(results(report), expected);
    let after = pieces(report);
    assert!(names[2..].iter().all(|name| after[*name] == before[*name]));
}

#[test]
fn another_option_starts_another_set() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path();
    let tiny = [
        "--worlds",
        "6",
        "--test",
        "2",
        "--families",
        "baffle",
        "--seeds",
        "1",
    ];
    let run = |more: &[&str]| {
        let mut command = psmp();
        command
            .args(["reproduce", "--planners", "psmp:fs"])
            .args(tiny);
        let output = command.arg("-o").arg(report).args(more).output().unwrap();
        assert!(output.status.success());
    };
    run(&[]);
    run(&[]);
    assert_eq!(sets(report).len(), 1);
    // How many threads there are changes no result, and so starts nothing new.
    run(&["--jobs", "1"]);
    assert_eq!(sets(report).len(), 1);
    run(&["--seed", "1"]);
    assert_eq!(sets(report).len(), 2);
}

#[test]
fn a_row_run_again_is_the_same_or_it_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path();
    reproduce("3", report);
    let replay = |row: &str| {
        let output = psmp().arg("replay").arg(report).arg(row).output().unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let last = results(report).lines().count() - 1;
    for row in [1, 3, 9, last] {
        let (code, said) = replay(&row.to_string());
        assert!(
            code == Some(0) && said.contains("match"),
            "row {row}: {said}"
        );
    }
    let (code, _) = replay(&(last + 1).to_string());
    assert_eq!(code, Some(1));

    let file = report.join("results.csv");
    let text = std::fs::read_to_string(&file).unwrap();
    let row: Vec<&str> = text.lines().nth(1).unwrap().split(',').collect();
    let events = text.split(',').position(|name| name == "events").unwrap();
    let changed = text.replacen(row[events], "0123456789abcdef", 1);
    std::fs::write(&file, changed).unwrap();
    let (code, said) = replay("1");
    assert!(code == Some(5) && said.contains("mismatch"), "{said}");
}

/// An arm among clutter: the same again when gone on with, each row the same when run again, and a
/// page with the arm in it.
#[test]
fn an_arm_is_planned_for_and_shown() {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path();
    let run = |more: &[&str]| {
        let mut command = psmp();
        command.args(["reproduce", "--seven-dof", "--quick", "--worlds", "10"]);
        command.args([
            "--test",
            "2",
            "--planners",
            "psmp:fs,lazysp+straightened,rrtconnect+straightened",
        ]);
        command.arg("-o").arg(report).args(more).output().unwrap()
    };
    let output = run(&["--json"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let claims = found["claims"].as_array().unwrap();
    assert!(
        claims
            .iter()
            .all(|c| c["claim"].as_str().unwrap().contains("arm")
                || c["claim"].as_str().unwrap().starts_with("Ours"))
    );
    // Two worlds, psmp seen and unseen, and two others.
    let first = results(report);
    assert_eq!(first.lines().count(), 1 + 2 * 4);
    let page = std::fs::read_to_string(report.join("index.html")).unwrap();
    assert!(page.contains("id=\"panel-clutter-motion\"") && page.contains("\"frames\":[["));
    assert!(report.join("figures/clutter-motion.png").exists());

    // A piece that is gone is made again, and the table and the other pieces are not.
    for (piece, _) in pieces(report) {
        std::fs::remove_file(piece).unwrap();
    }
    assert!(run(&[]).status.success());
    assert_eq!(results(report), first);

    for row in ["1", "4", "8"] {
        let output = psmp().arg("replay").arg(report).arg(row).output().unwrap();
        let said = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success() && said.contains("match"), "{said}");
    }
}

/// Published sets of two robots that have the same name: the spheres of one robot touch each other wherever it is, which
/// its SRDF does not know.
#[test]
fn published_sets_of_all_robots_are_planned_in() {
    let Some(data) = published("motion_bench_maker") else {
        return;
    };
    let folder = tempfile::tempdir().unwrap();
    let sets = ["panda", "ur5"].map(|robot| data.join(robot).join("problems/table_pick"));
    let output = psmp()
        .args(["reproduce", "--seven-dof", "--quick", "--worlds", "0"])
        .args(["--test", "1", "--planners", "lazysp", "-o"])
        .arg(folder.path())
        .arg("--data")
        .args(&sets)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    let rows = results(folder.path());
    let rows: Vec<Vec<&str>> = rows.lines().map(|row| row.split(',').collect()).collect();
    let place = |name| rows[0].iter().position(|column| *column == name).unwrap();
    let [set, first] = ["dataset", "cost_to_first"].map(place);
    let sets: Vec<_> = rows[1..].iter().map(|row| row[set]).collect();
    assert_eq!(sets, ["table_pick", "ur5_robotiq85-table_pick"]);
    assert!(
        rows[1..].iter().all(|row| !row[first].is_empty()),
        "{rows:?}"
    );
    let page = std::fs::read_to_string(folder.path().join("index.html")).unwrap();
    assert!(page.contains("wrist_2_link") && page.contains("are not checked"));
}

#[test]
fn what_belongs_to_arms_alone_is_refused_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, words) in [
        (&["--planners", "rrtstar"][..], "--seven-dof"),
        (&["--seven-dof", "--planners", "rrt"], "`rrtstar`"),
        (&["--seven-dof", "--data", "."], "scene0001.yaml"),
        (&["--seven-dof", "--families", "maze"], "--families"),
    ] {
        let mut command = psmp();
        command.args(["reproduce", "-o"]).arg(folder.path());
        let output = command.args(arguments).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(words), "{said}");
    }
}
