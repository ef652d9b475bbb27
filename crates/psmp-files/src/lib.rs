//! Files, and what all who read and write them share.
//!
//! [`save`] replaces a file at a stroke, [`read_regular`] reads one that may be anything, and
//! whatever is wrong with a file becomes a [`FileError`] that names the file, the place in it, and
//! the remedy. Three formats are psmp's own: collision tables ([`read_table`]); all that was learned
//! from worlds ([`BeliefFile`]), which [`learned`] makes, opens and adds to; and what planning leaves for the
//! next query ([`Kept`]), from run to run ([`Keeping`]).
#![deny(missing_docs)]

mod belief_file;
mod error;
mod files;
mod kept;
pub mod learned;
mod map_setting;
mod regular_file;
mod roadmap_sections;
mod sections;
mod table_file;
mod table_shard;

pub use belief_file::{BeliefFile, Fingerprint};
pub use error::{FileError, Place};
pub use files::{check_writable, read, save, save_piece, save_with};
pub use kept::{Keeping, Kept, Thing, WorldRecord, worth_keeping};
pub use map_setting::{MapArea, MapSetting};
pub use regular_file::{read_regular, read_regular_text};
pub use table_file::{MOST_UNBORNE, read_table, write_table};
pub use table_shard::{read_shard, write_shard};
