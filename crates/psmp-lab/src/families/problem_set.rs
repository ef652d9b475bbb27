//! Worlds of one family on one roadmap, and the making of them.
//!
//! A world in which the roadmap has no path poses no problem, so it is drawn anew until it has one.

use super::segment::crosses;
use super::{Family, Rectangle};
use crate::free_edges::{bit, free_edges};
use psmp::checker::{BisectionChecker, BisectionError};
use psmp::roadmap;
use psmp::{CollisionTable, Connection, Query, Resolution, Roadmap, Space, VertexId, WorldId};
use psmp_files::FileError;
use psmp_worlds::{Dataset, DatasetParts, DiscRobot, Frame, OccupancyGrid, Shapes};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use rayon::prelude::*;
use std::path::Path;
use std::sync::Arc;
use thiserror::Error;

/// Where planning begins and ends, as near as the roadmap has a vertex.
const START: [f64; 2] = [0.03, 0.03];
const GOAL: [f64; 2] = [0.9, 0.9];

/// How deep in the unit cube a section through boxes is.
const SECTION: f64 = 0.75;

/// The distance between the configurations of an edge.
pub const RESOLUTION: f64 = 0.001;

/// How often a world is drawn before it is given up.
const MOST_DRAWS: usize = 1000;

/// Why a problem set cannot be made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FamilyError {
    /// The roadmap is such that no world has a path.
    #[error(
        "family `{family}` with seed {seed}: none of {MOST_DRAWS} worlds drawn has a path on the \
         roadmap"
    )]
    NoPath {
        /// The family.
        family: &'static str,
        /// The seed.
        seed: u64,
    },
    /// What was kept does not belong to the family.
    #[error("the worlds kept for family `{family}` do not fit its roadmap")]
    Misfit {
        /// The family.
        family: &'static str,
    },
}

/// Worlds of one family on one roadmap. In each there is a path.
pub struct ProblemSet {
    /// The family.
    pub family: Family,
    /// The seed that it was made with.
    pub seed: u64,
    /// The roadmap.
    pub roadmap: Roadmap,
    /// Start and goal.
    pub query: Query,
    /// The obstacles of each world.
    pub worlds: Vec<Vec<Rectangle>>,
    /// Which edge is free in which world.
    pub table: Arc<CollisionTable>,
    train: Vec<WorldId>,
    test: Vec<WorldId>,
}

impl Family {
    /// Makes a problem set of which the last `test` worlds are to plan in and the others to learn
    /// from; `tick` is called after each world, from any thread. The same seed gives the same
    /// worlds whatever the number of threads.
    ///
    /// # Errors
    /// If the seed gives a roadmap on which hardly any world has a path.
    pub fn generate(
        &self,
        worlds: usize,
        test: usize,
        seed: u64,
        tick: impl Fn() + Sync,
    ) -> Result<ProblemSet, FamilyError> {
        let (roadmap, query) = self.roadmap(seed);
        let recipe = (self.recipe)(&mut Pcg64::seed_from_u64(seed));
        let made: Result<Vec<_>, FamilyError> = (0..worlds)
            .into_par_iter()
            .with_max_len(1)
            .map(|world| {
                // A stream of its own for each world, so that the order of making is no matter.
                let mut random = Pcg64::new(u128::from(seed), world as u128 + 1);
                let solvable = |_| {
                    let obstacles = recipe(&mut random);
                    let free = self.free_edges(&roadmap, &obstacles);
                    let path = roadmap.shortest_path(query, |edge| bit(&free, edge));
                    path.map(|_| (obstacles, free))
                };
                let made = (0..MOST_DRAWS).find_map(solvable);
                tick();
                made.ok_or(FamilyError::NoPath {
                    family: self.name,
                    seed,
                })
            })
            .collect();
        let (obstacles, rows): (Vec<_>, Vec<_>) = made?.into_iter().unzip();
        self.problem_set(test, seed, obstacles, &rows)
    }

    /// The problem set of worlds that were made before: their obstacles, and for each the words of
    /// bits that say which edges are free.
    ///
    /// # Errors
    /// If the bits do not fit the roadmap that the seed gives.
    pub fn problem_set(
        &self,
        test: usize,
        seed: u64,
        worlds: Vec<Vec<Rectangle>>,
        free: &[Vec<u64>],
    ) -> Result<ProblemSet, FamilyError> {
        let (roadmap, query) = self.roadmap(seed);
        let words = roadmap.edge_count().div_ceil(64);
        if worlds.len() != free.len() || free.iter().any(|row| row.len() != words) {
            return Err(FamilyError::Misfit { family: self.name });
        }
        let mut table = CollisionTable::all_blocked(worlds.len(), roadmap.edge_count());
        for (world, row) in free.iter().enumerate() {
            for edge in roadmap.edge_ids().filter(|edge| bit(row, *edge)) {
                table.set(WorldId(world as u32), edge, true);
            }
        }
        let first_test = worlds.len().saturating_sub(test) as u32;
        Ok(ProblemSet {
            family: *self,
            seed,
            roadmap,
            query,
            table: Arc::new(table),
            train: (0..first_test).map(WorldId).collect(),
            test: (first_test..worlds.len() as u32).map(WorldId).collect(),
            worlds,
        })
    }

    fn roadmap(&self, seed: u64) -> (Roadmap, Query) {
        let space = Space::unit(self.dimension);
        let radius = roadmap::prm_star_radius(&space, self.vertices);
        let places = (self.places)(&mut Pcg64::seed_from_u64(seed));
        let anywhere = roadmap::uniform(&space, self.vertices, seed);
        let points = [places.concat(), anywhere].concat();
        match Roadmap::from_configurations(space, points, Connection::Radius(radius)) {
            Ok(roadmap) => {
                let [start, goal] = match &places[..] {
                    [start, goal, ..] => [&start[..], goal],
                    _ => [&START[..], &GOAL],
                };
                let query = Query {
                    start: nearest_vertex(&roadmap, start),
                    goal: nearest_vertex(&roadmap, goal),
                };
                (roadmap, query)
            }
            Err(e) => unreachable!("these points fit the unit square or cube: {e}"),
        }
    }

    fn draw(&self, obstacles: &[Rectangle]) -> OccupancyGrid {
        let side = self.pixels as usize;
        let last = f64::from(self.pixels - 1);
        // Pixel centres that lie in an interval. A hair's breadth is added so that a rounding
        // error does not move an edge that falls on a pixel.
        let covered = |[low, high]: [f64; 2]| {
            let first = (low * last - 1e-6).ceil().max(0.0) as usize;
            let end = ((high * last + 1e-6).floor() + 1.0).max(0.0) as usize;
            // What was kept in a file may be inside out.
            first.min(side)..end.min(side).max(first.min(side))
        };
        let mut free = vec![true; side * side];
        for obstacle in obstacles {
            let [bottom, top] = match obstacle.z {
                Some(z) if (obstacle.y[0]..=obstacle.y[1]).contains(&SECTION) => z,
                Some(_) => continue,
                None => obstacle.y,
            };
            let columns = covered(obstacle.x);
            for row in covered([1.0 - top, 1.0 - bottom]) {
                free[row * side..][columns.clone()].fill(false);
            }
        }
        let is_free = |column: u32, row: u32| free[row as usize * side + column as usize];
        let grid = match OccupancyGrid::from_fn(self.pixels, self.pixels, Frame::unit(), is_free) {
            Ok(grid) => grid,
            Err(e) => unreachable!("a family has a sound size: {e}"),
        };
        // How far things are away takes more room than the image: a point need not know.
        if self.robot <= 0.0 {
            return grid;
        }
        match DiscRobot::new(&grid, self.robot) {
            Ok(robot) => robot.grown().clone(),
            Err(e) => unreachable!("a family has a robot of a sound size: {e}"),
        }
    }

    /// Which edges are free, as words of bits. In the published worlds that is so of an edge that is free at
    /// its configurations; doors that a robot just fits through are so narrow that it is proved all along. Of
    /// boxes it is computed.
    fn free_edges(&self, roadmap: &Roadmap, obstacles: &[Rectangle]) -> Vec<u64> {
        if self.dimension > 2 {
            return free_of_boxes(roadmap, obstacles);
        }
        let grid = self.draw(obstacles);
        let checker = Resolution::distance(RESOLUTION)
            .map_err(BisectionError::from)
            .and_then(|resolution| BisectionChecker::new(roadmap, resolution, &grid));
        let mut checker = match checker {
            Ok(checker) if self.robot > 0.0 => checker.proving(),
            Ok(checker) => checker,
            Err(e) => unreachable!("generated roadmaps have configurations: {e}"),
        };
        free_edges(&mut checker, roadmap)
    }
}

impl ProblemSet {
    /// The image of a world: where the robot may be, its centre if it has an extent. Of boxes, which are not to
    /// be planned in so, a section through the world.
    #[must_use]
    pub fn image(&self, world: WorldId) -> OccupancyGrid {
        self.family.draw(&self.worlds[world.index()])
    }

    /// The boxes of a world of three dimensions.
    #[must_use]
    pub fn boxes(&self, world: WorldId) -> Option<Shapes> {
        if self.family.dimension <= 2 {
            return None;
        }
        let solids = self.worlds[world.index()].iter();
        // What was kept in a file may be inside out, and then covers nothing.
        let boxes = solids.fold(Shapes::new(3), |shapes, solid| {
            let [lower, upper] = [0, 1].map(|end| sides(solid).map(|side| side[end]));
            shapes.clone().with_box(&lower, &upper).unwrap_or(shapes)
        });
        Some(boxes)
    }

    /// The worlds to learn from.
    #[must_use]
    pub fn train(&self) -> &[WorldId] {
        &self.train
    }

    /// The worlds to plan in.
    #[must_use]
    pub fn test(&self) -> &[WorldId] {
        &self.test
    }

    /// Writes the set as a dataset folder with images, or with boxes. `tick` is called after each of them, from
    /// any thread.
    ///
    /// # Errors
    /// If a file cannot be written, or the folder has files that would be read as part of it.
    pub fn write(&self, folder: &Path, tick: impl Fn() + Sync) -> Result<(), FileError> {
        match self.family.dimension {
            2 => Dataset::create_image_folder(folder)?,
            _ => Dataset::create_box_folder(folder)?,
        };
        (0..self.worlds.len() as u32)
            .into_par_iter()
            .map(WorldId)
            .try_for_each(|world| {
                match self.boxes(world) {
                    Some(boxes) => Dataset::write_boxes(folder, world, &boxes)?,
                    None => self
                        .image(world)
                        .write_png(Dataset::image_path_in(folder, world))?,
                }
                tick();
                Ok(())
            })?;
        let mut parts = DatasetParts::new(&self.roadmap);
        parts.table = Some(&self.table);
        parts.query = Some(self.query);
        parts.train = Some(&self.train);
        parts.test = Some(&self.test);
        Dataset::write(folder, &parts)
    }
}

/// The intervals of a box along the axes; in the plane it reaches all the way up.
fn sides(obstacle: &Rectangle) -> [[f64; 2]; 3] {
    let z = obstacle.z.unwrap_or([0.0, 1.0]);
    [obstacle.x, obstacle.y, z]
}

/// The edges that cross no box, as words of bits.
fn free_of_boxes(roadmap: &Roadmap, obstacles: &[Rectangle]) -> Vec<u64> {
    let mut words = vec![0; roadmap.edge_count().div_ceil(64)];
    for edge in roadmap.edge_ids() {
        let ends = roadmap.edge(edge);
        let [from, to] = [ends.from, ends.to].map(|v| roadmap.configuration(v));
        let (Some(from), Some(to)) = (from, to) else {
            unreachable!("generated roadmaps have configurations");
        };
        let free = !obstacles
            .iter()
            .any(|solid| crosses(from, to, &sides(solid)));
        words[edge.index() / 64] |= u64::from(free) << (edge.index() % 64);
    }
    words
}

fn nearest_vertex(roadmap: &Roadmap, to: &[f64]) -> VertexId {
    let distance = |v: VertexId| {
        let q = roadmap.configuration(v).unwrap_or(to);
        match (q, to) {
            ([x, y], [at_x, at_y]) => (x - at_x).hypot(y - at_y),
            _ => q
                .iter()
                .zip(to)
                .map(|(q, to)| (q - to).powi(2))
                .sum::<f64>()
                .sqrt(),
        }
    };
    roadmap
        .vertices()
        .min_by(|&a, &b| distance(a).total_cmp(&distance(b)))
        .unwrap_or(VertexId(0))
}

#[cfg(test)]
mod tests {
    use super::super::{OFFICE, ONE_WALL, ROOMS, SHELVES};
    use super::*;

    #[test]
    fn obstacles_that_are_inside_out_cover_nothing() {
        let family = Family::named("one-wall").unwrap();
        let inside_out = Rectangle::new([0.9, 0.1], [0.2, 0.8]);
        let grid = family.draw(&[inside_out]);
        assert!(grid.free_at(&[0.5, 0.5]));
    }

    #[test]
    fn a_seed_gives_the_same_set_on_any_number_of_threads() {
        for family in Family::all() {
            let on = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
                let make = || family.generate(8, 2, 5, || {}).unwrap();
                pool.build().unwrap().install(make)
            };
            let (one, three) = (on(1), on(3));
            assert_eq!(one.table, three.table, "{}", family.name);
            assert_eq!(one.worlds, three.worlds);
            assert_eq!(one.query, three.query);
            let other = family.generate(8, 2, 6, || {}).unwrap();
            assert_ne!(one.worlds, other.worlds);
        }
    }

    #[test]
    fn every_world_has_a_path_and_no_two_are_alike() {
        for family in Family::all() {
            let set = family.generate(20, 4, 1, || {}).unwrap();
            for world in (0..20).map(WorldId) {
                let open = |e| set.table.is_free(world, e);
                assert!(set.roadmap.shortest_path(set.query, open).is_some());
            }
            assert!((1..20).all(|w| set.worlds[0] != set.worlds[w]));
            assert_eq!((set.train().len(), set.test().len()), (16, 4));
        }
    }

    /// The shares of free space and free edges, from 300 worlds of each family, with room for the
    /// chance in fewer.
    #[test]
    fn worlds_are_as_full_as_they_should_be() {
        for family in Family::all() {
            let set = family.generate(40, 4, 2, || {}).unwrap();
            let side = family.pixels;
            let free = |world| {
                let image = set.image(WorldId(world));
                let cells = (0..side).flat_map(|c| (0..side).map(move |r| (c, r)));
                let free = cells.filter(|&(c, r)| image.is_cell_free(c, r)).count();
                free as f64 / f64::from(side * side)
            };
            let space = (0..10).map(free).sum::<f64>() / 10.0;
            // What the walls of a family leave, and the squares, which overlap a little.
            let expected = match family.name {
                "one-wall" => 0.79,
                "two-walls" => 0.76,
                "forest" => 0.86,
                "shifting-wall" => 0.865,
                "maze" => 0.894,
                "baffle" => 0.885,
                "bugtrap" => 0.945,
                "bugtrap-forest" => 0.875,
                "rooms" => 0.88,
                // Of the section.
                "shelves" => 0.89,
                _ => 0.6,
            };
            assert!(
                (space - expected).abs() < 0.03,
                "{}: {space} of the space is free",
                family.name
            );
        }
    }

    /// In rooms and on shelves there is something to find out: many edges are free, many are blocked, and of
    /// many it depends on the world.
    #[test]
    fn of_many_edges_it_depends_on_the_world() {
        for (family, seed) in [ROOMS, SHELVES]
            .into_iter()
            .flat_map(|f| (0..4).map(move |s| (f, s)))
        {
            let set = family.generate(40, 4, seed, || {}).unwrap();
            let edges = set.table.edge_count() as f64;
            let free_in = |edge| {
                let words = set.table.worlds_where_free(edge).iter();
                words.map(|word| word.count_ones()).sum::<u32>()
            };
            let counts: Vec<u32> = set.roadmap.edge_ids().map(free_in).collect();
            let share = f64::from(counts.iter().sum::<u32>()) / (40.0 * edges);
            assert!(
                (0.4..0.7).contains(&share),
                "{family:?}, seed {seed}: {share} free"
            );
            let open = counts
                .iter()
                .filter(|count| (4..36).contains(*count))
                .count();
            let open = open as f64 / edges;
            assert!(open > 0.05, "{family:?}, seed {seed}: {open} differ");
            println!("{family:?}, seed {seed}: {share:.3} of edges free, {open:.3} differ");
        }
    }

    /// From start to goal over the sides of free cells, and by no corner.
    fn is_connected(set: &ProblemSet, image: &OccupancyGrid) -> bool {
        let ends = [set.query.start, set.query.goal].map(|v| {
            let q = set.roadmap.configuration(v).unwrap();
            image.cell_at(q[0], q[1]).unwrap()
        });
        let mut seen = vec![false; (image.width() * image.height()) as usize];
        let mut open = vec![ends[0]];
        while let Some((column, row)) = open.pop() {
            let cell = (row * image.width() + column) as usize;
            if image.is_cell_free(column, row) && !std::mem::replace(&mut seen[cell], true) {
                let sides = [(1, 0), (u32::MAX, 0), (0, 1), (0, u32::MAX)];
                let beside = |(x, y)| (column.wrapping_add(x), row.wrapping_add(y));
                open.extend(sides.map(beside));
            }
        }
        seen[(ends[1].1 * image.width() + ends[1].0) as usize]
    }

    #[test]
    fn offices_can_be_crossed_through_doors_that_are_hardly_wider_than_the_robot() {
        for seed in 0..6 {
            let set = OFFICE.generate(2, 0, seed, || {}).unwrap();
            let ends = [set.query.start, set.query.goal];
            let [start, goal] = ends.map(|v| set.roadmap.configuration(v).unwrap());
            // On either side of both corridors.
            assert!(start[1] < 0.25 && goal[1] > 0.7);
            for world in (0..2).map(WorldId) {
                assert!(is_connected(&set, &set.image(world)), "seed {seed}");
                // A robot that is a little larger fits through no door.
                let stout = Family {
                    robot: 0.0135,
                    ..OFFICE
                };
                let image = stout.draw(&set.worlds[world.index()]);
                assert!(!is_connected(&set, &image), "seed {seed}");
            }
        }
    }

    #[test]
    fn what_was_made_can_be_put_together_again() {
        let set = ONE_WALL.generate(5, 1, 3, || {}).unwrap();
        let rows: Vec<Vec<u64>> = (0..5)
            .map(|w| set.table.free_edges_in(WorldId(w)).to_vec())
            .collect();
        let again = ONE_WALL.problem_set(1, 3, set.worlds.clone(), &rows);
        assert_eq!(again.unwrap().table, set.table);
        let misfit = ONE_WALL.problem_set(1, 3, set.worlds, &rows[..4]);
        assert!(misfit.is_err());
    }
}
