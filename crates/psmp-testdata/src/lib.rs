//! Where tests find published data, and whether they may do without it.
//!
//! The data is in the folder that `PSMP_DATA` names, else in `shared/data` beside the repository. A
//! person may have none: the test then says so and tries nothing. Where `CI` or `PSMP_REQUIRE_DATA`
//! is set that is a failure, because a test that nobody sees being skipped tests nothing.
#![deny(missing_docs)]

use std::path::{Path, PathBuf};

/// A place in the published data; `None`, said loudly, where there is none.
///
/// # Panics
/// If it is not there and must be.
#[must_use]
pub fn published(place: &str) -> Option<PathBuf> {
    let data = std::env::var_os("PSMP_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let required = ["CI", "PSMP_REQUIRE_DATA"]
        .into_iter()
        .find(|name| is_set(name));
    find(&data.join(place), required)
}

fn find(path: &Path, required: Option<&str>) -> Option<PathBuf> {
    if path.exists() {
        return Some(path.to_owned());
    }
    let words = format!(
        "there is no published data at `{}`; set PSMP_DATA to the folder that has it",
        path.display()
    );
    if let Some(variable) = required {
        panic!("{words}, or do not set {variable}, which asks for it");
    }
    eprintln!("SKIPPED: {words}");
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_found_and_what_is_not_may_be_missing() {
        let here = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert_eq!(find(here, Some("CI")).as_deref(), Some(here));
        assert_eq!(find(&here.join("nothing"), None), None);
    }

    #[test]
    #[should_panic(expected = "no published data")]
    fn what_must_be_there_may_not_be_missing() {
        let _ = find(
            &Path::new(env!("CARGO_MANIFEST_DIR")).join("nothing"),
            Some("CI"),
        );
    }
}
