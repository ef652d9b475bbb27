//! An SVG document as a file: as it is, or drawn.

#[cfg(feature = "pictures")]
use super::png::render;
use psmp_files::{FileError, save};
use std::path::Path;

/// Writes a document as SVG or, at twice the size, PNG, by the extension of `path`.
///
/// # Errors
/// If the extension is another one or the file cannot be written.
pub(crate) fn write_as_named(svg: &str, path: &Path) -> Result<(), FileError> {
    let extension = path.extension().map(|e| e.to_string_lossy().to_lowercase());
    match extension.as_deref() {
        Some("svg") => save(path, svg.as_bytes()),
        Some("png") => save(path, &render(svg).map_err(|e| FileError::new(path, e))?),
        _ => Err(FileError::new(
            path,
            "a picture is written as SVG or PNG, and the name says neither",
        )
        .hint("end the name in `.svg` or `.png`")),
    }
}

/// No PNG comes of a crate that was built without what draws them.
#[cfg(not(feature = "pictures"))]
fn render(_: &str) -> Result<Vec<u8>, &'static str> {
    Err("this psmp was built without PNG; end the name in `.svg`")
}
