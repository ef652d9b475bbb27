//! Validators: which edge of a proposed path to check next.
//!
//! [`FailFast`] checks the edge most likely to collide, so that a bad path falls after few checks;
//! it is the paper's choice. [`Forward`], [`Backward`], [`Alternate`] from both ends in turn, and
//! [`Bisect`] the edge farthest from all checked ones look at the edges' places only.
//!
//! All of these see an edge to its end before they turn to the next. [`CoarseToFine`] does not. A few
//! configurations, far apart, find nearly every obstacle on an edge; the hundreds that lie between
//! them only make sure. So it checks all edges of a path coarsely before it sees any of them to its
//! end, and a path that is blocked somewhere falls before anything on it was paid in full. Where a
//! checker knows whole edges only it is FailFast, unless the proposer knows what a check [tells](Telling) of the
//! other paths it may propose: then what tells most goes first.

use crate::belief::Belief;
use crate::ledger::{EdgeStatus, Ledger};
use crate::path::Path;
use crate::proposer::Telling;
use crate::roadmap::EdgeId;

/// Where no more than this share of blocked edges would still hide, another partial check shows nothing: the edge
/// is seen to its end at once.
const NOTHING_TO_SHOW: f64 = 0.01;
/// How many partial checks ahead are weighed: enough for obstacles a hundred times smaller than an edge.
const CHECKS_AHEAD: usize = 6;

/// Chooses the edge of a path to be checked next.
pub trait Validator {
    /// The place in the path of an unchecked edge, `None` if all are checked.
    ///
    /// `telling` is what the proposer knows of what checks of this path tell of others that it may propose.
    fn choose(
        &mut self,
        path: &Path,
        ledger: &Ledger,
        belief: &mut dyn Belief,
        telling: Option<&Telling>,
    ) -> Option<usize>;

    /// How many configurations of the chosen edge to check, at most, before choosing again.
    fn how_far(&self, _edge: EdgeId, _ledger: &Ledger) -> u64 {
        u64::MAX
    }

    /// How soon an unchecked edge is likely to be chosen, the sooner the greater, and how far it would be checked then:
    /// by its place in the path, how many configurations of it have been found free, and how likely it is to be. Nothing
    /// is decided by that but what is asked [ahead](crate::checker::World::foresee), where there are cores for it.
    fn outlook(&self, _place: usize, _seen: u64, free: f64, _ledger: &Ledger) -> (f64, u64) {
        (1.0 - free, u64::MAX)
    }
}

impl<V: Validator + ?Sized> Validator for Box<V> {
    fn choose(
        &mut self,
        path: &Path,
        ledger: &Ledger,
        belief: &mut dyn Belief,
        telling: Option<&Telling>,
    ) -> Option<usize> {
        (**self).choose(path, ledger, belief, telling)
    }
    fn how_far(&self, edge: EdgeId, ledger: &Ledger) -> u64 {
        (**self).how_far(edge, ledger)
    }
    fn outlook(&self, place: usize, seen: u64, free: f64, ledger: &Ledger) -> (f64, u64) {
        (**self).outlook(place, seen, free, ledger)
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

impl Validator for FailFast {
    fn choose(
        &mut self,
        path: &Path,
        ledger: &Ledger,
        belief: &mut dyn Belief,
        _: Option<&Telling>,
    ) -> Option<usize> {
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

/// How many configurations of an edge will have been seen after another partial check. Each halves
/// the distance between them: both ends and the middle, then 5, 9, 17 and so on.
fn after_next_check(seen: u64) -> u64 {
    (2 * seen).saturating_sub(1).max(3)
}

/// How many configurations the next partial check of an edge is of.
fn next_check(seen: u64, ledger: &Ledger) -> u64 {
    if ledger.hidden(seen) <= NOTHING_TO_SHOW {
        return u64::MAX;
    }
    after_next_check(seen) - seen
}

/// How likely a blocked edge that has shown nothing so far shows its collision in the checks to come,
/// for each configuration they take: as many checks as make this most, because the next one alone may be
/// too coarse to find what the one after it finds.
fn shown_per_configuration(seen: u64, ledger: &Ledger) -> f64 {
    let hidden_so_far = ledger.hidden(seen);
    let (mut most, mut then) = (0.0, seen);
    for _ in 0..CHECKS_AHEAD {
        then = after_next_check(then);
        let shown = 1.0 - ledger.hidden(then) / hidden_so_far;
        most = f64::max(most, shown / (then - seen) as f64);
    }
    most
}

/// The unchecked edge where a partial check is most likely to show a collision, for each configuration
/// it takes, and of that edge no more than this; of equals the first. Checks ahead are counted in, as far
/// as they make it likelier.
///
/// How likely a partial check shows the collision of a blocked edge is learned from the edges found blocked so
/// far ([`Ledger::hidden`]). Where the proposer says what collisions tell of other paths, that is a factor.
#[derive(Debug, Clone, Copy, Default)]
pub struct CoarseToFine;

impl Validator for CoarseToFine {
    fn choose(
        &mut self,
        path: &Path,
        ledger: &Ledger,
        belief: &mut dyn Belief,
        telling: Option<&Telling>,
    ) -> Option<usize> {
        let mut most = f64::NEG_INFINITY;
        let mut choice = None;
        let told = telling.and_then(|telling| telling.about(path, ledger));
        for place in unchecked(path, ledger) {
            let edge = path.edges()[place];
            let blocked = 1.0 - belief.probability_free(edge);
            let told = told.map_or(1.0, |told| told.per_collision(place));
            let gain = told * blocked * shown_per_configuration(ledger.seen(edge), ledger);
            if gain > most || choice.is_none() {
                most = gain;
                choice = Some(place);
            }
        }
        choice
    }

    fn how_far(&self, edge: EdgeId, ledger: &Ledger) -> u64 {
        next_check(ledger.seen(edge), ledger)
    }

    fn outlook(&self, _: usize, seen: u64, free: f64, ledger: &Ledger) -> (f64, u64) {
        let gain = (1.0 - free) * shown_per_configuration(seen, ledger);
        (gain, next_check(seen, ledger))
    }
}

/// The unchecked edge nearest to the start.
#[derive(Debug, Clone, Copy, Default)]
pub struct Forward;

impl Validator for Forward {
    fn choose(
        &mut self,
        path: &Path,
        ledger: &Ledger,
        _: &mut dyn Belief,
        _: Option<&Telling>,
    ) -> Option<usize> {
        unchecked(path, ledger).next()
    }

    fn outlook(&self, place: usize, _: u64, _: f64, _: &Ledger) -> (f64, u64) {
        (-(place as f64), u64::MAX)
    }
}

/// The unchecked edge nearest to the goal.
#[derive(Debug, Clone, Copy, Default)]
pub struct Backward;

impl Validator for Backward {
    fn choose(
        &mut self,
        path: &Path,
        ledger: &Ledger,
        _: &mut dyn Belief,
        _: Option<&Telling>,
    ) -> Option<usize> {
        unchecked(path, ledger).next_back()
    }

    fn outlook(&self, place: usize, _: u64, _: f64, _: &Ledger) -> (f64, u64) {
        (place as f64, u64::MAX)
    }
}

/// The unchecked edge nearest to the start and nearest to the goal by turns.
#[derive(Debug, Clone, Copy, Default)]
pub struct Alternate {
    from_goal: bool,
}

impl Validator for Alternate {
    fn choose(
        &mut self,
        path: &Path,
        ledger: &Ledger,
        _: &mut dyn Belief,
        _: Option<&Telling>,
    ) -> Option<usize> {
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

impl Validator for Bisect {
    fn choose(
        &mut self,
        path: &Path,
        ledger: &Ledger,
        _: &mut dyn Belief,
        _: Option<&Telling>,
    ) -> Option<usize> {
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
    use crate::belief::{Evidence, IndependentEdges, PartlyChecked};
    use crate::checker::{Finding, Sightings, Verdict};
    use crate::roadmap::VertexId;

    /// The order in which a validator checks a path of seven edges that are all free.
    fn order(mut validator: impl Validator) -> Vec<usize> {
        let mut path = Path::default();
        path.begin_from_start(VertexId(0));
        for i in 0..7 {
            path.append(VertexId(i + 1), EdgeId(i));
        }
        let mut ledger = Ledger::new(7);
        let p = vec![0.9, 0.2, 0.8, 0.2, 0.7, 0.6, 0.1];
        let mut belief = IndependentEdges::each(p).unwrap();
        let mut order = Vec::new();
        while let Some(place) = validator.choose(&path, &ledger, &mut belief, None) {
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
    fn coarse_to_fine_checks_everywhere_before_it_sees_an_edge_to_its_end() {
        let mut path = Path::default();
        path.begin_from_start(VertexId(0));
        for i in 0..3 {
            path.append(VertexId(i + 1), EdgeId(i));
        }
        let mut ledger = Ledger::new(23);
        // Of twenty blocked edges each had shown it by the fifth configuration.
        for edge in 3..23 {
            let verdict = Verdict {
                free: false,
                configurations: 5,
            };
            ledger.record(EdgeId(edge), verdict.into());
        }
        let belief = IndependentEdges::each(vec![0.8, 0.5, 0.7]).unwrap();
        let mut belief = PartlyChecked::new(belief, 3);
        let mut checks = Vec::new();
        let mut validator = CoarseToFine;
        while let Some(place) = validator.choose(&path, &ledger, &mut belief, None) {
            let edge = EdgeId(place as u32);
            let most = validator.how_far(edge, &ledger);
            let left = 100 - ledger.seen(edge);
            checks.push((place, most.min(left)));
            let finding = Finding {
                free: (most >= left).then_some(true),
                configurations: most.min(left),
            };
            let before = ledger.likelihood(edge);
            ledger.record(edge, finding);
            belief.observe(Evidence {
                edge,
                before,
                now: ledger.likelihood(edge),
                sightings: &Sightings::default(),
            });
        }
        let to_the_end = checks.iter().position(|(_, size)| *size > 50).unwrap();
        let (coarse, rest) = checks.split_at(to_the_end);
        assert!((0..3).all(|place| coarse.iter().filter(|(p, _)| *p == place).count() >= 2));
        assert_eq!(coarse[0], (1, 3));
        assert_eq!(rest.len(), 3);
        assert_eq!(checks.iter().map(|(_, size)| size).sum::<u64>(), 300);
    }

    #[test]
    fn each_checks_in_its_own_order() {
        assert_eq!(order(FailFast), [6, 1, 3, 5, 4, 2, 0]);
        // Where a check is a whole edge, coarse to fine is the same.
        assert_eq!(order(CoarseToFine), [6, 1, 3, 5, 4, 2, 0]);
        assert_eq!(order(Forward), [0, 1, 2, 3, 4, 5, 6]);
        assert_eq!(order(Backward), [6, 5, 4, 3, 2, 1, 0]);
        assert_eq!(order(Alternate::default()), [0, 6, 1, 5, 2, 4, 3]);
        assert_eq!(order(Bisect), [3, 1, 5, 0, 2, 4, 6]);
    }
}
