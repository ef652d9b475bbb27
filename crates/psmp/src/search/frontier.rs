//! The frontier of a search: a priority queue of vertices whose priorities can fall.
//!
//! It is a 4-ary heap that knows where in it each vertex is. A vertex stands in it at most once,
//! so that it never outgrows the roadmap and never allocates once made, and emptying it costs what
//! is left in it, not what the roadmap has.

use crate::roadmap::Slot;

const ABSENT: u32 = u32::MAX;
const CHILDREN: usize = 4;

#[derive(Debug, Clone, Copy)]
struct Entry {
    /// Estimated cost of a path through the vertex: lowest first.
    total: f64,
    /// Cost of the way to the vertex: of equal totals the farthest along goes first.
    so_far: f64,
    vertex: Slot,
}

impl Entry {
    #[inline]
    fn before(&self, other: &Entry) -> bool {
        if self.total != other.total {
            return self.total < other.total;
        }
        if self.so_far != other.so_far {
            return self.so_far > other.so_far;
        }
        self.vertex < other.vertex
    }
}

#[derive(Debug, Clone)]
pub(super) struct Frontier {
    heap: Vec<Entry>,
    place: Vec<u32>,
}

impl Frontier {
    pub(super) fn new(vertices: usize) -> Self {
        Self {
            heap: Vec::with_capacity(vertices),
            place: vec![ABSENT; vertices],
        }
    }

    /// Makes room for vertices that were added.
    pub(super) fn grow(&mut self, vertices: usize) {
        self.place.resize(vertices, ABSENT);
        self.heap.reserve(vertices - self.heap.len());
    }

    pub(super) fn clear(&mut self) {
        for entry in self.heap.drain(..) {
            self.place[entry.vertex.index()] = ABSENT;
        }
    }

    /// Adds the vertex, or moves it forward if it is in already.
    #[inline]
    pub(super) fn push(&mut self, vertex: Slot, total: f64, so_far: f64) {
        let entry = Entry {
            total,
            so_far,
            vertex,
        };
        let place = self.place[vertex.index()];
        let hole = if place == ABSENT {
            self.heap.push(entry);
            self.heap.len() - 1
        } else {
            place as usize
        };
        self.rise(hole, entry);
    }

    /// Takes the first vertex out.
    #[inline]
    pub(super) fn pop(&mut self) -> Option<Slot> {
        let first = *self.heap.first()?;
        self.place[first.vertex.index()] = ABSENT;
        let last = self.heap.pop()?;
        if !self.heap.is_empty() {
            self.sink(last);
        }
        Some(first.vertex)
    }

    fn rise(&mut self, mut hole: usize, entry: Entry) {
        while hole > 0 {
            let parent = (hole - 1) / CHILDREN;
            if !entry.before(&self.heap[parent]) {
                break;
            }
            self.put(hole, self.heap[parent]);
            hole = parent;
        }
        self.put(hole, entry);
    }

    /// The first of the children of a place, if it has any.
    #[inline]
    fn first_child(&self, place: usize) -> Option<usize> {
        let begin = place * CHILDREN + 1;
        let children = self.heap.get(begin..)?;
        let least = match children.first_chunk::<CHILDREN>() {
            // Nearly all places have all of them. In pairs, so that half of the comparisons wait for no other.
            Some([a, b, c, d]) => {
                let one = usize::from(b.before(a));
                let other = 2 + usize::from(d.before(c));
                match children[other].before(&children[one]) {
                    true => other,
                    false => one,
                }
            }
            None => {
                let each = 1..children.len();
                each.fold(0, |least, child| {
                    match children[child].before(&children[least]) {
                        true => child,
                        false => least,
                    }
                })
            }
        };
        (!children.is_empty()).then_some(begin + least)
    }

    fn sink(&mut self, entry: Entry) {
        let mut hole = 0;
        while let Some(child) = self.first_child(hole) {
            if !self.heap[child].before(&entry) {
                break;
            }
            self.put(hole, self.heap[child]);
            hole = child;
        }
        self.put(hole, entry);
    }

    #[inline]
    fn put(&mut self, place: usize, entry: Entry) {
        self.heap[place] = entry;
        self.place[entry.vertex.index()] = place as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Draw;

    #[test]
    fn pops_in_order_with_lowered_priorities() {
        let random = Draw::new(1, 0);
        let mut frontier = Frontier::new(500);
        let mut best = vec![f64::INFINITY; 500];
        for step in 0..3000 {
            let v = random.below(500, step) as u32;
            let total = random.below(100, step + 10_000) as f64;
            if total < best[v as usize] {
                best[v as usize] = total;
                frontier.push(Slot(v), total, 0.0);
            }
        }
        let mut last = (-1.0, 0);
        let mut count = 0;
        while let Some(v) = frontier.pop() {
            let next = (best[v.index()], v.0);
            assert!(last < next);
            last = next;
            count += 1;
        }
        assert_eq!(count, best.iter().filter(|b| b.is_finite()).count());
        frontier.push(Slot(3), 1.0, 0.0);
        frontier.clear();
        assert!(frontier.pop().is_none());
    }
}
