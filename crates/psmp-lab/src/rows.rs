//! Rows in files: CSV for spreadsheets, JSON for scripts, Parquet for data frames; and reading CSV
//! back.

use crate::row::Row;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::record::RecordWriter;
use psmp_worlds::{FileError, check_writable, save};
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
    let rows = rows.map(|rows| rows.into_iter().map(Row::in_todays_words).collect());
    rows.map_err(|e| {
        FileError::new(path, e.to_string()).hint("name a file of rows as it was written")
    })
}

/// Rows as the bytes of a Parquet file, for those who keep them elsewhere than in a folder.
///
/// # Errors
/// If Parquet cannot hold them.
pub fn parquet(rows: &[Row]) -> Result<Vec<u8>, parquet::errors::ParquetError> {
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::default()))
        .build();
    let mut file = SerializedFileWriter::new(Vec::new(), rows.schema()?, Arc::new(properties))?;
    let mut group = file.next_row_group()?;
    rows.write_to_row_group(&mut group)?;
    group.close()?;
    file.into_inner()
}
