//! What pictures and figures are drawn with: an SVG canvas, round ticks, the map of a world, and
//! PNGs that look the same on every machine.

mod canvas;
mod file;
mod map;
mod obstacles;
#[cfg(feature = "pictures")]
mod png;
mod ticks;

pub(crate) use canvas::{Anchor, Canvas, escaped, without_tags};
pub(crate) use file::write_as_named;
pub use map::{EdgeMark, Given, TriedWay};
pub(crate) use map::{LEGEND_WIDTH, Map, PATH_COLOUR, Sample, Scene};
pub(crate) use obstacles::occupied_rectangles;
#[cfg(test)]
pub(crate) use png::render;
pub(crate) use ticks::{length, number, ticks};
