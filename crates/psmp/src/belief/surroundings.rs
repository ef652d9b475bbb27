//! The surroundings of edges: for points along an edge, the nearest checked configuration.
//!
//! Edges that somebody asks about are *met*: from then on each has a slot, in which its points remember their nearest
//! checked configuration. All the others cost nothing. What a check has shown is a *batch* of configurations within a
//! ball, or a *stretch* that is free from end to end. A new batch is compared with all edges that have been met, many at
//! once, and is news for those that it may be nearer to than what they know already. They hear of their news when they
//! are asked about; most have none. Edges that hear of nothing for long are left out of that, until they are asked about
//! and look for themselves: on a large roadmap most edges are met once and never again. An edge does not hear of what is
//! out of earshot: beyond a distance that a belief can name what was checked tells it nothing. What is near is said by
//! the [measure](super::measure), in longest sides of the space: where that is embedded in another, distances are those
//! there.

use super::Evidence;
use super::measure::{Measure, share};
use super::places::{
    ABREAST, AT_ONCE, Places, ROOM, greatest, squared_distance, squared_distance_from_way,
    squared_distance_straight, squared_distances_below, squared_distances_from_way, the_short_way,
};
use crate::checker::Sightings;
use crate::roadmap::{EdgeId, Roadmap};
use crate::space::Space;
use wide::{f32x16, u32x16};

/// The space of a roadmap and the configurations at the ends of an edge.
pub(super) fn ends(roadmap: &Roadmap, edge: EdgeId) -> (&Space, &[f64], &[f64]) {
    let ends = roadmap.edge(edge);
    let (Some(space), Some(from), Some(to)) = (
        roadmap.space(),
        roadmap.configuration(ends.from),
        roadmap.configuration(ends.to),
    ) else {
        unreachable!("beliefs that look around refuse roadmaps without configurations");
    };
    (space, from, to)
}

/// What one check has shown.
#[derive(Debug, Clone, Copy)]
struct Batch {
    /// Where its configurations are.
    begin: usize,
    end: usize,
    /// Of the ball that they are in.
    radius: f32,
    /// How far from the straight way between two of them its configurations are at most; infinite if that is not known.
    aside: f32,
    /// Whether it is free from end to end: then it has no configurations, but the straight way.
    is_stretch: bool,
}

/// What is remembered of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Remembered {
    /// Every configuration.
    All,
    /// A motion that is free from end to end as a whole. Else what is in collision, and about so many of the
    /// free configurations, evenly: more say nothing more to who looks from afar.
    Stretches(usize),
}

/// What rounding makes of a place, at most.
const ROUNDING: f32 = 1e-6;

/// A row none of whose edges has heard of anything while so many batches came is asleep.
const DROWSY: u32 = 32;
const ASLEEP: u32 = u32::MAX;

/// A batch of as many configurations is first compared as a whole.
const MANY: usize = 6;

/// How an edge lies, and how far away what it knows of is.
#[derive(Debug, Clone, Copy)]
struct Met {
    /// Half its length, and how far aside of the straight way between its ends its points are at most.
    half: f32,
    aside: f32,
    /// How far the farthest of its points is from what was checked.
    farthest: f32,
    /// Whether what is nearest to each of its points is free, a bit for each.
    free: u16,
}

/// Batches that an edge may have to hear of.
#[derive(Debug, Clone, Copy)]
struct News {
    /// The first of them.
    first: u32,
    /// A bit for that and for each of those after it; the last one stands for all that come later.
    those: u32,
}

impl News {
    const NONE: Self = Self { first: 0, those: 0 };
    const LAST: u32 = u32::BITS - 1;
    const LATER: u32 = 1 << Self::LAST;
    /// For an edge that has heard of nothing yet, or is to hear of everything again.
    const EVERYTHING: Self = Self {
        first: 0u32.wrapping_sub(Self::LAST),
        those: Self::LATER,
    };

    #[inline]
    fn add(&mut self, batch: usize) {
        let batch = batch as u32;
        if self.those == 0 {
            self.first = batch;
        }
        self.those |= 1 << batch.wrapping_sub(self.first).min(Self::LAST);
    }

    /// All from this batch on, and what was news before.
    fn add_all_from(&mut self, batch: usize) {
        if self.those & Self::LATER == 0 {
            let from = if self.those == 0 {
                batch as u32
            } else {
                self.first
            };
            self.first = from.wrapping_sub(Self::LAST);
            self.those = Self::LATER;
        }
    }
}

/// What the points of an edge that has been met know.
#[derive(Debug, Clone, Copy)]
pub(super) struct Around {
    /// The square of how far each is from the nearest checked configuration; infinite where nothing was heard of.
    pub(super) squared: f32x16,
    /// Whether that is free, a bit for each.
    free: u16,
}

impl Around {
    /// Whether what is nearest to a point is free.
    #[inline]
    pub(super) fn is_free(&self, point: usize) -> bool {
        self.free & (1 << point) != 0
    }

    /// A lane for each point, all of whose bits are set where what is nearest to it is free.
    #[inline(always)]
    pub(super) fn free_points(&self) -> f32x16 {
        let own = u32x16::new(std::array::from_fn(|point| 1 << point));
        let free = u32x16::splat(u32::from(self.free)) & own;
        f32x16::from_bits(free.simd_eq(own))
    }

    /// Takes in how far its points are from something, where that is nearer. Whether it is anywhere.
    #[inline(always)]
    fn take(&mut self, squared: f32x16, is_free: bool) -> bool {
        let nearer = squared.simd_lt(self.squared).to_bitmask() as u16;
        // Most of what is told is not nearer, and that shows for all points at once.
        if nearer == 0 {
            return false;
        }
        self.squared = squared.fast_min(self.squared);
        self.free = self.free & !nearer | if is_free { nearer } else { 0 };
        true
    }
}

/// The nearest checked configuration of evenly spaced points on edges, ends included.
#[derive(Debug, Clone)]
pub(super) struct Surroundings<const POINTS: usize> {
    roadmap: Roadmap,
    measure: Measure,
    remembered: Remembered,
    /// One more than the slot of each edge, 0 for those that nobody has asked about.
    slots: Vec<u32>,
    /// The square of how far their points are from the nearest checked configuration.
    squared: Vec<f32x16>,
    met: Vec<Met>,
    news: Vec<News>,
    /// Their middles, row by row, along the first axes; and how far from there something is at most that they
    /// have to hear of.
    middles: Places,
    reaches: Vec<f32x16>,
    /// Rows whose edges are told of news, and for each row how many batches there were when one of its edges heard of any,
    /// or that it is asleep.
    awake: Vec<u32>,
    heard: Vec<u32>,
    /// Their points, axis by axis; behind the last of them it stands again as often as there is room.
    points: Vec<f32x16>,
    /// Their middles, each with what leads from there to one end.
    edges: Vec<f32>,
    batches: Vec<Batch>,
    /// The balls that batches are in, row by row.
    centres: Places,
    radii: Vec<f32x16>,
    /// Their centres one after the other, each with what leads from there to one end of the straight way that the batch
    /// lies along.
    ways: Vec<f32>,
    coordinates: Vec<f32>,
    free: Vec<bool>,
    earshot: f32,
    /// Room for a place, and for what leads to another.
    point: Vec<f32>,
    half: Vec<f32>,
    /// Room for a configuration.
    configuration: Vec<f64>,
}

impl<const POINTS: usize> Surroundings<POINTS> {
    /// Nothing checked yet. `roadmap` must have configurations. What is farther away than `earshot` need not be
    /// heard of.
    pub(super) fn new(roadmap: &Roadmap, remembered: Remembered, earshot: f64) -> Self {
        const { assert!(POINTS <= ABREAST, "there is room for each point") }
        let measure = Measure::of(roadmap);
        let dimension = measure.dimension();
        let edges = roadmap.edge_count();
        // Room that nobody uses is never touched, and so costs nothing.
        Self {
            roadmap: roadmap.clone(),
            measure,
            remembered,
            slots: vec![0; edges],
            squared: Vec::with_capacity(edges),
            met: Vec::with_capacity(edges),
            news: Vec::with_capacity(edges),
            middles: Places::with_room_for(edges, dimension.min(AT_ONCE)),
            reaches: Vec::with_capacity(edges.div_ceil(ABREAST)),
            awake: Vec::with_capacity(edges.div_ceil(ABREAST)),
            heard: Vec::with_capacity(edges.div_ceil(ABREAST)),
            points: Vec::with_capacity(edges * dimension),
            edges: Vec::with_capacity(edges * 2 * dimension),
            batches: Vec::with_capacity(edges),
            centres: Places::with_room_for(edges, dimension),
            radii: Vec::with_capacity(edges.div_ceil(ABREAST)),
            ways: Vec::with_capacity(edges * 2 * dimension),
            coordinates: Vec::new(),
            free: Vec::new(),
            earshot: earshot as f32,
            point: vec![0.0; dimension],
            half: vec![0.0; dimension],
            configuration: vec![0.0; roadmap.space().map_or(0, Space::dimension)],
        }
    }

    /// How many numbers a place has.
    pub(super) fn dimension(&self) -> usize {
        self.measure.dimension()
    }

    /// Writes where the middle of an edge is.
    pub(super) fn middle(&self, slot: usize, middle: &mut [f32]) {
        let [of_edge, _] = self.way_of(slot);
        middle.copy_from_slice(of_edge);
    }

    /// The middle of an edge and what leads from there to one end.
    #[inline]
    fn way_of(&self, slot: usize) -> [&[f32]; 2] {
        let dimension = self.dimension();
        let way = &self.edges[2 * slot * dimension..][..2 * dimension];
        way.split_at(dimension).into()
    }

    /// The slot of an edge. Slots are numbered as edges are met.
    #[inline]
    pub(super) fn slot(&mut self, edge: EdgeId) -> usize {
        match self.slots[edge.index()] {
            0 => self.meet(edge),
            slot => slot as usize - 1,
        }
    }

    fn meet(&mut self, edge: EdgeId) -> usize {
        let slot = self.squared.len();
        self.slots[edge.index()] = slot as u32 + 1;
        let first = self.points.len();
        (self.points).resize(first + self.dimension(), f32x16::ZERO);
        let points = &mut self.points[first..];
        let half = (self.measure).along::<POINTS>(&self.roadmap, edge, points, &mut self.point);
        let aside = self.find_half(first);
        self.edges.extend_from_slice(&self.point);
        self.edges.extend_from_slice(&self.half);
        self.squared.push(f32x16::splat(f32::INFINITY));
        self.met.push(Met {
            half,
            aside,
            farthest: f32::INFINITY,
            free: u16::MAX,
        });
        self.news.push(News::EVERYTHING);
        self.middles.push(&self.point);
        if slot / ABREAST == self.reaches.len() {
            self.reaches.push(f32x16::ZERO);
            self.awake.push((slot / ABREAST) as u32);
            self.heard.push(self.batches.len() as u32);
        }
        slot
    }

    /// Finds what leads from the middle of an edge to its end, whose points are kept from `first` on. How far from the
    /// straight way through the middle the points are at most.
    fn find_half(&mut self, first: usize) -> f32 {
        let mut aside = 0.0;
        let periods = self.measure.periods();
        let each = self.half.iter_mut().zip(&self.point).enumerate();
        for ((axis, (half, middle)), points) in each.zip(&self.points[first..]) {
            let period = periods.get(axis).copied().unwrap_or(0.0);
            let ends = [0, POINTS - 1].map(|end| points.as_array()[end]);
            let [back, on] = ends.map(|end| the_short_way(end - middle, period));
            *half = 0.5 * (on - back);
            // They are on a parabola, whose ends are farthest from its tangent in the middle.
            aside += 0.25 * (on + back) * (on + back);
        }
        aside.sqrt() + ROUNDING
    }

    /// How far from a point what was checked is still worth hearing of, in longest sides. Where that is farther than
    /// before, all edges hear of everything again.
    pub(super) fn set_earshot(&mut self, earshot: f64) {
        let earshot = earshot as f32;
        if earshot > self.earshot {
            self.news.fill(News::EVERYTHING);
        }
        self.earshot = earshot;
    }

    /// What the points of an edge know, from its beginning to its end.
    #[inline]
    pub(super) fn around(&self, slot: usize) -> Around {
        Around {
            squared: self.squared[slot],
            free: self.met[slot].free,
        }
    }

    /// Follows the roadmap where it has grown.
    pub(super) fn grow(&mut self) {
        self.slots.resize(self.roadmap.edge_count(), 0);
        self.measure.grow(&self.roadmap);
    }

    /// Brings the points of an edge up to date. Whether any of them has something nearer than when this was last
    /// asked, or it never was.
    #[inline]
    pub(super) fn look_along(&mut self, slot: usize) -> bool {
        self.news[slot].those != 0 && self.hear_news(slot)
    }

    /// Tells an edge of its news. Whether any of its points has something nearer now, or nothing was ever known of it.
    fn hear_news(&mut self, slot: usize) -> bool {
        let heard = &mut self.heard[slot / ABREAST];
        if *heard == ASLEEP {
            self.awake.push((slot / ABREAST) as u32);
        }
        *heard = self.batches.len() as u32;
        let News { first, mut those } = std::mem::replace(&mut self.news[slot], News::NONE);
        let mut is_nearer = first == News::EVERYTHING.first;
        let is_more = those & News::LATER != 0;
        those &= !News::LATER;
        while those != 0 {
            let batch = (first + those.trailing_zeros()) as usize;
            those &= those - 1;
            if self.is_near(slot, batch) {
                is_nearer |= self.hear(slot, batch);
            }
        }
        if is_more {
            is_nearer |= self.hear_from(slot, first.wrapping_add(News::LAST) as usize);
        }
        if is_nearer {
            let met = &self.met[slot];
            let reach = (met.half + met.farthest.min(self.earshot)) * ROOM;
            self.reaches[slot / ABREAST].as_mut_array()[slot % ABREAST] = reach;
        }
        is_nearer
    }

    /// Tells an edge of all batches from `first` on that are near.
    fn hear_from(&mut self, slot: usize, first: usize) -> bool {
        let mut is_nearer = false;
        for row in first / ABREAST..self.batches.len().div_ceil(ABREAST) {
            let mut whom = self.near(slot, row);
            if row == first / ABREAST {
                whom &= u16::MAX << (first % ABREAST);
            }
            while whom != 0 {
                let batch = row * ABREAST + whom.trailing_zeros() as usize;
                whom &= whom - 1;
                is_nearer |= self.hear(slot, batch);
            }
        }
        is_nearer
    }

    /// Whether an edge may have to hear of a batch.
    #[inline]
    fn is_near(&self, slot: usize, batch: usize) -> bool {
        if !self.measure.periods().is_empty() {
            return true;
        }
        let [middle, half] = self.way_of(slot);
        let dimension = self.dimension();
        let centre = &self.ways[2 * batch * dimension..][..dimension];
        let (met, radius) = (&self.met[slot], self.batches[batch].radius);
        let farthest = met.farthest.min(self.earshot);
        let reach = (met.half + farthest) * ROOM + radius;
        if squared_distance_straight(middle, centre) >= reach * reach {
            return false;
        }
        let nearness = (met.aside + farthest) * ROOM + radius;
        squared_distance_from_way(centre, middle, half) < nearness * nearness
    }

    /// Which batches of a row an edge may have to hear of, a bit for each.
    #[inline]
    fn near(&self, slot: usize, row: usize) -> u16 {
        let [middle, half] = self.way_of(slot);
        let (met, radii) = (&self.met[slot], self.radii[row]);
        let periods = self.measure.periods();
        let farthest = met.farthest.min(self.earshot);
        let reach = (met.half + farthest) * ROOM;
        match (self.centres).meet(row, radii, middle, reach, periods) {
            whom if whom == 0 || !periods.is_empty() => whom,
            whom => {
                let nearness = (met.aside + farthest) * ROOM;
                whom & (self.centres).meet_way(row, radii, [middle, half], nearness)
            }
        }
    }

    /// Tells an edge of a batch. Whether any of its points has something nearer now.
    fn hear(&mut self, slot: usize, batch: usize) -> bool {
        let dimension = self.dimension();
        let periods = self.measure.periods();
        let points = &self.points[slot * dimension..][..dimension];
        let mut around = self.around(slot);
        let Batch {
            begin,
            end,
            aside,
            is_stretch,
            ..
        } = self.batches[batch];
        let way = || {
            let way = &self.ways[2 * batch * dimension..][..2 * dimension];
            way.split_at(dimension)
        };
        let mut is_nearer = false;
        if is_stretch {
            let (middle, half) = way();
            let squared = squared_distances_from_way(points, middle, half, periods);
            is_nearer = around.take(squared, true);
        } else {
            // That many are not nearer shows at once for all of them, and mostly along a few axes.
            if end - begin >= MANY && aside.is_finite() {
                let few = dimension.min(AT_ONCE);
                let (middle, half) = way();
                let (middle, half) = (&middle[..few], &half[..few]);
                let squared = squared_distances_from_way(&points[..few], middle, half, &[]);
                let far = (around.squared.sqrt() + aside) * ROOM;
                if !squared.simd_lt(far * far).any() {
                    return false;
                }
            }
            let coordinates = &self.coordinates[begin * dimension..end * dimension];
            // Whoever embeds a space may give a place no numbers.
            let places = coordinates.chunks_exact(dimension.max(1));
            for (q, &is_free) in places.zip(&self.free[begin..end]) {
                let nearer = squared_distances_below(points, q, periods, around.squared);
                if let Some(squared) = nearer {
                    is_nearer |= around.take(squared, is_free);
                }
            }
        }
        if is_nearer {
            self.squared[slot] = around.squared;
            let met = &mut self.met[slot];
            met.farthest = greatest(around.squared).sqrt();
            met.free = around.free;
        }
        is_nearer
    }

    /// Takes the configurations of a check in. Where the checker tells of none, a free edge shows
    /// its points free and a blocked one its middle blocked, the best guess at a place that is not
    /// known.
    pub(super) fn observe(&mut self, evidence: Evidence<'_>) {
        let roadmap = self.roadmap.clone();
        let (space, a, b) = ends(&roadmap, evidence.edge);
        let is_free = evidence.verdict();
        if is_free == Some(true) && self.remembers_stretch(a, b, evidence.sightings) {
            return;
        }
        let begin = self.free.len();
        if evidence.sightings.is_empty() {
            let points = match is_free {
                Some(true) => 0..POINTS,
                Some(false) => POINTS / 2..POINTS / 2 + 1,
                None => 0..0,
            };
            for i in points {
                space.interpolate(a, b, share(i, POINTS), &mut self.configuration);
                (self.measure).place(&self.configuration, &mut self.point);
                self.coordinates.extend_from_slice(&self.point);
                self.free.push(is_free == Some(true));
            }
        } else {
            self.keep(evidence.sightings);
        }
        self.add_batch(begin);
    }

    /// Takes configurations in that were seen anywhere.
    pub(super) fn sight(&mut self, sightings: &Sightings) {
        let Some((first, _)) = sightings.iter().next() else {
            return;
        };
        let Some(space) = self.roadmap.space() else {
            return;
        };
        let farthest_from = |from: &[f64]| {
            let each = sightings.iter().map(|(q, _)| (space.distance(from, q), q));
            each.fold((0.0, first), |far, q| if q.0 > far.0 { q } else { far })
                .1
        };
        let one_end = farthest_from(first);
        let other_end = farthest_from(one_end);
        // A motion may have been looked at coarsely, and is then not known to be free in between.
        let is_dense =
            matches!(self.remembered, Remembered::Stretches(most) if sightings.len() > most);
        let is_free = is_dense && sightings.iter().all(|(_, free)| free);
        if is_free && self.remembers_stretch(one_end, other_end, sightings) {
            return;
        }
        let begin = self.free.len();
        self.keep(sightings);
        self.add_batch(begin);
    }

    /// Keeps what is in collision, and what is free as it is remembered.
    fn keep(&mut self, sightings: &Sightings) {
        let stride = match self.remembered {
            Remembered::All => 1,
            Remembered::Stretches(most) => sightings.len().div_ceil(most),
        };
        for (place, (q, free)) in sightings.iter().enumerate() {
            if !free || place % stride == 0 {
                self.measure.place(q, &mut self.point);
                self.coordinates.extend_from_slice(&self.point);
                self.free.push(free);
            }
        }
    }

    /// Takes the straight motion from `a` to `b` in as free all along, if that is how it is remembered, it is
    /// straight, and all that was seen lies on it. Not where it leads far round: what is near it may then be so the other way.
    fn remembers_stretch(&mut self, a: &[f64], b: &[f64], seen: &Sightings) -> bool {
        let Some(space) = self.roadmap.space() else {
            return false;
        };
        let long = space.distance(a, b);
        let is_on_it =
            |q: &[f64]| space.distance(a, q) + space.distance(q, b) <= long * (1.0 + 1e-9);
        let each = || space.axes().iter().zip(a.iter().zip(b));
        let leads_round = each().any(|(axis, (&a, &b))| {
            axis.wraps() && axis.difference(a, b).abs() > 0.25 * axis.extent()
        });
        if self.remembered == Remembered::All
            || !self.measure.is_straight()
            || leads_round
            || !seen.iter().all(|(q, _)| is_on_it(q))
        {
            return false;
        }
        space.interpolate(a, b, 0.5, &mut self.configuration);
        self.measure.place(&self.configuration, &mut self.point);
        self.measure.place(b, &mut self.half);
        let periods = self.measure.periods();
        let each = self.half.iter_mut().zip(&self.point).enumerate();
        for (axis, (end, middle)) in each {
            let period = periods.get(axis).copied().unwrap_or(0.0);
            *end = the_short_way(*end - middle, period);
        }
        let begin = self.free.len();
        self.push(Batch {
            begin,
            end: begin,
            radius: (0.5 * long / space.longest_side()) as f32 * ROOM,
            aside: 0.0,
            is_stretch: true,
        });
        true
    }

    /// A batch more, around the place that there is room for, along the way that leads from there.
    fn push(&mut self, batch: Batch) {
        let row = self.batches.len() / ABREAST;
        if row == self.radii.len() {
            self.radii.push(f32x16::ZERO);
        }
        self.radii[row].as_mut_array()[self.batches.len() % ABREAST] = batch.radius;
        self.centres.push(&self.point);
        self.ways.extend_from_slice(&self.point);
        self.ways.extend_from_slice(&self.half);
        self.spread(&batch);
        self.batches.push(batch);
    }

    /// Makes a batch that is about to be added, around the place that there is room for, news for all edges near it.
    fn spread(&mut self, batch: &Batch) {
        let few = self.dimension().min(AT_ONCE);
        let periods = self.measure.periods();
        let (centre, periods) = (&self.point[..few], &periods[..few.min(periods.len())]);
        let batches = self.batches.len();
        let mut place = 0;
        while let Some(&row) = self.awake.get(place) {
            let row = row as usize;
            if batches as u32 - self.heard[row] > DROWSY {
                self.awake.swap_remove(place);
                self.heard[row] = ASLEEP;
                let end = self.news.len().min((row + 1) * ABREAST);
                for news in &mut self.news[row * ABREAST..end] {
                    news.add_all_from(batches);
                }
                continue;
            }
            place += 1;
            let reaches = self.reaches[row];
            let mut whom = (self.middles).meet(row, reaches, centre, batch.radius, periods);
            while whom != 0 {
                let slot = row * ABREAST + whom.trailing_zeros() as usize;
                whom &= whom - 1;
                self.news[slot].add(batches);
            }
        }
    }

    /// Makes what is kept from `begin` on a batch, around the middle of the straight way between two of its
    /// configurations that are far apart.
    fn add_batch(&mut self, begin: usize) {
        let end = self.free.len();
        if begin == end {
            return;
        }
        let dimension = self.dimension();
        let periods = self.measure.periods();
        let of = |place: usize| place * dimension..(place + 1) * dimension;
        let coordinates = &self.coordinates;
        let farthest_from = |from: &[f32]| {
            let distance = |place| squared_distance(from, &coordinates[of(place)], periods);
            let each = (begin..end).map(|place| (distance(place), place));
            each.fold((0.0, begin), |far, q| if q.0 > far.0 { q } else { far })
        };
        let (_, one) = farthest_from(&coordinates[of(begin)]);
        let (_, other) = farthest_from(&coordinates[of(one)]);
        let ends = coordinates[of(one)].iter().zip(&coordinates[of(other)]);
        let each = self.point.iter_mut().zip(&mut self.half);
        for ((axis, (a, b)), (middle, half)) in ends.enumerate().zip(each) {
            let period = periods.get(axis).copied().unwrap_or(0.0);
            *half = 0.5 * the_short_way(b - a, period);
            *middle = a + *half;
        }
        let (squared, _) = farthest_from(&self.point);
        let from_way = |place: usize| {
            squared_distance_from_way(&coordinates[of(place)], &self.point, &self.half)
        };
        let batch = Batch {
            begin,
            end,
            radius: squared.sqrt() * ROOM + ROUNDING,
            aside: match periods.is_empty() {
                true => (begin..end).map(from_way).fold(0.0, f32::max).sqrt(),
                false => f32::INFINITY,
            },
            is_stretch: false,
        };
        self.push(batch);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::measure::tests::Tip;
    use crate::roadmap::{Connection, halton};
    use crate::space::Axis;
    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    const POINTS: usize = 5;

    fn space(wraps: bool) -> Space {
        let turn = match wraps {
            true => Axis::new(-3.0, 3.0).map(Axis::wrapping),
            false => Axis::new(-3.0, 3.0),
        };
        let far = Axis::new(0.0, 2.0).unwrap();
        Space::new(vec![turn.unwrap(), far, far]).unwrap()
    }

    fn roadmap(wraps: bool) -> Roadmap {
        let space = space(wraps);
        let points = halton(&space, 60);
        Roadmap::from_configurations(space, points, Connection::Nearest(5)).unwrap()
    }

    /// How far each point of an edge is from the nearest checked configuration, in longest sides, and whether that is free.
    fn nearest(around: &Surroundings<POINTS>, slot: usize) -> impl Iterator<Item = (f32, bool)> {
        let around = around.around(slot);
        let squared = around.squared.to_array().into_iter().take(POINTS);
        (squared.enumerate()).map(move |(point, squared)| (squared.sqrt(), around.is_free(point)))
    }

    fn anywhere(random: &mut Pcg64) -> [f64; 3] {
        [
            random.random_range(-3.0..3.0),
            random.random_range(0.0..2.0),
            random.random_range(0.0..2.0),
        ]
    }

    /// Whenever an edge is asked about, and however long it was not, its points know their nearest checked configuration.
    #[test]
    fn every_point_knows_what_is_nearest_to_it() {
        let embedded = {
            let roadmap = roadmap(false);
            let own = space(false).embedded(std::sync::Arc::new(Tip));
            let configurations = roadmap.configurations().unwrap().into_owned();
            roadmap.with_configurations(own, configurations).unwrap()
        };
        for roadmap in [roadmap(false), roadmap(true), embedded] {
            let mut measure = Measure::of(&roadmap);
            let dimension = measure.dimension();
            let (mut points, mut point) = (vec![f32x16::ZERO; dimension], vec![0.0; dimension]);
            let mut place = point.clone();
            let mut around = Surroundings::<POINTS>::new(&roadmap, Remembered::All, f64::INFINITY);
            let mut random = Pcg64::seed_from_u64(7);
            let mut all: Vec<([f64; 3], bool)> = Vec::new();
            for step in 0..400 {
                let mut seen = Sightings::new(3);
                let first = anywhere(&mut random);
                for _ in 0..random.random_range(1..2 * MANY) {
                    let near = first.map(|x| x + random.random_range(-0.1..0.1));
                    let free = random.random_bool(0.5);
                    seen.push(&near, free);
                    all.push((near, free));
                }
                around.sight(&seen);
                // Long enough is nothing asked for all to be left out of the news.
                let is_quiet = step / (2 * DROWSY) % 2 == 1;
                for _ in 0..if is_quiet { 0 } else { 5 } {
                    let edge = EdgeId(random.random_range(0..roadmap.edge_count() as u32));
                    let slot = around.slot(edge);
                    around.look_along(slot);
                    measure.along::<POINTS>(&roadmap, edge, &mut points, &mut point);
                    for (number, (distance, free)) in nearest(&around, slot).enumerate() {
                        for (x, points) in point.iter_mut().zip(&points) {
                            *x = points.as_array()[number];
                        }
                        let each = all.iter().map(|(q, free)| {
                            measure.place(q, &mut place);
                            let squared = squared_distance(&point, &place, measure.periods());
                            (squared.sqrt(), *free)
                        });
                        let nearest = each.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
                        assert!((distance - nearest.0).abs() < 1e-6 && free == nearest.1);
                    }
                    assert!(!around.look_along(slot), "nothing has been checked since");
                }
                let has_been_quiet = step % (4 * DROWSY) == 4 * DROWSY - 1;
                assert!(!has_been_quiet || around.awake.is_empty());
            }
        }
    }

    /// A motion that is free from end to end is as near as the nearest of many configurations on it.
    #[test]
    fn a_free_motion_is_remembered_as_a_whole() {
        let roadmap = roadmap(false);
        let space = space(false);
        let (stretch, all) = (Remembered::Stretches(8), Remembered::All);
        let mut random = Pcg64::seed_from_u64(3);
        for _ in 0..50 {
            let (a, b) = (anywhere(&mut random), anywhere(&mut random));
            let mut seen = Sightings::new(3);
            let mut q = [0.0; 3];
            for step in 0..=1000 {
                space.interpolate(&a, &b, f64::from(step) / 1000.0, &mut q);
                seen.push(&q, true);
            }
            let [whole, each] = [stretch, all].map(|remembered| {
                let mut around = Surroundings::<POINTS>::new(&roadmap, remembered, f64::INFINITY);
                around.sight(&seen);
                let remembered = around.free.len();
                let distances = roadmap.edge_ids().flat_map(|edge| {
                    let slot = around.slot(edge);
                    around.look_along(slot);
                    nearest(&around, slot).collect::<Vec<_>>()
                });
                (distances.collect::<Vec<_>>(), remembered)
            });
            assert_eq!((whole.1, each.1), (0, 1001));
            for ((distance, free), (nearest, _)) in whole.0.into_iter().zip(each.0) {
                assert!(free && distance <= nearest + 1e-6 && nearest <= distance + 0.001);
            }
        }
        // What is not straight, not free, or was only looked at here and there, is remembered configuration by
        // configuration.
        let remembered = |count: u32, bend: f64, is_free: bool| {
            let mut seen = Sightings::new(3);
            for step in 0..count {
                let x = 2.0 * f64::from(step) / f64::from(count - 1);
                seen.push(&[x, bend * x * x, 0.0], is_free || step > 0);
            }
            let mut around = Surroundings::<POINTS>::new(&roadmap, stretch, f64::INFINITY);
            around.sight(&seen);
            around.batches.iter().any(|batch| batch.is_stretch)
        };
        assert!(remembered(9, 0.0, true));
        assert!(!remembered(9, 0.1, true));
        assert!(!remembered(9, 0.0, false));
        assert!(!remembered(8, 0.0, true));
    }
}
