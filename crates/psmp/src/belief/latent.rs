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

use super::{Belief, Evidence, Likelihood, held_out};
use crate::random::{Draw, normal_share};
use crate::roadmap::EdgeId;
use crate::table::{CollisionTable, Experience, WorldId, bit};
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
    log_likelihood: f64,
}

/// Numbers of hidden causes to choose from.
const RANKS: [usize; 4] = [12, 25, 50, 100];
/// Least residual variances to choose from: no edge is explained without a rest.
const LEAST_RESIDUALS: [f32; 4] = [0.01, 0.03, 0.1, 0.3];
/// Where nothing can be left out to choose by.
const UNTRIED: (usize, f32) = (50, 0.1);

impl LatentModel {
    /// Learns from known worlds. How many causes there are, and how much each edge keeps to
    /// itself at least, is chosen by how well worlds left out are predicted from the others.
    ///
    /// What a world does not tell of an edge counts as the edge's mean: it teaches nothing.
    #[must_use]
    pub fn learn(experience: &Experience) -> Self {
        let (table, worlds) = (&**experience.table(), experience.worlds());
        let left_out = held_out::left_out(worlds);
        let rest: Vec<WorldId> = worlds
            .iter()
            .copied()
            .filter(|w| !left_out.contains(w))
            .collect();
        let mut best = (f64::NEG_INFINITY, UNTRIED);
        if !left_out.is_empty() {
            let largest = RANKS[RANKS.len() - 1].min(rest.len() - 1);
            let whole = Self::of_rank(table, &rest, largest, 0.0);
            for rank in RANKS.into_iter().filter(|rank| *rank <= largest) {
                for least_residual in LEAST_RESIDUALS {
                    let model = Arc::new(whole.cut_down(rank, least_residual));
                    let likelihood = held_out::log_likelihood_per_check(table, &left_out, |_| {
                        Latent::new(model.clone())
                    });
                    if likelihood > best.0 {
                        best = (likelihood, (rank, least_residual));
                    }
                }
            }
        }
        let (likelihood, (rank, least_residual)) = best;
        let mut model = Self::of_rank(table, worlds, rank, least_residual);
        if likelihood.is_finite() {
            model.log_likelihood = likelihood;
        }
        model
    }

    /// How many hidden causes there are.
    #[must_use]
    pub fn rank(&self) -> usize {
        self.rank
    }

    /// The mean log-likelihood of a check in worlds that were left out when it was learned, -ln 2 if
    /// none could be.
    #[must_use]
    pub fn log_likelihood(&self) -> f64 {
        self.log_likelihood
    }

    fn of_rank(
        table: &CollisionTable,
        worlds: &[WorldId],
        rank: usize,
        least_residual: f32,
    ) -> Self {
        let edges = table.edge_count();
        let n = worlds.len();
        let rank = rank.min(n.saturating_sub(1));
        let mean = means(table, worlds);
        let basis = leading_directions(table, worlds, &mean, rank);
        let mut loadings = vec![0.0f32; edges * rank];
        let mut residual = vec![1.0f32; edges];
        let scale = 1.0 / (n.max(1) as f32).sqrt();
        for edge in 0..edges {
            let free = table.worlds_where_free(EdgeId(edge as u32));
            let known = table.worlds_where_known(EdgeId(edge as u32));
            let w = &mut loadings[edge * rank..(edge + 1) * rank];
            for (i, world) in worlds.iter().enumerate() {
                if known.is_none_or(|known| bit(known, world.index())) {
                    let y = if bit(free, world.index()) { 1.0 } else { -1.0 };
                    let off = (y - mean[edge]) * scale;
                    for (w, b) in w.iter_mut().zip(&basis[i * rank..(i + 1) * rank]) {
                        *w += off * b;
                    }
                }
            }
            let explained: f32 = w.iter().map(|w| w * w).sum();
            residual[edge] = (1.0 - mean[edge] * mean[edge] - explained).max(least_residual);
        }
        Self {
            rank,
            mean,
            loadings,
            residual,
            log_likelihood: -std::f64::consts::LN_2,
        }
    }

    /// The same model with its first causes only.
    fn cut_down(&self, rank: usize, least_residual: f32) -> Self {
        let rows = self.loadings.chunks_exact(self.rank.max(1));
        let mut loadings = Vec::with_capacity(self.mean.len() * rank);
        let mut residual = Vec::with_capacity(self.mean.len());
        for (row, mean) in rows.zip(&self.mean) {
            let row = &row[..rank];
            let explained: f32 = row.iter().map(|w| w * w).sum();
            residual.push((1.0 - mean * mean - explained).max(least_residual));
            loadings.extend_from_slice(row);
        }
        Self {
            rank,
            mean: self.mean.clone(),
            loadings,
            residual,
            log_likelihood: self.log_likelihood,
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
            log_likelihood: -std::f64::consts::LN_2,
        })
    }

    fn row(&self, edge: EdgeId) -> &[f32] {
        &self.loadings[edge.index() * self.rank..(edge.index() + 1) * self.rank]
    }
}

/// The mean of each edge over the worlds that tell of it, one world more of each kind counted, so
/// that no edge is certain beforehand.
fn means(table: &CollisionTable, worlds: &[WorldId]) -> Vec<f32> {
    let mean = |edge| {
        let free = table.worlds_where_free(EdgeId(edge));
        let known = table.worlds_where_known(EdgeId(edge));
        let (mut sum, mut count) = (0.0, 0.0);
        for world in worlds {
            if known.is_none_or(|known| bit(known, world.index())) {
                sum += if bit(free, world.index()) { 1.0 } else { -1.0 };
                count += 1.0;
            }
        }
        sum / (count + 2.0f32)
    };
    (0..table.edge_count() as u32).map(mean).collect()
}

/// The inner products of the centred rows of all pairs of worlds. What a world does not tell is 0
/// after centring.
fn inner_products(table: &CollisionTable, worlds: &[WorldId], mean: &[f32]) -> Vec<f32> {
    let n = worlds.len();
    let edges = table.edge_count();
    let squares: f32 = mean.iter().map(|m| m * m).sum();
    let all: f32 = mean.iter().sum();
    // Of each world, the inner product of its row, not centred, with the mean.
    let with_mean: Vec<f32> = worlds
        .iter()
        .map(|&world| {
            let row = table.free_edges_in(world);
            let free = mean.iter().enumerate().filter(|(e, _)| bit(row, *e));
            2.0 * free.map(|(_, m)| m).sum::<f32>() - all
        })
        .collect();
    let mut products = vec![0.0f32; n * n];
    for i in 0..n {
        let a = table.free_edges_in(worlds[i]);
        let known = table.known_edges_in(worlds[i]);
        for j in i..n {
            let b = table.free_edges_in(worlds[j]);
            let other_known = table.known_edges_in(worlds[j]);
            let product = if known.is_none() && other_known.is_none() {
                let differ: u32 = a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum();
                edges as f32 - 2.0 * differ as f32 - with_mean[i] - with_mean[j] + squares
            } else {
                (0..edges)
                    .filter(|&e| known.is_none_or(|k| bit(k, e)))
                    .filter(|&e| other_known.is_none_or(|k| bit(k, e)))
                    .map(|e| {
                        let y = if bit(a, e) { 1.0 } else { -1.0 };
                        let z = if bit(b, e) { 1.0 } else { -1.0 };
                        (y - mean[e]) * (z - mean[e])
                    })
                    .sum()
            };
            products[i * n + j] = product;
            products[j * n + i] = product;
        }
    }
    products
}

/// An orthonormal basis, worlds x rank, of the leading directions of the centred table, the leading
/// one first, by orthogonal iteration on the worlds' inner products.
fn leading_directions(
    table: &CollisionTable,
    worlds: &[WorldId],
    mean: &[f32],
    rank: usize,
) -> Vec<f32> {
    let n = worlds.len();
    let products = inner_products(table, worlds, mean);
    let random = Draw::new(0x001A_7E47, 0);
    // The columns of the basis, one after the other.
    let mut columns: Vec<f32> = (0..n * rank)
        .map(|i| random.normal(i as u64) as f32)
        .collect();
    orthonormalise(&mut columns, n);
    let mut next = vec![0.0f32; n * rank];
    for _ in 0..12 {
        for (out, column) in next.chunks_exact_mut(n).zip(columns.chunks_exact(n)) {
            for (out, row) in out.iter_mut().zip(products.chunks_exact(n)) {
                *out = dot(row, column) as f32;
            }
        }
        std::mem::swap(&mut columns, &mut next);
        orthonormalise(&mut columns, n);
    }
    let mut basis = vec![0.0f32; n * rank];
    for (c, column) in columns.chunks_exact(n.max(1)).enumerate() {
        for (i, b) in column.iter().enumerate() {
            basis[i * rank + c] = *b;
        }
    }
    basis
}

/// Gram and Schmidt, over columns of length `n`. A column that the earlier ones leave nothing of but
/// rounding becomes zero: it is no direction of the table.
fn orthonormalise(columns: &mut [f32], n: usize) {
    for c in 0..columns.len() / n.max(1) {
        let (earlier, column) = columns.split_at_mut(c * n);
        let column = &mut column[..n];
        let before = dot(column, column).sqrt();
        // Twice, because once loses digits to rounding.
        for _ in 0..2 {
            for other in earlier.chunks_exact(n) {
                let share = dot(column, other) as f32;
                for (x, other) in column.iter_mut().zip(other) {
                    *x -= share * other;
                }
            }
        }
        let after = dot(column, column).sqrt();
        let scale = if after > 1e-5 * before {
            (1.0 / after) as f32
        } else {
            0.0
        };
        for x in column {
            *x *= scale;
        }
    }
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

/// An edge counts as free where no more than this share of blocked ones would still hide: a partial
/// check cannot be weighed by its likelihood here, so it counts for nothing or like a whole one.
const ALL_BUT_SURE: f64 = 0.02;

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
    joint_checks: Option<usize>,
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
            joint_checks: None,
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
        for (i, z) in causes.iter_mut().enumerate() {
            *z = draw.normal((1 << 32) + i as u64) as f32;
        }
        self.teach(draw, causes, 0);
    }

    /// Moves causes that a draw has given by the checks from the `begin`-th on.
    fn teach(&self, draw: Draw, causes: &mut [f32], begin: usize) {
        let rank = self.model.rank;
        for (t, lesson) in self.lessons.iter().enumerate().skip(begin) {
            let residual = f64::from(self.model.residual[lesson.edge.index()]);
            let noise = residual.sqrt() * draw.normal((1 << 33) + t as u64);
            let expected = f64::from(self.model.mean[lesson.edge.index()])
                + dot(self.model.row(lesson.edge), causes)
                + noise;
            let step = ((lesson.outcome - expected) / lesson.deviation) as f32;
            for (z, g) in causes.iter_mut().zip(&self.gains[t * rank..(t + 1) * rank]) {
                *z += g * step;
            }
        }
    }

    /// Conditions the causes on the outcome of an edge.
    fn learn(&mut self, edge: EdgeId, outcome: f64) {
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

impl Belief for Latent {
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        let m = self.marginal(edge);
        let p = normal_share(m.mean / m.variance.max(1e-6).sqrt());
        p.clamp(1e-6, 1.0 - 1e-6)
    }

    fn probability_all_free(&mut self, edges: &[EdgeId]) -> f64 {
        let rank = self.model.rank;
        if self.joint_checks != Some(self.lessons.len()) {
            let mut joint = std::mem::take(&mut self.joint);
            joint.resize(JOINT_DRAWS * rank, 0.0);
            for (i, causes) in joint.chunks_exact_mut(rank.max(1)).enumerate() {
                // The same numbers in every step, so that candidates are compared alike.
                let draw = Draw::new(0x0070_1247, i as u64);
                match self.joint_checks {
                    Some(checks) => self.teach(draw, causes, checks),
                    None => self.draw_causes(draw, causes),
                }
            }
            self.joint = joint;
            self.joint_checks = Some(self.lessons.len());
        }
        let mut sum = 0.0;
        for causes in self.joint.chunks_exact(rank.max(1)) {
            let mut product = 1.0;
            for &edge in edges {
                let mean =
                    f64::from(self.model.mean[edge.index()]) + dot(self.model.row(edge), causes);
                product *= normal_share(mean / f64::from(self.model.residual[edge.index()]).sqrt());
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
        let mean =
            f64::from(self.model.mean[edge.index()]) + dot(self.model.row(edge), &self.drawn);
        let residual = f64::from(self.model.residual[edge.index()]);
        mean + residual.sqrt() * self.draw.normal(u64::from(edge.0)) > 0.0
    }

    fn observe(&mut self, evidence: Evidence<'_>) {
        // What is all but sure teaches like what is sure, and once.
        let all_but_sure = |seen: Likelihood| seen.if_blocked <= ALL_BUT_SURE * seen.if_free;
        match evidence.verdict() {
            Some(false) => self.learn(evidence.edge, -1.0),
            _ if all_but_sure(evidence.now) && !all_but_sure(evidence.before) => {
                self.learn(evidence.edge, 1.0);
            }
            _ => {}
        }
    }

    fn knows(&self, edge: EdgeId) -> bool {
        edge.index() < self.model.mean.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::PartlyChecked;
    use crate::checker::Sightings;

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
        belief.observe(Evidence::of(EdgeId(edge), free, &Sightings::default()));
    }

    #[test]
    fn a_check_tells_of_edges_with_the_same_cause_and_no_others() {
        let table = two_causes(300);
        let mut belief = Latent::new(Arc::new(LatentModel::learn(&table.into())));
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
    fn what_is_all_but_sure_teaches_once() {
        let table = two_causes(300);
        let mut direct = Latent::new(Arc::new(LatentModel::learn(&table.into())));
        let mut partly = PartlyChecked::new(direct.clone(), 40);
        let see = |belief: &mut PartlyChecked<Latent>, before, now| {
            belief.observe(Evidence {
                edge: EdgeId(0),
                before,
                now,
                sightings: &Sightings::default(),
            });
        };
        let steps = [1.0, 0.5, 0.005, 0.0].map(Likelihood::inconclusive);
        let others = [EdgeId(5), EdgeId(6)];
        let elsewhere = partly.probability_free(EdgeId(5));
        let together = partly.probability_all_free(&[EdgeId(0), EdgeId(5)]);
        see(&mut partly, steps[0], steps[1]);
        let p = partly.probability_free(EdgeId(0));
        assert!(p > 0.6);
        assert_eq!(partly.probability_free(EdgeId(5)), elsewhere);
        // Together with others the edge counts by itself.
        let now = partly.probability_all_free(&[EdgeId(0), EdgeId(5)]);
        assert!(now != together && now < p && now > 0.5 * p * elsewhere);
        see(&mut partly, steps[1], steps[2]);
        show(&mut direct, 0, true);
        let joint = direct.probability_all_free(&others);
        assert_eq!(partly.probability_all_free(&others), joint);
        see(&mut partly, steps[2], steps[3]);
        assert_eq!(
            partly.probability_free(EdgeId(5)),
            direct.probability_free(EdgeId(5))
        );
        assert_eq!(partly.probability_all_free(&others), joint);
    }

    #[test]
    fn drawn_worlds_have_the_posterior_as_their_frequencies() {
        let table = two_causes(200);
        let mut belief = Latent::new(Arc::new(LatentModel::learn(&table.into())));
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
