//! Point clouds in files: PCD (text, binary and compressed binary) and PLY.
//!
//! What a header says is believed only as far as the file has room for it.

use crate::geometry::PointCloud;
use crate::permissions::LARGEST_DATA;
use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{
    ElementDef, Encoding, Property, PropertyAccess, PropertyAccessResult, PropertyType, ScalarType,
};
use psmp_files::{FileError, Place, read_regular};
use std::path::Path;

/// Reads the points of a file, each to be a ball of `radius`. Points that are not finite, which
/// sensors write where they saw nothing, are left out; if that leaves none, there is no cloud.
pub(crate) fn read(path: &Path, radius: f64) -> Result<Option<PointCloud>, FileError> {
    let bytes = read_regular(path, LARGEST_DATA)?;
    let mut points = if bytes.starts_with(b"ply") {
        ply(path, &bytes)?
    } else {
        Pcd::parse(path, &bytes)?.points()?
    };
    points.retain(|p| p.iter().all(|v| v.is_finite()));
    if points.is_empty() {
        return Ok(None);
    }
    PointCloud::new(points, radius).map(Some).map_err(|e| {
        FileError::new(path, e.to_string())
            .hint("give points in metres, and a positive radius to them")
    })
}

/// A point of a PLY file.
struct Vertex([f64; 3]);

impl PropertyAccess for Vertex {
    fn new() -> Self {
        Self([f64::NAN; 3])
    }

    fn set_property(&mut self, name: &str, value: Property) -> PropertyAccessResult {
        let Some(axis) = AXES.iter().position(|axis| *axis == name) else {
            return PropertyAccessResult::Ignored;
        };
        self.0[axis] = match value {
            Property::Float(v) => v.into(),
            Property::Double(v) => v,
            Property::Int(v) => v.into(),
            Property::UInt(v) => v.into(),
            Property::Short(v) => v.into(),
            Property::UShort(v) => v.into(),
            Property::Char(v) => v.into(),
            Property::UChar(v) => v.into(),
            _ => return PropertyAccessResult::UnsupportedType,
        };
        PropertyAccessResult::Set
    }
}

const AXES: [&str; 3] = ["x", "y", "z"];

/// What comes before the vertices in a PLY file and is passed over.
struct Passed;

impl PropertyAccess for Passed {
    fn new() -> Self {
        Self
    }
}

fn ply(path: &Path, bytes: &[u8]) -> Result<Vec<[f64; 3]>, FileError> {
    let unusable = |problem: String| {
        FileError::new(path, problem).hint("give a PLY file whose element `vertex` has x, y and z")
    };
    // What the parser says of an error repeats what is in the file.
    let malformed = |e: ParseError| {
        let error = unusable("is not a PLY file that can be read".to_owned());
        match e.line() {
            Some(line) => error.at(Place::Line(line)),
            None => error,
        }
    };
    let mut reader = Reader::new(bytes);
    let vertices = Parser::<Vertex>::new();
    let header = vertices.read_header(&mut reader).map_err(malformed)?;
    for element in header.elements.values() {
        let room = reader.get_ref().len();
        if element.count > most_elements(element, header.encoding, room) {
            return Err(unusable(format!(
                "its header tells of {} elements where the file has room for fewer",
                element.count
            )));
        }
        if element.name != "vertex" {
            let passed = Parser::<Passed>::new();
            let passed = passed.read_payload_for_element(&mut reader, element, &header);
            passed.map_err(malformed)?;
            continue;
        }
        let scalar = |axis: &str| {
            let property = element.properties.get(axis);
            property.is_some_and(|p| matches!(p.data_type, PropertyType::Scalar(_)))
        };
        if !AXES.iter().all(|axis| scalar(axis)) {
            return Err(unusable("a vertex has no x, y or z".to_owned()));
        }
        let read = vertices.read_payload_for_element(&mut reader, element, &header);
        let read = read.map_err(malformed)?;
        return Ok(read.into_iter().map(|Vertex(point)| point).collect());
    }
    Err(unusable("has no element `vertex`".to_owned()))
}

/// How many of an element `room` bytes can hold at most.
fn most_elements(element: &ElementDef, encoding: Encoding, room: usize) -> usize {
    let size = |kind: &ScalarType| match kind {
        ScalarType::Char | ScalarType::UChar => 1,
        ScalarType::Short | ScalarType::UShort => 2,
        ScalarType::Int | ScalarType::UInt | ScalarType::Float => 4,
        ScalarType::Double => 8,
    };
    let properties = element.properties.values();
    match encoding {
        // A number and a blank; the last line need not end. An element without any is a line.
        Encoding::Ascii => (room + 1) / (2 * properties.count()).max(1),
        // A list may be empty, but has a length.
        _ => {
            let sizes = properties.map(|p| match &p.data_type {
                PropertyType::Scalar(kind) | PropertyType::List(kind, _) => size(kind),
            });
            room.checked_div(sizes.sum::<usize>()).unwrap_or(0)
        }
    }
}

/// One field of a point in a PCD file.
struct Field {
    name: String,
    size: usize,
    kind: char,
    count: usize,
}

struct Pcd<'a> {
    path: &'a Path,
    fields: Vec<Field>,
    points: usize,
    encoding: String,
    data: &'a [u8],
}

impl<'a> Pcd<'a> {
    fn parse(path: &'a Path, bytes: &'a [u8]) -> Result<Self, FileError> {
        let wrong = |line: usize, problem: String| {
            FileError::new(path, problem)
                .at(Place::Line(line))
                .hint("give a point cloud as PCD (version 0.7) or PLY")
        };
        let (mut names, mut sizes, mut kinds, mut counts) = (vec![], vec![], vec![], vec![]);
        let (mut width, mut height, mut points) = (0_usize, 1_usize, None);
        let (mut rest, mut number) = (bytes, 0);
        loop {
            number += 1;
            let end = rest.iter().position(|&b| b == b'\n');
            let Some(end) = end else {
                return Err(wrong(
                    number,
                    "the header ends before its `DATA` line".to_owned(),
                ));
            };
            let Ok(line) = std::str::from_utf8(&rest[..end]) else {
                return Err(wrong(
                    number,
                    "is not the header of a point cloud".to_owned(),
                ));
            };
            rest = &rest[end + 1..];
            let mut words = line.split_whitespace();
            let key = words.next().unwrap_or("#");
            let words: Vec<&str> = words.collect();
            // Not the word itself: the file may be none that is meant to be seen.
            let whole = |word: &str| {
                word.parse::<usize>()
                    .map_err(|_| wrong(number, "expected whole numbers".to_owned()))
            };
            let wholes = || {
                words
                    .iter()
                    .map(|w| whole(w))
                    .collect::<Result<Vec<_>, _>>()
            };
            match key {
                "FIELDS" => names = words.iter().map(|w| (*w).to_owned()).collect(),
                "SIZE" => sizes = wholes()?,
                "TYPE" => kinds = words.iter().filter_map(|w| w.chars().next()).collect(),
                "COUNT" => counts = wholes()?,
                "WIDTH" => width = whole(words.first().copied().unwrap_or(""))?,
                "HEIGHT" => height = whole(words.first().copied().unwrap_or(""))?,
                "POINTS" => points = Some(whole(words.first().copied().unwrap_or(""))?),
                "DATA" => {
                    if counts.is_empty() {
                        counts = vec![1; names.len()];
                    }
                    let lengths = [sizes.len(), kinds.len(), counts.len()];
                    if names.is_empty() || lengths.iter().any(|&l| l != names.len()) {
                        return Err(wrong(
                            number,
                            "FIELDS, SIZE, TYPE and COUNT do not fit each other".to_owned(),
                        ));
                    }
                    let fields = names.into_iter().zip(sizes).zip(kinds).zip(counts);
                    let points = points.or_else(|| width.checked_mul(height));
                    return Ok(Self {
                        path,
                        fields: fields
                            .map(|(((name, size), kind), count)| Field {
                                name,
                                size,
                                kind,
                                count,
                            })
                            .collect(),
                        points: points.unwrap_or(0),
                        encoding: words.first().copied().unwrap_or("").to_owned(),
                        data: rest,
                    });
                }
                "VERSION" | "VIEWPOINT" => {}
                comment if comment.starts_with('#') => {}
                _ => {
                    return Err(wrong(
                        number,
                        "does not belong in the header of a point cloud".to_owned(),
                    ));
                }
            }
        }
    }

    fn wrong(&self, problem: impl Into<String>) -> FileError {
        FileError::new(self.path, problem)
            .hint("give a point cloud as PCD (version 0.7, with x, y and z) or PLY")
    }

    fn points(&self) -> Result<Vec<[f64; 3]>, FileError> {
        let place = |name: &str| {
            self.fields
                .iter()
                .position(|f| f.name == name && f.count == 1)
                .ok_or_else(|| self.wrong(format!("has no field `{name}`")))
        };
        let places = [place("x")?, place("y")?, place("z")?];
        match self.encoding.as_str() {
            "ascii" => self.text(places),
            "binary" => {
                let sizes = self.sizes(self.data.len())?;
                let stride: usize = sizes.iter().sum();
                self.binary(self.data, places, |field, point| {
                    sizes[..field].iter().sum::<usize>() + point * stride
                })
            }
            "binary_compressed" => {
                let damaged = || self.wrong("the compressed data is damaged");
                let size = |at: usize| {
                    let bytes = self.data.get(at..at + 4)?;
                    Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
                };
                let (packed, whole) = size(0).zip(size(4)).ok_or_else(damaged)?;
                let packed = self.data.get(8..).and_then(|rest| rest.get(..packed));
                let packed = packed.ok_or_else(damaged)?;
                // Three bytes stand for 264 at most.
                if whole > packed.len().saturating_mul(88) {
                    return Err(damaged());
                }
                let sizes = self.sizes(whole)?;
                let data = unpack(packed, whole).ok_or_else(damaged)?;
                // Compressed data is by field, all x first.
                self.binary(&data, places, |field, point| {
                    sizes[..field].iter().sum::<usize>() * self.points + point * sizes[field]
                })
            }
            _ => Err(self.wrong("its data is neither ascii, binary nor binary_compressed")),
        }
    }

    /// How many bytes each field of a point takes, if all points fit into `room`.
    fn sizes(&self, room: usize) -> Result<Vec<usize>, FileError> {
        let fields = self.fields.iter();
        let sizes: Option<Vec<usize>> = fields.map(|f| f.size.checked_mul(f.count)).collect();
        let fits = |sizes: &Vec<usize>| {
            let mut sizes = sizes.iter();
            let stride = sizes.try_fold(0_usize, |sum, size| sum.checked_add(*size));
            let all = stride.and_then(|stride| stride.checked_mul(self.points));
            all.is_some_and(|all| all <= room)
        };
        sizes.filter(fits).ok_or_else(|| {
            self.wrong(format!(
                "its header tells of {} points, more than the file can hold",
                self.points
            ))
        })
    }

    fn text(&self, places: [usize; 3]) -> Result<Vec<[f64; 3]>, FileError> {
        let text =
            std::str::from_utf8(self.data).map_err(|_| self.wrong("its data is not text"))?;
        // A field of several values takes several columns.
        let column = |field: usize| {
            let before = self.fields[..field].iter().map(|f| f.count);
            before.fold(0, usize::saturating_add)
        };
        let columns = places.map(column);
        let points: Option<Vec<[f64; 3]>> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| {
                let value = |c: usize| line.split_whitespace().nth(c)?.parse().ok();
                Some([value(columns[0])?, value(columns[1])?, value(columns[2])?])
            })
            .collect();
        match points {
            Some(points) if points.len() == self.points => Ok(points),
            Some(points) => Err(self.wrong(format!(
                "has {} points, its header says {}",
                points.len(),
                self.points
            ))),
            None => Err(self.wrong("a line of its data is not numbers")),
        }
    }

    fn binary(
        &self,
        data: &[u8],
        places: [usize; 3],
        offset: impl Fn(usize, usize) -> usize,
    ) -> Result<Vec<[f64; 3]>, FileError> {
        let value = |field: usize, point: usize| {
            let Field { size, kind, .. } = self.fields[field];
            let at = offset(field, point);
            let bytes = data.get(at..at + size)?;
            match (kind, size) {
                ('F', 4) => Some(f64::from(f32::from_le_bytes(bytes.try_into().ok()?))),
                ('F', 8) => Some(f64::from_le_bytes(bytes.try_into().ok()?)),
                _ => None,
            }
        };
        (0..self.points)
            .map(|point| {
                let [x, y, z] = places.map(|field| value(field, point));
                x.zip(y).zip(z).map(|((x, y), z)| [x, y, z])
            })
            .collect::<Option<_>>()
            .ok_or_else(|| self.wrong("its data ends early, or x, y and z are not floats"))
    }
}

/// Unpacks LZF, which PCD compresses with: a byte below 32 is followed by that many literal bytes
/// and one; any other is a copy of what has been, by length and distance.
fn unpack(packed: &[u8], whole: usize) -> Option<Vec<u8>> {
    let mut out: Vec<u8> = Vec::new();
    let mut input = packed.iter().copied();
    while let Some(control) = input.next() {
        let control = usize::from(control);
        if control < 32 {
            for _ in 0..=control {
                out.push(input.next()?);
            }
        } else {
            let mut length = control >> 5;
            if length == 7 {
                length += usize::from(input.next()?);
            }
            let distance = ((control & 31) << 8) + usize::from(input.next()?) + 1;
            let start = out.len().checked_sub(distance)?;
            for i in 0..length + 2 {
                out.push(out[start + i]);
            }
        }
        if out.len() > whole {
            return None;
        }
    }
    (out.len() == whole).then_some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header(data: &str) -> String {
        format!(
            "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\nWIDTH 3\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 3\nDATA {data}\n"
        )
    }

    const POINTS: [[f32; 4]; 3] = [
        [1.0, 2.0, 3.0, 0.0],
        [f32::NAN, 0.0, 0.0, 0.0],
        [4.0, 5.0, 6.0, 0.0],
    ];

    fn read_bytes(name: &str, bytes: &[u8]) -> Result<Option<PointCloud>, FileError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        read(&path, 0.01)
    }

    #[test]
    fn all_encodings_give_the_same_points() {
        let text = header("ascii") + "1 2 3 0\nnan 0 0 0\n4 5 6 0\n";
        let mut binary = header("binary").into_bytes();
        binary.extend(POINTS.iter().flatten().flat_map(|v| v.to_le_bytes()));
        // By field, packed as literals only, 32 at a time, with a copy for the zeros at the end.
        let by_field: Vec<u8> = (0..4)
            .flat_map(|f| POINTS.iter().flat_map(move |p| p[f].to_le_bytes()))
            .collect();
        let mut packed = Vec::new();
        let (literal, zeros) = by_field.split_at(37);
        for chunk in literal.chunks(32) {
            packed.push(chunk.len() as u8 - 1);
            packed.extend_from_slice(chunk);
        }
        assert!(zeros.iter().all(|&b| b == 0) && zeros.len() == 11);
        packed.extend([7 << 5, 2, 0]);
        let mut compressed = header("binary_compressed").into_bytes();
        compressed.extend((packed.len() as u32).to_le_bytes());
        compressed.extend((by_field.len() as u32).to_le_bytes());
        compressed.extend(packed);
        let ply = "ply\nformat ascii 1.0\nelement vertex 2\nproperty float x\nproperty float y\nproperty float z\nend_header\n1 2 3\n4 5 6\n";
        for (name, bytes) in [
            ("a.pcd", text.into_bytes()),
            ("b.pcd", binary),
            ("c.pcd", compressed),
            ("d.ply", ply.as_bytes().to_vec()),
        ] {
            let cloud = read_bytes(name, &bytes).unwrap().unwrap();
            assert_eq!(cloud.points, [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "{name}");
        }
    }

    #[test]
    fn damaged_clouds_are_errors() {
        let good = header("ascii") + "1 2 3 0\n";
        let mut short = header("binary").into_bytes();
        short.extend([0; 20]);
        let mut damaged = header("binary_compressed").into_bytes();
        damaged.extend([
            9, 0, 0, 0, 48, 0, 0, 0, 255, 255, 255, 255, 255, 255, 255, 255, 255,
        ]);
        for bytes in [
            good.into_bytes(),
            short,
            damaged,
            header("ascii").replace(" z ", " w ").into_bytes(),
            header("secret").into_bytes(),
            b"VERSION 0.7\n".to_vec(),
            b"nonsense\n".to_vec(),
            b"ply\nnonsense\n".to_vec(),
            vec![0xff, 0xfe, b'\n'],
        ] {
            let error = read_bytes("bad.pcd", &bytes).unwrap_err();
            assert!(error.remedy().is_some(), "{error}");
        }
    }

    #[test]
    fn a_cloud_of_nothing_is_none() {
        let pcd = |points: usize, data: &str| {
            let counts = format!("WIDTH {points}\nHEIGHT 1\nPOINTS {points}\nDATA ascii\n{data}");
            format!("FIELDS x y z\nSIZE 4 4 4\nTYPE F F F\n{counts}")
        };
        let ply = PLY.replace("NUMBER", "0").replace("FACES", "0");
        for text in [pcd(0, ""), pcd(2, "nan nan nan\nnan 0 inf\n"), ply] {
            assert_eq!(read_bytes("none", text.as_bytes()).unwrap(), None, "{text}");
        }
        let error = read_bytes("far", pcd(1, "0 1e20 0").as_bytes()).unwrap_err();
        assert!(error.to_string().contains("10000 m"), "{error}");
    }

    const PLY: &str = "ply\nformat ascii 1.0\nelement vertex NUMBER\nproperty float x\nproperty float y\nproperty float z\nelement face FACES\nproperty list uchar int vertex_indices\nend_header\n";

    #[test]
    fn counts_that_the_file_has_no_room_for_are_errors_at_once() {
        let many = "99999999999";
        let bare = "element nothing 99999999999\nelement vertex";
        let ply = |vertices: &str| PLY.replace("NUMBER", vertices).replace("FACES", "0");
        let binary = |text: String| text.replace("ascii", "binary_little_endian") + "\0\0\0\0";
        let header = |data: &str| header(data).replace("POINTS 3", &format!("POINTS {many}"));
        let wide = header("binary").replace("COUNT 1 1 1 1", "COUNT 1 1 1 9999999999999999999");
        for text in [
            ply(many),
            binary(ply(many)),
            ply("1").replace("element vertex", bare) + "1 2 3\n",
            binary(ply("1").replace("element vertex", bare)),
            header("ascii") + "1 2 3 4\n",
            header("binary") + "\0\0\0\0",
            header("binary_compressed") + "\u{3}\0\0\0\u{7f}\u{7f}\u{7f}\u{7f}abc",
            wide + "\0\0\0\0",
        ] {
            let error = read_bytes("many", text.as_bytes()).expect_err(&text);
            assert!(error.remedy().is_some(), "{error}");
        }
        // Faces come after the vertices and do not matter.
        let faces = PLY.replace("NUMBER", "1").replace("FACES", many) + "1 2 3\n";
        let cloud = read_bytes("faces", faces.as_bytes()).unwrap().unwrap();
        assert_eq!(cloud.points, [[1.0, 2.0, 3.0]]);
    }

    #[test]
    fn what_is_in_a_file_that_is_no_cloud_is_not_told() {
        for text in [
            "secret 1\n".to_owned(),
            header("ascii").replace("WIDTH 3", "WIDTH secret"),
            header("secret"),
            header("ascii") + "1 2 secret 4\n",
            "ply\nsecret\n".to_owned(),
            PLY.replace("NUMBER", "1").replace("FACES", "0") + "1 2 secret\n",
        ] {
            let error = read_bytes("bad", text.as_bytes()).expect_err(&text);
            assert!(!error.to_string().contains("secret"), "{error}");
        }
    }
}
