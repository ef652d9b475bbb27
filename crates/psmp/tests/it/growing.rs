//! Sessions that grow: what they promise whatever the world.

use psmp::checker::{MotionChecker, Proof, Stretches, World, WorldFn};
use psmp::{Anytime, Event, EventKind, Limit, Resolution, Roadmap, Session, SessionOptions};
use psmp::{Connection, Space, Stop, Until, roadmap};
use std::convert::Infallible;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const START: [f64; 2] = [0.1, 0.1];
const GOAL: [f64; 2] = [0.9, 0.1];

/// A wall with a narrow gap, or none, that counts what it is asked.
#[derive(Clone)]
struct Wall {
    gap: f64,
    is_quick: bool,
    asked: Arc<AtomicU64>,
}

impl Wall {
    fn new(gap: f64, is_quick: bool) -> Self {
        Self {
            gap,
            is_quick,
            asked: Arc::default(),
        }
    }

    fn is_open(&self, q: &[f64]) -> bool {
        (q[0] - 0.5).abs() > 0.05 || (q[1] - 0.7).abs() < self.gap
    }

    fn asked(&self) -> u64 {
        self.asked.load(Ordering::Relaxed)
    }
}

impl World for Wall {
    type Error = Infallible;
    fn is_free(&mut self, q: &[f64]) -> Result<bool, Infallible> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Ok(self.is_open(q))
    }
    fn is_quick(&self) -> bool {
        self.is_quick
    }
    fn can_prove(&self) -> bool {
        self.is_quick
    }
    fn prove(&mut self, stretches: &mut Stretches<'_>) -> Result<(), Infallible> {
        stretches.answer_each(|middle, _| {
            self.asked.fetch_add(1, Ordering::Relaxed);
            Ok(match self.is_open(middle) {
                true => Proof::Free,
                false => Proof::Blocked,
            })
        })
    }
}

fn options(seed: u64) -> SessionOptions {
    SessionOptions {
        resolution: Some(Resolution::distance(0.005).unwrap()),
        seed,
        ..SessionOptions::default()
    }
}

fn session(world: &Wall, options: SessionOptions) -> Session<'static, Wall> {
    Session::in_space(&Space::unit(2), world.clone(), &START, &GOAL, options).unwrap()
}

fn prm(count: usize) -> Roadmap {
    let space = Space::unit(2);
    let points = roadmap::halton(&space, count);
    Roadmap::from_configurations(space, points, Connection::Nearest(6)).unwrap()
}

fn drive(session: &mut Session<'static, Wall>, stop: &Stop) -> Vec<Event> {
    Until::new(session, stop).map(Result::unwrap).collect()
}

fn cost(kind: &EventKind) -> u64 {
    match *kind {
        EventKind::Checked { configurations, .. }
        | EventKind::PartlyChecked { configurations, .. }
        | EventKind::Proved { configurations, .. }
        | EventKind::Tried { configurations, .. }
        | EventKind::Probed { configurations, .. } => configurations,
        _ => 0,
    }
}

/// How many configurations a planner asks about before it has a path.
fn to_first_path(planner: &str, world: &Wall, options: SessionOptions) -> u64 {
    let options = SessionOptions {
        planner: planner.parse().unwrap(),
        ..options
    };
    let mut session = session(world, options);
    while session.best_path().is_none() {
        session.step(&Limit::NONE).unwrap().unwrap();
    }
    session.progress().configurations
}

/// A roadmap from a file knows no bounds but those of its vertices, which here are all between start and goal.
#[test]
fn a_roadmap_grows_beyond_where_its_vertices_are() {
    let narrow = Space::new(vec![psmp::Axis::new(0.3, 0.7).unwrap(); 2]).unwrap();
    let points = roadmap::halton(&narrow, 60);
    let given = Roadmap::from_configurations(narrow, points, Connection::Nearest(6)).unwrap();
    let adopted = given.clone().in_space(&Space::unit(2));
    assert_eq!(adopted.space(), Some(&Space::unit(2)));
    assert!(adopted.edges().eq(given.edges()));
    for planner in ["ei:local+grow", "lazysp+grow", "lazysp"] {
        let options = SessionOptions {
            roadmap: Some(given.clone()),
            planner: planner.parse().unwrap(),
            ..options(3)
        };
        let mut session = session(&Wall::new(0.1, false), options);
        drive(&mut session, &Stop::configurations(5_000));
        assert!(session.best_path().is_some(), "{planner}");
    }
    // One that reaches out of the space stays what it is.
    let wide = Space::new(vec![psmp::Axis::new(-1.0, 2.0).unwrap(); 2]).unwrap();
    let points = roadmap::halton(&wide, 60);
    let given = Roadmap::from_configurations(wide.clone(), points, Connection::Nearest(6)).unwrap();
    assert_eq!(given.in_space(&Space::unit(2)).space(), Some(&wide));
}

#[test]
fn budgets_are_kept_and_every_check_is_told() {
    for is_quick in [false, true] {
        let world = Wall::new(0.02, is_quick);
        let mut session = session(&world, options(1));
        let mut told = 0;
        for budget in [0, 1, 2, 3, 50, 51, 400, 1_000, 3_000] {
            let events = drive(&mut session, &Stop::configurations(budget));
            told += events.iter().map(|e| cost(&e.kind)).sum::<u64>();
            let spent = session.progress().configurations;
            assert_eq!(spent, world.asked());
            assert!(spent <= budget);
            // A check that was broken off is told of with the rest of it.
            assert!(told <= spent && spent - told < 300, "{told} of {spent}");
        }
        assert!(session.best_path().is_some());
    }
}

#[test]
fn a_growing_session_pauses_anywhere_without_a_trace() {
    for is_quick in [false, true] {
        let budget = 2_500;
        let calm = drive(
            &mut session(&Wall::new(0.03, is_quick), options(4)),
            &Stop::configurations(budget),
        );
        let mut session = session(&Wall::new(0.03, is_quick), options(4));
        let mut events = Vec::new();
        for edges in 0..5_000 {
            let stop = Stop::edges(edges) | Stop::configurations(budget);
            events.extend(drive(&mut session, &stop));
        }
        assert_eq!(events, calm);
    }
}

/// Without experience the roadmap spends a third of what the tree does, so that RRTConnect beside a roadmap of no use
/// finds what it finds alone for four thirds of the checks and one more edge.
#[test]
fn what_rrtconnect_solves_is_solved_for_four_thirds_of_its_checks() {
    for seed in 0..6 {
        for is_quick in [false, true] {
            let world = Wall::new(0.008, is_quick);
            // Nowhere near the gap.
            let useless = SessionOptions {
                roadmap: Some(prm(12)),
                ..options(seed)
            };
            let alone = to_first_path("rrtconnect", &world, options(seed));
            let beside = to_first_path("ei:local", &world, useless);
            let most = alone + alone / 3 + 300;
            assert!(beside <= most, "{beside} beside, {alone} alone");
        }
    }
}

#[test]
fn a_quick_world_is_asked_before_a_roadmap_is_thought_about() {
    let world = Wall::new(0.2, true);
    let mut session = session(&world, options(2));
    let events = drive(&mut session, &Stop::configurations(10_000));
    assert!(session.best_path().is_some() && session.planner().is_none());
    assert!(
        events
            .iter()
            .any(|e| matches!(e.kind, EventKind::Tried { .. }))
    );
    assert!(session.tried().is_some_and(|way| way.count() >= 2));
    // Around the corners of the wall.
    let shortest = 2.0 * 0.35f64.hypot(0.4) + 0.1;
    let length = session.best_path().unwrap().length();
    assert!(length < 1.02 * shortest, "{length} of {shortest}");
}

#[test]
fn what_was_found_is_kept_and_what_was_given_stays_as_it_was() {
    let given = prm(60);
    let world = Wall::new(0.02, true);
    let with_roadmap = SessionOptions {
        roadmap: Some(given.clone()),
        ..options(3)
    };
    let mut first = session(&world, with_roadmap.clone());
    drive(&mut first, &Stop::configurations(3_000));
    first.gather().unwrap();
    let (roadmap, _) = first.roadmap().unwrap();
    assert_eq!(given.vertex_count(), 60);
    assert!(roadmap.vertex_count() > 60);
    for edge in given.edge_ids() {
        assert_eq!(given.edge(edge), roadmap.edge(edge));
    }
    let known = first.known();
    assert!(
        known
            .known()
            .any(|(edge, free)| free && known.is_proved(edge))
    );
    let found = first.best_path().unwrap().length();
    let again = SessionOptions {
        roadmap: Some(roadmap.clone()),
        known,
        ..with_roadmap
    };
    // Both ends and the straight motion, and nothing else.
    let mut second = session(&world, again);
    let spent = loop {
        let event = second.step(&Limit::NONE).unwrap().unwrap();
        if let EventKind::Improved { length } = event.kind {
            assert!(length <= found * (1.0 + 1e-9), "{length} after {found}");
            break second.progress().configurations;
        }
    };
    assert!(spent < 20, "{spent} configurations for what is known");
}

/// In a world that can prove nothing, whose obstacles are so thin that most coarse looks miss them, every path that
/// is given out is free wherever it is asked about.
#[test]
fn no_path_is_given_out_that_was_only_looked_at_coarsely() {
    let step = 0.01;
    let bars = |q: &[f64]| {
        let (bar, behind) = ((q[0] * 5.0).floor(), (q[0] * 5.0).fract() / 5.0);
        bar == 0.0 || behind > 1.3 * step || (q[1] + 0.37 * bar).fract() < 0.4
    };
    let resolution = Resolution::distance(step).unwrap();
    let mut judge = MotionChecker::new(&Space::unit(2), resolution, WorldFn(bars)).unwrap();
    for seed in 0..15 {
        let options = SessionOptions {
            resolution: Some(resolution),
            settles: false,
            ..options(seed)
        };
        let ends = [[0.03, 0.1], [0.97, 0.2]];
        let session =
            Session::in_space(&Space::unit(2), WorldFn(bars), &ends[0], &ends[1], options);
        let mut session = session.unwrap();
        while session.progress().configurations < 10_000 {
            let event = session.step(&Limit::NONE).unwrap().unwrap();
            let improved = matches!(event.kind, EventKind::Improved { .. });
            let Some(path) = session.best_path().filter(|_| improved) else {
                continue;
            };
            for place in 1..path.count() {
                let motion = judge.is_motion_free(path.at(place - 1), path.at(place));
                assert_eq!(motion, Ok(Some(true)), "seed {seed}, motion {place}");
            }
        }
        assert!(session.best_path().is_some(), "seed {seed}");
    }
}

/// A query whose ends are near those of an earlier one needs little more than the motions from one to the other.
#[test]
fn what_is_known_is_a_stepping_stone_for_what_is_near() {
    let given = prm(60);
    for is_quick in [false, true] {
        let world = Wall::new(0.01, is_quick);
        let (mut alone, mut kept) = (0, 0);
        for seed in 0..5 {
            let with_roadmap = SessionOptions {
                roadmap: Some(given.clone()),
                ..options(seed)
            };
            let mut first = session(&world, with_roadmap.clone());
            drive(&mut first, &Stop::configurations(20_000));
            first.gather().unwrap();
            let known = SessionOptions {
                roadmap: Some(first.roadmap().unwrap().0.clone()),
                known: first.known(),
                ..with_roadmap.clone()
            };
            for (options, spent) in [(with_roadmap, &mut alone), (known, &mut kept)] {
                let (start, goal) = ([0.13, 0.08], [0.88, 0.12]);
                let space = Space::unit(2);
                let next = Session::in_space(&space, world.clone(), &start, &goal, options);
                let mut next = next.unwrap();
                while next.best_path().is_none() {
                    next.step(&Limit::NONE).unwrap().unwrap();
                }
                *spent += next.progress().configurations;
            }
        }
        assert!(5 * kept < alone, "{kept} with what is known, {alone} alone");
    }
}

#[test]
fn it_ends_by_itself_unless_told_otherwise() {
    for planner in ["ei:local", "lazysp+grow", "pomp:nn+grow"] {
        let with_planner = SessionOptions {
            planner: planner.parse().unwrap(),
            roadmap: Some(prm(100)),
            resolution: Some(Resolution::distance(0.02).unwrap()),
            ..options(5)
        };
        let world = Wall::new(0.1, false);
        let mut ending = session(&world, with_planner.clone());
        let events = drive(&mut ending, &Stop::never());
        assert_eq!(events.last().unwrap().kind, EventKind::Settled, "{planner}");
        assert!(ending.step(&Limit::NONE).is_none());
        let unending = SessionOptions {
            settles: false,
            ..with_planner
        };
        let mut unending = session(&world, unending);
        for _ in 0..events.len() + 20 {
            let event = unending.step(&Limit::NONE).unwrap().unwrap();
            assert!(!event.kind.is_final());
        }
    }
}
