use psmp::{CollisionTable, Direction, Edge, Query, Roadmap, Space, VertexId, WorldId};
use psmp_files::FileError;
use psmp_worlds::{BitMatrix, Dataset, DatasetParts};
use std::path::Path;

/// Everything a dataset can hold.
#[derive(Debug, Clone)]
pub struct Sample {
    pub roadmap: Roadmap,
    pub table: Option<CollisionTable>,
    pub query: Option<Query>,
    pub train: Option<Vec<WorldId>>,
    pub test: Option<Vec<WorldId>>,
    pub paths: Option<Vec<Vec<VertexId>>>,
    pub assignment: Option<BitMatrix>,
}

impl Sample {
    pub fn write(&self, folder: &Path) -> Result<(), FileError> {
        let parts = DatasetParts {
            table: self.table.as_ref().map(|table| table as _),
            query: self.query,
            train: self.train.as_deref(),
            test: self.test.as_deref(),
            path_library: self.paths.as_deref(),
            world_library_assignment: self.assignment.as_ref(),
            ..DatasetParts::new(&self.roadmap)
        };
        Dataset::write(folder, &parts)
    }

    /// A small one with every part there is.
    pub fn complete(direction: Direction) -> Self {
        let edges = vec![
            Edge::new(0, 1, 0.5),
            Edge::new(1, 2, 0.1 + 0.2),
            Edge::new(2, 3, 1e-3),
            Edge::new(3, 0, 12.0),
            Edge::new(0, 2, 0.0),
        ];
        let coordinates = vec![0.25, 1.0, 0.0, 1.0 / 3.0, 0.75, 0.5, 1.0, 0.125];
        let mut table = CollisionTable::all_blocked(6, edges.len());
        let mut assignment = BitMatrix::new(6, 2);
        for world in 0..6u32 {
            for edge in (0..5u32).filter(|edge| (world + edge) % 3 != 0) {
                table.set(WorldId(world), psmp::EdgeId(edge), true);
            }
            assignment.set(world as usize, world as usize % 2);
        }
        let roadmap = Roadmap::from_edges(4, direction, edges)
            .and_then(|roadmap| roadmap.with_configurations(Space::unit(2), coordinates))
            .unwrap();
        Self {
            roadmap,
            table: Some(table),
            query: Some(Query {
                start: VertexId(0),
                goal: VertexId(3),
            }),
            train: Some([0, 2, 3, 5].map(WorldId).to_vec()),
            test: Some([4, 1].map(WorldId).to_vec()),
            paths: Some(vec![
                [0, 1, 2, 3].map(VertexId).to_vec(),
                [0, 2, 3].map(VertexId).to_vec(),
            ]),
            assignment: Some(assignment),
        }
    }
}
