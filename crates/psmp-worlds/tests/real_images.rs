//! The pictures of published planning problems, against the collision tables published with them.
// In a test an unwrap is an assertion.
#![allow(clippy::unwrap_used)]

use psmp::checker::{BisectionChecker, Checker as _, Part, Sightings};
use psmp::{Direction, Edge, Resolution, Roadmap, Space};
use psmp_worlds::{DiscRobot, ImageOptions, OccupancyGrid};
use std::io::{BufRead as _, BufReader};
use std::path::{Path, PathBuf};

/// The folder of a dataset, if it is there.
fn dataset(name: &str) -> Option<PathBuf> {
    psmp_testdata::published(&format!("graph_collision_checking/{name}"))
}

fn rows(path: PathBuf) -> impl Iterator<Item = Vec<f64>> {
    let lines = BufReader::new(std::fs::File::open(path).unwrap()).lines();
    lines.map(|line| {
        let line = line.unwrap();
        let values = line.split([',', ' ', '\t']).filter(|word| !word.is_empty());
        values.filter_map(|word| word.parse().ok()).collect()
    })
}

fn roadmap(folder: &Path) -> Roadmap {
    let coordinates: Vec<f64> = rows(folder.join("coord_set.dat")).flatten().collect();
    let edges = rows(folder.join("graph.txt"))
        .filter(|row| row.len() == 4)
        .map(|row| Edge::new(row[1] as u32 - 1, row[2] as u32 - 1, row[3]))
        .collect();
    Roadmap::from_edges(coordinates.len() / 2, Direction::Directed, edges)
        .unwrap()
        .with_configurations(Space::unit(2), coordinates)
        .unwrap()
}

/// The share of edges, over the first worlds, on which picture and table agree.
fn agreement(folder: &Path, worlds: usize) -> f64 {
    let roadmap = roadmap(folder);
    let resolution = Resolution::distance(0.001).unwrap();
    let (mut agreed, mut asked) = (0, 0);
    let table = rows(folder.join("coll_check_results.dat")).take(worlds);
    for (world, row) in table.enumerate() {
        let picture = folder.join(format!("environment_images/world_{}.png", world + 1));
        let grid = OccupancyGrid::read(&picture, &ImageOptions::default()).unwrap();
        let mut checker = BisectionChecker::new(&roadmap, resolution, &grid).unwrap();
        let mut sightings = Sightings::new(2);
        assert_eq!(row.len(), roadmap.edge_count());
        for (edge, &free) in roadmap.edge_ids().zip(&row) {
            let verdict = checker.check(Part::whole_of(edge), &mut sightings).unwrap();
            agreed += usize::from(verdict.free == Some(free == 1.0));
            asked += 1;
        }
    }
    agreed as f64 / asked as f64
}

#[test]
fn pictures_agree_with_the_published_tables() {
    let Some(folder) = dataset("dataset_2d_1") else {
        return;
    };
    let share = agreement(&folder, 10);
    println!("picture and table agree on {:.3}% of edges", share * 100.0);
    assert!(share > 0.999, "{share}");
}

#[test]
fn vertices_lie_in_pictures_of_every_size() {
    for name in ["dataset_2d_3", "dataset_2d_5"] {
        let Some(folder) = dataset(name) else {
            continue;
        };
        let picture = folder.join("environment_images/world_1.png");
        let grid = OccupancyGrid::read(&picture, &ImageOptions::default()).unwrap();
        let inside = rows(folder.join("coord_set.dat")).all(|q| grid.cell_at(q[0], q[1]).is_some());
        assert!(inside, "{name}");
    }
}

#[test]
fn a_small_disc_is_free_where_its_point_is_but_for_the_edges() {
    let Some(folder) = dataset("dataset_2d_1") else {
        return;
    };
    let picture = folder.join("environment_images/world_1.png");
    let options = ImageOptions {
        size: Some((1001, 1001)),
        ..ImageOptions::default()
    };
    let grid = OccupancyGrid::read(&picture, &options).unwrap();
    let robot = DiscRobot::new(&grid, 0.01).unwrap();
    let (mut point, mut disc) = (0, 0);
    for (x, y) in (0..200).flat_map(|x| (0..200).map(move |y| (x, y))) {
        let q = [f64::from(x) / 199.0, f64::from(y) / 199.0];
        point += usize::from(grid.free_at(&q));
        disc += usize::from(robot.free_at(&q));
        assert!(grid.free_at(&q) || !robot.free_at(&q));
    }
    assert!(disc < point && disc > point / 2, "{disc} of {point}");
}

#[test]
fn a_damaged_picture_is_an_error() {
    let Some(folder) = dataset("dataset_2d_1") else {
        return;
    };
    let whole = std::fs::read(folder.join("environment_images/world_1.png")).unwrap();
    let scratch = tempfile::tempdir().unwrap();
    let path = scratch.path().join("cut.png");
    for share in 0..10 {
        std::fs::write(&path, &whole[..whole.len() * share / 10]).unwrap();
        assert!(OccupancyGrid::read(&path, &ImageOptions::default()).is_err());
    }
}
