use crate::place::Place;
use std::thread;

/// Plans in a world of the dataset with the belief and gives what it cost; what was found goes into
/// `run.json`.
fn plan(place: &Place, world: u32, options: &str) -> u64 {
    let line =
        format!("plan --dataset worlds --world {world} --outcomes run.json --json {options}");
    let lines = place.psmp(&line).ok().json_lines();
    lines.last().unwrap()["configurations"].as_u64().unwrap()
}

#[test]
fn experience_grows_with_every_query() {
    let place = Place::new().with_dataset();
    // Worlds whose passage is where no known world has it.
    for planner in ["psmp:soft", "ei:ensemble"] {
        place.psmp("learn worlds --worlds 1,12 -o few.belief").ok();
        let options = format!("--belief few.belief --planner {planner}");
        let mut before = 0;
        for world in [5, 8] {
            before += plan(&place, world, &options);
            place.psmp("learn --add run.json few.belief").ok();
        }
        let after: u64 = [5, 8].map(|w| plan(&place, w, &options)).iter().sum();
        assert!(after < before, "{planner}: {after} after {before}");
    }
}

#[test]
fn info_tells_what_was_learned() {
    let place = Place::new().with_dataset();
    place.psmp("learn worlds --worlds 1-4 -o few.belief").ok();
    let facts = place.psmp("info few.belief --json").ok().json();
    assert_eq!(facts["known_worlds"]["count"], 4);
    assert_eq!(facts["known_worlds"]["share_known"], 1.0);
    plan(&place, 5, "--belief few.belief");
    place.psmp("learn --add run.json few.belief").ok();
    let facts = place.psmp("info few.belief --json").ok().json();
    assert_eq!(facts["known_worlds"]["count"], 5);
    let share = facts["known_worlds"]["share_known"].as_f64().unwrap();
    assert!(0.8 < share && share < 1.0, "{share}");
    assert!(
        place
            .psmp("info few.belief")
            .ok()
            .out
            .contains("60 vertices")
    );
}

#[test]
fn a_belief_plans_as_the_worlds_it_was_learned_from() {
    let place = Place::new().with_dataset();
    place.psmp("learn worlds -o train.belief").ok();
    for planner in ["psmp:fs", "psmp:soft", "ei:latent", "ei:ensemble"] {
        let of_file = plan(
            &place,
            2,
            &format!("--planner {planner} --belief train.belief"),
        );
        let of_worlds = plan(
            &place,
            2,
            &format!("--planner {planner} --experience unseen"),
        );
        assert_eq!(of_file, of_worlds, "{planner}");
        let line = format!("bench worlds --planners {planner} --belief train.belief --worlds 2");
        place.psmp(&format!("{line} -o rows.csv -o rows.json")).ok();
        let rows = place.json("rows.json");
        assert_eq!(rows[0]["cost_total"], of_file);
        assert!(
            rows[0]["experience"]
                .as_str()
                .unwrap()
                .ends_with("train.belief")
        );
        assert!(place.psmp("replay rows.csv 1").ok().out.contains("match"));
    }
    // The default makes use of it.
    plan(&place, 2, "--belief train.belief");
}

#[test]
fn a_belief_may_begin_with_the_first_run() {
    let place = Place::new().with_maps();
    let query = "--fixed-roadmap --map map.png --start 0.1,0.1 --goal 0.9,0.1";
    place
        .psmp(&format!("plan {query} --outcomes run.json"))
        .ok();
    let told = place
        .psmp("learn --add run.json new.belief --json")
        .ok()
        .json();
    assert_eq!(
        (told["worlds"].as_u64(), told["partly_known"].as_u64()),
        (Some(1), Some(1))
    );
    // Another start and goal are another query on the same roadmap.
    let other = "--fixed-roadmap --map map.png --start 0.2,0.3 --goal 0.8,0.2";
    place
        .psmp(&format!(
            "plan {other} --belief new.belief --outcomes run2.json"
        ))
        .ok();
    let told = place
        .psmp("learn --add run.json run2.json new.belief --json")
        .ok()
        .json();
    assert_eq!(told["worlds"], 3);
    place
        .psmp(&format!(
            "plan {query} --belief new.belief --planner psmp:soft"
        ))
        .ok();
}

#[test]
fn writers_at_the_same_time_lose_nothing() {
    let place = Place::new().with_dataset();
    plan(&place, 2, "--planner lazysp");
    thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| place.psmp("learn --add run.json shared.belief").ok());
        }
    });
    let told = place
        .psmp("learn --add run.json shared.belief --json")
        .ok()
        .json();
    assert_eq!(told["worlds"], 7);
    // Nothing but the belief and what was there is left in the folder.
    let left = std::fs::read_dir(place.file(".")).unwrap().count();
    assert_eq!(left, 3);
}

#[cfg(unix)]
#[test]
fn a_belief_behind_a_link_stays_there_and_stays_private() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let place = Place::new().with_dataset();
    plan(&place, 2, "--planner lazysp");
    std::fs::create_dir(place.file("store")).unwrap();
    place.psmp("learn --add run.json store/real.belief").ok();
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(place.file("store/real.belief"), private).unwrap();
    symlink("store/real.belief", place.file("link.belief")).unwrap();
    let told = place.psmp("learn --add run.json link.belief --json").ok();
    assert_eq!(told.json()["worlds"], 2);
    let link = std::fs::symlink_metadata(place.file("link.belief")).unwrap();
    assert!(link.is_symlink());
    let real = std::fs::metadata(place.file("store/real.belief")).unwrap();
    assert_eq!(real.permissions().mode() & 0o777, 0o600);
}

#[test]
fn a_belief_that_cannot_be_used_says_why() {
    let place = Place::new().with_dataset().with_maps();
    place.psmp("learn worlds -o good.belief").ok();
    plan(&place, 2, "--planner lazysp");
    let map = "plan --map map.png --start 0.1,0.1 --goal 0.9,0.1 --fixed-roadmap";
    let mut damaged = std::fs::read(place.file("good.belief")).unwrap();
    place.write("short.belief", &damaged[..damaged.len() / 2]);
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    place.write("damaged.belief", &damaged);
    damaged[8] = 9;
    place.write("newer.belief", &damaged);
    place.write("other.json", "{\"version\": 1,\n\"roadmap\": 3}");
    let twice = r#"{"version":1,"roadmap":{"vertices":60,"edges":9,"hash":"00"},"checks":[
        {"edge":3,"free":true,"configurations":1},{"edge":3,"free":false,"configurations":1}]}"#;
    place.write("twice.json", twice);
    place.write("beyond.json", twice.replace("\"edge\":3", "\"edge\":10"));
    place.write(
        "elsewhere.json",
        twice.replacen("\"edge\":3", "\"edge\":4", 1),
    );
    let dataset = "plan --dataset worlds --world 2";
    let refused: &[(&str, &str)] = &[
        (&format!("{map} --belief good.belief"), "another roadmap"),
        (&format!("{dataset} --belief short.belief"), "checksum"),
        (&format!("{dataset} --belief damaged.belief"), "checksum"),
        (&format!("{dataset} --belief newer.belief"), "version 9"),
        (
            &format!("{dataset} --belief worlds/graph.txt"),
            "not a belief",
        ),
        (
            &format!("{dataset} --belief nowhere.belief"),
            "nowhere.belief",
        ),
        (
            &format!("{dataset} --belief good.belief --planner ei:local"),
            "no use",
        ),
        ("bench worlds --belief damaged.belief", "checksum"),
        ("learn --add good.belief", "no run is named"),
        ("learn --add other.json good.belief", "line 2"),
        ("learn --add twice.json good.belief", "edge 3 twice"),
        ("learn --add beyond.json good.belief", "edge 10"),
        ("learn --add elsewhere.json good.belief", "another roadmap"),
        ("learn --add run.json damaged.belief", "checksum"),
        ("learn worlds worlds -o b.belief", "one dataset"),
        ("learn worlds -o no/such/folder.belief", "folder.belief"),
        ("learn worlds --worlds 99 -o b.belief", "not in dataset"),
    ];
    for (line, problem) in refused {
        let run = place.psmp(line).ends(1);
        assert!(run.err.contains(problem), "{line}: {}", run.err);
        assert!(run.err.contains("hint:"), "{line}: {}", run.err);
    }
    place.psmp("learn worlds").ends(2);
    // After all of this the sound belief is as it was.
    place.psmp(&format!("{dataset} --belief good.belief")).ok();
}
