//! What `psmp plan` does with a session, wherever it comes from: drives it, says what it finds, and
//! writes what was asked for.

use crate::failure::{Mistake, Outcome, is_closed_pipe};
use crate::plan::PlanArgs;
use crate::status::Telling;
use crate::stopping::Stopping;
use crate::stopwatch::Stopwatch;
use crate::{Common, say, show, status};
use anyhow::Result;
use psmp::by_name::{PlannerName, TreeName};
use psmp::checker::World;
use psmp::{CollisionTable, Experience, Space, VertexId};
use psmp::{
    Direction, EdgeStatus, Event, EventKind, Limit, Query, Roadmap, Session, SessionOptions,
};
use psmp_files::{FileError, Fingerprint, Keeping, WorldRecord, learned, read_table};
use psmp_lab::counted;
use psmp_lab::trial::{self, Ending, Trial};
use psmp_report::picture::{EdgeMark, Given, RunPicture, TriedWay};
use psmp_report::report::film::Recorder;
use psmp_worlds::OccupancyGrid;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::convert::Infallible;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Known worlds, which must be of this roadmap.
pub fn read_table_of(file: &Path, roadmap: &Roadmap) -> Result<CollisionTable> {
    let table = read_table(file)?;
    if table.edge_count() == roadmap.edge_count() {
        return Ok(table);
    }
    let problem = format!(
        "tells of {}, the roadmap has {}",
        counted(table.edge_count(), "edges"),
        roadmap.edge_count()
    );
    let error = FileError::new(file, problem);
    Err(error
        .hint("give the table that was made for this roadmap")
        .into())
}

/// How many ways that were tried are drawn, of those in collision and of those that are free: the last.
const MOST_TRIED: [usize; 2] = [300, 1000];

/// A run of `psmp plan`, all but its session.
pub struct Planning<'a> {
    pub args: &'a PlanArgs,
    pub common: Common,
    pub stopping: &'a Stopping<'a>,
    /// Times whatever checks.
    pub checks: Stopwatch,
}

/// Whether a file's name means standard output.
pub fn is_standard_output(file: &Path) -> bool {
    file.as_os_str() == "-"
}

impl Planning<'_> {
    /// Whether the roadmap grows while it is planned on. That of a dataset never does.
    pub fn grows(&self) -> bool {
        let PlanArgs {
            planner,
            fixed_roadmap,
            dataset,
            ..
        } = self.args;
        planner.grows() && !fixed_roadmap && dataset.is_none()
    }

    /// The file that the run is kept in, if one was named, with what was kept before.
    pub fn keeping(
        &self,
        space: &Space,
        given: Option<&Roadmap>,
        world: impl FnOnce() -> WorldRecord,
    ) -> Result<Option<Keeping>> {
        let Some(file) = &self.args.keep else {
            return Ok(None);
        };
        let keeping = Keeping::open(file, space, world())?;
        if let Some(roadmap) = given {
            keeping.check_first(roadmap)?;
        }
        Ok(Some(keeping))
    }

    /// What a session on this roadmap is told, if there is to be one: with the experience that was
    /// given, or else with `known`. Experience is about the roadmap that was kept `first`, if any was.
    pub fn options(
        &self,
        roadmap: Option<Roadmap>,
        known: Option<Experience>,
        first: Option<Roadmap>,
    ) -> Result<SessionOptions> {
        let method = &self.args.method;
        // Only straight motions that can be made either way can be added.
        let can_grow = |roadmap: &Roadmap| {
            roadmap.direction() == Direction::Undirected && roadmap.is_of_distances()
        };
        let grows = self.grows() && roadmap.as_ref().is_none_or(can_grow);
        if self.args.shortcut && grows {
            say!(
                "note: `{}` straightens its path all along, with or without `--shortcut`",
                self.args.planner
            );
        }
        let mut options = SessionOptions {
            planner: self.args.planner,
            straighten: self.args.shortcut && !grows,
            fixed_roadmap: !grows,
            settles: !self.args.stop.are_given(),
            eta: method.eta,
            fallback: method.fallback,
            pricing: self.args.price.clone().unwrap_or_default(),
            seed: self.common.seed,
            experience: known,
            ..SessionOptions::default()
        };
        if let Some(roadmap) = first.as_ref().or(roadmap.as_ref()) {
            if let Some(file) = &self.args.belief {
                options.experience = Some(learned::open(file, roadmap, &options.models)?);
            } else if let Some(file) = &self.args.experience_table {
                let table = read_table_of(file, roadmap)?;
                options.experience = Some(table.into());
            }
        }
        options.roadmap = roadmap;
        let PlanArgs { price, dataset, .. } = self.args;
        Ok(
            match price.is_some() || dataset.is_some() || self.common.is_seeded {
                true => options,
                false => options.measuring(),
            },
        )
    }

    /// Sees that the planner has a use for all options that were given.
    pub fn check_planner(&self) -> Result<()> {
        match self.args.planner {
            PlannerName::Tree(name) => self.check_tree(name),
            PlannerName::Growing(spec) if self.args.fixed_roadmap => Err(Mistake::error(
                format!(
                    "`{}` lets the roadmap grow, and `--fixed-roadmap` forbids it",
                    self.args.planner
                ),
                format!("leave out one of them: `--planner {spec}` keeps to the roadmap"),
            )),
            PlannerName::Growing(spec) if self.args.dataset.is_some() => Err(Mistake::error(
                format!(
                    "the roadmap of a dataset does not grow, as `{}` would have it",
                    self.args.planner
                ),
                format!("plan with `--planner {spec}`, or in a map or for an arm"),
            )),
            PlannerName::OnRoadmap(spec) | PlannerName::Growing(spec)
                if self.args.price.is_some() && !spec.proposer.is_ours() =>
            {
                Err(Mistake::error(
                    format!(
                        "planner `{spec}` has no use for `--price`: it thinks as it was published"
                    ),
                    "leave out `--price`, or choose `ei:ensemble`, which thinks as long as is worth it",
                ))
            }
            PlannerName::OnRoadmap(spec) | PlannerName::Growing(spec) => match &self.args.belief {
                Some(file) if !spec.needs_experience() => Err(Mistake::error(
                    format!(
                        "planner `{spec}` has no use for the belief `{}`",
                        file.display()
                    ),
                    "choose one that learns from known worlds, such as `ei:ensemble` or `psmp:soft`",
                )),
                _ => Ok(()),
            },
        }
    }

    fn check_tree(&self, name: TreeName) -> Result<()> {
        let args = self.args;
        for (given, option) in [
            (args.roadmap.is_some(), "--roadmap"),
            (args.vertices.is_some(), "--vertices"),
            (args.arm.neighbours.is_some(), "--neighbours"),
            (args.belief.is_some(), "--belief"),
            (args.outcomes.is_some(), "--outcomes"),
            (args.keep.is_some(), "--keep"),
            (args.fixed_roadmap, "--fixed-roadmap"),
            (args.price.is_some(), "--price"),
        ] {
            if given {
                return Err(Mistake::error(
                    format!("planner `{name}` has no use for `{option}`: it knows no roadmap"),
                    format!("leave out `{option}`, or choose a planner such as `ei:ensemble`"),
                ));
            }
        }
        if name.ends_by_itself() || args.stop.are_met() {
            return Ok(());
        }
        Err(Mistake::error(
            format!("`{name}` looks for shorter paths until it is stopped"),
            "say when: `--configurations 50000`, or `--time 5`",
        ))
    }

    /// Drives a session to its end or until it is stopped, and says what it finds. It is recorded, if there is
    /// to be a page of it; ways that are tried in the plane are taken down, if they are to be drawn.
    pub fn drive<'s, W>(
        &self,
        session: &mut Session<'s, W>,
    ) -> Result<(Trial, Vec<TriedWay>, Option<Recorder>)>
    where
        W: World<Error = Infallible> + Clone + Send + 's,
    {
        self.stopping.planning_begins();
        let mut tried = [VecDeque::new(), VecDeque::new()];
        let mut recorder = self.args.page.recorder();
        let limits = self.stopping.limits();
        let trial = self.run_through(session, limits, &mut |session, event| {
            if let Some(recorder) = &mut recorder {
                recorder.watch(session, event);
            }
            if let EventKind::Tried { free, .. } = event.kind
                && !self.args.picture.is_empty()
                && let Some(way) = session.tried()
            {
                // A long run tries more than can be seen.
                let alike = &mut tried[usize::from(free)];
                if alike.len() >= MOST_TRIED[usize::from(free)] {
                    alike.pop_front();
                }
                alike.push_back(TriedWay {
                    places: way.iter().filter_map(in_plane).collect(),
                    free,
                });
            }
        })?;
        status::end();
        self.tell_end(session, &trial)?;
        Ok((trial, tried.into_iter().flatten().collect(), recorder))
    }

    /// Says how a run has ended.
    pub fn tell_end<'s, W>(&self, session: &Session<'s, W>, trial: &Trial) -> Result<()>
    where
        W: World<Error = Infallible> + Clone + Send + 's,
    {
        if self.common.json {
            self.tell_result(session, trial)?;
        }
        if trial.ending == Ending::Stopped {
            let spent = counted(trial.progress.configurations, "configurations");
            match session.is_prepared() {
                true => say!("stopped after {spent}"),
                false => say!(
                    "stopped after {spent}, before start and goal were joined to the roadmap\n\
                     hint: allow more configurations or more time"
                ),
            }
        }
        Ok(())
    }

    /// Drives a session up to a limit, and up to another where the path is straightened after that. What it finds is
    /// said, and every event is shown to `watch`.
    pub fn run_through<'s, W>(
        &self,
        session: &mut Session<'s, W>,
        [limit, afterwards]: [Limit; 2],
        watch: &mut dyn FnMut(&mut Session<'s, W>, &Event),
    ) -> Result<Trial>
    where
        W: World<Error = Infallible> + Clone + Send + 's,
    {
        let mut trial = self.run(session, limit, watch)?;
        if trial.ending == Ending::Stopped && self.args.shortcut {
            session.end_planning();
            let after = self.run(session, afterwards, watch)?;
            trial.improvements.extend(after.improvements);
            let later = after.times.into_iter().map(|time| trial.duration + time);
            trial.times.extend(later);
            trial.progress = after.progress;
            trial.duration += after.duration;
        }
        Ok(trial)
    }

    fn run<'s, W>(
        &self,
        session: &mut Session<'s, W>,
        limit: Limit,
        watch: &mut dyn FnMut(&mut Session<'s, W>, &Event),
    ) -> Result<Trial>
    where
        W: World<Error = Infallible> + Clone + Send + 's,
    {
        let planner = self.args.planner.to_string();
        // Where the path itself goes to standard output, nothing else does.
        let files = &self.args.path;
        let mut out: Box<dyn Write> = match files.iter().any(|file| is_standard_output(file)) {
            true => Box::new(std::io::stderr()),
            false => Box::new(std::io::stdout().lock()),
        };
        let mut trouble = None;
        let mut growth = show::Growth::default();
        let mut telling = Telling::new(&self.checks);
        telling.hear(session.progress(), "beginning");
        let mut words = Vec::new();
        let trial = trial::run_within(session, limit, |session, event| {
            growth.hear(event);
            telling.hear(event.progress, status::doing_now(session));
            watch(session, event);
            let line = show::Line {
                planner: &planner,
                event,
                is_straightened: session.is_straightening(),
                will_be_straightened: self.args.shortcut && !self.grows(),
                grows: self.grows(),
            };
            words.clear();
            let said = line.write(&mut words, self.common.json).and_then(|()| {
                // Most events say nothing.
                match words.is_empty() {
                    true => Ok(()),
                    false => status::aside(|| out.write_all(&words).and_then(|()| out.flush())),
                }
            });
            if let Err(e) = said {
                self.stopping.interrupt();
                trouble.get_or_insert(e);
            }
        });
        growth.say();
        match trouble.filter(|e| !is_closed_pipe(e)) {
            Some(e) => Err(e.into()),
            None => Ok(trial?),
        }
    }

    /// Puts all that was found free into the roadmap, where that grows and is to be kept or shown.
    pub fn gather<'s, W>(&self, session: &mut Session<'s, W>) -> Result<()>
    where
        W: World<Error = Infallible> + Clone + Send + 's,
    {
        let is_shown = !self.args.picture.is_empty() || self.args.page.file().is_some();
        match self.args.keep.is_some() || is_shown {
            true => Ok(session.gather()?),
            false => Ok(()),
        }
    }

    /// Writes the best path, what was found out on the roadmap that `known` is, and what is kept of the run,
    /// to where that was asked for. A configuration's numbers have `names`.
    pub fn write<'s, W>(
        &self,
        session: &Session<'s, W>,
        names: &[&str],
        known: Option<Fingerprint>,
        keeping: Option<&Keeping>,
    ) -> Result<()>
    where
        W: World<Error = Infallible> + Clone + Send + 's,
    {
        for file in &self.args.path {
            match session.progress().best_length {
                Some(_) if is_standard_output(file) => {
                    std::io::stdout().write_all(&path_as_csv(session, names)?)?;
                }
                Some(_) => self.write_path(session, names, file)?,
                None => say!("there is no path to write to `{}`", file.display()),
            }
        }
        if let Some(keeping) = keeping {
            keeping.keep(
                session
                    .roadmap()
                    .map(|(roadmap, _)| (roadmap, session.known())),
            )?;
        }
        if let (Some(file), Some(known)) = (&self.args.outcomes, known) {
            let planner = session.planner();
            let entries = planner.map_or(&[][..], |planner| planner.ledger().entries());
            learned::Outcomes::of(known, entries).write(file)?;
        }
        Ok(())
    }

    /// Writes the path as JSON or CSV, by the file's ending.
    fn write_path<'s, W>(&self, session: &Session<'s, W>, names: &[&str], file: &Path) -> Result<()>
    where
        W: World<Error = Infallible> + Clone + Send + 's,
    {
        let ending = file.extension();
        let bytes = match ending.is_some_and(|e| e.eq_ignore_ascii_case("csv")) {
            true => path_as_csv(session, names)?,
            false => serde_json::to_vec_pretty(&self.told(session))?,
        };
        Ok(psmp_files::save(file, &bytes)?)
    }

    /// The best path and how it came about.
    fn told<'s, W>(&self, session: &Session<'s, W>) -> Value
    where
        W: World<Error = Infallible> + Clone + Send + 's,
    {
        let progress = session.progress();
        let mut told = json!({
            "planner": self.args.planner.to_string(),
            "seed": self.common.seed,
            "length": progress.best_length,
            "configurations": progress.configurations,
            "edges_checked": progress.edges,
        });
        let (on_roadmap, path) = places(session);
        if let Some(on_roadmap) = on_roadmap {
            let edges = on_roadmap.edges().iter();
            told["vertices"] = json!(numbered(on_roadmap));
            told["edges"] = json!(edges.map(|e| e.0 + 1).collect::<Vec<u32>>());
        }
        told["path"] = json!(path);
        show::with_bound(told, progress)
    }

    /// Tells on a last line all that came of the run, and how long it took.
    fn tell_result<'s, W>(&self, session: &Session<'s, W>, trial: &Trial) -> Result<()>
    where
        W: World<Error = Infallible> + Clone + Send + 's,
    {
        let mut told = json!({"event": "result"});
        if let (Some(told), Value::Object(more)) = (told.as_object_mut(), self.told(session)) {
            told.extend(more);
        }
        told["ending"] = json!(trial.ending.name());
        told["proposals"] = json!(trial.progress.proposals);
        if trial.progress.best_length.is_none() {
            told["path"] = json!(null);
        }
        let checking = self.checks.time().min(trial.duration);
        told["seconds"] = json!({
            "preparing": self.stopping.preparation().as_secs_f64(),
            "checking": checking.as_secs_f64(),
            "thinking": (trial.duration - checking).as_secs_f64(),
        });
        told["versions"] = json!({"psmp": env!("CARGO_PKG_VERSION"), "result": RESULT});
        match writeln!(std::io::stdout(), "{told}") {
            Err(e) if !is_closed_pipe(&e) => Err(e.into()),
            _ => Ok(()),
        }
    }

    /// How a run ends. Of a roadmap that was given, be it as that of a belief, it is a finding that it has no
    /// path; one that was made on the spot can be made finer.
    pub fn outcome(&self, trial: &Trial) -> Outcome {
        let args = self.args;
        let given = args.roadmap.is_some() || args.dataset.is_some() || args.belief.is_some();
        match (trial.progress.best_length, trial.ending) {
            (Some(_), _) => Outcome::Done,
            (None, Ending::NoPathOnRoadmap) if given => {
                if self.args.dataset.is_none() {
                    say!("there is no path on this roadmap, joined to start and goal");
                }
                Outcome::NoPathOnRoadmap
            }
            (None, Ending::NoPathOnRoadmap) => {
                let remedy = match self.args.fixed_roadmap {
                    true => "leave out `--fixed-roadmap`",
                    false => "leave out `--planner`, or add `+grow` to its name",
                };
                say!(
                    "hint: the roadmap was made on the spot and stays as it is, and one that grows may \
                     have a path: {remedy}, or give more `--vertices`"
                );
                Outcome::NoPathYet
            }
            (None, Ending::GaveUp) if self.grows() => {
                say!(
                    "hint: there may be a path all the same: say how long to look for one, as in \
                     `--time 60`, and the search goes on until then"
                );
                Outcome::NoPathYet
            }
            _ => Outcome::NoPathYet,
        }
    }
}

/// The version of what is told as the result of a run.
const RESULT: u32 = 1;

/// The vertices of a path, counted from 1 as in all files.
fn numbered(path: &psmp::Path) -> Vec<u32> {
    path.vertices().iter().map(|v| v.0 + 1).collect()
}

/// The best path on the roadmap, if it lies on it, and its configurations, which a roadmap need not have.
fn places<'a, 's, W>(
    session: &'a Session<'s, W>,
) -> (Option<&'a psmp::Path>, Vec<Option<&'a [f64]>>)
where
    W: World<Error = Infallible> + Clone + Send + 's,
{
    let on_roadmap = session.best_path_on_roadmap();
    let nothing = || vec![None; on_roadmap.map_or(0, |path| path.vertices().len())];
    let path = session.best_path();
    let path = path.map_or_else(nothing, |path| path.iter().map(Some).collect());
    (on_roadmap, path)
}

/// The best path with a configuration on each line, whose numbers have `names`.
fn path_as_csv<'s, W>(session: &Session<'s, W>, names: &[&str]) -> Result<Vec<u8>>
where
    W: World<Error = Infallible> + Clone + Send + 's,
{
    let (on_roadmap, path) = places(session);
    let vertices = on_roadmap.map(numbered);
    let mut csv = csv::Writer::from_writer(Vec::new());
    let vertex = vertices.as_ref().map(|_| "vertex");
    csv.write_record(vertex.iter().chain(names))?;
    for (place, q) in path.iter().enumerate() {
        let vertex = vertices.as_ref().map(|v| v[place].to_string());
        let numbers = q.iter().flat_map(|q| q.iter().map(f64::to_string));
        csv.write_record(vertex.into_iter().chain(numbers))?;
    }
    Ok(csv.into_inner()?)
}

/// What a picture of a run in the plane shows beside the session.
pub struct Drawing<'a> {
    pub title: &'a str,
    pub space: &'a Space,
    pub ends: [&'a [f64]; 2],
    pub obstacles: Option<&'a OccupancyGrid>,
    pub grown_obstacles: Option<&'a OccupancyGrid>,
    pub trial: &'a Trial,
    pub tried: &'a [TriedWay],
    pub shortest: Option<f64>,
    /// How large the roadmap was before the run.
    pub given: Given,
}

/// The first two coordinates of a configuration.
fn in_plane(q: &[f64]) -> Option<[f64; 2]> {
    Some([*q.first()?, *q.get(1)?])
}

impl Drawing<'_> {
    /// Draws the run in the plane: the roadmap as far as it is known, and the best path, whether or not
    /// it lies on it.
    pub fn write<'s, W>(&self, session: &mut Session<'s, W>, files: &[PathBuf]) -> Result<()>
    where
        W: World<Error = Infallible> + Clone + Send + 's,
    {
        if files.is_empty() {
            return Ok(());
        }
        let mut edges = Vec::new();
        // Start and goal, and what joins them, are part of every run.
        let size = session
            .roadmap()
            .map_or(0, |(roadmap, _)| roadmap.vertex_count());
        let has_grown = size > self.given.vertices + 2;
        if let Some(planner) = session.planner_mut() {
            let count = planner.ledger().edge_count() as u32;
            let given = self.given.edges;
            edges.extend((0..count).map(psmp::EdgeId).map(
                |edge| match planner.ledger().status(edge) {
                    EdgeStatus::Free => EdgeMark::Free,
                    EdgeStatus::Blocked => EdgeMark::Blocked,
                    // What is believed of the many new ones is not drawn.
                    EdgeStatus::Unchecked if edge.index() >= given && has_grown => {
                        EdgeMark::Unknown { p_free: 0.5 }
                    }
                    EdgeStatus::Unchecked => EdgeMark::Unknown {
                        p_free: planner.probability_free(edge),
                    },
                },
            ));
        }
        let (roadmap, query) = match session.roadmap() {
            Some((roadmap, query)) => (roadmap.clone(), query),
            None => self.ends()?,
        };
        let on_roadmap = session.best_path_on_roadmap();
        let mut path = on_roadmap.map(|path| path.vertices().to_vec());
        let mut drawn = roadmap.clone();
        if let (None, Some(best)) = (&path, session.best_path()) {
            // Its configurations are vertices like others, to be drawn with the rest.
            let old = roadmap.configurations().unwrap_or_default();
            let coordinates = [&old[..], best.coordinates()].concat();
            let first = roadmap.vertex_count() as u32;
            path = Some((first..first + best.count() as u32).map(VertexId).collect());
            drawn = Roadmap::from_edges(
                roadmap.vertex_count() + best.count(),
                Direction::Undirected,
                roadmap.edges().collect(),
            )?
            .with_configurations(self.space.clone(), coordinates)?;
        }
        let steps = if edges.is_empty() { "motions" } else { "edges" };
        let picture = RunPicture {
            title: self.title,
            subtitle: &show::subtitle(self.trial, steps),
            roadmap: &drawn,
            query,
            obstacles: self.obstacles,
            grown_obstacles: self.grown_obstacles,
            edges: &edges,
            path: path.as_deref(),
            curve: &show::curve(self.trial),
            shortest: self.shortest,
            given: has_grown.then_some(self.given),
            tried: self.tried,
        };
        for file in files {
            picture.write(file)?;
        }
        Ok(())
    }

    /// Start and goal alone.
    fn ends(&self) -> Result<(Roadmap, Query)> {
        let roadmap = Roadmap::from_edges(2, Direction::Undirected, Vec::new())?
            .with_configurations(self.space.clone(), self.ends.concat())?;
        let [start, goal] = [0, 1].map(VertexId);
        Ok((roadmap, Query { start, goal }))
    }
}
