//! What must hold of every run, whatever it is put together from: checked in parts or whole, insured
//! or not, by a checker that fails or not, with beliefs that are good, useless and adversarial.

use crate::problems::Problem;
use proptest::prelude::*;
use psmp::belief::{
    Belief, Certain, Ensemble, Evidence, FiniteSet, IndependentEdges, Latent, LatentModel,
    Likelihood, Local, NearestNeighbour, PartlyChecked, SoftSet, SoftSetModel,
};
use psmp::checker::{
    Checker, EdgeCosts, EdgeMemory, Finding, Foreseen, Part, Sightings, TableChecker,
};
use psmp::proposer::{ExpectedImprovement, LazySp, MaxProb, Pomp, Proposer, Psmp};
use psmp::validator::{Alternate, Backward, Bisect, CoarseToFine, FailFast, Forward, Validator};
use psmp::{CollisionTable, Direction, Draw, EdgeId, Event, EventKind, Experience, Fallback, Path};
use psmp::{Planner, WorldId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

type AnyBelief<'a> = Box<dyn Belief + 'a>;

/// Checks a known truth in parts: an edge has a few configurations, a blocked one collides at one of
/// them. At any configuration it may fail, and it may be asked about none twice.
struct Parts<'a> {
    problem: &'a Problem,
    seed: u64,
    /// How often it fails.
    failures: f64,
    asked: u64,
    /// The next configuration of each edge to be asked about.
    next: Vec<u64>,
    /// How much it wants to be told of beforehand, and what it was told before the last check and this one.
    foresight: usize,
    foreseen: [Vec<Foreseen>; 2],
    /// How many parts were checked that it had been told of before the one before.
    expected: u64,
}

impl Parts<'_> {
    fn collides_at(&self, edge: EdgeId) -> Option<u64> {
        let cost = self.cost_if_free(edge);
        let place = Draw::new(self.seed, 2).below(cost, u64::from(edge.0));
        (!self.problem.truth[edge.index()]).then_some(place)
    }
}

impl Checker for Parts<'_> {
    type Error = &'static str;

    fn check(&mut self, part: Part<'_>, sightings: &mut Sightings) -> Result<Finding, Self::Error> {
        let edge = part.edge;
        let cost = self.cost_if_free(edge);
        let known = self.foreseen[0].iter().filter(|next| next.edge == edge);
        self.expected += u64::from(known.count() > 0);
        let mut configurations = 0;
        for place in part.seen..cost.min(part.seen.saturating_add(part.most)) {
            assert_eq!(
                self.next[edge.index()],
                place,
                "asked twice, or passed over"
            );
            self.asked += 1;
            if Draw::new(self.seed, 3).unit(self.asked) < self.failures {
                return Err("lost contact");
            }
            self.next[edge.index()] += 1;
            configurations += 1;
            let free = self.collides_at(edge) != Some(place);
            let e = self.problem.roadmap.edge(edge);
            let ends = [e.from, e.to].map(|v| self.problem.roadmap.configuration(v));
            // Where there are no configurations, what was asked is only counted.
            let mut q = ends[0].unwrap_or_default().to_vec();
            if let (Some(space), [Some(a), Some(b)]) = (self.problem.roadmap.space(), ends) {
                let share = place as f64 / (cost - 1).max(1) as f64;
                space.interpolate(a, b, share, &mut q);
            }
            sightings.push(&q, free);
            if !free {
                return Ok(Finding {
                    free: Some(false),
                    configurations,
                });
            }
        }
        let free = (part.seen + configurations == cost).then_some(true);
        Ok(Finding {
            free,
            configurations,
        })
    }

    fn cost_if_free(&self, edge: EdgeId) -> u64 {
        1 + Draw::new(self.seed, 1).below(12, u64::from(edge.0))
    }

    fn foresight(&self) -> usize {
        self.foresight
    }

    fn foresee(&mut self, likely: &[Foreseen]) {
        let mut count = 0;
        for next in likely {
            assert_eq!(next.seen, self.next[next.edge.index()], "not where it is");
            assert!(next.seen + next.after + next.count <= self.cost_if_free(next.edge));
            count += next.count;
        }
        assert!(count <= self.foresight as u64, "more than was wanted");
        self.foreseen.swap(0, 1);
        self.foreseen[1] = likely.to_vec();
    }
}

/// Notes what it is told beside what another belief makes of it: nothing may be lost, and what is said
/// of an edge goes on where it was.
struct Noting<'a> {
    belief: PartlyChecked<AnyBelief<'a>>,
    notes: Rc<RefCell<Notes>>,
}

#[derive(Default)]
struct Notes {
    sightings: u64,
    said: HashMap<EdgeId, Likelihood>,
}

impl Belief for Noting<'_> {
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        self.belief.probability_free(edge)
    }
    fn probability_all_free(&mut self, edges: &[EdgeId]) -> f64 {
        self.belief.probability_all_free(edges)
    }
    fn draw(&mut self, draw: Draw) -> bool {
        self.belief.draw(draw)
    }
    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        self.belief.is_free_in_draw(edge)
    }
    fn draws_from_experience(&self) -> bool {
        self.belief.draws_from_experience()
    }

    fn has_experience(&self) -> bool {
        self.belief.has_experience()
    }
    fn knows(&self, _: EdgeId) -> bool {
        true
    }
    fn learns_from(&self, edge: EdgeId, sightings: &Sightings) -> bool {
        self.belief.learns_from(edge, sightings)
    }
    fn observe(&mut self, evidence: Evidence<'_>) {
        let mut notes = self.notes.borrow_mut();
        notes.sightings += evidence.sightings.len() as u64;
        let before = notes.said.insert(evidence.edge, evidence.now);
        let before = before.unwrap_or(Likelihood::NOTHING_SEEN);
        assert_eq!(evidence.before, before, "what was said is not gone on with");
        self.belief.observe(evidence);
    }
}

/// How a run is made.
#[derive(Debug, Clone, Copy)]
struct Way {
    seed: u64,
    insured: bool,
    failures: f64,
    foresight: usize,
}

/// Drives a run to its end, checking every promise on the way, and gives its last event.
fn drive<'a>(
    problem: &'a Problem,
    proposer: impl Proposer<Noting<'a>>,
    belief: AnyBelief<'a>,
    validator: impl Validator,
    way: Way,
) -> EventKind {
    let (events, _) = events(problem, proposer, belief, validator, way);
    events.last().expect("every run has a last event").kind
}

/// The same, and gives all events, and how many parts were checked that the checker had been told of.
fn events<'a>(
    problem: &'a Problem,
    proposer: impl Proposer<Noting<'a>>,
    belief: AnyBelief<'a>,
    validator: impl Validator,
    way: Way,
) -> (Vec<Event>, u64) {
    let Problem {
        roadmap,
        query,
        truth,
    } = problem;
    let checker = Parts {
        problem,
        seed: way.seed,
        failures: way.failures,
        asked: 0,
        next: vec![0; truth.len()],
        foresight: way.foresight,
        foreseen: Default::default(),
        expected: 0,
    };
    let notes = Rc::new(RefCell::new(Notes::default()));
    let belief = Noting {
        belief: PartlyChecked::new(belief, truth.len()),
        notes: notes.clone(),
    };
    let optimum = problem.shortest().unwrap_or(f64::INFINITY);
    let mut planner = Planner::new(roadmap, *query, proposer, belief, validator, checker)
        .seed(way.seed)
        .insured(way.insured);
    let (mut best, mut bound) = (f64::INFINITY, 0.0);
    let mut events: Vec<Event> = Vec::new();
    let mut checked = vec![false; truth.len()];
    let (mut steps, mut failures) = (0, 0);
    while let Some(event) = planner.next() {
        steps += 1;
        assert!(steps < 200_000, "the run does not end");
        // Whatever was asked is counted and believed, also where the checker has failed.
        failures += u64::from(event.is_err());
        let counted = planner.progress().configurations;
        assert_eq!(planner.checker_mut().asked, counted + failures);
        assert_eq!(notes.borrow().sightings, counted);
        let Ok(event) = event else {
            continue;
        };
        assert!(events.last().is_none_or(|event| !event.kind.is_final()));
        events.push(event);
        let progress = event.progress;
        assert!(progress.lower_bound >= bound, "the lower bound fell");
        assert!(progress.lower_bound <= optimum + 1e-9);
        bound = progress.lower_bound;
        assert!(progress.best_length.unwrap_or(f64::INFINITY) <= best);
        match event.kind {
            EventKind::Checked { edge, free, .. } => {
                assert_eq!(free, truth[edge.index()]);
                let again = std::mem::replace(&mut checked[edge.index()], true);
                assert!(!again, "checked twice");
                assert_eq!(notes.borrow().said[&edge], Likelihood::of(free));
            }
            EventKind::PartlyChecked { edge, .. } => {
                // How likely a blocked edge would still hide is what the ledger has learned.
                let said = notes.borrow().said[&edge];
                assert_eq!(said, planner.ledger().likelihood(edge));
                assert_eq!((said.if_free, said.verdict()), (1.0, None));
                let seen = planner.ledger().seen(edge);
                assert!(seen < 2 || said.if_blocked < 1.0, "{said:?} after {seen}");
            }
            EventKind::Improved { length } => {
                assert!(length < best, "not strictly shorter");
                best = length;
                check_path(problem, planner.best_path().unwrap());
            }
            EventKind::ShortestOnRoadmap => {
                assert!((best - optimum).abs() < 1e-9, "{best}, not {optimum}");
                assert_eq!(progress.gap(), Some(0.0));
            }
            EventKind::NoPathOnRoadmap => assert!(optimum.is_infinite()),
            EventKind::Proposed { .. } | EventKind::NoImprovement | EventKind::GaveUp => {}
            other => panic!("a roadmap's planner checks edges alone: {other:?}"),
        }
        for edge in roadmap.edge_ids().step_by(7) {
            let p = planner.probability_free(edge);
            assert!((0.0..=1.0).contains(&p), "P(free) = {p}");
        }
    }
    let expected = planner.checker_mut().expected;
    (events, expected)
}

/// A path is connected, leads from start to goal, is free in truth and as long as it says.
fn check_path(problem: &Problem, path: &Path) {
    let Problem {
        roadmap,
        query,
        truth,
    } = problem;
    assert_eq!(path.vertices().first(), Some(&query.start));
    assert_eq!(path.vertices().last(), Some(&query.goal));
    assert_eq!(path.vertices().len(), path.edges().len() + 1);
    let mut length = 0.0;
    for (step, &id) in path.vertices().windows(2).zip(path.edges()) {
        let edge = roadmap.edge(id);
        let along = (edge.from, edge.to) == (step[0], step[1]);
        let against = (edge.to, edge.from) == (step[0], step[1]);
        assert!(along || against && roadmap.direction() == Direction::Undirected);
        assert!(truth[id.index()], "a path over a blocked edge was emitted");
        length += edge.length;
    }
    assert!((length - path.length()).abs() < 1e-9);
    let again = Path::along(roadmap, query.start, path.edges());
    assert_eq!(again.as_ref(), Some(path));
}

/// Believes the opposite of the truth, and of whatever it is shown.
struct Contrarian(Vec<bool>);

impl Belief for Contrarian {
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        f64::from(u8::from(!self.0[edge.index()]))
    }
    fn draw(&mut self, _: Draw) -> bool {
        true
    }
    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        !self.0[edge.index()]
    }
    fn observe(&mut self, evidence: Evidence<'_>) {
        if let Some(free) = evidence.verdict() {
            self.0[evidence.edge.index()] = !free;
        }
    }
}

const BELIEFS: usize = 17;

/// A belief of every kind: good, useless and adversarial.
fn belief<'a>(kind: usize, problem: &Problem, table: &Arc<CollisionTable>) -> AnyBelief<'a> {
    let truth = &problem.truth;
    let known = |worlds: std::ops::Range<u32>| Experience::of(table.clone(), worlds.map(WorldId));
    let latent = || Latent::new(Arc::new(LatentModel::learn(&known(1..20))));
    let soft = |worlds, model| SoftSet::new(known(worlds), model);
    match kind {
        // With the truth in it, without it, and empty from the start.
        0 => Box::new(FiniteSet::new(known(0..20))),
        1 => Box::new(FiniteSet::new(known(1..20))),
        2 => Box::new(FiniteSet::new(known(0..0))),
        3 => Box::new(IndependentEdges::constant(0.5).unwrap()),
        4 => Box::new(IndependentEdges::constant(0.0).unwrap()),
        5 => Box::new(IndependentEdges::constant(1.0).unwrap()),
        6 => Box::new(IndependentEdges::frequencies(&known(0..20))),
        7 => Box::new(Certain::new(truth.clone())),
        8 => Box::new(Contrarian(truth.clone())),
        9 => Box::new(latent()),
        10 => match Local::new(&problem.roadmap) {
            Ok(belief) => Box::new(belief),
            Err(_) => Box::new(latent()),
        },
        11 => Box::new(Ensemble::new(
            truth.len(),
            vec![
                (Box::new(FiniteSet::new(known(1..20))), 0.0),
                (Box::new(latent()), -0.4),
                (Box::new(Contrarian(truth.clone())), 0.3),
            ],
        )),
        12 => Box::new(soft(1..20, SoftSetModel::learn(&known(1..20)))),
        // Sure of one world, which is wrong.
        13 => Box::new(soft(1..2, SoftSetModel::new(0.001, 0.0005).unwrap())),
        14 => match NearestNeighbour::new(&problem.roadmap, 20.0) {
            Ok(belief) => Box::new(belief),
            Err(_) => Box::new(Certain::new(vec![false; truth.len()])),
        },
        // The default: all that can be had.
        15 => {
            let mut members: Vec<(Box<dyn Belief + Send>, f64)> = vec![
                (Box::new(latent()), -0.4),
                (Box::new(soft(1..20, SoftSetModel::default())), -0.3),
                (Box::new(FiniteSet::new(known(1..20))), -0.6),
            ];
            if let Ok(local) = Local::new(&problem.roadmap) {
                members.push((Box::new(local), -0.5));
            }
            Box::new(Ensemble::new(truth.len(), members))
        }
        // Known worlds that tell of half of the edges only: a query has added the others.
        _ => {
            let half = truth.len() / 2;
            let mut few = CollisionTable::all_blocked(5, half);
            for world in few.worlds() {
                for edge in (0..half as u32).map(EdgeId) {
                    few.set(world, edge, table.is_free(world, edge));
                }
            }
            Box::new(SoftSet::new(few, SoftSetModel::default()))
        }
    }
}

/// Twenty worlds, of which the first is the true one.
fn known_worlds(problem: &Problem, seed: u64) -> Arc<CollisionTable> {
    let rows: Vec<Vec<bool>> = (0..20)
        .map(|w| {
            let random = Draw::new(seed, 77 + w);
            let flip = |(e, &free): (usize, &bool)| free ^ (w > 0 && random.unit(e as u64) < 0.2);
            problem.truth.iter().enumerate().map(flip).collect()
        })
        .collect();
    Arc::new(CollisionTable::from_rows(problem.truth.len(), &rows).unwrap())
}

fn certificate(problem: &Problem) -> EventKind {
    match problem.shortest() {
        Some(_) => EventKind::ShortestOnRoadmap,
        None => EventKind::NoPathOnRoadmap,
    }
}

/// What a planner tells of the checks to come is nothing to the run, and mostly comes.
#[test]
fn a_checker_may_know_beforehand() {
    let (mut expected, mut checks) = ([0; 4], [0; 4]);
    for seed in 0..60 {
        let problem = Problem::random(seed);
        let table = known_worlds(&problem, seed);
        let p = &problem;
        for kind in 0..BELIEFS {
            let b = || belief(kind, p, &table);
            let run = |proposer: usize, foresight| {
                let way = Way {
                    seed,
                    insured: seed % 2 == 0,
                    failures: 0.05,
                    foresight,
                };
                match proposer {
                    0 => events(p, ExpectedImprovement::default(), b(), CoarseToFine, way),
                    1 => events(p, Psmp, b(), FailFast, way),
                    2 => events(p, LazySp, b(), Forward, way),
                    _ => events(p, Pomp::default(), b(), Alternate::default(), way),
                }
            };
            for proposer in 0..4 {
                let ((plain, none), (told, came)) = (run(proposer, 0), run(proposer, 24));
                assert!(plain == told, "seed {seed}, {proposer} with belief {kind}");
                assert_eq!(none, 0);
                expected[proposer] += came;
                let is_check = |kind| {
                    matches!(
                        kind,
                        EventKind::Checked { .. } | EventKind::PartlyChecked { .. }
                    )
                };
                checks[proposer] += told.iter().filter(|event| is_check(event.kind)).count() as u64;
            }
        }
    }
    for (expected, checks) in expected.into_iter().zip(checks) {
        assert!(3 * expected > checks, "{expected} of {checks}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(700))]

    #[test]
    fn every_proposer_with_every_belief_reaches_the_certificate(
        seed in any::<u64>(),
        insured in any::<bool>(),
        fails in any::<bool>(),
    ) {
        let problem = Problem::random(seed);
        let table = known_worlds(&problem, seed);
        let expected = certificate(&problem);
        let way = Way { seed, insured, failures: if fails { 0.1 } else { 0.0 }, foresight: 0 };
        for kind in 0..BELIEFS {
            let b = || belief(kind, &problem, &table);
            let p = &problem;
            let ei = || ExpectedImprovement::default();
            prop_assert_eq!(drive(p, ei(), b(), CoarseToFine, way), expected, "ei, {}", kind);
            prop_assert_eq!(drive(p, ei(), b(), FailFast, way), expected, "ei whole, {}", kind);
            prop_assert_eq!(drive(p, Psmp, b(), FailFast, way), expected, "psmp, {}", kind);
            prop_assert_eq!(drive(p, Psmp, b(), CoarseToFine, way), expected, "psmp, {}", kind);
            prop_assert_eq!(drive(p, Pomp::default(), b(), FailFast, way), expected, "pomp, {}", kind);
            prop_assert_eq!(drive(p, LazySp, b(), FailFast, way), expected, "lazysp, {}", kind);
            let on = MaxProb::to_the_optimum();
            prop_assert_eq!(drive(p, on, b(), FailFast, way), expected, "maxprob+, {}", kind);
            // By design MaxProb stops at its first path, which may happen to be the shortest.
            let plain = drive(p, MaxProb::default(), b(), FailFast, way);
            let gave_up = plain == EventKind::GaveUp && !insured;
            prop_assert!(plain == expected || gave_up && expected == EventKind::ShortestOnRoadmap);
        }
    }

    #[test]
    fn every_validator_serves_every_proposer(seed in any::<u64>(), insured in any::<bool>()) {
        let problem = Problem::random(seed);
        let table = known_worlds(&problem, seed);
        let expected = certificate(&problem);
        let way = Way { seed, insured, failures: 0.05, foresight: 0 };
        let b = || belief(seed as usize % BELIEFS, &problem, &table);
        let p = &problem;
        prop_assert_eq!(drive(p, LazySp, b(), Forward, way), expected);
        prop_assert_eq!(drive(p, Psmp, b(), Forward, way), expected);
        prop_assert_eq!(drive(p, Psmp, b(), Backward, way), expected);
        prop_assert_eq!(drive(p, Psmp, b(), Alternate::default(), way), expected);
        prop_assert_eq!(drive(p, Pomp::default(), b(), Bisect, way), expected);
        prop_assert_eq!(drive(p, LazySp, b(), Bisect, way), expected);
        prop_assert_eq!(drive(p, LazySp, b(), CoarseToFine, way), expected);
    }

    /// LazySP gives one path, the shortest.
    #[test]
    fn lazysp_finds_the_shortest_path_first(seed in any::<u64>()) {
        let problem = Problem::random(seed);
        let belief = IndependentEdges::constant(0.5).unwrap();
        let (roadmap, query) = (&problem.roadmap, problem.query);
        let planner = Planner::new(roadmap, query, LazySp, belief, Forward, looked_up(&problem));
        let found: Vec<f64> = planner
            .filter_map(|event| match event.unwrap().kind {
                EventKind::Improved { length } => Some(length),
                _ => None,
            })
            .collect();
        let ours = roadmap.shortest_path(query, |e| problem.truth[e.index()]);
        match problem.shortest() {
            Some(shortest) => {
                check_path(&problem, &ours.unwrap());
                prop_assert_eq!(found.len(), 1);
                prop_assert!((found[0] - shortest).abs() < 1e-9);
            }
            None => prop_assert!(found.is_empty()),
        }
    }

    /// What is known beforehand costs nothing, is not checked again, and changes no end.
    #[test]
    fn what_is_known_is_not_checked_again(seed in any::<u64>(), insured in any::<bool>()) {
        let problem = Problem::random(seed);
        let table = known_worlds(&problem, seed);
        let mut known = EdgeMemory::default();
        for edge in problem.roadmap.edge_ids() {
            if Draw::new(seed, 9).unit(u64::from(edge.0)) < 0.5 {
                known.remember(edge, problem.truth[edge.index()]);
            }
        }
        let (roadmap, query) = (&problem.roadmap, problem.query);
        let set = FiniteSet::new(table);
        let mut planner = Planner::new(roadmap, query, Psmp, set, FailFast, looked_up(&problem))
            .seed(seed)
            .insured(insured)
            .knowing(&known);
        let mut last = None;
        while let Some(Ok(event)) = planner.next() {
            if let EventKind::Checked { edge, .. } = event.kind {
                prop_assert_eq!(known.status(edge), None);
            }
            last = Some(event.kind);
        }
        prop_assert_eq!(last, Some(certificate(&problem)));
        let checked = planner.ledger().entries().len() - known.known().count();
        prop_assert_eq!(planner.progress().edges, checked as u64);
        prop_assert_eq!(planner.progress().configurations, checked as u64);
    }
}

fn looked_up(problem: &Problem) -> TableChecker {
    let table = CollisionTable::from_rows(problem.truth.len(), &[&problem.truth]).unwrap();
    TableChecker::new(table, WorldId(0), EdgeCosts::One)
}

/// Without the fallback the plain method gives up where there is nothing to draw, and loops on draws
/// without improvement only as long as the caller lets it.
#[test]
fn the_plain_method_stays_selectable() {
    let (mut gave_up, mut in_vain) = (0, 0);
    for seed in 0..400 {
        let problem = Problem::random(seed);
        let few = if seed < 50 { 0..0 } else { 1..20 };
        let known = Experience::of(known_worlds(&problem, seed), few.map(WorldId));
        let (roadmap, query) = (&problem.roadmap, problem.query);
        let set = FiniteSet::new(known);
        let planner = Planner::new(roadmap, query, Psmp, set, FailFast, looked_up(&problem))
            .seed(seed)
            .fallback(Fallback::Never);
        let kinds: Vec<EventKind> = planner.take(500).map(|e| e.unwrap().kind).collect();
        gave_up += usize::from(kinds.last() == Some(&EventKind::GaveUp));
        in_vain += usize::from(kinds.last() == Some(&EventKind::NoImprovement));
        assert!(!kinds.iter().any(|k| matches!(
            k,
            EventKind::Proposed {
                source: psmp::Source::Fallback,
                ..
            }
        )));
    }
    assert!(gave_up > 10 && in_vain > 20, "{gave_up}, {in_vain}");
}
