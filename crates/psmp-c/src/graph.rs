//! What a planner has come to know, as a graph: the roadmap with all that it has grown by.

use crate::world::CheckedByCaller;
use psmp::checker::World;
use psmp::{EdgeId, Session, SessionError, Space};

/// What is known of an edge.
#[repr(C)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeState {
    /// Nothing.
    Unchecked = 0,
    /// It was checked and is free.
    Free = 1,
    /// It was checked and is blocked.
    Blocked = 2,
}

/// An edge between two vertices.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Edge {
    /// One end, as the number of a vertex counted from 0.
    pub from: u32,
    /// The other end.
    pub to: u32,
    /// How long it is.
    pub length: f64,
    /// What is known of it.
    pub state: EdgeState,
}

/// How large the graph is, and where the query is in it.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct GraphSize {
    /// How many vertices there are.
    pub vertices: usize,
    /// How many edges there are.
    pub edges: usize,
    /// The vertex where the query begins; UINT32_MAX if there are none.
    pub start: u32,
    /// The goal that the best path leads to, or the nearest; UINT32_MAX if there are no vertices.
    pub goal: u32,
}

/// The graph as it was when somebody asked.
#[derive(Debug, Default)]
pub struct Graph {
    pub coordinates: Vec<f64>,
    pub edges: Vec<Edge>,
    ends: Option<[u32; 2]>,
}

impl Graph {
    /// All that a session has found out; before there is a roadmap, and where none is needed, its best path.
    pub fn of(
        session: &mut Session<'static, CheckedByCaller>,
        space: &Space,
    ) -> Result<Self, SessionError<<CheckedByCaller as World>::Error>> {
        session.gather()?;
        let Some((roadmap, query)) = session.roadmap() else {
            return Ok(session.best_path().map_or_else(Self::default, |path| {
                let steps = (0..path.count() - 1).map(|from| Edge {
                    from: from as u32,
                    to: from as u32 + 1,
                    length: space.distance(path.at(from), path.at(from + 1)),
                    state: EdgeState::Free,
                });
                Self {
                    coordinates: path.coordinates().to_vec(),
                    edges: steps.collect(),
                    ends: Some([0, path.count() as u32 - 1]),
                }
            }));
        };
        let known = session.known();
        let edges = roadmap.edges().enumerate().map(|(id, edge)| Edge {
            from: edge.from.0,
            to: edge.to.0,
            length: edge.length,
            state: match known.status(EdgeId(id as u32)) {
                None => EdgeState::Unchecked,
                Some(true) => EdgeState::Free,
                Some(false) => EdgeState::Blocked,
            },
        });
        let vertices = roadmap.vertices();
        let coordinates = vertices.flat_map(|v| roadmap.configuration(v).unwrap_or_default());
        Ok(Self {
            coordinates: coordinates.copied().collect(),
            edges: edges.collect(),
            ends: Some([query.start.0, query.goal.0]),
        })
    }

    pub fn size(&self, dimension: usize) -> GraphSize {
        let [start, goal] = self.ends.unwrap_or([u32::MAX; 2]);
        GraphSize {
            vertices: self.coordinates.len() / dimension,
            edges: self.edges.len(),
            start,
            goal,
        }
    }
}
