//! One row again: the same worlds made or read again, the same planner run again, and the two rows
//! compared.

use super::{ReproduceError, seven_dof};
use crate::bench::BenchSet;
use psmp_lab::Row;
use psmp_lab::sweep::SweepError;

/// More worlds than any experiment makes take all memory.
const MOST_MADE: u64 = 1_000_000;

/// Sees that a row makes sense before all that it claims is made: it is a line of text.
///
/// # Errors
/// If it claims the impossible.
pub fn check(row: &Row) -> Result<(), ReproduceError> {
    let wrong = |why: &str| SweepError::Dataset {
        dataset: row.dataset.clone(),
        why: format!("the row cannot be rerun: {why}"),
    };
    if let Some(worlds) = row.made_worlds {
        if worlds > MOST_MADE {
            return Err(wrong("it claims more worlds than can be made").into());
        }
        if u64::from(row.world) > worlds {
            return Err(wrong("there is no such world").into());
        }
    }
    Ok(())
}

/// Runs a row again that `psmp bench` has not made for an arm. What comes is the same row but for its times, if all is
/// well.
///
/// # Errors
/// If the row asks for something that is not there.
pub fn replay(row: &Row, tick: impl Fn() + Sync) -> Result<Row, ReproduceError> {
    check(row)?;
    match seven_dof::is_reproduced_arm(row) {
        true => seven_dof::replay(row, &tick),
        false => BenchSet::of_row(row, tick)?.replay(row),
    }
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
