//! The local belief: for no experience at all.
//!
//! Obstacles have a rate and a size. An unexplored stretch of length `s` is free with probability
//! `exp(-rate * s)`. A checked configuration counts for its surroundings with weight
//! `k = exp(-eta * distance)`: near a free one the rate is lowered by that share, near a blocked one
//! the edge itself is blocked with that probability,
//!
//! ```text
//! P(edge free) = exp(-rate * sum of s_i (1 - k_i)) * (1 - max k_j)
//! ```
//!
//! with the sum over the edge's stretches, `k_i` from free and `k_j` from blocked nearest
//! configurations. Nobody knows rate and eta beforehand: a grid of both is kept, each pair weighted by
//! how well it has predicted the checks so far.

use super::{Belief, Evidence, NearestNeighbourError};
use crate::belief::surroundings::Surroundings;
use crate::random::Draw;
use crate::roadmap::{EdgeId, Roadmap};

/// Stretches that an edge is divided into.
const STRETCHES: usize = 8;
/// Rates and etas, per longest side of the space.
const RATES: [f64; 6] = [0.5, 1.0, 2.0, 4.0, 8.0, 16.0];
const ETAS: [f64; 5] = [8.0, 16.0, 32.0, 64.0, 128.0];
const HYPOTHESES: usize = RATES.len() * ETAS.len();

/// Obstacles with a rate and a size that are learned from the checks.
#[derive(Debug, Clone)]
pub struct Local<'a> {
    roadmap: &'a Roadmap,
    surroundings: Surroundings<'a>,
    scale: f64,
    /// Log weight of each pair of rate and eta.
    weights: [f64; HYPOTHESES],
    shares: [f64; HYPOTHESES],
    /// The probability of each edge, and how many checks it rests on.
    cache: Vec<(f64, u32)>,
    checks: u32,
    draw: Draw,
}

impl<'a> Local<'a> {
    /// A belief over the edges of `roadmap`.
    ///
    /// # Errors
    /// If the roadmap has no configurations.
    pub fn new(roadmap: &'a Roadmap) -> Result<Self, NearestNeighbourError> {
        let space = roadmap
            .space()
            .ok_or(NearestNeighbourError::NoConfigurations)?;
        let sides = space.axes().iter().map(|a| a.extent() * a.weight());
        let mut belief = Self {
            roadmap,
            surroundings: Surroundings::new(roadmap, STRETCHES + 1),
            scale: sides.fold(0.0, f64::max),
            weights: [0.0; HYPOTHESES],
            shares: [0.0; HYPOTHESES],
            cache: vec![(0.0, u32::MAX); roadmap.edge_count()],
            checks: 0,
            draw: Draw::new(0, 0),
        };
        belief.normalise();
        Ok(belief)
    }

    fn normalise(&mut self) {
        let most = self
            .weights
            .iter()
            .copied()
            .fold(f64::NEG_INFINITY, f64::max);
        let mut sum = 0.0;
        for (share, weight) in self.shares.iter_mut().zip(&self.weights) {
            *share = (weight - most).exp();
            sum += *share;
        }
        for share in &mut self.shares {
            *share /= sum;
        }
    }

    /// The probability that an edge is free under each pair of rate and eta.
    fn under_each(&mut self, edge: EdgeId) -> [f64; HYPOTHESES] {
        let stretch = self.roadmap.edge(edge).length / self.scale / STRETCHES as f64;
        let mut hazard = [0.0; ETAS.len()];
        let mut hit = [0.0f64; ETAS.len()];
        for point in 0..=STRETCHES {
            // The ends stand for half a stretch each.
            let weight = if point == 0 || point == STRETCHES {
                0.5 * stretch
            } else {
                stretch
            };
            let (distance, free) = self.surroundings.nearest(edge, point);
            // k falls by a power of two from one eta to the next, and so do the ks.
            let mut k = (-ETAS[0] * distance / self.scale).exp();
            for (hazard, hit) in hazard.iter_mut().zip(&mut hit) {
                if free {
                    *hazard += weight * (1.0 - k);
                } else {
                    *hazard += weight;
                    *hit = hit.max(k);
                }
                k *= k;
            }
        }
        let mut p = [0.0; HYPOTHESES];
        for (e, (hazard, hit)) in hazard.iter().zip(&hit).enumerate() {
            // Each rate is twice the one before, so each share the square of the one before.
            let mut unhit = (-RATES[0] * hazard).exp();
            for p in &mut p[e * RATES.len()..(e + 1) * RATES.len()] {
                *p = (unhit * (1.0 - hit)).clamp(1e-6, 1.0 - 1e-6);
                unhit *= unhit;
            }
        }
        p
    }
}

impl Belief for Local<'_> {
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        let (p, checks) = self.cache[edge.index()];
        if checks == self.checks {
            return p;
        }
        let each = self.under_each(edge);
        let p = each
            .iter()
            .zip(&self.shares)
            .map(|(p, share)| p * share)
            .sum();
        self.cache[edge.index()] = (p, self.checks);
        p
    }

    fn draw(&mut self, draw: Draw) -> bool {
        self.draw = draw;
        true
    }

    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        self.draw.unit(u64::from(edge.0)) < self.probability_free(edge)
    }

    fn observe(&mut self, evidence: Evidence<'_>) {
        if let Some(free) = evidence.free {
            let each = self.under_each(evidence.edge);
            for (weight, p) in self.weights.iter_mut().zip(each) {
                *weight += if free { p.ln() } else { (1.0 - p).ln() };
            }
            self.normalise();
        }
        self.surroundings.observe(evidence);
        self.checks += 1;
    }
}
