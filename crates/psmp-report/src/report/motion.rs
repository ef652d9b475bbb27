//! An arm's motions as data for the view on the page.
//!
//! A shape is its kind, its lengths, and where it is: a place and a quaternion. Meshes are said
//! once for a family, in tenths of a millimetre. A motion is the pose of every link at even steps;
//! between steps the page mixes.

use super::data::{Motion, Report, Stage};
use psmp_arm::{Object, Placed, Pose, Shape};
use serde_json::{Value, json};

/// The largest number of points of a cloud that are shown; more cannot be told apart.
const MOST_POINTS: usize = 2000;
/// The ground is no lower than this beneath the arm's foot, whatever stands below.
const DEEPEST: f64 = -1.2;

/// The motions of all families that have some.
pub(super) fn motions(report: &Report) -> Value {
    let told = report.families.iter();
    told.filter_map(|f| family(&f.name, f.stage.as_ref()?))
        .collect()
}

/// The motions of one run, if there are any.
pub(super) fn motions_alone(stage: Option<&Stage>) -> Value {
    stage
        .and_then(|stage| family("", stage))
        .into_iter()
        .collect()
}

fn family(name: &str, stage: &Stage) -> Option<Value> {
    let shown = |world: u32| stage.motions.iter().any(|m| m.world == world);
    let worlds: Vec<&(u32, Vec<Object>)> = stage.worlds.iter().filter(|w| shown(w.0)).collect();
    if worlds.is_empty() {
        return None;
    }
    let mut meshes = Vec::new();
    let mut told = |shapes: &[Placed]| -> Value {
        let told = shapes.iter();
        told.flat_map(|placed| shape(placed, &mut meshes)).collect()
    };
    let links: Vec<Value> = stage.links.iter().map(|link| told(link)).collect();
    let bodies: Vec<Value> = worlds
        .iter()
        .map(|(world, objects)| {
            let objects: Vec<Value> = objects.iter().map(|o| told(&o.shapes)).collect();
            json!({ "world": world, "objects": objects })
        })
        .collect();
    let (middle, reach) = extent(stage)?;
    let ground = worlds.iter().flat_map(|w| &w.1).flat_map(|o| &o.shapes);
    let ground = ground.map(lowest).fold(0.0, f64::min);
    Some(json!({
        "name": name,
        "links": links,
        "worlds": bodies,
        "motions": stage.motions.iter().map(motion).collect::<Vec<_>>(),
        "meshes": meshes,
        "middle": middle.map(rounded),
        "reach": rounded(reach),
        "ground": rounded(ground.max(DEEPEST)),
        "tip": tip(stage).map(rounded),
        "facing": rounded(facing(stage)),
    }))
}

/// Where all links are, as the page has it.
pub(super) fn posed(poses: &[Pose]) -> Vec<f64> {
    poses.iter().flat_map(place).collect()
}

pub(super) fn motion(motion: &Motion) -> Value {
    json!({
        "planner": motion.planner,
        "experience": motion.experience,
        "world": motion.world,
        "cost": motion.cost,
        "length": rounded(motion.length),
        "shortest": motion.shortest.map(rounded),
        "seconds": motion.seconds.map(rounded),
        "stops": motion.bends.iter().copied().map(rounded).collect::<Vec<_>>(),
        "frames": motion.frames.iter().map(|f| posed(f)).collect::<Vec<_>>(),
    })
}

/// A shape in the page's words; nothing for ground without end, which the page draws anyway.
fn shape(placed: &Placed, meshes: &mut Vec<Value>) -> Vec<Value> {
    let pose = &placed.pose;
    let told = |kind: &str, lengths: &[f64]| {
        let lengths = lengths.iter().copied().map(rounded);
        let numbers = lengths.chain(place(pose)).map(|v| json!(v));
        let told: Value = [json!(kind)].into_iter().chain(numbers).collect();
        vec![told]
    };
    let mut told_mesh = |mesh: &psmp_arm::Mesh| {
        let places = mesh.vertices().iter().flatten();
        let places: Vec<i64> = places.map(|v| (v * 1e4).round() as i64).collect();
        let triangles: Vec<u32> = mesh.triangles().iter().flatten().copied().collect();
        let mesh = json!({ "places": places, "triangles": triangles });
        let known = meshes.iter().position(|known| *known == mesh);
        let index = known.unwrap_or_else(|| {
            meshes.push(mesh);
            meshes.len() - 1
        });
        told("mesh", &[index as f64])
    };
    match &placed.shape {
        Shape::Box(half) => told("box", half),
        Shape::Sphere { radius } => told("ball", &[*radius]),
        Shape::Cylinder {
            radius,
            half_height,
        } => told("cylinder", &[*radius, *half_height]),
        Shape::Capsule {
            radius,
            half_height,
        } => told("capsule", &[*radius, *half_height]),
        Shape::Mesh(mesh) => told_mesh(mesh),
        Shape::Heightfield(field) => told_mesh(&field.to_mesh()),
        Shape::Points(cloud) => {
            let every = cloud.points.len().div_ceil(MOST_POINTS).max(1);
            let points = cloud.points.iter().step_by(every);
            let ball = |&point: &[f64; 3]| Placed {
                shape: Shape::Sphere {
                    radius: cloud.radius,
                },
                pose: Pose {
                    translation: pose.apply(point),
                    ..*pose
                },
            };
            points.flat_map(|p| shape(&ball(p), meshes)).collect()
        }
        Shape::HalfSpace => Vec::new(),
    }
}

/// The middle of all places where links are, and how far they reach from it.
fn extent(stage: &Stage) -> Option<([f64; 3], f64)> {
    let places = || {
        let frames = stage.motions.iter().flat_map(|m| &m.frames);
        frames.flatten().map(|pose| pose.translation)
    };
    let first = places().next()?;
    let (low, high) = places().fold((first, first), |(low, high), p| {
        (
            [0, 1, 2].map(|i| low[i].min(p[i])),
            [0, 1, 2].map(|i| high[i].max(p[i])),
        )
    });
    let middle = [0, 1, 2].map(|i| f64::midpoint(low[i], high[i]));
    let away = |p: [f64; 3]| (0..3).map(|i| (p[i] - middle[i]).powi(2)).sum::<f64>();
    let reach = places().map(away).fold(0.0, f64::max).sqrt();
    Some((middle, reach.max(0.1)))
}

/// A point of the last link that shows where the arm's end is: the middle of its last shape.
fn tip(stage: &Stage) -> [f64; 3] {
    let last = stage.links.last().and_then(|link| link.last());
    last.map_or([0.0; 3], |placed| placed.pose.translation)
}

/// The direction in which the last link is from the root, seen from above: the mean over all motions.
fn facing(stage: &Stage) -> f64 {
    let frames = stage.motions.iter().flat_map(|m| &m.frames);
    let (x, y) = frames.fold((0.0, 0.0), |(x, y), poses| {
        let [root, last] = [poses.first(), poses.last()]
            .map(|pose| pose.map_or([0.0; 3], |pose| pose.translation));
        (x + last[0] - root[0], y + last[1] - root[1])
    });
    y.atan2(x)
}

fn lowest(placed: &Placed) -> f64 {
    let low = placed.shape.bounds(&placed.pose).0[2];
    if low.is_finite() { low } else { 0.0 }
}

/// Place and quaternion (x, y, z, w).
fn place(pose: &Pose) -> [f64; 7] {
    let r = &pose.rotation;
    let [x, y, z] = pose.translation;
    // The largest part is computed first, so that nothing is divided by nearly nothing.
    let squares = [
        1.0 + r[0][0] - r[1][1] - r[2][2],
        1.0 - r[0][0] + r[1][1] - r[2][2],
        1.0 - r[0][0] - r[1][1] + r[2][2],
        1.0 + r[0][0] + r[1][1] + r[2][2],
    ];
    let largest = (0..4).fold(
        0,
        |best, i| {
            if squares[i] > squares[best] { i } else { best }
        },
    );
    let s = squares[largest].sqrt() * 0.5;
    let over = 0.25 / s;
    let sum = |i: usize, j: usize| (r[i][j] + r[j][i]) * over;
    let difference = |i: usize, j: usize| (r[i][j] - r[j][i]) * over;
    let q = match largest {
        0 => [s, sum(0, 1), sum(0, 2), difference(2, 1)],
        1 => [sum(0, 1), s, sum(1, 2), difference(0, 2)],
        2 => [sum(0, 2), sum(1, 2), s, difference(1, 0)],
        _ => [difference(2, 1), difference(0, 2), difference(1, 0), s],
    };
    [x, y, z, q[0], q[1], q[2], q[3]].map(rounded)
}

/// A tenth of a millimetre, or as good as that.
fn rounded(value: f64) -> f64 {
    let rounded = (value * 1e4).round() / 1e4;
    if rounded.is_finite() {
        rounded + 0.0
    } else {
        0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quaternion_gives_the_pose_again() {
        let turns = [
            [0.3, -1.1, 2.7],
            [3.1, 0.0, 0.1],
            [0.0, 3.1, 0.2],
            [0.1, 0.2, 3.1],
            [0.0; 3],
        ];
        for turn in turns {
            let pose = Pose::from_xyz_rpy([1.0, -2.0, 0.5], turn);
            let [x, y, z, a, b, c, d] = place(&pose);
            let again = Pose::from_quaternion([x, y, z], [a, b, c, d]).unwrap();
            for point in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]] {
                let [p, q] = [pose.apply(point), again.apply(point)];
                assert!((0..3).all(|i| (p[i] - q[i]).abs() < 1e-3), "{turn:?}");
            }
        }
    }
}
