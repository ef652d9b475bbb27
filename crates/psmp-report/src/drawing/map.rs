//! The world as seen from above: obstacles, edges, the best path, start and goal.
//!
//! The map is what one wants to see, and a roadmap can hide it. So obstacles lie over the edges that nobody
//! has checked, which are left out where they are many; checked edges are the thinner and the fainter the
//! more there are; and the best path, over all of them, has a white band.

use super::canvas::{Anchor, Canvas};
use super::obstacles::obstacle_rectangles;
use psmp::{Axis, EdgeId, Query, Roadmap, VertexId};
use psmp_worlds::OccupancyGrid;
use std::fmt::Write;

/// Colours of Okabe and Ito, told apart by everyone; blocked edges are dashed besides.
pub(crate) const PATH_COLOUR: &str = "#0072B2";
pub(crate) const FREE_COLOUR: &str = "#009E73";
pub(crate) const BLOCKED_COLOUR: &str = "#D55E00";
pub(crate) const GROWN_COLOUR: &str = "#8855BB";
pub(crate) const TRIED_COLOUR: &str = "#56B4E9";
pub(crate) const OBSTACLE_COLOUR: &str = "#4A525C";
/// What is too close to an obstacle for the robot.
pub(crate) const MARGIN_COLOUR: &str = "#C3C9D1";
/// The greys of unchecked edges, from surely free to surely blocked.
const LIGHTEST: f64 = 222.0;
const DARKEST: f64 = 96.0;
/// Edges are drawn in this many shades, one path each.
const SHADES: usize = 12;

/// More unchecked edges than this would be one grey, and are left out.
const MOST_UNCHECKED: usize = 8000;
/// More new vertices than this, and those are left out that nothing free is known to lead to.
const MOST_DOTS: usize = 3000;
/// So many lines of a kind are drawn in full; of more, each is fainter.
const FEW: f64 = 150.0;
/// Lines of a kind are drawn in so many layers.
const LAYERS: usize = 6;

/// Maps that are at most this wide and high are drawn with a pen of full size.
const WIDEST: f64 = 640.0;
const TALLEST: f64 = 700.0;
/// A map that is wider than high by more than this has the sheet to itself.
const BROAD: f64 = 1.5;
const BROADEST: f64 = 1160.0;
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
    /// The obstacles as they are for a robot that is not a point.
    pub(crate) grown_obstacles: Option<&'a OccupancyGrid>,
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
    /// Small maps are drawn with thinner lines and smaller markers.
    pen: f64,
}

/// Maps drawn with a finer pen than this have no room for names.
const NAMING_PEN: f64 = 0.8;

impl<'a> Map<'a> {
    /// The map of a scene at full size, or `None` if the roadmap has no two axes to draw it by.
    pub(crate) fn new(scene: Scene<'a>) -> Option<Self> {
        let map = Self::within(scene, [WIDEST, TALLEST])?;
        match map.is_broad() {
            true => Self::within(scene, [BROADEST, TALLEST]),
            false => Some(map),
        }
    }

    /// Whether the map is so much wider than high that what belongs to it stands below.
    pub(crate) fn is_broad(&self) -> bool {
        self.width() > BROAD * self.height()
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
            pen: (widest / WIDEST).sqrt().min(1.0),
        })
    }

    /// Which of its two axes wrap.
    pub(crate) fn wraps(&self) -> [bool; 2] {
        std::array::from_fn(|i| self.axes[i].wraps())
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
        let marked = self.marked();
        self.draw_unchecked(canvas, &marked);
        for (grid, colour) in [
            (self.scene.grown_obstacles, MARGIN_COLOUR),
            (self.scene.obstacles, OBSTACLE_COLOUR),
        ] {
            if let Some(grid) = grid {
                self.draw_obstacles(canvas, grid, colour);
            }
        }
        self.draw_checked(canvas, &marked);
        self.draw_dots(canvas);
        self.draw_tried(canvas);
        self.draw_path(canvas);
        canvas.element("</svg>");
        canvas.element(format_args!(
            "<rect width=\"{width:.2}\" height=\"{height:.2}\" fill=\"none\" stroke=\"#333333\"/>"
        ));
        self.draw_ends(canvas);
        canvas.element("</g>");
    }

    fn draw_obstacles(&self, canvas: &mut Canvas, grid: &OccupancyGrid, colour: &str) {
        let data = obstacle_rectangles(grid);
        let [a, b, c, d, e, f] = self.image_matrix(grid);
        canvas.element(format_args!(
            "<path d=\"{data}\" fill=\"{colour}\" \
             transform=\"matrix({a:.6} {b:.6} {c:.6} {d:.6} {e:.3} {f:.3})\"/>"
        ));
    }

    /// The edges by what is known of them.
    fn marked(&self) -> Marked {
        let mut marked = Marked::default();
        let given = self.given_edges();
        let edges = self.scene.roadmap.edges().zip(self.scene.edges);
        for (place, (edge, mark)) in edges.enumerate() {
            let lines = match (mark, place < given) {
                (EdgeMark::Free, true) => &mut marked.free,
                (EdgeMark::Blocked, true) => &mut marked.blocked,
                (EdgeMark::Unknown { p_free }, true) => &mut marked.shades[shade(*p_free)],
                (EdgeMark::Free, false) => &mut marked.grown_free,
                (EdgeMark::Blocked, false) => &mut marked.grown_blocked,
                (EdgeMark::Unknown { .. }, false) => &mut marked.grown_unchecked,
            };
            lines.begin();
            for [from, to] in self.motion(edge.from, edge.to) {
                lines.add(from, to);
            }
        }
        marked
    }

    fn given_edges(&self) -> usize {
        self.scene.given.map_or(usize::MAX, |given| given.edges)
    }

    /// What nobody has checked, the greyer the likelier it is in collision; what is new in its own colour.
    fn draw_unchecked(&self, canvas: &mut Canvas, marked: &Marked) {
        let count: usize = marked.shades.iter().map(|lines| lines.count).sum();
        if count <= MOST_UNCHECKED {
            let look = Look::unchecked(count).with(self.pen);
            // A page on dark paper turns the greys of this group about.
            canvas.element("<g class=\"belief\">");
            for (shade, lines) in marked.shades.iter().enumerate() {
                lines.draw(canvas, &look.stroke(&grey(shade), ""));
            }
            canvas.element("</g>");
        }
        let grown = &marked.grown_unchecked;
        if grown.count <= MOST_UNCHECKED {
            let mut look = Look::unchecked(grown.count).with(0.8 * self.pen);
            look.opacity *= 0.4;
            grown.draw(canvas, &look.stroke(GROWN_COLOUR, ""));
        }
    }

    /// What was checked, and of it what is new in its own colour.
    fn draw_checked(&self, canvas: &mut Canvas, marked: &Marked) {
        for (lines, colour, width, dashes) in [
            (&marked.blocked, BLOCKED_COLOUR, 0.8, DASHES),
            (&marked.grown_blocked, GROWN_COLOUR, 0.6, DASHES),
            (&marked.free, FREE_COLOUR, 1.0, ""),
            (&marked.grown_free, GROWN_COLOUR, 1.0, ""),
        ] {
            let look = Look::checked(lines.count).with(width * self.pen);
            lines.draw(canvas, &look.stroke(colour, dashes));
        }
    }

    /// The vertices that are new.
    fn draw_dots(&self, canvas: &mut Canvas) {
        let Some(given) = self.scene.given else {
            return;
        };
        let roadmap = self.scene.roadmap;
        let is_crowded = roadmap.vertex_count() > given.vertices + MOST_DOTS;
        let leads_on = |vertex: VertexId| {
            let mark = |edge: EdgeId| self.scene.edges.get(edge.index());
            let mut edges = roadmap.outgoing(vertex).map(|arc| mark(arc.edge));
            edges.any(|mark| mark == Some(&EdgeMark::Free))
        };
        let mut dots = Lines::default();
        let new = roadmap.vertices().skip(given.vertices);
        for vertex in new.filter(|v| !is_crowded || leads_on(*v)) {
            if let Some(at) = self.vertex(vertex) {
                // A line of no length with round ends is a dot.
                dots.begin();
                dots.add(at, at);
            }
        }
        let look = Look::checked(dots.count).with(1.8 * self.pen);
        dots.draw(
            canvas,
            &look.stroke(GROWN_COLOUR, " stroke-linecap=\"round\""),
        );
    }

    fn draw_tried(&self, canvas: &mut Canvas) {
        for (free, colour, width) in [(false, BLOCKED_COLOUR, 0.5), (true, TRIED_COLOUR, 0.8)] {
            let mut lines = Lines::default();
            for way in self.scene.tried.iter().filter(|way| way.free == free) {
                lines.begin();
                for step in way.places.windows(2) {
                    for [from, to] in self.straight(step[0], step[1]).into_iter().flatten() {
                        lines.add(from, to);
                    }
                }
            }
            let mut look = Look::checked(lines.count).with(width * self.pen);
            // What led nowhere is long and much, and says least.
            look.opacity *= if free { 1.0 } else { 0.6 };
            lines.draw(canvas, &look.stroke(colour, SHORT_DASHES));
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

    /// What is drawn and what it means; what is left out has no sample.
    fn legend(&self) -> Vec<(Option<Sample>, String)> {
        let told = |count: usize| super::ticks::number(count as f64, 0);
        let given = self.given_edges();
        let count = |wanted: fn(&EdgeMark) -> bool| {
            let marks = self.scene.edges.iter().take(given);
            marks.filter(|mark| wanted(mark)).count()
        };
        let mut lines = Vec::new();
        let mut add = |sample, text| lines.push((Some(sample), text));
        if self.scene.path.is_some_and(|path| path.len() > 1) {
            add(Sample::Path, "best path".to_owned());
        }
        if !self.scene.edges.is_empty() {
            let free = told(count(|mark| *mark == EdgeMark::Free));
            add(Sample::Free, format!("checked, free ({free})"));
            let blocked = told(count(|mark| *mark == EdgeMark::Blocked));
            add(
                Sample::Blocked,
                format!("checked, in collision ({blocked})"),
            );
            let unknown = count(|mark| matches!(mark, EdgeMark::Unknown { .. }));
            let number = told(unknown);
            match unknown <= MOST_UNCHECKED {
                true => add(
                    Sample::Unknown,
                    format!("not checked ({number}), darker if collision is likelier"),
                ),
                false => lines.push((None, format!("not checked, not drawn ({number})"))),
            }
        }
        let mut add = |sample, text| lines.push((Some(sample), text));
        if let Some(given) = self.scene.given {
            let roadmap = self.scene.roadmap;
            let [vertices, edges] = [
                roadmap.vertex_count().saturating_sub(given.vertices),
                roadmap.edge_count().saturating_sub(given.edges),
            ];
            let text = format!("grown: {} vertices, {} edges", told(vertices), told(edges));
            add(Sample::Grown, text);
        }
        for (free, sample, name) in [
            (true, Sample::TriedFree, "tried beside the roadmap, free"),
            (
                false,
                Sample::TriedBlocked,
                "tried beside the roadmap, in collision",
            ),
        ] {
            let alike = self.scene.tried.iter().filter(|way| way.free == free);
            let count = alike.count();
            if count > 0 {
                add(sample, format!("{name} ({} drawn)", told(count)));
            }
        }
        if self.scene.obstacles.is_some() {
            add(Sample::Obstacle, "obstacle".to_owned());
        }
        if self.scene.grown_obstacles.is_some() {
            add(Sample::Margin, "too close for the robot".to_owned());
        }
        lines
    }

    pub(crate) fn draw_legend(&self, canvas: &mut Canvas, left: f64, top: f64) {
        for (line, (sample, text)) in self.legend().into_iter().enumerate() {
            let y = top + (line as f64 + 0.5) * LEGEND_LINE;
            if let Some(sample) = sample {
                sample.draw(canvas, left, y);
            }
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

    pub(crate) fn position(&self, vertex: VertexId) -> Option<[f64; 2]> {
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

const DASHES: &str = " stroke-dasharray=\"5 3\"";
/// Dashed as nothing else is.
const SHORT_DASHES: &str = " stroke-dasharray=\"2 2.5\"";

/// Edges by what is known of them, in points of the panel.
#[derive(Default)]
struct Marked {
    free: Lines,
    blocked: Lines,
    shades: [Lines; SHADES],
    grown_free: Lines,
    grown_blocked: Lines,
    grown_unchecked: Lines,
}

/// Lines of one kind, in layers that are drawn one over the other: being see-through, they are stronger
/// where many lie than where few do.
#[derive(Default)]
struct Lines {
    layers: [String; LAYERS],
    count: usize,
}

impl Lines {
    /// What is added next belongs to another line.
    fn begin(&mut self) {
        self.count += 1;
    }

    fn add(&mut self, [x1, y1]: [f64; 2], [x2, y2]: [f64; 2]) {
        let layer = &mut self.layers[self.count % LAYERS];
        let _ = write!(layer, "M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}");
    }

    fn draw(&self, canvas: &mut Canvas, stroke: &str) {
        for layer in &self.layers {
            canvas.path(layer, stroke);
        }
    }
}

/// How strongly lines of a kind are drawn.
#[derive(Clone, Copy)]
struct Look {
    width: f64,
    opacity: f64,
}

impl Look {
    /// Of so many lines that were checked.
    fn checked(count: usize) -> Self {
        let share = (FEW / count.max(1) as f64).min(1.0);
        Self {
            width: (2.0 * share.powf(0.4)).max(0.7),
            opacity: (0.9 * share.sqrt()).max(0.2),
        }
    }

    /// Of so many that were not.
    fn unchecked(count: usize) -> Self {
        let share = (10.0 * FEW / count.max(1) as f64).min(1.0);
        Self {
            width: share.sqrt().max(0.5),
            opacity: share.sqrt().max(0.25),
        }
    }

    fn with(self, pen: f64) -> Self {
        let width = pen * self.width;
        Self { width, ..self }
    }

    fn stroke(self, colour: &str, rest: &str) -> String {
        let Self { width, opacity } = self;
        format!(
            "stroke=\"{colour}\" stroke-width=\"{width:.2}\" stroke-opacity=\"{opacity:.2}\"{rest}"
        )
    }
}

/// The best path lies on a white band, so that it stands out from the edges it follows.
fn path_strokes(pen: f64) -> [String; 2] {
    [("#FFFFFF", 9.5), (PATH_COLOUR, 4.0)].map(|(colour, width)| {
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
    Margin,
}

impl Sample {
    pub(crate) fn draw(self, canvas: &mut Canvas, left: f64, y: f64) {
        let right = left + 42.0;
        let line = |canvas: &mut Canvas, colour: &str, width: f64, rest: &str| {
            let look = Look {
                width,
                opacity: 1.0,
            };
            canvas.line([left, y], [right, y], &look.stroke(colour, rest));
        };
        let rectangle = |canvas: &mut Canvas, colour: &str| {
            let top = y - 7.0;
            canvas.element(format_args!(
                "<rect x=\"{left:.2}\" y=\"{top:.2}\" width=\"42\" height=\"14\" fill=\"{colour}\"/>"
            ));
        };
        match self {
            Self::Path => {
                let [_, stroke] = path_strokes(1.0);
                canvas.line([left + 2.0, y], [right - 2.0, y], &stroke);
            }
            Self::Free => line(canvas, FREE_COLOUR, 2.0, ""),
            Self::Blocked => line(canvas, BLOCKED_COLOUR, 2.0, DASHES),
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
                line(canvas, GROWN_COLOUR, 2.0, "");
                let dot = format!("M{left:.1} {y:.1}h0M{right:.1} {y:.1}h0");
                let round = "stroke-width=\"5\" stroke-linecap=\"round\"";
                canvas.path(&dot, &format!("stroke=\"{GROWN_COLOUR}\" {round}"));
            }
            Self::TriedFree => line(canvas, TRIED_COLOUR, 1.5, SHORT_DASHES),
            Self::TriedBlocked => line(canvas, BLOCKED_COLOUR, 1.0, SHORT_DASHES),
            Self::Obstacle => rectangle(canvas, OBSTACLE_COLOUR),
            Self::Margin => rectangle(canvas, MARGIN_COLOUR),
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
