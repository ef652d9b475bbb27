use std::path::{Path, PathBuf};

/// Something among the real data: in the folder that `PSMP_DATA` names, else in `../shared/data`
/// beside the workspace. Where it is not there it says so, and the test that asked has nothing to
/// try.
pub fn real_data(path: &str) -> Option<PathBuf> {
    let data = std::env::var_os("PSMP_DATA").map_or_else(
        || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data"),
        PathBuf::from,
    );
    let found = data.join(path);
    if !found.exists() {
        eprintln!(
            "SKIPPED: `{}` is not there; set PSMP_DATA to the folder of the real data",
            found.display()
        );
        return None;
    }
    Some(found)
}
