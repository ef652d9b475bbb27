//! One configuration or eight: what the sphere checker computes with.
//!
//! The checker is written once over a [`Block`] of configurations. With eight lanes it is the fast
//! path, compiled for each instruction set and chosen when the program runs; with one lane it is
//! the plain path that the fast one is measured against.

use crate::pose::{Number, Pose};
use fearless_simd::{Simd, SimdBase, SimdFloat, SimdMask, f32x8};

/// How many configurations go side by side.
pub(crate) const LANES: usize = 8;

/// Numbers of the configurations of a block, in registers.
pub(crate) trait Block: Number<Constant = f32> {
    /// Proof that the machine has the instructions.
    type Token: Copy;
    /// The same numbers in memory.
    type Store: Copy + AsRef<[f32]> + AsMut<[f32]>;

    const ZERO: Self::Store;

    fn splat(token: Self::Token, value: f32) -> Self;
    fn load(token: Self::Token, from: &Self::Store) -> Self;
    fn store(self, into: &mut Self::Store);
    fn abs(self) -> Self;
    fn root(self) -> Self;
    /// The greater of each and `bound`.
    fn at_least(self, bound: f32) -> Self;
    /// The lesser of each and `bound`.
    fn at_most(self, bound: f32) -> Self;
    /// The greater of each pair.
    fn greater(self, other: Self) -> Self;
    /// A bit for each lane that is at most `limit`.
    fn within(self, limit: f32) -> u8;
}

/// What is written the same for one lane and for eight.
macro_rules! same_for_any_lanes {
    () => {
        #[inline(always)]
        fn root(self) -> Self {
            self.sqrt()
        }
        #[inline(always)]
        fn at_least(self, bound: f32) -> Self {
            self.max(bound)
        }
        #[inline(always)]
        fn at_most(self, bound: f32) -> Self {
            self.min(bound)
        }
        #[inline(always)]
        fn greater(self, other: Self) -> Self {
            self.max(other)
        }
    };
}

impl Block for f32 {
    type Token = ();
    type Store = [f32; 1];
    const ZERO: [f32; 1] = [0.0];

    same_for_any_lanes!();

    #[inline(always)]
    fn splat((): (), value: f32) -> Self {
        value
    }
    #[inline(always)]
    fn load((): (), from: &[f32; 1]) -> Self {
        from[0]
    }
    #[inline(always)]
    fn store(self, into: &mut [f32; 1]) {
        into[0] = self;
    }
    #[inline(always)]
    fn abs(self) -> Self {
        f32::abs(self)
    }
    #[inline(always)]
    fn within(self, limit: f32) -> u8 {
        u8::from(self <= limit)
    }
}

impl<S: Simd> Block for f32x8<S> {
    type Token = S;
    type Store = [f32; LANES];
    const ZERO: [f32; LANES] = [0.0; LANES];

    same_for_any_lanes!();

    #[inline(always)]
    fn splat(token: S, value: f32) -> Self {
        <Self as SimdBase<S>>::splat(token, value)
    }
    #[inline(always)]
    fn load(token: S, from: &[f32; LANES]) -> Self {
        Self::from_slice(token, from)
    }
    #[inline(always)]
    fn store(self, into: &mut [f32; LANES]) {
        self.store_slice(into);
    }
    #[inline(always)]
    fn abs(self) -> Self {
        self.simd.abs_f32x8(self)
    }
    #[inline(always)]
    fn within(self, limit: f32) -> u8 {
        self.simd_le(limit).to_bitmask() as u8
    }
}

/// A pose of each configuration of a block, in memory: the rotation by rows, then the translation.
pub(crate) type BlockPose<St> = [BlockPoint<St>; 4];

/// A point of each configuration of a block, in memory.
pub(crate) type BlockPoint<St> = [St; 3];

// No closures here, nor in anything that works on blocks: one that is not inlined would be compiled
// without the instructions of the path that it is part of.

#[inline(always)]
pub(crate) fn splat_point<B: Block>(token: B::Token, [x, y, z]: [f32; 3]) -> [B; 3] {
    [B::splat(token, x), B::splat(token, y), B::splat(token, z)]
}

#[inline(always)]
pub(crate) fn load_point<B: Block>(token: B::Token, [x, y, z]: &BlockPoint<B::Store>) -> [B; 3] {
    [B::load(token, x), B::load(token, y), B::load(token, z)]
}

#[inline(always)]
pub(crate) fn store_point<B: Block>([x, y, z]: [B; 3], into: &mut BlockPoint<B::Store>) {
    x.store(&mut into[0]);
    y.store(&mut into[1]);
    z.store(&mut into[2]);
}

/// The square of the distance of two points.
#[inline(always)]
pub(crate) fn square_between<B: Block>(one: [B; 3], other: [B; 3]) -> B {
    let [x, y, z] = [one[0] - other[0], one[1] - other[1], one[2] - other[2]];
    z.mul_plus(z, y.mul_plus(y, x * x))
}

#[inline(always)]
pub(crate) fn constant_pose<B: Block>(token: B::Token, pose: &Pose<f32>) -> Pose<B> {
    let [a, b, c] = pose.rotation;
    Pose {
        rotation: [
            splat_point(token, a),
            splat_point(token, b),
            splat_point(token, c),
        ],
        translation: splat_point(token, pose.translation),
    }
}

#[inline(always)]
pub(crate) fn load_pose<B: Block>(token: B::Token, pose: &BlockPose<B::Store>) -> Pose<B> {
    let [a, b, c, d] = pose;
    Pose {
        rotation: [
            load_point(token, a),
            load_point(token, b),
            load_point(token, c),
        ],
        translation: load_point(token, d),
    }
}

#[inline(always)]
pub(crate) fn store_pose<B: Block>(pose: &Pose<B>, into: &mut BlockPose<B::Store>) {
    let [a, b, c] = pose.rotation;
    store_point(a, &mut into[0]);
    store_point(b, &mut into[1]);
    store_point(c, &mut into[2]);
    store_point(pose.translation, &mut into[3]);
}
