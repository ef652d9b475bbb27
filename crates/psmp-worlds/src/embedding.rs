//! The space that bare coordinates live in, for formats that do not tell it.

use psmp::{Axis, Space, SpaceError};

/// The unit cube if all coordinates (configurations of `dimension` values, one after the other)
/// lie in it, else the box around them; an axis on which they all agree is given some width.
pub(crate) fn space_around(dimension: usize, coordinates: &[f64]) -> Result<Space, SpaceError> {
    if dimension > 0 && coordinates.iter().all(|x| (0.0..=1.0).contains(x)) {
        return Ok(Space::unit(dimension));
    }
    let axes = (0..dimension).map(|axis| {
        let along = coordinates.iter().skip(axis).step_by(dimension);
        let (lower, upper) = along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, u), &x| {
            (l.min(x), u.max(x))
        });
        if lower == upper {
            // Half a unit vanishes in the rounding of large numbers.
            let margin = (lower.abs() * 1e-9).max(0.5);
            Axis::new(lower - margin, upper + margin)
        } else {
            Axis::new(lower, upper)
        }
    });
    Space::new(axes.collect::<Result<_, _>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unit_cube_is_recognised_and_flat_axes_are_widened() {
        assert_eq!(
            space_around(2, &[0.0, 0.5, 1.0, 0.5]).unwrap(),
            Space::unit(2)
        );
        let space = space_around(2, &[-3.0, 1e20, 4.0, 1e20]).unwrap();
        assert_eq!(
            (space.axes()[0].lower(), space.axes()[0].upper()),
            (-3.0, 4.0)
        );
        assert!(space.contains(&[0.0, 1e20]));
        assert!(
            space_around(1, &[-1e308, 1e308]).is_err(),
            "wider than a number"
        );
        assert!(space_around(0, &[]).is_err());
    }
}
