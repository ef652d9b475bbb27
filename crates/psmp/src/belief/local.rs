//! The local belief: for no experience at all.
//!
//! Obstacles have a rate and a size. An unexplored stretch of length `s` is free with probability
//! `exp(-rate * s)`. Near a checked configuration that is free the rate is lowered by the share
//! `k = exp(-eta * distance)`: what is free tells less and less of what is farther away. Near one that
//! is blocked the edge itself is blocked with probability `g = exp(-(distance / size)^2)`: an obstacle
//! has an extent, and beyond it tells nothing. Together
//!
//! ```text
//! P(edge free) = exp(-rate * sum of s_i (1 - k_i)) * (1 - max g_j)
//! ```
//!
//! with the sum over the edge's stretches, `k_i` from free and `g_j` from blocked nearest
//! configurations. Nobody knows rate, eta and size beforehand: a grid of all three is kept, each point
//! of it weighted by how well it has predicted the checks so far.
//!
//! Drawn worlds are coherent in space: a smooth random field of the same size as obstacles, a sum of
//! waves of random direction and phase, decides for edges that lie near each other alike.

use super::{Belief, Evidence, NearestNeighbourError};
use crate::belief::places::{ABREAST, least};
use crate::belief::surroundings::{Around, Remembered, Surroundings};
use crate::checker::Sightings;
use crate::random::{Draw, normal_share};
use crate::roadmap::{EdgeId, Roadmap};
use std::ops::Range;
use wide::{f32x8, f32x16, u32x16};

/// Points of an edge that look around, its ends among them, and the stretches between them. Fewer miss thin walls.
const POINTS: usize = 16;
const STRETCHES: usize = POINTS - 1;
/// Rates and etas, per longest side of the space, and sizes as shares of it. Each is twice or half the
/// one before.
const RATES: [f64; 6] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0];
const ETAS: [f64; 5] = [8.0, 16.0, 32.0, 64.0, 128.0];
const SIZES: [f64; 5] = [1.0 / 8.0, 1.0 / 16.0, 1.0 / 32.0, 1.0 / 64.0, 1.0 / 128.0];
/// Pairs of an eta and a size, and with each of them all rates.
const PAIRS: usize = ETAS.len() * SIZES.len();
const HYPOTHESES: usize = RATES.len() * PAIRS;
/// What a check leaves to be remembered: free motions, or several free configurations for each stretch.
const REMEMBERED: Remembered = Remembered::Stretches(4 * STRETCHES);
/// A rate or a size that is less likely than this is passed over, and so is an obstacle.
const NEGLIGIBLE: f64 = 1e-4;
/// While the shares of the hypotheses have moved by no more than this, the old ones serve, and
/// whatever was computed with them.
const NEGLIGIBLE_MOVE: f64 = 0.03;
/// No pair of eta and size, with any rate, is ever held for less likely: what is 0 would stay so.
const LEAST_WEIGHT: f64 = 1e-100;
/// Waves that make up the field of a drawn world.
const WAVES: usize = 16;
/// The purpose for which a draw's random number picks the size of obstacles.
const PICK: u64 = u64::MAX;
/// Purposes from here on are for the waves.
const WAVE: u64 = 1 << 33;

/// Of what is farther away than so many lengths over which an influence falls by a factor e, or so many sizes of an
/// obstacle, less than two hundredths reaches an edge: that need not be heard of.
const LENGTHS_AWAY: f64 = 4.0;
const SIZES_AWAY: f64 = 2.0;
/// An eta or a size that is less likely than this has no say in how far that is. It gets its say back when it is
/// twice as likely.
const UNLIKELY: f64 = 0.01;

/// What an edge meets.
#[derive(Debug, Clone, Copy)]
struct Meeting {
    /// The probability that the edge is free, and the version of the shares it was computed with;
    /// none if it was not.
    probability: f32,
    version: u32,
    /// One more than the place of what was predicted of the edge, 0 if nothing was.
    prediction: u32,
    met: Met,
}

impl Meeting {
    const NONE: Self = Self {
        probability: 0.0,
        version: 0,
        prediction: 0,
        met: Met {
            unhit: [0.0; LANES],
            hit: [0.0; SIZES.len()],
        },
    };
}

/// Numbers for all etas side by side; those behind the last are 0 or no matter.
const LANES: usize = 8;

/// What there is along an edge.
#[derive(Debug, Clone, Copy)]
struct Met {
    /// How likely it meets no unknown obstacle at the least rate, for each eta.
    unhit: [f32; LANES],
    /// How likely it runs into an obstacle that is known, for each size.
    hit: [f32; SIZES.len()],
}

/// Obstacles with a rate and a size that are learned from the checks.
#[derive(Debug, Clone)]
pub struct Local {
    roadmap: Roadmap,
    surroundings: Surroundings<POINTS>,
    /// What lengths of edges are measured by.
    longest_side: f64,
    /// By the slots of the surroundings.
    meetings: Vec<Meeting>,
    /// What edges met before anything was seen of them: by this they were predicted.
    predictions: Vec<Met>,
    /// How likely each eta with each size and each rate is by all that was seen, and how likely it was when that was
    /// last taken over.
    weights: [f64; HYPOTHESES],
    shares: [f64; HYPOTHESES],
    /// How likely each pair of eta and size is, whatever the rate.
    pair_shares: [f64; PAIRS],
    /// The rates and the sizes that are not passed over, by their places.
    rates: Range<usize>,
    sizes: Range<usize>,
    /// How likely each rate is with each eta, whatever the size, if it is one of those.
    rate_shares: [f32x8; RATES.len()],
    /// How likely each size is with each rate and each eta: the shares in another order.
    shares_at_rates: [[f32x8; SIZES.len()]; RATES.len()],
    /// The least eta and the greatest size that are likely, by their places.
    widest: [usize; 2],
    /// How often the shares have changed.
    version: u32,
    /// The waves of the drawn world: how many turns each takes along the first axis, then along the
    /// next, and so on; last the turn each begins with.
    waves: Vec<[f64; WAVES]>,
    /// The draw whose waves have yet to be made: most are drawn for others and never asked about.
    drawn: Option<Draw>,
    middle: Vec<f32>,
}

impl Local {
    /// A belief over the edges of `roadmap`.
    ///
    /// # Errors
    /// If the roadmap has no configurations.
    pub fn new(roadmap: &Roadmap) -> Result<Self, NearestNeighbourError> {
        let space = roadmap
            .space()
            .ok_or(NearestNeighbourError::NoConfigurations)?;
        let surroundings = Surroundings::new(roadmap, REMEMBERED, f64::INFINITY);
        let dimension = surroundings.dimension();
        let mut belief = Self {
            roadmap: roadmap.clone(),
            longest_side: space.longest_side(),
            surroundings,
            meetings: Vec::with_capacity(roadmap.edge_count()),
            predictions: Vec::with_capacity(roadmap.edge_count()),
            weights: [1.0; HYPOTHESES],
            shares: [0.0; HYPOTHESES],
            pair_shares: [0.0; PAIRS],
            rates: 0..RATES.len(),
            sizes: 0..SIZES.len(),
            rate_shares: Default::default(),
            shares_at_rates: Default::default(),
            widest: [0; 2],
            version: 0,
            waves: vec![[0.0; WAVES]; dimension + 1],
            drawn: None,
            middle: vec![0.0; dimension],
        };
        belief.normalise();
        Ok(belief)
    }

    /// Takes new weights over, once they have changed by more than matters.
    fn normalise(&mut self) {
        let one = 1.0 / self.weights.iter().sum::<f64>();
        let mut moved = 0.0;
        for (weight, share) in self.weights.iter_mut().zip(&self.shares) {
            *weight = (*weight * one).max(LEAST_WEIGHT);
            moved += 0.5 * (*weight - share).abs();
        }
        if moved <= NEGLIGIBLE_MOVE {
            return;
        }
        self.shares = self.weights;
        self.version += 1;
        let pairs = self.shares.chunks_exact(RATES.len());
        for (pair_share, shares) in self.pair_shares.iter_mut().zip(pairs) {
            *pair_share = shares.iter().sum();
        }
        self.choose_rates_and_sizes();
        self.choose_earshot();
    }

    /// Chooses which rates and sizes are worth asking: after some checks most are all but ruled out.
    fn choose_rates_and_sizes(&mut self) {
        let mut of_rates = [0.0; RATES.len()];
        let mut of_sizes = [0.0; SIZES.len()];
        let places = |place: usize| (place % RATES.len(), place / RATES.len() % SIZES.len());
        for (place, share) in self.shares.iter().enumerate() {
            let (rate, size) = places(place);
            of_rates[rate] += share;
            of_sizes[size] += share;
        }
        self.rates = those_that_count(&of_rates);
        self.sizes = those_that_count(&of_sizes);
        let counts = |place: usize| {
            let (rate, size) = places(place);
            self.rates.contains(&rate) && self.sizes.contains(&size)
        };
        let each = || {
            self.shares
                .iter()
                .enumerate()
                .filter(|(place, _)| counts(*place))
        };
        let one = 1.0 / each().map(|(_, share)| share).sum::<f64>();
        self.rate_shares = Default::default();
        for (place, share) in each() {
            let (rate, size) = places(place);
            let eta = place / (RATES.len() * SIZES.len());
            let share = (share * one) as f32;
            self.rate_shares[rate].as_mut_array()[eta] += share;
            self.shares_at_rates[rate][size].as_mut_array()[eta] = share;
        }
    }

    /// Chooses how far from an edge checks can be that tell of it.
    fn choose_earshot(&mut self) {
        let mut likely = [[0.0; ETAS.len()], [0.0; SIZES.len()]];
        for (pair, share) in self.pair_shares.iter().enumerate() {
            likely[0][pair / SIZES.len()] += share;
            likely[1][pair % SIZES.len()] += share;
        }
        for (widest, likely) in self.widest.iter_mut().zip(likely) {
            let first = |least: f64| likely.iter().position(|&share| share >= least);
            // Farther only where that is clear, nearer as soon as it can be.
            let farther = first(2.0 * UNLIKELY).unwrap_or(0).min(*widest);
            let nearer = first(UNLIKELY).unwrap_or(0);
            *widest = nearer.max(farther);
        }
        let [eta, size] = self.widest;
        let earshot = f64::max(LENGTHS_AWAY / ETAS[eta], SIZES_AWAY * SIZES[size]);
        self.surroundings.set_earshot(earshot);
    }

    /// The probability that an edge is free where obstacles are known to have this rate, per length.
    pub(super) fn probability_at_rate(&mut self, edge: EdgeId, rate: f64) -> f64 {
        let slot = self.look_at(edge);
        let Met { unhit, hit } = &self.meetings[slot].met;
        let least_rates = rate * self.longest_side / RATES[0];
        let mut p = 0.0;
        for (unhit, shares) in unhit.iter().zip(self.pair_shares.chunks_exact(SIZES.len())) {
            let each = hit.iter().zip(shares);
            let unmet = each.map(|(hit, share)| f64::from(1.0 - hit) * share);
            p += f64::from(*unhit).powf(least_rates) * unmet.sum::<f64>();
        }
        doubted(p)
    }

    /// The field of a drawn world, with the size of obstacles picked as it is believed now.
    fn make_waves(&mut self, draw: Draw) {
        let mut rest = draw.unit(PICK);
        let mut picked = HYPOTHESES - 1;
        for (place, share) in self.shares.iter().enumerate() {
            rest -= share;
            if rest < 0.0 {
                picked = place;
                break;
            }
        }
        let size = SIZES[picked / RATES.len() % SIZES.len()];
        let turns = 1.0 / (size * std::f64::consts::TAU);
        let phase = self.middle.len();
        for (axis, waves) in self.waves.iter_mut().enumerate() {
            for (i, number) in waves.iter_mut().enumerate() {
                let purpose = WAVE + (axis * WAVES + i) as u64;
                *number = if axis == phase {
                    draw.unit(purpose)
                } else {
                    turns * draw.normal(purpose)
                };
            }
        }
    }

    /// Finds out what an edge meets, and in which slot that is kept. Only checks near the edge change it.
    #[inline]
    fn look_at(&mut self, edge: EdgeId) -> usize {
        let slot = self.surroundings.slot(edge);
        if self.surroundings.look_along(slot) {
            self.meet(edge, slot);
        }
        slot
    }

    fn meet(&mut self, edge: EdgeId, slot: usize) {
        if slot >= self.meetings.len() {
            self.meetings.resize(slot + 1, Meeting::NONE);
        }
        let stretch = self.roadmap.edge(edge).length / self.longest_side / STRETCHES as f64;
        let meeting = &mut self.meetings[slot];
        meeting.version = 0;
        meeting.met = along(&self.surroundings.around(slot), stretch as f32);
    }

    /// The probability that an edge which meets this is free.
    fn probability(&self, met: &Met) -> f32 {
        let Met { unhit, hit } = met;
        let (mut unhit, mut sums) = (f32x8::from(*unhit), f32x8::ZERO);
        // Where no obstacle is known nearby sizes do not matter.
        let is_alone = f64::from(hit[0]) < NEGLIGIBLE;
        // Each rate is twice the one before, so each share the square of the one before.
        for _ in 0..self.rates.start {
            unhit *= unhit;
        }
        for rate in self.rates.clone() {
            let mut unmet = self.rate_shares[rate];
            if !is_alone {
                let shares = &self.shares_at_rates[rate][self.sizes.clone()];
                for (&shares, &hit) in shares.iter().zip(&hit[self.sizes.clone()]) {
                    unmet -= shares * hit;
                }
            }
            sums += unmet * unhit;
            unhit *= unhit;
        }
        sum(sums.as_array())
    }
}

/// The places from the first to the last of these shares that counts.
fn those_that_count(shares: &[f64]) -> Range<usize> {
    let counts = |share: &f64| *share >= NEGLIGIBLE;
    let first = shares.iter().position(counts).unwrap_or(0);
    let last = shares.iter().rposition(counts);
    first..last.map_or(shares.len(), |last| last + 1)
}

/// A sum of numbers that stand side by side.
#[inline]
fn sum<const N: usize>(numbers: &[f32; N]) -> f32 {
    let mut sums = [0.0; 4];
    for numbers in numbers.as_chunks::<4>().0 {
        for (sum, number) in sums.iter_mut().zip(numbers) {
            *sum += number;
        }
    }
    (sums[0] + sums[1]) + (sums[2] + sums[3])
}

/// What there is along an edge of stretches of this length, by what its points know.
fn along(around: &Around, stretch: f32) -> Met {
    let is_free = around.free_points();
    let nearest_hit = least(is_free.bitselect(f32x16::splat(f32::INFINITY), around.squared));
    let faint = f32x16::splat(FAINT);
    let k = negative_exponentials(around.squared.sqrt() * ETAS[0] as f32);
    // What is as good as nothing is nothing: its powers would be too small for their numbers.
    let mut k = k.simd_gt(faint) & is_free & k;
    let mut exponents = [0.0; ABREAST];
    for exponent in &mut exponents[..ETAS.len()] {
        // The ends stand for half a stretch each.
        let each = k.as_array();
        let known = sum(each) - 0.5 * (each[0] + each[STRETCHES]);
        *exponent = RATES[0] as f32 * stretch * (STRETCHES as f32 - known).max(0.0);
        // Each eta is twice the one before, so each k the square of the one before.
        k *= k;
    }
    exponents[HIT] = nearest_hit / (SIZES[0] * SIZES[0]) as f32;
    let powers = negative_exponentials(exponents.into()).to_array();
    // Each size is half the one before, so each g the fourth power.
    let mut g = powers[HIT];
    let hit = SIZES.map(|_| {
        let of_size = if g > FAINT * FAINT { g } else { 0.0 };
        g = of_size * of_size * (of_size * of_size);
        of_size
    });
    Met {
        unhit: std::array::from_fn(|eta| powers[eta]),
        hit,
    }
}

/// Where among the exponents that of an obstacle stands, behind those of all etas.
const HIT: usize = LANES;

/// An influence that is no larger is nothing.
const FAINT: f32 = 1.0 / 128.0;

/// `exp(-x)` of each of these, which are not negative, to a few units of the last place, the same on every machine.
#[inline]
fn negative_exponentials(x: f32x16) -> f32x16 {
    // Adding a number this large rounds to whole ones, which then are the last bits.
    const ROUND: f32 = 1.5 * (1u32 << 23) as f32;
    // The logarithm of two in two parts, the first of few bits.
    const LN_2: [f32; 2] = [0.693_359_4, -2.121_944_4e-4];
    let x = -x.fast_min(f32x16::splat(87.0));
    let halvings = x * std::f32::consts::LOG2_E + ROUND;
    let whole = halvings - ROUND;
    let rest = (x - whole * LN_2[0]) - whole * LN_2[1];
    let mut series = f32x16::splat(1.0 / 720.0);
    for term in [1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0] {
        series = rest * series + term;
    }
    series * f32x16::from_bits((halvings.to_bits() << 23) + u32x16::splat(127 << 23))
}

/// A probability, kept a little away from certainty.
#[inline]
fn doubted(p: f64) -> f64 {
    p.clamp(1e-6, 1.0 - 1e-6)
}

/// A smooth wave between -1 and 1 that repeats after one turn: a cosine to three digits, in a few
/// products that are the same on every machine.
#[inline]
fn wave(turns: f64) -> f64 {
    // Adding and taking away a number this large rounds to whole turns, several at once.
    const ROUND: f64 = 1.5 * (1u64 << 52) as f64;
    let from_crest = turns - ((turns + ROUND) - ROUND);
    let quarter = 0.25 - from_crest.abs();
    let arc = 8.0 * quarter - 16.0 * quarter * quarter.abs();
    0.775 * arc + 0.225 * arc * arc.abs()
}

impl Belief for Local {
    #[inline]
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        let slot = self.look_at(edge);
        let Meeting {
            mut probability,
            version,
            ..
        } = self.meetings[slot];
        if version != self.version {
            probability = self.probability(&self.meetings[slot].met);
            let meeting = &mut self.meetings[slot];
            meeting.probability = probability;
            meeting.version = self.version;
        }
        doubted(f64::from(probability))
    }

    fn draw(&mut self, draw: Draw) -> bool {
        self.drawn = Some(draw);
        true
    }

    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        if let Some(draw) = self.drawn.take() {
            self.make_waves(draw);
        }
        let p = self.probability_free(edge);
        let slot = self.surroundings.slot(edge);
        self.surroundings.middle(slot, &mut self.middle);
        let mut turns = self.waves[self.middle.len()];
        for (waves, x) in self.waves.iter().zip(&self.middle) {
            for (turn, wave) in turns.iter_mut().zip(waves) {
                *turn += wave * f64::from(*x);
            }
        }
        let field: f64 = turns.map(wave).iter().sum();
        // The sum of many waves is nearly normal, with variance one half each.
        normal_share(field / (0.5 * WAVES as f64).sqrt()) < p
    }

    /// That they are coherent in space is an assumption.
    fn draws_from_experience(&self) -> bool {
        false
    }

    fn observe(&mut self, evidence: Evidence<'_>) {
        let slot = self.look_at(evidence.edge);
        let meeting = &mut self.meetings[slot];
        // What was predicted before anything was seen of the edge is what counts.
        if meeting.prediction == 0 {
            self.predictions.push(meeting.met);
            meeting.prediction = self.predictions.len() as u32;
        }
        let Met { unhit, hit } = self.predictions[meeting.prediction as usize - 1];
        let Evidence { before, now, .. } = evidence;
        for (pair, weights) in self.weights.chunks_exact_mut(RATES.len()).enumerate() {
            let mut unhit = f64::from(unhit[pair / SIZES.len()]);
            let unmet = f64::from(1.0 - hit[pair % SIZES.len()]);
            for weight in weights {
                let p = doubted(unhit * unmet);
                *weight *= now.mean(p) / before.mean(p);
                unhit *= unhit;
            }
        }
        self.normalise();
        self.surroundings.observe(evidence);
    }

    fn learns_from(&self, _: EdgeId, sightings: &Sightings) -> bool {
        !sightings.is_empty()
    }

    fn grow(&mut self, _: usize) {
        self.surroundings.grow();
    }

    fn sight(&mut self, sightings: &Sightings) {
        self.surroundings.sight(sightings);
    }

    fn local(&mut self) -> Option<&mut Local> {
        Some(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::Likelihood;
    use crate::roadmap::{Connection, halton};
    use crate::space::Space;

    #[test]
    fn waves_are_cosines_to_three_digits() {
        for i in -2000..2000 {
            let turns = f64::from(i) * 0.00137;
            let cosine = (std::f64::consts::TAU * turns).cos();
            assert!((wave(turns) - cosine).abs() < 2e-3, "at {turns}");
        }
    }

    #[test]
    fn drawn_worlds_keep_each_edges_probability_and_hang_together_in_space() {
        let space = Space::unit(2);
        let points = halton(&space, 200);
        let roadmap = Roadmap::from_configurations(space, points, Connection::Nearest(6)).unwrap();
        let mut belief = Local::new(&roadmap).unwrap();
        let edges: Vec<EdgeId> = (0..roadmap.edge_count() as u32).map(EdgeId).collect();
        let middle = |edge: EdgeId| {
            let ends = roadmap.edge(edge);
            let a = roadmap.configuration(ends.from).unwrap();
            let b = roadmap.configuration(ends.to).unwrap();
            [0.5 * (a[0] + b[0]), 0.5 * (a[1] + b[1])]
        };
        let from_first = |edge: EdgeId| {
            let (a, b) = (middle(edges[0]), middle(edge));
            (a[0] - b[0]).hypot(a[1] - b[1])
        };
        let near = edges[1..]
            .iter()
            .min_by(|a, b| from_first(**a).total_cmp(&from_first(**b)));
        let far = edges
            .iter()
            .max_by(|a, b| from_first(**a).total_cmp(&from_first(**b)));
        let draws = 4000;
        let mut free = [0u32; 3];
        let mut alike = [0u32; 2];
        for index in 0..draws {
            assert!(belief.draw(Draw::new(9, index)));
            let states =
                [edges[0], *near.unwrap(), *far.unwrap()].map(|e| belief.is_free_in_draw(e));
            for (free, state) in free.iter_mut().zip(states) {
                *free += u32::from(state);
            }
            alike[0] += u32::from(states[0] == states[1]);
            alike[1] += u32::from(states[0] == states[2]);
        }
        for (edge, free) in [edges[0], *near.unwrap(), *far.unwrap()]
            .into_iter()
            .zip(free)
        {
            let p = belief.probability_free(edge);
            assert!(
                (f64::from(free) / draws as f64 - p).abs() < 0.04,
                "{free} against {p}"
            );
        }
        assert!(alike[0] > alike[1] + 200, "{alike:?}");
    }

    /// A partial check that shows nothing tells of the rate of obstacles everywhere; what it has told is
    /// part of what the whole check tells, and is not counted twice.
    #[test]
    fn partial_checks_teach_how_many_obstacles_there_are() {
        let space = Space::unit(2);
        let points = halton(&space, 100);
        let roadmap = Roadmap::from_configurations(space, points, Connection::Nearest(6)).unwrap();
        let longest = roadmap.edge_ids().max_by(|a, b| {
            let [a, b] = [a, b].map(|e| roadmap.edge(*e).length);
            a.total_cmp(&b)
        });
        let (edge, nothing) = (longest.unwrap(), Sightings::new(2));
        let see = |belief: &mut Local, steps: &[Likelihood]| {
            for pair in steps.windows(2) {
                belief.observe(Evidence {
                    edge,
                    before: pair[0],
                    now: pair[1],
                    sightings: &nothing,
                });
            }
        };
        let steps = [1.0, 0.4, 0.05, 0.0].map(Likelihood::inconclusive);
        let mut partly = Local::new(&roadmap).unwrap();
        let mut weights = partly.weights;
        let mut lowest_rate = 0.0;
        for pair in steps.windows(2) {
            see(&mut partly, pair);
            assert_ne!(partly.weights, weights);
            weights = partly.weights;
            let share = weights.iter().step_by(RATES.len()).sum::<f64>();
            assert!(share > lowest_rate);
            lowest_rate = share;
        }
        let mut whole = Local::new(&roadmap).unwrap();
        see(&mut whole, &[steps[0], steps[3]]);
        for (a, b) in partly.weights.iter().zip(whole.weights) {
            assert!((a - b).abs() < 1e-9);
        }
    }
}
