//! From rows to a report: curves, summaries, growth, claims and films.

use super::claims::{FamilyRuns, claims};
use super::curves::{anytime, even_costs, groups, mean_limit, solved};
use super::growth::growth;
use super::{Experiment, Findings, ReproduceError};
use crate::report::{self, Film, Report};
use psmp::WorldId;
use psmp::by_name::PlannerName;
use psmp_lab::sweep::{Contestant, Familiarity};
use psmp_lab::{Problems, Row, summarise};
use rayon::prelude::*;

/// How many worlds are shown as examples.
const EXAMPLES: usize = 6;

/// Who is filmed in the first world to plan in, and who in two more.
const FILMED: [&str; 5] = ["psmp:fs", "pomp:fs", "lazysp", "psmp:nn", "pomp:nn"];
const FILMED_AGAIN: [&str; 3] = ["psmp:fs", "pomp:fs", "lazysp"];
/// Filmed first, whether or not it is in the experiment.
const OUR_OWN: &str = PlannerName::DEFAULT;
const WORLDS_FILMED: usize = 3;

/// Everything that a report shows. `tick` is called after each family, from any thread.
///
/// # Errors
/// If a film cannot be recorded because a file is gone.
pub fn evaluate(
    experiment: &Experiment,
    findings: &Findings,
    tick: impl Fn() + Sync,
) -> Result<Report, ReproduceError> {
    let families = in_parallel(&findings.problems, |problems| {
        family(experiment, problems.as_ref(), &findings.rows).inspect(|_| tick())
    })?;
    let rows: Vec<Vec<&Row>> = families
        .iter()
        .map(|family| rows_of(&family.name, &findings.rows))
        .collect();
    let runs: Vec<FamilyRuns> = families
        .iter()
        .zip(&rows)
        .map(|(family, rows)| FamilyRuns {
            name: &family.name,
            rows,
            growth: family.growth.as_ref(),
        })
        .collect();
    let claims = claims(&runs);
    Ok(Report {
        claims,
        families,
        settings: experiment.settings(),
    })
}

/// What is shown of each family, worked out on all threads.
pub(super) fn in_parallel<T: Sync>(
    sets: &[T],
    family: impl Fn(&T) -> Result<report::Family, ReproduceError> + Sync + Send,
) -> Result<Vec<report::Family>, ReproduceError> {
    sets.par_iter().with_max_len(1).map(family).collect()
}

pub(super) fn rows_of<'a>(name: &str, rows: &'a [Row]) -> Vec<&'a Row> {
    rows.iter().filter(|row| row.dataset == name).collect()
}

fn family(
    experiment: &Experiment,
    problems: &dyn Problems,
    rows: &[Row],
) -> Result<report::Family, ReproduceError> {
    let rows = rows_of(problems.name(), rows);
    let groups = groups(&rows);
    let limit = mean_limit(&rows);
    let costs = even_costs(limit);
    let own: Vec<Row> = rows.iter().map(|row| (*row).clone()).collect();
    let test = problems.test().unwrap_or(&[]);
    let mut examples = Vec::new();
    for world in test.iter().take(EXAMPLES) {
        examples.extend(problems.image(*world)?);
    }
    let about = experiment
        .families
        .iter()
        .find(|f| f.name == problems.name());
    Ok(report::Family {
        name: problems.name().to_owned(),
        about: about.map_or("Worlds of a dataset.".to_owned(), |f| f.about.to_owned()),
        unit: rows
            .first()
            .map_or_else(String::new, |row| row.unit.clone()),
        examples,
        anytime: groups.iter().map(|group| anytime(group, &costs)).collect(),
        solved: groups.iter().map(|group| solved(group, &costs)).collect(),
        limit,
        summaries: summarise(&own),
        growth: groups
            .iter()
            .find(|group| (group.planner, group.experience) == ("psmp:fs", "seen"))
            .and_then(growth),
        films: films(experiment, problems, &rows)?,
        stage: None,
        logarithmic: false,
    })
}

/// Films of our own planner and of the filmed ones that are in the experiment, in the first worlds that
/// have a path.
fn films(
    experiment: &Experiment,
    problems: &dyn Problems,
    rows: &[&Row],
) -> Result<Vec<Film>, ReproduceError> {
    let Some(&seed) = experiment.options.seeds.first() else {
        return Ok(Vec::new());
    };
    let mut worlds: Vec<u32> = Vec::new();
    for row in rows.iter().filter(|row| row.shortest_on_roadmap.is_some()) {
        if !worlds.contains(&row.world) && worlds.len() < WORLDS_FILMED {
            worlds.push(row.world);
        }
    }
    let mut films = Vec::new();
    for (place, world) in worlds.into_iter().enumerate() {
        let (world, options) = (WorldId(world - 1), &experiment.options);
        let filmed: &[&str] = if place == 0 { &FILMED } else { &FILMED_AGAIN };
        let entered = filmed.iter().filter_map(|name| {
            let wanted =
                |c: &&Contestant| c.planner.to_string() == *name && c.experience() != "unseen";
            experiment.contestants.iter().find(wanted)
        });
        let Ok(planner) = OUR_OWN.parse() else {
            unreachable!("it is a planner's name");
        };
        let own = Contestant {
            planner,
            familiarity: Familiarity::Seen,
        };
        for contestant in [&own].into_iter().chain(entered) {
            films.extend(report::film::record(
                problems, world, contestant, seed, options,
            )?);
        }
        // The same world, with a roadmap that may grow.
        if place == 0 {
            films.extend(report::film::record_growing(
                problems, world, seed, options,
            )?);
        }
    }
    Ok(films)
}
