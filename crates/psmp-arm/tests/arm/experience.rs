//! Roadmaps, tables and proved motions of an arm.

use crate::random;
use psmp::belief::IndependentEdges;
use psmp::checker::{BisectionChecker, Checker, EdgeMemory, Part, Sightings, World};
use psmp::proposer::LazySp;
use psmp::validator::FailFast;
use psmp::{Connection, EdgeId, Limit, Planner, Query, Resolution, VertexId, WorldId};
use psmp_arm::{
    Arm, CheckedArm, Checking, Object, Placed, Pose, Sampling, Scene, Shape, SphereModel,
    SphereWorld, SphereWorlds, SweptVolumes, TableJob, joint_roadmap, models,
};
use std::sync::atomic::{AtomicUsize, Ordering};

fn arm() -> (Arm, SphereModel) {
    let (robot, semantics) = models::panda_like();
    let arm = Arm::new(robot, &semantics, "arm").unwrap();
    let spheres = SphereModel::cover(arm.robot(), 80);
    (arm, spheres)
}

fn coarse() -> Resolution {
    Resolution::largest_axis(0.2).unwrap()
}

/// Scenes of a few boxes each.
fn scenes(count: usize) -> Vec<Scene> {
    let mut dice = random(3);
    (0..count)
        .map(|_| Scene {
            objects: (0..4)
                .map(|i| Object {
                    name: format!("box{i}"),
                    shapes: vec![Placed {
                        shape: Shape::cuboid([0.2, 0.2, 0.3]).unwrap(),
                        pose: {
                            // Around the arm's foot, not in it.
                            let (way, angle) = (0.35 + 0.3 * dice(), 6.3 * dice());
                            let xyz = [way * angle.cos(), way * angle.sin(), 0.2 + 0.6 * dice()];
                            Pose::from_xyz_rpy(xyz, [0.0, 0.0, 3.0 * dice()])
                        },
                    }],
                })
                .collect(),
            ..Scene::default()
        })
        .collect()
}

#[test]
fn a_table_says_what_single_checks_say_and_goes_on_where_it_was() {
    let (arm, spheres) = arm();
    for sampling in [Sampling::Halton, Sampling::Uniform(4)] {
        let roadmap = joint_roadmap(&arm, &spheres, 250, sampling, Connection::Nearest(5)).unwrap();
        assert_eq!(roadmap.vertex_count(), 250);
        let mut scenes = scenes(70);
        // Scenes may differ in which links may touch, and in what stands in the robot's foot.
        scenes[3].allowed.set("link5", "link7", false);
        scenes[4].allowed.set("link0", "hand", true);
        scenes[5].objects[0].shapes[0].pose = Pose::IDENTITY;
        let worlds = SphereWorlds::new(&arm, &spheres, &scenes).unwrap();
        let job = TableJob {
            roadmap: &roadmap,
            worlds: &worlds,
            resolution: coarse(),
            name: 1,
        };
        let folder = tempfile::tempdir().unwrap();
        let table = job.compute(folder.path(), |_| ()).unwrap();
        let mut free = 0;
        for (index, scene) in scenes.iter().enumerate() {
            let world = SphereWorld::new(&arm, &spheres, scene).unwrap();
            let mut checker = BisectionChecker::new(&roadmap, coarse(), world).unwrap();
            let mut sightings = Sightings::new(7);
            for edge in roadmap.edge_ids() {
                sightings.clear();
                let found = checker.check(Part::whole_of(edge), &mut sightings).unwrap();
                let row = table.is_free(WorldId(index as u32), edge);
                assert_eq!(Some(row), found.free, "scene {index}, edge {}", edge.0);
                free += usize::from(row);
            }
        }
        let all = scenes.len() * roadmap.edge_count();
        assert!(free > all / 10 && free < all * 9 / 10, "{free} of {all}");
        // What is done is not done again; what is damaged is.
        let parts = std::fs::read_dir(folder.path())
            .unwrap()
            .next()
            .unwrap()
            .unwrap()
            .path();
        let [first, second] = ["000000", "000001"].map(|f| parts.join(f));
        std::fs::write(&first, "damaged").unwrap();
        let written = std::fs::metadata(&second).unwrap().modified().unwrap();
        let counted = AtomicUsize::new(0);
        let again = job
            .compute(folder.path(), |edges| {
                counted.fetch_add(edges, Ordering::Relaxed);
            })
            .unwrap();
        assert_eq!(again, table);
        assert_eq!(counted.into_inner(), roadmap.edge_count());
        assert_ne!(std::fs::read(&first).unwrap(), b"damaged");
        let kept = std::fs::metadata(&second).unwrap().modified().unwrap();
        assert_eq!(kept, written);
        job.clean(folder.path()).unwrap();
        assert!(!parts.exists());
    }
}

/// A proved edge must be free however finely it is looked at, but for the tolerance; and one that is free
/// with room to spare must be proved so.
#[test]
fn proved_motions_are_free_all_the_way() {
    let (arm, spheres) = arm();
    let roadmap =
        joint_roadmap(&arm, &spheres, 60, Sampling::Halton, Connection::Nearest(4)).unwrap();
    let scene = &scenes(1)[0];
    for checking in [Checking::Spheres, Checking::Refined] {
        let world = CheckedArm::new(checking, &arm, &spheres, scene).unwrap();
        let mut fine = world.clone();
        let checker = BisectionChecker::new(&roadmap, coarse(), world).unwrap();
        let mut checker = checker.proving();
        let mut sightings = Sightings::new(7);
        let space = arm.space();
        let (mut proved, mut refuted) = (0, 0);
        // Fewer by the true shapes, which take longer.
        let one_in = if checking == Checking::Spheres { 1 } else { 5 };
        for edge in roadmap.edge_ids().step_by(one_in) {
            let Ok(found) = checker.check(Part::whole_of(edge), &mut sightings);
            if found.free != Some(true) {
                continue;
            }
            let Ok(proof) = checker.prove(edge, &Limit::NONE);
            let e = roadmap.edge(edge);
            let [a, b] = [e.from, e.to].map(|v| roadmap.configuration(v).unwrap());
            let mut q = vec![0.0; 7];
            let mut is_free = (0..=2000).map(|step| {
                space.interpolate(a, b, f64::from(step) / 2000.0, &mut q);
                fine.is_free(&q).unwrap()
            });
            match proof.free {
                // A graze of less than the tolerance may go unseen, and is none of 2000 here.
                Some(true) => assert!(is_free.all(|free| free), "edge {}", edge.0),
                // Of what is blocked so deep that 2000 configurations show it, there is some.
                Some(false) => refuted += usize::from(!is_free.all(|free| free)),
                None => panic!("nothing limits it"),
            }
            proved += usize::from(proof.free == Some(true));
        }
        println!("{checking}: {proved} proved free, {refuted} refuted");
        assert!(proved > 10 && refuted > 0, "{proved} {refuted}");
    }
}

/// Plan, move one object, plan again: the second plan is as good as one from scratch and asks only
/// about edges that the object can have affected.
#[test]
fn a_moved_object_costs_only_the_edges_that_it_can_affect() {
    let (arm, spheres) = arm();
    let roadmap = joint_roadmap(
        &arm,
        &spheres,
        300,
        Sampling::Halton,
        Connection::Nearest(8),
    )
    .unwrap();
    let mut dice = random(8);
    let (mut again, mut afresh, mut solved) = (0, 0, 0);
    for scene in scenes(10) {
        let before = SphereWorld::new(&arm, &spheres, &scene).unwrap();
        let swept = SweptVolumes::new(&roadmap, coarse(), &before).unwrap();
        let mut changed = scene.clone();
        let lift = [0.2 * dice() - 0.1, 0.2 * dice() - 0.1, 0.0];
        let pose = &mut changed.objects[0].shapes[0].pose;
        pose.translation = [0, 1, 2].map(|i| pose.translation[i] + lift[i]);
        let after = before.in_scene(&arm, &changed).unwrap();
        let plan = |world: &SphereWorld, memory: &mut EdgeMemory| {
            let checker = BisectionChecker::new(&roadmap, coarse(), world.clone()).unwrap();
            let query = Query {
                start: VertexId(0),
                goal: VertexId(199),
            };
            let belief = IndependentEdges::constant(0.9).unwrap();
            let mut planner =
                Planner::new(&roadmap, query, LazySp, belief, FailFast, checker).knowing(memory);
            while planner.next().is_some() {}
            memory.remember_all(planner.ledger());
            (
                planner.best_path().map(|p| p.length()),
                planner.progress().configurations,
            )
        };
        let mut memory = EdgeMemory::default();
        plan(&before, &mut memory);
        // What is known of an edge that was added for a query is not certain any more.
        let added = EdgeId(roadmap.edge_count() as u32);
        memory.remember(added, true);
        let first = memory.clone();
        let [gone, new] = [&scene, &changed].map(|s| &s.objects[0]);
        swept.moved(gone, new, &mut memory);
        assert_eq!(memory.status(added), None);
        // Just what the object can have changed is forgotten: blocked edges where it was, free ones
        // where it is.
        let affected = [gone, new].map(|object| {
            let edges = swept.affected(&object.shapes);
            edges.collect::<std::collections::HashSet<_>>()
        });
        for edge in roadmap.edge_ids() {
            let kept = first.status(edge).filter(|free| match free {
                false => !affected[0].contains(&edge),
                true => !affected[1].contains(&edge),
            });
            assert_eq!(memory.status(edge), kept, "edge {}", edge.0);
        }
        // What is still known is still so.
        let mut truth = BisectionChecker::new(&roadmap, coarse(), after.clone()).unwrap();
        let mut sightings = Sightings::new(7);
        for edge in roadmap.edge_ids() {
            if let Some(free) = memory.status(edge) {
                sightings.clear();
                let found = truth.check(Part::whole_of(edge), &mut sightings).unwrap();
                assert_eq!(Some(free), found.free);
            }
        }
        let (length, cost) = plan(&after, &mut memory);
        let (expected, full) = plan(&after, &mut EdgeMemory::default());
        assert_eq!(length, expected);
        again += cost;
        afresh += full;
        solved += usize::from(length.is_some());
    }
    println!("planning again took {again} configurations, afresh {afresh}; {solved} of 10 solved");
    assert!(2 * again < afresh, "{again} {afresh}");
    assert!(solved > 2);
}
