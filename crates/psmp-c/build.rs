//! Gives the shared library a name that programs look for when they start: the one of this version, because
//! before 1.0 the next minor version may have another interface.

use std::env::var;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    let version = |part: &str| var(format!("CARGO_PKG_VERSION_{part}")).unwrap_or_default();
    let (major, minor) = (version("MAJOR"), version("MINOR"));
    let argument = match var("CARGO_CFG_TARGET_OS").unwrap_or_default().as_str() {
        "linux" | "freebsd" => format!("-Wl,-soname,libpsmp_c.so.{major}.{minor}"),
        "macos" => format!("-Wl,-install_name,@rpath/libpsmp_c.{major}.{minor}.dylib"),
        _ => return,
    };
    println!("cargo:rustc-cdylib-link-arg={argument}");
}
