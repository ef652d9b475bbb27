//! The ensemble: several beliefs, each trusted as far as it has predicted well.
//!
//! Bayesian model averaging. Every member has a weight to begin with, and every check multiplies it
//! by the probability that the member had given to what was found. The first weights are best taken
//! from [worlds held out](super::held_out), as if one typical check had been made. Probabilities are
//! means by weight, and a drawn world comes from one member drawn by weight. A member that is
//! certain and wrong loses most of its weight, but not all: its probabilities are kept a little away
//! from 0 and 1.

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
    log_weight: f64,
    share: f64,
}

/// A weighted mean of beliefs.
pub struct Ensemble<'a> {
    members: Vec<Member<'a>>,
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
        let member = |(belief, log_weight): (_, f64)| {
            assert!(log_weight.is_finite(), "a weight must be a number");
            Member {
                belief: PartlyChecked::new(belief, edges),
                log_weight,
                share: 0.0,
            }
        };
        let mut ensemble = Self {
            members: members.into_iter().map(member).collect(),
            cache: vec![NOT_KNOWN; edges],
            checks: 0,
            drawn: 0,
        };
        ensemble.weigh();
        ensemble
    }

    /// The weight of each member, summing to 1.
    pub fn shares(&self) -> impl Iterator<Item = f64> + '_ {
        self.members.iter().map(|member| member.share)
    }

    fn weigh(&mut self) {
        let most = self
            .members
            .iter()
            .fold(f64::NEG_INFINITY, |most, m| most.max(m.log_weight));
        let sum: f64 = self
            .members
            .iter()
            .map(|m| (m.log_weight - most).exp())
            .sum();
        for member in &mut self.members {
            member.share = (member.log_weight - most).exp() / sum;
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
        for member in &mut self.members {
            let p = member.belief.probability_free(evidence.edge);
            let p = p.clamp(DOUBT, 1.0 - DOUBT);
            // What was seen before is in `p` already.
            let Evidence { before, now, .. } = evidence;
            let likelihood =
                p * now.if_free / before.if_free + (1.0 - p) * now.if_blocked / before.if_blocked;
            member.log_weight += likelihood.ln();
            member.belief.observe(evidence);
        }
        self.weigh();
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

    #[test]
    fn the_member_that_predicts_well_wins() {
        let truth: Vec<bool> = (0..60).map(|e| e % 3 != 0).collect();
        let wrong = truth.iter().map(|free| !free).collect();
        let members: Vec<(Box<dyn Belief + Send>, f64)> = vec![
            (Box::new(Certain::new(wrong)), 0.0),
            (Box::new(IndependentEdges::constant(0.5).unwrap()), 0.0),
            (Box::new(Certain::new(truth.clone())), 0.0),
        ];
        let mut ensemble = Ensemble::new(60, members);
        assert!((ensemble.probability_free(EdgeId(50)) - 0.5).abs() < 1e-9);
        for edge in 0..20 {
            let free = truth[edge as usize];
            ensemble.observe(Evidence::of(EdgeId(edge), free, &Sightings::default()));
        }
        let shares: Vec<f64> = ensemble.shares().collect();
        assert!(shares[2] > 0.999 && (shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        for edge in 20..60 {
            let p = ensemble.probability_free(EdgeId(edge));
            assert_eq!(p > 0.5, truth[edge as usize]);
            assert!((DOUBT..=1.0 - DOUBT).contains(&p));
        }
    }

    /// A partial check that shows nothing speaks for whoever thought the edge free, as much as it is
    /// likely and no more; and the verdict for what it adds to that.
    #[test]
    fn partial_checks_weigh_members_by_their_likelihood() {
        let member = |p| {
            let belief = IndependentEdges::constant(p).unwrap();
            (Box::new(belief) as Box<dyn Belief + Send>, 0.0)
        };
        let mut ensemble = Ensemble::new(3, vec![member(0.9), member(0.2)]);
        let edge = EdgeId(1);
        let mut before = Likelihood::NOTHING_SEEN;
        for now in [
            Likelihood::inconclusive(0.5),
            Likelihood::inconclusive(0.1),
            Likelihood::of(true),
        ] {
            ensemble.observe(Evidence {
                edge,
                before,
                now,
                sightings: &Sightings::default(),
            });
            before = now;
            let shares: Vec<f64> = ensemble.shares().collect();
            let expected = now.mean(0.9) / now.mean(0.2);
            assert!((shares[0] / shares[1] / expected - 1.0).abs() < 1e-9);
            if now.verdict().is_none() {
                let [p, q] = [0.9, 0.2].map(|p| now.posterior(p));
                let mean = shares[0] * p.min(1.0 - DOUBT) + shares[1] * q;
                assert!((ensemble.probability_free(edge) - mean).abs() < 1e-9);
            }
        }
    }
}
