//! What has been learned from known worlds, kept so that it is learned once.
//!
//! Learning takes far longer than a run, and all runs that know the same worlds learn the same. The
//! few models used last are kept for the whole process, found by the content they were learned from.

use psmp::belief::LatentModel;
use psmp::{Experience, WorldId};
use std::hash::Hasher;
use std::sync::{Arc, Mutex, PoisonError};
use twox_hash::XxHash64;

/// Hidden causes that a latent model looks for.
const RANK: usize = 100;
/// Models kept. A sweep plans with as many experiences at once as it has threads, at most.
const KEPT: usize = 8;

static SHELF: Mutex<Vec<(u64, Arc<LatentModel>)>> = Mutex::new(Vec::new());

/// The latent model of some worlds of a table, learned now if it is not on the shelf. Others wait
/// meanwhile rather than learn the same beside.
#[must_use]
pub fn latent_model(table: &impl Experience, worlds: &[WorldId]) -> Arc<LatentModel> {
    let mut content = XxHash64::with_seed(0);
    content.write_usize(table.edge_count());
    for &world in worlds {
        for word in table.free_edges_in(world) {
            content.write_u64(*word);
        }
    }
    let content = content.finish();
    let mut shelf = SHELF.lock().unwrap_or_else(PoisonError::into_inner);
    let known = shelf.iter().position(|(key, _)| *key == content);
    let model = match known {
        Some(place) => shelf.remove(place).1,
        None => Arc::new(LatentModel::learn(table, worlds, RANK)),
    };
    shelf.push((content, model.clone()));
    if shelf.len() > KEPT {
        shelf.remove(0);
    }
    model
}
