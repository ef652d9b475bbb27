//! Random tables, written and read again.
#![allow(clippy::unwrap_used)] // In a test an unwrap is an assertion.

use proptest::collection::vec;
use proptest::prelude::*;
use psmp::CollisionTable;
use psmp_files::{read_table, write_table};

proptest! {
    #[test]
    fn a_table_file_reads_as_it_was_written(rows in vec(any::<[bool; 67]>(), 0..140)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("worlds.table");
        let table = CollisionTable::from_rows(67, &rows).unwrap();
        write_table(&path, &table).unwrap();
        prop_assert_eq!(read_table(&path).unwrap(), table);
    }
}
