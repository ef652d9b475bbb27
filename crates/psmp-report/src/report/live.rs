//! A run told while it goes on: what is new of it, at most so often, and all of it so far for who comes later.
//!
//! [`page()`] is what shows it, the page of a run without the run. A [`LiveRun`] is told of every event and makes of
//! them the data that the page draws: the beginning, with the roadmap, the obstacles and the arm, then frames and
//! motions. Making them takes a twentieth of the time at most, whatever it takes, and there are no more than twenty
//! a second; what happens in between costs next to nothing and comes with the next.

use super::data::{Film, Motion, Stage};
use super::motion::{motion, motions_alone, posed};
use super::playback::{Teller, film_alone, packed_verdicts, panel};
use super::recorder::{Recorder, Shown};
use super::run_page::ArmScene;
use psmp::checker::{EdgeMemory, World};
use psmp::{Direction, Event, EventKind, Query, Roadmap, RoadmapError, Session, VertexId};
use psmp_arm::{Arm, Pose};
use serde_json::{Value, json};
use std::convert::Infallible;
use std::time::{Duration, Instant};

/// What is new is told at most this often.
const OFTEN: Duration = Duration::from_millis(50);
/// Telling takes at most one part of so many.
const SHARE: u32 = 20;
/// A motion of an arm is told at most this often: it is a hundred times as much as a frame.
const MOTIONS: Duration = Duration::from_millis(250);
/// Of a roadmap with more edges than this only the paths on it are told.
const MOST_EDGES: usize = 200_000;
/// Of more better paths than this every other goes.
const MOST_BETTER: usize = 4000;
/// Steps between start and goal that a view of an arm is laid out by.
const STEPS: usize = 12;

/// The page that shows runs as they go on. It asks where it came from for `events`, a stream of what
/// [`LiveRun`] tells, and sends what was dragged to `move`, and to `pose` where joints are tried out.
#[must_use]
pub fn page(title: &str, has_map: bool, is_arm: bool) -> String {
    super::page::live(title, has_map, is_arm)
}

/// Where all links of an arm are, as the page draws them.
#[must_use]
pub fn pose(arm: &Arm, q: &[f64]) -> Vec<f64> {
    posed(&poses(arm, q))
}

fn poses(arm: &Arm, q: &[f64]) -> Vec<Pose> {
    let mut poses = arm.kinematics().poses(1);
    arm.kinematics().compute(q, &mut poses);
    poses.of(0).to_vec()
}

/// What there is to tell of an event.
pub enum News {
    /// What is new, to be added to what was told.
    More(Value),
    /// There was so much that it was made less: all of it is to be told anew.
    Anew,
}

/// A run in the course of being told.
pub struct LiveRun<'a> {
    /// What was there before it, without frames.
    film: Film,
    ends: [Option<[f64; 2]>; 2],
    given: [usize; 2],
    /// What was known of its edges, as the page has it.
    known: String,
    arm: Option<(ArmScene<'a>, Value)>,
    motions: Vec<Value>,
    motion_told: Option<Instant>,
    recorder: Recorder,
    teller: Teller,
    told: usize,
    thinned: usize,
    /// When there was news last, and how long making it took.
    last: Option<(Instant, Duration)>,
    /// Whether there has been a better path since.
    is_better: bool,
    /// What was spent at each better path and how long it is, and how many of them were told.
    better: Vec<(u64, f64)>,
    better_told: usize,
}

impl<'a> LiveRun<'a> {
    /// A run begins, on this roadmap if it is planned on one, of whose edges this is known, and with this arm.
    ///
    /// # Errors
    /// If start or goal are no configurations of the space.
    pub fn begin(
        shown: &Shown<'_>,
        roadmap: Option<&Roadmap>,
        known: &EdgeMemory,
        arm: Option<ArmScene<'a>>,
    ) -> Result<Self, RoadmapError> {
        let is_flat = shown.space.dimension() == 2 || shown.obstacles.is_some();
        let ends = || {
            let ends = Roadmap::from_edges(2, Direction::Undirected, Vec::new())?;
            match is_flat {
                true => ends.with_configurations(shown.space.clone(), shown.ends.concat()),
                false => Ok(ends),
            }
        };
        let drawn = roadmap.filter(|r| is_flat && r.edge_count() <= MOST_EDGES);
        let film = Film {
            planner: shown.planner.clone(),
            experience: "none".to_owned(),
            world: 1,
            seed: shown.seed,
            image: shown.obstacles.cloned(),
            grown_image: shown.grown_obstacles.cloned(),
            roadmap: drawn.map_or_else(ends, |roadmap| Ok(roadmap.clone()))?,
            grows: true,
            query: Query {
                start: VertexId(u32::MAX),
                goal: VertexId(u32::MAX),
            },
            shortest: shown.shortest,
            frames: Vec::new(),
        };
        let places = panel(&film).map(|panel| {
            shown.ends.map(|q| match *q {
                [x, y, ..] => Some(panel.place([x, y])),
                _ => None,
            })
        });
        let teller = Self::teller(&film);
        Ok(Self {
            ends: places.unwrap_or_default(),
            given: roadmap.map_or([0; 2], |r| [r.vertex_count(), r.edge_count()]),
            arm: arm.map(|arm| {
                let stage = set(&arm, shown.ends);
                (arm, stage)
            }),
            motions: Vec::new(),
            motion_told: None,
            recorder: roadmap.map_or_else(Recorder::default, Recorder::beginning_with),
            teller,
            told: 0,
            thinned: 0,
            last: None,
            is_better: false,
            better: Vec::new(),
            better_told: 0,
            known: drawn.map_or_else(String::new, |_| packed_verdicts(known.known())),
            film,
        })
    }

    fn teller(film: &Film) -> Teller {
        match film.roadmap.edge_count() {
            0 => Teller::new(film).without_growth(),
            _ => Teller::new(film),
        }
    }

    /// All that there is to tell so far.
    #[must_use]
    pub fn so_far(&self) -> Value {
        let mut films = film_alone(&self.film);
        let map = panel(&self.film);
        let mut teller = Self::teller(&self.film);
        let frames = self.recorder.frames()[..self.told].iter();
        let frames: Vec<Value> = frames.map(|f| teller.tell(f, map.as_ref())).collect();
        let film = &mut films[0]["films"][0];
        film["frames"] = json!(frames);
        film["known"] = json!(self.known);
        film["better"] = json!(self.better[..self.better_told]);
        for (name, at) in ["start", "goal"].into_iter().zip(self.ends) {
            films[0][name] = json!(at);
        }
        if let Some(space) = self.film.roadmap.space() {
            let axes = space.axes().iter().take(2);
            films[0]["bounds"] = axes
                .map(|axis| json!([axis.lower(), axis.upper()]))
                .collect();
        }
        let motions = self.arm.iter().map(|(_, stage)| {
            let mut stage = stage.clone();
            stage["motions"] = self.motions.iter().rev().cloned().collect();
            stage
        });
        let motions: Value = motions.collect();
        json!({ "films": films, "motions": motions })
    }

    /// Hears of an event that has just happened, and tells what is new if it is time to.
    pub fn watch<'s, W>(&mut self, session: &mut Session<'s, W>, event: &Event) -> Option<News>
    where
        W: World<Error = Infallible> + Clone + Send + 's,
    {
        let now = Instant::now();
        if let EventKind::Improved { length } = event.kind {
            self.is_better = true;
            self.better.push((event.progress.configurations, length));
        }
        if let Some((last, took)) = self.last
            && now - last < OFTEN.max(took * SHARE)
        {
            self.recorder.pass(event);
            return None;
        }
        if std::mem::take(&mut self.is_better)
            && let Some(length) = event.progress.best_length
        {
            let better = Event {
                kind: EventKind::Improved { length },
                progress: event.progress,
            };
            self.recorder.watch(session, &better);
        }
        if !matches!(event.kind, EventKind::Improved { .. }) {
            self.recorder.watch(session, event);
        }
        let news = self.news(false);
        self.last = Some((Instant::now(), now.elapsed()));
        Some(news)
    }

    /// The run has ended: tells what is left to tell.
    pub fn end<'s, W>(&mut self, session: &mut Session<'s, W>) -> News
    where
        W: World<Error = Infallible> + Clone + Send + 's,
    {
        let progress = session.progress();
        if let Some(length) = progress.best_length.filter(|_| self.is_better) {
            let kind = EventKind::Improved { length };
            self.recorder.watch(session, &Event { kind, progress });
        }
        self.recorder.end(session, self.given);
        self.news(true)
    }

    fn news(&mut self, is_over: bool) -> News {
        let frames = self.recorder.frames();
        let new = self.better_told..;
        let new = json!({ "better": self.better[new] });
        self.better_told = self.better.len();
        let is_crowded = self.better.len() > MOST_BETTER;
        if is_crowded {
            let mut place = 0usize;
            self.better.retain(|_| {
                place += 1;
                place.is_multiple_of(2)
            });
            self.better_told = self.better.len();
        }
        if is_crowded || self.recorder.thinned() != self.thinned {
            self.thinned = self.recorder.thinned();
            self.told = frames.len();
            self.add_motion(is_over);
            return News::Anew;
        }
        let map = panel(&self.film);
        let mut told = new;
        let frames_told = frames[self.told..].iter();
        let frames_told = frames_told.map(|f| self.teller.tell(f, map.as_ref()));
        told["frames"] = frames_told.collect();
        self.told = frames.len();
        let motion = self.add_motion(is_over);
        if let Some(motion) = motion {
            told["motion"] = motion;
        }
        News::More(told)
    }

    /// The arm on the best path, if that was not told and it is time to.
    fn add_motion(&mut self, is_over: bool) -> Option<Value> {
        let (arm, _) = self.arm.as_ref()?;
        let found = self.recorder.found().last()?;
        let is_told = self
            .motions
            .last()
            .is_some_and(|m| m["number"] == found.number);
        let is_early = self
            .motion_told
            .is_some_and(|told| told.elapsed() < MOTIONS);
        if is_told || (is_early && !is_over) {
            return None;
        }
        // A path that exceeds what a joint can do is a path all the same; only it cannot be shown in time.
        let made = arm.motion(format!("path {}", found.number), found).ok()?;
        let mut told = motion(&made);
        told["number"] = json!(found.number);
        self.motions.push(told.clone());
        // Ghosts of more paths than these cannot be told apart.
        if self.motions.len() > MOST_MOTIONS {
            self.motions.remove(1);
        }
        self.motion_told = Some(Instant::now());
        Some(told)
    }
}

/// So many paths of an arm are kept: the first, and the last ones.
const MOST_MOTIONS: usize = 12;

/// An arm in its scene, at start and goal, before it has a path: as the page has it, with the names of things and the
/// limits of joints.
fn set(scene: &ArmScene<'_>, ends: [&[f64]; 2]) -> Value {
    let [start, goal] = ends;
    let space = scene.arm.space();
    let mut between = vec![0.0; space.dimension()];
    let frames = (0..=STEPS).map(|step| {
        let share = step as f64 / STEPS as f64;
        for (i, value) in between.iter_mut().enumerate() {
            *value = start[i] + share * (goal[i] - start[i]);
        }
        poses(scene.arm, &between)
    });
    let stage = Stage {
        links: scene.look(),
        worlds: vec![(1, scene.scene.objects.clone())],
        motions: vec![Motion {
            planner: String::new(),
            experience: "none".to_owned(),
            world: 1,
            cost: 0,
            length: 0.0,
            shortest: None,
            frames: frames.collect(),
            bends: Vec::new(),
            seconds: None,
        }],
        still: String::new(),
    };
    let mut told = motions_alone(Some(&stage))[0].take();
    let names = scene.scene.objects.iter().map(|object| &object.name);
    told["names"] = names.map(|name| json!(name)).collect();
    told["joints"] = scene
        .arm
        .names()
        .zip(space.axes())
        .map(|(name, axis)| json!({ "name": name, "low": axis.lower(), "high": axis.upper() }))
        .collect();
    told["ends"] = json!([
        { "joints": start, "pose": pose(scene.arm, start) },
        { "joints": goal, "pose": pose(scene.arm, goal) },
    ]);
    told
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp::checker::WorldFn;
    use psmp::roadmap::halton;
    use psmp::{Connection, Limit, SessionOptions, Space, Stop};
    use psmp_lab::trial::run_within;

    /// A wall with two gaps.
    fn is_free(q: &[f64]) -> bool {
        (q[0] - 0.5).abs() > 0.05 || q[1] < 0.1 || q[1] > 0.97
    }

    fn shown(space: &Space) -> Shown<'_> {
        Shown {
            planner: "ei".to_owned(),
            seed: 0,
            space,
            ends: [&[0.1, 0.8], &[0.9, 0.8]],
            obstacles: None,
            grown_obstacles: None,
            shortest: None,
            given: [0, 0],
        }
    }

    #[test]
    fn what_is_told_seldom_is_told_whole_and_changes_nothing() {
        let space = Space::unit(2);
        let points = halton(&space, 200);
        let roadmap =
            Roadmap::from_configurations(space.clone(), points, Connection::Nearest(8)).unwrap();
        let session = || {
            let options = SessionOptions {
                roadmap: Some(roadmap.clone()),
                settles: false,
                ..SessionOptions::default()
            };
            let [start, goal] = shown(&space).ends;
            Session::in_space(&space, WorldFn(is_free), start, goal, options).unwrap()
        };
        let limit = || Limit::new(&Stop::configurations(30_000));
        let unwatched = run_within(&mut session(), limit(), |_, _| {}).unwrap();
        let mut session = session();
        let nothing = EdgeMemory::default();
        let mut live =
            LiveRun::begin(&shown(&space), session.given_roadmap(), &nothing, None).unwrap();
        let beginning = live.so_far();
        assert_eq!(beginning["films"][0]["films"][0]["frames"], json!([]));
        let start = &beginning["films"][0]["start"];
        assert!((start[1].as_f64().unwrap() - 200.0).abs() < 1e-9, "{start}");
        let began = Instant::now();
        let mut told = Vec::new();
        let mut times = 0;
        let mut better = 0;
        let mut add = |news: News| match news {
            News::More(more) => {
                told.extend(more["frames"].as_array().unwrap().clone());
                better += more["better"].as_array().unwrap().len();
            }
            News::Anew => unreachable!("it is a short run"),
        };
        let trial = run_within(&mut session, limit(), |session, event| {
            if let Some(news) = live.watch(session, event) {
                times += 1;
                add(news);
            }
        })
        .unwrap();
        let most = began.elapsed().as_millis() / OFTEN.as_millis() + 1;
        assert!(times <= most, "{times} times, and {most} are allowed");
        session.gather().unwrap();
        add(live.end(&mut session));
        assert_eq!(trial.progress, unwatched.progress);
        assert_eq!(better, trial.improvements.len());
        let last = told.last().unwrap();
        assert_eq!(
            (&last["k"], &last["n"]),
            (&json!("e"), &json!(trial.progress.configurations))
        );
        // Who comes later is told the same, and all that the roadmap has grown by.
        let so_far = live.so_far();
        let film = &so_far["films"][0]["films"][0];
        assert_eq!(film["frames"], json!(told));
        assert_eq!(film["better"].as_array().unwrap().len(), better);
        let grown = told.iter().filter_map(|frame| frame["z"][1].as_u64());
        let (now, _) = session.roadmap().unwrap();
        assert_eq!(
            grown.sum::<u64>() as usize,
            now.edge_count() - roadmap.edge_count()
        );
        // The next run begins with what this one has found out.
        let [start, goal] = shown(&space).ends;
        let next = session.again(goal, start).unwrap();
        let live =
            LiveRun::begin(&shown(&space), next.given_roadmap(), &next.known(), None).unwrap();
        let known = &live.so_far()["films"][0]["films"][0]["known"];
        assert!(known.as_str().is_some_and(|known| known.len() > 50));
    }
}
