//! What is given out is proved free all along, where the world can prove it.

use psmp::by_name::{PlannerName, TreeName};
use psmp::checker::{MotionChecker, Proof, Stretches, World};
use psmp::shortcut::{ShortcutOptions, shortcut};
use psmp::trees::RrtConnectOptions;
use psmp::{
    Anytime, EventKind, Limit, Resolution, Session, SessionOptions, Space, Stop, Waypoints,
};
use std::convert::Infallible;

/// A checker of motions in steps of at most this distance.
fn motions(space: &Space, step: f64) -> MotionChecker<ThinWalls> {
    MotionChecker::new(space, Resolution::distance(step).unwrap(), ThinWalls).unwrap()
}

fn names() -> impl Iterator<Item = TreeName> {
    TreeName::TABLE.iter().map(|row| row.what)
}

/// Walls thinner than a step, and a way around them. The world knows how far it is to the next wall.
#[derive(Clone)]
struct ThinWalls;

/// A wall is twenty times thinner than this.
const STEP: f64 = 0.04;

/// How thick a wall is, how far apart they are, and where the way above them begins.
const THICK: f64 = 0.002;
const APART: f64 = 0.2;
const ABOVE: f64 = 0.9;

impl ThinWalls {
    fn clearance(q: &[f64]) -> f64 {
        let past = q[0].rem_euclid(APART);
        let aside = (past - THICK).min(APART - past).max(0.0);
        aside.hypot((q[1] - ABOVE).max(0.0))
    }
}

impl World for ThinWalls {
    type Error = Infallible;

    fn is_free(&mut self, q: &[f64]) -> Result<bool, Infallible> {
        Ok(Self::clearance(q) > 0.0)
    }

    fn can_prove(&self) -> bool {
        true
    }

    fn prove(&mut self, stretches: &mut Stretches<'_>) -> Result<(), Infallible> {
        stretches.answer_each(|q, half| {
            let moved = half[0].hypot(half[1]);
            let clearance = Self::clearance(q);
            Ok(match clearance > moved {
                true => Proof::Free,
                false if clearance == 0.0 || moved < 1e-6 => Proof::Blocked,
                false => Proof::Open,
            })
        })
    }
}

/// Whether a path is free however finely it is looked at.
fn misses_thin_walls(path: &Waypoints) -> bool {
    let mut fine = motions(&Space::unit(2), THICK / 10.0);
    (1..path.count()).all(|i| fine.is_motion_free(path.at(i - 1), path.at(i)) == Ok(Some(true)))
}

#[test]
fn what_is_proved_passes_through_nothing_between_configurations() {
    let space = Space::unit(2);
    let (start, goal) = ([0.03, 0.1], [0.93, 0.1]);
    let made = || motions(&space, STEP);
    let (mut through, mut through_straight) = (0, 0);
    for seed in 0..3 {
        for name in names() {
            for proving in [false, true] {
                let checker = if proving { made().proving() } else { made() };
                let options = RrtConnectOptions::for_space(&space);
                let planner = name.build(checker, &start, &goal, options, seed);
                let mut planner = planner.unwrap();
                let mut limit = Limit::new(&Stop::configurations(50_000));
                while !limit.is_met() {
                    let Some(event) = planner.step(&limit) else {
                        break;
                    };
                    limit.stand_at(planner.progress());
                    if let EventKind::Improved { .. } = event.unwrap().kind {
                        let is_free = planner.best_path().is_some_and(misses_thin_walls);
                        assert!(is_free || !proving, "{name}, seed {seed}");
                        through += usize::from(!is_free);
                    }
                }
                // RRT* looks at hundreds of neighbours for each node, and is not there yet.
                let is_found = planner.best_path().is_some() || name == TreeName::RrtStar;
                assert!(is_found, "{name}, seed {seed}, {proving}");
            }
        }
        let around = vec![0.03, 0.1, 0.03, 0.95, 0.93, 0.95, 0.93, 0.1];
        for proving in [false, true] {
            let mut checker = if proving { made().proving() } else { made() };
            let path = Waypoints::new(&space, around.clone());
            let options = ShortcutOptions::default();
            let straight = shortcut(path, &mut checker, options, seed, |_, _| {}).unwrap();
            let is_free = misses_thin_walls(&straight);
            assert!(is_free || !proving, "seed {seed}");
            through_straight += usize::from(!is_free);
        }
    }
    assert!(
        through > 0 && through_straight > 0,
        "the steps see all walls"
    );
}

/// On a roadmap too: whatever the planner, and whether or not it is insured.
#[test]
fn planners_on_roadmaps_give_out_what_is_proved() {
    let space = Space::unit(2);
    let (start, goal) = ([0.03, 0.1], [0.93, 0.1]);
    let (mut refuted, mut improved) = (0, 0);
    for name in [
        "lazysp",
        "psmp:0.9",
        "pomp:nn",
        "ei:local",
        "lazysp:0.9:coarse",
        "lazysp+grow",
    ] {
        for straighten in [false, true] {
            let options = SessionOptions {
                planner: name.parse::<PlannerName>().unwrap(),
                resolution: Some(Resolution::distance(STEP).unwrap()),
                straighten,
                ..SessionOptions::default()
            };
            let session = Session::in_space(&space, ThinWalls, &start, &goal, options);
            let mut session = session.unwrap();
            let mut limit = Limit::new(&Stop::configurations(100_000));
            let mut ended = false;
            while let Some(event) = session.step(&limit) {
                limit.stand_at(session.progress());
                let event = event.unwrap();
                match event.kind {
                    EventKind::Proved { free, edge, .. } => {
                        refuted += usize::from(!free);
                        let ledger = session.planner().unwrap().ledger();
                        let now = ledger.status(edge) == psmp::EdgeStatus::Free;
                        assert_eq!(now, free, "{name}");
                    }
                    EventKind::Improved { length } => {
                        improved += 1;
                        let path = session.best_path().unwrap();
                        assert!((path.length() - length).abs() < 1e-9);
                        assert!(misses_thin_walls(path), "{name}");
                    }
                    EventKind::ShortestOnRoadmap | EventKind::Settled => ended = true,
                    _ => {}
                }
            }
            // What grows can always go on.
            let is_growing = name == "ei:local" || name.ends_with("+grow");
            assert!(ended || is_growing, "{name}");
            assert!(session.best_path().is_some(), "{name}");
        }
    }
    assert!(refuted > 10 && improved > 10, "{refuted} {improved}");
}

/// A limit breaks a proof off to the configuration, and it goes on where it was.
#[test]
fn proofs_keep_to_limits() {
    let space = Space::unit(2);
    let ends = ([0.03, 0.1], [0.15, 0.8]);
    let mut whole = motions(&space, STEP).proving();
    assert_eq!(whole.prove(&ends.0, &ends.1), Ok(Some(true)));
    let mut parts = motions(&space, STEP).proving();
    let mut found = None;
    while found.is_none() {
        let before = parts.configurations();
        parts.obey(&Limit::new(&Stop::configurations(2)));
        found = parts.prove(&ends.0, &ends.1).unwrap();
        assert!(parts.configurations() - before <= 2);
    }
    assert_eq!(
        (found, parts.configurations()),
        (Some(true), whole.configurations())
    );
}
