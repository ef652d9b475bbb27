//! `psmp plan` where a roadmap would be in the way, in a map or for an arm: planners that grow their
//! own trees, and the straightening of any planner's path.

use crate::failure::{Mistake, Outcome};
use crate::plan::{PlanArgs, drive, is_limited};
use crate::stopping::Stopping;
use crate::{Common, say, show};
use anyhow::Result;
use psmp::checker::{World, WorldFn};
use psmp::{Direction, Edge, Limit, Query, Roadmap, Space, VertexId};
use psmp_lab::counted;
use psmp_lab::trial::{Ending, Trial};
use psmp_report::picture::RunPicture;
use psmp_rivals::{
    MotionChecker, ProblemError, ResolutionError, RivalName, ShortcutError, ShortcutOptions,
    Waypoints, shortcut,
};
use psmp_worlds::OccupancyGrid;
use serde_json::json;
use std::convert::Infallible;
use std::io::Write;
use std::path::Path;

/// A problem without its roadmap.
pub struct Continuous<'a, W> {
    pub space: &'a Space,
    pub resolution: f64,
    pub world: W,
    /// Makes a checker of motions; it says what steps are measured by.
    pub checker: fn(Space, f64, W) -> Result<MotionChecker<W>, ResolutionError>,
    pub start: &'a [f64],
    pub goal: &'a [f64],
}

impl<W: World<Error = Infallible> + Clone + Send> Continuous<'_, W> {
    fn checker(&self) -> Result<MotionChecker<W>, ResolutionError> {
        (self.checker)(self.space.clone(), self.resolution, self.world.clone())
    }

    /// Plans, and straightens the path if that was asked for. `in_collision` says what is to be done
    /// about a start or goal that is not free.
    pub fn plan(
        &self,
        name: RivalName,
        args: &PlanArgs,
        common: Common,
        stopping: &Stopping<'_>,
        in_collision: impl FnOnce(&str) -> anyhow::Error,
    ) -> Result<Planned> {
        for (given, option) in [
            (args.roadmap.is_some(), "--roadmap"),
            (args.vertices.is_some(), "--vertices"),
            (args.arm.neighbours.is_some(), "--neighbours"),
            (args.belief.is_some(), "--belief"),
            (args.outcomes.is_some(), "--outcomes"),
        ] {
            if given {
                return Err(Mistake::error(
                    format!("planner `{name}` has no use for `{option}`: it knows no roadmap"),
                    format!("leave out `{option}`, or choose a planner such as `ei:ensemble`"),
                ));
            }
        }
        if !name.ends_by_itself() && !is_limited(args) {
            return Err(Mistake::error(
                format!("`{name}` looks for shorter paths until it is stopped"),
                "say when: `--configurations 50000`, or `--time 5`",
            ));
        }
        let made = name.build(self.checker()?, self.start, self.goal, common.seed);
        let mut planner = made.map_err(|e| match e {
            ProblemError::InCollision { which, .. } => in_collision(which),
            e => e.into(),
        })?;
        let name = name.to_string();
        let mut out = std::io::stdout().lock();
        let trial = drive(planner.as_mut(), &name, common, stopping, &mut out)?;
        let spent = trial.progress.configurations;
        let found = match planner.best_path() {
            Some(path) if args.shortcut => {
                let limit = stopping.limit_afterwards(trial.progress);
                Some(self.straighten(path.clone(), &name, spent, &limit, common, &mut out)?)
            }
            Some(path) => Some(Found {
                path: path.clone(),
                configurations: spent,
                straight_line: trial.progress.lower_bound,
            }),
            None => None,
        };
        if trial.ending == Ending::Stopped {
            say!("stopped after {}", counted(spent, "configurations"));
        }
        Ok(Planned {
            best: planner.best_path().cloned(),
            found,
            trial,
        })
    }

    /// Straightens a path that was found after so many configurations, as far as the limit lets it, and
    /// says how long it is then.
    pub fn straighten(
        &self,
        path: Waypoints,
        planner: &str,
        spent: u64,
        limit: &Limit,
        common: Common,
        out: &mut impl Write,
    ) -> Result<Found> {
        let mut checker = self.checker()?;
        checker.obey(limit);
        let options = ShortcutOptions::default();
        let path = match shortcut(path, &mut checker, options, common.seed) {
            Ok(path) => path,
            Err(error @ ShortcutError::Blocked { .. }) => {
                return Err(Mistake::error(
                    format!("the path cannot be straightened: {error}"),
                    format!("ask more often: `--resolution {}`", self.resolution / 2.0),
                ));
            }
        };
        let found = Found {
            configurations: spent + checker.configurations(),
            straight_line: self.space.distance(self.start, self.goal),
            path,
        };
        let (configurations, length) = (found.configurations, found.path.length());
        if common.json {
            let line = json!({
                "event": "straightened",
                "planner": planner,
                "configurations": configurations,
                "length": length,
            });
            writeln!(out, "{line}")?;
        } else {
            writeln!(
                out,
                "{configurations:>7} configurations  length {length:.4}  straightened"
            )?;
        }
        Ok(found)
    }
}

/// What came of planning without a roadmap.
pub struct Planned {
    trial: Trial,
    /// The best path as the planner left it.
    best: Option<Waypoints>,
    /// The same, straightened if that was asked for.
    pub found: Option<Found>,
}

impl Planned {
    pub fn outcome(&self) -> Outcome {
        match self.found {
            Some(_) => Outcome::Done,
            None => Outcome::NoPathYet,
        }
    }
}

/// A path that lies on no roadmap, and what it had cost.
pub struct Found {
    pub path: Waypoints,
    pub configurations: u64,
    /// From start to goal: nothing is shorter.
    straight_line: f64,
}

impl Found {
    /// Writes the path as JSON or CSV, by the file's ending. A configuration's numbers have `names`.
    pub fn write(&self, file: &Path, names: &[&str], planner: &str, common: Common) -> Result<()> {
        let is_csv = file
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("csv"));
        let bytes = if is_csv {
            let mut csv = csv::Writer::from_writer(Vec::new());
            csv.write_record(names)?;
            for q in self.path.iter() {
                csv.write_record(q.iter().map(f64::to_string))?;
            }
            csv.into_inner()?
        } else {
            let length = self.path.length();
            serde_json::to_vec_pretty(&json!({
                "planner": planner,
                "seed": common.seed,
                "length": length,
                "straight_line": self.straight_line,
                "configurations": self.configurations,
                "path": self.path.iter().collect::<Vec<_>>(),
            }))?
        };
        Ok(psmp_files::save(file, &bytes)?)
    }
}

/// The names of a configuration's numbers in the plane.
pub const PLANE: [&str; 2] = ["q1", "q2"];

/// Says whether a place in the plane is free.
pub type IsFree<'a> = &'a (dyn Fn(&[f64]) -> bool + Sync);

/// A map, or the image of a world, to plan in.
pub struct InMap<'a> {
    /// What is planned in, in a few words.
    pub place: &'a str,
    /// For the picture.
    pub obstacles: &'a OccupancyGrid,
    pub problem: Continuous<'a, WorldFn<IsFree<'a>>>,
}

impl InMap<'_> {
    /// Plans, and writes what was asked for.
    pub fn plan(
        &self,
        name: RivalName,
        args: &PlanArgs,
        common: Common,
        stopping: &Stopping<'_>,
    ) -> Result<Outcome> {
        let planned = self.problem.plan(name, args, common, stopping, |end| {
            Mistake::error(
                format!("the {end} is in collision in {}", self.place),
                "choose another world, or another place",
            )
        })?;
        let name = name.to_string();
        for file in &args.path {
            match &planned.found {
                Some(found) => found.write(file, &PLANE, &name, common)?,
                None => say!("there is no path to write to `{}`", file.display()),
            }
        }
        for file in &args.picture {
            self.draw(file, &name, &planned)?;
        }
        Ok(planned.outcome())
    }

    /// The path alone, as a roadmap that has nothing else.
    fn draw(&self, file: &Path, name: &str, planned: &Planned) -> Result<()> {
        let (problem, path) = (&self.problem, planned.best.as_ref());
        let ends = [problem.start, problem.goal].concat();
        let coordinates = path.map_or(ends, |path| path.coordinates().to_vec());
        let count = coordinates.len() / problem.space.dimension();
        let motions = if path.is_some() { count as u32 - 1 } else { 0 };
        let edges = (0..motions).map(|i| Edge::new(i, i + 1, 0.0)).collect();
        let roadmap = Roadmap::from_edges(count, Direction::Undirected, edges)?
            .with_configurations(problem.space.clone(), coordinates)?;
        let vertices: Vec<VertexId> = roadmap.vertices().collect();
        let picture = RunPicture {
            title: &format!("{name} in {}", self.place),
            subtitle: &show::subtitle(&planned.trial, "motions"),
            roadmap: &roadmap,
            query: Query {
                start: VertexId(0),
                goal: VertexId(count as u32 - 1),
            },
            obstacles: Some(self.obstacles),
            edges: &[],
            path: path.map(|_| vertices.as_slice()),
            curve: &show::curve(&planned.trial),
            shortest: None,
        };
        Ok(picture.write(file)?)
    }
}
