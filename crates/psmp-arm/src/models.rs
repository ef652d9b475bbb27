//! Robots that need no files: arms written down from published dimensions, with primitive shapes.
//!
//! They are *like* the arms they are named after in kinematics and limits, and roughly in extent,
//! so that everything runs with no data. They are no substitute for a maker's own description.

use crate::robot::Robot;
use crate::srdf::{Group, NamedState, Reason, Semantics};
use std::f64::consts::FRAC_PI_2;

/// The names that [`named`] knows; of `planar-N` for any number of joints.
pub const NAMES: [&str; 4] = ["panda-like", "wam-like", "ur5-like", "planar-N"];

/// Links of a 7-joint arm with one link between them, which cannot touch.
const SECOND_NEXT: [(&str, &str); 6] = [
    ("link0", "link2"),
    ("link1", "link3"),
    ("link2", "link4"),
    ("link3", "link5"),
    ("link4", "link6"),
    ("link5", "link7"),
];

/// The shipped robot of this name: one of [`NAMES`], where `planar-4` is [`planar`] with 4 joints.
#[must_use]
pub fn named(name: &str) -> Option<(Robot, Semantics)> {
    match name {
        "panda-like" => Some(panda_like()),
        "wam-like" => Some(wam_like()),
        "ur5-like" => Some(ur5_like()),
        _ => {
            let joints = name.strip_prefix("planar-")?.parse().ok()?;
            (1..=100).contains(&joints).then(|| planar(joints))
        }
    }
}

/// A 7-joint arm with a gripper, like the Franka Panda.
#[must_use]
pub fn panda_like() -> (Robot, Semantics) {
    let home = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
    shipped(
        include_str!("models/panda_like.urdf"),
        &home,
        &[&SECOND_NEXT[..], &[("link6", "hand")]].concat(),
    )
}

/// A 7-joint arm, like the Barrett WAM.
#[must_use]
pub fn wam_like() -> (Robot, Semantics) {
    let home = [0.0, -1.0, 0.0, 2.0, 0.0, 0.5, 0.0];
    shipped(
        include_str!("models/wam_like.urdf"),
        &home,
        &[&SECOND_NEXT[..], &[("link4", "link7")]].concat(),
    )
}

/// A 6-joint arm, like the Universal Robots UR5.
#[must_use]
pub fn ur5_like() -> (Robot, Semantics) {
    let home = [0.0, -FRAC_PI_2, 1.0, -1.0, -FRAC_PI_2, 0.0];
    shipped(
        include_str!("models/ur5_like.urdf"),
        &home,
        &[
            ("wrist1", "wrist3"),
            // The wrist turns about an axis across the forearm, beside it.
            ("forearm", "wrist2"),
            ("base", "upper_arm"),
        ],
    )
}

/// An arm of `joints` links of equal length that turns in a plane, one metre long in all.
#[must_use]
pub fn planar(joints: usize) -> (Robot, Semantics) {
    let joints = joints.max(1);
    let length = 1.0 / joints as f64;
    let radius = (length * 0.2).min(0.03);
    let mut urdf = format!("<robot name=\"planar{joints}\">\n  <link name=\"link0\"/>\n");
    for i in 1..=joints {
        let at = if i == 1 { 0.0 } else { length };
        urdf += &format!(
            "  <link name=\"link{i}\"><collision><origin xyz=\"{} 0 0\" rpy=\"0 1.5707963267948966 0\"/>\
             <geometry><capsule radius=\"{radius}\" length=\"{}\"/></geometry></collision></link>\n  \
             <joint name=\"joint{i}\" type=\"revolute\"><origin xyz=\"{at} 0 0\"/><parent link=\"link{}\"/>\
             <child link=\"link{i}\"/><axis xyz=\"0 0 1\"/>\
             <limit lower=\"-3.14159265359\" upper=\"3.14159265359\" velocity=\"2\" effort=\"10\"/></joint>\n",
            length / 2.0,
            length - 2.0 * radius,
            i - 1,
        );
    }
    urdf += "</robot>\n";
    shipped(&urdf, &vec![0.0; joints], &[])
}

/// A shipped text with one group `arm` of all joints, a state `home`, and adjacent links and
/// `never` pairs not checked.
fn shipped(urdf: &str, home: &[f64], never: &[(&str, &str)]) -> (Robot, Semantics) {
    let robot = match Robot::parse("the shipped model", urdf) {
        Ok(robot) => robot,
        Err(e) => unreachable!("the tests read every shipped model: {e}"),
    };
    let mut semantics = Semantics {
        groups: vec![Group {
            name: "arm".to_owned(),
            joints: (0..robot.joints().len()).collect(),
            links: (0..robot.links().len()).collect(),
        }],
        ..Semantics::default()
    };
    let names = robot.variables().iter().map(|v| v.name.clone());
    semantics.states.push(NamedState {
        name: "home".to_owned(),
        group: "arm".to_owned(),
        positions: names.zip(home.iter().copied()).collect(),
    });
    for one in 0..robot.links().len() {
        for other in one + 1..robot.links().len() {
            let named =
                |a: &str, b: &str| robot.links()[one].name == a && robot.links()[other].name == b;
            if robot.adjacent(one, other) || never.iter().any(|&(a, b)| named(a, b)) {
                let reason = match robot.adjacent(one, other) {
                    true => Reason::Adjacent,
                    false => Reason::Never,
                };
                semantics.disabled.insert((one, other), reason);
            }
        }
    }
    (robot, semantics)
}
