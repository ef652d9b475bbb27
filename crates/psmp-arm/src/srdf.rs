//! What a robot's parts mean: SRDF.
//!
//! A group is a set of joints that are planned for together; a chain, links, joints and other
//! groups make one. A disabled pair of links is not checked for collision. A named state gives
//! positions to some joints. What is read can be written again; where there is no file, `pairs.rs`
//! finds the pairs by sampling.

use crate::permissions::LARGEST_TEXT;
use crate::robot::Robot;
use crate::xml::{XmlFile, children, escaped};
use psmp_files::{FileError, read_regular_text};
use roxmltree::Node;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fmt;
use std::path::Path;

/// A group of joints and links.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Its name.
    pub name: String,
    /// Its joints, in the robot's order.
    pub joints: Vec<usize>,
    /// Its links, in the robot's order.
    pub links: Vec<usize>,
}

/// Named positions of a group's joints.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct NamedState {
    /// Its name.
    pub name: String,
    /// The group that it is for.
    pub group: String,
    /// Joints' names and their positions.
    pub positions: Vec<(String, f64)>,
}

/// Why a pair of links is not checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// They are next to each other.
    Adjacent,
    /// They touch where all joints are at rest.
    Default,
    /// They touch in nearly every configuration.
    Always,
    /// They touch in no configuration.
    Never,
    /// Someone said so.
    User,
}

impl Reason {
    /// All there are.
    pub const ALL: [Self; 5] = [
        Self::Adjacent,
        Self::Default,
        Self::Always,
        Self::Never,
        Self::User,
    ];

    /// What it means, in a few words.
    #[must_use]
    pub fn summary(self) -> &'static str {
        match self {
            Self::Adjacent => "next to each other",
            Self::Default => "touching at rest",
            Self::Always => "touching always",
            Self::Never => "touching never",
            Self::User => "by choice",
        }
    }
}

/// As MoveIt writes it.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Adjacent => "Adjacent",
            Self::Default => "Default",
            Self::Always => "Always",
            Self::Never => "Never",
            Self::User => "User",
        })
    }
}

/// What an SRDF file says about a robot.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Semantics {
    /// The groups.
    pub groups: Vec<Group>,
    /// Pairs of links that are not checked, the lesser first, and why.
    pub disabled: BTreeMap<(usize, usize), Reason>,
    /// The named states.
    pub states: Vec<NamedState>,
}

impl Semantics {
    /// Reads what an SRDF file says about `robot`.
    ///
    /// # Errors
    /// If the file cannot be read, is malformed, or names links or joints that the robot has not.
    pub fn read(path: impl AsRef<Path>, robot: &Robot) -> Result<Self, FileError> {
        let path = path.as_ref();
        let text = read_regular_text(path, LARGEST_TEXT)?;
        Self::parse(path, &text, robot)
    }

    /// What the text of an SRDF says about `robot`; errors name `path`.
    ///
    /// # Errors
    /// As for [`Semantics::read`].
    pub fn parse(path: impl AsRef<Path>, text: &str, robot: &Robot) -> Result<Self, FileError> {
        let path = path.as_ref();
        Reader {
            file: XmlFile { path },
            robot,
        }
        .semantics(text)
    }

    /// The text of an SRDF file that says this about `robot`, from which it was read or made. A group
    /// that is a chain is written as one; of any other its joints are.
    ///
    /// # Panics
    /// If the robot is another.
    #[must_use]
    pub fn to_srdf(&self, robot: &Robot) -> String {
        let link = |link: usize| escaped(&robot.links()[link].name);
        let mut text = format!(
            "<?xml version=\"1.0\"?>\n<robot name=\"{}\">\n",
            escaped(robot.name())
        );
        for group in &self.groups {
            text += &format!("  <group name=\"{}\">\n", escaped(&group.name));
            match group.chain(robot) {
                Some((base, tip)) => {
                    text += &format!(
                        "    <chain base_link=\"{}\" tip_link=\"{}\"/>\n",
                        link(base),
                        link(tip)
                    );
                }
                None => {
                    for &joint in &group.joints {
                        let name = escaped(&robot.joints()[joint].name);
                        text += &format!("    <joint name=\"{name}\"/>\n");
                    }
                }
            }
            text += "  </group>\n";
        }
        for state in &self.states {
            let (name, group) = (escaped(&state.name), escaped(&state.group));
            text += &format!("  <group_state name=\"{name}\" group=\"{group}\">\n");
            for (joint, value) in &state.positions {
                let joint = escaped(joint);
                text += &format!("    <joint name=\"{joint}\" value=\"{value}\"/>\n");
            }
            text += "  </group_state>\n";
        }
        for (&(one, other), reason) in &self.disabled {
            text += &format!(
                "  <disable_collisions link1=\"{}\" link2=\"{}\" reason=\"{reason}\"/>\n",
                link(one),
                link(other)
            );
        }
        text + "</robot>\n"
    }

    /// The group of this name.
    #[must_use]
    pub fn group(&self, name: &str) -> Option<&Group> {
        self.groups.iter().find(|g| g.name == name)
    }

    /// The group that is meant where none is named: the only one that has a joint that moves, or the
    /// first if all that have move the same ones.
    #[must_use]
    pub fn obvious_group(&self, robot: &Robot) -> Option<&Group> {
        let moved = |group: &Group| -> Vec<usize> {
            let variables = 0..robot.variables().len();
            let planned = |&v: &usize| group.joints.contains(&robot.variables()[v].joint);
            variables.filter(planned).collect()
        };
        let moving = self.groups.iter().map(|g| (g, moved(g)));
        let mut moving = moving.filter(|(_, moved)| !moved.is_empty());
        let (first, joints) = moving.next()?;
        moving.all(|(_, others)| others == joints).then_some(first)
    }

    /// The state of this name for this group.
    #[must_use]
    pub fn state(&self, group: &str, name: &str) -> Option<&NamedState> {
        self.states
            .iter()
            .find(|s| s.group == group && s.name == name)
    }
}

impl Group {
    /// The links at the beginning and at the end, if it is just the chain between them.
    pub(crate) fn chain(&self, robot: &Robot) -> Option<(usize, usize)> {
        let (base, tip) = (*self.links.first()?, *self.links.last()?);
        let (mut joints, mut links) = (BTreeSet::new(), BTreeSet::from([tip]));
        let mut link = tip;
        while link != base {
            let joint = robot.links()[link].joint?;
            joints.insert(joint);
            link = robot.joints()[joint].parent;
            links.insert(link);
        }
        let same = joints.iter().eq(&self.joints) && links.iter().eq(&self.links);
        same.then_some((base, tip))
    }
}

struct Reader<'a> {
    file: XmlFile<'a>,
    robot: &'a Robot,
}

impl Reader<'_> {
    fn semantics(&self, text: &str) -> Result<Semantics, FileError> {
        let document = self.file.parse(text)?;
        let root = self.file.root(&document, "robot")?;
        let mut nodes: HashMap<&str, Node<'_, '_>> = HashMap::new();
        let mut names = Vec::new();
        for node in children(root, "group") {
            let name = self.file.attribute(node, "name")?;
            if nodes.insert(name, node).is_some() {
                return Err(self
                    .file
                    .wrong(node, format!("group `{name}` is there twice"))
                    .hint("give each its own name"));
            }
            names.push(name);
        }
        let mut semantics = Semantics::default();
        for name in names {
            let (mut joints, mut links) = (BTreeSet::new(), BTreeSet::new());
            self.gather(
                nodes[name],
                &nodes,
                &mut vec![name],
                &mut joints,
                &mut links,
            )?;
            semantics.groups.push(Group {
                name: name.to_owned(),
                joints: joints.into_iter().collect(),
                links: links.into_iter().collect(),
            });
        }
        // A link may be set apart from all others first, and pairs be checked or not after that.
        for node in children(root, "disable_default_collisions") {
            let one = self.link(node, "link")?;
            let others = (0..self.robot.links().len()).filter(|&other| other != one);
            let pairs = others.map(|other| ((one.min(other), one.max(other)), Reason::User));
            semantics.disabled.extend(pairs);
        }
        for node in children(root, "enable_collisions") {
            semantics.disabled.remove(&self.pair(node)?);
        }
        for node in children(root, "disable_collisions") {
            let said = node.attribute("reason").unwrap_or_default();
            let mut reasons = Reason::ALL.into_iter();
            let reason = reasons.find(|reason| reason.to_string() == said);
            let reason = reason.unwrap_or(Reason::User);
            semantics.disabled.insert(self.pair(node)?, reason);
        }
        for node in children(root, "group_state") {
            let group = self.file.attribute(node, "group")?;
            if !nodes.contains_key(group) {
                return Err(self.no_group(node, group));
            }
            let positions = children(node, "joint").map(|joint| {
                let name = self.file.attribute(joint, "name")?;
                self.joint(joint, "name")?;
                Ok((name.to_owned(), self.file.number(joint, "value")?))
            });
            semantics.states.push(NamedState {
                name: self.file.attribute(node, "name")?.to_owned(),
                group: group.to_owned(),
                positions: positions.collect::<Result<_, FileError>>()?,
            });
        }
        Ok(semantics)
    }

    fn gather<'a>(
        &self,
        group: Node<'a, 'a>,
        all: &HashMap<&'a str, Node<'a, 'a>>,
        within: &mut Vec<&'a str>,
        joints: &mut BTreeSet<usize>,
        links: &mut BTreeSet<usize>,
    ) -> Result<(), FileError> {
        for node in group.children().filter(Node::is_element) {
            match node.tag_name().name() {
                "joint" | "passive_joint" => {
                    let joint = self.joint(node, "name")?;
                    joints.insert(joint);
                    links.insert(self.robot.joints()[joint].child);
                }
                "link" => {
                    let link = self.link(node, "name")?;
                    links.insert(link);
                    joints.extend(self.robot.links()[link].joint);
                }
                "chain" => self.chain(node, joints, links)?,
                "group" => {
                    let name = self.file.attribute(node, "name")?;
                    let Some(&inner) = all.get(name) else {
                        return Err(self.no_group(node, name));
                    };
                    if within.contains(&name) {
                        return Err(self
                            .file
                            .wrong(node, format!("group `{name}` contains itself"))
                            .hint("take the inner `<group>` out"));
                    }
                    within.push(name);
                    self.gather(inner, all, within, joints, links)?;
                    within.pop();
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn chain(
        &self,
        node: Node<'_, '_>,
        joints: &mut BTreeSet<usize>,
        links: &mut BTreeSet<usize>,
    ) -> Result<(), FileError> {
        let base = self.link(node, "base_link")?;
        let mut link = self.link(node, "tip_link")?;
        links.insert(link);
        while link != base {
            let Some(joint) = self.robot.links()[link].joint else {
                let base = &self.robot.links()[base].name;
                return Err(self
                    .file
                    .wrong(
                        node,
                        format!("the chain's tip does not hang on its base `{base}`"),
                    )
                    .hint("name a base link that the tip hangs on"));
            };
            joints.insert(joint);
            link = self.robot.joints()[joint].parent;
            links.insert(link);
        }
        Ok(())
    }

    /// The links that an element names, the lesser first.
    fn pair(&self, node: Node<'_, '_>) -> Result<(usize, usize), FileError> {
        let one = self.link(node, "link1")?;
        let other = self.link(node, "link2")?;
        Ok((one.min(other), one.max(other)))
    }

    fn link(&self, node: Node<'_, '_>, attribute: &str) -> Result<usize, FileError> {
        let name = self.file.attribute(node, attribute)?;
        let found = self.robot.link(name);
        found.ok_or_else(|| self.missing(node, "link", name))
    }

    fn joint(&self, node: Node<'_, '_>, attribute: &str) -> Result<usize, FileError> {
        let name = self.file.attribute(node, attribute)?;
        let found = self.robot.joint(name);
        found.ok_or_else(|| self.missing(node, "joint", name))
    }

    fn missing(&self, node: Node<'_, '_>, kind: &str, name: &str) -> FileError {
        let robot = self.robot.name();
        self.file
            .wrong(node, format!("robot `{robot}` has no {kind} `{name}`"))
            .hint(format!(
                "give the SRDF that belongs to the URDF of `{robot}`, or make one: `psmp srdf`{}",
                match node.document().root_element().attribute("name") {
                    Some(other) if other != robot => format!("; this one is for robot `{other}`"),
                    _ => String::new(),
                }
            ))
    }

    fn no_group(&self, node: Node<'_, '_>, name: &str) -> FileError {
        self.file
            .wrong(node, format!("there is no group `{name}`"))
            .hint("name a `<group>` of this file")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn robot() -> Robot {
        Robot::parse(
            "r.urdf",
            r#"<robot name="r"><link name="a"/><link name="b"/><link name="c"/>
            <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>
            <joint name="k" type="continuous"><parent link="b"/><child link="c"/></joint></robot>"#,
        )
        .unwrap()
    }

    #[test]
    fn groups_pairs_and_states_are_read() {
        let text = r#"<robot name="r"><group name="all"><group name="arm"/><link name="c"/></group>
            <group name="arm"><chain base_link="a" tip_link="b"/></group>
            <disable_collisions link1="b" link2="a" reason="Adjacent"/>
            <group_state name="home" group="arm"><joint name="j" value="0.5"/></group_state>
            <virtual_joint name="v" type="fixed" parent_frame="world" child_link="a"/></robot>"#;
        let semantics = Semantics::parse("r.srdf", text, &robot()).unwrap();
        assert_eq!(semantics.group("arm").unwrap().joints, [0]);
        assert_eq!(semantics.group("arm").unwrap().links, [0, 1]);
        assert_eq!(semantics.group("all").unwrap().joints, [0, 1]);
        assert_eq!(semantics.disabled.get(&(0, 1)), Some(&Reason::Adjacent));
        let home = semantics.state("arm", "home").unwrap();
        assert_eq!(home.positions, [("j".to_owned(), 0.5)]);
    }

    #[test]
    fn links_can_be_set_apart_from_all_but_some() {
        let text = r#"<robot name="r"><disable_default_collisions link="c"/>
            <enable_collisions link1="a" link2="c"/></robot>"#;
        let semantics = Semantics::parse("r.srdf", text, &robot()).unwrap();
        assert_eq!(semantics.disabled, BTreeMap::from([((1, 2), Reason::User)]));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let text = r#"<robot name="r"><group name="arm"><chain base_link="a" tip_link="c"/></group>
            <group name="&lt;one&gt; &amp; &quot;only&quot;"><joint name="k"/></group>
            <group_state name="home" group="arm"><joint name="j" value="0.1"/><joint name="k" value="-2e-7"/></group_state>
            <disable_collisions link1="a" link2="b" reason="Adjacent"/>
            <disable_collisions link1="a" link2="c" reason="because"/></robot>"#;
        let robot = robot();
        let semantics = Semantics::parse("r.srdf", text, &robot).unwrap();
        let written = semantics.to_srdf(&robot);
        assert!(written.contains(r#"<chain base_link="a" tip_link="c"/>"#));
        assert!(
            written.contains(r#"link1="a" link2="c" reason="User""#),
            "{written}"
        );
        assert_eq!(
            Semantics::parse("r.srdf", &written, &robot).unwrap(),
            semantics
        );
    }

    #[test]
    fn the_file_of_another_robot_is_called_that() {
        let text = r#"<robot name="other"><disable_collisions link1="a" link2="z"/></robot>"#;
        let error = Semantics::parse("r.srdf", text, &robot()).unwrap_err();
        assert!(error.to_string().contains("`r` has no link `z`"), "{error}");
        let remedy = error.remedy().unwrap();
        assert!(
            remedy.contains("robot `other`") && remedy.contains("psmp srdf"),
            "{remedy}"
        );
    }

    #[test]
    fn mistakes_are_named() {
        for (body, word) in [
            (r#"<group name="g"><link name="z"/></group>"#, "no link `z`"),
            (
                r#"<group name="g"><joint name="z"/></group>"#,
                "no joint `z`",
            ),
            (
                r#"<group name="g"><group name="h"/></group>"#,
                "no group `h`",
            ),
            (
                r#"<group name="g"><group name="g"/></group>"#,
                "contains itself",
            ),
            (
                r#"<group name="g"><chain base_link="c" tip_link="a"/></group>"#,
                "does not hang",
            ),
            (r#"<group name="g"/><group name="g"/>"#, "twice"),
            (r#"<group_state name="s" group="g"/>"#, "no group `g`"),
            (r#"<disable_collisions link1="a"/>"#, "link2"),
        ] {
            let text = format!("<robot name=\"r\">{body}</robot>");
            let error = Semantics::parse("r.srdf", &text, &robot()).expect_err(body);
            assert!(error.to_string().contains(word), "{error}");
            assert!(error.remedy().is_some());
        }
    }
}
