//! A round robot among occupied cells.
//!
//! How far each cell is from the nearest occupied one is found for all cells at once, by the exact
//! Euclidean distance transform of Felzenszwalb and Huttenlocher (2012), in time linear in the
//! cells. The obstacles are then grown by the robot's radius once, so that a check is one look at
//! a cell.
//!
//! The distance used is that of the two nearest corners or sides of two cells, not of their
//! centres: wherever in its cell the robot's centre lies, a disc that is called free touches the
//! inside of no occupied cell. The price is that the disc may be called in collision when its
//! centre is less than one cell away from a place where it would be.

use crate::world::world_by_looking;
use crate::{GridError, OccupancyGrid};
use psmp::checker::Proof;
use thiserror::Error;

/// Why a [`DiscRobot`] cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[error("a robot of radius {0} cannot be: the radius must be finite and not negative")]
pub struct RadiusError(pub f64);

/// A disc that moves among the occupied cells of a grid.
///
/// It is free where it overlaps no occupied cell and stays within the grid. A disc of radius 0 is
/// the point robot of the grid itself.
#[derive(Debug, Clone, PartialEq)]
pub struct DiscRobot {
    /// The world itself, if the robot is no point.
    map: Option<OccupancyGrid>,
    grown: OccupancyGrid,
    radius: f64,
}

impl DiscRobot {
    /// A robot of `radius` in the world `grid`.
    ///
    /// # Errors
    /// If the radius is negative or not finite.
    pub fn new(grid: &OccupancyGrid, radius: f64) -> Result<Self, RadiusError> {
        if !(radius.is_finite() && radius >= 0.0) {
            return Err(RadiusError(radius));
        }
        if radius == 0.0 {
            // How far things are away takes longer than all the rest, and a point need not know.
            return Ok(Self {
                map: None,
                grown: grid.clone(),
                radius,
            });
        }
        let gaps = squared_gaps(grid);
        let width = grid.width() as usize;
        let grown: Result<_, GridError> =
            OccupancyGrid::from_fn(grid.width(), grid.height(), grid.frame(), |column, row| {
                grid.is_cell_free(column, row)
                    && gaps[row as usize * width + column as usize] >= radius * radius
            });
        match grown {
            Ok(grown) => Ok(Self {
                map: Some(grid.clone()),
                grown,
                radius,
            }),
            Err(_) => unreachable!("a grid of this size and frame is there already"),
        }
    }

    /// The robot's radius.
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// The grid itself.
    #[must_use]
    pub fn map(&self) -> &OccupancyGrid {
        self.map.as_ref().unwrap_or(&self.grown)
    }

    /// The grid with its obstacles grown by the radius: where the disc's centre may be, but for
    /// the margin along the bounds.
    #[must_use]
    pub fn grown(&self) -> &OccupancyGrid {
        &self.grown
    }

    /// Whether the disc is free with its centre at the configuration's first two numbers.
    #[inline]
    #[must_use]
    pub fn free_at(&self, configuration: &[f64]) -> bool {
        let [x, y, ..] = *configuration else {
            return false;
        };
        self.grown
            .margin(x, y)
            .is_some_and(|margin| margin >= self.radius)
            && self.grown.free_at(configuration)
    }
}

impl DiscRobot {
    /// Whether the disc is free all along a stretch, by every cell that its centre passes through. The
    /// bounds are straight: where both ends keep off them, so does all between.
    pub(crate) fn proof_along(&self, middle: &[f64], half: &[f64]) -> Proof {
        let ([x, y, ..], [dx, dy, ..]) = (middle, half) else {
            return Proof::Blocked;
        };
        let ends = [[x - dx, y - dy], [x + dx, y + dy]];
        let keeps_off = |[x, y]: [f64; 2]| {
            let margin = self.grown.margin(x, y);
            margin.is_some_and(|margin| margin >= self.radius)
        };
        match ends.into_iter().all(keeps_off) {
            true => self.grown.proof_along(middle, half),
            false => Proof::Blocked,
        }
    }
}

world_by_looking!(DiscRobot, &DiscRobot);

/// For each cell, the squared distance from its nearest point to the nearest point of any occupied
/// cell, row by row from the top; infinite where nothing is occupied.
///
/// The distance between two cells is that between the centres of one and of the nearest neighbour
/// of the other, so occupied cells count as if they were one larger on each side.
fn squared_gaps(grid: &OccupancyGrid) -> Vec<f64> {
    let (width, height) = (grid.width() as usize, grid.height() as usize);
    let [across, up] = grid.cell_size();
    // Cells to the nearest occupied one in the same column, by a sweep down and one up.
    let mut gaps = vec![f64::INFINITY; width * height];
    let mut sweep = |rows: &mut dyn Iterator<Item = usize>| {
        let mut nearest = vec![f64::INFINITY; width];
        for row in rows {
            for (column, nearest) in nearest.iter_mut().enumerate() {
                *nearest = if grid.is_cell_free(column as u32, row as u32) {
                    *nearest + 1.0
                } else {
                    0.0
                };
                let gap = &mut gaps[row * width + column];
                *gap = gap.min(*nearest);
            }
        }
    };
    sweep(&mut (0..height));
    sweep(&mut (0..height).rev());
    let mut envelope = Envelope::default();
    let mut grown = Vec::with_capacity(width);
    for row in gaps.chunks_exact_mut(width) {
        for gap in row.iter_mut() {
            let gap_between = (*gap - 1.0).max(0.0) * up;
            *gap = gap_between * gap_between;
        }
        grown.clear();
        grown.extend((0..width).map(|column| {
            let neighbours = &row[column.saturating_sub(1)..(column + 2).min(width)];
            neighbours.iter().copied().fold(f64::INFINITY, f64::min)
        }));
        envelope.lower(&grown, across, row);
    }
    gaps
}

/// The lower envelope of parabolas, as room that is used again for each row.
#[derive(Debug, Default)]
struct Envelope {
    /// The places of the parabolas that are lowest somewhere, from left to right, each with where
    /// it begins to be the lowest.
    lowest: Vec<(usize, f64)>,
}

impl Envelope {
    /// Writes to `out[p]` the least of `heights[q] + (pitch * (p - q))^2` over all `q`.
    fn lower(&mut self, heights: &[f64], pitch: f64, out: &mut [f64]) {
        let squared = pitch * pitch;
        self.lowest.clear();
        for (q, &height) in heights.iter().enumerate() {
            if height == f64::INFINITY {
                continue;
            }
            let mut begins = f64::NEG_INFINITY;
            while let Some(&(v, since)) = self.lowest.last() {
                // Where the parabolas of `v` and `q` meet.
                begins = ((height - heights[v]) / squared / (q - v) as f64 + (q + v) as f64) / 2.0;
                if begins > since {
                    break;
                }
                self.lowest.pop();
                begins = f64::NEG_INFINITY;
            }
            self.lowest.push((q, begins));
        }
        let mut at = 0;
        for (p, out) in out.iter_mut().enumerate() {
            while self
                .lowest
                .get(at + 1)
                .is_some_and(|&(_, begins)| begins < p as f64)
            {
                at += 1;
            }
            *out = self.lowest.get(at).map_or(f64::INFINITY, |&(q, _)| {
                let along = pitch * (p as f64 - q as f64);
                heights[q] + along * along
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Frame;
    use proptest::prelude::*;

    fn grids() -> impl Strategy<Value = OccupancyGrid> {
        (2u32..14, 2u32..14, 0.1..3.0f64, 0.0..0.3f64).prop_flat_map(|(w, h, stretch, occupied)| {
            let frame = Frame::Centres {
                x: [0.0, f64::from(w - 1)],
                y: [0.0, stretch * f64::from(h - 1)],
            };
            prop::collection::vec(prop::bool::weighted(1.0 - occupied), (w * h) as usize).prop_map(
                move |free| {
                    OccupancyGrid::from_fn(w, h, frame, |c, r| free[(r * w + c) as usize]).unwrap()
                },
            )
        })
    }

    fn cells(grid: &OccupancyGrid) -> impl Iterator<Item = (u32, u32)> + use<> {
        let width = grid.width();
        (0..grid.height()).flat_map(move |row| (0..width).map(move |column| (column, row)))
    }

    proptest! {
        #[test]
        fn the_transform_is_the_least_distance_to_any_occupied_cell(grid in grids()) {
            let [across, up] = grid.cell_size();
            let gap = |a: u32, b: u32, pitch: f64| pitch * f64::from(a.abs_diff(b).saturating_sub(1));
            for ((column, row), found) in cells(&grid).zip(squared_gaps(&grid)) {
                let least = cells(&grid)
                    .filter(|&(c, r)| !grid.is_cell_free(c, r))
                    .map(|(c, r)| gap(c, column, across).powi(2) + gap(r, row, up).powi(2))
                    .fold(f64::INFINITY, f64::min);
                prop_assert!(
                    found == least || (found - least).abs() <= 1e-9 * least.max(1.0),
                    "{} for {} at {:?}", found, least, (column, row)
                );
            }
        }

        #[test]
        fn radius_zero_is_the_point_robot(
            grid in grids(),
            x in -0.2..1.2f64,
            y in -0.2..1.2f64,
        ) {
            let robot = DiscRobot::new(&grid, 0.0).unwrap();
            let [right, top] = grid.point_at(f64::from(grid.width()), 0.0);
            let q = [x * right, y * top];
            prop_assert_eq!(robot.free_at(&q), grid.free_at(&q));
        }

        /// What is proved free is free at every configuration along it, and what is refuted comes to an
        /// occupied cell or a bound.
        #[test]
        fn stretches_are_proved_by_the_cells_that_they_pass(
            grid in grids(),
            radius in prop::sample::select(vec![0.0, 0.7]),
            shares in prop::collection::vec([0.0..1.0f64, 0.0..1.0f64, 0.0..1.0f64, 0.0..1.0f64], 50),
        ) {
            let robot = DiscRobot::new(&grid, radius).unwrap();
            let [w, h] = grid.cell_size();
            let [right, top] = [w * f64::from(grid.width() - 1), h * f64::from(grid.height() - 1)];
            for [a, b, c, d] in shares {
                let (from, to) = ([a * right, b * top], [c * right, d * top]);
                let middle = [0, 1].map(|i| from[i].midpoint(to[i]));
                let half = [0, 1].map(|i| to[i] - middle[i]);
                let steps = 400;
                let mut all = (0..=steps).map(|step| {
                    let share = f64::from(step) / f64::from(steps);
                    [0, 1].map(|i| from[i] + share * (to[i] - from[i]))
                });
                if robot.proof_along(&middle, &half) == Proof::Free {
                    prop_assert!(all.all(|q| robot.free_at(&q)), "{from:?} to {to:?}");
                } else {
                    // The least step off the line shows what it grazes.
                    let near = |q: [f64; 2]| {
                        let off = 0.01 * w.min(h);
                        [[-off, -off], [-off, off], [off, -off], [off, off], [0.0, 0.0]]
                            .iter()
                            .any(|o| !robot.free_at(&[q[0] + o[0], q[1] + o[1]]))
                    };
                    prop_assert!(all.any(near), "{from:?} to {to:?}");
                }
            }
        }

        /// A free disc overlaps no occupied cell and no bound; one in collision does so after
        /// growing by a cell.
        #[test]
        fn a_disc_is_judged_to_within_a_cell(
            grid in grids(),
            radius in 0.0..4.0f64,
            shares in prop::collection::vec((0.0..1.0f64, 0.0..1.0f64), 300),
        ) {
            let robot = DiscRobot::new(&grid, radius).unwrap();
            let [w, h] = grid.cell_size();
            let [right, top] = [w * f64::from(grid.width() - 1), h * f64::from(grid.height() - 1)];
            for (x, y) in shares {
                let q = [x * right, y * top];
                let margin = q[0].min(right - q[0]).min(q[1]).min(top - q[1]);
                let clearance = cells(&grid)
                    .filter(|&(c, r)| !grid.is_cell_free(c, r))
                    .map(|(c, r)| {
                        let [cx, cy] = grid.point_at(f64::from(c) + 0.5, f64::from(r) + 0.5);
                        let dx = ((q[0] - cx).abs() - w / 2.0).max(0.0);
                        let dy = ((q[1] - cy).abs() - h / 2.0).max(0.0);
                        dx.hypot(dy)
                    })
                    .fold(margin, f64::min);
                if robot.free_at(&q) {
                    prop_assert!(clearance >= radius - 1e-9);
                } else {
                    prop_assert!(clearance <= radius + w.hypot(h) + 1e-9);
                }
            }
        }
    }

    #[test]
    fn an_impossible_radius_is_refused() {
        let grid = OccupancyGrid::from_fn(5, 5, Frame::unit(), |_, _| true).unwrap();
        for radius in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(DiscRobot::new(&grid, radius).is_err());
        }
        let robot = DiscRobot::new(&grid, 0.25).unwrap();
        assert!(robot.free_at(&[0.25, 0.5]) && !robot.free_at(&[0.2, 0.5]));
    }
}
