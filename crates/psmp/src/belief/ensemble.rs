//! The ensemble: several beliefs, each trusted as far as it predicts worlds that it does not know.
//!
//! Probabilities are means by weight, and a drawn world comes from one member drawn by weight. The weights are best taken
//! from [worlds held out](super::held_out), and are the same from the first check of a run to its last. Bayes' rule would move
//! them with every check, but takes the checks of a run for independent, which they are not: edges that lie near each other
//! are free or blocked together, so that whoever was lucky with a few of them would soon be alone, and the mean is better
//! than any one member.
//!
//! One thing the checks of a run can decide: whether a member knows all, as a set of known worlds does that has the true one
//! among them. That is a hypothesis beside the mean, and its weight does move by Bayes' rule: where the member is never
//! wrong it is alone before long, and where it is wrong it is back among the others.

use super::{Belief, Evidence, Local, PartlyChecked};
use crate::checker::Sightings;
use crate::random::Draw;
use crate::roadmap::EdgeId;

/// How far a member's word is kept away from certainty.
const DOUBT: f64 = 0.01;

/// The purpose for which a draw's random number picks the member; no edge has this id.
const PICK: u64 = u64::MAX;

/// The mean probability of an edge that has not been asked about.
const NOT_KNOWN: (f64, u32) = (0.0, u32::MAX);

struct Member<'a> {
    belief: PartlyChecked<Box<dyn Belief + Send + 'a>>,
    /// What it weighs among the members, and what it counts with all that is known.
    weight: f64,
    share: f64,
}

/// The hypothesis that one member knows the truth.
struct Knowing {
    member: usize,
    log_odds: f64,
}

/// A weighted mean of beliefs.
pub struct Ensemble<'a> {
    members: Vec<Member<'a>>,
    knowing: Option<Knowing>,
    /// The mean probability of each edge, and how many checks and sightings it rests on.
    cache: Vec<(f64, u32)>,
    checks: u32,
    drawn: usize,
}

impl<'a> Ensemble<'a> {
    /// Members and the logarithms of their weights, up to a common summand, over a roadmap of `edges`
    /// edges.
    ///
    /// # Panics
    /// If there are no members, or a weight is not a number.
    #[must_use]
    pub fn new(edges: usize, members: Vec<(Box<dyn Belief + Send + 'a>, f64)>) -> Self {
        assert!(!members.is_empty(), "an ensemble needs a member");
        let weights = members.iter().map(|(_, log_weight)| *log_weight);
        assert!(
            weights.clone().all(f64::is_finite),
            "a weight must be a number"
        );
        let most = weights.clone().fold(f64::NEG_INFINITY, f64::max);
        let sum: f64 = weights.map(|weight| (weight - most).exp()).sum();
        let member = |(belief, log_weight): (_, f64)| {
            let weight = (log_weight - most).exp() / sum;
            Member {
                belief: PartlyChecked::new(belief, edges),
                weight,
                share: weight,
            }
        };
        Self {
            members: members.into_iter().map(member).collect(),
            knowing: None,
            cache: vec![NOT_KNOWN; edges],
            checks: 0,
            drawn: 0,
        }
    }

    /// The same, where the member at this place may know the truth: `log_odds` says how likely that is before any check.
    ///
    /// # Panics
    /// If there is no such member, or the odds are not a number.
    #[must_use]
    pub fn where_one_may_know(mut self, member: usize, log_odds: f64) -> Self {
        assert!(member < self.members.len() && log_odds.is_finite());
        self.knowing = Some(Knowing { member, log_odds });
        self.share_out();
        self
    }

    /// What each member counts, summing to 1.
    pub fn shares(&self) -> impl Iterator<Item = f64> + '_ {
        self.members.iter().map(|member| member.share)
    }

    fn share_out(&mut self) {
        let Some(Knowing { member, log_odds }) = self.knowing else {
            return;
        };
        let knowing = 1.0 / (1.0 + (-log_odds).exp());
        for (place, m) in self.members.iter_mut().enumerate() {
            m.share = (1.0 - knowing) * m.weight;
            if place == member {
                m.share += knowing;
            }
        }
    }
}

impl Belief for Ensemble<'_> {
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        let (p, checks) = self.cache[edge.index()];
        if checks == self.checks {
            return p;
        }
        let mut p = 0.0;
        for Member { belief, share, .. } in &mut self.members {
            // A member that hardly counts need not be asked.
            if *share > 1e-4 {
                p += *share * belief.probability_free(edge).clamp(DOUBT, 1.0 - DOUBT);
            }
        }
        let p = p.clamp(DOUBT, 1.0 - DOUBT);
        self.cache[edge.index()] = (p, self.checks);
        p
    }

    fn probability_all_free(&mut self, edges: &[EdgeId]) -> f64 {
        let members = self.members.iter_mut().filter(|m| m.share > 1e-4);
        let p: f64 = members
            .map(|m| m.share * m.belief.probability_all_free(edges))
            .sum();
        p.max(f64::MIN_POSITIVE)
    }

    fn draw(&mut self, draw: Draw) -> bool {
        let mut rest = draw.unit(PICK);
        self.drawn = 0;
        for (place, member) in self.members.iter().enumerate() {
            self.drawn = place;
            rest -= member.share;
            if rest < 0.0 {
                break;
            }
        }
        self.members[self.drawn].belief.draw(draw)
    }

    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        self.members[self.drawn].belief.is_free_in_draw(edge)
    }

    fn draws_from_experience(&self) -> bool {
        self.members[self.drawn].belief.draws_from_experience()
    }

    fn has_experience(&self) -> bool {
        let mut members = self.members.iter();
        members.any(|member| member.belief.has_experience())
    }

    /// An edge that not all members know says nothing of those who do not.
    fn observe(&mut self, evidence: Evidence<'_>) {
        let mut members = self.members.iter();
        if !members.all(|m| m.belief.inner().knows(evidence.edge)) {
            for member in &mut self.members {
                member.belief.observe(evidence);
            }
            self.checks += 1;
            return;
        }
        let Evidence { before, now, .. } = evidence;
        let (mut mean, mut of_knowing) = (0.0, 0.0);
        for (place, member) in self.members.iter_mut().enumerate() {
            if let Some(Knowing { member: knows, .. }) = self.knowing {
                let p = member.belief.probability_free(evidence.edge);
                let p = p.clamp(DOUBT, 1.0 - DOUBT);
                // What was seen before is in `p` already.
                let likelihood = p * now.if_free / before.if_free
                    + (1.0 - p) * now.if_blocked / before.if_blocked;
                mean += member.weight * likelihood;
                if place == knows {
                    of_knowing = likelihood;
                }
            }
            member.belief.observe(evidence);
        }
        if let Some(Knowing { log_odds, .. }) = &mut self.knowing {
            *log_odds += (of_knowing / mean).ln();
        }
        self.share_out();
        self.checks += 1;
    }

    /// Its members see to that, each for itself.
    fn learns_from(&self, _: EdgeId, _: &Sightings) -> bool {
        true
    }

    fn grow(&mut self, edges: usize) {
        self.cache.resize(edges, NOT_KNOWN);
        for member in &mut self.members {
            member.belief.grow(edges);
        }
    }

    fn sight(&mut self, sightings: &Sightings) {
        for member in &mut self.members {
            member.belief.sight(sightings);
        }
        self.checks += 1;
    }

    fn local(&mut self) -> Option<&mut Local> {
        self.members.iter_mut().find_map(|m| m.belief.local())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::{Certain, IndependentEdges, Likelihood};

    fn constant(p: f64) -> (Box<dyn Belief + Send>, f64) {
        (Box::new(IndependentEdges::constant(p).unwrap()), 0.0)
    }

    #[test]
    fn weights_are_kept() {
        let (belief, _) = constant(0.2);
        let members = vec![constant(0.9), (belief, -1.0)];
        let mut ensemble = Ensemble::new(60, members);
        let heavier = 1.0 / (1.0 + (-1f64).exp());
        let mean = 0.9 * heavier + 0.2 * (1.0 - heavier);
        for edge in 0..50 {
            assert!((ensemble.probability_free(EdgeId(edge)) - mean).abs() < 1e-12);
            ensemble.observe(Evidence::of(EdgeId(edge), false, &Sightings::default()));
        }
        let shares: Vec<f64> = ensemble.shares().collect();
        assert!((shares[0] - heavier).abs() < 1e-12 && (shares[0] + shares[1] - 1.0).abs() < 1e-12);
    }

    /// Who knows the truth is alone before long; who was thought to and does not is one of several again.
    #[test]
    fn who_knows_the_truth_is_found_out() {
        let truth: Vec<bool> = (0..60).map(|e| e % 3 != 0).collect();
        let wrong: Vec<bool> = truth.iter().map(|free| !free).collect();
        for (told, expected) in [(truth.clone(), 1.0), (wrong, 1.0 / 3.0)] {
            let members: Vec<(Box<dyn Belief + Send>, f64)> = vec![
                constant(0.5),
                constant(0.7),
                (Box::new(Certain::new(told)), 0.0),
            ];
            let mut ensemble = Ensemble::new(60, members).where_one_may_know(2, -1.0);
            for edge in 0..30 {
                let free = truth[edge as usize];
                ensemble.observe(Evidence::of(EdgeId(edge), free, &Sightings::default()));
            }
            let shares: Vec<f64> = ensemble.shares().collect();
            assert!((shares[2] - expected).abs() < 1e-3, "{shares:?}");
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
    }

    /// A partial check that shows nothing speaks for whoever thought the edge free, as much as it is
    /// likely and no more; and the verdict for what it adds to that.
    #[test]
    fn partial_checks_weigh_by_their_likelihood() {
        let mut ensemble =
            Ensemble::new(3, vec![constant(0.9), constant(0.2)]).where_one_may_know(0, 0.0);
        let edge = EdgeId(1);
        let mut before = Likelihood::NOTHING_SEEN;
        for now in [
            Likelihood::inconclusive(0.5),
            Likelihood::inconclusive(0.1),
            Likelihood::of(true),
        ] {
            // The members' means of what is likely now, given what was seen before.
            let [p, q] = [0.9, 0.2].map(|p: f64| before.posterior(p).clamp(DOUBT, 1.0 - DOUBT));
            let step = |p: f64| {
                p * now.if_free / before.if_free + (1.0 - p) * now.if_blocked / before.if_blocked
            };
            let odds = |ensemble: &Ensemble| {
                let first = ensemble.shares().next().unwrap();
                (2.0 * first - 1.0) / (2.0 - 2.0 * first)
            };
            let expected = odds(&ensemble) * step(p) / (0.5 * (step(p) + step(q)));
            ensemble.observe(Evidence {
                edge,
                before,
                now,
                sightings: &Sightings::default(),
            });
            before = now;
            assert!((odds(&ensemble) / expected - 1.0).abs() < 1e-9);
            if now.verdict().is_none() {
                let shares: Vec<f64> = ensemble.shares().collect();
                let [p, q] = [0.9, 0.2].map(|p| now.posterior(p));
                let mean = shares[0] * p.min(1.0 - DOUBT) + shares[1] * q;
                assert!((ensemble.probability_free(edge) - mean).abs() < 1e-9);
            }
        }
    }
}
