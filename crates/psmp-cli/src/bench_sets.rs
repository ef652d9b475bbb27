//! What benchmarks run in, as commands are given it: folders of datasets, and folders of an arm's problems with a robot.

use crate::failure::Mistake;
use crate::{arms, show};
use anyhow::Result;
use psmp_arm::Permissions;
use psmp_arm::models;
use psmp_lab::Row;
use psmp_report::bench::{ArmFolder, BenchSet};
use psmp_report::reproduce;
use psmp_report::reproduce::seven_dof::{is_arm_folder, is_reproduced_arm, robot_near};
use psmp_worlds::{Dataset, ReadOptions};
use std::path::{Path, PathBuf};

/// The robot of an arm's problems.
#[derive(Debug, Clone, Default)]
pub struct ChosenRobot<'a> {
    pub robot: Option<&'a Path>,
    pub srdf: Option<&'a Path>,
}

/// Opens a folder: problems of an arm if it has scenes and requests, else a dataset. `resolution` is for arms, whose
/// experience depends on it.
pub fn open(
    folder: &Path,
    chosen: &ChosenRobot<'_>,
    resolution: Option<f64>,
    read: ReadOptions,
) -> Result<BenchSet> {
    if is_arm_folder(folder) {
        return open_arm(folder, chosen, resolution);
    }
    Ok(BenchSet::Dataset(Box::new(Dataset::open_with(
        folder, read,
    )?)))
}

fn open_arm(folder: &Path, chosen: &ChosenRobot<'_>, resolution: Option<f64>) -> Result<BenchSet> {
    let (robot, srdf): (PathBuf, Option<PathBuf>) = match chosen.robot {
        Some(robot) => (robot.to_owned(), chosen.srdf.map(Path::to_owned)),
        None => {
            let (robot, srdf) = robot_near(folder).map_err(|e| {
                Mistake::error(
                    format!("`{}` has problems of an arm, and which is not said: {e}", folder.display()),
                    "name it with `--robot` and `--srdf`: a URDF file, or a shipped model such as `panda-like`",
                )
            })?;
            (robot, Some(srdf))
        }
    };
    let permissions = Permissions::default();
    let group = ArmFolder::group_of(folder)?;
    let arm = arms::load(&robot, srdf.as_deref(), Some(&group), &permissions)?;
    let full = |path: &Path| {
        let full = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        full.display().to_string()
    };
    let is_shipped = robot
        .to_str()
        .is_some_and(|name| models::named(name).is_some());
    let named = match is_shipped {
        true => robot.display().to_string(),
        false => full(&robot),
    };
    let named = (named, srdf.as_deref().map(full));
    let (set, troubles) = ArmFolder::read(folder, &arm, named, &permissions, resolution)?;
    arms::tell(&troubles);
    Ok(BenchSet::Arm(Box::new(set)))
}

/// Sees that planners that learn from known worlds have them.
pub fn learn(set: &mut BenchSet) -> Result<()> {
    if let BenchSet::Arm(folder) = set
        && folder.unlearned() > 0
    {
        let bar = show::progress(folder.unlearned() as u64, "checking edges");
        folder.learn(|edges| bar.inc(edges as u64))?;
        bar.finish_and_clear();
    }
    Ok(())
}

/// The sets that rows are of, each opened when it is first asked for.
#[derive(Default)]
pub struct Opened(pub Vec<BenchSet>);

impl Opened {
    /// The set of a row.
    pub fn of(&mut self, row: &Row) -> Result<&BenchSet> {
        let place = match self.0.iter().position(|set| set.is_of(row)) {
            Some(place) => place,
            None => {
                self.0.push(of_row(row)?);
                self.0.len() - 1
            }
        };
        let set = &mut self.0[place];
        if ["seen", "unseen"].contains(&row.experience.as_str()) {
            learn(set)?;
        }
        Ok(&self.0[place])
    }
}

fn of_row(row: &Row) -> Result<BenchSet> {
    reproduce::check(row)?;
    if is_reproduced_arm(row) {
        return Err(Mistake::error(
            format!(
                "world {} of `{}` is of a report by `psmp reproduce`",
                row.world, row.dataset
            ),
            "such a row is run again by `psmp replay`, and shown in the report; for films, `psmp bench` the folder",
        ));
    }
    if let Some(robot) = &row.robot {
        let chosen = ChosenRobot {
            robot: Some(Path::new(robot)),
            srdf: row.srdf.as_deref().map(Path::new),
        };
        let folder = row.folder.as_deref().unwrap_or_default();
        return open_arm(Path::new(folder), &chosen, row.resolution);
    }
    let bar = show::progress(row.made_worlds.unwrap_or(0), "making worlds");
    let set = BenchSet::of_row(row, || bar.inc(1))?;
    bar.finish_and_clear();
    Ok(set)
}
