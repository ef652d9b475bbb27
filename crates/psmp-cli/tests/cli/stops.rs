use crate::place::{Place, Run, signal, wait};
use std::process::Stdio;
use std::time::{Duration, Instant};

const QUERY: &str = "--start 0.1,0.1 --goal 0.9,0.1";
/// A command ends within a tenth of a second of its stop. The rest is for starting it, for writing its
/// path, and for a machine that does other things as well.
const GRACE: Duration = Duration::from_millis(1000);

/// Runs a command that is to stop after so many seconds.
fn timed(place: &Place, line: &str, seconds: f64) -> Run {
    let began = Instant::now();
    let run = place.psmp(&format!("{line} --time {seconds}"));
    let took = began.elapsed();
    let allowed = Duration::from_secs_f64(seconds) + GRACE;
    assert!(took < allowed, "{took:?} for {seconds} s: {run:?}");
    run
}

#[test]
fn time_is_kept_while_building_and_while_thinking() {
    let place = Place::new().with_maps();
    // In the midst of making the roadmap, with nothing to show.
    let huge =
        format!("plan --map map.png {QUERY} --vertices 1000000 --radius 0.003 --planner ei:local");
    let run = timed(&place, &huge, 0.5).ends(4);
    assert!(run.err.contains("before planning began"), "{run:?}");
    assert!(run.err.contains("hint:"), "{run:?}");
    // In the midst of planning, whose first steps alone take longer.
    let large = format!("plan --map map.png {QUERY} --vertices 40000 --planner ei:local");
    for seconds in [2.0, 4.0] {
        let run = timed(&place, &large, seconds);
        assert!(matches!(run.code, Some(0 | 4)), "{run:?}");
    }
}

#[cfg(unix)]
#[test]
fn ctrl_c_and_sigterm_are_heard_while_thinking() {
    let place = Place::new().with_maps();
    let line =
        format!("plan --map map.png {QUERY} --vertices 30000 --planner ei:local --path p.csv");
    for (name, after) in [("INT", 0.4), ("TERM", 1.5), ("INT", 3.0)] {
        let mut command = place.command(&line);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_secs_f64(after));
        if child.try_wait().unwrap().is_some() {
            continue;
        }
        let began = Instant::now();
        signal(&child, name);
        let code = wait(&mut child, &line);
        assert!(began.elapsed() < GRACE, "{:?}", began.elapsed());
        match code {
            Some(0) => assert!(place.file("p.csv").is_file()),
            code => assert_eq!(code, Some(4)),
        }
    }
}

#[test]
fn time_is_kept_while_spheres_are_made() {
    let place = Place::new().with_arm();
    let line = "plan --robot planar-3 --scene post.toml --request over.yaml --spheres 100000";
    let run = timed(&place, line, 0.3).ends(4);
    assert!(run.err.contains("before planning began"), "{run:?}");
}

#[test]
fn a_budget_of_configurations_is_never_passed() {
    let place = Place::new().with_maps().with_dataset().with_arm();
    let problems = [
        format!("--map map.png {QUERY}"),
        format!("--map map.png {QUERY} --shortcut"),
        format!("--map map.png {QUERY} --planner rrtconnect --shortcut"),
        format!("--map map.png {QUERY} --planner bitstar"),
        format!("--map map.png {QUERY} --planner rrtstar"),
        "--dataset worlds --world 5 --planner psmp:fs".to_owned(),
        "--robot planar-3 --scene post.toml --request over.yaml --vertices 200".to_owned(),
    ];
    for problem in &problems {
        for most in [5, 30, 300, 447] {
            let run = place.psmp(&format!("plan {problem} --configurations {most} --json"));
            assert!(matches!(run.code, Some(0 | 4)), "{run:?}");
            let spent = run
                .json_lines()
                .iter()
                .map(|l| l["configurations"].as_u64())
                .max();
            let said = run.err.lines().find_map(|line| {
                let words: Vec<&str> = line.split_whitespace().collect();
                let place = words.iter().position(|w| w.starts_with("configurations"))?;
                words.get(place.checked_sub(1)?)?.parse::<u64>().ok()
            });
            for spent in [spent.flatten(), said].into_iter().flatten() {
                assert!(spent <= most, "{problem}: {spent} of {most}: {run:?}");
            }
            assert!(spent.is_some() || said.is_some(), "{run:?}");
        }
    }
}
