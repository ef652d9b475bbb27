//! Expected improvement per check: choose by value, not by one sample.
//!
//! Candidates are gathered from worlds drawn from the belief, from the optimist, and from
//! trade-offs between length and probability, and kept as long as they may be free and shorter than
//! the best path. Proposed is the one with the greatest
//!
//! ```text
//!         P * (best length - its length)                 best length - its length
//! ---------------------------------------------- = ------------------------------------
//! P * price if free + (1 - P) * price of refuting    price + price of refuting (1-P)/P
//! ```
//!
//! where `P` is the probability that all its unchecked edges are free, the price that of confirming
//! them all, and `(1 - P) / P` the failures to expect for one success. Four facts are in that score.
//! *Refuting is cheap, confirming is dear*: a free edge costs all its configurations, a blocked one as
//! few as it took lately to meet a collision. *What is known to be free is free of charge*: paths that
//! reuse checked edges cost less. *A failure loses only what it took to refute*: edges confirmed on a
//! path that fails later serve the next one around the obstacle, so they are not charged to the
//! failure. And a likely small improvement may be worth more than an unlikely large one.
//! Before there is a best path it counts as three times the likeliest candidate.
//!
//! Where thoughts have a [price](crate::Prices), thinking is paid for by checking: a step may think as long as the
//! checks have taken since the one before, and what it does not need is left for later ones. A search is given up
//! when it has taken all of that, and the next one waits until there is twice as much. So thinking never takes
//! longer than checking. A step that cannot afford a thought proposes the optimist's path. Where checks cost next to nothing that is LazySP; where they are dear, thinking is not held back.

use super::{Proposal, Proposer, Telling, Tradeoff, View};
use crate::belief::Belief;
use crate::ledger::{EdgeStatus, Ledger};
use crate::path::Path;
use crate::random::Draw;
use crate::roadmap::EdgeId;

/// Worlds drawn for candidates in the first step, when there are none yet, and in each later one.
const FIRST_DRAWS: u64 = 128;
const DRAWS: u64 = 8;
/// Before the first path the best one counts as this many times one that is likely.
const BEFORE_FIRST: f64 = 3.0;
/// Trade-offs between length and probability for a belief with experience of other worlds, from probability alone to
/// almost only length; and each of them again for paths that reuse what is known to be free.
const ALPHAS: [f64; 8] = [0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 0.97, 0.99];
/// Trade-offs for a belief without experience. A path that is a little longer, or a little less likely, has a score
/// that is less by `length / (best length - its length)`, or by `-log P`, in shares of it. So where two such paths
/// are worth the same, a length weighs so many times `1 / (best length - shortest)` beside a logarithm: once, if the
/// path is as short as can be, and more the nearer it is to the best.
const SLOPES: [f64; 3] = [2.0, 8.0, 32.0];

/// How far a step looks for candidates.
#[derive(Debug, Clone, Copy)]
struct Breadth {
    /// How many trade-offs there are.
    tradeoffs: u64,
    /// A trade-off is tried again when the path it gave last is settled. Of the others so many are, by
    /// turns, because checks change what is likely elsewhere too.
    again: u64,
    /// How many edges the searches of a step may look at, those for trade-offs and those in drawn worlds. What trade-offs
    /// leave or take too much in one step, they have more or less in those after it. So a step on a large roadmap takes
    /// as long as on a small one, once that is large enough.
    effort: i64,
    /// The first may think longer, because all that come after live on its candidates.
    first_effort: i64,
}

/// Who knows other worlds tells paths apart that look alike to who does not, and does better for every search.
const WITH_EXPERIENCE: Breadth = Breadth {
    tradeoffs: 2 * ALPHAS.len() as u64,
    again: 4,
    effort: 16_000,
    first_effort: 512_000,
};
/// Who does not know any finds as good paths with a quarter of the searches.
const WITHOUT: Breadth = Breadth {
    tradeoffs: SLOPES.len() as u64,
    again: 1,
    effort: 4_000,
    first_effort: 128_000,
};
/// How far trade-offs lean to the goal on a roadmap with more edges than a step may look at: they look at half as many, for
/// the same regret. On a smaller one they need not.
const LEAN: f64 = 2.0;
/// Candidates kept from one step to the next, the best ones.
const KEPT: usize = 128;
/// Candidates there can be in a step: those kept, the optimist's, and those of the first step.
const MOST: usize = KEPT + 1 + (FIRST_DRAWS + WITH_EXPERIENCE.tradeoffs) as usize;

/// A part of the method that can be left out, to see what it is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// Candidates from trade-offs between length and probability.
    Tradeoffs,
    /// Candidates from drawn worlds.
    Draws,
    /// That refuting an edge costs less than confirming it.
    CheapRefutation,
    /// The probability that all edges are free at once; without it, the product of each edge's own.
    JointProbability,
    /// What checks of a path tell of the other candidates.
    Telling,
}

/// The candidate of greatest expected improvement per configuration checked.
#[derive(Debug, Clone, Default)]
pub struct ExpectedImprovement {
    appraisal: Appraisal,
    /// The first `live` are the candidates; those behind are memory for the next ones.
    candidates: Vec<Candidate>,
    live: usize,
    /// The trade-off whose turn it is.
    turn: u64,
    /// How many edges may yet be looked at.
    spare: i64,
    /// So many edges a trade-off takes to look at, at least: one that was given up has looked at half of that.
    takes: i64,
    /// How many configurations had been checked at the last step.
    checked: u64,
    /// Whether there has been a first step.
    begun: bool,
    /// How long the likeliest candidate of the last step was, 0 before the first.
    likely: f64,
    telling: Telling,
}

/// What a step changes before it proposes anything, as it was: an interrupted step leaves no trace.
struct Before {
    live: usize,
    from: [u16; KEPT],
    turn: u64,
    spare: i64,
    takes: i64,
    checked: u64,
    begun: bool,
}

#[derive(Debug, Clone)]
struct Candidate {
    path: Path,
    appraised: Appraised,
    score: f64,
    /// The trade-offs that gave it last, a bit for each.
    from: u16,
}

/// What it costs to find a blocked edge blocked, learned from the ledger.
#[derive(Debug, Clone, Default)]
struct RefutingPrice {
    read: usize,
    total: f64,
    count: f64,
}

impl RefutingPrice {
    /// Takes in what the ledger has new, and gives the mean price. Before anything is known, an
    /// obstacle is met after ten configurations.
    fn mean(&mut self, ledger: &Ledger) -> f64 {
        for entry in &ledger.entries()[self.read..] {
            if !entry.verdict.free {
                self.total += entry.verdict.configurations as f64;
                self.count += 1.0;
            }
        }
        self.read = ledger.entries().len();
        (self.total + 10.0) / (self.count + 1.0)
    }
}

/// How many edges the searches of a step may look at where thoughts cost nothing.
fn purse<B: Belief>(first: bool, view: &View<'_, B>) -> i64 {
    match first {
        true => breadth(view).first_effort,
        false => breadth(view).effort,
    }
}

fn breadth<B: Belief>(view: &View<'_, B>) -> Breadth {
    match view.belief.has_experience() {
        true => WITH_EXPERIENCE,
        false => WITHOUT,
    }
}

/// What the best path counts as: before the first, and where that is very long, as so many times one that is likely. The
/// optimist's would not do: where it is far shorter than any free one, all that are likely would seem to be worth
/// nothing.
pub(crate) fn value_of_best(best_length: f64, likely_length: f64) -> f64 {
    best_length.min(BEFORE_FIRST * likely_length)
}

/// What is to be known of a path to say what checking it is worth.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Appraised {
    /// The probability that all of it is free.
    probability: f64,
    /// What it costs to confirm, and to refute.
    price: f64,
    refuting: f64,
}

impl Appraised {
    /// All of it is known to be free.
    const KNOWN: Self = Self {
        probability: 1.0,
        price: 0.0,
        refuting: 0.0,
    };

    /// The expected improvement per configuration of checking a path of this length, where the best counts as `best`.
    pub(crate) fn rate(self, length: f64, best: f64) -> f64 {
        let Appraised {
            probability: p,
            price,
            refuting,
        } = self;
        if p == 1.0 && price == 0.0 {
            return f64::INFINITY;
        }
        let improvement = (best - length).max(1e-9 * length);
        // A check may be free of charge, a division by nothing may not.
        p * improvement / (p * price + (1.0 - p) * refuting).max(f64::MIN_POSITIVE)
    }
}

/// What it is worth to check a path.
#[derive(Debug, Clone, Default)]
pub(crate) struct Appraisal {
    without: Option<Part>,
    unchecked: Vec<EdgeId>,
    refuting: RefutingPrice,
}

impl Appraisal {
    fn has(&self, part: Part) -> bool {
        self.without != Some(part)
    }

    /// How likely a path is to be free, and what checking it costs.
    pub(crate) fn of<B: Belief>(
        &mut self,
        path: &Path,
        ledger: &Ledger,
        belief: &mut B,
        remaining_cost: &dyn Fn(EdgeId) -> u64,
    ) -> Appraised {
        self.unchecked.clear();
        let mut price = 0.0;
        for &edge in path.edges() {
            if ledger.status(edge) == EdgeStatus::Unchecked {
                self.unchecked.push(edge);
                price += remaining_cost(edge) as f64;
            }
        }
        if self.unchecked.is_empty() {
            return Appraised::KNOWN;
        }
        let one_edge = price / self.unchecked.len() as f64;
        // No edge costs more to refute than to confirm.
        let refuting = if self.has(Part::CheapRefutation) {
            self.refuting.mean(ledger).min(one_edge)
        } else {
            one_edge
        };
        let probability = if self.has(Part::JointProbability) {
            belief.probability_all_free(&self.unchecked)
        } else {
            let each = self.unchecked.iter();
            each.map(|&e| belief.probability_free(e)).product()
        };
        Appraised {
            probability,
            price,
            refuting,
        }
    }
}

impl ExpectedImprovement {
    /// The method less one of its parts.
    #[must_use]
    pub fn without(part: Part) -> Self {
        Self {
            appraisal: Appraisal {
                without: Some(part),
                ..Appraisal::default()
            },
            ..Self::default()
        }
    }

    fn has(&self, part: Part) -> bool {
        self.appraisal.has(part)
    }

    /// How things stand before candidates are gathered; `live` are no more than were kept.
    fn before(&self) -> Before {
        let mut from = [0; KEPT];
        for (bits, candidate) in from.iter_mut().zip(&self.candidates[..self.live]) {
            *bits = candidate.from;
        }
        Before {
            live: self.live,
            from,
            turn: self.turn,
            spare: self.spare,
            takes: self.takes,
            checked: self.checked,
            begun: self.begun,
        }
    }

    fn go_back(&mut self, before: &Before) {
        self.live = before.live;
        self.turn = before.turn;
        self.spare = before.spare;
        self.takes = before.takes;
        self.checked = before.checked;
        self.begun = before.begun;
        // New candidates were added behind the old ones, which stand where they were.
        for (candidate, bits) in self.candidates[..self.live].iter_mut().zip(&before.from) {
            candidate.from = *bits;
        }
    }

    /// Adds to what may be spent on thinking in this step; the optimist's path is in the view. How many thoughts the
    /// checks since the last step have paid for; nothing if thoughts cost nothing.
    fn earn<B: Belief>(&mut self, first: bool, view: &View<'_, B>) -> Option<i64> {
        let most = purse(first, view);
        let checked = view.ledger().configurations();
        let since = checked - std::mem::replace(&mut self.checked, checked);
        let paid = view.prices().map(|prices| {
            let configurations = match first {
                // What the optimist would check first.
                true => view
                    .path()
                    .edges()
                    .iter()
                    .map(|&e| view.remaining_cost(e))
                    .sum(),
                // One at least: what is proposed now is checked next.
                false => since.max(1),
            };
            (configurations as f64 * prices.thoughts()) as i64
        });
        let earned = most.min(paid.unwrap_or(most));
        let most = breadth(view).first_effort.max(self.takes);
        self.spare = (self.spare + earned).min(most);
        paid
    }

    /// Gathers candidates, as far as that can be afforded.
    fn gather<B: Belief>(&mut self, first: bool, paid: Option<i64>, view: &mut View<'_, B>) {
        let seed = view.randomness().below(u64::MAX, u64::MAX);
        let Breadth {
            tradeoffs, again, ..
        } = breadth(view);
        if first {
            self.try_tradeoffs(tradeoffs, paid, view);
            self.spare = self.try_draws(FIRST_DRAWS, self.spare, seed, view);
            return;
        }
        // The searches in draws are led straight to the goal and cost little; trade-offs look around as far as what is
        // left reaches. What these have taken too much is not kept from draws: on a large roadmap there would be
        // steps without a search, and what is left of the candidates, likely or not, would be checked.
        let for_draws = match paid {
            None => self.spare.max(purse(first, view)),
            Some(_) => self.spare,
        };
        self.spare -= for_draws - self.try_draws(DRAWS, for_draws, seed, view);
        self.try_tradeoffs(again, paid, view);
    }

    /// Keeps the paths of drawn worlds, until there is no effort to spare. What is left of it.
    fn try_draws<B: Belief>(
        &mut self,
        draws: u64,
        mut spare: i64,
        seed: u64,
        view: &mut View<'_, B>,
    ) -> i64 {
        for index in 0..draws {
            if spare <= 0 {
                break;
            }
            let before = view.effort();
            self.try_draw(Draw::new(seed, index), view);
            spare -= (view.effort() - before) as i64;
        }
        spare
    }

    /// Keeps the paths of trade-offs whose last path is settled, and of `again` others, until there is
    /// no effort to spare. Where thoughts cost something none takes more than was paid for or is left over, and none
    /// begins that would not come to its end.
    fn try_tradeoffs<B: Belief>(
        &mut self,
        mut again: u64,
        mut paid: Option<i64>,
        view: &mut View<'_, B>,
    ) {
        let live = self.candidates[..self.live].iter();
        let open = live.fold(0, |open, candidate| open | candidate.from);
        let (turn, tradeoffs) = (self.turn, breadth(view).tradeoffs);
        for source in (turn..turn + tradeoffs).map(|source| source % tradeoffs) {
            let affordable = paid.map(|paid| paid.max(self.spare));
            if self.spare <= 0 || affordable.is_some_and(|most| most < self.takes) {
                self.turn = source;
                return;
            }
            if open & (1 << source) != 0 {
                if again == 0 {
                    continue;
                }
                again -= 1;
                self.turn = (source + 1) % tradeoffs;
            }
            let before = view.effort();
            let most = affordable.map_or(u64::MAX, |most| most as u64);
            view.search.give_up_after(most);
            self.try_tradeoff(source, view);
            view.search.give_up_after(u64::MAX);
            let took = view.effort() - before;
            // Where thoughts cost nothing none is given up, and none has to wait.
            if affordable.is_some() {
                self.takes = if took < most { took } else { 2 * took } as i64;
            }
            self.spare -= took as i64;
            paid = paid.map(|paid| paid - took as i64);
        }
    }

    /// Keeps the path that trades length against probability in this way.
    fn try_tradeoff<B: Belief>(&mut self, source: u64, view: &mut View<'_, B>) {
        if !self.has(Part::Tradeoffs) {
            return;
        }
        let shortest = view.lower_bound().max(f64::MIN_POSITIVE);
        let tradeoff = if view.belief.has_experience() {
            let alpha = ALPHAS[source as usize / 2];
            let mut tradeoff = Tradeoff::new(alpha.max(1e-9) / shortest, 1.0 - alpha);
            if source % 2 == 1 {
                // Finds paths that reuse what is known to be free.
                tradeoff.length_if_free = 1e-9 / shortest;
            }
            tradeoff
        } else {
            let likely = self.likely.max(shortest);
            let gain = value_of_best(view.best_length(), likely) - shortest;
            Tradeoff::new(SLOPES[source as usize] / gain.max(1e-6 * shortest), 1.0)
        };
        let is_large = view.roadmap().edge_count() as i64 > breadth(view).effort;
        let lean = if is_large { LEAN } else { 0.0 };
        if view.shorter_tradeoff_path(tradeoff, lean) {
            let bit = 1 << source;
            for candidate in &mut self.candidates[..self.live] {
                candidate.from &= !bit;
            }
            self.keep(view, bit);
        }
    }

    /// Keeps the shortest path of a drawn world.
    fn try_draw<B: Belief>(&mut self, draw: Draw, view: &mut View<'_, B>) {
        if self.has(Part::Draws)
            && view.belief().draw(draw)
            && view.belief().draws_from_experience()
            && view.shortest_path_in_draw()
        {
            self.keep(view, 0);
        }
    }

    /// Scoring is thinking too, and is paid for where thoughts are short.
    fn count_scoring<B: Belief>(&mut self, is_short: bool, view: &mut View<'_, B>) {
        let live = self.candidates[..self.live].iter();
        let edges = live.map(|candidate| candidate.path.edges().len()).sum();
        view.search.count(edges);
        if is_short {
            self.spare -= edges as i64;
        }
    }

    /// All the memory there will be, but for paths much longer than the optimist's.
    fn make_room<B: Belief>(&mut self, view: &View<'_, B>) {
        let most = view.roadmap().vertex_count();
        self.appraisal.unchecked.reserve(most);
        self.telling.make_room(most.min(1024), KEPT);
        self.candidates.resize_with(MOST, || Candidate {
            path: Path::with_room_for_edges(most.min(1024)),
            appraised: Appraised::default(),
            score: 0.0,
            from: 0,
        });
    }

    /// Thinks about what checks of the best candidate tell of the others, where each edge is one question: where it is
    /// several, an obstacle is found for less than it costs to confirm an edge, and to fail fast is best.
    fn ask_what_tells<B: Belief>(&mut self, is_paid: bool, view: &mut View<'_, B>) {
        self.telling.forget();
        let [best, _, ..] = &self.candidates[..self.live] else {
            return;
        };
        let is_one_question = |&edge: &EdgeId| {
            view.ledger().status(edge) != EdgeStatus::Unchecked
                || (view.ledger().seen(edge) == 0 && view.remaining_cost(edge) <= 1)
        };
        if !self.has(Part::Telling)
            || !view.belief.has_experience()
            || !best.score.is_finite()
            || !best.path.edges().iter().all(is_one_question)
        {
            return;
        }
        let looks = match is_paid {
            true => self.spare.max(0) as u64,
            false => u64::MAX,
        };
        let seed = view.randomness().below(u64::MAX, u64::MAX - 1);
        let live = self.candidates[..self.live].iter();
        let candidates = live.map(|candidate| (&candidate.path, candidate.score / best.score));
        let taken = self.telling.draw(&best.path, candidates, looks, seed, view);
        view.search.count(taken as usize);
        if is_paid {
            self.spare -= taken as i64;
        }
    }

    /// How long the likeliest candidate is, 0 if there is none.
    fn likeliest(&self) -> f64 {
        let live = self.candidates[..self.live].iter();
        let each = live.map(|candidate| (candidate.appraised.probability, candidate.path.length()));
        let (_, length) = each.fold((0.0, 0.0), |likeliest, candidate| {
            match candidate.0 > likeliest.0 {
                true => candidate,
                false => likeliest,
            }
        });
        length
    }

    /// Drops candidates that were refuted or are no shorter than the best path.
    fn forget_settled<B: Belief>(&mut self, view: &View<'_, B>) {
        let mut place = 0;
        while place < self.live {
            let path = &self.candidates[place].path;
            let refuted = |e: &EdgeId| view.ledger().status(*e) == EdgeStatus::Blocked;
            if path.length() < view.best_length() && !path.edges().iter().any(refuted) {
                place += 1;
            } else {
                self.live -= 1;
                self.candidates.swap(place, self.live);
            }
        }
    }

    /// Adds the path in the view to the candidates, unless it is there or too long.
    fn keep<B: Belief>(&mut self, view: &View<'_, B>, from: u16) {
        let path = view.path();
        if path.length() >= view.best_length() {
            return;
        }
        let mut live = self.candidates[..self.live].iter_mut();
        if let Some(known) = live.find(|known| known.path.edges() == path.edges()) {
            known.from |= from;
            return;
        }
        let candidate = &mut self.candidates[self.live];
        candidate.path.copy_from(path);
        candidate.from = from;
        self.live += 1;
    }
}

impl<B: Belief> Proposer<B> for ExpectedImprovement {
    fn propose(&mut self, view: &mut View<'_, B>) -> Proposal {
        if self.candidates.is_empty() {
            self.make_room(view);
        }
        self.forget_settled(view);
        let before = self.before();
        let first = !std::mem::replace(&mut self.begun, true);
        let is_open = view.optimistic_path();
        let paid = self.earn(first, view);
        let is_short = paid.is_some_and(|paid| paid < purse(first, view));
        if is_open {
            if is_short && self.spare <= 0 {
                return Proposal::Path;
            }
            self.keep(view, 0);
        }
        self.gather(first, paid, view);
        self.count_scoring(is_short, view);
        for candidate in &mut self.candidates[..self.live] {
            if view.is_interrupted() {
                break;
            }
            candidate.appraised = (self.appraisal).of(
                &candidate.path,
                view.ledger,
                view.belief,
                view.remaining_cost,
            );
        }
        if view.is_interrupted() {
            self.go_back(&before);
            return Proposal::NoImprovement;
        }
        self.likely = self.likeliest().max(view.lower_bound());
        let best = value_of_best(view.best_length(), self.likely);
        for candidate in &mut self.candidates[..self.live] {
            candidate.score = candidate.appraised.rate(candidate.path.length(), best);
        }
        let candidates = &mut self.candidates[..self.live];
        candidates.sort_unstable_by(|a, b| {
            let shorter = a.path.length().total_cmp(&b.path.length());
            b.score.total_cmp(&a.score).then(shorter)
        });
        self.live = self.live.min(KEPT);
        self.ask_what_tells(paid.is_some(), view);
        match self.candidates[..self.live].first() {
            Some(best) if best.score > 0.0 => {
                view.set_path(&best.path);
                Proposal::Path
            }
            _ => Proposal::Exhausted,
        }
    }

    fn telling(&self) -> Option<&Telling> {
        Some(&self.telling)
    }

    fn runner_up(&self, place: usize) -> Option<&Path> {
        let candidate = self.candidates[..self.live].get(place + 1)?;
        Some(&candidate.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::IndependentEdges;
    use crate::checker::{EdgeCosts, TableChecker};
    use crate::event::EventKind;
    use crate::planner::Planner;
    use crate::roadmap::{Direction, Edge, Query, Roadmap, VertexId};
    use crate::table::{CollisionTable, WorldId};
    use crate::validator::FailFast;
    use std::sync::Arc;

    /// A way of one edge that is all but blocked, and one that is likely and five times as long: of two bets, the one that
    /// hardly ever comes off is not to be preferred because it is short.
    #[test]
    fn a_likely_way_much_longer_than_the_optimists_is_worth_something() {
        let way = [0, 2, 3, 4, 1];
        let mut edges = vec![Edge::new(0, 1, 1.0)];
        edges.extend(way.windows(2).map(|ends| Edge::new(ends[0], ends[1], 1.25)));
        let roadmap = Roadmap::from_edges(5, Direction::Directed, edges).unwrap();
        let belief = IndependentEdges::each(vec![0.01, 0.95, 0.95, 0.95, 0.95]).unwrap();
        let table = CollisionTable::from_rows(5, &[vec![false, true, true, true, true]]);
        let costs = EdgeCosts::Each(vec![10; 5]);
        let checker = TableChecker::new(Arc::new(table.unwrap()), WorldId(0), costs);
        let query = Query {
            start: VertexId(0),
            goal: VertexId(1),
        };
        let ei = ExpectedImprovement::default();
        let mut planner = Planner::new(&roadmap, query, ei, belief, FailFast, checker);
        let first = planner.next().unwrap().unwrap();
        let EventKind::Proposed { length, .. } = first.kind else {
            panic!("{first:?}");
        };
        assert_eq!(length, 5.0);
    }
}
