//! What a planner will probably check next, for cores that would otherwise be idle.
//!
//! If what is checked now is free the path is gone on with: its edges in the order in which the validator is likely to
//! choose them, part by part. If the path falls, the next best one is likely to be proposed. Of all these parts those come
//! first that are likeliest to be reached. Nothing that a run does depends on it: who is wrong here has checked for
//! nothing where nobody else had anything to do. Where no core has time to spare none of this is found out.

use super::{Planner, State, remaining_cost};
use crate::belief::Belief;
use crate::checker::{Checker, Foreseen};
use crate::ledger::{EdgeStatus, Ledger};
use crate::path::Path;
use crate::proposer::Proposer;
use crate::roadmap::EdgeId;
use crate::validator::{Forward, Validator};

/// How likely the next best path is thought to be proposed once the path falls, and each after it so many times less.
const PROPOSED_NEXT: f64 = 0.5;
/// So many of them are looked at.
const RUNNERS_UP: usize = 4;
/// How likely an edge is taken to be free where asking the belief would take too long.
const LIKELY: f64 = 0.8;

/// An edge in the course of being checked.
#[derive(Debug, Clone, Copy)]
struct Course {
    place: usize,
    /// The configurations that are checked next.
    next: Foreseen,
    /// How many of the edge are left.
    left: u64,
    /// How likely it is to be free by then, and how soon it is its turn.
    free: f64,
    urgency: f64,
}

/// What a planner will probably check, and memory for finding it out.
#[derive(Debug, Clone, Default)]
pub(super) struct Outlook {
    courses: Vec<Course>,
    /// How likely each part is to be reached.
    parts: Vec<(f64, Foreseen)>,
    likely: Vec<Foreseen>,
}

/// How paths are checked.
struct Checks<'c, V, C> {
    validator: &'c V,
    checker: &'c C,
    ledger: &'c Ledger,
    /// How many configurations are foreseen.
    budget: u64,
}

impl Course {
    /// The next so many configurations are free: what comes after them. How likely that was.
    fn go_on(&mut self, checks: &Checks<'_, impl Validator, impl Checker>) -> f64 {
        let Foreseen {
            edge,
            seen,
            after,
            count,
        } = self.next;
        let (before, now) = (seen + after, seen + after + count);
        self.left -= count;
        let hidden = match self.left {
            0 => 0.0,
            _ => checks.ledger.hidden(now) / checks.ledger.hidden(before),
        };
        let passes = self.free + (1.0 - self.free) * hidden;
        if passes > 0.0 {
            self.free /= passes;
        }
        let (urgency, count) =
            (checks.validator).outlook(self.place, now, self.free, checks.ledger);
        self.urgency = urgency;
        self.next = Foreseen {
            edge,
            seen,
            after: now - seen,
            count: count.min(self.left),
        };
        passes
    }
}

impl Outlook {
    /// Adds what is checked of a path, if that is reached at all; where something of it is checked `now`, after that. How
    /// likely all of it is free.
    fn add<V: Validator, C: Checker>(
        &mut self,
        path: &Path,
        now: Option<(EdgeId, u64)>,
        checks: &Checks<'_, V, C>,
        mut free: impl FnMut(EdgeId) -> f64,
        mut reached: f64,
    ) -> f64 {
        let Checks {
            validator,
            checker,
            ledger,
            ..
        } = *checks;
        self.courses.clear();
        let mut all_free = 1.0;
        for (place, &edge) in path.edges().iter().enumerate() {
            if ledger.status(edge) != EdgeStatus::Unchecked {
                continue;
            }
            let (seen, free) = (ledger.seen(edge), free(edge));
            all_free *= free;
            let left = remaining_cost(edge, checker, ledger);
            let (urgency, wanted) = validator.outlook(place, seen, free, ledger);
            let is_now = now.filter(|(other, _)| *other == edge);
            let count = is_now.map_or_else(|| checker.portion(edge, wanted), |(_, most)| most);
            let mut course = Course {
                place,
                next: Foreseen {
                    edge,
                    seen,
                    after: 0,
                    count: count.min(left),
                },
                left,
                free,
                urgency,
            };
            if is_now.is_some() {
                course.go_on(checks);
            }
            self.courses.push(course);
        }
        let mut budget = checks.budget;
        while budget > 0 {
            let left = self.courses.iter_mut().filter(|course| course.left > 0);
            let next = left.max_by(|a, b| {
                let sooner = a.urgency.total_cmp(&b.urgency);
                sooner.then(b.place.cmp(&a.place))
            });
            let Some(course) = next else {
                break;
            };
            self.parts.push((reached, course.next));
            budget = budget.saturating_sub(course.next.count.max(1));
            reached *= course.go_on(checks);
        }
        all_free
    }

    /// Tells the checker of the likeliest, in their order.
    fn tell(&mut self, checker: &mut impl Checker, budget: u64) {
        // What is equally likely stays in the order of its path.
        self.parts.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let mut told = 0;
        self.likely.clear();
        for (_, part) in self.parts.drain(..) {
            if told >= budget {
                break;
            }
            let count = part.count.min(budget - told);
            told += count;
            self.likely.push(Foreseen { count, ..part });
        }
        checker.foresee(&self.likely);
    }
}

impl<P, B, V, C> Planner<P, B, V, C>
where
    P: Proposer<B>,
    B: Belief,
    V: Validator,
    C: Checker,
{
    /// Tells the checker what will probably be checked after so many configurations of an edge, if it wants to know.
    pub(super) fn foresee(&mut self, edge: EdgeId, most: u64) {
        let budget = self.checker.foresight() as u64;
        if budget == 0 {
            return;
        }
        let checks = Checks {
            validator: &self.validator,
            checker: &self.checker,
            ledger: &self.ledger,
            budget,
        };
        let (outlook, belief) = (&mut self.outlook, &mut self.belief);
        outlook.parts.clear();
        let now = Some((edge, most));
        let all_free = match &self.insurance {
            Some(insurance) if self.state == State::Insuring => {
                let checks = Checks {
                    validator: &Forward,
                    checker: checks.checker,
                    ledger: checks.ledger,
                    budget,
                };
                outlook.add(insurance.path(), now, &checks, |_| LIKELY, 1.0)
            }
            _ => {
                let free = |edge| belief.probability_free(edge);
                outlook.add(&self.path, now, &checks, free, 1.0)
            }
        };
        let mut reached = 1.0 - all_free;
        for place in 0..RUNNERS_UP {
            reached *= PROPOSED_NEXT;
            if let Some(path) = self.proposer.runner_up(place) {
                outlook.add(path, None, &checks, |_| LIKELY, reached);
            }
        }
        outlook.tell(&mut self.checker, budget);
    }
}
