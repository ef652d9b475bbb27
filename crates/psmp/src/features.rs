//! Features: what is known of a world before anything is checked.
//!
//! Often a good deal is: a camera or a planner of tasks has told where things stand, and only what that means for
//! motions is dear to find out. Features are a few numbers for each world that say it, so that worlds in which things
//! stand alike have numbers alike. What they mean is for the caller to say; beliefs only ask which known worlds
//! resemble the one that is planned in.

/// So many numbers for each of some worlds.
#[derive(Debug, Clone, PartialEq)]
pub struct Features {
    width: usize,
    numbers: Vec<f64>,
}

impl Features {
    /// From one row for each world. `None` unless the rows have the same length, and any numbers.
    #[must_use]
    pub fn from_rows<R: AsRef<[f64]>>(rows: &[R]) -> Option<Self> {
        let width = rows.first()?.as_ref().len();
        let fits = width > 0 && rows.iter().all(|row| row.as_ref().len() == width);
        let numbers = rows.iter().flat_map(|row| row.as_ref()).copied();
        fits.then(|| Self {
            width,
            numbers: numbers.collect(),
        })
    }

    /// The rows, world after world, in one. `None` unless they are of `width` numbers each.
    #[must_use]
    pub fn from_numbers(width: usize, numbers: Vec<f64>) -> Option<Self> {
        let fits = width > 0 && numbers.len().is_multiple_of(width);
        fits.then_some(Self { width, numbers })
    }

    /// How many numbers each world has.
    #[must_use]
    pub fn width(&self) -> usize {
        self.width
    }

    /// How many worlds there are.
    #[must_use]
    pub fn world_count(&self) -> usize {
        self.numbers.len() / self.width
    }

    /// All numbers, world after world.
    #[must_use]
    pub fn numbers(&self) -> &[f64] {
        &self.numbers
    }

    /// Those of one world.
    ///
    /// # Panics
    /// If there is no such world.
    #[must_use]
    pub fn of(&self, world: usize) -> &[f64] {
        &self.numbers[world * self.width..][..self.width]
    }

    /// These worlds only, and behind them so many of which nothing is known: no number is as near as any other to
    /// what is not a number.
    pub(crate) fn chosen(&self, worlds: impl Iterator<Item = usize>, more: usize) -> Self {
        let mut numbers: Vec<f64> = worlds.flat_map(|w| self.of(w)).copied().collect();
        numbers.resize(numbers.len() + more * self.width, f64::NAN);
        Self {
            width: self.width,
            numbers,
        }
    }
}

/// How unlike two worlds are: the root mean square by which their features differ. Nothing, if either is not known
/// or they are not of one kind.
#[must_use]
pub(crate) fn unlikeness(one: &[f64], other: &[f64]) -> Option<f64> {
    let each = one.iter().zip(other);
    let squared: f64 = each.map(|(a, b)| (a - b) * (a - b)).sum();
    let mean = squared / one.len() as f64;
    (one.len() == other.len() && mean.is_finite()).then(|| mean.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_of_one_length() {
        assert_eq!(Features::from_rows::<[f64; 0]>(&[]), None);
        assert_eq!(Features::from_rows(&[vec![], vec![]]), None);
        assert_eq!(Features::from_rows(&[vec![1.0], vec![1.0, 2.0]]), None);
        assert_eq!(Features::from_numbers(2, vec![0.0; 3]), None);
        let features = Features::from_rows(&[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]).unwrap();
        assert_eq!((features.width(), features.world_count()), (2, 3));
        assert_eq!(features.of(1), [3.0, 4.0]);
        let chosen = features.chosen([2, 0].into_iter(), 1);
        assert_eq!(
            (chosen.of(0), chosen.of(1)),
            (&[5.0, 6.0][..], &[1.0, 2.0][..])
        );
        assert!(chosen.of(2).iter().all(|x| x.is_nan()));
    }

    #[test]
    fn what_is_not_known_is_like_nothing() {
        assert_eq!(unlikeness(&[0.0, 0.0], &[3.0, 3.0]), Some(3.0));
        assert_eq!(unlikeness(&[0.0, 0.0], &[3.0, f64::NAN]), None);
        assert_eq!(unlikeness(&[0.0], &[0.0, 0.0]), None);
        assert_eq!(unlikeness(&[], &[]), None);
    }
}
