//! Two walls with gaps: a pattern says for both together which gaps are open, so that what is
//! found at the first wall tells of the second. And a few squares.

use super::WorldRecipe;
use super::gap_patterns::{draw, pierced};
use super::obstacles::{around, forest};
use rand::RngExt;
use rand_pcg::Pcg64;

const MIDDLES: [f64; 2] = [0.3, 0.7];
const WIDTH: f64 = 0.15;
const PATTERNS: usize = 20;
const SQUARES: f64 = 3.0;

pub(super) fn recipe(random: &mut Pcg64) -> WorldRecipe {
    let patterns = draw(random, MIDDLES.len(), PATTERNS);
    Box::new(move |random| {
        let pattern = &patterns[random.random_range(0..patterns.len())];
        let walls = MIDDLES.into_iter().zip(pattern);
        let mut obstacles: Vec<_> = walls
            .flat_map(|(middle, open)| pierced(around(middle, WIDTH), *open))
            .collect();
        obstacles.extend(forest(random, SQUARES));
        obstacles
    })
}
