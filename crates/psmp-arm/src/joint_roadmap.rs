//! Roadmaps in an arm's joint space.
//!
//! Vertices in which the arm collides with itself are of no use in any scene and are left out, so
//! that a roadmap is made once for an arm and serves in all scenes.

use crate::arm::Arm;
use crate::scene::Scene;
use crate::sphere_cover::SphereModel;
use crate::spheres::SphereWorld;
use psmp::checker::World;
use psmp::roadmap::{halton, uniform};
use psmp::{Connection, Roadmap, RoadmapError};

/// How many vertices a roadmap has unless told. With [`DEFAULT_NEIGHBOURS`] it has a path at once
/// for 396 of the 400 published Panda problems, and for the others once it is made finer around
/// their ends; with half as many vertices, 18 problems need that.
pub const DEFAULT_VERTICES: usize = 10_000;

/// How many nearest neighbours each vertex is joined to unless told.
pub const DEFAULT_NEIGHBOURS: usize = 15;

/// Where the vertices of a roadmap come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    /// The Halton sequence: evenly spread, the same every time.
    Halton,
    /// Uniform draws from a seed.
    Uniform(u64),
}

/// A roadmap of `vertices` configurations in which the arm does not collide with itself.
///
/// # Errors
/// If the connection makes no sense, or hardly any configuration is free of self-collision.
pub fn joint_roadmap(
    arm: &Arm,
    spheres: &SphereModel,
    vertices: usize,
    sampling: Sampling,
    connection: Connection,
) -> Result<Roadmap, RoadmapError> {
    /// More than this many draws for a vertex mean that something is wrong with the robot.
    const MOST_DRAWS: usize = 100;
    let nothing = Scene::default();
    let mut world = SphereWorld::new(arm, spheres, &nothing)
        .map_err(|e| RoadmapError::Parameter(e.to_string()))?;
    let space = arm.space();
    let mut kept = Vec::with_capacity(vertices * space.dimension());
    let mut drawn = 2 * vertices;
    while kept.len() < vertices * space.dimension() {
        // Both sequences begin the same however long they are, so what was kept stays.
        let all = match sampling {
            Sampling::Halton => halton(space, drawn),
            Sampling::Uniform(seed) => uniform(space, drawn, seed),
        };
        kept.clear();
        for q in all.chunks_exact(space.dimension()) {
            let Ok(free) = world.is_free(q);
            if free && kept.len() < vertices * space.dimension() {
                kept.extend_from_slice(q);
            }
        }
        if drawn > MOST_DRAWS * vertices.max(100) {
            return Err(RoadmapError::Parameter(format!(
                "of {drawn} configurations of `{}` hardly any is free of self-collision: \
                 the SRDF should disable pairs of links that always touch",
                arm.robot().name()
            )));
        }
        drawn *= 2;
    }
    Roadmap::from_configurations(space.clone(), kept, connection)
}
