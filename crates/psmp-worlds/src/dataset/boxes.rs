//! The boxes that a world is made of, as text: for each a line with its lower corner and its upper, in as many
//! numbers as the space has axes.

use super::text::NumberRows;
use crate::Shapes;
use psmp_files::FileError;
use std::io::Write;
use std::path::Path;

/// Reads boxes of a space of this dimension.
pub(super) fn read(path: &Path, dimension: usize) -> Result<Shapes, FileError> {
    let rows = NumberRows::read(path, &psmp_files::read(path)?)?;
    if rows.count() > 0 && rows.columns != 2 * dimension {
        let told = format!(
            "has {} numbers in a line where a box in a space of {dimension} axes has {}",
            rows.columns,
            2 * dimension
        );
        return Err(
            FileError::new(path, told).hint("give the lower corner and the upper in each line")
        );
    }
    let boxes = rows.values.chunks_exact((2 * dimension).max(1));
    boxes
        .enumerate()
        .try_fold(Shapes::new(dimension), |shapes, (number, corners)| {
            let (lower, upper) = corners.split_at(dimension);
            shapes.with_box(lower, upper).map_err(|e| {
                FileError::new(path, format!("box {}: {e}", number + 1))
                    .hint("give the lower corner first")
            })
        })
}

/// Writes boxes so that reading them gives the same back.
pub(super) fn write(path: &Path, shapes: &Shapes) -> Result<(), FileError> {
    psmp_files::save_with(path, |file| {
        for (lower, upper) in shapes.boxes() {
            let numbers: Vec<String> = lower.iter().chain(upper).map(f64::to_string).collect();
            writeln!(file, "{}", numbers.join(" "))?;
        }
        Ok(())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_again_and_what_is_wrong_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("world_1.txt");
        let boxes = Shapes::new(3)
            .with_box(&[0.1, 1.0 / 3.0, -0.5], &[0.2, 0.4, 1e-7])
            .and_then(|shapes| shapes.with_box(&[0.0; 3], &[1.0; 3]))
            .unwrap();
        write(&path, &boxes).unwrap();
        assert_eq!(read(&path, 3).unwrap(), boxes);
        let other = read(&path, 2).unwrap_err().to_string();
        assert!(other.contains("has 6 numbers"), "{other}");
        for (text, word) in [
            ("0 0 0 1 1 1\n0 0 0 1 1 -1\n", "box 2"),
            ("0 0 0 1 1\n", "has 5 numbers"),
            ("0 0 0 1 1 x\n", "x"),
        ] {
            std::fs::write(&path, text).unwrap();
            let wrong = read(&path, 3).unwrap_err().to_string();
            assert!(wrong.contains(word), "{wrong}");
        }
        std::fs::write(&path, "").unwrap();
        assert_eq!(read(&path, 3).unwrap(), Shapes::new(3));
    }
}
