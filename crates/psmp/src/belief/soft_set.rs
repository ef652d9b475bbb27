//! The soft finite set: the true world resembles some of the known ones.
//!
//! The [finite set](super::FiniteSet) drops a world at its first disagreement with a check, which is
//! right only if the true world is known to the last edge. Here a world's weight is multiplied by
//! `doubt / (1 - doubt)` at every disagreement, and in a drawn world each edge flips with a small
//! probability, so that no edge is ever certain and no check is impossible. Both numbers are fitted:
//! every known world is left out in turn, and those are kept that would have predicted it best.
//!
//! Where it is known beforehand how things stand, by [features](crate::Features), worlds in which they stand alike weigh
//! more from the beginning: by `exp(-(unlikeness / breadth)^2 / 2)`. The breadth is fitted with the other two numbers. A world
//! that is unlike all known ones is measured more coarsely, so that no known one stands for it alone.
//!
//! Of a world that was only planned in, most edges are missing. A missing edge neither agrees nor
//! disagrees: it counts as free with the edge's share of the worlds that tell of it.
//!
//! A check costs a pass over the worlds; a probability is computed when it is asked for, from the
//! worlds that still have weight; nothing is proportional to the number of edges.

use super::{Belief, Evidence, Likelihood, held_out};
use crate::random::Draw;
use crate::roadmap::EdgeId;
use crate::table::{CollisionTable, Experience, WorldId, bit};
use std::sync::Arc;

/// What is tried for the two numbers, evenly spaced to the eye of a logarithm.
const DOUBTS: [f64; 11] = [
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.45,
];
const FLIPS: [f64; 9] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2];
/// And for the breadth, where there are features: so many times as much as a world is usually unlike the known one that
/// resembles it most, or so much that features tell nothing.
const BREADTHS: [f64; 6] = [0.25, 0.5, 1.0, 2.0, 4.0, f64::INFINITY];

/// How far known worlds are to be trusted: what a soft set needs beside the worlds.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SoftSetModel {
    doubt: f64,
    flip: f64,
    /// Infinite where features tell nothing.
    breadth: f64,
}

impl Default for SoftSetModel {
    /// For experience of which nothing can be left out.
    fn default() -> Self {
        Self {
            doubt: 0.05,
            flip: 0.05,
            breadth: f64::INFINITY,
        }
    }
}

impl SoftSetModel {
    /// The model with these numbers: a disagreement divides a world's weight by
    /// `(1 - doubt) / doubt`, and an edge of a drawn world flips with probability `flip`. `None`
    /// unless both are above 0 and at most 1/2.
    #[must_use]
    pub fn new(doubt: f64, flip: f64) -> Option<Self> {
        let sound = |share: f64| share > 0.0 && share <= 0.5;
        (sound(doubt) && sound(flip)).then_some(Self {
            doubt,
            flip,
            breadth: f64::INFINITY,
        })
    }

    /// The same for worlds with features: how unlike two are that tell little of each other. `None` unless it is above 0.
    #[must_use]
    pub fn with_breadth(self, breadth: f64) -> Option<Self> {
        (breadth > 0.0).then_some(Self { breadth, ..self })
    }

    /// Fits its numbers to known worlds: [worlds are left out](super::held_out), one at a
    /// time, and those are kept that predict them best from the others.
    #[must_use]
    pub fn learn(experience: &Experience) -> Self {
        let left_out = held_out::left_out(experience.worlds());
        let breadths = breadths(experience, &left_out);
        let mut likelihoods = vec![[[0.0; FLIPS.len()]; DOUBTS.len()]; breadths.len()];
        let mut checks = Vec::new();
        if left_out.is_empty() {
            return Self::default();
        }
        for (index, left_out) in left_out.into_iter().enumerate() {
            let others = experience.as_if_in(left_out);
            held_out::checks_in(experience.table(), left_out, index, &mut checks);
            let each = breadths.iter().zip(&mut likelihoods);
            let each = each.flat_map(|(breadth, of_breadth)| {
                let of_doubts = DOUBTS.into_iter().zip(of_breadth);
                of_doubts.map(move |(doubt, likelihoods)| (*breadth, doubt, likelihoods))
            });
            for (breadth, doubt, likelihoods) in each {
                let model = Self {
                    doubt,
                    flip: 0.5,
                    breadth,
                };
                let mut set = SoftSet::new(others.clone(), model);
                for &edge in &checks {
                    let free = experience.table().is_free(left_out, edge);
                    let share = set.share_free(edge);
                    let right = if free { share } else { 1.0 - share };
                    for (flip, likelihood) in FLIPS.into_iter().zip(likelihoods.iter_mut()) {
                        *likelihood += (flip + (1.0 - 2.0 * flip) * right).ln();
                    }
                    set.weigh(edge, Likelihood::NOTHING_SEEN, Likelihood::of(free));
                }
            }
        }
        let mut best = (f64::NEG_INFINITY, Self::default());
        for (breadth, likelihoods) in breadths.into_iter().zip(likelihoods) {
            for (doubt, likelihoods) in DOUBTS.into_iter().zip(likelihoods) {
                for (flip, likelihood) in FLIPS.into_iter().zip(likelihoods) {
                    if likelihood > best.0 {
                        let model = Self {
                            doubt,
                            flip,
                            breadth,
                        };
                        best = (likelihood, model);
                    }
                }
            }
        }
        best.1
    }

    /// What a disagreement costs a world is `doubt / (1 - doubt)`.
    #[must_use]
    pub fn doubt(&self) -> f64 {
        self.doubt
    }

    /// How likely an edge of a drawn world flips.
    #[must_use]
    pub fn flip(&self) -> f64 {
        self.flip
    }

    /// How unlike two worlds are by their features that tell little of each other; infinite where features tell nothing.
    #[must_use]
    pub fn breadth(&self) -> f64 {
        self.breadth
    }
}

/// What is tried for the breadth.
fn breadths(experience: &Experience, left_out: &[WorldId]) -> Vec<f64> {
    let nearest = |&world: &WorldId| {
        let all = experience.as_if_in(world).unlikeness()?;
        all.into_iter().flatten().min_by(f64::total_cmp)
    };
    let mut nearest: Vec<f64> = left_out.iter().filter_map(nearest).collect();
    nearest.sort_by(f64::total_cmp);
    let usual = nearest.get(nearest.len() / 2).filter(|usual| **usual > 0.0);
    match usual {
        Some(usual) => BREADTHS.map(|breadth| breadth * usual).to_vec(),
        None => vec![f64::INFINITY],
    }
}

/// What each world weighs before any check, by how unlike it is to the one that is planned in. One of which nothing is
/// known weighs what the others do in the mean.
fn likeness(unlike: &[Option<f64>], breadth: f64) -> Vec<f64> {
    let known = || unlike.iter().flatten().copied();
    let least = known().fold(f64::INFINITY, f64::min);
    let breadth = breadth.max(least);
    let weight = |unlike: f64| {
        let (far, near) = (unlike / breadth, least / breadth);
        (0.5 * (near * near - far * far)).exp()
    };
    let mean = known().map(weight).sum::<f64>() / known().count().max(1) as f64;
    let each = unlike.iter();
    each.map(|unlike| unlike.map_or(mean, weight)).collect()
}

/// A world of less weight than this share of the heaviest is not looked at until it matters again.
const NEGLIGIBLE: f64 = 1e-9;
/// No weight falls below this share, so that none is ever lost.
const LEAST: f64 = 1e-200;
/// Blocked edges of a path are counted in this many bits a world; of more, a path has no hope.
const COUNTER: usize = 8;

/// Known worlds weighted by how well they agree with the checks.
#[derive(Debug, Clone)]
pub struct SoftSet {
    table: Arc<CollisionTable>,
    model: SoftSetModel,
    /// A bit for each world of the set.
    members: Vec<u64>,
    /// A bit for each of them that does not tell of all edges.
    partial: Vec<u64>,
    /// A bit for each of them that has any weight to speak of.
    live: Vec<u64>,
    /// By world; the greatest is 1.
    weights: Vec<f64>,
    /// The sum of the weights of live worlds up to each world, for drawing one.
    up_to: Vec<f64>,
    total: f64,
    /// The share of each edge, and how many checks it rests on.
    cache: Vec<(f64, u32)>,
    checks: u32,
    draw: Draw,
    drawn: WorldId,
}

impl SoftSet {
    /// The set of known worlds.
    #[must_use]
    pub fn new(experience: impl Into<Experience>, model: SoftSetModel) -> Self {
        let experience = experience.into();
        let table = experience.table().clone();
        let known = table.world_count();
        let words = known.div_ceil(64);
        let mut members = vec![0u64; words];
        let mut partial = vec![0u64; words];
        let mut weights = vec![0.0; known];
        for &world in experience.worlds() {
            let (place, flag) = (world.index() / 64, 1 << (world.index() % 64));
            members[place] |= flag;
            weights[world.index()] = 1.0;
            let told = table.known_edges_in(world);
            let told = told.map(|words| words.iter().map(|w| w.count_ones() as usize).sum());
            if told.is_some_and(|told: usize| told < table.edge_count()) {
                partial[place] |= flag;
            }
        }
        if model.breadth.is_finite()
            && let Some(unlike) = experience.unlikeness()
        {
            let each = experience.worlds().iter();
            for (world, weight) in each.zip(likeness(&unlike, model.breadth)) {
                weights[world.index()] = weight;
            }
        }
        let most = weights.iter().copied().fold(0.0, f64::max);
        let mut set = Self {
            live: members.clone(),
            up_to: vec![0.0; known],
            cache: vec![(0.0, u32::MAX); table.edge_count()],
            table,
            model,
            members,
            partial,
            weights,
            total: 0.0,
            checks: 0,
            draw: Draw::new(0, 0),
            drawn: WorldId(0),
        };
        set.sum_up(if most > 0.0 { most } else { 1.0 });
        set
    }

    /// The weight of each world of the table, as a share of all; 0 for those not in the set.
    pub fn shares(&self) -> impl Iterator<Item = f64> + '_ {
        let total = self.weights.iter().sum::<f64>().max(f64::MIN_POSITIVE);
        self.weights.iter().map(move |weight| weight / total)
    }

    /// The edge's share of the worlds that tell of it, one more of each kind counted.
    fn frequency(&self, edge: EdgeId, known: &[u64]) -> f64 {
        let count = |row: &[u64]| {
            let both = row
                .iter()
                .zip(&self.members)
                .map(|(row, member)| row & member);
            both.map(|word| f64::from(word.count_ones())).sum::<f64>()
        };
        (count(self.table.worlds_where_free(edge)) + 1.0) / (count(known) + 2.0)
    }

    /// The share, by weight, of the worlds where the edge is free before any flip; one that does not
    /// tell of it counts as its frequency.
    fn share_free(&mut self, edge: EdgeId) -> f64 {
        let (share, checks) = self.cache[edge.index()];
        if checks == self.checks {
            return share;
        }
        let free = self.table.worlds_where_free(edge);
        let known = self.table.worlds_where_known(edge);
        let (mut with_free, mut with_blocked) = (0, 0);
        for ((live, free), place) in self.live.iter().zip(free).zip(0..) {
            let known = known.map_or(u64::MAX, |known| known[place]);
            with_free += (live & free).count_ones();
            with_blocked += (live & known & !free).count_ones();
        }
        // Most edges are free in most worlds or in few: the rarer kind is summed up.
        let rarer_is_free = with_free < with_blocked;
        let (mut rarer, mut missing) = (0.0, 0.0);
        for ((&live, &free), place) in self.live.iter().zip(free).zip(0..) {
            let known = known.map_or(u64::MAX, |known| known[place]);
            let wanted = if rarer_is_free { free } else { known & !free };
            let weights = &self.weights[place * 64..];
            rarer += sum_of(weights, live & wanted);
            missing += sum_of(weights, live & !known);
        }
        let from_missing = match known {
            Some(known) if missing > 0.0 => missing * self.frequency(edge, known),
            _ => 0.0,
        };
        let from_known = if rarer_is_free {
            rarer
        } else {
            self.total - missing - rarer
        };
        let share = ((from_known + from_missing) / self.total).clamp(0.0, 1.0);
        self.cache[edge.index()] = (share, self.checks);
        share
    }

    /// The probability after flips.
    fn flipped(&self, share: f64) -> f64 {
        self.model.flip + (1.0 - 2.0 * self.model.flip) * share
    }

    /// Weighs every world by whether it agrees with what was seen of an edge. One that has the edge
    /// blocked agrees with a partial check that shows nothing as often as collisions stay hidden; what
    /// is taken from it for that is given back when the edge turns out to be blocked.
    fn weigh(&mut self, edge: EdgeId, before: Likelihood, now: Likelihood) {
        let [right, wrong] = [1.0 - self.model.doubt, self.model.doubt];
        // In a world that has the edge free, and in one that has it blocked.
        let [before, now] = [before, now].map(|seen| {
            let Likelihood {
                if_free,
                if_blocked,
            } = seen;
            [
                right * if_free + wrong * if_blocked,
                wrong * if_free + right * if_blocked,
            ]
        });
        let [if_free, if_blocked] = [now[0] / before[0], now[1] / before[1]];
        let free = self.table.worlds_where_free(edge);
        let known = self.table.worlds_where_known(edge);
        // A missing edge agrees as often as its frequency says.
        let neither = known.map_or(1.0, |known| {
            let frequency = self.frequency(edge, known);
            let mean = |[free, blocked]: [f64; 2]| frequency * free + (1.0 - frequency) * blocked;
            mean(now) / mean(before)
        });
        let mut most = 0.0f64;
        for ((&members, &free), place) in self.members.iter().zip(free).zip(0..) {
            let known = known.map_or(u64::MAX, |known| known[place]);
            each_bit(members, |i| {
                let weight = &mut self.weights[place * 64 + i];
                *weight *= if known >> i & 1 == 0 {
                    neither
                } else if free >> i & 1 == 1 {
                    if_free
                } else {
                    if_blocked
                };
                most = most.max(*weight);
            });
        }
        self.sum_up(most);
        self.checks += 1;
    }

    /// Makes the greatest weight 1 and sums up those that count.
    fn sum_up(&mut self, most: f64) {
        let mut total = 0.0;
        for (place, &members) in self.members.iter().enumerate() {
            let mut live = 0;
            let weights = &mut self.weights[place * 64..];
            let up_to = &mut self.up_to[place * 64..];
            for i in 0..weights.len().min(64) {
                if members >> i & 1 == 1 {
                    let weight = (weights[i] / most).max(LEAST);
                    weights[i] = weight;
                    if weight >= NEGLIGIBLE {
                        live |= 1 << i;
                        total += weight;
                    }
                }
                up_to[i] = total;
            }
            self.live[place] = live;
        }
        self.total = total;
    }

    /// The probability that all edges that this partial world has missing, and those it tells of, are
    /// free.
    fn all_free_in(&self, world: usize, edges: &[EdgeId]) -> f64 {
        let of_edge = |&edge: &EdgeId| {
            let known = self.table.worlds_where_known(edge);
            let share = match known {
                Some(known) if !bit(known, world) => self.frequency(edge, known),
                _ => f64::from(bit(self.table.worlds_where_free(edge), world)),
            };
            self.flipped(share)
        };
        edges.iter().map(of_edge).product()
    }
}

/// Calls `visit` with the place of each set bit.
#[inline]
fn each_bit(mut bits: u64, mut visit: impl FnMut(usize)) {
    while bits != 0 {
        visit(bits.trailing_zeros() as usize);
        bits &= bits - 1;
    }
}

/// The sum of the weights whose bits are set.
#[inline]
fn sum_of(weights: &[f64], bits: u64) -> f64 {
    let mut sum = 0.0;
    each_bit(bits, |i| sum += weights[i]);
    sum
}

impl Belief for SoftSet {
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        if self.total <= 0.0 {
            return 0.5;
        }
        let share = self.share_free(edge);
        self.flipped(share)
    }

    /// The sum over worlds of their weight times one factor for each edge: `1 - flip` where the edge
    /// is free in the world, `flip` where it is blocked. Blocked edges are counted for 64 worlds at
    /// once, in counters that lie across words.
    fn probability_all_free(&mut self, edges: &[EdgeId]) -> f64 {
        if self.total <= 0.0 {
            return 0.5f64.powi(edges.len() as i32);
        }
        let flip = self.model.flip;
        let odds = flip / (1.0 - flip);
        let mut sum = 0.0;
        for (place, &live) in self.live.iter().enumerate() {
            if live == 0 {
                continue;
            }
            let mut counter = [0u64; COUNTER];
            let mut overflow = 0;
            for edge in edges {
                let mut carry = live & !self.table.worlds_where_free(*edge)[place];
                for digit in &mut counter {
                    (*digit, carry) = (*digit ^ carry, *digit & carry);
                    if carry == 0 {
                        break;
                    }
                }
                overflow |= carry;
            }
            let digits = COUNTER - counter.iter().rev().take_while(|d| **d == 0).count();
            let partial = self.partial[place];
            each_bit(live & !partial & !overflow, |i| {
                let mut blocked = 0;
                for (n, digit) in counter[..digits].iter().enumerate() {
                    blocked |= (digit >> i & 1) << n;
                }
                sum += self.weights[place * 64 + i] * odds.powi(blocked as i32);
            });
        }
        let mut all = sum * (1.0 - flip).powi(edges.len() as i32);
        for (place, (&live, &partial)) in self.live.iter().zip(&self.partial).enumerate() {
            each_bit(live & partial, |i| {
                let world = place * 64 + i;
                all += self.weights[world] * self.all_free_in(world, edges);
            });
        }
        (all / self.total).clamp(f64::MIN_POSITIVE, 1.0)
    }

    fn draw(&mut self, draw: Draw) -> bool {
        if self.total <= 0.0 {
            return false;
        }
        // No edge has this id, so that the choice of a world and flips are independent.
        let mark = draw.unit(u64::MAX) * self.total;
        let place = self.up_to.partition_point(|up_to| *up_to <= mark);
        self.drawn = WorldId(place.min(self.weights.len() - 1) as u32);
        self.draw = draw;
        true
    }

    #[inline]
    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        let random = self.draw.unit(u64::from(edge.0));
        if let Some(known) = self.table.worlds_where_known(edge)
            && !bit(known, self.drawn.index())
        {
            return random < self.flipped(self.frequency(edge, known));
        }
        self.table.is_free(self.drawn, edge) ^ (random < self.model.flip)
    }

    fn observe(&mut self, evidence: Evidence<'_>) {
        if self.total > 0.0 {
            self.weigh(evidence.edge, evidence.before, evidence.now);
        }
    }

    fn knows(&self, edge: EdgeId) -> bool {
        edge.index() < self.cache.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::PartlyChecked;
    use crate::checker::Sightings;
    use crate::features::Features;

    fn show(set: &mut SoftSet, edge: u32, free: bool) {
        set.observe(Evidence::of(EdgeId(edge), free, &Sightings::default()));
    }

    /// Partial checks change what is believed, here and in draws, and nothing is left of them once the
    /// edge is known.
    #[test]
    fn the_verdict_overrules_partial_checks() {
        for missing in [0.0, 0.3] {
            let table = table(&rows(30, 8, missing));
            for free in [true, false] {
                let mut direct = SoftSet::new(table.clone(), SoftSetModel::default());
                let mut set = PartlyChecked::new(direct.clone(), 8);
                let edge = EdgeId(3);
                let mut before = Likelihood::NOTHING_SEEN;
                let first = set.probability_free(edge);
                let elsewhere = set.probability_free(EdgeId(4));
                for now in [0.6, 0.18, 0.16].map(Likelihood::inconclusive) {
                    set.observe(Evidence {
                        edge,
                        before,
                        now,
                        sightings: &Sightings::default(),
                    });
                    before = now;
                }
                let p = set.probability_free(edge);
                assert!(p > first + 0.1, "{p} after {first}");
                assert_ne!(set.probability_free(EdgeId(4)), elsewhere);
                let drawn =
                    (0..4000).filter(|&i| set.draw(Draw::new(2, i)) && set.is_free_in_draw(edge));
                assert!((drawn.count() as f64 / 4000.0 - p).abs() < 0.03);
                set.observe(Evidence {
                    edge,
                    before,
                    now: Likelihood::of(free),
                    sightings: &Sightings::default(),
                });
                show(&mut direct, 3, free);
                for (a, b) in set.inner().shares().zip(direct.shares()) {
                    assert!((a - b).abs() < 1e-12, "{a} against {b}");
                }
            }
        }
    }

    /// Rows of edges, each `None` with a probability.
    fn rows(worlds: u64, edges: u64, missing: f64) -> Vec<Vec<Option<bool>>> {
        let row = |w| {
            let random = Draw::new(3, w);
            let entry = |e| (random.unit(e) >= missing).then_some(random.unit(1000 + e) < 0.6);
            (0..edges).map(entry).collect()
        };
        (0..worlds).map(row).collect()
    }

    fn table(rows: &[Vec<Option<bool>>]) -> CollisionTable {
        let mut table = CollisionTable::unknown(rows.len(), rows[0].len());
        for (w, row) in rows.iter().enumerate() {
            for (e, entry) in row.iter().enumerate() {
                if let Some(free) = entry {
                    table.set(WorldId(w as u32), EdgeId(e as u32), *free);
                }
            }
        }
        table
    }

    /// The definition, without any of the shortcuts.
    struct Plain<'a> {
        rows: &'a [Vec<Option<bool>>],
        model: SoftSetModel,
        weights: Vec<f64>,
    }

    impl Plain<'_> {
        fn in_world(&self, world: usize, edge: usize, flip: f64) -> f64 {
            let share = self.rows[world][edge].map_or_else(
                || {
                    let told: Vec<bool> = self.rows.iter().filter_map(|r| r[edge]).collect();
                    let free = told.iter().filter(|free| **free).count() as f64;
                    (free + 1.0) / (told.len() as f64 + 2.0)
                },
                |free| f64::from(u8::from(free)),
            );
            flip + (1.0 - 2.0 * flip) * share
        }

        fn all_free(&self, edges: &[usize]) -> f64 {
            let in_world = |w| -> f64 {
                let p = |e: &usize| self.in_world(w, *e, self.model.flip);
                edges.iter().map(p).product()
            };
            let sum: f64 = (0..self.rows.len())
                .map(|w| self.weights[w] * in_world(w))
                .sum();
            sum / self.weights.iter().sum::<f64>()
        }

        fn observe(&mut self, edge: usize, free: bool) {
            for w in 0..self.rows.len() {
                let p = self.in_world(w, edge, self.model.doubt);
                self.weights[w] *= if free { p } else { 1.0 - p };
            }
        }
    }

    #[test]
    fn probabilities_are_those_of_the_definition_and_draws_have_them() {
        for missing in [0.0, 0.3] {
            let rows = rows(130, 60, missing);
            let table = table(&rows);
            let model = SoftSetModel::new(0.2, 0.03).unwrap();
            let mut set = SoftSet::new(table.clone(), model);
            let mut plain = Plain {
                rows: &rows,
                model,
                weights: vec![1.0; rows.len()],
            };
            for check in 0..12u32 {
                for edge in 12..60 {
                    let p = set.probability_free(EdgeId(edge));
                    let expected = plain.all_free(&[edge as usize]);
                    assert!((p - expected).abs() < 1e-9, "{p} {expected}");
                }
                for length in [2, 5, 20] {
                    let edges: Vec<EdgeId> = (20..20 + length).map(EdgeId).collect();
                    let places: Vec<usize> = edges.iter().map(|e| e.index()).collect();
                    let p = set.probability_all_free(&edges);
                    let expected = plain.all_free(&places);
                    assert!((p / expected - 1.0).abs() < 1e-6, "{p} {expected}");
                }
                let free = check % 3 != 0;
                show(&mut set, check, free);
                plain.observe(check as usize, free);
            }
            for edge in [15, 40].map(EdgeId) {
                let free = (0..8000)
                    .filter(|&i| set.draw(Draw::new(6, i)) && set.is_free_in_draw(edge))
                    .count();
                let p = set.probability_free(edge);
                let spread = 5.0 * (p * (1.0 - p) / 8000.0).sqrt();
                assert!((free as f64 / 8000.0 - p).abs() < spread, "{free} {p}");
            }
        }
    }

    #[test]
    fn nothing_is_certain_and_no_world_is_lost() {
        let table = CollisionTable::from_rows(300, &[[true; 300], [false; 300]]).unwrap();
        let mut set = SoftSet::new(table.clone(), SoftSetModel::new(0.001, 0.0005).unwrap());
        for edge in 0..150 {
            show(&mut set, edge, true);
        }
        let p = set.probability_free(EdgeId(299));
        assert!(p > 0.999 && p < 1.0);
        assert!(set.probability_all_free(&[EdgeId(298), EdgeId(299)]) < p);
        // A world that was wrong often enough to be forgotten comes back when the other is wrong too.
        for edge in 150..280 {
            show(&mut set, edge, false);
        }
        assert!(set.probability_free(EdgeId(299)) < 0.001);
        let mut empty = SoftSet::new(Experience::of(table, []), SoftSetModel::default());
        assert!(!empty.draw(Draw::new(0, 0)));
        assert_eq!(empty.probability_free(EdgeId(1)), 0.5);
        assert_eq!(empty.probability_all_free(&[EdgeId(1), EdgeId(2)]), 0.25);
    }

    /// Pairs of worlds: two copies of the same one, each with a share of its edges flipped.
    fn noisy_copies(noise: f64) -> CollisionTable {
        let rows: Vec<Vec<bool>> = (0..120u64)
            .map(|w| {
                let (original, random) = (Draw::new(8, w % 60), Draw::new(9, w));
                let edge = |e| (original.unit(e) < 0.6) ^ (random.unit(e) < noise);
                (0..200).map(edge).collect()
            })
            .collect();
        CollisionTable::from_rows(200, &rows).unwrap()
    }

    #[test]
    fn the_model_fits_how_alike_worlds_are() {
        // Twins differ where one of both was flipped. The grid is coarse, and before a few checks
        // no one can tell a twin.
        for noise in [0.003, 0.01, 0.06, 0.1] {
            let model = SoftSetModel::learn(&noisy_copies(noise).into());
            let ratio = model.flip() / (2.0 * noise * (1.0 - noise));
            assert!((0.45..2.2).contains(&ratio), "{noise}: {model:?}");
            assert!(model.doubt() < 0.3, "{noise}: {model:?}");
        }
        // Worlds that have nothing in common are hardly worth weighing.
        let model = SoftSetModel::learn(&noisy_copies(0.5).into());
        assert!(model.doubt() > 0.3, "{model:?}");
        let lone = Experience::of(noisy_copies(0.1), [WorldId(0)]);
        let lone = SoftSetModel::learn(&lone);
        assert_eq!(lone, SoftSetModel::default());
    }

    /// Worlds along a line, each with the edges free that lie beyond it, some of them flipped; by how far they are along
    /// it they are told apart if `told`, and by noise if not.
    fn along_a_line(told: bool) -> Experience {
        let random = Draw::new(5, 0);
        let at = |w: u64| random.unit(w);
        let row = |w: u64| -> Vec<bool> {
            let edge = |e: u64| (e as f64 / 200.0 > at(w)) ^ (Draw::new(6, w).unit(e) < 0.01);
            (0..200).map(edge).collect()
        };
        let rows: Vec<Vec<bool>> = (0..100).map(row).collect();
        let feature = |w: u64| [if told { at(w) } else { Draw::new(7, w).unit(0) }, 1.0];
        let features: Vec<[f64; 2]> = (0..100).map(feature).collect();
        let table = CollisionTable::from_rows(200, &rows).unwrap();
        Experience::from(table.with_features(Features::from_rows(&features).unwrap()))
    }

    #[test]
    fn features_tell_which_worlds_count_before_any_check() {
        let experience = along_a_line(true);
        let model = SoftSetModel::learn(&experience);
        assert!(model.breadth() < 0.1, "{model:?}");
        let known = experience.clone().for_world_with(&[0.5, 1.0]);
        let mut set = SoftSet::new(known, model);
        let [near, far] = [50, 150].map(|edge| set.probability_free(EdgeId(edge)));
        assert!(far > 0.95, "{far}");
        // Who is not told, or told of other features, has what all worlds say.
        for untold in [
            experience.clone(),
            experience.clone().for_world_with(&[0.5]),
        ] {
            let mut set = SoftSet::new(untold, model);
            let p = set.probability_free(EdgeId(50));
            assert!(2.0 * near < p && p < 0.5, "{near} {p}");
        }
        // A world that is like none of them is not taken for the one that is nearest.
        let set = SoftSet::new(experience.clone().for_world_with(&[9.0, 1.0]), model);
        assert!(set.shares().all(|share| share < 0.02));
        // Of a world that was planned in nothing is known beforehand; it weighs as others do.
        let room = experience.table().with_room_for(1);
        let known = Experience::from(room).for_world_with(&[0.5, 1.0]);
        let shares: Vec<f64> = SoftSet::new(known, model).shares().collect();
        assert!((shares[100] - 1.0 / 101.0).abs() < 1e-9, "{}", shares[100]);
    }

    #[test]
    fn features_that_tell_nothing_are_given_no_weight() {
        let model = SoftSetModel::learn(&along_a_line(false));
        let plain = along_a_line(true);
        let rows: Vec<Vec<bool>> = (plain.table().worlds())
            .map(|w| {
                (0..200)
                    .map(|e| plain.table().is_free(w, EdgeId(e)))
                    .collect()
            })
            .collect();
        let without = SoftSetModel::learn(&CollisionTable::from_rows(200, &rows).unwrap().into());
        assert_eq!(without.breadth(), f64::INFINITY);
        assert_eq!(model, without);
    }
}
