//! Missing entries filled in, for models that can only be learned from complete worlds.
//!
//! A world that was planned in is known where it was checked. What is missing is drawn from what the
//! other worlds say of it: hidden causes are learned from the complete worlds, conditioned on what
//! is known of the incomplete one, and one world is drawn from them. A draw, and not the likeliest
//! world, so that edges vary and hang together in what is filled in as they do in what is known;
//! filling in means would make every edge look more certain with each world added. Where too few
//! worlds are complete, each missing entry is drawn from its edge's frequency.

use psmp::belief::{Belief, Evidence, IndependentEdges, Latent, LatentModel};
use psmp::checker::Sightings;
use psmp::{CollisionTable, Draw, EdgeId, Experience, WorldId};
use std::sync::Arc;

/// Complete worlds that are enough to learn hidden causes from.
const ENOUGH: usize = 10;

fn told(row: &[u64], edge: EdgeId) -> bool {
    row[edge.index() / 64] >> (edge.index() % 64) & 1 == 1
}

/// Some worlds of a table, in their order, with what is missing filled in; `None` if nothing is.
pub(crate) fn imputed(
    table: &impl Experience,
    worlds: &[WorldId],
    rank: usize,
) -> Option<CollisionTable> {
    let edges = table.edge_count();
    let is_complete = |world: &WorldId| {
        let told = |row: &[u64]| row.iter().map(|w| w.count_ones() as usize).sum::<usize>();
        table
            .known_edges_in(*world)
            .is_none_or(|row| told(row) == edges)
    };
    let complete: Vec<WorldId> = worlds.iter().copied().filter(is_complete).collect();
    if complete.len() == worlds.len() {
        return None;
    }
    let model =
        (complete.len() >= ENOUGH).then(|| Arc::new(LatentModel::learn(table, &complete, rank)));
    let frequencies = IndependentEdges::frequencies_in(table, worlds);
    let mut filled = CollisionTable::all_blocked(worlds.len(), edges);
    for (place, &world) in worlds.iter().enumerate() {
        let known = table.known_edges_in(world).filter(|_| !is_complete(&world));
        let mut belief: Box<dyn Belief> = match &model {
            Some(model) => Box::new(Latent::new(model.clone())),
            None => Box::new(frequencies.clone()),
        };
        let is_told = |edge: EdgeId| known.is_none_or(|row| told(row, edge));
        let all = || (0..edges as u32).map(EdgeId);
        if known.is_some() {
            for edge in all().filter(|edge| is_told(*edge)) {
                belief.observe(Evidence {
                    edge,
                    free: Some(table.is_free(world, edge)),
                    sightings: &Sightings::default(),
                });
            }
            belief.draw(Draw::new(0x1A_90E5, place as u64));
        }
        for edge in all() {
            let free = if is_told(edge) {
                table.is_free(world, edge)
            } else {
                belief.is_free_in_draw(edge)
            };
            if free {
                filled.set_free(WorldId(place as u32), edge);
            }
        }
    }
    Some(filled)
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp::PartialTable;

    #[test]
    fn what_is_known_stays_and_what_is_missing_follows_from_it() {
        // Two causes, each of half of the edges; of the last forty worlds only two edges are known.
        let mut table = PartialTable::unknown(140, 40);
        let causes = |w: u32| {
            [
                Draw::new(5, w.into()).unit(0) < 0.5,
                Draw::new(5, w.into()).unit(1) < 0.5,
            ]
        };
        for (w, e) in (0..140).flat_map(|w| (0..40).map(move |e| (w, e))) {
            if w < 100 || e == 3 || e == 30 {
                table.set(WorldId(w), EdgeId(e), causes(w)[usize::from(e >= 20)]);
            }
        }
        let worlds: Vec<WorldId> = (0..140).map(WorldId).collect();
        assert_eq!(imputed(&table, &worlds[..100], 5), None);
        let filled = imputed(&table, &worlds, 5).unwrap();
        let mut wrong = 0;
        for (w, e) in (0..140).flat_map(|w| (0..40).map(move |e| (w, e))) {
            let truth = causes(w)[usize::from(e >= 20)];
            let free = filled.is_free(WorldId(w), EdgeId(e));
            if w < 100 || e == 3 || e == 30 {
                assert_eq!(free, truth);
            } else {
                wrong += usize::from(free != truth);
            }
        }
        assert!(wrong < 40 * 38 / 10, "{wrong}");
        // With nothing complete, the frequencies of what is known are all there is.
        let lone = imputed(&table, &worlds[100..], 5).unwrap();
        let free = (0..40)
            .filter(|w| lone.is_free(WorldId(*w), EdgeId(7)))
            .count();
        assert!((8..=32).contains(&free), "{free}");
    }
}
