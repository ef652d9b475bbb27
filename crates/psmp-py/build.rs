//! On macOS a module that takes its symbols from the interpreter must be linked with leave to.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
