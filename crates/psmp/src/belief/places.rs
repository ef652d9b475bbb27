//! Places, many at once: how near they are to another one.
//!
//! A place is where a configuration lies for beliefs that [measure](super::measure) what is near. Places stand axis by
//! axis and so many side by side that one instruction compares several, in single precision: that tells a
//! ten-millionth of the longest side apart, which is far less than the distance between two checks.

use wide::f32x16;

/// How many places stand side by side.
pub(super) const ABREAST: usize = 16;

/// Room for rounding, so that nothing nearer is ever passed over.
pub(super) const ROOM: f32 = 1.0 + 1e-5;

/// The greatest of numbers, of which none is negative.
#[inline(always)]
pub(super) fn greatest(numbers: f32x16) -> f32 {
    one_of(numbers.as_array(), |a, b| if a > b { a } else { b })
}

/// The least of numbers.
#[inline(always)]
pub(super) fn least(numbers: f32x16) -> f32 {
    one_of(numbers.as_array(), |a, b| if a < b { a } else { b })
}

/// The one that is left when of any two one is chosen.
#[inline(always)]
fn one_of(numbers: &[f32; ABREAST], choose: impl Fn(f32, f32) -> f32) -> f32 {
    let [a, b, c, d] = *numbers.as_chunks::<4>().0 else {
        unreachable!()
    };
    let of = |i: usize| choose(choose(a[i], b[i]), choose(c[i], d[i]));
    choose(choose(of(0), of(1)), choose(of(2), of(3)))
}

/// The square of how far each of the places of a row, axis by axis, is from another. Periods are those of the axes, or none
/// if no axis comes round again.
#[inline(always)]
fn squared_distances(row: &[f32x16], q: &[f32], periods: &[f32]) -> f32x16 {
    match (row, q, periods) {
        // What there is most of needs no loop.
        (&[xs, ys], &[x, y], []) => {
            let (x, y) = (xs - x, ys - y);
            x * x + y * y
        }
        (_, _, []) => {
            let mut squared = f32x16::ZERO;
            add_squares(&mut squared, row, q);
            squared
        }
        _ => squared_distances_round(row, q, periods),
    }
}

/// Adds the squares of how far places are from another one along some axes.
#[inline(always)]
fn add_squares(squared: &mut f32x16, row: &[f32x16], q: &[f32]) {
    for (&places, &q) in row.iter().zip(q) {
        let part = places - q;
        *squared += part * part;
    }
}

/// The same where axes come round again.
#[inline(never)]
fn squared_distances_round(row: &[f32x16], q: &[f32], periods: &[f32]) -> f32x16 {
    let mut squared = f32x16::ZERO;
    for (&places, (&q, &period)) in row.iter().zip(q.iter().zip(periods)) {
        let part = the_short_ways(places - q, period);
        squared += part * part;
    }
    squared
}

/// The same, or nothing where the first of many axes tell that none of them is less than these, as they mostly do: along
/// them places differ most.
#[inline(always)]
pub(super) fn squared_distances_below(
    row: &[f32x16],
    q: &[f32],
    periods: &[f32],
    most: f32x16,
) -> Option<f32x16> {
    if q.len() <= AT_ONCE || !periods.is_empty() {
        return Some(squared_distances(row, q, periods));
    }
    let mut squared = f32x16::ZERO;
    let (rows, last_rows) = row.as_chunks::<AT_ONCE>();
    let (q, last_of_q) = q.as_chunks::<AT_ONCE>();
    for (row, q) in rows.iter().zip(q) {
        add_squares(&mut squared, row, q);
        if !squared.simd_lt(most).any() {
            return None;
        }
    }
    add_squares(&mut squared, last_rows, last_of_q);
    Some(squared)
}

/// So many axes are summed before it is asked whether more are needed.
pub(super) const AT_ONCE: usize = 4;

/// A way along an axis that comes round again after `period`, or does not where that is 0, the shorter way round.
#[inline(always)]
pub(super) fn the_short_way(straight: f32, period: f32) -> f32 {
    match period > 0.0 {
        true => straight - period * (straight / period).round(),
        false => straight,
    }
}

/// The same for several, of which each has its own shorter way round.
#[inline(always)]
fn the_short_ways(straight: f32x16, period: f32) -> f32x16 {
    (straight.to_array())
        .map(|straight| the_short_way(straight, period))
        .into()
}

/// The square of the distance of two places.
pub(super) fn squared_distance(a: &[f32], b: &[f32], periods: &[f32]) -> f32 {
    if periods.is_empty() {
        return squared_distance_straight(a, b);
    }
    let each = a.iter().zip(b).zip(periods);
    let parts = each.map(|((a, b), &period)| the_short_way(b - a, period));
    parts.map(|part| part * part).sum()
}

/// The same where no axis comes round again, several axes at once.
#[inline]
pub(super) fn squared_distance_straight(a: &[f32], b: &[f32]) -> f32 {
    if let (&[a_x, a_y], &[b_x, b_y]) = (a, b) {
        let (x, y) = (a_x - b_x, a_y - b_y);
        return x * x + y * y;
    }
    let (a, last_of_a) = a.as_chunks::<4>();
    let (b, last_of_b) = b.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += (a - b) * (a - b);
        }
    }
    let last = last_of_a.iter().zip(last_of_b);
    last.fold((sums[0] + sums[1]) + (sums[2] + sums[3]), |sum, (a, b)| {
        sum + (a - b) * (a - b)
    })
}

/// The square of the distance of each place of a row from a straight way, given by its middle and what leads from there to
/// one of its ends.
#[inline]
pub(super) fn squared_distances_from_way(
    row: &[f32x16],
    middle: &[f32],
    half: &[f32],
    periods: &[f32],
) -> f32x16 {
    // What there is most of is kept in registers from one axis to the next.
    if let (&[xs, ys], &[at_x, at_y], &[on_x, on_y], []) = (row, middle, half, periods) {
        let whole = f32::MIN_POSITIVE + on_x * on_x + on_y * on_y;
        let (x, y) = (xs - at_x, ys - at_y);
        let t = no_farther_than_ends((x * on_x + y * on_y) / whole);
        let (x, y) = (x - t * on_x, y - t * on_y);
        return x * x + y * y;
    }
    match periods {
        [] => squared_distances_from_long_way(row, middle, half, |straight, _| straight),
        _ => squared_distances_from_long_way(row, middle, half, |straight, axis| {
            the_short_ways(straight, periods[axis])
        }),
    }
}

/// The same for any number of axes, by what is the short way along each.
#[inline(never)]
fn squared_distances_from_long_way(
    row: &[f32x16],
    middle: &[f32],
    half: &[f32],
    short: impl Fn(f32x16, usize) -> f32x16,
) -> f32x16 {
    let (mut along, mut whole) = (f32x16::ZERO, f32::MIN_POSITIVE);
    let each = || row.iter().zip(middle.iter().zip(half)).enumerate();
    for (axis, (&places, (&m, &half))) in each() {
        along += short(places - m, axis) * half;
        whole += half * half;
    }
    let t = no_farther_than_ends(along / whole);
    let mut squared = f32x16::ZERO;
    for (axis, (&places, (&m, &half))) in each() {
        let part = short(places - m, axis) - t * half;
        squared += part * part;
    }
    squared
}

/// How far along a way the feet of perpendiculars are, in halves of the way, or the ends beyond which they would be.
#[inline(always)]
fn no_farther_than_ends(along: f32x16) -> f32x16 {
    let end = f32x16::splat(1.0);
    along.fast_max(-end).fast_min(end)
}

/// The square of the distance of one place from a straight way, where no axis comes round again.
#[inline]
pub(super) fn squared_distance_from_way(place: &[f32], middle: &[f32], half: &[f32]) -> f32 {
    // What there is most of needs no loop.
    if let (&[x, y], &[at_x, at_y], &[on_x, on_y]) = (place, middle, half) {
        let whole = f32::MIN_POSITIVE + on_x * on_x + on_y * on_y;
        let (x, y) = (x - at_x, y - at_y);
        let t = ((x * on_x + y * on_y) / whole).clamp(-1.0, 1.0);
        let (x, y) = (x - t * on_x, y - t * on_y);
        return x * x + y * y;
    }
    let each = || place.iter().zip(middle.iter().zip(half));
    let (mut along, mut whole) = (0.0, f32::MIN_POSITIVE);
    for (x, (m, half)) in each() {
        along += (x - m) * half;
        whole += half * half;
    }
    let t = (along / whole).clamp(-1.0, 1.0);
    let parts = each().map(|(x, (m, half))| x - m - t * half);
    parts.map(|part| part * part).sum()
}

/// Places one after the other, so many abreast in a row.
#[derive(Debug, Clone)]
pub(super) struct Places {
    dimension: usize,
    coordinates: Vec<f32x16>,
    count: usize,
}

impl Places {
    pub(super) fn with_room_for(count: usize, dimension: usize) -> Self {
        Self {
            dimension,
            coordinates: Vec::with_capacity(count.div_ceil(ABREAST) * dimension),
            count: 0,
        }
    }

    /// Adds a place, of which no more numbers are taken than there are axes.
    pub(super) fn push(&mut self, q: &[f32]) {
        let (row, place) = (self.count / ABREAST, self.count % ABREAST);
        if place == 0 {
            let more = (row + 1) * self.dimension;
            // Nothing is near what is nowhere.
            self.coordinates.resize(more, f32x16::splat(f32::NAN));
        }
        for (axis, x) in self.coordinates[row * self.dimension..].iter_mut().zip(q) {
            axis.as_mut_array()[place] = *x;
        }
        self.count += 1;
    }

    /// Those of a row, axis by axis.
    #[inline(always)]
    fn row(&self, row: usize) -> &[f32x16] {
        &self.coordinates[row * self.dimension..][..self.dimension]
    }

    /// Which balls of a row, with these radii around its places, meet a ball, a bit for each.
    #[inline(always)]
    pub(super) fn meet(
        &self,
        row: usize,
        radii: f32x16,
        q: &[f32],
        radius: f32,
        periods: &[f32],
    ) -> u16 {
        let squared = squared_distances(self.row(row), q, periods);
        within(squared, radii, radius)
    }

    /// Which balls of a row, with these radii around its places, are nearer to a straight way than this, a bit for each,
    /// where no axis comes round again.
    pub(super) fn meet_way(
        &self,
        row: usize,
        radii: f32x16,
        [middle, half]: [&[f32]; 2],
        than: f32,
    ) -> u16 {
        let squared = squared_distances_from_way(self.row(row), middle, half, &[]);
        within(squared, radii, than)
    }
}

/// Which of these squares are less than those of other distances together with one, a bit for each.
#[inline(always)]
fn within(squared: f32x16, distances: f32x16, one: f32) -> u16 {
    let within = distances + one;
    squared.simd_lt(within * within).to_bitmask() as u16
}
