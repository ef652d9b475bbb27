//! Temporary.
use psmp_arm::*;
use std::time::Instant as Clock;
fn main() {
    let folder = std::path::PathBuf::from(std::env::args().nth(1).unwrap());
    let name = std::env::args().nth(2).unwrap();
    let group = std::env::args().nth(3).unwrap();
    let set = std::env::args().nth(4).unwrap();
    let mut last = Clock::now();
    let mut lap = |what: &str| {
        let now = Clock::now();
        println!("{:>9.2} ms {what}", (now - last).as_secs_f64() * 1e3);
        last = Clock::now();
    };
    let robot = Robot::read(folder.join(format!("{name}.urdf"))).unwrap();
    lap("urdf");
    let semantics = Semantics::read(folder.join(format!("{name}.srdf")), &robot).unwrap();
    lap("srdf");
    let arm = Arm::new(robot.clone(), &semantics, &group).unwrap();
    lap("arm");
    let scene = Scene::read(folder.join(format!("problems/{set}/scene0001.yaml"))).unwrap();
    lap("scene");
    let request =
        MotionRequest::read(folder.join(format!("problems/{set}/request0001.yaml"))).unwrap();
    lap("request");
    let problem = ArmProblem::new(&arm, scene, &request).unwrap();
    lap("problem");
    println!("{:?}", problem.touch().unwrap());
    lap("touch");
    let (spheres, t) = SphereModel::kept(&robot, 256);
    lap("cover kept");
    println!("{t:?}");
    let excess: f64 = spheres.links().iter().map(|l| l.excess_volume).sum();
    println!(
        "overreach {:?}",
        spheres
            .links()
            .iter()
            .map(|l| (l.overreach * 1e4).round())
            .collect::<Vec<_>>()
    );
    println!("count {} excess {excess}", spheres.count());
    let (roadmap, t) = kept_roadmap(
        &problem.arm,
        &spheres,
        10000,
        Sampling::Halton,
        psmp::Connection::Nearest(15),
    )
    .unwrap();
    lap("roadmap kept");
    println!("{} {t:?}", roadmap.edge_count());
    let _ = psmp_files::Fingerprint::of(&roadmap);
    lap("fingerprint");
    let (s, t) = Semantics::kept(&robot, &PairSampling::default()).unwrap();
    lap("pairs kept");
    println!("{} {t:?}", s.disabled.len());
    let _checked =
        CheckedArm::new(Checking::default(), &problem.arm, &spheres, &problem.scene).unwrap();
    lap("checked");
}
