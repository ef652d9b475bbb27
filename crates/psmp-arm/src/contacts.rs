//! What can touch what: the bodies of an arm in a scene, and the pairs that are to be checked.
//!
//! A body is a link with collision geometry, or a thing that a link holds. Bodies on one frame
//! never move against each other and are not checked against each other; neither are pairs that
//! the scene or the SRDF allows to touch.

use crate::arm::{Arm, ArmError};
use crate::geometry::{Placed, Shape};
use crate::scene::{Object, Scene};

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
