//! URDF files whose collision geometry is spheres, for this planner and for others.

use crate::permissions::LARGEST_TEXT;
use crate::robot::Robot;
use crate::sphere_cover::SphereModel;
use crate::xml::{XmlFile, children};
use psmp_files::{FileError, read_regular_text};
use std::fmt::Write;
use std::path::Path;

impl SphereModel {
    /// The text of the URDF file at `path`, which describes `robot`, with the spheres of this cover
    /// in place of the links' collision geometry. All else stays as it is.
    ///
    /// # Errors
    /// If the file cannot be read, or has a link that the robot has not.
    ///
    /// # Panics
    /// If this is the cover of another robot.
    pub fn spherised_urdf(
        &self,
        robot: &Robot,
        path: impl AsRef<Path>,
    ) -> Result<String, FileError> {
        let path = path.as_ref();
        let text = read_regular_text(path, LARGEST_TEXT)?;
        let file = XmlFile { path };
        let document = file.parse(&text)?;
        let root = file.root(&document, "robot")?;
        let mut written = String::with_capacity(text.len());
        let mut copied = 0;
        for node in children(root, "link") {
            let name = file.attribute(node, "name")?;
            let Some(link) = robot.link(name) else {
                return Err(file
                    .wrong(
                        node,
                        format!("robot `{}` has no link `{name}`", robot.name()),
                    )
                    .hint("give the URDF that the robot was read from"));
            };
            for (place, collision) in children(node, "collision").enumerate() {
                let range = collision.range();
                written.push_str(&text[copied..range.start]);
                copied = range.end;
                if place == 0 {
                    self.write_link(link, &mut written);
                }
            }
        }
        written.push_str(&text[copied..]);
        Ok(written)
    }

    fn write_link(&self, link: usize, into: &mut String) {
        for (place, ball) in self.of_link(link).iter().enumerate() {
            let [x, y, z] = ball.middle;
            let indent = if place == 0 { "" } else { "\n    " };
            // Writing to a string cannot fail.
            let _ = write!(
                into,
                "{indent}<collision><origin xyz=\"{x} {y} {z}\" rpy=\"0 0 0\"/><geometry>\
                 <sphere radius=\"{}\"/></geometry></collision>",
                ball.radius
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spherised_robot_is_read_back_with_the_same_spheres() {
        let path = tempfile::NamedTempFile::new().unwrap().into_temp_path();
        let text = r#"<robot name="r"><link name="a"><visual/>
    <collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision>
    <collision><origin xyz="0 0 0.2"/><geometry><sphere radius="0.05"/></geometry></collision></link>
  <link name="b"/>
  <joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>"#;
        std::fs::write(&path, text).unwrap();
        let robot = Robot::read(&path).unwrap();
        let cover = SphereModel::cover(&robot, 12);
        let spherised = cover.spherised_urdf(&robot, &path).unwrap();
        assert!(!spherised.contains("<box") && spherised.contains("<visual/>"));
        let again = Robot::parse("s.urdf", &spherised).unwrap();
        assert_eq!(again.joints(), robot.joints());
        let kept = SphereModel::cover(&again, 1);
        assert!(cover.count() > 1);
        assert_eq!(kept.of_link(0), cover.of_link(0));
        assert!(kept.of_link(1).is_empty());
    }
}
