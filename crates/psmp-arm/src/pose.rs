//! Where things are: rotations and translations, over any kind of number.
//!
//! The same arithmetic runs on `f64`, on `f32`, and on eight `f32` side by side, so that forward
//! kinematics is written once. [`Number`] is what it needs of a number: a *constant* of the robot
//! is one value for all eight lanes, a *value* has one for each.

use fearless_simd::{Simd, SimdBase, SimdFloat, f32x8};
use serde::{Deserialize, Serialize};
use std::ops::{Add, Mul, Neg, Sub};

/// A single number that models are made of: `f64` or `f32`.
pub trait Scalar: Number<Constant = Self> + Default + PartialOrd + Send + Sync + 'static {
    /// The nearest number of this kind.
    fn from_f64(value: f64) -> Self;
}

/// What kinematics computes with: one number, or several side by side.
pub trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Neg<Output = Self>
{
    /// The kind of the robot's constants.
    type Constant: Scalar;

    /// This constant in every lane; `self` only tells the kind.
    fn like(self, constant: Self::Constant) -> Self;

    /// `self * constant`.
    fn times(self, constant: Self::Constant) -> Self;

    /// `self * constant + addend`.
    fn times_plus(self, constant: Self::Constant, addend: Self) -> Self;

    /// `self * factor + addend`.
    fn mul_plus(self, factor: Self, addend: Self) -> Self;

    /// Sine and cosine.
    fn sin_cos(self) -> (Self, Self);
}

macro_rules! scalar {
    ($($kind:ty),+) => {$(
        impl Scalar for $kind {
            #[inline(always)]
            fn from_f64(value: f64) -> Self {
                value as $kind
            }
        }

        impl Number for $kind {
            type Constant = $kind;
            #[inline(always)]
            fn like(self, constant: $kind) -> Self {
                constant
            }
            #[inline(always)]
            fn times(self, constant: $kind) -> Self {
                self * constant
            }
            #[inline(always)]
            fn times_plus(self, constant: $kind, addend: Self) -> Self {
                self * constant + addend
            }
            #[inline(always)]
            fn mul_plus(self, factor: Self, addend: Self) -> Self {
                self * factor + addend
            }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                <$kind>::sin_cos(self)
            }
        }
    )+};
}
scalar!(f32, f64);

impl<S: Simd> Number for f32x8<S> {
    type Constant = f32;
    #[inline(always)]
    fn like(self, constant: f32) -> Self {
        Self::splat(self.simd, constant)
    }
    #[inline(always)]
    fn times(self, constant: f32) -> Self {
        self * constant
    }
    #[inline(always)]
    fn times_plus(self, constant: f32, addend: Self) -> Self {
        self.mul_add(constant, addend)
    }
    #[inline(always)]
    fn mul_plus(self, factor: Self, addend: Self) -> Self {
        self.mul_add(factor, addend)
    }

    /// By the polynomials of the Cephes library on [-pi/4, pi/4], after taking away the nearest
    /// multiple of pi/2 in three parts so that nothing is lost. Good to 1e-7 for angles of a few
    /// turns.
    #[expect(
        clippy::excessive_precision,
        reason = "the coefficients as they are published"
    )]
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let quarter = (self * std::f32::consts::FRAC_2_PI).round_ties_even();
        let r = quarter.mul_add(-1.570_312_5, self);
        let r = quarter.mul_add(-4.837_512_97e-4, r);
        let r = quarter.mul_add(-7.549_789_95e-8, r);
        let square = r * r;
        let sine = square
            .mul_add(-1.951_529_589_1e-4, self.like(8.332_160_873_6e-3))
            .mul_add(square, self.like(-1.666_665_461_1e-1))
            .mul_add(square * r, r);
        let cosine = square
            .mul_add(
                2.443_315_711_809_948e-5,
                self.like(-1.388_731_625_493_765e-3),
            )
            .mul_add(square, self.like(4.166_664_568_298_827e-2))
            .mul_add(square * square, square.mul_add(-0.5, self.like(1.0)));
        // Quarter turns 0, 1, 2, 3: (s, c), (c, -s), (-s, -c), (-c, s). Whole numbers this small
        // are exact, so the remainder of four is too.
        let turn = (quarter * 0.25).floor().mul_add(-4.0, quarter);
        let one = turn.simd_eq(1.0);
        let two = turn.simd_eq(2.0);
        let three = turn.simd_eq(3.0);
        use fearless_simd::Select;
        let swapped = one | three;
        let s = swapped.select(cosine, sine);
        let c = swapped.select(sine, cosine);
        let s = (two | three).select(-s, s);
        let c = (one | two).select(-c, c);
        (s, c)
    }
}

/// A rotation, by rows, and a translation after it.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Pose<T = f64> {
    /// The rotation matrix, by rows.
    pub rotation: [[T; 3]; 3],
    /// Where the origin goes.
    pub translation: [T; 3],
}

/// Why numbers are not a pose.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PoseError {
    /// A number is infinite or not a number.
    #[error("a position or orientation is not finite")]
    NotFinite,
    /// The matrix turns nothing into what it was.
    #[error("the matrix is no rotation: its columns are not at right angles and of length 1")]
    Rotation,
    /// The quaternion is not of unit length.
    #[error("the quaternion has length {0:.4}, expected 1")]
    Quaternion(f64),
}

impl Pose<f64> {
    /// How far a point is from the z axis of this pose.
    pub(crate) fn distance_from_z(&self, point: [f64; 3]) -> f64 {
        let r = &self.rotation;
        let from_origin = minus(point, self.translation);
        let along =
            |column: usize| -> f64 { (0..3).map(|row| r[row][column] * from_origin[row]).sum() };
        along(0).hypot(along(1))
    }

    /// Nothing moved.
    pub const IDENTITY: Self = Self {
        rotation: [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        translation: [0.0; 3],
    };

    /// Only moved.
    #[must_use]
    pub fn at(translation: [f64; 3]) -> Self {
        Self {
            translation,
            ..Self::IDENTITY
        }
    }

    /// Turned by roll, pitch and yaw about the fixed axes x, y, z, as URDF means it, then moved.
    #[must_use]
    pub fn from_xyz_rpy(translation: [f64; 3], [roll, pitch, yaw]: [f64; 3]) -> Self {
        let ((sr, cr), (sp, cp), (sy, cy)) = (roll.sin_cos(), pitch.sin_cos(), yaw.sin_cos());
        Self {
            rotation: [
                [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
                [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
                [-sp, cp * sr, cp * cr],
            ],
            translation,
        }
    }

    /// From a position and a quaternion x, y, z, w, which is made of unit length.
    ///
    /// # Errors
    /// If a number is not finite or the quaternion is far from unit length (over 1%).
    pub fn from_quaternion(translation: [f64; 3], quaternion: [f64; 4]) -> Result<Self, PoseError> {
        if !translation.iter().chain(&quaternion).all(|v| v.is_finite()) {
            return Err(PoseError::NotFinite);
        }
        let length = quaternion.iter().map(|v| v * v).sum::<f64>().sqrt();
        if (length - 1.0).abs() > 0.01 {
            return Err(PoseError::Quaternion(length));
        }
        let [x, y, z, w] = quaternion.map(|v| v / length);
        Ok(Self {
            rotation: [
                [
                    1.0 - 2.0 * (y * y + z * z),
                    2.0 * (x * y - z * w),
                    2.0 * (x * z + y * w),
                ],
                [
                    2.0 * (x * y + z * w),
                    1.0 - 2.0 * (x * x + z * z),
                    2.0 * (y * z - x * w),
                ],
                [
                    2.0 * (x * z - y * w),
                    2.0 * (y * z + x * w),
                    1.0 - 2.0 * (x * x + y * y),
                ],
            ],
            translation,
        })
    }

    /// From a position and a rotation matrix by rows, whose columns are put at right angles.
    ///
    /// # Errors
    /// If a number is not finite, or the matrix is far from a rotation (over 0.1%).
    pub fn from_rotation(
        translation: [f64; 3],
        rotation: [[f64; 3]; 3],
    ) -> Result<Self, PoseError> {
        let numbers = translation.iter().chain(rotation.iter().flatten());
        if !numbers.clone().all(|v| v.is_finite()) {
            return Err(PoseError::NotFinite);
        }
        let [x, y, z] = [0, 1, 2].map(|c| rotation.map(|row| row[c]));
        let own = unit(cross(x, unit(y)));
        let (x, y) = (cross(unit(y), own), unit(y));
        let right = Self {
            rotation: [0, 1, 2].map(|r| [x[r], y[r], own[r]]),
            translation,
        };
        let pairs = right
            .rotation
            .iter()
            .flatten()
            .zip(rotation.iter().flatten());
        // What is not a number is near nothing.
        let is_near = pairs.map(|(a, b)| (a - b).abs()).all(|off| off <= 1e-3);
        match is_near && norm(z) > 0.0 {
            true => Ok(right),
            false => Err(PoseError::Rotation),
        }
    }

    /// A rotation that takes the z axis to this unit vector.
    #[must_use]
    pub fn taking_z_to(axis: [f64; 3]) -> Self {
        let [x, y, z] = axis;
        // A second column that is not along the axis, then the third by cross product.
        let helper = if x.abs() < 0.9 {
            [1.0, 0.0, 0.0]
        } else {
            [0.0, 1.0, 0.0]
        };
        let along = dot(helper, axis);
        let u = unit([
            helper[0] - along * x,
            helper[1] - along * y,
            helper[2] - along * z,
        ]);
        let v = cross(axis, u);
        Self {
            rotation: [[u[0], v[0], x], [u[1], v[1], y], [u[2], v[2], z]],
            translation: [0.0; 3],
        }
    }

    /// The way back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let r = &self.rotation;
        let rotation = [0, 1, 2].map(|i| [r[0][i], r[1][i], r[2][i]]);
        let back = Self {
            rotation,
            translation: [0.0; 3],
        };
        Self {
            translation: back.apply(self.translation).map(|v| -v),
            ..back
        }
    }

    /// The same pose in another kind of number.
    #[must_use]
    pub fn cast<C: Scalar>(&self) -> Pose<C> {
        Pose {
            rotation: self.rotation.map(|row| row.map(C::from_f64)),
            translation: self.translation.map(C::from_f64),
        }
    }
}

// No closures here: one that is not inlined would be compiled without the instructions of the
// path that it is part of, and cost several times as much.
impl<T: Number> Pose<T> {
    /// `inner` seen from outside this pose: first `inner`, then this.
    #[inline(always)]
    #[must_use]
    pub fn then_constant(&self, inner: &Pose<T::Constant>) -> Self {
        let [a, b, c] = &self.rotation;
        Self {
            rotation: [
                turned_row(a, &inner.rotation),
                turned_row(b, &inner.rotation),
                turned_row(c, &inner.rotation),
            ],
            translation: self.apply_constant(inner.translation),
        }
    }

    /// Where a constant point goes.
    #[inline(always)]
    #[must_use]
    pub fn apply_constant(&self, point: [T::Constant; 3]) -> [T; 3] {
        let [a, b, c] = &self.rotation;
        let [x, y, z] = self.translation;
        [
            along_row(a, point, x),
            along_row(b, point, y),
            along_row(c, point, z),
        ]
    }

    /// Turned about its own z axis by the angle of this sine and cosine.
    #[inline(always)]
    #[must_use]
    pub fn turned(&self, (sine, cosine): (T, T)) -> Self {
        let [a, b, c] = self.rotation;
        Self {
            rotation: [
                turned_about_z(a, sine, cosine),
                turned_about_z(b, sine, cosine),
                turned_about_z(c, sine, cosine),
            ],
            translation: self.translation,
        }
    }

    /// Moved along its own z axis.
    #[inline(always)]
    #[must_use]
    pub fn slid(&self, way: T) -> Self {
        let [a, b, c] = &self.rotation;
        let [x, y, z] = self.translation;
        Self {
            translation: [
                a[2].mul_plus(way, x),
                b[2].mul_plus(way, y),
                c[2].mul_plus(way, z),
            ],
            rotation: self.rotation,
        }
    }
}

/// A row of a rotation times a point, and an addend.
#[inline(always)]
fn along_row<T: Number>(row: &[T; 3], [x, y, z]: [T::Constant; 3], addend: T) -> T {
    let sum = row[0].times_plus(x, addend);
    row[2].times_plus(z, row[1].times_plus(y, sum))
}

/// A row of a rotation times a constant rotation.
#[inline(always)]
fn turned_row<T: Number>(row: &[T; 3], [a, b, c]: &[[T::Constant; 3]; 3]) -> [T; 3] {
    [
        row[2].times_plus(c[0], row[1].times_plus(b[0], row[0].times(a[0]))),
        row[2].times_plus(c[1], row[1].times_plus(b[1], row[0].times(a[1]))),
        row[2].times_plus(c[2], row[1].times_plus(b[2], row[0].times(a[2]))),
    ]
}

#[inline(always)]
fn turned_about_z<T: Number>([x, y, z]: [T; 3], sine: T, cosine: T) -> [T; 3] {
    [
        x.mul_plus(cosine, y * sine),
        y.mul_plus(cosine, -(x * sine)),
        z,
    ]
}

impl<C: Scalar> Pose<C> {
    /// First `inner`, then this.
    #[inline]
    #[must_use]
    pub fn then(&self, inner: &Self) -> Self {
        self.then_constant(inner)
    }

    /// Where a point goes.
    #[inline]
    #[must_use]
    pub fn apply(&self, point: [C; 3]) -> [C; 3] {
        self.apply_constant(point)
    }
}

pub(crate) fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

pub(crate) fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

pub(crate) fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

pub(crate) fn norm(a: [f64; 3]) -> f64 {
    dot(a, a).sqrt()
}

pub(crate) fn unit(a: [f64; 3]) -> [f64; 3] {
    let length = norm(a);
    a.map(|v| v / length)
}

#[cfg(test)]
mod tests {
    use super::*;
    use fearless_simd::{Level, dispatch};

    #[test]
    fn eight_sines_are_as_good_as_one() {
        #[inline(always)]
        fn worst<S: Simd>(simd: S) -> f64 {
            let mut worst = 0.0_f64;
            for step in -5000..5000 {
                let angles: [f32; 8] =
                    std::array::from_fn(|lane| (step * 8 + lane as i32) as f32 * 1e-3);
                let (s, c) = f32x8::from_slice(simd, &angles).sin_cos();
                for (lane, &angle) in angles.iter().enumerate() {
                    let (sine, cosine) = f64::from(angle).sin_cos();
                    worst = worst
                        .max((f64::from(s[lane]) - sine).abs())
                        .max((f64::from(c[lane]) - cosine).abs());
                }
            }
            worst
        }
        let level = Level::new();
        let worst = dispatch!(level, simd => worst(simd));
        assert!(worst < 3e-7, "{worst}");
    }

    #[test]
    fn poses_undo_themselves() {
        let pose = Pose::from_xyz_rpy([1.0, -2.0, 0.5], [0.3, -1.1, 2.7]);
        let same = pose.then(&pose.inverse());
        let expected = Pose::IDENTITY;
        for i in 0..3 {
            assert!(same.translation[i].abs() < 1e-15);
            for j in 0..3 {
                assert!((same.rotation[i][j] - expected.rotation[i][j]).abs() < 1e-15);
            }
        }
        for axis in [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], unit([1.0, -2.0, 3.0])] {
            let z = Pose::taking_z_to(axis).apply([0.0, 0.0, 1.0]);
            assert!(norm(minus(z, axis)) < 1e-15);
        }
        let half = std::f64::consts::FRAC_PI_4;
        let turn = Pose::from_quaternion([0.0; 3], [0.0, 0.0, half.sin(), half.cos()]).unwrap();
        assert!(norm(minus(turn.apply([1.0, 0.0, 0.0]), [0.0, 1.0, 0.0])) < 1e-15);
        assert!(Pose::from_quaternion([f64::NAN, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]).is_err());
        assert!(Pose::from_quaternion([0.0; 3], [0.0; 4]).is_err());
    }
}
