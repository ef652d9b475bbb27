//! Whether a straight way crosses a box, exactly: an edge of a point's roadmap is free where it crosses none.

/// Whether a part of the way from one point to the other lies in a box, which is given by an interval for each
/// axis. What touches the box crosses it.
pub(super) fn crosses(from: &[f64], to: &[f64], sides: &[[f64; 2]]) -> bool {
    // The part of the way, from 0 to 1, that is between both sides along every axis so far.
    let mut inside = [0.0_f64, 1.0];
    for ((&from, &to), &[low, high]) in from.iter().zip(to).zip(sides) {
        let along = to - from;
        if along == 0.0 {
            if !(low..=high).contains(&from) {
                return false;
            }
            continue;
        }
        let [one, other] = [(low - from) / along, (high - from) / along];
        inside = [inside[0].max(one.min(other)), inside[1].min(one.max(other))];
    }
    inside[0] <= inside[1]
}

#[cfg(test)]
mod tests {
    use super::crosses;

    const CUBE: [[f64; 2]; 3] = [[0.4, 0.6]; 3];

    #[test]
    fn ways_through_a_corner_cross_and_ways_past_it_do_not() {
        assert!(crosses(&[0.0; 3], &[1.0; 3], &CUBE));
        assert!(crosses(&[0.5; 3], &[0.5; 3], &CUBE));
        assert!(crosses(&[0.4, 0.0, 0.5], &[0.4, 1.0, 0.5], &CUBE));
        assert!(crosses(&[0.39, 0.5, 0.62], &[0.43, 0.5, 0.58], &CUBE));
        assert!(!crosses(&[0.38, 0.5, 0.61], &[0.41, 0.5, 0.62], &CUBE));
        assert!(!crosses(&[0.0; 3], &[0.39; 3], &CUBE));
        assert!(!crosses(&[0.7, 0.5, 0.5], &[0.7, 0.5, 0.5], &CUBE));
        assert!(!crosses(&[0.0, 0.5, 0.0], &[0.0, 0.5, 1.0], &CUBE));
    }

    /// Beside asking about many places on the way.
    #[test]
    fn it_is_what_looking_finds() {
        let places = psmp::roadmap::uniform(&psmp::Space::unit(6), 500, 1);
        let mut crossed = 0;
        for ends in places.chunks_exact(6) {
            let (from, to) = ends.split_at(3);
            let looked = (0..=2000).any(|step| {
                let share = f64::from(step) / 2000.0;
                (0..3).all(|axis| {
                    let at = from[axis] + share * (to[axis] - from[axis]);
                    (CUBE[axis][0]..=CUBE[axis][1]).contains(&at)
                })
            });
            let grown = CUBE.map(|[low, high]| [low - 1e-3, high + 1e-3]);
            assert!(!looked || crosses(from, to, &CUBE));
            assert!(looked || !crosses(from, to, &CUBE) || crosses(from, to, &grown));
            crossed += usize::from(looked);
        }
        assert!((20..300).contains(&crossed), "{crossed} of 500 cross");
    }
}
