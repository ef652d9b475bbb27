//! Arms as commands are given them: a shipped model by its name, or files.

use crate::failure::Mistake;
use crate::say;
use anyhow::Result;
use psmp::Roadmap;
use psmp_arm::{Arm, Permissions, Robot, Scene, Semantics, SphereModel, models};
use psmp_files::FileError;
use psmp_worlds::graphml;
use std::error::Error;
use std::path::{Path, PathBuf};

/// What robots and scenes may name, with these paths besides.
pub fn permissions(allow_path: &[PathBuf]) -> Result<Permissions, FileError> {
    let mut paths = allow_path.iter();
    paths.try_fold(Permissions::default(), Permissions::allow_path)
}

/// The scene of a file; what was not seen of it is said.
pub fn read_scene(path: &Path, permissions: &Permissions) -> Result<Scene, FileError> {
    let scene = Scene::read_with(path, permissions)?;
    for name in scene.unseen() {
        say!(
            "warning: the point cloud `{name}` of `{}` has no points, so that nothing of it is in the way",
            path.display()
        );
    }
    Ok(scene)
}

/// A robot covered by spheres. That covers cannot be kept is said, and stops no one.
pub fn cover(robot: &Robot, spheres: u32) -> SphereModel {
    let (cover, troubles) = SphereModel::kept(robot, spheres as usize);
    for trouble in troubles {
        match trouble.source() {
            Some(source) => say!("warning: the cache of covers: {trouble} ({source})"),
            None => say!("warning: the cache of covers: {trouble}"),
        }
    }
    cover
}

/// The arm that is meant: a shipped model or a URDF file, with the groups of an SRDF file. Without
/// one all joints are planned for. The group need not be named where there is but one to plan for.
pub fn load(
    robot: &Path,
    srdf: Option<&Path>,
    group: Option<&str>,
    permissions: &Permissions,
) -> Result<Arm> {
    let shipped = robot.to_str().and_then(models::named);
    let (robot, semantics) = match (shipped, srdf) {
        (Some(_), Some(srdf)) => {
            return Err(Mistake::error(
                format!(
                    "`{}` is a shipped model, which needs no `{}`",
                    robot.display(),
                    srdf.display()
                ),
                "leave out `--srdf`, or name a URDF file",
            ));
        }
        (Some((robot, semantics)), None) => (robot, Some(semantics)),
        (None, srdf) => {
            if !robot.exists() {
                return Err(Mistake::error(
                    format!("there is no robot `{}`", robot.display()),
                    format!(
                        "name a URDF file, or one of the shipped models {}",
                        models::NAMES.join(", ")
                    ),
                ));
            }
            let robot = Robot::read_with(robot, permissions)?;
            let semantics = srdf.map(|file| Semantics::read(file, &robot)).transpose()?;
            (robot, semantics)
        }
    };
    let Some(semantics) = semantics else {
        return Ok(Arm::whole(robot)?);
    };
    let obvious = semantics.obvious_group(&robot).map(|g| g.name.as_str());
    match group.or(obvious) {
        Some(group) => Ok(Arm::new(robot, &semantics, group)?),
        None => {
            let names: Vec<&str> = semantics.groups.iter().map(|g| g.name.as_str()).collect();
            Err(Mistake::error(
                format!("robot `{}` has several groups", robot.name()),
                format!("choose one with `--group`: {}", names.join(", ")),
            ))
        }
    }
}

/// The positions of joints that a text stands for: the name of a state, `joint=value,...`, or a value for
/// each joint of the group.
pub fn positions(arm: &Arm, option: &str, text: &str) -> Result<Vec<(String, f64)>> {
    if let Ok(positions) = arm.state(text) {
        return Ok(positions.to_vec());
    }
    let finite = |number: &str| number.trim().parse().ok().filter(|x: &f64| x.is_finite());
    if text.contains('=') {
        let pair = |part: &str| {
            let (joint, value) = part.split_once('=')?;
            Some((joint.trim().to_owned(), finite(value)?))
        };
        let pairs: Option<Vec<(String, f64)>> = text.split(',').map(pair).collect();
        return pairs.ok_or_else(|| {
            Mistake::error(
                format!("`{option} {text}` is not a list of joints and finite numbers"),
                "give them as joint1=0.5,joint2=-1",
            )
        });
    }
    let values: Option<Vec<f64>> = text.split(',').map(finite).collect();
    match values {
        Some(values) => Ok(arm.named(&values)?),
        None => Ok(arm.state(text)?.to_vec()),
    }
}

/// A roadmap, which must be one of this arm.
pub fn read_roadmap(path: &Path, arm: &Arm) -> Result<Roadmap> {
    let roadmap = graphml::read(path)?;
    let space = roadmap.space();
    match space.is_some_and(|s| s.dimension() == arm.dimension()) {
        true => Ok(roadmap),
        false => Err(Mistake::error(
            format!(
                "`{}` is no roadmap of {} joints",
                path.display(),
                arm.dimension()
            ),
            "give a roadmap that was made for this arm, or none",
        )),
    }
}
