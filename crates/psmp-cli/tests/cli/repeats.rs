use crate::place::Place;

#[test]
fn a_seed_repeats_a_run_to_the_byte_and_another_does_not() {
    let place = Place::new().with_maps().with_dataset();
    for line in [
        "demo --worlds 15",
        "plan --dataset worlds --world 2 --planner psmp:0.7 --json",
        "plan --map map.png --start 0.1,0.1 --goal 0.9,0.1 --sampler uniform --path p.json --configurations 9000",
    ] {
        let with_seed = |seed: u64| place.psmp(&format!("{line} --seed {seed}")).ok().events();
        let first = with_seed(7);
        assert_eq!(first, with_seed(7), "{line}");
        assert!((8..12).any(|seed| with_seed(seed) != first), "{line}");
    }
}

#[test]
fn a_run_that_measures_prices_is_repeated_by_those_that_it_has_told() {
    let place = Place::new().with_maps();
    let plan = |price: &str| {
        let line = format!(
            "plan --map map.png --start 0.1,0.1 --goal 0.9,0.1 --configurations 3000 --json --price {price}"
        );
        place.psmp(&line)
    };
    let measured = plan("measured").ok();
    let lines = measured.json_lines();
    let priced = lines.iter().filter(|line| line["event"] == "priced");
    let told: Vec<&str> = priced.map(|line| line["price"].as_str().unwrap()).collect();
    assert!(told.len() > 2, "{told:?}");
    assert_eq!(plan(&told.join(",")).ok().events(), measured.events());
    // What a check costs makes a difference.
    assert_ne!(plan("1s").ok().events(), plan("10ns").ok().events());
}

#[test]
fn prices_are_measured_unless_a_seed_or_a_price_is_given() {
    let place = Place::new().with_maps();
    let measures = |rest: &str| {
        let line = format!(
            "plan --map map.png --start 0.1,0.1 --goal 0.9,0.1 --configurations 3000 --json {rest}"
        );
        let lines = place.psmp(&line).ok().json_lines();
        lines.iter().any(|line| line["event"] == "priced")
    };
    assert!(measures(""));
    assert!(!measures("--seed 0"));
    assert!(!measures("--planner lazysp"));
}

#[test]
fn prices_that_are_none_or_of_no_use_say_so() {
    let place = Place::new().with_maps();
    let plan = "plan --map map.png --start 0.1,0.1 --goal 0.9,0.1";
    for price in ["100", "-1us", "1us/", "soon"] {
        let run = place.psmp(&format!("{plan} --price={price}"));
        assert_eq!(run.code, Some(2), "{run:?}");
        assert!(run.err.contains("is no price"), "{run:?}");
    }
    for planner in ["lazysp", "rrtconnect"] {
        let run = place.psmp(&format!("{plan} --price 1ms --planner {planner}"));
        assert_eq!(run.code, Some(1), "{run:?}");
        assert!(run.err.contains("has no use for `--price`"), "{run:?}");
    }
}

/// Time is the one thing that a run does not repeat.
fn without_time(csv: &str) -> String {
    assert!(
        csv.lines()
            .next()
            .unwrap()
            .ends_with(",curve_seconds,seconds")
    );
    let row = |line: &str| line.rsplitn(3, ',').last().unwrap().to_owned() + "\n";
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
