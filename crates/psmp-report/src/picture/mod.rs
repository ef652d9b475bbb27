//! The picture of a planning run.
//!
//! On the left, or above where it is broad, the world: obstacles, what is believed of the edges not yet
//! checked, what the checks found, and the best path. Beside it how the best path grew shorter as
//! configurations were checked, or words where it never did. The picture is one SVG document; a PNG is drawn from that same document, with a
//! font that is built in, so that both look alike on every machine.

mod arm;
mod curve;

use crate::drawing::{Anchor, Canvas, LEGEND_WIDTH, Map, Scene, write_as_named};
pub use crate::drawing::{EdgeMark, Given, TriedWay};
pub use arm::ArmPicture;
use psmp::{Query, Roadmap, VertexId};
use psmp_files::FileError;
use psmp_worlds::OccupancyGrid;
use std::path::Path;

/// A planning run, as it is drawn.
///
/// The world is drawn by the first two coordinates of the roadmap's configurations; for a roadmap
/// without them only the curve is.
#[derive(Debug, Clone, Copy)]
pub struct RunPicture<'a> {
    /// What the picture shows, in a few words.
    pub title: &'a str,
    /// A line of detail below the title; may be empty.
    pub subtitle: &'a str,
    /// The roadmap planned on.
    pub roadmap: &'a Roadmap,
    /// From where to where.
    pub query: Query,
    /// The obstacles, if they are cells in the plane.
    pub obstacles: Option<&'a OccupancyGrid>,
    /// The obstacles grown by the robot's radius, if it is not a point.
    pub grown_obstacles: Option<&'a OccupancyGrid>,
    /// What is known of each edge, in the order of the edges' ids; one not given is not drawn.
    pub edges: &'a [EdgeMark],
    /// The best path found.
    pub path: Option<&'a [VertexId]>,
    /// The length of the best path after so many checked configurations, in order. A last point
    /// with the same length says how long the run went on.
    pub curve: &'a [(u64, f64)],
    /// The length of the shortest free path on the roadmap, if known.
    pub shortest: Option<f64>,
    /// How large the roadmap was when it was given, if it has grown since: what is new is told apart.
    pub given: Option<Given>,
    /// Ways that were tried to make the best path shorter.
    pub tried: &'a [TriedWay],
}

const MARGIN: f64 = 36.0;
/// Between the map and the column beside it.
const BETWEEN: f64 = 64.0;
const LEGEND_GAP: f64 = 36.0;
/// The longest title and subtitle that fit, in characters, for each 100 pixels of width.
const TITLE_CHARACTERS: f64 = 9.0;
const SUBTITLE_CHARACTERS: f64 = 14.5;

impl RunPicture<'_> {
    /// The picture as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        let map = Map::new(Scene {
            roadmap: self.roadmap,
            query: self.query,
            obstacles: self.obstacles,
            grown_obstacles: self.grown_obstacles,
            edges: self.edges,
            path: self.path,
            given: self.given,
            tried: self.tried,
        });
        let curve = curve::Curve::new(self.curve, self.shortest);
        let (left, top) = (MARGIN, below_head(self.subtitle));
        let [map_width, map_height, legend_height] = map
            .as_ref()
            .map_or([0.0; 3], |m| [m.width(), m.height(), m.legend_height()]);
        let is_broad = map.as_ref().is_some_and(Map::is_broad);
        let room = match &map {
            Some(_) if !is_broad => map_height - legend_height - LEGEND_GAP,
            _ => legend_height,
        };
        let curve_height = curve.as_ref().map_or(0.0, |curve| curve.height(room));
        let below = top + map_height + LEGEND_GAP;
        // Where the curve is, and where the legend; then how far to the right and down all of it goes.
        let (curve_at, legend_at, [right, bottom]) = match (&map, &curve) {
            (None, _) => {
                let end = [left + curve::WIDTH, top + curve_height];
                ([left, top], [left, top], end)
            }
            (Some(_), None) => {
                let right = left + map_width.max(LEGEND_WIDTH);
                ([left, below], [left, below], [right, below + legend_height])
            }
            // Of a broad map both are below it.
            (Some(_), Some(_)) if is_broad => {
                let beside = left + curve::WIDTH + BETWEEN;
                let right = (left + map_width).max(beside + LEGEND_WIDTH);
                let bottom = below + curve_height.max(legend_height);
                ([left, below], [beside, below], [right, bottom])
            }
            // Else the curve stands beside the map, and the legend below the curve, on the lower edge of
            // the map.
            (Some(_), Some(_)) => {
                let beside = left + map_width + BETWEEN;
                let column = curve_height + LEGEND_GAP + legend_height;
                let bottom = top + map_height.max(column);
                let end = [beside + curve::WIDTH, bottom];
                ([beside, top], [beside, bottom - legend_height], end)
            }
        };

        let mut canvas = Canvas::new(right + MARGIN, bottom + MARGIN);
        draw_head(&mut canvas, self.title, self.subtitle, right - left);
        if let Some(map) = &map {
            map.draw(&mut canvas, left, top);
            map.draw_legend(&mut canvas, legend_at[0], legend_at[1]);
        }
        if let Some(curve) = &curve {
            curve.draw(&mut canvas, curve_at, curve_height);
        }
        canvas.finish()
    }

    /// Writes the picture as SVG or, at twice the size, PNG, by the extension of `path`.
    ///
    /// # Errors
    /// If the extension is another one or the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        write_as_named(&self.svg(), path.as_ref())
    }
}

/// Where the picture begins below its head.
fn below_head(subtitle: &str) -> f64 {
    MARGIN + if subtitle.is_empty() { 40.0 } else { 62.0 }
}

/// Draws title and subtitle over a picture that is this wide.
fn draw_head(canvas: &mut Canvas, title: &str, subtitle: &str, width: f64) {
    let title = shortened(title, width * TITLE_CHARACTERS / 100.0);
    let at = [MARGIN, MARGIN + 18.0];
    canvas.bold(at, 20.0, "#111111", Anchor::Start, &title);
    let subtitle = shortened(subtitle, width * SUBTITLE_CHARACTERS / 100.0);
    let at = [MARGIN, MARGIN + 42.0];
    canvas.text(at, 13.0, "#555555", Anchor::Start, &subtitle);
}

/// A text of at most `most` characters, ending in an ellipsis where it was longer.
fn shortened(text: &str, most: f64) -> String {
    let most = most as usize;
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut short: String = text.chars().take(most.saturating_sub(1)).collect();
    short.push('…');
    short
}

#[cfg(test)]
mod tests;
