//! A planner behind a handle: a space, the caller's checker, settings, and the session that it is in.
//!
//! It lives from query to query: each begins with the roadmap as it has grown and with what is known of its edges, unless a
//! setting has changed, or the caller has said that the world has.

use crate::event::EventKind;
use crate::graph::Graph;
use crate::status::{Failure, Outcome, Status};
use crate::world::CheckedByCaller;
use psmp::checker::EdgeMemory;
use psmp::{
    Anytime, Axis, Event, Goals, Limit, Pricing, Progress, Session, SessionOptions, Space, Stop,
    Waypoints,
};
use psmp_files::{Keeping, WorldRecord};
use std::path::Path;

pub struct Planner {
    space: Space,
    world: CheckedByCaller,
    settings: SessionOptions,
    /// Whether the caller has named a seed: then runs are to be the same, and no prices are measured.
    is_seeded: bool,
    stop: Stop,
    /// The stop since the run was begun or gone on with.
    limit: Option<Limit>,
    session: Option<Session<'static, CheckedByCaller>>,
    /// What the run has ended with.
    ending: EventKind,
    /// Whether settings have changed since the session began.
    has_changed: bool,
    /// Whether what is known of edges holds no more.
    is_elsewhere: bool,
    keeping: Option<Keeping>,
    graph: Option<Graph>,
}

impl Planner {
    pub fn new(axes: Vec<Axis>, world: CheckedByCaller) -> Result<Self, Failure> {
        Ok(Self {
            space: Space::new(axes).map_err(Failure::invalid)?,
            world,
            settings: SessionOptions::default(),
            is_seeded: false,
            stop: Stop::never(),
            limit: None,
            session: None,
            ending: EventKind::None,
            has_changed: false,
            is_elsewhere: false,
            keeping: None,
            graph: None,
        })
    }

    pub fn space(&self) -> &Space {
        &self.space
    }

    pub fn settings(&self) -> &SessionOptions {
        &self.settings
    }

    /// Changes settings, for the next query.
    pub fn set(&mut self, change: impl FnOnce(&mut SessionOptions)) {
        change(&mut self.settings);
        self.has_changed = true;
    }

    pub fn set_seed(&mut self, seed: u64) {
        self.is_seeded = true;
        self.set(|settings| settings.seed = seed);
    }

    /// Begins with what a file holds, if it is there, and will leave more in it.
    pub fn keep(&mut self, path: &Path, world: &str) -> Outcome {
        let about = format!("{world} {:?}", self.settings.resolution);
        let record = WorldRecord::whole(b"a function", about.as_bytes());
        let mut keeping = Keeping::open(path, &self.space, record)?;
        if let Some(roadmap) = &self.settings.roadmap {
            keeping.check_first(roadmap)?;
        }
        let kept = keeping.kept();
        let known = kept.map(|kept| kept.known_in(keeping.world()));
        self.set(|settings| keeping.begin(settings, known.unwrap_or_default()));
        self.keeping = Some(keeping);
        Ok(())
    }

    /// Writes what has been found out into the file that it is kept in.
    pub fn save(&mut self) -> Outcome {
        let Some(keeping) = &self.keeping else {
            return Err(Failure::invalid(
                "there is no file to save to: name one with psmp_planner_keep",
            ));
        };
        let Some(session) = &mut self.session else {
            return Err(no_query());
        };
        session.gather()?;
        let known = session.known();
        let grown = session.roadmap().map(|(roadmap, _)| (roadmap, known));
        Ok(keeping.keep(grown)?)
    }

    /// The world has changed: what is known of edges is forgotten, the roadmap stays.
    pub fn forget(&mut self) {
        self.is_elsewhere = true;
        self.settings.known = EdgeMemory::default();
    }

    /// Begins a query. What does not fit changes nothing.
    pub fn query(&mut self, start: &[f64], goals: Vec<&[f64]>) -> Outcome {
        let fits = |q: &[f64]| self.space.contains(q);
        if !fits(start) {
            return Err(outside("the start"));
        }
        if let Some(place) = goals.iter().position(|goal| !fits(goal)) {
            return Err(outside(&format!("goal {place}")));
        }
        if goals.is_empty() {
            return Err(Failure::invalid("there is no goal: give one or more"));
        }
        let goals = Goals::from(goals);
        let before = self.session.take().filter(|_| !self.has_changed);
        let session = match before {
            Some(before) if self.is_elsewhere => {
                before.again_in(self.world, |_, _| EdgeMemory::default(), start, goals)
            }
            Some(before) => before.again(start, goals),
            None => Session::in_space(&self.space, self.world, start, goals, self.options()),
        };
        self.graph = None;
        self.limit = None;
        self.ending = EventKind::None;
        self.session = Some(session?);
        self.has_changed = false;
        self.is_elsewhere = false;
        Ok(())
    }

    fn options(&self) -> SessionOptions {
        let settings = self.settings.clone();
        match (self.is_seeded, &settings.pricing) {
            (false, Pricing::Usual) => settings.measuring(),
            _ => settings,
        }
    }

    /// One more condition to stop by.
    pub fn stop_by(&mut self, stop: Stop) {
        self.stop = std::mem::replace(&mut self.stop, Stop::never()) | stop;
        self.limit = None;
    }

    pub fn stop_never(&mut self) {
        self.stop = Stop::never();
        self.limit = None;
    }

    /// Begins to count time from now.
    pub fn resume(&mut self) {
        self.limit = None;
    }

    /// Takes a step; nothing if a condition is met or the run is over.
    pub fn step(&mut self) -> Result<Option<Event>, Failure> {
        let Some(session) = &mut self.session else {
            return Err(no_query());
        };
        self.graph = None;
        let limit = self.limit.get_or_insert_with(|| Limit::new(&self.stop));
        limit.stand_at(session.progress());
        if limit.is_met() && !session.has_news() {
            return Ok(None);
        }
        let event = session.step(limit).transpose()?;
        if let Some(event) = &event
            && event.kind.is_final()
        {
            self.ending = EventKind::of(event.kind);
        }
        Ok(event)
    }

    pub fn ending(&self) -> EventKind {
        self.ending
    }

    pub fn progress(&self) -> Result<Progress, Failure> {
        self.session
            .as_ref()
            .map(Session::progress)
            .ok_or_else(no_query)
    }

    pub fn path(&self) -> Result<&Waypoints, Failure> {
        let session = self.session.as_ref().ok_or_else(no_query)?;
        let none = || Failure::new(Status::NoPath, "no path has been found so far");
        session.best_path().ok_or_else(none)
    }

    /// The graph as it is now, which stays until the next step.
    pub fn graph(&mut self) -> Result<&Graph, Failure> {
        let Some(session) = &mut self.session else {
            return Err(no_query());
        };
        match &mut self.graph {
            Some(graph) => Ok(graph),
            none => Ok(none.insert(Graph::of(session, &self.space)?)),
        }
    }
}

fn no_query() -> Failure {
    Failure::new(
        Status::NoQuery,
        "there is no query: give a start and goals with psmp_planner_query",
    )
}

fn outside(what: &str) -> Failure {
    Failure::invalid(format!(
        "{what} is outside the space: give a finite number within the bounds for each axis"
    ))
}
