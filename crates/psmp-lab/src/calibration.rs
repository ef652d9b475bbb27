//! Calibration: whether what a belief calls likely is as frequent as it says.
//!
//! In worlds that a belief has not learned from, some edges are checked and shown to it, and its
//! probabilities of all others are compared with the truth. Four numbers come of it, each better the
//! lower it is: the *Brier score* is the mean squared error; the *log loss* is the mean of minus the
//! logarithm of the probability given to what was true; the *calibration error* is how far, on
//! average, the share of free edges is from the probability they were given, by bins of a tenth; and
//! the *reliability diagram* shows that bin by bin.
//!
//! Edges that no table knows are a matter of their own: the roadmap [has grown](crate::grown), beliefs
//! have learned from the rest of it, and are asked about the new edges only.

use crate::arena::{Arena, checker_for};
use crate::grown::Grown;
use crate::problems::Problems;
use crate::statistics::mean_over_worlds;
use crate::sweep::{Contestant, Familiarity, SweepError, SweepOptions};
use psmp::belief::Evidence;
use psmp::by_name::{BeliefName, PlannerSpec, Setting};
use psmp::checker::{Checker, Part, Sightings};
use psmp::{Draw, EdgeId, EventKind, Limit, WorldId};
use rayon::prelude::*;
use serde::Serialize;

/// Bins of a reliability diagram.
const BINS: usize = 10;
/// One vertex in so many has come later where new edges are asked about.
const NEW_VERTICES: u64 = 5;
/// For the log loss a probability is kept this far away from 0 and 1, because one certain and wrong
/// answer would make it infinite.
const LEAST: f64 = 1e-6;

/// Which edges are checked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Order {
    /// Edges at random.
    Random,
    /// Those that a planner checks, in its order.
    As(PlannerSpec),
}

/// What is to be calibrated, and how.
#[derive(Debug, Clone)]
pub struct CalibrationOptions {
    /// The beliefs.
    pub beliefs: Vec<BeliefName>,
    /// After how many checks they are asked.
    pub checks: Vec<usize>,
    /// Which edges are checked.
    pub order: Order,
    /// All that is as in a sweep. Of the seeds the first counts.
    pub runs: SweepOptions,
}

impl CalibrationOptions {
    fn seed(&self) -> u64 {
        self.runs.seeds.first().copied().unwrap_or(0)
    }
}

/// Edges that were given about the same probability.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bin {
    /// How many.
    pub count: u64,
    /// The mean of their probabilities.
    pub predicted: f64,
    /// The share of them that is free.
    pub free: f64,
}

/// How one belief did after so many checks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Calibration {
    /// The dataset.
    pub dataset: String,
    /// The belief.
    pub belief: String,
    /// Which edges were checked: `random`, or the planner that chose them.
    pub order: String,
    /// Of which edges beliefs were asked: `known`, those that they have learned of, or `new`.
    pub edges: &'static str,
    /// How many edges were checked.
    pub checks: usize,
    /// In how many worlds.
    pub worlds: usize,
    /// How many probabilities were compared with the truth.
    pub predictions: u64,
    /// The mean squared error.
    pub brier: f64,
    /// The mean of minus the logarithm of the probability given to what was true.
    pub log_loss: f64,
    /// The ends of its 95% interval over worlds.
    pub log_loss_interval: (f64, f64),
    /// The mean distance of a bin's share of free edges from its mean probability.
    pub calibration_error: f64,
    /// The reliability diagram; bins without any edge are left out.
    pub reliability: Vec<Bin>,
}

/// What a calibration has found.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Calibrations {
    /// Beliefs in the order given, each after ever more checks.
    pub rows: Vec<Calibration>,
    /// The beliefs that cannot be had here, and why.
    pub left_out: Vec<(String, String)>,
}

/// Sums over the edges of one world.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    count: u64,
    brier: f64,
    log_loss: f64,
    /// How many, the sum of their probabilities, and how many are free.
    bins: [(u64, f64, u64); BINS],
}

impl Tally {
    fn add(&mut self, probability: f64, free: bool) {
        let truth = f64::from(u8::from(free));
        let right = if free { probability } else { 1.0 - probability };
        self.count += 1;
        self.brier += (probability - truth).powi(2);
        self.log_loss -= right.clamp(LEAST, 1.0 - LEAST).ln();
        let bin = &mut self.bins[((probability * BINS as f64) as usize).min(BINS - 1)];
        bin.0 += 1;
        bin.1 += probability;
        bin.2 += u64::from(free);
    }

    fn and(mut self, other: &Self) -> Self {
        self.count += other.count;
        self.brier += other.brier;
        self.log_loss += other.log_loss;
        for (bin, more) in self.bins.iter_mut().zip(&other.bins) {
            *bin = (bin.0 + more.0, bin.1 + more.1, bin.2 + more.2);
        }
        self
    }
}

/// Calibrates beliefs in some worlds. `tick` is called after each belief in each world, from any
/// thread.
///
/// # Errors
/// If a file of the problems cannot be read, or the planner that is to choose edges cannot be made.
pub fn calibrate(
    problems: &dyn Problems,
    worlds: &[WorldId],
    options: &CalibrationOptions,
    tick: impl Fn() + Sync,
) -> Result<Calibrations, SweepError> {
    let mut checks = options.checks.clone();
    checks.sort_unstable();
    checks.dedup();
    let has_grown = first_asked(problems)? > 0;
    let (beliefs, left_out) = possible(problems, worlds, options)?;
    let threads = rayon::ThreadPoolBuilder::new()
        .num_threads(options.runs.jobs.unwrap_or(0))
        .build()?;
    let in_world = |&world: &WorldId| in_world(problems, world, &beliefs, &checks, options, &tick);
    let tallies: Result<Vec<Vec<Vec<Option<Tally>>>>, SweepError> =
        threads.install(|| worlds.par_iter().with_max_len(1).map(in_world).collect());
    let tallies = tallies?;
    let order = match options.order {
        Order::Random => "random".to_owned(),
        Order::As(planner) => planner.to_string(),
    };
    let mut rows = Vec::new();
    for (place, belief) in beliefs.iter().enumerate() {
        for (step, &checks) in checks.iter().enumerate() {
            let by_world: Vec<(u32, Tally)> = worlds
                .iter()
                .zip(&tallies)
                .filter_map(|(world, tallies)| Some((world.0, tallies[place][step]?)))
                .filter(|(_, tally)| tally.count > 0)
                .collect();
            rows.extend(sum_up(&by_world).map(|row| Calibration {
                dataset: problems.name().to_owned(),
                belief: belief.to_string(),
                order: order.clone(),
                edges: if has_grown { "new" } else { "known" },
                checks,
                ..row
            }));
        }
    }
    Ok(Calibrations { rows, left_out })
}

/// Calibrates beliefs on edges that are new to them: one vertex in five, and all edges that touch it,
/// are in no table that they learn from. What is checked is chosen among all edges. Nothing where the
/// roadmap has no configurations.
///
/// # Errors
/// As [`calibrate`].
pub fn calibrate_new_edges(
    problems: &dyn Problems,
    worlds: &[WorldId],
    options: &CalibrationOptions,
    tick: impl Fn() + Sync,
) -> Result<Calibrations, SweepError> {
    match Grown::new(problems, NEW_VERTICES, options.seed())? {
        Some(grown) => calibrate(&grown, worlds, options, tick),
        None => Ok(Calibrations::default()),
    }
}

/// One row of all worlds; `None` if there are none.
fn sum_up(by_world: &[(u32, Tally)]) -> Option<Calibration> {
    let mean = |world: &(u32, Tally)| (world.0, world.1.log_loss / world.1.count as f64);
    let log_loss = mean_over_worlds(by_world.iter().map(mean))?;
    let all = by_world
        .iter()
        .fold(Tally::default(), |all, (_, tally)| all.and(tally));
    let count = all.count as f64;
    let reliability: Vec<Bin> = all
        .bins
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|&(count, predicted, free)| Bin {
            count,
            predicted: predicted / count as f64,
            free: free as f64 / count as f64,
        })
        .collect();
    let apart = |bin: &Bin| bin.count as f64 / count * (bin.predicted - bin.free).abs();
    Some(Calibration {
        dataset: String::new(),
        belief: String::new(),
        order: String::new(),
        edges: "",
        checks: 0,
        worlds: by_world.len(),
        predictions: all.count,
        brier: all.brier / count,
        log_loss: all.log_loss / count,
        log_loss_interval: (log_loss.low, log_loss.high),
        calibration_error: reliability.iter().map(apart).sum(),
        reliability,
    })
}

/// The first edge that is asked about: where the roadmap has grown, the first new one.
fn first_asked(problems: &dyn Problems) -> Result<usize, SweepError> {
    let known = problems.experience()?.edge_count();
    Ok(if known < problems.roadmap().edge_count() {
        known
    } else {
        0
    })
}

/// The beliefs that can be had here, and why the others cannot.
#[allow(clippy::type_complexity, reason = "two lists, used once")]
fn possible(
    problems: &dyn Problems,
    worlds: &[WorldId],
    options: &CalibrationOptions,
) -> Result<(Vec<BeliefName>, Vec<(String, String)>), SweepError> {
    let (mut able, mut left_out) = (Vec::new(), Vec::new());
    let Some(&first) = worlds.first() else {
        return Ok((able, left_out));
    };
    let pictured = problems.image(first)?.is_some() || problems.boxes(first)?.is_some();
    for &belief in &options.beliefs {
        let sees = matches!(belief, BeliefName::NearestNeighbour | BeliefName::Local);
        if sees && !pictured {
            let why = "it learns from the configurations on checked edges, and without images and \
                       coordinates no one sees them";
            left_out.push((belief.to_string(), why.to_owned()));
            continue;
        }
        match belief.believe(&setting(problems, first, options)?) {
            Ok(_) => able.push(belief),
            Err(error) => left_out.push((belief.to_string(), error.to_string())),
        }
    }
    Ok((able, left_out))
}

fn setting(
    problems: &dyn Problems,
    world: WorldId,
    options: &CalibrationOptions,
) -> Result<Setting, SweepError> {
    Ok(Setting {
        experience: Some(Familiarity::Unseen.experience(problems, world)?),
        models: options.runs.models.clone(),
        eta: options.runs.eta,
        seed: options.seed(),
        ..Setting::new(problems.roadmap(), problems.query()?)
    })
}

/// For each belief and number of checks, the sums in one world; `None` where the world has not so
/// many edges to check.
fn in_world(
    problems: &dyn Problems,
    world: WorldId,
    beliefs: &[BeliefName],
    checks: &[usize],
    options: &CalibrationOptions,
    tick: &(impl Fn() + Sync),
) -> Result<Vec<Vec<Option<Tally>>>, SweepError> {
    let (table, first) = (problems.table()?, first_asked(problems)?);
    let setting = setting(problems, world, options)?;
    let image = problems.image(world)?;
    let mut checker = checker_for(problems, world, image, options.runs.resolution)?;
    let dimension = setting.roadmap.space().map_or(0, psmp::Space::dimension);
    let most = checks.last().copied().unwrap_or(0);
    let order = order(problems, world, options, most)?;
    // Each edge is checked once, for all beliefs.
    let mut outcomes = Vec::with_capacity(order.len());
    for edge in order {
        let mut sightings = Sightings::new(dimension);
        let Ok(finding) = checker.check(Part::whole_of(edge), &mut sightings);
        outcomes.push((edge, finding.free == Some(true), sightings));
    }
    let mut tallies = Vec::with_capacity(beliefs.len());
    for name in beliefs {
        let mut belief = name
            .believe(&setting)
            .map_err(|error| SweepError::Planner {
                dataset: problems.name().to_owned(),
                error,
            })?;
        let mut checked = vec![false; table.edge_count()];
        let mut shown = 0;
        let mut after = Vec::with_capacity(checks.len());
        for &checks in checks {
            if checks > outcomes.len() {
                after.push(None);
                continue;
            }
            for (edge, free, sightings) in &outcomes[shown..checks] {
                checked[edge.index()] = true;
                belief.observe(Evidence::of(*edge, *free, sightings));
            }
            shown = checks;
            let mut tally = Tally::default();
            let asked = setting.roadmap.edge_ids().skip(first);
            for edge in asked.filter(|e| !checked[e.index()]) {
                tally.add(belief.probability_free(edge), table.is_free(world, edge));
            }
            after.push(Some(tally));
        }
        tallies.push(after);
        tick();
    }
    Ok(tallies)
}

/// The edges to check in a world, as many as asked for or as there are.
fn order(
    problems: &dyn Problems,
    world: WorldId,
    options: &CalibrationOptions,
    most: usize,
) -> Result<Vec<EdgeId>, SweepError> {
    let Order::As(planner) = options.order else {
        let mut edges: Vec<EdgeId> = problems.roadmap().edge_ids().collect();
        let random = Draw::new(options.seed(), u64::from(world.0));
        let most = most.min(edges.len());
        for place in 0..most {
            let rest = (edges.len() - place) as u64;
            edges.swap(place, place + random.below(rest, place as u64) as usize);
        }
        edges.truncate(most);
        return Ok(edges);
    };
    let contestant = Contestant {
        planner,
        familiarity: Familiarity::Unseen,
    };
    let arena = Arena::open(problems, world)?;
    let (mut planner, _) = arena.planner(&contestant, options.seed(), &options.runs)?;
    let mut edges = Vec::with_capacity(most);
    while edges.len() < most
        && let Some(Ok(event)) = planner.step(&Limit::NONE)
    {
        if let EventKind::Checked { edge, .. } = event.kind {
            edges.push(edge);
        }
    }
    Ok(edges)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::families::Family;

    #[test]
    fn the_four_numbers_are_those_of_a_worked_example() {
        let mut tally = Tally::default();
        for (probability, free) in [(0.8, true), (0.8, false), (0.1, false), (1.0, false)] {
            tally.add(probability, free);
        }
        let row = sum_up(&[(0, tally)]).unwrap();
        assert!((row.brier - (0.04 + 0.64 + 0.01 + 1.0) / 4.0).abs() < 1e-12);
        let expected = -(0.8f64.ln() + 0.2f64.ln() + 0.9f64.ln() + 1e-6f64.ln()) / 4.0;
        assert!((row.log_loss - expected).abs() < 1e-9);
        let expected = 0.5 * (0.8 - 0.5) + 0.25 * 0.1 + 0.25 * 1.0;
        assert!((row.calibration_error - expected).abs() < 1e-12);
        assert_eq!(row.reliability.len(), 3);
        assert_eq!(sum_up(&[]), None);
    }

    fn on_threads(jobs: usize) -> SweepOptions {
        SweepOptions {
            seeds: vec![1],
            jobs: Some(jobs),
            ..SweepOptions::default()
        }
    }

    #[test]
    fn knowing_more_predicts_better_and_worlds_are_held_out() {
        let family = Family::named("forest").unwrap();
        let problems = family.generate(60, 6, 3, || {}).unwrap();
        let options = CalibrationOptions {
            beliefs: ["freq", "soft", "local", "fs", "0.5"]
                .map(|name| name.parse().unwrap())
                .to_vec(),
            checks: vec![40, 0, 40],
            order: Order::Random,
            runs: on_threads(1),
        };
        let found = calibrate(&problems, problems.test(), &options, || {}).unwrap();
        assert!(found.left_out.is_empty());
        assert_eq!(found.rows.len(), 10);
        let row = |belief: &str, checks| {
            let wanted = |r: &&Calibration| r.belief == belief && r.checks == checks;
            found.rows.iter().find(wanted).unwrap()
        };
        assert!(row("local", 40).log_loss < row("local", 0).log_loss);
        // Each edge's frequency learns nothing from other edges; known worlds never say 0 or 1.
        assert!((row("freq", 40).log_loss - row("freq", 0).log_loss).abs() < 0.02);
        assert!(row("soft", 40).log_loss < row("fs", 40).log_loss);
        assert!((row("0.5", 0).log_loss - 2f64.ln()).abs() < 1e-12);
        assert!((row("0.5", 40).brier - 0.25).abs() < 1e-12);
        // With the truth among its worlds a finite set would have no doubt left.
        assert!(row("fs", 40).log_loss > 0.1);
        for row in &found.rows {
            let (low, high) = row.log_loss_interval;
            assert!(low <= row.log_loss && row.log_loss <= high, "{row:?}");
            let edges = problems.roadmap.edge_count() - row.checks;
            assert_eq!(row.predictions, (6 * edges) as u64);
        }
        // The same again, on two threads.
        let again = CalibrationOptions {
            runs: on_threads(2),
            ..options
        };
        assert_eq!(
            calibrate(&problems, problems.test(), &again, || {}).unwrap(),
            found
        );
    }

    /// Of edges that no table knows, who knows worlds tells more than who knows none, before any check
    /// and after many.
    #[test]
    fn of_new_edges_experience_knows_more_than_none() {
        let family = Family::named("two-walls").unwrap();
        let problems = family.generate(100, 8, 3, || {}).unwrap();
        let options = CalibrationOptions {
            beliefs: ["local", "freq", "fs", "soft", "latent", "ensemble"]
                .map(|name| name.parse().unwrap())
                .to_vec(),
            checks: vec![0, 20, 60],
            order: Order::As("lazysp".parse().unwrap()),
            runs: on_threads(1),
        };
        let found = calibrate_new_edges(&problems, problems.test(), &options, || {}).unwrap();
        assert_eq!(found.rows.len(), 18);
        let new = found.rows[0].predictions;
        assert!(new > 0 && new < (8 * problems.roadmap.edge_count()) as u64);
        for row in &found.rows {
            assert_eq!(row.edges, "new");
            let alone = |r: &&Calibration| r.belief == "local" && r.checks == row.checks;
            let local = found.rows.iter().find(alone).unwrap();
            let least = match row.belief.as_str() {
                "local" => continue,
                // Both say the less of edges the more is known.
                "freq" | "fs" => 1.0,
                _ => 0.85,
            };
            assert!(row.log_loss < least * local.log_loss, "{row:?} {local:?}");
            assert!(row.calibration_error < 0.2, "{row:?}");
        }
    }

    #[test]
    fn a_planner_may_choose_the_edges() {
        let family = Family::named("forest").unwrap();
        let problems = family.generate(30, 4, 3, || {}).unwrap();
        let options = CalibrationOptions {
            beliefs: vec![BeliefName::Local],
            checks: vec![0, 5, 100_000],
            order: Order::As("lazysp".parse().unwrap()),
            runs: on_threads(0),
        };
        let found = calibrate(&problems, problems.test(), &options, || {}).unwrap();
        // No run checks so many edges: there is nothing to tell of them.
        let checks: Vec<usize> = found.rows.iter().map(|row| row.checks).collect();
        assert_eq!(checks, [0, 5]);
        assert!(found.rows.iter().all(|row| row.order == "lazysp"));
    }
}
