//! Rows in files: CSV for spreadsheets, JSON for scripts, Parquet for data frames; each can be read back. A file may
//! have columns that rows have not, and those that came later may be missing; the others are needed.

use crate::older_rows::in_todays_words;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::record::Field;
use parquet::record::RecordWriter;
use psmp_files::{FileError, check_writable, save};
use psmp_lab::Row;
use serde_json::{Map, Value};
use std::fs::File;
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

/// Reads rows from a file that [`write()`] has written, in the format that its ending names.
///
/// # Errors
/// If the file is not there, or is none of those; where a column is missing or malformed, with its name.
pub fn read(path: &Path) -> Result<Vec<Row>, FileError> {
    match path.extension().and_then(|e| e.to_str()) {
        Some("csv") => read_csv(path),
        Some("json") => read_json(path),
        Some("parquet") => read_parquet(path),
        _ => Err(
            FileError::new(path, "ends in no format that rows are read from")
                .hint("name a file of rows that ends in `.csv`, `.json` or `.parquet`"),
        ),
    }
}

/// What to do about a file that is none of rows.
const NO_ROWS: &str =
    "name a file of rows as `psmp bench -o` has written it, or make it again with this version";

/// The columns that a file of rows has to have, each with the name that it had before, if it had another.
const NEEDED: [(&str, &str); 27] = [
    ("dataset", ""),
    ("planner", ""),
    ("experience", ""),
    ("world", ""),
    ("seed", ""),
    ("unit", ""),
    ("shortest_on_roadmap", "shortest_length"),
    ("limit", ""),
    ("cost_to_first", ""),
    ("first_length", ""),
    ("cost_to_shortest", ""),
    ("cost_total", ""),
    ("edges", ""),
    ("proposals", ""),
    ("best_length", ""),
    ("lower_bound_on_roadmap", "lower_bound"),
    ("ending", ""),
    ("regret", ""),
    ("curve", ""),
    ("events", ""),
    ("folder", ""),
    ("resolution", ""),
    ("eta", ""),
    ("fallback", ""),
    ("budget", ""),
    ("version", ""),
    ("seconds", ""),
];

/// Sees that a file has the columns of rows.
fn check_columns<'a>(
    path: &Path,
    columns: impl Iterator<Item = &'a str> + Clone,
) -> Result<(), FileError> {
    let has = |name: &str| columns.clone().any(|column| column == name);
    match NEEDED.iter().find(|(now, then)| !has(now) && !has(then)) {
        Some((missing, _)) => Err(FileError::new(
            path,
            format!("has no column `{missing}`, which rows of runs have"),
        )
        .hint(NO_ROWS)),
        None => Ok(()),
    }
}

fn read_json(path: &Path) -> Result<Vec<Row>, FileError> {
    let bytes = std::fs::read(path).map_err(|e| FileError::io(path, "read", e))?;
    let wrong = |e: serde_json::Error| FileError::new(path, e.to_string()).hint(NO_ROWS);
    let rows: Vec<Map<String, Value>> = serde_json::from_slice(&bytes).map_err(wrong)?;
    rows.into_iter()
        .enumerate()
        .map(|(place, row)| of_map(path, place, row))
        .collect()
}

/// A row from its columns.
fn of_map(path: &Path, place: usize, row: Map<String, Value>) -> Result<Row, FileError> {
    check_columns(path, row.keys().map(String::as_str))?;
    let wrong =
        |what: String| FileError::new(path, format!("row {}: {what}", place + 1)).hint(NO_ROWS);
    match serde_json::from_value::<Row>(Value::Object(row.clone())) {
        Ok(row) => Ok(in_todays_words(row)),
        Err(error) => Err(match malformed(&row) {
            Some(column) => wrong(format!("column `{column}`: {error}")),
            None => wrong(error.to_string()),
        }),
    }
}

/// The first column that holds what no row has there.
fn malformed(row: &Map<String, Value>) -> Option<&str> {
    let Ok(Value::Object(usual)) = serde_json::to_value(Row::default()) else {
        return None;
    };
    let mut columns = row.iter().filter(|(name, _)| usual.contains_key(*name));
    let wrong = columns.find(|(name, value)| {
        let mut alone = usual.clone();
        alone.insert((*name).clone(), (*value).clone());
        serde_json::from_value::<Row>(Value::Object(alone)).is_err()
    });
    wrong.map(|(name, _)| name.as_str())
}

/// More rows than any sweep has, and than memory would hold.
const MOST_ROWS: i64 = 50_000_000;

fn read_parquet(path: &Path) -> Result<Vec<Row>, FileError> {
    // What its decoder takes to be impossible within a page it does not refuse: it panics.
    let read = std::panic::catch_unwind(|| rows_of_parquet(path));
    read.unwrap_or_else(|_| Err(FileError::new(path, "is damaged within a page").hint(NO_ROWS)))
}

fn rows_of_parquet(path: &Path) -> Result<Vec<Row>, FileError> {
    let file = File::open(path).map_err(|e| FileError::io(path, "read", e))?;
    let wrong = |e: ParquetError| FileError::new(path, e.to_string()).hint(NO_ROWS);
    let reader = SerializedFileReader::new(file).map_err(wrong)?;
    let metadata = reader.metadata().file_metadata();
    if !(0..=MOST_ROWS).contains(&metadata.num_rows()) {
        let what = format!("claims {} rows", metadata.num_rows());
        return Err(FileError::new(path, what).hint(NO_ROWS));
    }
    let columns = metadata.schema_descr().columns().to_vec();
    check_columns(path, columns.iter().map(|column| column.name()))?;
    let mut rows = Vec::new();
    for (place, row) in reader.get_row_iter(None).map_err(wrong)?.enumerate() {
        let row = row.map_err(wrong)?;
        let cells = row
            .get_column_iter()
            .map(|(name, field)| (name.clone(), value_of(field)));
        rows.push(of_map(path, place, cells.collect())?);
    }
    Ok(rows)
}

fn value_of(field: &Field) -> Value {
    match field {
        Field::Null => Value::Null,
        Field::Bool(value) => Value::from(*value),
        Field::Int(value) => Value::from(*value),
        Field::Long(value) => Value::from(*value),
        Field::UInt(value) => Value::from(*value),
        Field::ULong(value) => Value::from(*value),
        Field::Float(value) => Value::from(*value),
        Field::Double(value) => Value::from(*value),
        Field::Str(text) => Value::from(text.as_str()),
        other => Value::from(other.to_string()),
    }
}

/// Reads rows from a CSV file that [`write()`] has written.
///
/// # Errors
/// If the file is not there or is none of those.
fn read_csv(path: &Path) -> Result<Vec<Row>, FileError> {
    let mut reader = csv::Reader::from_path(path)
        .map_err(|e| FileError::new(path, format!("cannot read it: {e}")).hint(NO_ROWS))?;
    let header = reader.headers();
    let header = header
        .map_err(|e| FileError::new(path, e.to_string()).hint(NO_ROWS))?
        .clone();
    check_columns(path, header.iter())?;
    let mut rows = Vec::new();
    for row in reader.deserialize() {
        let row = row.map_err(|e: csv::Error| {
            let column = match e.kind() {
                csv::ErrorKind::Deserialize { err, .. } => err.field(),
                _ => None,
            };
            let column = column.and_then(|place| header.get(usize::try_from(place).ok()?));
            let what = match column {
                Some(name) => format!("column `{name}`: {e}"),
                None => e.to_string(),
            };
            FileError::new(path, what).hint(NO_ROWS)
        })?;
        // Rows are large beside their text: room for as many again would be most of what they take.
        if rows.len() == rows.capacity() {
            rows.reserve_exact(rows.len() / 4 + 16);
        }
        rows.push(in_todays_words(row));
    }
    Ok(rows)
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
