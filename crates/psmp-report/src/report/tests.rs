use super::figures::{Figure, figures};
use super::style::Styles;
use super::*;
use crate::drawing::render;
use psmp::{Connection, Direction, Edge, EdgeId, Query, Roadmap, Space, VertexId, roadmap};
use psmp_arm::{Arm, Heightfield, Mesh, Object, Placed, PointCloud, Pose, Shape, models};
use psmp_lab::Summary;
use psmp_worlds::OccupancyGrid;

fn grid() -> OccupancyGrid {
    let free = |column: u32, row: u32| !(20..30).contains(&column) || row > 30;
    OccupancyGrid::from_fn(51, 51, psmp_worlds::Frame::unit(), free).unwrap()
}

fn series(planner: &str, experience: &str, last: f64) -> Series {
    let point = |i: u32| {
        let mean = 3.0 + (last - 3.0) * f64::from(i) / 10.0;
        Point {
            x: f64::from(i) * 100.0,
            mean,
            low: mean - 0.1,
            high: mean + 0.1,
        }
    };
    Series {
        planner: planner.to_owned(),
        experience: experience.to_owned(),
        points: (0..=10).map(point).collect(),
    }
}

fn film(planner: &str) -> Film {
    let space = Space::unit(2);
    let points = roadmap::halton(&space, 40);
    let roadmap = Roadmap::from_configurations(space, points, Connection::Radius(0.4)).unwrap();
    let query = Query {
        start: VertexId(0),
        goal: VertexId(1),
    };
    let path = roadmap.shortest_path(query, |_| true).unwrap();
    let vertices = path.vertices().to_vec();
    let frame = |kind, configurations, belief| Frame {
        kind,
        configurations,
        best_length: (configurations > 200).then_some(path.length()),
        lower_bound: path.length(),
        belief,
        grown: Grown::default(),
        checked: Vec::new(),
        skipped: 0,
    };
    let all = roadmap.edge_ids().map(|e| (e, (e.0 % 256) as u8)).collect();
    let proposed = FrameKind::Proposed {
        path: path.edges().to_vec(),
        sampled_blocked: Some(vec![EdgeId(3), EdgeId(1)]),
    };
    let checked = |edge, free| FrameKind::Checked {
        edge: EdgeId(edge),
        free,
    };
    let frames = vec![
        frame(proposed, 0, all),
        frame(checked(0, true), 120, vec![(EdgeId(5), 0)]),
        frame(checked(2, false), 130, Vec::new()),
        frame(FrameKind::NoImprovement, 130, Vec::new()),
        frame(FrameKind::NoImprovement, 130, Vec::new()),
        frame(FrameKind::Improved { path: vertices }, 300, Vec::new()),
        frame(FrameKind::Ended("shortest-on-roadmap"), 300, Vec::new()),
    ];
    Film {
        planner: planner.to_owned(),
        experience: "seen".to_owned(),
        world: 7,
        seed: 1,
        image: Some(grid()),
        grown_image: None,
        shortest: Some(path.length()),
        roadmap,
        query,
        grows: false,
        frames,
    }
}

fn summary(planner: &str) -> Summary {
    Summary {
        dataset: "walls".to_owned(),
        planner: planner.to_owned(),
        experience: "seen".to_owned(),
        unit: "configurations".to_owned(),
        runs: 10,
        no_path_on_roadmap: (2, 2),
        to_first: Some(1234.0),
        to_shortest: None,
        first_over_shortest: Some(1.05),
        solved: 1.0,
        reached_shortest: 0.5,
        regret: Some(0.125),
        regret_interval: Some((0.1, 0.15)),
        milliseconds: 3.25,
    }
}

fn walls() -> Family {
    let growth = |t: u32| {
        let (x, mean) = (f64::from(t), f64::from(t).powf(0.4));
        Point {
            x,
            mean,
            low: 0.9 * mean,
            high: 1.1 * mean,
        }
    };
    Family {
        name: "walls".to_owned(),
        about: "Walls & gaps.".to_owned(),
        unit: "configurations".to_owned(),
        examples: vec![grid(); 3],
        anytime: vec![
            series("psmp:fs", "seen", 1.0),
            series("psmp:fs", "unseen", 1.3),
            series("lazysp", "none", 1.0),
        ],
        solved: vec![
            series("psmp:fs", "seen", 1.0),
            series("lazysp", "none", 0.9),
        ],
        limit: 250.0,
        summaries: vec![summary("psmp:fs"), summary("lazysp")],
        growth: Some(RegretGrowth {
            points: (1..=60).map(growth).collect(),
            exponent: 0.4,
            interval: (0.35, 0.45),
        }),
        films: ["psmp:fs", "pomp:fs", "lazysp"].map(film).into(),
        stage: None,
        logarithmic: false,
    }
}

/// A family of which nothing is known but its name.
fn bare() -> Family {
    Family {
        name: "bare".to_owned(),
        about: String::new(),
        unit: "edges".to_owned(),
        examples: Vec::new(),
        anytime: Vec::new(),
        solved: Vec::new(),
        limit: 0.0,
        summaries: Vec::new(),
        growth: None,
        films: Vec::new(),
        stage: None,
        logarithmic: false,
    }
}

fn report(families: Vec<Family>) -> Report {
    Report {
        families,
        claims: Vec::new(),
        settings: Vec::new(),
    }
}

fn drawn(family: Family) -> Vec<Figure> {
    let report = report(vec![family]);
    figures(&report.families[0], &Styles::of(&report))
}

fn page(report: &Report) -> String {
    let folder = tempfile::tempdir().unwrap();
    write(report, folder.path()).unwrap();
    std::fs::read_to_string(folder.path().join("index.html")).unwrap()
}

/// What the page tells its player.
fn told(page: &str) -> serde_json::Value {
    let after = page.split_once("id=\"films\">").unwrap().1;
    serde_json::from_str(after.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn every_figure_is_well_formed_and_its_axes_are_labelled() {
    let figures = drawn(walls());
    let panels: Vec<_> = figures.iter().flat_map(|f| &f.panels).collect();
    let names: Vec<&str> = panels.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(
        names,
        [
            "walls-worlds",
            "walls-anytime-seen",
            "walls-anytime-unseen",
            "walls-solved-seen",
            "walls-film",
            "walls-growth"
        ]
    );
    for panel in &panels {
        assert!(render(&panel.svg).is_ok(), "{}", panel.name);
        assert!(!panel.svg.contains("NaN") && !panel.alt.is_empty());
    }
    for (panel, words) in [
        (
            1,
            ["best length / roadmap's shortest", "configurations checked"],
        ),
        (3, ["runs with a path (%)", "configurations checked"]),
        (5, ["cumulative regret", "proposals"]),
        (1, ["psmp:fs", "lazysp"]),
        (4, ["300", "no path yet"]),
        (5, ["fitted: 0.40", "theorem: 0.5"]),
    ] {
        for word in words {
            assert!(panels[panel].svg.contains(word), "{word} in {panel}");
        }
    }
}

#[test]
fn a_report_is_a_page_and_its_figures() {
    let folder = tempfile::tempdir().unwrap();
    let mut all = report(vec![walls(), bare()]);
    all.settings = vec![("seed".to_owned(), "7".to_owned())];
    write(&all, folder.path()).unwrap();
    let files = std::fs::read_dir(folder.path().join("figures")).unwrap();
    assert_eq!(files.count(), 12);
    let page = std::fs::read_to_string(folder.path().join("index.html")).unwrap();
    for words in [
        "id=\"family-walls\"",
        "id=\"family-bare\"",
        "1,234",
        "0.125",
        "<dd>7</dd>",
    ] {
        assert!(page.contains(words), "{words}");
    }
    assert!(!page.contains("{{"));
    // Nothing is fetched: the only addresses are the names of XML vocabularies.
    for address in page.split("http").skip(1) {
        assert!(address.starts_with("://www.w3.org/2000/svg"));
    }
    let films = &told(&page)[0];
    assert_eq!(films["films"].as_array().unwrap().len(), 3);
    assert_eq!(films["worlds"].as_array().unwrap().len(), 1);
    // Two draws without improvement in a row have become one frame.
    let frames = films["films"][0]["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 6);
    assert_eq!(frames[3]["x"], 2);
}

/// The motions as the page tells them.
fn told_motions(page: &str) -> serde_json::Value {
    let after = page.split("id=\"motions\">").nth(1).unwrap();
    serde_json::from_str(after.split("</script>").next().unwrap()).unwrap()
}

fn stage() -> Stage {
    let (robot, semantics) = models::panda_like();
    let arm = Arm::new(robot, &semantics, "arm").unwrap();
    let mut poses = arm.kinematics().poses(1);
    let frames = (0..5).map(|i| {
        let q = [0.1 * f64::from(i), 0.2, 0.0, -1.5, 0.0, 1.5, 0.0];
        arm.kinematics().compute(&q, &mut poses);
        poses.of(0).to_vec()
    });
    let placed = |shape| Placed {
        shape,
        pose: Pose::from_xyz_rpy([0.5, 0.0, -0.3], [0.0, 0.0, 0.4]),
    };
    let corners = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let mesh = Mesh::new(corners, vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]).unwrap();
    let mesh = std::sync::Arc::new(mesh);
    let cloud = PointCloud::new(vec![[0.0; 3], [0.1; 3]], 0.01).unwrap();
    let field = Heightfield::new(2, [1.0, 1.0], vec![0.0, 0.1, 0.0, 0.1]).unwrap();
    let shapes = vec![
        Shape::cuboid([0.2, 0.4, 0.6]).unwrap(),
        Shape::cylinder(0.1, 0.3).unwrap(),
        Shape::Mesh(mesh.clone()),
        Shape::Mesh(mesh),
        Shape::Points(cloud.into()),
        Shape::Heightfield(field.into()),
        Shape::HalfSpace,
    ];
    let thing = Object {
        name: "thing".to_owned(),
        shapes: shapes.into_iter().map(placed).collect(),
    };
    Stage {
        links: arm
            .robot()
            .links()
            .iter()
            .map(|l| l.collision.clone())
            .collect(),
        // Nobody moves in the second world.
        worlds: vec![(81, vec![thing]), (82, Vec::new())],
        motions: vec![Motion {
            planner: "</script>".to_owned(),
            experience: "seen".to_owned(),
            world: 81,
            cost: 120,
            length: f64::NAN,
            shortest: Some(1.5),
            frames: frames.collect(),
            bends: vec![0.0, 1.0],
            seconds: None,
        }],
        still: "<svg xmlns=\"http://www.w3.org/2000/svg\"></svg>".to_owned(),
    }
}

#[test]
fn an_arm_is_told_by_its_shapes_and_poses() {
    let mut family = walls();
    family.stage = Some(stage());
    family.logarithmic = true;
    let page = page(&report(vec![family, bare()]));
    let told = told_motions(&page);
    assert_eq!(told.as_array().unwrap().len(), 1);
    let arm = &told[0];
    assert_eq!(arm["links"].as_array().unwrap().len(), 9);
    assert_eq!(arm["worlds"].as_array().unwrap().len(), 1);
    // Two balls for the points, one mesh for the two that are the same, nothing for a half-space.
    let shapes = arm["worlds"][0]["objects"][0].as_array().unwrap();
    let kinds: Vec<&str> = shapes.iter().map(|s| s[0].as_str().unwrap()).collect();
    let expected = ["box", "cylinder", "mesh", "mesh", "ball", "ball", "mesh"];
    assert_eq!(kinds, expected);
    assert_eq!(arm["meshes"].as_array().unwrap().len(), 2);
    let frames = arm["motions"][0]["frames"].as_array().unwrap();
    assert_eq!(frames.len(), 5);
    assert_eq!(frames[0].as_array().unwrap().len(), 9 * 7);
    // The lowest thing is ground.
    assert!(arm["ground"].as_f64().unwrap() < -0.5);
    assert!(page.contains("id=\"panel-walls-motion\""));
    // Without an arm there is nothing to see of one.
    let without = self::page(&report(vec![walls()]));
    assert_eq!(told_motions(&without), serde_json::json!([]));
    assert!(without.contains("aria-label=\"Motion of an arm\" hidden"));
}

fn claim(text: &str, verdict: Verdict) -> Claim {
    Claim {
        claim: text.to_owned(),
        measured: text.to_owned(),
        verdict,
    }
}

/// A report in which everything is called the same but its family, after which files are named.
fn all_called(name: &str) -> Report {
    let mut family = walls();
    family.about = name.to_owned();
    family.unit = name.to_owned();
    family.anytime[0].planner = name.to_owned();
    family.films[0].planner = name.to_owned();
    for summary in &mut family.summaries {
        (summary.planner, summary.experience) = (name.to_owned(), name.to_owned());
    }
    Report {
        families: vec![family],
        claims: vec![claim(name, Verdict::DoesNotHold)],
        settings: vec![(name.to_owned(), name.to_owned())],
    }
}

#[test]
fn names_and_texts_are_escaped() {
    let nasty = "</script><b>\"a\" & 'b' {{films}}";
    let page = page(&all_called(nasty));
    assert!(!page.contains("<b>"));
    assert_eq!(page.matches("</script>").count(), 3);
    assert!(page.contains("does not hold"));
    assert_eq!(told(&page)[0]["films"][0]["planner"], nasty);
}

#[test]
fn names_and_texts_stay_text_in_markdown() {
    let nasty = "<img src=x onerror=alert(1)> | [a](javascript:b) &\n# c";
    let mut nasty_report = all_called(nasty);
    nasty_report.families[0].name = nasty.to_owned();
    let nasty_page = markdown::summary(&nasty_report);
    for mark in ["<", "[", "\n# c", "& "] {
        assert!(!nasty_page.contains(mark), "{mark} in {nasty_page}");
    }
    // Every table has as many cells in a line as it has without.
    let cells = |page: &str| -> Vec<usize> {
        let lines = page.lines().filter(|line| line.starts_with('|'));
        lines.map(|line| line.matches('|').count()).collect()
    };
    let plain_page = markdown::summary(&all_called("a"));
    assert_eq!(cells(&nasty_page), cells(&plain_page));
}

#[test]
fn odd_data_breaks_nothing() {
    let nothing = page(&report(Vec::new()));
    assert_eq!(told(&nothing), serde_json::json!([]));
    assert!(drawn(bare()).is_empty());

    let mut odd = walls();
    let nan = Point {
        x: f64::NAN,
        mean: f64::INFINITY,
        low: f64::NAN,
        high: f64::NAN,
    };
    odd.limit = f64::NAN;
    odd.anytime[0].points = Vec::new();
    odd.anytime[1].points.insert(3, nan);
    odd.anytime[2].points[2].high = f64::NAN;
    odd.solved = vec![Series {
        points: vec![Point {
            x: 0.0,
            mean: 0.0,
            low: 0.0,
            high: 0.0,
        }],
        ..series("x", "none", 1.0)
    }];
    if let Some(growth) = &mut odd.growth {
        growth.points.push(nan);
        growth.points[0].mean = 0.0;
    }
    odd.summaries[0].regret = None;
    odd.summaries[1].milliseconds = f64::NAN;
    odd.films[0].frames = Vec::new();
    odd.films[1].shortest = Some(f64::INFINITY);
    // A roadmap that lies nowhere.
    odd.films[2].roadmap =
        Roadmap::from_edges(2, Direction::Undirected, vec![Edge::new(0, 1, 0.3)]).unwrap();
    let mut imageless = walls();
    imageless.examples = Vec::new();
    imageless.films.truncate(1);
    imageless.growth = Some(RegretGrowth {
        points: Vec::new(),
        exponent: f64::NAN,
        interval: (0.0, 0.0),
    });
    let mut filmless = walls();
    filmless.films = Vec::new();
    for family in [odd, imageless, filmless] {
        let page = page(&report(vec![family]));
        assert!(!page.contains("NaN") && !page.contains("inf,"));
        told(&page);
    }
}
