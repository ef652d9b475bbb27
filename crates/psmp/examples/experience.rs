//! The default planner with experience of fifty worlds, in a world it has never seen.
//!
//! `cargo run --release -p psmp --example experience`

use psmp::checker::{WorldFn, check_all};
use psmp::{Connection, EventKind, Resolution, Roadmap, Session, SessionOptions, Space, roadmap};
use psmp::{Stop, Until};

/// A wall with one gap, which is at one of a few places.
fn world(number: u32) -> WorldFn<impl Fn(&[f64]) -> bool + Clone> {
    let gap = 0.1 + 0.2 * f64::from(number % 5) + 0.002 * f64::from(number);
    WorldFn(move |q: &[f64]| (q[0] - 0.5).abs() > 0.05 || (q[1] - gap).abs() < 0.06)
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let space = Space::unit(2);
    let points = roadmap::halton(&space, 300);
    let prm = Roadmap::from_configurations(space.clone(), points, Connection::Nearest(12))?;
    let known = check_all(&prm, Resolution::distance(0.005)?, (0..50).map(world))?;
    let mut options = SessionOptions {
        roadmap: Some(prm),
        ..SessionOptions::default()
    };
    for experience in [None, Some(known.into())] {
        println!("{} known worlds", experience.as_ref().map_or(0, |_| 50));
        options.experience = experience;
        let mut session =
            Session::in_space(&space, world(53), &[0.1, 0.5], &[0.9, 0.5], options.clone())?;
        for event in Until::new(&mut session, &Stop::never()) {
            let event = event?;
            if let EventKind::Improved { length } = event.kind {
                println!(
                    "  {length:.3} after {} configurations",
                    event.progress.configurations
                );
            }
        }
    }
    Ok(())
}
