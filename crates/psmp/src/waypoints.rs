//! A path as the configurations that it leads through.

use crate::{Path, Roadmap, Space};

/// Configurations joined by straight motions, and the length of the whole. None is the same as the
/// one before it.
#[derive(Debug, Clone, PartialEq)]
pub struct Waypoints {
    dimension: usize,
    coordinates: Vec<f64>,
    length: f64,
}

impl Waypoints {
    /// The path through these configurations of `space`, given one after the other. One that repeats
    /// the one before it is passed over.
    ///
    /// # Panics
    /// If the coordinates are none, or are not a whole number of configurations.
    #[must_use]
    pub fn new(space: &Space, mut coordinates: Vec<f64>) -> Self {
        let dimension = space.dimension();
        assert!(
            !coordinates.is_empty() && coordinates.len().is_multiple_of(dimension),
            "{} values are no configurations of {dimension} each",
            coordinates.len()
        );
        let mut kept = dimension;
        for at in (dimension..coordinates.len()).step_by(dimension) {
            if coordinates[at..at + dimension] != coordinates[kept - dimension..kept] {
                coordinates.copy_within(at..at + dimension, kept);
                kept += dimension;
            }
        }
        coordinates.truncate(kept);
        // Summed from the goal backwards, as every length in psmp is.
        let steps = coordinates.len() / dimension - 1;
        let length = (0..steps).rev().fold(0.0, |sum, i| {
            let at = i * dimension;
            let (a, b) = coordinates[at..at + 2 * dimension].split_at(dimension);
            space.distance(a, b) + sum
        });
        Self {
            dimension,
            coordinates,
            length,
        }
    }

    /// The same path as one found on a roadmap; `None` if the roadmap has no configurations.
    #[must_use]
    pub fn of_roadmap(roadmap: &Roadmap, path: &Path) -> Option<Self> {
        let mut coordinates = Vec::new();
        for vertex in path.vertices() {
            coordinates.extend_from_slice(roadmap.configuration(*vertex)?);
        }
        Some(Self::new(roadmap.space()?, coordinates))
    }

    /// The configurations from start to goal.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &[f64]> + ExactSizeIterator {
        self.coordinates.chunks_exact(self.dimension)
    }

    /// How many configurations there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.coordinates.len() / self.dimension
    }

    /// The configuration at this place, counted from the start.
    ///
    /// # Panics
    /// If there are not so many.
    #[must_use]
    pub fn at(&self, place: usize) -> &[f64] {
        &self.coordinates[place * self.dimension..(place + 1) * self.dimension]
    }

    /// All configurations, one after the other.
    #[must_use]
    pub fn coordinates(&self) -> &[f64] {
        &self.coordinates
    }

    /// The sum of the motions' lengths.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.length
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_waypoint_is_there_twice_in_a_row() {
        let space = Space::unit(2);
        let twice = vec![0.1, 0.2, 0.1, 0.2, 0.5, 0.2, 0.5, 0.2, 0.5, 0.2, 0.1, 0.2];
        let path = Waypoints::new(&space, twice);
        assert_eq!(path.coordinates(), [0.1, 0.2, 0.5, 0.2, 0.1, 0.2]);
        assert_eq!((path.count(), path.length()), (3, 0.8));
        let nowhere = Waypoints::new(&space, vec![0.1, 0.2, 0.1, 0.2]);
        assert_eq!((nowhere.count(), nowhere.length()), (1, 0.0));
    }
}
