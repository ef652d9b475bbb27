//! What is likely to be asked next, and what came of asking about it ahead.
//!
//! A planner asks one question after the other, and mostly knows which come next: the path that it checks has other
//! edges, and if it falls there is another path. Cores that have nothing to do ask the world about these
//! configurations ahead of time. What they find is kept and taken when the planner does ask; only then does it count. A guess
//! that was wrong has cost a core time that it had to spare and nothing else: it is forgotten, and so is one
//! that the world has failed at, which is asked again should it ever be asked in earnest. So a run is the same run,
//! event by event, however much is guessed.
//!
//! What stands first in the list is left to the planner itself, unless that has just begun to ask something else: it would
//! come to it before any other core could have answered. So of two cores one asks about every other
//! configuration, and neither waits for the other.

use crate::roadmap::EdgeId;
use std::collections::{HashMap, VecDeque};

/// When more answers are kept than this all are forgotten.
const MOST_KEPT: usize = 1 << 12;

/// Configurations of an edge that are likely to be asked about soon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Foreseen {
    /// The edge.
    pub edge: EdgeId,
    /// How many of its configurations have been found free before.
    pub seen: u64,
    /// After how many more.
    pub after: u64,
    /// How many.
    pub count: u64,
}

/// A configuration, as what its numbers are made of: the same only if every bit is.
pub(super) type Key = Box<[u64]>;

/// What is known of a configuration that has not been asked about in earnest.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// A core is asking.
    Underway,
    /// A core has asked: whether it is free.
    Found(bool),
    /// The world has failed at it, which says nothing.
    Failed,
}

/// Questions that are likely to come, and answers that nobody has asked for.
#[derive(Debug, Default)]
pub(super) struct Ahead {
    /// The likeliest first, none of them known.
    next: VecDeque<Key>,
    known: HashMap<Key, Known>,
    key: Vec<u64>,
}

/// The key of a configuration.
pub(super) fn key(configuration: &[f64]) -> Key {
    bits(configuration).collect()
}

fn bits(configuration: &[f64]) -> impl Iterator<Item = u64> + '_ {
    configuration.iter().map(|value| value.to_bits())
}

impl Ahead {
    /// These are likely to be asked about next, and what was likely before is so no more.
    pub(super) fn expect(&mut self, configurations: &[f64], dimension: usize) {
        self.next.clear();
        for q in configurations.chunks_exact(dimension) {
            self.key.clear();
            self.key.extend(bits(q));
            let is_listed = self.next.iter().any(|key| **key == *self.key);
            if !is_listed && !self.known.contains_key(&*self.key) {
                self.next.push_back(self.key.as_slice().into());
            }
        }
    }

    /// The next one for a core that has nothing else to do, which leaves the first to the planner where that `is_near`. From
    /// now on it is underway.
    pub(super) fn take_up(&mut self, is_near: bool) -> Option<Key> {
        let second = is_near.then(|| self.next.remove(1)).flatten();
        let key = second.or_else(|| self.next.pop_front())?;
        self.known.insert(key.clone(), Known::Underway);
        Some(key)
    }

    /// What came of asking about one, or that a core is asking.
    pub(super) fn put_down(&mut self, key: Key, known: Known) {
        if self.known.len() >= MOST_KEPT {
            (self.known).retain(|_, known| *known == Known::Underway);
        }
        self.known.insert(key, known);
    }

    /// Whether there is anything to take up.
    pub(super) fn has_next(&self) -> bool {
        !self.next.is_empty()
    }

    /// This one is asked about in earnest: what is known of it, if anything is.
    pub(super) fn ask(&mut self, configuration: &[f64]) -> Option<Known> {
        if self.next.is_empty() && self.known.is_empty() {
            return None;
        }
        self.key.clear();
        self.key.extend(bits(configuration));
        let known = self.known.get(&*self.key).copied();
        if known.is_none() {
            self.next.retain(|key| **key != *self.key);
        }
        known
    }
}
