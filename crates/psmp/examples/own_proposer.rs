//! A proposer of one's own: the path whose unchecked edges cost the least to check.
//!
//! `cargo run --release -p psmp --example own_proposer`

use psmp::belief::{Belief, IndependentEdges};
use psmp::checker::{BisectionChecker, WorldFn};
use psmp::proposer::{Proposal, Proposer, View};
use psmp::validator::FailFast;
use psmp::{EdgeStatus, Planner, Query, Resolution, Roadmap, Space, VertexId};

/// Prefers what is known to be free, then what is likely to be; once it has a path it is an optimist.
struct Thrifty;

impl<B: Belief> Proposer<B> for Thrifty {
    fn propose(&mut self, view: &mut View<'_, B>) -> Proposal {
        let known: Vec<bool> = view
            .roadmap()
            .edge_ids()
            .map(|edge| view.ledger().status(edge) == EdgeStatus::Free)
            .collect();
        let found = match view.best_length().is_finite() {
            true => view.optimistic_path(),
            false => view.cheapest_path(|edge, length, belief| match known[edge.index()] {
                true => 0.01 * length,
                false => length / belief.probability_free(edge),
            }),
        };
        if found {
            Proposal::Path
        } else {
            Proposal::Done
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let roadmap = Roadmap::random_geometric(Space::unit(2), 400, 0.12, 1)?;
    let query = Query {
        start: VertexId(0),
        goal: VertexId(1),
    };
    let world = WorldFn(|q: &[f64]| (q[0] - 0.5).hypot(q[1] - 0.5) > 0.25);
    let checker = BisectionChecker::new(&roadmap, Resolution::distance(0.001)?, world)?;
    let belief = IndependentEdges::constant(0.9)?;
    // Insured, it ends with the shortest path on the roadmap whatever it proposes.
    let planner = Planner::new(&roadmap, query, Thrifty, belief, FailFast, checker).insured(true);
    for event in planner {
        println!("{:?}", event?.kind);
    }
    Ok(())
}
