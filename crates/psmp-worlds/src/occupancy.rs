//! A plane cut into cells that are free or occupied.
//!
//! Cells are counted as in a picture: columns from the left, rows from the top. A [`Frame`] says
//! where the picture lies in the plane, x to the right and y up. What lies outside the picture is
//! not free. The robot is a point; a disc is a [`DiscRobot`](crate::DiscRobot).

use crate::raster::read_grey;
use crate::world::world_by_looking;
use psmp::checker::Proof;
use psmp_files::{FileError, save};
use std::io::Cursor;
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

/// Where a picture lies in the plane.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Frame {
    /// The centres of the outermost cells lie on the bounds: the column of `x` is
    /// `(x - x0) / (x1 - x0) * (width - 1)`, rounded; the top row is `y1`.
    Centres {
        /// The bounds `[x0, x1]`.
        x: [f64; 2],
        /// The bounds `[y0, y1]`.
        y: [f64; 2],
    },
    /// Square cells tile the plane from the lower left corner: the column of `x` is
    /// `(x - origin) / resolution`, rounded down.
    Cells {
        /// The lower left corner of the lower left cell.
        origin: [f64; 2],
        /// How far the picture is turned about its origin, anticlockwise, in radians.
        yaw: f64,
        /// The side of a cell.
        resolution: f64,
    },
}

impl Frame {
    /// Cell centres that span the unit square.
    #[must_use]
    pub fn unit() -> Self {
        Self::Centres {
            x: [0.0, 1.0],
            y: [0.0, 1.0],
        }
    }

    /// Cell centres from the origin on, for cells that are as wide as high: those along the longer
    /// side of the picture span 0 to 1, those along the shorter side less.
    #[must_use]
    pub fn square_cells(width: u32, height: u32) -> Self {
        let steps = [width, height].map(|count| f64::from(count.saturating_sub(1)));
        let [x, y] = steps.map(|count| [0.0, count / steps[0].max(steps[1])]);
        Self::Centres { x, y }
    }
}

/// Why an [`OccupancyGrid`] cannot be.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
#[non_exhaustive]
pub enum GridError {
    /// Too few cells for the frame.
    #[error(
        "{width} x {height} cells are too few: at least one is needed each way, and two where \
         cell centres span the bounds"
    )]
    TooSmall {
        /// Cells in a row.
        width: u32,
        /// Cells in a column.
        height: u32,
    },
    /// Bounds that are not intervals.
    #[error(
        "the bounds [{0:?}, {1:?}] are not an interval: both must be finite, the lower below the upper"
    )]
    Bounds(f64, f64),
    /// A resolution, origin or yaw that is no length, place or angle.
    #[error(
        "a map at origin {origin:?}, yaw {yaw} and resolution {resolution} is impossible: all must \
         be finite, the resolution positive"
    )]
    Cells {
        /// The origin given.
        origin: [f64; 2],
        /// The yaw given.
        yaw: f64,
        /// The resolution given.
        resolution: f64,
    },
}

/// How a picture becomes an [`OccupancyGrid`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImageOptions {
    /// Where the picture lies; [`Frame::square_cells`] if not given.
    pub frame: Option<Frame>,
    /// A pixel is free if its luminance, 0 to 255, is above this. By default 127.
    pub threshold: u8,
    /// The width and height that the picture must have, if it must.
    pub size: Option<(u32, u32)>,
}

impl Default for ImageOptions {
    fn default() -> Self {
        Self {
            frame: None,
            threshold: 127,
            size: None,
        }
    }
}

/// One direction of the grid: how lengths along it become cells.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Ruler {
    /// A length of `unit` is `cells` cells; kept apart so that round bounds stay exact.
    unit: f64,
    cells: f64,
    /// Lengths from 0 to this are inside.
    extent: f64,
}

impl Ruler {
    fn pitch(self) -> f64 {
        self.unit / self.cells
    }
}

/// Free and occupied cells in the plane.
///
/// A configuration is checked by its first two numbers, x and y.
///
/// ```
/// use psmp_worlds::{Frame, OccupancyGrid};
/// // The right half is occupied.
/// let grid = OccupancyGrid::from_fn(101, 101, Frame::unit(), |column, _| column < 50)?;
/// assert!(grid.free_at(&[0.2, 0.9]));
/// assert!(!grid.free_at(&[0.8, 0.9]));
/// assert!(!grid.free_at(&[-0.1, 0.9])); // outside
/// # Ok::<(), psmp_worlds::GridError>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct OccupancyGrid {
    width: u32,
    height: u32,
    frame: Frame,
    origin: [f64; 2],
    /// Cosine and sine of the frame's yaw.
    turn: [f64; 2],
    across: Ruler,
    up: Ruler,
    /// Added before rounding down: one half where cell centres span the bounds.
    rounding: f64,
    /// A bit for each cell, set where it is free, row by row from the top. Copies share it.
    free: Arc<[u64]>,
}

impl OccupancyGrid {
    /// A grid in which `free(column, row)` says of each cell whether it is free.
    ///
    /// # Errors
    /// If the frame makes no sense or there are too few cells.
    pub fn from_fn(
        width: u32,
        height: u32,
        frame: Frame,
        mut free: impl FnMut(u32, u32) -> bool,
    ) -> Result<Self, GridError> {
        let grid = Self::empty(width, height, frame)?;
        let mut bits = vec![0; (width as usize * height as usize).div_ceil(64)];
        for row in 0..height {
            for column in 0..width {
                let cell = grid.index(column, row);
                bits[cell / 64] |= u64::from(free(column, row)) << (cell % 64);
            }
        }
        Ok(Self {
            free: bits.into(),
            ..grid
        })
    }

    /// A grid without its cells.
    fn empty(width: u32, height: u32, frame: Frame) -> Result<Self, GridError> {
        let least = match frame {
            Frame::Centres { .. } => 2,
            Frame::Cells { .. } => 1,
        };
        if width < least || height < least {
            return Err(GridError::TooSmall { width, height });
        }
        let (origin, yaw, across, up, rounding) = match frame {
            Frame::Centres { x, y } => {
                let ruler = |[lower, upper]: [f64; 2], count: u32| {
                    let extent = upper - lower;
                    if lower.is_finite() && extent.is_finite() && extent > 0.0 {
                        Ok(Ruler {
                            unit: extent,
                            cells: f64::from(count - 1),
                            extent,
                        })
                    } else {
                        Err(GridError::Bounds(lower, upper))
                    }
                };
                ([x[0], y[0]], 0.0, ruler(x, width)?, ruler(y, height)?, 0.5)
            }
            Frame::Cells {
                origin,
                yaw,
                resolution,
            } => {
                let ruler = |count: u32| Ruler {
                    unit: resolution,
                    cells: 1.0,
                    extent: resolution * f64::from(count),
                };
                let (across, up) = (ruler(width), ruler(height));
                let finite = [origin[0], origin[1], yaw, across.extent, up.extent]
                    .iter()
                    .all(|value| value.is_finite());
                if !(finite && resolution > 0.0) {
                    return Err(GridError::Cells {
                        origin,
                        yaw,
                        resolution,
                    });
                }
                (origin, yaw, across, up, 0.0)
            }
        };
        Ok(Self {
            width,
            height,
            frame,
            origin,
            turn: [yaw.cos(), yaw.sin()],
            across,
            up,
            rounding,
            free: Arc::default(),
        })
    }

    /// Reads a PNG, PGM or JPEG picture in which bright is free.
    ///
    /// # Errors
    /// If the file is missing, damaged, of another format or of another size than it must have.
    pub fn read(path: impl AsRef<Path>, options: &ImageOptions) -> Result<Self, FileError> {
        let path = path.as_ref();
        Self::of_picture(path, &read_grey(path, options.size)?, options)
    }

    /// The grid that a picture becomes; `path` is what an error names.
    pub(crate) fn of_picture(
        path: &Path,
        picture: &image::GrayAlphaImage,
        options: &ImageOptions,
    ) -> Result<Self, FileError> {
        let (width, height) = picture.dimensions();
        let frame = options.frame;
        let frame = frame.unwrap_or_else(|| Frame::square_cells(width, height));
        Self::from_fn(width, height, frame, |column, row| {
            picture.get_pixel(column, row).0[0] > options.threshold
        })
        .map_err(|e| {
            FileError::new(path, e.to_string())
                .hint("give a larger picture, or bounds that are an interval on each axis")
        })
    }

    /// Writes the cells as a PNG picture, free white and occupied black.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write_png(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let picture = image::GrayImage::from_fn(self.width, self.height, |column, row| {
            image::Luma([if self.is_cell_free(column, row) {
                255
            } else {
                0
            }])
        });
        let mut bytes = Cursor::new(Vec::new());
        picture
            .write_to(&mut bytes, image::ImageFormat::Png)
            .map_err(|e| FileError::new(&path, format!("cannot make a PNG of the grid: {e}")))?;
        save(path, bytes.get_ref())
    }

    /// How many cells a row has.
    #[must_use]
    pub fn width(&self) -> u32 {
        self.width
    }

    /// How many cells a column has.
    #[must_use]
    pub fn height(&self) -> u32 {
        self.height
    }

    /// Where the grid lies in the plane.
    #[must_use]
    pub fn frame(&self) -> Frame {
        self.frame
    }

    /// The width and height of a cell in the plane.
    #[must_use]
    pub fn cell_size(&self) -> [f64; 2] {
        [self.across.pitch(), self.up.pitch()]
    }

    /// Whether cells are as wide as high, up to one cell over the whole grid: bounds that are those
    /// of the cells' edges rather than their centres are off by that much.
    #[must_use]
    pub fn has_square_cells(&self) -> bool {
        let [width, height] = self.cell_size();
        (width / height).ln().abs() * f64::from(self.width.min(self.height)) <= 1.0
    }

    /// Whether a cell is free; one that is not there is not.
    #[inline]
    #[must_use]
    pub fn is_cell_free(&self, column: u32, row: u32) -> bool {
        column < self.width && row < self.height && {
            let cell = self.index(column, row);
            self.free[cell / 64] >> (cell % 64) & 1 == 1
        }
    }

    /// The column and row of the cell at a point, or `None` outside.
    #[inline]
    #[must_use]
    pub fn cell_at(&self, x: f64, y: f64) -> Option<(u32, u32)> {
        let [across, up] = self.inside(x, y)?;
        let column = (across / self.across.unit * self.across.cells + self.rounding) as u32;
        let row_from_below = (up / self.up.unit * self.up.cells + self.rounding) as u32;
        // The far edge of the last cell is outside where cells tile the plane.
        (column < self.width && row_from_below < self.height)
            .then(|| (column, self.height - 1 - row_from_below))
    }

    /// The point of the plane at a place in the picture, measured in cells from its top left
    /// corner to the right and down; the centre of a cell is at `(column + 0.5, row + 0.5)`.
    #[must_use]
    pub fn point_at(&self, right: f64, down: f64) -> [f64; 2] {
        let across = (right - self.rounding) * self.across.pitch();
        let up = (f64::from(self.height) - down - self.rounding) * self.up.pitch();
        let [cos, sin] = self.turn;
        [
            self.origin[0] + cos * across - sin * up,
            self.origin[1] + sin * across + cos * up,
        ]
    }

    /// The least upright rectangle around the grid, as `[[x0, x1], [y0, y1]]`.
    #[must_use]
    pub fn bounds(&self) -> [[f64; 2]; 2] {
        if let Frame::Centres { x, y } = self.frame {
            return [x, y];
        }
        let (right, down) = (f64::from(self.width), f64::from(self.height));
        let corners = [(0.0, 0.0), (right, 0.0), (0.0, down), (right, down)];
        let corners = corners.map(|(right, down)| self.point_at(right, down));
        [0, 1].map(|axis| {
            let along = corners.map(|corner| corner[axis]);
            [
                along.into_iter().fold(f64::INFINITY, f64::min),
                along.into_iter().fold(f64::NEG_INFINITY, f64::max),
            ]
        })
    }

    /// Whether a point robot is free at the configuration's first two numbers.
    #[inline]
    #[must_use]
    pub fn free_at(&self, configuration: &[f64]) -> bool {
        let [x, y, ..] = *configuration else {
            return false;
        };
        self.cell_at(x, y)
            .is_some_and(|(column, row)| self.is_cell_free(column, row))
    }

    /// Whether a point robot is free all along a stretch, by every cell that it passes through.
    pub(crate) fn proof_along(&self, middle: &[f64], half: &[f64]) -> Proof {
        let ([x, y, ..], [dx, dy, ..]) = (middle, half) else {
            return Proof::Blocked;
        };
        let ends = [(x - dx, y - dy), (x + dx, y + dy)];
        match ends.map(|(x, y)| self.inside(x, y)) {
            [Some(from), Some(to)] if self.are_cells_free(from, to) => Proof::Free,
            _ => Proof::Blocked,
        }
    }

    /// Whether all cells are free that a straight line between two points inside the grid passes
    /// through (Amanatides and Woo, 1987).
    fn are_cells_free(&self, from: [f64; 2], to: [f64; 2]) -> bool {
        let rulers = [self.across, self.up];
        let in_cells = |point: [f64; 2]| {
            [0, 1].map(|i| point[i] / rulers[i].unit * rulers[i].cells + self.rounding)
        };
        let [from, to] = [from, to].map(in_cells);
        let way = [to[0] - from[0], to[1] - from[1]];
        let mut cell = from.map(f64::floor);
        let last = to.map(f64::floor);
        // At which share of the way the next cell begins, either way.
        let begins = |cell: [f64; 2], i: usize| match way[i] {
            0.0 => f64::INFINITY,
            way if way > 0.0 => (cell[i] + 1.0 - from[i]) / way,
            way => (cell[i] - from[i]) / way,
        };
        let steps = (0..2).map(|i| (last[i] - cell[i]).abs()).sum::<f64>();
        for left in (0..=steps as u64).rev() {
            // Rounding may put the end of the way a hair behind the far edge.
            let [column, row] = [0, 1].map(|i| cell[i].max(0.0) as u32);
            let is_free = column < self.width
                && row < self.height
                && self.is_cell_free(column, self.height - 1 - row);
            if !is_free {
                return false;
            }
            if left > 0 {
                let next = usize::from(begins(cell, 1) < begins(cell, 0));
                // Never past the last one.
                let next = if cell[next] == last[next] {
                    1 - next
                } else {
                    next
                };
                cell[next] += way[next].signum();
            }
        }
        true
    }

    /// How far inside the left and lower bounds a point lies, or `None` outside.
    #[inline]
    fn inside(&self, x: f64, y: f64) -> Option<[f64; 2]> {
        let [dx, dy] = [x - self.origin[0], y - self.origin[1]];
        let [cos, sin] = self.turn;
        let [across, up] = [cos * dx + sin * dy, cos * dy - sin * dx];
        let inside =
            across >= 0.0 && across <= self.across.extent && up >= 0.0 && up <= self.up.extent;
        inside.then_some([across, up])
    }

    /// How far inside all four bounds a point lies, or `None` outside.
    #[inline]
    pub(crate) fn margin(&self, x: f64, y: f64) -> Option<f64> {
        let [across, up] = self.inside(x, y)?;
        Some(
            across
                .min(self.across.extent - across)
                .min(up)
                .min(self.up.extent - up),
        )
    }

    #[inline]
    fn index(&self, column: u32, row: u32) -> usize {
        row as usize * self.width as usize + column as usize
    }
}

world_by_looking!(OccupancyGrid, &OccupancyGrid);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use psmp::checker::World as _;

    #[test]
    fn cell_centres_span_the_bounds() {
        let grid = OccupancyGrid::from_fn(11, 21, Frame::unit(), |_, _| true).unwrap();
        assert_eq!(grid.cell_at(0.0, 1.0), Some((0, 0)));
        assert_eq!(grid.cell_at(1.0, 0.0), Some((10, 20)));
        assert_eq!(grid.cell_at(0.349, 0.5), Some((3, 10)));
        assert_eq!(grid.cell_at(0.351, 0.51), Some((4, 10)));
        assert_eq!(grid.cell_at(1.0 + 1e-9, 0.5), None);
        assert_eq!(grid.cell_at(f64::NAN, 0.5), None);
        assert!(!grid.free_at(&[0.5]));
        assert!(grid.free_at(&[0.5, 0.5, 7.0]));
    }

    #[test]
    fn cells_tile_from_the_lower_left_and_turn_with_the_map() {
        let frame = |yaw| Frame::Cells {
            origin: [-1.0, 2.0],
            yaw,
            resolution: 0.5,
        };
        let grid = OccupancyGrid::from_fn(4, 3, frame(0.0), |_, _| true).unwrap();
        assert_eq!(grid.cell_at(-1.0, 2.0), Some((0, 2)));
        assert_eq!(grid.cell_at(-0.5, 2.49), Some((1, 2)));
        assert_eq!(grid.cell_at(0.99, 3.49), Some((3, 0)));
        assert_eq!(grid.cell_at(1.0, 2.2), None);
        // A quarter turn: the columns go up, the rows to the right.
        let turned = std::f64::consts::FRAC_PI_2;
        let grid = OccupancyGrid::from_fn(4, 3, frame(turned), |_, _| true).unwrap();
        assert_eq!(grid.cell_at(-1.1, 3.9), Some((3, 2)));
        assert_eq!(grid.cell_at(-2.4, 2.1), Some((0, 0)));
    }

    #[test]
    fn impossible_frames_are_refused() {
        let make = |w, h, frame| OccupancyGrid::from_fn(w, h, frame, |_, _| true);
        assert!(make(1, 5, Frame::unit()).is_err());
        let flat = Frame::Centres {
            x: [0.0, 1.0],
            y: [1.0, 1.0],
        };
        assert_eq!(make(5, 5, flat), Err(GridError::Bounds(1.0, 1.0)));
        for (yaw, resolution) in [(f64::NAN, 1.0), (0.0, 0.0), (0.0, f64::INFINITY)] {
            let origin = [0.0, 0.0];
            let frame = Frame::Cells {
                origin,
                yaw,
                resolution,
            };
            assert!(make(5, 5, frame).is_err());
        }
    }

    #[test]
    fn a_saved_grid_is_read_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("grid.png");
        let frame = Frame::square_cells(33, 20);
        let grid = OccupancyGrid::from_fn(33, 20, frame, |c, r| c * r % 3 == 0).unwrap();
        grid.write_png(&path).unwrap();
        let options = ImageOptions {
            size: Some((33, 20)),
            ..ImageOptions::default()
        };
        assert_eq!(OccupancyGrid::read(&path, &options).unwrap(), grid);
        let options = ImageOptions {
            size: Some((33, 21)),
            ..options
        };
        assert!(OccupancyGrid::read(&path, &options).is_err());
    }

    #[test]
    fn a_picture_is_not_squashed() {
        assert_eq!(Frame::square_cells(77, 77), Frame::unit());
        for (width, height, bounds) in [
            (301, 101, [[0.0, 1.0], [0.0, 100.0 / 300.0]]),
            (101, 201, [[0.0, 0.5], [0.0, 1.0]]),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("map.png");
            let frame = Frame::unit();
            let grid = OccupancyGrid::from_fn(width, height, frame, |_, _| true).unwrap();
            assert!(!grid.has_square_cells());
            grid.write_png(&path).unwrap();
            let read = OccupancyGrid::read(&path, &ImageOptions::default()).unwrap();
            assert_eq!(read.bounds(), bounds);
            assert!(read.has_square_cells());
        }
        // Bounds meant for the edges of the pixels are no squashing.
        let frame = Frame::Centres {
            x: [0.0, 20.0],
            y: [0.0, 10.0],
        };
        let grid = OccupancyGrid::from_fn(200, 100, frame, |_, _| true).unwrap();
        assert!(grid.has_square_cells());
    }

    fn frames() -> impl Strategy<Value = Frame> {
        prop_oneof![
            (-5.0..5.0, -5.0..5.0, 0.1..9.0, 0.1..9.0).prop_map(|(x, y, w, h)| Frame::Centres {
                x: [x, x + w],
                y: [y, y + h]
            }),
            (-5.0..5.0, -5.0..5.0, -4.0..4.0, 0.01..2.0).prop_map(|(x, y, yaw, resolution)| {
                Frame::Cells {
                    origin: [x, y],
                    yaw,
                    resolution,
                }
            }),
        ]
    }

    proptest! {
        #[test]
        fn the_centre_of_each_cell_lies_in_it(frame in frames(), w in 2u32..20, h in 2u32..20) {
            let grid = OccupancyGrid::from_fn(w, h, frame, |_, _| true).unwrap();
            for row in 1..h - 1 {
                for column in 1..w - 1 {
                    let [x, y] = grid.point_at(f64::from(column) + 0.5, f64::from(row) + 0.5);
                    prop_assert_eq!(grid.cell_at(x, y), Some((column, row)));
                }
            }
        }

        #[test]
        fn the_first_collision_is_the_first(
            cells in prop::collection::vec(prop::bool::weighted(0.8), 64),
            points in prop::collection::vec(-0.1..1.1f64, 0..40),
        ) {
            let grid = OccupancyGrid::from_fn(8, 8, Frame::unit(), |c, r| {
                cells[(r * 8 + c) as usize]
            }).unwrap();
            let first = points.chunks_exact(2).position(|q| {
                let [x, y] = [q[0], q[1]];
                let inside = (0.0..=1.0).contains(&x) && (0.0..=1.0).contains(&y);
                !inside || !cells[(7 - (y * 7.0).round() as usize) * 8 + (x * 7.0).round() as usize]
            });
            prop_assert_eq!((&grid).first_collision(&points, 2), Ok(first));
        }
    }
}
