//! Rows in files: CSV for spreadsheets, JSON for scripts, Parquet for data frames; and reading CSV
//! back.

use crate::older_rows::in_todays_words;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::record::RecordWriter;
use psmp_files::{FileError, check_writable, save};
use psmp_lab::Row;
use std::path::Path;
use std::sync::Arc;

/// Whether rows can be written to this file, before they have been worked for.
///
/// # Errors
/// If the ending names no format that rows are written in, or the file cannot be written.
pub fn check_file(path: &Path) -> Result<(), FileError> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("csv" | "json" | "parquet") => check_writable(path),
        _ => Err(no_format(path)),
    }
}

fn no_format(path: &Path) -> FileError {
    FileError::new(path, "ends in no format that rows are written in")
        .hint("end the name in `.csv`, `.json` or `.parquet`")
}

/// Writes rows in the format that the file's ending names: `.csv`, `.json` or `.parquet`. The file
/// is there whole or not at all.
///
/// # Errors
/// If the ending is another, or the file cannot be written.
pub fn write(path: &Path, rows: &[Row]) -> Result<(), FileError> {
    let trouble = |e: &dyn std::fmt::Display| FileError::new(path, format!("cannot write it: {e}"));
    let bytes = match path.extension().and_then(|e| e.to_str()) {
        Some("csv") => {
            let mut writer = csv::Writer::from_writer(Vec::new());
            for row in rows {
                writer.serialize(row).map_err(|e| trouble(&e))?;
            }
            writer.into_inner().map_err(|e| trouble(&e))?
        }
        Some("json") => serde_json::to_vec_pretty(rows).map_err(|e| trouble(&e))?,
        Some("parquet") => parquet(rows).map_err(|e| trouble(&e))?,
        _ => return Err(no_format(path)),
    };
    save(path, &bytes)
}

/// Reads rows from a CSV file that [`write()`] has written.
///
/// # Errors
/// If the file is not there or is none of those.
pub fn read_csv(path: &Path) -> Result<Vec<Row>, FileError> {
    let mut reader = csv::Reader::from_path(path)
        .map_err(|e| FileError::new(path, format!("cannot read it: {e}")))?;
    let rows: Result<Vec<Row>, csv::Error> = reader.deserialize().collect();
    let rows = rows.map(|rows| rows.into_iter().map(in_todays_words).collect());
    rows.map_err(|e| {
        FileError::new(path, e.to_string()).hint("name a file of rows as it was written")
    })
}

/// Rows as the bytes of a Parquet file.
fn parquet(rows: &[Row]) -> Result<Vec<u8>, parquet::errors::ParquetError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let mut file = SerializedFileWriter::new(Vec::new(), rows.schema()?, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    rows.write_to_row_group(&mut group)?;
    group.close()?;
    file.into_inner()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows written before endings and bounds said what they are about.
    #[test]
    fn older_words_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let (today, older) = (folder.path().join("t.csv"), folder.path().join("o.csv"));
        let row = |planner: &str, ending: &str| Row {
            planner: planner.to_owned(),
            ending: ending.to_owned(),
            shortest_on_roadmap: Some(2.0),
            lower_bound_on_roadmap: Some(1.5),
            ..Row::default()
        };
        let rows = [
            row("psmp:fs", "optimal"),
            row("lazysp+straightened", "infeasible"),
            row("rrtstar", "optimal"),
            row("rrtstar", "infeasible"),
            row("rrtconnect+straightened", "gave-up"),
            row("psmp:fs", "stopped"),
        ];
        write(&today, &rows).unwrap();
        let text = std::fs::read_to_string(&today).unwrap();
        let text = text
            .replace("shortest_on_roadmap", "shortest_length")
            .replace("lower_bound_on_roadmap", "lower_bound");
        // There was no column for the straight line.
        let place = text.split(',').position(|c| c == "straight_line");
        let without = |line: &str| {
            let cells = line
                .split(',')
                .enumerate()
                .filter(|(i, _)| Some(*i) != place);
            cells.map(|(_, cell)| cell).collect::<Vec<_>>().join(",") + "\n"
        };
        let text: String = text.lines().map(without).collect();
        std::fs::write(&older, text).unwrap();
        let read = read_csv(&older).unwrap();
        let words: Vec<&str> = read.iter().map(|row| row.ending.as_str()).collect();
        let expected = [
            "shortest-on-roadmap",
            "no-path-on-roadmap",
            "straight-line",
            "end-in-collision",
            "gave-up",
            "stopped",
        ];
        assert_eq!(words, expected);
        for row in &read {
            assert_eq!(row.shortest_on_roadmap, Some(2.0));
            let tree = row.planner.starts_with("rrt");
            assert_eq!(row.straight_line, tree.then_some(1.5));
            assert_eq!(row.lower_bound_on_roadmap, (!tree).then_some(1.5));
        }
        // And what is read is not read otherwise when written again.
        write(&today, &read).unwrap();
        assert_eq!(read_csv(&today).unwrap(), read);
    }
}
