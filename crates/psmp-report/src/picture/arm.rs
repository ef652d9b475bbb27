//! The picture of an arm along its path, from the side and from above.
//!
//! Both views are straight projections: from the side x goes right and z up, from above x goes
//! right and y up. What an arm or a scene is made of is drawn as the outline of its shadow; the
//! farther from the eye, the earlier it is drawn. Obstacles are seen through, the less the deeper they are: a
//! wall that is looked along is dark, and one that is looked at hides nothing.

use super::{MARGIN, below_head, draw_head};
use crate::drawing::{Anchor, Canvas, PATH_COLOUR, write_as_named};
use psmp_arm::{Arm, Placed, Pose, Scene, Shape};
use psmp_files::FileError;
use std::f64::consts::TAU;
use std::fmt::Write;
use std::path::Path;

/// An arm along a path.
#[derive(Clone, Copy)]
pub struct ArmPicture<'a> {
    /// What the picture shows, in a few words.
    pub title: &'a str,
    /// A line of detail below the title; may be empty.
    pub subtitle: &'a str,
    /// The arm.
    pub arm: &'a Arm,
    /// What stands around it.
    pub scene: &'a Scene,
    /// The configurations of the path, or only a start and a goal.
    pub path: &'a [&'a [f64]],
    /// Whether the arm moves straight from each configuration to the next; else only the
    /// configurations are drawn.
    pub moves: bool,
}

/// The sides of a view.
const VIEW: f64 = 520.0;
const BETWEEN: f64 = 28.0;
/// Poses between start and goal that are drawn at most.
const MOST_GHOSTS: usize = 9;
/// Points of the tool's way for each motion of the path.
const WAY_POINTS: usize = 24;
/// The rim of a round shape is drawn by this many points.
const RIM: usize = 24;
/// More points of a cloud than this are drawn as every so manyth.
const MOST_POINTS: usize = 4000;

const OBSTACLE_COLOUR: &str = "#6B7480";
/// Of an obstacle that is deeper than this, in metres, most is to be seen.
const DEEP: f64 = 0.2;
const START_COLOUR: &str = "#009E73";
const GOAL_COLOUR: &str = "#D55E00";
const GHOST_COLOUR: &str = "#56B4E9";

/// From where one looks: which axes go right and up, and which comes towards the eye.
struct View {
    name: &'static str,
    right: usize,
    up: usize,
    /// The axis of depth, and whether more of it is nearer.
    depth: (usize, f64),
}

const VIEWS: [View; 2] = [
    View {
        name: "from the side (x, z)",
        right: 0,
        up: 2,
        depth: (1, -1.0),
    },
    View {
        name: "from above (x, y)",
        right: 0,
        up: 1,
        depth: (2, 1.0),
    },
];

impl ArmPicture<'_> {
    /// The picture as an SVG document.
    #[must_use]
    pub fn svg(&self) -> String {
        let (left, top) = (MARGIN, below_head(self.subtitle));
        let room = 2.0 * VIEW + BETWEEN;
        let mut canvas = Canvas::new(room + 2.0 * MARGIN, top + VIEW + 56.0 + MARGIN);
        draw_head(&mut canvas, self.title, self.subtitle, room);
        let drawn = self.bodies();
        let way = self.tool_way();
        let extent = extent(&drawn, &way);
        for (place, view) in VIEWS.iter().enumerate() {
            let at = [left + place as f64 * (VIEW + BETWEEN), top];
            self.draw_view(&mut canvas, view, at, &drawn, &way, extent);
        }
        self.draw_legend(&mut canvas, [left, top + VIEW + 44.0]);
        canvas.finish()
    }

    /// Writes the picture as SVG or, at twice the size, PNG, by the extension of `path`.
    ///
    /// # Errors
    /// If the extension is another one or the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        write_as_named(&self.svg(), path.as_ref())
    }

    /// The arm's shapes in each of the poses that are drawn, later ones above earlier ones.
    fn bodies(&self) -> Vec<(Look, Vec<Placed>)> {
        let kinematics = self.arm.kinematics();
        let mut poses = kinematics.poses(1);
        let mut shapes_in = |q: &[f64]| -> Vec<Placed> {
            kinematics.compute(q, &mut poses);
            let links = self.arm.robot().links().iter().enumerate();
            let own = links.flat_map(|(i, link)| link.collision.iter().map(move |c| (i, c)));
            let held = self.scene.attached.iter().flat_map(|held| {
                let link = self.arm.robot().link(&held.link);
                let shapes = link.map(|link| held.object.shapes.iter().map(move |s| (link, s)));
                shapes.into_iter().flatten()
            });
            own.chain(held)
                .map(|(link, placed)| Placed {
                    shape: placed.shape.clone(),
                    pose: poses.of(0)[link].then(&placed.pose),
                })
                .collect()
        };
        let mut drawn = Vec::new();
        let [start, between @ .., goal] = self.path else {
            return self
                .path
                .iter()
                .map(|q| (Look::Start, shapes_in(q)))
                .collect();
        };
        let every = between.len().div_ceil(MOST_GHOSTS).max(1);
        for q in between.iter().step_by(every) {
            drawn.push((Look::Ghost, shapes_in(q)));
        }
        drawn.push((Look::Start, shapes_in(start)));
        drawn.push((Look::Goal, shapes_in(goal)));
        drawn
    }

    /// The way of the arm's tool.
    fn tool_way(&self) -> Vec<[f64; 3]> {
        if !self.moves {
            return Vec::new();
        }
        let kinematics = self.arm.kinematics();
        let mut poses = kinematics.poses(1);
        let mut q = vec![0.0; self.arm.dimension()];
        let mut way = Vec::new();
        for pair in self.path.windows(2) {
            for step in 0..=WAY_POINTS {
                let share = step as f64 / WAY_POINTS as f64;
                self.arm
                    .space()
                    .interpolate(pair[0], pair[1], share, &mut q);
                kinematics.compute(&q, &mut poses);
                way.push(poses.of(0)[self.arm.tool()].translation);
            }
        }
        way
    }

    fn draw_view(
        &self,
        canvas: &mut Canvas,
        view: &View,
        [left, top]: [f64; 2],
        drawn: &[(Look, Vec<Placed>)],
        way: &[[f64; 3]],
        (middle, half): ([f64; 3], f64),
    ) {
        canvas.element(format_args!(
            "<g transform=\"translate({left:.2} {top:.2})\">\n<svg width=\"{VIEW}\" height=\"{VIEW}\">"
        ));
        let scale = VIEW / (2.0 * half);
        let place = |p: [f64; 3]| {
            [
                (p[view.right] - middle[view.right] + half) * scale,
                (middle[view.up] + half - p[view.up]) * scale,
            ]
        };
        let shapes = self.scene.objects.iter().flat_map(|o| &o.shapes);
        let mut obstacles: Vec<&Placed> = shapes.collect();
        let nearness = |placed: &Placed| view.depth.1 * placed.pose.translation[view.depth.0];
        obstacles.sort_by(|a, b| nearness(a).total_cmp(&nearness(b)));
        for placed in obstacles {
            let (low, high) = placed.shape.bounds(&placed.pose);
            let depth = high[view.depth.0] - low[view.depth.0];
            let opacity = 0.12 + 0.7 * (1.0 - (-depth.abs() / DEEP).exp());
            let style = format!(
                "fill=\"{OBSTACLE_COLOUR}\" fill-opacity=\"{opacity:.2}\" stroke=\"#4A525C\" \
                 stroke-width=\"1\" stroke-linejoin=\"round\""
            );
            // What has no end is cut off well outside of the view.
            draw_shape(canvas, placed, &style, 4.0 * half, &place);
        }
        for (look, shapes) in drawn {
            canvas.element(format_args!("<g opacity=\"{}\">", look.opacity()));
            let mut shapes: Vec<&Placed> = shapes.iter().collect();
            shapes.sort_by(|a, b| nearness(a).total_cmp(&nearness(b)));
            let colour = look.colour();
            let style = format!("fill=\"{colour}\" stroke=\"#FFFFFF\" stroke-width=\"0.8\"");
            for placed in shapes {
                draw_shape(canvas, placed, &style, 4.0 * half, &place);
            }
            canvas.element("</g>");
        }
        let mut data = String::new();
        for (i, p) in way.iter().enumerate() {
            let [x, y] = place(*p);
            let _ = write!(data, "{}{x:.2} {y:.2}", if i == 0 { "M" } else { "L" });
        }
        canvas.path(
            &data,
            "stroke=\"#FFFFFF\" stroke-width=\"5\" stroke-linejoin=\"round\"",
        );
        canvas.path(
            &data,
            &format!("stroke=\"{PATH_COLOUR}\" stroke-width=\"2.5\" stroke-linejoin=\"round\""),
        );
        canvas.element("</svg>");
        canvas.element(format_args!(
            "<rect width=\"{VIEW}\" height=\"{VIEW}\" fill=\"none\" stroke=\"#333333\"/>"
        ));
        canvas.text(
            [VIEW / 2.0, VIEW + 18.0],
            13.0,
            "#333333",
            Anchor::Middle,
            view.name,
        );
        // A tenth of a metre, or a round part of the view.
        let ruler = [1.0, 0.5, 0.2, 0.1, 0.05, 0.02, 0.01]
            .into_iter()
            .find(|r| r * scale < VIEW / 4.0)
            .unwrap_or(0.01);
        let (x, y) = (VIEW - 14.0, VIEW - 14.0);
        let stroke = "stroke=\"#333333\" stroke-width=\"2\"";
        canvas.line([x - ruler * scale, y], [x, y], stroke);
        canvas.text(
            [x, y - 6.0],
            12.0,
            "#333333",
            Anchor::End,
            &format!("{ruler} m"),
        );
        canvas.element("</g>");
    }

    fn draw_legend(&self, canvas: &mut Canvas, [left, y]: [f64; 2]) {
        let mut x = left;
        let mut entries = vec![(START_COLOUR, "start"), (GOAL_COLOUR, "goal")];
        if self.path.len() > 2 {
            entries.push((GHOST_COLOUR, "on the way"));
        }
        if self.moves {
            entries.push((PATH_COLOUR, "way of the tool"));
        }
        entries.push((OBSTACLE_COLOUR, "obstacles"));
        for (colour, name) in entries {
            canvas.element(format_args!(
                "<rect x=\"{x:.2}\" y=\"{:.2}\" width=\"14\" height=\"14\" fill=\"{colour}\"/>",
                y - 12.0
            ));
            canvas.text([x + 20.0, y], 13.0, "#333333", Anchor::Start, name);
            x += 44.0 + 7.5 * name.len() as f64;
        }
    }
}

/// How a pose of the arm is drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Look {
    Start,
    Goal,
    Ghost,
}

impl Look {
    fn colour(self) -> &'static str {
        match self {
            Self::Start => START_COLOUR,
            Self::Goal => GOAL_COLOUR,
            Self::Ghost => GHOST_COLOUR,
        }
    }

    fn opacity(self) -> f64 {
        match self {
            Self::Start | Self::Goal => 0.85,
            Self::Ghost => 0.28,
        }
    }
}

/// The middle of everything that the arm does, and how far the views go from there.
fn extent(drawn: &[(Look, Vec<Placed>)], way: &[[f64; 3]]) -> ([f64; 3], f64) {
    let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    let bounds = drawn.iter().flat_map(|(_, shapes)| shapes).flat_map(|s| {
        let (low, high) = s.shape.bounds(&s.pose);
        [low, high]
    });
    for p in bounds.chain(way.iter().copied()) {
        for i in 0..3 {
            low[i] = low[i].min(p[i]);
            high[i] = high[i].max(p[i]);
        }
    }
    let middle = [0, 1, 2].map(|i| low[i].midpoint(high[i]));
    let half = (0..3)
        .map(|i| (high[i] - low[i]) / 2.0)
        .fold(0.05, f64::max);
    match middle.iter().all(|m| m.is_finite()) && half.is_finite() {
        // Some of what stands around is to be seen too.
        true => (middle, 1.25 * half),
        false => ([0.0; 3], 1.0),
    }
}

/// Draws the shadow of a shape.
fn draw_shape(
    canvas: &mut Canvas,
    placed: &Placed,
    style: &str,
    far: f64,
    place: &impl Fn([f64; 3]) -> [f64; 2],
) {
    if let Shape::Points(cloud) = &placed.shape {
        let every = cloud.points.len().div_ceil(MOST_POINTS).max(1);
        let size = {
            let [a, b] = [[0.0; 3], [cloud.radius; 3]].map(place);
            (b[0] - a[0]).abs().max(1.0)
        };
        for point in cloud.points.iter().step_by(every) {
            let [x, y] = place(placed.pose.apply(*point));
            canvas.element(format_args!(
                "<circle cx=\"{x:.2}\" cy=\"{y:.2}\" r=\"{size:.2}\" {style}/>"
            ));
        }
        return;
    }
    let mut shadow: Vec<[f64; 2]> = outline(&placed.shape, far)
        .into_iter()
        .map(|p| place(placed.pose.apply(p)))
        .collect();
    // A ball's rim depends on the view: its points are around it on all sides.
    shadow = hull(shadow);
    let points: String = shadow
        .iter()
        .map(|[x, y]| format!("{x:.2},{y:.2} "))
        .collect();
    canvas.element(format_args!(
        "<polygon points=\"{}\" {style}/>",
        points.trim_end()
    ));
}

/// Points in a shape's frame whose hull is the shape, or close to it.
fn outline(shape: &Shape, far: f64) -> Vec<[f64; 3]> {
    let circle = |radius: f64, z: f64| {
        (0..RIM).map(move |i| {
            let (s, c) = (TAU * i as f64 / RIM as f64).sin_cos();
            [radius * c, radius * s, z]
        })
    };
    let ball = |radius: f64, z: f64| {
        (0..=RIM / 2).flat_map(move |ring| {
            let (s, c) = (TAU * ring as f64 / RIM as f64).sin_cos();
            circle(radius * s, z + radius * c).collect::<Vec<_>>()
        })
    };
    let corners = |half: [f64; 3]| {
        (0..8)
            .map(|i| {
                [0, 1, 2].map(|axis| {
                    if i >> axis & 1 == 0 {
                        -half[axis]
                    } else {
                        half[axis]
                    }
                })
            })
            .collect()
    };
    match shape {
        Shape::Box(half) => corners(*half),
        Shape::Sphere { radius } => ball(*radius, 0.0).collect(),
        Shape::Cylinder {
            radius,
            half_height,
        } => circle(*radius, -half_height)
            .chain(circle(*radius, *half_height))
            .collect(),
        Shape::Capsule {
            radius,
            half_height,
        } => ball(*radius, -half_height)
            .chain(ball(*radius, *half_height))
            .collect(),
        Shape::HalfSpace => corners([far, far, far / 2.0])
            .into_iter()
            .map(|[x, y, z]| [x, y, z - far / 2.0])
            .collect(),
        Shape::Mesh(mesh) => mesh.vertices().to_vec(),
        Shape::Heightfield(_) | Shape::Points(_) => {
            let (low, high) = shape.bounds(&Pose::IDENTITY);
            let half = [0, 1, 2].map(|i| (high[i] - low[i]) / 2.0);
            let middle = [0, 1, 2].map(|i| low[i].midpoint(high[i]));
            corners(half)
                .into_iter()
                .map(|p: [f64; 3]| [0, 1, 2].map(|i| p[i] + middle[i]))
                .collect()
        }
    }
}

/// The convex hull of points in the plane, by Andrew's monotone chain.
fn hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    points.dedup();
    if points.len() < 3 {
        return points;
    }
    let turn = |o: [f64; 2], a: [f64; 2], b: [f64; 2]| {
        (a[0] - o[0]) * (b[1] - o[1]) - (a[1] - o[1]) * (b[0] - o[0])
    };
    let mut hull: Vec<[f64; 2]> = Vec::with_capacity(2 * points.len());
    for pass in 0..2 {
        let begun = hull.len();
        let mut add = |p: [f64; 2]| {
            while hull.len() >= begun + 2
                && turn(hull[hull.len() - 2], hull[hull.len() - 1], p) <= 0.0
            {
                hull.pop();
            }
            hull.push(p);
        };
        match pass {
            0 => points.iter().copied().for_each(&mut add),
            _ => points.iter().rev().copied().for_each(&mut add),
        }
        // The last point of a pass is the first of the next.
        hull.pop();
    }
    hull
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp_arm::models;

    #[test]
    fn a_hull_is_what_is_outside() {
        let square = vec![
            [0.0, 0.0],
            [1.0, 0.0],
            [0.5, 0.5],
            [1.0, 1.0],
            [0.0, 1.0],
            [0.5, 0.0],
        ];
        let mut found = hull(square);
        found.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert_eq!(found, [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]);
    }

    #[test]
    fn both_views_show_arm_scene_and_way() {
        let (robot, semantics) = models::panda_like();
        let arm = Arm::new(robot, &semantics, "arm").unwrap();
        let home = [0.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
        let turned = [1.0, -0.785, 0.0, -2.356, 0.0, 1.571, 0.785];
        let end = [1.0, 0.5, 0.0, -1.5, 0.0, 1.571, 0.785];
        let mut scene = Scene::default();
        scene.objects.push(psmp_arm::Object {
            name: "floor".to_owned(),
            shapes: vec![Placed {
                shape: Shape::HalfSpace,
                pose: Pose::IDENTITY,
            }],
        });
        let picture = ArmPicture {
            title: "A <turn>",
            subtitle: "",
            arm: &arm,
            scene: &scene,
            path: &[&home, &turned, &end],
            moves: true,
        };
        let svg = picture.svg();
        let shapes = arm
            .robot()
            .links()
            .iter()
            .map(|l| l.collision.len())
            .sum::<usize>();
        // Three poses of all links and the floor, from two sides.
        assert_eq!(svg.matches("<polygon").count(), 2 * (3 * shapes + 1));
        assert!(svg.contains("from the side") && svg.contains("from above"));
        assert!(svg.contains("A &lt;turn&gt;") && svg.contains("way of the tool"));
        assert!(!svg.contains("NaN") && !svg.contains("inf"));
        assert!(crate::drawing::render(&svg).is_ok());
    }
}
