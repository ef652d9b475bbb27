use crate::place::Place;
use std::fs;

const IN_MAP: &str = "plan --map map.png --start 0.1,0.1 --goal 0.9,0.1";
const IN_DATASET: &str = "plan --dataset worlds --world 5";

/// Each mistake is an error of its own kind that names the thing and hints at a remedy.
fn refused(place: &Place, code: i32, mistakes: &[(&str, &[&str])]) {
    for (line, words) in mistakes {
        let run = place.psmp(line);
        assert_eq!(run.code, Some(code), "psmp {line}\n{run:?}");
        assert!(run.out.is_empty(), "psmp {line}\n{run:?}");
        assert!(run.err.starts_with("error: "), "psmp {line}\n{}", run.err);
        let hint = if code == 1 { "\nhint: " } else { "--help" };
        for word in words.iter().chain(&[hint]) {
            assert!(
                run.err.contains(word),
                "psmp {line}\nno `{word}` in\n{}",
                run.err
            );
        }
    }
}

/// The same, for options after a command.
fn refused_after(place: &Place, code: i32, command: &str, mistakes: &[(&str, &[&str])]) {
    for (options, words) in mistakes {
        refused(place, code, &[(&format!("{command} {options}"), words)]);
    }
}

#[test]
fn maps_that_are_none() {
    let place = Place::new().with_maps();
    let png = fs::read(place.file("map.png")).unwrap();
    place.write("cut.png", &png[..png.len() / 2]);
    place.write("head.png", &png[..30]);
    place.write("text.png", "not a picture");
    place.write("empty.png", "");
    place.write("one.pgm", b"P5\n1 1\n255\n\xff");
    place.write("line.pgm", b"P5\n1 3\n255\n\xff\xff\xff");
    place.write("huge.pgm", b"P5\n60000 60000\n255\n\xff");
    place.write("empty.yaml", "");
    place.write("list.yaml", "- 1\n- 2\n");
    place.write(
        "lost.yaml",
        "image: lost.pgm\nresolution: 0.1\norigin: [0, 0, 0]\n",
    );
    place.write(
        "nan.yaml",
        "image: map.pgm\nresolution: .nan\norigin: [0, 0, 0]\n",
    );
    fs::create_dir(place.file("folder")).unwrap();
    for (map, word) in [
        ("none.png", "none.png"),
        ("folder", "folder"),
        ("cut.png", "cut.png"),
        ("head.png", "head.png"),
        ("text.png", "PNG, PGM or JPEG"),
        ("empty.png", "PNG, PGM or JPEG"),
        ("one.pgm", "1 x 1"),
        ("line.pgm", "1 x 3"),
        ("huge.pgm", "huge.pgm"),
        ("none.yaml", "none.yaml"),
        ("empty.yaml", "image"),
        ("list.yaml", "list.yaml"),
        ("lost.yaml", "lost.pgm"),
        ("nan.yaml", "resolution"),
    ] {
        let line = format!("plan --map {map} --start 0.1,0.1 --goal 0.9,0.1");
        refused(&place, 1, &[(&line, &[word])]);
    }
}

/// A ROS map of one pixel is a map, if a small one.
#[test]
fn a_map_of_one_pixel() {
    let place = Place::new();
    place.write("one.pgm", b"P5\n1 1\n255\n\xff");
    place.write(
        "one.yaml",
        "image: one.pgm\nresolution: 2\norigin: [0, 0, 0]\n\
        negate: 0\noccupied_thresh: 0.65\nfree_thresh: 0.196\n",
    );
    place
        .psmp("plan --map one.yaml --start 0.1,0.1 --goal 1.9,1.9")
        .ok();
}

#[test]
fn starts_and_goals_that_cannot_be() {
    let place = Place::new().with_maps().with_dataset();
    place.psmp("convert worlds prm.graphml").ok();
    let bounds = "--bounds 0,10,0,10";
    refused(
        &place,
        1,
        &[
            (
                "plan --map map.png --start 0.5,0.1 --goal 0.9,0.1",
                &["start 0.5,0.1", "not free"],
            ),
            (
                "plan --map map.png --start 0.1,0.1 --goal 0.5,0.1",
                &["goal 0.5,0.1", "not free"],
            ),
            (
                "plan --map map.png --start 1.5,0.1 --goal 0.9,0.1",
                &["start 1.5,0.1", "outside", "0 to 1"],
            ),
            (
                "plan --map map.yaml --start 0.1,0.1 --goal 0.1,-7",
                &["goal 0.1,-7", "outside"],
            ),
            (
                &format!("{IN_MAP} --robot-radius 5"),
                &["start 0.1,0.1", "not free", "radius"],
            ),
            (
                &format!(
                    "plan --map map.png {bounds} --start 2,2 --goal 8,2 --roadmap prm.graphml"
                ),
                &["[2.0, 2.0]", "--start"],
            ),
        ],
    );
    for place_given in [
        "nan,1", "1", "1,2,3", "a,b", "inf,0", "0.1;0.1", ",", "1e999,0",
    ] {
        let line = format!("plan --map map.png --start {place_given} --goal 0.9,0.1");
        refused(
            &place,
            2,
            &[(&line, &[place_given, "--start", "2 finite numbers"])],
        );
    }
}

#[test]
fn numbers_that_make_no_sense() {
    let place = Place::new().with_maps().with_dataset();
    for command in [IN_MAP, IN_DATASET, "bench worlds"] {
        for option in ["--resolution", "--eta"] {
            for number in ["-1", "0", "nan", "inf", "-1e9", "x"] {
                let line = format!("{command} {option} {number}");
                refused(&place, 2, &[(&line, &[option, number, "above 0"])]);
            }
        }
        refused_after(
            &place,
            2,
            command,
            &[
                ("--fallback -1", &["--fallback", "-1"]),
                ("--fallback soon", &["--fallback", "soon"]),
                ("--seed -1", &["--seed", "-1"]),
                (
                    "--seed 18446744073709551616",
                    &["--seed", "18446744073709551616"],
                ),
                ("--experience dim", &["--experience", "dim"]),
            ],
        );
    }
    for number in ["-1", "0", "nan", "inf"] {
        refused_after(
            &place,
            2,
            IN_MAP,
            &[(&format!("--radius {number}"), &["--radius"])],
        );
    }
    refused_after(
        &place,
        2,
        IN_MAP,
        &[
            (
                "--robot-radius -0.1",
                &["--robot-radius", "-0.1", "not negative"],
            ),
            ("--robot-radius nan", &["--robot-radius", "nan"]),
            ("--gap -1", &["--gap", "-1", "not negative"]),
            ("--gap nan", &["--gap", "nan"]),
            ("--time -1", &["--time", "-1"]),
            ("--time 1e300", &["--time", "1e300"]),
            ("--configurations -5", &["--configurations", "-5"]),
            ("--edges 1.5", &["--edges", "1.5"]),
            ("--proposals x", &["--proposals", "x"]),
            ("--vertices 0", &["--vertices", "0"]),
            ("--vertices -3", &["--vertices", "-3"]),
            ("--vertices 99999999999", &["--vertices", "99999999999"]),
            ("--bounds 0,1,0", &["--bounds", "4 finite numbers"]),
            ("--bounds 1,0,0,1", &["--bounds", "left below right"]),
            ("--bounds 0,nan,0,1", &["--bounds", "4 finite numbers"]),
        ],
    );
    refused(
        &place,
        2,
        &[
            ("demo --worlds 0", &["--worlds", "0"]),
            ("demo --worlds 4000000000", &["--worlds", "10000"]),
            ("bench worlds --seeds 0", &["--seeds", "0"]),
            ("bench worlds --seeds 18446744073709551615", &["--seeds"]),
            ("bench worlds --jobs 0", &["--jobs", "0"]),
            ("bench worlds --jobs 100000", &["--jobs", "100000"]),
            ("bench worlds --budget -1", &["--budget", "-1"]),
        ],
    );
}

/// What would take all memory or all day is refused at once.
#[test]
fn numbers_that_are_too_much() {
    let place = Place::new().with_maps().with_dataset();
    for command in [IN_MAP, IN_DATASET, "bench worlds"] {
        for number in ["1e-7", "1e-300", "5e-324"] {
            let line = format!("{command} --resolution {number}");
            refused(&place, 1, &[(&line, &["resolution", number, "1e-5"])]);
        }
    }
    refused_after(
        &place,
        1,
        IN_MAP,
        &[
            (
                "--vertices 5000000",
                &["5000000 vertices", "million edges", "--vertices"],
            ),
            (
                "--vertices 50000 --radius 1e300",
                &["50000 vertices", "--radius"],
            ),
            ("--bounds 0,1e308,0,1", &["--bounds"]),
            (
                "--bounds=-1e308,1e308,0,1",
                &["map.png", "1e308", "interval"],
            ),
        ],
    );
    let last = u64::MAX;
    let line = format!("bench worlds --worlds 1 --seeds 2 --seed {last}");
    refused(&place, 1, &[(&line, &["2 seeds", "--seed"])]);
    let line = format!("bench worlds --worlds 1 --seeds 1 --seed {last} --planners psmp:fs");
    place.psmp(&line).ok();
}

#[test]
fn planners_that_cannot_be_had() {
    let place = Place::new().with_maps().with_dataset();
    for name in ["coord_set.dat", "coord_set.mat"] {
        fs::remove_file(place.file("worlds").join(name)).unwrap();
    }
    refused(
        &place,
        1,
        &[
            (
                &format!("{IN_MAP} --planner psmp:fs"),
                &["`fs`", "known worlds", "--experience-table"],
            ),
            (
                &format!("{IN_MAP} --planner psmp:freq"),
                &["`freq`", "known worlds"],
            ),
            (
                &format!("{IN_DATASET} --planner pomp:nn"),
                &["`nn`", "no configurations", "`fs`"],
            ),
            (
                "bench worlds --planners lazysp,pomp:nn",
                &["worlds", "`nn`", "`fs`"],
            ),
        ],
    );
    refused(
        &place,
        1,
        &[
            (
                &format!("{IN_MAP} --planner rrtstar"),
                &["`rrtstar`", "until it is stopped", "--configurations"],
            ),
            (
                &format!("{IN_MAP} --planner bitstar --gap 0.1"),
                &["`bitstar`", "until it is stopped", "--time"],
            ),
            (
                &format!("{IN_MAP} --planner rrtconnect --outcomes run.json"),
                &["`rrtconnect`", "no use for `--outcomes`", "roadmap"],
            ),
            (
                &format!("{IN_MAP} --planner rrtconnect --vertices 90"),
                &["no use for `--vertices`", "`ei:ensemble`"],
            ),
            (
                &format!("{IN_DATASET} --planner rrtconnect"),
                &["no image", "`rrtconnect`", "`ei:ensemble`"],
            ),
        ],
    );
    refused(
        &place,
        2,
        &[(&format!("{IN_MAP} --planner rrt"), &["`rrt`", "`bitstar`"])],
    );
    for (command, option) in [(IN_MAP, "--planner"), ("bench worlds", "--planners")] {
        for (planner, word) in [
            ("rrt", "`pomp`"),
            ("psmp", "psmp:fs"),
            ("psmp:xx", "`nn`"),
            ("psmp:nan", "probability"),
            ("psmp:1.5", "probability"),
            ("psmp:fs:quick", "`failfast`"),
            ("psmp:fs:forward:x", "too many"),
        ] {
            let line = format!("{command} {option} {planner}");
            refused(&place, 2, &[(&line, &[option, planner, word])]);
        }
    }
}

#[test]
fn options_of_the_other_kind_of_problem() {
    let place = Place::new().with_maps().with_dataset();
    let in_yaml = "plan --map map.yaml --start 0.1,0.1 --goal 0.9,0.1 --bounds 0,1,0,1";
    refused(&place, 1, &[(in_yaml, &["map.yaml", "--bounds", "origin"])]);
    for option in [
        "--start 0,0",
        "--goal 0,0",
        "--bounds 0,1,0,1",
        "--robot-radius 0.1",
        "--roadmap prm.graphml",
        "--vertices 30",
        "--sampler uniform",
        "--radius 0.1",
    ] {
        let words: &[&str] = &[option.split_whitespace().next().unwrap(), "--dataset"];
        refused_after(&place, 2, IN_DATASET, &[(option, words)]);
    }
    for option in [
        "--world 3",
        "--experience unseen",
        "--prefer mat",
        "--dataset worlds",
    ] {
        let words: &[&str] = &[option.split_whitespace().next().unwrap(), "--map"];
        refused_after(&place, 2, IN_MAP, &[(option, words)]);
    }
    refused(
        &place,
        2,
        &[
            ("plan", &["--map", "--dataset"]),
            ("plan --map map.png", &["--start", "--goal"]),
            ("plan --dataset worlds", &["--world"]),
            ("plan --world 3", &["--dataset"]),
            (
                &format!("{IN_MAP} --experience-table known.table"),
                &["--roadmap"],
            ),
            (
                &format!("{IN_MAP} --roadmap prm.graphml --vertices 9"),
                &["--vertices", "--roadmap"],
            ),
            ("bench", &["<DIR>"]),
            ("info", &["<PATH>"]),
            ("convert worlds", &["<TO>"]),
            ("convert worlds copy --start 1", &["--goal"]),
            ("completions tcl", &["tcl", "bash"]),
            ("completions", &["<SHELL>"]),
            ("fly", &["fly"]),
        ],
    );
}

#[test]
fn datasets_that_are_none_or_lack_something() {
    let place = Place::new().with_maps().with_dataset();
    fs::create_dir(place.file("empty")).unwrap();
    for dataset in ["none", "empty", "map.png"] {
        for command in [
            format!("plan --dataset {dataset} --world 1"),
            format!("bench {dataset}"),
        ] {
            refused(&place, 1, &[(&command, &[dataset, "graph.txt"])]);
        }
    }
    for world in ["0", "13", "4294967295"] {
        let words: &[&str] = &[world, "`worlds`", "1 to 12"];
        refused(
            &place,
            1,
            &[(&format!("plan --dataset worlds --world {world}"), words)],
        );
        refused(
            &place,
            1,
            &[(&format!("bench worlds --worlds {world}"), words)],
        );
    }
    refused(
        &place,
        2,
        &[("plan --dataset worlds --world -1", &["--world", "-1"])],
    );
    for worlds in ["5-3", "1-99", "first", "1,,2", "1-2-3", "99999999999", "2-"] {
        let line = format!("bench worlds --worlds {worlds}");
        refused(&place, 1, &[(&line, &["world"])]);
    }

    // Without a table there is nothing to plan in, but the roadmap is still one.
    place.psmp("convert worlds prm.graphml").ok();
    place.psmp("convert prm.graphml bare").ok();
    for command in [
        "plan --dataset bare --world 1",
        "bench bare",
        "convert bare x.table",
    ] {
        refused(&place, 1, &[(command, &["coll_check_results", "no table"])]);
    }
    assert!(place.psmp("info bare").ok().out.contains("none"));

    // Without start and goal, or the split, or with a damaged image.
    let lose = |names: &[&str]| {
        for name in names {
            fs::remove_file(place.file("worlds").join(name)).unwrap();
        }
    };
    lose(&["test_id.dat", "test_id.mat"]);
    refused(
        &place,
        1,
        &[("bench worlds", &["`worlds`", "testing", "--worlds all"])],
    );
    place.write("worlds/environment_images/world_5.png", "damaged");
    refused(&place, 1, &[(IN_DATASET, &["world_5.png"])]);
    refused(
        &place,
        1,
        &[("bench worlds --worlds 4-6", &["world_5.png"])],
    );
    lose(&["start_idx.dat", "start_goal.mat"]);
    refused(
        &place,
        1,
        &[("plan --dataset worlds --world 1", &["start_idx.dat"])],
    );
}

/// What is malformed is not passed over as if it were not there.
#[test]
fn datasets_that_are_malformed() {
    let place = Place::new().with_dataset();
    let spoil = |name: &str, content: &str, words: &[&str], commands: &[&str]| {
        let file = format!("worlds/{name}");
        let before = fs::read(place.file(&file)).unwrap();
        place.write(&file, content);
        for command in commands {
            let words = [words, &[name]].concat();
            refused(&place, 1, &[(command, &words)]);
        }
        place.write(&file, before);
    };
    let all: &[&str] = &[
        IN_DATASET,
        "bench worlds",
        "info worlds",
        "convert worlds copy",
    ];
    spoil("graph.txt", "NumVertices: 60", &["NumEdges"], all);
    spoil(
        "graph.txt",
        "NumVertices: 2\nNumEdges: 2\n1 1 2 1\n1 2 1 1",
        &["line 4"],
        all,
    );
    spoil("coord_set.dat", "0.5,nan\n", &["line 1", "nan"], all);
    spoil("coord_set.dat", "0.5,0.5\n", &["1 vertices"], all);
    spoil("coll_check_results.dat", "1,0,1\n", &["3 columns"], all);
    spoil("coll_check_results.dat", "1,2,1\n", &["line 1"], all);
    spoil("start_idx.dat", "61", &["61", "1 to 60"], all);
    spoil("goal_idx.dat", "0", &["1 to 60"], all);
    spoil("test_id.dat", "1,99", &["99", "1 to 12"], all);
    spoil(
        "path_library.dat",
        "1,999",
        &["999"],
        &["convert worlds copy"],
    );
    assert!(!place.file("copy").exists());
}

#[test]
fn roadmaps_and_tables_that_are_none_or_do_not_fit() {
    let place = Place::new().with_maps().with_dataset();
    place.psmp("convert worlds prm.graphml").ok();
    place.psmp("convert worlds known.table").ok();
    place.write("text.graphml", "not XML");
    place.write("text.table", "not a table");
    let table = fs::read(place.file("known.table")).unwrap();
    place.write("cut.table", &table[..table.len() - 8]);
    let mut flipped = table.clone();
    *flipped.last_mut().unwrap() ^= 1;
    place.write("flipped.table", flipped);
    place.write(
        "small.graphml",
        r#"<graphml><key id="s" for="node" attr.name="state"/>
        <graph edgedefault="undirected"><node id="a"><data key="s">0.1 0.1</data></node>
        <node id="b"><data key="s">0.9 0.1</data></node></graph></graphml>"#,
    );
    place.write(
        "bare.graphml",
        r#"<graphml><graph edgedefault="undirected"><node id="a"/>
        <node id="b"/></graph></graphml>"#,
    );
    fs::create_dir(place.file("folder.graphml")).unwrap();

    for roadmap in [
        "none.graphml",
        "text.graphml",
        "folder.graphml",
        "bare.graphml",
        "map.png",
    ] {
        let line = format!("{IN_MAP} --roadmap {roadmap}");
        refused(&place, 1, &[(&line, &[roadmap])]);
    }
    for table in [
        "none.table",
        "text.table",
        "cut.table",
        "flipped.table",
        "map.png",
        "worlds",
    ] {
        let line = format!("{IN_MAP} --roadmap prm.graphml --experience-table {table}");
        refused(&place, 1, &[(&line, &[table])]);
    }
    let line = format!("{IN_MAP} --roadmap small.graphml --experience-table known.table");
    refused(&place, 1, &[(&line, &["known.table", "0"])]);
    place.write("text.png", "not a picture");
    refused(&place, 1, &[("convert map.png out.graphml", &["map.png"])]);
    for command in ["info", "convert"] {
        for file in [
            "none",
            "none.graphml",
            "text.graphml",
            "text.table",
            "cut.table",
            "text.png",
        ] {
            let line = match command {
                "info" => format!("info {file}"),
                _ => format!("convert {file} out.graphml"),
            };
            refused(&place, 1, &[(&line, &[file])]);
        }
    }
    refused(
        &place,
        1,
        &[
            ("info flipped.table", &["flipped.table"]),
            ("convert flipped.table out.table", &["flipped.table"]),
            ("convert known.table out", &["no roadmap", "--roadmap"]),
            (
                "convert known.table out.graphml",
                &["no roadmap", "--roadmap"],
            ),
            (
                "convert known.table out --roadmap none.graphml",
                &["none.graphml"],
            ),
            (
                "convert known.table out --roadmap small.graphml",
                &["edges"],
            ),
            ("convert prm.graphml out.table", &["no collision table"]),
            (
                "convert prm.graphml out --start 0 --goal 1",
                &["vertex 0", "1 to 60"],
            ),
            (
                "convert prm.graphml out --start 1 --goal 61",
                &["vertex 61", "1 to 60"],
            ),
        ],
    );
    assert!(!place.file("out").exists());
}

/// Found out before the work whose results are to be kept.
#[test]
fn places_that_cannot_be_written_to() {
    let place = Place::new().with_maps().with_dataset();
    fs::create_dir(place.file("folder.json")).unwrap();
    fs::create_dir(place.file("folder.svg")).unwrap();
    refused_after(
        &place,
        1,
        IN_MAP,
        &[
            ("--path path.txt", &["path.txt", ".json", ".csv"]),
            ("--path path", &["`path`", ".json"]),
            ("--picture run.bmp", &["run.bmp", ".svg", ".png"]),
            ("--path none/path.json", &["none/path.json"]),
            ("--path map.png/path.json", &["map.png/path.json"]),
            ("--path folder.json", &["folder.json", "is a folder"]),
            ("--picture none/run.svg", &["none/run.svg"]),
            ("--picture folder.svg", &["folder.svg", "is a folder"]),
        ],
    );
    refused(
        &place,
        1,
        &[
            ("bench worlds -o rows.xls", &["rows.xls", ".parquet"]),
            ("bench worlds -o rows", &["rows", ".csv"]),
            ("bench worlds -o none/rows.csv", &["none/rows.csv"]),
            (
                "bench worlds -o folder.json",
                &["folder.json", "is a folder"],
            ),
            ("convert worlds out.xyz", &["out.xyz", ".graphml"]),
            ("convert worlds none/out.graphml", &["none/out.graphml"]),
            ("convert worlds none/out.table", &["none/out.table"]),
            ("convert worlds map.png/out", &["map.png/out"]),
            ("demo --worlds 3 --output map.png", &["map.png"]),
            ("demo --worlds 3 --output map.png/x", &["map.png/x"]),
        ],
    );
}

#[test]
fn a_calibration_that_cannot_be_had_says_why() {
    let place = Place::new().with_dataset();
    for (line, problem) in [
        ("calibrate worlds --belief xx", "`xx` is no belief"),
        ("calibrate worlds --checks 100000", "no edge is left"),
        ("calibrate worlds --worlds 99", "not in dataset"),
        ("calibrate worlds -o rows.xls", "no format"),
        ("calibrate worlds --picture rows.gif", "no known format"),
        ("calibrate nowhere", "nowhere"),
        ("calibrate worlds worlds --picture a.svg", "several"),
        ("calibrate worlds --robot panda-like", "scene0001.yaml"),
    ] {
        let run = place.psmp(line);
        assert!(matches!(run.code, Some(1 | 2)), "{line}: {run:?}");
        assert!(run.err.contains(problem), "{line}: {}", run.err);
    }
    // Without images no one sees configurations: what needs them is left out, and said to be.
    std::fs::remove_dir_all(place.file("worlds/environment_images")).unwrap();
    let run = place.psmp("calibrate worlds --checks 0").ok();
    assert!(run.err.contains("left out: belief `nn`"), "{}", run.err);
    assert!(!run.out.contains("| nn"), "{}", run.out);
    let run = place.psmp("calibrate worlds --belief nn").ends(1);
    assert!(run.err.contains("images"), "{}", run.err);
}
