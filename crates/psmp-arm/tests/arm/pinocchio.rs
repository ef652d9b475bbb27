//! Forward kinematics beside pinocchio, on the published Panda.
//!
//! Needs a Python that can `import pinocchio` (`pip install pin`): the one that `PSMP_PYTHON`
//! names, else `python3`. Says loudly where there is none, and fails if one is named that cannot.

use crate::{panda, random, random_configuration};
use psmp_arm::{Kinematics, Robot};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

#[test]
fn the_published_panda_agrees_with_pinocchio() {
    let Some(path) = panda("panda.urdf") else {
        return;
    };
    // A relative path is meant from the repository's root.
    let named = std::env::var_os("PSMP_PYTHON")
        .map(|p| Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).join(p));
    let python = named.clone().unwrap_or_else(|| PathBuf::from("python3"));
    let has_pinocchio = Command::new(&python)
        .args(["-c", "import pinocchio"])
        .output()
        .is_ok_and(|o| o.status.success());
    if !has_pinocchio {
        let python = python.display();
        assert!(
            named.is_none(),
            "`{python}`, which PSMP_PYTHON names, cannot import pinocchio; `pip install pin` there"
        );
        eprintln!(
            "SKIPPED: `{python}` cannot import pinocchio; `pip install pin` and set PSMP_PYTHON"
        );
        return;
    }
    let robot = Robot::read(&path).unwrap();
    let mut random = random(2);
    let configurations: Vec<Vec<f64>> = (0..500)
        .map(|_| random_configuration(&robot, &mut random))
        .collect();
    let mut child = Command::new(&python)
        .arg(concat!(
            env!("CARGO_MANIFEST_DIR"),
            "/tests/pinocchio/link_poses.py"
        ))
        .arg(&path)
        .args(robot.variables().iter().map(|v| &v.name))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    let lines: String = configurations
        .iter()
        .map(|q| q.iter().map(|v| format!("{v:?} ")).collect::<String>() + "\n")
        .collect();
    let writer = std::thread::spawn(move || input.write_all(lines.as_bytes()));
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    assert!(output.status.success());

    let kinematics = Kinematics::new(&robot);
    let single = kinematics.cast::<f32>();
    let mut poses = kinematics.poses(1);
    let mut single_poses = single.poses(1);
    let (mut worst, mut worst_single, mut compared) = (0.0_f64, 0.0_f64, 0);
    for line in String::from_utf8(output.stdout).unwrap().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let q = &configurations[words[0].parse::<usize>().unwrap()];
        let Some(link) = robot.link(words[1]) else {
            continue;
        };
        let expected: Vec<f64> = words[2..].iter().map(|w| w.parse().unwrap()).collect();
        kinematics.compute(q, &mut poses);
        let q32: Vec<f32> = q.iter().map(|&v| v as f32).collect();
        single.compute(&q32, &mut single_poses);
        let (ours, ours32) = (&poses.of(0)[link], &single_poses.of(0)[link]);
        for i in 0..3 {
            let t = expected[9 + i];
            worst = worst.max((ours.translation[i] - t).abs());
            worst_single = worst_single.max((f64::from(ours32.translation[i]) - t).abs());
            for j in 0..3 {
                let r = expected[3 * i + j];
                worst = worst.max((ours.rotation[i][j] - r).abs());
                worst_single = worst_single.max((f64::from(ours32.rotation[i][j]) - r).abs());
            }
        }
        compared += 1;
    }
    assert!(compared > 500 * 8, "{compared}");
    assert!(worst < 1e-9, "{worst}");
    assert!(worst_single < 1e-4, "{worst_single}");
    println!("{compared} poses beside pinocchio, worst {worst:.1e}, in f32 {worst_single:.1e}");
}
