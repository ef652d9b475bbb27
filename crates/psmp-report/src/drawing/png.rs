//! An SVG document drawn as a PNG.
//!
//! The font is built in: text comes out the same on a machine without any fonts.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Pixels of the PNG for each unit of the SVG, fine enough for print.
const SCALE: f32 = 2.0;

const FAMILY: &str = "Noto Sans";

/// Draws a document.
///
/// # Errors
/// If it is not an SVG document or too large to be drawn.
pub(crate) fn render(svg: &str) -> Result<Vec<u8>, String> {
    let mut options = Options {
        font_family: FAMILY.to_owned(),
        ..Options::default()
    };
    let fonts = options.fontdb_mut();
    for font in [notosans::REGULAR_TTF, notosans::BOLD_TTF] {
        fonts.load_font_data(font.to_vec());
    }
    fonts.set_sans_serif_family(FAMILY);
    let tree =
        Tree::from_str(svg, &options).map_err(|e| format!("cannot draw the picture: {e}"))?;
    let size = tree.size();
    let (width, height) = (size.width() * SCALE, size.height() * SCALE);
    let mut pixels = Pixmap::new(width.ceil() as u32, height.ceil() as u32)
        .ok_or_else(|| format!("cannot draw a picture of {width} x {height} pixels"))?;
    resvg::render(
        &tree,
        Transform::from_scale(SCALE, SCALE),
        &mut pixels.as_mut(),
    );
    pixels
        .encode_png()
        .map_err(|e| format!("cannot encode the picture: {e}"))
}
