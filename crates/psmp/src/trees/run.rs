//! What all planners here share: a checker, a start and goals, the best path, and the count.

use super::tree::{Look, Tree};
use crate::checker::MotionChecker;
use crate::checker::World;
use crate::goals::Goals;
use crate::session::End;
use crate::waypoints::Waypoints;
use crate::{Anytime, Event, EventKind, Progress, Yardstick};
use rand::SeedableRng;
use rand_pcg::Pcg64;
use thiserror::Error;

/// A planner that grows trees: an [`Anytime`] planner whose path is its own and not a roadmap's.
///
/// After an error of the checker a planner can be driven on: it asks again, or asks something else.
pub trait TreePlanner: Anytime {
    /// The shortest path found so far.
    fn best_path(&self) -> Option<&Waypoints>;
}

/// Why a problem cannot be planned for.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum ProblemError<E> {
    /// The start or the goal is no configuration of the space.
    #[error(
        "the {end} {configuration:?} is outside of the space: give a finite number within the bounds for each of its {dimension} axes"
    )]
    OutOfBounds {
        /// Which of the two.
        end: End,
        /// What was given.
        configuration: Vec<f64>,
        /// How many numbers a configuration has.
        dimension: usize,
    },
    /// The start or the goal is in collision, which no path can begin or end with.
    #[error("the {end} {configuration:?} is in collision: choose one that is free")]
    InCollision {
        /// Which of the two.
        end: End,
        /// What was given.
        configuration: Vec<f64>,
    },
    /// A parameter that no one can mean.
    #[error("a {name} of {value:?} cannot be used: it must be {must}")]
    Parameter {
        /// Its name.
        name: &'static str,
        /// What was given.
        value: f64,
        /// What it must be.
        must: &'static str,
    },
    /// The start or the goal could not be checked.
    #[error("the start or the goal could not be checked: {0}")]
    Check(E),
}

/// A positive number, infinity included if it may be.
pub(crate) fn positive<E>(name: &'static str, value: f64) -> Result<f64, ProblemError<E>> {
    if value > 0.0 {
        return Ok(value);
    }
    Err(ProblemError::Parameter {
        name,
        value,
        must: "positive",
    })
}

/// A run of any planner here.
#[derive(Debug)]
pub(crate) struct Run<W> {
    pub checker: MotionChecker<W>,
    pub start: Vec<f64>,
    /// Any one will do; the nearest first.
    pub goals: Vec<Vec<f64>>,
    pub random: Pcg64,
    /// Random configurations drawn.
    pub draws: u64,
    best: Option<Waypoints>,
    /// The straight way: no path can be shorter.
    lower_bound: f64,
    over: bool,
    /// How many ways from the start to a goal were proved free, and how many were refuted.
    pub proved: u64,
    refuted: u64,
    /// Whether motions of trees are looked at coarsely until they are part of a way.
    pub is_coarse: bool,
}

impl<W: World> Run<W> {
    /// Checks start and goals, which costs a configuration each. Goals in collision are left out if one
    /// is free.
    pub fn begin<'g>(
        mut checker: MotionChecker<W>,
        start: &[f64],
        goal: impl Into<Goals<'g>>,
        seed: u64,
    ) -> Result<Self, ProblemError<W::Error>> {
        let given = goal.into();
        positive("number of goals", given.iter().len() as f64)?;
        let (mut goals, mut blocked) = (Vec::new(), None);
        let ends = given.iter().map(|goal| (End::Goal, goal));
        for (end, q) in std::iter::once((End::Start, start)).chain(ends) {
            if !checker.space().contains(q) {
                return Err(ProblemError::OutOfBounds {
                    end,
                    configuration: q.to_vec(),
                    dimension: checker.space().dimension(),
                });
            }
            let is_free = checker.is_free(q).map_err(ProblemError::Check)?;
            match (end, is_free) {
                (End::Start, true) => {}
                (End::Goal, true) => goals.push(q),
                (end, false) => {
                    let configuration = q.to_vec();
                    let error = ProblemError::InCollision { end, configuration };
                    if end == End::Start {
                        return Err(error);
                    }
                    blocked = blocked.or(Some(error));
                }
            }
        }
        if let (true, Some(blocked)) = (goals.is_empty(), blocked) {
            return Err(blocked);
        }
        let goals = Goals::from(goals).nearest_first(checker.space(), start);
        Ok(Self::between(checker, start, &goals, seed))
    }

    /// Between ends that are known to be free, the nearest goal first.
    pub fn between(
        checker: MotionChecker<W>,
        start: &[f64],
        goals: &[Vec<f64>],
        seed: u64,
    ) -> Self {
        Self {
            lower_bound: checker.space().distance(start, &goals[0]),
            checker,
            start: start.to_vec(),
            goals: goals.to_vec(),
            random: Pcg64::seed_from_u64(seed),
            draws: 0,
            best: None,
            over: false,
            proved: 0,
            refuted: 0,
            is_coarse: false,
        }
    }

    pub fn progress(&self) -> Progress {
        Progress {
            configurations: self.checker.configurations(),
            edges: self.checker.motions(),
            proposals: self.draws,
            best_length: self.best.as_ref().map(Waypoints::length),
            lower_bound: self.lower_bound,
            yardstick: Yardstick::StraightLine,
        }
    }

    pub fn best(&self) -> Option<&Waypoints> {
        self.best.as_ref()
    }

    /// Infinite before the first path.
    pub fn best_length(&self) -> f64 {
        self.best.as_ref().map_or(f64::INFINITY, Waypoints::length)
    }

    pub fn is_over(&self) -> bool {
        self.over
    }

    pub fn event(&self, kind: EventKind) -> Event {
        Event {
            kind,
            progress: self.progress(),
        }
    }

    pub fn finish(&mut self, kind: EventKind) -> Event {
        self.over = true;
        self.event(kind)
    }

    /// The event that a run which can get no better ends with; before that, the path of one that has
    /// nowhere to go.
    pub fn certificate(&mut self) -> Option<Event> {
        if self.best.is_none() && self.lower_bound == 0.0 {
            let both = [self.start.as_slice(), &self.goals[0]].concat();
            return self.offer(Waypoints::new(self.checker.space(), both));
        }
        (self.best_length() <= self.lower_bound).then(|| self.finish(EventKind::StraightLine))
    }

    /// Takes a free path as the best one if it is.
    pub fn offer(&mut self, path: Waypoints) -> Option<Event> {
        let length = path.length();
        (length < self.best_length()).then(|| {
            self.best = Some(path);
            self.event(EventKind::Improved { length })
        })
    }

    /// How closely the next motion that is to be part of a tree is looked at. Coarsely as long as no more ways have
    /// been refuted than proved; and where many more have been it is proved at once: a tree that grows
    /// through things is of no use.
    pub fn next_look(&self) -> Look {
        if self.refuted > self.proved + 2 {
            Look::Proved
        } else if self.is_coarse && self.refuted <= self.proved {
            Look::Coarse
        } else {
            Look::Whole
        }
    }

    /// Whether a motion that is to be part of a tree is free, as far as [this look](Self::next_look) tells.
    pub fn is_motion_free(&mut self, from: &[f64], to: &[f64]) -> Result<Option<bool>, W::Error> {
        match self.next_look() {
            Look::Coarse => self.checker.is_coarsely_free(from, to),
            Look::Whole => self.checker.is_motion_free(from, to),
            Look::Proved => self.checker.is_proved_free(from, to),
        }
    }

    /// Proves one more motion of the way to a node of a tree free all along.
    pub fn prove_way(&mut self, tree: &mut Tree, node: u32) -> Result<Way, W::Error> {
        while let Some([parent, child]) = tree.first_unproved(node) {
            let before = self.checker.configurations();
            let (from, to) = (tree.at(parent), tree.at(child));
            let mut free = Some(true);
            if tree.look(child) == Look::Coarse {
                foresee_way(&mut self.checker, tree, parent);
                free = self.checker.is_rest_free(from, to)?;
            }
            if free == Some(true) {
                tree.mark(child, Look::Whole);
                let (from, to) = (tree.at(parent), tree.at(child));
                free = self.checker.prove(from, to)?;
            }
            match free {
                None => return Ok(Way::BrokenOff),
                Some(false) => {
                    self.refuted += 1;
                    return Ok(Way::Blocked(child));
                }
                Some(true) => tree.mark(child, Look::Proved),
            }
            if self.checker.configurations() > before && tree.first_unproved(node).is_some() {
                return Ok(Way::ProvedInPart);
            }
        }
        Ok(Way::Proved)
    }

    /// What has been asked since `before` configurations had been, as an event.
    pub fn probed(&self, free: bool, before: u64) -> Event {
        self.event(EventKind::Probed {
            free,
            configurations: self.checker.configurations() - before,
        })
    }
}

/// Tells the world what is left to ask about the way to this node, if it wants to know.
fn foresee_way<W: World>(checker: &mut MotionChecker<W>, tree: &Tree, node: u32) {
    let mut most = checker.foresight();
    if most == 0 {
        return;
    }
    for child in tree.ancestry(node) {
        let Some(parent) = tree.parent(child).filter(|_| most > 0) else {
            break;
        };
        if tree.look(child) == Look::Coarse {
            most -= checker.foresee_rest(tree.at(parent), tree.at(child), most);
        }
    }
    checker.foreseen();
}

/// How far the way to a node has been proved free all along.
pub(crate) enum Way {
    Proved,
    /// One more motion of it.
    ProvedInPart,
    /// The motion that leads to this node is blocked.
    Blocked(u32),
    /// The limit was met.
    BrokenOff,
}

/// Gives a planner with a field `run` and a method `advance` the faces that all of them have. Where the
/// limit is met before there is anything to say, `advance` gives nothing.
macro_rules! faces {
    ($planner:ident) => {
        impl<W: crate::checker::World> crate::Anytime for $planner<W> {
            type Error = W::Error;

            fn step(&mut self, limit: &crate::Limit) -> Option<Result<crate::Event, W::Error>> {
                if self.run.is_over() {
                    return None;
                }
                self.run.checker.obey(limit);
                match self.run.certificate() {
                    Some(end) => Some(Ok(end)),
                    None => self.advance().transpose(),
                }
            }

            fn progress(&self) -> crate::Progress {
                self.run.progress()
            }
        }

        impl<W: crate::checker::World> $crate::trees::TreePlanner for $planner<W> {
            fn best_path(&self) -> Option<&$crate::waypoints::Waypoints> {
                self.run.best()
            }
        }
    };
}
pub(crate) use faces;
