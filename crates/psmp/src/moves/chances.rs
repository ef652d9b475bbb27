//! How likely a motion is free that no roadmap knows, beside a path that is known to be free.
//!
//! Like the [local belief](crate::belief::Local): obstacles have a rate and a size. A motion beside a path
//! that is known to be free has less to fear the nearer it keeps to it, and it is blocked if it comes
//! close to a configuration that was found in collision. Nobody knows rate, reach and size beforehand: a
//! grid of all three is kept, each weighted by how well it has predicted the motions tried so far.

use crate::space::Space;

/// Places along a way that are held against the path beside it.
const PLACES: usize = 8;
/// Rates and etas, per longest side of the space, and sizes as shares of it. Each is twice or half the
/// one before.
const RATES: [f64; 6] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0];
const ETAS: [f64; 4] = [4.0, 16.0, 64.0, 256.0];
const SIZES: [f64; 5] = [1.0 / 16.0, 1.0 / 32.0, 1.0 / 64.0, 1.0 / 128.0, 1.0 / 256.0];
const HYPOTHESES: usize = RATES.len() * ETAS.len() * SIZES.len();
/// How many configurations in collision are remembered, the last ones.
const REMEMBERED: usize = 128;

/// No way is more certain than this to be free, or not to be: else nothing could teach that it is otherwise.
const DOUBT: f64 = 1e-3;

/// What a way has to fear.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Fears {
    /// The length on which it may meet something unknown, for each eta.
    hazard: [f64; ETAS.len()],
    /// How likely it runs into what is known to be there, for each size.
    hit: [f64; SIZES.len()],
}

/// Learns from motions tried how likely others are free.
#[derive(Debug)]
pub(crate) struct Chances {
    space: Space,
    scale: f64,
    /// The configurations in collision that were met last, one after the other.
    blocked: Vec<f64>,
    /// Where the next one goes.
    next: usize,
    log_weights: [f64; HYPOTHESES],
    shares: [f64; HYPOTHESES],
    here: Vec<f64>,
    beside: Vec<f64>,
}

impl Chances {
    pub fn new(space: &Space) -> Self {
        let dimension = space.dimension();
        Self {
            space: space.clone(),
            scale: space.longest_side(),
            blocked: Vec::with_capacity(REMEMBERED * dimension),
            next: 0,
            log_weights: [0.0; HYPOTHESES],
            shares: [1.0 / HYPOTHESES as f64; HYPOTHESES],
            here: vec![0.0; dimension],
            beside: vec![0.0; dimension],
        }
    }

    /// What the way through these configurations, given one after the other, has to fear of what is
    /// unknown; `beside` writes the place at a share of the path beside it, which is known to be free.
    pub fn of_unknown(&mut self, way: &[f64], mut beside: impl FnMut(f64, &mut [f64])) -> Fears {
        let dimension = self.space.dimension();
        let mut fears = Fears::default();
        let motions = way.len() / dimension - 1;
        let motion = |i: usize| way[i * dimension..(i + 2) * dimension].split_at(dimension);
        let mut length = 0.0;
        for i in 0..motions {
            let (from, to) = motion(i);
            length += self.space.distance(from, to);
        }
        let mut before = 0.0;
        let mut place = 1;
        for i in 0..motions {
            let (from, to) = motion(i);
            let own = self.space.distance(from, to);
            while place < PLACES {
                let along = length * place as f64 / PLACES as f64;
                if along > before + own || own <= 0.0 {
                    break;
                }
                let share = (along - before) / own;
                self.space.interpolate(from, to, share, &mut self.here);
                beside(place as f64 / PLACES as f64, &mut self.beside);
                let away = self.space.distance(&self.here, &self.beside) / self.scale;
                let stretch = length / self.scale / (PLACES - 1) as f64;
                // Each eta is four times the one before.
                let mut k = (-ETAS[0] * away).exp();
                for hazard in &mut fears.hazard {
                    *hazard += stretch * (1.0 - k);
                    k *= k;
                    k *= k;
                }
                place += 1;
            }
            before += own;
        }
        fears
    }

    /// Adds what it has to fear of what is known to be in collision. It can only be less likely free then.
    pub fn add_known(&mut self, way: &[f64], fears: &mut Fears) {
        let dimension = self.space.dimension();
        let mut nearest = f64::INFINITY;
        for motion in way.windows(2 * dimension).step_by(dimension) {
            let (from, to) = motion.split_at(dimension);
            nearest = nearest.min(self.nearest_blocked(from, to));
        }
        // Each size is half the one before, so each share the fourth power.
        let sizes_away = nearest / (SIZES[0] * self.scale);
        let mut g = (-sizes_away * sizes_away).exp();
        for hit in &mut fears.hit {
            *hit = g;
            g *= g;
            g *= g;
        }
    }

    /// How near the motion comes to a configuration that is known to be in collision.
    fn nearest_blocked(&mut self, from: &[f64], to: &[f64]) -> f64 {
        // The motion, in coordinates where a distance is a distance: each axis times its weight.
        let axes = self.space.axes();
        let mut whole = 0.0;
        let ends = from.iter().zip(to).zip(axes);
        for (motion, ((&a, &b), axis)) in self.here.iter_mut().zip(ends) {
            *motion = axis.weight() * axis.difference(a, b);
            whole += *motion * *motion;
        }
        let scale = 1.0 / whole.max(f64::MIN_POSITIVE);
        let mut nearest = f64::INFINITY;
        for q in self.blocked.chunks_exact(axes.len()) {
            // The foot of the perpendicular.
            let (mut along, mut away) = (0.0, 0.0);
            for (((axis, motion), &a), &x) in axes.iter().zip(&self.here).zip(from).zip(q) {
                let there = axis.weight() * axis.difference(a, x);
                along += motion * there;
                away += there * there;
            }
            let share = (along * scale).clamp(0.0, 1.0);
            nearest = f64::min(nearest, away - share * (2.0 * along - share * whole));
        }
        nearest.max(0.0).sqrt()
    }

    /// The probability that a way with these fears is free.
    pub fn of(&self, fears: &Fears) -> f64 {
        let mut p = 0.0;
        for (share, each) in self.shares.iter().zip(under_each(fears)) {
            p += share * each;
        }
        p.clamp(DOUBT, 1.0 - DOUBT)
    }

    /// A way with these fears was tried.
    pub fn learn(&mut self, fears: &Fears, free: bool) {
        for (weight, p) in self.log_weights.iter_mut().zip(under_each(fears)) {
            let p = p.clamp(1e-3, 1.0 - 1e-3);
            *weight += if free { p } else { 1.0 - p }.ln();
        }
        let weights = self.log_weights.iter().copied();
        let most = weights.fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for (share, weight) in self.shares.iter_mut().zip(&mut self.log_weights) {
            *weight -= most;
            *share = weight.exp();
            sum += *share;
        }
        self.shares.iter_mut().for_each(|share| *share /= sum);
    }

    /// This configuration is in collision.
    pub fn remember_blocked(&mut self, q: &[f64]) {
        if self.blocked.len() < REMEMBERED * q.len() {
            self.blocked.extend_from_slice(q);
        } else {
            self.blocked[self.next..self.next + q.len()].copy_from_slice(q);
            self.next = (self.next + q.len()) % self.blocked.len();
        }
    }
}

/// The probability that a way is free under each hypothesis.
fn under_each(fears: &Fears) -> [f64; HYPOTHESES] {
    let mut all = [0.0; HYPOTHESES];
    let mut place = 0;
    for hazard in fears.hazard {
        // Each rate is twice the one before, so each share the square of the one before.
        let mut unmet = [0.0; RATES.len()];
        let mut share = (-RATES[0] * hazard).exp();
        for unmet in &mut unmet {
            *unmet = share;
            share *= share;
        }
        for hit in fears.hit {
            for unmet in unmet {
                all[place] = unmet * (1.0 - hit);
                place += 1;
            }
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The straight way from one place to another, beside a path along the lower edge.
    fn chance(chances: &mut Chances, height: f64) -> (Fears, f64) {
        let way = [0.2, height, 0.8, height];
        let mut fears = chances.of_unknown(&way, |share, q| {
            q.copy_from_slice(&[0.2 + 0.6 * share, 0.0]);
        });
        chances.add_known(&way, &mut fears);
        (fears, chances.of(&fears))
    }

    #[test]
    fn what_was_tried_tells_of_what_is_near() {
        let mut chances = Chances::new(&Space::unit(2));
        let (_, near) = chance(&mut chances, 0.01);
        let (_, far) = chance(&mut chances, 0.5);
        assert!(near > 1.5 * far, "{near} {far}");
        // A ceiling at 0.3: what is above is blocked, what is below free.
        for _ in 0..10 {
            for height in [0.1, 0.2, 0.4, 0.5] {
                let (fears, _) = chance(&mut chances, height);
                chances.learn(&fears, height < 0.3);
                if height > 0.3 {
                    chances.remember_blocked(&[0.5, height]);
                }
            }
        }
        let (_, below) = chance(&mut chances, 0.15);
        let (_, there) = chance(&mut chances, 0.4);
        let (_, beside) = chance(&mut chances, 0.405);
        assert!(below > 0.7 && there < 0.1, "{below} {there}");
        assert!(there < beside && beside < below, "{beside}");
    }
}
