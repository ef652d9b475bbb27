//! The readers: one entry for each format that psmp reads.

use crate::packed::{
    FINGERPRINT, belief_begun, jpeg_pixels, mat_unpacked, obj_triangulated, pcd_unpacked,
    png_pixels, seal_mapped, seal_mat, seal_piece, seal_png, seal_shard,
};
use crate::{dense, seeds};
use psmp::by_name::ModelCache;
use psmp::{CollisionTable, Connection, Direction, EdgeId, Resolution, Roadmap};
use psmp::{SessionOptions, WorldId};
use psmp_arm::{
    Arm, ArmProblem, ExactWorld, MotionRequest, Placed, Robot, Sampling, Scene, Semantics,
    SphereModel, SphereWorld, SphereWorlds, TableJob, joint_roadmap,
};
use psmp_files::{BeliefFile, FileError, Fingerprint, Keeping, Kept, learned, read_table};
use psmp_lab::families::Family;
use psmp_lab::{Origin, Row};
use psmp_report::report::comparison::{Comparison, Source};
use psmp_report::{keep, reproduce, rows};
use psmp_worlds::mat5::MatFile;
use psmp_worlds::{
    Dataset, DiscRobot, ImageOptions, MapFile, OccupancyGrid, Pairing, Prefer, ReadOptions,
    UnknownCells, graphml,
};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// A reader and what it takes to try it.
#[derive(Clone, Copy)]
pub struct Target {
    /// Its name.
    pub name: &'static str,
    /// The files of this repository that open such a file.
    pub sources: &'static [&'static str],
    /// What its file is called; readers go by names and endings.
    pub file: &'static str,
    /// Makes sound files; those of a dataset are there already.
    seeds: Option<fn() -> Vec<Vec<u8>>>,
    /// Longer sound files that say as much as they can in every byte.
    pub dense: fn() -> Vec<Vec<u8>>,
    /// Puts into the file's folder what the reader looks for beside it.
    pub furnish: fn(&Path),
    /// Reads the file. Only a panic, a hang, hunger or an error without a remedy is a failure.
    pub read: fn(&Path) -> Result<(), FileError>,
    /// Reads it again, if it can be read, and uses what takes more memory than reading.
    pub put_to_use: fn(&Path),
    /// Makes checksums right and compresses, so that damage gets past them.
    pub seal: Option<fn(&mut Vec<u8>)>,
    /// How many bytes a file stands for: more than its length where it is compressed.
    pub unpacked: fn(&[u8]) -> usize,
    /// How many times that may be held in memory.
    pub times: usize,
}

impl Target {
    /// A reader of plain files that stand alone.
    const fn new(
        name: &'static str,
        sources: &'static [&'static str],
        file: &'static str,
        seeds: fn() -> Vec<Vec<u8>>,
        read: fn(&Path) -> Result<(), FileError>,
    ) -> Self {
        Self {
            name,
            sources,
            file,
            seeds: Some(seeds),
            dense: Vec::new,
            furnish: |_| {},
            read,
            put_to_use: |_| {},
            seal: None,
            unpacked: |bytes| bytes.len(),
            times: 20,
        }
    }

    /// A file of a dataset among all the others.
    const fn of_dataset(name: &'static str, file: &'static str) -> Self {
        Self {
            seeds: None,
            furnish: |folder| seeds::write_dataset(folder, Direction::Undirected),
            ..Self::new(name, DATASET, file, Vec::new, read_dataset)
        }
    }

    /// The same as a MAT-file.
    const fn of_mat_dataset(name: &'static str, file: &'static str) -> Self {
        Self {
            seal: Some(seal_mat),
            unpacked: mat_unpacked,
            ..Self::of_dataset(name, file)
        }
    }

    /// What may stand around an arm.
    const fn of_scene(name: &'static str, file: &'static str, seeds: fn() -> Vec<Vec<u8>>) -> Self {
        Self {
            furnish: furnish_robot,
            put_to_use: use_scene,
            ..Self::new(
                name,
                &["psmp-arm/src/scene/mod.rs"],
                file,
                seeds,
                read_scene,
            )
        }
    }

    /// Sound files.
    #[must_use]
    pub fn sound(&self) -> Vec<Vec<u8>> {
        self.seeds
            .map_or_else(|| seeds::of_dataset(self.file), |make| make())
    }

    /// Reads bytes as a file, as they are and, where that is another thing, sealed. For programs
    /// that make up bytes themselves.
    pub fn read_bytes(&self, bytes: &[u8]) {
        let folder = tempfile::tempdir().unwrap();
        (self.furnish)(folder.path());
        let path = folder.path().join(self.file);
        fs::write(&path, bytes).unwrap();
        let _ = (self.read)(&path);
        (self.put_to_use)(&path);
        if let Some(seal) = self.seal {
            let mut sealed = bytes.to_vec();
            seal(&mut sealed);
            fs::write(&path, &sealed).unwrap();
            let _ = (self.read)(&path);
        }
    }
}

/// The reader of this name.
///
/// # Panics
/// If there is none.
#[must_use]
pub fn target(name: &str) -> &'static Target {
    let found = TARGETS.iter().find(|target| target.name == name);
    found.unwrap_or_else(|| panic!("there is no reader `{name}`"))
}

const DATASET: &[&str] = &[
    "psmp-worlds/src/dataset/boxes.rs",
    "psmp-worlds/src/dataset/mod.rs",
    "psmp-worlds/src/dataset/twins.rs",
];

/// Source files that open files and have no reader to try, with the reason.
pub const NOT_READ: &[(&str, &str)] = &[
    (
        "psmp-files/src/files.rs",
        "opens files for the readers in this list",
    ),
    (
        "psmp-files/src/regular_file.rs",
        "opens files for the readers in this list",
    ),
    ("psmp-cli/src/convert.rs", "copies images as they are"),
    (
        "psmp-report/src/kept_rows.rs",
        "hashes beliefs without looking into them",
    ),
    (
        "psmp-report/src/bench/mod.rs",
        "hashes images without looking into them",
    ),
    (
        "psmp-report/src/reproduce/seven_dof/mod.rs",
        "hashes the files of a folder without looking into them",
    ),
];

/// Every reader.
pub const TARGETS: &[Target] = &[
    Target::of_dataset("graph", "graph.txt"),
    Target {
        dense: dense::graphs,
        ..Target::new(
            "graph_alone",
            DATASET,
            "graph.txt",
            seeds::graphs,
            read_dataset,
        )
    },
    Target::of_dataset("coordinates", "coord_set.dat"),
    Target::of_mat_dataset("coordinates_mat", "coord_set.mat"),
    Target {
        furnish: |folder| {
            seeds::write_dataset(folder, Direction::Undirected);
            for twin in ["coord_set.dat", "coord_set.mat"] {
                fs::remove_file(folder.join(twin)).unwrap();
            }
        },
        seeds: Some(seeds::numbered_coordinates),
        ..Target::of_dataset("numbered_coordinates", "vertex_coordinates.txt")
    },
    Target::of_dataset("results", "coll_check_results.dat"),
    Target::of_mat_dataset("results_mat", "coll_check_results.mat"),
    Target::of_dataset("world_ids", "train_id.dat"),
    Target::of_mat_dataset("world_ids_mat", "test_id.mat"),
    Target::of_dataset("query", "start_idx.dat"),
    Target::of_mat_dataset("query_mat", "start_goal.mat"),
    Target::of_dataset("paths", "path_library.dat"),
    Target::of_mat_dataset("paths_mat", "path_library.mat"),
    Target::of_dataset("assignment", "world_library_assignment.dat"),
    Target::of_mat_dataset("assignment_mat", "world_library_assignment.mat"),
    Target::of_dataset("boxes", "environment_boxes/world_1.txt"),
    Target {
        seal: Some(seal_mat),
        unpacked: mat_unpacked,
        ..Target::new(
            "mat",
            &["psmp-worlds/src/mat5/mod.rs"],
            "every.mat",
            seeds::mat,
            |path| MatFile::read(path).map(drop),
        )
    },
    Target {
        dense: dense::graphml,
        ..Target::new(
            "graphml",
            &["psmp-worlds/src/graphml.rs"],
            "roadmap.graphml",
            seeds::graphml,
            |path| graphml::read(path).map(|roadmap| use_roadmap(&roadmap)),
        )
    },
    Target {
        seal: Some(|bytes| seal_png(bytes)),
        unpacked: png_pixels,
        ..Target::new("png", RASTER, "map.png", seeds::png, read_image)
    },
    Target::new("pgm", RASTER, "map.pgm", seeds::pgm, read_image),
    Target {
        unpacked: jpeg_pixels,
        ..Target::new("jpeg", RASTER, "map.jpg", seeds::jpeg, read_image)
    },
    Target {
        furnish: |folder| fs::write(folder.join("map.pgm"), &seeds::pgm()[1]).unwrap(),
        ..Target::new(
            "ros_map",
            &["psmp-worlds/src/ros_map.rs", "psmp-worlds/src/map_file.rs"],
            "map.yaml",
            seeds::ros_map,
            |path| {
                use_grid(&MapFile::open(path)?.grid(None)?);
                OccupancyGrid::read_ros_map(path, UnknownCells::Free).map(|grid| use_grid(&grid))
            },
        )
    },
    Target {
        seal: Some(|bytes| seal_mapped(bytes)),
        ..Target::new(
            "table_file",
            &["psmp-files/src/table_file.rs"],
            "worlds.table",
            seeds::table_file,
            |path| read_table(path).map(|table| use_table(&table)),
        )
    },
    Target {
        seal: Some(|bytes| seal_mapped(bytes)),
        ..Target::new(
            "belief_file",
            &["psmp-files/src/belief_file.rs", "psmp-files/src/learned.rs"],
            "worlds.belief",
            seeds::belief,
            read_belief,
        )
    },
    Target {
        seal: Some(|bytes| seal_mapped(bytes)),
        ..Target::new(
            "kept_file",
            &["psmp-files/src/kept.rs", "psmp-files/src/sections.rs"],
            "run.kept",
            seeds::kept,
            read_kept,
        )
    },
    Target {
        furnish: |folder| fs::write(folder.join("known.belief"), &seeds::belief()[0]).unwrap(),
        unpacked: belief_begun,
        dense: dense::outcomes,
        ..Target::new(
            "outcomes",
            &["psmp-files/src/learned.rs"],
            "run.json",
            seeds::outcomes,
            add_outcomes,
        )
    },
    Target {
        dense: dense::rows,
        ..Target::new(
            "rows",
            &["psmp-report/src/rows.rs"],
            "rows.csv",
            seeds::rows_csv,
            |path| {
                use_rows(rows::read(path)?);
                Ok(())
            },
        )
    },
    Target::new(
        "rows_json",
        &["psmp-report/src/rows.rs"],
        "rows.json",
        seeds::rows_json,
        |path| {
            use_rows(rows::read(path)?);
            Ok(())
        },
    ),
    Target {
        seal: Some(seal_piece),
        ..Target::new(
            "kept_rows",
            KEEP,
            "maze-from-world-1.json",
            seeds::kept_rows,
            |path| {
                use_rows(keep::recall_rows(path, FINGERPRINT, 2)?.unwrap_or_default());
                Ok(())
            },
        )
    },
    Target {
        seal: Some(seal_piece),
        ..Target::new(
            "kept_worlds",
            KEEP,
            "maze-worlds.json",
            seeds::kept_worlds,
            |path| {
                let family = Family::named(seeds::FAMILY).unwrap();
                let made = Origin::Made {
                    worlds: 2,
                    test: 1,
                    seed: 1,
                };
                let set = reproduce::kept_worlds(path, FINGERPRINT, family, &made)?;
                if let Some(set) = set {
                    let _ = set.image(WorldId(0));
                }
                Ok(())
            },
        )
    },
    Target {
        dense: dense::urdf,
        furnish: furnish_robot,
        put_to_use: |path| {
            let Ok(robot) = Robot::read(path) else {
                return;
            };
            let spheres = known_spheres();
            if robot.links().len() == spheres.links().len() {
                let _ = spheres.spherised_urdf(&robot, path);
            }
            if let Ok(arm) = Arm::whole(robot) {
                use_arm(&arm, &Scene::default());
            }
        },
        ..Target::new(
            "urdf",
            &["psmp-arm/src/urdf.rs", "psmp-arm/src/spherised.rs"],
            "fuzzed.urdf",
            seeds::urdf,
            |path| Robot::read(path).map(drop),
        )
    },
    Target::new(
        "srdf",
        &["psmp-arm/src/srdf.rs"],
        "r.srdf",
        seeds::srdf,
        |path| {
            let robot = known_arm().robot();
            let semantics = Semantics::read(path, robot)?;
            for group in ["arm", "hand", "all"] {
                let _ = Arm::new(robot.clone(), &semantics, group);
            }
            Ok(())
        },
    ),
    Target {
        put_to_use: use_mesh,
        ..Target::new("stl", MESH, "part.stl", seeds::stl, read_mesh)
    },
    Target {
        dense: dense::obj,
        unpacked: obj_triangulated,
        put_to_use: use_mesh,
        ..Target::new("obj", MESH, "part.obj", seeds::obj, read_mesh)
    },
    Target {
        put_to_use: use_mesh,
        ..Target::new("collada", MESH, "part.dae", seeds::collada, read_mesh)
    },
    Target {
        unpacked: pcd_unpacked,
        dense: dense::pcd,
        put_to_use: use_cloud,
        ..Target::new("pcd", CLOUD, "cloud.pcd", seeds::pcd, read_cloud)
    },
    Target {
        put_to_use: use_cloud,
        ..Target::new("ply", CLOUD, "cloud.ply", seeds::ply, read_cloud)
    },
    Target::of_scene("moveit_scene", "scene0001.yaml", seeds::moveit_scene),
    Target {
        // The library holds as much for a text, and a scene by hand is short.
        times: 128,
        ..Target::of_scene("toml_scene", "scene.toml", seeds::toml_scene)
    },
    Target {
        put_to_use: |path| {
            let request = MotionRequest::read(path).ok();
            let problem = request.map(|r| ArmProblem::new(known_arm(), Scene::default(), &r));
            if let Some(Ok(problem)) = problem {
                let _ = problem.touches();
            }
        },
        ..Target::new(
            "request",
            &["psmp-arm/src/scene/request.rs"],
            "request0001.yaml",
            seeds::request,
            |path| MotionRequest::read(path).map(drop),
        )
    },
    Target::new(
        "cover_cache",
        &["psmp-arm/src/kept.rs"],
        "cover.json",
        seeds::cover,
        |path| {
            let folder = path.with_file_name("covers");
            let robot = Robot::parse("r.urdf", seeds::ONE_SPHERE).unwrap();
            let cached = || SphereModel::cached(&robot, 4, &folder).0;
            // The file's name is a hash: it is the one that is there when one was made.
            let known = only_file(&folder, || drop(cached()));
            fs::copy(path, &known).unwrap();
            // Whatever was kept, the link is within its spheres.
            assert!(cached().of_link(0).iter().any(|ball| ball.radius >= 0.1));
            Ok(())
        },
    ),
    Target {
        seal: Some(|bytes| seal_shard(bytes)),
        ..Target::new(
            "table_shard",
            &["psmp-files/src/table_shard.rs"],
            "000000",
            || seeds::shard(known_table().0.edge_count()),
            |path| {
                let (roadmap, worlds) = known_table();
                let job = TableJob {
                    roadmap,
                    worlds,
                    resolution: Resolution::largest_axis(1.0).unwrap(),
                    name: 0,
                };
                let parts = path.with_file_name("parts");
                let shard = only_file(&parts, || {
                    job.compute(&parts, |_| {}).unwrap();
                });
                fs::copy(path, &shard).unwrap();
                job.compute(&parts, |_| {}).map(drop)
            },
        )
    },
];

const RASTER: &[&str] = &["psmp-worlds/src/raster.rs", "psmp-worlds/src/map_file.rs"];
const KEEP: &[&str] = &["psmp-report/src/keep.rs"];
const MESH: &[&str] = &["psmp-arm/src/mesh_file.rs"];
const CLOUD: &[&str] = &["psmp-arm/src/scene/point_file.rs"];

/// Reads all there is of a dataset; the first trouble counts, except that a part is not there.
fn read_dataset(path: &Path) -> Result<(), FileError> {
    let mut folders = path.ancestors().skip(1);
    let folder = folders.find(|folder| Dataset::is_one(folder)).unwrap();
    let prefer = match path.extension().is_some_and(|e| e == "mat") {
        true => Prefer::Mat,
        false => Prefer::Text,
    };
    let pairing = Pairing::Any;
    let _ = Dataset::open_with(folder, ReadOptions { prefer, pairing });
    let pairing = Pairing::Equal;
    let dataset = Dataset::open_with(folder, ReadOptions { prefer, pairing })?;
    use_roadmap(&dataset.roadmap);
    let query = dataset.query();
    if let (Ok(table), Ok(query)) = (dataset.table(), &query) {
        use_table(table);
        let free = |edge| table.world_count() > 0 && table.is_free(WorldId(0), edge);
        let _ = dataset.roadmap.shortest_path(*query, free);
    }
    let troubles = [
        query.err(),
        dataset.table().err(),
        dataset.path_library().err(),
        dataset.world_library_assignment().err(),
        dataset.image_count().err(),
        dataset.boxes(WorldId(0)).err(),
    ];
    let trouble = troubles.into_iter().flatten().find(|e| !e.is_absent());
    trouble.map_or(Ok(()), Err)
}

fn use_roadmap(roadmap: &Roadmap) {
    let _ = (roadmap.components().count(), roadmap.degrees().most);
    let _ = Fingerprint::of(roadmap);
}

fn use_table(table: &CollisionTable) {
    for edge in (0..table.edge_count() as u32).map(EdgeId) {
        let _ = (
            table.worlds_where_free(edge),
            table.worlds_where_known(edge),
        );
    }
    for world in table.worlds() {
        let _ = (table.free_edges_in(world), table.known_edges_in(world));
    }
}

fn use_rows(rows: Vec<Row>) {
    for row in &rows {
        let _ = (row.improvements(), row.times(), row.cost_of_best());
    }
    let source = Source {
        file: Some("rows".to_owned()),
        rows,
    };
    let _ = Comparison::of(vec![source]);
}

fn read_image(path: &Path) -> Result<(), FileError> {
    use_grid(&MapFile::open(path)?.grid(None)?);
    OccupancyGrid::read(path, &ImageOptions::default()).map(|grid| use_grid(&grid))
}

fn use_grid(grid: &OccupancyGrid) {
    let [[x, _], [y, _]] = grid.bounds();
    let _ = grid.free_at(&[x, y]);
    // What a round robot needs is in proportion to the cells, not to the file.
    if grid.width() * grid.height() < 1 << 12 {
        let _ = DiscRobot::new(grid, 0.1).map(|robot| robot.radius());
    }
}

fn read_belief(path: &Path) -> Result<(), FileError> {
    let roadmap = seeds::roadmap(Direction::Undirected);
    let file = BeliefFile::open(path)?;
    use_table(&file.table);
    if let Some(maps) = &file.maps {
        use_roadmap(&maps.roadmap);
    }
    learned::open(path, &roadmap, &ModelCache::default()).map(drop)
}

fn read_kept(path: &Path) -> Result<(), FileError> {
    let begins_so = Kept::is_one(path);
    let kept = Kept::open(path)?;
    assert!(begins_so, "a kept run is known by how it begins");
    use_roadmap(&kept.roadmap);
    let known = kept.known_in(&kept.world);
    let _ = known.known().count();
    if let Some(belief) = &kept.belief {
        use_table(&belief.table);
    }
    let Some(space) = kept.roadmap.space() else {
        return Ok(());
    };
    let mut keeping = Keeping::open(path, space, kept.world.clone())?;
    let mut options = SessionOptions::default();
    keeping.begin(&mut options, known);
    keeping.keep(None)
}

/// Adds outcomes to a belief that is there and to one that is not.
fn add_outcomes(path: &Path) -> Result<(), FileError> {
    let [known, grown, new] =
        ["known", "grown", "new"].map(|name| path.with_file_name(format!("{name}.belief")));
    let _ = fs::remove_file(&new);
    fs::copy(&known, &grown).unwrap();
    let _ = learned::add(&new, &[path]);
    learned::add(&grown, &[path]).map(drop)
}

/// Something that the arm of [`seeds::ROBOT`] may name.
fn furnish_robot(folder: &Path) {
    fs::write(folder.join("part.obj"), seeds::OBJ).unwrap();
    fs::write(folder.join("cloud.pcd"), &seeds::pcd()[0]).unwrap();
}

fn known_arm() -> &'static Arm {
    static ARM: OnceLock<Arm> = OnceLock::new();
    ARM.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        furnish_robot(folder.path());
        let path = folder.path().join("r.urdf");
        fs::write(&path, seeds::ROBOT).unwrap();
        let robot = Robot::read(&path).unwrap();
        fs::write(&path, &seeds::srdf()[0]).unwrap();
        let semantics = Semantics::read(&path, &robot).unwrap();
        Arm::new(robot, &semantics, "arm").unwrap()
    })
}

/// The arm among its spheres, which are made once.
fn known_spheres() -> &'static SphereModel {
    static SPHERES: OnceLock<SphereModel> = OnceLock::new();
    SPHERES.get_or_init(|| SphereModel::cover(known_arm().robot(), 8))
}

/// A roadmap of few edges and one scene.
fn known_table() -> &'static (Roadmap, SphereWorlds) {
    static TABLE: OnceLock<(Roadmap, SphereWorlds)> = OnceLock::new();
    TABLE.get_or_init(|| {
        let arm = known_arm();
        let roadmap = joint_roadmap(
            arm,
            known_spheres(),
            12,
            Sampling::Uniform(1),
            Connection::Nearest(3),
        )
        .unwrap();
        let worlds = SphereWorlds::new(arm, known_spheres(), &[Scene::default()]).unwrap();
        (roadmap, worlds)
    })
}

/// Asks whether an arm touches anything in the middle of its range.
fn use_arm(arm: &Arm, scene: &Scene) {
    let axes = arm.space().axes().iter();
    let middle: Vec<f64> = axes.map(|a| (a.lower() + a.upper()) / 2.0).collect();
    if let Ok(mut world) = ExactWorld::new(arm, scene) {
        world.contact(&middle);
    }
}

fn read_scene(path: &Path) -> Result<(), FileError> {
    Scene::read(path).map(drop)
}

/// Asks whether the known arm touches anything in a scene.
fn use_scene(path: &Path) {
    let Ok(scene) = Scene::read(path) else {
        return;
    };
    for Placed { shape, pose } in scene.objects.iter().flat_map(|object| &object.shapes) {
        let _ = shape.bounds(pose);
    }
    use_arm(known_arm(), &scene);
    // What is held is covered by spheres, which takes its time for good reasons.
    if scene.attached.is_empty() {
        let world = SphereWorld::new(known_arm(), known_spheres(), &scene);
        let _ = world.map(|world| world.standing_collision().is_some());
    }
}

/// A scene beside a file, of one object that is in the file.
fn scene_of(path: &Path, object: &str) -> PathBuf {
    let name = path.file_name().unwrap().to_str().unwrap();
    let scene = path.with_file_name("scene.toml");
    let object = object.replace("FILE", name);
    fs::write(&scene, format!("[[object]]\nname = \"o\"\n{object}\n")).unwrap();
    scene
}

const OF_MESH: &str = "mesh = 'FILE'";
const OF_CLOUD: &str = "points = { file = 'FILE', radius = 0.01 }";

fn read_mesh(path: &Path) -> Result<(), FileError> {
    read_scene(&scene_of(path, OF_MESH))
}

fn use_mesh(path: &Path) {
    use_scene(&scene_of(path, OF_MESH));
}

fn read_cloud(path: &Path) -> Result<(), FileError> {
    read_scene(&scene_of(path, OF_CLOUD))
}

fn use_cloud(path: &Path) {
    use_scene(&scene_of(path, OF_CLOUD));
}

/// The only file below a folder; if there is none, `make` is asked to make it.
fn only_file(folder: &Path, make: impl FnOnce()) -> PathBuf {
    if !folder.exists() {
        make();
    }
    let mut path = folder.to_owned();
    while path.is_dir() {
        let mut entries = fs::read_dir(&path).unwrap();
        path = entries.next().unwrap().unwrap().path();
    }
    path
}
