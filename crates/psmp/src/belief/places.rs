//! Places, many at once: how near they are to another one.
//!
//! A place is where a configuration lies for beliefs that [measure](super::measure) what is near. Places stand axis by
//! axis and so many side by side that one instruction compares several, in single precision: that tells a
//! ten-millionth of the longest side apart, which is far less than the distance between two checks.

/// How many places stand side by side.
pub(super) const ABREAST: usize = 16;

/// Room for rounding, so that nothing nearer is ever passed over.
pub(super) const ROOM: f32 = 1.0 + 1e-5;

/// The square of how far each of some places, axis by axis, is from another. Periods are those of the axes, or none if no
/// axis comes round again.
#[inline(always)]
pub(super) fn squared_distances<const N: usize>(
    places: &[[f32; N]],
    q: &[f32],
    periods: &[f32],
) -> [f32; N] {
    if !periods.is_empty() {
        return squared_distances_round(places, q, periods);
    }
    let mut squared = [0.0; N];
    // What there is most of is kept in registers from one axis to the next.
    if let ([xs, ys], &[x, y]) = (places, q) {
        for ((squared, at_x), at_y) in squared.iter_mut().zip(xs).zip(ys) {
            let (x, y) = (x - at_x, y - at_y);
            *squared = x * x + y * y;
        }
        return squared;
    }
    for (places, &q) in places.iter().zip(q) {
        for (squared, x) in squared.iter_mut().zip(places) {
            let part = q - x;
            *squared += part * part;
        }
    }
    squared
}

/// The same, or nothing if none of them is less than these. Of many axes the first mostly tell that: along them places
/// differ most.
#[inline(always)]
pub(super) fn squared_distances_below<const N: usize>(
    places: &[[f32; N]],
    q: &[f32],
    periods: &[f32],
    most: &[f32; N],
) -> Option<[f32; N]> {
    let is_any_less =
        |squared: &[f32; N]| (squared.iter().zip(most)).fold(false, |any, (a, b)| any | (a < b));
    if q.len() <= AT_ONCE || !periods.is_empty() {
        let squared = squared_distances(places, q, periods);
        return is_any_less(&squared).then_some(squared);
    }
    let mut squared = [0.0; N];
    let (places, last_places) = places.as_chunks::<AT_ONCE>();
    let (q, last_of_q) = q.as_chunks::<AT_ONCE>();
    for (places, q) in places.iter().zip(q) {
        add_squares(&mut squared, places, q);
        if !is_any_less(&squared) {
            return None;
        }
    }
    for (places, q) in last_places.iter().zip(last_of_q) {
        add_squares(&mut squared, &[*places], &[*q]);
    }
    is_any_less(&squared).then_some(squared)
}

/// Adds the squares of how far each of some places is from another along some axes, whose number is known beforehand.
#[inline(always)]
fn add_squares<const N: usize, const AXES: usize>(
    squared: &mut [f32; N],
    places: &[[f32; N]; AXES],
    q: &[f32; AXES],
) {
    for (place, squared) in squared.iter_mut().enumerate() {
        for (places, q) in places.iter().zip(q) {
            let part = q - places[place];
            *squared += part * part;
        }
    }
}

/// So many axes are summed before it is asked whether more are needed.
pub(super) const AT_ONCE: usize = 4;

/// The same where axes come round again.
#[inline(never)]
fn squared_distances_round<const N: usize>(
    places: &[[f32; N]],
    q: &[f32],
    periods: &[f32],
) -> [f32; N] {
    let mut squared = [0.0; N];
    for ((places, &q), &period) in places.iter().zip(q).zip(periods) {
        for (squared, x) in squared.iter_mut().zip(places) {
            let part = the_short_way(q - x, period);
            *squared += part * part;
        }
    }
    squared
}

/// A way along an axis that comes round again after `period`, or does not where that is 0, the shorter way round.
#[inline(always)]
pub(super) fn the_short_way(straight: f32, period: f32) -> f32 {
    match period > 0.0 {
        true => straight - period * (straight / period).round(),
        false => straight,
    }
}

/// The square of the distance of two places.
pub(super) fn squared_distance(a: &[f32], b: &[f32], periods: &[f32]) -> f32 {
    let [squared] = squared_distances(a.as_chunks().0, b, periods);
    squared
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

/// The square of the distance of each place from a straight way, given by its middle and what leads from there to one of
/// its ends.
#[inline]
pub(super) fn squared_distances_from_way<const N: usize>(
    places: &[[f32; N]],
    middle: &[f32],
    half: &[f32],
    periods: &[f32],
) -> [f32; N] {
    // What there is most of is kept in registers from one axis to the next.
    if let ([xs, ys], &[at_x, at_y], &[on_x, on_y], []) = (places, middle, half, periods) {
        let whole = f32::MIN_POSITIVE + on_x * on_x + on_y * on_y;
        let mut squared = [0.0; N];
        for ((squared, x), y) in squared.iter_mut().zip(xs).zip(ys) {
            let (x, y) = (x - at_x, y - at_y);
            let t = no_farther_than_ends((x * on_x + y * on_y) / whole);
            let (x, y) = (x - t * on_x, y - t * on_y);
            *squared = x * x + y * y;
        }
        return squared;
    }
    match periods {
        [] => squared_distances_from_long_way(places, middle, half, |straight, _| straight),
        _ => squared_distances_from_long_way(places, middle, half, |straight, axis| {
            the_short_way(straight, periods[axis])
        }),
    }
}

/// The same for any number of axes, by what is the short way along each.
#[inline(never)]
fn squared_distances_from_long_way<const N: usize>(
    places: &[[f32; N]],
    middle: &[f32],
    half: &[f32],
    short: impl Fn(f32, usize) -> f32,
) -> [f32; N] {
    let mut whole = f32::MIN_POSITIVE;
    let mut along = [0.0; N];
    let each = || places.iter().zip(middle.iter().zip(half)).enumerate();
    for (axis, (places, (&m, &half))) in each() {
        whole += half * half;
        for (along, &x) in along.iter_mut().zip(places) {
            *along += short(x - m, axis) * half;
        }
    }
    let along = along.map(|along| no_farther_than_ends(along / whole));
    let mut squared = [0.0; N];
    for (axis, (places, (&m, &half))) in each() {
        for ((squared, &x), t) in squared.iter_mut().zip(places).zip(&along) {
            let part = short(x - m, axis) - t * half;
            *squared += part * part;
        }
    }
    squared
}

/// How far along a way the foot of a perpendicular is, in halves of the way, or the end beyond which that would be.
#[inline(always)]
fn no_farther_than_ends(along: f32) -> f32 {
    let along = if along > -1.0 { along } else { -1.0 };
    if along < 1.0 { along } else { 1.0 }
}

/// Which of these squares are less than those of other distances together with one, a bit for each.
#[inline(always)]
fn within(squared: &[f32; ABREAST], distances: &[f32; ABREAST], one: f32) -> u16 {
    let is_within = |(squared, distance): (&f32, &f32)| {
        let within = distance + one;
        *squared < within * within
    };
    // Most are not, and that shows for all at once.
    let each = || squared.iter().zip(distances);
    if !each().fold(false, |any, pair| any | is_within(pair)) {
        return 0;
    }
    each().enumerate().fold(0, |whom, (place, pair)| {
        whom | u16::from(is_within(pair)) << place
    })
}

/// Places one after the other, so many abreast in a row.
#[derive(Debug, Clone)]
pub(super) struct Places {
    dimension: usize,
    coordinates: Vec<[f32; ABREAST]>,
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

    pub(super) fn push(&mut self, q: &[f32]) {
        let (row, place) = (self.count / ABREAST, self.count % ABREAST);
        if place == 0 {
            let more = (row + 1) * self.dimension;
            // Nothing is near what is nowhere.
            self.coordinates.resize(more, [f32::NAN; ABREAST]);
        }
        for (axis, x) in self.coordinates[row * self.dimension..].iter_mut().zip(q) {
            axis[place] = *x;
        }
        self.count += 1;
    }

    /// Those of a row, axis by axis.
    #[inline(always)]
    fn row(&self, row: usize) -> &[[f32; ABREAST]] {
        &self.coordinates[row * self.dimension..][..self.dimension]
    }

    /// Which balls of a row, with these radii around its places, meet a ball, a bit for each.
    #[inline]
    pub(super) fn meet(
        &self,
        row: usize,
        radii: &[f32; ABREAST],
        q: &[f32],
        radius: f32,
        periods: &[f32],
    ) -> u16 {
        within(&squared_distances(self.row(row), q, periods), radii, radius)
    }

    /// Which balls of a row, with these radii around its places, are nearer to a straight way than this, a bit for each,
    /// where no axis comes round again.
    pub(super) fn meet_way(
        &self,
        row: usize,
        radii: &[f32; ABREAST],
        way: [&[f32]; 2],
        than: f32,
    ) -> u16 {
        let squared = squared_distances_from_way(self.row(row), way[0], way[1], &[]);
        within(&squared, radii, than)
    }
}
