//! A baffle: a half wall from below and, behind it, one from above. They overlap, so that the way
//! leads up, back down between them, and up again.

use super::WorldRecipe;
use super::obstacles::{Rectangle, around, within};
use rand_pcg::Pcg64;

const WIDTH: f64 = 0.1;
const APART: f64 = 0.1;
const OVERLAP: f64 = 0.15;
const PLACE: [[f64; 2]; 2] = [[0.3, 0.7], [0.2, 0.8]];

pub(super) fn recipe(_: &mut Pcg64) -> WorldRecipe {
    Box::new(|random| {
        let [left, right] = around(within(random, PLACE[0]), APART);
        let [bottom, top] = around(within(random, PLACE[1]), OVERLAP);
        vec![
            Rectangle::new([left - WIDTH, left], [0.0, top]),
            Rectangle::new([right, right + WIDTH], [bottom, 1.0]),
        ]
    })
}
