//! A maze: five upright corridors between thin walls, joined by one gap in each wall.
//!
//! The way leads from the bottom of the first corridor through the four gaps to the top of the
//! last. How far it climbs or falls in each corridor is random, and all five together make 1. A bar
//! closes off what lies beyond each gap, above it or below, so that no corridor leads any further.

use super::WorldRecipe;
use super::obstacles::{Rectangle, around, wall, within};
use rand::Rng;
use rand_pcg::Pcg64;

const CORRIDORS: usize = 5;
const CORRIDOR: f64 = 1.0 / CORRIDORS as f64;
const GAPS: usize = CORRIDORS - 1;
const THICKNESS: f64 = 0.02;
const GAP_HEIGHT: f64 = 0.1;
/// The least and the most that the way climbs or falls in a corridor, so that neighbouring gaps
/// are not beside each other and no corridor is the whole way.
const CLIMB: [f64; 2] = [GAP_HEIGHT, 0.8];

pub(super) fn recipe(_: &mut Pcg64) -> WorldRecipe {
    Box::new(|random| {
        let gaps = gaps(random);
        let mut obstacles = Vec::new();
        for (place, &height) in gaps.iter().enumerate() {
            let x = CORRIDOR * (place + 1) as f64;
            let [low, high] = around(height, GAP_HEIGHT);
            obstacles.extend(wall(around(x, THICKNESS), [[low, high]]));
            let (above, below) = ([high, high + THICKNESS], [low - THICKNESS, low]);
            let comes_from_below = place == 0 || gaps[place - 1] < height;
            let goes_on_up = place + 1 == GAPS || gaps[place + 1] > height;
            obstacles.extend([
                Rectangle::new(
                    [x - CORRIDOR, x],
                    if comes_from_below { above } else { below },
                ),
                Rectangle::new([x, x + CORRIDOR], if goes_on_up { below } else { above }),
            ]);
        }
        obstacles
    })
}

/// The heights of the gaps: all climbs equally likely that keep the gaps inside.
fn gaps(random: &mut impl Rng) -> [f64; GAPS] {
    let fits = |climb: f64| (CLIMB[0]..=CLIMB[1]).contains(&climb.abs());
    loop {
        let mut height = 0.0;
        let gaps: [f64; GAPS] = std::array::from_fn(|_| {
            height += within(random, [-CLIMB[1], CLIMB[1]]);
            height
        });
        let inside = |gap: &f64| (GAP_HEIGHT / 2.0..=1.0 - GAP_HEIGHT / 2.0).contains(gap);
        let climbs = gaps.windows(2).map(|pair| pair[1] - pair[0]);
        // The first corridor may be left at once: its climb is that of its gap, and bounded so.
        let first = gaps[0] <= CLIMB[1];
        let last = 1.0 - gaps[GAPS - 1];
        if gaps.iter().all(inside) && first && climbs.chain([last]).all(fits) {
            return gaps;
        }
    }
}
