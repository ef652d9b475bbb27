//! Robot arms: from a URDF and a scene to checked motions.
//!
//! A [`Robot`] comes from URDF and its [`Semantics`] from SRDF; [`models`] has a few that need no
//! files. An [`Arm`] is the group of joints that is planned for, and [`Kinematics`] says where its
//! links are. A [`Scene`] is what stands around it. Two worlds check configurations of an arm in a
//! scene: [`SphereWorld`], eight at a time with the links covered by spheres ([`SphereModel`]), and
//! [`ExactWorld`] with the true shapes. With [`psmp::checker::BisectionChecker`] they check the
//! configurations along an edge, with [`CertifiedChecker`] all of it. A [`joint_roadmap`] and a
//! [`TableJob`] turn scenes into experience; an [`EdgeMemory`] keeps what is known when a scene
//! changes. An [`ArmProblem`] is a start and a goal in a scene, a [`JoinedQuery`] both of them
//! joined to a roadmap; a [`Trajectory`] gives a path its times.
#![deny(missing_docs)]

mod arm;
mod block;
mod certified;
mod collada;
mod contacts;
mod cover_cache;
mod exact;
mod geometry;
mod joining;
mod joint_roadmap;
mod kinematics;
mod mesh_file;
pub mod models;
mod obstacle;
mod permissions;
mod pose;
mod problem;
mod refined;
mod robot;
mod scene;
mod scene_change;
mod sphere_cover;
mod sphere_tree;
mod sphere_worlds;
mod spheres;
mod spherised;
mod srdf;
mod surroundings;
mod table;
mod trajectory;
mod urdf;
mod vertices_once;
mod world;
mod xml;

pub use arm::{Arm, ArmError};
pub use certified::CertifiedChecker;
pub use exact::ExactWorld;
pub use geometry::{Heightfield, Mesh, Placed, PointCloud, Shape, ShapeError};
pub use joining::{JoinError, JoinedQuery};
pub use joint_roadmap::{DEFAULT_NEIGHBOURS, DEFAULT_VERTICES, Sampling, joint_roadmap};
pub use kinematics::{Kinematics, Poses};
pub use permissions::Permissions;
pub use pose::{Number, Pose, PoseError, Scalar};
pub use problem::{ArmProblem, End, Touch};
pub use refined::RefinedWorld;
pub use robot::{Joint, JointKind, Link, Mimic, Robot, Variable};
pub use scene::{AllowedCollisions, Attached, MotionRequest, Object, Scene};
pub use scene_change::{EdgeMemory, RememberingChecker, SweptVolumes};
pub use sphere_cover::{Ball, DEFAULT_SPHERES, LinkCover, SphereModel};
pub use sphere_tree::ROUNDING;
pub use sphere_worlds::SphereWorlds;
pub use spheres::SphereWorld;
pub use srdf::{Group, NamedState, Semantics};
pub use table::{TableJob, fingerprint};
pub use trajectory::{
    DEFAULT_ACCELERATION, DEFAULT_VELOCITY, Instant, MotionLimits, Trajectory, TrajectoryError,
};
pub use vertices_once::VerticesOnce;
pub use world::{ArmWorld, Clearances};
