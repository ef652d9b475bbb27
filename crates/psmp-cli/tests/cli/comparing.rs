use crate::place::Place;
use psmp_testdata::published;
use serde_json::Value;
use std::fs;

/// What the page has within the script of its rows.
fn data(page: &str) -> Value {
    let (_, after) = page
        .split_once("<script type=\"application/json\" id=\"comparison\">")
        .unwrap();
    let (data, _) = after.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap()
}

fn films(data: &Value) -> Vec<&str> {
    let rows = data["rows"].as_array().unwrap().iter();
    rows.filter_map(|row| row[13].as_str()).collect()
}

fn names(list: &Value) -> Vec<&str> {
    let list = list.as_array().unwrap().iter();
    list.map(|one| one["name"].as_str().unwrap()).collect()
}

/// Planners of every kind in the same worlds: each row is run again as it was, and each run has a film that opens.
#[test]
fn planners_of_every_kind_are_compared_replayed_and_filmed() {
    let place = Place::new().with_dataset();
    let planners = "psmp:fs,lazysp+shortcut,lazysp+grow,ei:local+grow,rrtconnect,rrtconnect+shortcut,rrtstar,bitstar";
    let line = format!(
        "bench worlds --planners {planners} --worlds 1,5 --budget 2000 -o rows.csv -o rows.parquet --page results.html"
    );
    place.psmp(&line).ok();
    let page = place.read("results.html");
    assert!(page.starts_with("<!DOCTYPE html>") && !page.contains("{{"));
    let data = data(&page);
    assert_eq!(data["planners"].as_array().unwrap().len(), 8);
    assert_eq!(names(&data["planners"])[0], "psmp:fs (seen)");
    let films = films(&data);
    assert_eq!(films.len(), 16);
    for film in films {
        let film = place.read(film);
        assert!(film.contains("the same paths as in the row"));
    }
    let solved = |row: &Value| !row[10].as_array().unwrap().is_empty();
    let rows = data["rows"].as_array().unwrap();
    assert!(rows.iter().filter(|row| solved(row)).count() >= 12);
    // Costs, lengths and times are of the same paths.
    for row in rows {
        let lengths = [10, 11, 12].map(|column| row[column].as_array().unwrap().len());
        assert!(lengths[0] == lengths[1] && lengths[1] == lengths[2]);
    }
    for row in 1..=16 {
        let replayed = place.psmp(&format!("replay rows.parquet {row}")).ok();
        assert!(replayed.out.contains("match:"), "{}", replayed.out);
    }
    // What is straightened or free of the roadmap is no longer than the roadmap's shortest, given enough.
    let best = |name: &str| {
        let place = names(&data["planners"])
            .iter()
            .position(|n| *n == name)
            .unwrap();
        let run = rows
            .iter()
            .find(|row| row[1] == place && row[2] == 1)
            .unwrap();
        run[11]
            .as_array()
            .unwrap()
            .last()
            .unwrap()
            .as_f64()
            .unwrap()
    };
    assert!(best("lazysp+shortcut") <= best("psmp:fs (seen)") + 1e-9);
    assert!(best("ei:local+grow") <= best("psmp:fs (seen)") + 1e-9);
    let line = "replay rows.csv 4 --page film.html";
    place.psmp(line).ok();
    assert!(
        place
            .read("film.html")
            .contains("ei:local+grow in world 1 of worlds")
    );
}

#[test]
fn rows_of_several_files_and_formats_are_one_page() {
    let place = Place::new().with_dataset();
    for (planner, file) in [
        ("lazysp", "a.parquet"),
        ("psmp:fs", "b.csv"),
        ("lazysp", "c.json"),
    ] {
        let line = format!("bench worlds --planners {planner} --worlds 1-3 -o {file}");
        place.psmp(&line).ok();
    }
    let run = place
        .psmp("page a.parquet b.csv c.json -o all.html --json")
        .ok();
    // The rows of the last are those of the first.
    assert_eq!(
        (run.json()["runs"].clone(), run.json()["films"].clone()),
        (6.into(), 6.into())
    );
    let data = data(&place.read("all.html"));
    assert_eq!(names(&data["planners"]), ["lazysp", "psmp:fs (seen)"]);
    assert!(place.read("all.html").contains("counted once"));
    let all = fs::read_dir(place.file("all_films")).unwrap().count();
    assert_eq!(all, 6);
    // Without the worlds there is a page all the same, which says how films are made.
    fs::rename(place.file("worlds"), place.file("elsewhere")).unwrap();
    let run = place.psmp("page a.parquet -o bare.html").ok();
    assert!(
        run.err.contains("no films of `worlds`") && run.err.contains("hint:"),
        "{}",
        run.err
    );
    assert!(!place.file("bare_films").exists() && place.file("bare.html").exists());
}

#[test]
fn files_that_are_no_rows_are_told_with_their_column() {
    let place = Place::new().with_dataset();
    place
        .psmp(
            "bench worlds --planners lazysp --worlds 1-2 -o rows.csv -o rows.json -o rows.parquet",
        )
        .ok();
    let csv = place.read("rows.csv");
    place.write("renamed.csv", csv.replacen("best_length", "length", 1));
    place.write("other.csv", "planner,time\nlazysp,3\n");
    place.write(
        "word.csv",
        csv.replace(",lazysp,none,1,", ",lazysp,none,one,"),
    );
    place.write("none.csv", csv.lines().next().unwrap());
    place.write(
        "word.json",
        place
            .read("rows.json")
            .replacen("\"world\": 1", "\"world\": \"x\"", 1),
    );
    place.write(
        "cut.parquet",
        &fs::read(place.file("rows.parquet")).unwrap()[..900],
    );
    place.write("text.parquet", "nothing of the kind");
    for (file, words) in [
        ("renamed.csv", &["renamed.csv", "`best_length`"][..]),
        ("other.csv", &["other.csv", "`dataset`"]),
        ("word.csv", &["word.csv", "`world`", "line"]),
        ("word.json", &["word.json", "`world`", "row 1"]),
        ("none.csv", &["none.csv", "no rows"]),
        ("cut.parquet", &["cut.parquet"]),
        ("text.parquet", &["text.parquet"]),
        ("missing.csv", &["missing.csv"]),
        ("rows.xls", &["rows.xls", ".parquet"]),
    ] {
        let run = place
            .psmp(&format!("page rows.csv {file} -o out.html"))
            .ends(1);
        for word in words {
            assert!(run.err.contains(word), "{file}: {}", run.err);
        }
        assert!(
            run.err.contains("hint:") && !run.err.contains("panicked"),
            "{}",
            run.err
        );
        assert!(!place.file("out.html").exists());
    }
    for (line, words) in [
        ("page rows.csv -o out.pdf", &["out.pdf", ".html"][..]),
        (
            "bench worlds --planners lazysp --page no/where.html",
            &["no"],
        ),
        ("bench worlds --planners rrtstar", &["rrtstar", "--budget"]),
        (
            "bench worlds --planners lazysp+grow --price 1us",
            &["lazysp+grow", "--price"],
        ),
        (
            "bench worlds --planners lazysp --robot panda-like",
            &["--robot", "scene0001.yaml"],
        ),
    ] {
        let run = place.psmp(line).ends(1);
        for word in words {
            assert!(run.err.contains(word), "{line}: {}", run.err);
        }
    }
    place
        .psmp("bench worlds --planners rrtstar+shortcut")
        .ends(2);
    place.psmp("bench worlds --open").ends(2);
}

/// A folder of an arm's problems, with a shipped robot, beside a dataset on the same page.
#[test]
fn arms_take_part() {
    let place = Place::new().with_dataset();
    place.psmp("generate clutter --worlds 5 -o clutter").ok();
    let planners = "psmp:fs,lazysp+shortcut,ei:local+grow,rrtconnect+shortcut";
    let line = format!(
        "bench clutter worlds --robot panda-like --planners {planners} --experience unseen --worlds 5 --budget 1000 \
         -o rows.csv --page results.html"
    );
    place.psmp(&line).ok();
    let data = data(&place.read("results.html"));
    assert_eq!(names(&data["sets"]), ["clutter", "worlds"]);
    assert_eq!(films(&data).len(), 8);
    let film = place.read(films(&data)[0]);
    assert!(film.contains("of clutter") && film.contains("the same paths as in the row"));
    for row in 1..=4 {
        let replayed = place.psmp(&format!("replay rows.csv {row}")).ok();
        assert!(replayed.out.contains("match:"), "{}", replayed.out);
    }
    let nobody = place.psmp("bench clutter --planners lazysp").ends(1);
    assert!(
        nobody.err.contains("--robot") && nobody.err.contains("clutter"),
        "{}",
        nobody.err
    );
    let wrong = place
        .psmp("bench clutter --robot planar-3 --planners lazysp")
        .ends(1);
    assert!(wrong.err.contains("hint:"), "{}", wrong.err);
}

/// Published problems, with the robot that lies near them.
#[test]
fn published_arms_take_part() {
    let Some(cage) = published("motion_bench_maker/panda/problems/cage") else {
        return;
    };
    let place = Place::new();
    let line = format!(
        "bench {} --planners ei:local+grow,rrtconnect+shortcut --worlds 1 --budget 3000 -o rows.csv",
        cage.display()
    );
    let run = place.psmp(&line).ok();
    assert!(run.out.contains("cage"), "{}", run.out);
    place.psmp("replay rows.csv 2").ok();
}
