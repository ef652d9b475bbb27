//! One row again: the same worlds made or read again, the same planner run again, and the two rows
//! compared.

use super::{ReproduceError, seven_dof};
use psmp::by_name::{ModelCache, PlannerSpec};
use psmp::{Fallback, WorldId};
use psmp_files::learned;
use psmp_lab::families::Family;
use psmp_lab::sweep::{Contestant, Familiarity, LearnedBelief, SweepError, SweepOptions};
use psmp_lab::{Arena, Problems, Row};
use psmp_worlds::Dataset;
use std::path::PathBuf;

/// More worlds than any experiment makes take all memory.
const MOST_MADE: u64 = 1_000_000;

/// Runs a row again. What comes is the same row but for the time it took, if all is well.
///
/// # Errors
/// If the row asks for something that is not there.
pub fn replay(row: &Row, tick: impl Fn() + Sync) -> Result<Row, ReproduceError> {
    let wrong = |why: &str| SweepError::Dataset {
        dataset: row.dataset.clone(),
        why: format!("the row cannot be rerun: {why}"),
    };
    // A row is a line of text: what it claims is seen to make sense before all of it is made.
    if let Some(worlds) = row.made_worlds {
        if worlds > MOST_MADE {
            return Err(wrong("it claims more worlds than can be made").into());
        }
        if u64::from(row.world) > worlds {
            return Err(wrong("there is no such world").into());
        }
    }
    if seven_dof::is_arm_row(row) {
        return seven_dof::replay(row, &tick);
    }
    let made = row.made_worlds.zip(row.made_test).zip(row.made_seed);
    let problems: Box<dyn Problems> = match (&row.folder, made) {
        (Some(folder), _) => Box::new(Dataset::open(folder)?),
        (None, Some(((worlds, test), seed))) => {
            let family = Family::named(&row.dataset).ok_or_else(|| wrong("no such family"))?;
            Box::new(family.generate(worlds as usize, test as usize, seed, tick)?)
        }
        (None, None) => return Err(wrong("it names neither a folder nor a family").into()),
    };
    let world = row.world.checked_sub(1).map(WorldId);
    let world = world
        .filter(|world| {
            problems
                .table()
                .is_ok_and(|t| world.index() < t.world_count())
        })
        .ok_or_else(|| wrong("there is no such world"))?;
    let planner: PlannerSpec = row.planner.parse().map_err(|error| SweepError::Planner {
        dataset: row.dataset.clone(),
        error,
    })?;
    let contestant = Contestant {
        planner,
        familiarity: match row.experience.as_str() {
            "unseen" => Familiarity::Unseen,
            _ => Familiarity::Seen,
        },
    };
    let fallback = match row.fallback.as_str() {
        "never" => Fallback::Never,
        draws => Fallback::AfterNoImprovement(
            draws
                .parse()
                .map_err(|_| wrong("its fallback is no number"))?,
        ),
    };
    let models = ModelCache::default();
    let belief = match row.experience.as_str() {
        "seen" | "unseen" | "none" => None,
        file => {
            let path = PathBuf::from(file);
            let experience = learned::open(&path, problems.roadmap(), &models)?;
            Some(LearnedBelief { path, experience })
        }
    };
    let options = SweepOptions {
        seeds: vec![row.seed],
        resolution: row.resolution,
        eta: row.eta,
        fallback,
        budget: row.budget,
        belief,
        models,
        jobs: None,
    };
    let arena = Arena::open(problems.as_ref(), world)?;
    Ok(arena.run(&contestant, row.seed, &options)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_claims_the_impossible_is_refused_before_it_is_made() {
        let row = |world, worlds| Row {
            dataset: "one-wall".to_owned(),
            planner: "lazysp".to_owned(),
            world,
            made_worlds: Some(worlds),
            made_test: Some(1),
            made_seed: Some(0),
            fallback: "never".to_owned(),
            ..Row::default()
        };
        for (row, words) in [
            (row(1, 1 << 50), "more worlds than can be made"),
            (row(900_001, 900_000), "no such world"),
            (row(0, 3), "no such world"),
        ] {
            let error = replay(&row, || {}).unwrap_err();
            assert!(error.to_string().contains(words), "{error}");
        }
        let mut arm = row(1, 2);
        arm.dataset = "clutter".to_owned();
        arm.experience = "none".to_owned();
        for resolution in [0.0, -1.0, f64::NAN, 1e-300] {
            arm.resolution = Some(resolution);
            let error = replay(&arm, || {}).unwrap_err();
            assert!(error.to_string().contains("resolution"), "{error}");
        }
    }
}
