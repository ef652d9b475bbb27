//! When a scene changes: which edges can be affected, and what stays known of all others.
//!
//! [`SweptVolumes`] holds a box around what each body sweeps along each edge. An object that comes
//! can only block edges that sweep through its place, an object that goes can only free such edges.
//! [`EdgeMemory`] keeps the verdicts of edges from plan to plan and forgets just those. It knows few
//! edges and asks about no others; to find all affected edges every box is looked at, because an
//! object affects so many that a tree of the boxes is hardly faster.

use crate::geometry::Placed;
use crate::scene::Object;
use crate::spheres::SphereWorld;
use psmp::checker::{Checker, Look, Sightings, Verdict};
use psmp::{EdgeId, Limit, Roadmap};

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
    /// largest joint step. `None` if the roadmap has no configurations or the step is not positive.
    #[must_use]
    pub fn new(roadmap: &Roadmap, resolution: f64, world: &SphereWorld) -> Option<Self> {
        let space = roadmap.space()?;
        if !(resolution > 0.0 && resolution.is_finite()) {
            return None;
        }
        let mut world = world.clone();
        let bodies = world.body_count();
        let mut boxes = vec![NOTHING; roadmap.edge_count() * bodies];
        let mut q = vec![0.0; space.dimension()];
        for (edge, swept) in roadmap
            .edges()
            .iter()
            .zip(boxes.chunks_exact_mut(bodies.max(1)))
        {
            let a = roadmap.configuration(edge.from)?;
            let b = roadmap.configuration(edge.to)?;
            let axes = space.axes().iter().zip(a.iter().zip(b));
            let way = axes
                .map(|(axis, (&x, &y))| axis.difference(x, y).abs())
                .fold(0.0, f64::max);
            let steps = (way / resolution).ceil().max(1.0) as u32;
            for step in 0..=steps {
                space.interpolate(a, b, f64::from(step) / f64::from(steps), &mut q);
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

    /// Whether some body sweeps through one of these boxes along an edge.
    fn meets(&self, edge: usize, around: &[Bounds]) -> bool {
        let own = self.boxes.chunks_exact(self.bodies.max(1)).nth(edge);
        own.is_some_and(|own| own.iter().any(|s| around.iter().any(|a| meet(s, a))))
    }
}

/// What is known of edges, from plan to plan.
#[derive(Debug, Clone)]
pub struct EdgeMemory {
    known: Vec<Option<bool>>,
}

impl EdgeMemory {
    /// Nothing is known yet of so many edges.
    #[must_use]
    pub fn new(edges: usize) -> Self {
        Self {
            known: vec![None; edges],
        }
    }

    /// Whether an edge is known to be free, or blocked.
    #[must_use]
    pub fn status(&self, edge: EdgeId) -> Option<bool> {
        self.known.get(edge.index()).copied().flatten()
    }

    /// How many edges something is known of.
    #[must_use]
    pub fn known(&self) -> usize {
        self.known.iter().flatten().count()
    }

    /// Makes room for so many edges in all.
    pub(crate) fn reach(&mut self, edges: usize) {
        self.known.resize(edges, None);
    }

    /// What a check of an edge has found.
    pub(crate) fn remember(&mut self, edge: EdgeId, free: bool) {
        if let Some(known) = self.known.get_mut(edge.index()) {
            *known = Some(free);
        }
    }

    /// An object has come into the scene: free edges through its place are uncertain now.
    pub fn came(&mut self, swept: &SweptVolumes, object: &Object) {
        self.forget(swept, object, true);
    }

    /// An object has left the scene: blocked edges through its place are uncertain now.
    pub fn went(&mut self, swept: &SweptVolumes, object: &Object) {
        self.forget(swept, object, false);
    }

    /// An object has moved.
    pub fn moved(&mut self, swept: &SweptVolumes, before: &Object, after: &Object) {
        self.went(swept, before);
        self.came(swept, after);
    }

    fn forget(&mut self, swept: &SweptVolumes, object: &Object, free: bool) {
        let around = around(&object.shapes);
        // Few edges are known, so these are asked about, and not the object about all edges.
        for (edge, known) in self.known.iter_mut().enumerate() {
            if *known == Some(free) && swept.meets(edge, &around) {
                *known = None;
            }
        }
    }
}

/// A checker that asks only about edges of which nothing is known; the others cost nothing. Edges
/// beyond the memory, such as those of a new start and goal, are asked about every time.
#[derive(Debug)]
pub struct RememberingChecker<'a, C> {
    checker: C,
    memory: &'a mut EdgeMemory,
}

impl<'a, C: Checker> RememberingChecker<'a, C> {
    /// A checker with a memory.
    pub fn new(checker: C, memory: &'a mut EdgeMemory) -> Self {
        Self { checker, memory }
    }
}

impl<C: Checker> Checker for RememberingChecker<'_, C> {
    type Error = C::Error;

    fn check(&mut self, edge: EdgeId, sightings: &mut Sightings) -> Result<Verdict, C::Error> {
        if let Some(free) = self.memory.status(edge) {
            return Ok(Verdict {
                free,
                configurations: 0,
            });
        }
        let verdict = self.checker.check(edge, sightings)?;
        self.memory.remember(edge, verdict.free);
        Ok(verdict)
    }

    fn look(
        &mut self,
        edge: EdgeId,
        seen: u64,
        most: u64,
        limit: &Limit,
        sightings: &mut Sightings,
    ) -> Result<Look, C::Error> {
        if self.memory.status(edge).is_some() {
            return self.check(edge, sightings).map(Look::from);
        }
        let look = self.checker.look(edge, seen, most, limit, sightings)?;
        if let Some(free) = look.free {
            self.memory.remember(edge, free);
        }
        Ok(look)
    }

    fn price_if_free(&self, edge: EdgeId) -> u64 {
        match self.memory.status(edge) {
            Some(_) => 0,
            None => self.checker.price_if_free(edge),
        }
    }
}
