//! Obstacles as the sphere checker sees them: does a ball touch, and how far away is its middle.

use crate::block::{Block, splat_point, store_point};
use crate::exact::trimesh;
use crate::geometry::{Placed, PointCloud, Shape};
use crate::pose::Pose;
use parry3d_f64::math::Vector;
use parry3d_f64::query::PointQuery;
use parry3d_f64::shape::TriMesh;
use std::sync::Arc;

/// Farther than this nobody asks how far away a detailed thing is, in metres.
const FAR: f64 = 0.1;

/// A box anywhere.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OrientedBox {
    /// The axes by rows, and minus the middle along each.
    axes: [[f32; 3]; 3],
    offset: [f32; 3],
    half: [f32; 3],
}

/// A solid cylinder anywhere.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Cylinder {
    axes: [[f32; 3]; 3],
    offset: [f32; 3],
    radius: f32,
    half_height: f32,
}

/// All points within a radius of a segment; a ball where the segment has no length.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Capsule {
    middle: [f32; 3],
    direction: [f32; 3],
    half_height: f32,
    radius: f32,
}

/// Everything on one side of a plane.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HalfSpace {
    normal: [f32; 3],
    offset: f32,
}

/// Something that is asked lane by lane, behind a box around it.
#[derive(Clone)]
pub(crate) struct Detailed {
    pub bounds: OrientedBox,
    to_local: Pose,
    detail: Detail,
}

#[derive(Clone)]
enum Detail {
    Mesh(Arc<TriMesh>),
    Points(Arc<PointGrid>),
}

/// The obstacles that one body is checked against, kind by kind.
#[derive(Clone, Default)]
pub(crate) struct Obstacles {
    pub boxes: Vec<Numbered<OrientedBox>>,
    pub cylinders: Vec<Numbered<Cylinder>>,
    pub capsules: Vec<Numbered<Capsule>>,
    pub half_spaces: Vec<Numbered<HalfSpace>>,
    pub detailed: Vec<Numbered<Detailed>>,
}

/// An obstacle and its place among the shapes of the scene.
#[derive(Clone)]
pub(crate) struct Numbered<S> {
    pub solid: S,
    pub number: u32,
}

/// What a ball is tested against.
pub(crate) trait Solid {
    /// A bit for each lane whose ball touches.
    fn touches<B: Block>(&self, token: B::Token, middle: [B; 3], radius: f32) -> u8;
    /// How far each point is away, at least; zero inside.
    fn distance<B: Block>(&self, token: B::Token, point: [B; 3]) -> B;
}

/// A solid whose distance is the root of what is computed.
trait SquareDistance {
    fn square_distance<B: Block>(&self, token: B::Token, point: [B; 3]) -> B;
}

impl<T: SquareDistance> Solid for T {
    #[inline(always)]
    fn touches<B: Block>(&self, token: B::Token, middle: [B; 3], radius: f32) -> u8 {
        self.square_distance(token, middle).within(radius * radius)
    }
    #[inline(always)]
    fn distance<B: Block>(&self, token: B::Token, point: [B; 3]) -> B {
        self.square_distance(token, point).root()
    }
}

/// A point in the frame of these axes.
#[inline(always)]
fn local<B: Block>(
    token: B::Token,
    axes: &[[f32; 3]; 3],
    offset: [f32; 3],
    point: [B; 3],
) -> [B; 3] {
    [
        along(token, axes[0], offset[0], point),
        along(token, axes[1], offset[1], point),
        along(token, axes[2], offset[2], point),
    ]
}

/// How far a point is along a direction, and an offset.
#[inline(always)]
fn along<B: Block>(token: B::Token, [u, v, w]: [f32; 3], offset: f32, [x, y, z]: [B; 3]) -> B {
    let sum = x.times_plus(u, B::splat(token, offset));
    z.times_plus(w, y.times_plus(v, sum))
}

/// How far a coordinate is beyond a range about zero.
#[inline(always)]
fn beyond<B: Block>(token: B::Token, value: B, half: f32) -> B {
    (value.abs() - B::splat(token, half)).at_least(0.0)
}

fn axes_of(pose: &Pose) -> ([[f32; 3]; 3], [f32; 3]) {
    let back = pose.inverse().cast::<f32>();
    (back.rotation, back.translation)
}

#[inline(always)]
fn square<B: Block>([x, y, z]: [B; 3]) -> B {
    z.mul_plus(z, y.mul_plus(y, x * x))
}

impl OrientedBox {
    pub fn new(pose: &Pose, half: [f64; 3]) -> Self {
        let (axes, offset) = axes_of(pose);
        Self {
            axes,
            offset,
            half: half.map(|v| v as f32),
        }
    }
}

impl SquareDistance for OrientedBox {
    #[inline(always)]
    fn square_distance<B: Block>(&self, token: B::Token, point: [B; 3]) -> B {
        let [x, y, z] = local(token, &self.axes, self.offset, point);
        square([
            beyond(token, x, self.half[0]),
            beyond(token, y, self.half[1]),
            beyond(token, z, self.half[2]),
        ])
    }
}

impl SquareDistance for Cylinder {
    #[inline(always)]
    fn square_distance<B: Block>(&self, token: B::Token, point: [B; 3]) -> B {
        let [x, y, z] = local(token, &self.axes, self.offset, point);
        let out = (y.mul_plus(y, x * x).root() - B::splat(token, self.radius)).at_least(0.0);
        let up = beyond(token, z, self.half_height);
        up.mul_plus(up, out * out)
    }
}

impl Capsule {
    #[inline(always)]
    fn square_distance_to_segment<B: Block>(&self, token: B::Token, point: [B; 3]) -> B {
        let [a, b, c] = splat_point::<B>(token, self.middle);
        let [x, y, z] = [point[0] - a, point[1] - b, point[2] - c];
        let [u, v, w] = self.direction;
        let along = z.times_plus(w, y.times_plus(v, x.times(u)));
        let along = along.at_least(-self.half_height).at_most(self.half_height);
        square([
            along.times_plus(-u, x),
            along.times_plus(-v, y),
            along.times_plus(-w, z),
        ])
    }
}

impl Solid for Capsule {
    #[inline(always)]
    fn touches<B: Block>(&self, token: B::Token, middle: [B; 3], radius: f32) -> u8 {
        let limit = self.radius + radius;
        self.square_distance_to_segment(token, middle)
            .within(limit * limit)
    }
    #[inline(always)]
    fn distance<B: Block>(&self, token: B::Token, point: [B; 3]) -> B {
        let gap = self.square_distance_to_segment(token, point).root();
        (gap - B::splat(token, self.radius)).at_least(0.0)
    }
}

impl HalfSpace {
    #[inline(always)]
    fn height<B: Block>(&self, token: B::Token, point: [B; 3]) -> B {
        along(token, self.normal, self.offset, point)
    }
}

impl Solid for HalfSpace {
    #[inline(always)]
    fn touches<B: Block>(&self, token: B::Token, middle: [B; 3], radius: f32) -> u8 {
        self.height(token, middle).within(radius)
    }
    #[inline(always)]
    fn distance<B: Block>(&self, token: B::Token, point: [B; 3]) -> B {
        self.height(token, point).at_least(0.0)
    }
}

impl Solid for Detailed {
    #[inline(always)]
    fn touches<B: Block>(&self, token: B::Token, middle: [B; 3], radius: f32) -> u8 {
        let near = self.bounds.touches(token, middle, radius);
        if near == 0 {
            return 0;
        }
        let mut stored = [B::ZERO; 3];
        store_point(middle, &mut stored);
        let mut hits = 0;
        for lane in (0..8).filter(|lane| near >> lane & 1 == 1) {
            let point = [0, 1, 2].map(|i| f64::from(stored[i].as_ref()[lane]));
            hits |= u8::from(self.touches_one(point, f64::from(radius))) << lane;
        }
        hits
    }

    #[inline(always)]
    fn distance<B: Block>(&self, token: B::Token, point: [B; 3]) -> B {
        // How far its box is away is a lower bound, and enough where that is far.
        let mut gaps = B::ZERO;
        self.bounds.distance(token, point).store(&mut gaps);
        let mut stored = [B::ZERO; 3];
        store_point(point, &mut stored);
        for (lane, gap) in gaps.as_mut().iter_mut().enumerate() {
            if f64::from(*gap) < FAR {
                let point = [0, 1, 2].map(|i| f64::from(stored[i].as_ref()[lane]));
                *gap = gap.max(self.distance_to_one(point) as f32);
            }
        }
        B::load(token, &gaps)
    }
}

impl Detailed {
    #[inline(never)]
    fn touches_one(&self, point: [f64; 3], radius: f64) -> bool {
        let [x, y, z] = self.to_local.apply(point);
        match &self.detail {
            Detail::Mesh(mesh) => distance_to_mesh(mesh, Vector::new(x, y, z)) <= radius,
            Detail::Points(grid) => grid.touches([x, y, z], radius),
        }
    }

    #[inline(never)]
    fn distance_to_one(&self, point: [f64; 3]) -> f64 {
        let [x, y, z] = self.to_local.apply(point);
        match &self.detail {
            Detail::Mesh(mesh) => distance_to_mesh(mesh, Vector::new(x, y, z)),
            Detail::Points(grid) => grid.distance([x, y, z]),
        }
    }
}

/// How far a point is from a mesh; zero inside a closed one.
fn distance_to_mesh(mesh: &TriMesh, point: Vector) -> f64 {
    let nearest = mesh.project_local_point(point, true);
    match nearest.is_inside {
        true => 0.0,
        false => (nearest.point - point).length(),
    }
}

impl Obstacles {
    /// Adds a shape, which has this place among those of the scene.
    pub fn add(&mut self, placed: &PreparedShape, number: u32) {
        macro_rules! add {
            ($kind:ident, $solid:ident) => {
                self.$kind.push(Numbered {
                    solid: $solid.clone(),
                    number,
                })
            };
        }
        match placed {
            PreparedShape::Box(solid) => add!(boxes, solid),
            PreparedShape::Cylinder(solid) => add!(cylinders, solid),
            PreparedShape::Capsule(solid) => add!(capsules, solid),
            PreparedShape::HalfSpace(solid) => add!(half_spaces, solid),
            PreparedShape::Detailed(solid) => add!(detailed, solid),
        }
    }

    /// A bit for each lane whose ball touches any of them.
    pub fn touch<B: Block>(&self, token: B::Token, middle: [B; 3], radius: f32) -> u8 {
        let mut hits = 0;
        macro_rules! each {
            ($($kind:ident),+) => {$(
                for Numbered { solid, .. } in &self.$kind {
                    hits |= solid.touches(token, middle, radius);
                }
            )+};
        }
        each!(boxes, cylinders, capsules, half_spaces, detailed);
        hits
    }

    /// How far a point is from the nearest of them, at least.
    pub fn distance(&self, point: [f32; 3]) -> f32 {
        let mut least = f32::INFINITY;
        macro_rules! each {
            ($($kind:ident),+) => {$(
                for Numbered { solid, .. } in &self.$kind {
                    least = least.min(solid.distance::<f32>((), point));
                }
            )+};
        }
        each!(boxes, cylinders, capsules, half_spaces, detailed);
        least
    }
}

/// A shape made ready once, to be given to every body that is checked against it.
pub(crate) enum PreparedShape {
    Box(OrientedBox),
    Cylinder(Cylinder),
    Capsule(Capsule),
    HalfSpace(HalfSpace),
    Detailed(Detailed),
}

impl PreparedShape {
    pub fn new(Placed { shape, pose }: &Placed) -> Self {
        let middle = pose.translation.map(|v| v as f32);
        let up = [0, 1, 2].map(|i| pose.rotation[i][2] as f32);
        let detailed = |detail: Detail| {
            // The box around it in its own frame.
            let (low, high) = shape.bounds(&Pose::IDENTITY);
            let middle = [0, 1, 2].map(|i| low[i].midpoint(high[i]));
            let half = [0, 1, 2].map(|i| (high[i] - low[i]) / 2.0);
            Self::Detailed(Detailed {
                bounds: OrientedBox::new(&pose.then(&Pose::at(middle)), half),
                to_local: pose.inverse(),
                detail,
            })
        };
        match shape {
            Shape::Box(half) => Self::Box(OrientedBox::new(pose, *half)),
            Shape::Sphere { radius } => Self::Capsule(Capsule {
                middle,
                direction: up,
                half_height: 0.0,
                radius: *radius as f32,
            }),
            Shape::Capsule {
                radius,
                half_height,
            } => Self::Capsule(Capsule {
                middle,
                direction: up,
                half_height: *half_height as f32,
                radius: *radius as f32,
            }),
            Shape::Cylinder {
                radius,
                half_height,
            } => {
                let (axes, offset) = axes_of(pose);
                Self::Cylinder(Cylinder {
                    axes,
                    offset,
                    radius: *radius as f32,
                    half_height: *half_height as f32,
                })
            }
            Shape::HalfSpace => {
                let back = pose.inverse();
                Self::HalfSpace(HalfSpace {
                    normal: up,
                    offset: back.translation[2] as f32,
                })
            }
            Shape::Mesh(mesh) => detailed(Detail::Mesh(Arc::new(trimesh(mesh)))),
            Shape::Heightfield(field) => {
                detailed(Detail::Mesh(Arc::new(trimesh(&field.to_mesh()))))
            }
            Shape::Points(cloud) => detailed(Detail::Points(Arc::new(PointGrid::new(cloud)))),
        }
    }
}

/// Points in the cells of a grid.
#[derive(Debug)]
pub(crate) struct PointGrid {
    low: [f64; 3],
    cell: f64,
    counts: [usize; 3],
    /// Where the points of each cell begin.
    starts: Vec<u32>,
    points: Vec<[f64; 3]>,
    radius: f64,
}

impl PointGrid {
    pub fn new(cloud: &PointCloud) -> Self {
        let shape = Shape::Points(Arc::new(cloud.clone()));
        let (low, high) = shape.bounds(&Pose::IDENTITY);
        let extent = [0, 1, 2].map(|i| (high[i] - low[i]).max(0.0));
        // Cells of the size of an arm's sphere, larger where that would make too many.
        let mut cell = (2.0 * cloud.radius).max(0.03);
        let counts = loop {
            let counts = extent.map(|e| (e / cell) as usize + 1);
            if counts.iter().map(|&c| c as f64).product::<f64>() <= 4e6 {
                break counts;
            }
            cell *= 1.5;
        };
        let mut grid = Self {
            low,
            cell,
            counts,
            starts: vec![0; counts.iter().product::<usize>() + 1],
            points: vec![[0.0; 3]; cloud.points.len()],
            radius: cloud.radius,
        };
        let cells: Vec<usize> = cloud.points.iter().map(|&p| grid.cell_of(p)).collect();
        for &cell in &cells {
            grid.starts[cell + 1] += 1;
        }
        for i in 1..grid.starts.len() {
            grid.starts[i] += grid.starts[i - 1];
        }
        let mut next = grid.starts.clone();
        for (&point, &cell) in cloud.points.iter().zip(&cells) {
            grid.points[next[cell] as usize] = point;
            next[cell] += 1;
        }
        grid
    }

    fn along(&self, axis: usize, value: f64) -> usize {
        let place = (value - self.low[axis]) / self.cell;
        (place.max(0.0) as usize).min(self.counts[axis] - 1)
    }

    fn cell_of(&self, point: [f64; 3]) -> usize {
        let [x, y, z] = [0, 1, 2].map(|i| self.along(i, point[i]));
        (z * self.counts[1] + y) * self.counts[0] + x
    }

    /// How far a point is from the nearest ball of the cloud, or [`FAR`] if that is farther.
    fn distance(&self, point: [f64; 3]) -> f64 {
        let reach = FAR + self.radius;
        let mut least = reach * reach;
        self.search(point, reach, |square| {
            least = least.min(square);
            false
        });
        (least.sqrt() - self.radius).max(0.0)
    }

    /// Whether a point of the cloud is within the two radii.
    fn touches(&self, middle: [f64; 3], radius: f64) -> bool {
        let reach = radius + self.radius;
        self.search(middle, reach, |square| square <= reach * reach)
    }

    /// Tells the square of the distance of each point that may be within `reach`, until told that
    /// it was the one looked for.
    fn search(&self, middle: [f64; 3], reach: f64, mut found: impl FnMut(f64) -> bool) -> bool {
        let [x, y, z] = [0, 1, 2].map(|i| {
            (
                self.along(i, middle[i] - reach),
                self.along(i, middle[i] + reach),
            )
        });
        (z.0..=z.1).any(|k| {
            (y.0..=y.1).any(|j| {
                // Cells of a row follow each other, and so do their points.
                let row = (k * self.counts[1] + j) * self.counts[0];
                let points = self.starts[row + x.0] as usize..self.starts[row + x.1 + 1] as usize;
                self.points[points].iter().any(|p| {
                    let d = [0, 1, 2].map(|i| p[i] - middle[i]);
                    found(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
                })
            })
        })
    }
}
