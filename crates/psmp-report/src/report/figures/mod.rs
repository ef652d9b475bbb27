//! The figures of a family, each in one or more panels.
//!
//! A panel is an SVG document of its own, so that panels stand beside each other on a wide screen
//! and below each other on a narrow one.

mod curves;
mod filmstrip;
mod growth;
mod motion;
mod worlds;

use super::data::Family;
use super::style::Styles;

/// A figure of a report.
pub(super) struct Figure {
    /// A word on what it shows.
    pub(super) title: &'static str,
    /// How to read it.
    pub(super) caption: String,
    /// Whether it needs the whole width of a wide screen.
    pub(super) wide: bool,
    /// Its panels.
    pub(super) panels: Vec<Panel>,
}

/// A part of a figure.
pub(super) struct Panel {
    /// The name of its files, without extension.
    pub(super) name: String,
    /// What it shows, for one who cannot see it.
    pub(super) alt: String,
    /// The panel as an SVG document.
    pub(super) svg: String,
}

/// All figures that there is something to draw for.
pub(super) fn figures(family: &Family, styles: &Styles) -> Vec<Figure> {
    [
        worlds::figure(family),
        motion::figure(family),
        curves::anytime(family, styles),
        curves::solved(family, styles),
        filmstrip::figure(family),
        growth::figure(family),
    ]
    .into_iter()
    .flatten()
    .collect()
}
