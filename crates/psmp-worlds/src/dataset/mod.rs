//! Datasets of collision checks: one roadmap, and which of its edges are free in many worlds.
//!
//! The layout is that of the published `graph_collision_checking_dataset`: a folder with
//! `graph.txt` and, as far as the dataset has them, coordinates, a table of collision results, a
//! start and a goal, the worlds for training and for testing, images or boxes of the worlds, and a library
//! of paths. Most files come as text (`.dat`), as MAT-file, or as both. Only the graph is
//! necessary; anything else is missed when it is asked for. Ids count from 1 in the files and
//! from 0 everywhere else.

mod bits;
mod boxes;
mod graph;
mod text;
mod twins;
mod write;

pub use bits::BitMatrix;
pub use graph::Pairing;
pub use twins::Prefer;
pub use write::DatasetParts;

use crate::Shapes;
use crate::embedding::space_around;
use crate::mat5::MatFile;
use graph::{Edges, GraphFile};
use psmp::{CollisionTable, EdgeId, Query, Roadmap, VertexId, WorldId};
use psmp_files::FileError;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use twins::{Twin, both, choose, find, missing};

/// The names of a dataset's files, without the endings that tell twins apart.
mod name {
    pub const GRAPH: &str = "graph.txt";
    pub const COORDINATES: &str = "coord_set";
    pub const NUMBERED_COORDINATES: &str = "vertex_coordinates.txt";
    pub const TABLE: &str = "coll_check_results";
    pub const START: &str = "start_idx";
    pub const GOAL: &str = "goal_idx";
    pub const START_AND_GOAL: &str = "start_goal";
    pub const TRAIN: &str = "train_id";
    pub const TEST: &str = "test_id";
    pub const PATHS: &str = "path_library";
    pub const ASSIGNMENT: &str = "world_library_assignment";
    pub const IMAGES: &str = "environment_images";
    pub const BOXES: &str = "environment_boxes";
}

/// How to read what a dataset leaves open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ReadOptions {
    /// Which of two twins is read.
    pub prefer: Prefer,
    /// When two rows of the graph are one undirected edge.
    pub pairing: Pairing,
}

/// A dataset that has been read.
///
/// Roadmap, table and world ids are in memory; the smaller files are read when they are asked
/// for.
#[derive(Debug, Clone)]
pub struct Dataset {
    /// The folder's name.
    pub name: String,
    /// The graph, with configurations if the dataset has coordinates.
    pub roadmap: Roadmap,
    folder: PathBuf,
    prefer: Prefer,
    edge_of_row: Vec<EdgeId>,
    table: Option<Arc<CollisionTable>>,
    train: Option<Vec<WorldId>>,
    test: Option<Vec<WorldId>>,
}

/// Where a dataset's folder has, or would have, the boxes of a world.
fn boxes_path(folder: &Path, world: WorldId) -> PathBuf {
    let file = format!("world_{}.txt", u64::from(world.0) + 1);
    folder.join(name::BOXES).join(file)
}

impl Dataset {
    /// Whether a folder holds a graph, as datasets do.
    pub fn is_one(folder: impl AsRef<Path>) -> bool {
        folder.as_ref().join(name::GRAPH).is_file()
    }

    /// Reads the dataset in a folder with the default options.
    ///
    /// # Errors
    /// If there is no graph, or a file that is there is malformed or does not fit the others.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self, FileError> {
        Self::open_with(folder, ReadOptions::default())
    }

    /// Reads the dataset in a folder.
    ///
    /// # Errors
    /// As for [`Dataset::open`].
    pub fn open_with(folder: impl AsRef<Path>, options: ReadOptions) -> Result<Self, FileError> {
        let folder = folder.as_ref();
        let ReadOptions { prefer, pairing } = options;
        let graph_path = folder.join(name::GRAPH);
        if !Self::is_one(folder) {
            return Err(missing(folder, &[name::GRAPH.to_owned()], "graph")
                .hint("name the folder of a dataset, which holds `graph.txt`"));
        }
        let graph = GraphFile::read(&graph_path, &psmp_files::read(&graph_path)?)?;
        let coordinates = coordinates(folder, prefer, graph.vertices)?;
        if coordinates.is_none() {
            graph.believable(&graph_path)?;
        }
        let bits = match find(folder, name::TABLE, prefer) {
            Some(twin) => Some(table_bits(&twin, graph.rows.len())?),
            None => None,
        };
        let vertices = graph.vertices;
        let edges = match pairing {
            Pairing::Equal => Edges::new(graph.rows, bits.as_ref()),
            Pairing::Any => Edges::new(graph.rows, None),
        };
        let table = bits.map(|bits| Arc::new(table(&bits, &edges.rows_of_edge)));
        let mut roadmap = Roadmap::from_edges(vertices, edges.direction, edges.edges)
            .map_err(|e| FileError::new(&graph_path, e.to_string()).hint("correct the graph"))?;
        if let Some((path, numbers)) = coordinates {
            let unfit = |e: String| FileError::new(&path, e).hint("correct the coordinates");
            let space =
                space_around(numbers.columns, &numbers.values).map_err(|e| unfit(e.to_string()))?;
            roadmap = roadmap
                .with_configurations(space, numbers.values)
                .map_err(|e| unfit(e.to_string()))?;
        }
        let worlds = table
            .as_ref()
            .map_or(u32::MAX as usize, |table| table.world_count());
        let world_ids = |stem: &str| match find(folder, stem, prefer) {
            Some(twin) => {
                let ids = twins::ids(&twin, stem, "world", worlds)?;
                Ok(Some(ids.into_iter().map(WorldId).collect()))
            }
            None => Ok(None),
        };
        Ok(Self {
            name: folder_name(folder),
            roadmap,
            edge_of_row: edges.edge_of_row,
            table,
            train: world_ids(name::TRAIN)?,
            test: world_ids(name::TEST)?,
            folder: folder.to_owned(),
            prefer,
        })
    }

    /// Writes a dataset into a folder, which is made if it is not there, so that reading it gives
    /// the same back. Each part is written as text and as MAT-file; an undirected edge takes two
    /// rows of the graph and two columns of the table.
    ///
    /// # Errors
    /// If parts do not fit each other, if the folder has files of a part that is not given (they
    /// would be read as if they belonged to it), or if a file cannot be written.
    pub fn write(folder: impl AsRef<Path>, parts: &DatasetParts<'_>) -> Result<(), FileError> {
        write::dataset(folder.as_ref(), parts)
    }

    /// Makes the folder for images of worlds in a dataset's folder.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn create_image_folder(folder: impl AsRef<Path>) -> Result<PathBuf, FileError> {
        let images = folder.as_ref().join(name::IMAGES);
        fs::create_dir_all(&images).map_err(|e| FileError::io(&images, "create", e))?;
        Ok(images)
    }

    /// Where a dataset's folder has, or would have, the image of a world.
    pub fn image_path_in(folder: impl AsRef<Path>, world: WorldId) -> PathBuf {
        let file = format!("world_{}.png", u64::from(world.0) + 1);
        folder.as_ref().join(name::IMAGES).join(file)
    }

    /// Makes the folder for boxes of worlds in a dataset's folder.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn create_box_folder(folder: impl AsRef<Path>) -> Result<PathBuf, FileError> {
        let boxes = folder.as_ref().join(name::BOXES);
        fs::create_dir_all(&boxes).map_err(|e| FileError::io(&boxes, "create", e))?;
        Ok(boxes)
    }

    /// Writes the boxes that a world is made of into a dataset's folder: for each a line with its lower corner and
    /// its upper.
    ///
    /// # Errors
    /// If that cannot be done.
    pub fn write_boxes(
        folder: impl AsRef<Path>,
        world: WorldId,
        shapes: &Shapes,
    ) -> Result<(), FileError> {
        boxes::write(&boxes_path(folder.as_ref(), world), shapes)
    }

    /// The boxes that a world is made of, if the dataset has them and coordinates to use them with.
    ///
    /// # Errors
    /// If they are there but cannot be read, or have other dimensions than the coordinates.
    pub fn boxes(&self, world: WorldId) -> Result<Option<Shapes>, FileError> {
        let path = boxes_path(&self.folder, world);
        match self.roadmap.space() {
            Some(space) if path.exists() => boxes::read(&path, space.dimension()).map(Some),
            _ => Ok(None),
        }
    }

    /// The folder.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Which edge each column of the table's files, and so each id in `graph.txt`, belongs to.
    #[must_use]
    pub fn edge_of_row(&self) -> &[EdgeId] {
        &self.edge_of_row
    }

    /// The collision results of all worlds.
    ///
    /// # Errors
    /// If the dataset has none.
    pub fn table(&self) -> Result<&Arc<CollisionTable>, FileError> {
        self.table.as_ref().ok_or_else(|| {
            missing(
                &self.folder,
                &both(name::TABLE),
                "table of collision results",
            )
        })
    }

    /// The worlds to learn from, if the dataset names them.
    #[must_use]
    pub fn train(&self) -> Option<&[WorldId]> {
        self.train.as_deref()
    }

    /// The worlds to plan in, if the dataset names them.
    #[must_use]
    pub fn test(&self) -> Option<&[WorldId]> {
        self.test.as_deref()
    }

    /// From where to where to plan.
    ///
    /// # Errors
    /// If the dataset does not say, or says it wrongly.
    pub fn query(&self) -> Result<Query, FileError> {
        let [[start, _], [goal, _], [_, mat]] =
            [name::START, name::GOAL, name::START_AND_GOAL].map(both);
        let there = |name: &String| self.folder.join(name).is_file();
        // Half a pair of texts is no twin of the MAT-file.
        let chosen = match (there(&start) && there(&goal), there(&mat)) {
            (true, _) => choose(
                self.folder.join(&start),
                self.folder.join(&mat),
                self.prefer,
            ),
            (false, true) => Some(Twin::Mat(self.folder.join(&mat))),
            (false, false) => None,
        };
        let (start, goal) = match chosen {
            Some(Twin::Text(path)) => (Twin::Text(path), Twin::Text(self.folder.join(&goal))),
            Some(Twin::Mat(path)) => (Twin::Mat(path.clone()), Twin::Mat(path)),
            None => {
                let absent: Vec<_> = [start, goal, mat]
                    .into_iter()
                    .filter(|n| !there(n))
                    .collect();
                return Err(missing(&self.folder, &absent, "start and goal"));
            }
        };
        Ok(Query {
            start: self.vertex(&start, name::START)?,
            goal: self.vertex(&goal, name::GOAL)?,
        })
    }

    fn vertex(&self, twin: &Twin, stem: &str) -> Result<VertexId, FileError> {
        let ids = twins::ids(twin, stem, "vertex", self.roadmap.vertex_count())?;
        match &ids[..] {
            &[id] => Ok(VertexId(id)),
            ids => {
                let (Twin::Text(path) | Twin::Mat(path)) = twin;
                let problem = format!("`{stem}` has {} ids, expected one", ids.len());
                Err(FileError::new(path, problem).hint("give the id of one vertex, from 1"))
            }
        }
    }

    /// Where the image of a world is, if the dataset has one.
    #[must_use]
    pub fn image_path(&self, world: WorldId) -> Option<PathBuf> {
        let path = Self::image_path_in(&self.folder, world);
        path.is_file().then_some(path)
    }

    /// How many images of worlds there are.
    ///
    /// # Errors
    /// If their folder is there but cannot be read.
    pub fn image_count(&self) -> Result<usize, FileError> {
        let images = self.folder.join(name::IMAGES);
        if !images.exists() {
            return Ok(0);
        }
        let entries = fs::read_dir(&images).map_err(|e| FileError::io(&images, "read", e))?;
        let is_world = |file: &fs::DirEntry| {
            let name = file.file_name();
            name.to_str()
                .and_then(|name| name.strip_prefix("world_")?.strip_suffix(".png"))
                .is_some_and(|id| id.parse::<u32>().is_ok_and(|id| id > 0))
        };
        Ok(entries.flatten().filter(is_world).count())
    }

    /// The library of paths, each a list of vertices.
    ///
    /// # Errors
    /// If the dataset has none, or it is malformed.
    pub fn path_library(&self) -> Result<Vec<Vec<VertexId>>, FileError> {
        let twin = find(&self.folder, name::PATHS, self.prefer)
            .ok_or_else(|| missing(&self.folder, &both(name::PATHS), "library of paths"))?;
        let vertices = self.roadmap.vertex_count();
        let paths = twins::lists_of_ids(&twin, name::PATHS, "vertex", vertices)?;
        let path = |ids: Vec<u32>| ids.into_iter().map(VertexId).collect();
        Ok(paths.into_iter().map(path).collect())
    }

    /// Which paths of the library (columns) are marked in which worlds (rows).
    ///
    /// # Errors
    /// If the dataset does not say, or it is malformed.
    pub fn world_library_assignment(&self) -> Result<BitMatrix, FileError> {
        let twin = find(&self.folder, name::ASSIGNMENT, self.prefer).ok_or_else(|| {
            missing(
                &self.folder,
                &both(name::ASSIGNMENT),
                "assignment of worlds to paths",
            )
        })?;
        let (path, bits) = read_bits(&twin, name::ASSIGNMENT)?;
        match &self.table {
            Some(table) if table.world_count() != bits.rows() => Err(FileError::new(
                path,
                format!(
                    "has {} rows, but the table has {} worlds",
                    bits.rows(),
                    table.world_count()
                ),
            )
            .hint("give it a row for each world of the collision table")),
            _ => Ok(bits),
        }
    }
}

/// The folder's own name, also where it is given as `.` or `..`.
fn folder_name(folder: &Path) -> String {
    let full = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    match full.file_name() {
        Some(name) => name.to_string_lossy().into_owned(),
        None => full.to_string_lossy().into_owned(),
    }
}

/// The coordinates of all vertices, if the dataset has any, and their file.
fn coordinates(
    folder: &Path,
    prefer: Prefer,
    vertices: usize,
) -> Result<Option<(PathBuf, text::NumberRows)>, FileError> {
    let numbered = folder.join(name::NUMBERED_COORDINATES);
    let plain = find(folder, name::COORDINATES, prefer);
    let may_be_numbered = plain.is_none();
    let Some(twin) = plain.or_else(|| numbered.is_file().then_some(Twin::Text(numbered))) else {
        return Ok(None);
    };
    let mut numbers = twins::numbers(&twin, name::COORDINATES)?;
    let (Twin::Text(path) | Twin::Mat(path)) = twin;
    if numbers.count() != vertices {
        return Err(FileError::new(
            &path,
            format!(
                "has coordinates of {} vertices, `{}` declares {vertices}",
                numbers.count(),
                name::GRAPH
            ),
        )
        .hint("give a row of coordinates for each vertex"));
    }
    if may_be_numbered {
        drop_vertex_ids(&mut numbers);
    }
    // A graph without vertices has an empty file of coordinates, which tells no dimension.
    Ok((numbers.columns > 0).then_some((path, numbers)))
}

/// Removes the first column if it only counts the rows from 1.
fn drop_vertex_ids(numbers: &mut text::NumberRows) {
    let columns = numbers.columns;
    let counts = |(i, row): (usize, &[f64])| row[0] == (i + 1) as f64;
    if columns > 1 && numbers.values.chunks_exact(columns).enumerate().all(counts) {
        let rows = numbers.values.chunks_exact(columns);
        numbers.values = rows.flat_map(|row| &row[1..]).copied().collect();
        numbers.columns -= 1;
    }
}

fn read_bits<'a>(twin: &'a Twin, variable: &str) -> Result<(&'a Path, BitMatrix), FileError> {
    match twin {
        Twin::Text(path) => Ok((path, BitMatrix::from_text(path, &psmp_files::read(path)?)?)),
        Twin::Mat(path) => {
            let file = MatFile::read(path)?;
            let bits = BitMatrix::from_matrix(path, variable, file.matrix(variable)?)?;
            Ok((path, bits))
        }
    }
}

/// The collision results as they stand in the file, a column for each row of the graph.
fn table_bits(twin: &Twin, rows: usize) -> Result<BitMatrix, FileError> {
    let (path, bits) = read_bits(twin, name::TABLE)?;
    if bits.columns() != rows {
        let (worlds, columns) = (bits.rows(), bits.columns());
        let error = FileError::new(
            path,
            format!(
                "has {columns} columns, but `{}` has {rows} edges",
                name::GRAPH
            ),
        );
        return Err(match worlds == rows {
            true => error.hint("it seems to be transposed: worlds are rows, edges are columns"),
            false => error.hint("take the table and the graph from the same dataset"),
        });
    }
    if u32::try_from(bits.rows()).is_err() {
        return Err(
            FileError::new(path, "has more worlds than 32-bit ids can name")
                .hint("split it into several datasets"),
        );
    }
    Ok(bits)
}

/// The table by edges, which are free where all their rows are.
fn table(bits: &BitMatrix, rows_of_edge: &[(usize, usize)]) -> CollisionTable {
    let mut table = CollisionTable::all_blocked(bits.rows(), rows_of_edge.len());
    for world in 0..bits.rows() {
        for (edge, &(one, other)) in rows_of_edge.iter().enumerate() {
            if bits.get(world, one) && bits.get(world, other) {
                table.set(WorldId(world as u32), EdgeId(edge as u32), true);
            }
        }
    }
    table
}
