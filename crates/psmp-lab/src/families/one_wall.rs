//! One wall with gaps: a wall down the middle, pierced at five places that some fixed patterns open
//! or close, and a Poisson forest of small squares, which may close a gap too.

use super::WorldRecipe;
use super::gap_patterns::{draw, pierced};
use super::obstacles::forest;
use rand::RngExt;
use rand_pcg::Pcg64;

const WALL: [f64; 2] = [0.4, 0.6];
const PATTERNS: usize = 15;
const SQUARES: f64 = 8.0;

pub(super) fn recipe(random: &mut Pcg64) -> WorldRecipe {
    let patterns = draw(random, 1, PATTERNS);
    Box::new(move |random| {
        let pattern = &patterns[random.random_range(0..patterns.len())];
        let mut obstacles: Vec<_> = pierced(WALL, pattern[0]).collect();
        obstacles.extend(forest(random, SQUARES));
        obstacles
    })
}
