//! What pictures and figures are drawn with: an SVG canvas, round ticks, the map of a world, and
//! PNGs that look the same on every machine.

mod canvas;
mod map;
mod obstacles;
mod png;
mod ticks;

pub(crate) use canvas::{Anchor, Canvas, escaped, without_tags};
pub use map::{EdgeMark, Given, TriedWay};
pub(crate) use map::{LEGEND_WIDTH, Map, PATH_COLOUR, Sample, Scene};
pub(crate) use obstacles::occupied_rectangles;
#[cfg(test)]
pub(crate) use png::render;
pub(crate) use png::write_as_named;
pub(crate) use ticks::{length, number, ticks};
