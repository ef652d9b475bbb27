//! Planners and beliefs as arguments: help and completions come from the library's tables of names.

use clap::builder::{PossibleValue, StringValueParser, TypedValueParser};
use clap::error::ErrorKind;
use clap::{Arg, Command};
use psmp::by_name::{BeliefName, Descriptor, GROWING, PlannerName, PlannerSpec, ProposerName};
use psmp::by_name::{TreeName, ValidatorName};
use psmp_lab::{EntrantName, SHORTCUT};
use std::error::Error;
use std::ffi::OsStr;
use std::marker::PhantomData;
use std::str::FromStr;

/// Parses a name, and proposes those that there are to shells.
#[derive(Clone)]
pub struct Named<T> {
    names: Vec<(String, &'static str)>,
    /// Whether those that let their roadmap grow are among them.
    may_grow: bool,
    of: PhantomData<fn() -> T>,
}

impl<T> Named<T> {
    fn new(names: Vec<(String, &'static str)>, may_grow: bool) -> Self {
        Self {
            names,
            may_grow,
            of: PhantomData,
        }
    }
}

impl<T> TypedValueParser for Named<T>
where
    T: FromStr<Err: Error + Send + Sync + 'static> + Clone + Send + Sync + 'static,
{
    type Value = T;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> Result<T, clap::Error> {
        let by_name = StringValueParser::new().try_map(|name| name.parse::<T>());
        let parsed = by_name.parse_ref(command, arg, value);
        match (&parsed, value.to_str()) {
            (Err(_), Some(name)) if name.ends_with(GROWING) && !self.may_grow => {
                Err(clap::Error::raw(
                    ErrorKind::ValueValidation,
                    format!(
                        "`{name}` lets its roadmap grow, and here all plan on the same one: leave out \
                         `{GROWING}`, or plan with `psmp plan --planner {name}`\n"
                    ),
                ))
            }
            _ => parsed,
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let names = self.names.iter();
        let values = names.map(|(name, summary)| PossibleValue::new(name.clone()).help(*summary));
        Some(Box::new(values))
    }
}

fn rows<T>(table: &[Descriptor<T>]) -> Vec<(String, &'static str)> {
    let rows = table.iter();
    rows.map(|row| (row.name.to_owned(), row.summary)).collect()
}

fn on_roadmaps() -> Vec<(String, &'static str)> {
    let mut names = Vec::new();
    for proposer in ProposerName::TABLE {
        if proposer.what == ProposerName::LazySp {
            names.push((proposer.name.to_owned(), proposer.summary));
        }
        for belief in BeliefName::TABLE {
            names.push((format!("{}:{}", proposer.name, belief.name), belief.summary));
        }
    }
    names
}

/// Planners on a roadmap.
pub fn planners_on_roadmaps() -> Named<PlannerSpec> {
    Named::new(on_roadmaps(), false)
}

/// Planners of all kinds, as they take part in benchmarks.
pub fn entrants() -> Named<EntrantName> {
    let straightened = on_roadmaps().into_iter();
    let straightened = straightened.map(|(name, summary)| (name + SHORTCUT, summary));
    let mut names = of_all_kinds();
    // There ours keep to the roadmap too, unless they are told to let it grow.
    let grown = on_roadmaps()
        .into_iter()
        .map(|(name, summary)| (name + GROWING, summary));
    let grown: Vec<_> = grown.filter(|grown| !names.contains(grown)).collect();
    names.extend(grown.into_iter().chain(straightened));
    Named::new(names, true)
}

/// Planners of both kinds.
pub fn planners() -> Named<PlannerName> {
    Named::new(of_all_kinds(), true)
}

fn of_all_kinds() -> Vec<(String, &'static str)> {
    let mut names = on_roadmaps();
    // Ours grow without being told.
    let grown = names.iter().filter_map(|(name, summary)| {
        let name = format!("{name}{GROWING}");
        let fixed: PlannerName = name.strip_suffix(GROWING)?.parse().ok()?;
        (!fixed.grows()).then_some((name, *summary))
    });
    let grown: Vec<_> = grown.collect();
    names.extend(grown);
    names.extend(rows(TreeName::TABLE));
    names
}

/// Beliefs.
pub fn beliefs() -> Named<BeliefName> {
    Named::new(rows(BeliefName::TABLE), false)
}

fn listed<T>(table: &[Descriptor<T>]) -> String {
    let lines = table.iter();
    let lines = lines.map(|row| format!("  {:<20} {}\n", row.name, row.summary));
    lines.collect()
}

/// What planners on a roadmap are, for help.
pub fn about_planners() -> String {
    format!(
        "Planners, as `PROPOSER[:BELIEF[:VALIDATOR]][:insured|:uninsured]`, separated by commas.\n\n\
         Proposers:\n{}\nBeliefs, or a probability such as 0.9:\n{}\nValidators:\n{}\n\
         Insured, a planner checks at most twice what LazySP would plus one path that was proposed, \
         which can be several times as long as the shortest, whatever its belief; ei is, unless it is \
         told to be uninsured, the others are if told to be insured.\n\n\
         All of these keep to the roadmap. With `{GROWING}` behind its name a planner lets it grow, with `{SHORTCUT}` its \
         path is straightened when it has ended. Or without a roadmap, in images and for arms:\n{}",
        listed(ProposerName::TABLE),
        listed(BeliefName::TABLE),
        listed(ValidatorName::TABLE),
        listed(TreeName::TABLE)
    )
}

/// What beliefs are, for help.
pub fn about_beliefs() -> String {
    format!(
        "Beliefs, separated by commas; all that can be had in the dataset if not given.\n\n{}  {:<20} {}",
        listed(BeliefName::TABLE),
        "0.9",
        "every edge is free with this probability"
    )
}

/// What planners that grow trees are, for help.
pub fn about_planner() -> String {
    format!(
        "The planner, as `PROPOSER[:BELIEF[:VALIDATOR]][:insured|:uninsured][{GROWING}]`, see `psmp bench \
         --help`. `ei` lets the roadmap grow unless `--fixed-roadmap` is given; the others do with \
         `{GROWING}` behind their name, a batch of vertices whenever the shortest path on it is found. \
         Or one that plans in the map or for the arm without a roadmap:\n\n{}",
        listed(TreeName::TABLE)
    )
}
