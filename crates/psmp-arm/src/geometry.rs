//! The shapes that robots and scenes are made of.

use crate::pose::{Pose, cross, dot, minus, norm};
use crate::true_shape::TrueShape;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// The greatest length or coordinate, in metres. Spheres are checked in single precision, which loses
/// a millimetre out there.
pub(crate) const FARTHEST: f64 = 1e4;

/// A shape in its own frame. Solids are solid: inside is in collision.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Shape {
    /// A box about the origin, by half its sides.
    Box([f64; 3]),
    /// A ball about the origin.
    Sphere {
        /// The radius.
        radius: f64,
    },
    /// A cylinder about the origin along z.
    Cylinder {
        /// The radius.
        radius: f64,
        /// Half the height.
        half_height: f64,
    },
    /// All points within `radius` of the segment from `-half_height` to `half_height` on the z axis.
    Capsule {
        /// The radius.
        radius: f64,
        /// Half the length of the segment.
        half_height: f64,
    },
    /// Everything at or below the plane z = 0.
    HalfSpace,
    /// Triangles; a closed mesh is solid.
    Mesh(#[serde(with = "shared")] Arc<Mesh>),
    /// Ground: everything at or below a grid of heights.
    Heightfield(#[serde(with = "shared")] Arc<Heightfield>),
    /// Points, each the centre of a ball.
    Points(#[serde(with = "shared")] Arc<PointCloud>),
}

/// What is shared, sent as what it is.
mod shared {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use std::sync::Arc;

    pub fn serialize<T: Serialize, S: Serializer>(what: &Arc<T>, to: S) -> Result<S::Ok, S::Error> {
        (**what).serialize(to)
    }

    pub fn deserialize<'d, T: Deserialize<'d>, D: Deserializer<'d>>(
        from: D,
    ) -> Result<Arc<T>, D::Error> {
        T::deserialize(from).map(Arc::new)
    }
}

/// A shape and where it is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Placed {
    /// The shape.
    pub shape: Shape,
    /// Where it is.
    pub pose: Pose,
}

/// A mesh of triangles.
#[derive(Clone, Serialize, Deserialize)]
pub struct Mesh {
    vertices: Vec<[f64; 3]>,
    triangles: Vec<[u32; 3]>,
    /// Made ready for checking when first asked for, once for all worlds.
    #[serde(skip)]
    true_shape: OnceLock<Arc<TrueShape>>,
}

impl PartialEq for Mesh {
    fn eq(&self, other: &Self) -> bool {
        (&self.vertices, &self.triangles) == (&other.vertices, &other.triangles)
    }
}

impl fmt::Debug for Mesh {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mesh")
            .field("vertices", &self.vertices)
            .field("triangles", &self.triangles)
            .finish_non_exhaustive()
    }
}

/// Heights over a rectangle in x and y about the origin.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Heightfield {
    /// How many heights there are along x.
    pub columns: usize,
    /// The extent in x and y.
    pub size: [f64; 2],
    /// The heights, x running fastest, y from below.
    pub heights: Vec<f64>,
}

/// Points, each the centre of a ball of one radius.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointCloud {
    /// The points.
    pub points: Vec<[f64; 3]>,
    /// The radius of each.
    pub radius: f64,
}

/// Why a shape cannot be.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ShapeError {
    /// A length is not positive and finite.
    #[error("{what} of {value} makes no sense: expected a positive finite length")]
    Length {
        /// Which length.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// A length or a coordinate is more than can be computed with.
    #[error("{what} of {value} m is more than {FARTHEST} m, the most that can be")]
    TooFar {
        /// Which one.
        what: &'static str,
        /// What was given.
        value: f64,
    },
    /// The mesh has no triangles, or they name vertices that are not there.
    #[error("{0}")]
    Mesh(String),
}

fn length(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    match value > 0.0 && value.is_finite() {
        true => within_reach(what, value),
        false => Err(ShapeError::Length { what, value }),
    }
}

/// A finite length or coordinate, if it is one that can be computed with.
fn within_reach(what: &'static str, value: f64) -> Result<f64, ShapeError> {
    match value.abs() <= FARTHEST {
        true => Ok(value),
        false => Err(ShapeError::TooFar { what, value }),
    }
}

impl Shape {
    /// A box by its whole sides.
    ///
    /// # Errors
    /// If a side is not positive and finite.
    pub fn cuboid(sides: [f64; 3]) -> Result<Self, ShapeError> {
        for side in sides {
            length("a box side", side)?;
        }
        Ok(Self::Box(sides.map(|s| s / 2.0)))
    }

    /// A ball.
    ///
    /// # Errors
    /// If the radius is not positive and finite.
    pub fn sphere(radius: f64) -> Result<Self, ShapeError> {
        Ok(Self::Sphere {
            radius: length("a sphere radius", radius)?,
        })
    }

    /// A cylinder by its radius and whole height.
    ///
    /// # Errors
    /// If one of them is not positive and finite.
    pub fn cylinder(radius: f64, height: f64) -> Result<Self, ShapeError> {
        Ok(Self::Cylinder {
            radius: length("a cylinder radius", radius)?,
            half_height: length("a cylinder height", height)? / 2.0,
        })
    }

    /// A capsule by its radius and the length of its straight part.
    ///
    /// # Errors
    /// If one of them is not positive and finite.
    pub fn capsule(radius: f64, height: f64) -> Result<Self, ShapeError> {
        Ok(Self::Capsule {
            radius: length("a capsule radius", radius)?,
            half_height: length("a capsule length", height)? / 2.0,
        })
    }

    /// A cone about the origin along z, tip up, as a mesh that contains it.
    ///
    /// # Errors
    /// If one of the lengths is not positive and finite.
    pub fn cone(radius: f64, height: f64) -> Result<Self, ShapeError> {
        const SIDES: u32 = 32;
        let half = length("a cone height", height)? / 2.0;
        // The polygon goes around the circle, not within it.
        let out =
            length("a cone radius", radius)? / (std::f64::consts::PI / f64::from(SIDES)).cos();
        let mut vertices: Vec<[f64; 3]> = (0..SIDES)
            .map(|i| {
                let angle = std::f64::consts::TAU * f64::from(i) / f64::from(SIDES);
                [out * angle.cos(), out * angle.sin(), -half]
            })
            .collect();
        vertices.extend([[0.0, 0.0, half], [0.0, 0.0, -half]]);
        let triangles = (0..SIDES)
            .flat_map(|i| {
                let next = (i + 1) % SIDES;
                [[i, next, SIDES], [next, i, SIDES + 1]]
            })
            .collect();
        Ok(Self::Mesh(Arc::new(Mesh::new(vertices, triangles)?)))
    }

    /// The shape made ready for checking; of a mesh once for all who ask.
    pub(crate) fn true_shape(&self) -> Arc<TrueShape> {
        let make = || Arc::new(TrueShape::new(self));
        match self {
            Self::Mesh(mesh) => mesh.true_shape.get_or_init(make).clone(),
            _ => make(),
        }
    }

    /// The least and the greatest coordinates of a placed shape; infinite for a half-space.
    #[must_use]
    pub fn bounds(&self, pose: &Pose) -> ([f64; 3], [f64; 3]) {
        let centred = |half: [f64; 3]| {
            let reach = [0, 1, 2].map(|i| {
                let r = pose.rotation[i];
                r[0].abs() * half[0] + r[1].abs() * half[1] + r[2].abs() * half[2]
            });
            let c = pose.translation;
            (minus(c, reach), [0, 1, 2].map(|i| c[i] + reach[i]))
        };
        match self {
            Self::Box(half) => centred(*half),
            Self::Sphere { radius } => {
                let c = pose.translation;
                (c.map(|v| v - radius), c.map(|v| v + radius))
            }
            Self::Cylinder {
                radius,
                half_height,
            } => centred([*radius, *radius, *half_height]),
            Self::Capsule {
                radius,
                half_height,
            } => {
                let tip = [0, 1, 2].map(|i| (pose.rotation[i][2] * half_height).abs() + radius);
                let c = pose.translation;
                (minus(c, tip), [0, 1, 2].map(|i| c[i] + tip[i]))
            }
            Self::HalfSpace => ([f64::NEG_INFINITY; 3], [f64::INFINITY; 3]),
            Self::Mesh(mesh) => around(mesh.vertices.iter().map(|&v| pose.apply(v)), 0.0),
            Self::Heightfield(field) => {
                let low = field.lowest() - field.thickness();
                let [x, y] = field.size.map(|s| s / 2.0);
                let corners = [-x, x].into_iter().flat_map(|x| {
                    [-y, y]
                        .into_iter()
                        .flat_map(move |y| [low, field.highest()].map(|z| pose.apply([x, y, z])))
                });
                around(corners, 0.0)
            }
            Self::Points(cloud) => {
                around(cloud.points.iter().map(|&p| pose.apply(p)), cloud.radius)
            }
        }
    }
}

/// The box around points, wider by `margin` on each side.
pub(crate) fn around(points: impl Iterator<Item = [f64; 3]>, margin: f64) -> ([f64; 3], [f64; 3]) {
    let start = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    let (low, high) = points.fold(start, |(low, high), p| {
        (
            [0, 1, 2].map(|i| low[i].min(p[i])),
            [0, 1, 2].map(|i| high[i].max(p[i])),
        )
    });
    (low.map(|v| v - margin), high.map(|v| v + margin))
}

impl Mesh {
    /// A mesh of these triangles, each three places in `vertices`.
    ///
    /// # Errors
    /// If there are no triangles, one names a vertex that is not there, or a vertex is not finite or
    /// too far away.
    pub fn new(vertices: Vec<[f64; 3]>, triangles: Vec<[u32; 3]>) -> Result<Self, ShapeError> {
        if triangles.is_empty() {
            return Err(ShapeError::Mesh("the mesh has no triangles".to_owned()));
        }
        if let Some(bad) = vertices
            .iter()
            .position(|v| !v.iter().all(|x| x.is_finite()))
        {
            return Err(ShapeError::Mesh(format!(
                "vertex {bad} of the mesh is not finite"
            )));
        }
        for &value in vertices.iter().flatten() {
            within_reach("a coordinate of the mesh", value)?;
        }
        let count = vertices.len();
        if let Some(bad) = triangles
            .iter()
            .position(|t| t.iter().any(|&v| v as usize >= count))
        {
            return Err(ShapeError::Mesh(format!(
                "triangle {bad} of the mesh names a vertex that is not among its {count}"
            )));
        }
        Ok(Self {
            vertices,
            triangles,
            true_shape: OnceLock::new(),
        })
    }

    /// The vertices.
    #[must_use]
    pub fn vertices(&self) -> &[[f64; 3]] {
        &self.vertices
    }

    /// The triangles, each three places among the vertices.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// The three corners of each triangle.
    pub(crate) fn corners(&self) -> impl Iterator<Item = [[f64; 3]; 3]> + '_ {
        self.triangles
            .iter()
            .map(|t| t.map(|v| self.vertices[v as usize]))
    }

    /// Whether every edge has one triangle on each side, so that there is an inside.
    pub(crate) fn is_closed(&self) -> bool {
        // Each edge by its ends, the lesser first, and whether it runs the other way round.
        let directed = |t: &[u32; 3]| {
            [(t[0], t[1]), (t[1], t[2]), (t[2], t[0])].map(|(a, b)| (a.min(b), a.max(b), a > b))
        };
        let mut edges: Vec<_> = self.triangles.iter().flat_map(directed).collect();
        edges.sort_unstable();
        // Twice the same way round is no surface.
        let both_ways = |pair: &[(u32, u32, bool)]| matches!(pair, [(a, b, false), (c, d, true)] if (a, b) == (c, d));
        edges.chunks(2).all(both_ways)
    }

    /// Whether it is closed, faces outwards, and bulges nowhere inwards.
    pub(crate) fn is_convex(&self) -> bool {
        let (low, high) = around(self.vertices.iter().copied(), 0.0);
        let tolerance = 1e-6 * norm(minus(high, low));
        self.is_closed()
            && self.corners().all(|[a, b, c]| {
                let normal = cross(minus(b, a), minus(c, a));
                let area = norm(normal);
                let used = self.triangles.iter().flatten();
                area < tolerance * tolerance
                    || used.into_iter().all(|&v| {
                        dot(minus(self.vertices[v as usize], a), normal) <= tolerance * area
                    })
            })
    }
}

impl Heightfield {
    /// A field of these heights.
    ///
    /// # Errors
    /// If there are fewer than two rows or columns, the rows are not whole, or a number is not
    /// finite.
    pub fn new(columns: usize, size: [f64; 2], heights: Vec<f64>) -> Result<Self, ShapeError> {
        for side in size {
            length("a heightfield's side", side)?;
        }
        if columns < 2 || heights.len() < 2 * columns || !heights.len().is_multiple_of(columns) {
            return Err(ShapeError::Mesh(format!(
                "{} heights do not make a grid of at least two rows of {columns}",
                heights.len()
            )));
        }
        if let Some(bad) = heights.iter().position(|h| !h.is_finite()) {
            return Err(ShapeError::Mesh(format!("height {bad} is not finite")));
        }
        for &height in &heights {
            within_reach("a height", height)?;
        }
        Ok(Self {
            columns,
            size,
            heights,
        })
    }

    /// How many heights there are along y.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.heights.len() / self.columns
    }

    pub(crate) fn lowest(&self) -> f64 {
        self.heights.iter().copied().fold(f64::INFINITY, f64::min)
    }

    pub(crate) fn highest(&self) -> f64 {
        self.heights
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max)
    }

    /// How far the ground goes on below its lowest place: as far as it is wide, so that nothing
    /// that an arm can hold fits under it unseen.
    pub(crate) fn thickness(&self) -> f64 {
        self.size[0].max(self.size[1])
    }

    /// The ground as a closed mesh: its surface, walls, and a floor far below.
    #[must_use]
    pub fn to_mesh(&self) -> Mesh {
        let (columns, rows) = (self.columns, self.rows());
        let place = |i: usize, j: usize, z: f64| {
            [
                self.size[0] * (i as f64 / (columns - 1) as f64 - 0.5),
                self.size[1] * (j as f64 / (rows - 1) as f64 - 0.5),
                z,
            ]
        };
        let floor = self.lowest() - self.thickness();
        let mut vertices = Vec::with_capacity(2 * columns * rows);
        for j in 0..rows {
            for i in 0..columns {
                vertices.push(place(i, j, self.heights[j * columns + i]));
            }
        }
        for j in 0..rows {
            for i in 0..columns {
                vertices.push(place(i, j, floor));
            }
        }
        let top = |i: usize, j: usize| (j * columns + i) as u32;
        let low = |i: usize, j: usize| top(i, j) + (columns * rows) as u32;
        let mut triangles = Vec::new();
        let mut quad = |a: u32, b: u32, c: u32, d: u32| {
            triangles.extend([[a, b, c], [a, c, d]]);
        };
        for j in 0..rows - 1 {
            for i in 0..columns - 1 {
                quad(top(i, j), top(i + 1, j), top(i + 1, j + 1), top(i, j + 1));
                quad(low(i, j), low(i, j + 1), low(i + 1, j + 1), low(i + 1, j));
            }
        }
        for i in 0..columns - 1 {
            let last = rows - 1;
            quad(low(i, 0), low(i + 1, 0), top(i + 1, 0), top(i, 0));
            quad(
                top(i, last),
                top(i + 1, last),
                low(i + 1, last),
                low(i, last),
            );
        }
        for j in 0..rows - 1 {
            let last = columns - 1;
            quad(top(0, j), top(0, j + 1), low(0, j + 1), low(0, j));
            quad(
                low(last, j),
                low(last, j + 1),
                top(last, j + 1),
                top(last, j),
            );
        }
        Mesh {
            vertices,
            triangles,
            true_shape: OnceLock::new(),
        }
    }
}

impl PointCloud {
    /// Points that are each the centre of a ball.
    ///
    /// # Errors
    /// If the radius is not positive, there are no points, or one is not finite or too far away.
    pub fn new(points: Vec<[f64; 3]>, radius: f64) -> Result<Self, ShapeError> {
        length("a point radius", radius)?;
        if points.is_empty() {
            return Err(ShapeError::Mesh("the cloud has no points".to_owned()));
        }
        if let Some(bad) = points.iter().position(|p| !p.iter().all(|v| v.is_finite())) {
            return Err(ShapeError::Mesh(format!("point {bad} is not finite")));
        }
        for &value in points.iter().flatten() {
            within_reach("a coordinate of the cloud", value)?;
        }
        Ok(Self { points, radius })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::winding::Winding;

    #[test]
    fn what_cannot_be_is_refused() {
        assert!(Shape::cuboid([1.0, 0.0, 1.0]).is_err());
        assert!(Shape::sphere(f64::NAN).is_err());
        assert!(Shape::cylinder(-1.0, 1.0).is_err());
        assert!(Mesh::new(vec![[0.0; 3]; 3], vec![]).is_err());
        assert!(Mesh::new(vec![[0.0; 3]; 3], vec![[0, 1, 3]]).is_err());
        assert!(Heightfield::new(2, [1.0, 1.0], vec![0.0; 3]).is_err());
        assert!(PointCloud::new(vec![[0.0, f64::INFINITY, 0.0]], 0.1).is_err());
        assert!(PointCloud::new(vec![], 0.1).is_err());
        let far = [
            Shape::sphere(1e20).unwrap_err(),
            Shape::cuboid([1.0, 1.0, 2e4]).unwrap_err(),
            Mesh::new(vec![[0.0, 0.0, -2e19]; 3], vec![[0, 1, 2]]).unwrap_err(),
            PointCloud::new(vec![[1e20, 0.0, 0.0]], 0.1).unwrap_err(),
            Heightfield::new(2, [1.0, 1.0], vec![1e20; 4]).unwrap_err(),
        ];
        for error in far {
            assert!(error.to_string().contains("10000 m"), "{error}");
        }
    }

    #[test]
    fn ground_and_cones_are_closed_and_face_outwards() {
        let field = Heightfield::new(
            3,
            [2.0, 2.0],
            vec![0.0, 0.1, 0.0, 0.2, 0.5, 0.1, 0.0, 0.0, 0.0],
        );
        let winding = |mesh: &Mesh, point| Winding::of(mesh).at(point, f64::INFINITY);
        let ground = field.unwrap().to_mesh();
        assert!((winding(&ground, [0.1, 0.1, 0.0]) - 1.0).abs() < 1e-9);
        assert!(winding(&ground, [0.1, 0.1, 0.6]).abs() < 1e-9);
        let Ok(Shape::Mesh(cone)) = Shape::cone(0.5, 1.0) else {
            panic!("a cone is a mesh");
        };
        assert!((winding(&cone, [0.1, 0.0, -0.2]) - 1.0).abs() < 1e-9);
        assert!(winding(&cone, [0.4, 0.0, 0.3]).abs() < 1e-9);
    }
}
