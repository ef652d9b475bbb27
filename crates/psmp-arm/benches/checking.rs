//! How long a valid configuration takes to check: eight lanes beside one lane beside the true
//! shapes, for the published Panda in published scenes.
//!
//! They run by turns in one process on the same motions, all of them free, and the least time
//! of many short rounds counts, so that the ratios hold on a busy machine. The motions have a
//! roadmap's length. They are checked at the 0.2 rad of a planner, where a motion fills one or two
//! blocks of eight and many lanes stay empty, and at the 1/32 rad of VAMP, where few do. Then a
//! collision table: the edges of a roadmap in eighty scenes at once, beside one scene after the
//! other. Then a change of scene: what is known of edges that an object can affect is forgotten,
//! beside finding all such edges. Then refined checking, by the true shapes where spheres touch, in
//! the Panda's cage and on the UR5's meshes: microseconds for configurations drawn anywhere and for
//! those along straight motions from starts to goals. Ends with an error if a ratio or a time that the
//! project claims does not hold.
//!
//! ```text
//! PSMP_DATA=... cargo bench -p psmp-arm --bench checking
//! PSMP_DATA=... cargo bench -p psmp-arm --bench checking -- instructions
//! ```
//!
//! The second counts instructions with valgrind, which no other load of the machine changes.

use psmp::checker::{BisectionChecker, Checker, EdgeMemory, Part, Sightings, World};
use psmp::{BisectionOrder, Connection, Motion, Resolution};
use psmp_arm::{
    Arm, ArmProblem, DEFAULT_NEIGHBOURS, DEFAULT_SPHERES, DEFAULT_VERTICES, ExactWorld,
    MotionRequest, RefinedWorld, Robot, Sampling, Scene, Semantics, SphereModel, SphereWorld,
    SphereWorlds, SweptVolumes, joint_roadmap,
};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::time::Instant;

const SETS: [&str; 4] = ["bookshelf_small", "box", "table_pick", "table_under_pick"];
const SCENES: usize = 5;
const EDGES: usize = 100;
const ROUNDS: usize = 40;

/// The largest joint step, and how many times eight lanes are as fast as one at least.
const STEPS: [(f64, f64); 2] = [(0.2, 3.0), (1.0 / 32.0, 4.0)];
/// How many times spheres are as fast as the true shapes at least.
const BESIDE_MESHES: f64 = 10.0;

/// How many times a table is as fast in all scenes at once as scene by scene at least.
const TOGETHER: f64 = 3.0;
const TABLE_SCENES: usize = 80;
const TABLE_EDGES: usize = 1000;

/// How many times forgetting is as fast as finding all affected edges at least, with about so many
/// edges known, as after a plan.
const FORGETTING: f64 = 8.0;
const KNOWN_EDGES: usize = 500;

/// A robot, its group, a set of problems, and how many microseconds refined checking takes at most.
const REFINED: [(&str, &str, &str, f64); 2] = [
    ("panda", "panda_arm", "cage", 10.0),
    ("ur5", "manipulator", "table_pick", 60.0),
];
const REFINED_DRAWN: usize = 200;
const REFINED_ROUNDS: usize = 5;

/// A robot's file, and what it is.
const ROBOTS: [(&str, &str); 2] = [
    ("panda.urdf", "our own cover"),
    ("panda_spherized.urdf", "the spheres that VAMP ships"),
];

fn main() -> ExitCode {
    let Some(panda) = psmp_testdata::published("motion_bench_maker/panda") else {
        return ExitCode::SUCCESS;
    };
    // Cargo adds `--bench`.
    let words: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| a != "--bench")
        .collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        [] => compare(&panda),
        ["instructions"] => count_instructions(),
        ["once", urdf, set, step, path] => once(&panda, urdf, set, step, path),
        _ => {
            eprintln!("error: expected nothing or `instructions`");
            ExitCode::FAILURE
        }
    }
}

/// The arm as spheres; the cover is kept from run to run.
fn read_arm(panda: &Path, urdf: &str) -> (Arm, SphereModel) {
    let robot = Robot::read(panda.join(urdf)).expect("the published robot is read");
    let semantics = Semantics::read(panda.join("panda.srdf"), &robot).expect("its SRDF is read");
    let arm = Arm::new(robot, &semantics, "panda_arm").expect("it has an arm");
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let (model, _) = SphereModel::cached(arm.robot(), DEFAULT_SPHERES, folder);
    (arm, model)
}

/// A scene of a set, and free motions in it: their configurations in bisection order.
struct Place {
    spheres: SphereWorld,
    exact: ExactWorld,
    edges: Vec<Vec<f64>>,
    configurations: usize,
}

fn places(arm: &Arm, model: &SphereModel, panda: &Path, set: &str, step: f64) -> Vec<Place> {
    let place = |number: usize| {
        let path = panda.join(format!("problems/{set}/scene{number:04}.yaml"));
        let scene = Scene::read(path).expect("the published scene is read");
        let mut spheres = SphereWorld::new(arm, model, &scene).expect("arm and scene fit");
        let edges = free_edges(arm, &mut spheres, step);
        Place {
            exact: ExactWorld::new(arm, &scene).expect("arm and scene fit"),
            configurations: edges.iter().map(|e| e.len() / arm.dimension()).sum(),
            spheres,
            edges,
        }
    };
    (1..=SCENES).map(place).collect()
}

fn free_edges(arm: &Arm, world: &mut SphereWorld, step: f64) -> Vec<Vec<f64>> {
    let space = arm.space();
    let dimension = space.dimension();
    let draws = psmp::roadmap::uniform(space, 10_000, 3);
    let free = draws.chunks_exact(dimension);
    let free: Vec<&[f64]> = free
        .filter(|q| matches!(world.is_free(q), Ok(true)))
        .collect();
    let mut edges = Vec::new();
    for (index, &a) in free.iter().enumerate() {
        // The nearest of the next hundred, so that motions are of a roadmap's length.
        let others = free[index + 1..].iter().take(100);
        let Some(&b) = others.min_by(|x, y| space.distance(a, x).total_cmp(&space.distance(a, y)))
        else {
            break;
        };
        let edge = along(Motion::new(space, a, b, resolution(step)));
        if matches!(world.first_collision(&edge, dimension), Ok(None)) {
            edges.push(edge);
        }
        if edges.len() == EDGES {
            break;
        }
    }
    edges
}

fn resolution(step: f64) -> Resolution {
    Resolution::largest_axis(step).expect("a step is positive")
}

/// The configurations of a motion in bisection order.
fn along(motion: Motion<'_>) -> Vec<f64> {
    let (count, dimension) = (motion.configurations(), motion.space().dimension());
    let mut edge = vec![0.0; count * dimension];
    let mut order = BisectionOrder::default();
    for (&step, q) in order.of(count).iter().zip(edge.chunks_exact_mut(dimension)) {
        motion.write(step as usize, q);
    }
    edge
}

#[inline(never)]
fn eight_lanes(place: &mut Place, dimension: usize) {
    for edge in &place.edges {
        let hit = place.spheres.first_collision(edge, dimension);
        assert!(matches!(hit, Ok(None)), "the motions are free");
    }
}

#[inline(never)]
fn one_lane(place: &mut Place, dimension: usize) {
    for q in place.edges.iter().flat_map(|e| e.chunks_exact(dimension)) {
        std::hint::black_box(place.spheres.is_free_in_one_lane(q));
    }
}

/// Checks one configuration of each motion only, because meshes are slow.
#[inline(never)]
fn meshes(place: &mut Place, dimension: usize) {
    for edge in &place.edges {
        assert!(
            matches!(place.exact.is_free(&edge[..dimension]), Ok(true)),
            "free by spheres is free by meshes"
        );
    }
}

fn compare(panda: &Path) -> ExitCode {
    let mut good = true;
    for (urdf, what) in ROBOTS {
        let (arm, model) = read_arm(panda, urdf);
        for (step, claimed) in STEPS {
            println!(
                "\n{what}, {} spheres, steps of {step} rad: nanoseconds for a valid configuration",
                model.count()
            );
            println!(
                "{:17} {:>8} {:>11} {:>9} {:>7} {:>9} {:>6}",
                "set", "a motion", "eight lanes", "one lane", "ratio", "meshes", "ratio"
            );
            for set in SETS {
                let mut places = places(&arm, &model, panda, set, step);
                let [eight, one, exact] = measure(&mut places, arm.dimension());
                let configurations: usize = places.iter().map(|p| p.configurations).sum();
                let motions: usize = places.iter().map(|p| p.edges.len()).sum();
                println!(
                    "{set:17} {:8.1} {eight:11.0} {one:9.0} {:7.1} {exact:9.0} {:6.0}",
                    configurations as f64 / motions as f64,
                    one / eight,
                    exact / eight
                );
                good &= one > claimed * eight && exact > BESIDE_MESHES * eight;
            }
        }
    }
    good &= compare_tables(panda);
    good &= compare_changes(panda);
    good &= compare_refined(panda);
    match good {
        true => ExitCode::SUCCESS,
        false => {
            eprintln!("error: a claimed ratio does not hold");
            ExitCode::FAILURE
        }
    }
}

/// The edges of a roadmap in all scenes of a set at once, beside scene by scene, on one core.
fn compare_tables(panda: &Path) -> bool {
    let (arm, model) = read_arm(panda, "panda.urdf");
    let connection = Connection::Nearest(10);
    let roadmap = joint_roadmap(&arm, &model, 5000, Sampling::Halton, connection);
    let roadmap = roadmap.expect("a roadmap of the Panda");
    let stride = roadmap.edge_count() / TABLE_EDGES;
    let some = roadmap.edge_ids().step_by(stride);
    let motions = some.filter_map(|edge| roadmap.motion(edge, resolution(0.2)));
    let edges: Vec<Vec<f64>> = motions.map(along).collect();
    println!(
        "\n{TABLE_SCENES} scenes x edges of a roadmap of 5000 vertices, 10 nearest, steps of 0.2 rad:"
    );
    println!(
        "nanoseconds for an edge in a scene, on one core, and seconds for 1000 x 100,000 on two"
    );
    println!(
        "{:17} {:>6} {:>8} {:>10} {:>7} {:>7}",
        "set", "free", "together", "one by one", "ratio", "seconds"
    );
    let mut good = true;
    for set in SETS {
        let read = |number: usize| {
            let path = panda.join(format!("problems/{set}/scene{number:04}.yaml"));
            Scene::read(path).expect("the published scene is read")
        };
        let scenes: Vec<Scene> = (1..=TABLE_SCENES).map(read).collect();
        let mut all = SphereWorlds::new(&arm, &model, &scenes).expect("arm and scenes fit");
        let first = SphereWorld::new(&arm, &model, &scenes[0]).expect("arm and scene fit");
        let one = |scene: &Scene| first.in_scene(&arm, scene).expect("arm and scene fit");
        let mut each: Vec<SphereWorld> = scenes.iter().map(one).collect();
        let (mut together, mut apart) = (0.0, 0.0);
        let mut free = 0;
        let mut row = vec![0; scenes.len().div_ceil(64)];
        // A few edges by turns, the least of some short rounds, and so on to the next.
        for some in edges.chunks(4) {
            let (mut least, mut least_apart) = (f64::INFINITY, f64::INFINITY);
            let mut found = [0, 0];
            for _ in 0..8 {
                found = [0, 0];
                let started = Instant::now();
                for edge in some {
                    all.free_in(edge, &mut row);
                    found[0] += row.iter().map(|w| w.count_ones()).sum::<u32>();
                }
                least = least.min(started.elapsed().as_secs_f64());
                let started = Instant::now();
                for world in &mut each {
                    for edge in some {
                        let hit = world.first_collision(edge, arm.dimension());
                        found[1] += u32::from(matches!(hit, Ok(None)));
                    }
                }
                least_apart = least_apart.min(started.elapsed().as_secs_f64());
            }
            assert_eq!(found[0], found[1], "both ways say the same");
            free += found[0];
            together += least;
            apart += least_apart;
        }
        let entries = (edges.len() * scenes.len()) as f64;
        println!(
            "{set:17} {:5.0}% {:8.0} {:10.0} {:7.1} {:7.1}",
            100.0 * f64::from(free) / entries,
            together / entries * 1e9,
            apart / entries * 1e9,
            apart / together,
            together / entries * 1e8 / 2.0
        );
        good &= apart > TOGETHER * together;
    }
    good
}

/// A new object makes uncertain what a plan has found out: forgetting that, beside finding all edges
/// that the object can affect.
fn compare_changes(panda: &Path) -> bool {
    let (arm, model) = read_arm(panda, "panda.urdf");
    let connection = Connection::Nearest(DEFAULT_NEIGHBOURS);
    let roadmap = joint_roadmap(&arm, &model, DEFAULT_VERTICES, Sampling::Halton, connection);
    let roadmap = roadmap.expect("a roadmap of the Panda");
    let read = |set: &str, number: usize| {
        let path = panda.join(format!("problems/{set}/scene{number:04}.yaml"));
        Scene::read(path).expect("the published scene is read")
    };
    let world = SphereWorld::new(&arm, &model, &read(SETS[0], 1)).expect("arm and scene fit");
    let coarse = resolution(0.2);
    let swept = SweptVolumes::new(&roadmap, coarse, &world).expect("a roadmap in joint space");
    let mut known = EdgeMemory::default();
    let mut checker = BisectionChecker::new(&roadmap, coarse, world).expect("a resolution");
    let mut sightings = Sightings::new(arm.dimension());
    for edge in roadmap
        .edge_ids()
        .step_by(roadmap.edge_count() / KNOWN_EDGES)
    {
        sightings.clear();
        let Ok(found) = checker.check(Part::whole_of(edge), &mut sightings);
        known.remember(edge, found.free == Some(true));
    }
    println!(
        "\nan object comes, {} of {} edges are known: microseconds to forget, and to find all \
         affected edges",
        known.known().count(),
        roadmap.edge_count()
    );
    println!(
        "{:17} {:>7} {:>8} {:>6} {:>8} {:>7}",
        "set", "objects", "affected", "forget", "find all", "ratio"
    );
    let mut good = true;
    for set in SETS {
        let mut sums = [0.0; 2];
        let (mut objects, mut affected) = (0, 0);
        let scenes = (1..=SCENES).map(|number| read(set, number));
        for object in scenes.flat_map(|scene| scene.objects) {
            let mut least = [f64::INFINITY; 2];
            let mut found = 0;
            for _ in 0..ROUNDS {
                let mut memory = known.clone();
                let times = [
                    timed(|| swept.came(&object, &mut memory), 1),
                    timed(|| found = swept.affected(&object.shapes).count(), 1),
                ];
                for (least, time) in least.iter_mut().zip(times) {
                    *least = least.min(time);
                }
            }
            objects += 1;
            affected += found;
            for (sum, least) in sums.iter_mut().zip(least) {
                *sum += least / 1e3;
            }
        }
        let [forget, find] = sums.map(|sum| sum / f64::from(objects));
        println!(
            "{set:17} {objects:7} {:7.1}% {forget:6.0} {find:8.0} {:7.1}",
            100.0 * affected as f64 / f64::from(objects) / roadmap.edge_count() as f64,
            find / forget,
        );
        good &= find > FORGETTING * forget;
    }
    good
}

/// How long a configuration takes by the true shapes where spheres touch, one at a time.
fn compare_refined(panda: &Path) -> bool {
    println!("\nrefined checking, one configuration at a time: microseconds for a configuration");
    println!(
        "{:6} {:11} {:>8} {:>6} {:>6} {:>6}",
        "robot", "set", "where", "free", "us", "most"
    );
    let mut good = true;
    for (name, group, set, most) in REFINED {
        let folder = panda.with_file_name(name);
        let robot = Robot::read(folder.join(format!("{name}.urdf"))).expect("the robot is read");
        let semantics = Semantics::read(folder.join(format!("{name}.srdf")), &robot);
        let semantics = semantics.expect("its SRDF is read");
        let arm = Arm::new(robot, &semantics, group).expect("it has an arm");
        let cache = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let (model, _) = SphereModel::cached(arm.robot(), DEFAULT_SPHERES, cache);
        let problems = (1..).map(|number| {
            let file = |kind: &str| folder.join(format!("problems/{set}/{kind}{number:04}.yaml"));
            let request = MotionRequest::read(file("request")).ok()?;
            let scene = Scene::read(file("scene")).expect("the published scene is read");
            ArmProblem::new(&arm, scene, &request).ok()
        });
        let problems: Vec<ArmProblem> = problems.map_while(|p| p).collect();
        for place in ["anywhere", "between"] {
            let (mut sum, mut count, mut free) = (0.0, 0, 0);
            for (number, problem) in problems.iter().enumerate() {
                let world = RefinedWorld::new(&problem.arm, &model, &problem.scene);
                let mut world = world.expect("arm and scene fit");
                let space = problem.arm.space();
                let ends = (&problem.start, &problem.goals[0]);
                let configurations = match place {
                    "anywhere" => psmp::roadmap::uniform(space, REFINED_DRAWN, number as u64),
                    _ => along(Motion::new(space, ends.0, ends.1, resolution(0.02))),
                };
                let each = configurations.chunks_exact(arm.dimension());
                let total = each.len();
                let mut least = f64::INFINITY;
                let mut found = 0;
                for _ in 0..REFINED_ROUNDS {
                    let work = || {
                        let verdicts = each.clone().map(|q| world.is_free(q));
                        found = verdicts.filter(|free| matches!(free, Ok(true))).count();
                    };
                    least = least.min(timed(work, total));
                }
                sum += least * total as f64 / 1e3;
                count += total;
                free += found;
            }
            let mean = sum / count as f64;
            println!(
                "{name:6} {set:11} {place:>8} {:5.0}% {mean:6.1} {most:6.0}",
                100.0 * free as f64 / count as f64
            );
            good &= mean <= most;
        }
    }
    good
}

/// Nanoseconds a configuration by eight lanes, by one, and by meshes.
fn measure(places: &mut [Place], dimension: usize) -> [f64; 3] {
    let mut sums = [0.0; 3];
    let count = places.len() as f64;
    for place in places {
        let mut least = [f64::INFINITY; 3];
        for _ in 0..ROUNDS {
            let (configurations, motions) = (place.configurations, place.edges.len());
            let times = [
                timed(|| eight_lanes(place, dimension), configurations),
                timed(|| one_lane(place, dimension), configurations),
                timed(|| meshes(place, dimension), motions),
            ];
            for (least, time) in least.iter_mut().zip(times) {
                *least = least.min(time);
            }
        }
        for (sum, least) in sums.iter_mut().zip(least) {
            *sum += least / count;
        }
    }
    sums
}

fn timed(mut work: impl FnMut(), configurations: usize) -> f64 {
    let started = Instant::now();
    work();
    started.elapsed().as_secs_f64() * 1e9 / configurations.max(1) as f64
}

/// Runs one path once, for valgrind to count.
fn once(panda: &Path, urdf: &str, set: &str, step: &str, path: &str) -> ExitCode {
    let (arm, model) = read_arm(panda, urdf);
    let step: f64 = step.parse().expect("a step");
    let mut places = places(&arm, &model, panda, set, step);
    for place in &mut places {
        match path {
            "eight_lanes" => eight_lanes(place, arm.dimension()),
            "one_lane" => one_lane(place, arm.dimension()),
            _ => meshes(place, arm.dimension()),
        }
    }
    let configurations: usize = match path {
        "meshes" => places.iter().map(|p| p.edges.len()).sum(),
        _ => places.iter().map(|p| p.configurations).sum(),
    };
    println!("{configurations}");
    ExitCode::SUCCESS
}

fn count_instructions() -> ExitCode {
    let own = std::env::current_exe().expect("a program knows its name");
    for (urdf, what) in ROBOTS {
        for (step, _) in STEPS {
            println!("\n{what}, steps of {step} rad: instructions for a valid configuration");
            for set in SETS {
                for path in ["eight_lanes", "one_lane", "meshes"] {
                    let output = Command::new("valgrind")
                        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
                        .arg(format!("--toggle-collect=checking::{path}"))
                        .arg(&own)
                        .args(["once", urdf, set, &step.to_string(), path])
                        .output();
                    let Ok(output) = output else {
                        eprintln!("error: valgrind is not there; install it");
                        return ExitCode::FAILURE;
                    };
                    let said = String::from_utf8_lossy(&output.stderr);
                    let counted = said
                        .lines()
                        .find_map(|l| l.split_once("Collected :"))
                        .and_then(|(_, n)| n.trim().parse::<f64>().ok());
                    let configurations = String::from_utf8_lossy(&output.stdout)
                        .trim()
                        .parse::<f64>();
                    let (Some(counted), Ok(configurations)) = (counted, configurations) else {
                        eprintln!("error: valgrind failed: {said}");
                        return ExitCode::FAILURE;
                    };
                    println!("{set:17} {path:11} {:10.0}", counted / configurations);
                }
            }
        }
    }
    ExitCode::SUCCESS
}
