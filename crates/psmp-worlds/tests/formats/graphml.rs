use psmp::{Direction, Edge, Roadmap, Space, VertexId};
use psmp_files::Place;
use psmp_worlds::graphml;

fn read(text: &str) -> Result<Roadmap, psmp_files::FileError> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("roadmap.graphml");
    std::fs::write(&path, text).unwrap();
    graphml::read(&path)
}

/// A file as Boost writes it, with what else GraphML allows: strings as ids, a comment, an
/// attribute of no interest, CDATA, a character reference, and an edge without a length.
pub const BOOST: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns"
    xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
  <key id="key0" for="node" attr.name="state" attr.type="string" />
  <key id="key1" for="edge" attr.name="length" attr.type="double" />
  <key id="key2" for="all" attr.name="colour"><default>red</default></key>
  <!-- 3 nodes -->
  <graph id="G" edgedefault="undirected" parse.nodeids="free">
    <node id="start &amp; more">
      <data key="key0">0.0 4e0</data><data key="key2">blue &lt; green</data>
    </node>
    <node id="b"><data key="key0"><![CDATA[3 0]]></data></node>
    <edge source="b" target="start &amp; more"><data key="key1">7.5</data></edge>
    <node id="c"><data key="key0"> 3
      -&#49; </data></node>
    <edge id="e1" source="start &amp; more" target="b"/>
  </graph>
</graphml>
"#;

#[test]
fn what_boost_writes_is_read() {
    let roadmap = read(BOOST).unwrap();
    assert_eq!(roadmap.direction(), Direction::Undirected);
    let edges = [Edge::new(1, 0, 7.5), Edge::new(0, 1, 5.0)];
    assert!(roadmap.edges().eq(edges));
    assert_eq!(roadmap.configuration(VertexId(2)), Some(&[3.0, -1.0][..]));
    let space = roadmap.space().unwrap();
    assert_eq!(
        (space.axes()[1].lower(), space.axes()[1].upper()),
        (-1.0, 4.0)
    );
}

#[test]
fn faults_name_the_line() {
    let broken = |from: &str, to: &str| {
        assert!(BOOST.contains(from));
        let error = read(&BOOST.replacen(from, to, 1)).unwrap_err();
        match error.place() {
            Place::Line(line) => (*line, error.to_string()),
            _ => panic!("{error} has no line"),
        }
    };
    for (from, to, line, problem) in [
        ("4e0", "nan", 10, "not a list of numbers"),
        // One number is a state, too: the next node is the one that differs.
        ("4e0", "", 12, "a state of 2 numbers, not 1"),
        ("7.5", "-1", 13, "not a length"),
        ("target=\"b\"", "target=\"z\"", 16, "no node `z`"),
        ("id=\"c\"", "id=\"b\"", 14, "two nodes"),
        ("key=\"key1\"", "key=\"key9\"", 13, "unknown key"),
        ("undirected", "both", 8, "edgedefault"),
        ("edge id=\"e1\"", "edge directed=\"true\"", 16, "mixes"),
        ("<edge id", "<graph/><edge id", 16, "more than one graph"),
        ("  </graph>\n</graphml>", "", 16, "closed"),
        (
            "</node>\n    <edge id",
            "</nod>\n    <edge id",
            15,
            "not XML",
        ),
    ] {
        let (found, message) = broken(from, to);
        assert!(message.contains(problem), "{message}");
        assert_eq!(found, line, "{message}");
    }
    let (line, message) = broken("<data key=\"key0\"><![CDATA[3 0]]></data>", "");
    assert!(line == 16 && message.contains("no length"), "{message}");
    assert!(read("").is_err() && read("<graphml/>").is_err() && read("no XML").is_err());
}

#[test]
fn what_is_written_reads_the_same() {
    let edges = vec![
        Edge::new(0, 1, 0.1 + 0.2),
        Edge::new(2, 2, 0.0),
        Edge::new(1, 0, 1e-300),
    ];
    for direction in [Direction::Directed, Direction::Undirected] {
        let bare = Roadmap::from_edges(4, direction, edges.clone()).unwrap();
        let coordinates: Vec<f64> = (0..8).map(|i| f64::from(i) / 7.0).collect();
        let placed = bare
            .clone()
            .with_configurations(Space::unit(2), coordinates)
            .unwrap();
        for roadmap in [bare, placed] {
            let folder = tempfile::tempdir().unwrap();
            let path = folder.path().join("roadmap.graphml");
            graphml::write(&path, &roadmap).unwrap();
            let back = graphml::read(&path).unwrap();
            assert_eq!(back.direction(), direction);
            assert!(back.edges().eq(roadmap.edges()));
            assert_eq!(back.space(), roadmap.space());
            for v in roadmap.vertices() {
                assert_eq!(back.configuration(v), roadmap.configuration(v));
            }
        }
    }
}

#[test]
fn one_long_default_state_for_many_nodes_is_refused() {
    let graph = |numbers: usize, nodes: usize| {
        let nodes: String = (0..nodes).map(|n| format!("<node id=\"{n}\"/>")).collect();
        let state = "1 ".repeat(numbers);
        format!(
            "<graphml><key id=\"s\" for=\"node\" attr.name=\"state\"><default>{state}</default></key>\
             <graph edgedefault=\"directed\">{nodes}</graph></graphml>"
        )
    };
    assert_eq!(read(&graph(7, 1000)).unwrap().vertex_count(), 1000);
    // 20 kB that stand for a hundred times as much.
    let error = read(&graph(2000, 1000)).unwrap_err();
    assert!(error.to_string().contains("default state"), "{error}");
    assert!(error.remedy().is_some());
}
