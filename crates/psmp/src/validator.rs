//! Validators: which edge of a proposed path to check next.
//!
//! [`FailFast`] checks the edge most likely to collide, so that a bad path falls after few checks;
//! it is the paper's choice. The others look at the edges' places only: [`Forward`], [`Backward`],
//! [`Alternate`] from both ends in turn, and [`Bisect`] the edge farthest from all checked ones.

use crate::belief::Belief;
use crate::ledger::{EdgeStatus, Ledger};
use crate::path::Path;
use crate::roadmap::EdgeId;

/// An edge is seen to its end at once where so few blocked ones would still hide.
const ALL_BUT_SURE: f64 = 0.01;

/// Chooses the edge of a path to be checked next.
pub trait Validator<B: ?Sized> {
    /// The place in the path of an unchecked edge, `None` if all are checked.
    fn choose(&mut self, path: &Path, ledger: &Ledger, belief: &mut B) -> Option<usize>;

    /// How many configurations of the chosen edge to look at, at most, before choosing again.
    fn how_far(&self, _edge: EdgeId, _ledger: &Ledger) -> u64 {
        u64::MAX
    }
}

impl<B: ?Sized, V: Validator<B> + ?Sized> Validator<B> for Box<V> {
    fn choose(&mut self, path: &Path, ledger: &Ledger, belief: &mut B) -> Option<usize> {
        (**self).choose(path, ledger, belief)
    }
    fn how_far(&self, edge: EdgeId, ledger: &Ledger) -> u64 {
        (**self).how_far(edge, ledger)
    }
}

/// The edges of the path that have not been checked, with their places.
fn unchecked<'a>(
    path: &'a Path,
    ledger: &'a Ledger,
) -> impl DoubleEndedIterator<Item = usize> + 'a {
    (0..path.edges().len()).filter(|&i| ledger.status(path.edges()[i]) == EdgeStatus::Unchecked)
}

/// The unchecked edge least likely to be free; of equals the first.
#[derive(Debug, Clone, Copy, Default)]
pub struct FailFast;

impl<B: Belief + ?Sized> Validator<B> for FailFast {
    fn choose(&mut self, path: &Path, ledger: &Ledger, belief: &mut B) -> Option<usize> {
        let mut least = f64::INFINITY;
        let mut choice = None;
        for place in unchecked(path, ledger) {
            let p = belief.probability_free(path.edges()[place]);
            if p < least || choice.is_none() {
                least = p;
                choice = Some(place);
            }
        }
        choice
    }
}

/// The configurations of an edge after another look at it, each of which halves the distance between
/// them: both ends and the middle, then 5, 9, 17 and so on.
fn next_look(seen: u64) -> u64 {
    (2 * seen).saturating_sub(1).max(3)
}

/// Coarse to fine: the unchecked edge where the next look finds most per configuration, and of it
/// only that look.
#[derive(Debug, Clone, Copy, Default)]
pub struct CoarseToFine;

impl<B: Belief + ?Sized> Validator<B> for CoarseToFine {
    fn choose(&mut self, path: &Path, ledger: &Ledger, belief: &mut B) -> Option<usize> {
        let mut most = f64::NEG_INFINITY;
        let mut choice = None;
        for place in unchecked(path, ledger) {
            let edge = path.edges()[place];
            let seen = ledger.seen(edge);
            let next = next_look(seen);
            let shown = 1.0 - ledger.hidden(next) / ledger.hidden(seen);
            let blocked = 1.0 - belief.probability_free(edge);
            let gain = blocked * shown / (next - seen) as f64;
            if gain > most || choice.is_none() {
                most = gain;
                choice = Some(place);
            }
        }
        choice
    }

    fn how_far(&self, edge: EdgeId, ledger: &Ledger) -> u64 {
        let seen = ledger.seen(edge);
        if ledger.hidden(seen) <= ALL_BUT_SURE {
            return u64::MAX;
        }
        next_look(seen) - seen
    }
}

/// The unchecked edge nearest to the start.
#[derive(Debug, Clone, Copy, Default)]
pub struct Forward;

impl<B: ?Sized> Validator<B> for Forward {
    fn choose(&mut self, path: &Path, ledger: &Ledger, _: &mut B) -> Option<usize> {
        unchecked(path, ledger).next()
    }
}

/// The unchecked edge nearest to the goal.
#[derive(Debug, Clone, Copy, Default)]
pub struct Backward;

impl<B: ?Sized> Validator<B> for Backward {
    fn choose(&mut self, path: &Path, ledger: &Ledger, _: &mut B) -> Option<usize> {
        unchecked(path, ledger).next_back()
    }
}

/// The unchecked edge nearest to the start and nearest to the goal by turns.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alternate {
    from_goal: bool,
}

impl<B: ?Sized> Validator<B> for Alternate {
    fn choose(&mut self, path: &Path, ledger: &Ledger, _: &mut B) -> Option<usize> {
        let mut open = unchecked(path, ledger);
        let choice = if self.from_goal {
            open.next_back()
        } else {
            open.next()
        };
        self.from_goal = !self.from_goal;
        choice
    }
}

/// The unchecked edge farthest, in edges along the path, from every checked one and from the ends;
/// of equals the first.
#[derive(Debug, Clone, Copy, Default)]
pub struct Bisect;

impl<B: ?Sized> Validator<B> for Bisect {
    fn choose(&mut self, path: &Path, ledger: &Ledger, _: &mut B) -> Option<usize> {
        // The middle of the longest run of unchecked edges.
        let mut longest = 0;
        let mut choice = None;
        let mut run = 0;
        for (place, &edge) in path.edges().iter().enumerate() {
            if ledger.status(edge) == EdgeStatus::Unchecked {
                run += 1;
                if run > longest {
                    longest = run;
                    choice = Some(place - run / 2);
                }
            } else {
                run = 0;
            }
        }
        choice
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::IndependentEdges;
    use crate::checker::Verdict;
    use crate::roadmap::VertexId;

    /// The order in which a validator checks a path of seven edges that are all free.
    fn order(mut validator: impl Validator<IndependentEdges>) -> Vec<usize> {
        let mut path = Path::default();
        path.begin_from_start(VertexId(0));
        for i in 0..7 {
            path.append(VertexId(i + 1), EdgeId(i));
        }
        let mut ledger = Ledger::new(7);
        let p = vec![0.9, 0.2, 0.8, 0.2, 0.7, 0.6, 0.1];
        let mut belief = IndependentEdges::each(p).unwrap();
        let mut order = Vec::new();
        while let Some(place) = validator.choose(&path, &ledger, &mut belief) {
            order.push(place);
            let verdict = Verdict {
                free: true,
                configurations: 1,
            };
            ledger.record(EdgeId(place as u32), verdict.into());
        }
        order
    }

    #[test]
    fn each_checks_in_its_own_order() {
        assert_eq!(order(FailFast), [6, 1, 3, 5, 4, 2, 0]);
        assert_eq!(order(Forward), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(order(Backward), [6, 5, 4, 3, 2, 1, 0]);
        assert_eq!(order(Alternate::default()), [0, 6, 1, 5, 2, 4, 3]);
        assert_eq!(order(Bisect), [3, 1, 5, 0, 2, 4, 6]);
    }
}
