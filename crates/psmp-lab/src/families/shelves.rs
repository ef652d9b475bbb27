//! Shelves for a point in three dimensions.
//!
//! A shelf fills the back of the unit cube; before it is a passage. Boards divide it into three rows and walls into
//! three columns: nine compartments, each with a door to the passage. All worlds of a problem set are one shelf at
//! different times. Where its boards and walls are is drawn once. Every door has a habit of being open or closed,
//! and every wall between two compartments of a row has one of being there or not, which is what there is to learn
//! from experience; the things in the compartments and in the passage are others each time. The way leads from the
//! lowest compartment on the left to the highest on the right.

use super::WorldRecipe;
use super::obstacles::{Rectangle, around, within};
use rand::RngExt;
use rand_pcg::Pcg64;

const CELLS: usize = 3;
const THICKNESS: f64 = 0.02;
/// Where the shelf begins, seen from the front.
const FRONT: f64 = 0.4;
/// How far a board or a wall is from where equal compartments would have it, at most.
const MOVED: f64 = 0.04;
/// How likely a door is open, or a wall is missing: each has one of these.
const HABITS: [f64; 3] = [0.9, 0.6, 0.3];
/// How many things there are in a compartment and in the passage, and their sides.
const THINGS: [u32; 2] = [1, 3];
const IN_PASSAGE: [u32; 2] = [2, 5];
const THING: [f64; 2] = [0.05, 0.16];
const PASSAGE_THING: [f64; 2] = [0.15, 0.3];
/// How far things stay off start and goal.
const KEPT_CLEAR: f64 = 0.06;
/// How deep in the shelf start and goal are.
const DEEP: f64 = 0.75;

pub(super) fn recipe(random: &mut Pcg64) -> WorldRecipe {
    let shelf = Shelf::draw(random);
    Box::new(move |random| shelf.at_some_time(random))
}

/// Start and goal.
pub(super) fn places(random: &mut Pcg64) -> Vec<Vec<f64>> {
    Shelf::draw(random).ends().map(Vec::from).to_vec()
}

/// What the worlds of a set have in common.
struct Shelf {
    /// Where compartments begin and end: from left to right, and from below.
    columns: [[f64; 2]; CELLS],
    rows: [[f64; 2]; CELLS],
    /// How likely each door is open, row by row.
    doors: [[f64; CELLS]; CELLS],
    /// How likely the wall to the right of each compartment but the last is missing, row by row.
    gaps: [[f64; CELLS - 1]; CELLS],
}

impl Shelf {
    fn draw(random: &mut Pcg64) -> Self {
        let parted = |random: &mut Pcg64| {
            let mut from = 0.0;
            std::array::from_fn(|cell| {
                let even = (cell + 1) as f64 / CELLS as f64;
                let to = match cell + 1 {
                    CELLS => 1.0,
                    _ => even + within(random, [-MOVED, MOVED]),
                };
                let cell = [from, to];
                from = to;
                cell
            })
        };
        let habit = |random: &mut Pcg64| HABITS[random.random_range(0..HABITS.len())];
        Self {
            columns: parted(random),
            rows: parted(random),
            doors: [(); CELLS].map(|()| [(); CELLS].map(|()| habit(random))),
            gaps: [(); CELLS].map(|()| [(); CELLS - 1].map(|()| habit(random))),
        }
    }

    /// In the lowest compartment on the left and in the highest on the right.
    fn ends(&self) -> [[f64; 3]; 2] {
        [0, CELLS - 1].map(|cell| {
            let middle = |[low, high]: [f64; 2]| low.midpoint(high);
            [middle(self.columns[cell]), DEEP, middle(self.rows[cell])]
        })
    }

    /// The obstacles of one world.
    fn at_some_time(&self, random: &mut Pcg64) -> Vec<Rectangle> {
        let depth = [FRONT, 1.0];
        let mut obstacles = Vec::new();
        for (row, &z) in self.rows.iter().enumerate() {
            if row > 0 {
                let board = around(z[0], THICKNESS);
                obstacles.push(Rectangle::solid([0.0, 1.0], depth, board));
            }
            for (column, &x) in self.columns.iter().enumerate() {
                if random.random::<f64>() >= self.doors[row][column] {
                    obstacles.push(Rectangle::solid(x, around(FRONT, THICKNESS), z));
                }
                let gap = self.gaps[row].get(column);
                if gap.is_some_and(|missing| random.random::<f64>() >= *missing) {
                    obstacles.push(Rectangle::solid(around(x[1], THICKNESS), depth, z));
                }
                self.fill(random, [x, depth, z], (THINGS, THING), &mut obstacles);
            }
        }
        let passage = [[0.0, 1.0], [0.0, FRONT], [0.0, 1.0]];
        self.fill(random, passage, (IN_PASSAGE, PASSAGE_THING), &mut obstacles);
        obstacles
    }

    /// Puts things into a compartment, standing on its floor, so many and so large. What would stand at start
    /// or goal is left out.
    fn fill(
        &self,
        random: &mut Pcg64,
        [x, y, z]: [[f64; 2]; 3],
        ([fewest, most], sides): ([u32; 2], [f64; 2]),
        obstacles: &mut Vec<Rectangle>,
    ) {
        for _ in 0..random.random_range(fewest..=most) {
            let side = |random: &mut Pcg64, [low, high]: [f64; 2]| {
                let side = within(random, sides);
                around(within(random, [low + side / 2.0, high - side / 2.0]), side)
            };
            let (x, y) = (side(random, x), side(random, y));
            // As high as up to three quarters of what there is.
            let high = (z[1] - z[0]) * within(random, [0.25, 0.75]);
            let thing = [x, y, [z[0], z[0] + high]];
            let near = |end: [f64; 3]| {
                let off = |axis: usize| {
                    let [low, high] = thing[axis];
                    (low - KEPT_CLEAR..high + KEPT_CLEAR).contains(&end[axis])
                };
                (0..3).all(off)
            };
            if !self.ends().into_iter().any(near) {
                obstacles.push(Rectangle::solid(x, y, thing[2]));
            }
        }
    }
}
