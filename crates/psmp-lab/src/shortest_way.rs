//! The shortest way of a point on an image, exactly: what paths in the plane are held against.
//!
//! The shortest way among occupied cells bends only at corners of them that stick out, and there around the
//! occupied cell. So it is the shortest in the graph of all such corners that see each other. Which do is found
//! out only where it matters to A*. The way may touch occupied cells, as the limit of ways that do not.

use psmp_worlds::OccupancyGrid;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// What is no farther inside is on the border, in cells.
const HAIR: f64 = 1e-6;

type Place = [f64; 2];

/// A place that the way may bend at, in cells from the top left.
struct Corner {
    at: Place,
    /// On which side the occupied cell is, along either axis; nothing for start and goal.
    occupied: Option<Place>,
}

impl Corner {
    /// Whether a straight way in this direction, gone on with, passes by the occupied cell: any other is
    /// shorter if it does not come here.
    fn is_tangent(&self, way: Place) -> bool {
        let bends = |side: Place| way[0] * side[0] * way[1] * side[1] <= 0.0;
        self.occupied.is_none_or(bends)
    }
}

/// The length of the shortest way between two points of the plane, on an image whose cells are square;
/// nothing if there is none that is shorter than `bound`.
#[must_use]
pub fn shortest_way(grid: &OccupancyGrid, start: Place, goal: Place, bound: f64) -> Option<f64> {
    let cell = grid.cell_size()[0];
    let [left, top] = grid.point_at(0.0, 0.0);
    let in_cells = |[x, y]: Place| [(x - left) / cell, (top - y) / cell];
    let bound = bound / cell;
    let ends = [start, goal].map(|end| Corner {
        at: in_cells(end),
        occupied: None,
    });
    let [from, to] = [ends[0].at, ends[1].at];
    let near = |corner: &Corner| distance(from, corner.at) + distance(corner.at, to) < bound;
    let corners: Vec<Corner> = ends.into_iter().chain(corners(grid).filter(near)).collect();
    let mut lengths = vec![f64::INFINITY; corners.len()];
    let mut is_done = vec![false; corners.len()];
    lengths[0] = 0.0;
    // Lengths are not negative, so that their bits are in their order.
    let mut open = BinaryHeap::from([(Reverse(0), 0)]);
    while let Some((_, place)) = open.pop() {
        if place == 1 {
            return Some(lengths[1] * cell);
        }
        if std::mem::replace(&mut is_done[place], true) {
            continue;
        }
        let here = &corners[place];
        for (next, there) in corners.iter().enumerate() {
            let length = lengths[place] + distance(here.at, there.at);
            let in_all = length + distance(there.at, to);
            let way = [there.at[0] - here.at[0], there.at[1] - here.at[1]];
            if length < lengths[next]
                && in_all < bound
                && here.is_tangent(way)
                && there.is_tangent(way)
                && sees(grid, here.at, there.at)
            {
                lengths[next] = length;
                open.push((Reverse(in_all.to_bits()), next));
            }
        }
    }
    None
}

fn distance(a: Place, b: Place) -> f64 {
    (a[0] - b[0]).hypot(a[1] - b[1])
}

fn is_free(grid: &OccupancyGrid, column: f64, row: f64) -> bool {
    column >= 0.0 && row >= 0.0 && grid.is_cell_free(column as u32, row as u32)
}

/// The corners at which just one of four cells is occupied.
fn corners(grid: &OccupancyGrid) -> impl Iterator<Item = Corner> {
    let (width, height) = (f64::from(grid.width()), f64::from(grid.height()));
    let rows = (1..height as u32).map(f64::from);
    rows.flat_map(move |y| (1..width as u32).map(move |x| [f64::from(x), y]))
        .filter_map(|at| {
            let sides = [[-1.0, -1.0], [1.0, -1.0], [-1.0, 1.0], [1.0, 1.0]];
            let [x, y] = at;
            let is_occupied =
                |side: &Place| !is_free(grid, x + (side[0] - 1.0) / 2.0, y + (side[1] - 1.0) / 2.0);
            let mut occupied = sides.into_iter().filter(is_occupied);
            let corner = Corner {
                at,
                occupied: occupied.next(),
            };
            (corner.occupied.is_some() && occupied.next().is_none()).then_some(corner)
        })
}

/// Whether a straight way enters no occupied cell, and does not lead between two that touch.
fn sees(grid: &OccupancyGrid, from: Place, to: Place) -> bool {
    let way = [to[0] - from[0], to[1] - from[1]];
    // Cut into strips across the axis along which it is longer.
    let along = usize::from(way[1].abs() > way[0].abs());
    let across = 1 - along;
    let (first, last) = match way[along] >= 0.0 {
        true => (from, to),
        false => (to, from),
    };
    let slope = way[across] / way[along];
    let at = |place: f64| first[across] + slope * (place - first[along]);
    let cell = |strip: f64, other: f64| match along {
        0 => is_free(grid, strip, other),
        _ => is_free(grid, other, strip),
    };
    let mut strip = (first[along] + HAIR).floor();
    while strip < last[along] - HAIR {
        let begins = at(strip.max(first[along]));
        let ends = at((strip + 1.0).min(last[along]));
        let low = (begins.min(ends) + HAIR).floor();
        let high = (begins.max(ends) - HAIR).ceil() - 1.0;
        // Along a line between cells it is enough that those on one side are free.
        let is_free = match low > high {
            true => cell(strip, low) || cell(strip, high),
            false => (low as i64..=high as i64).all(|other| cell(strip, other as f64)),
        };
        if !is_free {
            return false;
        }
        strip += 1.0;
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp_worlds::Frame;

    /// On an image of 101 cells, with a length of 1 for each.
    fn shortest(free: impl FnMut(u32, u32) -> bool, start: Place, goal: Place) -> Option<f64> {
        let frame = Frame::Centres {
            x: [0.0, 100.0],
            y: [0.0, 100.0],
        };
        let grid = OccupancyGrid::from_fn(101, 101, frame, free).unwrap();
        shortest_way(&grid, start, goal, 1000.0)
    }

    #[test]
    fn ways_are_those_that_can_be_found_by_hand() {
        let close = |found: Option<f64>, expected: f64| {
            assert!((found.unwrap() - expected).abs() < 1e-6, "{found:?}");
        };
        close(shortest(|_, _| true, [10.0, 10.0], [40.0, 50.0]), 50.0);
        // Around a square of cells, whose sides are half a cell beyond the outer centres.
        let square = |c: u32, r: u32| !((40..=60).contains(&c) && (40..=60).contains(&r));
        close(
            shortest(square, [9.5, 50.0], [90.5, 50.0]),
            2.0 * 30f64.hypot(10.5) + 21.0,
        );
        // Along its side, which may be touched.
        close(shortest(square, [0.0, 39.5], [100.0, 39.5]), 100.0);
        close(shortest(square, [60.5, 0.0], [60.5, 100.0]), 100.0);
        // Through a gap of one cell in a wall of one.
        let gap = |c: u32, r: u32| c != 50 || r == 20;
        close(
            shortest(gap, [10.0, 50.0], [90.0, 50.0]),
            2.0 * 39.5f64.hypot(29.5) + 1.0,
        );
        // An S around two walls.
        let walls = |c: u32, r: u32| !((c == 30 && r < 70) || (c == 70 && r > 30));
        let expected = 2.0 * 19.5f64.hypot(19.5) + 2.0 + 39f64.hypot(39.0);
        close(shortest(walls, [10.0, 50.0], [90.0, 50.0]), expected);
        // Not through a wall.
        assert_eq!(shortest(|c, _| c != 50, [10.0, 50.0], [90.0, 50.0]), None);
    }
}
