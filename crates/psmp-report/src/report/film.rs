//! Recording films: a run watched event by event, with what was believed at each.

use super::data::{Film, Frame, FrameKind};
use psmp::by_name::{AnyPlanner, BeliefName, ProposerName};
use psmp::{EdgeId, Event, EventKind, Limit, Progress, Roadmap, Source, Stop, WorldId};
use psmp_lab::sweep::{Contestant, SweepError, SweepOptions};
use psmp_lab::{Arena, Problems};
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
        image: image.clone(),
        roadmap: roadmap.clone(),
        query: problems.query()?,
        shortest: shortest.length(),
        frames: camera.frames,
    }))
}

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
            kind,
            configurations: progress.configurations,
            best_length: progress.best_length,
            lower_bound: progress.lower_bound,
            belief,
        });
    }

    /// What there is to see of an event. Partial checks are not shown by themselves: what they have
    /// changed is seen with the next check of a whole edge.
    fn kind(&mut self, event: &Event) -> Option<FrameKind> {
        Some(match event.kind {
            EventKind::Proposed { source, .. } => {
                let sampled = self.draws_worlds && source == Source::Proposer;
                FrameKind::Proposed {
                    path: self.planner.proposed_path().vertices().to_vec(),
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
                    let on_path = |e: &EdgeId| {
                        let edge = set.roadmap.edge(*e);
                        path.windows(2).any(|pair| {
                            pair == [edge.from, edge.to] || pair == [edge.to, edge.from]
                        })
                    };
                    assert!(!blocked.iter().any(on_path));
                }
                _ => {}
            }
        }
        let last = film.frames.last().unwrap();
        assert!(matches!(last.kind, FrameKind::Ended("shortest-on-roadmap")));
        assert!((last.best_length.unwrap() - film.shortest).abs() < 1e-12);
        let arena = Arena::open(&set, world).unwrap();
        let row = arena.run(&contestant, 0, &options).unwrap();
        assert_eq!(last.configurations, row.cost_total);
    }
}
