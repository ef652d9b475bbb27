//! Problems whose roadmap has grown since its worlds became known: some vertices, and all edges that
//! touch them, are in no table that a belief learns from.
//!
//! They are the same problems in another order of edges. The truth about new edges is there to be held
//! against what is believed of them, as it is about all others.

use crate::problems::{Origin, Problems};
use crate::recorded::Sight;
use crate::sweep::SweepError;
use psmp::{CollisionTable, Draw, EdgeId, Query, Resolution, Roadmap, VertexId, WorldId};
use psmp_files::FileError;
use psmp_worlds::{OccupancyGrid, Shapes};
use std::sync::Arc;

/// Problems on a roadmap of which only a part is known.
pub struct Grown<'a> {
    problems: &'a dyn Problems,
    /// Known edges first.
    roadmap: Roadmap,
    /// The truth about all edges.
    table: Arc<CollisionTable>,
    /// What is known beforehand.
    experience: Arc<CollisionTable>,
}

impl<'a> Grown<'a> {
    /// These problems, of which one vertex in `every` has come later; never the start or the goal.
    /// `None` if the roadmap has no configurations: then nothing can be said of new edges.
    ///
    /// # Errors
    /// If a file of the problems cannot be read.
    pub fn new(
        problems: &'a dyn Problems,
        every: u64,
        seed: u64,
    ) -> Result<Option<Self>, FileError> {
        let old = problems.roadmap();
        let (Some(space), Some(coordinates)) = (old.space(), old.configurations()) else {
            return Ok(None);
        };
        let Query { start, goal } = problems.query()?;
        let random = Draw::new(seed, 0x6702_0913);
        let is_new = |vertex: VertexId| {
            let chosen = random.below(every.max(1), u64::from(vertex.0)) == 0;
            chosen && vertex != start && vertex != goal
        };
        let (new, known): (Vec<EdgeId>, Vec<EdgeId>) = old.edge_ids().partition(|&e| {
            let edge = old.edge(e);
            is_new(edge.from) || is_new(edge.to)
        });
        let order: Vec<EdgeId> = known.iter().chain(&new).copied().collect();
        let edges = order.iter().map(|&e| old.edge(e)).collect();
        let roadmap = Roadmap::from_edges(old.vertex_count(), old.direction(), edges)
            .and_then(|r| r.with_configurations(space.clone(), coordinates.into_owned()));
        let Ok(roadmap) = roadmap else {
            unreachable!("it is a roadmap in another order");
        };
        let table = problems.table()?;
        Ok(Some(Self {
            problems,
            roadmap,
            table: Arc::new(of_edges(table, &order)),
            experience: Arc::new(of_edges(table, &known)),
        }))
    }
}

/// These edges of a table.
fn of_edges(table: &CollisionTable, edges: &[EdgeId]) -> CollisionTable {
    let (worlds, count) = (table.world_count(), edges.len());
    let is_partial = table.worlds().any(|w| table.known_edges_in(w).is_some());
    let mut chosen = match is_partial {
        true => CollisionTable::unknown(worlds, count),
        false => CollisionTable::all_blocked(worlds, count),
    };
    for world in table.worlds() {
        for (place, &edge) in edges.iter().enumerate() {
            if table.is_known(world, edge) {
                chosen.set(world, EdgeId(place as u32), table.is_free(world, edge));
            }
        }
    }
    chosen
}

impl Problems for Grown<'_> {
    fn name(&self) -> &str {
        self.problems.name()
    }
    fn roadmap(&self) -> &Roadmap {
        &self.roadmap
    }
    fn query(&self) -> Result<Query, FileError> {
        self.problems.query()
    }
    fn table(&self) -> Result<&Arc<CollisionTable>, FileError> {
        Ok(&self.table)
    }
    fn experience(&self) -> Result<&Arc<CollisionTable>, FileError> {
        Ok(&self.experience)
    }
    fn train(&self) -> Option<&[WorldId]> {
        self.problems.train()
    }
    fn test(&self) -> Option<&[WorldId]> {
        self.problems.test()
    }
    fn image(&self, world: WorldId) -> Result<Option<OccupancyGrid>, FileError> {
        self.problems.image(world)
    }
    fn boxes(&self, world: WorldId) -> Result<Option<Shapes>, FileError> {
        self.problems.boxes(world)
    }
    fn sight(
        &self,
        world: WorldId,
        resolution: Option<f64>,
    ) -> Result<Option<(Sight, Resolution)>, SweepError> {
        self.problems.sight(world, resolution)
    }
    fn origin(&self) -> Origin {
        self.problems.origin()
    }
}
