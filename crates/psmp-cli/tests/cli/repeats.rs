use crate::place::Place;

#[test]
fn a_seed_repeats_a_run_to_the_byte_and_another_does_not() {
    let place = Place::new().with_maps().with_dataset();
    for line in [
        "demo --worlds 15",
        "plan --dataset worlds --world 2 --planner psmp:0.7 --json",
        "plan --map map.png --start 0.1,0.1 --goal 0.9,0.1 --sampler uniform --path p.json --configurations 9000",
    ] {
        let with_seed = |seed: u64| place.psmp(&format!("{line} --seed {seed}")).ok().out;
        let first = with_seed(7);
        assert_eq!(first, with_seed(7), "{line}");
        assert!((8..12).any(|seed| with_seed(seed) != first), "{line}");
    }
}

/// Time is the one thing that a run does not repeat.
fn without_time(csv: &str) -> String {
    let place = csv.split([',', '\n']).position(|c| c == "seconds").unwrap();
    let row = |line: &str| {
        let mut cells: Vec<&str> = line.split(',').collect();
        cells.remove(place);
        cells.join(",") + "\n"
    };
    csv.lines().map(row).collect()
}

#[test]
fn rows_are_the_same_on_any_number_of_threads() {
    let place = Place::new().with_dataset();
    let rows = |options: &str| {
        let planners = "--planners psmp:fs,psmp:0.7,lazysp --experience unseen";
        let line = format!("bench worlds --worlds all {planners} --seeds 3 -o rows.csv {options}");
        place.psmp(&line).ok();
        without_time(&place.read("rows.csv"))
    };
    let one = rows("--jobs 1");
    assert_eq!(one.lines().count(), 1 + 12 * 3 * 3);
    assert_eq!(one, rows("--jobs 5"));
    assert_eq!(one, rows(""));
    assert_ne!(one, rows("--seed 1"));
}

#[test]
fn seeds_of_a_bench_are_the_seeds_of_its_plans() {
    let place = Place::new().with_dataset();
    place
        .psmp("bench worlds --worlds 2 --planners psmp:0.7 --seeds 3 --seed 5 -o rows.json")
        .ok();
    for row in place.json("rows.json").as_array().unwrap() {
        let seed = row["seed"].as_u64().unwrap();
        let line =
            format!("plan --dataset worlds --world 2 --planner psmp:0.7 --seed {seed} --json");
        let last = place.psmp(&line).ok().json_lines().pop().unwrap();
        assert_eq!(row["cost_total"], last["configurations"]);
        assert_eq!(row["proposals"], last["proposals"]);
    }
}
