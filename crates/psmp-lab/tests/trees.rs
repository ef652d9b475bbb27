//! What every planner that grows trees promises, in worlds of all the families and in scenes whose shortest path
//! is known.
#![allow(clippy::unwrap_used, reason = "in a test an unwrap is an assertion")]

use psmp::by_name::{AnyTreePlanner, TreeName};
use psmp::checker::{MotionChecker, World, WorldFn};
use psmp::shortcut::{ShortcutOptions, shortcut};
use psmp::trees::{
    BitStar, BitStarOptions, ProblemError, RrtConnect, RrtConnectOptions, RrtConnectShortcut,
    RrtStar, RrtStarOptions, TreePlanner,
};
use psmp::{Anytime, Axis, Event, EventKind, Limit, Resolution, Space, Stop, Until, Waypoints};
use psmp_lab::families::FAMILIES;
use psmp_worlds::OccupancyGrid;
use std::convert::Infallible;

const RESOLUTION: f64 = 0.002;

/// A checker of motions in steps of at most this distance.
fn motions<W: World>(space: &Space, step: f64, world: W) -> MotionChecker<W> {
    MotionChecker::new(space, Resolution::distance(step).unwrap(), world).unwrap()
}

fn names() -> impl Iterator<Item = TreeName> {
    TreeName::TABLE.iter().map(|row| row.what)
}

/// All planners, and RRTConnect with other options too, in turn.
fn planners<'a>(
    grid: &'a OccupancyGrid,
    ends: [&[f64]; 2],
    seed: u64,
) -> Vec<(String, AnyTreePlanner<'a, Infallible>)> {
    let [start, goal] = ends;
    let checker = || motions(&Space::unit(2), RESOLUTION, grid);
    let mut all: Vec<(String, AnyTreePlanner<'a, Infallible>)> = names()
        .map(|name| {
            let options = RrtConnectOptions::PUBLISHED;
            let planner = name.build(checker(), start, goal, options, seed).unwrap();
            (name.to_string(), planner)
        })
        .collect();
    let options = RrtConnectOptions::ompl(&Space::unit(2));
    let short = RrtConnect::new(checker(), start, goal, options, seed).unwrap();
    all.push(("rrtconnect, short range".to_owned(), Box::new(short)));
    all
}

/// All events of a run, with what must hold of each of them seen to.
fn watch<W: World<Error = Infallible>>(
    planner: &mut dyn TreePlanner<Error = Infallible>,
    checker: &mut MotionChecker<W>,
    ends: [&[f64]; 2],
    stop: &Stop,
) -> Vec<Event> {
    let mut events: Vec<Event> = Vec::new();
    let mut best = f64::INFINITY;
    loop {
        let before = planner.progress();
        if stop.is_met(&before, std::time::Duration::ZERO) {
            return events;
        }
        let Some(Ok(event)) = planner.step(&Limit::NONE) else {
            return events;
        };
        let now = planner.progress();
        assert_eq!(event.progress, now);
        let mut spent = 0;
        match event.kind {
            EventKind::Probed { configurations, .. } => {
                assert!(configurations > 0 || now.proposals > before.proposals);
                spent = configurations;
            }
            EventKind::Improved { length } => {
                assert!(length < best, "{length} after {best}");
                best = length;
                assert_eq!(now.best_length, Some(length));
                let path = planner.best_path().unwrap();
                check_path(path, length, checker, ends);
            }
            EventKind::NoImprovement => assert!(now.proposals > before.proposals),
            EventKind::StraightLine => assert!(now.best_length.unwrap() <= now.lower_bound),
            EventKind::GaveUp => assert!(now.best_length.is_some()),
            other => panic!("{other:?} is no event of a planner without a roadmap"),
        }
        assert_eq!(now.configurations, before.configurations + spent);
        events.push(event);
    }
}

/// A path leads from start to goal, is as long as it says, and each of its motions is free when it is
/// checked by itself.
fn check_path<W: World<Error = Infallible>>(
    path: &Waypoints,
    length: f64,
    checker: &mut MotionChecker<W>,
    ends: [&[f64]; 2],
) {
    assert_eq!([path.at(0), path.at(path.count() - 1)], ends);
    let mut sum = 0.0;
    for place in 1..path.count() {
        let (a, b) = (path.at(place - 1), path.at(place));
        let space = checker.space().clone();
        assert!(space.contains(b));
        sum += space.distance(a, b);
        assert_eq!(
            checker.is_motion_free(a, b),
            Ok(Some(true)),
            "{a:?} to {b:?}"
        );
    }
    assert!((sum - length).abs() < 1e-9);
}

#[test]
fn all_planners_keep_their_promises_in_all_families() {
    for family in FAMILIES {
        let set = family.generate(2, 1, 11, || {}).unwrap();
        let ends = [set.query.start, set.query.goal].map(|v| set.roadmap.configuration(v).unwrap());
        for world in 0..2 {
            let grid = set.image(psmp::WorldId(world));
            let again = planners(&grid, ends, 7);
            for ((name, mut planner), (_, mut again)) in
                planners(&grid, ends, 7).into_iter().zip(again)
            {
                // A while beyond the first path.
                let stop = (Stop::configurations(15_000) & Stop::gap(f64::INFINITY))
                    | Stop::configurations(400_000);
                let mut checker = motions(&Space::unit(2), RESOLUTION, &grid);
                let events = watch(planner.as_mut(), &mut checker, ends, &stop);
                assert!(
                    planner.best_path().is_some(),
                    "{name} finds no path in world {world} of {}",
                    family.name
                );
                let repeated = Until::new(again.as_mut(), &stop);
                assert!(repeated.map(Result::unwrap).eq(events), "{name} differs");
            }
        }
    }
}

#[test]
fn another_seed_is_another_run() {
    let set = FAMILIES[2].generate(1, 0, 3, || {}).unwrap();
    let grid = set.image(psmp::WorldId(0));
    let ends = [set.query.start, set.query.goal].map(|v| set.roadmap.configuration(v).unwrap());
    let stop = Stop::configurations(20_000);
    let (first, second) = (planners(&grid, ends, 1), planners(&grid, ends, 2));
    for ((name, mut first), (_, mut second)) in first.into_iter().zip(second) {
        let (first, second) = (
            Until::new(first.as_mut(), &stop).count(),
            Until::new(second.as_mut(), &stop).count(),
        );
        assert_ne!(first, second, "{name}");
    }
}

/// The unit square with a wall from the left over most of it: from below its end to above, the
/// shortest path turns at its two corners.
fn wall() -> WorldFn<fn(&[f64]) -> bool> {
    WorldFn(|q| !(q[0] < 0.7 && (0.45..0.55).contains(&q[1])))
}
const BEFORE_WALL: [f64; 2] = [0.2, 0.2];
const BEHIND_WALL: [f64; 2] = [0.2, 0.8];

fn round_the_wall() -> f64 {
    2.0 * f64::hypot(0.5, 0.25) + 0.1
}

#[test]
fn optimising_planners_come_close_to_the_shortest_path() {
    let checker = || motions(&Space::unit(2), 0.01, wall());
    let ends: [&[f64]; 2] = [&BEFORE_WALL, &BEHIND_WALL];
    // A corner can be cut by less than a step of the checker.
    let near = round_the_wall() - 0.02..=round_the_wall() * 1.02;
    let straight = 0.6;
    for name in names() {
        if name.ends_by_itself() {
            continue;
        }
        let options = RrtConnectOptions::PUBLISHED;
        let mut planner = name.build(checker(), ends[0], ends[1], options, 5).unwrap();
        let stop = Stop::gap(near.end() / straight - 1.0) | Stop::configurations(200_000);
        let events = watch(planner.as_mut(), &mut checker(), ends, &stop);
        let better = events.iter().filter_map(|event| match event.kind {
            EventKind::Improved { length } => Some(length),
            _ => None,
        });
        let lengths: Vec<f64> = better.collect();
        assert!(lengths[0] > round_the_wall() * 1.05, "{name}: {lengths:?}");
        let best = lengths[lengths.len() - 1];
        assert!(near.contains(&best), "{name}: {best}");
    }
}

#[test]
fn a_free_space_is_crossed_straight_and_certified() {
    let free = || WorldFn(|_: &[f64]| true);
    let (start, goal) = ([0.1, 0.2, 0.3], [0.9, 0.9, 0.5]);
    let checker = || motions(&Space::unit(3), 0.01, free());
    let options = RrtStarOptions::for_space(checker().space());
    let mut planner = RrtStar::new(checker(), &start, &goal, options, 2).unwrap();
    let stop = Stop::gap(0.02) | Stop::configurations(1_000_000);
    let events = watch(&mut planner, &mut checker(), [&start, &goal], &stop);
    assert!(events.last().unwrap().progress.gap().unwrap() <= 0.02);

    // BIT* tries the straight way first.
    let options = BitStarOptions::default();
    let mut planner = BitStar::new(checker(), &start, &goal, options, 2).unwrap();
    let events = watch(
        &mut planner,
        &mut checker(),
        [&start, &goal],
        &Stop::never(),
    );
    assert_eq!(events.last().unwrap().kind, EventKind::StraightLine);
    assert_eq!(planner.progress().edges, 1);

    let (trees, shortcuts) = (RrtConnectOptions::PUBLISHED, ShortcutOptions::default());
    let mut planner =
        RrtConnectShortcut::new(checker(), &start, &goal, trees, shortcuts, 2).unwrap();
    let stop = Stop::gap(0.02) | Stop::configurations(100_000);
    watch(&mut planner, &mut checker(), [&start, &goal], &stop);
    assert!(planner.progress().gap().unwrap() <= 0.02);
}

#[test]
fn who_is_there_already_need_not_move() {
    let checker = motions(&Space::unit(2), 0.01, wall());
    let options = RrtConnectOptions::PUBLISHED;
    let mut planner = RrtConnect::new(checker, &[0.1, 0.1], &[0.1, 0.1], options, 0).unwrap();
    let kinds: Vec<EventKind> = std::iter::from_fn(|| planner.step(&Limit::NONE))
        .map(|event| event.unwrap().kind)
        .collect();
    assert_eq!(
        kinds,
        [EventKind::Improved { length: 0.0 }, EventKind::StraightLine]
    );
}

#[test]
fn angles_go_the_shorter_way_round() {
    // From one side of the seam to the other, while the way across the front is blocked.
    let space = Space::new(vec![Axis::angle(), Axis::new(0.0, 1.0).unwrap()]).unwrap();
    let front = || WorldFn(|q: &[f64]| q[0].abs() > 1.0 || q[1] > 0.9);
    let (start, goal) = ([2.0, 0.1], [-2.0, 0.1]);
    let checker = || motions(&space, 0.01, front());
    let options = RrtStarOptions::for_space(&space);
    let mut planner = RrtStar::new(checker(), &start, &goal, options, 1).unwrap();
    let stop = Stop::gap(0.02) | Stop::configurations(30_000);
    watch(&mut planner, &mut checker(), [&start, &goal], &stop);
    let across = std::f64::consts::TAU - 4.0;
    assert!(planner.progress().best_length.unwrap() < across * 1.02);
}

#[test]
fn what_cannot_be_planned_is_refused_by_name() {
    let make = |start: &[f64], goal: &[f64], options: RrtStarOptions| {
        let checker = motions(&Space::unit(2), 0.01, wall());
        RrtStar::new(checker, start, goal, options, 0).map(|_| ())
    };
    let good = RrtStarOptions::for_space(&Space::unit(2));
    let error = |made: Result<(), ProblemError<Infallible>>| made.unwrap_err().to_string();
    let text = error(make(&[0.1, 0.5], &BEHIND_WALL, good));
    assert!(
        text.contains("start") && text.contains("collision"),
        "{text}"
    );
    let text = error(make(&BEFORE_WALL, &[0.1, 0.5], good));
    assert!(text.contains("goal") && text.contains("free"), "{text}");
    let text = error(make(&BEFORE_WALL, &[0.1, f64::NAN], good));
    assert!(text.contains("outside"), "{text}");
    let text = error(make(&[0.1], &BEHIND_WALL, good));
    assert!(text.contains("2 axes"), "{text}");
    let (goal_bias, range) = (1.5, f64::NAN);
    let text = error(make(
        &BEFORE_WALL,
        &BEHIND_WALL,
        RrtStarOptions { goal_bias, ..good },
    ));
    assert!(text.contains("goal bias"), "{text}");
    let text = error(make(
        &BEFORE_WALL,
        &BEHIND_WALL,
        RrtStarOptions { range, ..good },
    ));
    assert!(text.contains("range"), "{text}");
}

#[test]
fn no_path_is_ever_found_where_there_is_none() {
    let closed = WorldFn(|q: &[f64]| !(0.45..0.55).contains(&q[1]));
    let checker = motions(&Space::unit(2), 0.01, closed);
    let options = RrtConnectOptions::PUBLISHED;
    let mut planner = RrtConnect::new(checker, &BEFORE_WALL, &BEHIND_WALL, options, 0).unwrap();
    let stop = Stop::configurations(30_000);
    assert!(Until::new(&mut planner, &stop).count() > 100);
    assert!(planner.best_path().is_none());
}

/// A world that fails now and then, as a sensor may.
struct Shaky(u32);

impl World for Shaky {
    type Error = &'static str;
    fn is_free(&mut self, q: &[f64]) -> Result<bool, &'static str> {
        self.0 += 1;
        if self.0.is_multiple_of(41) {
            return Err("no answer");
        }
        wall().is_free(q).map_err(|never| match never {})
    }
}

#[test]
fn errors_of_the_checker_come_out_and_the_run_goes_on() {
    for name in names() {
        let checker = motions(&Space::unit(2), 0.05, Shaky(0));
        let options = RrtConnectOptions::PUBLISHED;
        let planner = name.build(checker, &BEFORE_WALL, &BEHIND_WALL, options, 3);
        let mut planner = planner.unwrap();
        let mut errors = 0;
        while planner.best_path().is_none() || planner.progress().configurations < 5_000 {
            match planner.step(&Limit::NONE) {
                Some(step) => errors += usize::from(step.is_err()),
                None => break,
            }
        }
        assert!(errors > 0, "{name}");
        let mut checker = motions(&Space::unit(2), 0.05, wall());
        let path = planner.best_path().unwrap();
        check_path(
            path,
            path.length(),
            &mut checker,
            [&BEFORE_WALL, &BEHIND_WALL],
        );
    }
}

#[test]
fn shortcuts_straighten_a_roadmaps_path_too() {
    let set = FAMILIES[0].generate(4, 0, 5, || {}).unwrap();
    for world in 0..4 {
        let id = psmp::WorldId(world);
        let grid = set.image(id);
        let free = |edge| set.table.is_free(id, edge);
        let shortest = set.roadmap.shortest_path(set.query, free).unwrap();
        let path = Waypoints::of_roadmap(&set.roadmap, &shortest).unwrap();
        let checker = || motions(&Space::unit(2), RESOLUTION, &grid);
        let mut used = checker();
        let options = ShortcutOptions::default();
        let straight = shortcut(path.clone(), &mut used, options, 1, |_, _| {}).unwrap();
        assert!(straight.length() <= path.length());
        assert!(used.configurations() > 0);
        let ends = [path.at(0), path.at(path.count() - 1)];
        check_path(&straight, straight.length(), &mut checker(), ends);
        // Watched it is the same, and every shorter path on the way is told.
        let mut told = vec![(0, path.length())];
        let tell = |spent: u64, length: f64| told.push((spent, length));
        let again = shortcut(path, &mut checker(), options, 1, tell).unwrap();
        assert_eq!(again, straight);
        for pair in told.windows(2) {
            assert!(pair[0].0 < pair[1].0 && pair[0].1 > pair[1].1, "{told:?}");
        }
        let &(spent, length) = told.last().unwrap();
        assert!(spent <= used.configurations() && length == straight.length());
    }
}

#[test]
fn names_round_trip_and_wrong_ones_say_what_would_be_right() {
    for name in names() {
        assert_eq!(name.to_string().parse(), Ok(name));
    }
    let error = "rrt".parse::<TreeName>().unwrap_err().to_string();
    assert!(error.contains("`rrtstar`"), "{error}");
}
