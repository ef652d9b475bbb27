//! A checker of one's own: a service far away that takes whole edges and may lose contact.
//!
//! `cargo run --release -p psmp --example own_checker`

use psmp::by_name::{PlannerSpec, Setting};
use psmp::checker::{Checker, Finding, Part, Sightings, Verdict};
use psmp::{EdgeId, Limit, Query, Roadmap, Space, VertexId};

/// Answers for an edge in about as many steps as it is long.
struct Service {
    roadmap: Roadmap,
    calls: u32,
}

impl Checker for Service {
    type Error = std::io::Error;

    fn check(&mut self, part: Part<'_>, _: &mut Sightings) -> Result<Finding, std::io::Error> {
        let edge = part.edge;
        self.calls += 1;
        if self.calls.is_multiple_of(10) {
            return Err(std::io::Error::other("lost contact"));
        }
        let (cost, number) = (self.cost_if_free(edge), edge.0);
        part.whole(cost, || {
            Ok(Verdict {
                free: number % 3 != 0,
                configurations: cost,
            })
        })
    }

    fn cost_if_free(&self, edge: EdgeId) -> u64 {
        (self.roadmap.edge(edge).length * 100.0).ceil() as u64
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let roadmap = Roadmap::random_geometric(Space::unit(2), 400, 0.12, 1)?;
    let [start, goal] = [0, 1].map(VertexId);
    let query = Query { start, goal };
    let service = Service {
        roadmap: roadmap.clone(),
        calls: 0,
    };
    let spec: PlannerSpec = "ei:local".parse()?;
    let mut planner = spec.build(&Setting::new(&roadmap, query), Box::new(service))?;
    while let Some(event) = planner.step(&Limit::NONE) {
        match event {
            Ok(event) => println!("{:?}", event.kind),
            // Nothing is lost: the same check is made again.
            Err(error) => println!("{error}, asking again"),
        }
    }
    Ok(())
}
