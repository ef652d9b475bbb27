//! What planning leaves for the next query, in one file: the roadmap with all that it has grown by, what
//! is known of its edges in the world that was planned in, and the experience that was given. Of what the
//! roadmap has grown by, that is kept which has come to something ([`worth_keeping`]).
//!
//! [`Keeping`] is such a file in the course of a run: the run begins with what is there and leaves more.
//! A roadmap is good for a robot in all its worlds, and so is experience. What is known of edges is good
//! for one world: a [`WorldRecord`] tells worlds apart, and of an arm's scene also what has changed.
//!
//! The file is a header and named sections (`sections.rs`). It begins with `psmpkep`, its version is 1,
//! and its four numbers are: vertices, edges, and the hashes `robot` and `checks` of the world.
//! Sections: those of the roadmap (`roadmap_sections.rs`); `known`, a byte for each edge, 0 where nothing is known, 1 free, 2 blocked, 3 free
//! and proved so all along;
//! `first`, the vertices, edges and hash of the roadmap that all began with, and 1 if it is directed;
//! `things`, of each its hash, its number of boxes, and these; `held`, hashes of what the robot holds, where it holds
//! anything; `belief`, a belief file, where experience was given.

use crate::belief_file::{BeliefFile, Fingerprint};
use crate::error::FileError;
use crate::files;
use crate::learned;
use crate::roadmap_sections;
use crate::sections::{Format, Sections, numbers};
use psmp::by_name::ModelCache;
use psmp::checker::EdgeMemory;
use psmp::{Direction, Edge, EdgeId, Experience, Roadmap, SessionOptions, Space};
use std::path::{Path, PathBuf};
use twox_hash::XxHash64;

const FORMAT: Format = Format {
    magic: *b"psmpkep\0",
    version: 1,
    name: "kept run",
    other: "name a file written by `psmp plan --keep`, or one that is not there yet",
    newer: "read it with the version of the program that wrote it, or name a new file",
    damaged: "the file is damaged or was cut short: copy it again, or remove it and begin anew",
};

/// What is known of an edge, as the file has it.
const FREE: u8 = 1;
const BLOCKED: u8 = 2;
const PROVED: u8 = 3;

/// How many bytes the beginning of a thing has, and each of its boxes.
const THING: usize = 16;
const BOX: usize = 24;

/// Something that stands in a world.
#[derive(Debug, Clone, PartialEq)]
pub struct Thing {
    /// A hash of all that it is.
    pub hash: u64,
    /// Boxes around its parts: the least and the greatest coordinates.
    pub boxes: Vec<[[f32; 3]; 2]>,
}

/// What verdicts on edges depend on.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct WorldRecord {
    /// A hash of what moves. Roadmaps of another robot are of no use.
    pub robot: u64,
    /// A hash of how it is checked, and of all else that is no thing.
    pub checks: u64,
    /// What stands around it.
    pub things: Vec<Thing>,
    /// A hash of each thing that it holds.
    pub held: Vec<u64>,
}

impl WorldRecord {
    /// A world of which nothing can be told but whether it is another one, by the bytes of all that it
    /// is; and what moves in it.
    #[must_use]
    pub fn whole(robot: &[u8], world: &[u8]) -> Self {
        Self {
            robot: XxHash64::oneshot(0, robot),
            checks: XxHash64::oneshot(0, world),
            things: Vec::new(),
            held: Vec::new(),
        }
    }
}

/// All that a kept file holds.
#[derive(Debug, Clone)]
pub struct Kept {
    /// The roadmap that all began with.
    pub first: Fingerprint,
    /// The roadmap as it has grown: that one, and more vertices and edges behind its own.
    pub roadmap: Roadmap,
    /// The world that was planned in last.
    pub world: WorldRecord,
    /// What is known of the edges in that world.
    pub known: EdgeMemory,
    /// The experience that was given, of the first roadmap.
    pub belief: Option<BeliefFile>,
}

impl Kept {
    /// Writes it, replacing what was there at a stroke.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), FileError> {
        files::save(path, &self.bytes())
    }

    /// All of it as the bytes of its file, to be sent elsewhere.
    #[must_use]
    pub fn bytes(&self) -> Vec<u8> {
        let Self { roadmap, world, .. } = self;
        let edges = roadmap.edge_count();
        let mut known = vec![0; edges];
        for (edge, free) in self.known.known() {
            if let Some(byte) = known.get_mut(edge.index()) {
                *byte = match free {
                    true if self.known.is_proved(edge) => PROVED,
                    true => FREE,
                    false => BLOCKED,
                };
            }
        }
        let is_directed = roadmap.direction() == Direction::Directed;
        let Fingerprint {
            vertices,
            edges: first,
            hash,
        } = self.first;
        let first = [vertices, first, hash, u64::from(is_directed)];
        let mut things = Vec::new();
        for thing in &world.things {
            things.extend(thing.hash.to_le_bytes());
            things.extend((thing.boxes.len() as u64).to_le_bytes());
            things.extend(bytemuck::cast_slice::<f32, u8>(
                thing.boxes.as_flattened().as_flattened(),
            ));
        }
        let mut sections = roadmap_sections::written(roadmap).to_vec();
        sections.extend([
            ("known", known),
            ("first", bytemuck::cast_slice(&first).to_vec()),
            ("things", things),
        ]);
        if !world.held.is_empty() {
            sections.push(("held", bytemuck::cast_slice(&world.held).to_vec()));
        }
        sections.extend(
            self.belief
                .as_ref()
                .map(|belief| ("belief", belief.bytes())),
        );
        let counts = [roadmap.vertex_count() as u64, edges as u64];
        FORMAT.bytes([counts[0], counts[1], world.robot, world.checks], &sections)
    }

    /// Whether a file begins as kept runs do; false if it cannot be read.
    #[must_use]
    pub fn is_one(path: impl AsRef<Path>) -> bool {
        FORMAT.is_of(path)
    }

    /// Reads a file and compares all of it with its checksums.
    ///
    /// # Errors
    /// If the file cannot be read, is no kept run of a known version, or is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        Self::read(path, &files::read(path)?)
    }

    /// Reads a file's bytes. `path` is what an error names.
    ///
    /// # Errors
    /// If they are no kept run of a known version, or damaged.
    pub fn read(path: &Path, bytes: &[u8]) -> Result<Self, FileError> {
        let file = FORMAT.open(path, bytes)?;
        let [vertices, edges, robot, checks] = file.numbers();
        let (first, direction) = first(&file)?;
        let roadmap = roadmap_sections::read(&file, [vertices, edges], direction)?;
        let edges = roadmap.edge_count();
        let strange = |what: &str| file.strange(what);
        let [vertices, first_edges] = [first.vertices, first.edges].map(|n| n as usize);
        let begins = vertices <= roadmap.vertex_count() && first_edges <= edges;
        if !begins
            || Fingerprint::of(&beginning(&roadmap, first).ok_or_else(|| strange("first"))?)
                != first
        {
            return Err(strange("first"));
        }
        let mut known = EdgeMemory::default();
        for (edge, byte) in (0..).zip(file.needed("known", Some(edges))?) {
            match *byte {
                0 => {}
                FREE | BLOCKED => known.remember(EdgeId(edge), *byte == FREE),
                PROVED => known.remember_proved(EdgeId(edge)),
                _ => return Err(strange("known")),
            }
        }
        let belief = match file.section("belief", None)? {
            Some(bytes) => Some(BeliefFile::read(path, bytes)?),
            None => None,
        };
        if belief
            .as_ref()
            .is_some_and(|belief| belief.roadmap != first)
        {
            return Err(strange("a belief about another roadmap"));
        }
        let things = things(file.needed("things", None)?).ok_or_else(|| strange("things"))?;
        let held = file.section("held", None)?.unwrap_or_default();
        if held.len() % 8 != 0 {
            return Err(strange("held"));
        }
        Ok(Self {
            first,
            roadmap,
            world: WorldRecord {
                robot,
                checks,
                things,
                held: numbers(held),
            },
            known,
            belief,
        })
    }

    /// What is known of the edges in a world: all, if it is the one that was planned in, and else nothing.
    #[must_use]
    pub fn known_in(&self, world: &WorldRecord) -> EdgeMemory {
        match self.world == *world {
            true => self.known.clone(),
            false => EdgeMemory::default(),
        }
    }

    /// Sees that what was read from this file is of this robot and space.
    ///
    /// # Errors
    /// If it is of another.
    pub fn check_robot(&self, path: &Path, space: &Space, robot: u64) -> Result<(), FileError> {
        let hint = "keep each robot and space in a file of its own: name another";
        let wrong = |problem: String| Err(FileError::new(path, problem).hint(hint));
        let own = self.roadmap.space();
        let [kept, here] = [own.map_or(0, Space::dimension), space.dimension()];
        if kept != here {
            return wrong(format!(
                "was kept of a space of {kept} axes, and this one has {here}"
            ));
        }
        if self.world.robot != robot {
            return wrong("was kept of another robot".to_owned());
        }
        if own != Some(space) {
            return wrong(format!(
                "was kept of another space, with axes {}, and here they are {}",
                told(own),
                told(Some(space))
            ));
        }
        Ok(())
    }
}

/// The bounds of a space in words.
fn told(space: Option<&Space>) -> String {
    let axes = space.map_or(&[][..], Space::axes).iter();
    let axes = axes.map(|a| format!("{} to {}", a.lower(), a.upper()));
    axes.collect::<Vec<_>>().join(", ")
}

/// The part of a roadmap that it began with; none if there is no such part.
fn beginning(roadmap: &Roadmap, first: Fingerprint) -> Option<Roadmap> {
    let [vertices, edges] = [first.vertices as usize, first.edges as usize];
    let edges = roadmap.edges().take(edges).collect();
    let graph = Roadmap::from_edges(vertices, roadmap.direction(), edges).ok()?;
    let space = roadmap.space()?;
    let coordinates = roadmap.configurations()?;
    let coordinates = coordinates.get(..vertices * space.dimension())?.to_vec();
    graph.with_configurations(space.clone(), coordinates).ok()
}

fn first(file: &Sections<'_>) -> Result<(Fingerprint, Direction), FileError> {
    let told: Vec<u64> = numbers(file.needed("first", Some(32))?);
    let first = Fingerprint {
        vertices: told[0],
        edges: told[1],
        hash: told[2],
    };
    match told[3] {
        0 => Ok((first, Direction::Undirected)),
        1 => Ok((first, Direction::Directed)),
        _ => Err(file.strange("first")),
    }
}

fn things(mut bytes: &[u8]) -> Option<Vec<Thing>> {
    let mut things = Vec::new();
    while !bytes.is_empty() {
        let (start, rest) = bytes.split_at_checked(THING)?;
        let [hash, boxes]: [u64; 2] = bytemuck::pod_read_unaligned(start);
        let length = usize::try_from(boxes).ok()?.checked_mul(BOX)?;
        let (boxes, rest) = rest.split_at_checked(length)?;
        let boxes: Vec<[[f32; 3]; 2]> = numbers(boxes);
        if boxes
            .as_flattened()
            .as_flattened()
            .iter()
            .any(|v| v.is_nan())
        {
            return None;
        }
        things.push(Thing { hash, boxes });
        bytes = rest;
    }
    Some(things)
}

/// What is worth keeping of a roadmap that has grown: all that it began with, and of what came since the
/// vertices that an edge leads to which is known to be free, with all edges between these. A run tries many
/// vertices that come to nothing, and the next one can draw such by itself. What is known of the edges comes
/// with it, by their new ids.
#[must_use]
pub fn worth_keeping(
    roadmap: &Roadmap,
    known: &EdgeMemory,
    first: Fingerprint,
) -> (Roadmap, EdgeMemory) {
    let [vertices, edges] = [first.vertices as usize, first.edges as usize];
    let mut is_kept = vec![false; roadmap.vertex_count()];
    is_kept
        .iter_mut()
        .take(vertices)
        .for_each(|kept| *kept = true);
    for (edge, _) in known
        .known()
        .filter(|(edge, free)| *free && edge.index() >= edges)
    {
        if edge.index() < roadmap.edge_count() {
            let Edge { from, to, .. } = roadmap.edge(edge);
            is_kept[from.index()] = true;
            is_kept[to.index()] = true;
        }
    }
    let mut count = 0;
    let renamed: Vec<Option<u32>> = is_kept
        .iter()
        .map(|kept| {
            count += u32::from(*kept);
            kept.then(|| count - 1)
        })
        .collect();
    let mut still_known = EdgeMemory::default();
    let mut kept = Vec::new();
    for (id, edge) in roadmap.edge_ids().zip(roadmap.edges()) {
        let ends = [edge.from, edge.to].map(|v| renamed[v.index()]);
        let [Some(from), Some(to)] = ends else {
            continue;
        };
        let own = EdgeId(kept.len() as u32);
        kept.push(Edge::new(from, to, edge.length));
        match known.status(id) {
            Some(_) if known.is_proved(id) => still_known.remember_proved(own),
            Some(free) => still_known.remember(own, free),
            None => {}
        }
    }
    let graph = Roadmap::from_edges(count as usize, roadmap.direction(), kept);
    let embedded = graph.and_then(|graph| match roadmap.space() {
        Some(space) => {
            let old = roadmap.vertices().filter(|v| is_kept[v.index()]);
            let coordinates = old.flat_map(|v| roadmap.configuration(v).unwrap_or_default());
            graph.with_configurations(space.clone(), coordinates.copied().collect())
        }
        None => Ok(graph),
    });
    match embedded {
        Ok(kept) => (kept, still_known),
        Err(_) => unreachable!("it is a part of a roadmap"),
    }
}

/// A file that a run begins with, if it is there, and that what comes of the run is kept in.
#[derive(Debug)]
pub struct Keeping {
    path: PathBuf,
    world: WorldRecord,
    kept: Option<Kept>,
    /// The roadmap that all began with.
    first: Option<Fingerprint>,
    /// What the run has begun with.
    roadmap: Option<Roadmap>,
    known: EdgeMemory,
    experience: Option<Experience>,
    models: ModelCache,
}

impl Keeping {
    /// A run of a robot in a world that is to be kept in a file, and begins with what is in it.
    ///
    /// # Errors
    /// If the file is there and no sound one, or of another robot or space.
    pub fn open(path: &Path, space: &Space, world: WorldRecord) -> Result<Self, FileError> {
        let is_there = path.symlink_metadata().is_ok();
        let kept = is_there.then(|| Kept::open(path)).transpose()?;
        Self::with(path, kept, space, world)
    }

    /// The same where what was kept before is at hand, whatever is in the file.
    ///
    /// # Errors
    /// If it is of another robot or space.
    pub fn with(
        path: &Path,
        kept: Option<Kept>,
        space: &Space,
        world: WorldRecord,
    ) -> Result<Self, FileError> {
        if let Some(kept) = &kept {
            kept.check_robot(path, space, world.robot)?;
        }
        Ok(Self {
            path: path.to_owned(),
            world,
            first: kept.as_ref().map(|kept| kept.first),
            kept,
            roadmap: None,
            known: EdgeMemory::default(),
            experience: None,
            models: ModelCache::default(),
        })
    }

    /// What was kept before, if anything was.
    #[must_use]
    pub fn kept(&self) -> Option<&Kept> {
        self.kept.as_ref()
    }

    /// The roadmap that all began with, if something was kept: beliefs and tables are about it.
    #[must_use]
    pub fn first_roadmap(&self) -> Option<Roadmap> {
        let kept = self.kept.as_ref()?;
        beginning(&kept.roadmap, kept.first)
    }

    /// Sees that a roadmap that was given is the one that all began with, if something was kept.
    ///
    /// # Errors
    /// If it is another, naming both.
    pub fn check_first(&self, roadmap: &Roadmap) -> Result<(), FileError> {
        let (Some(first), given) = (self.first, Fingerprint::of(roadmap)) else {
            return Ok(());
        };
        if first == given {
            return Ok(());
        }
        let problem =
            format!("has grown from another roadmap ({first}) than the one given ({given})");
        Err(FileError::new(&self.path, problem)
            .hint("leave out the roadmap, or keep what grows from it in another file"))
    }

    /// The world that the run is in.
    #[must_use]
    pub fn world(&self) -> &WorldRecord {
        &self.world
    }

    /// Begins the run: its session is to plan on the roadmap that was kept, with what is `known` of it in
    /// this world, and with the experience that was kept unless it has some. If nothing was kept, all stays
    /// as it is.
    pub fn begin(&mut self, options: &mut SessionOptions, known: EdgeMemory) {
        if let Some(kept) = &self.kept {
            options.roadmap = Some(kept.roadmap.clone());
            options.known = known;
            if let (None, Some(belief)) = (&options.experience, &kept.belief) {
                let experience = belief.experience(&kept.roadmap, &options.models);
                options.experience = Some(experience);
            }
        }
        self.roadmap.clone_from(&options.roadmap);
        // It may grow from now on.
        self.first = self.first.or(self.roadmap.as_ref().map(Fingerprint::of));
        self.known.clone_from(&options.known);
        self.experience.clone_from(&options.experience);
        self.models = options.models.clone();
    }

    /// Keeps what has come of the run in the file: a session's roadmap and what it knows of its edges, or else what
    /// the run has begun with.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn keep(&self, grown: Option<(&Roadmap, EdgeMemory)>) -> Result<(), FileError> {
        let left = self.left(grown);
        left.map_or(Ok(()), |left| left.write(&self.path))
    }

    /// What would be kept; none if there is no roadmap.
    #[must_use]
    pub fn left(&self, grown: Option<(&Roadmap, EdgeMemory)>) -> Option<Kept> {
        let begun = self.roadmap.as_ref();
        let begun = begun.map(|roadmap| (roadmap, self.known.clone()));
        let (roadmap, known) = grown.or(begun)?;
        let first = self.first.unwrap_or_else(|| Fingerprint::of(roadmap));
        let before = self.kept.as_ref().and_then(|kept| kept.belief.as_ref());
        let belief = self
            .experience
            .as_ref()
            .and_then(|experience| match before {
                Some(belief) if belief.is_of(experience) => Some(belief.clone()),
                _ => {
                    let first = beginning(roadmap, first)?;
                    Some(learned::from_worlds(&first, experience, &self.models))
                }
            });
        let (roadmap, known) = worth_keeping(roadmap, &known, first);
        Some(Kept {
            first,
            roadmap,
            world: self.world.clone(),
            known,
            belief,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sections::HEADER;
    use psmp::Axis;
    use psmp::{CollisionTable, Connection, VertexId, WorldId, roadmap::halton};

    fn space(upper: f64) -> Space {
        let across = Axis::new(-1.0, upper).unwrap();
        let turned = Axis::new(0.0, 6.0).unwrap().wrapping();
        Space::new(vec![across, turned.weighted(0.5).unwrap()]).unwrap()
    }

    fn roadmap(vertices: usize) -> Roadmap {
        let points = halton(&space(1.0), vertices);
        Roadmap::from_configurations(space(1.0), points, Connection::Nearest(4)).unwrap()
    }

    /// A roadmap with a start and a goal behind its own vertices.
    fn grown(first: &Roadmap) -> Roadmap {
        let nearest = Connection::Nearest(3);
        let joined = first.with_query(&[0.1, 0.2], &[0.9, 5.0], nearest);
        joined.unwrap().0
    }

    fn world(of: u64) -> WorldRecord {
        WorldRecord {
            robot: 7,
            checks: 8,
            things: vec![
                Thing {
                    hash: of,
                    boxes: vec![[[0.0, 1.0, 2.0], [f32::INFINITY, 4.0, 5.0]]; 2],
                },
                Thing {
                    hash: 9,
                    boxes: Vec::new(),
                },
            ],
            held: vec![of, 3],
        }
    }

    fn known() -> EdgeMemory {
        let mut known = EdgeMemory::default();
        for (edge, free) in [(0, true), (5, false), (63, true)] {
            known.remember(EdgeId(edge), free);
        }
        known.remember_proved(EdgeId(64));
        // Both ends of the query are known to lead somewhere.
        let first = roadmap(40);
        for edge in first.edge_count()..grown(&first).edge_count() {
            known.remember(EdgeId(edge as u32), true);
        }
        known
    }

    fn experience(edges: usize) -> Experience {
        let rows: Vec<Vec<bool>> = (0..20)
            .map(|w| (0..edges).map(|e| (e / 5 + w) % 3 != 0).collect())
            .collect();
        let table = CollisionTable::from_rows(edges, &rows).unwrap();
        Experience::of(table, (2..20).map(WorldId))
    }

    /// A first run that is kept: it was given a roadmap and experience, and the roadmap has grown.
    fn first_run(path: &Path) -> (Roadmap, Roadmap) {
        let first = roadmap(40);
        let mut options = SessionOptions {
            roadmap: Some(first.clone()),
            experience: Some(experience(first.edge_count())),
            ..SessionOptions::default()
        };
        let mut keeping = Keeping::open(path, &space(1.0), world(1)).unwrap();
        assert!(keeping.kept().is_none() && keeping.first_roadmap().is_none());
        keeping.begin(&mut options, EdgeMemory::default());
        let grown = grown(&first);
        keeping.keep(Some((&grown, known()))).unwrap();
        (first, grown)
    }

    #[test]
    fn what_came_to_nothing_is_not_kept() {
        let first = roadmap(40);
        let near = Connection::Nearest(3);
        let (once, _) = first.with_query(&[0.1, 0.2], &[0.9, 5.0], near).unwrap();
        let (twice, query) = once.with_query(&[0.3, 0.2], &[0.5, 1.0], near).unwrap();
        let mut known = EdgeMemory::default();
        known.remember(EdgeId(1), false);
        let (start, goal) = (query.start, query.goal);
        let towards = |v: VertexId| twice.outgoing(v).next().unwrap();
        let (free, blocked) = (towards(start), towards(goal));
        known.remember_proved(free.edge);
        known.remember(blocked.edge, false);
        let (kept, still) = worth_keeping(&twice, &known, Fingerprint::of(&first));
        // Of four vertices that came one is known to lead anywhere.
        assert_eq!(kept.vertex_count(), 41);
        let last = VertexId(40);
        assert_eq!(kept.configuration(last), twice.configuration(start));
        assert!(kept.edges().take(first.edge_count()).eq(first.edges()));
        assert_eq!(still.status(EdgeId(1)), Some(false));
        let proved: Vec<EdgeId> = kept.edge_ids().filter(|e| still.is_proved(*e)).collect();
        let [edge] = proved[..] else {
            panic!("one is proved: {proved:?}");
        };
        let Edge { from, to, length } = kept.edge(edge);
        assert!(from == last || to == last);
        assert_eq!(length, free.length);
        assert_eq!(still.known().count(), 2);
    }

    fn all(known: &EdgeMemory) -> Vec<(EdgeId, bool)> {
        known.known().collect()
    }

    #[test]
    fn the_next_run_begins_with_what_the_first_has_left() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.kept");
        let (first, grown) = first_run(&path);
        let bytes = std::fs::read(&path).unwrap();

        let mut keeping = Keeping::open(&path, &space(1.0), world(1)).unwrap();
        let kept = keeping.kept().unwrap().clone();
        assert!(kept.roadmap.edges().eq(grown.edges()));
        assert_eq!(kept.roadmap.configurations(), grown.configurations());
        assert_eq!(kept.roadmap.space(), grown.space());
        assert_eq!(kept.first, Fingerprint::of(&first));
        assert_eq!(kept.world, world(1));
        assert_eq!(all(&kept.known), all(&known()));
        let again = keeping.first_roadmap().unwrap();
        assert!(again.edges().eq(first.edges()));
        assert!(kept.known.is_proved(EdgeId(64)) && !kept.known.is_proved(EdgeId(63)));
        // In another world nothing is known, and the rest stays.
        assert_eq!(all(&kept.known_in(&world(1))), all(&known()));
        assert!(all(&kept.known_in(&world(2))).is_empty());

        let mut options = SessionOptions::default();
        keeping.begin(&mut options, kept.known_in(&world(1)));
        assert_eq!(all(&options.known), all(&known()));
        let given = experience(first.edge_count());
        let believed = options.experience.unwrap();
        assert_eq!(believed.worlds().len(), given.worlds().len());
        for (&before, &now) in given.worlds().iter().zip(believed.worlds()) {
            let row = given.table().free_edges_in(before);
            assert_eq!(believed.table().free_edges_in(now), row);
        }
        // A run that has come to nothing leaves the file as it was.
        keeping.keep(None).unwrap();
        assert_eq!(std::fs::read(&path).unwrap(), bytes);
    }

    #[test]
    fn another_robot_or_space_is_refused_in_words() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.kept");
        first_run(&path);
        let other = WorldRecord {
            robot: 6,
            ..world(1)
        };
        for (space, world, words) in [
            (space(1.0), other, "another robot"),
            (
                space(1.5),
                world(1),
                "-1 to 1, 0 to 6, and here they are -1 to 1.5",
            ),
            (Space::unit(3), world(1), "2 axes, and this one has 3"),
        ] {
            let error = Keeping::open(&path, &space, world).unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
            assert!(error.remedy().is_some());
        }
    }

    fn sealed(mut bytes: Vec<u8>) -> Vec<u8> {
        let payload = crc32fast::hash(&bytes[HEADER..]);
        bytes[12..16].copy_from_slice(&payload.to_le_bytes());
        let header = crc32fast::hash(&bytes[..60]);
        bytes[60..64].copy_from_slice(&header.to_le_bytes());
        bytes
    }

    #[test]
    fn damage_is_found_wherever_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.kept");
        first_run(&path);
        let good = std::fs::read(&path).unwrap();
        let error = |bytes: &[u8]| {
            std::fs::write(&path, bytes).unwrap();
            let error = Kept::open(&path).unwrap_err();
            assert!(error.remedy().is_some());
            error.to_string()
        };
        for at in (0..good.len()).step_by(61).chain([good.len() - 1]) {
            let mut broken = good.clone();
            broken[at] ^= 0x10;
            error(&broken);
        }
        for length in [0, 1, 7, 8, 63, 64, 100, good.len() - 8, good.len() - 1] {
            error(&good[..length]);
        }
        let mut newer = good.clone();
        newer[8] = 2;
        assert!(error(&newer).contains("version 2"));
        assert!(error(b"psmpbel\0 and so on").contains("not a kept run"));
        // Sound checksums around what makes no sense.
        let section = |name: &str| {
            let named: Vec<u8> = name.bytes().chain([0]).collect();
            let entry = good.windows(named.len()).position(|w| w == named).unwrap();
            u64::from_le_bytes(good[entry + 16..entry + 24].try_into().unwrap()) as usize
        };
        for (at, value) in [
            (16, u64::MAX),
            (24, 1 << 20),
            (48, 1 << 60),
            (section("axes"), f64::NAN.to_bits()),
            (section("configurations"), 1e9_f64.to_bits()),
            (section("ends"), u64::MAX),
            (section("lengths"), (-1.0_f64).to_bits()),
            (section("known"), 7),
            (section("first"), 3),
            (section("first") + 8, 1 << 40),
            (section("first") + 24, 2),
            (section("things") + 8, 1 << 50),
            (section("things") + 16, u64::MAX),
        ] {
            let mut forged = good.clone();
            forged[at..at + 8].copy_from_slice(&value.to_le_bytes());
            let error = error(&sealed(forged));
            assert!(error.contains("makes no sense"), "{at}: {error}");
        }
    }
}
