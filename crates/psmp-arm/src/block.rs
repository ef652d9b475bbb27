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
    /// A bit for each lane that is at most `limit`.
    fn within(self, limit: f32) -> u8;
}

impl Block for f32 {
    type Token = ();
    type Store = [f32; 1];
    const ZERO: [f32; 1] = [0.0];

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
    fn within(self, limit: f32) -> u8 {
        u8::from(self <= limit)
    }
}

impl<S: Simd> Block for f32x8<S> {
    type Token = S;
    type Store = [f32; LANES];
    const ZERO: [f32; LANES] = [0.0; LANES];

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
    fn within(self, limit: f32) -> u8 {
        self.simd_le(limit).to_bitmask() as u8
    }
}

/// A pose of each configuration of a block, in memory: the rotation by rows, then the translation.
pub(crate) type BlockPose<St> = [St; 12];

#[inline(always)]
pub(crate) fn constant_pose<B: Block>(token: B::Token, pose: &Pose<f32>) -> Pose<B> {
    let splat = |v| B::splat(token, v);
    Pose {
        rotation: pose.rotation.map(|row| row.map(splat)),
        translation: pose.translation.map(splat),
    }
}

#[inline(always)]
pub(crate) fn load_pose<B: Block>(token: B::Token, pose: &BlockPose<B::Store>) -> Pose<B> {
    let at = |i: usize| B::load(token, &pose[i]);
    Pose {
        rotation: [
            [at(0), at(1), at(2)],
            [at(3), at(4), at(5)],
            [at(6), at(7), at(8)],
        ],
        translation: [at(9), at(10), at(11)],
    }
}

#[inline(always)]
pub(crate) fn store_pose<B: Block>(pose: &Pose<B>, into: &mut BlockPose<B::Store>) {
    for i in 0..3 {
        for j in 0..3 {
            pose.rotation[i][j].store(&mut into[3 * i + j]);
        }
        pose.translation[i].store(&mut into[9 + i]);
    }
}
