//! `psmp plan --live`: runs shown in the browser while they go on, in a problem whose parts can be dragged.
//!
//! The planner stays on the thread that it is on. A [`Server`] answers the page on threads of its own: what is dragged
//! is tried on the [`Problem`] as it is wanted last, refused in words where that is no problem, and otherwise the run
//! is stopped and another one begins with all that the last one has found out and that is still so. A run that is over
//! waits for that until Ctrl-C.

mod arm;
mod broadcast;
mod in_plane;
mod server;

pub use arm::ArmInScene;
pub use in_plane::InPlane;

use crate::failure;
use crate::planning::Planning;
use crate::{page, say, status};
use anyhow::{Context, Result};
use broadcast::Broadcast;
use psmp::checker::World;
use psmp::{Progress, Session, Space, Stop, Yardstick};
use psmp_lab::counted;
use psmp_lab::trial::{Ending, Trial};
use psmp_report::report::film::Shown;
use psmp_report::report::live::{LiveRun, News};
use psmp_report::report::run_page::ArmScene;
use psmp_worlds::OccupancyGrid;
use serde::Deserialize;
use serde_json::{Value, json};
use server::{Server, Site};
use std::convert::Infallible;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long those who look are given to hear that it is over.
const FAREWELL: Duration = Duration::from_millis(500);
/// How often it is seen whether Ctrl-C was pressed, while nothing else is to be done.
const GLANCE: Duration = Duration::from_millis(50);

/// What is dragged, and where to.
#[derive(Debug, Clone, Deserialize)]
#[serde(tag = "what", rename_all = "lowercase")]
pub enum Move {
    /// The start, to a configuration.
    Start { to: Vec<f64> },
    /// The goal.
    Goal { to: Vec<f64> },
    /// An object of the scene, by its place in it, and how far.
    Object { object: usize, by: [f64; 3] },
}

/// Why a move cannot be made.
#[derive(Debug)]
pub enum Refused {
    /// It makes no sense in this problem.
    Nonsense(String),
    /// It leads to where nothing can be planned.
    NotFree(String),
}

/// A problem whose parts can be moved.
pub trait Problem: Clone + Send + 'static {
    /// The problem after a move.
    fn moved(&self, by: Move) -> Result<Self, Refused>;
    /// Where the links of an arm are in a configuration.
    fn pose(&self, joints: &[f64]) -> Result<Value, Refused>;
    fn space(&self) -> &Space;
    fn ends(&self) -> [&[f64]; 2];
    /// The obstacles of a map, and grown by the robot's radius.
    fn obstacles(&self) -> [Option<&OccupancyGrid>; 2];
    fn arm(&self) -> Option<ArmScene<'_>>;
}

/// The problem as it is wanted last.
struct Wanted<P> {
    problem: Mutex<P>,
    news: Condvar,
    /// Whether it is another than the one that is planned in.
    is_new: Arc<AtomicBool>,
}

impl<P: Problem> Wanted<P> {
    fn problem(&self) -> MutexGuard<'_, P> {
        // It is replaced as a whole.
        self.problem.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Answers what the page sends.
    fn answer(&self, what: &str, body: &[u8]) -> Option<Result<Value, String>> {
        let answer = match what {
            "move" => read(body).and_then(|wish| self.make(wish)),
            "pose" => read(body).and_then(|Pose { joints }| {
                let pose = self.problem().pose(&joints)?;
                Ok(json!({ "pose": pose }))
            }),
            _ => return None,
        };
        Some(match answer {
            Err(Refused::Nonsense(words)) => Err(words),
            Err(Refused::NotFree(words)) => Ok(json!({ "words": words })),
            Ok(answer) => Ok(answer),
        })
    }

    fn make(&self, wish: Move) -> Result<Value, Refused> {
        let mut problem = self.problem();
        *problem = problem.moved(wish)?;
        self.is_new.store(true, Ordering::Relaxed);
        self.news.notify_all();
        Ok(json!({}))
    }

    /// Waits for another problem; none if it is over before.
    fn next(&self, is_over: impl Fn() -> bool) -> Option<P> {
        let mut problem = self.problem();
        while !is_over() {
            if self.is_new.swap(false, Ordering::Relaxed) {
                return Some(problem.clone());
            }
            let waited = self.news.wait_timeout(problem, GLANCE);
            problem = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        None
    }
}

/// Joints to be shown.
#[derive(Deserialize)]
struct Pose {
    joints: Vec<f64>,
}

/// What a body says.
fn read<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Refused> {
    let read = serde_json::from_slice(body);
    read.map_err(|e| Refused::Nonsense(format!("this cannot be understood: {e}")))
}

/// Plans in a problem and in all that it is changed into, until Ctrl-C. `next` makes the session for a problem out of
/// the one for the problem before. Returns the last of all, and what came of it.
pub fn run<'s, W, P: Problem>(
    planning: &Planning<'_>,
    title: &str,
    mut session: Session<'s, W>,
    mut problem: P,
    mut next: impl FnMut(Session<'s, W>, &P, &P) -> Result<Session<'s, W>>,
) -> Result<(Trial, Session<'s, W>, P)>
where
    W: World<Error = Infallible> + Clone + Send + 's,
{
    let stopping = planning.stopping;
    stopping.planning_begins();
    let is_new = Arc::new(AtomicBool::new(false));
    let wanted = Arc::new(Wanted {
        problem: Mutex::new(problem.clone()),
        news: Condvar::new(),
        is_new: is_new.clone(),
    });
    let asked = wanted.clone();
    let has_map = problem.obstacles()[0].is_some() || problem.space().dimension() == 2;
    let server = Server::start(Site {
        page: psmp_report::report::live::page(title, has_map, problem.arm().is_some()),
        events: Broadcast::default(),
        answer: Box::new(move |what, body| asked.answer(what, body)),
    });
    let server = server.context("no page can be served on this machine's loopback")?;
    if planning.common.json {
        let told = json!({ "event": "serving", "address": server.address });
        writeln!(std::io::stdout(), "{told}")?;
    }
    say!("live at {}\nCtrl-C ends it", server.address);
    if planning.args.page.is_opened() {
        page::open(server.address.as_ref());
    }
    let mut number = 1;
    let last = loop {
        let teller = Teller {
            planning,
            number,
            knows: session.known().known().count(),
            events: &server.site.events,
            began: Instant::now(),
        };
        planning.checks.restart();
        let limits = stopping.limits_from_now(&Stop::flag(is_new.clone()));
        let told = teller.tell(&mut session, &problem, limits);
        let last = match told {
            Ok(trial) => Some(trial),
            // What is wrong with this problem may be right with the next.
            Err(error) => {
                failure::report(&error);
                let mut words = error.to_string();
                if let Some(hint) = failure::remedy(&error) {
                    words += &format!("; {hint}");
                }
                teller.over(session.progress(), &words);
                None
            }
        };
        status::doing(format!(
            "waiting for something to be moved at {}",
            server.address
        ));
        let Some(wish) = wanted.next(|| stopping.is_interrupted()) else {
            break last;
        };
        status::doing("keeping what is still so");
        session = next(session, &problem, &wish)?;
        problem = wish;
        number += 1;
        let knows = counted(session.known().known().count(), "edges");
        say!("run {number}, which begins with what is known of {knows}");
    };
    status::end();
    let bye = json!({ "bye": true }).to_string();
    server.site.events.end(bye, FAREWELL);
    let trial = last.unwrap_or_else(|| Trial {
        progress: session.progress(),
        ..Trial::over_at_once(Ending::Stopped, 0)
    });
    Ok((trial, session, problem))
}

/// Tells of one run.
struct Teller<'a> {
    planning: &'a Planning<'a>,
    number: usize,
    /// Of how many edges it is known beforehand whether they are free.
    knows: usize,
    events: &'a Broadcast,
    began: Instant,
}

impl Teller<'_> {
    /// Drives a session to its end, or until it is stopped, and tells what happens.
    fn tell<'s, W, P: Problem>(
        &self,
        session: &mut Session<'s, W>,
        problem: &P,
        limits: [psmp::Limit; 2],
    ) -> Result<Trial>
    where
        W: World<Error = Infallible> + Clone + Send + 's,
    {
        let planning = self.planning;
        let [obstacles, grown_obstacles] = problem.obstacles();
        let given = session.given_roadmap().cloned();
        let shown = Shown {
            planner: planning.args.planner.to_string(),
            seed: planning.common.seed,
            space: problem.space(),
            ends: problem.ends(),
            obstacles,
            grown_obstacles,
            shortest: None,
            given: [0, 0],
        };
        let mut live = LiveRun::begin(&shown, given.as_ref(), &session.known(), problem.arm())?;
        self.begin(&live, session.progress());
        let trial = planning.run_through(session, limits, &mut |session, event| {
            if let Some(news) = live.watch(session, event) {
                let doing = status::doing_now(session);
                self.say(&live, news, self.standing(event.progress, doing));
            }
        })?;
        session.gather()?;
        let news = live.end(session);
        self.say(&live, news, self.standing(trial.progress, "planning"));
        self.over(trial.progress, self.why(&trial));
        planning.tell_end(session, &trial)?;
        Ok(trial)
    }

    fn begin(&self, live: &LiveRun<'_>, progress: Progress) {
        let mut told = live.so_far();
        told["run"] = json!(self.number);
        told["standing"] = self.standing(progress, "planning");
        self.events.begin(told.to_string());
    }

    fn say(&self, live: &LiveRun<'_>, news: News, standing: Value) {
        match news {
            News::More(mut told) => {
                told["standing"] = standing;
                self.events.say(told.to_string());
            }
            News::Anew => {
                let mut told = live.so_far();
                told["run"] = json!(self.number);
                told["standing"] = standing;
                self.events.begin(told.to_string());
            }
        }
    }

    /// The run is over, and why.
    fn over(&self, progress: Progress, why: &str) {
        let mut standing = self.standing(progress, "planning");
        standing["over"] = json!(why);
        self.events.say(json!({ "standing": standing }).to_string());
    }

    /// Why the run has ended.
    fn why(&self, trial: &Trial) -> &'static str {
        match trial.ending {
            Ending::ShortestOnRoadmap => "this is the shortest path on this roadmap, proven",
            Ending::NoPathOnRoadmap => "this roadmap has no path, proven",
            Ending::StraightLine => "this is the straight line, and nothing is shorter",
            Ending::EndInCollision => "the start or the goal is in collision",
            Ending::GaveUp => "for very long nothing was found",
            Ending::Settled => "nothing has made the path shorter for long",
            Ending::Stopped if self.planning.stopping.is_interrupted() => "it was interrupted",
            Ending::Stopped => "the stop that was asked for is met",
        }
    }

    /// How the run stands.
    fn standing(&self, progress: Progress, doing: &str) -> Value {
        let all = self.began.elapsed().as_secs_f64();
        let checking = self.planning.checks.time().as_secs_f64();
        let checking = (checking / all.max(1e-9)).min(1.0);
        let bound = progress.lower_bound;
        json!({
            "doing": doing,
            "knows": self.knows,
            "seconds": all,
            "checks": progress.configurations,
            "best": progress.best_length,
            "bound": bound.is_finite().then_some(bound),
            "onRoadmap": progress.yardstick == Yardstick::ShortestOnRoadmap,
            "thinking": 1.0 - checking,
        })
    }
}
