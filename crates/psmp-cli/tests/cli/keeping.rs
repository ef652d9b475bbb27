use crate::place::{Place, Run, request};
use psmp::{CollisionTable, Connection, EdgeId, Roadmap, Space, WorldId, roadmap};
use psmp_files::{Kept, write_table};
use psmp_worlds::graphml;
use std::fs;

const QUERY: &str = "--start 0.1,0.1 --goal 0.9,0.1";

/// Length and configurations at the end of a run.
fn ending(run: Run) -> (f64, u64) {
    let lines = run.json_lines();
    let last = lines.iter().rfind(|line| line["event"] != "priced");
    let last = last.unwrap();
    let length = last["length"].as_f64().unwrap();
    (length, last["configurations"].as_u64().unwrap())
}

#[test]
fn what_is_known_of_a_map_is_not_checked_again() {
    let place = Place::new().with_maps();
    let plan = |rest: &str| {
        let line = format!("plan --planner lazysp --vertices 300 --json --keep office.kept {rest}");
        place.psmp(&line)
    };
    let here = format!("--map map.png {QUERY}");
    let (length, first) = ending(plan(&here).ok());
    let (again, second) = ending(plan(&here).ok());
    assert!((length - again).abs() < 1e-9);
    assert!(second * 10 < first, "{second} after {first}");
    // The same map in another format is the same map.
    let (_, third) = ending(plan(&format!("--map map.pgm {QUERY}")).ok());
    assert!(third * 10 < first, "{third} after {first}");
    let kept = Kept::open(place.file("office.kept")).unwrap();
    assert_eq!(kept.first.vertices, 300);
    assert_eq!(kept.roadmap.vertex_count(), 302);
    assert!(kept.known.known().count() > 20);
    let facts = place.psmp("info office.kept --json").ok().json();
    let told = ["free", "blocked"].map(|what| facts["known_edges"][what].as_u64().unwrap());
    assert_eq!(told[0] + told[1], kept.known.known().count() as u64);
    let words = place.psmp("info office.kept").ok().out;
    assert!(
        words.contains("began with") && words.contains("302"),
        "{words}"
    );
    // Another query, at first where the roadmap is known.
    let (_, other) = ending(plan("--map map.png --start 0.1,0.15 --goal 0.9,0.2").ok());
    assert!(other < first, "{other} after {first}");

    // In another map, or for another robot, the roadmap stays and what is known goes.
    let (_, wide) = ending(plan(&format!("{here} --robot-radius 0.02")).ok());
    assert!(wide * 2 > first, "{wide} after {first}");
    let closed = plan(&format!("--map closed.png {QUERY}")).ends(4);
    assert!(closed.out.contains("no-path-on-roadmap"), "{closed:?}");
    let kept = Kept::open(place.file("office.kept")).unwrap();
    assert_eq!(kept.first.vertices, 300);
    let (back, _) = ending(plan(&here).ok());
    assert!((back - length).abs() < 1e-9, "{back}, {length}");
}

#[test]
fn the_file_alone_has_roadmap_and_experience() {
    let place = Place::new().with_maps();
    let points = roadmap::halton(&Space::unit(2), 200);
    let near = Connection::Nearest(8);
    let given = Roadmap::from_configurations(Space::unit(2), points.clone(), near).unwrap();
    graphml::write(place.file("given.graphml"), &given).unwrap();
    let given = graphml::read(place.file("given.graphml")).unwrap();
    let mut table = CollisionTable::all_blocked(5, given.edge_count());
    for (world, edge) in (0..5).flat_map(|w| given.edge_ids().map(move |e| (w, e))) {
        table.set(WorldId(world), edge, (edge.0 + world) % 4 != 0);
    }
    write_table(place.file("known.table"), &table).unwrap();
    let line = format!("plan --map map.png {QUERY} --planner psmp:soft --json --keep k.kept");
    let with = "--roadmap given.graphml --experience-table known.table";
    place.psmp(&format!("{line} {with}")).ok();
    let kept = Kept::open(place.file("k.kept")).unwrap();
    let belief = kept.belief.unwrap();
    assert_eq!(belief.table.world_count(), 5);
    assert!(belief.table.is_free(WorldId(1), EdgeId(0)));
    fs::remove_file(place.file("known.table")).unwrap();
    // The planner needs experience, and has it from the file.
    place.psmp(&format!("{line} --roadmap given.graphml")).ok();
    let other = Roadmap::from_configurations(Space::unit(2), points, Connection::Nearest(7));
    graphml::write(place.file("other.graphml"), &other.unwrap()).unwrap();
    let run = place
        .psmp(&format!("{line} --roadmap other.graphml"))
        .ends(1);
    assert!(run.err.contains("grown from another roadmap"), "{run:?}");
}

#[test]
fn what_is_kept_of_an_arm_holds_as_far_as_the_scene_does() {
    let place = Place::new().with_arm();
    let line = "plan --robot planar-3 --scene post.toml --planner lazysp --vertices 400 --json \
                --keep arm.kept --request over.yaml";
    let (length, first) = ending(place.psmp(line).ok());
    let (again, second) = ending(place.psmp(line).ok());
    assert!((length - again).abs() < 1e-9);
    assert!(second * 2 < first, "{second} after {first}");
    // Something has come that no way leads through: all stays known.
    let post = place.read("post.toml");
    let far = "[[object]]\nname = \"far\"\nbox = [0.1, 0.1, 0.1]\nposition = [0, 0, 3]\n";
    place.write("post.toml", format!("{far}{post}"));
    let (_, third) = ending(place.psmp(line).ok());
    assert!(third * 2 < first, "{third} after {first}");
    // The post has moved into the way that was found.
    place.write("post.toml", post.replace("0.75, 0, 0", "0.6, 0.2, 0"));
    place.write("over.yaml", request([-0.9, 0.1, 0.1], [1.2, -0.1, -0.1]));
    let (moved, _) = ending(place.psmp(line).ok());
    fs::remove_file(place.file("arm.kept")).unwrap();
    let (anew, _) = ending(place.psmp(line).ok());
    assert!(moved <= anew + 1e-9, "{moved}, {anew}");
    let other = place.psmp(&line.replace("planar-3", "planar-2")).ends(1);
    assert!(!other.err.contains("panicked"), "{other:?}");
    let line = "plan --robot planar-3 --scene post.toml --request over.yaml --keep arm.kept";
    let exact = place.psmp(&format!("{line} --checker exact --fixed-roadmap"));
    exact.ok();
}

#[test]
fn a_file_of_another_space_or_a_damaged_one_is_refused_and_left_as_it_is() {
    let place = Place::new().with_maps().with_arm();
    let line = format!("plan --map map.png {QUERY} --planner lazysp --keep k.kept");
    place.psmp(&line).ok();
    let good = fs::read(place.file("k.kept")).unwrap();
    let arm = "plan --robot planar-3 --scene post.toml --request over.yaml --keep k.kept";
    let bounds = format!("{line} --bounds 0,1.01,0,1.01");
    for (line, words) in [
        (arm, "2 axes, and this one has 3"),
        (&*bounds, "another space"),
    ] {
        let run = place.psmp(line).ends(1);
        assert!(
            run.err.contains(words) && run.err.contains("hint:"),
            "{run:?}"
        );
    }
    assert_eq!(fs::read(place.file("k.kept")).unwrap(), good);
    for bad in [&good[..good.len() / 2], b"", b"something else"] {
        fs::write(place.file("k.kept"), bad).unwrap();
        let run = place.psmp(&line).ends(1);
        assert!(
            run.err.contains("`k.kept`") && run.err.contains("hint:"),
            "{run:?}"
        );
        assert_eq!(fs::read(place.file("k.kept")).unwrap(), bad);
    }
}

#[test]
fn where_nothing_grows_that_is_said() {
    let place = Place::new().with_maps().with_dataset();
    let map = format!("plan --map map.png {QUERY}");
    for (line, words) in [
        (
            format!("{map} --planner rrtconnect --keep k"),
            "no use for `--keep`",
        ),
        (
            format!("{map} --planner rrtconnect --fixed-roadmap"),
            "no use for `--fixed-roadmap`",
        ),
        (
            format!("{map} --planner lazysp+grow --fixed-roadmap"),
            "leave out one of them",
        ),
        (
            "plan --dataset worlds --world 1 --planner lazysp+grow".to_owned(),
            "does not grow",
        ),
    ] {
        let run = place.psmp(&line).ends(1);
        assert!(
            run.err.contains(words) && run.err.contains("hint:"),
            "{run:?}"
        );
    }
    for line in [
        "plan --dataset worlds --world 1 --keep k",
        "reproduce --planners lazysp+grow",
    ] {
        let run = place.psmp(line).ends(2);
        assert!(
            run.err.contains("+grow") || run.err.contains("--keep"),
            "{run:?}"
        );
    }
    let help = place.psmp("plan --help").ok();
    for word in ["+grow", "--keep", "--fixed-roadmap"] {
        assert!(help.out.contains(word), "{word}");
    }
    let shell = place.psmp("completions bash").ok();
    for word in ["lazysp+grow", "--keep", "--fixed-roadmap"] {
        assert!(shell.out.contains(word), "{word}");
    }
}

/// A default run lets its roadmap grow, and says so once.
#[test]
fn growth_is_said_and_drawn() {
    let place = Place::new().with_maps();
    let map = format!("plan --map map.png {QUERY} --vertices 100");
    let stop = "--configurations 60000";
    let run = place
        .psmp(&format!("{map} {stop} --shortcut --picture grown.svg"))
        .ok();
    let lines = run.err.lines().filter(|line| line.contains("has grown by"));
    assert!((1..4).contains(&lines.count()), "{run:?}");
    assert!(
        run.err.contains("straightens its path all along"),
        "{run:?}"
    );
    let picture = place.read("grown.svg");
    for words in ["grown: ", "tried beside the roadmap, free", "best path"] {
        assert!(picture.contains(words), "{words}");
    }
    let (length, _) = ending(place.psmp(&format!("{map} {stop} --json")).ok());
    let (fixed, _) = ending(place.psmp(&format!("{map} --fixed-roadmap --json")).ok());
    assert!(length < fixed, "{length}, {fixed}");
    let lazy = format!("{map} --planner lazysp+grow --configurations 5000 --json");
    let (lazy, _) = ending(place.psmp(&lazy).ok());
    assert!(lazy < fixed, "{lazy}, {fixed}");
}

/// What was found on the way of one query serves the next.
#[test]
fn a_growing_run_leaves_more_than_it_was_given() {
    let place = Place::new().with_maps();
    let line = format!(
        "plan --map map.png {QUERY} --vertices 100 --keep g.kept --configurations 20000 --json"
    );
    let (first, spent) = ending(place.psmp(&line).ok());
    let kept = Kept::open(place.file("g.kept")).unwrap();
    assert_eq!(kept.first.vertices, 100);
    assert!(kept.roadmap.vertex_count() > 102);
    let proved = kept
        .known
        .known()
        .filter(|(edge, _)| kept.known.is_proved(*edge));
    assert!(proved.count() > 2);
    let found = place.psmp(&line).ok().json_lines();
    let improved = found
        .iter()
        .find(|line| line["event"] == "improved")
        .unwrap();
    // The first path of the next run is there at once, and is the one that was left.
    assert!(
        improved["length"].as_f64().unwrap() < first * 1.01,
        "{improved}"
    );
    assert!(
        improved["configurations"].as_u64().unwrap() * 4 < spent,
        "{improved}"
    );
}
