//! Scenes for a shipped arm, made on the spot.
//!
//! A [`SceneFamily`] is a recipe for what stands around an arm: one base scene and how worlds perturb it. Of it
//! and an arm come [`ArmScenes`]: start and goal, a roadmap that has both, and as many worlds as are wanted. Start
//! and goal are the same in all worlds and free in each, and in each the roadmap has a path: a world for which
//! that is not so is drawn anew. The families are [`CLUTTER`], a table to go around, and [`SHELF`], boards to
//! reach between.

mod clutter;
mod shelf;
mod things;

use psmp::belief::IndependentEdges;
use psmp::checker::{BisectionChecker, World};
use psmp::proposer::LazySp;
use psmp::roadmap::halton;
use psmp::validator::Forward;
use psmp::{Connection, Planner, Query, Resolution, Roadmap, Space};
use psmp_arm::{
    Arm, ArmError, ArmProblem, DEFAULT_NEIGHBOURS, DEFAULT_SPHERES, DEFAULT_VERTICES, Goal,
    MotionRequest, Sampling, Scene, SphereModel, SphereWorld, joint_roadmap, models,
};
use psmp_files::FileError;
use psmp_worlds::graphml;
use rand_pcg::Pcg64;
use rayon::prelude::*;
use std::fmt;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// The arms that there are scenes for.
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
pub enum ArmScenesError {
    /// There are no scenes for this arm.
    #[error("there is no {family} for the arm `{arm}`")]
    Arm {
        /// The family.
        family: &'static str,
        /// The arm.
        arm: String,
    },
    /// The arm cannot be planned for.
    #[error(transparent)]
    Model(#[from] ArmError),
    /// The arm's roadmap cannot be made.
    #[error(transparent)]
    Roadmap(#[from] psmp::RoadmapError),
    /// The arm has no free configuration to begin or to end in.
    #[error("the arm `{arm}` has no free configuration {place}")]
    NoEnd {
        /// The arm.
        arm: &'static str,
        /// Where it should have had one.
        place: &'static str,
    },
    /// World after world has no path.
    #[error(
        "with seed {seed}, none of {MOST_DRAWS} scenes of {family} drawn has a free start, a free goal and a \
         path"
    )]
    NoPath {
        /// The family.
        family: &'static str,
        /// The seed.
        seed: u64,
    },
}

/// A recipe for scenes around an arm.
#[derive(Clone, Copy)]
pub struct SceneFamily {
    /// Its name.
    pub name: &'static str,
    /// What a picture of a scene is titled.
    pub title: &'static str,
    /// A sentence on what its scenes look like.
    pub about: &'static str,
    /// What stands around the arm of this name.
    stage: fn(&'static str) -> Box<dyn Stage>,
}

/// A table with things on it and below it.
pub const CLUTTER: SceneFamily = SceneFamily {
    name: "clutter",
    title: "Clutter",
    about: "A table with things on it, for an arm.",
    stage: clutter::before,
};

/// A shelf with things on its boards.
pub const SHELF: SceneFamily = SceneFamily {
    name: "shelf",
    title: "A shelf",
    about: "A shelf with things on its boards, for an arm.",
    stage: shelf::before,
};

/// All families of scenes.
pub const SCENE_FAMILIES: [SceneFamily; 2] = [CLUTTER, SHELF];

impl fmt::Debug for SceneFamily {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// What stands around an arm whose root is at the origin.
trait Stage: Send + Sync {
    /// The scene that all worlds perturb.
    fn base_scene(&self) -> Scene;
    /// One world.
    fn perturbed(&self, random: &mut Pcg64) -> Scene;
    /// Where the arm begins and where it is to end.
    fn ends(&self) -> [End; 2];
}

/// Where the arm's tool is at the start or at the goal.
struct End {
    /// In words.
    place: &'static str,
    /// By an interval for each axis.
    within: [[f64; 2]; 3],
}

impl SceneFamily {
    /// The family of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        SCENE_FAMILIES
            .into_iter()
            .find(|family| family.name == name)
    }

    /// Sets the stage for a shipped arm, one of [`ARMS`].
    ///
    /// # Errors
    /// If there is none for it.
    pub fn around(self, arm: &str) -> Result<ArmScenes, ArmScenesError> {
        let unknown = || ArmScenesError::Arm {
            family: self.name,
            arm: arm.to_owned(),
        };
        let known = ARMS.into_iter().find(|known| *known == arm);
        let name = known.ok_or_else(unknown)?;
        let (robot, semantics) = models::named(name).ok_or_else(unknown)?;
        let stage = (self.stage)(name);
        let arm = Arm::new(robot, &semantics, "arm")?;
        let spheres = SphereModel::cover(arm.robot(), DEFAULT_SPHERES);
        let mut world = SphereWorld::new(&arm, &spheres, &stage.base_scene())?;
        let [start, goal] = stage.ends().map(|end| {
            roomiest(&arm, &mut world, end.within).ok_or(ArmScenesError::NoEnd {
                arm: name,
                place: end.place,
            })
        });
        let (start, goal) = (start?, goal?);
        let connection = Connection::Nearest(DEFAULT_NEIGHBOURS);
        let plain = joint_roadmap(
            &arm,
            &spheres,
            DEFAULT_VERTICES,
            Sampling::Halton,
            connection,
        )?;
        let (roadmap, query) = plain.with_query(&start, &goal, Connection::Nearest(JOINED))?;
        Ok(ArmScenes {
            family: self,
            arm,
            spheres,
            start,
            goal,
            roadmap,
            query,
            stage,
        })
    }
}

/// An arm, and what stands around it in world after world.
pub struct ArmScenes {
    /// What its scenes are of.
    pub family: SceneFamily,
    /// The arm.
    pub arm: Arm,
    /// The spheres that cover it.
    pub spheres: SphereModel,
    /// Where it begins in every world.
    pub start: Vec<f64>,
    /// Where it is to end.
    pub goal: Vec<f64>,
    /// The arm's roadmap with start and goal as its last two vertices.
    pub roadmap: Roadmap,
    /// From where to where on the roadmap.
    pub query: Query,
    stage: Box<dyn Stage>,
}

impl ArmScenes {
    /// The scene that all worlds perturb.
    #[must_use]
    pub fn base_scene(&self) -> Scene {
        self.stage.base_scene()
    }

    /// From start to goal, the same in all worlds.
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
    ) -> Result<Vec<Scene>, ArmScenesError> {
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
                drawn.unwrap_or(Err(ArmScenesError::NoPath {
                    family: self.family.name,
                    seed,
                }))
            })
            .collect()
    }

    /// The length of the roadmap's shortest path in a scene, if start and goal are free and there
    /// is one. LazySP's first path is the shortest.
    fn shortest_path(
        &self,
        empty: &SphereWorld,
        scene: &Scene,
    ) -> Result<Option<f64>, ArmScenesError> {
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

/// The configuration with the most room around it of those whose tool is in a box.
fn roomiest(arm: &Arm, world: &mut SphereWorld, within: [[f64; 2]; 3]) -> Option<Vec<f64>> {
    let kinematics = arm.kinematics();
    let mut poses = kinematics.poses(1);
    let tool = arm.tool();
    let candidates = halton(&near_zero_turns(arm.space()), CANDIDATES);
    let mut best: Option<(f64, &[f64])> = None;
    for q in candidates.chunks_exact(arm.dimension()) {
        kinematics.compute(q, &mut poses);
        let at = poses.of(0)[tool].translation;
        let in_place = (0..3).all(|axis| (within[axis][0]..within[axis][1]).contains(&at[axis]));
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::free_edges::free_edges;
    use psmp_arm::ExactWorld;

    #[test]
    fn a_seed_gives_the_same_worlds_on_any_number_of_threads() {
        for family in SCENE_FAMILIES {
            let scenes = family.around("panda-like").unwrap();
            let on = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                let make = || scenes.worlds(6, 5, || {}).unwrap();
                pool.build().unwrap().install(make)
            };
            let (one, three) = (on(1), on(3));
            assert_eq!(one, three);
            assert!((1..6).all(|w| one[0] != one[w]));
            assert_ne!(one, scenes.worlds(6, 6, || {}).unwrap());
            assert_eq!(scenes.worlds(3, 5, || {}).unwrap(), one[..3]);
        }
    }

    /// Every arm begins and ends free by the true shapes too, and what stands between is in the way in most
    /// worlds, in different ways.
    #[test]
    fn what_stands_between_is_in_the_way() {
        for (family, arm) in SCENE_FAMILIES
            .into_iter()
            .flat_map(|f| ARMS.map(|a| (f, a)))
        {
            let scenes = family.around(arm).unwrap();
            let space = scenes.arm.space();
            let mut between = vec![0.0; space.dimension()];
            let worlds = scenes.worlds(20, 1, || {}).unwrap();
            let empty = SphereWorld::new(&scenes.arm, &scenes.spheres, &Scene::default()).unwrap();
            let mut lengths = std::collections::BTreeSet::new();
            let mut direct = 0;
            for scene in &worlds {
                let length = scenes.shortest_path(&empty, scene).unwrap().unwrap();
                lengths.insert(length.to_bits());
                let problem = scenes.problem(scene.clone()).unwrap();
                assert_eq!(problem.touches().unwrap(), [], "{family:?} {arm}");
                let mut world = ExactWorld::new(&scenes.arm, scene).unwrap();
                direct += usize::from((0..=50).all(|i| {
                    let share = f64::from(i) / 50.0;
                    space.interpolate(&scenes.start, &scenes.goal, share, &mut between);
                    world.is_free(&between).unwrap()
                }));
            }
            let count = lengths.len();
            println!("{family:?} {arm}: {direct} direct, {count} different shortest paths");
            assert!(
                direct <= 2,
                "{family:?} {arm}: {direct} of 20 direct motions are free"
            );
            assert!(
                count >= 6,
                "{family:?} {arm}: {count} different shortest paths in 20 worlds"
            );
        }
    }

    /// A shelf takes part of the room that the arm has, and leaves the most of it.
    #[test]
    fn shelves_leave_some_edges_free() {
        let scenes = SHELF.around("panda-like").unwrap();
        let empty = SphereWorld::new(&scenes.arm, &scenes.spheres, &Scene::default()).unwrap();
        for scene in scenes.worlds(3, 2, || {}).unwrap() {
            let world = empty.in_scene(&scenes.arm, &scene).unwrap();
            let checker = BisectionChecker::new(&scenes.roadmap, published_resolution(), world);
            let free = free_edges(&mut checker.unwrap(), &scenes.roadmap);
            let free: u32 = free.iter().map(|word| word.count_ones()).sum();
            let share = f64::from(free) / scenes.roadmap.edge_count() as f64;
            println!("{share:.3} of edges free");
            assert!((0.5..0.85).contains(&share), "{share} of edges free");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        let folder = tempfile::tempdir().unwrap();
        let scenes = SHELF.around("panda-like").unwrap();
        let worlds = scenes.worlds(2, 3, || {}).unwrap();
        scenes.write(folder.path(), &worlds, || {}).unwrap();
        let scene = Scene::read(ArmScenes::scene_path(folder.path(), 1)).unwrap();
        assert_eq!(scene.objects.len(), worlds[1].objects.len());
        let request = MotionRequest::read(ArmScenes::request_path(folder.path(), 1)).unwrap();
        let problem = ArmProblem::new(&scenes.arm, scene, &request).unwrap();
        assert_eq!(problem.start, scenes.start);
        assert_eq!(problem.goals, [scenes.goal]);
        let roadmap = graphml::read(folder.path().join("roadmap.graphml")).unwrap();
        assert_eq!(roadmap.edge_count(), scenes.roadmap.edge_count());
    }

    #[test]
    fn another_arm_has_no_scenes() {
        for family in SCENE_FAMILIES {
            let unknown = family.around("planar-3");
            assert!(matches!(unknown, Err(ArmScenesError::Arm { .. })));
        }
    }
}
