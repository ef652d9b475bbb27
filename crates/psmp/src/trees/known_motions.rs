//! Motions that earlier queries have found free, as stepping stones for a search.
//!
//! Their ends hang together in components. A tree that reaches one place of a component has all of it at once,
//! by the shortest known ways from there. So whenever a tree has a new node, and a single motion would lead to the
//! nearest known place, and that is nearer than the other tree, it tries that motion first; each place once. Where
//! nothing known is near, as in a space of many axes after a few queries, the search goes on as it would alone.

use super::tree::{Look, Tree};
use crate::checker::EdgeMemory;
use crate::near::{Found, Near};
use crate::roadmap::{EdgeId, Roadmap};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Where a place's neighbours are, how far away, and whether the motion there was proved free all along.
#[derive(Debug, Clone, Copy)]
struct Neighbour {
    place: u32,
    length: f64,
    is_proved: bool,
}

/// Places that are joined by motions known to be free.
#[derive(Debug)]
pub(crate) struct KnownMotions {
    coordinates: Vec<f64>,
    dimension: usize,
    /// The neighbours of each place, one place after the other, and where each one's begin.
    neighbours: Vec<Neighbour>,
    begin: Vec<u32>,
    near: Near,
    /// Of each place, whether each tree has tried to get there, or one of them has it.
    tried: [Vec<bool>; 2],
}

impl KnownMotions {
    /// The motions of a roadmap that are known to be free, nothing if there are none. In a world that can prove
    /// motions free those that have not been are still to be.
    pub fn of(roadmap: &Roadmap, known: &EdgeMemory, can_prove: bool) -> Option<Self> {
        let space = roadmap.space()?;
        let free = known
            .known()
            .filter(|(edge, free)| *free && edge.index() < roadmap.edge_count());
        let free: Vec<EdgeId> = free.map(|(edge, _)| edge).collect();
        if free.is_empty() {
            return None;
        }
        let ends = |edge: EdgeId| {
            let edge = roadmap.edge(edge);
            [edge.from, edge.to]
        };
        let mut vertices: Vec<_> = free.iter().flat_map(|&edge| ends(edge)).collect();
        vertices.sort_unstable();
        vertices.dedup();
        let mut links: Vec<(u32, Neighbour)> = Vec::with_capacity(2 * free.len());
        for &edge in &free {
            let places = ends(edge).map(|v| vertices.partition_point(|&other| other < v) as u32);
            let length = roadmap.edge(edge).length;
            for [from, to] in [places, [places[1], places[0]]] {
                links.push((
                    from,
                    Neighbour {
                        place: to,
                        length,
                        is_proved: !can_prove || known.is_proved(edge),
                    },
                ));
            }
        }
        links.sort_by_key(|(from, _)| *from);
        let begin = (0..=vertices.len() as u32)
            .map(|place| links.partition_point(|(from, _)| *from < place) as u32)
            .collect();
        let mut coordinates = Vec::with_capacity(vertices.len() * space.dimension());
        let mut near = Near::new(space);
        for (place, &vertex) in (0..).zip(&vertices) {
            let q = roadmap.configuration(vertex)?;
            coordinates.extend_from_slice(q);
            near.insert(place, q);
        }
        Some(Self {
            coordinates,
            dimension: space.dimension(),
            neighbours: links.into_iter().map(|(_, neighbour)| neighbour).collect(),
            begin,
            near,
            tried: [(); 2].map(|()| vec![false; vertices.len()]),
        })
    }

    pub fn at(&self, place: u32) -> &[f64] {
        let begin = place as usize * self.dimension;
        &self.coordinates[begin..begin + self.dimension]
    }

    /// The place nearest to a node of a tree, if it is nearer than this and the tree has not tried it yet. It
    /// counts as tried from now on.
    pub fn try_nearest(&mut self, q: &[f64], tree: usize, nearer_than: f64) -> Option<u32> {
        let nearest = self.near.nearest(q)?;
        let tried = &mut self.tried[tree][nearest.id as usize];
        if *tried || nearest.distance >= nearer_than {
            return None;
        }
        *tried = true;
        Some(nearest.id)
    }

    fn neighbours(&self, place: u32) -> &[Neighbour] {
        let [begin, end] = [0, 1].map(|next| self.begin[place as usize + next] as usize);
        &self.neighbours[begin..end]
    }

    /// Adds all that hangs together with a place to a tree, whose node is there: by the shortest known ways.
    pub fn add_component(&mut self, place: u32, tree: &mut Tree, node: u32) {
        let places = self.begin.len() - 1;
        // The length of the way to each place, the node that it comes from, and whether that motion is proved.
        let mut ways = vec![(f64::INFINITY, node, true); places];
        ways[place as usize].0 = 0.0;
        let first = Found {
            distance: 0.0,
            id: place,
        };
        let mut open = BinaryHeap::from([Reverse(first)]);
        while let Some(Reverse(here)) = open.pop() {
            let (way, parent, is_proved) = ways[here.id as usize];
            if here.distance > way {
                continue;
            }
            // The other tree meets this one there.
            for tried in &mut self.tried {
                tried[here.id as usize] = true;
            }
            let mut own = node;
            if here.id != place {
                own = tree.add(self.at(here.id), parent);
                if is_proved {
                    tree.mark(own, Look::Proved);
                }
            }
            for next in self.neighbours(here.id) {
                let distance = way + next.length;
                if distance < ways[next.place as usize].0 {
                    ways[next.place as usize] = (distance, own, next.is_proved);
                    let id = next.place;
                    open.push(Reverse(Found { distance, id }));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::tree::ROOT;
    use super::*;
    use crate::roadmap::{Direction, Edge};
    use crate::space::Space;

    /// Two components: a square with a way over two corners that is shorter than that over the third, and an edge.
    #[test]
    fn a_component_comes_whole_by_its_shortest_ways() {
        let coordinates = vec![
            0.0, 0.0, 0.1, 0.0, 0.1, 0.1, 0.0, 0.9, 0.5, 0.5, 0.9, 0.9, 0.9, 0.8,
        ];
        let space = Space::unit(2);
        let length = |a: usize, b: usize| {
            let at = |v: usize| &coordinates[2 * v..2 * v + 2];
            space.distance(at(a), at(b))
        };
        let ends = [(0, 1), (1, 2), (0, 3), (3, 2), (2, 4), (5, 6)];
        let edges = ends.map(|(a, b)| Edge::new(a as u32, b as u32, length(a, b)));
        let roadmap = Roadmap::from_edges(7, Direction::Undirected, edges.to_vec())
            .and_then(|graph| graph.with_configurations(space.clone(), coordinates.clone()))
            .unwrap();
        let mut known = EdgeMemory::default();
        for edge in [0, 2, 3, 5] {
            known.remember(EdgeId(edge), true);
        }
        known.remember_proved(EdgeId(1));
        known.remember(EdgeId(4), false);
        let mut motions = KnownMotions::of(&roadmap, &known, true).unwrap();
        // Of the vertex behind the blocked edge nothing is known.
        assert_eq!(motions.begin.len() - 1, 6);
        let mut tree = Tree::new(&space, &[0.02, 0.0]);
        let place = motions.try_nearest(&[0.02, 0.0], 0, 0.1).unwrap();
        assert_eq!(motions.at(place), [0.0, 0.0]);
        assert_eq!(
            motions.try_nearest(&[0.02, 0.0], 0, 0.1),
            None,
            "tried before"
        );
        assert_eq!(motions.try_nearest(&[0.02, 0.0], 1, 0.01), None, "too far");
        let node = tree.add(&[0.0, 0.0], ROOT);
        motions.add_component(place, &mut tree, node);
        assert_eq!(tree.count(), 5);
        let corner = (0..5).find(|&node| tree.at(node) == [0.1, 0.1]).unwrap();
        let way: Vec<&[f64]> = tree.ancestry(corner).map(|node| tree.at(node)).collect();
        let places: [&[f64]; 4] = [&[0.1, 0.1], &[0.1, 0.0], &[0.0, 0.0], &[0.02, 0.0]];
        assert_eq!(way, places);
        assert!(tree.is_proved(corner));
        assert!(!tree.is_proved(tree.parent(corner).unwrap()));
        // The other tree meets this one there; the other component is still to be had.
        assert_eq!(motions.try_nearest(&[0.1, 0.1], 1, 1.0), None);
        assert!(motions.try_nearest(&[0.9, 0.85], 1, 1.0).is_some());
        assert!(KnownMotions::of(&roadmap, &EdgeMemory::default(), true).is_none());
    }
}
