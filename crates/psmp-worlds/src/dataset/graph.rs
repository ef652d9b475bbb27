//! `graph.txt`: how many vertices and edges there are, then a row for each edge.
//!
//! The file cannot say whether the graph is directed. An undirected one lists every edge once in
//! each direction, with equal lengths and equal collision results; if that holds of all rows,
//! each such pair becomes one edge. There are tables whose results differ between the directions
//! of an edge throughout: as they stand they are of directed graphs, but the reader may choose to
//! see one motion in the two.

use super::bits::BitMatrix;
use super::text::{self, Line, shown};
use psmp::{Direction, Edge, EdgeId, VertexId};
use psmp_files::FileError;
use std::collections::{HashMap, VecDeque};
use std::path::Path;

/// How many vertices a small file may declare without naming them.
const UNNAMED_VERTICES: usize = 1 << 16;

const REMEDY: &str = "expected `NumVertices: N`, `NumEdges: M`, \
    then M rows of `id from to weight` with ids from 1 to M";

/// The file's content, with ids counted from 0.
pub(super) struct GraphFile {
    pub vertices: usize,
    /// In the order of their ids, which is the order of the table's columns.
    pub rows: Vec<Edge>,
    length: usize,
}

impl GraphFile {
    pub fn read(path: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        let mut lines = text::lines(bytes);
        let vertices = declared(path, lines.next(), "NumVertices")?;
        let edges = declared(path, lines.next(), "NumEdges")?;
        let mut rows: Vec<(u32, Edge, Line<'_>)> = Vec::new();
        for line in lines {
            if rows.len() == edges {
                return Err(line
                    .fault(path, format!("is a row too many: `NumEdges` is {edges}"))
                    .hint(REMEDY));
            }
            let (id, edge) = row(path, line, edges, vertices)?;
            rows.push((id, edge, line));
        }
        if rows.len() != edges {
            return Err(FileError::new(
                path,
                format!("has {} rows of edges, `NumEdges` is {edges}", rows.len()),
            )
            .hint("the file was cut short, or `NumEdges` is wrong"));
        }
        Ok(Self {
            vertices,
            rows: by_id(path, rows)?,
            length: bytes.len(),
        })
    }

    /// Refuses more vertices than a file of this length gives reason to believe in. For when no
    /// coordinates vouch for them.
    pub fn believable(&self, path: &Path) -> Result<(), FileError> {
        if self.vertices > self.length + UNNAMED_VERTICES {
            return Err(FileError::new(
                path,
                format!(
                    "declares {} vertices in {} bytes, far more than it has edges for",
                    self.vertices, self.length
                ),
            )
            .hint("correct `NumVertices`, or give the vertices' coordinates in `coord_set.dat`"));
        }
        Ok(())
    }
}

/// The number on a line `name: number`.
fn declared(path: &Path, line: Option<Line<'_>>, name: &str) -> Result<usize, FileError> {
    let Some(line) = line else {
        return Err(FileError::new(path, format!("ends before `{name}:`")).hint(REMEDY));
    };
    line.bytes
        .strip_prefix(name.as_bytes())
        .and_then(|rest| rest.trim_ascii().strip_prefix(b":"))
        .and_then(|number| std::str::from_utf8(number.trim_ascii()).ok())
        .and_then(|number| number.parse::<u32>().ok())
        .map(|number| number as usize)
        .ok_or_else(|| {
            line.fault(
                path,
                format!("is `{}`, expected `{name}:` and a count", shown(line.bytes)),
            )
            .hint(REMEDY)
        })
}

/// Brings rows, as many as there are ids, into the order of their ids.
fn by_id(path: &Path, rows: Vec<(u32, Edge, Line<'_>)>) -> Result<Vec<Edge>, FileError> {
    let mut placed = vec![None; rows.len()];
    for (id, edge, line) in rows {
        let place = &mut placed[id as usize];
        if place.replace(edge).is_some() {
            return Err(line
                .fault(path, format!("has edge id {}, as a row before", id + 1))
                .hint("give each edge an id of its own, which names its column of the table"));
        }
    }
    Ok(placed.into_iter().flatten().collect())
}

/// The edge of a row and its id.
fn row(
    path: &Path,
    line: Line<'_>,
    edges: usize,
    vertices: usize,
) -> Result<(u32, Edge), FileError> {
    let mut fields = line.fields();
    let (Some(found), Some(from), Some(to), Some(weight), None) = (
        fields.next(),
        fields.next(),
        fields.next(),
        fields.next(),
        fields.next(),
    ) else {
        return Err(line
            .fault(path, format!("has {} fields, not 4", line.fields().count()))
            .hint(REMEDY));
    };
    let id = line.id(path, found, "edge", edges)?;
    let from = line.id(path, from, "vertex", vertices)?;
    let to = line.id(path, to, "vertex", vertices)?;
    let length = line.number(path, weight)?;
    if length < 0.0 {
        return Err(line
            .fault(path, format!("has weight {length}, which is negative"))
            .hint("a weight is a length: give a number from 0"));
    }
    Ok((id, Edge::new(from, to, length)))
}

/// When two rows of opposite direction and equal length are one undirected edge. They are so for
/// all rows of a graph or for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Pairing {
    /// If the collision results agree in all worlds, too.
    #[default]
    Equal,
    /// Whatever the collision results: the edge is free where both rows are.
    Any,
}

/// The edges that the rows of a graph make.
pub(super) struct Edges {
    pub direction: Direction,
    pub edges: Vec<Edge>,
    pub edge_of_row: Vec<EdgeId>,
    /// The two rows of an undirected edge, twice the one row of a directed one.
    pub rows_of_edge: Vec<(usize, usize)>,
}

impl Edges {
    /// One edge for each pair of rows if all rows make pairs whose columns in `equal_in` are
    /// equal, else one for each row.
    pub fn new(rows: Vec<Edge>, equal_in: Option<&BitMatrix>) -> Self {
        match pairs(&rows) {
            Some(pairs) if equal_in.is_none_or(|table| agree(table, &pairs)) => {
                let mut edge_of_row = vec![EdgeId(0); rows.len()];
                for (edge, &(first, second)) in pairs.iter().enumerate() {
                    edge_of_row[first] = EdgeId(edge as u32);
                    edge_of_row[second] = EdgeId(edge as u32);
                }
                Self {
                    direction: Direction::Undirected,
                    edges: pairs.iter().map(|&(first, _)| rows[first]).collect(),
                    edge_of_row,
                    rows_of_edge: pairs,
                }
            }
            _ => Self {
                direction: Direction::Directed,
                edge_of_row: (0..rows.len() as u32).map(EdgeId).collect(),
                rows_of_edge: (0..rows.len()).map(|row| (row, row)).collect(),
                edges: rows,
            },
        }
    }
}

/// Pairs every row with a later one of the opposite direction and equal length, in the order of
/// the pairs' first rows; nothing if a row is left over.
fn pairs(rows: &[Edge]) -> Option<Vec<(usize, usize)>> {
    let mut waiting: HashMap<(VertexId, VertexId, u64), VecDeque<usize>> = HashMap::new();
    let mut partner_of = vec![None; rows.len()];
    for (row, edge) in rows.iter().enumerate() {
        // Adding zero makes the two zeros one.
        let length = (edge.length + 0.0).to_bits();
        let opposite = waiting.get_mut(&(edge.to, edge.from, length));
        match opposite.and_then(VecDeque::pop_front) {
            Some(first) => partner_of[first] = Some(row),
            None => {
                let alike = waiting.entry((edge.from, edge.to, length)).or_default();
                alike.push_back(row);
            }
        }
    }
    if waiting.values().any(|left| !left.is_empty()) {
        return None;
    }
    let pairs = partner_of.into_iter().enumerate();
    Some(
        pairs
            .filter_map(|(first, partner)| Some((first, partner?)))
            .collect(),
    )
}

/// Whether the columns of each pair are equal.
fn agree(table: &BitMatrix, pairs: &[(usize, usize)]) -> bool {
    (0..table.rows()).all(|world| {
        pairs
            .iter()
            .all(|&(a, b)| table.get(world, a) == table.get(world, b))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp_files::Place;

    fn read(text: &str) -> Result<GraphFile, FileError> {
        let path = Path::new("graph.txt");
        GraphFile::read(path, text.as_bytes()).and_then(|g| g.believable(path).map(|()| g))
    }

    #[test]
    fn faults_name_the_line() {
        for (text, place) in [
            ("", Place::Whole),
            ("NumVertices: 2", Place::Whole),
            ("NumVertices 2\nNumEdges: 0", Place::Line(1)),
            ("NumVertices: 2\nNumEdges: -1", Place::Line(2)),
            ("NumVertices: 2\nNumEdges: 2\n1 1 2 0.5", Place::Whole),
            ("NumVertices: 2\nNumEdges: 0\n1 1 2 0.5", Place::Line(3)),
            ("NumVertices: 2\nNumEdges: 1\n2 1 2 0.5", Place::Line(3)),
            ("NumVertices: 2\nNumEdges: 1\n0 1 2 0.5", Place::Line(3)),
            ("NumVertices: 2\nNumEdges: 1\n1.5 1 2 1", Place::Line(3)),
            (
                "NumVertices: 2\nNumEdges: 2\n2 1 2 1\n\n2 2 1 1",
                Place::Line(5),
            ),
            ("NumVertices: 2\nNumEdges: 1\n1 1 3 0.5", Place::Line(3)),
            ("NumVertices: 2\nNumEdges: 1\n1 0 2 0.5", Place::Line(3)),
            ("NumVertices: 2\nNumEdges: 1\n1 1 2 nan", Place::Line(3)),
            ("NumVertices: 2\nNumEdges: 1\n1 1 2 -1", Place::Line(3)),
            ("NumVertices: 2\nNumEdges: 1\n1 1 2", Place::Line(3)),
            ("NumVertices: 2\nNumEdges: 1\n1 1 2 1 1", Place::Line(3)),
            ("NumVertices: 4000000000\nNumEdges: 0", Place::Whole),
            (
                "NumVertices: 2\nNumEdges: 4000000000\n1 1 2 1",
                Place::Whole,
            ),
        ] {
            let error = read(text).map(|_| ()).unwrap_err();
            assert_eq!(error.place(), &place, "{text:?}: {error}");
            assert!(error.remedy().is_some(), "{text:?}: {error}");
        }
        let graph = read("NumVertices:2\r\n NumEdges : 1 \r\n\r\n 1\t1, 2  5e-1\r\n\r\n").unwrap();
        assert_eq!(graph.rows, [Edge::new(0, 1, 0.5)]);
    }

    #[test]
    fn rows_may_come_in_any_order() {
        let graph = read("NumVertices: 3\nNumEdges: 3\n3 1 3 3\n1 1 2 1\n2 2 3 2\n").unwrap();
        let ordered = [(0, 1, 1.0), (1, 2, 2.0), (0, 2, 3.0)].map(|(a, b, w)| Edge::new(a, b, w));
        assert_eq!(graph.rows, ordered);
    }

    #[test]
    fn rows_pair_up_or_the_graph_is_directed() {
        let edges = |rows: &[(u32, u32, f64)], table: Option<&BitMatrix>| {
            let rows = rows.iter().map(|&(a, b, w)| Edge::new(a, b, w)).collect();
            Edges::new(rows, table)
        };
        // Parallel edges, a loop, and pairs far apart.
        let rows = [
            (0, 1, 1.0),
            (1, 0, 2.0),
            (2, 2, 0.0),
            (0, 1, 2.0),
            (2, 2, -0.0),
            (1, 0, 1.0),
        ];
        let paired = edges(&rows, None);
        assert_eq!(paired.direction, Direction::Undirected);
        assert_eq!(paired.edge_of_row, [0, 1, 2, 1, 2, 0].map(EdgeId));
        assert_eq!(paired.rows_of_edge, [(0, 5), (1, 3), (2, 4)]);
        let mut table = BitMatrix::new(1, 6);
        table.set(0, 5);
        assert_eq!(edges(&rows, Some(&table)).direction, Direction::Directed);
        table.set(0, 0);
        assert_eq!(edges(&rows, Some(&table)).direction, Direction::Undirected);
        for rows in [&rows[..5], &[(0, 1, 1.0), (1, 0, 1.5)], &[(2, 2, 1.0)]] {
            let single = edges(rows, None);
            assert_eq!(single.direction, Direction::Directed);
            assert_eq!(single.edges.len(), rows.len());
        }
    }
}
