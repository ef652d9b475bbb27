//! The surroundings of edges: for points along an edge, the nearest checked configuration.
//!
//! Edges that somebody asks about are *met*: from then on each has a slot, in which its points remember their nearest
//! checked configuration. All the others cost nothing. What a check has shown is a *batch* of configurations within a
//! ball, or a *stretch* that is free from end to end. Edges that were met one after the other are compared with a new
//! batch together, all at once, and those that are farther from the ball than their points are from what they know
//! already pass it over. So do those that are out of earshot: beyond a distance that a belief can name what was checked
//! tells them nothing. For the others it is *news*, of which an edge hears when somebody asks about it. What is near is
//! said by the [measure](super::measure): where the roadmap's space is embedded in another, distances are those there.

use super::Evidence;
use super::measure::{Measure, share};
use crate::checker::Sightings;
use crate::roadmap::{EdgeId, Roadmap};
use crate::space::{Axis, Space};

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
    radius: f64,
    /// How far from the straight way between two of them its configurations are at most; infinite if that is not known.
    aside: f64,
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

/// How many edges, or batches, are compared with one batch, or edge, at once.
const GROUP: usize = 16;

/// A batch of as many configurations is first compared as a whole.
const MANY: usize = 12;

/// Places in groups, each axis for itself, so that a whole group is compared with another place at once.
#[derive(Debug, Clone)]
struct Places {
    dimension: usize,
    coordinates: Vec<[f64; GROUP]>,
    count: usize,
}

impl Places {
    fn with_room_for(count: usize, dimension: usize) -> Self {
        Self {
            dimension,
            coordinates: Vec::with_capacity(count.div_ceil(GROUP) * dimension),
            count: 0,
        }
    }

    fn push(&mut self, q: &[f64]) {
        let (group, place) = (self.count / GROUP, self.count % GROUP);
        if place == 0 {
            let more = (group + 1) * self.dimension;
            // Nothing is as near as what is nowhere.
            self.coordinates.resize(more, [f64::NAN; GROUP]);
        }
        for (axis, x) in self.coordinates[group * self.dimension..].iter_mut().zip(q) {
            axis[place] = *x;
        }
        self.count += 1;
    }

    fn get(&self, place: usize, q: &mut [f64]) {
        let group = &self.coordinates[place / GROUP * self.dimension..];
        for (x, axis) in q.iter_mut().zip(group) {
            *x = axis[place % GROUP];
        }
    }

    /// Which balls of a group, with these radii around its places, meet a ball around a configuration, a bit for each.
    #[inline(always)]
    fn meet(
        &self,
        space: &Space,
        group: usize,
        q: &[f64],
        radii: &[f64; GROUP],
        radius: f64,
    ) -> u16 {
        // Most do not, and of many axes the first few tell.
        const AT_ONCE: usize = 4;
        let mut squared = [0.0; GROUP];
        let coordinates = &self.coordinates[group * self.dimension..(group + 1) * self.dimension];
        let is_near = |squared: f64, of_place: f64| {
            let within = of_place + radius;
            squared < within * within
        };
        let axes = space.axes().chunks(AT_ONCE);
        let places = coordinates.chunks(AT_ONCE).zip(q.chunks(AT_ONCE));
        for (axes, (places, q)) in axes.zip(places) {
            add_squared_distances(axes, places, q, &mut squared);
            let each = squared.iter().zip(radii);
            if !each.fold(false, |any, (squared, radius)| {
                any | is_near(*squared, *radius)
            }) {
                return 0;
            }
        }
        let each = squared.iter().zip(radii).enumerate();
        each.fold(0, |whom, (place, (squared, radius))| {
            whom | u16::from(is_near(*squared, *radius)) << place
        })
    }
}

/// Edges that have been met one after the other, and so are near each other more often than not. Which batches are
/// near any of them is found out for all at once; each hears of these when somebody asks about it.
#[derive(Debug, Clone, Copy)]
struct Neighbours {
    /// How many batches have been compared with them.
    seen: u32,
    /// The first and the last piece of news for any of them; none if there was none.
    first: u32,
    last: u32,
    /// How far from the middle of each the edge of a ball may be that is news to it, and the greatest of these, or more.
    reaches: [f64; GROUP],
    reach: f64,
    /// Half the length of each.
    half: [f64; GROUP],
    /// How far the farthest of its points is from what was checked.
    farthest: [f64; GROUP],
}

impl Neighbours {
    /// Follows what one of them has heard of.
    fn set_reach(&mut self, place: usize, earshot: f64) {
        self.reaches[place] = (self.half[place] + self.farthest[place].min(earshot)) * ROOM;
    }
}

/// That a batch is near some edges of a group.
#[derive(Debug, Clone, Copy)]
struct News {
    batch: u32,
    /// The edges, a bit for each.
    whom: u16,
    /// The next news for the same group.
    next: u32,
}

/// No news.
const NONE: u32 = u32::MAX;

/// An edge that has been met.
#[derive(Debug, Clone, Copy)]
struct Met<const POINTS: usize> {
    /// How far each of its points is from the nearest checked configuration, the square of that, and whether that
    /// configuration is free.
    nearest: [f64; POINTS],
    squared: [f64; POINTS],
    free: [bool; POINTS],
    /// The last news of its group that it has heard of.
    heard: u32,
    /// Whether nobody has asked about it yet.
    is_new: bool,
}

impl<const POINTS: usize> Met<POINTS> {
    /// Takes in how far its points are from something, where that is nearer. Whether it is anywhere.
    #[inline]
    fn take(&mut self, squared: [f64; POINTS], is_free: bool) -> bool {
        // Most of what is told is not, and that shows for all points at once.
        let each = || squared.iter().zip(&self.squared);
        if !each().fold(false, |any, (new, old)| any | (new < old)) {
            return false;
        }
        for (point, squared) in squared.into_iter().enumerate() {
            if squared < self.squared[point] {
                self.squared[point] = squared;
                self.free[point] = is_free;
            }
        }
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
    met: Vec<Met<POINTS>>,
    neighbours: Vec<Neighbours>,
    news: Vec<News>,
    /// The middles of edges that were met.
    middles: Places,
    /// For each group the bounds of these, axis by axis.
    bounds: Vec<[f64; 2]>,
    /// Their points, axis by axis, so that all points of an edge are compared at once.
    points: Vec<[f64; POINTS]>,
    /// The [chord](Chord) of each: where it begins, and what leads from there to its end; and the squares of their lengths.
    chords: Vec<f64>,
    squared_lengths: Vec<f64>,
    batches: Vec<Batch>,
    /// The centre of each batch.
    centres: Places,
    /// The same one after the other, each with the middle of the straight way that the batch lies along and what leads
    /// from there to one end.
    ways: Vec<f64>,
    coordinates: Vec<f64>,
    free: Vec<bool>,
    earshot: f64,
    /// What a unit of each axis counts, and whether no axis wraps and straight motions are straight.
    weights: Vec<f64>,
    is_plain: bool,
    /// Room for a place, and for another.
    point: Vec<f64>,
    middle: Vec<f64>,
    /// Room for a configuration.
    configuration: Vec<f64>,
}

/// The square of the distance of each of these points from a configuration.
#[inline]
fn squared_distances<const POINTS: usize>(
    space: &Space,
    points: &[[f64; POINTS]],
    q: &[f64],
) -> [f64; POINTS] {
    let mut squared = [0.0; POINTS];
    add_squared_distances(space.axes(), points, q, &mut squared);
    squared
}

/// Adds what these axes make of it.
#[inline(always)]
fn add_squared_distances<const POINTS: usize>(
    axes: &[Axis],
    points: &[[f64; POINTS]],
    q: &[f64],
    squared: &mut [f64; POINTS],
) {
    for ((axis, points), &q) in axes.iter().zip(points).zip(q) {
        if axis.wraps() {
            for (squared, &x) in squared.iter_mut().zip(points) {
                let part = axis.weight() * axis.difference(x, q);
                *squared += part * part;
            }
        } else {
            for (squared, &x) in squared.iter_mut().zip(points) {
                let part = axis.weight() * (q - x);
                *squared += part * part;
            }
        }
    }
}

/// The square of the distance of each of these points from a stretch, given by its centre and the way from there
/// to one of its ends.
fn squared_distances_to_stretch<const POINTS: usize>(
    space: &Space,
    points: &[[f64; POINTS]],
    centre: &[f64],
    half: &[f64],
) -> [f64; POINTS] {
    let mut along = [0.0; POINTS];
    let mut squared = [0.0; POINTS];
    let mut whole = f64::MIN_POSITIVE;
    let each = || space.axes().iter().zip(points).zip(centre.iter().zip(half));
    for ((axis, points), (&c, &h)) in each() {
        let h = axis.weight() * h;
        whole += h * h;
        for point in 0..POINTS {
            let from_centre = axis.weight() * axis.difference(c, points[point]);
            along[point] += from_centre * h;
            squared[point] += from_centre * from_centre;
        }
    }
    // The foot of the perpendicular, or the end beyond which that would be: |x - t h|^2 = |x|^2 - 2 t x h + t^2 h^2.
    for point in 0..POINTS {
        let t = (along[point] / whole).clamp(-1.0, 1.0);
        squared[point] = (squared[point] - t * (2.0 * along[point] - t * whole)).max(0.0);
    }
    squared
}

/// The square of the distance of a place from a box, where no axis wraps.
#[inline]
fn squared_distance_from_box(space: &Space, bounds: &[[f64; 2]], q: &[f64]) -> f64 {
    let each = space.axes().iter().zip(bounds).zip(q);
    each.fold(0.0, |sum, ((axis, [low, high]), q)| {
        let beyond = axis.weight() * (low - q).max(q - high).max(0.0);
        sum + beyond * beyond
    })
}

/// The straight way between the ends of an edge, as distances from it are asked for: found out once, because most that is
/// near an edge is farther from it than what it knows already.
#[derive(Debug, Clone, Copy)]
struct Chord<'a> {
    begin: &'a [f64],
    /// What leads from there to the other end, each axis by its weight, divided by the square of how far that is.
    way: &'a [f64],
    squared_length: f64,
}

impl Chord<'_> {
    /// The square of the distance of a place, where no axis wraps. Several axes are summed at once, and so not in their
    /// order: what it is compared with must leave [room](ROUNDING).
    #[inline(always)]
    fn squared_distance(self, weights: &[f64], q: &[f64]) -> f64 {
        match weights.len() {
            2 => self.in_lanes::<2>(weights, q),
            3 => self.in_lanes::<3>(weights, q),
            _ => self.in_lanes::<4>(weights, q),
        }
    }

    #[inline(always)]
    fn in_lanes<const LANES: usize>(self, weights: &[f64], q: &[f64]) -> f64 {
        let [mut along, mut squared] = [[0.0; LANES]; 2];
        let mut add = |lane: usize, axis: [f64; 4]| {
            let [weight, begin, way, q] = axis;
            let from_begin = weight * (q - begin);
            along[lane] += from_begin * way;
            squared[lane] += from_begin * from_begin;
        };
        let [weights, begin, way, q] =
            [weights, self.begin, self.way, q].map(|each| each.as_chunks::<LANES>());
        let chunks = weights.0.iter().zip(begin.0).zip(way.0.iter().zip(q.0));
        for ((weights, begin), (way, q)) in chunks {
            for lane in 0..LANES {
                add(lane, [weights[lane], begin[lane], way[lane], q[lane]]);
            }
        }
        let rest = weights.1.iter().zip(begin.1).zip(way.1.iter().zip(q.1));
        for (lane, ((weight, begin), (way, q))) in rest.enumerate() {
            add(lane, [*weight, *begin, *way, *q]);
        }
        let [along, squared] = [along, squared].map(|lanes| lanes.iter().sum::<f64>());
        let t = along.clamp(0.0, 1.0);
        squared - self.squared_length * t * (2.0 * along - t)
    }
}

/// Room for rounding, so that nothing nearer is ever passed over.
const ROOM: f64 = 1.0 + 1e-9;

/// What a squared distance loses where it is a difference of two, beside the square of the longest side.
const ROUNDING: f64 = 1e-13;

impl<const POINTS: usize> Surroundings<POINTS> {
    /// Nothing checked yet. `roadmap` must have configurations. What is farther away than `earshot` need not be
    /// heard of.
    pub(super) fn new(roadmap: &Roadmap, remembered: Remembered, earshot: f64) -> Self {
        let measure = Measure::of(roadmap);
        let dimension = measure.space().dimension();
        let is_plain = measure.is_straight() && !measure.space().axes().iter().any(Axis::wraps);
        let weights = measure.space().axes().iter().map(Axis::weight).collect();
        let edges = roadmap.edge_count();
        // Room that nobody uses is never touched, and so costs nothing.
        Self {
            roadmap: roadmap.clone(),
            measure,
            remembered,
            slots: vec![0; edges],
            met: Vec::with_capacity(edges),
            neighbours: Vec::with_capacity(edges.div_ceil(GROUP)),
            news: Vec::new(),
            middles: Places::with_room_for(edges, dimension),
            bounds: Vec::with_capacity(edges.div_ceil(GROUP) * dimension),
            points: Vec::with_capacity(edges * dimension),
            chords: Vec::with_capacity(2 * edges * dimension),
            squared_lengths: Vec::with_capacity(edges),
            batches: Vec::with_capacity(edges),
            centres: Places::with_room_for(edges, dimension),
            ways: Vec::with_capacity(edges * 3 * dimension),
            coordinates: Vec::new(),
            free: Vec::new(),
            earshot,
            weights,
            is_plain,
            point: vec![0.0; dimension],
            middle: vec![0.0; dimension],
            configuration: vec![0.0; roadmap.space().map_or(0, Space::dimension)],
        }
    }

    /// The longest side of what surrounds all places: what distances are measured by.
    pub(super) fn scale(&self) -> f64 {
        self.measure.scale()
    }

    /// How many numbers a place has.
    pub(super) fn dimension(&self) -> usize {
        self.measure.space().dimension()
    }

    /// Writes where the middle of an edge is.
    pub(super) fn middle(&self, slot: usize, middle: &mut [f64]) {
        self.middles.get(slot, middle);
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
        let slot = self.met.len();
        self.slots[edge.index()] = slot as u32 + 1;
        let first = self.points.len();
        (self.points).resize(first + self.dimension(), [0.0; POINTS]);
        let points = &mut self.points[first..];
        let half = (self.measure).along(&self.roadmap, edge, points, &mut self.point);
        self.middles.push(&self.point);
        self.chords.extend(points.iter().map(|axis| axis[0]));
        let each = points.iter().zip(&self.weights);
        let along = each.map(|(axis, weight)| weight * (axis[POINTS - 1] - axis[0]));
        let squared_length = along.clone().map(|along| along * along).sum::<f64>();
        let way = along.map(|along| along / squared_length.max(f64::MIN_POSITIVE));
        self.chords.extend(way);
        self.squared_lengths.push(squared_length);
        self.met.push(Met {
            nearest: [f64::INFINITY; POINTS],
            squared: [f64::INFINITY; POINTS],
            free: [true; POINTS],
            heard: NONE,
            is_new: true,
        });
        if slot.is_multiple_of(GROUP) {
            self.neighbours.push(Neighbours {
                seen: self.batches.len() as u32,
                first: NONE,
                last: NONE,
                reaches: [0.0; GROUP],
                reach: 0.0,
                half: [0.0; GROUP],
                farthest: [f64::INFINITY; GROUP],
            });
            let nothing = [f64::INFINITY, f64::NEG_INFINITY];
            let more = self.bounds.len() + self.dimension();
            self.bounds.resize(more, nothing);
        }
        let of_group = slot / GROUP * self.dimension();
        for ([low, high], &x) in self.bounds[of_group..].iter_mut().zip(&self.point) {
            *low = low.min(x);
            *high = high.max(x);
        }
        let neighbours = &mut self.neighbours[slot / GROUP];
        neighbours.half[slot % GROUP] = half;
        neighbours.set_reach(slot % GROUP, self.earshot);
        neighbours.reach = neighbours.reach.max(neighbours.reaches[slot % GROUP]);
        let seen = neighbours.seen as usize;
        self.met[slot].heard = neighbours.last;
        self.hear_of_earlier(slot, seen);
        slot
    }

    /// How far from a point what was checked is still worth hearing of. Where that is farther than before, all
    /// edges look at everything again.
    pub(super) fn set_earshot(&mut self, earshot: f64) {
        if earshot == self.earshot {
            return;
        }
        let is_farther = earshot > self.earshot;
        for neighbours in &mut self.neighbours {
            for place in 0..GROUP {
                neighbours.set_reach(place, earshot);
            }
            neighbours.reach = neighbours.reaches.into_iter().fold(0.0, f64::max);
            if is_farther {
                neighbours.seen = 0;
                neighbours.first = NONE;
                neighbours.last = NONE;
            }
        }
        if is_farther {
            for met in &mut self.met {
                met.heard = NONE;
            }
            self.news.clear();
        }
        self.earshot = earshot;
    }

    /// The distance of the nearest checked configuration from each point of an edge, from its beginning to its
    /// end, and whether that is free; infinite where nothing was heard of.
    pub(super) fn nearest(&self, slot: usize) -> impl Iterator<Item = (f64, bool)> {
        let Met { nearest, free, .. } = &self.met[slot];
        nearest.iter().copied().zip(free.iter().copied())
    }

    /// Follows the roadmap where it has grown.
    pub(super) fn grow(&mut self) {
        self.slots.resize(self.roadmap.edge_count(), 0);
        self.measure.grow(&self.roadmap);
    }

    /// Brings the points of an edge up to date. Whether any of them has something nearer than when this was last
    /// asked.
    #[inline]
    pub(super) fn look_along(&mut self, slot: usize) -> bool {
        let group = slot / GROUP;
        if (self.neighbours[group].seen as usize) < self.batches.len() {
            self.look_around(group);
        }
        let is_new = std::mem::take(&mut self.met[slot].is_new);
        let has_news = self.met[slot].heard != self.neighbours[group].last;
        is_new | (has_news && self.hear_news(slot))
    }

    /// Tells an edge what there is new near it. Whether any of its points has something nearer now.
    fn hear_news(&mut self, slot: usize) -> bool {
        let mut is_nearer = false;
        let mut heard = self.met[slot].heard;
        let mut next = match heard {
            NONE => self.neighbours[slot / GROUP].first,
            heard => self.news[heard as usize].next,
        };
        while next != NONE {
            let news = self.news[next as usize];
            if news.whom & (1 << (slot % GROUP)) != 0 {
                is_nearer |= self.hear(slot, news.batch as usize);
            }
            heard = next;
            next = news.next;
        }
        self.met[slot].heard = heard;
        is_nearer
    }

    /// Finds out which batches are near the edges of a group.
    fn look_around(&mut self, group: usize) {
        let space = self.measure.space();
        let dimension = space.dimension();
        let bounds = &self.bounds[group * dimension..(group + 1) * dimension];
        let seen = self.neighbours[group].seen as usize;
        let (mut is_near, mut last) = (false, self.news.len());
        for index in seen..self.batches.len() {
            let centre = &self.ways[index * 3 * dimension..][..dimension];
            let radius = self.batches[index].radius;
            let neighbours = &self.neighbours[group];
            let reach = neighbours.reach + radius;
            let is_far = self.is_plain
                && squared_distance_from_box(space, bounds, centre) >= reach * reach * ROOM;
            if is_far {
                continue;
            }
            is_near = true;
            let whom = (self.middles).meet(space, group, centre, &neighbours.reaches, radius);
            if whom != 0 {
                self.news.push(News {
                    batch: index as u32,
                    whom,
                    next: NONE,
                });
            }
        }
        while last < self.news.len() {
            self.link(group, last);
            last += 1;
        }
        let neighbours = &mut self.neighbours[group];
        neighbours.seen = self.batches.len() as u32;
        if is_near {
            neighbours.reach = neighbours.reaches.into_iter().fold(0.0, f64::max);
        }
    }

    /// Adds to the news of a group.
    fn link(&mut self, group: usize, news: usize) {
        let neighbours = &mut self.neighbours[group];
        match std::mem::replace(&mut neighbours.last, news as u32) {
            NONE => neighbours.first = news as u32,
            last => self.news[last as usize].next = news as u32,
        }
    }

    /// Tells an edge of the first batches, which the others of its group have heard of.
    fn hear_of_earlier(&mut self, slot: usize, batches: usize) {
        let mut middle = std::mem::take(&mut self.middle);
        self.middles.get(slot, &mut middle);
        for first in (0..batches).step_by(GROUP) {
            let mut radii = [0.0; GROUP];
            for (radius, batch) in radii.iter_mut().zip(&self.batches[first..batches]) {
                *radius = batch.radius;
            }
            let reach = self.neighbours[slot / GROUP].reaches[slot % GROUP];
            let space = self.measure.space();
            let mut whom = (self.centres).meet(space, first / GROUP, &middle, &radii, reach);
            while whom != 0 {
                let index = first + whom.trailing_zeros() as usize;
                whom &= whom - 1;
                // Those that have come since will be looked at with the others of the group.
                if index < batches {
                    self.hear(slot, index);
                }
            }
        }
        self.middle = middle;
    }

    /// Tells an edge of a batch. Whether any of its points has something nearer now.
    fn hear(&mut self, slot: usize, batch: usize) -> bool {
        let space = self.measure.space();
        let dimension = space.dimension();
        let points = &self.points[slot * dimension..][..dimension];
        let (begin, way) = self.chords[slot * 2 * dimension..][..2 * dimension].split_at(dimension);
        let chord = Chord {
            begin,
            way,
            squared_length: self.squared_lengths[slot],
        };
        let met = &mut self.met[slot];
        let Batch {
            begin,
            end,
            radius,
            aside,
            is_stretch,
        } = self.batches[batch];
        let (centre, way) = self.ways[batch * 3 * dimension..][..3 * dimension].split_at(dimension);
        let (middle, half) = way.split_at(dimension);
        let neighbours = &mut self.neighbours[slot / GROUP];
        let farthest = neighbours.farthest[slot % GROUP];
        // What a squared distance may have lost that is a difference of two.
        let lost = ROUNDING * self.measure.scale() * self.measure.scale();
        let (weights, is_plain) = (&self.weights, self.is_plain);
        let is_within = |within: f64, q: &[f64]| {
            let within = within * ROOM;
            !is_plain || chord.squared_distance(weights, q) - lost < within * within
        };
        if !is_within(farthest.min(self.earshot) + radius, centre) {
            return false;
        }
        let is_one = is_stretch || end - begin == 1;
        // Where all points have something nearer than that anyway, the earshot is no matter.
        if !is_one && (farthest > self.earshot || !is_plain) {
            let from_centre = squared_distances(space, points, centre);
            let mut may_be_nearer = false;
            for (squared, nearest) in from_centre.iter().zip(&met.nearest) {
                let far = nearest.min(self.earshot) + radius;
                may_be_nearer |= *squared < far * far;
            }
            if !may_be_nearer {
                return false;
            }
        }
        let mut is_nearer = false;
        if is_stretch {
            let squared = squared_distances_to_stretch(space, points, middle, half);
            is_nearer = met.take(squared, true);
        } else {
            // That many are not nearer shows at once for all of them.
            if end - begin >= MANY && is_plain {
                let squared = squared_distances_to_stretch(space, points, middle, half);
                let mut may_be_nearer = false;
                for (squared, nearest) in squared.iter().zip(&met.nearest) {
                    let far = (nearest + aside) * ROOM;
                    may_be_nearer |= squared - lost < far * far;
                }
                if !may_be_nearer {
                    return false;
                }
            }
            for place in begin..end {
                let q = &self.coordinates[place * dimension..][..dimension];
                if is_within(farthest, q) {
                    is_nearer |= met.take(squared_distances(space, points, q), self.free[place]);
                }
            }
        }
        if is_nearer {
            met.nearest = met.squared.map(f64::sqrt);
            let farthest = met.nearest.into_iter().fold(0.0, f64::max);
            neighbours.farthest[slot % GROUP] = farthest;
            neighbours.set_reach(slot % GROUP, self.earshot);
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
        self.add_batch(a, b, begin);
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
        self.add_batch(one_end, other_end, begin);
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
        space.interpolate(a, b, 0.5, &mut self.point);
        self.centres.push(&self.point);
        self.ways.extend_from_slice(&self.point);
        self.ways.extend_from_slice(&self.point);
        for ((axis, &middle), &end) in space.axes().iter().zip(&self.point).zip(b) {
            self.ways.push(axis.difference(middle, end));
        }
        let begin = self.free.len();
        self.batches.push(Batch {
            begin,
            end: begin,
            radius: 0.5 * long * ROOM,
            aside: 0.0,
            is_stretch: true,
        });
        true
    }

    /// Makes what is kept from `begin` on a batch around the middle between `a` and `b`.
    fn add_batch(&mut self, a: &[f64], b: &[f64], begin: usize) {
        let end = self.free.len();
        let Some(own) = self.roadmap.space().filter(|_| end > begin) else {
            return;
        };
        own.interpolate(a, b, 0.5, &mut self.configuration);
        self.measure.place(&self.configuration, &mut self.point);
        let space = self.measure.space();
        let dimension = space.dimension();
        let radius = self.coordinates[begin * dimension..]
            .chunks_exact(dimension)
            .map(|q| space.distance(&self.point, q))
            .fold(0.0, f64::max);
        self.centres.push(&self.point);
        self.ways.extend_from_slice(&self.point);
        let aside = self.find_way(begin, end);
        self.batches.push(Batch {
            begin,
            end,
            radius: radius * ROOM,
            aside,
            is_stretch: false,
        });
    }

    /// Finds the straight way between two configurations that are far apart, of some that are kept. How far from it all of
    /// them are at most.
    fn find_way(&mut self, begin: usize, end: usize) -> f64 {
        let space = self.measure.space();
        let dimension = space.dimension();
        let of = |place: usize| place * dimension..(place + 1) * dimension;
        let coordinates = &self.coordinates;
        let farthest_from = |from: usize| {
            let from = &coordinates[of(from)];
            let each =
                (begin..end).map(|place| (space.distance(from, &coordinates[of(place)]), place));
            each.fold((0.0, begin), |far, q| if q.0 > far.0 { q } else { far })
                .1
        };
        let one = farthest_from(begin);
        let other = farthest_from(one);
        let ends = || coordinates[of(one)].iter().zip(&coordinates[of(other)]);
        self.ways.extend(ends().map(|(a, b)| 0.5 * (a + b)));
        self.ways.extend(ends().map(|(a, b)| 0.5 * (b - a)));
        if !self.is_plain {
            return f64::INFINITY;
        }
        let (middle, half) = self.ways[self.ways.len() - 2 * dimension..].split_at(dimension);
        let from_way = |place: usize| {
            let q = coordinates[of(place)].as_chunks().0;
            let [squared] = squared_distances_to_stretch(space, q, middle, half);
            squared
        };
        (begin..end).map(from_way).fold(0.0, f64::max).sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::belief::measure::tests::Tip;
    use crate::roadmap::{Connection, halton};
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

    fn anywhere(random: &mut Pcg64) -> [f64; 3] {
        [
            random.random_range(-3.0..3.0),
            random.random_range(0.0..2.0),
            random.random_range(0.0..2.0),
        ]
    }

    /// Whenever an edge is asked about, and whoever of its group was asked before, its points know their nearest
    /// checked configuration.
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
            let dimension = measure.space().dimension();
            let (mut points, mut point) = (vec![[0.0; POINTS]; dimension], vec![0.0; dimension]);
            let mut place = point.clone();
            let mut around = Surroundings::<POINTS>::new(&roadmap, Remembered::All, f64::INFINITY);
            let mut random = Pcg64::seed_from_u64(7);
            let mut all: Vec<([f64; 3], bool)> = Vec::new();
            for _ in 0..200 {
                let mut seen = Sightings::new(3);
                let first = anywhere(&mut random);
                for _ in 0..random.random_range(1..2 * MANY) {
                    let near = first.map(|x| x + random.random_range(-0.1..0.1));
                    let free = random.random_bool(0.5);
                    seen.push(&near, free);
                    all.push((near, free));
                }
                around.sight(&seen);
                for _ in 0..5 {
                    let edge = EdgeId(random.random_range(0..roadmap.edge_count() as u32));
                    let slot = around.slot(edge);
                    around.look_along(slot);
                    measure.along(&roadmap, edge, &mut points, &mut point);
                    for (number, (distance, free)) in around.nearest(slot).enumerate() {
                        for (x, points) in point.iter_mut().zip(&points) {
                            *x = points[number];
                        }
                        let each = all.iter().map(|(q, free)| {
                            measure.place(q, &mut place);
                            (measure.space().distance(&point, &place), *free)
                        });
                        let nearest = each.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap();
                        assert!((distance - nearest.0).abs() < 1e-9 && free == nearest.1);
                    }
                    assert!(!around.look_along(slot), "nothing has been checked since");
                }
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
                    around.nearest(slot).collect::<Vec<_>>()
                });
                (distances.collect::<Vec<_>>(), remembered)
            });
            assert_eq!((whole.1, each.1), (0, 1001));
            for ((distance, free), (nearest, _)) in whole.0.into_iter().zip(each.0) {
                assert!(free && distance <= nearest + 1e-9 && nearest <= distance + 0.005);
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
