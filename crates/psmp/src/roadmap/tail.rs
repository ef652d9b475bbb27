//! What a roadmap has grown by since it was built.
//!
//! The base of a roadmap never changes: its rows are laid out for searching. What is added goes behind it
//! into a tail that can be appended to while others read, without a lock on their side and without anything
//! moving in memory. The edges that a vertex has got there hang together in a list, the newest first, so
//! that adding one costs the same whatever the size of the roadmap. A roadmap that has not grown has no
//! lists, and a search finds that out with one comparison for each vertex.

use super::adjacency::{HalfEdge, Slot};
use super::{Direction, Edge};
use boxcar::Vec as Appended;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// The end of a list.
const END: u32 = u32::MAX;

#[derive(Debug, Clone)]
struct Link {
    half: HalfEdge,
    next: u32,
}

/// The half-edges that vertices have got, in a list for each.
#[derive(Debug, Default)]
struct Lists {
    /// Where the list of each vertex of the base begins; nothing before the first growth.
    of_base: OnceLock<Box<[AtomicU32]>>,
    /// Where the list of each vertex of the tail begins.
    of_new: Appended<AtomicU32>,
    links: Appended<Link>,
}

impl Lists {
    /// Adds a half-edge that leaves a slot; the base has so many.
    fn add(&self, slot: Slot, half: HalfEdge, base: usize) {
        let of_base = self
            .of_base
            .get_or_init(|| (0..base).map(|_| AtomicU32::new(END)).collect());
        let first = match of_base.get(slot.index()) {
            Some(first) => first,
            None => &self.of_new[slot.index() - base],
        };
        let next = first.load(Ordering::Relaxed);
        let link = self.links.push(Link { half, next });
        // Whoever sees the link's place sees the link.
        first.store(link as u32, Ordering::Release);
    }

    #[inline]
    fn first(&self, slot: Slot) -> u32 {
        let Some(of_base) = self.of_base.get() else {
            return END;
        };
        let first = match of_base.get(slot.index()) {
            Some(first) => first,
            None => &self.of_new[slot.index() - of_base.len()],
        };
        first.load(Ordering::Acquire)
    }

    fn copy(&self) -> Self {
        let same = |first: &AtomicU32| AtomicU32::new(first.load(Ordering::Acquire));
        let of_base: Option<Box<[AtomicU32]>> =
            (self.of_base.get()).map(|of_base| of_base.iter().map(same).collect());
        Self {
            of_base: of_base.map_or_else(OnceLock::new, OnceLock::from),
            of_new: self.of_new.iter().map(|(_, first)| same(first)).collect(),
            links: self.links.clone(),
        }
    }
}

/// The half-edges of a vertex, run by run: first those of the base, side by side in memory, then each
/// that has been added.
#[derive(Debug, Clone)]
pub(crate) struct Runs<'r> {
    base: Option<&'r [HalfEdge]>,
    links: &'r Appended<Link>,
    next: u32,
}

impl<'r> Iterator for Runs<'r> {
    type Item = &'r [HalfEdge];

    #[inline]
    fn next(&mut self) -> Option<&'r [HalfEdge]> {
        if let Some(base) = self.base.take() {
            return Some(base);
        }
        if self.next == END {
            return None;
        }
        let Link { half, next } = &self.links[self.next as usize];
        self.next = *next;
        Some(std::slice::from_ref(half))
    }
}

/// The vertices and edges behind the base of a roadmap.
#[derive(Debug)]
pub(super) struct Tail {
    /// How many there are; nothing behind is looked at.
    vertices: AtomicUsize,
    edge_count: AtomicUsize,
    edges: Appended<Edge>,
    /// Of each vertex, if the roadmap has configurations.
    configurations: Appended<Box<[f64]>>,
    outgoing: Lists,
    /// Only for directed roadmaps; for undirected ones the outgoing lists serve both ways.
    incoming: Option<Lists>,
    /// Held by whoever appends.
    growing: Mutex<()>,
}

impl Tail {
    pub(super) fn new(direction: Direction) -> Self {
        Self {
            vertices: AtomicUsize::new(0),
            edge_count: AtomicUsize::new(0),
            edges: Appended::new(),
            configurations: Appended::new(),
            outgoing: Lists::default(),
            incoming: (direction == Direction::Directed).then(Lists::default),
            growing: Mutex::default(),
        }
    }

    /// The same, which grows apart from this one.
    pub(super) fn copy(&self) -> Self {
        let _held = self.hold();
        Self {
            vertices: AtomicUsize::new(self.vertex_count()),
            edge_count: AtomicUsize::new(self.edge_count()),
            edges: self.edges.clone(),
            configurations: self.configurations.clone(),
            outgoing: self.outgoing.copy(),
            incoming: self.incoming.as_ref().map(Lists::copy),
            growing: Mutex::default(),
        }
    }

    /// Keeps others from appending.
    pub(super) fn hold(&self) -> MutexGuard<'_, ()> {
        self.growing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[inline]
    pub(super) fn vertex_count(&self) -> usize {
        self.vertices.load(Ordering::Acquire)
    }

    #[inline]
    pub(super) fn edge_count(&self) -> usize {
        self.edge_count.load(Ordering::Acquire)
    }

    #[inline]
    pub(super) fn edge(&self, place: usize) -> Edge {
        self.edges[place]
    }

    #[inline]
    pub(super) fn configuration(&self, place: usize) -> &[f64] {
        &self.configurations[place]
    }

    /// Adds a vertex without edges.
    pub(super) fn add_vertex(&self, configuration: Box<[f64]>) {
        self.configurations.push(configuration);
        self.outgoing.of_new.push(AtomicU32::new(END));
        if let Some(incoming) = &self.incoming {
            incoming.of_new.push(AtomicU32::new(END));
        }
        self.vertices.fetch_add(1, Ordering::Release);
    }

    /// Adds an edge: as it is, and as the half-edges from its beginning and from its end. The base has
    /// `base` vertices.
    pub(super) fn add_edge(&self, edge: Edge, [there, back]: [(Slot, HalfEdge); 2], base: usize) {
        self.edges.push(edge);
        self.outgoing.add(there.0, there.1, base);
        let other = self.incoming.as_ref().unwrap_or(&self.outgoing);
        other.add(back.0, back.1, base);
        self.edge_count.fetch_add(1, Ordering::Release);
    }

    /// The half-edges out of a slot, behind those of the base.
    #[inline]
    pub(super) fn outgoing<'r>(&'r self, base: &'r [HalfEdge], slot: Slot) -> Runs<'r> {
        runs(base, &self.outgoing, slot)
    }

    /// The half-edges into a slot, behind those of the base.
    #[inline]
    pub(super) fn incoming<'r>(&'r self, base: &'r [HalfEdge], slot: Slot) -> Runs<'r> {
        runs(base, self.incoming.as_ref().unwrap_or(&self.outgoing), slot)
    }
}

#[inline]
fn runs<'r>(base: &'r [HalfEdge], lists: &'r Lists, slot: Slot) -> Runs<'r> {
    Runs {
        base: Some(base),
        links: &lists.links,
        next: lists.first(slot),
    }
}
