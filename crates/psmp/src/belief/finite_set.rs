//! The finite set: one of the known worlds is the true one.
//!
//! The posterior is uniform over the known worlds that agree with every check. How likely an edge
//! is free is a count of bits, and a drawn world is one of those that are left. It is superb when
//! the true world is among the known ones. When it is not, sooner or later a check agrees with none
//! of the worlds that are left; the published method does not say what then. Here such a check is
//! passed over, so that the worlds that agreed for longest remain, and the ledger overrules them
//! where they are known to be wrong. A world that does not tell of an edge agrees with whatever is
//! found there; those that do tell speak for it.

use super::{Belief, Evidence};
use crate::random::Draw;
use crate::roadmap::EdgeId;
use crate::table::{CollisionTable, Experience, WorldId, bit};
use std::sync::Arc;

/// Uniform over the known worlds that agree with every check that any of them agrees with.
#[derive(Debug, Clone)]
pub struct FiniteSet {
    table: Arc<CollisionTable>,
    /// A bit for each world, set where it still agrees.
    agreeing: Vec<u64>,
    count: u32,
    drawn: WorldId,
    draw: Draw,
}

impl FiniteSet {
    /// The set of known worlds.
    #[must_use]
    pub fn new(experience: impl Into<Experience>) -> Self {
        let experience = experience.into();
        let table = experience.table().clone();
        let mut agreeing = vec![0u64; table.world_count().div_ceil(64)];
        for world in experience.worlds() {
            agreeing[world.index() / 64] |= 1 << (world.index() % 64);
        }
        let count = agreeing.iter().map(|word| word.count_ones()).sum();
        Self {
            table,
            agreeing,
            count,
            drawn: WorldId(0),
            draw: Draw::new(0, 0),
        }
    }

    /// How many worlds are left. 0 only if there were none to begin with.
    #[must_use]
    pub fn agreeing_count(&self) -> usize {
        self.count as usize
    }

    /// The worlds that are left.
    pub fn agreeing_worlds(&self) -> impl Iterator<Item = WorldId> + '_ {
        (0..self.agreeing.len() as u32 * 64)
            .filter(|&w| self.agreeing[w as usize / 64] >> (w % 64) & 1 == 1)
            .map(WorldId)
    }

    /// The world drawn last.
    #[must_use]
    pub fn drawn_world(&self) -> WorldId {
        self.drawn
    }

    /// In how many of the worlds that are left the edge is free.
    fn free_in(&self, edge: EdgeId) -> u32 {
        let free = self.table.worlds_where_free(edge);
        let both = self.agreeing.iter().zip(free).map(|(a, b)| a & b);
        both.map(u64::count_ones).sum()
    }

    /// How many of the worlds that are left tell of the edge.
    fn told_in(&self, edge: EdgeId) -> u32 {
        let Some(known) = self.table.worlds_where_known(edge) else {
            return self.count;
        };
        let both = self.agreeing.iter().zip(known).map(|(a, b)| a & b);
        both.map(u64::count_ones).sum()
    }

    /// In what share of the worlds that are left and tell of the edge it is free.
    fn share_free(&self, edge: EdgeId) -> f64 {
        match self.told_in(edge) {
            0 => 0.5,
            told => f64::from(self.free_in(edge)) / f64::from(told),
        }
    }

    /// The `rank`-th world that still agrees.
    fn select(&self, mut rank: u32) -> WorldId {
        for (place, &word) in self.agreeing.iter().enumerate() {
            let here = word.count_ones();
            if rank < here {
                let mut rest = word;
                for _ in 0..rank {
                    rest &= rest - 1;
                }
                return WorldId(place as u32 * 64 + rest.trailing_zeros());
            }
            rank -= here;
        }
        unreachable!("rank is below the number of worlds that agree")
    }
}

impl Belief for FiniteSet {
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        match self.count {
            0 => 0.5,
            _ => self.share_free(edge),
        }
    }

    /// The share of the worlds that are left in which all of them are free.
    fn probability_all_free(&mut self, edges: &[EdgeId]) -> f64 {
        if self.count == 0 {
            return 0.5f64.powi(edges.len() as i32);
        }
        let mut all = 0.0;
        for (place, &agreeing) in self.agreeing.iter().enumerate() {
            // Worlds that tell of all edges and have them free, and those that have none blocked.
            let (mut free, mut not_blocked) = (agreeing, agreeing);
            for edge in edges {
                let row = self.table.worlds_where_free(*edge)[place];
                let known = self.table.worlds_where_known(*edge);
                free &= row;
                not_blocked &= row | known.map_or(0, |known| !known[place]);
            }
            all += f64::from(free.count_ones());
            let mut partial = not_blocked & !free;
            while partial != 0 {
                let world = place * 64 + partial.trailing_zeros() as usize;
                partial &= partial - 1;
                let missing = edges.iter().filter(|e| {
                    let known = self.table.worlds_where_known(**e);
                    known.is_some_and(|known| !bit(known, world))
                });
                all += missing.map(|e| self.share_free(*e)).product::<f64>();
            }
        }
        all / f64::from(self.count)
    }

    fn draw(&mut self, draw: Draw) -> bool {
        if self.count == 0 {
            return false;
        }
        self.drawn = self.select(draw.below(u64::from(self.count), 0) as u32);
        self.draw = draw;
        true
    }

    #[inline]
    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        if let Some(known) = self.table.worlds_where_known(edge)
            && !bit(known, self.drawn.index())
        {
            return self.draw.unit(u64::from(edge.0)) < self.probability_free(edge);
        }
        self.table.is_free(self.drawn, edge)
    }

    fn observe(&mut self, evidence: Evidence<'_>) {
        let edge = evidence.edge;
        // A partial check drops no world, however sure it is: one mistake would lose the true one.
        let Some(free) = evidence.verdict() else {
            return;
        };
        let (free_in, told_in) = (self.free_in(edge), self.told_in(edge));
        let agree = if free { free_in } else { told_in - free_in };
        if agree == 0 {
            return;
        }
        self.count = self.count - told_in + agree;
        let flip = if free { 0 } else { u64::MAX };
        let words = self.table.worlds_where_free(edge);
        let known = self.table.worlds_where_known(edge);
        for (place, (agreeing, word)) in self.agreeing.iter_mut().zip(words).enumerate() {
            *agreeing &= (word ^ flip) | known.map_or(0, |known| !known[place]);
        }
    }

    fn knows(&self, edge: EdgeId) -> bool {
        edge.index() < self.table.edge_count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::{Likelihood, PartlyChecked};
    use crate::checker::Sightings;
    use crate::table::CollisionTable;

    fn show(set: &mut impl Belief, edge: u32, free: bool) {
        set.observe(Evidence::of(EdgeId(edge), free, &Sightings::default()));
    }

    #[test]
    fn partial_checks_tell_of_their_edge_and_drop_no_world() {
        let rows = [[true, true], [true, false], [false, true]].map(Vec::from);
        let table = CollisionTable::from_rows(2, &rows).unwrap();
        let mut set = PartlyChecked::new(FiniteSet::new(table), 2);
        let mut before = Likelihood::NOTHING_SEEN;
        let mut see = |set: &mut PartlyChecked<_>, now| {
            let (edge, sightings) = (EdgeId(0), &Sightings::default());
            set.observe(Evidence {
                edge,
                before,
                now,
                sightings,
            });
            before = now;
        };
        see(&mut set, Likelihood::inconclusive(0.5));
        assert_eq!(set.inner().agreeing_count(), 3);
        // Two in three, and a blocked one would look so half of the time.
        assert!((set.probability_free(EdgeId(0)) - 0.8).abs() < 1e-12);
        assert!((set.probability_free(EdgeId(1)) - 2.0 / 3.0).abs() < 1e-12);
        let both = set.probability_all_free(&[EdgeId(0), EdgeId(1)]);
        assert!((both - 0.8 * 2.0 / 3.0).abs() < 1e-12);
        // Drawn worlds have it free as often as it is believed to be, whatever the world drawn.
        let free =
            (0..2000).filter(|&i| set.draw(Draw::new(3, i)) && set.is_free_in_draw(EdgeId(0)));
        assert!((1500..1700).contains(&free.count()));
        see(&mut set, Likelihood::inconclusive(0.0005));
        see(&mut set, Likelihood::of(false));
        assert!(set.inner().agreeing_worlds().eq([WorldId(2)]));
    }

    #[test]
    fn probabilities_are_counts_and_draws_agree_with_the_checks() {
        let random = Draw::new(11, 0);
        let rows: Vec<Vec<bool>> = (0..150u64)
            .map(|w| (0..40).map(|e| random.unit(w * 40 + e) < 0.7).collect())
            .collect();
        let table = CollisionTable::from_rows(40, &rows).unwrap();
        let mut set = FiniteSet::new(table.clone());
        let mut seen: Vec<(usize, bool)> = Vec::new();
        for check in 0..6u64 {
            let agreeing: Vec<&Vec<bool>> = rows
                .iter()
                .filter(|row| seen.iter().all(|&(e, free)| row[e] == free))
                .collect();
            assert_eq!(set.agreeing_count(), agreeing.len());
            for edge in 0..40 {
                let free = agreeing.iter().filter(|row| row[edge]).count() as f64;
                let p = set.probability_free(EdgeId(edge as u32));
                assert_eq!(p, free / agreeing.len() as f64);
            }
            let mut hits = vec![0; 150];
            for index in 0..3000 {
                assert!(set.draw(Draw::new(5, index)));
                hits[set.drawn_world().index()] += 1;
                for &(e, free) in &seen {
                    assert_eq!(set.is_free_in_draw(EdgeId(e as u32)), free);
                }
            }
            for (w, &n) in hits.iter().enumerate() {
                let expected = if set.agreeing_worlds().any(|a| a.index() == w) {
                    3000.0 / agreeing.len() as f64
                } else {
                    0.0
                };
                assert!((f64::from(n) - expected).abs() <= 6.0 * expected.sqrt());
            }
            let edge = check as usize * 5;
            seen.push((edge, rows[3][edge]));
            show(&mut set, edge as u32, rows[3][edge]);
        }
    }

    #[test]
    fn a_check_that_no_world_agrees_with_is_passed_over() {
        let table = CollisionTable::from_rows(2, &[[true, true], [true, false]]).unwrap();
        let mut set = FiniteSet::new(table.clone());
        show(&mut set, 0, false);
        assert_eq!(set.agreeing_count(), 2);
        show(&mut set, 1, false);
        assert!(set.agreeing_worlds().eq([WorldId(1)]));
        let mut empty = FiniteSet::new(Experience::of(table, []));
        assert!(!empty.draw(Draw::new(0, 0)));
        assert_eq!(empty.probability_free(EdgeId(1)), 0.5);
    }

    #[test]
    fn a_world_that_does_not_tell_agrees_and_is_silent() {
        let mut table = CollisionTable::unknown(3, 3);
        // Free and free; free and blocked; free and not told. Of the third edge only one tells.
        for (world, row) in [&[true, true, true][..], &[true, false], &[true]]
            .into_iter()
            .enumerate()
        {
            for (edge, &free) in row.iter().enumerate() {
                table.set(WorldId(world as u32), EdgeId(edge as u32), free);
            }
        }
        let mut set = FiniteSet::new(table.clone());
        assert_eq!(set.probability_free(EdgeId(1)), 0.5);
        assert_eq!(set.probability_free(EdgeId(2)), 1.0);
        let both = set.probability_all_free(&[EdgeId(0), EdgeId(1)]);
        assert!((both - (1.0 + 0.0 + 0.5) / 3.0).abs() < 1e-12, "{both}");
        show(&mut set, 1, false);
        assert!(set.agreeing_worlds().eq([WorldId(1), WorldId(2)]));
        // No one left tells of the third edge: nothing can be learned from it.
        assert_eq!(set.probability_free(EdgeId(2)), 0.5);
        show(&mut set, 2, true);
        assert_eq!(set.agreeing_count(), 2);
        let free = (0..1000)
            .filter(|&i| set.draw(Draw::new(1, i)) && set.is_free_in_draw(EdgeId(2)))
            .count();
        assert!((400..600).contains(&free), "{free}");
    }
}
