//! The latent Gaussian belief: edges hang together through a few hidden causes.
//!
//! Known worlds are rows of +1 (free) and -1 (blocked). A row is taken as
//! `y = mean + W z + noise`, with `z` standard normal of some rank and noise of its own variance on
//! each edge; `W` spans the leading directions of the centred table. A check is a noisy observation
//! of its `y`, so conditioning is linear algebra of the size of the rank, and
//! `P(free) = Phi(mean / deviation)`. Unlike a set of worlds it generalises: a new world need not be
//! any of the known ones, only made of the same causes.
//!
//! Each edge remembers its mean and variance and how many checks they rest on; a check asks one dot
//! product of every edge that is looked at later, and nothing of the others.

use super::{Belief, Evidence};
use crate::random::Draw;
use crate::roadmap::EdgeId;
use crate::table::{Experience, WorldId, bit};
use std::sync::Arc;

/// What is learned from known worlds; shared by all runs on a roadmap.
#[derive(Debug, Clone)]
pub struct LatentModel {
    rank: usize,
    mean: Vec<f32>,
    /// The rows of `W`, one after the other.
    loadings: Vec<f32>,
    /// What the causes do not explain of each edge.
    residual: Vec<f32>,
}

/// The least residual variance: no edge is explained without a rest.
const LEAST_RESIDUAL: f32 = 0.05;

impl LatentModel {
    /// Learns from some worlds of a table.
    #[must_use]
    pub fn learn(experience: &impl Experience, worlds: &[WorldId], rank: usize) -> Self {
        let edges = experience.edge_count();
        let n = worlds.len();
        let rank = rank.min(n.saturating_sub(1));
        let basis = leading_directions(experience, worlds, rank);
        let mut mean = vec![0.0f32; edges];
        let mut loadings = vec![0.0f32; edges * rank];
        let mut residual = vec![1.0f32; edges];
        let column_sums: Vec<f32> = (0..rank)
            .map(|c| basis.iter().skip(c).step_by(rank.max(1)).sum())
            .collect();
        for edge in 0..edges {
            let row = experience.worlds_where_free(EdgeId(edge as u32));
            let w = &mut loadings[edge * rank..(edge + 1) * rank];
            let mut free = 0usize;
            // The sum over worlds of +-1 times the basis is twice the sum over free worlds less all.
            for (i, world) in worlds.iter().enumerate() {
                if bit(row, world.index()) {
                    free += 1;
                    for (w, b) in w.iter_mut().zip(&basis[i * rank..(i + 1) * rank]) {
                        *w += b;
                    }
                }
            }
            // One world more of each kind, so that no edge is certain beforehand.
            let m = (2.0 * free as f32 - n as f32) / (n as f32 + 2.0);
            for (w, sum) in w.iter_mut().zip(&column_sums) {
                *w = (2.0 * *w - sum - m * sum) / (n as f32).sqrt();
            }
            let explained: f32 = w.iter().map(|w| w * w).sum();
            mean[edge] = m;
            residual[edge] = (1.0 - m * m - explained).max(LEAST_RESIDUAL);
        }
        Self {
            rank,
            mean,
            loadings,
            residual,
        }
    }

    /// All there is to a model, to be kept: the mean of each edge, the rows of `W` one after the
    /// other, and the residual variance of each edge.
    #[must_use]
    pub fn parts(&self) -> [&[f32]; 3] {
        [&self.mean, &self.loadings, &self.residual]
    }

    /// The model of these parts; `None` if their lengths do not fit together or a number is none
    /// that a model can have.
    #[must_use]
    pub fn from_parts([mean, loadings, residual]: [Vec<f32>; 3]) -> Option<Self> {
        let rank = loadings.len() / mean.len().max(1);
        let fits = residual.len() == mean.len() && loadings.len() == rank * mean.len();
        let finite = mean.iter().chain(&loadings).all(|x| x.is_finite());
        let positive = residual.iter().all(|x| *x > 0.0 && x.is_finite());
        (fits && finite && positive).then_some(Self {
            rank,
            mean,
            loadings,
            residual,
        })
    }

    fn row(&self, edge: EdgeId) -> &[f32] {
        &self.loadings[edge.index() * self.rank..(edge.index() + 1) * self.rank]
    }
}

/// An orthonormal basis, worlds x rank, of the leading directions of the centred table, by
/// orthogonal iteration on the worlds' inner products.
fn leading_directions(experience: &impl Experience, worlds: &[WorldId], rank: usize) -> Vec<f32> {
    let n = worlds.len();
    let edges = experience.edge_count();
    let mut gram = vec![0.0f32; n * n];
    for i in 0..n {
        let a = experience.free_edges_in(worlds[i]);
        for j in i..n {
            let b = experience.free_edges_in(worlds[j]);
            let differ: u32 = a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum();
            let product = edges as f32 - 2.0 * differ as f32;
            gram[i * n + j] = product;
            gram[j * n + i] = product;
        }
    }
    // Centring the rows of the table is centring its inner products twice.
    let row_means: Vec<f32> = gram
        .chunks_exact(n.max(1))
        .map(|row| row.iter().sum::<f32>() / n as f32)
        .collect();
    let whole = row_means.iter().sum::<f32>() / n.max(1) as f32;
    for i in 0..n {
        for j in 0..n {
            gram[i * n + j] += whole - row_means[i] - row_means[j];
        }
    }
    let random = Draw::new(0x001A_7E47, 0);
    let mut basis: Vec<f32> = (0..n * rank)
        .map(|i| normal(random, i as u64) as f32)
        .collect();
    orthonormalise(&mut basis, n, rank);
    for _ in 0..12 {
        let mut next = vec![0.0f32; n * rank];
        for i in 0..n {
            let out = &mut next[i * rank..(i + 1) * rank];
            for (j, g) in gram[i * n..(i + 1) * n].iter().enumerate() {
                for (o, b) in out.iter_mut().zip(&basis[j * rank..(j + 1) * rank]) {
                    *o += g * b;
                }
            }
        }
        basis = next;
        orthonormalise(&mut basis, n, rank);
    }
    basis
}

/// Gram and Schmidt, over the columns of an n x rank matrix.
fn orthonormalise(basis: &mut [f32], n: usize, rank: usize) {
    for c in 0..rank {
        // Twice, because once loses digits to rounding.
        for _ in 0..2 {
            for earlier in 0..c {
                let dot: f32 = (0..n)
                    .map(|i| basis[i * rank + c] * basis[i * rank + earlier])
                    .sum();
                for i in 0..n {
                    basis[i * rank + c] -= dot * basis[i * rank + earlier];
                }
            }
        }
        let norm: f32 = (0..n)
            .map(|i| basis[i * rank + c].powi(2))
            .sum::<f32>()
            .sqrt();
        for i in 0..n {
            basis[i * rank + c] /= norm.max(f32::MIN_POSITIVE);
        }
    }
}

/// A standard normal number for one purpose of a draw, by Box and Muller.
fn normal(draw: Draw, purpose: u64) -> f64 {
    let radius = (-2.0 * (1.0 - draw.unit(2 * purpose)).ln()).sqrt();
    radius * (std::f64::consts::TAU * draw.unit(2 * purpose + 1)).cos()
}

/// The share of a standard normal below `x`.
fn phi(x: f64) -> f64 {
    0.5 * libm::erfc(-x * std::f64::consts::FRAC_1_SQRT_2)
}

fn dot(a: &[f32], b: &[f32]) -> f64 {
    // Eight sums at once, so that the compiler can use vector registers.
    let mut sums = [0.0f32; 8];
    let (a8, a_rest) = a.as_chunks::<8>();
    let (b8, b_rest) = b.as_chunks::<8>();
    for (a, b) in a8.iter().zip(b8) {
        for i in 0..8 {
            sums[i] += a[i] * b[i];
        }
    }
    let rest: f32 = a_rest.iter().zip(b_rest).map(|(a, b)| a * b).sum();
    f64::from(sums.iter().sum::<f32>() + rest)
}

/// An edge's mean and variance, and how many checks they rest on.
#[derive(Debug, Clone, Copy)]
struct Marginal {
    mean: f64,
    variance: f64,
    checks: u32,
}

/// What a check has taught: every edge's mean moves by `(w . gain) * pull` and its variance falls by
/// `(w . gain)^2`.
#[derive(Debug, Clone)]
struct Lesson {
    edge: EdgeId,
    outcome: f64,
    pull: f64,
    deviation: f64,
}

/// How many draws of the causes a joint probability is taken over.
const JOINT_DRAWS: usize = 24;

/// The posterior over hidden causes given the checks.
#[derive(Debug, Clone)]
pub struct Latent {
    model: Arc<LatentModel>,
    covariance: Vec<f32>,
    cause: Vec<f32>,
    lessons: Vec<Lesson>,
    gains: Vec<f32>,
    marginals: Vec<Marginal>,
    draw: Draw,
    drawn: Vec<f32>,
    /// Draws of the causes for joint probabilities, and how many checks they rest on.
    joint: Vec<f32>,
    joint_checks: usize,
}

impl Latent {
    /// The prior of a model.
    #[must_use]
    pub fn new(model: Arc<LatentModel>) -> Self {
        let rank = model.rank;
        let mut covariance = vec![0.0; rank * rank];
        for i in 0..rank {
            covariance[i * rank + i] = 1.0;
        }
        let unread = Marginal {
            mean: 0.0,
            variance: -1.0,
            checks: 0,
        };
        Self {
            covariance,
            cause: vec![0.0; rank],
            lessons: Vec::new(),
            gains: Vec::new(),
            marginals: vec![unread; model.mean.len()],
            model,
            draw: Draw::new(0, 0),
            drawn: vec![0.0; rank],
            joint: Vec::new(),
            joint_checks: usize::MAX,
        }
    }

    fn marginal(&mut self, edge: EdgeId) -> Marginal {
        let w = self.model.row(edge);
        let rank = self.model.rank;
        let m = &mut self.marginals[edge.index()];
        if m.variance < 0.0 {
            m.mean = f64::from(self.model.mean[edge.index()]);
            m.variance = dot(w, w) + f64::from(self.model.residual[edge.index()]);
        }
        while (m.checks as usize) < self.lessons.len() {
            let t = m.checks as usize;
            let share = dot(w, &self.gains[t * rank..(t + 1) * rank]);
            m.mean += share * self.lessons[t].pull;
            m.variance -= share * share;
            m.checks += 1;
        }
        *m
    }

    /// Draws causes from the posterior: a draw from the prior, moved by every check as the mean was.
    fn draw_causes(&self, draw: Draw, causes: &mut [f32]) {
        let rank = self.model.rank;
        for (i, z) in causes.iter_mut().enumerate() {
            *z = normal(draw, (1 << 32) + i as u64) as f32;
        }
        for (t, lesson) in self.lessons.iter().enumerate() {
            let residual = f64::from(self.model.residual[lesson.edge.index()]);
            let noise = residual.sqrt() * normal(draw, (1 << 33) + t as u64);
            let expected = f64::from(self.model.mean[lesson.edge.index()])
                + dot(self.model.row(lesson.edge), causes)
                + noise;
            let step = ((lesson.outcome - expected) / lesson.deviation) as f32;
            for (z, g) in causes.iter_mut().zip(&self.gains[t * rank..(t + 1) * rank]) {
                *z += g * step;
            }
        }
    }
}

impl Belief for Latent {
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        if edge.index() >= self.model.mean.len() {
            return 0.5;
        }
        let m = self.marginal(edge);
        phi(m.mean / m.variance.max(1e-6).sqrt()).clamp(1e-6, 1.0 - 1e-6)
    }

    fn probability_all_free(&mut self, edges: &[EdgeId]) -> f64 {
        let rank = self.model.rank;
        if self.joint_checks != self.lessons.len() {
            let mut joint = std::mem::take(&mut self.joint);
            joint.resize(JOINT_DRAWS * rank, 0.0);
            for (i, causes) in joint.chunks_exact_mut(rank.max(1)).enumerate() {
                // The same numbers in every step, so that candidates are compared alike.
                self.draw_causes(Draw::new(0x0070_1247, i as u64), causes);
            }
            self.joint = joint;
            self.joint_checks = self.lessons.len();
        }
        let mut sum = 0.0;
        let beyond = |e: &&EdgeId| e.index() >= self.model.mean.len();
        let unknown = 0.5f64.powi(edges.iter().filter(beyond).count() as i32);
        for causes in self.joint.chunks_exact(rank.max(1)) {
            let mut product = unknown;
            for &edge in edges.iter().filter(|e| !beyond(e)) {
                let mean =
                    f64::from(self.model.mean[edge.index()]) + dot(self.model.row(edge), causes);
                product *= phi(mean / f64::from(self.model.residual[edge.index()]).sqrt());
            }
            sum += product;
        }
        sum / JOINT_DRAWS as f64
    }

    fn draw(&mut self, draw: Draw) -> bool {
        self.draw = draw;
        let mut drawn = std::mem::take(&mut self.drawn);
        self.draw_causes(draw, &mut drawn);
        self.drawn = drawn;
        true
    }

    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        if edge.index() >= self.model.mean.len() {
            return true;
        }
        let mean =
            f64::from(self.model.mean[edge.index()]) + dot(self.model.row(edge), &self.drawn);
        let residual = f64::from(self.model.residual[edge.index()]);
        mean + residual.sqrt() * normal(self.draw, u64::from(edge.0)) > 0.0
    }

    fn observe(&mut self, evidence: Evidence<'_>) {
        let (Some(free), edge) = (evidence.free, evidence.edge) else {
            return;
        };
        if edge.index() >= self.model.mean.len() {
            return;
        }
        let rank = self.model.rank;
        let w = self.model.row(edge);
        let residual = f64::from(self.model.residual[edge.index()]);
        let begin = self.gains.len();
        for i in 0..rank {
            let g = dot(&self.covariance[i * rank..(i + 1) * rank], w) as f32;
            self.gains.push(g);
        }
        let gain = &mut self.gains[begin..];
        let deviation = (dot(gain, w) + residual).max(1e-9).sqrt();
        for g in gain.iter_mut() {
            *g /= deviation as f32;
        }
        let outcome = if free { 1.0 } else { -1.0 };
        let expected = f64::from(self.model.mean[edge.index()]) + dot(w, &self.cause);
        let pull = (outcome - expected) / deviation;
        for i in 0..rank {
            self.cause[i] += gain[i] * pull as f32;
            for j in 0..rank {
                self.covariance[i * rank + j] -= gain[i] * gain[j];
            }
        }
        self.lessons.push(Lesson {
            edge,
            outcome,
            pull,
            deviation,
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::Sightings;
    use crate::table::CollisionTable;

    /// Worlds of two causes: each blocks half of the edges, on its own.
    fn two_causes(worlds: u64) -> CollisionTable {
        let rows: Vec<Vec<bool>> = (0..worlds)
            .map(|w| {
                let random = Draw::new(2, w);
                let causes = [random.unit(0) < 0.5, random.unit(1) < 0.5];
                (0..40)
                    .map(|e| causes[usize::from(e >= 20)] ^ (random.unit(10 + e) < 0.02))
                    .collect()
            })
            .collect();
        CollisionTable::from_rows(40, &rows).unwrap()
    }

    fn show(belief: &mut Latent, edge: u32, free: bool) {
        belief.observe(Evidence {
            edge: EdgeId(edge),
            free: Some(free),
            sightings: &Sightings::default(),
        });
    }

    #[test]
    fn a_check_tells_of_edges_with_the_same_cause_and_no_others() {
        let table = two_causes(300);
        let worlds: Vec<WorldId> = (0..300).map(WorldId).collect();
        let mut belief = Latent::new(Arc::new(LatentModel::learn(&table, &worlds, 5)));
        assert!((belief.probability_free(EdgeId(5)) - 0.5).abs() < 0.1);
        show(&mut belief, 0, true);
        show(&mut belief, 30, false);
        for edge in 1..20 {
            assert!(belief.probability_free(EdgeId(edge)) > 0.85);
        }
        for edge in (20..40).filter(|e| *e != 30) {
            assert!(belief.probability_free(EdgeId(edge)) < 0.15);
        }
        // What hangs together is likelier together than its parts would be alone.
        let fresh = Latent::new(belief.model.clone());
        let edges: Vec<EdgeId> = (1..7).map(EdgeId).collect();
        let together = { fresh }.probability_all_free(&edges);
        assert!((0.3..0.7).contains(&together), "{together}");
    }

    #[test]
    fn drawn_worlds_have_the_posterior_as_their_frequencies() {
        let table = two_causes(200);
        let worlds: Vec<WorldId> = (0..200).map(WorldId).collect();
        let mut belief = Latent::new(Arc::new(LatentModel::learn(&table, &worlds, 8)));
        show(&mut belief, 3, false);
        show(&mut belief, 25, true);
        for edge in [0, 7, 22, 39].map(EdgeId) {
            let free = (0..4000)
                .filter(|&i| belief.draw(Draw::new(4, i)) && belief.is_free_in_draw(edge))
                .count();
            let p = belief.probability_free(edge);
            assert!(
                (free as f64 / 4000.0 - p).abs() < 0.03,
                "{free} against {p}"
            );
        }
    }
}
