//! Obstacles as few rectangles, so that an image can be drawn as shapes.

use psmp_worlds::OccupancyGrid;

/// More rectangles than this are merged into coarser cells.
const MOST_RECTANGLES: usize = 20_000;

/// The occupied cells as rectangles in one path, in units of cells. Being one path, they join
/// without seams.
pub(super) fn obstacle_rectangles(grid: &OccupancyGrid) -> String {
    occupied_rectangles(grid, MOST_RECTANGLES)
        .iter()
        .map(|[left, top, right, bottom]| {
            let (w, h) = (right - left, bottom - top);
            format!("M{left} {top}h{w}v{h}h-{w}z")
        })
        .collect()
}

/// Rectangles that cover the occupied cells: left, top, right, bottom. Where there are more than
/// `most`, blocks of cells become one.
pub(crate) fn occupied_rectangles(grid: &OccupancyGrid, most: usize) -> Vec<[u32; 4]> {
    let mut block = 1;
    loop {
        let rectangles = occupied_blocks(grid, block);
        if rectangles.len() <= most || block >= grid.width().max(grid.height()) {
            return rectangles;
        }
        block *= 2;
    }
}

/// Rectangles that cover every block of cells with an occupied one: left, top, right, bottom.
fn occupied_blocks(grid: &OccupancyGrid, block: u32) -> Vec<[u32; 4]> {
    let occupied = |column: u32, row: u32| {
        (row..(row + block).min(grid.height())).any(|row| {
            (column..(column + block).min(grid.width())).any(|c| !grid.is_cell_free(c, row))
        })
    };
    let mut done = Vec::new();
    // Runs of the row above that a like run may lengthen.
    let mut open: Vec<[u32; 4]> = Vec::new();
    for top in (0..grid.height()).step_by(block as usize) {
        let bottom = (top + block).min(grid.height());
        let mut runs: Vec<[u32; 4]> = Vec::new();
        for left in (0..grid.width()).step_by(block as usize) {
            let right = (left + block).min(grid.width());
            match runs.last_mut() {
                _ if !occupied(left, top) => {}
                Some(run) if run[2] == left => run[2] = right,
                _ => runs.push([left, top, right, bottom]),
            }
        }
        open.retain(|above| {
            let like = runs
                .iter_mut()
                .find(|run| run[0] == above[0] && run[2] == above[2]);
            match like {
                Some(run) => run[1] = above[1],
                None => done.push(*above),
            }
            false
        });
        open = runs;
    }
    done.append(&mut open);
    done
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp_worlds::Frame;

    #[test]
    fn rectangles_cover_just_the_occupied_cells() {
        let free = |c: u32, r: u32| (c * 7 + r * 5) % 11 > 3 || r > 12;
        let grid = OccupancyGrid::from_fn(23, 19, Frame::unit(), free).unwrap();
        let rectangles = occupied_blocks(&grid, 1);
        for (column, row) in (0..23).flat_map(|c| (0..19).map(move |r| (c, r))) {
            let covering = rectangles.iter().filter(|[left, top, right, bottom]| {
                (*left..*right).contains(&column) && (*top..*bottom).contains(&row)
            });
            assert_eq!(covering.count(), usize::from(!free(column, row)));
        }
        assert!(occupied_blocks(&grid, 4).len() < rectangles.len());
    }
}
