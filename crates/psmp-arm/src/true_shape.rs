//! True shapes, and whether two of them are farther apart than a margin.
//!
//! Nothing here measures a distance: the question is always whether there is more room than so much,
//! and a bound that answers it is enough. Convex shapes are asked by GJK, which ends as soon as a
//! direction separates them that far, and every such direction is tried once more before it is
//! believed. A mesh that is not convex is a tree of boxes over its triangles, inside its convex hull:
//! hulls that are apart prove that the meshes are, and only else do the trees have to be gone through.
//! Balls, capsules and clouds of points are points and segments with a radius, and a radius is but a
//! greater margin.

use crate::geometry::{Mesh, Shape, around};
use crate::pose::Pose;
use parry3d_f64::math::{Matrix, Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query::gjk::{self, CsoPoint, GJKResult, VoronoiSimplex};
use parry3d_f64::shape::{SupportMap, Triangle};
use parry3d_f64::transformation::try_convex_hull;
use std::cell::Cell;

/// How far a hull may miss a point that it is around, in metres. Hulls that are apart prove that what
/// they are around is, if the gap is greater by this much on both sides.
const HULL_TOLERANCE: f64 = 1e-6;

/// A shape that is ready to be asked about, in its own frame.
pub(crate) struct TrueShape {
    core: Core,
    /// Everything within this of the core belongs to the shape.
    radius: f64,
}

enum Core {
    /// A box by half its sides: also a segment and a point.
    Box(Vector),
    /// A cylinder along z.
    Cylinder { radius: f64, half_height: f64 },
    /// A convex solid.
    Hull(Hull),
    /// Everything at or below z = 0.
    HalfSpace,
    /// Triangles, or points as triangles without extent.
    Pieces(Pieces),
}

/// Triangles in a tree of boxes, and the hull around them where there is one.
struct Pieces {
    triangles: Vec<Triangle>,
    /// The root first.
    nodes: Vec<Node>,
    hull: Option<Hull>,
}

/// A box of a tree, along the axes of the shape's frame.
#[derive(Clone, Copy)]
struct Node {
    middle: [f32; 3],
    half: [f32; 3],
    /// The first of its two children, or its triangle.
    next: u32,
    leaf: bool,
}

/// A convex polyhedron: its corners, and which of them are joined by edges.
struct Hull {
    corners: Vec<Vector>,
    /// Where the neighbours of each corner begin, and end.
    starts: Vec<u32>,
    neighbours: Vec<u32>,
    /// For each octant of directions a corner that is far out.
    outermost: [u32; 8],
}

/// What is kept from question to question, so that nothing is allocated.
#[derive(Clone, Default)]
pub(crate) struct Room {
    stack: Vec<(u32, u32)>,
    simplex: VoronoiSimplex,
}

impl TrueShape {
    pub fn new(shape: &Shape) -> Self {
        let solid = |core: Core| Self { core, radius: 0.0 };
        match shape {
            Shape::Box([x, y, z]) => solid(Core::Box(Vector::new(*x, *y, *z))),
            Shape::Sphere { radius } => Self {
                core: Core::Box(Vector::ZERO),
                radius: *radius,
            },
            Shape::Cylinder {
                radius,
                half_height,
            } => solid(Core::Cylinder {
                radius: *radius,
                half_height: *half_height,
            }),
            Shape::Capsule {
                radius,
                half_height,
            } => Self {
                core: Core::Box(Vector::new(0.0, 0.0, *half_height)),
                radius: *radius,
            },
            Shape::HalfSpace => solid(Core::HalfSpace),
            Shape::Mesh(mesh) => Self::of_mesh(mesh),
            Shape::Heightfield(field) => Self::of_mesh(&field.to_mesh()),
            Shape::Points(cloud) => {
                let points: Vec<Vector> = cloud.points.iter().map(|&p| Vector::from(p)).collect();
                let pieces = points.iter().map(|&p| Triangle::new(p, p, p)).collect();
                Self {
                    core: Core::Pieces(Pieces::new(pieces, Hull::around(&points))),
                    radius: cloud.radius,
                }
            }
        }
    }

    fn of_mesh(mesh: &Mesh) -> Self {
        let corners: Vec<Vector> = mesh.vertices().iter().map(|&v| Vector::from(v)).collect();
        let hull = Hull::around(&corners);
        let core = match hull {
            Some(hull) if mesh.is_convex() => Core::Hull(hull),
            hull => {
                let triangle =
                    |[a, b, c]: [[f64; 3]; 3]| Triangle::new(a.into(), b.into(), c.into());
                Core::Pieces(Pieces::new(mesh.corners().map(triangle).collect(), hull))
            }
        };
        Self { core, radius: 0.0 }
    }

    /// Whether this is farther than `margin` from `other`, which is at `pose` in this one's frame.
    /// `direction` is where to look for a gap first, and then where there was one.
    pub fn farther(
        &self,
        other: &Self,
        pose: &ParryPose,
        margin: f64,
        direction: &mut Vector,
        room: &mut Room,
    ) -> bool {
        let margin = margin + self.radius + other.radius;
        match (&self.core, &other.core) {
            (Core::HalfSpace, Core::HalfSpace) => false,
            (Core::HalfSpace, _) => {
                other.lowest(pose.rotation.inverse() * Vector::Z) + pose.translation.z > margin
            }
            (_, Core::HalfSpace) => {
                let up = pose.rotation * Vector::Z;
                self.lowest(up) - up.dot(pose.translation) > margin
            }
            (one, other) => {
                let (solid, other_solid) = (one.is_solid(), other.is_solid());
                if let (Some(hull), Some(other_hull)) = (one.outer(), other.outer()) {
                    let around = |solid: bool| if solid { 0.0 } else { HULL_TOLERANCE };
                    let wider = margin + around(solid) + around(other_solid);
                    let apart = apart(
                        &hull,
                        &other_hull,
                        pose,
                        wider,
                        direction,
                        &mut room.simplex,
                    );
                    if apart || (solid && other_solid) {
                        return apart;
                    }
                }
                Walk::new(one, other, pose, margin).finds_nothing(room)
            }
        }
    }

    /// How far the core reaches down a direction: the least of its coordinates along it.
    fn lowest(&self, direction: Vector) -> f64 {
        if let Some(outer) = self.core.outer() {
            let slack = if self.core.is_solid() {
                0.0
            } else {
                HULL_TOLERANCE
            };
            return outer.local_support_point(-direction).dot(direction) - slack;
        }
        let Core::Pieces(pieces) = &self.core else {
            return f64::NEG_INFINITY;
        };
        let corners = pieces.triangles.iter().flat_map(|t| [t.a, t.b, t.c]);
        corners
            .map(|c| c.dot(direction))
            .fold(f64::INFINITY, f64::min)
    }
}

impl Core {
    /// Whether it is what its outer shape is.
    fn is_solid(&self) -> bool {
        !matches!(self, Self::Pieces(_))
    }

    /// The convex shape that it is, or that is around it.
    fn outer(&self) -> Option<Convex<'_>> {
        match self {
            Self::Box(half) => Some(Convex::Box(*half)),
            Self::Cylinder {
                radius,
                half_height,
            } => Some(Convex::Cylinder(*radius, *half_height)),
            Self::Hull(hull) => Some(Convex::Hull(hull, Cell::new(u32::MAX))),
            Self::Pieces(pieces) => {
                let hull = pieces.hull.as_ref();
                hull.map(|hull| Convex::Hull(hull, Cell::new(u32::MAX)))
            }
            Self::HalfSpace => None,
        }
    }

    /// The box around all of it.
    fn root(&self) -> Node {
        let (low, high) = match self {
            Self::Pieces(pieces) => return pieces.nodes[0],
            Self::Box(half) => (-*half, *half),
            Self::Cylinder {
                radius,
                half_height,
            } => {
                let half = Vector::new(*radius, *radius, *half_height);
                (-half, half)
            }
            Self::Hull(hull) => {
                let (low, high) = around(hull.corners.iter().map(|c| c.to_array()), 0.0);
                (low.into(), high.into())
            }
            Self::HalfSpace => (Vector::NEG_INFINITY, Vector::INFINITY),
        };
        Node::leaf(low.to_array(), high.to_array(), 0)
    }
}

impl Node {
    /// A box of these bounds, rounded outwards.
    fn leaf(low: [f64; 3], high: [f64; 3], next: u32) -> Self {
        let middle = [0, 1, 2].map(|i| low[i].midpoint(high[i]) as f32);
        let half = [0, 1, 2].map(|i| {
            let middle = f64::from(middle[i]);
            ((high[i] - middle).max(middle - low[i]) as f32).next_up()
        });
        Self {
            middle,
            half,
            next,
            leaf: true,
        }
    }
}

impl Pieces {
    fn new(triangles: Vec<Triangle>, hull: Option<Hull>) -> Self {
        let mut order: Vec<u32> = (0..triangles.len() as u32).collect();
        let mut pieces = Self {
            nodes: Vec::with_capacity(2 * triangles.len()),
            triangles,
            hull,
        };
        if let Some(root) = pieces.bounds(&order) {
            pieces.nodes.push(root);
            pieces.split(0, &mut order);
        }
        pieces
    }

    /// The box around some triangles; its `next` is the first of them.
    fn bounds(&self, order: &[u32]) -> Option<Node> {
        let first = *order.first()?;
        let corners = order.iter().flat_map(|&t| {
            let Triangle { a, b, c } = self.triangles[t as usize];
            [a, b, c].map(|v| v.to_array())
        });
        let (low, high) = around(corners, 0.0);
        Some(Node::leaf(low, high, first))
    }

    /// Makes the children of a node over these triangles: halves along its longest side.
    fn split(&mut self, node: usize, order: &mut [u32]) {
        if order.len() < 2 {
            return;
        }
        let half = self.nodes[node].half;
        let longest = (0..3).max_by(|&i, &j| half[i].total_cmp(&half[j]));
        let axis = longest.unwrap_or(0);
        let middle = |t: u32| {
            let Triangle { a, b, c } = self.triangles[t as usize];
            a[axis] + b[axis] + c[axis]
        };
        let at = order.len() / 2;
        order.select_nth_unstable_by(at, |&s, &t| middle(s).total_cmp(&middle(t)));
        let (low, high) = order.split_at_mut(at);
        let first = self.nodes.len();
        self.nodes[node].next = first as u32;
        self.nodes[node].leaf = false;
        let children = [self.bounds(low), self.bounds(high)];
        self.nodes.extend(children.into_iter().flatten());
        self.split(first, low);
        self.split(first + 1, high);
    }
}

impl Hull {
    /// The hull of points, if they have one with a volume.
    fn around(points: &[Vector]) -> Option<Self> {
        let (corners, faces) = try_convex_hull(points).ok()?;
        let mut edges: Vec<(u32, u32)> = faces
            .iter()
            .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a), (b, a), (c, b), (a, c)])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        let start =
            |corner: usize| edges.partition_point(|&(from, _)| (from as usize) < corner) as u32;
        let mut hull = Self {
            starts: (0..=corners.len()).map(start).collect(),
            neighbours: edges.iter().map(|&(_, to)| to).collect(),
            corners,
            outermost: [0; 8],
        };
        for octant in 0..8 {
            let sign = |axis: usize| if octant >> axis & 1 == 1 { -1.0 } else { 1.0 };
            let direction = Vector::new(sign(0), sign(1), sign(2));
            let value = |&i: &u32| hull.corners[i as usize].dot(direction);
            let corners = 0..hull.corners.len() as u32;
            let best = corners.max_by(|i, j| value(i).total_cmp(&value(j)));
            hull.outermost[octant] = best.unwrap_or(0);
        }
        hull.holds(points).then_some(hull)
    }

    /// Whether no point is farther outside than what is tolerated.
    fn holds(&self, points: &[Vector]) -> bool {
        let convex = || Convex::Hull(self, Cell::new(u32::MAX));
        let (mut direction, mut simplex) = (Vector::X, VoronoiSimplex::new());
        points.iter().all(|&point| {
            let pose = ParryPose::from_translation(point);
            let point = Convex::Box(Vector::ZERO);
            !apart(
                &convex(),
                &point,
                &pose,
                HULL_TOLERANCE / 2.0,
                &mut direction,
                &mut simplex,
            )
        })
    }

    /// The corner farthest in a direction, found by going from neighbour to neighbour.
    fn farthest(&self, direction: Vector, start: u32) -> u32 {
        let mut at = match start {
            u32::MAX => {
                let octant = usize::from(direction.x < 0.0)
                    | usize::from(direction.y < 0.0) << 1
                    | usize::from(direction.z < 0.0) << 2;
                self.outermost[octant]
            }
            at => at,
        };
        let mut best = self.corners[at as usize].dot(direction);
        loop {
            let neighbours =
                self.starts[at as usize] as usize..self.starts[at as usize + 1] as usize;
            let before = at;
            for &next in &self.neighbours[neighbours] {
                let value = self.corners[next as usize].dot(direction);
                if value > best {
                    (best, at) = (value, next);
                }
            }
            if at == before {
                return at;
            }
        }
    }
}

/// Something convex, as GJK asks for it.
enum Convex<'a> {
    Box(Vector),
    Cylinder(f64, f64),
    /// With the corner found last, where the next search begins.
    Hull(&'a Hull, Cell<u32>),
    Triangle(&'a Triangle),
}

impl SupportMap for Convex<'_> {
    #[inline]
    fn local_support_point(&self, direction: Vector) -> Vector {
        match self {
            Self::Box(half) => half.copysign(direction),
            Self::Cylinder(radius, half_height) => {
                let across = Vector::new(direction.x, direction.y, 0.0);
                let rim = across.normalize_or_zero() * *radius;
                Vector::new(rim.x, rim.y, half_height.copysign(direction.z))
            }
            Self::Hull(hull, last) => {
                last.set(hull.farthest(direction, last.get()));
                hull.corners[last.get() as usize]
            }
            Self::Triangle(triangle) => triangle.local_support_point(direction),
        }
    }
}

/// Whether two convex shapes are farther apart than a margin. `direction` is tried first, and becomes
/// one that separates them.
fn apart(
    one: &Convex<'_>,
    other: &Convex<'_>,
    pose: &ParryPose,
    margin: f64,
    direction: &mut Vector,
    simplex: &mut VoronoiSimplex,
) -> bool {
    // GJK looks where one shape would have to go to meet the other: the gap is behind it.
    let gap = |point: &CsoPoint, direction: Vector| -point.point.dot(direction);
    let first = CsoPoint::from_shapes(pose, one, other, *direction);
    if gap(&first, *direction) > margin {
        return true;
    }
    simplex.reset(first);
    let found = match gjk::closest_points(pose, one, other, margin, false, simplex) {
        GJKResult::NoIntersection(found) | GJKResult::Proximity(found) => found,
        GJKResult::Intersection | GJKResult::ClosestPoints(..) => return false,
    };
    // Not all that GJK gives up on is apart.
    let last = CsoPoint::from_shapes(pose, one, other, found);
    let apart = gap(&last, found) > margin;
    if apart {
        *direction = found;
    }
    apart
}

/// A walk down two trees at once, for pieces that are within a margin. What is convex is a tree of
/// one box.
struct Walk<'a> {
    one: &'a Core,
    other: &'a Core,
    pose: &'a ParryPose,
    margin: f64,
    /// The axes of the other's frame in this one's, as columns, and how far they go along each axis;
    /// then the same the other way.
    rotation: Matrix,
    lengths: Matrix,
    back: Matrix,
    back_lengths: Matrix,
}

impl<'a> Walk<'a> {
    fn new(one: &'a Core, other: &'a Core, pose: &'a ParryPose, margin: f64) -> Self {
        let rotation = Matrix::from_quat(pose.rotation);
        Self {
            one,
            other,
            pose,
            margin,
            lengths: rotation.abs(),
            back: rotation.transpose(),
            back_lengths: rotation.transpose().abs(),
            rotation,
        }
    }

    fn finds_nothing(&self, room: &mut Room) -> bool {
        let roots = (self.one.root(), self.other.root());
        if self.boxes_near(&roots.0, &roots.1).is_none() {
            return true;
        }
        room.stack.clear();
        room.stack.push((0, 0));
        while let Some((a, b)) = room.stack.pop() {
            let (one, other) = (node(self.one, &roots.0, a), node(self.other, &roots.1, b));
            if one.leaf && other.leaf {
                if !self.pieces_apart(one.next, other.next, &mut room.simplex) {
                    return false;
                }
                continue;
            }
            // The greater box gives way to its halves, the nearer of which is looked at first.
            let halves = match other.leaf || (!one.leaf && size(one) > size(other)) {
                true => [(one.next, b), (one.next + 1, b)],
                false => [(a, other.next), (a, other.next + 1)],
            };
            let near = halves.map(|(a, b)| {
                self.boxes_near(node(self.one, &roots.0, a), node(self.other, &roots.1, b))
            });
            match near {
                [Some(first), Some(second)] => {
                    let [one, other] = halves;
                    let farther_first = if first < second {
                        [other, one]
                    } else {
                        [one, other]
                    };
                    room.stack.extend(farther_first);
                }
                [Some(_), None] => room.stack.push(halves[0]),
                [None, Some(_)] => room.stack.push(halves[1]),
                [None, None] => {}
            }
        }
        true
    }

    /// The square of the distance of the middles of two boxes, unless the boxes are certainly farther
    /// apart than the margin: along a side of one of them or, for leaves, across a side of each.
    #[inline]
    fn boxes_near(&self, one: &Node, other: &Node) -> Option<f64> {
        let (half, other_half) = (wide(one.half), wide(other.half));
        let (r, l) = (&self.rotation, &self.lengths);
        let between = self.pose.translation + *r * wide(other.middle) - wide(one.middle);
        let gaps = between.abs() - half - *l * other_half;
        if gaps.max_element() > self.margin {
            return None;
        }
        let gaps = (self.back * between).abs() - other_half - self.back_lengths * half;
        if gaps.max_element() > self.margin {
            return None;
        }
        // Across is seldom where a gap is, so that going on costs less than looking there.
        if one.leaf && other.leaf && self.apart_across(between, half, other_half) {
            return None;
        }
        Some(between.length_squared())
    }

    /// Whether two boxes are certainly farther apart than the margin across a side of each.
    fn apart_across(&self, between: Vector, half: Vector, other_half: Vector) -> bool {
        let (r, l) = (&self.rotation, &self.lengths);
        for j in 0..3 {
            let (column, length) = (r.col(j), l.col(j));
            let (u, v) = ((j + 1) % 3, (j + 2) % 3);
            for i in 0..3 {
                let (p, q) = ((i + 1) % 3, (i + 2) % 3);
                let way = between[q] * column[p] - between[p] * column[q];
                let reach = half[p] * length[q]
                    + half[q] * length[p]
                    + other_half[u] * l.col(v)[i]
                    + other_half[v] * l.col(u)[i];
                // The axis is no longer than one, so that this asks for a little too much.
                if way.abs() - reach > self.margin {
                    return true;
                }
            }
        }
        false
    }

    fn pieces_apart(&self, a: u32, b: u32, simplex: &mut VoronoiSimplex) -> bool {
        let (Some(one), Some(other)) = (piece(self.one, a), piece(self.other, b)) else {
            return false;
        };
        let to = self.pose.translation;
        let mut direction = to.try_normalize().unwrap_or(Vector::X);
        if let (Convex::Triangle(s), Convex::Triangle(t)) = (&one, &other) {
            let [a, b, c] = [t.a, t.b, t.c].map(|v| self.rotation * v + to);
            let flat = (s.b - s.a).cross(s.c - s.a);
            let heights = [a, b, c].map(|v| (v - s.a).dot(flat));
            let far = self.margin * flat.length();
            if heights.iter().all(|&h| h > far) || heights.iter().all(|&h| h < -far) {
                return true;
            }
            let flat = (b - a).cross(c - a);
            let heights = [s.a, s.b, s.c].map(|v| (v - a).dot(flat));
            let far = self.margin * flat.length();
            if heights.iter().all(|&h| h > far) || heights.iter().all(|&h| h < -far) {
                return true;
            }
            direction = ((a + b + c) - (s.a + s.b + s.c))
                .try_normalize()
                .unwrap_or(direction);
        }
        apart(
            &one,
            &other,
            self.pose,
            self.margin,
            &mut direction,
            simplex,
        )
    }
}

fn node<'a>(core: &'a Core, root: &'a Node, index: u32) -> &'a Node {
    match core {
        Core::Pieces(pieces) => &pieces.nodes[index as usize],
        _ => root,
    }
}

/// A leaf's piece: the triangle, or all of what is convex.
fn piece(core: &Core, index: u32) -> Option<Convex<'_>> {
    match core {
        Core::Pieces(pieces) => Some(Convex::Triangle(&pieces.triangles[index as usize])),
        convex => convex.outer(),
    }
}

fn size(node: &Node) -> f32 {
    let [x, y, z] = node.half;
    x + y + z
}

#[inline]
fn wide([x, y, z]: [f32; 3]) -> Vector {
    Vector::new(f64::from(x), f64::from(y), f64::from(z))
}

/// A pose as these shapes take it.
pub(crate) fn to_parry_pose(pose: &Pose) -> ParryPose {
    let r = &pose.rotation;
    let column = |c: usize| Vector::new(r[0][c], r[1][c], r[2][c]);
    let matrix = Matrix::from_cols(column(0), column(1), column(2));
    ParryPose::from_parts(pose.translation.into(), Rotation::from_mat3(&matrix))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exact::to_parry;
    use crate::geometry::{Heightfield, PointCloud};
    use parry3d_f64::query;
    use std::sync::Arc;

    /// Numbers in [-1, 1) from a seed.
    fn random(seed: u64) -> impl FnMut() -> f64 {
        let mut index = 0;
        move || {
            index += 1;
            2.0 * psmp::Draw::new(seed, index).unit(0) - 1.0
        }
    }

    /// A ring of square section, which is not convex and closed.
    fn ring() -> Shape {
        const SIDES: u32 = 12;
        let mut vertices = Vec::new();
        for i in 0..SIDES {
            let (sine, cosine) =
                (std::f64::consts::TAU * f64::from(i) / f64::from(SIDES)).sin_cos();
            for (out, up) in [(0.2, -0.05), (0.3, -0.05), (0.3, 0.05), (0.2, 0.05)] {
                vertices.push([out * cosine, out * sine, up]);
            }
        }
        let mut triangles = Vec::new();
        for i in 0..SIDES {
            let next = (i + 1) % SIDES;
            for k in 0..4 {
                let [a, b, c, d] = [
                    4 * i + k,
                    4 * next + k,
                    4 * next + (k + 1) % 4,
                    4 * i + (k + 1) % 4,
                ];
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        Shape::Mesh(Arc::new(Mesh::new(vertices, triangles).unwrap()))
    }

    fn shapes() -> Vec<Shape> {
        let mut dice = random(3);
        let points = (0..60).map(|_| [0.2 * dice(), 0.2 * dice(), 0.2 * dice()]);
        let cloud = PointCloud::new(points.collect(), 0.02).unwrap();
        let heights = vec![0.1, 0.0, 0.2, 0.0, 0.05, 0.3, 0.1, 0.0, 0.2];
        let flat = Mesh::new(
            vec![[0.0; 3], [0.3, 0.0, 0.0], [0.0, 0.2, 0.0]],
            vec![[0, 1, 2]],
        );
        vec![
            Shape::cuboid([0.2, 0.3, 0.4]).unwrap(),
            Shape::sphere(0.15).unwrap(),
            Shape::cylinder(0.1, 0.4).unwrap(),
            Shape::capsule(0.08, 0.3).unwrap(),
            Shape::cone(0.2, 0.4).unwrap(),
            Shape::HalfSpace,
            ring(),
            Shape::Mesh(Arc::new(flat.unwrap())),
            Shape::Heightfield(Arc::new(Heightfield::new(3, [0.5, 0.5], heights).unwrap())),
            Shape::Points(Arc::new(cloud)),
        ]
    }

    /// Any two shapes, anywhere: there is more room than a margin if and only if parry's distance is
    /// greater.
    #[test]
    fn margins_agree_with_distances() {
        let all: Vec<(Shape, TrueShape)> = shapes()
            .into_iter()
            .map(|shape| (shape.clone(), TrueShape::new(&shape)))
            .collect();
        let mut random = random(1);
        let mut room = Room::default();
        for (shape, ready) in &all {
            let (mut farther, mut nearer) = (0, 0);
            for (other, other_ready) in &all {
                if matches!((shape, other), (Shape::HalfSpace, Shape::HalfSpace)) {
                    continue;
                }
                // The direction is left over from another pose each time.
                let mut direction = Vector::X;
                for _ in 0..60 {
                    let [place, turn] =
                        [0.5, 3.0].map(|s| [s * random(), s * random(), s * random()]);
                    let pose = to_parry_pose(&Pose::from_xyz_rpy(place, turn));
                    let identity = ParryPose::IDENTITY;
                    let distance =
                        query::distance(&identity, &*to_parry(shape).0, &pose, &*to_parry(other).0);
                    let distance = distance.unwrap().distance;
                    for margin in [
                        0.0,
                        0.03 * (1.0 + random()),
                        distance - 1e-4,
                        distance + 1e-4,
                    ] {
                        if margin < 0.0 || (distance - margin).abs() < 1e-5 {
                            continue;
                        }
                        let found =
                            ready.farther(other_ready, &pose, margin, &mut direction, &mut room);
                        assert_eq!(
                            found,
                            distance > margin,
                            "{shape:?} {other:?} {pose:?}: {distance} {margin}"
                        );
                        farther += usize::from(found);
                        nearer += usize::from(!found);
                    }
                }
            }
            assert!(
                farther > 100 && nearer > 100,
                "{shape:?}: {farther} {nearer}"
            );
        }
    }
}
