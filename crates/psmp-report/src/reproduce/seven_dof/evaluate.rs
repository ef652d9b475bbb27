//! From rows of arms to their part of the report.

use super::arm_set::ArmSet;
use super::claims::claims;
use super::stage::stage;
use super::{ArmFindings, SevenDof};
use crate::report::{self, Claim};
use crate::reproduce::ReproduceError;
use crate::reproduce::curves::{anytime, groups, logarithmic_costs, mean_limit, solved};
use crate::reproduce::evaluate::{in_parallel, rows_of};
use psmp_arm::DEFAULT_STEP;
use psmp_lab::{Row, summarise};
use std::collections::BTreeSet;

/// What the report says of arms.
pub struct ArmReport {
    /// A part for each set.
    pub families: Vec<report::Family>,
    /// The claims about arms, with what was measured.
    pub claims: Vec<Claim>,
}

impl ArmReport {
    /// What a report says in which no arm was planned for: that the claims are not tested.
    #[must_use]
    pub fn untested() -> Self {
        Self {
            families: Vec::new(),
            claims: claims(&[]),
        }
    }
}

/// Everything that a report shows of arms. `tick` is called after each set, from any thread.
///
/// # Errors
/// If a motion cannot be planned again.
pub fn evaluate(
    experiment: &SevenDof,
    findings: &ArmFindings,
    tick: impl Fn() + Sync,
) -> Result<ArmReport, ReproduceError> {
    let family = |set: &ArmSet| family(experiment, set, &findings.rows).inspect(|_| tick());
    let rows: Vec<(&str, Vec<&Row>)> = findings
        .sets
        .iter()
        .map(|set| (set.name.as_str(), rows_of(&set.name, &findings.rows)))
        .collect();
    Ok(ArmReport {
        families: in_parallel(&findings.sets, family)?,
        claims: claims(&rows),
    })
}

fn family(
    experiment: &SevenDof,
    set: &ArmSet,
    rows: &[Row],
) -> Result<report::Family, ReproduceError> {
    let rows = rows_of(&set.name, rows);
    let groups = groups(&rows);
    let own: Vec<Row> = rows.iter().map(|row| (*row).clone()).collect();
    let most = experiment.budget.max(experiment.tree_budget);
    let costs = logarithmic_costs(10.0, most as f64);
    let counted = |rows: &mut dyn Iterator<Item = &&Row>| {
        let worlds: BTreeSet<u32> = rows.map(|row| row.world).collect();
        worlds.len()
    };
    let joined = counted(&mut rows.iter().filter(|row| row.shortest_on_roadmap.is_some()));
    let about = format!(
        "{} A roadmap of {} vertices and {} edges, known in {} worlds; planned in {} more, of which \
         {joined} have a path on it. Costs are configurations checked, on an axis of powers; lengths \
         are relative to the roadmap's shortest path, so that one who needs no roadmap may get below \
         1. Motions are asked about every {} rad, as published: between two configurations a path may \
         touch things, and straightened ones often do. `psmp plan` asks every {DEFAULT_STEP} rad.",
        set.about,
        set.bench.roadmap.vertex_count(),
        set.bench.roadmap.edge_count(),
        set.train_worlds().len(),
        counted(&mut rows.iter()),
        experiment.resolution.step(),
    );
    Ok(report::Family {
        name: set.name.clone(),
        about,
        unit: "configurations".to_owned(),
        examples: Vec::new(),
        anytime: groups.iter().map(|group| anytime(group, &costs)).collect(),
        solved: groups.iter().map(|group| solved(group, &costs)).collect(),
        limit: mean_limit(&rows),
        summaries: summarise(&own),
        growth: None,
        films: Vec::new(),
        stage: stage(experiment, set, &rows)?,
        logarithmic: true,
    })
}
