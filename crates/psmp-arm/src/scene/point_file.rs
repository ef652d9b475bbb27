//! Point clouds in files: PCD (text, binary and compressed binary) and PLY.

use crate::geometry::PointCloud;
use ply_rs_bw::parser::Parser;
use ply_rs_bw::ply::{DefaultElement, Property};
use psmp_worlds::{FileError, Place};
use std::path::Path;

/// Reads the points of a file, each to be a ball of `radius`. Points that are not finite, which
/// sensors write where they saw nothing, are left out.
pub(crate) fn read(path: &Path, radius: f64) -> Result<PointCloud, FileError> {
    let bytes = std::fs::read(path).map_err(|e| FileError::io(path, "read", e))?;
    let mut points = if bytes.starts_with(b"ply") {
        ply(path, &bytes)?
    } else {
        Pcd::parse(path, &bytes)?.points()?
    };
    points.retain(|p| p.iter().all(|v| v.is_finite()));
    PointCloud::new(points, radius).map_err(|e| {
        FileError::new(path, e.to_string()).hint("give the points a positive radius in metres")
    })
}

fn ply(path: &Path, bytes: &[u8]) -> Result<Vec<[f64; 3]>, FileError> {
    let unusable = |problem: String| {
        FileError::new(path, problem).hint("give a PLY file whose element `vertex` has x, y and z")
    };
    let file = Parser::<DefaultElement>::new()
        .read_ply(&mut &bytes[..])
        .map_err(|e| unusable(format!("is not a PLY file that can be read: {e}")))?;
    let Some(vertices) = file.payload.get("vertex") else {
        return Err(unusable("has no element `vertex`".to_owned()));
    };
    let coordinate = |vertex: &DefaultElement, name: &str| match vertex.get(name) {
        Some(Property::Float(v)) => Some(f64::from(*v)),
        Some(Property::Double(v)) => Some(*v),
        Some(Property::Int(v)) => Some(f64::from(*v)),
        Some(Property::Short(v)) => Some(f64::from(*v)),
        _ => None,
    };
    let point = |v: &DefaultElement| {
        Some([
            coordinate(v, "x")?,
            coordinate(v, "y")?,
            coordinate(v, "z")?,
        ])
    };
    vertices
        .iter()
        .map(|v| point(v).ok_or_else(|| unusable("a vertex has no x, y or z".to_owned())))
        .collect()
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
            let whole = |word: &str| {
                word.parse::<usize>()
                    .map_err(|_| wrong(number, format!("`{word}` is not a whole number")))
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
                other => {
                    return Err(wrong(
                        number,
                        format!("`{other}` does not belong in the header of a point cloud"),
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
                let stride: usize = self.fields.iter().map(|f| f.size * f.count).sum();
                let offset = |field: usize| -> usize {
                    self.fields[..field].iter().map(|f| f.size * f.count).sum()
                };
                self.binary(self.data, places, |field, point| {
                    offset(field) + point * stride
                })
            }
            "binary_compressed" => {
                let size = |at: usize| {
                    let bytes = self.data.get(at..at + 4)?;
                    Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
                };
                let data = size(0)
                    .zip(size(4))
                    .and_then(|(packed, whole)| unpack(self.data.get(8..8 + packed)?, whole))
                    .ok_or_else(|| self.wrong("the compressed data is damaged"))?;
                // Compressed data is by field, all x first.
                let start = |field: usize| -> usize {
                    let before = self.fields[..field].iter();
                    before.map(|f| f.size * f.count * self.points).sum()
                };
                self.binary(&data, places, |field, point| {
                    start(field) + point * self.fields[field].size
                })
            }
            other => Err(self.wrong(format!("its data is `{other}`"))),
        }
    }

    fn text(&self, places: [usize; 3]) -> Result<Vec<[f64; 3]>, FileError> {
        let text =
            std::str::from_utf8(self.data).map_err(|_| self.wrong("its data is not text"))?;
        // A field of several values takes several columns.
        let column = |field: usize| self.fields[..field].iter().map(|f| f.count).sum::<usize>();
        let columns = places.map(column);
        let points: Option<Vec<[f64; 3]>> = text
            .lines()
            .filter(|line| !line.trim().is_empty())
            .map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                let value = |c: usize| words.get(c)?.parse().ok();
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

    fn read_bytes(name: &str, bytes: &[u8]) -> Result<PointCloud, FileError> {
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
            let cloud = read_bytes(name, &bytes).unwrap();
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
}
