//! Goals of which any one will do.

use crate::space::Space;

/// One goal, or several of which any one will do: a path leads to that which it is shortest to.
///
/// ```
/// use psmp::Goals;
/// assert_eq!(Goals::from(&[0.9, 0.9]).iter().count(), 1);
/// assert_eq!(Goals::from(&[vec![0.9, 0.9], vec![0.1, 0.9]][..]).iter().count(), 2);
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Goals<'a>(Vec<&'a [f64]>);

impl<'a> Goals<'a> {
    /// The goals in the order given.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &'a [f64]> {
        self.0.iter().copied()
    }

    /// All goals in canonical form, none of them twice, the nearest to `start` first.
    pub(crate) fn nearest_first(&self, space: &Space, start: &[f64]) -> Vec<Vec<f64>> {
        let mut goals: Vec<Vec<f64>> = Vec::with_capacity(self.0.len());
        for goal in self.iter().map(|goal| space.canonical(goal)) {
            if !goals.contains(&goal) {
                goals.push(goal);
            }
        }
        let way = |goal: &Vec<f64>| space.distance(start, goal);
        goals.sort_by(|a, b| way(a).total_cmp(&way(b)));
        goals
    }
}

impl<'a> From<&'a [f64]> for Goals<'a> {
    fn from(goal: &'a [f64]) -> Self {
        Self(vec![goal])
    }
}

impl<'a> From<&'a Vec<f64>> for Goals<'a> {
    fn from(goal: &'a Vec<f64>) -> Self {
        Self(vec![goal])
    }
}

impl<'a, const N: usize> From<&'a [f64; N]> for Goals<'a> {
    fn from(goal: &'a [f64; N]) -> Self {
        Self(vec![goal])
    }
}

impl<'a> From<&'a [Vec<f64>]> for Goals<'a> {
    fn from(goals: &'a [Vec<f64>]) -> Self {
        Self(goals.iter().map(Vec::as_slice).collect())
    }
}

impl<'a> From<Vec<&'a [f64]>> for Goals<'a> {
    fn from(goals: Vec<&'a [f64]>) -> Self {
        Self(goals)
    }
}
