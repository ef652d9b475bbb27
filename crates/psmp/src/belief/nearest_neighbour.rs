//! The nearest-neighbour belief: what is near a free configuration is likely free.
//!
//! It needs no experience. Every configuration has a Beta(1, 1) prior, and the nearest checked
//! configuration counts as a partial observation of weight `k = exp(-eta * distance)`: the
//! probability of being free is `(k * [nearest is free] + 1) / (k + 2)`. An edge is as likely free
//! as the least likely of five evenly spaced points on it, ends included. Drawn worlds decide each
//! edge on its own.
//!
//! Each point remembers its nearest checked configuration and how many checks it has looked at. A
//! check's configurations lie within a ball, so a point farther from the ball than from its nearest
//! so far passes a whole check over with one comparison.

use super::{Belief, Evidence};
use crate::random::Draw;
use crate::roadmap::{EdgeId, Roadmap, VertexId};
use thiserror::Error;

/// How many points of an edge are looked at, both ends included.
const POINTS: usize = 5;
const INNER: usize = POINTS - 2;

/// Why a nearest-neighbour belief cannot be made.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum NearestNeighbourError {
    /// The roadmap has no configurations.
    #[error("the roadmap carries no configurations, which the nearest-neighbour belief needs")]
    NoConfigurations,
    /// `eta` is not a positive finite number.
    #[error("eta = {0} is not a positive finite number")]
    Eta(f64),
}

/// A point of an edge, and what it knows of its surroundings.
#[derive(Debug, Clone, Copy)]
struct Probe {
    nearest: f64,
    /// How many batches have been looked at.
    batches: u32,
    free: bool,
}

/// The configurations of one check.
#[derive(Debug, Clone, Copy)]
struct Batch {
    begin: usize,
    end: usize,
    radius: f64,
}

/// Beta-Bernoulli on the nearest checked configuration.
#[derive(Debug, Clone)]
pub struct NearestNeighbour<'a> {
    roadmap: &'a Roadmap,
    eta: f64,
    /// One probe for each vertex, then the inner points of each edge.
    probes: Vec<Probe>,
    batches: Vec<Batch>,
    /// The centre of each batch, one after the other.
    centres: Vec<f64>,
    coordinates: Vec<f64>,
    free: Vec<bool>,
    point: Vec<f64>,
    draw: Draw,
}

impl<'a> NearestNeighbour<'a> {
    /// A belief over the edges of `roadmap` in which the influence of a checked configuration falls
    /// by a factor e over a distance of `1 / eta`.
    ///
    /// # Errors
    /// If the roadmap has no configurations or `eta` makes no sense.
    pub fn new(roadmap: &'a Roadmap, eta: f64) -> Result<Self, NearestNeighbourError> {
        if !(eta > 0.0 && eta.is_finite()) {
            return Err(NearestNeighbourError::Eta(eta));
        }
        let space = roadmap
            .space()
            .ok_or(NearestNeighbourError::NoConfigurations)?;
        let unseen = Probe {
            nearest: f64::INFINITY,
            batches: 0,
            free: true,
        };
        Ok(Self {
            roadmap,
            eta,
            probes: vec![unseen; roadmap.vertex_count() + INNER * roadmap.edge_count()],
            batches: Vec::with_capacity(roadmap.edge_count()),
            centres: Vec::with_capacity(roadmap.edge_count() * space.dimension()),
            coordinates: Vec::new(),
            free: Vec::new(),
            point: vec![0.0; space.dimension()],
            draw: Draw::new(0, 0),
        })
    }

    /// Brings a probe up to date and gives the probability that its place is free.
    fn probability_at(&mut self, probe: usize, a: VertexId, b: VertexId, t: f64) -> f64 {
        let seen = &mut self.probes[probe];
        if (seen.batches as usize) < self.batches.len() {
            let (Some(space), Some(a), Some(b)) = (
                self.roadmap.space(),
                self.roadmap.configuration(a),
                self.roadmap.configuration(b),
            ) else {
                unreachable!("`new` refuses roadmaps without configurations");
            };
            let dimension = space.dimension();
            space.interpolate(a, b, t, &mut self.point);
            for index in seen.batches as usize..self.batches.len() {
                let Batch { begin, end, radius } = self.batches[index];
                let centre = &self.centres[index * dimension..(index + 1) * dimension];
                if space.distance(&self.point, centre) - radius >= seen.nearest {
                    continue;
                }
                for place in begin..end {
                    let q = &self.coordinates[place * dimension..(place + 1) * dimension];
                    let distance = space.distance(&self.point, q);
                    if distance < seen.nearest {
                        seen.nearest = distance;
                        seen.free = self.free[place];
                    }
                }
            }
            seen.batches = self.batches.len() as u32;
        }
        let weight = (-self.eta * seen.nearest).exp();
        (weight * f64::from(u8::from(seen.free)) + 1.0) / (weight + 2.0)
    }
}

impl Belief for NearestNeighbour<'_> {
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        let ends = self.roadmap.edge(edge);
        let (a, b) = (ends.from, ends.to);
        let inner = self.roadmap.vertex_count() + INNER * edge.index();
        let mut least = self
            .probability_at(a.index(), a, a, 0.0)
            .min(self.probability_at(b.index(), b, b, 0.0));
        for i in 0..INNER {
            let t = (i + 1) as f64 / (POINTS - 1) as f64;
            least = least.min(self.probability_at(inner + i, a, b, t));
        }
        least
    }

    fn draw(&mut self, draw: Draw) -> bool {
        self.draw = draw;
        true
    }

    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        self.draw.unit(u64::from(edge.0)) < self.probability_free(edge)
    }

    /// Where the checker tells of no configurations, a free edge shows its five points free and a
    /// blocked one its middle blocked, the best guess at a place that is not known.
    fn observe(&mut self, evidence: Evidence<'_>) {
        let ends = self.roadmap.edge(evidence.edge);
        let (Some(space), Some(a), Some(b)) = (
            self.roadmap.space(),
            self.roadmap.configuration(ends.from),
            self.roadmap.configuration(ends.to),
        ) else {
            unreachable!("`new` refuses roadmaps without configurations");
        };
        let begin = self.free.len();
        if evidence.sightings.is_empty() {
            let points = match evidence.free {
                Some(true) => 0..POINTS,
                Some(false) => POINTS / 2..POINTS / 2 + 1,
                None => 0..0,
            };
            for i in points {
                space.interpolate(a, b, i as f64 / (POINTS - 1) as f64, &mut self.point);
                self.coordinates.extend_from_slice(&self.point);
                self.free.push(evidence.free == Some(true));
            }
        } else {
            for (q, free) in evidence.sightings.iter() {
                self.coordinates.extend_from_slice(q);
                self.free.push(free);
            }
        }
        let end = self.free.len();
        if end == begin {
            return;
        }
        let dimension = space.dimension();
        space.interpolate(a, b, 0.5, &mut self.point);
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
