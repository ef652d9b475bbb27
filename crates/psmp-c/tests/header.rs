//! `include/psmp/psmp.h` is what the source says.
//!
//! Because of this test the library is built with all others, and the tests in C and C++ find it among them.

use std::path::Path;

#[test]
fn the_header_is_that_of_the_source() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let made = cbindgen::generate(folder).unwrap();
    let mut bytes = Vec::new();
    made.write(&mut bytes);
    let header = folder.join("include/psmp/psmp.h");
    if std::env::var_os("PSMP_WRITE_HEADER").is_some() {
        std::fs::write(&header, &bytes).unwrap();
    }
    let kept = std::fs::read(&header).unwrap_or_default();
    assert!(
        kept == bytes,
        "the header is out of date: PSMP_WRITE_HEADER=1 cargo test -p psmp-c --test header"
    );
}
