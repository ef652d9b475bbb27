//! What the benchmarks on published arm problems share: the Panda as VAMP has it, problems, what is known of them,
//! and statistics.

#![allow(dead_code, reason = "no benchmark needs all of it")]

use psmp_arm::{
    Arm, ArmProblem, DEFAULT_SPHERES, MotionRequest, Robot, Scene, Semantics, SphereModel,
};
use std::path::Path;

/// The sets of the Panda.
pub const SETS: [&str; 5] = [
    "bookshelf_small",
    "box",
    "cage",
    "table_pick",
    "table_under_pick",
];
/// The distance between configurations, as VAMP has it.
pub const STEP: f64 = 1.0 / 32.0;

/// The words behind `--`; Cargo adds `--bench`.
pub fn words() -> Vec<String> {
    let words = std::env::args().skip(1);
    words.filter(|word| word != "--bench").collect()
}

/// The Panda by the spheres that VAMP ships.
pub fn read_arm(panda: &Path) -> (Arm, SphereModel) {
    let robot = Robot::read(panda.join("panda_spherized.urdf")).expect("the robot is read");
    let semantics = Semantics::read(panda.join("panda.srdf"), &robot).expect("its SRDF is read");
    let arm = Arm::new(robot, &semantics, "panda_arm").expect("it has an arm");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (model, _) = SphereModel::cached(arm.robot(), DEFAULT_SPHERES, folder);
    (arm, model)
}

/// A problem of a robot's set, by its number.
pub fn read_problem(arm: &Arm, robot: &Path, set: &str, number: u32) -> ArmProblem {
    let folder = robot.join("problems").join(set);
    let scene = Scene::read(folder.join(format!("scene{number:04}.yaml")));
    let request = MotionRequest::read(folder.join(format!("request{number:04}.yaml")));
    let (scene, request) = (scene.expect("a scene"), request.expect("a request"));
    ArmProblem::new(arm, scene, &request).expect("they fit the arm")
}

/// A line of the Panda in `best_known.csv`.
pub struct Known {
    pub set: String,
    pub problem: u32,
    fields: Vec<Option<f64>>,
}

impl Known {
    /// The number in this column, if there is one.
    pub fn number(&self, column: usize) -> Option<f64> {
        self.fields.get(column).copied().flatten()
    }
}

/// The lines of the Panda.
pub fn read_known(file: &Path) -> Vec<Known> {
    let text = std::fs::read_to_string(file).expect("the best known lengths are read");
    let line = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        Some(Known {
            set: (fields[0] == "panda").then(|| fields[1].to_owned())?,
            problem: fields[2].parse().ok()?,
            fields: fields.iter().map(|field| field.parse().ok()).collect(),
        })
    };
    text.lines().skip(1).filter_map(line).collect()
}

pub fn median(values: impl Iterator<Item = f64>) -> f64 {
    quantile(values, 0.5)
}

/// The value below which this share of them lies; not a number if there are none.
pub fn quantile(values: impl Iterator<Item = f64>, share: f64) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    let place = share * values.len().saturating_sub(1) as f64;
    values
        .get(place.round() as usize)
        .copied()
        .unwrap_or(f64::NAN)
}
