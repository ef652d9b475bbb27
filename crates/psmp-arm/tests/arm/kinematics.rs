//! Forward kinematics beside the `k` crate, which reads the same text by its own means.

use crate::{panda, random, random_configuration};
use psmp_arm::{Kinematics, Pose, Robot, models};

/// The greatest difference of an entry of a pose.
fn difference(ours: &Pose, theirs: &k::Isometry3<f64>) -> f64 {
    let matrix = theirs.to_homogeneous();
    let mut worst = 0.0_f64;
    for i in 0..3 {
        worst = worst.max((ours.translation[i] - matrix[(i, 3)]).abs());
        for j in 0..3 {
            worst = worst.max((ours.rotation[i][j] - matrix[(i, j)]).abs());
        }
    }
    worst
}

/// Compares all links in 1000 configurations; in f64, and in f32 eight at a time.
fn compare(robot: &Robot, theirs: &k::Chain<f64>) {
    const COUNT: usize = 1003;
    let kinematics = Kinematics::new(robot);
    let single = kinematics.cast::<f32>();
    let mut random = random(1);
    let configurations: Vec<f64> = (0..COUNT)
        .flat_map(|_| random_configuration(robot, &mut random))
        .collect();
    let mut poses = kinematics.poses(COUNT);
    kinematics.compute(&configurations, &mut poses);
    let mut single_poses = single.poses(COUNT);
    let as_single: Vec<f32> = configurations.iter().map(|&v| v as f32).collect();
    single.compute(&as_single, &mut single_poses);

    let dimension = robot.variables().len();
    let (mut worst, mut worst_single, mut compared) = (0.0_f64, 0.0_f64, 0);
    for (index, q) in configurations.chunks_exact(dimension).enumerate() {
        for (variable, &value) in robot.variables().iter().zip(q) {
            let node = theirs.find(&variable.name).expect("the same joints");
            node.set_joint_position_unchecked(value);
        }
        for joint in robot.joints() {
            if let Some(mimic) = joint.mimic {
                let followed = robot.variable(&robot.joints()[mimic.joint].name).unwrap();
                let node = theirs.find(&joint.name).expect("the same joints");
                node.set_joint_position_unchecked(q[followed] * mimic.multiplier + mimic.offset);
            }
        }
        theirs.update_transforms();
        for (link, (ours, ours_single)) in robot
            .links()
            .iter()
            .zip(poses.of(index).iter().zip(single_poses.of(index)))
        {
            let Some(joint) = link.joint else { continue };
            let node = theirs.find(&robot.joints()[joint].name).unwrap();
            let expected = node.world_transform().unwrap();
            worst = worst.max(difference(ours, &expected));
            let widened = Pose {
                rotation: ours_single.rotation.map(|row| row.map(f64::from)),
                translation: ours_single.translation.map(f64::from),
            };
            worst_single = worst_single.max(difference(&widened, &expected));
            compared += 1;
        }
    }
    assert!(compared >= COUNT, "nothing was compared");
    assert!(worst < 1e-9, "{robot}: {worst}");
    assert!(worst_single < 1e-4, "{robot}: {worst_single} in f32");
    println!("{robot}: {compared} poses, worst {worst:.1e}, in f32 {worst_single:.1e}");
}

fn theirs(path: impl AsRef<std::path::Path>) -> k::Chain<f64> {
    k::Chain::from_urdf_file(path).expect("their reader takes it too")
}

#[test]
fn the_published_panda_agrees() {
    for file in ["panda.urdf", "panda_spherized.urdf"] {
        let Some(path) = panda(file) else { return };
        let robot = Robot::read(&path).unwrap();
        assert_eq!(robot.variables().len(), 7);
        compare(&robot, &theirs(path));
    }
}

#[test]
fn shipped_models_agree() {
    for name in ["panda_like", "wam_like", "ur5_like"] {
        let path = format!("{}/src/models/{name}.urdf", env!("CARGO_MANIFEST_DIR"));
        let robot = Robot::read(&path).unwrap();
        compare(&robot, &theirs(path));
    }
    assert_eq!(models::planar(12).0.variables().len(), 12);
}

/// Slides, skew axes, branches and a follower, none of which the arms have.
const ODD: &str = r#"<robot name="odd">
  <link name="a"/><link name="b"/><link name="c"/><link name="d"/><link name="e"/><link name="f"/>
  <joint name="j1" type="continuous"><origin xyz="0.1 0.2 0.3" rpy="0.4 0.5 0.6"/><parent link="a"/><child link="b"/><axis xyz="1 2 -3"/></joint>
  <joint name="j2" type="prismatic"><origin xyz="0 0.2 0" rpy="1 0 2"/><parent link="b"/><child link="c"/><axis xyz="0 -1 1"/><limit lower="-0.5" upper="0.7" velocity="1" effort="1"/></joint>
  <joint name="j3" type="revolute"><origin xyz="0.3 0 0"/><parent link="c"/><child link="d"/><axis xyz="-1 0 0"/><limit lower="-1" upper="2" velocity="1" effort="1"/></joint>
  <joint name="j4" type="fixed"><origin xyz="0 0 1" rpy="0 3 0"/><parent link="b"/><child link="e"/></joint>
  <joint name="j5" type="prismatic"><origin xyz="0 1 0"/><parent link="e"/><child link="f"/><axis xyz="0 0 1"/><limit lower="-9" upper="9" velocity="1" effort="1"/><mimic joint="j3" multiplier="-0.5" offset="0.25"/></joint>
</robot>"#;

#[test]
fn odd_robots_agree() {
    let robot = Robot::parse("odd.urdf", ODD).unwrap();
    assert_eq!(robot.variables().len(), 3);
    let file = tempfile::Builder::new().suffix(".urdf").tempfile().unwrap();
    std::fs::write(file.path(), ODD).unwrap();
    compare(&robot, &theirs(file.path()));
}

#[test]
fn held_variables_give_the_same_poses() {
    let robot = Robot::parse("odd.urdf", ODD).unwrap();
    let q = [0.4, -0.2, 1.3];
    let whole = Kinematics::new(&robot);
    let mut expected = whole.poses(1);
    whole.compute(&q, &mut expected);
    let part = Kinematics::of_variables(&robot, &[2, 0], &q);
    let mut poses = part.poses(1);
    part.compute(&[q[2], q[0]], &mut poses);
    for (ours, expected) in poses.of(0).iter().zip(expected.of(0)) {
        for i in 0..3 {
            assert!((ours.translation[i] - expected.translation[i]).abs() < 1e-12);
        }
    }
}

#[test]
fn planar_and_floating_joints_move_as_their_variables_say() {
    let robot = Robot::parse(
        "free.urdf",
        r#"<robot name="free"><link name="a"/><link name="b"/><link name="c"/>
        <joint name="f" type="floating"><origin xyz="1 0 0"/><parent link="a"/><child link="b"/></joint>
        <joint name="p" type="planar"><parent link="b"/><child link="c"/><axis xyz="0 0 1"/></joint></robot>"#,
    )
    .unwrap();
    let kinematics = Kinematics::new(&robot);
    let mut poses = kinematics.poses(1);
    let q = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.0, 0.0, 0.7];
    kinematics.compute(&q, &mut poses);
    let floated = Pose::from_xyz_rpy([1.1, 0.2, 0.3], [0.4, 0.5, 0.6]);
    let expected = floated.then(&Pose::from_xyz_rpy([0.0; 3], [0.0, 0.0, 0.7]));
    let ours = poses.of(0)[2];
    for i in 0..3 {
        assert!((ours.translation[i] - expected.translation[i]).abs() < 1e-12);
        for j in 0..3 {
            assert!((ours.rotation[i][j] - expected.rotation[i][j]).abs() < 1e-12);
        }
    }
}
