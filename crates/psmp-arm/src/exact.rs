//! Checking with the true shapes: meshes and primitives.
//!
//! Slow beside spheres, and what spheres are measured against; [`crate::true_shape`] is how two shapes
//! are compared. A closed convex mesh is a solid; any other mesh is its surface, so that a thing wholly
//! inside it goes unseen.

use crate::arm::{Arm, ArmError};
use crate::block::LANES;
use crate::contacts::Contacts;
use crate::geometry::{Mesh, Shape};
use crate::kinematics::Kinematics;
use crate::pose::{Pose, minus, norm};
use crate::scene::Scene;
use crate::sweep::BodyBall;
pub(crate) use crate::true_shape::to_parry_pose;
use crate::true_shape::{Room, TrueShape};
use crate::world::{ArmWorld, Margins};
use parry3d_f64::math::{Pose as ParryPose, Vector};
use parry3d_f64::shape::{
    Ball, Capsule, Compound, ConvexPolyhedron, Cuboid, Cylinder, HalfSpace, SharedShape, TriMesh,
    TriMeshFlags,
};
use psmp::checker::World;
use std::convert::Infallible;
use std::sync::Arc;

/// An arm in a scene, with its true shapes.
#[derive(Clone)]
pub struct ExactWorld {
    shared: Arc<Shared>,
    frames: Vec<Pose>,
    /// Where there was a gap last: for each body and obstacle, then for each pair.
    directions: Vec<Vector>,
    room: Room,
}

/// What all clones share.
struct Shared {
    kinematics: Kinematics<f64>,
    bodies: Vec<ExactBody>,
    obstacles: Vec<Obstacle>,
    pairs: Vec<(usize, usize)>,
    /// A body that never moves and an obstacle that it touches all the same, if there are any.
    standing: Option<(usize, usize)>,
}

struct ExactBody {
    name: String,
    frame: usize,
    /// The shapes where they are in the frame.
    shapes: Vec<(ParryPose, Arc<TrueShape>)>,
    /// A ball around them, in the frame.
    centre: [f64; 3],
    radius: f64,
    /// Which obstacles it is checked against.
    against: Vec<usize>,
}

struct Obstacle {
    name: String,
    pose: ParryPose,
    shape: Arc<TrueShape>,
    low: [f64; 3],
    high: [f64; 3],
}

impl ExactWorld {
    /// An arm in a scene.
    ///
    /// # Errors
    /// If the scene attaches something to a link that the robot has not.
    pub fn new(arm: &Arm, scene: &Scene) -> Result<Self, ArmError> {
        let contacts = Contacts::new(arm, scene)?;
        let mut obstacles = Vec::new();
        let mut object_of = Vec::new();
        for (index, object) in scene.objects.iter().enumerate() {
            for placed in &object.shapes {
                let (low, high) = placed.shape.bounds(&placed.pose);
                obstacles.push(Obstacle {
                    name: object.name.clone(),
                    pose: to_parry_pose(&placed.pose),
                    shape: placed.shape.true_shape(),
                    low,
                    high,
                });
                object_of.push(index);
            }
        }
        let bodies = contacts.bodies.iter().zip(&contacts.against_objects);
        let bodies: Vec<ExactBody> = bodies
            .map(|(body, against)| {
                let ball = BodyBall::around(body);
                let shapes = body.shapes.iter();
                ExactBody {
                    name: body.name.clone(),
                    frame: body.frame,
                    shapes: shapes
                        .map(|s| (to_parry_pose(&s.pose), s.shape.true_shape()))
                        .collect(),
                    radius: ball.radius,
                    centre: ball.middle,
                    against: (0..obstacles.len())
                        .filter(|&o| against[object_of[o]])
                        .collect(),
                }
            })
            .collect();
        let kinematics = arm.kinematics().clone();
        let directions = bodies.len() * obstacles.len() + contacts.pairs.len();
        let shared = Shared {
            kinematics,
            bodies,
            obstacles,
            pairs: contacts.pairs,
            standing: None,
        };
        let mut world = Self {
            frames: vec![Pose::IDENTITY; shared.kinematics.frame_count()],
            directions: vec![Vector::X; directions],
            room: Room::default(),
            shared: Arc::new(shared),
        };
        let standing = world.standing_collision();
        if let Some(shared) = Arc::get_mut(&mut world.shared) {
            shared.standing = standing;
        }
        Ok(world)
    }

    /// A body that never moves and an obstacle that it touches.
    fn standing_collision(&mut self) -> Option<(usize, usize)> {
        let shared = self.shared.clone();
        let standing = shared
            .bodies
            .iter()
            .enumerate()
            .filter(|(_, b)| b.frame == 0);
        let mut all = standing.flat_map(|(body, b)| b.against.iter().map(move |&o| (body, o)));
        all.find(|&(body, obstacle)| !self.body_keeps(body, obstacle, 0.0))
    }

    /// Whether nothing is free, because a body that never moves touches something.
    pub(crate) fn stands_in_collision(&self) -> bool {
        self.shared.standing.is_some()
    }

    /// Panics if margins are another world's.
    pub(crate) fn assert_for(&self, margins: &Margins) {
        margins.assert_for(self.shared.bodies.len(), self.shared.pairs.len());
    }

    /// Places the bodies as they are in a configuration.
    pub(crate) fn place(&mut self, configuration: &[f64]) {
        self.shared
            .kinematics
            .frames(configuration, &mut self.frames);
    }

    /// Whether a body, where it is placed, is farther than a margin from an obstacle.
    pub(crate) fn body_keeps(&mut self, body: usize, obstacle: usize, margin: f64) -> bool {
        let Shared {
            bodies, obstacles, ..
        } = &*self.shared;
        let direction = &mut self.directions[body * obstacles.len() + obstacle];
        let (body, obstacle) = (&bodies[body], &obstacles[obstacle]);
        let frame = &self.frames[body.frame];
        let centre = frame.apply(body.centre);
        if distance_to_box(centre, obstacle.low, obstacle.high) > body.radius + margin {
            return true;
        }
        let seen = to_parry_pose(frame).inv_mul(&obstacle.pose);
        let room = &mut self.room;
        body.shapes.iter().all(|(inner, shape)| {
            shape.farther(
                &obstacle.shape,
                &inner.inv_mul(&seen),
                margin,
                direction,
                room,
            )
        })
    }

    /// Whether the bodies of a pair, where they are placed, are farther apart than a margin.
    pub(crate) fn pair_keeps(&mut self, pair: usize, margin: f64) -> bool {
        let Shared {
            bodies,
            obstacles,
            pairs,
            ..
        } = &*self.shared;
        let direction = &mut self.directions[bodies.len() * obstacles.len() + pair];
        let (one, other) = (&bodies[pairs[pair].0], &bodies[pairs[pair].1]);
        let frames = [one, other].map(|body| &self.frames[body.frame]);
        let centres = [frames[0].apply(one.centre), frames[1].apply(other.centre)];
        if norm(minus(centres[0], centres[1])) > one.radius + other.radius + margin {
            return true;
        }
        let seen = to_parry_pose(frames[0]).inv_mul(&to_parry_pose(frames[1]));
        let room = &mut self.room;
        one.shapes.iter().all(|(inner, shape)| {
            let seen = inner.inv_mul(&seen);
            let mut others = other.shapes.iter();
            others.all(|(inner, other)| {
                shape.farther(other, &(seen * *inner), margin, direction, room)
            })
        })
    }

    /// The names of a body and of what it touches in a configuration, if it touches anything: a
    /// link or a held thing first, then an object or another body.
    pub fn contact(&mut self, configuration: &[f64]) -> Option<(&str, &str)> {
        let found = self.within(configuration, None)?;
        let Shared {
            bodies,
            obstacles,
            pairs,
            ..
        } = &*self.shared;
        Some(match found {
            Near::Obstacle(body, obstacle) => (&bodies[body].name, &obstacles[obstacle].name),
            Near::Pair(pair) => (&bodies[pairs[pair].0].name, &bodies[pairs[pair].1].name),
        })
    }

    /// Two things that come within their margin in a configuration.
    fn within(&mut self, configuration: &[f64], margins: Option<&Margins>) -> Option<Near> {
        if let Some((body, obstacle)) = self.shared.standing {
            return Some(Near::Obstacle(body, obstacle));
        }
        self.place(configuration);
        let shared = self.shared.clone();
        for (number, body) in shared.bodies.iter().enumerate() {
            let margin = margins.map_or(0.0, |m| m.bodies[number]);
            let mut against = body.against.iter().filter(|_| body.frame != 0);
            if let Some(&near) = against.find(|&&o| !self.body_keeps(number, o, margin)) {
                return Some(Near::Obstacle(number, near));
            }
        }
        let margin = |pair: usize| margins.map_or(0.0, |m| m.pairs[pair]);
        let mut pairs = 0..shared.pairs.len();
        pairs
            .find(|&pair| !self.pair_keeps(pair, margin(pair)))
            .map(Near::Pair)
    }
}

/// What is near what.
enum Near {
    /// A body and an obstacle.
    Obstacle(usize, usize),
    /// The bodies of a pair.
    Pair(usize),
}

impl World for ExactWorld {
    type Error = Infallible;

    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, Infallible> {
        Ok(self.within(configuration, None).is_none())
    }
}

impl ArmWorld for ExactWorld {
    fn no_margins(&self) -> Margins {
        Margins::none(self.shared.bodies.len(), self.shared.pairs.len())
    }

    fn clear(&mut self, configurations: &[f64], margins: &Margins) -> u8 {
        self.assert_for(margins);
        let each = configurations.chunks_exact(self.shared.kinematics.dimension());
        assert!(each.len() <= LANES, "at most eight configurations");
        let lanes = each.enumerate();
        lanes.fold(0, |clear, (lane, q)| {
            clear | u8::from(self.within(q, Some(margins)).is_none()) << lane
        })
    }
}

/// How far a point is from an upright box; zero within.
pub(crate) fn distance_to_box(point: [f64; 3], low: [f64; 3], high: [f64; 3]) -> f64 {
    let outside = [0, 1, 2].map(|i| (low[i] - point[i]).max(point[i] - high[i]).max(0.0));
    norm(outside)
}

pub(crate) fn to_parry(shape: &Shape) -> SharedShape {
    match shape {
        Shape::Box([x, y, z]) => SharedShape::new(Cuboid::new(Vector::new(*x, *y, *z))),
        Shape::Sphere { radius } => SharedShape::new(Ball::new(*radius)),
        Shape::Cylinder {
            radius,
            half_height,
        } => upright(SharedShape::new(Cylinder::new(*half_height, *radius))),
        Shape::Capsule {
            radius,
            half_height,
        } => SharedShape::new(Capsule::new(
            Vector::new(0.0, 0.0, -half_height),
            Vector::new(0.0, 0.0, *half_height),
            *radius,
        )),
        Shape::HalfSpace => SharedShape::new(HalfSpace::new(Vector::new(0.0, 0.0, 1.0))),
        Shape::Mesh(mesh) => mesh_to_parry(mesh),
        Shape::Heightfield(field) => mesh_to_parry(&field.to_mesh()),
        Shape::Points(cloud) => {
            let ball = SharedShape::new(Ball::new(cloud.radius));
            let at = |p: &[f64; 3]| (ParryPose::translation(p[0], p[1], p[2]), ball.clone());
            SharedShape::new(Compound::new(cloud.points.iter().map(at).collect()))
        }
    }
}

/// Parry's cylinders stand along y, ours along z.
fn upright(shape: SharedShape) -> SharedShape {
    let turn = Pose::from_xyz_rpy([0.0; 3], [std::f64::consts::FRAC_PI_2, 0.0, 0.0]);
    SharedShape::new(Compound::new(vec![(to_parry_pose(&turn), shape)]))
}

fn mesh_to_parry(mesh: &Mesh) -> SharedShape {
    let vertices = || -> Vec<Vector> {
        let at = |v: &[f64; 3]| Vector::new(v[0], v[1], v[2]);
        mesh.vertices().iter().map(at).collect()
    };
    if mesh.is_convex()
        && let Some(solid) = ConvexPolyhedron::from_convex_mesh(vertices(), mesh.triangles())
    {
        return SharedShape::new(solid);
    }
    SharedShape::new(trimesh(mesh))
}

/// The triangles, oriented if they close, so that inside can be told from outside.
pub(crate) fn trimesh(mesh: &Mesh) -> TriMesh {
    let at = |v: &[f64; 3]| Vector::new(v[0], v[1], v[2]);
    let vertices: Vec<Vector> = mesh.vertices().iter().map(at).collect();
    let flags = match mesh.is_closed() {
        true => TriMeshFlags::ORIENTED,
        false => TriMeshFlags::empty(),
    };
    match TriMesh::with_flags(vertices, mesh.triangles().to_vec(), flags) {
        Ok(mesh) => mesh,
        Err(e) => unreachable!("a mesh has triangles, so it can be built: {e}"),
    }
}
