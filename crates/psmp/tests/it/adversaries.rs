//! Beliefs that are wrong in every way there is.

use psmp::belief::{Belief, Evidence};
use psmp::{Draw, EdgeId};

/// How a belief is wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wrong {
    /// It believes the opposite of the truth.
    Inverted,
    /// It hardly believes in any edge.
    Gloomy,
    /// It believes in nearly every edge.
    Rosy,
    /// It is certain of one world, which is another one.
    OtherWorld,
    /// It has a random opinion of every edge.
    Noise,
    /// It has another random opinion of every edge whenever it is asked for a world or shown anything.
    Fickle,
}

impl Wrong {
    pub const ALL: [Wrong; 6] = [
        Wrong::Inverted,
        Wrong::Gloomy,
        Wrong::Rosy,
        Wrong::OtherWorld,
        Wrong::Noise,
        Wrong::Fickle,
    ];
}

/// A belief that learns nothing.
pub struct Adversary<F> {
    wrong: Wrong,
    is_free: F,
    opinions: u64,
    draw: Draw,
}

impl<F: Fn(EdgeId) -> bool> Adversary<F> {
    /// In a world where edges are free as `is_free` says.
    pub fn new(wrong: Wrong, is_free: F) -> Self {
        Self {
            wrong,
            is_free,
            opinions: 0,
            draw: Draw::new(0, 0),
        }
    }
}

impl<F: Fn(EdgeId) -> bool> Belief for Adversary<F> {
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        let edge_number = u64::from(edge.0);
        match self.wrong {
            Wrong::Inverted => f64::from(u8::from(!(self.is_free)(edge))),
            Wrong::Gloomy => 0.01,
            Wrong::Rosy => 0.99,
            Wrong::OtherWorld => f64::from(u8::from(Draw::new(1, 0).unit(edge_number) < 0.7)),
            Wrong::Noise => Draw::new(2, 0).unit(edge_number),
            Wrong::Fickle => Draw::new(3, self.opinions).unit(edge_number),
        }
    }
    fn draw(&mut self, draw: Draw) -> bool {
        self.opinions += 1;
        self.draw = draw;
        true
    }
    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        self.draw.unit(u64::from(edge.0)) < self.probability_free(edge)
    }
    fn observe(&mut self, _: Evidence<'_>) {
        self.opinions += 1;
    }
}
