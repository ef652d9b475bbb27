//! Checking with the true shapes: meshes and primitives, by parry.
//!
//! Slow beside spheres, and what spheres are measured against. A closed convex mesh becomes a
//! solid; any other mesh is its surface, so that a thing wholly inside it goes unseen.

use crate::arm::{Arm, ArmError};
use crate::block::LANES;
use crate::contacts::Contacts;
use crate::geometry::{Mesh, Placed, Shape, around};
use crate::kinematics::Kinematics;
use crate::pose::{Pose, minus, norm};
use crate::scene::Scene;
use crate::world::{ArmWorld, Clearances, Margins};
use parry3d_f64::math::{Matrix, Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::{
    Ball, Capsule, Compound, ConvexPolyhedron, Cuboid, Cylinder, HalfSpace, SharedShape, TriMesh,
    TriMeshFlags,
};
use psmp::checker::World;
use std::convert::Infallible;

/// An arm in a scene, with its true shapes.
#[derive(Clone)]
pub struct ExactWorld {
    kinematics: Kinematics<f64>,
    frames: Vec<Pose>,
    bodies: Vec<ExactBody>,
    obstacles: Vec<Obstacle>,
    pairs: Vec<(usize, usize)>,
}

#[derive(Clone)]
struct ExactBody {
    name: String,
    frame: usize,
    /// The shapes where they are in the frame.
    shapes: Vec<(ParryPose, SharedShape)>,
    /// A ball around them, in the frame.
    centre: [f64; 3],
    radius: f64,
    /// Which obstacles it is checked against.
    against: Vec<usize>,
}

#[derive(Clone)]
struct Obstacle {
    name: String,
    pose: ParryPose,
    shape: SharedShape,
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
            for Placed { shape, pose } in &object.shapes {
                let (low, high) = shape.bounds(pose);
                obstacles.push(Obstacle {
                    name: object.name.clone(),
                    pose: to_parry_pose(pose),
                    shape: to_parry(shape),
                    low,
                    high,
                });
                object_of.push(index);
            }
        }
        let bodies = contacts.bodies.iter().zip(&contacts.against_objects);
        let bodies = bodies
            .map(|(body, against)| {
                let boxes = body.shapes.iter().flat_map(|s| {
                    let (low, high) = s.shape.bounds(&s.pose);
                    [low, high]
                });
                let (low, high) = around(boxes, 0.0);
                let centre = [0, 1, 2].map(|i| low[i].midpoint(high[i]));
                ExactBody {
                    name: body.name.clone(),
                    frame: body.frame,
                    shapes: body
                        .shapes
                        .iter()
                        .map(|s| (to_parry_pose(&s.pose), to_parry(&s.shape)))
                        .collect(),
                    radius: norm(minus(high, centre)),
                    centre,
                    against: (0..obstacles.len())
                        .filter(|&o| against[object_of[o]])
                        .collect(),
                }
            })
            .collect();
        let kinematics = arm.kinematics().clone();
        Ok(Self {
            frames: vec![Pose::IDENTITY; kinematics.frame_count()],
            kinematics,
            bodies,
            obstacles,
            pairs: contacts.pairs,
        })
    }

    /// The names of a body and of what it touches in a configuration, if it touches anything: a
    /// link or a held thing first, then an object or another body.
    pub fn contact(&mut self, configuration: &[f64]) -> Option<(&str, &str)> {
        self.contact_within(configuration, None)
    }

    /// The names of two things that come within their margin in a configuration.
    fn contact_within(
        &mut self,
        configuration: &[f64],
        margins: Option<&Margins>,
    ) -> Option<(&str, &str)> {
        self.kinematics.frames(configuration, &mut self.frames);
        let poses: &[Pose] = &self.frames;
        let pose_of = |body: &ExactBody| to_parry_pose(&poses[body.frame]);
        for (number, body) in self.bodies.iter().enumerate() {
            let pose = pose_of(body);
            let centre = poses[body.frame].apply(body.centre);
            let margin = match body.frame {
                0 => 0.0,
                _ => margins.map_or(0.0, |m| m.bodies[number]),
            };
            for &index in &body.against {
                let obstacle = &self.obstacles[index];
                let gap = distance_to_box(centre, obstacle.low, obstacle.high);
                if gap > body.radius + margin {
                    continue;
                }
                let at = (&obstacle.pose, &obstacle.shape);
                let mut shapes = body.shapes.iter();
                if !shapes.all(|(inner, shape)| farther((&(pose * *inner), shape), at, margin)) {
                    return Some((&body.name, &obstacle.name));
                }
            }
        }
        for (number, &(a, b)) in self.pairs.iter().enumerate() {
            let (one, other) = (&self.bodies[a], &self.bodies[b]);
            let margin = margins.map_or(0.0, |m| m.pairs[number]);
            let centres = [one, other].map(|body| poses[body.frame].apply(body.centre));
            if norm(minus(centres[0], centres[1])) > one.radius + other.radius + margin {
                continue;
            }
            let (pose_one, pose_other) = (pose_of(one), pose_of(other));
            let apart = one.shapes.iter().all(|(p, s)| {
                let placed = pose_one * *p;
                let mut others = other.shapes.iter();
                others.all(|(q, t)| farther((&placed, s), (&(pose_other * *q), t), margin))
            });
            if !apart {
                return Some((&one.name, &other.name));
            }
        }
        None
    }
}

/// Whether two placed shapes are farther apart than a margin.
fn farther(
    one: (&ParryPose, &SharedShape),
    other: (&ParryPose, &SharedShape),
    margin: f64,
) -> bool {
    // Every pair of shapes that bodies and scenes are made of is supported; one that were not would
    // have to count as touching.
    match margin > 0.0 {
        true => query::distance(one.0, &*one.1.0, other.0, &*other.1.0)
            .is_ok_and(|found| found.distance > margin),
        false => query::intersection_test(one.0, &*one.1.0, other.0, &*other.1.0)
            .is_ok_and(|found| !found.intersecting),
    }
}

impl World for ExactWorld {
    type Error = Infallible;

    fn is_free(&mut self, configuration: &[f64]) -> Result<bool, Infallible> {
        Ok(self.contact(configuration).is_none())
    }
}

impl ArmWorld for ExactWorld {
    fn no_margins(&self) -> Margins {
        Margins::none(self.bodies.len(), self.pairs.len())
    }

    fn clear(&mut self, configurations: &[f64], margins: &Margins) -> u8 {
        margins.assert_for(self.bodies.len(), self.pairs.len());
        let each = configurations.chunks_exact(self.kinematics.dimension());
        assert!(each.len() <= LANES, "at most eight configurations");
        let lanes = each.enumerate();
        lanes.fold(0, |clear, (lane, q)| {
            clear | u8::from(self.contact_within(q, Some(margins)).is_none()) << lane
        })
    }

    fn motions(&self) -> Clearances {
        let bodies: Vec<(usize, f64)> = self
            .bodies
            .iter()
            .map(|b| (b.frame, norm(b.centre) + b.radius))
            .collect();
        Clearances::new(&self.kinematics, &bodies, &self.pairs)
    }

    fn measure(&mut self, configuration: &[f64], clearances: &mut Clearances) {
        self.kinematics.frames(configuration, &mut self.frames);
        let apart = |one: (ParryPose, &SharedShape), other: (ParryPose, &SharedShape)| {
            query::distance(&one.0, &*one.1.0, &other.0, &*other.1.0)
                .map_or(0.0, |found| found.distance)
        };
        let pose_of = |body: &ExactBody| to_parry_pose(&self.frames[body.frame]);
        for (body, clearance) in self.bodies.iter().zip(&mut clearances.bodies) {
            let pose = pose_of(body);
            *clearance = f64::INFINITY;
            for &index in &body.against {
                let obstacle = &self.obstacles[index];
                for (inner, shape) in &body.shapes {
                    let gap = apart((pose * *inner, shape), (obstacle.pose, &obstacle.shape));
                    *clearance = clearance.min(gap);
                }
            }
        }
        for (&(a, b), clearance) in self.pairs.iter().zip(&mut clearances.pairs) {
            let (one, other) = (&self.bodies[a], &self.bodies[b]);
            let (pose_one, pose_other) = (pose_of(one), pose_of(other));
            *clearance = f64::INFINITY;
            for (p, s) in &one.shapes {
                for (q, t) in &other.shapes {
                    let gap = apart((pose_one * *p, s), (pose_other * *q, t));
                    *clearance = clearance.min(gap);
                }
            }
        }
    }
}

/// How far a point is from an upright box; zero within.
pub(crate) fn distance_to_box(point: [f64; 3], low: [f64; 3], high: [f64; 3]) -> f64 {
    let outside = [0, 1, 2].map(|i| (low[i] - point[i]).max(point[i] - high[i]).max(0.0));
    norm(outside)
}

pub(crate) fn to_parry_pose(pose: &Pose) -> ParryPose {
    let r = &pose.rotation;
    let column = |c: usize| Vector::new(r[0][c], r[1][c], r[2][c]);
    let matrix = Matrix::from_cols(column(0), column(1), column(2));
    let [x, y, z] = pose.translation;
    ParryPose::from_parts(Vector::new(x, y, z), Rotation::from_mat3(&matrix))
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
