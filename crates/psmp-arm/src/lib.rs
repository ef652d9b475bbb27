//! Robot arms: from a URDF and a scene to checked motions.
//!
//! A [`Robot`] comes from URDF and its [`Semantics`] from SRDF; [`models`] has a few that need no
//! files. An [`Arm`] is the group of joints that is planned for, and [`Kinematics`] says where its
//! links are. A [`Scene`] is what stands around it. Worlds check configurations of an arm in a scene:
//! [`SphereWorld`], eight at a time with the links covered by spheres ([`SphereModel`]),
//! [`ExactWorld`] with the true shapes, and [`RefinedWorld`] with both. [`Checking`] has them all by
//! name; a [`CheckedArm`] checks in one of them and proves whole motions. An [`ArmProblem`] is a start
//! and goals in a scene, which a [`CheckedArm`] makes a [`psmp::Session`] of; a [`Trajectory`] gives a path its times.
//! A [`joint_roadmap`] and a [`TableJob`] turn scenes into experience, and [`SweptVolumes`] tell what
//! stays known when a scene changes.
#![deny(missing_docs)]

mod arm;
mod block;
mod checking;
mod clearance;
mod collada;
mod contacts;
mod cover_cache;
mod crowded;
mod exact;
mod geometry;
mod inverse;
mod joint_roadmap;
mod kept;
mod kinematics;
mod mesh_file;
pub mod models;
mod obstacle;
mod pairs;
mod permissions;
mod pose;
mod pose_goal;
mod problem;
mod refined;
mod robot;
mod robot_hash;
mod scene;
mod scene_change;
mod sphere_cover;
mod sphere_tree;
mod sphere_worlds;
mod spheres;
mod spherised;
mod srdf;
mod step;
mod surroundings;
mod sweep;
mod table;
mod trajectory;
mod true_shape;
mod urdf;
mod whereabouts;
mod winding;
mod world;
mod xml;

pub use arm::{Arm, ArmError};
pub use checking::{CheckedArm, Checking};
pub use exact::ExactWorld;
pub use geometry::{Heightfield, Mesh, Placed, PointCloud, Shape, ShapeError};
pub use inverse::{Inverse, Search};
pub use joint_roadmap::{
    DEFAULT_NEIGHBOURS, DEFAULT_VERTICES, Sampling, joint_roadmap, kept_roadmap,
};
pub use kinematics::{Kinematics, Poses};
pub use pairs::PairSampling;
pub use permissions::Permissions;
pub use pose::{Number, Pose, PoseError, Scalar};
pub use pose_goal::{Angles, Miss, OrientationGoal, PoseGoal, PositionGoal, Volume};
pub use problem::{ArmProblem, Touch};
pub use refined::RefinedWorld;
pub use robot::{Joint, JointKind, Link, Mimic, Robot, Variable};
pub use scene::{AllowedCollisions, Attached, Goal, MotionRequest, Object, Scene};
pub use scene_change::{SweptVolumes, known_after, still_known, world_record};
pub use sphere_cover::{Ball, DEFAULT_SPHERES, LinkCover, SphereModel};
pub use sphere_tree::ROUNDING;
pub use sphere_worlds::SphereWorlds;
pub use spheres::SphereWorld;
pub use srdf::{Group, NamedState, Reason, Semantics};
pub use step::DEFAULT_STEP;
pub use sweep::TOLERANCE;
pub use table::{TableJob, fingerprint};
pub use trajectory::{
    DEFAULT_ACCELERATION, DEFAULT_VELOCITY, Instant, MotionLimits, Trajectory, TrajectoryError,
};
pub use world::{ArmWorld, Margins};
