//! Building roadmaps: where the vertices lie, and which of them are joined.
//!
//! Vertices come from [`uniform`] (random, by seed), [`halton`] (evenly spread, no seed needed) or
//! a lattice; edges join all pairs within a radius or each vertex to its nearest neighbours. All of
//! it follows the metric of the [`Space`], weights and wrapping axes included.

use super::{Direction, Edge, Query, Roadmap, RoadmapError, VertexId};
use crate::near::Near;
use crate::space::Space;
use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// Which vertices an edge joins.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Connection {
    /// All pairs at most this far apart.
    Radius(f64),
    /// Each vertex with this many nearest ones (an edge stands if either end asks for it).
    Nearest(usize),
}

impl Connection {
    fn check(self) -> Result<Self, RoadmapError> {
        match self {
            Connection::Radius(r) if !(r > 0.0 && r.is_finite()) => Err(RoadmapError::Parameter(
                format!("the connection radius {r} must be positive and finite"),
            )),
            Connection::Nearest(0) => Err(RoadmapError::Parameter(
                "a vertex must be joined to at least one neighbour".to_owned(),
            )),
            good => Ok(good),
        }
    }
}

/// `count` configurations drawn uniformly from the space, one after the other.
#[must_use]
pub fn uniform(space: &Space, count: usize, seed: u64) -> Vec<f64> {
    let mut random = Pcg64::seed_from_u64(seed);
    let mut coordinates = Vec::with_capacity(count * space.dimension());
    for _ in 0..count {
        for axis in space.axes() {
            coordinates.push(axis.lower() + axis.extent() * random.random::<f64>());
        }
    }
    coordinates
}

/// The first `count` configurations of the Halton sequence over the space, one after the other:
/// spread more evenly than random ones, and the same on every run. The sequence is begun after
/// its first 20 members, where in many dimensions it is not yet even.
#[must_use]
pub fn halton(space: &Space, count: usize) -> Vec<f64> {
    let bases = primes(space.dimension());
    let mut coordinates = Vec::with_capacity(count * space.dimension());
    for index in 0..count as u64 {
        for (axis, &base) in space.axes().iter().zip(&bases) {
            coordinates.push(axis.lower() + axis.extent() * radical_inverse(index + 21, base));
        }
    }
    coordinates
}

/// The connection radius of PRM* for `count` vertices: large enough that the best path through the
/// roadmap tends to the best there is as vertices are added.
#[must_use]
pub fn prm_star_radius(space: &Space, count: usize) -> f64 {
    let d = space.dimension() as f64;
    let volume: f64 = space
        .axes()
        .iter()
        .map(|axis| axis.extent() * axis.weight())
        .product();
    let n = count.max(2) as f64;
    2.0 * ((1.0 + 1.0 / d) * volume / unit_ball_volume(space.dimension()) * n.ln() / n)
        .powf(1.0 / d)
}

/// The volume of the unit ball.
#[must_use]
pub fn unit_ball_volume(dimension: usize) -> f64 {
    match dimension {
        0 => 1.0,
        1 => 2.0,
        d => unit_ball_volume(d - 2) * std::f64::consts::TAU / d as f64,
    }
}

fn primes(count: usize) -> Vec<u64> {
    let mut primes: Vec<u64> = Vec::with_capacity(count);
    let mut candidate = 2;
    while primes.len() < count {
        if primes.iter().all(|p| candidate % p != 0) {
            primes.push(candidate);
        }
        candidate += 1;
    }
    primes
}

/// The digits of `index` in `base`, mirrored behind the point.
fn radical_inverse(mut index: u64, base: u64) -> f64 {
    let (mut value, mut scale) = (0.0, 1.0 / base as f64);
    while index > 0 {
        value += (index % base) as f64 * scale;
        index /= base;
        scale /= base as f64;
    }
    value
}

impl Roadmap {
    /// Joins given configurations (one after the other in `coordinates`) by their distance.
    ///
    /// ```
    /// use psmp::{Connection, Roadmap, Space, roadmap};
    /// let space = Space::unit(2);
    /// let points = roadmap::halton(&space, 200);
    /// let prm = Roadmap::from_configurations(space, points, Connection::Radius(0.2))?;
    /// assert_eq!(prm.vertex_count(), 200);
    /// # Ok::<(), psmp::RoadmapError>(())
    /// ```
    ///
    /// # Errors
    /// If the coordinates do not fit the space or the connection makes no sense.
    pub fn from_configurations(
        space: Space,
        mut coordinates: Vec<f64>,
        connection: Connection,
    ) -> Result<Self, RoadmapError> {
        let connection = connection.check()?;
        let dimension = space.dimension();
        for q in coordinates.chunks_exact_mut(dimension) {
            space.make_canonical(q);
        }
        if !coordinates.len().is_multiple_of(dimension) {
            return Err(RoadmapError::Coordinates {
                values: coordinates.len(),
                vertices: coordinates.len() / dimension,
                dimension,
            });
        }
        let count = coordinates.len() / dimension;
        let mut pairs: Vec<(u32, u32, f64)> = Vec::new();
        {
            let mut near = Near::of(&space, &coordinates);
            let mut found = Vec::new();
            for (v, q) in coordinates.chunks_exact(dimension).enumerate() {
                let v = v as u32;
                match connection {
                    Connection::Radius(radius) => {
                        near.within(q, radius, &mut found);
                        found.retain(|other| other.id > v);
                    }
                    Connection::Nearest(k) => {
                        // One more than asked, because the vertex itself is among its nearest.
                        near.k_nearest(q, k.saturating_add(1).min(count), &mut found);
                        found.retain(|other| other.id != v);
                        found.truncate(k);
                    }
                }
                let joined = found.iter();
                pairs.extend(joined.map(|f| (v.min(f.id), v.max(f.id), f.distance)));
            }
        }
        pairs.sort_unstable_by_key(|&(a, b, _)| (a, b));
        pairs.dedup_by_key(|&mut (a, b, _)| (a, b));
        let edges = pairs
            .into_iter()
            .map(|(a, b, length)| Edge::new(a, b, length))
            .collect();
        Self::from_edges(count, Direction::Undirected, edges)?
            .with_configurations(space, coordinates)
    }

    /// A random geometric graph: `count` random configurations, all pairs within `radius` joined.
    ///
    /// # Errors
    /// If the radius makes no sense.
    pub fn random_geometric(
        space: Space,
        count: usize,
        radius: f64,
        seed: u64,
    ) -> Result<Self, RoadmapError> {
        let coordinates = uniform(&space, count, seed);
        Self::from_configurations(space, coordinates, Connection::Radius(radius))
    }

    /// A regular lattice with `counts[i]` vertices along axis `i`, each joined to the next along
    /// every axis. A plain axis has vertices on both of its bounds; on a wrapping axis the last is
    /// joined to the first.
    ///
    /// # Errors
    /// If there is not one count for each axis, or a count is 0, or the lattice is too large.
    pub fn lattice(space: Space, counts: &[usize]) -> Result<Self, RoadmapError> {
        let dimension = space.dimension();
        if counts.len() != dimension || counts.contains(&0) {
            return Err(RoadmapError::Parameter(format!(
                "a lattice in {dimension} dimensions needs {dimension} positive counts, not {counts:?}"
            )));
        }
        let total = counts
            .iter()
            .try_fold(1usize, |product, &n| product.checked_mul(n))
            .filter(|&n| n < u32::MAX as usize)
            .ok_or(RoadmapError::TooLarge {
                what: "vertices",
                count: usize::MAX,
            })?;
        let place = |axis: usize, i: usize| {
            let a = &space.axes()[axis];
            let steps = if a.wraps() {
                counts[axis]
            } else {
                counts[axis] - 1
            };
            a.lower() + a.extent() * (i as f64 / steps.max(1) as f64)
        };
        let mut coordinates = Vec::with_capacity(total * dimension);
        let mut edges = Vec::new();
        // The last axis runs fastest.
        for vertex in 0..total {
            let mut stride = total;
            for (axis, &n) in counts.iter().enumerate() {
                stride /= n;
                let i = vertex / stride % n;
                coordinates.push(place(axis, i));
                let next = if i + 1 < n {
                    Some(vertex + stride)
                } else if space.axes()[axis].wraps() && n > 2 {
                    Some(vertex - i * stride)
                } else {
                    None
                };
                if let Some(next) = next {
                    edges.push(Edge::new(vertex as u32, next as u32, 0.0));
                }
            }
        }
        for edge in &mut edges {
            let q = |v: VertexId| &coordinates[v.index() * dimension..(v.index() + 1) * dimension];
            edge.length = space.distance(q(edge.from), q(edge.to));
        }
        Self::from_edges(total, Direction::Undirected, edges)?
            .with_configurations(space, coordinates)
    }

    /// The roadmap with a start and a goal added as its last two vertices and joined to it (and to
    /// each other if near enough); one that is a vertex of the roadmap already stays that one. Vertices
    /// and edges that were there keep their ids, so collision tables of the old roadmap still fit. In a directed roadmap the start gets edges out and the
    /// goal edges in.
    ///
    /// # Errors
    /// If the roadmap has no configurations, or start or goal is outside its space.
    pub fn with_query(
        &self,
        start: &[f64],
        goal: &[f64],
        connection: Connection,
    ) -> Result<(Self, Query), RoadmapError> {
        let connection = connection.check()?;
        let (Some(space), Some(old)) = (self.space(), self.configurations()) else {
            return Err(RoadmapError::Parameter(
                "a start and a goal can only be joined to a roadmap that has configurations"
                    .to_owned(),
            ));
        };
        let count = self.vertex_count();
        for (place, q) in [start, goal].into_iter().enumerate() {
            if !space.contains(q) {
                return Err(RoadmapError::OutOfBounds {
                    vertex: count + place,
                    configuration: q.to_vec(),
                });
            }
        }
        let [start, goal] = [start, goal].map(|q| space.canonical(q));
        let (start, goal) = (&start[..], &goal[..]);
        let mut near = self.near().unwrap_or_else(|| Near::new(space));
        let mut found = Vec::new();
        // An end that is a vertex already stays that one: another in its place would be passed twice.
        let mut vertex_at = |q: &[f64]| {
            let nearest = near.nearest(q).map(|found| VertexId(found.id));
            nearest.filter(|v| self.configuration(*v) == Some(q))
        };
        let mut coordinates = old.to_vec();
        let mut vertex = |q: &[f64], there: Option<VertexId>| {
            there.unwrap_or_else(|| {
                coordinates.extend_from_slice(q);
                VertexId((coordinates.len() / q.len()) as u32 - 1)
            })
        };
        let from = vertex(start, vertex_at(start));
        let query = Query {
            start: from,
            goal: vertex(goal, vertex_at(goal).filter(|there| *there != from)),
        };
        let is_new = |v: VertexId| v.index() >= count;
        let mut edges = self.edges().collect::<Vec<_>>();
        for (vertex, q) in [(query.start, start), (query.goal, goal)] {
            if !is_new(vertex) {
                continue;
            }
            match connection {
                Connection::Radius(radius) => near.within(q, radius, &mut found),
                Connection::Nearest(k) => near.k_nearest(q, k.min(count), &mut found),
            }
            found.sort_unstable_by_key(|other| other.id);
            edges.extend(found.iter().map(|other| {
                let (length, other) = (other.distance, VertexId(other.id));
                let (from, to) = if vertex == query.start {
                    (vertex, other)
                } else {
                    (other, vertex)
                };
                Edge { from, to, length }
            }));
        }
        let direct = space.distance(start, goal);
        let near_enough = match connection {
            Connection::Radius(radius) => direct <= radius,
            Connection::Nearest(k) => {
                near.k_nearest(start, k, &mut found);
                found
                    .last()
                    .is_none_or(|farthest| direct <= farthest.distance)
            }
        };
        // An end that is a vertex is joined to the other as to all that are near.
        if near_enough && is_new(query.start) && is_new(query.goal) {
            edges.push(Edge {
                from: query.start,
                to: query.goal,
                length: direct,
            });
        }
        let vertices = coordinates.len() / space.dimension();
        let roadmap = Self::from_edges(vertices, self.direction(), edges)?
            .with_configurations(space.clone(), coordinates)?;
        Ok((roadmap, query))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::roadmap::EdgeId;
    use crate::space::Axis;

    #[test]
    fn radius_graph_joins_exactly_the_near_pairs() {
        let space = Space::unit(3);
        let prm = Roadmap::random_geometric(space.clone(), 150, 0.3, 7).unwrap();
        let q = |v: usize| prm.configuration(VertexId(v as u32)).unwrap();
        let mut expected = 0;
        for a in 0..150 {
            for b in a + 1..150 {
                expected += usize::from(space.distance(q(a), q(b)) <= 0.3);
            }
        }
        assert_eq!(prm.edge_count(), expected);
    }

    #[test]
    fn every_vertex_has_at_least_its_nearest_neighbours() {
        let space = Space::unit(2);
        let points = halton(&space, 100);
        let prm = Roadmap::from_configurations(space, points, Connection::Nearest(5)).unwrap();
        assert!(prm.vertices().all(|v| prm.outgoing(v).count() >= 5));
    }

    #[test]
    fn lattices_wrap_where_their_axes_do() {
        let space = Space::new(vec![Axis::new(0.0, 1.0).unwrap(), Axis::angle()]).unwrap();
        let lattice = Roadmap::lattice(space, &[3, 8]).unwrap();
        assert_eq!(lattice.vertex_count(), 24);
        assert_eq!(lattice.edge_count(), 2 * 8 + 3 * 8);
        let step = std::f64::consts::TAU / 8.0;
        assert!(
            lattice
                .edges()
                .all(|e| (e.length - step).abs() < 1e-12 || (e.length - 0.5).abs() < 1e-12)
        );
    }

    /// A vertex in the place of another would be passed twice in a row.
    #[test]
    fn an_end_that_is_a_vertex_stays_that_one() {
        let prm = Roadmap::random_geometric(Space::unit(2), 60, 0.25, 1).unwrap();
        let q = |v: u32| prm.configuration(VertexId(v)).unwrap().to_vec();
        let connection = Connection::Nearest(4);
        let (joined, query) = prm.with_query(&q(7), &[0.95, 0.95], connection).unwrap();
        assert_eq!((query.start, query.goal), (VertexId(7), VertexId(60)));
        assert_eq!(joined.vertex_count(), 61);
        let (joined, query) = prm.with_query(&[0.95, 0.95], &q(7), connection).unwrap();
        assert_eq!((query.start, query.goal), (VertexId(60), VertexId(7)));
        assert_eq!(joined.vertex_count(), 61);
        let (joined, query) = prm.with_query(&q(7), &q(8), connection).unwrap();
        assert_eq!((query.start, query.goal), (VertexId(7), VertexId(8)));
        assert_eq!(joined.vertex_count(), 60);
        assert!(joined.edges().eq(prm.edges()));
        // Nowhere to go: there are still two ends.
        let (_, query) = prm.with_query(&q(7), &q(7), connection).unwrap();
        assert_eq!((query.start, query.goal), (VertexId(7), VertexId(60)));
    }

    #[test]
    fn a_query_keeps_the_old_ids() {
        let prm = Roadmap::random_geometric(Space::unit(2), 60, 0.25, 1).unwrap();
        let (joined, query) = prm
            .with_query(&[0.05, 0.05], &[0.95, 0.95], Connection::Nearest(4))
            .unwrap();
        assert_eq!(joined.vertex_count(), 62);
        for edge in prm.edge_ids() {
            assert_eq!(prm.edge(edge), joined.edge(EdgeId(edge.0)));
        }
        assert_eq!(joined.outgoing(query.start).count(), 4);
        assert!(
            prm.with_query(&[2.0, 0.0], &[0.5, 0.5], Connection::Nearest(4))
                .is_err()
        );
    }

    #[test]
    fn sequences_and_radii_are_the_known_ones() {
        assert_eq!(radical_inverse(6, 2), 0.375);
        assert_eq!(radical_inverse(1, 3), 1.0 / 3.0);
        assert_eq!(primes(5), [2, 3, 5, 7, 11]);
        let pi = std::f64::consts::PI;
        assert!((unit_ball_volume(3) - 4.0 / 3.0 * pi).abs() < 1e-12);
        let radius = prm_star_radius(&Space::unit(2), 200);
        assert!((radius - (6.0 / pi * 200f64.ln() / 200.0).sqrt()).abs() < 1e-12);
    }
}
