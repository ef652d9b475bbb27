//! What has been learned from known worlds, kept so that it is learned once.
//!
//! Learning takes far longer than a run, and all runs that know the same worlds learn the same. The
//! few models used last are kept by whoever plans, found by the content of all that they were learned
//! from.

use super::MemberWeights;
use crate::belief::{FirstWeights, LatentModel, SoftSetModel, held_out};
use crate::random::mix;
use crate::roadmap::Roadmap;
use crate::table::Experience;
use std::sync::{Arc, Mutex, PoisonError};

/// Models kept of each kind. A sweep plans with as many experiences at once as it has threads, at most.
const KEPT: usize = 8;

/// Models of one kind, the one used last at the end.
#[derive(Debug)]
struct Kept<M>(Mutex<Vec<(u64, M)>>);

impl<M> Default for Kept<M> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl<M: Clone> Kept<M> {
    /// The model of this content, learned now if it is not there. Others wait meanwhile rather than
    /// learn the same beside.
    fn get(&self, content: u64, learn: impl FnOnce() -> M) -> M {
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

#[derive(Debug, Default)]
struct Models {
    latent: Kept<Arc<LatentModel>>,
    soft_set: Kept<SoftSetModel>,
    weights: Kept<MemberWeights>,
    knowing: Kept<f64>,
    beyond: Kept<FirstWeights>,
}

/// Models learned from known worlds. Clones are the same cache.
#[derive(Debug, Clone, Default)]
pub struct ModelCache(Arc<Models>);

impl ModelCache {
    /// The hidden causes of known worlds.
    pub fn latent(&self, experience: &Experience) -> Arc<LatentModel> {
        self.0.latent.get(content(experience), || {
            Arc::new(LatentModel::learn(experience))
        })
    }

    /// How far known worlds are to be trusted.
    pub fn soft_set(&self, experience: &Experience) -> SoftSetModel {
        let learn = || SoftSetModel::learn(experience);
        self.0.soft_set.get(content(experience), learn)
    }

    /// What the members of an ensemble that knows these worlds of a roadmap weigh.
    pub fn weights(&self, roadmap: Option<&Roadmap>, experience: &Experience) -> MemberWeights {
        let edges = experience.table().edge_count();
        let shape = roadmap.map_or(0, |roadmap| shape(roadmap, edges));
        let key = mix(content(experience) ^ shape);
        self.0
            .weights
            .get(key, || MemberWeights::learn(roadmap, experience, self))
    }

    /// How likely a world is one of these, as the logarithm of the odds.
    pub fn log_odds_of_knowing(&self, experience: &Experience) -> f64 {
        let learn = || held_out::log_odds_of_knowing(experience);
        self.0.knowing.get(content(experience), learn)
    }

    /// How far known edges and checks tell of edges near them that these worlds do not know.
    pub fn beyond(&self, roadmap: &Roadmap, experience: &Experience) -> FirstWeights {
        let shape = shape(roadmap, experience.table().edge_count());
        let key = mix(content(experience) ^ shape);
        let learn = || FirstWeights::learn(roadmap, experience, self.soft_set(experience));
        self.0.beyond.get(key, learn)
    }

    /// Keeps what was learned from these worlds of a roadmap before.
    pub fn keep(
        &self,
        roadmap: &Roadmap,
        experience: &Experience,
        soft_set: SoftSetModel,
        latent: Option<Arc<LatentModel>>,
        weights: MemberWeights,
    ) {
        let content = content(experience);
        self.0.soft_set.get(content, || soft_set);
        if let Some(latent) = latent {
            self.0.latent.get(content, || latent);
        }
        let shape = shape(roadmap, experience.table().edge_count());
        self.0.weights.get(mix(content ^ shape), || weights);
    }
}

fn fold(words: impl IntoIterator<Item = u64>, seed: u64) -> u64 {
    words.into_iter().fold(seed, |hash, word| mix(hash ^ word))
}

/// A number for all that known worlds tell.
fn content(experience: &Experience) -> u64 {
    let table = experience.table();
    let mut hash = fold([table.edge_count() as u64], 1);
    for &world in experience.worlds() {
        hash = fold(table.free_edges_in(world).iter().copied(), hash);
        hash = fold(
            table.known_edges_in(world).into_iter().flatten().copied(),
            hash,
        );
        let features = table.features().map(|f| f.of(world.index()));
        hash = fold(features.into_iter().flatten().map(|x| x.to_bits()), hash);
    }
    hash
}

/// A number for the edges of a roadmap that a table is about: their lengths, and where they lie, and by what
/// distances between them are measured. What a query has added behind them is no matter.
fn shape(roadmap: &Roadmap, edges: usize) -> u64 {
    let scale = roadmap.space().map_or(0.0, |space| space.longest_side());
    let embedding = roadmap.space().and_then(|space| space.embedding());
    let measured = embedding.map_or(0.0, |e| e.longest_side());
    let mut hash = fold([scale, measured].map(f64::to_bits), 2);
    for e in roadmap.edges().take(edges) {
        let ends = [e.from, e.to].map(|v| roadmap.configuration(v));
        let numbers = ends.into_iter().flatten().flatten().chain([&e.length]);
        hash = fold(numbers.map(|x| x.to_bits()), hash);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::by_name::BeliefName;
    use crate::roadmap::{Connection, halton};
    use crate::space::Space;
    use crate::table::CollisionTable;

    /// How well the local belief predicts depends on where the edges lie: the same worlds on another
    /// roadmap are another matter.
    #[test]
    fn weights_are_of_worlds_and_a_roadmap() {
        let roadmap = |scale: f64| {
            let space = Space::unit(2);
            let points = halton(&space, 60).into_iter().map(|x| x * scale).collect();
            Roadmap::from_configurations(space, points, Connection::Nearest(4)).unwrap()
        };
        let [wide, narrow] = [roadmap(1.0), roadmap(0.3)];
        let edges = wide.edge_count();
        let rows: Vec<Vec<bool>> = (0..40)
            .map(|w| (0..edges).map(|e| (e / 7 + w) % 3 != 0).collect())
            .collect();
        let experience = Experience::from(CollisionTable::from_rows(edges, &rows).unwrap());
        let models = ModelCache::default();
        let local = |roadmap: &Roadmap| {
            models
                .weights(Some(roadmap), &experience)
                .of(BeliefName::Local)
        };
        assert_eq!(local(&wide), local(&wide));
        assert_ne!(local(&wide), local(&narrow));
        let alone = models.weights(None, &experience);
        assert!(alone.iter().all(|(member, _)| member != BeliefName::Local));
    }
}
