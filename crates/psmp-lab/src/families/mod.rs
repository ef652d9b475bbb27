//! Families of 2-D worlds, made on the spot.
//!
//! A family is a recipe for obstacles in the unit square. From a family, a number of worlds and a
//! seed comes a whole problem set: a random geometric roadmap, the worlds as images, and the table
//! of which edge is free in which world, so that a machine without any data can do everything.

mod one_wall;

use psmp::checker::{BisectionChecker, Checker, Sightings};
use psmp::{CollisionTable, Connection, Query, Roadmap, Space, WorldId, roadmap};
use psmp_worlds::{Frame, OccupancyGrid};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use rayon::prelude::*;

/// An axis-aligned obstacle in the unit square.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rectangle {
    /// Left and right.
    pub x: [f64; 2],
    /// Bottom and top.
    pub y: [f64; 2],
}

impl Rectangle {
    /// The square of this side around a centre.
    fn square(centre: [f64; 2], side: f64) -> Self {
        let around = |c: f64| [c - side / 2.0, c + side / 2.0];
        Self {
            x: around(centre[0]),
            y: around(centre[1]),
        }
    }

    fn contains(&self, x: f64, y: f64) -> bool {
        (self.x[0]..=self.x[1]).contains(&x) && (self.y[0]..=self.y[1]).contains(&y)
    }
}

/// Draws the obstacles of one world.
type WorldRecipe = Box<dyn Fn(&mut Pcg64) -> Vec<Rectangle> + Sync>;

/// A recipe for worlds.
#[derive(Clone, Copy)]
pub struct Family {
    /// Its name.
    pub name: &'static str,
    /// How many vertices its roadmaps have.
    pub vertices: usize,
    /// How many pixels wide and high its images are.
    pub pixels: u32,
    /// Fixes what all worlds of a problem set have in common.
    recipe: fn(&mut Pcg64) -> WorldRecipe,
}

/// A wall with gaps of which some are closed, and a few squares.
pub const ONE_WALL: Family = Family {
    name: "one-wall",
    vertices: 100,
    pixels: 1001,
    recipe: one_wall::recipe,
};

/// Where planning begins and ends, as near as the roadmap has a vertex.
const START: [f64; 2] = [0.03, 0.03];
const GOAL: [f64; 2] = [0.9, 0.9];

/// The distance between the configurations of an edge.
pub const RESOLUTION: f64 = 0.001;

/// Worlds of one family on one roadmap.
pub struct ProblemSet {
    /// The roadmap.
    pub roadmap: Roadmap,
    /// Start and goal.
    pub query: Query,
    /// The worlds.
    pub worlds: Vec<OccupancyGrid>,
    /// Which edge is free in which world.
    pub table: CollisionTable,
}

impl Family {
    /// Makes a problem set; `tick` is called after each world, from any thread. The same seed gives
    /// the same set whatever the number of threads.
    #[must_use]
    pub fn generate(&self, worlds: usize, seed: u64, tick: impl Fn() + Sync) -> ProblemSet {
        let roadmap = self.roadmap(seed);
        let query = Query {
            start: nearest_vertex(&roadmap, START),
            goal: nearest_vertex(&roadmap, GOAL),
        };
        let recipe = (self.recipe)(&mut Pcg64::seed_from_u64(seed));
        let made: Vec<(OccupancyGrid, Vec<bool>)> = (0..worlds as u64)
            .into_par_iter()
            .map(|world| {
                // A stream of its own for each world, so that the order of making is no matter.
                let mut random = Pcg64::new(u128::from(seed), u128::from(world) + 1);
                let grid = self.draw(&recipe(&mut random));
                let row = free_edges(&roadmap, &grid);
                tick();
                (grid, row)
            })
            .collect();
        let mut table = CollisionTable::all_blocked(worlds, roadmap.edge_count());
        let mut grids = Vec::with_capacity(worlds);
        for (world, (grid, row)) in made.into_iter().enumerate() {
            for edge in roadmap.edge_ids().filter(|e| row[e.index()]) {
                table.set_free(WorldId(world as u32), edge);
            }
            grids.push(grid);
        }
        ProblemSet {
            roadmap,
            query,
            worlds: grids,
            table,
        }
    }

    fn roadmap(&self, seed: u64) -> Roadmap {
        let space = Space::unit(2);
        let radius = roadmap::prm_star_radius(&space, self.vertices);
        let points = roadmap::uniform(&space, self.vertices, seed);
        match Roadmap::from_configurations(space, points, Connection::Radius(radius)) {
            Ok(roadmap) => roadmap,
            Err(e) => unreachable!("uniform points fit the unit square: {e}"),
        }
    }

    fn draw(&self, obstacles: &[Rectangle]) -> OccupancyGrid {
        let last = f64::from(self.pixels - 1);
        let free = |column: u32, row: u32| {
            let (x, y) = (f64::from(column) / last, 1.0 - f64::from(row) / last);
            !obstacles.iter().any(|o| o.contains(x, y))
        };
        match OccupancyGrid::from_fn(self.pixels, self.pixels, Frame::unit(), free) {
            Ok(grid) => grid,
            Err(e) => unreachable!("a family has a sound size: {e}"),
        }
    }
}

fn nearest_vertex(roadmap: &Roadmap, to: [f64; 2]) -> psmp::VertexId {
    let distance = |v: psmp::VertexId| {
        let q = roadmap.configuration(v).unwrap_or(&to);
        (q[0] - to[0]).hypot(q[1] - to[1])
    };
    roadmap
        .vertices()
        .min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
        .unwrap_or(psmp::VertexId(0))
}

fn free_edges(roadmap: &Roadmap, grid: &OccupancyGrid) -> Vec<bool> {
    let mut checker = match BisectionChecker::new(roadmap, RESOLUTION, grid) {
        Ok(checker) => checker,
        Err(e) => unreachable!("generated roadmaps have configurations: {e}"),
    };
    let mut sightings = Sightings::new(2);
    roadmap
        .edge_ids()
        .map(|edge| {
            sightings.clear();
            let Ok(verdict) = checker.check(edge, &mut sightings);
            verdict.free
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp::Experience;

    #[test]
    fn a_seed_gives_the_same_set_on_any_number_of_threads() {
        let on = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
            pool.build()
                .unwrap()
                .install(|| ONE_WALL.generate(12, 5, || {}))
        };
        let (one, three) = (on(1), on(3));
        assert_eq!(one.table, three.table);
        assert_eq!(one.query, three.query);
        assert_ne!(one.table, ONE_WALL.generate(12, 6, || {}).table);
    }

    #[test]
    fn most_worlds_can_be_solved_and_no_two_are_alike() {
        let set = ONE_WALL.generate(60, 1, || {});
        let solvable = (0..60).map(WorldId).filter(|&w| {
            let open = |e| set.table.is_free(w, e);
            set.roadmap.shortest_path(set.query, open).is_some()
        });
        assert!(solvable.count() >= 50);
        let row = |w| set.table.free_edges_in(WorldId(w));
        assert!((1..60).all(|w| row(0) != row(w)));
    }
}
