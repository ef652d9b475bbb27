//! Writes the sound files of every reader into a folder, as `cargo fuzz` begins with them:
//! `cargo run -p psmp-fuzz --example sound_files -- fuzz/corpus`.

use psmp_fuzz::TARGETS;
use std::path::PathBuf;

fn main() -> std::io::Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from);
    let folder = folder.unwrap_or_else(|| "fuzz/corpus".into());
    for target in TARGETS {
        let corpus = folder.join(target.name);
        std::fs::create_dir_all(&corpus)?;
        for (place, bytes) in target.sound().iter().enumerate() {
            std::fs::write(corpus.join(format!("sound-{place}")), bytes)?;
        }
    }
    Ok(())
}
