//! The few SVG elements that pictures here are made of.

use std::fmt::Display;

/// A place on the sheet, to the right and down.
pub(crate) type Point = [f64; 2];

/// Which part of a text stands at its place.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Anchor {
    Start,
    Middle,
    End,
}

impl Anchor {
    fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Middle => "middle",
            Self::End => "end",
        }
    }
}

/// An SVG document that grows element by element, later ones above earlier ones.
#[derive(Debug)]
pub(crate) struct Canvas {
    document: String,
}

impl Canvas {
    /// A white sheet.
    pub(crate) fn new(width: f64, height: f64) -> Self {
        let (width, height) = (width.ceil(), height.ceil());
        let document = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"'Helvetica Neue', Helvetica, Arial, \
             'Noto Sans', sans-serif\">\n<rect width=\"100%\" height=\"100%\" fill=\"#FFFFFF\"/>\n"
        );
        Self { document }
    }

    /// Any element, as it is to stand in the document.
    pub(crate) fn element(&mut self, element: impl Display) {
        self.document.push_str(&format!("{element}\n"));
    }

    /// A line with a stroke given by attributes.
    pub(crate) fn line(&mut self, from: Point, to: Point, stroke: &str) {
        let ([x1, y1], [x2, y2]) = (from, to);
        self.element(format_args!(
            "<line x1=\"{x1:.2}\" y1=\"{y1:.2}\" x2=\"{x2:.2}\" y2=\"{y2:.2}\" {stroke}/>"
        ));
    }

    /// An unfilled path with a stroke given by attributes; an empty one is left out.
    pub(crate) fn path(&mut self, data: &str, stroke: &str) {
        if !data.is_empty() {
            self.element(format_args!("<path d=\"{data}\" fill=\"none\" {stroke}/>"));
        }
    }

    /// A line of text.
    pub(crate) fn text(&mut self, at: Point, size: f64, colour: &str, anchor: Anchor, text: &str) {
        self.styled_text(at, size, colour, anchor, "", text);
    }

    /// A line of bold text.
    pub(crate) fn bold(&mut self, at: Point, size: f64, colour: &str, anchor: Anchor, text: &str) {
        self.styled_text(at, size, colour, anchor, " font-weight=\"bold\"", text);
    }

    /// A line of bold text that stays readable on whatever lies below.
    pub(crate) fn label(&mut self, at: Point, anchor: Anchor, text: &str) {
        let halo = " font-weight=\"bold\" stroke=\"#FFFFFF\" stroke-width=\"4\" \
                    stroke-linejoin=\"round\" paint-order=\"stroke\"";
        self.styled_text(at, 14.0, "#111111", anchor, halo, text);
    }

    fn styled_text(
        &mut self,
        [x, y]: Point,
        size: f64,
        colour: &str,
        anchor: Anchor,
        style: &str,
        text: &str,
    ) {
        if text.is_empty() {
            return;
        }
        let (anchor, text) = (anchor.name(), escaped(text));
        self.element(format_args!(
            "<text x=\"{x:.2}\" y=\"{y:.2}\" font-size=\"{size}\" fill=\"{colour}\" \
             text-anchor=\"{anchor}\"{style}>{text}</text>"
        ));
    }

    /// A line of text that reads upwards, centred at its place.
    pub(crate) fn upright(&mut self, [x, y]: Point, size: f64, colour: &str, text: &str) {
        let turn = format!(" transform=\"rotate(-90 {x:.2} {y:.2})\"");
        self.styled_text([x, y], size, colour, Anchor::Middle, &turn, text);
    }

    /// The finished document.
    pub(crate) fn finish(mut self) -> String {
        self.document.push_str("</svg>\n");
        self.document
    }
}

/// Text as it may stand in an XML or HTML document, within quotes too, without the characters that
/// may not at all.
pub(crate) fn escaped(text: &str) -> String {
    let mut text = without_tags(text)
        .replace('"', "&quot;")
        .replace(['\n', '\r', '\t'], " ");
    text.retain(|c| !c.is_control() && !matches!(c, '\u{FFFE}' | '\u{FFFF}'));
    text
}

/// Text of which nothing is taken for a tag.
pub(crate) fn without_tags(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
}
