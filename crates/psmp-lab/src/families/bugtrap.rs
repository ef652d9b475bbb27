//! A bugtrap: a U that opens towards the start, from the left or from below, and catches whoever
//! makes straight for the goal. With a forest around it, or without.

use super::WorldRecipe;
use super::obstacles::{Rectangle, around, forest, within};
use rand::{Rng, RngExt};
use rand_pcg::Pcg64;

const WIDTH: f64 = 0.05;
const BACK: f64 = 0.5;
const SIDE: f64 = 0.35;
const PLACE: [[f64; 2]; 2] = [[0.3, 0.7], [0.2, 0.8]];
const SQUARES: f64 = 8.0;

pub(super) fn alone(_: &mut Pcg64) -> WorldRecipe {
    Box::new(trap)
}

pub(super) fn in_forest(_: &mut Pcg64) -> WorldRecipe {
    Box::new(|random| {
        let mut obstacles = trap(random);
        obstacles.extend(forest(random, SQUARES));
        obstacles
    })
}

fn trap(random: &mut impl Rng) -> Vec<Rectangle> {
    let centre = PLACE.map(|place| within(random, place));
    let opens_to_the_left = random.random::<bool>();
    // Drawn open to the left; the other orientation has the axes exchanged.
    let [along, across] = if opens_to_the_left {
        centre
    } else {
        [centre[1], centre[0]]
    };
    let [mouth, end] = around(along, SIDE);
    let [low, high] = around(across, BACK);
    let pieces = [
        ([end - WIDTH, end], [low, high]),
        ([mouth, end], [low, low + WIDTH]),
        ([mouth, end], [high - WIDTH, high]),
    ];
    pieces
        .map(|(along, across)| {
            if opens_to_the_left {
                Rectangle::new(along, across)
            } else {
                Rectangle::new(across, along)
            }
        })
        .to_vec()
}
