//! Worlds held out: how well a belief predicts what it does not know.
//!
//! Of the known worlds some are left out; in each, random edges are checked one after the other, and
//! the belief, which knows only the rest, is asked before every check. The logarithm of the
//! probability it gave to what was found, averaged over checks, is its score: 0 would be to know
//! everything, -0.69 is a toss of a coin. Models choose their constants by it, and an ensemble its
//! members' weights.

use super::{Belief, Evidence, FiniteSet};
use crate::checker::Sightings;
use crate::random::Draw;
use crate::roadmap::EdgeId;
use crate::table::{CollisionTable, Experience, WorldId};

/// Worlds left out, at most; they are spread evenly over the table.
const LEFT_OUT: usize = 48;
/// Random edges checked in each of them.
const CHECKS: u64 = 100;
/// No probability counts as nearer to 0 or 1 than this: what is thought impossible and happens is
/// a grave mistake, but one among others.
const CERTAIN: f64 = 1e-3;

/// The worlds to leave out of an experience to see how well the others predict them: at most 48, and
/// at most a fifth of all.
#[must_use]
pub fn left_out(worlds: &[WorldId]) -> Vec<WorldId> {
    let count = LEFT_OUT.min(worlds.len() / 5);
    (0..count)
        .map(|i| worlds[i * worlds.len() / count])
        .collect()
}

/// The edges to be checked in the `index`-th world that is left out, in order. The index and not the
/// world's number counts, so that the same worlds in another table teach the same.
pub(super) fn checks_in(
    table: &CollisionTable,
    world: WorldId,
    index: usize,
    checks: &mut Vec<EdgeId>,
) {
    checks.clear();
    let edges = table.edge_count() as u64;
    if edges == 0 {
        return;
    }
    let random = Draw::new(0x050F_75E7, index as u64);
    for edge in (0..CHECKS).map(|i| EdgeId(random.below(edges, i) as u32)) {
        if table.is_known(world, edge) && !checks.contains(&edge) {
            checks.push(edge);
        }
    }
}

/// The mean log-likelihood of a check in the worlds left out, for the belief that `without` makes
/// from the others. 0 if there is nothing to check.
pub fn log_likelihood_per_check<B: Belief>(
    table: &CollisionTable,
    left_out: &[WorldId],
    mut without: impl FnMut(WorldId) -> B,
) -> f64 {
    let nothing_seen = Sightings::default();
    let mut checks = Vec::with_capacity(CHECKS as usize);
    let (mut sum, mut count) = (0.0, 0u32);
    for (index, &world) in left_out.iter().enumerate() {
        checks_in(table, world, index, &mut checks);
        let mut belief = without(world);
        for &edge in &checks {
            let free = table.is_free(world, edge);
            let p = belief.probability_free(edge).clamp(CERTAIN, 1.0 - CERTAIN);
            sum += if free { p } else { 1.0 - p }.ln();
            count += 1;
            belief.observe(Evidence::of(edge, free, &nothing_seen));
        }
    }
    sum / f64::from(count.max(1))
}

/// The logarithm of the odds that a world is one of the known ones, as far as checks can tell: by how many of those left out
/// agree in every check with one of the others.
#[must_use]
pub fn log_odds_of_knowing(experience: &Experience) -> f64 {
    let table = experience.table();
    let nothing_seen = Sightings::default();
    let mut checks = Vec::with_capacity(CHECKS as usize);
    let [mut known, mut new] = [1.0f64; 2];
    for (index, world) in left_out(experience.worlds()).into_iter().enumerate() {
        checks_in(table, world, index, &mut checks);
        let mut others = FiniteSet::new(experience.without(&[world]));
        let agrees = |&edge: &EdgeId| {
            let free = table.is_free(world, edge);
            let p = others.probability_free(edge);
            others.observe(Evidence::of(edge, free, &nothing_seen));
            if free { p > 0.0 } else { p < 1.0 }
        };
        match checks.iter().all(agrees) {
            true => known += 1.0,
            false => new += 1.0,
        }
    }
    (known / new).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::{Certain, IndependentEdges};

    #[test]
    fn who_knows_more_predicts_better_and_a_coin_is_a_coin() {
        // Two kinds of worlds, each many times.
        let rows: Vec<Vec<bool>> = (0..60)
            .map(|w| (0..80).map(|e| (e % 2 == 0) == (w % 2 == 0)).collect())
            .collect();
        let table = CollisionTable::from_rows(80, &rows).unwrap();
        let worlds: Vec<WorldId> = (0..60).map(WorldId).collect();
        let left_out = left_out(&worlds);
        assert_eq!(left_out.len(), 12);
        let all =
            log_likelihood_per_check(&table, &left_out, |w| Certain::new(rows[w.index()].clone()));
        let coin = log_likelihood_per_check(&table, &left_out, |_| {
            IndependentEdges::constant(0.5).unwrap()
        });
        let experience = Experience::from(table.clone());
        let set = log_likelihood_per_check(&table, &left_out, |left_out| {
            FiniteSet::new(experience.without(&[left_out]))
        });
        assert!((all - (1.0 - CERTAIN).ln()).abs() < 1e-12);
        assert!((coin + std::f64::consts::LN_2).abs() < 1e-12);
        // The first check is a toss of a coin, the others are known from it.
        assert!(coin < set && set < all, "{coin} {set} {all}");
        // Every world is there many times.
        assert!((log_odds_of_knowing(&experience) - 13f64.ln()).abs() < 1e-12);
        // Of these each is like no other.
        let random = Draw::new(7, 0);
        let rows: Vec<Vec<bool>> = (0..60)
            .map(|w| (0..80).map(|e| random.below(2, 80 * w + e) == 0).collect())
            .collect();
        let unlike = Experience::from(CollisionTable::from_rows(80, &rows).unwrap());
        assert!((log_odds_of_knowing(&unlike) + 13f64.ln()).abs() < 1e-12);
        assert_eq!(log_odds_of_knowing(&unlike.without(&worlds)), 0.0);
    }
}
