//! Roadmaps in an arm's joint space.
//!
//! Vertices in which the arm collides with itself are of no use in any scene and are left out, so
//! that a roadmap is made once for an arm and serves in all scenes. It is kept in the user's cache: a
//! file has the vertices' configurations and the edges with their lengths, so that nothing is computed
//! again, and a checksum. Paths on it are checked like any other, so it need not be believed.

use crate::arm::{Arm, ArmError};
use crate::kept::{Kind, seal, unseal};
use crate::robot_hash::{add, add_robot, add_spheres};
use crate::scene::Scene;
use crate::sphere_cover::SphereModel;
use crate::spheres::SphereWorld;
use psmp::checker::World;
use psmp::roadmap::{halton, uniform};
use psmp::{Connection, Direction, Edge, Roadmap, RoadmapError, Space};
use psmp_files::FileError;
use std::hash::Hasher;
use std::path::Path;
use twox_hash::XxHash64;

/// How many vertices a roadmap has unless told. With [`DEFAULT_NEIGHBOURS`] it has a path at once
/// for 396 of the 400 published Panda problems, and for the others once it is made finer around
/// their ends; with half as many vertices, 18 problems need that.
pub const DEFAULT_VERTICES: usize = 10_000;

/// How many nearest neighbours each vertex is joined to unless told.
pub const DEFAULT_NEIGHBOURS: usize = 15;

/// Of this way of making roadmaps and of keeping them; another way is another number.
const VERSION: u64 = 1;

const ROADMAPS: Kind = Kind {
    name: "roadmap",
    folder: "roadmaps",
    ending: "roadmap",
};

/// Where the vertices of a roadmap come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sampling {
    /// The Halton sequence: evenly spread, the same every time.
    Halton,
    /// Uniform draws from a seed.
    Uniform(u64),
}

/// A roadmap of `vertices` configurations in which the arm does not collide with itself, as far as its
/// spheres can tell.
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
    let unable = |e: ArmError| RoadmapError::Parameter(e.to_string());
    let mut world = SphereWorld::new(arm, spheres, &Scene::default()).map_err(unable)?;
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
                 pairs of links that always touch should not be checked",
                arm.robot().name()
            )));
        }
        drawn *= 2;
    }
    Roadmap::from_configurations(space.clone(), kept, connection)
}

/// A [`joint_roadmap`] from the user's cache, or made and kept there; and what is wrong with the cache,
/// if anything is.
///
/// # Errors
/// As for [`joint_roadmap`].
pub fn kept_roadmap(
    arm: &Arm,
    spheres: &SphereModel,
    vertices: usize,
    sampling: Sampling,
    connection: Connection,
) -> Result<(Roadmap, Vec<FileError>), RoadmapError> {
    keep(arm, spheres, vertices, sampling, connection, None)
}

fn keep(
    arm: &Arm,
    spheres: &SphereModel,
    vertices: usize,
    sampling: Sampling,
    connection: Connection,
    folder: Option<&Path>,
) -> Result<(Roadmap, Vec<FileError>), RoadmapError> {
    let hash = hash_of(arm, spheres, vertices, sampling, connection);
    ROADMAPS.keep(
        folder,
        hash,
        |bytes| read(unseal(hash, bytes)?, arm.space()),
        || joint_roadmap(arm, spheres, vertices, sampling, connection),
        |roadmap| seal(hash, &written(roadmap)),
    )
}

/// A hash of all that a roadmap depends on.
fn hash_of(
    arm: &Arm,
    spheres: &SphereModel,
    vertices: usize,
    sampling: Sampling,
    connection: Connection,
) -> u64 {
    let mut hash = XxHash64::with_seed(VERSION);
    add_robot(&mut hash, arm.robot());
    add_spheres(&mut hash, spheres);
    arm.add_group(&mut hash);
    hash.write_usize(vertices);
    match sampling {
        Sampling::Halton => hash.write_u8(0),
        Sampling::Uniform(seed) => {
            hash.write_u8(1);
            hash.write_u64(seed);
        }
    }
    match connection {
        Connection::Nearest(neighbours) => {
            hash.write_u8(0);
            hash.write_usize(neighbours);
        }
        Connection::Radius(radius) => {
            hash.write_u8(1);
            add(&mut hash, &[radius]);
        }
    }
    hash.finish()
}

/// The numbers of vertices and of edges, the configurations, the ends of all edges, and their lengths.
fn written(roadmap: &Roadmap) -> Vec<u8> {
    let configurations = roadmap.configurations().unwrap_or_default();
    let edges = roadmap.edges();
    let counts = [roadmap.vertex_count() as u64, edges.len() as u64];
    let ends: Vec<[u32; 2]> = edges.clone().map(|e| [e.from.0, e.to.0]).collect();
    let lengths: Vec<f64> = edges.map(|e| e.length).collect();
    [
        bytemuck::cast_slice(&counts),
        bytemuck::cast_slice(&configurations),
        bytemuck::cast_slice(&ends),
        bytemuck::cast_slice(&lengths),
    ]
    .concat()
}

/// The roadmap of these bytes, in a space.
fn read(bytes: &[u8], space: &Space) -> Result<Roadmap, String> {
    let mut rest = bytes;
    let mut part = |items: u64, size: u64| {
        let length = items
            .checked_mul(size)
            .and_then(|n| usize::try_from(n).ok());
        let (part, after) = rest.split_at_checked(length?)?;
        rest = after;
        Some(part)
    };
    let mut parts = || {
        let counts = part(2, 8)?;
        let count = |place: usize| bytemuck::pod_read_unaligned(&counts[8 * place..8 * place + 8]);
        let (vertices, edges): (u64, u64) = (count(0), count(1));
        let configurations = part(vertices, 8 * space.dimension() as u64)?;
        Some((vertices, configurations, part(edges, 8)?, part(edges, 8)?))
    };
    let other = || "is no roadmap of this arm".to_owned();
    let (vertices, configurations, ends, lengths) = parts().ok_or_else(other)?;
    if !rest.is_empty() {
        return Err(other());
    }
    let number = |eight: &[u8]| bytemuck::pod_read_unaligned::<f64>(eight);
    let edges = ends.chunks_exact(8).zip(lengths.chunks_exact(8));
    let edges = edges.map(|(ends, length)| {
        let [from, to] = bytemuck::pod_read_unaligned(ends);
        Edge::new(from, to, number(length))
    });
    let graph = Roadmap::from_edges(vertices as usize, Direction::Undirected, edges.collect());
    graph
        .and_then(|graph| {
            let configurations = configurations.chunks_exact(8).map(number).collect();
            graph.with_configurations(space.clone(), configurations)
        })
        .map_err(|_| other())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::models;

    fn arm() -> (Arm, SphereModel) {
        let (robot, semantics) = models::panda_like();
        let spheres = SphereModel::cover(&robot, 20);
        (Arm::new(robot, &semantics, "arm").unwrap(), spheres)
    }

    #[test]
    fn what_is_kept_is_the_roadmap_that_was_made() {
        let folder = tempfile::tempdir().unwrap();
        let (arm, spheres) = arm();
        let near = Connection::Nearest(5);
        for (sampling, connection) in [
            (Sampling::Halton, near),
            (Sampling::Uniform(3), near),
            (Sampling::Halton, Connection::Radius(2.0)),
        ] {
            let made = joint_roadmap(&arm, &spheres, 200, sampling, connection).unwrap();
            for _ in 0..2 {
                let (kept, troubles) = keep(
                    &arm,
                    &spheres,
                    200,
                    sampling,
                    connection,
                    Some(folder.path()),
                )
                .unwrap();
                assert!(troubles.is_empty(), "{troubles:?}");
                assert!(kept.edges().eq(made.edges()));
                assert_eq!(kept.configurations(), made.configurations());
                assert_eq!(kept.space(), made.space());
            }
        }
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 3);
    }

    #[test]
    fn another_arm_has_another_roadmap() {
        let (arm, spheres) = arm();
        let (sampling, near) = (Sampling::Halton, Connection::Nearest(5));
        let own = hash_of(&arm, &spheres, 200, sampling, near);
        let (robot, semantics) = models::panda_like();
        let finer = SphereModel::cover(&robot, 30);
        let mut more = semantics.clone();
        more.disabled.pop_last();
        let checked = Arm::new(robot, &more, "arm").unwrap();
        let (wam, semantics) = models::wam_like();
        let other = Arm::new(wam, &semantics, "arm").unwrap();
        for hash in [
            hash_of(&arm, &finer, 200, sampling, near),
            hash_of(&checked, &spheres, 200, sampling, near),
            hash_of(&other, &spheres, 200, sampling, near),
            hash_of(&arm, &spheres, 201, sampling, near),
            hash_of(&arm, &spheres, 200, Sampling::Uniform(0), near),
            hash_of(&arm, &spheres, 200, sampling, Connection::Nearest(6)),
        ] {
            assert_ne!(hash, own);
        }
        // Where the joints of the group are makes no difference.
        let home: Vec<_> = arm.names().map(|n| (n.to_owned(), 0.1)).collect();
        let moved = arm.with_state(&home).unwrap();
        assert_eq!(hash_of(&moved, &spheres, 200, sampling, near), own);
    }

    #[test]
    fn a_roadmap_that_is_none_is_made_anew_and_said_so() {
        let folder = tempfile::tempdir().unwrap();
        let (arm, spheres) = arm();
        let keep = || {
            let (sampling, near) = (Sampling::Halton, Connection::Nearest(5));
            keep(&arm, &spheres, 50, sampling, near, Some(folder.path())).unwrap()
        };
        let (made, _) = keep();
        let path = std::fs::read_dir(folder.path()).unwrap().next().unwrap();
        let path = path.unwrap().path();
        let good = std::fs::read(&path).unwrap();
        let hash = hash_of(&arm, &spheres, 50, Sampling::Halton, Connection::Nearest(5));
        let content = unseal(hash, &good).unwrap().to_vec();
        let sealed = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut content = content.clone();
            change(&mut content);
            seal(hash, &content)
        };
        for bad in [
            good[..good.len() / 2].to_vec(),
            seal(hash + 1, &content),
            // Sound by their checksums, and impossible.
            sealed(&Vec::clear),
            sealed(&|c| c[..8].fill(0xff)),
            sealed(&|c| c[8] ^= 1),
            sealed(&|c| c[16..24].copy_from_slice(&1e9_f64.to_le_bytes())),
            sealed(&|c| c[16 + 50 * 56..][..4].fill(0xff)),
            sealed(&|c| {
                let last = c.len() - 8;
                c[last..].copy_from_slice(&f64::NAN.to_le_bytes());
            }),
        ] {
            std::fs::write(&path, bad).unwrap();
            let (again, troubles) = keep();
            assert!(again.edges().eq(made.edges()));
            assert_eq!(troubles.len(), 1, "{troubles:?}");
            assert!(keep().1.is_empty());
        }
    }
}
