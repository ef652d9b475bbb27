//! Motions for the report: a few planners' paths in a few worlds, as the arm follows them.

use super::arena::ArmArena;
use super::arm_set::ArmSet;
use super::{Contender, SevenDof};
use crate::picture::ArmPicture;
use crate::report::{Motion, Stage};
use crate::reproduce::ReproduceError;
use psmp::{Waypoints, WorldId};
use psmp_arm::{Arm, Pose};
use psmp_lab::Row;

/// Who is shown, with which experience.
const SHOWN: [(&str, &str); 7] = [
    ("psmp:fs", "seen"),
    ("ei:ensemble", "unseen"),
    ("ei:ensemble", "seen"),
    ("ei:local", "none"),
    ("lazysp", "none"),
    ("rrtconnect+straightened", "none"),
    ("rrtstar", "none"),
];
const WORLDS_SHOWN: usize = 2;
/// A frame for so much of the way, in radians, but no more frames than that.
const STEP: f64 = 0.15;
const MOST_FRAMES: usize = 60;

/// The motions of a set, in the first worlds that have a path.
pub(super) fn stage(
    experiment: &SevenDof,
    set: &ArmSet,
    rows: &[&Row],
) -> Result<Option<Stage>, ReproduceError> {
    let Some(&seed) = experiment.seeds.first() else {
        return Ok(None);
    };
    let mut shown: Vec<u32> = Vec::new();
    for row in rows.iter().filter(|row| row.shortest_on_roadmap.is_some()) {
        if !shown.contains(&row.world) && shown.len() < WORLDS_SHOWN {
            shown.push(row.world);
        }
    }
    let (mut worlds, mut motions) = (Vec::new(), Vec::new());
    let mut still = None;
    for world in shown {
        let id = WorldId(world - 1);
        worlds.push((world, set.problems[id.index()].scene.objects.clone()));
        let arena = ArmArena::open(experiment, set, id)?;
        for (planner, experience) in SHOWN {
            let wanted = |c: &&Contender| c.to_string() == planner && c.experience() == experience;
            let Some(contender) = experiment.contenders.iter().find(wanted) else {
                continue;
            };
            let run = arena.run(contender, seed)?;
            let improvements = run.row.improvements().unwrap_or_default();
            let (Some(path), Some(last)) = (run.path, improvements.last()) else {
                continue;
            };
            still.get_or_insert_with(|| {
                let path: Vec<&[f64]> = path.iter().collect();
                let picture = ArmPicture {
                    title: &format!("{planner} ({experience}) in world {world} of {}", set.name),
                    subtitle: "",
                    arm: &set.bench.arm,
                    scene: &set.problems[id.index()].scene,
                    path: &path,
                    moves: true,
                };
                picture.svg()
            });
            let (frames, bends) = frames(&set.bench.arm, &path);
            motions.push(Motion {
                planner: planner.to_owned(),
                experience: experience.to_owned(),
                world,
                cost: last.configurations,
                length: path.length(),
                shortest: arena.shortest_on_roadmap(),
                frames,
                bends,
                seconds: None,
            });
        }
    }
    Ok((!motions.is_empty()).then(|| Stage {
        links: set.bench.look.clone(),
        worlds,
        motions,
        still: still.unwrap_or_default(),
    }))
}

/// Where all links are at even steps along a path, and at which shares of it the path bends.
fn frames(arm: &Arm, path: &Waypoints) -> (Vec<Vec<Pose>>, Vec<f64>) {
    let space = arm.space();
    let mut bends = vec![0.0];
    for place in 1..path.count() {
        let way = space.distance(path.at(place - 1), path.at(place));
        bends.push(bends[place - 1] + way);
    }
    let whole = bends[bends.len() - 1];
    let count = ((whole / STEP).ceil() as usize).clamp(1, MOST_FRAMES);
    let mut poses = arm.kinematics().poses(1);
    let mut q = vec![0.0; arm.dimension()];
    let frames = (0..=count)
        .map(|step| {
            let at = whole * step as f64 / count as f64;
            let next = bends.partition_point(|b| *b <= at).min(bends.len() - 1);
            let from = next.saturating_sub(1);
            let way = bends[next] - bends[from];
            let share = if way > 0.0 {
                (at - bends[from]) / way
            } else {
                0.0
            };
            space.interpolate(path.at(from), path.at(next), share, &mut q);
            arm.kinematics().compute(&q, &mut poses);
            poses.of(0).to_vec()
        })
        .collect();
    let shares = bends
        .iter()
        .map(|b| if whole > 0.0 { b / whole } else { 0.0 });
    (frames, shares.collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp_arm::models;

    #[test]
    fn frames_go_from_the_start_to_the_goal() {
        let (robot, semantics) = models::planar(2);
        let arm = Arm::new(robot, &semantics, "arm").unwrap();
        let path = Waypoints::new(arm.space(), vec![0.0, 0.0, 1.0, 0.0, 1.0, 3.0]);
        let (frames, bends) = frames(&arm, &path);
        assert_eq!(bends, [0.0, 0.25, 1.0]);
        let tip = |frame: &Vec<Pose>| frame[2].apply([0.5, 0.0, 0.0]);
        let near = |a: [f64; 3], b: [f64; 3]| (0..3).all(|i| (a[i] - b[i]).abs() < 1e-9);
        assert!(near(tip(&frames[0]), [1.0, 0.0, 0.0]));
        let end = tip(&frames[frames.len() - 1]);
        let expected = [
            0.5 * 1.0f64.cos() + 0.5 * 4.0f64.cos(),
            0.5 * 1.0f64.sin() + 0.5 * 4.0f64.sin(),
            0.0,
        ];
        assert!(near(end, expected), "{end:?}");
        // Even steps: the elbow stands still for the last three quarters.
        let elbow = |i: usize| frames[i][2].translation;
        let quarter = frames.len() / 4 + 1;
        assert!(near(elbow(quarter), elbow(frames.len() - 1)));
        assert!(!near(elbow(0), elbow(1)));
    }
}
