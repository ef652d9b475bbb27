//! Anytime motion planning on roadmaps whose edges are expensive to check.
//!
//! A roadmap is a graph of robot configurations and motions. Checking a motion for collision is
//! what planning costs, so a *lazy* planner checks only edges that could matter, and an *anytime*
//! planner gives a first path soon and shorter ones until it is stopped. With a *belief* about
//! which edges collide, from experience or from the checks made so far, it can do far better than
//! by optimism. This crate is that: **Experienced Lazy Path Search**, with the planners PSMP,
//! LazySP, MaxProb, POMP and one of our own, expected improvement per check.
//!
//! ```text
//! Roadmap + Query --> optimistic distances to the goal, kept exact
//!                       |
//! Belief --draw--> Proposer --> path --> Validator --> edge --> Checker --> verdict
//!   ^                                                                         |
//!   +------------- observe <----------------------------- Ledger <------------+--> events
//! ```
//!
//! Start with [`Session`], which takes a space, a world, a start and a goal and does all there is to
//! do. Beneath it, [`Planner`] plans on one [`Roadmap`], which comes from a list of edges or from its
//! builders; [`checker`], [`belief`], [`proposer`] and [`validator`] are the parts that a planner is put
//! together from, any with any, or [by name](by_name); [`trees`] are planners without a roadmap; [`Stop`]
//! says when to pause. Nothing here does I/O: files, images and datasets are the business of
//! `psmp-files` and `psmp-worlds`.
#![deny(missing_docs)]

/// The README's tour, compiled and run as it stands.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;

mod anytime;
pub mod belief;
pub mod by_name;
pub mod checker;
mod event;
mod features;
mod goals;
mod insurance;
mod ledger;
mod motion;
mod moves;
mod near;
mod path;
mod planner;
mod price;
pub mod proposer;
mod random;
pub mod roadmap;
pub mod search;
mod session;
pub mod shortcut;
mod space;
mod stop;
mod table;
pub mod trees;
pub mod validator;
mod waypoints;

pub use anytime::{Anytime, RoadmapPlanner, Until};
pub use event::{Event, EventKind, Move, Progress, Source, Yardstick};
pub use features::Features;
pub use goals::Goals;
pub use ledger::{EdgeStatus, Entry, Ledger};
pub use motion::{BisectionOrder, Motion, Resolution, ResolutionError};
pub use path::Path;
pub use planner::{Fallback, Planner};
pub use price::{PriceError, Prices, Pricing};
pub use random::Draw;
pub use roadmap::{
    Arc, Connection, Direction, Edge, EdgeId, Growth, NewEdge, Query, Roadmap, RoadmapError,
    VertexId,
};
pub use session::{AnyChecker, EdgesOnly, End, Joined, Session, SessionError, SessionOptions};
pub use space::{Axis, Embedding, Space, SpaceError};
pub use stop::{Limit, Stop};
pub use table::{CollisionTable, Experience, RowLengthError, WorldId};
pub use waypoints::Waypoints;
