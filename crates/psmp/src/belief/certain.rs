//! The belief of one who knows: for tests, and as the limit that learning can reach.

use super::{Belief, Evidence};
use crate::random::Draw;
use crate::roadmap::EdgeId;

/// Believes exactly one world.
#[derive(Debug, Clone)]
pub struct Certain {
    free: Vec<bool>,
}

impl Certain {
    /// Believes that edge `i` is free exactly if `free[i]`.
    #[must_use]
    pub fn new(free: Vec<bool>) -> Self {
        Self { free }
    }
}

impl Belief for Certain {
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        f64::from(u8::from(self.free[edge.index()]))
    }

    fn draw(&mut self, _: Draw) -> bool {
        true
    }

    #[inline]
    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        self.free[edge.index()]
    }

    fn observe(&mut self, _: Evidence<'_>) {}

    fn knows(&self, edge: EdgeId) -> bool {
        edge.index() < self.free.len()
    }
}
