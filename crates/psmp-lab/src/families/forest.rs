//! A forest: twelve squares that crowd around five places between start and goal, and a few
//! anywhere.

use super::WorldRecipe;
use super::obstacles::{Rectangle, forest, normal_pair};
use rand::RngExt;
use rand_pcg::Pcg64;

const CROWDED: [[f64; 2]; 5] = [[0.3, 0.3], [0.1, 0.5], [0.7, 0.7], [0.9, 0.5], [0.5, 0.5]];
const CROWD: usize = 12;
/// The square root of the variance along an axis, 0.01.
const DEVIATION: f64 = 0.1;
const ANYWHERE: f64 = 4.0;

pub(super) fn recipe(_: &mut Pcg64) -> WorldRecipe {
    Box::new(|random| {
        let mut obstacles: Vec<Rectangle> = (0..CROWD)
            .map(|_| {
                let [x, y] = CROWDED[random.random_range(0..CROWDED.len())];
                let [dx, dy] = normal_pair(random);
                Rectangle::square([x + DEVIATION * dx, y + DEVIATION * dy])
            })
            .collect();
        obstacles.extend(forest(random, ANYWHERE));
        obstacles
    })
}
