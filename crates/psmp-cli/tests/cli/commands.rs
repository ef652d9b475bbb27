use crate::place::Place;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use psmp_worlds::{Dataset, Frame, OccupancyGrid};
use serde_json::Value;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::Path;

const QUERY: &str = "--start 0.1,0.1 --goal 0.9,0.1";

/// JSON is read here to within the last digit.
const EXACTLY: f64 = 1e-15;

#[test]
fn demo_compares_all_planners_and_draws_each() {
    let place = Place::new();
    let run = place.psmp("demo --worlds 20 --output pictures").ok();
    for planner in ["ei:ensemble", "psmp:fs", "pomp:fs", "maxprob:fs", "lazysp"] {
        assert!(run.out.contains(&format!("| {planner}")), "{}", run.out);
        for ending in ["svg", "png"] {
            let picture = format!("pictures/{}.{ending}", planner.replace(':', "-"));
            assert_is_picture(&place.file(&picture));
        }
    }
    let lines = place.psmp("demo --worlds 20 --json").ok().json_lines();
    let endings = lines.iter().filter(|line| line.get("regret").is_some());
    assert_eq!(endings.count(), 5);
    assert!(place.file("demo/lazysp.svg").is_file());
}

fn assert_is_picture(file: &Path) {
    let bytes = fs::read(file).unwrap();
    match file.extension().unwrap().to_str().unwrap() {
        "svg" => assert!(bytes.starts_with(b"<svg"), "{}", file.display()),
        _ => assert!(
            image::load_from_memory(&bytes).is_ok(),
            "{}",
            file.display()
        ),
    }
}

#[test]
fn the_three_kinds_of_map_give_the_same_plan() {
    let place = Place::new().with_maps();
    let [png, pgm, yaml] = ["map.png", "map.pgm", "map.yaml"].map(|map| {
        let line = format!("plan --map {map} {QUERY} --fixed-roadmap --json");
        let run = place.psmp(&line).ok();
        let lines = run.json_lines();
        let best = lines
            .iter()
            .filter_map(|l| l["length"].as_f64())
            .next_back();
        assert_eq!(lines.last().unwrap()["event"], "shortest-on-roadmap");
        best.unwrap()
    });
    assert_eq!(png, pgm);
    // Up over the wall and down again; the bounds of the YAML map are half a pixel wider.
    assert!((1.6..1.8).contains(&png), "{png}");
    assert!((png - yaml).abs() < 0.1, "{png}, {yaml}");
}

/// One pixel is as wide as high, and the longer side is 1.
#[test]
fn a_wide_picture_is_not_squashed() {
    let place = Place::new();
    // A wall from below with a round robot's way over it: the passage is 20 of 100 pixels high.
    let grid = OccupancyGrid::from_fn(301, 101, Frame::unit(), |column, row| {
        !(140..=160).contains(&column) || row < 20
    });
    grid.unwrap().write_png(place.file("wide.png")).unwrap();
    let plan = |more: &str| {
        let query = "plan --map wide.png --start 0.1,0.05 --goal 0.9,0.05 --vertices 1000 \
                     --fixed-roadmap";
        place.psmp(&format!("{query} --json --seed 0 {more}"))
    };
    let last = plan("--path path.json").ok().json_lines().pop().unwrap();
    // Over the corner of the wall at (0.47, 0.27) and down again, and not 0.8 up.
    let length = last["length"].as_f64().unwrap();
    assert!((0.91..1.1).contains(&length), "{length}");
    let path = place.json("path.json");
    for point in path["path"].as_array().unwrap() {
        assert!(point[1].as_f64().unwrap() <= 1.0 / 3.0, "{point}");
    }
    // The passage is 0.067 wide for a robot that is as wide as high.
    plan("--robot-radius 0.02").ok();
    assert_ne!(plan("--robot-radius 0.04").code, Some(0));
    let outside = place.psmp("plan --map wide.png --start 0.1,0.5 --goal 0.9,0.05");
    let outside = outside.ends(1);
    assert!(outside.err.contains("outside of `wide.png`"), "{outside:?}");
    // Other bounds are the user's word, as long as a round robot stays round.
    let squashed = plan("--bounds 0,1,0,1").ok().json_lines().pop().unwrap();
    assert!(squashed["length"].as_f64().unwrap() > 1.5);
    plan("--bounds 0,30,0,10 --robot-radius 0.02").ok();
    let ellipse = plan("--bounds 0,1,0,1 --robot-radius 0.02").ends(1);
    assert!(ellipse.err.contains("ellipse"), "{ellipse:?}");
    assert!(
        ellipse.err.contains("hint: give `--bounds=0,1,0,0.3333"),
        "{ellipse:?}"
    );
}

#[test]
fn a_path_and_pictures_are_written_and_the_path_is_a_path() {
    let place = Place::new().with_maps();
    let files = "--path path.json --path path.csv --picture run.svg --picture run.png";
    let line = format!("plan --map map.png {QUERY} --fixed-roadmap {files} --json --seed 0");
    let run = place.psmp(&line);
    let last = run.ok().json_lines().pop().unwrap();
    assert_is_picture(&place.file("run.svg"));
    assert_is_picture(&place.file("run.png"));
    let path = place.json("path.json");
    assert_eq!(path["length"], last["length"]);
    assert_eq!(path["configurations"], last["configurations"]);
    let points: Vec<[f64; 2]> = serde_json::from_value(path["path"].clone()).unwrap();
    assert_eq!(points.first(), Some(&[0.1, 0.1]));
    assert_eq!(points.last(), Some(&[0.9, 0.1]));
    let length: f64 = points
        .windows(2)
        .map(|p| (p[0][0] - p[1][0]).hypot(p[0][1] - p[1][1]))
        .sum();
    assert!((length - path["length"].as_f64().unwrap()).abs() < 1e-9);
    let csv = place.read("path.csv");
    assert_eq!(csv.lines().next(), Some("vertex,q1,q2"));
    let from_csv: Vec<[f64; 2]> = csv
        .lines()
        .skip(1)
        .map(|line| {
            let numbers: Vec<f64> = line.split(',').map(|n| n.parse().unwrap()).collect();
            [numbers[1], numbers[2]]
        })
        .collect();
    assert_eq!(from_csv.len(), points.len());
    for (a, b) in from_csv.iter().flatten().zip(points.iter().flatten()) {
        assert!((a - b).abs() < EXACTLY);
    }
}

#[test]
fn planners_without_a_roadmap_find_paths_too() {
    let place = Place::new().with_maps().with_dataset();
    let files = "--path path.json --path path.csv --picture run.svg";
    for planner in ["rrtconnect", "rrtconnect+shortcut", "rrtstar", "bitstar"] {
        for (problem, ends) in [
            (
                format!("--map map.png {QUERY}"),
                Some([[0.1, 0.1], [0.9, 0.1]]),
            ),
            ("--dataset worlds --world 5".to_owned(), None),
        ] {
            // One of them is slow to find a first path.
            let most = if planner == "rrtstar" {
                150_000
            } else {
                30_000
            };
            let line = format!(
                "plan {problem} --planner {planner} --configurations {most} {files} --json"
            );
            let lines = place.psmp(&line).ok().json_lines();
            let improved: Vec<&Value> = lines.iter().filter(|l| l["event"] == "improved").collect();
            let last = improved.last().expect("there is a path");
            assert_eq!(last["planner"], planner);
            assert_is_picture(&place.file("run.svg"));
            let path = place.json("path.json");
            assert_eq!(path["length"], last["length"]);
            let points: Vec<[f64; 2]> = serde_json::from_value(path["path"].clone()).unwrap();
            if let Some([start, goal]) = ends {
                assert_eq!((points[0], points[points.len() - 1]), (start, goal));
            }
            let csv = place.read("path.csv");
            assert_eq!(csv.lines().next(), Some("q1,q2"));
            assert_eq!(csv.lines().count(), points.len() + 1);
            // The same seed gives the same run, another one another.
            assert_eq!(place.psmp(&line).ok().json_lines(), lines);
            let other = place.psmp(&format!("{line} --seed 9")).ok();
            assert_ne!(other.json_lines(), lines);
        }
    }
}

#[test]
fn any_path_can_be_straightened() {
    let place = Place::new().with_maps().with_dataset();
    for line in [
        format!("plan --map map.png {QUERY} --fixed-roadmap --vertices 60"),
        format!("plan --map map.png {QUERY} --planner rrtconnect"),
        "plan --dataset worlds --world 5".to_owned(),
    ] {
        let line = format!("{line} --json --shortcut --path path.json");
        let lines = place.psmp(&line).ok().json_lines();
        let last = |event: &str| lines.iter().rfind(|line| line["event"] == event).unwrap();
        let (before, straightened) = (last("improved"), last("straightened"));
        let number = |line: &Value, what: &str| line[what].as_f64().unwrap();
        assert!(
            number(straightened, "length") < number(before, "length"),
            "{line}"
        );
        assert!(number(straightened, "configurations") > number(before, "configurations"));
        assert_eq!(place.json("path.json")["length"], straightened["length"]);
    }
}

#[test]
fn a_round_robot_keeps_away_from_walls() {
    let place = Place::new().with_maps();
    let length = |options: &str| {
        let line =
            format!("plan --map map.png {QUERY} --fixed-roadmap --vertices 800 --json {options}");
        let lines = place.psmp(&line).ok().json_lines();
        lines.last().unwrap()["length"].as_f64().unwrap()
    };
    assert!(length("--robot-radius 0.05") > length(""));
    // The passage is a fifth of the map high.
    let wide = format!("plan --map map.yaml {QUERY} --fixed-roadmap --robot-radius 0.102");
    place.psmp(&wide).ends(4);
}

#[test]
fn a_given_roadmap_and_known_worlds_are_used() {
    let place = Place::new().with_maps().with_dataset();
    place.psmp("convert worlds prm.graphml").ok();
    place.psmp("convert worlds known.table").ok();
    let given = "--roadmap prm.graphml --experience-table known.table --planner psmp:fs";
    let run = place.psmp(&format!("plan --map map.png {QUERY} {given} --path p.json"));
    run.ok();
    let path = place.json("p.json");
    assert_eq!(path["planner"], "psmp:fs");
    // Start and goal come after the sixty vertices of the roadmap.
    let vertices = path["vertices"].as_array().unwrap();
    assert_eq!(vertices.first().unwrap(), 61);
    assert_eq!(vertices.last().unwrap(), 62);
}

#[test]
fn plan_in_a_dataset() {
    let place = Place::new().with_dataset();
    let lines = |line: &str| place.psmp(line).ok().json_lines();
    let by_image = lines("plan --dataset worlds --world 5 --json --picture run.svg");
    assert_eq!(by_image.last().unwrap()["event"], "shortest-on-roadmap");
    assert_is_picture(&place.file("run.svg"));
    for planner in ["lazysp", "pomp:nn", "maxprob+:freq", "psmp:0.9:bisect"] {
        for prefer in ["text", "mat"] {
            let line = format!(
                "plan --dataset worlds --world 5 --json --planner {planner} --prefer {prefer}"
            );
            let other = lines(&line);
            let [a, b] = [&by_image, &other].map(|l| l.last().unwrap()["length"].as_f64());
            assert!((a.unwrap() - b.unwrap()).abs() < 1e-9, "{planner}");
        }
    }
    let unseen = place.psmp("plan --dataset worlds --world 5 --experience unseen");
    unseen.ok();
    // Without images each edge counts one.
    fs::remove_dir_all(place.file("worlds/environment_images")).unwrap();
    let by_edge = lines("plan --dataset worlds --world 5 --json");
    let last = by_edge.last().unwrap();
    assert_eq!(last["edges"], last["configurations"]);
}

/// The rows of a CSV file by their columns' names.
fn rows_of_csv(text: &str) -> Vec<BTreeMap<String, String>> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let rows = reader.deserialize::<BTreeMap<String, String>>();
    rows.map(|row| row.unwrap()).collect()
}

/// A field of a row as the CSV file has it, or a number to compare with.
enum Cell {
    Text(String),
    Number(f64),
}

impl Cell {
    fn agrees(&self, csv: &str) -> bool {
        match self {
            Cell::Text(text) => text == csv,
            Cell::Number(number) => {
                let csv: Result<f64, _> = csv.parse();
                csv.is_ok_and(|csv| (csv - number).abs() <= EXACTLY * number.abs())
            }
        }
    }
}

#[test]
fn bench_writes_the_same_rows_in_every_format() {
    let place = Place::new().with_dataset();
    let outputs = "-o rows.csv -o rows.json -o rows.parquet";
    let planners = "--planners psmp:fs,pomp:nn,maxprob:fs,lazysp";
    // The greatest seeds, to see that no format takes them for negative numbers.
    let seed = u64::MAX - 1;
    let line =
        format!("bench worlds {planners} --worlds 1-12 --seeds 2 --seed {seed} {outputs} --json");
    let run = place.psmp(&line).ok();
    let summaries = run.json();
    let summaries = summaries.as_array().unwrap();
    assert_eq!(summaries.len(), 4);
    assert!(
        summaries
            .iter()
            .all(|s| s["runs"] == 22 && s["unit"] == "configurations")
    );
    assert!(summaries.iter().all(|s| s["no_path_on_roadmap"][0] == 2));

    let csv = rows_of_csv(&place.read("rows.csv"));
    assert_eq!(csv.len(), 12 * 4 * 2);
    assert_eq!(csv[0]["seed"], seed.to_string());
    assert!(csv.iter().any(|row| row["ending"] == "no-path-on-roadmap"));

    let json = place.json("rows.json");
    for (row, json) in csv.iter().zip(json.as_array().unwrap()) {
        let fields = json.as_object().unwrap();
        assert_eq!(fields.len(), row.len());
        for (name, value) in fields {
            let cell = match value {
                Value::Null => Cell::Text(String::new()),
                Value::String(text) => Cell::Text(text.clone()),
                Value::Number(n) if n.is_f64() => Cell::Number(n.as_f64().unwrap()),
                other => Cell::Text(other.to_string()),
            };
            assert!(cell.agrees(&row[name]), "{name}: {value}, {}", row[name]);
        }
    }

    let parquet = SerializedFileReader::new(File::open(place.file("rows.parquet")).unwrap());
    let parquet: Vec<_> = parquet
        .unwrap()
        .get_row_iter(None)
        .unwrap()
        .map(|row| row.unwrap())
        .collect();
    assert_eq!(parquet.len(), csv.len());
    for (row, parquet) in csv.iter().zip(&parquet) {
        assert_eq!(parquet.get_column_iter().count(), row.len());
        for (name, field) in parquet.get_column_iter() {
            let cell = match field {
                Field::Null => Cell::Text(String::new()),
                Field::Str(text) => Cell::Text(text.clone()),
                Field::Double(number) => Cell::Number(*number),
                Field::UInt(n) => Cell::Text(n.to_string()),
                Field::ULong(n) => Cell::Text(n.to_string()),
                other => panic!("{name} is {other:?}"),
            };
            assert!(cell.agrees(&row[name]), "{name}: {field}, {}", row[name]);
        }
    }
}

#[test]
fn bench_takes_worlds_by_name_and_several_datasets() {
    let place = Place::new().with_dataset();
    place.psmp("convert worlds copy").ok();
    let runs = |options: &str| {
        let line = format!("bench worlds --planners lazysp,psmp:freq --json {options}");
        let summaries = place.psmp(&line).ok().json();
        let counts =
            |s: &Value| s["runs"].as_u64().unwrap() + s["no_path_on_roadmap"][0].as_u64().unwrap();
        summaries
            .as_array()
            .unwrap()
            .iter()
            .map(counts)
            .sum::<u64>()
    };
    assert_eq!(runs(""), 2 * 4);
    assert_eq!(runs("--worlds train"), 2 * 8);
    assert_eq!(runs("--worlds all --experience unseen"), 2 * 12);
    assert_eq!(runs("--worlds 1,3,5-7 --budget 100"), 2 * 5);
    assert_eq!(runs("--worlds 2 --fallback never --prefer mat"), 2);
    let table = place.psmp("bench worlds copy --planners psmp:fs").ok().out;
    for dataset in ["| worlds ", "| copy "] {
        assert!(table.contains(dataset), "{table}");
    }
}

/// Where a price is said thinking counts beside checks, and planners are told. A run is repeated with its price.
#[test]
fn bench_counts_thinking_where_it_has_a_price() {
    let place = Place::new().with_dataset();
    let costs = |options: &str| -> Vec<u64> {
        let line =
            format!("bench worlds --planners lazysp,ei:local -o rows.json -o rows.csv {options}");
        place.psmp(&line).ok();
        let rows = place.json("rows.json");
        let rows = rows.as_array().unwrap();
        let price = &rows[0]["price"];
        assert_eq!(price.is_null(), options.is_empty(), "{price}");
        for row in 1..=rows.len() {
            let replayed = place.psmp(&format!("replay rows.csv {row}")).ok();
            assert!(replayed.out.contains("match"), "{}", replayed.out);
        }
        rows.iter()
            .map(|row| row["cost_total"].as_u64().unwrap())
            .collect()
    };
    let counted = costs("");
    // At a second a configuration thinking is nothing, at a nanosecond it is next to everything.
    assert_eq!(costs("--price 1s"), counted);
    let cheap = costs("--price 1ns");
    assert!(
        cheap
            .iter()
            .zip(&counted)
            .all(|(cheap, counted)| cheap > counted)
    );
    let wrong = place.psmp("bench worlds --price fast").ends(2);
    assert!(wrong.err.contains("100us"), "{}", wrong.err);
}

#[test]
fn info_tells_of_datasets_roadmaps_and_tables() {
    let place = Place::new().with_dataset();
    place.psmp("convert worlds prm.graphml").ok();
    place.psmp("convert worlds known.table").ok();
    let facts = place.psmp("info worlds --json").ok().json();
    assert_eq!(facts["dataset"], "worlds");
    assert_eq!(facts["roadmap"]["vertices"], 60);
    assert_eq!(facts["table"]["worlds"], 12);
    assert_eq!(facts["split"]["test"], 4);
    assert_eq!(facts["images"], 12);
    assert_eq!(facts["solvable"]["worlds"], 11);
    let roadmap = place.psmp("info prm.graphml --json").ok().json();
    for fact in [
        "roadmap",
        "components",
        "degree",
        "edge_length",
        "configurations",
    ] {
        assert_eq!(roadmap[fact], facts[fact], "{fact}");
    }
    let table = place.psmp("info known.table --json").ok().json();
    assert_eq!(table["table"], facts["table"]);
    let words = place.psmp("info worlds").ok().out;
    for fact in [
        "vertices 60",
        "worlds 11, of 12",
        "bounds 0.0000 to 1.0000 by 0.0000 to 1.0000",
        "edge length",
    ] {
        assert!(words.contains(fact), "{words}");
    }
}

/// The files below a folder with their content.
fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    for entry in fs::read_dir(folder).unwrap().map(|e| e.unwrap()) {
        let name = entry.file_name().into_string().unwrap();
        if entry.path().is_dir() {
            let below = content(&entry.path());
            files.extend(below.into_iter().map(|(n, c)| (format!("{name}/{n}"), c)));
        } else {
            files.insert(name, fs::read(entry.path()).unwrap());
        }
    }
    files
}

#[test]
fn conversions_lose_nothing() {
    let place = Place::new().with_dataset();
    let query = Dataset::open(place.file("worlds"))
        .unwrap()
        .query()
        .unwrap();
    let (start, goal) = (query.start.0 + 1, query.goal.0 + 1);
    let json = place.psmp("convert worlds prm.graphml --json").ok().json();
    assert_eq!(json["wrote"], "prm.graphml");
    place.psmp("convert worlds known.table").ok();

    // A dataset, its copy, and the copy made of a roadmap and a table.
    place.psmp("convert worlds copy").ok();
    let original = content(&place.file("worlds"));
    assert_eq!(original, content(&place.file("copy")));
    let ends = format!("--start {start} --goal {goal}");
    let line = format!("convert known.table remade --roadmap prm.graphml {ends}");
    place.psmp(&line).ok();
    let remade = content(&place.file("remade"));
    assert!(remade.contains_key("coll_check_results.mat"));
    for (name, bytes) in &remade {
        assert_eq!(bytes, &original[name], "{name}");
    }

    // And back again.
    place.psmp("convert remade again.graphml").ok();
    place.psmp("convert remade again.table").ok();
    place.psmp("convert again.graphml bare").ok();
    assert_eq!(place.read("again.graphml"), place.read("prm.graphml"));
    let [again, known] = ["again.table", "known.table"].map(|t| fs::read(place.file(t)).unwrap());
    assert_eq!(again, known);
    let bare = content(&place.file("bare"));
    assert_eq!(bare["graph.txt"], original["graph.txt"]);
    assert!(!bare.contains_key("coll_check_results.dat"));
}

#[test]
fn the_rows_of_a_graph_may_come_in_any_order() {
    let place = Place::new().with_dataset();
    let plan = "plan --dataset worlds --world 5 --planner lazysp --json";
    let before = place.psmp(plan).ok().events();
    let graph = place.read("worlds/graph.txt");
    let mut lines: Vec<&str> = graph.lines().collect();
    lines[2..].reverse();
    place.write("worlds/graph.txt", lines.join("\n"));
    assert_eq!(place.psmp(plan).ok().events(), before);
}

#[test]
fn every_shell_gets_its_completions() {
    let place = Place::new();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = place.psmp(&format!("completions {shell}")).ok().out;
        for word in ["psmp", "bench", "robot-radius"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn calibrate_tells_how_far_each_belief_is_to_be_trusted() {
    let place = Place::new().with_dataset();
    let line = "calibrate worlds --checks 10,0 -o c.csv -o c.json --picture c.svg --picture c.png";
    let run = place.psmp(line).ok();
    let rows = place.json("c.json");
    let rows = rows.as_array().unwrap();
    assert_eq!(place.read("c.csv").lines().count(), rows.len() + 1);
    // Every belief, before any check and after ten; the same of edges that are new to it.
    let (known, new): (Vec<&Value>, Vec<&Value>) =
        rows.iter().partition(|row| row["edges"] == "known");
    assert_eq!(known.len(), 14, "{}", run.out);
    assert!(known.iter().all(|row| row["worlds"] == 4));
    assert!(new.len() >= 7 && new.iter().all(|row| row["edges"] == "new"));
    assert!(
        run.out.contains("edges that no belief has learned of"),
        "{}",
        run.out
    );
    for row in rows {
        let counts = row["reliability"].as_array().unwrap().iter();
        let count: u64 = counts.map(|bin| bin["count"].as_u64().unwrap()).sum();
        assert_eq!(row["predictions"], count);
        assert!(run.out.contains(row["belief"].as_str().unwrap()));
    }
    // Each edge's frequency learns nothing from other edges; hidden causes do.
    let loss = |belief: &str, checks: u64| {
        let wanted = |r: &&Value| r["belief"] == belief && r["checks"] == checks;
        rows.iter().find(wanted).unwrap()["log_loss"]
            .as_f64()
            .unwrap()
    };
    assert!(loss("latent", 10) < loss("freq", 10));
    for picture in ["c.svg", "c.png"] {
        assert_is_picture(&place.file(picture));
    }
    let [one, two] = ["--jobs 1", "--jobs 3"].map(|jobs| {
        let line = "calibrate worlds --belief soft,local --checked-by ei:local --checks 3 --json";
        place.psmp(&format!("{line} {jobs}")).ok().out
    });
    assert_eq!(one, two);
    assert!(one.contains("\"order\": \"ei:local\""), "{one}");
}

/// Each of several sets has a table, after 20 and after 100 checks, in worlds that nobody has learned from.
#[test]
fn calibrate_tells_of_several_sets() {
    let place = Place::new().with_dataset();
    place
        .psmp("generate forest --worlds 12 --test 3 -o forest")
        .ok();
    let line = "calibrate worlds forest --belief 0.5,soft --checks 20,100 -o c.json";
    let run = place.psmp(line).ok();
    for set in [
        "worlds: random edges checked",
        "forest: random edges checked",
    ] {
        assert!(run.out.contains(set), "{}", run.out);
    }
    let rows = place.json("c.json");
    let known = rows.as_array().unwrap().iter();
    let known: Vec<&Value> = known.filter(|row| row["edges"] == "known").collect();
    let shown: Vec<(&str, &str, u64)> = known
        .iter()
        .map(|row| {
            let [set, belief] = ["dataset", "belief"].map(|name| row[name].as_str().unwrap());
            (set, belief, row["checks"].as_u64().unwrap())
        })
        .collect();
    let expected = ["worlds", "forest"]
        .map(|set| ["0.5", "soft"].map(|belief| [20, 100].map(|checks| (set, belief, checks))));
    assert_eq!(shown, expected.as_flattened().as_flattened());
    for row in known.iter().filter(|row| row["belief"] == "0.5") {
        let loss = row["log_loss"].as_f64().unwrap();
        assert!((loss - 2f64.ln()).abs() < 1e-12, "{row}");
    }
}

/// Shelves are boxes in three dimensions: configurations are seen in them as in an image.
#[test]
fn shelves_are_planned_in_and_predicted_by_their_boxes() {
    let place = Place::new();
    place
        .psmp("generate shelves --worlds 12 --test 2 -o shelves")
        .ok();
    let line = "bench shelves --planners lazysp,ei:local --experience unseen -o rows.json";
    place.psmp(line).ok();
    let rows = place.json("rows.json");
    let rows = rows.as_array().unwrap();
    assert_eq!(rows.len(), 4);
    for row in rows {
        assert_eq!(row["unit"], "configurations", "{row}");
        let [checked, edges] = ["cost_total", "edges"].map(|n| row[n].as_u64().unwrap());
        assert!(checked > 2 * edges && edges > 0, "{row}");
    }
    let line = "calibrate shelves --belief local,0.5 --checks 100 --json";
    let rows = place.psmp(line).ok().json();
    let loss = |belief: &str| {
        let mut rows = rows.as_array().unwrap().iter();
        let row = rows.find(|row| row["belief"] == belief && row["edges"] == "known");
        row.unwrap()["log_loss"].as_f64().unwrap()
    };
    assert!(loss("local") < loss("0.5"), "{rows}");
    place
        .psmp("plan --dataset shelves --world 12 --configurations 200000")
        .ok();
    place.write("shelves/environment_boxes/world_12.txt", "0 0 0 1 1\n");
    let run = place.psmp("plan --dataset shelves --world 12").ends(1);
    for words in ["world_12.txt", "5 numbers", "lower corner"] {
        assert!(run.err.contains(words), "{}", run.err);
    }
}

/// An arm's scenes, with distances in the workspace beside those of joints.
#[test]
fn calibrate_tells_of_an_arm() {
    let place = Place::new();
    place.psmp("generate clutter --worlds 5 -o clutter").ok();
    let line =
        "calibrate clutter --robot panda-like --resolution 0.5 --belief local,nn,freq --checks 20";
    let rows = place.psmp(&format!("{line} --json")).ok().json();
    let shown: Vec<(&str, &str)> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            assert_eq!(
                (&row["worlds"], &row["edges"]),
                (&1.into(), &"known".into())
            );
            (
                row["belief"].as_str().unwrap(),
                row["distances"].as_str().unwrap(),
            )
        })
        .collect();
    let expected = [
        ("local", "workspace"),
        ("local", "joints"),
        ("nn", "workspace"),
        ("nn", "joints"),
        ("freq", ""),
    ];
    assert_eq!(shown, expected);
    for (line, words) in [
        ("calibrate clutter --belief freq", "--robot"),
        (
            "calibrate clutter --robot panda-like --checked-by lazysp",
            "leave out `--checked-by`",
        ),
    ] {
        let run = place.psmp(line).ends(1);
        assert!(run.err.contains(words), "{line}: {}", run.err);
    }
}

/// Published scenes: a belief that knows where the bodies are differs from one that knows the joints alone, and both
/// learn from checks.
#[test]
fn calibrate_tells_of_published_arms() {
    let Some(cage) = psmp_testdata::published("motion_bench_maker/panda/problems/cage") else {
        return;
    };
    let place = Place::new();
    let line = format!(
        "calibrate {} --resolution 0.5 --belief local --worlds 20 --checks 0,100 --json",
        cage.display()
    );
    let rows = place.psmp(&line).ok().json();
    let losses: Vec<f64> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["log_loss"].as_f64().unwrap())
        .collect();
    let [workspace, joints] = [[losses[0], losses[1]], [losses[2], losses[3]]];
    for [before, after] in [workspace, joints] {
        assert!(after < before, "{losses:?}");
    }
    assert!((workspace[1] - joints[1]).abs() > 1e-6, "{losses:?}");
}

#[test]
fn a_plan_ends_with_all_that_came_of_it() {
    let place = Place::new().with_maps().with_dataset().with_arm();
    for (line, dimension) in [
        (
            "--map map.png --start 0.1,0.1 --goal 0.9,0.1 --configurations 3000",
            2,
        ),
        (
            "--map map.png --start 0.1,0.1 --goal 0.9,0.1 --planner rrtconnect",
            2,
        ),
        ("--dataset worlds --world 2", 2),
        (
            "--robot planar-3 --scene post.toml --request over.yaml --vertices 200",
            3,
        ),
    ] {
        let run = place
            .psmp(&format!("plan --json --seed 5 --path p.json {line}"))
            .ok();
        let (result, file) = (run.result(), place.json("p.json"));
        let improved = run
            .json_lines()
            .into_iter()
            .rfind(|l| l["event"] == "improved");
        assert_eq!(result["length"], improved.unwrap()["length"], "{line}");
        for field in ["path", "length", "seed", "configurations", "planner"] {
            assert_eq!(result[field], file[field], "{line}: {field}");
        }
        assert_eq!(result["seed"], 5);
        let places = result["path"].as_array().unwrap();
        assert!(
            places.len() >= 2
                && places
                    .iter()
                    .all(|q| q.as_array().unwrap().len() == dimension)
        );
        for part in ["preparing", "checking", "thinking"] {
            assert!(
                result["seconds"][part].as_f64().unwrap() >= 0.0,
                "{line}: {part}"
            );
        }
        assert!(
            result["seconds"]["checking"].as_f64().unwrap() > 0.0,
            "{line}"
        );
        assert_eq!(result["versions"]["psmp"], env!("CARGO_PKG_VERSION"));
    }
    let none = place
        .psmp("plan --json --map closed.png --start 0.1,0.1 --goal 0.9,0.1 --configurations 500");
    let result = none.ends(4).result();
    assert!(
        result["path"].is_null() && result["ending"] == "stopped",
        "{result}"
    );
}

#[test]
fn a_path_goes_to_standard_output_alone() {
    let place = Place::new().with_maps();
    let line = "plan --map map.png --start 0.1,0.1 --goal 0.9,0.1 --configurations 2000 --path";
    let run = place.psmp(&format!("{line} - --path p.csv")).ok();
    assert_eq!(run.out, place.read("p.csv"));
    assert!(run.err.contains("length"), "{}", run.err);
    let refused = place.psmp(&format!("{line} - --json")).ends(1);
    assert!(refused.err.contains("--path -"), "{}", refused.err);
}

#[cfg(unix)]
#[test]
fn bash_completes_families_and_planners() {
    let place = Place::new();
    let script = place.psmp("completions bash").ok().out;
    place.write(
        "try.sh",
        format!(
            "{script}\nCOMP_WORDS=(\"$@\") COMP_CWORD=$(($# - 1))\n\
             _psmp_whole_names psmp \"${{COMP_WORDS[COMP_CWORD]}}\" \"${{COMP_WORDS[COMP_CWORD - 1]}}\"\n\
             printf '%s\\n' \"${{COMPREPLY[@]}}\"\n"
        ),
    );
    // As bash breaks them: at colons too.
    for (words, expected) in [
        ("generate bugtrap-", "bugtrap-forest"),
        ("generate clut", "clutter"),
        ("generate shelv", "shelves"),
        ("generate roo", "rooms"),
        ("plan --planner rrtconnect+", "rrtconnect+shortcut"),
        ("plan --planner maxprob : lo", "local"),
        ("bench --planners psmp : fs,lazysp : la", "latent"),
    ] {
        let mut command = std::process::Command::new("bash");
        let command = command.arg(place.file("try.sh")).arg("psmp");
        let output = command.args(words.split(' ')).output().unwrap();
        let answers = String::from_utf8(output.stdout).unwrap();
        let first = answers.lines().next();
        assert_eq!(first, Some(expected), "{words}: {answers}");
    }
}
