//! A session: from a start and a goal in a space to ever shorter paths between them. Of [several
//! goals](Goals) any one will do; all are planned to at once.
//!
//! A session tries the straight motion first. Then, where its planner [grows](SessionOptions::fixed_roadmap), it
//! plans in the space: on the roadmap that was given, or one made on the spot, which grows as it is planned on,
//! and with RRTConnect and moves on the best path beside it (`growing.rs`). On a roadmap that stays as it is, it
//! joins start and goal to it, plans with any planner, and in the end straightens the path if that is asked for.
//! What was spent and what was found out is carried from each to the next. No path is given out before it is
//! proved free all along, where the world [can prove](World::can_prove) that. Planners that grow trees need no
//! roadmap and are driven the same way. Where only the edges of a roadmap can be checked, and not
//! configurations, a session plans on that roadmap alone.
//!
//! Like any [`Anytime`] planner a session takes a step when it is told to and says what came of it; its
//! [best path](Session::best_path) is a list of configurations, wherever it comes from.
//!
//! ```
//! use psmp::checker::WorldFn;
//! use psmp::{EventKind, Session, SessionOptions, Space, Stop, Until};
//!
//! // A wall with a gap at the top.
//! let world = WorldFn(|q: &[f64]| !(0.45..0.55).contains(&q[0]) || q[1] > 0.8);
//! let options = SessionOptions { straighten: true, ..SessionOptions::default() };
//! let mut session = Session::in_space(&Space::unit(2), world, &[0.1, 0.1], &[0.9, 0.9], options)?;
//! for event in Until::new(&mut session, &Stop::configurations(50_000)) {
//!     let event = event?;
//!     if let EventKind::Improved { length } = event.kind {
//!         println!("{length:.3} after {} configurations", event.progress.configurations);
//!     }
//! }
//! let path = session.best_path().expect("there is a gap in the wall");
//! assert!(path.length() < 1.7);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod growing;
mod joining;
mod on_roadmap;

use crate::anytime::{Anytime, RoadmapPlanner};
use crate::by_name::{AnyPlanner, AnyTreePlanner, ModelCache, PlannerName, PlannerSpec, Setting};
use crate::by_name::{SpecError, TreeName};
use crate::checker::{
    BisectionChecker, BisectionError, Checker, EdgeMemory, MotionChecker, VerticesOnce, World,
};
use crate::event::{Event, EventKind, Progress, Yardstick};
use crate::goals::Goals;
use crate::motion::{Resolution, ResolutionError};
use crate::path::Path;
use crate::planner::Fallback;
use crate::price::{Meter, Prices, Pricing};
use crate::roadmap::{self, Connection, Direction, Query, Roadmap, RoadmapError};
use crate::shortcut::{Attempt, ShortcutOptions, Shortcutting};
use crate::space::Space;
use crate::stop::Limit;
use crate::table::Experience;
use crate::trees::{ProblemError, RrtConnectOptions};
use crate::waypoints::Waypoints;
use growing::Growing;
pub use joining::Joined;
use joining::Joining;
use rand::SeedableRng;
use rand_pcg::Pcg64;
use std::collections::VecDeque;
use std::fmt;
use std::marker::PhantomData;
use std::time::Instant;
use thiserror::Error;

/// How finely motions are asked about unless told, as a share of the longest side of the space.
const USUAL_STEP: f64 = 1e-3;
/// The same where the world proves what lies between.
const PROVED_STEP: f64 = 1e-2;
/// How many vertices a roadmap made on the spot has at most, and how many neighbours each.
const MOST_VERTICES: usize = 10_000;
const NEIGHBOURS: usize = 15;

/// The two ends of a query.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Where the motion begins.
    Start,
    /// Where it ends.
    Goal,
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Start => "start",
            Self::Goal => "goal",
        })
    }
}

/// Why a session cannot begin or go on.
#[derive(Debug, Clone, PartialEq, Error)]
#[non_exhaustive]
pub enum SessionError<E> {
    /// A check failed. The session stays usable, and asks again when it is driven on.
    #[error("a check failed: {0}")]
    World(E),
    /// An end is no configuration of the space.
    #[error("the {0} is outside the space")]
    Outside(End),
    /// An end is in collision.
    #[error("the {0} is in collision")]
    InCollision(End),
    /// No motion from an end to the roadmap is free.
    #[error("no way was found from the {end} to the roadmap in {configurations} configurations")]
    CutOff {
        /// The end.
        end: End,
        /// How many configurations were checked.
        configurations: u64,
    },
    /// The roadmap cannot be used.
    #[error(transparent)]
    Roadmap(#[from] RoadmapError),
    /// The roadmap has no configurations, or its edges cannot be checked in a world.
    #[error(transparent)]
    Bisection(#[from] BisectionError),
    /// The resolution makes no sense.
    #[error(transparent)]
    Resolution(#[from] ResolutionError),
    /// The planner cannot be made for this problem.
    #[error(transparent)]
    Planner(#[from] SpecError),
    /// An option of a planner makes no sense.
    #[error("{0}")]
    Option(String),
}

impl<E> SessionError<E> {
    /// What the user can do about it.
    #[must_use]
    pub fn remedy(&self) -> &'static str {
        match self {
            Self::World(_) => "see what the checker says, and drive on",
            Self::Outside(_) => "give a finite number within the bounds for each axis",
            Self::InCollision(_) => "move the end, or what it touches",
            Self::CutOff { .. } => {
                "give a roadmap of more vertices, or an end with more room around it"
            }
            Self::Roadmap(_) | Self::Bisection(_) => "give a roadmap that was made for this space",
            Self::Resolution(_) => "give a positive number that is not tiny beside the space",
            Self::Planner(_) | Self::Option(_) => "choose another planner, or give what it needs",
        }
    }
}

impl<E> From<ProblemError<E>> for SessionError<E> {
    fn from(error: ProblemError<E>) -> Self {
        match error {
            ProblemError::OutOfBounds { end, .. } => Self::Outside(end),
            ProblemError::InCollision { end, .. } => Self::InCollision(end),
            ProblemError::Check(failure) => Self::World(failure),
            ProblemError::Parameter { name, value, must } => Self::Option(format!(
                "a {name} of {value:?} cannot be used: it must be {must}"
            )),
        }
    }
}

/// What there is to choose about a session.
#[derive(Debug, Clone)]
pub struct SessionOptions {
    /// The planner; `ei:ensemble` unless told.
    pub planner: PlannerName,
    /// The roadmap; unless told, one is made on the spot.
    pub roadmap: Option<Roadmap>,
    /// The known worlds of that roadmap, if there are any.
    pub experience: Option<Experience>,
    /// Where what is learned from them is kept.
    pub models: ModelCache,
    /// How finely motions are asked about; unless told, in steps of a thousandth of the space's longest
    /// side, or of a hundredth where the world [proves](World::can_prove) what lies between.
    pub resolution: Option<Resolution>,
    /// Whether the path is straightened in the end.
    pub straighten: bool,
    /// Whether the roadmap stays as it is: with start and goal joined to it, and nothing else added.
    /// Planners of the literature leave it so unless their name says that they
    /// [grow](PlannerName::Growing).
    pub fixed_roadmap: bool,
    /// What is known of the roadmap's edges in this world.
    pub known: EdgeMemory,
    /// Whether a session whose roadmap grows ends by itself: with [`EventKind::Settled`] where nothing has
    /// made its path shorter for long, with [`EventKind::GaveUp`] where for very long it has found none. If
    /// not, it goes on until it is stopped.
    pub settles: bool,
    /// The nearest-neighbour belief's rate, for each longest side of the space.
    pub eta: f64,
    /// What to do where the proposer has nothing shorter.
    pub fallback: Fallback,
    /// What a configuration and a thought cost.
    pub pricing: Pricing,
    /// How RRTConnect grows its trees; unless told, as [suits](RrtConnectOptions::for_space) the space.
    pub trees: Option<RrtConnectOptions>,
    /// Same seed and same [prices](Self::pricing), same events.
    pub seed: u64,
}

impl Default for SessionOptions {
    fn default() -> Self {
        Self {
            planner: PlannerName::default(),
            roadmap: None,
            experience: None,
            models: ModelCache::default(),
            resolution: None,
            straighten: false,
            fixed_roadmap: false,
            known: EdgeMemory::default(),
            settles: true,
            eta: 1000.0,
            fallback: Fallback::default(),
            pricing: Pricing::Usual,
            trees: None,
            seed: 0,
        }
    }
}

impl SessionOptions {
    /// The same, with prices [measured](Pricing::Measured): what front ends take where nobody has said prices, or has
    /// asked for the same run again by a seed. Not with experience of other worlds: who has gathered it has dear
    /// checks, and is not to lose it because the first ones were quick.
    #[must_use]
    pub fn measuring(self) -> Self {
        let pricing = match self.experience {
            Some(_) => self.pricing,
            None => Pricing::Measured,
        };
        Self { pricing, ..self }
    }
}

/// A checker of any kind for the edges of a roadmap.
pub type AnyChecker<'a, E> = Box<dyn Checker<Error = E> + Send + 'a>;

/// Where configurations can be checked.
struct Ground<W> {
    space: Space,
    world: W,
    start: Vec<f64>,
    /// None of them twice, the nearest first.
    goals: Vec<Vec<f64>>,
    resolution: Resolution,
}

impl<W: World + Clone> Ground<W> {
    fn motions(&self) -> Result<MotionChecker<W>, ResolutionError> {
        let checker = MotionChecker::new(&self.space, self.resolution, self.world.clone())?;
        Ok(checker.proving())
    }

    /// The distance from the start to the nearest goal; infinite if there is none.
    fn straight_line(&self) -> f64 {
        let nearest = self.goals.first();
        nearest.map_or(f64::INFINITY, |goal| self.space.distance(&self.start, goal))
    }
}

/// A world that is never asked, for sessions that can check edges only.
#[derive(Debug)]
pub struct EdgesOnly<E>(PhantomData<fn() -> E>);

impl<E> Clone for EdgesOnly<E> {
    fn clone(&self) -> Self {
        Self(PhantomData)
    }
}

impl<E: Send> World for EdgesOnly<E> {
    type Error = E;
    fn is_free(&mut self, _: &[f64]) -> Result<bool, E> {
        unreachable!("without a world no configuration is asked about")
    }
}

/// What is done next.
enum Stage {
    /// Both ends are checked, then the straight motion between them.
    Ends,
    /// The ends are joined to the roadmap. Whether the straight motion is free, if that is known.
    Joining(Option<bool>),
    Planning,
    /// The path is straightened; then this is said.
    Straightening(Box<(Shortcutting, Pcg64)>, Option<EventKind>),
    Over,
}

/// A problem in the course of being solved.
pub struct Session<'a, W: World> {
    options: SessionOptions,
    ground: Option<Ground<W>>,
    stage: Stage,
    /// What happened and has not been told.
    untold: VecDeque<Event>,
    /// Checks motions that are no edges.
    motions: Option<MotionChecker<W>>,
    joined: Option<Joined>,
    on_roadmap: Option<AnyPlanner<'a, W::Error>>,
    tree: Option<AnyTreePlanner<'a, W::Error>>,
    /// The planner of a roadmap that grows, if it does.
    grows: Option<PlannerSpec>,
    growing: Option<Growing<'a, W>>,
    /// What things cost, where that matters to the planner.
    meter: Option<Meter>,
    /// How many of the ends have been found free.
    free_ends: usize,
    /// What was spent before the planner began, but for what `motions` counts.
    spent: Progress,
    best: Option<Waypoints>,
    best_length: Option<f64>,
}

impl<'a, W: World + Clone + Send + 'a> Session<'a, W> {
    /// A session in a space, whose configurations `world` can check. Clones of the world must be the
    /// same world. Where there are several goals, those in collision are left out, and a path leads to
    /// that which it is shortest to: what is proven of it is proven of all goals that are joined to the
    /// roadmap.
    ///
    /// # Errors
    /// If an end is outside the space, or the options do not go together.
    pub fn in_space<'g>(
        space: &Space,
        world: W,
        start: &[f64],
        goal: impl Into<Goals<'g>>,
        options: SessionOptions,
    ) -> Result<Self, SessionError<W::Error>> {
        let goals = goal.into();
        if !space.contains(start) {
            return Err(SessionError::Outside(End::Start));
        }
        if !goals.iter().all(|goal| space.contains(goal)) {
            return Err(SessionError::Outside(End::Goal));
        }
        if goals.iter().len() == 0 {
            return Err(SessionError::Option(
                "there is no goal to plan to".to_owned(),
            ));
        }
        let resolution = match options.resolution {
            Some(resolution) => resolution,
            None => {
                let step = match world.can_prove() {
                    true => PROVED_STEP,
                    false => USUAL_STEP,
                };
                Resolution::distance(space.longest_side() * step)?
            }
        };
        let known = options.experience.map(|known| match world.features() {
            Some(here) if known.table().features().is_some() => known.for_world_with(&here),
            _ => known,
        });
        let ground = Ground {
            space: space.clone(),
            world,
            start: space.canonical(start),
            goals: goals.nearest_first(space, start),
            resolution,
        };
        let mut session = Self::begun(SessionOptions {
            roadmap: options.roadmap.map(|roadmap| roadmap.in_space(space)),
            experience: known,
            ..options
        });
        session.grows = growing_planner(&session.options);
        session.meter = session.meter_of_prices();
        session.motions = Some(ground.motions()?);
        session.spent = Progress {
            lower_bound: ground.straight_line(),
            yardstick: Yardstick::StraightLine,
            ..Progress::BEGINNING
        };
        session.ground = Some(ground);
        session.stage = Stage::Ends;
        Ok(session)
    }

    /// A session from vertex to vertex of a roadmap, by a planner on that roadmap as it is, whose
    /// configurations `world` can check besides: so the path can be straightened in the end.
    ///
    /// # Errors
    /// If the planner cannot be made for the roadmap, or the roadmap has no configurations.
    pub fn on_roadmap_in(
        world: W,
        roadmap: &Roadmap,
        query: Query,
        checker: AnyChecker<'a, W::Error>,
        options: SessionOptions,
    ) -> Result<Self, SessionError<W::Error>> {
        let ends = [query.start, query.goal].map(|v| roadmap.configuration(v));
        let (Some(space), [Some(start), Some(goal)]) = (roadmap.space(), ends) else {
            return Err(BisectionError::NoConfigurations.into());
        };
        let in_space = Self::in_space(space, world, start, goal, options.clone())?;
        Ok(Self {
            ground: in_space.ground,
            motions: in_space.motions,
            ..Self::from_vertices(roadmap, query, checker, options)?
        })
    }

    fn from_vertices(
        roadmap: &Roadmap,
        query: Query,
        checker: AnyChecker<'a, W::Error>,
        options: SessionOptions,
    ) -> Result<Self, SessionError<W::Error>> {
        let spec = match options.planner {
            PlannerName::OnRoadmap(spec) | PlannerName::Growing(spec) => spec,
            PlannerName::Tree(name) => {
                return Err(SessionError::Option(format!(
                    "`{name}` knows no roadmap, and here the edges of one are to be checked"
                )));
            }
        };
        let mut session = Self::begun(SessionOptions {
            fixed_roadmap: true,
            ..options
        });
        session.meter = session.meter_of_prices();
        let joined = Joined::already(roadmap, query);
        session.on_roadmap = Some(spec.build(&session.setting(&joined), checker)?);
        session.joined = Some(joined);
        Ok(session)
    }

    fn begun(options: SessionOptions) -> Self {
        Self {
            options,
            ground: None,
            stage: Stage::Planning,
            untold: VecDeque::new(),
            motions: None,
            joined: None,
            on_roadmap: None,
            tree: None,
            grows: None,
            growing: None,
            meter: None,
            free_ends: 0,
            spent: Progress::BEGINNING,
            best: None,
            best_length: None,
        }
    }

    /// What says and measures prices, where they make a difference to the planner.
    fn meter_of_prices(&self) -> Option<Meter> {
        match self.options.planner {
            PlannerName::OnRoadmap(spec) | PlannerName::Growing(spec) => {
                Meter::new(&self.options.pricing).filter(|_| spec.proposer.is_ours())
            }
            PlannerName::Tree(_) => None,
        }
    }

    /// The best path so far, as configurations; none before the first, and none where the roadmap has
    /// no configurations.
    #[must_use]
    pub fn best_path(&self) -> Option<&Waypoints> {
        self.best.as_ref()
    }

    /// The planner on a roadmap, once there is one.
    #[must_use]
    pub fn planner(&self) -> Option<&(dyn RoadmapPlanner<Error = W::Error> + Send + 'a)> {
        match &self.growing {
            Some(growing) => Some(&*growing.on_roadmap()?.planner),
            None => self.on_roadmap.as_deref(),
        }
    }

    /// The same, to ask it for its belief.
    pub fn planner_mut(
        &mut self,
    ) -> Option<&mut (dyn RoadmapPlanner<Error = W::Error> + Send + 'a)> {
        match &mut self.growing {
            Some(growing) => Some(&mut *growing.on_roadmap_mut()?.planner),
            None => self.on_roadmap.as_deref_mut(),
        }
    }

    /// The roadmap planned on, with start and goal joined to it, and the vertices that they are; none
    /// before that. Of several goals it is the one that the best path leads to.
    #[must_use]
    pub fn roadmap(&self) -> Option<(&Roadmap, Query)> {
        let (roadmap, query) = match &self.growing {
            Some(growing) => {
                let side = growing.on_roadmap()?;
                (&side.roadmap, side.query)
            }
            None => {
                let joined = self.joined.as_ref()?;
                (&joined.roadmap, joined.query)
            }
        };
        let path = self.planner().and_then(|planner| planner.best_path());
        let reached = path.and_then(|path| path.vertices().last());
        let goal = reached.copied().unwrap_or(query.goal);
        Some((roadmap, Query { goal, ..query }))
    }

    /// What was spent before the planner began, or beside it.
    fn spent_before(&self) -> Progress {
        let mut progress = self.spent;
        if let Some(motions) = &self.motions {
            progress.configurations += motions.configurations();
            progress.edges += motions.motions();
        }
        progress
    }

    /// Where the session stands.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let mut progress = self.spent_before();
        if let Some(growing) = &self.growing {
            progress = progress.and(growing.progress());
        } else if let Some(planner) = &self.on_roadmap {
            progress = progress.and(planner.progress());
        } else if let Some(tree) = &self.tree {
            progress = progress.and(tree.progress());
        }
        progress.best_length = self.best_length;
        progress
    }

    /// Whether a planner is at work, so that its events are to be expected.
    #[must_use]
    pub fn is_prepared(&self) -> bool {
        !matches!(self.stage, Stage::Ends | Stage::Joining(_))
    }

    /// Does all that comes before planning: checks the ends and the straight motion between them, and
    /// joins them to the roadmap. Its events are told by the next steps. Where the limit is met before,
    /// [`is_prepared`](Session::is_prepared) stays false.
    ///
    /// # Errors
    /// If an end is in collision or cannot be joined, or a check fails.
    pub fn prepare(&mut self, limit: &Limit) -> Result<(), SessionError<W::Error>> {
        let mut limit = limit.clone();
        while !self.is_prepared() {
            limit.stand_at(self.progress());
            match self.advance_or_end(&limit)? {
                Some(event) => self.untold.push_back(event),
                None => break,
            }
        }
        if self.is_prepared()
            && self.grows.is_none()
            && self.on_roadmap.is_none()
            && self.tree.is_none()
        {
            self.make_planner()?;
        }
        Ok(())
    }

    /// The way that was tried last to make the best path shorter, as told by [`EventKind::Tried`].
    #[must_use]
    pub fn tried(&self) -> Option<Waypoints> {
        self.growing.as_ref()?.tried()
    }

    /// What is known of the edges of the [roadmap](Session::roadmap), start and goal joined to it, and
    /// all that it has grown by: for a later session in the same world.
    #[must_use]
    pub fn known(&self) -> EdgeMemory {
        let joined = self.joined.as_ref().map(|joined| joined.known.clone());
        let mut known = joined.unwrap_or_else(|| self.options.known.clone());
        if let Some(planner) = self.planner() {
            known.remember_all(planner.ledger());
        }
        known
    }

    /// Puts all that was found free into the [roadmap](Session::roadmap), where that grows: for a later
    /// session. A roadmap is made if there was no need of one yet.
    ///
    /// # Errors
    /// If the roadmap cannot be used.
    pub fn gather(&mut self) -> Result<(), SessionError<W::Error>> {
        self.growing.as_mut().map_or(Ok(()), Growing::gather)
    }

    /// A session for another query in the same world, which begins with all that this one has found out: with the roadmap
    /// as it has grown and what is known of its edges, or where that stays as it was given with what is known of
    /// those it had. A planner without a roadmap begins anew.
    ///
    /// # Errors
    /// If an end is outside the space, the roadmap cannot be used, or only edges can be checked.
    pub fn again<'g>(
        self,
        start: &[f64],
        goal: impl Into<Goals<'g>>,
    ) -> Result<Self, SessionError<W::Error>> {
        let (space, world, options) = self.left()?;
        Self::in_space(&space, world, start, goal, options)
    }

    /// The same where the world has changed: of what is known of the roadmap's edges, `still_known` says what is
    /// so in the one of now.
    ///
    /// # Errors
    /// As [`again`](Session::again).
    pub fn again_in<'g>(
        self,
        world: W,
        still_known: impl FnOnce(&Roadmap, EdgeMemory) -> EdgeMemory,
        start: &[f64],
        goal: impl Into<Goals<'g>>,
    ) -> Result<Self, SessionError<W::Error>> {
        let (space, _, mut options) = self.left()?;
        let known = std::mem::take(&mut options.known);
        if let Some(roadmap) = &options.roadmap {
            options.known = still_known(roadmap, known);
        }
        Self::in_space(&space, world, start, goal, options)
    }

    /// The roadmap that it begins with, if one was given or is left of the query before.
    #[must_use]
    pub fn given_roadmap(&self) -> Option<&Roadmap> {
        self.options.roadmap.as_ref()
    }

    /// What a session leaves for the next.
    fn left(mut self) -> Result<(Space, W, SessionOptions), SessionError<W::Error>> {
        self.gather()?;
        let mut known = self.known();
        let roadmap = match (&self.growing, &self.options.roadmap) {
            (Some(_), given) => {
                let grown = self.roadmap().map(|(roadmap, _)| roadmap.clone());
                grown.or_else(|| given.clone())
            }
            (None, Some(given)) => {
                // The ends of this query are joined by edges that are not there any more.
                known.forget_if(|edge, _| edge.index() >= given.edge_count());
                Some(given.clone())
            }
            (None, None) => {
                known = EdgeMemory::default();
                None
            }
        };
        let Some(Ground { space, world, .. }) = self.ground else {
            return Err(SessionError::Option(
                "a session that can check edges only plans from vertex to vertex: make another"
                    .to_owned(),
            ));
        };
        let options = SessionOptions {
            roadmap,
            known,
            ..self.options
        };
        Ok((space, world, options))
    }

    /// Whether the path is being straightened, so that better ones need not lie on the roadmap.
    #[must_use]
    pub fn is_straightening(&self) -> bool {
        matches!(self.stage, Stage::Straightening(..))
    }

    /// The best path as one on the [roadmap](Session::roadmap), if it is.
    #[must_use]
    pub fn best_path_on_roadmap(&self) -> Option<&Path> {
        let path = self.planner()?.best_path()?;
        (Some(path.length()) == self.best_length).then_some(path)
    }

    /// Ends planning and goes on with what comes after it: straightening the best path, if that was
    /// asked for and there is one.
    pub fn end_planning(&mut self) {
        if !matches!(self.stage, Stage::Straightening(..) | Stage::Over) {
            self.after_planning(None);
        }
    }

    fn event(&self, kind: EventKind) -> Event {
        Event {
            kind,
            progress: self.progress(),
        }
    }

    /// What has been asked since, as an event.
    fn probed(&self, free: bool, before: u64) -> Event {
        let configurations = self.progress().configurations - before;
        self.event(EventKind::Probed {
            free,
            configurations,
        })
    }

    /// Takes a step. A check that failed is made again by the next one; any other trouble ends the session.
    fn advance_or_end(&mut self, limit: &Limit) -> Result<Option<Event>, SessionError<W::Error>> {
        let step = self.advance(limit);
        if step
            .as_ref()
            .is_err_and(|e| !matches!(e, SessionError::World(_)))
        {
            self.stage = Stage::Over;
        }
        step
    }

    fn advance(&mut self, limit: &Limit) -> Result<Option<Event>, SessionError<W::Error>> {
        if let Some(prices) = self.news_of_prices() {
            return Ok(Some(self.event(EventKind::Priced(prices))));
        }
        // What setting up takes grows with the roadmap, and the few configurations of these steps would be charged for it.
        let is_set_up = match &self.stage {
            // The first to ask what the edges are makes the roadmap find out.
            Stage::Ends => {
                let roadmap = self.options.roadmap.as_ref();
                roadmap.is_some_and(|roadmap| !is_of_straight_motions(roadmap))
            }
            Stage::Joining(_) => true,
            _ => false,
        };
        if is_set_up || !self.meter.as_mut().is_some_and(Meter::wants_time) {
            return self.take_step(limit);
        }
        let spent = |session: &Self| {
            let thoughts = session.planner().map_or(0, |planner| planner.effort());
            (session.progress().configurations, thoughts)
        };
        let before = spent(self);
        let began = Instant::now();
        let step = self.take_step(limit);
        let time = began.elapsed();
        let now = spent(self);
        // Whoever thinks for the first time sets up what thoughts need, for more than these.
        let is_first_thought = before.1 == 0 && now.1 > 0;
        if let Some(meter) = self.meter.as_mut().filter(|_| !is_first_thought) {
            let (asked, thoughts) = (now.0 - before.0, now.1.saturating_sub(before.1));
            let took = self.ground.as_ref().and_then(|ground| ground.world.took());
            match took.filter(|_| asked > 0) {
                Some(each) => meter.take(asked, 0, each.saturating_mul(asked as u32)),
                None => meter.take(asked, thoughts, time),
            }
        }
        step
    }

    /// What things are taken to cost from now on, if it is time to say so.
    fn news_of_prices(&mut self) -> Option<Prices> {
        if self.meter.is_none() || !matches!(self.stage, Stage::Planning) {
            return None;
        }
        let configurations = self.progress().configurations;
        let prices = self.meter.as_mut()?.news(configurations)?;
        if let Some(growing) = &mut self.growing {
            growing.set_prices(prices);
        } else if let Some(planner) = &mut self.on_roadmap {
            planner.set_prices(prices);
        }
        Some(prices)
    }

    fn take_step(&mut self, limit: &Limit) -> Result<Option<Event>, SessionError<W::Error>> {
        match &self.stage {
            Stage::Ends => self.check_ends(limit),
            Stage::Joining(straight) => self.join(*straight, limit),
            Stage::Planning => self.plan(limit),
            Stage::Straightening(..) => self.straighten(limit),
            Stage::Over => Ok(None),
        }
    }

    fn check_ends(&mut self, limit: &Limit) -> Result<Option<Event>, SessionError<W::Error>> {
        let (Some(ground), Some(motions)) = (&mut self.ground, &mut self.motions) else {
            unreachable!("there are ends only where there is a ground");
        };
        let before = self.spent.configurations + motions.configurations();
        motions.obey(limit);
        let is_tree = matches!(self.options.planner, PlannerName::Tree(_));
        // A tree checks its ends itself. Of several goals it is given those that are free.
        if !is_tree || ground.goals.len() > 1 {
            while self.free_ends <= ground.goals.len() {
                if motions.is_stopped() {
                    return Ok(None);
                }
                let (end, q) = match self.free_ends.checked_sub(1) {
                    None => (End::Start, &ground.start),
                    Some(goal) => (End::Goal, &ground.goals[goal]),
                };
                let is_last = ground.goals.len() == 1;
                match (motions.is_free(q).map_err(SessionError::World)?, end) {
                    (true, _) => self.free_ends += 1,
                    (false, End::Goal) if !is_last => {
                        ground.goals.remove(self.free_ends - 1);
                        self.spent.lower_bound = ground.straight_line();
                    }
                    (false, end) => return Err(SessionError::InCollision(end)),
                }
            }
        }
        if is_tree && self.tree.is_none() {
            self.make_planner()?;
        }
        // A tree has asked about its ends.
        let mut limit = limit.clone();
        limit.stand_at(self.progress());
        let (Some(ground), Some(motions)) = (&self.ground, &mut self.motions) else {
            unreachable!("they were here");
        };
        motions.obey(&limit);
        if !self
            .options
            .roadmap
            .as_ref()
            .is_none_or(is_of_straight_motions)
        {
            self.stage = self.after_ends(None);
            return Ok(Some(self.probed(true, before)));
        }
        // To the nearest goal: those to the others are edges like all others.
        let goal = &ground.goals[0];
        let straight = motions.is_proved_free(&ground.start, goal);
        let Some(free) = straight.map_err(SessionError::World)? else {
            return Ok(None);
        };
        if free {
            let both = [&ground.start[..], goal].concat();
            self.best = Some(Waypoints::new(&ground.space, both));
            self.best_length = self.best.as_ref().map(Waypoints::length);
            let probed = self.probed(true, before);
            let length = self.best_length.unwrap_or(0.0);
            for kind in [EventKind::Improved { length }, EventKind::StraightLine] {
                self.untold.push_back(self.event(kind));
            }
            self.stage = Stage::Over;
            return Ok(Some(probed));
        }
        self.stage = self.after_ends(Some(false));
        Ok(Some(self.probed(false, before)))
    }

    fn after_ends(&self, straight: Option<bool>) -> Stage {
        if self.grows.is_some() {
            return Stage::Planning;
        }
        match self.options.planner {
            PlannerName::Tree(_) => Stage::Planning,
            PlannerName::OnRoadmap(_) | PlannerName::Growing(_) => Stage::Joining(straight),
        }
    }

    fn join(
        &mut self,
        straight: Option<bool>,
        limit: &Limit,
    ) -> Result<Option<Event>, SessionError<W::Error>> {
        let Some(ground) = &self.ground else {
            unreachable!("ends are joined only where there is a ground");
        };
        let roadmap = match &self.options.roadmap {
            Some(roadmap) => roadmap.clone(),
            None => made_on_the_spot(&ground.space)?,
        };
        let fits = roadmap.space().map(Space::dimension) == Some(ground.space.dimension());
        if !fits || roadmap.vertex_count() == 0 {
            return Err(BisectionError::NoConfigurations.into());
        }
        let before = self.progress().configurations;
        let joined = if !is_of_straight_motions(&roadmap) {
            let nearest = Connection::Nearest(NEIGHBOURS);
            let (start, goals) = (&ground.start, &ground.goals);
            Some(Joined::unchecked(&roadmap, start, goals, nearest)?)
        } else {
            let world = ground.world.clone();
            let mut joining =
                Joining::new(&roadmap, &ground.space, ground.resolution, world, limit);
            let joined = joining.join(&ground.start, &ground.goals, straight);
            self.spent.configurations += joining.configurations;
            joined?
        };
        let Some(mut joined) = joined else {
            return Ok(None);
        };
        for (edge, free) in self.options.known.known() {
            match self.options.known.is_proved(edge) {
                true => joined.known.remember_proved(edge),
                false => joined.known.remember(edge, free),
            }
        }
        self.joined = Some(joined);
        self.stage = Stage::Planning;
        Ok(Some(self.probed(true, before)))
    }

    /// Makes the planner, on the roadmap as it is now.
    fn make_planner(&mut self) -> Result<(), SessionError<W::Error>> {
        let spec = match self.options.planner {
            PlannerName::Tree(name) => return self.make_tree(name),
            PlannerName::OnRoadmap(spec) | PlannerName::Growing(spec) => spec,
        };
        let (Some(joined), Some(ground)) = (&self.joined, &self.ground) else {
            return Ok(());
        };
        let world = ground.world.clone();
        let checker = BisectionChecker::new(&joined.roadmap, ground.resolution, world)?;
        let checker = VerticesOnce::new(checker.proving(), joined.free_vertices());
        let checker: AnyChecker<'a, W::Error> = Box::new(checker);
        let mut planner = spec.build(&self.setting(joined), checker)?;
        if let Some(meter) = &self.meter {
            planner.set_prices(meter.prices());
        }
        self.on_roadmap = Some(planner);
        Ok(())
    }

    fn make_tree(&mut self, name: TreeName) -> Result<(), SessionError<W::Error>> {
        let Some(ground) = &self.ground else {
            return Ok(());
        };
        let SessionOptions { trees, seed, .. } = self.options;
        let motions = ground.motions()?;
        let trees = trees.unwrap_or_else(|| RrtConnectOptions::for_space(&ground.space));
        let goals = &ground.goals[..];
        self.tree = Some(name.build(motions, &ground.start, goals, trees, seed)?);
        Ok(())
    }

    fn setting(&self, joined: &Joined) -> Setting {
        Setting {
            experience: self.options.experience.clone(),
            models: self.options.models.clone(),
            known: joined.known.clone(),
            eta: self.options.eta,
            fallback: self.options.fallback,
            seed: self.options.seed,
            other_goals: joined.other_goals.clone(),
            ..Setting::new(&joined.roadmap, joined.query)
        }
    }

    fn grow(
        &mut self,
        spec: PlannerSpec,
        limit: &Limit,
    ) -> Result<Option<Event>, SessionError<W::Error>> {
        let growing = match (&mut self.growing, &self.ground) {
            (Some(growing), _) => growing,
            (none, Some(ground)) => {
                let Ground { start, goals, .. } = ground;
                let motions = ground.motions()?;
                let prices = self.meter.as_ref().map(Meter::prices);
                let options = &self.options;
                none.insert(Growing::new(spec, motions, start, goals, options, prices))
            }
            _ => unreachable!("only what has a ground grows"),
        };
        let Some(event) = growing.step(limit)? else {
            return Ok(None);
        };
        if let EventKind::Improved { length } = event.kind {
            self.best_length = Some(length);
            self.best = growing.best().cloned();
        }
        if event.kind.is_final() {
            self.stage = Stage::Over;
        }
        Ok(Some(Event {
            progress: self.spent_before().and(event.progress),
            ..event
        }))
    }

    fn plan(&mut self, limit: &Limit) -> Result<Option<Event>, SessionError<W::Error>> {
        if let Some(spec) = self.grows {
            return self.grow(spec, limit);
        }
        if self.on_roadmap.is_none() && self.tree.is_none() {
            self.make_planner()?;
        }
        let step = match (&mut self.on_roadmap, &mut self.tree) {
            (Some(planner), _) => planner.step(limit),
            (None, Some(tree)) => tree.step(limit),
            (None, None) => unreachable!("it was made just now"),
        };
        let Some(event) = step.transpose().map_err(SessionError::World)? else {
            return Ok(None);
        };
        match event.kind {
            EventKind::Improved { length } => self.take_path(length),
            kind if kind.is_final() => {
                self.after_planning(Some(kind));
                if let Stage::Straightening(..) = self.stage {
                    return self.straighten(limit);
                }
            }
            _ => {}
        }
        Ok(Some(self.event(event.kind)))
    }

    fn take_path(&mut self, length: f64) {
        self.best_length = Some(length);
        let on_roadmap = self
            .on_roadmap
            .as_ref()
            .and_then(|planner| planner.best_path());
        self.best = match (&self.joined, on_roadmap, &self.tree) {
            (Some(joined), Some(path), _) => Waypoints::of_roadmap(&joined.roadmap, path),
            (_, _, Some(tree)) => tree.best_path().cloned(),
            _ => None,
        };
    }

    fn after_planning(&mut self, end: Option<EventKind>) {
        let is_straight = end == Some(EventKind::StraightLine);
        let joined = self.joined.as_ref();
        let straighten = self.options.straighten
            && !is_straight
            && joined.is_none_or(|joined| is_of_straight_motions(&joined.roadmap));
        self.stage = match (&self.best, &self.ground) {
            (Some(path), Some(ground)) if straighten => {
                let options = ShortcutOptions::default();
                let path = Shortcutting::new(&ground.space, path.clone(), options);
                let random = Pcg64::seed_from_u64(self.options.seed);
                Stage::Straightening(Box::new((path, random)), end)
            }
            _ => Stage::Over,
        };
    }

    fn straighten(&mut self, limit: &Limit) -> Result<Option<Event>, SessionError<W::Error>> {
        let before = self.progress().configurations;
        let (Stage::Straightening(straightening, end), Some(motions)) =
            (&mut self.stage, &mut self.motions)
        else {
            unreachable!("only what is being straightened comes here");
        };
        motions.obey(limit);
        let (path, random) = &mut **straightening;
        if path.is_done() {
            let end = *end;
            self.stage = Stage::Over;
            return Ok(end.map(|kind| self.event(kind)));
        }
        let attempt = path.attempt(motions, random).map_err(SessionError::World)?;
        Ok(match attempt {
            Attempt::BrokenOff => None,
            Attempt::Pointless => Some(self.event(EventKind::NoImprovement)),
            Attempt::Blocked => Some(self.probed(false, before)),
            Attempt::Shorter => {
                let path = path.path().clone();
                let length = path.length();
                let probed = self.probed(true, before);
                self.best = Some(path);
                self.best_length = Some(length);
                self.untold
                    .push_back(self.event(EventKind::Improved { length }));
                Some(probed)
            }
        })
    }
}

impl<'a, E: Send + 'a> Session<'a, EdgesOnly<E>> {
    /// A session on a roadmap whose edges `checker` can check, where nothing else can be checked: from
    /// vertex to vertex, by a planner on that roadmap.
    ///
    /// # Errors
    /// If the planner cannot be made for the roadmap.
    pub fn on_roadmap(
        roadmap: &Roadmap,
        query: Query,
        checker: AnyChecker<'a, E>,
        options: SessionOptions,
    ) -> Result<Self, SessionError<E>> {
        Self::from_vertices(roadmap, query, checker, options)
    }
}

impl<'a, W: World + Clone + Send + 'a> Anytime for Session<'a, W> {
    type Error = SessionError<W::Error>;

    fn step(&mut self, limit: &Limit) -> Option<Result<Event, Self::Error>> {
        match self.untold.pop_front() {
            Some(event) => Some(Ok(event)),
            None => self.advance_or_end(limit).transpose(),
        }
    }

    fn progress(&self) -> Progress {
        Session::progress(self)
    }

    fn has_news(&self) -> bool {
        let growing = self.growing.as_ref();
        !self.untold.is_empty() || growing.is_some_and(Growing::has_news)
    }
}

/// The planner of a session whose roadmap grows, if it is to and can.
fn growing_planner(options: &SessionOptions) -> Option<PlannerSpec> {
    let spec = match options.planner {
        PlannerName::Growing(spec) => Some(spec),
        PlannerName::OnRoadmap(spec) => Some(spec).filter(|spec| spec.proposer.is_ours()),
        PlannerName::Tree(_) => None,
    };
    let roadmap = options.roadmap.as_ref();
    spec.filter(|_| !options.fixed_roadmap && roadmap.is_none_or(is_of_straight_motions))
}

/// Whether the edges of a roadmap are straight motions that could be made and turned at will: not if they
/// lead one way only, nor if what is minimised is a time or a cost, which no distance can be held
/// against.
fn is_of_straight_motions(roadmap: &Roadmap) -> bool {
    roadmap.direction() == Direction::Undirected && roadmap.is_of_distances()
}

/// A roadmap of evenly spread configurations, the more of them the more axes there are.
fn made_on_the_spot(space: &Space) -> Result<Roadmap, RoadmapError> {
    let vertices = 250usize.saturating_mul(1 << space.dimension().min(10));
    let points = roadmap::halton(space, vertices.min(MOST_VERTICES));
    Roadmap::from_configurations(space.clone(), points, Connection::Nearest(NEIGHBOURS))
}

impl<W: World> fmt::Debug for Session<'_, W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Session")
            .field("options", &self.options)
            .field("best", &self.best)
            .finish_non_exhaustive()
    }
}
