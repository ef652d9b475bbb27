//! Random problems: small enough to solve by brute force, varied enough to be nasty.

use petgraph::algo::dijkstra;
use petgraph::graph::{DiGraph, NodeIndex};
use psmp::{Direction, Draw, Edge, EdgeId, Query, Roadmap, Space, VertexId};

pub struct Problem {
    pub roadmap: Roadmap,
    pub query: Query,
    /// Whether each edge is free.
    pub truth: Vec<bool>,
}

impl Problem {
    /// A problem that follows from `seed` alone. One in two is geometric (with configurations), the
    /// rest are arbitrary graphs with parallel edges, loops, ties and zero lengths, half of them
    /// directed. Start and goal may coincide, and a goal may be out of reach.
    pub fn random(seed: u64) -> Self {
        let random = Draw::new(seed, 0);
        let vertices = 2 + random.below(24, 0) as u32;
        let roadmap = if seed.is_multiple_of(2) {
            let radius = 0.25 + 0.35 * random.unit(1);
            Roadmap::random_geometric(Space::unit(2), vertices as usize, radius, seed).unwrap()
        } else {
            let edges = (0..random.below(4 * u64::from(vertices), 2))
                .map(|i| {
                    let end = |salt| random.below(u64::from(vertices), 100 + 3 * i + salt) as u32;
                    // Whole lengths make many paths equally long.
                    let length = random.below(6, 5000 + i) as f64;
                    Edge::new(end(0), end(1), length)
                })
                .collect();
            let direction = if random.unit(3) < 0.5 {
                Direction::Directed
            } else {
                Direction::Undirected
            };
            Roadmap::from_edges(vertices as usize, direction, edges).unwrap()
        };
        let share_free = 0.3 + 0.7 * random.unit(4);
        let truth = roadmap
            .edge_ids()
            .map(|e| random.unit(10_000 + u64::from(e.0)) < share_free)
            .collect();
        let pick = |salt| VertexId(random.below(u64::from(vertices), salt) as u32);
        Self {
            query: Query {
                start: pick(5),
                goal: pick(6),
            },
            roadmap,
            truth,
        }
    }

    /// The length of the shortest path in the true world, by petgraph.
    pub fn shortest(&self) -> Option<f64> {
        shortest(&self.roadmap, self.query, |e| self.truth[e.index()])
    }
}

/// The length of the shortest path over open edges, by petgraph.
pub fn shortest(roadmap: &Roadmap, query: Query, open: impl Fn(EdgeId) -> bool) -> Option<f64> {
    let mut graph = DiGraph::<(), f64>::new();
    for _ in roadmap.vertices() {
        graph.add_node(());
    }
    let node = |v: VertexId| NodeIndex::new(v.index());
    for id in roadmap.edge_ids().filter(|&e| open(e)) {
        let Edge { from, to, length } = roadmap.edge(id);
        graph.add_edge(node(from), node(to), length);
        if roadmap.direction() == Direction::Undirected {
            graph.add_edge(node(to), node(from), length);
        }
    }
    let goal = node(query.goal);
    dijkstra(&graph, node(query.start), Some(goal), |e| *e.weight())
        .get(&goal)
        .copied()
}
