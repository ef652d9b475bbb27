//! The finite set: one of the known worlds is the true one.
//!
//! The posterior is uniform over the known worlds that agree with every check. How likely an edge
//! is free is a count of bits, and a drawn world is one of those that are left. It is superb when
//! the true world is among the known ones, and runs empty when it is not: then no world can be
//! drawn, and each edge falls back to its share of all the worlds that the set began with.

use super::{Belief, Evidence};
use crate::random::Draw;
use crate::roadmap::EdgeId;
use crate::table::{Experience, WorldId};

/// Uniform over the known worlds that agree with every check.
///
/// Edges beyond the table, such as the connections of a new start or goal, are unknown to it: they
/// have probability 1/2 and are free in every drawn world, so that a draw does not fail for them.
#[derive(Debug, Clone)]
pub struct FiniteSet<T> {
    experience: T,
    /// The worlds it began with, and those that still agree, a bit each.
    initial: Vec<u64>,
    agreeing: Vec<u64>,
    count: u32,
    drawn: WorldId,
}

impl<T: Experience> FiniteSet<T> {
    /// The set of all worlds of a table.
    #[must_use]
    pub fn new(experience: T) -> Self {
        let all = (0..experience.world_count() as u32).map(WorldId);
        Self::of_worlds(experience, all)
    }

    /// The set of some worlds of a table.
    ///
    /// # Panics
    /// If a world is not in the table.
    #[must_use]
    pub fn of_worlds(experience: T, worlds: impl IntoIterator<Item = WorldId>) -> Self {
        let known = experience.world_count();
        let mut initial = vec![0u64; known.div_ceil(64)];
        for world in worlds {
            assert!(
                world.index() < known,
                "world {} is not in a table of {known} worlds",
                world.0
            );
            initial[world.index() / 64] |= 1 << (world.index() % 64);
        }
        let count = initial.iter().map(|word| word.count_ones()).sum();
        Self {
            experience,
            agreeing: initial.clone(),
            initial,
            count,
            drawn: WorldId(0),
        }
    }

    /// How many worlds still agree with every check.
    #[must_use]
    pub fn agreeing_count(&self) -> usize {
        self.count as usize
    }

    /// The worlds that still agree with every check.
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

fn overlap(a: &[u64], b: &[u64]) -> u32 {
    a.iter().zip(b).map(|(a, b)| (a & b).count_ones()).sum()
}

impl<T: Experience> Belief for FiniteSet<T> {
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        if edge.index() >= self.experience.edge_count() {
            return 0.5;
        }
        let free = self.experience.worlds_where_free(edge);
        if self.count > 0 {
            return f64::from(overlap(&self.agreeing, free)) / f64::from(self.count);
        }
        let began_with: u32 = self.initial.iter().map(|word| word.count_ones()).sum();
        if began_with == 0 {
            return 0.5;
        }
        f64::from(overlap(&self.initial, free)) / f64::from(began_with)
    }

    fn draw(&mut self, draw: Draw) -> bool {
        if self.count == 0 {
            return false;
        }
        self.drawn = self.select(draw.below(u64::from(self.count), 0) as u32);
        true
    }

    #[inline]
    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        edge.index() >= self.experience.edge_count() || self.experience.is_free(self.drawn, edge)
    }

    fn observe(&mut self, evidence: Evidence<'_>) {
        let Evidence {
            edge,
            free: Some(free),
            ..
        } = evidence
        else {
            return;
        };
        if edge.index() >= self.experience.edge_count() {
            return;
        }
        let flip = if free { 0 } else { u64::MAX };
        self.count = 0;
        for (agreeing, word) in self
            .agreeing
            .iter_mut()
            .zip(self.experience.worlds_where_free(edge))
        {
            *agreeing &= word ^ flip;
            self.count += agreeing.count_ones();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::Sightings;
    use crate::table::CollisionTable;

    #[test]
    fn probabilities_are_counts_and_draws_agree_with_the_checks() {
        let random = Draw::new(11, 0);
        let rows: Vec<Vec<bool>> = (0..150u64)
            .map(|w| (0..40).map(|e| random.unit(w * 40 + e) < 0.7).collect())
            .collect();
        let table = CollisionTable::from_rows(40, &rows).unwrap();
        let mut set = FiniteSet::new(&table);
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
            set.observe(Evidence {
                edge: EdgeId(edge as u32),
                free: Some(rows[3][edge]),
                sightings: &Sightings::default(),
            });
        }
    }

    #[test]
    fn an_empty_set_draws_nothing_and_keeps_to_the_shares() {
        let table = CollisionTable::from_rows(2, &[[true, true], [true, false]]).unwrap();
        let mut set = FiniteSet::new(&table);
        set.observe(Evidence {
            edge: EdgeId(0),
            free: Some(false),
            sightings: &Sightings::default(),
        });
        assert!(!set.draw(Draw::new(0, 0)));
        assert_eq!(set.probability_free(EdgeId(1)), 0.5);
        assert_eq!(set.probability_free(EdgeId(7)), 0.5);
    }
}
