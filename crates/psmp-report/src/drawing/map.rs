//! The world as seen from above: obstacles, edges, the best path, start and goal.

use super::canvas::{Anchor, Canvas};
use super::obstacles::obstacle_rectangles;
use psmp::{Axis, EdgeId, Query, Roadmap, VertexId};
use psmp_worlds::OccupancyGrid;

/// Colours of Okabe and Ito, told apart by everyone; blocked edges are dashed besides.
pub(crate) const PATH_COLOUR: &str = "#0072B2";
pub(crate) const FREE_COLOUR: &str = "#009E73";
pub(crate) const BLOCKED_COLOUR: &str = "#D55E00";
pub(crate) const GROWN_COLOUR: &str = "#8855BB";
pub(crate) const TRIED_COLOUR: &str = "#56B4E9";
pub(crate) const OBSTACLE_COLOUR: &str = "#D3D7DC";
/// The greys of unchecked edges, from surely free to surely blocked.
const LIGHTEST: f64 = 222.0;
const DARKEST: f64 = 96.0;
/// Edges are drawn in this many shades, one path each.
const SHADES: usize = 12;

/// How much text the unchecked edges of a roadmap that has grown may be; and how many dots, before those
/// vertices are left out that nothing free is known to lead to.
const MOST_UNKNOWN: usize = 1 << 18;
const MOST_DOTS: usize = 3000;

const WIDEST: f64 = 560.0;
const TALLEST: f64 = 620.0;
pub(crate) const LEGEND_WIDTH: f64 = 380.0;
const LEGEND_LINE: f64 = 24.0;

/// What is known of an edge.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum EdgeMark {
    /// It has not been checked.
    Unknown {
        /// The believed probability that it is free.
        p_free: f64,
    },
    /// It was checked and is free.
    Free,
    /// It was checked and is in collision.
    Blocked,
}

/// How large a roadmap was before it grew.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Given {
    /// How many vertices it had.
    pub vertices: usize,
    /// How many edges it had.
    pub edges: usize,
}

/// A way that was tried to make the best path shorter: a shortcut or a rewiring.
#[derive(Debug, Clone, PartialEq)]
pub struct TriedWay {
    /// The places that it leads through, straight from each to the next.
    pub places: Vec<[f64; 2]>,
    /// Whether it is free.
    pub free: bool,
}

/// What a map shows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Scene<'a> {
    pub(crate) roadmap: &'a Roadmap,
    pub(crate) query: Query,
    pub(crate) obstacles: Option<&'a OccupancyGrid>,
    /// In the order of the edges' ids; one not given is not drawn.
    pub(crate) edges: &'a [EdgeMark],
    pub(crate) path: Option<&'a [VertexId]>,
    /// What of the roadmap was given, if it has grown.
    pub(crate) given: Option<Given>,
    pub(crate) tried: &'a [TriedWay],
}

/// A scene laid out as a panel of a picture.
pub(crate) struct Map<'a> {
    scene: Scene<'a>,
    axes: [Axis; 2],
    scale: [f64; 2],
    /// Crowded edges are drawn thinner.
    thinness: f64,
    /// Small maps are drawn with thinner lines and smaller markers.
    pen: f64,
}

/// Maps drawn with a finer pen than this have no room for names.
const NAMING_PEN: f64 = 0.8;

impl<'a> Map<'a> {
    /// The map of a scene at full size, or `None` if the roadmap has no two axes to draw it by.
    pub(crate) fn new(scene: Scene<'a>) -> Option<Self> {
        Self::within(scene, [WIDEST, TALLEST])
    }

    /// The map of a scene that is to be at most so wide and high.
    pub(crate) fn within(scene: Scene<'a>, [widest, tallest]: [f64; 2]) -> Option<Self> {
        let [x, y, ..] = *scene.roadmap.space()?.axes() else {
            return None;
        };
        // Equal scales unless the map would become a ribbon.
        let slimness = (y.extent() / x.extent()).clamp(0.4, 2.5);
        let width = widest.min(tallest / slimness);
        Some(Self {
            scene,
            axes: [x, y],
            scale: [width / x.extent(), width * slimness / y.extent()],
            thinness: (1500.0 / scene.roadmap.edge_count().max(1) as f64)
                .sqrt()
                .clamp(0.3, 1.0),
            pen: (widest / WIDEST).sqrt(),
        })
    }

    pub(crate) fn width(&self) -> f64 {
        self.axes[0].extent() * self.scale[0]
    }

    pub(crate) fn height(&self) -> f64 {
        self.axes[1].extent() * self.scale[1]
    }

    /// The point of the panel for a point of the plane.
    pub(crate) fn place(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let [across, up] = &self.axes;
        [
            (x - across.lower()) * self.scale[0],
            (up.upper() - y) * self.scale[1],
        ]
    }

    pub(crate) fn draw(&self, canvas: &mut Canvas, left: f64, top: f64) {
        let (width, height) = (self.width(), self.height());
        // An inner document is clipped by itself, without a name that could be taken on a page.
        canvas.element(format_args!(
            "<g transform=\"translate({left:.2} {top:.2})\">\n\
             <svg width=\"{width:.2}\" height=\"{height:.2}\">"
        ));
        if let Some(grid) = self.scene.obstacles {
            self.draw_obstacles(canvas, grid);
        }
        self.draw_edges(canvas);
        self.draw_growth(canvas);
        self.draw_tried(canvas);
        self.draw_path(canvas);
        canvas.element("</svg>");
        canvas.element(format_args!(
            "<rect width=\"{width:.2}\" height=\"{height:.2}\" fill=\"none\" stroke=\"#333333\"/>"
        ));
        self.draw_ends(canvas);
        canvas.element("</g>");
    }

    fn draw_obstacles(&self, canvas: &mut Canvas, grid: &OccupancyGrid) {
        let data = obstacle_rectangles(grid);
        let [a, b, c, d, e, f] = self.image_matrix(grid);
        canvas.element(format_args!(
            "<path d=\"{data}\" fill=\"{OBSTACLE_COLOUR}\" \
             transform=\"matrix({a:.6} {b:.6} {c:.6} {d:.6} {e:.3} {f:.3})\"/>"
        ));
    }

    fn draw_edges(&self, canvas: &mut Canvas) {
        let mut shades = vec![String::new(); SHADES];
        let (mut free, mut blocked) = (String::new(), String::new());
        let given = self.scene.given.map_or(usize::MAX, |given| given.edges);
        let edges = self.scene.roadmap.edges().zip(self.scene.edges);
        for (edge, mark) in edges.take(given) {
            let data = match mark {
                EdgeMark::Free => &mut free,
                EdgeMark::Blocked => &mut blocked,
                EdgeMark::Unknown { p_free } => &mut shades[shade(*p_free)],
            };
            self.add_motion(data, edge.from, edge.to);
        }
        let width = self.thinness * self.pen;
        // A page on dark paper turns the greys of this group about.
        canvas.element("<g class=\"belief\">");
        for (shade, data) in shades.iter().enumerate() {
            let grey = grey(shade);
            canvas.path(
                data,
                &format!("stroke=\"{grey}\" stroke-width=\"{width:.2}\""),
            );
        }
        canvas.element("</g>");
        // What was seen stands out from what is believed, by a thin white band.
        let width = self.thinness.max(0.6) * self.pen;
        for (data, stroke) in [
            (&blocked, blocked_stroke(2.2 * width)),
            (&free, free_stroke(2.2 * width)),
        ] {
            let band = format!("stroke=\"#FFFFFF\" stroke-width=\"{:.2}\"", 4.2 * width);
            canvas.path(data, &band);
            canvas.path(data, &stroke);
        }
    }

    /// What the roadmap has grown by, told apart from what was given by its colour.
    fn draw_growth(&self, canvas: &mut Canvas) {
        let Some(given) = self.scene.given else {
            return;
        };
        let (mut unknown, mut free, mut blocked) = (String::new(), String::new(), String::new());
        let edges = self.scene.roadmap.edges().zip(self.scene.edges);
        for (edge, mark) in edges.skip(given.edges) {
            let data = match mark {
                EdgeMark::Free => &mut free,
                EdgeMark::Blocked => &mut blocked,
                EdgeMark::Unknown { .. } => &mut unknown,
            };
            self.add_motion(data, edge.from, edge.to);
        }
        let width = self.thinness * self.pen;
        let faint = format!(
            "stroke=\"{GROWN_COLOUR}\" stroke-width=\"{:.2}\" stroke-opacity=\"0.35\"",
            0.8 * width
        );
        // More than this are a blot.
        if unknown.len() < MOST_UNKNOWN {
            canvas.path(&unknown, &faint);
        }
        let width = self.thinness.max(0.6) * self.pen;
        canvas.path(
            &blocked,
            &grown_stroke(1.2 * width, " stroke-dasharray=\"4 3\""),
        );
        canvas.path(&free, &grown_stroke(2.0 * width, ""));
        let mut dots = String::new();
        let roadmap = self.scene.roadmap;
        let is_crowded = roadmap.vertex_count() > given.vertices + MOST_DOTS;
        let leads_on = |vertex: VertexId| {
            let mark = |edge: EdgeId| self.scene.edges.get(edge.index());
            let mut edges = roadmap.outgoing(vertex).map(|arc| mark(arc.edge));
            edges.any(|mark| mark == Some(&EdgeMark::Free))
        };
        let new = roadmap.vertices().skip(given.vertices);
        for vertex in new.filter(|v| !is_crowded || leads_on(*v)) {
            if let Some([x, y]) = self.vertex(vertex) {
                // A line of no length with round ends is a dot.
                dots.push_str(&format!("M{x:.1} {y:.1}h0"));
            }
        }
        canvas.path(
            &dots,
            &grown_stroke(3.6 * width, " stroke-linecap=\"round\""),
        );
    }

    fn draw_tried(&self, canvas: &mut Canvas) {
        let width = 0.9 * self.pen;
        for (free, stroke) in [
            (false, tried_stroke(BLOCKED_COLOUR, width)),
            (true, tried_stroke(TRIED_COLOUR, 1.5 * width)),
        ] {
            let mut data = String::new();
            for way in self.scene.tried.iter().filter(|way| way.free == free) {
                for step in way.places.windows(2) {
                    self.add_straight(&mut data, step[0], step[1]);
                }
            }
            canvas.path(&data, &stroke);
        }
    }

    fn draw_path(&self, canvas: &mut Canvas) {
        let mut data = String::new();
        for step in self.scene.path.unwrap_or_default().windows(2) {
            self.add_motion(&mut data, step[0], step[1]);
        }
        for stroke in path_strokes(self.pen) {
            canvas.path(&data, &stroke);
        }
    }

    /// The start as a ring and the goal as a filled square, each named beside it.
    fn draw_ends(&self, canvas: &mut Canvas) {
        let (start, goal) = (self.scene.query.start, self.scene.query.goal);
        let path = self.scene.path.unwrap_or_default();
        let next = path.get(1).copied().unwrap_or(goal);
        let previous = path.iter().rev().nth(1).copied().unwrap_or(start);
        if let Some(at) = self.position(start) {
            let [x, y] = self.place(at);
            canvas.element(format_args!(
                "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{:.2}\" fill=\"#FFFFFF\" \
                 stroke=\"#111111\" stroke-width=\"{:.2}\"/>",
                7.0 * self.pen,
                3.0 * self.pen
            ));
            self.draw_name(canvas, "start", [x, y], next);
        }
        if let Some(at) = self.position(goal) {
            let [x, y] = self.place(at);
            let half = 7.0 * self.pen;
            let (left, top, side) = (x - half, y - half, 2.0 * half);
            canvas.element(format_args!(
                "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"{side:.2}\" height=\"{side:.2}\" \
                 fill=\"#111111\" stroke=\"#FFFFFF\" stroke-width=\"{:.2}\"/>",
                2.0 * self.pen
            ));
            self.draw_name(canvas, "goal", [x, y], previous);
        }
    }

    /// Names a marker on the side that has room and is turned away from where the path leads.
    fn draw_name(&self, canvas: &mut Canvas, name: &str, [x, y]: [f64; 2], towards: VertexId) {
        if self.pen < NAMING_PEN {
            return;
        }
        let way = self.position(towards).map_or([0.0, 0.0], |at| {
            let [to_x, to_y] = self.place(at);
            [to_x - x, to_y - y]
        });
        let sides = [
            (Anchor::Start, [1.0, 0.0], [13.0, 5.0]),
            (Anchor::End, [-1.0, 0.0], [-13.0, 5.0]),
            (Anchor::Middle, [0.0, 1.0], [0.0, 25.0]),
            (Anchor::Middle, [0.0, -1.0], [0.0, -14.0]),
        ];
        // About as wide and high as a name is, all around.
        let fits = |side: [f64; 2]| {
            let [far_x, far_y] = [x + 54.0 * side[0], y + 32.0 * side[1]];
            (0.0..=self.width()).contains(&far_x) && (0.0..=self.height()).contains(&far_y)
        };
        let along = |side: [f64; 2]| way[0] * side[0] + way[1] * side[1];
        let best = sides
            .into_iter()
            .filter(|&(_, side, _)| fits(side))
            .min_by(|a, b| along(a.1).total_cmp(&along(b.1)));
        if let Some((anchor, side, aside)) = best {
            // Above and below, a name near the left or right side moves inwards.
            let inwards = if side[0] == 0.0 { 22.0 } else { 0.0 };
            let x = x.clamp(inwards, self.width() - inwards);
            let y = (y + aside[1]).clamp(18.0, self.height() - 9.0);
            canvas.label([x + aside[0], y], anchor, name);
        }
    }

    pub(crate) fn legend_height(&self) -> f64 {
        self.legend().len() as f64 * LEGEND_LINE
    }

    /// What is drawn and what it means.
    fn legend(&self) -> Vec<(Sample, String)> {
        let told = |count: usize| super::ticks::number(count as f64, 0);
        let given = self.scene.given.map_or(usize::MAX, |given| given.edges);
        let count = |wanted: fn(&EdgeMark) -> bool| {
            let marks = self.scene.edges.iter().take(given);
            told(marks.filter(|mark| wanted(mark)).count())
        };
        let mut lines = Vec::new();
        if self.scene.path.is_some_and(|path| path.len() > 1) {
            lines.push((Sample::Path, "best path".to_owned()));
        }
        if !self.scene.edges.is_empty() {
            let free = count(|mark| *mark == EdgeMark::Free);
            lines.push((Sample::Free, format!("checked, free ({free})")));
            let blocked = count(|mark| *mark == EdgeMark::Blocked);
            lines.push((
                Sample::Blocked,
                format!("checked, in collision ({blocked})"),
            ));
            let unknown = count(|mark| matches!(mark, EdgeMark::Unknown { .. }));
            let text = format!("not checked ({unknown}), darker if collision is likelier");
            lines.push((Sample::Unknown, text));
        }
        if let Some(given) = self.scene.given {
            let roadmap = self.scene.roadmap;
            let [vertices, edges] = [
                roadmap.vertex_count().saturating_sub(given.vertices),
                roadmap.edge_count().saturating_sub(given.edges),
            ];
            let text = format!("grown: {} vertices, {} edges", told(vertices), told(edges));
            lines.push((Sample::Grown, text));
        }
        for (free, sample, name) in [
            (true, Sample::TriedFree, "tried beside the roadmap, free"),
            (
                false,
                Sample::TriedBlocked,
                "tried beside the roadmap, in collision",
            ),
        ] {
            let count = self
                .scene
                .tried
                .iter()
                .filter(|way| way.free == free)
                .count();
            if count > 0 {
                lines.push((sample, format!("{name} ({} drawn)", told(count))));
            }
        }
        if self.scene.obstacles.is_some() {
            lines.push((Sample::Obstacle, "obstacle".to_owned()));
        }
        lines
    }

    pub(crate) fn draw_legend(&self, canvas: &mut Canvas, left: f64, top: f64) {
        for (line, (sample, text)) in self.legend().into_iter().enumerate() {
            let y = top + (line as f64 + 0.5) * LEGEND_LINE;
            sample.draw(canvas, left, y);
            canvas.text(
                [left + 56.0, y + 4.5],
                13.0,
                "#333333",
                Anchor::Start,
                &text,
            );
        }
    }

    /// Where an image lies on the panel: a matrix from its columns and rows, as SVG and canvases
    /// have it, turned images included.
    pub(crate) fn image_matrix(&self, grid: &OccupancyGrid) -> [f64; 6] {
        let [corner, right, down] =
            [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]].map(|[u, v]| self.place(grid.point_at(u, v)));
        [
            right[0] - corner[0],
            right[1] - corner[1],
            down[0] - corner[0],
            down[1] - corner[1],
            corner[0],
            corner[1],
        ]
    }

    pub(crate) fn vertex(&self, vertex: VertexId) -> Option<[f64; 2]> {
        self.position(vertex).map(|at| self.place(at))
    }

    fn position(&self, vertex: VertexId) -> Option<[f64; 2]> {
        position(self.scene.roadmap, vertex)
    }

    fn add_motion(&self, data: &mut String, from: VertexId, to: VertexId) {
        for [[x1, y1], [x2, y2]] in self.motion(from, to) {
            data.push_str(&format!("M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}"));
        }
    }

    /// The straight motion between two vertices, in points of the panel; one that goes round a
    /// wrapping axis leaves the panel on one side and comes back on the other.
    pub(crate) fn motion(
        &self,
        from: VertexId,
        to: VertexId,
    ) -> impl Iterator<Item = [[f64; 2]; 2]> + use<> {
        let ends = self.position(from).zip(self.position(to));
        let segments = ends.map_or([None, None], |(from, to)| self.straight(from, to));
        segments.into_iter().flatten()
    }

    fn add_straight(&self, data: &mut String, from: [f64; 2], to: [f64; 2]) {
        for [[x1, y1], [x2, y2]] in self.straight(from, to).into_iter().flatten() {
            data.push_str(&format!("M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}"));
        }
    }

    /// The same between two places of the plane.
    pub(crate) fn straight(&self, from: [f64; 2], to: [f64; 2]) -> [Option<[[f64; 2]; 2]>; 2] {
        let way: [f64; 2] = std::array::from_fn(|i| self.axes[i].difference(from[i], to[i]));
        let moved = |at: [f64; 2], by: f64| std::array::from_fn(|i| at[i] + by * way[i]);
        let goes_round = (0..2).any(|i| (to[i] - from[i] - way[i]).abs() > 0.5 * way[i].abs());
        [
            Some([from, moved(from, 1.0)]),
            goes_round.then(|| [moved(to, -1.0), to]),
        ]
        .map(|segment| segment.map(|ends| ends.map(|at| self.place(at))))
    }
}

/// The first two coordinates of a vertex that is there.
fn position(roadmap: &Roadmap, vertex: VertexId) -> Option<[f64; 2]> {
    if vertex.index() >= roadmap.vertex_count() {
        return None;
    }
    match *roadmap.configuration(vertex)? {
        [x, y, ..] => Some([x, y]),
        _ => None,
    }
}

/// The shade of an unchecked edge; what is not a probability is as dark as even odds.
fn shade(p_free: f64) -> usize {
    let p_blocked = if p_free.is_nan() {
        0.5
    } else {
        1.0 - p_free.clamp(0.0, 1.0)
    };
    ((p_blocked * SHADES as f64) as usize).min(SHADES - 1)
}

fn grey(shade: usize) -> String {
    let share = shade as f64 / (SHADES - 1) as f64;
    let value = (LIGHTEST + share * (DARKEST - LIGHTEST)).round() as u8;
    format!("#{value:02X}{value:02X}{value:02X}")
}

fn free_stroke(width: f64) -> String {
    format!("stroke=\"{FREE_COLOUR}\" stroke-width=\"{width:.2}\"")
}

fn blocked_stroke(width: f64) -> String {
    format!("stroke=\"{BLOCKED_COLOUR}\" stroke-width=\"{width:.2}\" stroke-dasharray=\"5 3\"")
}

fn grown_stroke(width: f64, style: &str) -> String {
    format!("stroke=\"{GROWN_COLOUR}\" stroke-width=\"{width:.2}\"{style}")
}

/// Thin, and dashed as nothing else is.
fn tried_stroke(colour: &str, width: f64) -> String {
    format!("stroke=\"{colour}\" stroke-width=\"{width:.2}\" stroke-dasharray=\"2 2.5\"")
}

/// The best path lies on a white band, so that it stands out from the edges it follows.
fn path_strokes(pen: f64) -> [String; 2] {
    [("#FFFFFF", 9.0), (PATH_COLOUR, 4.5)].map(|(colour, width)| {
        let width = width * pen;
        format!(
            "stroke=\"{colour}\" stroke-width=\"{width:.2}\" stroke-linecap=\"round\" \
             stroke-linejoin=\"round\""
        )
    })
}

/// A line of the legend, drawn as on the map.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sample {
    Path,
    Free,
    Blocked,
    Unknown,
    Grown,
    TriedFree,
    TriedBlocked,
    Obstacle,
}

impl Sample {
    pub(crate) fn draw(self, canvas: &mut Canvas, left: f64, y: f64) {
        let right = left + 42.0;
        match self {
            Self::Path => {
                let [_, stroke] = path_strokes(1.0);
                canvas.line([left + 2.0, y], [right - 2.0, y], &stroke);
            }
            Self::Free => canvas.line([left, y], [right, y], &free_stroke(2.0)),
            Self::Blocked => canvas.line([left, y], [right, y], &blocked_stroke(2.0)),
            Self::Unknown => {
                canvas.element("<g class=\"belief\">");
                let piece = (right - left) / SHADES as f64;
                for shade in 0..SHADES {
                    let x = left + piece * shade as f64;
                    let stroke = format!("stroke=\"{}\" stroke-width=\"3\"", grey(shade));
                    canvas.line([x, y], [x + piece, y], &stroke);
                }
                canvas.element("</g>");
            }
            Self::Grown => {
                canvas.line([left, y], [right, y], &grown_stroke(2.0, ""));
                let dot = format!("M{left:.1} {y:.1}h0M{right:.1} {y:.1}h0");
                canvas.path(&dot, &grown_stroke(5.0, " stroke-linecap=\"round\""));
            }
            Self::TriedFree => canvas.line([left, y], [right, y], &tried_stroke(TRIED_COLOUR, 1.5)),
            Self::TriedBlocked => {
                canvas.line([left, y], [right, y], &tried_stroke(BLOCKED_COLOUR, 1.0));
            }
            Self::Obstacle => canvas.element(format_args!(
                "<rect x=\"{left:.2}\" y=\"{:.2}\" width=\"42\" height=\"14\" \
                 fill=\"{OBSTACLE_COLOUR}\"/>",
                y - 7.0
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shades_go_from_light_to_dark() {
        assert_eq!(shade(1.0), 0);
        assert_eq!(shade(0.0), SHADES - 1);
        assert_eq!(shade(f64::NAN), SHADES / 2);
        assert!(shade(-3.0) == SHADES - 1 && shade(f64::INFINITY) == 0);
    }
}
