//! A panel with two axes, lines and bands, and labels at the ends of the lines.

use super::data::Point;
use super::labels::spread;
use super::style::Line;
use crate::drawing::{Anchor, Canvas, number, ticks};

pub(super) const INK: &str = "#333333";
pub(super) const FAINT: &str = "#555555";
const AXIS: &str = "stroke=\"#333333\" stroke-width=\"1\"";
const GRID: &str = "stroke=\"#E6E6E6\" stroke-width=\"0.8\"";

/// The plot within a panel.
const LEFT: f64 = 62.0;
const RIGHT: f64 = 372.0;
const TOP: f64 = 50.0;
const BOTTOM: f64 = 282.0;
/// Room below the plot, and beside it besides the names of lines.
const BELOW: f64 = 52.0;
const BESIDE: f64 = 58.0;
/// About as wide as a letter of a name.
const LETTER: f64 = 7.0;
/// The distance between two labels.
const LINE_GAP: f64 = 17.0;
const TEXT: f64 = 13.0;

/// One of the two directions of a plot.
#[derive(Debug, Clone)]
pub(super) struct Axis {
    /// What is measured and in which unit.
    pub(super) label: String,
    /// Its two ends.
    pub(super) range: [f64; 2],
    /// Whether equal ratios are equally far apart.
    pub(super) logarithmic: bool,
    /// Whether values are shares, to be written in per cent.
    pub(super) percent: bool,
}

impl Axis {
    pub(super) fn linear(label: impl Into<String>, range: [f64; 2]) -> Self {
        Self {
            label: label.into(),
            range,
            logarithmic: false,
            percent: false,
        }
    }

    /// An axis of powers, wide enough for the values; `None` unless some are positive.
    pub(super) fn logarithmic(
        label: impl Into<String>,
        values: impl Iterator<Item = f64>,
    ) -> Option<Self> {
        let [low, high] = extent(values.filter(|v| *v > 0.0))?;
        let air = (high / low).powf(0.05).max(1.1);
        Some(Self {
            logarithmic: true,
            ..Self::linear(label, [low / air, high * air])
        })
    }

    /// Where a value lies between the ends, 0 to 1.
    fn share(&self, value: f64) -> f64 {
        let [low, high] = self.range;
        if self.logarithmic {
            (value / low).ln() / (high / low).ln()
        } else {
            (value - low) / (high - low)
        }
    }

    fn ticks(&self, count: f64) -> Vec<(f64, String)> {
        let [low, high] = self.range;
        if self.logarithmic {
            return powers(low, high);
        }
        if self.percent {
            return ticks(100.0 * low, 100.0 * high, count)
                .into_iter()
                .map(|(value, label)| (value / 100.0, label))
                .collect();
        }
        ticks(low, high, count)
    }
}

/// Round values on a logarithmic axis: powers of ten, and 2 and 5 times those where they are few.
fn powers(low: f64, high: f64) -> Vec<(f64, String)> {
    let decades = (high / low).log10();
    let factors: &[f64] = if decades < 3.0 {
        &[1.0, 2.0, 5.0]
    } else {
        &[1.0]
    };
    let every = (decades / 8.0).ceil().max(1.0) as i32;
    let label = |value: f64| number(value, (-value.log10().floor()).clamp(0.0, 9.0) as usize);
    (low.log10().floor() as i32..=high.log10().ceil() as i32)
        .filter(|power| power % every == 0)
        .flat_map(|power| factors.iter().map(move |f| f * 10f64.powi(power)))
        .filter(|value| (low..=high).contains(value))
        .map(|value| (value, label(value)))
        .collect()
}

/// The least and the greatest of those values that are finite.
pub(super) fn extent(values: impl Iterator<Item = f64>) -> Option<[f64; 2]> {
    values.filter(|v| v.is_finite()).fold(None, |range, v| {
        let [low, high] = range.unwrap_or([v, v]);
        Some([low.min(v), high.max(v)])
    })
}

/// A line's name, to stand where the line ends.
struct Label {
    end: [f64; 2],
    /// How high the line is all along, to order lines that end alike.
    height: f64,
    line: Line,
    text: String,
}

/// A panel being drawn.
pub(super) struct Plot {
    canvas: Canvas,
    width: f64,
    x: Axis,
    y: Axis,
    labels: Vec<Label>,
}

impl Plot {
    /// An empty panel with its title, gridlines and axes, and room for names of so many letters.
    pub(super) fn new(title: &str, x: Axis, y: Axis, letters: usize) -> Self {
        let width = RIGHT + BESIDE + LETTER * letters as f64;
        let mut plot = Self {
            canvas: Canvas::new(width, BOTTOM + BELOW),
            width,
            x,
            y,
            labels: Vec::new(),
        };
        plot.canvas
            .bold([LEFT, 22.0], 14.0, "#111111", Anchor::Start, title);
        plot.draw_axes();
        plot
    }

    /// Width and height of the panel.
    pub(super) fn size(&self) -> [f64; 2] {
        [self.width, BOTTOM + BELOW]
    }

    fn draw_axes(&mut self) {
        for (value, label) in self.y.ticks(5.0) {
            let [_, y] = self.at(self.x.range[0], value);
            self.canvas.line([LEFT, y], [RIGHT, y], GRID);
            let below = [LEFT - 8.0, y + 4.5];
            self.canvas.text(below, TEXT, INK, Anchor::End, &label);
        }
        for (value, label) in self.x.ticks(4.0) {
            let [x, _] = self.at(value, self.y.range[0]);
            self.canvas.line([x, TOP], [x, BOTTOM], GRID);
            self.canvas.line([x, BOTTOM], [x, BOTTOM + 5.0], AXIS);
            let below = [x, BOTTOM + 20.0];
            self.canvas.text(below, TEXT, INK, Anchor::Middle, &label);
        }
        self.canvas.line([LEFT, BOTTOM], [RIGHT, BOTTOM], AXIS);
        let below = [(LEFT + RIGHT) / 2.0, BOTTOM + 42.0];
        let (x_label, y_label) = (self.x.label.clone(), self.y.label.clone());
        self.canvas.text(below, TEXT, INK, Anchor::Middle, &x_label);
        let beside = [16.0, (TOP + BOTTOM) / 2.0];
        self.canvas.upright(beside, TEXT, INK, &y_label);
    }

    /// The point of the panel for a pair of values, kept within the plot.
    fn at(&self, x: f64, y: f64) -> [f64; 2] {
        [
            LEFT + self.x.share(x).clamp(0.0, 1.0) * (RIGHT - LEFT),
            BOTTOM + self.y.share(y).clamp(0.0, 1.0) * (TOP - BOTTOM),
        ]
    }

    /// Whether a point can be drawn at all.
    fn shows(&self, point: &Point) -> bool {
        let positive = |axis: &Axis, v: f64| v.is_finite() && (!axis.logarithmic || v > 0.0);
        positive(&self.x, point.x) && positive(&self.y, point.mean)
    }

    /// The band between the ends of the points' intervals.
    pub(super) fn band(&mut self, points: &[Point], line: Line) {
        let shown = points.iter().filter(|p| self.shows(p));
        let ends: Vec<[[f64; 2]; 2]> = shown
            .map(|p| {
                let or_mean = |end: f64| if end.is_finite() { end } else { p.mean };
                let floor = if self.y.logarithmic {
                    self.y.range[0]
                } else {
                    f64::MIN
                };
                [p.low, p.high].map(|end| self.at(p.x, or_mean(end).max(floor)))
            })
            .collect();
        if ends.len() < 2 {
            return;
        }
        let there = ends.iter().map(|[low, _]| low);
        let back = ends.iter().rev().map(|[_, high]| high);
        let corners: Vec<String> = there
            .chain(back)
            .map(|[x, y]| format!("{x:.1},{y:.1}"))
            .collect();
        let colour = line.colour;
        self.canvas.element(format_args!(
            "<polygon points=\"{}\" fill=\"{colour}\" fill-opacity=\"0.16\"/>",
            corners.join(" ")
        ));
    }

    /// The line through the points' means, named where it ends.
    pub(super) fn line(&mut self, points: &[Point], line: Line, name: &str) {
        let places: Vec<[f64; 2]> = points
            .iter()
            .filter(|p| self.shows(p))
            .map(|p| self.at(p.x, p.mean))
            .collect();
        let Some(&end) = places.last() else {
            return;
        };
        let data: String = places
            .iter()
            .enumerate()
            .map(|(i, [x, y])| format!("{}{x:.1} {y:.1}", if i == 0 { 'M' } else { 'L' }))
            .collect();
        self.canvas.path(&data, &line.stroke(2.0));
        if !name.is_empty() {
            self.labels.push(Label {
                end: [end[0], end[1].round()],
                height: places.iter().map(|[_, y]| y).sum::<f64>() / places.len() as f64,
                line,
                text: name.to_owned(),
            });
        }
    }

    /// Small discs at the points' means.
    pub(super) fn dots(&mut self, points: &[Point], colour: &str) {
        for point in points {
            if !self.shows(point) {
                continue;
            }
            let [x, y] = self.at(point.x, point.mean);
            self.canvas.element(format_args!(
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"2.6\" fill=\"{colour}\"/>"
            ));
        }
    }

    /// A mark across the plot at a value of x, named above.
    pub(super) fn mark(&mut self, value: f64, name: &str) {
        let [low, high] = self.x.range;
        if !(low..=high).contains(&value) {
            return;
        }
        let [x, _] = self.at(value, self.y.range[0]);
        let stroke = format!("stroke=\"{FAINT}\" stroke-width=\"1\" stroke-dasharray=\"3 3\"");
        self.canvas.line([x, TOP - 4.0], [x, BOTTOM], &stroke);
        // About as wide as the name is, so that it stays on the sheet.
        let half = 3.1 * name.chars().count() as f64;
        let x = x.min(self.width - half).max(half);
        self.canvas
            .text([x, TOP - 9.0], 12.0, FAINT, Anchor::Middle, name);
    }

    /// Draws the labels and ends the document.
    pub(super) fn finish(mut self) -> String {
        self.labels.sort_by(|a, b| a.height.total_cmp(&b.height));
        let wanted: Vec<f64> = self.labels.iter().map(|label| label.end[1]).collect();
        let places = spread(&wanted, LINE_GAP, [TOP, BOTTOM]);
        for (label, y) in self.labels.iter().zip(places) {
            let colour = label.line.colour;
            let [x0, y0] = label.end;
            // A thin lead from the end of the line, then a piece of the line itself, then its name.
            let (x1, x2) = (RIGHT + 16.0, RIGHT + 42.0);
            let lead = format!("M{x0:.1} {y0:.1}L{x1:.1} {y:.1}");
            let thin = format!("stroke=\"{colour}\" stroke-width=\"0.8\" stroke-opacity=\"0.7\"");
            self.canvas.path(&lead, &thin);
            self.canvas.line([x1, y], [x2, y], &label.line.stroke(2.4));
            let at = [x2 + 5.0, y + 4.5];
            self.canvas.text(at, TEXT, INK, Anchor::Start, &label.text);
        }
        self.canvas.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn powers_are_round_and_not_too_many() {
        let labels = |low, high| -> Vec<String> {
            powers(low, high)
                .into_iter()
                .map(|(_, label)| label)
                .collect()
        };
        assert_eq!(labels(1.0, 60.0), ["1", "2", "5", "10", "20", "50"]);
        assert_eq!(labels(0.05, 0.3), ["0.05", "0.1", "0.2"]);
        assert_eq!(labels(1.0, 2e4), ["1", "10", "100", "1,000", "10,000"]);
        assert!(labels(1e-9, 1e15).len() < 14);
    }

    #[test]
    fn axes_need_something_to_span() {
        assert!(Axis::logarithmic("x", [0.0, -1.0, f64::NAN].into_iter()).is_none());
        let single = Axis::logarithmic("x", [3.0].into_iter()).unwrap();
        assert!(single.share(3.0) > 0.1 && single.share(3.0) < 0.9);
        assert_eq!(extent([f64::NAN, 2.0, 1.0].into_iter()), Some([1.0, 2.0]));
    }
}
