//! A run's fingerprint: one number for all of its events, so that a rerun can be told to be the
//! same without either being kept.

use psmp::{Event, EventKind, Source};
use std::hash::Hasher;
use twox_hash::XxHash64;

/// Takes in events and ends in a number. The number depends on nothing but the events, on every
/// machine alike.
pub struct EventHash(XxHash64);

impl Default for EventHash {
    fn default() -> Self {
        Self(XxHash64::with_seed(0))
    }
}

impl EventHash {
    /// Takes in one event.
    pub fn add(&mut self, event: &Event) {
        let [kind, a, b, c] = match event.kind {
            EventKind::Proposed { length, source } => [
                1,
                length.to_bits(),
                match source {
                    Source::Proposer => 0,
                    Source::Fallback => 1,
                    Source::Insurance => 2,
                    _ => u64::MAX,
                },
                0,
            ],
            EventKind::NoImprovement => [2, 0, 0, 0],
            EventKind::Checked {
                edge,
                free,
                configurations,
            } => [3, u64::from(edge.0), u64::from(free), configurations],
            EventKind::Improved { length } => [4, length.to_bits(), 0, 0],
            EventKind::ShortestOnRoadmap | EventKind::StraightLine => [5, 0, 0, 0],
            EventKind::NoPathOnRoadmap => [6, 0, 0, 0],
            EventKind::GaveUp => [7, 0, 0, 0],
            EventKind::Probed {
                free,
                configurations,
            } => [8, 0, u64::from(free), configurations],
            EventKind::PartlyChecked {
                edge,
                configurations,
            } => [9, u64::from(edge.0), 0, configurations],
            EventKind::Grown { vertices, edges } => [10, vertices, edges, 0],
            EventKind::Tried {
                what,
                free,
                configurations,
            } => [12, what as u64, u64::from(free), configurations],
            EventKind::Settled => [13, 0, 0, 0],
            EventKind::Priced(prices) => {
                let bits = [prices.configuration(), prices.thought()].map(f64::to_bits);
                [14, bits[0], bits[1], 0]
            }
            EventKind::Proved {
                edge,
                free,
                configurations,
            } => [11, u64::from(edge.0), u64::from(free), configurations],
            _ => [u64::MAX, 0, 0, 0],
        };
        let p = event.progress;
        let best = p.best_length.unwrap_or(f64::INFINITY).to_bits();
        let bound = p.lower_bound.to_bits();
        let words = [
            kind,
            a,
            b,
            c,
            p.configurations,
            p.edges,
            p.proposals,
            best,
            bound,
        ];
        // All at once: each write takes as long as a word of it.
        self.0.write(words.map(u64::to_le_bytes).as_flattened());
    }

    /// The number, as 16 hexadecimal digits.
    #[must_use]
    pub fn digits(&self) -> String {
        format!("{:016x}", self.0.finish())
    }
}
