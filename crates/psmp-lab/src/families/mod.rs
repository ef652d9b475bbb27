//! Families of worlds, made on the spot.
//!
//! A family is a recipe for obstacles in the unit square, or in the unit cube. From a family, a
//! number of worlds and a seed comes a whole [`ProblemSet`]: a random geometric roadmap, the worlds,
//! and the table of which edge is free in which world, so that a machine without any data can do
//! everything. The seven families of the literature are in [`FAMILIES`]; dimensions that it leaves
//! open are those of its published images. [`ROOMS`] has what none of them has, a choice of many ways
//! through doors that tell of each other; [`SHELVES`] has three dimensions; [`OFFICE`] is larger: a
//! floor of an office as a robot has it on its map.

mod baffle;
mod bugtrap;
mod forest;
mod gap_patterns;
mod maze;
mod obstacles;
mod office;
mod one_wall;
mod problem_set;
mod rooms;
mod segment;
mod shelves;
mod shifting_wall;
mod two_walls;

pub use obstacles::Rectangle;
pub(crate) use obstacles::{normal_pair, within};
pub use problem_set::{FamilyError, ProblemSet, RESOLUTION};

use rand_pcg::Pcg64;
use std::fmt;

/// Draws the obstacles of one world.
type WorldRecipe = Box<dyn Fn(&mut Pcg64) -> Vec<Rectangle> + Sync>;

/// A recipe for worlds.
#[derive(Clone, Copy)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// A sentence on what its worlds look like.
    pub about: &'static str,
    /// How many vertices its roadmaps have, besides places that they must have.
    pub vertices: usize,
    /// How many axes its space has: two for images, three for boxes.
    pub dimension: usize,
    /// How many pixels wide and high its images are, or the sections through its boxes.
    pub pixels: u32,
    /// The radius of the robot; 0 for a point. Images show where the robot's centre may be.
    pub robot: f64,
    /// The places that a roadmap must have, start and goal first; none where chance will do. It is given
    /// the same random numbers as the recipe.
    places: fn(&mut Pcg64) -> Vec<Vec<f64>>,
    /// Fixes what all worlds of a problem set have in common.
    recipe: fn(&mut Pcg64) -> WorldRecipe,
}

impl fmt::Debug for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl Family {
    /// The family of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Family> {
        Self::all().find(|family| family.name == name)
    }

    /// All families: those of the literature, and others.
    pub fn all() -> impl Iterator<Item = &'static Family> {
        FAMILIES
            .iter()
            .chain([&BUGTRAP_FOREST, &ROOMS, &SHELVES, &OFFICE])
    }
}

/// A wall with gaps of which some are closed, and a few squares.
pub const ONE_WALL: Family = Family {
    name: "one-wall",
    about: "A wall with five gaps, some of them closed in one of at most fifteen patterns, and a \
            Poisson forest of eight squares.",
    vertices: 100,
    dimension: 2,
    pixels: 1001,
    robot: 0.0,
    places: anywhere,
    recipe: one_wall::recipe,
};

/// The seven families of the published experiments.
pub const FAMILIES: [Family; 7] = [
    ONE_WALL,
    Family {
        name: "two-walls",
        about: "Two walls with five gaps each, closed in one of at most twenty patterns for both \
                together, and a Poisson forest of three squares.",
        vertices: 200,
        dimension: 2,
        pixels: 1001,
        robot: 0.0,
        places: anywhere,
        recipe: two_walls::recipe,
    },
    Family {
        name: "forest",
        about: "Twelve squares that crowd around five places, and a Poisson forest of four more.",
        vertices: 200,
        dimension: 2,
        pixels: 1001,
        robot: 0.0,
        places: anywhere,
        recipe: forest::recipe,
    },
    Family {
        name: "shifting-wall",
        about: "One wall with one gap; wall and gap are somewhere else in every world.",
        vertices: 150,
        dimension: 2,
        pixels: 201,
        robot: 0.0,
        places: anywhere,
        recipe: shifting_wall::recipe,
    },
    Family {
        name: "maze",
        about: "Five corridors between thin walls, joined by one gap in each wall.",
        vertices: 200,
        dimension: 2,
        pixels: 1001,
        robot: 0.0,
        places: anywhere,
        recipe: maze::recipe,
    },
    Family {
        name: "baffle",
        about: "A half wall from below and one from above that overlap, somewhere else in every \
                world.",
        vertices: 150,
        dimension: 2,
        pixels: 201,
        robot: 0.0,
        places: anywhere,
        recipe: baffle::recipe,
    },
    Family {
        name: "bugtrap",
        about: "A U that opens to the left or downwards, somewhere else in every world.",
        vertices: 150,
        dimension: 2,
        pixels: 201,
        robot: 0.0,
        places: anywhere,
        recipe: bugtrap::alone,
    },
];

/// The variant of `bugtrap` with a forest around it.
pub const BUGTRAP_FOREST: Family = Family {
    name: "bugtrap-forest",
    about: "A U that opens to the left or downwards, and a Poisson forest of eight squares.",
    vertices: 150,
    dimension: 2,
    pixels: 201,
    robot: 0.0,
    places: anywhere,
    recipe: bugtrap::in_forest,
};

/// Rooms with doors between them.
pub const ROOMS: Family = Family {
    name: "rooms",
    about: "Some ten rooms with a door between most neighbours, many of them closed in one of at most \
            twenty patterns from which single doors depart, and a Poisson forest of two squares.",
    vertices: 300,
    dimension: 2,
    pixels: 501,
    robot: 0.0,
    places: anywhere,
    recipe: rooms::recipe,
};

/// Shelves in three dimensions.
pub const SHELVES: Family = Family {
    name: "shelves",
    about: "In three dimensions: nine compartments with things in them, behind doors that have habits, and \
            walls between some; a point goes from the lowest on one side to the highest on the other.",
    vertices: 400,
    dimension: 3,
    pixels: 501,
    robot: 0.0,
    places: shelves::places,
    recipe: shelves::recipe,
};

/// A floor of an office, for a round robot.
pub const OFFICE: Family = Family {
    name: "office",
    about: "A floor of some thirty rooms along two corridors, with furniture, for a round robot. \
            Doors are a fifth to a third wider than the robot, and many are closed.",
    vertices: 1000,
    dimension: 2,
    pixels: 1201,
    robot: office::ROBOT,
    places: office::places,
    recipe: office::recipe,
};

fn anywhere(_: &mut Pcg64) -> Vec<Vec<f64>> {
    Vec::new()
}
