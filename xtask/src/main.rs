//! `cargo xtask test`: everything that must hold, the same for a person and for CI.
//!
//! Each check is a command that is printed before it runs, so that one that fails can be run alone.
//! All of them run even if one fails; the last lines say which did. Tests on published datasets
//! look for them in the folder that `PSMP_DATA` names, else in `../shared/data`. Where there are none
//! they say so loudly, or fail if `CI` or `PSMP_REQUIRE_DATA` is set.

mod dependencies;

use anyhow::{Result, bail};
use std::process::{Command, ExitCode};
use std::thread;
use std::time::Instant;

const USAGE: &str = "\
Usage: cargo xtask COMMAND

  test    format, lints, all tests, doctests, documentation, C and C++ with OMPL, the report in a browser, the Python package, the site
  bench   the benchmarks that speed is claimed by, each beside its rival
  dependencies   whether each crate needs what ARCHITECTURE.md says, and no more";

fn main() -> ExitCode {
    let outcome = match std::env::args().nth(1).as_deref() {
        Some("test") => {
            let mut tally = Tally::default();
            // One core unpacks packages while lints are compiled.
            let environment = thread::spawn(|| {
                let _ = (FOR_C.are_installed(), FOR_BROWSERS.are_installed());
                python_environment()
            });
            tally.run(&lints());
            let python = environment.join().unwrap_or_default();
            for checks in [
                tests(python),
                release_checks(),
                c_tests(),
                programs(),
                browser_tests(),
                python_tests(python),
            ] {
                tally.run(&checks);
            }
            tally.verdict()
        }
        Some("bench") => {
            let mut tally = Tally::default();
            tally.run(&benchmarks());
            tally.verdict()
        }
        Some("dependencies") => dependencies::check(),
        _ => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// One thing that must hold.
#[derive(Clone)]
struct Check {
    name: &'static str,
    program: &'static str,
    arguments: Vec<&'static str>,
    environment: Vec<(&'static str, &'static str)>,
    folder: &'static str,
}

fn check(name: &'static str, command: &'static str) -> Check {
    let mut words = command.split_whitespace();
    Check {
        name,
        program: words.next().unwrap_or("cargo"),
        arguments: words.collect(),
        environment: Vec::new(),
        folder: ".",
    }
}

/// The Python that tests run with, if there is one.
type Python = Option<&'static str>;

fn lints() -> Vec<Check> {
    vec![
        check("format", "cargo fmt --all --check"),
        check(
            "lints",
            "cargo clippy --workspace --all-targets --locked -- -D warnings",
        ),
    ]
}

fn tests(python: Python) -> Vec<Check> {
    let mut checks = Vec::new();
    let with_nextest = has("cargo", &["nextest", "--version"]);
    let mut tests = match with_nextest {
        true => check(
            "tests",
            "cargo nextest run --workspace --tests --locked --no-fail-fast",
        ),
        false => check(
            "tests and doctests",
            "cargo test --workspace --locked --no-fail-fast",
        ),
    };
    // Kinematics is held against pinocchio there.
    tests.environment.extend(python.map(|p| ("PSMP_PYTHON", p)));
    checks.push(tests);
    if with_nextest {
        checks.push(check("doctests", "cargo test --workspace --locked --doc"));
    }
    let mut documentation = check(
        "documentation",
        "cargo doc --workspace --locked --no-deps --quiet",
    );
    documentation
        .environment
        .push(("RUSTDOCFLAGS", "-D warnings"));
    checks.push(documentation);
    checks
}

/// What a release takes: dependencies that are meant, allowed and few, and crates that can be packed.
fn release_checks() -> Vec<Check> {
    let mut checks = vec![
        check("dependencies", "cargo xtask dependencies"),
        check(
            "packaging",
            "cargo package --workspace --exclude psmp-py --exclude psmp-c --exclude psmp-fuzz \
             --exclude psmp-testdata --exclude xtask --locked --allow-dirty --no-verify --quiet",
        ),
    ];
    if has("cargo", &["deny", "--version"]) {
        checks.push(check(
            "licences, bans and sources",
            "cargo deny --locked check licenses bans sources",
        ));
    } else {
        eprintln!(
            "\nSKIPPED: licences, bans and sources of dependencies, because there is no cargo-deny; \
             `cargo install cargo-deny --locked` and run again"
        );
    }
    checks
}

/// What the tests of pages and of the Python package run. The Rust tests have built it already: with an example in it
/// cargo takes the features of dependencies that tests have, without it all would be built once more.
fn programs() -> Vec<Check> {
    vec![check(
        "programs",
        "cargo build --workspace --locked --bin psmp --example events",
    )]
}

/// Programs and libraries that tests need beside Rust.
struct Packages {
    /// What needs them.
    what: &'static str,
    /// Each as a command that succeeds where it is, and its Debian packages.
    needed: &'static [(&'static [&'static str], &'static str)],
}

const FOR_C: Packages = Packages {
    what: "the test of C and C++",
    needed: &[
        (&["c++", "--version"], "g++"),
        (&["cmake", "--version"], "cmake"),
        (&["valgrind", "--version"], "valgrind"),
        (&["pkg-config", "--version"], "pkg-config"),
        // Debian's package of OMPL names libraries that do not come with it.
        (
            &[
                "sh",
                "-c",
                "pkg-config --exists ompl && ls /usr/lib/*/libboost_filesystem.so /usr/lib/*/libboost_serialization.so",
            ],
            "libompl-dev libboost-filesystem-dev libboost-serialization-dev",
        ),
    ],
};

const FOR_BROWSERS: Packages = Packages {
    what: "the browser test",
    needed: &[
        (&["chromium", "--version"], "chromium"),
        (&["node", "--version"], "nodejs"),
        (&["npm", "--version"], "npm"),
    ],
};

impl Packages {
    /// Sees that all are there. Those that are missing are installed if that can be done; if not, that is said loudly.
    fn are_installed(&self) -> bool {
        let is_there = |command: &[&str]| command.split_first().is_some_and(|(p, a)| has(p, a));
        let missing = self.needed.iter().filter(|(command, _)| !is_there(command));
        let missing: Vec<&str> = missing.map(|(_, package)| *package).collect();
        if missing.is_empty() {
            return true;
        }
        let install = format!(
            "apt-get update -qq && apt-get install -y -qq --no-install-recommends {}",
            missing.join(" ")
        );
        eprintln!("\n== installing what {} needs: {install}", self.what);
        let installed = Command::new("sh").args(["-c", &install]).status();
        let is_done = installed.is_ok_and(|status| status.success());
        if !is_done {
            eprintln!(
                "SKIPPED: {}, because {} cannot be installed; install it and run again",
                self.what,
                missing.join(", ")
            );
        }
        is_done
    }
}

/// The C interface under valgrind and random calls, installed as a user would, and with it the C++ examples, in which psmp is a
/// planner of OMPL. The library is the one that the Rust tests have built.
fn c_tests() -> Vec<Check> {
    if !FOR_C.are_installed() {
        return Vec::new();
    }
    // What CMake is told from outside it takes for paths as they stand.
    let Ok(here) = std::env::current_dir() else {
        eprintln!("SKIPPED: the test of C and C++, because the folder that this runs in is gone");
        return Vec::new();
    };
    let built = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
    let built = here.join(built).join("debug/deps");
    let (here, built) = (here.display(), built.display());
    let configure = format!(
        "cmake -S crates/psmp-c -B target/c/psmp -DPSMP_TESTS=ON -DPSMP_BUILT={built} \
         -DCMAKE_INSTALL_PREFIX={here}/target/c/installed"
    );
    let configure_examples = format!(
        "cmake -S examples/cpp -B target/c/examples -DCMAKE_PREFIX_PATH={here}/target/c/installed"
    );
    vec![
        check("C interface", configure.leak()),
        check(
            "C interface, built and installed",
            "cmake --build target/c/psmp --parallel 2 --target install",
        ),
        check(
            "C interface, tested",
            "ctest --test-dir target/c/psmp --parallel 2 --output-on-failure",
        ),
        check("C++ with OMPL", configure_examples.leak()),
        check(
            "C++ with OMPL, built",
            "cmake --build target/c/examples --parallel 2",
        ),
        check(
            "C++ with OMPL, tested",
            "ctest --test-dir target/c/examples --parallel 2 --output-on-failure",
        ),
    ]
}

/// The report's page in headless Chromium.
fn browser_tests() -> Vec<Check> {
    if !FOR_BROWSERS.are_installed() {
        return Vec::new();
    }
    let in_its_folder = |check: Check| Check {
        folder: "tests/browser",
        ..check
    };
    vec![
        in_its_folder(check("browser driver", "npm ci --no-audit --no-fund")),
        in_its_folder(check("report in a browser", "node test.mjs")),
        in_its_folder(check("an arm's report in a browser", "node arm.mjs")),
        in_its_folder(check("pages of runs in a browser", "node run.mjs")),
        in_its_folder(check("planners compared in a browser", "node bench.mjs")),
        in_its_folder(check("runs in a browser as they go on", "node live.mjs")),
    ]
}

/// Makes a fresh Python environment with what tests need. Without Python or packages to install
/// that is said loudly, and nothing is tested that takes it.
fn python_environment() -> Python {
    let make = "python3 -m venv --clear target/python/tests && \
        target/python/tests/bin/python -m pip install --quiet --disable-pip-version-check \
        --no-compile -r tests/python/requirements.txt";
    eprintln!("\n== installing what the Python tests need: {make}");
    let made = Command::new("sh").args(["-c", make]).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!(
            "SKIPPED: the tests of the Python package and of kinematics beside pinocchio, because Python \
             3.10 or later with venv and pip, or the packages of tests/python/requirements.txt, cannot \
             be had; install them and run again"
        );
        return None;
    }
    Some("target/python/tests/bin/python")
}

/// The Python package: its wheel in a fresh environment, its types, its tests and examples; and with it the site of the documents.
fn python_tests(python: Python) -> Vec<Check> {
    if python.is_none() {
        return Vec::new();
    }
    // Files on two cores, and what watches the clock with nothing beside it.
    let mut side_by_side = check(
        "python tests",
        "target/python/tests/bin/python -m pytest -n 2 --dist loadfile --durations=10 -m",
    );
    side_by_side.arguments.push("not alone");
    let mut alone = check(
        "python tests that watch the clock",
        "target/python/tests/bin/python -m pytest --durations=10 -m alone",
    );
    for tests in [&mut side_by_side, &mut alone] {
        tests.environment.push(("PSMP_BUILT", "1"));
    }
    vec![
        check(
            "python wheel",
            "target/python/tests/bin/python tests/python/wheel.py",
        ),
        check("python types", "target/python/tests/bin/python -m mypy"),
        check(
            "python stubs",
            "target/python/tests/bin/python -m mypy.stubtest psmp._psmp",
        ),
        side_by_side,
        alone,
        check(
            "documents",
            "target/python/tests/bin/python docs/site/build.py",
        ),
    ]
}

fn benchmarks() -> Vec<Check> {
    vec![
        check("search", "cargo bench -p psmp --bench search"),
        check("growth", "cargo bench -p psmp --bench growth"),
        check("table file", "cargo bench -p psmp-files --bench table_file"),
        check("thinking", "cargo bench -p psmp-lab --bench thinking"),
        check("arm checking", "cargo bench -p psmp-arm --bench checking"),
        check("first path", "cargo bench -p psmp-arm --bench first_path"),
        check("cores", "cargo bench -p psmp-arm --bench cores"),
        check("best known", "cargo bench -p psmp-arm --bench best_known"),
        check(
            "all published",
            "cargo bench -p psmp-arm --bench all_published",
        ),
        check("offices", "cargo bench -p psmp-lab --bench office"),
    ]
}

/// Whether a program is there and runs.
fn has(program: &str, arguments: &[&str]) -> bool {
    Command::new(program)
        .args(arguments)
        .output()
        .is_ok_and(|output| output.status.success())
}

/// What has been checked, and what of it has failed.
#[derive(Default)]
struct Tally {
    checks: usize,
    failed: Vec<&'static str>,
}

impl Tally {
    fn run(&mut self, checks: &[Check]) {
        for check in checks {
            eprintln!(
                "\n== {}: {} {}",
                check.name,
                check.program,
                check.arguments.join(" ")
            );
            let started = Instant::now();
            let status = Command::new(check.program)
                .args(&check.arguments)
                .envs(check.environment.iter().copied())
                .current_dir(check.folder)
                .status();
            let seconds = started.elapsed().as_secs();
            self.checks += 1;
            match status {
                Ok(status) if status.success() => {
                    eprintln!("== {}: good, {seconds} s", check.name);
                }
                outcome => {
                    if let Err(error) = outcome {
                        eprintln!("cannot run `{}`: {error}", check.program);
                    }
                    eprintln!("== {}: FAILED, {seconds} s", check.name);
                    self.failed.push(check.name);
                }
            }
        }
    }

    fn verdict(self) -> Result<()> {
        let Self { checks, failed } = self;
        if failed.is_empty() {
            eprintln!("\nall {checks} checks are good");
            return Ok(());
        }
        bail!(
            "{} of {checks} checks failed: {}",
            failed.len(),
            failed.join(", ")
        )
    }
}
