//! Robots from URDF.
//!
//! Only what planning needs is read: links with their collision geometry, joints with their limits
//! and mimics. Visual geometry, inertia and transmissions are passed over. How meshes are named, and
//! which may be, is in [`crate::permissions`].

use crate::geometry::{FARTHEST, Placed, Shape, ShapeError};
use crate::mesh_file;
use crate::permissions::{LARGEST_TEXT, Permissions};
use crate::pose::{Pose, norm};
use crate::robot::{Joint, JointKind, Link, Mimic, Robot, TreeError};
use crate::xml::{XmlFile, child, children};
use psmp_files::{FileError, read_regular_text};
use roxmltree::Node;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

impl Robot {
    /// Reads a robot from a URDF file, and its meshes.
    ///
    /// # Errors
    /// If the file or one of its meshes cannot be read, or it does not describe a robot.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::read_with(path, &Permissions::default())
    }

    /// Reads a robot from a URDF file that may name the meshes that `permissions` say.
    ///
    /// # Errors
    /// As for [`Robot::read`].
    pub fn read_with(path: impl AsRef<Path>, permissions: &Permissions) -> Result<Self, FileError> {
        let path = path.as_ref();
        let text = read_regular_text(path, LARGEST_TEXT)?;
        Self::parse_with(path, &text, permissions)
    }

    /// A robot from the text of a URDF; `path` is where its meshes are relative to, and what errors
    /// name.
    ///
    /// # Errors
    /// As for [`Robot::read`].
    pub fn parse(path: impl AsRef<Path>, text: &str) -> Result<Self, FileError> {
        Self::parse_with(path.as_ref(), text, &Permissions::default())
    }

    fn parse_with(path: &Path, text: &str, permissions: &Permissions) -> Result<Self, FileError> {
        let mut reader = Reader {
            file: XmlFile { path },
            permissions,
            meshes: HashMap::new(),
        };
        reader.robot(text)
    }
}

struct Reader<'a> {
    file: XmlFile<'a>,
    permissions: &'a Permissions,
    /// Meshes already read: robots use one for several links.
    meshes: HashMap<(PathBuf, [u64; 3]), Shape>,
}

impl Reader<'_> {
    fn robot(&mut self, text: &str) -> Result<Robot, FileError> {
        let document = self.file.parse(text)?;
        let root = self.file.root(&document, "robot")?;
        if let Some(node) = root.descendants().find(is_xacro) {
            return Err(self
                .file
                .wrong(node, "is a xacro file, which is a recipe for a URDF")
                .hint("expand it first (`xacro in.xacro > out.urdf`) and give what comes out"));
        }
        let name = root.attribute("name").unwrap_or("robot").to_owned();
        let mut links: Vec<Link> = Vec::new();
        let mut places: HashMap<&str, usize> = HashMap::new();
        for node in children(root, "link") {
            let name = self.file.attribute(node, "name")?;
            if places.insert(name, links.len()).is_some() {
                return Err(self.twice(node, "link", name));
            }
            links.push(Link {
                name: name.to_owned(),
                collision: self.collision(node)?,
                joint: None,
            });
        }
        let joint_nodes: Vec<Node<'_, '_>> = children(root, "joint").collect();
        let mut joint_places: HashMap<&str, usize> = HashMap::new();
        for (place, &node) in joint_nodes.iter().enumerate() {
            let name = self.file.attribute(node, "name")?;
            if joint_places.insert(name, place).is_some() {
                return Err(self.twice(node, "joint", name));
            }
        }
        let mut joints = Vec::with_capacity(joint_nodes.len());
        for &node in &joint_nodes {
            joints.push(self.joint(node, &places, &joint_places)?);
        }
        let link_names: Vec<String> = links.iter().map(|l| l.name.clone()).collect();
        let joint_names: Vec<String> = joints.iter().map(|j| j.name.clone()).collect();
        Robot::new(name, links, joints).map_err(|e| match e {
            TreeError::Empty => self
                .file
                .wrong(root, "the robot has no links")
                .hint("give it at least one `<link>`"),
            TreeError::Roots(one, other) => self
                .file
                .wrong(root, format!("both `{one}` and `{other}` hang on no joint"))
                .hint("join all links into one tree"),
            TreeError::TwoParents { joint } => self
                .file
                .wrong(
                    joint_nodes[joint],
                    format!(
                        "the child of joint `{}` has another parent",
                        joint_names[joint]
                    ),
                )
                .hint(
                    "let every link be the child of one joint; closed chains cannot be planned for",
                ),
            TreeError::Ring { link } => self
                .file
                .wrong(
                    root,
                    format!("link `{}` hangs in a ring of joints", link_names[link]),
                )
                .hint("let the joints make a tree"),
            TreeError::MimicRing { joint } => self
                .file
                .wrong(
                    joint_nodes[joint],
                    format!("joint `{}` mimics itself", joint_names[joint]),
                )
                .hint("let it mimic a joint that moves by itself"),
        })
    }

    fn twice(&self, node: Node<'_, '_>, what: &str, name: &str) -> FileError {
        self.file
            .wrong(node, format!("{what} `{name}` is there twice"))
            .hint("give each its own name")
    }

    fn origin(&self, node: Node<'_, '_>) -> Result<Pose, FileError> {
        let Some(origin) = child(node, "origin") else {
            return Ok(Pose::IDENTITY);
        };
        let three = |name: &str| match origin.has_attribute(name) {
            true => self.file.numbers::<3>(origin, name),
            false => Ok([0.0; 3]),
        };
        let (xyz, rpy) = (three("xyz")?, three("rpy")?);
        for value in xyz.into_iter().chain(rpy) {
            self.near(origin, value)?;
        }
        Ok(Pose::from_xyz_rpy(xyz, rpy))
    }

    /// Refuses a length, an angle or a factor that is too great to compute with.
    fn near(&self, node: Node<'_, '_>, value: f64) -> Result<(), FileError> {
        match value.abs() <= FARTHEST {
            true => Ok(()),
            false => Err(self
                .file
                .wrong(
                    node,
                    format!("{value} is more than {FARTHEST}, the most that can be"),
                )
                .hint("give lengths in metres and angles in radians")),
        }
    }

    fn collision(&mut self, link: Node<'_, '_>) -> Result<Vec<Placed>, FileError> {
        children(link, "collision")
            .map(|node| {
                let geometry = self.file.child(node, "geometry")?;
                let Some(shape) = geometry.children().find(Node::is_element) else {
                    return Err(self.file.wrong(geometry, "`<geometry>` is empty").hint(
                        "put a `<box>`, `<cylinder>`, `<sphere>`, `<capsule>` or `<mesh>` in it",
                    ));
                };
                Ok(Placed {
                    shape: self.shape(shape)?,
                    pose: self.origin(node)?,
                })
            })
            .collect()
    }

    fn shape(&mut self, node: Node<'_, '_>) -> Result<Shape, FileError> {
        let number = |name: &str| self.file.number(node, name);
        let made = match node.tag_name().name() {
            "box" => Shape::cuboid(self.file.numbers(node, "size")?),
            "sphere" => Shape::sphere(number("radius")?),
            "cylinder" => Shape::cylinder(number("radius")?, number("length")?),
            "capsule" => Shape::capsule(number("radius")?, number("length")?),
            "mesh" => return self.mesh(node),
            other => {
                return Err(self
                    .file
                    .wrong(node, format!("geometry `<{other}>` is not known"))
                    .hint("use `<box>`, `<cylinder>`, `<sphere>`, `<capsule>` or `<mesh>`"));
            }
        };
        made.map_err(|e: ShapeError| {
            self.file
                .wrong(node, e.to_string())
                .hint("give positive lengths in metres")
        })
    }

    fn mesh(&mut self, node: Node<'_, '_>) -> Result<Shape, FileError> {
        let name = self.file.attribute(node, "filename")?;
        let scale = match node.has_attribute("scale") {
            true => self.file.numbers::<3>(node, "scale")?,
            false => [1.0; 3],
        };
        let found = self.permissions.find(self.file.path, name);
        let path =
            found.map_err(|refused| self.file.wrong(node, refused.problem).hint(refused.hint))?;
        let key = (path.clone(), scale.map(f64::to_bits));
        if let Some(shape) = self.meshes.get(&key) {
            return Ok(shape.clone());
        }
        let shape = Shape::Mesh(Arc::new(mesh_file::read(&path, scale)?));
        self.meshes.insert(key, shape.clone());
        Ok(shape)
    }

    fn joint(
        &self,
        node: Node<'_, '_>,
        links: &HashMap<&str, usize>,
        joints: &HashMap<&str, usize>,
    ) -> Result<Joint, FileError> {
        let name = self.file.attribute(node, "name")?;
        let kind = match self.file.attribute(node, "type")? {
            "revolute" => JointKind::Revolute,
            "continuous" => JointKind::Continuous,
            "prismatic" => JointKind::Prismatic,
            "fixed" => JointKind::Fixed,
            "planar" => JointKind::Planar,
            "floating" => JointKind::Floating,
            other => {
                return Err(self
                    .file
                    .wrong(
                        node,
                        format!("joint `{name}` is of the unknown type `{other}`"),
                    )
                    .hint("use revolute, continuous, prismatic, fixed, planar or floating"));
            }
        };
        let end = |which: &str| {
            let end = self.file.child(node, which)?;
            let link = self.file.attribute(end, "link")?;
            links.get(link).copied().ok_or_else(|| {
                self.file
                    .wrong(
                        end,
                        format!("joint `{name}` names the link `{link}`, which is not there"),
                    )
                    .hint("name a `<link>` of this file")
            })
        };
        let moves_along_axis = !matches!(kind, JointKind::Fixed | JointKind::Floating);
        let axis = match child(node, "axis") {
            Some(axis) if moves_along_axis => {
                let given: [f64; 3] = self.file.numbers(axis, "xyz")?;
                let length = norm(given);
                if length < 1e-9 {
                    return Err(self
                        .file
                        .wrong(axis, format!("the axis of joint `{name}` has no length"))
                        .hint("give a direction, such as `0 0 1`"));
                }
                given.map(|v| v / length)
            }
            _ => [1.0, 0.0, 0.0],
        };
        Ok(Joint {
            name: name.to_owned(),
            kind,
            parent: end("parent")?,
            child: end("child")?,
            origin: self.origin(node)?,
            axis,
            limits: self.limits(node, name, kind)?,
            velocity: match child(node, "limit") {
                Some(limit) => self.file.number_if_there(limit, "velocity")?,
                None => None,
            },
            mimic: self.mimic(node, name, kind, joints)?,
        })
    }

    fn limits(
        &self,
        node: Node<'_, '_>,
        name: &str,
        kind: JointKind,
    ) -> Result<Option<(f64, f64)>, FileError> {
        if !matches!(kind, JointKind::Revolute | JointKind::Prismatic) {
            return Ok(None);
        }
        let Some(limit) = child(node, "limit") else {
            return Err(self
                .file
                .wrong(node, format!("joint `{name}` has no `<limit>`"))
                .hint("a revolute or prismatic joint needs one; a joint that turns freely is `continuous`"));
        };
        // Both are zero where they are left out, as URDF has it.
        let lower = self.file.number_if_there(limit, "lower")?.unwrap_or(0.0);
        let upper = self.file.number_if_there(limit, "upper")?.unwrap_or(0.0);
        match lower <= upper {
            true => Ok(Some((lower, upper))),
            false => Err(self
                .file
                .wrong(
                    limit,
                    format!("the limits of joint `{name}` are [{lower}, {upper}]"),
                )
                .hint("let `lower` be at most `upper`")),
        }
    }

    fn mimic(
        &self,
        node: Node<'_, '_>,
        name: &str,
        kind: JointKind,
        joints: &HashMap<&str, usize>,
    ) -> Result<Option<Mimic>, FileError> {
        let Some(mimic) = child(node, "mimic") else {
            return Ok(None);
        };
        let single = [
            JointKind::Revolute,
            JointKind::Continuous,
            JointKind::Prismatic,
        ];
        if kind == JointKind::Fixed {
            return Ok(None);
        }
        let followed = self.file.attribute(mimic, "joint")?;
        let Some(&joint) = joints.get(followed) else {
            return Err(self
                .file
                .wrong(
                    mimic,
                    format!("joint `{name}` mimics `{followed}`, which is not there"),
                )
                .hint("name a `<joint>` of this file"));
        };
        let followed_kind = mimic
            .parent()
            .and_then(|j| j.parent())
            .and_then(|robot| {
                children(robot, "joint").find(|j| j.attribute("name") == Some(followed))
            })
            .and_then(|j| j.attribute("type"));
        let can_be_followed =
            matches!(followed_kind, Some("revolute" | "continuous" | "prismatic"));
        if !single.contains(&kind) || !can_be_followed {
            return Err(self
                .file
                .wrong(mimic, format!("joint `{name}` cannot mimic `{followed}`"))
                .hint("only revolute, continuous and prismatic joints can mimic and be mimicked"));
        }
        let factor = self.file.number_if_there(mimic, "multiplier")?;
        let offset = self.file.number_if_there(mimic, "offset")?;
        let (multiplier, offset) = (factor.unwrap_or(1.0), offset.unwrap_or(0.0));
        self.near(mimic, multiplier)?;
        self.near(mimic, offset)?;
        Ok(Some(Mimic {
            joint,
            multiplier,
            offset,
        }))
    }
}

/// Whether an element is one of xacro's, or has an attribute that xacro is to fill in. Only to
/// declare xacro's names, as expanded files still do, is not enough.
fn is_xacro(node: &Node<'_, '_>) -> bool {
    let theirs = node.tag_name().namespace();
    let filled_in = |value: &str| value.contains("${") || value.contains("$(");
    theirs.is_some_and(|name| name.contains("xacro"))
        || node.attributes().any(|a| filled_in(a.value()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(body: &str) -> Result<Robot, FileError> {
        Robot::parse("r.urdf", &format!("<robot name=\"r\">\n{body}\n</robot>"))
    }

    const LINKS: &str = r#"<link name="a"/><link name="b"/><link name="c"/>"#;

    #[test]
    fn all_kinds_of_joints_are_read() {
        let robot = parse(&format!(
            r#"{LINKS}<link name="d"/><link name="e"/><link name="f"/><link name="g"/>
            <joint name="j6" type="floating"><parent link="f"/><child link="g"/></joint>
            <joint name="j1" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 2 0"/><limit lower="-1" upper="1" velocity="2"/></joint>
            <joint name="j2" type="continuous"><parent link="b"/><child link="c"/></joint>
            <joint name="j3" type="prismatic"><parent link="c"/><child link="d"/><limit upper="0.5"/><mimic joint="j1" multiplier="2" offset="0.1"/></joint>
            <joint name="j4" type="fixed"><parent link="d"/><child link="e"/><mimic joint="nobody"/></joint>
            <joint name="j5" type="planar"><parent link="e"/><child link="f"/></joint>"#
        ))
        .unwrap();
        let names: Vec<&str> = robot.variables().iter().map(|v| v.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "j6/x", "j6/y", "j6/z", "j6/roll", "j6/pitch", "j6/yaw", "j1", "j2", "j5/x",
                "j5/y", "j5/theta"
            ]
        );
        let names: Vec<&str> = robot.links().iter().map(|l| l.name.as_str()).collect();
        assert_eq!(names, ["a", "b", "c", "d", "e", "f", "g"]);
        assert_eq!(robot.joints()[1].axis, [0.0, 1.0, 0.0]);
        assert_eq!(robot.joints()[1].velocity, Some(2.0));
        assert_eq!(robot.joints()[3].mimic.unwrap().joint, 1);
        assert!(robot.adjacent(0, 1) && !robot.adjacent(0, 2));
    }

    #[test]
    fn mistakes_are_named_with_line_and_remedy() {
        let joint = |inside: &str| {
            format!(
                r#"{LINKS}<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint>
<joint name="j" {inside}</joint>"#
            )
        };
        for (body, word) in [
            (String::new(), "no links"),
            (LINKS.to_owned(), "hang on no joint"),
            (format!("{LINKS}<link name=\"a\"/>"), "twice"),
            (joint(r#"type="bent"><parent link="a"/><child link="b"/>"#), "bent"),
            (joint(r#"type="fixed"><parent link="a"/><child link="z"/>"#), "`z`"),
            (joint(r#"type="fixed"><parent link="a"/><child link="c"/>"#), "another parent"),
            (joint(r#"type="revolute"><parent link="a"/><child link="b"/>"#), "no `<limit>`"),
            (joint(r#"type="revolute"><parent link="a"/><child link="b"/><limit lower="1" upper="0"/>"#), "[1, 0]"),
            (joint(r#"type="revolute"><parent link="a"/><child link="b"/><limit lower="nan" upper="0"/>"#), "nan"),
            (joint(r#"type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 0"/>"#), "no length"),
            (joint(r#"type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0"/>"#), "3 finite numbers"),
            (joint(r#"type="continuous"><parent link="a"/><child link="b"/><mimic joint="m"/>"#), "mimics `m`"),
            (joint(r#"type="continuous"><parent link="a"/><child link="b"/><mimic joint="j"/>"#), "itself"),
            (joint(r#"type="continuous"><parent link="a"/><child link="b"/><mimic joint="k"/>"#), "cannot mimic"),
            (joint(r#"type="continuous"><parent link="a"/><child link="b"/><origin xyz="0 1e20 0"/>"#), "10000"),
            (r#"<link name="a"><collision><geometry><sphere radius="1e20"/></geometry></collision></link>"#.to_owned(), "10000"),
            (joint(r#"><parent link="a"/><child link="b"/>"#), "no attribute `type`"),
            (r#"<link name="a"><collision><geometry><torus/></geometry></collision></link>"#.to_owned(), "torus"),
            (r#"<link name="a"><collision><geometry><box size="1 0 1"/></geometry></collision></link>"#.to_owned(), "positive"),
            (r#"<link name="a"><collision><geometry><mesh filename="package://p/m.stl"/></geometry></collision></link>"#.to_owned(), "package://p/m.stl"),
            (r#"<link name="a"><collision/></link>"#.to_owned(), "no `<geometry>`"),
            ("<link name=\"a\">".to_owned(), "XML"),
        ] {
            let error = parse(&body).expect_err(&body);
            let text = error.to_string();
            assert!(text.contains(word), "{text} should mention {word}");
            assert!(text.contains("line "), "{text}");
            assert!(error.remedy().is_some(), "{text}");
        }
        assert!(Robot::parse("r.urdf", "<sdf/>").is_err());
        assert!(Robot::read("/no/such.urdf").is_err());
    }

    #[test]
    fn a_xacro_file_is_told_from_a_urdf() {
        let names = r#"<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">"#;
        let parse = |body: &str| Robot::parse("r.urdf", &format!("{names}{body}</robot>"));
        assert!(parse(r#"<link name="a"/>"#).is_ok(), "expanded");
        for body in [
            r#"<xacro:arm prefix="left"/><link name="a"/>"#,
            r#"<link name="${prefix}a"/>"#,
            r#"<link name="a"><collision><geometry><mesh filename="$(find p)/m.stl"/></geometry></collision></link>"#,
        ] {
            let error = parse(body).expect_err(body);
            assert!(error.to_string().contains("xacro"), "{error}");
            assert!(error.remedy().unwrap().contains("expand"), "{error}");
        }
    }

    #[test]
    fn meshes_are_found_and_their_names_reach_only_so_far() {
        let root = tempfile::tempdir().unwrap();
        let at = |path: &str| root.path().join(path);
        let obj = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
        for folder in ["arm/urdf", "arm/meshes", "other"] {
            std::fs::create_dir_all(at(folder)).unwrap();
        }
        for file in ["arm/urdf/beside.obj", "arm/meshes/m.obj", "other/o.obj"] {
            std::fs::write(at(file), obj).unwrap();
        }
        std::fs::write(at("arm/package.xml"), "").unwrap();
        let read = |name: &str, permissions: &Permissions| {
            let text = format!(
                "<robot name=\"r\"><link name=\"a\"><collision><geometry><mesh filename=\"{name}\" scale=\"1 1 -2\"/></geometry></collision></link></robot>"
            );
            let path = at("arm/urdf/r.urdf");
            std::fs::write(&path, text).unwrap();
            Robot::read_with(path, permissions)
        };
        let none = Permissions::default();
        for good in [
            "beside.obj",
            "../meshes/m.obj",
            "package://arm/meshes/m.obj",
        ] {
            assert!(read(good, &none).is_ok(), "{good}");
        }
        let file = format!("file://{}", at("other/o.obj").display());
        let all = Permissions::default().allow_path(at("other")).unwrap();
        for outside in ["../../other/o.obj", "package://other/o.obj", &file] {
            let error = read(outside, &none).expect_err(outside);
            let text = error.to_string();
            assert!(text.contains(outside) && text.contains("line "), "{text}");
            assert!(error.remedy().is_some());
        }
        assert!(read(&file, &all).is_ok() && read("../../other/o.obj", &all).is_ok());
    }

    #[cfg(unix)]
    #[test]
    fn meshes_that_are_no_files_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("r.urdf");
        let pipe = folder.path().join("pipe.stl");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let devices = Permissions::default().allow_path("/dev").unwrap();
        for name in ["pipe.stl", "file:///dev/zero"] {
            let text = format!(
                "<robot name=\"r\"><link name=\"a\"><collision><geometry><mesh filename=\"{name}\"/></geometry></collision></link></robot>"
            );
            std::fs::write(&path, text).unwrap();
            let error = Robot::read_with(&path, &devices).unwrap_err();
            assert!(error.to_string().contains("not a regular file"), "{error}");
        }
    }
}
