use crate::place::Place;
use std::fs;

const QUERY: &str = "--start 0.1,0.1 --goal 0.9,0.1";

/// What the page has within a script of this name.
fn data(page: &str, id: &str) -> serde_json::Value {
    let begins = format!("<script type=\"application/json\" id=\"{id}\">");
    let (_, after) = page.split_once(&begins).unwrap();
    let (data, _) = after.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap()
}

#[test]
fn a_run_becomes_a_page_and_is_the_same_run() {
    let place = Place::new().with_maps();
    let line = format!("plan --map map.png {QUERY} --robot-radius 0.01 --configurations 3000");
    let plain = place.psmp(&line).ok();
    let shown = place.psmp(&format!("{line} --page run.html")).ok();
    assert_eq!(plain.out, shown.out);
    let page = fs::read_to_string(place.file("run.html")).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") && page.contains("ei:ensemble in map.png"));
    assert!(!page.contains("{{"));
    let films = data(&page, "films");
    let frames = films[0]["films"][0]["frames"].as_array().unwrap();
    // Every better path is there, and the end.
    let of = |kind: &str| frames.iter().filter(|f| f["k"] == kind).count();
    assert_eq!(of("i"), shown.out.matches("length").count());
    assert_eq!(
        (of("e"), frames.last().unwrap()["k"].as_str()),
        (1, Some("e"))
    );
    let world = &films[0]["worlds"][0];
    assert!(world["obstacles"]["rectangles"].as_array().unwrap().len() >= 4);
    assert!(world["margin"]["rectangles"].as_array().unwrap().len() >= 4);
    assert_eq!(data(&page, "motions"), serde_json::json!([]));
}

#[test]
fn every_kind_of_run_has_a_page() {
    let place = Place::new().with_maps().with_dataset().with_arm();
    for (line, has_arm) in [
        (format!("plan --map map.png {QUERY} --fixed-roadmap"), false),
        (
            format!("plan --map map.png {QUERY} --planner rrtconnect"),
            false,
        ),
        (
            format!("plan --map map.png {QUERY} --planner rrtconnect --shortcut"),
            false,
        ),
        (
            "plan --dataset worlds --world 3 --planner psmp:fs".to_owned(),
            false,
        ),
        (
            "plan --robot planar-3 --scene post.toml --request over.yaml --configurations 2000"
                .to_owned(),
            true,
        ),
    ] {
        place.psmp(&format!("{line} --page run.html")).ok();
        let page = fs::read_to_string(place.file("run.html")).unwrap();
        let films = data(&page, "films");
        assert_eq!(films[0]["size"].is_null(), has_arm, "{line}");
        let motions = data(&page, "motions");
        assert_eq!(
            motions.as_array().unwrap().len(),
            usize::from(has_arm),
            "{line}"
        );
        if has_arm {
            let best = &motions[0]["motions"][0];
            assert_eq!(best["planner"], "best path");
            assert!(best["seconds"].as_f64().unwrap() > 0.1);
        }
    }
    // Where there is no path there is a page of looking for one.
    let line = format!("plan --map closed.png {QUERY} --configurations 500 --page none.html");
    place.psmp(&line).ends(4);
    let page = fs::read_to_string(place.file("none.html")).unwrap();
    assert!(page.contains("no path after"));
}

#[test]
fn a_page_that_cannot_be_written_is_told_before_the_work() {
    let place = Place::new().with_maps();
    let plan = format!("plan --map map.png {QUERY}");
    let run = place.psmp(&format!("{plan} --page run.pdf")).ends(1);
    assert!(
        run.err.contains("`run.pdf`") && run.err.contains("`.html`"),
        "{}",
        run.err
    );
    let run = place
        .psmp(&format!("{plan} --page nowhere/run.html"))
        .ends(1);
    assert!(
        run.err.contains("nowhere") && run.out.is_empty(),
        "{}",
        run.err
    );
    place.psmp(&format!("{plan} --open")).ends(2);
}

/// A browser that only notes what it was given.
#[cfg(target_os = "linux")]
#[test]
fn the_page_is_opened_and_that_it_cannot_be_is_no_failure() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new().with_maps();
    let line = format!("plan --map map.png {QUERY} --page run.html --open");
    fs::create_dir(place.file("bin")).unwrap();
    let alone = place.file("bin");
    let mut command = place.command(&line);
    let run = command.env("PATH", &alone).output().unwrap();
    let said = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success() && said.contains("run.html"), "{said}");
    let browser = alone.join("xdg-open");
    fs::write(&browser, "#!/bin/sh\necho \"$1\" > opened\n").unwrap();
    fs::set_permissions(&browser, fs::Permissions::from_mode(0o755)).unwrap();
    let mut command = place.command(&line);
    assert!(
        command
            .env("PATH", &alone)
            .output()
            .unwrap()
            .status
            .success()
    );
    let opened = (0..500).find_map(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        fs::read_to_string(place.file("opened"))
            .ok()
            .filter(|o| o.ends_with('\n'))
    });
    assert!(opened.unwrap().trim_end().ends_with("run.html"));
}
