//! Walls that are pierced at five places, each open or closed: the walls of `one-wall` and
//! `two-walls`.
//!
//! Which places are open is one of a few patterns that all worlds of a problem set share. So the
//! gaps of a wall tell of each other, which is what there is to learn from experience here.

use super::obstacles::{Rectangle, wall};
use rand::{Rng, RngExt};

const GAPS: usize = 5;
const GAP_HEIGHT: f64 = 0.1;
/// Between neighbouring gaps, and between the outer ones and the ends of the wall.
const BETWEEN: f64 = (1.0 - GAPS as f64 * GAP_HEIGHT) / (GAPS + 1) as f64;

/// Which gaps of how many walls are open.
pub(super) type Pattern = Vec<[bool; GAPS]>;

/// Draws patterns and drops those in which a wall has at most one opening. Repeats stay: they make
/// a pattern likelier.
pub(super) fn draw(random: &mut impl Rng, walls: usize, most: usize) -> Vec<Pattern> {
    let open_enough =
        |pattern: &Pattern| pattern.iter().all(|w| w.iter().filter(|o| **o).count() > 1);
    loop {
        let patterns: Vec<Pattern> = (0..most)
            .map(|_| (0..walls).map(|_| random.random()).collect())
            .filter(open_enough)
            .collect();
        if !patterns.is_empty() {
            return patterns;
        }
    }
}

/// A wall with its open gaps left out.
pub(super) fn pierced(x: [f64; 2], open: [bool; GAPS]) -> impl Iterator<Item = Rectangle> {
    let places = (0..GAPS).filter(move |place| open[*place]);
    wall(
        x,
        places.map(|place| {
            let low = BETWEEN + place as f64 * (BETWEEN + GAP_HEIGHT);
            [low, low + GAP_HEIGHT]
        }),
    )
}
