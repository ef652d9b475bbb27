//! Spheres beside exact shapes, and eight lanes beside one.

use crate::{panda, random, random_configuration};
use psmp::Connection;
use psmp::checker::World;
use psmp_arm::{
    Arm, ArmWorld, Attached, ExactWorld, Heightfield, Margins, Object, Placed, PointCloud, Pose,
    RefinedWorld, Robot, Sampling, Scene, Semantics, Shape, SphereModel, SphereWorld,
    joint_roadmap, models,
};
use std::sync::LazyLock;

/// The published Panda, with its hand.
pub fn panda_arm() -> Option<Arm> {
    let robot = Robot::read(panda("panda.urdf")?).unwrap();
    let semantics = Semantics::read(panda("panda.srdf")?, &robot).unwrap();
    Some(Arm::new(robot, &semantics, "panda_arm").unwrap())
}

/// "Free" by spheres must be free by meshes: 100,000 configurations in published scenes.
#[test]
fn free_by_spheres_is_free_by_meshes() {
    let Some(arm) = panda_arm() else { return };
    let model = SphereModel::cover(arm.robot(), psmp_arm::DEFAULT_SPHERES);
    for (link, cover) in arm.robot().links().iter().zip(model.links()) {
        if !cover.balls.is_empty() {
            println!(
                "{:18} {:2} spheres, volume {:.2} times the link's, {:.0} mm beyond it at most",
                link.name,
                cover.balls.len(),
                1.0 + cover.excess_volume / cover.volume,
                1000.0 * cover.overreach
            );
        }
    }
    let mut random = random(5);
    let sets = ["bookshelf_small", "box", "table_pick", "table_under_pick"];
    let (mut free, mut careful, mut exact_free) = (0, 0, 0);
    for set in sets {
        for number in 1..=25 {
            let path = panda(&format!("problems/{set}/scene{number:04}.yaml")).unwrap();
            let scene = Scene::read(path).unwrap();
            let mut spheres = SphereWorld::new(&arm, &model, &scene).unwrap();
            let mut exact = ExactWorld::new(&arm, &scene).unwrap();
            assert_eq!(spheres.standing_collision(), None);
            for _ in 0..1000 {
                let q = random_configuration(arm.robot(), &mut random);
                let by_spheres = spheres.is_free(&q).unwrap();
                let by_meshes = exact.is_free(&q).unwrap();
                assert!(!by_spheres || by_meshes, "{set} {number}: {q:?}");
                free += usize::from(by_spheres);
                exact_free += usize::from(by_meshes);
                careful += usize::from(by_meshes && !by_spheres);
            }
        }
    }
    let share = 100.0 * careful as f64 / exact_free as f64;
    println!(
        "100000 configurations: {exact_free} free by meshes, {free} by spheres; \
         spheres are too careful in {share:.1}% of the free ones"
    );
    assert!(exact_free > 10_000, "too few are free to tell anything");
    assert!(share < 25.0, "spheres forbid {share}% of what is free");
}

/// Scenes with every kind of obstacle, around a shipped arm.
fn scene_of_everything() -> Scene {
    let place = |name: &str, shape: Shape, xyz: [f64; 3], rpy: [f64; 3]| Object {
        name: name.to_owned(),
        shapes: vec![Placed {
            shape,
            pose: Pose::from_xyz_rpy(xyz, rpy),
        }],
    };
    let heights = vec![0.1, 0.0, 0.2, 0.0, 0.05, 0.3, 0.1, 0.0, 0.2];
    let ground = Heightfield::new(3, [2.4, 2.4], heights).unwrap();
    let mut dice = random(9);
    let points = (0..3000).map(|_| [0.3 * dice(), 0.3 * dice(), 0.3 * dice()]);
    let cloud = PointCloud::new(points.collect(), 0.01).unwrap();
    Scene {
        objects: vec![
            place(
                "box",
                Shape::cuboid([0.2, 0.3, 0.4]).unwrap(),
                [0.5, 0.2, 0.5],
                [0.3, 0.2, 0.1],
            ),
            place(
                "can",
                Shape::cylinder(0.1, 0.4).unwrap(),
                [-0.4, 0.4, 0.6],
                [0.5, 0.0, 0.3],
            ),
            place(
                "pill",
                Shape::capsule(0.08, 0.3).unwrap(),
                [0.1, -0.6, 0.5],
                [1.0, 0.4, 0.0],
            ),
            place(
                "ball",
                Shape::sphere(0.15).unwrap(),
                [-0.5, -0.3, 0.4],
                [0.0; 3],
            ),
            place(
                "cone",
                Shape::cone(0.2, 0.4).unwrap(),
                [0.0, 0.6, 0.3],
                [0.7, 0.0, 0.0],
            ),
            place("wall", Shape::HalfSpace, [-0.75, 0.0, 0.0], [0.0, 1.4, 0.0]),
            place(
                "ground",
                Shape::Heightfield(ground.into()),
                [0.0, 0.0, -0.4],
                [0.0; 3],
            ),
            place(
                "cloud",
                Shape::Points(cloud.into()),
                [0.4, -0.5, 0.2],
                [0.0, 0.0, 0.5],
            ),
        ],
        attached: vec![Attached {
            object: place(
                "cup",
                Shape::cylinder(0.03, 0.1).unwrap(),
                [0.0, 0.0, 0.2],
                [0.0; 3],
            ),
            link: "hand".to_owned(),
            touch: vec![],
        }],
        ..Scene::default()
    }
}

#[test]
fn every_kind_of_obstacle_is_respected_and_lanes_agree() {
    let (robot, semantics) = models::panda_like();
    let arm = Arm::new(robot, &semantics, "arm").unwrap();
    let model = SphereModel::cover(arm.robot(), 128);
    let everything = scene_of_everything();
    // Each obstacle alone, and all together.
    let mut scenes: Vec<Scene> = everything
        .objects
        .iter()
        .map(|o| Scene {
            objects: vec![o.clone()],
            ..everything.clone()
        })
        .collect();
    scenes.push(everything);
    for scene in scenes {
        let names: Vec<&str> = scene.objects.iter().map(|o| o.name.as_str()).collect();
        let mut spheres = SphereWorld::new(&arm, &model, &scene).unwrap();
        let mut exact = ExactWorld::new(&arm, &scene).unwrap();
        let none = exact.no_margins();
        let mut random = random(6);
        let count = 2003;
        let batch: Vec<f64> = (0..count)
            .flat_map(|_| random_configuration(arm.robot(), &mut random))
            .collect();
        let (mut hits, mut careful, mut differing) = (0, 0, 0);
        let mut rest = 0;
        for (index, q) in batch.chunks_exact(7).enumerate() {
            let free = spheres.is_free(q).unwrap();
            let truly = exact.is_free(q).unwrap();
            assert!(!free || truly, "{names:?}: {q:?}");
            hits += usize::from(!truly);
            careful += usize::from(truly && !free);
            differing += usize::from(spheres.is_free_in_one_lane(q) != free);
            // The clearance says the same as the verdict, and no more than the true one.
            let least = spheres.room(q);
            assert!(
                (least > 0.0) == free || least.abs() < 1e-5,
                "{names:?}: {least} {free}"
            );
            if index % 20 == 0 && least > 1e-4 {
                let mut margins = none.clone();
                margins.bodies.fill(least - 1e-5);
                margins.pairs.fill(least - 1e-5);
                assert_eq!(exact.clear(q, &margins), 1, "{names:?}: {q:?}");
            }
            // In a batch the first collision is where the single answers have it.
            if !free {
                let found = spheres.first_collision(&batch[rest * 7..], 7).unwrap();
                assert_eq!(found, Some(index - rest));
                rest = index + 1;
            }
        }
        assert_eq!(
            spheres.first_collision(&batch[rest * 7..], 7).unwrap(),
            None
        );
        assert!(hits > 20, "{names:?}: only {hits} collide");
        assert!(careful < count / 4, "{names:?}: {careful} too careful");
        // Lanes round differently only by fused multiplications.
        assert!(differing <= 2, "{differing}");
        println!("{names:?}: {hits} of {count} collide, spheres too careful in {careful}");
    }
}

#[test]
fn what_is_held_is_checked_and_may_touch_its_holder() {
    let (robot, semantics) = models::panda_like();
    let arm = Arm::new(robot, &semantics, "arm").unwrap();
    let model = SphereModel::cover(arm.robot(), 128);
    let home = arm
        .configuration(&semantics.state("arm", "home").unwrap().positions)
        .unwrap();
    let with_pole = |length: f64, touch: &[&str]| Scene {
        attached: vec![Attached {
            object: Object {
                name: "pole".to_owned(),
                shapes: vec![Placed {
                    shape: Shape::cylinder(0.02, length).unwrap(),
                    pose: Pose::from_xyz_rpy([0.0; 3], [0.0, std::f64::consts::FRAC_PI_2, 0.0]),
                }],
            },
            link: "hand".to_owned(),
            touch: touch.iter().map(|s| (*s).to_owned()).collect(),
        }],
        ..Scene::default()
    };
    let free = |scene: &Scene| {
        let mut spheres = SphereWorld::new(&arm, &model, scene).unwrap();
        let mut exact = ExactWorld::new(&arm, scene).unwrap();
        (
            spheres.is_free(&home).unwrap(),
            exact.is_free(&home).unwrap(),
        )
    };
    assert_eq!(free(&with_pole(0.3, &[])), (true, true));
    // A pole of two metres reaches back into the arm unless that is allowed.
    assert_eq!(free(&with_pole(2.0, &[])), (false, false));
    let all = [
        "link0", "link1", "link2", "link3", "link4", "link5", "link6",
    ];
    assert_eq!(free(&with_pole(2.0, &all)), (true, true));
    let mut nowhere = with_pole(0.3, &[]);
    nowhere.attached[0].link = "foot".to_owned();
    let Err(error) = SphereWorld::new(&arm, &model, &nowhere) else {
        panic!("there is no foot");
    };
    assert!(error.to_string().contains("`foot`"), "{error}");
}

#[test]
fn what_stands_in_the_robots_foot_is_named() {
    let (robot, semantics) = models::panda_like();
    let arm = Arm::new(robot, &semantics, "arm").unwrap();
    let model = SphereModel::cover(arm.robot(), 128);
    let mut scene = Scene {
        objects: vec![Object {
            name: "floor".to_owned(),
            shapes: vec![Placed {
                shape: Shape::HalfSpace,
                pose: Pose::at([0.0, 0.0, 0.05]),
            }],
        }],
        ..Scene::default()
    };
    let world = SphereWorld::new(&arm, &model, &scene).unwrap();
    assert_eq!(world.standing_collision(), Some(("link0", "floor")));
    scene.allowed.set("floor", "link0", true);
    let world = SphereWorld::new(&arm, &model, &scene).unwrap();
    assert_eq!(world.standing_collision(), None);
}

#[test]
fn shipped_arms_are_free_at_home_and_often_elsewhere() {
    for (robot, semantics) in [
        models::panda_like(),
        models::wam_like(),
        models::ur5_like(),
        models::planar(3),
        models::planar(8),
    ] {
        let arm = Arm::new(robot, &semantics, "arm").unwrap();
        let model = SphereModel::cover(arm.robot(), 128);
        let scene = Scene::default();
        let mut spheres = SphereWorld::new(&arm, &model, &scene).unwrap();
        let mut exact = ExactWorld::new(&arm, &scene).unwrap();
        let home = &semantics.state("arm", "home").unwrap().positions;
        let home = arm.configuration(home).unwrap();
        let name = arm.robot().name();
        assert_eq!(exact.contact(&home), None, "{name}");
        assert!(spheres.is_free(&home).unwrap(), "{name}");
        let mut random = random(7);
        let (mut free, mut truly) = (0, 0);
        for _ in 0..1000 {
            let q = random_configuration(arm.robot(), &mut random);
            let by_spheres = spheres.is_free(&q).unwrap();
            let by_shapes = exact.is_free(&q).unwrap();
            assert!(!by_spheres || by_shapes);
            free += usize::from(by_spheres);
            truly += usize::from(by_shapes);
        }
        println!("{name}: {free} of 1000 free by spheres, {truly} by shapes");
        assert!(free > 150, "{name}: {free} of 1000 free");
    }
}

/// Published robots in published scenes, and a shipped one among every kind of obstacle.
static ARMS_AND_SCENES: LazyLock<Vec<(Arm, SphereModel, Scene)>> = LazyLock::new(|| {
    let (robot, semantics) = models::panda_like();
    let arm = Arm::new(robot, &semantics, "arm").unwrap();
    let model = SphereModel::cover(arm.robot(), 128);
    let mut all = vec![(arm, model, scene_of_everything())];
    for (name, group, set) in [
        ("panda", "panda_arm", "cage"),
        ("ur5", "manipulator", "table_pick"),
    ] {
        let Some(folder) = psmp_testdata::published(&format!("motion_bench_maker/{name}")) else {
            continue;
        };
        let robot = Robot::read(folder.join(format!("{name}.urdf"))).unwrap();
        let semantics = Semantics::read(folder.join(format!("{name}.srdf")), &robot).unwrap();
        let arm = Arm::new(robot, &semantics, group).unwrap();
        let scene = folder.join(format!("problems/{set}/scene0001.yaml"));
        let model = SphereModel::cover(arm.robot(), psmp_arm::DEFAULT_SPHERES);
        all.push((arm, model, Scene::read(scene).unwrap()));
    }
    all
});

#[test]
fn refined_verdicts_are_those_of_the_true_shapes() {
    for (arm, model, scene) in &*ARMS_AND_SCENES {
        let name = arm.robot().name();
        let mut refined = RefinedWorld::new(arm, model, scene).unwrap();
        let mut exact = ExactWorld::new(arm, scene).unwrap();
        let dimension = arm.dimension();
        let batch = psmp::roadmap::uniform(arm.space(), 1000, 4);
        let truly: Vec<bool> = batch
            .chunks_exact(dimension)
            .map(|q| exact.is_free(q).unwrap())
            .collect();
        let free = truly.iter().filter(|&&free| free).count();
        assert!((50..950).contains(&free), "{name}: {free} of 1000 free");
        let mut rest = 0;
        for (index, q) in batch.chunks_exact(dimension).enumerate() {
            assert_eq!(refined.is_free(q).unwrap(), truly[index], "{name}: {q:?}");
            if !truly[index] {
                let found = refined.first_collision(&batch[rest * dimension..], dimension);
                assert_eq!(found.unwrap(), Some(index - rest), "{name}");
                rest = index + 1;
            }
        }
    }
}

/// What is clear by the true shapes has its distances greater than the margins, spheres call nothing
/// clear that the true shapes do not, and refined answers are the true ones.
#[test]
fn margins_are_kept_by_all_worlds_alike() {
    for (arm, model, scene) in &*ARMS_AND_SCENES {
        let name = arm.robot().name();
        let mut spheres = SphereWorld::new(arm, model, scene).unwrap();
        let mut refined = RefinedWorld::new(arm, model, scene).unwrap();
        let mut exact = ExactWorld::new(arm, scene).unwrap();
        let dimension = arm.dimension();
        let mut random = random(11);
        let (mut clear, mut by_spheres, mut near) = (0, 0, 0);
        let batch = psmp::roadmap::uniform(arm.space(), 603, 12);
        for block in batch.chunks(8 * dimension) {
            let mut margins: Margins = exact.no_margins();
            assert_eq!(margins, spheres.no_margins());
            let lanes = block.chunks_exact(dimension);
            let free = lanes.enumerate().fold(0, |free, (lane, q)| {
                free | u8::from(exact.is_free(q).unwrap()) << lane
            });
            assert_eq!(refined.clear(block, &margins), free, "{name}");
            let scale = 0.05 * random();
            let all = margins.bodies.iter_mut().chain(&mut margins.pairs);
            all.for_each(|margin| *margin = scale * random());
            let truly = exact.clear(block, &margins);
            assert_eq!(refined.clear(block, &margins), truly, "{name}");
            let careful = spheres.clear(block, &margins);
            assert_eq!(careful & !truly, 0, "{name}");
            assert_eq!(truly & !free, 0, "{name}");
            clear += truly.count_ones();
            by_spheres += careful.count_ones();
            near += (free & !truly).count_ones();
        }
        println!("{name}: {clear} clear, {by_spheres} by spheres; {near} free and too near");
        assert!(clear > 50 && by_spheres > 10 && near > 0, "{name}");
    }
}

/// The spheres of the UR5's wrist and upper arm touch its neighbours' wherever it is; a roadmap is
/// made all the same.
#[test]
fn links_that_crowd_each_other_leave_room() {
    let mut all = ARMS_AND_SCENES.iter();
    let Some((arm, model, _)) = all.find(|(arm, ..)| arm.group() == "manipulator") else {
        return;
    };
    let mut spheres = SphereWorld::new(arm, model, &Scene::default()).unwrap();
    let mut exact = ExactWorld::new(arm, &Scene::default()).unwrap();
    let (mut free, mut truly, mut differing) = (0, 0, 0);
    for q in psmp::roadmap::uniform(arm.space(), 2000, 2).chunks_exact(arm.dimension()) {
        let by_spheres = spheres.is_free(q).unwrap();
        let by_shapes = exact.is_free(q).unwrap();
        assert!(!by_spheres || by_shapes);
        differing += usize::from(spheres.is_free_in_one_lane(q) != by_spheres);
        free += usize::from(by_spheres);
        truly += usize::from(by_shapes);
    }
    println!("{free} of 2000 free by spheres, {truly} by shapes");
    assert!(2 * free > truly, "{free} of {truly}");
    assert!(differing <= 2, "{differing}");
    let connection = Connection::Nearest(5);
    let roadmap = joint_roadmap(arm, model, 300, Sampling::Halton, connection).unwrap();
    assert_eq!(roadmap.vertex_count(), 300);
}
