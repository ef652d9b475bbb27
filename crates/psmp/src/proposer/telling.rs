//! How much the check of an edge tells of all paths that may be checked next, and not only of the one it is on.
//!
//! The edge that is most likely to collide is the one whose check tells most about its own path: whether that is free. But a
//! path that falls is followed by another, and what is known by then of the others decides how many more will fall. An edge
//! that is blocked in nearly every world tells little when it is found blocked; one that is free in half of them
//! halves what may be true. So worlds are drawn from the belief, and for each edge of the path it is counted how much its check would tell
//! of whether each candidate is free: the mutual information between the two, summed over the candidates by what they are worth.
//! Of one candidate alone the likeliest to collide tells most, whatever hangs together: then that is FailFast.
//!
//! This matters where an obstacle is found no sooner than a free edge is confirmed. Where a few configurations of a
//! hundred show it, refuting is cheap, and to fail fast is best.

use super::View;
use crate::belief::Belief;
use crate::ledger::{EdgeStatus, Ledger};
use crate::path::Path;
use crate::random::Draw;
use crate::roadmap::EdgeId;

/// Drawn worlds, a bit for each: four times as many make no difference.
type Worlds = u128;
/// Of fewer worlds that agree with what was found since they were drawn nothing is concluded.
const FEWEST: u32 = 16;
/// What a check tells at least, so that of edges which tell nothing the likeliest to collide goes first.
const LEAST: f64 = 1e-9;

/// In which of some drawn worlds the edges of a path are free, and the paths that may be checked instead of it.
#[derive(Debug, Clone, Default)]
pub struct Telling {
    edges: Vec<EdgeId>,
    /// The worlds where each of these is free.
    free: Vec<Worlds>,
    /// What each candidate is worth, the best 1, and the worlds where it is free.
    candidates: Vec<(f64, Worlds)>,
    drawn: Worlds,
}

/// `count * log2(count)`.
fn weighed(count: u32) -> f64 {
    match count {
        0 => 0.0,
        count => f64::from(count) * f64::from(count).log2(),
    }
}

/// What is not known of something that is so in this many worlds of all, in bits for all of them together.
fn entropy(so: u32, all: u32) -> f64 {
    weighed(all) - weighed(so) - weighed(all - so)
}

impl Telling {
    /// Makes room for paths of so many edges and so many candidates.
    pub(super) fn make_room(&mut self, edges: usize, candidates: usize) {
        self.edges.reserve(edges);
        self.free.reserve(edges);
        self.candidates.reserve(candidates);
    }

    /// Nothing is known of any path.
    pub(super) fn forget(&mut self) {
        self.edges.clear();
        self.free.clear();
        self.candidates.clear();
        self.drawn = 0;
    }

    /// Draws worlds, as many as so many looks at edges allow, and notes where the path and the candidates are free. How
    /// many looks it has taken.
    pub(super) fn draw<'c, B: Belief>(
        &mut self,
        path: &Path,
        candidates: impl Iterator<Item = (&'c Path, f64)> + Clone,
        looks: u64,
        seed: u64,
        view: &mut View<'_, B>,
    ) -> u64 {
        self.forget();
        self.edges.extend_from_slice(path.edges());
        self.free.resize(self.edges.len(), 0);
        let worths = candidates.clone().map(|(_, worth)| (worth, 0));
        self.candidates.extend(worths);
        let ledger = view.ledger;
        let mut taken = 0;
        for world in 0..Worlds::BITS {
            if taken >= looks {
                break;
            }
            let belief = view.belief();
            if !belief.draw(Draw::new(seed, world.into())) || !belief.draws_from_experience() {
                continue;
            }
            let mut is_free = |edge: &EdgeId| {
                taken += 1;
                match ledger.status(*edge) {
                    EdgeStatus::Free => true,
                    EdgeStatus::Blocked => false,
                    EdgeStatus::Unchecked => belief.is_free_in_draw(*edge),
                }
            };
            let flag = 1 << world;
            self.drawn |= flag;
            for (edge, worlds) in self.edges.iter().zip(&mut self.free) {
                if is_free(edge) {
                    *worlds |= flag;
                }
            }
            for ((path, _), (_, worlds)) in candidates.clone().zip(&mut self.candidates) {
                if path.edges().iter().all(&mut is_free) {
                    *worlds |= flag;
                }
            }
        }
        taken
    }

    /// The worlds that agree with what has been found of this path since they were drawn; `None` if they were drawn for
    /// another one, or are too few.
    #[must_use]
    pub fn about<'t>(&'t self, path: &Path, ledger: &Ledger) -> Option<ToldBy<'t>> {
        if self.edges != path.edges() {
            return None;
        }
        let each = self.edges.iter().zip(&self.free);
        let found_free = each.filter(|(edge, _)| ledger.status(**edge) == EdgeStatus::Free);
        let worlds = found_free.fold(self.drawn, |worlds, (_, free)| worlds & free);
        (worlds.count_ones() >= FEWEST).then_some(ToldBy {
            telling: self,
            worlds,
        })
    }
}

/// What checks of the edges of one path tell.
#[derive(Debug, Clone, Copy)]
pub struct ToldBy<'t> {
    telling: &'t Telling,
    worlds: Worlds,
}

impl ToldBy<'_> {
    /// How much the check of the edge at this place tells of the candidates, for each world in which it finds a collision: to be
    /// multiplied by how likely it is to find one.
    #[must_use]
    pub fn per_collision(&self, place: usize) -> f64 {
        let free = self.worlds & self.telling.free[place];
        let [all, is_free] = [self.worlds, free].map(Worlds::count_ones);
        let is_blocked = all - is_free;
        let told = |&(worth, worlds): &(f64, Worlds)| {
            let [open, open_if_free] = [self.worlds, free].map(|w| (w & worlds).count_ones());
            let before = entropy(open, all);
            let after = entropy(open_if_free, is_free) + entropy(open - open_if_free, is_blocked);
            worth * (before - after)
        };
        let told: f64 = self.telling.candidates.iter().map(told).sum();
        LEAST + told.max(0.0) / f64::from(is_blocked.max(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roadmap::VertexId;

    fn path(edges: &[u32]) -> Path {
        let mut path = Path::default();
        path.begin_from_start(VertexId(0));
        for &edge in edges {
            path.append(VertexId(edge + 1), EdgeId(edge));
        }
        path
    }

    /// As if these worlds had been drawn, each with the edges that are free in it, and these candidates were as good as each other.
    fn drawn(of: &[u32], candidates: &[&[u32]], worlds: &[&[u32]]) -> Telling {
        let where_free = |edges: &[u32]| {
            let free = |world: &&[u32]| edges.iter().all(|edge| world.contains(edge));
            let each = worlds.iter().enumerate();
            each.fold(0, |bits, (place, world)| {
                bits | Worlds::from(free(world)) << place
            })
        };
        Telling {
            edges: path(of).edges().to_vec(),
            free: of.iter().map(|&edge| where_free(&[edge])).collect(),
            candidates: candidates.iter().map(|c| (1.0, where_free(c))).collect(),
            drawn: (1 << worlds.len()) - 1,
        }
    }

    /// What is told, in bits for all worlds together, by the definition: sums over whether the edge and the candidate are free.
    fn by_definition(edge: u32, candidates: &[&[u32]], worlds: &[&[u32]]) -> f64 {
        let of_one = |candidate: &&[u32]| {
            let mut cells = [[0.0f64; 2]; 2];
            for world in worlds {
                let open = candidate.iter().all(|e| world.contains(e));
                cells[usize::from(world.contains(&edge))][usize::from(open)] += 1.0;
            }
            let all = worlds.len() as f64;
            let mut sum = 0.0;
            for is_free in 0..2 {
                for open in 0..2 {
                    let cell = cells[is_free][open];
                    let row = cells[is_free][0] + cells[is_free][1];
                    let column = cells[0][open] + cells[1][open];
                    if cell > 0.0 {
                        sum += cell * (cell * all / (row * column)).log2();
                    }
                }
            }
            sum
        };
        candidates.iter().map(of_one).sum()
    }

    #[test]
    fn what_is_told_is_mutual_information() {
        let random = Draw::new(3, 0);
        let worlds: Vec<Vec<u32>> = (0..40)
            .map(|w| (0..6).filter(move |e| random.below(3, 6 * w + e) > 0))
            .map(|free| free.map(|e| e as u32).collect())
            .collect();
        let worlds: Vec<&[u32]> = worlds.iter().map(Vec::as_slice).collect();
        let candidates: [&[u32]; 3] = [&[0, 1, 2], &[0, 3], &[4, 5, 2]];
        let telling = drawn(&[0, 1, 2], &candidates, &worlds);
        let ledger = Ledger::new(6);
        let told = telling.about(&path(&[0, 1, 2]), &ledger).unwrap();
        for edge in 0..3 {
            let blocked = worlds.iter().filter(|w| !w.contains(&edge)).count() as f64;
            let expected = by_definition(edge, &candidates, &worlds);
            assert!(expected > 0.1);
            let told = told.per_collision(edge as usize) * blocked;
            assert!((told - expected).abs() < 1e-6, "{told} {expected}");
        }
    }

    /// Edge 0 is blocked in most worlds and tells nothing of the other path; edge 1 decides about it.
    #[test]
    fn an_edge_that_decides_about_others_goes_before_the_likeliest_to_collide() {
        let worlds: Vec<&[u32]> = (0..32)
            .map(|w| -> &[u32] {
                match w % 8 {
                    0 => &[0, 1, 2],
                    1..4 => &[1, 2],
                    _ => &[],
                }
            })
            .collect();
        let told = |candidates: &[&[u32]]| {
            let telling = drawn(&[0, 1], candidates, &worlds);
            let ledger = Ledger::new(3);
            let told = telling.about(&path(&[0, 1]), &ledger).unwrap();
            // How likely each is to collide, times what that tells.
            [28.0 * told.per_collision(0), 16.0 * told.per_collision(1)]
        };
        let [likely, other] = told(&[&[0, 1]]);
        assert!(likely > other, "alone, to fail fast is best");
        let [likely, other] = told(&[&[0, 1], &[2]]);
        assert!(other > likely, "{likely} {other}");
    }

    #[test]
    fn only_worlds_that_agree_count_and_only_for_the_path_they_were_drawn_for() {
        let worlds: Vec<&[u32]> = (0..40)
            .map(|w| -> &[u32] {
                if w < 20 { &[0, 1] } else { &[1] }
            })
            .collect();
        let telling = drawn(&[0, 1], &[&[0, 1]], &worlds);
        let mut ledger = Ledger::new(2);
        assert!(telling.about(&path(&[1, 0]), &ledger).is_none());
        assert!(telling.about(&path(&[0, 1]), &ledger).is_some());
        let verdict = |free| crate::checker::Verdict {
            free,
            configurations: 1,
        };
        ledger.record(EdgeId(0), verdict(true).into());
        let told = telling.about(&path(&[0, 1]), &ledger).unwrap();
        assert_eq!(told.worlds.count_ones(), 20);
        let few = drawn(&[0, 1], &[&[0, 1]], &worlds[10..30]);
        assert!(few.about(&path(&[0, 1]), &ledger).is_none());
    }
}
