//! Cluttered tables: worlds for a shipped arm, made on the spot.
//!
//! An arm stands before a table on which things are crowded. It is to go from below the table to
//! above it, around the table's edge and between the things. The worlds perturb one base scene:
//! the table is shifted and raised a little, the things on it and on the floor stand somewhat
//! elsewhere and turned, and some are missing. Start and goal are the same in all worlds and free
//! in each, and in each the roadmap has a path: a world for which that is not so is drawn anew.

use crate::families::{normal_pair, within};
use psmp::belief::IndependentEdges;
use psmp::checker::{BisectionChecker, World};
use psmp::proposer::LazySp;
use psmp::roadmap::halton;
use psmp::validator::Forward;
use psmp::{Connection, Planner, Query, Resolution, Roadmap, Space};
use psmp_arm::{
    Arm, ArmError, ArmProblem, DEFAULT_NEIGHBOURS, DEFAULT_SPHERES, DEFAULT_VERTICES, Goal,
    MotionRequest, Object, Placed, Pose, Sampling, Scene, Shape, SphereModel, SphereWorld,
    joint_roadmap, models,
};
use psmp_files::FileError;
use psmp_worlds::graphml;
use rand::{Rng, RngExt};
use rand_pcg::Pcg64;
use rayon::prelude::*;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The arms that there is a table for.
pub const ARMS: [&str; 3] = ["panda-like", "wam-like", "ur5-like"];

/// How far apart the configurations of an edge are in the published experiment, whose worlds these are:
/// no joint moves farther than 0.2 rad from one to the next. It passes over thin things; who is to move
/// an arm asks more often ([`psmp_arm::DEFAULT_STEP`]).
#[must_use]
pub fn published_resolution() -> Resolution {
    match Resolution::largest_axis(0.2) {
        Ok(resolution) => resolution,
        Err(e) => unreachable!("it is a step: {e}"),
    }
}

/// How often a world is drawn before it is given up.
const MOST_DRAWS: usize = 1000;
/// How many configurations the start and the goal are chosen from.
const CANDIDATES: usize = 200_000;
/// How many of the nearest vertices start and goal are joined to.
const JOINED: usize = 50;

/// Why worlds cannot be made.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum ClutterError {
    /// There is no table for this arm.
    #[error("there is no cluttered table for the arm `{0}`")]
    Arm(String),
    /// The arm cannot be planned for.
    #[error(transparent)]
    Model(#[from] ArmError),
    /// The arm's roadmap cannot be made.
    #[error(transparent)]
    Roadmap(#[from] psmp::RoadmapError),
    /// The arm has no free configuration below or above the table.
    #[error("the arm `{arm}` has no free configuration {place} the table")]
    NoEnd {
        /// The arm.
        arm: &'static str,
        /// Below or above.
        place: &'static str,
    },
    /// World after world has no path.
    #[error(
        "with seed {seed}, none of {MOST_DRAWS} tables drawn has a free start, a free goal and a path"
    )]
    NoPath {
        /// The seed.
        seed: u64,
    },
}

/// Where the table stands for an arm whose root is at the origin: heights in metres.
struct Stage {
    arm: &'static str,
    /// The height of the table's surface.
    surface: f64,
    /// The height of the floor.
    floor: f64,
}

const STAGES: [Stage; 3] = [
    Stage {
        arm: ARMS[0],
        surface: 0.58,
        floor: -0.12,
    },
    Stage {
        arm: ARMS[1],
        surface: 0.25,
        floor: -0.55,
    },
    Stage {
        arm: ARMS[2],
        surface: 0.45,
        floor: -0.12,
    },
];

/// How thick the table is.
const THICKNESS: f64 = 0.04;
/// The table's middle and sides, seen from above.
const TABLE: ([f64; 2], [f64; 2]) = ([0.68, 0.0], [0.7, 1.2]);
/// How thick its legs are.
const LEG: f64 = 0.06;

/// A thing of the base scene.
struct Thing {
    name: &'static str,
    /// Where it stands, seen from above.
    at: [f64; 2],
    kind: Kind,
    /// Whether it stands on the floor.
    below: bool,
}

enum Kind {
    /// By its sides.
    Box([f64; 3]),
    /// By radius and height.
    Cylinder(f64, f64),
}

const fn on_table(name: &'static str, at: [f64; 2], kind: Kind) -> Thing {
    Thing {
        name,
        at,
        kind,
        below: false,
    }
}

const fn on_floor(name: &'static str, at: [f64; 2], kind: Kind) -> Thing {
    Thing {
        name,
        at,
        kind,
        below: true,
    }
}

/// The base scene besides the table. The middle of the table is left for the hand; what stands on
/// the floor beside the arm is in the way of now one swing of its elbow, now another.
const THINGS: [Thing; 11] = [
    on_table("carton", [0.52, 0.3], Kind::Box([0.16, 0.12, 0.24])),
    on_table("cereal", [0.82, -0.08], Kind::Box([0.07, 0.2, 0.3])),
    on_table("book", [0.48, -0.4], Kind::Box([0.15, 0.22, 0.05])),
    on_table("crate", [0.86, 0.36], Kind::Box([0.2, 0.24, 0.16])),
    on_table("bottle", [0.5, -0.2], Kind::Cylinder(0.04, 0.28)),
    on_table("vase", [0.7, 0.22], Kind::Cylinder(0.06, 0.26)),
    on_table("can", [0.66, -0.24], Kind::Cylinder(0.035, 0.13)),
    on_table("jar", [0.88, -0.38], Kind::Cylinder(0.05, 0.18)),
    on_floor("bin", [0.62, -0.38], Kind::Cylinder(0.12, 0.26)),
    on_floor("stool", [0.25, -0.55], Kind::Box([0.28, 0.28, 0.55])),
    on_floor("lamp", [0.3, 0.5], Kind::Cylinder(0.05, 1.3)),
];

/// How far a thing is from where it stands in the base scene, in each direction: the standard
/// deviation.
const SPREAD: f64 = 0.1;
/// How often a thing is missing.
const MISSING: f64 = 0.3;
/// How far the table is shifted and raised at most.
const SHIFT: f64 = 0.05;

/// An arm before a cluttered table.
pub struct Clutter {
    /// The arm.
    pub arm: Arm,
    /// The spheres that cover it.
    pub spheres: SphereModel,
    /// Where it begins in every world: below the table.
    pub start: Vec<f64>,
    /// Where it is to end: above the table.
    pub goal: Vec<f64>,
    /// The arm's roadmap with start and goal as its last two vertices.
    pub roadmap: Roadmap,
    /// From where to where on the roadmap.
    pub query: Query,
    stage: &'static Stage,
}

impl Clutter {
    /// The table of a shipped arm, one of [`ARMS`].
    ///
    /// # Errors
    /// If there is none for it.
    pub fn new(arm: &str) -> Result<Self, ClutterError> {
        let unknown = || ClutterError::Arm(arm.to_owned());
        let stage = STAGES.iter().find(|s| s.arm == arm).ok_or_else(unknown)?;
        let (robot, semantics) = models::named(arm).ok_or_else(unknown)?;
        let arm = Arm::new(robot, &semantics, "arm")?;
        let spheres = SphereModel::cover(arm.robot(), DEFAULT_SPHERES);
        let base = stage.base_scene();
        let mut world = SphereWorld::new(&arm, &spheres, &base)?;
        let surface = stage.surface;
        let below = [stage.floor + 0.1, surface - THICKNESS - 0.08];
        let above = [surface + 0.05, surface + 0.18];
        let end = |place, world: &mut SphereWorld, heights| {
            roomiest(&arm, world, heights).ok_or(ClutterError::NoEnd {
                arm: stage.arm,
                place,
            })
        };
        let start = end("below", &mut world, below)?;
        let goal = end("above", &mut world, above)?;
        let connection = Connection::Nearest(DEFAULT_NEIGHBOURS);
        let plain = joint_roadmap(
            &arm,
            &spheres,
            DEFAULT_VERTICES,
            Sampling::Halton,
            connection,
        )?;
        let (roadmap, query) = plain.with_query(&start, &goal, Connection::Nearest(JOINED))?;
        Ok(Self {
            arm,
            spheres,
            start,
            goal,
            roadmap,
            query,
            stage,
        })
    }

    /// The scene that all worlds perturb.
    #[must_use]
    pub fn base_scene(&self) -> Scene {
        self.stage.base_scene()
    }

    /// From below the table to above it, the same in all worlds.
    #[must_use]
    pub fn request(&self) -> MotionRequest {
        let named = |q: &[f64]| {
            let names = self.arm.names().map(str::to_owned);
            names.zip(q.iter().copied()).collect()
        };
        MotionRequest {
            group: self.arm.group().to_owned(),
            start: named(&self.start),
            goals: vec![Goal::Joints(named(&self.goal))],
        }
    }

    /// Makes worlds; `tick` is called after each, from any thread. The same seed gives the same
    /// worlds whatever the number of threads, and more worlds begin with those of fewer.
    ///
    /// # Errors
    /// If hardly any world has a path.
    pub fn worlds(
        &self,
        count: usize,
        seed: u64,
        tick: impl Fn() + Sync,
    ) -> Result<Vec<Scene>, ClutterError> {
        let empty = SphereWorld::new(&self.arm, &self.spheres, &Scene::default())?;
        (0..count)
            .into_par_iter()
            .with_max_len(1)
            .map(|world| {
                // A stream of its own for each world, so that the order of making is no matter.
                let mut random = Pcg64::new(u128::from(seed), world as u128 + 1);
                let drawn = (0..MOST_DRAWS).find_map(|_| {
                    let scene = self.stage.perturbed(&mut random);
                    let shortest = self.shortest_path(&empty, &scene);
                    shortest.map(|path| path.map(|_| scene)).transpose()
                });
                tick();
                drawn.unwrap_or(Err(ClutterError::NoPath { seed }))
            })
            .collect()
    }

    /// The length of the roadmap's shortest path in a scene, if start and goal are free and there
    /// is one. LazySP's first path is the shortest.
    fn shortest_path(
        &self,
        empty: &SphereWorld,
        scene: &Scene,
    ) -> Result<Option<f64>, ClutterError> {
        let mut world = empty.in_scene(&self.arm, scene)?;
        let (Ok(start), Ok(goal)) = (world.is_free(&self.start), world.is_free(&self.goal));
        if !start || !goal {
            return Ok(None);
        }
        let (checker, belief) = match (
            BisectionChecker::new(&self.roadmap, published_resolution(), world),
            IndependentEdges::constant(0.5),
        ) {
            (Ok(checker), Ok(belief)) => (checker, belief),
            (Err(e), _) => unreachable!("the roadmap has configurations: {e}"),
            (_, Err(e)) => unreachable!("a half is a probability: {e}"),
        };
        let (roadmap, query) = (&self.roadmap, self.query);
        let mut planner = Planner::new(roadmap, query, LazySp, belief, Forward, checker);
        Ok(planner.find_map(|event| {
            let Ok(event) = event;
            event.progress.best_length
        }))
    }

    /// The problem of a world.
    ///
    /// # Errors
    /// If the scene does not belong to the arm.
    pub fn problem(&self, scene: Scene) -> Result<ArmProblem, ArmError> {
        ArmProblem::new(&self.arm, scene, &self.request())
    }

    /// Where the scene of a world is in a folder, counted from 0; the file's name counts from 1.
    #[must_use]
    pub fn scene_path(folder: &Path, world: usize) -> PathBuf {
        folder.join(format!("scene{:04}.yaml", world + 1))
    }

    /// Where the request of a world is in a folder.
    #[must_use]
    pub fn request_path(folder: &Path, world: usize) -> PathBuf {
        folder.join(format!("request{:04}.yaml", world + 1))
    }

    /// Writes a folder of worlds: a scene and a request for each, in MoveIt's YAML, and the
    /// roadmap. `tick` is called after each world, from any thread.
    ///
    /// # Errors
    /// If a file cannot be written.
    pub fn write(
        &self,
        folder: &Path,
        worlds: &[Scene],
        tick: impl Fn() + Sync,
    ) -> Result<(), FileError> {
        std::fs::create_dir_all(folder).map_err(|e| FileError::io(folder, "create", e))?;
        let request = self.request();
        worlds.par_iter().enumerate().try_for_each(|(i, scene)| {
            scene.write(Self::scene_path(folder, i))?;
            request.write(Self::request_path(folder, i))?;
            tick();
            Ok(())
        })?;
        graphml::write(folder.join("roadmap.graphml"), &self.roadmap)
    }
}

/// The configuration with the most room around it of those whose tool is between two heights,
/// over or under the middle of the table.
fn roomiest(arm: &Arm, world: &mut SphereWorld, heights: [f64; 2]) -> Option<Vec<f64>> {
    let kinematics = arm.kinematics();
    let mut poses = kinematics.poses(1);
    let tool = arm.tool();
    let candidates = halton(&near_zero_turns(arm.space()), CANDIDATES);
    let mut best: Option<(f64, &[f64])> = None;
    for q in candidates.chunks_exact(arm.dimension()) {
        kinematics.compute(q, &mut poses);
        let [x, y, z] = poses.of(0)[tool].translation;
        let in_place = (0.55..0.75).contains(&x)
            && (-0.2..0.2).contains(&y)
            && (heights[0]..heights[1]).contains(&z);
        if in_place && world.is_free(q) == Ok(true) {
            let room = world.room(q);
            if best.is_none_or(|(most, _)| room > most) {
                best = Some((room, q));
            }
        }
    }
    best.map(|(_, q)| q.to_vec())
}

/// The space with joints that turn more than once kept to one turn, so that start and goal are not
/// a whole turn apart for nothing.
fn near_zero_turns(space: &Space) -> Space {
    use std::f64::consts::PI;
    let axes = space.axes().iter().map(|axis| {
        let narrowed = psmp::Axis::new(axis.lower().max(-PI), axis.upper().min(PI));
        narrowed.unwrap_or(*axis)
    });
    Space::new(axes.collect()).unwrap_or_else(|_| space.clone())
}

impl Stage {
    fn base_scene(&self) -> Scene {
        let mut scene = self.furniture([0.0; 3]);
        let things = THINGS.iter().map(|t| self.object(t, t.at, 0.0, 0.0));
        scene.objects.extend(things);
        scene
    }

    /// One world.
    fn perturbed(&self, random: &mut impl Rng) -> Scene {
        let shift = [0; 3].map(|_| within(random, [-SHIFT, SHIFT]));
        let mut scene = self.furniture(shift);
        // Seen from above, each thing is a disc, and discs keep apart.
        let mut standing: Vec<(bool, [f64; 2], f64)> = Vec::new();
        for thing in &THINGS {
            if random.random::<f64>() < MISSING {
                continue;
            }
            let yaw = within(random, [-0.5, 0.5]);
            let radius = thing.kind.radius();
            let place = (0..MOST_DRAWS).find_map(|_| {
                let moved = normal_pair(random);
                let at = [0, 1].map(|i| thing.at[i] + SPREAD * moved[i] + shift[i]);
                let apart = standing.iter().all(|(below, other, wide)| {
                    let gap = (at[0] - other[0]).hypot(at[1] - other[1]);
                    *below != thing.below || gap > radius + wide
                });
                (apart && (thing.below || on_top(at, shift))).then_some(at)
            });
            // Where the others leave no room, it is missing.
            if let Some(at) = place {
                standing.push((thing.below, at, radius));
                scene.objects.push(self.object(thing, at, yaw, shift[2]));
            }
        }
        scene
    }

    /// Table and floor.
    fn furniture(&self, shift: [f64; 3]) -> Scene {
        let ([x, y], [long, wide]) = TABLE;
        let (x, y) = (x + shift[0], y + shift[1]);
        let surface = self.surface + shift[2];
        let mut table = vec![cuboid(
            [x, y, surface - THICKNESS / 2.0],
            [long, wide, THICKNESS],
            0.0,
        )];
        let height = surface - THICKNESS - self.floor;
        for (right, front) in [(-1.0, -1.0), (-1.0, 1.0), (1.0, -1.0), (1.0, 1.0)] {
            let at = [
                x + right * (long - LEG) / 2.0,
                y + front * (wide - LEG) / 2.0,
                self.floor + height / 2.0,
            ];
            table.push(cuboid(at, [LEG, LEG, height], 0.0));
        }
        let floor = cuboid([0.0, 0.0, self.floor - 0.05], [3.0, 3.0, 0.1], 0.0);
        let object = |name: &str, shapes| Object {
            name: name.to_owned(),
            shapes,
        };
        Scene {
            robot: Some(self.arm.replace('-', "_")),
            objects: vec![object("floor", vec![floor]), object("table", table)],
            ..Scene::default()
        }
    }

    fn object(&self, thing: &Thing, [x, y]: [f64; 2], yaw: f64, raised: f64) -> Object {
        let ground = match thing.below {
            true => self.floor,
            false => self.surface + raised,
        };
        let placed = match thing.kind {
            Kind::Box(sides) => cuboid([x, y, ground + sides[2] / 2.0], sides, yaw),
            Kind::Cylinder(radius, height) => Placed {
                shape: Shape::Cylinder {
                    radius,
                    half_height: height / 2.0,
                },
                pose: Pose::at([x, y, ground + height / 2.0]),
            },
        };
        Object {
            name: thing.name.to_owned(),
            shapes: vec![placed],
        }
    }
}

impl Kind {
    /// The radius of a disc around it, seen from above.
    fn radius(&self) -> f64 {
        match self {
            Self::Box([long, wide, _]) => long.hypot(*wide) / 2.0,
            Self::Cylinder(radius, _) => *radius,
        }
    }
}

/// Whether the middle of a thing is on the table.
fn on_top(at: [f64; 2], shift: [f64; 3]) -> bool {
    let (middle, sides) = TABLE;
    (0..2).all(|i| (at[i] - middle[i] - shift[i]).abs() < sides[i] / 2.0 - 0.03)
}

fn cuboid(middle: [f64; 3], sides: [f64; 3], yaw: f64) -> Placed {
    Placed {
        shape: Shape::Box(sides.map(|s| s / 2.0)),
        pose: Pose::from_xyz_rpy(middle, [0.0, 0.0, yaw]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp_arm::ExactWorld;

    #[test]
    fn a_seed_gives_the_same_worlds_on_any_number_of_threads() {
        let clutter = Clutter::new("panda-like").unwrap();
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            let make = || clutter.worlds(6, 5, || {}).unwrap();
            pool.build().unwrap().install(make)
        };
        let (one, three) = (on(1), on(3));
        assert_eq!(one, three);
        assert!((1..6).all(|w| one[0] != one[w]));
        assert_ne!(one, clutter.worlds(6, 6, || {}).unwrap());
        assert_eq!(clutter.worlds(3, 5, || {}).unwrap(), one[..3]);
    }

    /// Every arm begins below its table and ends above it, free by the true shapes too, and the
    /// table is in the way in most worlds, in different ways.
    #[test]
    fn the_table_is_in_the_way() {
        for arm in ARMS {
            let clutter = Clutter::new(arm).unwrap();
            let space = clutter.arm.space();
            let mut between = vec![0.0; space.dimension()];
            let worlds = clutter.worlds(20, 1, || {}).unwrap();
            let empty =
                SphereWorld::new(&clutter.arm, &clutter.spheres, &Scene::default()).unwrap();
            let mut lengths = std::collections::BTreeSet::new();
            let mut direct = 0;
            for scene in &worlds {
                let length = clutter.shortest_path(&empty, scene).unwrap().unwrap();
                lengths.insert(length.to_bits());
                let problem = clutter.problem(scene.clone()).unwrap();
                assert_eq!(problem.touches().unwrap(), [], "{arm}");
                let mut world = ExactWorld::new(&clutter.arm, scene).unwrap();
                direct += usize::from((0..=50).all(|i| {
                    let share = f64::from(i) / 50.0;
                    space.interpolate(&clutter.start, &clutter.goal, share, &mut between);
                    world.is_free(&between).unwrap()
                }));
            }
            assert!(direct <= 2, "{arm}: {direct} of 20 direct motions are free");
            let count = lengths.len();
            assert!(
                count >= 8,
                "{arm}: {count} different shortest paths in 20 worlds"
            );
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let clutter = Clutter::new("panda-like").unwrap();
        let worlds = clutter.worlds(2, 3, || {}).unwrap();
        clutter.write(folder.path(), &worlds, || {}).unwrap();
        let scene = Scene::read(Clutter::scene_path(folder.path(), 1)).unwrap();
        assert_eq!(scene.objects.len(), worlds[1].objects.len());
        let request = MotionRequest::read(Clutter::request_path(folder.path(), 1)).unwrap();
        let problem = ArmProblem::new(&clutter.arm, scene, &request).unwrap();
        assert_eq!(problem.start, clutter.start);
        assert_eq!(problem.goals, [clutter.goal]);
        let roadmap = graphml::read(folder.path().join("roadmap.graphml")).unwrap();
        assert_eq!(roadmap.edge_count(), clutter.roadmap.edge_count());
    }

    #[test]
    fn another_arm_has_no_table() {
        assert!(matches!(
            Clutter::new("planar-3"),
            Err(ClutterError::Arm(_))
        ));
    }
}
