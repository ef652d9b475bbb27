//! How many configurations a second are checked: eight lanes beside one lane beside parry's meshes,
//! for the published Panda in published scenes. The rivals run by turns in one process on the same
//! configurations, so that the ratio holds on a noisy machine. Ends with an error if a ratio that
//! the project claims does not hold.
//!
//! Two kinds of batches: *valid* edges as a planner confirms them, all configurations free, at a
//! step of 0.2 rad; and *random* configurations, most of which collide, one at a time.
//!
//! `PSMP_DATA=... cargo bench -p psmp-arm --bench checking`

use psmp::checker::World;
use psmp_arm::{Arm, ExactWorld, Robot, Scene, Semantics, SphereModel, SphereWorld};
use std::path::PathBuf;
use std::time::{Duration, Instant};

const SETS: [&str; 4] = ["bookshelf_small", "box", "table_pick", "table_under_pick"];
const SCENES: usize = 5;
const ROUNDS: usize = 9;

fn main() {
    let data = std::env::var_os("PSMP_DATA").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data")),
        PathBuf::from,
    );
    let panda = data.join("motion_bench_maker/panda");
    if !panda.is_dir() {
        eprintln!("SKIPPED: {} is not there; set PSMP_DATA", panda.display());
        return;
    }
    let mut good = true;
    for (urdf, what) in [
        ("panda.urdf", "our own cover"),
        ("panda_spherized.urdf", "the 59 spheres that VAMP ships"),
    ] {
        let arm = read_arm(&panda, urdf);
        let model = SphereModel::cover(arm.robot(), psmp_arm::DEFAULT_SPHERES);
        println!("\n{what}: {} spheres", model.count());
        for set in SETS {
            good &= measure(&arm, &model, &panda, set, urdf == "panda.urdf");
        }
    }
    if !good {
        eprintln!("error: a claimed ratio does not hold");
        std::process::exit(1);
    }
}

fn read_arm(panda: &std::path::Path, urdf: &str) -> Arm {
    let robot = Robot::read(panda.join(urdf)).expect("the published robot is read");
    let semantics = Semantics::read(panda.join("panda.srdf"), &robot).expect("its SRDF is read");
    Arm::new(robot, &semantics, "panda_arm").expect("it has an arm")
}

/// Configurations along straight motions in bisection order, all free, one motion after the other.
fn free_edges(arm: &Arm, world: &mut SphereWorld, count: usize) -> Vec<Vec<f64>> {
    let space = arm.space();
    let mut order = psmp::checker::BisectionOrder::default();
    let mut edges = Vec::new();
    let mut draws = psmp::roadmap::uniform(space, 200_000, 3);
    draws.retain(|v| v.is_finite());
    let mut free: Vec<&[f64]> = Vec::new();
    for q in draws.chunks_exact(space.dimension()) {
        if matches!(world.is_free(q), Ok(true)) {
            free.push(q);
        }
    }
    for (index, &a) in free.iter().enumerate() {
        // The nearest of the next hundred, so that motions are of a roadmap's length.
        let others = free[index + 1..].iter().take(100);
        let Some(&b) = others.min_by(|x, y| space.distance(a, x).total_cmp(&space.distance(a, y)))
        else {
            break;
        };
        let largest = a
            .iter()
            .zip(b)
            .fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()));
        let steps = (largest / 0.2).ceil() as usize + 1;
        let mut edge = vec![0.0; steps * space.dimension()];
        for (&i, q) in order
            .of(steps)
            .iter()
            .zip(edge.chunks_exact_mut(space.dimension()))
        {
            space.interpolate(a, b, f64::from(i) / (steps - 1).max(1) as f64, q);
        }
        if matches!(world.first_collision(&edge, space.dimension()), Ok(None)) {
            edges.push(edge);
        }
        if edges.len() == count {
            break;
        }
    }
    edges
}

/// Times of a round, by turns.
fn by_turns(rivals: &mut [&mut dyn FnMut() -> usize], rounds: usize) -> Vec<Duration> {
    let mut times = vec![Vec::new(); rivals.len()];
    for round in 0..rounds {
        for (rival, times) in rivals.iter_mut().zip(&mut times) {
            let started = Instant::now();
            std::hint::black_box(rival());
            // The first round warms up.
            if round > 0 {
                times.push(started.elapsed());
            }
        }
    }
    // The least time is the one that the rest of the machine disturbed least.
    times
        .into_iter()
        .map(|t| t.into_iter().min().unwrap_or_default())
        .collect()
}

fn measure(
    arm: &Arm,
    model: &SphereModel,
    panda: &std::path::Path,
    set: &str,
    with_meshes: bool,
) -> bool {
    let dimension = arm.dimension();
    let mut worlds = Vec::new();
    for number in 1..=SCENES {
        let path = panda.join(format!("problems/{set}/scene{number:04}.yaml"));
        let scene = Scene::read(path).expect("the published scene is read");
        let mut spheres = SphereWorld::new(arm, model, &scene).expect("arm and scene fit");
        let exact = ExactWorld::new(arm, &scene).expect("arm and scene fit");
        let edges = free_edges(arm, &mut spheres, 200);
        worlds.push((spheres, exact, edges));
    }
    let configurations: usize = worlds
        .iter()
        .flat_map(|(_, _, edges)| edges)
        .map(|e| e.len() / dimension)
        .sum();
    let mut eight_worlds: Vec<_> = worlds.iter().map(|(s, _, e)| (s.clone(), e)).collect();
    let mut one_worlds = eight_worlds.clone();
    let mut eight = || {
        let mut hits = 0;
        for (world, edges) in &mut eight_worlds {
            for edge in edges.iter() {
                hits += usize::from(!matches!(world.first_collision(edge, dimension), Ok(None)));
            }
        }
        assert_eq!(hits, 0, "the motions are free");
        hits
    };
    let mut one = || {
        let mut hits = 0;
        for (world, edges) in &mut one_worlds {
            for q in edges.iter().flat_map(|e| e.chunks_exact(dimension)) {
                hits += usize::from(!world.is_free_in_one_lane(q));
            }
        }
        hits
    };
    let times = by_turns(&mut [&mut eight, &mut one], ROUNDS);
    let each = |time: Duration, count: usize| time.as_secs_f64() * 1e9 / count as f64;
    let (eight_ns, one_ns) = (
        each(times[0], configurations),
        each(times[1], configurations),
    );
    let mut line = format!(
        "{set:17} {configurations:6} valid configurations: eight lanes {eight_ns:6.0} ns each, one lane {one_ns:6.0} ns ({:.1} times)",
        one_ns / eight_ns
    );
    if with_meshes {
        // A tenth of them: meshes are slow.
        let mut hits = 0;
        let mut count = 0;
        let started = Instant::now();
        for (_, exact, edges) in &mut worlds {
            for q in edges
                .iter()
                .step_by(10)
                .flat_map(|e| e.chunks_exact(dimension))
            {
                hits += usize::from(!matches!(exact.is_free(q), Ok(true)));
                count += 1;
            }
        }
        let exact_ns = each(started.elapsed(), count);
        assert_eq!(hits, 0, "free by spheres is free by meshes");
        line += &format!(
            ", meshes {exact_ns:8.0} ns ({:.0} times)",
            exact_ns / eight_ns
        );
    }
    println!("{line}");
    one_ns / eight_ns > 2.0
}
