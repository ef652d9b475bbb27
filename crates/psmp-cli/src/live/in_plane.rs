//! A problem in the plane, whose start and goal can be dragged.

use super::{Move, Problem, Refused};
use psmp::Space;
use psmp_report::report::run_page::ArmScene;
use psmp_worlds::OccupancyGrid;
use serde_json::Value;
use std::sync::Arc;

/// Whether a place is free.
type IsFree = dyn Fn(&[f64]) -> bool + Send + Sync;

/// From where to where in a map.
#[derive(Clone)]
pub struct InPlane {
    pub space: Space,
    pub ends: [Vec<f64>; 2],
    pub is_free: Arc<IsFree>,
    pub obstacles: Arc<OccupancyGrid>,
    /// As they are for a robot that is not a point.
    pub grown_obstacles: Option<Arc<OccupancyGrid>>,
}

impl Problem for InPlane {
    fn moved(&self, by: Move) -> Result<Self, Refused> {
        let (end, name, to) = match by {
            Move::Start { to } => (0, "start", to),
            Move::Goal { to } => (1, "goal", to),
            Move::Object { .. } => {
                return Err(Refused::Nonsense(
                    "a map has no objects that can be moved: move the start or the goal".to_owned(),
                ));
            }
        };
        let axes = self.space.axes();
        if to.len() != axes.len() || !self.space.contains(&to) {
            let sides = axes
                .iter()
                .map(|a| format!("{} to {}", a.lower(), a.upper()));
            return Err(Refused::Nonsense(format!(
                "the {name} {to:?} is outside: the axes run from {}",
                sides.collect::<Vec<_>>().join(" and from ")
            )));
        }
        if !(self.is_free)(&to) {
            return Err(Refused::NotFree(format!(
                "The {name} would not be free there: choose a place farther from obstacles. It stays where it was."
            )));
        }
        let mut moved = self.clone();
        moved.ends[end] = to;
        Ok(moved)
    }

    fn pose(&self, _: &[f64]) -> Result<Value, Refused> {
        Err(Refused::Nonsense("there is no arm here".to_owned()))
    }

    fn space(&self) -> &Space {
        &self.space
    }

    fn ends(&self) -> [&[f64]; 2] {
        [&self.ends[0], &self.ends[1]]
    }

    fn obstacles(&self) -> [Option<&OccupancyGrid>; 2] {
        [Some(&self.obstacles), self.grown_obstacles.as_deref()]
    }

    fn arm(&self) -> Option<ArmScene<'_>> {
        None
    }
}
