use crate::place::{Place, request};
use psmp::{Axis, Connection, Roadmap, Space, roadmap};
use psmp_arm::{Arm, ExactWorld, Scene, models};
use psmp_worlds::graphml;
use std::fs;

const PLAN: &str = "plan --robot planar-3 --scene post.toml --request over.yaml \
                    --fixed-roadmap --vertices 400";

/// Numbers of a CSV file, its header apart.
fn rows(text: &str) -> (Vec<String>, Vec<Vec<f64>>) {
    let mut lines = text.lines();
    let header = lines.next().unwrap().split(',').map(str::to_owned);
    let numbers = |line: &str| line.split(',').map(|n| n.parse().unwrap()).collect();
    (header.collect(), lines.map(numbers).collect())
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    let squares = a.iter().zip(b).map(|(x, y)| (x - y) * (x - y));
    squares.sum::<f64>().sqrt()
}

#[test]
fn an_arm_goes_around_a_post() {
    let place = Place::new().with_arm();
    let outputs = "--path p.json --path p.csv --trajectory t.json --trajectory t.csv \
                   --picture a.svg --picture a.png --outcomes o.json";
    let run = place.psmp(&format!("{PLAN} --json {outputs}")).ok();
    let events = run.json_lines();
    let last = events.last().unwrap();
    assert_eq!(last["event"], "shortest-on-roadmap", "{events:?}");
    let path = place.json("p.json");
    assert_eq!(path["length"], last["length"]);
    assert_eq!(path["configurations"], last["configurations"]);
    let first = [-0.9, 0.1, 0.1];
    let goal = [0.9, -0.1, -0.1];
    assert_eq!(path["path"][0], serde_json::json!(first));
    // The arm must fold; straight it would hit the post.
    assert!(path["vertices"].as_array().unwrap().len() > 2);
    let (header, waypoints) = rows(&place.read("p.csv"));
    assert_eq!(header, ["vertex", "joint1", "joint2", "joint3"]);
    assert_eq!(waypoints.last().unwrap()[1..], goal);

    let (header, instants) = rows(&place.read("t.csv"));
    assert_eq!(header.len(), 10);
    assert_eq!((&*header[1], &*header[4]), ("joint1", "joint1.velocity"));
    let (robot, semantics) = models::named("planar-3").unwrap();
    let arm = Arm::new(robot, &semantics, "arm").unwrap();
    let scene = Scene::read(place.file("post.toml")).unwrap();
    let mut world = ExactWorld::new(&arm, &scene).unwrap();
    assert_eq!(instants[0][1..4], first);
    assert!(distance(&instants.last().unwrap()[1..4], &goal) < 1e-12);
    for pair in instants.windows(2) {
        assert!(pair[0][0] < pair[1][0] && pair[1][0] - pair[0][0] < 0.0101);
        // The model's velocities are at most 2, and the acceleration is 1 unless told.
        assert!(pair[0][4..7].iter().all(|v| v.abs() <= 2.0 + 1e-6));
        assert!(pair[0][7..].iter().all(|a| a.abs() <= 1.0 + 1e-6));
        assert_eq!(world.contact(&pair[0][1..4]), None, "{:?}", pair[0]);
    }
    let trajectory = place.json("t.json");
    assert_eq!(
        trajectory["points"].as_array().unwrap().len(),
        instants.len()
    );
    assert_eq!(trajectory["joint_names"][2], "joint3");
    let end = instants.last().unwrap()[0];
    assert_eq!(trajectory["duration"].as_f64().unwrap(), end);

    let svg = place.read("a.svg");
    assert!(svg.contains("from the side") && svg.contains("from above"));
    assert!(
        fs::read(place.file("a.png"))
            .unwrap()
            .starts_with(b"\x89PNG")
    );
    assert!(
        !place.json("o.json")["checks"]
            .as_array()
            .unwrap()
            .is_empty()
    );
}

#[test]
fn the_same_command_gives_the_same_plan() {
    let place = Place::new().with_arm();
    let line = format!("{PLAN} --json --sampler uniform --seed 3 --trajectory");
    let one = place.psmp(&format!("{line} one.json")).ok();
    let other = place.psmp(&format!("{line} other.json")).ok();
    assert_eq!(one.events(), other.events());
    assert_eq!(place.read("one.json"), place.read("other.json"));
}

#[test]
fn every_checker_finds_a_way_and_a_limit_slows_it_down() {
    let place = Place::new().with_arm();
    for checker in ["refined", "spheres", "exact"] {
        place
            .psmp(&format!("{PLAN} --checker {checker} --time 30"))
            .ok();
    }
    let duration = |acceleration: &str| {
        let line = format!("{PLAN} --acceleration {acceleration} --trajectory t.json");
        place.psmp(&line).ok();
        place.json("t.json")["duration"].as_f64().unwrap()
    };
    assert!(duration("0.5") > 1.3 * duration("2"));
}

/// All of a path is free by the true shapes at every 0.01 rad.
fn is_free_at_a_hundredth(place: &Place, scene: &str, path: &str) -> bool {
    let (robot, semantics) = models::named("planar-3").unwrap();
    let arm = Arm::new(robot, &semantics, "arm").unwrap();
    let scene = Scene::read(place.file(scene)).unwrap();
    let mut world = ExactWorld::new(&arm, &scene).unwrap();
    let path = place.json(path);
    let numbers = |q: &serde_json::Value| -> Vec<f64> {
        let values = q.as_array().unwrap().iter();
        values.map(|v| v.as_f64().unwrap()).collect()
    };
    let path: Vec<Vec<f64>> = path["path"]
        .as_array()
        .unwrap()
        .iter()
        .map(numbers)
        .collect();
    let mut q = vec![0.0; 3];
    path.windows(2).all(|motion| {
        let [a, b] = [&motion[0], &motion[1]];
        assert_ne!(a, b, "a waypoint twice in a row");
        let way = a
            .iter()
            .zip(b)
            .map(|(x, y)| (x - y).abs())
            .fold(0.0, f64::max);
        let steps = (way / 0.01).ceil() as usize;
        (0..=steps).all(|step| {
            arm.space()
                .interpolate(a, b, step as f64 / steps as f64, &mut q);
            world.contact(&q).is_none()
        })
    })
}

/// A blade that an arm asked about every 0.2 rad swings through.
#[test]
fn what_is_thinner_than_a_step_is_not_passed_over() {
    let place = Place::new().with_arm();
    let blade = place
        .read("post.toml")
        .replace("[0.1, 0.1, 0.4]", "[0.1, 0.002, 0.4]");
    place.write("blade.toml", blade);
    let line = "plan --robot planar-3 --scene blade.toml --request over.yaml --path p.json";
    let coarse = format!("{line} --vertices 400 --planner lazysp --resolution 0.2");
    for coarse in [&coarse, &format!("{coarse} --shortcut")] {
        place.psmp(coarse).ok();
        assert!(
            is_free_at_a_hundredth(&place, "blade.toml", "p.json"),
            "{coarse}"
        );
    }
    for planner in [
        "lazysp --vertices 400 --shortcut",
        "ei:local --vertices 400 --shortcut --configurations 20000",
        "ei:local --vertices 400 --shortcut --fixed-roadmap",
        "rrtconnect --shortcut",
        "rrtconnect+shortcut --configurations 20000",
    ] {
        for seed in 0..3 {
            place
                .psmp(&format!("{line} --planner {planner} --seed {seed}"))
                .ok();
            let free = is_free_at_a_hundredth(&place, "blade.toml", "p.json");
            assert!(free, "{planner} with seed {seed}");
        }
    }
}

/// The same arm and post, with no roadmap made for it.
const FREELY: &str = "plan --robot planar-3 --scene post.toml --request over.yaml";

#[test]
fn planners_without_a_roadmap_plan_for_arms_too() {
    let place = Place::new().with_arm();
    let (robot, semantics) = models::named("planar-3").unwrap();
    let arm = Arm::new(robot, &semantics, "arm").unwrap();
    let scene = Scene::read(place.file("post.toml")).unwrap();
    let mut world = ExactWorld::new(&arm, &scene).unwrap();
    let files = "--path p.json --path p.csv --trajectory t.csv --trajectory t.json --picture a.svg";
    for planner in ["rrtconnect", "rrtconnect+shortcut", "rrtstar", "bitstar"] {
        let line = format!("{FREELY} --planner {planner} --configurations 20000 {files} --json");
        let lines = place.psmp(&line).ok().json_lines();
        let mut improved = lines.iter().filter(|l| l["event"] == "improved");
        let last = improved.next_back().expect("there is a path");
        assert_eq!(last["planner"], planner);
        let path = place.json("p.json");
        assert_eq!(path["length"], last["length"]);
        assert!(path["configurations"].as_u64() <= Some(20_100));
        let (header, waypoints) = rows(&place.read("p.csv"));
        assert_eq!(header, ["joint1", "joint2", "joint3"]);
        assert_eq!(waypoints[0], [-0.9, 0.1, 0.1]);
        assert_eq!(waypoints[waypoints.len() - 1], [0.9, -0.1, -0.1]);
        // Straight it would hit the post.
        assert!(waypoints.len() > 2, "{waypoints:?}");
        for q in &waypoints {
            assert_eq!(world.contact(q), None, "{planner} {q:?}");
        }
        let (_, instants) = rows(&place.read("t.csv"));
        let last = &instants[instants.len() - 1][1..4];
        assert!(distance(last, &[0.9, -0.1, -0.1]) < 1e-9, "{last:?}");
        let end = place.json("t.json")["duration"].as_f64();
        assert_eq!(end, Some(instants[instants.len() - 1][0]));
        assert!(place.read("a.svg").contains(&format!("{planner} in")));
        // The same seed gives the same run, another one another.
        assert_eq!(place.psmp(&line).ok().json_lines(), lines);
        let other = place.psmp(&format!("{line} --seed 9")).ok();
        assert_ne!(other.json_lines(), lines);
    }
    let stopped = format!("{FREELY} --planner rrtstar --configurations 5 {files}");
    let stopped = place.psmp(&stopped).ends(4);
    assert!(stopped.err.contains("no path to write to `t.csv`"));
    assert!(place.read("a.svg").contains("no path"));
}

#[test]
fn the_path_of_an_arm_can_be_straightened() {
    let place = Place::new().with_arm();
    for (line, header) in [
        (format!("{PLAN} --planner lazysp"), "vertex,joint1"),
        (format!("{FREELY} --planner rrtconnect"), "joint1,"),
    ] {
        place.psmp(&format!("{line} --path before.csv")).ok();
        let files = "--path after.json --path after.csv --trajectory motion.csv --picture a.png";
        let lines = place
            .psmp(&format!("{line} --shortcut --json {files}"))
            .ok();
        let lines = lines.json_lines();
        let last = |event: &str| lines.iter().rfind(|line| line["event"] == event).unwrap();
        let (before, straightened) = (last("improved"), last("straightened"));
        let number = |line: &serde_json::Value, what: &str| line[what].as_f64().unwrap();
        assert!(number(straightened, "length") < number(before, "length"));
        assert!(number(straightened, "configurations") > number(before, "configurations"));
        let path = place.json("after.json");
        assert_eq!(path["length"], straightened["length"]);
        assert_eq!(
            path["configurations"],
            lines[lines.len() - 1]["configurations"]
        );
        assert!(place.read("before.csv").starts_with(header));
        let (_, waypoints) = rows(&place.read("after.csv"));
        assert_eq!(waypoints[waypoints.len() - 1], [0.9, -0.1, -0.1]);
        // The trajectory is along the shorter path. It may take longer, as it rests at more bends.
        let (_, instants) = rows(&place.read("motion.csv"));
        let steps = instants.windows(2);
        let way: f64 = steps.map(|w| distance(&w[0][1..4], &w[1][1..4])).sum();
        assert!((way - number(straightened, "length")).abs() < 1e-3, "{way}");
    }
}

/// From scenes to a table, from the table to a belief, and plans with both.
#[test]
fn experience_serves_arms() {
    let place = Place::new().with_arm();
    for (i, at) in [0.6, 0.65, 0.7, 0.75, 0.8].into_iter().enumerate() {
        let scene = place.read("post.toml").replace("0.75", &at.to_string());
        place.write(&format!("scene{i}.toml"), scene);
    }
    place
        .psmp("table --robot planar-3 --scenes . --vertices 400 --neighbours 15 -o posts.table")
        .ok();
    let learn = "learn posts.table --roadmap posts.graphml -o posts.belief --json";
    let belief = place.psmp(learn).ok().json();
    assert_eq!(belief["worlds"], 5);
    let some = place.psmp(&format!("{learn} --worlds 1-3")).ok().json();
    assert_eq!(some["worlds"], 3);
    // The roadmap that is made on the spot is the one that the table is about.
    for experience in [
        "--belief posts.belief",
        "--roadmap posts.graphml --belief posts.belief",
        "--roadmap posts.graphml --experience-table posts.table --planner psmp:fs",
    ] {
        place
            .psmp(&format!("{PLAN} {experience}").replace("--vertices 400 --roadmap", "--roadmap"))
            .ok();
    }
    place.psmp(&format!("{PLAN} --outcomes run.json")).ok();
    let added = place
        .psmp("learn --add run.json posts.belief --json")
        .ok()
        .json();
    assert_eq!(added["worlds"], 4);
    let no_roadmap = place.psmp("learn posts.table -o x.belief").ends(1);
    assert!(no_roadmap.err.contains("--roadmap"), "{no_roadmap:?}");
}

/// GraphML tells nothing of joint limits: a roadmap whose vertices are far from them grows to them all the same.
#[test]
fn a_roadmap_from_a_file_grows_to_the_limits_of_the_arm() {
    let place = Place::new().with_arm();
    let (robot, semantics) = models::named("planar-3").unwrap();
    let arm = Arm::new(robot, &semantics, "arm").unwrap();
    let axes = arm.space().axes().iter();
    let narrow = axes.map(|a| Axis::new(0.1 * a.lower(), 0.1 * a.upper()).unwrap());
    let narrow = Space::new(narrow.collect()).unwrap();
    let points = roadmap::halton(&narrow, 60);
    let given = Roadmap::from_configurations(narrow, points, Connection::Nearest(6)).unwrap();
    graphml::write(place.file("narrow.graphml"), &given).unwrap();
    place
        .psmp(
            "plan --robot planar-3 --scene post.toml --request over.yaml --roadmap narrow.graphml \
             --configurations 4000",
        )
        .ok();
}

#[test]
fn a_budget_and_a_closed_way_end_a_plan() {
    let place = Place::new().with_arm();
    let stopped = place.psmp(&format!("{PLAN} --configurations 10")).ends(4);
    assert!(stopped.err.contains("stopped after"), "{stopped:?}");
    // One joint cannot go around a post on its way.
    let one = |at: f64| {
        request([at, 0.0, 0.0], [-at, 0.0, 0.0])
            .replace("joint1, joint2, joint3", "joint1")
            .replace(&format!("[{at:?}, 0.0, 0.0]"), &format!("[{at:?}]"))
    };
    let text = one(0.5);
    let short: String = text
        .lines()
        .filter(|l| !l.contains("joint_name: joint2") && !l.contains("joint_name: joint3"))
        .map(|l| format!("{l}\n"))
        .collect();
    place.write("one.yaml", short);
    let line = "plan --robot planar-1 --scene post.toml --request one.yaml --planner lazysp --picture no.svg";
    let closed = place.psmp(&format!("{line} --vertices 50 --neighbours 4"));
    let closed = closed.ends(4);
    assert!(
        closed.out.contains("this roadmap has no path"),
        "{closed:?}"
    );
    for word in [
        "grows",
        "hint:",
        "--vertices",
        "leave out `--planner`",
        "`+grow`",
    ] {
        assert!(closed.err.contains(word), "{closed:?}");
    }
    assert!(place.read("no.svg").contains("no path on this roadmap"));
    // Of a roadmap that was given it is the answer.
    let (robot, semantics) = models::named("planar-1").unwrap();
    let space = Arm::new(robot, &semantics, "arm").unwrap().space().clone();
    let points = roadmap::halton(&space, 50);
    let given = Roadmap::from_configurations(space, points, Connection::Nearest(4)).unwrap();
    graphml::write(place.file("given.graphml"), &given).unwrap();
    let closed = place.psmp(&format!("{line} --roadmap given.graphml"));
    let closed = closed.ends(3);
    assert!(
        closed
            .err
            .contains("on this roadmap, joined to start and goal")
    );
}

#[test]
fn shelves_are_made_and_planned_in() {
    let place = Place::new();
    let made = place.psmp("generate shelf --robot ur5-like --worlds 2 --seed 7 --json -o shelf");
    let facts = made.ok().json();
    let told = ["family", "robot"].map(|key| &facts[key]);
    assert_eq!(told, ["shelf", "ur5-like"]);
    assert!(place.file("shelf/shelf.png").exists());
    let scenes = ["shelf/scene0001.yaml", "shelf/scene0002.yaml"].map(|s| place.read(s));
    assert_ne!(scenes[0], scenes[1]);
    let line = "plan --robot ur5-like --scene shelf/scene0002.yaml --request shelf/request0002.yaml \
                --roadmap shelf/roadmap.graphml --planner lazysp --json";
    let run = place.psmp(line).ok();
    assert_eq!(
        run.json_lines().last().unwrap()["event"],
        "shortest-on-roadmap"
    );
    let other = place.psmp("generate shelf --robot planar-3 -o new").ends(1);
    assert!(other.err.contains("panda-like"), "{}", other.err);
}

#[test]
fn clutter_is_made_and_planned_in() {
    let place = Place::new();
    let line = "generate clutter --worlds 2 --seed 7 --json -o";
    let facts = place.psmp(&format!("{line} one")).ok().json();
    assert_eq!(
        (&facts["worlds"], &facts["robot"]),
        (&2.into(), &"panda-like".into())
    );
    place.psmp(&format!("{line} two")).ok();
    for file in [
        "scene0001.yaml",
        "scene0002.yaml",
        "request0002.yaml",
        "clutter.png",
    ] {
        let [one, two] = ["one", "two"].map(|dir| fs::read(place.file(dir).join(file)).unwrap());
        assert!(one == two, "{file} differs");
    }
    let scenes = ["one/scene0001.yaml", "one/scene0002.yaml"].map(|s| place.read(s));
    assert_ne!(scenes[0], scenes[1]);
    let line = "plan --robot panda-like --scene one/scene0001.yaml --request one/request0001.yaml \
                --roadmap one/roadmap.graphml --planner lazysp --trajectory t.csv --path p.csv --json";
    let run = place.psmp(line).ok();
    // The clutter's roadmap has its start and its goal already.
    let (_, waypoints) = rows(&place.read("p.csv"));
    assert!(
        waypoints
            .windows(2)
            .all(|pair| pair[0][1..] != pair[1][1..])
    );
    assert_eq!(
        run.json_lines().last().unwrap()["event"],
        "shortest-on-roadmap"
    );
    assert!(rows(&place.read("t.csv")).1.len() > 10);
    for (wrong, word) in [
        ("generate clutter -o one", "not empty"),
        ("generate clutter --robot planar-3 -o new", "panda-like"),
        ("generate clutter --test 3 -o new", "--test"),
        ("generate maze --robot panda-like -o new", "clutter"),
    ] {
        let run = place.psmp(wrong).ends(1);
        assert!(
            run.err.contains(word) && run.err.contains("hint:"),
            "{run:?}"
        );
    }
}

#[test]
fn what_is_wrong_with_an_arm_is_named() {
    let place = Place::new().with_arm();
    place.write("mesh.urdf", "<robot name=\"r\"><link name=\"a\"/><link name=\"b\"><collision>\
        <geometry><mesh filename=\"lost.stl\"/></geometry></collision></link><joint name=\"joint1\" \
        type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/><limit lower=\"-1\" upper=\"1\"/></joint></robot>");
    let good = place.read("over.yaml");
    place.write("other.yaml", good.replace("joint3", "elbow"));
    place.write(
        "leg.yaml",
        good.replace("group_name: arm", "group_name: leg"),
    );
    place.write(
        "partly.yaml",
        good.replace("joint_name: joint3", "joint_name: joint2"),
    );
    place.write("far.yaml", request([-9.0, 0.1, 0.1], [0.9, -0.1, -0.1]));
    place.write("into.yaml", request([-0.9, 0.1, 0.1], [0.0, 0.0, 0.0]));
    place.write("within.yaml", request([0.0, 0.0, 0.0], [0.9, 0.1, 0.1]));
    place.write("folded.yaml", request([-0.9, 0.1, 0.1], [0.9, 2.9, 2.9]));
    let post = place.read("post.toml");
    place.write("nan.toml", post.replace("0.75", "nan"));
    place.write(
        "nan.yaml",
        "world: {collision_objects: [{id: crate, primitives: [{type: box, dimensions: [1, 1, 1]}], \
         primitive_poses: [{position: [.nan, 0, 0], orientation: [0, 0, 0, 1]}]}]}",
    );
    place.write(
        "state.yaml",
        "robot_state: {joint_state: {name: [wrist], position: [0]}}\nworld: {collision_objects: [{id: \
         crate, primitives: [{type: sphere, dimensions: [0.1]}], primitive_poses: [{}]}]}",
    );
    place.write(
        "lost.toml",
        "[[object]]\nname = \"part\"\nmesh = \"lost.stl\"\n",
    );
    let plan = |robot: &str, scene: &str, request: &str| {
        format!("plan --robot {robot} --scene {scene} --request {request}")
    };
    for (line, words) in [
        (
            plan("mesh.urdf", "post.toml", "over.yaml"),
            &["lost.stl"][..],
        ),
        (plan("planar-3", "lost.toml", "over.yaml"), &["lost.stl"]),
        (
            plan("planar-3", "nan.toml", "over.yaml"),
            &["post", "finite"],
        ),
        (
            plan("planar-3", "nan.yaml", "over.yaml"),
            &["crate", "finite"],
        ),
        (
            plan("planar-3", "post.toml", "other.yaml"),
            &["elbow", "planar3"],
        ),
        (plan("planar-3", "state.yaml", "over.yaml"), &["wrist"]),
        (plan("planar-3", "post.toml", "leg.yaml"), &["`leg`", "arm"]),
        (
            plan("planar-3", "post.toml", "partly.yaml"),
            &["joint3", "position"],
        ),
        (
            plan("planar-3", "post.toml", "far.yaml"),
            &["joint1", "-9", "limits"],
        ),
        (
            plan("planar-3", "post.toml", "into.yaml"),
            &["goal is in collision", "`link3`", "`post`", "allow"],
        ),
        (
            plan("planar-3", "post.toml", "within.yaml"),
            &["start is in collision", "`post`", "within.yaml"],
        ),
        (
            plan("planar-3", "post.toml", "folded.yaml"),
            &["goal is in collision", "`link1`"],
        ),
        (
            plan("nobody", "post.toml", "over.yaml"),
            &["nobody", "panda-like"],
        ),
        (plan("planar-3", "none.toml", "over.yaml"), &["none.toml"]),
        (plan("planar-3", "post.toml", "none.yaml"), &["none.yaml"]),
        (
            plan("planar-3 --srdf a.srdf", "post.toml", "over.yaml"),
            &["--srdf"],
        ),
        (
            plan("planar-3 --trajectory t.txt", "post.toml", "over.yaml"),
            &["t.txt", ".csv"],
        ),
        (
            format!("{FREELY} --planner rrtstar"),
            &["`rrtstar`", "until it is stopped", "--time"],
        ),
        (
            format!("{FREELY} --planner rrtconnect --vertices 100"),
            &["`rrtconnect`", "no use for `--vertices`", "roadmap"],
        ),
        (
            format!("{FREELY} --planner rrtconnect --neighbours 9"),
            &["no use for `--neighbours`"],
        ),
        (
            format!("{FREELY} --planner rrtconnect --belief b.belief"),
            &["no use for `--belief`", "`ei:ensemble`"],
        ),
        (
            format!("{FREELY} --planner rrtconnect --outcomes o.json"),
            &["no use for `--outcomes`"],
        ),
        (
            format!("{FREELY} --planner rrtconnect --resolution 1e-9"),
            &["resolution", "positive"],
        ),
    ] {
        let run = place.psmp(&line).ends(1);
        assert!(
            run.err.starts_with("error: ") && run.err.contains("\nhint: "),
            "{run:?}"
        );
        for word in words {
            assert!(
                run.err.contains(word),
                "psmp {line}\nno `{word}` in\n{}",
                run.err
            );
        }
    }
    for usage in [
        "plan --robot planar-3",
        "plan --robot planar-3 --scene post.toml",
        "plan --robot planar-3 --scene post.toml --request over.yaml --map map.png",
        "plan --map map.png --start 0,0 --goal 1,1 --scene post.toml",
        "plan --robot planar-3 --scene post.toml --request over.yaml --acceleration 0",
    ] {
        place.psmp(usage).ends(2);
    }
}

/// Three boxes in a row, of which the first and the last touch at rest.
const ROW: &str = r#"<robot name="row"><link name="base"/>
<link name="a"><collision><geometry><box size="0.2 0.05 0.05"/></geometry></collision></link>
<link name="b"><collision><origin xyz="0 0 0.2"/><geometry><box size="0.05 0.05 0.05"/></geometry></collision></link>
<link name="c"><collision><origin xyz="0.1 0 0"/><geometry><box size="0.2 0.04 0.04"/></geometry></collision></link>
<joint name="joint1" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="1"/></joint>
<joint name="joint2" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="1"/></joint>
<joint name="joint3" type="revolute"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/><limit lower="-3" upper="3" velocity="1"/></joint>
</robot>"#;

/// The same robot with a group and no pairs that are not checked.
const ALL_CHECKED: &str =
    r#"<robot name="row"><group name="arm"><chain base_link="base" tip_link="c"/></group></robot>"#;

#[test]
fn a_robot_without_an_srdf_gets_one() {
    let place = Place::new().with_arm();
    place.write("row.urdf", ROW);
    place.write("checked.srdf", ALL_CHECKED);
    place.write(
        "far.toml",
        "[[object]]\nname = \"post\"\nbox = [0.1, 0.1, 0.1]\nposition = [3, 0, 0]\n",
    );
    let run = place.psmp("srdf row.urdf -o row.srdf --samples 500").ok();
    assert!(
        run.err.contains("row.srdf") && run.err.contains("touching at rest"),
        "{run:?}"
    );
    let text = place.read("row.srdf");
    for line in [
        r#"<chain base_link="base" tip_link="c"/>"#,
        r#"<disable_collisions link1="a" link2="b" reason="Adjacent"/>"#,
        r#"<disable_collisions link1="a" link2="c" reason="Default"/>"#,
    ] {
        assert!(text.contains(line), "{text}");
    }
    // The same seed gives the same file, also on standard output, and JSON says the same.
    assert_eq!(place.psmp("srdf row.urdf --samples 500").ok().out, text);
    let facts = place.psmp("srdf row.urdf --samples 500 --json").ok().out;
    let facts: serde_json::Value = serde_json::from_str(&facts).unwrap();
    assert_eq!(facts["disabled"].as_array().unwrap().len(), 3);
    assert_eq!(
        facts["groups"][0]["joints"],
        serde_json::json!(["joint1", "joint2", "joint3"])
    );
    // What plans without an SRDF finds the same by itself, says so, and keeps it.
    let plan = "plan --robot row.urdf --scene far.toml --request over.yaml --vertices 50 --configurations 100000";
    for _ in 0..2 {
        let run = place.psmp(plan).ok();
        assert!(
            run.err.contains("without `--srdf`, 3 pairs of links"),
            "{run:?}"
        );
        assert!(run.err.contains("psmp srdf"), "{run:?}");
    }
    let run = place.psmp(&format!("{plan} --srdf row.srdf")).ok();
    assert!(!run.err.contains("without"), "{run:?}");
    // Where every pair is checked the start touches itself, and no link is asked to move away.
    let checked = format!("{plan} --srdf checked.srdf");
    let run = place.psmp(&checked);
    assert_eq!(run.code, Some(1), "{run:?}");
    assert!(
        run.err.contains("`a` touches `b`") || run.err.contains("`a` touches `c`"),
        "{run:?}"
    );
    assert!(
        run.err.contains("collides with itself") && run.err.contains("--allow a,"),
        "{run:?}"
    );
    assert!(!run.err.contains("move `"), "{run:?}");
    let allowed = format!("{checked} --allow a,b --allow c,a --allow b,c");
    place.psmp(&allowed).ok();
}

#[test]
fn pairs_are_allowed_by_names_that_there_are() {
    let place = Place::new().with_arm();
    place.write("into.yaml", request([-0.9, 0.1, 0.1], [0.0, 0.0, 0.0]));
    let plan = "plan --robot planar-3 --scene post.toml --request into.yaml --vertices 300 --configurations 200000";
    let run = place.psmp(plan);
    assert_eq!(run.code, Some(1), "{run:?}");
    for words in ["move `post`", "--allow link3,post"] {
        assert!(run.err.contains(words), "{run:?}");
    }
    place
        .psmp(&format!("{plan} --allow link3,post --allow post,link2"))
        .ok();
    for (allow, code, words) in [
        ("link3,pots", 1, &["`pots`", "post"][..]),
        ("lonk3,post", 1, &["`lonk3`", "link3"]),
        ("link3", 2, &["two names"]),
        ("post,post", 2, &["two names"]),
        (",post", 2, &["two names"]),
    ] {
        let run = place.psmp(&format!("{plan} --allow {allow}"));
        assert_eq!(run.code, Some(code), "{run:?}");
        for word in words {
            assert!(run.err.contains(word), "{allow}: {run:?}");
        }
    }
}

#[test]
fn an_srdf_of_another_robot_is_refused_and_a_damaged_cache_is_not() {
    let place = Place::new().with_arm();
    place.write("row.urdf", ROW);
    place.write(
        "other.srdf",
        r#"<robot name="panda"><disable_collisions link1="a" link2="panda_hand" reason="Never"/></robot>"#,
    );
    place.write(
        "far.toml",
        "[[object]]\nname = \"post\"\nbox = [0.1, 0.1, 0.1]\nposition = [3, 0, 0]\n",
    );
    let plan = "plan --robot row.urdf --scene far.toml --request over.yaml --vertices 50 --configurations 100000 --json --seed 0";
    let run = place.psmp(&format!("{plan} --srdf other.srdf"));
    assert_eq!(run.code, Some(1), "{run:?}");
    for words in ["other.srdf", "`panda_hand`", "robot `panda`", "psmp srdf"] {
        assert!(run.err.contains(words), "{run:?}");
    }
    let good = place.psmp(plan).ok();
    for (kind, what) in [
        ("roadmaps", "roadmap"),
        ("pairs", "set of pairs"),
        ("spheres", "cover"),
    ] {
        let mut files = std::fs::read_dir(place.file(&format!("cache/psmp/{kind}"))).unwrap();
        let file = files.next().unwrap().unwrap().path();
        let mut bytes = std::fs::read(&file).unwrap();
        let middle = bytes.len() / 2;
        bytes.truncate(middle);
        std::fs::write(&file, bytes).unwrap();
        let run = place.psmp(plan).ok();
        assert!(
            run.err.contains(&format!("a new {what} is made")),
            "{kind}: {run:?}"
        );
        assert_eq!(run.events(), good.events(), "{kind}");
        let again = place.psmp(plan).ok();
        assert!(!again.err.contains("warning"), "{kind}: {again:?}");
    }
}
