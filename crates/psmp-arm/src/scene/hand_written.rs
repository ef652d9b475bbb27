//! Scenes written by hand, in TOML.
//!
//! ```toml
//! [[object]]
//! name = "table"
//! box = [1.2, 2.0, 0.04]              # whole sides in metres
//! position = [0.6, 0.9, 0.26]         # of its middle, from the robot's root
//! rpy = [0, 0, 0.5]                   # or quaternion = [x, y, z, w]
//!
//! [[object]]
//! name = "can"
//! cylinder = { radius = 0.03, height = 0.12 }   # also capsule, cone; sphere = 0.1
//! position = [0.5, 0.7, 0.36]
//!
//! [[object]]
//! name = "floor"
//! half_space = true                   # everything below the object's x-y plane
//!
//! [[object]]
//! name = "part"
//! mesh = "part.stl"                   # beside this file or below; scale = [1, 1, 1]
//!
//! [[object]]
//! name = "seen"
//! points = { file = "cloud.pcd", radius = 0.01 }   # PCD or PLY
//!
//! [[object]]
//! name = "ground"
//! heightfield = { size = [2, 2], heights = [[0, 0.1], [0, 0.2]] }   # rows along y, from below
//!
//! [[object]]
//! name = "cup"
//! cylinder = { radius = 0.03, height = 0.1 }
//! attach = "panda_hand"               # moves with this link; position is in its frame
//! touch = ["panda_leftfinger"]        # and may touch these
//!
//! [[allow]]
//! pair = ["table", "panda_link0"]     # these may touch
//! ```

use super::{Attached, Object, Scene, finite_pose, near, point_file};
use crate::geometry::{Heightfield, Placed, Shape, ShapeError};
use crate::mesh_file;
use crate::permissions::Permissions;
use crate::pose::Pose;
use psmp_files::{FileError, Place};
use serde::Deserialize;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use toml_parser::lexer::TokenKind;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SceneFile {
    robot: Option<String>,
    #[serde(default)]
    object: Vec<ObjectFile>,
    #[serde(default)]
    allow: Vec<AllowFile>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AllowFile {
    pair: [String; 2],
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ObjectFile {
    name: String,
    #[serde(rename = "box")]
    cuboid: Option<[f64; 3]>,
    sphere: Option<f64>,
    cylinder: Option<RoundFile>,
    capsule: Option<RoundFile>,
    cone: Option<RoundFile>,
    half_space: Option<bool>,
    mesh: Option<String>,
    scale: Option<[f64; 3]>,
    points: Option<PointsFile>,
    heightfield: Option<HeightfieldFile>,
    #[serde(default)]
    position: [f64; 3],
    rpy: Option<[f64; 3]>,
    quaternion: Option<[f64; 4]>,
    attach: Option<String>,
    #[serde(default)]
    touch: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RoundFile {
    radius: f64,
    height: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PointsFile {
    file: String,
    radius: f64,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct HeightfieldFile {
    size: [f64; 2],
    heights: Vec<Vec<f64>>,
}

/// How long a scene by hand may be. The parser holds several dozen times the text.
const LONGEST: usize = 1 << 20;

/// How deep brackets may be within brackets.
const DEEPEST: usize = 32;

/// Refuses what the parser could not cope with. It limits depth by itself, but loses count where
/// brackets do not match.
fn believable(path: &Path, text: &str) -> Result<(), FileError> {
    if text.len() > LONGEST {
        let problem = format!(
            "is longer than {} KiB, too long for a scene by hand",
            LONGEST >> 10
        );
        return Err(FileError::new(path, problem)
            .hint("put meshes and point clouds into files of their own"));
    }
    let mut open = Vec::new();
    for token in toml_parser::Source::new(text).lex() {
        // One that closes nothing is passed over by the parser, too.
        match (token.kind(), open.last()) {
            (left @ (TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket), _) => {
                open.push(left);
            }
            (TokenKind::RightSquareBracket, Some(TokenKind::LeftSquareBracket))
            | (TokenKind::RightCurlyBracket, Some(TokenKind::LeftCurlyBracket)) => {
                open.pop();
            }
            _ => {}
        }
        if open.len() > DEEPEST {
            let before = &text.as_bytes()[..token.span().start()];
            let line = before.iter().filter(|&&b| b == b'\n').count() + 1;
            return Err(FileError::new(
                path,
                "expected a scene in TOML: brackets are nested too deep",
            )
            .at(Place::Line(line))
            .hint("close every bracket that is opened"));
        }
    }
    Ok(())
}

pub(super) fn parse(
    path: &Path,
    text: &str,
    permissions: &Permissions,
) -> Result<Scene, FileError> {
    believable(path, text)?;
    let file: SceneFile = toml::from_str(text).map_err(|e| {
        let error = FileError::new(path, format!("expected a scene in TOML: {}", e.message()))
            .hint("see the documentation of scenes for the fields that there are");
        match e.span() {
            Some(span) => {
                let before = &text.as_bytes()[..span.start.min(text.len())];
                error.at(Place::Line(
                    before.iter().filter(|&&b| b == b'\n').count() + 1,
                ))
            }
            None => error,
        }
    })?;
    let mut scene = Scene {
        robot: file.robot,
        ..Scene::default()
    };
    let mut names = HashSet::new();
    for object in file.object {
        let wrong =
            |problem: String| FileError::new(path, problem).at(Place::Field(object.name.clone()));
        if !names.insert(object.name.clone()) {
            return Err(
                wrong("two objects have this name".to_owned()).hint("give each its own name")
            );
        }
        let find = |name: &str| {
            let found = permissions.find(path, name);
            found.map_err(|refused| wrong(refused.problem).hint(refused.hint))
        };
        let pose = pose(&object, &wrong)?;
        let shape = shape(&object, find, &wrong)?;
        let made = Object {
            name: object.name.clone(),
            shapes: shape
                .map(|shape| Placed { shape, pose })
                .into_iter()
                .collect(),
        };
        match object.attach {
            Some(link) => scene.attached.push(Attached {
                object: made,
                link,
                touch: object.touch,
            }),
            None => scene.objects.push(made),
        }
    }
    for AllowFile { pair: [one, other] } in &file.allow {
        scene.allowed.set(one, other, true);
    }
    Ok(scene)
}

/// The shape of an object; none if it is a point cloud without points.
fn shape(
    object: &ObjectFile,
    find: impl Fn(&str) -> Result<PathBuf, FileError>,
    wrong: &impl Fn(String) -> FileError,
) -> Result<Option<Shape>, FileError> {
    let bad = |e: ShapeError| wrong(e.to_string()).hint("give positive finite lengths in metres");
    let mut made: Vec<Result<Option<Shape>, FileError>> = Vec::new();
    let mut give = |shape: Option<Result<Shape, ShapeError>>| {
        made.extend(shape.map(|shape| shape.map(Some).map_err(bad)));
    };
    let round = |make: fn(f64, f64) -> Result<Shape, ShapeError>, r: &Option<RoundFile>| {
        r.as_ref().map(|r| make(r.radius, r.height))
    };
    give(object.cuboid.map(Shape::cuboid));
    give(object.sphere.map(Shape::sphere));
    give(round(Shape::cylinder, &object.cylinder));
    give(round(Shape::capsule, &object.capsule));
    give(round(Shape::cone, &object.cone));
    give((object.half_space == Some(true)).then_some(Ok(Shape::HalfSpace)));
    made.extend(object.mesh.iter().map(|name| {
        let mesh = mesh_file::read(&find(name)?, object.scale.unwrap_or([1.0; 3]))?;
        Ok(Some(Shape::Mesh(mesh.into())))
    }));
    made.extend(object.points.iter().map(|points| {
        let cloud = point_file::read(&find(&points.file)?, points.radius)?;
        Ok(cloud.map(|cloud| Shape::Points(cloud.into())))
    }));
    made.extend(object.heightfield.iter().map(|field| {
        let columns = field.heights.first().map_or(0, Vec::len);
        if field.heights.iter().any(|row| row.len() != columns) {
            return Err(
                wrong("the rows of the heightfield differ in length".to_owned())
                    .hint("give as many heights in every row"),
            );
        }
        let made = Heightfield::new(columns, field.size, field.heights.concat());
        Ok(Some(Shape::Heightfield(made.map_err(bad)?.into())))
    }));
    if made.len() != 1 {
        let count = made.len();
        return Err(wrong(format!("has {count} shapes, expected one")).hint(
            "give one of box, sphere, cylinder, capsule, cone, half_space, mesh, points, heightfield",
        ));
    }
    made.swap_remove(0)
}

fn pose(object: &ObjectFile, wrong: &impl Fn(String) -> FileError) -> Result<Pose, FileError> {
    match (object.rpy, object.quaternion) {
        (Some(_), Some(_)) => {
            Err(wrong("has both `rpy` and `quaternion`".to_owned()).hint("give one of them"))
        }
        (Some(rpy), None) => {
            if !object.position.iter().chain(&rpy).all(|v| v.is_finite()) {
                return Err(wrong("its pose is not finite".to_owned()).hint("give finite numbers"));
            }
            near(Pose::from_xyz_rpy(object.position, rpy), wrong)
        }
        (None, quaternion) => {
            let quaternion = quaternion.unwrap_or([0.0, 0.0, 0.0, 1.0]);
            finite_pose(object.position, quaternion, wrong)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_documented_example_is_read() {
        let folder = tempfile::tempdir().unwrap();
        let text: String = include_str!("hand_written.rs")
            .lines()
            .skip_while(|l| !l.contains("```toml"))
            .skip(1)
            .take_while(|l| !l.contains("```"))
            .map(|l| l.trim_start_matches("//!").trim_start().to_owned() + "\n")
            .collect();
        let stl = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n";
        std::fs::write(folder.path().join("part.stl"), stl).unwrap();
        let pcd = "VERSION 0.7\nFIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\n1 2 3\n";
        std::fs::write(folder.path().join("cloud.pcd"), pcd).unwrap();
        let path = folder.path().join("scene.toml");
        std::fs::write(&path, &text).unwrap();
        let scene = Scene::read(&path).unwrap();
        assert_eq!((scene.objects.len(), scene.attached.len()), (6, 1));
        assert_eq!(
            scene.objects[0].shapes[0].shape,
            Shape::Box([0.6, 1.0, 0.02])
        );
        assert_eq!(scene.attached[0].touch, ["panda_leftfinger"]);
        let allowed = scene.allowed;
        assert_eq!(allowed.allows("panda_link0", "table"), Some(true));
        assert_eq!(allowed.allows("panda_link1", "table"), None);
    }

    #[test]
    fn a_cloud_of_nothing_is_an_empty_object() {
        let folder = tempfile::tempdir().unwrap();
        let pcd = "FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\nCOUNT 1 1 1\nWIDTH 1\nHEIGHT 1\nPOINTS 1\nDATA ascii\nnan nan nan\n";
        std::fs::write(folder.path().join("cloud.pcd"), pcd).unwrap();
        let path = folder.path().join("scene.toml");
        let object =
            "[[object]]\nname = \"seen\"\npoints = { file = \"cloud.pcd\", radius = 0.01 }\n";
        let held = object.replace("seen", "held") + "attach = \"link3\"\n";
        std::fs::write(&path, format!("{object}{held}")).unwrap();
        let scene = Scene::read(&path).unwrap();
        assert_eq!(scene.unseen().collect::<Vec<_>>(), ["seen", "held"]);
        // Nothing is in the way of any checker.
        let (robot, semantics) = crate::models::planar(3);
        let arm = crate::Arm::new(robot, &semantics, "arm").unwrap();
        let q = [0.3; 3];
        let cover = crate::SphereModel::cover(arm.robot(), 12);
        let mut spheres = crate::SphereWorld::new(&arm, &cover, &scene).unwrap();
        let mut exact = crate::ExactWorld::new(&arm, &scene).unwrap();
        use psmp::checker::World;
        assert_eq!(
            (spheres.is_free(&q), exact.is_free(&q)),
            (Ok(true), Ok(true))
        );
        assert!(scene.write(folder.path().join("out.yaml")).is_err());
    }

    #[test]
    fn mistakes_are_named() {
        for (text, word) in [
            ("[[object]]\nname = \"a\"", "0 shapes"),
            (
                "[[object]]\nname = \"a\"\nsphere = 1\nbox = [1, 1, 1]",
                "2 shapes",
            ),
            ("[[object]]\nname = \"a\"\nsphere = -1", "-1"),
            (
                "[[object]]\nname = \"a\"\nsphere = 1\nposition = [nan, 0, 0]",
                "not finite",
            ),
            (
                "[[object]]\nname = \"a\"\nsphere = 1\nrpy = [inf, 0, 0]",
                "not finite",
            ),
            (
                "[[object]]\nname = \"a\"\nsphere = 1\nquaternion = [1, 1, 1, 1]",
                "quaternion",
            ),
            ("[[object]]\nname = \"a\"\nsphere = 1\nradius = 1", "line 4"),
            (
                "[[object]]\nname = \"a\"\nsphere = 1\n[[object]]\nname = \"a\"\nsphere = 1",
                "two objects",
            ),
            ("[[object]]\nname = \"a\"\nmesh = \"none.stl\"", "none.stl"),
            (
                "[[object]]\nname = \"a\"\nheightfield = { size = [1, 1], heights = [[0, 0], [0]] }",
                "differ in length",
            ),
            (
                "[[object]]\nname = \"a\"\nsphere = 1\nposition = [1e20, 0, 0]",
                "10000 m",
            ),
            (
                "[[object]]\nname = \"a\"\nsphere = 1\nposition = [0, 1e20, 0]\nrpy = [0, 0, 0]",
                "10000 m",
            ),
            ("[[object]]\nname = \"a\"\nbox = [1, inf, 1]", "inf"),
            (
                "[[object]]\nname = \"a\"\nmesh = \"/etc/passwd\"",
                "outside",
            ),
            (
                "[[object]]\nname = \"a\"\npoints = { file = \"/dev/zero\", radius = 0.1 }",
                "outside",
            ),
            ("[[object]\n", "TOML"),
        ] {
            let nothing = Permissions::default();
            let error = parse(Path::new("s.toml"), text, &nothing).expect_err(text);
            assert!(
                error.to_string().contains(word),
                "{error} should mention {word}"
            );
            assert!(error.remedy().is_some(), "{error}");
        }
    }

    #[test]
    fn brackets_without_end_are_refused() {
        // The parser's own limit loses count where brackets do not match.
        let mismatched = "points = { file = \"cloud 1, 1]\n[[object]]\n".repeat(5000);
        for text in [
            mismatched,
            format!("a = {}", "[".repeat(100_000)),
            format!("a = {}", "[ { ] }".repeat(10_000)),
            "#".repeat(LONGEST + 1),
        ] {
            let error = believable(Path::new("s.toml"), &text).unwrap_err();
            assert!(error.remedy().is_some());
        }
        believable(Path::new("s.toml"), "a = [[1, 2], [3]] # [[[\n[[b]]\n").unwrap();
    }
}
