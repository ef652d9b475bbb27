//! What has been learned from known worlds, kept so that it is learned once.
//!
//! Learning takes far longer than a run, and all runs that know the same worlds learn the same. The
//! few models used last are kept for the whole process, found by the content they were learned from.

use psmp::belief::{FiniteSet, LatentModel, Local, SoftSet, SoftSetModel, held_out};
use psmp::{Experience, Roadmap, WorldId};
use psmp_files::MemberWeights;
use std::hash::Hasher;
use std::sync::{Arc, Mutex, PoisonError};
use twox_hash::XxHash64;

/// Models kept. A sweep plans with as many experiences at once as it has threads, at most.
const KEPT: usize = 8;

/// Models of one kind, the one used last at the end.
struct Shelf<M>(Mutex<Vec<(u64, M)>>);

impl<M: Clone> Shelf<M> {
    const fn empty() -> Self {
        Self(Mutex::new(Vec::new()))
    }

    /// The model of this content, learned now if it is not on the shelf. Others wait meanwhile
    /// rather than learn the same beside.
    fn take(&self, content: u64, learn: impl FnOnce() -> M) -> M {
        let mut models = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let known = models.iter().position(|(key, _)| *key == content);
        let model = match known {
            Some(place) => models.remove(place).1,
            None => learn(),
        };
        models.push((content, model.clone()));
        if models.len() > KEPT {
            models.remove(0);
        }
        model
    }
}

static LATENT: Shelf<Arc<LatentModel>> = Shelf::empty();
static SOFT_SET: Shelf<SoftSetModel> = Shelf::empty();
static WEIGHTS: Shelf<MemberWeights> = Shelf::empty();

/// A number for all that some worlds of a table tell.
fn content(table: &impl Experience, worlds: &[WorldId]) -> u64 {
    let mut hash = XxHash64::with_seed(0);
    hash.write_usize(table.edge_count());
    for &world in worlds {
        for word in table.free_edges_in(world) {
            hash.write_u64(*word);
        }
        for word in table.known_edges_in(world).unwrap_or_default() {
            hash.write_u64(*word);
        }
    }
    hash.finish()
}

/// The latent model of some worlds of a table.
pub(crate) fn latent_model(table: &impl Experience, worlds: &[WorldId]) -> Arc<LatentModel> {
    LATENT.take(content(table, worlds), || {
        Arc::new(LatentModel::learn(table, worlds))
    })
}

/// How far some worlds of a table are to be trusted.
pub(crate) fn soft_set_model(table: &impl Experience, worlds: &[WorldId]) -> SoftSetModel {
    SOFT_SET.take(content(table, worlds), || {
        SoftSetModel::learn(table, worlds)
    })
}

/// What the members of an ensemble that knows some worlds of a table weigh to begin with: as if one
/// check had been made, and each had predicted it as well as checks in worlds it did not know.
/// Without configurations nothing can be said of the local belief, which is then as good as a coin.
pub(crate) fn member_weights(
    roadmap: Option<&Roadmap>,
    table: &impl Experience,
    worlds: &[WorldId],
) -> MemberWeights {
    WEIGHTS.take(content(table, worlds), || {
        let left_out = held_out::left_out(worlds);
        if left_out.is_empty() {
            return MemberWeights::default();
        }
        let others = |world: WorldId| worlds.iter().copied().filter(move |w| *w != world);
        let local = roadmap.and_then(|roadmap| Local::new(roadmap).ok());
        let soft = soft_set_model(table, worlds);
        MemberWeights {
            local: local.map_or(-std::f64::consts::LN_2, |local| {
                held_out::log_likelihood_per_check(table, &left_out, |_| local.clone())
            }),
            latent: latent_model(table, worlds).log_likelihood(),
            soft_set: held_out::log_likelihood_per_check(table, &left_out, |world| {
                SoftSet::of_worlds(table, others(world), soft)
            }),
            finite_set: held_out::log_likelihood_per_check(table, &left_out, |world| {
                FiniteSet::of_worlds(table, others(world))
            }),
        }
    })
}

/// Puts on the shelf what was learned from these worlds before.
pub(crate) fn stock(
    table: &impl Experience,
    worlds: &[WorldId],
    soft_set: SoftSetModel,
    latent: Option<&LatentModel>,
    weights: MemberWeights,
) {
    let content = content(table, worlds);
    SOFT_SET.take(content, || soft_set);
    if let Some(latent) = latent {
        LATENT.take(content, || Arc::new(latent.clone()));
    }
    WEIGHTS.take(content, || weights);
}
