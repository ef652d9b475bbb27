//! A film stopped: what was known, believed and found at a moment of a run.

use super::data::{Film, FrameKind};
use crate::drawing::{EdgeMark, Given, TriedWay};
use psmp::{Direction, Edge, Roadmap, VertexId};

/// Where a run stood.
pub(super) struct Moment {
    /// The roadmap as it had grown.
    pub(super) roadmap: Roadmap,
    /// What of it was given, if it may grow.
    pub(super) given: Option<Given>,
    /// What had been tried beside it.
    pub(super) tried: Vec<TriedWay>,
    /// What was known of each edge.
    pub(super) edges: Vec<EdgeMark>,
    /// The best path.
    pub(super) best: Option<Vec<VertexId>>,
    /// Its length.
    pub(super) best_length: Option<f64>,
    /// How the run had ended, if it had.
    pub(super) ended: Option<&'static str>,
}

impl Moment {
    /// Where a run stood when it had spent so much.
    pub(super) fn at(film: &Film, configurations: u64) -> Self {
        // An edge of which nothing was said is as likely free as not.
        let unknown = EdgeMark::Unknown { p_free: 0.5 };
        let mut moment = Self {
            roadmap: film.roadmap.clone(),
            given: film.grows.then(|| Given {
                vertices: film.roadmap.vertex_count(),
                edges: film.roadmap.edge_count(),
            }),
            tried: Vec::new(),
            edges: vec![unknown; film.roadmap.edge_count()],
            best: None,
            best_length: None,
            ended: None,
        };
        let mut growth = Growth::default();
        let frames = film.frames.iter();
        for frame in frames.take_while(|f| f.configurations <= configurations) {
            for &(edge, p_free) in &frame.belief {
                if let Some(mark @ EdgeMark::Unknown { .. }) = moment.edges.get_mut(edge.index()) {
                    *mark = EdgeMark::Unknown {
                        p_free: f64::from(p_free) / 255.0,
                    };
                }
            }
            growth.vertices.extend(&frame.grown.vertices);
            growth.edges.extend(&frame.grown.edges);
            moment
                .edges
                .resize(film.roadmap.edge_count() + growth.edges.len(), unknown);
            let own = match frame.kind {
                FrameKind::Checked { edge, free } => Some((edge, free)),
                _ => None,
            };
            for (edge, free) in frame.checked.iter().copied().chain(own) {
                if let Some(mark) = moment.edges.get_mut(edge.index()) {
                    *mark = match free {
                        true => EdgeMark::Free,
                        false => EdgeMark::Blocked,
                    };
                }
            }
            match &frame.kind {
                FrameKind::Improved { path } => moment.best = Some(path.clone()),
                FrameKind::Shortened { places } => growth.best.clone_from(places),
                FrameKind::Tried { places, free, .. } => moment.tried.push(TriedWay {
                    places: places.clone(),
                    free: *free,
                }),
                FrameKind::Ended(how) => moment.ended = Some(how),
                FrameKind::Checked { .. }
                | FrameKind::Proposed { .. }
                | FrameKind::NoImprovement
                | FrameKind::Grown => {}
            }
            moment.best_length = frame.best_length.filter(|l| l.is_finite());
        }
        if let Some((roadmap, best)) = growth.of(&film.roadmap).filter(|_| film.grows) {
            moment.roadmap = roadmap;
            moment.best = Some(best);
        }
        moment
    }
}

/// What a roadmap has grown by, and the best path, which need not lie on it.
#[derive(Default)]
struct Growth {
    vertices: Vec<[f64; 2]>,
    edges: Vec<Edge>,
    best: Vec<[f64; 2]>,
}

impl Growth {
    /// The roadmap as it has grown; the places of the best path are vertices like others, to be drawn with
    /// the rest.
    fn of(&self, given: &Roadmap) -> Option<(Roadmap, Vec<VertexId>)> {
        let space = given.space().filter(|space| space.dimension() == 2)?;
        let first = given.vertex_count() + self.vertices.len();
        let best = (first as u32..).map(VertexId).take(self.best.len());
        let edges = given.edges().chain(self.edges.iter().copied()).collect();
        let new = self.vertices.iter().chain(&self.best).flatten();
        let old = given.configurations()?;
        let coordinates = old.iter().chain(new).copied();
        let roadmap = Roadmap::from_edges(first + self.best.len(), Direction::Undirected, edges)
            .and_then(|graph| graph.with_configurations(space.clone(), coordinates.collect()));
        Some((roadmap.ok()?, best.collect()))
    }
}
