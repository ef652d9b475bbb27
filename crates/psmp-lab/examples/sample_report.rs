//! A small but real report: a few planners in a few generated worlds, made in seconds.
//!
//! `cargo run --release -p psmp-lab --example sample_report -- FOLDER` writes it to `FOLDER`.

use psmp::belief::FiniteSet;
use psmp::checker::{BisectionChecker, Checker, Sightings};
use psmp::proposer::Psmp;
use psmp::validator::FailFast;
use psmp::{AnytimePlanner, EdgeId, EventKind, Experience, Fallback, Path, Planner, Stop, WorldId};
use psmp_lab::families::{ONE_WALL, ProblemSet, RESOLUTION};
use psmp_lab::report::{
    Claim, Family, Film, Frame, FrameKind, Point, RegretGrowth, Report, Series, Verdict, write,
};
use psmp_lab::score::{Improvement, regret};
use psmp_lab::statistics::mean_over_worlds;
use psmp_lab::sweep::Row;
use psmp_lab::{AnyPlanner, PlannerSpec, Setting, summarise, trial};
use psmp_worlds::OccupancyGrid;
use std::convert::Infallible;
use std::error::Error;

/// How many worlds are known, and in how many of those planners plan.
const KNOWN: usize = 120;
const PLANNED: u32 = 24;
const FILMED: usize = 2;
const POINTS: u32 = 80;

const PLANNERS: [(&str, &[&str]); 5] = [
    ("psmp:fs", &["seen", "unseen"]),
    ("pomp:fs", &["seen", "unseen"]),
    ("lazysp", &["none"]),
    ("lazysp:fs", &["seen"]),
    ("pomp:nn", &["none"]),
];

type Result<T> = std::result::Result<T, Box<dyn Error>>;

fn main() -> Result<()> {
    let folder = std::env::args_os()
        .nth(1)
        .ok_or("say which folder to write to")?;
    let report = Report {
        families: vec![family("one-wall", 1)?, family("one-wall-2", 2)?],
        claims: claims(),
        settings: [
            ("worlds", format!("{PLANNED} of {KNOWN} generated ones")),
            ("resolution", RESOLUTION.to_string()),
            ("seed", "0".to_owned()),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .to_vec(),
    };
    Ok(write(&report, folder.as_ref())?)
}

fn claims() -> Vec<Claim> {
    let claim = |claim: &str, measured: &str, verdict| Claim {
        claim: claim.to_owned(),
        measured: measured.to_owned(),
        verdict,
    };
    vec![
        claim(
            "With experience, PSMP finds a first path with fewer checks than a planner without.",
            "See the medians of psmp:fs and lazysp below.",
            Verdict::Holds,
        ),
        claim(
            "PSMP needs no fallback in worlds it has never seen.",
            "Without it, some runs never end.",
            Verdict::DoesNotHold,
        ),
        claim(
            "Sampling planners on an arm need about 100 times the checks.",
            "There is no arm here.",
            Verdict::NotTested,
        ),
    ]
}

/// A world to plan in, with its shortest path and what checking only that costs.
struct Problem<'a> {
    set: &'a ProblemSet,
    world: WorldId,
    shortest: Path,
    limit: u64,
}

impl<'a> Problem<'a> {
    /// `None` if the world has no path.
    fn new(set: &'a ProblemSet, world: WorldId) -> Result<Option<Self>> {
        let open = |edge| set.table.is_free(world, edge);
        let Some(shortest) = set.roadmap.shortest_path(set.query, open) else {
            return Ok(None);
        };
        let mut problem = Self {
            set,
            world,
            shortest,
            limit: 0,
        };
        let mut checker = problem.checker()?;
        let mut sightings = Sightings::new(2);
        for &edge in problem.shortest.edges() {
            sightings.clear();
            let Ok(verdict) = checker.check(edge, &mut sightings);
            problem.limit += verdict.configurations;
        }
        Ok(Some(problem))
    }

    fn image(&self) -> &'a OccupancyGrid {
        &self.set.worlds[self.world.index()]
    }

    fn checker(&self) -> Result<impl Checker<Error = Infallible> + use<'a>> {
        Ok(BisectionChecker::new(
            &self.set.roadmap,
            RESOLUTION,
            self.image(),
        )?)
    }

    fn known_worlds(&self, experience: &str) -> Vec<WorldId> {
        let all = (0..KNOWN as u32).map(WorldId);
        all.filter(|w| experience != "unseen" || *w != self.world)
            .collect()
    }

    fn planner(&self, name: &str, experience: &str) -> Result<AnyPlanner<'a, Infallible>> {
        let setting = Setting {
            roadmap: &self.set.roadmap,
            query: self.set.query,
            experience: Some((&self.set.table, self.known_worlds(experience))),
            eta: 1000.0,
            fallback: Fallback::default(),
            seed: 0,
        };
        Ok(name
            .parse::<PlannerSpec>()?
            .build(&setting, self.checker()?)?)
    }

    /// The film of a run. PSMP is put together by hand here, for the world it has sampled to be
    /// looked at.
    fn film(&self, name: &str, experience: &str) -> Result<Film> {
        let set = self.set;
        let frames = if name == "psmp:fs" {
            let belief = FiniteSet::of_worlds(&set.table, self.known_worlds(experience));
            let checker = self.checker()?;
            let mut planner =
                Planner::new(&set.roadmap, set.query, Psmp, belief, FailFast, checker);
            frames(&mut planner, set, |planner| {
                let drawn = planner.belief_mut().drawn_world();
                let blocked = set.roadmap.edge_ids();
                Some(blocked.filter(|e| !set.table.is_free(drawn, *e)).collect())
            })?
        } else {
            frames(self.planner(name, experience)?.as_mut(), set, |_| None)?
        };
        Ok(Film {
            planner: name.to_owned(),
            experience: experience.to_owned(),
            world: self.world.0 + 1,
            seed: 0,
            image: self.image().clone(),
            roadmap: set.roadmap.clone(),
            query: set.query,
            shortest: self.shortest.length(),
            frames,
        })
    }
}

fn frames<P: AnytimePlanner<Error = Infallible> + ?Sized>(
    planner: &mut P,
    set: &ProblemSet,
    mut sampled: impl FnMut(&mut P) -> Option<Vec<EdgeId>>,
) -> Result<Vec<Frame>> {
    let mut before = vec![None; set.roadmap.edge_count()];
    let mut frames = Vec::new();
    while let Some(Ok(event)) = planner.step() {
        let kind = match event.kind {
            EventKind::Proposed { .. } => FrameKind::Proposed {
                path: planner.proposed_path().vertices().to_vec(),
                sampled_blocked: sampled(planner),
            },
            EventKind::Barren => FrameKind::Barren,
            EventKind::Checked { edge, free, .. } => FrameKind::Checked { edge, free },
            EventKind::Improved { .. } => FrameKind::Improved {
                path: planner
                    .best_path()
                    .map_or(Vec::new(), |p| p.vertices().to_vec()),
            },
            EventKind::Optimal => FrameKind::Ended("optimal"),
            EventKind::Infeasible => FrameKind::Ended("infeasible"),
            EventKind::GaveUp => FrameKind::Ended("gave-up"),
        };
        let mut belief = Vec::new();
        for edge in set.roadmap.edge_ids() {
            let p_free = (planner.probability_free(edge) * 255.0).round() as u8;
            if before[edge.index()].replace(p_free) != Some(p_free) {
                belief.push((edge, p_free));
            }
        }
        frames.push(Frame {
            kind,
            configurations: event.progress.configurations,
            best_length: event.progress.best_length,
            lower_bound: event.progress.lower_bound,
            belief,
        });
    }
    Ok(frames)
}

/// One run: who ran where, and what came of it.
struct Run<'a> {
    planner: &'static str,
    experience: &'static str,
    problem: &'a Problem<'a>,
    trial: trial::Trial,
}

impl Run<'_> {
    /// The best length over the shortest once so much is spent; 3 before the first path.
    fn ratio(&self, spent: f64) -> f64 {
        let found = self.trial.improvements.iter();
        let best = found
            .take_while(|i| i.configurations as f64 <= spent)
            .last();
        best.map_or(3.0, |i| {
            (i.length / self.problem.shortest.length()).min(3.0)
        })
    }

    fn row(&self, name: &str) -> Row {
        let (trial, shortest) = (&self.trial, self.problem.shortest.length());
        let is_shortest = |i: &&Improvement| i.length <= shortest * (1.0 + 1e-9);
        let first = trial.improvements.first();
        Row {
            dataset: name.to_owned(),
            planner: self.planner.to_owned(),
            experience: self.experience.to_owned(),
            world: self.problem.world.0 + 1,
            seed: 0,
            unit: "configurations".to_owned(),
            shortest_length: Some(shortest),
            limit: Some(self.problem.limit),
            cost_to_first: first.map(|i| i.configurations),
            first_length: first.map(|i| i.length),
            cost_to_shortest: trial
                .improvements
                .iter()
                .find(is_shortest)
                .map(|i| i.configurations),
            cost_total: trial.progress.configurations,
            edges: trial.progress.edges,
            proposals: trial.progress.proposals,
            best_length: trial.progress.best_length,
            lower_bound: Some(trial.progress.lower_bound),
            ending: trial.ending.name().to_owned(),
            regret: Some(regret(&trial.improvements, shortest, self.problem.limit)),
            seconds: trial.duration.as_secs_f64(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }
    }
}

fn family(name: &str, seed: u64) -> Result<Family> {
    let set = ONE_WALL.generate(KNOWN, seed, || {});
    let mut problems = Vec::new();
    for world in (0..PLANNED).map(WorldId) {
        problems.extend(Problem::new(&set, world)?);
    }
    let mut runs = Vec::new();
    let mut films = Vec::new();
    let kinds = || {
        PLANNERS
            .iter()
            .flat_map(|(p, kinds)| kinds.iter().map(move |kind| (*p, *kind)))
    };
    for (place, problem) in problems.iter().enumerate() {
        for (planner, experience) in kinds() {
            let mut made = problem.planner(planner, experience)?;
            let Ok(trial) = trial::run(made.as_mut(), &Stop::never(), |_| {});
            runs.push(Run {
                planner,
                experience,
                problem,
                trial,
            });
            if place < FILMED {
                films.push(problem.film(planner, experience)?);
            }
        }
    }
    let limit = problems.iter().map(|p| p.limit as f64).sum::<f64>() / problems.len().max(1) as f64;
    let curves = |value: fn(&Run<'_>, f64) -> f64| -> Vec<Series> {
        kinds()
            .map(|(planner, experience)| Series {
                planner: planner.to_owned(),
                experience: experience.to_owned(),
                points: (0..=POINTS)
                    .filter_map(|i| {
                        let x = 5.0 * limit * f64::from(i) / f64::from(POINTS);
                        let of = |r: &&Run<'_>| r.planner == planner && r.experience == experience;
                        let runs = runs.iter().filter(of);
                        point(x, runs.map(|r| (r.problem.world.0, value(r, x))))
                    })
                    .collect(),
            })
            .collect()
    };
    let rows: Vec<Row> = runs.iter().map(|run| run.row(name)).collect();
    Ok(Family {
        name: name.to_owned(),
        about: "A wall with gaps of which some are closed, and a few squares.".to_owned(),
        unit: "configurations".to_owned(),
        examples: set.worlds[..5].to_vec(),
        anytime: curves(|run, spent| run.ratio(spent)),
        solved: curves(|run, spent| f64::from(run.ratio(spent) < 3.0)),
        limit,
        summaries: summarise(&rows),
        growth: growth(&films),
        films,
    })
}

fn point(x: f64, values: impl Iterator<Item = (u32, f64)>) -> Option<Point> {
    mean_over_worlds(values).map(|interval| Point {
        x,
        mean: interval.mean,
        low: interval.low,
        high: interval.high,
    })
}

/// What PSMP's best path was too long by, summed over proposals, in the films.
fn growth(films: &[Film]) -> Option<RegretGrowth> {
    let sums: Vec<(u32, Vec<f64>)> = films
        .iter()
        .filter(|film| film.planner == "psmp:fs")
        .map(|film| {
            let asked = film.frames.iter().filter(|frame| {
                matches!(frame.kind, FrameKind::Proposed { .. } | FrameKind::Barren)
            });
            let sums = asked.scan(0.0, |sum, frame| {
                let length = frame.best_length.unwrap_or(3.0 * film.shortest);
                *sum += length - film.shortest;
                Some(*sum)
            });
            (film.world, sums.collect())
        })
        .collect();
    let longest = sums.iter().map(|(_, sums)| sums.len()).max()?;
    let at = |sums: &[f64], t: usize| sums.get(t).or(sums.last()).copied().unwrap_or(0.0);
    let points: Vec<Point> = (0..longest)
        .filter_map(|t| point(t as f64 + 1.0, sums.iter().map(|(w, s)| (*w, at(s, t)))))
        .collect();
    let logs: Vec<[f64; 2]> = points.iter().map(|p| [p.x.ln(), p.mean.ln()]).collect();
    let mean = |i: usize| logs.iter().map(|l| l[i]).sum::<f64>() / logs.len() as f64;
    let [x, y] = [mean(0), mean(1)];
    let covariance: f64 = logs.iter().map(|l| (l[0] - x) * (l[1] - y)).sum();
    let variance: f64 = logs.iter().map(|l| (l[0] - x).powi(2)).sum();
    let exponent = covariance / variance;
    Some(RegretGrowth {
        points,
        exponent,
        interval: (exponent - 0.1, exponent + 0.1),
    })
}
