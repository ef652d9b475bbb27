//! The length of the best path against the configurations checked, as a step curve; in words where no
//! second path was found.

use crate::drawing::{Anchor, Canvas, PATH_COLOUR, length, number, ticks};

pub(super) const WIDTH: f64 = 500.0;
/// The least and the most height that looks well.
const HEIGHTS: [f64; 2] = [300.0, 430.0];

/// Room around the plot for its labels: left, top, right, bottom.
const ROOM: [f64; 4] = [52.0, 28.0, 106.0, 46.0];
const AXIS: &str = "stroke=\"#333333\" stroke-width=\"1\"";
const GRID: &str = "stroke=\"#E6E6E6\" stroke-width=\"1\"";
const TEXT: &str = "#333333";
/// The least distance between the lines of two labels.
const LINE: f64 = 19.0;

/// What the curve shows: how good the path was after how much work.
pub(super) struct Curve {
    steps: Vec<(f64, f64)>,
    shortest: Option<f64>,
    last_count: f64,
    low: f64,
    high: f64,
}

impl Curve {
    /// The curve through these points, or `None` if there are none to draw.
    pub(super) fn new(points: &[(u64, f64)], shortest: Option<f64>) -> Option<Self> {
        let shortest = shortest.filter(|length| length.is_finite());
        let steps: Vec<(f64, f64)> = points
            .iter()
            .filter(|(_, length)| length.is_finite())
            .map(|&(count, length)| (count as f64, length))
            .collect();
        let all = || steps.iter().map(|&(_, length)| length).chain(shortest);
        let least = all().fold(f64::INFINITY, f64::min);
        let most = all().fold(f64::NEG_INFINITY, f64::max);
        let last_count = steps.iter().map(|&(count, _)| count).fold(1.0, f64::max);
        if steps.is_empty() {
            return None;
        }
        // Some air above and below, also where nothing ever changed.
        let air = (0.08 * (most - least)).max(0.02 * most.abs()).max(1e-9);
        Some(Self {
            steps,
            shortest,
            last_count,
            low: if least >= 0.0 {
                (least - air).max(0.0)
            } else {
                least - air
            },
            high: most + air,
        })
    }

    /// How high it is where there is so much room.
    pub(super) fn height(&self, room: f64) -> f64 {
        match self.has_steps() {
            true => room.clamp(HEIGHTS[0], HEIGHTS[1]),
            false => 4.0 + LINE * self.words().len() as f64,
        }
    }

    /// Whether the path ever became shorter.
    fn has_steps(&self) -> bool {
        let mut pairs = self.steps.windows(2);
        pairs.any(|pair| pair[0].1 != pair[1].1)
    }

    /// What is to be said of a path that never became shorter.
    fn words(&self) -> Vec<String> {
        let Some(&(count, found)) = self.steps.first() else {
            return Vec::new();
        };
        let mut words = vec![
            format!("One path was found, of length {}.", length(found)),
            format!("That was after {} configurations.", number(count, 0)),
        ];
        words.extend(
            self.shortest
                .map(|shortest| match is_equal(found, shortest) {
                    true => "No path on this roadmap is shorter.".to_owned(),
                    false => format!("The shortest on this roadmap has {}.", length(shortest)),
                }),
        );
        words
    }

    pub(super) fn draw(&self, canvas: &mut Canvas, [left, top]: [f64; 2], height: f64) {
        if !self.has_steps() {
            for (line, words) in self.words().iter().enumerate() {
                let at = [left, top + LINE * (line as f64 + 0.8)];
                match line {
                    0 => canvas.bold(at, 14.0, PATH_COLOUR, Anchor::Start, words),
                    _ => canvas.text(at, 13.0, TEXT, Anchor::Start, words),
                }
            }
            return;
        }
        let [room_left, room_top, room_right, room_bottom] = ROOM;
        let (x0, x1) = (left + room_left, left + WIDTH - room_right);
        let (y0, y1) = (top + height - room_bottom, top + room_top);
        let x = |count: f64| x0 + count / self.last_count * (x1 - x0);
        let y = |length: f64| y0 + (length - self.low) / (self.high - self.low) * (y1 - y0);

        for (value, label) in ticks(self.low, self.high, 6.0) {
            canvas.line([x0, y(value)], [x1, y(value)], GRID);
            canvas.text([x0 - 8.0, y(value) + 4.0], 12.0, TEXT, Anchor::End, &label);
        }
        for (value, label) in ticks(0.0, self.last_count, 4.0) {
            canvas.line([x(value), y0], [x(value), y0 + 5.0], AXIS);
            canvas.text([x(value), y0 + 20.0], 12.0, TEXT, Anchor::Middle, &label);
        }
        canvas.line([x0, y0], [x1, y0], AXIS);
        let middle = (x0 + x1) / 2.0;
        let below = y0 + 42.0;
        canvas.text(
            [middle, below],
            13.0,
            TEXT,
            Anchor::Middle,
            "configurations checked",
        );
        canvas.text(
            [left, top + 12.0],
            13.0,
            TEXT,
            Anchor::Start,
            match self.shortest {
                Some(_) => "length of the best path; dashed, the shortest on this roadmap",
                None => "length of the best path",
            },
        );

        if let Some(shortest) = self.shortest {
            let dashed = "stroke=\"#555555\" stroke-width=\"1.4\" stroke-dasharray=\"6 4\"";
            canvas.line([x0, y(shortest)], [x1, y(shortest)], dashed);
        }
        let mut data = String::new();
        let mut before = None;
        for &(count, length) in &self.steps {
            if before.is_none() {
                data.push_str(&format!("M{:.2} {:.2}", x(count), y(length)));
            } else {
                data.push_str(&format!("H{:.2}V{:.2}", x(count), y(length)));
            }
            if before != Some(length) {
                canvas.element(format_args!(
                    "<circle cx=\"{:.2}\" cy=\"{:.2}\" r=\"3\" fill=\"{PATH_COLOUR}\"/>",
                    x(count),
                    y(length)
                ));
            }
            before = Some(length);
        }
        data.push_str(&format!("H{x1:.2}"));
        let stroke =
            format!("stroke=\"{PATH_COLOUR}\" stroke-width=\"2.2\" stroke-linejoin=\"round\"");
        canvas.path(&data, &stroke);
        self.draw_labels(canvas, x1 + 10.0, y);
    }

    /// Names the two lines where they end, side by side where they end apart.
    fn draw_labels(&self, canvas: &mut Canvas, x: f64, y: impl Fn(f64) -> f64) {
        let Some(&(_, best)) = self.steps.last() else {
            return;
        };
        let mut best_y = y(best) + 4.5;
        let best_label = format!("best {}", length(best));
        let draw_best = |canvas: &mut Canvas, y| {
            canvas.bold([x, y], 13.0, PATH_COLOUR, Anchor::Start, &best_label);
        };
        match self.shortest {
            Some(shortest) if is_equal(best, shortest) => {
                canvas.text(
                    [x, best_y + LINE],
                    13.0,
                    "#555555",
                    Anchor::Start,
                    "= shortest",
                );
            }
            Some(shortest) => {
                let mut shortest_y = y(shortest) + 4.5;
                let lacking = (LINE - (shortest_y - best_y)).max(0.0) / 2.0;
                best_y -= lacking;
                shortest_y += lacking;
                let label = format!("shortest {}", length(shortest));
                canvas.text([x, shortest_y], 13.0, "#555555", Anchor::Start, &label);
            }
            None => {}
        }
        draw_best(canvas, best_y);
    }
}

/// Whether two lengths are the same but for rounding.
fn is_equal(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-9 * b.abs()
}
