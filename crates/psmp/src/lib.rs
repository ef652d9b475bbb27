//! Anytime motion planning on roadmaps whose edges are expensive to check.
#![deny(missing_docs)]

pub mod checker;
pub mod roadmap;
mod space;
mod table;

pub use roadmap::{
    Arc, Connection, Direction, Edge, EdgeId, Query, Roadmap, RoadmapError, VertexId,
};
pub use space::{Axis, Space, SpaceError};
pub use table::{CollisionTable, Experience, RowLengthError, WorldId};
