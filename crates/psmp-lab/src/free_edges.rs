//! Which edges of a roadmap a checker finds free, as words of bits: a row of a collision table.

use psmp::checker::{Checker, Part, Sightings};
use psmp::{EdgeId, Limit, Roadmap, Space};
use std::convert::Infallible;

/// Checks every edge, and proves those that it finds free if it can.
pub(crate) fn free_edges(
    checker: &mut impl Checker<Error = Infallible>,
    roadmap: &Roadmap,
) -> Vec<u64> {
    let dimension = roadmap.space().map_or(0, Space::dimension);
    let mut sightings = Sightings::new(dimension);
    let mut words = vec![0; roadmap.edge_count().div_ceil(64)];
    for edge in roadmap.edge_ids() {
        sightings.clear();
        let Ok(mut finding) = checker.check(Part::whole_of(edge), &mut sightings);
        if finding.free == Some(true) {
            let Ok(proved) = checker.prove(edge, &Limit::NONE);
            finding.free = proved.free;
        }
        words[edge.index() / 64] |= u64::from(finding.free == Some(true)) << (edge.index() % 64);
    }
    words
}

/// Whether the edge's bit is set.
pub(crate) fn bit(words: &[u64], edge: EdgeId) -> bool {
    words[edge.index() / 64] >> (edge.index() % 64) & 1 == 1
}
