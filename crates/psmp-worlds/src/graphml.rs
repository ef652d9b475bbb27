//! Roadmaps in GraphML, as programs for lazy search on roadmaps exchange them.
//!
//! A node has an attribute `state`, the numbers of its configuration parted by spaces; an edge has
//! an attribute `length`, and where it has none the straight distance of its ends' states is taken.
//! Attributes are found by the names that the file's `<key>` elements declare; others are left
//! alone. Vertices and edges take their ids from the order in which they stand in the file.

use crate::embedding::space_around;
use psmp::{Direction, Edge, Roadmap, VertexId};
use psmp_files::{FileError, Place};
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion, escape};
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

/// Reads a roadmap; it has configurations if all nodes have states.
///
/// # Errors
/// If the file cannot be read, is not a single GraphML graph, or does not make a roadmap.
pub fn read(path: impl AsRef<Path>) -> Result<Roadmap, FileError> {
    let path = path.as_ref();
    let bytes = psmp_files::read(path)?;
    let text = std::str::from_utf8(&bytes).map_err(|e| {
        FileError::new(path, "is not UTF-8 text")
            .at(Place::Byte(e.valid_up_to() as u64))
            .hint("save it as UTF-8")
    })?;
    let mut document = Document::new(path, text);
    document.read()?;
    document.roadmap()
}

/// Writes a roadmap; reading it gives back the same edges and configurations.
///
/// # Errors
/// If the file cannot be written.
pub fn write(path: impl AsRef<Path>, roadmap: &Roadmap) -> Result<(), FileError> {
    psmp_files::save_with(path, |w| {
        let direction = match roadmap.direction() {
            Direction::Undirected => "undirected",
            Direction::Directed => "directed",
        };
        writeln!(w, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
        writeln!(
            w,
            r#"<graphml xmlns="http://graphml.graphdrawing.org/xmlns">"#
        )?;
        writeln!(
            w,
            r#"  <key id="key0" for="node" attr.name="state" attr.type="string"/>"#
        )?;
        writeln!(
            w,
            r#"  <key id="key1" for="edge" attr.name="length" attr.type="double"/>"#
        )?;
        writeln!(w, r#"  <graph id="G" edgedefault="{direction}">"#)?;
        for v in roadmap.vertices() {
            match roadmap.configuration(v) {
                Some(q) => {
                    let state: Vec<String> = q.iter().map(f64::to_string).collect();
                    let state = state.join(" ");
                    writeln!(
                        w,
                        r#"    <node id="n{}"><data key="key0">{state}</data></node>"#,
                        v.0
                    )?;
                }
                None => writeln!(w, r#"    <node id="n{}"/>"#, v.0)?,
            }
        }
        for (id, Edge { from, to, length }) in roadmap.edges().enumerate() {
            write!(
                w,
                r#"    <edge id="e{id}" source="n{}" target="n{}">"#,
                from.0, to.0
            )?;
            writeln!(w, r#"<data key="key1">{length}</data></edge>"#)?;
        }
        writeln!(w, "  </graph>\n</graphml>")
    })
}

/// An attribute that the file declares.
#[derive(Default)]
struct Key {
    name: String,
    for_nodes: bool,
    for_edges: bool,
    default: Option<String>,
}

struct NodeElement {
    /// Where in the text it begins.
    at: usize,
    state: Option<Vec<f64>>,
}

struct EdgeElement {
    at: usize,
    source: String,
    target: String,
    direction: Direction,
    length: Option<f64>,
}

/// The element that data belong to.
#[derive(Clone, Copy)]
enum Owner {
    Key,
    Node,
    Edge,
}

/// A file on the way to a roadmap.
struct Document<'a> {
    path: &'a Path,
    text: &'a str,
    keys: HashMap<String, Key>,
    nodes: Vec<NodeElement>,
    index: HashMap<String, u32>,
    edges: Vec<EdgeElement>,
    direction: Option<Direction>,
}

impl<'a> Document<'a> {
    fn new(path: &'a Path, text: &'a str) -> Self {
        Self {
            path,
            text,
            keys: HashMap::new(),
            nodes: Vec::new(),
            index: HashMap::new(),
            edges: Vec::new(),
            direction: None,
        }
    }

    fn fault(&self, at: usize, problem: impl Into<String>) -> FileError {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let line = 1 + before.iter().filter(|&&b| b == b'\n').count();
        FileError::new(self.path, problem)
            .at(Place::Line(line))
            .hint("expected GraphML: correct the line, or save the file again")
    }

    fn read(&mut self) -> Result<(), FileError> {
        let mut reader = Reader::from_str(self.text);
        let mut depth = 0usize;
        let mut owner = None;
        let mut key_id = String::new();
        // The key of the data element that is being read, and its text so far.
        let mut data: Option<(String, String)> = None;
        loop {
            let at = reader.buffer_position() as usize;
            let event = reader.read_event().map_err(|e| {
                self.fault(reader.error_position() as usize, format!("is not XML: {e}"))
                    .hint("the file is damaged or was cut short: save or copy it again")
            })?;
            // The position is where the text before a tag begins; errors are about the tag.
            let at = at + self.text[at..].len() - self.text[at..].trim_start().len();
            match event {
                Event::Start(ref e) | Event::Empty(ref e) => {
                    let empty = matches!(event, Event::Empty(_));
                    depth += usize::from(!empty);
                    match e.local_name().as_ref() {
                        "key" => {
                            key_id = self.key(at, e)?;
                            owner = Some(Owner::Key);
                        }
                        "graph" => self.graph(at, e)?,
                        "node" => {
                            self.node(at, e)?;
                            owner = Some(Owner::Node);
                        }
                        "edge" => {
                            self.edge(at, e)?;
                            owner = Some(Owner::Edge);
                        }
                        "default" if !empty => data = Some((key_id.clone(), String::new())),
                        "data" if !empty => {
                            let key = self.needed(at, e, "key")?;
                            if !self.keys.contains_key(&key) {
                                return Err(self
                                    .fault(at, format!("`<data>` names the unknown key `{key}`"))
                                    .hint("declare it with a `<key>` before the graph"));
                            }
                            data = Some((key, String::new()));
                        }
                        "hyperedge" => {
                            return Err(self
                                .fault(at, "has a hyperedge, a roadmap has edges of two ends")
                                .hint("write it as edges"));
                        }
                        _ => {}
                    }
                }
                Event::Text(t) => extend(&mut data, &t.xml10_content()),
                Event::CData(t) => extend(&mut data, &t.xml10_content()),
                Event::GeneralRef(r) => {
                    let character = r.resolve_char_ref().ok().flatten().map(String::from);
                    let name = r.xml10_content();
                    let named = || escape::resolve_predefined_entity(&name).map(str::to_owned);
                    match character.or_else(named) {
                        Some(text) => extend(&mut data, &text),
                        None => return Err(self.fault(at, format!("unknown entity `&{name};`"))),
                    }
                }
                Event::End(e) => {
                    depth = depth.saturating_sub(1);
                    match e.local_name().as_ref() {
                        "data" | "default" => {
                            if let (Some((key, text)), Some(owner)) = (data.take(), owner) {
                                self.data(at, owner, &key, text)?;
                            }
                        }
                        "key" | "node" | "edge" => owner = None,
                        _ => {}
                    }
                }
                Event::Eof if depth > 0 => {
                    return Err(self
                        .fault(
                            self.text.trim_end().len(),
                            "ends before its elements are closed",
                        )
                        .hint("the file was cut short: save or copy it again"));
                }
                Event::Eof => return Ok(()),
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            }
        }
    }

    /// The value of an attribute.
    fn attribute(
        &self,
        at: usize,
        element: &BytesStart<'_>,
        name: &str,
    ) -> Result<Option<String>, FileError> {
        // Looking for duplicates takes quadratic time, which a hostile file could use.
        for attribute in element.attributes().with_checks(false) {
            let attribute = attribute.map_err(|e| self.fault(at, format!("is not XML: {e}")))?;
            if attribute.key.as_ref() == name {
                let value = attribute
                    .normalized_value(XmlVersion::Implicit1_0)
                    .map_err(|e| self.fault(at, format!("attribute `{name}`: {e}")))?;
                return Ok(Some(value.into_owned()));
            }
        }
        Ok(None)
    }

    fn needed(&self, at: usize, element: &BytesStart<'_>, name: &str) -> Result<String, FileError> {
        self.attribute(at, element, name)?.ok_or_else(|| {
            let tag = element.local_name();
            self.fault(
                at,
                format!("`<{}>` has no attribute `{name}`", tag.as_ref()),
            )
            .hint("GraphML requires it: add it")
        })
    }

    fn key(&mut self, at: usize, element: &BytesStart<'_>) -> Result<String, FileError> {
        let id = self.needed(at, element, "id")?;
        let domain = self.attribute(at, element, "for")?;
        let is_for = |what: &str| domain.as_deref().is_none_or(|d| d == what || d == "all");
        let key = Key {
            name: self
                .attribute(at, element, "attr.name")?
                .unwrap_or_default(),
            for_nodes: is_for("node"),
            for_edges: is_for("edge"),
            default: None,
        };
        self.keys.insert(id.clone(), key);
        Ok(id)
    }

    fn graph(&mut self, at: usize, element: &BytesStart<'_>) -> Result<(), FileError> {
        if self.direction.is_some() {
            return Err(self
                .fault(at, "has more than one graph, or a graph in a graph")
                .hint("keep one graph a file"));
        }
        let edges = self.needed(at, element, "edgedefault")?;
        self.direction = match &edges[..] {
            "directed" => Some(Direction::Directed),
            "undirected" => Some(Direction::Undirected),
            other => {
                return Err(self
                    .fault(at, format!("`edgedefault` is `{other}`"))
                    .hint("expected `directed` or `undirected`"));
            }
        };
        Ok(())
    }

    fn node(&mut self, at: usize, element: &BytesStart<'_>) -> Result<(), FileError> {
        let id = self.needed(at, element, "id")?;
        let number = u32::try_from(self.nodes.len())
            .map_err(|_| self.fault(at, "has more nodes than 32-bit ids can name"))?;
        if self.index.insert(id.clone(), number).is_some() {
            return Err(self
                .fault(at, format!("node id `{id}` stands for two nodes"))
                .hint("give each node an id of its own"));
        }
        self.nodes.push(NodeElement { at, state: None });
        Ok(())
    }

    fn edge(&mut self, at: usize, element: &BytesStart<'_>) -> Result<(), FileError> {
        let Some(default) = self.direction else {
            return Err(self.fault(at, "`<edge>` stands outside of a graph"));
        };
        let direction = match self.attribute(at, element, "directed")?.as_deref() {
            None => default,
            Some("true") => Direction::Directed,
            Some("false") => Direction::Undirected,
            Some(other) => {
                return Err(self
                    .fault(at, format!("`directed` is `{other}`"))
                    .hint("expected `true` or `false`"));
            }
        };
        self.edges.push(EdgeElement {
            at,
            source: self.needed(at, element, "source")?,
            target: self.needed(at, element, "target")?,
            direction,
            length: None,
        });
        Ok(())
    }

    /// Keeps the text of a data element, or of a key's default.
    fn data(
        &mut self,
        at: usize,
        owner: Owner,
        key_id: &str,
        text: String,
    ) -> Result<(), FileError> {
        let Some(key) = self.keys.get_mut(key_id) else {
            return Ok(());
        };
        match owner {
            Owner::Key => key.default = Some(text),
            Owner::Node if key.for_nodes && key.name == "state" => {
                let state = Some(self.state(at, &text)?);
                if let Some(node) = self.nodes.last_mut() {
                    node.state = state;
                }
            }
            Owner::Edge if key.for_edges && key.name == "length" => {
                let length = Some(self.length(at, &text)?);
                if let Some(edge) = self.edges.last_mut() {
                    edge.length = length;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn state(&self, at: usize, text: &str) -> Result<Vec<f64>, FileError> {
        let fields = text.split(|c: char| c == ',' || c.is_whitespace());
        let numbers: Option<Vec<f64>> = fields.filter(|f| !f.is_empty()).map(finite).collect();
        numbers.filter(|n| !n.is_empty()).ok_or_else(|| {
            self.fault(
                at,
                format!("state `{}` is not a list of numbers", shown(text)),
            )
            .hint("expected finite numbers parted by spaces")
        })
    }

    fn length(&self, at: usize, text: &str) -> Result<f64, FileError> {
        finite(text.trim()).filter(|&x| x >= 0.0).ok_or_else(|| {
            self.fault(at, format!("length `{}` is not a length", shown(text)))
                .hint("expected a finite number that is not negative")
        })
    }

    /// The default of an attribute, if a key declares one.
    fn default(&self, name: &str, fits: impl Fn(&Key) -> bool) -> Option<&str> {
        let mut keys = self
            .keys
            .values()
            .filter(|key| key.name == name && fits(key));
        keys.find_map(|key| key.default.as_deref())
    }

    fn roadmap(mut self) -> Result<Roadmap, FileError> {
        let Some(default) = self.direction else {
            return Err(FileError::new(self.path, "has no `<graph>`")
                .hint("expected a GraphML file with one graph"));
        };
        if let Some(text) = self.default("state", |key| key.for_nodes) {
            let state = self.state(0, text)?;
            let without = self.nodes.iter().filter(|n| n.state.is_none()).count();
            // A short file may say that many nodes have a long state; no roadmap means that.
            if state.len().saturating_mul(without) > self.text.len() {
                return Err(FileError::new(
                    self.path,
                    format!(
                        "gives {without} nodes one default state of {} numbers, more than a file of \
                         {} bytes can mean",
                        state.len(),
                        self.text.len()
                    ),
                )
                .hint("give every node a state of its own"));
            }
            for node in &mut self.nodes {
                node.state.get_or_insert_with(|| state.clone());
            }
        }
        let default_length = match self.default("length", |key| key.for_edges) {
            Some(text) => Some(self.length(0, text)?),
            None => None,
        };
        let direction = self.edges.first().map_or(default, |edge| edge.direction);
        let dimension = self.dimension()?;
        let edges = self
            .edges
            .iter()
            .map(|edge| {
                if edge.direction != direction {
                    return Err(self
                        .fault(edge.at, "mixes directed and undirected edges")
                        .hint("write each undirected edge as two directed ones"));
                }
                let from = self.vertex(edge, &edge.source)?;
                let to = self.vertex(edge, &edge.target)?;
                let length = match edge.length.or(default_length) {
                    Some(length) => length,
                    None => self.distance(edge, from, to)?,
                };
                Ok(Edge { from, to, length })
            })
            .collect::<Result<Vec<Edge>, FileError>>()?;
        let unfit = |e: String| FileError::new(self.path, e).hint("correct the graph");
        let roadmap = Roadmap::from_edges(self.nodes.len(), direction, edges)
            .map_err(|e| unfit(e.to_string()))?;
        let Some(dimension) = dimension else {
            return Ok(roadmap);
        };
        let states = self.nodes.iter().filter_map(|node| node.state.as_deref());
        let coordinates: Vec<f64> = states.flatten().copied().collect();
        let space = space_around(dimension, &coordinates).map_err(|e| unfit(e.to_string()))?;
        roadmap
            .with_configurations(space, coordinates)
            .map_err(|e| unfit(e.to_string()))
    }

    /// How many numbers the states have, if all nodes have one.
    fn dimension(&self) -> Result<Option<usize>, FileError> {
        let mut dimension = None;
        for node in &self.nodes {
            if let Some(state) = &node.state {
                let expected = *dimension.get_or_insert(state.len());
                if state.len() != expected {
                    return Err(self
                        .fault(
                            node.at,
                            format!("has a state of {} numbers, not {expected}", state.len()),
                        )
                        .hint("give all nodes states of the same space"));
                }
            }
        }
        let complete = self.nodes.iter().all(|node| node.state.is_some());
        Ok(dimension.filter(|_| complete))
    }

    fn vertex(&self, edge: &EdgeElement, id: &str) -> Result<VertexId, FileError> {
        self.index.get(id).copied().map(VertexId).ok_or_else(|| {
            self.fault(edge.at, format!("there is no node `{}`", shown(id)))
                .hint("name the edge's ends by the ids of two nodes")
        })
    }

    fn distance(&self, edge: &EdgeElement, from: VertexId, to: VertexId) -> Result<f64, FileError> {
        let state = |v: VertexId| self.nodes[v.index()].state.as_deref();
        let (Some(a), Some(b)) = (state(from), state(to)) else {
            return Err(self
                .fault(
                    edge.at,
                    "the edge has no length, and its nodes have no states",
                )
                .hint("give it an attribute `length`"));
        };
        let squares = a.iter().zip(b).map(|(a, b)| (a - b) * (a - b));
        Ok(squares.sum::<f64>().sqrt())
    }
}

fn extend(data: &mut Option<(String, String)>, text: &str) {
    if let Some((_, so_far)) = data {
        so_far.push_str(text);
    }
}

fn finite(text: &str) -> Option<f64> {
    text.parse().ok().filter(|x: &f64| x.is_finite())
}

/// Text fit for a message, however long it is.
fn shown(text: &str) -> String {
    text.trim().chars().take(40).collect()
}
