//! Robot arms: from a URDF and a scene to checked motions.
//!
//! A [`Robot`] comes from URDF and its [`Semantics`] from SRDF; [`models`] has a few that need no
//! files. [`Kinematics`] says where its links are in one configuration or in many.
#![deny(missing_docs)]

mod geometry;
mod kinematics;
mod mesh_file;
pub mod models;
mod pose;
mod robot;
mod scene;
mod srdf;
mod urdf;
mod xml;

pub use geometry::{Heightfield, Mesh, Placed, PointCloud, Shape, ShapeError};
pub use kinematics::{Kinematics, Poses};
pub use pose::{Number, Pose, PoseError, Scalar};
pub use robot::{Joint, JointKind, Link, Mimic, Robot, Variable};
pub use scene::{AllowedCollisions, Attached, MotionRequest, Object, Scene};
pub use srdf::{Group, NamedState, Semantics};
pub use urdf::Packages;
