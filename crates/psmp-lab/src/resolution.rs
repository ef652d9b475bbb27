//! How close to each other the configurations of an edge are checked.

use psmp::{Resolution, Roadmap, Space};
use thiserror::Error;

/// A distance between the configurations of an edge that no one can mean.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("a resolution of {given:?} cannot be used: it must be finite and at least {finest:?} here")]
pub struct ResolutionError {
    /// The resolution given.
    pub given: f64,
    /// The finest that can be used.
    pub finest: f64,
}

/// The finest resolution, as a share of the space's longest side. No world is drawn so finely, and
/// a check that takes for ever helps no one.
const FINEST: f64 = 1e-5;

/// The distance between the configurations of an edge: the one given, or a thousandth of the
/// space's longest side.
///
/// # Errors
/// If the one given is not positive and finite, or too fine for the space.
pub fn resolution_for(
    roadmap: &Roadmap,
    given: Option<f64>,
) -> Result<Resolution, ResolutionError> {
    let side = roadmap.space().map_or(1.0, Space::longest_side);
    beside(side, given)
}

/// The same for motions in a space.
///
/// # Errors
/// As for [`resolution_for`].
pub fn resolution_in(space: &Space, given: Option<f64>) -> Result<Resolution, ResolutionError> {
    beside(space.longest_side(), given)
}

fn beside(side: f64, given: Option<f64>) -> Result<Resolution, ResolutionError> {
    let given = given.unwrap_or(side / 1000.0);
    let finest = side * FINEST;
    let resolution = Resolution::distance(given).ok();
    resolution
        .filter(|resolution| resolution.step() >= finest)
        .ok_or(ResolutionError { given, finest })
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp::{Axis, Connection};

    #[test]
    fn a_resolution_fits_the_space() {
        let axes = [Axis::new(0.0, 20.0), Axis::new(0.0, 5.0)].map(Result::unwrap);
        let space = Space::new(axes.to_vec()).unwrap();
        let connection = Connection::Nearest(1);
        let roadmap = Roadmap::from_configurations(space, vec![1.0, 1.0, 2.0, 2.0], connection);
        let roadmap = roadmap.unwrap();
        let step = |given| resolution_for(&roadmap, given).map(Resolution::step);
        assert_eq!((step(None), step(Some(0.5))), (Ok(0.02), Ok(0.5)));
        for useless in [0.0, -1.0, 1e-4, f64::NAN, f64::INFINITY] {
            assert!(step(Some(useless)).is_err(), "{useless}");
        }
    }
}
