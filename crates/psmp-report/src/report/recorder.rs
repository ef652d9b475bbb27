//! Recording a session: what happens in a run that somebody else drives, frame by frame.
//!
//! However long the run, there are only so many frames: when there are too many, every other is taken into
//! the one after it. Better paths and the end stay, and all that was checked stays; what goes are moments
//! in between.

use super::data::{Film, Frame, FrameKind, Grown};
use psmp::checker::World;
use psmp::{Direction, EdgeId, EdgeStatus, Event, EventKind, Query, Roadmap, Session, Space};
use psmp::{RoadmapError, VertexId, Waypoints};
use psmp_worlds::OccupancyGrid;

/// A film has at most twice as many frames as this, beside those of better paths.
const MOST_FRAMES: usize = 1500;
/// What is believed is recorded where no more edges were given than can be drawn, and at no more moments.
const MOST_BELIEVED: usize = 8000;
const MOST_MOMENTS: usize = 120;

/// A better path.
#[derive(Clone)]
pub struct Found {
    /// Which of all that were found, counted from 1.
    pub number: usize,
    /// How many configurations had been checked.
    pub configurations: u64,
    /// The path.
    pub path: Waypoints,
}

/// Of more better paths than twice as many as this, every other goes.
const MOST_FOUND: usize = 8;

/// What a film tells beside what was recorded.
pub struct Shown<'a> {
    /// The planner.
    pub planner: String,
    /// Its seed.
    pub seed: u64,
    /// What the configurations are of.
    pub space: &'a Space,
    /// Start and goal.
    pub ends: [&'a [f64]; 2],
    /// The obstacles, if they are cells in the plane.
    pub obstacles: Option<&'a OccupancyGrid>,
    /// The obstacles grown by the robot's radius, if it is not a point.
    pub grown_obstacles: Option<&'a OccupancyGrid>,
    /// The length of the shortest free path on the roadmap, if known.
    pub shortest: Option<f64>,
    /// How many vertices and edges the roadmap had before the run; it may not have been looked at until its end.
    pub given: [usize; 2],
}

/// Records what a session does. A clone is what was recorded so far.
#[derive(Clone, Default)]
pub struct Recorder {
    frames: Vec<Frame>,
    /// How many vertices and edges the roadmap had when it was first seen, and has in the frames.
    given: Option<[usize; 2]>,
    size: [usize; 2],
    belief: Believed,
    found: Vec<Found>,
    improvements: usize,
    /// How many frames stay whatever comes.
    lasting: usize,
    /// What has happened without a frame since the last one: edges that were checked, and how many events.
    unseen: (Vec<(EdgeId, bool)>, u64),
    /// How often frames were taken together.
    thinned: usize,
}

impl Recorder {
    /// Takes all that is not of this roadmap for grown, start and goal included; else what is there when
    /// they have been joined was given.
    #[must_use]
    pub fn beginning_with(roadmap: &Roadmap) -> Self {
        let size = [roadmap.vertex_count(), roadmap.edge_count()];
        Self {
            given: Some(size),
            size,
            ..Self::default()
        }
    }

    /// Records an event that has just happened.
    pub fn watch<'s, W>(&mut self, session: &mut Session<'s, W>, event: &Event)
    where
        W: World + Clone + Send + 's,
    {
        if let (EventKind::Improved { .. }, Some(path)) = (&event.kind, session.best_path()) {
            self.improvements += 1;
            self.found.push(Found {
                number: self.improvements,
                configurations: event.progress.configurations,
                path: path.clone(),
            });
            if self.found.len() > 2 * MOST_FOUND {
                let last = self.found.len() - 1;
                let mut place = 0usize;
                // The first and the last stay.
                self.found.retain(|_| {
                    place += 1;
                    !place.is_multiple_of(2) || place - 1 == last
                });
            }
        }
        let grown = self.growth(session);
        let Some(kind) = kind(session, event, &grown) else {
            return;
        };
        let mut frame = Frame::new(kind, &event.progress);
        frame.grown = grown;
        (frame.checked, frame.skipped) = std::mem::take(&mut self.unseen);
        // Nothing but a check moves a belief.
        let moves = matches!(event.kind, EventKind::Checked { .. }) || !frame.checked.is_empty();
        if let Some([_, given]) = self.given
            && given <= MOST_BELIEVED
            && self.belief.is_due(moves)
        {
            frame.belief = self.belief.changes(session, given);
        }
        self.push(frame);
    }

    /// Hears of an event that is to have no frame of its own. It costs next to nothing, and what was checked
    /// comes with the next frame.
    pub fn pass(&mut self, event: &Event) {
        let (checked, count) = &mut self.unseen;
        *count += 1;
        if let EventKind::Checked { edge, free, .. } | EventKind::Proved { edge, free, .. } =
            event.kind
        {
            checked.push((edge, free));
        }
    }

    /// What was recorded so far.
    pub(super) fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// How often frames were taken together, because there were too many.
    pub(super) fn thinned(&self) -> usize {
        self.thinned
    }

    fn push(&mut self, frame: Frame) {
        self.lasting += usize::from(frame.matters());
        self.frames.push(frame);
        if self.frames.len() > 2 * MOST_FRAMES + self.lasting {
            self.thin();
        }
    }

    /// Better paths, in the order in which they were found: the first, the last, and some between.
    #[must_use]
    pub fn found(&self) -> &[Found] {
        &self.found
    }

    /// The film of a session that has come to its end, or was stopped.
    ///
    /// # Errors
    /// If start or goal are no configurations of the space.
    pub fn film<'s, W>(
        mut self,
        session: &Session<'s, W>,
        shown: &Shown<'_>,
    ) -> Result<Film, RoadmapError>
    where
        W: World + Clone + Send + 's,
    {
        self.end(session, shown.given);
        let (roadmap, query) = match (session.roadmap(), self.given) {
            (Some((roadmap, query)), Some(given)) => (first_part(roadmap, given)?, query),
            _ => {
                let ends = Roadmap::from_edges(2, Direction::Undirected, Vec::new())?;
                let ends = ends.with_configurations(shown.space.clone(), shown.ends.concat())?;
                let [start, goal] = [0, 1].map(VertexId);
                (ends, Query { start, goal })
            }
        };
        // What does not lie in a plane cannot be drawn as a map.
        let is_flat = shown.space.dimension() == 2 || shown.obstacles.is_some();
        let roadmap = match is_flat {
            true => roadmap,
            false => Roadmap::from_edges(
                roadmap.vertex_count(),
                roadmap.direction(),
                roadmap.edges().collect(),
            )?,
        };
        Ok(Film {
            planner: shown.planner.clone(),
            experience: "none".to_owned(),
            world: 1,
            seed: shown.seed,
            image: shown.obstacles.cloned(),
            grown_image: shown.grown_obstacles.cloned(),
            roadmap,
            grows: self.frames.iter().any(|f| f.grown.count != [0, 0]),
            query,
            shortest: shown.shortest,
            frames: self.frames,
        })
    }

    /// The run has come to its end, or was stopped. So many vertices and edges the roadmap had before it.
    pub(super) fn end<'s, W>(&mut self, session: &Session<'s, W>, given: [usize; 2])
    where
        W: World + Clone + Send + 's,
    {
        let last = self.frames.last().map(|frame| &frame.kind);
        if !matches!(last, Some(FrameKind::Ended(_))) {
            let mut stopped = Frame::new(FrameKind::Ended("stopped"), &session.progress());
            (stopped.checked, stopped.skipped) = std::mem::take(&mut self.unseen);
            self.frames.push(stopped);
        }
        self.gather(session, given);
    }

    /// Adds to the end what has been put into the roadmap since, and what is known of it.
    fn gather<'s, W>(&mut self, session: &Session<'s, W>, given: [usize; 2])
    where
        W: World + Clone + Send + 's,
    {
        if let (None, Some((roadmap, query))) = (self.given, session.roadmap()) {
            // Start and goal, and what joins them, belong to what was given.
            let [vertices, edges] = given;
            let ends = [query.start, query.goal].map(|v| v.index() + 1);
            let vertices = vertices.max(ends[0]).max(ends[1]);
            let joins = roadmap.edges().skip(edges);
            let is_old = |v: VertexId| v.index() < vertices;
            let joins = joins.take_while(|edge| is_old(edge.from) && is_old(edge.to));
            self.given = Some([vertices, edges + joins.count()]);
            self.size = self.given.unwrap_or_default();
        }
        let before = self.size[1];
        let grown = self.growth(session);
        let (Some(last), Some(planner)) = (self.frames.last_mut(), session.planner()) else {
            return;
        };
        let new = (before as u32..self.size[1] as u32).map(EdgeId);
        last.checked.extend(new.filter_map(|edge| {
            let status = planner.ledger().status(edge);
            (status != EdgeStatus::Unchecked).then_some((edge, status == EdgeStatus::Free))
        }));
        last.grown = grown;
    }

    /// What the roadmap has and the frames have not.
    fn growth<'s, W>(&mut self, session: &Session<'s, W>) -> Grown
    where
        W: World + Clone + Send + 's,
    {
        let Some((roadmap, _)) = session.roadmap() else {
            return Grown::default();
        };
        let size = [roadmap.vertex_count(), roadmap.edge_count()];
        if self.given.is_none() {
            self.given = Some(size);
            self.size = size;
        }
        let [vertices, edges] = std::mem::replace(&mut self.size, size);
        let new = vertices as u32..size[0] as u32;
        let places = new.filter_map(|v| in_plane(roadmap.configuration(VertexId(v))?));
        let new = edges as u32..size[1] as u32;
        Grown {
            vertices: places.collect(),
            edges: new.map(|e| roadmap.edge(EdgeId(e))).collect(),
            count: [size[0] - vertices, size[1] - edges],
        }
    }

    /// Takes every other frame into the one after it, unless it matters.
    fn thin(&mut self) {
        let mut kept: Vec<Frame> = Vec::with_capacity(self.frames.len());
        let mut waiting: Option<Frame> = None;
        for mut frame in std::mem::take(&mut self.frames) {
            match waiting.take() {
                Some(before) => {
                    frame.take_in(before);
                    kept.push(frame);
                }
                None if frame.matters() => kept.push(frame),
                None => waiting = Some(frame),
            }
        }
        kept.extend(waiting);
        self.frames = kept;
        self.thinned += 1;
    }
}

/// What there is to see of an event.
fn kind<'s, W>(session: &Session<'s, W>, event: &Event, grown: &Grown) -> Option<FrameKind>
where
    W: World + Clone + Send + 's,
{
    let places = |way: Option<&Waypoints>| {
        let way = way.into_iter().flat_map(|way| way.iter());
        way.filter_map(in_plane).collect()
    };
    Some(match event.kind {
        EventKind::Proposed { .. } => FrameKind::Proposed {
            path: match session.planner() {
                Some(planner) => planner.proposed_path().edges().to_vec(),
                None => Vec::new(),
            },
            sampled_blocked: None,
        },
        EventKind::Checked { edge, free, .. } | EventKind::Proved { edge, free, .. } => {
            FrameKind::Checked { edge, free }
        }
        EventKind::Tried { what, free, .. } => FrameKind::Tried {
            what: what.name(),
            places: places(session.tried().as_ref()),
            free,
        },
        EventKind::Improved { .. } => FrameKind::Shortened {
            places: places(session.best_path()),
        },
        EventKind::ShortestOnRoadmap => FrameKind::Ended("shortest-on-roadmap"),
        EventKind::NoPathOnRoadmap => FrameKind::Ended("no-path-on-roadmap"),
        EventKind::StraightLine => FrameKind::Ended("straight-line"),
        EventKind::GaveUp => FrameKind::Ended("gave-up"),
        EventKind::Settled => FrameKind::Ended("settled"),
        _ if grown.count != [0, 0] => FrameKind::Grown,
        _ => return None,
    })
}

/// The first two coordinates of a configuration.
fn in_plane(q: &[f64]) -> Option<[f64; 2]> {
    Some([*q.first()?, *q.get(1)?])
}

/// A roadmap as it was when it had so many vertices and edges.
fn first_part(roadmap: &Roadmap, [vertices, edges]: [usize; 2]) -> Result<Roadmap, RoadmapError> {
    let first = Roadmap::from_edges(
        vertices,
        roadmap.direction(),
        roadmap.edges().take(edges).collect(),
    )?;
    match (roadmap.space(), roadmap.configurations()) {
        (Some(space), Some(all)) => {
            let coordinates = all[..vertices * space.dimension()].to_vec();
            first.with_configurations(space.clone(), coordinates)
        }
        _ => Ok(first),
    }
}

/// What is believed of the edges that were given, at moments that are the farther apart the more there were.
#[derive(Clone)]
struct Believed {
    /// As the last frame left it, so that a frame has only what has changed.
    shown: Vec<Option<u8>>,
    moments: usize,
    /// Checks since the last moment, and how many there are from one to the next.
    since: usize,
    every: usize,
}

impl Default for Believed {
    fn default() -> Self {
        Self {
            shown: Vec::new(),
            moments: 0,
            since: 0,
            every: 1,
        }
    }
}

impl Believed {
    /// Whether it is time to look again; `moves` if what has happened can change a belief.
    fn is_due(&mut self, moves: bool) -> bool {
        self.since += usize::from(moves);
        if self.moments > 0 && self.since < self.every {
            return false;
        }
        self.since = 0;
        self.moments += 1;
        if self.moments.is_multiple_of(MOST_MOMENTS) {
            self.every *= 4;
        }
        true
    }

    fn changes<'s, W>(&mut self, session: &mut Session<'s, W>, count: usize) -> Vec<(EdgeId, u8)>
    where
        W: World + Clone + Send + 's,
    {
        let Some(planner) = session.planner_mut() else {
            return Vec::new();
        };
        self.shown.resize(count, None);
        let mut changes = Vec::new();
        for (place, shown) in self.shown.iter_mut().enumerate() {
            let edge = EdgeId(place as u32);
            let now = Some((planner.probability_free(edge) * 255.0).round() as u8);
            if *shown != now {
                *shown = now;
                changes.extend(now.map(|now| (edge, now)));
            }
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp::checker::WorldFn;
    use psmp::{Limit, Progress, SessionOptions, Stop};
    use psmp_lab::trial::run_within;
    use std::collections::BTreeMap;

    /// A wall with two gaps, and a run in it.
    fn recorded(configurations: u64) -> (Recorder, Film, f64) {
        let space = Space::unit(2);
        let free = |q: &[f64]| (q[0] - 0.5).abs() > 0.05 || q[1] < 0.1 || q[1] > 0.97;
        let (start, goal) = ([0.1, 0.8], [0.9, 0.8]);
        let session = || {
            let options = SessionOptions {
                settles: false,
                ..SessionOptions::default()
            };
            Session::in_space(&space, WorldFn(free), &start, &goal, options).unwrap()
        };
        let limit = || Limit::new(&Stop::configurations(configurations));
        let (mut watched, mut plain) = (session(), session());
        let mut recorder = Recorder::default();
        let mut again = Recorder::default();
        let trial = run_within(&mut watched, limit(), |session, event| {
            recorder.watch(session, event);
            again.watch(session, event);
        });
        let trial = trial.unwrap();
        // To be watched changes nothing.
        let unwatched = run_within(&mut plain, limit(), |_, _| {}).unwrap();
        assert_eq!(trial.improvements, unwatched.improvements);
        assert_eq!(trial.progress, unwatched.progress);
        let shown = Shown {
            planner: "ei".to_owned(),
            seed: 0,
            space: &space,
            ends: [&start, &goal],
            obstacles: None,
            grown_obstacles: None,
            shortest: None,
            given: [0, 0],
        };
        let film = recorder.film(&watched, &shown).unwrap();
        (again, film, trial.progress.best_length.unwrap())
    }

    /// What frames tell in the end: what was found of each edge, all better paths, and how much has grown.
    fn told(frames: &[Frame]) -> (BTreeMap<EdgeId, bool>, Vec<Option<f64>>, [usize; 2], u64) {
        let mut checked = BTreeMap::new();
        let (mut better, mut grown, mut events) = (Vec::new(), [0, 0], 0);
        for frame in frames {
            checked.extend(frame.checked.iter().copied());
            match frame.kind {
                FrameKind::Checked { edge, free } => {
                    checked.insert(edge, free);
                }
                FrameKind::Shortened { .. } => better.push(frame.best_length),
                _ => {}
            }
            grown = [0, 1].map(|i| grown[i] + frame.grown.count[i]);
            events += 1 + frame.skipped;
        }
        (checked, better, grown, events)
    }

    #[test]
    fn thinner_frames_tell_the_same_story() {
        let (mut recorder, film, best) = recorded(4000);
        let all = told(&recorder.frames);
        assert_eq!(*all.1.last().unwrap(), Some(best));
        let before = recorder.frames.len();
        recorder.thin();
        recorder.thin();
        assert!(recorder.frames.len() < before / 3 + 2 * all.1.len());
        assert_eq!(told(&recorder.frames), all);
        assert!(matches!(
            film.frames.last().unwrap().kind,
            FrameKind::Ended("stopped")
        ));
        let found = recorder.found();
        assert!(found.len() <= 2 * MOST_FOUND && found[0].number == 1);
        assert_eq!(found.last().unwrap().number, all.1.len());
        assert_eq!(found.last().unwrap().path.length(), best);
    }

    /// A hundred thousand checks, now and then with a better path or a new edge.
    #[test]
    fn a_long_run_has_few_frames() {
        let count = 100_000u32;
        let mut recorder = Recorder::default();
        for step in 0..count {
            let edge = EdgeId(step);
            let mut frame = Frame::new(
                match step % 1000 {
                    999 => FrameKind::Shortened { places: Vec::new() },
                    _ => FrameKind::Checked {
                        edge,
                        free: step.is_multiple_of(3),
                    },
                },
                &Progress::BEGINNING,
            );
            frame.best_length = Some(f64::from(count - step));
            frame.grown.count = [0, usize::from(step.is_multiple_of(7))];
            recorder.push(frame);
        }
        assert!(recorder.frames.len() <= 2 * MOST_FRAMES + 100);
        let (checked, better, grown, events) = told(&recorder.frames);
        assert_eq!(events, u64::from(count));
        assert_eq!(checked.len(), count as usize - 100);
        assert!(
            checked
                .iter()
                .all(|(edge, free)| *free == edge.0.is_multiple_of(3))
        );
        assert_eq!(better.len(), 100);
        assert_eq!(better[0], Some(f64::from(count - 999)));
        assert_eq!(grown, [0, count.div_ceil(7) as usize]);
    }
}
