//! One wall with gaps: a wall down the middle, pierced at five places that some fixed patterns open
//! or close, and a Poisson forest of small squares.

use super::{Rectangle, WorldRecipe};
use rand::{Rng, RngExt};
use rand_pcg::Pcg64;

const WALL: [f64; 2] = [0.4, 0.6];
const GAPS: usize = 5;
const PATTERNS: usize = 15;
const SQUARES: f64 = 8.0;
const SIDE: f64 = 0.1;
/// How high an open gap is, of the fifth of the wall that it stands in.
const GAP_HEIGHT: f64 = 0.1;

pub(super) fn recipe(random: &mut Pcg64) -> WorldRecipe {
    let patterns = patterns(random, GAPS, PATTERNS);
    Box::new(move |random| {
        let pattern = &patterns[random.random_range(0..patterns.len())];
        let mut obstacles = wall(WALL, pattern);
        for _ in 0..poisson(random, SQUARES) {
            let centre = [random.random::<f64>(), random.random::<f64>()];
            obstacles.push(Rectangle::square(centre, SIDE));
        }
        obstacles
    })
}

/// Random patterns of open gaps, without repeats and without those that open at most one.
fn patterns(random: &mut impl Rng, gaps: usize, most: usize) -> Vec<Vec<bool>> {
    let mut patterns: Vec<Vec<bool>> = Vec::new();
    for _ in 0..most {
        let pattern: Vec<bool> = (0..gaps).map(|_| random.random::<bool>()).collect();
        let open = pattern.iter().filter(|open| **open).count();
        if open > 1 && !patterns.contains(&pattern) {
            patterns.push(pattern);
        }
    }
    if patterns.is_empty() {
        patterns.push(vec![true; gaps]);
    }
    patterns
}

/// A wall from bottom to top with its open gaps left out.
fn wall(x: [f64; 2], open: &[bool]) -> Vec<Rectangle> {
    let spacing = 1.0 / open.len() as f64;
    let mut pieces = Vec::new();
    let mut bottom = 0.0;
    for (i, _) in open.iter().enumerate().filter(|(_, open)| **open) {
        let middle = (i as f64 + 0.5) * spacing;
        let top = middle - GAP_HEIGHT / 2.0;
        pieces.push(Rectangle {
            x,
            y: [bottom, top],
        });
        bottom = middle + GAP_HEIGHT / 2.0;
    }
    pieces.push(Rectangle {
        x,
        y: [bottom, 1.0],
    });
    pieces
}

/// A Poisson number by multiplying uniforms until they fall below e^-mean.
fn poisson(random: &mut impl Rng, mean: f64) -> usize {
    let floor = (-mean).exp();
    let mut product = random.random::<f64>();
    let mut count = 0;
    while product > floor {
        product *= random.random::<f64>();
        count += 1;
    }
    count
}
