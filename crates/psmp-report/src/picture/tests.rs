use super::*;
use psmp::{Axis, Connection, Direction, Edge, EdgeId, Space, roadmap};
use psmp_worlds::Frame;

/// A run on a generated roadmap among round obstacles, as if it had checked along the way.
struct Run {
    roadmap: Roadmap,
    grid: OccupancyGrid,
    query: Query,
    edges: Vec<EdgeMark>,
    path: Vec<VertexId>,
}

impl Run {
    fn new(vertices: usize, radius: f64) -> Self {
        let space = Space::unit(2);
        let coordinates = roadmap::halton(&space, vertices);
        let plain =
            Roadmap::from_configurations(space, coordinates, Connection::Radius(radius)).unwrap();
        let (roadmap, query) = plain
            .with_query(&[0.06, 0.08], &[0.94, 0.9], Connection::Radius(radius))
            .unwrap();
        let discs = [
            (0.33, 0.32, 0.16),
            (0.68, 0.55, 0.17),
            (0.2, 0.75, 0.12),
            (0.8, 0.15, 0.1),
        ];
        let grid = OccupancyGrid::from_fn(501, 501, Frame::unit(), |column, row| {
            let (x, y) = (f64::from(column) / 500.0, 1.0 - f64::from(row) / 500.0);
            discs.iter().all(|&(a, b, r)| (x - a).hypot(y - b) > r)
        })
        .unwrap();
        let clearance = |edge: EdgeId| {
            let edge = roadmap.edge(edge);
            let (Some(a), Some(b)) = (
                roadmap.configuration(edge.from),
                roadmap.configuration(edge.to),
            ) else {
                unreachable!("the roadmap has configurations");
            };
            let at = |t: f64| [a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])];
            let clear = |[x, y]: [f64; 2]| {
                let each = discs.iter().map(|&(a, b, r)| (x - a).hypot(y - b) - r);
                each.fold(f64::INFINITY, f64::min)
            };
            let least = (0..=20).map(|i| clear(at(f64::from(i) / 20.0)));
            (least.fold(f64::INFINITY, f64::min), at(0.5))
        };
        let edges = roadmap
            .edge_ids()
            .map(|id| {
                let (clear, [x, y]) = clearance(id);
                let checked = (x - y).abs() < 0.3 && id.0.is_multiple_of(9);
                match (checked, clear > 0.0) {
                    (true, true) => EdgeMark::Free,
                    (true, false) => EdgeMark::Blocked,
                    _ => EdgeMark::Unknown {
                        p_free: 1.0 / (1.0 + (-30.0 * clear).exp()),
                    },
                }
            })
            .collect();
        let path = shortest_path(&roadmap, query, |id| clearance(id).0 > 0.0);
        Self {
            roadmap,
            grid,
            query,
            edges,
            path,
        }
    }

    fn picture<'a>(&'a self, curve: &'a [(u64, f64)]) -> RunPicture<'a> {
        RunPicture {
            title: "A run among discs",
            subtitle: "A generated roadmap among four discs, every ninth edge near the diagonal checked",
            roadmap: &self.roadmap,
            query: self.query,
            obstacles: Some(&self.grid),
            grown_obstacles: None,
            edges: &self.edges,
            path: Some(&self.path),
            curve,
            shortest: Some(1.283),
            given: None,
            tried: &[],
        }
    }
}

/// A shortest path over free edges, by mending costs until none can be mended.
fn shortest_path(roadmap: &Roadmap, query: Query, free: impl Fn(EdgeId) -> bool) -> Vec<VertexId> {
    let mut cost = vec![f64::INFINITY; roadmap.vertex_count()];
    let mut before = vec![None; roadmap.vertex_count()];
    let mut open = std::collections::VecDeque::from([query.start]);
    cost[query.start.index()] = 0.0;
    while let Some(vertex) = open.pop_front() {
        for arc in roadmap.outgoing(vertex) {
            let through = cost[vertex.index()] + arc.length;
            if through < cost[arc.target.index()] && free(arc.edge) {
                cost[arc.target.index()] = through;
                before[arc.target.index()] = Some(vertex);
                open.push_back(arc.target);
            }
        }
    }
    let mut path = vec![query.goal];
    while let Some(vertex) = path.last().and_then(|v| before[v.index()]) {
        path.push(vertex);
    }
    path.reverse();
    path
}

const CURVE: [(u64, f64); 6] = [
    (412, 1.642),
    (760, 1.501),
    (1490, 1.387),
    (2210, 1.352),
    (5120, 1.297),
    (6800, 1.297),
];

fn pixels(png: &[u8]) -> resvg::tiny_skia::Pixmap {
    resvg::tiny_skia::Pixmap::decode_png(png).unwrap()
}

fn drawn(picture: &RunPicture<'_>) -> resvg::tiny_skia::Pixmap {
    pixels(&crate::drawing::render(&picture.svg()).unwrap())
}

/// Whether a pixel of a colour is there.
fn shows(pixmap: &resvg::tiny_skia::Pixmap, [r, g, b]: [u8; 3]) -> bool {
    let mut pixels = pixmap.pixels().iter();
    pixels.any(|p| (p.red(), p.green(), p.blue()) == (r, g, b))
}

#[test]
fn a_run_is_drawn_in_both_formats() {
    let run = Run::new(300, 0.14);
    let picture = run.picture(&CURVE);
    // Set to a folder to look at the pictures.
    let scratch = tempfile::tempdir().unwrap();
    let folder = std::env::var_os("PSMP_PICTURES")
        .map_or_else(|| scratch.path().to_owned(), std::path::PathBuf::from);
    picture.write(folder.join("run.svg")).unwrap();
    picture.write(folder.join("run.PNG")).unwrap();
    let pixmap = pixels(&std::fs::read(folder.join("run.PNG")).unwrap());
    // The path, free and blocked edges and obstacles are all to be seen.
    for colour in [
        [0, 0x72, 0xB2],
        [0, 0x9E, 0x73],
        [0xD5, 0x5E, 0],
        [0x4A, 0x52, 0x5C],
    ] {
        assert!(shows(&pixmap, colour), "{colour:?}");
    }
    let svg = std::fs::read_to_string(folder.join("run.svg")).unwrap();
    for words in [
        "configurations checked",
        "best 1.297",
        "shortest 1.283",
        "start",
        "goal",
    ] {
        assert!(svg.contains(words), "{words}");
    }
    let error = picture.write(folder.join("run.pdf")).unwrap_err();
    assert!(error.remedy().is_some() && error.to_string().contains("SVG or PNG"));
}

/// Text is drawn with the font built in: the title leaves dark pixels at the top left.
#[test]
fn text_needs_no_fonts_of_the_machine() {
    let roadmap =
        Roadmap::from_edges(2, Direction::Undirected, vec![Edge::new(0, 1, 1.0)]).unwrap();
    let mut picture = RunPicture {
        title: "Text",
        subtitle: "",
        roadmap: &roadmap,
        query: Query {
            start: VertexId(0),
            goal: VertexId(1),
        },
        obstacles: None,
        grown_obstacles: None,
        edges: &[],
        path: None,
        curve: &[],
        shortest: None,
        given: None,
        tried: &[],
    };
    assert!(shows(&drawn(&picture), [0x11, 0x11, 0x11]));
    picture.title = "";
    assert!(!shows(&drawn(&picture), [0x11, 0x11, 0x11]));
}

#[test]
fn a_roadmap_without_configurations_has_only_its_curve() {
    let roadmap =
        Roadmap::from_edges(2, Direction::Undirected, vec![Edge::new(0, 1, 1.0)]).unwrap();
    let run = Run::new(50, 0.3);
    let picture = RunPicture {
        roadmap: &roadmap,
        // Ids that are not there are not drawn.
        path: Some(&[VertexId(0), VertexId(99)]),
        ..run.picture(&CURVE)
    };
    let svg = picture.svg();
    assert!(!svg.contains(">best path<") && svg.contains("configurations checked"));
    assert!(crate::drawing::render(&picture.svg()).is_ok());
}

#[test]
fn odd_input_is_drawn_as_well_as_can_be() {
    let run = Run::new(50, 0.3);
    let odd = [EdgeMark::Unknown { p_free: f64::NAN }];
    let round = Space::new(vec![Axis::angle(), Axis::angle()]).unwrap();
    let wrapped = Roadmap::from_edges(2, Direction::Undirected, vec![Edge::new(0, 1, 0.3)])
        .unwrap()
        .with_configurations(round, vec![3.0, 0.0, -3.0, 0.2])
        .unwrap();
    let pictures = [
        run.picture(&[]),
        run.picture(&[(0, 0.0)]),
        run.picture(&[(u64::MAX, f64::MAX), (1, f64::MIN)]),
        run.picture(&[(10, f64::INFINITY), (20, 2.0)]),
        RunPicture {
            title: "a < b & \u{1}\"c\"",
            subtitle: &"long ".repeat(200),
            edges: &odd,
            path: Some(&[]),
            shortest: Some(f64::NAN),
            ..run.picture(&[(5, 1.0), (5, 1.0)])
        },
        RunPicture {
            roadmap: &wrapped,
            query: Query {
                start: VertexId(0),
                goal: VertexId(7),
            },
            ..run.picture(&[])
        },
    ];
    for picture in pictures {
        assert!(crate::drawing::render(&picture.svg()).is_ok());
    }
}

/// The last hundred vertices are new, and ways were tried beside them.
#[test]
fn what_has_grown_and_what_was_tried_is_told_apart() {
    let run = Run::new(300, 0.14);
    let old = |v: VertexId| v.index() < 200;
    let edges = run.roadmap.edges().zip(run.edges.iter().copied());
    let (given, new): (Vec<_>, Vec<_>) = edges.partition(|(e, _)| old(e.from) && old(e.to));
    let (ordered, marks): (Vec<Edge>, Vec<EdgeMark>) = given.iter().chain(&new).copied().unzip();
    let coordinates = run.roadmap.configurations().unwrap().to_vec();
    let roadmap = Roadmap::from_edges(run.roadmap.vertex_count(), Direction::Undirected, ordered);
    let roadmap = roadmap
        .unwrap()
        .with_configurations(Space::unit(2), coordinates);
    let roadmap = roadmap.unwrap();
    let tried = |x: f64, free| TriedWay {
        places: vec![[x, x - 0.05], [x + 0.1, x + 0.2], [x + 0.3, x + 0.25]],
        free,
    };
    let tried: Vec<TriedWay> = (0..12)
        .map(|i| tried(0.05 * f64::from(i), i % 3 == 0))
        .collect();
    let grown = RunPicture {
        roadmap: &roadmap,
        edges: &marks,
        given: Some(Given {
            vertices: 200,
            edges: given.len(),
        }),
        tried: &tried,
        ..run.picture(&CURVE)
    };
    let (plain, picture) = (drawn(&run.picture(&CURVE)), drawn(&grown));
    for colour in [[0x88, 0x55, 0xBB], [0x56, 0xB4, 0xE9]] {
        assert!(
            shows(&picture, colour) && !shows(&plain, colour),
            "{colour:?}"
        );
    }
    let svg = grown.svg();
    let new_edges = roadmap.edge_count() - given.len();
    for words in [
        format!(
            "grown: 102 vertices, {},{:03} edges",
            new_edges / 1000,
            new_edges % 1000
        ),
        "roadmap, free (4 drawn)".to_owned(),
        "roadmap, in collision (8 drawn)".to_owned(),
    ] {
        assert!(svg.contains(&words), "{words}");
    }
    if let Some(folder) = std::env::var_os("PSMP_PICTURES") {
        grown.write(Path::new(&folder).join("grown.png")).unwrap();
    }
}

/// How many pixels have a colour.
fn count(pixmap: &resvg::tiny_skia::Pixmap, [r, g, b]: [u8; 3]) -> usize {
    let pixels = pixmap.pixels().iter();
    pixels
        .filter(|p| (p.red(), p.green(), p.blue()) == (r, g, b))
        .count()
}

/// Obstacles lie over what nobody has checked, however much that is, and so does the margin.
#[test]
fn the_map_is_not_hidden_by_the_roadmap() {
    let (obstacle, margin) = ([0x4A, 0x52, 0x5C], [0xC3, 0xC9, 0xD1]);
    let unknown = EdgeMark::Unknown { p_free: 0.3 };
    let empty = Run::new(3, 0.01);
    let discs = count(&drawn(&empty.picture(&[])), obstacle);
    for vertices in [100, 400, 2500] {
        let run = Run::new(vertices, 0.1);
        let edges = vec![unknown; run.roadmap.edge_count()];
        let picture = RunPicture {
            edges: &edges,
            path: None,
            ..run.picture(&[])
        };
        let seen = count(&drawn(&picture), obstacle);
        assert!(seen.abs_diff(discs) < discs / 50, "{seen} of {discs}");
        // Beyond a number they are left out, and that is said.
        let left_out = picture.svg().contains("not checked, not drawn");
        assert_eq!(left_out, edges.len() > 8000, "{}", edges.len());
        let grown = OccupancyGrid::from_fn(501, 501, Frame::unit(), |column, row| {
            let near = |c: i64, r: i64| {
                let at = |v: i64| v.clamp(0, 500) as u32;
                run.grid.is_cell_free(at(c), at(r))
            };
            let (c, r) = (i64::from(column), i64::from(row));
            near(c - 10, r) && near(c + 10, r) && near(c, r - 10) && near(c, r + 10)
        })
        .unwrap();
        let inflated = RunPicture {
            grown_obstacles: Some(&grown),
            ..picture
        };
        let inflated = drawn(&inflated);
        assert_eq!(count(&inflated, obstacle), seen);
        assert!(count(&inflated, margin) > 5000);
    }
}

#[test]
fn one_path_is_told_in_words_and_not_as_a_chart() {
    let run = Run::new(50, 0.3);
    let told = |curve: &[(u64, f64)], shortest: f64| {
        let shortest = Some(shortest);
        RunPicture {
            shortest,
            ..run.picture(curve)
        }
        .svg()
    };
    let svg = told(&[(1234, 1.5), (5000, 1.5)], 1.25);
    assert!(svg.contains("One path was found, of length 1.500.") && svg.contains("1,234"));
    assert!(svg.contains("The shortest on this roadmap has 1.250."));
    assert!(!svg.contains("configurations checked"));
    assert!(told(&[(12, 1.5)], 1.5).contains("No path on this roadmap is shorter."));
    assert!(told(&[(12, 1.5), (40, 1.4)], 1.2).contains("configurations checked"));
}

/// A broad map is as wide as the sheet, and what belongs to it stands below.
#[test]
fn a_broad_map_has_the_sheet_to_itself() {
    let space = Space::new(vec![
        Axis::new(0.0, 2.0).unwrap(),
        Axis::new(0.0, 1.0).unwrap(),
    ])
    .unwrap();
    let ends = Roadmap::from_edges(2, Direction::Undirected, vec![Edge::new(0, 1, 2.0)]).unwrap();
    let roadmap = ends
        .with_configurations(space, vec![0.1, 0.1, 1.9, 0.9])
        .unwrap();
    let run = Run::new(50, 0.3);
    let [start, goal] = [0, 1].map(VertexId);
    let broad = RunPicture {
        roadmap: &roadmap,
        query: Query { start, goal },
        obstacles: None,
        edges: &[],
        path: None,
        ..run.picture(&CURVE)
    };
    let [width, height] = {
        let picture = drawn(&broad);
        [picture.width(), picture.height()]
    };
    assert!((2300..2600).contains(&width) && (1700..2400).contains(&height));
    let square = drawn(&run.picture(&CURVE));
    assert!(square.height() < 1700);
}

#[test]
fn ten_thousand_edges_are_no_trouble() {
    let run = Run::new(1200, 0.07);
    assert!(run.roadmap.edge_count() > 8000);
    let picture = run.picture(&CURVE);
    assert!(picture.svg().len() < 2_000_000);
    assert!(crate::drawing::render(&picture.svg()).is_ok());
    if let Some(folder) = std::env::var_os("PSMP_PICTURES") {
        picture.write(Path::new(&folder).join("dense.png")).unwrap();
    }
}
