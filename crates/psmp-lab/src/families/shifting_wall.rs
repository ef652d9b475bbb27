//! A wall with a single gap; wall and gap are somewhere else in every world.

use super::WorldRecipe;
use super::obstacles::{around, wall, within};
use rand_pcg::Pcg64;

const PLACE: [f64; 2] = [0.2, 0.8];
const WIDTH: f64 = 0.15;
const GAP_HEIGHT: f64 = 0.1;

pub(super) fn recipe(_: &mut Pcg64) -> WorldRecipe {
    Box::new(|random| {
        let x = around(within(random, PLACE), WIDTH);
        let gap = around(within(random, PLACE), GAP_HEIGHT);
        wall(x, [gap]).collect()
    })
}
