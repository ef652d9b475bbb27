//! The triangles of a Collada file.
//!
//! Geometry is taken where the visual scene puts it, as often as it does, in metres by the file's
//! unit. `up_axis` is passed over, as ROS does: a robot's meshes are meant as they are written.
//!
//! Nodes can stand for other nodes, so that a few lines can mean more triangles than there are atoms.
//! Each is visited once to count what it means, and only what is few enough is then put in its place.

use crate::xml::{XmlFile, child, children};
use psmp_files::FileError;
use roxmltree::{Node, NodeId};
use std::collections::HashMap;
use std::path::Path;
use std::rc::Rc;

type Triangle = [[f64; 3]; 3];

/// A rotation, scaling or other linear map by rows, and a translation in the last column.
type Affine = [[f64; 4]; 3];

const REMEDY: &str = "export the mesh with plain triangles, or convert it to STL or OBJ";

/// How deep nodes may be within nodes.
const DEEPEST: usize = 100;

/// How many triangles a file may mean.
const MOST_TRIANGLES: usize = 2_000_000;

pub(crate) fn triangles(path: &Path, text: &str) -> Result<Vec<Triangle>, FileError> {
    let file = XmlFile { path };
    let document = file.parse(text)?;
    let root = file.root(&document, "COLLADA")?;
    let nodes = root.descendants();
    let mut reader = Reader {
        file,
        by_id: nodes
            .filter_map(|n| Some((n.attribute("id")?, n)))
            .collect(),
        meshes: HashMap::new(),
        positions: HashMap::new(),
        counts: HashMap::new(),
        triangles: Vec::new(),
    };
    let unit = child(root, "asset").and_then(|asset| child(asset, "unit"));
    let metre = match unit {
        Some(unit) => file.number_if_there(unit, "meter")?.unwrap_or(1.0),
        None => 1.0,
    };
    let base = [
        [metre, 0.0, 0.0, 0.0],
        [0.0, metre, 0.0, 0.0],
        [0.0, 0.0, metre, 0.0],
    ];
    let named = child(root, "scene").and_then(|scene| child(scene, "instance_visual_scene"));
    let scene = match named {
        Some(instance) => Some(reader.named(instance, "url")?),
        None => child(root, "library_visual_scenes").and_then(|l| child(l, "visual_scene")),
    };
    match scene {
        Some(scene) => {
            let mut total = 0_usize;
            for node in children(scene, "node") {
                total = total.saturating_add(reader.count(node, 0)?);
            }
            reader.check(root, total)?;
            for node in children(scene, "node") {
                reader.place(node, &base, 0)?;
            }
        }
        None => {
            for library in children(root, "library_geometries") {
                for geometry in children(library, "geometry") {
                    let mesh = reader.mesh(geometry)?;
                    reader.check(root, reader.triangles.len() + mesh.len())?;
                    reader.put(&mesh, &base);
                }
            }
        }
    }
    Ok(reader.triangles)
}

struct Reader<'a, 't> {
    file: XmlFile<'a>,
    by_id: HashMap<&'t str, Node<'t, 't>>,
    /// The triangles of each geometry, in its own frame.
    meshes: HashMap<NodeId, Rc<[Triangle]>>,
    /// The positions of each source.
    positions: HashMap<NodeId, Rc<[[f64; 3]]>>,
    /// How many triangles each node means; nothing yet of those that are being counted.
    counts: HashMap<NodeId, Option<usize>>,
    triangles: Vec<Triangle>,
}

impl<'t> Reader<'_, 't> {
    fn wrong(&self, node: Node<'_, '_>, problem: impl Into<String>) -> FileError {
        self.file.wrong(node, problem).hint(REMEDY)
    }

    /// The element that an attribute such as `url="#id"` means.
    fn named(&self, node: Node<'t, 't>, attribute: &str) -> Result<Node<'t, 't>, FileError> {
        let name = self.file.attribute(node, attribute)?;
        let found = name.strip_prefix('#').and_then(|id| self.by_id.get(id));
        found.copied().ok_or_else(|| {
            self.wrong(
                node,
                format!("`{attribute}=\"{name}\"` names nothing in this file"),
            )
        })
    }

    fn check(&self, root: Node<'t, 't>, triangles: usize) -> Result<(), FileError> {
        match triangles <= MOST_TRIANGLES {
            true => Ok(()),
            false => Err(self
                .file
                .wrong(root, format!("means more than {MOST_TRIANGLES} triangles"))
                .hint("simplify the mesh, or let its nodes stand for fewer others")),
        }
    }

    /// How many triangles a node means, with all that it stands for.
    fn count(&mut self, node: Node<'t, 't>, depth: usize) -> Result<usize, FileError> {
        match self.counts.get(&node.id()) {
            Some(Some(known)) => return Ok(*known),
            Some(None) => return Err(self.wrong(node, "the nodes contain each other")),
            None => self.check_depth(node, depth)?,
        }
        self.counts.insert(node.id(), None);
        let mut total = 0_usize;
        for part in node.children().filter(Node::is_element) {
            let more = match part.tag_name().name() {
                "instance_geometry" => {
                    let geometry = self.named(part, "url")?;
                    self.mesh(geometry)?.len()
                }
                "instance_node" => {
                    let inner = self.named(part, "url")?;
                    self.count(inner, depth + 1)?
                }
                "node" => self.count(part, depth + 1)?,
                _ => 0,
            };
            total = total.saturating_add(more);
        }
        self.counts.insert(node.id(), Some(total));
        Ok(total)
    }

    fn check_depth(&self, node: Node<'t, 't>, depth: usize) -> Result<(), FileError> {
        match depth <= DEEPEST {
            true => Ok(()),
            false => Err(self.wrong(node, format!("the nodes are over {DEEPEST} deep"))),
        }
    }

    /// Puts what a node means where it is.
    fn place(&mut self, node: Node<'t, 't>, outer: &Affine, depth: usize) -> Result<(), FileError> {
        self.check_depth(node, depth)?;
        let mut pose = *outer;
        for part in node.children().filter(Node::is_element) {
            match part.tag_name().name() {
                "matrix" => {
                    let m: [f64; 16] = self.content(part)?;
                    pose = then(
                        &pose,
                        &[0, 4, 8].map(|i| [m[i], m[i + 1], m[i + 2], m[i + 3]]),
                    );
                }
                "translate" => {
                    let [x, y, z] = self.content(part)?;
                    let moved = [[1.0, 0.0, 0.0, x], [0.0, 1.0, 0.0, y], [0.0, 0.0, 1.0, z]];
                    pose = then(&pose, &moved);
                }
                "scale" => {
                    let [x, y, z] = self.content(part)?;
                    let scaled = [[x, 0.0, 0.0, 0.0], [0.0, y, 0.0, 0.0], [0.0, 0.0, z, 0.0]];
                    pose = then(&pose, &scaled);
                }
                "rotate" => pose = then(&pose, &rotation(self.content(part)?)),
                kind @ ("lookat" | "skew") => {
                    return Err(self.wrong(part, format!("`<{kind}>` is not supported")));
                }
                "instance_geometry" => {
                    let geometry = self.named(part, "url")?;
                    let mesh = self.mesh(geometry)?;
                    self.put(&mesh, &pose);
                }
                "instance_node" => {
                    let inner = self.named(part, "url")?;
                    self.place_if_any(inner, &pose, depth + 1)?;
                }
                "node" => self.place_if_any(part, &pose, depth + 1)?,
                "instance_controller" => {
                    return Err(self.wrong(part, "a mesh that bends is not supported"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Nodes that mean nothing could be as many as those that do.
    fn place_if_any(
        &mut self,
        node: Node<'t, 't>,
        outer: &Affine,
        depth: usize,
    ) -> Result<(), FileError> {
        match self.count(node, depth)? {
            0 => Ok(()),
            _ => self.place(node, outer, depth),
        }
    }

    fn put(&mut self, mesh: &[Triangle], pose: &Affine) {
        let placed = mesh.iter().map(|t| t.map(|corner| apply(pose, corner)));
        self.triangles.extend(placed);
    }

    /// The triangles of a geometry in its own frame.
    fn mesh(&mut self, geometry: Node<'t, 't>) -> Result<Rc<[Triangle]>, FileError> {
        if let Some(known) = self.meshes.get(&geometry.id()) {
            return Ok(known.clone());
        }
        let made: Rc<[Triangle]> = self.geometry(geometry)?.into();
        self.meshes.insert(geometry.id(), made.clone());
        Ok(made)
    }

    fn geometry(&mut self, geometry: Node<'t, 't>) -> Result<Vec<Triangle>, FileError> {
        let Some(mesh) = child(geometry, "mesh") else {
            return Err(self.wrong(geometry, "the geometry is no `<mesh>`"));
        };
        let mut triangles = Vec::new();
        for primitive in mesh.children().filter(Node::is_element) {
            let kind = primitive.tag_name().name();
            if !["triangles", "polylist", "polygons", "tristrips", "trifans"].contains(&kind) {
                continue;
            }
            let (mut vertices, mut offset, mut stride) = (None, 0, 1);
            for input in children(primitive, "input") {
                let at = self.whole(input, "offset")?.unwrap_or(0);
                stride = stride.max(at + 1);
                if input.attribute("semantic") == Some("VERTEX") {
                    vertices = Some(self.named(input, "source")?);
                    offset = at;
                }
            }
            let Some(vertices) = vertices else {
                return Err(self.wrong(primitive, "no input is `VERTEX`"));
            };
            let points = self.positions(vertices)?;
            if child(primitive, "ph").is_some() {
                return Err(self.wrong(primitive, "polygons with holes are not supported"));
            }
            let mut counts: Option<Vec<usize>> = match child(primitive, "vcount") {
                Some(counts) => Some(self.list(counts)?),
                None => None,
            };
            for list in children(primitive, "p") {
                let indices: Vec<usize> = self.list(list)?;
                let corner = |i: &[usize]| points.get(*i.get(offset)?).copied();
                let corners: Option<Vec<[f64; 3]>> = indices.chunks(stride).map(corner).collect();
                let Some(corners) = corners else {
                    return Err(self.wrong(list, "a corner names a vertex that is not there"));
                };
                match (kind, counts.take()) {
                    ("triangles", _) => {
                        let (whole, _) = corners.as_chunks::<3>();
                        triangles.extend_from_slice(whole);
                    }
                    ("tristrips", _) => {
                        for (place, three) in corners.windows(3).enumerate() {
                            // Every other one of a strip faces the other way.
                            let [a, b, c] = [three[0], three[1], three[2]];
                            let turned = if place % 2 == 0 { [a, b, c] } else { [b, a, c] };
                            triangles.push(turned);
                        }
                    }
                    ("polylist", Some(counts)) => {
                        let mut rest = corners.as_slice();
                        for count in counts {
                            let Some((polygon, others)) = rest.split_at_checked(count) else {
                                return Err(self.wrong(list, "`<vcount>` counts more corners"));
                            };
                            fan(polygon, &mut triangles);
                            rest = others;
                        }
                    }
                    ("polylist", None) => {
                        return Err(self.wrong(list, "there is no `<vcount>` to this `<p>`"));
                    }
                    // A polygon or a fan.
                    _ => fan(&corners, &mut triangles),
                }
            }
        }
        Ok(triangles)
    }

    fn positions(&mut self, vertices: Node<'t, 't>) -> Result<Rc<[[f64; 3]]>, FileError> {
        let mut inputs = children(vertices, "input");
        let Some(input) = inputs.find(|i| i.attribute("semantic") == Some("POSITION")) else {
            return Err(self.wrong(vertices, "no input is `POSITION`"));
        };
        let source = self.named(input, "source")?;
        if let Some(known) = self.positions.get(&source.id()) {
            return Ok(known.clone());
        }
        let values: Vec<f64> = self.list(self.file.child(source, "float_array")?)?;
        let accessor = child(source, "technique_common").and_then(|t| child(t, "accessor"));
        let (stride, first) = match accessor {
            Some(accessor) => (
                self.whole(accessor, "stride")?.unwrap_or(3),
                self.whole(accessor, "offset")?.unwrap_or(0),
            ),
            None => (3, 0),
        };
        if stride < 3 || values.iter().any(|v| !v.is_finite()) {
            return Err(self.wrong(source, "the positions are not three finite numbers each"));
        }
        let points = values.get(first..).unwrap_or_default().chunks(stride);
        let points: Rc<[[f64; 3]]> = points
            .filter_map(|p| p.first_chunk::<3>().copied())
            .collect();
        self.positions.insert(source.id(), points.clone());
        Ok(points)
    }

    fn whole(&self, node: Node<'t, 't>, name: &str) -> Result<Option<usize>, FileError> {
        let Some(text) = node.attribute(name) else {
            return Ok(None);
        };
        match text.trim().parse() {
            Ok(value) if value < 1000 => Ok(Some(value)),
            _ => Err(self.wrong(node, format!("`{name}=\"{text}\"` makes no sense"))),
        }
    }

    /// The numbers in an element.
    fn list<T: std::str::FromStr>(&self, node: Node<'t, 't>) -> Result<Vec<T>, FileError> {
        let words = node.text().unwrap_or("").split_whitespace();
        let values = words.enumerate().map(|(place, word)| {
            let tag = node.tag_name().name();
            let place = place + 1;
            let wrong =
                |_| self.wrong(node, format!("word {place} of `<{tag}>` is no such number"));
            word.parse().map_err(wrong)
        });
        values.collect()
    }

    /// As many finite numbers as asked for.
    fn content<const N: usize>(&self, node: Node<'t, 't>) -> Result<[f64; N], FileError> {
        let values: Vec<f64> = self.list(node)?;
        let tag = node.tag_name().name();
        let finite = values.iter().all(|v| v.is_finite());
        let found = <[f64; N]>::try_from(values).ok().filter(|_| finite);
        found.ok_or_else(|| self.wrong(node, format!("`<{tag}>` is not {N} finite numbers")))
    }
}

/// A polygon as triangles about its first corner. Of one that bulges inwards they cover more.
fn fan(polygon: &[[f64; 3]], into: &mut Vec<Triangle>) {
    if let [first, rest @ ..] = polygon {
        let sides = rest.windows(2);
        into.extend(sides.map(|side| [*first, side[0], side[1]]));
    }
}

/// First `inner`, then `outer`.
fn then(outer: &Affine, inner: &Affine) -> Affine {
    let cell = |i: usize, j: usize| {
        let sum: f64 = (0..3).map(|k| outer[i][k] * inner[k][j]).sum();
        if j == 3 { sum + outer[i][3] } else { sum }
    };
    [0, 1, 2].map(|i| [0, 1, 2, 3].map(|j| cell(i, j)))
}

fn apply(pose: &Affine, [x, y, z]: [f64; 3]) -> [f64; 3] {
    [0, 1, 2].map(|i| pose[i][0] * x + pose[i][1] * y + pose[i][2] * z + pose[i][3])
}

/// A turn about an axis by an angle in degrees.
fn rotation([x, y, z, degrees]: [f64; 4]) -> Affine {
    let length = (x * x + y * y + z * z).sqrt().max(1e-300);
    let axis = [x / length, y / length, z / length];
    let (s, c) = degrees.to_radians().sin_cos();
    let [x, y, z] = axis;
    let t = 1.0 - c;
    [
        [t * x * x + c, t * x * y - s * z, t * x * z + s * y, 0.0],
        [t * x * y + s * z, t * y * y + c, t * y * z - s * x, 0.0],
        [t * x * z - s * y, t * y * z + s * x, t * z * z + c, 0.0],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file with one square of four vertices, this primitive and these nodes.
    fn file(primitive: &str, nodes: &str) -> String {
        format!(
            r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.001"/><up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 1000 0 0 1000 1000 0 0 1000 0</float_array><technique_common>
<accessor source="#pa" count="4" stride="3"/></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
{primitive}</mesh></geometry></library_geometries>
<library_nodes><node id="lone"><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="s">{nodes}</visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"##
        )
    }

    const INPUT: &str = r##"<input semantic="VERTEX" source="#v" offset="0"/>"##;
    const NODE: &str = r##"<node><instance_geometry url="#g"/></node>"##;

    fn read(primitive: &str, nodes: &str) -> Result<Vec<Triangle>, FileError> {
        triangles(Path::new("m.dae"), &file(primitive, nodes))
    }

    #[test]
    fn every_kind_of_primitive_is_the_same_square() {
        let with_normals = r##"<triangles count="2"><input semantic="VERTEX" source="#v" offset="1"/>
            <input semantic="NORMAL" source="#n" offset="0"/><p>9 0 9 1 9 2 9 0 9 2 9 3</p></triangles>"##;
        let expected = [
            [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0]],
            [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
        ];
        for primitive in [
            format!("<triangles>{INPUT}<p>0 1 2 0 2 3</p></triangles>"),
            format!("<polylist>{INPUT}<vcount>4</vcount><p>0 1 2 3</p></polylist>"),
            format!("<polygons>{INPUT}<p>0 1 2 3</p></polygons>"),
            format!("<trifans>{INPUT}<p>0 1 2 3</p></trifans><lines>{INPUT}<p>0 1</p></lines>"),
            with_normals.to_owned(),
        ] {
            assert_eq!(read(&primitive, NODE).unwrap(), expected, "{primitive}");
        }
        let strip = format!("<tristrips>{INPUT}<p>1 2 0 3</p></tristrips>");
        let strip = read(&strip, NODE).unwrap();
        assert_eq!(strip[1], [[0.0; 3], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]]);
    }

    #[test]
    fn geometry_is_taken_where_and_as_often_as_the_scene_has_it() {
        let square = format!("<triangles>{INPUT}<p>0 1 2</p></triangles>");
        let nodes = r##"<node><translate>0 0 2000</translate>
            <node><rotate>0 0 1 90</rotate><scale>2 1 1</scale><instance_geometry url="#g"/></node>
            <node><matrix>1 0 0 5000 0 1 0 0 0 0 1 0 0 0 0 1</matrix><instance_node url="#lone"/></node></node>"##;
        let found = read(&square, nodes).unwrap();
        let near = |a: [f64; 3], b: [f64; 3]| (0..3).all(|i| (a[i] - b[i]).abs() < 1e-12);
        assert_eq!(found.len(), 2);
        assert!(near(found[0][1], [0.0, 2.0, 2.0]), "{found:?}");
        assert!(near(found[0][2], [-1.0, 2.0, 2.0]), "{found:?}");
        assert!(near(found[1][1], [6.0, 0.0, 2.0]), "{found:?}");
    }

    #[test]
    fn a_few_lines_that_mean_too_much_are_an_error_at_once() {
        // Each node stands for the next twice, which is twice as many every time.
        let doubled = |levels: usize, last: &str| {
            let library: String = (0..levels)
                .map(|i| {
                    let inner = format!(r##"<instance_node url="#n{}"/>"##, i + 1);
                    format!(r#"<node id="n{i}">{inner}{inner}</node>"#)
                })
                .collect();
            format!(
                r##"<node><instance_node url="#n0"/></node>{library}<node id="n{levels}">{last}</node>"##
            )
        };
        let square = format!("<triangles>{INPUT}<p>0 1 2</p></triangles>");
        let geometry = r##"<instance_geometry url="#g"/>"##;
        let error = read(&square, &doubled(40, geometry)).unwrap_err();
        assert!(error.to_string().contains("2000000 triangles"), "{error}");
        assert!(error.remedy().is_some());
        // As many nodes with nothing in them mean nothing.
        assert_eq!(read(&square, &doubled(40, "")).unwrap().len(), 0);
        // The scene has the other nodes too, so each power of two is there, and one more.
        assert_eq!(
            read(&square, &doubled(3, geometry)).unwrap().len(),
            8 + 8 + 4 + 2 + 1
        );
        let deep = "<node>".repeat(200) + geometry + &"</node>".repeat(200);
        let error = read(&square, &deep).unwrap_err();
        assert!(error.to_string().contains("deep"), "{error}");
    }

    #[test]
    fn mistakes_are_named() {
        let good = format!("<triangles>{INPUT}<p>0 1 2</p></triangles>");
        let far = good.replace("0 1 2", "0 1 9");
        let word = good.replace("0 1 2", "0 x 2");
        let many = format!("<polylist>{INPUT}<vcount>5</vcount><p>0 1 2</p></polylist>");
        let ring = r##"<node id="r"><instance_node url="#r"/></node>"##;
        for (primitive, nodes, said) in [
            (far.as_str(), NODE, "not there"),
            (word.as_str(), NODE, "word 2 of `<p>`"),
            (many.as_str(), NODE, "vcount"),
            ("<triangles><p>0 1 2</p></triangles>", NODE, "VERTEX"),
            (
                good.as_str(),
                r##"<node><instance_geometry url="#h"/></node>"##,
                "#h",
            ),
            (
                good.as_str(),
                "<node><skew>1 2 3 4 5 6 7</skew></node>",
                "skew",
            ),
            (
                good.as_str(),
                "<node><translate>1 2</translate></node>",
                "translate",
            ),
            (
                good.as_str(),
                "<node><instance_controller url=\"#c\"/></node>",
                "bends",
            ),
            (good.as_str(), ring, "each other"),
        ] {
            let error = read(primitive, nodes).expect_err(said);
            let text = error.to_string();
            assert!(text.contains(said) && text.contains("line "), "{text}");
            assert!(error.remedy().is_some());
        }
    }
}
