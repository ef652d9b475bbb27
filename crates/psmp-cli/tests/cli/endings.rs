use crate::place::{Place, Run, request, signal, wait};
use psmp::{CollisionTable, Direction, Edge, EdgeId, Roadmap, Space, WorldId};
use psmp_files::write_table;
use psmp_worlds::{Frame, OccupancyGrid, graphml};
use std::io::{BufRead, BufReader, Read};
use std::process::Stdio;

const QUERY: &str = "--start 0.1,0.1 --goal 0.9,0.1";

#[test]
fn each_ending_has_its_code() {
    let place = Place::new().with_maps().with_dataset();
    let plan = |options: &str| place.psmp(&format!("plan {options}"));
    plan(&format!("--map map.png {QUERY} --fixed-roadmap")).ends(0);
    plan("--map none.png --start 0,0 --goal 1,1").ends(1);
    plan("--map map.png").ends(2);
    // That a roadmap made on the spot has no path says little: a finer one may.
    let line =
        format!("--map closed.png {QUERY} --fixed-roadmap --path none.json --picture none.svg");
    let run = plan(&line).ends(4);
    assert!(run.out.contains("this roadmap has no path"), "{run:?}");
    for word in [
        "none.json",
        "hint:",
        "--vertices",
        "leave out `--fixed-roadmap`",
    ] {
        assert!(run.err.contains(word), "{run:?}");
    }
    assert!(!place.file("none.json").exists());
    assert!(place.read("none.svg").contains("no path on this roadmap"));
    // Of one that was given it is the answer.
    place.psmp("convert worlds prm.graphml").ok();
    let given = format!("--map closed.png {QUERY} --fixed-roadmap --roadmap prm.graphml");
    let given = plan(&given).ends(3);
    assert!(!given.err.contains("hint:"), "{given:?}");
    plan("--dataset worlds --world 12").ends(3);
    for stop in [
        "--configurations 1",
        "--edges 1",
        "--proposals 1",
        "--time 0",
    ] {
        let line = format!("--map map.png {QUERY} --fixed-roadmap {stop}");
        let run = plan(&line).ends(4);
        assert!(run.err.contains("stopped after"), "{run:?}");
    }
    // Stopped with a path in hand.
    let run = plan(&format!(
        "--map map.png {QUERY} --gap 1000 --path p.json --json --seed 0"
    ))
    .ends(0);
    assert_eq!(run.json_lines().len(), 1);
    assert!(place.file("p.json").is_file());
    place.psmp("--help").ends(0);
    place.psmp("--version").ends(0);
}

/// What a run knows of its path it knows of the roadmap, or of the straight line, and says which.
#[test]
fn words_say_what_they_are_about() {
    let place = Place::new().with_maps();
    let plan = |options: &str| {
        let line = format!("plan --map map.png {QUERY} {options} --path p.json --picture p.svg");
        place.psmp(&line).ok()
    };
    let on_roadmap = plan("--planner ei:local --fixed-roadmap --seed 1").out;
    assert!(on_roadmap.contains("% over the shortest on this roadmap"));
    assert!(on_roadmap.ends_with("that is the shortest path on this roadmap\n"));
    assert!(place.read("p.svg").contains("the shortest on this roadmap"));
    let found = place.json("p.json");
    assert_eq!(found["gap_on_roadmap"], 0.0);
    assert_eq!(found["lower_bound_on_roadmap"], found["length"]);

    let trees = plan("--planner rrtstar --configurations 50000").out;
    assert!(trees.contains("% over the straight line") && !trees.contains("roadmap"));
    assert!(place.read("p.svg").contains("over the straight line"));
    assert!((place.json("p.json")["straight_line"].as_f64().unwrap() - 0.8).abs() < 1e-12);

    for (planner, names) in [
        ("lazysp", ["lower_bound_on_roadmap", "gap_on_roadmap"]),
        ("rrtconnect", ["straight_line", "gap_over_straight_line"]),
    ] {
        for line in plan(&format!("--planner {planner} --json")).json_lines() {
            assert!(names.iter().all(|name| line[name].is_number()), "{line}");
            assert!(line.get("gap").is_none() && line.get("lower_bound").is_none());
        }
    }
    // A free way is the straight line, and of that alone a planner without a roadmap is sure.
    let near = "plan --map map.png --start 0.1,0.1 --goal 0.3,0.1 --planner rrtstar --time 20";
    let straight = place.psmp(near).ok().out;
    assert!(straight.contains("that is the straight line"), "{straight}");
    let near = place.psmp(&format!("{near} --json")).ok().json_lines();
    assert_eq!(near.last().unwrap()["event"], "straight-line");
}

/// One of a thing is not several.
#[test]
fn one_is_not_many() {
    let place = Place::new().with_arm();
    let arm = "plan --robot planar-3 --scene post.toml --request near.yaml --planner lazysp";
    place.write("near.yaml", request([-0.9, 0.1, 0.1], [-0.8, 0.1, 0.1]));
    let line = format!("{arm} --vertices 50 --picture a.svg");
    place.psmp(&line).ok();
    let picture = place.read("a.svg");
    assert!(picture.contains(", 1 motion, "), "{picture}");
}

/// A problem whose plain PSMP run never ends: the only known world has the way round alone, so that
/// no draw improves on it once that is found, and the way through stays unchecked.
fn endless() -> (Place, &'static str) {
    let place = Place::new();
    // A pillar, so that the straight line is no way.
    let pillar = |column: u32, row: u32| (15..17).contains(&column) && (20..30).contains(&row);
    let grid = OccupancyGrid::from_fn(51, 51, Frame::unit(), |x, y| !pillar(x, y)).unwrap();
    grid.write_png(place.file("free.png")).unwrap();
    let edges = [(0, 1, 0.4), (1, 2, 0.4), (0, 3, 0.6), (3, 2, 0.6)];
    let edges = edges.map(|(a, b, w)| Edge::new(a, b, w)).to_vec();
    let coordinates = vec![0.1, 0.5, 0.5, 0.5, 0.9, 0.5, 0.5, 0.9];
    let roadmap = Roadmap::from_edges(4, Direction::Undirected, edges)
        .and_then(|roadmap| roadmap.with_configurations(Space::unit(2), coordinates))
        .unwrap();
    graphml::write(place.file("prm.graphml"), &roadmap).unwrap();
    let mut table = CollisionTable::all_blocked(1, 4);
    table.set(WorldId(0), EdgeId(2), true);
    table.set(WorldId(0), EdgeId(3), true);
    write_table(place.file("known.table"), &table).unwrap();
    let line = "plan --map free.png --start 0.1,0.5 --goal 0.9,0.5 --radius 0.05 \
                --roadmap prm.graphml --experience-table known.table --planner psmp:fs \
                --fallback never --path best.json --picture best.svg";
    (place, line)
}

#[cfg(unix)]
#[test]
fn ctrl_c_ends_a_run_with_the_best_path_so_far() {
    let (place, line) = endless();
    let mut command = place.command(line);
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut first = String::new();
    out.read_line(&mut first).unwrap();
    assert!(first.contains("length 1.2"), "{first}");
    assert_eq!(
        child.try_wait().unwrap(),
        None,
        "the run never ends by itself"
    );
    signal(&child, "INT");
    assert_eq!(wait(&mut child, line), Some(0));
    assert_eq!(
        place.json("best.json")["vertices"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    assert!(place.file("best.svg").is_file());
}

#[cfg(unix)]
#[test]
fn ctrl_c_before_any_path_says_so() {
    let place = Place::new().with_maps();
    // No draw improves where every edge is believed to be blocked.
    let line = "plan --map map.png --start 0.1,0.1 --goal 0.9,0.1 --planner psmp:0 \
                --fallback never --path best.json";
    let mut child = place.command(line).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(500));
    assert_eq!(
        child.try_wait().unwrap(),
        None,
        "the run never ends by itself"
    );
    signal(&child, "INT");
    assert_eq!(wait(&mut child, line), Some(4));
    let mut err = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut err)
        .unwrap();
    assert!(err.contains("no path to write to `best.json`"), "{err}");
    assert!(!place.file("best.json").exists());
}

/// Both ends of a command's output, closed before it has begun.
fn unheard(place: &Place, line: &str) -> Option<i32> {
    let mut command = place.command(line);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop((child.stdout.take(), child.stderr.take()));
    wait(&mut child, line)
}

#[test]
fn a_closed_pipe_is_no_error() {
    let place = Place::new().with_dataset();
    for line in [
        "info worlds",
        "info worlds --json",
        "completions bash",
        "bench worlds --planners lazysp",
        "bench worlds --planners lazysp --json",
        "convert worlds prm.graphml",
        "convert worlds prm.graphml --json",
        "demo --worlds 3",
        "--help",
        "plan --dataset worlds --world 5 --path best.json",
        "plan --dataset worlds --world 5 --json",
    ] {
        assert_eq!(unheard(&place, line), Some(0), "{line}");
    }
    assert!(place.file("best.json").is_file());
    // An error stays one if no one hears of it.
    assert_eq!(unheard(&place, "info nothing"), Some(1));
}

#[test]
fn without_a_terminal_there_is_nothing_but_text() {
    let place = Place::new().with_dataset();
    for line in [
        "--help",
        "plan --help",
        "plan --nonsense",
        "info nothing",
        "info worlds",
        "demo --worlds 3",
        "bench worlds",
        "convert worlds copy",
        "plan --dataset worlds --world 5",
    ] {
        let Run { out, err, .. } = place.psmp(line);
        assert!(!(out + &err).contains(['\x1b', '\r']), "{line}");
    }
}

#[test]
fn standard_output_is_data_and_standard_error_is_talk() {
    let place = Place::new().with_maps().with_dataset();
    for line in [
        "convert worlds copy",
        "info nothing",
        "plan --nonsense",
        "plan --map map.png --start 0.1,0.1 --goal 0.9,0.1 --edges 1",
    ] {
        let run = place.psmp(line);
        assert!(run.out.is_empty() && !run.err.is_empty(), "{run:?}");
    }
    let run = place.psmp("info worlds").ok();
    assert!(!run.out.is_empty() && run.err.is_empty(), "{run:?}");
}
