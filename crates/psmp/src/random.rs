//! Randomness without state: every random number is a hash of what it is for.
//!
//! A sampled world is never written down. A [`Draw`] is the seed and the number of the draw, and
//! the state of an edge in that draw is a hash of both with the edge, computed when a search first
//! asks. So a draw costs nothing for edges that nobody looks at, the order of asking does not
//! matter, and the same seed gives the same run on every machine and with any number of threads.

/// One draw from a belief: a seed, and how many draws came before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draw {
    key: u64,
}

impl Draw {
    /// The draw number `index` of a run with this seed.
    #[must_use]
    pub fn new(seed: u64, index: u64) -> Self {
        Self {
            key: mix(mix(seed) ^ index.wrapping_mul(0xD1B5_4A32_D192_ED03)),
        }
    }

    /// A number in `[0, 1)` for one purpose within this draw, such as an edge's index.
    #[inline]
    #[must_use]
    pub fn unit(self, purpose: u64) -> f64 {
        // 53 bits, as many as the numbers in [0, 1) can tell apart.
        (self.bits(purpose) >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A whole number below `bound` for one purpose within this draw.
    ///
    /// # Panics
    /// If `bound` is 0.
    #[inline]
    #[must_use]
    pub fn below(self, bound: u64, purpose: u64) -> u64 {
        assert!(bound > 0, "there is no number below 0");
        // The high half of the product is uniform up to a bias of bound / 2^64.
        ((u128::from(self.bits(purpose)) * u128::from(bound)) >> 64) as u64
    }

    /// A standard normal number for one purpose within this draw, by Box and Muller. It shares its
    /// randomness with [`unit`](Self::unit) for twice the purpose and for the one after that.
    #[must_use]
    pub fn normal(self, purpose: u64) -> f64 {
        let (first, second) = (purpose.wrapping_mul(2), purpose.wrapping_mul(2) + 1);
        let radius = (-2.0 * libm::log(1.0 - self.unit(first))).sqrt();
        radius * libm::cos(std::f64::consts::TAU * self.unit(second))
    }

    #[inline]
    fn bits(self, purpose: u64) -> u64 {
        mix(self.key ^ purpose.wrapping_mul(0x9E37_79B9_7F4A_7C15))
    }
}

/// The finaliser of SplitMix64: every input bit moves every output bit.
#[inline]
pub(crate) fn mix(mut x: u64) -> u64 {
    x = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

/// The share of a standard normal below `x`.
pub(crate) fn normal_share(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

#[cfg(test)]
mod tests {
    use super::{Draw, normal_share};

    #[test]
    fn normal_numbers_fall_below_as_often_as_they_should() {
        let draw = Draw::new(3, 1);
        for x in [-1.5, -0.3, 0.0, 1.0] {
            let below = (0..100_000).filter(|&i| draw.normal(i) < x).count();
            assert!((below as f64 / 1e5 - normal_share(x)).abs() < 0.007);
        }
    }

    #[test]
    fn draws_look_uniform_and_independent() {
        let n = 200_000u64;
        for index in 0..4 {
            let (a, b) = (Draw::new(7, index), Draw::new(7, index + 1));
            let mean = (0..n).map(|e| a.unit(e)).sum::<f64>() / n as f64;
            assert!((mean - 0.5).abs() < 4.0 * 0.289 / (n as f64).sqrt());
            let together = (0..n)
                .filter(|&e| a.unit(e) < 0.3 && b.unit(e) < 0.3)
                .count() as f64
                / n as f64;
            assert!((together - 0.09).abs() < 4.0 * 0.286 / (n as f64).sqrt());
            assert!((0..n).all(|e| a.below(10, e) < 10));
        }
    }
}
