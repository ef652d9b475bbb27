//! Random tables, written and read again.
#![allow(clippy::unwrap_used)] // In a test an unwrap is an assertion.

use proptest::collection::vec;
use proptest::prelude::*;
use psmp::{CollisionTable, EdgeId, Experience, WorldId};
use psmp_files::{TableFile, write_table};

proptest! {
    #[test]
    fn a_table_file_reads_as_it_was_written(rows in vec(any::<[bool; 67]>(), 0..140)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("worlds.table");
        let table = CollisionTable::from_rows(67, &rows).unwrap();
        write_table(&path, &table).unwrap();
        let file = TableFile::open(&path).unwrap();
        for (world, row) in rows.iter().enumerate() {
            for (edge, &free) in row.iter().enumerate() {
                let (world, edge) = (WorldId(world as u32), EdgeId(edge as u32));
                prop_assert_eq!(file.is_free(world, edge), free);
            }
        }
    }
}
