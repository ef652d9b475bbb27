//! When a scene changes: which edges can be affected, and what stays known of all others.
//!
//! [`SweptVolumes`] holds a box around what each body sweeps along each edge. An object that comes
//! can only block edges that sweep through its place, an object that goes can only free such edges.
//! An [`EdgeMemory`] keeps the verdicts of edges from plan to plan, and is made to forget just those. It
//! knows few edges, and no others are asked about; to find all affected edges every box is looked at,
//! because an object affects so many that a tree of the boxes is hardly faster.

use crate::geometry::Placed;
use crate::scene::Object;
use crate::spheres::SphereWorld;
use psmp::checker::EdgeMemory;
use psmp::{EdgeId, Resolution, Roadmap};

/// The least and the greatest coordinates of a box.
type Bounds = ([f32; 3], [f32; 3]);

const NOTHING: Bounds = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);

fn join(one: &Bounds, other: &Bounds) -> Bounds {
    (
        [0, 1, 2].map(|i| one.0[i].min(other.0[i])),
        [0, 1, 2].map(|i| one.1[i].max(other.1[i])),
    )
}

fn meet(one: &Bounds, other: &Bounds) -> bool {
    (0..3).all(|i| one.0[i] <= other.1[i] && other.0[i] <= one.1[i])
}

/// The boxes around shapes.
fn around(shapes: &[Placed]) -> Vec<Bounds> {
    let bounds = shapes.iter().map(|s| s.shape.bounds(&s.pose));
    // Rounded outwards.
    bounds
        .map(|(low, high)| (low.map(|v| v as f32 - 1e-5), high.map(|v| v as f32 + 1e-5)))
        .collect()
}

/// What the bodies of an arm sweep along the edges of a roadmap, as boxes.
#[derive(Debug, Clone)]
pub struct SweptVolumes {
    /// A box for each body along each edge.
    boxes: Vec<Bounds>,
    bodies: usize,
}

impl SweptVolumes {
    /// Sweeps the arm of `world` along every edge, by the configurations that are checked at this
    /// resolution. `None` if the roadmap has no configurations.
    #[must_use]
    pub fn new(roadmap: &Roadmap, resolution: Resolution, world: &SphereWorld) -> Option<Self> {
        let mut q = vec![0.0; roadmap.space()?.dimension()];
        let mut world = world.clone();
        let bodies = world.body_count();
        let mut boxes = vec![NOTHING; roadmap.edge_count() * bodies];
        let all = boxes.chunks_exact_mut(bodies.max(1));
        for (edge, swept) in roadmap.edge_ids().zip(all) {
            let motion = roadmap.motion(edge, resolution)?;
            for step in 0..motion.configurations() {
                motion.write(step, &mut q);
                world.body_boxes(&q, |body, low, high| {
                    swept[body] = join(&swept[body], &(low, high));
                });
            }
        }
        Some(Self { boxes, bodies })
    }

    /// The edges along which some body sweeps through the box around a shape.
    pub fn affected(&self, shapes: &[Placed]) -> impl Iterator<Item = EdgeId> {
        let around = around(shapes);
        let edges = self.boxes.chunks_exact(self.bodies.max(1)).enumerate();
        edges
            .filter(move |(_, swept)| swept.iter().any(|s| around.iter().any(|a| meet(s, a))))
            .map(|(edge, _)| EdgeId(edge as u32))
    }

    /// An object has come into the scene: free edges through its place are uncertain now.
    pub fn came(&self, object: &Object, memory: &mut EdgeMemory) {
        self.forget(object, true, memory);
    }

    /// An object has left the scene: blocked edges through its place are uncertain now.
    pub fn went(&self, object: &Object, memory: &mut EdgeMemory) {
        self.forget(object, false, memory);
    }

    /// An object has moved.
    pub fn moved(&self, before: &Object, after: &Object, memory: &mut EdgeMemory) {
        self.went(before, memory);
        self.came(after, memory);
    }

    fn forget(&self, object: &Object, which: bool, memory: &mut EdgeMemory) {
        let around = around(&object.shapes);
        // Few edges are known, so these are asked about, and not the object about all edges.
        memory.forget_if(|edge, free| free == which && self.may_meet(edge, &around));
    }

    /// Whether some body may sweep through one of these boxes along an edge. Of edges that a query has
    /// added to the roadmap it is not known what is swept along them.
    fn may_meet(&self, edge: EdgeId, around: &[Bounds]) -> bool {
        let mut edges = self.boxes.chunks_exact(self.bodies.max(1));
        let own = edges.nth(edge.index());
        own.is_none_or(|own| own.iter().any(|s| around.iter().any(|a| meet(s, a))))
    }
}
