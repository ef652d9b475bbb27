//! Labels in a column, each near the place it names and none above another.

/// Places for labels that want to stand at `wanted`, at least `gap` apart and within `room`, moved
/// as little as can be. Where there is no room for that, they stand as far apart as there is.
///
/// Less its rank times the gap, each place may not be above the one before: this is isotonic
/// regression, solved by pooling neighbours that are in each other's way.
pub(super) fn spread(wanted: &[f64], gap: f64, room: [f64; 2]) -> Vec<f64> {
    let [low, high] = room;
    let count = wanted.len();
    let gap = gap.min((high - low).max(0.0) / count.saturating_sub(1).max(1) as f64);
    let mut order: Vec<usize> = (0..count).collect();
    order.sort_by(|&a, &b| wanted[a].total_cmp(&wanted[b]));

    // Each pool is the sum and the number of the places in it.
    let mut pools: Vec<(f64, usize)> = Vec::new();
    for (rank, &label) in order.iter().enumerate() {
        pools.push((wanted[label] - rank as f64 * gap, 1));
        while let [.., (before, n), (last, m)] = pools[..]
            && before / n as f64 > last / m as f64
        {
            pools.truncate(pools.len() - 2);
            pools.push((before + last, n + m));
        }
    }
    let last_start = (high - count.saturating_sub(1) as f64 * gap).max(low);
    let starts = pools.iter().flat_map(|&(sum, n)| {
        let mean = (sum / n as f64).clamp(low, last_start);
        std::iter::repeat_n(mean, n)
    });
    let mut places = vec![0.0; count];
    for (rank, (&label, start)) in order.iter().zip(starts).enumerate() {
        places[label] = start + rank as f64 * gap;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(wanted: &[f64], gap: f64, room: [f64; 2]) -> Vec<f64> {
        let places = spread(wanted, gap, room);
        let mut sorted = places.clone();
        sorted.sort_by(f64::total_cmp);
        for pair in sorted.windows(2) {
            assert!(pair[1] - pair[0] >= gap - 1e-9, "{places:?}");
        }
        let inside = |p: &f64| (room[0] - 1e-9..=room[1] + 1e-9).contains(p);
        assert!(places.iter().all(inside), "{places:?}");
        places
    }

    #[test]
    fn labels_with_room_stay_where_they_are() {
        assert_eq!(check(&[50.0, 10.0], 15.0, [0.0, 100.0]), [50.0, 10.0]);
        assert!(spread(&[], 15.0, [0.0, 100.0]).is_empty());
    }

    #[test]
    fn crowded_labels_stand_around_their_middle_in_order() {
        assert_eq!(
            check(&[50.0, 52.0, 48.0], 10.0, [0.0, 100.0]),
            [50.0, 60.0, 40.0]
        );
    }

    #[test]
    fn labels_stay_in_the_room() {
        let places = check(&[98.0, 99.0, 100.0, 20.0], 12.0, [0.0, 100.0]);
        assert_eq!(places, [76.0, 88.0, 100.0, 20.0]);
        let same = check(&[0.0; 5], 10.0, [0.0, 100.0]);
        assert_eq!(same, [0.0, 10.0, 20.0, 30.0, 40.0]);
    }

    #[test]
    fn too_many_labels_share_the_room_evenly() {
        let places = spread(&[1.0; 11], 15.0, [0.0, 100.0]);
        assert_eq!(places[10], 100.0);
        assert!((places[1] - 10.0).abs() < 1e-9);
    }
}
