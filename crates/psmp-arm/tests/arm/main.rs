//! The crate as its users see it, on shipped models and on published robots and scenes.

#![allow(clippy::unwrap_used, reason = "in a test an unwrap is an assertion")]

mod checkers;
mod experience;
mod inverse;
mod kinematics;
mod pinocchio;
mod planning;
mod scenes;

use std::path::PathBuf;

/// A path under the published Panda data, if it is there.
pub fn panda(path: &str) -> Option<PathBuf> {
    psmp_testdata::published(&format!("motion_bench_maker/panda/{path}"))
}

/// Numbers in [0, 1) from a seed, the same everywhere.
pub fn random(seed: u64) -> impl FnMut() -> f64 {
    let mut index = 0;
    move || {
        index += 1;
        psmp::Draw::new(seed, index).unit(0)
    }
}

/// A configuration within the robot's limits, or within half a turn where there are none.
pub fn random_configuration(robot: &psmp_arm::Robot, random: &mut impl FnMut() -> f64) -> Vec<f64> {
    let draw = |v: &psmp_arm::Variable| {
        let (low, high) = v.limits.unwrap_or((-3.0, 3.0));
        low + (high - low) * random()
    };
    robot.variables().iter().map(draw).collect()
}
