//! Kinematics and checks of an arm allocate nothing once there is room.
//!
//! The counting allocator is global, so this is a test binary of its own with a single test.
#![allow(clippy::unwrap_used, reason = "in a test an unwrap is an assertion")]

#[path = "../../../tests/rust/counting.rs"]
mod counting;

use counting::{allocations, check_counter};
use psmp::checker::World;
use psmp_arm::{
    Arm, ArmWorld, Object, Placed, Pose, Scene, Shape, SphereModel, SphereWorld, SphereWorlds,
    models,
};

#[test]
fn kinematics_and_checks_allocate_nothing() {
    check_counter();

    let (robot, semantics) = models::planar(6);
    let arm = Arm::new(robot, &semantics, "arm").unwrap();
    let spheres = SphereModel::cover(arm.robot(), 40);
    let scene = |x: f64| Scene {
        objects: vec![Object {
            name: "box".to_owned(),
            shapes: vec![Placed {
                shape: Shape::cuboid([0.1, 0.1, 0.1]).unwrap(),
                pose: Pose::at([x, 0.4, 0.0]),
            }],
        }],
        ..Scene::default()
    };
    let mut world = SphereWorld::new(&arm, &spheres, &scene(0.3)).unwrap();
    let mut worlds = SphereWorlds::new(&arm, &spheres, &[scene(0.3), scene(0.5)]).unwrap();
    let margins = world.no_margins();
    let kinematics = arm.kinematics();
    let single = kinematics.cast::<f32>();
    let batch = psmp::roadmap::uniform(arm.space(), 1000, 1);
    let narrow: Vec<f32> = batch.iter().map(|&v| v as f32).collect();
    let mut poses = kinematics.poses(1000);
    let mut narrow_poses = single.poses(1000);
    let mut free = [0];
    let mut run = || {
        kinematics.compute(&batch, &mut poses);
        single.compute(&narrow, &mut narrow_poses);
        let mut hits = 0;
        for edge in batch.chunks(6 * 20) {
            let Ok(hit) = world.first_collision(edge, 6);
            hits += usize::from(hit.is_some());
            worlds.free_in(edge, &mut free);
        }
        hits += world.room(&batch[..6]).is_sign_positive() as usize;
        hits += world.clear(&batch[..6 * 8], &margins).count_ones() as usize;
        hits
    };
    let hits = run();
    assert!(hits > 0);
    let before = allocations();
    assert_eq!(run(), hits);
    assert_eq!(allocations(), before);
}
