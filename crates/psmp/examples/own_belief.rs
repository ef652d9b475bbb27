//! A belief of one's own: edges that lead through the middle of the map are likely blocked.
//!
//! `cargo run --release -p psmp --example own_belief`

use psmp::belief::{Belief, Evidence};
use psmp::checker::{BisectionChecker, WorldFn};
use psmp::proposer::Psmp;
use psmp::validator::CoarseToFine;
use psmp::{Draw, EdgeId, Planner, Query, Resolution, Roadmap, Space, VertexId};

/// Believes in a crowded middle, the more so the more blocked edges it is shown.
struct CrowdedMiddle {
    roadmap: Roadmap,
    blocked: f64,
    draw: Draw,
}

impl Belief for CrowdedMiddle {
    fn probability_free(&mut self, edge: EdgeId) -> f64 {
        let to = self.roadmap.edge(edge).to;
        let q = self.roadmap.configuration(to).unwrap_or(&[0.5, 0.5]);
        let from_middle = (q[0] - 0.5).hypot(q[1] - 0.5);
        let likely = (from_middle * 3.0).clamp(0.05, 0.95);
        likely.powf(1.0 + 0.1 * self.blocked)
    }

    fn draw(&mut self, draw: Draw) -> bool {
        self.draw = draw;
        true
    }

    fn is_free_in_draw(&mut self, edge: EdgeId) -> bool {
        self.draw.unit(u64::from(edge.0)) < self.probability_free(edge)
    }

    fn observe(&mut self, evidence: Evidence<'_>) {
        // Partial checks are seen to by the planner: here whole ones count.
        if evidence.verdict() == Some(false) {
            self.blocked += 1.0;
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let roadmap = Roadmap::random_geometric(Space::unit(2), 400, 0.12, 1)?;
    let [start, goal] = [0, 1].map(VertexId);
    let world = WorldFn(|q: &[f64]| (q[0] - 0.5).hypot(q[1] - 0.5) > 0.25);
    let checker = BisectionChecker::new(&roadmap, Resolution::distance(0.001)?, world)?;
    let belief = CrowdedMiddle {
        roadmap: roadmap.clone(),
        blocked: 0.0,
        draw: Draw::new(0, 0),
    };
    let query = Query { start, goal };
    for event in Planner::new(&roadmap, query, Psmp, belief, CoarseToFine, checker) {
        println!("{:?}", event?.kind);
    }
    Ok(())
}
