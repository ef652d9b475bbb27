use crate::place::Place;

#[test]
fn every_command_has_help_with_an_example() {
    let place = Place::new();
    let top = place.psmp("--help").ok().out;
    let commands =
        "demo plan bench page calibrate learn generate table info convert srdf completions";
    for command in commands.split(' ') {
        assert!(top.contains(&format!("\n  {command} ")), "{top}");
        let help = place.psmp(&format!("{command} --help")).ok().out;
        let example = format!("  psmp {command}");
        assert!(
            help.contains("Example") && help.contains(&example),
            "{help}"
        );
        for shared in ["--json", "--seed"] {
            assert!(help.contains(shared), "{command}");
        }
    }
    for code in [
        "0 done",
        "1 error",
        "2 wrong usage",
        "3 no path on the roadmap or dataset",
        "4 no",
    ] {
        assert!(top.contains(code), "{top}");
    }
}

#[test]
fn the_version_is_told() {
    let version = Place::new().psmp("--version").ok().out;
    assert_eq!(version.trim(), concat!("psmp ", env!("CARGO_PKG_VERSION")));
}
