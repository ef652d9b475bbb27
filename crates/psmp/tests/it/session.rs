//! Sessions: from two configurations to ever shorter paths between them.

use psmp::by_name::PlannerName;
use psmp::checker::{SideBySide, World, WorldFn};
use psmp::{Anytime, Axis, Connection, End, Event, EventKind, Limit, Resolution, Roadmap, Session};
use psmp::{SessionError, SessionOptions, Space, Stop, Until, Waypoints, roadmap};
use std::cell::Cell;
use std::convert::Infallible;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

const STEP: f64 = 0.01;

fn prm(count: usize) -> Roadmap {
    let space = Space::unit(2);
    let points = roadmap::halton(&space, count);
    Roadmap::from_configurations(space, points, Connection::Nearest(6)).unwrap()
}

/// Planned with LazySP, which gives one path on the roadmap, the shortest.
fn options(roadmap: Option<Roadmap>) -> SessionOptions {
    SessionOptions {
        planner: "lazysp".parse().unwrap(),
        roadmap,
        resolution: Some(Resolution::largest_axis(STEP).unwrap()),
        ..SessionOptions::default()
    }
}

/// A world that counts what it is asked.
#[derive(Clone)]
struct Counted<F> {
    is_free: F,
    asked: Arc<AtomicU64>,
}

impl<F: Fn(&[f64]) -> bool> World for Counted<F> {
    type Error = Infallible;
    fn is_free(&mut self, q: &[f64]) -> Result<bool, Infallible> {
        self.asked.fetch_add(1, Ordering::Relaxed);
        Ok((self.is_free)(q))
    }
}

/// What came of a session.
struct Outcome {
    events: Vec<Event>,
    path: Option<Waypoints>,
    vertices: usize,
}

impl Outcome {
    fn last(&self) -> EventKind {
        self.events.last().unwrap().kind
    }
    fn length(&self) -> f64 {
        self.path.as_ref().unwrap().length()
    }
    fn count(&self, is: impl Fn(&EventKind) -> bool) -> usize {
        self.events.iter().filter(|e| is(&e.kind)).count()
    }
}

/// Runs a session to its end, holding what it says against what the world was asked and each better path
/// against the world itself.
fn run<F: Fn(&[f64]) -> bool + Clone + Send>(
    is_free: F,
    ends: [&[f64]; 2],
    options: SessionOptions,
) -> Result<Outcome, SessionError<Infallible>> {
    let asked = Arc::new(AtomicU64::new(0));
    let world = Counted {
        is_free: is_free.clone(),
        asked: asked.clone(),
    };
    let space = Space::unit(2);
    let mut session = Session::in_space(&space, world, ends[0], ends[1], options)?;
    let (mut events, mut best) = (Vec::new(), f64::INFINITY);
    while let Some(event) = session.step(&Limit::NONE) {
        if event.is_err() {
            assert!(
                session.step(&Limit::NONE).is_none(),
                "trouble ends a session"
            );
        }
        let event = event?;
        if let EventKind::Improved { length } = event.kind {
            assert!(length < best);
            best = length;
        }
        events.push(event);
    }
    let progress = session.progress();
    assert_eq!(progress.configurations, asked.load(Ordering::Relaxed));
    let told: u64 = events.iter().map(|e| configurations(&e.kind)).sum();
    assert_eq!(told, progress.configurations, "not every check was told");
    if let Some(path) = session.best_path() {
        assert_eq!((path.at(0), path.at(path.count() - 1)), (ends[0], ends[1]));
        assert_eq!(Some(path.length()), progress.best_length);
        assert!(path.iter().all(&is_free));
    }
    Ok(Outcome {
        path: session.best_path().cloned(),
        vertices: session.roadmap().map_or(0, |(r, _)| r.vertex_count()),
        events,
    })
}

fn configurations(kind: &EventKind) -> u64 {
    match *kind {
        EventKind::Checked { configurations, .. }
        | EventKind::PartlyChecked { configurations, .. }
        | EventKind::Proved { configurations, .. }
        | EventKind::Tried { configurations, .. }
        | EventKind::Probed { configurations, .. } => configurations,
        _ => 0,
    }
}

#[test]
fn the_straight_motion_is_tried_first_whatever_the_planner() {
    let everywhere = |_: &[f64]| true;
    for planner in ["ei:ensemble", "lazysp", "rrtconnect", "bitstar"] {
        let options = SessionOptions {
            planner: planner.parse().unwrap(),
            ..SessionOptions::default()
        };
        let outcome = run(everywhere, [&[0.1, 0.2], &[0.9, 0.4]], options).unwrap();
        assert_eq!(outcome.last(), EventKind::StraightLine, "{planner}");
        assert!((outcome.length() - 0.8f64.hypot(0.2)).abs() < 1e-12);
        // Two ends, and what lies between them.
        assert!(outcome.events.last().unwrap().progress.configurations < 1003);
    }
    // There and nowhere.
    let nowhere = run(everywhere, [&[0.1, 0.2], &[0.1, 0.2]], options(None)).unwrap();
    assert_eq!(
        (nowhere.last(), nowhere.length()),
        (EventKind::StraightLine, 0.0)
    );
}

#[test]
fn old_ids_stay_and_the_roadmap_may_be_made_on_the_spot() {
    let wall = |q: &[f64]| (q[0] - 0.5).abs() > 0.05 || q[1] > 0.5;
    let (start, goal): ([f64; 2], [f64; 2]) = ([0.1, 0.1], [0.9, 0.1]);
    let base = prm(100);
    let space = Space::unit(2);
    let given = options(Some(base.clone()));
    let mut session = Session::in_space(&space, WorldFn(wall), &start, &goal, given).unwrap();
    session.prepare(&Limit::NONE).unwrap();
    let (joined, query) = session.roadmap().unwrap();
    for edge in base.edge_ids() {
        assert_eq!(base.edge(edge), joined.edge(edge));
    }
    let ends = [query.start, query.goal].map(|v| joined.configuration(v).unwrap());
    assert_eq!(ends, [&start[..], &goal[..]]);
    assert!(session.progress().configurations > 2);
    for roadmap in [Some(base), None] {
        let outcome = run(wall, [&start, &goal], options(roadmap)).unwrap();
        assert_eq!(outcome.last(), EventKind::ShortestOnRoadmap);
        assert!(outcome.length() > 0.8);
    }
}

/// A vertex in the place of another would be passed twice in a row.
#[test]
fn an_end_that_is_a_vertex_stays_that_one() {
    let base = prm(100);
    let q = |v: u32| base.configuration(psmp::VertexId(v)).unwrap().to_vec();
    let free = |q: &[f64]| (q[0] - 0.4).hypot(q[1] - 0.4) > 0.02;
    let far = vec![0.97, 0.03];
    for (ends, expected) in [
        ([q(3), q(9)], (3, 9)),
        ([q(3), far.clone()], (3, 100)),
        ([far, q(3)], (100, 3)),
    ] {
        let space = Space::unit(2);
        let world = WorldFn(move |x: &[f64]| free(x) && (x[0] - 0.5).abs() > 1e-3);
        let given = options(Some(base.clone()));
        let session = Session::in_space(&space, world, &ends[0], &ends[1], given);
        let mut session = session.unwrap();
        session.prepare(&Limit::NONE).unwrap();
        if let Some((roadmap, query)) = session.roadmap() {
            assert_eq!((query.start.0, query.goal.0), expected);
            let straight = roadmap.edges().filter(|e| {
                [e.from, e.to] == [query.start, query.goal]
                    || [e.from, e.to] == [query.goal, query.start]
            });
            assert_eq!(straight.count(), 1);
        }
    }
}

/// A start at the end of a bent corridor that is narrower than the roadmap is fine: no straight
/// motion from it to a vertex is free.
#[test]
fn a_tight_spot_grows_a_way_out() {
    // All vertices are in the room that the corridor leads to.
    let space = Space::unit(2);
    let points: Vec<f64> = roadmap::halton(&space, 120)
        .chunks_exact(2)
        .filter(|q| q[0] > 0.55)
        .flatten()
        .copied()
        .collect();
    let base = Roadmap::from_configurations(space, points, Connection::Nearest(6)).unwrap();
    let vertices = base.vertex_count();
    let corridor = |q: &[f64]| {
        let along = (q[1] - 0.35).abs() < 0.012 && (0.0..0.5).contains(&q[0]);
        let up = (q[0] - 0.012).abs() < 0.012 && (0.1..0.36).contains(&q[1]);
        along || up || q[0] > 0.5
    };
    let outcome = run(corridor, [&[0.012, 0.12], &[0.9, 0.9]], options(Some(base))).unwrap();
    // The branch that leads out has vertices of its own.
    assert!(outcome.vertices > vertices + 2);
    assert!(outcome.length() > 1.0);
}

#[test]
fn a_roadmap_without_a_path_grows_and_nothing_is_checked_again() {
    // Two rooms and a door near the start that no edge of the coarse roadmap leads through.
    let rooms = |q: &[f64]| (q[0] - 0.3).abs() > 0.06 || (q[1] - 0.31).abs() < 0.008;
    let ends: [&[f64]; 2] = [&[0.15, 0.2], &[0.9, 0.9]];
    let never = options(Some(prm(40)));
    let outcome = run(rooms, ends, never.clone()).unwrap();
    assert_eq!(
        (outcome.last(), outcome.path),
        (EventKind::NoPathOnRoadmap, None)
    );
    let growing = SessionOptions {
        planner: "lazysp+grow".parse().unwrap(),
        ..never
    };
    let outcome = run(rooms, ends, growing).unwrap();
    assert!(outcome.count(|kind| matches!(kind, EventKind::Grown { .. })) >= 1);
    assert_eq!(outcome.last(), EventKind::Settled);
    assert!(outcome.length() > 1.0);
    let mut checked = std::collections::BTreeSet::new();
    for event in &outcome.events {
        if let EventKind::Checked { edge, .. } = event.kind {
            assert!(checked.insert(edge), "edge {} was checked twice", edge.0);
        }
    }
}

#[test]
fn straightening_is_part_of_the_events_and_never_makes_longer() {
    let wall = |q: &[f64]| (q[0] - 0.5).abs() > 0.05 || q[1] > 0.5;
    let ends: [&[f64]; 2] = [&[0.1, 0.1], &[0.9, 0.1]];
    for planner in ["lazysp", "rrtconnect", "ei:local"] {
        let plain = SessionOptions {
            planner: planner.parse().unwrap(),
            seed: 3,
            fixed_roadmap: true,
            ..options(Some(prm(100)))
        };
        let before = run(wall, ends, plain.clone()).unwrap();
        let straight = SessionOptions {
            straighten: true,
            ..plain
        };
        let after = run(wall, ends, straight).unwrap();
        assert!(after.length() < before.length(), "{planner}");
        assert_eq!(after.last(), before.last());
        let improved = |o: &Outcome| o.count(|kind| matches!(kind, EventKind::Improved { .. }));
        assert!(improved(&after) > improved(&before));
    }
}

/// A budget is kept to the configuration, through joining too, and what comes after planning can be had
/// when planning was stopped.
#[test]
fn a_session_stops_where_it_is_told_and_goes_on() {
    let wall = |q: &[f64]| (q[0] - 0.5).abs() > 0.05 || q[1] > 0.5;
    let space = Space::unit(2);
    let asked = Arc::new(AtomicU64::new(0));
    let world = Counted {
        is_free: wall,
        asked: asked.clone(),
    };
    let options = SessionOptions {
        planner: PlannerName::default(),
        straighten: true,
        fixed_roadmap: true,
        resolution: Some(Resolution::distance(0.001).unwrap()),
        ..options(Some(prm(200)))
    };
    let mut session = Session::in_space(&space, world, &[0.1, 0.1], &[0.9, 0.1], options).unwrap();
    for budget in [0, 1, 2, 5, 40, 300, 900] {
        let stop = Stop::configurations(budget);
        for event in Until::new(&mut session, &stop) {
            event.unwrap();
        }
        assert_eq!(
            asked.load(Ordering::Relaxed),
            session.progress().configurations
        );
        assert!(session.progress().configurations <= budget);
    }
    while session.best_path().is_none() {
        session.step(&Limit::NONE).unwrap().unwrap();
    }
    let found = session.best_path().unwrap().length();
    session.end_planning();
    while let Some(event) = session.step(&Limit::NONE) {
        assert!(!event.unwrap().kind.is_final(), "nothing was proven");
    }
    assert!(session.best_path().unwrap().length() < found);
}

#[test]
fn preparing_keeps_a_budget_and_what_happened_is_told_whatever_the_stop() {
    let ends: [&[f64]; 2] = [&[0.1, 0.1], &[0.9, 0.1]];
    let wall = |q: &[f64]| (q[0] - 0.5).abs() > 0.05 || q[1] > 0.5;
    for (planner, least) in [("lazysp", 0), ("bitstar", 2)] {
        for budget in [0, 1, 3, 10, 40] {
            let options = SessionOptions {
                planner: planner.parse().unwrap(),
                ..options(Some(prm(100)))
            };
            let world = WorldFn(wall);
            let session = Session::in_space(&Space::unit(2), world, ends[0], ends[1], options);
            let mut session = session.unwrap();
            let limit = Limit::new(&Stop::configurations(budget));
            session.prepare(&limit).unwrap();
            assert!(session.progress().configurations <= budget.max(least));
        }
    }
    let world = WorldFn(|_: &[f64]| true);
    let session = Session::in_space(&Space::unit(2), world, ends[0], ends[1], options(None));
    let mut session = session.unwrap();
    let events = Until::new(&mut session, &Stop::gap(0.5)).map(|event| event.unwrap().kind);
    assert_eq!(events.last(), Some(EventKind::StraightLine));
}

#[test]
fn a_session_pauses_anywhere_without_a_trace() {
    let wall = |q: &[f64]| (q[0] - 0.5).abs() > 0.05 || q[1] > 0.5;
    let ends: [&[f64]; 2] = [&[0.1, 0.1], &[0.9, 0.1]];
    let options = SessionOptions {
        planner: "ei:local".parse().unwrap(),
        straighten: true,
        ..options(Some(prm(100)))
    };
    let calm = run(wall, ends, options.clone()).unwrap();
    let space = Space::unit(2);
    let mut session = Session::in_space(&space, WorldFn(wall), ends[0], ends[1], options).unwrap();
    session.prepare(&Limit::NONE).unwrap();
    let asked = Rc::new(Cell::new(0));
    let mut events = Vec::new();
    while !events.last().is_some_and(|e: &Event| e.kind.is_final()) {
        asked.set(asked.get() + 1);
        let stop = Stop::edges(asked.get());
        events.extend(Until::new(&mut session, &stop).map(Result::unwrap));
    }
    assert_eq!(events, calm.events);
}

/// A world that fails at every so many questions.
#[derive(Clone)]
struct Failing {
    asked: Arc<AtomicU64>,
    every: u64,
}

impl World for Failing {
    type Error = &'static str;
    fn is_free(&mut self, q: &[f64]) -> Result<bool, &'static str> {
        let asked = self.asked.fetch_add(1, Ordering::Relaxed) + 1;
        if asked.is_multiple_of(self.every) {
            return Err("lost contact");
        }
        Ok((q[0] - 0.5).abs() > 0.05 || q[1] > 0.5)
    }
}

#[test]
fn a_failing_world_stops_no_session() {
    for planner in ["ei:ensemble", "rrtconnect", "psmp:nn"] {
        let world = Failing {
            asked: Arc::default(),
            every: 97,
        };
        let options = SessionOptions {
            planner: planner.parse().unwrap(),
            straighten: true,
            ..options(Some(prm(100)))
        };
        let space = Space::unit(2);
        let session = Session::in_space(&space, world, &[0.1, 0.1], &[0.9, 0.1], options);
        let (mut session, mut failures) = (session.unwrap(), 0);
        while let Some(event) = session.step(&Limit::NONE) {
            failures += u64::from(event == Err(SessionError::World("lost contact")));
            assert!(failures < 10_000, "{planner} does not get on");
        }
        assert!(failures > 1, "{planner}");
        assert!(session.best_path().unwrap().length() > 0.8);
    }
}

#[test]
fn what_cannot_be_begun_is_told() {
    let wall = |q: &[f64]| q[0] < 0.9;
    let given = || options(Some(prm(50)));
    let (inside, beyond): ([f64; 2], [f64; 2]) = ([0.1, 0.1], [0.95, 0.1]);
    let error = |ends, options| run(wall, ends, options).err().unwrap();
    assert_eq!(
        error([&inside, &beyond], given()),
        SessionError::InCollision(End::Goal)
    );
    assert_eq!(
        error([&beyond, &inside], given()),
        SessionError::InCollision(End::Start)
    );
    assert_eq!(
        error([&[2.0, 0.0], &inside], given()),
        SessionError::Outside(End::Start)
    );
    assert_eq!(
        error([&inside, &[f64::NAN, 0.0]], given()),
        SessionError::Outside(End::Goal)
    );
    let trees = SessionOptions {
        planner: "rrtstar".parse().unwrap(),
        ..given()
    };
    assert_eq!(
        error([&inside, &beyond], trees),
        SessionError::InCollision(End::Goal)
    );
    let cell = |q: &[f64]| (q[0] - 0.5).hypot(q[1] - 0.5) < 0.001 || q[0] < 0.1;
    let cut = run(cell, [&[0.5, 0.5], &[0.05, 0.1]], given())
        .err()
        .unwrap();
    assert!(
        matches!(
            cut,
            SessionError::CutOff {
                end: End::Start,
                ..
            }
        ),
        "{cut}"
    );
    let no_worlds = SessionOptions {
        planner: "psmp:fs".parse().unwrap(),
        ..given()
    };
    let walls = |q: &[f64]| (q[0] - 0.5).abs() > 0.05 || q[1] > 0.5;
    let error = run(walls, [&inside, &[0.9, 0.1]], no_worlds).err().unwrap();
    assert!(matches!(error, SessionError::Planner(_)), "{error}");
    assert!(!error.remedy().is_empty());
}

/// On a wrapping axis a place has many numbers; a session knows it by one.
#[test]
fn any_number_for_a_place_will_do() {
    let space = Space::new(vec![Axis::angle(), Axis::new(0.0, 1.0).unwrap()]).unwrap();
    let world = |q: &[f64]| !(q[0].abs() < 0.4 && q[1] < 0.8);
    let turn = std::f64::consts::TAU;
    let mut lengths = Vec::new();
    for turns in [0.0, 1.0, -3.0] {
        let start = [-1.0 + turns * turn, 0.2];
        let goal = [1.0 - 2.0 * turns * turn, 0.2];
        let mut session =
            Session::in_space(&space, WorldFn(world), &start, &goal, options(None)).unwrap();
        while let Some(event) = session.step(&Limit::NONE) {
            event.unwrap();
        }
        let path = session.best_path().unwrap();
        assert!(path.iter().all(|q| (-3.2..3.2).contains(&q[0])));
        lengths.push(path.length());
    }
    assert!((lengths[0] - lengths[1]).abs() < 0.05 && (lengths[0] - lengths[2]).abs() < 0.05);
}

/// A wall with a gap at the top.
fn wall(q: &[f64]) -> bool {
    !(0.45..0.55).contains(&q[0]) || q[1] > 0.8
}

type Wall = WorldFn<fn(&[f64]) -> bool>;

/// A session for the next query knows what the one before has found out, and asks no more about it.
#[test]
fn another_query_begins_with_what_is_known() {
    let ends: [[f64; 2]; 4] = [[0.1, 0.1], [0.9, 0.1], [0.12, 0.12], [0.88, 0.13]];
    for (planner, is_fixed) in [("lazysp", true), ("ei:local", true), ("ei:local", false)] {
        let first_path = |session: &mut Session<'_, Wall>| {
            let stop = Stop::configurations(20_000);
            let mut events = Until::new(session, &stop).map(Result::unwrap);
            let first = events.find(|e| matches!(e.kind, EventKind::Improved { .. }));
            first.unwrap().progress.configurations
        };
        let options = SessionOptions {
            planner: planner.parse().unwrap(),
            fixed_roadmap: is_fixed,
            ..options(Some(prm(300)))
        };
        let world: Wall = WorldFn(wall);
        let space = Space::unit(2);
        let [from, to, then_from, then_to] = &ends;
        let session = Session::in_space(&space, world.clone(), from, to, options.clone());
        let mut session = session.unwrap();
        let first = first_path(&mut session);
        let mut again = session.again(then_from, then_to).unwrap();
        let second = first_path(&mut again);
        let mut alone = Session::in_space(&space, world, then_from, then_to, options).unwrap();
        let alone = first_path(&mut alone);
        assert!(
            2 * second < alone,
            "{planner}, fixed {is_fixed}: {first}, then {second}, alone {alone}"
        );
        let path = again.best_path().unwrap();
        assert!(path.iter().all(wall));
    }
}

/// However many cores check, it is the same run.
#[test]
fn a_run_is_the_same_on_any_number_of_cores() {
    let events = |cores: usize, fixed_roadmap: bool| -> Vec<Event> {
        let options = SessionOptions {
            planner: "ei:local".parse().unwrap(),
            fixed_roadmap,
            ..options(Some(prm(200)))
        };
        let slow = WorldFn(|q: &[f64]| {
            let until = std::time::Instant::now() + std::time::Duration::from_micros(40);
            while std::time::Instant::now() < until {}
            wall(q)
        });
        let world = SideBySide::new(slow, cores);
        let ends = [[0.1, 0.1], [0.9, 0.1]];
        let session = Session::in_space(&Space::unit(2), world, &ends[0], &ends[1], options);
        let stop = Stop::configurations(1500);
        let mut session = session.unwrap();
        Until::new(&mut session, &stop)
            .map(Result::unwrap)
            .collect()
    };
    for fixed_roadmap in [true, false] {
        let alone = events(1, fixed_roadmap);
        assert!(alone.len() > 20);
        assert!(alone == events(3, fixed_roadmap));
    }
}
