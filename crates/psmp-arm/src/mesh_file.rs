//! Meshes in files: STL, OBJ and Collada.

use crate::collada;
use crate::geometry::{Mesh, ShapeError};
use crate::permissions::LARGEST_DATA;
use psmp_files::{FileError, read_regular};
use std::collections::HashMap;
use std::path::Path;

/// The corners of a triangle.
type Triangle = [[f64; 3]; 3];

/// Reads a mesh and scales it. Vertices that are the same become one, so that closed surfaces are
/// closed.
pub(crate) fn read(path: &Path, scale: [f64; 3]) -> Result<Mesh, FileError> {
    let bytes = read_regular(path, LARGEST_DATA)?;
    let unusable = |problem: String| {
        FileError::new(path, problem)
            .hint("give a mesh with triangles as STL, OBJ or Collada (.dae)")
    };
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    let triangles: Box<dyn Iterator<Item = Triangle>> = match ending.to_str() {
        Some("dae") => {
            let text = String::from_utf8(bytes)
                .map_err(|_| unusable("is not text, as Collada is".to_owned()))?;
            Box::new(collada::triangles(path, &text)?.into_iter())
        }
        Some("stl") => {
            let read = mesh_loader::stl::from_slice(&bytes);
            Box::new(faces_of(read).map_err(unusable)?)
        }
        Some("obj") => {
            // Materials in files beside the mesh do not matter for collisions, so none is read.
            let nothing = |_: &Path| Ok(Vec::new());
            let read = mesh_loader::obj::from_slice(&bytes, None, nothing);
            Box::new(faces_of(read).map_err(unusable)?)
        }
        _ => return Err(unusable("is not named as a mesh is".to_owned())),
    };
    merged(triangles, scale).map_err(|e| unusable(e.to_string()))
}

/// The mesh of triangles by their corners.
fn merged(triangles: impl Iterator<Item = Triangle>, scale: [f64; 3]) -> Result<Mesh, ShapeError> {
    let mut places: HashMap<[u64; 3], u32> = HashMap::new();
    let mut vertices = Vec::new();
    let mut faces = Vec::new();
    for corners in triangles {
        let mut triangle = corners.map(|v| {
            // Adding zero makes both zeros one.
            let key = v.map(|x| (x + 0.0).to_bits());
            *places.entry(key).or_insert_with(|| {
                vertices.push([0, 1, 2].map(|i| v[i] * scale[i]));
                vertices.len() as u32 - 1
            })
        });
        let [a, b, c] = triangle;
        // A mirroring scale turns the surface inside out.
        if scale.iter().product::<f64>() < 0.0 {
            triangle = [a, c, b];
        }
        if a != b && b != c && c != a {
            faces.push(triangle);
        }
    }
    Mesh::new(vertices, faces)
}

/// The triangles of an STL or OBJ file, one after the other: of a file that is all triangles, their
/// corners would take more memory than all else.
fn faces_of(
    read: std::io::Result<mesh_loader::Scene>,
) -> Result<impl Iterator<Item = Triangle>, String> {
    let scene = read.map_err(|e| format!("is not a mesh that can be read: {e}"))?;
    for mesh in &scene.meshes {
        let missing = |index: &&u32| **index as usize >= mesh.vertices.len();
        if let Some(index) = mesh.faces.iter().flatten().find(missing) {
            return Err(format!("a face names vertex {index}, which is not there"));
        }
    }
    Ok(scene.meshes.into_iter().flat_map(|mesh| {
        let vertices = mesh.vertices;
        let corner = move |index: u32| vertices[index as usize].map(f64::from);
        mesh.faces.into_iter().map(move |face| face.map(&corner))
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::winding::Winding;

    const OBJ: &str = "mtllib not_there.mtl\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    const STL: &str = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\nfacet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\nendloop\nendfacet\nendsolid s\n";
    const DAE: &str = r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.001"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="9">0 0 0 1000 0 0 0 1000 0</float_array><technique_common>
<accessor source="#pa" count="3" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"##;

    #[test]
    fn three_formats_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let read_as = |name: &str, text: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            read(&path, [1.0, 1.0, 2.0])
        };
        let obj = read_as("m.obj", OBJ).unwrap();
        assert_eq!((obj.vertices().len(), obj.triangles().len()), (4, 4));
        assert!(obj.vertices().contains(&[0.0, 0.0, 2.0]));
        assert!((Winding::of(&obj).at([0.1, 0.1, 0.1], f64::INFINITY) - 1.0).abs() < 1e-9);
        let stl = read_as("m.stl", STL).unwrap();
        assert_eq!((stl.vertices().len(), stl.triangles().len()), (4, 2));
        // The file says that its unit is a millimetre.
        let dae = read_as("m.dae", DAE).unwrap();
        assert!(dae.vertices().contains(&[1.0, 0.0, 0.0]), "{dae:?}");
        for (name, text) in [
            ("e.obj", ""),
            ("f.obj", "v 0 0 0\nf 1 2 3\n"),
            ("x.stl", "nonsense"),
            ("y.ply", "ply\n"),
            ("z.dae", "<COLLADA/>"),
            ("w.dae", "nonsense"),
            ("far.obj", "v 0 0 2e19\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"),
            ("none.xyz", "nonsense"),
        ] {
            let error = read_as(name, text).unwrap_err();
            let said = error.to_string();
            assert!(said.contains(name) && !said.contains('"'), "{said}");
            assert_eq!(said.matches(name).count(), 1, "{said}");
            assert!(error.remedy().is_some());
        }
    }
}
