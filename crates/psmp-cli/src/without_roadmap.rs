//! `psmp plan` in a map itself, where a roadmap would be in the way: planners that grow their own
//! trees, and the straightening of any planner's path.

use crate::failure::{Mistake, Outcome};
use crate::plan::{PlanArgs, drive, is_limited};
use crate::{Common, say, show};
use anyhow::Result;
use psmp::checker::{World, WorldFn};
use psmp::{Direction, Edge, Query, Roadmap, Space, VertexId};
use psmp_lab::picture::RunPicture;
use psmp_lab::trial::{Ending, Trial};
use psmp_lab::{PlannerSpec, SpecError};
use psmp_rivals::{
    MotionChecker, ProblemError, ResolutionError, RivalName, ShortcutOptions, Waypoints, shortcut,
};
use psmp_worlds::OccupancyGrid;
use serde_json::json;
use std::convert::Infallible;
use std::io::Write;
use std::path::Path;
use std::str::FromStr;
use thiserror::Error;

/// A planner by name, of either kind.
#[derive(Debug, Clone, Copy)]
pub enum PlannerArg {
    OnRoadmap(PlannerSpec),
    WithoutRoadmap(RivalName),
}

/// No planner of either kind has that name.
#[derive(Debug, Error)]
#[error("{0}; without a roadmap plan `rrtconnect`, `rrtconnect+shortcut`, `rrtstar` and `bitstar`")]
pub struct NoSuchPlanner(SpecError);

impl FromStr for PlannerArg {
    type Err = NoSuchPlanner;

    fn from_str(name: &str) -> Result<Self, NoSuchPlanner> {
        match name.parse() {
            Ok(rival) => Ok(PlannerArg::WithoutRoadmap(rival)),
            Err(_) => name
                .parse()
                .map(PlannerArg::OnRoadmap)
                .map_err(NoSuchPlanner),
        }
    }
}

/// A problem without its roadmap.
pub struct Continuous<'a> {
    /// What is planned in, in a few words.
    pub place: &'a str,
    pub space: &'a Space,
    pub resolution: f64,
    pub is_free: &'a (dyn Fn(&[f64]) -> bool + Sync),
    /// For the picture.
    pub obstacles: &'a OccupancyGrid,
    pub start: &'a [f64],
    pub goal: &'a [f64],
}

impl<'a> Continuous<'a> {
    fn checker(
        &self,
    ) -> Result<MotionChecker<impl World<Error = Infallible> + Send + use<'a>>, ResolutionError>
    {
        let is_free = self.is_free;
        let world = WorldFn(move |q: &[f64]| is_free(q));
        MotionChecker::new(self.space.clone(), self.resolution, world)
    }

    /// Plans, and writes what was asked for.
    pub fn plan(&self, name: RivalName, args: &PlanArgs, common: Common) -> Result<Outcome> {
        for (given, option) in [
            (args.roadmap.is_some(), "--roadmap"),
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
            ProblemError::InCollision { .. } => {
                Mistake::error(e.to_string(), "choose another world, or another place")
            }
            e => e.into(),
        })?;
        let name = name.to_string();
        let mut out = std::io::stdout().lock();
        let trial = drive(planner.as_mut(), &name, args, common, &mut out)?;
        let found = match planner.best_path() {
            Some(path) if args.shortcut => {
                Some(self.straighten(path.clone(), &name, &trial, common, &mut out)?)
            }
            Some(path) => Some(Found {
                path: path.clone(),
                configurations: trial.progress.configurations,
                lower_bound: trial.progress.lower_bound,
            }),
            None => None,
        };
        for file in &args.path {
            match &found {
                Some(found) => found.write(file, &name, common)?,
                None => say!("there is no path to write to `{}`", file.display()),
            }
        }
        for file in &args.picture {
            self.draw(file, &name, planner.best_path(), &trial)?;
        }
        if trial.ending == Ending::Stopped {
            say!(
                "stopped after {} configurations",
                trial.progress.configurations
            );
        }
        Ok(match found {
            Some(_) => Outcome::Done,
            None => Outcome::NoPathYet,
        })
    }

    /// Straightens a path that was found, and says how long it is then.
    pub fn straighten(
        &self,
        path: Waypoints,
        planner: &str,
        trial: &Trial,
        common: Common,
        out: &mut impl Write,
    ) -> Result<Found> {
        let mut checker = self.checker()?;
        let options = ShortcutOptions::default();
        let Ok(path) = shortcut(path, &mut checker, options, common.seed);
        let found = Found {
            configurations: trial.progress.configurations + checker.configurations(),
            lower_bound: self.space.distance(self.start, self.goal),
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

    /// The path alone, as a roadmap that has nothing else.
    fn draw(&self, file: &Path, name: &str, path: Option<&Waypoints>, trial: &Trial) -> Result<()> {
        let ends = [self.start, self.goal].concat();
        let coordinates = path.map_or(ends, |path| path.coordinates().to_vec());
        let count = coordinates.len() / self.space.dimension();
        let motions = if path.is_some() { count as u32 - 1 } else { 0 };
        let edges = (0..motions).map(|i| Edge::new(i, i + 1, 0.0)).collect();
        let roadmap = Roadmap::from_edges(count, Direction::Undirected, edges)?
            .with_configurations(self.space.clone(), coordinates)?;
        let vertices: Vec<VertexId> = roadmap.vertices().collect();
        let picture = RunPicture {
            title: &format!("{name} in {}", self.place),
            subtitle: &show::subtitle(trial, "motions"),
            roadmap: &roadmap,
            query: Query {
                start: VertexId(0),
                goal: VertexId(count as u32 - 1),
            },
            obstacles: Some(self.obstacles),
            edges: &[],
            path: path.map(|_| vertices.as_slice()),
            curve: &show::curve(trial),
            shortest: None,
        };
        Ok(picture.write(file)?)
    }
}

/// A path that lies on no roadmap, and what it had cost.
pub struct Found {
    path: Waypoints,
    configurations: u64,
    lower_bound: f64,
}

impl Found {
    /// Writes the path as JSON or CSV, by the file's ending.
    pub fn write(&self, file: &Path, planner: &str, common: Common) -> Result<()> {
        let is_csv = file
            .extension()
            .is_some_and(|e| e.eq_ignore_ascii_case("csv"));
        let bytes = if is_csv {
            let mut csv = csv::Writer::from_writer(Vec::new());
            let dimension = self.path.at(0).len();
            csv.write_record((0..dimension).map(|axis| format!("q{}", axis + 1)))?;
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
                "lower_bound": self.lower_bound,
                "configurations": self.configurations,
                "path": self.path.iter().collect::<Vec<_>>(),
            }))?
        };
        Ok(psmp_worlds::save(file, &bytes)?)
    }
}
