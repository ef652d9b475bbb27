//! The surroundings of edges: for points along every edge, the nearest checked configuration.
//!
//! Each point remembers its nearest checked configuration and how many checks it has looked at. A
//! check's configurations lie within a ball, so a point farther from the ball than from its nearest
//! so far passes a whole check over with one comparison.

use super::Evidence;
use crate::checker::Sightings;
use crate::roadmap::{EdgeId, Roadmap, VertexId};
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

/// A point of an edge, and what it knows of its surroundings.
#[derive(Debug, Clone, Copy)]
struct Probe {
    nearest: f64,
    /// How many batches have been looked at.
    batches: u32,
    free: bool,
}

impl Probe {
    const UNSEEN: Probe = Probe {
        nearest: f64::INFINITY,
        batches: 0,
        free: true,
    };

    /// Looks whether any of these configurations is nearer to `point`, where the probe is.
    #[inline]
    fn compare(&mut self, space: &Space, point: &[f64], configurations: &[f64], free: &[bool]) {
        let each = configurations.chunks_exact(space.dimension());
        for (q, &free) in each.zip(free) {
            let distance = space.distance(point, q);
            if distance < self.nearest {
                self.nearest = distance;
                self.free = free;
            }
        }
    }
}

/// Where a probe is kept.
#[derive(Debug, Clone, Copy)]
enum Place {
    Vertex(usize),
    Inner(usize),
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

/// The nearest checked configuration of evenly spaced points on every edge, ends included.
#[derive(Debug, Clone)]
pub(super) struct Surroundings {
    roadmap: Roadmap,
    points: usize,
    /// Free configurations that a check may leave.
    most: usize,
    /// One probe for each vertex.
    at_vertices: Vec<Probe>,
    /// The inner points of each edge.
    along_edges: Vec<Probe>,
    batches: Vec<Batch>,
    /// The centre of each batch, one after the other.
    centres: Vec<f64>,
    coordinates: Vec<f64>,
    free: Vec<bool>,
    point: Vec<f64>,
    /// Where the inner points of an edge are.
    along: Vec<f64>,
}

impl Surroundings {
    /// Nothing checked yet. `roadmap` must have configurations, and `points` be at least 2. Of the
    /// free configurations of a check about `most` are kept, evenly: more say nothing more to who
    /// looks from afar.
    pub(super) fn new(roadmap: &Roadmap, points: usize, most: usize) -> Self {
        let dimension = roadmap.space().map_or(0, |space| space.dimension());
        let inner = (points - 2) * roadmap.edge_count();
        Self {
            roadmap: roadmap.clone(),
            points,
            most,
            at_vertices: vec![Probe::UNSEEN; roadmap.vertex_count()],
            along_edges: vec![Probe::UNSEEN; inner],
            batches: Vec::with_capacity(roadmap.edge_count()),
            centres: Vec::with_capacity(roadmap.edge_count() * dimension),
            coordinates: Vec::new(),
            free: Vec::new(),
            point: vec![0.0; dimension],
            along: vec![0.0; dimension * (points - 2)],
        }
    }

    /// The distance of the nearest checked configuration from a point of an edge, infinite if there
    /// is none, and whether it is free.
    pub(super) fn nearest(&mut self, edge: EdgeId, point: usize) -> (f64, bool) {
        let ends = self.roadmap.edge(edge);
        let last = self.points - 1;
        let (place, a, b) = if point == 0 {
            (Place::Vertex(ends.from.index()), ends.from, ends.from)
        } else if point == last {
            (Place::Vertex(ends.to.index()), ends.to, ends.to)
        } else {
            let inner = (self.points - 2) * edge.index() + point - 1;
            (Place::Inner(inner), ends.from, ends.to)
        };
        let Probe { nearest, free, .. } = self.look_around(place, a, b, point as f64 / last as f64);
        (nearest, free)
    }

    /// Follows the roadmap where it has grown. The new points have looked at nothing yet.
    pub(super) fn grow(&mut self) {
        let (vertices, edges) = (self.roadmap.vertex_count(), self.roadmap.edge_count());
        self.at_vertices.resize(vertices, Probe::UNSEEN);
        let inner = (self.points - 2) * edges;
        self.along_edges.resize(inner, Probe::UNSEEN);
    }

    /// How many checks have shown something.
    pub(super) fn checks(&self) -> Option<u32> {
        Some(self.batches.len() as u32)
    }

    /// Brings the inner points of an edge up to date that has looked at the first `seen` checks, all of
    /// its points within `farthest` of what was checked. False if no check since then has a
    /// configuration that may be nearer to any point: then nothing has changed.
    pub(super) fn look_along(&mut self, edge: EdgeId, seen: Option<u32>, farthest: f64) -> bool {
        let new = seen.unwrap_or(0) as usize..self.batches.len();
        if new.is_empty() {
            return seen.is_none();
        }
        let (space, a, b) = ends(&self.roadmap, edge);
        let dimension = space.dimension();
        let inner = self.points - 2;
        let first = inner * edge.index();
        let probes = &mut self.along_edges[first..first + inner];
        space.interpolate(a, b, 0.5, &mut self.point);
        // Room for rounding, so that nothing nearer is ever passed over.
        let reach = (0.5 * space.distance(a, b) + farthest) * (1.0 + 1e-9);
        let mut news = false;
        for index in new {
            let Batch { begin, end, radius } = self.batches[index];
            let centre = &self.centres[index * dimension..(index + 1) * dimension];
            if space.distance(&self.point, centre) - radius >= reach {
                continue;
            }
            if !news {
                let last = self.points - 1;
                for (place, q) in self.along.chunks_exact_mut(dimension).enumerate() {
                    space.interpolate(a, b, (place + 1) as f64 / last as f64, q);
                }
                news = true;
            }
            for (probe, point) in probes.iter_mut().zip(self.along.chunks_exact(dimension)) {
                if space.distance(point, centre) - radius < probe.nearest {
                    let q = &self.coordinates[begin * dimension..end * dimension];
                    probe.compare(space, point, q, &self.free[begin..end]);
                }
            }
        }
        for probe in probes {
            probe.batches = self.batches.len() as u32;
        }
        news || seen.is_none()
    }

    /// Brings a probe up to date.
    fn look_around(&mut self, place: Place, a: VertexId, b: VertexId, t: f64) -> Probe {
        let seen = match place {
            Place::Vertex(vertex) => &mut self.at_vertices[vertex],
            Place::Inner(inner) => &mut self.along_edges[inner],
        };
        if seen.batches as usize == self.batches.len() {
            return *seen;
        }
        let (Some(space), Some(a), Some(b)) = (
            self.roadmap.space(),
            self.roadmap.configuration(a),
            self.roadmap.configuration(b),
        ) else {
            unreachable!("beliefs refuse roadmaps without configurations");
        };
        let dimension = space.dimension();
        space.interpolate(a, b, t, &mut self.point);
        for index in seen.batches as usize..self.batches.len() {
            let Batch { begin, end, radius } = self.batches[index];
            let centre = &self.centres[index * dimension..(index + 1) * dimension];
            if space.distance(&self.point, centre) - radius >= seen.nearest {
                continue;
            }
            let q = &self.coordinates[begin * dimension..end * dimension];
            seen.compare(space, &self.point, q, &self.free[begin..end]);
        }
        seen.batches = self.batches.len() as u32;
        *seen
    }

    /// Takes the configurations of a check in. Where the checker tells of none, a free edge shows
    /// its points free and a blocked one its middle blocked, the best guess at a place that is not
    /// known.
    pub(super) fn observe(&mut self, evidence: Evidence<'_>) {
        let (space, a, b) = ends(&self.roadmap, evidence.edge);
        let begin = self.free.len();
        if evidence.sightings.is_empty() {
            let free = evidence.verdict();
            let points = match free {
                Some(true) => 0..self.points,
                Some(false) => self.points / 2..self.points / 2 + 1,
                None => 0..0,
            };
            for i in points {
                let t = i as f64 / (self.points - 1) as f64;
                space.interpolate(a, b, t, &mut self.point);
                self.coordinates.extend_from_slice(&self.point);
                self.free.push(free == Some(true));
            }
        } else {
            keep(
                evidence.sightings,
                self.most,
                &mut self.coordinates,
                &mut self.free,
            );
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
