use crate::place::{Place, wait};
use psmp::checker::{BisectionChecker, Checker, Part, Sightings};
use psmp::{Resolution, WorldId};
use psmp_arm::{Arm, DEFAULT_STEP, Robot, Scene, Semantics, SphereModel, SphereWorld};
use psmp_files::read_table;
use psmp_worlds::graphml;
use std::fs;
use std::time::{Duration, Instant};

/// Three links in a plane, and a finger that is in no group.
const URDF: &str = r#"<robot name="finger_arm">
  <link name="base"/>
  <link name="upper"><collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.06 0.06"/></geometry></collision></link>
  <link name="lower"><collision><origin xyz="0.2 0 0"/><geometry><box size="0.4 0.06 0.06"/></geometry></collision></link>
  <link name="hand"><collision><origin xyz="0.1 0 0"/><geometry><box size="0.2 0.06 0.06"/></geometry></collision></link>
  <link name="finger"><collision><geometry><sphere radius="0.03"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><axis xyz="0 0 1"/><limit lower="-3" upper="3"/></joint>
  <joint name="elbow" type="revolute"><origin xyz="0.42 0 0"/><parent link="upper"/><child link="lower"/><axis xyz="0 0 1"/><limit lower="-2.5" upper="2.5"/></joint>
  <joint name="wrist" type="revolute"><origin xyz="0.42 0 0"/><parent link="lower"/><child link="hand"/><axis xyz="0 0 1"/><limit lower="-2" upper="2"/></joint>
  <joint name="grip" type="prismatic"><origin xyz="0.24 0 0"/><parent link="hand"/><child link="finger"/><axis xyz="0 1 0"/><limit lower="0" upper="0.1"/></joint>
</robot>"#;

const SRDF: &str = r#"<robot name="finger_arm">
  <group name="arm"><chain base_link="base" tip_link="hand"/></group>
  <group name="nothing"><link name="base"/></group>
  <disable_collisions link1="upper" link2="lower"/>
  <disable_collisions link1="lower" link2="hand"/>
  <disable_collisions link1="hand" link2="finger"/>
</robot>"#;

/// A place with the arm and scenes of a few balls each.
fn with_arm(scenes: u32) -> Place {
    let place = Place::new();
    place.write("arm.urdf", URDF);
    place.write("arm.srdf", SRDF);
    fs::create_dir(place.file("scenes")).unwrap();
    for number in 0..scenes {
        let ball = |k: u32| {
            let angle = f64::from(number * 7 + k * 3);
            let (x, y) = (0.55 * angle.cos(), 0.55 * angle.sin());
            format!("[[object]]\nname = \"ball{k}\"\nsphere = 0.12\nposition = [{x}, {y}, 0.0]\n")
        };
        let text: String = (0..3).map(ball).collect();
        place.write(&format!("scenes/scene{number:04}.toml"), text);
    }
    place
}

const TABLE: &str = "table --robot arm.urdf --srdf arm.srdf --group arm --spheres 40";

#[test]
fn a_table_says_what_checking_edge_by_edge_says() {
    let place = with_arm(70);
    let line = format!("{TABLE} --scenes scenes --vertices 120 --neighbours 6 -o arm.table --json");
    let facts = place.psmp(&line).ok().json();
    assert_eq!(facts["worlds"], 70);
    assert_eq!(facts["vertices"], 120);
    assert!(!place.file("arm.table.parts").exists());

    let robot = Robot::read(place.file("arm.urdf")).unwrap();
    let semantics = Semantics::read(place.file("arm.srdf"), &robot).unwrap();
    let arm = Arm::new(robot, &semantics, "arm").unwrap();
    let spheres = SphereModel::cover(arm.robot(), 40);
    let roadmap = graphml::read(place.file("arm.graphml")).unwrap();
    let table = read_table(place.file("arm.table")).unwrap();
    let (mut free, mut sightings) = (0, Sightings::new(3));
    for world in 0..70 {
        let scene = Scene::read(place.file(&format!("scenes/scene{world:04}.toml"))).unwrap();
        let checked = SphereWorld::new(&arm, &spheres, &scene).unwrap();
        let step = Resolution::largest_axis(DEFAULT_STEP).unwrap();
        let mut checker = BisectionChecker::new(&roadmap, step, checked).unwrap();
        for edge in roadmap.edge_ids() {
            sightings.clear();
            let Ok(finding) = checker.check(Part::whole_of(edge), &mut sightings);
            let is_free = finding.free == Some(true);
            assert_eq!(
                table.is_free(WorldId(world), edge),
                is_free,
                "{world} {edge:?}"
            );
            free += u64::from(is_free);
        }
    }
    let share = free as f64 / (70 * roadmap.edge_count()) as f64;
    assert!((facts["free"].as_f64().unwrap() - share).abs() < 1e-12);
    assert!(share > 0.05 && share < 0.95, "{share}");

    // The roadmap that was made serves again, and other scenes have other answers.
    let line = format!("{TABLE} --scenes scenes/scene0001.toml --roadmap arm.graphml -o one.table");
    let run = place.psmp(&line).ok();
    assert!(run.err.contains("1 world "), "{}", run.err);

    // Roadmaps of other kinds: a seed repeats one, another seed or a radius makes another.
    let made = |options: &str| {
        let line = format!("{TABLE} --scenes scenes --vertices 60 {options} -o other.table");
        place.psmp(&line).ok();
        place.read("other.graphml")
    };
    let even = made("");
    let random = made("--random --seed 4");
    assert!(made("--random --seed 4") == random && made("--random --seed 5") != random);
    assert!(random != even && made("--radius 2") != even);
}

/// Killed in the middle and started again, it ends with the same table as one that was let alone.
#[test]
fn a_killed_table_goes_on_where_it_was() {
    let place = with_arm(20);
    // Fine steps, so that there is time to kill it.
    let line = |resolution: f64, output: &str| {
        format!(
            "{TABLE} --scenes scenes --vertices 1500 --neighbours 8 --resolution {resolution} -o {output}"
        )
    };
    place.psmp(&line(0.001, "whole.table")).ok();
    let killed = line(0.001, "killed.table");
    let mut child = place.command(&killed).spawn().unwrap();
    let parts = place.file("killed.table.parts");
    let finished = || {
        let folders = fs::read_dir(&parts).into_iter().flatten().flatten();
        let files = folders.flat_map(|f| fs::read_dir(f.path()).into_iter().flatten().flatten());
        files.filter(|f| f.file_name().len() == 6).count()
    };
    let started = Instant::now();
    while finished() == 0 && started.elapsed() < Duration::from_secs(50) {
        assert_eq!(
            child.try_wait().unwrap(),
            None,
            "it ended before it was killed"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    wait(&mut child, &killed);
    let done = finished();
    assert!(done > 0 && !place.file("killed.table").exists());
    // What another resolution has finished is not taken for this one's.
    place.psmp(&line(0.1, "killed.table")).ok();
    assert_eq!(finished(), done, "the other table's shards are left alone");
    place.psmp(&killed).ok();
    assert!(!parts.exists());
    let [whole, again] = ["whole.table", "killed.table"].map(|f| fs::read(place.file(f)).unwrap());
    assert!(whole == again, "the tables differ");
}

/// Joints outside the group are where the scenes or a request have them.
#[test]
fn the_finger_is_where_it_is_said_to_be() {
    let place = with_arm(0);
    let scene = |grip: f64| {
        format!(
            "robot_state:\n  joint_state: {{name: [grip, elbow], position: [{grip}, 1]}}\n\
             world:\n  collision_objects:\n    - id: ball\n      primitives: [{{type: sphere, dimensions: [0.3]}}]\n\
            \x20     primitive_poses: [{{position: [0.9, 0, 0], orientation: [0, 0, 0, 1]}}]\n"
        )
    };
    place.write("in.yaml", scene(0.0));
    place.write("out.yaml", scene(0.1));
    place.write(
        "request.yaml",
        "group_name: arm\nstart_state: {joint_state: {name: [shoulder, elbow, wrist, grip], position: [0, 0, 0, 0.1]}}\n\
         goal_constraints: [{joint_constraints: [{joint_name: shoulder, position: 1}]}]\n",
    );
    let free = |options: &str| {
        let line = format!("{TABLE} --vertices 400 --neighbours 6 {options} -o t.table --json");
        place.psmp(&line).ok().json()["free"].as_f64().unwrap()
    };
    let [drawn_in, stretched] = ["--scenes in.yaml", "--scenes out.yaml"].map(free);
    assert!(drawn_in != stretched, "{drawn_in}");
    assert_eq!(free("--scenes in.yaml --request request.yaml"), stretched);
    let run = place
        .psmp(&format!("{TABLE} --scenes in.yaml out.yaml -o t.table"))
        .ends(1);
    assert!(
        run.err.contains("differ") && run.err.contains("--request"),
        "{}",
        run.err
    );
}

#[test]
fn what_cannot_be_a_table() {
    let place = with_arm(1);
    let mesh = URDF.replace(
        "<sphere radius=\"0.03\"/>",
        "<mesh filename=\"package://lost/finger.stl\"/>",
    );
    place.write("mesh.urdf", mesh);
    place.write("broken.urdf", "<robot name=\"r\"><link name=\"a\"></robot>");
    place.write(
        "knee.srdf",
        SRDF.replace("<link name=\"base\"/>", "<joint name=\"knee\"/>"),
    );
    place.write(
        "nan.toml",
        "[[object]]\nname = \"cup\"\nsphere = 0.1\nposition = [nan, 0, 0]\n",
    );
    place.write(
        "nan.yaml",
        "world:\n  collision_objects:\n    - id: cup\n      primitives: [{type: sphere, dimensions: [0.1]}]\n\
        \x20     primitive_poses: [{position: [0, .nan, 0], orientation: [0, 0, 0, 1]}]\n",
    );
    place.write(
        "knee.yaml",
        "robot_state:\n  joint_state: {name: [knee], position: [0]}\n",
    );
    place.write(
        "none.toml",
        "[[object]]\nname = \"part\"\nmesh = \"part.stl\"\n",
    );
    place.write(
        "held.toml",
        "[[object]]\nname = \"cup\"\nsphere = 0.1\nattach = \"hand\"\n",
    );
    place.write("text.graphml", "no roadmap");
    fs::create_dir(place.file("empty")).unwrap();
    let flat = psmp::Space::unit(2);
    let points = psmp::roadmap::halton(&flat, 5);
    let flat =
        psmp::Roadmap::from_configurations(flat, points, psmp::Connection::Nearest(2)).unwrap();
    graphml::write(place.file("flat.graphml"), &flat).unwrap();
    let scene = "--scenes scenes/scene0000.toml -o t.table";
    for (line, words) in [
        (
            format!("table --robot lost.urdf {scene}"),
            vec!["lost.urdf"],
        ),
        (
            format!("table --robot broken.urdf {scene}"),
            vec!["broken.urdf", "line 1"],
        ),
        (
            format!("table --robot mesh.urdf {scene}"),
            vec!["mesh.urdf", "package://lost/finger.stl", "ROS_PACKAGE_PATH"],
        ),
        (
            format!("table --robot arm.urdf --srdf arm.srdf --group leg {scene}"),
            vec!["`leg`", "arm"],
        ),
        (
            format!("table --robot arm.urdf --srdf arm.srdf --group nothing {scene}"),
            vec!["`nothing`", "moves"],
        ),
        (
            format!("table --robot arm.urdf --srdf knee.srdf --group arm {scene}"),
            vec!["knee.srdf", "no joint `knee`"],
        ),
        (
            format!("{TABLE} --scenes nan.toml -o t.table"),
            vec!["nan.toml", "cup", "finite"],
        ),
        (
            format!("{TABLE} --scenes nan.yaml -o t.table"),
            vec!["nan.yaml", "cup", "finite"],
        ),
        (
            format!("{TABLE} --scenes knee.yaml --empty-scene -o t.table"),
            vec!["`knee`", "finger_arm"],
        ),
        (
            format!("{TABLE} --scenes none.toml -o t.table"),
            vec!["part.stl"],
        ),
        (
            format!("{TABLE} --scenes held.toml -o t.table"),
            vec!["`cup`", "attached"],
        ),
        (
            format!("{TABLE} --scenes lost.toml -o t.table"),
            vec!["lost.toml"],
        ),
        (
            format!("{TABLE} --scenes empty -o t.table"),
            vec!["no scenes", "`empty`"],
        ),
        (
            format!("{TABLE} --roadmap flat.graphml {scene}"),
            vec!["flat.graphml", "3 joints"],
        ),
        (
            format!("{TABLE} --roadmap text.graphml {scene}"),
            vec!["text.graphml"],
        ),
        (
            format!("{TABLE} --request arm.srdf {scene}"),
            vec!["arm.srdf"],
        ),
        (
            format!("{TABLE} {scene} --resolution 1e-300"),
            vec!["resolution", "1e-300"],
        ),
        (
            format!("{TABLE} --scenes scenes/scene0000.toml -o lost/t.table"),
            vec!["lost"],
        ),
        ("spheres lost.urdf".to_owned(), vec!["lost.urdf"]),
        ("spheres arm.urdf -o lost/s.urdf".to_owned(), vec!["lost"]),
    ] {
        let run = place.psmp(&line).ends(1);
        assert!(
            run.out.is_empty() && run.err.contains("error: "),
            "{line}\n{run:?}"
        );
        for word in words.into_iter().chain(["\nhint: "]) {
            assert!(
                run.err.contains(word),
                "psmp {line}\nno `{word}` in\n{}",
                run.err
            );
        }
        assert!(!place.file("t.table").exists());
    }
    for (line, word) in [
        (format!("{TABLE} {scene} --resolution 0"), "above 0"),
        (format!("{TABLE} {scene} --resolution nan"), "above 0"),
        (format!("{TABLE} {scene} --vertices 1"), "--vertices"),
        (
            format!("table --robot arm.urdf --group arm {scene}"),
            "--srdf",
        ),
        (format!("{TABLE} -o t.table"), "--scenes"),
    ] {
        let run = place.psmp(&line).ends(2);
        assert!(run.err.contains(word), "psmp {line}\n{}", run.err);
    }
}

#[test]
fn something_in_the_robots_foot_is_named() {
    let place = with_arm(0);
    let foot = r#"<link name="base"><collision><origin xyz="0 0 -0.2"/><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>"#;
    place.write("arm.urdf", URDF.replace(r#"<link name="base"/>"#, foot));
    let floor = "[[object]]\nname = \"floor\"\nhalf_space = true\n";
    place.write("floor.toml", floor);
    let line = format!("{TABLE} --scenes floor.toml --vertices 20 -o t.table --json");
    let run = place.psmp(&line).ok();
    assert_eq!(run.json()["free"], 0.0);
    for word in ["floor.toml", "`base`", "`floor`"] {
        assert!(run.err.contains(word), "{}", run.err);
    }
}

#[test]
fn spheres_cover_links_within_the_budget_and_make_a_robot() {
    let place = with_arm(0);
    let few = place
        .psmp("spheres arm.urdf --spheres 8 --json")
        .ok()
        .json();
    let facts = place
        .psmp("spheres arm.urdf --spheres 40 --json -o spherised.urdf")
        .ok()
        .json();
    let count = |facts: &serde_json::Value| facts["spheres"].as_u64().unwrap();
    assert!(count(&few) <= 8 && count(&facts) <= 40 && count(&few) < count(&facts));
    let beyond = |facts: &serde_json::Value| {
        let links = facts["links"].as_array().unwrap();
        let beyond = links.iter().map(|l| l["beyond"].as_f64().unwrap());
        beyond.fold(0.0, f64::max)
    };
    assert!(beyond(&facts) < beyond(&few));
    // What was made of spheres keeps them, whatever the budget.
    let again = place
        .psmp("spheres spherised.urdf --spheres 4 --json")
        .ok()
        .json();
    assert_eq!(count(&again), count(&facts));
    let words = place.psmp("spheres arm.urdf --spheres 8").ok().out;
    for word in ["upper", "finger", "mm", "%", "all"] {
        assert!(words.contains(word), "{words}");
    }
}
