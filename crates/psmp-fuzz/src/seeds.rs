//! Sound files of every format, small, to make mutants of.

use crate::packed::{open_mat, seal_piece, seal_shard};
use psmp::by_name::ModelCache;
use psmp::checker::EdgeMemory;
use psmp::{
    CollisionTable, Direction, Edge, EdgeId, Experience, Query, Roadmap, SessionOptions, Space,
    VertexId, WorldId,
};
use psmp_arm::{Robot, SphereModel};
use psmp_files::{
    Fingerprint, Keeping, MapArea, MapSetting, Thing, WorldRecord, learned, write_table,
};
use psmp_lab::Row;
use psmp_lab::families::Family;
use psmp_report::rows;
use psmp_worlds::mat5::{MatFile, Matrix, Numbers, Value};
use psmp_worlds::{BitMatrix, Dataset, DatasetParts, Frame, OccupancyGrid, Shapes, graphml};
use std::fs;
use std::path::Path;

/// Four vertices of the unit square and five edges.
pub(crate) fn roadmap(direction: Direction) -> Roadmap {
    let edges = vec![
        Edge::new(0, 1, 0.5),
        Edge::new(1, 2, 0.25),
        Edge::new(2, 3, 1e-3),
        Edge::new(3, 0, 12.0),
        Edge::new(0, 2, 0.0),
    ];
    let coordinates = vec![0.25, 1.0, 0.0, 0.3, 0.75, 0.5, 1.0, 0.125];
    Roadmap::from_edges(4, direction, edges)
        .and_then(|roadmap| roadmap.with_configurations(Space::unit(2), coordinates))
        .unwrap()
}

/// Six worlds of these five edges.
fn table() -> CollisionTable {
    let mut table = CollisionTable::all_blocked(6, 5);
    for (world, edge) in (0..6).flat_map(|w| (0..5).map(move |e| (w, e))) {
        if (world + edge) % 3 != 0 {
            table.set(WorldId(world), EdgeId(edge), true);
        }
    }
    table
}

/// A dataset with every part there is.
pub(crate) fn write_dataset(folder: &Path, direction: Direction) {
    let roadmap = roadmap(direction);
    let mut assignment = BitMatrix::new(6, 2);
    (0..6).for_each(|world| assignment.set(world, world % 2));
    let paths = [&[0, 1, 2, 3][..], &[0, 2, 3]].map(|p| p.iter().copied().map(VertexId).collect());
    let parts = DatasetParts {
        table: Some(&table()),
        query: Some(Query {
            start: VertexId(0),
            goal: VertexId(3),
        }),
        train: Some(&[0, 2, 3, 5].map(WorldId)),
        test: Some(&[4, 1].map(WorldId)),
        path_library: Some(&paths),
        world_library_assignment: Some(&assignment),
        ..DatasetParts::new(&roadmap)
    };
    Dataset::write(folder, &parts).unwrap();
    Dataset::create_box_folder(folder).unwrap();
    let boxes = Shapes::new(2)
        .with_box(&[0.1, 0.5], &[0.4, 0.75])
        .and_then(|shapes| shapes.with_box(&[0.0, -1e-3], &[1.0, 0.25]))
        .unwrap();
    Dataset::write_boxes(folder, WorldId(0), &boxes).unwrap();
}

/// What `write` leaves in a file of this name.
fn written(name: &str, write: impl FnOnce(&Path)) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    write(&path);
    fs::read(path).unwrap()
}

/// A file of a dataset; a MAT-file with its variables unpacked, so that damage reaches them.
pub(crate) fn of_dataset(name: &str) -> Vec<Vec<u8>> {
    let bytes = in_dataset(name, Direction::Undirected);
    match name.ends_with(".mat") {
        true => vec![open_mat(&bytes)],
        false => vec![bytes],
    }
}

fn in_dataset(name: &str, direction: Direction) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    write_dataset(folder.path(), direction);
    fs::read(folder.path().join(name)).unwrap()
}

/// Graphs that need not fit to anything.
pub(crate) fn graphs() -> Vec<Vec<u8>> {
    [Direction::Undirected, Direction::Directed]
        .map(|direction| in_dataset("graph.txt", direction))
        .into()
}

pub(crate) fn numbered_coordinates() -> Vec<Vec<u8>> {
    vec![
        b"1 0.25 1.0\n2 0.0 0.3\n3 0.75 0.5\n4 1.0 0.125\n".to_vec(),
        b"0.25,-1\r\n\r\n0,1e3\r\n7,0\r\n0,0.125\r\n".to_vec(),
    ]
}

/// A MAT-file of every class.
pub(crate) fn mat() -> Vec<Vec<u8>> {
    let matrix = |numbers| Value::Matrix(Matrix::new(2, 2, numbers));
    let cells = vec![
        Matrix::new(1, 3, Numbers::U8(vec![1, 2, 3])),
        Matrix::new(0, 0, Numbers::F64(vec![])),
    ];
    let variables = [
        (
            "bits",
            Value::Matrix(Matrix::logical(2, 2, vec![1, 0, 1, 0])),
        ),
        ("double", matrix(Numbers::F64(vec![0.5, -1.0, 3.0, 1e300]))),
        ("single", matrix(Numbers::F32(vec![0.5, -1.0, 3.0, 1e30]))),
        ("short", matrix(Numbers::I16(vec![1, -2, 3, -4]))),
        ("long", matrix(Numbers::U64(vec![1, 2, 3, u64::MAX]))),
        (
            "cells",
            Value::Cells {
                rows: 1,
                columns: 2,
                cells,
            },
        ),
    ];
    let written = written("every.mat", |path| {
        MatFile::write(path, &variables).unwrap();
    });
    let mut sparse = written[..128].to_vec();
    // A sparse logical array of 2 x 3 with two ones.
    for word in [
        14, 88, 6, 8, 0x205, 2, 5, 8, 2, 3, 0x1_0001, 0x73, 5, 8, 1, 0, 5, 16, 0, 1, 1, 2,
        0x2_0002, 0x0101u32,
    ] {
        sparse.extend(word.to_le_bytes());
    }
    vec![open_mat(&written), sparse]
}

pub(crate) fn graphml() -> Vec<Vec<u8>> {
    let by_hand = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="s" for="node" attr.name="state"><default>1 2</default></key>
  <key id="l" for="edge" attr.name="length" attr.type="double"/>
  <key id="c" for="all" attr.name="colour"><default>red</default></key>
  <!-- three nodes -->
  <graph edgedefault="directed">
    <node id="a &amp; b"><data key="s">0.0 4e0</data><data key="c">x &lt; y</data></node>
    <node id="b"><data key="s"><![CDATA[3 0]]></data></node>
    <node id="c"/>
    <edge source="b" target="a &amp; b"><data key="l">7.5</data></edge>
    <edge source="c" target="b"/>
  </graph>
</graphml>
"#;
    let written = written("roadmap.graphml", |path| {
        graphml::write(path, &roadmap(Direction::Undirected)).unwrap();
    });
    vec![written, by_hand.into()]
}

pub(crate) fn png() -> Vec<Vec<u8>> {
    let grid = |width, height| {
        let checked = |c, r| (c + 3 * r) % 5 != 0;
        OccupancyGrid::from_fn(width, height, Frame::unit(), checked).unwrap()
    };
    [(16, 9), (64, 64)]
        .map(|(width, height)| {
            written("grid.png", |path| {
                grid(width, height).write_png(path).unwrap()
            })
        })
        .into()
}

/// Grey and in colour, as encoders write it.
pub(crate) fn jpeg() -> Vec<Vec<u8>> {
    let checked = |c: u32, r: u32| {
        if (c + 3 * r).is_multiple_of(5) {
            0
        } else {
            255
        }
    };
    let grey = image::GrayImage::from_fn(23, 9, |c, r| image::Luma([checked(c, r)]));
    let coloured = image::RgbImage::from_fn(40, 40, |c, r| image::Rgb([checked(c, r), 200, 255]));
    [grey.into(), coloured.into()]
        .map(|picture: image::DynamicImage| written("grid.jpg", |path| picture.save(path).unwrap()))
        .into()
}

pub(crate) fn pgm() -> Vec<Vec<u8>> {
    let mut packed = b"P5\n5 3\n255\n".to_vec();
    packed.extend(0..15);
    let mut bits = b"P4\n9 2\n".to_vec();
    bits.extend([0xa5, 0x80, 0x5a, 0x00]);
    vec![
        b"P2\n# by hand\n3 2\n255\n0 128 255\n1 2 3\n".to_vec(),
        packed,
        bits,
        b"P1\n3 2\n0 1 0\n1 0 1\n".to_vec(),
    ]
}

pub(crate) fn ros_map() -> Vec<Vec<u8>> {
    vec![
        b"image: map.pgm\nresolution: 0.05\norigin: [-1.0, 2.0, 0.0]\nnegate: 0\n\
          occupied_thresh: 0.65\nfree_thresh: 0.196\n"
            .to_vec(),
        b"{image: 'map.pgm', resolution: 5e-2, origin: [1, 2], negate: true, mode: scale}\n"
            .to_vec(),
        b"# aliases\na: &a [1, 2, 0.5]\nimage: map.pgm\norigin: *a\nresolution: 1\nmode: raw\n"
            .to_vec(),
    ]
}

pub(crate) fn table_file() -> Vec<Vec<u8>> {
    vec![written("t.table", |path| {
        write_table(path, &table()).unwrap();
    })]
}

/// What was learned from six worlds, and from two, which are too few for hidden causes.
pub(crate) fn belief() -> Vec<Vec<u8>> {
    let roadmap = roadmap(Direction::Undirected);
    let models = ModelCache::default();
    let mut beliefs = [&[0, 1, 2, 3, 4, 5][..], &[0, 3]]
        .map(|worlds| {
            let known = Experience::of(table(), worlds.iter().copied().map(WorldId));
            written("b.belief", |path| {
                learned::learn(path, &roadmap, &known, &models).unwrap();
            })
        })
        .to_vec();
    let area = MapArea {
        bounds: [[0.0, 1.0]; 2],
        cell: 0.01,
    };
    let maps = MapSetting {
        roadmap,
        area,
        is_area_given: false,
        robot_radius: 0.1,
        resolution: 0.01,
    };
    beliefs.push(written("m.belief", |path| {
        learned::learn_maps(path, maps, &Experience::from(table()), &models).unwrap();
    }));
    beliefs
}

/// What two runs have left: one with experience and things, one with nothing but a roadmap.
pub(crate) fn kept() -> Vec<Vec<u8>> {
    let roadmap = roadmap(Direction::Undirected);
    let Some(space) = roadmap.space().cloned() else {
        unreachable!("it has configurations");
    };
    [true, false]
        .map(|is_full| {
            written("r.kept", |path| {
                let mut world = WorldRecord::whole(b"robot", b"world");
                let mut options = SessionOptions {
                    roadmap: Some(roadmap.clone()),
                    ..SessionOptions::default()
                };
                let mut known = EdgeMemory::default();
                if is_full {
                    options.experience = Some(Experience::from(table()));
                    world.things.push(Thing {
                        hash: 3,
                        boxes: vec![[[0.0; 3], [1.0; 3]]; 2],
                    });
                    known.remember(EdgeId(0), false);
                    known.remember(EdgeId(1), true);
                    known.remember_proved(EdgeId(2));
                }
                let mut keeping = Keeping::open(path, &space, world).unwrap();
                keeping.begin(&mut options, EdgeMemory::default());
                keeping.keep(Some((&roadmap, known))).unwrap();
            })
        })
        .into()
}

/// Outcomes of runs on the roadmap of [`belief`].
pub(crate) fn outcomes() -> Vec<Vec<u8>> {
    let Fingerprint {
        vertices,
        edges,
        hash,
    } = Fingerprint::of(&roadmap(Direction::Undirected));
    let roadmap = format!(r#"{{"vertices":{vertices},"edges":{edges},"hash":"{hash:016x}"}}"#);
    let checks =
        r#"{"edge":1,"free":true,"configurations":7},{"edge":5,"free":false,"configurations":1}"#;
    [checks, ""]
        .map(|checks| {
            format!(r#"{{"version":1,"roadmap":{roadmap},"checks":[{checks}]}}"#).into_bytes()
        })
        .into()
}

/// Two rows of results, one with nothing missing and one with all that may be.
fn some_rows() -> Vec<Row> {
    let full = Row {
        dataset: "maze".to_owned(),
        planner: "psmp:fs".to_owned(),
        experience: "seen".to_owned(),
        world: 3,
        seed: 7,
        unit: "configurations".to_owned(),
        shortest_on_roadmap: Some(1.25),
        limit: Some(10),
        cost_to_first: Some(5),
        first_length: Some(1.5),
        cost_to_shortest: Some(9),
        best_length: Some(1.25),
        lower_bound_on_roadmap: Some(1.25),
        ending: "optimal".to_owned(),
        regret: Some(0.125),
        curve: "5:1:1.5 9:2:1.25".to_owned(),
        curve_seconds: "0.01 0.02".to_owned(),
        events: "00ff".to_owned(),
        made_worlds: Some(5),
        made_test: Some(1),
        made_seed: Some(1),
        resolution: Some(0.001),
        eta: 1000.0,
        fallback: "20".to_owned(),
        budget: Some(100),
        version: "0.1.0".to_owned(),
        ..Row::default()
    };
    let bare = Row {
        folder: Some("a \"folder\", quoted\nover lines".to_owned()),
        ..Row::default()
    };
    vec![full, bare]
}

pub(crate) fn rows_csv() -> Vec<Vec<u8>> {
    vec![written("rows.csv", |path| {
        rows::write(path, &some_rows()).unwrap();
    })]
}

/// The same as another format has them.
pub(crate) fn rows_json() -> Vec<Vec<u8>> {
    vec![written("rows.json", |path| {
        rows::write(path, &some_rows()).unwrap();
    })]
}

/// Rows as an experiment keeps them.
pub(crate) fn kept_rows() -> Vec<Vec<u8>> {
    let rows = written("rows.json", |path| {
        rows::write(path, &some_rows()).unwrap();
    });
    vec![piece(&rows)]
}

/// The family whose worlds are kept.
pub(crate) const FAMILY: &str = "one-wall";

/// Two worlds of a family as an experiment keeps them.
pub(crate) fn kept_worlds() -> Vec<Vec<u8>> {
    let set = Family::named(FAMILY)
        .unwrap()
        .generate(2, 1, 1, || {})
        .unwrap();
    let free = |world| set.table.free_edges_in(WorldId(world));
    let obstacles = serde_json::to_string(&set.worlds).unwrap();
    let content = format!(
        r#"{{"obstacles":{obstacles},"free":[{:?},{:?}]}}"#,
        free(0),
        free(1)
    );
    vec![piece(content.as_bytes())]
}

fn piece(content: &[u8]) -> Vec<u8> {
    let mut bytes = [b"\n", content].concat();
    seal_piece(&mut bytes);
    bytes
}

pub(crate) const ROBOT: &str = r#"<?xml version="1.0"?>
<robot name="r">
  <link name="base"><collision><geometry><box size="0.2 0.2 0.1"/></geometry></collision></link>
  <link name="upper">
    <visual/><inertial><mass value="1"/></inertial>
    <collision><origin xyz="0 0 0.2" rpy="0 0.1 0"/><geometry><cylinder radius="0.05" length="0.4"/></geometry></collision>
    <collision><geometry><mesh filename="part.obj" scale="0.01 0.01 0.02"/></geometry></collision>
  </link>
  <link name="fore"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="finger"/>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/>
    <axis xyz="0 1 0"/><limit lower="-1.5" upper="1.5" velocity="2" effort="1"/></joint>
  <joint name="elbow" type="continuous"><parent link="upper"/><child link="fore"/><origin xyz="0 0 0.5"/><axis xyz="1 0 0"/></joint>
  <joint name="grip" type="prismatic"><parent link="fore"/><child link="finger"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="0.04"/><mimic joint="shoulder" multiplier="0.01" offset="0.02"/></joint>
</robot>
"#;

pub(crate) fn urdf() -> Vec<Vec<u8>> {
    let small = r#"<robot name="s"><link name="a"><collision><geometry><sphere radius="0.1"/></geometry></collision></link><link name="b"/><joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>"#;
    vec![ROBOT.into(), small.into()]
}

pub(crate) fn srdf() -> Vec<Vec<u8>> {
    let text = r#"<?xml version="1.0"?>
<robot name="r">
  <group name="arm"><chain base_link="base" tip_link="fore"/></group>
  <group name="hand"><joint name="grip"/><link name="finger"/></group>
  <group name="all"><group name="arm"/><group name="hand"/></group>
  <group_state name="home" group="arm"><joint name="shoulder" value="0.5"/><joint name="elbow" value="-1"/></group_state>
  <end_effector name="e" parent_link="fore" group="hand"/>
  <virtual_joint name="v" type="fixed" parent_frame="world" child_link="base"/>
  <disable_collisions link1="base" link2="upper" reason="Adjacent"/>
  <disable_collisions link1="upper" link2="fore" reason="Adjacent"/>
</robot>
"#;
    vec![text.into()]
}

pub(crate) const OBJ: &str = "# a corner\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n\
    f 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";

pub(crate) fn obj() -> Vec<Vec<u8>> {
    let more = "mtllib none.mtl\no part\ng one\nusemtl steel\ns off\nv 0 0 0\nv 1e-1 0 0\n\
        v 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nf 1/1/1 2/1/1 3/1/1 4/1/1\n";
    vec![OBJ.into(), more.into()]
}

pub(crate) fn stl() -> Vec<Vec<u8>> {
    let text = "solid s\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\n\
        endloop\nendfacet\nfacet normal 0 0 1\nouter loop\nvertex 1 0 0\nvertex 1 1 0\nvertex 0 1 0\n\
        endloop\nendfacet\nendsolid s\n";
    let mut binary = vec![b' '; 80];
    binary.extend(2u32.to_le_bytes());
    for corner in [0.0f32, 1.0] {
        for value in [
            0.0, 0.0, 1.0, corner, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0, 0.0f32,
        ] {
            binary.extend(value.to_le_bytes());
        }
        binary.extend([0, 0]);
    }
    vec![text.into(), binary]
}

pub(crate) fn collada() -> Vec<Vec<u8>> {
    let text = r##"<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.001"/><up_axis>Z_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="12">0 0 0 1000 0 0 0 1000 0 0 0 900</float_array><technique_common>
<accessor source="#pa" count="4" stride="3"><param name="X" type="float"/><param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="2"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2 1 2 3</p></triangles>
<polylist count="1"><input semantic="VERTEX" source="#v" offset="0"/><vcount>4</vcount><p>0 1 2 3</p></polylist>
</mesh></geometry></library_geometries>
<library_nodes><node id="part"><translate>0 0 100</translate><instance_geometry url="#g"/></node></library_nodes>
<library_visual_scenes><visual_scene id="s"><node id="n"><matrix>1 0 0 0 0 1 0 0 0 0 1 0 0 0 0 1</matrix><rotate>0 0 1 90</rotate><scale>1 1 2</scale>
<instance_geometry url="#g"/><node id="m"><instance_node url="#part"/><instance_node url="#part"/></node></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"##;
    vec![text.into()]
}

pub(crate) fn pcd() -> Vec<Vec<u8>> {
    let header = |kind: &str| {
        format!(
            "# .PCD v0.7\nVERSION 0.7\nFIELDS x y z rgb\nSIZE 4 4 4 4\nTYPE F F F F\nCOUNT 1 1 1 1\n\
             WIDTH 2\nHEIGHT 1\nVIEWPOINT 0 0 0 1 0 0 0\nPOINTS 2\nDATA {kind}\n"
        )
        .into_bytes()
    };
    let floats = |values: [f32; 8]| values.map(f32::to_le_bytes).concat();
    let mut text = header("ascii");
    text.extend(b"0.5 1 2 4e-39\nnan nan nan 0\n");
    let mut binary = header("binary");
    binary.extend(floats([0.5, 1.0, 2.0, 0.0, 0.1, 0.2, 0.3, 0.0]));
    let mut packed = header("binary_compressed");
    // All x first, then all y. 32 literal bytes after a byte that says so, less one.
    packed.extend(33u32.to_le_bytes());
    packed.extend(32u32.to_le_bytes());
    packed.push(31);
    packed.extend(floats([0.5, 0.1, 1.0, 0.2, 2.0, 0.3, 0.0, 0.0]));
    vec![text, binary, packed]
}

pub(crate) fn ply() -> Vec<Vec<u8>> {
    let header = |format: &str| {
        format!(
            "ply\nformat {format} 1.0\ncomment two points\nelement vertex 2\nproperty float x\n\
             property float y\nproperty float z\nproperty uchar red\nelement face 1\n\
             property list uchar int vertex_indices\nend_header\n"
        )
        .into_bytes()
    };
    let mut text = header("ascii");
    text.extend(b"0.5 1 2 255\n0.1 0.2 0.3 0\n3 0 1 0\n");
    let mut binary = header("binary_little_endian");
    for point in [[0.5f32, 1.0, 2.0], [0.1, 0.2, 0.3]] {
        binary.extend(point.map(f32::to_le_bytes).concat());
        binary.push(7);
    }
    binary.push(3);
    binary.extend([0i32, 1, 0].map(i32::to_le_bytes).concat());
    vec![text, binary]
}

pub(crate) fn moveit_scene() -> Vec<Vec<u8>> {
    let text = r#"name: "(noname)"
robot_model_name: r
robot_state:
  joint_state:
    header: {seq: 0, stamp: {secs: 0, nsecs: 0}, frame_id: base}
    name: [shoulder, elbow]
    position: [0.25, -0.5]
  attached_collision_objects:
    - link_name: fore
      touch_links: [finger]
      object:
        id: held
        header: {frame_id: fore}
        primitives: [{type: 1, dimensions: [0.1, 0.1, 0.1]}]
        primitive_poses: [{position: [0, 0, 0.2], orientation: [0, 0, 0, 1]}]
allowed_collision_matrix:
  entry_names: [base, upper]
  entry_values: [[false, true], [true, false]]
  default_entry_names: [held]
  default_entry_values: [true]
world:
  collision_objects:
    - id: box
      header: {frame_id: base}
      pose: {position: {x: 0.5, y: 0, z: 0}, orientation: {x: 0, y: 0, z: 0, w: 1}}
      primitives:
        - {type: box, dimensions: [0.1, 0.2, 0.3]}
        - {type: cylinder, dimensions: [0.2, 0.05]}
        - {type: sphere, dimensions: [0.05]}
      primitive_poses:
        - {position: [0, 0, 0], orientation: [0, 0, 0, 1]}
        - {position: [0, 0.3, 0], orientation: [0, 0, 0, 1]}
        - {position: [0, -0.3, 0], orientation: [0, 0, 0, 1]}
    - id: mesh
      meshes:
        - vertices: [{x: 0, y: 0, z: 0}, {x: 0.1, y: 0, z: 0}, {x: 0, y: 0.1, z: 0}, {x: 0, y: 0, z: 0.1}]
          triangles: [{vertex_indices: [0, 1, 2]}, {vertex_indices: [0, 1, 3]}]
      mesh_poses: [{position: [1, 0, 0], orientation: [0, 0, 0, 1]}]
    - id: floor
      planes: [{coef: [0, 0, 1, 0.5]}]
      plane_poses: [{position: [0, 0, 0], orientation: [0, 0, 0, 1]}]
"#;
    let aliased = "world:\n  collision_objects:\n    - &o\n      id: a\n      primitives: [{type: box, dimensions: [1, 1, 1]}]\n      primitive_poses: [{position: [3, 0, 0], orientation: [0, 0, 0, 1]}]\n";
    vec![text.into(), aliased.into()]
}

pub(crate) fn toml_scene() -> Vec<Vec<u8>> {
    let text = r#"robot = "r"
[[object]]
name = "table"
box = [1.2, 2.0, 0.04]
position = [0.6, 0.9, 0.26]
rpy = [0, 0, 0.5]
[[object]]
name = "can"
cylinder = { radius = 0.03, height = 0.12 }
position = [0.5, 0.7, 0.36]
quaternion = [0, 0, 0, 1]
[[object]]
name = "floor"
half_space = true
position = [0, 0, -1]
[[object]]
name = "part"
mesh = "part.obj"
scale = [1, 1, 1]
[[object]]
name = "seen"
points = { file = "cloud.pcd", radius = 0.01 }
[[object]]
name = "ground"
heightfield = { size = [2, 2], heights = [[0, 0.1], [0, 0.2]] }
position = [0, 0, -1]
[[object]]
name = "cup"
capsule = { radius = 0.03, height = 0.1 }
attach = "fore"
touch = ["finger"]
[[allow]]
pair = ["table", "base"]
"#;
    vec![text.into()]
}

pub(crate) fn request() -> Vec<Vec<u8>> {
    let text = "group_name: arm\nnum_planning_attempts: 1\nallowed_planning_time: 5\nstart_state:\n  joint_state:\n    name: [shoulder, elbow, grip]\n    position: [0.1, 0.2, 0.02]\n\
        goal_constraints:\n  - joint_constraints:\n      - {joint_name: shoulder, position: 0.5, tolerance_above: 0.01, tolerance_below: 0.01, weight: 1}\n      - {joint_name: elbow, position: -0.5}\n";
    vec![text.into()]
}

/// A shard of the table in `targets.rs`: one word for each of its edges.
pub(crate) fn shard(edges: usize) -> Vec<Vec<u8>> {
    let mut bytes = vec![1; edges * 8 + 8];
    seal_shard(&mut bytes);
    vec![bytes]
}

/// A robot whose cover is its own sphere.
pub(crate) const ONE_SPHERE: &str = r#"<robot name="s"><link name="a"><collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>"#;

/// What is kept of a cover.
pub(crate) fn cover() -> Vec<Vec<u8>> {
    let robot = Robot::parse("s.urdf", ONE_SPHERE).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let _ = SphereModel::cached(&robot, 4, folder.path());
    let mut files = fs::read_dir(folder.path()).unwrap();
    vec![fs::read(files.next().unwrap().unwrap().path()).unwrap()]
}
