//! The planner that grows its roadmap crosses offices, whose doors are hardly wider than the robot.
#![allow(clippy::unwrap_used, reason = "in a test an unwrap is an assertion")]

use psmp::{Session, SessionOptions, Space, Stop, Until, WorldId};
use psmp_lab::families::OFFICE;
use psmp_lab::shortest_way;

/// `cargo bench -p psmp-lab --bench office` has fifty floors.
#[test]
fn offices_are_crossed_by_ways_that_there_are() {
    let stop = Stop::configurations(1_000_000);
    for seed in 0..4 {
        let set = OFFICE.generate(1, 0, seed, || {}).unwrap();
        let image = set.image(WorldId(0));
        let ends = [set.query.start, set.query.goal];
        let ends = ends.map(|v| set.roadmap.configuration(v).unwrap());
        let options = SessionOptions {
            settles: false,
            seed,
            ..SessionOptions::default()
        };
        let mut session =
            Session::in_space(&Space::unit(2), &image, ends[0], ends[1], options).unwrap();
        for event in Until::new(&mut session, &stop) {
            if event.unwrap().progress.best_length.is_some() {
                break;
            }
        }
        let [start, goal] = ends.map(|end| [end[0], end[1]]);
        let shortest = shortest_way(&image, start, goal, f64::INFINITY).unwrap();
        let found = session.progress().best_length.unwrap();
        assert!(
            (1.0 - 1e-9..5.0).contains(&(found / shortest)),
            "floor {seed}: {found} where {shortest} would do"
        );
    }
}
