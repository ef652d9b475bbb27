//! The surroundings of edges: for points along an edge, the nearest checked configuration.
//!
//! Edges that somebody asks about are *met*: from then on each has a slot, in which its points remember their nearest
//! checked configuration. All the others cost nothing. What a check has shown is a *batch* of configurations within a
//! ball, so an edge that is farther from the ball than its points are from what they know already passes the whole
//! check over with one comparison. So does one that is out of earshot: beyond a distance that a belief can name what
//! was checked tells it nothing.

use super::Evidence;
use crate::checker::Sightings;
use crate::roadmap::{EdgeId, Roadmap};
use crate::space::Space;

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

/// How far along an edge one of its points is.
fn share(place: usize, points: usize) -> f64 {
    place as f64 / (points - 1) as f64
}

/// The configurations of one check.
#[derive(Debug, Clone, Copy)]
struct Batch {
    begin: usize,
    end: usize,
    radius: f64,
}

/// Keeps what is in collision, and of what is free about `most`, evenly.
fn keep(sightings: &Sightings, most: usize, coordinates: &mut Vec<f64>, is_free: &mut Vec<bool>) {
    let stride = sightings.len().div_ceil(most);
    for (place, (q, free)) in sightings.iter().enumerate() {
        if !free || place % stride == 0 {
            coordinates.extend_from_slice(q);
            is_free.push(free);
        }
    }
}

/// An edge that has been met.
#[derive(Debug, Clone, Copy)]
struct Met<const POINTS: usize> {
    /// How many batches it has looked at.
    seen: u32,
    /// Half its length.
    half: f64,
    /// How far the farthest of its points is from what was checked.
    farthest: f64,
    /// How far each of its points is from the nearest checked configuration, and whether that is free.
    nearest: [f64; POINTS],
    free: [bool; POINTS],
}

/// The nearest checked configuration of evenly spaced points on edges, ends included.
#[derive(Debug, Clone)]
pub(super) struct Surroundings<const POINTS: usize> {
    roadmap: Roadmap,
    /// Free configurations that a check may leave.
    most: usize,
    /// One more than the slot of each edge, 0 for those that nobody has asked about.
    slots: Vec<u32>,
    met: Vec<Met<POINTS>>,
    /// The middles of edges that were met, one after the other.
    middles: Vec<f64>,
    /// Their points, axis by axis, so that all points of an edge are compared at once.
    points: Vec<[f64; POINTS]>,
    batches: Vec<Batch>,
    /// The centre of each batch, one after the other.
    centres: Vec<f64>,
    coordinates: Vec<f64>,
    free: Vec<bool>,
    earshot: f64,
    point: Vec<f64>,
}

/// The square of the distance of each of these points from a configuration.
#[inline]
fn squared_distances<const POINTS: usize>(
    space: &Space,
    points: &[[f64; POINTS]],
    q: &[f64],
) -> [f64; POINTS] {
    let mut squared = [0.0; POINTS];
    for ((axis, points), &q) in space.axes().iter().zip(points).zip(q) {
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
    squared
}

impl<const POINTS: usize> Surroundings<POINTS> {
    /// Nothing checked yet. `roadmap` must have configurations. Of the free configurations of a check
    /// about `most` are kept, evenly: more say nothing more to who looks from afar. What is farther away
    /// than `earshot` need not be heard of.
    pub(super) fn new(roadmap: &Roadmap, most: usize, earshot: f64) -> Self {
        let dimension = roadmap.space().map_or(0, Space::dimension);
        let edges = roadmap.edge_count();
        // Room that nobody uses is never touched, and so costs nothing.
        Self {
            roadmap: roadmap.clone(),
            most,
            slots: vec![0; edges],
            met: Vec::with_capacity(edges),
            middles: Vec::with_capacity(edges * dimension),
            points: Vec::with_capacity(edges * dimension),
            batches: Vec::with_capacity(edges),
            centres: Vec::with_capacity(edges * dimension),
            coordinates: Vec::new(),
            free: Vec::new(),
            earshot,
            point: vec![0.0; dimension],
        }
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
        let (space, a, b) = ends(&self.roadmap, edge);
        self.met.push(Met {
            seen: 0,
            half: 0.5 * space.distance(a, b),
            farthest: f64::INFINITY,
            nearest: [f64::INFINITY; POINTS],
            free: [true; POINTS],
        });
        space.interpolate(a, b, 0.5, &mut self.point);
        self.middles.extend_from_slice(&self.point);
        let first = self.points.len();
        self.points.resize(first + space.dimension(), [0.0; POINTS]);
        for place in 0..POINTS {
            space.interpolate(a, b, share(place, POINTS), &mut self.point);
            for (points, x) in self.points[first..].iter_mut().zip(&self.point) {
                points[place] = *x;
            }
        }
        slot
    }

    /// How far from a point what was checked is still worth hearing of. Where that is farther than before, all
    /// edges look at everything again.
    pub(super) fn set_earshot(&mut self, earshot: f64) {
        if earshot > self.earshot {
            for met in &mut self.met {
                met.seen = 0;
            }
        }
        self.earshot = earshot;
    }

    /// How many checks have shown something.
    #[inline]
    pub(super) fn checks(&self) -> u32 {
        self.batches.len() as u32
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
    }

    /// Brings the points of an edge up to date. Whether any of them has something nearer now.
    pub(super) fn look_along(&mut self, slot: usize) -> bool {
        let met = &mut self.met[slot];
        let new = met.seen as usize..self.batches.len();
        met.seen = self.batches.len() as u32;
        let Some(space) = self.roadmap.space() else {
            unreachable!("beliefs refuse roadmaps without configurations");
        };
        let dimension = space.dimension();
        let of = |place: usize| place * dimension..(place + 1) * dimension;
        let (middle, points) = (&self.middles[of(slot)], &self.points[of(slot)]);
        // Room for rounding, so that nothing nearer is ever passed over.
        let reach = |met: &Met<POINTS>| (met.half + met.farthest.min(self.earshot)) * (1.0 + 1e-9);
        let mut within = reach(met);
        let mut is_nearer = false;
        for index in new {
            let Batch { begin, end, radius } = self.batches[index];
            let centre = &self.centres[of(index)];
            if !space.is_within(middle, centre, within + radius) {
                continue;
            }
            let from_centre = squared_distances(space, points, centre);
            let mut may_be_nearer = false;
            for (squared, nearest) in from_centre.iter().zip(&met.nearest) {
                let far = nearest.min(self.earshot) + radius;
                may_be_nearer |= *squared < far * far;
            }
            if !may_be_nearer {
                continue;
            }
            let before = met.nearest;
            for place in begin..end {
                let squared = squared_distances(space, points, &self.coordinates[of(place)]);
                let is_free = self.free[place];
                for (point, squared) in squared.into_iter().enumerate() {
                    let distance = squared.sqrt();
                    if distance < met.nearest[point] {
                        met.nearest[point] = distance;
                        met.free[point] = is_free;
                    }
                }
            }
            if met.nearest != before {
                is_nearer = true;
                met.farthest = met.nearest.into_iter().fold(0.0, f64::max);
                within = reach(met);
            }
        }
        is_nearer
    }

    /// Takes the configurations of a check in. Where the checker tells of none, a free edge shows
    /// its points free and a blocked one its middle blocked, the best guess at a place that is not
    /// known.
    pub(super) fn observe(&mut self, evidence: Evidence<'_>) {
        let (space, a, b) = ends(&self.roadmap, evidence.edge);
        let begin = self.free.len();
        if evidence.sightings.is_empty() {
            let is_free = evidence.verdict();
            let points = match is_free {
                Some(true) => 0..POINTS,
                Some(false) => POINTS / 2..POINTS / 2 + 1,
                None => 0..0,
            };
            for i in points {
                space.interpolate(a, b, share(i, POINTS), &mut self.point);
                self.coordinates.extend_from_slice(&self.point);
                self.free.push(is_free == Some(true));
            }
        } else {
            let (seen, free) = (&mut self.coordinates, &mut self.free);
            keep(evidence.sightings, self.most, seen, free);
        }
        space.interpolate(a, b, 0.5, &mut self.point);
        self.add_batch(begin);
    }

    /// Takes configurations in that were seen anywhere.
    pub(super) fn sight(&mut self, sightings: &Sightings) {
        let Some(space) = self.roadmap.space() else {
            unreachable!("beliefs refuse roadmaps without configurations");
        };
        // Midway between the first and the one farthest from it.
        let each = || sightings.iter().map(|(q, _)| q);
        let Some(first) = each().next() else {
            return;
        };
        let from_first = |q: &&[f64]| space.distance(first, q);
        let farthest = each().max_by(|a, b| from_first(a).total_cmp(&from_first(b)));
        let begin = self.free.len();
        keep(sightings, self.most, &mut self.coordinates, &mut self.free);
        space.interpolate(first, farthest.unwrap_or(first), 0.5, &mut self.point);
        self.add_batch(begin);
    }

    /// Makes the configurations from `begin` on a batch around the point.
    fn add_batch(&mut self, begin: usize) {
        let end = self.free.len();
        let Some(space) = self.roadmap.space().filter(|_| end > begin) else {
            return;
        };
        let dimension = space.dimension();
        let radius = self.coordinates[begin * dimension..]
            .chunks_exact(dimension)
            .map(|q| space.distance(&self.point, q))
            .fold(0.0, f64::max);
        self.centres.extend_from_slice(&self.point);
        self.batches.push(Batch {
            begin,
            end,
            // Room for rounding, so that no nearer configuration is ever passed over.
            radius: radius * (1.0 + 1e-12),
        });
    }
}
