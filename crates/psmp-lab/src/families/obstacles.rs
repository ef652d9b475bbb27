//! What worlds are built from: rectangles, walls with openings, and forests of squares.

use rand::{Rng, RngExt};
use serde::{Deserialize, Serialize};
use std::f64::consts::TAU;

/// The side of a forest's squares.
pub(super) const SQUARE: f64 = 0.1;

/// An axis-aligned obstacle in the unit square or, as a box, in the unit cube; or partly outside of it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Rectangle {
    /// Left and right.
    pub x: [f64; 2],
    /// Bottom and top; of a box, front and back.
    pub y: [f64; 2],
    /// Of a box, bottom and top.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub z: Option<[f64; 2]>,
}

impl Rectangle {
    pub(super) fn new(x: [f64; 2], y: [f64; 2]) -> Self {
        Self { x, y, z: None }
    }

    /// A box.
    pub(super) fn solid(x: [f64; 2], y: [f64; 2], z: [f64; 2]) -> Self {
        Self { x, y, z: Some(z) }
    }

    /// A square of a forest around its centre.
    pub(super) fn square(centre: [f64; 2]) -> Self {
        Self::new(around(centre[0], SQUARE), around(centre[1], SQUARE))
    }
}

/// The interval of this width around a middle.
pub(super) fn around(middle: f64, width: f64) -> [f64; 2] {
    [middle - width / 2.0, middle + width / 2.0]
}

/// A rectangle around its middle, so long upwards if it is upright, or else to the side.
pub(super) fn piece([x, y]: [f64; 2], is_upright: bool, along: f64, across: f64) -> Rectangle {
    match is_upright {
        true => Rectangle::new(around(x, across), around(y, along)),
        false => Rectangle::new(around(x, along), around(y, across)),
    }
}

/// A wall from bottom to top that leaves out these intervals, given from the bottom up.
pub(super) fn wall(
    x: [f64; 2],
    openings: impl IntoIterator<Item = [f64; 2]>,
) -> impl Iterator<Item = Rectangle> {
    let mut bottom = Some(0.0);
    let ends = openings.into_iter().map(Some).chain([None]);
    ends.filter_map(move |opening| {
        let from = bottom?;
        bottom = opening.map(|[_, top]| top);
        Some(Rectangle::new(
            x,
            [from, opening.map_or(1.0, |[low, _]| low)],
        ))
    })
}

/// A Poisson forest: squares whose centres are anywhere with equal chance.
pub(super) fn forest(random: &mut impl Rng, mean: f64) -> Vec<Rectangle> {
    (0..poisson(random, mean))
        .map(|_| Rectangle::square([random.random(), random.random()]))
        .collect()
}

/// A uniform number from an interval.
pub(crate) fn within(random: &mut impl Rng, [low, high]: [f64; 2]) -> f64 {
    low + (high - low) * random.random::<f64>()
}

/// Two independent numbers from the standard normal distribution, by Box and Muller.
pub(crate) fn normal_pair(random: &mut impl Rng) -> [f64; 2] {
    let radius = (-2.0 * (1.0 - random.random::<f64>()).ln()).sqrt();
    let angle = TAU * random.random::<f64>();
    [radius * angle.cos(), radius * angle.sin()]
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
