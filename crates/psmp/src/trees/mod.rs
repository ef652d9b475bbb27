//! Planners that grow trees: they know no roadmap and make their own way.
//!
//! [`RrtConnect`] finds a first path soon, [`RrtConnectShortcut`] straightens it and tries again,
//! [`RrtStar`] and [`BitStar`] tend to the shortest path there is. All of them ask the same
//! [`World`](crate::checker::World) that roadmap planners ask, through a [`MotionChecker`](crate::checker::MotionChecker) that counts
//! every configuration asked about, and all are [`Anytime`](crate::Anytime): they give the same events
//! and stop at the same [`Stop`](crate::Stop) conditions, so that their curves lie beside each other.
//! [`shortcut`](crate::shortcut::shortcut) straightens any path, a roadmap's too.
//!
//! Where the literature leaves a choice they do as the Open Motion Planning Library does, and a test
//! holds their medians against its own.
//!
//! ```
//! use psmp::checker::{MotionChecker, WorldFn};
//! use psmp::trees::{RrtStar, RrtStarOptions, TreePlanner};
//! use psmp::{EventKind, Resolution, Space, Stop, Until};
//!
//! // A wall with a gap at the top.
//! let world = WorldFn(|q: &[f64]| !(0.45..0.55).contains(&q[0]) || q[1] > 0.8);
//! let checker = MotionChecker::new(&Space::unit(2), Resolution::distance(0.01)?, world)?;
//! let options = RrtStarOptions::for_space(checker.space());
//! let mut planner = RrtStar::new(checker, &[0.1, 0.1], &[0.9, 0.9], options, 1)?;
//! for event in Until::new(&mut planner, &Stop::configurations(50_000)) {
//!     let event = event?;
//!     if let EventKind::Improved { length } = event.kind {
//!         println!("{length:.3} after {} configurations", event.progress.configurations);
//!     }
//! }
//! let path = planner.best_path().expect("there is a gap in the wall");
//! assert!(path.length() < 1.8);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bit_star;
mod informed;
mod known_motions;
mod passages;
mod rrt_connect;
mod rrt_connect_shortcut;
mod rrt_star;
mod run;
mod tree;

pub use bit_star::{BitStar, BitStarOptions};
pub(crate) use informed::Informed;
pub(crate) use known_motions::KnownMotions;
pub use rrt_connect::{RrtConnect, RrtConnectOptions};
pub(crate) use rrt_connect::{Step, TwoTrees};
pub use rrt_connect_shortcut::RrtConnectShortcut;
pub use rrt_star::{RrtStar, RrtStarOptions};
pub(crate) use run::Run;
pub use run::{ProblemError, TreePlanner};
