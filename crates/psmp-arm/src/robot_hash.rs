//! Hashes of robots: of all that decides what they collide with, and of nothing else.
//!
//! What is kept of a robot is kept under such a hash. Names are no part of it.

use crate::geometry::{Placed, Shape};
use crate::pose::Pose;
use crate::robot::{Joint, JointKind, Mimic, Robot};
use crate::sphere_cover::SphereModel;
use std::hash::Hasher;
use twox_hash::XxHash64;

/// Adds a robot's links and joints.
pub(crate) fn add_robot(hash: &mut XxHash64, robot: &Robot) {
    add_geometry(hash, robot);
    hash.write_usize(robot.joints().len());
    for joint in robot.joints() {
        add_joint(hash, joint);
    }
}

/// Adds the spheres of a robot's links.
pub(crate) fn add_spheres(hash: &mut XxHash64, spheres: &SphereModel) {
    for link in spheres.links() {
        hash.write_usize(link.balls.len());
        for ball in &link.balls {
            add(hash, &ball.middle);
            add(hash, &[ball.radius]);
        }
    }
}

/// Adds all that the links of a robot collide with.
pub(crate) fn add_geometry(hash: &mut XxHash64, robot: &Robot) {
    hash.write_usize(robot.links().len());
    for link in robot.links() {
        hash.write_usize(link.collision.len());
        for placed in &link.collision {
            add_shape(hash, placed);
        }
    }
}

/// Adds a shape and where it is.
pub(crate) fn add_shape(hash: &mut XxHash64, Placed { shape, pose }: &Placed) {
    add_pose(hash, pose);
    // Each kind has a number of its own, so that no two shapes look alike.
    match shape {
        Shape::Box(half) => {
            hash.write_u8(0);
            add(hash, half);
        }
        Shape::Sphere { radius } => {
            hash.write_u8(1);
            add(hash, &[*radius]);
        }
        Shape::Cylinder {
            radius,
            half_height,
        } => {
            hash.write_u8(2);
            add(hash, &[*radius, *half_height]);
        }
        Shape::Capsule {
            radius,
            half_height,
        } => {
            hash.write_u8(3);
            add(hash, &[*radius, *half_height]);
        }
        Shape::HalfSpace => hash.write_u8(4),
        Shape::Mesh(mesh) => {
            hash.write_u8(5);
            hash.write_usize(mesh.vertices().len());
            add(hash, mesh.vertices().as_flattened());
            hash.write_usize(mesh.triangles().len());
            hash.write(bytemuck::cast_slice(mesh.triangles()));
        }
        Shape::Heightfield(field) => {
            hash.write_u8(6);
            hash.write_usize(field.columns);
            hash.write_usize(field.heights.len());
            add(hash, &field.size);
            add(hash, &field.heights);
        }
        Shape::Points(cloud) => {
            hash.write_u8(7);
            hash.write_usize(cloud.points.len());
            add(hash, cloud.points.as_flattened());
            add(hash, &[cloud.radius]);
        }
    }
}

fn add_joint(hash: &mut XxHash64, joint: &Joint) {
    hash.write_u8(match joint.kind {
        JointKind::Revolute => 0,
        JointKind::Continuous => 1,
        JointKind::Prismatic => 2,
        JointKind::Fixed => 3,
        JointKind::Planar => 4,
        JointKind::Floating => 5,
    });
    hash.write_usize(joint.parent);
    hash.write_usize(joint.child);
    add_pose(hash, &joint.origin);
    add(hash, &joint.axis);
    let (low, high) = joint.limits.unwrap_or((f64::INFINITY, f64::NEG_INFINITY));
    add(hash, &[low, high]);
    match joint.mimic {
        None => hash.write_u8(0),
        Some(Mimic {
            joint,
            multiplier,
            offset,
        }) => {
            hash.write_u8(1);
            hash.write_usize(joint);
            add(hash, &[multiplier, offset]);
        }
    }
}

fn add_pose(hash: &mut XxHash64, pose: &Pose) {
    add(hash, pose.rotation.as_flattened());
    add(hash, &pose.translation);
}

/// Adds numbers.
pub(crate) fn add(hash: &mut XxHash64, numbers: &[f64]) {
    hash.write(bytemuck::cast_slice(numbers));
}
