//! Recording films: a run watched event by event, with what was believed at each.
//!
//! Most films are of a planner on a roadmap that stays as it is ([`record`]). One that lets it grow is
//! filmed as a session ([`record_growing`], [`Recorder`]): its frames also have what is new since the last.

use super::data::{Film, Frame, FrameKind};
pub use super::recorder::{Recorder, Shown};
use psmp::by_name::{AnyPlanner, BeliefName, PlannerName, ProposerName};
use psmp::checker::{World, WorldFn};
use psmp::{EdgeId, Event, EventKind, Limit, Progress, Roadmap, Source, Stop, WorldId};
use psmp::{Session, SessionOptions};
use psmp_lab::sweep::{Contestant, SweepError, SweepOptions};
use psmp_lab::{Arena, Problems, resolution_for, trial};
use std::convert::Infallible;
use std::time::Duration;

/// Runs a planner in a world and records what happens. `None` where there is no image to show it
/// on, or no path to find.
///
/// # Errors
/// If the planner cannot be made for these problems.
pub fn record(
    problems: &dyn Problems,
    world: WorldId,
    contestant: &Contestant,
    seed: u64,
    options: &SweepOptions,
) -> Result<Option<Film>, SweepError> {
    let arena = Arena::open(problems, world)?;
    let (Some(image), Some(shortest)) = (arena.image(), arena.shortest()) else {
        return Ok(None);
    };
    let roadmap = problems.roadmap();
    let (planner, _) = arena.planner(contestant, seed, options)?;
    // Only the finite set draws a world that could be: the other beliefs draw edge by edge, and
    // what they draw looks like noise.
    let draws_worlds = contestant.planner.proposer == ProposerName::Psmp
        && contestant.planner.belief == BeliefName::FiniteSet;
    let mut camera = Camera {
        planner,
        roadmap,
        draws_worlds,
        shown: vec![None; roadmap.edge_count()],
        frames: Vec::new(),
    };
    camera.roll(&Arena::stop(options));
    Ok(Some(Film {
        planner: contestant.planner.to_string(),
        experience: contestant.experience().to_owned(),
        world: world.0 + 1,
        seed,
        image: Some(image.clone()),
        grown_image: None,
        roadmap: roadmap.clone(),
        query: problems.query()?,
        shortest: Some(shortest.length()),
        grows: false,
        frames: camera.frames,
    }))
}

/// A growing run is watched until it has checked this many times what checking the shortest path on the
/// roadmap takes.
const LONGEST: u64 = 8;

/// Lets our own planner plan in a world, beginning with the problems' roadmap, and records how that grows.
/// `None` where there is no image to plan in, or no path on the roadmap to hold the run against.
///
/// # Errors
/// If a file of the problems is missing or malformed.
pub fn record_growing(
    problems: &dyn Problems,
    world: WorldId,
    seed: u64,
    options: &SweepOptions,
) -> Result<Option<Film>, SweepError> {
    let arena = Arena::open(problems, world)?;
    let (Some(image), Some(shortest)) = (arena.image(), arena.shortest()) else {
        return Ok(None);
    };
    let (roadmap, query) = (problems.roadmap(), problems.query()?);
    let ends = [query.start, query.goal].map(|v| roadmap.configuration(v));
    let (Some(space), [Some(start), Some(goal)]) = (roadmap.space(), ends) else {
        return Ok(None);
    };
    let resolution = resolution_for(roadmap, options.resolution)?;
    let motions = shortest.edges().iter();
    let motions = motions.filter_map(|&edge| roadmap.motion(edge, resolution));
    let at_least: usize = motions.map(|motion| motion.configurations()).sum();
    let Ok(spec) = GROWING.parse() else {
        unreachable!("it is a planner's name");
    };
    let chosen = SessionOptions {
        planner: PlannerName::OnRoadmap(spec),
        roadmap: Some(roadmap.clone()),
        resolution: Some(resolution),
        settles: false,
        seed,
        ..SessionOptions::default()
    };
    // Checks are what is filmed: as if each were dear, so that the roadmap is thought about.
    let mut asked = image;
    let dear = WorldFn(move |q: &[f64]| {
        let Ok(free) = asked.is_free(q);
        free
    });
    let Ok(mut session) = Session::in_space(space, dear, start, goal, chosen) else {
        return Ok(None);
    };
    let mut recorder = Recorder::beginning_with(roadmap);
    let limit = Limit::new(&Stop::configurations(3 * LONGEST * at_least as u64));
    // An end in collision, say, is the end of the film.
    let _ = trial::run_within(&mut session, limit, |session, event| {
        recorder.watch(session, event)
    });
    let shown = Shown {
        planner: GROWING.to_owned(),
        seed,
        space,
        ends: [start, goal],
        obstacles: Some(image),
        grown_obstacles: None,
        shortest: Some(shortest.length()),
        given: [roadmap.vertex_count(), roadmap.edge_count()],
    };
    let Ok(film) = recorder.film(&session, &shown) else {
        return Ok(None);
    };
    let world = world.0 + 1;
    Ok(Some(Film {
        world,
        query,
        grows: true,
        ..film
    }))
}

/// The planner whose roadmap is filmed growing.
const GROWING: &str = "ei:local";

struct Camera<'a> {
    planner: AnyPlanner<'static, Infallible>,
    roadmap: &'a Roadmap,
    draws_worlds: bool,
    /// The belief as the last frame left it, so that a frame has only what has changed.
    shown: Vec<Option<u8>>,
    frames: Vec<Frame>,
}

impl Camera<'_> {
    fn roll(&mut self, stop: &Stop) {
        while !stop.is_met(&self.planner.progress(), Duration::ZERO) {
            let Some(Ok(event)) = self.planner.step(&Limit::NONE) else {
                return;
            };
            if let Some(kind) = self.kind(&event) {
                self.shoot(kind, &event.progress);
            }
        }
        let progress = self.planner.progress();
        self.shoot(FrameKind::Ended("stopped"), &progress);
    }

    fn shoot(&mut self, kind: FrameKind, progress: &Progress) {
        // Nothing but a check moves a belief.
        let may_differ = self.frames.is_empty() || matches!(kind, FrameKind::Checked { .. });
        let belief = if may_differ {
            self.changes()
        } else {
            Vec::new()
        };
        self.frames.push(Frame {
            belief,
            ..Frame::new(kind, progress)
        });
    }

    /// What there is to see of an event. Partial checks are not shown by themselves: what they have
    /// changed is seen with the next check of a whole edge.
    fn kind(&mut self, event: &Event) -> Option<FrameKind> {
        Some(match event.kind {
            EventKind::Proposed { source, .. } => {
                let sampled = self.draws_worlds && source == Source::Proposer;
                FrameKind::Proposed {
                    path: self.planner.proposed_path().edges().to_vec(),
                    sampled_blocked: sampled.then(|| {
                        let edges = self.roadmap.edge_ids();
                        edges
                            .filter(|e| !self.planner.is_free_in_draw(*e))
                            .collect()
                    }),
                }
            }
            EventKind::NoImprovement => FrameKind::NoImprovement,
            EventKind::Checked { edge, free, .. } | EventKind::Proved { edge, free, .. } => {
                FrameKind::Checked { edge, free }
            }
            EventKind::Improved { .. } => FrameKind::Improved {
                path: self.planner.proposed_path().vertices().to_vec(),
            },
            EventKind::ShortestOnRoadmap => FrameKind::Ended("shortest-on-roadmap"),
            EventKind::NoPathOnRoadmap => FrameKind::Ended("no-path-on-roadmap"),
            EventKind::StraightLine => FrameKind::Ended("straight-line"),
            EventKind::GaveUp => FrameKind::Ended("gave-up"),
            _ => return None,
        })
    }

    fn changes(&mut self) -> Vec<(EdgeId, u8)> {
        let mut changes = Vec::new();
        for edge in self.roadmap.edge_ids() {
            let now = (self.planner.probability_free(edge) * 255.0).round() as u8;
            let shown = &mut self.shown[edge.index()];
            if *shown != Some(now) {
                *shown = Some(now);
                changes.push((edge, now));
            }
        }
        changes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use psmp_lab::families::ONE_WALL;
    use psmp_lab::sweep::Familiarity;

    #[test]
    fn a_film_shows_the_run_and_ends_with_the_truth() {
        let set = ONE_WALL.generate(30, 3, 4, || {}).unwrap();
        let (world, options) = (WorldId(28), SweepOptions::default());
        let contestant = Contestant {
            planner: "psmp:fs".parse().unwrap(),
            familiarity: Familiarity::Seen,
        };
        let film = record(&set, world, &contestant, 0, &options);
        let film = film.unwrap().unwrap();
        assert_eq!(film.frames[0].belief.len(), set.roadmap.edge_count());
        let mut belief = vec![0; set.roadmap.edge_count()];
        for frame in &film.frames {
            for &(edge, now) in &frame.belief {
                assert!(belief[edge.index()] != now || std::ptr::eq(frame, &film.frames[0]));
                belief[edge.index()] = now;
            }
            match &frame.kind {
                FrameKind::Checked { edge, free } => {
                    assert_eq!(*free, set.table.is_free(world, *edge));
                    assert_eq!(belief[edge.index()], if *free { 255 } else { 0 });
                }
                FrameKind::Proposed {
                    path,
                    sampled_blocked: Some(blocked),
                } => {
                    // The proposed path is free in the sampled world.
                    assert!(!path.is_empty());
                    assert!(!blocked.iter().any(|edge| path.contains(edge)));
                }
                _ => {}
            }
        }
        let last = film.frames.last().unwrap();
        assert!(matches!(last.kind, FrameKind::Ended("shortest-on-roadmap")));
        assert!((last.best_length.unwrap() - film.shortest.unwrap()).abs() < 1e-12);
        let arena = Arena::open(&set, world).unwrap();
        let row = arena.run(&contestant, 0, &options).unwrap();
        assert_eq!(last.configurations, row.cost_total);
    }

    /// A session watched: what its frames add up to is its roadmap, and its best path is seen.
    #[test]
    fn a_growing_run_is_filmed_by_what_is_new_in_each_frame() {
        let set = ONE_WALL.generate(30, 3, 4, || {}).unwrap();
        let film = record_growing(&set, WorldId(28), 0, &SweepOptions::default());
        let film = film.unwrap().unwrap();
        assert!(film.grows && !film.frames.is_empty());
        let vertices: usize = film.frames.iter().map(|f| f.grown.vertices.len()).sum();
        let edges = film.frames.iter().flat_map(|f| &f.grown.edges);
        let all = set.roadmap.vertex_count() + vertices;
        assert!(edges.clone().count() > 0);
        for edge in edges {
            assert!(edge.from.index() < all && edge.to.index() < all);
        }
        let is_shortened = |f: &&Frame| matches!(f.kind, FrameKind::Shortened { .. });
        let last = film.frames.iter().rfind(is_shortened).unwrap();
        let FrameKind::Shortened { places } = &last.kind else {
            unreachable!()
        };
        let steps = places.windows(2);
        let length: f64 = steps
            .map(|p| (p[0][0] - p[1][0]).hypot(p[0][1] - p[1][1]))
            .sum();
        assert!((length - last.best_length.unwrap()).abs() < 1e-9);
    }
}
