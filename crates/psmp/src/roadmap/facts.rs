//! Facts about a roadmap that tell whether it is any good: its pieces and its degrees.

use super::{Roadmap, VertexId};

/// The connected components of a roadmap, directions ignored.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Components {
    of_vertex: Vec<u32>,
    sizes: Vec<usize>,
}

impl Components {
    /// How many components there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// How many vertices the largest has.
    #[must_use]
    pub fn largest(&self) -> usize {
        self.sizes.iter().copied().max().unwrap_or(0)
    }

    /// Whether two vertices are in the same component.
    #[must_use]
    pub fn joined(&self, a: VertexId, b: VertexId) -> bool {
        self.of_vertex[a.index()] == self.of_vertex[b.index()]
    }
}

/// The smallest, mean and largest number of ways out of a vertex.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DegreeFacts {
    /// The fewest.
    pub least: usize,
    /// The mean.
    pub mean: f64,
    /// The most.
    pub most: usize,
}

impl Roadmap {
    /// The connected components, directions ignored.
    #[must_use]
    pub fn components(&self) -> Components {
        const UNSEEN: u32 = u32::MAX;
        let mut of_vertex = vec![UNSEEN; self.vertex_count()];
        let mut sizes = Vec::new();
        let mut stack = Vec::new();
        for root in self.vertices() {
            if of_vertex[root.index()] != UNSEEN {
                continue;
            }
            let component = sizes.len() as u32;
            let mut size = 0;
            of_vertex[root.index()] = component;
            stack.push(root);
            while let Some(v) = stack.pop() {
                size += 1;
                for arc in self.outgoing(v).chain(self.incoming(v)) {
                    let slot = &mut of_vertex[arc.target.index()];
                    if *slot == UNSEEN {
                        *slot = component;
                        stack.push(arc.target);
                    }
                }
            }
            sizes.push(size);
        }
        Components { of_vertex, sizes }
    }

    /// How many ways lead out of a vertex: the fewest, the mean, the most.
    #[must_use]
    pub fn degrees(&self) -> DegreeFacts {
        let degree = |v| self.outgoing(v).count();
        let total: usize = self.vertices().map(degree).sum();
        DegreeFacts {
            least: self.vertices().map(degree).min().unwrap_or(0),
            mean: total as f64 / self.vertex_count().max(1) as f64,
            most: self.vertices().map(degree).max().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::roadmap::{Direction, Edge, Roadmap, VertexId};

    #[test]
    fn pieces_and_degrees() {
        let edges = vec![
            Edge::new(0, 1, 1.0),
            Edge::new(2, 1, 1.0),
            Edge::new(3, 4, 1.0),
        ];
        let roadmap = Roadmap::from_edges(6, Direction::Directed, edges).unwrap();
        let pieces = roadmap.components();
        assert_eq!((pieces.count(), pieces.largest()), (3, 3));
        assert!(pieces.joined(VertexId(0), VertexId(2)));
        assert!(!pieces.joined(VertexId(0), VertexId(3)));
        let degrees = roadmap.degrees();
        assert_eq!((degrees.least, degrees.most, degrees.mean), (0, 1, 0.5));
    }
}
