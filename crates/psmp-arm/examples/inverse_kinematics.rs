//! How often and how fast poses are reached by inverse kinematics, beside the `k` crate.
//!
//! Poses are those that random configurations reach, descents begin at other random configurations, and
//! both solvers begin anew up to 200 times and must come within a thousandth of a millimetre.
//!
//! ```text
//! cargo run --release -p psmp-arm --example inverse_kinematics -- panda.urdf panda.srdf panda_arm
//! cargo run --release -p psmp-arm --example inverse_kinematics -- crates/psmp-arm/src/models/wam_like.urdf
//! ```
#![allow(clippy::unwrap_used, reason = "an example")]

use k::InverseKinematicsSolver;
use psmp::Draw;
use psmp_arm::{Arm, Inverse, Miss, Pose, PoseGoal, Robot, Search, Semantics};
use std::time::Instant;

const POSES: u64 = 1000;
const RESTARTS: usize = 200;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [urdf, rest @ ..] = &arguments[..] else {
        eprintln!("give a URDF file, and an SRDF file and a group of it if there is one");
        std::process::exit(2);
    };
    let robot = Robot::read(urdf).unwrap();
    let arm = match rest {
        [srdf, group] => {
            let semantics = Semantics::read(srdf, &robot).unwrap();
            Arm::new(robot, &semantics, group).unwrap()
        }
        _ => Arm::whole(robot).unwrap(),
    };
    let poses: Vec<(Pose, Vec<f64>)> = (0..POSES)
        .map(|i| (tool_pose(&arm, &drawn(&arm, 2 * i)), drawn(&arm, 2 * i + 1)))
        .collect();
    let ours = poses.iter().enumerate().map(|(i, (pose, from))| {
        let search = Search {
            solutions: 1,
            restarts: RESTARTS,
            seed: i as u64,
            ..Search::default()
        };
        timed(|| {
            let inverse = Inverse::new(&arm, &PoseGoal::exact(None, pose)).unwrap();
            inverse.solutions(from, &search).is_ok()
        })
    });
    tell("psmp", ours.collect());
    let chain = k::Chain::<f64>::from_urdf_file(urdf).unwrap();
    let tool = arm.robot().links()[arm.tip()].joint.unwrap();
    let end = chain.find(&arm.robot().joints()[tool].name).unwrap();
    let serial = k::SerialChain::from_end(end);
    let theirs = poses.iter().enumerate().map(|(i, (pose, from))| {
        let wanted = isometry(pose);
        timed(|| by_k(&arm, &serial, &wanted, from, i as u64))
    });
    tell("k", theirs.collect());
}

/// Whether `k` reaches a pose, which begins anew as we do.
fn by_k(
    arm: &Arm,
    serial: &k::SerialChain<f64>,
    wanted: &k::Isometry3<f64>,
    from: &[f64],
    seed: u64,
) -> bool {
    // Steps of 0.8 where its documentation has 0.5: it needs fewer of them.
    let solver = k::JacobianIkSolver::new(Miss::PRECISION, Miss::PRECISION, 0.8, 100);
    (0..RESTARTS as u64).any(|restart| {
        let begin = match restart {
            0 => from.to_vec(),
            _ => drawn(arm, POSES * 4 + seed * RESTARTS as u64 + restart),
        };
        serial.set_joint_positions_clamped(&begin);
        solver.solve(serial, wanted).is_ok()
    })
}

fn timed(reached: impl FnOnce() -> bool) -> (bool, f64) {
    let began = Instant::now();
    let reached = reached();
    (reached, began.elapsed().as_secs_f64() * 1e3)
}

fn tell(name: &str, results: Vec<(bool, f64)>) {
    let reached = results.iter().filter(|(reached, _)| *reached).count();
    let mut millis: Vec<f64> = results.iter().map(|(_, millis)| *millis).collect();
    millis.sort_by(f64::total_cmp);
    println!(
        "{name}: {reached} of {} reached, median {:.3} ms, 99 in 100 within {:.2} ms",
        results.len(),
        millis[millis.len() / 2],
        millis[millis.len() * 99 / 100]
    );
}

fn drawn(arm: &Arm, index: u64) -> Vec<f64> {
    let draw = Draw::new(1, index);
    let axes = arm.space().axes().iter().enumerate();
    axes.map(|(i, a)| a.lower() + a.extent() * draw.unit(i as u64))
        .collect()
}

fn tool_pose(arm: &Arm, q: &[f64]) -> Pose {
    let mut poses = arm.kinematics().poses(1);
    arm.kinematics().compute(q, &mut poses);
    poses.of(0)[arm.tip()]
}

fn isometry(pose: &Pose) -> k::Isometry3<f64> {
    let [x, y, z] = pose.translation;
    let flat: Vec<f64> = pose.rotation.into_iter().flatten().collect();
    let rotation =
        k::nalgebra::Rotation3::from_matrix_unchecked(k::nalgebra::Matrix3::from_row_slice(&flat));
    k::Isometry3::from_parts(k::Translation3::new(x, y, z), rotation.into())
}
