//! Problems of an arm that belong together: one world for each, one roadmap and one collision table
//! for all.
//!
//! Where start and goal are the same in all worlds they are vertices of the roadmap. Where they
//! differ from world to world they are joined to it when a world is planned in, by edges beyond the
//! table.

use super::SevenDof;
use crate::reproduce::{ReproduceError, Watch};
use psmp::by_name::ModelCache;
use psmp::{CollisionTable, Connection, Query, Roadmap, WorldId};
use psmp_arm::{
    Arm, ArmError, ArmProblem, DEFAULT_SPHERES, MotionRequest, Permissions, Placed, Robot,
    Sampling, Scene, Semantics, SphereModel, SphereWorlds, TableJob, joint_roadmap,
};
use psmp_files::FileError;
use psmp_lab::Origin;
use psmp_lab::arm_scenes;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The name of the set that is made.
pub(super) const CLUTTER: &str = "clutter";
/// The shipped arm that stands before clutter.
const CLUTTERED: &str = "panda-like";

/// An arm, and what does not depend on what stands around it.
pub(super) struct Bench {
    pub arm: Arm,
    /// What its links look like.
    pub look: Vec<Vec<Placed>>,
    pub spheres: SphereModel,
    pub roadmap: Roadmap,
    /// From where to where, if that is the same in all worlds.
    pub query: Option<Query>,
}

/// Problems of an arm: the last fifth of them to plan in, the others to learn from.
pub struct ArmSet {
    pub(super) name: String,
    pub(super) about: String,
    pub(super) bench: Arc<Bench>,
    pub(super) problems: Vec<ArmProblem>,
    pub(super) table: Arc<CollisionTable>,
    /// What planners have learned from its worlds.
    pub(super) models: ModelCache,
    pub(super) origin: Origin,
}

impl ArmSet {
    /// The worlds that one who has not seen the others knows: the first four fifths.
    pub(super) fn train_worlds(&self) -> Vec<WorldId> {
        let known = self.problems.len() * 4 / 5;
        (0..known as u32).map(WorldId).collect()
    }

    /// The first `most` worlds after those.
    pub(super) fn test_worlds(&self, most: usize) -> Vec<WorldId> {
        let all = self.problems.len();
        let known = all * 4 / 5;
        let planned = known as u32..all.min(known + most) as u32;
        planned.map(WorldId).collect()
    }
}

/// Whether a folder holds scenes and motion requests of an arm.
#[must_use]
pub fn is_arm_folder(folder: &Path) -> bool {
    folder.join("scene0001.yaml").exists() && folder.join("request0001.yaml").exists()
}

/// Reads `sceneNNNN.yaml` and `requestNNNN.yaml` of a folder, each a problem of the arm that `arm_of` makes for the
/// group that the request names: one at least, and of the same arm all of them.
///
/// # Errors
/// If a file is missing or malformed, or the arm does not fit it.
pub(crate) fn read_problems(
    folder: &Path,
    name: &str,
    permissions: &Permissions,
    arm_of: impl Fn(&str) -> Result<Arm, ArmError>,
) -> Result<Vec<ArmProblem>, ReproduceError> {
    let wrong = |why: String| ReproduceError::Arm {
        set: name.to_owned(),
        why,
    };
    let mut problems: Vec<ArmProblem> = Vec::new();
    for number in 1.. {
        let path = folder.join(format!("scene{number:04}.yaml"));
        if !path.exists() {
            break;
        }
        let scene = Scene::read_with(&path, permissions)?;
        let request = MotionRequest::read(folder.join(format!("request{number:04}.yaml")))?;
        let at = |e: ArmError| wrong(format!("world {number}: {e}"));
        let arm = arm_of(&request.group).map_err(at)?;
        let problem = ArmProblem::new(&arm, scene, &request).map_err(at)?;
        if problems
            .first()
            .is_some_and(|p| !same_arm(&p.arm, &problem.arm))
        {
            let why = format!(
                "world {number}: its group, or a joint outside of it, is not that of world 1; \
                 keep such worlds in folders of their own"
            );
            return Err(wrong(why));
        }
        problems.push(problem);
    }
    match problems.is_empty() {
        true => Err(wrong("it has no `scene0001.yaml`".to_owned())),
        false => Ok(problems),
    }
}

/// The robot that the problems of a folder are for, as files near them have it: what is checked, and its SRDF.
///
/// # Errors
/// If there is none.
pub fn robot_near(folder: &Path) -> Result<(PathBuf, PathBuf), FileError> {
    let full = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let files = RobotFiles::near(&full)?;
    Ok((files.urdf, files.srdf))
}

/// Makes and reads sets, with one arm and roadmap for those that have the same robot.
pub(super) struct Maker<'a> {
    experiment: &'a SevenDof,
    /// Where covers and shards of tables are kept.
    folder: &'a Path,
    watch: &'a dyn Watch,
    benches: Vec<Arc<Bench>>,
}

impl<'a> Maker<'a> {
    pub fn new(experiment: &'a SevenDof, folder: &'a Path, watch: &'a dyn Watch) -> Self {
        Self {
            experiment,
            folder,
            watch,
            benches: Vec::new(),
        }
    }

    /// All sets of the experiment.
    ///
    /// # Errors
    /// If a file is missing or malformed, the robot does not fit the scenes, or a shard cannot be
    /// written.
    pub fn sets(&mut self) -> Result<Vec<ArmSet>, ReproduceError> {
        let mut sets = Vec::new();
        if self.experiment.clutter > 0 {
            sets.push(self.clutter()?);
        }
        for folder in &self.experiment.folders {
            let mut set = self.read(folder)?;
            // Sets of other robots may have the same name, and a set may be given twice.
            while sets.iter().any(|other: &ArmSet| other.name == set.name) {
                set.name = format!("{}-{}", set.bench.arm.robot().name(), set.name);
            }
            sets.push(set);
        }
        Ok(sets)
    }

    fn clutter(&self) -> Result<ArmSet, ReproduceError> {
        let SevenDof { clutter, seed, .. } = *self.experiment;
        let wrong = |e: &dyn std::fmt::Display| ReproduceError::Arm {
            set: CLUTTER.to_owned(),
            why: e.to_string(),
        };
        self.watch.begin("making clutter", clutter as u64);
        let made = arm_scenes::CLUTTER
            .around(CLUTTERED)
            .map_err(|e| wrong(&e))?;
        let scenes = made
            .worlds(clutter, seed, || self.watch.step(1))
            .map_err(|e| wrong(&e))?;
        let problems = scenes.into_iter().map(|scene| made.problem(scene));
        let problems = problems.collect::<Result<_, _>>().map_err(|e| wrong(&e))?;
        let bench = Bench {
            look: look_of(made.arm.robot()),
            arm: made.arm,
            spheres: made.spheres,
            roadmap: made.roadmap,
            query: Some(made.query),
        };
        let about = format!(
            "A {CLUTTERED} arm goes from below a table to above it, through clutter that is \
             perturbed from world to world."
        );
        let origin = Origin::Made {
            worlds: clutter,
            test: clutter - clutter * 4 / 5,
            seed,
        };
        self.with_table(CLUTTER.to_owned(), about, Arc::new(bench), problems, origin)
    }

    /// Reads `sceneNNNN.yaml` and `requestNNNN.yaml` of a folder.
    fn read(&mut self, folder: &Path) -> Result<ArmSet, ReproduceError> {
        let full = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
        let named = full.file_name().map(|n| n.to_string_lossy().into_owned());
        let name = named.unwrap_or_else(|| "arm".to_owned());
        let files = RobotFiles::near(&full)?;
        let permissions = &self.experiment.permissions;
        let robot = Robot::read_with(&files.urdf, permissions)?;
        let mut semantics = Semantics::read(&files.srdf, &robot)?;
        let wrong = |why: String| ReproduceError::Arm {
            set: name.clone(),
            why,
        };
        // The SRDF is for the true shapes.
        let left_out = match files.urdf == files.shown {
            true => Vec::new(),
            false => semantics
                .leave_out_what_always_touches(&robot, &self.spheres(&robot))
                .map_err(|e| wrong(e.to_string()))?,
        };
        let mut problems = read_problems(folder, &name, permissions, |group| {
            Arm::new(robot.clone(), &semantics, group)
        })?;
        let links = |place: usize| robot.links()[place].name.as_str();
        let left_out: Vec<_> = (left_out.iter())
            .map(|&(one, other)| (links(one), links(other)))
            .collect();
        // A scene may say of a pair that it is checked, whatever the SRDF says.
        for problem in &mut problems {
            for (one, other) in &left_out {
                problem.scene.allowed.set(one, other, true);
            }
        }
        let first = &problems[0];
        let bench = self.bench(&first.arm, &files).map_err(|why| match why {
            Trouble::File(e) => e.into(),
            Trouble::Roadmap(why) => wrong(why),
        })?;
        let mut about = format!(
            "The arm `{}` among things that are perturbed from world to world, as published with \
             MoveIt scenes and requests; collision geometry of `{}`.",
            robot.name(),
            files.urdf.file_name().unwrap_or_default().to_string_lossy()
        );
        for (one, other) in left_out {
            about += &format!(
                " `{one}` and `{other}` touch there wherever the arm is, and are not checked."
            );
        }
        let origin = Origin::Folder(full.display().to_string());
        self.with_table(name.clone(), about, bench, problems, origin)
    }

    /// The cover of a robot, kept in the folder of the experiment.
    fn spheres(&self, robot: &Robot) -> SphereModel {
        let covers = self.folder.join("spheres");
        let (spheres, troubles) = SphereModel::cached(robot, DEFAULT_SPHERES, &covers);
        for trouble in &troubles {
            self.watch.damaged(trouble);
        }
        spheres
    }

    /// The arm with its roadmap; the one that is there if there is one.
    fn bench(&mut self, arm: &Arm, files: &RobotFiles) -> Result<Arc<Bench>, Trouble> {
        if let Some(known) = self.benches.iter().find(|b| same_arm(&b.arm, arm)) {
            return Ok(known.clone());
        }
        let spheres = self.spheres(arm.robot());
        let SevenDof {
            vertices,
            neighbours,
            ..
        } = *self.experiment;
        let connection = Connection::Nearest(neighbours);
        let roadmap = joint_roadmap(arm, &spheres, vertices, Sampling::Halton, connection)
            .map_err(|e| Trouble::Roadmap(e.to_string()))?;
        let bench = Arc::new(Bench {
            look: files.look(arm.robot(), &self.experiment.permissions)?,
            arm: arm.clone(),
            spheres,
            roadmap,
            query: None,
        });
        self.benches.push(bench.clone());
        Ok(bench)
    }

    /// Computes the table, or goes on with it.
    fn with_table(
        &self,
        name: String,
        about: String,
        bench: Arc<Bench>,
        problems: Vec<ArmProblem>,
        origin: Origin,
    ) -> Result<ArmSet, ReproduceError> {
        let scenes: Vec<Scene> = problems.iter().map(|p| p.scene.clone()).collect();
        let worlds = SphereWorlds::new(&bench.arm, &bench.spheres, &scenes).map_err(|e| {
            ReproduceError::Arm {
                set: name.clone(),
                why: e.to_string(),
            }
        })?;
        let job = TableJob {
            roadmap: &bench.roadmap,
            worlds: &worlds,
            resolution: self.experiment.resolution,
            name: psmp_arm::fingerprint(name.as_bytes()),
        };
        let stage = format!("checking the edges of {name}");
        self.watch.begin(&stage, bench.roadmap.edge_count() as u64);
        let parts = self.folder.join("tables");
        let table = job.compute(&parts, |edges| self.watch.step(edges as u64))?;
        Ok(ArmSet {
            name,
            about,
            bench,
            problems,
            table: Arc::new(table),
            models: ModelCache::default(),
            origin,
        })
    }
}

/// Why there is no roadmap.
enum Trouble {
    File(FileError),
    Roadmap(String),
}

impl From<FileError> for Trouble {
    fn from(error: FileError) -> Self {
        Trouble::File(error)
    }
}

fn look_of(robot: &Robot) -> Vec<Vec<Placed>> {
    let links = robot.links().iter();
    links.map(|link| link.collision.clone()).collect()
}

/// Whether two arms are the same robot with the same joints held in the same places.
fn same_arm(one: &Arm, other: &Arm) -> bool {
    one.robot() == other.robot()
        && one.group() == other.group()
        && one.kinematics() == other.kinematics()
}

/// The files of the robot that scenes belong to.
struct RobotFiles {
    srdf: PathBuf,
    /// What is checked: spheres, where the robot comes so.
    urdf: PathBuf,
    /// What is drawn.
    shown: PathBuf,
}

impl RobotFiles {
    /// The only SRDF in a folder or above it, and the URDF of the same name beside it. If there is
    /// a spherised one too, that is checked and the other drawn: published problems may begin where
    /// a hull around the true shapes has no room.
    fn near(folder: &Path) -> Result<Self, FileError> {
        for above in folder.ancestors().take(3) {
            let entries = std::fs::read_dir(above).map_err(|e| FileError::io(above, "read", e))?;
            let paths = entries.flatten().map(|entry| entry.path());
            let mut found: Vec<PathBuf> = paths
                .filter(|p| p.extension().is_some_and(|e| e == "srdf"))
                .collect();
            found.sort();
            let Some(srdf) = found.pop() else {
                continue;
            };
            if let Some(other) = found.pop() {
                let what = format!("is not the only SRDF there: `{}` is too", other.display());
                return Err(
                    FileError::new(&srdf, what).hint("leave only the one that the scenes are for")
                );
            }
            let shown = srdf.with_extension("urdf");
            if !shown.exists() {
                return Err(FileError::new(&shown, "is not there")
                    .hint("put the robot's URDF beside its SRDF, under the same name"));
            }
            let stem = srdf.file_stem().unwrap_or_default().to_string_lossy();
            let spherised = srdf.with_file_name(format!("{stem}_spherized.urdf"));
            let urdf = match spherised.exists() {
                true => spherised,
                false => shown.clone(),
            };
            return Ok(Self { srdf, urdf, shown });
        }
        Err(FileError::new(folder, "there is no SRDF in it or above it")
            .hint("put the robot's SRDF and URDF beside the problems"))
    }

    /// What the links look like; as they are checked, if another file's links are others.
    fn look(
        &self,
        robot: &Robot,
        permissions: &Permissions,
    ) -> Result<Vec<Vec<Placed>>, FileError> {
        let shown = Robot::read_with(&self.shown, permissions)?;
        let links = robot.links().iter();
        let look = links.map(|link| {
            let same = shown.links().iter().find(|other| other.name == link.name);
            same.unwrap_or(link).collision.clone()
        });
        Ok(look.collect())
    }
}
