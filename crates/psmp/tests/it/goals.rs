//! Several goals, of which any one will do.

use proptest::prelude::*;
use psmp::by_name::TreeName;
use psmp::checker::{MotionChecker, WorldFn};
use psmp::trees::{ProblemError, RrtConnectOptions};
use psmp::{
    Connection, End, EventKind, Resolution, Roadmap, Session, SessionError, SessionOptions, Space,
    Stop, Until, Waypoints, roadmap,
};

const STEP: f64 = 0.01;
const START: [f64; 2] = [0.1, 0.5];
/// Near, but all around it is a wall; reachable, around another; and farther still.
const GOALS: [[f64; 2]; 3] = [[0.3, 0.5], [0.6, 0.2], [0.95, 0.95]];

/// A ring around the first goal, and a wall before the second.
fn is_free(q: &[f64]) -> bool {
    let from_first = (q[0] - 0.3).hypot(q[1] - 0.5);
    let in_ring = (0.08..0.12).contains(&from_first);
    let in_wall = (0.45..0.5).contains(&q[0]) && q[1] < 0.6;
    !in_ring && !in_wall
}

fn prm(count: usize) -> Roadmap {
    let space = Space::unit(2);
    let points = roadmap::halton(&space, count);
    Roadmap::from_configurations(space, points, Connection::Nearest(8)).unwrap()
}

fn options(planner: &str, roadmap: &Roadmap) -> SessionOptions {
    let planner = planner.parse().unwrap();
    SessionOptions {
        planner,
        roadmap: matches!(planner, psmp::by_name::PlannerName::OnRoadmap(_))
            .then(|| roadmap.clone()),
        resolution: Some(Resolution::distance(STEP).unwrap()),
        // What is proven is proven of this roadmap and no larger one.
        fixed_roadmap: true,
        ..SessionOptions::default()
    }
}

/// How a session ends, and its best path.
fn solve(
    is_free: impl Fn(&[f64]) -> bool + Clone + Send,
    goals: &[Vec<f64>],
    options: SessionOptions,
) -> Result<(EventKind, Option<Waypoints>), SessionError<std::convert::Infallible>> {
    let world = WorldFn(is_free);
    let mut session = Session::in_space(&Space::unit(2), world, &START, goals, options)?;
    let mut last = None;
    for event in Until::new(&mut session, &Stop::configurations(20_000)) {
        last = Some(event?.kind);
    }
    let path = session.best_path().cloned();
    if let (Some((roadmap, query)), Some(path), Some(_)) =
        (session.roadmap(), &path, session.best_path_on_roadmap())
    {
        // The goal reached is the one that the session names.
        let end = path.at(path.count() - 1);
        assert_eq!(roadmap.configuration(query.goal), Some(end));
    }
    Ok((last.unwrap(), path))
}

fn end_of(path: &Waypoints) -> &[f64] {
    path.at(path.count() - 1)
}

#[test]
fn the_nearest_goal_that_can_be_reached_wins() {
    let roadmap = prm(600);
    let goals = GOALS.map(|g| g.to_vec());
    for planner in ["lazysp", "ei:ensemble", "psmp:nn", "pomp:nn"] {
        let (end, path) = solve(is_free, &goals, options(planner, &roadmap)).unwrap();
        assert_eq!(end, EventKind::ShortestOnRoadmap, "{planner}");
        let path = path.unwrap();
        assert_eq!(end_of(&path), GOALS[1], "{planner}");
        assert_eq!(path.at(0), START);
        // Alone, that goal is as far, and no other is nearer.
        for goal in &goals {
            let alone = solve(
                is_free,
                std::slice::from_ref(goal),
                options(planner, &roadmap),
            );
            match alone.unwrap() {
                (EventKind::ShortestOnRoadmap, Some(alone)) => {
                    assert!(alone.length() >= path.length() - 1e-12, "{planner}");
                }
                (end, none) => {
                    assert_eq!((end, none.is_none()), (EventKind::NoPathOnRoadmap, true));
                    assert_eq!(goal[..], GOALS[0]);
                }
            }
        }
    }
}

#[test]
fn trees_grow_to_all_goals() {
    let roadmap = prm(1);
    let goals = GOALS.map(|g| g.to_vec());
    for row in TreeName::TABLE {
        let planner = row.name;
        let (_, path) = solve(is_free, &goals, options(planner, &roadmap)).unwrap();
        let path = path.unwrap_or_else(|| panic!("{planner}"));
        assert_eq!(path.at(0), START);
        let end = end_of(&path);
        assert!(end == GOALS[1] || end == GOALS[2], "{planner}: {end:?}");
        if ["rrtstar", "bitstar"].contains(&planner) {
            // They look for shorter paths, and the nearer goal is the one to find.
            assert_eq!(end, GOALS[1], "{planner}");
            let (_, alone) = solve(is_free, &goals[1..2], options(planner, &roadmap)).unwrap();
            let (together, alone) = (path.length(), alone.unwrap().length());
            assert!(
                (together / alone - 1.0).abs() < 0.02,
                "{planner}: {together} {alone}"
            );
        }
    }
}

#[test]
fn the_straight_motion_to_the_nearest_goal_ends_a_run() {
    let everywhere = |_: &[f64]| true;
    let roadmap = prm(100);
    let goals = [vec![0.9, 0.5], vec![0.2, 0.5], vec![0.2, 0.5]];
    for planner in ["lazysp", "rrtconnect", "bitstar"] {
        let (end, path) = solve(everywhere, &goals, options(planner, &roadmap)).unwrap();
        assert_eq!(end, EventKind::StraightLine, "{planner}");
        assert_eq!(end_of(&path.unwrap()), [0.2, 0.5]);
    }
}

#[test]
fn goals_in_collision_are_left_out_unless_all_are() {
    let roadmap = prm(300);
    let in_wall = vec![0.47, 0.3];
    for planner in ["lazysp", "rrtconnect", "bitstar"] {
        let goals = [in_wall.clone(), GOALS[2].to_vec()];
        let (_, path) = solve(is_free, &goals, options(planner, &roadmap)).unwrap();
        assert_eq!(end_of(&path.unwrap()), GOALS[2], "{planner}");
        let goals = [in_wall.clone(), vec![0.48, 0.1]];
        let error = solve(is_free, &goals, options(planner, &roadmap)).unwrap_err();
        assert_eq!(error, SessionError::InCollision(End::Goal), "{planner}");
        let error = solve(is_free, &[], options(planner, &roadmap)).unwrap_err();
        assert!(error.to_string().contains("no goal"), "{error}");
        let outside = [GOALS[2].to_vec(), vec![2.0, 0.0]];
        let error = solve(is_free, &outside, options(planner, &roadmap)).unwrap_err();
        assert_eq!(error, SessionError::Outside(End::Goal), "{planner}");
    }
    let resolution = Resolution::distance(STEP).unwrap();
    let checker = MotionChecker::new(&Space::unit(2), resolution, WorldFn(is_free)).unwrap();
    let trees = RrtConnectOptions::PUBLISHED;
    let made = TreeName::RrtConnect.build(checker, &START, Vec::new(), trees, 0);
    assert!(matches!(made.err(), Some(ProblemError::Parameter { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// In worlds of random discs, the path to any of the goals is as long as the shortest of the paths to
    /// each of them alone, and where there is none there is none to any.
    #[test]
    fn any_goal_is_the_nearest_of_all(
        discs in prop::collection::vec((0.0..1.0_f64, 0.0..1.0_f64, 0.03..0.2_f64), 1..10),
        goals in prop::collection::vec((0.0..1.0_f64, 0.0..1.0_f64), 2..5),
        seed in 0..1000_u64,
    ) {
        let is_free = |q: &[f64]| {
            discs.iter().all(|&(x, y, r)| (q[0] - x).hypot(q[1] - y) > r)
        };
        prop_assume!(is_free(&START));
        let goals: Vec<Vec<f64>> = goals.iter().map(|&(x, y)| vec![x, y]).collect();
        let roadmap = prm(150);
        for planner in ["lazysp", "ei:ensemble", "psmp:nn"] {
            let options = || SessionOptions { seed, ..options(planner, &roadmap) };
            let together = solve(is_free, &goals, options());
            let mut best: Option<f64> = None;
            let mut all_are_blocked = true;
            for goal in &goals {
                let alone = solve(is_free, std::slice::from_ref(goal), options());
                all_are_blocked &= alone == Err(SessionError::InCollision(End::Goal));
                if let Ok((_, Some(path))) = alone {
                    best = Some(best.map_or(path.length(), |b: f64| b.min(path.length())));
                }
            }
            match (together, best) {
                (Ok((EventKind::ShortestOnRoadmap | EventKind::StraightLine, Some(path))), Some(best)) => {
                    // An edge to a goal that was left out alone may be a shortcut, never a detour.
                    prop_assert!(path.length() <= best + 1e-9, "{planner}: {} {best}", path.length());
                    prop_assert!(goals.iter().any(|g| g == end_of(&path)));
                    prop_assert!(path.iter().all(is_free));
                }
                (Ok((end, None)), None) => prop_assert_eq!(end, EventKind::NoPathOnRoadmap),
                (Ok((_, Some(path))), None) => {
                    // A goal that is cut off alone is reached by way of another.
                    prop_assert!(path.iter().all(is_free));
                }
                (Err(SessionError::InCollision(End::Goal)), None) => prop_assert!(all_are_blocked),
                (Err(SessionError::CutOff { .. }), None) => {}
                other => prop_assert!(false, "{planner}: {other:?}"),
            }
        }
    }
}
