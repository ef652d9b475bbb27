//! `cargo xtask dependencies`: whether the table of what each crate needs, in `ARCHITECTURE.md`, is
//! true. So nobody makes a light crate heavy without saying so.
//!
//! A package counts once for each version that a crate is built of on Linux, macros included, tests
//! and build scripts not.

use anyhow::{Context, Result, bail, ensure};
use std::collections::BTreeSet;
use std::process::Command;

const FILE: &str = "ARCHITECTURE.md";
const BEGIN: &str = "<!-- dependencies -->";
const END: &str = "<!-- end of dependencies -->";
const TREE: &str =
    "tree --locked -e normal --target x86_64-unknown-linux-gnu --prefix none --no-dedupe";

/// A row of the table. An empty cell asks for nothing.
struct Wall {
    name: String,
    packages: usize,
    /// All that it may name in its own manifest.
    only: Vec<String>,
    /// What it must not need, neither itself nor through others.
    never: Vec<String>,
}

/// Holds the table against what Cargo says.
///
/// # Errors
/// Every row that is not true, in words.
pub fn check() -> Result<()> {
    let text = std::fs::read_to_string(FILE).with_context(|| format!("cannot read {FILE}"))?;
    let table = text
        .split_once(BEGIN)
        .and_then(|(_, rest)| rest.split_once(END));
    let (table, _) =
        table.with_context(|| format!("{FILE} has no table between {BEGIN} and {END}"))?;
    let rows = table.trim().lines().skip(2);
    let walls: Vec<Wall> = rows.map(wall).collect::<Result<_>>()?;
    let mut untrue = missing(&walls)?;
    for wall in &walls {
        untrue.extend(compare(
            wall,
            &tree(&wall.name, &[])?,
            &tree(&wall.name, &["--depth", "1"])?,
        ));
    }
    ensure!(
        untrue.is_empty(),
        "the table in {FILE} is not true:\n  {}",
        untrue.join("\n  ")
    );
    eprintln!(
        "the table of dependencies is true for {} crates",
        walls.len()
    );
    Ok(())
}

fn wall(row: &str) -> Result<Wall> {
    let cells: Vec<String> = row
        .split('|')
        .map(|cell| cell.trim().replace('`', ""))
        .collect();
    let [_, name, packages, only, never, _] = &cells[..] else {
        bail!("expected four cells in this row of {FILE}: {row}");
    };
    let names = |cell: &str| -> Vec<String> {
        let names = cell.split(',').map(|name| name.trim().to_owned());
        names.filter(|name| !name.is_empty()).collect()
    };
    Ok(Wall {
        name: name.clone(),
        packages: packages
            .parse()
            .with_context(|| format!("no number of packages in: {row}"))?,
        only: names(only),
        never: names(never),
    })
}

/// Crates that the table does not have.
fn missing(walls: &[Wall]) -> Result<Vec<String>> {
    let mut missing = Vec::new();
    for folder in std::fs::read_dir("crates").context("cannot read the folder `crates`")? {
        let name = folder?.file_name().to_string_lossy().into_owned();
        if !walls.iter().any(|wall| wall.name == name) {
            missing.push(format!("it has no row for {name}"));
        }
    }
    missing.sort();
    Ok(missing)
}

/// The packages, as name and version, that a crate needs; itself left out.
fn tree(name: &str, more: &[&str]) -> Result<BTreeSet<String>> {
    let output = Command::new("cargo")
        .args(TREE.split(' '))
        .args(["-p", name])
        .args(more)
        .output()
        .context("cannot run cargo")?;
    ensure!(
        output.status.success(),
        "cargo tree -p {name} failed; is there still such a crate? {}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = String::from_utf8_lossy(&output.stdout);
    let package = |line: &str| line.split(' ').take(2).collect::<Vec<_>>().join(" ");
    let packages = text.lines().skip(1).filter(|line| !line.is_empty());
    Ok(packages.map(package).collect())
}

fn compare(wall: &Wall, needed: &BTreeSet<String>, direct: &BTreeSet<String>) -> Vec<String> {
    let Wall {
        name,
        packages,
        only,
        never,
    } = wall;
    let named = |package: &String| package.split(' ').next().unwrap_or_default().to_owned();
    let mut untrue = Vec::new();
    for found in direct
        .iter()
        .map(named)
        .filter(|found| !only.is_empty() && !only.contains(found))
    {
        untrue.push(format!(
            "{name} names {found}, but only {} is allowed there",
            only.join(", ")
        ));
    }
    for found in needed
        .iter()
        .map(named)
        .filter(|found| never.contains(found))
    {
        untrue.push(format!(
            "{name} needs {found}, which it must not; `cargo tree -p {name} -e normal -i {found}` says why"
        ));
    }
    if needed.len() != *packages {
        untrue.push(format!(
            "{name} needs {} packages, not {packages}; if that is meant, write the new number",
            needed.len()
        ));
    }
    untrue
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(packages: &[&str]) -> BTreeSet<String> {
        packages.iter().map(|p| (*p).to_owned()).collect()
    }

    #[test]
    fn each_kind_of_untruth_is_told() {
        let wall = wall("| `a` | 2 | rand | image, resvg |").unwrap();
        let sound = set(&["rand v1", "rand_core v1"]);
        assert!(compare(&wall, &sound, &set(&["rand v1"])).is_empty());
        let found = compare(
            &wall,
            &set(&["image v1", "rand v1", "x v1"]),
            &set(&["image v1"]),
        );
        assert_eq!(found.len(), 3, "{found:?}");
        assert!(found[0].contains("only rand"), "{found:?}");
        assert!(found[1].contains("needs image"), "{found:?}");
        assert!(found[2].contains("3 packages, not 2"), "{found:?}");
    }

    #[test]
    fn a_row_that_is_cut_short_is_refused() {
        assert!(wall("| `a` | 2 |").is_err());
        assert!(wall("| `a` | two | | |").is_err());
    }
}
