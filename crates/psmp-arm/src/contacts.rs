//! What can touch what: the bodies of an arm in a scene, and the pairs that are to be checked.
//!
//! A body is a link with collision geometry, or a thing that a link holds. Bodies on one frame
//! never move against each other and are not checked against each other; neither are pairs that
//! the scene or the SRDF allows to touch.

use crate::arm::{Arm, ArmError};
use crate::geometry::{Placed, Shape};
use crate::scene::{Object, Scene};

impl Arm {
    /// Allows two to touch in a scene: links, things that are held, or objects. Two links are not
    /// checked against each other in any scene of this arm then.
    ///
    /// # Errors
    /// If one of them is nowhere.
    pub fn allow(&mut self, scene: &mut Scene, one: &str, other: &str) -> Result<(), ArmError> {
        for name in [one, other] {
            self.check_name(scene, name)?;
        }
        scene.allowed.set(one, other, true);
        if let (Some(one), Some(other)) = (self.robot().link(one), self.robot().link(other)) {
            self.disable(one, other);
        }
        Ok(())
    }

    /// Sees that something is called this.
    fn check_name(&self, scene: &Scene, name: &str) -> Result<(), ArmError> {
        /// So many names are told of those that there are.
        const TOLD: usize = 3;
        let links = self.robot().links().iter().map(|link| &link.name);
        let held = scene.attached.iter().map(|held| &held.object.name);
        let objects = scene.objects.iter().map(|object| &object.name);
        let mut known: Vec<&String> = links.chain(held).chain(objects).collect();
        if known.iter().any(|other| *other == name) {
            return Ok(());
        }
        let likeness = |other: &str| strsim::normalized_damerau_levenshtein(name, other);
        known.sort_by(|a, b| likeness(b).total_cmp(&likeness(a)));
        Err(ArmError::Nowhere {
            name: name.to_owned(),
            known: known.into_iter().take(TOLD).cloned().collect(),
        })
    }
}

/// A body and where it is fixed.
#[derive(Debug, Clone)]
pub(crate) struct Body {
    /// The name of the link or the thing.
    pub name: String,
    /// The link that it is, or that holds it.
    pub link: usize,
    /// Whether it is a thing that is held.
    pub held: bool,
    /// The frame that it moves with.
    pub frame: usize,
    /// Its shapes in that frame.
    pub shapes: Vec<Placed>,
}

/// The bodies of an arm in a scene and what is to be checked.
#[derive(Debug, Clone)]
pub(crate) struct Contacts {
    pub bodies: Vec<Body>,
    /// For each body, whether it is checked against each object of the scene.
    pub against_objects: Vec<Vec<bool>>,
    /// Pairs of bodies that are checked.
    pub pairs: Vec<(usize, usize)>,
}

impl Contacts {
    pub fn new(arm: &Arm, scene: &Scene) -> Result<Self, ArmError> {
        let robot = arm.robot();
        let mut bodies = Vec::new();
        let mut touch: Vec<&[String]> = Vec::new();
        let mut add = |name: &str, link: usize, held: bool, shapes: &[Placed]| {
            let (frame, mount) = arm.kinematics().mount(link);
            let ground = |s: &Placed| matches!(s.shape, Shape::HalfSpace | Shape::Heightfield(_));
            if shapes.iter().any(ground) {
                return Err(ArmError::MovingGround(name.to_owned()));
            }
            bodies.push(Body {
                name: name.to_owned(),
                link,
                held,
                frame,
                shapes: shapes
                    .iter()
                    .map(|s| Placed {
                        shape: s.shape.clone(),
                        pose: mount.then(&s.pose),
                    })
                    .collect(),
            });
            Ok(())
        };
        for (index, link) in robot.links().iter().enumerate() {
            if !link.collision.is_empty() {
                add(&link.name, index, false, &link.collision)?;
                touch.push(&[]);
            }
        }
        for held in &scene.attached {
            let Some(link) = robot.link(&held.link) else {
                return Err(ArmError::AttachedLink {
                    object: held.object.name.clone(),
                    link: held.link.clone(),
                    robot: robot.name().to_owned(),
                });
            };
            // Nothing was seen of it, so nothing of it can touch.
            if held.object.shapes.is_empty() {
                continue;
            }
            add(&held.object.name, link, true, &held.object.shapes)?;
            touch.push(&held.touch);
        }
        let may_touch = |a: usize, b: usize| {
            let (one, other): (&Body, &Body) = (&bodies[a], &bodies[b]);
            if one.frame == other.frame
                || touch[a].contains(&other.name)
                || touch[b].contains(&one.name)
            {
                return true;
            }
            let said = scene.allowed.allows(&one.name, &other.name);
            said.unwrap_or_else(|| match (one.held, other.held) {
                (false, false) => arm.is_disabled(one.link, other.link),
                // A thing may touch the link that holds it.
                (true, false) | (false, true) => one.link == other.link,
                (true, true) => false,
            })
        };
        let count = bodies.len();
        let pairs = (0..count)
            .flat_map(|a| (a + 1..count).map(move |b| (a, b)))
            .filter(|&(a, b)| !may_touch(a, b))
            .collect();
        let checked = |body: &Body, object: &Object| {
            scene.allowed.allows(&body.name, &object.name) != Some(true)
        };
        let against_objects = bodies
            .iter()
            .map(|body| scene.objects.iter().map(|o| checked(body, o)).collect())
            .collect();
        Ok(Self {
            bodies,
            against_objects,
            pairs,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models;
    use crate::pose::Pose;

    fn arm_and_scene() -> (Arm, Scene) {
        let (robot, semantics) = models::planar(3);
        let post = Object {
            name: "post".to_owned(),
            shapes: vec![Placed {
                shape: Shape::sphere(0.1).unwrap(),
                pose: Pose::IDENTITY,
            }],
        };
        let scene = Scene {
            objects: vec![post],
            ..Scene::default()
        };
        (Arm::new(robot, &semantics, "arm").unwrap(), scene)
    }

    #[test]
    fn what_is_allowed_is_not_checked() {
        let (mut arm, mut scene) = arm_and_scene();
        let before = Contacts::new(&arm, &scene).unwrap();
        assert!(before.against_objects.iter().all(|against| against[0]));
        assert_eq!(before.pairs, [(0, 2)]);
        arm.allow(&mut scene, "post", "link2").unwrap();
        arm.allow(&mut scene, "link3", "link1").unwrap();
        let after = Contacts::new(&arm, &scene).unwrap();
        let checked: Vec<bool> = after.against_objects.iter().map(|a| a[0]).collect();
        assert_eq!(checked, [true, false, true]);
        assert!(after.pairs.is_empty());
        // Two links may touch whatever the scene, as in a roadmap.
        assert!(
            Contacts::new(&arm, &Scene::default())
                .unwrap()
                .pairs
                .is_empty()
        );
    }

    #[test]
    fn names_that_are_nowhere_are_told_with_those_near() {
        let (mut arm, mut scene) = arm_and_scene();
        let error = arm.allow(&mut scene, "link1", "pots").unwrap_err();
        assert!(error.to_string().contains("`pots`"), "{error}");
        assert!(error.to_string().contains("post"), "{error}");
        assert_eq!(scene.allowed.allows("link1", "pots"), None);
    }
}
