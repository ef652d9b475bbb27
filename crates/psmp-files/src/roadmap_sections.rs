//! A roadmap of configurations as sections of a file: `axes`, of each its bounds, its weight and 1 where it
//! wraps; `configurations`; `ends` and `lengths` of the edges. How many vertices and edges there are, and
//! whether edges have a direction, the file says elsewhere.

use crate::error::FileError;
use crate::sections::{Sections, numbers};
use psmp::{Axis, Direction, Edge, Roadmap, Space};

/// How many bytes an axis has.
const AXIS: usize = 32;

/// The sections of a roadmap.
pub(crate) fn written(roadmap: &Roadmap) -> [(&'static str, Vec<u8>); 4] {
    let space = roadmap.space().map_or(&[][..], Space::axes);
    let axes: Vec<f64> = space
        .iter()
        .flat_map(|a| {
            [
                a.lower(),
                a.upper(),
                a.weight(),
                f64::from(u8::from(a.wraps())),
            ]
        })
        .collect();
    let configurations = roadmap.configurations().unwrap_or_default();
    let edges = roadmap.edges();
    let ends: Vec<[u32; 2]> = edges.clone().map(|e| [e.from.0, e.to.0]).collect();
    let lengths: Vec<f64> = edges.map(|e| e.length).collect();
    [
        ("axes", bytemuck::cast_slice(&axes).to_vec()),
        (
            "configurations",
            bytemuck::cast_slice(&configurations).to_vec(),
        ),
        ("ends", bytemuck::cast_slice(&ends).to_vec()),
        ("lengths", bytemuck::cast_slice(&lengths).to_vec()),
    ]
}

/// The roadmap of so many vertices and edges that a file has.
pub(crate) fn read(
    file: &Sections<'_>,
    [vertices, edges]: [u64; 2],
    direction: Direction,
) -> Result<Roadmap, FileError> {
    let strange = |what: &str| file.strange(what);
    let axes = file.needed("axes", None)?;
    if !axes.len().is_multiple_of(AXIS) {
        return Err(strange("axes"));
    }
    let axes = axes.chunks_exact(AXIS).map(|axis| {
        let axis: Vec<f64> = numbers(axis);
        let made = Axis::new(axis[0], axis[1]).ok()?.weighted(axis[2]).ok()?;
        match axis[3] {
            0.0 => Some(made),
            1.0 => Some(made.wrapping()),
            _ => None,
        }
    });
    let axes = axes
        .collect::<Option<Vec<Axis>>>()
        .ok_or_else(|| strange("axes"))?;
    let space = Space::new(axes).map_err(|_| strange("axes"))?;
    let bytes = |count: u64, each: usize| {
        let length = usize::try_from(count)
            .ok()
            .and_then(|n| n.checked_mul(each));
        length.ok_or_else(|| strange("its size"))
    };
    let of_configurations = bytes(vertices, 8 * space.dimension())?;
    let configurations = file.needed("configurations", Some(of_configurations))?;
    let of_edges = bytes(edges, 8)?;
    let ends = file.needed("ends", Some(of_edges))?.chunks_exact(8);
    let lengths = file.needed("lengths", Some(of_edges))?.chunks_exact(8);
    let edges = ends.zip(lengths).map(|(ends, length)| {
        let [from, to] = bytemuck::pod_read_unaligned(ends);
        Edge::new(from, to, bytemuck::pod_read_unaligned(length))
    });
    Roadmap::from_edges(vertices as usize, direction, edges.collect())
        .and_then(|graph| graph.with_configurations(space, numbers(configurations)))
        .map_err(|_| strange("its roadmap"))
}
