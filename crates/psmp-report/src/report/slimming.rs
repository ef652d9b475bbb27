//! A film of a large roadmap without the edges that nobody looked at, so that a page can hold it.
//!
//! A page draws no unchecked edges where there are very many. So it need not have them: what stays are the
//! edges that were checked or proposed, and the vertices that these lead to, with new numbers.

use super::data::{Film, FrameKind, Grown};
use psmp::{Edge, EdgeId, Query, Roadmap, RoadmapError, VertexId};

/// Films of no more edges than this are left as they are.
const MOST_EDGES: usize = 30_000;
/// Of more edges than this that were checked and are in collision, only so many stay.
const MOST_BLOCKED: usize = 60_000;

/// The same film, or one that shows as much of it as can be seen.
///
/// # Errors
/// If the film's frames are of another roadmap than its own.
pub(super) fn slimmed(film: Film) -> Result<Film, RoadmapError> {
    let new = film.frames.iter().flat_map(|frame| &frame.grown.edges);
    let edges: Vec<Edge> = film.roadmap.edges().chain(new.copied()).collect();
    if edges.len() <= MOST_EDGES {
        return Ok(film);
    }
    let is_wanted = wanted_edges(&film, edges.len());
    let new = film.frames.iter().map(|frame| frame.grown.vertices.len());
    let vertices = film.roadmap.vertex_count() + new.sum::<usize>();
    let mut is_met = vec![false; vertices];
    let ends = edges.iter().zip(&is_wanted).filter(|(_, wanted)| **wanted);
    let ends = ends.flat_map(|(edge, _)| [edge.from, edge.to]);
    for vertex in ends.chain([film.query.start, film.query.goal]) {
        if let Some(met) = is_met.get_mut(vertex.index()) {
            *met = true;
        }
    }
    renumbered(film, &Numbers::of(&is_wanted), &Numbers::of(&is_met))
}

/// The edges that were checked or proposed.
fn wanted_edges(film: &Film, count: usize) -> Vec<bool> {
    let mut is_wanted = vec![false; count];
    let mut want = |edge: EdgeId| {
        if let Some(wanted) = is_wanted.get_mut(edge.index()) {
            *wanted = true;
        }
    };
    let mut blocked = Vec::new();
    for frame in &film.frames {
        match &frame.kind {
            FrameKind::Checked { edge, .. } => want(*edge),
            FrameKind::Proposed { path, .. } => path.iter().copied().for_each(&mut want),
            _ => {}
        }
        for &(edge, free) in &frame.checked {
            match free {
                true => want(edge),
                false => blocked.push(edge),
            }
        }
    }
    let every = blocked.len().div_ceil(MOST_BLOCKED).max(1);
    blocked.into_iter().step_by(every).for_each(want);
    is_wanted
}

/// New numbers for those that stay.
struct Numbers(Vec<Option<u32>>);

impl Numbers {
    fn of(stays: &[bool]) -> Self {
        let mut next = 0;
        let numbers = stays.iter().map(|stays| {
            stays.then(|| {
                next += 1;
                next - 1
            })
        });
        Self(numbers.collect())
    }

    fn get(&self, old: u32) -> Option<u32> {
        *self.0.get(old as usize)?
    }

    fn edge(&self, old: EdgeId) -> Option<EdgeId> {
        self.get(old.0).map(EdgeId)
    }

    /// An edge whose ends have these numbers.
    fn moved(&self, edge: Edge) -> Option<Edge> {
        let [from, to] = [self.get(edge.from.0)?, self.get(edge.to.0)?];
        Some(Edge::new(from, to, edge.length))
    }
}

fn renumbered(film: Film, edges: &Numbers, vertices: &Numbers) -> Result<Film, RoadmapError> {
    let old = &film.roadmap;
    let stay = old.edges().zip(&edges.0);
    let stay = stay.filter_map(|(edge, number)| number.and(vertices.moved(edge)));
    let kept = &vertices.0[..old.vertex_count()];
    let count = kept.iter().flatten().count();
    let mut roadmap = Roadmap::from_edges(count, old.direction(), stay.collect())?;
    if let (Some(space), Some(all)) = (old.space(), old.configurations()) {
        let places = all.chunks_exact(space.dimension()).zip(kept);
        let places = places.filter(|(_, number)| number.is_some());
        let coordinates = places.flat_map(|(q, _)| q).copied().collect();
        roadmap = roadmap.with_configurations(space.clone(), coordinates)?;
    }
    // How many vertices and edges there were before the frame.
    let mut before = [old.vertex_count(), old.edge_count()];
    let mut frames = film.frames;
    for frame in &mut frames {
        match &mut frame.kind {
            FrameKind::Proposed { path, .. } => {
                *path = path.iter().filter_map(|&edge| edges.edge(edge)).collect();
            }
            FrameKind::Checked { edge, .. } => *edge = edges.edge(*edge).unwrap_or(*edge),
            FrameKind::Improved { path } => {
                let numbers = path.iter().filter_map(|v| vertices.get(v.0));
                *path = numbers.map(VertexId).collect();
            }
            _ => {}
        }
        frame.belief.clear();
        let checked = frame.checked.iter();
        frame.checked = checked
            .filter_map(|&(edge, free)| Some((edges.edge(edge)?, free)))
            .collect();
        let Grown {
            vertices: places,
            edges: new,
            count,
        } = std::mem::take(&mut frame.grown);
        let after = [before[0] + places.len(), before[1] + new.len()];
        frame.grown = Grown {
            vertices: (before[0]..)
                .zip(places)
                .filter_map(|(old, at)| vertices.get(old as u32).map(|_| at))
                .collect(),
            edges: (before[1]..)
                .zip(new)
                .filter_map(|(old, edge)| edges.get(old as u32).and(vertices.moved(edge)))
                .collect(),
            count,
        };
        before = after;
    }
    let end = |vertex: VertexId| VertexId(vertices.get(vertex.0).unwrap_or(u32::MAX));
    Ok(Film {
        query: Query {
            start: end(film.query.start),
            goal: end(film.query.goal),
        },
        roadmap,
        frames,
        ..film
    })
}

#[cfg(test)]
mod tests {
    use super::super::data::Frame;
    use super::*;
    use psmp::{Direction, Progress, Space};

    /// A ring of vertices with a chord from each to the next but one, of which a few edges are looked at.
    #[test]
    fn what_nobody_looked_at_goes_and_the_rest_stays_where_it_was() {
        let count = 20_000u32;
        let at = |v: u32| {
            let turn = f64::from(v) * std::f64::consts::TAU / f64::from(count);
            [0.5 + 0.4 * turn.cos(), 0.5 + 0.4 * turn.sin()]
        };
        let ring = (0..count).map(|v| Edge::new(v, (v + 1) % count, 0.1));
        let chords = (0..count).map(|v| Edge::new(v, (v + 2) % count, 0.1));
        let roadmap = Roadmap::from_edges(
            count as usize,
            Direction::Undirected,
            ring.chain(chords).collect(),
        );
        let roadmap = roadmap
            .and_then(|r| r.with_configurations(Space::unit(2), (0..count).flat_map(at).collect()))
            .unwrap();
        let frame = |kind| Frame::new(kind, &Progress::BEGINNING);
        let mut grown = frame(FrameKind::Checked {
            edge: EdgeId(2 * count),
            free: true,
        });
        grown.grown = Grown {
            vertices: vec![[0.5, 0.5], [0.6, 0.6]],
            edges: vec![Edge::new(500, count + 1, 0.2), Edge::new(7, count, 0.2)],
            count: [2, 2],
        };
        grown.checked = vec![(EdgeId(500), false)];
        let film = Film {
            planner: String::new(),
            experience: String::new(),
            world: 1,
            seed: 0,
            image: None,
            grown_image: None,
            roadmap,
            grows: true,
            query: Query {
                start: VertexId(3),
                goal: VertexId(9000),
            },
            shortest: None,
            frames: vec![
                frame(FrameKind::Proposed {
                    path: vec![EdgeId(1000), EdgeId(count + 1001)],
                    sampled_blocked: None,
                }),
                grown,
            ],
        };
        let slim = slimmed(film).unwrap();
        // Vertices 3, 500, 501, 1000, 1001, 1003 and 9000; edges 500, 1000 and a chord.
        assert_eq!(slim.roadmap.vertex_count(), 7);
        assert_eq!(slim.roadmap.edge_count(), 3);
        assert_eq!(
            (slim.query.start, slim.query.goal),
            (VertexId(0), VertexId(6))
        );
        let place = |v: VertexId| slim.roadmap.configuration(v).unwrap().to_vec();
        assert_eq!(place(VertexId(6)), at(9000));
        let FrameKind::Proposed { path, .. } = &slim.frames[0].kind else {
            unreachable!("it was proposed");
        };
        assert_eq!(path[..], [EdgeId(1), EdgeId(2)]);
        let chord = slim.roadmap.edge(path[1]);
        assert_eq!([place(chord.from), place(chord.to)], [at(1001), at(1003)]);
        let last = &slim.frames[1];
        assert!(matches!(last.kind, FrameKind::Checked { edge, .. } if edge == EdgeId(3)));
        assert_eq!(last.checked, [(EdgeId(0), false)]);
        assert_eq!(last.grown.vertices, [[0.6, 0.6]]);
        assert_eq!(last.grown.edges, [Edge::new(1, 7, 0.2)]);
        assert_eq!(last.grown.count, [2, 2]);
    }
}
