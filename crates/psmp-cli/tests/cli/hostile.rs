use crate::place::{Place, Run, request};
use std::fs;
use std::path::PathBuf;
use std::process::Command;

const PLAN: &str = "plan --robot planar-3 --request over.yaml --planner rrtconnect --scene";

/// A robot of one joint and these things.
fn robot(name: &str, collision: &str) -> String {
    format!(
        r#"<robot name="{name}"><link name="a"/><link name="b"><collision><geometry>{collision}</geometry></collision></link>
        <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"#
    )
}

fn cloud(points: &[&str]) -> String {
    let count = points.len();
    let header = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\n";
    let points = points.join("\n");
    format!("{header}WIDTH {count}\nHEIGHT 1\nPOINTS {count}\nDATA ascii\n{points}\n")
}

fn cloud_in(file: &str) -> String {
    format!("[[object]]\nname = \"seen\"\npoints = {{ file = \"{file}\", radius = 0.01 }}\n")
}

/// The run, which must have ended with an error that has these words in it, and a hint.
fn refused(run: Run, words: &[&str]) -> Run {
    let run = run.ends(1);
    assert!(
        run.err.starts_with("error: ") && run.err.contains("\nhint: "),
        "{run:?}"
    );
    for word in words {
        assert!(run.err.contains(word), "no `{word}` in\n{}", run.err);
    }
    run
}

fn refused_scene(place: &Place, scene: &str, words: &[&str]) {
    refused(place.psmp(&format!("{PLAN} {scene}")), words);
}

#[test]
fn files_name_only_what_is_theirs_or_allowed() {
    let place = Place::new().with_arm();
    fs::create_dir_all(place.file("own")).unwrap();
    fs::create_dir_all(place.file("other")).unwrap();
    place.write("other/cloud.pcd", cloud(&["9 9 9"]));
    place.write("secret.pcd", "topsecret 1\n");
    place.write("other/m.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let absolute = place.file("secret.pcd").display().to_string();
    for name in ["../secret.pcd", "file://../secret.pcd", &absolute] {
        place.write("own/scene.toml", cloud_in(name));
        let run = place.psmp(&format!("{PLAN} own/scene.toml"));
        let run = refused(run, &[name, "outside", "--allow-path"]);
        assert!(!run.err.contains("topsecret"), "{run:?}");
        // Allowed, it is read, and found to be no cloud; what is in it stays there.
        let run = place.psmp(&format!("{PLAN} own/scene.toml --allow-path secret.pcd"));
        let run = refused(run, &["secret.pcd", "line 1"]);
        assert!(!run.err.contains("topsecret"), "{run:?}");
    }
    place.write("own/scene.toml", cloud_in("../other/cloud.pcd"));
    place.psmp(&format!("{PLAN} own/scene.toml")).ends(1);
    place
        .psmp(&format!(
            "{PLAN} own/scene.toml --allow-path none --allow-path other"
        ))
        .ends(1);
    place
        .psmp(&format!(
            "{PLAN} own/scene.toml --allow-path own --allow-path other"
        ))
        .ok();
    place.write(
        "own/r.urdf",
        robot("r", r#"<mesh filename="../other/m.obj"/>"#),
    );
    refused(place.psmp("spheres own/r.urdf"), &["../other/m.obj"]);
    place.psmp("spheres own/r.urdf --allow-path other").ok();
    let table =
        "table --robot own/r.urdf --scenes post.toml --vertices 4 --neighbours 1 -o t.table";
    refused(place.psmp(table), &["../other/m.obj"]);
    place.psmp(&format!("{table} --allow-path other")).ok();
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_not_waited_for() {
    let place = Place::new().with_arm();
    let made = Command::new("mkfifo").arg(place.file("pipe.pcd")).status();
    assert!(made.unwrap().success());
    place.write("pipe.toml", cloud_in("pipe.pcd"));
    place.write("zero.toml", cloud_in("/dev/zero"));
    for line in [
        format!("{PLAN} pipe.toml"),
        format!("{PLAN} zero.toml --allow-path /dev"),
        format!("{PLAN} pipe.pcd"),
        format!("{PLAN} /dev/zero"),
        "plan --robot /dev/zero --scene post.toml --request over.yaml".to_owned(),
        "plan --robot planar-3 --scene post.toml --request pipe.pcd".to_owned(),
        "spheres pipe.pcd".to_owned(),
    ] {
        refused(place.psmp(&line), &["not a regular file"]);
    }
}

#[test]
fn a_cloud_of_nothing_is_an_empty_object_and_said_so() {
    let place = Place::new().with_arm();
    place.write("scene.toml", cloud_in("cloud.pcd"));
    for points in [&[][..], &["nan nan nan", "nan 0 0"]] {
        place.write("cloud.pcd", cloud(points));
        let run = place.psmp(&format!("{PLAN} scene.toml")).ok();
        assert!(
            run.err.contains("warning") && run.err.contains("`seen`"),
            "{run:?}"
        );
        let line =
            "table --robot planar-3 --scenes scene.toml --vertices 9 --neighbours 2 -o t.table";
        let run = place.psmp(line).ok();
        assert!(
            run.err.contains("warning") && run.err.contains("`seen`"),
            "{run:?}"
        );
    }
    place.write("cloud.pcd", cloud(&["0 1e20 0"]));
    refused_scene(&place, "scene.toml", &["cloud.pcd", "10000 m"]);
}

#[test]
fn a_scene_that_is_none_is_not_an_empty_world() {
    let place = Place::new().with_arm();
    let objects = "[{id: post, primitives: [{type: box, dimensions: [0.1, 0.1, 0.4]}], \
                   primitive_poses: [{position: [0.75, 0, 0]}]}]";
    place.write(
        "good.yaml",
        format!("world: {{collision_objects: {objects}}}"),
    );
    place.write(
        "misspelt.yaml",
        format!("world: {{colision_objects: {objects}}}"),
    );
    place.write("empty.yaml", "");
    place.write("nothing.yaml", "world: {collision_objects: []}");
    place.write("nothing.toml", "");
    place.psmp(&format!("{PLAN} good.yaml")).ok();
    for (scene, words) in [
        (
            "misspelt.yaml",
            &["colision_objects", "`collision_objects`", "line 1"][..],
        ),
        ("empty.yaml", &["is empty"]),
        ("over.yaml", &["looks like", "motion plan request"]),
        ("nothing.yaml", &["nothing in this scene", "--empty-scene"]),
        ("nothing.toml", &["nothing in this scene", "--empty-scene"]),
    ] {
        refused(place.psmp(&format!("{PLAN} {scene}")), words);
        let table = format!(
            "table --robot planar-3 --scenes {scene} --vertices 9 --neighbours 2 -o t.table"
        );
        refused(place.psmp(&table), words);
        if scene.starts_with("nothing") {
            place.psmp(&format!("{PLAN} {scene} --empty-scene")).ok();
            place.psmp(&format!("{table} --empty-scene")).ok();
        }
    }
    refused(
        place.psmp("plan --robot planar-3 --scene good.yaml --request good.yaml"),
        &["looks like", "planning scene"],
    );
    let constrained = request([0.5; 3], [-0.5; 3])
        + "path_constraints: {orientation_constraints: [{link_name: hand}]}\n";
    place.write("constrained.yaml", constrained);
    refused(
        place.psmp("plan --robot planar-3 --scene good.yaml --request constrained.yaml"),
        &["path_constraints"],
    );
}

#[test]
fn a_robots_name_writes_nowhere() {
    let place = Place::new();
    let evil = place.file("evil").display().to_string();
    for name in ["../../../evil", &evil, "left/arm"] {
        place.write("r.urdf", robot(name, r#"<box size="0.1 0.1 0.1"/>"#));
        let run = place.psmp("spheres r.urdf --spheres 2").ok();
        assert!(!run.err.contains("warning"), "{run:?}");
    }
    let mut left: Vec<_> = fs::read_dir(place.file("."))
        .unwrap()
        .map(|e| e.unwrap().file_name())
        .collect();
    left.sort();
    assert_eq!(left, ["cache", "r.urdf"]);
}

/// The covers that are kept.
fn kept(place: &Place) -> Vec<PathBuf> {
    let files = fs::read_dir(place.file("cache/psmp/spheres")).unwrap();
    files.map(|f| f.unwrap().path()).collect()
}

#[test]
fn a_forged_cover_is_found_and_made_anew() {
    let place = Place::new();
    place.write("r.urdf", robot("r", r#"<box size="0.1 0.2 0.3"/>"#));
    let line = "spheres r.urdf --spheres 8 --json";
    let honest = place.psmp(line).ok();
    let [file] = &kept(&place)[..] else {
        panic!("one cover is kept");
    };
    let text = fs::read_to_string(file).unwrap();
    let mut forged: serde_json::Value = serde_json::from_str(&text).unwrap();
    for link in forged["links"].as_array_mut().unwrap() {
        for ball in link["balls"].as_array_mut().unwrap() {
            ball["radius"] = 1e-6.into();
        }
    }
    fs::write(file, forged.to_string()).unwrap();
    let run = place.psmp(line).ok();
    assert_eq!(run.out, honest.out);
    assert!(
        run.err.contains("warning") && run.err.contains("`b`"),
        "{run:?}"
    );
    let run = place.psmp(line).ok();
    assert_eq!((run.out, run.err), (honest.out, honest.err));
}

#[test]
fn a_cache_that_cannot_be_used_stops_no_one() {
    let place = Place::new().with_arm();
    place.write("cache", "a file");
    let run = place.psmp(&format!("{PLAN} post.toml")).ok();
    assert!(run.err.contains("warning"), "{run:?}");
    let mut homeless = place.command(&format!("{PLAN} post.toml"));
    let output = homeless
        .env_remove("XDG_CACHE_HOME")
        .env_remove("HOME")
        .output();
    let output = output.unwrap();
    assert!(output.status.success(), "{output:?}");
    assert!(
        String::from_utf8_lossy(&output.stderr).contains("HOME"),
        "{output:?}"
    );
}

#[test]
fn a_few_bytes_that_mean_too_much_are_an_error_at_once() {
    let place = Place::new().with_arm();
    let doubled: String = (0..40)
        .map(|i| {
            let inner = format!("<instance_node url=\"#n{}\"/>", i + 1);
            format!("<node id=\"n{i}\">{inner}{inner}</node>")
        })
        .collect();
    place.write(
        "bomb.dae",
        format!(
            "<COLLADA><library_geometries><geometry id=\"g\"><mesh><source id=\"p\"><float_array>0 0 0 1 0 0 0 1 0</float_array></source>\
             <vertices id=\"v\"><input semantic=\"POSITION\" source=\"#p\"/></vertices>\
             <triangles><input semantic=\"VERTEX\" source=\"#v\" offset=\"0\"/><p>0 1 2</p></triangles></mesh></geometry></library_geometries>\
             <library_visual_scenes><visual_scene>{doubled}<node id=\"n40\"><instance_geometry url=\"#g\"/></node></visual_scene></library_visual_scenes></COLLADA>"
        ),
    );
    place.write("bomb.urdf", robot("r", r#"<mesh filename="bomb.dae"/>"#));
    refused(place.psmp("spheres bomb.urdf"), &["bomb.dae", "triangles"]);
    let header = "ply\nformat ascii 1.0\nelement face 99999999999\nproperty list uchar int i\n";
    let vertex = "element vertex 1\nproperty float x\nproperty float y\nproperty float z\n";
    place.write("bomb.ply", format!("{header}{vertex}end_header\n1 2 3\n"));
    place.write("bomb.toml", cloud_in("bomb.ply"));
    refused_scene(&place, "bomb.toml", &["bomb.ply", "99999999999"]);
}

#[test]
fn robots_that_are_not_what_they_seem() {
    let place = Place::new().with_arm();
    place.write(
        "arm.xacro",
        r#"<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arm/></robot>"#,
    );
    refused(place.psmp("spheres arm.xacro"), &["xacro", "expand"]);
    place.write("far.obj", "v 0 0 2e19\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    place.write("far.urdf", robot("r", r#"<mesh filename="far.obj"/>"#));
    let run = refused(place.psmp("spheres far.urdf"), &["far.obj`", "10000 m"]);
    assert!(!run.err.contains('"'), "{run:?}");
    for usage in [
        "spheres arm.xacro --spheres 0",
        "plan --robot planar-3 --scene post.toml --request over.yaml --spheres 0",
        "table --robot planar-3 --scenes post.toml -o t.table --spheres 0",
        "plan --map map.png --start 0,0 --goal 1,1 --allow-path .",
        "plan --map map.png --start 0,0 --goal 1,1 --empty-scene",
    ] {
        place.psmp(usage).ends(2);
    }
    // A finger that follows another cannot be elsewhere.
    let fingers = r#"<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
        <joint name="one" type="revolute"><parent link="a"/><child link="b"/><limit lower="-1" upper="1"/></joint>
        <joint name="two" type="revolute"><parent link="a"/><child link="c"/><limit lower="-1" upper="1"/><mimic joint="one" multiplier="2"/></joint></robot>"#;
    place.write("fingers.urdf", fingers);
    let go = |two: f64| {
        format!(
            "group_name: r\nstart_state: {{joint_state: {{name: [one, two], position: [0.1, {two}]}}}}\n\
             goal_constraints: [{{joint_constraints: [{{joint_name: one, position: 0.5}}]}}]\n"
        )
    };
    place.write("apart.yaml", go(0.5));
    place.write("together.yaml", go(0.2));
    let line = "plan --robot fingers.urdf --scene post.toml --vertices 20 --request";
    refused(
        place.psmp(&format!("{line} apart.yaml")),
        &["`two`", "0.5", "`one`", "0.2"],
    );
    place.psmp(&format!("{line} together.yaml")).ok();
}
