use crate::real_data;
use psmp::{Direction, Experience, Query, VertexId, WorldId};
use psmp_worlds::{Dataset, Prefer};
use std::path::PathBuf;

fn folder(name: &str) -> Option<PathBuf> {
    Some(real_data()?.join("graph_collision_checking").join(name))
}

#[test]
fn all_six_load_with_the_published_counts() {
    for (name, direction, vertices, edges, dimension, images, paths) in [
        (
            "dataset_2d_1",
            Direction::Undirected,
            100,
            923,
            Some(2),
            1000,
            500,
        ),
        (
            "dataset_2d_3",
            Direction::Undirected,
            200,
            2524,
            Some(2),
            1000,
            500,
        ),
        (
            "dataset_2d_5",
            Direction::Undirected,
            200,
            2524,
            Some(2),
            1000,
            500,
        ),
        (
            "dataset_herb_1",
            Direction::Undirected,
            6780,
            16643,
            None,
            0,
            51,
        ),
        (
            "dataset_xyh_1",
            Direction::Directed,
            3049,
            7981,
            None,
            0,
            68,
        ),
        (
            "dataset_heli_canyon_1",
            Direction::Directed,
            524,
            1467,
            Some(3),
            0,
            453,
        ),
    ] {
        let Some(folder) = folder(name) else { return };
        let start = std::time::Instant::now();
        let dataset = Dataset::open(&folder).unwrap();
        eprintln!("{name} in {:?}", start.elapsed());
        assert_eq!(dataset.name, name);
        let roadmap = &dataset.roadmap;
        assert_eq!(roadmap.direction(), direction, "{name}");
        assert_eq!(
            (roadmap.vertex_count(), roadmap.edge_count()),
            (vertices, edges)
        );
        assert_eq!(roadmap.space().map(|s| s.dimension()), dimension, "{name}");
        let table = dataset.table().unwrap();
        assert_eq!((table.world_count(), table.edge_count()), (1000, edges));
        let (train, test) = (dataset.train().unwrap(), dataset.test().unwrap());
        assert_eq!((train.len(), test.len()), (900, 100));
        let mut all = [train, test].concat();
        all.sort();
        assert!(
            all.iter().enumerate().all(|(i, w)| w.index() == i),
            "{name}"
        );
        assert_eq!(dataset.image_count().unwrap(), images);
        assert_eq!(dataset.image_path(WorldId(999)).is_some(), images > 0);
        assert_eq!(dataset.image_path(WorldId(1000)), None);

        let query = dataset.query().unwrap();
        let library = dataset.path_library().unwrap();
        assert_eq!(library.len(), paths);
        for path in &library {
            let ends = (path.first().copied(), path.last().copied());
            assert_eq!(ends, (Some(query.start), Some(query.goal)), "{name}");
        }
        let assignment = dataset.world_library_assignment().unwrap();
        assert_eq!((assignment.rows(), assignment.columns()), (1000, paths));
    }
}

#[test]
fn either_twin_can_be_read() {
    let Some(folder) = folder("dataset_2d_1") else {
        return;
    };
    let text = Dataset::open_with(&folder, Prefer::Text).unwrap();
    let mat = Dataset::open_with(&folder, Prefer::Mat).unwrap();
    let expected = Query {
        start: VertexId(14),
        goal: VertexId(24),
    };
    assert_eq!(text.query().unwrap(), expected);
    assert_eq!(mat.query().unwrap(), expected);
    assert_eq!(text.path_library().unwrap(), mat.path_library().unwrap());
    assert_eq!(text.edge_of_row(), mat.edge_of_row());
    // The text was redone at a finer resolution: a few entries differ, no more.
    let differing: u32 = (0..1000)
        .map(|w| {
            let rows = [&text, &mat].map(|d| d.table().unwrap().free_edges_in(WorldId(w)));
            rows[0]
                .iter()
                .zip(rows[1])
                .map(|(a, b)| (a ^ b).count_ones())
                .sum::<u32>()
        })
        .sum();
    let share = f64::from(differing) / (1000.0 * 923.0);
    assert!((0.003..0.005).contains(&share), "{share}");
    // The MAT-file has more digits.
    for v in text.roadmap.vertices() {
        let [a, b] = [&text, &mat].map(|d| d.roadmap.configuration(v).unwrap());
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-5));
    }
}
