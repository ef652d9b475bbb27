//! Clearances: what a scene tells of motions before any is checked.
//!
//! How far it is from some points around an arm to what stands nearest says where things stand, whatever they are called,
//! however many there are, and whether they came as boxes, meshes or point clouds. The points are places of the arm's outer
//! frames in configurations that are spread evenly, and so lie where it can be. Scenes in which things stand alike have
//! clearances alike, and a belief may trust what it knows of them more ([`psmp::Features`]).

use crate::arm::Arm;
use crate::obstacle::{Obstacles, PreparedShape};
use crate::pose::Pose;
use crate::scene::Scene;
use psmp::Features;
use psmp::roadmap::halton;

/// Points at which clearances are measured.
const POINTS: usize = 64;
/// A clearance counts as no more than this, in metres: what is that far away hinders no arm, and where nothing stands at all
/// it must be a number still.
const MOST: f64 = 2.0;

impl Arm {
    /// How far points around the arm are from what stands in a scene, in metres: what experience of scenes goes by to tell
    /// which of them this one resembles.
    #[must_use]
    pub fn clearances(&self, scene: &Scene) -> Vec<f64> {
        let mut obstacles = Obstacles::default();
        for placed in scene.objects.iter().flat_map(|object| &object.shapes) {
            obstacles.add(&PreparedShape::new(placed), 0);
        }
        let (kinematics, dimension) = (self.kinematics(), self.dimension());
        let count = kinematics.frame_count();
        let mut frames = vec![Pose::IDENTITY; count];
        let configurations = halton(self.space(), POINTS);
        let each = configurations.chunks_exact(dimension).enumerate();
        each.map(|(number, configuration)| {
            kinematics.frames(configuration, &mut frames);
            // The inner frames hardly move.
            let frame = count - 1 - number % count.div_ceil(2);
            let point = frames[frame].translation.map(|x| x as f32);
            f64::from(obstacles.distance(point)).min(MOST)
        })
        .collect()
    }
}

/// The clearances of an arm in each of some scenes; nothing if there is none.
pub(crate) fn clearances_in(arm: &Arm, scenes: &[Scene]) -> Option<Features> {
    let rows: Vec<Vec<f64>> = scenes.iter().map(|scene| arm.clearances(scene)).collect();
    Features::from_rows(&rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::geometry::{Placed, Shape};
    use crate::scene::Object;

    fn scene(at: [f64; 3]) -> Scene {
        let thing = Placed {
            shape: Shape::cuboid([0.2, 0.2, 0.2]).unwrap(),
            pose: Pose::at(at),
        };
        Scene {
            objects: vec![Object {
                name: "thing".to_owned(),
                shapes: vec![thing],
            }],
            ..Scene::default()
        }
    }

    #[test]
    fn scenes_that_look_alike_have_clearances_alike() {
        let (robot, semantics) = crate::models::panda_like();
        let arm = Arm::new(robot, &semantics, "arm").unwrap();
        let [here, near, far] = [0.5, 0.52, 0.9].map(|x| arm.clearances(&scene([x, 0.1, 0.4])));
        let apart = |one: &[f64], other: &[f64]| {
            let each = one.iter().zip(other);
            each.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
        };
        assert_eq!(here.len(), POINTS);
        // No point can come nearer by more than the thing has moved.
        assert!(apart(&here, &near) > 0.005 && apart(&here, &near) <= 0.02 + 1e-6);
        assert!(apart(&here, &far) > 0.2);
        // What things are called, and in which order they come, is no matter.
        let mut renamed = scene([0.5, 0.1, 0.4]);
        let other = scene([0.5, 0.1, 0.4]).objects[0].shapes[0].clone();
        renamed.objects[0].name = "another".to_owned();
        renamed.objects[0].shapes.push(other);
        assert_eq!(arm.clearances(&renamed), here);
        let nothing = arm.clearances(&Scene::default());
        assert!(nothing.iter().all(|clearance| *clearance == MOST));
    }
}
