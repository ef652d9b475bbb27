//! When a scene changes: which edges can be affected, and what stays known of all others.
//!
//! [`SweptVolumes`] holds a box around what each body sweeps along each edge. An object that comes
//! can only block edges that sweep through its place, an object that goes can only free such edges.
//! An [`EdgeMemory`] keeps the verdicts of edges from plan to plan, and is made to forget just those. It
//! knows few edges, and no others are asked about; to find all affected edges every box is looked at,
//! because an object affects so many that a tree of the boxes is hardly faster.
//!
//! Between runs of a program the same is done by what is kept in files: a [`WorldRecord`] tells the
//! things of a scene apart and has the boxes around them ([`world_record`]), and [`still_known`] says what
//! holds in the scene of now of all that was known in the one before.

use crate::arm::Arm;
use crate::checking::Checking;
use crate::geometry::Placed;
use crate::robot_hash::{add_robot, add_shape, add_spheres};
use crate::scene::{Object, Scene};
use crate::sphere_cover::SphereModel;
use crate::spheres::SphereWorld;
use psmp::checker::EdgeMemory;
use psmp::{EdgeId, Resolution, Roadmap};
use psmp_files::{Kept, Thing, WorldRecord};
use std::hash::{Hash, Hasher};
use twox_hash::XxHash64;

/// The least and the greatest coordinates of a box.
type Bounds = ([f32; 3], [f32; 3]);

const NOTHING: Bounds = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);

fn join(one: &Bounds, other: &Bounds) -> Bounds {
    (
        [0, 1, 2].map(|i| one.0[i].min(other.0[i])),
        [0, 1, 2].map(|i| one.1[i].max(other.1[i])),
    )
}

fn meet(one: &Bounds, other: &Bounds) -> bool {
    (0..3).all(|i| one.0[i] <= other.1[i] && other.0[i] <= one.1[i])
}

/// The boxes around shapes.
fn around(shapes: &[Placed]) -> Vec<Bounds> {
    let bounds = shapes.iter().map(|s| s.shape.bounds(&s.pose));
    // Rounded outwards.
    bounds
        .map(|(low, high)| (low.map(|v| v as f32 - 1e-5), high.map(|v| v as f32 + 1e-5)))
        .collect()
}

/// What the bodies of an arm sweep along the edges of a roadmap, as boxes.
#[derive(Debug, Clone)]
pub struct SweptVolumes {
    /// A box for each body along each edge.
    boxes: Vec<Bounds>,
    bodies: usize,
}

impl SweptVolumes {
    /// Sweeps the arm of `world` along every edge, by the configurations that are checked at this
    /// resolution. `None` if the roadmap has no configurations.
    #[must_use]
    pub fn new(roadmap: &Roadmap, resolution: Resolution, world: &SphereWorld) -> Option<Self> {
        let mut q = vec![0.0; roadmap.space()?.dimension()];
        let mut world = world.clone();
        let bodies = world.body_count();
        let mut boxes = vec![NOTHING; roadmap.edge_count() * bodies];
        let all = boxes.chunks_exact_mut(bodies.max(1));
        for (edge, swept) in roadmap.edge_ids().zip(all) {
            let motion = roadmap.motion(edge, resolution)?;
            for step in 0..motion.configurations() {
                motion.write(step, &mut q);
                world.body_boxes(&q, |body, low, high| {
                    swept[body] = join(&swept[body], &(low, high));
                });
            }
        }
        Some(Self { boxes, bodies })
    }

    /// The edges along which some body sweeps through the box around a shape.
    pub fn affected(&self, shapes: &[Placed]) -> impl Iterator<Item = EdgeId> {
        let around = around(shapes);
        let edges = self.boxes.chunks_exact(self.bodies.max(1)).enumerate();
        edges
            .filter(move |(_, swept)| swept.iter().any(|s| around.iter().any(|a| meet(s, a))))
            .map(|(edge, _)| EdgeId(edge as u32))
    }

    /// An object has come into the scene: free edges through its place are uncertain now.
    pub fn came(&self, object: &Object, memory: &mut EdgeMemory) {
        self.forget(object, true, memory);
    }

    /// An object has left the scene: blocked edges through its place are uncertain now.
    pub fn went(&self, object: &Object, memory: &mut EdgeMemory) {
        self.forget(object, false, memory);
    }

    /// An object has moved.
    pub fn moved(&self, before: &Object, after: &Object, memory: &mut EdgeMemory) {
        self.went(before, memory);
        self.came(after, memory);
    }

    fn forget(&self, object: &Object, which: bool, memory: &mut EdgeMemory) {
        let around = around(&object.shapes);
        // Few edges are known, so these are asked about, and not the object about all edges.
        memory.forget_if(|edge, free| free == which && self.may_meet(edge, &around));
    }

    /// Whether some body may sweep through one of these boxes along an edge. Of edges that a query has
    /// added to the roadmap it is not known what is swept along them.
    fn may_meet(&self, edge: EdgeId, around: &[Bounds]) -> bool {
        let mut edges = self.boxes.chunks_exact(self.bodies.max(1));
        let own = edges.nth(edge.index());
        own.is_none_or(|own| own.iter().any(|s| around.iter().any(|a| meet(s, a))))
    }
}

/// What verdicts on the motions of an arm in a scene depend on: the arm, how it is checked, and what
/// stands around it.
#[must_use]
pub fn world_record(
    arm: &Arm,
    spheres: &SphereModel,
    scene: &Scene,
    checking: Checking,
    resolution: Resolution,
) -> WorldRecord {
    let mut robot = XxHash64::with_seed(0);
    add_robot(&mut robot, arm.robot());
    for name in arm.names() {
        name.hash(&mut robot);
    }
    let mut checks = XxHash64::with_seed(0);
    arm.add_group(&mut checks);
    add_spheres(&mut checks, spheres);
    checking.to_string().hash(&mut checks);
    // It says by what steps are measured, too.
    format!("{resolution:?}").hash(&mut checks);
    scene.allowed.hash(&mut checks);
    let held = scene.attached.iter().map(|held| {
        let mut hash = XxHash64::with_seed(0);
        add_object(&mut hash, &held.object);
        held.link.hash(&mut hash);
        held.touch.hash(&mut hash);
        hash.finish()
    });
    let mut held: Vec<u64> = held.collect();
    held.sort_unstable();
    let things = scene.objects.iter().map(|object| {
        let mut hash = XxHash64::with_seed(0);
        add_object(&mut hash, object);
        let boxes = around(&object.shapes);
        Thing {
            hash: hash.finish(),
            boxes: boxes.into_iter().map(|(low, high)| [low, high]).collect(),
        }
    });
    let mut things: Vec<Thing> = things.collect();
    // In whichever order they stand in a file.
    things.sort_by_key(|thing| thing.hash);
    WorldRecord {
        robot: robot.finish(),
        checks: checks.finish(),
        things,
        held,
    }
}

/// Adds an object: its name too, because what may touch it is said by name.
fn add_object(hash: &mut XxHash64, object: &Object) {
    object.name.hash(hash);
    hash.write_usize(object.shapes.len());
    for placed in &object.shapes {
        add_shape(hash, placed);
    }
}

/// What of all that was known of the edges of a kept roadmap is still so in the scene of now, whose arm is
/// `world`'s. An object that came can only block edges that sweep through its place, one that went can only
/// free such edges. What the arm has taken up can block any edge and free none, what it has let go of the other way
/// round. Where the arm is checked in another way, nothing is known.
#[must_use]
pub fn still_known(
    kept: &Kept,
    now: &WorldRecord,
    resolution: Resolution,
    world: &SphereWorld,
) -> EdgeMemory {
    let change = [&kept.world, now];
    known_after(change, &kept.roadmap, kept.known.clone(), resolution, world)
}

/// The same of a roadmap and what was known of it in the first of two worlds: what is so in the second.
#[must_use]
pub fn known_after(
    [before, now]: [&WorldRecord; 2],
    roadmap: &Roadmap,
    mut known: EdgeMemory,
    resolution: Resolution,
    world: &SphereWorld,
) -> EdgeMemory {
    if (before.robot, before.checks) != (now.robot, now.checks) {
        return EdgeMemory::default();
    }
    let only_in = |these: &WorldRecord, those: &WorldRecord| -> Vec<Bounds> {
        let things = these.things.iter().filter(|t| !those.things.contains(t));
        things
            .flat_map(|t| &t.boxes)
            .map(|&[low, high]| (low, high))
            .collect()
    };
    let (went, came) = (only_in(before, now), only_in(now, before));
    let held_only_in = |these: &WorldRecord, those: &WorldRecord| {
        these.held.iter().any(|thing| !those.held.contains(thing))
    };
    let (let_go, took_up) = (held_only_in(before, now), held_only_in(now, before));
    if went.is_empty() && came.is_empty() && !let_go && !took_up {
        return known;
    }
    let mut sweep = Sweeping::new(roadmap, resolution, world);
    known.forget_if(|edge, free| {
        let (any, changed) = if free {
            (took_up, &came)
        } else {
            (let_go, &went)
        };
        any || (!changed.is_empty() && sweep.may_meet(edge, changed))
    });
    known
}

/// Sweeps an arm along single edges.
struct Sweeping<'a> {
    roadmap: &'a Roadmap,
    resolution: Resolution,
    world: SphereWorld,
    configuration: Vec<f64>,
    /// Of each body, the box around all that it has swept, where it was last, and its longest step.
    swept: Vec<(Bounds, Option<Bounds>, f32)>,
}

impl<'a> Sweeping<'a> {
    fn new(roadmap: &'a Roadmap, resolution: Resolution, world: &SphereWorld) -> Self {
        Self {
            roadmap,
            resolution,
            world: world.clone(),
            configuration: vec![0.0; roadmap.space().map_or(0, |space| space.dimension())],
            swept: Vec::new(),
        }
    }

    /// Whether some body may sweep through one of these boxes along an edge, between the configurations
    /// that are checked too: there it is no farther from them than they are from each other.
    fn may_meet(&mut self, edge: EdgeId, boxes: &[Bounds]) -> bool {
        let Some(motion) = self.roadmap.motion(edge, self.resolution) else {
            return true;
        };
        self.swept.clear();
        self.swept
            .resize(self.world.body_count(), (NOTHING, None, 0.0));
        let swept = &mut self.swept;
        for step in 0..motion.configurations() {
            motion.write(step, &mut self.configuration);
            self.world
                .body_boxes(&self.configuration, |body, low, high| {
                    let (all, last, step) = &mut swept[body];
                    *all = join(all, &(low, high));
                    if let Some((before, _)) = last {
                        let moved = (0..3).map(|i| (low[i] - before[i]).abs());
                        *step = step.max(moved.fold(0.0, f32::max));
                    }
                    *last = Some((low, high));
                });
        }
        swept.iter().any(|((low, high), _, step)| {
            let wider = (low.map(|v| v - step), high.map(|v| v + step));
            boxes.iter().any(|one| meet(&wider, one))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::Shape;
    use crate::joint_roadmap::{Sampling, joint_roadmap};
    use crate::models;
    use crate::pose::Pose;
    use crate::scene::Attached;
    use psmp::Connection;
    use psmp::checker::{BisectionChecker, Checker, Part, Sightings};
    use psmp_files::Fingerprint;

    fn post(name: &str, x: f64, y: f64) -> Object {
        Object {
            name: name.to_owned(),
            shapes: vec![Placed {
                shape: Shape::cuboid([0.1, 0.1, 0.4]).unwrap(),
                pose: Pose::from_xyz_rpy([x, y, 0.5], [0.0; 3]),
            }],
        }
    }

    fn scene(objects: &[Object]) -> Scene {
        Scene {
            objects: objects.to_vec(),
            ..Scene::default()
        }
    }

    #[test]
    fn what_stays_known_in_another_scene_is_true_there() {
        let (robot, semantics) = models::panda_like();
        let spheres = SphereModel::cover(&robot, 20);
        let arm = Arm::new(robot, &semantics, "arm").unwrap();
        let near = Connection::Nearest(4);
        let roadmap = joint_roadmap(&arm, &spheres, 120, Sampling::Halton, near).unwrap();
        let resolution = Resolution::largest_axis(0.1).unwrap();
        let record =
            |scene: &Scene| world_record(&arm, &spheres, scene, Checking::Spheres, resolution);
        let verdicts = |scene: &Scene| -> Vec<bool> {
            let world = SphereWorld::new(&arm, &spheres, scene).unwrap();
            let mut checker = BisectionChecker::new(&roadmap, resolution, world).unwrap();
            let mut sightings = Sightings::new(7);
            let edges = roadmap.edge_ids();
            let free = edges.map(|edge| {
                sightings.clear();
                let found = checker.check(Part::whole_of(edge), &mut sightings);
                found.unwrap().free == Some(true)
            });
            free.collect()
        };
        let [a, b, c] = [
            post("a", 0.5, 0.3),
            post("b", 0.0, -0.6),
            post("c", -0.5, 0.2),
        ];
        let before = scene(&[a.clone(), b.clone()]);
        let mut known = EdgeMemory::default();
        for (edge, free) in (0..).map(EdgeId).zip(verdicts(&before)) {
            known.remember(edge, free);
        }
        let kept = Kept {
            first: Fingerprint::of(&roadmap),
            roadmap: roadmap.clone(),
            world: record(&before),
            known,
            belief: None,
        };
        let left = |scene: &Scene| {
            let world = SphereWorld::new(&arm, &spheres, scene).unwrap();
            let known = still_known(&kept, &record(scene), resolution, &world);
            let truth = verdicts(scene);
            let known: Vec<(EdgeId, bool)> = known.known().collect();
            for (edge, free) in &known {
                assert_eq!(*free, truth[edge.index()], "edge {}", edge.0);
            }
            known.len()
        };
        let all = roadmap.edge_count();
        // The order in which things stand in a file is no change.
        assert_eq!(left(&scene(&[b.clone(), a.clone()])), all);
        for changed in [
            scene(std::slice::from_ref(&a)),
            scene(&[a.clone(), b.clone(), c.clone()]),
            scene(&[b.clone(), c]),
            scene(&[post("a", 0.5, 0.35), b.clone()]),
        ] {
            let left = left(&changed);
            assert!(left < all && left > all / 10, "{left} of {all}");
        }
        // What is taken up frees nothing.
        let mut held = before.clone();
        held.attached.push(Attached {
            object: post("cup", 0.0, 0.0),
            link: "hand".to_owned(),
            touch: Vec::new(),
        });
        let blocked = verdicts(&before).iter().filter(|free| !**free).count();
        assert!(blocked > 0 && left(&held) == blocked);
        // What may touch changes everything.
        let mut allowed = before.clone();
        allowed.allowed.set("a", "hand", true);
        assert_eq!(left(&allowed), 0);
        // What is let go of blocks nothing, but where it stands then.
        let mut known = EdgeMemory::default();
        let truth = verdicts(&held);
        for (edge, free) in (0..).map(EdgeId).zip(&truth) {
            known.remember(edge, *free);
        }
        let mut put_down = before;
        put_down.objects.push(post("cup", 0.4, -0.4));
        let after = verdicts(&put_down);
        for (now, all) in [(&put_down, false), (&scene(&put_down.objects[..2]), true)] {
            let world = SphereWorld::new(&arm, &spheres, now).unwrap();
            let change = [&record(&held), &record(now)];
            let known = known_after(change, &roadmap, known.clone(), resolution, &world);
            let known: Vec<EdgeId> = known.known().map(|(edge, _)| edge).collect();
            assert!(known.iter().all(|edge| truth[edge.index()]));
            let free = truth.iter().filter(|free| **free).count();
            assert!(known.len() == free || (!all && known.len() < free && !known.is_empty()));
            if !all {
                assert!(known.iter().all(|edge| after[edge.index()]));
            }
        }
    }
}
