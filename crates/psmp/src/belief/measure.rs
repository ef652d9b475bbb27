//! Where the configurations of a roadmap lie for beliefs that measure how near they are.
//!
//! In the roadmap's own space, or where that has an [embedding](Embedding), in the space that it is embedded in.
//! There the straight motion along an edge is bent. Its points are told from three places, those of its ends, which
//! are kept for all edges that meet there, and that of its middle, by the parabola through them: an arm that turns by
//! a radian on the way is nowhere farther from that than a hundredth of what it moves.
//!
//! A [place](super::places) has its numbers from the middle of the space, each axis by its weight, in longest sides: so
//! distances between places are plain, and in longest sides too.

use super::places::{ABREAST, ROOM};
use super::surroundings::ends;
use crate::roadmap::{EdgeId, Roadmap, VertexId};
use crate::space::{Axis, Embedding};
use std::sync::Arc;
use wide::f32x16;

/// How far along an edge one of its points is.
pub(super) fn share(place: usize, points: usize) -> f64 {
    place as f64 / (points - 1) as f64
}

/// How far along an edge each of its points is, and the last again as often as there is room.
fn shares<const POINTS: usize>() -> [f64; ABREAST] {
    std::array::from_fn(|place| share(place.min(POINTS - 1), POINTS))
}

/// Places of configurations.
#[derive(Debug, Clone)]
pub(super) struct Measure {
    dimension: usize,
    /// After how much each number of a place comes round again, 0 if it does not; none if no number does.
    periods: Vec<f32>,
    of: Of,
}

/// What places are made of.
#[derive(Debug, Clone)]
enum Of {
    /// Of configurations; with how each number is counted.
    Configurations(Vec<Counted>),
    /// Of what they are embedded as.
    Embedded(Embedded),
}

/// What a number of a place is counted from, and by what.
#[derive(Debug, Clone, Copy)]
struct Counted {
    from: f64,
    by: f64,
}

impl Counted {
    fn on(axis: &Axis, longest: f64) -> Self {
        Self {
            from: 0.5 * (axis.lower() + axis.upper()),
            by: axis.weight() / longest,
        }
    }

    #[inline]
    fn at(self, x: f64) -> f32 {
        ((x - self.from) * self.by) as f32
    }
}

/// What is kept of an embedding.
#[derive(Debug, Clone)]
struct Embedded {
    embedding: Arc<dyn Embedding>,
    /// One over its longest side.
    by: f64,
    /// The places of vertices, and of which they are known.
    places: Vec<f32>,
    is_known: Vec<bool>,
    /// Room for a configuration, and for what it is embedded as.
    configuration: Vec<f64>,
    room: Vec<f64>,
}

impl Measure {
    /// For the configurations of a roadmap, which must have some.
    pub fn of(roadmap: &Roadmap) -> Self {
        let Some(own) = roadmap.space() else {
            unreachable!("beliefs that look around refuse roadmaps without configurations");
        };
        let Some(embedding) = own.embedding() else {
            let longest = own.longest_side();
            let period = |axis: &Axis| match axis.wraps() {
                true => (axis.extent() * axis.weight() / longest) as f32,
                false => 0.0,
            };
            let counted = own.axes().iter().map(|axis| Counted::on(axis, longest));
            let wraps = own.axes().iter().any(Axis::wraps);
            return Self {
                dimension: own.dimension(),
                periods: match wraps {
                    true => own.axes().iter().map(period).collect(),
                    false => Vec::new(),
                },
                of: Of::Configurations(counted.collect()),
            };
        };
        let mut measure = Self {
            dimension: embedding.dimension(),
            periods: Vec::new(),
            of: Of::Embedded(Embedded {
                embedding: embedding.clone(),
                by: 1.0 / embedding.longest_side(),
                places: Vec::new(),
                is_known: Vec::new(),
                configuration: vec![0.0; own.dimension()],
                room: vec![0.0; embedding.dimension()],
            }),
        };
        measure.grow(roadmap);
        measure
    }

    /// How many numbers a place has.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// After how much each number of a place comes round again, 0 if it does not; none if no number does.
    #[inline]
    pub fn periods(&self) -> &[f32] {
        &self.periods
    }

    /// Whether straight motions are straight here.
    #[inline]
    pub fn is_straight(&self) -> bool {
        matches!(self.of, Of::Configurations(..))
    }

    /// Follows a roadmap that has grown.
    pub fn grow(&mut self, roadmap: &Roadmap) {
        if let Of::Embedded(embedded) = &mut self.of {
            let vertices = roadmap.vertex_count();
            embedded.is_known.resize(vertices, false);
            let numbers = vertices * embedded.embedding.dimension();
            embedded.places.resize(numbers, 0.0);
        }
    }

    /// Writes the place of a configuration.
    #[inline]
    pub fn place(&mut self, configuration: &[f64], place: &mut [f32]) {
        match &mut self.of {
            Of::Configurations(counted) => count(counted, configuration, place),
            Of::Embedded(embedded) => embedded.place(configuration, place),
        }
    }

    /// Writes the places of evenly spaced points of an edge, both ends included, number by number and the last again as
    /// often as there is room, and the place of its middle. How far from the middle they are at most.
    pub fn along<const POINTS: usize>(
        &mut self,
        roadmap: &Roadmap,
        edge: EdgeId,
        points: &mut [f32x16],
        middle: &mut [f32],
    ) -> f32 {
        let (own, a, b) = ends(roadmap, edge);
        match &mut self.of {
            Of::Configurations(counted) => {
                let ends = own.axes().iter().zip(a.iter().zip(b));
                let places = points.iter_mut().zip(middle);
                for ((counted, (axis, (&a, &b))), (points, middle)) in
                    counted.iter().zip(ends).zip(places)
                {
                    let at = |t| counted.at(axis.between(a, b, t));
                    let each = shares::<POINTS>().map(at);
                    *points = each.into();
                    *middle = at(0.5);
                }
                (0.5 * own.distance(a, b) / own.longest_side()) as f32 * ROOM
            }
            Of::Embedded(embedded) => {
                let mut configuration = std::mem::take(&mut embedded.configuration);
                own.interpolate(a, b, 0.5, &mut configuration);
                embedded.place(&configuration, middle);
                embedded.configuration = configuration;
                let edge = roadmap.edge(edge);
                let [from, to] = [(edge.from, a), (edge.to, b)].map(|(v, q)| embedded.vertex(v, q));
                let t = f32x16::from(shares::<POINTS>().map(|t| t as f32));
                let (on, back) = (t * 2.0, -t + 1.0);
                let mut squared = f32x16::ZERO;
                for (axis, (points, &m)) in points.iter_mut().zip(&*middle).enumerate() {
                    let (a, b) = (embedded.places[from + axis], embedded.places[to + axis]);
                    *points = back * (-on + 1.0) * a + on * 2.0 * back * m + t * (on - 1.0) * b;
                    let part = *points - m;
                    squared += part * part;
                }
                squared.to_array().into_iter().fold(0.0, f32::max).sqrt() * ROOM
            }
        }
    }
}

fn count(counted: &[Counted], numbers: &[f64], place: &mut [f32]) {
    for ((place, counted), x) in place.iter_mut().zip(counted).zip(numbers) {
        *place = counted.at(*x);
    }
}

impl Embedded {
    fn place(&mut self, configuration: &[f64], place: &mut [f32]) {
        self.embedding.embed(configuration, &mut self.room);
        for (place, x) in place.iter_mut().zip(&self.room) {
            *place = (x * self.by) as f32;
        }
    }

    /// Where the place of a vertex is kept.
    fn vertex(&mut self, vertex: VertexId, configuration: &[f64]) -> usize {
        let dimension = self.embedding.dimension();
        let begin = vertex.index() * dimension;
        if !std::mem::replace(&mut self.is_known[vertex.index()], true) {
            let mut places = std::mem::take(&mut self.places);
            self.place(configuration, &mut places[begin..begin + dimension]);
            self.places = places;
        }
        begin
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::belief::places::squared_distance;
    use crate::checker::WorldFn;
    use crate::roadmap::{Connection, halton};
    use crate::space::Space;
    use crate::{Session, SessionOptions, Stop, Until};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// Where the tip of an arm of two links is that turns by the first two numbers of a configuration, and its elbow.
    #[derive(Debug)]
    pub struct Tip;

    impl Embedding for Tip {
        fn dimension(&self) -> usize {
            4
        }
        fn longest_side(&self) -> f64 {
            4.0
        }
        fn embed(&self, q: &[f64], place: &mut [f64]) {
            let ((sin, cos), (turned_sin, turned_cos)) = (q[0].sin_cos(), (q[0] + q[1]).sin_cos());
            place.copy_from_slice(&[cos, sin, cos + turned_cos, sin + turned_sin]);
        }
    }

    #[test]
    fn points_of_an_edge_are_where_its_configurations_are() {
        let space = Space::unit(2).embedded(Arc::new(Tip));
        let points = halton(&space, 100);
        let near = Connection::Nearest(4);
        let roadmap = Roadmap::from_configurations(space.clone(), points, near).unwrap();
        let mut measure = Measure::of(&roadmap);
        assert_eq!(measure.dimension(), 4);
        let (mut points, mut middle) = ([f32x16::ZERO; 4], [0.0; 4]);
        let (mut q, mut place) = ([0.0; 2], [0.0; 4]);
        for edge in roadmap.edge_ids() {
            let half = measure.along::<9>(&roadmap, edge, &mut points, &mut middle);
            let (_, a, b) = ends(&roadmap, edge);
            for point in 0..9 {
                space.interpolate(a, b, share(point, 9), &mut q);
                measure.place(&q, &mut place);
                let at = points.map(|axis| axis.as_array()[point]);
                let off = squared_distance(&at, &place, measure.periods()).sqrt();
                assert!(off <= 0.01 * half, "{off} of {half}");
                assert!(squared_distance(&at, &middle, measure.periods()) <= half * half);
            }
        }
    }

    /// How often it was asked where a configuration is.
    #[derive(Debug, Default)]
    struct Counting(AtomicUsize);

    impl Embedding for Counting {
        fn dimension(&self) -> usize {
            Tip.dimension()
        }
        fn longest_side(&self) -> f64 {
            Tip.longest_side()
        }
        fn embed(&self, q: &[f64], place: &mut [f64]) {
            self.0.fetch_add(1, Ordering::Relaxed);
            Tip.embed(q, place);
        }
    }

    /// A roadmap that knows of no embedding, as one from a file, has that of the space that it is planned on in; and
    /// what a vertex is asked for is kept.
    #[test]
    fn a_session_embeds_the_roadmap_that_it_is_given() {
        let plain = Space::unit(2);
        let points = halton(&plain, 200);
        let near = Connection::Nearest(8);
        let roadmap = Roadmap::from_configurations(plain.clone(), points, near).unwrap();
        for planner in ["ei:local", "pomp:nn"] {
            let counting = Arc::new(Counting::default());
            let space = plain.clone().embedded(counting.clone());
            let options = SessionOptions {
                planner: planner.parse().unwrap(),
                roadmap: Some(roadmap.clone()),
                fixed_roadmap: true,
                ..SessionOptions::default()
            };
            let world = WorldFn(|q: &[f64]| (q[0] - 0.5).abs() > 0.1 || q[1] > 0.8);
            let mut session =
                Session::in_space(&space, world, &[0.1, 0.1], &[0.9, 0.1], options).unwrap();
            for event in Until::new(&mut session, &Stop::gap(0.0)) {
                event.unwrap();
            }
            assert!(session.best_path().is_some());
            assert!(counting.0.load(Ordering::Relaxed) > 100, "{planner}");
            assert!(roadmap.space().unwrap().embedding().is_none());
        }
    }
}
