use crate::sample::Sample;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use psmp::{Axis, CollisionTable, Direction, Edge, Query, Roadmap, Space, VertexId, WorldId};
use psmp_worlds::{BitMatrix, Dataset, Prefer, ReadOptions, graphml};

fn wide(dimension: usize) -> Space {
    Space::new(vec![Axis::new(-1e9, 1e9).unwrap(); dimension]).unwrap()
}

fn length() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{POSITIVE, SUBNORMAL, ZERO};
    prop_oneof![POSITIVE | SUBNORMAL | ZERO, 0.0..2.0].prop_map(f64::abs)
}

fn roadmap() -> impl Strategy<Value = Roadmap> {
    (1..12u32, any::<bool>(), option::of(1..4usize)).prop_flat_map(|(n, directed, dimension)| {
        // Few lengths make parallel edges of equal length.
        let length = prop_oneof![length(), Just(1.0)];
        let edges = vec((0..n, 0..n, length), 0..20);
        let values = n as usize * dimension.unwrap_or(0);
        let coordinates = prop_oneof![vec(0.0..1.0, values), vec(-1e6..1e6, values)];
        (edges, coordinates).prop_map(move |(edges, coordinates)| {
            let edges = edges.iter().map(|&(a, b, w)| Edge::new(a, b, w)).collect();
            let direction = match directed {
                true => Direction::Directed,
                false => Direction::Undirected,
            };
            let roadmap = Roadmap::from_edges(n as usize, direction, edges).unwrap();
            match dimension {
                Some(d) => roadmap.with_configurations(wide(d), coordinates).unwrap(),
                None => roadmap,
            }
        })
    })
}

fn sample() -> impl Strategy<Value = Sample> {
    (roadmap(), 1..70usize).prop_flat_map(|(roadmap, worlds)| {
        let (n, edges) = (roadmap.vertex_count() as u32, roadmap.edge_count());
        let vertex = (0..n).prop_map(VertexId);
        let world = (0..worlds as u32).prop_map(WorldId);
        let table = vec(vec(any::<bool>(), edges), worlds);
        let with_table = any::<bool>().prop_map(move |with| with && edges > 0);
        let ids = option::of(vec(world, 0..6));
        let paths = option::of(vec(vec(vertex.clone(), 1..5), 0..4));
        let marks = option::of(vec(any::<[bool; 3]>(), worlds));
        let query = option::of((vertex.clone(), vertex));
        (table, with_table, query, ids.clone(), ids, paths, marks).prop_map(
            move |(rows, with_table, query, train, test, paths, marks)| Sample {
                roadmap: roadmap.clone(),
                table: with_table.then(|| CollisionTable::from_rows(edges, &rows).unwrap()),
                query: query.map(|(start, goal)| Query { start, goal }),
                train,
                test,
                paths,
                assignment: marks.map(|rows| {
                    let mut bits = BitMatrix::new(rows.len(), 3);
                    for (row, marks) in rows.iter().enumerate() {
                        for column in (0..3).filter(|&column| marks[column]) {
                            bits.set(row, column);
                        }
                    }
                    bits
                }),
            },
        )
    })
}

fn assert_same_roadmap(found: &Roadmap, expected: &Roadmap) {
    assert_eq!(found.direction(), expected.direction());
    assert!(found.edges().eq(expected.edges()));
    assert_eq!(found.vertex_count(), expected.vertex_count());
    for v in expected.vertices() {
        assert_eq!(found.configuration(v), expected.configuration(v));
    }
}

fn assert_same_dataset(found: &Dataset, expected: &Sample) {
    assert_same_roadmap(&found.roadmap, &expected.roadmap);
    assert_eq!(found.table().ok().map(|t| &**t), expected.table.as_ref());
    assert_eq!(found.query().ok(), expected.query);
    assert_eq!(found.train(), expected.train.as_deref());
    assert_eq!(found.test(), expected.test.as_deref());
    assert_eq!(found.path_library().ok(), expected.paths);
    assert_eq!(found.world_library_assignment().ok(), expected.assignment);
}

proptest! {
    #[test]
    fn a_dataset_reads_as_it_was_written(sample in sample()) {
        let folder = tempfile::tempdir().unwrap();
        match sample.write(folder.path()) {
            Ok(()) => {
                for prefer in [Prefer::Text, Prefer::Mat, Prefer::Newest] {
                    let options = ReadOptions { prefer, ..ReadOptions::default() };
                    let back = Dataset::open_with(folder.path(), options).unwrap();
                    assert_same_dataset(&back, &sample);
                }
            }
            // The format cannot tell such a graph from an undirected one.
            Err(error) => {
                prop_assert_eq!(sample.roadmap.direction(), Direction::Directed);
                prop_assert!(error.to_string().contains("read as undirected"), "{}", error);
            }
        }
    }

    #[test]
    fn a_graphml_roadmap_reads_as_it_was_written(roadmap in roadmap()) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("roadmap.graphml");
        graphml::write(&path, &roadmap).unwrap();
        let back = graphml::read(&path).unwrap();
        // Without edges the file still says which way they would go.
        assert_same_roadmap(&back, &roadmap);
    }
}
