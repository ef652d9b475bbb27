//! Writing a dataset, every part as text and as MAT-file.
//!
//! Numbers are written with as many digits as it takes to read the same back. What the format
//! cannot say is refused: it has no word for "directed", for example, so a directed graph whose
//! edges all come in equal pairs would read as an undirected one.

use super::graph::Edges;
use super::twins::both;
use super::{BitMatrix, name};
use crate::mat5::{MatFile, Matrix, Numbers, Value};
use psmp::{CollisionTable, Direction, Edge, Query, Roadmap, VertexId, WorldId};
use psmp_files::FileError;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// What a dataset is written from. Only the roadmap is necessary.
///
/// Of the roadmap's space only the configurations are kept: the format has no bounds, weights or
/// wrapping axes.
#[derive(Clone, Copy)]
pub struct DatasetParts<'a> {
    /// The graph and its configurations.
    pub roadmap: &'a Roadmap,
    /// Which edge is free in which world.
    pub table: Option<&'a CollisionTable>,
    /// From where to where to plan.
    pub query: Option<Query>,
    /// The worlds to learn from.
    pub train: Option<&'a [WorldId]>,
    /// The worlds to plan in.
    pub test: Option<&'a [WorldId]>,
    /// A library of paths.
    pub path_library: Option<&'a [Vec<VertexId>]>,
    /// Which paths of the library (columns) are marked in which worlds (rows).
    pub world_library_assignment: Option<&'a BitMatrix>,
}

impl<'a> DatasetParts<'a> {
    /// A dataset with nothing but a roadmap.
    #[must_use]
    pub fn new(roadmap: &'a Roadmap) -> Self {
        Self {
            roadmap,
            table: None,
            query: None,
            train: None,
            test: None,
            path_library: None,
            world_library_assignment: None,
        }
    }
}

/// How many rows of the graph an edge takes.
fn rows_per_edge(roadmap: &Roadmap) -> usize {
    match roadmap.direction() {
        Direction::Undirected => 2,
        Direction::Directed => 1,
    }
}

/// The rows of the graph. Row `r` belongs to edge `r / rows_per_edge`.
fn graph_rows(roadmap: &Roadmap) -> Vec<Edge> {
    let back = |e: &Edge| Edge::new(e.to.0, e.from.0, e.length);
    match roadmap.direction() {
        Direction::Undirected => roadmap.edges().flat_map(|e| [e, back(&e)]).collect(),
        Direction::Directed => roadmap.edges().collect(),
    }
}

/// The table's columns for the rows of the graph.
fn table_bits(roadmap: &Roadmap, table: &CollisionTable) -> BitMatrix {
    let per_edge = rows_per_edge(roadmap);
    let mut bits = BitMatrix::new(table.world_count(), roadmap.edge_count() * per_edge);
    for world in 0..table.world_count() {
        let free = table.free_edges_in(WorldId(world as u32));
        for row in 0..bits.columns() {
            let edge = row / per_edge;
            if free[edge / 64] >> (edge % 64) & 1 == 1 {
                bits.set(world, row);
            }
        }
    }
    bits
}

pub(super) fn dataset(folder: &Path, parts: &DatasetParts<'_>) -> Result<(), FileError> {
    let roadmap = parts.roadmap;
    check(folder, parts)?;
    let rows = graph_rows(roadmap);
    let bits = parts.table.map(|table| table_bits(roadmap, table));
    if Edges::new(rows.clone(), bits.as_ref()).direction != roadmap.direction() {
        return Err(FileError::new(
            folder.join(name::GRAPH),
            "would read as undirected, because every edge has an equal one in the other direction",
        )
        .hint("give the roadmap as undirected, one edge for each pair"));
    }
    fs::create_dir_all(folder).map_err(|e| FileError::io(folder, "create", e))?;
    if let Some(space) = roadmap.space() {
        let all: Vec<&[f64]> = roadmap
            .vertices()
            .filter_map(|v| roadmap.configuration(v))
            .collect();
        text(folder, name::COORDINATES, |w| {
            all.iter().try_for_each(|q| line(w, ",", q))
        })?;
        let by_axis = (0..space.dimension()).flat_map(|axis| all.iter().map(move |q| q[axis]));
        let matrix = Matrix::new(
            all.len(),
            space.dimension(),
            Numbers::F64(by_axis.collect()),
        );
        mat(folder, name::COORDINATES, [(name::COORDINATES, matrix)])?;
    }
    if let Some(bits) = &bits {
        write_bits(folder, name::TABLE, bits)?;
    }
    if let Some(Query { start, goal }) = parts.query {
        let ends = [(name::START, start), (name::GOAL, goal)];
        for (stem, end) in ends {
            text(folder, stem, |w| line(w, ",", &from_one(&[end.0])))?;
        }
        let variables = ends.map(|(stem, end)| (stem, row_of_ids(&[end.0])));
        mat(folder, name::START_AND_GOAL, variables)?;
    }
    for (stem, worlds) in [(name::TRAIN, parts.train), (name::TEST, parts.test)] {
        if let Some(worlds) = worlds {
            let ids: Vec<u32> = worlds.iter().map(|w| w.0).collect();
            text(folder, stem, |w| line(w, ",", &from_one(&ids)))?;
            mat(folder, stem, [(stem, row_of_ids(&ids))])?;
        }
    }
    if let Some(paths) = parts.path_library {
        write_paths(folder, paths)?;
    }
    if let Some(bits) = parts.world_library_assignment {
        write_bits(folder, name::ASSIGNMENT, bits)?;
    }
    // The graph comes last: where it is, the rest is complete.
    psmp_files::save_with(folder.join(name::GRAPH), |w| {
        writeln!(w, "NumVertices: {}", roadmap.vertex_count())?;
        writeln!(w, "NumEdges: {}", rows.len())?;
        rows.iter().enumerate().try_for_each(|(i, e)| {
            let (from, to) = (u64::from(e.from.0) + 1, u64::from(e.to.0) + 1);
            writeln!(w, "{} {from} {to} {}", i + 1, e.length)
        })
    })
}

/// Refuses what would not read back.
fn check(folder: &Path, parts: &DatasetParts<'_>) -> Result<(), FileError> {
    let refuse = |file: &str, problem: String| {
        Err(FileError::new(folder.join(file), problem).hint("give parts that belong together"))
    };
    let vertices = parts.roadmap.vertex_count();
    let worlds = parts.table.map(CollisionTable::world_count);
    if let Some(table) = parts.table {
        let (found, expected) = (table.edge_count(), parts.roadmap.edge_count());
        if found != expected {
            let problem = format!("would have {found} edges, the roadmap has {expected}");
            return refuse("coll_check_results.dat", problem);
        }
        if found == 0 || table.world_count() == 0 {
            let problem = "would be empty: there are no worlds or no edges".to_owned();
            return refuse("coll_check_results.dat", problem);
        }
    }
    for (file, ids) in [("train_id.dat", parts.train), ("test_id.dat", parts.test)] {
        let most = worlds.unwrap_or(u32::MAX as usize);
        if let Some(id) = ids.unwrap_or(&[]).iter().find(|id| id.index() >= most) {
            let problem = format!("would name world {}, the table has {most} worlds", id.0);
            return refuse(file, problem);
        }
    }
    let ends = parts.query.map(|q| [q.start, q.goal]);
    let outside = |v: &&VertexId| v.index() >= vertices;
    if let Some(v) = ends.iter().flatten().find(outside) {
        let problem = format!("would name vertex {}, the roadmap has {vertices}", v.0);
        return refuse("start_idx.dat", problem);
    }
    let paths = parts.path_library.unwrap_or(&[]);
    if let Some(v) = paths.iter().flatten().find(outside) {
        let problem = format!("would name vertex {}, the roadmap has {vertices}", v.0);
        return refuse("path_library.dat", problem);
    }
    if paths.iter().any(Vec::is_empty) {
        return refuse(
            "path_library.dat",
            "would have a path without vertices".to_owned(),
        );
    }
    if let Some(bits) = parts.world_library_assignment
        && (bits.columns() == 0 || worlds.is_some_and(|worlds| worlds != bits.rows()))
    {
        let problem = "would not have a row for each world and a column for each path".to_owned();
        return refuse("world_library_assignment.dat", problem);
    }
    match stale_file(folder, parts) {
        Some(path) => Err(FileError::new(
            path,
            "is there already and would be read as part of the dataset to be written",
        )
        .hint("write into an empty folder, or remove the file")),
        None => Ok(()),
    }
}

/// A file in the folder that belongs to a part which is not given.
fn stale_file(folder: &Path, parts: &DatasetParts<'_>) -> Option<PathBuf> {
    let query = parts.query.is_some();
    let stems = [
        (parts.roadmap.space().is_some(), name::COORDINATES),
        (parts.table.is_some(), name::TABLE),
        (query, name::START),
        (query, name::GOAL),
        (query, name::START_AND_GOAL),
        (parts.train.is_some(), name::TRAIN),
        (parts.test.is_some(), name::TEST),
        (parts.path_library.is_some(), name::PATHS),
        (parts.world_library_assignment.is_some(), name::ASSIGNMENT),
    ];
    let mut unwanted: Vec<String> = stems
        .iter()
        .filter(|(given, _)| !given)
        .flat_map(|(_, stem)| both(stem))
        .collect();
    if parts.roadmap.space().is_none() {
        unwanted.push(name::NUMBERED_COORDINATES.to_owned());
    }
    let mut paths = unwanted.into_iter().map(|file| folder.join(file));
    paths.find(|path| path.exists())
}

fn write_bits(folder: &Path, stem: &str, bits: &BitMatrix) -> Result<(), FileError> {
    text(folder, stem, |w| {
        let mut line = vec![b','; bits.columns() * 2];
        if let Some(last) = line.last_mut() {
            *last = b'\n';
        }
        (0..bits.rows()).try_for_each(|row| {
            for column in 0..bits.columns() {
                line[column * 2] = b'0' + u8::from(bits.get(row, column));
            }
            w.write_all(&line)
        })
    })?;
    let by_column = (0..bits.columns())
        .flat_map(|column| (0..bits.rows()).map(move |row| u8::from(bits.get(row, column))));
    let matrix = Matrix::logical(bits.rows(), bits.columns(), by_column.collect());
    mat(folder, stem, [(stem, matrix)])
}

fn write_paths(folder: &Path, paths: &[Vec<VertexId>]) -> Result<(), FileError> {
    let ids = |path: &Vec<VertexId>| path.iter().map(|v| v.0).collect::<Vec<u32>>();
    text(folder, name::PATHS, |w| {
        paths
            .iter()
            .try_for_each(|path| line(w, " ", &from_one(&ids(path))))
    })?;
    let cells = Value::Cells {
        rows: 1,
        columns: paths.len(),
        cells: paths.iter().map(|path| row_of_ids(&ids(path))).collect(),
    };
    let file = folder.join(format!("{}.mat", name::PATHS));
    MatFile::write(file, &[(name::PATHS, cells)])
}

fn text(
    folder: &Path,
    stem: &str,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<(), FileError> {
    psmp_files::save_with(folder.join(format!("{stem}.dat")), |w| content(w))
}

fn mat<const N: usize>(
    folder: &Path,
    stem: &str,
    variables: [(&str, Matrix); N],
) -> Result<(), FileError> {
    let variables = variables.map(|(name, matrix)| (name, Value::Matrix(matrix)));
    MatFile::write(folder.join(format!("{stem}.mat")), &variables)
}

/// Ids as the files count them, which doubles hold exactly.
fn from_one(ids: &[u32]) -> Vec<f64> {
    ids.iter().map(|&id| f64::from(id) + 1.0).collect()
}

fn row_of_ids(ids: &[u32]) -> Matrix {
    Matrix::new(1, ids.len(), Numbers::F64(from_one(ids)))
}

/// A line of numbers, each with as many digits as it takes to read the same number.
fn line(w: &mut dyn Write, separator: &str, numbers: &[f64]) -> io::Result<()> {
    for (i, number) in numbers.iter().enumerate() {
        let before = if i == 0 { "" } else { separator };
        write!(w, "{before}{number}")?;
    }
    writeln!(w)
}
